//! Shell patterns against known text. Owns `*`, `?` and `[…]`; it expands nothing.

use crate::bound::Bounded;

/// The longest text that patterns are tried on. Matching is quadratic at worst; longer texts count as not known.
pub(crate) const PATTERN_BYTES: usize = 4096;

/// Whether `pattern` matches the whole of `text`. Linear in the text for each `*` in the pattern.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    whole(&pattern, &text)
}

/// The end of the longest or shortest match of `pattern` that begins at the start of `text`, in characters.
pub(super) fn prefix(pattern: &[char], text: &[char], longest: bool) -> Option<usize> {
    let mut ends: Box<dyn Iterator<Item = usize>> =
        if longest { Box::new((0..=text.len()).rev()) } else { Box::new(0..=text.len()) };
    ends.find(|end| text.get(..*end).is_some_and(|start| whole(pattern, start)))
}

/// The start of the longest or shortest match that ends at the end of `text`, in characters.
pub(super) fn suffix(pattern: &[char], text: &[char], longest: bool) -> Option<usize> {
    let mut starts: Box<dyn Iterator<Item = usize>> =
        if longest { Box::new(0..=text.len()) } else { Box::new((0..=text.len()).rev()) };
    starts.find(|start| text.get(*start..).is_some_and(|end| whole(pattern, end)))
}

pub(super) fn whole(pattern: &[char], text: &[char]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&'*') {
            star = Some((p, t));
            p += 1;
            continue;
        }
        if let Some(length) = one(pattern.get(p..).unwrap_or(&[]), text.get(t).copied()) {
            p += length;
            t += 1;
        } else if let Some((star_p, star_t)) = star {
            p = star_p + 1;
            t = star_t + 1;
            star = Some((star_p, star_t + 1));
        } else {
            return false;
        }
    }
    pattern.get(p..).is_none_or(|rest| rest.iter().all(|character| *character == '*'))
}

/// How much of `pattern` one character takes, where it matches.
fn one(pattern: &[char], character: Option<char>) -> Option<usize> {
    let character = character?;
    match pattern.first()? {
        '?' => Some(1),
        '\\' => (pattern.get(1) == Some(&character)).then_some(2),
        '[' => {
            let Some(close) = closing(pattern) else {
                return (character == '[').then_some(1);
            };
            let inside = pattern.get(1..close)?;
            let (negated, set) = match inside.first() {
                Some('!' | '^') => (true, inside.get(1..)?),
                _ => (false, inside),
            };
            let mut found = false;
            let mut index = 0;
            while let Some(low) = set.get(index) {
                if let Some((class, length)) = class(set.get(index..).unwrap_or(&[])) {
                    found |= class(character);
                    index += length;
                } else if set.get(index + 1) == Some(&'-')
                    && let Some(high) = set.get(index + 2)
                {
                    found |= (*low..=*high).contains(&character);
                    index += 3;
                } else {
                    found |= *low == character;
                    index += 1;
                }
            }
            (found != negated).then_some(close + 1)
        }
        literal => (*literal == character).then_some(1),
    }
}

/// Where the `]` is that closes a set; one that comes first, or that closes a class in it, does not.
fn closing(pattern: &[char]) -> Option<usize> {
    let mut at = 1 + usize::from(matches!(pattern.get(1), Some('!' | '^')));
    at += usize::from(pattern.get(at) == Some(&']'));
    loop {
        match (pattern.get(at)?, pattern.get(at + 1)) {
            (']', _) => return Some(at),
            ('[', Some(':')) => {
                at += class(pattern.get(at..)?).map_or(1, |(_, length)| length);
            }
            ('\\', Some(_)) => at += 2,
            _ => at += 1,
        }
    }
}

/// Whether a character is of a class.
type Holds = fn(char) -> bool;

/// `[:alpha:]` and its kin.
const CLASSES: &[(&str, Holds)] = &[
    ("alnum", char::is_alphanumeric),
    ("alpha", char::is_alphabetic),
    ("blank", |character| matches!(character, ' ' | '\t')),
    ("digit", |character| character.is_ascii_digit()),
    ("lower", char::is_lowercase),
    ("punct", |character| character.is_ascii_punctuation()),
    ("space", char::is_whitespace),
    ("upper", char::is_uppercase),
    ("xdigit", |character| character.is_ascii_hexdigit()),
];

/// A class at the beginning of a set, with its length.
fn class(set: &[char]) -> Option<(Holds, usize)> {
    let rest = set.strip_prefix(&['[', ':'])?;
    let end = rest.iter().leading(8).position(|character| *character == ':')?;
    if rest.get(end + 1) != Some(&']') {
        return None;
    }
    let name: String = rest.get(..end)?.iter().collect();
    let (_, holds) = CLASSES.iter().find(|(known, _)| *known == name)?;
    Some((*holds, end + 4))
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_match_whole_texts() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("a*c", "abbc", true),
            ("a?c", "abc", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("*.py", "a.pyc", false),
            ("***a", "bba", true),
            ("[", "[", true),
            ("a[b", "a[b", true),
            ("[!]a]", "]", false),
            ("[!]a]", "b", true),
            ("[]a]", "]", true),
            ("[[:alpha:]_]x", "bx", true),
            ("[![:digit:]]", "4", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} on {text}");
        }
    }
}
