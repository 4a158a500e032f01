//! Programs that are given code in a language that nothing here reads, and those that hand a command on to another one that runs: window managers,
//! editors, terminals, watchers. Owns behind which of their words it stands; of such code only texts are taken, where it names a call that starts
//! something.

use portcullis_syntax::Span;

use super::{Starter, project};
use crate::{
    bound::Bounded,
    effect::Argument,
    programs::{host::Host, invocation::Invocation},
    text::Text,
};

pub(super) static EVALUATORS: Starter = Starter {
    programs: &[
        "chicken-csi",
        "csi",
        "emacsclient",
        "chez",
        "chef-apply",
        "factor",
        "fennel",
        "gforth",
        "gimp",
        "gosh",
        "gp",
        "hy",
        "janet",
        "newlisp",
        "picolisp",
        "pil",
        "qjs",
        "rakudo",
        "sqlite3",
    ],
    start: evaluated,
};

pub(super) static CONTROLS: Starter = Starter {
    programs: &[
        "cargo",
        "dbus-send",
        "firebase",
        "gdbus",
        "gvim",
        "hyprctl",
        "i3-msg",
        "mispipe",
        "mprocs",
        "nvim",
        "pee",
        "pueue",
        "qdbus",
        "qdbus6",
        "r2",
        "radare2",
        "salt-call",
        "shell2http",
        "swaymsg",
        "vim",
    ],
    start: controlled,
};

pub(super) static DEBUGGER: Starter = Starter { programs: &["gdb"], start: debugged };

pub(super) static FORMATTERS: Starter = Starter { programs: &["groff", "m4"], start: formatted };

/// How many texts of one piece of code are read.
const TEXTS: usize = 32;

/// What the names of calls have in them that start programs.
const STARTS: &[&str] =
    &["(call ", "exec", "command", "edit(", "popen", "process", "run", "shell", "system"];

fn evaluated(walk: &mut dyn Host, invocation: &Invocation) {
    let input = invocation.input.as_ref().map(|input| walk.text_of_input(input));
    let input = input.map(|text| Argument { text, span: invocation.span });
    for word in invocation.arguments.iter().chain(&input) {
        let Some(known) = word.text.as_known() else { continue };
        if !STARTS.iter().any(|name| known.contains(name)) || !known.contains(['"', '\'']) {
            continue;
        }
        for text in texts(known).into_iter().at_most(TEXTS, walk, word.span) {
            // A word alone is a name, unless it is a path.
            if text.contains(' ') || text.starts_with("./") || text.starts_with('/') {
                let code = Text::known(text);
                walk.suppose(&code, word.span);
            }
        }
    }
}

/// The texts in quotes, those of the other kind of quotes within them as they stand.
fn texts(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find(['"', '\'']) {
        let quote = if rest.get(at..).is_some_and(|it| it.starts_with('"')) { '"' } else { '\'' };
        let inner = rest.get(at + 1..).unwrap_or_default();
        let Some(end) = inner.find(quote) else { break };
        found.push(inner.get(..end).unwrap_or_default().trim());
        rest = inner.get(end + 1..).unwrap_or_default();
    }
    found
}

fn controlled(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let line = |from: usize| words.get(from..).unwrap_or_default().join(" ");
    let span = invocation.span;
    let says = |walk: &mut dyn Host, code: String| {
        walk.at_likely(|walk| walk.shell(&Text::known(code), span, &[], None));
    };
    match invocation.program.as_str() {
        "i3-msg" | "swaymsg" => {
            let whole = line(0);
            for command in whole.split([';', ',']).map(str::trim) {
                if let Some(code) = command.strip_prefix("exec ") {
                    says(walk, code.trim_start_matches("--no-startup-id ").to_owned());
                }
            }
        }
        "hyprctl"
            if words.first().is_some_and(|it| it == "dispatch")
                && words.get(1).is_some_and(|it| it.starts_with("exec")) =>
        {
            says(walk, line(2));
        }
        "qdbus" | "qdbus6" => {
            let called = |word: &String| {
                let name = word.rsplit('.').next().unwrap_or(word);
                matches!(name, "runCommand" | "sendText" | "runCommandInSession")
            };
            if let Some(at) = words.iter().position(called) {
                says(walk, line(at + 1));
            }
        }
        "shell2http" => {
            let operands = project::operands(&words, &["-host", "-port", "-shell"]);
            for code in operands.iter().skip(1).step_by(2) {
                says(walk, (*code).to_owned());
            }
        }
        "mprocs" => {
            for code in project::operands(&words, &["-c", "--config", "--names", "-s", "--server"])
            {
                says(walk, code.to_owned());
            }
        }
        // moreutils: pee(1), mispipe(1).
        "mispipe" | "pee" => {
            for code in words.iter().filter(|word| !word.starts_with('-')) {
                says(walk, code.clone());
            }
        }
        // github.com/Nukesor/pueue, "add".
        "pueue" if words.first().is_some_and(|it| it == "add") => {
            let values = [
                "-g",
                "--group",
                "-d",
                "--delay",
                "-a",
                "--after",
                "-w",
                "-l",
                "--label",
                "-o",
                "--priority",
            ];
            let operands = project::operands(&words, &values);
            says(walk, operands.get(1..).unwrap_or_default().join(" "));
        }
        // firebase.google.com/docs/cli, "emulators:exec".
        "firebase" => {
            let operands = project::operands(
                &words,
                &["--only", "--import", "-P", "--project", "--inspect-functions"],
            );
            if let Some(("emulators:exec", rest)) =
                operands.split_first().map(|(verb, rest)| (*verb, rest))
            {
                says(walk, rest.join(" "));
            }
        }
        // docs.saltproject.io, "cmdmod".
        "salt-call" => {
            let operands = project::operands(&words, &["-c", "-l", "-m", "--out", "--log-level"]);
            if let Some((verb, rest)) = operands.split_first()
                && matches!(
                    *verb,
                    "cmd.exec_code"
                        | "cmd.retcode"
                        | "cmd.run"
                        | "cmd.run_all"
                        | "cmd.run_stdout"
                        | "cmd.shell"
                )
            {
                says(walk, rest.first().map(|it| (*it).to_owned()).unwrap_or_default());
            }
        }
        // book.rada.re, "Shell commands": behind `!`.
        "r2" | "radare2" => {
            let grouped = words.iter().position(|word| {
                word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
            });
            let code = grouped.and_then(|at| words.get(at + 1));
            for command in code.into_iter().flat_map(|code| code.split(';')) {
                if let Some(code) = command.trim().strip_prefix('!') {
                    says(walk, code.trim_start_matches('!').to_owned());
                }
            }
        }
        // Methods of desktops that run what they are given.
        "dbus-send" | "gdbus" => {
            const METHODS: &[&str] =
                &["eval", "exec_blind", "openurl", "runcommand", "sendtext", "spawn", "startunit"];
            let calls = words.iter().any(|word| {
                let name = word.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
                METHODS.contains(&name.as_str())
            });
            for word in words.iter().filter(|_| calls) {
                for text in texts(word).into_iter().at_most(TEXTS, walk, span) {
                    walk.suppose(&Text::known(text), span);
                }
                if let Some(text) = word.strip_prefix("string:") {
                    walk.suppose(&Text::known(text), span);
                }
            }
        }
        "cargo" if words.first().is_some_and(|it| it == "watch") => {
            for code in project::options(&words, &["-s", "--shell"]) {
                says(walk, code.to_owned());
            }
            for code in project::options(&words, &["-x", "--exec"]) {
                says(walk, format!("cargo {code}"));
            }
        }
        "gvim" | "nvim" | "vim" => {
            for keys in project::options(&words, &["--remote-send"]) {
                let mut keys = keys.to_owned();
                for key in ["<CR>", "<cr>", "<Enter>", "<NL>"] {
                    keys = keys.replace(key, "\n");
                }
                let lines = keys.lines().filter_map(|line| line.split_once(":!")).map(|it| it.1);
                for code in lines {
                    says(walk, code.to_owned());
                }
            }
            for code in project::options(&words, &["--remote-expr"]) {
                for text in texts(code).into_iter().at_most(TEXTS, walk, span) {
                    if STARTS.iter().any(|name| code.contains(name)) {
                        walk.suppose(&Text::known(text), span);
                    }
                }
            }
        }
        _ => {}
    }
}

/// `groff -U FILE`: requests that run a command (groff(7)); `m4 FILE`: `syscmd` and `esyscmd` (gnu.org, "Shell commands").
fn formatted(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let is_unsafe = project::has(&words, &["-U", "--unsafe"]);
    if invocation.program == "groff" && !is_unsafe {
        return;
    }
    let values = ["-m", "-T", "-D", "-I", "-M", "-F", "-r", "-d", "-P", "-L"];
    // groff(1): files of macros that are read first, by their names in the directories of `-M`.
    let mut names: Vec<String> =
        project::operands(&words, &values).into_iter().map(str::to_owned).collect();
    if invocation.program == "groff" {
        for place in project::options(&words, &["-M"]) {
            names.extend(["troffrc", "troffrc-end"].map(|name| format!("{place}/{name}")));
            for name in project::options(&words, &["-m"]) {
                names.push(format!("{place}/{name}.tmac"));
                names.push(format!("{place}/tmac.{name}"));
            }
        }
    }
    let mut paths: Vec<String> = Vec::new();
    for name in &names {
        paths.extend(walk.target(&Text::known(name.as_str())).path);
    }
    // What arrives on the input is read as a file of that text.
    if let Some(input) = &invocation.input {
        paths.extend(walk.copied_file(input));
    }
    for path in paths {
        let Some(file) = walk.look(&path).file() else { continue };
        walk.in_file(&file, "text", invocation.span, |walk| {
            let mut at = 0;
            for raw in file.text.split_inclusive('\n') {
                let span = Span::new(at, at + raw.trim_end().len());
                at += raw.len();
                let line = raw.trim();
                let code = match invocation.program.as_str() {
                    "groff" => [".sy ", ".pso "].iter().find_map(|it| line.strip_prefix(it)),
                    _ => line.split_once("syscmd(").map(|(_, rest)| {
                        let inner = rest.rsplit_once(')').map_or(rest, |(inner, _)| inner);
                        inner.trim_matches(['`', '\'', '[', ']', ' '])
                    }),
                };
                if let Some(code) = code {
                    walk.at_likely(|walk| walk.shell(&Text::known(code), span, &[], None));
                }
            }
        });
    }
}

/// `gdb -ex run --args PROGRAM WORD…`: the program runs; beside it, a file of Python of its name is loaded where one says that this is safe.
fn debugged(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let runs = words.iter().any(|word| {
        let command = word.rsplit_once('=').map_or(word.as_str(), |(_, command)| command);
        matches!(command.trim(), "r" | "run" | "start" | "starti")
    });
    if let Some(at) = words.iter().position(|word| matches!(word.as_str(), "--args" | "-args")) {
        let line: Vec<Argument> = invocation.arguments.get(at + 1..).unwrap_or_default().to_vec();
        if runs && !line.is_empty() {
            walk.run(&line, invocation.input.clone());
        }
    }
    for name in project::options(&words, &["-x", "--command", "-ix", "--init-command"]) {
        if name.ends_with(".py")
            && let Some(path) = walk.target(&Text::known(name)).path
        {
            walk.load("python", &path, invocation.span);
        }
    }
    if words.iter().any(|word| word.contains("auto-load")) {
        let values = ["-ex", "-iex", "-x", "-ix", "--command", "-p"];
        for name in project::operands(&words, &values) {
            if let Some(path) = walk.target(&Text::known(name)).path {
                walk.load("python", &format!("{path}-gdb.py"), invocation.span);
            }
        }
    }
}
