//! Files that code gives to a library which runs what stands in them: settings in YAML whose loader makes any object, and templates whose expressions
//! reach the modules of Python. Owns where these lie and what in them is run.

use portcullis_syntax::Span;

use super::{
    project, scripts,
    spawned::{self, Call, Given},
};
use crate::{
    bound::Bounded as _,
    effect::GapReason,
    programs::{
        found::File,
        host::{Host, Unread},
    },
};

/// How many files of a kind are read, and how deep they lie.
const FILES: usize = 24;
const DEEP: usize = 3;

/// What code of Python hands to such a library. `directory` is where the code stands.
pub(super) fn follow(walk: &mut dyn Host, directory: &str, text: &str) {
    if makes_objects(text) {
        objects(walk, directory);
    }
    let names = templates(text);
    if !names.is_empty() {
        rendered(walk, directory, text, &names);
    }
}

/// Whether a document is read by a loader that calls what its tags name (pyyaml.org, "Loading YAML").
fn makes_objects(text: &str) -> bool {
    const LOADERS: &[&str] = &["UnsafeLoader", "CUnsafeLoader", "yaml.Loader", "yaml.CLoader"];
    let imports = text.contains("yaml");
    let named = ["unsafe_load(", "unsafe_load_all("].iter().any(|it| text.contains(it));
    imports && (named || LOADERS.iter().any(|it| text.contains(it)))
}

/// The project's documents that have such tags: which of them is read, the code alone does not say.
fn objects(walk: &mut dyn Host, directory: &str) {
    let root = walk.facts().workspace.clone().unwrap_or_else(|| directory.to_owned());
    let span = Span::default();
    let is_document = |name: &str| name.ends_with(".yaml") || name.ends_with(".yml");
    let paths = walk.in_project(|walk| {
        let found = project::below(walk, &root, DEEP, span, &is_document);
        found.iter().at_most(FILES, &mut Unread(walk), span).cloned().collect::<Vec<_>>()
    });
    for path in &paths {
        walk.look(path);
    }
    for file in paths.iter().filter_map(|path| walk.look(path).file()).collect::<Vec<_>>() {
        if file.text.contains("python/object") {
            scripts::tagged(walk, &file, span);
        }
    }
}

/// Names of templates that code renders: `env.get_template("x")`, `render_template("x")` (jinja.palletsprojects.com, "API").
fn templates(text: &str) -> Vec<String> {
    if !["jinja", "flask", "Templates", "starlette"].iter().any(|it| text.contains(it)) {
        return Vec::new();
    }
    let calls: &[Call] = &[
        ("get_template", Given::Command),
        ("select_template", Given::Commands),
        ("render_template", Given::Command),
        ("TemplateResponse", Given::Commands),
    ];
    let found = spawned::found(text, calls);
    let names = found.into_iter().flat_map(|start| start.words);
    names.filter(|name| !name.contains(['\n', ' ']) && name.contains('.')).collect()
}

/// What expressions of a template start: those that reach a module of Python by what every object has.
fn rendered(walk: &mut dyn Host, directory: &str, text: &str, names: &[String]) {
    const REACHES: &[&str] =
        &["__globals__", "__builtins__", "__subclasses__", "__import__", "__mro__"];
    let calls: &[Call] = &[
        ("popen", Given::Command),
        ("system", Given::Command),
        ("check_output", Given::Either),
        ("Popen", Given::Either),
        ("run", Given::Either),
        ("getoutput", Given::Command),
    ];
    let root = walk.facts().workspace.clone();
    let mut folders = vec!["templates".to_owned()];
    let loaders: &[Call] =
        &[("FileSystemLoader", Given::Commands), ("Jinja2Templates", Given::Commands)];
    folders.extend(spawned::found(text, loaders).into_iter().flat_map(|start| start.words));
    let here = walk.directory().map(str::to_owned);
    let mut paths: Vec<String> = Vec::new();
    for name in names.iter().at_most(FILES, &mut Unread(walk), Span::default()) {
        for folder in &folders {
            for place in [Some(directory), here.as_deref(), root.as_deref()].into_iter().flatten() {
                paths.push(crate::paths::normal(&format!("{place}/{folder}/{name}")));
            }
        }
    }
    paths.sort();
    paths.dedup();
    for path in &paths {
        walk.look(path);
    }
    for file in paths.iter().filter_map(|path| walk.look(path).file()).collect::<Vec<File>>() {
        if !REACHES.iter().any(|it| file.text.contains(it)) {
            continue;
        }
        walk.in_file(&file, "template", Span::default(), |walk| {
            walk.gap(Span::new(0, file.text.len()), GapReason::UnknownCode);
        });
        spawned::follow(walk, &file, "template", calls, ("", &[]), Span::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loaders_that_make_objects_are_told_from_the_others() {
        for (text, expected) in [
            ("import yaml\nyaml.safe_load(x)", false),
            ("import yaml\nyaml.unsafe_load(x)", true),
            ("import yaml\nyaml.load(x, Loader=yaml.Loader)", true),
            ("import yaml\nyaml.load(x, Loader=yaml.SafeLoader)", false),
            ("from yaml import UnsafeLoader, load", true),
            ("loader = Loader()", false),
        ] {
            assert_eq!(makes_objects(text), expected, "{text}");
        }
    }

    #[test]
    fn templates_are_found_by_what_renders_them() {
        let text = "from jinja2 import Environment\nenv.get_template('a/b.html').render()\n";
        assert_eq!(templates(text), ["a/b.html"]);
        assert!(templates("get_template('a.html')").is_empty());
    }
}
