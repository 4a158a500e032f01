//! Bazel: commands of rules in the packages that are asked for (`genrule`, `run_shell`), of repositories (`execute`), of the settings
//! (`--workspace_status_command`), and the wrapper that a project puts before it, `tools/bazel` (bazel.build, "General rules", "Repository rules",
//! "Command-line reference"; bazelisk's page).

use portcullis_syntax::Span;

use super::{
    Starter, project,
    spawned::{self, Call, Given},
};
use crate::{
    bound::Bounded,
    effect::Certainty,
    programs::found::{File, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
};

pub(super) static BAZEL: Starter =
    Starter { programs: &["bazel", "bazelisk", "blaze", "buck2", "plz"], start };

/// Verbs that load or build packages.
const VERBS: &[&str] =
    &["build", "coverage", "cquery", "fetch", "mod", "query", "run", "sync", "test"];

/// Files of a package.
const PACKAGE: &[&str] = &["BUILD.bazel", "BUILD", "BUCK", "BUILD.plz"];

/// Files of the workspace.
const WORKSPACE: &[&str] =
    &["MODULE.bazel", "WORKSPACE.bazel", "WORKSPACE", ".buckconfig", ".plzconfig"];

/// What starts something in them.
const CALLS: &[Call] = &[
    ("cmd =", Given::Command),
    ("cmd=", Given::Command),
    ("cmd_bash =", Given::Command),
    ("bash =", Given::Command),
    ("command =", Given::Command),
    ("command=", Given::Command),
    ("test_cmd =", Given::Command),
    // Of whatever name the context of a rule has.
    (".execute", Given::Words),
];

/// What a repository rule fetches ("repository_ctx").
const FETCHES: &[Call] =
    &[(".download", Given::Commands), (".download_and_extract", Given::Commands)];

/// How many packages are read, how deep those below one are listed, and how deep files load each other.
const PACKAGES: usize = 24;
const LISTED: usize = 5;
const LOADS: usize = 3;

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let operands = project::operands(&words, &["-c", "--config", "-j", "--jobs"]);
    let Some(at) = operands.iter().position(|word| VERBS.contains(word)) else { return };
    let Some(workspace) = project::nearest(walk, WORKSPACE) else { return };
    let root = directory_of(&workspace.path).to_owned();
    let here = walk.directory().unwrap_or(&root).to_owned();
    let span = invocation.span;
    let wrapper = format!("{root}/tools/bazel");
    if walk.look(&wrapper).file().is_some() {
        walk.run(&project::arguments(&[wrapper.as_str()], span), None);
    }
    let mut paths = vec![workspace.path.clone()];
    for label in operands.iter().skip(at + 1).take_while(|word| **word != "--") {
        let label = label.trim_start_matches('-').trim_start_matches("@");
        let (base, name) = match label.strip_prefix("//") {
            Some(name) => (&root, name),
            None => (&here, label),
        };
        let package = name.split(':').next().unwrap_or_default();
        match package.strip_suffix("...") {
            Some(above) => {
                let folder = project::joined(base, above.trim_end_matches('/'));
                let found = walk.in_project(|walk| {
                    let found = project::below(walk, &folder, LISTED, span, &|name| {
                        PACKAGE.contains(&name)
                    });
                    found.iter().at_most(PACKAGES, walk, span).cloned().collect::<Vec<_>>()
                });
                paths.extend(found);
            }
            None => {
                let folder = project::joined(base, package);
                paths.extend(PACKAGE.iter().map(|name| format!("{folder}/{name}")));
            }
        }
    }
    for path in &paths {
        walk.look(path);
    }
    let mut seen: Vec<String> = Vec::new();
    for path in paths {
        if let Some(file) = walk.look(&path).file() {
            loaded(walk, &file, &root, span, &mut seen, 0);
        }
    }
    if let Some(file) = walk.look(&format!("{root}/.bazelrc")).file() {
        settings(walk, &file, &root, span);
    }
}

fn loaded(
    walk: &mut dyn Host,
    file: &File,
    root: &str,
    span: Span,
    seen: &mut Vec<String>,
    depth: usize,
) {
    if seen.contains(&file.path) {
        return;
    }
    seen.push(file.path.clone());
    project::in_directory(walk, Some(root), |walk| {
        walk.in_file(file, "starlark", span, |walk| {
            for start in spawned::found(&file.text, FETCHES) {
                let Some(address) = start.words.iter().find(|it| it.contains("://")) else {
                    continue;
                };
                let behind = file.text.get(start.span().range()).unwrap_or_default();
                let named = behind.split_once("output").and_then(|(_, rest)| {
                    rest.trim_start_matches([' ', '=']).split(['"', '\'']).nth(1)
                });
                let to = named.or_else(|| start.words.get(1).map(String::as_str));
                let to = to.filter(|it| !it.contains("://")).unwrap_or("download");
                walk.at_most(Certainty::Likely, |walk| {
                    let words = ["curl", "-fsSL", "-o", to, address.as_str()];
                    walk.run(&project::arguments(&words, start.span()), None);
                });
            }
            for mut start in spawned::found(&file.text, CALLS) {
                start.words.iter_mut().for_each(|word| *word = filled(word));
                spawned::say(walk, &start);
            }
        })
    });
    if depth >= LOADS {
        return;
    }
    for label in loads(&file.text) {
        let path = match label.strip_prefix("//") {
            Some(name) => format!("{root}/{}", name.replacen(':', "/", 1).trim_start_matches('/')),
            None => format!("{}/{}", directory_of(&file.path), label.trim_start_matches(':')),
        };
        if let Some(inner) = walk.look(&path).file() {
            loaded(walk, &inner, root, span, seen, depth + 1);
        }
    }
}

/// Labels of the project in `load("//a:b.bzl", …)`, `use_repo_rule("//a:b.bzl", …)` and `use_extension(…)`.
fn loads(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for call in ["load(", "use_repo_rule(", "use_extension("] {
        for (at, _) in text.match_indices(call) {
            let rest = text.get(at + call.len()..).unwrap_or_default().trim_start();
            let label =
                rest.strip_prefix(['"', '\'']).and_then(|rest| rest.split(['"', '\'']).next());
            found.extend(
                label.filter(|it| it.ends_with(".bzl") && !it.starts_with('@')).map(str::to_owned),
            );
        }
    }
    found
}

/// Settings that name a program which runs on this machine.
fn settings(walk: &mut dyn Host, file: &File, root: &str, span: Span) {
    walk.in_file(file, "bazelrc", span, |walk| {
        let mut at = 0;
        for line in file.text.split_inclusive('\n') {
            let place = Span::new(at, at + line.trim_end().len());
            at += line.len();
            for option in ["--workspace_status_command", "--credential_helper", "--run_under"] {
                let Some((_, value)) = line.split_once(option) else { continue };
                let value = value.trim_start_matches(['=', ' ']);
                // A text in quotes is a line for a shell.
                let quote = value.chars().next().filter(|it| matches!(it, '"' | '\''));
                let value = value.trim_start_matches(['"', '\'']);
                let end = match quote {
                    Some(quote) => value.find(quote),
                    None => value.find([' ', '"', '\'', '\n']),
                };
                let end = end.unwrap_or_else(|| value.trim_end().len());
                let program = value.get(..end).unwrap_or_default();
                let named = program.rsplit_once('=').filter(|_| !program.contains(' '));
                let program = named.map_or(program, |(_, program)| program);
                let program = program.replace("%workspace%", root);
                if !line.trim_start().starts_with('#') && !program.is_empty() {
                    project::in_directory(walk, Some(root), |walk| {
                        walk.at_most(Certainty::Likely, |walk| {
                            walk.shell(&Text::known(program.as_str()), place, &[], None)
                        })
                    });
                }
            }
        }
    });
}

/// `$(location x)`, `$(SRCS)`, `$@`, `$<` are words that stand for files of the build; `$$` is the shell's dollar.
fn filled(text: &str) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        filled.push_str(before);
        if let Some(next) = after.strip_prefix('$') {
            filled.push('$');
            rest = next;
        } else if let Some((_, next)) =
            after.strip_prefix('(').and_then(|after| after.split_once(')'))
        {
            filled.push_str("bazel-out/file");
            rest = next;
        } else if let Some(next) = after.strip_prefix(['@', '<', '^']) {
            filled.push_str("bazel-out/file");
            rest = next;
        } else {
            filled.push('$');
            rest = after;
        }
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_the_build_are_words() {
        assert_eq!(
            filled("a $(location :b) $< > $@ && echo $$c"),
            "a bazel-out/file bazel-out/file > bazel-out/file && echo $c"
        );
    }

    #[test]
    fn files_that_are_loaded_are_named() {
        let text =
            "load(\"//a:b.bzl\", \"c\")\nload(\":d.bzl\", \"e\")\nload(\"@x//y:z.bzl\", \"w\")\n";
        assert_eq!(loads(text), ["//a:b.bzl", ":d.bzl"]);
    }
}
