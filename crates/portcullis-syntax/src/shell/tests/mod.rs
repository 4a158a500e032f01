//! What the tree says, construct by construct, and how much work reading takes.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail by panicking")]

mod growth;
mod outline;
mod structure;
