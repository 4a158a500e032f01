//! Files that code of Python loads by calls and not by a statement: loaders that are given a file, directories of `.pth` files, settings of `logging`, and
//! packages that import whatever lies in them (docs.python.org, "importlib", "runpy", "site", "logging.config", "pkgutil").

use portcullis_syntax::Span;

use super::{Load, lines, push_python, quoted};
use crate::{
    bound::Bounded,
    programs::{
        found::Found,
        host::{Host, Unread},
        started::tree,
    },
    text::Text,
};

/// How many modules of a package are read that imports them all.
const FOLDER: usize = 48;

/// How many `.pth` files of one directory are read.
const PATHS: usize = 16;

/// Calls, and which of their arguments names the file.
const LOADERS: &[(&str, usize)] = &[
    ("SourceFileLoader(", 1),
    ("load_source(", 1),
    ("run_path(", 0),
    ("spec_from_file_location(", 1),
];

pub(super) fn follow(walk: &mut dyn Host, directory: &str, text: &str, loads: &mut Vec<Load>) {
    for (start, line) in lines(text) {
        let span = Span::new(start, start + line.len());
        for (call, at) in LOADERS {
            let Some((_, rest)) = line.split_once(call) else { continue };
            let Some(name) = argument(rest, *at).filter(|name| !name.is_empty()) else { continue };
            loads.push(Load { names: vec![name.to_owned()], beside: true, span });
        }
        if let Some((_, rest)) = line.split_once("addsitedir(") {
            let beside = rest.contains("__file__").then(|| directory.to_owned());
            let named = rest.split(['"', '\'']).nth(1).and_then(|name| below(directory, name));
            if let Some(place) = named.or(beside) {
                paths(walk, &place, span);
            }
        }
        if let Some((_, rest)) = line.split_once("fileConfig(")
            && let Some(path) = quoted(rest).and_then(|name| below(directory, name))
        {
            logged(walk, &path, span);
        }
    }
    let imports_all = ["iter_modules(", "walk_packages("].iter().any(|call| text.contains(call))
        || ["listdir(", "glob("].iter().any(|call| text.contains(call));
    if imports_all && ["import_module(", "__import__("].iter().any(|call| text.contains(call)) {
        let Found::Directory(names) = walk.look(directory) else { return };
        let span = Span::new(0, text.lines().next().unwrap_or_default().len());
        let modules = names.iter().filter(|name| name.ends_with(".py"));
        for name in modules.at_most(FOLDER, &mut Unread(walk), span) {
            push_python(loads, &format!(".{}", name.trim_end_matches(".py")), &[], span);
        }
    }
}

/// Directories that code puts on the path of modules, from where it stands: `sys.path.insert(0, str(Path(__file__).resolve().parent.parent))`,
/// `sys.path.append(os.path.join(os.path.dirname(__file__), "..", "src"))` (docs.python.org, "sys.path").
pub(super) fn put_on_path(directory: &str, text: &str) -> Vec<String> {
    let calls = text.lines().filter(|line| {
        ["sys.path.insert(", "sys.path.append(", "site.addsitedir("]
            .iter()
            .any(|call| line.contains(call))
    });
    let mut found = Vec::new();
    for line in calls.filter(|line| line.contains("__file__")) {
        let mut place = directory.to_owned();
        // The first names the directory itself.
        let parents = line.split("parents[").nth(1).and_then(|it| it.split(']').next());
        let above = match parents.and_then(|it| it.parse::<usize>().ok()) {
            Some(number) => number,
            None => (line.matches(".parent").count() + line.matches("dirname(").count())
                .saturating_sub(1),
        };
        for _ in 0..above.min(8) {
            place.push_str("/..");
        }
        for name in line.split(['"', '\'']).skip(1).step_by(2) {
            place.push('/');
            place.push_str(name);
        }
        found.push(crate::paths::normal(&place));
    }
    found
}

/// What stands in quotes as one of the arguments that a text begins with.
fn argument(text: &str, at: usize) -> Option<&str> {
    quoted(text.split([',', ')']).nth(at)?)
}

fn below(directory: &str, name: &str) -> Option<String> {
    if name.starts_with('/') { Some(name.to_owned()) } else { super::joined(directory, name) }
}

/// The lines of a directory's `.pth` files that begin with `import`: each is run (docs.python.org, "site").
pub(in crate::programs::started) fn paths(walk: &mut dyn Host, directory: &str, span: Span) {
    let Found::Directory(names) = walk.look(directory) else { return };
    let paths: Vec<String> = names
        .iter()
        .filter(|name| name.ends_with(".pth"))
        .at_most(PATHS, &mut Unread(walk), span)
        .map(|name| format!("{directory}/{name}"))
        .collect();
    for path in &paths {
        walk.look(path);
    }
    for path in &paths {
        let Some(file) = walk.look(path).file() else { continue };
        walk.in_file(&file, "python", span, |walk| {
            let mut at = 0;
            for line in file.text.split_inclusive('\n') {
                let span = Span::new(at, at + line.trim_end().len());
                at += line.len();
                if line.starts_with("import ") || line.starts_with("import\t") {
                    walk.code("python", &Text::known(line.trim_end()), span, &[]);
                }
            }
        });
    }
}

/// Settings of `logging`: a class and its arguments are evaluated ("Configuration file format").
pub(in crate::programs::started) fn logged(walk: &mut dyn Host, path: &str, span: Span) {
    let Some(file) = walk.look(path).file() else { return };
    walk.in_file(&file, "python", span, |walk| {
        let tree = tree::sections(&file.text);
        let sections = tree.root().into_iter().flat_map(tree::Node::entries);
        for (key, value) in sections.flat_map(|(_, section)| section.entries()) {
            if matches!(key, "args" | "class" | "kwargs")
                && let Some(code) = value.text()
            {
                walk.code("python", &Text::known(code), value.span, &[]);
            }
        }
    });
}
