//! Terraform and OpenTofu: programs that a plan asks (`data "external"`), commands that an apply runs on this machine (`local-exec`), and where
//! modules come from (developer.hashicorp.com/terraform: "External Data Source", "local-exec Provisioner", "Module Sources"). Owns which verb
//! runs which; what is created and destroyed in a cloud is said by the rules on the command.

use std::collections::BTreeMap;

use portcullis_syntax::Span;

use super::{Starter, project, template, tree};
use crate::{
    bound::Bounded,
    programs::found::{File, Found},
    programs::host::{Host, Unread},
    programs::invocation::Invocation,
    text::Text,
};

pub(super) static TERRAFORM: Starter =
    Starter { programs: &["terraform", "terragrunt", "tofu"], start };

/// How files of a module end.
const SOURCES: &[&str] = &[".tf", ".tf.json", ".tofu", ".tofu.json", "terragrunt.hcl"];

/// How many files of one module are read.
const FILES: usize = 48;

/// How deep modules of the project use each other.
const NESTED: usize = 4;

/// What a verb runs.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
struct Runs {
    /// Programs that are asked for values.
    asks: bool,
    /// Commands of what is created and destroyed.
    changes: bool,
    /// Modules are fetched.
    fetches: bool,
}

fn runs(words: &[String]) -> Runs {
    let verb = words.iter().find(|word| !word.starts_with('-')).map_or("", String::as_str);
    if project::has(words, &["-help", "--help", "-h"]) {
        return Runs::default();
    }
    match verb {
        "init" | "get" => Runs { fetches: true, ..Runs::default() },
        "plan" | "refresh" | "import" | "console" | "test" => {
            Runs { asks: true, changes: verb == "test", fetches: false }
        }
        "apply" | "destroy" => Runs { asks: true, changes: true, fetches: false },
        _ => Runs::default(),
    }
}

/// What expressions call the directory of the root module, wherever they stand.
const ROOTS: &[&str] = &["path.root", "path.cwd"];

/// What variables and locals hold, by the names that expressions have for them.
type Values = BTreeMap<String, String>;

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let runs = runs(&words);
    if runs == Runs::default() {
        return;
    }
    let directory = words
        .iter()
        .find_map(|word| word.strip_prefix("-chdir=").or_else(|| word.strip_prefix("--chdir=")))
        .map(str::to_owned);
    project::in_directory(walk, directory.as_deref(), |walk| {
        if let Some(root) = walk.directory().map(str::to_owned) {
            let mut values = given(walk, &root, &words, invocation.span);
            for name in ROOTS {
                values.insert((*name).to_owned(), root.clone());
            }
            module(walk, &root, invocation, runs, (0, &values));
        }
    });
}

/// What the command line and files of values say, in the order in which they count ("Assigning Values to Root Module Variables").
fn given(walk: &mut dyn Host, root: &str, words: &[String], span: Span) -> Values {
    let mut values = Values::new();
    let mut paths: Vec<String> = Vec::new();
    if let Found::Directory(names) = walk.look(root) {
        let is_values = |name: &&String| {
            [".auto.tfvars", ".auto.tfvars.json"].iter().any(|end| name.ends_with(end))
                || matches!(name.as_str(), "terraform.tfvars" | "terraform.tfvars.json")
        };
        let found = names.iter().filter(is_values).at_most(FILES, &mut Unread(walk), span);
        paths.extend(found.map(|name| project::joined(root, name)));
    }
    let named =
        words.iter().filter_map(|word| word.trim_start_matches('-').strip_prefix("var-file="));
    paths.extend(named.map(|name| project::joined(root, name)));
    for path in &paths {
        walk.look(path);
    }
    for path in &paths {
        let Some(file) = walk.look(path).file() else { continue };
        let tree = match path.ends_with(".json") {
            true => tree::json(&file.text),
            false => tree::blocks(&file.text),
        };
        for (name, value) in tree.root().into_iter().flat_map(tree::Node::entries) {
            values.extend(value.text().map(|value| (format!("var.{name}"), value.to_owned())));
        }
    }
    for (at, word) in words.iter().enumerate() {
        let pair = match word.as_str() {
            "-var" | "--var" => words.get(at + 1).map(String::as_str),
            word => word.trim_start_matches('-').strip_prefix("var="),
        };
        let pair = pair.and_then(|pair| pair.split_once('='));
        values.extend(pair.map(|(name, value)| (format!("var.{name}"), value.to_owned())));
    }
    values
}

/// What variables hold where nothing else is said, and what locals hold.
fn defaults(root: &tree::Node, values: &mut Values) {
    for (kind, node) in root.entries() {
        for (name, inner) in node.entries() {
            let (name, value) = match kind {
                "variable" => (format!("var.{name}"), inner.text_of("default")),
                "locals" => (format!("local.{name}"), inner.text()),
                _ => continue,
            };
            if let Some(value) = value {
                values.entry(name).or_insert_with(|| value.to_owned());
            }
        }
    }
}

fn module(
    walk: &mut dyn Host,
    directory: &str,
    invocation: &Invocation,
    runs: Runs,
    (depth, given): (usize, &Values),
) {
    let Found::Directory(names) = walk.look(directory) else { return };
    let is_source = |name: &&String| SOURCES.iter().any(|end| name.ends_with(end));
    let paths: Vec<String> = names
        .iter()
        .filter(is_source)
        .at_most(FILES, walk, invocation.span)
        .map(|name| project::joined(directory, name))
        .collect();
    let found: Vec<Option<File>> = paths.iter().map(|path| walk.look(path).file()).collect();
    let mut values = given.clone();
    for file in found.iter().flatten() {
        let tree = match file.path.ends_with(".json") {
            true => tree::json(&file.text),
            false => tree::blocks(&file.text),
        };
        if let Some(root) = tree.root() {
            defaults(root, &mut values);
        }
    }
    let values = &values;
    for file in found.into_iter().flatten() {
        let modules = walk.in_file(&file, "terraform", invocation.span, |walk| {
            let tree = match file.path.ends_with(".json") {
                true => tree::json(&file.text),
                false => tree::blocks(&file.text),
            };
            let tree = project::whole(walk, tree);
            let modules = tree
                .root()
                .map(|root| follow(walk, root, (directory, values), runs))
                .unwrap_or_default();
            if tree.cut {
                walk.left_unread(Span::new(0, file.text.len()));
            }
            modules
        });
        for inner in modules.unwrap_or_default() {
            let inner = crate::paths::normal(&project::joined(directory, &inner));
            if depth < NESTED {
                let roots = given.iter().filter(|(name, _)| ROOTS.contains(&name.as_str()));
                let values = roots.map(|(name, value)| (name.clone(), value.clone())).collect();
                module(walk, &inner, invocation, runs, (depth + 1, &values));
            } else {
                walk.left_unread(invocation.span);
            }
        }
    }
}

/// Says what a file runs; gives the modules of the project that it uses.
fn follow(
    walk: &mut dyn Host,
    root: &tree::Node,
    directory: (&str, &Values),
    runs: Runs,
) -> Vec<String> {
    let mut modules = Vec::new();
    for (kind, node) in root.entries() {
        match kind {
            "data" if runs.asks => {
                for (_, data) in node
                    .entries()
                    .filter(|(kind, _)| *kind == "external")
                    .flat_map(|(_, named)| named.entries())
                {
                    command(walk, data.get("program"), data.get("working_dir"), directory);
                }
                for (_, data) in node
                    .entries()
                    .filter(|(kind, _)| *kind == "http")
                    .flat_map(|(_, named)| named.entries())
                {
                    asked(walk, data, directory);
                }
            }
            "resource" if runs.changes => {
                for (kind, named) in node.entries() {
                    let is_file = matches!(kind, "local_file" | "local_sensitive_file");
                    for (_, file) in named.entries().filter(|_| is_file) {
                        written(walk, file, directory);
                    }
                }
                node.visit(&mut |inner| {
                    if let Some(local) =
                        inner.get("provisioner").and_then(|it| it.get("local-exec"))
                    {
                        local_exec(walk, local, directory);
                    }
                });
            }
            "terraform" if runs.changes || runs.asks => {
                // Terragrunt: `before_hook`, `after_hook` with `execute`.
                for (_, hook) in node
                    .entries()
                    .filter(|(kind, _)| kind.ends_with("_hook"))
                    .flat_map(|(_, named)| named.entries())
                {
                    command(walk, hook.get("execute"), None, directory);
                }
            }
            "module" => {
                for (_, module) in node.entries() {
                    let Some(source) = module.get("source") else { continue };
                    let Some(text) = source.text() else { continue };
                    if text.starts_with('.') {
                        modules.push(text.to_owned());
                    } else if runs.fetches
                        && let Some(address) = address(text)
                    {
                        project::taken_from(walk, &address, source.span);
                    }
                }
            }
            _ => {}
        }
    }
    modules
}

/// `data "http"`: what is sent along with the question (registry.terraform.io, "http").
fn asked(walk: &mut dyn Host, data: &tree::Node, module: (&str, &Values)) {
    let Some(address) = data.text_of("url").map(|it| filled(it, module)) else { return };
    let mut words = vec!["curl".to_owned(), "-s".to_owned()];
    let bodies = data.get("request_body").into_iter().chain(
        data.get("request_headers").into_iter().flat_map(|it| it.entries()).map(|(_, it)| it),
    );
    for body in bodies {
        let Some(text) = body.text() else { continue };
        match file_in(text) {
            Some(path) => words.extend(["-d".to_owned(), format!("@{}", filled(&path, module))]),
            None => words.extend(["-d".to_owned(), filled(text, module)]),
        }
    }
    words.push(address);
    let code = words.iter().map(|word| home_first(word)).collect::<Vec<_>>().join(" ");
    walk.shell(&Text::known(code), data.span, &[], None);
}

/// A word for a shell that puts the home in.
fn home_first(word: &str) -> String {
    match word
        .strip_prefix("@~/")
        .map(|rest| ("@", rest))
        .or(word.strip_prefix("~/").map(|rest| ("", rest)))
    {
        Some((mark, rest)) => format!("{mark}\"$HOME\"/{}", super::quoted(rest)),
        None => super::quoted(word),
    }
}

/// The path in `file(pathexpand("x"))`, `filebase64("x")`.
fn file_in(text: &str) -> Option<String> {
    let at =
        ["file(", "filebase64(", "templatefile("].iter().find_map(|call| text.split_once(call));
    let (_, rest) = at?;
    rest.split('"').nth(1).map(str::to_owned)
}

/// `local_file`: a file of this machine with its content.
fn written(walk: &mut dyn Host, node: &tree::Node, module: (&str, &Values)) {
    let Some(name) = node.text_of("filename") else { return };
    let path = match name.split_once("pathexpand(") {
        Some((_, rest)) => rest.split('"').nth(1).unwrap_or(name),
        None => name,
    };
    let path = filled(path, module);
    let content = node.text_of("content").map(|it| filled(it, module)).unwrap_or_default();
    let code = format!("printf '%s' {} > {}", super::quoted(&content), home_first(&path));
    walk.shell(&Text::known(code), node.span, &[], None);
}

/// The address of a module that is fetched from no registry: `git::https://…`, `https://….zip`, `s3::…`.
fn address(source: &str) -> Option<String> {
    let source = source.split("?ref=").next().unwrap_or(source);
    let bare = source.rsplit_once("::").map_or(source, |(_, bare)| bare);
    (bare.contains("://") || bare.starts_with("git@")).then(|| bare.to_owned())
}

fn command(
    walk: &mut dyn Host,
    program: Option<&tree::Node>,
    directory: Option<&tree::Node>,
    module: (&str, &Values),
) {
    let Some(program) = program else { return };
    let words: Vec<String> = program.words().iter().map(|word| filled(word, module)).collect();
    let directory = directory.and_then(tree::Node::text).map(|it| filled(it, module));
    project::in_directory(walk, directory.as_deref(), |walk| {
        walk.run(&project::arguments(&words, program.span), None)
    });
}

fn local_exec(walk: &mut dyn Host, node: &tree::Node, module: (&str, &Values)) {
    let Some(command) = node.get("command") else { return };
    let Some(code) = command.text() else { return };
    let code = filled(code, module);
    for (name, value) in node.get("environment").iter().flat_map(|it| it.entries()) {
        if let Some(value) = value.text().filter(|value| !value.contains("${")) {
            walk.environment_of(name, &Text::known(value), command.span);
        }
    }
    let directory = node.text_of("working_dir").map(|it| filled(it, module));
    project::in_directory(walk, directory.as_deref(), |walk| match node.get("interpreter") {
        Some(interpreter) => {
            let mut words = interpreter.words();
            words.push(code);
            walk.run(&project::arguments(&words, command.span), None);
        }
        None => {
            walk.shell(&Text::known(code), command.span, &[], None);
        }
    });
}

/// Paths of the module and values that are known; any other expression is a value that nobody knows.
fn filled(text: &str, (module, values): (&str, &Values)) -> String {
    if let Some(value) = values.get(text.trim()) {
        return value.clone();
    }
    template::filled(text, "${", "}", |name| match name {
        "path.module" => module.to_owned(),
        other => match values.get(other) {
            Some(value) => value.clone(),
            None => template::variable("TF_", other),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_run_what_the_manual_says() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for (line, asks, changes, fetches) in [
            ("plan -out x", true, false, false),
            ("apply -auto-approve", true, true, false),
            ("init", false, false, true),
            ("validate", false, false, false),
            ("fmt -check", false, false, false),
            ("plan -help", false, false, false),
        ] {
            assert_eq!(runs(&words(line)), Runs { asks, changes, fetches }, "{line}");
        }
    }

    #[test]
    fn modules_of_registries_have_no_address() {
        for (source, expected) in [
            ("terraform-aws-modules/vpc/aws", None),
            ("git::http://a/b.git?ref=v1", Some("http://a/b.git")),
            ("https://a/b.zip", Some("https://a/b.zip")),
            ("github.com/a/b", None),
        ] {
            assert_eq!(address(source).as_deref(), expected);
        }
        let mut values = Values::new();
        for (text, path) in [
            ("file(pathexpand(\"~/x\"))", Some("~/x")),
            ("base64encode(file(\"y\"))", Some("y")),
            ("jsonencode({})", None),
        ] {
            assert_eq!(file_in(text).as_deref(), path, "{text}");
        }
        let text = "${path.module}/x ${var.y}";
        assert_eq!(filled(text, ("/m", &values)), "/m/x ${TF_var_y}");
        values.insert("var.y".to_owned(), "z".to_owned());
        assert_eq!(filled(text, ("/m", &values)), "/m/x z");
        assert_eq!(filled("var.y", ("/m", &values)), "z");
    }
}
