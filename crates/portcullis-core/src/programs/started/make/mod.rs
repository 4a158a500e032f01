//! `make`: what the targets that are asked for would run (GNU make manual, "How to Use Variables", "Writing Rules", "Summary of Options").
//! Owns which files it reads and which of their recipes run; the text itself is taken apart by `makefile` and filled in by `expand`.

mod expand;
mod makefile;

use super::Starter;
use crate::{
    bound::{Bounded, Cut},
    effect::{Argument, Certainty, GapReason},
    text::Text,
    understand::shell::{Invocation, Walk, files::File},
};
use expand::Values;
use makefile::{Makefile, Place};
use portcullis_syntax::Span;

pub(super) static MAKE: Starter = Starter { programs: &["make", "gmake"], start };

/// Where it looks for its file, in this order.
const NAMES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];

/// Options that take a value.
const VALUES: &[&str] = &["-C", "-f", "-I", "-j", "-l", "-o", "-W", "-O"];

/// How many files are included.
const FILES: usize = 32;

/// How many lines of recipes are followed.
const LINES: usize = 2_000;

/// What stands on the command line.
#[derive(Debug, Default)]
struct Asked {
    directories: Vec<String>,
    files: Vec<String>,
    goals: Vec<String>,
    variables: Vec<(String, String)>,
    /// Recipes are only shown; what is run while the file is read runs all the same.
    shows: bool,
    /// Nothing is read.
    tells: bool,
}

fn asked(invocation: &Invocation) -> Asked {
    let mut asked = Asked::default();
    let mut words = invocation.arguments.iter().map(|word| word.text.display());
    while let Some(word) = words.next() {
        let long = word.split_once('=').filter(|_| word.starts_with("--"));
        let (name, attached) =
            long.map_or((word.as_str(), None), |(name, value)| (name, Some(value.to_owned())));
        let short = word.get(..2).filter(|short| VALUES.contains(short) && word.len() > 2);
        let value = |words: &mut dyn Iterator<Item = String>| match short {
            Some(_) => word.get(2..).map(str::to_owned),
            None => attached.clone().or_else(|| words.next()),
        };
        match short.unwrap_or(name) {
            "-C" | "--directory" => asked.directories.extend(value(&mut words)),
            "-f" | "--file" | "--makefile" => asked.files.extend(value(&mut words)),
            "-j" | "--jobs" | "-l" | "-O" => {}
            "-I" | "-o" | "-W" | "--include-dir" | "--old-file" | "--what-if" => {
                value(&mut words);
            }
            "--just-print" | "--dry-run" | "--recon" | "--question" | "--touch" => {
                asked.shows = true
            }
            "--help" | "--version" | "-h" | "-v" => asked.tells = true,
            option if option.starts_with("--") => {}
            option if option.starts_with('-') => {
                asked.shows |= option.contains(['n', 'q', 't']);
            }
            _ => match word.split_once('=') {
                Some((name, value)) => {
                    let name = name.trim_end_matches([':', '?', '+']);
                    asked.variables.push((name.to_owned(), value.to_owned()));
                }
                None => asked.goals.push(word.clone()),
            },
        }
    }
    asked
}

fn start(walk: &mut Walk<'_>, invocation: &Invocation) {
    let asked = asked(invocation);
    if asked.tells {
        return;
    }
    let outer = walk.directory().map(str::to_owned);
    for directory in &asked.directories {
        let inner = walk.target(&Text::known(directory.as_str())).path;
        walk.go_to(inner);
    }
    read(walk, invocation, &asked);
    walk.go_to(outer);
}

fn read(walk: &mut Walk<'_>, invocation: &Invocation, asked: &Asked) {
    let Some(directory) = walk.directory().map(str::to_owned) else { return };
    let names: Vec<String> = if asked.files.is_empty() {
        NAMES.iter().map(|name| (*name).to_owned()).collect()
    } else {
        asked.files.clone()
    };
    let mut files: Vec<File> = Vec::new();
    for name in &names {
        let path = walk.target(&Text::known(name.as_str())).path;
        files.extend(path.and_then(|path| walk.look(&path).file()));
        if asked.files.is_empty() && !files.is_empty() {
            break;
        }
    }
    let mut make = Makefile::default();
    let mut values = Values::new(&directory, &asked.variables);
    let mut at = 0;
    while let Some(file) = files.get(at).cloned() {
        make.read(at, &file.text, &mut values);
        at += 1;
        for name in std::mem::take(&mut make.includes) {
            if files.len() >= FILES {
                walk.gap(invocation.span, GapReason::Limit);
                break;
            }
            let path = walk.target(&Text::known(name.as_str())).path;
            let included = path.and_then(|path| walk.look(&path).file());
            files.extend(included.filter(|new| files.iter().all(|file| file.path != new.path)));
        }
    }
    // What is run while the files are read.
    for (place, code) in std::mem::take(&mut make.immediate) {
        within(walk, &files, place, invocation.span, |walk, span| {
            walk.shell(&Text::known(code), span, &[], None);
        });
    }
    if !asked.shows {
        recipes(walk, invocation, asked, &files, &make, &mut values);
    }
    if values.is_cut() || make.cut {
        walk.gap(invocation.span, GapReason::Limit);
    }
}

fn recipes(
    walk: &mut Walk<'_>,
    invocation: &Invocation,
    asked: &Asked,
    files: &[File],
    make: &Makefile,
    values: &mut Values,
) {
    let default = || {
        let named = make.value_of(".DEFAULT_GOAL").map(|goal| goal.trim().to_owned());
        named.or_else(|| make.first.clone()).into_iter().collect()
    };
    let goals: Vec<String> = if asked.goals.is_empty() { default() } else { asked.goals.clone() };
    let lines = make.lines_of(&goals, values);
    let shell = values.expanded(make, "$(SHELL)");
    let flags = values.expanded(make, "$(.SHELLFLAGS)");
    let is_own = !shell.is_empty()
        && !["sh", "bash", "dash", "zsh", "ash", "env bash"].iter().any(|name| {
            shell == *name
                || ["/bin/", "/usr/bin/", "/usr/local/bin/", "/usr/bin/env "]
                    .iter()
                    .any(|top| shell.strip_prefix(top) == Some(name))
        })
        && !shell.contains('$');
    let mut cut = Cut::default();
    for line in lines.iter().at_most(LINES, &mut cut, invocation.span) {
        let place = Place { file: line.place.file, span: line.place.span };
        let certainty = if line.is_likely { Certainty::Likely } else { Certainty::Certain };
        within(walk, files, place, invocation.span, |walk, span| {
            walk.at_most(certainty, |walk| {
                let code = Text::known(line.text.as_str());
                if is_own {
                    let flags = if flags.is_empty() { "-c" } else { flags.as_str() };
                    let words = shell.split_whitespace().chain(flags.split_whitespace());
                    let mut words: Vec<Argument> =
                        words.map(|word| Argument { text: Text::known(word), span }).collect();
                    words.push(Argument { text: code, span });
                    walk.run(&words, None);
                } else {
                    walk.shell(&code, span, &[], None);
                }
            });
        });
    }
    cut.report(walk, invocation.span);
}

/// Reads something as standing in one of the files.
fn within(
    walk: &mut Walk<'_>,
    files: &[File],
    place: Place,
    span: Span,
    read: impl FnOnce(&mut Walk<'_>, Span),
) {
    if let Some(file) = files.get(place.file) {
        walk.in_file(file, "makefile", span, |walk| read(walk, place.span));
    }
}
