//! What waits to be called or taken: events and those who listen to them, promises that something settles, queues. Owns the way from what
//! is put in to what comes out.

use portcullis_syntax::Span;

use super::{
    interpreter::Interpreter,
    value::{Given, Value},
};
use crate::bound::Bounded;

/// Methods that give an event a function.
const LISTENS: &[&str] = &[
    "addEventListener",
    "addListener",
    "on",
    "once",
    "prependListener",
    "prependOnceListener",
    "subscribe",
];

/// What `new Promise` gives its function to settle it with.
pub(super) const SETTLE: &str = "Promise.settle";

/// How many functions of one event are called.
const LISTENERS: usize = 8;

impl Interpreter<'_, '_, '_> {
    /// `emitter.on("name", function)`, `emitter.emit("name", value)`, `new Promise(settle => …)`.
    pub(super) fn event(
        &mut self,
        path: &str,
        last: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        if self.language != "javascript" {
            return None;
        }
        match (path, given) {
            ("Promise", [Given { value: Value::Function(index), .. }, ..]) => {
                return Some(self.settles(*index, span));
            }
            (SETTLE, [first, ..]) => {
                let value = first.value.clone();
                self.settled = Some(match self.settled.take() {
                    Some(before) => before.or(value),
                    None => value,
                });
                return Some(Value::unknown("nothing"));
            }
            ("Promise.all" | "Promise.allSettled", [Given { value: Value::List(list), .. }]) => {
                return Some(Value::List(list.clone()));
            }
            ("Promise.race" | "Promise.any", [Given { value: Value::List(list), .. }]) => {
                return list.iter().cloned().reduce(Value::or);
            }
            _ => {}
        }
        self.notice_watched(path, given);
        let (owner, _) = path.rsplit_once('.')?;
        let first = &given.first()?.value;
        let event = first.own_entry("type").filter(|_| last == "dispatchEvent").unwrap_or(first);
        let event = event.as_known()?;
        let slot = format!("{owner} hears {event}");
        if LISTENS.contains(&last) {
            let function = given.get(1)?.value.clone();
            self.hand_watched(owner, &function, span);
            if matches!(function, Value::Function(_) | Value::Name(..)) {
                let all = match self.bound(&slot) {
                    Some(before) => before.or(function),
                    None => function,
                };
                self.bind(slot, all);
            }
            return None;
        }
        if last != "emit" && last != "dispatchEvent" {
            return None;
        }
        let listener = self.bound(&slot)?;
        let listeners = listener.alternatives();
        for function in listeners.into_iter().at_most(LISTENERS, self, span) {
            // The event itself, or what stands behind its name.
            let rest = given.get(usize::from(last == "emit")..).unwrap_or_default();
            self.call_value(function, rest.to_vec(), span);
        }
        Some(Value::unknown("nothing"))
    }

    /// What a promise comes to that this function settles by what it is given.
    pub(super) fn settles(&mut self, index: usize, span: Span) -> Value {
        let outer = self.settled.take();
        let settle = |name: &str| Given { name: None, value: Value::name(name), span };
        self.apply(index, Some(&[settle(SETTLE), settle("Promise.refuse")]));
        match std::mem::replace(&mut self.settled, outer) {
            // Whoever it was handed to may settle it too.
            Some(value) if self.hands_on(index) => value.or(Value::unknown("a promise")),
            value => value.unwrap_or_else(|| Value::unknown("a promise")),
        }
    }

    /// `chokidar.watch(files).on("add", function)`: the function gets the name of each file that changes.
    fn hand_watched(&mut self, owner: &str, function: &Value, span: Span) {
        let start = owner.split("()").next().unwrap_or(owner);
        let Some(watched) = self.bound(&format!("{start} is watched")) else { return };
        if !matches!(function, Value::Function(_)) {
            return;
        }
        let each = match watched {
            Value::List(list) => list,
            one => vec![one],
        };
        for value in each.into_iter().at_most(LISTENERS, self, span) {
            self.call_value(function.clone(), vec![Given { name: None, value, span }], span);
        }
    }

    /// `chokidar.watch(files)`: remembers what is watched.
    pub(super) fn notice_watched(&mut self, path: &str, given: &[Given]) {
        const WATCHES: &[&str] = &["chokidar.watch", "gaze", "sane", "watchpack"];
        if let Some(first) = given.first()
            && WATCHES.contains(&path)
        {
            self.bind(format!("{path} is watched"), first.value.clone());
        }
    }

    /// Whether a function names its first parameter without calling it.
    fn hands_on(&self, index: usize) -> bool {
        let Some(function) = self.functions.get(index) else { return true };
        let Some(first) = function.parameters.first() else { return false };
        let word =
            |at: usize| function.unit.tokens.get(at).map_or("", |token| token.span.of(self.source));
        // `setTimeout(done, 10, value)` calls it with what is known.
        let is_timed = |at: usize| {
            at.checked_sub(2).is_some_and(|before| {
                matches!(word(before), "setTimeout" | "setImmediate") && word(before + 1) == "("
            })
        };
        let is_named = |at: usize| word(at) == first.name && word(at + 1) != "(";
        function.body.clone().any(|at| is_named(at) && !is_timed(at))
    }

    /// `queue.put(value)`, then `queue.get()`: what comes out went in before.
    pub(super) fn queued(&mut self, path: &str, last: &str, given: &[Given]) -> Option<Value> {
        let (queue, _) = path.rsplit_once('.')?;
        let is_queue = ["Queue()", "Pipe()[]", "SimpleQueue()", "LifoQueue()", "Channel()"]
            .iter()
            .any(|end| queue.ends_with(end));
        let slot = format!("{queue}.in it");
        match last {
            "put" | "put_nowait" | "send" if is_queue => {
                let value = given.first()?.value.clone();
                self.set_field(&slot, value);
                Some(Value::unknown("nothing"))
            }
            "get" | "get_nowait" | "recv" if is_queue => self.bound(&slot),
            _ => None,
        }
    }
}
