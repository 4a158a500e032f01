//! What `pytest` loads: the tests that it is given or finds, the `conftest.py` beside and above them, and plugins that options and
//! settings name ("Good Integration Practices", "Writing plugins" and "Configuration" in its documentation).

use portcullis_syntax::Span;

use super::{Starter, outline};
use crate::{
    effect::Argument,
    programs::found::{File, Found, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
    programs::options,
};

pub(super) static PYTEST: Starter = Starter { programs: &["pytest", "py.test"], start: pytest };

/// Files that settings stand in, in the order in which they are looked for.
const SETTINGS: &[&str] = &["pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"];

/// Folders that tests are looked for in beside the directory itself; they are listed at once, so that a round is saved.
const FOLDERS: &[&str] = &["test", "tests"];

/// Options with which tests are loaded and none is run ("Command-line Flags").
const COLLECTS: &[&str] = &[
    "--co",
    "--collect-only",
    "--collectonly",
    "--fixtures",
    "--fixtures-per-test",
    "--funcargs",
    "--markers",
    "--setup-plan",
    "--setupplan",
];

/// Hooks that are called while a test runs ("Test running (runtest) hooks").
const RUNNING: &[&str] =
    &["pytest_exception_interact", "pytest_fixture", "pytest_pyfunc_call", "pytest_runtest"];

/// Decorators that call nothing of what stands below them, by how they begin or end.
const MARKS: &[&str] = &[
    "classmethod",
    "contextlib.",
    "contextmanager",
    "fixture",
    "functools.",
    "given",
    "mark.",
    "mock.",
    "parametrize",
    "patch",
    "property",
    "pytest.",
    "settings",
    "staticmethod",
    "unittest.",
];

/// How deep folders of tests are listed.
const LISTED: usize = 3;

/// How tests are gone through.
#[derive(Clone, Copy)]
struct How<'a> {
    /// They are run, not only collected.
    runs: bool,
    /// Marks whose tests are left out.
    left_out: &'a [String],
    /// A word that the name of a test has to have in it, or none must (`-k`).
    word: Option<(&'a str, bool)>,
}

impl How<'_> {
    /// Whether any test is left out.
    fn chooses(&self) -> bool {
        !self.left_out.is_empty() || self.word.is_some()
    }

    /// Whether every test of a file is left out by a mark of the module: `pytestmark = pytest.mark.live`.
    fn leaves_out_all(&self, text: &str) -> bool {
        let lines = text.lines().filter_map(|line| line.strip_prefix("pytestmark"));
        let mut marks =
            lines.filter_map(|rest| rest.trim_start().strip_prefix('=')).flat_map(|it| {
                it.split("pytest.mark.").skip(1).map(|it| {
                    it.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
                        .next()
                        .unwrap_or_default()
                })
            });
        marks.any(|mark| self.left_out.iter().any(|it| it == mark))
    }

    /// Whether a test is left out by its name. That of the file or of a class counts as well.
    fn leaves_out_by_name(&self, path: &str, text: &str, name: &str) -> bool {
        let Some((word, is_wanted)) = self.word else { return false };
        let word = word.to_lowercase();
        let has = |name: &str| name.to_lowercase().contains(&word);
        let around = has(path.rsplit('/').next().unwrap_or(path))
            || text.lines().any(|line| line.starts_with("class ") && has(line));
        match is_wanted {
            true => !has(name) && !around,
            false => has(name),
        }
    }

    /// Whether a test is left out by a mark above it: `@pytest.mark.live` with `-m "not live"`.
    fn leaves_out(&self, function: &outline::Function<'_>) -> bool {
        function.decorators.iter().any(|decorator| {
            let mark =
                decorator.strip_prefix("pytest.mark.").or_else(|| decorator.strip_prefix("mark."));
            mark.is_some_and(|mark| self.left_out.iter().any(|it| it == mark))
        })
    }

    /// Whether a file has `pytest` and its marks as they are.
    fn is_plain(&self, text: &str) -> bool {
        let binds = |line: &str| {
            ["pytest =", "mark =", "pytest.mark ="]
                .iter()
                .any(|it| line.trim_start().starts_with(it))
        };
        !["as pytest", "as mark"].iter().any(|it| text.contains(it)) && !text.lines().any(binds)
    }
}

/// `-m "not a and not b"`: the marks whose tests are left out. Anything else leaves out nothing ("Working with custom markers").
fn left_out(arguments: &[Argument]) -> Vec<String> {
    let values = options::values_of(arguments, "-m");
    let Some(expression) = values.last().and_then(|it| it.text.as_known()) else {
        return Vec::new();
    };
    let mut marks = Vec::new();
    for part in expression.split(" and ") {
        let words: Vec<&str> = part.split_whitespace().collect();
        let ["not", mark] = words.as_slice() else { return Vec::new() };
        if !mark.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_') {
            return Vec::new();
        }
        marks.push((*mark).to_owned());
    }
    marks
}

/// `-k word`, `-k "not word"`; anything else leaves out nothing ("Using -k expr to select tests based on their name").
fn word_of(arguments: &[Argument]) -> Option<(&str, bool)> {
    let expression = arguments.iter().enumerate().rev().find_map(|(at, word)| {
        let word = word.text.as_known()?;
        match word {
            "-k" => arguments.get(at + 1)?.text.as_known(),
            word => word.strip_prefix("-k").filter(|it| !it.is_empty()),
        }
    })?;
    let words: Vec<&str> = expression.split_whitespace().collect();
    let is_plain = |word: &str| word.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
    match words.as_slice() {
        ["not", word] if is_plain(word) => Some((word, false)),
        [word] if is_plain(word) => Some((word, true)),
        _ => None,
    }
}

fn pytest(walk: &mut dyn Host, invocation: &Invocation) {
    walk.in_project(|walk| read(walk, invocation));
}

fn read(walk: &mut dyn Host, invocation: &Invocation) {
    let arguments = invocation.arguments.as_slice();
    let has = |options: &[&str]| {
        arguments
            .iter()
            .any(|word| word.text.as_known().is_some_and(|word| options.contains(&word)))
    };
    if has(&["--help", "-h", "--version", "-V"]) {
        return;
    }
    let how =
        How { runs: !has(COLLECTS), left_out: &left_out(arguments), word: word_of(arguments) };
    // What is there before is removed first.
    for place in options::values_of(arguments, "--basetemp") {
        walk.delete(&place, true);
    }
    let Some(root) = walk.directory().map(str::to_owned) else { return };
    let span = invocation.name.span;
    let mut plugins: Vec<String> = options::values_of(arguments, "-p")
        .iter()
        .filter_map(|plugin| plugin.text.as_known().map(str::to_owned))
        .collect();
    for (name, is_options) in [("PYTEST_ADDOPTS", true), ("PYTEST_PLUGINS", false)] {
        let given = invocation.environment.iter().find(|(variable, _)| variable == name);
        let given = given.map(|(_, value)| value.clone()).or_else(|| walk.variable_set(name));
        let Some(given) = given else { continue };
        match is_options {
            true => plugins.extend(plugins_of(given.known_prefix())),
            false => plugins.extend(given.known_prefix().split(',').map(str::to_owned)),
        }
    }
    let settings: Vec<_> =
        SETTINGS.iter().filter_map(|name| walk.look(&format!("{root}/{name}")).file()).collect();
    let mut folders: Vec<String> = Vec::new();
    for file in &settings {
        plugins.extend(plugins_of(&file.text));
        folders.extend(paths_of(&file.text, "testpaths"));
    }
    let operands: Vec<&Argument> = arguments
        .iter()
        .filter(|word| {
            let word = word.text.as_known().unwrap_or("-");
            !word.starts_with('-') && (word.contains(['/', '.']) || FOLDERS.contains(&word))
        })
        .collect();
    let mut roots = vec![root.clone(), format!("{root}/src")];
    for file in &settings {
        roots.extend(paths_of(&file.text, "pythonpath").iter().map(|place| below(&root, place)));
        plugins.extend(entry_points(&file.text));
    }
    for plugin in plugins.iter().filter(|plugin| !plugin.starts_with("no:")) {
        module(walk, &roots, plugin, (span, how));
    }
    load(walk, &roots, &format!("{root}/conftest.py"), (span, how));
    let mut tests: Vec<(String, Span)> = Vec::new();
    if operands.is_empty() {
        folders.extend(FOLDERS.iter().map(|folder| (*folder).to_owned()));
        for folder in &folders {
            collect(walk, &below(&root, folder), span, LISTED, &mut tests);
        }
        collect(walk, &root, span, 1, &mut tests);
    }
    for operand in operands {
        let Some(path) = walk.target(&operand.text).path else { continue };
        let path = path.split("::").next().unwrap_or_default().to_owned();
        let mut directory = path.as_str();
        while directory.len() > root.len() && directory.starts_with(root.as_str()) {
            load(walk, &roots, &format!("{directory}/conftest.py"), (operand.span, how));
            directory = directory_of(directory);
        }
        if path.ends_with(".py") {
            tests.push((path, operand.span));
        } else {
            collect(walk, &path, operand.span, LISTED, &mut tests);
        }
    }
    // A project may have more tests than are read: those that this session wrote come first.
    tests.sort_by_key(|(path, _)| walk.facts().session.left(path).is_none());
    for (path, span) in &tests {
        load(walk, &roots, path, (*span, how));
    }
}

/// The tests in a folder, and in the folders in it.
fn collect(
    walk: &mut dyn Host,
    directory: &str,
    span: Span,
    depth: usize,
    tests: &mut Vec<(String, Span)>,
) {
    if depth == 0 {
        return;
    }
    let Found::Directory(names) = walk.look(directory) else { return };
    for name in &names {
        let path = below(directory, name.trim_end_matches('/'));
        if name.ends_with('/') {
            let is_hidden = name.starts_with(['.', '_'])
                || matches!(name.as_str(), "build/" | "dist/" | "node_modules/" | "venv/");
            if !is_hidden {
                collect(walk, &path, span, depth - 1, tests);
            }
        } else if is_test(name) {
            tests.push((path, span));
        }
    }
}

fn is_test(name: &str) -> bool {
    let stem = name.strip_suffix(".py").unwrap_or_default();
    matches!(stem, "conftest" | "__init__") || stem.starts_with("test_") || stem.ends_with("_test")
}

fn load(walk: &mut dyn Host, roots: &[String], path: &str, (span, how): (Span, How<'_>)) {
    let mut roots = roots.to_vec();
    roots.push(directory_of(path).to_owned());
    python(walk, &roots, path, (span, how));
    if let Some(file) = walk.look(path).file()
        && let Some((_, named)) = file.text.split_once("pytest_plugins")
    {
        let named = named.trim_start_matches([' ', '=']);
        let end = named.find([']', ')', '\n']).unwrap_or(named.len());
        let named = named.get(..end).unwrap_or_default();
        for plugin in named.split(['"', '\'']).skip(1).step_by(2) {
            module(walk, &roots, plugin, (span, how));
        }
    }
}

/// A module of tests or of a plugin. Where tests are only collected, neither they nor what they are given is called.
fn python(walk: &mut dyn Host, roots: &[String], path: &str, (span, how): (Span, How<'_>)) {
    let all = walk.look(path).file().filter(|_| how.runs && how.chooses());
    let leaves_out_all = all.as_ref().is_some_and(|file| how.leaves_out_all(&file.text));
    let is_called = |function: &outline::Function<'_>| match how.runs {
        true if function.name.starts_with("test") => {
            let text = all.as_ref().map_or("", |file| &file.text);
            !leaves_out_all
                && !how.leaves_out(function)
                && !how.leaves_out_by_name(path, text, function.name)
        }
        true => !how.leaves_out(function),
        false => is_called_to_collect(function),
    };
    if (!how.runs || how.chooses())
        && let Some(file) = walk.look(path).file()
        && (!how.runs || how.is_plain(&file.text))
        && let Some(text) = outline::without_uncalled(&file.text, &is_called)
    {
        let text = outline::imported(&text).unwrap_or(text);
        walk.load_text_from(roots, "python", &File { text: text.into(), ..file }, span);
    } else if let Some(file) = walk.look(path).file()
        && let Some(text) = outline::imported(&file.text)
    {
        walk.load_text_from(roots, "python", &File { text: text.into(), ..file }, span);
    } else {
        walk.load_from(roots, "python", path, span);
    }
}

/// Whether a function is called while tests are collected, by pytest or by what decorates it.
fn is_called_to_collect(function: &outline::Function<'_>) -> bool {
    let is_hook = function.name.starts_with("pytest_")
        && !RUNNING.iter().any(|hook| function.name.starts_with(hook));
    let is_mark = |name: &String| {
        MARKS
            .iter()
            .any(|mark| name.starts_with(mark) || name.ends_with(mark) || name.contains("mark."))
    };
    is_hook || !function.decorators.iter().all(is_mark)
}

/// A plugin by the name of its module.
fn module(walk: &mut dyn Host, roots: &[String], name: &str, how: (Span, How<'_>)) {
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(&byte)) {
        return;
    }
    let name = name.replace('.', "/");
    for root in roots {
        for ending in [".py", "/__init__.py"] {
            python(walk, roots, &format!("{root}/{name}{ending}"), how);
        }
    }
}

/// `-p NAME` in what settings add to every command line.
fn plugins_of(settings: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in settings.lines().filter(|line| line.contains("-p")) {
        let words = line.split([' ', '"', '\'', '=', ',', '[', ']', '\t']);
        let mut words = words.filter(|word| !word.is_empty());
        while let Some(word) = words.next() {
            if word == "-p" {
                found.extend(words.next().map(str::to_owned));
            } else if let Some(name) = word.strip_prefix("-p").filter(|name| !name.starts_with('-'))
            {
                found.push(name.to_owned());
            }
        }
    }
    found
}

/// Plugins of the project that it is installed with: `[project.entry-points.pytest11]`, `pytest11 =` ("Making your plugin installable by others").
fn entry_points(settings: &str) -> Vec<String> {
    let Some((_, rest)) = settings.split_once("pytest11") else { return Vec::new() };
    let lines = rest.lines().skip(1).take_while(|line| {
        let line = line.trim();
        line.contains('=') && !line.starts_with('[') || line.is_empty()
    });
    let values = lines.filter_map(|line| line.split_once('=')).map(|(_, value)| value.trim());
    let values = values.map(|value| value.trim_matches(['"', '\'']));
    values
        .map(|value| value.split(':').next().unwrap_or(value).to_owned())
        .filter(|value| !value.is_empty())
        .collect()
}

/// `testpaths`, `pythonpath` of the settings: a line of places, or lines below the name.
fn paths_of(settings: &str, name: &str) -> Vec<String> {
    let key = |line: &&str| {
        let line = line.trim_start();
        line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    let mut lines = settings.lines().skip_while(|line| !key(line));
    let Some((_, first)) = lines.next().and_then(|line| line.split_once('=')) else {
        return Vec::new();
    };
    let mut written = first.to_owned();
    if first.contains('[') && !first.contains(']') {
        for line in lines {
            written.push(' ');
            written.push_str(line);
            if line.contains(']') {
                break;
            }
        }
    } else if first.trim().is_empty() {
        for line in lines.take_while(|line| line.starts_with([' ', '\t'])) {
            written.push(' ');
            written.push_str(line);
        }
    }
    let written = written.split('#').next().unwrap_or_default();
    written
        .split(|letter: char| !letter.is_alphanumeric() && !"_-./".contains(letter))
        .filter(|path| !path.is_empty())
        .map(str::to_owned)
        .collect()
}

fn below(directory: &str, name: &str) -> String {
    format!("{}/{}", directory.trim_end_matches('/'), name.trim_start_matches("./"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_name_plugins_and_folders() {
        assert_eq!(plugins_of("addopts = -ra -p tools.plug --strict"), ["tools.plug"]);
        assert_eq!(plugins_of("addopts = [\"-p\", \"plug\"]"), ["plug"]);
        for (text, expected) in [
            ("testpaths = [\"tests\", \"more/tests\"]\n", &["tests", "more/tests"][..]),
            ("testpaths = unit\n", &["unit"]),
            ("testpaths =\n  a\n  b\nx = 1\n", &["a", "b"]),
            ("testpaths = [\n  'a', # c\n  'b',\n]\n", &["a"]),
            ("[pytest]", &[]),
        ] {
            assert_eq!(paths_of(text, "testpaths"), expected, "{text}");
        }
        assert_eq!(
            entry_points("[project.entry-points.pytest11]\na = \"b.c\"\n[x]\ny = 1\n"),
            ["b.c"]
        );
        assert!(entry_points("[project]\n").is_empty());
    }

    #[test]
    fn tests_are_left_out_by_marks_of_the_module_and_by_words() {
        let left = ["live".to_owned()];
        let how = How { runs: true, left_out: &left, word: None };
        for (text, expected) in [
            ("pytestmark = pytest.mark.live\n", true),
            ("pytestmark = [pytest.mark.slow, pytest.mark.live(reason='x')]\n", true),
            ("pytestmark = pytest.mark.liver\n", false),
            ("    pytestmark = pytest.mark.live\n", false),
        ] {
            assert_eq!(how.leaves_out_all(text), expected, "{text}");
        }
        let how = How { runs: true, left_out: &[], word: Some(("Pin", true)) };
        assert!(how.leaves_out_by_name("/p/test_a.py", "", "test_other"));
        assert!(!how.leaves_out_by_name("/p/test_a.py", "", "test_pinned"));
        assert!(!how.leaves_out_by_name("/p/test_pin.py", "", "test_other"));
        assert!(!how.leaves_out_by_name("/p/test_a.py", "class TestPin:\n", "test_other"));
        let how = How { runs: true, left_out: &[], word: Some(("pin", false)) };
        assert!(how.leaves_out_by_name("/p/test_a.py", "", "test_pinned"));
    }

    #[test]
    fn tests_are_known_by_their_names() {
        for (name, expected) in [
            ("test_a.py", true),
            ("a_test.py", true),
            ("conftest.py", true),
            ("a.py", false),
            ("test_a.txt", false),
        ] {
            assert_eq!(is_test(name), expected, "{name}");
        }
    }
}
