//! What a person sees. Owns how findings, decisions and texts are shown, and that nothing shown can be forged by what is
//! shown; it decides nothing.

pub mod changed;
pub mod excerpt;
mod judgement;
pub mod marked;
mod redaction;
pub mod visible;
mod words;

pub use judgement::{Colour, Judged, effects, explanation, verdict};
