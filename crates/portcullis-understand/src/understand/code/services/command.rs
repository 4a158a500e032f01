//! Commands as they are put together from calls. Owns how names, arguments and values are written on a command line, and the telling.

use portcullis_syntax::Span;

use super::super::{
    interpreter::Interpreter,
    value::{Given, Value},
};
use crate::{
    bound::Bounded,
    effect::{Argument, EffectKind, Run},
    text::{Piece, Taint, Text},
};

/// How deep a value is written out.
pub(super) const DEPTH: usize = 6;

/// A command as it is put together.
pub(super) type Words = Vec<Text>;

pub(super) fn known(words: &[&str]) -> Words {
    words.iter().map(|word| Text::known(*word)).collect()
}

impl Interpreter<'_, '_, '_> {
    /// A request with a method that is no `GET`, as the command that makes it.
    pub(in super::super) fn request_by(
        &mut self,
        method: &str,
        address: &Text,
        body: Option<&Text>,
        span: Span,
    ) {
        let method = method.to_ascii_uppercase();
        if !matches!(method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE" | "PURGE") {
            return;
        }
        let mut words = known(&["curl", "-X", method.as_str()]);
        words.push(address.clone());
        if let Some(body) = body.filter(|body| !body.is_empty()) {
            words.push(Text::known("-d"));
            let mut sent = body.clone();
            // A word that begins like this would be the name of a file to the command.
            if sent.known_prefix().starts_with('@') {
                sent = Text::unknown("a body");
            }
            // What is sent is told with the connection.
            sent.taint = Taint::NONE;
            sent.sources.clear();
            words.push(sent);
        }
        self.tell(words, span);
    }

    /// Follows a command as the shell does, with what it is given to read.
    pub(super) fn follow_words(&mut self, words: Words, input: Option<Text>, span: Span) {
        let words: Vec<Argument> = words.into_iter().map(|text| argument(text, span)).collect();
        self.walk.run(&words, input);
    }

    /// Records a command for the rules alone: nothing of what it would do is followed.
    pub(super) fn tell(&mut self, words: Words, span: Span) {
        let mut words = words.into_iter().map(|text| argument(text, span));
        let Some(name) = words.next() else { return };
        let program = name.text.display();
        let arguments = words.collect();
        let run = Run { program, name, arguments, known: true, input: None, is_in_made: false };
        self.walk.emit(EffectKind::Run(run), span);
    }
}

fn argument(text: Text, span: Span) -> Argument {
    Argument { text, span }
}

/// Arguments by name as options: `UserName="a"` is `--user-name=a`.
pub(super) fn options(given: &[Given], words: &mut Words) {
    let mut add = |name: &str, value: &Value| {
        let name = kebab(name);
        if value.is_false() {
            words.push(Text::known(format!("--no-{name}")));
            return;
        }
        let mut word = Text::known(format!("--{name}"));
        if !matches!(value, Value::Name(path, _) if matches!(path.as_ref(), "True" | "true")) {
            word.push_known("=");
            word.append(&written(value, DEPTH));
        }
        words.push(word);
    };
    for given in given.iter() {
        match (&given.name, &given.value) {
            (Some(name), value) => add(name, value),
            (None, Value::Table(table)) => {
                for (name, value) in table.iter() {
                    add(name, value);
                }
            }
            _ => {}
        }
    }
}

/// What is sent of a value: a table or a list as JSON, with where all of it comes from.
pub(in super::super) fn sent(value: &Value) -> Text {
    if !matches!(value, Value::List(_) | Value::Table(_)) {
        return value.text();
    }
    let mut text = written(value, DEPTH);
    value.inherit_into(&mut text);
    text
}

/// What stands in a file that a value was written to: a table is there as JSON.
pub(in super::super) fn put_down(value: &Value) -> Text {
    let is_table = |value: &Value| matches!(value, Value::Table(_));
    match value {
        Value::Table(_) => sent(value),
        Value::List(list) if list.iter().any(is_table) => sent(value),
        value => value.text(),
    }
}

/// A value as JSON, as far as it is known.
pub(super) fn written(value: &Value, depth: usize) -> Text {
    let Some(depth) = depth.checked_sub(1) else { return Text::unknown("a value") };
    let mut text = Text::default();
    match value {
        Value::List(list) => {
            text.push_known("[");
            for (index, value) in list.iter().enumerate() {
                text.push_known(if index == 0 { "" } else { "," });
                text.append(&quoted(value, depth));
            }
            text.push_known("]");
        }
        Value::Table(table) => {
            text.push_known("{");
            for (index, (name, value)) in table.iter().enumerate() {
                text.push_known(if index == 0 { "\"" } else { ",\"" });
                text.push_known(name);
                text.push_known("\":");
                text.append(&quoted(value, depth));
            }
            text.push_known("}");
        }
        Value::Name(path, _) if matches!(path.as_ref(), "True" | "true" | "False" | "false") => {
            text.push_known(&path.to_ascii_lowercase());
        }
        value => return value.text(),
    }
    text
}

fn quoted(value: &Value, depth: usize) -> Text {
    let inner = written(value, depth);
    if !matches!(value, Value::Text(_)) {
        return inner;
    }
    let mut text = Text::known("\"");
    let escaped = inner.pieces.iter().map(|piece| match piece {
        Piece::Known(known) => {
            let known = known.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            Piece::Known(known)
        }
        piece => piece.clone(),
    });
    text.append(&inner.derive(escaped));
    text.push_known("\"");
    text
}

/// `TerminateInstances`, `terminateInstances` and `terminate_instances` as `terminate-instances`.
pub(in super::super) fn kebab(name: &str) -> String {
    let letters: Vec<char> = name.chars().leading(96).collect();
    let mut kebab = String::with_capacity(letters.len() + 8);
    for (index, letter) in letters.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| letters.get(before));
        let after = letters.get(index + 1);
        let begins = letter.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || before.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase)
            });
        if begins {
            kebab.push('-');
        }
        kebab.push(if *letter == '_' { '-' } else { letter.to_ascii_lowercase() });
    }
    kebab
}

/// The known rest of a text that begins with what it is: `data:text/javascript,…`.
pub(in super::super) fn data_of(text: &Text) -> Option<Text> {
    const KINDS: &[&str] = &["ecmascript", "javascript", "typescript", "x-typescript"];
    let (start, rest) = text.known_prefix().split_once(',')?;
    let kind = start.strip_prefix("data:")?.split(';').next()?;
    let (family, kind) = kind.split_once('/')?;
    if !matches!(family, "application" | "text") || !KINDS.contains(&kind) {
        return None;
    }
    // What `btoa` was given is known as it was written.
    if start.ends_with(";base64")
        && text.as_known().is_some()
        && let Ok(code) = data_encoding::BASE64.decode(rest.as_bytes())
    {
        let code = String::from_utf8_lossy(&code).into_owned();
        return Some(text.derive([Piece::Known(code)]));
    }
    let skip = start.len() + 1;
    let pieces = text.pieces.iter().enumerate().map(|(index, piece)| match piece {
        Piece::Known(known) if index == 0 => {
            Piece::Known(known.get(skip..).unwrap_or_default().to_owned())
        }
        other => other.clone(),
    });
    Some(text.derive(pieces))
}

#[cfg(test)]
mod tests {
    use super::kebab;

    #[test]
    fn names_of_methods_become_names_of_commands() {
        for (name, expected) in [
            ("terminate_instances", "terminate-instances"),
            ("TerminateInstances", "terminate-instances"),
            ("createDBInstance", "create-db-instance"),
            ("ACL", "acl"),
            ("PolicyArn", "policy-arn"),
            ("deleteV1Namespace", "delete-v1-namespace"),
        ] {
            assert_eq!(kebab(name), expected);
        }
    }
}
