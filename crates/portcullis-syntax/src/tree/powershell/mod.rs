//! PowerShell as a tree. Owns its statements; expressions, commands and texts are read by its siblings.
//!
//! By the grammar of *about_Language_Keywords*, *about_Operators*, *about_Parsing* and *about_Quoting_Rules*.

mod blocks;
mod command;
mod expression;
mod text;

use super::{
    Branch, Expression, ExpressionKind, Parameter, Pattern, Statement, StatementKind, Tree,
    cursor::Cursor,
};
/// Reads `source` as PowerShell.
#[must_use]
pub fn parse(source: &str) -> Tree {
    let mut parser = Parser { cursor: Cursor::new(source) };
    let mut body = Vec::new();
    loop {
        parser.statements(&mut body);
        if parser.cursor.is_at_end() {
            break;
        }
        // A bracket that closes nothing.
        let start = parser.cursor.at;
        parser.cursor.bump();
        parser.cursor.misplaced(start);
    }
    Tree { body, opaque: parser.cursor.opaque }
}

struct Parser<'s> {
    cursor: Cursor<'s>,
}

pub(super) fn is_double(character: char) -> bool {
    matches!(character, '"' | '\u{201c}' | '\u{201d}' | '\u{201e}')
}

pub(super) fn is_single(character: char) -> bool {
    matches!(character, '\'' | '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}')
}

pub(super) fn is_dash(character: char) -> bool {
    matches!(character, '-' | '\u{2013}' | '\u{2014}' | '\u{2015}')
}

fn is_blank(character: char) -> bool {
    character.is_whitespace() && character != '\n'
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

impl Parser<'_> {
    /// Statements up to a bracket that closes, or the end.
    fn statements(&mut self, body: &mut Vec<Statement>) {
        loop {
            self.skip_between();
            let start = self.cursor.at;
            match self.cursor.peek() {
                None | Some('}' | ')' | ']') => return,
                _ => {}
            }
            if let Some(statement) = self.statement() {
                body.push(statement);
            }
            if self.cursor.at == start {
                self.cursor.bump();
                self.cursor.misplaced(start);
            }
        }
    }

    /// Blanks and comments on a line, with backticks at its end.
    fn skip_blank(&mut self) {
        loop {
            self.cursor.take_while(is_blank);
            if self.cursor.starts("<#") {
                self.skip_comment();
            } else if self.cursor.starts("`\n") || self.cursor.starts("`\r\n") {
                self.cursor.bump();
                self.cursor.take_while(|character| matches!(character, '\r' | '\n'));
            } else {
                return;
            }
        }
    }

    fn skip_comment(&mut self) {
        let start = self.cursor.at;
        match self.cursor.rest().find("#>") {
            Some(length) => self.cursor.at += length + 2,
            None => {
                self.cursor.at += self.cursor.rest().len();
                self.cursor.misplaced(start);
            }
        }
    }

    /// Blanks, comments and lines.
    fn skip_lines(&mut self) {
        loop {
            self.skip_blank();
            match self.cursor.peek() {
                Some('\n') => {
                    self.cursor.bump();
                }
                Some('#') => {
                    self.cursor.take_while(|character| character != '\n');
                }
                _ => return,
            }
        }
    }

    /// What stands between statements.
    fn skip_between(&mut self) {
        loop {
            self.skip_lines();
            if !self.cursor.eat(";") {
                return;
            }
        }
    }

    /// The word that stands here, in lower case, where nothing is written on to it.
    fn keyword(&self) -> Option<String> {
        let rest = self.cursor.rest();
        let length = rest.find(|character: char| !character.is_ascii_alphabetic())?;
        let word = rest.get(..length).filter(|word| !word.is_empty())?;
        let next = rest.get(length..)?.chars().next()?;
        let apart = next.is_whitespace() || matches!(next, '(' | '{' | ';' | '}' | ')' | '[' | '$');
        apart.then(|| word.to_ascii_lowercase())
    }

    fn statement(&mut self) -> Option<Statement> {
        let start = self.cursor.at;
        if !self.cursor.enter() {
            return None;
        }
        let keyword = self.keyword().or_else(|| {
            let rest = self.cursor.rest();
            rest.bytes().all(|byte| byte.is_ascii_alphabetic()).then(|| rest.to_ascii_lowercase())
        });
        let kind = match keyword {
            Some(keyword) => self.by_keyword(&keyword, start),
            None if self.cursor.starts(":") && self.is_loop_label() => {
                self.cursor.bump();
                self.cursor.take_while(is_name);
                Some(StatementKind::Group(Vec::new()))
            }
            None => None,
        };
        let kind = match kind {
            Some(kind) => kind,
            None => self.simple(),
        };
        self.cursor.leave();
        Some(Statement::new(kind, start, self.cursor.at))
    }

    fn is_loop_label(&self) -> bool {
        self.cursor.second().is_some_and(|next| next.is_ascii_alphabetic())
    }

    fn by_keyword(&mut self, keyword: &str, start: usize) -> Option<StatementKind> {
        let after = start + keyword.len();
        let opens = |parser: &Self, mark: char| {
            parser.cursor.slice(after, usize::MAX).trim_start().starts_with(mark)
        };
        let statement = match keyword {
            "if" if opens(self, '(') => self.conditional(after),
            "switch" => self.switch(after),
            "foreach" if opens(self, '(') || opens(self, '-') => self.each(after),
            "for" if opens(self, '(') => self.counted(after),
            "while" if opens(self, '(') => {
                self.cursor.at = after;
                let condition = Some(self.parenthesised());
                StatementKind::Loop {
                    start: None,
                    condition,
                    step: None,
                    body: self.block_body(),
                    first: false,
                }
            }
            "do" if opens(self, '{') => self.until(after),
            "try" if opens(self, '{') => self.attempt(after),
            "trap" => {
                self.cursor.at = after;
                self.skip_lines();
                self.skip_attributes();
                StatementKind::Try {
                    body: Vec::new(),
                    handlers: vec![self.block_body()],
                    last: Vec::new(),
                }
            }
            "function" | "filter" | "workflow" | "configuration" => self.function(after),
            "class" | "enum" => self.class(after),
            "param" if opens(self, '(') => {
                // One that stands where no block begins, as attributes may lead to it.
                self.cursor.at = after;
                let parameters = self.parameters();
                StatementKind::Group(defaults(parameters))
            }
            "begin" | "process" | "end" | "dynamicparam" | "clean" | "data" | "parallel"
            | "sequence"
                if opens(self, '{') =>
            {
                self.cursor.at = after;
                StatementKind::Group(self.block_body())
            }
            "return" | "throw" | "exit" => {
                self.cursor.at = after;
                self.skip_blank();
                let ends = matches!(self.cursor.peek(), None | Some('\n' | ';' | '}' | ')' | '#'));
                let value = if ends { None } else { self.statement().map(Box::new) };
                StatementKind::Leave(value)
            }
            "break" | "continue" => {
                self.cursor.at = after;
                self.skip_blank();
                self.cursor.take_while(is_name);
                StatementKind::Skip
            }
            "using" => {
                self.cursor.take_while(|character| !matches!(character, '\n' | ';'));
                StatementKind::Group(Vec::new())
            }
            _ => return None,
        };
        Some(statement)
    }

    /// A pipeline, or an assignment.
    fn simple(&mut self) -> StatementKind {
        let start = self.cursor.at;
        let left = self.chain();
        self.skip_blank();
        let operator = match self.assignment_operator() {
            Some(operator) if is_place(&left) => operator,
            _ => {
                if self.cursor.at == start {
                    self.cursor.bump();
                    let left = self.cursor.opaque(start);
                    return StatementKind::Expression(left);
                }
                return StatementKind::Expression(left);
            }
        };
        self.cursor.at += operator.len() + 1;
        self.skip_lines();
        let value = match self.statement() {
            Some(value) => value,
            None => Statement::new(StatementKind::Opaque, self.cursor.at, self.cursor.at),
        };
        let target = match left.kind {
            ExpressionKind::List(places) => Pattern {
                rest: places.last().cloned().map(Box::new),
                before: places.split_last().map(|(_, before)| before.to_vec()).unwrap_or_default(),
                after: Vec::new(),
            },
            _ => Pattern::one(left),
        };
        let operator = (!operator.is_empty()).then(|| operator.to_owned());
        StatementKind::Assign { target, operator, value: Box::new(value) }
    }

    /// What stands in front of `=`.
    fn assignment_operator(&self) -> Option<&'static str> {
        ["", "+", "-", "*", "/", "%", "??"].into_iter().find(|operator| {
            let rest = self.cursor.rest().strip_prefix(operator);
            rest.is_some_and(|rest| rest.starts_with('='))
        })
    }

    fn conditional(&mut self, after: usize) -> StatementKind {
        self.cursor.at = after;
        let condition = Some(self.parenthesised());
        let mut branches = vec![Branch { condition, body: self.block_body() }];
        loop {
            let before = self.cursor.at;
            self.skip_lines();
            match self.keyword().as_deref() {
                Some("elseif") => {
                    self.cursor.at += "elseif".len();
                    let condition = Some(self.parenthesised());
                    branches.push(Branch { condition, body: self.block_body() });
                }
                Some("else") => {
                    self.cursor.at += "else".len();
                    branches.push(Branch { condition: None, body: self.block_body() });
                    break;
                }
                _ => {
                    self.cursor.at = before;
                    break;
                }
            }
        }
        StatementKind::If(branches)
    }

    fn switch(&mut self, after: usize) -> StatementKind {
        self.cursor.at = after;
        let mut subject = None;
        loop {
            self.skip_lines();
            match self.cursor.peek() {
                Some(dash) if is_dash(dash) => {
                    let start = self.cursor.at;
                    self.cursor.bump();
                    let name = self.cursor.take_while(|letter| letter.is_ascii_alphabetic());
                    if name.eq_ignore_ascii_case("file") {
                        self.skip_blank();
                        let file = self.operand();
                        subject = Some(read_of(file, start));
                    }
                }
                Some('(') => {
                    subject = Some(self.parenthesised());
                }
                _ => break,
            }
        }
        let at = self.cursor.at;
        let subject = subject.unwrap_or_else(|| Expression::new(ExpressionKind::Opaque, at, at));
        let mut branches = Vec::new();
        if !self.open('{') {
            return StatementKind::Switch { subject, branches };
        }
        loop {
            self.skip_between();
            match self.cursor.peek() {
                None => break,
                Some('}') => {
                    self.cursor.bump();
                    break;
                }
                Some(_) => {}
            }
            let start = self.cursor.at;
            let pattern = self.case();
            let body = self.block_body();
            let is_default = matches!(&pattern.kind, ExpressionKind::Bare(word) if word.eq_ignore_ascii_case("default"));
            let condition = (!is_default).then_some(pattern);
            branches.push(Branch { condition, body });
            if self.cursor.at == start {
                self.cursor.bump();
                self.cursor.misplaced(start);
            }
        }
        StatementKind::Switch { subject, branches }
    }

    /// What a case is compared with: a word, a text or a block.
    fn case(&mut self) -> Expression {
        match self.cursor.peek() {
            Some('{' | '(' | '$') => self.operand(),
            Some(character) if is_double(character) || is_single(character) => self.operand(),
            _ => self.word(),
        }
    }

    fn each(&mut self, after: usize) -> StatementKind {
        self.cursor.at = after;
        self.skip_lines();
        while self.cursor.peek().is_some_and(is_dash) {
            self.cursor.bump();
            self.cursor.take_while(|letter| letter.is_ascii_alphanumeric());
            self.skip_lines();
            self.cursor.take_while(|digit| digit.is_ascii_digit());
            self.skip_lines();
        }
        let start = self.cursor.at;
        self.open('(');
        self.skip_lines();
        let target = self.operand();
        self.skip_lines();
        let is_in = self.keyword().as_deref() == Some("in");
        if is_in {
            self.cursor.at += 2;
        } else {
            self.cursor.misplaced(start);
        }
        self.skip_lines();
        let over = self.chain();
        self.skip_lines();
        self.close(')', start);
        StatementKind::Each { target: Pattern::one(target), over, body: self.block_body() }
    }

    fn counted(&mut self, after: usize) -> StatementKind {
        self.cursor.at = after;
        self.skip_lines();
        let start = self.cursor.at;
        self.open('(');
        let mut parts: [Option<Statement>; 3] = [None, None, None];
        for part in &mut parts {
            self.skip_lines();
            if !matches!(self.cursor.peek(), None | Some(';' | ')')) {
                *part = self.statement();
            }
            self.skip_lines();
            self.cursor.eat(";");
        }
        self.close(')', start);
        let [first, condition, step] = parts;
        let condition = condition.and_then(|condition| match condition.kind {
            StatementKind::Expression(condition) => Some(condition),
            _ => None,
        });
        StatementKind::Loop {
            start: first.map(Box::new),
            condition,
            step: step.map(Box::new),
            body: self.block_body(),
            first: false,
        }
    }

    fn until(&mut self, after: usize) -> StatementKind {
        self.cursor.at = after;
        let body = self.block_body();
        self.skip_lines();
        let keyword = self.keyword();
        let condition = match keyword.as_deref() {
            Some(word @ ("while" | "until")) => {
                self.cursor.at += word.len();
                let start = self.cursor.at;
                let condition = self.parenthesised();
                let not = |of: Expression| {
                    let kind = ExpressionKind::Operator { name: "not".into(), operands: vec![of] };
                    Expression::new(kind, start, self.cursor.at)
                };
                Some(if word == "until" { not(condition) } else { condition })
            }
            _ => None,
        };
        StatementKind::Loop { start: None, condition, step: None, body, first: true }
    }

    fn attempt(&mut self, after: usize) -> StatementKind {
        self.cursor.at = after;
        let body = self.block_body();
        let mut handlers = Vec::new();
        let mut last = Vec::new();
        loop {
            let before = self.cursor.at;
            self.skip_lines();
            match self.keyword().as_deref() {
                Some("catch") => {
                    self.cursor.at += "catch".len();
                    self.skip_lines();
                    self.skip_attributes();
                    handlers.push(self.block_body());
                }
                Some("finally") => {
                    self.cursor.at += "finally".len();
                    last = self.block_body();
                }
                _ => {
                    self.cursor.at = before;
                    break;
                }
            }
        }
        StatementKind::Try { body, handlers, last }
    }

    /// `[Type]`, `[Attribute()]`, with commas between them.
    fn skip_attributes(&mut self) {
        loop {
            self.skip_lines();
            if self.cursor.peek() != Some('[') {
                return;
            }
            self.brackets();
            self.skip_lines();
            self.cursor.eat(",");
        }
    }

    /// Goes past a bracket that opens, and what stands before it.
    fn open(&mut self, bracket: char) -> bool {
        self.skip_lines();
        let opens = self.cursor.peek() == Some(bracket);
        if opens {
            self.cursor.bump();
        }
        opens
    }

    /// Goes past a bracket that closes what opened at `start`; says so where there is none.
    fn close(&mut self, bracket: char, start: usize) {
        self.skip_between();
        if self.cursor.peek() == Some(bracket) {
            self.cursor.bump();
        } else {
            self.cursor.misplaced(start);
        }
    }

    /// `( … )` as the condition of something.
    fn parenthesised(&mut self) -> Expression {
        self.skip_lines();
        let start = self.cursor.at;
        if self.open('(') {
            let mut body = Vec::new();
            if self.cursor.enter() {
                self.statements(&mut body);
                self.cursor.leave();
            }
            self.close(')', start);
            return Expression::new(ExpressionKind::Body(body), start, self.cursor.at);
        }
        self.cursor.opaque(start)
    }
}

/// What parameters are when they are not given, as assignments.
fn defaults(parameters: Vec<Parameter>) -> Vec<Statement> {
    let assign = |parameter: Parameter| {
        let default = parameter.default?;
        let span = default.span;
        let place = Expression { kind: ExpressionKind::Variable(parameter.name), span };
        let value = Statement { kind: StatementKind::Expression(default), span };
        Some(Statement {
            kind: StatementKind::Assign {
                target: Pattern::one(place),
                operator: None,
                value: Box::new(value),
            },
            span,
        })
    };
    parameters.into_iter().filter_map(assign).collect()
}

/// `switch -File path`: the lines of the file.
fn read_of(file: Expression, start: usize) -> Expression {
    let end = file.span.end as usize;
    let name = Expression::new(ExpressionKind::Bare("Get-Content".to_owned()), start, end);
    let command = super::Command {
        name,
        call: super::CallKind::Name,
        arguments: vec![super::Argument::Value(file)],
        redirects: Vec::new(),
    };
    Expression::new(ExpressionKind::Command(Box::new(command)), start, end)
}

/// Whether something can be given a value.
fn is_place(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Variable(_)
        | ExpressionKind::Member { .. }
        | ExpressionKind::Index { .. }
        | ExpressionKind::Convert { .. } => true,
        ExpressionKind::List(places) => places.iter().all(is_place),
        _ => false,
    }
}
