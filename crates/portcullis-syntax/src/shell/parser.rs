//! Statements and pipelines, and what to do where the grammar is broken: what stands there is listed, and reading
//! goes on right after it, so that every later command is still seen.

use super::cursor::{Closers, END, Parser, ends_word};
use super::rules::{ARGUMENT, COMMAND};
use super::tree::{
    Command, CommandKind, Connector, Descriptor, Part, PartKind, Pipeline, Redirect,
    RedirectOperator, Statement, UnparsedReason, Word,
};
use crate::Span;

/// A word with a meaning of its own where a command could stand.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Reserved {
    If,
    Then,
    Elif,
    Else,
    Fi,
    Do,
    Done,
    Esac,
    For,
    Select,
    While,
    Until,
    Case,
    In,
    Function,
    Coprocess,
    Time,
    Not,
    OpenBrace,
    CloseBrace,
    OpenBracket,
    CloseBracket,
}

impl Reserved {
    fn of(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"if" => Self::If,
            b"then" => Self::Then,
            b"elif" => Self::Elif,
            b"else" => Self::Else,
            b"fi" => Self::Fi,
            b"do" => Self::Do,
            b"done" => Self::Done,
            b"esac" => Self::Esac,
            b"for" => Self::For,
            b"select" => Self::Select,
            b"while" => Self::While,
            b"until" => Self::Until,
            b"case" => Self::Case,
            b"in" => Self::In,
            b"function" => Self::Function,
            b"coproc" => Self::Coprocess,
            b"time" => Self::Time,
            b"!" => Self::Not,
            b"{" => Self::OpenBrace,
            b"}" => Self::CloseBrace,
            b"[[" => Self::OpenBracket,
            b"]]" => Self::CloseBracket,
            _ => return None,
        })
    }

    /// What it closes; nothing where it begins a command.
    fn closes(self) -> Option<Closers> {
        Some(match self {
            Self::Then => Closers::THEN,
            Self::Elif | Self::Else => Closers::ELSE,
            Self::Fi => Closers::FI,
            Self::Do => Closers::DO,
            Self::Done => Closers::DONE,
            Self::Esac => Closers::ESAC,
            Self::CloseBrace => Closers::BRACE,
            _ => return None,
        })
    }
}

/// Where statements stop, or what stands in their way.
enum Boundary {
    /// The end of the text, or something that closes an enclosing construct.
    Close,
    /// So many bytes that no statement can begin with.
    Stray(usize),
    /// A statement.
    Statement,
}

impl Parser<'_> {
    /// Reads statements up to what closes an enclosing construct, which is left at the cursor.
    pub(super) fn statements(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        let mut separated = true;
        loop {
            separated |= self.skip_lines();
            let start = self.at;
            match self.boundary() {
                Boundary::Close => return statements,
                Boundary::Stray(length) => {
                    let operator = matches!(self.peek(), b';' | b'&' | b'|');
                    self.advance_by(length);
                    statements.push(self.stray(start));
                    if !operator {
                        self.separator();
                    }
                    separated = true;
                }
                Boundary::Statement => {
                    let statement = self.statement();
                    if !separated {
                        self.unparsed(statement.span, UnparsedReason::Syntax);
                    }
                    statements.push(statement);
                    separated = self.separator();
                    if self.at == start {
                        self.advance_character();
                        statements.push(self.stray(start));
                    }
                }
            }
        }
    }

    /// Reads the statements of a part of a compound command that ends with one of `closers`.
    pub(super) fn block(&mut self, closers: Closers) -> Vec<Statement> {
        let outer = self.enclosing;
        self.enclosing = outer.with(closers);
        let statements = self.statements();
        self.enclosing = outer;
        statements
    }

    fn boundary(&mut self) -> Boundary {
        let byte = self.peek();
        let (closers, length) = match byte {
            END | b'\n' => return Boundary::Close,
            b')' => (Closers::PARENTHESIS, 1),
            b';' => match self.second() {
                b';' => (Closers::ARM, 2),
                b'&' => (Closers::ARM, 2),
                _ => return Boundary::Stray(1),
            },
            b'&' if self.second() == b'>' => return Boundary::Statement,
            b'&' | b'|' => {
                let second = self.second();
                return Boundary::Stray(if second == byte || second == b'&' { 2 } else { 1 });
            }
            b'}' if self.enclosing.has(Closers::SUBSTITUTION_BRACE) => return Boundary::Close,
            b't' | b'e' | b'f' | b'd' | b'}' => {
                let Some((reserved, length)) = self.reserved() else { return Boundary::Statement };
                let Some(closers) = reserved.closes() else { return Boundary::Statement };
                (closers, length)
            }
            _ => return Boundary::Statement,
        };
        if self.enclosing.has(closers) { Boundary::Close } else { Boundary::Stray(length) }
    }

    /// Whether what follows can begin a command.
    fn begins_command(&mut self) -> bool {
        matches!(self.boundary(), Boundary::Statement)
    }

    fn stray(&mut self, start: usize) -> Statement {
        let span = self.span_from(start);
        self.unparsed(span, UnparsedReason::Syntax);
        let command = Command { kind: CommandKind::Unparsed, redirects: Vec::new(), span };
        let first = Pipeline { negated: false, timed: false, stages: vec![command], span };
        Statement { first, rest: Vec::new(), background: false, span }
    }

    fn statement(&mut self) -> Statement {
        self.node();
        let first = self.pipeline();
        let mut rest = Vec::new();
        let mut span = first.span;
        loop {
            self.skip_blanks();
            let byte = self.peek();
            let connector = match byte {
                b'&' => Connector::And,
                b'|' => Connector::Or,
                _ => break,
            };
            if self.second() != byte {
                break;
            }
            let start = self.at;
            self.advance_by(2);
            let operator = self.span_from(start);
            self.skip_lines();
            if !self.begins_command() {
                self.unparsed(operator, UnparsedReason::Syntax);
                break;
            }
            let pipeline = self.pipeline();
            span = span.to(pipeline.span);
            rest.push((connector, pipeline));
        }
        let background = self.peek() == b'&' && !matches!(self.second(), b'&' | b'>');
        Statement { first, rest, background, span }
    }

    /// Passes over what ends a statement on its line. Says whether there was anything.
    fn separator(&mut self) -> bool {
        self.skip_blanks();
        match (self.peek(), self.second()) {
            (b';', b';' | b'&') => true,
            (b'&', b'&' | b'>') => false,
            (b';' | b'&', _) => {
                self.advance();
                true
            }
            (b'\n' | b')' | b'|' | END, _) => true,
            _ => false,
        }
    }

    fn pipeline(&mut self) -> Pipeline {
        self.peek();
        let start = self.at;
        let mut pipeline = Pipeline {
            negated: false,
            timed: false,
            stages: Vec::new(),
            span: self.span(start, start),
        };
        loop {
            let before = self.at;
            self.prefixes(&mut pipeline);
            if !self.begins_command() {
                if !pipeline.stages.is_empty() && self.at == before {
                    self.unparsed(pipeline.span, UnparsedReason::Syntax);
                }
                break;
            }
            pipeline.stages.push(self.command());
            self.skip_blanks();
            if self.peek() != b'|' || self.second() == b'|' {
                break;
            }
            let operator = self.at;
            let both = self.second() == b'&';
            self.advance_by(1 + usize::from(both));
            if both {
                let span = self.span_from(operator);
                if let Some(stage) = pipeline.stages.last_mut() {
                    stage.redirects.push(errors_to_output(span));
                    stage.span = stage.span.to(span);
                }
            }
            pipeline.span = pipeline.span.to(self.span_from(operator));
            self.skip_lines();
        }
        let last = pipeline.stages.last().map(|stage| stage.span);
        pipeline.span = last.map_or(pipeline.span, |last| pipeline.span.to(last));
        pipeline
    }

    /// `!` and `time`, as often as they stand there.
    fn prefixes(&mut self, pipeline: &mut Pipeline) {
        while matches!(self.peek(), b'!' | b't') {
            let start = self.at;
            match self.reserved() {
                Some((Reserved::Not, length)) => {
                    self.advance_by(length);
                    pipeline.negated = !pipeline.negated;
                }
                Some((Reserved::Time, length)) => {
                    self.advance_by(length);
                    if !self.time_options() {
                        self.at = start;
                        return;
                    }
                    pipeline.timed = true;
                }
                _ => return,
            }
            pipeline.span = pipeline.span.to(self.span_from(start));
            self.skip_blanks();
        }
    }

    /// The `-p` and `--` of `time`. Any other option makes `time` the program of that name.
    fn time_options(&mut self) -> bool {
        loop {
            let end = self.at;
            while matches!(self.peek(), b' ' | b'\t') {
                self.advance();
            }
            let (second, third) = self.second_and_third();
            match (self.peek(), second) {
                (b'-', b'p' | b'-') if ends_word(third) => self.advance_by(2),
                (b'-', _) => return false,
                _ => {
                    self.at = end;
                    return true;
                }
            }
        }
    }

    /// The reserved word at the cursor and its length.
    #[inline]
    pub(super) fn reserved(&mut self) -> Option<(Reserved, usize)> {
        let mut word = [0; 8];
        let mut length = 0;
        let mut at = self.at;
        loop {
            at = self.past_continuations(at);
            let byte = self.raw(at);
            if ends_word(byte) {
                return Reserved::of(word.get(..length)?).map(|reserved| (reserved, length));
            }
            *word.get_mut(length)? = byte;
            length += 1;
            at += 1;
        }
    }

    /// Passes over `expected` if it is the next reserved word.
    pub(super) fn accept_reserved(&mut self, expected: Reserved) -> bool {
        self.peek();
        match self.reserved() {
            Some((found, length)) if found == expected => {
                self.advance_by(length);
                true
            }
            _ => false,
        }
    }

    /// One stage of a pipeline.
    pub(super) fn command(&mut self) -> Command {
        self.node();
        self.deeper(|parser| Some(parser.command_here())).unwrap_or_else(|| Command {
            kind: CommandKind::Unparsed,
            redirects: Vec::new(),
            span: self.span(self.at, self.at),
        })
    }

    fn command_here(&mut self) -> Command {
        let byte = self.peek();
        let start = self.at;
        let kind = match byte {
            b'(' => Some(self.parenthesis()),
            b'i' | b'f' | b'w' | b'u' | b'c' | b's' | b'{' | b'[' => match self.reserved() {
                Some((reserved, length)) => self.compound(reserved, length),
                None => None,
            },
            _ => None,
        };
        let Some(kind) = kind else { return self.simple(None) };
        let own = match &kind {
            CommandKind::Function { name: _, body } | CommandKind::Coprocess { name: _, body } => {
                self.span(start, start).to(body.span)
            }
            _ => self.span_from(start),
        };
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            let end = self.at;
            if !self.redirect_here(&mut redirects) {
                self.at = end;
                break;
            }
        }
        let end = redirects.last().map(|redirect| redirect.span);
        let span = end.map_or(own, |end| own.to(end));
        Command { kind, redirects, span }
    }

    /// The cursor without blanks before it.
    pub(super) fn trimmed(&self, start: usize) -> usize {
        let read = self.text.as_bytes().get(start..self.at).unwrap_or_default();
        let blanks = read.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        self.at - blanks
    }

    /// A simple command, or a function where `()` follows its first word.
    pub(super) fn simple(&mut self, first: Option<Word>) -> Command {
        self.peek();
        let start = self.at;
        let coprocess = first.is_some();
        let mut span: Option<Span> = first.as_ref().map(|word| word.span);
        let mut assignments = Vec::new();
        let mut words: Vec<Word> = first.into_iter().collect();
        let mut redirects = Vec::new();
        let mut cover = |piece: Span| span = Some(span.map_or(piece, |span| span.to(piece)));
        loop {
            self.skip_blanks();
            match self.peek() {
                b'\n' | b';' | b'|' | b')' | END => break,
                b'(' => {
                    if self.array_argument(&mut words, coprocess) {
                        cover(self.span_from(self.at.saturating_sub(1)));
                        continue;
                    }
                    if assignments.is_empty()
                        && redirects.is_empty()
                        && words.len() == 1
                        && self.accept_empty_parentheses()
                        && let Some(name) = words.pop()
                    {
                        let span = name.span;
                        let (kind, body) = self.function(name);
                        return Command { kind, redirects, span: span.to(body) };
                    }
                    break;
                }
                b'&' | b'<' | b'>' | b'{' | b'0'..=b'9' => {
                    let count = redirects.len();
                    if self.redirect_here(&mut redirects) {
                        for redirect in redirects.get(count..).unwrap_or_default() {
                            cover(redirect.span);
                        }
                        continue;
                    }
                    if self.peek() == b'&' {
                        break;
                    }
                }
                _ => {}
            }
            if words.is_empty() {
                match self.assignment() {
                    Ok(assignment) => {
                        cover(assignment.span);
                        assignments.push(assignment);
                        continue;
                    }
                    Err(Some(word)) => {
                        cover(word.span);
                        words.push(word);
                        continue;
                    }
                    Err(None) => {}
                }
            }
            let word = self.word(if words.is_empty() { &COMMAND } else { &ARGUMENT });
            cover(word.span);
            words.push(word);
        }
        let span = span.unwrap_or_else(|| self.span(start, start));
        Command { kind: CommandKind::Simple { assignments, words }, redirects, span }
    }

    /// Passes over `()`, blanks between them not minded; or over nothing.
    pub(super) fn accept_empty_parentheses(&mut self) -> bool {
        let start = self.at;
        if self.accept(b'(') {
            while matches!(self.peek(), b' ' | b'\t') {
                self.advance();
            }
            if self.accept(b')') {
                return true;
            }
        }
        self.at = start;
        false
    }
}

/// What `|&` adds to the command before it.
fn errors_to_output(span: Span) -> Redirect {
    let target = Word { parts: vec![Part { kind: PartKind::Literal("1".into()), span }], span };
    let descriptor = Some(Descriptor::Number(2));
    Redirect {
        descriptor,
        operator: RedirectOperator::DuplicateOutput,
        target,
        heredoc: None,
        span,
    }
}
