//! What runs in a container. Owns its own environment and the second names that files of this machine have there: everything else in it is
//! gone with it, and rules leave out what is said of such places ([`Effect::contained`](crate::effect::Effect)).

use super::walk::Walk;
use crate::text::Text;

impl Walk<'_> {
    /// A place in the container shows one of this machine: a mount, or what was copied there.
    pub(crate) fn shows(&mut self, inside: &str, outside: &str) {
        if let Some(path) = self.target(&Text::known(inside)).path
            && path != "/"
        {
            self.state.link(&path, outside);
        }
    }
}
