//! Kinds of effects as a set. Owns which kind an effect is of.

use super::EffectKind;

/// Several kinds of effects.
#[derive(Clone, Copy, Debug)]
pub struct Kinds(u16);

impl Kinds {
    /// None.
    pub const NONE: Self = Self(0);
    /// [`EffectKind::Run`].
    pub const RUN: Self = Self(1);
    /// [`EffectKind::Read`].
    pub const READ: Self = Self(1 << 1);
    /// [`EffectKind::Write`].
    pub const WRITE: Self = Self(1 << 2);
    /// [`EffectKind::Delete`].
    pub const DELETE: Self = Self(1 << 3);
    /// [`EffectKind::Permission`].
    pub const PERMISSION: Self = Self(1 << 4);
    /// [`EffectKind::Hand`].
    pub const HAND: Self = Self(1 << 5);
    /// [`EffectKind::Execute`].
    pub const EXECUTE: Self = Self(1 << 6);
    /// [`EffectKind::Connect`].
    pub const CONNECT: Self = Self(1 << 7);
    /// [`EffectKind::Privilege`].
    pub const PRIVILEGE: Self = Self(1 << 8);
    /// [`EffectKind::Kill`].
    pub const KILL: Self = Self(1 << 9);
    /// [`EffectKind::Environment`].
    pub const ENVIRONMENT: Self = Self(1 << 10);
    /// [`EffectKind::Query`].
    pub const QUERY: Self = Self(1 << 11);
    /// [`EffectKind::Noted`].
    pub const NOTED: Self = Self(1 << 12);
    /// [`EffectKind::Discard`].
    pub const DISCARD: Self = Self(1 << 13);
    /// [`EffectKind::Act`].
    pub const ACT: Self = Self(1 << 14);

    /// All of them.
    pub const ALL: Self = Self(u16::MAX);

    /// The kind of an effect.
    #[must_use]
    pub const fn of(effect: &EffectKind) -> Self {
        match effect {
            EffectKind::Run(_) => Self::RUN,
            EffectKind::Read(_) => Self::READ,
            EffectKind::Write { .. } => Self::WRITE,
            EffectKind::Delete { .. } => Self::DELETE,
            EffectKind::Permission { .. } => Self::PERMISSION,
            EffectKind::Hand { .. } => Self::HAND,
            EffectKind::Execute { .. } => Self::EXECUTE,
            EffectKind::Connect(_) => Self::CONNECT,
            EffectKind::Privilege { .. } => Self::PRIVILEGE,
            EffectKind::Kill { .. } => Self::KILL,
            EffectKind::Environment { .. } => Self::ENVIRONMENT,
            EffectKind::Query { .. } => Self::QUERY,
            EffectKind::Noted(_) => Self::NOTED,
            EffectKind::Discard { .. } => Self::DISCARD,
            EffectKind::Act(_) => Self::ACT,
        }
    }

    /// These and others.
    #[must_use]
    pub const fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// How many kinds there are.
    pub const COUNT: usize = Self::ACT.first() + 1;

    /// One bit for each of them.
    pub const fn bits(self) -> u32 {
        self.0 as u32
    }

    /// The number of the first of them.
    pub const fn first(self) -> usize {
        self.0.trailing_zeros() as usize
    }

    /// Whether any of them is among others.
    #[must_use]
    pub const fn meet(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }
}
