//! What goes on when a call has ended, and starts files later. Owns which commands are kept for that, and how what a later call writes is read
//! as what those would run: they are read as the world was before the call and once more with what it wrote, and only what is new counts. The
//! other way round alike: a later call is read once more as if they had written by then what they write.

use std::{
    collections::{BTreeMap, HashSet},
    mem::{Discriminant, discriminant, take},
};

use portcullis_syntax::Span;
use serde_json::{Map, Value};

use super::{
    recorder::{Recorder, texts},
    state::State,
    walk::Walk,
};
use crate::{
    action::shell_quoted,
    bound::Bounded,
    effect::{Begun, Certainty, EffectKind, Effects, GapReason, LayerId, Location, Started},
    facts::FileFact,
    programs::host::Host,
    text::Text,
    tool::folded,
};

/// Programs that go on by themselves, or start others that do; sorted.
const GO_ON: &[&str] = &[
    "at",
    "batch",
    "daemonize",
    "entr",
    "nodemon",
    "nohup",
    "screen",
    "setsid",
    "start-stop-daemon",
    "systemd-run",
    "tmux",
    "watch",
    "watchexec",
];

/// Options by which a program runs anew what changed; sorted.
const WATCH: &[&str] = &["--reload", "--watch", "--watch-path"];

/// How many files of a call are read by themselves where it is not known any more what goes on.
const READ_ALONE: usize = 64;

/// What starts a file, by the end of its name, where it is not known any more what goes on; sorted.
const STARTERS: &[(&str, &str)] = &[
    (".bash", "bash"),
    (".js", "node"),
    (".mjs", "node"),
    (".mk", "make -f"),
    (".php", "php"),
    (".pl", "perl"),
    (".py", "python3"),
    (".rb", "ruby"),
    (".sh", "sh"),
    (".txt", "sh"),
    (".zsh", "zsh"),
    ("/Makefile", "make -f"),
];

/// What is the same in two readings of one command.
type Key = (Discriminant<EffectKind>, Vec<String>);

/// What a command came to.
struct Reading {
    effects: HashSet<Key>,
    gaps: HashSet<(GapReason, String)>,
}

impl Walk<'_> {
    /// Keeps a command of the call in mind that may go on when the call has ended; `is_said` where its call says so.
    pub(in crate::understand) fn leaves_running(
        &mut self,
        directory: Option<String>,
        command: &str,
        is_said: bool,
    ) {
        let goes_on = |kind: &EffectKind| match kind {
            EffectKind::Run(run) => {
                let watches = |word: &str| WATCH.binary_search(&word).is_ok();
                GO_ON.binary_search(&run.program.as_str()).is_ok()
                    || run.arguments.iter().any(|word| word.text.as_known().is_some_and(watches))
            }
            EffectKind::Connect(connection) => connection.listens,
            _ => false,
        };
        let writes = self.state.files().next().is_some();
        let effects = &mut self.recorder.effects;
        if is_said || self.control.goes_on || effects.list.iter().any(|it| goes_on(&it.kind)) {
            effects.lasting.push(Begun { directory, command: command.to_owned(), writes });
        }
    }

    /// Reads what the call wrote as what the commands of earlier calls would run that may go on.
    pub(in crate::understand) fn reaches_what_goes_on(&mut self) {
        let session = &self.facts.session;
        let has_written = self.state.files().next().is_some() || self.state.links() > 0;
        if !has_written || !session.may_start() {
            return;
        }
        let is_cut = session.lasting().is_cut() || session.is_lost();
        self.know_what_was_written();
        for begun in session.lasting().iter() {
            self.read_as_it_goes_on(begun);
        }
        if is_cut {
            let files = self.state.files().map(str::to_owned);
            let started: Vec<String> = files.filter_map(|path| started(&path)).collect();
            let started = started.into_iter().at_most(READ_ALONE, self, Span::default());
            for command in started.collect::<Vec<String>>() {
                self.read_as_it_goes_on(&Begun { directory: None, command, writes: false });
            }
        }
    }

    /// What stands in files that the call copied, moved or linked.
    fn know_what_was_written(&mut self) {
        for (path, target) in self.state.all_links() {
            if self.state.file(&path).is_none()
                && let Some(file) = self.look(&target).file()
            {
                self.state.write_file(&path, Text::known(&*file.text), false, true);
            }
        }
        let last = |path: &str| Some((path.to_owned(), self.state.file(path)?.last()?.clone()));
        let written: Vec<(String, Text)> = self.state.files().filter_map(last).collect();
        for (path, text) in written.into_iter().filter(|(_, text)| text.as_known().is_none()) {
            let text = (self as &mut dyn Host).text_of_input(&text);
            if text.as_known().is_some() {
                self.state.write_file(&path, text, false, true);
            }
        }
    }

    /// What an edit makes of a file, where something may start it: all of it, and not only what is put in.
    pub(in crate::understand) fn edited(&mut self, path: &str, arguments: &Map<String, Value>) {
        if !self.facts.session.may_start() {
            return;
        }
        let Some(path) = self.followed(&Text::known(path)).path else { return };
        if self.content(&path).is_none() {
            self.sources.read(&path);
        }
        let text = match self.content(&path) {
            Some(FileFact::Read(file)) => edit(&file.text, arguments),
            None => {
                self.recorder.effects.wanted.insert(path.clone());
                None
            }
            Some(_) => None,
        };
        if let Some(text) = text {
            self.state.write_file(&path, Text::known(text), false, true);
        }
    }

    /// Reads a command of the call once more, as if what goes on beside it had written its files by then.
    pub(in crate::understand) fn starts_what_goes_on(
        &mut self,
        directory: Option<String>,
        command: &str,
    ) {
        let writers = self.facts.session.lasting().iter().filter(|begun| begun.writes);
        let mut state = State::new(directory);
        for begun in writers {
            let (_, written) = self.alone(begun);
            for path in written.files() {
                for version in written.file(path).unwrap_or_default() {
                    state.write_file(path, version.clone(), false, false);
                }
            }
        }
        if state.files().next().is_none() {
            return;
        }
        let effects = &self.recorder.effects;
        let before = Reading::of(effects);
        self.read_once_more(state, command, &before);
    }

    /// Reads a command that goes on. What it would do anyway is left out: it was judged when it began.
    fn read_as_it_goes_on(&mut self, begun: &Begun) {
        let (before, _) = self.alone(begun);
        let state = self.state.files_alone(begun.directory.clone());
        self.read_once_more(state, &begun.command, &before);
    }

    /// Reads a command where files are what `state` says, and keeps what it did not come to before.
    fn read_once_more(&mut self, state: State, command: &str, before: &Reading) {
        let marks = Marks::of(&self.recorder.effects);
        let written: HashSet<String> = state.files().map(str::to_owned).collect();
        let mut walk = Walk {
            recorder: take(&mut self.recorder),
            budget: take(&mut self.budget),
            sources: take(&mut self.sources),
            provenance: take(&mut self.provenance),
            state,
            ..Walk::new(self.facts)
        };
        let outer = walk.swap_layer(LayerId(0));
        let whole = Span::new(0, walk.recorder.layer_text().len());
        if let Some(parent) = walk.enter_layer(command, whole) {
            walk.allow_for(command.len());
            walk.at_most(Certainty::Likely, |walk| walk.script_text(command));
            walk.leave_layer(parent);
        }
        walk.swap_layer(outer);
        walk.keep_what_is_new(&marks, before, &written);
        self.recorder = walk.recorder;
        self.budget = walk.budget;
        self.sources = walk.sources;
        self.provenance = walk.provenance;
        self.asks_too(walk.asked.into_inner());
    }

    /// What a command that goes on would do by what was there before the call, and what it leaves in files.
    fn alone(&mut self, begun: &Begun) -> (Reading, State) {
        let mut walk = Walk { sources: self.sources.beside(), ..Walk::new(self.facts) };
        walk.go_to(begun.directory.clone());
        walk.open("", &begun.command);
        walk.at_most(Certainty::Likely, |walk| walk.script_text(&begun.command));
        let files = walk.state.files_alone(None);
        self.sources.adopt(walk.take_contents());
        let mut effects = walk.finish();
        self.recorder.effects.wanted.append(&mut effects.wanted);
        self.asks_too(take(&mut effects.asked));
        (Reading::of(&effects), files)
    }

    /// Of what was read since `marks`, keeps what was not so before and what data ties to it.
    fn keep_what_is_new(&mut self, marks: &Marks, before: &Reading, written: &HashSet<String>) {
        let Recorder { effects, .. } = &mut self.recorder;
        let mut is_kept: Vec<bool> = effects
            .list
            .iter()
            .skip(marks.list)
            .map(|effect| !before.effects.contains(&key(&effect.kind)))
            .collect();
        let gaps = effects.gaps.split_off(marks.gaps.min(effects.gaps.len()));
        let gaps = gaps
            .into_iter()
            .filter(|gap| !before.gaps.contains(&(gap.reason, said(effects, gap.at))));
        let gaps: Vec<_> = gaps.collect();
        effects.shown = marks.shown.clone();
        effects.typed.clone_from(&marks.typed);
        if gaps.is_empty() && !is_kept.contains(&true) {
            marks.go_back(effects);
            return;
        }
        tie(&mut is_kept, effects, marks.list);
        for (effect, is_kept) in effects.list.iter_mut().skip(marks.list).zip(is_kept) {
            if !is_kept {
                effect.kind = EffectKind::Noted("");
                effect.earlier = true;
            }
        }
        effects.gaps.extend(gaps);
        let started = effects.files.split_off(marks.files.min(effects.files.len()));
        let is_written = |started: &Started| written.contains(&started.path);
        effects.files.extend(started.into_iter().filter(is_written));
    }
}

impl Reading {
    fn of(effects: &Effects) -> Self {
        let gaps = effects.gaps.iter();
        Self {
            effects: effects.list.iter().map(|effect| key(&effect.kind)).collect(),
            gaps: gaps.map(|gap| (gap.reason, said(effects, gap.at))).collect(),
        }
    }
}

/// What there was before a command was read anew.
struct Marks {
    layers: usize,
    list: usize,
    gaps: usize,
    unfollowed: usize,
    files: usize,
    shown: Text,
    typed: Option<String>,
}

impl Marks {
    fn of(effects: &Effects) -> Self {
        Self {
            layers: effects.layers.len(),
            list: effects.list.len(),
            gaps: effects.gaps.len(),
            unfollowed: effects.unfollowed.len(),
            files: effects.files.len(),
            shown: effects.shown.clone(),
            typed: effects.typed.clone(),
        }
    }

    /// Forgets what came since.
    fn go_back(&self, effects: &mut Effects) {
        effects.layers.truncate(self.layers);
        effects.list.truncate(self.list);
        effects.unfollowed.truncate(self.unfollowed);
        effects.files.truncate(self.files);
        let is_before =
            |id: crate::effect::EffectId| usize::try_from(id.0).is_ok_and(|at| at < self.list);
        effects.flows.retain(|flow| is_before(flow.to) && is_before(flow.from));
    }
}

/// Marks what data ties to what is marked, among the effects from `start` on.
fn tie(is_marked: &mut [bool], effects: &Effects, start: usize) {
    let place = |id: crate::effect::EffectId| {
        usize::try_from(id.0).ok().and_then(|at| at.checked_sub(start))
    };
    let mut tied: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for flow in &effects.flows {
        if let (Some(from), Some(to)) = (place(flow.from), place(flow.to)) {
            tied.entry(from).or_default().push(to);
            tied.entry(to).or_default().push(from);
        }
    }
    let marked = is_marked.iter().enumerate().filter(|(_, is_marked)| **is_marked);
    let mut open: Vec<usize> = marked.map(|(at, _)| at).collect();
    while let Some(at) = open.pop() {
        for other in tied.get(&at).into_iter().flatten() {
            if let Some(is_marked) = is_marked.get_mut(*other).filter(|is_marked| !**is_marked) {
                *is_marked = true;
                open.push(*other);
            }
        }
    }
}

fn key(kind: &EffectKind) -> Key {
    let mut all: Vec<String> = texts(kind).into_iter().map(Text::display).collect();
    match kind {
        EffectKind::Noted(rule) => all.push((*rule).to_owned()),
        EffectKind::Act(act) => all.push(format!("{act:?}")),
        _ => {}
    }
    (discriminant(kind), all)
}

/// The words that a place is about.
fn said(effects: &Effects, at: Location) -> String {
    effects.layer_text(at.layer).get(at.span.range()).unwrap_or_default().to_owned()
}

/// The command that starts a file by its name; nothing where it is none that is started.
fn started(path: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let by_name = STARTERS.iter().find(|(ending, _)| path.ends_with(ending));
    let program = by_name.map(|(_, program)| *program).or((!name.contains('.')).then_some("sh"));
    program.map(|program| format!("{program} {}", shell_quoted(path)))
}

/// The arguments of an edit: what stands there, what takes its place, and whether wherever it stands.
const OLD: &[&str] = &["oldstr", "oldstring", "oldtext"];
const NEW: &[&str] = &["newstr", "newstring", "newtext"];
const ALL: &[&str] = &["replaceall"];

/// A text with the replacements that a call's arguments name; nothing where they are none, or do not fit.
fn edit(text: &str, arguments: &Map<String, Value>) -> Option<String> {
    let value = |object: &Map<String, Value>, names: &[&str]| {
        let is_one = |name: &str| names.iter().any(|known| folded(name).eq(folded(known)));
        object.iter().find(|(name, _)| is_one(name)).map(|(_, value)| value.clone())
    };
    let replaced = |text: String, object: &Map<String, Value>| {
        let (Value::String(old), Value::String(new)) = (value(object, OLD)?, value(object, NEW)?)
        else {
            return None;
        };
        let is_all = value(object, ALL).is_some_and(|all| all == true);
        let fits = !old.is_empty() && text.contains(&old);
        fits.then(|| if is_all { text.replace(&old, &new) } else { text.replacen(&old, &new, 1) })
    };
    match arguments.get("edits").and_then(Value::as_array) {
        Some(edits) => edits.iter().try_fold(text.to_owned(), |text, one| {
            one.as_object().and_then(|one| replaced(text, one))
        }),
        None => replaced(text.to_owned(), arguments),
    }
}

#[cfg(test)]
mod tests;
