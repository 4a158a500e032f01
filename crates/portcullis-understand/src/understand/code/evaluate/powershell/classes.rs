//! Classes that a script declares. Owns how a thing is made of one, what its fields begin with, and which method a name reaches on it.

use std::rc::Rc;

use portcullis_syntax::{
    Span,
    tree::{Expression, ExpressionKind, Pattern, Statement, StatementKind},
};

use super::super::{
    Evaluator,
    calls::Given,
    value::{Object, Value},
};
use crate::effect::GapReason;

/// How deep fields are filled that begin with a thing whose fields begin with things.
const DEPTH: usize = 8;

/// A class by its name in lower case, with what its fields begin with.
pub(in super::super) struct Class {
    name: String,
    fields: Rc<[Statement]>,
    /// What holds the fields that belong to the class itself.
    shared: Value,
}

impl Evaluator<'_, '_> {
    /// Methods are there for whoever calls them, by the name of the class.
    pub(in super::super) fn declare(&mut self, name: &str, body: &[Statement], span: Span) {
        let mut fields = Vec::new();
        for member in body {
            match &member.kind {
                StatementKind::Function { name: method, block } => {
                    let method =
                        if method.eq_ignore_ascii_case(name) { "new" } else { method.as_str() };
                    self.define(&format!("{name}::{method}"), block);
                }
                _ => fields.push(member.clone()),
            }
        }
        let name = name.to_ascii_lowercase();
        let shared = self.object(Object { class: name.clone(), ..Object::default() });
        let fields: Rc<[Statement]> = fields.into();
        self.classes.retain(|class| class.name != name);
        self.classes.push(Class { name, fields: fields.clone(), shared: shared.clone() });
        self.fill(&shared, &fields, span);
    }

    /// A thing of a class that the script declared.
    pub(in super::super) fn instance(
        &mut self,
        class: &str,
        given: &[Value],
        span: Span,
    ) -> Option<Value> {
        let fields = self.declared(class)?.fields.clone();
        let made = self.object(Object { class: class.to_owned(), ..Object::default() });
        self.fill(&made, &fields, span);
        if let Some(at) = self.own_method(class, "new") {
            self.call_own(at, &made, given, span);
        }
        Some(made)
    }

    /// The same, with the values of its fields: `[Class]@{ Field = … }`.
    pub(in super::super) fn instance_with(
        &mut self,
        class: &str,
        given: &Value,
        span: Span,
    ) -> Option<Value> {
        let of_map = match given {
            Value::Object(number) => self.state.objects.get(*number).filter(|it| it.class == "map"),
            _ => None,
        };
        let Some(entries) = of_map.map(|map| map.entries.clone()) else {
            let is_one = matches!(given, Value::Object(number)
                if self.state.objects.get(*number).is_some_and(|it| it.class == class));
            return if is_one { None } else { self.instance(class, &given.elements(), span) };
        };
        let made = self.instance(class, &[], span)?;
        if let Value::Object(number) = &made {
            for (name, values) in entries {
                for value in values {
                    self.state.set_part(*number, &name, value);
                }
            }
        }
        Some(made)
    }

    /// A field that belongs to the class itself.
    pub(super) fn shared_field(&mut self, class: &str, name: &str, span: Span) -> Option<Value> {
        let Value::Object(number) = self.declared(class)?.shared else { return None };
        let values = self.state.part(number, name)?.to_vec();
        Some(self.one_of(&format!("part {number} {name}"), span, values))
    }

    /// The method that a name reaches on a thing of a class: its own, or that of a class it is derived from, which may be any.
    pub(in super::super) fn own_method(&self, class: &str, name: &str) -> Option<usize> {
        let exact = format!("{class}::{name}");
        let named = |is: &dyn Fn(&str) -> bool| self.functions.iter().rposition(|it| is(&it.name));
        named(&|known| known == exact).or_else(|| {
            self.declared(class)?;
            let inherited = format!("::{name}");
            named(&|known| known.ends_with(&inherited)).filter(|_| name != "new")
        })
    }

    /// A method of that name of whichever class the script declares.
    pub(super) fn method_of_any(&self, name: &str) -> Option<usize> {
        let ending = format!("::{name}");
        self.functions.iter().rposition(|held| held.name.ends_with(&ending))
    }

    /// Calls a method on a thing.
    pub(in super::super) fn call_own(
        &mut self,
        at: usize,
        this: &Value,
        given: &[Value],
        span: Span,
    ) -> Vec<Value> {
        let given = given
            .iter()
            .map(|value| Given { name: None, value: Some(value.clone()), span })
            .collect();
        let outer = self.state.get("this").map(<[Value]>::to_vec);
        self.state.set("this", vec![this.clone()]);
        let ways = self.call_function(at, given, None, span);
        self.state.set("this", outer.unwrap_or_else(|| vec![Value::Nothing]));
        ways
    }

    fn declared(&self, class: &str) -> Option<&Class> {
        self.classes.iter().find(|it| it.name == class)
    }

    /// Gives a thing the fields of its class.
    fn fill(&mut self, made: &Value, fields: &[Statement], span: Span) {
        let Value::Object(number) = *made else { return };
        if self.making >= DEPTH {
            self.walk.gap(span, GapReason::Limit);
            return;
        }
        self.making += 1;
        for field in fields {
            match &field.kind {
                StatementKind::Assign { target, operator: None, value } => {
                    let values = self.statement(value);
                    let Some(name) = field_name(target) else { continue };
                    for value in values {
                        self.state.set_part(number, &name, value);
                    }
                }
                _ => drop(self.statement(field)),
            }
        }
        self.making -= 1;
    }
}

/// The name of the field that is given a value: `[string] $Root = …`.
fn field_name(target: &Pattern) -> Option<String> {
    let [place] = target.before.as_slice() else { return None };
    let mut place: &Expression = place;
    while let ExpressionKind::Convert { of, .. } = &place.kind {
        place = of;
    }
    match &place.kind {
        ExpressionKind::Variable(name) => Some(name.to_ascii_lowercase()),
        _ => None,
    }
}
