//! `devcontainer.json`: what is run on this machine before a container for development is made, what the container gets of this machine,
//! and what runs in it (containers.dev, "Dev Container metadata reference").

use super::{Starter, dockerfile, project, tree};
use crate::{
    programs::found::{File, Found, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
};

pub(super) static DEVCONTAINER: Starter = Starter { programs: &["devcontainer", "devpod"], start };

/// Commands in the container, in the order in which they run.
const INSIDE: &[&str] = &[
    "onCreateCommand",
    "updateContentCommand",
    "postCreateCommand",
    "postStartCommand",
    "postAttachCommand",
];

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let verbs = ["up", "build", "exec", "run-user-commands", "set-up", "open"];
    let Some(verb) = project::operands(&words, &["--workspace-folder", "--config", "--id-label"])
        .first()
        .copied()
    else {
        return;
    };
    if !verbs.contains(&verb) || project::has(&words, &["--help"]) {
        return;
    }
    let folder = project::option(&words, &["--workspace-folder"]).map(str::to_owned);
    project::in_directory(walk, folder.as_deref(), |walk| {
        let Some(root) = walk.directory().map(str::to_owned) else { return };
        let named = project::option(&words, &["--config"]);
        let file = match named.and_then(|name| walk.target(&Text::known(name)).path) {
            Some(path) => walk.look(&path).file(),
            None => found(walk, &root),
        };
        if let Some(file) = file {
            walk.in_file(&file, "devcontainer", invocation.span, |walk| {
                follow(walk, &file, &root, verb)
            });
        }
    });
}

fn found(walk: &mut dyn Host, root: &str) -> Option<File> {
    let usual =
        project::first_in(walk, root, &[".devcontainer/devcontainer.json", ".devcontainer.json"]);
    if usual.is_some() {
        return usual;
    }
    // One folder for each of several.
    let folder = format!("{root}/.devcontainer");
    let Found::Directory(names) = walk.look(&folder) else { return None };
    let first = names.iter().find(|name| name.ends_with('/'))?;
    walk.look(&format!("{folder}/{first}devcontainer.json")).file()
}

fn follow(walk: &mut dyn Host, file: &File, root: &str, verb: &str) {
    let tree = project::whole(walk, tree::json(&file.text));
    let Some(node) = tree.root() else { return };
    if let Some(command) = node.get("initializeCommand") {
        project::in_directory(walk, Some(root), |walk| run(walk, command, root));
    }
    let words = container(node).iter().map(|word| filled(walk, word, root)).collect::<Vec<_>>();
    walk.run(
        &project::arguments(
            &words,
            node.get("runArgs").or_else(|| node.get("mounts")).map_or(node.span, |it| it.span),
        ),
        None,
    );
    let build = node.get("build").or_else(|| node.get("dockerFile").map(|_| node));
    if let Some(build) = build {
        let mut build = dockerfile::of_node(build, &file.path, ["context", "dockerfile"]);
        build.file = build.file.or_else(|| node.text_of("dockerFile").map(str::to_owned));
        build.file = build.file.map(|name| project::joined(directory_of(&file.path), &name));
        dockerfile::built(walk, &build, node.span);
    }
    for name in
        node.get("dockerComposeFile").iter().flat_map(|it| it.each()).filter_map(tree::Node::text)
    {
        let path = crate::paths::normal(&project::joined(directory_of(&file.path), name));
        let words = ["docker", "compose", "-f", path.as_str(), "up"];
        walk.run(&project::arguments(&words, node.span), None);
    }
    if verb == "build" {
        return;
    }
    let commands: Vec<&tree::Node> = INSIDE.iter().filter_map(|key| node.get(key)).collect();
    inside(walk, node, root, &commands);
}

/// Commands in the container, which has the project and what is mounted.
fn inside(walk: &mut dyn Host, node: &tree::Node, root: &str, commands: &[&tree::Node]) {
    let name = root.rsplit('/').next().unwrap_or_default();
    let folder = node
        .text_of("workspaceFolder")
        .map_or_else(|| format!("/workspaces/{name}"), str::to_owned);
    let mounts: Vec<(String, String)> = mounted(node)
        .into_iter()
        .filter_map(|(source, target)| {
            let source = filled(walk, &source, root);
            source.starts_with('/').then_some((source, target))
        })
        .collect();
    walk.in_container(|walk| {
        walk.shows(&folder, root);
        for (source, target) in &mounts {
            walk.shows(target, source);
        }
        walk.go_to(Some(folder.clone()));
        for command in commands {
            run(walk, command, &folder);
        }
    });
}

/// A command as a text, as words, or several that run beside each other.
fn run(walk: &mut dyn Host, command: &tree::Node, folder: &str) {
    match &command.value {
        tree::Value::Scalar(text) => {
            let text = filled(walk, text, folder);
            walk.shell(&Text::known(text), command.span, &[], None);
        }
        tree::Value::List(_) => {
            let words = command.words();
            walk.run(&project::arguments(&words, command.span), None);
        }
        tree::Value::Map(entries) => entries.iter().for_each(|(_, command)| {
            if !matches!(command.value, tree::Value::Map(_)) {
                run(walk, command, folder);
            }
        }),
        tree::Value::Null => {}
    }
}

/// `${localEnv:HOME}` and the like.
fn filled(walk: &dyn Host, text: &str, root: &str) -> String {
    let home = walk.facts().home.as_deref().unwrap_or("/root");
    let name = root.rsplit('/').next().unwrap_or_default();
    text.replace("${localEnv:HOME}", home)
        .replace("${env:HOME}", home)
        .replace("${localEnv:HOME}${localEnv:USERPROFILE}", home)
        .replace("${localEnv:USERPROFILE}", "")
        .replace("${localWorkspaceFolder}", root)
        .replace("${containerWorkspaceFolder}", root)
        .replace("${localWorkspaceFolderBasename}", name)
        .replace("${containerWorkspaceFolderBasename}", name)
}

/// The sources and targets of what is mounted.
fn mounted(node: &tree::Node) -> Vec<(String, String)> {
    let pair = |mount: &tree::Node| {
        if let Some(text) = mount.text() {
            let part = |keys: &[&str]| {
                text.split(',')
                    .find_map(|part| {
                        part.split_once('=').filter(|(key, _)| keys.contains(&key.trim()))
                    })
                    .map(|it| it.1.to_owned())
            };
            return Some((part(&["source", "src"])?, part(&["target", "dst", "destination"])?));
        }
        Some((mount.text_of("source")?.to_owned(), mount.text_of("target")?.to_owned()))
    };
    let mounts = node.get("mounts").map(tree::Node::items).unwrap_or_default();
    mounts.iter().filter_map(pair).collect()
}

/// The command that makes the container.
fn container(node: &tree::Node) -> Vec<String> {
    let mut words = vec!["docker".to_owned(), "run".to_owned()];
    words.extend(node.get("runArgs").map(tree::Node::words).unwrap_or_default());
    for mount in node.get("mounts").map(tree::Node::items).unwrap_or_default() {
        let text = match mount.text() {
            Some(text) => text.to_owned(),
            None => {
                let parts = mount
                    .entries()
                    .filter_map(|(key, value)| Some(format!("{key}={}", value.text()?)));
                parts.collect::<Vec<_>>().join(",")
            }
        };
        words.extend(["--mount".to_owned(), text]);
    }
    if node.get("privileged").is_some_and(tree::Node::is_true) {
        words.push("--privileged".to_owned());
    }
    for (key, option) in [("capAdd", "--cap-add"), ("securityOpt", "--security-opt")] {
        for value in node.get(key).map(tree::Node::words).unwrap_or_default() {
            words.extend([option.to_owned(), value]);
        }
    }
    words.push(node.text_of("image").unwrap_or("image").to_owned());
    words
}

#[cfg(test)]
mod tests {
    use portcullis_syntax::Span;

    use super::*;

    #[test]
    fn a_container_for_development_is_the_command_that_makes_it() {
        let text = "{ // c\n\"image\": \"a\", \"runArgs\": [\"--privileged\"], \"mounts\": [\"source=/s,target=/t,type=bind\", {\"type\":\"bind\",\"source\":\"/u\",\"target\":\"/v\"}], \"capAdd\": [\"SYS_PTRACE\"] }";
        let tree = tree::json(text);
        let node = tree.root().unwrap();
        assert_eq!(
            container(node).join(" "),
            "docker run --privileged --mount source=/s,target=/t,type=bind --mount type=bind,source=/u,target=/v --cap-add SYS_PTRACE a"
        );
        assert_eq!(mounted(node).len(), 2);
    }

    #[test]
    fn a_span_of_a_command_is_its_own() {
        let text = "{\"initializeCommand\": \"a b\"}";
        let tree = tree::json(text);
        assert_eq!(tree.root().unwrap().get("initializeCommand").unwrap().span, Span::new(22, 27));
    }
}
