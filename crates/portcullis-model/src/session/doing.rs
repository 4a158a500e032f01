//! A call as a session sees it. Owns what is told of one: its words, what it does, and the values that it carries.

use super::act::Acts;

/// What a call does, as far as a session can know about it.
#[derive(Clone, Debug, Default)]
pub struct Doing<'a> {
    /// The words of the tool's name, or of the command.
    pub words: Vec<String>,
    /// The acts that it is.
    pub acts: Acts,
    /// The acts that its name says, by which somebody may have asked for it.
    pub named: Acts,
    /// What it is given.
    pub given: Vec<Given<'a>>,
    /// Whether it is a command, which everybody who explains anything tells somebody to run.
    pub is_command: bool,
    /// Whether it changes nothing that anybody keeps: a check, a build, an install of what a project names already, what lies among temporary files.
    pub is_mild: bool,
    /// Whether it is a step of everybody's work that nobody else gains anything by: a directory is made, an own file may be run, what was done is
    /// recorded here.
    pub is_step: bool,
    /// Whether it is a change of a file: what it is done to has a path.
    pub has_path: bool,
    /// The packages that it installs by name.
    pub packages: Vec<&'a str>,
}

/// One value that a call carries.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Given<'a> {
    /// The value.
    pub text: &'a str,
    /// What it is to the call.
    pub part: Part,
}

/// What a value is to a call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Part {
    /// Who or what it reaches: a recipient, an account, an address.
    Recipient,
    /// What it is done to.
    Thing,
    /// How much.
    Amount,
    /// How much, in the hundredth part of it.
    Cents,
    /// A password, a key.
    Secret,
    /// Words, of whatever length.
    Text,
    /// Something that is neither.
    Other,
}
