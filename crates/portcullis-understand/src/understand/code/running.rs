//! Programs and code that code starts. Owns how words and texts become a command, and what a shell on a connection is.

use portcullis_syntax::Span;

use super::{
    interpreter::Interpreter,
    value::{Value, mixed},
};
use crate::{
    effect::{Argument, GapReason},
    programs::host::Host,
    text::{Piece, Taint, Text},
};

/// How the functions of libraries end that say where a program is: `imageio_ffmpeg.get_ffmpeg_exe()`.
const LOCATORS: &[&str] = &["_binary", "_bin", "_exe", "_executable", "_path"];

impl Interpreter<'_, '_, '_> {
    /// Runs a text as shell code, or a list as words.
    pub(super) fn shell_or_words(
        &mut self,
        value: &Value,
        at: Span,
        whole: Span,
        input: Option<Text>,
        shell: Option<Value>,
    ) -> Text {
        match value {
            Value::List(list) => {
                let through_shell =
                    self.language == "python" && shell.is_some_and(|shell| shell.is_true());
                if through_shell && let Some(first) = list.first() {
                    return self.run_shell(&first.text(), at, input);
                }
                let mut words = self.words([(value, at)].into_iter());
                if let (Some(Value::Name(path, text)), Some(program)) =
                    (list.first(), words.first_mut())
                    && text.taint == Taint::NONE
                    && locates_program(path)
                {
                    program.text = Text::known(&**path);
                    self.run_as_code(&words);
                }
                self.run_words(&words, input)
            }
            value => {
                let text = value.text();
                let at = if at.is_empty() { whole } else { at };
                self.run_shell(&text, at, input)
            }
        }
    }

    /// Runs shell code.
    pub(super) fn run_shell(&mut self, text: &Text, span: Span, input: Option<Text>) -> Text {
        self.flush();
        self.notice_shell(text, span);
        self.made_by_script([text], span);
        let outer = self.walk.in_closed_script(false);
        let printed = self.walk.shell(text, span, &[], input);
        self.walk.in_closed_script(outer);
        printed
    }

    /// A command that a script makes of nothing but what stands in it, in a way that is not followed, is not understood.
    fn made_by_script<'t>(&mut self, texts: impl IntoIterator<Item = &'t Text>, span: Span) {
        let is_read = matches!(self.language, "python" | "javascript");
        if is_read && texts.into_iter().any(|text| self.walk.is_of_script(text)) {
            self.walk.gap(span, GapReason::UnknownCode);
        }
    }

    /// A program that only a library can name may be a shell: what it would be given as code then.
    fn run_as_code(&mut self, words: &[Argument]) {
        for pair in words.windows(2) {
            if let [option, code] = pair
                && matches!(option.text.as_known(), Some("-c" | "-lc" | "-e" | "/c" | "/C"))
            {
                self.walk.at_likely(|walk| walk.shell(&code.text, code.span, &[], None));
            }
        }
    }

    pub(super) fn run_words(&mut self, words: &[Argument], input: Option<Text>) -> Text {
        self.flush();
        if let Some(first) = words.first() {
            let (text, span) = (first.text.clone(), first.span);
            let told = words.iter().skip(1).any(|word| {
                let word = word.text.known_prefix();
                !word.starts_with('-') || word.contains('c')
            });
            let before = self.seen.untold;
            self.notice_shell(&text, span);
            if told {
                self.seen.untold = before;
            }
            self.made_by_script(words.iter().map(|word| &word.text), span);
        }
        let outer = self.walk.in_closed_script(false);
        let printed = self.walk.run(words, input);
        self.walk.in_closed_script(outer);
        printed
    }

    /// A shell on a connection, or a command that came over it, hands over control.
    fn notice_shell(&mut self, text: &Text, span: Span) {
        let program = text.known_prefix().split_whitespace().next().unwrap_or_default();
        let name = program.rsplit('/').next().unwrap_or_default();
        let shell = matches!(
            name,
            "sh" | "bash"
                | "zsh"
                | "dash"
                | "ash"
                | "ksh"
                | "cmd"
                | "cmd.exe"
                | "powershell"
                | "powershell.exe"
                | "csh"
                | "tcsh"
                | "fish"
                | "busybox"
        );
        if shell {
            self.seen.spawns = Some(span);
            // Somebody is to type into it: `bash -i`.
            let waits = text.as_known().is_some_and(|known| {
                let mut words = known.split_whitespace().skip(1).peekable();
                words.peek().is_some()
                    && words
                        .all(|word| matches!(word, "-i" | "-l" | "-p" | "-il" | "-li" | "--login"))
            });
            if waits {
                self.walk.note("execution.shell.escape", span);
            }
        }
        let remote = text.pieces.iter().all(|piece| matches!(piece, Piece::Unknown(_)))
            && text.taint.has(Taint::NETWORK);
        let plumbed = shell
            && (self.raw_socket || self.source.contains("net.createServer("))
            && (self.source.contains("stdin")
                || self.source.contains("pipe(")
                || text.display().contains("<&"));
        if (self.raw_socket && remote) || plumbed {
            let rule = if self.seen.listens || !self.raw_socket {
                "code.shell.bind"
            } else {
                "code.shell.reverse"
            };
            self.walk.note(rule, span);
        } else if shell && self.source.contains("stdin") && self.source.contains("pipe(") {
            let told = text.as_known().is_none_or(|known| {
                known
                    .split_whitespace()
                    .skip(1)
                    .any(|word| !word.starts_with('-') || word.contains('c'))
            });
            if !told {
                self.seen.untold = Some(span);
            }
        }
    }

    pub(super) fn words<'v>(
        &self,
        values: impl Iterator<Item = (&'v Value, Span)>,
    ) -> Vec<Argument> {
        let mut words = Vec::new();
        for (value, span) in values {
            match value {
                Value::List(list) => {
                    for value in list {
                        words.push(Argument { text: value.text(), span });
                    }
                }
                Value::Table(_) | Value::Function(_) => {}
                value => words.push(Argument { text: value.text(), span }),
            }
        }
        words
    }

    pub(super) fn run_code(
        &mut self,
        path: &str,
        language: &'static str,
        value: &Value,
        span: Span,
    ) -> Value {
        let mut result = None;
        for value in value.alternatives() {
            let text = match &value {
                Value::Text(text) => text.clone(),
                Value::Name(name, text) => {
                    // Only a name: an object, as `eval(compile(…))`, whose code was read already, or something unknown.
                    if name.contains("compile()") {
                        continue;
                    }
                    text.derive([Piece::Unknown(name.as_ref().into())])
                }
                Value::Function(index) => {
                    self.apply(*index, None);
                    continue;
                }
                Value::Table(_) | Value::File(_) | Value::Number(_) => continue,
                other => other.text(),
            };
            // Whether it can be compiled is all that is asked where nobody takes what comes out.
            if path == "compile"
                && (text.as_known().is_none() && self.is_dropped() || self.is_only_compiled())
            {
                continue;
            }
            self.flush();
            if language == "python"
                && text.as_known().is_some_and(|known| known.contains("__import__"))
            {
                self.walk.note("code.evaluate.import", span);
            }
            let code = if language == "javascript" || language == "python" {
                trimmed(&text)
            } else {
                text.clone()
            };
            self.walk.code(language, &code, span, &[]);
            let value = match (path, text.as_known()) {
                // The value of an expression such as `eval("__import__('os').system")`.
                ("eval", Some(known)) if known.len() < 256 => self.value_of(known),
                _ => Value::Text(mixed("a value", [&Value::Text(text)])),
            };
            result = Some(match result {
                None => value,
                Some(before) => Value::or(before, value),
            });
        }
        if path == "compile" {
            // What is known of it, is run with the names that it is handed.
            let known = value.as_known().map(Text::known);
            return Value::reached("compile()", known.unwrap_or_default());
        }
        result.unwrap_or_else(|| Value::unknown("a value"))
    }
}

/// Whether a path is the call of such a function. Calling it runs the library's code already, so that running the program which it
/// names is no more than that.
fn locates_program(path: &str) -> bool {
    let function = path.strip_suffix("()").filter(|path| !path.contains('('));
    function.is_some_and(|function| {
        let library = function.split('.').next().unwrap_or_default();
        function.contains('.')
            && !matches!(library, "os" | "sys" | "tempfile" | "site" | "sysconfig")
            && LOCATORS.iter().any(|end| function.ends_with(end))
            && !["download", "fetch", "install"].iter().any(|act| function.contains(act))
    })
}

/// Without the blanks that may stand in front of code in a string.
fn trimmed(text: &Text) -> Text {
    match text.as_known() {
        Some(known) => text.derive([Piece::Known(known.trim().to_owned())]),
        None => text.clone(),
    }
}
