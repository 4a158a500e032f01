//! Calls of Ruby whose arguments say what they are: functions that are asked for by their names.

use portcullis_syntax::Span;

use super::super::{
    interpreter::Interpreter,
    tables,
    value::{Given, Value},
};

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
}
