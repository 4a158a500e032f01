//! Files that a call starts by a pattern: `for f in tests/*.sh; do bash "$f"; done`, `find … -exec sh {} \;`. Owns how a pattern becomes
//! the paths that are there, by what the facts list; it starts none of them.

use portcullis_syntax::Span;

use super::walk::Walk;
use crate::{
    paths::absolute,
    pattern,
    programs::found::Found,
    text::{Piece, Text},
};

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
        // `find` goes through hidden names as well, and with `-iname` makes nothing of capitals; which of its options gave the pattern is
        // not told here.
        let is_found = parts.contains(&"**");
        let has_hidden = is_found || self.state.may_be_on("shopt dotglob");
        let is_like = |part: &str, name: &str| {
            pattern::matches(part, name)
                || is_found
                    && pattern::matches(&part.to_ascii_lowercase(), &name.to_ascii_lowercase())
        };
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
                    // Objects of version control are named by what is in them; packages that were brought come last.
                    let is_of_git = name == "objects" && directory.ends_with("/.git");
                    if is_directory && is_of_git {
                        self.in_project(|walk| walk.left_unread(span));
                    } else if is_directory && deep < DEEP {
                        let place = (path.clone(), at, deep + 1);
                        match name {
                            "node_modules" => places.insert(0, place),
                            _ => places.push(place),
                        }
                    } else if is_directory {
                        self.left_unread(span);
                    }
                    if is_last && !is_directory {
                        places.push((path, at + 1, 0));
                    }
                } else if (has_hidden || !name.starts_with('.') || part.starts_with('.'))
                    && is_like(part, name)
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::{
        action::Action,
        call::ToolCall,
        facts::{Facts, FileFact, NotRead},
        understand::understand,
    };

    fn started(command: &str) -> Vec<String> {
        let directory = |names: &[&str]| FileFact::Directory {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            whole: true,
        };
        let file = || FileFact::NotRead { why: NotRead::Special, committed: None };
        let contents: BTreeMap<String, FileFact> = [
            (
                "/w/s",
                directory(&[
                    ".git/",
                    ".x.sh",
                    "A.SH",
                    "a.sh",
                    "b.py",
                    "c[1].sh",
                    "node_modules/",
                    "sub/",
                ]),
            ),
            ("/w/s/.git", directory(&["e.sh", "objects/"])),
            ("/w/s/node_modules", directory(&["d.sh"])),
            ("/w/s/sub", directory(&["f.sh"])),
        ]
        .into_iter()
        .map(|(path, fact)| (path.to_owned(), fact))
        .chain(
            [
                ".x.sh",
                "A.SH",
                "a.sh",
                "b.py",
                "c[1].sh",
                ".git/e.sh",
                "node_modules/d.sh",
                "sub/f.sh",
            ]
            .map(|name| (format!("/w/s/{name}"), file())),
        )
        .collect();
        let facts = Facts { cwd: Some("/w".to_owned()), contents, ..Facts::default() };
        let action = Action::from_call(ToolCall::shell(command)).unwrap();
        let effects = understand(&action, &facts);
        let mut started: Vec<String> = effects
            .files
            .iter()
            .filter_map(|file| file.path.strip_prefix("/w/s/").map(str::to_owned))
            .collect();
        started.sort();
        started.dedup();
        started
    }

    #[test]
    fn what_a_pattern_names_is_started() {
        let all = ["A.SH", "a.sh", "b.py", "c[1].sh"];
        for (command, expected) in [
            ("for f in s/*.sh; do bash \"$f\"; done", &["a.sh", "c[1].sh"][..]),
            ("bash s/[ab]*", &["a.sh", "b.py"]),
            ("bash 's/c[1].sh'", &["c[1].sh"]),
            ("run-parts s", &all),
            ("shopt -s dotglob; for f in s/*.sh; do sh $f; done", &[".x.sh", "a.sh", "c[1].sh"]),
            (
                "find s -name '*.sh' -exec sh {} \\;",
                &[".git/e.sh", ".x.sh", "A.SH", "a.sh", "c[1].sh", "node_modules/d.sh", "sub/f.sh"],
            ),
            (
                "find s -iname '*.sh' -exec sh {} \\;",
                &[".git/e.sh", ".x.sh", "A.SH", "a.sh", "c[1].sh", "node_modules/d.sh", "sub/f.sh"],
            ),
            ("bash \"s/*.sh\"", &[]),
        ] {
            assert_eq!(started(command), expected, "{command}");
        }
    }
}
