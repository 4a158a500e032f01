//! Builtins: commands that change what the shell itself knows, or that run their arguments. Owns their meaning; builtins
//! that are ordinary programs as well (`echo`, `kill`, `test`) have rows in `programs`.

use super::{
    control::Leave,
    declare::{declared_name, lists_variables},
    state::Value,
    traps::Trap,
    walk::Walk,
    words::join,
};
use crate::programs::invocation::{Invocation, split_assignment};
use crate::{
    bound::Bounded,
    effect::{Argument, Certainty, EffectKind, GapReason},
    programs::host::Host,
    programs::values_of,
    text::{Piece, Taint, Text},
};

/// Builtins read here, sorted.
const BUILTINS: &[&str] = &[
    ".",
    ":",
    "alias",
    "bind",
    "break",
    "builtin",
    "caller",
    "cd",
    "chdir",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "declare",
    "dirs",
    "disown",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

/// Where a program is said to be.
fn located(name: Option<&Argument>) -> Text {
    match name.and_then(|name| name.text.as_known()) {
        Some(name) if name.starts_with('/') => Text::known(name),
        Some(name) => Text::known(format!("/usr/bin/{name}")),
        None => Text::unknown("a path"),
    }
}

impl Walk<'_> {
    pub(super) fn is_builtin(&self, name: &str) -> bool {
        BUILTINS.binary_search(&name).is_ok()
    }

    pub(super) fn builtin(&mut self, invocation: &Invocation) -> Text {
        let arguments = invocation.arguments.as_slice();
        let known = |index: usize| {
            arguments.get(index).and_then(|argument: &Argument| argument.text.as_known())
        };
        self.control.succeeded = self.succeeds(&invocation.program, arguments);
        match invocation.program.as_str() {
            "break" | "continue" => {
                let count = known(0).and_then(|count| count.parse::<usize>().ok()).unwrap_or(1);
                let is_round = invocation.program == "continue";
                self.control.beyond = (count.saturating_sub(1), is_round);
                self.leave(if is_round && count < 2 { Leave::Round } else { Leave::Loop });
                self.control.succeeded = Some(true);
            }
            "return" | "exit" => {
                let leave =
                    if invocation.program == "exit" { Leave::Shell } else { Leave::Function };
                self.leave(leave);
                self.control.succeeded = match known(0).map(str::parse::<i64>) {
                    Some(Ok(status)) => Some(status & 0xff == 0),
                    _ => None,
                };
            }
            "let" => {
                self.control.succeeded = None;
                for argument in arguments {
                    self.evaluated(&argument.text, argument.span);
                    self.control.succeeded = self.calculate(&argument.text).map(|value| value != 0);
                }
            }
            "shopt" => {
                let switch = match known(0) {
                    Some("-s") => Some("1"),
                    Some("-u") => Some(""),
                    _ => None,
                };
                for argument in arguments.iter().skip(1) {
                    if let (Some(switch), Some(name)) = (switch, argument.text.as_known()) {
                        let value = Value::Scalar(Text::known(switch));
                        self.state.assign(&format!("shopt {name}"), vec![value]);
                        if name == "failglob" && switch == "1" {
                            self.control.may_leave = Some(Leave::Shell);
                        }
                    }
                }
            }
            "cd" | "chdir" => {
                let along = |(name, _): &&(String, Text)| name == "CDPATH";
                let elsewhere = invocation.environment.iter().find(along);
                let elsewhere = elsewhere.map(|(_, path)| path.clone());
                self.change_directory(elsewhere.or_else(|| self.variable_set("CDPATH")), arguments);
            }
            "pushd" => return self.push_directory(arguments, invocation.span),
            "popd" => return self.pop_directory(arguments),
            "dirs" => return self.show_directories(arguments),
            "pwd" => return self.directory().map_or_else(|| Text::unknown("PWD"), Text::known),
            "eval" => {
                let words: Vec<Text> =
                    arguments.iter().map(|argument| argument.text.clone()).collect();
                let span = span_of(arguments, invocation);
                return self.same_shell(&join(&words, " "), span);
            }
            "source" | "." => return self.source(arguments, invocation),
            "exec" => return self.exec(arguments, invocation),
            "builtin" => return self.run(arguments, invocation.input.clone()),
            "command" => return self.command_builtin(arguments, invocation),
            "trap" => return self.trap(arguments),
            "alias" => self.alias(arguments),
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                self.declare(&invocation.program, arguments);
                if lists_variables(arguments) {
                    let mut printed = Text::unknown("variables");
                    printed.taint = Taint::SECRET;
                    return printed;
                }
            }
            "read" => self.read_line(arguments),
            "mapfile" | "readarray" => self.read_lines(arguments),
            "set" => return self.set_options(arguments),
            "shift" => self.shift(arguments),
            "unset" => self.unset(arguments),
            "getopts" => self.control.succeeded = self.next_option(arguments),
            "complete" | "compgen" | "bind" => {
                self.completion(&invocation.program, arguments);
                return invocation.origin();
            }
            "hash" => {
                self.remember(arguments);
                // `hash -p FILE NAME`: the name stands for the file from now on, in later calls of the same shell too.
                if let (Some(option), Some(file)) = (arguments.first(), arguments.get(1))
                    && option.text.as_known() == Some("-p")
                    && !["/usr/", "/bin/", "/opt/", "/sbin/"]
                        .iter()
                        .any(|place| file.text.known_prefix().starts_with(place))
                {
                    self.note("execution.program.named", file.span);
                }
                return match (arguments.first(), arguments.get(1)) {
                    (Some(option), Some(name)) if option.text.as_known() == Some("-t") => {
                        Text::known(format!("/usr/bin/{}", name.text.display()))
                    }
                    _ => invocation.origin(),
                };
            }
            "enable" if has_option(arguments, "-f") => {
                self.gap(invocation.span, GapReason::UnknownCode);
            }
            "type" if invocation.options().has(&["-p", "-P"]) => {
                return located(invocation.options().operands().next());
            }
            "history" | "fc" | "type" | "jobs" | "help" | "umask" | "ulimit" | "times" => {
                return invocation.origin();
            }
            _ => {}
        }
        Text::default()
    }

    /// Whether a builtin surely succeeds or fails, before it is looked at.
    fn succeeds(&self, program: &str, arguments: &[Argument]) -> Option<bool> {
        SUCCEED.binary_search(&program).ok()?;
        let is_fine = |argument: &Argument, letters: &str| match argument
            .text
            .as_known()
            .and_then(|known| known.strip_prefix(['-', '+']))
        {
            Some(given) => given.chars().all(|letter| letters.contains(letter)),
            None => true,
        };
        let is_variable = |argument: &Argument| {
            declared_name(&argument.text)
                .is_some_and(|name| !name.starts_with(|first: char| first.is_ascii_digit()))
                || argument.text.known_prefix().starts_with('-')
        };
        let fine = match program {
            "false" => return Some(false),
            ":" | "true" | "pwd" => true,
            "local" if !self.calls.are_in_function() => false,
            "declare" | "export" | "local" | "readonly" | "typeset" => arguments
                .iter()
                .all(|argument| is_fine(argument, "aAgilnrux") && is_variable(argument)),
            "unset" => arguments.iter().all(is_variable),
            "alias" => arguments.iter().all(|argument| argument.text.known_prefix().contains('=')),
            "set" => match arguments {
                [first, ..] if matches!(first.text.as_known(), Some("--" | "-")) => true,
                [first] => is_fine(first, "abefhkmnptuvxBCEHPT"),
                [first, name] if is_fine(first, "abefhkmnptuvxBCEHPTo") => {
                    name.text.as_known().is_some_and(|name| NAMED.contains(&name))
                }
                _ => false,
            },
            _ => arguments.is_empty() || program == "shift" || program == "trap",
        };
        fine.then_some(true)
    }

    fn source(&mut self, arguments: &[Argument], invocation: &Invocation) -> Text {
        let Some((file, rest)) = arguments.split_first() else {
            // `curl … | source` of fish.
            return match &invocation.input {
                Some(input) => self.same_shell(input, invocation.span),
                None => Text::default(),
            };
        };
        let stdin = matches!(
            file.text.as_known(),
            Some("/dev/stdin" | "-" | "/dev/fd/0" | "/proc/self/fd/0")
        );
        let content =
            if stdin { invocation.input.clone().unwrap_or_default() } else { self.read(file) };
        let outside = self.state.positional();
        if !rest.is_empty() {
            let mut positional: Vec<Text> = outside.iter().leading(1).cloned().collect();
            if positional.is_empty() {
                positional.push(Text::known("bash"));
            }
            positional.extend(rest.iter().map(|argument| argument.text.clone()));
            self.state.set_positional(positional);
        }
        let content = self.with_copies(&content).unwrap_or(content);
        // What a process printed of files, changed or several of them, is no program of somebody's.
        let is_printed = self
            .target(&file.text)
            .path
            .is_some_and(|path| super::descriptor::is_pipe(&path) && !self.is_copy(&content));
        if content.taint.has(Taint::FILE) && content.has_unknown() && !is_printed {
            // A file that was there before: somebody's program, as when it is run by its path.
            self.emit(EffectKind::Execute { language: "shell", code: content.clone() }, file.span);
            let path = self.target(&file.text).path;
            // `. <(cat FILE)` is the file itself.
            let path = match path {
                Some(path) if path.starts_with("/dev/fd/") => self.copied_file(&content),
                path => path.filter(|_| self.is_copy(&content)),
            };
            let around = self.control.enclose(Leave::Function, self.builtins.shells.current());
            let matching = self.matching(&file.text, file.span);
            let paths = matching.unwrap_or_else(|| path.into_iter().collect());
            let mut printed = None;
            for path in paths {
                printed = self.source_file(&path, file.span);
            }
            self.control.release(around, Leave::Function);
            if !rest.is_empty() {
                self.state.set_positional(outside.to_vec());
            }
            return printed.unwrap_or(content);
        }
        let around = self.control.enclose(Leave::Function, self.builtins.shells.current());
        let printed = self.same_shell(&content, file.span);
        self.control.release(around, Leave::Function);
        if !rest.is_empty() {
            self.state.set_positional(outside.to_vec());
        }
        printed
    }

    fn exec(&mut self, arguments: &[Argument], invocation: &Invocation) -> Text {
        let mut rest = arguments;
        while let Some((first, after)) = rest.split_first() {
            match first.text.as_known() {
                Some("-a") => rest = after.get(1..).unwrap_or(&[]),
                Some(option) if option.starts_with('-') && option.len() > 1 => rest = after,
                _ => break,
            }
        }
        let printed = self.run(rest, invocation.input.clone());
        if !rest.is_empty() {
            self.control.leave(Leave::Shell);
        }
        printed
    }

    fn command_builtin(&mut self, arguments: &[Argument], invocation: &Invocation) -> Text {
        let mut rest = arguments;
        let mut only_asks = false;
        while let Some((first, after)) = rest.split_first() {
            match first.text.as_known() {
                Some(option) if option.starts_with('-') && option.len() > 1 => {
                    only_asks |= option.contains(['v', 'V']);
                    rest = after;
                }
                _ => break,
            }
        }
        if !only_asks {
            return self.run(rest, invocation.input.clone());
        }
        located(rest.first())
    }

    /// `trap CODE SIGNAL…`; gives what runs at once and prints, before the next command.
    fn trap(&mut self, arguments: &[Argument]) -> Text {
        let mut operands = arguments.iter().filter(|argument| {
            !matches!(argument.text.as_known(), Some("-p" | "-l" | "-P" | "--"))
        });
        let Some(code) = operands.next() else { return Text::default() };
        if matches!(code.text.as_known(), Some("" | "-")) {
            return Text::default();
        }
        let is_end = |signal: &&Argument| {
            let known = signal.text.as_known().map(|signal| signal.trim_start_matches("SIG"));
            known.is_none_or(|signal| matches!(signal, "EXIT" | "0"))
        };
        let signals: Vec<&Argument> = operands.collect();
        let trap = Trap { code: code.text.clone(), span: code.span, layer: self.recorder.layer };
        if signals.iter().any(is_end) && !self.traps.set_at_end(trap.clone()) {
            self.gap(code.span, GapReason::Limit);
        }
        // Before the next command, and not only behind one.
        let at_once =
            |signal: &&Argument| signal.text.as_known().is_none_or(|known| known == "DEBUG");
        let mut printed = Text::default();
        if !signals.iter().all(is_end) {
            if !self.traps.set(trap, self.state.changes()) {
                self.gap(code.span, GapReason::Limit);
            }
            if signals.iter().any(at_once) {
                printed = self.perhaps(|walk| walk.same_shell(&code.text, code.span));
            }
        }
        self.control.succeeded = None;
        printed
    }

    pub(super) fn alias(&mut self, arguments: &[Argument]) {
        for argument in arguments {
            if let Some((name, value)) = split_assignment(&argument.text) {
                self.state.define_alias(&name, value.clone());
                self.at_most(Certainty::Possible, |walk| {
                    walk.shell(&value, argument.span, &[], None)
                });
            }
        }
    }

    /// Commands that completion and key bindings run, and words that completion expands.
    fn completion(&mut self, program: &str, arguments: &[Argument]) {
        let option = if program == "bind" { "-x" } else { "-C" };
        for value in values_of(arguments, option) {
            let known = value.text.as_known();
            let bound = known.filter(|_| program == "bind").and_then(|known| known.split_once(':'));
            let code = match bound {
                Some((_, command)) => {
                    value.text.derive([Piece::Known(command.trim_matches([' ', '"']).to_owned())])
                }
                None => value.text.clone(),
            };
            self.at_most(Certainty::Likely, |walk| walk.same_shell(&code, value.span));
        }
        if program != "bind" {
            for value in values_of(arguments, "-W") {
                self.at_most(Certainty::Likely, |walk| walk.expand_again(&value.text, value.span));
            }
        }
    }

    /// `hash -p PATH NAME`: the name now runs the path.
    fn remember(&mut self, arguments: &[Argument]) {
        let (Some(path), Some(name)) =
            (values_of(arguments, "-p").into_iter().next(), arguments.last())
        else {
            return;
        };
        if let Some(name) = name.text.as_known() {
            let name = name.to_owned();
            self.state.define_alias(&name, path.text);
        }
    }

    fn set_options(&mut self, arguments: &[Argument]) -> Text {
        /// Options by letter and by name, and what they are kept as. Both of the last hand traps on.
        const LETTERS: [(char, &str, &str); 4] = [
            ('u', "nounset", "set -u"),
            ('f', "noglob", "set -f"),
            ('E', "errtrace", "set -E"),
            ('T', "functrace", "set -E"),
        ];
        let Some(first) = arguments.first() else {
            let mut printed = Text::unknown("variables");
            printed.taint = Taint::SECRET;
            return printed;
        };
        let start = match first.text.as_known() {
            Some(option) if option.starts_with(['-', '+']) => {
                let mut start = 0;
                while let Some(option) =
                    arguments.get(start).and_then(|argument| argument.text.as_known())
                    && option.starts_with(['-', '+'])
                {
                    start += 1;
                    let on = if option.starts_with('-') { "1" } else { "" };
                    let long = arguments.get(start).and_then(|argument| argument.text.as_known());
                    let long = long.filter(|_| option.ends_with('o'));
                    if option.contains('e') && option != "--" || long == Some("errexit") {
                        self.state.assign("set -e", vec![Value::Scalar(Text::known(on))]);
                    }
                    for (letter, full, name) in LETTERS {
                        if option.contains(letter) || long == Some(full) {
                            self.state.assign(name, vec![Value::Scalar(Text::known(on))]);
                        }
                    }
                    if option.starts_with('-') && (option.contains('n') || long == Some("noexec")) {
                        // Nothing is run any more.
                        self.control.may_leave = Some(Leave::Shell);
                    }
                    if long == Some("pipefail") {
                        self.state.assign("set pipefail", vec![Value::Scalar(Text::known(on))]);
                    }
                    if option.contains('a') || long == Some("allexport") {
                        self.state.export_all();
                    }
                    if matches!(option, "--" | "-") {
                        break;
                    }
                    // `-eo pipefail`: the name of an option follows.
                    start += usize::from(option.ends_with('o'));
                }
                if start >= arguments.len() && first.text.as_known() != Some("--") {
                    return Text::default();
                }
                start
            }
            _ => 0,
        };
        let mut positional = vec![Text::known("bash")];
        positional.extend(arguments.iter().skip(start).map(|argument| argument.text.clone()));
        self.state.set_positional(positional);
        Text::default()
    }

    fn shift(&mut self, arguments: &[Argument]) {
        let count = arguments
            .first()
            .and_then(|argument| argument.text.as_known())
            .and_then(|known| known.parse::<usize>().ok())
            .unwrap_or(1);
        let positional = self.state.positional();
        if arguments.first().is_some_and(|count| count.text.as_known().is_none()) {
            let unknown = vec![Text::unknown("an argument"); positional.len()];
            return self.state.set_positional(unknown);
        }
        if count >= positional.len().max(1) {
            self.control.succeeded = Some(false);
            return;
        }
        let mut left: Vec<Text> = positional.iter().leading(1).cloned().collect();
        left.extend(positional.iter().skip(1 + count).cloned());
        self.state.set_positional(left);
    }
}

/// The names that `set -o` takes most.
const NAMED: &[&str] =
    &["allexport", "errexit", "errtrace", "noclobber", "noglob", "nounset", "pipefail", "xtrace"];
pub(super) fn has_option(arguments: &[Argument], option: &str) -> bool {
    arguments.iter().any(|argument| argument.text.known_prefix().starts_with(option))
}

/// Builtins that succeed as long as nothing is wrong with what they are given, or fail like `false`, sorted.
const SUCCEED: &[&str] = &[
    ":", "alias", "declare", "export", "false", "local", "pwd", "readonly", "set", "shift",
    "shopt", "trap", "true", "typeset", "unset",
];

fn span_of(arguments: &[Argument], invocation: &Invocation) -> portcullis_syntax::Span {
    match (arguments.first(), arguments.last()) {
        (Some(first), Some(last)) => first.span.to(last.span),
        _ => invocation.span,
    }
}
