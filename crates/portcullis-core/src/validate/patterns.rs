//! Patterns and expressions that tools are given: what they may match, and how much work they may be.

use serde::Deserialize;

use super::{Refused, seen};

/// A pattern of file names.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct GlobRules {
    /// Whether `**` may be used.
    pub recursive: bool,
}

impl GlobRules {
    pub(super) fn check(&self, pattern: &str) -> Result<(), Refused> {
        let refuse = |message: &str| Err(Refused::new("glob", message));
        seen("glob", pattern)?;
        if pattern.is_empty() || pattern.len() > 1_024 {
            return refuse("the pattern is empty or too long");
        }
        if pattern.starts_with(['/', '\\', '~', '-']) || pattern.contains(':') {
            return refuse("the pattern does not begin in the workspace");
        }
        // `{.,}.` and `[.].` are `..` too.
        let bare: String =
            pattern.chars().filter(|letter| !"{}[],()!^?\\".contains(*letter)).collect();
        if bare.split('/').any(|component| component.contains(".."))
            || pattern.split('/').any(is_parent)
        {
            return refuse("the pattern can lead upwards");
        }
        let stars = pattern.matches("**").count();
        if stars > 0 && !self.recursive {
            return refuse("the pattern goes through all directories");
        }
        if stars > 2
            || pattern.matches(['*', '?']).count() > 16
            || pattern.matches(['{', '[', '(']).count() > 8
        {
            return refuse("the pattern has too many wildcards");
        }
        Ok(())
    }
}

/// Whether a component of a pattern stands for `..` in some shell: `.*` and `.?` do, `*` and `?` do not, as they take no dot at the
/// beginning. Choices (`{a,b}`, `@(a|b)`) may stand for anything.
fn is_parent(component: &str) -> bool {
    #[derive(Clone, Copy, PartialEq)]
    enum Piece {
        Letter(char),
        /// One character, no dot at the beginning.
        One,
        /// Any, no dot at the beginning.
        Many,
        /// Anything at all.
        Choice,
        /// Letters, which do not make up `..`, or nothing.
        Perhaps,
    }
    let mut pieces = Vec::new();
    let mut letters = component.chars().peekable();
    while let Some(letter) = letters.next() {
        let mut until =
            |close: char| letters.by_ref().take_while(|one| *one != close).collect::<String>();
        let choice = |inner: &str| match inner.contains(['.', '*', '?', '[', '{', '(']) {
            true => Piece::Choice,
            false => Piece::Perhaps,
        };
        let piece = match letter {
            '[' => {
                until(']');
                Piece::One
            }
            '{' => choice(&until('}')),
            '(' => {
                // What stands before it says how often.
                pieces.pop();
                choice(&until(')'))
            }
            '\\' => Piece::Letter(letters.next().unwrap_or('\\')),
            '?' => Piece::One,
            '*' => Piece::Many,
            other => Piece::Letter(other),
        };
        pieces.push(piece);
    }
    fn matches(pieces: &[Piece], text: &[char], begins: bool) -> bool {
        let Some((first, rest)) = pieces.split_first() else { return text.is_empty() };
        let shorter = || text.split_first().map(|(_, shorter)| shorter);
        match first {
            Piece::Letter(letter) => {
                text.first() == Some(letter)
                    && shorter().is_some_and(|shorter| matches(rest, shorter, false))
            }
            Piece::One => !begins && shorter().is_some_and(|shorter| matches(rest, shorter, false)),
            Piece::Many if begins => false,
            Piece::Many | Piece::Choice => {
                matches(rest, text, begins)
                    || shorter().is_some_and(|shorter| matches(pieces, shorter, false))
            }
            Piece::Perhaps => matches(rest, text, begins),
        }
    }
    // A component without a wildcard says it in so many words.
    pieces.iter().any(|piece| !matches!(piece, Piece::Letter(_)))
        && pieces.len() <= 64
        && matches(&pieces, &['.', '.'], true)
}

/// A regular expression, for programs that go back over the text.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct RegexRules {
    /// Whether the program reads it without going back (`grep -E`, RE2, Rust), so that repetitions within repetitions cost nothing.
    pub linear: bool,
}

impl RegexRules {
    pub(super) fn check(&self, pattern: &str) -> Result<(), Refused> {
        let refuse = |message: &str| Err(Refused::new("regex", message));
        if pattern.len() > 1_000 {
            return refuse("the expression is too long");
        }
        if pattern.contains('\0') {
            return refuse("the expression holds a NUL");
        }
        // References back and looks around are in no regular language, and refused with what is malformed.
        if regex::RegexBuilder::new(pattern).size_limit(1 << 20).nest_limit(32).build().is_err() {
            return refuse("the expression cannot be read, or takes too much");
        }
        if !self.linear && repeats_repetition(pattern) {
            return refuse("the expression repeats what repeats, which can take for ever");
        }
        Ok(())
    }
}

/// How many ways of taking a text a repeated group may have.
const WAYS: f64 = 4_096.0;

/// Whether a group that can take a text in several ways (`a+`, `a?`, `a{1,9}`, `a|b`) is itself repeated, so often that trying them all takes
/// for ever: `(a+)+`, `(a|a)*`, `(a?){30}`, `(a{1,9}){1,9}`.
fn repeats_repetition(pattern: &str) -> bool {
    let letters: Vec<char> = pattern.chars().collect();
    // How many ways each open group has.
    let mut groups = vec![1.0_f64];
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        let mut ways = 1.0;
        at += 1;
        match letter {
            '\\' => at += 1,
            '[' => {
                // The first `]` of a class is one of its characters.
                at += usize::from(letters.get(at) == Some(&'^')) + 1;
                while letters.get(at).is_some_and(|letter| *letter != ']') {
                    at += 1 + usize::from(letters.get(at) == Some(&'\\'));
                }
                at += 1;
            }
            '(' => {
                groups.push(1.0);
                // `(?:`, `(?i)`
                at += usize::from(letters.get(at) == Some(&'?'));
                continue;
            }
            ')' if groups.len() > 1 => ways = groups.pop().unwrap_or(1.0),
            '|' => ways = 2.0,
            _ => {}
        }
        if let Some((least, most, width)) = quantifier(letters.get(at..).unwrap_or_default()) {
            at += width;
            if ways > 1.0 && most > 1.0 {
                // What is taken any number of times takes a short text in about as many ways as it has letters.
                let all = if ways.is_finite() { ways } else { 16.0 }.powf(most);
                if all > WAYS {
                    return true;
                }
                ways = all.max(ways);
            }
            ways *= most - least + 1.0;
        }
        if let Some(group) = groups.last_mut() {
            *group *= ways;
        }
    }
    false
}

/// How often at least and at most what stands before it is taken, and how long it is written.
fn quantifier(letters: &[char]) -> Option<(f64, f64, usize)> {
    let (least, most, width) = match letters.first()? {
        '*' => (0.0, f64::INFINITY, 1),
        '+' => (1.0, f64::INFINITY, 1),
        '?' => (0.0, 1.0, 1),
        '{' => {
            let end = letters.iter().position(|letter| *letter == '}')?;
            let inner: String = letters.get(1..end)?.iter().collect();
            let (least, most) = inner.split_once(',').unwrap_or((&inner, &inner));
            let least: u32 = least.trim().parse().ok()?;
            let most = match most.trim() {
                "" => f64::INFINITY,
                most => f64::from(most.parse::<u32>().ok()?),
            };
            (f64::from(least), most, end + 1)
        }
        _ => return None,
    };
    // Lazy or possessive.
    let more = usize::from(matches!(letters.get(width), Some('?' | '+')));
    Some((least, most, width + more))
}
