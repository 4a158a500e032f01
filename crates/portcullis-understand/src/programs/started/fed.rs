//! Programs that are given a file to act on: statements for a database, objects for a cluster. Owns which option names the file; what the
//! text does is what the same text does on the program's input, so that one reading judges both.

use super::{Starter, project};
use crate::bound::Bounded as _;
use crate::{
    effect::Argument,
    programs::found::{File, Found},
    programs::host::{Host, Unread},
    programs::invocation::Invocation,
    programs::options,
    text::{KNOWN_BYTES, Text},
};

pub(super) static DATABASES: Starter = Starter {
    programs: &["cqlsh", "duckdb", "mysql", "psql", "redis-cli", "sqlcmd", "sqlite3"],
    start: statements,
};

pub(super) static CLUSTERS: Starter = Starter { programs: &["kubectl", "oc"], start: objects };

pub(super) static KUSTOMIZE: Starter = Starter { programs: &["kustomize"], start: built };
pub(super) static PODS: Starter = Starter { programs: &["podman"], start: played };

/// How deep directories take in each other.
const NESTED: usize = 6;

/// How many files of one directory are read.
const FILES: usize = 48;

/// `psql -f FILE`, `sqlcmd -i FILE`, `mysql < FILE` (postgresql.org/docs/current/app-psql.html; the option of each in its manual).
fn statements(walk: &mut dyn Host, invocation: &Invocation) {
    let options: &[&str] = match invocation.program.as_str() {
        "psql" | "cqlsh" => &["-f", "--file"],
        "sqlcmd" => &["-i"],
        "sqlite3" => &["-init"],
        "duckdb" => &["-init", "-f"],
        _ => &[],
    };
    let mut paths: Vec<String> = Vec::new();
    for option in options {
        for file in options::values_of(&invocation.arguments, option) {
            paths.extend(walk.target(&file.text).path);
        }
    }
    if let Some(input) = &invocation.input {
        paths.extend(walk.copied_file(input));
        // Several files are one text.
        if let Some(text) = walk.with_copies(input)
            && let Some(text) = text.as_known()
        {
            let program = Text::known(invocation.program.as_str());
            let program = Argument { text: program, span: invocation.name.span };
            walk.run(&[program], Some(Text::known(text)));
        }
    }
    // Commands of the program itself on its command line: `.read FILE`, `source FILE`, `\\i FILE`.
    for word in invocation.arguments.iter().filter_map(|word| word.text.as_known()) {
        for command in word.split([';', '\n']).map(str::trim) {
            let named = [".read ", "source ", "\\i ", "\\. ", "\\ir "]
                .iter()
                .find_map(|start| command.strip_prefix(start));
            if let Some(name) = named {
                let name = name.trim().trim_matches(['\'', '"']);
                paths.extend(walk.target(&Text::known(name)).path);
            }
        }
    }
    for path in paths {
        feed(walk, invocation, &path, &[invocation.program.as_str()]);
    }
}

/// A program is given the text of a file as its input.
fn feed(walk: &mut dyn Host, invocation: &Invocation, path: &str, words: &[&str]) {
    let Some(file) = walk.look(path).file() else { return };
    walk.in_file(&file, "input", invocation.span, |walk| {
        let span = portcullis_syntax::Span::new(0, file.text.len());
        let words: Vec<Argument> =
            words.iter().map(|word| Argument { text: Text::known(*word), span }).collect();
        let is_objects = words.first().is_some_and(|word| word.text.as_known() == Some("kubectl"));
        for piece in pieces(walk, &file.text, is_objects) {
            walk.run(&words, Some(Text::known(piece)));
        }
        if words.first().is_some_and(|word| matches!(word.text.as_known(), Some("kubectl"))) {
            let tree = project::whole(walk, super::tree::yaml(&file.text));
            for document in &tree.documents {
                pods(walk, document);
            }
        }
        // Other files that it takes in: `\i FILE`, `source FILE`, `.read FILE`.
        for line in file.text.lines() {
            let line = line.trim().trim_end_matches(';');
            let included =
                ["\\i ", "\\ir ", "\\include ", "\\include_relative ", "source ", ".read ", ":r "]
                    .iter()
                    .find_map(|word| line.strip_prefix(word));
            let Some(name) = included.map(|name| name.trim().trim_matches(['\'', '"'])) else {
                continue;
            };
            let here = crate::programs::found::directory_of(path).to_owned();
            let from_here = format!("{here}/{name}");
            let from_there = walk.target(&Text::known(name)).path;
            for path in from_there.into_iter().chain([from_here]) {
                feed(walk, invocation, &path, &[invocation.program.as_str()]);
            }
        }
    });
}

/// A text in pieces of which each is kept whole, divided where statements end. Where none ends, the rest is left unread, which is said.
fn pieces<'t>(walk: &mut dyn Host, text: &'t str, is_whole: bool) -> Vec<&'t str> {
    const PIECE: usize = KNOWN_BYTES / 2;
    let mut pieces = Vec::new();
    let mut rest = text;
    while rest.len() > KNOWN_BYTES && !is_whole {
        let head = rest.get(..rest.floor_char_boundary(PIECE)).unwrap_or_default();
        let Some(end) = head.rfind(";\n").map(|at| at + 2) else {
            let at = text.len() - rest.len();
            walk.left_unread(portcullis_syntax::Span::new(at, text.len()));
            return pieces;
        };
        let (piece, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
        pieces.push(piece);
        rest = behind;
    }
    pieces.push(rest);
    pieces
}

/// What the containers of pods are told to run, wherever the objects of a manifest have them.
pub(super) fn pods(walk: &mut dyn Host, document: &super::tree::Node) {
    let mut specifications = Vec::new();
    document.visit(&mut |node| {
        if node.get("containers").is_some_and(|it| !it.items().is_empty()) {
            specifications.push(node);
        }
    });
    for specification in specifications {
        for key in ["initContainers", "containers"] {
            for container in
                specification.get(key).map(super::tree::Node::items).unwrap_or_default()
            {
                let mut words =
                    container.get("command").map(super::tree::Node::words).unwrap_or_default();
                words.extend(
                    container.get("args").map(super::tree::Node::words).unwrap_or_default(),
                );
                if words.is_empty() {
                    continue;
                }
                let words: Vec<Argument> = words
                    .iter()
                    .map(|word| Argument { text: Text::known(word.as_str()), span: container.span })
                    .collect();
                walk.in_container(|walk| walk.run(&words, None));
            }
        }
    }
}

/// `kubectl apply -f FILE|DIRECTORY`, `-k DIRECTORY` (kubernetes.io, "kubectl apply"); a dry run and a comparison change nothing.
fn objects(walk: &mut dyn Host, invocation: &Invocation) {
    let words: Vec<String> = invocation.arguments.iter().map(|word| word.text.display()).collect();
    let is_dry = words.iter().any(|word| {
        matches!(word.as_str(), "--dry-run" | "--dry-run=client" | "--dry-run=server" | "--help")
    });
    let changes = words.iter().any(|word| matches!(word.as_str(), "apply" | "create" | "replace"));
    if is_dry || !changes {
        return;
    }
    let mut paths: Vec<String> = Vec::new();
    for option in ["-f", "--filename"] {
        for file in options::values_of(&invocation.arguments, option) {
            paths.extend(walk.target(&file.text).path);
        }
    }
    for option in ["-k", "--kustomize"] {
        for directory in options::values_of(&invocation.arguments, option) {
            if let Some(path) = walk.target(&directory.text).path {
                paths.extend(customised(walk, &path, 0));
            }
        }
    }
    for path in paths {
        match walk.look(&path) {
            Found::Directory(names) => {
                let is_manifest = |name: &&String| {
                    [".yaml", ".yml", ".json"].iter().any(|ending| name.ends_with(ending))
                };
                let manifests = names.iter().filter(is_manifest);
                for name in manifests.at_most(FILES, &mut Unread(walk), invocation.span) {
                    let path = format!("{}/{name}", path.trim_end_matches('/'));
                    feed(walk, invocation, &path, &["kubectl", "apply", "-f", "-"]);
                }
            }
            _ => feed(walk, invocation, &path, &["kubectl", "apply", "-f", "-"]),
        }
    }
}

/// `podman kube play FILE`: objects of a cluster as containers of this machine (docs.podman.io, "podman-kube-play").
fn played(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let values = ["--configmap", "--log-driver", "--network", "--publish", "--annotation"];
    let operands = project::operands(&words, &values);
    let (["kube", "play" | "apply", rest @ ..] | ["play", "kube", rest @ ..]) = operands.as_slice()
    else {
        return;
    };
    if project::has(&words, &["--help", "-h", "--down"]) {
        return;
    }
    for name in rest {
        if let Some(path) = walk.target(&Text::known(*name)).path {
            feed(walk, invocation, &path, &["kubectl", "apply", "-f", "-"]);
        }
    }
}

/// `kustomize build --enable-exec DIRECTORY`: functions that are programs, named by a generator, a transformer or a validator
/// (kubectl.docs.kubernetes.io, "Exec KRM functions").
fn built(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let values =
        ["-o", "--output", "--helm-command", "--load-restrictor", "-e", "--env", "--mount"];
    let operands = project::operands(&words, &values);
    if let Some(program) =
        project::option(&words, &["--helm-command"]).filter(|it| it.contains('/'))
    {
        walk.run(&project::arguments(&[program], invocation.span), None);
    }
    let (Some(&"build" | &"fn"), true) =
        (operands.first(), project::has(&words, &["--enable-exec"]))
    else {
        return;
    };
    let named = operands.get(1).copied().unwrap_or(".");
    if let Some(root) = walk.target(&Text::known(named)).path {
        functions(walk, &root, invocation.span, 0);
    }
}

fn functions(walk: &mut dyn Host, root: &str, span: portcullis_syntax::Span, depth: usize) {
    if depth > NESTED {
        walk.left_unread(span);
        return;
    }
    for name in ["kustomization.yaml", "kustomization.yml", "Kustomization"] {
        let Some(file) = walk.look(&format!("{root}/{name}")).file() else { continue };
        let tree = project::whole(walk, super::tree::yaml(&file.text));
        for key in ["generators", "transformers", "validators"] {
            let listed = tree.root().and_then(|root| root.get(key));
            for item in listed.iter().flat_map(|it| it.items()) {
                let Some(text) = item.text() else { continue };
                // A file, or the object itself.
                let inner = walk.look(&project::joined(root, text)).file();
                let text = inner.as_ref().map_or(text, |file| &*file.text).to_owned();
                for path in executed(&text) {
                    let path = crate::paths::normal(&project::joined(root, &path));
                    walk.run(&project::arguments(&[path], span), None);
                }
            }
        }
        for key in ["resources", "bases", "components"] {
            let listed = tree.root().and_then(|root| root.get(key));
            for item in listed.iter().flat_map(|it| it.items()).filter_map(|it| it.text()) {
                if !item.contains("://")
                    && ![".yaml", ".yml", ".json"].iter().any(|it| item.ends_with(it))
                {
                    let inner = crate::paths::normal(&project::joined(root, item));
                    functions(walk, &inner, span, depth + 1);
                }
            }
        }
    }
}

/// The programs of functions in objects: `config.kubernetes.io/function: "exec: {path: ./x}"`.
fn executed(text: &str) -> Vec<String> {
    let tree = super::tree::yaml(text);
    let mut found = Vec::new();
    for document in &tree.documents {
        let annotations = document.path(&["metadata", "annotations"]);
        let function = annotations.and_then(|it| it.text_of("config.kubernetes.io/function"));
        let inner = super::tree::yaml(function.unwrap_or_default());
        let path = inner.root().and_then(|root| root.path(&["exec", "path"]));
        found.extend(path.and_then(super::tree::Node::text).map(str::to_owned));
    }
    found
}

/// The files that a `kustomization.yaml` takes in.
fn customised(walk: &mut dyn Host, directory: &str, depth: usize) -> Vec<String> {
    let mut paths = Vec::new();
    if depth > NESTED {
        let nowhere = portcullis_syntax::Span::default();
        walk.left_unread(nowhere);
        return paths;
    }
    for name in ["kustomization.yaml", "kustomization.yml", "Kustomization"] {
        let Some(file) = walk.look(&format!("{directory}/{name}")).file() else { continue };
        let tree = project::whole(walk, super::tree::yaml(&file.text));
        for key in ["resources", "bases", "components"] {
            let Some(listed) = tree.root().and_then(|root| root.get(key)) else { continue };
            for item in listed.items().iter().filter_map(super::tree::Node::text) {
                let Some(path) = walk.target(&Text::known(format!("{directory}/{item}"))).path
                else {
                    continue;
                };
                match item.ends_with(".yaml") || item.ends_with(".yml") || item.ends_with(".json") {
                    true => paths.push(path),
                    false => paths.extend(customised(walk, &path, depth + 1)),
                }
            }
        }
        paths.extend(patched(walk, &file, &tree, directory));
    }
    paths
}

/// What a `kustomization.yaml` changes of the objects that it takes in: files of patches, and patches that stand in it (kubectl.docs.kubernetes.io,
/// "patches", "patchesStrategicMerge"). A patch is part of an object.
fn patched(
    walk: &mut dyn Host,
    file: &File,
    tree: &super::tree::Tree,
    directory: &str,
) -> Vec<String> {
    let mut paths = Vec::new();
    let mut texts: Vec<(String, portcullis_syntax::Span)> = Vec::new();
    for key in ["patches", "patchesStrategicMerge", "patchesJson6902"] {
        let listed = tree.root().and_then(|root| root.get(key));
        for item in listed.iter().flat_map(|it| it.items()) {
            let named = item.text().or_else(|| item.text_of("path"));
            let inline = item.text_of("patch").or_else(|| named.filter(|it| it.contains('\n')));
            if let Some(text) = inline {
                texts.push((text.to_owned(), item.span));
            } else if let Some(name) = named {
                paths.push(crate::paths::normal(&project::joined(directory, name)));
            }
        }
    }
    walk.in_file(file, "input", portcullis_syntax::Span::default(), |walk| {
        for (text, span) in texts {
            let words = project::arguments(&["kubectl", "apply", "-f", "-"], span);
            walk.run(&words, Some(Text::known(text.as_str())));
            for document in &project::whole(walk, super::tree::yaml(&text)).documents {
                pods(walk, document);
            }
        }
    });
    paths
}
