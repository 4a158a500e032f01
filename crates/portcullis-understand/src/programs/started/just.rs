//! `just` (just.systems/man): which recipes of a justfile the words on the command line start, and what they run.

use std::collections::BTreeMap;

use portcullis_syntax::Span;

use super::{Starter, dotenv, project, template};
use crate::{
    programs::found::{File, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
};

pub(super) static JUST: Starter = Starter { programs: &["just"], start: just };

/// How many recipes start each other.
const WITHIN: usize = 64;

/// A recipe of a justfile.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
struct Recipe {
    needs: Vec<String>,
    lines: Vec<(String, Span)>,
}

#[derive(Debug, Default, Eq, PartialEq)]
struct Justfile {
    recipes: BTreeMap<String, Recipe>,
    aliases: BTreeMap<String, String>,
    variables: BTreeMap<String, String>,
    /// Commands in backticks and calls of `shell`: they run whatever is asked for.
    always: Vec<(String, Span)>,
    /// The program with its words that each line is handed to.
    shell: Vec<String>,
    imports: Vec<String>,
    /// Modules by their names, and where each may lie.
    modules: Vec<(String, String)>,
    first: Option<String>,
}

fn just(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let tells = [
        "--list",
        "-l",
        "--summary",
        "--show",
        "-s",
        "--dry-run",
        "-n",
        "--help",
        "-h",
        "--version",
        "-V",
        "--fmt",
        "--dump",
        "--variables",
        "--init",
        "--edit",
        "-e",
        "--completions",
        "--man",
        "--groups",
    ];
    if project::has(&words, &tells) {
        return;
    }
    let named = project::option(&words, &["-f", "--justfile"]);
    let file = match named.and_then(|name| walk.target(&Text::known(name)).path) {
        Some(path) => walk.look(&path).file(),
        None => project::nearest(walk, &["justfile", ".justfile", "Justfile", "JUSTFILE"]),
    };
    let Some(file) = file else { return };
    if let Some(shell) = project::option(&words, &["--shell"]).filter(|it| it.contains('/')) {
        walk.run(&project::arguments(&[shell], invocation.span), None);
    }
    let values = [
        "-f",
        "--justfile",
        "-d",
        "--working-directory",
        "--set",
        "--shell",
        "--shell-arg",
        "--dotenv-path",
        "--color",
    ];
    let operands = project::operands(&words, &values);
    let mut asked = Vec::new();
    let mut given = BTreeMap::new();
    for word in operands {
        match word.split_once('=') {
            Some((name, value)) => {
                given.insert(name.to_owned(), value.to_owned());
            }
            None => asked.push(word.to_owned()),
        }
    }
    let root = directory_of(&file.path).to_owned();
    let whole = justfile(&file.text);
    // What is imported is there as if it stood in the file.
    let imported: Vec<File> = whole
        .imports
        .iter()
        .filter_map(|name| walk.look(&project::joined(&root, name)).file())
        .collect();
    // `just MODULE::RECIPE`, `just MODULE RECIPE`.
    for (name, path) in &whole.modules {
        let inner: Vec<&str> = match asked.first().map(String::as_str) {
            Some(first) if first == name => asked.iter().skip(1).map(String::as_str).collect(),
            Some(first) => match first.strip_prefix(name.as_str()) {
                Some(rest) if rest.starts_with("::") => vec![rest.trim_start_matches(':')],
                _ => continue,
            },
            None => continue,
        };
        let path = project::joined(&root, path);
        if walk.look(&path).file().is_some() {
            let mut line = vec!["just", "-f", path.as_str()];
            line.extend(inner);
            walk.run(&project::arguments(&line, invocation.span), None);
        }
    }
    project::in_directory(walk, Some(&root), |walk| {
        let files: Vec<(File, Justfile)> = std::iter::once(file.clone())
            .chain(imported)
            .map(|file| {
                let read = justfile(&file.text);
                (file, read)
            })
            .collect();
        let mut variables: BTreeMap<String, String> = BTreeMap::new();
        for (_, read) in &files {
            variables.extend(read.variables.clone());
        }
        variables.extend(given);
        let mut order: Vec<String> = Vec::new();
        let first = files.iter().find_map(|(_, read)| read.first.clone());
        let goals = if asked.is_empty() { first.into_iter().collect() } else { asked };
        for goal in &goals {
            needed(goal, &files, &mut order);
        }
        let is_cut = order.len() >= WITHIN;
        let mut names: Vec<String> =
            files.iter().flat_map(|(file, _)| loaded(&file.text)).collect();
        names.extend(
            project::options(&words, &["--dotenv-path", "-E", "--dotenv-filename"])
                .into_iter()
                .map(str::to_owned),
        );
        let environment = dotenv::of_files(walk, &root, &names);
        let shell = files.iter().map(|(_, read)| read.shell.as_slice()).find(|it| is_told(it));
        let shell = shell.unwrap_or_default().to_vec();
        for (file, read) in &files {
            walk.in_task(file, &goals.join(" "), "justfile", invocation.span, |walk| {
                dotenv::given(walk, &environment, &root, invocation.span);
                // A shell that stands in the project is a program of the project's.
                if read.shell.first().is_some_and(|program| program.contains('/')) {
                    walk.run(&project::arguments(&read.shell, invocation.span), None);
                }
                for (code, span) in &read.always {
                    walk.shell(&Text::known(code.as_str()), *span, &[], None);
                }
                for recipe in order.iter().filter_map(|name| read.recipes.get(name)) {
                    recipe_of(walk, recipe, &variables, &shell);
                }
                if is_cut {
                    walk.left_unread(Span::new(0, file.text.len()));
                }
            });
        }
    });
}

/// The files of variables that a justfile loads: `set dotenv-load`, `set dotenv-filename := "x"`.
fn loaded(text: &str) -> Vec<String> {
    let settings = text.lines().filter_map(|line| line.strip_prefix("set "));
    let named = settings.filter_map(|setting| {
        let (name, value) = setting.split_once(":=").unwrap_or((setting, "true"));
        let value = value.trim();
        match name.trim() {
            "dotenv-load" if value != "false" => Some(".env".to_owned()),
            "dotenv-filename" | "dotenv-path" => Some(value.trim_matches(['"', '\'']).to_owned()),
            _ => None,
        }
    });
    named.collect()
}

fn needed(goal: &str, files: &[(File, Justfile)], order: &mut Vec<String>) {
    let aliased = files
        .iter()
        .find_map(|(_, read)| read.aliases.get(goal))
        .map_or(goal, String::as_str)
        .to_owned();
    if order.len() >= WITHIN || order.contains(&aliased) {
        return;
    }
    let Some(recipe) = files.iter().find_map(|(_, read)| read.recipes.get(&aliased)) else {
        return;
    };
    let needs = recipe.needs.clone();
    order.push(aliased);
    for need in &needs {
        needed(need, files, order);
    }
}

/// Whether a shell with its words is more than one that is known by its name, with flags: each line is read as it reads it then.
fn is_told(shell: &[String]) -> bool {
    let Some((program, words)) = shell.split_first() else { return false };
    let name = program.rsplit('/').next().unwrap_or(program);
    let is_usual = ["sh", "bash", "dash", "zsh", "ash"].contains(&name)
        && words.iter().all(|word| word.starts_with('-') || word == "pipefail");
    !is_usual
}

fn recipe_of(
    walk: &mut dyn Host,
    recipe: &Recipe,
    variables: &BTreeMap<String, String>,
    shell: &[String],
) {
    let first = recipe.lines.first().map_or("", |(line, _)| line.trim_start());
    if let Some(interpreter) = first.strip_prefix("#!") {
        let code: String =
            recipe.lines.iter().map(|(line, _)| filled(line, variables) + "\n").collect();
        let span = recipe
            .lines
            .iter()
            .fold(recipe.lines.first().map_or(Span::default(), |it| it.1), |span, it| {
                span.to(it.1)
            });
        let language = interpreter.trim().rsplit(['/', ' ']).next().unwrap_or("sh").to_owned();
        let language =
            crate::language::language(&language).map_or("shell", |language| language.name);
        walk.code(language, &Text::known(code), span, &[]);
        return;
    }
    for (line, span) in &recipe.lines {
        let code = filled(line, variables);
        let code = code.trim_start().trim_start_matches(['@', '-']).to_owned();
        if code.starts_with('#') {
            continue;
        }
        if shell.is_empty() {
            walk.shell(&Text::known(code), *span, &[], None);
        } else {
            let mut words = shell.to_vec();
            words.push(code);
            walk.run(&project::arguments(&words, *span), None);
        }
    }
}

/// `{{NAME}}` of the file; what is given on the command line or computed is a variable that nobody knows.
fn filled(line: &str, variables: &BTreeMap<String, String>) -> String {
    template::filled(line, "{{", "}}", |name| {
        variables.get(name).cloned().unwrap_or_else(|| template::variable("", name))
    })
}

/// A justfile taken apart.
fn justfile(text: &str) -> Justfile {
    let mut read = Justfile::default();
    let mut open: Option<String> = None;
    let mut at = 0;
    let mut goes_on = false;
    for raw in text.split_inclusive('\n') {
        let start = at;
        at += raw.len();
        let line = raw.trim_end();
        let span = Span::new(start + line.len() - line.trim_start().len(), start + line.len());
        let is_indented = line.starts_with([' ', '\t']);
        if let Some(recipe) = open
            .as_ref()
            .filter(|_| is_indented || line.is_empty())
            .and_then(|name| read.recipes.get_mut(name))
        {
            if line.is_empty() {
                goes_on = false;
                continue;
            }
            let continues = line.ends_with('\\');
            match recipe.lines.last_mut().filter(|_| goes_on) {
                Some((whole, place)) => {
                    whole.push('\n');
                    whole.push_str(line.trim_start());
                    *place = place.to(span);
                }
                None => recipe.lines.push((line.trim_start().to_owned(), span)),
            }
            goes_on = continues;
            continue;
        }
        goes_on = false;
        if line.trim().is_empty() || line.starts_with('#') || line.starts_with('[') {
            continue;
        }
        backticks(line, start, &mut read.always);
        if let Some(rest) = line.strip_prefix("mod ").or_else(|| line.strip_prefix("mod? ")) {
            let name = rest.split_whitespace().next().unwrap_or_default();
            match rest.split(['"', '\'']).nth(1) {
                Some(path) => read.modules.push((name.to_owned(), path.to_owned())),
                None => read.modules.extend(
                    ["{}.just", "{}/mod.just", "{}/justfile", "{}/.justfile"]
                        .map(|path| (name.to_owned(), path.replace("{}", name))),
                ),
            }
            continue;
        }
        if let Some(name) = line.strip_prefix("import") {
            read.imports.extend(
                name.trim_start_matches(['?', ' ']).split(['"', '\'']).nth(1).map(str::to_owned),
            );
            continue;
        }
        if let Some((name, value)) =
            line.strip_prefix("alias ").and_then(|rest| rest.split_once(":="))
        {
            read.aliases.insert(name.trim().to_owned(), value.trim().to_owned());
            continue;
        }
        if let Some((name, value)) = line.split_once(":=") {
            let name = name.trim().trim_start_matches("export ").trim();
            if let Some(setting) = name.strip_prefix("set ") {
                if matches!(setting.trim(), "shell" | "script-interpreter") {
                    let words = value.split(['"', '\'']).skip(1).step_by(2);
                    read.shell = words.map(str::to_owned).collect();
                }
                continue;
            }
            let value = value.trim();
            let quoted =
                value.strip_prefix(['"', '\'']).and_then(|value| value.strip_suffix(['"', '\'']));
            if let Some(value) = quoted {
                read.variables.insert(name.to_owned(), value.to_owned());
            }
            open = None;
            continue;
        }
        if let Some((head, needs)) = line.split_once(':') {
            let name = head
                .trim_start_matches('@')
                .split([' ', '\t', '('])
                .next()
                .unwrap_or_default()
                .to_owned();
            let needs = needs
                .split("&&")
                .flat_map(str::split_whitespace)
                .map(|need| need.trim_matches(['(', ')']).to_owned())
                .collect();
            if read.first.is_none() && !name.starts_with('_') {
                read.first = Some(name.clone());
            }
            read.recipes.insert(name.clone(), Recipe { needs, lines: Vec::new() });
            open = Some(name);
        }
    }
    read
}

/// Commands between backticks, and in `shell("…")`.
fn backticks(line: &str, start: usize, found: &mut Vec<(String, Span)>) {
    let mut from = 0;
    while let Some(open) = line.get(from..).and_then(|rest| rest.find('`')) {
        let body = from + open + 1;
        let Some(close) = line.get(body..).and_then(|rest| rest.find('`')) else { break };
        let code = line.get(body..body + close).unwrap_or_default();
        if !code.is_empty() {
            found.push((code.to_owned(), Span::new(start + body, start + body + close)));
        }
        from = body + close + 1;
    }
    if let Some((before, rest)) = line.split_once("shell(")
        && let Some(code) = rest.split(['"', '\'']).nth(1)
    {
        let at = start + before.len() + 7;
        found.push((code.to_owned(), Span::new(at, at + code.len())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_justfile_is_taken_apart() {
        let text = "set shell := [\"bash\", \"-c\"]\nv := \"x\"\nstamp := `a b`\nalias t := test\n\n# c\ndefault: build\n\n@test *ARGS: (build v)\n    echo {{v}} \\\n      z\n    -y {{ARGS}}\nbuild:\n\t#!/usr/bin/env python3\n\tprint(1)\n";
        let read = justfile(text);
        assert_eq!(read.first.as_deref(), Some("default"));
        assert_eq!(read.always.iter().map(|it| it.0.as_str()).collect::<Vec<_>>(), ["a b"]);
        assert_eq!(
            read.recipes["test"].lines.iter().map(|it| it.0.as_str()).collect::<Vec<_>>(),
            ["echo {{v}} \\\nz", "-y {{ARGS}}"]
        );
        assert_eq!(read.recipes["test"].needs, ["build", "v"]);
        assert_eq!(filled("echo {{v}} {{ ARGS }}", &read.variables), "echo x ${ARGS}");
        assert_eq!(read.aliases["t"], "test");
    }
}
