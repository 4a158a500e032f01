//! What stands in files that a call would start. Owns what is known of one file: its text as far as it was read, the digest that says
//! which text that was, and whether the project keeps it; it never looks by itself.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// How many of a file's bytes are read.
pub const FILE_BYTES: u64 = 256 << 10;

/// How many bytes are read for one action.
pub const ACTION_BYTES: u64 = 1 << 20;

/// How many files are read for one action.
pub const ACTION_FILES: usize = 64;

/// How many places are looked at for one action: tools look for their files in many, and most are not there.
pub const ACTION_LOOKS: usize = 512;

/// How many names of one directory are listed.
pub const NAMES: usize = 2_048;

/// What is known of a file whose content was asked for.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileFact {
    /// Nothing is there.
    Absent,
    /// A directory with these names, those of directories with a slash behind them.
    Directory {
        /// The names in order.
        names: Vec<String>,
        /// Whether all of them.
        whole: bool,
    },
    /// Something is there that was not read.
    NotRead {
        /// Why.
        why: NotRead,
        /// Whether the last commit holds exactly what stands there; `None` where nobody looked.
        committed: Option<bool>,
    },
    /// Its text.
    Read(FileText),
}

/// Why a file was not read.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotRead {
    /// It is a program or an archive, no text.
    Binary,
    /// A device, socket or pipe.
    Special,
    /// It cannot be opened.
    Refused,
    /// It stands where nothing is read: on another machine, or where the configuration says so.
    OutOfBounds,
    /// As much was read for this action as is read for one.
    TooMuch,
    /// It changed while it was read.
    Changing,
}

impl NotRead {
    /// The reason for a person.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Binary => "it is no text",
            Self::Special => "it is no regular file",
            Self::Refused => "it cannot be opened",
            Self::OutOfBounds => "nothing is read where it stands",
            Self::TooMuch => "too much was read for this call before it",
            Self::Changing => "it changed while it was read",
        }
    }
}

/// The text of a file, as far as it was read.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct FileText {
    /// The text; a byte that is no UTF-8 stands as one `?`, so that places in it are those of the file.
    #[serde(with = "shared")]
    pub text: Arc<str>,
    /// The SHA-256 of the bytes that were read, in hexadecimal.
    pub sha256: String,
    /// How many bytes the file has.
    pub bytes: u64,
    /// Whether all of them were read.
    pub whole: bool,
    /// Whether somebody may execute it.
    pub executable: bool,
    /// Where it really stands, where a link led there.
    pub leads_to: Option<String>,
    /// Whether the last commit holds exactly this; `None` where nobody looked.
    pub committed: Option<bool>,
}

/// What a revision of a repository holds where a file stands: what a step of version control puts there before the file is started.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Version<'a> {
    /// The revision as git reads it; nothing for what is staged.
    pub revision: &'a str,
    /// The repository, where it is not the one around the path.
    pub repository: Option<&'a str>,
    /// The path of the file: absolute, or in the repository that is named.
    pub path: &'a str,
}

impl<'a> Version<'a> {
    /// What a name of a version begins with, which no absolute path does.
    const BEGIN: &'static str = "git:";

    /// The name under which its content is asked for.
    #[must_use]
    pub fn name(&self) -> String {
        let path = match self.repository {
            Some(repository) => format!("{repository}//{}", self.path),
            None => self.path.to_owned(),
        };
        format!("{}{}:{path}", Self::BEGIN, self.revision)
    }

    /// The version that a name stands for; none where it is a path.
    #[must_use]
    pub fn of(name: &'a str) -> Option<Self> {
        let (revision, path) = name.strip_prefix(Self::BEGIN)?.split_once(':')?;
        Some(match path.split_once("//") {
            Some((repository, below)) => {
                Self { revision, repository: Some(repository), path: below }
            }
            None => Self { revision, repository: None, path },
        })
    }
}

/// A shared text as a plain one.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(text: &Arc<str>, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(text)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<str>, D::Error> {
        String::deserialize(from).map(Arc::from)
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn a_version_is_what_its_name_says_and_no_path_is_one() {
        let here = Version { revision: "main~2", repository: None, path: "/w/a.sh" };
        assert_eq!(here.name(), "git:main~2:/w/a.sh");
        assert_eq!(Version::of(&here.name()), Some(here));
        let there = Version { revision: "", repository: Some("/r"), path: "a/b.sh" };
        assert_eq!(there.name(), "git::/r//a/b.sh");
        assert_eq!(Version::of(&there.name()), Some(there));
        for path in ["/w/a.sh", "/git:a:/b", "git:a", "gita:/b"] {
            assert_eq!(Version::of(path), None, "{path}");
        }
    }
}
