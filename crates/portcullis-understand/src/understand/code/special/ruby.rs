//! Calls of Ruby whose arguments say what they are: functions that are asked for by their names.

use portcullis_syntax::Span;

use super::super::{
    interpreter::Interpreter,
    tables,
    value::{Given, Value},
};
use crate::{
    effect::GapReason,
    text::{Piece, Taint, Text},
};

/// Whether a module acts by what it is asked for.
fn acts_by(path: &str) -> bool {
    path.split('.').next().is_some_and(|module| {
        matches!(module, "Dir" | "File" | "FileUtils" | "IO" | "Kernel" | "Process")
    })
}

impl Interpreter<'_, '_, '_> {
    pub(super) fn special_in_ruby(
        &mut self,
        path: &str,
        last: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        // `method(:system).unbind.bind(self)`, `FileUtils.method(:rm_rf)`
        if last == "bind"
            && let Some(function) = path.strip_suffix(".bind")
            && self.does_something(function)
        {
            return Some(Value::name(function));
        }
        if matches!(last, "method" | "public_method" | "instance_method")
            && let [name] = given
            && let Some(name) = name.value.as_known()
        {
            let own = format!("{}{name}", path.strip_suffix(last).unwrap_or_default());
            let is_own = tables::row("ruby", &self.canonical(&own)).is_some();
            return Some(Value::name(if is_own { &own } else { name }));
        }
        if let Some(record) = self.record_of_ruby(path, given) {
            return Some(record);
        }
        if matches!(path, "include" | "extend" | "prepend")
            && let [Given { value: Value::Name(module, _), .. }, ..] = given
        {
            let module = module.to_string();
            if !self.takes_in(self.at.saturating_sub(1), &module) {
                self.parents.push(("Object".to_owned(), module));
            }
        }
        if path == "Dir.mktmpdir" {
            return Some(Value::known("/tmp/tmp.made"));
        }
        self.allows_only(path, given);
        if let Some(value) = self.native_in_ruby(path, last, given, span) {
            return Some(value);
        }
        // `block.call(value)`: what the block behind the call gets.
        if last == "call"
            && self.calls > 0
            && let Some(block) = path.strip_suffix(".call")
            && self.source.contains(&format!("&{block}"))
            && let Some(first) = given.first()
        {
            self.returned = Some(match self.returned.take() {
                Some(before) => before.or(first.value.clone()),
                None => first.value.clone(),
            });
        }
        if let Some(value) = self.rehearsed_in_ruby(path, last, given, span) {
            return Some(value);
        }
        // `ERB.new(text).result`: what stands between its marks is run.
        if path == "ERB.new"
            && let Some(template) = given.first()
        {
            self.run_erb(template);
        }
        // One of several names, and one of several that each is given.
        if matches!(last, "send" | "public_send" | "__send__")
            && let [name, rest @ ..] = given
            && let Value::Any(names) = &name.value
        {
            let mut result = None;
            for one in names.clone() {
                let mut all = vec![Given { value: one, ..name.clone() }];
                all.extend(rest.iter().cloned());
                let value = self.call_value(Value::name(path), all, span);
                result = Some(match result {
                    Some(before) => value.or(before),
                    None => value,
                });
            }
            return result;
        }
        // `IO.read("|command")`
        if matches!(path, "IO.read" | "IO.readlines" | "IO.foreach" | "IO.binread")
            && let Some(first) = given.first()
            && let Some(command) = first.value.as_known().and_then(|it| it.strip_prefix('|'))
        {
            let command = Text::known(command);
            return Some(Value::Text(self.run_shell(&command, first.span, None)));
        }
        // Which of a module's functions it is, nobody knows.
        if matches!(last, "send" | "public_send" | "__send__" | "method" | "public_method")
            && path != last
            && let [name, rest @ ..] = given
            && name.value.as_known().is_none()
            && !matches!(name.value, Value::Any(_) | Value::Function(_))
            && (rest.is_empty() && acts_by(path) || self.is_told(rest))
        {
            self.walk.gap(span, GapReason::UnknownCode);
            return Some(Value::unknown("a call"));
        }
        // `Kernel.send(:system, …)`, `FileUtils.public_send(:rm_rf, …)`
        if matches!(last, "send" | "public_send" | "__send__")
            && let [name, rest @ ..] = given
            && let Some(name) = name.value.as_known()
        {
            let receiver = path.strip_suffix(last).unwrap_or_default();
            let own = format!("{receiver}{name}");
            let is_own = tables::row("ruby", &self.canonical(&own)).is_some();
            if is_own || self.does_something(name) {
                let function = Value::name(if is_own { &own } else { name });
                return Some(self.call_value(function, rest.to_vec(), span));
            }
        }
        None
    }

    /// `FileUtils::DryRun.rm_rf(…)` and `noop: true` only say what they would do; `FileUtils::Verbose` does it. (docs.ruby-lang.org, FileUtils)
    fn rehearsed_in_ruby(
        &mut self,
        path: &str,
        last: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        // `include FileUtils::NoWrite`: its functions by their names alone.
        let is_bare = path == last && tables::row("ruby", &format!("FileUtils.{last}")).is_some();
        if is_bare {
            let class = self.class_of("self").unwrap_or_else(|| "Object".to_owned());
            let of = |module: &str| {
                let is_own = |it: &&(String, String)| it.0 == class || it.0 == "Object";
                self.parents.iter().filter(is_own).any(|(_, it)| it == module)
            };
            let rehearses = of("FileUtils.DryRun") || of("FileUtils.NoWrite");
            return (rehearses && !of("FileUtils")).then(|| Value::unknown("nothing"));
        }
        let module = path.strip_suffix(last)?.strip_suffix('.')?;
        match module {
            "FileUtils.DryRun" | "FileUtils.NoWrite" => return Some(Value::unknown("nothing")),
            "FileUtils.Verbose" => {
                let function = Value::name(&format!("FileUtils.{last}"));
                return Some(self.call_value(function, given.to_vec(), span));
            }
            _ => {}
        }
        let is_told = given.iter().any(|given| {
            let named = given.name.as_deref() == Some("noop") && given.value.is_true();
            named || given.value.entry("noop").is_some_and(Value::is_true)
        });
        (module == "FileUtils" && is_told).then(|| Value::unknown("nothing"))
    }

    /// Functions of a library of C: `Fiddle::Function.new(Fiddle.dlopen(nil)["unlink"], …).call(path)`, `extern "int unlink(char*)"`.
    fn native_in_ruby(
        &mut self,
        path: &str,
        last: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let is_word = |name: &&str| {
            !name.is_empty() && name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
        };
        match (path, given) {
            ("Fiddle.Function.new", [function, ..]) => {
                self.seen.native_call = Some(span);
                let shown = function.span.of(self.source);
                let name = shown.rsplit(['\'', '"']).nth(1).filter(is_word);
                match name {
                    Some(name) => Some(Value::name(&format!("native().{name}"))),
                    None => {
                        self.walk.gap(span, GapReason::UnknownCode);
                        Some(Value::unknown("a function"))
                    }
                }
            }
            ("extern", [declared, ..]) => {
                let declared = declared.value.as_known()?;
                let name = declared.split('(').next()?.split([' ', '*']).next_back();
                let name = name.filter(is_word)?.to_owned();
                let class = self.class_of("self")?;
                self.bind(format!("{class}.{name}"), Value::name(&format!("native().{name}")));
                Some(Value::unknown("a function"))
            }
            _ if last == "call" && path.starts_with("native().") => {
                let function = path.strip_suffix(".call")?;
                Some(self.call_value(Value::name(function), given.to_vec(), span))
            }
            _ => None,
        }
    }

    /// `allow(FileUtils).to receive(:rm_rf)` of RSpec: the method does nothing until the example is over, or all examples of the group are where
    /// that stands in what runs before each.
    fn allows_only(&mut self, path: &str, given: &[Given]) {
        const CALLS: &[&str] = &["and_call_original", "and_invoke", "and_wrap_original"];
        let [Given { value: Value::Name(of, _), .. }] = given else { return };
        let is_said = matches!(path, "allow" | "expect")
            && self.word() == "."
            && self.word_at(self.at + 1) == "to"
            && self.word_at(self.at + 2 + usize::from(self.word_at(self.at + 2) == "("))
                == "receive";
        if !is_said
            || !self.source.contains("RSpec")
            || CALLS.iter().any(|word| self.source.contains(word))
        {
            return;
        }
        let receive = self.at + 2 + usize::from(self.word_at(self.at + 2) == "(");
        let named = receive + 1 + usize::from(self.word_at(receive + 1) == "(");
        let span = |at: usize| self.unit.tokens.get(at).map(|token| token.span.of(self.source));
        let name = match span(named) {
            Some(":") => span(named + 1),
            name => name,
        };
        let Some(name) = name.map(|it| it.trim_matches([':', '"', '\''])) else { return };
        let path = format!("{of}.{name}");
        self.replaces_for_example(path);
    }

    /// `ERB.new(File.read("config/app.conf.erb"))`: a template that lies in the project, which is the project's own word.
    fn is_own_template(&self, template: &Given) -> bool {
        let text: String =
            template.span.of(self.source).chars().filter(|it| !it.is_whitespace()).collect();
        let named = ["File.read(", "IO.read(", "File.binread("]
            .iter()
            .find_map(|read| text.strip_prefix(read)?.split(')').next());
        let name = named.map(|it| it.trim_matches(['"', '\'']));
        name.is_some_and(|name| {
            !name.starts_with(['/', '~', '#', '|'])
                && name.bytes().all(|it| it.is_ascii_alphanumeric() || b"._-/".contains(&it))
                && !name.contains("..")
                && !self.walk.wrote(&Text::known(name))
        })
    }

    /// The code of a template of ERB: `<% … %>`, `<%= … %>`. (docs.ruby-lang.org, ERB)
    fn run_erb(&mut self, template: &Given) {
        let text = template.value.text();
        let Some(known) = text.as_known() else {
            if text.taint.has(Taint::NETWORK)
                || text.taint != Taint::NONE && !self.is_own_template(template)
            {
                self.run_code("ERB", "ruby", &template.value, template.span);
            }
            return;
        };
        let mut code = String::new();
        for part in known.split("<%").skip(1) {
            let (inner, _) = part.split_once("%>").unwrap_or((part, ""));
            if inner.starts_with(['#', '%']) {
                continue;
            }
            code.push_str(inner.trim_start_matches(['=', '-']).trim_end_matches('-'));
            code.push('\n');
        }
        if !code.trim().is_empty() {
            let code = Value::Text(text.derive([Piece::Known(code)]));
            self.run_code("ERB", "ruby", &code, template.span);
        }
    }
}
