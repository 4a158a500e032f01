//! Ansible: what a playbook runs on the machine that it is started on (docs.ansible.com: "Delegation and local actions", "Lookup plugins", "Check
//! mode", "Ansible Configuration Settings"), and what it runs on others, as the same over a connection. Owns plays, blocks, roles and files that are
//! taken in.

use portcullis_syntax::Span;

use super::{Starter, project, template, tree};
use crate::{
    bound::Bounded,
    effect::GapReason,
    programs::found::{File, Found, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
};

pub(super) static ANSIBLE: Starter =
    Starter { programs: &["ansible", "ansible-playbook", "ansible-pull"], start };

/// Options that take a value.
const VALUES: &[&str] = &[
    "--become-user",
    "--connection",
    "--extra-vars",
    "--forks",
    "--inventory",
    "--limit",
    "--module-path",
    "--private-key",
    "--skip-tags",
    "--start-at-task",
    "--tags",
    "--timeout",
    "--user",
    "--vault-id",
    "--vault-password-file",
    "-M",
    "-T",
    "-c",
    "-e",
    "-f",
    "-i",
    "-l",
    "-t",
    "-u",
];

/// How many files are taken in by one playbook.
const FILES: usize = 40;

/// How deep blocks stand in each other.
const NESTED: usize = 12;

/// Folders of plugins beside a playbook, and settings that name others.
const PLUGINS: &[&str] = &[
    "action_plugins",
    "callback_plugins",
    "connection_plugins",
    "filter_plugins",
    "inventory_plugins",
    "lookup_plugins",
    "library",
    "module_utils",
    "strategy_plugins",
    "test_plugins",
    "vars_plugins",
];

struct Play {
    /// Tasks are compared with what is there only.
    checks: bool,
    /// Everything is run on this machine.
    is_local: bool,
    seen: Vec<String>,
    root: String,
}

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let tells = [
        "--syntax-check",
        "--list-tasks",
        "--list-hosts",
        "--list-tags",
        "--help",
        "-h",
        "--version",
    ];
    if project::has(&words, &tells) {
        return;
    }
    let mut inline = Vec::new();
    for word in &words {
        // Within JSON the quotes stand behind a sign.
        let word = word.replace("\\\"", "\"");
        let before = inline.len();
        looked_up(&word, invocation.span, &mut inline);
        // Looked up by a name, or a command, that nothing here says.
        if word.contains("{{") && inline.len() == before && !is_said(&word) {
            walk.gap(invocation.span, GapReason::UnknownCode);
        }
    }
    run_lookups(walk, inline);
    if invocation.program == "ansible" {
        return;
    }
    let Some(here) = walk.directory().map(str::to_owned) else { return };
    let inventory = project::options(&words, &["-i", "--inventory"]);
    let is_local = project::option(&words, &["-c", "--connection"]) == Some("local")
        || inventory.iter().any(|it| it.trim_end_matches(',') == "localhost");
    let mut play = Play {
        checks: words
            .iter()
            .any(|word| word == "--check" || word.starts_with("-C") && !word.starts_with("--")),
        is_local,
        seen: Vec::new(),
        root: here.clone(),
    };
    configured(walk, invocation, &here);
    variables(walk, &here, invocation.span);
    for name in inventory.iter().filter(|name| !name.contains(',')) {
        // An inventory that may be executed is.
        let Some(path) = walk.target(&Text::known(*name)).path else { continue };
        let Some(file) = walk.look(&path).file() else { continue };
        // docs.ansible.com, "Connecting to hosts: behavioral inventory parameters".
        play.is_local |= ["ansible_connection=local", "ansible_connection: local"]
            .iter()
            .any(|says| file.text.contains(says));
        if file.text.starts_with("#!") {
            walk.run(&project::arguments(&[file.path.as_str(), "--list"], invocation.span), None);
        }
    }
    for name in project::operands(&words, VALUES) {
        let Some(path) = walk.target(&Text::known(name)).path else { continue };
        directory_of(&path).clone_into(&mut play.root);
        playbook(walk, &path, invocation.span, &mut play);
    }
}

/// How many files of variables are read.
const VARIABLES: usize = 32;

/// Variables of groups and hosts: what they look up is looked up when they are used ("Organizing host and group variables").
fn variables(walk: &mut dyn Host, here: &str, span: Span) {
    let is_settings = |name: &str| {
        [".yml", ".yaml", ".json"].iter().any(|end| name.ends_with(end)) || !name.contains('.')
    };
    let paths = walk.in_project(|walk| {
        let mut found = Vec::new();
        for folder in ["group_vars", "host_vars"] {
            let folder = format!("{here}/{folder}");
            found.extend(project::below(walk, &folder, 2, span, &is_settings));
        }
        found.iter().at_most(VARIABLES, walk, span).cloned().collect::<Vec<_>>()
    });
    for path in &paths {
        walk.look(path);
    }
    for path in &paths {
        let Some(file) = walk.look(path).file() else { continue };
        walk.in_file(&file, "ansible", span, |walk| {
            let tree = project::whole(walk, tree::yaml(&file.text));
            lookups(walk, &tree);
        });
    }
}

/// `ansible.cfg` and the folders that it or the playbook's place names: their plugins are loaded.
fn configured(walk: &mut dyn Host, invocation: &Invocation, here: &str) {
    let mut folders: Vec<String> = Vec::new();
    if let Some(file) = walk.look(&format!("{here}/ansible.cfg")).file() {
        let tree = project::whole(walk, tree::sections(&file.text));
        let values = tree
            .root()
            .into_iter()
            .flat_map(|root| root.entries())
            .flat_map(|(_, section)| section.entries())
            .filter_map(|(key, value)| {
                let is_place = key.ends_with("_plugins")
                    || matches!(key, "library" | "module_utils" | "inventory");
                is_place.then(|| value.text()).flatten()
            });
        folders.extend(
            values
                .flat_map(|value| value.split(':'))
                .map(|place| project::joined(here, place.trim())),
        );
    }
    folders.extend(PLUGINS.iter().map(|folder| format!("{here}/{folder}")));
    folders.sort();
    folders.dedup();
    for folder in &folders {
        let Found::Directory(names) = walk.look(folder) else { continue };
        for name in
            names.iter().filter(|name| name.ends_with(".py")).at_most(FILES, walk, invocation.span)
        {
            walk.load("python", &format!("{folder}/{name}"), invocation.span);
        }
    }
}

fn opened(
    walk: &mut dyn Host,
    path: &str,
    span: Span,
    play: &mut Play,
    read: &mut dyn FnMut(&mut dyn Host, &File, &tree::Node, &mut Play),
) {
    if play.seen.iter().any(|seen| seen == path) {
        return;
    }
    if play.seen.len() >= FILES {
        walk.left_unread(span);
        return;
    }
    let Some(file) = walk.look(path).file() else { return };
    play.seen.push(path.to_owned());
    walk.in_file(&file, "ansible", span, |walk| {
        let tree = project::whole(walk, tree::yaml(&file.text));
        lookups(walk, &tree);
        for document in &tree.documents {
            read(walk, &file, document, play);
        }
        if tree.cut {
            walk.left_unread(Span::new(0, file.text.len()));
        }
    });
}

fn playbook(walk: &mut dyn Host, path: &str, span: Span, play: &mut Play) {
    opened(walk, path, span, play, &mut |walk, file, document, play| {
        let here = directory_of(&file.path).to_owned();
        for item in document.items() {
            for key in ["import_playbook", "ansible.builtin.import_playbook", "include"] {
                if let Some(name) = item.text_of(key) {
                    playbook(walk, &project::joined(&here, name), item.span, play);
                }
            }
            let hosts = item.text_of("hosts").unwrap_or_default();
            let outer = play.is_local;
            play.is_local |= matches!(hosts, "localhost" | "127.0.0.1")
                || item.text_of("connection") == Some("local");
            for key in ["pre_tasks", "roles", "tasks", "post_tasks", "handlers"] {
                let Some(list) = item.get(key) else { continue };
                match key {
                    "roles" => list.items().iter().for_each(|it| {
                        let name =
                            it.text().or_else(|| it.text_of("role")).or_else(|| it.text_of("name"));
                        if let Some(name) = name {
                            role(walk, name, it.span, play);
                        }
                    }),
                    _ => tasks(walk, list, &here, play, 0),
                }
            }
            play.is_local = outer;
        }
    });
}

fn role(walk: &mut dyn Host, name: &str, span: Span, play: &mut Play) {
    let folder = format!("{}/roles/{name}", play.root);
    // What the variables of a role look up is looked up when they are used.
    for part in ["defaults", "vars"] {
        for ending in ["yml", "yaml"] {
            let path = format!("{folder}/{part}/main.{ending}");
            let Some(file) = walk.look(&path).file() else { continue };
            walk.in_file(&file, "ansible", span, |walk| {
                let tree = project::whole(walk, tree::yaml(&file.text));
                lookups(walk, &tree);
            });
        }
    }
    for part in ["tasks", "handlers"] {
        for ending in ["yml", "yaml"] {
            task_file(walk, &format!("{folder}/{part}/main.{ending}"), span, play);
        }
    }
}

fn task_file(walk: &mut dyn Host, path: &str, span: Span, play: &mut Play) {
    opened(walk, path, span, play, &mut |walk, file, document, play| {
        tasks(walk, document, directory_of(&file.path), play, 0);
    });
}

fn tasks(walk: &mut dyn Host, list: &tree::Node, here: &str, play: &mut Play, depth: usize) {
    if depth > NESTED {
        walk.left_unread(list.span);
        return;
    }
    for task in list.items() {
        for key in ["block", "rescue", "always"] {
            if let Some(inner) = task.get(key) {
                tasks(walk, inner, here, play, depth + 1);
            }
        }
        one(walk, task, here, play);
    }
}

fn one(walk: &mut dyn Host, task: &tree::Node, here: &str, play: &mut Play) {
    let delegate = task.text_of("delegate_to");
    let is_local = play.is_local
        || matches!(delegate, Some("localhost" | "127.0.0.1"))
        || task.text_of("connection") == Some("local")
        || task.get("local_action").is_some();
    let is_run_anyway = task
        .get("check_mode")
        .and_then(tree::Node::text)
        .is_some_and(|it| matches!(it, "false" | "no" | "False"));
    for (key, node) in task.entries() {
        let module = key.rsplit('.').next().unwrap_or(key);
        match module {
            "include_tasks" | "import_tasks" | "include" => {
                let name = node.text().or_else(|| node.text_of("file"));
                if let Some(name) = name.filter(|name| !name.contains("{{")) {
                    task_file(walk, &project::joined(here, name), node.span, play);
                }
            }
            "include_role" | "import_role" => {
                if let Some(name) = node.text_of("name").map(str::to_owned) {
                    role(walk, &name, node.span, play);
                }
            }
            "shell" | "command" | "raw" | "script" | "local_action" => {
                if play.checks && !is_run_anyway {
                    continue;
                }
                if let Some((code, span)) = commanded(module, node) {
                    let directory = node
                        .text_of("chdir")
                        .or_else(|| task.get("args").and_then(|args| args.text_of("chdir")));
                    let code = unwritten(&code);
                    if is_local {
                        project::in_directory(walk, directory, |walk| match module {
                            "script" => {
                                let path = project::joined(
                                    here,
                                    code.split_whitespace().next().unwrap_or_default(),
                                );
                                walk.run_file("shell", &path, span, &[], None);
                            }
                            _ => {
                                walk.shell(&Text::known(code), span, &[], None);
                            }
                        });
                    } else if module != "script" {
                        walk.run(
                            &project::arguments(
                                &["ssh", delegate.unwrap_or("inventory-host"), code.as_str()],
                                span,
                            ),
                            None,
                        );
                    }
                }
            }
            "file" if is_local && (!play.checks || is_run_anyway) => {
                if node.text_of("state") == Some("absent")
                    && let Some(path) = node.text_of("path").or_else(|| node.text_of("dest"))
                {
                    let code = format!("rm -rf {}", for_shell(path));
                    walk.shell(&Text::known(code), node.span, &[], None);
                }
            }
            // docs.ansible.com, "copy", "lineinfile", "blockinfile": a text that is put into a file.
            "blockinfile" | "copy" | "lineinfile"
                if is_local && (!play.checks || is_run_anyway) =>
            {
                let place = ["dest", "path"].iter().find_map(|key| node.text_of(key));
                let text = ["content", "line", "block"].iter().find_map(|key| node.text_of(key));
                let adds = if module == "copy" { ">" } else { ">>" };
                match (place, text) {
                    (Some(place), Some(text)) => {
                        let text = super::quoted(&unwritten(text));
                        let code = format!("printf '%s\\n' {text} {adds} {}", for_shell(place));
                        walk.shell(&Text::known(code), node.span, &[], None);
                    }
                    (Some(place), None) => {
                        if let Some(from) = node.text_of("src").filter(|_| module == "copy") {
                            let code = format!("cp {} {}", for_shell(from), for_shell(place));
                            walk.shell(&Text::known(code), node.span, &[], None);
                        }
                    }
                    _ => {}
                }
            }
            // docs.ansible.com, "authorized_key".
            "authorized_key"
                if is_local
                    && (!play.checks || is_run_anyway)
                    && node.text_of("state") != Some("absent") =>
            {
                let key = super::quoted(node.text_of("key").unwrap_or("key"));
                let place = node.text_of("path").unwrap_or("~/.ssh/authorized_keys");
                let code = format!("printf '%s\\n' {key} >> {}", for_shell(place));
                walk.shell(&Text::known(code), node.span, &[], None);
            }
            // docs.ansible.com, "uri": a request, and what it sends.
            "uri" if is_local && (!play.checks || is_run_anyway) => {
                let Some(address) = node.text_of("url") else { continue };
                let mut code = "curl -s".to_owned();
                if let Some(from) = node.text_of("src") {
                    code.push_str(&format!(" -T {}", for_shell(from)));
                }
                let mut texts = Vec::new();
                for key in ["body", "headers"] {
                    if let Some(body) = node.get(key) {
                        body.visit(&mut |inner| texts.extend(inner.text().map(str::to_owned)));
                    }
                }
                for text in texts {
                    match looked_up_file(&text) {
                        Some(path) => code.push_str(&format!(" -d @{}", for_shell(&path))),
                        None if text.contains("ansible_env") => code.push_str(" -d \"$(env)\""),
                        None => code.push_str(&format!(" -d {}", super::quoted(&unwritten(&text)))),
                    }
                }
                code.push_str(&format!(" {}", super::quoted(&unwritten(address))));
                walk.shell(&Text::known(code), node.span, &[], None);
            }
            // docs.ansible.com, "cron": a line of the table of the account that runs it.
            "cron" if is_local && (!play.checks || is_run_anyway) => {
                if let Some(job) =
                    node.text_of("job").filter(|_| node.text_of("state") != Some("absent"))
                {
                    let line = format!("@daily {}\n", unwritten(job));
                    walk.run(
                        &project::arguments(&["crontab", "-"], node.span),
                        Some(Text::known(line)),
                    );
                }
            }
            "get_url" if is_local && (!play.checks || is_run_anyway) => {
                if let (Some(from), Some(to)) = (node.text_of("url"), node.text_of("dest")) {
                    let (from, to) = (unwritten(from), unwritten(to));
                    walk.run(
                        &project::arguments(
                            &["curl", "-fsSL", "-o", to.as_str(), from.as_str()],
                            node.span,
                        ),
                        None,
                    );
                }
            }
            _ => {}
        }
    }
}

/// The command of a task.
fn commanded(module: &str, node: &tree::Node) -> Option<(String, Span)> {
    let text = match module {
        "local_action" => {
            let text = match node.text() {
                Some(text) => text.to_owned(),
                None => format!(
                    "{} {}",
                    node.text_of("module")?,
                    node.text_of("cmd").or_else(|| node.text_of("_raw_params"))?
                ),
            };
            let (module, rest) = text.split_once(' ')?;
            matches!(module.rsplit('.').next(), Some("shell" | "command" | "raw"))
                .then(|| rest.to_owned())?
        }
        _ => match node.text() {
            Some(text) => text.to_owned(),
            None => match node.get("argv") {
                Some(words) => words
                    .words()
                    .iter()
                    .map(|word| super::quoted(word))
                    .collect::<Vec<_>>()
                    .join(" "),
                None => node.text_of("cmd").or_else(|| node.text_of("_raw_params"))?.to_owned(),
            },
        },
    };
    Some((text, node.span))
}

/// `lookup('pipe', 'COMMAND')` and its like: run on this machine wherever it stands, in check mode too.
fn lookups(walk: &mut dyn Host, tree: &tree::Tree) {
    let mut found = Vec::new();
    for document in &tree.documents {
        document.visit(&mut |node| {
            let Some(text) = node.text() else { return };
            looked_up(text, node.span, &mut found);
            // `with_pipe: COMMAND`
            if let Some(inner) = node.text_of("with_pipe") {
                found.push((inner.to_owned(), node.span));
            }
        });
    }
    run_lookups(walk, found);
}

/// Whether each lookup of a text says by its name that it runs nothing.
fn is_said(text: &str) -> bool {
    text.match_indices("lookup(").all(|(at, call)| {
        let rest = text.get(at + call.len()..).unwrap_or_default();
        literal(rest).is_some_and(|(name, rest)| {
            rest.trim_start().starts_with([',', ')'])
                && !matches!(name.rsplit('.').next(), Some("pipe" | "lines"))
        })
    })
}

/// The commands that a text looks something up by.
fn looked_up(text: &str, span: Span, found: &mut Vec<(String, Span)>) {
    for call in ["lookup(", "query(", "q("] {
        for (at, _) in text.match_indices(call) {
            let rest = text.get(at + call.len()..).unwrap_or_default();
            found.extend(piped(rest).map(|code| (code, span)));
        }
    }
}

fn run_lookups(walk: &mut dyn Host, found: Vec<(String, Span)>) {
    for (code, span) in found {
        let code = unwritten(&code);
        walk.shell(&Text::known(code), span, &[], None);
    }
}

/// The command in `'pipe', 'COMMAND')`.
fn piped(text: &str) -> Option<String> {
    let (first, rest) = literal(text)?;
    if !matches!(first.rsplit('.').next(), Some("pipe" | "lines")) {
        return None;
    }
    literal(rest.trim_start().strip_prefix(',')?).map(|(code, _)| code)
}

fn literal(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|letter| matches!(letter, '"' | '\''))?;
    let inner = text.get(1..)?;
    let mut value = String::new();
    let mut letters = inner.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => value.extend(letters.next().map(|(_, escaped)| escaped)),
            letter if letter == quote => return Some((value, inner.get(at + 1..)?)),
            letter => value.push(letter),
        }
    }
    None
}

/// `{{ … }}` is a value that nobody knows, but where it is one of the environment's.
fn unwritten(text: &str) -> String {
    template::filled(text, "{{", "}}", |name| {
        environment(name).unwrap_or_else(|| template::variable("ANSIBLE_", name))
    })
}

/// `lookup('env', 'HOME')`, `ansible_env.HOME`, `ansible_user_dir` ("Special Variables").
fn environment(name: &str) -> Option<String> {
    let bare: String = name.chars().filter(|it| !it.is_whitespace() && *it != '"').collect();
    let bare = bare.replace('\'', "");
    let inner = bare
        .strip_prefix("lookup(env,")
        .or_else(|| bare.strip_prefix("lookup(ansible.builtin.env,"))
        .and_then(|rest| rest.split([',', ')']).next())
        .or_else(|| bare.strip_prefix("ansible_env."))
        .or_else(|| {
            let is_home = matches!(
                bare.as_str(),
                "ansible_user_dir"
                    | "ansible_facts.user_dir"
                    | "ansible_facts[user_dir]"
                    | "ansible_env[HOME]"
            );
            is_home.then_some("HOME")
        })?;
    let is_name =
        !inner.is_empty() && inner.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
    is_name.then(|| format!("${{{inner}}}"))
}

/// A path as a word for a shell, which puts in what is known of the environment and a home.
fn for_shell(path: &str) -> String {
    let path = unwritten(path);
    let path = match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("${{HOME}}{rest}"),
        _ => path,
    };
    format!("\"{}\"", path.replace(['"', '`', '\\'], "").replace("$(", ""))
}

/// The file in `lookup('file', 'x')`.
fn looked_up_file(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("lookup(")?;
    let (kind, rest) = literal(rest)?;
    if !matches!(kind.rsplit('.').next(), Some("file" | "unvault")) {
        return None;
    }
    let rest = rest.trim_start().strip_prefix(',')?;
    if let Some((path, _)) = literal(rest) {
        return Some(path);
    }
    // `lookup('env', 'HOME') + '/x'`
    let (name, path) = rest.split_once('+').or_else(|| rest.split_once('~'))?;
    Some(format!("{}{}", environment(name.trim())?, literal(path)?.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_tasks_are_found_in_each_spelling() {
        for (text, module, expected) in [
            ("x: a b\n", "shell", Some("a b")),
            ("x:\n  cmd: a b\n", "command", Some("a b")),
            ("x:\n  argv: [a, 'b c']\n", "command", Some("a 'b c'")),
            ("x: shell a b\n", "local_action", Some("a b")),
            ("x: debug msg=a\n", "local_action", None),
        ] {
            let tree = tree::yaml(text);
            let found = commanded(module, tree.root().unwrap().get("x").unwrap()).map(|it| it.0);
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn values_of_the_environment_are_known() {
        for (text, expected) in [
            ("{{ lookup('env', 'HOME') }}/a", "${HOME}/a"),
            ("{{ ansible_env.HOME }}", "${HOME}"),
            ("{{ ansible_user_dir }}/b", "${HOME}/b"),
            ("{{ x }}", "${ANSIBLE_x}"),
        ] {
            assert_eq!(unwritten(text), expected);
        }
        assert_eq!(for_shell("~/x"), "\"${HOME}/x\"");
        assert_eq!(looked_up_file("{{ lookup('file', '~/k') }}").as_deref(), Some("~/k"));
        let joined = "{{ lookup('file', lookup('env','HOME') + '/k') }}";
        assert_eq!(looked_up_file(joined).as_deref(), Some("${HOME}/k"));
    }

    #[test]
    fn lookups_run_commands() {
        for (text, expected) in [
            ("'pipe', 'a \"b\"') }}", Some("a \"b\"")),
            ("'env', 'HOME')", None),
            ("\"pipe\",\"a\")", Some("a")),
        ] {
            assert_eq!(piped(text).as_deref(), expected);
        }
    }
}
