//! Calls that reach below what a program usually does: descriptors, memory, foreign functions, users; and what a rule alone describes. Owns what is remembered of them.

use super::{
    super::{
        calls::looks_like_sql,
        interpreter::Interpreter,
        libraries::IN_MEMORY,
        value::{Value, mixed},
    },
    Call,
};
use crate::{
    programs::host::Host,
    text::{Taint, Text},
};

impl Interpreter<'_, '_, '_> {
    /// What a rule alone describes.
    pub(super) fn note_rule(&mut self, rule: &'static str, call: Call<'_>) -> Value {
        let Call { path, given, span, .. } = call;
        // What lies in memory, or in a server that the test started, is there to be dropped.
        let is_played = rule == "code.database.drop"
            && (self.is_in_memory(path, &[]) || self.empties_test_database(path, given));
        let asks = given
            .iter()
            .any(|it| it.name.as_deref() == Some("ask_human_input") && it.value.is_true());
        if !(is_played || asks && rule == "code.agent.shell") {
            self.walk.note(rule, span);
        }
        Value::reached(&format!("{path}()"), Text { taint: Taint::PRIVATE, ..Text::default() })
    }

    /// Bytes that are turned into objects.
    pub(super) fn objects_from_bytes(&mut self, call: Call<'_>) -> Value {
        let Call { path, given, first, span, .. } = call;
        self.deserialize(path, first, given, span);
        Value::Text(mixed("an object", given.iter().map(|given| &given.value)))
    }

    /// A statement for a database.
    pub(super) fn send_statement(&mut self, call: Call<'_>) -> Value {
        let Call { path, given, first, .. } = call;
        // `pg_query($connection, $statement)`: the connection may stand before it.
        let second = given.get(1).filter(|it| {
            it.name.is_none()
                && looks_like_sql(&it.value.text())
                && first.is_some_and(|first| !looks_like_sql(&first.value.text()))
        });
        if let Some(first) = second.or(first) {
            let text = first.value.text();
            let word = text.known_prefix().trim_start().to_ascii_uppercase();
            self.seen.real |= word.starts_with("ATTACH");
            let verb = word.split_whitespace().next().unwrap_or_default();
            let is_held = self.is_in_memory(path, &[]) && IN_MEMORY.contains(&verb);
            if looks_like_sql(&text) && !is_held {
                self.walk.query(&text, first.span);
            }
        }
        Value::unknown("rows")
    }

    /// Another user that the program becomes.
    pub(super) fn become_user(&mut self, call: Call<'_>) -> Value {
        let Call { first, span, .. } = call;
        let root = first.is_some_and(|given| matches!(given.value, Value::Number(0)));
        if root {
            self.walk.note("code.privilege.root", span);
            self.walk.privilege(Text::known("root"), span);
        }
        Value::unknown("nothing")
    }

    /// A descriptor under another number.
    pub(super) fn duplicate_descriptor(&mut self, call: Call<'_>) -> Value {
        let Call { span, .. } = call;
        if self.seen.connects || self.seen.listens {
            self.seen.duplicates = Some(span);
        }
        Value::unknown("a descriptor")
    }

    /// Memory whose content can be run.
    pub(super) fn executable_memory(&mut self, call: Call<'_>) -> Value {
        let Call { span, .. } = call;
        self.seen.executable_memory = true;
        self.seen.native_call = Some(span);
        Value::unknown("memory")
    }

    /// A library or a function that is not of the language.
    pub(super) fn native_library(&mut self, call: Call<'_>) -> Value {
        let Call { first, span, .. } = call;
        self.seen.native_call = Some(span);
        self.loaded(first, &[]);
        Value::name("native()")
    }
}
