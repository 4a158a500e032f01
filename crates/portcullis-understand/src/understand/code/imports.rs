//! Imports. Owns which names they bind to what of a module.

use portcullis_syntax::code::{TextPart, TokenKind};

use super::{interpreter::Interpreter, value::Value};

impl Interpreter<'_, '_, '_> {
    fn dotted(&mut self) -> String {
        let mut path = String::new();
        while self.at < self.end {
            if self.is_name(self.at) {
                path.push_str(self.word());
            } else if self.word() == "." {
                path.push('.');
            } else {
                break;
            }
            self.at += 1;
            if self.is_name(self.at) && !path.ends_with('.') {
                break;
            }
        }
        path
    }

    pub(super) fn import(&mut self) {
        self.at += 1;
        match self.language {
            "python" => loop {
                let path = self.dotted();
                if path.is_empty() {
                    break;
                }
                let module = self.module(&path);
                self.import_written(&path, self.span_from(self.at.saturating_sub(1)));
                if self.accept("as") {
                    let alias = self.word().to_owned();
                    self.at += 1;
                    self.bind(alias, module);
                } else {
                    let top = path.split('.').next().unwrap_or_default();
                    let module = self.module(top);
                    self.bind(top.to_owned(), module);
                }
                if !self.accept(",") {
                    break;
                }
            },
            "javascript" => {
                let start = self.at;
                if self.word() == "(" {
                    self.at -= 1;
                    let value = self.expression(0);
                    drop(value);
                    return;
                }
                let limit = self.end.min(start + 256);
                let from = (start..limit).find(|index| self.word_at(*index) == "from");
                let Some(from) = from else { return };
                let module = match self.token_at(from + 1).map(|token| &token.kind) {
                    Some(TokenKind::Text(parts)) => match parts.first() {
                        Some(TextPart::Literal(text)) => module_name(text).to_owned(),
                        _ => return,
                    },
                    _ => return,
                };
                let whole = self.module(&module);
                while self.at < from {
                    match self.word() {
                        "{" => {
                            let close = self.partner(self.at);
                            self.bind_members(close.min(from), &whole);
                            continue;
                        }
                        "*" | "as" | "," | "type" => {}
                        name if self.is_name(self.at) => {
                            self.bind(name.to_owned(), whole.clone());
                        }
                        _ => {}
                    }
                    self.at += 1;
                }
                self.at = from + 2;
            }
            _ => self.skip_statement(),
        }
    }

    pub(super) fn import_from(&mut self) {
        self.at += 1;
        let module = self.dotted();
        if !self.accept("import") {
            return;
        }
        let whole = self.module(&module);
        if !module.starts_with('.') {
            self.import_written(&module, self.span_from(self.at.saturating_sub(1)));
        }
        if self.accept("*") {
            self.bind("*".to_owned(), whole);
            return;
        }
        let parenthesis = self.accept("(");
        while self.is_name(self.at) && (parenthesis || !self.is_first(self.at)) {
            let name = self.word();
            self.at += 1;
            let through = self.module_through(&module, name);
            let value = through.unwrap_or_else(|| Value::name(&format!("{module}.{name}")));
            let bound = if self.accept("as") {
                let alias = self.word();
                self.at += 1;
                alias
            } else {
                name
            };
            self.bind(bound.to_owned(), value);
            if !self.accept(",") {
                break;
            }
        }
        if parenthesis {
            self.accept(")");
        }
    }
}

/// The name of a JavaScript module without its scheme.
pub(super) fn module_name(text: &str) -> &str {
    text.strip_prefix("node:").unwrap_or(text).trim_end_matches("/promises")
}
