//! Accounts of the machine, as the functions give them that look them up. Owns whose home an entry names (getpwnam(3)).

use super::{
    interpreter::Interpreter,
    value::{Given, Value},
};
use crate::text::Text;

/// What an entry goes by; its home is what is known of it.
const ENTRY: &str = "account()";

/// Functions that give the entry of an account, by its number or its name. Sorted.
const LOOK_UP: &[&str] = &[
    "Etc.getpwnam",
    "Etc.getpwuid",
    "POSIX.getpwnam",
    "POSIX.getpwuid",
    "getpwnam",
    "getpwuid",
    "posix_getpwnam",
    "posix_getpwuid",
];

/// Functions that give the home of whoever runs the script. Sorted.
const HOMES: &[&str] = &["File.HomeDir.home", "File.HomeDir.my_home"];

/// Where the home stands in the list that Perl gives.
const HOME_IN_LIST: i64 = 7;

impl Interpreter<'_, '_, '_> {
    /// What a function gives that looks up an account.
    pub(super) fn account(&mut self, path: &str, given: &[Given]) -> Option<Value> {
        if HOMES.binary_search(&path).is_ok() {
            return Some(Value::Text(self.environment("HOME")));
        }
        LOOK_UP.binary_search(&path).ok()?;
        let own = self.environment("HOME");
        let home = match given.first().map(|given| &given.value) {
            Some(Value::Number(0)) => Text::known("/root"),
            Some(value) => match value.as_known() {
                Some("root") => Text::known("/root"),
                Some(name)
                    if own.as_known().is_none_or(|own| !own.ends_with(&format!("/{name}"))) =>
                {
                    Text::known(format!("/home/{name}"))
                }
                _ => own,
            },
            None => own,
        };
        Some(Value::reached(ENTRY, home))
    }

    /// The home that an entry has, where that is what it is asked for.
    pub(super) fn home_of_account(value: &Value, key: &Value) -> Option<Value> {
        let Value::Name(path, home) = value else { return None };
        let is_asked = match key {
            Value::Number(position) => matches!(*position, HOME_IN_LIST | -2),
            key => key.as_known().is_some_and(|key| key == "dir"),
        };
        (&**path == ENTRY && is_asked).then(|| Value::Text(home.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::{HOMES, LOOK_UP};

    #[test]
    fn functions_are_sorted() {
        assert!(LOOK_UP.is_sorted());
        assert!(HOMES.is_sorted());
    }
}
