//! Programs that code goes on talking to: what is written into the standard input of one that was started is what it reads. Owns which those
//! are, by what they are told more, and what else a stream is led into.

use std::collections::BTreeSet;

use portcullis_syntax::Span;

use super::{
    interpreter::Interpreter,
    value::{Given, Value},
};
use crate::{
    bound::Bounded,
    effect::{Argument, GapReason},
    language::language,
    programs::{self, Does, host::Host},
    text::{Piece, Text},
};

/// How many programs are told apart.
const STARTED: usize = 64;

/// What a program that waits for more is called in a text.
const MARK: &str = "what program ";

/// A program as it was started.
#[derive(Clone, Debug)]
pub(super) enum Started {
    /// By its words.
    Words(Vec<Argument>),
    /// By a line for a shell.
    Line(Text, Span),
}

/// Functions, by their last names, whose program goes on while the code does.
const GO_ON: &[&str] = &[
    "Popen",
    "PopenSpawn",
    "create_subprocess_exec",
    "create_subprocess_shell",
    "exec",
    "execFile",
    "execa",
    "open_process",
    "popen",
    "popen2",
    "popen2e",
    "popen3",
    "spawn",
    "spawnu",
];

/// Programs that lead to whatever is at the other end of a line.
const TERMINALS: &[&str] = &["minicom", "nc", "ncat", "netcat", "screen", "telnet", "tmux"];

/// How lines begin after which the next ones mean something else, in a shell and in Python.
const LASTS: &[&str] = &["cd ", "export ", "from ", "import "];

/// What ends a line that a program is handed which another one was told to start.
const END: &str = "END_OF_LINE";

/// Whether a line begins with the name of a program.
pub(super) fn is_program(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    programs::program(first.rsplit('/').next().unwrap_or(first)).is_some()
}

impl Interpreter<'_, '_, '_> {
    /// What a function gives that started a program: what it prints and, where it goes on, the program itself.
    pub(super) fn started(&mut self, path: &str, started: Started, printed: Text) -> Value {
        let last = path.rsplit('.').next().unwrap_or_default();
        if !GO_ON.contains(&last) || !printed.has_unknown() && !printed.is_empty() {
            return Value::Text(printed);
        }
        if self.programs.len() >= STARTED {
            let span = match &started {
                Started::Words(words) => words.first().map_or(Span::default(), |word| word.span),
                Started::Line(_, span) => *span,
            };
            self.walk.gap(span, GapReason::Limit);
            return Value::Text(printed);
        }
        let name = format!("{MARK}{} prints", self.programs.len());
        self.programs.push(started);
        Value::Text(printed.derive([Piece::Unknown(name.into())]))
    }

    /// What a method tells a program: `p.stdin.write(x)`, `p.communicate(x)`. Whether the value that it is called on stands for what it gives.
    pub(super) fn tells_program(&mut self, receiver: &Value, name: &str, given: &[Given]) -> bool {
        let is_input = matches!(
            name,
            "communicate"
                | "end"
                | "print"
                | "puts"
                | "send"
                | "send_all"
                | "sendline"
                | "write"
                | "writelines"
                | "write_line"
        );
        let Some(number) = self.program(receiver) else { return false };
        // The number of the stream stands for it: `os.write(p.stdin.fileno(), x)`.
        if !is_input {
            return name == "fileno";
        }
        let mut input = Text::default();
        for given in
            given.iter().filter(|given| given.name.as_deref().is_none_or(|it| it == "input"))
        {
            match &given.value {
                Value::List(list) => list.iter().for_each(|value| input.append(&value.text())),
                // A function that is called when it is written.
                Value::Function(_) => {}
                value => input.append(&value.text()),
            }
        }
        if input.is_empty() {
            return false;
        }
        if matches!(name, "send" | "send_all" | "sendline" | "write" | "writelines") {
            self.feed_line(number, &input);
            // A terminal may lead anywhere where lines are commands, unless its program is one that only shows them.
            let is_terminal = matches!(name, "send" | "sendline") && self.language == "python";
            if is_terminal && !self.reads_otherwise(number) {
                let span = given.first().map_or(Span::default(), |given| given.span);
                drop(self.run_shell(&input, span, None));
            }
        } else {
            self.feed(number, &input);
        }
        true
    }

    /// Whether it is known what a program that was started does with what it reads.
    fn reads_otherwise(&self, number: usize) -> bool {
        let name = match self.programs.get(number) {
            Some(Started::Words(words)) => words.first().map(|word| word.text.known_prefix()),
            Some(Started::Line(line, _)) => line.known_prefix().split_whitespace().next(),
            None => None,
        };
        let name = name.map(|name| name.rsplit('/').next().unwrap_or(name));
        let is_known = |name: &str| {
            language(name).is_some()
                || programs::program(name)
                    .is_some_and(|program| !matches!(program.does, Does::Operates))
        };
        name.is_some_and(|name| !TERMINALS.contains(&name) && is_known(name))
    }

    /// `pexpect.spawn("ssh", ["host"])`: a program that is told line by line.
    pub(super) fn driven(
        &mut self,
        path: &str,
        program: &Given,
        listed: Option<&Given>,
        span: Span,
    ) -> Value {
        let value = match listed.map(|it| &it.value) {
            Some(Value::List(rest)) => {
                Value::List([&program.value].into_iter().chain(rest).cloned().collect())
            }
            _ => program.value.clone(),
        };
        let printed = self.shell_or_words(&value, program.span, span, None, None);
        let started = match &value {
            Value::List(_) => Started::Words(self.words([(&value, program.span)].into_iter())),
            line => Started::Line(line.text(), program.span),
        };
        self.started(path, started, printed)
    }

    /// The program is told one line more. What it was told to start before may be what reads it.
    fn feed_line(&mut self, number: usize, input: &Text) {
        /// How many lines are remembered, and how many programs that may read this one.
        const LINES: usize = 256;
        const READERS: usize = 16;
        /// How often that is done in one script.
        const FED: usize = 512;
        let (mut before, mut readers) = (String::new(), BTreeSet::new());
        for (_, line) in self.lines_told.iter().filter(|told| told.0 == number) {
            if LASTS.iter().any(|word| line.starts_with(word)) {
                // It stays so for the lines behind it.
                before.push_str(line);
                before.push('\n');
            } else if is_program(line) {
                readers.insert(format!("{before}{line}"));
            }
        }
        let mut whole = Text::known(before);
        whole.append(input);
        self.feed(number, &whole);
        if readers.len() > READERS {
            self.limit();
        }
        for reader in readers.into_iter().leading(READERS) {
            if self.readers_fed >= FED {
                self.limit();
                break;
            }
            self.readers_fed += 1;
            // A shell gives it to that program; whatever else reads lines makes nothing of it.
            let mut inside = Text::known(format!("{reader} <<'{END}'\n"));
            inside.append(input);
            inside.push_known(&format!("\n{END}\n"));
            self.feed(number, &inside);
        }
        if let Some(line) = input.as_known().map(str::trim).filter(|line| !line.is_empty()) {
            if self.lines_told.len() < LINES {
                self.lines_told.push((number, line.to_owned()));
            } else {
                self.limit();
            }
        }
    }

    /// What a function hands to a program: `os.write(p.stdin.fileno(), x)`, `shutil.copyfileobj(x, p.stdin)`.
    pub(super) fn hands_to_program(&mut self, path: &str, given: &[Given]) {
        let (("os.write", [to, content, ..]) | ("shutil.copyfileobj", [content, to, ..])) =
            (path, given)
        else {
            return;
        };
        if let Some(number) = self.program(&to.value) {
            self.feed(number, &content.value.text());
        }
    }

    /// The program that a value is, or is a stream of.
    pub(super) fn program(&self, value: &Value) -> Option<usize> {
        match value {
            Value::Method(method) => self.program(&method.0),
            Value::Any(list) => list.iter().find_map(|value| self.program(value)),
            Value::List(list) => list.first().and_then(|value| self.program(value)),
            Value::Text(text) | Value::Name(_, text) => text.pieces.iter().find_map(|piece| {
                let Piece::Unknown(name) = piece else { return None };
                let number = name.strip_prefix(MARK)?.strip_suffix(" prints")?;
                number.parse().ok().filter(|number| *number < self.programs.len())
            }),
            _ => None,
        }
    }

    /// The program is handed more.
    pub(super) fn feed(&mut self, number: usize, input: &Text) {
        match self.programs.get(number).cloned() {
            Some(Started::Words(words)) => drop(self.run_words(&words, Some(input.clone()))),
            Some(Started::Line(line, span)) => {
                drop(self.run_shell(&line, span, Some(input.clone())));
            }
            None => {}
        }
    }

    /// A stream is led into another one: into a connection it is sent.
    pub(super) fn piped(&mut self, content: &Text, to: &Value, span: Span) {
        const CONNECTIONS: &[&str] = &[
            "axios",
            "dgram",
            "got",
            "http",
            "http2",
            "https",
            "needle",
            "net",
            "request",
            "superagent",
            "tls",
            "undici",
            "ws",
        ];
        if let Some(number) = self.program(to) {
            self.feed(number, content);
            return;
        }
        // `response.pipe(fs.createWriteStream(path))`
        if let Value::File(index) = to {
            self.write_file(*index, content);
            return;
        }
        self.unpacked(content, to, span);
        let Value::Name(path, address) = to else { return };
        let root = path.split(['.', '(']).next().unwrap_or_default();
        // A server of the program's own answers whoever asks it.
        if !path.contains("()") || path.contains("erver") || !CONNECTIONS.contains(&root) {
            return;
        }
        self.flush();
        let known = [&self.peer, address].into_iter().find(|text| !text.is_empty()).cloned();
        let address = known.unwrap_or_else(|| Text::unknown("a connection"));
        self.walk.connect(&Argument { text: address, span }, Some(content.clone()), false);
    }
}
