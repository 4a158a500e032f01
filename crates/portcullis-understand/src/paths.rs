//! Paths as text: made absolute and normal without looking at any disk. Owns no meaning of any path.

use crate::{
    facts::Facts,
    text::{Piece, Text},
};

/// The absolute, normal form of `text` seen from `directory`, with globs as written. `None` where an unknown piece or an
/// unknown directory leaves open what the path begins with; an unknown piece further on stands as `**`, which means any
/// path below.
pub fn absolute(text: &Text, directory: Option<&str>, facts: &Facts) -> Option<String> {
    let mut written = String::new();
    for (index, piece) in text.pieces.iter().enumerate() {
        match piece {
            Piece::Known(known) => written.push_str(known),
            Piece::Glob(glob) => written.push_str(glob),
            Piece::Unknown(_) if index == 0 => return None,
            Piece::Unknown(_) => written.push_str("**"),
        }
    }
    if written.is_empty() || written.contains('\0') {
        return None;
    }
    let rooted = if written.starts_with('/') || is_windows(&written) {
        written
    } else if written == "~" || written.starts_with("~/") {
        [facts.home.as_deref()?, written.get(1..).unwrap_or("")].concat()
    } else {
        [directory?, "/", &written].concat()
    };
    let Some(directory) = directory.or(facts.cwd.as_deref()).filter(|_| leads_on(&rooted)) else {
        return Some(normal(&rooted));
    };
    Some(through_processes(&rooted, directory))
}

/// Whether a path may go through what the system shows of processes.
fn leads_on(path: &str) -> bool {
    path.contains("/proc/") || path.contains("/fd/")
}

/// The same of a path through what the system shows of a process: its directory is this one, and its root is the root.
fn through_processes(path: &str, directory: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                // `/dev/fd` is a link.
                if matches!(parts.as_slice(), ["dev", "fd"]) {
                    parts = vec!["proc", "self"];
                } else {
                    parts.pop();
                }
            }
            other => parts.push(other),
        }
        match parts.as_slice() {
            ["proc", "self" | "thread-self", "cwd"] | ["proc", "self", "task", _, "cwd"] => {
                parts = directory.split('/').filter(|part| !part.is_empty()).collect();
            }
            ["proc", _, "root"] | ["proc", _, "task", _, "root"] => parts.clear(),
            _ => {}
        }
    }
    format!("/{}", parts.join("/"))
}

/// `/a/./b//../c` as `/a/c`. A `..` behind a glob takes the glob away, as the shell would for every match.
pub(crate) fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    if is_windows(path) {
        return parts.join("/");
    }
    let mut whole = String::with_capacity(path.len());
    for part in &parts {
        whole.push('/');
        whole.push_str(part);
    }
    if whole.is_empty() { "/".to_owned() } else { whole }
}

fn is_windows(path: &str) -> bool {
    let mut bytes = path.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic())
        && bytes.next() == Some(b':')
        && bytes.next().is_some_and(|third| matches!(third, b'/' | b'\\'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_made_absolute_and_normal() {
        let facts = Facts { home: Some("/home/dev".to_owned()), ..Facts::default() };
        for (written, expected) in [
            ("a", Some("/w/a")),
            ("./a/../b", Some("/w/b")),
            ("/", Some("/")),
            ("//usr///bin/../lib/.", Some("/usr/lib")),
            ("../../..", Some("/")),
            ("~", Some("/home/dev")),
            ("~/x", Some("/home/dev/x")),
            ("", None),
            ("a\0b", None),
        ] {
            assert_eq!(
                absolute(&Text::known(written), Some("/w"), &facts).as_deref(),
                expected,
                "{written}"
            );
        }
    }
}
