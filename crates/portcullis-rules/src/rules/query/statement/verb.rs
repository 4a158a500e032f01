//! A statement from its verb on. Owns how words, names and literals behind the verb are looked up.

use portcullis_syntax::sql::{Token, TokenKind};

use super::{
    batch::runs_on,
    rows::{chosen, limited},
};

/// A statement from the word on that it begins with.
#[derive(Clone, Copy)]
pub(super) struct Verb<'s> {
    pub(super) statement: &'s [Token],
    pub(super) words: &'s [&'s str],
    pub(super) at: usize,
}

impl<'s> Verb<'s> {
    /// The word at a place behind the verb; the verb itself is 0.
    pub(super) fn word(self, index: usize) -> &'s str {
        self.words.get(self.at + index).copied().unwrap_or("")
    }

    /// The first place from `from` on that none of `skipped` stands at.
    pub(super) fn skip(self, from: usize, skipped: &[&str]) -> usize {
        let mut index = from;
        while skipped.contains(&self.word(index)) {
            index += 1;
        }
        index
    }

    pub(super) fn token(self, index: usize) -> Option<&'s Token> {
        self.statement.get(self.at + index)
    }

    pub(super) fn name(self, index: usize) -> String {
        self.token(index).map_or_else(String::new, |token| token.text.to_string())
    }

    pub(super) fn has(self, wanted: &str) -> bool {
        self.words.iter().skip(self.at).any(|word| *word == wanted)
    }

    /// Whether these words stand behind one another somewhere.
    pub(super) fn has_run(self, run: &[&str]) -> bool {
        let rest = self.words.get(self.at..).unwrap_or_default();
        rest.windows(run.len()).any(|words| words == run)
    }

    /// Whether it is the statement from its first word on, or nothing divides it from one before it.
    pub(super) fn is_own(self) -> bool {
        self.at == 0 || runs_on(self.words, self.at)
    }

    /// Whether a table may be named at a place: no word with which statements begin is a name without quotes, on any server.
    pub(super) fn names_table(self, index: usize) -> bool {
        const RESERVED: &[&str] =
            &["CREATE", "DELETE", "DROP", "FROM", "GRANT", "INSERT", "SELECT", "UPDATE", "WHERE"];
        self.token(index)
            .is_some_and(|token| token.kind != TokenKind::Word || !RESERVED.contains(&&*token.text))
    }

    /// `query.change` for `#name`, a table of SQL Server that only its session has.
    pub(super) fn unless_temporary(self, index: usize, rule: &'static str) -> &'static str {
        if self.is_of_session(index) { "query.change" } else { rule }
    }

    /// Whether one table alone is named at a place that only this session has: `#a`, `pg_temp.a`.
    pub(super) fn is_of_session(self, index: usize) -> bool {
        self.word(index) == "#"
            || self.word(index) == "PG_TEMP"
                && self.word(index + 1) == "."
                && !self.words.iter().skip(self.at + index).any(|word| *word == ",")
    }

    /// The first text of the statement.
    pub(super) fn text(self) -> &'s str {
        self.statement.iter().find_map(|token| text_of(Some(token))).unwrap_or_default()
    }

    /// The rule of what happens to `all` rows, where nothing chooses some of them.
    pub(super) fn rows(self, all: &'static str) -> &'static str {
        if limited(self.statement, self.words, self.at) { "query.change" } else { all }
    }

    /// The rule of rows that are deleted: all of them, those that are said, or however many a condition finds.
    pub(super) fn deleted(self) -> &'static str {
        match self.rows("query.delete.all") {
            "query.change" if !chosen(self.statement, self.words, self.at) => "query.delete.many",
            rule => rule,
        }
    }
}

/// Whether a literal of a statement is this text.
pub(super) fn says(verb: Verb<'_>, text: &str) -> bool {
    let mut rest = verb.statement.iter().skip(verb.at);
    rest.any(|token| token.text.trim_matches(['\'', '"']).eq_ignore_ascii_case(text))
}

/// The text behind `NAME =`.
pub(super) fn behind_equals<'s>(verb: Verb<'s>, name: &str) -> Option<&'s str> {
    let at =
        verb.words.array_windows().position(|[word, equals]| *word == name && *equals == "=")?;
    text_of(verb.statement.get(at + 2))
}

pub(super) fn is_name(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Word | TokenKind::Name)
}

pub(in super::super) fn text_of(token: Option<&Token>) -> Option<&str> {
    token.filter(|token| token.kind == TokenKind::Text).map(|token| &*token.text)
}

/// The string behind one of the words.
pub(super) fn behind<'s>(
    statement: &'s [Token],
    words: &[&str],
    wanted: &[&str],
) -> Option<&'s str> {
    words
        .iter()
        .enumerate()
        .filter(|(_, word)| wanted.contains(*word))
        .find_map(|(index, _)| text_of(statement.get(index + 1)))
}
