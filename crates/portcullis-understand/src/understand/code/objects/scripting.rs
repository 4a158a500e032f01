//! Classes of PHP and Ruby: where their bodies are, what they have of others, and which of their methods the language calls by itself.
//! Owns what both do otherwise than Python and JavaScript. (php.net, "Magic Methods", "Traits"; docs.ruby-lang.org, Module, Struct, Data)

use std::{ops::Range, rc::Rc};

use portcullis_syntax::Span;

use super::super::{
    interpreter::{Interpreter, Parameter},
    tables,
    value::{Given, Value},
};

/// How many classes of a script are told apart.
const CLASSES: usize = 64;

/// How many words are looked at between the name of a class and its body.
const HEAD: usize = 48;

/// What a method of PHP calls its object.
const THIS: &str = "$this";

impl Interpreter<'_, '_, '_> {
    /// `class Name extends Base implements Other {`, `class Name < Base`, `module Name`: the cursor stands behind the name. What is in it
    /// is read where it stands.
    pub(in super::super) fn class_of_scripting(&mut self, start: usize) {
        if self.classes.len() >= CLASSES {
            return self.limit();
        }
        let name = self.word_at(start + 1).to_owned();
        let body = match self.language {
            "php" => {
                let last = self.end.min(start + HEAD);
                let Some(open) = (self.at..last).find(|at| self.word_at(*at) == "{") else {
                    return;
                };
                if let Some(base) = (self.at..open).find(|at| self.word_at(*at) == "extends") {
                    let base = (base + 1..open).take_while(|at| self.is_name(*at)).last();
                    if let Some(base) = base.map(|at| self.word_at(at).to_owned()) {
                        self.has_all_of(&name, &base);
                    }
                }
                self.bind(THIS.to_owned(), Value::name(THIS));
                self.at = open;
                open..self.partner(open)
            }
            _ => {
                if self.word() == "<" && self.is_name(self.at + 1) {
                    let base = self.word_at(self.at + 1).to_owned();
                    self.has_all_of(&name, &base);
                }
                let Some(close) = self.end_of_block(start) else { return };
                start..close
            }
        };
        self.classes.push((name, body));
    }

    /// The methods of a class that it has of another: of one above it, a trait or a module.
    fn has_all_of(&mut self, class: &str, base: &str) {
        self.parents.push((class.to_owned(), base.to_owned()));
        let from = format!("{base}.");
        let methods = self.named.iter().filter_map(|(name, index)| {
            let method = name.strip_prefix(&from)?;
            Some((format!("{class}.{method}"), *index))
        });
        let methods: Vec<_> = methods.collect();
        self.named.extend(methods);
        if let Some(fields) = self.fields.get(base).cloned() {
            self.fields.insert(class.to_owned(), fields);
        }
    }

    /// `use Trait;` and `include Module` in a class.
    pub(in super::super) fn takes_in(&mut self, at: usize, module: &str) -> bool {
        let class = self.classes.iter().rev().find(|(_, body)| body.contains(&at));
        let Some(class) = class.map(|(class, _)| class.clone()) else { return false };
        self.has_all_of(&class, module);
        true
    }

    /// `new class(…) extends Base { … }`: the cursor stands on `class`.
    pub(in super::super) fn class_without_name(&mut self) -> Option<Value> {
        let start = self.at;
        let last = self.end.min(start + HEAD);
        let mut open = start + 1;
        let mut given = Vec::new();
        if self.word_at(open) == "(" {
            let close = self.partner(open);
            self.at = open;
            given = self.arguments_until(close);
            open = close + 1;
        }
        let open = (open..last).find(|at| self.word_at(*at) == "{");
        let Some(open) = open.filter(|_| self.classes.len() < CLASSES) else {
            self.at = start + 1;
            return None;
        };
        let name = format!("class{start}");
        if let Some(base) = (start..open).find(|at| self.word_at(*at) == "extends") {
            let base = self.word_at(base + 1).to_owned();
            self.has_all_of(&name, &base);
        }
        self.bind(THIS.to_owned(), Value::name(THIS));
        self.classes.push((name.clone(), open..self.partner(open)));
        self.at = open;
        self.braces();
        self.construct(&name, &given)
    }

    /// `def name(a) = expression`, which has no `end`; `def name=(value)` has one.
    pub(in super::super) fn is_endless_definition(&self, at: usize) -> bool {
        let mut name = at + 1;
        while self.word_at(name + 1) == "." {
            name += 2;
        }
        let behind = match self.word_at(name + 1) {
            "(" => self.partner(name + 1) + 1,
            _ => name + 1,
        };
        let is_sign = self.word_at(behind) == "=" && !self.is_first(behind);
        is_sign && self.token_at(behind).is_some_and(|token| token.spaced)
    }

    /// The body of a definition of Ruby whose word stands at `start`, with the cursor behind its parameters: up to its `end`, or the
    /// expression behind `=`.
    pub(in super::super) fn body_in_ruby(&mut self, start: usize) -> Option<Range<usize>> {
        if self.word() == "=" && !self.is_first(self.at) {
            let from = self.at + 1;
            let mut at = from;
            while at < self.end && (at == from || !self.is_first(at)) && self.word_at(at) != ";" {
                at = self.partner_or_next(at);
            }
            return Some(from..at);
        }
        let close = self.end_of_block(start)?;
        Some(self.at..close)
    }

    /// Parameters of a definition of Ruby without parentheses: up to the end of its line.
    pub(in super::super) fn bare_parameters(&mut self, start: usize) -> Vec<Parameter> {
        let line = (self.at..self.end.min(start + HEAD))
            .find(|at| self.is_first(*at) || matches!(self.word_at(*at), ";" | "="));
        let names = line.is_some_and(|_| self.is_name(self.at) && !self.is_first(self.at));
        let Some(end) = line.filter(|_| names) else { return Vec::new() };
        // `def run a, b = 1`: a default is none of a body.
        let end = match self.word_at(end) {
            "=" => (end..self.end.min(start + HEAD))
                .find(|at| self.is_first(*at) || self.word_at(*at) == ";")
                .unwrap_or(end),
            _ => end,
        };
        let parameters = self.parameters(self.at, end);
        self.at = end;
        parameters
    }

    /// Whether a method may also be called by its name alone, as far as this is told: not where that is a function of the language.
    pub(in super::super) fn hides_nothing(&self, name: &str) -> bool {
        tables::row(self.language, name).is_none()
    }

    /// A method that an object does not have, or one that is called of the class: `__call`, `__callStatic`, `method_missing`.
    pub(in super::super) fn missing_method(
        &mut self,
        path: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        if !matches!(self.language, "php" | "ruby") || self.classes.is_empty() {
            return None;
        }
        let (object, method) = path.rsplit_once('.')?;
        if method == "new" {
            return None;
        }
        let (class, by) = match (object.strip_suffix("()"), self.language) {
            (Some(class), "php") => (class, "__call"),
            (None, "php") => (object, "__callStatic"),
            (Some(class), _) => (class, "method_missing"),
            (None, _) => (object, "method_missing"),
        };
        let index = self.named.get(&format!("{class}.{by}")).copied()?;
        let name = Given { name: None, value: Value::known(method), span };
        let mut all = vec![name];
        match self.language {
            "php" => {
                let list = given.iter().map(|it| it.value.clone()).collect();
                all.push(Given { name: None, value: Value::List(list), span });
            }
            _ => all.extend(given.iter().cloned()),
        }
        let value = self.apply(index, Some(&all));
        Some(self.itself_or(path, value))
    }

    /// What a method gave: the object itself where that is what it gave.
    pub(in super::super) fn itself_or(&self, path: &str, value: Value) -> Value {
        let is_itself =
            matches!(&value, Value::Name(name, _) if matches!(&**name, "self" | "$this"));
        match path.rsplit_once('.') {
            Some((object, _)) if is_itself && matches!(self.language, "php" | "ruby") => {
                Value::name(object)
            }
            _ => value,
        }
    }

    /// `Struct.new(:name)`, `Data.define(:name)`: a class with these fields.
    pub(in super::super) fn record_of_ruby(
        &mut self,
        path: &str,
        given: &[Given],
    ) -> Option<Value> {
        /// How many fields of a class are known.
        const FIELDS: usize = 32;
        if !matches!(path, "Struct.new" | "Data.define" | "Class.new" | "Module.new")
            || given.len() > FIELDS
            || self.classes.len() >= CLASSES
        {
            return None;
        }
        let names = given.iter().filter(|it| it.name.is_none());
        let fields: Option<Vec<Parameter>> = names
            .filter(|_| matches!(path, "Struct.new" | "Data.define"))
            .map(|it| Some(Parameter::new(it.value.as_known()?, self.at)))
            .collect();
        let name = format!("Record{}", self.classes.len());
        self.fields.insert(name.clone(), (Rc::clone(&self.unit), fields?.into()));
        self.classes.push((name.clone(), 0..0));
        Some(Value::name(&name))
    }

    /// What a class is called whose body is the block at the cursor: `Struct.new(:name) do … end`.
    pub(in super::super) fn opens_class(&mut self, made: &Value, body: Range<usize>) {
        if let Value::Name(name, _) = made
            && name.starts_with("Record")
            && self.is_class(name)
            && self.classes.len() < CLASSES
        {
            self.classes.push((name.to_string(), body));
        }
    }

    /// What a name of Ruby reads that no variable and no method has: the field of this name, `attr_reader :path`.
    pub(in super::super) fn read_field(&self, name: &str) -> Option<Value> {
        if self.language != "ruby" || self.classes.is_empty() {
            return None;
        }
        let own = self.class_of("self").map(|class| format!("{class}().{name}"));
        let field = self.variables.get(&format!("@{name}"));
        field.or_else(|| self.variables.get(&own?)).cloned()
    }

    /// Whether a name of Ruby without arguments is called where more stands behind it: a method of a value, or what makes an object of a
    /// class of the script.
    pub(in super::super) fn is_made_here(&self, value: &Value) -> bool {
        match value {
            Value::Method(_) => true,
            Value::Name(path, _) => {
                path.strip_suffix(".new").is_some_and(|class| self.is_class(class))
            }
            _ => false,
        }
    }
}
