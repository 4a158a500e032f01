//! Calls of PHP whose arguments say what they are.

use portcullis_syntax::Span;

use super::super::{
    acts::is_address,
    handed,
    interpreter::Interpreter,
    tables::Act,
    value::{Given, Value, mixed},
};
use crate::{effect::GapReason, programs::host::Host};

impl Interpreter<'_, '_, '_> {
    pub(super) fn special_in_php(
        &mut self,
        path: &str,
        last: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let first = given.first();
        if matches!(path, "include" | "include_once" | "require" | "require_once")
            && let Some(first) = first
        {
            let argument = self.place_of(Some(first));
            let prefix = argument.text.known_prefix();
            if is_address(prefix) {
                let code = self.walk.connect(&argument, None, false);
                return Some(self.run_code(path, "php", &Value::Text(code), first.span));
            }
            if ["data:", "php://input", "php://filter", "expect:"]
                .iter()
                .any(|scheme| prefix.starts_with(scheme))
            {
                self.walk.gap(first.span, GapReason::UnknownCode);
            }
        }
        // `print_r($values, true)` gives the text that it would print.
        if let ("print_r" | "var_export", [value, gives]) = (path, given)
            && gives.value.is_true()
        {
            return Some(Value::Text(mixed("a text", [&value.value])));
        }
        // `curl_setopt($request, CURLOPT_POSTFIELDS, $data)`, and where it goes.
        if let ("curl_setopt", [_, option, value]) = (path, given) {
            let act = match &option.value {
                Value::Name(name, _) if name.ends_with("POSTFIELDS") => Act::Send,
                Value::Name(name, _) if name.ends_with("OPT_URL") => Act::Get,
                _ => Act::Nothing,
            };
            return Some(self.act(act, path, std::slice::from_ref(value), span));
        }
        if let ("curl_setopt_array", [_, Given { value: Value::Table(options), .. }]) =
            (path, given)
        {
            let address = options.iter().find(|(name, _)| name.ends_with("OPT_URL"));
            if let Some((_, address)) = address {
                let address = Given { name: None, value: address.clone(), span };
                self.act(Act::Get, "curl_setopt", &[address], span);
            }
            let body = options.iter().find(|(name, _)| name.ends_with("POSTFIELDS"));
            if let Some((_, body)) = body {
                let body = Given { name: None, value: body.clone(), span };
                return Some(self.act(Act::Send, path, &[body], span));
            }
        }
        // `(new ReflectionFunction('system'))->invokeArgs([…])`
        if last == "invokeArgs"
            && let [list] = given
            && let Some(function) = path.strip_suffix(".invokeArgs")
        {
            return Some(self.call_value(Value::name(function), handed::spread(list), span));
        }
        None
    }
}
