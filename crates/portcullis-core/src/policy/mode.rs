//! Permission modes. Owns the five modes, the matrix of mode × class, and the one-way latch on `bypassPermissions`; it does
//! not know rules or confirmation policies.
//!
//! The matrix is the one of the permission-mode documents where they speak (read-only, edit, destructive and unknown tools);
//! executing programs and the network are ours, in their spirit.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{assessment::ActionClass, decision::Verdict};

/// How much an agent may do unasked.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// Reads go on; everything else asks.
    #[default]
    Default,
    /// Reads go on; everything else is refused.
    Plan,
    /// Reads and edits in the workspace go on; everything else asks.
    AcceptEdits,
    /// Everything goes on but what destroys or is dangerous.
    DontAsk,
    /// Everything goes on but what an explicit rule or a floor stops.
    BypassPermissions,
}

/// A word that names no mode.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "`{0}` is not a permission mode; expected default, plan, acceptEdits, dontAsk, or bypassPermissions"
)]
pub struct NotAMode(pub String);

impl Mode {
    /// Every mode, in the order of the documents.
    pub const ALL: [Self; 5] =
        [Self::Default, Self::Plan, Self::AcceptEdits, Self::DontAsk, Self::BypassPermissions];

    /// The word on every wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Plan => "plan",
            Self::AcceptEdits => "acceptEdits",
            Self::DontAsk => "dontAsk",
            Self::BypassPermissions => "bypassPermissions",
        }
    }

    /// The matrix: what this mode says about an action.
    ///
    /// ```
    /// use portcullis_core::{assessment::ActionClass, decision::Verdict, policy::{Mode, Standing}};
    ///
    /// let edit = Standing::of(ActionClass::Edit);
    /// assert_eq!(Mode::Default.verdict(edit), Verdict::Ask);
    /// assert_eq!(Mode::Plan.verdict(edit), Verdict::Deny);
    /// assert_eq!(Mode::AcceptEdits.verdict(edit), Verdict::Allow);
    /// ```
    #[must_use]
    pub const fn verdict(self, standing: Standing) -> Verdict {
        use ActionClass::{Destructive, Edit, ReadOnly};
        use Verdict::{Allow, Ask, Deny};
        let Standing { class, dangerous, fetches } = standing;
        match (self, class) {
            (Self::BypassPermissions, _) => Allow,
            (Self::Plan, _) if dangerous => Deny,
            (_, _) if dangerous => Ask,
            (_, ReadOnly) => Allow,
            (Self::Plan, ActionClass::Network) if fetches => Allow,
            (Self::Plan, _) => Deny,
            (Self::AcceptEdits, Edit) => Allow,
            (Self::DontAsk, Destructive) => Ask,
            (Self::DontAsk, _) => Allow,
            (Self::Default | Self::AcceptEdits, _) => Ask,
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Mode {
    type Err = NotAMode;

    fn from_str(word: &str) -> Result<Self, NotAMode> {
        Self::ALL
            .into_iter()
            .find(|mode| mode.name() == word)
            .ok_or_else(|| NotAMode(word.to_owned()))
    }
}

/// What a mode looks at.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Standing {
    /// The class of the action.
    pub class: ActionClass,
    /// Its risk is `High` or above, or it was not understood, or it leaves the workspace: no mode but bypass passes it.
    pub dangerous: bool,
    /// It is a request that only fetches: no body, a method that changes nothing, a tool made for it.
    pub fetches: bool,
}

impl Standing {
    /// An ordinary action of a class.
    #[must_use]
    pub const fn of(class: ActionClass) -> Self {
        Self { class, dangerous: false, fetches: false }
    }
}

/// What `dontAsk` means. Two families of agents use one name for opposite things.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DontAsk {
    /// What would ask goes on, as far as the matrix says.
    #[default]
    AllowQuietly,
    /// What would ask is refused: reads and what allow rules admit, nothing else.
    DenyQuietly,
}

/// The mode, with the latch on `bypassPermissions`.
///
/// Once disabled, bypass cannot be entered, and nothing enables it again: there is no such function.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Permissions {
    mode: Option<Mode>,
    bypass_disabled: bool,
}

/// `bypassPermissions` is disabled by the policy.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the mode `bypassPermissions` is disabled by the policy")]
pub struct BypassDisabled;

impl Permissions {
    /// A mode, or none where the layer is off. Bypass with the latch closed is `default`.
    #[must_use]
    pub const fn new(mode: Option<Mode>, disable_bypass: bool) -> Self {
        let permissions = Self { mode, bypass_disabled: disable_bypass };
        Self { mode: permissions.admitted(mode), bypass_disabled: disable_bypass }
    }

    /// The mode.
    #[must_use]
    pub const fn mode(&self) -> Option<Mode> {
        self.mode
    }

    /// Whether bypass is disabled.
    #[must_use]
    pub const fn bypass_is_disabled(&self) -> bool {
        self.bypass_disabled
    }

    /// Changes the mode.
    ///
    /// # Errors
    /// [`BypassDisabled`] for `bypassPermissions` after the latch has closed; the mode stays as it is.
    pub const fn enter(&mut self, mode: Mode) -> Result<(), BypassDisabled> {
        if self.bypass_disabled && matches!(mode, Mode::BypassPermissions) {
            return Err(BypassDisabled);
        }
        self.mode = Some(mode);
        Ok(())
    }

    /// Closes the latch. A mode of `bypassPermissions` becomes `default`; others stay.
    pub const fn disable_bypass(&mut self) {
        *self = Self::new(self.mode, true);
    }

    /// The mode that a call gets when it is judged under `wanted` instead of this one.
    #[must_use]
    pub const fn for_call(&self, wanted: Option<Mode>) -> Option<Mode> {
        match wanted {
            Some(_) => self.admitted(wanted),
            None => self.mode,
        }
    }

    const fn admitted(&self, mode: Option<Mode>) -> Option<Mode> {
        match mode {
            Some(Mode::BypassPermissions) if self.bypass_disabled => Some(Mode::Default),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_matrix_is_the_table_of_the_permission_mode_documents() {
        use Verdict::{Allow, Ask, Deny};
        let classes = [
            ActionClass::ReadOnly,
            ActionClass::Edit,
            ActionClass::Destructive,
            ActionClass::Unknown,
        ];
        let table = [
            (Mode::Default, [Allow, Ask, Ask, Ask]),
            (Mode::Plan, [Allow, Deny, Deny, Deny]),
            (Mode::AcceptEdits, [Allow, Allow, Ask, Ask]),
            (Mode::DontAsk, [Allow, Allow, Ask, Allow]),
            (Mode::BypassPermissions, [Allow, Allow, Allow, Allow]),
        ];
        for (mode, row) in table {
            for (class, expected) in classes.into_iter().zip(row) {
                assert_eq!(mode.verdict(Standing::of(class)), expected, "{mode} × {class:?}");
            }
        }
    }

    #[test]
    fn the_matrix_for_programs_and_the_network() {
        use Verdict::{Allow, Ask, Deny};
        let fetch = Standing { fetches: true, ..Standing::of(ActionClass::Network) };
        let cases = [fetch, Standing::of(ActionClass::Network), Standing::of(ActionClass::Execute)];
        let table = [
            (Mode::Default, [Ask, Ask, Ask]),
            (Mode::Plan, [Allow, Deny, Deny]),
            (Mode::AcceptEdits, [Ask, Ask, Ask]),
            (Mode::DontAsk, [Allow, Allow, Allow]),
            (Mode::BypassPermissions, [Allow, Allow, Allow]),
        ];
        for (mode, row) in table {
            for (standing, expected) in cases.into_iter().zip(row) {
                assert_eq!(mode.verdict(standing), expected, "{mode} × {standing:?}");
            }
        }
    }

    #[test]
    fn what_is_dangerous_passes_no_mode_but_bypass() {
        for class in [
            ActionClass::ReadOnly,
            ActionClass::Edit,
            ActionClass::Network,
            ActionClass::Execute,
            ActionClass::Destructive,
            ActionClass::Unknown,
        ] {
            for mode in Mode::ALL {
                let standing = Standing { class, dangerous: true, fetches: true };
                let expected = match mode {
                    Mode::BypassPermissions => Verdict::Allow,
                    Mode::Plan => Verdict::Deny,
                    Mode::Default | Mode::AcceptEdits | Mode::DontAsk => Verdict::Ask,
                };
                assert_eq!(mode.verdict(standing), expected, "{mode} × {class:?}");
            }
        }
    }

    #[test]
    fn a_closed_latch_keeps_bypass_out_for_good() {
        let mut permissions = Permissions::new(Some(Mode::BypassPermissions), false);
        permissions.disable_bypass();
        assert_eq!(permissions.mode(), Some(Mode::Default), "leaves bypass");
        for mode in [Mode::Plan, Mode::AcceptEdits] {
            assert_eq!(permissions.enter(mode), Ok(()));
            assert_eq!(permissions.enter(Mode::BypassPermissions), Err(BypassDisabled));
            assert_eq!(permissions.mode(), Some(mode), "stays as it was");
        }
        let wanted = Some(Mode::BypassPermissions);
        assert_eq!(permissions.for_call(wanted), Some(Mode::Default), "nor for one call");
        assert_eq!(
            Permissions::new(wanted, true).mode(),
            Some(Mode::Default),
            "nor from the start"
        );
    }

    #[test]
    fn closing_the_latch_leaves_other_modes_alone() {
        let mut permissions = Permissions::new(Some(Mode::Plan), false);
        permissions.disable_bypass();
        assert_eq!(permissions.mode(), Some(Mode::Plan));
        assert!(permissions.bypass_is_disabled());
    }
}
