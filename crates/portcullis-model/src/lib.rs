//! The nouns of Portcullis: what a call, an action, an effect, a fact, a finding, a risk and a decision are.
//!
//! Every other pure crate speaks in these types and none of them is redefined elsewhere. What a type promises about itself holds
//! here: an [`action::Action`] never changes after it was built and is known by its digest, an [`assessment::Assessment`] hides no
//! finding behind what was not understood, a [`decision::Decision`] names the layer that made it.
//!
//! *Absent:* what a program does, what is bad about it, what is allowed. Nothing here reads a file, a clock or the environment.

#![forbid(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod action;
pub mod address;
pub mod assessment;
pub mod bound;
pub mod call;
pub mod content;
pub mod contract;
pub mod decision;
pub mod deed;
pub mod effect;
pub mod facts;
pub mod finding;
pub mod hash;
pub mod judgement;
pub mod normal;
pub mod opinion;
pub mod place;
pub mod pointer;
pub mod risk;
pub mod session;
pub mod split;
pub mod standing;
pub mod text;
pub mod tool;

pub use portcullis_syntax::Span;
