//! How much is read of one call. Owns the counters of work and depth; what is left out is said by whoever asks.

use super::{
    DEPTH, WORK, WORK_AT_LEAST, WORK_OF_FILES, WORK_PER_BYTE, WORK_PER_FILE_BYTE, WORK_RESERVED,
};

/// Whether there is work left.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Remaining {
    /// There is.
    Enough,
    /// There is none, and this is the first time that it is said.
    NoneNow,
    /// There is none.
    Nothing,
}

/// The work that was done and may be done, and how deep it is.
#[derive(Debug)]
pub(super) struct Budget {
    depth: usize,
    done: usize,
    /// How much the texts are worth.
    allowance: usize,
    /// How much is left for files that are nobody's word yet, whatever the others took.
    reserve: usize,
    is_exhausted: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            depth: 0,
            done: 0,
            allowance: WORK_AT_LEAST,
            reserve: WORK_RESERVED,
            is_exhausted: false,
        }
    }
}

impl Budget {
    /// An argument of the call has this many bytes: more work is allowed.
    pub(super) fn allow_for_argument(&mut self, bytes: usize) {
        let worth = bytes.saturating_mul(WORK_PER_BYTE);
        self.allowance = self.allowance.saturating_add(worth).min(WORK);
    }

    /// A file of this many bytes is read as well.
    pub(super) fn allow_for_file(&mut self, bytes: usize) {
        let worth = bytes.saturating_mul(WORK_PER_FILE_BYTE);
        self.allowance = self.allowance.saturating_add(worth).min(WORK_OF_FILES);
    }

    /// A file of this many bytes is read that is nobody's word yet: there is work for it where others took all. Whether it is that which is kept.
    pub(super) fn reserve_for_file(&mut self, bytes: usize) -> bool {
        if !self.is_exhausted || self.reserve == 0 {
            return false;
        }
        let worth = bytes.saturating_mul(WORK_PER_FILE_BYTE).min(self.reserve);
        self.reserve = self.reserve.saturating_sub(worth);
        self.allowance = self.done.saturating_add(worth);
        self.is_exhausted = worth == 0;
        worth > 0
    }

    /// A file was read by what is kept for it; what follows has nothing of it.
    pub(super) fn end_reserve(&mut self) {
        self.allowance = self.done;
        self.is_exhausted = true;
    }

    /// Counts one unit of work.
    pub(super) fn spend(&mut self) -> Remaining {
        if self.done < self.allowance {
            self.done += 1;
            return Remaining::Enough;
        }
        if self.is_exhausted {
            return Remaining::Nothing;
        }
        self.is_exhausted = true;
        Remaining::NoneNow
    }

    /// Counts work that has no place of its own; what comes after the last of it meets the limit.
    pub(super) fn charge(&mut self, work: usize) {
        self.done = self.done.saturating_add(work).min(self.allowance);
    }

    /// Whether something was left out since there was no work left.
    pub(super) const fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }

    /// How much was done.
    pub(super) const fn done(&self) -> usize {
        self.done
    }

    /// Whether it goes no deeper.
    pub(super) const fn is_deepest(&self) -> bool {
        self.depth >= DEPTH
    }

    /// One level deeper.
    pub(super) fn deepen(&mut self) {
        self.depth += 1;
    }

    /// One level up.
    pub(super) fn rise(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_past_the_allowance_is_said_once() {
        let mut budget = Budget::default();
        budget.charge(WORK_AT_LEAST - 1);
        assert_eq!(budget.spend(), Remaining::Enough);
        assert!(!budget.is_exhausted());
        assert_eq!(budget.spend(), Remaining::NoneNow);
        assert_eq!(budget.spend(), Remaining::Nothing);
        assert!(budget.is_exhausted());
        assert_eq!(budget.done(), WORK_AT_LEAST);
    }

    #[test]
    fn what_is_kept_is_there_once_and_for_one_file_at_a_time() {
        let mut budget = Budget::default();
        assert!(!budget.reserve_for_file(1), "there is work left");
        budget.charge(usize::MAX);
        assert_eq!(budget.spend(), Remaining::NoneNow);
        assert!(budget.reserve_for_file(1));
        assert_eq!(budget.spend(), Remaining::Enough);
        budget.end_reserve();
        assert_eq!(budget.spend(), Remaining::Nothing);
        assert!(budget.reserve_for_file(usize::MAX));
        budget.charge(usize::MAX);
        assert_eq!(budget.spend(), Remaining::NoneNow);
        assert!(!budget.reserve_for_file(1), "it was used");
    }

    #[test]
    fn texts_and_files_add_to_the_allowance_up_to_what_is_allowed_of_each() {
        let mut budget = Budget::default();
        budget.allow_for_argument(1);
        budget.charge(usize::MAX);
        assert_eq!(budget.done(), WORK_AT_LEAST + WORK_PER_BYTE);
        budget.allow_for_argument(usize::MAX);
        budget.charge(usize::MAX);
        assert_eq!(budget.done(), WORK);
        budget.allow_for_file(usize::MAX);
        budget.charge(usize::MAX);
        assert_eq!(budget.done(), WORK_OF_FILES);
    }

    #[test]
    fn levels_are_bounded_and_come_back() {
        let mut budget = Budget::default();
        for _ in 0..DEPTH {
            assert!(!budget.is_deepest());
            budget.deepen();
        }
        assert!(budget.is_deepest());
        budget.rise();
        assert!(!budget.is_deepest());
    }
}
