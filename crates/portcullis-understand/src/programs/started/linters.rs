//! What checkers of Python load of the project itself: plugins of `mypy` (mypy.readthedocs.io, "Extending mypy"), `init-hook` and `load-plugins` of
//! `pylint`, local plugins of `flake8`, plugins of `coverage` (each one's page on its configuration).

use portcullis_syntax::Span;

use super::{Starter, project, tree};
use crate::{
    programs::found::directory_of, programs::host::Host, programs::invocation::Invocation,
    text::Text,
};

pub(super) static LINTERS: Starter =
    Starter { programs: &["coverage", "dmypy", "flake8", "mypy", "pylint", "stubtest"], start };

/// Where each looks, beside what all share.
fn names(program: &str) -> &'static [&'static str] {
    match program {
        "pylint" => {
            &["pylintrc", ".pylintrc", "pylintrc.toml", "pyproject.toml", "setup.cfg", "tox.ini"]
        }
        "flake8" => &[".flake8", "setup.cfg", "tox.ini"],
        "coverage" => &[".coveragerc", "setup.cfg", "tox.ini", "pyproject.toml"],
        _ => &["mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"],
    }
}

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--help", "-h", "--version"]) {
        return;
    }
    let program = invocation.program.as_str();
    // `coverage run -m pytest`, `coverage run x.py`: the interpreter with these words (coverage.readthedocs.io, "coverage run").
    if program == "coverage"
        && let Some((_, rest)) = words.split_first().filter(|(verb, _)| *verb == "run")
    {
        let own = rest.iter().position(|word| word == "-m" || !word.starts_with('-'));
        let mut line = vec!["python3".to_owned()];
        line.extend(own.and_then(|at| rest.get(at..)).unwrap_or_default().iter().cloned());
        walk.run(&project::arguments(&line, invocation.span), None);
    }
    let named = project::option(&words, &["--config-file", "--rcfile", "--config"])
        .and_then(|name| walk.target(&Text::known(name)).path);
    let Some(here) = walk.directory().map(str::to_owned) else { return };
    let files = match named {
        Some(path) => walk.look(&path).file().into_iter().collect(),
        None => project::all_in(walk, &here, names(program)),
    };
    for file in files {
        let root = directory_of(&file.path).to_owned();
        let mut places = vec![root.clone()];
        let modules = walk.in_file(&file, "settings", invocation.span, |walk| {
            let is_toml = file.path.ends_with(".toml");
            let tree = if is_toml { tree::toml(&file.text) } else { tree::sections(&file.text) };
            let tree = project::whole(walk, tree);
            let Some(node) = tree.root() else { return Vec::new() };
            let own = match is_toml {
                true => node.path(&["tool", program]).into_iter().collect(),
                false => sections(node, program),
            };
            let mut modules = Vec::new();
            for section in own {
                section.visit(&mut |inner| {
                    for place in inner.get("paths").iter().flat_map(|it| listed(it)) {
                        places.push(project::joined(&root, &place));
                    }
                    for key in ["plugins", "load-plugins", "extension", "report"] {
                        modules.extend(inner.get(key).iter().flat_map(|it| listed(it)));
                    }
                });
                let mut hooks: Vec<&tree::Node> = Vec::new();
                section.visit(&mut |inner| hooks.extend(inner.get("init-hook")));
                for hook in hooks {
                    let code = hook.text().unwrap_or_default().trim_matches(['"', '\'']);
                    walk.code("python", &Text::known(code), hook.span, &[]);
                }
            }
            modules
        });
        for module in modules.unwrap_or_default() {
            for place in &places {
                loaded(walk, place, &module, invocation.span);
            }
        }
    }
}

/// The sections that are the program's: `[mypy]`, `[flake8:local-plugins]`; every one of a `pylintrc`.
fn sections<'n>(node: &'n tree::Node, program: &str) -> Vec<&'n tree::Node> {
    let is_own = |name: &str| {
        name.to_lowercase().starts_with(program)
            || program == "pylint" && matches!(name, "MASTER" | "MAIN")
            || program == "coverage" && name == "run"
    };
    node.entries().filter(|(name, _)| is_own(name)).map(|(_, section)| section).collect()
}

/// The names in a value: a list, or words with commas or line ends between them; `X = a.b:C` of a local plugin is its module.
fn listed(node: &tree::Node) -> Vec<String> {
    let texts = match node.text() {
        Some(text) => text.split([',', '\n']).map(str::to_owned).collect(),
        None => node.words(),
    };
    let name = |text: String| {
        let text = text.rsplit('=').next().unwrap_or_default().trim().to_owned();
        let end = text.rfind(':').filter(|at| *at > 1).unwrap_or(text.len());
        text.get(..end).unwrap_or_default().to_owned()
    };
    texts.into_iter().map(name).filter(|name| !name.is_empty()).collect()
}

/// A plugin by its path or its module; one that is installed is not the project's.
fn loaded(walk: &mut dyn Host, root: &str, name: &str, span: Span) {
    let paths = match name.ends_with(".py") {
        true => vec![project::joined(root, name)],
        false => {
            let module = name.replace('.', "/");
            vec![format!("{root}/{module}.py"), format!("{root}/{module}/__init__.py")]
        }
    };
    for path in &paths {
        walk.look(path);
    }
    for path in &paths {
        walk.load_from(&[root.to_owned()], "python", path, span);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plugins_are_listed_in_many_ways() {
        for (text, expected) in [
            ("[mypy]\nplugins = ./a.py, b.c\n", vec!["./a.py", "b.c"]),
            ("[mypy]\nplugins =\n  a,\n  b\n", vec!["a", "b"]),
            ("[mypy]\nplugins = X1 = a.b:C\n", vec!["a.b"]),
        ] {
            let tree = tree::sections(text);
            let found = listed(tree.root().unwrap().path(&["mypy", "plugins"]).unwrap());
            assert_eq!(found, expected, "{text}");
        }
    }
}
