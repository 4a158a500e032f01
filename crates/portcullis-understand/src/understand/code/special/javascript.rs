//! Calls of JavaScript and Node whose arguments say what they are.

use portcullis_syntax::Span;

use super::super::{
    interpreter::Interpreter,
    tables::Act,
    value::{Given, Value},
};
use crate::{
    effect::GapReason,
    programs::host::Host,
    text::{Taint, Text},
};

/// Objects of JavaScript that nobody calls.
pub(in super::super) const GLOBALS: &[&str] = &["global", "globalThis", "process", "window"];

/// Parts of Node's inside that only tell something.
const SHOWN: &[&str] = &["buffer", "config", "constants", "natives", "os", "symbols", "util", "uv"];

/// How deep functions that a program of WebAssembly is given lie in each other's objects.
const IMPORTS: usize = 4;

impl Interpreter<'_, '_, '_> {
    /// What starts something, or says what is served.
    pub(super) fn started_in_node(
        &mut self,
        path: &str,
        last: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        if path == "process.dlopen" {
            self.loaded(given.get(1), &[]);
        }
        // `execa({stdio: "inherit"})` is the same function with these options.
        if path.rsplit('.').next().is_some_and(|it| matches!(it, "$" | "execa" | "execaSync"))
            && let [Given { value: Value::Table(_), .. }] = given
        {
            return Some(Value::name("execa()"));
        }
        // `express.static(directory)`: whoever asks the server gets the files in it.
        if matches!(path, "express.static" | "serve-static" | "koa-static" | "sirv")
            && let Some(directory) = given.first()
        {
            self.served = Some(directory.value.text());
        }
        if matches!(last, "launch" | "launchPersistentContext") {
            let option = given.iter().find_map(|it| it.value.entry("userDataDir").cloned());
            let option = option.map(|value| Given { name: None, value, span });
            self.profile(option.as_ref().or(given.first().filter(|_| last != "launch")));
        }
        None
    }

    /// Whether an object holds a function that does something outside of the program.
    fn reaches_out(&self, value: &Value, depth: usize) -> bool {
        match value {
            Value::Name(path, _) => self.does_something(path),
            Value::Table(table) => {
                depth == 0 || table.iter().any(|(_, it)| self.reaches_out(it, depth - 1))
            }
            _ => false,
        }
    }

    /// `storage.run(store, callback, …)`, in which `storage.getStore()` gives that store. (nodejs.org/api/async_context.html)
    fn stored_for_calls(&mut self, method: &str, given: &[Given], span: Span) -> Option<Value> {
        match (method, given) {
            ("run" | "enterWith", [store, rest @ ..]) => {
                let store = store.value.clone();
                self.seen.store = Some(match self.seen.store.take() {
                    Some(before) => before.or(store),
                    None => store,
                });
                let (called, arguments) = rest.split_first()?;
                Some(self.call_value(called.value.clone(), arguments.to_vec(), span))
            }
            ("getStore", []) => self.seen.store.clone(),
            _ => None,
        }
    }

    pub(super) fn special_in_javascript(
        &mut self,
        path: &str,
        last: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let inside = self.runs_inside(path, last, given, span);
        let inside = inside.or_else(|| self.listens_to_itself(path, last, given, span));
        let inside = inside.or_else(|| self.goes_out_below(path, last, given, span));
        self.opens_inspector(path, given, span);
        if inside.is_some() {
            return inside;
        }
        let said = given.first().map(|given| given.value.text());
        // `koffi.load("libc.so.6").func("int system(const char*)")`: the function is named where it is declared.
        if let ("koffi.load().func", Some(declared)) =
            (path, said.as_ref().and_then(Text::as_known))
        {
            let name = declared.split('(').next().unwrap_or_default().trim_end();
            let name = name.rsplit([' ', '*']).next().unwrap_or_default();
            return Some(Value::name(&format!("native().{name}")));
        }
        if let Some(method) = path.strip_prefix("async_hooks.AsyncLocalStorage().") {
            return self.stored_for_calls(method, given, span);
        }
        // What such hooks give in the place of modules is run by every import behind them. (nodejs.org/api/module.html)
        if path == "module.register"
            && said.as_ref().is_some_and(|text| text.known_prefix().starts_with("data:"))
        {
            self.walk.gap(span, GapReason::UnknownCode);
        }
        // A program that came over the network is given functions that reach out of its own memory.
        if path.starts_with("WebAssembly.")
            && said.as_ref().is_some_and(|text| text.taint.has(Taint::NETWORK))
            && given.get(1).is_some_and(|it| self.reaches_out(&it.value, IMPORTS))
        {
            return Some(self.act(Act::Deserialize, path, given, span));
        }
        // What `Function("return process")` made is called.
        if given.is_empty() && GLOBALS.contains(&path) {
            return Some(Value::name(path));
        }
        if matches!(path, "process.binding" | "process._linkedBinding")
            && !said.as_ref().and_then(Text::as_known).is_some_and(|name| SHOWN.contains(&name))
        {
            self.walk.note("code.sandbox.escape", span);
        }
        if let Some(number) = whole_number(path, given) {
            return Some(number);
        }
        if let "console.debug" | "console.dir" | "console.error" | "console.info"
        | "console.table" | "console.trace" | "console.warn" = path
        {
            let printed: Vec<&Given> = given.iter().collect();
            self.shown(&printed, span);
        }
        let evaluates = |given: &Given| given.value.entry("eval").is_some_and(Value::is_true);
        if last == "Worker" && given.iter().any(evaluates) {
            return Some(self.act(Act::Code, path, given, span));
        }
        // A module that stands in its address, as `import()` takes it.
        if last == "Worker"
            && said.as_ref().is_some_and(|address| address.known_prefix().starts_with("data:"))
        {
            return Some(self.act(Act::Module, path, given.get(..1).unwrap_or_default(), span));
        }
        let own = |given: &Given| match &given.value {
            Value::Name(path, _) => path.as_ref() == "import.meta.url",
            // `file://${process.cwd()}/`
            value => value.text().known_prefix().starts_with("file://"),
        };
        match (path, given) {
            ("URL", [name]) if name.value.text().known_prefix().starts_with("data:") => {
                return Some(name.value.clone());
            }
            ("URL", [name, base]) if own(base) => return Some(name.value.clone()),
            ("fileURLToPath" | "url.fileURLToPath", [module]) if own(module) => {
                return Some(Value::known("./module.js"));
            }
            _ => {}
        }
        None
    }
}

/// The whole number that a text says, or that a number is already: `parseInt("1f", 16)`, `Math.floor(8 / 4)`.
fn whole_number(path: &str, given: &[Given]) -> Option<Value> {
    match (path, given) {
        ("parseInt" | "Number.parseInt", [text, rest @ ..]) => {
            let radix = match rest.first().map(|it| &it.value) {
                Some(Value::Number(radix)) => {
                    u32::try_from(*radix).ok().filter(|it| (2..=36).contains(it))?
                }
                _ => 10,
            };
            match &text.value {
                Value::Number(number) if radix == 10 => Some(Value::Number(*number)),
                value => {
                    let known = value.as_known()?.trim();
                    let digits = if radix == 16 { known.trim_start_matches("0x") } else { known };
                    i64::from_str_radix(digits, radix).ok().map(Value::Number)
                }
            }
        }
        ("Math.ceil" | "Math.floor" | "Math.round" | "Math.trunc", [one]) => match one.value {
            Value::Number(number) => Some(Value::Number(number)),
            _ => None,
        },
        _ => None,
    }
}
