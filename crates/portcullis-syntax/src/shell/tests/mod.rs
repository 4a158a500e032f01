//! What the tree says, construct by construct, and how much work reading takes.

mod growth;
mod outline;
mod structure;
