//! What the fuzz targets share: text made of shell tokens, and what other parsers and bash say about it.

mod oracles;
mod text;

pub use oracles::{Name, bash_accepts, brush_names, tree_sitter_names};
pub use text::shell_text;
