//! What is chosen while a session goes on: modes, analyzers, confirmation, rules, kinds of calls that nobody is asked about. Owns which of that
//! the managed configuration locks.

use std::sync::{Arc, PoisonError};

use portcullis_core::{
    analyze::Ensemble,
    decision::{Decision, Layer, Verdict},
    policy::{Confirmation, Mode, Policy, Rule},
};

use super::{Regime, Session, decision::allow, judged::Judged};
use crate::{
    alike::Like,
    config::{Configuration, Lock},
};

/// What only the managed configuration says cannot be changed by anybody else.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the managed configuration locks `{0}`")]
pub struct Locked(&'static str);

impl Session {
    /// The policy that calls are judged under.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        self.base.gate.policy()
    }

    /// Judges under another permission mode from here on: whoever runs the agent chose it. Where a mode is locked, a looser one is none.
    pub const fn set_mode(&mut self, mode: Option<Mode>) {
        self.mode = mode;
    }

    /// What identifies the policy that calls are judged under.
    #[must_use]
    pub fn policy_id(&self) -> &str {
        &self.base.configuration.policy_id
    }

    /// The permission mode that is enforced.
    #[must_use]
    pub fn mode(&self) -> Option<Mode> {
        let policy = &self.base.configuration.policy;
        policy.permissions().for_call(self.base.configuration.mode_for_call(self.mode))
    }

    /// Judges with other analyzers from here on; with those of the configuration where none are given.
    ///
    /// # Errors
    /// [`Locked`] where only the managed configuration chooses them.
    pub fn set_analyzers(&mut self, analyzers: Option<Ensemble>) -> Result<(), Locked> {
        self.unlocked(Lock::Analyzers, "analyzers")?;
        self.analyzers = analyzers;
        self.rebase(self.base.configuration.clone());
        Ok(())
    }

    /// Asks about other risks from here on; about those of the configuration where nothing is given.
    ///
    /// # Errors
    /// [`Locked`] where only the managed configuration chooses them.
    pub fn set_confirmation(&mut self, confirmation: Option<Confirmation>) -> Result<(), Locked> {
        self.unlocked(Lock::Confirmation, "confirmation")?;
        self.confirmation = confirmation;
        self.rebase(self.base.configuration.clone());
        Ok(())
    }

    /// Allows what these rules cover from here on.
    ///
    /// # Errors
    /// [`Locked`] where only the managed configuration allows.
    pub fn allow(&mut self, rules: impl IntoIterator<Item = Rule>) -> Result<(), Locked> {
        self.unlocked(Lock::Allow, "rules.allow")?;
        self.rebase(self.base.configuration.allowing(rules));
        Ok(())
    }

    /// Asks no more about calls of a kind from here on: `by` said so.
    ///
    /// # Errors
    /// [`Locked`] where only the managed configuration allows.
    pub fn allow_alike(&mut self, kind: Like, by: &str) -> Result<(), Locked> {
        self.unlocked(Lock::Allow, "rules.allow")?;
        if kind.is_sound() && !self.alike.iter().any(|(known, _)| *known == kind) {
            self.alike.push((kind, by.to_owned()));
        }
        Ok(())
    }

    /// Whether a person said of its kind that it is not asked about.
    #[must_use]
    pub fn is_alike(&self, judged: &Judged) -> bool {
        let Decision { verdict, layer, .. } = judged.judgement.decision;
        // Nobody else has answered before it was asked about.
        let is_settled = (verdict, layer) == (Verdict::Allow, Layer::Person);
        !self.alike.is_empty() && (is_settled || self.kind_of(judged).is_some())
    }

    /// The kind that a call is of, among those that a person said not to ask about, and who that was.
    fn kind_of(&self, judged: &Judged) -> Option<&(Like, String)> {
        self.alike.iter().find(|(kind, _)| judged.is_of(kind))
    }

    /// Answers what asks with what a person said of its kind.
    pub(super) fn settle_alike(&self, judged: &mut Judged) {
        if self.alike.is_empty() || judged.judgement.decision.verdict != Verdict::Ask {
            return;
        }
        if let Some((kind, by)) = self.kind_of(judged) {
            let reason = format!("{by} allowed {}", kind.words());
            allow(&mut judged.judgement.decision, &reason);
        }
    }

    fn unlocked(&self, lock: Lock, key: &'static str) -> Result<(), Locked> {
        if self.base.configuration.is_locked(lock) { Err(Locked(key)) } else { Ok(()) }
    }

    fn rebase(&mut self, configuration: Configuration) {
        self.base = Arc::new(self.regime_of(configuration));
        *self.project.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(super) fn regime_of(&self, configuration: Configuration) -> Regime {
        let analyzers = self.analyzers.as_ref();
        Regime::new(configuration, analyzers, self.propagate_unknown, self.confirmation)
    }
}
