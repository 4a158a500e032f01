//! Files that a call starts. Owns by which program each is read, and what is said of one that is not read.

use std::sync::Arc;

use portcullis_syntax::Span;

use super::{
    super::{code::language_of, walk::Walk},
    part_of,
};
use crate::{
    effect::{Argument, Certainty, Effect, EffectKind, GapReason, Location},
    facts::NotRead,
    place,
    programs::found::{File, Found, directory_of},
    text::{Piece, Text},
    understand::code,
};

impl Walk<'_> {
    /// Runs a file in a language; what was there before this call and was not read is somebody's program. Gives what it prints.
    pub(crate) fn run_file(
        &mut self,
        language: &'static str,
        path: &str,
        span: Span,
        arguments: &[Argument],
        input: Option<Text>,
    ) -> Option<Text> {
        match self.look(path) {
            Found::File(file) => self.run_text(language, &file, span, arguments, input),
            Found::NotRead(why) => {
                self.not_read(language, path, span, why);
                self.not_text(language, path, span, why);
                None
            }
            Found::Directory(_) if language == "python" => {
                let main = format!("{}/__main__.py", path.trim_end_matches('/'));
                self.run_file(language, &main, span, arguments, input)
            }
            Found::Nothing => {
                self.started_unseen(path, span);
                None
            }
            // `find DIRECTORY -type f -exec sh {} \;`: what lies in it, since a directory itself runs nowhere.
            Found::Directory(_) => {
                let name = Text::known(format!("{}/", path.trim_end_matches('/')));
                let mut all = name.clone();
                all.push(Piece::Glob("**".to_owned()));
                for path in self.matching(&all, span).unwrap_or_default() {
                    self.at_most(Certainty::Likely, |walk| {
                        walk.run_file(language, &path, span, arguments, input.clone())
                    });
                }
                None
            }
        }
    }

    /// A file is started: where contents were looked at and this one was not, it stands too far from what the call says.
    fn started_unseen(&mut self, path: &str, span: Span) {
        let is_looked_at = self.sources.are_read() || !self.facts.contents.is_empty();
        if is_looked_at && self.recorder.effects.wanted.contains(path) {
            self.left_unread(span);
        }
    }

    /// A file is started that was not read.
    pub(in super::super) fn not_read(
        &mut self,
        language: &'static str,
        path: &str,
        span: Span,
        why: NotRead,
    ) {
        let at = Location { layer: self.recorder.layer, span };
        self.starts(path, language, at, None);
        if matches!(why, NotRead::Special | NotRead::TooMuch | NotRead::Changing)
            && !self.is_settled(path)
            && !["/dev/", "/proc/"].iter().any(|top| path.starts_with(top))
        {
            self.question(span, GapReason::Limit);
        }
    }

    /// An interpreter is given a file that is no text by how it begins: it goes on to what it takes for code.
    fn not_text(&mut self, language: &'static str, path: &str, span: Span, why: NotRead) {
        /// What an interpreter is given in a form of its own.
        const COMPILED: &[&str] =
            &[".class", ".dll", ".exe", ".jar", ".node", ".phar", ".pyc", ".pyz", ".so", ".wasm"];
        if why == NotRead::Binary
            && !COMPILED.iter().any(|end| path.ends_with(end))
            && !matches!(language, "csharp" | "java")
        {
            self.question(span, GapReason::UnknownCode);
        }
    }

    /// Runs the text of a file in a language.
    pub(crate) fn run_text(
        &mut self,
        language: &'static str,
        file: &File,
        span: Span,
        arguments: &[Argument],
        input: Option<Text>,
    ) -> Option<Text> {
        let has_words = std::mem::take(&mut self.sources.imports.has_words);
        let text = Arc::clone(&file.text);
        let part = part_of(arguments.iter().map(|word| word.text.display()));
        // Of a program that has commands, those run that its words name.
        let chosen = (language == "python" && !arguments.is_empty())
            .then(|| {
                let words: Vec<String> = arguments.iter().map(|word| word.text.display()).collect();
                crate::programs::started::commands::chosen(&text, &words)
            })
            .flatten();
        let text = chosen.map_or(text, Arc::from);
        if language != "shell" {
            return self.in_part(file, part, language, span, |walk| {
                let directory = directory_of(&file.path);
                crate::programs::started::imports::follow(walk, language, directory, &text);
                walk.sent_by(language, file, span);
                walk.sources.imports.words_are_shared |= !has_words && text.contains("argv");
                let started = has_words.then(|| Arc::clone(&text));
                let outer = std::mem::replace(&mut walk.sources.imports.started, started);
                let printed = code::understand(walk, language, &text, arguments, input);
                walk.sources.imports.started = outer;
                printed
            });
        }
        let name = Text::known(file.path.as_str());
        let given = std::iter::once(name).chain(arguments.iter().map(|word| word.text.clone()));
        let given: Vec<Text> = given.collect();
        let mark = self.state.mark();
        self.state.keep_exported();
        let outer = self.starts_shell();
        let printed = self.in_part(file, part, language, span, |walk| {
            let input = std::mem::replace(&mut walk.input, input);
            walk.state.set_positional(given);
            let printed = walk.own_shell(|walk| walk.parse_and_walk(&for_shells(&text)));
            walk.input = input;
            printed
        });
        self.builtins.shells.return_to(outer);
        self.state.roll_back(mark);
        printed
    }

    /// `source FILE`: in the same shell, which sees and changes the same variables.
    pub(in super::super) fn source_file(&mut self, path: &str, span: Span) -> Option<Text> {
        match self.look(path) {
            Found::File(file) if !file.is_own => {
                let text = Arc::clone(&file.text);
                let part = part_of(self.state.positional().iter().skip(1).map(Text::display));
                self.in_part(&file, part, "shell", span, |walk| {
                    walk.parse_and_walk(&for_shells(&text))
                })
            }
            Found::NotRead(why) => {
                self.not_read("shell", path, span, why);
                self.not_text("shell", path, span, why);
                None
            }
            Found::Nothing => {
                self.started_unseen(path, span);
                None
            }
            Found::File(_) | Found::Directory(_) => None,
        }
    }

    /// A file that is run by its path: what its first line says, else a shell script.
    pub(in super::super) fn run_by_path(
        &mut self,
        path: &str,
        name: &Argument,
        arguments: &[Argument],
        input: Option<Text>,
    ) -> Option<Text> {
        let file = match self.look(path) {
            Found::File(file) => file,
            Found::NotRead(why) => {
                self.not_read("shell", path, name.span, why);
                return None;
            }
            Found::Nothing => {
                self.started_unseen(path, name.span);
                return None;
            }
            Found::Directory(_) => return None,
        };
        let words = interpreter_line(&file.text);
        let Some((program, options)) = words.split_first() else {
            let language = language_of("shell", &file.path, &Text::default());
            return self.run_text(language, &file, name.span, arguments, input);
        };
        let word = |text: &str| Argument { text: Text::known(text), span: name.span };
        let mut command = vec![word(program)];
        command.extend(options.iter().map(|option| word(option)));
        command.push(Argument {
            text: name.text.derive([Piece::Known(path.to_owned())]),
            span: name.span,
        });
        command.extend_from_slice(arguments);
        Some(self.run(&command, input))
    }

    /// The file that a code is a copy of, as it stands on the disk: `cat FILE | bash`, `psql < FILE`.
    pub(crate) fn copied_file(&mut self, code: &Text) -> Option<String> {
        if !self.is_copy(code) {
            return None;
        }
        let [Piece::Unknown(origin)] = code.pieces.as_slice() else { return None };
        code.sources.iter().find_map(|id| {
            let effect = self.recorder.effects.list.get(usize::try_from(id.0).ok()?)?;
            match &effect.kind {
                EffectKind::Read(target) if target.text.as_pattern().as_deref() == Some(origin) => {
                    target.path.clone()
                }
                _ => None,
            }
        })
    }

    /// The names that a file holds, where a text is a copy of one and it holds nothing else: `cp a $(cat list)`. Where something ran before
    /// that may have written it anew, only what is worse than a name that nobody knows counts.
    pub(crate) fn with_names(&mut self, text: Text) -> Text {
        if text.as_known().is_some() || text.taint.has(crate::text::Taint::SECRET) {
            return text;
        }
        let Some(path) = self.copied_file(&text) else { return text };
        let Found::File(file) = self.look(&path) else { return text };
        if !file.whole || !is_list_of_names(&file.text) {
            return text;
        }
        let is_plain = |name: &str| {
            let target = self.target(&Text::known(name));
            place::place_of(&target, self.facts).is_workspace()
                && place::credential_of(&target, self.facts).is_none()
                && place::persistence_of(&target, self.facts).is_none()
                && place::agent_file_of(&target, self.facts).is_none()
        };
        let is_old = self.recorder.effects.list.iter().all(|effect| !may_write(effect));
        if !is_old && file.text.split_whitespace().all(is_plain) {
            return text;
        }
        text.derive([Piece::Known(file.text.to_string())])
    }
}

/// Whether a program ran that may have written any file.
fn may_write(effect: &Effect) -> bool {
    let EffectKind::Run(run) = &effect.kind else { return false };
    let verb = run.arguments.first().and_then(|verb| verb.text.as_known());
    let only_looks = run.program == "git" && verb.is_some_and(|verb| GIT_LOOKS.contains(&verb));
    !only_looks && !LOOKS.contains(&run.program.as_str())
}

/// Programs that write no file by themselves, and verbs of git that change no work tree.
const LOOKS: &[&str] = &[
    ":",
    "[",
    "cat",
    "cd",
    "echo",
    "false",
    "ls",
    "mapfile",
    "parallel",
    "printf",
    "pwd",
    "read",
    "readarray",
    "tar",
    "test",
    "true",
    "xargs",
];
const GIT_LOOKS: &[&str] = &["branch", "diff", "log", "ls-files", "rev-parse", "show", "status"];

/// Whether a text is nothing but names, numbers and paths.
fn is_list_of_names(text: &str) -> bool {
    /// What stands for one thing, or for a few dozen.
    const LONGEST: usize = 2_048;
    !text.is_empty()
        && text.len() <= LONGEST
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b" \n\t\0/._~@:+,-".contains(&byte))
}

/// The program in a `#!` line with its options; none where there is no such line. The system splits at the first blank only, and `env -S`
/// at each.
fn interpreter_line(text: &str) -> Vec<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(line) = text.strip_prefix("#!").and_then(|rest| rest.lines().next()) else {
        return Vec::new();
    };
    let line = line.trim();
    match line.split_once([' ', '\t']) {
        Some((program, option)) => vec![program, option.trim()],
        None if line.is_empty() => Vec::new(),
        None => vec![line],
    }
}

/// The text as a shell reads it, with as many bytes: without the mark that some editors put in front, and without the carriage returns that
/// others put behind each line.
fn for_shells(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.contains("\r\n") && !text.starts_with('\u{feff}') {
        return text.into();
    }
    let text = text.replace("\r\n", " \n");
    match text.strip_prefix('\u{feff}') {
        Some(rest) => format!("   {rest}").into(),
        None => text.into(),
    }
}
