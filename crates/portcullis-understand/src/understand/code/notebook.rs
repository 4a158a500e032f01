//! What notebooks put between lines of Python: commands for a shell (`!ls`, `%system ls`) and cells of another language
//! (`%%bash`). Owns how they are told from Python, which knows no line that begins so.

use portcullis_syntax::Span;

use super::super::shell::Walk;
use crate::{
    bound::Bounded as _,
    effect::{Argument, WriteMode},
    programs::host::Host,
    text::Text,
    understand::meaning::look::{self, Strictness},
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

/// Connections to databases that are in memory only (jupysql.ploomber.io, "Connecting").
const IN_MEMORY: &[&str] = &["duckdb://", "duckdb:///:memory:", "sqlite://", "sqlite:///:memory:"];

/// What stands behind `%sql` in a line that begins with it, or whose value is what it gives.
fn statement(line: &str) -> Option<&str> {
    let magic = match line.split_once('=') {
        Some((name, rest)) if !name.trim_start().starts_with('%') => rest.trim_start(),
        _ => line,
    };
    magic.strip_prefix("%sql ")
}

/// The addresses that lines with `%sql` connect to.
fn connections(code: &str) -> impl Iterator<Item = &str> {
    let lines = code.lines().filter_map(|line| statement(line.trim_start()));
    lines.filter_map(|rest| rest.split_whitespace().find(|word| word.contains("://")))
}

/// The statement behind options, the name of a connection and the name of what it gives: `%sql --with x rows << SELECT 1`.
fn behind_connection(line: &str) -> &str {
    /// How many words stand before a statement.
    const WORDS: usize = 16;
    let mut rest = line.trim_start();
    for _ in 0..WORDS {
        let word = rest.split_whitespace().next().unwrap_or_default();
        let behind = || rest.get(word.len()..).unwrap_or_default().trim_start();
        if word.starts_with('-') && word.len() > 1 && word != "--" {
            rest = behind();
            let value = rest.split_whitespace().next().unwrap_or_default();
            if !look::is_statement(rest, Strictness::Shape) {
                rest = rest.get(value.len()..).unwrap_or_default().trim_start();
            }
        } else if word.contains("://") || word == "<<" || behind().starts_with("<<") {
            rest = behind();
        } else {
            break;
        }
    }
    rest
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
    // A database in the program's memory is gone with it.
    let mut all = connections(code).peekable();
    let is_real = all.peek().is_none() || all.any(|it| !IN_MEMORY.contains(&it));
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
        } else if let Some(rest) = statement(command) {
            let sent = behind_connection(rest);
            let from = end - command.len() + (command.len() - sent.len());
            let sent = sent.trim();
            if is_real && !sent.is_empty() {
                walk.query(&Text::known(sent), Span::new(from, from + sent.len()));
            }
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

/// Words in front of code of Python that is run as it stands, and watched.
const WATCHED: &[&str] = &[
    "capture", "debug", "heat", "lprun", "memit", "mprun", "prun", "python", "python3", "time",
    "timeit",
];

/// Whether a cell is handed to another program as a whole.
pub(in super::super) fn is_other_language(code: &str) -> bool {
    let magic = code.trim_start().strip_prefix("%%");
    magic.is_some_and(|magic| {
        !magic.split_whitespace().next().is_some_and(|word| WATCHED.contains(&word))
    })
}

/// The code behind a word that only watches it run: `%time x()`, `%timeit -n1 x()`.
fn watched(line: &str) -> Option<&str> {
    let (word, rest) = line.trim_start().strip_prefix('%')?.split_once(char::is_whitespace)?;
    let mut rest = WATCHED.contains(&word).then(|| rest.trim_start())?;
    // Options with their values; a value by itself would be code of no effect.
    while rest.starts_with('-') {
        rest = rest.split_once(char::is_whitespace).map_or("", |(_, behind)| behind.trim_start());
    }
    Some(rest)
}

/// `env = %env`, `key = %env KEY`: all variables that there are, or one (ipython.readthedocs.io, "%env").
fn environment_in(line: &str) -> Option<String> {
    let (name, rest) = line.split_once('=')?;
    let asked = rest.trim().strip_prefix("%env")?;
    let is_name = !name.trim().is_empty()
        && name.trim().bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
    let indent = name.get(..name.len() - name.trim_start().len()).unwrap_or_default();
    let name = name.trim();
    match asked.trim() {
        _ if !is_name => None,
        "" => Some(format!("{indent}import os; {name} = os.environ")),
        one if asked.starts_with(' ') && !one.contains(['=', '"', '\\', ' ']) => {
            Some(format!("{indent}import os; {name} = os.environ[\"{one}\"]"))
        }
        _ => None,
    }
}

/// Whether a line for a shell has a value of Python in it: `!rm -rf {base}`.
pub(in super::super) fn puts_names_in(code: &str) -> bool {
    code.lines().any(|line| command_in(line).is_some_and(|(_, _, it)| it.contains(['{', '$'])))
}

/// A cell as the notebook hands it to Python: lines for a shell are calls, with the values put in that `bound` or the cell binds.
pub(in super::super) fn without_magics(code: &str, bound: &str) -> String {
    let mut lines = Vec::new();
    for line in code.lines() {
        lines.push(match command_in(line) {
            Some((before, function, command)) => {
                let is_bound = |name: &str| binds(bound, name) || binds(code, name);
                format!("{before}get_ipython().{function}({})", put_in(&command, is_bound))
            }
            None if watched(line).is_some() => {
                let indent = line.len() - line.trim_start().len();
                let code = watched(line).unwrap_or_default();
                format!("{}{code}", line.get(..indent).unwrap_or_default())
            }
            None if environment_in(line).is_some() => environment_in(line).unwrap_or_default(),
            None if line.trim_start().starts_with('%') => {
                let magic = line.trim_start();
                let indent = line.get(..line.len() - magic.len()).unwrap_or_default();
                match magic.strip_prefix("%cd ").map(str::trim) {
                    Some(path) => {
                        let path = path.trim_matches(['"', '\'']);
                        format!("{indent}import os; os.chdir({path:?})")
                    }
                    None => format!("{indent}pass"),
                }
            }
            None => line.to_owned(),
        });
    }
    lines.join("\n")
}

/// What stands before a command for a shell in a line, the function that runs it, and the command.
fn command_in(line: &str) -> Option<(&str, &'static str, String)> {
    let trimmed = line.trim_start();
    let indent = line.get(..line.len() - trimmed.len()).unwrap_or_default();
    for word in ["!!", "!", "%system ", "%sx "] {
        if let Some(command) = trimmed.strip_prefix(word) {
            return Some((indent, "system", command.trim().to_owned()));
        }
    }
    for word in ["%pip ", "%conda "] {
        if trimmed.starts_with(word) {
            return Some((
                indent,
                "system",
                trimmed.get(1..).unwrap_or_default().trim().to_owned(),
            ));
        }
    }
    if let Some(file) = trimmed.strip_prefix("%run ") {
        return Some((indent, "system", format!("python3 {}", file.trim())));
    }
    let at = captured(trimmed)?;
    let names = trimmed.split_once('=').map_or("", |(names, _)| names);
    let before = line.get(..indent.len() + names.len() + 1).unwrap_or_default();
    Some((before, "system", trimmed.get(at..).unwrap_or_default().trim().to_owned()))
}

/// A command as a text of Python with the values of names in it.
fn put_in(command: &str, is_bound: impl Fn(&str) -> bool) -> String {
    let mut text = String::from("f\"");
    let mut rest = command;
    while let Some(letter) = rest.chars().next() {
        let behind = rest.get(letter.len_utf8()..).unwrap_or_default();
        let braced = behind.split_once('}').map(|(inner, _)| inner);
        match (letter, braced) {
            ('{', Some(inner)) if is_bound(name_of(inner)) => {
                text.push_str(&format!("{{{inner}}}"));
                rest = behind.get(inner.len() + 1..).unwrap_or_default();
                continue;
            }
            ('$', _) if is_bound(name_of(behind)) => {
                let name = name_of(behind);
                text.push_str(&format!("{{{name}}}"));
                rest = behind.get(name.len()..).unwrap_or_default();
                continue;
            }
            ('{' | '}', _) => text.extend([letter, letter]),
            ('"' | '\\', _) => text.extend(['\\', letter]),
            _ => text.push(letter),
        }
        rest = behind;
    }
    text.push('"');
    text
}

/// The name that a text begins with.
fn name_of(text: &str) -> &str {
    let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}

/// How often a name is looked for.
const LOOKED: usize = 256;

/// Whether code gives a name a value, by the looks of it.
fn binds(code: &str, name: &str) -> bool {
    let begins = name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
    begins
        && code.match_indices(name).leading(LOOKED).any(|(at, _)| {
            let (before, after) = code.split_at_checked(at).unwrap_or_default();
            let after = after.get(name.len()..).unwrap_or_default();
            let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
            if before.ends_with(is_part) || after.starts_with(is_part) {
                return false;
            }
            let after = after.trim_start();
            let before = before.trim_end();
            after.starts_with('=') && !after.starts_with("==")
                || after.starts_with([',', ':']) && after.contains('=')
                || ["for", "as", "import", "def", ",", "("]
                    .iter()
                    .any(|word| before.ends_with(word))
        })
}

#[cfg(test)]
mod tests {
    use super::{puts_names_in, without_magics};

    #[test]
    fn lines_for_a_shell_become_calls() {
        for (code, bound, expected) in [
            ("!rm -rf {base}/*", "base = 1", "get_ipython().system(f\"rm -rf {base}/*\")"),
            ("!rm -rf {base}/*", "", "get_ipython().system(f\"rm -rf {{base}}/*\")"),
            (
                "  !echo \"$x ${y}\"",
                "x = 1",
                "  get_ipython().system(f\"echo \\\"{x} ${{y}}\\\"\")",
            ),
            ("files = !ls {d}", "for d in a:", "files =get_ipython().system(f\"ls {d}\")"),
            ("%matplotlib inline\nx = 1", "", "pass\nx = 1"),
            ("%cd 'my dir'", "", "import os; os.chdir(\"my dir\")"),
            ("%time x()\n%timeit -n1 -r2 y()", "", "x()\ny()"),
            ("%%time\nx()", "", "pass\nx()"),
            ("a != b", "", "a != b"),
            ("!awk '{print $1}' x", "print = 1", "get_ipython().system(f\"awk '{print $1}' x\")"),
        ] {
            assert_eq!(without_magics(code, bound), expected, "{code}");
        }
        assert!(
            puts_names_in("x = 1\n!rm {x}") && !puts_names_in("!rm x") && !puts_names_in("{x}")
        );
    }
}
