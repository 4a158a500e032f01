//! What a person changes about a conversation while it goes on: how it is judged and what is asked. Owns how that is kept, and that it holds
//! again when the conversation is opened.

use std::io;

use portcullis_core::{
    analyze::Ensemble,
    conversation::{Change, Event},
    policy::{Confirmation, Mode, Rule},
    risk::Severity,
};

use super::{Conversation, ConversationError};
use crate::alike::Like;

impl Conversation {
    /// What holds by its events holds again.
    pub(super) fn hold_again(&mut self, mode: Option<&str>) -> Result<(), ConversationError> {
        let session = self.engine.toolbox.session_mut();
        session.set_mode(mode.and_then(|mode| mode.parse().ok()).or(Some(Mode::Default)));
        for kept in &self.thread.events {
            let Event::Changed { what, to, by } = &kept.event else { continue };
            match what {
                Change::Mode => {
                    session.set_mode(to.parse().ok().or(Some(Mode::Default)));
                }
                Change::Confirmation => {
                    let policy = serde_json::from_str::<ConfirmationWords>(to).ok();
                    session.set_confirmation(policy.map(ConfirmationWords::policy))?;
                }
                Change::Analyzers => {
                    let analyzers = (!to.is_empty()).then(|| Ensemble::from_names(to).ok());
                    session.set_analyzers(analyzers.flatten())?;
                }
                Change::Allowed => {
                    let rules = to.lines().filter_map(|rule| rule.parse::<Rule>().ok());
                    session.allow(rules)?;
                }
                Change::Alike => {
                    // What cannot be read is asked about.
                    if let Ok(kind) = serde_json::from_str::<Like>(to) {
                        session.allow_alike(kind, by)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Judges with other analyzers from here on, by their names (`pattern,policy-rail`); with those of the configuration where it is empty. What
    /// waits is judged with them before it runs.
    ///
    /// # Errors
    /// [`ConversationError`] where there are none such, or only the managed configuration chooses.
    pub fn set_security_analyzer(
        &mut self,
        names: &str,
        by: &str,
    ) -> Result<(), ConversationError> {
        let analyzers = (!names.is_empty()).then(|| Ensemble::from_names(names)).transpose();
        let analyzers = analyzers.map_err(|error| ConversationError::State(error.to_string()))?;
        self.engine.toolbox.session_mut().set_analyzers(analyzers)?;
        let (what, to) = (Change::Analyzers, names.to_owned());
        self.put(Event::Changed { what, to, by: by.to_owned() })
    }

    /// Asks about other risks from here on.
    ///
    /// # Errors
    /// [`ConversationError`] where only the managed configuration chooses.
    pub fn set_confirmation_policy(
        &mut self,
        policy: Confirmation,
        by: &str,
    ) -> Result<(), ConversationError> {
        self.engine.toolbox.session_mut().set_confirmation(Some(policy))?;
        let to = serde_json::to_string(&ConfirmationWords::of(policy)).map_err(io::Error::other)?;
        self.put(Event::Changed { what: Change::Confirmation, to, by: by.to_owned() })
    }

    /// Enters another permission mode. Only a person can: there is no tool for it.
    ///
    /// # Errors
    /// [`ConversationError`].
    pub fn set_mode(&mut self, mode: Mode, by: &str) -> Result<(), ConversationError> {
        self.engine.toolbox.session_mut().set_mode(Some(mode));
        let to = self.mode().unwrap_or_default().name().to_owned();
        self.put(Event::Changed { what: Change::Mode, to, by: by.to_owned() })
    }
}

/// A confirmation policy, as it is kept.
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(tag = "policy", rename_all = "snake_case")]
enum ConfirmationWords {
    Always,
    Never,
    Risky { threshold: Severity, confirm_unknown: bool },
    Refuse { threshold: Severity },
}

impl ConfirmationWords {
    const fn of(policy: Confirmation) -> Self {
        match policy {
            Confirmation::Always => Self::Always,
            Confirmation::Never => Self::Never,
            Confirmation::Risky { threshold, confirm_unknown } => {
                Self::Risky { threshold, confirm_unknown }
            }
            Confirmation::Refuse { threshold } => Self::Refuse { threshold },
        }
    }

    const fn policy(self) -> Confirmation {
        match self {
            Self::Always => Confirmation::Always,
            Self::Never => Confirmation::Never,
            Self::Risky { threshold, confirm_unknown } => {
                Confirmation::Risky { threshold, confirm_unknown }
            }
            Self::Refuse { threshold } => Confirmation::Refuse { threshold },
        }
    }
}
