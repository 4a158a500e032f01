//! Code that is run: other programs, shell code, scripts and code in other languages. Owns how each becomes a layer of its own, and what is a copy of
//! somebody's file; what stands in it is read by `statements` and by the readers of the languages.

use portcullis_syntax::{Span, shell};

use super::{placeholder, streams::Sink, walk::Walk};
use crate::{
    bound::Bounded as _,
    effect::{
        Argument, Certainty, Effect, EffectId, EffectKind, GapReason, LayerId, Location, WriteMode,
    },
    programs::{self, escapes, host::Host},
    text::{Piece, Taint, Text},
    understand::code,
};

impl Walk<'_> {
    /// Reads the whole of the current layer as a shell script, with the functions that nothing called.
    pub(in crate::understand) fn script_text(&mut self, text: &str) {
        let printed = self.own_shell(|walk| walk.parse_and_walk(text));
        self.show(&printed);
        let by_name = self.runs_by_unknown_name();
        for function in self.state.uncalled() {
            // What a file only defines is there for whoever wants it.
            let at = Location { layer: function.layer, span: function.body.span };
            if !by_name && self.recorder.effects.in_file(at).is_some() {
                continue;
            }
            let certainty = std::mem::replace(&mut self.recorder.certainty, Certainty::Possible);
            let layer = std::mem::replace(&mut self.recorder.layer, function.layer);
            self.command(&function.body);
            self.recorder.layer = layer;
            self.recorder.certainty = certainty;
        }
    }

    /// Whether a file runs what some variable names, which may be one of its functions.
    pub(super) fn runs_by_unknown_name(&self) -> bool {
        self.recorder.effects.unfollowed.iter().any(|gap| gap.reason == GapReason::UnknownProgram)
    }

    /// The program runs another program: name and arguments; gives what that one prints.
    pub fn run(&mut self, words: &[Argument], input: Option<Text>) -> Text {
        let span = words.first().map_or(Span::default(), |word| word.span);
        if !self.enter_level(span) {
            return Text::unknown("a program");
        }
        self.running.expect_program(true);
        let printed = self.run_words(words.to_vec(), input, Vec::new());
        self.running.expect_program(false);
        self.leave_level();
        printed
    }

    /// The program runs `code` as shell code with `arguments` as `$0`, `$1`…; gives what it prints.
    pub fn shell(
        &mut self,
        code: &Text,
        span: Span,
        arguments: &[Argument],
        input: Option<Text>,
    ) -> Text {
        let positional = arguments.iter().map(|argument| argument.text.clone()).collect();
        let mark = self.state.mark();
        self.state.keep_exported();
        let outer = self.starts_shell();
        let printed = self.shell_code(code, span, Some(positional), input);
        self.builtins.shells.return_to(outer);
        self.state.roll_back(mark);
        printed
    }

    /// `eval`, `source`, traps: shell code in the same shell, which sees and changes the same variables.
    pub(super) fn same_shell(&mut self, code: &Text, span: Span) -> Text {
        let input = self.input.clone();
        self.shell_code(code, span, None, input)
    }

    pub(super) fn shell_code(
        &mut self,
        code: &Text,
        span: Span,
        positional: Option<Vec<Text>>,
        input: Option<Text>,
    ) -> Text {
        self.emit(EffectKind::Execute { language: "shell", code: code.clone() }, span);
        let joined = self.joined_code(code, span);
        let code = joined.as_ref().unwrap_or(code);
        if matches!(code.pieces.as_slice(), [Piece::Unknown(_) | Piece::Glob(_)]) {
            let copied = self.copied_file(code);
            let is_script =
                copied.as_deref().is_some_and(|path| self.is_script_of("shell", path, code));
            if let Some(path) = &copied
                && let Some(printed) = self.run_file("shell", path, span, &[], input.clone())
            {
                return printed;
            }
            self.lines_run(code, span);
            self.taken_from("shell", code, span);
            if Self::is_foreign(code) {
                self.question(span, GapReason::UnknownCode);
            } else if !is_script && !self.is_printed_for_shells(code) {
                self.gap(span, GapReason::UnknownCode);
            }
            let mut printed = Text::unknown("unknown code");
            printed.inherit(code);
            return printed;
        }
        let put_in = self.put_in(code).filter(|lines| {
            // A line with the name of a program that rules know could be half of a command.
            let apart = |letter: char| !(letter.is_alphanumeric() || "_-.+".contains(letter));
            !lines
                .known_prefix()
                .split(apart)
                .any(|word| programs::notable::names(word) || programs::program(word).is_some())
        });
        let text = self.recorder.embed(put_in.as_ref().unwrap_or(code));
        let Some(outer) = self.enter_layer(&text, span) else { return Text::unknown("a script") };
        let input = std::mem::replace(&mut self.input, input);
        let mark = self.state.mark();
        let own_shell = positional.is_some();
        if let Some(positional) = positional {
            self.state.set_positional(positional);
        }
        let printed = if own_shell {
            self.own_shell(|walk| walk.parse_and_walk(&text))
        } else {
            self.parse_and_walk(&text)
        };
        if own_shell {
            self.state.roll_back(mark);
        }
        self.input = input;
        self.leave_layer(outer);
        printed
    }

    /// As [`Walk::code`], with what arrives on the program's standard input.
    pub fn code_with_input(
        &mut self,
        language: &'static str,
        code: &Text,
        span: Span,
        arguments: &[Argument],
        input: Option<Text>,
    ) -> Text {
        if language == "shell" {
            return self.shell(code, span, arguments, input);
        }
        let (text, outer) = match self.enter_code(language, code, span, arguments, input.clone()) {
            Ok(entered) => entered,
            Err(printed) => return printed,
        };
        // Code that stands in no file loads its modules from where it runs.
        if let Some(directory) = self.directory().map(str::to_owned) {
            programs::started::imports::follow(self, language, &directory, &text);
        }
        let mut written = code::understand(self, language, &text, arguments, input);
        self.leave_layer(outer);
        if programs::environment::read_by(language, code) {
            written.taint = written.taint.with(Taint::SECRET);
        }
        written
    }

    /// Says that code is run, and makes it the layer that spans point into: gives its source and the layer around it. Where
    /// there is nothing to read, what it prints.
    pub(in crate::understand) fn enter_code(
        &mut self,
        language: &'static str,
        code: &Text,
        span: Span,
        arguments: &[Argument],
        input: Option<Text>,
    ) -> Result<(String, LayerId), Text> {
        self.emit(EffectKind::Execute { language, code: code.clone() }, span);
        let joined = self.joined_code(code, span);
        let code = joined.as_ref().unwrap_or(code);
        let mut printed = Text::unknown(language);
        printed.inherit(code);
        if matches!(code.pieces.as_slice(), [Piece::Unknown(_) | Piece::Glob(_)]) {
            let copied = self.copied_file(code);
            let is_script =
                copied.as_deref().is_some_and(|path| self.is_script_of(language, path, code));
            if let Some(path) = &copied
                && let Some(printed) = self.run_file(language, path, span, arguments, input)
            {
                return Err(printed);
            }
            self.taken_from(language, code, span);
            if Self::is_foreign(code) {
                self.question(span, GapReason::UnknownCode);
            } else if !is_script {
                self.gap(span, GapReason::UnknownCode);
            }
            return Err(printed);
        }
        let put_in = self.put_in(code);
        let text = self.recorder.embed(put_in.as_ref().unwrap_or(code));
        match self.enter_layer(&text, span) {
            Some(outer) => Ok((text, outer)),
            None => Err(printed),
        }
    }

    /// Code is a part of what was read from files of data, and nobody knows which: what in them would act as code of the language may run.
    fn taken_from(&mut self, language: &'static str, code: &Text, span: Span) {
        /// How many files are looked through, and how many places in each.
        const FILES: usize = 4;
        const PARTS: usize = 16;
        let origins = self.recorder.effects.origins(code).into_iter();
        let paths: Vec<String> = origins
            .filter_map(|effect| match &effect.kind {
                EffectKind::Read(target) => target.path.clone(),
                _ => None,
            })
            .collect();
        for path in paths.into_iter().at_most(FILES, self, span) {
            let Some(file) = self.look(&path).file() else { continue };
            for part in acting_parts(language, &file.text).into_iter().at_most(PARTS, self, span) {
                let part = Text::known(part);
                self.at_most(Certainty::Likely, |walk| walk.code(language, &part, span, &[]));
            }
        }
    }

    /// Whether code is what one known program prints to set up a shell: `eval "$(pyenv init -)"`. It must be the program that
    /// is called so, found where this call did not say to look.
    fn is_printed_for_shells(&self, code: &Text) -> bool {
        let ([Piece::Unknown(_)], [source]) = (code.pieces.as_slice(), code.sources.as_slice())
        else {
            return false;
        };
        let printer =
            usize::try_from(source.0).ok().and_then(|at| self.recorder.effects.list.get(at));
        let Some(Effect { kind: EffectKind::Run(run), certainty, .. }) = printer else {
            return false;
        };
        *certainty > Certainty::Possible
            && code.taint == Taint::NONE
            && !["PATH", "BASH_ENV", "LD_PRELOAD"].iter().any(|name| self.variable_set(name).is_some())
            && !self.recorder.effects.list.iter().any(|effect| {
                matches!(&effect.kind, EffectKind::Environment { name, .. } if name == "PATH")
            })
            && !self.has_executables()
            && !self.recorder.effects.list.iter().any(|effect| {
                matches!(&effect.kind, EffectKind::Run(other) if matches!(other.program.as_str(), "alias" | "enable" | "hash"))
            })
            && programs::prints_for_shells(run)
    }

    /// The lines that were put into a file of which nothing else is known.
    fn put_in(&self, code: &Text) -> Option<Text> {
        let [origin @ Piece::Unknown(_), Piece::Known(lines)] = code.pieces.as_slice() else {
            return None;
        };
        let is_told = lines.starts_with('\n') && self.is_copy(&code.derive([origin.clone()]));
        is_told.then(|| code.derive([Piece::Known(lines.clone())]))
    }

    /// Whether a file is called as scripts of a language are, and lies on this machine: `cat x.sh | sh` does what `sh x.sh` does.
    fn is_script_of(&self, language: &str, path: &str, code: &Text) -> bool {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let endings: &[&str] = match language {
            "shell" => &["bash", "sh", "zsh"],
            "python" => &["py"],
            "javascript" => &["cjs", "js", "mjs", "ts"],
            "powershell" => &["ps1"],
            "ruby" => &["rb"],
            "perl" => &["pl"],
            "php" => &["php"],
            _ => &[],
        };
        // `\\SERVER\SHARE\x.ps1`
        let is_elsewhere = |origin: &str| origin.starts_with("//") || origin.starts_with("\\\\");
        let is_brought =
            self.is_brought(Some(path)) || self.facts().session.cloned().next().is_some();
        !is_brought
            && endings.contains(&ending.to_ascii_lowercase().as_str())
            && !code
                .pieces
                .iter()
                .any(|piece| matches!(piece, Piece::Unknown(origin) if is_elsewhere(origin)))
    }

    /// Whether code is what was in one file before, as it stood there: a copy is run as the file itself would be, and that is
    /// somebody's program and no gap (see [`Walk::script`]). Whatever changes a text calls its output after itself.
    pub(crate) fn is_copy(&self, code: &Text) -> bool {
        let [Piece::Unknown(origin)] = code.pieces.as_slice() else { return false };
        if code.is_joined() || code.taint.has(Taint::DECODED) || code.taint.has(Taint::SECRET) {
            return false;
        }
        let effect = |id: &EffectId| self.recorder.effects.list.get(usize::try_from(id.0).ok()?);
        let is_read = code.sources.iter().filter_map(effect).any(|effect| match &effect.kind {
            EffectKind::Read(target) => {
                let is_file = target.path.as_deref().is_some_and(|path| {
                    (!path.contains(['*', '?', '[']) || self.is_edited(path))
                        && !["/dev/", "/proc/", "/sys/"].iter().any(|top| path.starts_with(top))
                });
                is_file && target.text.as_pattern().as_deref() == Some(origin)
            }
            _ => false,
        });
        // A program that has the file's name could have printed it.
        is_read
            && (origin.contains('/')
                || !code.sources.iter().filter_map(effect).any(
                    |effect| matches!(&effect.kind, EffectKind::Run(run) if *run.program == **origin),
                ))
    }

    /// Whether files that a pattern names were changed each in its place and nowhere else: then no text is made of several.
    fn is_edited(&self, pattern: &str) -> bool {
        let mut written =
            self.recorder.effects.list.iter().filter_map(|effect| match &effect.kind {
                EffectKind::Write { target, mode, .. } => Some((target, *mode)),
                _ => None,
            });
        let mut is_there = false;
        written.all(|(target, mode)| {
            let is_it = target.path.as_deref() == Some(pattern) && mode == WriteMode::Edit;
            is_there |= is_it;
            is_it || mode != WriteMode::Edit && target.text.as_known().is_some()
        }) && is_there
    }

    /// Whether the content of a file is what stood there before, changed: it comes from the file itself and from nothing that is hidden or
    /// far away.
    pub(crate) fn is_edit_of(&self, path: &str, content: &Text) -> bool {
        let is_foreign =
            [Taint::NETWORK, Taint::DECODED, Taint::SECRET].iter().any(|it| content.taint.has(*it));
        let reads = |id: &EffectId| {
            self.recorder.effects.list.get(id.0 as usize).is_some_and(|effect| {
                matches!(&effect.kind, EffectKind::Read(target) if target.path.as_deref() == Some(path))
            })
        };
        content.has_unknown() && !is_foreign && content.sources.iter().any(reads)
    }

    /// The program runs a file as a script in `language`; its own first line or name is obeyed where the language is
    /// `shell`. A file that this call did not write is somebody's program, not a gap.
    pub fn script(
        &mut self,
        language: &'static str,
        file: &Argument,
        arguments: &[Argument],
        input: Option<Text>,
    ) -> Text {
        let has_words = std::mem::take(&mut self.sources.imports.has_words);
        let named = file.text.known_prefix();
        if language != "shell" && ["http://", "https://"].iter().any(|it| named.starts_with(it)) {
            let code = self.connect(file, None, false);
            return self.code_with_input(language, &code, file.span, arguments, input);
        }
        let target = self.followed(&file.text);
        self.provenance.runs(target.path.as_deref());
        let path = target.path.as_deref();
        let versions = path
            .and_then(|path| self.descriptor(path))
            .map(|content| vec![content])
            .or_else(|| path.and_then(|path| self.state.file(path)).map(<[_]>::to_vec))
            .or_else(|| path.and_then(|path| self.state.files_like(path)))
            .or_else(|| path.and_then(|path| self.state.file_within(path)));
        let Some(versions) = versions else {
            let mut code = Text::unknown(&file.text.display());
            code.inherit(&file.text);
            code.taint = code.taint.with(Taint::FILE).with(self.left_earlier(&target));
            if self.is_brought(target.path.as_deref()) {
                code.taint = code.taint.with(Taint::NETWORK);
            }
            let path = target.path.clone();
            let id = self.emit(EffectKind::Read(target), file.span);
            code.sources.push(id);
            self.emit(EffectKind::Execute { language, code: code.clone() }, file.span);
            if let Some(paths) = self.matching(&file.text, file.span) {
                for path in paths {
                    self.at_most(Certainty::Likely, |walk| {
                        walk.run_file(language, &path, file.span, arguments, input.clone())
                    });
                }
                return code;
            }
            let printed = path.and_then(|path| {
                self.sources.imports.has_words = has_words;
                let printed = self.run_file(language, &path, file.span, arguments, input);
                self.sources.imports.has_words = false;
                printed
            });
            return printed.unwrap_or(code);
        };
        let mut printed = Text::default();
        let edited = target
            .path
            .clone()
            .filter(|path| versions.last().is_some_and(|content| self.is_edit_of(path, content)));
        if let Some(path) = edited {
            // What was changed stands beside it; the rest is as it was.
            self.run_file(language, &path, file.span, arguments, input.clone());
        }
        for content in versions {
            if self.is_copy(&content) {
                self.emit(EffectKind::Execute { language, code: content.clone() }, file.span);
                let more = self.copied_file(&content).and_then(|path| {
                    self.run_file(language, &path, file.span, arguments, input.clone())
                });
                printed.append(&more.unwrap_or(content));
                continue;
            }
            let language = language_of(language, &file.text.display(), &content);
            let more = if language == "shell" {
                let mut given = vec![file.clone()];
                given.extend_from_slice(arguments);
                self.shell(&content, file.span, &given, input.clone())
            } else {
                self.code_with_input(language, &content, file.span, arguments, input.clone())
            };
            printed.append(&more);
        }
        printed
    }

    /// A shell is started without anything to run: it takes its orders from whoever is there. That is what a terminal is
    /// for; another program has no reason to.
    pub(crate) fn interactive_shell(&mut self, span: Span) {
        const ORDINARY: &[&str] = &[
            "buildah",
            "docker",
            "distrobox",
            "lxc",
            "lxc-attach",
            "nerdctl",
            "podman",
            "screen",
            "tmux",
            "toolbox",
            "unbuffer",
            "vagrant",
            "xterm",
        ];
        // The shell's own words for starting a program are no program that starts it.
        let started_by = self
            .running
            .innermost()
            .find(|program| !escapes::is_shell(program) && !programs::hands_all_on(program));
        let enters = |program: &str| {
            ORDINARY.contains(&program)
                || programs::cards::card(program).is_some_and(|card| !card.enters.is_empty())
        };
        if started_by.is_some_and(|program| !enters(program)) {
            self.note("execution.shell.escape", span);
        }
    }

    pub(super) fn parse_and_walk(&mut self, text: &str) -> Text {
        let script = shell::parse(text);
        // Some shells drop this byte and some stop at it, so what stands around it may be read in two ways.
        if let Some(at) = text.find('\0') {
            self.gap(Span::new(at, at + 1), GapReason::Unparsed);
        }
        for unparsed in &script.unparsed {
            match unparsed.reason {
                shell::UnparsedReason::Syntax | shell::UnparsedReason::Unclosed => {
                    self.gap(unparsed.span, GapReason::Unparsed);
                }
                shell::UnparsedReason::TooDeep
                | shell::UnparsedReason::TooManyNodes
                | shell::UnparsedReason::TooLong => self.left_unread(unparsed.span),
            }
        }
        let mark = self.streams.waiting();
        let printed = self.statements(&script.body);
        if let Some(filled) = placeholder::filled(text) {
            let before = self.state.mark();
            self.at_likely(|walk| walk.statements(&shell::parse(&filled).body));
            self.state.roll_back(before);
        }
        // A process that is fed by a program which we did not see writing to it runs all the same.
        while let Some(sink) = self.streams.take_waiting(mark) {
            let mut content = sink.content.clone().unwrap_or_default();
            if sink.content.is_none() || self.streams.holds_open(&sink.path) {
                content.append(&Text::unknown("a program"));
            }
            self.feed(&sink, content);
        }
        printed
    }

    pub(super) fn feed(&mut self, sink: &Sink, content: Text) {
        let input = self.input.replace(content);
        let layer = std::mem::replace(&mut self.recorder.layer, sink.layer);
        let mark = self.state.mark();
        self.statements(&sink.body);
        self.state.roll_back(mark);
        self.recorder.layer = layer;
        self.input = input;
    }
}

/// The language of a script: its first line, then its name, then what the program that runs it speaks.
pub(super) fn language_of(otherwise: &'static str, name: &str, content: &Text) -> &'static str {
    if otherwise != "shell" {
        return otherwise;
    }
    if let Some(line) = content.known_prefix().strip_prefix("#!") {
        let line = line.lines().next().unwrap_or("");
        for (word, language) in LANGUAGES {
            if line.contains(word) {
                return language;
            }
        }
    }
    match name.rsplit_once('.') {
        Some((_, "py")) => "python",
        Some((_, "pl")) => "perl",
        Some((_, "rb")) => "ruby",
        Some((_, "js" | "mjs" | "cjs" | "ts")) => "javascript",
        Some((_, "php")) => "php",
        Some((_, "lua")) => "lua",
        Some((_, "tcl" | "exp")) => "tcl",
        Some((_, "r" | "R")) => "r",
        _ => "shell",
    }
}

/// The word in a `#!` line that names a language.
const LANGUAGES: &[(&str, &str)] = &[
    ("python", "python"),
    ("perl", "perl"),
    ("ruby", "ruby"),
    ("node", "javascript"),
    ("deno", "javascript"),
    ("bun", "javascript"),
    ("php", "php"),
    ("lua", "lua"),
    ("awk", "awk"),
    ("expect", "tcl"),
    ("tclsh", "tcl"),
    ("Rscript", "r"),
    ("pwsh", "powershell"),
];

/// The parts of a text of data that call something by which code acts; for a shell, its values that are more than a word.
fn acting_parts(language: &str, text: &str) -> Vec<String> {
    let begins: &[&str] = match language {
        "python" => &["__import__(", "exec(", "eval(", "os.", "subprocess.", "shutil.", "open("],
        "javascript" => &["require(", "process.", "import(", "fetch(", "globalThis."],
        "ruby" => &["system(", "exec(", "`", "IO.popen(", "File.", "FileUtils."],
        "shell" => {
            let values = text.split(['"', '\n']).map(str::trim);
            let is_line = |value: &&str| value.contains(' ') && !value.contains(": ");
            return values.filter(is_line).map(str::to_owned).collect();
        }
        _ => &[],
    };
    let mut parts = Vec::new();
    for line in text.lines() {
        let Some(at) = begins.iter().filter_map(|word| line.find(word)).min() else { continue };
        // What closes a mark of the data around it is not the code's.
        let part = line.get(at..).unwrap_or_default();
        let mut depth = 0_usize;
        let end = part.char_indices().find(|(_, letter)| match letter {
            '(' | '[' | '{' => {
                depth += 1;
                false
            }
            ')' | ']' | '}' if depth == 0 => true,
            ')' | ']' | '}' => {
                depth -= 1;
                false
            }
            _ => false,
        });
        let end = end.map_or(part.len(), |(at, _)| at);
        parts.push(part.get(..end).unwrap_or(part).to_owned());
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::acting_parts;

    #[test]
    fn parts_of_data_that_act_are_found() {
        for (language, text, expected) in [
            (
                "python",
                "a b\n=[__import__(\"os\").popen(\"x\").read() or 1]\n",
                vec!["__import__(\"os\").popen(\"x\").read() or 1"],
            ),
            ("python", "=1+2\nplain words\n", vec![]),
            ("javascript", "{{ require('a').b(\"c\") }}", vec!["require('a').b(\"c\") "]),
            ("shell", "{\"cmd\": \"rm -rf x\", \"b\": \"c\"}", vec!["rm -rf x"]),
        ] {
            assert_eq!(acting_parts(language, text), expected, "{text}");
        }
    }
}
