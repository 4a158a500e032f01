//! A program that runs. Owns its words.

use std::{ops::Deref, sync::Arc};

use portcullis_syntax::Span;

use crate::text::Text;

/// A program that would run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its name without a directory, `rm`; empty where it is not known.
    pub program: String,
    /// The name as written and expanded.
    pub name: Argument,
    /// Its arguments, expanded.
    pub arguments: Arguments,
    /// Whether the tables know it.
    pub known: bool,
    /// What arrives on its standard input.
    pub input: Option<Text>,
    /// Whether it runs below a directory that the same call made, under a name that nobody else has.
    pub is_in_made: bool,
}

/// One argument of a program.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Argument {
    /// What it is.
    pub text: Text,
    /// Where it is written, in the layer of the program.
    pub span: Span,
}

/// The arguments of a program. What is announced of it and what is done about it share them.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Arguments(Arc<[Argument]>);

impl Arguments {
    /// All of them.
    #[must_use]
    pub fn as_slice(&self) -> &[Argument] {
        &self.0
    }
}

impl Deref for Arguments {
    type Target = [Argument];

    fn deref(&self) -> &[Argument] {
        &self.0
    }
}

impl From<Vec<Argument>> for Arguments {
    fn from(arguments: Vec<Argument>) -> Self {
        Self(arguments.into())
    }
}

impl FromIterator<Argument> for Arguments {
    fn from_iter<T: IntoIterator<Item = Argument>>(arguments: T) -> Self {
        Self(arguments.into_iter().collect())
    }
}

impl<'a> IntoIterator for &'a Arguments {
    type Item = &'a Argument;
    type IntoIter = std::slice::Iter<'a, Argument>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
