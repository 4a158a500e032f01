//! What is known after a piece of script that was forgotten, may not have run, or was one of several. Owns how the undo log is read for that.

use std::collections::{BTreeSet, HashMap};

use super::{super::stack::Stack, Changes, FUNCTIONS, Function, Mark, Place, State, Undo, Value};
use crate::text::Text;

impl State {
    pub(in crate::understand::shell) fn mark(&self) -> Mark {
        Mark(self.log.len())
    }

    /// A number that is another one after something changed.
    pub(in crate::understand::shell) fn changes(&self) -> usize {
        self.log.len()
    }

    /// Whether nothing was assigned since.
    pub(in crate::understand::shell) fn is_unchanged_since(&self, mark: Mark) -> bool {
        self.log.len() == mark.0
    }

    /// Goes back to `mark` and tells what had changed since.
    pub(in crate::understand::shell) fn roll_back(&mut self, mark: Mark) -> Changes {
        let mut changes = Changes::default();
        while self.log.len() > mark.0 {
            match self.log.pop() {
                Some(Undo::Variable(name, before)) => {
                    let after = match before {
                        Some(values) => self.variables.insert(name.clone(), values),
                        None => self.variables.remove(&name),
                    };
                    changes.variables.entry(name).or_insert(after);
                }
                Some(Undo::Function(name, before)) => self.doubt_function(&name, before),
                Some(Undo::Directory(before)) => {
                    let after = std::mem::replace(&mut self.place, before);
                    changes.directory.get_or_insert(after);
                }
                Some(Undo::Positional(before)) => self.positional = before,
                Some(Undo::Export(name)) => {
                    self.exported.remove(&name);
                }
                None => break,
            }
        }
        changes
    }

    /// What changed since `mark` may not have happened: variables may as well hold what they held before.
    pub(in crate::understand::shell) fn widen(&mut self, mark: Mark) {
        let mut before: HashMap<String, Vec<Value>> = HashMap::new();
        let mut functions: Vec<(String, Option<Vec<Function>>)> = Vec::new();
        let mut place = None;
        for undo in self.log.get(mark.0..).unwrap_or_default() {
            if let Undo::Function(name, ways) = undo {
                functions.push((name.clone(), ways.clone()));
            }
            if let (Undo::Directory(before), None) = (undo, &place) {
                place = Some(before.clone());
            }
            if let Undo::Variable(name, values) = undo {
                before.entry(name.clone()).or_insert_with(|| match values {
                    Some(values) => values.clone(),
                    // What the script names by itself was most likely not set before.
                    None if name.bytes().any(|byte| byte.is_ascii_lowercase()) => {
                        vec![Value::Scalar(Text::default())]
                    }
                    None => Vec::new(),
                });
            }
        }
        if let Some(before) = place {
            let mut after = self.place.clone();
            after.stack = after.stack.perhaps_after(&before.stack);
            let moved = after.directory != before.directory;
            after.elsewhere = after.elsewhere.or(before.elsewhere);
            if moved {
                after.elsewhere = after.elsewhere.or(before.directory);
            }
            self.put(after);
        }
        for (name, ways) in functions {
            self.doubt_function(&name, ways);
        }
        for (name, values) in before {
            let mut both = self.variable(&name).unwrap_or_default().to_vec();
            both.extend(
                values
                    .into_iter()
                    .filter(|value| !self.variable(&name).unwrap_or_default().contains(value)),
            );
            self.assign(&name, both);
        }
    }

    /// Puts together what several branches left. `exhaustive` says that one of them was surely taken.
    pub(in crate::understand::shell) fn merge(&mut self, branches: Vec<Changes>, exhaustive: bool) {
        let count = branches.len();
        let mut merged: HashMap<String, (usize, Vec<Value>)> = HashMap::new();
        let mut directories: Vec<Option<String>> = Vec::new();
        let mut elsewhere = None;
        let all_moved = exhaustive && branches.iter().all(|branch| branch.directory.is_some());
        let mut stack: Option<Stack> = (!all_moved).then(|| self.place.stack.clone());
        for branch in branches {
            for (name, after) in branch.variables {
                let slot = merged.entry(name).or_default();
                slot.0 += 1;
                for value in after.unwrap_or_default() {
                    if !slot.1.contains(&value) {
                        slot.1.push(value);
                    }
                }
            }
            if let Some(place) = branch.directory {
                elsewhere = elsewhere.or(place.elsewhere);
                stack = Some(
                    stack.map_or_else(|| place.stack.clone(), |stack| stack.either(&place.stack)),
                );
                directories.push(place.directory);
            }
        }
        for (name, (seen, mut values)) in merged {
            if !exhaustive || seen < count {
                for value in self.variable(&name).unwrap_or_default() {
                    if !values.contains(value) {
                        values.push(value.clone());
                    }
                }
            }
            self.assign(&name, values);
        }
        if !directories.is_empty() {
            directories.dedup();
            let known = match directories.as_slice() {
                [only] if all_moved => only.clone(),
                [only] if only.as_deref() == self.directory() => only.clone(),
                _ => None,
            };
            let previous = self.place.directory.clone();
            if !all_moved {
                elsewhere = elsewhere.or_else(|| previous.clone());
            }
            let stack = stack.unwrap_or_default();
            self.put(Place { directory: known, elsewhere, previous, stack });
        }
    }

    /// What changed since `mark` goes on changing, more often than is followed.
    pub(in crate::understand::shell) fn doubt(&mut self, mark: Mark) {
        let changed: BTreeSet<String> = self
            .log
            .get(mark.0..)
            .unwrap_or_default()
            .iter()
            .filter_map(|undo| match undo {
                Undo::Variable(name, _) => Some(name.clone()),
                _ => None,
            })
            .collect();
        for name in changed {
            let mut values = vec![Value::unknown(&name)];
            values.extend(self.variables.get(&name).into_iter().flatten().cloned());
            self.assign(&name, values);
        }
    }

    /// What a function was before a piece of script that may not have run, or that ran in a shell of its own, stands beside
    /// what it is after it: forgetting one could only hide what it does.
    fn doubt_function(&mut self, name: &str, before: Option<Vec<Function>>) {
        let after = self.functions.remove(name);
        let is_doubtful = before.is_none() || after.is_none();
        let mut ways = before.unwrap_or_default();
        for function in after.unwrap_or_default() {
            let is_known = ways.iter().any(|known| {
                known.layer == function.layer && known.body.span == function.body.span
            });
            if !is_known && ways.len() < FUNCTIONS {
                ways.push(function);
            } else {
                self.is_cut |= !is_known;
            }
        }
        for function in &mut ways {
            function.doubtful |= is_doubtful;
        }
        self.functions.insert(name.to_owned(), ways);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(x: &str) -> State {
        let mut state = State::new(Some("/w".to_owned()));
        state.assign("x", scalar(x));
        state
    }

    fn scalar(text: &str) -> Vec<Value> {
        vec![Value::Scalar(Text::known(text))]
    }

    fn both(one: &str, other: &str) -> Vec<Value> {
        [scalar(one), scalar(other)].concat()
    }

    #[test]
    fn what_is_rolled_back_is_as_it_was_and_tells_what_it_became() {
        let mut state = state("a");
        let mark = state.mark();
        assert!(state.is_unchanged_since(mark));
        state.assign("x", scalar("b"));
        state.enter(Some("/elsewhere".to_owned()));
        state.export("x");
        assert!(!state.is_unchanged_since(mark));
        let changes = state.roll_back(mark);
        assert_eq!(state.variable("x"), Some(scalar("a").as_slice()));
        assert_eq!(state.directory(), Some("/w"));
        state.merge(vec![changes], true);
        assert_eq!(state.variable("x"), Some(scalar("b").as_slice()));
        assert_eq!(state.directory(), Some("/elsewhere"));
    }

    #[test]
    fn a_variable_may_hold_what_any_branch_gave_it_and_what_it_held_where_none_may_be_taken() {
        for (exhaustive, expected) in
            [(true, both("b", "c")), (false, [both("b", "c"), scalar("a")].concat())]
        {
            let mut state = state("a");
            let branches = ["b", "c"].map(|value| {
                let mark = state.mark();
                state.assign("x", scalar(value));
                state.roll_back(mark)
            });
            state.merge(branches.into(), exhaustive);
            assert_eq!(state.variable("x"), Some(expected.as_slice()), "exhaustive: {exhaustive}");
        }
    }

    #[test]
    fn what_may_not_have_happened_leaves_both_values_and_both_directories() {
        let mut state = state("a");
        let mark = state.mark();
        state.assign("x", scalar("b"));
        state.enter(Some("/elsewhere".to_owned()));
        state.widen(mark);
        assert_eq!(state.variable("x"), Some(both("b", "a").as_slice()));
        assert_eq!((state.directory(), state.elsewhere()), (Some("/elsewhere"), Some("/w")));
    }
}
