//! Action to effects: what it would do. Owns the reading of every kind of action; it does not say what is bad.

pub mod shell;
