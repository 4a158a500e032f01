//! `task` (taskfile.dev): which tasks of a Taskfile the words on the command line start, and what they run.

use std::collections::BTreeMap;

use portcullis_syntax::Span;

use super::{Starter, project, template, tree};
use crate::{
    programs::found::{File, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
};

pub(super) static TASK: Starter = Starter { programs: &["go-task", "task"], start: task };

/// How many tasks start each other.
const WITHIN: usize = 64;

/// How many files include each other.
const INCLUDED: usize = 8;

/// What values of templates are, as far as the file or the command line say it; every other one is a variable of the shell, since that
/// is where it may come from.
#[derive(Clone, Debug, Default)]
struct Variables {
    known: BTreeMap<String, String>,
    /// What the command line sets no file changes.
    given: Vec<String>,
}

impl Variables {
    fn given(words: &[&str]) -> Variables {
        let given = words.iter().filter_map(|word| word.split_once('='));
        let known: BTreeMap<String, String> =
            given.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Variables { given: known.keys().cloned().collect(), known }
    }

    /// `text` with what it takes from here: `{{.NAME}}`, and the words in quotes of `{{.NAME | default "…"}}` where nothing sets it.
    fn filled(&self, text: &str) -> String {
        template::filled(text, "{{", "}}", |place| {
            let name = place.split([' ', '|', '(', ')']).find_map(|word| word.strip_prefix('.'));
            let known = name.and_then(|name| self.known.get(name).cloned());
            known.or_else(|| preset(place)).unwrap_or_else(|| {
                template::variable("", name.unwrap_or(place).trim_start_matches('.'))
            })
        })
    }

    fn set(&mut self, name: &str, value: Option<String>) {
        if self.given.iter().any(|given| given == name) {
            return;
        }
        match value {
            Some(value) => self.known.insert(name.to_owned(), value),
            None => self.known.remove(name),
        };
    }
}

/// What `default "…"` in a template gives.
fn preset(place: &str) -> Option<String> {
    let (_, after) = place.split_once("default")?;
    let after = after.trim_start();
    let quote = after.chars().next().filter(|it| matches!(it, '"' | '\'' | '`'))?;
    after.get(1..)?.split_once(quote).map(|(value, _)| value.to_owned())
}

fn task(walk: &mut dyn Host, invocation: &Invocation) {
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
    let operands = project::operands(&words, &values);
    let (given, asked): (Vec<&str>, Vec<&str>) =
        operands.into_iter().partition(|word| word.contains('='));
    let mut variables = Variables::given(&given);
    // What follows `--` is handed to every task under this name.
    if let Some(at) = words.iter().position(|word| word == "--") {
        variables.set("CLI_ARGS", words.get(at + 1..).map(|words| words.join(" ")));
    }
    let asked: Vec<String> = asked.into_iter().map(str::to_owned).collect();
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
            let asked = Asked { tasks: asked, space: String::new(), depth: 0 };
            taskfile(walk, &file, &asked, &variables, invocation.span);
        }
    });
}

/// What is wanted of a file.
struct Asked {
    tasks: Vec<String>,
    /// What the names of its tasks begin with where they are named from outside.
    space: String,
    depth: usize,
}

/// A file that another one includes.
struct Include {
    path: String,
    space: String,
    variables: Variables,
}

fn taskfile(walk: &mut dyn Host, file: &File, asked: &Asked, variables: &Variables, span: Span) {
    let root = directory_of(&file.path).to_owned();
    let read = project::in_directory(walk, Some(&root), |walk| {
        walk.in_task(file, &asked.tasks.join(" "), "taskfile", span, |walk| {
            let tree = project::whole(walk, tree::yaml(&file.text));
            let Some(node) = tree.root() else { return (Vec::new(), Vec::new()) };
            let mut variables = variables.clone();
            set_variables(walk, node, &mut variables);
            let names = asked.tasks.iter().rev();
            let mut open: Vec<(String, Variables)> = names
                .map(|name| name.strip_prefix(asked.space.as_str()).unwrap_or(name).to_owned())
                .map(|name| (name, variables.clone()))
                .collect();
            let mut seen: Vec<(String, Variables)> = Vec::new();
            while let Some((name, variables)) = open.pop() {
                if seen.iter().any(|(other, with)| *other == name && with.known == variables.known)
                {
                    continue;
                }
                if seen.len() >= WITHIN {
                    walk.left_unread(span);
                    break;
                }
                if let Some(task) = node.get("tasks").and_then(|tasks| task_named(tasks, &name)) {
                    open.extend(one_task(walk, task, &variables));
                }
                seen.push((name, variables));
            }
            let includes = node.get("includes").into_iter().flat_map(|it| it.entries());
            let includes = includes.filter_map(|(name, include)| {
                let mut variables = variables.clone();
                set_variables(walk, include, &mut variables);
                let is_flat = include.get("flatten").is_some();
                Some(Include {
                    path: include.text().or_else(|| include.text_of("taskfile"))?.to_owned(),
                    space: if is_flat { String::new() } else { format!("{name}:") },
                    variables,
                })
            });
            (includes.collect(), seen.into_iter().map(|(name, _)| name).collect())
        })
    });
    let (includes, seen): (Vec<Include>, Vec<String>) = read.unwrap_or_default();
    for include in includes {
        let path = project::joined(&root, &include.path);
        let is_file = path.ends_with(".yml") || path.ends_with(".yaml");
        let candidates = if is_file {
            vec![path]
        } else {
            ["Taskfile.yml", "Taskfile.yaml"].iter().map(|it| format!("{path}/{it}")).collect()
        };
        let tasks: Vec<String> =
            seen.iter().filter(|task| task.starts_with(&include.space)).cloned().collect();
        let Some(inner) = candidates.iter().find_map(|path| walk.look(path).file()) else {
            continue;
        };
        if asked.depth >= INCLUDED {
            walk.left_unread(span);
            break;
        }
        let asked = Asked { tasks, space: include.space, depth: asked.depth + 1 };
        taskfile(walk, &inner, &asked, &include.variables, span);
    }
}

/// Sets what a file, a task or a call of one sets; a value with `sh` is what a command prints, which runs before anything else.
fn set_variables(walk: &mut dyn Host, node: &tree::Node, variables: &mut Variables) {
    for key in ["vars", "env"] {
        for (name, value) in node.get(key).iter().flat_map(|it| it.entries()) {
            let code = value.get("sh").and_then(|code| Some((code.text()?, code.span)));
            let text = match code {
                Some((code, span)) => {
                    let code = variables.filled(code);
                    let printed = walk.shell(&Text::known(code), span, &[], None);
                    walk.environment_of(name, &printed, span);
                    None
                }
                None => value.text().map(|text| variables.filled(text)),
            };
            match (&text, key) {
                (Some(text), "env") => {
                    walk.environment_of(name, &Text::known(text.as_str()), value.span)
                }
                _ => variables.set(name, text),
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

/// Says what a task runs; gives the tasks that it starts, each with what is set for it.
fn one_task(
    walk: &mut dyn Host,
    task: &tree::Node,
    variables: &Variables,
) -> Vec<(String, Variables)> {
    let mut others = Vec::new();
    let outer = variables;
    let mut variables = outer.clone();
    set_variables(walk, task, &mut variables);
    let started = |walk: &mut dyn Host, node: &tree::Node| {
        let name = variables.filled(node.text().or_else(|| node.text_of("task"))?);
        let mut given = outer.clone();
        set_variables(walk, node, &mut given);
        Some((name, given))
    };
    for need in task.get("deps").map(tree::Node::items).unwrap_or_default() {
        others.extend(started(walk, need));
    }
    let directory = task.text_of("dir").map(|directory| variables.filled(directory));
    let directory = directory.as_deref().filter(|it| !it.contains('$'));
    let run = |walk: &mut dyn Host, code: &tree::Node| {
        if let Some(text) = code.text() {
            walk.shell(&Text::known(variables.filled(text)), code.span, &[], None);
        }
    };
    project::in_directory(walk, directory, |walk| {
        for key in ["status", "preconditions", "cmds", "cmd"] {
            for command in task.get(key).iter().flat_map(|it| it.each()) {
                if command.text().is_some() {
                    run(walk, command);
                    continue;
                }
                for key in ["cmd", "sh", "defer"] {
                    command.get(key).iter().for_each(|code| run(walk, code));
                }
                let called = command.get("defer").filter(|it| it.text().is_none());
                let called = called.unwrap_or(command);
                if called.get("task").is_some() {
                    others.extend(started(walk, called));
                }
            }
        }
        // A task that is a command, or a list of them, alone.
        if task.text().is_some() || !task.items().is_empty() {
            task.each().iter().for_each(|command| run(walk, command));
        }
    });
    others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_templates_are_what_somebody_set() {
        let mut variables = Variables::given(&["A=one", "B=two words"]);
        variables.set("A", Some("other".to_owned()));
        variables.set("C", Some("three".to_owned()));
        for (text, expected) in [
            ("a {{.A}} {{ .C }}", "a one three"),
            ("{{.X}} {{ .Y | quote }}", "${X} ${Y}"),
            ("{{.B | upper}}", "two words"),
            ("{{.Z | default \"rm x\"}} {{default 'y' .Z}}", "rm x y"),
            ("{{.A | default \"rm x\"}}", "one"),
        ] {
            assert_eq!(variables.filled(text), expected, "{text}");
        }
    }
}
