//! One statement for a database. Owns how strictly it is read: what two databases would read differently is refused, and so is
//! every word in the place of a statement, a function or a table that is not known to be harmless or named by the tool's author.

use std::collections::BTreeSet;

use portcullis_syntax::sql::{self, Token, TokenKind};
use serde::Deserialize;

use super::Refused;
use crate::rules::always_holds;

const KIND: &str = "sql";

/// The longest statement.
const LONGEST: usize = 64 << 10;

/// What a statement may be.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct SqlRules {
    /// Which database reads it.
    pub dialect: Dialect,
    /// What it may do: `select`, `insert`, `update`, `delete`, `merge`, `explain`.
    pub kinds: Vec<String>,
    /// The only tables, as they are written (`orders`, `shop.orders`); any of the user's own where none is named.
    pub tables: Vec<String>,
    /// The only columns; any where none is named.
    pub columns: Vec<String>,
    /// Functions beside the ordinary ones.
    pub functions: Vec<String>,
    /// Whether selections may be joined by `UNION`, `INTERSECT` and `EXCEPT`.
    pub unions: bool,
    /// A `LIMIT` that a selection must have, and its most rows.
    pub limit: Option<u64>,
}

impl Default for SqlRules {
    fn default() -> Self {
        Self {
            dialect: Dialect::Any,
            kinds: vec!["select".to_owned()],
            tables: Vec::new(),
            columns: Vec::new(),
            functions: Vec::new(),
            unions: false,
            limit: None,
        }
    }
}

/// Which database reads a statement.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Dialect {
    /// Any: what one of them reads otherwise is refused.
    #[default]
    Any,
    /// PostgreSQL.
    Postgres,
    /// MySQL and MariaDB.
    Mysql,
    /// SQLite.
    Sqlite,
}

impl SqlRules {
    pub(super) fn check(&self, statement: &str) -> Result<(), Refused> {
        self.read(statement).map_err(|message| Refused::new(KIND, message))
    }

    fn read(&self, text: &str) -> Result<(), String> {
        if text.len() > LONGEST {
            return Err("the statement is too long".to_owned());
        }
        unambiguous(text, self.dialect)?;
        let tokens = sql::tokens(text);
        let mut statement = tokens.as_slice();
        while let [rest @ .., last] = statement
            && is_sign(last, ";")
        {
            statement = rest;
        }
        if statement.is_empty() {
            return Err("there is no statement".to_owned());
        }
        if statement.iter().any(|token| is_sign(token, ";")) {
            return Err("there is more than one statement".to_owned());
        }
        let reading = Reading::of(statement);
        self.kinds(&reading)?;
        self.words(&reading)?;
        self.functions(&reading)?;
        self.tables(&reading)?;
        self.columns(&reading)?;
        conditions(&reading)?;
        self.limit(&reading)
    }

    /// What stands where a statement begins.
    fn kinds(&self, reading: &Reading<'_>) -> Result<(), String> {
        for at in 0..reading.tokens.len() {
            let word = reading.word(at);
            let first = at == 0;
            let kind = match word {
                "SELECT" | "VALUES" => "select",
                "TABLE" if reading.begins(at) => "select",
                "WITH" | "(" if first => continue,
                "EXPLAIN" if first => "explain",
                "INSERT" if reading.begins(at) => "insert",
                "UPDATE" if reading.begins(at) => "update",
                "DELETE" if reading.begins(at) => "delete",
                "MERGE" if reading.begins(at) => "merge",
                // `REPLACE(a, b, c)` is a function.
                "REPLACE" if reading.begins(at) && reading.word(at + 1) != "(" => "replace",
                // `ON CONFLICT … DO UPDATE` belongs to its `INSERT`.
                "DO" if reading.has("CONFLICT") => continue,
                _ if first => "other",
                word if reading.begins(at)
                    && STATEMENTS.contains(&word)
                    && reading.word(at + 1) != "(" =>
                {
                    "other"
                }
                _ => continue,
            };
            let is_of_insert = word == "VALUES" && reading.has("INSERT");
            let is_allowed = self.kinds.iter().any(|allowed| allowed == kind);
            // What is explained is checked as if it ran; `ANALYZE` does run it.
            if !is_allowed && kind != "explain" && !is_of_insert {
                return Err(match kind {
                    "other" => "it is not a statement that this tool takes".to_owned(),
                    kind => format!("this tool does not take `{}`", kind.to_ascii_uppercase()),
                });
            }
        }
        Ok(())
    }

    /// Words that make a harmless statement another one, wherever they stand.
    fn words(&self, reading: &Reading<'_>) -> Result<(), String> {
        let refuse = |what: &str| Err(format!("this tool does not take `{what}`"));
        for at in 0..reading.tokens.len() {
            let next = |number: usize| reading.word(at + number);
            match reading.word(at) {
                "INTO"
                    if !matches!(reading.before(at), "INSERT" | "MERGE" | "IGNORE" | "REPLACE") =>
                {
                    return Err("a selection into a file, a variable or a table writes".to_owned());
                }
                "OUTFILE" | "DUMPFILE" | "INFILE" => return refuse("OUTFILE"),
                "FOR"
                    if matches!(next(1), "UPDATE" | "SHARE" | "NO" | "KEY" | "XML" | "BROWSE") =>
                {
                    return refuse("FOR UPDATE");
                }
                "LOCK" => return refuse("LOCK"),
                "UNION" | "INTERSECT" | "EXCEPT" | "MINUS" if !self.unions => {
                    return refuse("UNION");
                }
                "NEXTVAL" | "NEXT" if next(1) == "VALUE" => return refuse("NEXT VALUE"),
                "PROCEDURE" => return refuse("PROCEDURE"),
                word if word.starts_with('@') => {
                    return Err("it uses variables of the server".to_owned());
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn functions(&self, reading: &Reading<'_>) -> Result<(), String> {
        for call in &reading.calls {
            let own = self.functions.iter().any(|allowed| is_named(allowed, call));
            if !own && FUNCTIONS.binary_search(&call.as_str()).is_err() {
                return Err(format!("this tool does not call `{}`", shown(call)));
            }
        }
        Ok(())
    }

    fn tables(&self, reading: &Reading<'_>) -> Result<(), String> {
        for (table, at) in &reading.tables {
            let is_local =
                reading.selections.iter().any(|(name, from)| name == table && from <= at);
            let named = self.tables.iter().any(|allowed| is_named(allowed, table));
            if is_local || named {
                continue;
            }
            let bare = table.replace('"', "").to_uppercase();
            let of_server = [
                "PG_",
                "PRAGMA_",
                "SQLITE_",
                "MYSQL.",
                "SYS.",
                "INFORMATION_SCHEMA.",
                "PERFORMANCE_SCHEMA.",
                "MASTER.",
            ]
            .iter()
            .any(|start| bare.starts_with(start) || bare.contains(&format!(".{start}")));
            if !self.tables.is_empty() || of_server {
                return Err(format!("this tool does not use the table `{}`", shown(table)));
            }
        }
        Ok(())
    }

    fn columns(&self, reading: &Reading<'_>) -> Result<(), String> {
        if self.columns.is_empty() {
            return Ok(());
        }
        if reading.takes_all {
            return Err("this tool takes columns by their names, and not `*`".to_owned());
        }
        let named = |name: &String| self.columns.iter().any(|allowed| is_named(allowed, name));
        let sorted = reading.sorted.difference(&reading.aliases);
        for name in reading.names.iter().chain(sorted.map(|(name, _)| name)) {
            if !named(name) {
                return Err(format!("this tool does not use the column `{}`", shown(name)));
            }
        }
        Ok(())
    }

    fn limit(&self, reading: &Reading<'_>) -> Result<(), String> {
        let Some(most) = self
            .limit
            .filter(|_| matches!(reading.word(0), "SELECT" | "WITH" | "TABLE" | "VALUES" | "("))
        else {
            return Ok(());
        };
        let last = (0..reading.tokens.len())
            .rev()
            .find(|at| reading.depth(*at) == 0 && reading.word(*at) == "LIMIT");
        let rows = last.and_then(|at| {
            // MySQL's `LIMIT offset, rows`.
            let at = if reading.word(at + 2) == "," { at + 3 } else { at + 1 };
            reading
                .tokens
                .get(at)
                .filter(|token| token.kind == TokenKind::Number)?
                .text
                .parse::<u64>()
                .ok()
        });
        match rows {
            Some(rows) if rows <= most => Ok(()),
            _ => Err(format!("the selection needs a `LIMIT` of at most {most} rows")),
        }
    }
}

/// Every `UPDATE` and `DELETE` chooses, and no condition lets everything through.
fn conditions(reading: &Reading<'_>) -> Result<(), String> {
    for at in 0..reading.tokens.len() {
        let depth = reading.depth(at);
        let word = reading.word(at);
        let end = (at + 1..reading.tokens.len())
            .find(|other| reading.depth(*other) < depth)
            .unwrap_or(reading.tokens.len());
        if matches!(word, "UPDATE" | "DELETE") && reading.begins(at) {
            let chooses = (at..end)
                .any(|other| reading.depth(other) == depth && reading.word(other) == "WHERE");
            if !chooses {
                return Err(format!("`{word}` needs a `WHERE`"));
            }
        }
        if matches!(word, "WHERE" | "HAVING" | "ON") {
            let stops = [
                "GROUP",
                "ORDER",
                "LIMIT",
                "UNION",
                "INTERSECT",
                "EXCEPT",
                "WHERE",
                "JOIN",
                "LEFT",
                "RIGHT",
                "INNER",
                "HAVING",
                "SET",
            ];
            let end = (at + 1..end)
                .find(|other| {
                    reading.depth(*other) == depth && stops.contains(&reading.word(*other))
                })
                .unwrap_or(end);
            let condition = reading.tokens.get(at + 1..end).unwrap_or_default();
            let is_join = word == "ON";
            if !is_join && always_holds(condition, reading.tokens.get(..at).unwrap_or_default()) {
                return Err("the condition holds for every row".to_owned());
            }
        }
    }
    Ok(())
}

/// A statement, with what its names are.
struct Reading<'t> {
    tokens: &'t [Token],
    depths: Vec<usize>,
    /// Functions that are called, in upper case, with their schemas.
    calls: BTreeSet<String>,
    /// Tables that are used.
    tables: Vec<(String, usize)>,
    /// Selections that the statement itself names (`WITH`), each with the place from which its name stands for it.
    selections: Vec<(String, usize)>,
    /// What it names otherwise: columns and tables.
    aliases: BTreeSet<(String, usize)>,
    /// Columns, as far as words are no keywords.
    names: BTreeSet<String>,
    /// What is sorted by, where the names of results come first.
    sorted: BTreeSet<(String, usize)>,
    /// Whether a `*` stands for columns.
    takes_all: bool,
}

/// What is read inside one pair of brackets.
#[derive(Clone, Copy, Default)]
struct Frame {
    /// A table comes next.
    expects: bool,
    /// It is in the list behind `FROM`.
    lists: bool,
    /// It is behind `ORDER BY`.
    sorts: bool,
    /// It belongs to a function in which `FROM` names no table: `EXTRACT(year FROM x)`.
    is_call: bool,
}

impl<'t> Reading<'t> {
    fn of(tokens: &'t [Token]) -> Self {
        let mut reading = Self {
            tokens,
            depths: Vec::with_capacity(tokens.len()),
            calls: BTreeSet::new(),
            tables: Vec::new(),
            selections: Vec::new(),
            aliases: BTreeSet::new(),
            sorted: BTreeSet::new(),
            names: BTreeSet::new(),
            takes_all: false,
        };
        let mut depth = 0_usize;
        for token in tokens {
            if is_sign(token, ")") {
                depth = depth.saturating_sub(1);
            }
            reading.depths.push(depth);
            if is_sign(token, "(") {
                depth += 1;
            }
        }
        reading.local_names();
        reading.uses();
        reading
    }

    fn word(&self, at: usize) -> &'t str {
        match self.tokens.get(at) {
            Some(token) if matches!(token.kind, TokenKind::Word | TokenKind::Operator) => {
                &token.text
            }
            _ => "",
        }
    }

    fn before(&self, at: usize) -> &'t str {
        at.checked_sub(1).map_or("", |at| self.word(at))
    }

    fn depth(&self, at: usize) -> usize {
        self.depths.get(at).copied().unwrap_or(0)
    }

    fn has(&self, word: &str) -> bool {
        (0..self.tokens.len()).any(|at| self.word(at) == word)
    }

    /// Whether a statement can begin here.
    fn begins(&self, at: usize) -> bool {
        at == 0
            || matches!(
                self.before(at),
                "(" | ")"
                    | "EXPLAIN"
                    | "ANALYZE"
                    | "VERBOSE"
                    | "PLAN"
                    | "THEN"
                    | "ELSE"
                    | "BEGIN"
                    | "AS"
            )
    }

    /// The name at a place, in upper case where it is not in quotes.
    fn name(&self, at: usize) -> Option<String> {
        let token = self.tokens.get(at)?;
        match token.kind {
            TokenKind::Word if KEYWORDS.binary_search(&&*token.text).is_err() => {
                Some(token.text.to_string())
            }
            TokenKind::Name => Some(format!("\"{}\"", token.text)),
            _ => None,
        }
    }

    /// `a.b.c` from a place on, and where it ends.
    fn dotted(&self, at: usize) -> Option<(String, usize)> {
        let mut name = self.name(at)?;
        let mut at = at + 1;
        while self.word(at) == "." {
            // Behind a dot a keyword is a name.
            let part = match self.tokens.get(at + 1) {
                Some(token) if token.kind == TokenKind::Word => token.text.to_string(),
                Some(token) if token.kind == TokenKind::Name => format!("\"{}\"", token.text),
                _ => break,
            };
            name = format!("{name}.{part}");
            at += 2;
        }
        Some((name, at))
    }

    /// Whether the name at a place is one that is given there: behind `AS`, a bracket, another name or a value.
    fn is_alias(&self, at: usize) -> bool {
        let Some(left) = at.checked_sub(1) else { return false };
        let is_value = self
            .tokens
            .get(left)
            .is_some_and(|token| matches!(token.kind, TokenKind::Text | TokenKind::Number));
        self.word(left) == "AS"
            || self.word(left) == ")" && self.depth(at) == self.depth(left)
            || self.name(left).is_some()
            || is_value
            || self.word(left) == "END"
    }

    /// What `WITH` and `AS` name.
    fn local_names(&mut self) {
        // Selections are named before the statement that they are for.
        let begun = |at: usize| {
            let word = self.word(at);
            self.depth(at) == 0
                && matches!(
                    word,
                    "SELECT" | "VALUES" | "TABLE" | "INSERT" | "UPDATE" | "DELETE" | "MERGE"
                )
        };
        let main = (0..self.tokens.len()).find(|at| begun(*at)).unwrap_or(0);
        let is_recursive = self.word(1) == "RECURSIVE";
        for at in 0..self.tokens.len() {
            let Some(name) = self.name(at) else { continue };
            if at < main
                && self.depth(at) == 0
                && matches!(self.before(at), "WITH" | "RECURSIVE" | ",")
            {
                let columns =
                    if self.word(at + 1) == "(" { self.close(at + 1) + 1 } else { at + 1 };
                let body = (columns..main).find(|body| self.word(*body) == "(").unwrap_or(main);
                let from = if is_recursive { at } else { self.close(body) };
                self.selections.push((name, from));
            } else if self.is_alias(at) {
                self.aliases.insert((name, self.depth(at)));
            }
        }
    }

    /// Where the bracket that opens at a place is closed.
    fn close(&self, open: usize) -> usize {
        let depth = self.depth(open);
        (open + 1..self.tokens.len())
            .find(|at| self.depth(*at) == depth)
            .unwrap_or(self.tokens.len())
    }

    /// Calls, tables and columns.
    fn uses(&mut self) {
        let mut frames = vec![Frame::default()];
        let mut at = 0;
        while at < self.tokens.len() {
            let word = self.word(at);
            let mut frame = frames.last().copied().unwrap_or_default();
            let mut next = at + 1;
            match word {
                "(" => {
                    let is_call = matches!(
                        self.before(at),
                        "EXTRACT" | "SUBSTRING" | "TRIM" | "OVERLAY" | "POSITION"
                    );
                    let inner = Frame {
                        is_call,
                        sorts: false,
                        expects: frame.expects && !self.starts_selection(at + 1),
                        lists: frame.expects,
                    };
                    frame.expects = false;
                    set(&mut frames, frame);
                    frames.push(inner);
                }
                ")" => {
                    if frames.len() > 1 {
                        frames.pop();
                    }
                }
                "FROM"
                    if frame.is_call
                        || self.before(at) == "DISTINCT"
                            && self.before(at.saturating_sub(1)) == "IS" => {}
                "FROM" | "JOIN" | "INTO" | "TABLE" | "USING" => {
                    set(
                        &mut frames,
                        Frame {
                            expects: word != "USING" || self.word(at + 1) != "(",
                            lists: true,
                            ..frame
                        },
                    );
                }
                "UPDATE" if self.begins(at) => {
                    set(&mut frames, Frame { expects: true, lists: true, ..frame })
                }
                "," if frame.lists => set(&mut frames, Frame { expects: true, ..frame }),
                "ONLY" | "LATERAL" | "IGNORE" | "LOW_PRIORITY" | "OR" if frame.expects => {}
                "SELECT" | "WHERE" | "GROUP" | "ORDER" | "HAVING" | "LIMIT" | "SET" | "VALUES"
                | "RETURNING" | "WINDOW" | "OFFSET" => {
                    let sorts = word == "ORDER";
                    set(&mut frames, Frame { expects: false, lists: false, sorts, ..frame });
                }
                "*" => {
                    let of_call = self.before(at) == "("
                        && at.checked_sub(2).is_some_and(|name| self.word(name) == "COUNT");
                    self.takes_all |= !of_call
                        && matches!(
                            self.before(at),
                            "SELECT" | "," | "." | "DISTINCT" | "ALL" | "(" | "RETURNING"
                        );
                }
                _ => {
                    if let Some((name, end)) = self.dotted(at) {
                        next = end;
                        let is_called = self.word(end) == "(";
                        if frame.expects {
                            let inserts = self.before(at) == "INTO";
                            if is_called && !inserts {
                                self.calls.insert(name);
                            } else {
                                self.tables.push((name, at));
                            }
                            set(&mut frames, Frame { expects: false, ..frame });
                        } else if is_called && !self.is_selection(at) {
                            self.calls.insert(name);
                        } else {
                            let column = name.rsplit('.').next().unwrap_or_default().to_owned();
                            let is_bare = matches!(self.before(at), "BY" | ",")
                                && matches!(
                                    self.word(end),
                                    "" | "," | "ASC" | "DESC" | "NULLS" | "LIMIT" | ")"
                                );
                            if frame.sorts && is_bare {
                                self.sorted.insert((column, self.depth(at)));
                            } else if !self.is_alias(at) {
                                self.names.insert(column);
                            }
                        }
                    } else if self.word(next) == "("
                        && CALLED_KEYWORDS.binary_search(&word).is_err()
                        && is_word(word)
                    {
                        self.calls.insert(word.to_owned());
                    }
                }
            }
            at = next;
        }
    }

    fn starts_selection(&self, at: usize) -> bool {
        matches!(self.word(at), "SELECT" | "WITH" | "VALUES")
    }

    /// `name (columns) AS (…)` of a `WITH`.
    fn is_selection(&self, at: usize) -> bool {
        self.selections
            .iter()
            .any(|(_, from)| *from == at || at < *from && self.close(at + 1) < *from)
            && self.depth(at) == 0
            && matches!(self.before(at), "WITH" | "RECURSIVE" | ",")
    }
}

/// Whether an entry of a list names this: in quotes exactly, otherwise without regard to capitals.
fn is_named(entry: &str, name: &str) -> bool {
    if name.contains('"') {
        entry == name.replace('"', "")
    } else {
        entry.eq_ignore_ascii_case(name)
    }
}

fn set(frames: &mut [Frame], frame: Frame) {
    if let Some(last) = frames.last_mut() {
        *last = frame;
    }
}

fn is_word(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}

fn is_sign(token: &Token, sign: &str) -> bool {
    token.kind == TokenKind::Operator && &*token.text == sign
}

fn shown(name: &str) -> String {
    name.to_lowercase().chars().take(80).collect::<String>().escape_debug().to_string()
}

/// Refuses what databases read differently, or to no end: one reads as text what another one runs.
fn unambiguous(text: &str, dialect: Dialect) -> Result<(), String> {
    let refuse = |what: &str| Err(what.to_owned());
    let bytes = text.as_bytes();
    let mut at = 0;
    if text.contains('\0') {
        return refuse("the statement holds a NUL");
    }
    while let Some(&byte) = bytes.get(at) {
        let rest = text.get(at..).unwrap_or_default();
        let two = rest.get(..2).unwrap_or_default();
        match byte {
            _ if two == "--" => {
                if !matches!(bytes.get(at + 2), None | Some(b' ' | b'\t' | b'\n' | b'\r'))
                    && dialect != Dialect::Postgres
                    && dialect != Dialect::Sqlite
                {
                    return refuse("`--` without a blank behind it is no comment everywhere");
                }
                at += rest.find('\n').unwrap_or(rest.len());
            }
            _ if two == "/*" => {
                let Some(length) = rest.get(2..).and_then(|body| body.find("*/")) else {
                    return refuse("a comment has no end");
                };
                let body = rest.get(2..2 + length).unwrap_or_default();
                if body.starts_with(['!', '+', 'M']) {
                    return refuse("a comment holds what some databases run");
                }
                if body.contains("/*") {
                    return refuse("a comment within a comment ends in two places");
                }
                at += length + 3;
            }
            b'#' if dialect != Dialect::Postgres => {
                return refuse("`#` begins a comment in some databases");
            }
            b'\'' | b'"' | b'`' => {
                let (length, is_escaped) = quoted(rest, byte);
                let Some(length) = length else { return refuse("a text has no end") };
                if is_escaped && byte != b'`' {
                    return refuse("a backslash in a text is read differently by databases");
                }
                let escapes = at.checked_sub(1).and_then(|before| bytes.get(before));
                if byte == b'\'' && matches!(escapes, Some(b'e' | b'E')) && is_lone(bytes, at) {
                    return refuse("a text with escapes");
                }
                at += length - 1;
            }
            b'$' => {
                let tag = rest
                    .get(1..)
                    .unwrap_or_default()
                    .trim_start_matches(|letter: char| letter.is_alphanumeric() || letter == '_');
                if tag.starts_with('$') {
                    return refuse("a text between dollars");
                }
            }
            b'[' if dialect == Dialect::Any => {
                return refuse("square brackets are read differently by databases");
            }
            b'\\' => return refuse("a backslash outside of a text"),
            _ if byte < b' ' && !byte.is_ascii_whitespace() => {
                return refuse("the statement holds a control character");
            }
            _ if byte >= 0x80 => {
                let letter = rest.chars().next().unwrap_or(' ');
                if letter.is_whitespace() || crate::analyze::is_invisible(letter) {
                    return refuse("the statement holds blanks that cannot be told from others");
                }
            }
            _ => {}
        }
        at += 1;
        while at < text.len() && !text.is_char_boundary(at) {
            at += 1;
        }
    }
    Ok(())
}

/// How long a quoted text is that begins here, and whether it holds a backslash.
fn quoted(text: &str, quote: u8) -> (Option<usize>, bool) {
    let bytes = text.as_bytes();
    let (mut at, mut escapes) = (1, false);
    while let Some(&byte) = bytes.get(at) {
        escapes |= byte == b'\\';
        if byte == quote {
            if bytes.get(at + 1) != Some(&quote) {
                return (Some(at + 1), escapes);
            }
            at += 1;
        }
        at += 1;
    }
    (None, escapes)
}

/// Whether the letter before the place stands alone: the `E` of `E'…'`.
fn is_lone(bytes: &[u8], at: usize) -> bool {
    at.checked_sub(2)
        .and_then(|before| bytes.get(before))
        .is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
}

/// What statements begin with that no tool takes.
const STATEMENTS: &[&str] = &[
    "ALTER",
    "ANALYZE",
    "ATTACH",
    "BACKUP",
    "BEGIN",
    "CALL",
    "CLUSTER",
    "COMMENT",
    "COMMIT",
    "COPY",
    "CREATE",
    "DEALLOCATE",
    "DECLARE",
    "DETACH",
    "DISCARD",
    "DO",
    "DROP",
    "EXEC",
    "EXECUTE",
    "FLUSH",
    "GRANT",
    "HANDLER",
    "INSTALL",
    "KILL",
    "LISTEN",
    "LOAD",
    "NOTIFY",
    "OPTIMIZE",
    "PRAGMA",
    "PREPARE",
    "PURGE",
    "REASSIGN",
    "REFRESH",
    "REINDEX",
    "RENAME",
    "RESET",
    "RESTORE",
    "REVOKE",
    "ROLLBACK",
    "SAVEPOINT",
    "SECURITY",
    "SET",
    "SHOW",
    "SHUTDOWN",
    "TRUNCATE",
    "USE",
    "VACUUM",
];

/// Words of the grammar, which name nothing. Sorted.
const KEYWORDS: &[&str] = &[
    "ALL",
    "ANALYZE",
    "AND",
    "ANY",
    "AS",
    "ASC",
    "BETWEEN",
    "BOTH",
    "BY",
    "CASE",
    "CAST",
    "COLLATE",
    "CONFLICT",
    "CROSS",
    "CURRENT",
    "CURRENT_DATE",
    "CURRENT_TIME",
    "CURRENT_TIMESTAMP",
    "CURRENT_USER",
    "DEFAULT",
    "DELETE",
    "DESC",
    "DISTINCT",
    "DO",
    "ELSE",
    "END",
    "ESCAPE",
    "EXCEPT",
    "EXISTS",
    "EXPLAIN",
    "FALSE",
    "FETCH",
    "FILTER",
    "FIRST",
    "FOLLOWING",
    "FOR",
    "FROM",
    "FULL",
    "GROUP",
    "HAVING",
    "IGNORE",
    "ILIKE",
    "IN",
    "INNER",
    "INSERT",
    "INTERSECT",
    "INTERVAL",
    "INTO",
    "IS",
    "JOIN",
    "LAST",
    "LATERAL",
    "LEADING",
    "LEFT",
    "LIKE",
    "LIMIT",
    "MATCHED",
    "MATERIALIZED",
    "MERGE",
    "NATURAL",
    "NOT",
    "NOTHING",
    "NULL",
    "NULLS",
    "OFFSET",
    "ON",
    "ONLY",
    "OR",
    "ORDER",
    "OUTER",
    "OVER",
    "PARTITION",
    "PRECEDING",
    "RANGE",
    "RECURSIVE",
    "REGEXP",
    "RETURNING",
    "RIGHT",
    "RLIKE",
    "ROW",
    "ROWS",
    "SELECT",
    "SET",
    "SIMILAR",
    "SOME",
    "SYMMETRIC",
    "TABLE",
    "THEN",
    "TIES",
    "TO",
    "TRAILING",
    "TRUE",
    "UNBOUNDED",
    "UNION",
    "UPDATE",
    "USING",
    "VALUES",
    "VERBOSE",
    "WHEN",
    "WHERE",
    "WINDOW",
    "WITH",
    "WITHIN",
];

/// Words of the grammar before brackets that are no calls. Sorted.
const CALLED_KEYWORDS: &[&str] = &[
    "ALL",
    "AND",
    "ANY",
    "AS",
    "BETWEEN",
    "BY",
    "CASE",
    "CAST",
    "CONFLICT",
    "CROSS",
    "DISTINCT",
    "ELSE",
    "EXCEPT",
    "EXISTS",
    "EXPLAIN",
    "FILTER",
    "FROM",
    "FULL",
    "GROUP",
    "HAVING",
    "ILIKE",
    "IN",
    "INNER",
    "INTERSECT",
    "INTO",
    "IS",
    "JOIN",
    "LATERAL",
    "LEFT",
    "LIKE",
    "LIMIT",
    "MATERIALIZED",
    "NOT",
    "OFFSET",
    "ON",
    "OR",
    "OVER",
    "RETURNING",
    "RIGHT",
    "ROW",
    "ROWS",
    "SELECT",
    "SET",
    "SOME",
    "THEN",
    "UNION",
    "USING",
    "VALUES",
    "WHEN",
    "WHERE",
];

/// Functions that compute from what they are given and nothing else, and types with a length. Sorted.
const FUNCTIONS: &[&str] = &[
    "ABS",
    "AGE",
    "ANY_VALUE",
    "ARRAY",
    "ARRAY_AGG",
    "ARRAY_LENGTH",
    "ASCII",
    "ATAN",
    "ATAN2",
    "AVG",
    "BIT_AND",
    "BIT_LENGTH",
    "BIT_OR",
    "BOOL_AND",
    "BOOL_OR",
    "BTRIM",
    "CEIL",
    "CEILING",
    "CHAR",
    "CHARACTER_LENGTH",
    "CHARINDEX",
    "CHAR_LENGTH",
    "CHR",
    "COALESCE",
    "CONCAT",
    "CONCAT_WS",
    "CONVERT",
    "CORR",
    "COS",
    "COUNT",
    "CUME_DIST",
    "CURDATE",
    "DATE",
    "DATEADD",
    "DATEDIFF",
    "DATEPART",
    "DATE_ADD",
    "DATE_FORMAT",
    "DATE_PART",
    "DATE_SUB",
    "DATE_TRUNC",
    "DAY",
    "DAYOFMONTH",
    "DAYOFWEEK",
    "DECIMAL",
    "DEGREES",
    "DENSE_RANK",
    "EVERY",
    "EXP",
    "EXTRACT",
    "FIELD",
    "FIRST_VALUE",
    "FLOOR",
    "FORMAT",
    "GREATEST",
    "GROUPING",
    "GROUP_CONCAT",
    "HEX",
    "HOUR",
    "IF",
    "IFNULL",
    "IIF",
    "INITCAP",
    "INSTR",
    "ISNULL",
    "JSONB_ARRAY_LENGTH",
    "JSONB_BUILD_OBJECT",
    "JSONB_EXTRACT_PATH",
    "JSON_AGG",
    "JSON_ARRAYAGG",
    "JSON_ARRAY_LENGTH",
    "JSON_BUILD_OBJECT",
    "JSON_EXTRACT",
    "JSON_OBJECT",
    "JSON_VALUE",
    "JULIANDAY",
    "LAG",
    "LAST_VALUE",
    "LCASE",
    "LEAD",
    "LEAST",
    "LEFT",
    "LEN",
    "LENGTH",
    "LN",
    "LOG",
    "LOG10",
    "LOG2",
    "LOWER",
    "LTRIM",
    "MAKE_DATE",
    "MAX",
    "MD5",
    "MEDIAN",
    "MIN",
    "MINUTE",
    "MOD",
    "MONTH",
    "NOW",
    "NTH_VALUE",
    "NTILE",
    "NULLIF",
    "NUMERIC",
    "NVL",
    "OCTET_LENGTH",
    "PERCENTILE_CONT",
    "PERCENTILE_DISC",
    "PERCENT_RANK",
    "PI",
    "POSITION",
    "POW",
    "POWER",
    "PRINTF",
    "QUARTER",
    "RADIANS",
    "RANK",
    "REGEXP_COUNT",
    "REGEXP_MATCHES",
    "REGEXP_REPLACE",
    "REGEXP_SUBSTR",
    "REPLACE",
    "REVERSE",
    "RIGHT",
    "ROUND",
    "ROW_NUMBER",
    "RTRIM",
    "SECOND",
    "SIGN",
    "SIN",
    "SPLIT_PART",
    "SQRT",
    "STDDEV",
    "STDDEV_POP",
    "STDDEV_SAMP",
    "STRFTIME",
    "STRING_AGG",
    "STRPOS",
    "SUBSTR",
    "SUBSTRING",
    "SUM",
    "TAN",
    "TIME",
    "TIMESTAMP",
    "TIMESTAMPDIFF",
    "TO_CHAR",
    "TO_DATE",
    "TO_NUMBER",
    "TO_TIMESTAMP",
    "TRANSLATE",
    "TRIM",
    "TRUNC",
    "TRY_CAST",
    "UCASE",
    "UNIXEPOCH",
    "UPPER",
    "VARCHAR",
    "VARIANCE",
    "VAR_POP",
    "VAR_SAMP",
    "WEEK",
    "WIDTH_BUCKET",
    "YEAR",
];

#[cfg(test)]
mod tests {
    #[test]
    fn tables_of_words_are_sorted() {
        for table in [super::KEYWORDS, super::CALLED_KEYWORDS, super::FUNCTIONS] {
            let wrong =
                table.windows(2).find(|pair| matches!(pair, [left, right] if left >= right));
            assert!(wrong.is_none(), "{wrong:?}");
        }
    }
}
