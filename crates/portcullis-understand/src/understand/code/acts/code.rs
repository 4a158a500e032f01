//! Calls that run more code: a text, a file, a module. Owns in which language it is read.

use portcullis_syntax::Span;

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
            // `require("./names.json")` gives what stands in it.
            if file.text.as_known().is_some_and(|name| name.ends_with(".json")) {
                return Value::Text(self.walk.read(&file));
            }
            if self.walk.wrote(&file.text) {
                self.walk.script(self.language, &file, &[], None);
            }
        }
        if let Some(first) = first
            && let Some(name) = first.value.as_known()
        {
            let (name, span) = (name.to_owned(), first.span);
            // `require(path.resolve("a.js"))` is a path, whatever is left of it.
            let is_written = span.of(self.source).trim().starts_with(['"', '\'', '`']);
            self.load_by_value(&name, names_file || !is_written, span);
            if is_dotted(&name) {
                self.import_written(&name, span);
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

    /// Reads the module of the project that a call names by a value that was computed: `require(process.argv[1])`,
    /// `importlib.import_module(sys.argv[1])`. What is written out where it is loaded is read already.
    fn load_by_value(&mut self, name: &str, names_file: bool, span: Span) {
        const OF_NODE: &[&str] = &["", ".js", ".cjs", ".mjs", ".ts", "/index.js"];
        const OF_PYTHON: &[&str] = &["/__init__.py", ".py"];
        let endings = match self.language {
            "javascript" if names_file => OF_NODE,
            "python" if is_dotted(name) => OF_PYTHON,
            _ => return,
        };
        let written = [format!("\"{name}\""), format!("'{name}'"), format!("`{name}`")];
        if written.iter().any(|it| span.of(self.source).contains(it)) && self.language == "python" {
            return;
        }
        let is_beside = name.starts_with("./") || name.starts_with("../");
        let is_read = written.iter().any(|it| {
            ["require(", "import("].iter().any(|call| self.source.contains(&format!("{call}{it}")))
        });
        if is_beside && is_read && self.language == "javascript" {
            return;
        }
        let directory = self.walk.directory_of_file();
        let directory = directory.or_else(|| self.walk.directory().map(str::to_owned));
        let Some(directory) = directory else { return };
        let stem = if self.language == "python" { name.replace('.', "/") } else { name.to_owned() };
        let stem = if stem.starts_with(['/', '~']) { stem } else { format!("{directory}/{stem}") };
        let Some(path) = self.walk.target(&Text::known(stem)).path else { return };
        self.flush();
        for ending in endings {
            self.walk.look(&format!("{path}{ending}"));
        }
        for ending in endings {
            self.walk.load(self.language, &format!("{path}{ending}"), span);
        }
    }
}

/// Whether a name is one of modules of Python in each other.
fn is_dotted(name: &str) -> bool {
    !name.is_empty()
        && name.split('.').all(|part| {
            !part.is_empty() && part.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
        })
}
