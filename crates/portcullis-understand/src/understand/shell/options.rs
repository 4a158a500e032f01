//! `getopts`: one option after the other out of known arguments. Owns where it is; what a script does with the option is its
//! own.

use super::{state::Value, walk::Walk};
use crate::{effect::Argument, text::Text};

impl Walk<'_> {
    /// The next option, in the variable that the script names; gives whether there was one, where that is known.
    pub(super) fn next_option(&mut self, arguments: &[Argument]) -> Option<bool> {
        let name = arguments.get(1)?.text.as_known()?.to_owned();
        let step = self.step(arguments);
        let Some(step) = step else {
            self.state.assign(&name, vec![Value::unknown(&name)]);
            self.state.assign("OPTARG", vec![Value::unknown("OPTARG")]);
            self.state.assign("OPTIND", vec![Value::unknown("OPTIND")]);
            return None;
        };
        self.builtins.letter = step.letter;
        let set = |walk: &mut Self, name: &str, value: Text| {
            walk.state.assign(name, vec![Value::Scalar(value)]);
        };
        let found = step.found.or(step.wrong.map(|wrong| wrong.shown)).unwrap_or('?');
        set(self, &name, Text::known(String::from(found)));
        let option = step.wrong.filter(|wrong| wrong.is_silent);
        let option = option.map(|wrong| Text::known(String::from(wrong.option)));
        set(self, "OPTARG", step.value.or(option).unwrap_or_default());
        set(self, "OPTIND", Text::known(step.index.to_string()));
        Some(step.found.is_some() || step.wrong.is_some())
    }

    fn step(&mut self, arguments: &[Argument]) -> Option<Step> {
        let letters = arguments.first()?.text.as_known()?;
        let is_silent = letters.starts_with(':');
        let letters = letters.trim_start_matches(':').to_owned();
        let given: Vec<Text> = match arguments.get(2..).unwrap_or_default() {
            [] => self.state.positional().iter().skip(1).cloned().collect(),
            given => given.iter().map(|argument| argument.text.clone()).collect(),
        };
        let index = match self.value("OPTIND") {
            None | Some(Value::Unset) => 1,
            Some(Value::Scalar(text)) => text.as_known()?.parse::<usize>().ok()?,
            Some(Value::Array(_)) => return None,
        };
        let end = Step { found: None, value: None, index, letter: 0, wrong: None };
        let Some(argument) = given.get(index.checked_sub(1)?) else { return Some(end) };
        let argument = argument.as_known()?;
        if argument == "--" {
            return Some(Step { index: index + 1, ..end });
        }
        let Some(options) = argument.strip_prefix('-').filter(|options| !options.is_empty()) else {
            return Some(end);
        };
        let at = if self.builtins.letter < options.len() { self.builtins.letter } else { 0 };
        let mut left = options.get(at..)?.chars();
        let option = left.next()?;
        let left = left.as_str();
        let (next, letter) =
            if left.is_empty() { (index + 1, 0) } else { (index, at + option.len_utf8()) };
        let Some((_, after)) = letters.split_once(option).filter(|_| option != ':') else {
            let wrong = Some(Wrong { option, shown: '?', is_silent });
            return Some(Step { index: next, letter, wrong, ..end });
        };
        if !after.starts_with(':') {
            return Some(Step {
                found: Some(option),
                value: None,
                index: next,
                letter,
                wrong: None,
            });
        }
        let (value, index) = match (left, given.get(index)) {
            ("", Some(value)) => (value.clone(), index + 2),
            ("", None) => {
                let shown = if is_silent { ':' } else { '?' };
                let wrong = Some(Wrong { option, shown, is_silent });
                return Some(Step { index: index + 1, wrong, ..end });
            }
            (attached, _) => (Text::known(attached), index + 1),
        };
        Some(Step { found: Some(option), value: Some(value), index, letter: 0, wrong: None })
    }
}

/// What one call of `getopts` leaves.
struct Step {
    found: Option<char>,
    value: Option<Text>,
    /// The number of the argument to be read next.
    index: usize,
    /// The place in that argument.
    letter: usize,
    /// An option that is none, or lacks its value.
    wrong: Option<Wrong>,
}

/// An option that `getopts` refuses.
#[derive(Clone, Copy)]
struct Wrong {
    option: char,
    /// What the script's variable says of it.
    shown: char,
    /// Whether the script deals with it by itself: its letter is told.
    is_silent: bool,
}
