//! Builtins: commands that change what the shell itself knows, or that run their arguments. Owns their meaning; builtins
//! that are ordinary programs as well (`echo`, `kill`, `test`) have rows in `programs`.

use super::{control::Leave, state::Value, traps::Trap, walk::Walk, words::join};
use crate::programs::invocation::{Invocation, split_assignment};
use crate::{
    bound::Bounded,
    effect::{Argument, Certainty, EffectKind, GapReason},
    programs::escapes::values_of,
    programs::host::Host,
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

/// How many effects are looked through for one that made a directory.
const MADE: usize = 64;

/// How long the name of a directory may be on any system that scripts run on.
const LONGEST_DIRECTORY: usize = 4096;

/// How many directories `pushd` keeps.
const PUSHED: usize = 16;

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
                self.control.leave(if is_round && count < 2 { Leave::Round } else { Leave::Loop });
                self.control.succeeded = Some(true);
            }
            "return" | "exit" => {
                let leave =
                    if invocation.program == "exit" { Leave::Shell } else { Leave::Function };
                self.control.leave(leave);
                self.control.succeeded = match known(0).map(str::parse::<i64>) {
                    Some(Ok(status)) => Some(status & 0xff == 0),
                    _ => None,
                };
            }
            "let" => {
                self.control.succeeded = None;
                for argument in arguments {
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
            "cd" | "chdir" => self.change_directory(arguments),
            "pushd" => {
                if self.builtins.pushed.len() < PUSHED {
                    self.builtins
                        .pushed
                        .push((self.state.directory().map(str::to_owned), self.recorder.certainty));
                } else {
                    self.gap(invocation.span, GapReason::Limit);
                }
                self.change_directory(arguments);
            }
            "popd" => {
                let back = match self.builtins.pushed.pop() {
                    Some((directory, certainty)) if certainty == self.recorder.certainty => {
                        directory
                    }
                    _ => None,
                };
                self.state.enter(back);
            }
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
            "trap" => self.trap(arguments),
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
            "history" | "fc" | "type" | "jobs" | "help" | "dirs" | "umask" | "ulimit" | "times" => {
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

    fn change_directory(&mut self, arguments: &[Argument]) {
        // With `CDPATH` a relative directory may be anywhere.
        if let Some(elsewhere) = self
            .variable_set("CDPATH")
            .filter(|path| !path.is_empty() && path.as_known() != Some("."))
            && let Some(first) = arguments.first()
            && !first.text.known_prefix().starts_with(['/', '.', '~', '-'])
        {
            self.gap(first.span, GapReason::UnknownCode);
            let below = elsewhere.known_prefix().split(':').next().unwrap_or("");
            let path = Text::known(format!("{below}/{}", first.text.display()));
            let directory = self.target(&path).path;
            self.state.enter(directory);
            return;
        }
        let known = |argument: &Argument| argument.text.as_known().map(str::to_owned);
        let options = arguments
            .iter()
            .map_while(|argument| {
                known(argument).filter(|known| known.starts_with('-') && known != "-")
            })
            .take_while(|option| option != "--");
        let letters: String = options.collect::<Vec<_>>().concat().replace('-', "");
        // zsh does not follow links with `-s` and says nothing with `-q`; the shells that do not know a letter stay.
        let is_foreign = letters.contains(['q', 's']);
        if letters.contains(|letter| !"LPe@qs".contains(letter)) {
            // Another shell counts the directories it was in.
            if letters.contains(|letter: char| letter.is_ascii_digit() || letter == '+') {
                self.state.enter_perhaps(None);
            } else {
                self.control.succeeded = Some(false);
            }
            return;
        }
        let operand = arguments.iter().find(|argument| {
            !argument.text.as_known().is_some_and(|known| known.starts_with('-') && known != "-")
        });
        let directory = match operand {
            None => self.facts.home.clone(),
            Some(argument) if argument.text.as_known() == Some("-") => {
                self.state.previous().map(str::to_owned)
            }
            Some(argument) => {
                let path = self.target(&argument.text).path;
                path.map(|path| self.state.linked(&path).map_or(path, str::to_owned))
            }
        };
        // No system has a longer one; what would follow from it grows with every step.
        let directory = directory.filter(|path| path.len() <= LONGEST_DIRECTORY);
        let stands =
            operand.is_none_or(|_| directory.as_deref().is_some_and(|path| self.stands(path)));
        // What a program answers is there; a variable may be empty.
        let answered = operand
            .is_some_and(|operand| operand.text.has_unknown() && !operand.text.sources.is_empty());
        let ends = self.control.conditions == 0 && self.state.option("set -e") == Some(true);
        let is_back = operand.is_some_and(|operand| operand.text.as_known() == Some("-"));
        if !is_foreign && (stands || answered || ends || is_back) {
            self.state.enter(directory);
            self.control.succeeded = stands.then_some(true);
        } else {
            self.state.enter_perhaps(directory);
        }
    }

    /// Whether a directory is surely there.
    fn stands(&self, path: &str) -> bool {
        let holds = |inner: &str| {
            inner
                .strip_prefix(path.trim_end_matches('/'))
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let facts = self.facts;
        let around = [&facts.cwd, &facts.home, &facts.workspace, &facts.temporary];
        let makes = |effect: &crate::effect::Effect| {
            effect.certainty == Certainty::Certain
                && matches!(&effect.kind, EffectKind::Write { target, .. }
                    if target.path.as_deref().is_some_and(holds))
        };
        around.into_iter().flatten().any(|inner| holds(inner))
            || holds("/tmp")
            || self.directory().is_some_and(holds)
            || self.state.previous().is_some_and(holds)
            || facts.paths.get(path).is_some_and(|fact| fact.exists)
            || self.provenance.is_brought_whole(path)
            || self.recorder.effects.list.iter().rev().leading(MADE).any(makes)
    }

    fn source(&mut self, arguments: &[Argument], invocation: &Invocation) -> Text {
        let Some((file, rest)) = arguments.split_first() else { return Text::default() };
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
        if content.taint.has(Taint::FILE) && content.has_unknown() {
            // A file that was there before: somebody's program, as when it is run by its path.
            self.emit(EffectKind::Execute { language: "shell", code: content.clone() }, file.span);
            let path = self.target(&file.text).path;
            let path = path.filter(|_| self.is_copy(&content));
            let around = self.control.enclose();
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
        let around = self.control.enclose();
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

    /// What a variable that was declared with `-l`, `-u` or `-i` makes of a value.
    pub(super) fn attributed(&mut self, name: &str, value: Text) -> Text {
        let has = |walk: &Self, letter: char| {
            walk.state.option(&format!("declare {letter} {name}")) == Some(true)
        };
        let Some(known) = value.as_known().map(str::to_owned) else { return value };
        let changed = if has(self, 'l') {
            known.to_lowercase()
        } else if has(self, 'u') {
            known.to_uppercase()
        } else if has(self, 'i') {
            match self.evaluate(&known) {
                Some(number) => number.to_string(),
                None => return value.derive([Piece::Unknown(name.into())]),
            }
        } else {
            return value;
        };
        let mut result = value.derive([]);
        result.push_known(&changed);
        result
    }

    /// Whether a variable was declared to be a number.
    pub(super) fn is_number(&self, name: &str) -> bool {
        self.builtins.has_attributes
            && self.state.option(&format!("declare i {name}")) == Some(true)
    }

    fn unset(&mut self, arguments: &[Argument]) {
        let functions = has_option(arguments, "-f");
        for argument in arguments {
            let Some(name) = argument.text.as_known().filter(|name| !name.starts_with('-')) else {
                continue;
            };
            let name = name.to_owned();
            if functions {
                self.state.undefine(&name);
            } else if let Some((array, index)) =
                name.strip_suffix(']').and_then(|name| name.split_once('['))
            {
                let index = index.trim_matches(['"', '\'']).to_owned();
                self.unset_element(array, &index);
            } else {
                if !has_option(arguments, "-v") && !self.state.is_set_here(&name) {
                    self.state.undefine(&name);
                }
                self.state.unset(&name);
            }
        }
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

    fn trap(&mut self, arguments: &[Argument]) {
        let mut operands = arguments.iter().filter(|argument| {
            !matches!(argument.text.as_known(), Some("-p" | "-l" | "-P" | "--"))
        });
        let Some(code) = operands.next() else { return };
        if matches!(code.text.as_known(), Some("" | "-")) {
            return;
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
        if !signals.iter().all(is_end) {
            if !self.traps.set(trap, self.state.changes()) {
                self.gap(code.span, GapReason::Limit);
            }
            if signals.iter().any(at_once) {
                self.perhaps(|walk| walk.same_shell(&code.text, code.span));
            }
        }
        self.control.succeeded = None;
    }

    fn alias(&mut self, arguments: &[Argument]) {
        for argument in arguments {
            if let Some((name, value)) = split_assignment(&argument.text) {
                self.state.define_alias(&name, value.clone());
                self.at_most(Certainty::Possible, |walk| {
                    walk.shell(&value, argument.span, &[], None)
                });
            }
        }
    }

    /// In a function a variable that is declared is the function's own; gives whether it becomes so now.
    fn make_local(&mut self, name: &str) -> bool {
        let before = self.state.variable(name).map(<[Value]>::to_vec);
        self.calls.hide(name, before)
    }

    fn declare(&mut self, program: &str, arguments: &[Argument]) {
        let flag = |letter: char| {
            arguments.iter().any(|argument| {
                let option = argument.text.as_known().and_then(|known| known.strip_prefix('-'));
                option.is_some_and(|option| !option.starts_with('-') && option.contains(letter))
            })
        };
        let (refers, pairs) = (flag('n'), flag('A'));
        let (lower, upper) = (flag('l'), flag('u'));
        let number = flag('i');
        // In quotes it is a text like any other, unless it is known to become a list.
        let lists = pairs || flag('a');
        let exports = program == "export" || flag('x');
        let keeps = program == "readonly" || flag('r');
        for letter in ['l', 'u', 'i', 'A'] {
            if flag(letter) {
                self.builtins.has_attributes = true;
                for argument in arguments {
                    if let Some(name) = declared_name(&argument.text) {
                        let on = Value::Scalar(Text::known("1"));
                        self.state.assign(&format!("declare {letter} {name}"), vec![on]);
                    }
                }
            }
        }
        if exports && flag('f') {
            for name in arguments.iter().filter_map(|argument| declared_name(&argument.text)) {
                self.state.export_function(name);
            }
        }
        let is_local = matches!(program, "local" | "declare" | "typeset") && !flag('g');
        for argument in arguments {
            if exports && let Some(name) = declared_name(&argument.text) {
                if refers && program == "export" {
                    self.state.keep_back(name);
                } else {
                    self.state.export(name);
                }
            }
            let mut is_new = false;
            if is_local && let Some(name) = declared_name(&argument.text) {
                is_new = self.make_local(name);
                if !refers && argument.text.as_known() == Some(name) && self.calls.are_in_function()
                {
                    self.state.unset(name);
                }
            }
            if refers
                && program != "export"
                && let Some((name, value)) = split_assignment(&argument.text)
                && let Some(target) = value.as_known()
            {
                self.subscripts(&value, argument.span);
                self.state.refer(&name, target);
                continue;
            }
            if let Some((name, value)) = split_assignment(&argument.text)
                && value.known_prefix().starts_with('(')
                && let plain = name.strip_suffix('+').unwrap_or(&name)
                && let found = self.builtins.declared.iter().position(|(known, _)| known == plain)
                && (found.is_some() || lists || !is_new && self.is_array(plain))
            {
                let appends = name.ends_with('+');
                let name = plain.to_owned();
                let elements = match found {
                    Some(at) => self.builtins.declared.remove(at).1,
                    None => array_elements(&value, pairs),
                };
                let before = if appends { self.value(&name) } else { None };
                self.assign_array(&name, before, elements);
                continue;
            }
            if let Some((name, value)) = split_assignment(&argument.text) {
                let (name, value) = match name.strip_suffix('+') {
                    Some(name) => {
                        let mut before = match self.value(name) {
                            Some(Value::Scalar(text)) if !is_new => text,
                            _ => Text::default(),
                        };
                        before.append(&value);
                        (name.to_owned(), before)
                    }
                    None => (name, value),
                };
                let value = match value.as_known() {
                    Some(known) if lower => value.derive([Piece::Known(known.to_lowercase())]),
                    Some(known) if upper => value.derive([Piece::Known(known.to_uppercase())]),
                    Some(known) if number => match self.evaluate(known) {
                        Some(number) => value.derive([Piece::Known(number.to_string())]),
                        None => value.derive([Piece::Unknown(name.as_str().into())]),
                    },
                    _ => value,
                };
                self.set(&name, value, argument.span);
            }
        }
        for argument in arguments.iter().filter(|_| keeps) {
            if let Some(name) = declared_name(&argument.text) {
                self.state.keep(name);
            }
        }
    }

    /// `read`: one line of what is known of the input.
    fn read_line(&mut self, arguments: &[Argument]) {
        let mut names: Vec<String> = Vec::new();
        let mut array = false;
        let mut skip = None;
        let (mut delimiter, mut most, mut from) = ('\n', None, None);
        let mut raw = false;
        for argument in arguments {
            let Some(known) = argument.text.as_known() else { continue };
            let (letter, value) = match std::mem::take(&mut skip) {
                Some(letter) => (letter, known),
                None => {
                    let Some(letters) = known.strip_prefix('-') else {
                        names.push(known.to_owned());
                        continue;
                    };
                    let takes = |letter: char| {
                        matches!(letter, 'a' | 'd' | 'i' | 'n' | 'N' | 'p' | 't' | 'u')
                    };
                    let at = letters.find(takes).unwrap_or(letters.len());
                    let (plain, rest) = letters.split_at_checked(at).unwrap_or((letters, ""));
                    raw |= plain.contains('r');
                    let Some(letter) = rest.chars().next() else { continue };
                    let attached = rest.get(1..).unwrap_or("");
                    if attached.is_empty() {
                        skip = Some(letter);
                        continue;
                    }
                    (letter, attached)
                }
            };
            match letter {
                'a' => {
                    array = true;
                    names.insert(0, value.to_owned());
                }
                'd' => delimiter = value.chars().next().unwrap_or('\0'),
                'n' | 'N' => most = value.parse::<usize>().ok(),
                'u' => from = value.parse::<u32>().ok(),
                _ => {}
            }
        }
        // Without a name the line is kept whole.
        let is_whole = names.is_empty();
        if is_whole {
            names.push("REPLY".to_owned());
        }
        let exchanged = from.filter(|number| self.exchange_input(*number));
        self.control.succeeded = match &self.input {
            Some(input) if input.is_empty() => Some(false),
            Some(input) if input.known_prefix().contains('\n') => Some(true),
            _ => None,
        };
        let line = self.take_line(delimiter);
        if let Some(number) = exchanged {
            self.exchange_input(number);
        }
        let taken =
            |known: &str| known.chars().leading(most.unwrap_or(usize::MAX)).collect::<String>();
        let Some(known) = line.as_known().map(taken) else {
            for name in names {
                self.state.assign(&name, vec![Value::Scalar(line.clone())]);
            }
            return;
        };
        let separators = match self.state.variable("IFS") {
            _ if is_whole => String::new(),
            Some([Value::Scalar(text)]) => text.as_known().unwrap_or(" \t\n").to_owned(),
            _ => " \t\n".to_owned(),
        };
        let pieces = |text: &str| {
            let mut value = line.derive([]);
            value.push_known(text);
            value
        };
        let most = if array { usize::MAX } else { names.len() };
        let mut fields = fields_of(&known, &separators, most, raw).into_iter();
        if array {
            let elements = fields.map(|field| (None, pieces(&field))).collect();
            if let Some(name) = names.first() {
                self.state.assign(name, vec![Value::Array(elements)]);
            }
            return;
        }
        for name in &names {
            let field = fields.next().unwrap_or_default();
            self.state.assign(name, vec![Value::Scalar(pieces(&field))]);
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

    fn read_lines(&mut self, arguments: &[Argument]) {
        let callback = values_of(arguments, "-C").into_iter().next();
        let delimiter = values_of(arguments, "-d").into_iter().next();
        let delimiter = delimiter
            .as_ref()
            .and_then(|value| value.text.as_known())
            .map_or('\n', |known| known.chars().next().unwrap_or('\0'));
        let number = |option: &str| {
            let value = values_of(arguments, option).into_iter().next()?;
            value.text.as_known()?.parse::<usize>().ok()
        };
        let (skipped, most) = (number("-s").unwrap_or(0), number("-n").filter(|most| *most > 0));
        let cuts = arguments.iter().any(|argument| {
            let known = argument.text.as_known().and_then(|known| known.strip_prefix('-'));
            known.is_some_and(|letters| letters.contains('t'))
        });
        let name = arguments
            .iter()
            .rev()
            .find_map(|argument| argument.text.as_known().filter(|known| !known.starts_with('-')))
            .unwrap_or("MAPFILE")
            .to_owned();
        let from = number("-u").and_then(|number| u32::try_from(number).ok());
        let exchanged = from.filter(|number| self.exchange_input(*number));
        let input = self.input.take().unwrap_or_else(|| Text::unknown("input"));
        if let Some(number) = exchanged {
            self.input = Some(Text::default());
            self.exchange_input(number);
        }
        let bound = most.unwrap_or(usize::MAX);
        if bound > LINES
            && input.as_known().is_some_and(|known| {
                known.split_inclusive(delimiter).nth(LINES.saturating_add(skipped)).is_some()
            })
        {
            let span = arguments
                .first()
                .map_or_else(portcullis_syntax::Span::default, |argument| argument.span);
            self.gap(span, GapReason::Limit);
        }
        let value = match input.as_known() {
            Some(known) => Value::Array(
                known
                    .split_inclusive(delimiter)
                    .skip(skipped)
                    .leading(bound.min(LINES))
                    .map(|line| {
                        let whole = line;
                        let line = line.strip_suffix(delimiter).unwrap_or(line);
                        // The newline of a here-string is no part of its last line.
                        let line =
                            if cuts { line.strip_suffix('\n').unwrap_or(line) } else { whole };
                        let mut text = input.derive([]);
                        text.push_known(line);
                        (None, text)
                    })
                    .collect(),
            ),
            None => Value::Scalar(input.clone()),
        };
        if let Some(callback) = callback {
            // The callback is called with an index and the line behind it.
            let lines: Vec<Text> = match &value {
                Value::Array(elements) => elements
                    .iter()
                    .at_most(CALLBACKS, self, callback.span)
                    .map(|(_, text)| text.clone())
                    .collect(),
                Value::Scalar(text) => vec![text.clone()],
                Value::Unset => Vec::new(),
            };
            for line in lines {
                let mut code = callback.text.clone();
                code.push_known(" 0 ");
                code.append(&line);
                self.at_most(Certainty::Likely, |walk| walk.same_shell(&code, callback.span));
            }
        }
        match (number("-O"), value) {
            (Some(origin), Value::Array(elements)) => {
                let before = self.value(&name).or(Some(Value::Unset));
                let placed = elements.into_iter().enumerate();
                let placed = placed.map(|(at, (_, text))| (Some((origin + at).to_string()), text));
                self.assign_array(&name, before, placed.collect());
            }
            (_, value) => self.state.assign(&name, vec![value]),
        }
    }

    /// The next line of the input, taken from it.
    fn take_line(&mut self, delimiter: char) -> Text {
        let Some(input) = &mut self.input else { return Text::unknown("input") };
        match input.pieces.as_mut_slice() {
            [Piece::Known(known)] => {
                let (line, rest) = match known.split_once(delimiter) {
                    Some((line, rest)) => (line.to_owned(), rest.to_owned()),
                    None => (known.clone(), String::new()),
                };
                let mut text = input.derive([]);
                text.push_known(&line);
                let mut left = input.derive([]);
                left.push_known(&rest);
                *input = left;
                text
            }
            // Names that a pattern gives are a line each.
            [Piece::Known(_), Piece::Glob(_)] | [Piece::Glob(_)]
                if delimiter == '\n' || delimiter == '\0' =>
            {
                input.clone()
            }
            [Piece::Known(_), Piece::Glob(_), Piece::Known(between), Piece::Glob(_)]
                if between == "/" && (delimiter == '\n' || delimiter == '\0') =>
            {
                input.clone()
            }
            _ => input.derive([Piece::Unknown("a line of input".into())]),
        }
    }

    fn set_options(&mut self, arguments: &[Argument]) -> Text {
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
                    for (letter, name) in [('u', "set -u"), ('f', "set -f")] {
                        let full = if letter == 'u' { "nounset" } else { "noglob" };
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

/// `declare -p`, `export`: without a name every variable is printed.
fn lists_variables(arguments: &[Argument]) -> bool {
    arguments.iter().all(|argument| {
        argument.text.as_known().is_some_and(|known| known.starts_with('-') && !known.contains('f'))
    })
}

/// The names that `set -o` takes most.
const NAMED: &[&str] =
    &["allexport", "errexit", "errtrace", "noclobber", "noglob", "nounset", "pipefail", "xtrace"];
/// The fields that `read` makes of a line, the last of them with everything that is left.
fn fields_of(line: &str, separators: &str, most: usize, raw: bool) -> Vec<String> {
    // Each character with whether a backslash keeps it from separating.
    let mut characters: Vec<(char, bool)> = Vec::with_capacity(line.len());
    let mut rest = line.chars();
    while let Some(character) = rest.next() {
        if character == '\\' && !raw {
            characters.extend(rest.next().filter(|next| *next != '\n').map(|next| (next, true)));
        } else {
            characters.push((character, false));
        }
    }
    let separates = |&(character, kept): &(char, bool)| !kept && separators.contains(character);
    let blank = |one: &(char, bool)| separates(one) && matches!(one.0, ' ' | '\t' | '\n');
    let text = |part: &[(char, bool)]| part.iter().map(|(character, _)| *character).collect();
    let mut left = characters.as_slice();
    let trim = |mut part: &[(char, bool)], front: bool, back: bool| -> usize {
        let mut cut = 0;
        while front && part.first().is_some_and(blank) {
            part = part.get(1..).unwrap_or(&[]);
            cut += 1;
        }
        while back && part.last().is_some_and(blank) {
            part = part.get(..part.len() - 1).unwrap_or(&[]);
            cut += 1;
        }
        cut
    };
    left = left.get(trim(left, true, false)..).unwrap_or(&[]);
    let end = left.len() - trim(left, false, true);
    left = left.get(..end).unwrap_or(&[]);
    let mut fields = Vec::new();
    while !left.is_empty() {
        if fields.len() + 1 == most {
            // One separator at the end of the last field goes with it where it is the only one.
            let inner = left.iter().position(separates);
            let only = inner.is_some_and(|at| at + 1 == left.len());
            let end = left.len() - usize::from(only);
            fields.push(text(left.get(..end).unwrap_or(&[])));
            break;
        }
        let end = left.iter().position(separates).unwrap_or(left.len());
        fields.push(text(left.get(..end).unwrap_or(&[])));
        left = left.get(end..).unwrap_or(&[]);
        left = left.get(trim(left, true, false)..).unwrap_or(&[]);
        if left.first().is_some_and(|one| separates(one) && !blank(one)) {
            left = left.get(1..).unwrap_or(&[]);
            left = left.get(trim(left, true, false)..).unwrap_or(&[]);
        }
    }
    fields
}

/// How many lines `mapfile` is followed through.
const LINES: usize = 1024;

/// How many lines `mapfile -C` is followed through.
const CALLBACKS: usize = 8;

fn has_option(arguments: &[Argument], option: &str) -> bool {
    arguments.iter().any(|argument| argument.text.known_prefix().starts_with(option))
}

/// The elements of `(a b [k]=c)` as one text: what `declare` is given.
fn array_elements(text: &Text, pairs: bool) -> Vec<(Option<String>, Text)> {
    let mut words: Vec<Text> = vec![text.derive([])];
    for piece in &text.pieces {
        let Piece::Known(known) = piece else {
            if let Some(last) = words.last_mut() {
                last.push(piece.clone());
            }
            continue;
        };
        for (index, part) in known.split([' ', '\t', '\n']).enumerate() {
            if index > 0 {
                words.push(text.derive([]));
            }
            if let Some(last) = words.last_mut() {
                last.push_known(part.trim_matches(['"', '\'', '(', ')']));
            }
        }
    }
    words.retain(|word| !word.is_empty());
    if pairs && words.first().is_some_and(|word| !word.known_prefix().contains('=')) {
        return words
            .chunks(2)
            .filter_map(|pair| Some((Some(pair.first()?.display()), pair.get(1)?.clone())))
            .collect();
    }
    words
        .into_iter()
        .map(|word| {
            let known = word.known_prefix();
            let keyed = match known.strip_prefix('[') {
                Some(rest) => rest.split_once("]="),
                None if pairs => known.split_once('='),
                None => None,
            };
            match keyed {
                Some((key, first)) => {
                    let value = word.beginning_with(first);
                    (Some(key.to_owned()), value)
                }
                None => (None, word),
            }
        })
        .collect()
}

/// The variable that a word of `declare` is about.
fn declared_name(text: &Text) -> Option<&str> {
    let name = text.known_prefix().split(['=', '+', '[']).next()?;
    let continues = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (!name.is_empty() && name.bytes().all(continues)).then_some(name)
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
