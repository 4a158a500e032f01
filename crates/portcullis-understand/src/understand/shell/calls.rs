//! The functions and aliases that are being called, innermost last. Owns what each call was given and what it hid; bodies are read
//! elsewhere.

use super::state::{Mark, Value};
use crate::text::Text;

/// What a variable held, by its name; nothing where it was never assigned.
pub(super) type Hidden = (String, Option<Vec<Value>>);

/// A function that is being called.
#[derive(Debug)]
struct Called {
    /// Where it was entered.
    entered: Mark,
    arguments: Vec<Text>,
    /// What its `local` variables held outside.
    locals: Vec<Hidden>,
}

/// The calls that are being read.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// The names, of functions as they are and of aliases behind a word that no function is named by.
    names: Vec<String>,
    functions: Vec<Called>,
}

impl Calls {
    /// How often a function is being called.
    pub(super) fn of_function(&self, name: &str) -> usize {
        self.names.iter().filter(|call| *call == name).count()
    }

    /// Whether an alias is being expanded.
    pub(super) fn is_in_alias(&self, name: &str) -> bool {
        self.names.iter().any(|call| call.strip_prefix(ALIAS) == Some(name))
    }

    pub(super) fn enter_alias(&mut self, name: &str) {
        self.names.push(format!("{ALIAS}{name}"));
    }

    pub(super) fn leave_alias(&mut self) {
        self.names.pop();
    }

    pub(super) fn enter_function(&mut self, name: &str, entered: Mark, arguments: Vec<Text>) {
        self.names.push(name.to_owned());
        self.functions.push(Called { entered, arguments, locals: Vec::new() });
    }

    /// A function was read; gives what its variables held outside, the last one first.
    pub(super) fn leave_function(&mut self) -> impl Iterator<Item = Hidden> + use<> {
        self.names.pop();
        self.functions.pop().map(|call| call.locals).unwrap_or_default().into_iter().rev()
    }

    /// Whether a function that is being called was given just this.
    pub(super) fn have(&self, arguments: &[Text]) -> bool {
        self.functions.iter().any(|call| call.arguments == arguments)
    }

    /// Where the innermost function was entered.
    pub(super) fn entered(&self) -> Option<Mark> {
        self.functions.last().map(|call| call.entered)
    }

    /// Whether a function is being called.
    pub(super) fn are_in_function(&self) -> bool {
        !self.functions.is_empty()
    }

    /// A variable becomes the innermost function's own; gives whether it becomes so now.
    pub(super) fn hide(&mut self, name: &str, before: Option<Vec<Value>>) -> bool {
        match self.functions.last_mut().map(|call| &mut call.locals) {
            Some(locals) if !locals.iter().any(|(known, _)| known == name) => {
                locals.push((name.to_owned(), before));
                true
            }
            _ => false,
        }
    }
}

/// What stands before the name of an alias.
const ALIAS: &str = "alias ";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::understand::shell::state::State;

    #[test]
    fn what_a_function_hides_comes_back_the_last_first() {
        let mark = State::new(None).mark();
        let mut calls = Calls::default();
        assert!(!calls.hide("x", None), "no function is called");
        calls.enter_function("f", mark, vec![Text::known("a")]);
        assert!(calls.hide("x", None));
        assert!(calls.hide("y", Some(vec![Value::Unset])));
        assert!(!calls.hide("x", Some(Vec::new())), "`x` is hidden already");
        assert!(calls.have(&[Text::known("a")]));
        assert!(!calls.have(&[]));
        let hidden: Vec<Hidden> = calls.leave_function().collect();
        assert_eq!(hidden, [("y".to_owned(), Some(vec![Value::Unset])), ("x".to_owned(), None)]);
        assert!(!calls.are_in_function());
    }

    #[test]
    fn a_function_and_an_alias_of_one_name_are_told_apart() {
        let mark = State::new(None).mark();
        let mut calls = Calls::default();
        calls.enter_alias("f");
        assert!(calls.is_in_alias("f"));
        assert_eq!(calls.of_function("f"), 0);
        calls.enter_function("f", mark, Vec::new());
        calls.enter_function("f", mark, Vec::new());
        assert_eq!(calls.of_function("f"), 2);
        drop(calls.leave_function());
        drop(calls.leave_function());
        calls.leave_alias();
        assert!(!calls.is_in_alias("f"));
    }
}
