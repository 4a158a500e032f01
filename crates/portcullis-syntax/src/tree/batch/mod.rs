//! Batch, the language of cmd.exe, as a tree. Owns its statements; words and what is expanded in them are read by `word`.
//!
//! A label begins a section that `call` and `goto` reach: it stands as a function whose name begins with a colon.

mod loops;
mod word;

use std::rc::Rc;

use super::{
    Argument, Block, Branch, CallKind, Command, Expression, ExpressionKind, Parameter,
    ParameterKind, Pattern, Redirect, RedirectKind, Statement, StatementKind, Tree, cursor::Cursor,
};
use crate::Span;

/// Reads `source` as batch.
#[must_use]
pub fn parse(source: &str) -> Tree {
    let mut parser =
        Parser { cursor: Cursor::new(source), groups: 0, loops: String::new(), escaped: false };
    let mut body = Vec::new();
    loop {
        parser.lines(&mut body);
        if parser.cursor.is_at_end() {
            break;
        }
        // A bracket that closes nothing is passed over, as cmd.exe does.
        parser.cursor.bump();
    }
    Tree { body: sections(body), opaque: parser.cursor.opaque }
}

struct Parser<'s> {
    cursor: Cursor<'s>,
    /// How many brackets are open.
    groups: usize,
    /// The names that loops gave, one letter each.
    loops: String,
    /// Whether operators are written with a caret, as in the command of a `for /f`.
    escaped: bool,
}

/// Statements behind a label belong to it.
fn sections(body: Vec<Statement>) -> Vec<Statement> {
    let mut first = Vec::new();
    let mut sections: Vec<(String, Span, Vec<Statement>)> = Vec::new();
    for statement in body {
        match statement.kind {
            StatementKind::Label(name) => sections.push((name, statement.span, Vec::new())),
            _ => match sections.last_mut() {
                Some((.., body)) => body.push(statement),
                None => first.push(statement),
            },
        }
    }
    first.extend(sections.into_iter().map(|(name, span, body)| {
        let whole = body.last().map_or(span, |last| span.to(last.span));
        let parameters = (0..10)
            .map(|place: u32| Parameter {
                name: place.to_string(),
                kind: ParameterKind::Positional,
                default: None,
            })
            .collect();
        let block = Rc::new(Block { parameters, body, span: whole });
        Statement { kind: StatementKind::Function { name, block }, span: whole }
    }));
    first
}

fn is_blank(letter: char) -> bool {
    letter.is_whitespace() && letter != '\n'
}

impl Parser<'_> {
    /// Statements up to a bracket that closes, or the end.
    fn lines(&mut self, body: &mut Vec<Statement>) {
        loop {
            self.cursor.take_while(|letter| letter.is_whitespace() || matches!(letter, '&' | '@'));
            match self.cursor.peek() {
                None => return,
                Some(')') => {
                    if self.groups > 0 {
                        return;
                    }
                    self.cursor.bump();
                    continue;
                }
                Some('|') => {
                    let start = self.cursor.at;
                    self.cursor.bump();
                    self.cursor.misplaced(start);
                    continue;
                }
                _ => {}
            }
            let start = self.cursor.at;
            self.chain(body);
            if self.cursor.at == start {
                self.cursor.bump();
                self.cursor.misplaced(start);
            }
        }
    }

    /// Blanks, and carets at the end of a line.
    fn skip_blank(&mut self) {
        loop {
            self.cursor.take_while(is_blank);
            if self.cursor.starts("^\n") || self.cursor.starts("^\r\n") {
                self.cursor.bump();
                self.cursor.take_while(|letter| matches!(letter, '\r' | '\n'));
                continue;
            }
            // A caret before an operator that another shell was given.
            if self.escaped && self.cursor.peek() == Some('^') {
                self.cursor.bump();
                continue;
            }
            return;
        }
    }

    /// Commands with `&`, `&&` and `||` between them, to the end of a line.
    fn chain(&mut self, body: &mut Vec<Statement>) {
        if !self.cursor.enter() {
            return;
        }
        let start = self.cursor.at;
        let mut held = self.pipeline();
        let mut steps = 0;
        loop {
            self.skip_blank();
            let conditional = self.cursor.eat("&&") || self.cursor.eat("||");
            if conditional {
                if !self.cursor.goes_on(&mut steps) {
                    break;
                }
                self.skip_blank();
                let next = self.pipeline();
                let first = Expression::new(
                    ExpressionKind::Body(held.into_iter().collect()),
                    start,
                    self.cursor.at,
                );
                let branch = Branch { condition: Some(first), body: next.into_iter().collect() };
                let kind = StatementKind::If(vec![branch]);
                held = Some(Statement::new(kind, start, self.cursor.at));
                continue;
            }
            body.extend(held.take());
            if !self.cursor.eat("&") {
                break;
            }
            self.skip_blank();
            if matches!(self.cursor.peek(), None | Some('\n' | ')')) {
                break;
            }
            held = self.pipeline();
        }
        self.cursor.leave();
    }

    fn pipeline(&mut self) -> Option<Statement> {
        let start = self.cursor.at;
        let first = self.statement()?;
        self.skip_blank();
        if !self.cursor.starts("|") || self.cursor.starts("||") {
            return Some(first);
        }
        let mut stages = vec![as_expression(first)];
        while self.cursor.starts("|") && !self.cursor.starts("||") {
            self.cursor.bump();
            self.skip_blank();
            stages.extend(self.statement().map(as_expression));
            self.skip_blank();
        }
        let pipeline = Expression::new(ExpressionKind::Pipeline(stages), start, self.cursor.at);
        Some(Statement::new(StatementKind::Expression(pipeline), start, self.cursor.at))
    }

    fn statement(&mut self) -> Option<Statement> {
        self.skip_blank();
        self.cursor.take_while(|letter| letter == '@' || is_blank(letter));
        if !self.cursor.enter() {
            return None;
        }
        let start = self.cursor.at;
        let kind = match self.cursor.peek() {
            Some('(') => self.group(),
            Some(':') => self.label(),
            _ => match self.keyword().as_deref() {
                Some("rem") => {
                    self.cursor.take_while(|letter| letter != '\n');
                    StatementKind::Group(Vec::new())
                }
                Some("if") => self.conditional(),
                Some("for") => self.each(),
                Some("set") => self.assignment(),
                Some("goto") => self.leap(),
                Some("exit") => {
                    self.words();
                    StatementKind::Leave(None)
                }
                _ => StatementKind::Expression(self.command()),
            },
        };
        self.cursor.leave();
        Some(Statement::new(kind, start, self.cursor.at))
    }

    /// The word that stands here, in lower case, carets taken away.
    fn keyword(&self) -> Option<String> {
        let rest = self.cursor.rest();
        let ends = |letter: char| {
            letter.is_whitespace()
                || matches!(letter, '(' | '/' | '"' | '&' | '|' | '<' | '>' | '=' | ')' | ',' | ';')
        };
        let word = rest.split(ends).next()?;
        (word.len() <= 16).then(|| word.replace('^', "").to_ascii_lowercase())
    }

    /// Goes past the keyword that stands here.
    fn skip_keyword(&mut self) {
        self.cursor.take_while(|letter| letter.is_ascii_alphabetic() || letter == '^');
        self.skip_blank();
    }

    /// `( … )`, which may lead to a file.
    fn group(&mut self) -> StatementKind {
        let start = self.cursor.at;
        let body = self.bracketed();
        let mut redirects = Vec::new();
        loop {
            self.skip_blank();
            match self.redirect() {
                Some(redirect) => redirects.extend(redirect),
                None => break,
            }
        }
        if redirects.is_empty() {
            return StatementKind::Group(body);
        }
        let span = Span::new(start, self.cursor.at);
        let block = Rc::new(Block { parameters: Vec::new(), body, span });
        let name = Expression { kind: ExpressionKind::Block(block), span };
        let command = Command { name, call: CallKind::Here, arguments: Vec::new(), redirects };
        let kind = ExpressionKind::Command(Box::new(command));
        StatementKind::Expression(Expression { kind, span })
    }

    /// The statements in the bracket that opens here.
    fn bracketed(&mut self) -> Vec<Statement> {
        let start = self.cursor.at;
        let mut body = Vec::new();
        self.cursor.bump();
        self.groups += 1;
        self.lines(&mut body);
        self.groups -= 1;
        if !self.cursor.eat(")") {
            self.cursor.misplaced(start);
        }
        body
    }

    fn label(&mut self) -> StatementKind {
        let line = self.cursor.take_while(|letter| letter != '\n');
        let name = line.trim_start_matches([':', ' ', '\t']);
        let is_comment = line.starts_with("::");
        let name = name
            .split(|letter: char| {
                letter.is_whitespace()
                    || matches!(letter, '&' | '|' | '>' | '<' | '+' | ',' | ';' | '=' | ':')
            })
            .next()
            .unwrap_or("");
        if is_comment || name.is_empty() || self.groups > 0 {
            return StatementKind::Group(Vec::new());
        }
        StatementKind::Label(format!(":{}", name.to_ascii_lowercase()))
    }

    fn leap(&mut self) -> StatementKind {
        self.skip_keyword();
        let start = self.cursor.at;
        let mut words = self.words();
        if words.is_empty() {
            return StatementKind::Leave(None);
        }
        let target = words.swap_remove(0);
        match &target.kind {
            ExpressionKind::Text(name)
                if name.trim_start_matches(':').eq_ignore_ascii_case("eof") =>
            {
                StatementKind::Leave(None)
            }
            ExpressionKind::Text(name) => {
                let name = format!(":{}", name.trim_start_matches(':').to_ascii_lowercase());
                StatementKind::Goto(Expression::new(
                    ExpressionKind::Text(name),
                    start,
                    self.cursor.at,
                ))
            }
            _ => StatementKind::Goto(target),
        }
    }

    /// The words up to the end of the command.
    fn words(&mut self) -> Vec<Expression> {
        let mut words = Vec::new();
        loop {
            self.skip_blank();
            if self.is_end() {
                return words;
            }
            if self.redirect().is_some() {
                continue;
            }
            let at = self.cursor.at;
            words.push(self.word());
            if self.cursor.at == at {
                return words;
            }
        }
    }

    /// Whether a command ends here.
    fn is_end(&self) -> bool {
        match self.cursor.peek() {
            None | Some('\n' | '&' | '|') => true,
            Some(')') => self.groups > 0,
            _ => false,
        }
    }

    fn command(&mut self) -> Expression {
        let start = self.cursor.at;
        let mut redirects = Vec::new();
        while let Some(redirect) = self.redirect() {
            redirects.extend(redirect);
            self.skip_blank();
        }
        let name = self.word();
        let mut arguments = Vec::new();
        loop {
            self.skip_blank();
            if self.is_end() {
                break;
            }
            if let Some(redirect) = self.redirect() {
                redirects.extend(redirect);
                continue;
            }
            let at = self.cursor.at;
            arguments.push(Argument::Value(self.word()));
            if self.cursor.at == at {
                break;
            }
        }
        let command = Command { name, call: CallKind::Name, arguments, redirects };
        Expression::new(ExpressionKind::Command(Box::new(command)), start, self.cursor.at)
    }

    /// A redirect, where one stands here; the inner is empty where it only joins streams.
    #[expect(clippy::option_option, reason = "there may be a redirect that leads to no file")]
    fn redirect(&mut self) -> Option<Option<Redirect>> {
        let rest = self.cursor.rest();
        let stream = usize::from(rest.starts_with(|digit: char| digit.is_ascii_digit()));
        let marks = rest.get(stream..)?;
        let (kind, length) = if marks.starts_with(">>") {
            (RedirectKind::Append, 2)
        } else if marks.starts_with('>') {
            (RedirectKind::Write, 1)
        } else if marks.starts_with('<') {
            (RedirectKind::Read, 1)
        } else {
            return None;
        };
        self.cursor.at += stream + length;
        self.cursor.take_while(is_blank);
        if self.cursor.eat("&") {
            self.cursor.take_while(|digit| digit.is_ascii_digit());
            return Some(None);
        }
        let file = self.word();
        Some(Some(Redirect { kind, file }))
    }

    fn conditional(&mut self) -> StatementKind {
        self.skip_keyword();
        let start = self.cursor.at;
        let mut operands = Vec::new();
        loop {
            self.skip_blank();
            match self.keyword().as_deref() {
                Some("not") => self.skip_keyword(),
                Some("") if self.cursor.starts("/") => {
                    self.cursor.take_while(|letter| !letter.is_whitespace());
                }
                _ => break,
            }
        }
        match self.keyword().as_deref() {
            Some("exist" | "defined" | "errorlevel" | "cmdextversion") => {
                self.skip_keyword();
                operands.push(self.word());
            }
            _ => {
                operands.push(self.side());
                self.skip_blank();
                if self.cursor.eat("==") {
                    self.skip_blank();
                    operands.push(self.word());
                } else if matches!(
                    self.keyword().as_deref(),
                    Some("equ" | "neq" | "lss" | "leq" | "gtr" | "geq")
                ) {
                    self.skip_keyword();
                    operands.push(self.word());
                } else {
                    self.cursor.misplaced(start);
                }
            }
        }
        let kind = ExpressionKind::List(operands);
        let condition = Some(Expression::new(kind, start, self.cursor.at));
        let mut branches = vec![Branch { condition, body: self.consequence() }];
        let before = self.cursor.at;
        self.cursor.take_while(char::is_whitespace);
        if self.keyword().as_deref() == Some("else") {
            self.skip_keyword();
            branches.push(Branch { condition: None, body: self.consequence() });
        } else {
            self.cursor.at = before;
        }
        StatementKind::If(branches)
    }

    /// What is done then: a group, or the rest of the line.
    fn consequence(&mut self) -> Vec<Statement> {
        self.skip_blank();
        let mut body = Vec::new();
        if !self.cursor.enter() {
            return body;
        }
        if self.cursor.peek() == Some('(') {
            let start = self.cursor.at;
            let kind = self.group();
            body.push(Statement::new(kind, start, self.cursor.at));
        } else {
            self.chain(&mut body);
        }
        self.cursor.leave();
        body
    }

    /// A name that is put together from others, before its `=`: `set %%V=1`, `set X_%V%=1`.
    fn computed_name(&mut self) -> Option<Expression> {
        let start = self.cursor.at;
        let mut parts = Vec::new();
        let mut is_computed = false;
        while let Some(letter) = self.cursor.peek() {
            let at = self.cursor.at;
            if matches!(letter, '%' | '!') {
                let Some(part) = self.expanded(letter) else { break };
                parts.push(part);
                is_computed = true;
                continue;
            }
            let text = self.cursor.take_while(|letter| {
                !matches!(letter, '=' | '\n' | '&' | '|' | '<' | '>' | '"' | '%' | '!' | ')')
            });
            if text.is_empty() {
                break;
            }
            let text = ExpressionKind::Text(text.to_owned());
            parts.push(Expression::new(text, at, self.cursor.at));
        }
        if is_computed && self.cursor.peek() == Some('=') {
            return Some(Expression::new(ExpressionKind::Joined(parts), start, self.cursor.at));
        }
        self.cursor.at = start;
        None
    }

    /// `set NAME=value`, `set /a`, `set /p`.
    fn assignment(&mut self) -> StatementKind {
        let start = self.cursor.at;
        self.cursor.take_while(|letter| letter.is_ascii_alphabetic() || letter == '^');
        self.cursor.take_while(is_blank);
        let switch = if self.cursor.starts("/a") || self.cursor.starts("/A") {
            'a'
        } else if self.cursor.starts("/p") || self.cursor.starts("/P") {
            'p'
        } else {
            ' '
        };
        if switch != ' ' {
            self.cursor.at += 2;
            self.cursor.take_while(is_blank);
        }
        let quoted = self.cursor.eat("\"");
        let at = self.cursor.at;
        if switch == ' '
            && let Some(computed) = self.computed_name()
        {
            self.cursor.bump();
            let from = self.cursor.at;
            let value = StatementKind::Expression(self.rest_of_line(quoted));
            let all = Expression::new(ExpressionKind::Variable("env:".to_owned()), at, at);
            let place = ExpressionKind::Index { of: Box::new(all), at: Box::new(computed) };
            return StatementKind::Assign {
                target: Pattern::one(Expression::new(place, at, from)),
                operator: None,
                value: Box::new(Statement::new(value, from, self.cursor.at)),
            };
        }
        let name = self.cursor.take_while(|letter| {
            !matches!(letter, '=' | '\n' | '&' | '|' | '<' | '>' | '"' | '%' | '!' | ')')
        });
        let name = name.trim().trim_end_matches(['+', '-', '*', '/']).to_owned();
        if self.cursor.peek() != Some('=') || name.is_empty() {
            // `set`, `set PREFIX`: it shows them; `set %x%=…` is not followed.
            let is_shown = self.is_end();
            let mut words = self.words();
            let kind = ExpressionKind::Text("set".to_owned());
            let shows = Expression::new(kind, start, start);
            if !name.is_empty() {
                words.insert(0, Expression::new(ExpressionKind::Text(name), at, at));
            }
            if !is_shown {
                self.cursor.misplaced(start);
            }
            let command = Command {
                name: shows,
                call: CallKind::Name,
                arguments: words.into_iter().map(Argument::Value).collect(),
                redirects: Vec::new(),
            };
            let kind = ExpressionKind::Command(Box::new(command));
            return StatementKind::Expression(Expression::new(kind, start, self.cursor.at));
        }
        self.cursor.bump();
        let from = self.cursor.at;
        let value = self.rest_of_line(quoted);
        let value = match switch {
            'a' if !self
                .cursor
                .slice(from, self.cursor.at)
                .trim()
                .bytes()
                .all(|digit| digit.is_ascii_digit()) =>
            {
                let kind = ExpressionKind::Operator {
                    name: "arithmetic".to_owned(),
                    operands: vec![value],
                };
                Expression::new(kind, from, self.cursor.at)
            }
            'p' => {
                let asked =
                    ExpressionKind::Operator { name: "asked".to_owned(), operands: vec![value] };
                Expression::new(asked, from, self.cursor.at)
            }
            _ => value,
        };
        let mut value = Statement::new(StatementKind::Expression(value), from, self.cursor.at);
        while let Some(redirect) = self.redirect() {
            // `set /p X=<file`
            let Some(Redirect { kind: RedirectKind::Read, file }) = redirect else { continue };
            let name = Expression::new(ExpressionKind::Text("type".to_owned()), from, from);
            let command = Command {
                name,
                call: CallKind::Name,
                arguments: vec![Argument::Value(file)],
                redirects: Vec::new(),
            };
            let kind = ExpressionKind::Command(Box::new(command));
            let read = Expression::new(kind, from, self.cursor.at);
            value = Statement::new(StatementKind::Expression(read), from, self.cursor.at);
        }
        let place = ExpressionKind::Variable(format!("env:{name}"));
        StatementKind::Assign {
            target: Pattern::one(Expression::new(place, at, from)),
            operator: None,
            value: Box::new(value),
        }
    }
}

/// A statement as something that prints.
fn as_expression(statement: Statement) -> Expression {
    match statement.kind {
        StatementKind::Expression(expression) => expression,
        _ => Expression { span: statement.span, kind: ExpressionKind::Body(vec![statement]) },
    }
}
