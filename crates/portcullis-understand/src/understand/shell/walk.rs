//! What rows in `programs` and other readers may say to the walk. Owns the collected effects and the bounds; statements,
//! words and programs are read by its siblings.

use portcullis_syntax::{Span, shell};

use super::{
    BYTES_PER_WORK,
    budget::{Budget, Remaining},
    builtin_state::BuiltinState,
    calls::Calls,
    control::Control,
    placeholder,
    provenance::Provenance,
    recorder::{Recorder, is_cut, texts},
    running::Running,
    sources::Sources,
    state::State,
    streams::{Sink, Streams},
    traps::Traps,
    words::Choice,
};
use crate::{
    bound::Limits,
    effect::{
        Argument, Certainty, Effect, EffectId, EffectKind, Effects, GapReason, LayerId,
        LayerOrigin, Location, PermissionChange, Target, WriteMode,
    },
    facts::{Facts, FileFact},
    paths::absolute,
    place::{self, Place},
    programs::{self, escapes, host::Host},
    session::Left,
    text::{Piece, Pieces, Taint, Text},
    understand::code,
};

/// The walk over a script: what is known so far and what was found so far. Rows in `programs` speak to it as their host.
pub struct Walk<'a> {
    pub(super) facts: &'a Facts,
    /// The effects, and where and how the next one is recorded.
    pub(super) recorder: Recorder,
    /// How much is read.
    pub(super) budget: Budget,
    /// Variables, functions, the directory and the files that the call wrote.
    pub(super) state: State,
    /// The files that are being read.
    pub(super) sources: Sources<'a>,
    /// Files that count for what comes later.
    pub(super) provenance: Provenance,
    /// The programs that are being read.
    pub(super) running: Running,
    /// The functions and aliases that are being called.
    pub(super) calls: Calls,
    /// How the last command ended and where the script is on its way to.
    pub(super) control: Control,
    pub(super) traps: Traps,
    /// What builtins keep.
    pub(super) builtins: BuiltinState,
    /// The descriptors that are open, and where the script sends what it prints.
    pub(super) streams: Streams,
    /// What arrives on the standard input of the command being read.
    pub(super) input: Option<Text>,
    /// Which of several possible values variables take in this round, and how many rounds there are.
    pub(super) choice: Choice,
}

impl<'a> Walk<'a> {
    pub(in crate::understand) fn new(facts: &'a Facts) -> Self {
        Self {
            facts,
            recorder: Recorder::default(),
            budget: Budget::default(),
            state: State::new(facts.cwd.clone()),
            sources: Sources::default(),
            provenance: Provenance::default(),
            running: Running::default(),
            calls: Calls::default(),
            control: Control::default(),
            traps: Traps::default(),
            builtins: BuiltinState::default(),
            streams: Streams::default(),
            input: None,
            choice: Choice::default(),
        }
    }

    /// A walk that has files read when it meets them.
    pub(in crate::understand) fn reading(
        facts: &'a Facts,
        read: &'a dyn Fn(&str) -> Option<FileFact>,
    ) -> Self {
        Self { sources: Sources::by(read), ..Self::new(facts) }
    }

    pub(in crate::understand) fn finish(mut self) -> Effects {
        if self.state.is_cut() {
            self.recorder.layer = LayerId(0);
            let everything = Span::new(0, self.recorder.layer_text().len());
            self.gap(everything, GapReason::Limit);
        }
        self.recorder.finish(self.budget.done())
    }

    /// Adds an argument of the call as a layer, and makes it the one that spans point into.
    pub(in crate::understand) fn open(&mut self, pointer: &str, text: &str) {
        self.recorder.layer =
            self.recorder.add_layer(text, LayerOrigin::Argument(pointer.to_owned()));
        self.budget.allow_for_argument(text.len());
    }

    /// A file of this many bytes is read as well: more work is allowed.
    pub(in crate::understand) fn allow_for(&mut self, bytes: usize) {
        self.budget.allow_for_file(bytes);
    }

    /// A shell is started as a program; gives the number of the one around it.
    pub(super) fn starts_shell(&mut self) -> u32 {
        self.builtins.shells.start()
    }

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
    fn runs_by_unknown_name(&self) -> bool {
        self.recorder.effects.unfollowed.iter().any(|gap| gap.reason == GapReason::UnknownProgram)
    }

    /// The agent gets to see a text.
    pub(in crate::understand) fn show(&mut self, text: &Text) {
        self.recorder.effects.shown.inherit(text);
    }

    /// What is known of the world.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        self.facts
    }

    /// The directory that relative paths start from, where it is known.
    #[must_use]
    pub fn directory(&self) -> Option<&str> {
        self.state.directory()
    }

    /// What follows starts from another directory; `None` where that is not known.
    pub(crate) fn go_to(&mut self, directory: Option<String>) {
        if self.state.directory() != directory.as_deref() {
            self.state.enter(directory);
        }
    }

    /// A path as the current directory makes it.
    #[must_use]
    pub fn target(&self, text: &Text) -> Target {
        let path = absolute(text, self.state.directory(), self.facts)
            .map(|path| self.state.through_links(path));
        Target::new(text.clone(), path)
    }

    /// As [`Walk::target`], where the path itself is followed when this call made it a link.
    pub(super) fn followed(&self, text: &Text) -> Target {
        let target = self.target(text);
        match target.path.as_deref().and_then(|path| self.state.linked(path)) {
            Some(path) => Target::new(text.clone(), Some(path.to_owned())),
            None => target,
        }
    }

    /// A file gets a second name.
    fn make_link(&mut self, path: &str, leads_to: &Text) {
        let directory = path.rsplit_once('/').map(|(directory, _)| directory);
        let directory =
            directory.map(|directory| if directory.is_empty() { "/" } else { directory });
        if let Some(leads_to) = absolute(leads_to, directory, self.facts) {
            self.state.link(path, &leads_to);
        }
    }

    /// The program reads a file; gives what is in it, as far as it is known (a file written by this same call is).
    pub fn read(&mut self, file: &Argument) -> Text {
        let target = self.followed(&file.text);
        if let Some(content) = target.path.as_deref().and_then(|path| self.descriptor(path)) {
            return content;
        }
        if let Some(path) = &target.path
            && let Some(versions) = self.state.file(path)
        {
            let mut content = choose(versions, path);
            content.inherit(&Text { pieces: Pieces::new(), ..file.text.clone() });
            return content;
        }
        let secret = place::credential_of(&target, self.facts).is_some();
        let private = target.path.is_some() && !place::place_of(&target, self.facts).is_workspace();
        let mut left = self.left_earlier(&target);
        // Inside of what was brought, its files are its own.
        let is_inside =
            self.state.directory().is_some_and(|it| self.provenance.is_brought_whole(it));
        if !is_inside && self.is_brought(target.path.as_deref()) {
            left = left.with(Taint::NETWORK);
        }
        let is_empty = target.path.as_deref() == Some("/dev/null");
        let id = self.emit(EffectKind::Read(target), file.span);
        let mut content =
            if is_empty { Text::default() } else { Text::unknown(&file.text.display()) };
        content.taint = Taint::FILE.with(file.text.taint);
        if secret {
            content.taint = content.taint.with(Taint::SECRET);
        } else if private {
            content.taint = content.taint.with(Taint::PRIVATE);
        }
        content.taint = content.taint.with(left);
        content.sources = file.text.sources.clone();
        content.sources.push(id);
        content
    }

    /// The program writes a file.
    pub fn write(&mut self, file: &Argument, mode: WriteMode, content: Text) {
        let target = match mode {
            WriteMode::Link | WriteMode::Create => self.target(&file.text),
            _ => self.followed(&file.text),
        };
        // What comes piece by piece is read when all of it is there.
        if mode == WriteMode::Append
            && let Some(sink) = target.path.as_ref().and_then(|path| self.streams.sink_mut(path))
        {
            sink.content.get_or_insert_default().append(&content);
            return;
        }
        if let Some(path) = &target.path
            && self.streams.is_sink(path)
            && self.enter_level(file.span)
        {
            if let Some(sink) = self.streams.take_sink(path) {
                self.feed(&sink, content);
            }
            self.leave_level();
            return;
        }
        if let Some(path) = &target.path
            && !path.starts_with("/dev/")
        {
            let certain = self.recorder.certainty == Certainty::Certain;
            match mode {
                WriteMode::Replace => self.state.write_file(path, content.clone(), false, certain),
                WriteMode::Append => self.state.write_file(path, content.clone(), true, certain),
                WriteMode::Edit => self.state.write_file(path, content.clone(), false, false),
                WriteMode::Link => self.make_link(path, &content),
                // A pipe: what is written to it may come later.
                WriteMode::Create if !content.is_empty() => {
                    self.state.write_file(path, content.clone(), false, true);
                }
                WriteMode::Create => {}
            }
        }
        let starts = target.path.as_ref().and_then(|_| place::persistence_of(&target, self.facts));
        self.emit(EffectKind::Write { target, mode, content: content.clone() }, file.span);
        if let Some(starts) = starts {
            self.startup(starts.kind, &content, file.span);
        }
    }

    /// The program deletes a file or directory.
    pub fn delete(&mut self, file: &Argument, recursive: bool) {
        let target = self.target(&file.text);
        self.emit(EffectKind::Delete { target, recursive }, file.span);
        if let Some(elsewhere) = self.state.elsewhere()
            && is_everything_here(&file.text)
        {
            // Where changing the directory failed, everything goes that was in the one before.
            let path = absolute(&file.text, Some(elsewhere), self.facts);
            let target = Target::new(file.text.clone(), path);
            self.at_most(Certainty::Possible, |walk| {
                walk.emit(EffectKind::Delete { target, recursive }, file.span)
            });
        }
    }

    /// The program changes who may do what with a file.
    pub fn permission(&mut self, file: &Argument, recursive: bool, change: PermissionChange) {
        let target = self.target(&file.text);
        if let (Some(path), PermissionChange::Mode(mode)) = (&target.path, &change)
            && self.state.file(path).is_some()
            && mode.as_known().is_some_and(|mode| mode.contains(['x', '7', '5', '1']))
            && !self.provenance.make_executable(path)
        {
            self.gap(file.span, GapReason::Limit);
        }
        self.emit(EffectKind::Permission { target, recursive, change }, file.span);
    }

    /// The program is given a file and does with it what it likes; `changes` says that it is there to change it.
    pub(crate) fn hand(&mut self, file: &Argument, changes: bool) {
        let target = self.followed(&file.text);
        let own = matches!(place::place_of(&target, self.facts), Place::Gate | Place::Agent)
            || place::is_hooked(&target, self.facts);
        if own {
            self.emit(EffectKind::Hand { target, changes }, file.span);
        }
    }

    /// The program shows a directory to what it runs, which does with it what it likes.
    pub(crate) fn mount(&mut self, source: &Argument) {
        let target = self.followed(&source.text);
        let around =
            target.path.as_deref().is_some_and(|path| place::contains_gate(path, self.facts));
        if around || place::place_of(&target, self.facts) == Place::Gate {
            self.emit(EffectKind::Hand { target, changes: true }, source.span);
            return;
        }
        // Settings of the project belong to the programs of the project, in a container too.
        if !place::place_of(&target, self.facts).is_workspace() {
            self.read_secret(source);
        }
    }

    /// The program reads a file if secrets are kept there; nothing is said of any other.
    pub(crate) fn read_secret(&mut self, file: &Argument) {
        let target = self.followed(&file.text);
        if place::credential_of(&target, self.facts).is_some() {
            drop(self.read(file));
        }
    }

    /// The settings of git's that this call made, by their keys; the one that counts stands last.
    pub(crate) fn git_settings_where(
        &mut self,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Vec<(String, Text)> {
        let defined = self.state.git_settings().len();
        self.charge(defined / NAMES_PER_WORK);
        let defined = self.state.git_settings().iter();
        defined.filter(|(key, _)| wanted(key)).cloned().collect()
    }

    /// A setting of git's is made.
    pub(crate) fn define_git_setting(&mut self, key: &str, value: Text) {
        self.state.git_settings().push((key.to_owned(), value));
    }

    /// How many settings there are, to go back to.
    pub(crate) fn git_settings(&mut self) -> usize {
        self.state.git_settings().len()
    }

    /// Forgets what the options of one command said.
    pub(crate) fn forget_git_settings(&mut self, own: std::ops::Range<usize>) {
        let defined = self.state.git_settings();
        if !own.is_empty() && own.end <= defined.len() {
            defined.drain(own);
        }
    }

    /// Whether a text is what stands in a project's file of settings, or lines chosen from it: assignments, as whoever loads it has it.
    pub(crate) fn holds_settings(&self, text: &Text) -> bool {
        const CHOOSE: &[&str] = &["cat", "echo", "egrep", "grep", "sed", "sort", "tr", "xargs"];
        let is_read = |effect: &Effect| match &effect.kind {
            EffectKind::Read(target) => place::credential_of(target, self.facts)
                .is_some_and(|found| found.class == place::CredentialClass::Project),
            _ => false,
        };
        let is_choice = |effect: &Effect| matches!(&effect.kind, EffectKind::Run(run) if CHOOSE.contains(&run.program.as_str()));
        let is_hidden = [Taint::NETWORK, Taint::DECODED].iter().any(|it| text.taint.has(*it));
        let origins = self.recorder.effects.origins(text);
        !is_hidden
            && matches!(text.pieces.as_slice(), [Piece::Unknown(_)])
            && origins.iter().any(|origin| is_read(origin))
            && origins.iter().all(|origin| is_read(origin) || is_choice(origin))
    }

    /// Variables that this call gave a value, by name, as far as `wanted`.
    pub(crate) fn assigned(&self, wanted: &dyn Fn(&str) -> bool) -> Vec<(String, Text)> {
        self.state.assigned(wanted)
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
        if matches!(code.pieces.as_slice(), [Piece::Unknown(_) | Piece::Glob(_)]) {
            if let Some(path) = self.copied_file(code)
                && let Some(printed) = self.run_file("shell", &path, span, &[], input.clone())
            {
                return printed;
            }
            if Self::is_foreign(code) {
                self.question(span, GapReason::UnknownCode);
            } else if !self.is_printed_for_shells(code) {
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
        let mut printed = Text::unknown(language);
        printed.inherit(code);
        if matches!(code.pieces.as_slice(), [Piece::Unknown(_) | Piece::Glob(_)]) {
            if let Some(path) = self.copied_file(code)
                && let Some(printed) = self.run_file(language, &path, span, arguments, input)
            {
                return Err(printed);
            }
            if Self::is_foreign(code) {
                self.question(span, GapReason::UnknownCode);
            } else {
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

    /// The layer that spans point into.
    pub(in crate::understand) const fn layer(&self) -> LayerId {
        self.recorder.layer
    }

    /// Makes another layer the one that spans point into; gives the one before.
    pub(in crate::understand) fn swap_layer(&mut self, layer: LayerId) -> LayerId {
        std::mem::replace(&mut self.recorder.layer, layer)
    }

    /// What follows is no more certain than this; gives how certain it was.
    pub(in crate::understand) fn lower(&mut self, to: Certainty) -> Certainty {
        self.recorder.lower(to)
    }

    /// What follows is as certain as it was.
    pub(in crate::understand) fn restore(&mut self, certainty: Certainty) {
        self.recorder.certainty = certainty;
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
        *certainty != Certainty::Possible
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

    /// Whether code is what was in one file before, as it stood there: a copy is run as the file itself would be, and that is
    /// somebody's program and no gap (see [`Walk::script`]). Whatever changes a text calls its output after itself.
    pub(crate) fn is_copy(&self, code: &Text) -> bool {
        let [Piece::Unknown(origin)] = code.pieces.as_slice() else { return false };
        if code.taint.has(Taint::DECODED) || code.taint.has(Taint::SECRET) {
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
            let printed =
                path.and_then(|path| self.run_file(language, &path, file.span, arguments, input));
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

    /// What an earlier call of the session left in a file.
    fn left_earlier(&self, target: &Target) -> Taint {
        let left = target.path.as_deref().and_then(|path| self.facts.session.left(path));
        left.map_or(Taint::NONE, Left::taint)
    }

    /// A directory comes over the network with everything in it.
    pub(crate) fn brought(&mut self, directory: &Argument) {
        let Some(path) = self.target(&directory.text).path else { return };
        if !self.provenance.bring(path) {
            self.gap(directory.span, GapReason::Limit);
        }
    }

    /// Whether a file lies in a directory that this call brought over the network.
    pub(super) fn is_brought(&self, path: Option<&str>) -> bool {
        self.provenance.is_brought(path)
    }

    /// Something here was not understood. In a file that was there before the call, most of that is no question: it is kept apart.
    pub fn gap(&mut self, span: Span, reason: GapReason) {
        if self.is_no_question() {
            self.recorder.unfollowed(span, reason);
        } else {
            self.recorder.question(span, reason);
        }
    }

    /// Something here was not understood, wherever it stands.
    pub(super) fn question(&mut self, span: Span, reason: GapReason) {
        self.recorder.question(span, reason);
    }

    /// Any other effect.
    pub fn emit(&mut self, kind: EffectKind, span: Span) -> EffectId {
        self.spend(span);
        // What is said of an effect takes as long as its texts are: repeated, it would be the square of what was written.
        self.charge(texts(&kind).into_iter().map(Text::len).sum::<usize>() / BYTES_PER_WORK);
        if is_cut(&kind) {
            self.gap(span, GapReason::Limit);
        }
        let (id, is_whole) = self.recorder.record(kind, span);
        if !is_whole {
            self.gap(span, GapReason::Limit);
        }
        id
    }

    /// A shell is started without anything to run: it takes its orders from whoever is there. That is what a terminal is
    /// for; another program has no reason to.
    pub(crate) fn interactive_shell(&mut self, span: Span) {
        const ORDINARY: &[&str] = &[
            "buildah",
            "docker",
            "distrobox",
            "kubectl",
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
        if started_by.is_some_and(|program| !ORDINARY.contains(&program)) {
            self.note("execution.shell.escape", span);
        }
    }

    /// How many of the programs that are being read are this one: what runs now was started by them.
    pub(crate) fn within_program(&self, name: &str) -> usize {
        self.running.named(name)
    }

    /// Whether this call wrote any file.
    pub(crate) fn has_written(&self) -> bool {
        self.state.files().next().is_some()
    }

    /// The files, by name, that this call wrote and whose names end with one of `endings`.
    pub(crate) fn written(&self, endings: &[&str]) -> Vec<String> {
        self.state
            .files()
            .filter(|path| endings.iter().any(|ending| path.ends_with(ending)))
            .map(str::to_owned)
            .collect()
    }

    /// Whether a program wrote a file, or one that it runs.
    pub(crate) fn wrote_by(&self, path: &str, run: Option<EffectId>) -> bool {
        let content = self.state.file(path).map(|ways| choose(ways, path));
        content.zip(run).is_some_and(|(content, run)| content.sources.iter().any(|by| *by >= run))
    }

    /// What stands in a file, unless it was looked at before.
    pub(crate) fn first_look(&mut self, path: &str) -> Option<Text> {
        let content = choose(self.state.file(path)?, path);
        let known = content.known_prefix().len();
        self.provenance.is_first_look(path, known).then_some(content)
    }

    /// What the variable holds, where this text sets it.
    pub(crate) fn variable_set(&self, name: &str) -> Option<Text> {
        match self.state.variable(name)?.last()? {
            super::state::Value::Scalar(text) => Some(text.clone()),
            super::state::Value::Array(_) | super::state::Value::Unset => None,
        }
    }

    /// Whether this call wrote the file.
    #[must_use]
    pub fn wrote(&self, file: &Text) -> bool {
        self.target(file).path.is_some_and(|path| self.state.file(&path).is_some())
    }

    /// Gives a variable to the program that is about to be run, with what that means to it.
    pub fn environment_of(&mut self, name: &str, value: &Text, span: Span) {
        self.set(name, value.clone(), span);
        self.state.export(name);
    }

    /// The program that is about to be run does not get a variable, or none at all.
    pub(crate) fn without_variable(&mut self, name: Option<&str>) {
        match name {
            Some(name) => self.state.unset(name),
            None => self.state.forget_environment(),
        }
    }

    /// Draws a data flow that no text carries.
    pub(super) fn flow(&mut self, from: EffectId, to: EffectId) {
        if !self.recorder.flow(from, to)
            && let Some(effect) = self.recorder.effect(to)
        {
            let span = effect.at.span;
            self.gap(span, GapReason::Limit);
        }
    }

    /// Reads what follows as likely, not certain.
    pub(crate) fn at_likely<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        self.at_most(Certainty::Likely, read)
    }

    /// Reads what follows as no more than possible or likely.
    pub(crate) fn at_most<T>(
        &mut self,
        certainty: Certainty,
        read: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = self.recorder.certainty;
        self.recorder.certainty = outer.min(certainty);
        let result = read(self);
        self.recorder.certainty = outer;
        result
    }

    pub(super) fn parse_and_walk(&mut self, text: &str) -> Text {
        let script = shell::parse(text);
        // Some shells drop this byte and some stop at it, so what stands around it may be read in two ways.
        if let Some(at) = text.find('\0') {
            self.gap(Span::new(at, at + 1), GapReason::Unparsed);
        }
        for unparsed in &script.unparsed {
            let reason = match unparsed.reason {
                shell::UnparsedReason::Syntax | shell::UnparsedReason::Unclosed => {
                    GapReason::Unparsed
                }
                shell::UnparsedReason::TooDeep
                | shell::UnparsedReason::TooManyNodes
                | shell::UnparsedReason::TooLong => GapReason::Limit,
            };
            self.gap(unparsed.span, reason);
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

    fn feed(&mut self, sink: &Sink, content: Text) {
        let input = self.input.replace(content);
        let layer = std::mem::replace(&mut self.recorder.layer, sink.layer);
        let mark = self.state.mark();
        self.statements(&sink.body);
        self.state.roll_back(mark);
        self.recorder.layer = layer;
        self.input = input;
    }

    /// Counts one unit of work; `false` when there was too much of it.
    pub(super) fn spend(&mut self, span: Span) -> bool {
        match self.budget.spend() {
            Remaining::Enough => true,
            Remaining::NoneNow => {
                self.left_unread(span);
                false
            }
            Remaining::Nothing => false,
        }
    }

    /// Whether there was too much work.
    pub(in crate::understand) const fn is_exhausted(&self) -> bool {
        self.budget.is_exhausted()
    }

    /// Counts work that has no place of its own; what comes after the last of it meets the limit.
    pub(in crate::understand) fn charge(&mut self, work: usize) {
        self.budget.charge(work);
    }

    /// Goes one level deeper; `false` when that is too deep. Every `true` needs a [`Walk::leave_level`].
    pub(in crate::understand) fn enter_level(&mut self, span: Span) -> bool {
        if self.budget.is_deepest() {
            self.gap(span, GapReason::Limit);
            return false;
        }
        let may = self.spend(span);
        if may {
            self.budget.deepen();
        }
        may
    }

    pub(in crate::understand) fn leave_level(&mut self) {
        self.budget.rise();
    }

    pub(in crate::understand) fn enter_layer(&mut self, text: &str, span: Span) -> Option<LayerId> {
        if !self.enter_level(span) {
            return None;
        }
        if self.recorder.has_all_layers() {
            self.leave_level();
            self.gap(span, GapReason::Limit);
            return None;
        }
        let parent = self.recorder.layer;
        self.recorder.layer = self.recorder.add_layer(text, LayerOrigin::Within { parent, span });
        Some(parent)
    }

    pub(in crate::understand) fn leave_layer(&mut self, outer: LayerId) {
        self.recorder.layer = outer;
        self.leave_level();
    }

    /// Literal text from the current layer, with what is unknown in it as that. What the call says itself has nothing such.
    pub(crate) fn disembed(&self, literal: &str) -> Text {
        self.recorder.disembed(literal)
    }
}

/// Whether a name stands for everything in the directory: `*`, `./*`, `.`, `.[!.]*`.
impl Limits for Walk<'_> {
    fn limit(&mut self, span: Span) {
        self.gap(span, GapReason::Limit);
    }
}

/// How many names are looked through for one unit of work.
pub(super) const NAMES_PER_WORK: usize = 8;

fn is_everything_here(text: &Text) -> bool {
    let Some(pattern) = text.as_pattern() else { return false };
    let mut name = pattern.trim_end_matches('/');
    while let Some(rest) = name.strip_prefix("./") {
        name = rest;
    }
    !pattern.starts_with('/')
        && name.bytes().all(|byte| b"*.?[!^]".contains(&byte))
        && (matches!(name, "" | ".") && !pattern.is_empty() || name.contains('*'))
}

/// One of several versions of a file; the only one, or an unknown text with every origin.
fn choose(versions: &[Text], path: &str) -> Text {
    if let [only] = versions {
        return only.clone();
    }
    // Only something was put in, so the last one has it all.
    if let Some(last) =
        versions.last().filter(|last| matches!(last.pieces.first(), Some(Piece::Unknown(_))))
    {
        let whole = last.display();
        let is_before = |version: &Text| {
            let rest = whole.strip_prefix(version.display().as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('\n'))
        };
        if versions.iter().all(is_before) {
            return last.clone();
        }
    }
    // Not the name alone, which would be that of the file as it was before.
    let mut content = Text::unknown(&format!("what was written to {path}"));
    for version in versions {
        content.inherit(version);
    }
    content
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
