//! The programs that are being read, innermost last: what runs now was started by them. Owns their names and the effects that announced
//! them.

use crate::effect::EffectId;

/// How many patterns are followed through each other: a guessed wrapper may run a pattern again, and each of them multiplies
/// the ways. Past it, as with every pattern, the gap alone speaks.
const GUESSES: usize = 2;

/// The programs that are being read.
#[derive(Debug, Default)]
pub(super) struct Running {
    names: Vec<String>,
    /// Of those that were announced, the effects.
    announced: Vec<EffectId>,
    /// Whether the next program is one and no function or alias: what wrappers and `command` run.
    is_program_next: bool,
    /// From how many patterns in a program's place the one being read was guessed.
    guesses: usize,
}

impl Running {
    pub(super) fn begin(&mut self, name: &str, announced: Option<EffectId>) {
        self.names.push(name.to_owned());
        self.announced.extend(announced);
    }

    /// Ends the last one; `is_announced` as it began.
    pub(super) fn end(&mut self, is_announced: bool) {
        self.names.pop();
        if is_announced {
            self.announced.pop();
        }
    }

    /// How many of them have this name.
    pub(super) fn named(&self, name: &str) -> usize {
        self.names.iter().filter(|program| *program == name).count()
    }

    /// Their names, innermost first.
    pub(super) fn innermost(&self) -> impl Iterator<Item = &str> {
        self.names.iter().rev().map(String::as_str)
    }

    /// The effect of the innermost one that was announced.
    pub(super) fn announced(&self) -> Option<EffectId> {
        self.announced.last().copied()
    }

    /// The effects of those that were announced, outermost first.
    pub(super) fn all_announced(&self) -> &[EffectId] {
        &self.announced
    }

    /// The next program is one, and no function or alias; or it may be any.
    pub(super) fn expect_program(&mut self, is_program: bool) {
        self.is_program_next = is_program;
    }

    /// Whether this program is one for sure; the one after it may be any.
    pub(super) fn take_expected(&mut self) -> bool {
        std::mem::take(&mut self.is_program_next)
    }

    /// Whether one more program may be guessed. Every [`Running::guess`] needs a [`Running::guessed`].
    pub(super) fn may_guess(&self) -> bool {
        self.guesses < GUESSES
    }

    pub(super) fn guess(&mut self) {
        self.guesses += 1;
    }

    pub(super) fn guessed(&mut self) {
        self.guesses = self.guesses.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_end_in_the_order_that_they_began_in() {
        let mut running = Running::default();
        running.begin("sudo", Some(EffectId(1)));
        running.begin("GIT_PAGER", None);
        running.begin("less", Some(EffectId(2)));
        assert_eq!(running.innermost().collect::<Vec<_>>(), ["less", "GIT_PAGER", "sudo"]);
        running.end(true);
        running.end(false);
        assert_eq!(running.announced(), Some(EffectId(1)));
        assert_eq!((running.named("sudo"), running.named("less")), (1, 0));
    }

    #[test]
    fn only_the_next_program_is_expected_to_be_one() {
        let mut running = Running::default();
        running.expect_program(true);
        assert!(running.take_expected());
        assert!(!running.take_expected());
    }

    #[test]
    fn guesses_from_guesses_end() {
        let mut running = Running::default();
        for _ in 0..GUESSES {
            assert!(running.may_guess());
            running.guess();
        }
        assert!(!running.may_guess());
        running.guessed();
        assert!(running.may_guess());
    }
}
