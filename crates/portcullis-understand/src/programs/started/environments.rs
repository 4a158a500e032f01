//! Task runners of Python: the commands of `tox`'s environments with the variables that they get (tox.wiki, "Configuration"), and the
//! tasks in a `pyproject.toml` (hatch.pypa.io, "Environment > Scripts"; pdm-project.org, "PDM Scripts"; poethepoet.natn.io, "Tasks").

use portcullis_syntax::Span;

use super::{Starter, dotenv, interpreters, project, setups, tree};
use crate::{
    bound::Bounded as _, programs::escapes::put_in_by_tox, programs::host::Host,
    programs::invocation::Invocation, text::Text,
};

pub(super) static TOX: Starter = Starter { programs: &["tox"], start };

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words: Vec<String> = invocation.arguments.iter().map(|word| word.text.display()).collect();
    let tells =
        ["-l", "--listenvs", "-a", "--help", "-h", "--version", "--showconfig", "list", "config"];
    if words.iter().any(|word| tells.contains(&word.as_str())) {
        return;
    }
    let Some(root) = walk.directory().map(str::to_owned) else { return };
    walk.look(&format!("{root}/toxfile.py"));
    let Some(file) = walk.look(&format!("{root}/tox.ini")).file() else { return };
    // tox.wiki, "Extending tox": a plugin of the project.
    walk.load("python", &format!("{root}/toxfile.py"), invocation.span);
    let mut asked: Vec<String> = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let value = if word == "-e" {
            rest.next().cloned()
        } else {
            word.strip_prefix("-e").map(str::to_owned)
        };
        asked.extend(value.iter().flat_map(|value| value.split(',')).map(str::to_owned));
    }
    let named = |(name, _): &&(String, Text)| name == "TOXENV";
    if let Some((_, value)) = invocation.environment.iter().find(named)
        && asked.is_empty()
    {
        asked.extend(value.display().split(',').map(|name| name.trim().to_owned()));
    }
    packaged(walk, &file.text, &root, invocation.span);
    walk.in_file(&file, "tox", invocation.span, |walk| {
        let tree = project::whole(walk, tree::sections(&file.text));
        // Without a word it is what the list says.
        let listed = tree
            .root()
            .and_then(|root| root.get("tox"))
            .and_then(|section| section.get("envlist").or_else(|| section.get("env_list"))?.text());
        // One environment may be put together from another one.
        let is_closed = !file.text.contains("{[testenv");
        if asked.is_empty()
            && is_closed
            && let Some(listed) = listed
        {
            asked = environments(listed).unwrap_or_default();
        }
        for (section, values) in tree.root().iter().flat_map(|root| root.entries()) {
            let Some(name) = section.strip_prefix("testenv") else { continue };
            let name = name.trim_start_matches(':');
            let is_asked = name.is_empty()
                || asked.is_empty()
                || asked.iter().any(|it| it == name || it == "ALL");
            if !is_asked {
                continue;
            }
            for key in ["setenv", "set_env"] {
                let Some(variables) = values.get(key) else { continue };
                for line in variables.text().unwrap_or_default().lines() {
                    if let Some((name, value)) = line.split_once('=') {
                        let value =
                            value.trim().replace("{toxinidir}", &root).replace("{tox_root}", &root);
                        let value = Text::known(value);
                        walk.environment_of(name.trim(), &value, variables.span);
                    }
                }
            }
            // tox.wiki, "install_command": what installs the packages of the environment, before anything of it runs.
            for key in [
                "install_command",
                "list_dependencies_command",
                "commands_pre",
                "commands",
                "commands_post",
            ] {
                let Some(commands) = values.get(key) else { continue };
                let text = commands.text().unwrap_or_default().replace("\\\n", " ");
                for line in text.lines().filter(|line| !line.trim().is_empty()) {
                    let line = line.trim().trim_start_matches(['-', '!', ' ']);
                    walk.shell(&Text::known(put_in_by_tox(line)), commands.span, &[], None);
                }
            }
        }
    });
}

/// The project's own package is built and installed before the commands run, unless the settings say otherwise (tox.wiki, "Packaging", `no_package`,
/// `skipsdist`, `package = skip`).
fn packaged(walk: &mut dyn Host, text: &str, root: &str, span: Span) {
    let tree = tree::sections(text);
    let of = |section: &str, key: &str| {
        tree.root()
            .and_then(|it| it.get(section))
            .and_then(|it| it.text_of(key))
            .unwrap_or_default()
    };
    let is_true = |value: &str| matches!(value.trim().to_ascii_lowercase().as_str(), "true" | "1");
    let is_off = is_true(of("tox", "skipsdist"))
        || is_true(of("tox", "no_package"))
        || is_true(of("testenv", "skip_install"))
        || of("testenv", "package").trim() == "skip";
    if !is_off {
        walk.in_project(|walk| setups::package(walk, root, span));
    }
}

/// The environments of a list, `py3{10,11}-{a,b}` written out; `None` where one cannot be.
fn environments(listed: &str) -> Option<Vec<String>> {
    let mut found: Vec<String> = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut depth = 0_usize;
    let mut name = String::new();
    let lines = listed.lines().map(|line| line.split('#').next().unwrap_or_default());
    for letter in lines.flat_map(|line| line.chars().chain(['\n'])) {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 && (letter == ',' || letter.is_whitespace()) {
            open.extend(Some(std::mem::take(&mut name)).filter(|name| !name.is_empty()));
        } else if !letter.is_whitespace() {
            name.push(letter);
        }
    }
    while let Some(name) = open.pop() {
        if found.len() + open.len() > ENVIRONMENTS || name.contains(':') {
            return None;
        }
        let Some((before, rest)) = name.split_once('{') else {
            found.push(name);
            continue;
        };
        let (among, after) = rest.split_once('}')?;
        if among.contains('{') {
            return None;
        }
        open.extend(among.split(',').map(|one| format!("{before}{one}{after}")));
    }
    Some(found)
}

pub(super) static TASKS: Starter =
    Starter { programs: &["hatch", "pdm", "poe", "poetry", "rye", "uv"], start: task };

/// How many environments a list may come to.
const ENVIRONMENTS: usize = 512;

/// How many tasks run each other.
const TASKS_WITHIN: usize = 16;

/// How many files of tasks one includes.
const INCLUDED: usize = 8;

/// Where a `pyproject.toml` has tasks; `*` stands for any name.
const TABLES: &[&[&str]] = &[
    &["tool", "hatch", "envs", "*", "scripts"],
    &["tool", "pdm", "scripts"],
    &["tool", "poe", "tasks"],
    &["tool", "rye", "scripts"],
    &["tasks"],
];

/// Where it names the functions that its programs are (packaging.python.org, "Entry points specification").
const PROGRAMS: &[&[&str]] = &[&["project", "scripts"], &["tool", "poetry", "scripts"]];

fn task(walk: &mut dyn Host, invocation: &Invocation) {
    let words: Vec<String> = invocation.arguments.iter().map(|word| word.text.display()).collect();
    let mut operands = words.iter().filter(|word| !word.starts_with('-')).peekable();
    let runs = invocation.program == "poe" || operands.next_if(|word| *word == "run").is_some();
    let Some(asked) = operands.next().filter(|_| runs) else { return };
    let Some(root) = walk.directory().map(str::to_owned) else { return };
    let Some(file) = walk.look(&format!("{root}/pyproject.toml")).file() else { return };
    let directory = root.clone();
    walk.in_task(&file, asked, "pyproject", invocation.span, |walk| {
        let tree = project::whole(walk, tree::toml(&file.text));
        let Some(root) = tree.root() else { return };
        // poethepoet.natn.io, "Loading tasks from another file".
        let mut included: Vec<tree::Tree> = Vec::new();
        let named = root.path(&["tool", "poe", "include"]);
        for one in named.iter().flat_map(|it| it.each()).at_most(INCLUDED, walk, invocation.span) {
            let Some(name) = one.text().or_else(|| one.text_of("path")) else { continue };
            if let Some(file) = walk.look(&project::joined(&directory, name)).file() {
                included.push(match file.path.ends_with(".json") {
                    true => tree::json(&file.text),
                    false => tree::toml(&file.text),
                });
            }
        }
        let mut tables = Vec::new();
        let mut programs = Vec::new();
        for root in included.iter().filter_map(tree::Tree::root).chain([root]) {
            TABLES.iter().for_each(|names| reached(root, names, &mut tables));
            PROGRAMS.iter().for_each(|names| reached(root, names, &mut programs));
        }
        if invocation.program == "hatch" {
            // hatch.pypa.io, "Environment > Overview": before and behind the installation of what an environment needs.
            let mut commands = Vec::new();
            for key in ["pre-install-commands", "post-install-commands"] {
                reached(root, &["tool", "hatch", "envs", "*", key], &mut commands);
            }
            for line in commands.iter().flat_map(|it| it.each()) {
                if let Some(text) = line.text() {
                    walk.shell(&Text::known(text), line.span, &[], None);
                }
            }
        }
        let name = asked.rsplit(':').next().unwrap_or(asked);
        // pdm-project.org, "PDM Scripts": those before and behind run by themselves, and `_` is what all of them get.
        let mut open = vec![name.to_owned()];
        let mut files: Vec<String> = Vec::new();
        if invocation.program == "pdm" {
            open.extend(["pre_", "post_"].map(|part| format!("{part}{name}")));
            open.extend(["pre_run", "post_run"].map(str::to_owned));
        }
        for table in &tables {
            for node in [table.get("_"), table.get(name)].into_iter().flatten() {
                for key in ["env_file", "envfile"] {
                    let one = node.get(key);
                    files.extend(
                        one.iter()
                            .flat_map(|it| it.each())
                            .filter_map(|it| it.text())
                            .map(str::to_owned),
                    );
                }
                for (name, value) in node.get("env").iter().flat_map(|it| it.entries()) {
                    if let Some(value) = value.text() {
                        walk.environment_of(name, &Text::known(value), node.span);
                    }
                }
            }
        }
        let files = dotenv::of_files(walk, &directory, &files);
        dotenv::given(walk, &files, &directory, invocation.span);
        for (name, value) in files {
            walk.environment(&name, &Text::known(value.as_str()), invocation.span);
            if name == "PYTHONPATH" {
                interpreters::sites(walk, &value, invocation.span);
            }
        }
        for node in programs.iter().filter_map(|table| table.get(name)) {
            if let Some(function) = node.text() {
                called(walk, function, node.span);
            }
        }
        let mut ran: Vec<String> = Vec::new();
        while let Some(name) = open.pop() {
            if ran.contains(&name) {
                continue;
            }
            if ran.len() >= TASKS_WITHIN {
                walk.left_unread(invocation.span);
                break;
            }
            for node in tables.iter().filter_map(|table| table.get(&name)) {
                // Functions of the project.
                for key in ["call", "script"] {
                    if let Some(function) = node.text_of(key) {
                        called(walk, function, node.span);
                    }
                }
                for key in ["deps", "uses"] {
                    for need in node.get(key).iter().flat_map(|it| it.each()) {
                        open.extend(
                            need.text().map(|it| {
                                it.split_whitespace().next().unwrap_or_default().to_owned()
                            }),
                        );
                    }
                }
                for command in ["cmd", "shell", "composite", "sequence", "parallel", "expr"]
                    .iter()
                    .filter_map(|key| node.get(key))
                    .chain(std::iter::once(node))
                {
                    for line in command.each() {
                        for key in ["cmd", "shell", "ref", "script"] {
                            let Some(text) = line.text_of(key) else { continue };
                            match key {
                                "script" => called(walk, text, line.span),
                                "ref" => open.push(text.to_owned()),
                                _ => {
                                    walk.shell(&Text::known(text), line.span, &[], None);
                                }
                            }
                        }
                        let Some(text) = line.text() else { continue };
                        // A command may begin with the name of another task.
                        let first = text.split_whitespace().next().unwrap_or_default();
                        open.push(first.to_owned());
                        walk.shell(&Text::known(text), line.span, &[], None);
                    }
                }
            }
            ran.push(name);
        }
    });
}

/// `package.module:function(…)`: the module is loaded and the function called.
fn called(walk: &mut dyn Host, function: &str, span: Span) {
    let Some((module, name)) = function.split_once(':') else { return };
    let (name, given) = name.split_once('(').unwrap_or((name, ")"));
    let is_name = |text: &str| {
        !text.is_empty() && text.chars().all(|it| it.is_alphanumeric() || "._".contains(it))
    };
    if !is_name(module) || !is_name(name) {
        return;
    }
    let given = if given.contains(['{', '$']) { ")" } else { given };
    let first = name.split('.').next().unwrap_or(name);
    let code = format!("from {module} import {first}\n{name}({given}\n");
    // Where sources lie in a folder of their own, they are looked for there as well.
    let here = walk.directory().map(str::to_owned);
    walk.code("python", &Text::known(code.as_str()), span, &[]);
    if let Some(here) = here {
        project::in_directory(walk, Some(&format!("{here}/src")), |walk| {
            walk.code("python", &Text::known(code), span, &[]);
        });
    }
}

/// The tables that names lead to.
fn reached<'n>(node: &'n tree::Node, names: &[&str], found: &mut Vec<&'n tree::Node>) {
    match names.split_first() {
        None => found.push(node),
        Some((&"*", rest)) => node.entries().for_each(|(_, node)| reached(node, rest, found)),
        Some((name, rest)) => {
            if let Some(node) = node.get(name) {
                reached(node, rest, found);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::environments;

    #[test]
    fn lists_of_environments_are_written_out() {
        let mut found = environments("lint, py3{10,11}-{a,b}\n  # release\n  docs").unwrap();
        found.sort();
        assert_eq!(found, ["docs", "lint", "py310-a", "py310-b", "py311-a", "py311-b"]);
        assert_eq!(environments("py{310"), Some(Vec::new()));
        assert_eq!(environments("{[base]envs:x}"), None);
    }
}
