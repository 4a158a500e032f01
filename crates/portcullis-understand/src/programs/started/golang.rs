//! Go: what `go generate` runs, the program that `go run` builds, and the tests that `go test` runs (go.dev, "cmd/go"). Owns packages as they are
//! named, the order of files and directives; a package of another module is not there to be read.

use portcullis_syntax::Span;

use super::{Piece, Starter, braces, project, run_pieces};
use crate::{
    bound::Bounded,
    effect::Certainty,
    programs::found::{File, Found, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
};

pub(super) static GO: Starter = Starter { programs: &["go"], start };

/// How many files are read for one command.
const FILES: usize = 40;

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
        if verb == Verb::Generate {
            for path in paths {
                generated(walk, &path, invocation.span);
            }
            return;
        }
        let tags: Vec<&str> = project::options(rest, &["-tags"]);
        let tags: Vec<&str> = tags.iter().flat_map(|it| it.split([',', ' '])).collect();
        let mut files: Vec<File> = paths.iter().filter_map(|path| walk.look(path).file()).collect();
        files.retain(|file| is_built(&file.path, &file.text, &tags));
        if let Some(module) = &module {
            let more = walk.in_file(module, "go.mod", invocation.span, |walk| {
                taken_in(walk, &files, module, invocation.span)
            });
            files.extend(
                more.into_iter().flatten().filter(|file| is_built(&file.path, &file.text, &tags)),
            );
        }
        let texts: Vec<&str> = files.iter().map(|file| &*file.text).collect();
        let run = project::option(rest, &["-run"]);
        let skip = project::option(rest, &["-skip"]);
        let is_called = |number: usize, function: &braces::Function<'_>| {
            let is_own = files.get(number).is_some_and(|file| paths.contains(&file.path));
            match function.name {
                "init" => true,
                "main" => verb == Verb::Run && is_own,
                "TestMain" => verb == Verb::Test,
                name => verb == Verb::Test && is_test(name, run, skip, rest),
            }
        };
        let kept = braces::without_uncalled("go", &texts, &is_called);
        for (file, text) in files.iter().zip(kept) {
            let is_own = paths.contains(&file.path);
            let file = File { text: text.into(), ..file.clone() };
            match verb == Verb::Run && is_own {
                true => {
                    walk.run_text("go", &file, invocation.span, &[], None);
                }
                false => {
                    walk.load_text_from(&[], "go", &file, invocation.span);
                }
            }
        }
    });
}

/// Whether a function is a test that runs: `-run X` and `-skip X` are searched for in its name (go.dev, "Testing flags"). What is no plain word may
/// choose any.
fn is_test(name: &str, run: Option<&str>, skip: Option<&str>, words: &[String]) -> bool {
    let is_kind = ["Test", "Example", "Fuzz"].iter().any(|kind| name.starts_with(kind));
    let is_measured = name.starts_with("Benchmark")
        && words.iter().any(|word| word.starts_with("-bench") || word.starts_with("--bench"));
    let plain = |pattern: &str| -> Option<(String, bool, bool)> {
        let top = pattern.split('/').next().unwrap_or_default();
        let bare = top.trim_start_matches('^').trim_end_matches('$');
        let is_plain =
            !bare.is_empty() && bare.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
        is_plain.then(|| (bare.to_owned(), top.starts_with('^'), top.ends_with('$')))
    };
    let matches = |(bare, begins, ends): &(String, bool, bool)| match (begins, ends) {
        (true, true) => name == bare,
        (true, false) => name.starts_with(bare),
        (false, true) => name.ends_with(bare),
        (false, false) => name.contains(bare),
    };
    let is_chosen = run.and_then(plain).is_none_or(|pattern| matches(&pattern));
    let is_skipped = skip
        .filter(|skip| !skip.contains('/'))
        .and_then(plain)
        .is_some_and(|pattern| matches(&pattern));
    is_measured || is_kind && is_chosen && !is_skipped
}

/// Systems that a name or a line may ask for and that no agent works on (go.dev, "Build constraints"). Of the others it may be any.
const OTHERS: &[&str] =
    &["aix", "android", "dragonfly", "illumos", "ios", "js", "plan9", "solaris", "wasip1"];

/// Whether a file is part of the build: by the system in its name, and by its `//go:build` line with the tags that are given. What is not known may be
/// either.
fn is_built(path: &str, text: &str, tags: &[&str]) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.trim_end_matches(".go").trim_end_matches("_test");
    let mut parts = stem.split('_').skip(1);
    if parts.any(|part| OTHERS.contains(&part)) {
        return false;
    }
    // It stands above the package's own line.
    let line = text
        .lines()
        .map(str::trim)
        .take_while(|line| line.is_empty() || line.starts_with("//"))
        .find_map(|line| line.strip_prefix("//go:build "));
    let Some(line) = line else { return true };
    let spaced = line.replace('(', " ( ").replace(')', " ) ").replace('!', " ! ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let value = either(&words, &mut at, tags, 0);
    at < words.len() || value != Some(false)
}

/// How deep brackets of one constraint go.
const WITHIN: usize = 32;

/// `a || b`; nothing where it may be either.
fn either(words: &[&str], at: &mut usize, tags: &[&str], depth: usize) -> Option<bool> {
    let mut value = both(words, at, tags, depth);
    while words.get(*at) == Some(&"||") {
        *at += 1;
        let other = both(words, at, tags, depth);
        value = match (value, other) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        };
    }
    value
}

/// `a && b`.
fn both(words: &[&str], at: &mut usize, tags: &[&str], depth: usize) -> Option<bool> {
    let mut value = one(words, at, tags, depth);
    while words.get(*at) == Some(&"&&") {
        *at += 1;
        let other = one(words, at, tags, depth);
        value = match (value, other) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        };
    }
    value
}

/// `a`, `!a`, `(a || b)`.
fn one(words: &[&str], at: &mut usize, tags: &[&str], depth: usize) -> Option<bool> {
    if depth > WITHIN {
        *at = words.len();
        return None;
    }
    let word = words.get(*at).copied()?;
    *at += 1;
    match word {
        "!" => one(words, at, tags, depth + 1).map(|value| !value),
        "(" => {
            let value = either(words, at, tags, depth + 1);
            *at += usize::from(words.get(*at) == Some(&")"));
            value
        }
        word if tags.contains(&word) => Some(true),
        "ignore" => Some(false),
        // The system, the processor, the compiler and its version, cgo.
        "darwin" | "freebsd" | "linux" | "netbsd" | "openbsd" | "unix" | "windows" => None,
        "amd64" | "arm64" | "386" | "arm" | "cgo" | "gc" | "gccgo" | "race" | "msan" | "asan"
        | "riscv64" | "ppc64le" | "s390x" | "loong64" | "mips" | "mips64" | "wasm" => None,
        word if word.starts_with("go1.") => None,
        _ => Some(false),
    }
}

/// Sources of the module's own packages that these take in, by the paths behind the module's name: what stands in `init` runs with them, and what they
/// name. Tests stand in the package that they test.
fn taken_in(walk: &mut dyn Host, files: &[File], module: &File, span: Span) -> Vec<File> {
    let root = directory_of(&module.path).to_owned();
    let name = module.text.lines().find_map(|line| line.trim().strip_prefix("module "));
    let Some(name) = name.map(str::trim) else { return Vec::new() };
    let mut folders: Vec<String> = Vec::new();
    let mut found: Vec<File> = Vec::new();
    let mut open: Vec<File> = files.to_vec();
    for file in files.iter().filter(|file| file.path.ends_with("_test.go")) {
        folders.push(directory_of(&file.path).to_owned());
    }
    let mut next = 0;
    loop {
        for file in std::mem::take(&mut open) {
            for line in file.text.lines() {
                let Some(path) = line.split('"').nth(1).and_then(|it| it.strip_prefix(name)) else {
                    continue;
                };
                let is_own = path.is_empty() || path.starts_with('/');
                let folder = project::joined(&root, path.trim_start_matches('/'));
                if is_own && !folders.contains(&folder) {
                    folders.push(folder);
                }
            }
        }
        if next >= folders.len() {
            break;
        }
        let new: Vec<String> = folders.get(next..).unwrap_or_default().to_vec();
        next = folders.len();
        for folder in &new {
            walk.look(folder);
        }
        let mut paths: Vec<String> = Vec::new();
        for folder in &new {
            let Found::Directory(names) = walk.look(folder) else { continue };
            let sources =
                names.iter().filter(|it| it.ends_with(".go") && !it.ends_with("_test.go"));
            paths.extend(sources.map(|name| project::joined(folder, name)));
        }
        paths.retain(|path| !files.iter().chain(&found).any(|file| file.path == *path));
        let room = FILES.saturating_sub(found.len());
        let paths: Vec<String> = paths.into_iter().at_most(room, walk, span).collect();
        for path in &paths {
            walk.look(path);
        }
        open.extend(paths.iter().filter_map(|path| walk.look(path).file()));
        found.extend(open.iter().cloned());
    }
    found
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
    fn files_are_built_by_their_names_and_constraints() {
        for (path, text, tags, expected) in [
            ("a.go", "package a\n", &[][..], true),
            ("a_test.go", "//go:build container\n\npackage a\n", &[], false),
            ("a_test.go", "//go:build container\n\npackage a\n", &["container"], true),
            ("a.go", "// x\n\n//go:build !(x || y) && linux\npackage a\n", &[], true),
            ("a.go", "//go:build !(x || y)\npackage a\n", &["y"], false),
            ("a.go", "//go:build ignore\npackage a\n", &[], false),
            ("a.go", "//go:build amd64 && go1.22\npackage a\n", &[], true),
            ("a.go", "package a\n//go:build ignore\n", &[], true),
            ("a_plan9_test.go", "package a\n", &[], false),
            ("a_windows_test.go", "package a\n", &[], true),
            ("a_linux_amd64.go", "package a\n", &[], true),
            ("windows.go", "package a\n", &[], true),
        ] {
            assert_eq!(is_built(path, text, tags), expected, "{path} {text} {tags:?}");
        }
    }

    #[test]
    fn tests_are_chosen_by_their_names() {
        for (name, run, skip, expected) in [
            ("TestA", None, None, true),
            ("TestA", Some("^TestA$/x"), None, true),
            ("TestAB", Some("^TestA$"), None, false),
            ("TestAB", Some("A|C"), None, true),
            ("TestAB", None, Some("AB"), false),
            ("TestAB", None, Some("AB/x"), true),
            ("BenchmarkA", None, None, false),
            ("helper", None, None, false),
        ] {
            assert_eq!(is_test(name, run, skip, &[]), expected, "{name} {run:?} {skip:?}");
        }
    }

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
