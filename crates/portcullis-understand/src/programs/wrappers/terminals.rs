//! Programs that open a terminal for a command: `tmux`, `screen` and terminal windows.

use super::{
    super::Options,
    words::{command_after, read_joined, run_or_read},
};
use crate::{
    bound::Bounded,
    effect::{Argument, Arguments, GapReason},
    programs::{host::Host, invocation::Invocation},
    text::{Piece, Text},
};

/// `tmux new-session … command`, `tmux send-keys 'command' Enter`.
/// tmux takes several commands with `;` between them.
pub(super) fn terminal(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let separates = |word: &Argument| word.text.as_known() == Some(";");
    if !invocation.arguments.iter().any(separates) {
        return terminal_command(walk, invocation);
    }
    let mut printed = Text::default();
    let mut one = Invocation { arguments: Arguments::default(), ..invocation.clone() };
    for (index, words) in invocation.arguments.split(separates).enumerate() {
        if index >= TERMINAL_COMMANDS {
            walk.gap(invocation.span, GapReason::Limit);
            break;
        }
        one.arguments = words.to_vec().into();
        printed.append(&terminal_command(walk, &one));
    }
    printed
}

/// Whether a text begins with a command of tmux's own, whole or as far as it is written (tmux(1), "COMMANDS").
fn is_own(text: &str) -> bool {
    const COMMANDS: &[&str] = &[
        "attach-session",
        "bind-key",
        "break-pane",
        "capture-pane",
        "choose-buffer",
        "choose-client",
        "choose-tree",
        "clear-history",
        "clear-prompt-history",
        "clock-mode",
        "command-prompt",
        "confirm-before",
        "copy-mode",
        "customize-mode",
        "delete-buffer",
        "detach-client",
        "display-menu",
        "display-message",
        "display-panes",
        "display-popup",
        "find-window",
        "has-session",
        "if-shell",
        "join-pane",
        "kill-pane",
        "kill-server",
        "kill-session",
        "kill-window",
        "last-pane",
        "last-window",
        "link-window",
        "list-buffers",
        "list-clients",
        "list-commands",
        "list-keys",
        "list-panes",
        "list-sessions",
        "list-windows",
        "load-buffer",
        "lock-client",
        "lock-server",
        "lock-session",
        "move-pane",
        "move-window",
        "new-session",
        "new-window",
        "next-layout",
        "next-window",
        "paste-buffer",
        "pipe-pane",
        "popup",
        "previous-layout",
        "previous-window",
        "refresh-client",
        "rename-session",
        "rename-window",
        "resize-pane",
        "resize-window",
        "respawn-pane",
        "respawn-window",
        "rotate-window",
        "run-shell",
        "save-buffer",
        "select-layout",
        "select-pane",
        "select-window",
        "send-keys",
        "send-prefix",
        "server-access",
        "set-buffer",
        "set-environment",
        "set-hook",
        "set-option",
        "set-window-option",
        "setb",
        "setenv",
        "setw",
        "show-buffer",
        "show-environment",
        "show-hooks",
        "show-messages",
        "show-options",
        "show-prompt-history",
        "show-window-options",
        "showb",
        "showenv",
        "showw",
        "source-file",
        "split-window",
        "splitw",
        "start-server",
        "suspend-client",
        "swap-pane",
        "swap-window",
        "switch-client",
        "unbind-key",
        "unlink-window",
        "wait-for",
        "attach",
        "bind",
        "breakp",
        "capturep",
        "menu",
        "neww",
        "selectl",
        "selectp",
        "selectw",
        "killp",
        "killw",
        "respawnp",
        "respawnw",
        "resizep",
        "resizew",
        "joinp",
        "movep",
        "movew",
        "swapp",
        "swapw",
        "switchc",
        "lsp",
        "lsw",
        "lsb",
        "lsc",
        "lsk",
        "lscm",
        "ls",
        "pasteb",
        "pipep",
        "nextl",
        "next",
        "prevl",
        "prev",
        "rename",
        "renamew",
        "rotatew",
        "lastp",
        "last",
        "linkw",
        "unlinkw",
        "loadb",
        "saveb",
        "deleteb",
        "lockc",
        "locks",
        "displayp",
        "display",
        "detach",
        "findw",
        "confirm",
        "clearhist",
        "clearphist",
        "if",
        "run",
        "new",
        "send",
        "set",
        "show",
        "source",
        "wait",
        "has",
        "showmsgs",
        "showphist",
        "suspendc",
        "refresh",
        "start",
    ];
    let verb = text.trim_start().split([' ', ';']).next().unwrap_or_default();
    // A beginning of three letters is no program's name by chance: `rm` is not `rename-window`.
    !verb.is_empty()
        && COMMANDS.iter().any(|name| *name == verb || verb.len() > 3 && name.starts_with(verb))
}

/// How many commands one call of tmux is followed through.
const TERMINAL_COMMANDS: usize = 64;

fn terminal_command(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    const VALUES: &[&str] =
        &["-c", "-e", "-F", "-n", "-s", "-t", "-x", "-y", "-f", "-L", "-S", "-l", "-p"];
    let inner = Invocation { values: VALUES, ..invocation.clone() };
    in_formats(walk, invocation);
    let verb = Options::new(&inner.arguments, VALUES)
        .operands()
        .next()
        .and_then(|verb| verb.text.as_known())
        .map(str::to_owned);
    match verb.as_deref() {
        Some(
            "new" | "new-session" | "neww" | "new-window" | "splitw" | "split-window"
            | "respawn-pane" | "respawn-window" | "run" | "run-shell" | "popup" | "display-popup",
        ) => run_or_read(walk, command_after(&inner, 1), invocation),
        // The command is handed everything that is typed and shown.
        Some("pipe-pane" | "pipep") => {
            let shown = Invocation { input: Some(invocation.written()), ..invocation.clone() };
            match command_after(&inner, 1) {
                // One word is the command; of several, any may be meant.
                [first, second, rest @ ..] => {
                    for word in [first, second].into_iter().chain(rest) {
                        walk.at_likely(|walk| {
                            walk.shell(&word.text, word.span, &[], shown.input.clone())
                        });
                    }
                    invocation.origin()
                }
                command => run_or_read(walk, command, &shown),
            }
        }
        Some("if" | "if-shell") => {
            let words = command_after(&inner, 1).to_vec();
            let Some((condition, commands)) = words.split_first() else {
                return invocation.origin();
            };
            walk.shell(&condition.text, condition.span, &[], None);
            for command in commands.iter().leading(2) {
                // Where it is none of tmux's own, a shell was meant.
                let known = command.text.known_prefix();
                let code = match is_own(known) {
                    true => Text::known(format!("tmux {}", command.text.display())),
                    false => command.text.clone(),
                };
                walk.at_likely(|walk| walk.shell(&code, command.span, &[], None));
            }
            invocation.origin()
        }
        Some("send" | "send-keys") => {
            // Here `-l` says that the keys are meant as they are written, and takes nothing.
            let inner = Invocation { values: &["-t", "-N"], ..invocation.clone() };
            let keys: Vec<Argument> = command_after(&inner, 1)
                .iter()
                .filter(|key| !matches!(key.text.as_known(), Some("Enter" | "C-m" | "C-j")))
                .cloned()
                .collect();
            // Keys may go to an editor as well as to a shell: what is no shell code was meant for something else.
            let typed = keys.iter().map(|key| key.text.display()).collect::<Vec<_>>().join(" ");
            told_to_a_client(walk, &typed, invocation);
            if let Some(text) = pressed(invocation) {
                walk.typed(&text, keys.len() < 2, invocation.span);
            }
            if !portcullis_syntax::shell::parse(&typed).unparsed.is_empty() {
                return invocation.origin();
            }
            read_joined(walk, &keys, invocation)
        }
        // What is bound to a key or an event is a command of tmux's own.
        Some("bind" | "bind-key" | "set-hook") => {
            let words = command_after(&inner, 2);
            let bound = words.iter().map(|word| word.text.display()).collect::<Vec<_>>();
            let bound = Text::known(format!("tmux {}", bound.join(" ")));
            walk.at_likely(|walk| walk.shell(&bound, invocation.span, &[], None));
            invocation.origin()
        }
        _ => invocation.origin(),
    }
}

/// What the keys of `send-keys` come to; `None` where one of them is not known. (tmux(1), "KEY BINDINGS")
fn pressed(invocation: &Invocation) -> Option<String> {
    let is_verb = |word: &Argument| matches!(word.text.as_known(), Some("send" | "send-keys"));
    let mut words =
        invocation.arguments.iter().skip_while(|word| !is_verb(word)).skip(1).peekable();
    let (mut is_written, mut is_code) = (false, false);
    // The first word that is no option is the first key.
    while let Some(option) = words.next_if(|word| word.text.known_prefix().starts_with('-')) {
        let letters = option.text.as_known()?.trim_start_matches('-');
        is_written |= letters.contains('l');
        is_code |= letters.contains('H');
        if letters.ends_with(['t', 'N']) {
            words.next();
        }
    }
    let mut typed = String::new();
    for key in words {
        let key = key.text.as_known()?;
        if is_code {
            typed.extend(u32::from_str_radix(key, 16).ok().and_then(char::from_u32));
        } else if is_written {
            typed.push_str(key);
        } else {
            press(&mut typed, key);
        }
    }
    Some(typed)
}

fn press(typed: &mut String, key: &str) {
    let is_modified = ["C-", "M-", "S-", "^"]
        .iter()
        .any(|prefix| key.strip_prefix(prefix).is_some_and(|rest| rest.chars().count() == 1));
    match key {
        "Enter" | "KPEnter" | "C-m" | "C-j" => typed.push('\n'),
        "Space" => typed.push(' '),
        "BSpace" | "C-h" => typed.push('\u{7f}'),
        "C-c" | "C-u" => typed.push('\u{3}'),
        "C-w" => typed.push('\u{17}'),
        "Tab" | "C-i" => typed.push('\t'),
        "Escape" | "Up" | "Down" | "Left" | "Right" | "Home" | "End" | "PageUp" | "PageDown"
        | "NPage" | "PPage" | "BTab" | "DC" | "IC" => typed.push('\u{1b}'),
        _ if is_modified => typed.push('\u{1b}'),
        key => typed.push_str(key),
    }
}

/// `screen COMMAND…`, and what `-X stuff TEXT` types into one that runs.
pub(super) fn screen(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let words = &invocation.arguments;
    let is =
        |at: usize, name: &str| words.get(at).is_some_and(|it| it.text.as_known() == Some(name));
    let Some(at) = (0..words.len()).find(|at| is(*at, "-X") && is(at + 1, "stuff")) else {
        return run_or_read(walk, command_after(invocation, 0), invocation);
    };
    let typed = words.get(at + 2..).unwrap_or(&[]);
    let shown = typed.iter().map(|word| word.text.display()).collect::<Vec<_>>().join(" ");
    let shown = shown.replace("\\n", "\n").replace("\\015", "\n").replace("^M", "\n");
    told_to_a_client(walk, &shown, invocation);
    walk.typed(&shown, true, invocation.span);
    walk.at_likely(|walk| walk.shell(&Text::known(shown), invocation.span, &[], None));
    invocation.origin()
}

/// What is typed may go to a client of a database as well, where it is a statement.
fn told_to_a_client(walk: &mut dyn Host, typed: &str, invocation: &Invocation) {
    const BEGIN: &[&[&str]] = &[
        &["alter", "database|role|table|user"],
        &["delete", "from"],
        &["drop", "database|index|role|schema|table|user|view"],
        &["truncate", ""],
        &["update", ""],
    ];
    let mut words = typed.split_whitespace().map(str::to_ascii_lowercase);
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is_statement = BEGIN.iter().any(|row| match row {
        [verb, objects] => {
            first == *verb && (objects.is_empty() || objects.split('|').any(|it| it == second))
        }
        _ => false,
    });
    if is_statement {
        walk.at_likely(|walk| {
            walk.query(&Text::known(typed.trim()), invocation.span);
            Text::default()
        });
    }
}

/// `#(command)` in a format of tmux is run, and what it prints is shown, tmux(1), "FORMATS".
fn in_formats(walk: &mut dyn Host, invocation: &Invocation) {
    for word in invocation.arguments.iter() {
        let shown = word.text.display();
        for (at, mark) in shown.match_indices("#(").at_most(16, walk, word.span) {
            let rest = shown.get(at + mark.len()..).unwrap_or("");
            let mut depth = 1;
            let end = rest.find(|letter| {
                depth += i32::from(letter == '(') - i32::from(letter == ')');
                depth == 0
            });
            let command = rest.get(..end.unwrap_or(rest.len())).unwrap_or("");
            let code = word.text.derive([Piece::Known(command.to_owned())]);
            walk.shell(&code, word.span, &[], None);
        }
    }
}

/// Programs that type: `xdotool type TEXT`, `kitty @ send-text TEXT`, `wezterm cli send-text TEXT`, `zellij action
/// write-chars TEXT`; and those of them that run a command as well. What is typed may go to a shell.
pub(super) fn typing(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    const TYPES: &[&str] = &["type", "send-text", "write-chars", "stuff"];
    const RUNS: &[&str] = &["run", "launch", "spawn", "start", "new-pane", "edit"];
    let options = invocation.options();
    let words: Vec<Argument> = options.operands().cloned().collect();
    let place = |verbs: &[&str]| {
        words
            .iter()
            .leading(3)
            .position(|word| word.text.as_known().is_some_and(|word| verbs.contains(&word)))
    };
    if let Some(at) =
        invocation.arguments.iter().position(|word| word.text.as_known() == Some("--"))
        && place(RUNS).is_some()
    {
        let command = invocation.arguments.get(at + 1..).unwrap_or(&[]);
        return run_or_read(walk, command, invocation);
    }
    let typed = match place(TYPES) {
        Some(at) => words.get(at + 1..).unwrap_or(&[]),
        None if invocation.program == "wtype" => words.as_slice(),
        None => match place(RUNS) {
            Some(at) => return run_or_read(walk, words.get(at + 1..).unwrap_or(&[]), invocation),
            None => return invocation.origin(),
        },
    };
    let shown = typed.iter().map(|word| word.text.display()).collect::<Vec<_>>().join(" ");
    // Most of what is typed is text for a person's window; only what names a program that matters is read as a command.
    let first = shown.split_whitespace().next().unwrap_or("");
    if !crate::programs::notable::names(first) && crate::programs::program(first).is_none() {
        return invocation.origin();
    }
    let code = Text::known(shown.replace("\\n", "\n").replace("\\r", "\n"));
    walk.at_likely(|walk| walk.shell(&code, invocation.span, &[], None));
    invocation.origin()
}
