//! Builtins: commands that change what the shell itself knows, or that run their arguments. Owns their meaning; builtins
//! that are ordinary programs as well (`echo`, `kill`, `test`) have rows in `programs`.

use super::{Invocation, leave::Leave, state::Value, walk::Walk, words::join};
use crate::{
    effect::{Argument, Certainty, EffectKind},
    programs::escapes::values_of,
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

/// How many traps are kept for the end of a script; the others are read where they stand.
const TRAPS: usize = 16;

impl Walk<'_> {
    pub(super) fn is_builtin(&self, name: &str) -> bool {
        BUILTINS.binary_search(&name).is_ok()
    }

    pub(super) fn builtin(&mut self, invocation: &Invocation) -> Text {
        let arguments = invocation.arguments.as_slice();
        let known = |index: usize| {
            arguments.get(index).and_then(|argument: &Argument| argument.text.as_known())
        };
        self.succeeded = self.succeeds(&invocation.program, arguments);
        match invocation.program.as_str() {
            "break" => self.leave(Leave::Loop),
            "continue" => self.leave(Leave::Round),
            "return" | "exit" => {
                let leave =
                    if invocation.program == "exit" { Leave::Shell } else { Leave::Function };
                self.leave(leave);
                self.succeeded = match known(0).map(str::parse::<i64>) {
                    Some(Ok(status)) => Some(status & 0xff == 0),
                    _ => None,
                };
            }
            "let" => {
                self.succeeded = None;
                for argument in arguments {
                    self.succeeded = self.calculate(&argument.text).map(|value| value != 0);
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
                    }
                }
            }
            "unalias" => {
                for argument in arguments {
                    if let Some(name) = argument.text.as_known() {
                        self.state.forget_alias(name);
                    }
                }
            }
            "cd" | "chdir" | "pushd" => self.change_directory(arguments),
            "popd" => self.state.enter(None),
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
            "getopts" => self.succeeded = self.next_option(arguments),
            "complete" | "compgen" | "bind" => {
                self.completion(&invocation.program, arguments);
                return invocation.origin();
            }
            "hash" => {
                self.remember(arguments);
                return match (arguments.first(), arguments.get(1)) {
                    (Some(option), Some(name)) if option.text.as_known() == Some("-t") => {
                        Text::known(format!("/usr/bin/{}", name.text.display()))
                    }
                    _ => invocation.origin(),
                };
            }
            "enable" if has_option(arguments, "-f") => {
                self.gap(invocation.span, crate::effect::GapReason::UnknownCode);
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
            "local" if self.locals.is_empty() => false,
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
        if let Some(elsewhere) = self.variable_set("CDPATH").filter(|path| !path.is_empty())
            && let Some(first) = arguments.first()
            && !first.text.known_prefix().starts_with(['/', '.', '~', '-'])
        {
            self.gap(first.span, crate::effect::GapReason::UnknownCode);
            let below = elsewhere.known_prefix().split(':').next().unwrap_or("");
            let path = Text::known(format!("{below}/{}", first.text.display()));
            let directory = self.target(&path).path;
            self.state.enter(directory);
            return;
        }
        let operand = arguments.iter().find(|argument| {
            !argument.text.as_known().is_some_and(|known| known.starts_with('-') && known != "-")
        });
        let directory = match operand {
            None => self.facts.home.clone(),
            Some(argument) if argument.text.as_known() == Some("-") => None,
            Some(argument) => {
                let path = self.target(&argument.text).path;
                path.map(|path| self.state.linked(&path).map_or(path, str::to_owned))
            }
        };
        self.state.enter(directory);
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
            let mut positional: Vec<Text> = outside.iter().take(1).cloned().collect();
            if positional.is_empty() {
                positional.push(Text::known("bash"));
            }
            positional.extend(rest.iter().map(|argument| argument.text.clone()));
            self.state.set_positional(positional);
        }
        if content.taint.has(Taint::FILE) && content.has_unknown() {
            // A file that was there before: somebody's program, as when it is run by its path.
            self.emit(EffectKind::Execute { language: "shell", code: content.clone() }, file.span);
            return content;
        }
        let around = self.enclose();
        let printed = self.same_shell(&content, file.span);
        self.release(around, Leave::Function);
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
            self.leave(Leave::Shell);
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
                // The elements behind it keep their numbers: what they are now is more than is followed.
                if let Some(Value::Array(elements)) = self.value(array) {
                    let left = elements
                        .into_iter()
                        .filter(|(key, _)| key.as_deref() != Some(index))
                        .map(|(key, text)| {
                            if key.is_some() {
                                return (key, text);
                            }
                            let mut unknown = Text::unknown(array);
                            unknown.inherit(&text);
                            (None, unknown)
                        })
                        .collect();
                    self.state.assign(array, vec![Value::Array(left)]);
                }
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
        let (Some(code), Some(signal)) = (operands.next(), operands.next()) else { return };
        let only_at_end = operands.next().is_none()
            && signal
                .text
                .as_known()
                .is_some_and(|signal| matches!(signal.trim_start_matches("SIG"), "EXIT" | "0"));
        if only_at_end && self.at_end.len() < TRAPS {
            if !matches!(code.text.as_known(), Some("" | "-")) {
                self.at_end.push((code.text.clone(), code.span, self.layer));
            }
            return;
        }
        if !matches!(code.text.as_known(), Some("" | "-")) {
            self.at_most(Certainty::Likely, |walk| walk.same_shell(&code.text, code.span));
        }
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

    /// In a function a variable that is declared is the function's own.
    fn make_local(&mut self, name: &str) {
        let before = self.state.variable(name).map(<[Value]>::to_vec);
        if let Some(locals) = self.locals.last_mut()
            && !locals.iter().any(|(known, _)| known == name)
        {
            locals.push((name.to_owned(), before));
        }
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
        let exports = program == "export" || flag('x');
        let keeps = program == "readonly" || flag('r');
        for letter in ['l', 'u', 'i'] {
            if flag(letter) {
                self.attributes = true;
                for argument in arguments {
                    if let Some(name) = declared_name(&argument.text) {
                        let on = Value::Scalar(Text::known("1"));
                        self.state.assign(&format!("declare {letter} {name}"), vec![on]);
                    }
                }
            }
        }
        let is_local = matches!(program, "local" | "declare" | "typeset") && !flag('g');
        for argument in arguments {
            if exports && let Some(name) = declared_name(&argument.text) {
                self.state.export(name);
            }
            if is_local && let Some(name) = declared_name(&argument.text) {
                self.make_local(name);
                if !refers && argument.text.as_known() == Some(name) && !self.locals.is_empty() {
                    self.state.unset(name);
                }
            }
            if refers
                && let Some((name, value)) = split_assignment(&argument.text)
                && let Some(target) = value.as_known()
            {
                self.subscripts(&value, argument.span);
                self.state.refer(&name, target);
                continue;
            }
            if let Some((name, value)) = split_assignment(&argument.text)
                && value.known_prefix().starts_with('(')
            {
                let name = name.trim_end_matches('+');
                self.state.assign(name, vec![Value::Array(array_elements(&value, pairs))]);
                continue;
            }
            if let Some((name, value)) = split_assignment(&argument.text) {
                let (name, value) = match name.strip_suffix('+') {
                    Some(name) => {
                        let mut before = match self.value(name) {
                            Some(Value::Scalar(text)) => text,
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
        let (mut delimiter, mut most) = ('\n', None);
        for argument in arguments {
            let Some(known) = argument.text.as_known() else { continue };
            match std::mem::take(&mut skip) {
                Some('d') => {
                    delimiter = known.chars().next().unwrap_or('\0');
                    continue;
                }
                Some('n' | 'N') => {
                    most = known.parse::<usize>().ok();
                    continue;
                }
                Some(_) => continue,
                None => {}
            }
            match known.strip_prefix('-') {
                Some(option) => {
                    // An option takes its value from the same word or from the next one.
                    let takes =
                        |letter: char| matches!(letter, 'd' | 'i' | 'n' | 'N' | 'p' | 't' | 'u');
                    let (flags, value) = match option.split_once(takes) {
                        Some((flags, value)) => (flags, Some(value)),
                        None => (option, None),
                    };
                    array |= flags.contains('a');
                    let letter = option.chars().nth(flags.chars().count());
                    match (value, letter) {
                        (Some(""), Some(letter)) => skip = Some(letter),
                        (Some(value), Some('d')) => {
                            delimiter = value.chars().next().unwrap_or('\0');
                        }
                        (Some(value), Some('n' | 'N')) => most = value.parse::<usize>().ok(),
                        _ => {}
                    }
                }
                None => names.push(known.to_owned()),
            }
        }
        if names.is_empty() {
            names.push("REPLY".to_owned());
        }
        self.succeeded = match &self.input {
            Some(input) if input.is_empty() => Some(false),
            Some(input) if input.known_prefix().contains('\n') => Some(true),
            _ => None,
        };
        let line = self.take_line(delimiter);
        let taken =
            |known: &str| known.chars().take(most.unwrap_or(usize::MAX)).collect::<String>();
        let Some(known) = line.as_known().map(taken) else {
            for name in names {
                self.state.assign(&name, vec![Value::Scalar(line.clone())]);
            }
            return;
        };
        let separators = match self.state.variable("IFS") {
            Some([Value::Scalar(text)]) => text.as_known().unwrap_or(" \t\n").to_owned(),
            _ => " \t\n".to_owned(),
        };
        let pieces = |text: &str| {
            let mut value = line.derive([]);
            value.push_known(text);
            value
        };
        let is_blank = |character: char| {
            separators.contains(character) && matches!(character, ' ' | '\t' | '\n')
        };
        let blank = separators.chars().all(is_blank);
        if array {
            let elements = known
                .split(|character| separators.contains(character))
                .filter(|field| !field.is_empty() || !blank)
                .map(|field| (None, pieces(field)))
                .collect();
            if let Some(name) = names.first() {
                self.state.assign(name, vec![Value::Array(elements)]);
            }
            return;
        }
        let mut rest = known.trim_matches(is_blank);
        let last = names.len().saturating_sub(1);
        for (index, name) in names.iter().enumerate() {
            let (field, after) = if index == last {
                (rest, "")
            } else {
                rest.split_once(|character| separators.contains(character)).unwrap_or((rest, ""))
            };
            self.state.assign(name, vec![Value::Scalar(pieces(field))]);
            rest = after.trim_start_matches(is_blank);
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
        let input = self.input.take().unwrap_or_else(|| Text::unknown("input"));
        let value = match input.as_known() {
            Some(known) => Value::Array(
                known
                    .split_inclusive(delimiter)
                    .skip(skipped)
                    .take(most.unwrap_or(LINES).min(LINES))
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
                Value::Array(elements) => {
                    elements.iter().take(CALLBACKS).map(|(_, text)| text.clone()).collect()
                }
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
        self.state.assign(&name, vec![value]);
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
            self.succeeded = Some(false);
            return;
        }
        let mut left: Vec<Text> = positional.iter().take(1).cloned().collect();
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
                    let mut value = word.derive([]);
                    value.push_known(first);
                    for piece in word.pieces.iter().skip(1) {
                        value.push(piece.clone());
                    }
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

/// `NAME=value` in an expanded word.
pub(crate) fn split_assignment(text: &Text) -> Option<(String, Text)> {
    let (name, first) = text.known_prefix().split_once('=')?;
    let plain = name.strip_suffix('+').unwrap_or(name);
    // Aliases and the environment take more names than variables do.
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.%()+:@!".contains(&byte);
    if plain.is_empty() || plain.starts_with('-') || !plain.bytes().all(allowed) {
        return None;
    }
    let mut value = text.derive([]);
    value.push_known(first);
    for piece in text.pieces.iter().skip(1) {
        value.push(piece.clone());
    }
    Some((name.to_owned(), value))
}

fn span_of(arguments: &[Argument], invocation: &Invocation) -> portcullis_syntax::Span {
    match (arguments.first(), arguments.last()) {
        (Some(first), Some(last)) => first.span.to(last.span),
        _ => invocation.span,
    }
}
