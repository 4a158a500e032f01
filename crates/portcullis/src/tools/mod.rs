//! The tool box: every tool that an agent may use, what each may be given, and the way of a call through it.
//!
//! ```text
//! call ─► five checks ─► (a person) ─► intent recorded ─► sandbox ─► inspected, redacted ─► outcome recorded
//!         checks                        run                          answer
//! ```
//!
//! Owns the order of that way. What a value may be is said by `portcullis_core::validate`, what a command does by the gate, what a program
//! inside may do by `portcullis_sandbox`.

mod answer;
mod archive;
mod checks;
mod execute;
mod file;
mod path;
mod rate;
mod registry;
mod run;
mod schema;
mod template;

pub use answer::{Answer, Caught, Ending, Identity, Output};
pub use checks::{Check, Fatality, Violation};
pub use file::{Caller, FileError, ToolsFile, default_path};
pub use path::{Opened, Roots, open};
pub use registry::{Does, Function, Hints, Program, Registry, RegistryError, Tool};
pub use run::{Looked, Toolbox};
pub use schema::{Schema, SchemaError};
pub use template::{Template, TemplateError};

#[cfg(test)]
mod tests;
