//! Cargo: build scripts that every build of a package runs, tests and programs of the project that `test` and `run` start, and the settings of
//! `.cargo/config.toml` that name programs or places that packages come from (doc.rust-lang.org/cargo: "Build Scripts", "Configuration"). Owns
//! which verb runs which, and the members of a workspace.

use portcullis_syntax::Span;

use super::{Starter, braces, project, tree};
use crate::{
    bound::Bounded,
    programs::found::{File, Found, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
};

pub(super) static CARGO: Starter = Starter { programs: &["cargo"], start };

/// How many members of a workspace are looked at.
const MEMBERS: usize = 40;

/// How deep packages depend on others beside them.
const NESTED: usize = 4;

/// How many sources of a kind are read.
const SOURCES: usize = 16;

/// Verbs that compile, and with it run build scripts.
const BUILDING: &[&str] = &[
    "b",
    "bench",
    "bloat",
    "build",
    "c",
    "check",
    "clippy",
    "d",
    "doc",
    "expand",
    "fix",
    "flamegraph",
    "hack",
    "install",
    "l",
    "leptos",
    "llvm-cov",
    "miri",
    "mutants",
    "nextest",
    "package",
    "publish",
    "r",
    "run",
    "rustc",
    "rustdoc",
    "t",
    "tarpaulin",
    "test",
    "watch",
    "zigbuild",
];

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--help", "-h", "--version", "-V", "--list", "--build-plan"]) {
        return;
    }
    let own = words.iter().take_while(|word| *word != "--").cloned().collect::<Vec<_>>();
    let verb = own.iter().find(|word| !word.starts_with(['-', '+'])).cloned().unwrap_or_default();
    let directory = project::option(&own, &["-C"]).map(str::to_owned);
    project::in_directory(walk, directory.as_deref(), |walk| {
        toolchain(walk, invocation.span);
        let is_building = BUILDING.contains(&verb.as_str());
        configured(walk, invocation, &verb, is_building);
        if !is_building {
            return;
        }
        let named = project::option(&own, &["--manifest-path"])
            .or_else(|| (verb == "install").then(|| project::option(&own, &["--path"])).flatten());
        let file = match named.and_then(|name| walk.target(&crate::text::Text::known(name)).path) {
            Some(path) if path.ends_with(".toml") => walk.look(&path).file(),
            Some(path) => project::first_in(walk, &path, &["Cargo.toml"]),
            None if verb == "install" => return,
            None => project::nearest(walk, &["Cargo.toml"]),
        };
        if let Some(file) = file {
            package(walk, &file, invocation.span, (&verb, &words), 0);
        }
    });
}

fn package(
    walk: &mut dyn Host,
    file: &File,
    span: Span,
    (verb, words): (&str, &[String]),
    depth: usize,
) {
    let root = directory_of(&file.path).to_owned();
    let tree = project::whole(walk, tree::toml(&file.text));
    let Some(node) = tree.root() else { return };
    let script = node.path(&["package", "build"]).and_then(tree::Node::text);
    let is_off = script == Some("false");
    let script = project::joined(&root, script.unwrap_or("build.rs"));
    walk.look(&script);
    let members = match depth == 0 {
        true => walk.in_file(file, "cargo", span, |walk| {
            let patterns: Vec<String> =
                node.path(&["workspace", "members"]).map(tree::Node::words).unwrap_or_default();
            let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
            project::members(walk, &root, &patterns, MEMBERS, span)
        }),
        false => None,
    };
    let mut members = members.unwrap_or_default();
    members.extend(
        beside(node).into_iter().map(|place| crate::paths::normal(&project::joined(&root, &place))),
    );
    members.sort();
    members.dedup();
    let manifests: Vec<String> = members
        .iter()
        .filter(|_| depth < NESTED)
        .map(|member| format!("{member}/Cargo.toml"))
        .collect();
    for manifest in &manifests {
        walk.look(manifest);
        walk.look(&format!("{}/build.rs", directory_of(manifest)));
    }
    if !is_off {
        walk.load("rust", &script, span);
    }
    // A procedural macro runs in the compiler, with every build of what uses it.
    if node
        .path(&["lib", "proc-macro"])
        .or_else(|| node.path(&["lib", "proc_macro"]))
        .is_some_and(tree::Node::is_true)
    {
        let library =
            node.path(&["lib", "path"]).and_then(tree::Node::text).unwrap_or("src/lib.rs");
        walk.load("rust", &project::joined(&root, library), span);
    }
    sources(walk, file, span, (verb, words), &root);
    for manifest in &manifests {
        // Where it has no build script, it runs nothing while it is built.
        if let Some(member) = walk.look(manifest).file()
            && member.path != file.path
        {
            package(walk, &member, span, (verb, words), depth + 1);
        }
    }
}

/// The directories of packages that a package depends on and that lie beside it.
fn beside(node: &tree::Node) -> Vec<String> {
    let tables = ["dependencies", "build-dependencies", "dev-dependencies"]
        .iter()
        .filter_map(|key| node.get(key));
    let shared = node.path(&["workspace", "dependencies"]);
    tables
        .chain(shared)
        .flat_map(|table| table.entries())
        .filter_map(|(_, it)| it.text_of("path").map(str::to_owned))
        .collect()
}

/// The program that `run` starts, the tests, and what of the package's own library they call (doc.rust-lang.org/cargo, "Package Layout").
fn sources(
    walk: &mut dyn Host,
    file: &File,
    span: Span,
    (verb, words): (&str, &[String]),
    root: &str,
) {
    let tests = matches!(verb, "test" | "t" | "nextest" | "llvm-cov" | "tarpaulin");
    let (folders, names): (&[&str], &[&str]) = match verb {
        "run" | "r" => (&["src/bin"], &["src/main.rs"]),
        _ if tests => (&["tests"], &[]),
        "bench" => (&["benches"], &[]),
        _ => return,
    };
    let own: Vec<String> = words.iter().take_while(|word| *word != "--").cloned().collect();
    let mut paths: Vec<String> = Vec::new();
    for (option, folder) in [
        ("--example", "examples"),
        ("--bin", "src/bin"),
        ("--test", "tests"),
        ("--bench", "benches"),
    ] {
        for name in project::options(&own, &[option]) {
            paths.extend([".rs", "/main.rs"].map(|end| format!("{root}/{folder}/{name}{end}")));
        }
    }
    let is_named = !paths.is_empty();
    if !is_named {
        paths.extend(names.iter().map(|name| format!("{root}/{name}")));
        for folder in folders {
            let folder = format!("{root}/{folder}");
            if let Found::Directory(names) = walk.look(&folder) {
                let names = names.iter().filter(|name| name.ends_with(".rs"));
                paths.extend(names.map(|name| format!("{folder}/{name}")));
            }
        }
    }
    let library = walk.in_file(file, "cargo", span, |walk| {
        let sources = format!("{root}/src");
        let found = project::below(walk, &sources, DEEP, span, &|name| name.ends_with(".rs"));
        let mut found: Vec<String> =
            found.into_iter().filter(|path| !paths.contains(path)).collect();
        found.retain(|path| !path.contains("/src/bin/") && !path.ends_with("/src/main.rs"));
        let found: Vec<String> = found.iter().at_most(SOURCES, walk, span).cloned().collect();
        (paths.iter().at_most(SOURCES, walk, span).cloned().collect::<Vec<_>>(), found)
    });
    let Some((paths, library)) = library else { return };
    for path in paths.iter().chain(&library) {
        walk.look(path);
    }
    let files: Vec<File> =
        paths.iter().chain(&library).filter_map(|path| walk.look(path).file()).collect();
    let given = given(words);
    let is_called = |number: usize, function: &braces::Function<'_>| {
        let is_library = files.get(number).is_some_and(|file| library.contains(&file.path));
        let is_test = tests && function.above.contains("test");
        match function.name {
            "main" => !is_library,
            name => is_test && runs_test(name, function.above, &given),
        }
    };
    // What none of them calls is as if it were not there.
    let texts: Vec<&str> = files.iter().map(|file| &*file.text).collect();
    let kept = braces::without_uncalled("rust", &texts, &is_called);
    let roots = walk.import_roots();
    for (file, text) in files.iter().zip(kept) {
        let is_library = library.contains(&file.path);
        if is_library && text.trim().is_empty() {
            continue;
        }
        // Its modules are read with it, and not once more.
        let text = match is_library {
            true => without_modules(&text),
            false => text,
        };
        let file = File { text: text.into(), ..file.clone() };
        walk.at_likely(|walk| walk.load_text_from(&roots, "rust", &file, span));
    }
}

/// How deep modules of a library are listed.
const DEEP: usize = 3;

/// What is said to the tests themselves: a filter, and which of them are run that are else left out (doc.rust-lang.org/cargo, "cargo test").
#[derive(Debug, Default)]
struct Given {
    filters: Vec<String>,
    ignored: bool,
    only_ignored: bool,
}

fn given(words: &[String]) -> Given {
    const VALUES: &[&str] = &[
        "--bench",
        "--bin",
        "--color",
        "--config",
        "--example",
        "--exclude",
        "--features",
        "-F",
        "--jobs",
        "-j",
        "--manifest-path",
        "--message-format",
        "--package",
        "-p",
        "--profile",
        "--target",
        "--target-dir",
        "--test",
        "-Z",
        "-C",
    ];
    let own: Vec<String> = words.iter().take_while(|word| *word != "--").cloned().collect();
    let behind: Vec<String> =
        words.iter().skip_while(|word| *word != "--").skip(1).cloned().collect();
    let operands = project::operands(&own, VALUES);
    let operands = operands.iter().skip(1).filter(|word| !word.starts_with('+') && **word != "run");
    let named = project::operands(&behind, &["--skip", "--test-threads", "--color", "--format"]);
    Given {
        filters: operands.chain(&named).map(|word| (*word).to_owned()).collect(),
        ignored: project::has(&behind, &["--ignored", "--include-ignored"])
            || project::has(&own, &["--run-ignored"])
            || own.iter().any(|word| word.starts_with("--run-ignored")),
        only_ignored: project::has(&behind, &["--ignored"]),
    }
}

/// Whether a test runs: `#[ignore]` leaves one out that is not asked for (doc.rust-lang.org/reference, "Testing attributes"), and a filter is searched for in
/// its path.
fn runs_test(name: &str, above: &str, given: &Given) -> bool {
    let is_ignored = above.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with("#[ignore]")
            || line.starts_with("#[ignore ")
            || line.starts_with("#[ignore=")
    });
    // A path may have the name of a module in it.
    let is_wanted = given.filters.is_empty()
        || given
            .filters
            .iter()
            .any(|filter| filter.contains("::") || name.contains(filter.as_str()))
        || !above.contains("#[test]");
    match is_ignored {
        true => given.ignored,
        false => is_wanted && !given.only_ignored,
    }
}

/// A source without the lines that take in modules.
fn without_modules(text: &str) -> String {
    let is_module = |line: &str| {
        let bare = line.trim_start().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
        bare.starts_with("mod ") && bare.trim_end().ends_with(';')
    };
    text.split_inclusive('\n')
        .map(|line| match is_module(line) {
            true => line.chars().map(|it| if it == '\n' { it } else { ' ' }).collect(),
            false => line.to_owned(),
        })
        .collect()
}

/// `path` of a `rust-toolchain.toml`: the compiler stands in the project (rust-lang.github.io/rustup, "The toolchain file").
fn toolchain(walk: &mut dyn Host, span: Span) {
    let Some(file) = project::nearest(walk, &["rust-toolchain.toml", "rust-toolchain"]) else {
        return;
    };
    let tree = tree::toml(&file.text);
    let Some(path) =
        tree.root().and_then(|root| root.path(&["toolchain", "path"])).and_then(tree::Node::text)
    else {
        return;
    };
    let root = project::joined(directory_of(&file.path), path);
    walk.in_file(&file, "toolchain", span, |walk| {
        for program in ["cargo", "rustc"] {
            let program = crate::paths::normal(&format!("{root}/bin/{program}"));
            if walk.look(&program).file().is_some() {
                walk.run(&project::arguments(&[program.as_str()], span), None);
            }
        }
    });
}

/// `.cargo/config.toml` of this directory and those above.
fn configured(walk: &mut dyn Host, invocation: &Invocation, verb: &str, is_building: bool) {
    let places = project::levels(walk);
    let names: Vec<String> = places
        .iter()
        .flat_map(|place| [format!("{place}/.cargo/config.toml"), format!("{place}/.cargo/config")])
        .collect();
    for name in &names {
        walk.look(name);
    }
    for name in &names {
        let Some(file) = walk.look(name).file() else { continue };
        walk.in_file(&file, "cargo", invocation.span, |walk| {
            let tree = project::whole(walk, tree::toml(&file.text));
            if let Some(root) = tree.root() {
                settings(walk, root, verb, is_building);
            }
        });
    }
}

fn settings(walk: &mut dyn Host, root: &tree::Node, verb: &str, is_building: bool) {
    if let Some(alias) = root.path(&["alias", verb]) {
        let words = alias.text().map_or_else(
            || alias.words(),
            |text| text.split_whitespace().map(str::to_owned).collect(),
        );
        if words.first().is_some_and(|first| first != verb) {
            let words: Vec<String> = std::iter::once("cargo".to_owned()).chain(words).collect();
            walk.run(&project::arguments(&words, alias.span), None);
        }
    }
    if !is_building {
        return;
    }
    let mut programs: Vec<&tree::Node> = Vec::new();
    for key in ["rustc", "rustc-wrapper", "rustc-workspace-wrapper", "rustdoc"] {
        programs.extend(root.path(&["build", key]));
    }
    let starts = matches!(verb, "run" | "r" | "test" | "t" | "bench" | "nextest");
    for (_, target) in root.get("target").iter().flat_map(|it| it.entries()) {
        programs.extend(target.get("linker"));
        if starts {
            programs.extend(target.get("runner"));
        }
    }
    for program in programs {
        let words = program.text().map_or_else(
            || program.words(),
            |text| text.split_whitespace().map(str::to_owned).collect(),
        );
        if !words.is_empty() {
            walk.run(&project::arguments(&words, program.span), None);
        }
    }
    let registries = ["registries", "source"]
        .into_iter()
        .filter_map(|key| root.get(key))
        .flat_map(|it| it.entries());
    for (_, registry) in registries {
        for key in ["index", "registry"] {
            let Some(address) =
                registry.get(key).filter(|it| it.text().is_some_and(|text| text.contains("://")))
            else {
                continue;
            };
            let text = address
                .text()
                .unwrap_or_default()
                .trim_start_matches("sparse+")
                .trim_start_matches("registry+");
            walk.run(
                &project::arguments(&["cargo", "install", "--index", text, "x"], address.span),
                None,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_are_left_out_do_not_run() {
        let runs = |line: &str, name: &str, above: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            runs_test(name, above, &given(&words))
        };
        for (line, above, expected) in [
            ("test", "#[test]", true),
            ("test", "#[test]\n#[ignore = \"x\"]\n", false),
            ("test", "#[test]\n    #[ignore]\n", false),
            ("test", "// #[ignore]\n#[test]\n", true),
            ("test -- --ignored", "#[test]\n#[ignore]\n", true),
            ("test -- --ignored", "#[test]\n", false),
            ("test -- --include-ignored", "#[test]\n", true),
            ("test --features x pub", "#[test]\n", true),
            ("test other", "#[test]\n", false),
            ("test -- other", "#[test]\n", false),
            ("test a::other", "#[test]\n", true),
            ("test -p x", "#[test]\n", true),
        ] {
            assert_eq!(runs(line, "publishes", above), expected, "{line} {above}");
        }
    }
}
