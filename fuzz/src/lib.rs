//! What the fuzz targets share: calls and text made of tokens, and what other parsers and bash say about it.

mod call;
mod judged;
#[cfg(feature = "oracles")]
mod oracles;
mod text;
mod tokens;

pub use call::{Attempt, attempt, in_language, query, world};
pub use judged::{GATE, check, check_places, judged};
#[cfg(feature = "oracles")]
pub use oracles::{Name, bash_accepts, brush_names, tree_sitter_names};
pub use text::shell_text;
