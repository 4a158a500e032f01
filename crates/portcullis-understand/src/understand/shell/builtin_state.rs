//! What builtins keep from one command to the next, and which shell they belong to. Owns these values; what each builtin does is said in
//! `builtins`, `options` and `arrays`.

use super::arrays::Elements;

/// What builtins keep.
#[derive(Debug, Default)]
pub(super) struct BuiltinState {
    /// The shells that were started.
    pub(super) shells: Shells,
    /// Where `getopts` is in its argument, in letters.
    pub(super) letter: usize,
    /// The arrays in the arguments of `declare` and its kin, by name.
    pub(super) declared: Vec<(String, Elements)>,
    /// Whether a variable was declared to change what it is given.
    pub(super) has_attributes: bool,
}

/// The shells that a call starts as programs, each with a number of its own.
#[derive(Debug, Default)]
pub(super) struct Shells {
    current: u32,
    started: u32,
}

impl Shells {
    /// The number of the shell that is being read.
    pub(super) const fn current(&self) -> u32 {
        self.current
    }

    /// A shell is started; gives the number of the one around it.
    pub(super) fn start(&mut self) -> u32 {
        self.started += 1;
        std::mem::replace(&mut self.current, self.started)
    }

    /// A shell ended, in the one around it.
    pub(super) fn return_to(&mut self, outer: u32) {
        self.current = outer;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_shells_have_one_number() {
        let mut shells = Shells::default();
        let outer = shells.start();
        let first = shells.current();
        shells.return_to(outer);
        assert_eq!(shells.current(), outer);
        shells.start();
        assert_ne!(shells.current(), first);
    }
}
