//! Commands of PowerShell that send and fetch. Owns which of their parameters goes out and which is written.

use super::{
    super::{Evaluator, value::Value},
    Bound,
};
use crate::{
    effect::{Argument, WriteMode},
    programs::host::Host,
    text::{Piece, Taint, Text},
};

impl Evaluator<'_, '_> {
    /// A request. One that sends or asks for more than a page is the same as curl's.
    pub(super) fn fetch(&mut self, bound: &Bound) -> Value {
        let span = bound.span;
        let Some(address) = bound.get(&["uri"]).or(bound.input.as_ref()) else {
            return Value::Nothing;
        };
        let address = self.argument(address, bound.span_of(&["uri"]));
        let word = |text: &str| Argument { text: Text::known(text), span };
        let method = bound.get(&["method", "custommethod"]).map(|it| self.text(it));
        let file = bound.get(&["infile"]).map(|it| self.path_argument(it, span));
        // What comes by the pipeline is the body where the address is named.
        let piped = bound.input.as_ref().filter(|_| bound.get(&["uri"]).is_some());
        let body = bound.get(&["body", "form"]).or(piped).map(|it| self.text(it));
        let headers = bound.get(&["headers"]).map(|it| self.text(it));
        let reads = method.as_ref().is_none_or(|it| {
            it.as_known()
                .is_some_and(|it| it.eq_ignore_ascii_case("get") || it.eq_ignore_ascii_case("head"))
        });
        let mut response = if !reads || file.is_some() || body.is_some() {
            let mut words = vec![word("curl"), address.clone()];
            if let Some(method) = method {
                let verb = match method.as_known() {
                    Some(known) => method.derive([Piece::Known(known.to_ascii_uppercase())]),
                    None => method,
                };
                words.extend([word("-X"), Argument { text: verb, span }]);
            }
            if let Some(file) = file {
                words.extend([word("-T"), file]);
            }
            if let Some(text) = body {
                let at = bound.span_of(&["body", "form"]);
                words.extend([word("--data-raw"), Argument { text, span: at }]);
            }
            self.walk.run(&words, None)
        } else {
            self.walk.connect(&address, None, false)
        };
        if let Some(headers) = headers.filter(|it| it.taint.has(Taint::SECRET)) {
            response.inherit(&headers);
        }
        response.taint = response.taint.with(Taint::NETWORK);
        if let Some(to) = bound.get(&["outfile"]) {
            let file = self.path_argument(to, bound.span_of(&["outfile"]));
            self.write_file(&file, WriteMode::Replace, response);
            return Value::Nothing;
        }
        Value::Text(response)
    }

    pub(super) fn transfer(&mut self, bound: &Bound) -> Value {
        let span = bound.span;
        let kind =
            bound.get(&["transfertype"]).map(|it| self.text(it).display()).unwrap_or_default();
        let (Some(source), Some(to)) = (bound.get(&["source"]), bound.get(&["destination"])) else {
            return Value::Nothing;
        };
        let to_text = self.text(to);
        let sends = kind.to_ascii_lowercase().starts_with("upload")
            || to_text.known_prefix().contains("://");
        if sends {
            let file = self.path_argument(source, bound.span_of(&["source"]));
            let content = self.walk.read(&file);
            let address = Argument { text: to_text, span: bound.span_of(&["destination"]) };
            self.walk.connect(&address, Some(content), false);
        } else {
            let address = self.argument(source, bound.span_of(&["source"]));
            let mut content = self.walk.connect(&address, None, false);
            content.taint = content.taint.with(Taint::NETWORK);
            let file = self.path_argument(to, bound.span_of(&["destination"]));
            self.write_file(&file, WriteMode::Replace, content);
        }
        if let Some(line) = bound.get(&["notifycmdline"]).map(|it| self.text(it)) {
            self.later(&line, span);
        }
        Value::Nothing
    }

    pub(super) fn mail(&mut self, bound: &Bound) -> Value {
        let span = bound.span;
        let mut sends = Text::default();
        for name in ["subject", "body"] {
            sends.append(&bound.get(&[name]).map(|it| self.text(it)).unwrap_or_default());
        }
        for file in bound
            .get(&["attachments"])
            .or(bound.input.as_ref())
            .map(Value::elements)
            .unwrap_or_default()
        {
            let file = self.path_argument(&file, span);
            sends.append(&self.walk.read(&file));
        }
        let server = bound.get(&["smtpserver"]).cloned().unwrap_or(Value::unknown("a mail server"));
        let address = self.argument(&server, span);
        self.walk.connect(&address, Some(sends), false);
        self.walk.note("windows.message.send", span);
        Value::Nothing
    }
}
