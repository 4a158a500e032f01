//! What somebody asks to be done, or what a tool is named after. Owns the kinds of acts, and what else a word may say.

use serde::{Deserialize, Serialize};

/// Several kinds of acts.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Acts(u16);

impl Acts {
    /// None.
    pub const NONE: Self = Self(0);
    /// Looking, searching, telling.
    pub const READ: Self = Self(1);
    /// Making or changing something.
    pub const CHANGE: Self = Self(1 << 1);
    /// Deleting, stopping, cancelling.
    pub const DELETE: Self = Self(1 << 2);
    /// Telling people something.
    pub const SEND: Self = Self(1 << 3);
    /// Giving others access, inviting them.
    pub const SHARE: Self = Self(1 << 4);
    /// Moving money, ordering, booking.
    pub const PAY: Self = Self(1 << 5);
    /// Pushing, merging, deploying, releasing.
    pub const PUBLISH: Self = Self(1 << 6);
    /// Running, installing.
    pub const RUN: Self = Self(1 << 7);
    /// Passwords, rights, locks, settings of accounts.
    pub const ADMINISTER: Self = Self(1 << 8);
    /// Recording changes in a history.
    pub const COMMIT: Self = Self(1 << 9);

    /// What cannot be undone or reaches others.
    pub const GRAVE: Self = Self(
        Self::DELETE.0
            | Self::SEND.0
            | Self::SHARE.0
            | Self::PAY.0
            | Self::PUBLISH.0
            | Self::ADMINISTER.0,
    );
    /// Everything but looking.
    pub const EFFECTFUL: Self = Self(Self::GRAVE.0 | Self::CHANGE.0 | Self::RUN.0 | Self::COMMIT.0);

    /// These and others.
    #[must_use]
    pub const fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// These without others.
    #[must_use]
    pub const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// Those of them that are among others.
    #[must_use]
    pub const fn only(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// Whether any of them is among others.
    #[must_use]
    pub const fn meet(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Their names, for a person.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let all = [
            (Self::READ, "read"),
            (Self::CHANGE, "change"),
            (Self::DELETE, "delete"),
            (Self::SEND, "send"),
            (Self::SHARE, "share"),
            (Self::PAY, "pay"),
            (Self::PUBLISH, "publish"),
            (Self::RUN, "run"),
            (Self::ADMINISTER, "administer"),
            (Self::COMMIT, "commit"),
        ];
        all.into_iter().filter(move |(act, _)| self.meet(*act)).map(|(_, name)| name)
    }
}

/// What a word says.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Meaning {
    /// The acts that it names.
    pub(super) acts: Acts,
    /// What else it says.
    pub(super) role: Role,
}

/// What a word does in a sentence.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Role {
    /// Nothing beside the acts.
    #[default]
    None,
    /// It says that something must not be.
    Not,
    /// It says that an act is not to be left out, behind a word that says `not`.
    Forget,
    /// It names nothing but what follows.
    Only,
    /// It demands a question first.
    Ask,
    /// It means any change.
    Touch,
    /// It demands what follows: please, must, make sure.
    Demand,
    /// It asks for whatever follows.
    Please,
    /// Everything is meant, or nothing.
    Anything,
    /// Another sentence part begins.
    And,
}
