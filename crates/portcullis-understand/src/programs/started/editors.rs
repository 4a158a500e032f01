//! Editors that run what a folder says when it is opened: tasks of VS Code and its kin with `runOn: folderOpen` (code.visualstudio.com, "Integrate with
//! External Tools via Tasks").

use super::{Starter, project, tree};
use crate::{
    effect::Certainty, programs::found::Found, programs::host::Host,
    programs::invocation::Invocation, text::Text,
};

pub(super) static EDITORS: Starter =
    Starter { programs: &["code", "code-insiders", "codium", "cursor", "windsurf"], start };

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let values =
        ["--user-data-dir", "--extensions-dir", "--profile", "-g", "--goto", "-d", "--diff"];
    let operands = project::operands(&words, &values);
    for operand in operands {
        let Some(root) = walk.target(&Text::known(operand)).path else { continue };
        if !matches!(walk.look(&root), Found::Directory(_)) {
            continue;
        }
        let Some(file) = walk.look(&format!("{root}/.vscode/tasks.json")).file() else { continue };
        project::in_directory(walk, Some(&root), |walk| {
            walk.in_file(&file, "tasks.json", invocation.span, |walk| {
                let tree = project::whole(walk, tree::json(&file.text));
                let tasks = tree.root().and_then(|root| root.get("tasks"));
                for task in tasks.map(tree::Node::items).unwrap_or_default() {
                    let is_opened = task
                        .path(&["runOptions", "runOn"])
                        .and_then(tree::Node::text)
                        .is_some_and(|it| it == "folderOpen");
                    if is_opened {
                        one(walk, task, &root);
                    }
                }
            });
        });
    }
}

/// A task: its command with its words.
fn one(walk: &mut dyn Host, task: &tree::Node, root: &str) {
    for node in std::iter::once(task).chain(["linux", "osx"].iter().filter_map(|it| task.get(it))) {
        let Some(command) = node.get("command") else { continue };
        let Some(text) = command.text() else { continue };
        let mut code = text.to_owned();
        for word in node.get("args").map(tree::Node::words).unwrap_or_default() {
            code.push(' ');
            code.push_str(&super::quoted(&word));
        }
        let code = code.replace("${workspaceFolder}", root);
        walk.at_most(Certainty::Likely, |walk| {
            walk.shell(&Text::known(code), command.span, &[], None)
        });
    }
}
