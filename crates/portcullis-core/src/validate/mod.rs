//! What a tool may be given. Owns the kinds of validators and what each of them refuses; which parameter has which, the tool's
//! author says. What needs the file system (where a path really leads, what an archive holds) is asked for by whoever runs the tool:
//! here stand the rules.
//!
//! ```
//! use portcullis_core::validate::{SqlRules, Validator};
//! use serde_json::json;
//!
//! let validator = Validator::Sql(SqlRules::default());
//! assert!(validator.check(&json!("WITH a AS (SELECT 1 AS x) SELECT x FROM a")).is_ok());
//! assert!(validator.check(&json!("SELECT 1; DROP TABLE users")).is_err());
//! ```

mod amounts;
mod archive;
mod names;
mod path;
mod patterns;
mod shell;
mod sql;
mod url;
mod words;

pub use amounts::{NumberRules, SizeRules};
pub use archive::{ArchiveEntry, ArchiveRules, EntryKind};
pub use names::{Ecosystem, GitRefRules, PackageRules};
pub use path::{PathRules, PathTarget};
pub use patterns::{GlobRules, RegexRules};
pub use shell::ShellRules;
pub use sql::{Dialect, SqlRules};
pub use url::UrlRules;
pub use words::{ArgumentRules, EmailRules, HeaderRules, MimeRules, TextRules};

use serde::Deserialize;
use serde_json::Value;

use crate::facts::Facts;

/// The most elements of a list that are looked at; a longer one is refused.
const ELEMENTS: usize = 1_000;

/// What a value is held to. Several of them hold together.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Validator {
    /// A file or directory.
    Path(PathRules),
    /// What is connected to.
    Url(UrlRules),
    /// One statement for a database.
    Sql(SqlRules),
    /// A command for a shell, judged by the engine itself.
    Shell(ShellRules),
    /// One word of a command line.
    Argument(ArgumentRules),
    /// A pattern of file names.
    Glob(GlobRules),
    /// A regular expression.
    Regex(RegexRules),
    /// The address of one person.
    Email(EmailRules),
    /// The value of a header, or a whole header.
    Header(HeaderRules),
    /// A file that is unpacked.
    Archive(ArchiveRules),
    /// A branch, tag or commit.
    GitRef(GitRefRules),
    /// The name of a package.
    Package(PackageRules),
    /// A number.
    Number(NumberRules),
    /// How much there may be of something.
    Size(SizeRules),
    /// A kind of content.
    Mime(MimeRules),
    /// Words for a person.
    Text(TextRules),
}

/// The kinds of validators of which a parameter of this name should have one, because of what it means; `None` where the name says nothing.
///
/// ```
/// use portcullis_core::validate::expected_kinds;
///
/// assert!(expected_kinds("file_path").unwrap().contains(&"path"));
/// assert_eq!(expected_kinds("title"), None);
/// ```
#[must_use]
pub fn expected_kinds(name: &str) -> Option<&'static [&'static str]> {
    crate::understand::tool::kinds(name)
}

/// Why a value is refused, in words for the agent: they say what is wrong with the value, not what the policy would let through.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Refused {
    /// The validator's kind.
    pub kind: &'static str,
    /// What is wrong.
    pub message: String,
}

impl Refused {
    pub(crate) fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

impl Validator {
    /// The kind, as it is written.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Path(_) => "path",
            Self::Url(_) => "url",
            Self::Sql(_) => "sql",
            Self::Shell(_) => "shell",
            Self::Argument(_) => "argument",
            Self::Glob(_) => "glob",
            Self::Regex(_) => "regex",
            Self::Email(_) => "email",
            Self::Header(_) => "header",
            Self::Archive(_) => "archive",
            Self::GitRef(_) => "git-ref",
            Self::Package(_) => "package",
            Self::Number(_) => "number",
            Self::Size(_) => "size",
            Self::Mime(_) => "mime",
            Self::Text(_) => "text",
        }
    }

    /// Holds a value to it, with nothing known of the world.
    ///
    /// # Errors
    /// [`Refused`], also for a value of another type than the validator is for.
    pub fn check(&self, value: &Value) -> Result<(), Refused> {
        self.check_in(value, &Facts::default())
    }

    /// Holds a value to it. Each element of a list is held to it, unless the validator is about the list.
    ///
    /// # Errors
    /// As [`Validator::check`].
    pub fn check_in(&self, value: &Value, facts: &Facts) -> Result<(), Refused> {
        if let Self::Size(rules) = self {
            return rules.check(value);
        }
        match value {
            Value::Array(list) if list.len() > ELEMENTS => Err(Refused::new(
                self.kind(),
                format!("the list has more than {ELEMENTS} elements"),
            )),
            Value::Array(list) => list.iter().try_for_each(|value| self.check_one(value, facts)),
            value => self.check_one(value, facts),
        }
    }

    fn check_one(&self, value: &Value, facts: &Facts) -> Result<(), Refused> {
        if let Self::Number(rules) = self {
            return rules.check(value);
        }
        if let (Self::Argument(rules), Value::Number(number)) = (self, value) {
            return rules.check(&number.to_string());
        }
        let Value::String(text) = value else {
            return Err(Refused::new(self.kind(), "it is not a string"));
        };
        match self {
            Self::Path(rules) => rules.check(text),
            Self::Url(rules) => rules.check(text),
            Self::Sql(rules) => rules.check(text),
            Self::Shell(rules) => rules.check(text, facts),
            Self::Argument(rules) => rules.check(text),
            Self::Glob(rules) => rules.check(text),
            Self::Regex(rules) => rules.check(text),
            Self::Email(rules) => rules.check(text),
            Self::Header(rules) => rules.check(text),
            Self::Archive(rules) => rules.path.check(text),
            Self::GitRef(rules) => rules.check(text),
            Self::Package(rules) => rules.check(text),
            Self::Mime(rules) => rules.check(text),
            Self::Text(rules) => rules.check(text),
            Self::Number(_) | Self::Size(_) => Ok(()),
        }
    }
}

/// The first character that has no business in one line: control characters, invisible ones, ones that turn the direction of writing.
fn unseen(text: &str) -> Option<char> {
    // The two at the end begin another line or paragraph, to some programs.
    text.chars().find(|letter| {
        letter.is_control()
            || crate::analyze::is_invisible(*letter)
            || matches!(letter, '\u{2028}' | '\u{2029}')
    })
}

/// Whether programs of another system, and mounts of its disks, take a name for a device: whatever its ending and what blanks follow.
fn is_device(name: &str) -> bool {
    let stem = name.split(['.', ':']).next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let number = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CLOCK$" | "CONIN$" | "CONOUT$")
        // The superscripts are digits to that system.
        || number.is_some_and(|number| {
            let mut letters = number.chars();
            let is_digit = |letter: char| {
                letter.is_ascii_digit() || matches!(letter, '\u{b9}' | '\u{b2}' | '\u{b3}')
            };
            letters.next().is_some_and(is_digit) && letters.next().is_none()
        })
}

/// Refuses what [`unseen`] finds.
fn seen(kind: &'static str, text: &str) -> Result<(), Refused> {
    match unseen(text) {
        Some(letter) => {
            let number = u32::from(letter);
            Err(Refused::new(
                kind,
                format!("it holds the character U+{number:04X}, which cannot be seen"),
            ))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
