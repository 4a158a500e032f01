//! Commands that may still be running: what they start later may be another file by then. Owns how many of them are kept.

use serde::{Deserialize, Serialize};

use crate::effect::Begun;

/// How many bytes of commands are kept; the oldest is forgotten first.
const BYTES: usize = 16 << 10;

/// How many commands.
const COMMANDS: usize = 16;

/// The commands of a session, the newest last.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct Lasting {
    list: Vec<Begun>,
    /// Whether there were more: any file may be started by what was forgotten.
    is_cut: bool,
}

impl Lasting {
    /// Of a session that left none running.
    pub const NONE: Self = Self { list: Vec::new(), is_cut: false };

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && !self.is_cut
    }

    /// Whether one goes on that is not kept any more.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Keeps a command. The same one again is one.
    pub fn keep(&mut self, begun: Begun) {
        if begun.command.len() > BYTES / 2 {
            self.is_cut = true;
            return;
        }
        self.list.retain(|known| *known != begun);
        self.list.push(begun);
        while self.list.len() > COMMANDS || self.bytes() > BYTES {
            self.list.remove(0);
            self.is_cut = true;
        }
    }

    /// The commands, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Begun> {
        self.list.iter()
    }

    fn bytes(&self) -> usize {
        self.list.iter().map(|begun| begun.command.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(command: String) -> Begun {
        Begun { directory: Some("/w".to_owned()), command, writes: false }
    }

    #[test]
    fn the_newest_commands_are_kept_within_bounds_and_more_are_known_to_be_gone() {
        let mut lasting = Lasting::default();
        for _ in 0..100 {
            lasting.keep(begun("make &".to_owned()));
        }
        assert_eq!((lasting.iter().count(), lasting.is_cut()), (1, false));
        for number in 0..100 {
            lasting.keep(begun(format!("sh {number}.sh {} &", "x".repeat(900))));
        }
        assert!(lasting.bytes() <= BYTES && lasting.list.len() <= COMMANDS && lasting.is_cut());
        assert!(lasting.iter().last().is_some_and(|it| it.command.contains("99.sh")));
        let mut lasting = Lasting::default();
        lasting.keep(begun("x".repeat(BYTES)));
        assert!(lasting.is_cut() && !lasting.is_empty() && lasting.list.is_empty());
    }
}
