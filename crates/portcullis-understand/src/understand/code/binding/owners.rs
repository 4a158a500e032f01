//! Lists and tables that a method changes where no name alone stands for them. Owns which variable holds such a one, and whether any does.

use super::{
    super::{
        containers::{grown, one_method},
        interpreter::Interpreter,
        value::{Given, Value},
    },
    places::{Key, LINKS, Link, NOWHERE, set_in},
};

impl Interpreter<'_, '_, '_> {
    /// `lists[key].insert(…)`, `table.setdefault(key, []).append(…)`, `make().push(…)`: a method changes a list or a table that no name alone
    /// stands for. `open` is the bracket behind the method.
    pub(in super::super) fn grow_place(
        &mut self,
        start: usize,
        open: usize,
        callee: &Value,
        given: &[Given],
    ) {
        let Some((before, name)) = one_method(callee) else { return };
        let callee = Value::Method(Box::new((before.clone(), name)));
        let holds = |value: &Value| matches!(value, Value::Table(_) | Value::List(_));
        if !matches!(self.language, "python" | "javascript")
            || !before.alternatives().iter().any(holds)
            || !self.sink()
        {
            return;
        }
        if let Some(after) = grown(&callee, given) {
            let place = self.home_of(start, open);
            let held = place.and_then(|(home, keys)| {
                let held = self.variables.get(&home).cloned()?;
                held.alternatives().iter().any(holds).then_some((home, keys, held))
            });
            match held {
                Some((home, keys, held)) => {
                    let whole = set_in(&held, &keys, &after, self.is_conditional(start));
                    self.changed(&home, &held, whole, keys.is_empty());
                }
                None if !self.is_fresh(open) => self.changed(NOWHERE, &before, after, true),
                None => {}
            }
        }
        self.rise();
    }

    /// The variable that holds what stands between the name at `start` and the method before the bracket at `open`, and the keys to it.
    fn home_of(&mut self, start: usize, open: usize) -> Option<(String, Vec<Key>)> {
        let mut links = Vec::new();
        let mut at = start + 1;
        while self.is_name(start) && links.len() <= LINKS {
            let (more, end) = self.links(at)?;
            links.extend(more);
            let Some(Link::Member(name)) = links.pop() else { return None };
            if end == open {
                return self.home_behind(start, &links);
            }
            // `table.setdefault(key, [])` and `map.get(key)` are entries like any other.
            if self.word_at(end) != "(" || !matches!(name.as_str(), "get" | "setdefault") {
                return None;
            }
            links.push(Link::Asked(end));
            at = self.partner(end) + 1;
        }
        None
    }

    /// The variable that holds what stands behind the name at `start`, and the keys to it.
    fn home_behind(&mut self, start: usize, links: &[Link]) -> Option<(String, Vec<Key>)> {
        let mut owner = self.resolve_here(start);
        let mut home = self.word_at(start).to_owned();
        let mut keys = Vec::new();
        for link in links {
            let key = self.key_of(link);
            if let (Value::Name(path, _), Key::Name(name)) = (&owner, &key) {
                home = self.holder_of(path, name);
                keys.clear();
                let name = name.clone();
                owner = self.member(owner, &name);
                continue;
            }
            owner = self.entry_of(&owner, &key);
            keys.push(key);
        }
        Some((home, keys))
    }

    /// Whether what a method belongs to was made right before it, and nothing else holds it: `[…path].pop()`, `text.split(" ").sort()`.
    fn is_fresh(&self, open: usize) -> bool {
        /// Functions that give what others hold too.
        const GIVE: &[&str] = &[
            "at",
            "find",
            "findLast",
            "get",
            "getattr",
            "next",
            "pop",
            "popleft",
            "setdefault",
            "shift",
            "vars",
        ];
        let Some(last) = open.checked_sub(3) else { return false };
        let first = self.unit.partners.get(last).copied().filter(|first| *first < last);
        let Some(first) = first else { return false };
        let before = first.checked_sub(1).map_or("", |at| self.word_at(at));
        match self.word_at(last) {
            "]" => !(self.is_name(first.saturating_sub(1)) || matches!(before, ")" | "]")),
            ")" => {
                !before.is_empty()
                    && self.is_name(first - 1)
                    && !GIVE.contains(&before)
                    && !self.named.contains_key(before)
                    && !matches!(self.variables.get(before), Some(Value::Function(_)))
            }
            _ => false,
        }
    }
}
