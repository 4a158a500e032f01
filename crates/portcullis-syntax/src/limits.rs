//! How much is read before the parser gives up on a part and says so. A limit never turns text into "safe": what
//! lies past it becomes an `Unparsed` span. None of them is a time, so that every run gives the same tree.

/// The longest source that is parsed; agents send scripts of kilobytes, and one megabyte is the largest argument
/// that the operating system passes to a process with room to spare.
pub const SOURCE_BYTES: usize = 1 << 20;

/// How deep constructs may nest. bash itself gives up between 2,000 and 5,000 nested parentheses; people stay below
/// ten. Bounded so that recursion over the tree, here and in every consumer, fits the smallest thread stack.
pub const DEPTH: usize = 100;

/// How many nodes one tree may have: four for each byte of a 64 kB script, so that only text built to be large meets it.
pub const NODES: usize = 1 << 18;
