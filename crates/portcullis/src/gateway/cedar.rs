//! An organisation's own policies in Cedar, as one more layer that can only tighten. Owns whether this program was built with it; what is asked of Cedar and what follows
//! stands in `layer`, which is built with the feature `cedar` alone.

#[cfg(feature = "cedar")]
mod layer;
#[cfg(feature = "cedar")]
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use crate::{config::Cedar, session::Over};

/// Why Cedar cannot be asked. Nothing is judged without a layer that somebody wants.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum CedarError {
    /// It is not in this program.
    #[cfg_attr(feature = "cedar", expect(dead_code, reason = "here it is"))]
    #[error("this program was built without Cedar")]
    NotBuilt,
    /// A file cannot be used.
    #[cfg_attr(not(feature = "cedar"), expect(dead_code, reason = "nothing is read"))]
    #[error("`{}` {why}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
}

impl CedarError {
    /// What to do.
    pub(crate) const fn help(&self) -> &'static str {
        match self {
            Self::NotBuilt => "build it with `--features cedar`, or take the table out",
            Self::File { .. } => "`cedar check-parse` of Cedar's own tools tells more",
        }
    }
}

/// The layer that a configuration wants.
///
/// # Errors
/// [`CedarError`].
#[cfg(feature = "cedar")]
pub(crate) fn over(cedar: &Cedar) -> Result<Over, CedarError> {
    layer::Layer::read(cedar).map(Over::new)
}

/// The layer that a configuration wants.
///
/// # Errors
/// Always: there is none in this program.
#[cfg(not(feature = "cedar"))]
pub(crate) const fn over(_: &Cedar) -> Result<Over, CedarError> {
    Err(CedarError::NotBuilt)
}
