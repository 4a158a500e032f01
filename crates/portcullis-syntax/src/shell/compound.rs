//! Compound commands: from `if` to `case`, functions, coprocesses, `[[ ]]` and what begins with a parenthesis.

use super::cursor::{Closers, END, Parser, ends_word};
use super::parser::Reserved;
use super::rules::{ARGUMENT, NAME, PATTERN, REGEX, SUBJECT};
use super::tree::{
    ArmEnd, CaseArm, Command, CommandKind, Part, PartKind, Statement, UnparsedReason, Word,
};
use crate::Span;

impl Parser<'_> {
    /// Reads the compound command that begins with `reserved`, the cursor on it; `None`, with nothing read, where that
    /// word begins none.
    pub(super) fn compound(&mut self, reserved: Reserved, length: usize) -> Option<CommandKind> {
        let start = self.at;
        let begins = matches!(
            reserved,
            Reserved::If
                | Reserved::For
                | Reserved::Select
                | Reserved::While
                | Reserved::Until
                | Reserved::Case
                | Reserved::Function
                | Reserved::Coprocess
                | Reserved::OpenBrace
                | Reserved::OpenBracket
        );
        if !begins {
            return None;
        }
        self.advance_by(length);
        Some(match reserved {
            Reserved::If => self.conditional(start),
            Reserved::For | Reserved::Select => self.iteration(start, reserved == Reserved::Select),
            Reserved::While | Reserved::Until => {
                self.repetition(start, reserved == Reserved::Until)
            }
            Reserved::Case => self.case(start),
            Reserved::Function => self.function_word(start),
            Reserved::Coprocess => self.coprocess(),
            Reserved::OpenBracket => self.test(start),
            _ => {
                let body = self.block(Closers::BRACE);
                self.close(start, Reserved::CloseBrace);
                CommandKind::Group(body)
            }
        })
    }

    /// What begins with `(`: arithmetic or a subshell.
    pub(super) fn parenthesis(&mut self) -> CommandKind {
        let start = self.at;
        self.advance();
        if self.raw(self.past_continuations(self.at)) == b'('
            && self.peek() == b'('
            && let Some(close) = self.arithmetic_end(self.at)
        {
            return CommandKind::Arithmetic(self.arithmetic(close));
        }
        let outer = std::mem::replace(&mut self.enclosing, Closers::PARENTHESIS);
        let body = self.statements();
        self.enclosing = outer;
        if !self.accept(b')') {
            self.unclosed(start);
        }
        CommandKind::Subshell(body)
    }

    /// Passes over the reserved word that goes on with the command begun at `start`, or lists the command as broken.
    fn close(&mut self, start: usize, expected: Reserved) -> bool {
        self.skip_lines();
        let found = self.accept_reserved(expected);
        if !found {
            self.broken(start);
        }
        found
    }

    fn broken(&mut self, start: usize) {
        let reason =
            if self.peek() == END { UnparsedReason::Unclosed } else { UnparsedReason::Syntax };
        let end = self.trimmed(start);
        self.unparsed(self.span(start, end), reason);
    }

    fn conditional(&mut self, start: usize) -> CommandKind {
        const REST: Closers = Closers::ELSE.with(Closers::FI);
        let mut branches = Vec::new();
        let mut otherwise = Vec::new();
        loop {
            let condition = self.block(Closers::THEN.with(REST));
            let body =
                if self.close(start, Reserved::Then) { self.block(REST) } else { Vec::new() };
            branches.push((condition, body));
            if self.accept_reserved(Reserved::Elif) {
                self.node();
                continue;
            }
            if self.accept_reserved(Reserved::Else) {
                otherwise = self.block(Closers::FI);
            }
            self.close(start, Reserved::Fi);
            return CommandKind::If { branches, otherwise };
        }
    }

    fn repetition(&mut self, start: usize, until: bool) -> CommandKind {
        let condition = self.block(Closers::DO.with(Closers::DONE));
        let body = self.do_block(start);
        CommandKind::While { until, condition, body }
    }

    /// `do … done`.
    fn do_block(&mut self, start: usize) -> Vec<Statement> {
        if !self.close(start, Reserved::Do) {
            self.accept_reserved(Reserved::Done);
            return Vec::new();
        }
        let body = self.block(Closers::DONE);
        self.close(start, Reserved::Done);
        body
    }

    /// `do … done` or `{ … }`.
    fn loop_body(&mut self, start: usize) -> Vec<Statement> {
        self.skip_lines();
        if self.accept_reserved(Reserved::OpenBrace) {
            let body = self.block(Closers::BRACE);
            self.close(start, Reserved::CloseBrace);
            return body;
        }
        self.do_block(start)
    }

    fn iteration(&mut self, start: usize, select: bool) -> CommandKind {
        self.skip_blanks();
        if !select && self.peek() == b'(' && self.second() == b'(' {
            self.advance();
            self.peek();
            if let Some(close) = self.arithmetic_end(self.at) {
                let header = self.arithmetic(close);
                self.skip_blanks();
                self.accept_semicolon();
                return CommandKind::ArithmeticFor { header, body: self.loop_body(start) };
            }
        }
        let variable = self.word(&SUBJECT);
        if variable.parts.is_empty() {
            self.broken(start);
            return CommandKind::For { variable, words: None, body: Vec::new(), select };
        }
        self.skip_lines();
        let words = self.accept_reserved(Reserved::In).then(|| {
            let mut words = Vec::new();
            loop {
                self.skip_blanks();
                let byte = self.peek();
                if ends_word(byte) && !(matches!(byte, b'<' | b'>') && self.second() == b'(') {
                    break;
                }
                words.push(self.word(&ARGUMENT));
            }
            words
        });
        self.skip_blanks();
        self.accept_semicolon();
        CommandKind::For { variable, words, body: self.loop_body(start), select }
    }

    fn accept_semicolon(&mut self) {
        if self.peek() == b';' && self.second() != b';' {
            self.advance();
        }
    }

    fn case(&mut self, start: usize) -> CommandKind {
        self.skip_blanks();
        let subject = self.word(&SUBJECT);
        let mut arms = Vec::new();
        if subject.parts.is_empty() || !self.close(start, Reserved::In) {
            if subject.parts.is_empty() {
                self.broken(start);
            }
            return CommandKind::Case { subject, arms };
        }
        loop {
            self.skip_lines();
            if self.accept_reserved(Reserved::Esac) {
                return CommandKind::Case { subject, arms };
            }
            let before = self.at;
            let arm = self.arm();
            if self.at == before {
                self.broken(start);
                return CommandKind::Case { subject, arms };
            }
            arms.push(arm);
        }
    }

    fn arm(&mut self) -> CaseArm {
        self.node();
        let start = self.at;
        let mut patterns = Vec::new();
        self.accept(b'(');
        loop {
            self.skip_lines();
            let pattern = self.word(&PATTERN);
            let empty = pattern.parts.is_empty();
            if !empty {
                patterns.push(pattern);
            }
            self.skip_blanks();
            if empty || self.peek() != b'|' {
                break;
            }
            self.advance();
        }
        if !self.accept(b')') && self.at > start {
            self.broken(start);
        }
        let body = self.block(Closers::ARM.with(Closers::ESAC));
        let mut end = ArmEnd::Stop;
        if self.peek() == b';' && matches!(self.second(), b';' | b'&') {
            let continues = self.second_and_third() == (b';', b'&');
            if continues {
                end = ArmEnd::Test;
            } else if self.second() == b'&' {
                end = ArmEnd::Fall;
            }
            self.advance_by(2 + usize::from(continues));
        }
        CaseArm { patterns, body, end, span: self.span_from(start) }
    }

    fn function_word(&mut self, start: usize) -> CommandKind {
        self.skip_blanks();
        let name = self.word(&NAME);
        if name.parts.is_empty() {
            self.broken(start);
        }
        self.skip_blanks();
        self.accept_empty_parentheses();
        self.function(name).0
    }

    /// The body of a function, and its span.
    pub(super) fn function(&mut self, name: Word) -> (CommandKind, Span) {
        self.skip_lines();
        let body = self.inner_command(name.span);
        let span = body.span;
        (CommandKind::Function { name, body: Box::new(body) }, span)
    }

    /// A command that must follow; where none does, `owner` is listed as broken.
    fn inner_command(&mut self, owner: Span) -> Command {
        let start = self.at;
        let body = self.command();
        if matches!(&body.kind, CommandKind::Simple { assignments, words } if assignments.is_empty() && words.is_empty())
            && body.redirects.is_empty()
        {
            let reason =
                if self.peek() == END { UnparsedReason::Unclosed } else { UnparsedReason::Syntax };
            self.unparsed(owner, reason);
            let span = Span { start: owner.end, end: owner.end };
            self.at = start;
            return Command { kind: CommandKind::Unparsed, redirects: Vec::new(), span };
        }
        body
    }

    fn coprocess(&mut self) -> CommandKind {
        let owner = self.span(self.at, self.at);
        self.skip_blanks();
        if self.begins_compound() {
            let body = self.inner_command(owner);
            return CommandKind::Coprocess { name: None, body: Box::new(body) };
        }
        let first = match self.peek() {
            byte if ends_word(byte) || self.assigns() || self.has_descriptor() => None,
            _ => Some(self.word(&NAME)),
        };
        let Some(first) = first else {
            let body = self.inner_command(owner);
            return CommandKind::Coprocess { name: None, body: Box::new(body) };
        };
        self.skip_blanks();
        if self.begins_compound() {
            let body = self.inner_command(first.span);
            return CommandKind::Coprocess { name: Some(first), body: Box::new(body) };
        }
        CommandKind::Coprocess { name: None, body: Box::new(self.simple(Some(first))) }
    }

    /// Whether a compound command stands at the cursor.
    fn begins_compound(&mut self) -> bool {
        self.peek() == b'('
            || matches!(
                self.reserved(),
                Some((
                    Reserved::If
                        | Reserved::For
                        | Reserved::Select
                        | Reserved::While
                        | Reserved::Until
                        | Reserved::Case
                        | Reserved::OpenBrace
                        | Reserved::OpenBracket,
                    _
                ))
            )
    }

    /// `[[ … ]]`, the cursor after the `[[`.
    fn test(&mut self, start: usize) -> CommandKind {
        let mut words = Vec::new();
        let mut regex = false;
        loop {
            self.skip_lines();
            let byte = self.peek();
            let second = self.second();
            let operator = match byte {
                END => {
                    self.unclosed(start);
                    break;
                }
                b']' if self.accept_reserved(Reserved::CloseBracket) => break,
                b'(' | b')' if !regex => 1,
                b'<' | b'>' if second != b'(' => 1,
                b'&' | b'|' if second == byte && !(regex && byte == b'|') => 2,
                b';' | b'&' | b')' => {
                    self.broken(start);
                    break;
                }
                b'|' if !regex => {
                    self.broken(start);
                    break;
                }
                _ => 0,
            };
            let word = if operator > 0 {
                self.operator_word(operator)
            } else {
                self.word(if regex { &REGEX } else { &PATTERN })
            };
            regex = is_regex_operator(&word);
            words.push(word);
        }
        CommandKind::Conditional(words)
    }

    fn operator_word(&mut self, length: usize) -> Word {
        self.node();
        let start = self.at;
        let mut text = String::with_capacity(length);
        for _ in 0..length {
            text.push(char::from(self.peek()));
            self.advance();
        }
        let span = self.span_from(start);
        Word { parts: vec![Part { kind: PartKind::Literal(text.into()), span }], span }
    }
}

fn is_regex_operator(word: &Word) -> bool {
    matches!(word.parts.as_slice(), [Part { kind: PartKind::Literal(text), .. }] if &**text == "=~")
}
