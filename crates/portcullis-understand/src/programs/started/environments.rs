//! Task runners of Python: the commands of `tox`'s environments with the variables that they get (tox.wiki, "Configuration"), and the
//! tasks in a `pyproject.toml` (hatch.pypa.io, "Environment > Scripts"; pdm-project.org, "PDM Scripts"; poethepoet.natn.io, "Tasks").

use super::{Starter, project, tree};
use crate::{
    programs::escapes::put_in_by_tox, programs::host::Host, programs::invocation::Invocation,
    text::Text,
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
            for key in ["commands_pre", "commands", "commands_post"] {
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
    Starter { programs: &["hatch", "pdm", "poe", "uv"], start: task };

/// How many environments a list may come to.
const ENVIRONMENTS: usize = 512;

/// How many tasks run each other.
const TASKS_WITHIN: usize = 16;

/// Where a `pyproject.toml` has tasks; `*` stands for any name.
const TABLES: &[&[&str]] = &[
    &["tool", "hatch", "envs", "*", "scripts"],
    &["tool", "pdm", "scripts"],
    &["tool", "poe", "tasks"],
];

fn task(walk: &mut dyn Host, invocation: &Invocation) {
    let words: Vec<String> = invocation.arguments.iter().map(|word| word.text.display()).collect();
    let mut operands = words.iter().filter(|word| !word.starts_with('-')).peekable();
    let runs = invocation.program == "poe" || operands.next_if(|word| *word == "run").is_some();
    let Some(asked) = operands.next().filter(|_| runs) else { return };
    let Some(root) = walk.directory().map(str::to_owned) else { return };
    let Some(file) = walk.look(&format!("{root}/pyproject.toml")).file() else { return };
    walk.in_file(&file, "pyproject", invocation.span, |walk| {
        let tree = project::whole(walk, tree::toml(&file.text));
        let Some(root) = tree.root() else { return };
        let mut tables = Vec::new();
        for names in TABLES {
            reached(root, names, &mut tables);
        }
        let name = asked.rsplit(':').next().unwrap_or(asked);
        let mut open = vec![name.to_owned()];
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
                for command in ["cmd", "shell", "composite", "sequence", "script"]
                    .iter()
                    .filter_map(|key| node.get(key))
                    .chain(std::iter::once(node))
                {
                    for line in command.each() {
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
