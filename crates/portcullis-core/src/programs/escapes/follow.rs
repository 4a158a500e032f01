//! Reading what the tables say is run: options, inputs, files handed over, and small languages inside of values.

use super::*;

/// Reads everything that an invocation would run through an escape.
pub(crate) fn follow(walk: &mut Walk<'_>, invocation: &Invocation) {
    let name = invocation.program.as_str();
    hand_over(walk, invocation);
    projects::follow(walk, invocation);
    changers::follow(walk, invocation);
    mounts::follow(walk, invocation);
    if name == "git" {
        git_commands(walk, invocation);
    }
    let first = ESCAPES.partition_point(|row| row.program < name);
    for row in ESCAPES.iter().skip(first).take_while(|row| row.program == name) {
        for option in row.options {
            for value in values_of(&invocation.arguments, option) {
                act(walk, row.how, &value);
            }
        }
    }
    if let Ok(at) = INPUT_ESCAPES.binary_search_by(|(program, _)| (*program).cmp(name))
        && let Some(input) = &invocation.input
        && let Some((_, marks)) = INPUT_ESCAPES.get(at)
    {
        let shows = matches!(name, "less" | "more" | "man" | "mail" | "mailx" | "vi" | "vim");
        follow_input(walk, input, marks, !shows, invocation.span);
    }
}

/// A file that this call wrote and made executable is there to be run: a program that is handed its name may do so.
fn hand_over(walk: &mut Walk<'_>, invocation: &Invocation) {
    // What stands behind a wrapper was handed to the program that it runs.
    if !walk.has_executables()
        || wrappers::is_wrapper(&invocation.program)
        || matches!(
            invocation.program.as_str(),
            "chmod"
                | "chown"
                | "cat"
                | "cp"
                | "file"
                | "ginstall"
                | "git"
                | "head"
                | "install"
                | "ls"
                | "mv"
                | "rm"
                | "stat"
                | "test"
                | "["
        )
    {
        return;
    }
    let environment = invocation
        .environment
        .iter()
        .map(|(_, value)| Argument { text: value.clone(), span: invocation.span });
    for argument in invocation.arguments.iter().cloned().chain(environment).take(64) {
        let shown = argument.text.display();
        for part in shown.split(['=', ':', ',']) {
            if part.contains('/') {
                walk.handed(&Argument { text: Text::known(part), span: argument.span });
            }
        }
    }
}

fn follow_input(walk: &mut Walk<'_>, input: &Text, marks: &[&str], takes_orders: bool, span: Span) {
    let Some(known) = input.as_known() else {
        // A client or debugger that is told what to do by somebody else.
        if input.taint.has(Taint::NETWORK) && takes_orders {
            walk.gap(span, GapReason::UnknownCode);
        }
        return;
    };
    for line in known.lines().take(64) {
        for mark in marks {
            if let Some(code) = line.trim_start().strip_prefix(mark) {
                let code = input.derive([Piece::Known(code.to_owned())]);
                walk.at_likely(|walk| walk.shell(&code, span, &[], None));
                break;
            }
        }
    }
}

pub(super) fn act(walk: &mut Walk<'_>, how: How, value: &Argument) {
    if !matches!(how, How::Code(_)) && names_temporary(&value.text) {
        walk.note("execution.temporary.escape", value.span);
    }
    match how {
        How::Shell => {
            walk.shell(&value.text, value.span, &[], None);
        }
        How::ShellAfter(prefix) => {
            if let Some(code) = after(&value.text, prefix) {
                walk.shell(&code, value.span, &[], None);
            }
        }
        How::ShellSetting(keys) => {
            if let Some((key, code)) = setting(&value.text)
                && keys.iter().any(|known| {
                    key.eq_ignore_ascii_case(known)
                        || key
                            .to_ascii_lowercase()
                            .ends_with(&format!("::{}", known.to_ascii_lowercase()))
                })
            {
                walk.shell(&code, value.span, &[], None);
            }
        }
        How::Code(language) => {
            embedded(walk, language, value);
        }
        How::Commands(language) => {
            walk.script(language, value, &[], None);
        }
        // What a file of settings names is not read.
        How::Settings => {}
        How::Script => {
            let name = value.text.known_prefix().rsplit('/').next().unwrap_or("");
            if is_shell(name) {
                walk.note("execution.shell.escape", value.span);
            } else {
                walk.script("shell", value, &[], None);
            }
        }
    }
}

/// Whether the program that a command names, or the script that its interpreter is given, lies among temporary files.
pub(super) fn names_temporary(command: &Text) -> bool {
    let mut words = command.known_prefix().split_whitespace();
    let first = words.next().unwrap_or("");
    let program = first.rsplit('=').next().unwrap_or(first);
    let name = program.rsplit('/').next().unwrap_or(program);
    is_temporary(program)
        || (is_shell(name) || crate::programs::interpreters::speaks(name))
            && words.take(8).find(|word| !word.starts_with('-')).is_some_and(is_temporary)
}

/// Whether a path lies where everybody may put something.
pub(crate) fn is_temporary(path: &str) -> bool {
    ["/tmp/", "/var/tmp/", "/dev/shm/"].iter().any(|start| path.starts_with(start))
}

/// Small command languages of programs: what in them is a shell command.
pub(super) fn embedded(walk: &mut Walk<'_>, language: &'static str, value: &Argument) {
    let commands: &[&str] = match language {
        "vim" => &[
            ":!",
            "!",
            ":silent !",
            "silent !",
            ":sil !",
            "sil!",
            ":r !",
            "r !",
            ":terminal ",
            "terminal ",
            ":term ",
            "term ",
        ],
        "gdb" => &["!", "shell ", "pipe "],
        "vim-script" => {
            if walk.wrote(&value.text) {
                let script = walk.read(value);
                for line in script.known_prefix().lines().take(64) {
                    let text = script.derive([Piece::Known(line.to_owned())]);
                    embedded(walk, "vim", &Argument { text, span: value.span });
                }
                if script.as_known().is_none() {
                    walk.gap(value.span, GapReason::UnknownCode);
                }
            }
            return;
        }
        "git-config" => return git_setting(walk, value),
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
    let typed = value.text.as_known().unwrap_or("").trim_start_matches(':').trim_end();
    if language == "vim" && matches!(typed, "sh" | "shell" | "term" | "terminal") {
        walk.run(&[Argument { text: Text::known("sh"), span: value.span }], None);
        return;
    }
    for prefix in commands {
        if let Some(code) = after(&value.text, prefix) {
            walk.shell(&code, value.span, &[], None);
            return;
        }
    }
    for (prefix, inner) in [
        (":py3 ", "python"),
        (":py ", "python"),
        ("py3 ", "python"),
        ("py ", "python"),
        ("python ", "python"),
        (":lua ", "lua"),
        ("lua ", "lua"),
        (":perl ", "perl"),
        (":ruby ", "ruby"),
    ] {
        if let Some(code) = after(&value.text, prefix) {
            walk.code(inner, &code, value.span, &[]);
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

/// A makefile: the lines that make hands to a shell.
pub(crate) fn makefile(walk: &mut Walk<'_>, text: &Text, span: Span) {
    let Some(known) = text.as_known() else {
        if text.taint.has(Taint::NETWORK) || text.taint.has(Taint::DECODED) {
            walk.gap(span, GapReason::UnknownCode);
        }
        return;
    };
    for line in known.lines().take(512) {
        let recipe = line.strip_prefix('\t').or_else(|| {
            // `target: ; command`
            line.split_once(':')
                .and_then(|(_, rest)| rest.split_once(';'))
                .map(|(_, command)| command)
        });
        let shell_call = line.split_once("$(shell ").map(|(_, rest)| rest.trim_end_matches(')'));
        for command in recipe.into_iter().chain(shell_call) {
            let command =
                command.trim_start().trim_start_matches(['@', '-', '+']).replace("$$", "$");
            if !command.is_empty() {
                let code = text.derive([Piece::Known(command)]);
                walk.shell(&code, span, &[], None);
            }
        }
    }
}

/// Calls such as `(shell-command "…")` and `\write18{…}`: what is quoted in them.
fn quoted_commands(walk: &mut Walk<'_>, value: &Argument) {
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
fn quoted_files(walk: &mut Walk<'_>, value: &Argument) {
    let Some(known) = value.text.as_known() else { return };
    for (call, recursive) in [("(delete-directory \"", true), ("(delete-file \"", false)] {
        if let Some((_, rest)) = known.split_once(call) {
            let file = rest.split('"').next().unwrap_or(rest);
            let text = value.text.derive([Piece::Known(file.to_owned())]);
            walk.delete(&Argument { text, span: value.span }, recursive);
        }
    }
}

/// Every value of one option as written: `-o v`, `-ov`, `--option v`, `--option=v`.
pub(crate) fn values_of(arguments: &[Argument], option: &str) -> Vec<Argument> {
    let mut values = Vec::new();
    for (index, argument) in arguments.iter().enumerate() {
        let prefix = argument.text.known_prefix();
        if !prefix.starts_with(['-', '+']) {
            continue;
        }
        if argument.text.as_known() == Some("--") {
            break;
        }
        if argument.text.as_known() == Some(option) {
            values.extend(arguments.get(index + 1).cloned());
        } else if let Some(rest) = prefix.strip_prefix(option) {
            let attached =
                if option.starts_with("--") { rest.strip_prefix('=') } else { Some(rest) };
            if let Some(attached) = attached {
                let text = argument.text.beginning_with(attached);
                values.push(Argument { text, span: argument.span });
            }
        }
    }
    values
}

pub(super) fn after(text: &Text, prefix: &str) -> Option<Text> {
    let rest = text.known_prefix().trim_start().strip_prefix(prefix)?;
    Some(text.beginning_with(rest))
}

/// `key=value` or `key value`.
pub(super) fn setting(text: &Text) -> Option<(String, Text)> {
    let known = text.known_prefix().trim_start();
    let at = known.find(['=', ' '])?;
    let (key, rest) = known.split_at(at);
    let rest = rest.get(1..).unwrap_or("").trim_start_matches([' ', '"', '{']);
    let value = text.beginning_with(rest);
    Some((key.to_owned(), value))
}
