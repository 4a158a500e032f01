//! Statements about more than rows: files, other machines, the server. Owns where their places stand.

use portcullis_syntax::sql::Token;

use super::{
    super::{
        FILE,
        reach::{file_or_pipe, is_address, joined},
    },
    Found, kept,
    made::Made,
    verb::{Verb, behind, text_of},
};
use crate::{address, bound::Bounded};

/// What a statement says that is about more than rows: files, other machines, the server.
pub(super) fn outward(verb: Verb<'_>, made: &Made, found: &mut Found) {
    let Verb { statement, words, .. } = verb;
    let next = verb.word(1);
    let file = |found: &mut Found, name: &str| found.push((FILE, name.to_owned()));
    let rule = match verb.word(0) {
        "COPY" if next == "INTO" && made.leads_away(verb) => "query.export",
        // Files of a warehouse's own storage are loaded.
        "COPY"
            if next == "INTO"
                && behind(statement, words, &["FROM"])
                    .is_some_and(|from| from.starts_with("/Volumes/")) =>
        {
            "query.change"
        }
        "COPY" | "EXPORT" => return copy(statement, words, found),
        "UNLOAD" => "query.export",
        "PUT" => {
            let Some(path) = staged(statement) else { return };
            return file(found, &path);
        }
        "REMOVE" | "RM" if next.starts_with('@') => "query.stage.removed",
        // What took the place of the rows that were there is lost.
        "FLASHBACK" if !verb.has("DROP") => "query.expire",
        "OPTIMIZE" if verb.has("DEDUPLICATE") => "query.delete.all",
        "EXCHANGE" if matches!(next, "DICTIONARIES" | "TABLES") => "query.part.moved",
        "RENAME" if swaps(verb) => "query.part.moved",
        "DETACH" if verb.has("POLICY") => "query.guard.off",
        "DETACH" if verb.has("PERMANENTLY") => "query.drop.table",
        "DISABLE" if verb.has("TRIGGER") => "query.server",
        "DBCC" => match kept::checks(verb) {
            Some(rule) => rule,
            None => return,
        },
        "VACUUM" if kept::vacuums(verb) => "query.expire",
        "LOAD" if next == "DATA" && verb.has("OVERWRITE") => "query.delete.all",
        // A program's output as a table.
        "INSTALL" | "LOAD" if next == "SHELLFS" => "query.program",
        "INSTALL" if words.contains(&"FROM") && is_address(verb.text()) => "query.program",
        "LOAD" if text_of(statement.get(1)).is_some() => "query.program",
        "ATTACH" => {
            return match attached(statement) {
                Some(path) => file(found, &path),
                // Which one it is, is computed: it may be any.
                None => found.push(("query.file", String::new())),
            };
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
        "SYSTEM"
            if next == "DROP"
                && verb.word(2) != "REPLICA"
                && (2..5).any(|at| verb.word(at) == "CACHE") =>
        {
            return;
        }
        "SYSTEM" if matches!(next, "DROP" | "KILL" | "SHUTDOWN" | "STOP") => "query.server",
        "SYSTEM" => "query.change",
        // What stands in a backup is only looked at.
        "RESTORE" if matches!(next, "FILELISTONLY" | "HEADERONLY" | "LABELONLY" | "VERIFYONLY") => {
            if !is_address(verb.text()) && !verb.has("URL") {
                return;
            }
            "query.remote"
        }
        "RECONFIGURE" | "RESTORE" | "UNINSTALL" => "query.server",
        "PURGE" if matches!(next, "DBA_RECYCLEBIN" | "RECYCLEBIN" | "TABLE" | "TABLESPACE") => {
            "query.drop.table"
        }
        "PURGE" | "RESET" if matches!(next, "BINARY" | "MASTER" | "REPLICA" | "SLAVE") => {
            "query.server"
        }
        "IMPORT" if next == "FOREIGN" => "query.remote",
        "DENY" | "GRANT" | "RENAME" | "REVOKE" => "query.change",
        "PRAGMA" if matches!(next, "WRITABLE_SCHEMA" | "TRUSTED_SCHEMA") => "query.server",
        "SET" if matches!(next, "CLUSTER" | "GLOBAL" | "PERSIST") => "query.server",
        "FLUSHALL" | "FLUSHDB" => "query.truncate",
        "SHUTDOWN" | "KILL" => "query.server",
        _ => return,
    };
    found.push((rule, String::new()));
}

/// The file of `ATTACH 'file'`, whole in one text, and nothing where a parameter or a name stands for it; `None` where it is put together or
/// computed.
fn attached(statement: &[Token]) -> Option<String> {
    let is_word = |token: &&Token| {
        matches!(&*token.text, "ATTACH" | "DATABASE" | "EXISTS" | "IF" | "NOT" | "OR" | "REPLACE")
    };
    let at = statement.iter().take_while(is_word).count();
    let next = statement.get(at + 1).map_or("", |next| &*next.text);
    match text_of(statement.get(at)) {
        Some(_) if matches!(next, "|" | "-" | "+") => None,
        Some(named) => {
            Some(named.strip_prefix("file:").map_or_else(|| named.to_owned(), address::sqlite_path))
        }
        // A parameter, or a name that stands for it; anything else is computed.
        None if next == "AS"
            && statement.get(at).is_some_and(|token| {
                token.kind == portcullis_syntax::sql::TokenKind::Word
                    && !matches!(&*token.text, "CASE" | "NULL")
                    || token.text.starts_with(['?', ':', '@', '$'])
            }) =>
        {
            Some(String::new())
        }
        None => None,
    }
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

/// `COPY … TO 'file'`, `COPY … FROM 'file'`, `COPY INTO 's3://…' FROM t`, `EXPORT DATA OPTIONS (uri = 's3://…')`; the streams of the
/// client and programs are not files.
fn copy(statement: &[Token], words: &[&str], found: &mut Found) {
    let texts = || statement.iter().filter_map(|token| text_of(Some(token)));
    let leaves = match words {
        ["EXPORT", ..] => texts().any(is_address),
        ["COPY", "INTO", ..] => text_of(statement.get(2)).is_some_and(is_address),
        _ => behind(statement, words, &["TO"]).is_some_and(is_address),
    };
    let put_together = words
        .iter()
        .enumerate()
        .filter(|(_, word)| **word == "TO")
        .find_map(|(index, _)| put_together(statement, index + 1));
    match behind(statement, words, &["TO", "FROM", "INTO", "DATABASE"]) {
        _ if let Some(file) = put_together => match file {
            Some(file) => found.push((file_or_pipe(&file), file)),
            // Which one it is, is computed: it may be any.
            None => found.push(("query.file", String::new())),
        },
        _ if leaves => found.push(("query.export", String::new())),
        Some(file) => found.push((file_or_pipe(file), file.to_owned())),
        None if words.contains(&"STDOUT") => {}
        None => found.push(("query.change", String::new())),
    }
}

/// The name of a file that is an expression (`TO ('a' || 'b')`, DuckDB), where one stands there: nothing within where it is not made of texts alone.
#[expect(clippy::option_option, reason = "no expression, one that is not known, and one that is")]
fn put_together(statement: &[Token], at: usize) -> Option<Option<String>> {
    let is = |at: usize, text: &str| statement.get(at).is_some_and(|token| &*token.text == text);
    let is_within = is(at, "(");
    let at = at + usize::from(is_within);
    let word = statement.get(at).map_or("", |token| &*token.text);
    if is_within && matches!(word, "FROM" | "SELECT" | "TABLE" | "VALUES" | "WITH") {
        return None;
    }
    let is_called = is(at + 1, "(") && statement.iter().skip(at).any(|token| &*token.text == "|");
    match joined(statement, at) {
        Some((file, 1)) if !is(at + 1, "|") => is_within.then_some(Some(file)),
        Some((file, length)) => Some((!is(at + length, "|")).then_some(file)),
        None => (is_within || is_called).then_some(None),
    }
}

/// `RENAME TABLE a TO b, c TO a`: another table takes the place of one that is still asked for.
fn swaps(verb: Verb<'_>) -> bool {
    let names = |side: usize| {
        let rest = verb.statement.get(verb.at + 2..).unwrap_or_default();
        rest.split(|token| &*token.text == ",").filter_map(move |pair| {
            let to = pair.iter().position(|token| token.text.eq_ignore_ascii_case("TO"))?;
            let name = if side == 0 { pair.get(..to)?.last() } else { pair.last() };
            name.map(|name| name.text.to_ascii_lowercase())
        })
    };
    let gone: Vec<String> = names(0).collect();
    names(1).enumerate().any(|(at, name)| gone.iter().leading(at).any(|gone| *gone == name))
}
