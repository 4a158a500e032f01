//! Redirections: where a command's input comes from and where its output goes. Owns descriptors; the files and
//! connections behind them are effects like any other.

use portcullis_syntax::Span;
use portcullis_syntax::shell::{Descriptor, Redirect, RedirectOperator};

use super::{descriptor, streams::Channel, walk::Walk};
use crate::{
    bound::Bounded,
    effect::{Argument, EffectId, EffectKind, GapReason, WriteMode},
    facts::PathKind,
    place::{self, Place},
    programs::host::Host,
    programs::invocation::TERMINAL,
    text::{Piece, Text},
};

/// What is written to a coprocess, and what comes from it.
const COPROCESS: &str = "a coprocess";

/// The numbers under which bash reads from a coprocess and writes to it.
const FROM_COPROCESS: (u32, u32) = (63, 60);

/// How many paths of descriptors are remembered.
const OPENED: usize = 64;

/// The first number that bash gives to `{name}<…`.
const FIRST_GIVEN: u32 = 10;

/// The descriptors of one command.
#[derive(Clone, Debug)]
pub(super) struct Wiring {
    pub(super) input: Channel,
    pub(super) output: Channel,
    others: Vec<(u32, Channel)>,
    /// The paths that descriptors were opened on.
    opened: Vec<(u32, String)>,
    /// The descriptor that the input is a second name of: what is read is taken from it.
    pub(super) input_from: Option<u32>,
    /// Whether the output was redirected, be it to where it went at the beginning.
    is_redirected: bool,
    /// Whether something could not be opened, or not be written to: then the command does not run, or fails.
    pub(super) may_fail: bool,
}

impl Wiring {
    /// A descriptor is opened on a path, or on something that has none.
    fn opens(&mut self, number: u32, path: Option<String>) {
        self.opened.retain(|(other, _)| *other != number);
        self.opened.extend(path.map(|path| (number, path)));
    }

    /// A descriptor is another name for one, or is closed.
    fn opens_as(&mut self, number: u32, target: &Argument) {
        let other = target.text.as_known().map(|known| known.trim_end_matches('-'));
        let other = other.and_then(|known| known.parse::<u32>().ok());
        let mut opened = self.opened.iter().rev();
        let path = opened.find(|(opened, _)| Some(*opened) == other);
        self.opens(number, path.map(|(_, path)| path.clone()));
    }
}

/// The descriptors that were open before a command opened its own.
pub(super) struct Before {
    descriptors: Option<Vec<(u32, Channel)>>,
    opened: Option<Vec<(u32, String)>>,
}

impl Walk<'_> {
    /// Reads the redirections of a command, in order.
    pub(super) fn wiring(&mut self, redirects: &[Redirect]) -> Wiring {
        let mut wiring = Wiring {
            input: Channel::Inherited,
            output: Channel::Inherited,
            others: self.streams.descriptors().to_vec(),
            opened: self.streams.opened.clone(),
            input_from: None,
            is_redirected: false,
            may_fail: false,
        };
        for redirect in redirects {
            self.redirect(redirect, &mut wiring);
        }
        if wiring.opened.len() > OPENED {
            // The oldest are forgotten.
            let excess = wiring.opened.len() - OPENED;
            wiring.opened.drain(..excess);
            let span = redirects.last().map_or_else(Span::default, |last| last.span);
            self.gap(span, GapReason::Limit);
        }
        wiring
    }

    /// What the command will read.
    pub(super) fn input_of(&self, wiring: &Wiring) -> Option<Text> {
        match &wiring.input {
            Channel::Inherited => self.input.clone(),
            Channel::Text(text) | Channel::Network(_, text) => Some(text.clone()),
            Channel::Nowhere | Channel::File(..) | Channel::Pipe(_) => Some(Text::default()),
        }
    }

    /// Sends what a command printed to where its output goes; gives back what is left for the command around it.
    pub(super) fn deliver(&mut self, wiring: Wiring, printed: Text) -> Text {
        let output = match (wiring.output, &self.streams.prints_to) {
            (Channel::Inherited, Some(channel)) if !wiring.is_redirected => channel.clone(),
            (output, _) => output,
        };
        match output {
            Channel::Inherited => printed,
            Channel::Nowhere | Channel::Text(_) => Text::default(),
            Channel::Pipe(into) => {
                if let Some(text) = self.streams.text_mut(into) {
                    text.append(&printed);
                }
                Text::default()
            }
            Channel::File(file, mode) => {
                self.write(&file, mode, printed);
                Text::default()
            }
            Channel::Network(id, _) => {
                self.send_to(id, &printed);
                Text::default()
            }
        }
    }

    /// What is written to a connection.
    pub(super) fn send_to(&mut self, id: EffectId, printed: &Text) {
        for source in &printed.sources {
            self.flow(*source, id);
        }
        let mut reached = None;
        if let Some(effect) = self.recorder.effects.list.get_mut(id.0 as usize)
            && let EffectKind::Connect(connection) = &mut effect.kind
        {
            connection.sends.get_or_insert_default().append(printed);
            // A command may be said in pieces.
            let said = connection.sends.clone().unwrap_or_default();
            let address = connection.address.clone();
            reached = Some((Argument { text: address, span: effect.at.span }, said));
        }
        if let Some((address, said)) = reached.filter(|_| !printed.is_empty()) {
            self.tell_store(&address, said);
        }
    }

    /// The connection that a path leads to by way of a descriptor: `/dev/fd/3`, `/proc/self/fd/3`.
    pub(super) fn connected_at(&self, path: &str) -> Option<EffectId> {
        let (Some(number), "") = descriptor::of(path)? else { return None };
        let channel = match number {
            1 => self.streams.prints_to.as_ref()?,
            _ => self.streams.channel(number)?,
        };
        match channel {
            Channel::Network(id, _) => Some(*id),
            _ => None,
        }
    }

    /// What a coprocess reads before anything was written to it.
    pub(super) fn for_coprocess() -> Text {
        Text::unknown(COPROCESS)
    }

    /// The descriptors of a coprocess under its name. One that prints what it reads is a pipe.
    pub(super) fn open_coprocess(&mut self, name: &str, printed: &Text) {
        let passes = printed.pieces == Self::for_coprocess().pieces;
        let (from, to) = FROM_COPROCESS;
        let read = if passes { Text::default() } else { Text::unknown(COPROCESS) };
        let written = if passes { Channel::Pipe(from) } else { Channel::Nowhere };
        self.streams.open([(from, Channel::Text(read)), (to, written)]);
        let numbers = [from, to].map(|number| (None, Text::known(number.to_string())));
        self.state.assign(name, vec![super::state::Value::Array(numbers.to_vec())]);
    }

    /// `exec` with redirections only: the descriptors stay.
    pub(super) fn keep(&mut self, wiring: Wiring) {
        if let Channel::Text(text) | Channel::Network(_, text) = &wiring.input {
            self.input = Some(text.clone());
        }
        // What the rest of the script prints goes into a process: it runs at the end, with an input that is not known.
        let to_process = matches!(&wiring.output, Channel::File(file, _) if self.is_sink(file));
        if wiring.is_redirected && !to_process {
            self.streams.prints_to = match wiring.output {
                Channel::Inherited => None,
                Channel::File(file, mode) => {
                    self.write(&file, mode, Text::default());
                    Some(Channel::File(file, WriteMode::Append))
                }
                other => Some(other),
            };
        }
        self.streams.replace(wiring.others);
        self.streams.open_paths(&wiring.opened);
        if !self.streams.bound() {
            let span = Span::new(0, self.recorder.layer_text().len());
            self.gap(span, GapReason::Limit);
        }
    }

    /// `{name}>FILE` stays open behind its command, whatever that is (bash(1), "REDIRECTION").
    pub(super) fn keep_named(&mut self, redirects: &[Redirect], wiring: &Wiring) {
        let count = redirects
            .iter()
            .filter(|redirect| matches!(redirect.descriptor, Some(Descriptor::Variable(_))))
            .count();
        if count == 0 {
            return;
        }
        // They have the highest numbers: each was given one that nobody had.
        let mut given: Vec<&(u32, Channel)> =
            wiring.others.iter().filter(|(number, _)| *number >= FIRST_GIVEN).collect();
        given.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
        for (number, channel) in given.into_iter().leading(count) {
            self.streams.open([(*number, channel.clone())]);
            let path = wiring.opened.iter().rev().find(|(other, _)| other == number);
            self.streams.opened.extend(path.cloned());
        }
        if !self.streams.bound() {
            let span = redirects.last().map_or_else(Span::default, |last| last.span);
            self.gap(span, GapReason::Limit);
        }
    }

    /// Whether a file is the input of a process that waits for it.
    fn is_sink(&self, file: &Argument) -> bool {
        file.text.as_known().is_some_and(|path| self.streams.is_sink(path))
    }

    /// The files behind the descriptors of a program may hold what it writes to them by itself.
    pub(super) fn written_by_program(&mut self, wiring: &Wiring) {
        let files: Vec<Argument> = wiring
            .others
            .iter()
            .filter(|(number, _)| *number > 2 && self.streams.channel(*number).is_none())
            .filter_map(|(_, channel)| match channel {
                Channel::File(file, _) => Some(file.clone()),
                _ => None,
            })
            .collect();
        for file in files {
            self.write(&file, WriteMode::Append, Text::unknown("a descriptor"));
        }
    }

    /// What was not read of a descriptor stays in it.
    pub(super) fn leave_in(&mut self, wiring: &Wiring) {
        if let Some(number) = wiring.input_from
            && let Some(left) = self.input.clone()
            && let Some(text) = self.streams.text_mut(number)
        {
            *text = left;
        }
    }

    /// How much of what is known is left to be read, by whatever descriptor.
    pub(super) fn unread(&self) -> usize {
        let others = self.streams.texts();
        let extent = |piece: &Piece| match piece {
            Piece::Known(known) => 1 + known.len(),
            Piece::Glob(_) | Piece::Unknown(_) => 1,
        };
        self.input.iter().chain(others).flat_map(|text| &text.pieces).map(extent).sum()
    }

    /// Exchanges the input with that of a descriptor; gives whether there is one.
    pub(super) fn exchange_input(&mut self, number: u32) -> bool {
        let Some(text) = self.streams.text_mut(number) else { return false };
        let outer = std::mem::take(text);
        let inner = self.input.replace(outer).unwrap_or_default();
        *text = inner;
        true
    }

    /// What a command with this output prints goes there, and not to where the script sends its own; gives the latter.
    pub(super) fn redirected(&mut self, wiring: &Wiring) -> Option<Channel> {
        let outer = self.streams.prints_to.clone();
        if wiring.is_redirected {
            self.streams.prints_to = None;
        }
        outer
    }

    /// A command's own descriptors are open while it runs; gives those that were before.
    pub(super) fn open_with(&mut self, wiring: &Wiring) -> Before {
        let own = wiring.others.len() > self.streams.descriptors().len();
        Before {
            descriptors: own.then(|| self.streams.replace(wiring.others.clone())),
            opened: self.streams.open_paths(&wiring.opened),
        }
    }

    pub(super) fn close_to(&mut self, before: Before) {
        if let Some(descriptors) = before.descriptors {
            self.streams.replace(descriptors);
        }
        if let Some(opened) = before.opened {
            self.streams.close_paths(opened);
        }
    }

    /// What is read from `/dev/fd/N`, where this script opened that descriptor.
    pub(super) fn descriptor(&self, path: &str) -> Option<Text> {
        let (Some(number), "") = descriptor::of(path)? else { return None };
        if number == 0 {
            return self.input.clone();
        }
        match self.streams.channel(number)? {
            Channel::Text(text) | Channel::Network(_, text) => Some(text.clone()),
            _ => None,
        }
    }

    /// A path with what a descriptor of this script was opened on in its place.
    pub(super) fn behind_descriptor(&self, path: String) -> String {
        let Some((Some(number), rest)) = descriptor::of(&path) else { return path };
        match self.streams.path_of(number) {
            Some(opened) => format!("{opened}{rest}"),
            None => path,
        }
    }

    fn redirect(&mut self, redirect: &Redirect, wiring: &mut Wiring) {
        use RedirectOperator as Op;
        let number = match &redirect.descriptor {
            Some(Descriptor::Number(number)) => Some(*number),
            Some(Descriptor::Variable(name)) => {
                let next = wiring.others.iter().map(|(number, _)| number + 1).max();
                let number = next.unwrap_or(0).max(FIRST_GIVEN);
                let value = super::state::Value::Scalar(Text::known(number.to_string()));
                self.state.assign(name, vec![value]);
                Some(number)
            }
            None => None,
        };
        if let Some(heredoc) = &redirect.heredoc {
            let body = self.single(heredoc);
            wiring.opens(number.unwrap_or(0), None);
            self.connect_channel(wiring, number.unwrap_or(0), Channel::Text(body));
            return;
        }
        let text = self.single(&redirect.target);
        let target = Argument { text, span: redirect.target.span };
        wiring.may_fail |= Self::may_not_open(redirect.operator, &target, wiring);
        match redirect.operator {
            Op::Heredoc | Op::HeredocStripped => {}
            Op::HereString => {
                let mut text = target.text;
                text.push_known("\n");
                wiring.opens(number.unwrap_or(0), None);
                self.connect_channel(wiring, number.unwrap_or(0), Channel::Text(text));
            }
            Op::Read => {
                self.hand_directory(&target);
                let path = self.followed(&target.text).path;
                let channel = self.open_for_reading(&target);
                wiring.opens(number.unwrap_or(0), path);
                self.connect_channel(wiring, number.unwrap_or(0), channel);
            }
            Op::ReadWrite => {
                self.hand_directory(&target);
                wiring.opens(number.unwrap_or(0), self.followed(&target.text).path);
                let channel = match self.network(&target) {
                    Some(channel) => channel,
                    None => {
                        self.write(&target, WriteMode::Edit, Text::default());
                        self.open_for_reading(&target)
                    }
                };
                self.connect_channel(wiring, number.unwrap_or(0), channel);
            }
            Op::Write | Op::Clobber => {
                self.open_output(wiring, number.unwrap_or(1), &target);
                let channel = self.open_for_writing(target, WriteMode::Replace);
                self.connect_channel(wiring, number.unwrap_or(1), channel);
            }
            Op::Append => {
                self.open_output(wiring, number.unwrap_or(1), &target);
                let channel = self.open_for_writing(target, WriteMode::Append);
                self.connect_channel(wiring, number.unwrap_or(1), channel);
            }
            // `>&word` is another name for a descriptor where the word turns out to be a number.
            Op::WriteBoth
                if is_descriptor(&target.text)
                    && self
                        .recorder
                        .effects
                        .layer_text(self.recorder.layer)
                        .get(redirect.span.range())
                        .is_some_and(|written| !written.starts_with("&>")) =>
            {
                let channel = self.duplicate(&target, wiring);
                wiring.opens_as(number.unwrap_or(1), &target);
                self.connect_channel(wiring, number.unwrap_or(1), channel);
            }
            Op::WriteBoth | Op::AppendBoth => {
                let mode = if redirect.operator == Op::WriteBoth {
                    WriteMode::Replace
                } else {
                    WriteMode::Append
                };
                self.open_output(wiring, 1, &target);
                self.open_output(wiring, 2, &target);
                let channel = self.open_for_writing(target, mode);
                self.connect_channel(wiring, 1, channel.clone());
                self.connect_channel(wiring, 2, channel);
            }
            Op::DuplicateInput | Op::DuplicateOutput => {
                let own = if redirect.operator == Op::DuplicateInput { 0 } else { 1 };
                let channel = self.duplicate(&target, wiring);
                wiring.opens_as(number.unwrap_or(own), &target);
                if number.unwrap_or(own) == 0 {
                    wiring.input_from =
                        target.text.as_known().and_then(|known| known.parse::<u32>().ok());
                }
                self.connect_channel(wiring, number.unwrap_or(own), channel);
            }
        }
    }

    /// Where a descriptor is written to, the file is written by itself: its path counts for the others only.
    fn open_output(&self, wiring: &mut Wiring, number: u32, target: &Argument) {
        let path = self.followed(&target.text).path;
        wiring.opens(number, path.filter(|_| number > 2));
    }

    fn connect_channel(&mut self, wiring: &mut Wiring, number: u32, channel: Channel) {
        match number {
            0 => wiring.input = channel,
            1 => {
                wiring.output = channel;
                wiring.is_redirected = true;
            }
            // A file that only standard error goes to is written all the same; what it holds is not known.
            2 => {
                if let Channel::File(file, mode) = &channel {
                    self.write(file, *mode, Text::unknown("messages"));
                }
                wiring.others.retain(|(other, _)| *other != 2);
                wiring.others.push((2, channel));
            }
            _ => {
                let channel = match channel {
                    // It is emptied once, and then written to its end.
                    Channel::File(file, mode @ (WriteMode::Replace | WriteMode::Append)) => {
                        if !self.is_sink(&file) {
                            self.write(&file, mode, Text::default());
                        }
                        Channel::File(file, WriteMode::Append)
                    }
                    other => other,
                };
                wiring.others.retain(|(other, _)| *other != number);
                wiring.others.push((number, channel));
            }
        }
    }

    fn duplicate(&mut self, target: &Argument, wiring: &Wiring) -> Channel {
        match target.text.as_known() {
            Some("0") => wiring.input.clone(),
            Some("1") => match (&wiring.output, &self.streams.prints_to) {
                (Channel::Inherited, Some(channel)) if !wiring.is_redirected => channel.clone(),
                (output, _) => output.clone(),
            },
            Some("2") => wiring
                .others
                .iter()
                .find(|(other, _)| *other == 2)
                .map_or(Channel::Nowhere, |(_, channel)| channel.clone()),
            Some(word) => {
                let word = word.trim_end_matches('-');
                let Ok(number) = word.parse::<u32>() else { return Channel::Nowhere };
                wiring
                    .others
                    .iter()
                    .rev()
                    .find(|(other, _)| *other == number)
                    .map_or(Channel::Inherited, |(_, channel)| channel.clone())
            }
            None => Channel::Nowhere,
        }
    }

    /// Nothing can be read from a directory that is opened so; it is there to be reached by its descriptor. The workspace, and what is
    /// for everybody, can be reached anyway.
    fn hand_directory(&mut self, target: &Argument) {
        let Some(path) = self.target(&target.text).path else { return };
        let facts = self.facts();
        let is_directory =
            || self.known_of(&path).is_some_and(|fact| fact.kind == PathKind::Directory);
        let leads_out = match place::place(&path, facts) {
            Place::Root | Place::HomeTop | Place::SystemTop => true,
            Place::Workspace
            | Place::WorkspaceTop
            | Place::Artifact
            | Place::Temporary
            | Place::TemporaryTop => false,
            _ => is_directory(),
        };
        if leads_out {
            self.note("credentials.directory.handed", target.span);
        }
    }

    fn open_for_reading(&mut self, target: &Argument) -> Channel {
        if let Some(channel) = self.network(target) {
            return channel;
        }
        match target.text.as_known() {
            Some("/dev/null") => Channel::Text(Text::default()),
            Some("/dev/stdin") => Channel::Inherited,
            Some("/dev/tty") => Channel::Text(Text::unknown(TERMINAL)),
            _ => Channel::Text(self.read(target)),
        }
    }

    fn open_for_writing(&mut self, target: Argument, mode: WriteMode) -> Channel {
        if let Some(channel) = self.network(&target) {
            return channel;
        }
        match target.text.as_known() {
            Some("/dev/null" | "/dev/stderr" | "/dev/tty" | "/dev/fd/2") => Channel::Nowhere,
            Some("/dev/stdout" | "/dev/fd/1") => Channel::Inherited,
            _ => Channel::File(target, mode),
        }
    }

    /// Whether a redirection may fail: everything that is opened by a name but what is always there, and closed descriptors.
    fn may_not_open(operator: RedirectOperator, target: &Argument, wiring: &Wiring) -> bool {
        use RedirectOperator as Op;
        let known = target.text.as_known();
        let is_open = |number: u32| {
            let channel = wiring.others.iter().rev().find(|(other, _)| *other == number);
            number <= 2 || matches!(channel, Some((_, Channel::Text(_) | Channel::Pipe(_))))
        };
        match operator {
            Op::Heredoc | Op::HeredocStripped | Op::HereString => false,
            Op::DuplicateInput | Op::DuplicateOutput => {
                !known.and_then(|known| known.parse().ok()).is_some_and(is_open)
            }
            _ => !matches!(known, Some("/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr")),
        }
    }

    /// bash's own `/dev/tcp/HOST/PORT` and `/dev/udp/HOST/PORT`.
    fn network(&mut self, target: &Argument) -> Option<Channel> {
        let shown = target.text.display();
        let rest = shown.strip_prefix("/dev/tcp/").or_else(|| shown.strip_prefix("/dev/udp/"))?;
        let mut address = target.text.clone();
        if target.text.as_known().is_some() {
            address = Text::known(rest.replacen('/', ":", 1));
        }
        let received = self.connect(&Argument { text: address, span: target.span }, None, false);
        let id = *received.sources.last()?;
        Some(Channel::Network(id, received))
    }
}

/// Whether a text is the number of a descriptor, or says that one is closed.
fn is_descriptor(text: &Text) -> bool {
    text.as_known().is_some_and(|known| {
        let number = known.strip_suffix('-').unwrap_or(known);
        !known.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}
