//! Where the streams of a script lead: the descriptors that it keeps open, where it sends what it prints, and the processes that wait for
//! what is written to them. Owns these as values; redirections are read by `redirect`.

use std::rc::Rc;

use portcullis_syntax::shell::Statement;

use crate::{
    effect::{Argument, EffectId, LayerId, WriteMode},
    text::{Piece, Text},
};

/// How many descriptors are kept open.
const DESCRIPTORS: usize = 64;

/// How many reads beside a script are remembered.
const BESIDE: usize = 64;

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
    /// Into what is read from another descriptor.
    Pipe(u32),
}

/// What reads a file that `>(…)` made.
#[derive(Debug)]
pub(super) struct Sink {
    pub(super) path: String,
    pub(super) body: Rc<[Statement]>,
    /// Where the body stands: another layer may be the one that writes to it.
    pub(super) layer: LayerId,
    /// What was written to it piece by piece.
    pub(super) content: Option<Text>,
}

/// The streams of a script.
#[derive(Debug, Default)]
pub(super) struct Streams {
    /// Descriptors that `exec` left open, those that count last.
    descriptors: Vec<(u32, Channel)>,
    /// The paths that descriptors were opened on, for reading too; the last of a number counts.
    pub(super) opened: Vec<(u32, String)>,
    /// Where `exec` sent what the script prints.
    pub(super) prints_to: Option<Channel>,
    /// What reads the files that `>(…)` makes.
    sinks: Vec<Sink>,
    /// Numbers the files that process substitutions make.
    pipes: u32,
    /// What the program that runs wrote to its own output by name: `cp FILE /dev/stdout`.
    by_name: Text,
    /// Files that what runs beside the script reads, each with where: one may be a pipe that waits for what is written later.
    beside: Vec<(String, EffectId)>,
}

impl Streams {
    /// Every descriptor that is open.
    pub(super) fn descriptors(&self) -> &[(u32, Channel)] {
        &self.descriptors
    }

    /// Keeps what is written to the output by its name.
    pub(super) fn write_by_name(&mut self, content: &Text) {
        self.by_name.append(content);
    }

    /// What was written to the output by its name since this was asked last.
    pub(super) fn take_by_name(&mut self) -> Text {
        std::mem::take(&mut self.by_name)
    }

    /// Where a descriptor leads.
    pub(super) fn channel(&self, number: u32) -> Option<&Channel> {
        self.descriptors.iter().rev().find(|(other, _)| *other == number).map(|(_, to)| to)
    }

    /// The text that is read from a descriptor, where it is one.
    pub(super) fn text_mut(&mut self, number: u32) -> Option<&mut Text> {
        let mut descriptors = self.descriptors.iter_mut().rev();
        match descriptors.find(|(other, _)| *other == number) {
            Some((_, Channel::Text(text))) => Some(text),
            _ => None,
        }
    }

    /// Opens descriptors in place of those that have their numbers.
    pub(super) fn open<const COUNT: usize>(&mut self, opened: [(u32, Channel); COUNT]) {
        self.descriptors.retain(|(number, _)| !opened.iter().any(|(other, _)| other == number));
        self.descriptors.extend(opened);
    }

    /// Puts others in the place of all descriptors; gives those that were open.
    pub(super) fn replace(&mut self, descriptors: Vec<(u32, Channel)>) -> Vec<(u32, Channel)> {
        std::mem::replace(&mut self.descriptors, descriptors)
    }

    /// Keeps no more descriptors than may be; `false` where there were more.
    pub(super) fn bound(&mut self) -> bool {
        let is_within = self.descriptors.len() <= DESCRIPTORS;
        self.descriptors.truncate(DESCRIPTORS);
        is_within
    }

    /// The path that a descriptor was opened on.
    pub(super) fn path_of(&self, number: u32) -> Option<&str> {
        self.opened.iter().rev().find(|(other, _)| *other == number).map(|(_, path)| path.as_str())
    }

    /// Other descriptors have paths from now on; gives those that had.
    pub(super) fn open_paths(&mut self, opened: &[(u32, String)]) -> Option<Vec<(u32, String)>> {
        (self.opened != opened).then(|| std::mem::replace(&mut self.opened, opened.to_vec()))
    }

    /// The descriptors have the paths again that they had; those that were opened in between may be open still.
    pub(super) fn close_paths(&mut self, before: Vec<(u32, String)>) {
        let between = std::mem::replace(&mut self.opened, before);
        let is_new = |(number, _): &(u32, String)| self.path_of(*number).is_none();
        let more: Vec<(u32, String)> = between.into_iter().filter(is_new).collect();
        self.opened.extend(more);
    }

    /// Whether a descriptor leads to a file.
    pub(super) fn holds_open(&self, path: &str) -> bool {
        self.descriptors.iter().any(|(_, channel)| {
            matches!(channel, Channel::File(file, _) if file.text.as_known() == Some(path))
        })
    }

    /// Whatever is read next of a descriptor with known text is any of what is left in it.
    pub(super) fn doubt(&mut self) {
        for (_, channel) in &mut self.descriptors {
            if let Channel::Text(text) = channel
                && !text.is_empty()
            {
                *text = text.derive([Piece::Unknown("a later line".into())]);
            }
        }
    }

    /// The texts that are read from descriptors.
    pub(super) fn texts(&self) -> impl Iterator<Item = &Text> {
        self.descriptors.iter().filter_map(|(_, channel)| match channel {
            Channel::Text(text) => Some(text),
            _ => None,
        })
    }

    /// What runs beside the script reads a file; `false` where there are more of these than are kept.
    pub(super) fn reads_beside(&mut self, path: &str, id: EffectId) -> bool {
        let is_within = self.beside.len() < BESIDE;
        if is_within {
            self.beside.push((path.to_owned(), id));
        }
        is_within
    }

    /// What reads a file beside the script.
    pub(super) fn readers(&self, path: &str) -> Vec<EffectId> {
        self.beside.iter().filter(|(other, _)| other == path).map(|(_, id)| *id).collect()
    }

    /// The path of a new file that a process substitution makes.
    pub(super) fn new_pipe(&mut self) -> String {
        self.pipes += 1;
        format!("/dev/fd/pipe{}", self.pipes)
    }

    /// A process waits for what is written to a file.
    pub(super) fn wait(&mut self, sink: Sink) {
        self.sinks.push(sink);
    }

    /// How many processes wait.
    pub(super) fn waiting(&self) -> usize {
        self.sinks.len()
    }

    /// The last process that began to wait after there were so many.
    pub(super) fn take_waiting(&mut self, before: usize) -> Option<Sink> {
        (self.sinks.len() > before).then(|| self.sinks.pop()).flatten()
    }

    /// The process that waits at a path.
    pub(super) fn sink_mut(&mut self, path: &str) -> Option<&mut Sink> {
        self.sinks.iter_mut().find(|sink| sink.path == path)
    }

    /// Whether a process waits at a path.
    pub(super) fn is_sink(&self, path: &str) -> bool {
        self.sinks.iter().any(|sink| sink.path == path)
    }

    /// The process that waits at a path; it waits no more.
    pub(super) fn take_sink(&mut self, path: &str) -> Option<Sink> {
        let at = self.sinks.iter().position(|sink| sink.path == path)?;
        Some(self.sinks.remove(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(known: &str) -> Channel {
        Channel::Text(Text::known(known))
    }

    #[test]
    fn the_last_descriptor_of_a_number_counts() {
        let mut streams = Streams::default();
        streams.replace(vec![(3, text("a")), (4, Channel::Nowhere), (3, text("b"))]);
        assert_eq!(streams.text_mut(3).map(|text| text.clone()), Some(Text::known("b")));
        assert!(streams.text_mut(4).is_none() && streams.channel(5).is_none());
        streams.open([(3, Channel::Nowhere), (5, text("c"))]);
        assert!(matches!(streams.channel(3), Some(Channel::Nowhere)));
        assert_eq!(streams.descriptors().len(), 3);
    }

    #[test]
    fn what_is_left_of_a_text_is_not_known_once_it_may_have_been_read() {
        let mut streams = Streams::default();
        streams.replace(vec![(3, text("a\nb")), (4, text(""))]);
        streams.doubt();
        let known: Vec<bool> = streams.texts().map(|text| text.as_known().is_some()).collect();
        assert_eq!(known, [false, true], "nothing is left of the second");
    }

    #[test]
    fn too_many_descriptors_are_said() {
        let mut streams = Streams::default();
        for (count, is_within) in [(DESCRIPTORS, true), (DESCRIPTORS + 1, false)] {
            streams.replace((0..count).map(|_| (3, Channel::Nowhere)).collect());
            assert_eq!(streams.bound(), is_within);
            assert_eq!(streams.descriptors().len(), DESCRIPTORS);
        }
    }

    #[test]
    fn a_process_waits_until_it_is_fed() {
        let mut streams = Streams::default();
        let before = streams.waiting();
        let path = streams.new_pipe();
        assert_ne!(streams.new_pipe(), path);
        let sink = Sink { path: path.clone(), body: Rc::new([]), layer: LayerId(0), content: None };
        streams.wait(sink);
        assert!(streams.is_sink(&path) && streams.sink_mut(&path).is_some());
        assert!(streams.take_waiting(before).is_some());
        assert!(!streams.is_sink(&path) && streams.take_sink(&path).is_none());
    }
}
