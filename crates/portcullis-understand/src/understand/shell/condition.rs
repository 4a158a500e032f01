//! What `[[ … ]]`, `test` and `case` find out about known text. Owns their operators; files are not looked at, so whatever asks
//! for one is not known.

use portcullis_syntax::{
    Span,
    shell::{Part, PartKind, Word},
};

use super::walk::Walk;
use crate::pattern::{self, PATTERN_BYTES};
use crate::{
    effect::Argument,
    text::{Piece, Text},
};

impl Walk<'_> {
    /// Whether the words between `[[` and `]]` hold; every substitution in them is read.
    pub(super) fn conditional(&mut self, words: &[Word]) -> Option<bool> {
        let mut operands = Vec::with_capacity(words.len());
        for word in words {
            let text = self.single(word);
            self.subscripts(&text, word.span);
            let is_bare = matches!(
                word.parts.as_slice(),
                [Part { kind: PartKind::Literal(_) | PartKind::Glob(_), .. }]
            );
            operands.push(Operand { pattern: self.escaped(word, &text), text, is_bare });
        }
        self.evaluated_operands(&operands);
        let mut reader = Conditions { operands: &operands, at: 0, walk: self };
        let holds = reader.either();
        if reader.at == operands.len() { holds } else { None }
    }

    /// Operands that are numbers, and those that are names of variables.
    fn evaluated_operands(&mut self, operands: &[Operand]) {
        let is = |operand: &Operand, operators: &[&str]| {
            operand.is_bare && operand.text.as_known().is_some_and(|it| operators.contains(&it))
        };
        for pair in operands.windows(2) {
            let [first, second] = pair else { continue };
            if is(first, &["-v", "-R"]) {
                self.named(&second.text, Span::default());
            }
            for (operator, operand) in [(first, second), (second, first)] {
                if is(operator, &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"]) {
                    self.evaluated(&operand.text, Span::default());
                }
            }
        }
    }

    /// Whether a text matches a pattern as written in a `case`.
    pub(super) fn matched(&mut self, subject: &Text, word: &Word) -> Option<bool> {
        let text = self.single(word);
        let pattern = self.escaped(word, &text)?;
        let known = subject.as_known()?;
        self.is_like(&pattern, known)
    }

    /// Whether a pattern is like a text, by the rules on upper and lower case that may be in force.
    fn is_like(&self, pattern: &str, text: &str) -> Option<bool> {
        let like = is_like(pattern, text)?;
        if like || !self.state.may_be_on("shopt nocasematch") {
            return Some(like);
        }
        match is_like(&pattern.to_lowercase(), &text.to_lowercase())? {
            true if self.state.option("shopt nocasematch") != Some(true) => None,
            either => Some(either),
        }
    }

    /// A word as a pattern: what is quoted in it stands for itself.
    pub(super) fn pattern_of(&mut self, word: &Word) -> Option<String> {
        let text = self.single(word);
        self.escaped(word, &text)
    }

    fn escaped(&mut self, word: &Word, text: &Text) -> Option<String> {
        let has_quotes = word
            .parts
            .iter()
            .any(|part| matches!(part.kind, PartKind::Quoted(_) | PartKind::DoubleQuoted(_)));
        if word.parts.iter().any(|part| matches!(part.kind, PartKind::ExtendedGlob { .. })) {
            return None;
        }
        let whole = text.as_pattern()?;
        if !has_quotes || !whole.contains(['*', '?', '[', '\\']) {
            return Some(whole);
        }
        let mut pattern = String::new();
        for part in &word.parts {
            let is_quoted = matches!(part.kind, PartKind::Quoted(_) | PartKind::DoubleQuoted(_));
            let substitutes = match &part.kind {
                PartKind::DoubleQuoted(parts) => parts.iter().any(runs),
                _ => runs(part),
            };
            // What was run once for its value is not run again for its quotes.
            if substitutes {
                return None;
            }
            let text = self.single(&Word { parts: vec![part.clone()], span: part.span });
            for piece in &text.pieces {
                match piece {
                    Piece::Known(known) if is_quoted => {
                        for character in known.chars() {
                            if matches!(character, '*' | '?' | '[' | ']' | '\\') {
                                pattern.push('\\');
                            }
                            pattern.push(character);
                        }
                    }
                    Piece::Known(known) | Piece::Glob(known) => pattern.push_str(known),
                    Piece::Unknown(_) => return None,
                }
            }
        }
        Some(pattern)
    }

    /// Whether the arguments of `test` hold.
    pub(super) fn tested(&mut self, arguments: &[Argument]) -> Option<bool> {
        let texts: Vec<&Text> = arguments.iter().map(|argument| &argument.text).collect();
        // A pattern may become any number of arguments.
        if texts.iter().any(|text| text.pieces.iter().any(|piece| matches!(piece, Piece::Glob(_))))
        {
            return None;
        }
        self.test_words(&texts)
    }

    fn test_words(&mut self, texts: &[&Text]) -> Option<bool> {
        let word = |index: usize| texts.get(index).and_then(|text| text.as_known());
        match texts {
            [] => Some(false),
            [only] => is_filled(only),
            [_, rest @ ..] if word(0) == Some("!") && texts.len() != 3 => {
                self.test_words(rest).map(|holds| !holds)
            }
            [_, operand] => unary(word(0)?, operand),
            [left, _, right] => {
                if let Some(holds) = self.binary(left, word(1)?, right) {
                    return holds;
                }
                match (word(0), word(1)) {
                    (Some("!"), _) => self.test_words(texts.get(1..)?).map(|holds| !holds),
                    (_, Some("-a")) => Some(is_filled(left)? && is_filled(right)?),
                    (_, Some("-o")) => Some(is_filled(left)? || is_filled(right)?),
                    _ => None,
                }
            }
            _ => {
                for (operator, is_or) in [("-o", true), ("-a", false)] {
                    let at = (1..texts.len()).rev().find(|index| word(*index) == Some(operator));
                    if let Some(at) = at {
                        let left = self.test_words(texts.get(..at)?);
                        let right = self.test_words(texts.get(at + 1..)?);
                        return if is_or { or(left, right) } else { and(left, right) };
                    }
                }
                None
            }
        }
    }

    /// What a binary operator says; `None` where it is none.
    fn binary(&mut self, left: &Text, operator: &str, right: &Text) -> Option<Option<bool>> {
        let both = || Some((left.as_known()?.to_owned(), right.as_known()?.to_owned()));
        Some(match operator {
            "=" | "==" => both().map(|(left, right)| left == right),
            "!=" => both().map(|(left, right)| left != right),
            "<" => both().map(|(left, right)| left < right),
            ">" => both().map(|(left, right)| left > right),
            "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" => both().and_then(|(left, right)| {
                let (left, right) = (self.evaluate(&left)?, self.evaluate(&right)?);
                Some(match operator {
                    "-eq" => left == right,
                    "-ne" => left != right,
                    "-lt" => left < right,
                    "-le" => left <= right,
                    "-gt" => left > right,
                    _ => left >= right,
                })
            }),
            "-nt" | "-ot" | "-ef" | "=~" => None,
            _ => return None,
        })
    }
}

/// One word between `[[` and `]]`.
struct Operand {
    text: Text,
    pattern: Option<String>,
    /// Whether it is written without quotes, so that it may be an operator.
    is_bare: bool,
}

struct Conditions<'a, 'w, 'f> {
    operands: &'a [Operand],
    at: usize,
    walk: &'w mut Walk<'f>,
}

impl Conditions<'_, '_, '_> {
    fn either(&mut self) -> Option<bool> {
        let mut holds = self.both();
        while self.takes("||") {
            let other = self.both();
            holds = or(holds, other);
        }
        holds
    }

    fn both(&mut self) -> Option<bool> {
        let mut holds = self.one();
        while self.takes("&&") {
            let other = self.one();
            holds = and(holds, other);
        }
        holds
    }

    fn one(&mut self) -> Option<bool> {
        let mut negated = false;
        while self.takes("!") {
            negated = !negated;
        }
        let holds = if self.takes("(") {
            let holds = self.either();
            self.takes(")");
            holds
        } else {
            self.simple()
        };
        holds.map(|holds| holds != negated)
    }

    fn simple(&mut self) -> Option<bool> {
        let first = self.operands.get(self.at)?;
        let second = self.operands.get(self.at + 1);
        let ends = |operand: &Operand| {
            operand.is_bare && matches!(operand.text.as_known(), Some("&&" | "||" | ")"))
        };
        let Some(second) = second.filter(|second| !ends(second)) else {
            self.at += 1;
            return is_filled(&first.text);
        };
        if first.is_bare
            && let Some(operator) = first.text.as_known()
            && operator.len() == 2
            && operator.starts_with('-')
        {
            self.at += 2;
            return unary(operator, &second.text);
        }
        let third = self.operands.get(self.at + 2)?;
        self.at += 3;
        let operator = second.text.as_pattern()?;
        match operator.as_str() {
            "=" | "==" | "!=" => {
                let like = self.walk.is_like(third.pattern.as_deref()?, first.text.as_known()?);
                like.map(|like| like != (operator == "!="))
            }
            operator => self.walk.binary(&first.text, operator, &third.text).flatten(),
        }
    }

    fn takes(&mut self, mark: &str) -> bool {
        let found = self
            .operands
            .get(self.at)
            .is_some_and(|operand| operand.is_bare && operand.text.as_known() == Some(mark));
        self.at += usize::from(found);
        found
    }
}

fn unary(operator: &str, operand: &Text) -> Option<bool> {
    match operator {
        "-n" => is_filled(operand),
        "-z" => is_filled(operand).map(|filled| !filled),
        _ => None,
    }
}

/// Whether a text surely holds something, or surely nothing.
fn is_filled(text: &Text) -> Option<bool> {
    match text.pieces.as_slice() {
        [] => Some(false),
        pieces if pieces.iter().any(|piece| matches!(piece, Piece::Known(_))) => Some(true),
        _ => None,
    }
}

/// Whether a part runs something for its value.
fn runs(part: &Part) -> bool {
    matches!(
        part.kind,
        PartKind::CommandSubstitution { .. }
            | PartKind::ProcessSubstitution { .. }
            | PartKind::Arithmetic(_)
    )
}

fn is_like(pattern: &str, text: &str) -> Option<bool> {
    if pattern.len() > PATTERN_BYTES || text.len() > PATTERN_BYTES {
        return None;
    }
    Some(pattern::matches(pattern, text))
}

fn and(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    match (left, right) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn or(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    match (left, right) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}
