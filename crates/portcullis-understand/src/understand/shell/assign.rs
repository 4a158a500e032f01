//! Assignments: what a variable becomes, and what that means to programs that will find it. Owns neither variables, which `state` keeps, nor
//! what each of those means, which `programs::escapes` knows.

use portcullis_syntax::{
    Span,
    shell::{AssignedValue, Assignment},
};

use super::{run::mentions, state::Value, walk::Walk};
use crate::{
    effect::{Argument, Certainty, EffectKind},
    network,
    programs::escapes,
    text::Text,
};

impl Walk<'_> {
    /// Reads an assignment; gives the value.
    pub(super) fn assign(&mut self, assignment: &Assignment) -> Text {
        let name = assignment.name.as_ref();
        match &assignment.value {
            AssignedValue::Array(elements) => {
                let mut values: Vec<(Option<String>, Text)> = Vec::with_capacity(elements.len());
                let before = if assignment.append { self.value(name) } else { None };
                for (key, word) in elements {
                    let key = key.as_ref().map(|key| self.single(key).display());
                    if key.is_some() {
                        let value = self.single(word);
                        values.push((key, value));
                    } else {
                        let more = self.arguments(std::slice::from_ref(word));
                        values.extend(more.into_iter().map(|argument| (None, argument.text)));
                    }
                }
                let shown = super::words::join(
                    &values.iter().map(|(_, text)| text.clone()).collect::<Vec<_>>(),
                    " ",
                );
                self.assign_array(name, before, values);
                shown
            }
            AssignedValue::Word(word) => {
                // `x=$x…` builds a value up: a variable of the script's own that was not set before is empty.
                if mentions(word, name)
                    && self.state.variable(name).is_none()
                    && !name.contains(|c: char| c.is_ascii_uppercase())
                {
                    self.state.assign(name, vec![Value::Scalar(Text::default())]);
                }
                let value = self.single(word);
                if let Some(subscript) = &assignment.subscript {
                    let key = self.single(subscript);
                    if !self.is_associative(name) {
                        self.evaluated(&key, subscript.span);
                    }
                    self.assign_element(name, &key, value.clone(), assignment.append);
                    return value;
                }
                let whole = if assignment.append {
                    match self.value(name) {
                        Some(Value::Array(_)) => {
                            self.assign_element(name, &Text::known("0"), value.clone(), true);
                            return value;
                        }
                        Some(Value::Scalar(before)) if self.is_number(name) => {
                            let mut sum = Text::known("(");
                            sum.append(&before);
                            sum.push_known(")+(");
                            sum.append(&value);
                            sum.push_known(")");
                            sum
                        }
                        Some(Value::Scalar(mut before)) => {
                            before.append(&value);
                            before
                        }
                        Some(Value::Unset) | None => value.clone(),
                    }
                } else {
                    value.clone()
                };
                self.set(name, whole, assignment.span);
                value
            }
        }
    }

    /// Gives a variable a value, with what programs and the shell itself make of that variable.
    pub(super) fn set(&mut self, name: &str, value: Text, span: Span) {
        self.environment(name, &value, span);
        self.subscripts(&value, span);
        let value = if self.builtins.has_attributes { self.attributed(name, value) } else { value };
        self.state.assign(name, vec![Value::Scalar(value)]);
    }

    /// The call itself gives its command a variable.
    pub(in crate::understand) fn given_variable(&mut self, name: &str, value: Text, span: Span) {
        self.set(name, value, span);
        self.state.export(name);
    }

    /// What a variable means to programs that will find it: some are obeyed, some are run.
    pub(crate) fn environment(&mut self, name: &str, value: &Text, span: Span) {
        // The whole of it is looked through.
        self.charge(value.len() / super::BYTES_PER_WORK);
        if matches!(name, "PS0" | "PS1" | "PS2" | "PS3" | "PS4") {
            self.at_most(Certainty::Likely, |walk| walk.prompted(value, span, false));
        }
        if let Some(function) = name.strip_prefix("BASH_FUNC_") {
            let mut code = Text::known(function.trim_end_matches(['%', '(', ')']));
            code.push_known(" ");
            code.append(value);
            self.at_most(Certainty::Likely, |walk| walk.same_shell(&code, span));
        }
        let is_for_git = name.starts_with("GIT_CONFIG_");
        if name.starts_with("GIT_") {
            escapes::git_environment(self, name, value, span);
        }
        escapes::named_in_variable(self, name, value, span);
        let is_noted =
            || is_for_git || network::service_in_variable(name, value.known_prefix()).is_some();
        match escapes::variable(name) {
            None if !is_noted() => {}
            None | Some(escapes::Variable::Obeyed) => {
                self.emit(
                    EffectKind::Environment { name: name.to_owned(), value: value.clone() },
                    span,
                );
            }
            Some(escapes::Variable::Command) => {
                self.emit(
                    EffectKind::Environment { name: name.to_owned(), value: value.clone() },
                    span,
                );
                // What the command prints is what `less` shows, or the name of what it shows.
                if name == "LESSOPEN" {
                    for word in value.known_prefix().split_whitespace().skip(1) {
                        if word.starts_with(['/', '~']) {
                            self.read(&Argument { text: Text::known(word), span });
                        }
                    }
                }
                // `|lesspipe %s`: marks of where what is shown comes from, less(1) "INPUT PREPROCESSOR".
                let bare = value.known_prefix().trim_start_matches(['|', '-']);
                let value = &match name {
                    "LESSOPEN" if bare.len() < value.known_prefix().len() => {
                        value.beginning_with(bare)
                    }
                    _ => value.clone(),
                };
                if !value.is_empty() {
                    self.running.begin(name, None);
                    self.at_most(Certainty::Likely, |walk| walk.shell(value, span, &[], None));
                    self.running.end(false);
                }
            }
            Some(escapes::Variable::File) => {
                self.emit(
                    EffectKind::Environment { name: name.to_owned(), value: value.clone() },
                    span,
                );
                if !value.is_empty() {
                    let file = Argument { text: value.clone(), span };
                    self.at_most(Certainty::Likely, |walk| walk.script("shell", &file, &[], None));
                }
            }
        }
    }
}
