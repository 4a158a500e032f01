//! Robot Framework: the libraries and variables of a suite that are files, and the programs that its keywords start (robotframework.org, "User
//! Guide", "Process").

use portcullis_syntax::Span;

use super::{Starter, project};
use crate::{
    bound::Bounded,
    effect::Certainty,
    programs::found::{File, Found, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
};

pub(super) static ROBOT: Starter = Starter { programs: &["pabot", "robot"], start };

/// How many suites and resources are read, and how deep they take each other in.
const SUITES: usize = 24;
const NESTED: usize = 4;

/// Keywords that start a program with the words behind them.
const STARTS: &[&str] =
    &["run", "run and return rc", "run and return rc and output", "run process", "start process"];

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--help", "-h", "--version", "--dryrun"]) {
        return;
    }
    let mut paths = Vec::new();
    for name in words.iter().filter(|word| !word.starts_with('-')) {
        let Some(path) = walk.target(&Text::known(name.as_str())).path else { continue };
        match walk.look(&path) {
            Found::Directory(_) => {
                let is_suite = |name: &str| name.ends_with(".robot");
                paths.extend(project::below(walk, &path, NESTED, invocation.span, &is_suite));
            }
            Found::File(_) => paths.push(path),
            Found::Nothing | Found::NotRead(_) => {}
        }
    }
    for path in paths.iter().at_most(SUITES, walk, invocation.span) {
        suite(walk, path, invocation.span, 0);
    }
}

fn suite(walk: &mut dyn Host, path: &str, span: Span, depth: usize) {
    let Some(file) = walk.look(path).file() else { return };
    if depth >= NESTED {
        walk.left_unread(span);
        return;
    }
    let root = directory_of(&file.path).to_owned();
    let taken = walk.in_file(&file, "robot", span, |walk| lines(walk, &file, &root));
    for path in taken.unwrap_or_default() {
        if path.ends_with(".py") {
            walk.load("python", &path, span);
        } else {
            suite(walk, &path, span, depth + 1);
        }
    }
}

/// Says what the lines start; gives the files that they take in.
fn lines(walk: &mut dyn Host, file: &File, root: &str) -> Vec<String> {
    let mut taken = Vec::new();
    let mut at = 0;
    for raw in file.text.split_inclusive('\n') {
        let span = Span::new(at, at + raw.trim_end().len());
        at += raw.len();
        let cells: Vec<&str> = raw
            .split(['\t', '|'])
            .flat_map(|part| part.split("  "))
            .map(str::trim)
            .filter(|cell| !cell.is_empty())
            .collect();
        let Some((first, rest)) = cells.split_first() else { continue };
        if matches!(first.to_ascii_lowercase().as_str(), "library" | "resource" | "variables") {
            let name = rest.first().map(|name| name.replace("${CURDIR}/", "./"));
            let name = name.filter(|name| {
                name.ends_with(".py") || name.ends_with(".robot") || name.ends_with(".resource")
            });
            taken.extend(name.map(|name| crate::paths::normal(&project::joined(root, &name))));
            continue;
        }
        let keyword =
            cells.iter().position(|cell| STARTS.contains(&cell.to_ascii_lowercase().as_str()));
        let Some(keyword) = keyword else { continue };
        let words = cells.get(keyword + 1..).unwrap_or_default();
        walk.at_most(Certainty::Likely, |walk| match words {
            [code] => walk.shell(&Text::known(*code), span, &[], None),
            _ => walk.run(&project::arguments(words, span), None),
        });
    }
    taken
}
