//! What becomes of a value that is run: how each kind of escape is followed, and the small languages inside of values.

use super::{
    How, by_manual, debugger, is_shell, make::makefile, settings, temporary::names_temporary, vim,
    words::put_in_by_tox,
};
use crate::{
    effect::Argument,
    programs::host::Host,
    text::{Piece, Taint, Text},
};

pub(super) fn act(walk: &mut dyn Host, how: How, value: &Argument) {
    // Without the mark it is a file and no command: `psql -o /tmp/rows.csv`.
    if matches!(how, How::ShellAfter(mark) if after(&value.text, mark).is_none()) {
        return;
    }
    if !matches!(how, How::Code(_) | How::Vim | How::Directory | How::Settings(_))
        && !matches!(how, How::Loaded)
        && names_temporary(&value.text, walk.facts())
    {
        walk.note("execution.temporary.escape", value.span);
    }
    match how {
        How::Shell => {
            walk.shell(&value.text, value.span, &[], None);
        }
        How::ShellAfter(prefix) => {
            if let Some(code) = after(&value.text, prefix) {
                // A command behind a pipe gets what the program writes.
                let written = (prefix == "|").then(|| Text {
                    taint: Taint::PRIVATE,
                    ..Text::unknown("what the program writes")
                });
                walk.shell(&code, value.span, &[], written);
            }
        }
        How::ShellSetting(keys) => {
            // `hg --config 'alias.status=!COMMAND'`: with the mark it is a command and no name for another one.
            if keys.contains(&"alias")
                && let Some((key, code)) = setting(&value.text)
                && key.starts_with("alias.")
            {
                if let Some(code) = after(&code, "!") {
                    walk.shell(&code, value.span, &[], None);
                }
                return;
            }
            if let Some((key, code)) = setting(&value.text)
                && keys.iter().any(|known| {
                    key.eq_ignore_ascii_case(known)
                        || ["::", "."].iter().any(|mark| {
                            key.to_ascii_lowercase()
                                .ends_with(&format!("{mark}{}", known.to_ascii_lowercase()))
                        })
                })
            {
                if names_temporary(&code, walk.facts()) {
                    walk.note("execution.temporary.escape", value.span);
                }
                // What tox puts in: `{env:HOME}`.
                let code = match code.as_known() {
                    Some(known) if known.contains("{env:") || known.contains("{homedir}") => {
                        Text::known(put_in_by_tox(known))
                    }
                    _ => code,
                };
                walk.shell(&code, value.span, &[], None);
            }
        }
        How::Code(language) => {
            embedded(walk, language, value);
        }
        // postgresql.org/docs/current/pgbench: `\shell` and `\setshell` run commands.
        How::Commands("pgbench") => {
            let script = walk.read(value);
            for line in script.as_known().unwrap_or_default().lines() {
                let line = line.trim_start();
                let told = line.strip_prefix("\\shell ").or_else(|| {
                    line.strip_prefix("\\setshell ").and_then(|rest| Some(rest.split_once(' ')?.1))
                });
                if let Some(command) = told {
                    run(walk, value, command);
                }
            }
        }
        How::Commands(language) => {
            walk.script(language, value, &[], None);
        }
        How::Settings(kind) => settings::named(walk, kind, value),
        How::Directory => settings::directory(walk, value),
        How::Library => settings::library(walk, value),
        How::Loaded => by_manual::loaded(walk, value),
        How::Program => settings::program(walk, value),
        How::OwnShell => {
            let is_the_system_s = value.text.as_known().is_some_and(|path| {
                let name = path.strip_prefix("/usr").unwrap_or(path).strip_prefix("/bin/");
                is_shell(name.unwrap_or(path))
            });
            if !is_the_system_s {
                settings::program(walk, value);
            }
        }
        How::Ssh => settings::ssh(walk, value),
        How::Vim => vim::command(walk, &value.text, value.span),
        How::Script => {
            let name = value.text.known_prefix().rsplit('/').next().unwrap_or("");
            if is_shell(name) {
                walk.note("execution.shell.escape", value.span);
            } else {
                walk.script("shell", value, &[], None);
                settings::stands_in(walk, value);
            }
        }
    }
}

/// Small command languages of programs: what in them is a shell command.
pub(super) fn embedded(walk: &mut dyn Host, language: &'static str, value: &Argument) {
    let commands: &[&str] = match language {
        "gdb" => {
            // `pipe COMMAND | SHELL COMMAND`, also spelled `|`.
            let behind = |start| after(&value.text, start)?.as_known().map(str::to_owned);
            if let Some(piped) = behind("pipe ").or_else(|| behind("|"))
                && let Some((_, command)) = piped.split_once('|')
            {
                run(walk, value, command.trim());
                return;
            }
            // sourceware.org/gdb, "Python Commands".
            let code = ["python ", "py ", "python-interactive ", "pi "]
                .iter()
                .find_map(|word| after(&value.text, word));
            if let Some(code) = code {
                walk.code("python", &code, value.span, &[]);
                return;
            }
            if debugger::told(walk, &value.text, value.span) {
                return;
            }
            &["!", "shell ", "pipe "]
        }
        "lldb" => {
            if let Some(code) = after(&value.text, "script ") {
                walk.code("python", &code, value.span, &[]);
                return;
            }
            &["platform shell -h -- ", "platform shell --host -- ", "platform shell ", "shell "]
        }
        "jest" => {
            let loads =
                ["globalSetup", "globalTeardown", "setupFiles", "testEnvironment", "transform"];
            let known = value.text.known_prefix();
            if known.starts_with('{') && loads.iter().any(|word| known.contains(word)) {
                walk.note("package.build.exec", value.span);
            }
            return;
        }
        "rpm" => {
            if let Some(code) = value.text.as_known().and_then(|known| known.split_once("%(")) {
                let code = code.1.rsplit_once(')').map_or(code.1, |it| it.0).to_owned();
                if names_temporary(&Text::known(code.as_str()), walk.facts()) {
                    walk.note("execution.temporary.escape", value.span);
                }
                walk.shell(&value.text.derive([Piece::Known(code)]), value.span, &[], None);
            } else if value.text.known_prefix().contains("%{lua:") {
                walk.code("lua", &value.text, value.span, &[]);
            }
            return;
        }
        "node-options" => {
            let loads = ["--experimental-loader", "--import", "--loader", "--require", "-r"];
            let mut words = value.text.known_prefix().split([' ', '=']);
            if words.any(|word| loads.contains(&word)) {
                walk.note("package.build.exec", value.span);
            }
            return;
        }
        // gnu.org/software/m4/manual: `syscmd`, `esyscmd`.
        "m4" => {
            let known = value.text.known_prefix();
            let commands: Vec<&str> = known
                .split("syscmd(")
                .skip(1)
                .map(|rest| rest.rsplit_once(')').map_or(rest, |(inner, _)| inner))
                .map(|inner| inner.trim_matches(['`', '\'', '[', ']', ' ']))
                .collect();
            return commands.into_iter().for_each(|command| run(walk, value, command));
        }
        // mksquashfs(1): a file of type `f` is what a command prints.
        "pseudo-file" => {
            let words: Vec<&str> = value.text.known_prefix().splitn(6, ' ').collect();
            if let [_, "f" | "F", _, _, _, command] = words.as_slice() {
                run(walk, value, command);
            }
            return;
        }
        // neomutt.org/guide/configuration: what stands in backticks is run.
        "mutt" => {
            let commands = value.text.known_prefix().split('`').skip(1).step_by(2);
            return commands.for_each(|command| run(walk, value, command));
        }
        "third" => {
            let command = value.text.known_prefix().splitn(3, ':').nth(2).unwrap_or_default();
            return run(walk, value, command);
        }
        // `--exec [WHEN:]CMD`
        "when" => {
            let known = value.text.known_prefix();
            let command = match known.split_once(':') {
                Some((when, command))
                    if when.bytes().all(|it| it.is_ascii_lowercase() || it == b'_') =>
                {
                    command
                }
                _ => known,
            };
            return run(walk, value, command);
        }
        "make" => return makefile(walk, &value.text, value.span),
        "elisp" | "tex" => {
            if language == "elisp" {
                quoted_files(walk, value);
            }
            return quoted_commands(walk, value);
        }
        other => {
            walk.code(other, &value.text, value.span, &[]);
            return;
        }
    };
    for prefix in commands {
        if let Some(code) = after(&value.text, prefix) {
            walk.shell(&code, value.span, &[], None);
            return;
        }
    }
    if language == "gdb" && value.text.known_prefix().starts_with("source ") {
        walk.code(language, &value.text, value.span, &[]);
    }
    if let Some(known) = value.text.as_known()
        && (known.contains("system(") || known.contains("execute("))
    {
        quoted_commands(walk, value);
    }
}

/// Runs a command that stands in the value.
fn run(walk: &mut dyn Host, value: &Argument, command: &str) {
    let code = match value.text.known_prefix().ends_with(command) {
        true => value.text.beginning_with(command),
        false => value.text.derive([Piece::Known(command.to_owned())]),
    };
    if names_temporary(&code, walk.facts()) {
        walk.note("execution.temporary.escape", value.span);
    }
    walk.shell(&code, value.span, &[], None);
}

/// Calls such as `(shell-command "…")` and `\write18{…}`: what is quoted in them.
fn quoted_commands(walk: &mut dyn Host, value: &Argument) {
    let Some(known) = value.text.as_known() else { return };
    for (call, close) in [
        ("(shell-command \"", '"'),
        ("(async-shell-command \"", '"'),
        ("(shell-command-to-string \"", '"'),
        ("(term \"", '"'),
        ("(ansi-term \"", '"'),
        ("(call-process \"", '"'),
        ("(start-process \"", '"'),
        ("write18{", '}'),
        ("|\"", '"'),
        ("system(\"", '"'),
        ("system('", '\''),
        ("execute(\"", '"'),
    ] {
        if let Some((_, rest)) = known.split_once(call) {
            let command = rest.split(close).next().unwrap_or(rest);
            let code = value.text.derive([Piece::Known(command.to_owned())]);
            walk.shell(&code, value.span, &[], None);
        }
    }
}

/// `(delete-directory "…" t)` and its kin in Emacs Lisp.
fn quoted_files(walk: &mut dyn Host, value: &Argument) {
    let Some(known) = value.text.as_known() else { return };
    for (call, recursive) in [("(delete-directory \"", true), ("(delete-file \"", false)] {
        if let Some((_, rest)) = known.split_once(call) {
            let file = rest.split('"').next().unwrap_or(rest);
            let text = value.text.derive([Piece::Known(file.to_owned())]);
            walk.delete(&Argument { text, span: value.span }, recursive);
        }
    }
}

pub(super) fn after(text: &Text, prefix: &str) -> Option<Text> {
    let rest = text.known_prefix().trim_start().strip_prefix(prefix)?;
    Some(text.beginning_with(rest))
}

/// `key=value` or `key value`.
pub(super) fn setting(text: &Text) -> Option<(String, Text)> {
    let known = text.known_prefix().trim_start();
    // `-p:NAME=value` of MSBuild.
    let known = known.strip_prefix("set ").unwrap_or(known).trim_start_matches(':');
    let at = known.find(['=', ' '])?;
    let (key, rest) = known.split_at(at);
    let written = rest.get(1..).unwrap_or("").trim_start_matches(' ');
    let rest = written.trim_start_matches([' ', '"', '{']);
    // A value in quotes ends with them: `--config 'runner="timeout 120"'`.
    let value = match rest.strip_suffix('"') {
        Some(inner) if written.starts_with('"') && text.as_known().is_some() => {
            text.derive([Piece::Known(inner.to_owned())])
        }
        _ => text.beginning_with(rest),
    };
    Some((key.to_owned(), value))
}
