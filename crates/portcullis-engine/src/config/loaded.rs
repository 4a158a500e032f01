//! One file that was read and understood. Owns that its examples do what they say before anything follows from it; what it says, [`super::part`] knows.

use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::{
    ConfigError, Layer, Mistake, Source,
    example::Example,
    file::File,
    part::{Part, resolve},
    read,
};
use crate::audit::Entry;

/// A file that was read.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) source: Source,
    pub(super) part: Part,
    /// What the record is to say of it.
    pub(super) noted: Option<Entry>,
}

impl Loaded {
    pub(super) const fn of_part(source: Source, part: Part) -> Self {
        Self { source, part, noted: None }
    }

    pub(super) fn new(
        text: &str,
        path: &Path,
        layer: Layer,
        trusted: bool,
    ) -> Result<Self, ConfigError> {
        let part = part(text, path, layer)?;
        for example in &part.examples {
            example.check().map_err(|misreading| {
                ConfigError::Mistake(Box::new(Mistake::new(path, text, misreading)))
            })?;
        }
        let sha256 = digest(text);
        let source = Source { layer, path: path.to_owned(), sha256, trusted, doubt: None };
        Ok(Self::of_part(source, part))
    }
}

/// The examples of one file, whether they do what they say or not.
pub(super) fn examples_of(path: &Path, layer: Layer) -> Result<Vec<Example>, ConfigError> {
    let text = read::text(path, layer, None)?;
    let text = text.ok_or_else(|| ConfigError::Missing { path: path.to_owned() })?;
    Ok(part(&text, path, layer)?.examples)
}

fn part(text: &str, path: &Path, layer: Layer) -> Result<Part, ConfigError> {
    File::read(text)
        .and_then(|file| resolve(&file, layer))
        .map_err(|misreading| ConfigError::Mistake(Box::new(Mistake::new(path, text, misreading))))
}

pub(super) fn digest(text: &str) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(text))
}
