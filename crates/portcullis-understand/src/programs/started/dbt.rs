//! dbt: statements that hooks of the project have the database run, before and behind everything else, and the macros that they call
//! (docs.getdbt.com, "on-run-start & on-run-end", "run-operation"). Owns which of them a verb runs; what a statement does is said by the rules on queries.

use portcullis_syntax::Span;

use super::{Starter, project, template, tree};
use crate::{
    bound::Bounded as _,
    effect::Certainty,
    programs::{
        found::{File, directory_of},
        host::{Host, Unread},
        invocation::Invocation,
    },
    text::Text,
};

pub(super) static DBT: Starter = Starter { programs: &["dbt", "dbtf"], start };

/// Verbs that ask the database.
const VERBS: &[&str] =
    &["build", "clone", "retry", "run", "run-operation", "seed", "snapshot", "test"];

/// How many files of macros are read.
const MACROS: usize = 32;

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--help", "-h", "--version"]) {
        return;
    }
    let operands = project::operands(
        &words,
        &[
            "--profiles-dir",
            "--target",
            "-t",
            "--select",
            "-s",
            "--args",
            "--vars",
            "--project-dir",
        ],
    );
    let Some(verb) = operands.first().filter(|word| VERBS.contains(word)) else { return };
    let named = project::option(&words, &["--project-dir"]).map(str::to_owned);
    let file = project::in_directory(walk, named.as_deref(), |walk| {
        project::nearest(walk, &["dbt_project.yml", "dbt_project.yaml"])
    });
    let Some(file) = file else { return };
    let root = directory_of(&file.path).to_owned();
    let mut called: Vec<String> = Vec::new();
    if *verb == "run-operation" {
        called.extend(operands.get(1).map(|name| (*name).to_owned()));
    }
    let mut folders: Vec<String> = Vec::new();
    walk.in_file(&file, "dbt", invocation.span, |walk| {
        let tree = project::whole(walk, tree::yaml(&file.text));
        let Some(node) = tree.root() else { return };
        folders = node.get("macro-paths").map(tree::Node::words).unwrap_or_default();
        let mut hooks: Vec<&tree::Node> = Vec::new();
        node.visit(&mut |inner| {
            for (key, value) in inner.entries() {
                let key = key.trim_start_matches('+').replace('_', "-");
                if matches!(key.as_str(), "on-run-start" | "on-run-end" | "pre-hook" | "post-hook")
                {
                    hooks.extend(value.each());
                }
            }
        });
        for hook in hooks {
            let Some(text) = hook.text().or_else(|| hook.text_of("sql")) else { continue };
            called.extend(calls(text));
            queried(walk, text, hook.span);
        }
    });
    if folders.is_empty() {
        folders.push("macros".to_owned());
    }
    let paths = walk.in_project(|walk| {
        let mut found = Vec::new();
        for folder in &folders {
            let folder = project::joined(&root, folder);
            found.extend(project::below(walk, &folder, 3, invocation.span, &|name| {
                name.ends_with(".sql")
            }));
        }
        found
            .iter()
            .at_most(MACROS, &mut Unread(walk), invocation.span)
            .cloned()
            .collect::<Vec<_>>()
    });
    for path in &paths {
        walk.look(path);
    }
    let files: Vec<File> = paths.iter().filter_map(|path| walk.look(path).file()).collect();
    let mut at = 0;
    while let Some(name) = called.get(at).cloned() {
        at += 1;
        for file in &files {
            for (body, span) in macros(&file.text, &name) {
                let more =
                    calls(&body).into_iter().filter(|it| !called.contains(it)).collect::<Vec<_>>();
                if called.len() + more.len() <= MACROS {
                    called.extend(more);
                } else {
                    walk.left_unread(invocation.span);
                }
                walk.in_file(file, "sql", invocation.span, |walk| queried(walk, &body, span));
            }
        }
    }
}

/// Says each statement of a text, what the template computes being a name.
fn queried(walk: &mut dyn Host, text: &str, span: Span) {
    let plain = template::filled(text, "{%", "%}", |_| String::new());
    let plain = template::filled(&plain, "{#", "#}", |_| String::new());
    let plain = template::filled(&plain, "{{", "}}", |_| "value".to_owned());
    if plain.trim().contains(' ') {
        walk.at_most(Certainty::Likely, |walk| {
            walk.query(&Text::known(plain.trim()), span);
        });
    }
}

/// The names that a template calls.
fn calls(text: &str) -> Vec<String> {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices('(')
        .filter_map(|(at, _)| {
            let before = text.get(..at)?.trim_end();
            let name = before.rsplit(|letter| !is_name(letter)).next()?;
            (!name.is_empty()).then(|| name.to_owned())
        })
        .collect()
}

/// The bodies of the macros of a name.
fn macros(text: &str, name: &str) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("macro ") {
        let rest = text.get(at + "macro ".len()..).unwrap_or_default();
        let head = rest.split('(').next().unwrap_or_default().trim();
        if head != name {
            continue;
        }
        let Some((_, body)) = rest.split_once("%}") else { continue };
        let end = body.find("endmacro").unwrap_or(body.len());
        let body = body.get(..end).unwrap_or(body);
        let body = body.rsplit_once("{%").map_or(body, |(before, _)| before);
        found.push((body.to_owned(), Span::new(at, at + "macro ".len() + head.len())));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{calls, macros};

    #[test]
    fn macros_are_found_by_the_hooks_that_call_them() {
        assert_eq!(calls("{{ audit_row() }}"), ["audit_row"]);
        let text = "{% macro audit_row() %}\n  drop schema x;\n{% endmacro %}\n{% macro b() %}y{% endmacro %}";
        let found = macros(text, "audit_row");
        assert_eq!(found.len(), 1);
        assert_eq!(found.first().unwrap().0.trim(), "drop schema x;");
    }
}
