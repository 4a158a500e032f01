//! Secrets that a program asks a store or its environment for. Owns what such a value is, and what follows when it is shown.

use portcullis_syntax::Span;

use super::{
    super::{
        interpreter::Interpreter,
        value::{Given, Value},
    },
    command::{DEPTH, Words, known},
};
use crate::{
    programs::host::Host,
    text::{Piece, Taint, Text},
};

impl Interpreter<'_, '_, '_> {
    /// A secret that was asked for; what shows it, is told as this command.
    pub(in super::super) fn stored_secret(&mut self, words: &[&str], span: Span) -> Value {
        self.remember_stored(known(words), span);
        secret()
    }

    /// Remembers that a secret was read of a store, by the command that shows it.
    pub(super) fn remember_stored(&mut self, words: Words, span: Span) {
        self.seen.all_secrets |= self.is_repeated(span);
        self.seen.shows = Some(words);
    }

    /// One secret of a store after the other is written into a file: they are as good as shown.
    pub(in super::super) fn kept(&mut self, given: &[Given]) {
        if self.seen.all_secrets
            && given.iter().any(|given| is_stored(&given.value, DEPTH))
            && let Some(span) = given.first().map(|first| first.span)
            && let Some(words) = self.seen.shows.take()
        {
            self.tell(words, span);
        }
    }

    /// What was read of a store of secrets is shown.
    pub(in super::super) fn shown(&mut self, printed: &[&Given], span: Span) {
        if self.seen.shows.is_some()
            && printed.iter().any(|given| is_stored(&given.value, DEPTH))
            && let Some(words) = self.seen.shows.take()
        {
            self.tell(words, span);
        }
        if printed.iter().any(|given| is_environment(&given.value)) {
            let lower = self.source.to_ascii_lowercase();
            let searches =
                ["secret", "token", "passw", "api_?key", "apikey", "api_key", "credential"]
                    .iter()
                    .any(|word| lower.contains(word));
            let is_chosen =
                ["if ", ".filter(", "re.", "regex", "match("].iter().any(|it| lower.contains(it));
            let rule = if searches && is_chosen {
                "credentials.environment.search"
            } else {
                "credentials.environment.print"
            };
            self.walk.note(rule, span);
        }
    }
}

/// What a store of secrets gave, and what is reached from it.
const STORED: &str = "a stored secret";

pub(super) fn secret() -> Value {
    Value::reached(STORED, Text { taint: Taint::SECRET, ..Text::default() })
}

/// Whether a value is all of the environment, with what its variables hold.
pub(in super::super) fn is_environment(value: &Value) -> bool {
    holds_environment(value, DEPTH)
}

fn holds_environment(value: &Value, depth: usize) -> bool {
    const NAMES: &[&str] = &["os.environ", "os.environb", "process.env"];
    let Some(depth) = depth.checked_sub(1) else { return false };
    // `os.environ.items()[]`, and not the keys alone or one that is named.
    let holds = |path: &str| {
        NAMES.iter().any(|name| {
            path.strip_prefix(name).is_some_and(|rest| {
                rest.is_empty()
                    || [".items(", ".values(", ".copy("].iter().any(|way| rest.starts_with(way))
            })
        })
    };
    match value {
        Value::Name(path, _) => holds(path),
        Value::Text(text) => {
            text.pieces.iter().any(|piece| matches!(piece, Piece::Unknown(origin) if holds(origin)))
        }
        Value::List(list) | Value::Any(list) => {
            list.iter().any(|one| holds_environment(one, depth))
        }
        Value::Table(table) => table.iter().any(|(_, one)| holds_environment(one, depth)),
        _ => false,
    }
}

/// Whether a value is a stored secret itself, and not something that was made with its help, nor what it is called.
fn is_stored(value: &Value, depth: usize) -> bool {
    const CALLED: &[&str] =
        &["arn", "environment_scope", "id", "key", "masked", "name", "variable_type"];
    let Some(depth) = depth.checked_sub(1) else { return false };
    // Of each of a list: what stands within one secret may be called anything.
    let holds = |origin: &str| {
        let rest = origin.strip_prefix(STORED);
        rest.is_some_and(|rest| rest.strip_prefix("[].").is_none_or(|name| !CALLED.contains(&name)))
    };
    match value {
        Value::Name(path, _) => holds(path),
        Value::Text(text) => {
            text.pieces.iter().any(|piece| matches!(piece, Piece::Unknown(origin) if holds(origin)))
        }
        Value::List(list) | Value::Any(list) => list.iter().any(|value| is_stored(value, depth)),
        Value::Table(table) => table.iter().any(|(_, value)| is_stored(value, depth)),
        Value::Method(method) => is_stored(&method.0, depth),
        Value::Number(_)
        | Value::Function(_)
        | Value::File(_)
        | Value::Holder(_)
        | Value::Asks(_) => false,
    }
}
