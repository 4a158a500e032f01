//! Programs that run targets of a workspace of JavaScript's projects, or what hooks of a repository say. Owns where those stand.

use portcullis_syntax::Span;

use super::super::{
    project,
    spawned::{self, Call, Given},
    tree,
};
use crate::{
    bound::Bounded as _,
    programs::{
        found::{Found, directory_of},
        host::Host,
        invocation::Invocation,
    },
};

/// Programs that start scripts of the package by name.
pub(super) fn runner(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let operands = project::operands(
        &words,
        &[
            "-n",
            "--names",
            "-c",
            "--prefix-colors",
            "--filter",
            "--scope",
            "-t",
            "--target",
            "-p",
            "--projects",
        ],
    );
    let span = invocation.span;
    let names: Vec<String> = match invocation.program.as_str() {
        "npm-run-all" | "run-s" | "run-p" => {
            operands.iter().map(|name| (*name).to_owned()).collect()
        }
        "concurrently" => operands
            .iter()
            .filter_map(|word| {
                word.strip_prefix("npm:")
                    .or_else(|| word.strip_prefix("pnpm:"))
                    .or_else(|| word.strip_prefix("yarn:"))
            })
            .map(str::to_owned)
            .collect(),
        "lerna" | "turbo" | "wsrun" => operands
            .iter()
            .skip_while(|word| matches!(**word, "run"))
            .map(|name| (*name).to_owned())
            .collect(),
        "nx" => targets(&words, &operands),
        _ => Vec::new(),
    };
    if invocation.program == "concurrently" {
        for word in operands.iter().filter(|word| word.contains(' ')) {
            walk.shell(&crate::text::Text::known(*word), span, &[], None);
        }
    }
    if invocation.program == "nodemon"
        && let Some(code) = project::option(&words, &["--exec", "-x"])
    {
        walk.shell(&crate::text::Text::known(code), span, &[], None);
    }
    if invocation.program == "lint-staged" {
        staged(walk, span);
        given_by_functions(walk, span);
    }
    // turborepo.com, "--dry / --dry-run": the tasks are only told.
    let is_dry = |word: &String| {
        word == "--dry" || word.starts_with("--dry-run") || word.starts_with("--dry=")
    };
    if names.is_empty() || invocation.program == "turbo" && words.iter().any(is_dry) {
        return;
    }
    if invocation.program == "nx" {
        super::workspace::follow(walk, &names, &operands, span);
    }
    let names = match invocation.program.as_str() {
        "turbo" => depended(walk, names),
        _ => names,
    };
    if matches!(invocation.program.as_str(), "lerna" | "nx" | "turbo" | "wsrun") {
        for name in &names {
            let line = ["npm", "run", name.as_str(), "--workspaces"];
            walk.run(&project::arguments(&line, span), None);
        }
        return;
    }
    let Some(root) = walk.directory().map(str::to_owned) else { return };
    let Some(file) = walk.look(&format!("{root}/package.json")).file() else { return };
    let tree = project::whole(walk, tree::json(&file.text));
    let Some(scripts) = tree.root().and_then(|root| root.get("scripts")) else { return };
    let mut asked: Vec<String> = Vec::new();
    for name in &names {
        let name = name.split_whitespace().next().unwrap_or_default();
        match name.split_once('*') {
            Some((before, _)) => asked.extend(
                scripts
                    .entries()
                    .map(|(name, _)| name)
                    .filter(|name| name.starts_with(before))
                    .map(str::to_owned),
            ),
            None => asked.push(name.to_owned()),
        }
    }
    for name in asked {
        walk.run(&project::arguments(&["npm", "run", name.as_str()], span), None);
    }
    let _ = directory_of(&file.path);
}

/// Tasks with those that they depend on (turborepo.com, "Configuring turbo.json", `dependsOn`, `with`).
fn depended(walk: &mut dyn Host, names: Vec<String>) -> Vec<String> {
    /// How many tasks depend on each other.
    const TASKS: usize = 64;
    let Some(file) = project::nearest(walk, &["turbo.json", "turbo.jsonc"]) else { return names };
    let tree = project::whole(walk, tree::json(&file.text));
    let Some(root) = tree.root() else { return names };
    let mut found: Vec<String> = Vec::new();
    let mut open = names;
    open.reverse();
    while let Some(name) = open.pop() {
        let plain = name.rsplit('#').next().unwrap_or(&name).trim_start_matches('^').to_owned();
        if found.contains(&plain) || name.starts_with('$') {
            continue;
        }
        if found.len() >= TASKS {
            walk.left_unread(Span::default());
            break;
        }
        for table in ["tasks", "pipeline"].iter().filter_map(|key| root.get(key)) {
            for (key, task) in table.entries() {
                if key.rsplit('#').next() == Some(plain.as_str()) {
                    for key in ["dependsOn", "with"] {
                        open.extend(task.get(key).map(tree::Node::words).unwrap_or_default());
                    }
                }
            }
        }
        found.push(plain);
    }
    found
}

/// What `nx` is asked for: `nx build app`, `nx run app:build`, `nx run-many -t build test` (nx.dev, "Nx Commands").
fn targets(words: &[String], operands: &[&str]) -> Vec<String> {
    let named = project::options(words, &["-t", "--target", "--targets"]);
    if !named.is_empty() {
        return named.iter().flat_map(|it| it.split(',')).map(str::to_owned).collect();
    }
    match operands {
        ["run", task, ..] => task.split(':').nth(1).map(str::to_owned).into_iter().collect(),
        ["run-many" | "affected" | "graph" | "reset" | "report" | "list" | "show", ..] | [] => {
            Vec::new()
        }
        [name, ..] => vec![(*name).to_owned()],
    }
}

/// Commands that functions of a `lint-staged.config.js` give: texts in quotes behind the patterns of files (github.com/lint-staged, "Using JS configuration
/// files").
fn given_by_functions(walk: &mut dyn Host, span: Span) {
    /// How many texts of one file are read.
    const TEXTS: usize = 64;
    let Some(root) = walk.directory().map(str::to_owned) else { return };
    let Found::Directory(there) = walk.look(&root) else { return };
    let names: Vec<&str> = ["js", "mjs", "cjs", "ts", "mts"]
        .iter()
        .flat_map(|end| {
            there.iter().map(String::as_str).filter(move |name| {
                name.strip_suffix(end)
                    .is_some_and(|it| matches!(it, "lint-staged.config." | ".lintstagedrc."))
            })
        })
        .collect();
    for file in project::all_in(walk, &root, &names) {
        let calls: &[Call] =
            &[("=>", Given::Commands), ("return", Given::Commands), (":", Given::Commands)];
        let mut starts = spawned::found(&file.text, calls);
        // A word alone is a name, a pattern or an option.
        starts.iter_mut().for_each(|it| it.words.retain(|word| word.contains(' ')));
        starts.retain(|start| !start.words.is_empty());
        starts.dedup_by(|one, other| one.words == other.words);
        walk.in_file(&file, "lint-staged", span, |walk| {
            for start in starts.iter().at_most(TEXTS, walk, span).collect::<Vec<_>>() {
                spawned::say(walk, start);
            }
        });
    }
}

/// `lint-staged` in a `package.json` or files of its own: commands that are run on what is committed.
fn staged(walk: &mut dyn Host, span: Span) {
    let Some(root) = walk.directory().map(str::to_owned) else { return };
    let files = project::all_in(
        walk,
        &root,
        &[
            "package.json",
            ".lintstagedrc",
            ".lintstagedrc.json",
            ".lintstagedrc.yaml",
            ".lintstagedrc.yml",
        ],
    );
    for file in files {
        walk.in_file(&file, "lint-staged", span, |walk| {
            let is_yaml = file.path.ends_with(".yaml")
                || file.path.ends_with(".yml")
                || file.path.ends_with("rc") && !file.text.trim_start().starts_with('{');
            let tree = if is_yaml {
                project::whole(walk, tree::yaml(&file.text))
            } else {
                project::whole(walk, tree::json(&file.text))
            };
            let Some(node) = tree.root() else { return };
            let own = if file.path.ends_with("/package.json") {
                node.get("lint-staged")
            } else {
                Some(node)
            };
            let mut open: Vec<&tree::Node> = own.into_iter().collect();
            while let Some(node) = open.pop() {
                for (_, value) in node.entries() {
                    open.push(value);
                    for command in value.each() {
                        if let Some(text) = command.text() {
                            walk.shell(&crate::text::Text::known(text), command.span, &[], None);
                        }
                    }
                }
            }
        });
    }
}
