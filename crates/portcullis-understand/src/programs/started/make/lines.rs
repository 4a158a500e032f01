//! The text of a makefile cut: lines that go on, comments, commands of a recipe, assignments, names behind `include`. Owns where each begins and ends.

use portcullis_syntax::Span;

/// Lines, with those that a backslash makes one; in a recipe the shell sees the backslash.
pub(super) fn logical(text: &str) -> Vec<(Span, String)> {
    let mut lines: Vec<(Span, String)> = Vec::new();
    let mut at = 0;
    let mut goes_on = false;
    for raw in text.split_inclusive('\n') {
        let start = at;
        at += raw.len();
        let line = raw.trim_end_matches(['\n', '\r']);
        let line = if start == 0 { line.strip_prefix('\u{feff}').unwrap_or(line) } else { line };
        let span = Span::new(start, start + raw.trim_end_matches(['\n', '\r']).len());
        let backslashes = line.len() - line.trim_end_matches('\\').len();
        let continues = backslashes % 2 == 1;
        match lines.last_mut() {
            Some((whole, text)) if goes_on => {
                *whole = whole.to(span);
                if text.starts_with('\t') {
                    text.push_str("\\\n");
                    let inner = line.strip_prefix('\t').unwrap_or(line);
                    text.push_str(inner.strip_suffix('\\').filter(|_| continues).unwrap_or(inner));
                } else {
                    text.push(' ');
                    let inner = line.trim_start();
                    text.push_str(inner.strip_suffix('\\').filter(|_| continues).unwrap_or(inner));
                }
            }
            _ => {
                let inner = line.strip_suffix('\\').filter(|_| continues).unwrap_or(line);
                lines.push((span, inner.to_owned()));
            }
        }
        goes_on = continues;
    }
    lines
}

/// The commands of a filled-in recipe: its lines, but those that a backslash makes one.
pub(super) fn split_commands(text: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.split('\n') {
        match commands.last_mut() {
            Some(last) if goes_on => {
                last.push('\n');
                last.push_str(line);
            }
            _ => commands.push(line.to_owned()),
        }
        goes_on = line.ends_with('\\');
    }
    commands
}

pub(super) fn without_comment(line: &str) -> String {
    let mut kept = String::with_capacity(line.len());
    let mut depth = 0_usize;
    let mut before = ' ';
    for letter in line.chars() {
        match letter {
            '(' | '{' if before == '$' || depth > 0 => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            '#' if before != '\\' && depth == 0 => break,
            _ => {}
        }
        before = letter;
        kept.push(letter);
    }
    kept
}

/// The names of files to include. What a command prints is not known: its words are, and `ls *.inc` prints what it is given.
pub(super) fn included(names: &str) -> Vec<String> {
    names
        .split_whitespace()
        .map(|name| name.trim_start_matches("$(").trim_end_matches(')'))
        .filter(|name| !name.is_empty() && !name.starts_with('-') && *name != "${make_computes}")
        .map(str::to_owned)
        .collect()
}

/// Where a letter stands outside of `$(…)`.
pub(super) fn outside(text: &str, wanted: char) -> Option<usize> {
    let mut depth = 0_usize;
    text.char_indices().find_map(|(at, letter)| {
        match letter {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            _ if letter == wanted && depth == 0 => return Some(at),
            _ => {}
        }
        None
    })
}

/// A name, the sign, and the value of an assignment.
pub(super) fn assignment(line: &str) -> Option<(&str, &str, &str)> {
    let equals = outside(line, '=')?;
    let before = line.get(..equals)?;
    let value = line.get(equals + 1..)?.trim_start();
    let operator = [":::", "::", ":", "?", "+", "!"].iter().find(|sign| before.ends_with(**sign));
    let name = before.strip_suffix(operator.copied().unwrap_or(""))?.trim();
    let is_name = !name.is_empty()
        && outside(name, ':').is_none()
        && (!name.contains(char::is_whitespace) || name.contains('$'));
    let operator = match operator.copied() {
        Some(":") => ":=",
        Some("::") => "::=",
        Some(":::") => ":::=",
        Some("?") => "?=",
        Some("+") => "+=",
        Some("!") => "!=",
        _ => "=",
    };
    is_name.then_some((name, operator, value))
}
