//! Targets of an `nx` workspace: their commands, those of the projects that they depend on, and plugins of the workspace's own, which are loaded with every
//! command (nx.dev, "Project Configuration", "nx.json", "nx:run-commands").

use portcullis_syntax::Span;

use super::super::{project, tree};
use crate::{
    bound::Bounded,
    programs::{found::directory_of, host::Host},
};

/// How many projects of a workspace are read.
const PROJECTS: usize = 32;

/// Says what targets run: `operands` name the project, `web:build` or `build web`.
pub(super) fn follow(walk: &mut dyn Host, names: &[String], operands: &[&str], span: Span) {
    let Some(root) = walk.directory().map(str::to_owned) else { return };
    walk.look(&format!("{root}/nx.json"));
    let mut defaults: Vec<String> = Vec::new();
    if let Some(file) = walk.look(&format!("{root}/nx.json")).file() {
        let tree = project::whole(walk, tree::json(&file.text));
        let Some(node) = tree.root() else { return };
        for plugin in node.get("plugins").map(tree::Node::items).unwrap_or_default() {
            let name = plugin.text().or_else(|| plugin.text_of("plugin")).unwrap_or_default();
            if name.starts_with('.') {
                let path = project::joined(&root, name);
                for path in [path.clone(), format!("{path}.js"), format!("{path}/index.js")] {
                    walk.load("javascript", &path, span);
                }
            }
        }
        for name in names {
            let depends = node.path(&["targetDefaults", name.as_str(), "dependsOn"]);
            defaults.extend(depends.map(tree::Node::words).unwrap_or_default());
        }
    }
    let paths = walk.in_project(|walk| {
        let found = project::below(walk, &root, 4, span, &|name| name == "project.json");
        found.iter().at_most(PROJECTS, walk, span).cloned().collect::<Vec<_>>()
    });
    for path in &paths {
        walk.look(path);
    }
    let asked: Vec<&str> = operands.iter().flat_map(|word| word.split(':')).collect();
    let mut depends = defaults;
    // A project that is asked for says what else is run before it.
    for is_asked_first in [true, false] {
        for path in &paths {
            let Some(file) = walk.look(path).file() else { continue };
            let tree = tree::json(&file.text);
            let Some(node) = tree.root() else { continue };
            let folder = directory_of(path).rsplit('/').next().unwrap_or_default();
            let is_asked = asked.contains(&node.text_of("name").unwrap_or(folder));
            if is_asked != is_asked_first {
                continue;
            }
            let mut open: Vec<String> = names.to_vec();
            if !is_asked {
                open.retain(|name| depends.iter().any(|it| it.trim_start_matches('^') == name));
                open.retain(|_| depends.iter().any(|it| it.starts_with('^')));
            }
            let mut seen: Vec<String> = Vec::new();
            walk.in_file(&file, "nx", span, |walk| {
                while let Some(name) = open.pop().filter(|_| seen.len() < PROJECTS) {
                    if seen.contains(&name) {
                        continue;
                    }
                    let Some(target) = node.path(&["targets", name.as_str()]) else { continue };
                    let own = target.get("dependsOn").map(tree::Node::words).unwrap_or_default();
                    open.extend(own.iter().filter(|it| !it.starts_with('^')).cloned());
                    depends.extend(own);
                    commands(walk, target, &root);
                    seen.push(name);
                }
            });
        }
    }
}

/// The commands of a target.
fn commands(walk: &mut dyn Host, target: &tree::Node, root: &str) {
    let options = target.get("options");
    let place = options.and_then(|it| it.text_of("cwd"));
    let place = place.map_or_else(|| root.to_owned(), |place| project::joined(root, place));
    let mut said: Vec<&tree::Node> = target.get("command").into_iter().collect();
    said.extend(options.and_then(|it| it.get("command")));
    for command in
        options.and_then(|it| it.get("commands")).map(tree::Node::each).unwrap_or_default()
    {
        said.push(command.get("command").unwrap_or(command));
    }
    project::in_directory(walk, Some(&place), |walk| {
        for command in said {
            if let Some(text) = command.text() {
                walk.shell(&crate::text::Text::known(text), command.span, &[], None);
            }
        }
    });
}
