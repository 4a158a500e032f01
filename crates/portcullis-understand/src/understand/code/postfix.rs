//! What stands behind an operand: members, indices and calls; what a call does is said in `calls`.

use portcullis_syntax::Span;
use portcullis_syntax::code::TokenKind;

use super::{
    binding::NOWHERE,
    containers::{any_of, grown, one_method},
    expressions::SHIFT,
    interpreter::Interpreter,
    objects::described_as,
    operands::LINES,
    value::{ELEMENTS, Given, Value, mixed},
};
use crate::{
    bound::{Bounded, Cut},
    text::{Piece, Text},
};

mod bare;
mod given_blocks;
mod owners;

pub(super) use given_blocks::COMPOSED;

impl Interpreter<'_, '_, '_> {
    pub(super) fn postfix(&mut self, value: Value, start: usize) -> Value {
        if self.at >= self.end {
            let is_named = matches!(value, Value::Name(..) | Value::Method(_))
                && self.at > start
                && self.is_name(self.at - 1);
            // A Ruby method that ends a block is called as any other.
            return match self.language {
                "ruby" if is_named => self.bare_ruby_call(value, start),
                _ => value,
            };
        }
        let Some(token) = self.token_at(self.at) else { return value };
        let (spaced, first) = (token.spaced, token.first);
        let word = self.word();
        // `$`rm x`` of zx, execa and Bun.
        if self.language == "javascript"
            && !spaced
            && token.span.of(self.source).starts_with('`')
            && matches!(&value, Value::Name(path, _) if runs_templates(path))
        {
            let command = self.template();
            let span = self.span_from(start);
            return Value::Text(self.run_shell(&command, span, None));
        }
        // `prisma.$executeRaw`DELETE …``: a statement that is sent at once.
        if self.language == "javascript"
            && !spaced
            && token.span.of(self.source).starts_with('`')
            && let Some(path) = self.tag(&value)
            && self.sends_templates(&path)
        {
            return self.sent_template(&path, start);
        }
        // `tag`a ${b}``: a function of the script gets the texts, then the values between them.
        if self.language == "javascript"
            && !spaced
            && token.span.of(self.source).starts_with('`')
            && matches!(&value, Value::Function(_))
        {
            let given = self.tagged();
            let span = self.span_from(start);
            return self.call_value(value, given, span);
        }
        if self.language == "perl"
            && matches!(word, "[" | "{")
            && !spaced
            && let Some(taken) = self.sliced(&value, start)
        {
            return taken;
        }
        match word {
            "." | "?." | "->" | "::" if self.continues() => self.accessed(value, word, start),
            ":" if self.language == "lua" && self.is_name(self.at + 1) => {
                let name = self.word_at(self.at + 1);
                self.at += 2;
                self.member(value, name)
            }
            // JavaScript ends no statement before a parenthesis.
            "(" if !first
                || self.brackets > 0
                || self.language == "javascript"
                    && matches!(value, Value::Name(..) | Value::Function(_) | Value::Method(_)) =>
            {
                if spaced && !self.may_call_spaced(start) {
                    return self.bare_call(value, start, spaced);
                }
                self.parenthesized(value, start)
            }
            "{" if self.language == "perl" && !spaced => self.index(value),
            "[" if !first && (!spaced || !matches!(self.language, "ruby" | "perl")) => {
                self.index(value)
            }
            "!" if self.language == "rust" => {
                self.at += 1;
                value
            }
            "|" if self.language == "awk" && self.word_at(self.at + 1) == "getline" => {
                self.line_of_command(&value, start)
            }
            "++" | "--" if !spaced => {
                self.at += 1;
                if self.at == start + 2 && self.is_name(start) && self.language == "javascript" {
                    self.counted(start, word);
                }
                value
            }
            _ => self.bare_call(value, start, spaced),
        }
    }

    /// A member behind `.`, `->` or `::`.
    fn accessed(&mut self, value: Value, word: &str, start: usize) -> Value {
        if word == "." && matches!(self.language, "php" | "perl" | "awk" | "r") {
            return value;
        }
        // `list.join.to_sym`: what has no arguments is called by its name.
        let value = match value {
            Value::Method(_) | Value::Name(..)
                if self.language == "ruby"
                    && self.is_name(self.at - 1)
                    && self.is_made_here(&value) =>
            {
                let at = self.at;
                let called = self.bare_ruby_call(value, start);
                self.at = at;
                called
            }
            value => value,
        };
        // `this.#name`
        let is_private = self.word_at(self.at + 1) == "#" && self.language == "javascript";
        let next = self.at + 1 + usize::from(is_private);
        if self.is_name(next) {
            let mut name = self.word_at(next).to_owned();
            if is_private {
                name.insert(0, '#');
            }
            // `job.go` of an object with a getter of that name, which may change it.
            if matches!(value, Value::Table(_)) && self.language == "javascript" {
                let home: String = (start..self.at).map(|at| self.word_at(at)).collect();
                let is_held = matches!(self.variables.get(&home), Some(Value::Table(_)));
                self.at = next + 1;
                let home = if is_held { home.as_str() } else { "" };
                if let Some(given) = self.gotten(&value, &name, home) {
                    return given;
                }
            }
            self.at = next + 1;
            if word == "->"
                && let Some(index) = self.own_method(&value, &name)
            {
                return self.call_own_method(value, index, start);
            }
            let member = self.member(value, &name);
            // Perl calls what has no arguments without parentheses: `HTTP::Tiny->new->get(…)`.
            if self.language == "perl" && word == "->" && self.word() != "(" {
                let span = self.span_from(start);
                return self.call_value(member, Vec::new(), span);
            }
            return member;
        }
        if matches!(self.word_at(next), "[" | "{" | "(") {
            self.at = next;
            return value;
        }
        // `$list->@*`, `$table->@{qw(a b)}`
        if self.language == "perl" && matches!(self.word_at(next), "@" | "%" | "$") {
            let is_whole = self.word_at(next + 1) == "*";
            self.at = next + 1 + usize::from(is_whole);
            return match is_whole {
                true => value,
                false => self.sliced(&value, start).unwrap_or(value),
            };
        }
        if self.token_at(next).is_some_and(|token| token.kind == TokenKind::Variable) {
            // `$object->$name`
            self.at = next;
            let name = self.primary();
            if matches!(name, Value::Function(_)) {
                return name;
            }
            let name = name.text();
            return match name.as_known() {
                Some(name) => self.member(value, name),
                None => Value::reached("", mixed("a member", [&value])),
            };
        }
        value
    }

    /// A call with arguments in parentheses.
    fn parenthesized(&mut self, value: Value, start: usize) -> Value {
        // `unlink(...)`: the function itself.
        let behind = self.at + 2;
        if self.language == "php"
            && self.word_at(self.at + 1) == "..."
            && self.word_at(behind) == ")"
        {
            self.at = behind + 1;
            return value;
        }
        // `list.append(…)`: the list stands right before the method.
        let object = self.owner(start);
        let owner = object.clone().or_else(|| self.owner_of_chain(start));
        let close = self.partner(self.at);
        let first = self.at + 1;
        let is_refused = self.expects_throw(&value, close);
        self.seen.refused += usize::from(is_refused);
        let given = self.arguments_until(close);
        let span = self.span_from(start);
        let (value, turns) = self.changed_by_arguments(value, object.as_deref(), span);
        if let Some(owner) = owner.and_then(|owner| self.held_under(owner)) {
            if let Some((before, name)) = one_method(&value) {
                let callee = Value::Method(Box::new((before.clone(), name)));
                if let Some(grown) = grown(&callee, &given) {
                    self.changed(&owner, &before, grown, true);
                }
                // Who knows how often it was turned: whatever stands where may be any of them.
                if turns && let Some(Value::List(list)) = self.bound(&owner) {
                    self.bind(owner, Value::List(any_of(list)));
                }
            }
        } else if !self.grow_entry(start, &given) {
            self.grow_place(start, first - 1, &value, &given);
        }
        self.grow_first(&value, first, &given);
        if self.language == "awk" {
            self.substituted(&value, &given);
        }
        self.raises(start, &given);
        let outer = self.directory_around(&value);
        if matches!(value, Value::Function(_))
            && self.language == "javascript"
            && let Some(object) = object
            && let Some(held @ Value::Table(_)) = self.variables.get(&object)
        {
            self.this = Some((object, held.clone()));
        }
        let (callee, all) = match self.language {
            "ruby" => (value.clone(), given.clone()),
            _ => (Value::Number(0), Vec::new()),
        };
        let value = self.call_value(value, given, span);
        self.this = None;
        self.seen.refused = self.seen.refused.saturating_sub(usize::from(is_refused));
        let before = self.at;
        let value = self.with_block(&callee, &all, value);
        if let Some(outer) = outer.filter(|_| self.at > before) {
            self.walk.go_to(outer);
        }
        value
    }

    /// A method of a list that its arguments changed before it is called, and whether that is done again and again: `list.push(list.shift())`.
    fn changed_by_arguments(
        &mut self,
        value: Value,
        object: Option<&str>,
        span: Span,
    ) -> (Value, bool) {
        let changed = match (&value, object.and_then(|name| self.variables.get(name))) {
            (Value::Method(method), Some(now @ Value::List(after))) => match &method.0 {
                Value::List(before) if before.len() != after.len() => {
                    Some(Value::Method(Box::new((now.clone(), method.1.clone()))))
                }
                _ => None,
            },
            _ => None,
        };
        match changed {
            Some(changed) => (changed, self.is_repeated(span)),
            None => (value, false),
        }
    }

    /// `"command" | getline line` of awk.
    fn line_of_command(&mut self, value: &Value, start: usize) -> Value {
        let span = self.span_from(start);
        self.at += 2;
        let command = value.text();
        let printed = self.run_shell(&command, span, None);
        if self.is_name(self.at) {
            let lines = printed.as_known().and_then(|known| {
                let line =
                    |line: &str| Value::Text(printed.derive([Piece::Known(line.to_owned())]));
                let mut cut = Cut::default();
                let lines = known.lines().at_most(LINES, &mut cut, span);
                let value = lines.map(line).reduce(Value::or);
                let rest = printed.derive([Piece::Unknown("a later line".into())]);
                if cut.happened() { Some(Value::Text(rest)) } else { value }
            });
            let line = lines.unwrap_or_else(|| Value::Text(printed.clone()));
            if self.word_at(self.at + 1) == "[" {
                let place = self.expression(SHIFT);
                self.store_member(place, line);
            } else {
                self.bind(self.word().to_owned(), line);
                self.at += 1;
            }
        }
        Value::Text(printed)
    }

    /// The name of what a method belongs to, `list` of `list.append(` and `self.list` of `self.list.append(`.
    pub(super) fn owner(&self, start: usize) -> Option<String> {
        let end = self.at.checked_sub(2).filter(|end| *end > start)?;
        let mut name = String::new();
        for at in start..end {
            let word = self.word_at(at);
            if !self.is_name(at)
                && !matches!(word, "." | "#" | "this")
                && !word.starts_with(['$', '@'])
            {
                return None;
            }
            name.push_str(word);
        }
        Some(name)
    }

    /// The other names of the list or table that a variable holds: `b = a` names it twice.
    pub(super) fn same_as(&self, name: &str) -> Vec<String> {
        let pairs = self.aliases.iter();
        pairs
            .filter_map(|(one, other)| match (one == name, other == name) {
                (true, _) => Some(other.clone()),
                (_, true) => Some(one.clone()),
                _ => None,
            })
            .collect()
    }

    /// `lists[key].append(value)`, where the table may not have that key yet.
    fn grow_entry(&mut self, start: usize, given: &[Given]) -> bool {
        let close = self.partner(start + 1);
        let is_written = matches!(self.language, "python" | "javascript")
            && self.is_name(start)
            && self.word_at(start + 1) == "["
            && self.word_at(close + 1) == ".";
        let method = self.word_at(close + 2);
        if !is_written || !matches!(method, "append" | "add" | "push" | "extend" | "appendleft") {
            return false;
        }
        let Some(first) = given.first() else { return false };
        let key = match self.token_at(start + 2).map(|token| &token.kind) {
            // Under which name, nobody knows.
            _ if close != start + 3 => String::new(),
            Some(TokenKind::Text(parts)) => {
                let parts = parts.clone();
                self.parts(&parts).display()
            }
            _ => match self.bound(self.word_at(start + 2)) {
                Some(value) => value.text().display(),
                None => self.word_at(start + 2).to_owned(),
            },
        };
        let is_many = method == "extend";
        let name = self.word_at(start).to_owned();
        let Some(before @ Value::Table(_)) = self.bound(&name) else { return false };
        let Value::Table(mut table) = before.clone() else { return false };
        let mut list = match table.iter().position(|(known, _)| *known == key) {
            Some(at) => match table.remove(at).1 {
                Value::List(list) => list,
                other => vec![other],
            },
            None => Vec::new(),
        };
        let span = self.span_from(start);
        match &first.value {
            Value::List(more) if is_many => list.extend(more.iter().cloned()),
            // What comes again and again stands there more than once.
            value if value.as_known().is_none() && self.is_repeated(span) => {
                list.extend([value.clone(), value.clone()]);
            }
            value => list.push(value.clone()),
        }
        table.push((key, Value::List(list)));
        self.changed(&name, &before, Value::Table(table), false);
        true
    }

    /// `sub(/X/, "h", name)` of awk changes what the name holds, and `$0` where it names nothing.
    fn substituted(&mut self, callee: &Value, given: &[Given]) {
        let Value::Name(path, _) = callee else { return };
        let first_only = match path.as_ref() {
            "sub" => true,
            "gsub" => false,
            _ => return,
        };
        let (from, to, target) = match given {
            [from, to] => (from, to, "$0".to_owned()),
            [from, to, target] => (from, to, target.span.of(self.source).to_owned()),
            _ => return,
        };
        let before = given.get(2).map(|target| target.value.clone());
        let before =
            before.or_else(|| self.bound(&target)).unwrap_or_else(|| Value::unknown("a line"));
        let pattern = from.span.of(self.source);
        let plain = pattern
            .strip_prefix('/')
            .and_then(|it| it.strip_suffix('/'))
            .or_else(|| from.value.as_known())
            .filter(|it| it.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
        let whole = before.as_known().map(str::to_owned);
        let known =
            plain.zip(to.value.as_known().filter(|to| !to.contains(['&', '\\']))).zip(whole);
        let after = match known {
            Some(((plain, to), whole)) if !plain.is_empty() => {
                self.spend(whole.len() / 32);
                let changed = if first_only {
                    whole.replacen(plain, to, 1)
                } else {
                    whole.replace(plain, to)
                };
                let mut changed = Text::known(changed);
                changed.inherit(&before.text());
                Value::Text(changed)
            }
            _ => Value::Text(mixed("changed text", [&before, &from.value, &to.value])),
        };
        match target.split_once('[') {
            // Which of an array it was is not followed.
            Some((array, _)) => {
                self.bind(array.to_owned(), Value::Text(mixed("an array", [&after])))
            }
            None => self.bind(target, after),
        }
    }

    /// `push @list, …`, `array_push($list, …)`, `table.insert(list, …)`, `Object.assign(table, …)`: what the first argument names grows.
    fn grow_first(&mut self, callee: &Value, first: usize, given: &[Given]) {
        let Value::Name(path, _) = callee else { return };
        let method = match path.as_ref() {
            "push" | "array_push" | "table.insert" => "push",
            "unshift" | "array_unshift" => "unshift",
            "Object.assign"
            | "Object.defineProperties"
            | "Object.defineProperty"
            | "Reflect.defineProperty" => "update",
            "Reflect.set" => "set",
            "Reflect.deleteProperty" => "delete",
            _ => return,
        };
        let name = self.word_at(first).to_owned();
        let is_alone = self.is_name(first) && matches!(self.word_at(first + 1), "," | ")");
        let held = if is_alone || self.language != "javascript" {
            self.bound(&name)
        } else {
            given.first().map(|it| it.value.clone())
        };
        let before = match held {
            // An object of a class of the script.
            Some(Value::Name(path, _)) if method == "set" => {
                let [_, key, value, ..] = given else { return };
                let key = key.value.text().display();
                if !self.sets_by_class(&path, &key, &value.value, value.span) {
                    self.store_member(Value::name(&format!("{path}.{key}")), value.value.clone());
                }
                return;
            }
            Some(before @ (Value::List(_) | Value::Table(_))) => before,
            // Perl's `("one")` is a list of one.
            Some(before @ Value::Text(_)) if self.language == "perl" => Value::List(vec![before]),
            // `push @list, …` makes it.
            None if self.language == "perl" && name.starts_with('@') => Value::List(Vec::new()),
            _ => return,
        };
        // In Perl's brackets the list stands as its elements.
        let own = match &before {
            Value::List(list)
                if self.language == "perl"
                    && first > 0
                    && self.word_at(first - 1) == "("
                    && self.variables.contains_key(&name) =>
            {
                list.len()
            }
            _ => 1,
        };
        let rest = given.get(own..).unwrap_or_default();
        // `Object.defineProperty(table, "name", {value})`, or what its getter gives.
        let defined: Option<Given> = match rest {
            [name, described]
                if matches!(&**path, "Object.defineProperty" | "Reflect.defineProperty") =>
            {
                let (name, span) = (name.value.text().display(), described.span);
                Some(Given {
                    name: None,
                    value: Value::Table(described_as(name, &described.value)),
                    span,
                })
            }
            [Given { value: Value::Table(all), span, .. }]
                if path.as_ref() == "Object.defineProperties" =>
            {
                let (all, span) = (all.clone(), *span);
                let made = all.into_iter().flat_map(|(name, one)| described_as(name, &one));
                Some(Given { name: None, value: Value::Table(made.collect()), span })
            }
            _ => None,
        };
        let rest = defined.as_ref().map_or(rest, std::slice::from_ref);
        // `table.insert(list, at, value)`
        let rest = match rest {
            [Given { value: Value::Number(_), .. }, value] if path.as_ref() == "table.insert" => {
                std::slice::from_ref(value)
            }
            rest => rest,
        };
        let callee = Value::Method(Box::new((before.clone(), method.to_owned())));
        if let Some(grown) = grown(&callee, rest) {
            if self.language == "javascript" {
                let home = if is_alone { name.as_str() } else { NOWHERE };
                self.changed(home, &before, grown, true);
            } else {
                self.bind(name, grown);
            }
        }
    }

    /// The directory that Ruby goes back to behind the block of `Dir.chdir`.
    fn directory_around(&self, callee: &Value) -> Option<Option<String>> {
        let Value::Name(path, _) = callee else { return None };
        (self.language == "ruby" && path.as_ref() == "Dir.chdir")
            .then(|| self.walk.directory().map(str::to_owned))
    }

    fn may_call_spaced(&self, start: usize) -> bool {
        if self.language == "perl" {
            return true;
        }
        let keyword = matches!(
            self.word_at(start),
            "if" | "while" | "and" | "or" | "in" | "return" | "elif" | "not"
        );
        (self.language != "ruby" || !self.is_name(start)) && (!keyword || self.at != start + 1)
    }

    /// The arguments between the parenthesis at the cursor and `close`, which is passed.
    pub(super) fn arguments_until(&mut self, close: usize) -> Vec<Given> {
        let open = self.at;
        self.at += 1;
        let outer = self.narrow(close);
        self.brackets += 1;
        let mut given = Vec::new();
        while self.at < self.end && self.spend(1) {
            let start = self.at;
            if let Some(value) = self.generator(open, close) {
                given.push(Given { name: None, value, span: self.span_from(start) });
                break;
            }
            let spread = matches!(self.word(), "*" | "...");
            let names = self.word() == "**";
            let mut argument = self.argument();
            if self.at == start {
                self.at += 1;
                continue;
            }
            argument.span = self.span_from(start);
            match argument.value {
                Value::List(list)
                    if spread
                        || (self.language == "perl"
                            && argument.name.is_none()
                            && !self.is_reference(start)) =>
                {
                    let span = argument.span;
                    given.extend(list.into_iter().map(|value| Given { name: None, value, span }));
                }
                // One of several lists: each place has one of what stands there.
                Value::Any(several)
                    if spread
                        && self.language == "ruby"
                        && several.iter().all(|it| matches!(it, Value::List(_))) =>
                {
                    let span = argument.span;
                    let lists = several.into_iter().filter_map(|it| match it {
                        Value::List(list) => Some(list),
                        _ => None,
                    });
                    let mut places: Vec<Value> = Vec::new();
                    for list in lists {
                        for (at, value) in list.into_iter().enumerate() {
                            match places.get_mut(at) {
                                Some(place) => *place = place.clone().or(value),
                                None => places.push(value),
                            }
                        }
                    }
                    given.extend(places.into_iter().map(|value| Given { name: None, value, span }));
                }
                Value::Table(table) if names => {
                    let span = argument.span;
                    let named = table.into_iter();
                    given.extend(named.map(|(name, value)| Given {
                        name: Some(name),
                        value,
                        span,
                    }));
                }
                value => given.push(Given { value, ..argument }),
            }
            self.accept(",");
        }
        self.brackets -= 1;
        self.end = outer;
        self.at = close + 1;
        given
    }

    /// `f(x for x in list)`: the only argument is a generator.
    fn generator(&mut self, open: usize, close: usize) -> Option<Value> {
        if self.language != "python" || self.at != open + 1 || close - open > ELEMENTS {
            return None;
        }
        let back = self.at;
        self.at = open;
        let outer = std::mem::replace(&mut self.end, self.unit.tokens.len());
        let value = self.comprehension(close);
        self.end = outer;
        if value.is_none() {
            self.at = back;
        }
        value
    }

    pub(super) fn argument(&mut self) -> Given {
        let start = self.at;
        let separator = self.word_at(start + 1);
        let keyword = self.is_name(start)
            && (separator == "=" && matches!(self.language, "python" | "r" | "julia" | "java")
                || separator == ":" && !matches!(self.language, "lua" | "javascript" | "awk")
                || separator == "=>" && self.language != "javascript");
        if keyword {
            let name = self.word().to_owned();
            self.at += 2;
            let value = self.expression(0);
            return Given { name: Some(name), value, span: Span::default() };
        }
        if self.is_first(start) && self.word() == ";" {
            self.at += 1;
        }
        let value = self.expression(0);
        Given { name: None, value, span: Span::default() }
    }
}

/// Whether a template behind this name is a command: no other library puts one there.
fn runs_templates(path: &str) -> bool {
    const TAGS: &[&str] = &["$", "$()", "$.sync", "execa", "execa()", "execaSync", "execa.execa"];
    // With options first: `execa({stdio: "inherit"})`…``.
    let path = path.strip_suffix("()").unwrap_or(path);
    TAGS.contains(&path) || path.ends_with(".$") || path.ends_with(".$()")
}
