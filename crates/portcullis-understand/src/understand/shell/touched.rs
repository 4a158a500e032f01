//! What programs do with files: reading, writing, deleting, handing over. Owns the effects of these and what they mean to what the call knows of
//! files; which file a program takes, its row says.

use std::collections::BTreeSet;

use portcullis_syntax::Span;

use super::{super::code::is_not_followed, descriptor, otherwise, told_paths::Done, walk::Walk};
use crate::{
    bound::Bounded,
    effect::{
        Argument, Certainty, Effect, EffectId, EffectKind, GapReason, PermissionChange, Target,
        WriteMode,
    },
    paths::absolute,
    place::{self, Place},
    split::is_device,
    text::{Piece, Pieces, Taint, Text},
};

/// How many effects behind a read are looked at for where it is sent.
const PASSED: usize = 64;

impl Walk<'_> {
    /// A path as the current directory makes it.
    #[must_use]
    pub fn target(&self, text: &Text) -> Target {
        let path = absolute(text, self.state.directory(), self.facts)
            .map(|path| self.behind_descriptor(self.state.through_links(path)));
        // Where the call went somewhere that is not known, what it names there is not in the project.
        let is_astray = path.is_none()
            && self.state.directory().is_none()
            && self.facts.cwd.is_some()
            && matches!(text.pieces.first(), Some(Piece::Known(_) | Piece::Glob(_)))
            && !text.known_prefix().starts_with(['/', '~']);
        if is_astray {
            let mut astray = text.derive([Piece::Unknown("a directory".into())]);
            astray.push_known("/");
            astray.append(text);
            return Target::new(astray, None);
        }
        Target::new(text.clone(), path)
    }

    /// As [`Walk::target`], where the path itself is followed when this call made it a link.
    pub(super) fn followed(&self, text: &Text) -> Target {
        let target = self.target(text);
        match target.path.as_deref().and_then(|path| self.state.linked(path)) {
            Some(path) => Target::new(text.clone(), Some(self.behind_descriptor(path.to_owned()))),
            None => target,
        }
    }

    /// Where a path may lead instead of where it seems to, if something that matters stands there.
    fn otherwise(&mut self, text: &Text) -> Vec<Target> {
        let mut found = self.otherwise_open(text);
        found.extend(self.otherwise_named(text));
        found
    }

    /// What may be behind a descriptor of which nobody knows what it was opened on: anything that was.
    fn otherwise_open(&mut self, text: &Text) -> Vec<Target> {
        let path = absolute(text, self.state.directory(), self.facts);
        let path = path.map(|path| self.behind_descriptor(self.state.through_links(path)));
        let Some((number, below)) = path.as_deref().and_then(descriptor::of) else {
            return Vec::new();
        };
        if number.is_some_and(|number| number <= 2) {
            return Vec::new();
        }
        self.charge(self.recorder.effects.list.len());
        let read = self.recorder.effects.list.iter().filter_map(|effect| match &effect.kind {
            EffectKind::Read(target) => target.path.as_deref(),
            _ => None,
        });
        let opened = self.streams.opened.iter().map(|(_, path)| path.as_str());
        let paths: BTreeSet<String> =
            opened.chain(read).map(|path| format!("{path}{below}")).collect();
        let targets = paths.into_iter().map(|path| Target::new(text.clone(), Some(path)));
        targets.filter(|target| self.matters(target)).collect()
    }

    /// Whether something stands at a place that its name does not lead to by itself.
    fn matters(&self, target: &Target) -> bool {
        matches!(place::place_of(target, self.facts), Place::Gate | Place::Agent | Place::HomeTop)
            || place::persistence_of(target, self.facts).is_some()
            || place::credential_of(target, self.facts).is_some()
            || target.path.as_deref().is_some_and(|path| place::contains_gate(path, self.facts))
    }

    fn otherwise_named(&self, text: &Text) -> Vec<Target> {
        if !text.known_prefix().starts_with(['.', '/']) && !text.known_prefix().contains("/../") {
            return Vec::new();
        }
        let paths = otherwise::paths(
            text,
            (self.state.directory(), self.state.elsewhere()),
            self.facts,
            &|path| {
                let linked = self.state.linked(path).map(str::to_owned);
                linked.or_else(|| self.known_of(path).and_then(|fact| fact.leads_to.clone()))
            },
        );
        paths.into_iter().filter(|target| self.matters(target)).collect()
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

    /// A second name of what stands in a file or came from far away is one of what nobody knows.
    fn make_unclear_link(&mut self, file: &Argument, path: Option<&str>, leads_to: &Text) {
        let is_from_outside =
            [Taint::FILE, Taint::NETWORK].iter().any(|taint| leads_to.taint.has(*taint));
        if !leads_to.has_unknown() || !is_from_outside {
            return;
        }
        let is_kept = path.is_none_or(|path| self.provenance.obscure(path.to_owned()));
        if !is_kept {
            self.gap(file.span, GapReason::Limit);
        }
    }

    /// The program reads a file; gives what is in it, as far as it is known (a file written by this same call is).
    pub fn read(&mut self, file: &Argument) -> Text {
        // What is left in a descriptor is read, not the file that it was opened on.
        let opened = absolute(&file.text, self.state.directory(), self.facts);
        if let Some(content) = opened.and_then(|path| self.descriptor(&path)) {
            return content;
        }
        let target = self.followed(&file.text);
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
        for target in self.otherwise(&file.text) {
            self.at_most(Certainty::Likely, |walk| walk.emit(EffectKind::Read(target), file.span));
        }
        let beside = target.path.clone().filter(|_| self.control.behind && !is_empty);
        let id = self.emit(EffectKind::Read(target), file.span);
        if let Some(path) = beside
            && !self.streams.reads_beside(&path, id)
        {
            self.gap(file.span, GapReason::Limit);
        }
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
        let opened = absolute(&file.text, self.state.directory(), self.facts);
        if let Some(id) = opened.and_then(|path| self.connected_at(&path)) {
            self.send_to(id, &content);
            return;
        }
        if file.text.as_known().and_then(descriptor::of) == Some((Some(1), "")) {
            self.streams.write_by_name(&content);
        }
        self.named_by_script(file);
        if self.is_written_through(file, mode) {
            self.gap(file.span, GapReason::UnknownCode);
        }
        for hidden in self.hidden_among(file) {
            self.at_most(Certainty::Likely, |walk| walk.write(&hidden, mode, content.clone()));
        }
        for told in self.told_by_files(file, Done::Changed) {
            self.at_most(Certainty::Likely, |walk| walk.write(&told, mode, content.clone()));
        }
        // A second name for what a file names.
        if mode == WriteMode::Link {
            let leads_to = Argument { text: content.clone(), span: file.span };
            for told in self.told_by_files(&leads_to, Done::Changed) {
                self.at_most(Certainty::Likely, |walk| {
                    walk.hand(&told, true);
                    walk.write(file, mode, told.text);
                });
            }
        }
        let target = match mode {
            WriteMode::Link | WriteMode::Create => self.target(&file.text),
            _ => self.followed(&file.text),
        };
        if let Some(path) = &target.path {
            self.reaches_readers(&path.clone(), &content, file.span);
        }
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
        if mode == WriteMode::Link {
            self.make_unclear_link(file, target.path.as_deref(), &content);
        } else if target.path.as_deref().is_some_and(|path| self.provenance.is_obscure(path)) {
            self.gap(file.span, GapReason::UnknownCode);
        }
        if let Some(path) = &target.path
            && !is_device(path)
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
        for target in self.otherwise(&file.text) {
            let kind = EffectKind::Write { target, mode, content: content.clone() };
            self.at_most(Certainty::Likely, |walk| walk.emit(kind, file.span));
        }
        let starts = target.path.as_ref().and_then(|_| place::persistence_of(&target, self.facts));
        self.emit(EffectKind::Write { target, mode, content: content.clone() }, file.span);
        if let Some(starts) = starts {
            self.startup(starts.kind, &content, file.span);
        }
    }

    /// What is written to a file that a program beside the script reads goes where that one sends it: `nc HOST PORT < pipe & tar -cf pipe x`.
    fn reaches_readers(&mut self, path: &str, content: &Text, span: Span) {
        for reader in self.streams.readers(path) {
            let from = usize::try_from(reader.0).unwrap_or(usize::MAX);
            let sends = |effect: &&Effect| {
                matches!(&effect.kind, EffectKind::Connect(connection)
                    if connection.sends.as_ref().is_some_and(|sends| sends.sources.contains(&reader)))
            };
            let behind = self.recorder.effects.list.get(from..).unwrap_or_default();
            let found = behind.iter().leading(PASSED).position(|effect| sends(&effect));
            if found.is_none() && behind.len() > PASSED {
                self.gap(span, GapReason::Limit);
            }
            if let Some(id) = found.and_then(|at| u32::try_from(from + at).ok()) {
                self.send_to(EffectId(id), content);
            }
        }
    }

    /// A file whose name a script makes of nothing but what stands in it, in a way that is not followed, is not understood.
    fn named_by_script(&mut self, file: &Argument) {
        let path = || self.target(&file.text).path;
        if self.is_of_script(&file.text) || path().is_some_and(|path| self.is_astray(&path)) {
            self.gap(file.span, GapReason::UnknownCode);
        }
    }

    /// Whether a path leads through what some process has open, and nobody knows where to.
    fn is_astray(&self, path: &str) -> bool {
        descriptor::is_of_process(path)
            && !matches!(descriptor::of(path), Some((Some(0..=2), _)))
            && !descriptor::is_pipe(path)
    }

    /// Whether what is not known of a text comes from nowhere else than the script that is read.
    pub(in crate::understand) fn is_of_script(&self, text: &Text) -> bool {
        let is_unknown = || text.pieces.iter().any(|piece| matches!(piece, Piece::Unknown(_)));
        let from_elsewhere = [Taint::SECRET, Taint::NETWORK, Taint::FILE, Taint::PRIVATE];
        let is_untouched = text.sources.is_empty()
            && !from_elsewhere.into_iter().any(|taint| text.taint.has(taint));
        is_not_followed(text) || self.control.is_in_closed_script && is_untouched && is_unknown()
    }

    /// A script reads a file for what is in it. Where that was not written by the call itself, something comes in.
    pub(in crate::understand) fn read_by_script(&mut self, file: &Argument) -> Text {
        self.control.is_in_closed_script &= self.wrote(&file.text);
        self.read(file)
    }

    /// Whether a script is read from here on that takes nothing from elsewhere; gives what was so before.
    pub(in crate::understand) fn in_closed_script(&mut self, is_closed: bool) -> bool {
        std::mem::replace(&mut self.control.is_in_closed_script, is_closed)
    }

    /// The program deletes a file or directory.
    pub fn delete(&mut self, file: &Argument, recursive: bool) {
        self.named_by_script(file);
        for hidden in self.hidden_among(file) {
            self.at_most(Certainty::Likely, |walk| walk.delete(&hidden, recursive));
        }
        for told in self.told_by_files(file, Done::Gone) {
            self.at_most(Certainty::Likely, |walk| walk.delete(&told, recursive));
        }
        for target in self.otherwise(&file.text) {
            self.at_most(Certainty::Likely, |walk| {
                walk.emit(EffectKind::Delete { target, recursive }, file.span)
            });
        }
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
        for hidden in self.hidden_among(file) {
            self.at_most(Certainty::Likely, |walk| {
                walk.permission(&hidden, recursive, change.clone());
            });
        }
        for told in self.told_by_files(file, Done::Gone) {
            self.at_most(Certainty::Likely, |walk| {
                walk.permission(&told, recursive, change.clone());
            });
        }
        for target in self.otherwise(&file.text) {
            let kind = EffectKind::Permission { target, recursive, change: change.clone() };
            self.at_most(Certainty::Likely, |walk| walk.emit(kind, file.span));
        }
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

    /// What an earlier call of the session left in a file.
    pub(super) fn left_earlier(&self, target: &Target) -> Taint {
        target.path.as_deref().map_or(Taint::NONE, |path| self.facts.session.taint_of(path))
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

    /// Whether this directory, or one around it, was brought over the network by this call.
    pub(super) fn is_brought_whole(&self, path: &str) -> bool {
        self.provenance.is_brought_whole(path)
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

    /// Whether this call wrote the file.
    #[must_use]
    pub fn wrote(&self, file: &Text) -> bool {
        self.target(file).path.is_some_and(|path| self.state.file(&path).is_some())
    }
}

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
