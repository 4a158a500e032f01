//! Definitions: functions, classes, decorators. Owns where their bodies and parameters are.

use std::rc::Rc;

use portcullis_syntax::code::TokenKind;

use super::{
    interpreter::{Interpreter, Parameter, Takes},
    loops::{BODY, LEAVES},
    objects::SETTER,
    reduced::reduces,
    value::{Given, Value},
};
use crate::{
    programs::host::Host,
    {bound::Bounded, effect::GapReason},
};

/// How many decorators of one function are read, and of how many classes the fields are kept.
const DECORATORS: usize = 8;

/// Methods that Python calls by itself, in ways that are not followed.
const NOT_FOLLOWED: &[&str] = &[
    "__class_getitem__",
    "__delattr__",
    "__delete__",
    "__delitem__",
    "__iadd__",
    "__iand__",
    "__ifloordiv__",
    "__ilshift__",
    "__imod__",
    "__imul__",
    "__index__",
    "__instancecheck__",
    "__ior__",
    "__ipow__",
    "__irshift__",
    "__isub__",
    "__itruediv__",
    "__ixor__",
    "__new__",
    "__prepare__",
    "__set__",
    "__set_name__",
    "__subclasscheck__",
];

/// See [`DECORATORS`].
const CLASSES: usize = 64;

impl Interpreter<'_, '_, '_> {
    /// `@function` in front of what is called with it, where that is a function of a library that runs what it is given.
    pub(super) fn decorators(&mut self) {
        let start = self.at;
        let mut decorators = Vec::new();
        self.patched.clear();
        self.options.clear();
        self.is_command = false;
        while self.word() == "@" && self.at < self.end {
            if decorators.len() >= DECORATORS {
                let span = self.span_from(self.at);
                self.walk.left_unread(span);
                break;
            }
            self.at += 1;
            let before = self.at;
            decorators.push(self.expression(0));
            if self.at == before {
                return;
            }
            self.patch_function(before - 1);
        }
        // What is typed behind a program gives its parameters.
        self.is_command = decorators.iter().any(|decorator| {
            matches!(decorator, Value::Name(path, _) if path.ends_with(".command()") || path.ends_with(".command"))
        });
        // A function of the script puts another one in the place of what follows.
        // Or is told of it: `@show.register`.
        let is_function = |value: &Value| match value {
            Value::Function(_) => true,
            Value::Method(method) => {
                method.1 == "register" && matches!(method.0, Value::Function(_))
            }
            _ => false,
        };
        let is_own = |decorator: &&Value| decorator.alternatives().iter().any(is_function);
        self.decorated = decorators.iter().filter(is_own).cloned().collect();
        if !decorators.iter().any(|decorator| self.holds_function(decorator)) {
            return;
        }
        let span = self.span_from(start);
        let mut value = Value::unknown("a function");
        for decorator in decorators.into_iter().rev() {
            let given = vec![Given { name: None, value, span }];
            value = self.call_value(decorator, given, span);
        }
    }

    /// The fields of a class that are functions which run what they are given, by the names that reach them.
    pub(super) fn keep_field(&mut self, index: usize, name: &str, value: &Value) {
        let class = self.classes.iter().rev().find(|(_, body)| body.contains(&index));
        let Some((class, _)) = class else { return };
        if !self.holds_function(value) {
            // A field of the class is one of its objects too.
            let (whole, own) = (format!("{class}.{name}"), format!("self.{name}"));
            self.bind(whole, value.clone());
            self.set_field(&own, value.clone());
            return;
        }
        let names = [format!("{class}.{name}"), format!("self.{name}"), format!("cls.{name}")];
        for name in names {
            self.bind(name, value.clone());
        }
    }

    /// `class Name(Base):`
    pub(super) fn class(&mut self) {
        let start = self.at;
        self.at += 2;
        // What is patched for a class holds for its tests alone.
        let patched = std::mem::take(&mut self.patched);
        let name = self.word_at(start + 1);
        if patched.is_empty() {
            self.class_patches.remove(name);
        } else {
            self.class_patches.insert(name.to_owned(), patched);
        }
        if self.language == "javascript" {
            let name = self.word_at(start + 1).to_owned();
            return self.braced_class(name, start + 2);
        }
        if matches!(self.language, "php" | "ruby") {
            return self.class_of_scripting(start);
        }
        if self.language != "python" {
            return;
        }
        if self.classes.len() >= CLASSES {
            let span = self.span_from(start);
            self.walk.gap(span, GapReason::Limit);
            return;
        }
        let name = self.word_at(start + 1).to_owned();
        if self.word() == "(" {
            let close = self.partner(self.at);
            for base in self.names(self.at + 1, close) {
                let from = format!("{base}.");
                let fields = self.variables.iter().filter_map(|(path, value)| {
                    let field = path.strip_prefix(&from)?;
                    Some((format!("{name}.{field}"), value.clone()))
                });
                for (path, value) in fields.collect::<Vec<_>>() {
                    self.bind(path, value);
                }
                self.inherits(&name, &base);
            }
            self.based_on(&name, self.at);
            self.told_of_subclass(&name, start, self.at + 1..close);
        }
        let end = self.block_end(start);
        let fields = self.fields_of(self.at, end);
        if !fields.is_empty() {
            self.fields.insert(name.clone(), (Rc::clone(&self.unit), fields.into()));
        }
        self.decorated_at(end, &name);
        self.classes.push((name, self.at..end));
    }

    /// Remembers that a class is made from one of a library, whose name stands behind the token at `at`.
    fn based_on(&mut self, class: &str, at: usize) {
        let mut path = match self.bound(self.word_at(at + 1)) {
            Some(Value::Name(path, _)) => path.to_string(),
            _ => match self.bases.get(self.word_at(at + 1)) {
                Some(base) => base.clone(),
                None => return,
            },
        };
        let mut at = at + 2;
        while self.word_at(at) == "." && self.is_name(at + 1) {
            path.push('.');
            path.push_str(self.word_at(at + 1));
            at += 2;
        }
        self.bases.insert(class.to_owned(), path);
    }

    /// What a class has of another.
    fn inherits(&mut self, class: &str, base: &str) {
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

    /// `name: type = default` at the beginning of lines of a class.
    fn fields_of(&self, start: usize, end: usize) -> Vec<Parameter> {
        /// How many fields of a class are known.
        const FIELDS: usize = 32;
        let mut fields: Vec<Parameter> = Vec::new();
        let mut at = start;
        let mut indent = None;
        while at < end && fields.len() < FIELDS {
            let token = self.unit.tokens.get(at).filter(|token| token.first);
            let Some(token) = token else {
                at = self.partner_or_next(at);
                continue;
            };
            let is_field = *indent.get_or_insert(token.indent) == token.indent
                && self.is_name(at)
                && self.word_at(at + 1) == ":"
                && !self.is_first(at + 1);
            let next = (at + 1..end).find(|next| self.is_first(*next)).unwrap_or(end);
            if is_field {
                let mut field = Parameter::new(self.word_at(at), at);
                if let Some(equals) = (at + 2..next).find(|it| self.word_at(*it) == "=") {
                    field.default = equals + 1..next;
                }
                fields.push(field);
            }
            at = next;
        }
        fields
    }

    /// `class { … }`, `class Name extends Base { … }` where a value is wanted.
    pub(super) fn class_expression(&mut self) -> Value {
        let next = self.word_at(self.at + 1);
        let is_named = !matches!(next, "extends" | "{");
        let name = if is_named { next.to_owned() } else { format!("class{}", self.at) };
        self.braced_class(name.clone(), self.at + 1 + usize::from(is_named));
        Value::name(&name)
    }

    /// `class Name extends Base { constructor(…) {…} method(…) {…} field = value }` of JavaScript.
    fn braced_class(&mut self, name: String, head: usize) {
        let open = (head..self.end.min(head + BODY)).find(|at| self.word_at(*at) == "{");
        let Some(open) = open else { return };
        // More than that are read where they stand.
        if self.classes.len() >= CLASSES {
            return;
        }
        if self.word_at(head) == "extends" {
            let base = self.word_at(head + 1).to_owned();
            self.inherits(&name, &base);
            self.based_on(&name, head);
        }
        let close = self.partner(open);
        self.classes.push((name.clone(), open..close));
        self.at = open + 1;
        while self.at < close && self.spend(1) {
            let mut word = self.word().to_owned();
            let next = self.word_at(self.at + 1);
            if self.is_name(self.at) && self.at > open + 1 && self.word_at(self.at - 1) == "#" {
                word.insert(0, '#');
            }
            if next == "(" && self.at > 0 && self.word_at(self.at - 1) == "set" {
                word.push_str(SETTER);
            }
            match word.as_str() {
                "static" if next == "{" => {
                    self.at += 1;
                    self.braces();
                }
                "async" | "static" | "get" | "set" | "public" | "private" | "protected"
                | "readonly" | "override" | "abstract" | "declare" | "*" | "#" | ";"
                    if !matches!(next, "(" | "=") =>
                {
                    self.at += 1;
                }
                "[" if self.word_at(self.partner(self.at) + 1) == "(" => {
                    // The name is computed while the class is made.
                    let (unit, inside) =
                        (Rc::clone(&self.unit), self.at + 1..self.partner(self.at));
                    self.within(unit, inside, |inner| inner.expression(0));
                    match self.literal_method(self.at) {
                        Some((method, Value::Function(index))) => {
                            self.named.insert(format!("{name}.{method}"), index);
                        }
                        _ => self.at = self.partner_or_next(self.at),
                    }
                }
                _ if next == "(" => {
                    let parenthesis = self.at + 1;
                    let end = self.partner(parenthesis);
                    let parameters = self.parameters(parenthesis + 1, end);
                    // `constructor(private client = new Client())`
                    if word == "constructor" && parameters.iter().any(|it| it.is_field) {
                        let fields = parameters.clone().into();
                        self.fields.insert(name.clone(), (Rc::clone(&self.unit), fields));
                    }
                    let mut body = end + 1;
                    while body < close
                        && !matches!(self.word_at(body), "{" | ";")
                        && !self.is_first(body)
                    {
                        body = self.partner_or_next(body);
                    }
                    if self.word_at(body) != "{" {
                        self.at = body.max(self.at + 1);
                        continue;
                    }
                    self.at = body;
                    if let Value::Function(index) = self.braced_function(parameters) {
                        self.named.insert(format!("{name}.{word}"), index);
                        self.named.insert(word, index);
                    }
                }
                _ if self.is_name(self.at)
                    && let Some(at) = self.value_of_field(self.at) =>
                {
                    self.at = at;
                    let value = self.expression(0);
                    self.bind(format!("{name}.{word}"), value.clone());
                    self.set_field(&format!("this.{word}"), value);
                }
                _ => self.at = self.partner_or_next(self.at),
            }
        }
        self.at = close + 1;
    }

    /// Where the value of a field begins whose name stands here: `name = …`, `name: Type = …`, `name!: Type = …`.
    fn value_of_field(&self, at: usize) -> Option<usize> {
        match self.word_at(at + 1) {
            "=" => Some(at + 2),
            ":" => self.behind_type(at + 2),
            "!" | "?" if self.word_at(at + 2) == ":" => self.behind_type(at + 3),
            _ => None,
        }
    }

    /// Where the block of the line around `index` ends.
    pub(super) fn block_end(&self, index: usize) -> usize {
        let line = (0..=index)
            .rev()
            .leading(64)
            .find(|index| self.unit.tokens.get(*index).is_some_and(|token| token.first))
            .unwrap_or(index);
        self.unit.blocks.get(line).copied().unwrap_or(self.end).min(self.end)
    }

    pub(super) fn define(&mut self) {
        let mut start = self.at;
        // `function* name`
        start += usize::from(self.word_at(start + 1) == "*");
        let name = self.word_at(start + 1).to_owned();
        self.at = start + 2;
        while self.word() == "." || self.word() == ":" {
            self.at += 2;
        }
        let name = if self.at > start + 2 { self.word_at(self.at - 1).to_owned() } else { name };
        let is_setter = self.language == "ruby"
            && self.word() == "="
            && self.token_at(self.at).is_some_and(|token| !token.spaced);
        self.at += usize::from(is_setter);
        let mut parameters = Vec::new();
        if self.word() == "(" {
            let close = self.partner(self.at);
            parameters = self.parameters(self.at + 1, close);
            if self.language == "python" {
                self.read_head(self.at + 1..close);
            }
            self.at = close + 1;
        } else if self.language == "ruby" {
            parameters = self.bare_parameters(start);
        }
        let in_ruby = (self.language == "ruby").then(|| self.body_in_ruby(start)).flatten();
        let body = match self.language {
            "ruby" if let Some(body) = in_ruby => body,
            "python" => {
                let end = self.block_end(start);
                let head = self.at;
                while self.at < end && self.word() != ":" {
                    self.at = self.partner_or_next(self.at);
                }
                self.read_head(head..self.at);
                self.at + 1..end
            }
            // Their blocks end with a word; they are read where they stand.
            "ruby" | "lua" | "julia" => {
                for Parameter { name, .. } in parameters {
                    let unknown = Value::unknown(&name);
                    self.variables.entry(name).or_insert(unknown);
                }
                return;
            }
            _ => {
                while self.at < self.end && !matches!(self.word(), "{" | ";") {
                    self.at = self.partner_or_next(self.at);
                }
                if self.word() != "{" {
                    return;
                }
                self.at + 1..self.partner(self.at)
            }
        };
        self.at = body.end.max(self.at);
        if self.language == "ruby" {
            self.at += usize::from(self.word() == "end" && !self.is_first(body.start.max(1) - 1));
        }
        // `__construct(private string $path)`
        if self.language == "php"
            && name == "__construct"
            && parameters.iter().any(|it| it.is_field)
            && let Some((class, _)) = self.classes.iter().rev().find(|it| it.1.contains(&start))
        {
            let fields = parameters.clone().into();
            self.fields.insert(class.clone(), (Rc::clone(&self.unit), fields));
        }
        if parameters.first().is_some_and(|first| matches!(first.name.as_str(), "self" | "cls")) {
            parameters.remove(0);
        }
        let mut index = self.push_function(parameters, body, false);
        if std::mem::take(&mut self.is_command) {
            let options = std::mem::take(&mut self.options);
            self.commands.insert(index, options);
        }
        let mut patched = std::mem::take(&mut self.patched);
        // What is patched for a class is so in each of its tests.
        if name.starts_with("test")
            && let Some((class, _)) = self.classes.iter().rev().find(|it| it.1.contains(&start))
        {
            patched.extend(self.class_patches.get(class).into_iter().flatten().cloned());
        }
        if !patched.is_empty() {
            self.patches.insert(index, patched);
        }
        for decorator in std::mem::take(&mut self.decorated).into_iter().rev() {
            let span = self.span_from(start);
            let given = vec![Given { name: None, value: Value::Function(index), span }];
            let is_own = match &decorator {
                Value::Name(path, _) => self.is_class(path.trim_end_matches("()")),
                Value::Method(_) => false,
                decorator => matches!(decorator, Value::Function(_)),
            };
            match self.call_value(decorator, given, span) {
                Value::Function(made) => index = made,
                // What a decorator of a library gives is what it is given, as far as calls go.
                _ if !is_own => {}
                // What it is from here on is not followed.
                made => {
                    self.left_open(span);
                    let made = made.alternatives().into_iter().find_map(|one| match one {
                        Value::Function(made) => Some(made),
                        _ => None,
                    });
                    index = made.unwrap_or(index);
                }
            }
        }
        if reduces(&name) {
            let span = self.unit.tokens.get(start).map(|token| token.span).unwrap_or_default();
            self.defines_reduction(index, span);
        }
        if self.replaces_fixture(&name, index) {
            let span = self.span_from(start);
            self.walk.gap(span, GapReason::UnknownCode);
        }
        // Which of several functions is called is told by what they are given.
        if self.language == "python"
            && self.is_decorated(index, &["register"])
            && self.source.contains("singledispatch")
            && !self.is_dispatched(index)
        {
            let span = self.span_from(start);
            self.walk.gap(span, GapReason::UnknownCode);
        }
        let is_in_class = || self.classes.iter().any(|(_, body)| body.contains(&start));
        let registers = || {
            let class = self.classes.iter().rev().find(|(_, body)| body.contains(&start));
            name == "__new__" && class.is_some_and(|(class, _)| self.only_registers(class))
        };
        if self.language == "python"
            && NOT_FOLLOWED.contains(&name.as_str())
            && is_in_class()
            && !registers()
        {
            let span = self.span_from(start);
            self.left_open(span);
        }
        self.endless_calls(&name, index);
        let class = self.classes.iter().rev().find(|(_, body)| body.contains(&start));
        if let Some((class, _)) = class {
            let is_setter = self.language == "python" && self.is_decorated(index, &["setter"]);
            let end = if is_setter { SETTER } else { "" };
            let of_class = format!("{class}.{name}{end}");
            if is_setter {
                self.named.insert(of_class, index);
                return;
            }
            self.named.insert(of_class, index);
            if matches!(self.language, "php" | "ruby") && !self.hides_nothing(&name) {
                return;
            }
        } else if self.language == "python"
            && let Some(before) = self.variables.get(&name)
        {
            // What the name stood for before.
            if self.is_conditional(start) {
                let value = before.clone().or(Value::Function(index));
                self.bind(name.clone(), value);
            } else {
                self.variables.remove(&name);
            }
        }
        self.named.insert(name, index);
    }

    /// A function that starts copies of the program and calls itself whatever happens.
    pub(super) fn endless_calls(&mut self, name: &str, index: usize) {
        let Some(body) = self.functions.get(index).map(|function| function.body.clone()) else {
            return;
        };
        let again = (body.start..body.end.min(body.start + BODY)).any(|index| {
            let starts_itself = self.word_at(index) == "target"
                && self.word_at(index + 1) == "="
                && self.word_at(index + 2) == name;
            self.word_at(index) == name && self.word_at(index + 1) == "(" || starts_itself
        });
        // A process that starts itself anew, again and again.
        let goes_on = (body.start..body.end.min(body.start + BODY)).any(|index| {
            self.word_at(index) == "while" && matches!(self.word_at(index + 1), "True" | "1")
        });
        let leaves = (body.start..body.end.min(body.start + BODY))
            .any(|index| LEAVES.contains(&self.word_at(index)));
        let is_process = (body.start..body.end.min(body.start + BODY))
            .any(|index| self.word_at(index) == "Process" && self.word_at(index + 1) == "(");
        if again && goes_on && is_process && !leaves {
            let span = self.span_from(body.start);
            self.walk.note("code.fork.loop", span);
        }
        // Each of them starts the next, and nothing decides whether.
        let decides = (body.start..body.end.min(body.start + BODY))
            .any(|index| matches!(self.word_at(index), "if" | "?" | "while" | "and" | "or"));
        let starts_itself = (body.start..body.end.min(body.start + BODY)).any(|index| {
            self.word_at(index) == "target"
                && self.word_at(index + 1) == "="
                && self.word_at(index + 2) == name
        });
        // `Process(target=walk, args=(child,))` for each child ends where nobody has any.
        let goes_through = (body.start..body.end.min(body.start + BODY)).any(|index| {
            let name = self.word_at(index + 1);
            self.word_at(index) == "for"
                && self.word_at(index + 3) != "range"
                && (body.start..body.end.min(body.start + BODY)).any(|at| {
                    self.word_at(at) == "args"
                        && self.word_at(at + 2) == "("
                        && (at + 3..self.partner(at + 2)).any(|at| self.word_at(at) == name)
                })
        });
        if starts_itself && is_process && !decides && !leaves && !goes_through {
            let span = self.span_from(body.start);
            self.walk.note("code.fork.loop", span);
            return;
        }
        let chooses = (body.start..body.end.min(body.start + BODY))
            .any(|index| matches!(self.word_at(index), "if" | "?" | "while" | "for"));
        if again && !chooses && self.multiplies(body.start, body.end) {
            let span = self.span_from(body.start);
            self.walk.note("code.fork.loop", span);
        }
    }

    pub(super) fn partner_or_next(&self, index: usize) -> usize {
        match self.unit.partners.get(index) {
            Some(partner) if *partner > index => partner + 1,
            _ => index + 1,
        }
    }

    /// What a definition computes while it is made: the defaults of parameters, and what is said of their types.
    pub(super) fn read_head(&mut self, range: std::ops::Range<usize>) {
        let calls = range.clone().any(|at| self.word_at(at) == "(");
        if !calls {
            return;
        }
        let mut at = range.start;
        while at < range.end {
            if matches!(self.word_at(at), "=" | ":" | "->") {
                let unit = Rc::clone(&self.unit);
                self.within(unit, at + 1..range.end, |inner| inner.expression(0));
            }
            at = self.partner_or_next(at);
        }
    }

    /// The names between two tokens: a name after the opening bracket or a comma, with what stands for it where nothing is given.
    pub(super) fn parameters(&self, start: usize, end: usize) -> Vec<Parameter> {
        let mut parameters: Vec<Parameter> = Vec::new();
        let (mut expects, mut takes) = (true, Takes::One);
        let mut is_field = false;
        let mut index = start;
        let mut default: Option<usize> = None;
        let close = |parameters: &mut Vec<Parameter>, default: &mut Option<usize>, at: usize| {
            if let (Some(from), Some(last)) = (default.take(), parameters.last_mut()) {
                last.default = from..at;
            }
        };
        while index < end && parameters.len() < 32 {
            let word = self.word_at(index);
            match word {
                "," => {
                    close(&mut parameters, &mut default, index);
                    (expects, takes) = (true, Takes::One);
                }
                "*" | "..." if expects => takes = Takes::Rest,
                "**" if expects => takes = Takes::Names,
                // What a call of Ruby is given as a block is none of its arguments.
                "&" if expects && self.language == "ruby" => expects = false,
                "*" | "**" | "&" | "..." | "|" => {}
                // What TypeScript says of a field.
                "private" | "public" | "protected" | "readonly"
                    if self.language == "javascript" && self.is_name(index + 1) =>
                {
                    is_field = true;
                }
                "[" | "{" if expects && self.language == "javascript" => {
                    parameters.push(Parameter::new(word, index));
                    expects = false;
                }
                ":" if !expects
                    && default.is_none()
                    && self.language == "ruby"
                    && self.word_at(index + 1) != ","
                    && index + 1 < end =>
                {
                    default = Some(index + 1);
                }
                "=" if !expects && default.is_none() && !parameters.is_empty() => {
                    default = Some(index + 1);
                }
                // What PHP says of a parameter stands before its name: `private readonly ?string $path`.
                "private" | "public" | "protected" if expects && self.language == "php" => {
                    is_field = true;
                }
                _ if expects
                    && self.language == "php"
                    && self
                        .token_at(index)
                        .is_some_and(|token| token.kind != TokenKind::Variable) => {}
                _ if expects => {
                    let named = self.token_at(index).is_some_and(|token| {
                        matches!(token.kind, TokenKind::Name | TokenKind::Variable)
                    });
                    if named {
                        let is_field = std::mem::take(&mut is_field);
                        parameters.push(Parameter {
                            takes,
                            is_field,
                            ..Parameter::new(word, index)
                        });
                    }
                    expects = false;
                }
                _ => {}
            }
            index = self.partner_or_next(index);
        }
        close(&mut parameters, &mut default, end);
        parameters
    }

    /// The names of those.
    pub(super) fn names(&self, start: usize, end: usize) -> Vec<String> {
        self.parameters(start, end).into_iter().map(|parameter| parameter.name).collect()
    }
}
