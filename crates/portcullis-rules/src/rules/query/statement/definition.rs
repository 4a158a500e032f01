//! Statements about what a database is made of: `CREATE`, `ALTER`, `DROP`. Owns which of them lose something, and which reach elsewhere.

use portcullis_syntax::sql::{self, Token, TokenKind};

use super::{
    super::{reach::is_address, shown::keeps_credentials},
    Found, kept,
    known::{is_altered, is_dropped, is_made},
    made::Made,
    verb::{Verb, behind_equals, text_of},
};

/// Whether what a function is made of, for a trigger to run, puts credentials aside.
pub(super) fn body_keeps(statement: &[Token]) -> bool {
    let is = |token: &Token, word: &str| token.kind == TokenKind::Word && &*token.text == word;
    statement.first().is_some_and(|first| is(first, "CREATE"))
        && statement.iter().any(|token| is(token, "TRIGGER"))
        && statement.iter().filter_map(|token| text_of(Some(token))).any(|body| {
            sql::readings(body).iter().any(|tokens| {
                tokens.split(|token| &*token.text == ";").any(|inner| {
                    let words: Vec<&str> = inner.iter().map(|token| &*token.text).collect();
                    keeps_credentials(inner, &words)
                })
            })
        })
}

pub(super) fn drop(verb: Verb<'_>, made: &Made, found: &mut Found) {
    let kind = verb.skip(1, &["TEMPORARY", "TEMP", "FOREIGN", "EXTERNAL", "TRANSIENT"]);
    let is_temporary = matches!(verb.word(1), "TEMPORARY" | "TEMP");
    let named = verb.skip(kind + 1, &["IF", "EXISTS", "BY"]);
    match verb.word(kind) {
        "TABLE" if made.is_scratch(verb, named) => {
            found.push(("query.drop.part", String::new()));
        }
        "TABLE" if is_temporary || made.holds(verb, named) || verb.is_of_session(named) => {
            found.push(("query.drop.part", String::new()));
        }
        "TABLE" if made.rebuilds(verb, named) => found.push(("query.change", verb.name(named))),
        "DATABASE" | "SCHEMA" if made.makes_for_tests(verb, named) => {
            found.push(("query.change", verb.name(named)));
        }
        "AUDIT" => found.push(("query.audit.off", String::new())),
        "DATABASE" | "SERVER" if verb.word(kind + 1) == "AUDIT" => {
            found.push(("query.audit.off", String::new()));
        }
        "EXTENSION" if verb.name(named).eq_ignore_ascii_case("pgaudit") => {
            found.push(("query.audit.off", String::new()));
        }
        "TABLE" | "DATABASE" | "SCHEMA" | "KEYSPACE" | "TABLESPACE" | "OWNED" | "COLLECTION" => {
            // A server that takes the name for a comment drops nothing.
            if verb.names_table(named) {
                found.push(("query.drop.table", verb.name(named)));
            }
        }
        "USER" | "ROLE" | "LOGIN" => found.push(("query.grant", String::new())),
        // The columns that are of it go too.
        "DOMAIN" | "EXTENSION" | "TYPE" if verb.has("CASCADE") => {
            found.push(("query.alter.drop", verb.name(named)));
        }
        _ if let Some(rule) = kept::dropped(verb, kind, &made.anew) => {
            found.push((rule, verb.name(named)));
        }
        // What is dropped is put in while the statement is put together.
        "" if verb.token(kind).is_some() => found.push(("query.dynamic", String::new())),
        "" => {}
        _ if !is_dropped(verb, kind) => found.push(("query.unfamiliar", verb.name(named))),
        _ => found.push(("query.drop.part", String::new())),
    }
}

pub(super) fn create(verb: Verb<'_>, made: &mut Made, found: &mut Found) {
    let replaces = verb.word(1) == "OR" && verb.word(2) == "REPLACE";
    let kind = verb.skip(1, &["OR", "ALTER", "REPLACE", "PUBLIC", "LOCAL", "PRIVATE"]);
    let is_temporary = matches!(verb.word(kind), "TEMP" | "TEMPORARY");
    let kind = verb.skip(kind, &["TEMP", "TEMPORARY"]);
    let name = verb.skip(kind + 1, &["IF", "NOT", "EXISTS"]);
    if is_temporary && verb.word(kind) == "TABLE" && verb.word(name + 1) != "." {
        made.temporary.push(verb.name(name));
    }
    if matches!(verb.word(kind), "TABLE" | "TRANSIENT") {
        made.keep_scratch(verb, verb.skip(name, &["TABLE"]));
    }
    if verb.word(kind) == "STAGE" && behind_equals(verb, "URL").is_some_and(is_address) {
        made.stages.push(verb.name(name));
    }
    let rule = match verb.word(kind) {
        _ if let Some(rule) = kept::created(verb, kind) => rule,
        // The table that has the name is gone with its rows, unless all of them come from elsewhere.
        "TABLE" if replaces && !is_temporary && loses_rows(verb, name) => {
            found.push(("query.drop.table", verb.name(name)));
            return;
        }
        // microsoft.com, "CREATE ASSEMBLY": code of any kind in the server.
        "ASSEMBLY" => "query.program",
        // oracle.com, "External Tables": a program that each reading runs.
        "TABLE" if verb.has("PREPROCESSOR") => "query.program",
        "USER" | "ROLE" | "LOGIN" | "SHARE" | "DATASHARE" | "RECIPIENT" => "query.grant",
        "DATABASE" if verb.word(kind + 1) == "LINK" => "query.remote",
        "DATABASE" | "SCHEMA" if replaces => {
            found.push(("query.drop.table", verb.name(name)));
            return;
        }
        "SUBSCRIPTION" => "query.remote",
        "SERVER" if verb.has("OPTIONS") => "query.remote",
        "TABLE" if verb.has("FEDERATED") => "query.remote",
        "EVENT" | "TASK" if verb.has("SCHEDULE") => "query.schedule",
        _ if !is_made(verb, kind) => "query.unfamiliar",
        _ => "query.change",
    };
    found.push((rule, String::new()));
}

/// `CREATE OR REPLACE TABLE a (…)`, and `… AS SELECT … FROM a WHERE …`: an empty table, or some of its own rows, in the place of a table.
fn loses_rows(verb: Verb<'_>, name: usize) -> bool {
    let made = verb.name(name);
    let words: Vec<&str> = verb.words.iter().skip(verb.at + name).copied().collect();
    let Some(source) = words.iter().position(|word| matches!(*word, "AS" | "CLONE" | "LIKE"))
    else {
        return true;
    };
    let chooses = words.iter().skip(source).any(|word| {
        matches!(*word, "DISTINCT" | "HAVING" | "JOIN" | "LIMIT" | "QUALIFY" | "SAMPLE" | "WHERE")
    });
    let rest = verb.statement.iter().skip(verb.at + name + source);
    let of_itself = || {
        let mut named = rest.clone().filter(|token| token.text.eq_ignore_ascii_case(&made));
        named.next().is_some()
    };
    chooses && !made.is_empty() && of_itself()
}

/// `CREATE FUNCTION … SECURITY DEFINER`, whose body runs a text or gives rights: whoever calls it has its owner's rights for that.
pub(super) fn runs_as_its_owner(verb: Verb<'_>) -> bool {
    let mut words = verb.words.iter().skip(verb.at);
    let is_definer = words.any(|word| *word == "SECURITY") && words.next() == Some(&"DEFINER");
    is_definer
        && verb.statement.iter().skip(verb.at).any(|token| {
            let text = token.text.to_ascii_uppercase();
            ["ALTER ROLE", "ALTER USER", "CREATE ROLE", "EXECUTE ", "GRANT "]
                .iter()
                .any(|word| text.contains(word) && !text.contains("GRANT EXECUTE"))
        })
}

pub(super) fn alter(verb: Verb<'_>, made: &mut Made, found: &mut Found) {
    // What is altered is one word or `a.b`, and may be said to be on a cluster.
    let name = verb.skip(2, &["IF", "EXISTS", "ONLY"]);
    let behind = if verb.word(name + 1) == "." { name + 3 } else { name + 1 };
    let action = if verb.word(behind) == "ON" { behind + 3 } else { behind };
    let inner = Verb { at: verb.at + action, ..verb };
    let is_swap = verb.word(1) == "TABLE" && made.takes_name(verb, name, action);
    let rule = match (verb.word(1), verb.word(action)) {
        _ if is_swap => "query.part.moved",
        ("USER" | "ROLE" | "LOGIN", _) => "query.grant",
        ("SERVER", _) if verb.word(2) == "ROLE" => "query.grant",
        ("DATASHARE" | "SHARE", _) if verb.has("ADD") || verb.has("SET") => "query.grant",
        ("ACCOUNT" | "INSTANCE" | "SYSTEM", _) => "query.server",
        ("DATABASE" | "SERVER", _) if verb.word(2) == "AUDIT" && verb.has("OFF") => {
            "query.audit.off"
        }
        // What was before is kept no more, and can be changed.
        ("TABLE", _) if verb.has("SYSTEM_VERSIONING") && verb.has("OFF") => "query.audit.off",
        ("DATABASE", _) if verb.has("TRUSTWORTHY") && verb.has("ON") => "query.server",
        ("DATABASE", _) if verb.has("OFFLINE") || verb.has("SINGLE_USER") => "query.server",
        _ if verb.has("DISABLE") && (verb.has("SECURITY") || verb.has("TRIGGER")) => "query.server",
        _ if let Some(rule) = kept::altered(verb) => rule,
        // What was lost can be fetched back for as long as this says.
        _ if keeps_nothing(verb) => "query.server",
        ("TABLE", "TRUNCATE") => "query.truncate",
        ("TABLE", "DISCARD") => "query.drop.table",
        ("TABLE", "DELETE") => inner.deleted(),
        ("TABLE", "UPDATE") => inner.rows("query.update.all"),
        _ if drops_part(verb) || cuts_values(verb) => "query.alter.drop",
        _ if !is_altered(verb, action) => "query.unfamiliar",
        _ => "query.change",
    };
    found.push((rule, verb.name(name)));
}

/// Whether what is kept of the past is set to nothing: `DATA_RETENTION_TIME_IN_DAYS = 0`.
fn keeps_nothing(verb: Verb<'_>) -> bool {
    let text = |at: usize| verb.statement.get(at).map_or("", |token| &*token.text);
    (verb.at..verb.statement.len()).any(|at| {
        text(at).eq_ignore_ascii_case("DATA_RETENTION_TIME_IN_DAYS")
            && text(at + 1) == "="
            && text(at + 2) == "0"
    })
}

/// `ALTER COLUMN a TYPE varchar(40) USING left(a, 40)`: what each value is made less by.
fn cuts_values(verb: Verb<'_>) -> bool {
    const CUTS: &[&str] = &["LEFT", "NULL", "NULLIF", "RIGHT", "SUBSTR", "SUBSTRING"];
    verb.has("TYPE") && CUTS.iter().any(|cut| verb.has_run(&["USING", cut]))
}

/// Whether `ALTER … DROP …` takes away more than a rule about values: `DROP DEFAULT`, `DROP NOT NULL`.
fn drops_part(verb: Verb<'_>) -> bool {
    let behind = |index: usize| verb.words.iter().skip(verb.at + index);
    behind(0).zip(behind(1)).any(|(word, next)| {
        *word == "SET" && *next == "UNUSED"
            || *word == "DROP" && !matches!(*next, "DEFAULT" | "EXPRESSION" | "IDENTITY" | "NOT")
    })
}
