//! What is known of modules that load others while those are read: what they may call of them, and what a test puts in the place of what they call.
//! Owns these as data; how they are found is said where modules are read.

use std::collections::BTreeSet;

/// What is known of a module that loads others.
#[derive(Debug, Default)]
pub struct Importing {
    /// The words of its text: what of the others it may call.
    pub(super) words: BTreeSet<String>,
    /// It may call anything of them: it takes in all that they have, or finds functions by texts.
    pub(super) is_open: bool,
    /// What it puts something else in the place of.
    pub(super) asides: Vec<Aside>,
}

/// What is put aside.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Aside {
    /// A function of a module of Python that all share: `subprocess.run`.
    Shared(String),
    /// A name in one module of the project, by the path of the module.
    Own(String, String),
    /// A module of JavaScript.
    Module(String),
}
