//! A text as the words and names in it. Owns where one ends: at blanks, quotes and brackets, and without the signs around it.

/// A word or name.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    /// Where it begins in the text.
    pub(super) start: usize,
    /// Whether it stood in quotes or backticks.
    is_quoted: bool,
}

impl Token<'_> {
    /// Whether it names a certain thing, and is no word of a sentence: `feature/login`, `4812`, `web-0`, `main.rs`, `ann@example.com`, or
    /// whatever stands in backticks.
    pub(super) fn is_name(&self) -> bool {
        let text = self.text;
        if self.is_quoted && text.len() > 1 {
            return true;
        }
        let inner = text.trim_matches(['.', '-', '\'']);
        let has_sign = inner.contains(['/', '_', '@', '.', ':', '#', '='])
            || inner.contains('-') && inner.len() > 3;
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        let letters = text.bytes().any(|letter| letter.is_ascii_alphabetic());
        text.len() > 1
            && (digits > 2 || digits > 0 && letters || has_sign && letters)
            && !matches!(text, "e.g" | "i.e" | "and/or" | "read-only")
    }
}

/// The words of a text.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let is_end = |letter: char| {
        letter.is_whitespace()
            || matches!(
                letter,
                '"' | '`'
                    | '('
                    | ')'
                    | '['
                    | ']'
                    | '{'
                    | '}'
                    | '<'
                    | '>'
                    | ','
                    | ';'
                    | '|'
                    | '!'
                    | '?'
                    | '“'
                    | '”'
                    | '。'
                    | '，'
                    | '、'
                    | '؟'
                    | '¿'
                    | '¡'
                    | '«'
                    | '»'
            )
    };
    let mut from = 0;
    text.split(is_end).filter_map(move |piece| {
        let start = from;
        let end = start + piece.len();
        let next = text.get(end..).and_then(|rest| rest.chars().next());
        from = end + next.map_or(0, char::len_utf8);
        let trimmed = piece.trim_start_matches(['\'', '*', '.', ':', '’', '$', '€', '£']);
        let begins = start + (piece.len() - trimmed.len());
        let trimmed = trimmed.trim_end_matches(['\'', '*', '.', ':', '’', '%', '€']);
        let before = text.get(..start).and_then(|before| before.chars().next_back());
        let is_quoted = before == Some('`') && next == Some('`');
        (!trimmed.is_empty() && trimmed.chars().any(char::is_alphanumeric)).then_some(Token {
            text: trimmed,
            start: begins,
            is_quoted,
        })
    })
}

/// The parts of sentences: up to a full stop, a comma, a semicolon, a new line, a dash between blanks.
pub(super) fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let mut letters = text.char_indices().peekable();
    let mut from = 0;
    std::iter::from_fn(move || {
        if from >= text.len() {
            return None;
        }
        let start = from;
        while let Some((at, letter)) = letters.next() {
            let after = letters.peek().map(|(_, after)| *after);
            let ends = match letter {
                '\n' | ';' | '!' | '?' | '。' | '，' | '；' | '、' | '！' | '？' | '؟' | '،'
                | '—' | '–' | '(' | ')' => true,
                '.' | ',' | ':' => after.is_none_or(char::is_whitespace),
                _ => false,
            };
            if ends {
                from = at + letter.len_utf8();
                return text.get(start..at);
            }
        }
        from = text.len();
        text.get(start..)
    })
}

/// An amount, in hundredths.
pub(super) fn amount(text: &str) -> Option<u64> {
    let text = text.trim_start_matches(['$', '€', '£']).trim_end_matches(['€', '%', 'k']);
    let plain: String = text.chars().filter(|letter| *letter != ',').collect();
    let (whole, part) = plain.split_once('.').unwrap_or((&plain, ""));
    if whole.is_empty()
        || whole.len() > 12
        || !whole.bytes().chain(part.bytes()).all(|digit| digit.is_ascii_digit())
    {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let part: String = part.chars().chain("00".chars()).zip(0..2).map(|(digit, _)| digit).collect();
    whole.checked_mul(100)?.checked_add(part.parse().ok()?)
}

/// How long a text in quotation marks may be that names something, and how short.
const QUOTED: std::ops::RangeInclusive<usize> = 3..=120;

/// What stands in quotation marks.
pub(super) fn quoted(text: &str) -> impl Iterator<Item = &str> {
    const MARKS: &[(char, char)] =
        &[('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('‘', '’'), ('「', '」'), ('`', '`')];
    let signs = MARKS.iter().flat_map(move |(open, close)| {
        text.split(*open).skip(1).filter_map(move |rest| rest.split_once(*close))
    });
    // An apostrophe opens a title only before a letter that stands behind a blank.
    let apostrophes = text
        .split(" '")
        .skip(1)
        .filter_map(|rest| rest.split_once("' ").or_else(|| Some((rest.strip_suffix('\'')?, ""))));
    // `split` takes the closing mark away where it is the opening one too.
    let same = text.split('"').skip(1).step_by(2).chain(text.split('`').skip(1).step_by(2));
    signs
        .chain(apostrophes)
        .map(|(title, _)| title)
        .chain(same)
        .filter(|title| QUOTED.contains(&title.len()))
}
