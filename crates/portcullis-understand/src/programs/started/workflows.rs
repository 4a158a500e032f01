//! Workflows of GitHub's form, run at hand by `act`: steps in containers, with the secrets that they get (docs.github.com, "Workflow syntax for
//! GitHub Actions", "Metadata syntax"; nektosact.com). Owns which jobs are meant, and the actions of the project that they use.

use super::{Starter, project, tree};
use crate::{
    bound::Bounded,
    effect::Argument,
    programs::Options,
    programs::escapes::words_of,
    programs::found::{File, Found},
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
};

pub(super) static ACT: Starter = Starter { programs: &["act"], start };

/// Options of `act` that take a value.
const VALUES: &[&str] = &[
    "--actor",
    "--artifact-server-path",
    "--container-architecture",
    "--container-options",
    "--cache-server-path",
    "--defaultbranch",
    "--directory",
    "--env",
    "--env-file",
    "--eventpath",
    "--input",
    "--input-file",
    "--job",
    "--matrix",
    "--platform",
    "--secret",
    "--secret-file",
    "--var",
    "--var-file",
    "--workflows",
    "-C",
    "-P",
    "-W",
    "-a",
    "-e",
    "-j",
    "-s",
];

/// How many workflows of one folder are read.
const WORKFLOWS: usize = 24;

/// How deep actions use each other.
const NESTED: usize = 4;

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    // nektosact.com, "Configuration file": its lines stand before the words of the command.
    let place = project::option(&project::words(invocation), &["-C", "--directory"])
        .map_or(".", |it| it)
        .to_owned();
    let configured = walk.target(&Text::known(format!("{place}/.actrc"))).path;
    let configured = configured.and_then(|path| walk.look(&path).file());
    let mut own = Vec::new();
    for line in configured.iter().flat_map(|file| file.text.lines()) {
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') {
            own.extend(words_of(&Text::known(line), invocation.span));
        }
    }
    own.extend(invocation.arguments.iter().cloned());
    acted(walk, &Invocation { arguments: own.into(), ..invocation.clone() });
}

fn acted(walk: &mut dyn Host, invocation: &Invocation) {
    // What the containers get besides is said as to `docker run`.
    for given in Options::new(&invocation.arguments, VALUES).values_of(&["--container-options"]) {
        let word = |text: &str| Argument { text: Text::known(text), span: given.span };
        let mut run = vec![word("docker"), word("run")];
        run.extend(words_of(&given.text, given.span));
        run.push(word("node:20"));
        walk.run(&run, None);
    }
    let words = project::words(invocation);
    let tells = [
        "-l",
        "--list",
        "-g",
        "--graph",
        "-n",
        "--dryrun",
        "--help",
        "-h",
        "--version",
        "--bug-report",
        "--validate",
    ];
    if project::has(&words, &tells) {
        return;
    }
    let directory = project::option(&words, &["-C", "--directory"]).map(str::to_owned);
    project::in_directory(walk, directory.as_deref(), |walk| {
        let named = project::option(&words, &["-W", "--workflows"]).unwrap_or(".github/workflows");
        let Some(path) = walk.target(&Text::known(named)).path else { return };
        let jobs = project::options(&words, &["-j", "--job"]);
        let event = project::operands(&words, VALUES).first().copied();
        // "Runners": a platform that is this machine itself.
        let hosts: Vec<&str> = project::options(&words, &["-P", "--platform"])
            .into_iter()
            .filter_map(|platform| platform.strip_suffix("=-self-hosted"))
            .collect();
        let files: Vec<File> = match walk.look(&path) {
            Found::File(file) => vec![file],
            Found::Directory(names) => {
                let is_workflow =
                    |name: &&String| name.ends_with(".yml") || name.ends_with(".yaml");
                let names =
                    names.iter().filter(is_workflow).at_most(WORKFLOWS, walk, invocation.span);
                let paths: Vec<String> = names.map(|name| project::joined(&path, name)).collect();
                let found: Vec<Option<File>> =
                    paths.iter().map(|path| walk.look(path).file()).collect();
                found.into_iter().flatten().collect()
            }
            _ => Vec::new(),
        };
        for file in files {
            walk.in_file(&file, "workflow", invocation.span, |walk| {
                follow(walk, &file, &jobs, event, &hosts)
            });
        }
    });
}

fn follow(walk: &mut dyn Host, file: &File, jobs: &[&str], event: Option<&str>, hosts: &[&str]) {
    let Some(root) = walk.directory().map(str::to_owned) else { return };
    let tree = project::whole(walk, tree::yaml(&file.text));
    let Some(node) = tree.root() else { return };
    if let Some(event) = event.filter(|_| jobs.is_empty())
        && !starts_on(node, event)
    {
        return;
    }
    for (name, job) in node.get("jobs").iter().flat_map(|it| it.entries()) {
        if !jobs.is_empty() && !jobs.contains(&name) {
            continue;
        }
        let runners = job.get("runs-on").map(tree::Node::each).unwrap_or_default();
        if runners.iter().filter_map(|it| it.text()).any(|name| hosts.contains(&name)) {
            walk.with_environment(|walk| {
                walk.go_to(Some(root.clone()));
                environment(walk, node);
                environment(walk, job);
                steps(walk, job, &root, 0);
            });
            continue;
        }
        walk.in_container(|walk| {
            walk.go_to(Some(root.clone()));
            environment(walk, node);
            environment(walk, job);
            if let Some(container) = job.get("container") {
                let words = container
                    .get("options")
                    .and_then(tree::Node::text)
                    .unwrap_or_default()
                    .split_whitespace();
                let mut line = vec!["docker", "run"];
                line.extend(words);
                for volume in container.get("volumes").map(tree::Node::items).unwrap_or_default() {
                    line.extend(["-v", volume.text().unwrap_or_default()]);
                }
                line.push(
                    container.text().or_else(|| container.text_of("image")).unwrap_or("image"),
                );
                walk.run(&project::arguments(&line, container.span), None);
            }
            steps(walk, job, &root, 0);
        });
    }
}

/// Whether an event starts a workflow: `on: push`, `on: [push]`, `on: {push: …}`; what stands otherwise may start by any.
fn starts_on(node: &tree::Node, event: &str) -> bool {
    // `on` without quotes is a word for yes in old YAML.
    let Some(on) = node.get("on").or_else(|| node.get("true")) else { return true };
    match &on.value {
        tree::Value::Scalar(name) => name == event,
        tree::Value::List(_) => on.words().iter().any(|name| name == event),
        tree::Value::Map(_) => {
            on.get(event).is_some() || on.entries().any(|(name, _)| name == event)
        }
        tree::Value::Null => true,
    }
}

fn environment(walk: &mut dyn Host, node: &tree::Node) {
    for (name, value) in node.get("env").iter().flat_map(|it| it.entries()) {
        let Some(text) = value.text() else { continue };
        if text.contains("${{") {
            continue;
        }
        walk.environment_of(name, &Text::known(text), value.span);
    }
}

/// The steps of a job or of an action of the project.
fn steps(walk: &mut dyn Host, node: &tree::Node, root: &str, depth: usize) {
    for step in node.get("steps").map(tree::Node::items).unwrap_or_default() {
        environment(walk, step);
        if let Some(run) = step.get("run")
            && let Some(code) = run.text()
        {
            let language =
                match step.text_of("shell").and_then(|shell| shell.split_whitespace().next()) {
                    Some("python" | "python3") => "python",
                    Some("pwsh" | "powershell") => "powershell",
                    Some("node") => "javascript",
                    _ => "shell",
                };
            let code = Text::known(expressions(code));
            let directory =
                step.text_of("working-directory").filter(|directory| !directory.contains("${{"));
            project::in_directory(walk, directory, |walk| {
                walk.code(language, &code, run.span, &[])
            });
        }
        let Some(uses) = step.get("uses") else { continue };
        let Some(action) = uses.text() else { continue };
        if let Some(image) = action.strip_prefix("docker://") {
            walk.run(&project::arguments(&["docker", "run", image], uses.span), None);
        }
        let Some(folder) = action.strip_prefix("./") else { continue };
        let folder = project::joined(root, folder);
        let Some(file) = project::first_in(walk, &folder, &["action.yml", "action.yaml"]) else {
            continue;
        };
        if depth >= NESTED {
            walk.left_unread(uses.span);
            continue;
        }
        walk.in_file(&file, "action", uses.span, |walk| {
            let tree = project::whole(walk, tree::yaml(&file.text));
            let Some(runs) = tree.root().and_then(|root| root.get("runs")) else { return };
            steps(walk, runs, root, depth + 1);
            for key in ["pre", "main", "post"] {
                if let Some(script) = runs.get(key)
                    && let Some(name) = script.text()
                {
                    walk.run_file(
                        "javascript",
                        &project::joined(&folder, name),
                        script.span,
                        &[],
                        None,
                    );
                }
            }
        });
    }
}

/// `${{ … }}` as the shell sees what is put in: a secret as a variable that holds one, all of them as everything that is set.
fn expressions(code: &str) -> String {
    let mut filled = String::with_capacity(code.len());
    let mut rest = code;
    let mut is_quoted = false;
    let mut is_double = false;
    while let Some((before, after)) = rest.split_once("${{") {
        for letter in before.chars() {
            match letter {
                '\'' if !is_double => is_quoted = !is_quoted,
                '"' if !is_quoted => is_double = !is_double,
                _ => {}
            }
        }
        filled.push_str(before);
        // What is put in is put in before the shell reads its quotes.
        if is_quoted {
            filled.push_str("'\"");
        }
        let (inner, next) = after.split_once("}}").unwrap_or((after, ""));
        let inner = inner.trim();
        let compact: String = inner.chars().filter(|letter| !letter.is_whitespace()).collect();
        if compact.eq_ignore_ascii_case("tojson(secrets)")
            || compact.eq_ignore_ascii_case("tojson(env)")
        {
            filled.push_str("$(printenv)");
        } else if let Some(name) = compact
            .strip_prefix("secrets.")
            .or_else(|| compact.strip_prefix("github.token").map(|_| "GITHUB_TOKEN"))
        {
            let name: String = name
                .chars()
                .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' })
                .collect();
            let is_named = ["TOKEN", "SECRET", "KEY", "PASSWORD"]
                .iter()
                .any(|word| name.to_ascii_uppercase().contains(word));
            filled.push_str(&if is_named {
                format!("${{{name}}}")
            } else {
                format!("${{{name}_SECRET}}")
            });
        } else {
            let name: String = compact
                .chars()
                .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' })
                .collect();
            filled.push_str(&format!("${{EXPRESSION_{name}}}"));
        }
        if is_quoted {
            filled.push_str("\"'");
        }
        rest = next;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_is_what_the_shell_sees() {
        for (code, expected) in [
            ("a ${{ secrets.GITHUB_TOKEN }} b", "a ${GITHUB_TOKEN} b"),
            ("a ${{secrets.DEPLOY}}", "a ${DEPLOY_SECRET}"),
            ("a '${{ toJSON(secrets) }}'", "a ''\"$(printenv)\"''"),
            ("a ${{ matrix.x }}", "a ${EXPRESSION_matrix_x}"),
            ("plain", "plain"),
        ] {
            assert_eq!(expressions(code), expected);
        }
    }

    #[test]
    fn an_event_starts_what_names_it() {
        for (text, expected) in [
            ("on: push\n", true),
            ("on: [pull_request, push]\n", true),
            ("on:\n  push:\n    branches: [main]\n", true),
            ("on: workflow_dispatch\n", false),
            ("jobs: {}\n", true),
        ] {
            assert_eq!(starts_on(tree::yaml(text).root().unwrap(), "push"), expected, "{text}");
        }
    }
}
