//! Runners of tasks: `just` (just.systems/man), `task` (taskfile.dev), scripts of `composer` (getcomposer.org/doc/articles/scripts.md), `deno task`,
//! lines of a `Procfile` (foreman, honcho, overmind), and tasks in Python files (`invoke`, `nox`, `doit`, `scons`, `waf`). Owns which of a file's
//! commands the words on the command line start.

use std::collections::BTreeMap;

use portcullis_syntax::Span;

use super::{Starter, project, tree};
use crate::{
    effect::{Certainty, GapReason},
    text::Text,
    understand::shell::{
        Invocation, Walk,
        files::{File, directory_of},
    },
};

pub(super) static JUST: Starter = Starter { programs: &["just"], start: just };
pub(super) static TASK: Starter = Starter { programs: &["go-task", "task"], start: task };
pub(super) static COMPOSER: Starter = Starter { programs: &["composer"], start: composer };
pub(super) static DENO: Starter = Starter { programs: &["deno"], start: deno };
pub(super) static PROCFILE: Starter =
    Starter { programs: &["foreman", "hivemind", "honcho", "overmind"], start: procfile };
pub(super) static PYTHON: Starter = Starter {
    programs: &["doit", "fab", "inv", "invoke", "nox", "scons", "snakemake", "waf"],
    start: python,
};

/// How many tasks start each other.
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
    imports: Vec<String>,
    first: Option<String>,
}

fn just(walk: &mut Walk<'_>, invocation: &Invocation) {
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
        let first = files.first().and_then(|(_, read)| read.first.clone());
        let goals = if asked.is_empty() { first.into_iter().collect() } else { asked };
        for goal in &goals {
            needed(goal, &files, &mut order);
        }
        let is_cut = order.len() >= WITHIN;
        for (file, read) in &files {
            walk.in_task(file, &goals.join(" "), "justfile", invocation.span, |walk| {
                for (code, span) in &read.always {
                    walk.shell(&Text::known(code.as_str()), *span, &[], None);
                }
                for recipe in order.iter().filter_map(|name| read.recipes.get(name)) {
                    recipe_of(walk, recipe, &variables);
                }
                if is_cut {
                    walk.gap(Span::new(0, file.text.len()), GapReason::Limit);
                }
            });
        }
    });
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

fn recipe_of(walk: &mut Walk<'_>, recipe: &Recipe, variables: &BTreeMap<String, String>) {
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
            crate::understand::code::language(&language).map_or("shell", |language| language.name);
        walk.code(language, &Text::known(code), span, &[]);
        return;
    }
    for (line, span) in &recipe.lines {
        let code = filled(line, variables);
        let code = code.trim_start().trim_start_matches(['@', '-']).to_owned();
        if !code.starts_with('#') {
            walk.shell(&Text::known(code), *span, &[], None);
        }
    }
}

/// `{{NAME}}` of the file; what is given on the command line or computed is a variable that nobody knows.
fn filled(line: &str, variables: &BTreeMap<String, String>) -> String {
    let mut filled = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let (inner, next) = after.split_once("}}").unwrap_or((after, ""));
        let name = inner.trim();
        match variables.get(name) {
            Some(value) => filled.push_str(value),
            None => {
                let name: String = name
                    .chars()
                    .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' })
                    .collect();
                filled.push_str(&format!("${{{}}}", name.trim_matches('_')));
            }
        }
        rest = next;
    }
    filled.push_str(rest);
    filled
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
            if name.starts_with("set ") {
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

fn task(walk: &mut Walk<'_>, invocation: &Invocation) {
    let words = project::words(invocation);
    let tells = [
        "--list",
        "-l",
        "--list-all",
        "-a",
        "--summary",
        "--dry",
        "-n",
        "--help",
        "-h",
        "--version",
        "--init",
        "-i",
        "--status",
        "--json",
        "-j",
    ];
    if project::has(&words, &tells) {
        return;
    }
    let values = [
        "-t",
        "--taskfile",
        "-d",
        "--dir",
        "-C",
        "--concurrency",
        "-o",
        "--output",
        "-I",
        "--interval",
    ];
    let directory = project::option(&words, &["-d", "--dir"]).map(str::to_owned);
    let asked: Vec<String> = project::operands(&words, &values)
        .into_iter()
        .filter(|word| !word.contains('='))
        .map(str::to_owned)
        .collect();
    let asked = if asked.is_empty() { vec!["default".to_owned()] } else { asked };
    project::in_directory(walk, directory.as_deref(), |walk| {
        let named = project::option(&words, &["-t", "--taskfile"]);
        let file = match named.and_then(|name| walk.target(&Text::known(name)).path) {
            Some(path) => walk.look(&path).file(),
            None => project::nearest(
                walk,
                &[
                    "Taskfile.yml",
                    "taskfile.yml",
                    "Taskfile.yaml",
                    "taskfile.yaml",
                    "Taskfile.dist.yml",
                    "Taskfile.dist.yaml",
                ],
            ),
        };
        if let Some(file) = file {
            taskfile(walk, &file, &asked, "", invocation.span, 0);
        }
    });
}

fn taskfile(
    walk: &mut Walk<'_>,
    file: &File,
    asked: &[String],
    space: &str,
    span: Span,
    depth: usize,
) {
    let root = directory_of(&file.path).to_owned();
    let included = project::in_directory(walk, Some(&root), |walk| {
        walk.in_task(file, &asked.join(" "), "taskfile", span, |walk| {
            let tree = project::whole(walk, tree::yaml(&file.text));
            let Some(node) = tree.root() else { return Vec::new() };
            task_variables(walk, node);
            let mut open: Vec<String> = asked
                .iter()
                .rev()
                .map(|name| name.strip_prefix(space).unwrap_or(name).to_owned())
                .collect();
            let mut seen: Vec<String> = Vec::new();
            while let Some(name) = open.pop() {
                if seen.contains(&name) {
                    continue;
                }
                if seen.len() >= WITHIN {
                    walk.gap(span, GapReason::Limit);
                    break;
                }
                seen.push(name.clone());
                let Some(task) = node.get("tasks").and_then(|tasks| task_named(tasks, &name))
                else {
                    continue;
                };
                open.extend(one_task(walk, task));
            }
            let includes = node.get("includes").into_iter().flat_map(|it| it.entries());
            let includes = includes.filter_map(|(name, include)| {
                Some((
                    name.to_owned(),
                    include.text().or_else(|| include.text_of("taskfile"))?.to_owned(),
                    include.get("flatten").is_some(),
                ))
            });
            includes.map(|(name, path, flat)| (name, path, flat, seen.clone())).collect()
        })
    });
    for (name, path, is_flat, seen) in included.unwrap_or_default() {
        let path = project::joined(&root, &path);
        let is_file = path.ends_with(".yml") || path.ends_with(".yaml");
        let candidates = if is_file {
            vec![path]
        } else {
            ["Taskfile.yml", "Taskfile.yaml"].iter().map(|it| format!("{path}/{it}")).collect()
        };
        let space = if is_flat { String::new() } else { format!("{name}:") };
        let asked: Vec<String> =
            seen.into_iter().filter(|task| is_flat || task.starts_with(&space)).collect();
        let found = candidates.iter().find_map(|path| walk.look(path).file());
        if let Some(inner) = found.filter(|_| depth < 4) {
            taskfile(walk, &inner, &asked, &space, span, depth + 1);
        }
    }
}

/// `vars` with `sh` are commands that run before anything else.
fn task_variables(walk: &mut Walk<'_>, node: &tree::Node) {
    for key in ["vars", "env"] {
        for (name, value) in node.get(key).iter().flat_map(|it| it.entries()) {
            match (value.get("sh"), value.text()) {
                (Some(code), _) => {
                    if let Some(text) = code.text() {
                        walk.shell(&Text::known(unwritten(text)), code.span, &[], None);
                    }
                }
                (None, Some(text)) if !text.contains("{{") => {
                    walk.environment_of(name, &Text::known(text), value.span)
                }
                _ => {}
            }
        }
    }
}

fn task_named<'n>(tasks: &'n tree::Node, name: &str) -> Option<&'n tree::Node> {
    let aliased = |task: &tree::Node| {
        task.get("aliases").is_some_and(|it| it.words().iter().any(|alias| alias == name))
    };
    tasks
        .get(name)
        .or_else(|| tasks.entries().find_map(|(_, task)| aliased(task).then_some(task)))
        .or_else(|| {
            tasks.entries().find_map(|(key, task)| {
                let (before, after) = key.split_once('*')?;
                (name.starts_with(before) && name.ends_with(after)).then_some(task)
            })
        })
}

/// Says what a task runs; gives the tasks that it starts.
fn one_task(walk: &mut Walk<'_>, task: &tree::Node) -> Vec<String> {
    let mut others = Vec::new();
    task_variables(walk, task);
    for need in task.get("deps").map(tree::Node::items).unwrap_or_default() {
        others.extend(need.text().or_else(|| need.text_of("task")).map(str::to_owned));
    }
    let directory = task.text_of("dir").filter(|it| !it.contains("{{"));
    project::in_directory(walk, directory, |walk| {
        for key in ["status", "preconditions", "cmds", "cmd"] {
            for command in task.get(key).iter().flat_map(|it| it.each()) {
                let code = if command.text().is_some() {
                    Some(command)
                } else {
                    command
                        .get("cmd")
                        .or_else(|| command.get("sh"))
                        .or_else(|| command.get("defer"))
                };
                if let Some(code) = code
                    && let Some(text) = code.text()
                {
                    walk.shell(&Text::known(unwritten(text)), code.span, &[], None);
                }
                others.extend(command.text_of("task").map(str::to_owned));
            }
        }
        // A task that is a command, or a list of them, alone.
        if task.text().is_some() || !task.items().is_empty() {
            for command in task.each() {
                if let Some(text) = command.text() {
                    walk.shell(&Text::known(unwritten(text)), command.span, &[], None);
                }
            }
        }
    });
    others
}

/// `{{.NAME}}` is a variable of the shell, since that is where its value may come from.
fn unwritten(text: &str) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let (inner, next) = after.split_once("}}").unwrap_or((after, ""));
        let name: String = inner
            .trim()
            .trim_start_matches('.')
            .chars()
            .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' })
            .collect();
        filled.push_str(&format!("${{{}}}", name.trim_matches('_')));
        rest = next;
    }
    filled.push_str(rest);
    filled
}

fn composer(walk: &mut Walk<'_>, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(
        &words,
        &["--no-scripts", "--help", "-h", "--version", "-V", "--list", "--dry-run"],
    ) {
        return;
    }
    let directory = project::option(&words, &["-d", "--working-dir"]).map(str::to_owned);
    let operands = project::operands(&words, &["-d", "--working-dir"]);
    let Some(verb) = operands.first().copied() else { return };
    let events: Vec<&str> = match verb {
        "install" | "i" => vec![
            "pre-install-cmd",
            "post-install-cmd",
            "pre-autoload-dump",
            "post-autoload-dump",
            "post-root-package-install",
        ],
        "update" | "u" | "upgrade" | "require" | "remove" => vec![
            "pre-update-cmd",
            "post-update-cmd",
            "pre-install-cmd",
            "post-install-cmd",
            "pre-autoload-dump",
            "post-autoload-dump",
        ],
        "dump-autoload" | "dumpautoload" => vec!["pre-autoload-dump", "post-autoload-dump"],
        "create-project" => {
            vec!["post-root-package-install", "post-create-project-cmd", "post-install-cmd"]
        }
        "archive" => vec!["pre-archive-cmd", "post-archive-cmd"],
        "status" => vec!["pre-status-cmd", "post-status-cmd"],
        "run-script" | "run" => operands.get(1).copied().into_iter().collect(),
        other => vec![other],
    };
    project::in_directory(walk, directory.as_deref(), |walk| {
        let Some(file) = project::nearest(walk, &["composer.json"]) else { return };
        let root = directory_of(&file.path).to_owned();
        project::in_directory(walk, Some(&root), |walk| {
            walk.in_task(&file, &events.join(" "), "composer", invocation.span, |walk| {
                let tree = project::whole(walk, tree::json(&file.text));
                let Some(scripts) = tree.root().and_then(|root| root.get("scripts")) else {
                    return;
                };
                let mut open: Vec<String> =
                    events.iter().rev().map(|event| (*event).to_owned()).collect();
                let mut seen: Vec<String> = Vec::new();
                while let Some(event) = open.pop() {
                    if seen.contains(&event) {
                        continue;
                    }
                    if seen.len() >= WITHIN {
                        walk.gap(invocation.span, GapReason::Limit);
                        break;
                    }
                    for script in scripts.get(&event).iter().flat_map(|it| it.each()) {
                        let Some(text) = script.text() else { continue };
                        open.extend(composed(walk, text, script.span));
                    }
                    seen.push(event);
                }
            });
        });
    });
}

/// One script of composer; gives the other that it names.
fn composed(walk: &mut Walk<'_>, text: &str, span: Span) -> Option<String> {
    if let Some(setting) = text.strip_prefix("@putenv ") {
        let (name, value) = setting.split_once('=')?;
        walk.environment_of(name, &Text::known(value), span);
        return None;
    }
    let code = match text.strip_prefix('@') {
        Some(rest) if rest.starts_with("php ") || rest.starts_with("composer ") => rest,
        Some(name) => return name.split_whitespace().next().map(str::to_owned),
        // A method of a class of the project or of a package.
        None if text.contains("::") && !text.contains(' ') => return None,
        None => text,
    };
    walk.shell(&Text::known(code), span, &[], None);
    None
}

fn deno(walk: &mut Walk<'_>, invocation: &Invocation) {
    let words = project::words(invocation);
    let operands = project::operands(&words, &["-c", "--config", "--cwd"]);
    let [verb @ ("task" | "run"), name, ..] = operands.as_slice() else { return };
    if *verb == "run" && name.contains(['.', '/']) {
        return;
    }
    let Some(file) = project::nearest(walk, &["deno.json", "deno.jsonc"]) else { return };
    walk.in_task(&file, name, "deno", invocation.span, |walk| {
        let tree = project::whole(walk, tree::json(&file.text));
        let Some(task) = tree.root().and_then(|root| root.path(&["tasks", name])) else { return };
        let command = task.get("command").unwrap_or(task);
        if let Some(text) = command.text() {
            walk.shell(&Text::known(text), command.span, &[], None);
        }
    });
}

fn procfile(walk: &mut Walk<'_>, invocation: &Invocation) {
    let words = project::words(invocation);
    let verb = project::operands(
        &words,
        &["-f", "--procfile", "-e", "--env", "-p", "--port", "-m", "--formation", "-d", "--root"],
    );
    let starts = match verb.first().copied() {
        Some("start" | "s" | "run") => true,
        None => invocation.program == "hivemind",
        Some(_) => invocation.program == "hivemind",
    };
    if !starts || project::has(&words, &["--help"]) {
        return;
    }
    let asked = verb.get(1).copied().filter(|_| verb.first() == Some(&"start"));
    let name = project::option(&words, &["-f", "--procfile"]).unwrap_or("Procfile").to_owned();
    let Some(path) = walk.target(&Text::known(name)).path else { return };
    let root = directory_of(&path).to_owned();
    walk.look(&format!("{root}/.env"));
    let environment = walk.look(&format!("{root}/.env")).file();
    let Some(file) = walk.look(&path).file() else { return };
    walk.with_environment(|walk| {
        for (name, value) in environment
            .iter()
            .flat_map(|file| file.text.lines())
            .filter_map(|line| line.trim().split_once('='))
        {
            if !name.starts_with('#') {
                let value = value.trim_matches(['"', '\'']);
                walk.environment_of(
                    name.trim_start_matches("export ").trim(),
                    &Text::known(value),
                    invocation.span,
                );
            }
        }
        walk.in_file(&file, "procfile", invocation.span, |walk| {
            for (name, span) in processes(&file.text) {
                if asked.is_some_and(|asked| asked != name && asked != "all") {
                    continue;
                }
                let code = file.text.get(span.range()).unwrap_or_default();
                walk.shell(&Text::known(code), span, &[], None);
            }
        });
    });
}

/// Names of processes with where their commands stand.
fn processes(text: &str) -> Vec<(&str, Span)> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let Some((name, command)) = line.split_once(':') else { continue };
        let is_name = !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        let command = command.trim_end();
        let bare = command.trim_start();
        if is_name && !bare.is_empty() {
            let from = start + name.len() + 1 + command.len() - bare.len();
            found.push((name, Span::new(from, from + bare.len())));
        }
    }
    found
}

/// Files of tasks in Python, which are evaluated whole.
fn python(walk: &mut Walk<'_>, invocation: &Invocation) {
    let words = project::words(invocation);
    let tells = [
        "--list",
        "-l",
        "--help",
        "-h",
        "--version",
        "-V",
        "--list-sessions",
        "-n",
        "--dry-run",
        "--dryrun",
    ];
    let is_told = invocation.program != "nox" && project::has(&words, &["list", "help"]);
    let names: &[&str] = match invocation.program.as_str() {
        "nox" => &["noxfile.py"],
        "doit" => &["dodo.py"],
        "scons" => &["SConstruct", "Sconstruct", "sconstruct", "SConstruct.py"],
        "snakemake" => &["Snakefile", "workflow/Snakefile"],
        "waf" => &["wscript"],
        "fab" => &["fabfile.py"],
        _ => &["tasks.py", "tasks/__init__.py"],
    };
    // Listing evaluates the file as well, and runs no task.
    let certainty = if is_told || project::has(&words, &tells) {
        Certainty::Possible
    } else {
        Certainty::Certain
    };
    let named = project::option(&words, &["-f", "--file", "--noxfile", "-s", "--snakefile"])
        .filter(|name| name.contains('.') || name.contains("file"));
    let file = match named.and_then(|name| walk.target(&Text::known(name)).path) {
        Some(path) => walk.look(&path).file(),
        None => project::nearest(walk, names),
    };
    if let Some(file) = file {
        walk.at_most(certainty, |walk| walk.run_text("python", &file, invocation.span, &[], None));
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

    #[test]
    fn processes_have_their_commands() {
        let text = "web: a --b :80\n# no: x\nworker:c\nbad line\n";
        let found: Vec<(&str, &str)> = processes(text)
            .into_iter()
            .map(|(name, span)| (name, text.get(span.range()).unwrap()))
            .collect();
        assert_eq!(found, [("web", "a --b :80"), ("worker", "c")]);
    }

    #[test]
    fn values_of_tasks_are_variables() {
        assert_eq!(unwritten("a {{.X}} b {{ .Y | quote }}"), "a ${X} b ${Y___quote}");
    }
}
