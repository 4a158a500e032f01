//! Calls that run more code: a text, a file, a module. Owns in which language it is read.

use super::{
    super::{
        imports::module_name,
        interpreter::Interpreter,
        services,
        special::GLOBALS,
        tables::Act,
        value::{Value, mixed},
    },
    Call,
    connections::is_address,
};
use crate::{programs::host::Host, text::Text};

impl Interpreter<'_, '_, '_> {
    /// A text as code, in this language or the one that the act names.
    pub(super) fn run_text_as_code(&mut self, act: Act, call: Call<'_>) -> Value {
        let Call { path, given, first, .. } = call;
        let Some(first) = first else { return Value::unknown("a value") };
        let given_code = if path == "Function" { given.last().unwrap_or(first) } else { first };
        let language = if let Act::CodeIn(language) = act { language } else { self.language };
        let code = given_code.value.clone();
        if let Some(value) = self.run_with_context(path, language, call) {
            return value;
        }
        let value = self.run_code(path, language, &code, given_code.span);
        let named = code.as_known().and_then(|code| code.trim().strip_prefix("return "));
        match named.map(|name| name.trim_end_matches(';').trim()) {
            Some("this") if path == "Function" => Value::name("globalThis"),
            Some(name) if path == "Function" && GLOBALS.contains(&name) => Value::name(name),
            _ => value,
        }
    }

    /// A file of code, which may lie at an address.
    pub(super) fn run_script_file(&mut self, call: Call<'_>) -> Value {
        let Call { first, .. } = call;
        let file = self.place_of(first);
        self.flush();
        if is_address(file.text.known_prefix()) {
            let code = self.walk.connect(&file, None, false);
            return Value::Text(self.walk.code(self.language, &code, file.span, &[]));
        }
        Value::Text(self.walk.script(self.language, &file, &[], None))
    }

    /// A module by its name, its file, its address or its text.
    pub(super) fn load_module(&mut self, call: Call<'_>) -> Value {
        let Call { path, given, first, .. } = call;
        if self.language == "javascript"
            && let Some(first) = first
            && let Some(code) = services::data_of(&first.value.text())
        {
            return self.run_code(path, "javascript", &Value::Text(code), first.span);
        }
        if first.is_some_and(|it| is_address(it.value.text().known_prefix())) {
            let address = self.place_of(first);
            let code = Value::Text(self.walk.connect(&address, None, false));
            return self.run_code(path, self.language, &code, address.span);
        }
        // What the script wrote itself before is code that it brings along.
        let file = self.place_of(first);
        let names_file = file.text.known_prefix().starts_with(['/', '.', '~']);
        if names_file && self.language == "javascript" {
            self.flush();
            if self.walk.wrote(&file.text) {
                self.walk.script(self.language, &file, &[], None);
            }
        }
        match first.and_then(|given| given.value.as_known()) {
            Some(name) => self.module(module_name(name)),
            // One of the project, whatever it is called.
            None if names_file => {
                let mut named = Text::unknown("a module");
                given.iter().for_each(|given| given.value.inherit_into(&mut named));
                Value::reached("a module", named)
            }
            None => Value::reached(
                "a module",
                mixed("a module", given.iter().map(|given| &given.value)),
            ),
        }
    }
}
