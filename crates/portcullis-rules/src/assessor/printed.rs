//! What code only says. Owns which strings and comments of a text are never carried out, and blanks them, so that patterns
//! look at the rest.

use std::collections::BTreeMap;

use portcullis_syntax::code::{TextPart, Token, TokenKind, dialect, tokens};

/// Python without comments, texts that stand alone, and texts that are only printed or logged, directly or by way of a
/// name; and the strings that are left. Blanks stand for what is left out, line ends stay.
pub(super) fn without_printed(code: &str) -> (String, Vec<String>) {
    let tokens = tokens(code, dialect("python"));
    let shown = shown(code, &tokens.list);
    let mut masked = Masked { code, text: String::with_capacity(code.len()), at: 0 };
    let mut strings = Vec::new();
    for (token, shown) in tokens.list.iter().zip(shown) {
        let range = token.span.range();
        masked.blank_to(range.start);
        if let TokenKind::Text(parts) = &token.kind {
            if shown {
                for part in parts {
                    if let TextPart::Code(span) = part {
                        masked.blank_to(span.range().start);
                        masked.copy_to(span.range().end);
                    }
                }
                masked.blank_to(range.end);
                continue;
            }
            strings.push(parts.iter().map(literal).collect());
        }
        masked.copy_to(range.end);
    }
    if tokens.complete {
        masked.blank_to(code.len());
    } else {
        // What was not read is matched as it stands.
        masked.copy_to(code.len());
    }
    (masked.text, strings)
}

fn literal(part: &TextPart) -> &str {
    match part {
        TextPart::Literal(text) => text,
        TextPart::Code(_) => " ",
    }
}

/// For each token whether it is a text that nobody but a reader sees.
fn shown(code: &str, tokens: &[Token]) -> Vec<bool> {
    let word = |at: usize| {
        tokens.get(at).and_then(|token| code.get(token.span.range())).unwrap_or_default()
    };
    let mut shown = vec![false; tokens.len()];
    // Names that stand for one text, where it is, and whether they are used for anything but to be shown.
    let mut names: BTreeMap<&str, (usize, bool)> = BTreeMap::new();
    let mut brackets: Vec<bool> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let printing = brackets.last().copied().unwrap_or(false);
        let ends = tokens.get(at + 1).is_none_or(|next| next.first);
        match &token.kind {
            TokenKind::Text(_) => {
                let alone = token.first && ends;
                let named = ends
                    && at >= 2
                    && word(at - 1) == "="
                    && tokens.get(at - 2).is_some_and(|name| name.first);
                if let Some(mark) = shown.get_mut(at) {
                    *mark = printing || (alone && brackets.is_empty());
                }
                if named && brackets.is_empty() {
                    // A name that is given two texts is not followed.
                    names
                        .entry(word(at - 2))
                        .and_modify(|entry| entry.1 = true)
                        .or_insert((at, false));
                }
            }
            TokenKind::Name => {
                let assigned = token.first && word(at + 1) == "=";
                if !printing && !assigned {
                    names
                        .entry(word(at))
                        .and_modify(|entry| entry.1 = true)
                        .or_insert((usize::MAX, true));
                }
            }
            TokenKind::Operator => match word(at) {
                "(" => brackets.push(at > 0 && is_print(tokens, at - 1, &word)),
                "[" | "{" => brackets.push(false),
                ")" | "]" | "}" => {
                    brackets.pop();
                }
                _ => {}
            },
            _ => {}
        }
    }
    for (at, used) in names.into_values() {
        if let (false, Some(mark)) = (used, shown.get_mut(at)) {
            *mark = true;
        }
    }
    shown
}

/// Whether the name at a place is that of a function that shows its arguments.
fn is_print<'a>(tokens: &[Token], at: usize, word: &impl Fn(usize) -> &'a str) -> bool {
    if tokens.get(at).is_none_or(|token| token.kind != TokenKind::Name) {
        return false;
    }
    let method = at >= 2 && word(at - 1) == ".";
    if !method {
        return matches!(word(at), "print" | "pprint");
    }
    matches!(
        word(at),
        "debug"
            | "info"
            | "warning"
            | "warn"
            | "error"
            | "critical"
            | "exception"
            | "log"
            | "print"
    ) && matches!(
        word(at - 2),
        "logging"
            | "logger"
            | "log"
            | "LOG"
            | "LOGGER"
            | "_logger"
            | "console"
            | "warnings"
            | "rich"
    )
}

struct Masked<'a> {
    code: &'a str,
    text: String,
    at: usize,
}

impl Masked<'_> {
    fn copy_to(&mut self, end: usize) {
        if end > self.at {
            self.text.push_str(self.code.get(self.at..end).unwrap_or_default());
            self.at = end;
        }
    }

    fn blank_to(&mut self, end: usize) {
        if end > self.at {
            let left_out = self.code.get(self.at..end).unwrap_or_default();
            self.text
                .extend(left_out.chars().map(|letter| if letter == '\n' { '\n' } else { ' ' }));
            self.at = end;
        }
    }
}

/// A shell script without comments and without what stands in quotation marks: what a quoted text does is known from the
/// walk over the script, not from its letters.
pub(super) fn without_quotes(script: &str) -> String {
    let mut text = String::with_capacity(script.len());
    let mut quote = None;
    let mut escaped = false;
    let mut before = '\n';
    for letter in script.chars() {
        let hidden = match quote {
            Some('#') => {
                if letter == '\n' {
                    quote = None;
                }
                true
            }
            Some(open) => {
                if escaped {
                    escaped = false;
                } else if letter == '\\' && open == '"' {
                    escaped = true;
                } else if letter == open {
                    quote = None;
                }
                true
            }
            None => {
                if escaped {
                    escaped = false;
                } else if letter == '\\' {
                    escaped = true;
                } else if matches!(letter, '\'' | '"') || (letter == '#' && before.is_whitespace())
                {
                    quote = Some(letter);
                }
                quote.is_some()
            }
        };
        before = letter;
        text.push(if hidden && letter != '\n' { ' ' } else { letter });
    }
    text
}
