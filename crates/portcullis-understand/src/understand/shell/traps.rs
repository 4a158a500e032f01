//! What `trap` set aside: code for the end of a shell, and code that runs whenever it pleases. Owns when which of it is due; it is read by
//! `leave`.

use portcullis_syntax::Span;

use crate::{bound::Bounded, effect::LayerId, text::Text};

/// How many traps of each kind are kept.
pub(super) const TRAPS: usize = 16;

/// How often what traps run is read anew after something changed.
const SPRINGS: usize = 64;

/// Code that was set aside, with the layer that it stands in.
#[derive(Clone, Debug)]
pub(super) struct Trap {
    pub(super) code: Text,
    pub(super) span: Span,
    pub(super) layer: LayerId,
}

/// How many traps of each kind there were when a shell began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    at_end: usize,
    set: usize,
    inherited: usize,
}

/// What is due at the end of a shell.
#[derive(Debug)]
pub(super) enum Due {
    /// Every trap that was set, once more.
    All,
    /// One that waits for the end.
    End(Trap),
}

/// The traps that are set.
#[derive(Debug, Default)]
pub(super) struct Traps {
    /// What runs when the script ends.
    at_end: Vec<Trap>,
    /// What runs whenever it pleases.
    set: Vec<Trap>,
    /// The changes of the state that they have seen.
    seen: usize,
    /// How often they were read since they were set.
    springs: usize,
    /// Whether a trap was set that nothing sprung since.
    is_unsprung: bool,
    /// How many of those that are set came from the shell around this one.
    inherited: usize,
}

impl Traps {
    /// Sets code aside for the end; `false` where there is too much.
    pub(super) fn set_at_end(&mut self, trap: Trap) -> bool {
        let has_room = self.at_end.len() < TRAPS;
        if has_room {
            self.at_end.push(trap);
        }
        has_room
    }

    /// Sets code aside that runs whenever it pleases; `changes` is the state that it sees. `false` where there is too much.
    pub(super) fn set(&mut self, trap: Trap, changes: usize) -> bool {
        let has_room = self.set.len() < TRAPS;
        if has_room {
            self.set.push(trap);
            self.seen = changes;
            self.is_unsprung = true;
        }
        has_room
    }

    /// A shell begins.
    pub(super) fn begin(&mut self) -> Before {
        let set = self.set.len();
        let inherited = std::mem::replace(&mut self.inherited, set);
        Before { at_end: self.at_end.len(), set, inherited }
    }

    /// How many of those that are set came from the shell around this one: it does not run them, but for `set -E`.
    pub(super) fn inherited(&self) -> usize {
        self.inherited
    }

    /// What is due at the end of a shell, one after the other.
    pub(super) fn due(&mut self, before: Before) -> Option<Due> {
        if self.is_unsprung && self.set.len() > before.set {
            self.seen = usize::MAX;
            return Some(Due::All);
        }
        (self.at_end.len() > before.at_end).then(|| self.at_end.pop().map(Due::End)).flatten()
    }

    /// A shell ended: its traps are gone.
    pub(super) fn end(&mut self, before: Before) {
        self.set.truncate(before.set);
        self.inherited = before.inherited;
    }

    /// The traps to read after something changed, none where nothing did; the place of the first of them as an error where they were
    /// read too often. What a trap runs does not spring it: they are taken out until [`Traps::put_back`].
    pub(super) fn spring(&mut self, changes: usize) -> Result<Vec<Trap>, Span> {
        if self.set.is_empty() || changes == self.seen {
            return Ok(Vec::new());
        }
        self.springs += 1;
        self.is_unsprung = false;
        match self.set.first() {
            Some(first) if self.springs > SPRINGS => Err(first.span),
            _ => Ok(std::mem::take(&mut self.set)),
        }
    }

    /// Puts traps back beside those that they set themselves; gives the place of the first for which there is no room.
    pub(super) fn put_back(&mut self, mut traps: Vec<Trap>, changes: usize) -> Option<Span> {
        let room = TRAPS.saturating_sub(traps.len());
        let cut = self.set.get(room).map(|trap| trap.span);
        traps.extend(self.set.drain(..).leading(room));
        self.set = traps;
        self.seen = changes;
        cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trap(code: &str) -> Trap {
        Trap { code: Text::known(code), span: Span::new(0, code.len()), layer: LayerId(0) }
    }

    #[test]
    fn traps_are_read_after_a_change_and_not_by_what_they_do() {
        let mut traps = Traps::default();
        assert!(traps.spring(1).unwrap().is_empty());
        assert!(traps.set(trap("a"), 1));
        assert!(traps.spring(1).unwrap().is_empty(), "nothing changed");
        let read = traps.spring(2).unwrap();
        assert_eq!(read.len(), 1);
        assert!(traps.spring(3).unwrap().is_empty(), "they are being read");
        assert!(traps.set(trap("b"), 3));
        assert_eq!(traps.put_back(read, 3), None);
        assert_eq!(traps.spring(4).unwrap().len(), 2);
    }

    #[test]
    fn too_many_traps_and_too_many_readings_are_said() {
        let mut traps = Traps::default();
        for _ in 0..TRAPS {
            assert!(traps.set(trap("a"), 0) && traps.set_at_end(trap("a")));
        }
        assert!(!traps.set(trap("a"), 0) && !traps.set_at_end(trap("a")));
        for changes in 1..=SPRINGS {
            let read = traps.spring(changes).unwrap();
            assert_eq!(traps.put_back(read, changes), None);
        }
        assert_eq!(traps.spring(usize::MAX).unwrap_err(), Span::new(0, 1));
    }

    #[test]
    fn the_end_of_a_shell_is_its_own() {
        let mut traps = Traps::default();
        assert!(traps.set_at_end(trap("outer")));
        let before = traps.begin();
        assert!(traps.set_at_end(trap("inner")) && traps.set(trap("whenever"), 0));
        assert!(matches!(traps.due(before), Some(Due::All)));
        let read = traps.spring(0).unwrap();
        assert_eq!(read.len(), 1, "whatever changed");
        traps.put_back(read, 0);
        assert!(
            matches!(traps.due(before), Some(Due::End(trap)) if trap.code == Text::known("inner"))
        );
        assert!(traps.due(before).is_none());
        traps.end(before);
        assert!(traps.spring(1).unwrap().is_empty());
    }
}
