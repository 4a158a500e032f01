//! PHPUnit: the script that its settings load first, and the tests that it runs (docs.phpunit.de, "The XML Configuration File", "The Command-Line Test
//! Runner").

use super::{Starter, braces, project, tree};
use crate::{
    bound::Bounded,
    programs::found::{File, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
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
    let list = |names: &[&str]| -> Vec<String> {
        let given = project::options(&words, names);
        given.iter().flat_map(|it| it.split(',')).map(str::to_owned).collect()
    };
    let chosen = Chosen {
        groups: list(&["--group"]),
        off: list(&["--exclude-group"]),
        filter: project::option(&words, &["--filter"]).map(str::to_owned),
    };
    let roots = walk.import_roots();
    for path in &paths {
        let file = walk.look(path).file().filter(|_| path.ends_with("Test.php"));
        match file.and_then(|file| Some((chosen.left_of(&file.text)?, file))) {
            Some((text, file)) => {
                walk.load_text_from(&roots, "php", &File { text: text.into(), ..file }, span);
            }
            None => {
                walk.load("php", path, span);
            }
        }
    }
}

/// Which tests are chosen by their groups and names (docs.phpunit.de, "Selection").
struct Chosen {
    groups: Vec<String>,
    off: Vec<String>,
    filter: Option<String>,
}

impl Chosen {
    /// A class of tests without the methods that are not chosen; nothing where all are, or it is not plain which.
    fn left_of(&self, text: &str) -> Option<String> {
        if self.groups.is_empty() && self.off.is_empty() && self.filter.is_none() {
            return None;
        }
        let (head, _) = text.split_once("class ")?;
        let is_in = |above: &str, groups: &[String]| {
            groups.iter().any(|group| {
                let is_there = |mark: &str| {
                    above.match_indices(mark).any(|(at, _)| {
                        let rest = above.get(at + mark.len()..).unwrap_or_default();
                        !rest.starts_with(|it: char| it.is_alphanumeric() || it == '_' || it == '-')
                    })
                };
                is_there(&format!("@group {group}"))
                    || is_there(&format!("Group('{group}'"))
                    || is_there(&format!("Group(\"{group}\""))
            })
        };
        // Small, medium and large are groups by other names, and so is what a class is named to cover.
        let is_other = |groups: &[String]| {
            groups.iter().any(|group| {
                matches!(group.as_str(), "default" | "small" | "medium" | "large")
                    || group.starts_with("__")
            })
        };
        if is_other(&self.groups) || is_other(&self.off) {
            return None;
        }
        let name = self.filter.as_deref().filter(|filter| {
            filter.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        let class = text.split_once("class ").map_or("", |(_, rest)| rest);
        let class = class.split(|it: char| !it.is_alphanumeric() && it != '_').next();
        let class = class.unwrap_or_default();
        let is_off = |function: &braces::Function<'_>| {
            let is_test = function.name.starts_with("test")
                || function.above.contains("#[Test")
                || function.above.contains("@test");
            let in_groups = self.groups.is_empty()
                || is_in(head, &self.groups)
                || is_in(function.above, &self.groups);
            let is_left_out = is_in(head, &self.off) || is_in(function.above, &self.off);
            let is_named = name.is_none_or(|name| {
                let (name, class) = (name.to_lowercase(), class.to_lowercase());
                function.name.to_lowercase().contains(&name) || class.contains(&name)
            });
            is_test && (is_left_out || !in_groups || !is_named)
        };
        let kept = braces::without("php", text, &is_off);
        // Where no test is left, nothing is set up for any.
        let is_all_off = is_in(head, &self.off);
        let prepares = |function: &braces::Function<'_>| {
            matches!(
                function.name,
                "setUp" | "tearDown" | "setUpBeforeClass" | "tearDownAfterClass"
            )
        };
        Some(match is_all_off {
            true => braces::without("php", &kept, &prepares),
            false => kept,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_of_groups_that_are_left_out_do_not_run() {
        let text = "<?php\nuse X;\n#[Group('live')]\nfinal class A extends T {\n    protected function setUp(): void { zero(); }\n    public function testA(): void { one('}'); }\n    /** @group slow */\n    public function testB(): void { two(); }\n    private function helper() { three(); }\n}\n";
        let plain = text.replace("#[Group('live')]\n", "");
        let left = |text: &str, off: &[&str], groups: &[&str], filter: Option<&str>| {
            let owned = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect();
            let chosen = Chosen {
                groups: owned(groups),
                off: owned(off),
                filter: filter.map(str::to_owned),
            };
            let kept = chosen.left_of(text).unwrap_or_else(|| text.to_owned());
            ["zero", "one", "two", "three"]
                .into_iter()
                .filter(|it| kept.contains(it))
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(left(text, &["live"], &[], None), "three");
        assert_eq!(left(text, &["liv"], &[], None), "zero one two three");
        assert_eq!(left(&plain, &["live"], &[], None), "zero one two three");
        assert_eq!(left(&plain, &["slow"], &[], None), "zero one three");
        assert_eq!(left(&plain, &[], &["slow"], None), "zero two three");
        assert_eq!(left(text, &[], &["live"], None), "zero one two three");
        assert_eq!(left(&plain, &[], &[], Some("testB")), "zero two three");
        assert_eq!(left(&plain, &[], &[], Some("/B$/")), "zero one two three");
    }
}
