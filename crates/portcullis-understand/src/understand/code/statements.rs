//! Statements: imports, assignments, definitions, loops. Owns what each keyword of any language does to what is known;
//! values are computed in `expressions`.

use std::rc::Rc;

use portcullis_syntax::code::{TextPart, TokenKind};

use super::{
    interpreter::{Function, Interpreter, Parameter},
    value::{Given, Value},
};
use crate::{
    bound::Bounded,
    effect::{Argument, EffectKind, GapReason, WriteMode},
    programs::agents,
    text::{Piece, Text},
};

/// Assignment operators that replace.
const REPLACES: &[&str] = &["=", ":=", "<-", "||=", "??=", "&&=", "//="];

/// How many tokens of a body are looked at.
const BODY: usize = 96;

/// Words that leave a loop.
const LEAVES: &[&str] = &["break", "exit", "_exit", "return", "raise", "throw", "quit"];

/// Words that make a loop wait for something.
const WAITS: &[&str] = &[
    "accept",
    "communicate",
    "get",
    "input",
    "join",
    "poll",
    "read",
    "readline",
    "recv",
    "select",
    "sleep",
    "wait",
    "waitpid",
    "await",
    "flush",
    "execSync",
    "spawnSync",
];

/// How many elements of a list a loop's body is read for.
const ROUNDS: usize = 4;

/// How the gate's own variables begin.
pub(super) const OWN: &str = "PORTCULLIS_";

/// Variables that programs obey.
const OBEYED: &[&str] = &[
    "PATH",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "BASH_ENV",
    "ENV",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "NODE_OPTIONS",
    "PERL5OPT",
    "RUBYOPT",
    "GIT_SSH_COMMAND",
    "PROMPT_COMMAND",
    "IFS",
    "DYLD_INSERT_LIBRARIES",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
];

/// How many second names of lists are remembered.
const ALIASES: usize = 64;

/// How many decorators of one function are read, and of how many classes the fields are kept.
const DECORATORS: usize = 8;
/// See [`DECORATORS`].
const CLASSES: usize = 64;
/// How large a table or list may be for one of its entries to be set.
const ENTRIES: usize = 256;

impl Interpreter<'_, '_, '_> {
    /// Reads statements up to the token at `end`.
    pub(super) fn statements(&mut self, end: usize) {
        let outer = self.narrow(end);
        let brackets = std::mem::replace(&mut self.brackets, 0);
        while self.at < self.end && self.spend(1) {
            let before = self.at;
            self.statement_once();
            if self.at <= before {
                self.at = before + 1;
            }
        }
        self.at = self.at.max(self.end.min(end));
        self.end = outer;
        self.brackets = brackets;
    }

    /// Reads one statement.
    pub(super) fn statement_once(&mut self) {
        let start = self.at;
        if self.is_name(start) && !self.is_key(start) && self.keyword(start) {
            return;
        }
        if self.word() == "{" && self.language != "python" {
            self.braces();
            return;
        }
        if self.word() == "@" && self.language == "python" {
            self.decorators();
            return;
        }
        if self.appends() || self.store_entry() {
            return;
        }
        if let Some((place, operator)) = self.place() {
            self.assign_ahead(&place, operator);
            return;
        }
        let value = self.expression(0);
        if self.word() == "as" && self.is_name(self.at + 1) {
            let name = self.word_at(self.at + 1).to_owned();
            self.at += 2;
            self.bind(name, value);
            return;
        }
        if self.at > start && REPLACES.contains(&self.word()) {
            self.at += 1;
            let assigned = self.expression(0);
            self.store_member(value, assigned);
        }
    }

    /// `$list[] = value`
    fn appends(&mut self) -> bool {
        let start = self.at;
        let is_written =
            ["[", "]", "="].iter().zip(start + 1..).all(|(word, at)| self.word_at(at) == *word);
        let name = self.word().to_owned();
        let Some(Value::List(mut list)) =
            (self.language == "php" && is_written).then(|| self.bound(&name)).flatten()
        else {
            return false;
        };
        self.at = start + 4;
        list.push(self.expression(0));
        self.bind(name, Value::List(list));
        true
    }

    /// `@function` in front of what is called with it, where that is a function of a library that runs what it is given.
    fn decorators(&mut self) {
        let start = self.at;
        let mut decorators = Vec::new();
        while self.word() == "@" && self.at < self.end {
            if decorators.len() >= DECORATORS {
                let span = self.span_from(self.at);
                self.walk.gap(span, GapReason::Limit);
                break;
            }
            self.at += 1;
            let before = self.at;
            decorators.push(self.expression(0));
            if self.at == before {
                return;
            }
        }
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

    /// `name[key] = value`, where the name holds a table or a list.
    fn store_entry(&mut self) -> bool {
        let start = self.at;
        if self.word_at(start + 1) != "[" {
            return false;
        }
        let close = self.partner(start + 1);
        let name = self.word_at(start);
        let is_held = matches!(self.variables.get(name), Some(Value::Table(_) | Value::List(_)));
        if !is_held || !REPLACES.contains(&self.word_at(close + 1)) {
            return false;
        }
        let name = name.to_owned();
        self.at = start + 1;
        let key = self.list(close).pop();
        self.at = close + 2;
        let value = self.expression(0);
        // What holds much is a table of data, and copying it for each entry would take long.
        let is_small = match self.variables.get(&name) {
            Some(Value::Table(table)) => table.len() < ENTRIES,
            Some(Value::List(list)) => list.len() < ENTRIES,
            _ => false,
        };
        if !is_small || !self.spend(1) {
            // What it held before is not what it holds now.
            self.bind(name, Value::unknown("an entry"));
            return true;
        }
        let mut held = self.variables.get(&name).cloned();
        match (&mut held, key) {
            (Some(Value::Table(table)), Some(key)) => {
                let key = match key {
                    Value::Number(number) => number.to_string(),
                    key => key.text().display(),
                };
                table.retain(|(known, _)| *known != key);
                table.push((key, value));
            }
            (Some(Value::List(list)), Some(Value::Number(at))) => {
                match usize::try_from(at).ok().and_then(|at| list.get_mut(at)) {
                    Some(element) => *element = value,
                    None => list.push(value),
                }
            }
            (Some(Value::List(list)), _) => list.push(value),
            _ => return true,
        }
        if let Some(held) = held {
            self.bind(name, held);
        }
        true
    }

    /// The fields of a class that are functions which run what they are given, by the names that reach them.
    fn keep_field(&mut self, index: usize, name: &str, value: &Value) {
        let class = self.classes.iter().rev().find(|(_, body)| body.contains(&index));
        let Some((class, _)) = class.filter(|_| self.holds_function(value)) else { return };
        let names = [format!("{class}.{name}"), format!("self.{name}"), format!("cls.{name}")];
        for name in names {
            self.bind(name, value.clone());
        }
    }

    /// `class Name(Base):`
    fn class(&mut self) {
        let start = self.at;
        self.at += 2;
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
            }
        }
        let end = self.block_end(start);
        self.classes.push((name, self.at..end));
    }

    /// A name in front of `:` or `=>` is a key, whatever it means elsewhere.
    fn is_key(&self, index: usize) -> bool {
        self.blocks > 0
            && matches!(self.word_at(index + 1), ":" | "=>")
            && self.language != "python"
    }

    fn braces(&mut self) {
        let end = self.partner(self.at);
        self.at += 1;
        if !self.sink() {
            self.at = end + 1;
            return;
        }
        self.blocks += 1;
        self.statements(end);
        self.blocks -= 1;
        self.rise();
        self.at = end + 1;
    }

    /// Does what a keyword says; whether it was one.
    fn keyword(&mut self, start: usize) -> bool {
        match self.word() {
            "do" if self.language == "applescript" => self.do_script(),
            "import" => self.import(),
            "from" if self.language == "python" => self.import_from(),
            "use" | "no" if matches!(self.language, "perl" | "php") => self.skip_statement(),
            "package" | "namespace" | "using" | "#include" => self.skip_statement(),
            "def" | "function" | "sub" | "func" | "fn"
                if self.is_name(start + 1) && self.word_at(start + 1) != "function" =>
            {
                self.define();
            }
            "class" | "module" | "struct" | "interface" | "trait" | "impl" | "enum"
                if self.is_name(start + 1) =>
            {
                self.class();
            }
            "for" | "foreach" => self.each(),
            "var" | "let" | "const" | "local" | "my" | "our" | "global" | "static" | "state"
            | "public" | "private" | "protected" | "export" | "async" | "nonlocal" | "final"
            | "auto" | "val" => {
                self.at += 1;
                if self.word() == "{" || self.word() == "(" || self.word() == "[" {
                    self.destructure();
                }
            }
            "if" | "elif" | "elsif" | "elseif" | "else" | "while" | "until" | "unless" | "try"
            | "except" | "catch" | "finally" | "begin" | "rescue" | "ensure" | "end" | "do"
            | "then" | "switch" | "case" | "when" | "match" | "pass" | "break" | "continue"
            | "BEGIN" | "END" | "global_defs" | "assert" | "del" | "repeat" | "raise" | "throw"
            | "with" => {
                let word = self.word();
                if matches!(word, "match" | "case" | "assert" | "repeat" | "begin" | "end" | "do")
                    && matches!(self.word_at(start + 1), "." | "=" | "(")
                    && self.language != "php"
                    && word != "do"
                {
                    return false;
                }
                if word == "assert" && self.language == "php" {
                    return false;
                }
                self.endless(start);
                self.at += 1;
            }
            "goto" | "loop" | "redo" => {
                self.endless(start);
                return false;
            }
            "return" | "yield" => {
                self.at += 1;
                if !self.is_first(self.at) {
                    let value = self.expression(0);
                    self.returned = Some(match self.returned.take() {
                        Some(before) => before.or(value),
                        None => value,
                    });
                }
            }
            "print" | "printf" if self.language == "awk" => self.awk_print(),
            _ => return false,
        }
        true
    }

    /// AppleScript's `do shell script "…" with administrator privileges`.
    fn do_script(&mut self) {
        while matches!(self.word(), "do" | "shell" | "script") {
            self.at += 1;
        }
        let start = self.at;
        let command = self.expression(0).text();
        let span = self.span_from(start);
        if self.word() == "with" && self.word_at(self.at + 1) == "administrator" {
            self.walk.privilege(Text::known("root"), span);
        }
        self.run_shell(&command, span, None);
    }

    /// `print …`, `print … > file`, `print … | command`, `printf …`.
    fn awk_print(&mut self) {
        let formats = self.word() == "printf";
        self.at += 1;
        let mut given = Vec::new();
        let parenthesis = self.word() == "(" && {
            let close = self.partner(self.at);
            matches!(self.word_at(close + 1), "" | "}" | ";" | ">" | "|" | ")")
        };
        if parenthesis {
            let close = self.partner(self.at);
            given = self.arguments_until(close);
        } else {
            while self.at < self.end
                && !self.is_first(self.at)
                && !matches!(self.word(), ";" | "}" | ">" | "|" | ">>")
            {
                let before = self.at;
                let value = self.expression(4);
                if self.at == before {
                    break;
                }
                given.push(Given { name: None, value, span: self.span_from(before) });
                self.accept(",");
            }
        }
        let mut text = Text::default();
        if formats {
            text = super::fold::format(&given).text();
        } else {
            for (index, given) in given.iter().enumerate() {
                if index > 0 {
                    text.push_known(" ");
                }
                text.append(&given.value.text());
            }
            if given.is_empty() {
                text = self.standard_input();
            }
            text.push_known("\n");
        }
        match self.word() {
            "|" => {
                self.at += 1;
                let at = self.at;
                let command = self.expression(5).text();
                let span = self.span_from(at);
                self.run_shell(&command, span, Some(text));
            }
            ">" | ">>" => {
                let mode = if self.word() == ">" { WriteMode::Replace } else { WriteMode::Append };
                self.at += 1;
                let at = self.at;
                let file = self.expression(5).text();
                let argument = Argument { text: file, span: self.span_from(at) };
                self.walk.write(&argument, mode, text);
            }
            _ => {
                self.output.append(&text);
            }
        }
    }

    /// A loop that nothing in its head ends, before or behind what it repeats.
    fn endless(&mut self, start: usize) {
        let next = self.word_at(start + 1);
        let (from, end) = match self.word_at(start) {
            "loop" if next == "{" => (start + 2, self.partner(start + 1)),
            "loop" if next == "do" => (start + 2, self.end),
            "redo" => (self.statement_before(start), start),
            "goto" => {
                let is_label =
                    |at: &usize| self.word_at(*at) == next && self.word_at(*at + 1) == ":";
                let Some(label) = (0..start).rev().leading(BODY).find(is_label) else { return };
                (label + 2, start)
            }
            word @ ("while" | "until") => {
                let bracket = usize::from(next == "(");
                // Nothing between the brackets goes on in perl.
                let is_empty = bracket == 1 && self.word_at(start + 2) == ")";
                let goes_on = if word == "while" {
                    &["True", "true", "1"][..]
                } else {
                    &["False", "false", "0"][..]
                };
                let head = self.word_at(start + 1 + bracket);
                // The parent goes on as long as it has children.
                let is_fork = word == "while"
                    && matches!(self.language, "perl" | "ruby")
                    && matches!(head, "fork" | "defined");
                if is_fork {
                    let end = if bracket == 1 {
                        self.partner(start + 1)
                    } else {
                        self.statement_end(start)
                    };
                    self.body_without_end(start, start + 1, end);
                }
                if !is_empty && !goes_on.contains(&head) {
                    return;
                }
                let body = start + 1 + 2 * bracket + usize::from(!is_empty);
                let before = self.statement_before(start);
                if self.language == "python" {
                    (start + 2, self.block_end(start))
                } else if before < start && matches!(self.language, "perl" | "ruby") {
                    (before, start)
                } else if self.word_at(body) == "{" {
                    (body + 1, self.partner(body))
                } else {
                    (body, self.statement_end(body))
                }
            }
            _ => return,
        };
        self.body_without_end(start, from, end);
    }

    /// Where the statement begins that a word on the same line stands behind: `fork while 1`, `do { fork } while 1`.
    fn statement_before(&self, index: usize) -> usize {
        let opens = |at: &usize| match self.word_at(index - 1) {
            "}" => self.partner(*at) == index - 1,
            _ => self.word_at(*at) == "begin",
        };
        if index > 0 && matches!(self.word_at(index - 1), "}" | "end") {
            return (0..index - 1).rev().leading(BODY).find(opens).map_or(index, |at| at + 1);
        }
        let is_inside = |at: &usize| {
            !matches!(self.word_at(at - 1), ";" | "{" | "}" | "do") && !self.is_first(*at)
        };
        let word = self.word_at(index);
        // What is done again may be several statements.
        if word == "redo" {
            let opens = |at: &usize| matches!(self.word_at(at - 1), "{" | "do");
            return (1..index).rev().leading(BODY).find(opens).unwrap_or(0);
        }
        let mut at = index;
        while at > 0 && index - at < BODY && is_inside(&at) {
            at -= 1;
        }
        at
    }

    fn statement_end(&self, from: usize) -> usize {
        let ends = |index: &usize| matches!(self.word_at(*index), ";" | "}");
        (from..self.end.min(from + BODY)).find(ends).unwrap_or(self.end)
    }

    /// What only is bad when it is done again and again.
    fn body_without_end(&mut self, start: usize, from: usize, end: usize) {
        let span = self.span_from(start);
        if self.multiplies(from, end) || self.starts_without_waiting(from, end) {
            self.walk.note("code.fork.loop", span);
        }
        let body = || (from..end.min(from + BODY)).map(|index| self.word_at(index));
        let writes = self.files.iter().any(|file| file.writes)
            && body().any(|word| matches!(word, "write" | "writelines" | "writeSync"));
        if writes && !body().any(|word| LEAVES.contains(&word) || WAITS.contains(&word)) {
            self.walk.note("system.disk.fill", span);
        }
    }

    /// Whether code starts copies of itself and goes on at once.
    fn multiplies(&self, from: usize, end: usize) -> bool {
        let end = end.min(from + BODY);
        let body = || (from..end).map(|index| self.word_at(index));
        if body().any(|word| LEAVES.contains(&word) || WAITS.contains(&word)) {
            return false;
        }
        let forks = (from..end).any(|index| {
            let called = self.word_at(index + 1) == "(";
            match self.word_at(index) {
                "pcntl_fork" => called,
                "fork" if matches!(self.language, "perl" | "ruby") => {
                    !matches!(self.word_at(index + 1), "=" | "=>" | ":" | "::")
                }
                "fork" => called && matches!(self.word_at(index + 2), ")" | "__filename"),
                _ => false,
            }
        });
        let starts = body().any(|word| {
            matches!(word, "Popen" | "spawn" | "fork" | "Process" | "execFile" | "exec" | "system")
        });
        let itself = body().any(|word| {
            matches!(word, "__file__" | "__filename" | "__FILE__" | "argv" | "$0" | "execPath")
        });
        forks || starts && itself
    }

    /// Whether a body without an end starts programs and waits for nothing.
    fn starts_without_waiting(&self, from: usize, end: usize) -> bool {
        let body = || (from..end.min(from + BODY)).map(|index| self.word_at(index));
        let starts = (from..end.min(from + BODY)).any(|index| {
            matches!(self.word_at(index), "Popen" | "spawn") && self.word_at(index + 1) == "("
        });
        starts
            && !body().any(|word| {
                LEAVES.contains(&word)
                    || WAITS.contains(&word)
                    || matches!(word, "await" | "if" | "on" | "next")
            })
    }

    fn skip_statement(&mut self) {
        self.at += 1;
        while self.at < self.end && !matches!(self.word(), ";" | "}") && !self.is_first(self.at) {
            self.at += 1;
        }
    }

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

    fn import(&mut self) {
        self.at += 1;
        match self.language {
            "python" => loop {
                let path = self.dotted();
                if path.is_empty() {
                    break;
                }
                if self.accept("as") {
                    let alias = self.word().to_owned();
                    self.at += 1;
                    self.bind(alias, Value::name(&path));
                } else {
                    let top = path.split('.').next().unwrap_or_default();
                    self.bind(top.to_owned(), Value::name(top));
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
                while self.at < from {
                    match self.word() {
                        "{" => {
                            let close = self.partner(self.at);
                            self.bind_members(close.min(from), &Value::name(&module));
                            continue;
                        }
                        "*" | "as" | "," | "type" => {}
                        name if self.is_name(self.at) => {
                            self.bind(name.to_owned(), Value::name(&module));
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

    fn import_from(&mut self) {
        self.at += 1;
        let module = self.dotted();
        if !self.accept("import") {
            return;
        }
        if self.accept("*") {
            self.bind("*".to_owned(), Value::name(&module));
            return;
        }
        let parenthesis = self.accept("(");
        while self.is_name(self.at) && (parenthesis || !self.is_first(self.at)) {
            let name = self.word();
            self.at += 1;
            let value = Value::name(&format!("{module}.{name}"));
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

    /// `{exec, spawn: run} = value`, `(a, b) = value`.
    fn destructure(&mut self) {
        let open = self.at;
        let close = self.partner(open);
        let assigns = matches!(self.word_at(close + 1), "=" | "of" | "in");
        if !assigns {
            return;
        }
        self.at = close + 2;
        let value = self.expression(0);
        let after = std::mem::replace(&mut self.at, open);
        self.bind_pattern(&value);
        self.at = after;
    }

    /// The names in the brackets that begin here, each with its part of a value.
    pub(super) fn bind_pattern(&mut self, value: &Value) {
        let close = self.partner(self.at);
        if self.word() == "{" {
            self.bind_members(close, value);
        } else {
            self.at += 1;
            self.bind_list(close, value);
        }
    }

    fn bind_members(&mut self, close: usize, value: &Value) {
        self.at += 1;
        while self.at < close {
            let name = self.word().to_owned();
            let is_name = self.is_name(self.at);
            self.at += 1;
            if !is_name {
                continue;
            }
            let member = self.member(value.clone(), &name);
            let bound = if matches!(self.word(), ":" | "as") && self.is_name(self.at + 1) {
                self.at += 2;
                self.word_at(self.at - 1).to_owned()
            } else {
                name
            };
            self.bind(bound, member);
        }
        self.at = close + 1;
    }

    fn bind_list(&mut self, close: usize, value: &Value) {
        let mut position = 0;
        while self.at < close {
            let name = self.word().to_owned();
            let binds = self
                .token_at(self.at)
                .is_some_and(|token| matches!(token.kind, TokenKind::Name | TokenKind::Variable));
            self.at += 1;
            if binds && !matches!(name.as_str(), "my" | "let" | "const" | "var") {
                let element = self.element(value, position);
                position += 1;
                self.bind(name, element);
            }
        }
        self.at = close;
    }

    /// The element of a value at a position.
    pub(super) fn element(&self, value: &Value, position: usize) -> Value {
        match value {
            Value::List(list) => {
                list.get(position).cloned().unwrap_or_else(|| Value::unknown("an element"))
            }
            Value::Any(list) if list.iter().any(|one| matches!(one, Value::Holder(_))) => {
                let parts = list.iter().map(|one| self.element(one, position));
                parts.reduce(Value::or).unwrap_or_else(|| Value::unknown("an element"))
            }
            Value::Holder(_) => value.clone(),
            Value::Name(path, text) => Value::reached(&format!("{path}[]"), text.clone()),
            // One of the names found below a directory is still one below it.
            Value::Text(text) if is_listing(text) => value.clone(),
            other => {
                let mut text = Text::unknown("an element");
                other.inherit_into(&mut text);
                Value::Text(text)
            }
        }
    }

    /// A name, with members, in front of an assignment; moves to the operator where there is one.
    fn place(&mut self) -> Option<(Vec<String>, &'static str)> {
        let first = self.token_at(self.at)?;
        if !matches!(first.kind, TokenKind::Name | TokenKind::Variable) {
            return None;
        }
        let mut names = vec![self.word().to_owned()];
        let mut at = self.at + 1;
        while self.word_at(at) == ","
            && self.blocks == 0
            && self
                .token_at(at + 1)
                .is_some_and(|token| matches!(token.kind, TokenKind::Name | TokenKind::Variable))
            && names.len() < 16
        {
            names.push(self.word_at(at + 1).to_owned());
            at += 2;
        }
        if self.word_at(at) == ":" && self.language == "python" && names.len() == 1 {
            // `name: type = value`
            let mut ahead = at + 1;
            while ahead < at + 12 && !self.is_first(ahead) {
                match self.word_at(ahead) {
                    "=" => {
                        at = ahead;
                        break;
                    }
                    "[" | "(" => ahead = self.partner(ahead),
                    ":" | "," => break,
                    _ => {}
                }
                ahead += 1;
            }
        }
        let operator = self.word_at(at);
        let operator = REPLACES
            .iter()
            .chain(&["+=", ".=", "..="])
            .find(|known| **known == operator)
            .copied()?;
        self.at = at;
        Some((names, operator))
    }

    fn assign_ahead(&mut self, names: &[String], operator: &'static str) {
        let line = self.at.saturating_sub(1);
        let conditional = self.is_conditional(line);
        self.at += 1;
        let from = self.at;
        let mut value = self.expression(0);
        self.alias(names, operator, from, &value);
        if self.word() == "," && self.blocks == 0 && !matches!(self.language, "javascript" | "awk")
        {
            let mut list = vec![value];
            while self.accept(",") && list.len() < 64 {
                list.push(self.expression(0));
            }
            value = Value::List(list);
        }
        // `a = b = value`
        while REPLACES.contains(&self.word()) {
            self.at += 1;
            value = self.expression(0);
        }
        match names {
            [name] => {
                let before = self.bound(name);
                let value = match (operator, before) {
                    ("+=" | ".=" | "..=", Some(before)) => self.add(before, value),
                    (_, Some(before)) if conditional && !matches!(before, Value::Name(..)) => {
                        before.or(value)
                    }
                    _ => value,
                };
                self.keep_field(line, name, &value);
                self.bind(name.clone(), value);
            }
            names => {
                // Go gives a result and an error beside it: `dir, _ := os.MkdirTemp("", "x")`.
                let has_error =
                    self.language == "java" && operator == ":=" && !matches!(value, Value::List(_));
                for (position, name) in names.iter().enumerate() {
                    let element = match position {
                        0 if has_error => value.clone(),
                        _ => self.element(&value, position),
                    };
                    self.bind(name.clone(), element);
                }
            }
        }
    }

    /// `b = a` gives a list a second name, which sees what is done to it by the first. Perl and PHP copy.
    fn alias(&mut self, names: &[String], operator: &str, from: usize, value: &Value) {
        let [name] = names else { return };
        self.aliases.retain(|(one, other)| one != name && other != name);
        let is_name = operator == "=" && self.at == from + 1 && self.is_name(from);
        let is_shared = matches!(value, Value::List(_) | Value::Table(_))
            && !matches!(self.language, "perl" | "php");
        if !is_name || !is_shared {
            return;
        }
        if self.aliases.len() < ALIASES {
            let other = self.word_at(from).to_owned();
            self.aliases.push((name.clone(), other));
        } else {
            self.limit();
        }
    }

    fn is_conditional(&self, index: usize) -> bool {
        if self.language == "python" {
            self.token_at(index).is_some_and(|token| token.indent > self.indent)
        } else {
            self.blocks > 0
        }
    }

    /// `object.member = value`, `object['key'] = value`.
    pub(super) fn store_member(&mut self, place: Value, value: Value) {
        let Value::Name(path, _) = place else { return };
        let client = ["requests.", "httpx.", "aiohttp."].iter().any(|name| path.starts_with(name));
        if path.ends_with(".verify") && client && value.is_false() {
            let span = self.span_from(self.at.saturating_sub(1));
            self.walk.note("code.security.disabled", span);
        }
        for prefix in ["os.environ.", "process.env.", "ENV.", "%ENV.", "$ENV."] {
            if let Some(name) = path.strip_prefix(prefix)
                && OBEYED.contains(&name)
            {
                let span = self.span_from(self.at.saturating_sub(1));
                let kind = EffectKind::Environment { name: name.to_owned(), value: value.text() };
                self.walk.emit(kind, span);
            } else if let Some(name) = path.strip_prefix(prefix)
                && (agents::redirects(name) || name.starts_with(OWN))
            {
                // An agent that is started later finds it.
                let span = self.span_from(self.at.saturating_sub(1));
                self.walk.environment_of(name, &value.text(), span);
            }
        }
        self.bind(path.to_string(), value);
    }

    /// Where the block of the line around `index` ends.
    fn block_end(&self, index: usize) -> usize {
        let line = (0..=index)
            .rev()
            .leading(64)
            .find(|index| self.unit.tokens.get(*index).is_some_and(|token| token.first))
            .unwrap_or(index);
        self.unit.blocks.get(line).copied().unwrap_or(self.end).min(self.end)
    }

    fn define(&mut self) {
        let start = self.at;
        let name = self.word_at(start + 1).to_owned();
        self.at = start + 2;
        while self.word() == "." || self.word() == ":" {
            self.at += 2;
        }
        let name = if self.at > start + 2 { self.word_at(self.at - 1).to_owned() } else { name };
        let mut parameters = Vec::new();
        if self.word() == "(" {
            let close = self.partner(self.at);
            parameters = self.parameters(self.at + 1, close);
            self.at = close + 1;
        }
        let body = match self.language {
            "python" => {
                let end = self.block_end(start);
                while self.at < end && self.word() != ":" {
                    self.at = self.partner_or_next(self.at);
                }
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
        if parameters.first().is_some_and(|first| matches!(first.name.as_str(), "self" | "cls")) {
            parameters.remove(0);
        }
        let index = self.functions.len();
        self.functions.push(Function {
            parameters,
            body,
            unit: Rc::clone(&self.unit),
            called: false,
            is_cut: false,
            is_read_anew: false,
            active: false,
            expression: false,
        });
        if matches!(name.as_str(), "__reduce__" | "__reduce_ex__") && self.source.contains("loads(")
        {
            let span = self.unit.tokens.get(start).map(|token| token.span).unwrap_or_default();
            self.walk.note("code.deserialize.untrusted", span);
        }
        self.endless_calls(&name, index);
        self.named.insert(name, index);
    }

    /// A function that starts copies of the program and calls itself whatever happens.
    pub(super) fn endless_calls(&mut self, name: &str, index: usize) {
        let Some(body) = self.functions.get(index).map(|function| function.body.clone()) else {
            return;
        };
        let again = (body.start..body.end.min(body.start + BODY))
            .any(|index| self.word_at(index) == name && self.word_at(index + 1) == "(");
        let chooses = (body.start..body.end.min(body.start + BODY))
            .any(|index| matches!(self.word_at(index), "if" | "?" | "while" | "for"));
        if again && !chooses && self.multiplies(body.start, body.end) {
            let span = self.span_from(body.start);
            self.walk.note("code.fork.loop", span);
        }
    }

    fn partner_or_next(&self, index: usize) -> usize {
        match self.unit.partners.get(index) {
            Some(partner) if *partner > index => partner + 1,
            _ => index + 1,
        }
    }

    /// The names between two tokens: a name after the opening bracket or a comma.
    pub(super) fn parameters(&self, start: usize, end: usize) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        let mut expects = true;
        let mut index = start;
        while index < end && parameters.len() < 32 {
            let word = self.word_at(index);
            match word {
                "," => expects = true,
                "*" | "**" | "&" | "..." | "|" => {}
                "[" | "{" if expects && self.language == "javascript" => {
                    parameters.push(Parameter { name: word.to_owned(), at: index });
                    expects = false;
                }
                _ if expects => {
                    let named = self.token_at(index).is_some_and(|token| {
                        matches!(token.kind, TokenKind::Name | TokenKind::Variable)
                    });
                    if named {
                        parameters.push(Parameter { name: word.to_owned(), at: index });
                    }
                    expects = false;
                }
                _ => {}
            }
            index = self.partner_or_next(index);
        }
        parameters
    }

    /// The names of those.
    pub(super) fn names(&self, start: usize, end: usize) -> Vec<String> {
        self.parameters(start, end).into_iter().map(|parameter| parameter.name).collect()
    }

    /// `for name in list`, `for (const name of list)`, `foreach ($list as $name)`, `for my $name (list)`.
    fn each(&mut self) {
        let start = self.at;
        self.at += 1;
        let open = self.word() == "(";
        let limit = if open { self.partner(self.at) } else { self.end.min(start + 32) };
        let separator = (self.at..limit.min(start + 32))
            .find(|index| matches!(self.word_at(*index), "in" | "of" | "as" | ";" | ":"));
        let Some(separator) = separator else {
            return;
        };
        let is_true = usize::from(matches!(self.word_at(separator + 1), "1" | "true"));
        if self.word_at(separator) == ";" && self.word_at(separator + 1 + is_true) == ";" && open {
            let body = limit + 1;
            if self.word_at(body) == "{" {
                self.body_without_end(start, body + 1, self.partner(body));
            } else {
                self.body_without_end(start, body, self.statement_end(body));
            }
        }
        if self.word_at(separator) == ":" || self.word_at(separator) == ";" {
            return;
        }
        let names_first = self.word_at(separator) != "as";
        let (list, names) = if names_first {
            let names = self.names(self.at + usize::from(open), separator);
            self.at = separator + 1;
            (self.expression(0), names)
        } else {
            self.at += 1;
            let list = self.expression(0);
            (list, self.names(separator + 1, limit))
        };
        let names: Vec<String> = names
            .into_iter()
            .map(|name| match name.as_str() {
                "const" | "let" | "var" | "my" => self.word_at(start + 3).to_owned(),
                _ => name,
            })
            .collect();
        let rounds: Vec<Value> = match &list {
            Value::List(elements) if !elements.is_empty() => {
                let mut rounds: Vec<Value> = elements.iter().leading(ROUNDS).cloned().collect();
                if elements.len() > ROUNDS {
                    rounds.push(self.element(&Value::Text(list.text()), 0));
                }
                rounds
            }
            other => vec![self.element(other, 0)],
        };
        let body = if self.language == "python" {
            let line = self.block_end(start);
            (self.word() == ":").then(|| self.at + 1..line)
        } else if open {
            let brace = limit + 1;
            (self.word_at(brace) == "{").then(|| brace + 1..self.partner(brace))
        } else {
            None
        };
        let Some(body) = body else {
            let value = rounds.into_iter().reduce(Value::or);
            for name in names {
                self.bind(name, value.clone().unwrap_or_else(|| Value::unknown("x")));
            }
            return;
        };
        for round in rounds {
            match names.as_slice() {
                [name] => {
                    self.bind(name.clone(), round);
                }
                names => {
                    for (position, name) in names.iter().enumerate() {
                        let element = self.element(&round, position);
                        self.bind(name.clone(), element);
                    }
                }
            }
            self.at = body.start;
            if !self.sink() {
                break;
            }
            self.statements(body.end);
            self.rise();
        }
        self.at = body.end;
    }
}

/// Whether a text is what [`Interpreter::listed`] gives.
pub(super) fn is_listing(text: &Text) -> bool {
    matches!(text.pieces.last(), Some(Piece::Glob(_)))
}

/// The name of a JavaScript module without its scheme.
pub(super) fn module_name(text: &str) -> &str {
    text.strip_prefix("node:").unwrap_or(text).trim_end_matches("/promises")
}
