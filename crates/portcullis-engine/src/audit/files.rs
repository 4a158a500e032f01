//! The files that a decision went by. Owns how they stand in a record: a line each, with the digest of what was read; which of them are
//! kept, and what of their paths. Whether they are still the same, [`crate::observe`] finds out.

use std::fmt;

use data_encoding::HEXLOWER;
use portcullis_core::effect::Started;
use sha2::{Digest as _, Sha256};

use super::fitted::{MAX_TEXT, fit};

/// The most files of one decision: all that are read for one, and as many that were not.
pub const MAX_FILES: usize = 128;

/// What a seal is made of first, so that it is the seal of nothing else.
const DOMAIN: &[u8] = b"portcullis/files/v1\n";

/// What stands for a line's end in a path.
const LINE_END: &str = "\u{2424}";

/// A file that a decision went by.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct File {
    /// Its absolute path.
    pub path: String,
    /// What was read of it; nothing where it was not read.
    pub content: Option<Content>,
}

/// What was read of a file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Content {
    /// The SHA-256 of it, in hexadecimal.
    pub sha256: String,
    /// How many bytes the file had.
    pub bytes: u64,
    /// Whether all of it was read.
    pub whole: bool,
}

/// The files that a decision went by.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Files {
    /// Those that were read first.
    pub list: Vec<File>,
    /// How many there were beside them.
    pub more: usize,
}

impl Files {
    /// No file.
    pub const NONE: Self = Self { list: Vec::new(), more: 0 };

    /// Whether the decision went by no file.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.list.is_empty() && self.more == 0
    }

    /// The files that an action would start, as they were read. What it writes itself is part of the action.
    #[must_use]
    pub fn of(started: &[Started]) -> Self {
        let mut list: Vec<File> = Vec::new();
        let mut more = 0;
        // What was read comes first: that is what can be looked at again.
        for is_read in [true, false] {
            for one in started.iter().filter(|one| one.digest.is_some() == is_read) {
                // Of one that a step of the call puts another version of in place, each version counts.
                let is_same = |file: &File| {
                    let sha256 = file.content.as_ref().map(|content| &content.sha256);
                    file.path == one.path && (!is_read || sha256 == one.digest.as_ref())
                };
                if one.layer.is_some() && !is_read || list.iter().any(is_same) {
                    continue;
                }
                if list.len() >= MAX_FILES {
                    more += 1;
                    continue;
                }
                let content = one.digest.as_ref().map(|sha256| Content {
                    sha256: sha256.clone(),
                    bytes: one.bytes.unwrap_or_default(),
                    whole: one.whole,
                });
                list.push(File { path: one.path.clone(), content });
            }
        }
        Self { list, more }
    }

    /// The same, fit to be stored: paths redacted and cut.
    #[must_use]
    pub fn fitted(&self) -> Self {
        let file = |file: &File| File {
            path: fit(&file.path, MAX_TEXT).replace('\n', LINE_END),
            ..file.clone()
        };
        let kept = self.list.iter().take(MAX_FILES).map(file);
        let cut = self.list.len().saturating_sub(MAX_FILES);
        Self { list: kept.collect(), more: self.more.saturating_add(cut) }
    }

    /// The text that is stored and hashed; none for no file.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        (!self.is_empty()).then(|| self.lines().join("\n"))
    }

    /// What stands for these files where an answer is bound to them: the SHA-256 of the text that is stored, in hexadecimal; none for no
    /// file. Another content, another length or another file makes another one.
    #[must_use]
    pub fn seal(&self) -> Option<String> {
        let text = self.text()?;
        let mut hash = Sha256::new();
        hash.update(DOMAIN);
        hash.update(text);
        Some(HEXLOWER.encode(&hash.finalize()))
    }

    /// A line for each file, and one that says how many there are beside them.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let more = (self.more > 0).then(|| format!("more {}", self.more));
        self.list.iter().map(File::to_string).chain(more).collect()
    }

    /// What a stored text says; `None` where it is none of ours.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut files = Self::default();
        for line in text.split('\n') {
            if files.more > 0 {
                return None;
            }
            match line.strip_prefix("more ") {
                Some(number) => files.more = number.parse().ok().filter(|more| *more > 0)?,
                None => files.list.push(File::read(line)?),
            }
        }
        // Another spelling of the same is none of ours.
        (files.text().as_deref() == Some(text)).then_some(files)
    }
}

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.content {
            None => write!(f, "not {}", self.path),
            Some(Content { sha256, bytes, whole }) => {
                let read = if *whole { "whole" } else { "part" };
                write!(f, "{read} {bytes} {sha256} {}", self.path)
            }
        }
    }
}

impl File {
    fn read(line: &str) -> Option<Self> {
        let (read, rest) = line.split_once(' ')?;
        let whole = match read {
            "not" => return Some(Self { path: rest.to_owned(), content: None }),
            "whole" => true,
            "part" => false,
            _ => return None,
        };
        let (bytes, rest) = rest.split_once(' ')?;
        let (sha256, path) = rest.split_once(' ')?;
        let is_digest = sha256.len() == 64
            && sha256.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let content = Content { sha256: sha256.to_owned(), bytes: bytes.parse().ok()?, whole };
        is_digest.then(|| Self { path: path.to_owned(), content: Some(content) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> Files {
        let content = |whole| Some(Content { sha256: "0f".repeat(32), bytes: 12, whole });
        Files {
            list: vec![
                File { path: "/p/a b.sh".into(), content: content(true) },
                File { path: "/p/c".into(), content: content(false) },
                File { path: "/p/pipe".into(), content: None },
            ],
            more: 3,
        }
    }

    #[test]
    fn what_is_stored_is_read_again() {
        let text = files().text().unwrap();
        assert_eq!(Files::read(&text), Some(files()));
        assert!(text.ends_with("\nnot /p/pipe\nmore 3"), "{text}");
        assert_eq!(Files::NONE.text(), None);
    }

    #[test]
    fn a_seal_is_that_of_the_very_same_files() {
        let seal = files().seal();
        assert!(seal.is_some() && seal == Files::read(&files().text().unwrap()).unwrap().seal());
        let changed: [fn(&mut Files); 4] = [
            |files| files.list[0].content.as_mut().unwrap().sha256 = "1f".repeat(32),
            |files| files.list[1].content.as_mut().unwrap().bytes = 13,
            |files| files.list.truncate(2),
            |files| files.more = 0,
        ];
        for change in changed {
            let mut other = files();
            change(&mut other);
            assert_ne!(other.seal(), seal, "{other:?}");
        }
        assert_eq!(Files::NONE.seal(), None);
    }

    #[test]
    fn what_we_never_write_is_not_read() {
        let digest = "0f".repeat(32);
        for text in [
            String::new(),
            "whole".into(),
            "more 0".into(),
            "more 2\nnot /p".into(),
            format!("whole 012 {digest} /p"),
            format!("half 12 {digest} /p"),
            format!("whole 12 {} /p", digest.to_uppercase()),
            format!("whole 12 {digest} /p\n"),
        ] {
            assert_eq!(Files::read(&text), None, "{text}");
        }
    }

    #[test]
    fn paths_are_redacted_and_bounded() {
        let list: Vec<File> = (0..MAX_FILES + 5)
            .map(|number| File {
                path: format!("/{number}/password=hunter2\n/{}", "x".repeat(5_000)),
                content: None,
            })
            .collect();
        let fitted = Files { list, more: 1 }.fitted();
        assert_eq!((fitted.list.len(), fitted.more), (MAX_FILES, 6));
        let text = fitted.text().unwrap();
        assert!(!text.contains("hunter2") && text.len() < MAX_FILES * (MAX_TEXT + 100), "{text}");
        assert_eq!(Files::read(&text), Some(fitted));
    }
}
