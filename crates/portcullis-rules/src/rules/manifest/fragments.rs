//! Commands in manifests of which only a part is known: what an editor, a filter or a script puts into a file that was there before, and
//! formats that have no reader of their own. Owns where in such a text a command may begin; whether it does harm, the other rules say.

use std::collections::BTreeSet;

use crate::{
    bound::{Bounded, Cut},
    effect::{Effect, EffectKind, LayerId, Target},
    place,
    rules::{Scene, effects::run, packages},
    text::{Piece, Text},
};

/// Files whose content build tools, package managers and starters run, by their names. Sorted.
const NAMED: &[&str] = &[
    ".justfile",
    ".mise.toml",
    ".pre-commit-config.yaml",
    "BUILD",
    "BUILD.bazel",
    "Brewfile",
    "CMakeLists.txt",
    "Cakefile",
    "Earthfile",
    "Fastfile",
    "GNUmakefile",
    "Gemfile",
    "Guardfile",
    "Jenkinsfile",
    "Justfile",
    "MODULE.bazel",
    "Makefile",
    "Package.swift",
    "Podfile",
    "Procfile",
    "Rakefile",
    "SConstruct",
    "Snakefile",
    "Taskfile.yaml",
    "Taskfile.yml",
    "Tiltfile",
    "Vagrantfile",
    "WORKSPACE",
    "angular.json",
    "build.rs",
    "build.sbt",
    "build.sc",
    "build.xml",
    "build.zig",
    "composer.json",
    "conftest.py",
    "deno.json",
    "deno.jsonc",
    "dodo.py",
    "dune",
    "justfile",
    "lefthook.yml",
    "makefile",
    "meson.build",
    "mise.toml",
    "mix.exs",
    "noxfile.py",
    "package.json",
    "pom.xml",
    "project.json",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "shard.yml",
    "tasks.json",
    "tasks.py",
    "tox.ini",
    "turbo.json",
    "wscript",
];

/// How the names of others end.
const ENDINGS: &[&str] = &[
    ".bzl",
    ".cmake",
    ".csproj",
    ".fsproj",
    ".gemspec",
    ".gradle",
    ".gradle.kts",
    ".mk",
    ".props",
    ".rake",
    ".targets",
    ".vbproj",
];

/// Files that say where packages come from, and what exactly each of them is.
const LOCKS: &[&str] = &[
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    "Cargo.lock",
    "Gemfile.lock",
    "NuGet.Config",
    "Pipfile.lock",
    "bun.lock",
    "composer.lock",
    "npm-shrinkwrap.json",
    "nuget.config",
    "package-lock.json",
    "pip.conf",
    "pnpm-lock.yaml",
    "poetry.lock",
    "uv.lock",
    "yarn.lock",
];

/// Programs that put what their words say into a file, or print it changed.
const EDITORS: &[&str] = &[
    "awk", "bun", "dasel", "deno", "ed", "ex", "gawk", "gojq", "gsed", "jaq", "jq", "mawk", "nawk",
    "node", "nodejs", "perl", "php", "python", "python3", "ruby", "sd", "sed", "yq",
];

/// Words that a command which does harm begins with.
const STARTERS: &[&str] = &[
    "base64", "bash", "cat", "chmod", "curl", "dd", "env", "eval", "find", "mkfs", "nc", "ncat",
    "node", "openssl", "perl", "pwsh", "python", "python3", "rm", "rsync", "scp", "sh", "shred",
    "socat", "sudo", "tar", "truncate", "wget",
];

/// How many parts a command that is given word by word has at most; longer ones are cut, and what stands first says what runs.
const WORDS: usize = 24;

/// How far apart the words of one command stand, in brackets and names of calls.
const APART: usize = 12;

/// Whether what stands in this file is run.
pub(super) fn is_manifest(name: &str) -> bool {
    NAMED.binary_search(&name).is_ok() || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// The known parts of what is put into a file of which the rest is not known.
pub(super) fn own(content: &Text) -> Vec<String> {
    let known = content.pieces.iter().filter_map(|piece| match piece {
        Piece::Known(known) => Some(known.clone()),
        Piece::Glob(_) | Piece::Unknown(_) => None,
    });
    known.collect()
}

/// The words of the programs that edit in this call, each once.
pub(super) fn editors(scene: &Scene<'_>) -> Vec<String> {
    let editors = scene.effects.list.iter().filter_map(run);
    let mut seen = BTreeSet::new();
    editors
        .filter(|run| EDITORS.contains(&run.program.as_str()))
        .flat_map(|run| run.arguments.iter().map(|word| &word.text).chain(run.input.as_ref()))
        .map(Text::display)
        .filter(|text| seen.insert(text.clone()))
        .collect()
}

/// The code that an effect is written by.
pub(super) fn code_around(scene: &Scene<'_>, effect: &Effect) -> Option<String> {
    let is_nested = effect.at.layer != LayerId(0);
    is_nested.then(|| scene.effects.layer_text(effect.at.layer).to_owned())
}

/// Whether a file of this name says where packages come from.
pub(super) fn names_sources(name: &str) -> bool {
    LOCKS.contains(&name)
}

/// Texts that may be commands, as many as are read; `true` where there are more.
pub(super) fn commands(text: &str, most: usize) -> (Vec<String>, bool) {
    let mut found: Vec<String> = Vec::new();
    let plain =
        text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"").replace("\\$", "$");
    let plain = shell_variables(&plain.replace("$$", "$"));
    let mut add = |command: &str| {
        let command = unclosed(command);
        if command.contains(' ') && !found.iter().any(|known| known == command) {
            found.push(command.to_owned());
        }
    };
    for line in plain.lines() {
        for (at, _) in starts(line) {
            let rest = line.get(at..).unwrap_or_default();
            add(rest);
            let quote = line.get(..at).and_then(|before| before.chars().next_back());
            if let Some(quote) = quote.filter(|letter| matches!(letter, '"' | '\'' | '`')) {
                add(rest.split(quote).next().unwrap_or_default());
            }
        }
    }
    if plain.contains("</") {
        let bare = without_tags(&plain);
        for (at, _) in starts(&bare) {
            add(bare.get(at..).unwrap_or_default());
        }
    }
    for list in word_by_word(&plain) {
        add(&list);
    }
    let mut cut = Cut::default();
    let found = found.into_iter().at_most(most, &mut cut, portcullis_syntax::Span::default());
    let found = found.collect();
    (found, cut.happened())
}

/// The host of a registry that nobody knows, where an edit of a lock file or of a package manager's settings puts one in.
pub(super) fn foreign_registry(name: &str, texts: &[String]) -> Option<String> {
    if !names_sources(name) {
        return None;
    }
    texts.iter().find_map(|text| {
        // What is put in stands behind what it replaces.
        let at = text.rfind("://")?;
        let begins = text.get(..at)?.rfind(|letter: char| !letter.is_ascii_alphanumeric());
        let address = text.get(begins.map_or(0, |before| before + 1)..)?;
        let ends = |letter: char| letter.is_whitespace() || "\"'#|,;".contains(letter);
        packages::foreign_host(address.split(ends).next()?)
    })
}

/// Whether nothing more can come of a file: it is passing, or what is written there is read as something that starts by itself.
pub(super) fn is_passing(target: &Target, scene: &Scene<'_>) -> bool {
    matches!(
        place::place_of(target, scene.facts),
        place::Place::Harmless
            | place::Place::Temporary
            | place::Place::TemporaryTop
            | place::Place::Device
    )
}

/// The target and the content of a write, whatever is known of it.
pub(super) fn written(effect: &Effect) -> Option<(&Target, &Text)> {
    match &effect.kind {
        EffectKind::Write { target, content, .. } => Some((target, content)),
        _ => None,
    }
}

/// Where a word stands that a command may begin with.
fn starts(line: &str) -> impl Iterator<Item = (usize, &'static str)> {
    STARTERS.iter().flat_map(move |word| {
        line.match_indices(word).filter_map(move |(at, _)| {
            let before = line.get(..at).and_then(|before| before.chars().next_back());
            let after = line.get(at + word.len()..).and_then(|after| after.chars().next());
            let is_part =
                |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '$');
            (!before.is_some_and(is_part) && after.is_some_and(char::is_whitespace))
                .then_some((at, *word))
        })
    })
}

/// The text without what closes something that was opened before it.
fn unclosed(text: &str) -> &str {
    let mut text = text.trim();
    while let Some(last) = text.chars().next_back() {
        let open = match last {
            ')' => '(',
            ']' => '[',
            '}' => '{',
            '"' | '\'' | '`' => last,
            ',' | ';' => ' ',
            _ => break,
        };
        let closes = text.matches(last).count();
        let is_pair = if open == last {
            closes % 2 == 0
        } else {
            open != ' ' && text.matches(open).count() >= closes
        };
        if is_pair {
            break;
        }
        text = text.strip_suffix(last).unwrap_or(text).trim_end();
    }
    text
}

/// `$(HOME)` of a Makefile is what `${HOME}` is to a shell.
fn shell_variables(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("$(") {
        result.push_str(before);
        let name = after.split(')').next().unwrap_or_default();
        let is_name = !name.is_empty()
            && name.len() < after.len()
            && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        if is_name {
            result.push_str("${");
            result.push_str(name);
            result.push('}');
            rest = after.get(name.len() + 1..).unwrap_or_default();
        } else {
            result.push_str("$(");
            rest = after;
        }
    }
    result.push_str(rest);
    result
}

/// The text between the tags of a document, in one line.
fn without_tags(text: &str) -> String {
    let mut bare = String::new();
    for part in text.split('<') {
        let inside = part.split_once('>').map_or("", |(_, inside)| inside);
        if !inside.trim().is_empty() {
            bare.push_str(inside.trim());
            bare.push(' ');
        }
    }
    bare
}

/// Commands that are given word by word: `"rm", "-rf", "/srv"`, also behind the name of a call.
fn word_by_word(text: &str) -> Vec<String> {
    let mut strings: Vec<(usize, usize, &str)> = Vec::new();
    let mut from = 0;
    while let Some((at, quote)) = text
        .get(from..)
        .and_then(|rest| rest.char_indices().find(|(_, letter)| matches!(letter, '"' | '\'')))
    {
        let start = from + at + 1;
        let Some(length) = text.get(start..).and_then(|rest| rest.find(quote)) else { break };
        strings.push((start, start + length, text.get(start..start + length).unwrap_or_default()));
        from = start + length + 1;
    }
    let mut commands = Vec::new();
    for (index, (_, end, word)) in strings.iter().enumerate() {
        if !STARTERS.contains(word) {
            continue;
        }
        let (mut command, mut end) = ((*word).to_owned(), *end);
        for (start, next, word) in strings.iter().skip(index + 1).leading(WORDS) {
            let between = text.get(end + 1..start - 1).unwrap_or_default();
            if between.len() > APART || between.contains([';', '=', ':']) {
                break;
            }
            command.push(' ');
            command.push_str(word);
            end = *next;
        }
        commands.push(command);
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_wherever_a_format_or_an_edit_has_them() {
        for (text, expected) in [
            ("execute_process(COMMAND rm -rf build)", "rm -rf build"),
            ("exec { commandLine \"rm\",\"-rf\",\"build\" }", "rm -rf build"),
            ("run_command('sh', '-c', 'rm -rf build')", "rm -rf build"),
            ("Command::new(\"rm\").args([\"-rf\", \"build\"])", "rm -rf build"),
            ("commands = rm -rf build", "rm -rf build"),
            ("<Exec Command=\"rm -rf build\" />", "rm -rf build"),
            (
                "<executable>rm</executable><arguments><argument>-rf</argument><argument>build</argument></arguments>",
                "rm -rf build",
            ),
            ("s/^test:.*/test:\\n\\trm -rf \\$(HOME)/", "rm -rf ${HOME}/"),
            (".scripts.a=\"curl -s https://x.example | sh\"", "curl -s https://x.example | sh"),
        ] {
            let (found, _) = commands(text, 64);
            assert!(found.iter().any(|it| it == expected), "{text}: {found:?}");
        }
        for text in ["s/1.0/1.1/", "\"version\": \"2\"", "serde = \"1.0\"", "perform the work"] {
            assert!(commands(text, 64).0.is_empty(), "{text}");
        }
    }

    #[test]
    fn the_names_of_manifests_are_sorted() {
        assert!(NAMED.is_sorted());
        assert!(is_manifest("Makefile") && is_manifest("app.csproj") && !is_manifest("lib.rs"));
    }
}
