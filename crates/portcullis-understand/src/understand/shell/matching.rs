//! Files that a call starts by a pattern: `for f in tests/*.sh; do bash "$f"; done`, `find … -exec sh {} \;`. Owns how a pattern becomes
//! the paths that are there, by what the facts list; it starts none of them.

use portcullis_syntax::Span;

use super::{files::Found, path::absolute, pattern, walk::Walk};
use crate::text::{Piece, Text};

/// How many files one pattern is followed to.
const MATCHED: usize = 48;

/// How deep `**` goes.
const DEEP: usize = 4;

/// How many directories are listed for one pattern.
const LISTED: usize = 96;

/// A directory, the parts of the pattern that are left below it, and how many directories `**` stands for so far.
type Place = (String, usize, usize);

impl Walk<'_> {
    /// The files that are there under the names that a pattern gives; `None` where a text is none. What is past a bound is left unread,
    /// and that is said.
    pub(super) fn matching(&mut self, text: &Text, span: Span) -> Option<Vec<String>> {
        let is_pattern = text.pieces.iter().any(|piece| matches!(piece, Piece::Glob(_)));
        let is_open = text.pieces.iter().any(|piece| matches!(piece, Piece::Unknown(_)));
        if !is_pattern || is_open {
            return None;
        }
        let pattern = absolute(&quoted(text), self.directory(), self.facts())?;
        let parts: Vec<&str> = pattern.split('/').skip(1).collect();
        let fixed = parts.iter().position(|part| is_magic(part)).unwrap_or(parts.len());
        let start: String = parts
            .iter()
            .take_while(|part| !is_magic(part))
            .fold(String::new(), |path, part| format!("{path}/{}", unquoted(part)));
        let mut found = Vec::new();
        let mut places: Vec<Place> = vec![(start, fixed, 0)];
        let mut listed = 0;
        while let Some((directory, at, deep)) = places.pop() {
            let Some(part) = parts.get(at) else {
                found.push(directory);
                continue;
            };
            if !is_magic(part) {
                places.push((format!("{directory}/{}", unquoted(part)), at + 1, 0));
                continue;
            }
            if listed >= LISTED || found.len() >= MATCHED {
                self.left_unread(span);
                break;
            }
            listed += 1;
            let top = if directory.is_empty() { "/" } else { directory.as_str() };
            let Found::Directory(names) = self.look(top) else { continue };
            let is_any = *part == "**";
            let is_last = at + 1 == parts.len();
            if is_any && !is_last {
                // No directory at all.
                places.push((directory.clone(), at + 1, 0));
            }
            for name in names.iter().rev() {
                let is_directory = name.ends_with('/');
                let name = name.trim_end_matches('/');
                let path = format!("{directory}/{name}");
                if is_any {
                    // What version control keeps of its own, and what packages bring, is in no pattern that a person means.
                    if is_directory && !matches!(name, ".git" | "node_modules") {
                        if deep < DEEP {
                            places.push((path.clone(), at, deep + 1));
                        } else {
                            self.left_unread(span);
                        }
                    }
                    if is_last && !is_directory {
                        places.push((path, at + 1, 0));
                    }
                } else if (!name.starts_with('.') || part.starts_with('.'))
                    && pattern::matches(part, name)
                    && is_directory != is_last
                {
                    places.push((path, at + 1, 0));
                }
            }
        }
        Some(found)
    }
}

/// A text with what is no pattern in it quoted.
fn quoted(text: &Text) -> Text {
    text.derive(text.pieces.iter().map(|piece| match piece {
        Piece::Known(known) if known.contains(['*', '?', '[', '\\']) => {
            let mut quoted = String::with_capacity(known.len() + 8);
            for letter in known.chars() {
                if matches!(letter, '*' | '?' | '[' | '\\') {
                    quoted.push('\\');
                }
                quoted.push(letter);
            }
            Piece::Known(quoted)
        }
        other => other.clone(),
    }))
}

/// A part of a quoted pattern that stands for one name.
fn unquoted(part: &str) -> String {
    let mut name = String::with_capacity(part.len());
    let mut letters = part.chars();
    while let Some(letter) = letters.next() {
        name.extend(if letter == '\\' { letters.next() } else { Some(letter) });
    }
    name
}

fn is_magic(part: &str) -> bool {
    let mut letters = part.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
            }
            '*' | '?' | '[' => return true,
            _ => {}
        }
    }
    false
}
