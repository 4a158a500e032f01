//! What rows in `programs` and other readers may say to the walk. Owns the collected effects and the bounds; statements,
//! words and programs are read by its siblings.

use std::{cell::RefCell, collections::BTreeSet};

use portcullis_syntax::Span;

use super::{
    BYTES_PER_WORK,
    budget::{Budget, Remaining},
    builtin_state::BuiltinState,
    calls::Calls,
    control::Control,
    provenance::Provenance,
    recorder::{Recorder, is_cut, texts},
    running::Running,
    sources::Sources,
    state::State,
    streams::Streams,
    traps::Traps,
    words::Choice,
};
use crate::{
    bound::Limits,
    effect::{Certainty, Effect, EffectId, EffectKind, Effects, GapReason, LayerId, LayerOrigin},
    facts::{Facts, FileFact, PathFact},
    place,
    text::{Piece, Taint, Text},
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
    /// See `Effects::asked`.
    pub(super) asked: RefCell<BTreeSet<String>>,
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
            asked: RefCell::default(),
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
        let asked = self.asked.into_inner();
        Effects { asked, ..self.recorder.finish(self.budget.done()) }
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

    /// The agent gets to see a text.
    pub(in crate::understand) fn show(&mut self, text: &Text) {
        self.recorder.effects.shown.inherit(text);
    }

    /// What is known of the world.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        self.facts
    }

    /// What is known of a path by those who want a directory to stand there, or anything else that is no plain file. Where nothing is known, it
    /// is noted that somebody asked: with an answer, something else may be understood. Everybody else asks where links lead, and no more.
    pub(crate) fn known_of(&self, path: &str) -> Option<&PathFact> {
        let known = self.facts.paths.get(path);
        if known.is_none() {
            self.asked.borrow_mut().insert(path.to_owned());
        }
        known
    }

    /// What was understood in between, of which nothing else is kept, asked this.
    pub(in crate::understand) fn asks_too(&self, asked: BTreeSet<String>) {
        self.asked.borrow_mut().extend(asked);
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

    /// Reads code that a tool puts somewhere, where others call what it defines.
    pub(in crate::understand) fn for_others(&mut self, read: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.control.is_for_others, true);
        read(self);
        self.control.is_for_others = outer;
    }

    /// Whether others may call what code only defines.
    pub(in crate::understand) fn is_called_by_others(&self) -> bool {
        self.control.is_for_others || self.is_no_question()
    }

    /// What follows is as certain as it was.
    pub(in crate::understand) fn restore(&mut self, certainty: Certainty) {
        self.recorder.certainty = certainty;
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
            // Code and statements are left unread where they are cut, and a name is only not known.
            match kind {
                EffectKind::Execute { .. } | EffectKind::Query { .. } => self.left_unread(span),
                _ => self.gap(span, GapReason::Limit),
            }
        }
        if let EffectKind::Read(target) = &kind
            && let Some(path) = &target.path
        {
            self.sources.take_as_data(path);
        }
        let (id, is_whole) = self.recorder.record(kind, span);
        if !is_whole {
            self.gap(span, GapReason::Limit);
        }
        id
    }

    /// How many of the programs that are being read are this one: what runs now was started by them.
    pub(crate) fn within_program(&self, name: &str) -> usize {
        self.running.named(name)
    }

    /// What the variable holds, where this text sets it.
    pub(crate) fn variable_set(&self, name: &str) -> Option<Text> {
        match self.state.variable(name)?.last()? {
            super::state::Value::Scalar(text) => Some(text.clone()),
            super::state::Value::Array(_) | super::state::Value::Unset => None,
        }
    }

    /// What a program that is started here gets in a variable, where this call says it.
    pub(in crate::understand) fn passed_on(&self, name: &str) -> Option<Text> {
        self.state.passed_on(name).cloned()
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
            self.left_unread(span);
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
            self.left_unread(span);
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
