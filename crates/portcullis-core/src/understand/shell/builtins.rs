//! Builtins: commands that change what the shell itself knows, or that run their arguments. Owns their meaning; builtins
//! that are ordinary programs as well (`echo`, `kill`, `test`) have rows in `programs`.

use super::{Invocation, state::Value, walk::Walk, words::join};
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
        match invocation.program.as_str() {
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
                self.declare(arguments);
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
            "unset" => {
                for argument in arguments {
                    if let Some(name) =
                        argument.text.as_known().filter(|name| !name.starts_with('-'))
                    {
                        let name = name.to_owned();
                        self.state.unset(&name);
                    }
                }
            }
            "getopts" => {
                if let Some(name) = arguments.get(1).and_then(|argument| argument.text.as_known()) {
                    let name = name.to_owned();
                    self.state.assign(&name, vec![Value::unknown(&name)]);
                    self.state.assign("OPTARG", vec![Value::unknown("OPTARG")]);
                }
            }
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
        if !rest.is_empty() {
            let mut positional = vec![Text::known("bash")];
            positional.extend(rest.iter().map(|argument| argument.text.clone()));
            self.state.set_positional(positional);
        }
        if content.taint.has(Taint::FILE) && content.has_unknown() {
            // A file that was there before: somebody's program, as when it is run by its path.
            self.emit(EffectKind::Execute { language: "shell", code: content.clone() }, file.span);
            return content;
        }
        self.same_shell(&content, file.span)
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
        self.run(rest, invocation.input.clone())
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

    fn declare(&mut self, arguments: &[Argument]) {
        let flag = |letter: char| {
            arguments.iter().any(|argument| {
                let option = argument.text.as_known().and_then(|known| known.strip_prefix('-'));
                option.is_some_and(|option| !option.starts_with('-') && option.contains(letter))
            })
        };
        let (refers, pairs) = (flag('n'), flag('A'));
        let (lower, upper) = (flag('l'), flag('u'));
        for argument in arguments {
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
                    Some(known) if lower => value.derive(vec![Piece::Known(known.to_lowercase())]),
                    Some(known) if upper => value.derive(vec![Piece::Known(known.to_uppercase())]),
                    _ => value,
                };
                self.set(&name, value, argument.span);
            }
        }
    }

    /// `read`: one line of what is known of the input.
    fn read_line(&mut self, arguments: &[Argument]) {
        let mut names: Vec<String> = Vec::new();
        let mut array = false;
        let mut skip = false;
        for argument in arguments {
            let Some(known) = argument.text.as_known() else { continue };
            if std::mem::take(&mut skip) {
                continue;
            }
            match known.strip_prefix('-') {
                Some(option) => {
                    let last = option.chars().last().unwrap_or('r');
                    array |= last == 'a';
                    skip = matches!(last, 'd' | 'i' | 'n' | 'N' | 'p' | 't' | 'u');
                }
                None => names.push(known.to_owned()),
            }
        }
        if names.is_empty() {
            names.push("REPLY".to_owned());
        }
        let line = self.take_line();
        let Some(known) = line.as_known().map(str::to_owned) else {
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
            let mut value = line.derive(Vec::new());
            value.push_known(text);
            value
        };
        if array {
            let elements = known
                .split(|character| separators.contains(character))
                .filter(|field| !field.is_empty())
                .map(|field| (None, pieces(field)))
                .collect();
            if let Some(name) = names.first() {
                self.state.assign(name, vec![Value::Array(elements)]);
            }
            return;
        }
        let mut rest = known.trim_matches(|character| separators.contains(character));
        let last = names.len().saturating_sub(1);
        for (index, name) in names.iter().enumerate() {
            let (field, after) = if index == last {
                (rest, "")
            } else {
                rest.split_once(|character| separators.contains(character)).unwrap_or((rest, ""))
            };
            self.state.assign(name, vec![Value::Scalar(pieces(field))]);
            rest = after.trim_start_matches(|character| separators.contains(character));
        }
    }

    /// Commands that completion and key bindings run, and words that completion expands.
    fn completion(&mut self, program: &str, arguments: &[Argument]) {
        let option = if program == "bind" { "-x" } else { "-C" };
        for value in values_of(arguments, option) {
            let known = value.text.as_known();
            let bound = known.filter(|_| program == "bind").and_then(|known| known.split_once(':'));
            let code = match bound {
                Some((_, command)) => value
                    .text
                    .derive(vec![Piece::Known(command.trim_matches([' ', '"']).to_owned())]),
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
                    .trim_end_matches('\n')
                    .split(delimiter)
                    .take(1024)
                    .map(|line| {
                        let mut text = input.derive(Vec::new());
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
    fn take_line(&mut self) -> Text {
        let Some(input) = &mut self.input else { return Text::unknown("input") };
        match input.pieces.as_mut_slice() {
            [Piece::Known(known)] => {
                let (line, rest) = match known.split_once('\n') {
                    Some((line, rest)) => (line.to_owned(), rest.to_owned()),
                    None => (known.clone(), String::new()),
                };
                let mut text = input.derive(Vec::new());
                text.push_known(&line);
                let mut left = input.derive(Vec::new());
                left.push_known(&rest);
                *input = left;
                text
            }
            _ => input.derive(vec![Piece::Unknown("a line of input".into())]),
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

/// How many lines `mapfile -C` is followed through.
const CALLBACKS: usize = 8;

fn has_option(arguments: &[Argument], option: &str) -> bool {
    arguments.iter().any(|argument| argument.text.known_prefix().starts_with(option))
}

/// The elements of `(a b [k]=c)` as one text: what `declare` is given.
fn array_elements(text: &Text, pairs: bool) -> Vec<(Option<String>, Text)> {
    let mut words: Vec<Text> = vec![text.derive(Vec::new())];
    for piece in &text.pieces {
        let Piece::Known(known) = piece else {
            if let Some(last) = words.last_mut() {
                last.push(piece.clone());
            }
            continue;
        };
        for (index, part) in known.split([' ', '\t', '\n']).enumerate() {
            if index > 0 {
                words.push(text.derive(Vec::new()));
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
                    let mut value = word.derive(Vec::new());
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

/// `NAME=value` in an expanded word.
pub(crate) fn split_assignment(text: &Text) -> Option<(String, Text)> {
    let (name, first) = text.known_prefix().split_once('=')?;
    let plain = name.strip_suffix('+').unwrap_or(name);
    // Aliases and the environment take more names than variables do.
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.%()+:@!".contains(&byte);
    if plain.is_empty() || plain.starts_with('-') || !plain.bytes().all(allowed) {
        return None;
    }
    let mut value = text.derive(Vec::new());
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
