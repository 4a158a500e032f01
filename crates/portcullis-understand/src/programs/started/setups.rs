//! What an installation or a build of a Python package runs of the package itself, and where it takes others from: `setup.py`, backends that stand in
//! the project, hooks of backends (packaging.python.org, "pyproject.toml specification"; setuptools.pypa.io; hatch.pypa.io, "Build hooks"), options in
//! requirement files (pip.pypa.io, "Requirements File Format"), sources of `poetry`, `pdm`, `uv` and `pipenv`.

use portcullis_syntax::Span;

use super::{Starter, project, tree};
use crate::{
    bound::Bounded,
    programs::found::{File, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
};

pub(super) static PIP: Starter = Starter { programs: &["pip", "uv"], start: pip };
pub(super) static BUILDERS: Starter = Starter {
    programs: &[
        "build",
        "flit",
        "hatch",
        "maturin",
        "pdm",
        "pipenv",
        "poetry",
        "pyproject-build",
        "rye",
        "twine",
    ],
    start: builders,
};
pub(super) static MODULES: Starter =
    Starter { programs: &["python", "python2", "python3", "pypy", "pypy3"], start: modules };

/// How deep requirement files name each other.
const NESTED: usize = 4;

/// Options of installers that take a value.
const VALUES: &[&str] = &[
    "--cache-dir",
    "--config-settings",
    "--constraint",
    "--extra-index-url",
    "--find-links",
    "--index-url",
    "--log",
    "--only-binary",
    "--no-binary",
    "--platform",
    "--prefix",
    "--proxy",
    "--python",
    "--python-version",
    "--requirement",
    "--root",
    "--target",
    "--timeout",
    "--trusted-host",
    "--extra",
    "--group",
    "-c",
    "-f",
    "-i",
    "-p",
    "-r",
    "-t",
];

fn pip(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    installed(walk, invocation, &invocation.program, &words);
}

/// `python -m pip …`, `python -m build`.
fn modules(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let Some(at) = words.iter().position(|word| word == "-m") else { return };
    let rest = words.get(at + 2..).unwrap_or_default();
    match words.get(at + 1).map(String::as_str) {
        Some("pip") => installed(walk, invocation, "pip", rest),
        // The tests that are found are those that another runner finds as well (docs.python.org, "unittest").
        Some("unittest") => {
            let folder = project::option(rest, &["-s", "--start-directory"]);
            let mut line = vec!["pytest"];
            line.extend(folder);
            walk.run(&project::arguments(&line, invocation.span), None);
            if let Some(pattern) = project::option(rest, &["-p", "--pattern"]) {
                found_by(walk, folder.unwrap_or("."), pattern, invocation.span);
            }
        }
        Some("build") => {
            let root = project::operands(rest, &["-o", "--outdir", "-C", "--config-setting"])
                .first()
                .map_or(".", |it| *it)
                .to_owned();
            package(walk, &root, invocation.span);
        }
        _ => {}
    }
}

/// How many tests are read that a pattern finds, and how deep they lie.
const TESTS: usize = 24;
const DEPTH: usize = 3;

/// `unittest discover -p PATTERN`: the modules below a folder whose names it matches.
fn found_by(walk: &mut dyn Host, folder: &str, pattern: &str, span: Span) {
    let Some(root) = walk.target(&Text::known(folder)).path else { return };
    let is_test = |name: &str| name.ends_with(".py") && crate::pattern::matches(pattern, name);
    let found = walk.in_project(|walk| {
        let found = project::below(walk, &root, DEPTH, span, &is_test);
        found.iter().at_most(TESTS, walk, span).cloned().collect::<Vec<_>>()
    });
    for path in &found {
        walk.look(path);
    }
    for path in &found {
        walk.load_from(std::slice::from_ref(&root), "python", path, span);
    }
}

fn installed(walk: &mut dyn Host, invocation: &Invocation, program: &str, words: &[String]) {
    let span = invocation.span;
    if project::has(words, &["--help", "-h", "--dry-run"]) {
        return;
    }
    let rest = match (program, words) {
        ("uv", [verb, rest @ ..])
            if matches!(verb.as_str(), "sync" | "build" | "run" | "lock" | "export") =>
        {
            settings(walk, span);
            if verb == "run" {
                inline(walk, rest, span);
            }
            let root = match verb.as_str() {
                "build" => project::operands(rest, VALUES).first().map_or(".", |it| *it).to_owned(),
                _ => ".".to_owned(),
            };
            if verb != "lock"
                && verb != "export"
                && !project::has(
                    rest,
                    &["--no-install-project", "--no-project", "--no-sync", "--frozen-none"],
                )
            {
                package(walk, &root, span);
            }
            return;
        }
        ("uv", [pip, verb, rest @ ..])
            if pip == "pip" && matches!(verb.as_str(), "install" | "sync" | "compile") =>
        {
            rest
        }
        ("uv", _) => return,
        (_, [verb, rest @ ..]) if matches!(verb.as_str(), "install" | "wheel" | "download") => rest,
        _ => return,
    };
    configured(walk, span);
    for name in project::options(rest, &["-r", "--requirement", "-c", "--constraint"]) {
        // In a container it shows one of the project's.
        if let Some(path) = walk.followed(&Text::known(name)).path {
            requirements(walk, &path, span, 0);
        }
    }
    let mut places: Vec<String> =
        project::options(rest, &["-e", "--editable"]).into_iter().map(str::to_owned).collect();
    let operands = project::operands(rest, VALUES);
    places.extend(
        operands.into_iter().filter(|word| word.starts_with(['.', '/', '~'])).map(str::to_owned),
    );
    for place in places {
        let place = place.split('[').next().unwrap_or_default();
        let place = place.strip_prefix("file://").unwrap_or(place);
        if !place.contains("://") && !place.ends_with(".whl") && !place.ends_with(".gz") {
            package(walk, place, span);
        }
    }
}

/// What builds the package in a directory.
pub(super) fn package(walk: &mut dyn Host, place: &str, span: Span) {
    project::in_directory(walk, Some(place), |walk| {
        let Some(root) = walk.directory().map(str::to_owned) else { return };
        let looked = ["setup.py", "pyproject.toml", "hatch_build.py", "build.py", "setup.cfg"]
            .map(|name| format!("{root}/{name}"));
        for path in &looked {
            walk.look(path);
        }
        let settings = walk.look(&format!("{root}/pyproject.toml")).file();
        if let Some(file) = &settings {
            needed(walk, file, span);
        }
        let mut roots = vec![root.clone()];
        if let Some(file) = &settings {
            let tree = tree::toml(&file.text);
            let places = tree.root().and_then(|it| it.path(&["build-system", "backend-path"]));
            let places = places.map(tree::Node::words).unwrap_or_default();
            roots.extend(places.iter().map(|place| project::joined(&root, place)));
        }
        let backend = settings.as_ref().map(backends).unwrap_or_default();
        walk.load_from(&roots, "python", &format!("{root}/setup.py"), span);
        for name in backend {
            walk.load_from(&roots, "python", &project::joined(&root, &name), span);
        }
    });
}

/// How many addresses of one file are followed.
const ADDRESSES: usize = 64;

/// Packages that a project needs from an address of its own: `name @ https://…` (packaging.python.org, "Dependency specifiers"), `{url = …}`, `{git = …}`.
fn needed(walk: &mut dyn Host, file: &File, span: Span) {
    walk.in_file(file, "pyproject", span, |walk| {
        let tree = tree::toml(&file.text);
        let Some(root) = tree.root() else { return };
        let mut found: Vec<&tree::Node> = Vec::new();
        for keys in [
            &["project", "dependencies"][..],
            &["build-system", "requires"],
            &["tool", "poetry", "dependencies"],
            &["tool", "uv", "sources"],
        ] {
            let Some(node) = root.path(keys) else { continue };
            node.visit(&mut |inner| {
                if inner.text().is_some_and(|text| text.contains("://")) {
                    found.push(inner);
                }
            });
        }
        // What is installed where it is asked for.
        let mut more: Vec<&tree::Node> = Vec::new();
        for keys in [&["project", "optional-dependencies"][..], &["dependency-groups"]] {
            let Some(node) = root.path(keys) else { continue };
            node.visit(&mut |inner| more.extend(inner.text().is_some().then_some(inner)));
        }
        for node in more {
            let text = node.text().unwrap_or_default();
            if let Some((_, address)) = text.split_once('@').filter(|it| it.1.contains("://")) {
                project::taken_from(walk, address.trim(), node.span);
            }
        }
        for node in found.into_iter().at_most(ADDRESSES, walk, span) {
            let text = node.text().unwrap_or_default();
            let at = text.split_once('@').filter(|(name, _)| !name.contains("://"));
            let address =
                at.map_or(text, |(_, rest)| rest).split(';').next().unwrap_or_default().trim();
            walk.run(&project::arguments(&["pip", "install", address], node.span), None);
        }
    });
}

/// The settings that a script has of itself: packages, and where they come from (packaging.python.org, "Inline script metadata").
fn inline(walk: &mut dyn Host, words: &[String], span: Span) {
    let Some(name) = words.iter().find(|word| word.ends_with(".py") || word.starts_with("./"))
    else {
        return;
    };
    let Some(path) = walk.target(&Text::known(name.as_str())).path else { return };
    let Some(file) = walk.look(&path).file() else { return };
    let mut lines = file.text.lines().skip_while(|line| line.trim_end() != "# /// script");
    if lines.next().is_none() {
        return;
    }
    let block: Vec<&str> =
        lines.take_while(|line| line.starts_with('#') && line.trim_end() != "# ///").collect();
    let text: String = block
        .iter()
        .map(|line| format!("{}\n", line.trim_start_matches('#').trim_start()))
        .collect();
    let tree = tree::toml(&text);
    let Some(root) = tree.root() else { return };
    let mut indices: Vec<String> = Vec::new();
    for node in root.path(&["tool", "uv", "index"]).map(tree::Node::items).unwrap_or_default() {
        indices.extend(node.text_of("url").map(str::to_owned));
    }
    for key in ["index-url", "extra-index-url", "default-index", "find-links"] {
        indices.extend(root.path(&["tool", "uv", key]).map(tree::Node::words).unwrap_or_default());
        indices
            .extend(root.path(&["tool", "uv", key]).and_then(tree::Node::text).map(str::to_owned));
    }
    let mut addresses: Vec<String> = Vec::new();
    for keys in [&["dependencies"][..], &["tool", "uv", "sources"]] {
        let Some(node) = root.path(keys) else { continue };
        node.visit(&mut |inner| {
            let text = inner.text().filter(|text| text.contains("://"));
            addresses.extend(text.map(|text| {
                let at = text.split_once('@').filter(|(name, _)| !name.contains("://"));
                at.map_or(text, |(_, rest)| rest).trim().to_owned()
            }));
        });
    }
    walk.in_file(&file, "script", span, |walk| {
        let whole = Span::new(0, file.text.find("# ///").unwrap_or_default() + 5);
        for index in indices.iter().at_most(ADDRESSES, walk, span) {
            let words = ["pip", "install", "--index-url", index.as_str(), "x"];
            walk.run(&project::arguments(&words, whole), None);
        }
        for address in addresses.iter().at_most(ADDRESSES, walk, span) {
            walk.run(&project::arguments(&["pip", "install", address.as_str()], whole), None);
        }
    });
}

/// Files of the project that its own settings have a build run.
fn backends(file: &File) -> Vec<String> {
    let tree = tree::toml(&file.text);
    let Some(root) = tree.root() else { return Vec::new() };
    let mut names = Vec::new();
    let system = root.get("build-system");
    let places =
        system.and_then(|it| it.get("backend-path")).map(tree::Node::words).unwrap_or_default();
    if let Some(backend) = system.and_then(|it| it.text_of("build-backend")) {
        let module = backend.split(':').next().unwrap_or_default().replace('.', "/");
        for place in places {
            names.push(format!("{place}/{module}.py"));
            names.push(format!("{place}/{module}/__init__.py"));
        }
        if backend.starts_with("hatchling") && root.path(&["tool", "hatch"]).is_some() {
            names.push("hatch_build.py".to_owned());
        }
    }
    let mut hooks = Vec::new();
    if let Some(hatch) = root.path(&["tool", "hatch"]) {
        hatch.visit(&mut |node| {
            hooks.extend(
                node.path(&["hooks", "custom", "path"]).or_else(|| node.path(&["custom", "path"])),
            )
        });
    }
    for keys in [
        ["tool", "poetry", "build", "script"],
        ["tool", "pdm", "build", "custom-hook"],
        ["tool", "poetry", "build", ""],
    ] {
        hooks.extend(root.path(&keys));
    }
    hooks.extend(root.path(&["tool", "poetry", "build"]).filter(|it| it.text().is_some()));
    hooks.extend(root.path(&["tool", "scikit-build", "cmake", "toolchain"]));
    names.extend(
        hooks
            .into_iter()
            .filter_map(tree::Node::text)
            .filter(|name| name.ends_with(".py"))
            .map(str::to_owned),
    );
    names.sort();
    names.dedup();
    names
}

/// Options and addresses in a file of requirements.
fn requirements(walk: &mut dyn Host, path: &str, span: Span, depth: usize) {
    let Some(file) = walk.look(path).file() else { return };
    let more = walk.in_file(&file, "requirements", span, |walk| {
        let mut more = Vec::new();
        let mut at = 0;
        for line in file.text.split_inclusive('\n') {
            let start = at;
            at += line.len();
            let bare = line.split(" #").next().unwrap_or_default().trim();
            let place = Span::new(start, start + line.trim_end().len());
            if bare.is_empty() || bare.starts_with('#') {
                continue;
            }
            let words: Vec<String> = bare
                .replacen('=', " ", usize::from(bare.starts_with("--")))
                .split_whitespace()
                .map(str::to_owned)
                .collect();
            let first = words.first().map_or("", String::as_str);
            match first {
                "-r" | "--requirement" | "-c" | "--constraint" => {
                    more.extend(words.get(1).cloned())
                }
                "-e" | "--editable" => {
                    more.extend(words.get(1).map(|place| format!("editable {place}")))
                }
                "--index-url" | "-i" | "--extra-index-url" | "--find-links" | "-f"
                | "--trusted-host" => {
                    let mut line = vec!["pip".to_owned(), "install".to_owned()];
                    line.extend(words.iter().cloned());
                    line.push("x".to_owned());
                    walk.run(&project::arguments(&line, place), None);
                }
                _ if bare.contains("://") => {
                    walk.run(
                        &project::arguments(
                            &[
                                "pip",
                                "install",
                                bare.split_whitespace()
                                    .next()
                                    .filter(|it| it.contains("://"))
                                    .unwrap_or(bare),
                            ],
                            place,
                        ),
                        None,
                    );
                }
                _ => {}
            }
        }
        more
    });
    let here = directory_of(path).to_owned();
    for name in more.unwrap_or_default() {
        match name.strip_prefix("editable ") {
            Some(place) if !place.contains("://") => {
                package(walk, &project::joined(&here, place), span)
            }
            Some(_) => {}
            None if depth < NESTED => {
                requirements(walk, &project::joined(&here, &name), span, depth + 1)
            }
            None => walk.left_unread(span),
        }
    }
}

/// `pip.conf` where a variable or the environment of the project names it.
fn configured(walk: &mut dyn Host, span: Span) {
    let Some(path) = walk.variable_set("PIP_CONFIG_FILE") else { return };
    let Some(path) = walk.target(&path).path else { return };
    let Some(file) = walk.look(&path).file() else { return };
    walk.in_file(&file, "pip", span, |walk| {
        let tree = project::whole(walk, tree::sections(&file.text));
        for (_, section) in tree.root().iter().flat_map(|root| root.entries()) {
            for key in ["index-url", "extra-index-url"] {
                let Some(value) = section.get(key) else { continue };
                let option = format!("--{key}");
                walk.run(
                    &project::arguments(
                        &["pip", "install", option.as_str(), value.text().unwrap_or_default(), "x"],
                        value.span,
                    ),
                    None,
                );
            }
        }
    });
}

/// Places that the project's settings take packages from.
fn settings(walk: &mut dyn Host, span: Span) {
    // docs.astral.sh/uv, "Configuration files": the same without `tool.uv` before it.
    if let Some(file) = project::nearest(walk, &["uv.toml"]) {
        walk.in_file(&file, "uv", span, |walk| {
            let tree = project::whole(walk, tree::toml(&file.text));
            let Some(root) = tree.root() else { return };
            let named = root.get("index").map(tree::Node::items).unwrap_or_default();
            let mut found: Vec<&tree::Node> = named.iter().filter_map(|it| it.get("url")).collect();
            for key in ["index-url", "extra-index-url", "find-links"] {
                found.extend(root.get(key).map(tree::Node::each).unwrap_or_default());
            }
            for address in found {
                let text = address.text().unwrap_or_default();
                let words = ["pip", "install", "--index-url", text, "x"];
                walk.run(&project::arguments(&words, address.span), None);
            }
        });
    }
    let Some(file) = project::nearest(walk, &["pyproject.toml"]) else { return };
    walk.in_file(&file, "pyproject", span, |walk| {
        let tree = project::whole(walk, tree::toml(&file.text));
        let Some(root) = tree.root() else { return };
        let mut found: Vec<&tree::Node> = Vec::new();
        for keys in
            [["tool", "poetry", "source"], ["tool", "pdm", "source"], ["tool", "uv", "index"]]
        {
            found.extend(
                root.path(&keys)
                    .map(tree::Node::items)
                    .unwrap_or_default()
                    .iter()
                    .filter_map(|it| it.get("url")),
            );
        }
        for keys in [
            ["tool", "uv", "index-url"],
            ["tool", "uv", "extra-index-url"],
            ["tool", "uv", "find-links"],
        ] {
            found.extend(root.path(&keys).map(tree::Node::each).unwrap_or_default());
        }
        for address in found {
            if let Some(text) = address.text() {
                walk.run(
                    &project::arguments(
                        &["pip", "install", "--index-url", text, "x"],
                        address.span,
                    ),
                    None,
                );
            }
        }
    });
}

fn builders(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--help", "-h", "--dry-run", "--version"]) {
        return;
    }
    let verb = project::operands(&words, VALUES).first().map_or("", |verb| *verb).to_owned();
    let builds = match invocation.program.as_str() {
        "build" | "pyproject-build" => return package(walk, ".", invocation.span),
        "poetry" | "pdm" => matches!(
            verb.as_str(),
            "install" | "build" | "sync" | "update" | "add" | "publish" | "lock"
        ),
        "hatch" => matches!(verb.as_str(), "build" | "run" | "test" | "shell" | "env" | "publish"),
        "flit" => matches!(verb.as_str(), "install" | "build" | "publish"),
        "maturin" => matches!(verb.as_str(), "build" | "develop" | "publish"),
        "rye" => matches!(verb.as_str(), "sync" | "build" | "run"),
        "pipenv" => matches!(verb.as_str(), "install" | "sync" | "update"),
        _ => false,
    };
    if !builds {
        return;
    }
    settings(walk, invocation.span);
    if invocation.program == "pipenv" {
        let Some(file) = project::nearest(walk, &["Pipfile"]) else { return };
        walk.in_file(&file, "pipfile", invocation.span, |walk| {
            let tree = project::whole(walk, tree::toml(&file.text));
            for source in tree
                .root()
                .and_then(|root| root.get("source"))
                .map(tree::Node::items)
                .unwrap_or_default()
            {
                if let Some(address) = source.get("url") {
                    let text = address.text().unwrap_or_default();
                    walk.run(
                        &project::arguments(
                            &["pip", "install", "--index-url", text, "x"],
                            address.span,
                        ),
                        None,
                    );
                }
            }
        });
    } else {
        package(walk, ".", invocation.span);
        if invocation.program == "maturin" {
            walk.run(&project::arguments(&["cargo", "build"], invocation.span), None);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_build_runs_what_the_settings_name() {
        for (text, expected) in [
            (
                "[build-system]\nbuild-backend = \"_b\"\nbackend-path = [\".\"]\n",
                vec!["./_b.py", "./_b/__init__.py"],
            ),
            ("[build-system]\nbuild-backend = \"setuptools.build_meta\"\n", vec![]),
            ("[tool.hatch.build.hooks.custom]\npath = \"h.py\"\n", vec!["h.py"]),
            ("[tool.poetry.build]\nscript = \"b.py\"\n", vec!["b.py"]),
        ] {
            let file = File {
                path: "/p/pyproject.toml".to_owned(),
                text: Arc::from(text),
                whole: true,
                is_own: false,
            };
            assert_eq!(backends(&file), expected, "{text}");
        }
    }
}
