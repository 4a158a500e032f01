//! Statements: what each keyword of any language does to what is known. Values are computed in `expressions`, names bound in `binding`.

use super::{
    binding::REPLACES,
    containers::characters,
    expressions::SHIFT,
    interpreter::Interpreter,
    value::{Given, Value, mixed},
};
use crate::{
    effect::{Argument, GapReason, WriteMode},
    programs::host::Host,
    text::Text,
};

mod heads;

/// How the gate's own variables begin.
pub(super) const OWN: &str = "PORTCULLIS_";

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
        if !self.endings.is_empty() {
            self.end_blocks(self.at);
        }
        self.end = outer;
        self.brackets = brackets;
    }

    /// Reads one statement.
    pub(super) fn statement_once(&mut self) {
        let start = self.at;
        self.leave_replaced();
        self.unlearn();
        if !self.endings.is_empty() {
            self.end_blocks(start);
        }
        if self.ends_script(start) {
            self.at = self.end;
            return;
        }
        if self.guards_behind(start) || self.perl_statement() {
            return;
        }
        if self.is_name(start) && !self.is_key(start) && self.keyword(start) {
            return;
        }
        if self.word() == "{" && self.language != "python" {
            self.braces();
            return;
        }
        // `name: type = value`: what is said of the type is computed too.
        let begins =
            self.is_first(start) || start == 0 || matches!(self.word_at(start - 1), ";" | ":");
        if self.language == "python"
            && begins
            && self.is_name(start)
            && self.word_at(start + 1) == ":"
        {
            let mut end = start + 2;
            while end < self.end && !self.is_first(end) && self.word_at(end) != "=" {
                end = self.partner_or_next(end);
            }
            self.read_head(start + 1..end);
        }
        if self.word() == "@" && self.language == "python" {
            self.decorators();
            return;
        }
        if self.appends() || self.assigns_place() || self.store_entry() {
            return;
        }
        if let Some((place, operator)) = self.place() {
            self.assign_ahead(&place, operator);
            return;
        }
        // `[a, b] = c`, `({a} = c)`
        if self.language == "javascript" && matches!(self.word(), "[" | "(") {
            let open = start + usize::from(self.word() == "(" && self.word_at(start + 1) == "{");
            if matches!(self.word_at(open), "[" | "{")
                && self.word_at(self.partner(open) + 1) == "="
            {
                self.at = open;
                self.destructure();
                return;
            }
        }
        if self.language == "php"
            && self.word() == "["
            && self.word_at(self.partner(start) + 1) == "="
        {
            let close = self.partner(start);
            self.at = close + 2;
            let value = self.expression(0);
            let after = self.at;
            self.taken_apart_in_php(start, close, &value);
            self.at = after;
            return;
        }
        if let Some(equals) = self.taken_apart() {
            self.at = equals + 1;
            let value = self.values_in_line();
            self.bind_targets(start, equals, &value);
            return;
        }
        if self.assigns_behind_call() {
            return;
        }
        let value = self.expression(0);
        if self.language == "python" && start > 0 {
            self.entered(start, &value);
        }
        if self.word() == "as" && self.is_name(self.at + 1) && self.catches(start, &value) {
            return;
        }
        if self.word() == "as" && self.is_name(self.at + 1) {
            let span = self.span_from(start);
            let entered = ["__enter__", "__aenter__"]
                .iter()
                .find_map(|method| self.by_itself(&value, method, &[], span));
            let name = self.word_at(self.at + 1).to_owned();
            self.at += 2;
            self.bind(name, entered.unwrap_or(value));
            return;
        }
        if self.at > start && REPLACES.contains(&self.word()) {
            self.at += 1;
            let assigned = self.expression(0);
            self.store_member(value, assigned);
        }
    }

    /// A name in front of `:` or `=>` is a key, whatever it means elsewhere.
    pub(super) fn is_key(&self, index: usize) -> bool {
        self.blocks > 0
            && matches!(self.word_at(index + 1), ":" | "=>")
            && self.language != "python"
    }

    pub(super) fn braces(&mut self) {
        let end = self.partner(self.at);
        self.at += 1;
        if !self.sink() {
            self.at = end + 1;
            return;
        }
        self.blocks += 1;
        let declared = self.declared_in(self.at, end);
        let outside = self.outside(&declared);
        let begin = self.at;
        self.statements(end);
        self.disposed(begin, end);
        self.leave_locals(outside);
        self.blocks -= 1;
        self.rise();
        self.at = end + 1;
    }

    /// Does what a keyword says; whether it was one.
    pub(super) fn keyword(&mut self, start: usize) -> bool {
        if !begins_a_statement(self.language, self.word()) {
            return false;
        }
        match self.word() {
            "do" if self.language == "applescript" => self.do_script(),
            "import" => self.import(),
            "from" if self.language == "python" => self.import_from(),
            "use" if self.language == "php" => self.used_in_php(),
            "use" | "no" if matches!(self.language, "perl" | "php") => self.skip_statement(),
            "namespace" if matches!(self.word_at(start + 1), "." | "[" | "(" | "=") => {
                return false;
            }
            "using" if self.language == "javascript" => {
                if !self.is_name(start + 1) || self.is_first(start + 1) {
                    return false;
                }
                self.at += 1;
            }
            "package" if self.language == "perl" => self.package(),
            // `namespace A\B { … }`: what stands in it is done as any other block.
            "namespace" if self.language == "php" => {
                while self.at < self.end && !matches!(self.word(), "{" | ";") {
                    self.at += 1;
                }
            }
            "package" | "namespace" | "using" | "#include" => self.skip_statement(),
            "def" | "function" | "sub" | "func" | "fn"
                if self.is_name(start + 1) && self.word_at(start + 1) != "function"
                    || self.word() == "function"
                        && self.word_at(start + 1) == "*"
                        && self.is_name(start + 2) =>
            {
                self.define();
            }
            "class" | "module" | "struct" | "interface" | "trait" | "impl" | "enum"
                if self.is_name(start + 1) =>
            {
                self.class();
            }
            "for" | "foreach" => self.each(),
            "var" | "let" | "const" | "static" | "public" | "private" | "protected" | "export"
            | "local" | "my" | "our" | "state" | "final" | "auto" | "val" | "global"
                if matches!(self.language, "python" | "javascript")
                    && matches!(self.word_at(start + 1), "." | "[" | "(" | "=" | ",")
                    && !matches!(self.word(), "let" | "const" | "var") =>
            {
                return false;
            }
            "global" if self.language == "python" && self.calls > 1 && self.is_name(start + 1) => {
                if self.is_name_around(start) {
                    let span = self.span_from(start);
                    self.walk.gap(span, GapReason::UnknownCode);
                }
                self.at += 1;
            }
            "var" | "let" | "const" | "local" | "my" | "our" | "global" | "static" | "state"
            | "public" | "private" | "protected" | "export" | "async" | "nonlocal" | "final"
            | "auto" | "val" => {
                self.at += 1;
                if self.word() == "{" || self.word() == "(" || self.word() == "[" {
                    self.destructure();
                } else if self.language == "javascript" && self.word_at(self.at + 1) == ":" {
                    self.typed();
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
                    && !(self.language == "python"
                        && matches!(word, "match" | "case")
                        && self.heads_a_block(start))
                {
                    return false;
                }
                if word == "assert" && self.language == "php" {
                    return false;
                }
                if word == "if"
                    && let Some(end) = self.never_done(start)
                {
                    self.at = end;
                    return true;
                }
                self.endless(start);
                if word == "elif" && self.is_other_branch(start) {
                    return true;
                }
                if matches!(word, "if" | "elif") {
                    self.learn(start);
                }
                if matches!(word, "case" | "match" | "switch") && self.chooses(start) {
                    return true;
                }
                if word == "with" {
                    self.patch(start);
                    if self.enters_in_brackets(start) {
                        return true;
                    }
                }
                if word == "del" && self.language == "python" {
                    self.entry_deleted(start + 1);
                }
                // `del server[name]`
                if word == "del"
                    && self.language == "python"
                    && self.word_at(start + 2) == "["
                    && let Some(Value::Name(path, _)) = self.bound(self.word_at(start + 1))
                {
                    let span = self.span_from(start);
                    self.element_deleted(&path, span);
                }
                let is_guard = match word {
                    "assert" | "if" | "unless" => self.guards(start),
                    "try" => self.guards_by_attempt(start),
                    _ => false,
                };
                if is_guard {
                    return true;
                }
                self.at += 1;
                if word == "match" && self.language == "python" {
                    let end = self.block_end(start);
                    let value = self.values_in_line();
                    self.matched.retain(|(end, _)| *end > start);
                    self.matched.push((end, value));
                }
                if word == "case" && self.language == "python" {
                    self.pattern();
                }
                if word == "while" {
                    self.forget_counters(start);
                    let end = self.rounds_of_while(start);
                    self.at = end.unwrap_or(start + 1);
                }
                if matches!(word, "raise" | "throw") && self.leaves_function(start) {
                    if !self.is_first(self.at) {
                        self.expression(0);
                    }
                    self.at = self.end;
                }
            }
            "goto" | "loop" | "redo" => {
                self.endless(start);
                return false;
            }
            "yield"
                if self.calls > 0 && matches!(self.language, "javascript" | "php" | "python") =>
            {
                self.at += 1;
                self.yielded_here();
            }
            word @ ("return" | "yield") => {
                self.at += 1;
                if !self.is_first(self.at) {
                    let value = self.values_in_line();
                    self.returned = Some(match self.returned.take() {
                        Some(before) => before.or(value),
                        None => value,
                    });
                }
                if word == "return" && self.leaves_function(start) {
                    self.at = self.end;
                }
            }
            "print" | "printf" if self.language == "awk" => self.awk_print(),
            _ => return false,
        }
        true
    }

    /// Whether the statement at `start` surely ends the body of the function that is read, so that what stands behind it there is never done.
    fn leaves_function(&self, start: usize) -> bool {
        if self.calls == 0 || start == 0 {
            return false;
        }
        let before = self.word_at(start - 1);
        let is_outermost = match self.language {
            "python" => {
                let token = self.unit.tokens.get(start);
                token.is_some_and(|token| token.first && token.indent == self.indent)
            }
            "javascript" => self.blocks == 0 && matches!(before, ";" | "{" | "}"),
            _ => false,
        };
        // What is declared there is known in the whole body, and a generator is one by what it never does too.
        const DECLARES: &[&str] = &["class", "function", "yield"];
        is_outermost && !(start..self.end).any(|at| DECLARES.contains(&self.word_at(at)))
    }

    /// Where `=` stands behind targets of which one takes the rest, or several: `first, *others = names`, `a, (b, c) = d`.
    fn taken_apart(&self) -> Option<usize> {
        /// How many tokens such targets have.
        const TARGETS: usize = 48;
        if self.language != "python" {
            return None;
        }
        let (mut at, mut stars, mut commas, mut is_nested) = (self.at, 0, 0, false);
        let mut has_members = false;
        while at < self.end.min(self.at + TARGETS) && (at == self.at || !self.is_first(at)) {
            match self.word_at(at) {
                "=" => {
                    let is_apart = commas > 0 && (stars == 1 || has_members);
                    return (is_nested || is_apart).then_some(at);
                }
                "." => has_members = true,
                "[" if at > self.at && self.is_name(at - 1) => has_members = true,
                "(" | "[" if at == self.at || self.word_at(at - 1) == "," => is_nested = true,
                "*" if at == self.at || self.word_at(at - 1) == "," => stars += 1,
                "," => commas += 1,
                ":" | ";" => return None,
                _ => {}
            }
            at = self.partner_or_next(at);
        }
        None
    }

    /// An expression; in Python several with commas between them are one list.
    pub(super) fn values_in_line(&mut self) -> Value {
        let is_spread = self.word() == "*" && self.language == "python";
        let value = self.expression(0);
        if self.language != "python" || self.word() != "," || self.is_first(self.at) {
            return value;
        }
        self.values_behind(value, is_spread)
    }

    /// A value and those behind the comma at the cursor, as one list; what begins with a star is several of it.
    pub(super) fn values_behind(&mut self, first: Value, is_spread: bool) -> Value {
        let mut list = Vec::new();
        // Where one stands behind what is not known one by one, nobody knows.
        let mut is_known = true;
        let mut put = |value: Value, is_spread: bool| match value {
            Value::List(inner) if is_spread => list.extend(inner),
            Value::Text(text) if is_spread => match characters(&text) {
                Some(Value::List(inner)) => list.extend(inner),
                _ => {
                    is_known = false;
                    list.push(Value::Text(text));
                }
            },
            value => {
                is_known &= !is_spread;
                list.push(value);
            }
        };
        put(first, is_spread);
        while self.at < self.end && self.accept(",") {
            let before = self.at;
            if self.is_first(self.at) && self.brackets == 0 || !self.spend(1) {
                break;
            }
            let is_spread = self.word() == "*";
            put(self.expression(0), is_spread);
            if self.at == before {
                break;
            }
        }
        if is_known { Value::List(list) } else { Value::Text(mixed("several values", &list)) }
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
                let command = self.expression(SHIFT).text();
                let span = self.span_from(at);
                self.run_shell(&command, span, Some(text));
            }
            ">" | ">>" => {
                let mode = if self.word() == ">" { WriteMode::Replace } else { WriteMode::Append };
                self.at += 1;
                let at = self.at;
                let file = self.expression(SHIFT).text();
                let argument = Argument { text: file, span: self.span_from(at) };
                self.walk.write(&argument, mode, text);
            }
            _ => {
                self.output.append(&text);
            }
        }
    }

    pub(super) fn skip_statement(&mut self) {
        self.at += 1;
        while self.at < self.end && !matches!(self.word(), ";" | "}") && !self.is_first(self.at) {
            self.at += 1;
        }
    }
}

/// Whether a word begins a statement in this language, and is not just what somebody called a variable: `switch.enable()` in Python. The
/// words of Python and JavaScript are their references'; of the others all are taken.
fn begins_a_statement(language: &str, word: &str) -> bool {
    const PYTHON: &[&str] = &[
        "assert", "async", "await", "break", "case", "class", "continue", "def", "del", "elif",
        "else", "except", "finally", "for", "from", "global", "if", "import", "match", "nonlocal",
        "pass", "raise", "return", "try", "while", "with", "yield",
    ];
    const JAVASCRIPT: &[&str] = &[
        "async",
        "await",
        "break",
        "case",
        "catch",
        "class",
        "const",
        "continue",
        "do",
        "else",
        "enum",
        "export",
        "final",
        "finally",
        "for",
        "function",
        "if",
        "import",
        "interface",
        "let",
        "module",
        "namespace",
        "private",
        "protected",
        "public",
        "return",
        "static",
        "switch",
        "throw",
        "try",
        "using",
        "var",
        "while",
        "with",
        "yield",
    ];
    match language {
        "python" => PYTHON.contains(&word),
        "javascript" => JAVASCRIPT.contains(&word),
        _ => true,
    }
}
