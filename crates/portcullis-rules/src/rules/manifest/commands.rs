//! Where commands stand in the files of builds, installers and pipelines. Owns the reading of each format as far as that
//! takes; a file of no known format has none.

use portcullis_syntax::Span;

use crate::{bound::Cut, programs::started::make, understand::code};

/// The commands of a file.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) commands: Vec<String>,
    /// They run in a container that is built, not on a machine that somebody works at.
    pub(super) in_container: bool,
}

/// Keys of pipelines and task files whose value is a command, or a list of them.
const KEYS: &[&str] = &[
    "after_script",
    "bash",
    "before_script",
    "cmd",
    "cmds",
    "command",
    "commands",
    "entry",
    "install",
    "pwsh",
    "run",
    "script",
    "sh",
];

/// Task files and pipelines in YAML, by their names.
const PIPELINES: &[&str] = &[
    ".appveyor.yml",
    ".drone.yml",
    ".gitlab-ci.yml",
    ".pre-commit-config.yaml",
    ".travis.yml",
    ".woodpecker.yml",
    "Taskfile.yml",
    "Taskfile.yaml",
    "action.yaml",
    "action.yml",
    "appveyor.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "buildspec.yml",
    "cloudbuild.yaml",
    "cloudbuild.yml",
    "lefthook.yml",
];

/// Scripts of a package that run without being asked for.
const HOOKS: &[&str] = &[
    "install",
    "postinstall",
    "postprepare",
    "postpublish",
    "preinstall",
    "prepack",
    "prepare",
    "preprepare",
    "prepublish",
    "prepublishOnly",
];

/// Commands in the file of this path and name.
pub(super) fn of(path: &str, name: &str, content: &str) -> Found {
    let lower = name.to_ascii_lowercase();
    let is = |start: &str| lower == start || lower.starts_with(&format!("{start}."));
    if is("dockerfile") || is("containerfile") || lower.ends_with(".dockerfile") {
        return Found { commands: dockerfile(content), in_container: true };
    }
    let commands = match name {
        "Makefile" | "makefile" | "GNUmakefile" => made(content),
        "justfile" | "Justfile" | ".justfile" => recipes(content),
        "package.json" => json(content, |key| HOOKS.contains(&key)),
        "composer.json" => json(content, |key| key.starts_with("pre-") || key.starts_with("post-")),
        "devcontainer.json" | ".devcontainer.json" => json(content, |key| key.ends_with("Command")),
        _ if lower.ends_with(".mk") => made(content),
        _ if PIPELINES.contains(&name)
            || path.contains("/.github/")
                && (lower.ends_with(".yml") || lower.ends_with(".yaml"))
            || path.contains("/.circleci/") =>
        {
            yaml(content)
        }
        "Jenkinsfile" => quoted_behind(content, "sh "),
        _ => Vec::new(),
    };
    Found { commands, in_container: false }
}

/// Programs of a build that hand what they fetch to a shell; their own language is not followed that far.
pub(super) fn pipes_what_it_fetches(name: &str, content: &str) -> bool {
    matches!(name, "setup.py" | "conftest.py" | "build.rs" | "build.zig" | "noxfile.py")
        && ["curl ", "wget "].iter().any(|fetches| content.contains(fetches))
        && ["| sh", "|sh", "| bash", "|bash"].iter().any(|pipe| content.contains(pipe))
}

/// The language of a script by its name or its first line, where people run it as it is.
pub(super) fn language(name: &str, content: &str) -> Option<&'static str> {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension {
        "sh" | "bash" | "zsh" | "ksh" => return Some("shell"),
        "py" | "js" | "mjs" | "cjs" | "ts" | "rb" | "pl" | "php" | "lua" | "ps1" => {
            let name = if matches!(extension, "mjs" | "cjs") { "js" } else { extension };
            return code::language(name).map(|language| language.name);
        }
        _ => {}
    }
    let first = content.strip_prefix("#!")?.lines().next()?;
    let program = first.rsplit(['/', ' ']).next()?;
    if ["sh", "bash", "zsh", "dash", "ksh"].contains(&program) {
        return Some("shell");
    }
    code::language(program).map(|language| language.name)
}

/// `RUN`, with the lines that it goes on with.
fn dockerfile(content: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut lines = content.lines();
    while let Some(line) = lines.next() {
        let line = line.trim();
        let line = line.strip_prefix("ONBUILD ").unwrap_or(line);
        let Some(rest) = line
            .get(..4)
            .filter(|word| word.eq_ignore_ascii_case("run "))
            .and_then(|word| line.get(word.len()..))
        else {
            continue;
        };
        let mut command = rest.trim_start();
        while let Some(option) = command.strip_prefix("--") {
            command = option.split_once(' ').map_or("", |(_, rest)| rest.trim_start());
        }
        let mut command =
            if command.starts_with('[') { words(command) } else { command.to_owned() };
        while command.ends_with('\\') {
            command.pop();
            let Some(more) = lines.next() else { break };
            if !more.trim_start().starts_with('#') {
                command.push(' ');
                command.push_str(more.trim());
            } else {
                command.push('\\');
            }
        }
        if let Some((_, word)) = command.rsplit_once("<<") {
            let end = word.trim_matches(['-', '\'', '"', ' ']).to_owned();
            command = String::new();
            for more in lines.by_ref() {
                if more.trim() == end {
                    break;
                }
                command.push_str(more);
                command.push('\n');
            }
        }
        commands.push(command);
    }
    commands
}

/// The recipes of a makefile with their variables put in, whatever the goal is; as they are written where that is too much.
fn made(content: &str) -> Vec<String> {
    let mut cut = Cut::default();
    let commands = make::commands(content, &[], None, &mut cut, Span::default());
    if cut.happened() { recipes(content) } else { commands }
}

/// Lines of recipes, which are indented.
fn recipes(content: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut lines = content.lines();
    while let Some(line) = lines.next() {
        let recipe = match line.split_once("$(shell ") {
            Some((_, command)) => command.trim_end().trim_end_matches(')'),
            None if line.starts_with(['\t', ' ']) => line.trim(),
            None => continue,
        };
        let mut command = recipe.trim_start_matches(['@', '-', '+']).to_owned();
        while command.ends_with('\\') {
            command.pop();
            let Some(more) = lines.next() else { break };
            command.push(' ');
            command.push_str(more.trim());
        }
        commands.push(command.replace("$$", "$"));
    }
    commands
}

/// Values of a JSON file under the keys that are wanted; a list is one command.
fn json(content: &str, wanted: fn(&str) -> bool) -> Vec<String> {
    let mut commands = Vec::new();
    let mut key: Option<String> = None;
    let mut rest = content;
    let mut before = ' ';
    while let Some(at) = rest.find('"') {
        let (between, text) = rest.split_at(at);
        before = between.trim().chars().next_back().unwrap_or(before);
        let Some((literal, after)) = literal(text) else { break };
        rest = after;
        if after.trim_start().starts_with(':') {
            key = Some(literal);
            continue;
        }
        let is_command = key.as_deref().is_some_and(wanted);
        let continues = before == ',';
        match commands.last_mut() {
            Some(last) if continues && is_command => {
                let last: &mut String = last;
                last.push(' ');
                last.push_str(&literal);
            }
            _ if is_command => commands.push(literal),
            _ => {}
        }
        before = ' ';
    }
    commands
}

/// A string of JSON at the beginning, and what follows it.
fn literal(text: &str) -> Option<(String, &str)> {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find_map(|(at, letter)| {
        let closes = letter == '"' && !escaped;
        escaped = letter == '\\' && !escaped;
        closes.then_some(at + 1)
    })?;
    let (literal, rest) = text.split_at(end);
    Some((serde_json::from_str(literal).unwrap_or_default(), rest))
}

/// `["sh", "-c", "…"]` as a command: what a shell is given, or the words.
fn words(list: &str) -> String {
    let mut words = Vec::new();
    let mut rest = list.replace('\'', "\"");
    while let Some((word, after)) = rest.find('"').and_then(|at| literal(rest.get(at..)?)) {
        words.push(word);
        rest = after.to_owned();
        if words.len() > 32 {
            break;
        }
    }
    match words.as_slice() {
        [_, option, script] if option == "-c" => script.clone(),
        words => words.join(" "),
    }
}

/// Values behind [`KEYS`]: on the line, as a block below it, or as a list.
fn yaml(content: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let lines: Vec<&str> = content.lines().collect();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        let bare = line.trim_start().trim_start_matches("- ").trim_start();
        let Some((key, value)) = bare.split_once(':') else { continue };
        if !KEYS.contains(&key.trim_matches(['"', '\''])) {
            continue;
        }
        let indent = line.len() - bare.len();
        let value = value.trim();
        if !value.is_empty() && !value.starts_with(['|', '>']) {
            commands.push(scalar(value));
            continue;
        }
        let mut block = String::new();
        while let Some(more) = lines.get(at) {
            let depth = more.len() - more.trim_start().len();
            let is_item = more.trim_start().starts_with("- ");
            let below = depth > indent || value.is_empty() && is_item && depth + 2 > indent;
            if !more.trim().is_empty() && !below {
                break;
            }
            at += 1;
            let text = more.trim();
            match text.strip_prefix("- ").filter(|_| value.is_empty()) {
                Some(item) if !matches!(item.trim(), "|" | ">" | "|-" | ">-") => {
                    block.push_str(&scalar(item));
                }
                Some(_) => {}
                None => block.push_str(text),
            }
            block.push('\n');
        }
        commands.push(block);
    }
    commands
}

fn scalar(value: &str) -> String {
    if value.starts_with('[') {
        return words(value);
    }
    let value = value.trim();
    for quote in ['"', '\''] {
        if let Some(inner) = value.strip_prefix(quote).and_then(|it| it.strip_suffix(quote)) {
            return inner.replace("\\\"", "\"");
        }
    }
    value.to_owned()
}

/// Strings in quotes behind a word.
fn quoted_behind(content: &str, word: &str) -> Vec<String> {
    let mut commands = Vec::new();
    for rest in content.split(word).skip(1) {
        let rest = rest.trim_start_matches(['(', ' ']);
        let Some(quote) = rest.chars().next().filter(|quote| matches!(quote, '"' | '\'')) else {
            continue;
        };
        let long = quote.to_string().repeat(3);
        let (open, close) = match rest.strip_prefix(long.as_str()) {
            Some(rest) => (rest, long),
            None => (rest.get(1..).unwrap_or_default(), quote.to_string()),
        };
        if let Some((command, _)) = open.split_once(close.as_str()) {
            commands.push(command.to_owned());
        }
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn commands_are_found_where_each_format_has_them() {
        for (path, content, expected) in [
            (
                "/p/Dockerfile",
                "FROM x\nRUN --mount=type=cache a \\\n  && b\nCMD [\"c\"]\n",
                "a  && b",
            ),
            ("/p/api.dockerfile", "RUN [\"sh\", \"-c\", \"a | b\"]", "a | b"),
            ("/p/Dockerfile", "RUN <<EOF\na\nb\nEOF\n", "a\nb\n"),
            ("/p/Makefile", "all: x\n\t@a $$HOME | \\\n\t  b\n", "a $HOME | \\\n  b"),
            (
                "/p/package.json",
                "{\"name\":\"a b\",\"scripts\":{\"build\":\"b\",\"prepare\":\"a \\\"b\\\"\"}}",
                "a \"b\"",
            ),
            (
                "/p/.devcontainer/devcontainer.json",
                "{\"postCreateCommand\": [\"a\", \"b\"]}",
                "a b",
            ),
            ("/p/.github/workflows/x.yml", "steps:\n  - run: a | b\n", "a | b"),
            ("/p/.github/workflows/x.yml", "  - run: |\n      a\n      b\n    env: {}\n", "a\nb\n"),
            ("/p/.gitlab-ci.yml", "job:\n  script:\n    - a\n    - 'b'\n", "a\nb\n"),
            ("/p/Jenkinsfile", "steps { sh 'a | b' }", "a | b"),
        ] {
            let name = path.rsplit('/').next().unwrap();
            let found = of(path, name, content).commands;
            assert_eq!(found, [expected], "{path}: {content}");
        }
    }
}
