//! What notebooks put between lines of Python: commands for a shell (`!ls`, `%system ls`) and cells of another language
//! (`%%bash`). Owns how they are told from Python, which knows no line that begins so.

use portcullis_syntax::Span;

use super::super::shell::Walk;
use crate::text::Text;

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
        }
        start = end;
    }
}
