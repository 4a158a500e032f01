//! An organisation's own policies in Cedar: the `[serve.cedar]` table. Owns its words; what they are asked, the gateway knows.

use std::path::PathBuf;

use portcullis_core::decision::Verdict;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::error::Misreading;

/// Policies in Cedar, one more layer over every call that is judged here. It only tightens. For a program that was built with the feature `cedar`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CedarTable {
    /// A file of policies, or a directory whose files that end in `.cedar` have them; absolute.
    #[schemars(with = "PathBuf")]
    pub policies: Spanned<PathBuf>,
    /// A file of entities in Cedar's JSON, absolute: the groups that agents are in.
    #[schemars(with = "Option<PathBuf>")]
    pub entities: Option<Spanned<PathBuf>>,
    /// What becomes of a call that no policy permits, or that one forbids: it is denied by default.
    #[serde(default)]
    pub forbidden: Forbidden,
}

/// What becomes of a call that Cedar does not permit.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Forbidden {
    /// A person is asked.
    Ask,
    /// It is denied.
    #[default]
    Deny,
}

impl Forbidden {
    /// The verdict.
    #[must_use]
    pub const fn verdict(self) -> Verdict {
        match self {
            Self::Ask => Verdict::Ask,
            Self::Deny => Verdict::Deny,
        }
    }
}

/// Where the policies are, and what becomes of what they do not permit.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Cedar {
    /// The file or directory of policies.
    pub policies: PathBuf,
    /// The file of entities.
    pub entities: Option<PathBuf>,
    /// What becomes of what is not permitted.
    pub forbidden: Forbidden,
}

impl Cedar {
    /// It in words.
    pub(super) fn words(&self) -> String {
        let Self { policies, entities, forbidden } = self;
        let entities = entities.as_ref().map(|path| format!(" with {}", path.display()));
        format!(
            "{}{} (else {})",
            policies.display(),
            entities.unwrap_or_default(),
            forbidden.verdict().name()
        )
    }
}

pub(super) fn cedar_of(table: &CedarTable) -> Result<Cedar, Misreading> {
    let CedarTable { policies, entities, forbidden } = table;
    let absolute = |path: &Spanned<PathBuf>| {
        if path.get_ref().is_absolute() {
            return Ok(path.get_ref().clone());
        }
        let message = format!("`{}` is not an absolute path", path.get_ref().display());
        Err(Misreading::new(path.span(), message)
            .with_help("a relative path would name another file in each directory"))
    };
    Ok(Cedar {
        policies: absolute(policies)?,
        entities: entities.as_ref().map(absolute).transpose()?,
        forbidden: *forbidden,
    })
}
