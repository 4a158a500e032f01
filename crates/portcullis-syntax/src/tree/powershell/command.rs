//! Pipelines and commands of PowerShell.

use super::{Parser, is_dash, is_double, is_name, is_single};
use crate::{
    Span,
    tree::{Argument, CallKind, Command, Expression, ExpressionKind, Redirect, RedirectKind},
};

impl Parser<'_> {
    /// Pipelines with `&&` and `||` between them.
    pub(super) fn chain(&mut self) -> Expression {
        let start = self.cursor.at;
        let mut left = self.pipeline();
        let mut steps = 0;
        loop {
            let before = self.cursor.at;
            self.skip_blank();
            if self.cursor.peek() == Some('\n') {
                self.skip_lines();
                if !self.cursor.starts("&&") && !self.cursor.starts("||") {
                    self.cursor.at = before;
                    return left;
                }
            }
            let operator = ["&&", "||", "&"].into_iter().find(|it| self.cursor.starts(it));
            let Some(operator) = operator else {
                self.cursor.at = before;
                return left;
            };
            self.cursor.at += operator.len();
            if operator == "&" || !self.cursor.goes_on(&mut steps) {
                return left;
            }
            self.skip_lines();
            let right = self.pipeline();
            let kind =
                ExpressionKind::Chain { left: Box::new(left), operator, right: Box::new(right) };
            left = Expression::new(kind, start, self.cursor.at);
        }
    }

    fn pipeline(&mut self) -> Expression {
        let start = self.cursor.at;
        if !self.cursor.enter() {
            return self.cursor.opaque(start);
        }
        let mut stages = vec![self.stage()];
        let mut end = self.cursor.at;
        loop {
            self.skip_blank();
            if self.cursor.peek() == Some('\n') {
                // A line may begin with the bar.
                self.skip_lines();
            }
            if !self.cursor.starts("|") || self.cursor.starts("||") {
                break;
            }
            self.cursor.bump();
            self.skip_lines();
            stages.push(self.stage());
            end = self.cursor.at;
        }
        self.cursor.at = end;
        self.cursor.leave();
        match stages.len() {
            1 => stages.pop().unwrap_or(Expression::new(ExpressionKind::Opaque, start, end)),
            _ => Expression::new(ExpressionKind::Pipeline(stages), start, end),
        }
    }

    /// One stage: a value or a command.
    fn stage(&mut self) -> Expression {
        self.skip_blank();
        let start = self.cursor.at;
        let Some(first) = self.cursor.peek() else { return self.cursor.opaque(start) };
        let second = self.cursor.second();
        match first {
            '&' if second != Some('&') => {
                self.cursor.bump();
                self.called(CallKind::Value, start)
            }
            '.' if second.is_some_and(|next| {
                next.is_whitespace()
                    || matches!(next, '{' | '$' | '(')
                    || is_double(next)
                    || is_single(next)
            }) =>
            {
                self.cursor.bump();
                self.called(CallKind::Here, start)
            }
            '$' | '(' | '@' | '[' | '{' | '!' | ',' => self.shown(start),
            '+' if second == Some('+') => self.whole_expression(),
            dash if is_dash(dash) => self.whole_expression(),
            quote if is_double(quote) || is_single(quote) => self.shown(start),
            digit if digit.is_ascii_digit() && self.is_number() => self.whole_expression(),
            _ => {
                let name = self.word();
                self.command(name, CallKind::Name, start)
            }
        }
    }

    /// A value, which may be sent to a file.
    fn shown(&mut self, start: usize) -> Expression {
        let value = self.whole_expression();
        self.skip_blank();
        if !matches!(self.cursor.peek(), Some('>' | '2'..='6')) {
            return value;
        }
        let Some(redirect) = self.redirect() else { return value };
        let name = Expression::new(ExpressionKind::Bare("Write-Output".to_owned()), start, start);
        let command = Command {
            name,
            call: CallKind::Name,
            arguments: vec![Argument::Value(value)],
            redirects: redirect.into_iter().collect(),
        };
        Expression::new(ExpressionKind::Command(Box::new(command)), start, self.cursor.at)
    }

    /// Whether the word that begins with a digit is a number: `7z` is none.
    fn is_number(&self) -> bool {
        let rest = self.cursor.rest();
        let ends = |letter: char| letter.is_whitespace() || ";|)}],+-*/%&<>=".contains(letter);
        let word = rest.split(ends).next().unwrap_or(rest).to_ascii_lowercase();
        let is_number = |word: &str| {
            let word =
                word.trim_end_matches(['k', 'm', 'g', 't', 'p', 'b', 'l', 'd', 'u', 's', 'y']);
            word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b'e')
        };
        let hexadecimal = |word: &str| {
            let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0b"));
            digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
        };
        hexadecimal(&word)
            || word.split("..").all(|part| is_number(part) || part.starts_with(['$', '(']))
    }

    fn called(&mut self, call: CallKind, start: usize) -> Expression {
        self.skip_blank();
        let name = match self.cursor.peek() {
            Some('(' | '{' | '@' | '[') => self.operand(),
            Some('$') => self.argument_value(),
            Some(quote) if is_double(quote) || is_single(quote) => self.argument_value(),
            Some('\n' | ';' | '|' | ')' | '}') | None => return self.cursor.opaque(start),
            _ => self.word(),
        };
        self.command(name, call, start)
    }

    fn command(&mut self, name: Expression, call: CallKind, start: usize) -> Expression {
        let mut arguments = Vec::new();
        let mut redirects = Vec::new();
        loop {
            let before = self.cursor.at;
            self.skip_blank();
            let at = self.cursor.at;
            let Some(first) = self.cursor.peek() else { break };
            match first {
                '\n' | ';' | '|' | ')' | '}' | '&' => {
                    self.cursor.at = before;
                    break;
                }
                '#' if at > before || at == start => {
                    self.cursor.at = before;
                    break;
                }
                _ => {}
            }
            if self.cursor.eat("--%") {
                let words = self.cursor.take_while(|letter| !matches!(letter, '\n' | '|'));
                for word in words.split_whitespace() {
                    let kind = ExpressionKind::Bare(word.to_owned());
                    arguments.push(Argument::Value(Expression::new(kind, at, self.cursor.at)));
                }
                break;
            }
            if let Some(redirect) = self.redirect() {
                redirects.extend(redirect);
                continue;
            }
            if !self.cursor.enter() {
                break;
            }
            arguments.push(self.argument());
            self.cursor.leave();
            if self.cursor.at == at {
                self.cursor.bump();
                self.cursor.misplaced(at);
            }
        }
        let command = Command { name, call, arguments, redirects };
        Expression::new(ExpressionKind::Command(Box::new(command)), start, self.cursor.at)
    }

    fn argument(&mut self) -> Argument {
        let start = self.cursor.at;
        let first = self.cursor.peek();
        if let Some(dash) = first
            && is_dash(dash)
            && self.cursor.second().is_some_and(|next| next.is_alphabetic() || next == '?')
            && let Some(argument) = self.named(start, dash.len_utf8())
        {
            return argument;
        }
        // `@scope/package` is a word like any other.
        let is_word = || {
            let name = self.cursor.rest().trim_start_matches('@').trim_start_matches(is_name);
            name.starts_with(['/', '-'])
        };
        if first == Some('@') && self.cursor.second().is_some_and(is_name) && !is_word() {
            return Argument::Spread(self.primary());
        }
        let value = self.argument_value();
        Argument::Value(self.list_after(value, start, Self::argument_value))
    }

    /// One value that a command is given.
    fn argument_value(&mut self) -> Expression {
        let start = self.cursor.at;
        match self.cursor.peek() {
            Some('(' | '{') => self.operand(),
            Some('@') if self.is_gathered() => self.operand(),
            Some('$') if self.cursor.second() == Some('(') => self.operand(),
            Some('$') => {
                let value = self.operand();
                let goes_on = self
                    .cursor
                    .peek()
                    .is_some_and(|next| !next.is_whitespace() && !";|&(){},<>]".contains(next));
                if !goes_on {
                    return value;
                }
                self.go_on(value, start)
            }
            Some(quote) if is_double(quote) || is_single(quote) => {
                let value = self.operand();
                let goes_on = self
                    .cursor
                    .peek()
                    .is_some_and(|next| !next.is_whitespace() && !";|&(){},<>]".contains(next));
                if goes_on { self.go_on(value, start) } else { value }
            }
            _ => self.word(),
        }
    }

    fn is_gathered(&self) -> bool {
        self.cursor
            .second()
            .is_some_and(|next| matches!(next, '(' | '{') || is_double(next) || is_single(next))
    }

    /// A word whose beginning was read.
    fn go_on(&mut self, value: Expression, start: usize) -> Expression {
        let rest = self.word();
        let parts = match rest.kind {
            ExpressionKind::Joined(parts) => std::iter::once(value).chain(parts).collect(),
            kind => vec![value, Expression { kind, span: rest.span }],
        };
        Expression::new(ExpressionKind::Joined(parts), start, self.cursor.at)
    }

    /// `-Name` or `-Name:value`; nothing where the word is no more than one that begins with a dash.
    fn named(&mut self, start: usize, dash: usize) -> Option<Argument> {
        self.cursor.at += dash;
        self.cursor.take_while(|letter| is_name(letter) || letter == '-' || letter == '?');
        let name = format!("-{}", self.cursor.slice(start + dash, self.cursor.at));
        let span = Span::new(start, self.cursor.at);
        let ends = match self.cursor.peek() {
            None => true,
            Some(next) => next.is_whitespace() || ";|&(){},:`".contains(next),
        };
        if !ends {
            self.cursor.at = start;
            return None;
        }
        let mut value = None;
        if self.cursor.eat(":") {
            self.skip_blank();
            let at = self.cursor.at;
            if !matches!(self.cursor.peek(), None | Some('\n' | ';' | '|' | ')' | '}')) {
                let first = self.argument_value();
                value = Some(self.list_after(first, at, Self::argument_value));
            }
        }
        Some(Argument::Named { name, value, span })
    }

    /// A redirect, where one stands here; the inner is empty where it only joins streams.
    #[expect(clippy::option_option, reason = "there may be a redirect that leads to no file")]
    fn redirect(&mut self) -> Option<Option<Redirect>> {
        let rest = self.cursor.rest();
        let stream = usize::from(rest.starts_with(['1', '2', '3', '4', '5', '6', '*']));
        let marks = rest.get(stream..)?;
        let (kind, length) = if marks.starts_with(">>") {
            (RedirectKind::Append, 2)
        } else if marks.starts_with('>') {
            (RedirectKind::Write, 1)
        } else if stream == 0 && marks.starts_with('<') {
            (RedirectKind::Read, 1)
        } else {
            return None;
        };
        self.cursor.at += stream + length;
        if self.cursor.eat("&") {
            self.cursor.take_while(|digit| digit.is_ascii_digit());
            return Some(None);
        }
        self.skip_blank();
        let file = self.argument_value();
        Some(Some(Redirect { kind, file }))
    }
}
