//! Go: what `go generate` runs, the program that `go run` builds, and the tests that `go test` runs (go.dev, "cmd/go"). Owns packages as they are
//! named, the order of files and directives; a package of another module is not there to be read.

use portcullis_syntax::Span;

use super::{Piece, Starter, project, run_pieces};
use crate::{
    bound::Bounded,
    effect::Certainty,
    programs::found::{Found, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
};

pub(super) static GO: Starter = Starter { programs: &["go"], start };

/// How many files are read for one command.
const FILES: usize = 24;

/// How many directories deep `./...` is followed.
const DEEP: usize = 5;

/// Options of `go run`, `test` and `generate` that take a value.
const VALUES: &[&str] = &[
    "-C",
    "-asmflags",
    "-bench",
    "-benchtime",
    "-buildmode",
    "-compiler",
    "-count",
    "-covermode",
    "-coverpkg",
    "-coverprofile",
    "-cpu",
    "-exec",
    "-gcflags",
    "-ldflags",
    "-mod",
    "-modfile",
    "-o",
    "-overlay",
    "-p",
    "-parallel",
    "-pkgdir",
    "-run",
    "-skip",
    "-tags",
    "-timeout",
    "-toolexec",
];

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Verb {
    Generate,
    Run,
    Test,
}

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let verb = match words.first().map(String::as_str) {
        Some("generate") if !project::has(&words, &["-n"]) => Verb::Generate,
        Some("run") => Verb::Run,
        Some("test") if !project::has(&words, &["-c", "-n", "-list"]) => Verb::Test,
        _ => return,
    };
    let rest = words.get(1..).unwrap_or_default();
    let operands = project::operands(rest, VALUES);
    let packages: Vec<&str> = match verb {
        // What stands behind the package is for the program.
        Verb::Run => {
            let files = operands.iter().take_while(|word| word.ends_with(".go")).count();
            operands.iter().leading(files.max(1)).copied().collect()
        }
        _ if operands.is_empty() => vec!["."],
        _ => operands,
    };
    let directory = project::option(rest, &["-C"]).map(str::to_owned);
    project::in_directory(walk, directory.as_deref(), |walk| {
        let module = project::nearest(walk, &["go.mod"]);
        let read = |walk: &mut dyn Host| {
            let mut paths: Vec<String> = Vec::new();
            for package in &packages {
                let Some(path) = named(
                    walk,
                    package,
                    module.as_ref().map(|file| (directory_of(&file.path), &*file.text)),
                ) else {
                    continue;
                };
                paths.extend(files(walk, &path, package, verb, invocation.span));
            }
            // What a program is made of is asked for at once.
            let paths: Vec<String> =
                paths.iter().at_most(FILES, walk, invocation.span).cloned().collect();
            for path in &paths {
                walk.look(path);
            }
            paths
        };
        let paths = match &module {
            Some(file) => walk.in_file(file, "go.mod", invocation.span, read).unwrap_or_default(),
            None => read(walk),
        };
        for path in paths {
            match verb {
                Verb::Generate => generated(walk, &path, invocation.span),
                Verb::Run => {
                    walk.run_file("go", &path, invocation.span, &[], None);
                }
                Verb::Test => {
                    walk.load("go", &path, invocation.span);
                }
            }
        }
    });
}

/// The directory or the file of a package: `./x`, `x.go`, or the path behind the module's own name.
fn named(walk: &dyn Host, package: &str, module: Option<(&str, &str)>) -> Option<String> {
    let bare = package.strip_suffix("/...").unwrap_or(if package == "..." { "." } else { package });
    if bare.starts_with(['.', '/']) || bare.ends_with(".go") {
        return walk.target(&Text::known(bare)).path;
    }
    let (root, text) = module?;
    let name = text.lines().find_map(|line| line.trim().strip_prefix("module "))?.trim();
    let below = bare.strip_prefix(name)?.trim_start_matches('/');
    Some(project::joined(root, below))
}

fn files(walk: &mut dyn Host, path: &str, package: &str, verb: Verb, span: Span) -> Vec<String> {
    if path.ends_with(".go") {
        return vec![path.to_owned()];
    }
    let is_wanted = |name: &str| match verb {
        Verb::Test => name.ends_with("_test.go"),
        Verb::Run => name.ends_with(".go") && !name.ends_with("_test.go"),
        Verb::Generate => name.ends_with(".go"),
    };
    let depth = if package.ends_with("...") { DEEP } else { 1 };
    if depth == 1 {
        let Found::Directory(names) = walk.look(path) else { return Vec::new() };
        return names
            .iter()
            .filter(|name| is_wanted(name))
            .map(|name| project::joined(path, name))
            .collect();
    }
    project::below(walk, path, depth, span, &is_wanted)
}

fn generated(walk: &mut dyn Host, path: &str, span: Span) {
    let Some(file) = walk.look(path).file() else { return };
    let pieces = directives(&file.text, directory_of(path));
    if pieces.is_empty() {
        return;
    }
    walk.in_file(&file, "go:generate", span, |walk| run_pieces(walk, &file.text, &pieces));
}

/// Commands behind `//go:generate`, run in the directory of the file; there is no shell between.
fn directives(text: &str, directory: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let Some(command) =
            line.strip_prefix("//go:generate").filter(|rest| rest.starts_with([' ', '\t']))
        else {
            continue;
        };
        let command = command.trim();
        // `-command NAME ARGUMENTS` only gives a name.
        if command.is_empty() || command.starts_with("-command ") {
            continue;
        }
        let from = start + line.find(command).unwrap_or(0);
        pieces.push(Piece {
            directory: Some(directory.to_owned()),
            certainty: Certainty::Certain,
            ..Piece::command(Span::new(from, from + command.len()))
        });
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_run_where_their_file_stands() {
        let text = "package a\n//go:generate sh -c \"b\"\n // go:generate no\n//go:generatex no\n//go:generate -command y z\n";
        let pieces = directives(text, "/p/a");
        let found: Vec<&str> =
            pieces.iter().filter_map(|piece| text.get(piece.span.range())).collect();
        assert_eq!(found, ["sh -c \"b\""]);
        assert_eq!(pieces[0].directory.as_deref(), Some("/p/a"));
    }
}
