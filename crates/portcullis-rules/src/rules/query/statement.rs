//! What statements do, as the rules about them want to know: their kinds, what they are done to, and what stands anywhere in them.
//! Owns the reading of tokens; how bad what was found is, the rules say.

use std::borrow::Cow;

use portcullis_syntax::sql::{self, Token, TokenKind};

use super::{
    FILE,
    condition::always,
    reach::{DYNAMIC, ELSEWHERE, anywhere, in_quotes, is_address, read_files, texts_run, waits},
    rebuilt,
    shown::{keeps_credentials, takes_credentials, takes_hashes},
};
use crate::bound::Bounded;

/// How deep statements inside strings of statements are read.
const DEPTH: usize = 4;

/// What the statements of a text do: rules, each with what it is done to.
pub(super) type Found = Vec<(&'static str, String)>;

/// Finds what the statements in `text` do, whichever server reads it.
pub(super) fn read(text: &str, depth: usize, found: &mut Found) {
    if depth >= DEPTH {
        found.push(("query.dynamic", String::new()));
        return;
    }
    for tokens in sql::readings(&batches(text)) {
        let statements: Vec<&[Token]> = tokens
            .split(|token| token.kind == TokenKind::Operator && &*token.text == ";")
            .collect();
        let mut made = Made { rebuilt: rebuilt::tables(&statements), ..Made::default() };
        for statement in statements {
            one(statement, depth, &mut made, found);
        }
    }
}

/// What a text makes, and what it therefore does not lose or gives away.
#[derive(Debug, Default)]
struct Made {
    /// Tables for its session alone.
    temporary: Vec<String>,
    /// Tables whose rows it moved into others that take their names.
    rebuilt: Vec<String>,
    /// Stages of Snowflake that lie at an address which it names.
    stages: Vec<String>,
    /// Databases of SQLite that it attached in memory.
    in_memory: Vec<String>,
    /// What it gives its variables, one after the other; `None` where that is more than text.
    variables: Vec<(String, Option<String>)>,
}

/// A text whose statements end with `;` alone: what `mysql` is told to end them with instead (`DELIMITER //`), and `GO` of SQL Server, gives
/// way to it.
fn batches(text: &str) -> Cow<'_, str> {
    let mut end: Option<&str> = None;
    let is_own = |line: &str| {
        let line = line.trim();
        line.eq_ignore_ascii_case("go") || delimiter(line).is_some()
    };
    if !text.lines().any(is_own) {
        return Cow::Borrowed(text);
    }
    let lines = text.lines().map(|line| {
        if let Some(new) = delimiter(line.trim()) {
            end = Some(new).filter(|new| *new != ";");
            return ";".to_owned();
        }
        if line.trim().eq_ignore_ascii_case("go") {
            return ";".to_owned();
        }
        end.map_or_else(|| line.to_owned(), |end| line.replace(end, ";"))
    });
    Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
}

/// What `DELIMITER x` names.
fn delimiter(line: &str) -> Option<&str> {
    let (word, new) = line.split_once(char::is_whitespace)?;
    word.eq_ignore_ascii_case("delimiter").then(|| new.trim()).filter(|new| !new.is_empty())
}

fn one(statement: &[Token], depth: usize, made: &mut Made, found: &mut Found) {
    let of_rows = statement.first().is_some_and(|first| OF_ROWS.contains(&&*first.text));
    let words: Vec<&str> = statement
        .iter()
        .zip(statement.iter().skip(1).map(Some).chain([None]))
        .map(|(token, next)| match token.kind {
            TokenKind::Word | TokenKind::Operator => &*token.text,
            // Among rows it may be a column, or text as some servers quote it, unless it is called.
            TokenKind::Name if !of_rows || next.is_some_and(|next| &*next.text == "(") => {
                in_quotes(&token.text)
            }
            TokenKind::Name | TokenKind::Text | TokenKind::Number => "",
        })
        .collect();
    let word = |index: usize| words.get(index).copied().unwrap_or("");
    if matches!(word(0), "EXPLAIN" | "DESCRIBE" | "DESC")
        && !words.iter().leading(4).any(|word| *word == "ANALYZE")
    {
        return;
    }
    anywhere(statement, &words, found);
    waits(statement, &words, found);
    if takes_hashes(statement, &words) {
        found.push(("query.hashes", String::new()));
    }
    if takes_credentials(statement) || keeps_credentials(statement, &words) || body_keeps(statement)
    {
        found.push(("query.credentials", String::new()));
    }
    read_files(statement, words.as_slice(), found);
    for text in texts_run(statement, &words) {
        read(text, depth + 1, found);
    }
    made.assign(statement);
    defined(statement, depth, found);
    // Without `EXEC`, a procedure may be named in quotes.
    let is_named = statement.first().is_some_and(|token| token.kind == TokenKind::Name);
    if depth == 0 && statement.len() > 1 && (is_named || is_unfamiliar(word(0))) {
        found.push(("query.unfamiliar", String::new()));
    }
    let mut start = true;
    for index in 0..statement.len() {
        if start || runs_on(&words, index) {
            begin(Verb { statement, words: &words, at: index }, depth, made, found);
        }
        start = matches!(
            word(index),
            "(" | "BEGIN" | "THEN" | "ELSE" | "ANALYZE" | "DO" | "AS" | ")" | "LOOP" | "VERBOSE"
        );
    }
}

/// Whether what a function is made of, for a trigger to run, puts credentials aside.
fn body_keeps(statement: &[Token]) -> bool {
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

/// What is only defined runs when somebody calls it, as whoever that is; what then leaves the database is told where it is written.
fn defined(statement: &[Token], depth: usize, found: &mut Found) {
    let is = |token: &Token, word: &str| token.kind == TokenKind::Word && &*token.text == word;
    let defines = statement.first().is_some_and(|first| is(first, "CREATE"))
        && statement.iter().leading(6).any(|token| {
            ["FUNCTION", "PROCEDURE", "TRIGGER", "EVENT"].iter().any(|word| is(token, word))
        });
    if !defines {
        return;
    }
    let mut inner = Found::new();
    for body in statement.iter().filter_map(|token| text_of(Some(token))) {
        read(body, depth + 1, &mut inner);
    }
    let leaves = |rule: &str| {
        rule == FILE || matches!(rule, "query.program" | "query.remote" | "query.export")
    };
    found.extend(inner.into_iter().filter(|(rule, _)| leaves(rule)));
}

/// Whether a statement begins at `at` that nothing divides from the one before it: SQL Server needs no `;`.
fn runs_on(words: &[&str], at: usize) -> bool {
    let word = |index: usize| words.get(index).copied().unwrap_or("");
    let before = at.checked_sub(1).map_or("", word);
    let next = word(at + 1);
    // `ALTER TABLE a DROP …`, `GRANT DELETE ON`, `ON DELETE CASCADE`, `FOR UPDATE`, `AFTER INSERT OR DELETE`.
    let is_part = matches!(word(0), "ALTER" | "COMMENT" | "DENY" | "GRANT" | "REVOKE")
        || matches!(
            before,
            "," | "AFTER" | "BEFORE" | "DO" | "FOR" | "INSTEAD" | "KEY" | "NO" | "OF" | "ON" | "OR"
        );
    at > 0
        && !is_part
        && match word(at) {
            "DROP" => matches!(next, "DATABASE" | "LOGIN" | "SCHEMA" | "TABLE" | "USER"),
            "TRUNCATE" => next == "TABLE",
            "DELETE" => next == "FROM",
            "UPDATE" => words.iter().skip(at + 2).leading(4).any(|word| *word == "SET"),
            "EXEC" | "SHUTDOWN" => true,
            "BACKUP" | "RESTORE" => matches!(next, "DATABASE" | "LOG"),
            _ => false,
        }
}

/// What statements begin with that change nothing by themselves, or are read below.
const FAMILIAR: &[&str] = &[
    "(",
    "ABORT",
    "ALTER",
    "ANALYZE",
    "ATTACH",
    "BACKUP",
    "BEGIN",
    "BULK",
    "CASE",
    "CHANGE",
    "CHECK",
    "CHECKPOINT",
    "CLOSE",
    "CLUSTER",
    "COMMENT",
    "COMMIT",
    "COPY",
    "CREATE",
    "DEALLOCATE",
    "DECLARE",
    "DELETE",
    "DELIMITER",
    "DESC",
    "DESCRIBE",
    "DETACH",
    "DISCARD",
    "DO",
    "DROP",
    "ELSE",
    "END",
    "EXEC",
    "EXECUTE",
    "EXPLAIN",
    "EXPORT",
    "FETCH",
    "FLUSH",
    "FLUSHALL",
    "FLUSHDB",
    "FOR",
    "FROM",
    "GO",
    "GRANT",
    "HANDLER",
    "HELP",
    "IF",
    "INSERT",
    "INSTALL",
    "KILL",
    "LISTEN",
    "LOAD",
    "LOCK",
    "LOOP",
    "MATCH",
    "MERGE",
    "MOVE",
    "NOTIFY",
    "OPEN",
    "OPTIMIZE",
    "OPTIONAL",
    "PRAGMA",
    "PREPARE",
    "PRINT",
    "PURGE",
    "RAISE",
    "REFRESH",
    "REINDEX",
    "RELEASE",
    "RENAME",
    "REPLACE",
    "RESET",
    "RESTORE",
    "RETURN",
    "REVOKE",
    "ROLLBACK",
    "SAVEPOINT",
    "SELECT",
    "SET",
    "SHOW",
    "SHUTDOWN",
    "START",
    "STOP",
    "SUMMARIZE",
    "TABLE",
    "TRUNCATE",
    "UNLISTEN",
    "UNLOCK",
    "UNWIND",
    "UPDATE",
    "UPSERT",
    "USE",
    "VACUUM",
    "VALUES",
    "WAITFOR",
    "WHILE",
    "WITH",
    "XA",
];

/// What statements begin with that read and write rows.
const OF_ROWS: &[&str] =
    &["DELETE", "INSERT", "MERGE", "REPLACE", "SELECT", "TABLE", "UPDATE", "VALUES", "WITH"];

/// Whether a statement begins with a word that says nothing to us. Names, numbers and what belongs to a client are no such words.
fn is_unfamiliar(first: &str) -> bool {
    first.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && FAMILIAR.binary_search(&first).is_err()
}

/// A statement from the word on that it begins with.
#[derive(Clone, Copy)]
struct Verb<'s> {
    statement: &'s [Token],
    words: &'s [&'s str],
    at: usize,
}

impl<'s> Verb<'s> {
    /// The word at a place behind the verb; the verb itself is 0.
    fn word(self, index: usize) -> &'s str {
        self.words.get(self.at + index).copied().unwrap_or("")
    }

    /// The first place from `from` on that none of `skipped` stands at.
    fn skip(self, from: usize, skipped: &[&str]) -> usize {
        let mut index = from;
        while skipped.contains(&self.word(index)) {
            index += 1;
        }
        index
    }

    fn token(self, index: usize) -> Option<&'s Token> {
        self.statement.get(self.at + index)
    }

    fn name(self, index: usize) -> String {
        self.token(index).map_or_else(String::new, |token| token.text.to_string())
    }

    fn has(self, wanted: &str) -> bool {
        self.words.iter().skip(self.at).any(|word| *word == wanted)
    }

    /// Whether it is the statement from its first word on, or nothing divides it from one before it.
    fn is_own(self) -> bool {
        self.at == 0 || runs_on(self.words, self.at)
    }

    /// Whether a table may be named at a place: no word with which statements begin is a name without quotes, on any server.
    fn names_table(self, index: usize) -> bool {
        const RESERVED: &[&str] =
            &["CREATE", "DELETE", "DROP", "FROM", "GRANT", "INSERT", "SELECT", "UPDATE", "WHERE"];
        self.token(index)
            .is_some_and(|token| token.kind != TokenKind::Word || !RESERVED.contains(&&*token.text))
    }

    /// `query.change` for `#name`, a table of SQL Server that only its session has.
    fn unless_temporary(self, index: usize, rule: &'static str) -> &'static str {
        if self.word(index) == "#" { "query.change" } else { rule }
    }

    /// The first text of the statement.
    fn text(self) -> &'s str {
        self.statement.iter().find_map(|token| text_of(Some(token))).unwrap_or_default()
    }

    /// The rule of what happens to `all` rows, where nothing chooses some of them.
    fn rows(self, all: &'static str) -> &'static str {
        if limited(self.statement, self.words, self.at) { "query.change" } else { all }
    }
}

/// What the statement that begins at `at` does.
fn begin(verb: Verb<'_>, depth: usize, made: &mut Made, found: &mut Found) {
    let Verb { statement, words, at } = verb;
    let word = |index: usize| verb.word(index);
    let skip = |from: usize, skipped: &[&str]| verb.skip(from, skipped);
    // `ON CONFLICT DO UPDATE` and `WHEN MATCHED THEN` touch the rows that were matched.
    let before = at.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or("");
    let first = words.first().copied().unwrap_or("");
    let matched = first == "INSERT" && before == "DO" || first == "MERGE" && before == "THEN";
    match word(0) {
        "UPDATE" | "DELETE" if matched => found.push((merged(verb, first), String::new())),
        "INSERT" | "UPDATE" | "DELETE" | "REPLACE" if holds_accounts(words, at) => {
            found.push(("query.grant", String::new()));
        }
        "DO" if first == "INSERT" => {}
        "DROP" => drop(verb, made, found),
        "TRUNCATE" if word(1) != "(" => {
            let table = skip(1, &["TABLE", "ONLY"]);
            if verb.names_table(table) {
                let is_own = made.holds(verb, table);
                let rule = verb.unless_temporary(table, "query.truncate");
                found.push((if is_own { "query.change" } else { rule }, verb.name(table)));
            }
        }
        "DELETE" => {
            // `DELETE a, b.* FROM …` names aliases first; without a `FROM` only a whole statement is one.
            let aliases = words
                .iter()
                .skip(at + 1)
                .take_while(|word| !matches!(**word, "WHERE" | "(" | ")" | ";"))
                .position(|word| *word == "FROM")
                .unwrap_or(0);
            let table = skip(1 + aliases, &["FROM", "ONLY", "IGNORE", "QUICK", "LOW_PRIORITY"]);
            let is_named = table > 1 || at == 0 && statement.get(1).is_some_and(is_name);
            if is_named && verb.names_table(table) {
                let is_own = made.holds(verb, table);
                let rule = verb.unless_temporary(table, verb.rows("query.delete.all"));
                found.push((if is_own { "query.change" } else { rule }, verb.name(table)));
            }
        }
        "UPDATE" if verb.has("SET") => {
            let table = skip(1, &["ONLY", "IGNORE", "OR", "LOW_PRIORITY"]);
            let rule = verb.unless_temporary(table, verb.rows("query.update.all"));
            found.push((rule, verb.name(table)));
        }
        "INSERT" | "MERGE" | "REPLACE" | "UPSERT" if word(1) != "(" => insert(verb, found),
        "ALTER" => alter(verb, found),
        "CREATE" => {
            create(verb, made, found);
            if runs_as_its_owner(verb) {
                found.push(("query.grant", String::new()));
            }
        }
        "GRANT"
            if verb.has("ALL")
                || verb.has("OPTION")
                || words.iter().skip(at).any(|word| MIGHTY.contains(word))
                || is_for_everybody(verb) =>
        {
            found.push(("query.grant", String::new()));
        }
        // Triggers and the constraints that are made of them rest; nothing is written to what others copy from.
        "SET"
            if verb.has("SESSION_REPLICATION_ROLE")
                && (verb.has("REPLICA") || says(verb, "replica"))
                || verb.has("SQL_LOG_BIN") && !verb.has("1") && !verb.has("ON") =>
        {
            found.push(("query.server", String::new()));
        }
        "SET" if word(1) == "PASSWORD" => found.push(("query.grant", String::new())),
        "REASSIGN" if word(1) == "OWNED" => found.push(("query.grant", String::new())),
        "ATTACH" if verb.is_own() => {
            made.attach(verb);
            outward(verb, made, found);
        }
        "EXECUTE" | "EXEC" | "PREPARE" | "DO" => run(verb, depth, made, found),
        // The first word of all needs no `EXEC`.
        first if at == 0 && verb.has(DYNAMIC) && (first.is_empty() || is_unfamiliar(first)) => {
            dynamic(statement, at, depth, made, found);
        }
        "NOAUDIT" => found.push(("query.audit.off", String::new())),
        _ if verb.is_own() => outward(verb, made, found),
        _ => {}
    }
}

/// Whether a right to rows is given to everybody: `TO PUBLIC`, `TO ROLE PUBLIC`, and BigQuery's names for anybody at all.
fn is_for_everybody(verb: Verb<'_>) -> bool {
    let rest = || verb.words.iter().skip(verb.at);
    let to_public = rest()
        .zip(rest().skip(1))
        .any(|(before, word)| *word == "PUBLIC" && matches!(*before, "TO" | "ROLE" | "GROUP"));
    let of_rows =
        ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE"].iter().any(|right| verb.has(right));
    let anybody = |token: &Token| {
        let name = token.text.to_ascii_lowercase();
        let name = name.strip_prefix("specialgroup:").unwrap_or(&name);
        matches!(name, "allauthenticatedusers" | "allusers")
    };
    to_public && of_rows || verb.has("TO") && verb.statement.iter().skip(verb.at).any(anybody)
}

/// `MERGE … THEN DELETE`, `INSERT … DO UPDATE`: the rows that were matched, unless that is every one.
fn merged(verb: Verb<'_>, first: &str) -> &'static str {
    let words = verb.words;
    let position = |wanted: &str| words.iter().position(|word| *word == wanted);
    let branch = words.get(..verb.at).unwrap_or_default();
    let branch = branch.iter().rposition(|word| *word == "WHEN").and_then(|at| branch.get(at..));
    // `WHEN NOT MATCHED BY SOURCE THEN DELETE`: whatever the other table does not have.
    let is_rest = branch.is_some_and(|it| it.contains(&"SOURCE") && !it.contains(&"AND"));
    let is_always = first == "MERGE"
        && (is_rest
            || position("ON").zip(position("WHEN")).is_some_and(|(on, when)| {
                always(
                    verb.statement.get(on + 1..when).unwrap_or_default(),
                    verb.statement.get(..on).unwrap_or_default(),
                )
            }));
    match (is_always, verb.word(0)) {
        (false, _) => "query.change",
        (true, "DELETE") => "query.delete.all",
        (true, _) => "query.update.all",
    }
}

fn drop(verb: Verb<'_>, made: &Made, found: &mut Found) {
    let kind = verb.skip(1, &["TEMPORARY", "TEMP", "FOREIGN", "EXTERNAL", "TRANSIENT"]);
    let is_temporary = matches!(verb.word(1), "TEMPORARY" | "TEMP");
    let named = verb.skip(kind + 1, &["IF", "EXISTS", "BY"]);
    match verb.word(kind) {
        "TABLE" if is_temporary || made.holds(verb, named) => {
            found.push(("query.drop.part", String::new()));
        }
        "TABLE" if made.rebuilds(verb, named) => found.push(("query.change", verb.name(named))),
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
        // What is dropped is put in while the statement is put together.
        "" if verb.token(kind).is_some() => found.push(("query.dynamic", String::new())),
        "" => {}
        _ => found.push(("query.drop.part", String::new())),
    }
}

impl Made {
    /// Whether every table that is named from a place on was made for this session alone.
    fn holds(&self, verb: Verb<'_>, from: usize) -> bool {
        let rest = verb.statement.get(verb.at + from..).unwrap_or_default();
        let rest = match rest.split_last() {
            Some((last, rest)) if matches!(&*last.text, "CASCADE" | "END" | "RESTRICT") => rest,
            _ => rest,
        };
        // SQL Server needs nothing between two statements.
        let next = rest.iter().skip(1).position(|token| {
            token.kind == TokenKind::Word
                && matches!(&*token.text, "CREATE" | "INSERT" | "SELECT" | "WITH")
        });
        let rest = next.and_then(|next| rest.get(..=next)).unwrap_or(rest);
        !rest.is_empty()
            && rest.split(|token| &*token.text == ",").all(|name| match name {
                [hash, _] if &*hash.text == "#" => true,
                [name] => self.temporary.iter().any(|made| made.eq_ignore_ascii_case(&name.text)),
                [base, dot, _] if &*dot.text == "." => {
                    self.in_memory.iter().any(|made| made.eq_ignore_ascii_case(&base.text))
                }
                _ => false,
            })
    }

    /// `ATTACH ':memory:' AS name`
    fn attach(&mut self, verb: Verb<'_>) {
        let file = verb.skip(1, &["DATABASE"]);
        let as_name = verb.word(file + 1) == "AS";
        if as_name && text_of(verb.token(file)) == Some(":memory:") {
            self.in_memory.push(verb.name(file + 2));
        }
    }

    /// What a statement gives to variables: `DECLARE @a nvarchar(99) = N'…'`, `SET @a = @b + '…'`.
    fn assign(&mut self, statement: &[Token]) {
        for (at, variable) in statement.iter().enumerate() {
            let next = |index: usize| statement.get(index).map_or("", |token| &*token.text);
            if !variable.text.starts_with('@') || variable.kind != TokenKind::Word {
                continue;
            }
            // `FETCH … INTO @a`, `EXEC fill @a OUTPUT`
            let is_filled = matches!(next(at + 1), "OUT" | "OUTPUT")
                || statement.iter().leading(at).any(|token| &*token.text == "INTO");
            if is_filled {
                self.variables.push((variable.text.to_string(), None));
                continue;
            }
            // `nvarchar(200)` may stand between.
            let behind = statement.iter().skip(at + 1).leading(6).position(|token| {
                &*token.text == "=" || matches!(&*token.text, "," | ";" | "SELECT" | "SET")
            });
            let Some(equals) = behind.map(|behind| at + 1 + behind) else { continue };
            if next(equals) != "=" {
                continue;
            }
            let value = if next(equals.saturating_sub(1)) == "+" {
                None
            } else {
                self.text_at(statement, equals + 1)
            };
            self.variables.push((variable.text.to_string(), value));
        }
    }

    /// The text that an expression gives, where it is texts and known variables alone.
    fn text_at(&self, statement: &[Token], from: usize) -> Option<String> {
        let mut text = String::new();
        for token in statement.get(from..)? {
            match (token.kind, &*token.text) {
                (TokenKind::Text, part) => text.push_str(part),
                (TokenKind::Operator, "+") | (TokenKind::Word, "N") => {}
                (TokenKind::Operator, ",") => break,
                (TokenKind::Word, "EXEC" | "EXECUTE" | "DECLARE" | "SET" | "PRINT") => break,
                (TokenKind::Word, name) => text.push_str(self.only(name)?),
                _ => return None,
            }
        }
        Some(text)
    }

    /// The one text that a variable was given.
    fn only(&self, name: &str) -> Option<&str> {
        let mut given = self.variables.iter().filter(|(known, _)| known == name);
        match (given.next(), given.next()) {
            (Some((_, Some(text))), None) => Some(text),
            _ => None,
        }
    }

    /// Whether rows are copied into a stage that the text made at an address of its own: `COPY INTO @stage/path FROM t`.
    fn leads_away(&self, verb: Verb<'_>) -> bool {
        let rest = verb.statement.iter().skip(verb.at + 2).map(|token| &*token.text).leading(3);
        let written: String = rest.collect();
        let Some(named) = written.strip_prefix('@') else { return false };
        let end = named.find(['/', '(']).unwrap_or(named.len());
        let named = named.get(..end).unwrap_or(named).to_ascii_uppercase();
        self.stages.iter().any(|stage| {
            let stage = stage.to_ascii_uppercase();
            named
                .strip_prefix(&stage)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with("FROM"))
        })
    }

    /// Whether the one table that is named from a place on lives on under another name, with its rows.
    fn rebuilds(&self, verb: Verb<'_>, from: usize) -> bool {
        let rest = verb.statement.get(verb.at + from..).unwrap_or_default();
        let Some((name, length)) = rebuilt::name_at(rest) else { return false };
        length == rest.len() && self.rebuilt.contains(&name)
    }
}

fn create(verb: Verb<'_>, made: &mut Made, found: &mut Found) {
    let replaces = verb.word(1) == "OR" && verb.word(2) == "REPLACE";
    let kind = verb.skip(1, &["OR", "REPLACE", "PUBLIC", "LOCAL"]);
    let is_temporary = matches!(verb.word(kind), "TEMP" | "TEMPORARY");
    let kind = verb.skip(kind, &["TEMP", "TEMPORARY"]);
    let name = verb.skip(kind + 1, &["IF", "NOT", "EXISTS"]);
    if is_temporary && verb.word(kind) == "TABLE" && verb.word(name + 1) != "." {
        made.temporary.push(verb.name(name));
    }
    if verb.word(kind) == "STAGE" && behind_equals(verb, "URL").is_some_and(is_address) {
        made.stages.push(verb.name(name));
    }
    let rule = match verb.word(kind) {
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
        _ => "query.change",
    };
    found.push((rule, String::new()));
}

/// Whether a literal of a statement is this text.
fn says(verb: Verb<'_>, text: &str) -> bool {
    let mut rest = verb.statement.iter().skip(verb.at);
    rest.any(|token| token.text.trim_matches(['\'', '"']).eq_ignore_ascii_case(text))
}

/// `CREATE FUNCTION … SECURITY DEFINER`, whose body runs a text or gives rights: whoever calls it has its owner's rights for that.
fn runs_as_its_owner(verb: Verb<'_>) -> bool {
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

/// The text behind `NAME =`.
fn behind_equals<'s>(verb: Verb<'s>, name: &str) -> Option<&'s str> {
    let at =
        verb.words.array_windows().position(|[word, equals]| *word == name && *equals == "=")?;
    text_of(verb.statement.get(at + 2))
}

fn alter(verb: Verb<'_>, found: &mut Found) {
    // What is altered is one word or `a.b`, and may be said to be on a cluster.
    let name = verb.skip(2, &["IF", "EXISTS", "ONLY"]);
    let behind = if verb.word(name + 1) == "." { name + 3 } else { name + 1 };
    let action = if verb.word(behind) == "ON" { behind + 3 } else { behind };
    let inner = Verb { at: verb.at + action, ..verb };
    let rule = match (verb.word(1), verb.word(action)) {
        ("USER" | "ROLE" | "LOGIN", _) => "query.grant",
        ("SERVER", _) if verb.word(2) == "ROLE" => "query.grant",
        ("DATASHARE" | "SHARE", _) if verb.has("ADD") || verb.has("SET") => "query.grant",
        ("ACCOUNT" | "INSTANCE" | "SYSTEM", _) => "query.server",
        ("DATABASE" | "SERVER", _) if verb.word(2) == "AUDIT" && verb.has("OFF") => {
            "query.audit.off"
        }
        ("DATABASE", _) if verb.has("OFFLINE") || verb.has("SINGLE_USER") => "query.server",
        _ if verb.has("DISABLE") && (verb.has("SECURITY") || verb.has("TRIGGER")) => "query.server",
        // What was lost can be fetched back for as long as this says.
        _ if keeps_nothing(verb) => "query.server",
        ("TABLE", "TRUNCATE") => "query.truncate",
        ("TABLE", "DISCARD") => "query.drop.table",
        ("TABLE", "DELETE") => inner.rows("query.delete.all"),
        ("TABLE", "UPDATE") => inner.rows("query.update.all"),
        _ if drops_part(verb) => "query.alter.drop",
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

/// Whether `ALTER … DROP …` takes away more than a rule about values: `DROP DEFAULT`, `DROP NOT NULL`.
fn drops_part(verb: Verb<'_>) -> bool {
    let behind = |index: usize| verb.words.iter().skip(verb.at + index);
    behind(0).zip(behind(1)).any(|(word, next)| {
        *word == "SET" && *next == "UNUSED"
            || *word == "DROP" && !matches!(*next, "DEFAULT" | "EXPRESSION" | "IDENTITY" | "NOT")
    })
}

fn insert(verb: Verb<'_>, found: &mut Found) {
    let into = verb
        .skip(1, &["INTO", "TABLE", "FUNCTION", "OVERWRITE", "LOCAL", "IGNORE", "OR", "REPLACE"]);
    match verb.word(into) {
        "DIRECTORY" => {
            found.push((FILE, text_of(verb.token(into + 1)).unwrap_or_default().to_owned()));
        }
        "FILE" if verb.has("FUNCTION") => found.push((FILE, verb.text().to_owned())),
        function if verb.has("FUNCTION") && ELSEWHERE.binary_search(&function).is_ok() => {
            found.push(("query.export", String::new()));
        }
        // Every row takes another's place.
        table if replaces_itself(verb, table) => {
            found.push(("query.update.all", verb.name(into)));
        }
        _ if verb.word(1) == "OVERWRITE" && !verb.has("PARTITION") => {
            found.push(("query.delete.all", verb.name(into)));
        }
        _ => found.push(("query.change", verb.name(into))),
    }
}

/// `INSERT OR REPLACE INTO a SELECT … FROM a`, without anything that chooses rows.
fn replaces_itself(verb: Verb<'_>, table: &str) -> bool {
    let replaces = verb.word(0) == "REPLACE" || verb.word(1) == "OR" && verb.word(2) == "REPLACE";
    let rest = || verb.words.iter().skip(verb.at);
    replaces
        && !table.is_empty()
        && rest().zip(rest().skip(1)).any(|(word, next)| *word == "FROM" && *next == table)
        && !["WHERE", "LIMIT", "JOIN", "HAVING"].iter().any(|word| verb.has(word))
}

/// `EXECUTE`, `EXEC`, `PREPARE … FROM`, `DO`.
fn run(verb: Verb<'_>, depth: usize, made: &Made, found: &mut Found) {
    let Verb { statement, at, .. } = verb;
    let next = verb.word(1);
    match verb.word(0) {
        "EXECUTE"
            if matches!(next, "IMMEDIATE" | "FORMAT" | "(")
                || text_of(statement.get(at + 1)).is_some() =>
        {
            dynamic(statement, at, depth, made, found);
        }
        // What is prepared under a name is run by `EXECUTE name` too, but not inside of a block.
        "EXECUTE" if depth > 0 && !matches!(next, "FUNCTION" | "PROCEDURE" | "ON") => {
            found.push(("query.dynamic", String::new()));
        }
        "EXEC" if next == "(" => dynamic(statement, at, depth, made, found),
        // The procedure is named by a variable, which is no `EXEC @result = procedure`.
        "EXEC" | "EXECUTE" if next.starts_with('@') && verb.word(2) != "=" => {
            found.push(("query.dynamic", String::new()));
        }
        // `EXEC sys.sp_executesql`
        "EXEC" if verb.has(DYNAMIC) => dynamic(statement, at, depth, made, found),
        "EXEC" if depth == 0 && !only_tells(verb) => {
            found.push(("query.unfamiliar", String::new()));
        }
        "PREPARE" if verb.word(2) == "FROM" => dynamic(statement, at + 2, depth, made, found),
        "DO" => dynamic(statement, at, depth, made, found),
        _ => {}
    }
}

/// Whether `EXEC` names a procedure of the server that only tells something: `sp_help`, `sys.sp_who2`.
fn only_tells(verb: Verb<'_>) -> bool {
    const TELL: &[&str] = &[
        "SP_COLUMNS",
        "SP_DATABASES",
        "SP_DEPENDS",
        "SP_FKEYS",
        "SP_HELP",
        "SP_LOCK",
        "SP_PKEYS",
        "SP_SPACEUSED",
        "SP_STATISTICS",
        "SP_TABLES",
        "SP_WHO",
        "XP_FIXEDDRIVES",
        "XP_MSVER",
    ];
    let start = if verb.word(2) == "=" { 3 } else { 1 };
    let name = if verb.word(start + 1) == "." { start + 2 } else { start };
    TELL.iter().any(|tells| verb.word(name).starts_with(tells))
}

/// What a statement says that is about more than rows: files, other machines, the server.
fn outward(verb: Verb<'_>, made: &Made, found: &mut Found) {
    let Verb { statement, words, .. } = verb;
    let next = verb.word(1);
    let file = |found: &mut Found, name: &str| found.push((FILE, name.to_owned()));
    let rule = match verb.word(0) {
        "COPY" if next == "INTO" && made.leads_away(verb) => "query.export",
        "COPY" | "EXPORT" => return copy(statement, words, found),
        "UNLOAD" => "query.export",
        "PUT" => {
            let Some(path) = staged(statement) else { return };
            return file(found, &path);
        }
        "INSTALL" if words.contains(&"FROM") && is_address(verb.text()) => "query.program",
        "LOAD" if text_of(statement.get(1)).is_some() => "query.program",
        "ATTACH" => {
            let named = statement.iter().leading(4).find_map(|token| text_of(Some(token)));
            return file(found, named.unwrap_or_default());
        }
        "LOAD" => return file(found, behind(statement, words, &["INFILE"]).unwrap_or_default()),
        "BACKUP" | "BULK" if is_address(verb.text()) => "query.remote",
        "BACKUP" if is_backup(verb.text()) => "query.change",
        "BACKUP" | "BULK" => return file(found, verb.text()),
        "VACUUM" if verb.has("INTO") => {
            return file(found, behind(statement, words, &["INTO"]).unwrap_or_default());
        }
        "CHANGE" if matches!(next, "MASTER" | "REPLICATION") => "query.remote",
        "CLONE" if next == "INSTANCE" => "query.remote",
        "STOP" if matches!(next, "GROUP_REPLICATION" | "REPLICA" | "SLAVE") => "query.server",
        "SYSTEM" if matches!(next, "DROP" | "KILL" | "SHUTDOWN" | "STOP") => "query.server",
        "RECONFIGURE" | "RESTORE" | "UNINSTALL" => "query.server",
        "PURGE" if matches!(next, "DBA_RECYCLEBIN" | "RECYCLEBIN" | "TABLE" | "TABLESPACE") => {
            "query.drop.table"
        }
        "PURGE" | "RESET" if matches!(next, "BINARY" | "MASTER" | "REPLICA" | "SLAVE") => {
            "query.server"
        }
        "IMPORT" if next == "FOREIGN" => "query.remote",
        "GRANT" | "RENAME" | "REVOKE" => "query.change",
        "PRAGMA" if matches!(next, "WRITABLE_SCHEMA" | "TRUSTED_SCHEMA") => "query.server",
        "SET" if matches!(next, "GLOBAL" | "PERSIST") => "query.server",
        "FLUSHALL" | "FLUSHDB" => "query.truncate",
        "SHUTDOWN" | "KILL" => "query.server",
        _ => return,
    };
    found.push((rule, String::new()));
}

/// Whether a file is called as backups of SQL Server are, and so is nothing that another program would run or serve.
fn is_backup(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    matches!(&*ending, "bak" | "bck" | "bkp" | "backup" | "dif" | "diff" | "log" | "trn")
}

/// The file of Snowflake's `PUT file:///home/… @stage`; where no quotes stand around it, its words have lost their case.
fn staged(statement: &[Token]) -> Option<String> {
    let written = text_of(statement.get(1)).map(str::to_owned).unwrap_or_else(|| {
        let words = statement.iter().skip(1).map(|token| token.text.to_lowercase());
        words.take_while(|word| !word.starts_with('@')).collect()
    });
    let path = written.strip_prefix("file:")?;
    Some(format!("/{}", path.trim_start_matches('/')))
}

/// Whether a statement changes the tables in which the server keeps its accounts.
fn holds_accounts(words: &[&str], at: usize) -> bool {
    let named = || words.iter().enumerate().skip(at + 1);
    named().any(|(index, word)| match *word {
        "PG_AUTHID" | "PG_AUTH_MEMBERS" | "PG_SHADOW" | "PG_USER_MAPPING" => true,
        "MYSQL" => {
            words.get(index + 1) == Some(&".")
                && matches!(words.get(index + 2), Some(&"DB" | &"GLOBAL_PRIV" | &"USER"))
        }
        _ => false,
    })
}

/// Roles and rights that are as good as the server itself.
const MIGHTY: &[&str] = &[
    "ACCOUNTADMIN",
    "ADMIN",
    "CLOUDSQLSUPERUSER",
    "CONTROL",
    "DBA",
    "FILE",
    "IMPERSONATE",
    "ORGADMIN",
    "OWNERSHIP",
    "PG_EXECUTE_SERVER_PROGRAM",
    "PG_READ_SERVER_FILES",
    "PG_WRITE_SERVER_FILES",
    "POSTGRES",
    "RDS_SUPERUSER",
    "SECURITYADMIN",
    "SUPER",
    "SUPERUSER",
    "SYSADMIN",
    "SYSDBA",
    "SYSTEM_USER",
];

fn is_name(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Word | TokenKind::Name)
}

pub(super) fn text_of(token: Option<&Token>) -> Option<&str> {
    token.filter(|token| token.kind == TokenKind::Text).map(|token| &*token.text)
}

/// The string behind one of the words.
fn behind<'s>(statement: &'s [Token], words: &[&str], wanted: &[&str]) -> Option<&'s str> {
    words
        .iter()
        .enumerate()
        .filter(|(_, word)| wanted.contains(*word))
        .find_map(|(index, _)| text_of(statement.get(index + 1)))
}

/// `COPY … TO 'file'`, `COPY … FROM 'file'`, `COPY INTO 's3://…' FROM t`, `EXPORT DATA OPTIONS (uri = 's3://…')`; the streams of the
/// client and programs are not files.
fn copy(statement: &[Token], words: &[&str], found: &mut Found) {
    let texts = || statement.iter().filter_map(|token| text_of(Some(token)));
    let leaves = match words {
        ["EXPORT", ..] => texts().any(is_address),
        ["COPY", "INTO", ..] => text_of(statement.get(2)).is_some_and(is_address),
        _ => behind(statement, words, &["TO"]).is_some_and(is_address),
    };
    match behind(statement, words, &["TO", "FROM", "INTO", "DATABASE"]) {
        _ if leaves => found.push(("query.export", String::new())),
        Some(file) => found.push((FILE, file.to_owned())),
        None if words.contains(&"STDOUT") => {}
        None => found.push(("query.change", String::new())),
    }
}

/// Reads the strings behind a word that runs them; what is not a string cannot be read.
fn dynamic(statement: &[Token], at: usize, depth: usize, made: &Made, found: &mut Found) {
    let mut text = String::new();
    let mut any = false;
    let is_call = statement.iter().skip(at).any(|token| in_quotes(&token.text) == DYNAMIC);
    for token in statement.iter().skip(at + 1) {
        match (token.kind, &*token.text) {
            // What its parameters are, and their values.
            (TokenKind::Operator, ",") if is_call => break,
            (TokenKind::Word, name) if name.starts_with('@') && made.only(name).is_some() => {
                any = true;
                text.push_str(made.only(name).unwrap_or_default());
            }
            (TokenKind::Text, part) => {
                any = true;
                text.push_str(part);
            }
            (TokenKind::Operator, _)
            | (
                TokenKind::Word,
                "IMMEDIATE" | DYNAMIC | "FROM" | "LANGUAGE" | "PLPGSQL" | "CONCAT" | "N" | "SYS"
                | "MASTER" | "DBO",
            ) => {}
            (TokenKind::Name, name) if in_quotes(name) == DYNAMIC => {}
            // What is put in stands for a name.
            (TokenKind::Word, _) if any => text.push_str(" \"\" "),
            _ => {
                found.push(("query.dynamic", String::new()));
                return;
            }
        }
    }
    if any {
        read(&text, depth + 1, found);
    } else {
        found.push(("query.dynamic", String::new()));
    }
}

/// From how many rows on a limit is none.
const MANY: f64 = 10_000.0;

/// The share of the rows that is all of them.
const ALL: f64 = 100.0;

/// Whether a `WHERE` (or `LIMIT`) behind `at`, in the same parentheses, holds for some rows only.
fn limited(statement: &[Token], words: &[&str], at: usize) -> bool {
    let mut depth = 0_usize;
    for (index, word) in words.iter().enumerate().skip(at) {
        match *word {
            "(" => depth += 1,
            ")" if depth == 0 => return false,
            ")" => depth -= 1,
            "WHERE" if depth == 0 => {
                return !always(
                    statement.get(index + 1..).unwrap_or_default(),
                    statement.get(at..index).unwrap_or_default(),
                );
            }
            "LIMIT" | "TOP" if depth == 0 => {
                if words.get(index + 1) == Some(&"ALL") {
                    return false;
                }
                let mut rest = statement.iter().skip(index + 1).leading(2);
                let most = rest.find(|token| token.kind == TokenKind::Number);
                let most = most.and_then(|most| most.text.parse::<f64>().ok());
                let is_share =
                    words.iter().skip(index + 1).leading(4).any(|word| *word == "PERCENT");
                return most.is_none_or(|most| most < if is_share { ALL } else { MANY });
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn familiar_words_are_sorted() {
        assert!(super::FAMILIAR.is_sorted());
    }

    #[test]
    fn statements_are_judged_by_what_they_do() {
        let mut wrong = Vec::new();
        for (text, expected) in [
            ("DROP/*x*/ TABLE users", "query.drop.table"),
            ("/*!50000DROP*/ DATABASE x", "query.drop.table"),
            ("EXECUTE IMMEDIATE 'DR' || 'OP TABLE users'", "query.drop.table"),
            ("DO $$ BEGIN DELETE FROM a; END $$", "query.delete.all"),
            ("EXPLAIN ANALYZE DELETE FROM a", "query.delete.all"),
            ("DELETE FROM a WHERE id = id", "query.delete.all"),
            ("DELETE FROM a WHERE x = 1 OR 1=1", "query.delete.all"),
            ("BEGIN; TRUNCATE a; COMMIT", "query.truncate"),
            ("SELECT load_extension('x')", "query.program"),
            ("CREATE USER x IDENTIFIED BY 'x'", "query.grant"),
            ("DELETE o, c.* FROM orders o JOIN c ON c.id = o.c", "query.delete.all"),
            ("DELETE orders", "query.delete.all"),
            ("DELETE o FROM orders o JOIN c ON c.id = o.c WHERE c.id = 7", "query.change"),
            ("DELETE TOP (10) FROM orders", "query.change"),
            ("DELETE FROM orders LIMIT 1000000", "query.delete.all"),
            ("DELETE FROM orders LIMIT 18446744073709551616", "query.delete.all"),
            ("DELETE FROM orders LIMIT ALL", "query.delete.all"),
            ("DELETE TOP (100) PERCENT FROM orders", "query.delete.all"),
            ("SELECT SLEEP(5 * 1000)", "query.sleep"),
            ("SELECT pg_sleep(9) FROM generate_series(1, 100000)", "query.sleep"),
            ("MERGE INTO a USING b ON (1=1) WHEN MATCHED THEN DELETE", "query.delete.all"),
            ("MERGE INTO a USING b ON a.id = b.id WHEN MATCHED THEN DELETE", "query.change"),
            ("UPDATE mysql.user SET Host = '%' WHERE User = 'root'", "query.grant"),
            ("INSERT INTO pg_shadow VALUES ('x')", "query.grant"),
            (r"BACKUP DATABASE a TO DISK = '\\files.example.net\s\a.bak'", "query.remote"),
            ("RESTORE DATABASE a FROM DISK = 'a.bak' WITH REPLACE", "query.server"),
            ("DROP TEMPORARY TABLE a", "query.drop.part"),
            ("FROBNICATE TABLE users", "query.unfamiliar"),
            ("[dbo].[purge_users] 5", "query.unfamiliar"),
            ("[master]..[xp_cmdshell] 'whoami'", "query.program"),
            ("EXEC [master].[dbo].[xp_cmdshell] 'whoami'", "query.program"),
            ("SELECT \"pg_read_file\"('/etc/passwd')", "query.file"),
            ("SELECT `sys_exec`('id')", "query.program"),
            ("[sp_executesql] N'DROP TABLE users'", "query.drop.table"),
            ("EXEC [sys].[sp_executesql] @text", "query.dynamic"),
            ("DECLARE @p sysname = 'xp_cmdshell'; EXEC @p 'dir'", "query.dynamic"),
            ("EXEC @result = dbo.count_users", "query.unfamiliar"),
            ("EXEC @result = sys.sp_who", ""),
            ("SELECT name FROM t WHERE called = \"load_file\"", ""),
            ("SELECT U&\"pg_read\\005ffile\"('/etc/passwd')", "query.dynamic"),
            ("CREATE EXTENSION IF NOT EXISTS \"plpython3u\"", "query.program"),
            ("CREATE FUNCTION f() RETURNS int AS 'x' LANGUAGE 'plpythonu'", "query.program"),
            ("DELETE FROM a WHERE id IN (SELECT id FROM a)", "query.delete.all"),
            ("DELETE FROM a WHERE id IN (SELECT id FROM b)", "query.change"),
            ("DELETE FROM a WHERE id IN (SELECT id FROM a WHERE x = 1)", "query.change"),
            ("DELETE FROM a WHERE COALESCE(b, false) IN (true, false)", "query.delete.all"),
            ("DELETE FROM a WHERE b IS NULL OR b IS NOT NULL", "query.delete.all"),
            ("DELETE FROM a WHERE (1 = 1) AND TRUE", "query.delete.all"),
            ("DELETE FROM a WHERE 2 > 1", "query.delete.all"),
            ("DELETE FROM a WHERE id > 0", "query.delete.all"),
            ("DELETE FROM a WHERE name LIKE '%'", "query.delete.all"),
            ("DELETE FROM a WHERE name LIKE 'x%' AND 1 = 1", "query.change"),
            ("UPDATE a SET b = 1 WHERE id IS NOT NULL", "query.update.all"),
            ("UPDATE a SET b = 1 WHERE parent_id IS NOT NULL", "query.change"),
            ("ALTER SERVER ROLE sysadmin ADD MEMBER [web]", "query.grant"),
            ("DO $$ BEGIN EXECUTE r.cmd; END $$", "query.dynamic"),
            ("DO $$ BEGIN EXECUTE 'DROP TABLE ' || t; END $$", "query.drop.table"),
            (
                "CREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW EXECUTE FUNCTION f()",
                "query.change",
            ),
            (
                "MERGE INTO a USING b ON a.id = b.id WHEN NOT MATCHED BY SOURCE THEN DELETE",
                "query.delete.all",
            ),
            (
                "MERGE INTO a USING b ON a.id = b.id WHEN NOT MATCHED BY SOURCE AND a.x < 3 THEN DELETE",
                "query.change",
            ),
            ("COPY INTO 's3://x/y' FROM t", "query.export"),
            ("COPY INTO t FROM 's3://x/y'", "query.file at a path"),
            ("COPY t TO 's3://x/y.parquet'", "query.export"),
            ("EXPORT DATA OPTIONS (uri = 'gs://x/*') AS SELECT 1", "query.export"),
            ("UNLOAD ('SELECT 1') TO 's3://x'", "query.export"),
            ("INSERT INTO FUNCTION url('https://x') SELECT 1", "query.export"),
            ("INSERT INTO FUNCTION file('/etc/cron.d/x') SELECT 1", "query.file at a path"),
            ("INSERT OVERWRITE TABLE a SELECT 1", "query.delete.all"),
            ("INSERT OVERWRITE TABLE a PARTITION (d = 1) SELECT 1", "query.change"),
            ("EXEC('master..xp_dirtree ''\\\\' + @h + '\\x''')", "query.file"),
            ("EXEC('DROP ' + @what)", "query.dynamic"),
            ("EXEC sp_MSforeachtable 'DELETE FROM ?'", "query.delete.all"),
            ("EXEC sp_MSforeachtable @command1 = 'DROP TABLE ?'", "query.drop.table"),
            ("SELECT cron.schedule('x', '* * * * *', $$DELETE FROM a$$)", "query.delete.all"),
            ("SELECT cron.schedule('x', '* * * * *', 'SELECT 1')", "query.schedule"),
            ("SELECT * FROM cron.job", ""),
            ("SELECT net.http_post(url := 'https://x')", "query.remote"),
            ("CREATE TABLE public.http_get (a int)", "query.change"),
            ("CREATE FUNCTION f() RETURNS int AS 'x.so', 'f' LANGUAGE C", "query.program"),
            ("CREATE OR REPLACE SCHEMA a", "query.drop.table"),
            ("CREATE OR REPLACE VIEW a AS SELECT 1", "query.change"),
            ("ALTER TABLE a DELETE WHERE 1", "query.delete.all"),
            ("ALTER TABLE a ON CLUSTER c UPDATE b = 1 WHERE 1", "query.update.all"),
            ("ALTER TABLE a DELETE WHERE id = 7", "query.change"),
            ("ALTER TABLE a ALTER COLUMN b DROP NOT NULL", "query.change"),
            ("ALTER DATABASE a SET OFFLINE", "query.server"),
            ("CREATE TEMP TABLE a (b int); DROP TABLE a", "query.drop.part"),
            ("CREATE TEMP TABLE a (b int); DROP TABLE a, users", "query.drop.table"),
            ("CREATE TEMP TABLE a (b int); DROP TABLE public.a", "query.drop.table"),
            ("DROP TABLE #a", "query.drop.part"),
            ("TRUNCATE TABLE #a", "query.change"),
            ("TRUNCATE TABLE # a\nusers", "query.truncate"),
            ("DROP TABLE # a\nusers", "query.drop.table"),
            ("ALTER SERVER AUDIT [a] WITH (STATE = OFF)", "query.audit.off"),
            ("DROP DATABASE AUDIT SPECIFICATION a", "query.audit.off"),
            ("GRANT x ON SCHEMA a TO \"allUsers\"", "query.grant"),
            ("GRANT SELECT ON a TO ROLE PUBLIC", "query.grant"),
            ("CREATE STAGE s URL = 's3://x/'; COPY INTO @s/y FROM t", "query.export"),
            (
                "CREATE TRIGGER t AFTER UPDATE ON u FOR EACH ROW INSERT INTO s VALUES (NEW.password)",
                "query.credentials",
            ),
            ("BACKUP DATABASE a TO DISK = 'C:\\inetpub\\wwwroot\\a.aspx'", "query.file at a path"),
            ("BACKUP DATABASE a TO DISK = 'D:\\b\\a.bak'", "query.change"),
            (
                "CREATE TABLE n (a int, b int); INSERT INTO n SELECT a, b FROM t WHERE a > 7; DROP TABLE t; ALTER TABLE n RENAME TO t",
                "query.drop.table",
            ),
            ("SELECT 1 DROP TABLE users", "query.drop.table"),
            ("SELECT 1\nGO\nDROP TABLE users", "query.drop.table"),
            ("DELIMITER //\nDROP TABLE users//\nDELIMITER ;", "query.drop.table"),
            ("SELECT 5 # 3; DROP TABLE users", "query.drop.table"),
            ("SELECT 5--1; DROP TABLE users", "query.drop.table"),
            ("CREATE TABLE a (b int REFERENCES c (id) ON DELETE CASCADE)", "query.change"),
            ("DELETE FROM a WHERE created_at < now()", "query.delete.all"),
            ("DELETE FROM a WHERE created_at < now() - interval '1 year'", "query.change"),
            ("DELETE FROM a WHERE expires_at < now()", "query.change"),
            ("DROP TYPE a CASCADE", "query.alter.drop"),
            ("ALTER TABLE a SET UNUSED (b)", "query.alter.drop"),
            ("PUT file:///home/dev/a.csv @b", "query.file at a path"),
            ("MATCH (a:B) DELETE a", "query.delete.all"),
            ("MATCH (a:B {id: 7}) DELETE a", ""),
            ("COPY (SELECT 1) TO STDOUT WITH (FORMAT csv)", ""),
            ("EXPLAIN DELETE FROM a", ""),
            ("SELECT 'DELETE FROM a'; -- DROP TABLE a", ""),
            ("VACUUM ANALYZE users", ""),
            ("SELECT \"drop\" FROM a WHERE b LIKE '%;DROP TABLE a'", ""),
        ] {
            let mut found = Vec::new();
            read(text, 0, &mut found);
            let right = if expected.is_empty() {
                found.is_empty()
            } else {
                found.iter().any(|(id, _)| *id == expected)
            };
            if !right {
                wrong.push(format!("{text}: {found:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
