//! PHPUnit: the script that its settings load first, and the tests that it runs (docs.phpunit.de, "The XML Configuration File", "The Command-Line Test
//! Runner").

use super::{Starter, project, tree};
use crate::{
    bound::Bounded, programs::found::directory_of, programs::host::Host,
    programs::invocation::Invocation, text::Text,
};

pub(super) static PHPUNIT: Starter =
    Starter { programs: &["paratest", "pest", "phpunit", "simple-phpunit"], start };

/// `php -S ADDRESS [-t DIRECTORY] [SCRIPT]`: the script that answers every request, or the index of the directory (php.net, "Built-in web server").
pub(super) static SERVER: Starter = Starter { programs: &["php"], start: served };

fn served(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    // `php artisan VERB` is the script that begins with the interpreter's name as well (laravel.com, "Artisan Console").
    if let Some(script) = words.first().filter(|it| it.rsplit('/').next() == Some("artisan")) {
        let named = Invocation { program: "artisan".to_owned(), ..invocation.clone() };
        let place = script.rsplit_once('/').map(|(place, _)| place.to_owned());
        project::in_directory(walk, place.as_deref(), |walk| super::scripts::follow(walk, &named));
        return;
    }
    if project::option(&words, &["-S"]).is_none() {
        return;
    }
    let operands = project::operands(&words, &["-S", "-t", "-c", "-d", "-z"]);
    let names: Vec<String> = match (operands.first(), project::option(&words, &["-t"])) {
        (Some(script), _) => vec![(*script).to_owned()],
        (None, root) => vec![format!("{}/index.php", root.unwrap_or("."))],
    };
    for name in names {
        if let Some(path) = walk.target(&Text::known(name)).path {
            walk.load("php", &path, invocation.span);
        }
    }
}

/// How many tests are read.
const TESTS: usize = 16;

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--help", "-h", "--version", "--list-tests"]) {
        return;
    }
    let Some(here) = walk.directory().map(str::to_owned) else { return };
    let span = invocation.span;
    let named = project::option(&words, &["-c", "--configuration"])
        .and_then(|name| walk.target(&Text::known(name)).path);
    let file = match named {
        Some(path) if path.ends_with(".xml") || path.ends_with(".dist") => walk.look(&path).file(),
        Some(path) => project::first_in(walk, &path, &["phpunit.xml", "phpunit.xml.dist"]),
        None => {
            project::first_in(walk, &here, &["phpunit.xml", "phpunit.dist.xml", "phpunit.xml.dist"])
        }
    };
    let mut paths: Vec<String> = Vec::new();
    let mut folders: Vec<String> = vec![format!("{here}/tests")];
    if let Some(file) = &file {
        let root = directory_of(&file.path).to_owned();
        let tree = tree::markup(&file.text);
        let node = tree.root().and_then(|root| root.get("phpunit"));
        paths.extend(
            node.and_then(|it| it.text_of("@bootstrap")).map(|name| project::joined(&root, name)),
        );
        for value in node.iter().flat_map(|it| it.get("testsuites")) {
            value.visit(&mut |inner| {
                let named = inner.text_of("directory");
                folders.extend(named.map(|name| project::joined(&root, name)));
            });
        }
    }
    if let Some(name) = project::option(&words, &["--bootstrap"]) {
        paths.extend(walk.target(&Text::known(name)).path);
    }
    folders.sort();
    folders.dedup();
    let given: Vec<String> = words
        .iter()
        .filter(|word| word.ends_with(".php") && !word.starts_with('-'))
        .filter_map(|word| walk.target(&Text::known(word.as_str())).path)
        .collect();
    if given.is_empty() {
        let found = walk.in_project(|walk| {
            let mut found = Vec::new();
            for folder in &folders {
                found.extend(project::below(walk, folder, 4, span, &|name| {
                    name.ends_with("Test.php")
                }));
            }
            found.iter().at_most(TESTS, walk, span).cloned().collect::<Vec<_>>()
        });
        paths.extend(found);
    }
    paths.extend(given);
    for path in &paths {
        walk.look(path);
    }
    for path in &paths {
        walk.load("php", path, span);
    }
}
