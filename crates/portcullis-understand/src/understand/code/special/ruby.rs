//! Calls of Ruby whose arguments say what they are: functions that are asked for by their names.

use portcullis_syntax::Span;

use super::super::{
    interpreter::Interpreter,
    tables,
    value::{Given, Value},
};
use crate::text::{Piece, Taint};

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
        if let Some(value) = self.rehearsed_in_ruby(path, last, given, span) {
            return Some(value);
        }
        // `ERB.new(text).result`: what stands between its marks is run.
        if path == "ERB.new"
            && let Some(template) = given.first()
        {
            self.run_erb(template);
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

    /// The code of a template of ERB: `<% … %>`, `<%= … %>`. (docs.ruby-lang.org, ERB)
    fn run_erb(&mut self, template: &Given) {
        let text = template.value.text();
        let Some(known) = text.as_known() else {
            if text.taint != Taint::NONE {
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
