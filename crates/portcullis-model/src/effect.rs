//! What an action would do. Owns the vocabulary of effects, their places and the data flows between them; it does not
//! say which of them are bad.

use std::collections::BTreeSet;

use portcullis_syntax::Span;

use crate::{content::NotRead, contract::Act, finding::FilePlace, standing::Standing, text::Text};

mod begun;
mod gap;
mod kinds;
mod layer;
mod programs;
mod run;

pub use begun::Begun;
pub use gap::{Gap, GapReason};
pub use kinds::Kinds;
pub use layer::{Layer, LayerId, LayerOrigin, Location, STAND_INS, stand_in, stands_for};
pub use programs::Programs;
pub use run::{Argument, Arguments, Run};

pub use crate::text::EffectId;

/// Everything that an action would do, as far as it was understood.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// The texts that effects point into: the arguments first, then decoded and nested ones.
    pub layers: Vec<Layer>,
    /// The effects in the order found.
    pub list: Vec<Effect>,
    /// Data that flows from one effect into another, in the order of where it goes; see [`Effects::draw`].
    pub flows: Vec<Flow>,
    /// What was not understood.
    pub gaps: Vec<Gap>,
    /// What was not followed in files that were there before, where it is no question: see `Walk::gap` in `portcullis-understand`.
    pub unfollowed: Vec<Gap>,
    /// The files that would be started, in the order found.
    pub files: Vec<Started>,
    /// Absolute paths of which the facts say nothing and whose content is wanted.
    pub wanted: BTreeSet<String>,
    /// Absolute paths of which the facts say nothing and where it would make a difference that a directory stands there.
    pub asked: BTreeSet<String>,
    /// What the agent would get to see: not the text itself, only where it comes from.
    pub shown: Text,
    /// Where the unknown values come from that stand in nested layers as one character each, see [`stand_in`].
    pub unknown: Vec<Box<str>>,
    /// How much work it was to understand it, in the units of the bounds that there are for that.
    pub work: usize,
    /// The line in a terminal that what was typed leaves unfinished; `None` where nothing was typed.
    pub typed: Option<String>,
    /// The commands of it that may go on when the call has ended.
    pub lasting: Vec<Begun>,
    /// Where its programs stand in `list`; see [`Effects::say_what_is_cut`].
    pub programs: Programs,
}

/// A file that would be started, loaded, or given to something that acts on it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Started {
    /// Its absolute path.
    pub path: String,
    /// What makes it start.
    pub at: Location,
    /// What it is read as: `shell`, `python`, `makefile`…
    pub language: &'static str,
    /// Its text as a layer, where it was read.
    pub layer: Option<LayerId>,
    /// The SHA-256 of what was read, in hexadecimal; `None` for what this call writes itself.
    pub digest: Option<String>,
    /// How many bytes it has, where it was looked at.
    pub bytes: Option<u64>,
    /// Whether all of it was read.
    pub whole: bool,
    /// Why it was not read.
    pub not_read: Option<NotRead>,
    /// Whether the last commit holds it as it stands and nothing of this session wrote it.
    pub is_settled: bool,
}

/// The most effects that are followed back from one text; longer chains are not written by hand.
const FOLLOWED: usize = 256;

/// How many effects before and after one rules look at, and how many programs of its layer for the one that it belongs to.
pub const LOOKED_BACK: usize = 256;

/// How many places are kept that were not followed in files; they are counted by nobody.
pub const UNFOLLOWED: usize = 256;

/// How much of the lines around a finding in a file is shown.
const SHOWN_OF_LINE: usize = 500;

/// The longest origin of an unknown value that is shown; a longer one could be half of a secret when it is cut.
const SHOWN_ORIGIN: usize = 40;

/// One thing that an action would do.
#[derive(Clone, Debug)]
pub struct Effect {
    /// What.
    pub kind: EffectKind,
    /// Where it is written.
    pub at: Location,
    /// How certain it is that it would happen.
    pub certainty: Certainty,
    /// Whether it happens in a container, which has files, users and a system of its own: what is changed there is gone with it.
    pub contained: bool,
    /// Whether it happened in an earlier call of the session, and is here for what flows from it.
    pub earlier: bool,
}

/// How certain an effect is.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Certainty {
    /// Never by this text: it stands in a function that is defined here, and that nothing here can call.
    Defined,
    /// Only if something else happens first: a function that is defined and not called, a later session.
    Possible,
    /// On some path through the text, or with a value that is only half known.
    Likely,
    /// As written.
    Certain,
}

/// What an action would do.
#[derive(Clone, Debug)]
pub enum EffectKind {
    /// Run a program.
    Run(Run),
    /// Read a file.
    Read(Target),
    /// Create or change a file.
    Write {
        /// Which.
        target: Target,
        /// How.
        mode: WriteMode,
        /// What is written, as far as it is known.
        content: Text,
    },
    /// Delete a file or a directory.
    Delete {
        /// Which.
        target: Target,
        /// With everything below it.
        recursive: bool,
    },
    /// Change who may do what with a file.
    Permission {
        /// Which.
        target: Target,
        /// With everything below it.
        recursive: bool,
        /// The new mode, owner, list or attribute.
        change: PermissionChange,
    },
    /// Give one of the gate's or an agent's own files to a program that does with files what it likes: an editor, version
    /// control, a mount. It is told of no other files, because what becomes of them is not known.
    Hand {
        /// Which.
        target: Target,
        /// Whether the program is known to change what it is given.
        changes: bool,
    },
    /// Put what version control keeps in the place of what stands somewhere in a work tree.
    Discard {
        /// Where.
        target: Target,
        /// Whether it is done to the whole work tree that the directory belongs to.
        whole: bool,
    },
    /// Run text as code.
    Execute {
        /// What runs it: `shell`, `python`, …
        language: &'static str,
        /// The code, as far as it is known.
        code: Text,
    },
    /// Talk to the network.
    Connect(Connection),
    /// Act with another user's rights.
    Privilege {
        /// The user; `root` where none is named.
        user: Text,
    },
    /// Stop a process.
    Kill {
        /// The processes, as written.
        target: Text,
        /// Every process that may be signalled.
        everything: bool,
    },
    /// Give a variable that programs obey (`LD_PRELOAD`, `PATH`, `BASH_ENV`…) a value.
    Environment {
        /// The variable.
        name: String,
        /// Its value.
        value: Text,
    },
    /// Send a statement to a database.
    Query {
        /// The statement, as far as it is known.
        statement: Text,
    },
    /// Something that a rule alone describes: the rule's id.
    Noted(&'static str),
    /// Have a tool do what only it can do, by its contract.
    Act(Box<Act>),
}

/// A file or directory.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Target {
    /// As written and expanded.
    pub text: Text,
    /// The absolute, normalised path with globs as written, where enough is known.
    pub path: Option<String>,
    /// What the path means, once it was asked for.
    pub standing: Standing,
}

impl Target {
    /// A target by its text and path.
    #[must_use]
    pub fn new(text: Text, path: Option<String>) -> Self {
        Self { text, path, standing: Standing::default() }
    }
}

/// How a file is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum WriteMode {
    /// What was there is gone.
    Replace,
    /// Something is added.
    Append,
    /// It is changed in place.
    Edit,
    /// It is made, and fails or does nothing where it exists (`mkdir`, `touch`).
    Create,
    /// Another name for an existing file: the link's target is the content.
    Link,
}

/// A change of permissions.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum PermissionChange {
    /// `chmod`: the mode as written.
    Mode(Text),
    /// `chown`, `chgrp`: the owner as written.
    Owner(Text),
    /// Access lists, attributes, capabilities: as written.
    Attribute(Text),
}

/// A connection.
#[derive(Clone, Debug)]
pub struct Connection {
    /// The address, URL or host as written.
    pub address: Text,
    /// The host in lower case, where it is known.
    pub host: Option<String>,
    /// Whether data of the user goes out (an upload, a request body, a shell's output).
    pub sends: Option<Text>,
    /// Whether it waits for others to connect.
    pub listens: bool,
    /// Whether it surely stays on this machine.
    pub is_local: bool,
}

/// Data that flows from one effect into another.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Flow {
    /// Where it comes from.
    pub from: EffectId,
    /// Where it goes.
    pub to: EffectId,
}

impl Effects {
    /// Draws a flow, unless there are so many already; whether it is there.
    pub fn draw(&mut self, flow: Flow, most: usize) -> bool {
        let into = self.flows_into(flow.to);
        if into.contains(&flow) {
            return true;
        }
        if self.flows.len() >= most {
            return false;
        }
        let end = self.flows.partition_point(|known| known.to <= flow.to);
        self.flows.insert(end, flow);
        true
    }

    /// The flows into an effect.
    #[must_use]
    pub fn flows_into(&self, to: EffectId) -> &[Flow] {
        let start = self.flows.partition_point(|flow| flow.to < to);
        let into = self.flows.get(start..).unwrap_or_default();
        let end = into.partition_point(|flow| flow.to == to);
        into.get(..end).unwrap_or_default()
    }

    /// The effects that a text comes from, directly or through other effects, nearest first.
    pub fn origins(&self, text: &Text) -> Vec<&Effect> {
        self.followed(text.sources.clone()).0
    }

    /// The effects that these come from, themselves first, and whether there are more than are followed.
    fn followed(&self, mut open: Vec<EffectId>) -> (Vec<&Effect>, bool) {
        // In order, so that one is found quickly.
        let mut seen: Vec<EffectId> = Vec::new();
        let mut found = Vec::new();
        while let Some(id) = open.pop() {
            let Err(place) = seen.binary_search(&id) else { continue };
            if seen.len() >= FOLLOWED {
                return (found, true);
            }
            seen.insert(place, id);
            let Some(effect) = self.list.get(id.0 as usize) else { continue };
            found.push(effect);
            open.extend(self.flows_into(id).iter().map(|flow| flow.from));
        }
        (found, false)
    }

    /// The list is complete: finds where its programs stand, and records what rules will not see: data that comes from more effects than
    /// are followed back.
    pub fn say_what_is_cut(&mut self) {
        self.programs = Programs::of(&self.list);
        // Fewer flows than are followed cannot be too many.
        if self.flows.len() < FOLLOWED {
            return;
        }
        let mut cut: Vec<Location> = Vec::new();
        for (at, effect) in self.list.iter().enumerate() {
            let id = EffectId(u32::try_from(at).unwrap_or(u32::MAX));
            let acts = matches!(effect.kind, EffectKind::Connect(_) | EffectKind::Execute { .. });
            if acts && self.followed(vec![id]).1 {
                cut.push(effect.at);
            }
        }
        for at in cut {
            let gap = Gap { at, reason: GapReason::Limit };
            // Scripts are long: what is far apart in one is no question by itself.
            if self.in_file(at).is_some() {
                if self.unfollowed.len() < UNFOLLOWED && !self.unfollowed.contains(&gap) {
                    self.unfollowed.push(gap);
                }
                continue;
            }
            if !self.gaps.iter().any(|known| known.reason == GapReason::Limit) {
                self.gaps.push(gap);
            }
        }
    }

    /// Whether nobody knows which file it is about, or which host, or whether a program is given a word or an option: a variable says so
    /// that is set elsewhere. It may be judged as harmless then, and is not understood well enough to be approved for anybody.
    ///
    /// ```
    /// use portcullis_core::{action::Action, call::ToolCall, facts::Facts, gate::Gate};
    ///
    /// let is_open = |command: &str| {
    ///     let action = Action::from_call(ToolCall::shell(command)).unwrap();
    ///     Gate::default().judge(&action, &Facts::default()).effects.leave_open()
    /// };
    /// assert!(is_open("cat $FILE") && is_open("ls $DIRECTORY"));
    /// assert!(!is_open("cat README.md src/*.rs") && !is_open("FILE=a; cat $FILE"));
    /// ```
    #[must_use]
    pub fn leave_open(&self) -> bool {
        let begins_open = |text: &Text| text.has_unknown() && text.known_prefix().is_empty();
        self.list.iter().any(|effect| match &effect.kind {
            EffectKind::Run(run) => {
                begins_open(&run.name.text)
                    || run.arguments.iter().any(|argument| begins_open(&argument.text))
            }
            EffectKind::Read(target)
            | EffectKind::Write { target, .. }
            | EffectKind::Delete { target, .. }
            | EffectKind::Permission { target, .. }
            | EffectKind::Hand { target, .. }
            | EffectKind::Discard { target, .. } => target.text.has_unknown(),
            EffectKind::Execute { code, .. } => code.has_unknown(),
            EffectKind::Connect(connection) => connection.host.is_none(),
            EffectKind::Privilege { user: text }
            | EffectKind::Kill { target: text, .. }
            | EffectKind::Environment { value: text, .. }
            | EffectKind::Query { statement: text } => text.has_unknown(),
            EffectKind::Noted(_) | EffectKind::Act(_) => false,
        })
    }

    /// The text of a layer.
    #[must_use]
    pub fn layer_text(&self, layer: LayerId) -> &str {
        self.layers.get(usize::from(layer.0)).map_or("", |layer| layer.text.as_str())
    }

    /// A stretch of a nested layer and a span in it, for people: each unknown value stands there as its origin in `${…}`.
    pub fn shown(&self, text: &str, span: Span) -> (String, Span) {
        let mut shown = String::with_capacity(text.len());
        let range = span.range();
        let (mut start, mut end) = (None, None);
        for (at, character) in text.char_indices() {
            if at >= range.start {
                start.get_or_insert(shown.len());
            }
            if at >= range.end {
                end.get_or_insert(shown.len());
            }
            match stands_for(character).and_then(|number| self.unknown.get(number)) {
                Some(origin) => {
                    let short = origin.len() <= SHOWN_ORIGIN
                        && !origin.chars().any(|inner| stands_for(inner).is_some());
                    shown.push_str("${");
                    shown.push_str(if short { origin } else { "…" });
                    shown.push('}');
                }
                None => shown.push(character),
            }
        }
        let whole = shown.len();
        (shown, Span::new(start.unwrap_or(whole), end.unwrap_or(whole)))
    }

    /// The argument and the span in it that a location lies in, through every nested layer.
    #[must_use]
    pub fn outermost(&self, location: Location) -> (&str, Span) {
        let at = self.places(location).last().unwrap_or(location);
        match self.layers.get(usize::from(at.layer.0)).map(|layer| &layer.origin) {
            Some(LayerOrigin::Argument(pointer)) => (pointer, at.span),
            _ => ("", at.span),
        }
    }

    /// A location, and where each layer around it stands, from the inside out.
    fn places(&self, location: Location) -> impl Iterator<Item = Location> {
        std::iter::successors(Some(location), |at| {
            // A layer's parent always has a smaller index, so this ends.
            let outer = self.layers.get(usize::from(at.layer.0))?.origin.outer()?;
            (outer.layer.0 < at.layer.0).then_some(outer)
        })
    }

    /// The innermost file that a location lies in, with the place in it.
    #[must_use]
    pub fn in_file(&self, location: Location) -> Option<(&str, Location)> {
        self.places(location).find_map(|at| {
            match &self.layers.get(usize::from(at.layer.0))?.origin {
                LayerOrigin::File { path, .. } => Some((path.as_str(), at)),
                _ => None,
            }
        })
    }

    /// Whether the innermost file that a location lies in is the project's own word: the last commit holds it as it stands, and nothing of
    /// this session wrote it.
    #[must_use]
    pub fn is_settled(&self, location: Location) -> bool {
        let file = self.places(location).find(|at| {
            let layer = self.layers.get(usize::from(at.layer.0));
            layer.is_some_and(|layer| matches!(layer.origin, LayerOrigin::File { .. }))
        });
        file.is_some_and(|file| {
            self.files.iter().any(|it| it.layer == Some(file.layer) && it.is_settled)
        })
    }

    /// The innermost file that a location lies in, as findings name it.
    #[must_use]
    pub fn file_place(&self, location: Location) -> Option<FilePlace> {
        let (path, at) = self.in_file(location)?;
        let text = self.layer_text(at.layer);
        let range = at.span.range();
        let before = text.get(..text.floor_char_boundary(range.start)).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let from = start.max(text.floor_char_boundary(range.start.saturating_sub(SHOWN_OF_LINE)));
        let most =
            text.ceil_char_boundary(range.end.min(range.start.saturating_add(SHOWN_OF_LINE)));
        let after = text.get(most..).unwrap_or_default();
        let end = most + after.find('\n').unwrap_or(after.len());
        let end = end.min(text.ceil_char_boundary(most.saturating_add(SHOWN_OF_LINE)));
        let shown = text.get(from..end).unwrap_or_default().to_owned();
        let within =
            Span::new(range.start.saturating_sub(from), range.end.min(end).saturating_sub(from));
        Some(FilePlace {
            path: path.to_owned(),
            span: at.span,
            line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
            shown: (shown, within),
        })
    }

    /// Whether one location lies in another, or in a text that was computed from there.
    #[must_use]
    pub fn is_within(&self, inner: Location, outer: Location) -> bool {
        let range = outer.span.range();
        self.places(inner).any(|at| {
            let inner = at.span.range();
            at.layer == outer.layer && range.start <= inner.start && inner.end <= range.end
        })
    }
}
