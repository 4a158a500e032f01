//! What notebooks put between lines of Python: commands for a shell (`!ls`, `%system ls`) and cells of another language
//! (`%%bash`). Owns how they are told from Python, which knows no line that begins so.

use portcullis_syntax::Span;

use super::super::shell::Walk;
use crate::{
    effect::{Argument, WriteMode},
    text::Text,
};

/// Words that hand the rest of their line to a shell.
const LINES: &[&str] = &["!!", "!", "%system ", "%sx ", "%pip ", "%conda "];

/// Words that hand the rest of their cell to another program.
const CELLS: &[(&str, &str)] = &[
    ("%%bash", "shell"),
    ("%%sh", "shell"),
    ("%%script bash", "shell"),
    ("%%script sh", "shell"),
    ("%%system", "shell"),
    ("%%!", "shell"),
    ("%%perl", "perl"),
    ("%%ruby", "ruby"),
    ("%%javascript", "javascript"),
    ("%%js", "javascript"),
];

/// Words that write the rest of their cell to a file.
const FILES: &[&str] = &["%%writefile ", "%%file "];

/// Where the command begins whose output a name gets: `names = !ls`.
fn captured(line: &str) -> Option<usize> {
    let (names, rest) = line.split_once('=')?;
    let are_names = names.trim().split(',').all(|name| {
        let name = name.trim();
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    let command = rest.trim_start();
    let command = command.strip_prefix('!').or_else(|| command.strip_prefix("%sx "))?;
    (are_names && !command.starts_with('=')).then(|| line.len() - command.len())
}

/// Tells the walk what the commands in a notebook's cell would do.
pub(super) fn understand(walk: &mut Walk<'_>, code: &str) {
    let first = code.trim_start();
    if let Some((_, language)) = CELLS.iter().find(|(word, _)| first.starts_with(word)) {
        let line = first.find('\n').map_or(first.len(), |end| end + 1);
        let start = code.len() - first.len() + line;
        let cell = Text::known(code.get(start..).unwrap_or_default());
        walk.code(language, &cell, Span::new(start, code.len()), &[]);
        return;
    }
    if let Some((word, file)) =
        FILES.iter().find_map(|word| Some((*word, first.strip_prefix(word)?)))
    {
        let line = first.find('\n').map_or(first.len(), |end| end + 1);
        let name = file.split('\n').next().unwrap_or_default();
        let (name, mode) = match name.trim().strip_prefix("-a ") {
            Some(name) => (name.trim(), WriteMode::Append),
            None => (name.trim(), WriteMode::Replace),
        };
        let start = code.len() - first.len();
        let content = Text::known(first.get(line..).unwrap_or_default());
        let span = Span::new(start + word.len(), start + line);
        let file = Argument { text: Text::known(name.trim_matches(['"', '\''])), span };
        walk.write(&file, mode, content);
        return;
    }
    if let Some(rest) = first.strip_prefix("%%sql") {
        let line = rest.find('\n').map_or(rest.len(), |end| end + 1);
        let start = code.len() - rest.len() + line;
        let statement = Text::known(code.get(start..).unwrap_or_default().trim());
        walk.query(&statement, Span::new(start, code.len()));
        return;
    }
    if !code.contains(['!', '%']) {
        return;
    }
    let mut start = 0;
    for line in code.split_inclusive('\n') {
        let end = start + line.len();
        let command = line.trim_start();
        if let Some(word) = LINES.iter().find(|word| command.starts_with(**word)) {
            // `%pip install x` runs `pip install x`.
            let skipped = if matches!(*word, "%pip " | "%conda ") { 1 } else { word.len() };
            let from = end - command.len() + skipped;
            let command = code.get(from..end).unwrap_or_default().trim_end();
            let (text, span) = (Text::known(command), Span::new(from, from + command.len()));
            walk.shell(&text, span, &[], None);
        } else if let Some(at) = captured(command) {
            // `files = !ls`
            let from = end - command.len() + at;
            let command = code.get(from..end).unwrap_or_default().trim_end();
            let (text, span) = (Text::known(command), Span::new(from, from + command.len()));
            walk.shell(&text, span, &[], None);
        } else if let Some(rest) = command.strip_prefix("%run ") {
            let from = end - rest.len();
            let text = Text::known(format!("python3 {}", rest.trim()));
            walk.shell(&text, Span::new(from, from + rest.trim_end().len()), &[], None);
        } else if let Some(rest) = command.strip_prefix("%alias ") {
            let rest = rest.trim_start();
            let aliased = rest.split_once(' ').map_or("", |(_, command)| command.trim());
            let from = end - rest.len();
            let text = Text::known(aliased.replace("%s", "").replace("%l", ""));
            walk.at_likely(|walk| {
                walk.shell(&text, Span::new(from, from + rest.trim_end().len()), &[], None)
            });
        }
        start = end;
    }
}
