//! Approvals that may still be used: for a call that is judged twice, once by each of two gates. Owns what an approval is bound to
//! and how long it lives; time is told to it.

use std::{collections::VecDeque, time::Duration};

use sha2::{Digest as _, Sha256};

/// How long an approval lives.
pub const LIFETIME: Duration = Duration::from_secs(60);

/// How many are kept.
pub const KEPT: usize = 64;

/// What an approval is bound to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ApprovalKey([u8; 32]);

impl ApprovalKey {
    /// The key of an action (by its digest, which holds the working directory too), the evidence that the reviewer saw, the policy, the model
    /// and the session.
    #[must_use]
    pub fn new(
        action: [u8; 32],
        cwd: Option<&str>,
        evidence: [u8; 32],
        policy: &str,
        model: &str,
        session: Option<&str>,
    ) -> Self {
        let mut hash = Sha256::new();
        let parts: [&[u8]; 6] = [
            &action,
            cwd.unwrap_or_default().as_bytes(),
            &evidence,
            policy.as_bytes(),
            model.as_bytes(),
            session.unwrap_or_default().as_bytes(),
        ];
        for part in parts {
            hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(part);
        }
        hash.update([u8::from(cwd.is_some()), u8::from(session.is_some())]);
        Self(hash.finalize().into())
    }
}

/// The approvals of a process.
#[derive(Clone, Debug, Default)]
pub struct Approvals {
    kept: VecDeque<(ApprovalKey, Duration)>,
}

impl Approvals {
    /// Keeps an approval that was given `now`, a time since any fixed moment.
    pub fn keep(&mut self, key: ApprovalKey, now: Duration) {
        self.kept.retain(|(other, _)| *other != key);
        if self.kept.len() >= KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back((key, now));
    }

    /// Uses an approval up. It counts once, and not after its lifetime or before it was given.
    pub fn take(&mut self, key: &ApprovalKey, now: Duration) -> bool {
        self.kept.retain(|(_, given)| now.checked_sub(*given).is_some_and(|age| age < LIFETIME));
        let before = self.kept.len();
        self.kept.retain(|(other, _)| other != key);
        self.kept.len() < before
    }

    /// Forgets all of them: something else may have changed what an approved action does.
    pub fn forget(&mut self) {
        self.kept.clear();
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u8) -> ApprovalKey {
        ApprovalKey::new([number; 32], Some("/w"), [0; 32], "p", "m", None)
    }

    #[test]
    fn an_approval_counts_once_and_not_for_long() {
        let mut approvals = Approvals::default();
        let second = Duration::from_secs;
        approvals.keep(key(1), second(10));
        assert!(!approvals.take(&key(2), second(11)));
        assert!(approvals.take(&key(1), second(69)));
        assert!(!approvals.take(&key(1), second(69)));
        approvals.keep(key(1), second(10));
        assert!(!approvals.take(&key(1), second(70)));
        approvals.keep(key(1), second(10));
        assert!(!approvals.take(&key(1), second(9)), "a clock that goes back approves nothing");
        for number in 0..=200 {
            approvals.keep(key(number), second(10));
        }
        assert_eq!(approvals.len(), KEPT);
        approvals.forget();
        assert!(approvals.is_empty());
    }

    #[test]
    fn everything_that_it_is_bound_to_makes_another_key() {
        let all = [
            ApprovalKey::new([1; 32], Some("/w"), [0; 32], "p", "m", None),
            ApprovalKey::new([2; 32], Some("/w"), [0; 32], "p", "m", None),
            ApprovalKey::new([1; 32], Some("/v"), [0; 32], "p", "m", None),
            ApprovalKey::new([1; 32], None, [0; 32], "p", "m", None),
            ApprovalKey::new([1; 32], Some(""), [0; 32], "p", "m", None),
            ApprovalKey::new([1; 32], Some("/w"), [3; 32], "p", "m", None),
            ApprovalKey::new([1; 32], Some("/w"), [0; 32], "q", "m", None),
            ApprovalKey::new([1; 32], Some("/w"), [0; 32], "p", "n", None),
            ApprovalKey::new([1; 32], Some("/w"), [0; 32], "pm", "", None),
            ApprovalKey::new([1; 32], Some("/w"), [0; 32], "p", "m", Some("s")),
            ApprovalKey::new([1; 32], Some("/w"), [0; 32], "p", "m", Some("")),
        ];
        for (place, one) in all.iter().enumerate() {
            assert!(all.iter().skip(place + 1).all(|other| other != one), "{place}");
        }
    }
}
