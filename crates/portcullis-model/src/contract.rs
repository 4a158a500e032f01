//! What a tool does that is no shell, file, query or request: its contract. Owns the words of contracts; where one comes from
//! is said in `understand::tool::contract`, and how bad it is in `rules::tools`.

use serde::{Deserialize, Serialize};

/// What a call of a tool does.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Contract {
    /// What kind of thing it does.
    pub class: Class,
    /// Where that has an effect.
    pub reach: Reach,
    /// What it is done to, for a person: `pull request`.
    pub subject: String,
    /// What comes back.
    pub gives: Data,
    /// Whether others can have written what comes back.
    pub foreign: bool,
    /// Whether it can be undone with the same tools.
    pub reversible: bool,
    /// What the arguments mean.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<ArgumentMeaning>,
    /// The most that one call may move, in whatever the amount counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<u64>,
}

/// What one argument means.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ArgumentMeaning {
    /// Where it stands: a JSON pointer into the arguments, with `*` for every item of a list or member of an object.
    pub pointer: String,
    /// What it means.
    pub meaning: Meaning,
}

/// What kind of thing a tool does, the strictest last.
#[derive(
    Clone, Copy, Debug, Default, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Nothing outside of the agent: plans, notes to itself, questions to its person.
    Quiet,
    /// It only looks.
    #[default]
    Read,
    /// It makes or changes something that stays with whoever it belongs to.
    Change,
    /// It tells people something.
    Send,
    /// It runs something that is elsewhere: a job, a function, an installer.
    Execute,
    /// It deletes.
    Delete,
    /// It binds a person: a signature, a vote, a prescription.
    Bind,
    /// It takes a change into what others build on.
    Merge,
    /// It shows something to everybody.
    Publish,
    /// It gives others access.
    Share,
    /// It changes who may do what: accounts, passwords, roles.
    Administer,
    /// It lowers a protection: a lock, an alarm, a second factor.
    Lower,
    /// It moves money or what is worth money.
    Pay,
}

/// Where a call has an effect.
#[derive(
    Clone, Copy, Debug, Default, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Reach {
    /// On this machine.
    Local,
    /// In the service that the tool belongs to.
    #[default]
    Service,
    /// With people.
    People,
    /// Anywhere.
    Outward,
}

/// How sensitive what comes back is.
#[derive(
    Clone, Copy, Debug, Default, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Data {
    /// Anybody may know it.
    Public,
    /// It belongs to the work.
    #[default]
    Work,
    /// It is about people.
    Personal,
    /// It gives access.
    Secret,
}

/// What an argument means.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Meaning {
    /// A file or directory of this machine.
    Path,
    /// A file in what the tool looks after, such as a repository.
    FileThere,
    /// What such a file holds.
    Content,
    /// A command for a shell.
    Command,
    /// Code.
    Code,
    /// A script that a page in a browser runs.
    PageScript,
    /// A statement for a database.
    Sql,
    /// An address that is visited or fetched.
    Url,
    /// Who gets something: an address, a number, a name.
    Recipient,
    /// A place where people read: a channel, a thread.
    Channel,
    /// How much.
    Amount,
    /// Where money goes to or comes from.
    Account,
    /// What it is done to, by its key.
    Id,
    /// What a cluster is told to become.
    Manifest,
    /// Words for people.
    Text,
    /// Words to look for.
    Words,
    /// A password, a key or a code.
    Secret,
    /// Who may do what: a role, a level.
    Permission,
    /// Whether everybody may see it.
    Audience,
    /// What is done, where one tool does several things.
    Operation,
    /// Nothing that matters.
    Other,
}

/// Where a contract comes from, the strongest last.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// From the names, the description and the schema of the tool.
    Derived,
    /// From whoever set the gate up.
    Organisation,
    /// From the table that comes with the gate.
    Shipped,
}

/// A tool does something that it alone can do.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Act {
    /// The contract, with the class that this call has under it.
    pub contract: Contract,
    /// Where the contract comes from.
    pub source: Source,
    /// The arguments that mean something, in the order of the call.
    pub values: Vec<ValueGiven>,
}

/// The value of an argument whose meaning is known.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ValueGiven {
    /// Where it stands in the call: a JSON pointer.
    pub pointer: String,
    /// What it means.
    pub meaning: Meaning,
    /// The text, or a number or a truth value as it is written.
    pub text: String,
}

impl Act {
    /// The values of one meaning.
    pub fn values_of(&self, meaning: Meaning) -> impl Iterator<Item = &ValueGiven> {
        self.values.iter().filter(move |value| value.meaning == meaning)
    }

    /// Who gets something by this call: people, and accounts where money is moved.
    pub fn recipients(&self) -> impl Iterator<Item = &ValueGiven> {
        self.values
            .iter()
            .filter(|value| matches!(value.meaning, Meaning::Recipient | Meaning::Account))
    }
}

impl Contract {
    /// The meaning of what stands at a JSON pointer of a call.
    #[must_use]
    pub fn meaning(&self, pointer: &str) -> Option<Meaning> {
        let known = |argument: &&ArgumentMeaning| fits(&argument.pointer, pointer);
        self.arguments.iter().find(known).map(|argument| argument.meaning)
    }
}

/// Whether a pointer is one that a pattern means: part by part the same, `*` for any.
fn fits(pattern: &str, pointer: &str) -> bool {
    let mut parts = pointer.split('/');
    pattern.split('/').all(|part| parts.next().is_some_and(|own| part == "*" || part == own))
        && parts.next().is_none()
}

impl Class {
    /// The word in files and on every wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quiet => "quiet",
            Self::Read => "read",
            Self::Change => "change",
            Self::Send => "send",
            Self::Execute => "execute",
            Self::Delete => "delete",
            Self::Bind => "bind",
            Self::Merge => "merge",
            Self::Publish => "publish",
            Self::Share => "share",
            Self::Administer => "administer",
            Self::Lower => "lower",
            Self::Pay => "pay",
        }
    }
}

impl Source {
    /// The word on every wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Derived => "derived",
            Self::Organisation => "organisation",
            Self::Shipped => "shipped",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_one_part_of_a_pointer() {
        for (pattern, pointer, expected) in [
            ("/to", "/to", true),
            ("/to", "/to/0", false),
            ("/to/*", "/to/0", true),
            ("/attendees/*/email", "/attendees/3/email", true),
            ("/attendees/*/email", "/attendees/3/name", false),
            ("", "", true),
        ] {
            assert_eq!(fits(pattern, pointer), expected, "{pattern} {pointer}");
        }
    }
}
