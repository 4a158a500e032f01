//! Tools that no other file here knows, or of which it knows a part: their settings are found by the name of the tool, and what in them may be a
//! command, or the file of a plugin, is read. Owns under which names settings stand, and which values of a tree are what.
//!
//! Nearly every tool of a project obeys files of its own name: `tool.config.js`, `.toolrc`, `tool.toml`, `[tool.x]` in a `pyproject.toml`. What keys
//! mean differs from tool to tool. A value that begins with the name of a program is taken for a command, and a value that is the path of a file of code in the
//! project for one that is loaded: neither is said where it is not there.

use super::{project, tree};
use crate::{
    bound::Bounded as _,
    effect::Certainty,
    programs::{
        self, escapes,
        found::{File, Found, directory_of},
        host::{Host, Unread},
        invocation::Invocation,
    },
    text::Text,
};

/// How many files of settings are read for one tool, and how many files of code they name.
const FILES: usize = 8;
const NAMED: usize = 24;

/// How many commands of one file are read.
const COMMANDS: usize = 128;

/// Tools that are known by what they do to a service, and obey settings of the project's like others.
const SERVICES: &[&str] = &[
    "airflow",
    "amplify",
    "cdk",
    "chalice",
    "eas",
    "firebase",
    "flyctl",
    "netlify",
    "sam",
    "serverless",
    "sls",
    "sst",
    "supabase",
    "vercel",
    "wrangler",
    "zappa",
];

/// How operands end that are settings.
const SETTINGS: &[&str] = &[".json", ".toml", ".yaml", ".yml"];

/// Words with which a tool only tells of itself.
const TELLS: &[&str] = &[
    "--dry",
    "--dry-run",
    "--dryrun",
    "--help",
    "--list",
    "--version",
    "-h",
    "config",
    "help",
    "list",
    "ls",
    "status",
    "version",
];

/// Options that name settings.
const OPTIONS: &[&str] = &["--config", "--config-file", "--conf", "--configuration", "-c"];

/// Keys whose values are for people.
const TELLING: &[&str] = &[
    "about",
    "author",
    "comment",
    "desc",
    "description",
    "doc",
    "docs",
    "example",
    "examples",
    "help",
    "homepage",
    "label",
    "license",
    "message",
    "name",
    "note",
    "pattern",
    "summary",
    "title",
    "url",
    "usage",
];

/// Says what settings of the name of the program have it run.
pub(super) fn follow(walk: &mut dyn Host, invocation: &Invocation) {
    let program = invocation.program.as_str();
    let is_plain = !super::is_known(program)
        && !SERVICES.contains(&program)
        && (programs::program(program).is_some() || programs::notable::names(program));
    if is_plain || program.len() < 2 || super::is_precise(program) || escapes::is_shell(program) {
        return;
    }
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    if !program.chars().all(is_name) {
        return;
    }
    let words = project::words(invocation);
    if project::has(&words, TELLS) {
        return;
    }
    let Some(here) = walk.directory().map(str::to_owned) else { return };
    let Found::Directory(names) = walk.look(&here) else { return };
    let mut paths: Vec<String> = names
        .iter()
        .filter(|name| !name.ends_with('/') && is_of(name, program))
        .map(|name| project::joined(&here, name))
        .collect();
    for name in project::options(&words, OPTIONS) {
        paths.extend(walk.target(&Text::known(name)).path);
    }
    // Some take their settings as an operand.
    for word in words.iter().filter(|word| !word.starts_with('-') && !word.contains("://")) {
        if SETTINGS.iter().any(|end| word.ends_with(end)) {
            paths.extend(walk.target(&Text::known(word.as_str())).path);
        }
    }
    paths.sort();
    paths.dedup();
    let shared: Vec<String> = ["package.json", "pyproject.toml", "setup.cfg"]
        .iter()
        .filter(|name| names.iter().any(|it| it == *name))
        .map(|name| project::joined(&here, name))
        .collect();
    for path in paths.iter().leading(FILES).chain(&shared) {
        walk.look(path);
    }
    let span = invocation.span;
    let paths: Vec<String> =
        paths.iter().at_most(FILES, &mut Unread(walk), span).cloned().collect();
    for path in paths {
        let Some(file) = walk.look(&path).file() else { continue };
        if let Some(language) = language_of(&path) {
            walk.load_from(std::slice::from_ref(&here), language, &path, span);
            plugins_of(walk, &file, invocation);
            if language == "javascript" {
                settings(walk, &file, &[], invocation);
            }
        } else {
            settings(walk, &file, &[], invocation);
        }
    }
    for path in shared {
        let Some(file) = walk.look(&path).file() else { continue };
        let places: &[&[&str]] = if path.ends_with("package.json") {
            &[&[program]]
        } else if path.ends_with("setup.cfg") {
            &[&[program], &[&format!("tool:{program}")]]
        } else {
            &[&["tool", program]]
        };
        for place in places {
            settings(walk, &file, place, invocation);
        }
    }
}

/// Whether a file is called after a tool: `.toolrc`, `tool.config.js`, `tool.yml`, `Toolfile`, `tool_project.yml`.
fn is_of(name: &str, program: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let bare = lower.trim_start_matches('.');
    let tool = program.trim_end_matches("-cli").to_ascii_lowercase();
    let last = tool.rsplit_once('-').map_or(tool.as_str(), |(_, last)| last);
    [tool.as_str(), last].iter().filter(|it| it.len() > 2 || lower.starts_with('.')).any(|tool| {
        let Some(rest) = bare.strip_prefix(tool) else { return false };
        let rest = rest.strip_prefix("rc").or_else(|| rest.strip_prefix("file")).unwrap_or(rest);
        let is_settings = rest.is_empty() && bare.len() > tool.len()
            || rest.is_empty() && lower.starts_with('.')
            || rest.starts_with('.')
            || rest.starts_with("-config")
            || rest.starts_with("_project")
            || rest.starts_with("_config");
        // A source that is called like the tool is none of its settings.
        is_settings
            && ![".md", ".txt", ".lock", ".log", ".rst", ".html"]
                .iter()
                .any(|end| lower.ends_with(end))
    })
}

/// The language of a file of code, by its name.
fn language_of(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    Some(match name.rsplit_once('.')?.1 {
        "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" => "javascript",
        "py" => "python",
        "rb" => "ruby",
        "lua" => "lua",
        "pl" => "perl",
        "php" => "php",
        "sh" | "bash" => "shell",
        "exs" => "elixir",
        "kts" => "kotlin",
        "groovy" | "gradle" => "groovy",
        "jl" => "julia",
        "r" | "R" => "r",
        _ => return None,
    })
}

/// Files of code that settings in code name in quotes: they are loaded by the tool, where they are there.
fn plugins_of(walk: &mut dyn Host, file: &File, invocation: &Invocation) {
    let root = directory_of(&file.path).to_owned();
    let mut paths: Vec<(String, &'static str)> = Vec::new();
    for line in file.text.lines().filter(|line| !line.trim_start().starts_with("//")) {
        for quote in ['"', '\''] {
            for name in line.split(quote).skip(1).step_by(2) {
                paths.extend(of_project(&root, name));
            }
        }
    }
    load(walk, &paths, invocation);
}

/// A value that is the path of a file of code: it says its folder, and how it ends.
fn of_project(root: &str, value: &str) -> Option<(String, &'static str)> {
    let value = value.strip_prefix("<rootDir>/").unwrap_or(value);
    let language = language_of(value)?;
    let is_path = value.contains('/')
        && !value.contains(['*', ' ', '{', '$', ':'])
        && !value.starts_with(['/', '@'])
        && !value.ends_with(".d.ts");
    is_path.then(|| (crate::paths::normal(&project::joined(root, value)), language))
}

fn load(walk: &mut dyn Host, paths: &[(String, &'static str)], invocation: &Invocation) {
    for (path, _) in paths.iter().leading(NAMED) {
        walk.look(path);
    }
    let paths: Vec<(String, &'static str)> =
        paths.iter().at_most(NAMED, &mut Unread(walk), invocation.span).cloned().collect();
    for (path, language) in paths {
        if walk.look(&path).file().is_some() {
            walk.at_most(Certainty::Likely, |walk| walk.load(language, &path, invocation.span));
        }
    }
}

/// What a tree of settings has the tool run, below some names.
fn settings(walk: &mut dyn Host, file: &File, below: &[&str], invocation: &Invocation) {
    let name = file.path.rsplit('/').next().unwrap_or_default();
    let text = &*file.text;
    let tree = match name.rsplit_once('.').map(|it| it.1) {
        Some("json" | "jsonc" | "json5") => tree::json(text),
        Some("toml") => tree::toml(text),
        Some("ini" | "cfg" | "conf") => tree::sections(text),
        Some("hcl" | "prisma") => tree::blocks(text),
        Some("yml" | "yaml") => tree::yaml(text),
        Some("js" | "mjs" | "cjs" | "ts" | "mts" | "cts") => tree::object(text),
        _ if text.trim_start().starts_with('{') => tree::json(text),
        _ if text.trim_start().starts_with('[') => tree::sections(text),
        _ => tree::yaml(text),
    };
    let root = directory_of(&file.path).to_owned();
    let mut files: Vec<(String, &'static str)> = Vec::new();
    let part = format!("{} {}", invocation.program, below.join("."));
    walk.in_task(file, &part, "settings", invocation.span, |walk| {
        let tree = project::whole(walk, tree);
        let mut commands: Vec<&tree::Node> = Vec::new();
        for node in tree.documents.iter().filter_map(|document| document.path(below)) {
            values(node, &mut commands, &mut |value| files.extend(of_project(&root, value)));
        }
        for node in commands.iter().at_most(COMMANDS, &mut Unread(walk), invocation.span) {
            walk.at_most(Certainty::Likely, |walk| match node.text() {
                Some(text) => {
                    walk.shell(&Text::known(text), node.span, &[], None);
                }
                None => {
                    walk.run(&project::arguments(&node.words(), node.span), None);
                }
            });
        }
        // pyyaml.org, "YAML tags and Python types": what a loader that is not safe calls.
        for (code, span) in called_by_tags(text) {
            walk.at_most(Certainty::Likely, |walk| {
                walk.code("python", &Text::known(code), span, &[])
            });
        }
    });
    load(walk, &files, invocation);
}

/// The commands in a tree: texts that begin with the name of a program, and lists of its words.
fn values<'n>(
    node: &'n tree::Node,
    commands: &mut Vec<&'n tree::Node>,
    other: &mut dyn FnMut(&str),
) {
    for (key, inner) in node.entries() {
        if !TELLING.contains(&key.to_ascii_lowercase().as_str()) {
            values(inner, commands, other);
        }
    }
    let words = node.words();
    let is_line = words.len() > 1
        && words.len() == node.items().len()
        && words.first().is_some_and(|first| is_program(first) && !first.contains(' '))
        && words.iter().skip(1).any(|word| word.starts_with('-') || word.contains('/'));
    if is_line {
        commands.push(node);
        return;
    }
    for inner in node.items() {
        values(inner, commands, other);
    }
    if let Some(text) = node.text() {
        other(text);
        if text.contains([' ', '\n']) && is_command(text) {
            commands.push(node);
        }
    }
}

/// Whether a text is a command: its first word, behind what is set before it, is a program.
fn is_command(text: &str) -> bool {
    let mut words = text.split_whitespace().skip_while(|word| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
        })
    });
    words.next().is_some_and(|word| is_program(word) || word.starts_with("./"))
}

fn is_program(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    escapes::is_shell(name) || programs::program(name).is_some() || programs::notable::names(name)
}

/// `!!python/object/apply:os.system ["…"]` as the call that it makes.
fn called_by_tags(text: &str) -> Vec<(String, portcullis_syntax::Span)> {
    let mut found = Vec::new();
    for mark in ["!!python/object/apply:", "!!python/object/new:", "!!python/name:"] {
        for (at, _) in text.match_indices(mark) {
            let rest = text.get(at + mark.len()..).unwrap_or_default();
            let line = rest.lines().next().unwrap_or_default();
            let (function, given) = line.split_once([' ', '\t']).unwrap_or((line, ""));
            let module = function.rsplit_once('.').map_or(function, |it| it.0);
            // In a list below it.
            let below = rest.lines().nth(1).and_then(|it| it.trim_start().strip_prefix("- "));
            let given = match given.trim() {
                "" => below.unwrap_or_default(),
                given => given.trim_start_matches(['[', '(']).trim_end_matches([']', ')']),
            };
            let quoted = if given.starts_with(['"', '\'']) {
                given.to_owned()
            } else {
                format!("{given:?}")
            };
            let span = portcullis_syntax::Span::new(at, at + mark.len() + line.len());
            if mark != "!!python/name:" {
                found.push((format!("import {module}\n{function}({quoted})\n"), span));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_called_after_their_tool() {
        for (name, program, expected) in [
            (".toolrc", "tool", true),
            ("tool.config.js", "tool", true),
            ("Toolfile", "tool", true),
            ("tool.yml", "tool-cli", true),
            ("codegen.yml", "graphql-codegen", true),
            ("dbt_project.yml", "dbt", true),
            ("tool", "tool", false),
            ("toolbox.yml", "tool", false),
            ("tool.md", "tool", false),
        ] {
            assert_eq!(is_of(name, program), expected, "{name} of {program}");
        }
    }

    #[test]
    fn commands_are_told_from_other_values() {
        let tree = tree::yaml(
            "a: curl -s x | sh\ndescription: rm is bad\nb: [sh, -c, x]\nc: [one, two]\nd: X=1 rm -r y\n",
        );
        let mut commands = Vec::new();
        values(tree.root().unwrap(), &mut commands, &mut |_| {});
        let shown: Vec<String> = commands
            .iter()
            .map(|it| it.text().map_or_else(|| it.words().join("|"), str::to_owned))
            .collect();
        assert_eq!(shown, ["curl -s x | sh", "sh|-c|x", "X=1 rm -r y"]);
    }

    #[test]
    fn tags_of_yaml_are_calls() {
        let found = called_by_tags("a: !!python/object/apply:os.system [\"x y\"]\n");
        assert_eq!(found.first().unwrap().0, "import os\nos.system(\"x y\")\n");
    }
}
