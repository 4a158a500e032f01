//! What runs in a container. Owns its own environment and the second names that files of this machine have there: everything else in it is
//! gone with it, and rules leave out what is said of such places ([`Effect::contained`](crate::effect::Effect)).

use super::walk::Walk;
use crate::text::Text;

impl Walk<'_> {
    /// Reads what runs in a container: nothing of the environment around it is there, and nothing of what it changes is left.
    pub(crate) fn in_container<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.directory().map(str::to_owned);
        let mark = self.state.mark();
        let links = self.state.links();
        self.state.forget_environment();
        self.go_to(Some("/".to_owned()));
        let around = std::mem::replace(&mut self.contained, true);
        let result = read(self);
        self.contained = around;
        self.state.roll_back(mark);
        self.state.forget_links(links);
        self.go_to(outer);
        result
    }

    /// A place in the container shows one of this machine: a mount, or what was copied there.
    pub(crate) fn shows(&mut self, inside: &str, outside: &str) {
        if let Some(path) = self.target(&Text::known(inside)).path
            && path != "/"
        {
            self.state.link(&path, outside);
        }
    }
}
