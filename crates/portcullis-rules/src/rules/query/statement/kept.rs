//! Statements about what keeps rows safe: policies, keys, triggers, partitions, how long things are kept. Owns by which words they are told.

use portcullis_syntax::sql::Token;

use super::{
    super::reach::{ELSEWHERE, is_first},
    verb::{Verb, text_of},
};
use crate::bound::Bounded;

/// How many words say what kind of thing is dropped.
const KIND: usize = 3;

/// Kinds of keys and credentials of a server.
const KEYS: &[&str] = &["CERTIFICATE", "CREDENTIAL", "KEY"];

/// The rule of `DROP …` for what is neither table nor plain part of one; `remade` are the names that the same text makes anew.
pub(super) fn dropped(
    verb: Verb<'_>,
    kind: usize,
    remade: &[(String, Option<String>)],
) -> Option<&'static str> {
    let words: Vec<&str> = (kind..kind + KIND).map(|at| verb.word(at)).collect();
    let at = |wanted: &str| words.iter().position(|word| *word == wanted);
    let name_behind = |at: usize| verb.skip(kind + at + 1, &["IF", "EXISTS"]);
    let table = table_behind(verb.statement.get(verb.at..).unwrap_or_default());
    let is_remade = |at: usize| {
        let name = verb.name(name_behind(at));
        remade
            .iter()
            .any(|(made, of)| made.eq_ignore_ascii_case(&name) && (table.is_none() || table.eq(of)))
    };
    let first = words.first().copied().unwrap_or("");
    if matches!(first, "COLUMN" | "FUNCTION" | "INDEX" | "PROCEDURE" | "SEQUENCE" | "VIEW")
        && at("KEY").is_none()
    {
        return None;
    }
    if first == "ALL" && verb.has("POLICIES") {
        return Some("query.guard.off");
    }
    if let Some(at) = at("POLICY") {
        return (!is_remade(at)).then_some("query.guard.off");
    }
    if let Some(at) = at("TRIGGER") {
        let is_guard = first == "EVENT";
        let is_audit = verb.name(name_behind(at)).to_ascii_lowercase().contains("audit");
        return match (is_remade(at), is_guard, is_audit) {
            (true, ..) => None,
            (_, _, true) => Some("query.audit.off"),
            (_, true, _) => Some("query.guard.off"),
            _ => None,
        };
    }
    match first {
        _ if KEYS.iter().any(|key| at(key).is_some()) => Some("query.guard.off"),
        "BACKUP" | "CATALOG" | "SNAPSHOT" => Some("query.drop.table"),
        "STAGE" => Some("query.stage.removed"),
        "AVAILABILITY" | "CONNECTION" | "ENDPOINT" | "INTEGRATION" | "PUBLICATION" | "RESOURCE"
        | "SHARE" | "SUBSCRIPTION" | "WAREHOUSE" => Some("query.server"),
        "SERVER" if verb.has("CASCADE") => Some("query.alter.drop"),
        _ => None,
    }
}

/// The table behind `ON`.
fn table_behind(statement: &[Token]) -> Option<String> {
    let on = statement.iter().position(|token| token.text.eq_ignore_ascii_case("ON"))?;
    let rest = statement.get(on + 1..)?;
    let whole = rest.iter().enumerate().take_while(|(at, token)| {
        let is_dot = &*token.text == ".";
        (at % 2 == 1) == is_dot
    });
    Some(whole.map(|(_, token)| token.text.to_ascii_lowercase()).collect())
}

/// The names of policies and triggers that the statements of a text make, each with its table.
pub(super) fn made_anew(statements: &[&[Token]]) -> Vec<(String, Option<String>)> {
    let made = statements.iter().filter_map(|statement| {
        let is = |token: &Token, word: &str| token.text.eq_ignore_ascii_case(word);
        if !statement.first().is_some_and(|first| is(first, "CREATE")) {
            return None;
        }
        let kind = statement
            .iter()
            .leading(6)
            .position(|token| is(token, "POLICY") || is(token, "TRIGGER"))?;
        let rest = statement.get(kind + 1..)?;
        rest.iter()
            .find(|token| !["IF", "NOT", "EXISTS"].iter().any(|word| is(token, word)))
            .map(|token| (token.text.to_string(), table_behind(statement)))
    });
    made.collect()
}

/// Runs of words by which a part of a table leaves it.
const MOVES: &[&[&str]] = &[
    &["APPEND", "FROM"],
    &["CLEAR", "COLUMN"],
    &["DETACH", "PARTITION"],
    &["DETACH", "PART"],
    &["EXCHANGE", "PARTITION"],
    &["EXCHANGE", "SUBPARTITION"],
    &["REPLACE", "PARTITION"],
    &["SWAP", "WITH"],
    &["SWITCH", "PARTITION"],
    &["SWITCH", "TO"],
];

/// Runs of words by which a guard is taken off a table, a policy or a server.
const OPENS: &[&[&str]] = &[
    &["DROP", "ALL", "ROW", "ACCESS"],
    &["DROP", "MASKED"],
    &["DROP", "ROW", "ACCESS"],
    &["ENCRYPTION", "OFF"],
    &["NO", "FORCE", "ROW"],
    &["ROW", "LEVEL", "SECURITY", "OFF"],
    &["ROW_SECURITY", "=", "OFF"],
    &["ROW_SECURITY", "TO", "OFF"],
    &["UNSET", "MASKING"],
];

/// The rule of `ALTER …` where what keeps rows safe is changed.
pub(super) fn altered(verb: Verb<'_>) -> Option<&'static str> {
    let kind = verb.word(1);
    Some(match kind {
        "TABLE" if MOVES.iter().any(|run| verb.has_run(run)) => "query.part.moved",
        _ if OPENS.iter().any(|run| verb.has_run(run)) => "query.guard.off",
        "SECURITY" if verb.has("POLICY") && verb.has("OFF") => "query.guard.off",
        "POLICY" if lets_all(verb) => "query.guard.off",
        "NETWORK" if verb.has("POLICY") && is_open_to_all(verb) => "query.guard.off",
        "DATABASE" if verb.has_run(&["RECOVERY", "SIMPLE"]) => "query.server",
        "DEFAULT" if verb.has("GRANT") && (verb.has("ALL") || verb.has("PUBLIC")) => "query.grant",
        "SUBSCRIPTION" if verb.has("CONNECTION") => "query.remote",
        "SEQUENCE" if starts_over(verb) => "query.sequence.back",
        _ if expires(verb) => "query.expire",
        _ => return None,
    })
}

/// The rule of `CREATE …` where what keeps rows safe is opened, or what is made reaches elsewhere.
pub(super) fn created(verb: Verb<'_>, kind: usize) -> Option<&'static str> {
    let chooses_reads = || verb.has_run(&["FOR", "SELECT"]);
    Some(match verb.word(kind) {
        "POLICY" if lets_all(verb) && !chooses_reads() && !is_for_one(verb) => "query.guard.off",
        "RULE" if verb.has_run(&["DO", "INSTEAD", "NOTHING"]) => {
            let name = verb.statement.iter().skip(verb.at);
            let of_audit =
                name.clone().any(|token| token.text.to_ascii_lowercase().contains("audit"));
            if of_audit { "query.audit.off" } else { "query.guard.off" }
        }
        // What comes before a row of an audit may keep it out.
        "TRIGGER" if (verb.has("BEFORE") || verb.has("INSTEAD")) && is_on_audit(verb) => {
            "query.audit.off"
        }
        "TRIGGER" if verb.has("RAISE") && verb.has("IGNORE") && names_audit(verb) => {
            "query.audit.off"
        }
        "NETWORK" if verb.has("POLICY") && is_open_to_all(verb) => "query.guard.off",
        "DICTIONARY" if verb.has_run(&["SOURCE", "(", "HTTP"]) => "query.remote",
        "API" | "EXTERNAL" | "NOTIFICATION" | "SECURITY"
            if verb.has("INTEGRATION") || verb.has("FUNCTION") =>
        {
            "query.remote"
        }
        "FUNCTION" if verb.has_run(&["REMOTE", "WITH", "CONNECTION"]) => "query.remote",
        // What is written in it reaches the hosts that this says.
        _ if verb.has("EXTERNAL_ACCESS_INTEGRATIONS") => "query.remote",
        "TABLE" if verb.has("SELECT") && engine(verb).is_some() => "query.export",
        _ => return None,
    })
}

fn is_on_audit(verb: Verb<'_>) -> bool {
    let table = table_behind(verb.statement.get(verb.at..).unwrap_or_default());
    table.is_some_and(|table| {
        table
            .split(|letter: char| !letter.is_ascii_alphanumeric())
            .any(|word| word.starts_with("audit"))
    })
}

fn names_audit(verb: Verb<'_>) -> bool {
    let mut rest = verb.statement.iter().skip(verb.at);
    rest.any(|token| token.text.to_ascii_lowercase().contains("audit"))
}

/// `ENGINE = URL(…)` of ClickHouse: what is written to the table goes there.
fn engine(verb: Verb<'_>) -> Option<&str> {
    let rest = verb.words.get(verb.at..)?;
    let at = rest.array_windows().position(|[word, equals]| *word == "ENGINE" && *equals == "=")?;
    rest.get(at + 2).copied().filter(|engine| ELSEWHERE.binary_search(engine).is_ok())
}

/// `USING (true)`, `WITH CHECK (true)`
fn lets_all(verb: Verb<'_>) -> bool {
    verb.has_run(&["USING", "(", "TRUE", ")"]) || verb.has_run(&["CHECK", "(", "TRUE", ")"])
}

/// `TO service_role`: whom a policy is for, where that is not everybody.
fn is_for_one(verb: Verb<'_>) -> bool {
    let rest = verb.words.get(verb.at..).unwrap_or_default();
    let named = rest.array_windows().find(|[word, _]| *word == "TO").map(|[_, whom]| *whom);
    named.is_some_and(|whom| !matches!(whom, "ANON" | "AUTHENTICATED" | "PUBLIC"))
}

fn is_open_to_all(verb: Verb<'_>) -> bool {
    let mut rest = verb.statement.iter().skip(verb.at);
    rest.any(|token| text_of(Some(token)).is_some_and(|text| text.starts_with("0.0.0.0/0")))
}

/// `RESTART`, `RESTART WITH 1`
fn starts_over(verb: Verb<'_>) -> bool {
    let rest = verb.words.get(verb.at..).unwrap_or_default();
    let Some(at) = rest.iter().position(|word| *word == "RESTART") else { return false };
    let number = if rest.get(at + 1) == Some(&"WITH") { at + 2 } else { at + 1 };
    match verb.statement.get(verb.at + number) {
        None => true,
        number => is_first(number),
    }
}

/// Settings that say from when on rows, or what is kept of them, are deleted.
const AGES: &[&str] = &[
    "DEFAULT_PARTITION_EXPIRATION_DAYS",
    "DEFAULT_TABLE_EXPIRATION_DAYS",
    "EXPIRATION_TIMESTAMP",
    "MAX_TIME_TRAVEL_HOURS",
    "PARTITION_EXPIRATION_DAYS",
];

/// `MODIFY TTL …`, `SET OPTIONS (partition_expiration_days = 1)`; what only moves rows to another disk loses none.
fn expires(verb: Verb<'_>) -> bool {
    let rest = verb.words.get(verb.at..).unwrap_or_default();
    let is_set = rest
        .array_windows()
        .any(|[name, equals, value]| AGES.contains(name) && *equals == "=" && *value != "NULL");
    let moves = ["TO", "RECOMPRESS", "GROUP"].iter().any(|word| verb.has(word));
    is_set || verb.has_run(&["MODIFY", "TTL"]) && !moves
}

/// From how many hours on deleted files may go: until then Delta's own check lets nobody.
const WEEK: f64 = 168.0;

/// `VACUUM t RETAIN 0 HOURS`
pub(super) fn vacuums(verb: Verb<'_>) -> bool {
    let rest = verb.words.get(verb.at..).unwrap_or_default();
    let Some(at) = rest.iter().position(|word| *word == "RETAIN") else { return false };
    let hours = verb.statement.get(verb.at + at + 1);
    hours.and_then(|hours| hours.text.parse::<f64>().ok()).is_some_and(|hours| hours < WEEK)
}

/// `DBCC CHECKIDENT ('t', RESEED, 0)`, `DBCC CHECKDB ('a', REPAIR_ALLOW_DATA_LOSS)`
pub(super) fn checks(verb: Verb<'_>) -> Option<&'static str> {
    let rest = verb.words.get(verb.at..).unwrap_or_default();
    let reseeds = || {
        let at = rest.iter().position(|word| *word == "RESEED")?;
        Some(is_first(verb.statement.get(verb.at + at + 2)))
    };
    match verb.word(1) {
        "CHECKIDENT" if reseeds() == Some(true) => Some("query.sequence.back"),
        "CHECKDB" | "CHECKTABLE" | "CHECKALLOC" if verb.has("REPAIR_ALLOW_DATA_LOSS") => {
            Some("query.delete.all")
        }
        "CHECKALLOC" | "CHECKDB" | "CHECKIDENT" | "CHECKTABLE" | "OPENTRAN" | "SHOW_STATISTICS"
        | "SQLPERF" | "USEROPTIONS" => None,
        _ => Some("query.unfamiliar"),
    }
}
