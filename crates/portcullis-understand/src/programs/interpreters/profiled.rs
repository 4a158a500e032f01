//! Modules of Python's library that run what they are given: a file, another module, the examples of a text, an object that was stored. Owns which of
//! their words that is (docs.python.org, "cProfile", "trace", "pdb", "doctest", "pydoc", "inspect", "pickle").

use super::super::options::Options;
use crate::{
    bound::Bounded,
    effect::{Argument, GapReason},
    programs::{host::Host, invocation::Invocation},
    text::Text,
};

/// How many lines of commands are read.
const LINES: usize = 512;

/// A module, which of its options take a value, and behind which a module stands in the place of a file.
struct Runner {
    name: &'static str,
    values: &'static [&'static str],
    module: &'static [&'static str],
}

static RUNNERS: &[Runner] = &[
    Runner { name: "cProfile", values: &["-o", "-s", "--outfile", "--sort"], module: &["-m"] },
    Runner { name: "pdb", values: &["-c", "--command", "-p", "--pid"], module: &["-m"] },
    Runner { name: "profile", values: &["-o", "-s", "--outfile", "--sort"], module: &["-m"] },
    Runner {
        name: "trace",
        values: &["-C", "-f", "--coverdir", "--file", "--ignore-dir", "--ignore-module"],
        module: &["--module"],
    },
];

/// Says what such a module runs of its words; `false` where it is another one.
pub(super) fn follow(
    walk: &mut dyn Host,
    invocation: &Invocation,
    module: &str,
    rest: &[Argument],
) -> bool {
    if let Some(runner) = RUNNERS.iter().find(|runner| runner.name == module) {
        run(walk, invocation, runner, rest);
        return true;
    }
    match module {
        "doctest" => {
            for file in Options::new(rest, &["-o", "--option"]).operands() {
                examples(walk, file);
            }
        }
        "inspect" | "pydoc" => {
            for name in Options::new(rest, &["-p", "-n", "-k"]).operands() {
                imported(walk, name);
            }
        }
        "pickle" => {
            for file in Options::new(rest, &[]).operands() {
                stored(walk, file);
            }
        }
        _ => return false,
    }
    true
}

fn run(walk: &mut dyn Host, invocation: &Invocation, runner: &Runner, rest: &[Argument]) {
    let mut at = 0;
    while let Some(word) = rest.get(at) {
        let known = word.text.known_prefix();
        let behind = rest.get(at + 1..).unwrap_or_default();
        if runner.module.contains(&known) {
            let mut words = vec![
                invocation.name.clone(),
                Argument { text: Text::known("-m"), span: word.span },
            ];
            words.extend_from_slice(behind);
            walk.run(&words, invocation.input.clone());
            break;
        }
        if runner.values.contains(&known) {
            if runner.name == "pdb"
                && let Some(command) = behind.first()
            {
                debugged(walk, command.text.as_known().unwrap_or_default(), command);
            }
            at += 2;
        } else if known.starts_with('-') && known.len() > 1 {
            at += 1;
        } else {
            walk.script("python", word, behind, invocation.input.clone());
            break;
        }
    }
    if runner.name != "pdb" {
        return;
    }
    let here = Argument { text: Text::known(".pdbrc"), span: invocation.span };
    let read = walk.target(&here.text).path.and_then(|path| walk.look(&path).file());
    if let Some(file) = read {
        walk.in_file(&file, "python", invocation.span, |walk| {
            debugged(walk, &file.text, &Argument { text: Text::default(), span: invocation.span });
        });
    }
    if let Some(input) = &invocation.input {
        let text = walk.text_of_input(input);
        debugged(walk, text.as_known().unwrap_or_default(), &here);
    }
}

/// Commands of the debugger: what is none of its own is a statement of Python, `!` says so outright.
fn debugged(walk: &mut dyn Host, commands: &str, place: &Argument) {
    for line in commands.lines().at_most(LINES, walk, place.span).collect::<Vec<_>>() {
        let line = line.trim();
        let code = line.strip_prefix('!').unwrap_or(line).trim_start();
        let code = ["p ", "pp ", "interact ", "exec "]
            .iter()
            .find_map(|command| code.strip_prefix(command))
            .unwrap_or(code);
        if code.contains(['(', '=', ';']) || code.starts_with("import ") {
            walk.code("python", &Text::known(code), place.span, &[]);
        }
    }
}

/// `python -m doctest FILE`: the examples behind `>>>`, and the module itself where it is one.
fn examples(walk: &mut dyn Host, file: &Argument) {
    let Some(path) = walk.target(&file.text).path else { return };
    let Some(found) = walk.look(&path).file() else {
        if walk.wrote(&file.text) {
            walk.gap(file.span, GapReason::UnknownCode);
        }
        return;
    };
    if path.ends_with(".py") {
        walk.load("python", &path, file.span);
    }
    let mut code = String::new();
    for line in found.text.lines() {
        let line = line.trim_start();
        if let Some(rest) = line.strip_prefix(">>> ").or_else(|| line.strip_prefix("... ")) {
            code.push_str(rest);
            code.push('\n');
        }
    }
    if !code.is_empty() {
        walk.in_file(&found, "python", file.span, |walk| {
            walk.code("python", &Text::known(code), file.span, &[]);
        });
    }
}

/// A module by its name, `a.b:c` or the path of its file: it is imported to be shown.
fn imported(walk: &mut dyn Host, name: &Argument) {
    let Some(known) = name.text.as_known() else { return };
    let known = known.split(':').next().unwrap_or(known);
    let paths = if known.ends_with(".py") || known.contains('/') {
        vec![known.to_owned()]
    } else {
        let path = known.replace('.', "/");
        let above = path.split('/').next().unwrap_or(&path).to_owned();
        vec![format!("{above}/__init__.py"), format!("{path}/__init__.py"), format!("{path}.py")]
    };
    let paths: Vec<String> =
        paths.iter().filter_map(|path| walk.target(&Text::known(path.as_str())).path).collect();
    for path in &paths {
        walk.look(path);
    }
    for path in &paths {
        walk.load("python", path, name.span);
    }
}

/// An object that was stored: what it is made anew with is called (docs.python.org, "pickle").
pub(super) fn stored(walk: &mut dyn Host, file: &Argument) {
    const CALLED: &[(&str, &str)] = &[
        ("builtins", "eval"),
        ("builtins", "exec"),
        ("nt", "system"),
        ("os", "popen"),
        ("os", "system"),
        ("posix", "system"),
        ("subprocess", "Popen"),
        ("subprocess", "call"),
        ("subprocess", "check_output"),
        ("subprocess", "getoutput"),
        ("subprocess", "run"),
    ];
    let Some(path) = walk.target(&file.text).path else { return };
    let Some(found) = walk.look(&path).file() else { return };
    let lines: Vec<&str> = found.text.lines().collect();
    let called = lines.windows(2).find_map(|pair| {
        let [module, name] = pair else { return None };
        let (_, module) = module.rsplit_once('c')?;
        CALLED.iter().find(|(known, call)| known == &module && call == &name.trim())
    });
    let Some((module, _)) = called else { return };
    walk.in_file(&found, "pickle", file.span, |walk| {
        for line in &lines {
            let Some((_, text)) = line.split_once("S'") else { continue };
            let code = Text::known(text.trim_end_matches('\'').replace("\\'", "'"));
            match *module {
                "builtins" => walk.code("python", &code, file.span, &[]),
                _ => walk.shell(&code, file.span, &[], None),
            };
        }
    });
}
