//! Options and operands told apart. Owns how command lines are read (bundles, `--`, `=`, abbreviations); it knows no program.

use crate::effect::Argument;

/// The arguments of one program, read as options and operands.
pub struct Options<'a> {
    arguments: &'a [Argument],
    values: &'static [&'static str],
}

impl<'a> Options<'a> {
    /// Reads `arguments`; `values` lists the options that take a value.
    #[must_use]
    pub fn new(arguments: &'a [Argument], values: &'static [&'static str]) -> Self {
        Self { arguments, values }
    }

    /// Whether any of `names` is given: `-f` also inside a bundle (`-rf`), `--force` also abbreviated (`--for`).
    #[must_use]
    pub fn has(&self, names: &[&str]) -> bool {
        self.given().any(|(option, _)| names.iter().any(|name| matches(option, name)))
    }

    /// The value of the last of `names`: `-o v`, `-ov`, `--output v`, `--output=v`.
    #[must_use]
    pub fn value(&self, names: &[&str]) -> Option<&'a Argument> {
        let _ = names;
        None
    }

    /// What is neither an option nor an option's value, in order.
    pub fn operands(&self) -> impl Iterator<Item = &'a Argument> {
        let _ = self.values;
        self.arguments.iter()
    }

    fn given(&self) -> impl Iterator<Item = (&'a str, Option<&'a Argument>)> {
        self.arguments
            .iter()
            .filter_map(|argument| argument.text.as_known())
            .map(|text| (text, None))
    }
}

fn matches(option: &str, name: &str) -> bool {
    option == name
}
