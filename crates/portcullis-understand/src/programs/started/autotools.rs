//! Autoconf and its kin: commands that macros run while `configure` is made (gnu.org, "Autoconf", "M4 Shell commands"). Owns which files are read and how a
//! macro's argument is found; what the script that comes out of it does is read where it is run.

use portcullis_syntax::Span;

use super::{Starter, project};
use crate::{
    bound::Bounded,
    effect::Certainty,
    programs::found::{File, Found, directory_of},
    programs::host::{Host, Unread},
    programs::invocation::Invocation,
    text::Text,
};

pub(super) static AUTOTOOLS: Starter = Starter {
    programs: &[
        "aclocal",
        "autoconf",
        "autoheader",
        "autom4te",
        "automake",
        "autoreconf",
        "autoupdate",
    ],
    start,
};

/// How many files are read.
const FILES: usize = 32;

/// Macros that run a command, in each spelling.
const RUNNING: &[&str] = &["m4_esyscmd_s", "m4_esyscmd", "m4_syscmd", "esyscmd", "syscmd"];

/// Macros that take in another file.
const INCLUDING: &[&str] = &["m4_include", "m4_sinclude", "include", "sinclude"];

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--help", "-h", "--version", "-V"]) {
        return;
    }
    let operands = project::operands(&words, &["-I", "-B", "-o", "-W", "--include", "-l"]);
    let place = operands.first().filter(|_| invocation.program == "autoreconf").copied();
    project::in_directory(walk, place, |walk| {
        let Some(root) = walk.directory().map(str::to_owned) else { return };
        let mut paths: Vec<String> = ["configure.ac", "configure.in", "acinclude.m4", "aclocal.m4"]
            .map(|name| format!("{root}/{name}"))
            .to_vec();
        for path in &paths {
            walk.look(path);
        }
        let mut folders = vec!["m4".to_owned()];
        folders.extend(project::options(&words, &["-I"]).into_iter().map(str::to_owned));
        for file in paths.clone().iter().filter_map(|path| walk.look(path).file()) {
            for name in ["AC_CONFIG_MACRO_DIRS", "AC_CONFIG_MACRO_DIR"] {
                let named = arguments(&file.text, name).into_iter().map(|it| it.0.to_owned());
                folders.extend(
                    named.flat_map(|it| {
                        it.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
                    }),
                );
            }
        }
        folders.sort();
        folders.dedup();
        for folder in folders {
            let folder = project::joined(&root, &folder);
            let Found::Directory(names) = walk.look(&folder) else { continue };
            let macros = names.iter().filter(|name| name.ends_with(".m4"));
            let macros = macros.at_most(FILES, &mut Unread(walk), invocation.span);
            paths.extend(macros.map(|name| format!("{folder}/{name}")));
        }
        let mut at = 0;
        while let Some(path) = paths.get(at).cloned() {
            at += 1;
            let Some(file) = walk.look(&path).file() else { continue };
            for name in INCLUDING {
                for (named, _) in arguments(&file.text, name) {
                    let here = directory_of(&path).to_owned();
                    for place in [&root, &here] {
                        let path = crate::paths::normal(&project::joined(place, named));
                        if paths.contains(&path) {
                            continue;
                        }
                        if paths.len() >= FILES * 2 {
                            walk.left_unread(invocation.span);
                            return;
                        }
                        paths.push(path);
                    }
                }
            }
            commands(walk, &file, invocation.span);
        }
    });
}

/// Says what the macros of a file run.
pub(super) fn commands(walk: &mut dyn Host, file: &File, span: Span) {
    walk.in_file(file, "m4", span, |walk| {
        for name in RUNNING {
            for (code, place) in arguments(&file.text, name) {
                walk.at_most(Certainty::Likely, |walk| {
                    walk.shell(&Text::known(code), place, &[], None)
                });
            }
        }
    });
}

/// The first argument of each call of a macro, without the quotes around it, and where it stands. What stands in a comment is none.
fn arguments<'t>(text: &'t str, name: &str) -> Vec<(&'t str, Span)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(name) {
        let before = text.get(..at).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let is_comment = line.split(|it| !is_word(it)).any(|word| word == "dnl")
            || line.trim_start().starts_with('#');
        let from = at + name.len();
        let Some(rest) = text.get(from..).and_then(|rest| rest.strip_prefix('(')) else { continue };
        if is_comment || before.ends_with(is_word) {
            continue;
        }
        let bare = rest.trim_start();
        let start = from + 1 + rest.len() - bare.len();
        let (open, close) = match bare.chars().next() {
            Some('[') => ('[', ']'),
            Some('`') => ('`', '\''),
            _ => ('(', ')'),
        };
        let inner = bare.strip_prefix(['[', '`']).unwrap_or(bare);
        let start = start + bare.len() - inner.len();
        let mut depth = 0_usize;
        let end = inner.char_indices().find(|(_, letter)| {
            let ends = *letter == close && depth == 0;
            if *letter == open {
                depth += 1;
            } else if *letter == close {
                depth = depth.saturating_sub(1);
            }
            ends
        });
        let end = end.map_or(inner.len(), |it| it.0);
        found.push((inner.get(..end).unwrap_or_default(), Span::new(start, start + end)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::arguments;

    #[test]
    fn arguments_of_macros_have_their_quotes_taken_off() {
        for (text, expected) in [
            ("m4_esyscmd([a | b [c] d])\n", &["a | b [c] d"][..]),
            ("x m4_esyscmd(a b)\n", &["a b"]),
            ("dnl m4_esyscmd([a])\n# m4_esyscmd([a])\nno_m4_esyscmd([a])\n", &[]),
            ("m4_esyscmd_s([a])\n", &[]),
            ("m4_esyscmd(`a')\n", &["a"]),
            ("m4_esyscmd([a", &["a"]),
        ] {
            let found: Vec<&str> =
                arguments(text, "m4_esyscmd").into_iter().map(|it| it.0).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
