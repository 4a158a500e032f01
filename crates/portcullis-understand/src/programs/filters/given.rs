//! Options of text programs, read as getopt does. Owns bundles, attached values, long names and their abbreviations.

use crate::{effect::Argument, text::Text};

/// The arguments of a text program.
pub(super) struct Given<'a> {
    /// Each option by its short letter, with its value where it takes one, in the order written.
    pub(super) options: Vec<(char, Option<Text>)>,
    /// The others.
    pub(super) operands: Vec<&'a Argument>,
    /// Whether an option was given that is not listed, so that nothing can be said about the output.
    pub(super) strange: bool,
}

impl<'a> Given<'a> {
    pub(super) fn new(arguments: &'a [Argument], short: &str, long: &[(&str, char)]) -> Self {
        let mut given = Self { options: Vec::new(), operands: Vec::new(), strange: false };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let prefix = argument.text.known_prefix();
            let known = argument.text.as_known();
            if known == Some("--") {
                given.operands.extend(rest);
                break;
            }
            if let Some(name) = prefix.strip_prefix("--") {
                given.long(name, &argument.text, short, long, &mut rest);
            } else if prefix.len() > 1 && prefix.starts_with('-') {
                given.bundle(prefix, &argument.text, short, &mut rest);
            } else {
                given.operands.push(argument);
            }
        }
        given
    }

    /// Whether the option is given.
    pub(super) fn has(&self, option: char) -> bool {
        self.options.iter().any(|(given, _)| *given == option)
    }

    /// The value of the option where it is given last.
    pub(super) fn value(&self, option: char) -> Option<&Text> {
        self.options
            .iter()
            .rev()
            .find(|(given, _)| *given == option)
            .and_then(|(_, value)| value.as_ref())
    }

    /// The value of the option, or `default` where it is not given; `None` where it is given and not known.
    pub(super) fn known_or<'g>(&'g self, option: char, default: &'g str) -> Option<&'g str> {
        self.value(option).map_or(Some(default), Text::as_known)
    }

    fn long(
        &mut self,
        name: &str,
        whole: &Text,
        short: &str,
        long: &[(&str, char)],
        rest: &mut std::slice::Iter<'a, Argument>,
    ) {
        let (name, attached) = match name.split_once('=') {
            Some((name, _)) => (name, Some(without_prefix(whole, name.len() + 3))),
            None => (name, None),
        };
        let exact = long.iter().find(|(full, _)| *full == name);
        let mut abbreviated = long.iter().filter(|(full, _)| full.starts_with(name));
        let Some((_, letter)) = exact.or_else(|| {
            let first = abbreviated.next();
            if abbreviated.next().is_some() { None } else { first }
        }) else {
            self.strange = true;
            return;
        };
        let value = if takes_value(short, *letter) {
            attached.or_else(|| rest.next().map(|argument| argument.text.clone()))
        } else {
            attached
        };
        self.options.push((*letter, value));
    }

    fn bundle(
        &mut self,
        prefix: &str,
        whole: &Text,
        short: &str,
        rest: &mut std::slice::Iter<'a, Argument>,
    ) {
        for (at, letter) in prefix.char_indices().skip(1) {
            let listed = letter != ':' && short.contains(letter);
            if !listed {
                // `-5` and `+5` are counts to head and tail; the option `#` stands for them.
                if letter.is_ascii_digit() && short.contains('#') && at == 1 {
                    self.options.push(('#', Some(without_prefix(whole, 1))));
                } else {
                    self.strange = true;
                }
                return;
            }
            if takes_value(short, letter) {
                let after = at + letter.len_utf8();
                let attached = without_prefix(whole, after);
                let value = if attached.is_empty() {
                    rest.next().map(|argument| argument.text.clone())
                } else {
                    Some(attached)
                };
                self.options.push((letter, value));
                return;
            }
            self.options.push((letter, None));
        }
        if whole.has_unknown() {
            self.strange = true;
        }
    }
}

fn takes_value(short: &str, letter: char) -> bool {
    let mut letters = short.chars().skip_while(|listed| *listed != letter);
    letters.next();
    letters.next() == Some(':')
}

/// The text without its first `bytes` known bytes.
fn without_prefix(text: &Text, bytes: usize) -> Text {
    let mut result = text.derive([]);
    let mut pieces = text.pieces.iter();
    if let Some(crate::text::Piece::Known(first)) = pieces.next() {
        result.push_known(first.get(bytes..).unwrap_or(""));
    }
    for piece in pieces {
        result.push(piece.clone());
    }
    result
}
