//! Redirections: where a command's input comes from and where its output goes. Owns descriptors; the files and
//! connections behind them are effects like any other.

use portcullis_syntax::shell::{Descriptor, Redirect, RedirectOperator};

use super::walk::Walk;
use crate::{
    effect::{Argument, EffectId, EffectKind, WriteMode},
    text::Text,
};

/// Where one descriptor leads.
#[derive(Clone, Debug)]
pub(super) enum Channel {
    /// To whatever is around the command.
    Inherited,
    /// Nowhere: `/dev/null`, a closed descriptor, standard error.
    Nowhere,
    /// Into or out of a file.
    File(Argument, WriteMode),
    /// To a connection, with what comes from it.
    Network(EffectId, Text),
    /// A text to be read.
    Text(Text),
}

/// Where what a person types comes from.
pub(crate) const TERMINAL: &str = "/dev/tty";

/// The first number that bash gives to `{name}<…`.
const FIRST_GIVEN: u32 = 10;

/// The descriptors of one command.
#[derive(Clone, Debug)]
pub(super) struct Wiring {
    pub(super) input: Channel,
    pub(super) output: Channel,
    others: Vec<(u32, Channel)>,
    /// Whether something could not be opened, or not be written to: then the command does not run, or fails.
    pub(super) may_fail: bool,
}

impl Walk<'_> {
    /// Reads the redirections of a command, in order.
    pub(super) fn wiring(&mut self, redirects: &[Redirect]) -> Wiring {
        let mut wiring = Wiring {
            input: Channel::Inherited,
            output: Channel::Inherited,
            others: self.descriptors.clone(),
            may_fail: false,
        };
        for redirect in redirects {
            self.redirect(redirect, &mut wiring);
        }
        wiring
    }

    /// What the command will read.
    pub(super) fn input_of(&self, wiring: &Wiring) -> Option<Text> {
        match &wiring.input {
            Channel::Inherited => self.input.clone(),
            Channel::Text(text) | Channel::Network(_, text) => Some(text.clone()),
            Channel::Nowhere | Channel::File(..) => Some(Text::default()),
        }
    }

    /// Sends what a command printed to where its output goes; gives back what is left for the command around it.
    pub(super) fn deliver(&mut self, wiring: Wiring, printed: Text) -> Text {
        match wiring.output {
            Channel::Inherited => printed,
            Channel::Nowhere | Channel::Text(_) => Text::default(),
            Channel::File(file, mode) => {
                self.write(&file, mode, printed);
                Text::default()
            }
            Channel::Network(id, _) => {
                for source in &printed.sources {
                    self.flow(*source, id);
                }
                if let Some(effect) = self.effects.list.get_mut(id.0 as usize)
                    && let EffectKind::Connect(connection) = &mut effect.kind
                {
                    connection.sends.get_or_insert_default().append(&printed);
                }
                Text::default()
            }
        }
    }

    /// `exec` with redirections only: the descriptors stay.
    pub(super) fn keep(&mut self, wiring: Wiring) {
        if let Channel::Text(text) | Channel::Network(_, text) = &wiring.input {
            self.input = Some(text.clone());
        }
        // What the rest of the script prints goes into a process: it runs at the end, with an input that is not known.
        let to_process = matches!(&wiring.output, Channel::File(file, _)
            if self.sinks.iter().any(|sink| file.text.as_known() == Some(&sink.path)));
        if !matches!(wiring.output, Channel::Inherited) && !to_process {
            self.deliver(wiring.clone(), Text::default());
        }
        self.descriptors = wiring.others;
        self.descriptors.truncate(64);
    }

    /// A command's own descriptors are open while it runs; gives those that were before.
    pub(super) fn open_with(&mut self, wiring: &Wiring) -> Option<Vec<(u32, Channel)>> {
        let own = wiring.others.len() > self.descriptors.len();
        own.then(|| std::mem::replace(&mut self.descriptors, wiring.others.clone()))
    }

    pub(super) fn close_to(&mut self, before: Option<Vec<(u32, Channel)>>) {
        if let Some(before) = before {
            self.descriptors = before;
        }
    }

    /// What is read from `/dev/fd/N`, where this script opened that descriptor.
    pub(super) fn descriptor(&self, path: &str) -> Option<Text> {
        let rest = path.strip_prefix("/dev/fd/").or_else(|| {
            let rest = path.strip_prefix("/proc/")?;
            rest.split_once("/fd/").map(|(_, number)| number)
        })?;
        let number: u32 = rest.parse().ok()?;
        if number == 0 {
            return self.input.clone();
        }
        self.descriptors.iter().rev().find(|(other, _)| *other == number).and_then(
            |(_, channel)| match channel {
                Channel::Text(text) | Channel::Network(_, text) => Some(text.clone()),
                _ => None,
            },
        )
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
            self.connect_channel(wiring, number.unwrap_or(0), Channel::Text(body));
            return;
        }
        let text = self.single(&redirect.target);
        let target = Argument { text, span: redirect.target.span };
        wiring.may_fail |= Self::may_not_open(redirect.operator, &target);
        match redirect.operator {
            Op::Heredoc | Op::HeredocStripped => {}
            Op::HereString => {
                let mut text = target.text;
                text.push_known("\n");
                self.connect_channel(wiring, number.unwrap_or(0), Channel::Text(text));
            }
            Op::Read => {
                let channel = self.open_for_reading(&target);
                self.connect_channel(wiring, number.unwrap_or(0), channel);
            }
            Op::ReadWrite => {
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
                let channel = self.open_for_writing(target, WriteMode::Replace);
                self.connect_channel(wiring, number.unwrap_or(1), channel);
            }
            Op::Append => {
                let channel = self.open_for_writing(target, WriteMode::Append);
                self.connect_channel(wiring, number.unwrap_or(1), channel);
            }
            Op::WriteBoth | Op::AppendBoth => {
                let mode = if redirect.operator == Op::WriteBoth {
                    WriteMode::Replace
                } else {
                    WriteMode::Append
                };
                let channel = self.open_for_writing(target, mode);
                self.connect_channel(wiring, 1, channel.clone());
                self.connect_channel(wiring, 2, channel);
            }
            Op::DuplicateInput | Op::DuplicateOutput => {
                let own = if redirect.operator == Op::DuplicateInput { 0 } else { 1 };
                let channel = self.duplicate(&target, wiring);
                self.connect_channel(wiring, number.unwrap_or(own), channel);
            }
        }
    }

    fn connect_channel(&mut self, wiring: &mut Wiring, number: u32, channel: Channel) {
        match number {
            0 => wiring.input = channel,
            1 => wiring.output = channel,
            // A file that only standard error goes to is written all the same; what it holds is not known.
            2 => {
                if let Channel::File(file, mode) = &channel {
                    self.write(file, *mode, Text::unknown("messages"));
                }
                wiring.others.retain(|(other, _)| *other != 2);
                wiring.others.push((2, channel));
            }
            _ => {
                if let Channel::File(file, WriteMode::Replace | WriteMode::Append) = &channel {
                    self.write(file, WriteMode::Append, Text::unknown("a descriptor"));
                }
                wiring.others.retain(|(other, _)| *other != number);
                wiring.others.push((number, channel));
            }
        }
    }

    fn duplicate(&mut self, target: &Argument, wiring: &Wiring) -> Channel {
        match target.text.as_known() {
            Some("0") => wiring.input.clone(),
            Some("1") => wiring.output.clone(),
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
    fn may_not_open(operator: RedirectOperator, target: &Argument) -> bool {
        use RedirectOperator as Op;
        let known = target.text.as_known();
        match operator {
            Op::Heredoc | Op::HeredocStripped | Op::HereString => false,
            Op::DuplicateInput | Op::DuplicateOutput => !matches!(known, Some("0" | "1" | "2")),
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
