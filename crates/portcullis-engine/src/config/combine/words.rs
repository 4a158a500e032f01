//! Values of settings as words, for whoever asks where one comes from. Owns how each kind is written.

use portcullis_core::{
    assessment::ActionClass,
    policy::{Adjustment, Change, Confirmation, DontAsk},
};

use super::super::{OnFailure, file::Analyzer};

pub(super) const fn dont_ask_word(word: DontAsk) -> &'static str {
    match word {
        DontAsk::AllowQuietly => "allow-quietly",
        DontAsk::DenyQuietly => "deny-quietly",
    }
}

pub(super) const fn on_failure_word(word: OnFailure) -> &'static str {
    match word {
        OnFailure::Deny => "deny",
        OnFailure::Warn => "warn",
    }
}

pub(super) fn class_words(name: &str, class: ActionClass) -> String {
    format!("`{name}` is {}", class.name())
}

pub(super) fn analyzer_words(names: Option<&[Analyzer]>) -> String {
    let names = names.unwrap_or_default().iter().map(|name| name.name());
    names.collect::<Vec<_>>().join(", ")
}

pub(super) fn adjustment_words(adjustment: &Adjustment) -> String {
    let Adjustment { rule, change, reason } = adjustment;
    match change {
        Change::Off => format!("`{rule}` is off: {reason}"),
        Change::Severity(level) => format!("`{rule}` is {level}: {reason}"),
        Change::AtLeast(level) => format!("`{rule}` is at least {level}: {reason}"),
    }
}

/// A confirmation policy for a person.
pub fn confirmation_words(confirmation: Confirmation) -> String {
    match confirmation {
        Confirmation::Always => "asks about everything".to_owned(),
        Confirmation::Never => "asks about nothing".to_owned(),
        Confirmation::Risky { threshold, confirm_unknown: true } => {
            format!("asks at {threshold} risk and above, and where the risk is unknown")
        }
        Confirmation::Risky { threshold, confirm_unknown: false } => {
            format!("asks at {threshold} risk and above; an unknown risk goes on")
        }
        Confirmation::Refuse { threshold } => {
            format!("refuses {threshold} risk and above, and an unknown one")
        }
    }
}
