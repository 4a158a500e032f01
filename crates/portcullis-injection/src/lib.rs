//! Text that speaks to a model and not to a person.

#![forbid(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod injection;

use portcullis_model::{Span, finding};
