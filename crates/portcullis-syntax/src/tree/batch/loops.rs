//! Loops of batch: what they walk over, and the letters that they name.

use super::{Parser, is_blank};
use crate::tree::{
    Argument, CallKind, Command, Expression, ExpressionKind, Pattern, Statement, StatementKind,
};

impl Parser<'_> {
    /// `for [/d|/r|/l|/f] %%i in (…) do …`
    pub(super) fn each(&mut self) -> StatementKind {
        self.skip_keyword();
        let start = self.cursor.at;
        let mut switch = ' ';
        let mut root = None;
        let mut options = String::new();
        while self.cursor.peek().is_some_and(|next| next != '%') && !self.is_end() {
            if self.cursor.eat("/") {
                switch = self.cursor.bump().map_or(' ', |letter| letter.to_ascii_lowercase());
            } else if switch == 'f' && self.cursor.peek() == Some('"') {
                self.cursor.bump();
                options = self
                    .cursor
                    .take_while(|letter| !matches!(letter, '"' | '\n'))
                    .to_ascii_lowercase();
                self.cursor.eat("\"");
            } else if self.cursor.peek() == Some('(') {
                break;
            } else {
                let before = self.cursor.at;
                root = Some(self.word());
                if self.cursor.at == before {
                    break;
                }
            }
            self.skip_blank();
        }
        let at = self.cursor.at;
        self.cursor.take_while(|letter| letter == '%');
        let letter = self.cursor.bump().unwrap_or('?');
        let name =
            |letter: char| Expression::new(ExpressionKind::Variable(format!("%{letter}")), at, at);
        self.skip_blank();
        if self.keyword().as_deref() == Some("in") {
            self.skip_keyword();
        } else {
            self.cursor.misplaced(start);
        }
        let over = self.set(switch, root, &options);
        self.skip_blank();
        if self.keyword().as_deref() == Some("do") {
            self.skip_keyword();
        } else {
            self.cursor.misplaced(start);
        }
        // `tokens=1,2` names the letters that follow as well.
        let more = tokens(&options);
        let letters: Vec<char> =
            (0..=more).filter_map(|step| char::from_u32(letter as u32 + step)).collect();
        let held = self.loops.len();
        self.loops.extend(&letters);
        let mut body: Vec<Statement> = Vec::new();
        for other in letters.iter().skip(1) {
            let part = ExpressionKind::Member {
                of: Box::new(name(letter)),
                name: Box::new(Expression::new(ExpressionKind::Text("token".to_owned()), at, at)),
            };
            let value = StatementKind::Expression(Expression::new(part, at, at));
            let kind = StatementKind::Assign {
                target: Pattern::one(name(*other)),
                operator: None,
                value: Box::new(Statement::new(value, at, at)),
            };
            body.push(Statement::new(kind, at, at));
        }
        body.extend(self.consequence());
        self.loops.truncate(held);
        StatementKind::Each { target: Pattern::one(name(letter)), over, body }
    }

    /// What a loop walks over.
    fn set(&mut self, switch: char, root: Option<Expression>, options: &str) -> Expression {
        let start = self.cursor.at;
        if !self.cursor.eat("(") {
            return self.cursor.opaque(start);
        }
        self.cursor.take_while(char::is_whitespace);
        let quote = if options.contains("usebackq") { '`' } else { '\'' };
        if switch == 'f' && self.cursor.peek() == Some(quote) {
            self.cursor.bump();
            return self.printed_by(start, quote);
        }
        self.groups += 1;
        let mut words = Vec::new();
        loop {
            self.cursor.take_while(|letter| letter.is_whitespace() || matches!(letter, ',' | ';'));
            if matches!(self.cursor.peek(), None | Some(')')) {
                break;
            }
            let at = self.cursor.at;
            words.push(self.word());
            if self.cursor.at == at {
                self.cursor.bump();
            }
        }
        self.groups -= 1;
        if !self.cursor.eat(")") {
            self.cursor.misplaced(start);
        }
        let end = self.cursor.at;
        let kind = match (switch, words.as_slice()) {
            ('l', [first, _, last]) => ExpressionKind::Operator {
                name: "range".to_owned(),
                operands: vec![first.clone(), last.clone()],
            },
            ('f', [file]) if !self.cursor.slice(start, end).contains('"') => {
                let name = Expression::new(ExpressionKind::Text("type".to_owned()), start, end);
                let command = Command {
                    name,
                    call: CallKind::Name,
                    arguments: vec![Argument::Value(file.clone())],
                    redirects: Vec::new(),
                };
                ExpressionKind::Command(Box::new(command))
            }
            ('r', _) => {
                let root = root.unwrap_or(Expression::new(
                    ExpressionKind::Text(".".to_owned()),
                    start,
                    start,
                ));
                // Each name in each directory below; a dot is the directory itself.
                let below =
                    |text: &str| Expression::new(ExpressionKind::Text(text.to_owned()), start, end);
                let named = words.iter().map(|word| {
                    let is_any = matches!(&word.kind, ExpressionKind::Text(text)
                        if matches!(text.as_str(), "." | "*" | "*.*"));
                    let parts = if is_any {
                        vec![root.clone(), below("\\**")]
                    } else {
                        vec![root.clone(), below("\\**\\"), word.clone()]
                    };
                    Expression::new(ExpressionKind::Joined(parts), start, end)
                });
                ExpressionKind::List(named.collect())
            }
            _ => ExpressionKind::List(words),
        };
        Expression::new(kind, start, end)
    }

    /// What the command in quotes prints.
    fn printed_by(&mut self, start: usize, quote: char) -> Expression {
        let from = self.cursor.at;
        // The quote that ends it is the last before the bracket.
        let mut end = None;
        let rest = self.cursor.rest();
        for (at, letter) in rest.char_indices() {
            if letter == '\n' {
                break;
            }
            if letter == quote
                && rest
                    .get(at + 1..)
                    .is_some_and(|rest| rest.trim_start_matches(is_blank).starts_with(')'))
            {
                end = Some(from + at);
                break;
            }
        }
        let Some(end) = end else {
            self.cursor.take_while(|letter| letter != '\n');
            return self.cursor.opaque(start);
        };
        let mut body = Vec::new();
        let outer = self.cursor.narrow(end);
        let escaped = std::mem::replace(&mut self.escaped, true);
        let groups = std::mem::replace(&mut self.groups, 0);
        if self.cursor.enter() {
            self.lines(&mut body);
            self.cursor.leave();
        }
        self.groups = groups;
        self.escaped = escaped;
        self.cursor.widen(outer, end);
        self.cursor.bump();
        self.cursor.take_while(is_blank);
        self.cursor.eat(")");
        Expression::new(ExpressionKind::Body(body), start, self.cursor.at)
    }
}

/// How many more letters a `for /f` names.
fn tokens(options: &str) -> u32 {
    let Some((_, list)) = options.split_once("tokens=") else { return 0 };
    let list = list.split_whitespace().next().unwrap_or("");
    let named = list.split(',').map(|part| match part.split_once('-') {
        Some((first, last)) => {
            let number = |text: &str| text.trim_end_matches('*').parse::<u32>().unwrap_or(1);
            number(last).saturating_sub(number(first)).min(25) + 1
        }
        None => 1 + u32::from(part.len() > 1 && part.ends_with('*')),
    });
    named.sum::<u32>().min(26).saturating_sub(1)
}
