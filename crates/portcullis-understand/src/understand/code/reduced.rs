//! What pickle makes of objects of the script's own classes: `__reduce__` gives a function and what it is called with when the object is read
//! back. Owns whether that is nothing but a function of the script.

use portcullis_syntax::Span;

use super::{
    interpreter::Interpreter,
    value::{Given, Value},
};
use crate::programs::host::Host;

/// The methods by which a class says how its objects are read back.
const REDUCES: &[&str] = &["__reduce__", "__reduce_ex__"];

impl Interpreter<'_, '_, '_> {
    /// A method of that kind was defined; what it gives is looked at when the names that it uses are known.
    pub(super) fn defines_reduction(&mut self, index: usize, span: Span) {
        /// How many are looked at.
        const REDUCTIONS: usize = 32;
        if self.reductions.len() >= REDUCTIONS {
            self.limit();
        }
        self.reductions.push((index, span));
    }

    /// What objects become that the script reads back itself.
    pub(super) fn read_back(&mut self) {
        if !self.source.contains("loads(") {
            return;
        }
        for (index, span) in std::mem::take(&mut self.reductions) {
            if !self.is_own_reduction(index, span) {
                self.walk.note("code.deserialize.untrusted", span);
            }
        }
    }

    /// Whether every object of the script is read back by a function of the script.
    pub(super) fn reduces_to_own(&mut self) -> bool {
        let all = self.reductions.clone();
        // What is put under such a name in another way is not followed.
        let is_only = self.source.matches("__reduce").count() == all.len();
        is_only && all.into_iter().all(|(index, span)| self.is_own_reduction(index, span))
    }

    fn is_own_reduction(&mut self, index: usize, span: Span) -> bool {
        let Value::List(parts) = self.apply(index, Some(&[])) else { return false };
        let [function, arguments, ..] = parts.as_slice() else { return false };
        let is_own = match function {
            Value::Function(_) => true,
            // What a class of a library does when an object is made, is not followed.
            Value::Name(path, _) => self.is_class(path) && !self.bases.contains_key(&**path),
            _ => false,
        };
        let Value::List(arguments) = arguments else { return false };
        let given = arguments.iter().map(|it| Given { name: None, value: it.clone(), span });
        self.call_value(function.clone(), given.collect(), span);
        is_own
    }
}

/// Whether a name is that of such a method.
pub(super) fn reduces(name: &str) -> bool {
    REDUCES.contains(&name)
}
