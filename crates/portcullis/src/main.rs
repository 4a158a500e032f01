//! The `portcullis` binary: a table of contents over the library.
fn main() {}
