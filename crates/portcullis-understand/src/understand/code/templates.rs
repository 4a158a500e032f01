//! Templates of JavaScript behind a name: commands of zx, execa and Bun, and what a function of the script is given.

use portcullis_syntax::code::{TextPart, TokenKind};

use super::{
    interpreter::Interpreter,
    value::{Given, Value},
};
use crate::text::{Piece, Text};

impl Interpreter<'_, '_, '_> {
    /// A template that is a command: each value in it is one word, and each element of a list.
    pub(super) fn template(&mut self) -> Text {
        let mut command = Text::default();
        let Some(TokenKind::Text(parts)) = self.token_at(self.at).map(|token| &token.kind) else {
            return command;
        };
        let parts = parts.clone();
        self.at += 1;
        for part in &parts {
            let TextPart::Code(span) = part else {
                command.append(&self.parts(std::slice::from_ref(part)));
                continue;
            };
            let values = match self.fragment(*span) {
                Value::List(list) => list,
                value => vec![value],
            };
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    command.push_known(" ");
                }
                let word = value.text();
                match word.as_known() {
                    Some(known) => {
                        let quoted = format!("'{}'", known.replace('\'', "'\\''"));
                        command.append(&word.derive([Piece::Known(quoted)]));
                    }
                    None => command.append(&word),
                }
            }
        }
        command
    }

    /// What stands in front of a template: what is known of it, or the name of what a function was given.
    pub(super) fn tag(&self, value: &Value) -> Option<String> {
        match value {
            Value::Name(path, _) => Some(path.to_string()),
            Value::Text(text) if text.has_unknown() => {
                let before = self.at.checked_sub(1)?;
                self.is_name(before).then(|| self.word_at(before).to_owned())
            }
            _ => None,
        }
    }

    /// Whether what stands in front of a template sends it to a database: a client, the one that a transaction hands on, or a method that
    /// says so. Sources: the pages of postgres, Prisma, Neon, Vercel, Bun and mssql. Tags that only build a statement are none.
    pub(super) fn sends_templates(&self, path: &str) -> bool {
        const METHODS: &[&str] = &["$executeRaw", "$queryRaw"];
        const CLIENTS: &[&str] = &[
            "@neondatabase/serverless.neon()",
            "@vercel/postgres.createClient()",
            "@vercel/postgres.createPool()",
            "@vercel/postgres.sql",
            "Bun.SQL()",
            "Bun.sql",
            "bun.SQL()",
            "bun.sql",
            "mssql.query",
            "postgres()",
            "postgres.default()",
        ];
        const HANDED: &[&str] = &["sql", "t", "transaction", "trx", "tx"];
        let last = path.rsplit('.').next().unwrap_or(path);
        // A module of the project hands its client on.
        let is_of_project = ["./", "../", "/", "@/"].iter().any(|start| path.starts_with(start));
        METHODS.contains(&last)
            || is_of_project && last == "sql"
            || CLIENTS.iter().any(|client| {
                let rest = path.strip_prefix(client);
                rest.is_some_and(|rest| {
                    let is_handed_on = |part: &str| {
                        matches!(part, "begin()" | "reserve()" | "savepoint()" | "transaction()")
                    };
                    rest.is_empty()
                        || rest.starts_with('.')
                            && (matches!(last, "sql" | "query")
                                || rest.split('.').skip(1).all(is_handed_on))
                })
            })
            // What a transaction hands on has the name of a parameter and no other.
            || HANDED.contains(&path)
                && self.modules.iter().any(|module| {
                    matches!(
                        &**module,
                        "postgres" | "bun" | "@neondatabase/serverless" | "@vercel/postgres"
                    )
                })
    }

    /// Sends a template as the statement that it is; what stands in it is a value.
    pub(super) fn sent_template(&mut self, path: &str, start: usize) -> Value {
        let Some(TokenKind::Text(parts)) = self.token_at(self.at).map(|token| &token.kind) else {
            return Value::unknown(path);
        };
        let parts = parts.clone();
        self.at += 1;
        let mut statement = Text::default();
        for part in &parts {
            match part {
                TextPart::Code(inner) => statement.append(&self.fragment(*inner).text()),
                _ => statement.append(&self.parts(std::slice::from_ref(part))),
            }
        }
        let span = self.span_from(start);
        let given = Given { name: None, value: Value::Text(statement), span };
        self.call_value(Value::name(&format!("{path}.query")), vec![given], span)
    }

    /// What the function in front of a template gets: the list of its texts, then each value.
    pub(super) fn tagged(&mut self) -> Vec<Given> {
        let span = self.span_from(self.at);
        let Some(TokenKind::Text(parts)) = self.token_at(self.at).map(|token| &token.kind) else {
            return Vec::new();
        };
        let parts = parts.clone();
        self.at += 1;
        let (mut texts, mut values) = (vec![Text::default()], Vec::new());
        for part in &parts {
            match part {
                TextPart::Literal(_) => {
                    let literal = self.parts(std::slice::from_ref(part));
                    if let Some(last) = texts.last_mut() {
                        last.append(&literal);
                    }
                }
                TextPart::Code(inner) => {
                    values.push(self.fragment(*inner));
                    texts.push(Text::default());
                }
            }
        }
        let texts = Value::List(texts.into_iter().map(Value::Text).collect());
        let given = |value: Value| Given { name: None, value, span };
        std::iter::once(texts).chain(values).map(given).collect()
    }
}
