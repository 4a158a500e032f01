//! `docker compose`: services as the command that starts the same container, so that one rule judges both (docs.docker.com, "Compose file
//! reference": privileged, volumes, pid, network_mode, cap_add, env_file, command, entrypoint).

use super::{Starter, dockerfile, dotenv, project, tree};
use crate::{
    effect::{Argument, GapReason},
    programs::found::{File, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
};

pub(super) static COMPOSE: Starter = Starter {
    programs: &["docker", "docker-compose", "podman", "podman-compose", "nerdctl"],
    start,
};

/// Where it looks for its file, in this order; the files for this machine come on top.
const NAMES: &[&str] = &[
    "compose.yaml",
    "compose.yml",
    "docker-compose.yaml",
    "docker-compose.yml",
    "compose.override.yaml",
    "compose.override.yml",
    "docker-compose.override.yaml",
    "docker-compose.override.yml",
];

/// How many files of one project are read.
const FILES: usize = 24;

/// Verbs that start containers.
const STARTING: &[&str] = &["create", "restart", "run", "start", "up", "watch"];

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let mut words = invocation.arguments.iter().map(|word| word.text.display());
    let is_stack = !invocation.program.ends_with("-compose")
        && match words.next().as_deref() {
            Some("compose") => false,
            Some("stack") => true,
            _ => return,
        };
    let mut files: Vec<String> = Vec::new();
    let mut environments: Vec<String> = Vec::new();
    let mut profiles: Vec<String> = Vec::new();
    let mut verb = None;
    let mut services: Vec<String> = Vec::new();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-f" | "--file" if verb.is_none() => files.extend(words.next()),
            // `docker stack deploy -c FILE` takes its file behind the verb.
            "-c" | "--compose-file" if is_stack => files.extend(words.next()),
            "--env-file" if verb.is_none() => environments.extend(words.next()),
            "--profile" => profiles.extend(words.next()),
            "-p" | "--project-name" | "--env-file" | "--project-directory" => {
                words.next();
            }
            "--dry-run" | "--help" => return,
            option if option.starts_with('-') => {
                files.extend(option.strip_prefix("--file=").map(str::to_owned));
                profiles.extend(option.strip_prefix("--profile=").map(str::to_owned));
                environments.extend(option.strip_prefix("--env-file=").map(str::to_owned));
            }
            _ if verb.is_none() => verb = Some(word),
            _ => services.push(word),
        }
    }
    let is_meant = |verb: &String| match is_stack {
        true => verb == "deploy" || verb == "up",
        false => verb == "build" || STARTING.contains(&verb.as_str()),
    };
    let Some(verb) = verb.filter(is_meant) else {
        return;
    };
    // docs.docker.com, "COMPOSE_PROFILES".
    let set = invocation.environment.iter().find(|(name, _)| name == "COMPOSE_PROFILES");
    let set = set.map(|it| it.1.clone()).or_else(|| walk.variable_set("COMPOSE_PROFILES"));
    profiles.extend(set.iter().flat_map(|it| it.known_prefix().split(',')).map(str::to_owned));
    let names: Vec<String> = match files.is_empty() {
        true => NAMES.iter().map(|name| (*name).to_owned()).collect(),
        false => files,
    };
    let mut names = names;
    let mut at = 0;
    while let Some(name) = names.get(at).cloned() {
        at += 1;
        let file = if matches!(name.as_str(), "-" | "/dev/stdin") {
            let input = invocation.input.as_ref();
            let Some(known) = input.and_then(Text::as_known) else {
                walk.gap(invocation.span, GapReason::UnknownCode);
                continue;
            };
            let here = walk.directory().unwrap_or_default();
            File { path: format!("{here}/-"), text: known.into(), whole: true, is_own: true }
        } else {
            let Some(path) = walk.target(&Text::known(name)).path else { continue };
            let Some(file) = walk.look(&path).file() else { continue };
            for other in others(&file) {
                if names.len() < FILES && !names.contains(&other) {
                    names.push(other);
                }
            }
            file
        };
        if environments.is_empty() && !is_stack {
            environments.push(".env".to_owned());
        }
        let root = directory_of(&file.path).to_owned();
        let variables = dotenv::of_files(walk, &root, &environments);
        walk.in_file(&file, "compose", invocation.span, |walk| {
            let tree = project::whole(walk, tree::yaml(&file.text));
            let active: Vec<&str> = variables
                .iter()
                .filter(|(name, _)| name.as_str() == "COMPOSE_PROFILES")
                .flat_map(|(_, value)| value.split(','))
                .chain(profiles.iter().map(String::as_str))
                .collect();
            for (name, service) in
                tree.root().and_then(|root| root.get("services")).iter().flat_map(|it| it.entries())
            {
                if is_left_out(name, service, &active, &services, &tree) {
                    continue;
                }
                // What has no image yet is built first.
                if let Some(build) = service.get("build") {
                    let build = dockerfile::of_node(build, &file.path, ["context", "dockerfile"]);
                    dockerfile::built(walk, &build, service.span);
                }
                if verb == "build" {
                    continue;
                }
                let mut words = container(service);
                if let Some(root) = tree.root() {
                    shown(root, service, &mut words);
                }
                for hook in ["post_start", "pre_stop"] {
                    for command in service.get(hook).iter().flat_map(|it| it.each()) {
                        let words = command.get("command").map(told).unwrap_or_default();
                        walk.in_container(|walk| {
                            walk.run(&project::arguments(&words, command.span), None)
                        });
                    }
                }
                let words: Vec<Argument> = words
                    .into_iter()
                    .map(|word| dotenv::filled(&word, &variables))
                    .map(|word| Argument { text: for_home(walk, &word), span: service.span })
                    .collect();
                walk.run(&words, None);
            }
            if tree.cut {
                let whole = portcullis_syntax::Span::new(0, file.text.len());
                walk.left_unread(whole);
            }
        });
    }
}

/// Whether a service has only profiles that are not active, nobody names it, and no other one needs it or is made from it (docs.docker.com, "Using
/// profiles").
fn is_left_out(
    name: &str,
    service: &tree::Node,
    active: &[&str],
    asked: &[String],
    tree: &tree::Tree,
) -> bool {
    let Some(profiles) = service.get("profiles").map(tree::Node::words) else { return false };
    let is_active = profiles.iter().any(|it| it.contains('$'))
        || active
            .iter()
            .any(|it| *it == "*" || it.contains('$') || profiles.iter().any(|own| own == it));
    if profiles.is_empty() || is_active || asked.iter().any(|it| it == name || it.contains('$')) {
        return false;
    }
    let services = tree.root().and_then(|root| root.get("services"));
    let mut others =
        services.iter().flat_map(|it| it.entries()).filter(|(other, _)| *other != name);
    !others.any(|(_, other)| {
        let needs = other.get("depends_on").into_iter().any(|it| {
            it.words().iter().any(|it| it == name) || it.entries().any(|(key, _)| key == name)
        });
        let extends = other.get("extends").is_some_and(|it| it.text_of("service") == Some(name));
        needs || extends
    })
}

/// Files of this machine that a service is shown as `configs` and `secrets` ("configs", "secrets" of the file).
fn shown(root: &tree::Node, service: &tree::Node, words: &mut Vec<String>) {
    for key in ["configs", "secrets"] {
        let known = root.get(key);
        for one in service.get(key).iter().flat_map(|it| it.each()) {
            let Some(name) = one.text().or_else(|| one.text_of("source")) else { continue };
            let file =
                known.and_then(|known| known.path(&[name, "file"])).and_then(tree::Node::text);
            if let Some(file) = file {
                let inside = one.text_of("target").unwrap_or(name);
                let at = words.len().min(2);
                let pair = ["-v".to_owned(), format!("{file}:/run/{key}/{inside}:ro")];
                words.splice(at..at, pair);
            }
        }
    }
}

/// The files that a file includes, and those that its services extend.
fn others(file: &File) -> Vec<String> {
    let tree = tree::yaml(&file.text);
    let Some(root) = tree.root() else { return Vec::new() };
    let included = root.get("include").map(tree::Node::each).unwrap_or_default();
    let included = included.iter().flat_map(|one| {
        let path = if one.text().is_some() { Some(one) } else { one.get("path") };
        path.into_iter().flat_map(tree::Node::each).filter_map(tree::Node::text)
    });
    let services = root.get("services").into_iter().flat_map(tree::Node::entries);
    let extended = services.filter_map(|(_, it)| it.path(&["extends", "file"])?.text());
    let directory = directory_of(&file.path);
    included.chain(extended).map(|name| project::joined(directory, name)).collect()
}

/// `~` and `$HOME` as they are put in.
fn for_home(walk: &dyn Host, word: &str) -> Text {
    let Some(home) = walk.facts().home.as_deref() else { return Text::known(word) };
    let word = word.replace("${HOME}", home).replace("$HOME", home);
    match word.strip_prefix("~/") {
        Some(rest) => Text::known(format!("{home}/{rest}")),
        None if word == "~" => Text::known(home),
        None => match word.strip_prefix("~:") {
            Some(rest) => Text::known(format!("{home}:{rest}")),
            None => Text::known(word),
        },
    }
}

/// The command that starts the container of a service.
fn container(service: &tree::Node) -> Vec<String> {
    let mut words = vec!["docker".to_owned(), "run".to_owned()];
    let mut option = |name: &str, value: String| words.extend([name.to_owned(), value]);
    for (key, name) in [
        ("pid", "--pid"),
        ("ipc", "--ipc"),
        ("network_mode", "--network"),
        ("userns_mode", "--userns"),
        ("cap_add", "--cap-add"),
        ("security_opt", "--security-opt"),
        ("devices", "--device"),
        ("env_file", "--env-file"),
    ] {
        for value in service.get(key).iter().flat_map(|value| value.each()) {
            let text = value.text().or_else(|| value.text_of("path"));
            if let Some(text) = text {
                option(name, text.to_owned());
            }
        }
    }
    for volume in service.get("volumes").iter().flat_map(|value| value.each()) {
        let mounted = match (volume.text(), volume.text_of("source"), volume.text_of("target")) {
            (Some(text), ..) => text.to_owned(),
            (_, Some(source), Some(target)) => format!("{source}:{target}"),
            _ => continue,
        };
        option("-v", mounted);
    }
    if service.get("privileged").is_some_and(tree::Node::is_true) {
        words.push("--privileged".to_owned());
    }
    if let Some(entry) = service.get("entrypoint") {
        let shown = entry.text().map_or_else(|| entry.words().join(" "), str::to_owned);
        words.extend(["--entrypoint".to_owned(), shown]);
    }
    words.push(service.text_of("image").unwrap_or("image").to_owned());
    words.extend(service.get("command").map(told).unwrap_or_default());
    words
}

/// The words of a command, which is a list of them or a line.
fn told(node: &tree::Node) -> Vec<String> {
    node.text().map_or_else(|| node.words(), dockerfile::shell_words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_the_command_that_starts_it() {
        let text = "image: alpine\nprivileged: true\npid: host\nvolumes:\n  - /:/host\n  - type: bind\n    source: ~/.ssh\n    target: /k\ncap_add: [SYS_ADMIN]\n";
        let tree = tree::yaml(text);
        assert_eq!(
            container(tree.root().unwrap()).join(" "),
            "docker run --pid host --cap-add SYS_ADMIN -v /:/host -v ~/.ssh:/k --privileged alpine"
        );
    }
}
