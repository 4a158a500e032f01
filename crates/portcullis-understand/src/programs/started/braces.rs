//! What of sources with braces runs: all but the bodies of functions that nothing calls. Owns how functions of Go, Rust and PHP are found and which of
//! them the others name; whoever reads the sources says which are called from outside (tests, `main`). Where it is not plain where a function ends,
//! all of the file counts.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

/// How many functions of one file are told from each other.
const FUNCTIONS: usize = 1024;

/// A function of a source.
#[derive(Debug)]
pub(super) struct Function<'t> {
    pub(super) name: &'t str,
    /// What stands above its name up to what comes before it: attributes, comments, visibility.
    pub(super) above: &'t str,
    /// Whether others may call it without naming it: a method of an interface, of a trait.
    pub(super) is_answer: bool,
    /// Where its name stands.
    start: usize,
    body: Range<usize>,
}

/// Methods that libraries call of what they are given (go.dev, "Effective Go", "Interfaces").
const ANSWERS: &[&str] = &[
    "Close",
    "Error",
    "Format",
    "GoString",
    "Handle",
    "Len",
    "Less",
    "MarshalBinary",
    "MarshalJSON",
    "MarshalText",
    "Read",
    "RoundTrip",
    "Run",
    "Scan",
    "ServeHTTP",
    "Set",
    "String",
    "Swap",
    "UnmarshalBinary",
    "UnmarshalJSON",
    "UnmarshalText",
    "UnmarshalYAML",
    "Value",
    "Write",
];

/// The texts without the bodies of functions that nothing calls: not whoever runs them (`is_called`, with the number of the text), nor what stands
/// outside of functions, nor what either of them names. Their places are blank, so that all others stay where they are.
pub(super) fn without_uncalled(
    language: &str,
    texts: &[&str],
    is_called: &dyn Fn(usize, &Function<'_>) -> bool,
) -> Vec<String> {
    let plain: Vec<String> = texts.iter().map(|text| without_texts(language, text)).collect();
    let all: Vec<Option<Vec<Function<'_>>>> =
        texts.iter().zip(&plain).map(|(text, plain)| functions(language, text, plain)).collect();
    let mut open: Vec<(usize, Range<usize>)> = Vec::new();
    let mut called: BTreeSet<(usize, usize)> = BTreeSet::new();
    for (number, functions) in all.iter().enumerate() {
        let Some(functions) = functions else {
            open.push((number, 0..plain.get(number).map_or(0, String::len)));
            continue;
        };
        let mut at = 0;
        for (place, function) in functions.iter().enumerate() {
            // Its name where it is defined is no call of it.
            open.push((number, at..function.start));
            open.push((number, function.start + function.name.len()..function.body.start));
            at = function.body.end;
            if function.is_answer || is_called(number, function) {
                called.insert((number, place));
                open.push((number, function.body.clone()));
            }
        }
        open.push((number, at..plain.get(number).map_or(0, String::len)));
    }
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut known: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
    for (number, functions) in all.iter().enumerate() {
        for (place, function) in functions.iter().flatten().enumerate() {
            known.entry(function.name).or_default().push((number, place));
        }
    }
    while let Some((number, part)) = open.pop() {
        let text = plain.get(number).and_then(|text| text.get(part)).unwrap_or_default();
        for word in text.split(|letter| !is_word(letter)) {
            for (number, place) in known.remove(word).into_iter().flatten() {
                if called.insert((number, place))
                    && let Some(Some(functions)) = all.get(number)
                    && let Some(function) = functions.get(place)
                {
                    open.push((number, function.body.clone()));
                }
            }
        }
    }
    let kept = texts.iter().enumerate().map(|(number, text)| {
        let mut kept = (*text).to_owned();
        for (place, function) in all.get(number).into_iter().flatten().flatten().enumerate() {
            if !called.contains(&(number, place)) {
                blank(&mut kept, function.body.clone());
            }
        }
        kept
    });
    kept.collect()
}

/// The text without the bodies of the functions that are not wanted, whoever calls them.
pub(super) fn without(
    language: &str,
    text: &str,
    is_off: &dyn Fn(&Function<'_>) -> bool,
) -> String {
    let plain = without_texts(language, text);
    let mut kept = text.to_owned();
    for function in functions(language, text, &plain).into_iter().flatten().filter(is_off) {
        blank(&mut kept, function.body);
    }
    kept
}

/// The text without the bodies of what goes by a name, however it is written: `exports.down = async (x) => {…}`, `async down(x) {…}`, `down: function () {…}`.
pub(super) fn without_named(language: &str, text: &str, name: &str) -> String {
    let plain = without_texts(language, text);
    let mut kept = text.to_owned();
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    for (at, _) in plain.match_indices(name) {
        let (before, rest) = (plain.get(..at), plain.get(at + name.len()..));
        let (Some(before), Some(rest)) = (before, rest) else { continue };
        if before.ends_with(is_word)
            || rest.starts_with(is_word)
            || before.trim_end().ends_with("await")
        {
            continue;
        }
        // Up to its body stand its parameters and what it gives, and nothing that ends a statement.
        let is_head = rest.trim_start().starts_with(['=', '(', ':']);
        let open = rest.find('{').filter(|open| {
            let head = rest.get(..*open).unwrap_or_default();
            is_head && !head.contains([';', '}']) && head.contains(')')
        });
        if let Some(open) = open
            && let Some(length) = rest.get(open..).and_then(|rest| pair(rest, '{', '}'))
        {
            let open = at + name.len() + open;
            blank(&mut kept, open + 1..open + length - 1);
        }
    }
    kept
}

fn keyword(language: &str) -> &'static str {
    match language {
        "go" => "func",
        "rust" => "fn",
        "kotlin" => "fun",
        _ => "function",
    }
}

/// Puts blanks in the place of a part, but for the ends of lines.
fn blank(text: &mut String, part: Range<usize>) {
    let Some(old) = text.get(part.clone()) else { return };
    let new: String = old
        .chars()
        .map(|it| if it == '\n' { "\n".to_owned() } else { " ".repeat(it.len_utf8()) })
        .collect();
    text.replace_range(part, &new);
}

/// The functions that stand in no other one; nothing where one has no end.
fn functions<'t>(language: &str, text: &'t str, plain: &str) -> Option<Vec<Function<'t>>> {
    let word = keyword(language);
    let traits = if language == "rust" { answering(plain) } else { Vec::new() };
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut found: Vec<Function<'t>> = Vec::new();
    let mut at = 0;
    while let Some(place) = plain.get(at..)?.find(word).map(|place| at + place) {
        let from = place + word.len();
        let before = plain.get(..place)?;
        at = from;
        let mut rest = plain.get(from..)?.trim_start();
        if before.ends_with(is_word) || plain.get(from..)?.starts_with(is_word) {
            continue;
        }
        let mut has_receiver = false;
        if language == "go" && rest.starts_with('(') {
            has_receiver = true;
            rest = rest.get(pair(rest, '(', ')')?..)?.trim_start();
        }
        let name = rest.get(..rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()))?;
        let start = plain.len() - rest.len();
        // A function without a name is part of what it stands in.
        let Some(open) = body(language, rest.get(name.len()..)?).filter(|_| !name.is_empty())
        else {
            continue;
        };
        let open = start + name.len() + open;
        let close = open + pair(plain.get(open..)?, '{', '}')?;
        if found.len() >= FUNCTIONS {
            return None;
        }
        let above = before.rfind(['}', ';', '{']).map_or(0, |end| end + 1);
        let is_answer = has_receiver && ANSWERS.contains(&name)
            || traits.iter().any(|part| part.contains(&place));
        found.push(Function {
            name: text.get(start..start + name.len())?,
            above: text.get(above..place)?,
            is_answer,
            start,
            body: open + 1..close.checked_sub(1)?,
        });
        at = close;
    }
    Some(found)
}

/// The blocks of `impl TRAIT for TYPE` and `trait X`.
fn answering(plain: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(place) = plain.get(at..).and_then(|rest| rest.find("impl")) {
        let from = at + place;
        at = from + "impl".len();
        let rest = plain.get(from..).unwrap_or_default();
        let Some(open) = rest.find(['{', ';']) else { break };
        let head = rest.get(..open).unwrap_or_default();
        if head.contains(" for ")
            && let Some(length) = rest.get(open..).and_then(|rest| pair(rest, '{', '}'))
        {
            found.push(from..from + open + length);
        }
    }
    found
}

/// Where the body opens behind the name of a function; none where it has none.
fn body(language: &str, rest: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut is_given = false;
    let mut skips = 0_usize;
    for (at, letter) in rest.char_indices() {
        match letter {
            '(' | '[' => {
                is_given = true;
                depth += 1;
            }
            ')' | ']' => depth = depth.checked_sub(1)?,
            '{' if depth == 0 => {
                let before = rest.get(..at)?.trim_end();
                // `func f() interface{} {`
                let is_type = language == "go"
                    && ["interface", "struct"].iter().any(|it| before.ends_with(it));
                if !is_type {
                    return is_given.then_some(at);
                }
                skips += 1;
            }
            '}' if depth == 0 => skips = skips.checked_sub(1)?,
            ';' if depth == 0 => return None,
            '\n' if depth == 0 && language == "go" => return None,
            _ => {}
        }
    }
    None
}

/// How long the brackets are that a text begins with.
fn pair(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        if letter == open {
            depth += 1;
        } else if letter == close {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at + letter.len_utf8());
            }
        }
    }
    None
}

/// A source with blanks in the place of its comments and of what stands in quotes; as long as before.
fn without_texts(language: &str, text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = text.as_bytes().to_vec();
    let mut at = 0;
    let starts =
        |at: usize, mark: &str| bytes.get(at..).is_some_and(|it| it.starts_with(mark.as_bytes()));
    let end_of = |from: usize, mark: &str| {
        text.get(from..)
            .and_then(|rest| rest.find(mark))
            .map_or(bytes.len(), |found| from + found + mark.len())
    };
    while let Some(byte) = bytes.get(at) {
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let end = match byte {
            b'/' if starts(at, "//") => end_of(at, "\n").saturating_sub(1),
            b'#' if language == "php" && !starts(at, "#[") => end_of(at, "\n").saturating_sub(1),
            b'/' if starts(at, "/*") => end_of(at + 2, "*/"),
            b'`' if matches!(language, "go" | "javascript") => end_of(at + 1, "`"),
            b'r' if language == "rust"
                && (starts(at, "r\"") || starts(at, "r#"))
                && !at.checked_sub(1).and_then(|it| bytes.get(it)).is_some_and(is_name) =>
            {
                let hashes = bytes.iter().skip(at + 1).take_while(|it| **it == b'#').count();
                if bytes.get(at + 1 + hashes) == Some(&b'"') {
                    end_of(at + hashes + 2, &format!("\"{}", "#".repeat(hashes)))
                } else {
                    at + 1
                }
            }
            // A letter, where it is not how long something lives.
            b'\'' if matches!(language, "go" | "rust") => {
                match (bytes.get(at + 1), bytes.get(at + 2)) {
                    (Some(b'\\'), _) => end_of(at + 3, "'"),
                    (Some(_), Some(b'\'')) => at + 3,
                    (Some(byte), _) if !byte.is_ascii() => end_of(at + 1, "'"),
                    _ => at + 1,
                }
            }
            b'"' | b'\'' => {
                let mut end = at + 1;
                while let Some(inner) = bytes.get(end) {
                    end += 1 + usize::from(*inner == b'\\');
                    if inner == byte {
                        break;
                    }
                }
                end
            }
            _ => {
                at += 1;
                continue;
            }
        };
        let end = end.clamp(at + 1, bytes.len());
        for byte in plain.get_mut(at..end).into_iter().flatten().filter(|it| **it != b'\n') {
            *byte = b' ';
        }
        at = end;
    }
    String::from_utf8(plain).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(language: &str, texts: &[&str], root: &str) -> String {
        without_uncalled(language, texts, &|_, function| function.name.starts_with(root)).join("")
    }

    #[test]
    fn bodies_that_nothing_calls_are_left_out() {
        let go = "package a\nvar x = make()\nfunc make() int { one() }\nfunc TestA(t *T) {\n\ts.Get(\"}\")\n\tuse(func() { two() })\n}\nfunc (s *S) Get() (a, b interface{}) { three('{') }\nfunc (s *S) Wipe() { four() }\nfunc (s *S) String() string { five() }\n// func no() {\nfunc helper[T any](f func() error) error {\n\tsix(`\n}`)\n}\n";
        let found = kept("go", &[go], "Test");
        assert_eq!(found.len(), go.len());
        for (mark, expected) in [
            ("one", true),
            ("two", true),
            ("three", true),
            ("four", false),
            ("five", true),
            ("six", false),
        ] {
            assert_eq!(found.contains(mark), expected, "{mark}: {found}");
        }
        let rust = "use a::b;\n#[test]\nfn test_a() { encode('a', '{', \"}\"); }\nimpl<'a> Drop for X<'a> { fn drop(&mut self) { one() } }\nimpl X<'_> { fn wipe(&self) -> String { two(r#\"}\"#) } }\n";
        let library = "pub fn encode(a: u8) -> Vec<u8>\nwhere\n    A: B,\n{ three() }\npub fn other() { four() }\n";
        let found = kept("rust", &[rust, library], "test");
        for (mark, expected) in [("one", true), ("two", false), ("three", true), ("four", false)] {
            assert_eq!(found.contains(mark), expected, "{mark}: {found}");
        }
    }

    #[test]
    fn what_takes_a_migration_back_is_left_out() {
        for text in [
            "exports.up = async (k) => { one() };\nexports.down = async (k) => { two('}') };\n",
            "export async function up(k) { one() }\nexport async function down(k) { two(`}`) }\n",
            "module.exports = { async up(q) { one() }, async down(q) { two() } };\n",
            "module.exports = { up: (q) => { one() }, down: (q) => { two() } };\n",
            "class A { public async up(q: Q): Promise<void> { one() }\n async down(q: Q): Promise<void> { two() } }\n",
        ] {
            let kept = without_named("javascript", text, "down");
            assert_eq!(kept.len(), text.len());
            assert!(kept.contains("one") && !kept.contains("two"), "{kept}");
        }
        let text = "exports.up = async () => { await down(() => { x() }) };\n";
        assert_eq!(without_named("javascript", text, "down"), text);
    }

    #[test]
    fn where_a_function_has_no_end_all_counts() {
        let text = "func a() { one()\n";
        assert_eq!(kept("go", &[text], "Test"), text);
    }

    #[test]
    fn what_stands_above_a_function_goes_with_it() {
        let text = "#[test]\nfn a() { one() }\n#[test]\n#[ignore = \"x\"]\nfn b() { two() }\n";
        let found = without("rust", text, &|function| function.above.contains("#[ignore"));
        assert!(found.contains("one") && !found.contains("two"), "{found}");
    }
}
