//! Runners of tasks whose files have no language of their own: scripts of `composer` (getcomposer.org/doc/articles/scripts.md), `deno task`,
//! lines of a `Procfile` (foreman, honcho, overmind), and tasks in Python files (`invoke`, `nox`, `doit`, `scons`, `waf`). Owns which of a file's
//! commands the words on the command line start.

use std::collections::BTreeSet;

use portcullis_syntax::Span;

use super::{
    Starter, outline, project,
    spawned::{self, Call, Given},
    tree,
};
use crate::{
    bound::Bounded as _,
    effect::Certainty,
    programs::found::{File, Found, directory_of},
    programs::host::{Host, Unread},
    programs::invocation::Invocation,
    text::Text,
};

/// `mise run TASK` where the task is a file (mise.jdx.dev, "File Tasks").
pub(super) static MISE: Starter = Starter { programs: &["mise", "rtx"], start: mise };

fn mise(walk: &mut dyn Host, invocation: &Invocation) {
    /// Where the files of tasks lie.
    const PLACES: &[&str] =
        &["mise-tasks", ".mise-tasks", "mise/tasks", ".mise/tasks", ".config/mise/tasks"];
    let words = project::words(invocation);
    templated(walk, invocation.span);
    let operands = project::operands(&words, &["-C", "--cd", "-E", "--env", "-j", "--jobs"]);
    let (Some(first), rest) = (operands.first(), operands.get(1..).unwrap_or_default()) else {
        return;
    };
    // A task is run by its name alone as well.
    let names = match *first {
        "run" | "r" | "watch" | "w" => rest,
        _ => operands.as_slice(),
    };
    let Some(name) = names.first() else { return };
    let Some(root) = walk.directory().map(str::to_owned) else { return };
    let name = name.replace(':', "/");
    for place in PLACES {
        let path = format!("{root}/{place}/{name}");
        if walk.look(&path).file().is_some() {
            walk.run(&project::arguments(&[path], invocation.span), None);
        }
    }
}

/// `{{ exec(command="…") }}` in the settings: run whenever they are read (mise.jdx.dev, "Templates").
fn templated(walk: &mut dyn Host, span: Span) {
    let names = [
        "mise.toml",
        ".mise.toml",
        "mise.local.toml",
        ".config/mise/config.toml",
        ".mise/config.toml",
    ];
    let Some(file) = project::nearest(walk, &names) else { return };
    let calls: &[Call] = &[("exec(command=", Given::Command), ("exec(command =", Given::Command)];
    let outside: String = file.text.replace("{{", "  ").replace("}}", "  ");
    walk.in_file(&file, "mise", span, |walk| {
        for line in lines_with(&outside, "exec(") {
            for (call, _) in calls {
                let Some((_, rest)) = line.0.split_once(call) else { continue };
                let rest = rest.trim_start();
                let Some(quote) = rest.chars().next().filter(|it| matches!(it, '"' | '\'' | '`'))
                else {
                    continue;
                };
                let Some(code) = rest.get(1..).and_then(|it| it.split(quote).next()) else {
                    continue;
                };
                let code = code.replace("\\\"", "\"");
                walk.at_most(Certainty::Likely, |walk| {
                    walk.shell(&Text::known(code), line.1, &[], None)
                });
            }
        }
    });
}

/// The lines of a text that have a word, with where they stand.
fn lines_with<'t>(text: &'t str, word: &str) -> Vec<(&'t str, Span)> {
    let mut at = 0;
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        if line.contains(word) && !line.trim_start().starts_with('#') {
            found.push((line, Span::new(at, at + line.trim_end().len())));
        }
        at += line.len();
    }
    found
}

/// `mix TASK` where an alias of the project says what that is: `cmd COMMAND` runs a command (hexdocs.pm/mix, "Aliases", "mix cmd").
pub(super) static MIX: Starter = Starter { programs: &["mix"], start: mix };

fn mix(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let Some(task) = words.iter().find(|word| !word.starts_with('-')) else { return };
    let Some(file) = project::nearest(walk, &["mix.exs"]) else { return };
    walk.in_task(&file, task, "mix", invocation.span, |walk| {
        for key in [format!("{task}: "), format!("\"{task}\": ")] {
            for (at, _) in file.text.match_indices(&key) {
                let before = file.text.get(..at).unwrap_or_default();
                if before.ends_with(|it: char| it.is_alphanumeric() || "_.".contains(it)) {
                    continue;
                }
                let value = file.text.get(at + key.len()..).unwrap_or_default();
                let end = if value.starts_with('[') { value.find(']') } else { value.find('\n') };
                let value = value.get(..end.unwrap_or(value.len())).unwrap_or_default();
                let span = Span::new(at, at + key.len() + value.len());
                for step in value.split('"').skip(1).step_by(2) {
                    match step.strip_prefix("cmd ") {
                        Some(code) => {
                            walk.shell(&Text::known(code), span, &[], None);
                        }
                        None if step != task.as_str() => {
                            let mut line = vec!["mix"];
                            line.extend(step.split_whitespace());
                            walk.run(&project::arguments(&line, span), None);
                        }
                        None => {}
                    }
                }
            }
        }
    });
}

pub(super) static COMPOSER: Starter = Starter { programs: &["composer"], start: composer };
pub(super) static DENO: Starter = Starter { programs: &["deno"], start: deno };
pub(super) static PROCFILE: Starter =
    Starter { programs: &["foreman", "hivemind", "honcho", "overmind"], start: procfile };
pub(super) static PYTHON: Starter = Starter {
    programs: &["doit", "fab", "inv", "invoke", "nox", "scons", "snakemake", "waf"],
    start: python,
};

/// How many tasks start each other.
const WITHIN: usize = 64;

fn composer(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(
        &words,
        &["--no-scripts", "--help", "-h", "--version", "-V", "--list", "--dry-run"],
    ) {
        return;
    }
    let directory = project::option(&words, &["-d", "--working-dir"]).map(str::to_owned);
    let operands = project::operands(&words, &["-d", "--working-dir"]);
    let Some(verb) = operands.first().copied() else { return };
    let events: Vec<&str> = match verb {
        "install" | "i" => vec![
            "pre-install-cmd",
            "post-install-cmd",
            "pre-autoload-dump",
            "post-autoload-dump",
            "post-root-package-install",
        ],
        "update" | "u" | "upgrade" | "require" | "remove" => vec![
            "pre-update-cmd",
            "post-update-cmd",
            "pre-install-cmd",
            "post-install-cmd",
            "pre-autoload-dump",
            "post-autoload-dump",
        ],
        "dump-autoload" | "dumpautoload" => vec!["pre-autoload-dump", "post-autoload-dump"],
        "create-project" => {
            vec!["post-root-package-install", "post-create-project-cmd", "post-install-cmd"]
        }
        "archive" => vec!["pre-archive-cmd", "post-archive-cmd"],
        "status" => vec!["pre-status-cmd", "post-status-cmd"],
        "run-script" | "run" => operands.get(1).copied().into_iter().collect(),
        other => vec![other],
    };
    project::in_directory(walk, directory.as_deref(), |walk| {
        let Some(file) = project::nearest(walk, &["composer.json"]) else { return };
        let root = directory_of(&file.path).to_owned();
        project::in_directory(walk, Some(&root), |walk| {
            walk.in_task(&file, &events.join(" "), "composer", invocation.span, |walk| {
                let tree = project::whole(walk, tree::json(&file.text));
                let Some(scripts) = tree.root().and_then(|root| root.get("scripts")) else {
                    return;
                };
                let mut open: Vec<String> =
                    events.iter().rev().map(|event| (*event).to_owned()).collect();
                let mut seen: Vec<String> = Vec::new();
                while let Some(event) = open.pop() {
                    if seen.contains(&event) {
                        continue;
                    }
                    if seen.len() >= WITHIN {
                        walk.left_unread(invocation.span);
                        break;
                    }
                    for script in scripts.get(&event).iter().flat_map(|it| it.each()) {
                        let Some(text) = script.text() else { continue };
                        if let Some(node) = tree.root() {
                            method(walk, node, &root, text, script.span);
                        }
                        open.extend(composed(walk, text, script.span));
                    }
                    seen.push(event);
                }
            });
        });
    });
}

/// A script that is a static method: its class lies where the project's autoloading says (getcomposer.org, "PSR-4", "Defining scripts").
fn method(walk: &mut dyn Host, node: &tree::Node, root: &str, script: &str, span: Span) {
    let Some((class, _)) = script.split_once("::").filter(|_| !script.contains(' ')) else {
        return;
    };
    let class = class.trim_start_matches('\\');
    for key in ["autoload", "autoload-dev"] {
        let spaces = node.path(&[key, "psr-4"]);
        for (space, places) in spaces.iter().flat_map(|it| it.entries()) {
            let Some(rest) = class.strip_prefix(space.trim_end_matches('\\')) else { continue };
            let rest = rest.trim_start_matches('\\').replace('\\', "/");
            for place in places.each().iter().filter_map(|it| it.text()) {
                let place = project::joined(root, place.trim_end_matches('/'));
                let path = format!("{place}/{rest}.php");
                walk.load("php", &path, span);
            }
        }
    }
}

/// One script of composer; gives the other that it names.
fn composed(walk: &mut dyn Host, text: &str, span: Span) -> Option<String> {
    if let Some(setting) = text.strip_prefix("@putenv ") {
        let (name, value) = setting.split_once('=')?;
        walk.environment_of(name, &Text::known(value), span);
        return None;
    }
    let code = match text.strip_prefix('@') {
        Some(rest) if rest.starts_with("php ") || rest.starts_with("composer ") => rest,
        Some(name) => return name.split_whitespace().next().map(str::to_owned),
        // A method of a class of the project or of a package.
        None if text.contains("::") && !text.contains(' ') => return None,
        None => text,
    };
    walk.shell(&Text::known(code), span, &[], None);
    None
}

fn deno(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    mapped(walk, &words, invocation.span);
    let operands = project::operands(&words, &["-c", "--config", "--cwd"]);
    let [verb @ ("task" | "run"), name, ..] = operands.as_slice() else { return };
    if *verb == "run" && name.contains(['.', '/']) {
        return;
    }
    let Some(file) = project::nearest(walk, &["deno.json", "deno.jsonc"]) else { return };
    walk.in_task(&file, name, "deno", invocation.span, |walk| {
        let tree = project::whole(walk, tree::json(&file.text));
        let Some(task) = tree.root().and_then(|root| root.path(&["tasks", name])) else { return };
        let command = task.get("command").unwrap_or(task);
        if let Some(text) = command.text() {
            walk.shell(&Text::known(text), command.span, &[], None);
        }
    });
}

/// Modules that the project's map of imports takes from an address: what is loaded from there is run (docs.deno.com, "Modules and dependencies").
fn mapped(walk: &mut dyn Host, words: &[String], span: Span) {
    const VERBS: &[&str] =
        &["bench", "cache", "check", "compile", "install", "run", "serve", "task", "test"];
    let verb =
        project::operands(words, &["-c", "--config", "--cwd", "--import-map"]).first().copied();
    if !verb.is_some_and(|verb| VERBS.contains(&verb)) {
        return;
    }
    let mut paths: Vec<String> = Vec::new();
    for name in project::options(words, &["--import-map", "-c", "--config"]) {
        paths.extend(walk.target(&Text::known(name)).path);
    }
    if let Some(file) = project::nearest(walk, &["deno.json", "deno.jsonc"]) {
        let tree = tree::json(&file.text);
        let named = tree.root().and_then(|root| root.text_of("importMap"));
        paths.extend(named.map(|name| project::joined(directory_of(&file.path), name)));
        paths.push(file.path);
    }
    for path in paths {
        let Some(file) = walk.look(&path).file() else { continue };
        walk.in_file(&file, "deno", span, |walk| {
            let tree = project::whole(walk, tree::json(&file.text));
            let Some(root) = tree.root() else { return };
            for key in ["imports", "scopes"] {
                let Some(table) = root.get(key) else { continue };
                let mut found: Vec<(&str, Span)> = Vec::new();
                table.visit(&mut |inner| {
                    found.extend(
                        inner.text().filter(|it| it.contains("://")).map(|it| (it, inner.span)),
                    );
                });
                for (address, place) in found {
                    project::taken_from(walk, address, place);
                }
            }
        });
    }
}

fn procfile(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let verb = project::operands(
        &words,
        &["-f", "--procfile", "-e", "--env", "-p", "--port", "-m", "--formation", "-d", "--root"],
    );
    let starts = match verb.first().copied() {
        Some("start" | "s" | "run") => true,
        None => invocation.program == "hivemind",
        Some(_) => invocation.program == "hivemind",
    };
    if !starts || project::has(&words, &["--help"]) {
        return;
    }
    let asked = verb.get(1).copied().filter(|_| verb.first() == Some(&"start"));
    let name = project::option(&words, &["-f", "--procfile"]).unwrap_or("Procfile").to_owned();
    let Some(path) = walk.target(&Text::known(name)).path else { return };
    let root = directory_of(&path).to_owned();
    walk.look(&format!("{root}/.env"));
    let environment = walk.look(&format!("{root}/.env")).file();
    let Some(file) = walk.look(&path).file() else { return };
    walk.with_environment(|walk| {
        for (name, value) in environment
            .iter()
            .flat_map(|file| file.text.lines())
            .filter_map(|line| line.trim().split_once('='))
        {
            if !name.starts_with('#') {
                let value = value.trim_matches(['"', '\'']);
                walk.environment_of(
                    name.trim_start_matches("export ").trim(),
                    &Text::known(value),
                    invocation.span,
                );
            }
        }
        walk.in_file(&file, "procfile", invocation.span, |walk| {
            for (name, span) in processes(&file.text) {
                if asked.is_some_and(|asked| asked != name && asked != "all") {
                    continue;
                }
                let code = file.text.get(span.range()).unwrap_or_default();
                walk.shell(&Text::known(code), span, &[], None);
            }
        });
    });
}

/// Names of processes with where their commands stand.
fn processes(text: &str) -> Vec<(&str, Span)> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let Some((name, command)) = line.split_once(':') else { continue };
        let is_name = !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        let command = command.trim_end();
        let bare = command.trim_start();
        if is_name && !bare.is_empty() {
            let from = start + name.len() + 1 + command.len() - bare.len();
            found.push((name, Span::new(from, from + bare.len())));
        }
    }
    found
}

/// Files of tasks in Python, which are evaluated whole.
fn python(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let tells = [
        "--list",
        "-l",
        "--help",
        "-h",
        "--version",
        "-V",
        "--list-sessions",
        "-n",
        "--dry-run",
        "--dryrun",
        // docs.pyinvoke.org, "inv[oke] core options": commands are shown and none is run.
        "-R",
        "--dry",
    ];
    let is_told = invocation.program != "nox" && project::has(&words, &["list", "help"]);
    let names: &[&str] = match invocation.program.as_str() {
        "nox" => &["noxfile.py"],
        "doit" => &["dodo.py"],
        "scons" => &["SConstruct", "Sconstruct", "sconstruct", "SConstruct.py"],
        "snakemake" => &["Snakefile", "workflow/Snakefile"],
        "waf" => &["wscript"],
        "fab" => &["fabfile.py"],
        _ => &["tasks.py", "tasks/__init__.py"],
    };
    // Listing evaluates the file as well, and runs no task.
    let certainty = if is_told || project::has(&words, &tells) {
        Certainty::Possible
    } else {
        Certainty::Certain
    };
    // `-s` names a session of nox and a file of Snakemake.
    let options: &[&str] = match invocation.program.as_str() {
        "nox" => &["-f", "--noxfile"],
        _ => &["-f", "--file", "-s", "--snakefile"],
    };
    let named =
        project::option(&words, options).filter(|name| name.contains('.') || name.contains("file"));
    let file = match named.and_then(|name| walk.target(&Text::known(name)).path) {
        Some(path) => walk.look(&path).file(),
        None => project::nearest(walk, names),
    };
    let Some(file) = file else { return };
    if matches!(invocation.program.as_str(), "fab" | "inv" | "invoke") {
        shell_of_settings(walk, &file, invocation.span);
    }
    let read = match invocation.program.as_str() {
        "fab" | "inv" | "invoke" => {
            collected(walk, &file, &words, invocation.span);
            let text = match certainty {
                Certainty::Certain => asked_for(&file.text, &words),
                _ => outline::without_uncalled(&file.text, &|function| {
                    !function
                        .decorators
                        .iter()
                        .all(|name| name == "task" || name.ends_with(".task"))
                })
                .unwrap_or_else(|| file.text.to_string()),
            };
            File { text: text.into(), ..file.clone() }
        }
        "nox" => File { text: sessions(&file.text, &words, certainty).into(), ..file.clone() },
        _ => file.clone(),
    };
    walk.at_most(certainty, |walk| walk.run_text("python", &read, invocation.span, &[], None));
    if invocation.program == "snakemake" && certainty == Certainty::Certain {
        beside_snakefile(walk, &file, invocation.span);
    }
    let others = taken_in(walk, &invocation.program, &file);
    for path in &others {
        walk.look(path);
    }
    let others: Vec<File> = others.iter().filter_map(|path| walk.look(path).file()).collect();
    for other in &others {
        walk.at_most(certainty, |walk| {
            walk.load_text_from(
                &[directory_of(&file.path).to_owned()],
                "python",
                other,
                invocation.span,
            )
        });
    }
    if certainty == Certainty::Certain {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let calls = calls(&invocation.program);
        // Of a file of sessions is left what is asked for.
        let (first, tasks): (&File, (&str, &[&str])) = match invocation.program.as_str() {
            "nox" => (&read, ("", &[])),
            _ => (&file, ("def ", &words)),
        };
        for file in std::iter::once(first).chain(&others) {
            spawned::follow(walk, file, "python", calls, tasks, invocation.span);
            match invocation.program.as_str() {
                "nox" => installed(walk, file, &read.text, invocation.span),
                "snakemake" => scripts_of(walk, file, invocation.span),
                _ => {}
            }
        }
    }
}

/// How many files one file of tasks takes in, all together.
const TAKEN: usize = 32;

/// Files that a file of tasks is read with, and that are read like it: `SConscript("x")`
/// with `site_scons/site_init.py` (scons.org, "Hierarchical Builds", "The site_scons Directory"), `recurse("x")` (waf.io/book).
fn taken_in(walk: &mut dyn Host, program: &str, file: &File) -> Vec<String> {
    let root = directory_of(&file.path).to_owned();
    let (calls, ending): (&[&str], &str) = match program {
        "scons" => (&["SConscript"], "SConscript"),
        "waf" => (&[".recurse", "subdirs"], "wscript"),
        _ => return Vec::new(),
    };
    let mut found: Vec<String> = Vec::new();
    if program == "scons" {
        found.push(format!("{root}/site_scons/site_init.py"));
        for folder in ["site_scons/site_tools", "site_tools"] {
            if let Found::Directory(names) = walk.look(&format!("{root}/{folder}")) {
                let tools = names.iter().filter(|name| name.ends_with(".py"));
                found.extend(tools.map(|name| format!("{root}/{folder}/{name}")));
            }
        }
    }
    let calls: Vec<Call> = calls.iter().map(|call| (*call, Given::Commands)).collect();
    let mut open = vec![file.clone()];
    while let Some(file) = open.pop() {
        let here = directory_of(&file.path).to_owned();
        for start in spawned::found(&file.text, &calls) {
            for name in &start.words {
                let named = project::joined(&here, name);
                let mut paths = vec![named.clone()];
                if !ending.is_empty() {
                    paths.push(format!("{named}/{ending}"));
                }
                for path in paths {
                    let path = crate::paths::normal(&path);
                    if found.contains(&path) || found.len() >= TAKEN {
                        continue;
                    }
                    open.extend(walk.look(&path).file());
                    found.push(path);
                }
            }
        }
    }
    if found.len() >= TAKEN {
        walk.left_unread(Span::default());
    }
    found
}

/// `script: "x.py"`, `notebook: "x.ipynb"` of a rule: relative to the file that the rule stands in (snakemake.readthedocs.io, "External scripts").
fn scripts_of(walk: &mut dyn Host, file: &File, span: Span) {
    let calls: &[Call] = &[("script:", Given::Command), ("notebook:", Given::Command)];
    let root = directory_of(&file.path).to_owned();
    for start in spawned::found(&file.text, calls) {
        for name in start.words.iter().filter(|name| !name.contains("://")) {
            let path = crate::paths::normal(&project::joined(&root, name));
            let language = match name.rsplit('.').next() {
                Some("R" | "r") => "r",
                Some("jl") => "julia",
                Some("sh" | "bash") => "shell",
                Some("ipynb") => {
                    walk.run(&project::arguments(&["jupyter", "execute", &path], span), None);
                    continue;
                }
                _ => "python",
            };
            walk.load_from(&[directory_of(&path).to_owned()], language, &path, span);
        }
    }
}

/// `session.install(…)`: what an installation runs and where it takes packages from (nox.thea.codes, "Installing dependencies"). `asked` is the file without
/// what nobody asked for.
fn installed(walk: &mut dyn Host, file: &File, asked: &str, span: Span) {
    let calls: &[Call] = &[(".install", Given::Words)];
    for start in spawned::found(asked, calls) {
        let mut words = vec!["pip".to_owned(), "install".to_owned()];
        words.extend(start.words.iter().cloned());
        walk.in_file(file, "python", span, |walk| {
            walk.at_most(Certainty::Likely, |walk| {
                walk.run(&project::arguments(&words, span), None);
            });
        });
    }
}

/// Files of rules that a Snakefile takes in, and scripts that its rules name (snakemake.readthedocs.io, "Modularization", "External scripts"): both
/// stand beside the file that names them.
fn beside_snakefile(walk: &mut dyn Host, file: &File, span: Span) {
    /// How many files are taken in.
    const FILES: usize = 24;
    let mut open = vec![file.clone()];
    let mut seen = vec![file.path.clone()];
    while let Some(file) = open.pop() {
        let folder = directory_of(&file.path).to_owned();
        let mut is_next = "";
        for line in file.text.lines() {
            let bare = line.trim();
            let (key, value) = bare.split_once(':').unwrap_or((is_next, bare));
            is_next = if bare == "script:" || bare == "include:" { key } else { "" };
            let Some(name) = value.split(['"', '\'']).nth(1) else { continue };
            if !matches!(key, "include" | "script" | "snakefile" | "notebook") {
                continue;
            }
            let path = crate::paths::normal(&project::joined(&folder, name));
            if seen.contains(&path) {
                continue;
            }
            if seen.len() >= FILES {
                walk.left_unread(span);
                return;
            }
            seen.push(path.clone());
            let Some(inner) = walk.look(&path).file() else { continue };
            match name.rsplit_once('.').map(|it| it.1) {
                Some("R" | "r") => {
                    walk.load("r", &path, span);
                }
                Some("sh") => {
                    walk.load("shell", &path, span);
                }
                Some("jl") => {
                    walk.load("julia", &path, span);
                }
                _ => {
                    walk.load("python", &path, span);
                }
            }
            if key != "script" {
                spawned::follow(walk, &inner, "python", calls("snakemake"), ("", &[]), span);
                open.push(inner);
            }
        }
    }
}

/// A `noxfile.py` without the sessions that are not asked for (nox.thea.codes, "Specifying one or more sessions").
fn sessions(text: &str, words: &[String], certainty: Certainty) -> String {
    let lists = certainty != Certainty::Certain;
    let at = words
        .iter()
        .position(|word| matches!(word.as_str(), "-s" | "-e" | "--session" | "--sessions"));
    let named = at.map(|at| words.iter().skip(at + 1).take_while(|word| !word.starts_with('-')));
    let asked: Option<Vec<&str>> =
        named.map(|named| named.map(|it| it.split(['(', '-']).next().unwrap_or(it)).collect());
    let is_plain = !project::has(words, &["-k", "--keywords", "-t", "--tags"]);
    let asked = asked.or_else(|| is_plain.then(|| usual_sessions(text)).flatten());
    let is_called = |function: &outline::Function<'_>| {
        let is_session = |name: &String| name.contains("session") || name.contains("parametrize");
        if function.decorators.is_empty() || !function.decorators.iter().all(is_session) {
            return !function.decorators.is_empty();
        }
        match &asked {
            _ if lists => false,
            // A version of Python may stand behind the name, and the session may go by another.
            Some(asked) if is_plain && !text.contains("name=") => asked.contains(&function.name),
            _ => true,
        }
    };
    outline::without_uncalled(text, &is_called).unwrap_or_else(|| text.to_owned())
}

/// `nox.options.sessions = ["a", "b"]`: the sessions that are run where none is named (nox.thea.codes, "Modifying Nox's behavior in the Noxfile").
fn usual_sessions(text: &str) -> Option<Vec<&str>> {
    let (before, rest) = text.split_once("nox.options.sessions")?;
    let list = rest.trim_start().strip_prefix('=')?.trim_start();
    let list = list.strip_prefix(['[', '('])?;
    let list = list.get(..list.find([']', ')'])?)?;
    let is_plain = list.split(',').map(str::trim).all(|name| {
        name.is_empty() || name.starts_with(['"', '\'']) && name.ends_with(['"', '\''])
    });
    let is_top = before.is_empty() || before.ends_with('\n');
    let is_once = !rest.contains("options.sessions");
    (is_plain && is_top && is_once).then(|| list.split(['"', '\'']).skip(1).step_by(2).collect())
}

/// `run: {shell: FILE}`: what each command of a task is handed to (docs.pyinvoke.org, "Configuration").
fn shell_of_settings(walk: &mut dyn Host, file: &File, span: Span) {
    let root = directory_of(&file.path);
    let root = root.strip_suffix("/tasks").unwrap_or(root).to_owned();
    let names = ["invoke.yaml", "invoke.yml", "invoke.json", "fabric.yaml", "fabric.yml"];
    for file in project::all_in(walk, &root, &names) {
        walk.in_file(&file, "settings", span, |walk| {
            let tree = match file.path.ends_with(".json") {
                true => tree::json(&file.text),
                false => tree::yaml(&file.text),
            };
            let tree = project::whole(walk, tree);
            let shell = tree.root().and_then(|root| root.path(&["run", "shell"]));
            if let Some(shell) = shell
                && let Some(program) = shell.text().filter(|it| it.contains('/'))
            {
                project::in_directory(walk, Some(&root), |walk| {
                    walk.run(&project::arguments(&[program, "-c", "true"], shell.span), None);
                });
            }
        });
    }
}

/// The modules beside a file of tasks that it makes collections of, without the tasks that nobody asked for (docs.pyinvoke.org, "Constructing
/// namespaces"). Where one may go by another name, each counts.
fn collected(walk: &mut dyn Host, file: &File, words: &[String], span: Span) {
    /// How many modules are looked for.
    const MODULES: usize = 24;
    let root = directory_of(&file.path).to_owned();
    let mut names: Vec<String> = Vec::new();
    for line in file.text.lines() {
        let Some(rest) = line.strip_prefix("from .") else { continue };
        let (module, named) = rest.split_once("import").unwrap_or((rest, ""));
        let named = if module.trim().is_empty() { named } else { module };
        let parts = named.split([',', '(', ')', ' ']).map(str::trim);
        names.extend(parts.filter(|it| !it.is_empty() && *it != "as").map(str::to_owned));
    }
    // More of them are loaded whole.
    let names = names.into_iter().at_most(MODULES, &mut Unread(walk), Span::default());
    let names: Vec<String> = names.collect();
    for name in &names {
        walk.look(&format!("{root}/{name}.py"));
    }
    let files: Vec<File> =
        names.iter().filter_map(|name| walk.look(&format!("{root}/{name}.py")).file()).collect();
    let renames = |text: &str| {
        text.lines().any(|line| {
            line.contains("aliases")
                || line.contains("name=")
                    && ["@task", "add_task"].iter().any(|it| line.contains(it))
        })
    };
    let asked: Vec<String> = words
        .iter()
        .filter(|word| !word.starts_with('-'))
        .map(|word| word.rsplit('.').next().unwrap_or(word).replace('-', "_"))
        .collect();
    let defines = |name: &str| {
        let head = format!("def {name}(");
        files.iter().chain([file]).any(|file| file.text.contains(&head))
    };
    let is_plain = asked.iter().any(|name| defines(name))
        && !asked.iter().any(|name| names.contains(name))
        && !files.iter().chain([file]).any(|file| renames(&file.text));
    if !is_plain {
        return;
    }
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let outside: BTreeSet<&str> = file.text.split(|letter| !is_word(letter)).collect();
    let is_called = |function: &outline::Function<'_>| {
        let is_task =
            function.decorators.iter().all(|name| name == "task" || name.ends_with(".task"));
        match is_task && !function.decorators.is_empty() {
            true => asked.iter().any(|name| name == function.name),
            false => !function.decorators.is_empty() || outside.contains(function.name),
        }
    };
    let roots = [directory_of(&root).to_owned(), root];
    for file in files {
        if let Some(text) = outline::without_uncalled(&file.text, &is_called) {
            walk.load_text_from(&roots, "python", &File { text: text.into(), ..file }, span);
        }
    }
}

/// A file of tasks without those that neither the words nor an asked one name: their places are blank, so that all others stay where they are.
fn asked_for(text: &str, words: &[String]) -> String {
    let starts = |line: &str| !line.starts_with([' ', '\t', ')', '#']) && !line.trim().is_empty();
    let mut blocks: Vec<(Option<String>, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        let named = line.strip_prefix("async ").unwrap_or(line).strip_prefix("def ");
        let name = named.and_then(|it| it.split('(').next()).map(|it| it.trim().to_owned());
        match blocks.last_mut() {
            // The function under its decorators, and what belongs to either.
            Some((known, block)) if block.starts_with('@') && known.is_none() => {
                *known = name;
                block.push_str(line);
            }
            Some((_, block)) if !starts(line) => block.push_str(line),
            _ => blocks.push((None, line.to_owned())),
        }
    }
    // A task that goes by another name than its function's may be any.
    let renames = ["aliases", "add_task"].iter().any(|renames| text.contains(renames))
        || blocks.iter().any(|(_, block)| {
            let head = block.split("\ndef ").next().unwrap_or_default();
            block.starts_with("@task") && ["name=", "name ="].iter().any(|it| head.contains(it))
        });
    if renames {
        return text.to_owned();
    }
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let tasks: BTreeSet<&str> = blocks
        .iter()
        .filter(|(_, block)| block.starts_with("@task"))
        .filter_map(|(name, _)| name.as_deref())
        .collect();
    let is_task = |name: &Option<String>| name.as_deref().is_some_and(|it| tasks.contains(it));
    // What stands outside of tasks runs in any case, and whatever it names.
    let outside = blocks.iter().filter(|(name, _)| !is_task(name)).map(|(_, block)| block.as_str());
    let mut open: Vec<&str> = outside.flat_map(|block| block.split(|it| !is_word(it))).collect();
    let words: Vec<String> = words.iter().map(|word| word.replace('-', "_")).collect();
    open.extend(words.iter().map(|word| word.rsplit('.').next().unwrap_or(word)));
    let mut wanted: BTreeSet<&str> = BTreeSet::new();
    // What an asked task names is asked for by it.
    while let Some(name) = open.pop() {
        if tasks.contains(name) && wanted.insert(name) {
            let named = blocks.iter().filter(|(known, _)| known.as_deref() == Some(name));
            open.extend(named.flat_map(|(_, block)| block.split(|it| !is_word(it))));
        }
    }
    let asked = words.iter().map(|word| word.rsplit('.').next().unwrap_or(word));
    let asks = asked.filter(|word| tasks.contains(word)).count() > 0;
    let blank = |block: &str| {
        block
            .chars()
            .map(|it| if it == '\n' { "\n".to_owned() } else { " ".repeat(it.len_utf8()) })
            .collect()
    };
    let kept = blocks.iter().map(|(name, block)| match name {
        Some(task) if asks && is_task(name) && !wanted.contains(task.as_str()) => blank(block),
        _ => block.clone(),
    });
    kept.collect()
}

/// How a task starts programs: pyinvoke.org "Context", docs.fabfile.org "Connection", nox.thea.codes "Session", pydoit.org "Actions",
/// snakemake.readthedocs.io "Rules", scons.org "Command", waf.io/book "exec_command".
fn calls(program: &str) -> &'static [Call] {
    match program {
        "nox" => {
            &[(".run", Given::Words), (".run_always", Given::Words), (".run_install", Given::Words)]
        }
        "doit" => &[("'actions':", Given::Commands), ("\"actions\":", Given::Commands)],
        "scons" => &[("Command", Given::Commands), ("action", Given::Commands)],
        "snakemake" => &[("shell:", Given::Command), ("shell", Given::Command)],
        "waf" => &[
            (".exec_command", Given::Command),
            (".cmd_and_log", Given::Command),
            ("rule", Given::Command),
        ],
        _ => &[(".run", Given::Command), (".sudo", Given::Command), (".local", Given::Command)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_have_their_commands() {
        let text = "web: a --b :80\n# no: x\nworker:c\nbad line\n";
        let found: Vec<(&str, &str)> = processes(text)
            .into_iter()
            .map(|(name, span)| (name, text.get(span.range()).unwrap()))
            .collect();
        assert_eq!(found, [("web", "a --b :80"), ("worker", "c")]);
    }

    #[test]
    fn what_nobody_asked_for_is_left_out() {
        let text = "import os\n@task\ndef a(c):\n    c.run('é')\n\n@task(\n    pre=[d],\n)\ndef b(c):\n    pass\n@task\ndef d(c):\n    c.run('y')\nx = 1\n";
        let kept = asked_for(text, &["b".to_owned()]);
        assert_eq!(kept.len(), text.len());
        assert!(!kept.contains('é') && kept.contains("'y'") && kept.ends_with("x = 1\n"));
        assert_eq!(asked_for(text, &["unknown".to_owned()]), text);
        // Called by the file itself, by another name, or in a collection.
        for (more, word) in [("a(None)\n", "b"), ("# aliases\n", "b"), ("", "docs.a")] {
            let text = format!("{text}{more}");
            assert!(asked_for(&text, &["b".to_owned(), word.to_owned()]).contains('é'), "{more}");
        }
    }
}
