//! JSON as people keep it: with comments, trailing commas, an indentation and line ends of their own. Owns reading it with the
//! place of everything, and changing one thing so that every other byte stays; it does not know what the files mean.

mod edit;
mod fragment;
mod read;

pub use edit::{Step, append, remove, set};
pub use fragment::Fragment;
pub use read::{Kind, Member, Misread, Node, read};

#[cfg(test)]
mod tests;
