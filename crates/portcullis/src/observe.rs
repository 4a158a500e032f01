//! Observed facts.
