//! A text of any language as what nearly all of them have: names, texts in quotes, brackets, ends of lines. Owns the spellings of comments and of
//! texts; what a name means is not known here.

use portcullis_syntax::Span;

/// How many parts of one text are taken.
const PARTS: usize = 60_000;

/// Something that a text is made of.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum What {
    /// A name with the dots, colons and marks in it.
    Name(String),
    /// A text in quotes, with `\u{1}NAME\u{2}` where a value is put in.
    Text(String),
    /// `(`, `[` or `{`.
    Open(char),
    /// `)`, `]` or `}`.
    Close(char),
    /// The end of a line, with how far the next one is indented.
    Line(usize),
    /// Anything else, marks that stand together as one.
    Mark(String),
}

/// A part with its place.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Part {
    pub(super) what: What,
    pub(super) span: Span,
}

impl Part {
    pub(super) fn name(&self) -> Option<&str> {
        match &self.what {
            What::Name(name) => Some(name),
            _ => None,
        }
    }

    pub(super) fn is_mark(&self, marks: &[&str]) -> bool {
        matches!(&self.what, What::Mark(mark) if marks.contains(&mark.as_str()))
    }
}

/// How a language writes what it does not run, and its texts.
pub(super) struct Spelling {
    /// What a comment begins with that goes on to the end of the line.
    comment: &'static [&'static str],
    /// What comments stand between.
    block: &'static [(&'static str, &'static str)],
    /// Whether a text may stand in single quotes.
    single: bool,
    /// Whether forms are written in brackets, with marks in their names.
    pub(super) is_lisp: bool,
}

/// How a language is written.
pub(super) fn spelling(language: &str) -> Spelling {
    let slashes = Spelling {
        comment: &["//"],
        block: &[("/*", "*/")],
        single: matches!(language, "groovy" | "dart" | "gradle"),
        is_lisp: false,
    };
    match language {
        "elixir" | "crystal" | "raku" | "octave" => {
            Spelling { comment: &["#"], block: &[], single: true, is_lisp: false }
        }
        "julia" | "r" => Spelling {
            comment: &["#"],
            block: &[("#=", "=#")],
            single: language == "r",
            is_lisp: false,
        },
        "nim" => {
            Spelling { comment: &["#"], block: &[("#[", "]#")], single: false, is_lisp: false }
        }
        "haskell" => {
            Spelling { comment: &["--"], block: &[("{-", "-}")], single: false, is_lisp: false }
        }
        "ocaml" | "fsharp" => {
            Spelling { comment: &["//"], block: &[("(*", "*)")], single: false, is_lisp: false }
        }
        "erlang" => Spelling { comment: &["%"], block: &[], single: true, is_lisp: false },
        "lisp" | "clojure" | "elisp" | "racket" | "scheme" => {
            Spelling { comment: &[";"], block: &[("#|", "|#")], single: false, is_lisp: true }
        }
        _ => slashes,
    }
}

/// The parts of a text; whether some were left out.
pub(super) fn parts(text: &str, spelling: &Spelling) -> (Vec<Part>, bool) {
    let mut found: Vec<Part> = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if found.len() >= PARTS {
            return (found, true);
        }
        if let Some((_, close)) = spelling.block.iter().find(|(open, _)| rest.starts_with(open)) {
            at += rest
                .get(2..)
                .and_then(|it| it.find(close))
                .map_or(rest.len(), |end| end + 2 + close.len());
            continue;
        }
        if spelling.comment.iter().any(|mark| rest.starts_with(mark)) {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        let letter = rest.chars().next().unwrap_or_default();
        let (what, length) = match letter {
            '\n' => {
                let next = rest.get(1..).unwrap_or_default();
                let indent = next.len() - next.trim_start_matches([' ', '\t']).len();
                (What::Line(indent), 1)
            }
            letter if letter.is_whitespace() => {
                at += letter.len_utf8();
                continue;
            }
            '(' | '[' | '{' if !quoted_braces(rest) => (What::Open(letter), 1),
            ')' | ']' | '}' => (What::Close(letter), 1),
            '"' | '\'' | '`' | '{' => match literal(rest, letter, spelling) {
                Some((value, length)) => (What::Text(value), length),
                None => (What::Mark(letter.to_string()), 1),
            },
            letter if is_name(letter, spelling) => {
                let end = name_end(rest, spelling);
                let name = rest.get(..end).unwrap_or(rest);
                // `r"…"`, `f"…"`, `s"…"`, `~s(…)`: the text itself, marked.
                let next = rest.get(end..).unwrap_or_default();
                if end <= 2 && next.starts_with('"') {
                    at += end;
                    continue;
                }
                (What::Name(name.to_owned()), end)
            }
            letter => {
                let end = rest
                    .find(|it: char| !"+-*/<>=|&.:^~!?@$%\\".contains(it))
                    .unwrap_or(rest.len())
                    .max(letter.len_utf8());
                (What::Mark(rest.get(..end).unwrap_or_default().to_owned()), end)
            }
        };
        found.push(Part { what, span: Span::new(at, at + length) });
        at += length;
    }
    (found, false)
}

/// `{|…|}` of OCaml.
fn quoted_braces(rest: &str) -> bool {
    rest.starts_with("{|")
}

fn is_name(letter: char, spelling: &Spelling) -> bool {
    letter.is_alphanumeric() || letter == '_' || spelling.is_lisp && "*-./?!+<>=:".contains(letter)
}

/// Where a name ends: `a.b`, `A::b`, `x!`, `:os.cmd` without its colon; in Lisp also `a/b` and `a-b`.
fn name_end(rest: &str, spelling: &Spelling) -> usize {
    let mut end = 0;
    while let Some(tail) = rest.get(end..) {
        let Some(letter) = tail.chars().next() else { break };
        let after = tail.get(letter.len_utf8()..).unwrap_or_default();
        let goes_on = |text: &str| text.starts_with(|it: char| it.is_alphanumeric() || it == '_');
        let joins = match letter {
            '.' => goes_on(after),
            ':' => after.starts_with(':') && after.get(1..).is_some_and(goes_on),
            // Haskell and OCaml end names so; Elixir and Ruby with marks.
            '!' => !after.starts_with('='),
            _ => false,
        };
        if is_name(letter, spelling) {
            end += letter.len_utf8();
        } else if joins && end > 0 {
            end += if letter == ':' { 2 } else { 1 };
            if letter == '!' {
                break;
            }
        } else {
            break;
        }
    }
    end.max(1)
}

/// A text in quotes, with marks around what is put into it, and its length.
fn literal(rest: &str, quote: char, spelling: &Spelling) -> Option<(String, usize)> {
    if rest.starts_with("{|") {
        let end = rest.find("|}")?;
        return Some((rest.get(2..end)?.to_owned(), end + 2));
    }
    if quote == '{' {
        return None;
    }
    if quote == '\'' && !spelling.single {
        // A letter, not the mark of a type.
        let mut letters = rest.char_indices().skip(1);
        let (_, first) = letters.next()?;
        if first == '\\' {
            letters.next();
        }
        let (end, last) = letters.next()?;
        return (last == '\'').then(|| (first.to_string(), end + 1));
    }
    let triple: String = std::iter::repeat_n(quote, 3).collect();
    let close = if rest.starts_with(&triple) { triple } else { quote.to_string() };
    let is_raw = quote == '`' || close.len() == 3;
    let mut value = String::new();
    let mut at = close.len();
    while let Some(tail) = rest.get(at..).filter(|tail| !tail.is_empty()) {
        if tail.starts_with(&close) {
            return Some((value, at + close.len()));
        }
        let letter = tail.chars().next()?;
        // `\(x)`, `${x}`, `#{x}`, `{x}`.
        let put_in = [("\\(", ')'), ("${", '}'), ("#{", '}'), ("{", '}')]
            .into_iter()
            .find(|(open, _)| tail.starts_with(open))
            .and_then(|(open, close)| inner(tail, open, close));
        if let Some((name, length)) = put_in {
            value.push('\u{1}');
            value.push_str(&name);
            value.push('\u{2}');
            at += length;
            continue;
        }
        // `$x`.
        if let Some(after) = tail.strip_prefix('$') {
            let end =
                after.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(after.len());
            let name = after.get(..end).unwrap_or_default();
            if name.starts_with(|it: char| it.is_ascii_lowercase()) {
                value.push('\u{1}');
                value.push_str(name);
                value.push('\u{2}');
                at += 1 + end;
                continue;
            }
        }
        at += letter.len_utf8();
        if letter == '\\' && !is_raw {
            let next = rest.get(at..)?.chars().next()?;
            at += next.len_utf8();
            match next {
                'n' => value.push('\n'),
                't' => value.push('\t'),
                '\n' => {}
                next => value.push(next),
            }
            continue;
        }
        if letter == '\n' && quote == '\'' && close.len() == 1 {
            return None;
        }
        value.push(letter);
    }
    None
}

/// What is put into a text, where it is one expression on one line.
fn inner(tail: &str, open: &str, close: char) -> Option<(String, usize)> {
    let begin = if open.ends_with('{') { '{' } else { '(' };
    let mut depth = 0_usize;
    for (at, letter) in tail.get(open.len()..)?.char_indices() {
        match letter {
            '\n' => return None,
            letter if letter == begin => depth += 1,
            letter if letter == close && depth == 0 => {
                let name = tail.get(open.len()..open.len() + at)?;
                // Braces alone stand around much that is no name.
                let is_plain = open != "{"
                    || name.chars().all(|it| it.is_alphanumeric() || "_.:?".contains(it));
                return is_plain.then(|| (name.to_owned(), open.len() + at + 1));
            }
            letter if letter == close => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(language: &str, text: &str) -> String {
        let parts = parts(text, &spelling(language)).0.into_iter();
        let shown = parts.map(|part| match part.what {
            What::Name(name) => name,
            What::Text(text) => format!("'{text}'"),
            What::Open(letter) | What::Close(letter) => letter.to_string(),
            What::Line(_) => "/".to_owned(),
            What::Mark(mark) => mark,
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn names_texts_and_comments_are_told_apart() {
        for (language, text, expected) in [
            ("haskell", "a \"b\" -- c\n[d]", "a 'b' / [ d ]"),
            ("rust", "A::b(\"{x}/y\") // c", "A::b ( '\u{1}x\u{2}/y' )"),
            ("lisp", "(a-b \"c\") ; d", "( a-b 'c' )"),
            ("elixir", "A.b!(\"c\") # d", "A.b! ( 'c' )"),
            ("ocaml", "a (* \"b\" *) {|c \"d\"|}", "a 'c \"d\"'"),
        ] {
            assert_eq!(shown(language, text), expected, "{text}");
        }
    }

    #[test]
    fn texts_that_are_never_closed_end() {
        for text in ["\"", "'", "{|", "\"{", "\"\\", "/*", "(((", "\"${", "\u{e9}\"\u{e9}"] {
            for language in ["haskell", "groovy", "lisp", "ocaml", "zig"] {
                assert!(!parts(text, &spelling(language)).1, "{language}: {text}");
            }
        }
    }
}
