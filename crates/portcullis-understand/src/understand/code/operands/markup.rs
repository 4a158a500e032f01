//! Elements that are written out in JavaScript: `<Page dir={home} />`. Owns which functions of the script they call, and with what; what a
//! page does with the rest is not followed.

use super::super::{
    interpreter::Interpreter,
    value::{Given, SPREAD, Value},
};
use crate::bound::Bounded;

/// How many attributes and children of one element are read.
const PARTS: usize = 256;

/// How many bytes are searched for one piece of work.
const TEXT_PER_WORK: usize = 64;

impl Interpreter<'_, '_, '_> {
    /// Whether an element may begin here.
    pub(super) fn begins_element(&self) -> bool {
        self.language == "javascript"
            && self.word() == "<"
            && (self.is_name(self.at + 1) || self.word_at(self.at + 1) == ">")
    }

    /// The element that begins here; none where it has no end, as the parameters of a type.
    pub(super) fn written_element(&mut self) -> Option<Value> {
        let start = self.at;
        if !self.sink() {
            return None;
        }
        let value = self.element_from(start);
        self.rise();
        if value.is_none() {
            self.at = start;
        }
        value
    }

    fn element_from(&mut self, start: usize) -> Option<Value> {
        self.at += 1;
        let mut name = String::new();
        while self.is_name(self.at) || self.word() == "." && !name.is_empty() {
            let is_behind_name = !name.is_empty() && !name.ends_with('.') && self.word() != ".";
            if is_behind_name {
                break;
            }
            name.push_str(self.word());
            self.at += 1;
        }
        let (mut given, is_closed) = self.attributes()?;
        if !is_closed {
            // Whether it is closed anywhere is looked for in the whole text.
            let is_ended = self.spend(self.source.len() / TEXT_PER_WORK + 1)
                && self.source.contains(&format!("</{name}"));
            if !is_ended {
                return None;
            }
            given.push(("children".to_owned(), Value::List(self.children()?)));
        }
        let is_own =
            name.contains('.') || name.starts_with(|first: char| first.is_ascii_uppercase());
        if is_own {
            let component = self.value_of(&name);
            let span = self.span_from(start);
            let given = vec![Given { name: None, value: Value::Table(given), span }];
            let made = self.call_value(component, given, span);
            if let Value::Name(..) = &made {
                self.by_itself(&made, "render", &[], span);
            }
        }
        Some(Value::unknown("an element of a page"))
    }

    /// What stands up to the end of an opening tag, and whether that closes the element too.
    fn attributes(&mut self) -> Option<(Vec<(String, Value)>, bool)> {
        let mut given = Vec::new();
        for _ in 0..PARTS {
            if self.at >= self.end || !self.spend(1) {
                return None;
            }
            match self.word() {
                ">" => {
                    self.at += 1;
                    return Some((given, false));
                }
                "/" if self.word_at(self.at + 1) == ">" => {
                    self.at += 2;
                    return Some((given, true));
                }
                "/>" => {
                    self.at += 1;
                    return Some((given, true));
                }
                // `{...all}`
                "{" => {
                    let spread = self.in_braces().map(|spread| self.all_gotten(spread));
                    match spread {
                        Some(Value::Table(all)) => given.extend(all),
                        other => given.extend(other.map(|one| (SPREAD.to_owned(), one))),
                    }
                }
                _ if self.is_name(self.at) => {
                    let mut name = self.word().to_owned();
                    self.at += 1;
                    while matches!(self.word(), "-" | ":") && self.is_name(self.at + 1) {
                        name.push_str(self.word());
                        name.push_str(self.word_at(self.at + 1));
                        self.at += 2;
                    }
                    let value = if self.accept("=") {
                        match self.word() {
                            "{" => self.in_braces()?,
                            _ => self.primary(),
                        }
                    } else {
                        Value::name("true")
                    };
                    given.push((name, value));
                }
                _ => return None,
            }
        }
        self.limit();
        None
    }

    /// What stands between an opening tag and its end, which is passed.
    fn children(&mut self) -> Option<Vec<Value>> {
        let mut children = Vec::new();
        while self.at < self.end && self.spend(1) {
            match self.word() {
                "<" if self.word_at(self.at + 1) == "/" => {
                    let close = (self.at + 2..self.end)
                        .leading(PARTS)
                        .find(|at| self.word_at(*at) == ">")?;
                    self.at = close + 1;
                    return Some(children);
                }
                "<" if self.begins_element() => children.push(self.written_element()?),
                "{" => children.extend(self.in_braces()),
                _ => self.at += 1,
            }
        }
        None
    }

    /// The value in the braces that begin here, with nothing where there is only a remark.
    fn in_braces(&mut self) -> Option<Value> {
        let close = self.partner(self.at);
        if close <= self.at {
            self.at += 1;
            return None;
        }
        self.at += 1;
        self.accept("...");
        let unit = std::rc::Rc::clone(&self.unit);
        let inside = self.at..close;
        let value =
            (!inside.is_empty()).then(|| self.within(unit, inside, |inner| inner.expression(0)));
        self.at = close + 1;
        value
    }
}
