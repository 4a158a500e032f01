//! The text of a file that images are built by, as instructions. Owns how lines, documents, lists and variables are put together.

use portcullis_syntax::Span;

use super::super::tree;

/// An instruction with what it is told.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Instruction {
    /// In capitals.
    pub(super) name: String,
    /// `--mount=type=cache`, as `mount` and `type=cache`.
    pub(super) flags: Vec<(String, String)>,
    /// What follows, with lines that go on put together.
    pub(super) text: String,
    /// The texts behind `<<WORD`.
    pub(super) documents: Vec<String>,
    pub(super) span: Span,
}

/// `["a", "b"]` as words.
pub(super) fn list(text: &str) -> Option<Vec<String>> {
    let text = text.trim();
    if !text.starts_with('[') || !text.ends_with(']') {
        return None;
    }
    let tree = tree::json(text);
    let words = tree.root()?.words();
    (!words.is_empty()).then_some(words)
}

/// Words between blanks, quotes taken off.
pub(in super::super) fn shell_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut is_open = false;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                is_open = true;
            }
            (None | Some('"'), '\\') => word.extend(letters.next()),
            (None, letter) if letter.is_whitespace() => {
                if is_open || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                is_open = false;
            }
            (_, letter) => word.push(letter),
        }
    }
    if is_open || !word.is_empty() {
        words.push(word);
    }
    words
}

/// `NAME=value NAME=value`, or the old `NAME value`.
pub(super) fn variables(text: &str) -> Vec<(String, String)> {
    let text = text.trim();
    let first = text.split_whitespace().next().unwrap_or_default();
    if !first.contains('=') {
        let (name, value) = text.split_once([' ', '\t']).unwrap_or((text, ""));
        return vec![(name.to_owned(), value.trim().to_owned())];
    }
    let words = shell_words(text);
    words
        .iter()
        .filter_map(|word| word.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// A file taken apart.
pub(super) fn instructions(text: &str) -> Vec<Instruction> {
    let escape = match text.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line)
            if line.starts_with('#') && line.replace(' ', "").eq_ignore_ascii_case("#escape=`") =>
        {
            '`'
        }
        _ => '\\',
    };
    let mut found: Vec<Instruction> = Vec::new();
    let mut lines = placed(text).peekable();
    while let Some((start, line)) = lines.next() {
        let bare = line.trim();
        if bare.is_empty() || bare.starts_with('#') {
            continue;
        }
        let from = start + line.len() - line.trim_start().len();
        let mut end = start + line.trim_end().len();
        let mut whole = String::new();
        let mut part = bare;
        loop {
            let goes_on = part.ends_with(escape);
            whole.push_str(part.strip_suffix(escape).unwrap_or(part));
            if !goes_on {
                break;
            }
            // Comments and empty lines between are left out.
            let next = loop {
                match lines.next() {
                    Some((_, line))
                        if line.trim().is_empty() || line.trim_start().starts_with('#') => {}
                    other => break other,
                }
            };
            let Some((start, line)) = next else { break };
            end = start + line.trim_end().len();
            part = line.trim_end();
        }
        let (name, rest) = whole.split_once([' ', '\t']).unwrap_or((&whole, ""));
        let name = name.to_ascii_uppercase();
        if name == "ONBUILD" {
            continue;
        }
        let mut rest = rest.trim_start();
        let mut flags = Vec::new();
        while let Some(option) = rest.strip_prefix("--") {
            let (flag, after) = option.split_once([' ', '\t']).unwrap_or((option, ""));
            let (name, value) = flag.split_once('=').unwrap_or((flag, ""));
            flags.push((name.to_owned(), value.trim_matches('"').to_owned()));
            rest = after.trim_start();
        }
        let mut documents = Vec::new();
        if matches!(name.as_str(), "RUN" | "COPY" | "ADD") {
            for word in document_words(rest) {
                let mut document = String::new();
                for (start, line) in lines.by_ref() {
                    end = start + line.trim_end().len();
                    let line = line.trim_end_matches(['\n', '\r']);
                    if line.trim_start_matches('\t') == word {
                        break;
                    }
                    document.push_str(line);
                    document.push('\n');
                }
                documents.push(document);
            }
        }
        found.push(Instruction {
            name,
            flags,
            text: rest.to_owned(),
            documents,
            span: Span::new(from, end.max(from)),
        });
    }
    found
}

/// Lines with where they begin.
fn placed(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    })
}

/// The words behind `<<` in a line.
fn document_words(line: &str) -> Vec<&str> {
    let parts = line.split("<<").skip(1);
    let words = parts.filter(|part| !part.starts_with('<')).filter_map(|part| {
        let word = part
            .trim_start_matches('-')
            .split([' ', '\t', '>', '|', ';', '&'])
            .next()?
            .trim_matches(['"', '\'']);
        let is_name = !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        is_name.then_some(word)
    });
    words.collect()
}
