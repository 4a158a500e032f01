//! Where tools look for their files: in the directory that they are started in, in those above it, and below. Owns the order and the
//! bounds of such a search; what stands in the files is read by whoever searches.

use portcullis_syntax::Span;

use super::tree::Tree;
use crate::{
    bound::Bounded as _,
    effect::{Argument, GapReason},
    programs::found::{File, Found},
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
};

/// How many directories above are looked into. Work trees of people stay below ten.
const LEVELS: usize = 12;

/// How many directories below are listed for one search.
const LISTED: usize = 48;

/// Folders that nobody keeps sources of the project in.
const FOREIGN: &[&str] = &["build", "dist", "node_modules", "target", "vendor", "venv"];

/// The words of a command as they are shown.
pub(super) fn words(invocation: &Invocation) -> Vec<String> {
    invocation.arguments.iter().map(|word| word.text.display()).collect()
}

/// Words at one place in the file that is open.
pub(super) fn arguments<W: AsRef<str>>(words: &[W], span: Span) -> Vec<Argument> {
    words.iter().map(|word| Argument { text: Text::known(word.as_ref()), span }).collect()
}

/// Reads something in another directory, as the file or the command names it.
pub(super) fn in_directory<T>(
    walk: &mut dyn Host,
    directory: Option<&str>,
    read: impl FnOnce(&mut dyn Host) -> T,
) -> T {
    let Some(directory) = directory else { return read(walk) };
    let outer = walk.directory().map(str::to_owned);
    let inner = walk.target(&Text::known(directory)).path;
    walk.go_to(inner);
    let result = read(walk);
    walk.go_to(outer);
    result
}

/// The directory of the command and those above it, up to the root of the work tree.
pub(super) fn levels(walk: &mut dyn Host) -> Vec<String> {
    let workspace = walk.facts().workspace.clone();
    let mut places: Vec<String> = Vec::new();
    let mut next = walk.directory().map(str::to_owned);
    while let Some(directory) = next.filter(|_| places.len() < LEVELS) {
        let is_last = workspace.as_deref() == Some(directory.as_str());
        next = if is_last { None } else { super::directory_above(&directory) };
        places.push(directory);
    }
    // Files of the project stand further above than was looked.
    let is_in = |root: &String| places.first().is_some_and(|first| first.starts_with(root));
    if places.len() == LEVELS
        && workspace.as_ref().is_some_and(|root| is_in(root) && places.last() != Some(root))
    {
        walk.left_unread(Span::default());
    }
    places
}

/// The first of these files in the directory of the command or in the nearest one above it that has one.
pub(super) fn nearest(walk: &mut dyn Host, names: &[&str]) -> Option<File> {
    let places = levels(walk);
    // All are asked for at once: a round of looking is dearer than a look.
    for directory in &places {
        for name in names {
            walk.look(&joined(directory, name));
        }
    }
    places.iter().find_map(|directory| first_in(walk, directory, names))
}

/// The first of these files in a directory.
pub(super) fn first_in(walk: &mut dyn Host, directory: &str, names: &[&str]) -> Option<File> {
    all_in(walk, directory, names).into_iter().next()
}

/// Each of these files that a directory has.
pub(super) fn all_in(walk: &mut dyn Host, directory: &str, names: &[&str]) -> Vec<File> {
    let looked: Vec<Option<File>> =
        names.iter().map(|name| walk.look(&joined(directory, name)).file()).collect();
    looked.into_iter().flatten().collect()
}

/// The files below a directory whose names are wanted, those that stand higher first. Say it from within a file: what is left out there is
/// told and no question.
pub(super) fn below(
    walk: &mut dyn Host,
    directory: &str,
    depth: usize,
    span: Span,
    wanted: &dyn Fn(&str) -> bool,
) -> Vec<String> {
    let mut files = Vec::new();
    let mut open = vec![(directory.trim_end_matches('/').to_owned(), 0)];
    let mut at = 0;
    while let Some((directory, level)) = open.get(at).cloned() {
        at += 1;
        let Found::Directory(names) = walk.look(&directory) else { continue };
        for name in &names {
            let path = format!("{directory}/{}", name.trim_end_matches('/'));
            match name.strip_suffix('/') {
                Some(folder) if level + 1 < depth => {
                    if folder.starts_with(['.', '_']) || FOREIGN.contains(&folder) {
                        continue;
                    }
                    if open.len() < LISTED {
                        open.push((path, level + 1));
                    } else {
                        walk.gap(span, GapReason::Limit);
                    }
                }
                None if wanted(name) => files.push(path),
                _ => {}
            }
        }
    }
    // Of more files than are read, those come first that this session wrote.
    files.sort_by_key(|file| walk.facts().session.left(file).is_none());
    files
}

/// The directories that a pattern of a workspace names: `crates/*` is every directory in `crates`.
pub(super) fn members(
    walk: &mut dyn Host,
    root: &str,
    patterns: &[&str],
    most: usize,
    span: Span,
) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for pattern in patterns {
        let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
        match pattern.split_once('*') {
            None => found.push(joined(root, pattern)),
            Some((before, _)) => {
                let directory = joined(root, before.trim_end_matches('/'));
                let Found::Directory(names) = walk.look(&directory) else { continue };
                let folders = names.iter().filter_map(|name| name.strip_suffix('/'));
                let folders = folders.filter(|name| !name.starts_with('.'));
                found.extend(folders.map(|name| joined(&directory, name)));
            }
        }
    }
    // What this session wrote is nobody's word yet, and comes first.
    found.sort_by_key(|place| !is_left_in(walk, place));
    if found.len() > most {
        walk.left_unread(span);
    }
    found.into_iter().leading(most).collect()
}

/// Whether this session wrote a file of this directory by which it is a package.
fn is_left_in(walk: &dyn Host, place: &str) -> bool {
    ["package.json", "Cargo.toml"]
        .iter()
        .any(|name| walk.facts().session.left(&joined(place, name)).is_some())
}

/// A name below a directory.
pub(super) fn joined(directory: &str, name: &str) -> String {
    let name = name.trim_start_matches("./");
    match name {
        "" | "." => directory.to_owned(),
        name if name.starts_with('/') => name.to_owned(),
        name => [directory.trim_end_matches('/'), "/", name].concat(),
    }
}

/// A tree of the file that is open; where not all of it was read, that is said.
pub(super) fn whole(walk: &mut dyn Host, tree: Tree) -> Tree {
    if tree.cut {
        walk.left_unread(Span::default());
    }
    tree
}

/// The value of the first of some options in words: `-f X`, `-fX` where that is short, `--file X`, `--file=X`.
pub(super) fn option<'w>(words: &'w [String], names: &[&str]) -> Option<&'w str> {
    options(words, names).into_iter().next()
}

/// The values of options in words, see [`option`].
pub(super) fn options<'w>(words: &'w [String], names: &[&str]) -> Vec<&'w str> {
    let mut values = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if word == "--" {
            break;
        }
        for name in names {
            if word == name {
                values.extend(words.get(at + 1).map(String::as_str));
            } else if let Some(rest) = word.strip_prefix(name) {
                match rest.strip_prefix('=') {
                    Some(value) => values.push(value),
                    None if !name.starts_with("--") && name.len() == 2 => values.push(rest),
                    None => {}
                }
            }
        }
    }
    values
}

/// Says of an address that code is taken from that anybody on the way may change it, or that it is a bare number.
pub(super) fn taken_from(walk: &mut dyn Host, address: &str, span: Span) {
    if is_plain(address) {
        walk.note("package.index.plain", span);
    }
}

/// Whether an address is reached over a connection that anybody on the way may change, or is a bare number; machines at hand are none.
fn is_plain(address: &str) -> bool {
    let bare = address
        .trim_start_matches("git+")
        .trim_start_matches("git::")
        .trim_start_matches("sparse+");
    let Some((scheme, rest)) = bare.split_once("://") else { return false };
    let end = rest.find(['/', ':', '?', '#']).unwrap_or(rest.len());
    let host = rest.get(..end).unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or(host);
    let is_number =
        !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_near = host == "localhost"
        || ["127.", "10.", "192.168."].iter().any(|start| is_number && host.starts_with(start))
        || !host.contains('.')
        || [".local", ".internal", ".localhost", ".lan", ".svc", ".test"]
            .iter()
            .any(|end| host.ends_with(end));
    !is_near && (matches!(scheme, "http" | "git" | "ftp") || is_number)
}

/// Whether one of some words is there; what stands behind `--` is for somebody else.
pub(super) fn has(words: &[String], wanted: &[&str]) -> bool {
    words.iter().take_while(|word| *word != "--").any(|word| wanted.contains(&word.as_str()))
}

/// The words that are no options and no values of these options.
pub(super) fn operands<'w>(words: &'w [String], values: &[&str]) -> Vec<&'w str> {
    let mut operands = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--" {
            operands.extend(words.by_ref().map(String::as_str));
        } else if values.contains(&word.as_str()) {
            words.next();
        } else if !word.starts_with('-') || word == "-" {
            operands.push(word.as_str());
        }
    }
    operands
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn options_have_their_values_in_each_spelling() {
        for (text, expected) in [
            ("build -f a .", &["a"][..]),
            ("build -fa .", &["a"]),
            ("build --file=a --file b", &["a", "b"]),
            ("build --filed=a", &[]),
            ("run -- -f a", &[]),
        ] {
            assert_eq!(options(&line(text), &["-f", "--file"]), expected, "{text}");
        }
        assert_eq!(operands(&line("build -f a --x . -- -y"), &["-f"]), ["build", ".", "-y"]);
    }

    #[test]
    fn addresses_that_anybody_may_change_are_told_from_the_others() {
        for (address, expected) in [
            ("http://a.example/b", true),
            ("git::http://a.example/b.git", true),
            ("https://203.0.113.5/x", true),
            ("git://a.example/b", true),
            ("https://a.example/b", false),
            ("http://localhost:8080", false),
            ("http://10.0.0.3/simple", false),
            ("http://nexus.internal/x", false),
            ("x", false),
        ] {
            assert_eq!(is_plain(address), expected, "{address}");
        }
    }

    #[test]
    fn names_are_put_below_their_directory() {
        for (name, expected) in [("a", "/p/a"), ("./a", "/p/a"), (".", "/p"), ("/x", "/x")] {
            assert_eq!(joined("/p", name), expected);
        }
    }
}
