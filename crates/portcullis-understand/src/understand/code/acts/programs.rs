//! Calls that start a program, or end one. Owns which of what they are given is the line or the words, and what each says that it started.

use super::{
    super::{
        builder,
        fed::Started,
        interpreter::Interpreter,
        statements::OWN,
        tables::Act,
        value::{Given, Value},
    },
    Call,
};
use crate::{
    effect::Argument,
    programs::{agents, escapes::obeys},
    text::{Piece, Text},
};

impl Interpreter<'_, '_, '_> {
    /// Variables that a program is started with, where others than the program itself listen to them.
    pub(super) fn surround(&mut self, call: Call<'_>) {
        let Call { span, .. } = call;
        if let Some(Value::Table(environment)) = call.option("env") {
            for (name, value) in environment.iter().filter(|(name, _)| {
                agents::redirects(name) || name.starts_with(OWN) || name != "PATH" && obeys(name)
            }) {
                self.walk.environment_of(name, &value.text(), span);
            }
        }
    }

    /// A line of shell, or a list as words.
    pub(super) fn run_line(&mut self, call: Call<'_>) -> Value {
        let Call { path, first, span, .. } = call;
        let Some(first) = first else { return Value::unknown("what a command prints") };
        let input = call.option("input").map(|value| value.text());
        let mut result = None;
        for value in first.value.alternatives() {
            let value = match value.entry("cmd") {
                Some(command) => command.clone(),
                None => value,
            };
            let text =
                self.shell_or_words(&value, first.span, span, input.clone(), call.option("shell"));
            let started = match &value {
                Value::List(_) => Started::Words(self.words([(&value, first.span)].into_iter())),
                line => Started::Line(line.text(), first.span),
            };
            let text = self.started(path, started, text);
            result = Some(match result {
                None => text,
                Some(before) => Value::or(before, text),
            });
        }
        result.unwrap_or_else(|| Value::unknown("what a command prints"))
    }

    /// One argument as a line of shell, several as words.
    pub(super) fn run_line_or_words(&mut self, call: Call<'_>) -> Value {
        let Call { path, plain, span, .. } = call;
        match plain {
            [] => Value::unknown("what a command prints"),
            [one] => {
                let printed = self.shell_or_words(&one.value, one.span, span, None, None);
                let started = Started::Line(one.value.text(), one.span);
                self.started(path, started, printed)
            }
            several => {
                let several: Vec<&Given> = several
                    .iter()
                    .copied()
                    .filter(|given| !matches!(given.value, Value::Table(_)))
                    .collect();
                if let [one] = several.as_slice() {
                    return Value::Text(
                        self.shell_or_words(&one.value, one.span, span, None, None),
                    );
                }
                let words = self.words(several.iter().map(|given| (&given.value, given.span)));
                Value::Text(self.run_words(&words, None))
            }
        }
    }

    /// A program with the list of its arguments.
    pub(super) fn run_with_list(&mut self, call: Call<'_>) -> Value {
        let Call { path, first, second, span, .. } = call;
        let Some(first) = first else { return Value::unknown("what a program prints") };
        let shell = call.option("shell").is_some_and(|shell| !shell.is_false());
        let arguments = second.map(|second| second.value.clone());
        if shell {
            let mut text = first.value.text();
            if let Some(Value::List(list)) = arguments {
                for value in &list {
                    text.push_known(" ");
                    text.append(&value.text());
                }
            }
            let printed = self.run_shell(&text, first.span, None);
            return self.started(path, Started::Line(text, first.span), printed);
        }
        let mut words = self.words([(&first.value, first.span)].into_iter());
        if path.ends_with("fork") {
            self.starts_itself(&first.value, span);
            words.insert(0, Argument { text: Text::known("node"), span: first.span });
        }
        // `spawn(process.execPath, [__filename])`
        if self.language == "javascript"
            && let Some(Value::List(list)) = &arguments
            && let [file @ Value::Name(..)] = list.as_slice()
        {
            self.starts_itself(file, span);
        }
        if let (Some(value), Some(second)) = (&arguments, second) {
            // Deno has the arguments among the options.
            let list = match value {
                Value::Table(_) => value.entry("args"),
                value => Some(value),
            };
            if let Some(list) = list {
                words.extend(self.words([(list, second.span)].into_iter()));
            }
        }
        let input = call.option("input").map(|value| value.text());
        let printed = self.run_words(&words, input);
        self.started(path, Started::Words(words), printed)
    }

    /// All arguments as words.
    pub(super) fn run_all_words(&mut self, call: Call<'_>) -> Value {
        let Call { path, plain, first, .. } = call;
        let mut words = self.words(plain.iter().map(|given| (&given.value, given.span)));
        if path.ends_with("Command.new")
            && let Some(given) = first
        {
            let place = given.span.range();
            let more = builder::words(self.source, place.start, place.end);
            words.extend(
                more.into_iter().map(|word| Argument { text: Text::known(word), span: given.span }),
            );
        }
        let printed = self.run_words(&words, None);
        self.started(path, Started::Words(words), printed)
    }

    /// A program that is named twice: where it lies, and what it is told as its own name.
    pub(super) fn run_in_place(&mut self, act: Act, call: Call<'_>) -> Value {
        let Call { plain, span, .. } = call;
        let skip = usize::from(matches!(act, Act::SpawnList | Act::SpawnWords));
        let all = self.words(plain.iter().skip(skip).map(|given| (&given.value, given.span)));
        let mut words: Vec<Argument> = all.first().cloned().into_iter().collect();
        words.extend(all.into_iter().skip(2));
        self.seen.spawns = Some(span);
        // `os.posix_spawn(…, file_actions=[(os.POSIX_SPAWN_DUP2, s.fileno(), 0)])`
        if call.keyword(&["file_actions"]).is_some_and(|it| points_streams(&it.value)) {
            self.seen.duplicates.get_or_insert(span);
        }
        Value::Text(self.run_words(&words, None))
    }

    /// A signal for a process.
    pub(super) fn send_signal(&mut self, call: Call<'_>) -> Value {
        let Call { first, second, span, .. } = call;
        let (target, signal) = if matches!(self.language, "perl" | "ruby") {
            (second, first)
        } else {
            (first, second)
        };
        let mut words = self.words([(&Value::known("kill"), span)].into_iter());
        if let Some(signal) = signal {
            let mut text = Text::known("-");
            let name = signal.value.text();
            match name.pieces.as_slice() {
                [Piece::Unknown(origin)] => text.push_known(
                    origin.rsplit('.').next().unwrap_or_default().trim_start_matches("SIG"),
                ),
                _ => text.append(&name),
            }
            words.push(Argument { text, span });
        }
        words.push(Argument { text: Text::known("--"), span });
        let target = self.place_of(target);
        let of_each = target.text.pieces.iter().find_map(|piece| match piece {
            Piece::Unknown(origin)
                if ["process_iter()[]", "scandir()[]"].iter().any(|of| origin.contains(of)) =>
            {
                Some(origin)
            }
            _ => None,
        });
        if let Some(each) = of_each.cloned() {
            self.kills_each(&each, span);
        }
        words.push(target);
        self.walk.run(&words, None);
        Value::unknown("nothing")
    }
}

/// Whether what is done with the descriptors of a new process points one of them at another one, as far as that is known.
fn points_streams(actions: &Value) -> bool {
    let is_other = |action: &Value| match action {
        Value::List(parts) => !matches!(parts.first(), Some(Value::Name(path, _))
            if path.ends_with("POSIX_SPAWN_OPEN") || path.ends_with("POSIX_SPAWN_CLOSE")),
        _ => true,
    };
    match actions {
        Value::List(actions) => actions.iter().any(is_other),
        _ => true,
    }
}
