//! What a text makes before it takes it away or gives it to somebody: temporary tables, stages, variables, tables under other names.
//! Owns what is kept of that while its statements are read.

use portcullis_syntax::sql::{Token, TokenKind};

use super::{
    super::rebuilt,
    verb::{Verb, text_of},
};
use crate::bound::Bounded;

/// What a text makes, and what it therefore does not lose or gives away.
#[derive(Debug, Default)]
pub(super) struct Made {
    /// Tables for its session alone.
    pub(super) temporary: Vec<String>,
    /// Tables that it made and that nobody keeps anything in, by their names: `scratch_pairs`, in small letters with what they belong to.
    pub(super) scratch: Vec<String>,
    /// Tables whose rows it moved into others that take their names.
    pub(super) rebuilt: Vec<String>,
    /// Databases for tests that it makes anew.
    pub(super) for_tests: Vec<String>,
    /// Policies and triggers that it makes, whatever it drops of that name.
    pub(super) anew: Vec<(String, Option<String>)>,
    /// Tables that it gave other names.
    pub(super) renamed: Vec<String>,
    /// Databases of other servers that it attached, by the names that they have here.
    pub(super) elsewhere: Vec<String>,
    /// The texts of the procedures that it makes, by name.
    pub(super) bodies: Vec<(String, Vec<String>)>,
    /// Stages of Snowflake that lie at an address which it names.
    pub(super) stages: Vec<String>,
    /// Databases of SQLite that it attached in memory.
    pub(super) in_memory: Vec<String>,
    /// Whether a block of a language of procedures begins somewhere in the text.
    pub(super) has_begin: bool,
    /// Whether it is within one.
    pub(super) in_block: bool,
    /// What it gives its variables, one after the other; `None` where that is more than text.
    pub(super) variables: Vec<(String, Option<String>)>,
}

impl Made {
    /// `ALTER TABLE b RENAME TO a` behind `ALTER TABLE a RENAME TO c`: another table takes the place of one that is still asked for.
    pub(super) fn takes_name(&mut self, verb: Verb<'_>, name: usize, action: usize) -> bool {
        if verb.word(action) != "RENAME" || verb.word(action + 1) != "TO" {
            return false;
        }
        let last = |at: usize| {
            let at = if verb.word(at + 1) == "." { at + 2 } else { at };
            verb.name(at).to_ascii_lowercase()
        };
        let taken = last(action + 2);
        let is_swap = self.renamed.contains(&taken) && !self.rebuilt.contains(&taken);
        self.renamed.push(last(name));
        is_swap
    }

    /// Whether the one table that is named at a place was made for this session alone, and no other stands beside it.
    pub(super) fn is_temporary(&self, verb: Verb<'_>, at: usize) -> bool {
        let name = verb.name(at);
        // `temp.seen` is what SQLite calls it too.
        if verb.word(at) == "TEMP" && verb.word(at + 1) == "." {
            return self.is_temporary(verb, at + 2);
        }
        self.is_scratch(verb, at)
            || self.temporary.iter().any(|own| own.eq_ignore_ascii_case(&name))
                && !matches!(verb.word(at + 1), "." | ",")
                && !verb.has("JOIN")
    }

    /// `CREATE TABLE scratch.pairs`: kept where no other could be in its place, and its name says that it is there to go.
    pub(super) fn keep_scratch(&mut self, verb: Verb<'_>, name: usize) {
        let is_other =
            [&["OR", "ALTER"][..], &["IF", "NOT", "EXISTS"]].iter().any(|run| verb.has_run(run));
        let sure = !verb.has("REPLACE") && !is_other;
        let whole = rebuilt::name_at(verb.statement.get(verb.at + name..).unwrap_or_default());
        if let Some((whole, _)) = whole
            && sure
            && is_scratch_name(&whole)
        {
            self.scratch.push(whole);
        }
    }

    /// Forgets the tables that it made where another database, schema or table may answer to their names.
    pub(super) fn forget_scratch(&mut self, words: &[&str]) {
        let turns = matches!(words.first(), Some(&"USE" | &"ROLLBACK" | &"SET" | &"\\"));
        if turns || words.iter().any(|word| matches!(*word, "RENAME" | "SWAP" | "SP_RENAME")) {
            self.scratch.clear();
        }
    }

    /// Whether one table alone is named at a place that the text made to go.
    pub(super) fn is_scratch(&self, verb: Verb<'_>, at: usize) -> bool {
        let rest = verb.statement.get(verb.at + at..).unwrap_or_default();
        rebuilt::name_at(rest).is_some_and(|(name, _)| {
            !rest.iter().any(|token| &*token.text == ",")
                && !["CASCADE", "FROM", "JOIN", "USING"]
                    .iter()
                    .any(|word| verb.words.iter().skip(verb.at + at).any(|other| other == word))
                && self.scratch.contains(&name)
        })
    }

    /// Forgets the tables that a statement names which may take them away.
    pub(super) fn forget_temporary(&mut self, verb: Verb<'_>) {
        let names = verb.statement.get(verb.at..).unwrap_or_default();
        self.temporary
            .retain(|own| !names.iter().any(|token| token.text.eq_ignore_ascii_case(own)));
    }

    /// Whether what a statement changes lies in a database of another server that the text attached: `DELETE FROM pg.carts`.
    pub(super) fn is_elsewhere(&self, verb: Verb<'_>) -> bool {
        let mut rest = verb.statement.iter().skip(verb.at).leading(8).peekable();
        while let Some(token) = rest.next() {
            if rest.peek().is_some_and(|next| &*next.text == ".")
                && self.elsewhere.iter().any(|name| name.eq_ignore_ascii_case(&token.text))
            {
                return true;
            }
        }
        false
    }

    /// `CREATE PROCEDURE name … AS $$ … $$`: what a later `CALL name()` runs.
    pub(super) fn define(&mut self, statement: &[Token]) {
        let is = |token: &Token, word: &str| token.kind == TokenKind::Word && &*token.text == word;
        let kind = statement
            .iter()
            .leading(6)
            .position(|token| is(token, "PROCEDURE") || is(token, "FUNCTION"));
        let Some(kind) = kind.filter(|_| statement.first().is_some_and(|it| is(it, "CREATE")))
        else {
            return;
        };
        let open = statement.iter().position(|token| &*token.text == "(");
        let Some(name) = open.and_then(|open| statement.get(kind + 1..open)?.last()) else {
            return;
        };
        let is_code = statement
            .array_windows()
            .any(|[word, language]| is(word, "LANGUAGE") && in_code(&language.text));
        let texts = statement.iter().filter_map(|token| text_of(Some(token)));
        let bodies = texts
            .flat_map(|text| if is_code { statements_in(text) } else { vec![text.to_owned()] })
            .collect();
        self.bodies.push((name.text.to_string(), bodies));
    }

    /// What `CALL name()`, `EXEC name` or `SELECT name()` runs of what the text itself made.
    pub(super) fn called(&self, statement: &[Token], words: &[&str]) -> Vec<String> {
        if words.first() == Some(&"CREATE") {
            return Vec::new();
        }
        let is_called = |name: &str| {
            statement.iter().enumerate().any(|(at, token)| {
                token.text.eq_ignore_ascii_case(name)
                    && (words.get(at + 1) == Some(&"(")
                        || matches!(words.first(), Some(&("CALL" | "EXEC" | "EXECUTE"))))
            })
        };
        let run = self.bodies.iter().filter(|(name, _)| is_called(name));
        run.flat_map(|(_, bodies)| bodies.clone()).collect()
    }

    /// Whether every table that is named from a place on was made for this session alone.
    pub(super) fn holds(&self, verb: Verb<'_>, from: usize) -> bool {
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
                [temp, dot, name] if &*dot.text == "." && &*temp.text == "TEMP" => {
                    self.temporary.iter().any(|made| made.eq_ignore_ascii_case(&name.text))
                }
                [base, dot, _] if &*dot.text == "." => {
                    self.in_memory.iter().any(|made| made.eq_ignore_ascii_case(&base.text))
                }
                _ => false,
            })
    }

    /// `ATTACH ':memory:' AS name`
    pub(super) fn attach(&mut self, verb: Verb<'_>) {
        let file = verb.skip(1, &["DATABASE"]);
        let as_name = verb.word(file + 1) == "AS";
        let address = text_of(verb.token(file)).unwrap_or_default();
        let is_server =
            address.contains("host=") || ["MYSQL", "POSTGRES"].iter().any(|kind| verb.has(kind));
        if as_name && is_server {
            self.elsewhere.push(verb.name(file + 2));
        }
        if as_name && text_of(verb.token(file)) == Some(":memory:") {
            self.in_memory.push(verb.name(file + 2));
        }
    }

    /// `DECLARE @t TABLE (…)`: a table of the session alone, under its variable's name.
    pub(super) fn declare(&mut self, statement: &[Token]) {
        let tables = statement.array_windows().filter(|[name, table]| {
            name.text.starts_with('@') && table.kind == TokenKind::Word && &*table.text == "TABLE"
        });
        self.temporary.extend(tables.map(|[name, _]| name.text.to_string()));
    }

    /// What a statement gives to variables: `DECLARE @a nvarchar(99) = N'…'`, `SET @a = @b + '…'`.
    pub(super) fn assign(&mut self, statement: &[Token]) {
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
                // `QUOTENAME(N'Orders')` is a name.
                (TokenKind::Operator, "+" | "(" | ")") | (TokenKind::Word, "N" | "QUOTENAME") => {}
                (TokenKind::Operator, ",") => break,
                (TokenKind::Word, "EXEC" | "EXECUTE" | "DECLARE" | "SET" | "PRINT") => break,
                (TokenKind::Word, name) => text.push_str(self.only(name)?),
                _ => return None,
            }
        }
        Some(text)
    }

    /// The one text that a variable was given.
    pub(super) fn only(&self, name: &str) -> Option<&str> {
        let mut given = self.variables.iter().filter(|(known, _)| known == name);
        match (given.next(), given.next()) {
            (Some((_, Some(text))), None) => Some(text),
            _ => None,
        }
    }

    /// Whether rows are copied into a stage that the text made at an address of its own: `COPY INTO @stage/path FROM t`.
    pub(super) fn leads_away(&self, verb: Verb<'_>) -> bool {
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
    pub(super) fn rebuilds(&self, verb: Verb<'_>, from: usize) -> bool {
        let rest = verb.statement.get(verb.at + from..).unwrap_or_default();
        let Some((name, length)) = rebuilt::name_at(rest) else { return false };
        length == rest.len() && self.rebuilt.contains(&name)
    }

    /// Whether the one database that is named from a place on is one for tests that the text makes anew.
    pub(super) fn makes_for_tests(&self, verb: Verb<'_>, from: usize) -> bool {
        let rest = verb.statement.get(verb.at + from..).unwrap_or_default();
        let Some((name, length)) = rebuilt::name_at(rest) else { return false };
        length == rest.len() && self.for_tests.contains(&name)
    }
}

/// `tmp_pairs`, `pairs_scratch`, `dev.sandbox.tmp_x`: the last part of a name says that it is there to go.
fn is_scratch_name(whole: &str) -> bool {
    let last = whole.rsplit('.').next().unwrap_or(whole);
    let is_word = |word: &str| matches!(word, "scratch" | "temp" | "tmp");
    last.split('_').next().is_some_and(is_word) || last.rsplit('_').next().is_some_and(is_word)
}

/// Whether a procedure is written in a language whose texts may be statements.
fn in_code(language: &str) -> bool {
    ["JAVA", "JAVASCRIPT", "JS", "PLV8", "PYTHON", "SCALA"]
        .iter()
        .any(|known| language.eq_ignore_ascii_case(known))
}

/// The texts in quotes of a program that begin as statements do.
fn statements_in(code: &str) -> Vec<String> {
    const VERBS: &[&str] =
        &["alter", "create", "delete", "drop", "grant", "insert", "merge", "truncate", "update"];
    let mut found = Vec::new();
    for mark in ['"', '\'', '`'] {
        for text in code.split(mark).skip(1).step_by(2) {
            let first = text.split_whitespace().next().unwrap_or_default();
            if VERBS.iter().any(|verb| first.eq_ignore_ascii_case(verb)) {
                found.push(text.to_owned());
            }
        }
    }
    found
}
