//! What comes of a program beside what its own row says. Owns the order: first what it is handed and what of the project it starts, then
//! the files that it changes in its own way, and last what its options, variables and input make it run.

use super::{changers, emptied, escapes, mounts, patches, projects};
use crate::programs::{host::Host, invocation::Invocation};

/// Follows a program that was announced and did what its row says.
pub(crate) fn follow(walk: &mut dyn Host, invocation: &Invocation) {
    if invocation.program == "git" {
        escapes::put_versions(walk, invocation);
    }
    escapes::hand_over(walk, invocation);
    projects::follow(walk, invocation);
    changers::follow(walk, invocation);
    patches::applied(walk, invocation);
    emptied::follow(walk, invocation);
    mounts::follow(walk, invocation);
    escapes::follow(walk, invocation);
}
