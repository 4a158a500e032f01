//! The reading of one script. Owns what is known while it goes on: variables, functions, open files, what was printed,
//! and how much work is left.

use std::{
    collections::{BTreeSet, HashMap},
    ops::Range,
    rc::Rc,
};

use portcullis_syntax::{
    Span,
    code::{Dialect, TextPart, Token, TokenKind, dialect, tokens},
};

use super::{fed::Started, learned::Learned, played::Client, replaced::Replaced, value::Value};
use crate::{
    effect::{Argument, GapReason, WriteMode},
    programs::invocation::split_assignment,
    text::{Piece, Text},
    understand::shell::Walk,
};

/// The least work that a script may ask for; every token adds [`WORK_PER_TOKEN`].
const WORK: usize = 1 << 15;

/// How often a token may be looked at on average: code that is called several times is read several times.
const WORK_PER_TOKEN: usize = 16;

/// How many values are taken for the work of one token.
const VALUES_PER_WORK: usize = 8;

/// How deep expressions and calls may nest, see [`portcullis_syntax::limits::DEPTH`]; each level takes several frames.
const DEPTH: usize = 64;

/// How deep calls of the script's own functions are followed.
pub(super) const CALLS: usize = 6;

/// Reads `code` from beginning to end.
pub(super) fn run(
    walk: &mut Walk<'_>,
    language: &'static str,
    code: &str,
    arguments: &[Argument],
    input: Option<Text>,
) -> Text {
    let mut interpreter = Interpreter::new(walk, language, code, arguments, input);
    let directory = interpreter.walk.directory().map(str::to_owned);
    let unit = Rc::clone(&interpreter.unit);
    interpreter.spliced(&unit.tokens, false);
    interpreter.run_to_the_end();
    interpreter.walk.go_to(directory);
    interpreter.printed()
}

/// Reads `code` of which the first `before` bytes ran in earlier calls: gives what the rest prints, and how many effects there were when
/// it began. `None` where what was before does not end there.
pub(super) fn run_behind(
    walk: &mut Walk<'_>,
    language: &'static str,
    code: &str,
    before: usize,
    is_cut: bool,
) -> Option<(Text, usize)> {
    let gaps = walk.gaps();
    let mut interpreter = Interpreter::new(walk, language, code, &[], None);
    interpreter.is_cell = true;
    interpreter.is_cut = is_cut;
    let unit = Rc::clone(&interpreter.unit);
    let is_before = |token: &Token| token.span.range().end <= before;
    let first = unit.tokens.partition_point(is_before);
    let starts = unit.tokens.get(first).is_none_or(|token| token.span.range().start >= before);
    let closes =
        unit.partners.iter().enumerate().all(|(at, partner)| (at < first) == (*partner < first));
    if !starts || !closes {
        return None;
    }
    let directory = interpreter.walk.directory().map(str::to_owned);
    interpreter.spliced(&unit.tokens, false);
    interpreter.before = first;
    interpreter.statements(first);
    interpreter.uncalled_before();
    interpreter.flush();
    // What was before takes nothing from what is now.
    interpreter.walk.forget_gaps(gaps);
    interpreter.output = Text::default();
    interpreter.work = WORK + unit.tokens.len().saturating_mul(WORK_PER_TOKEN);
    interpreter.limited = false;
    interpreter.at = first;
    let now = interpreter.walk.effects_so_far();
    interpreter.run_to_the_end();
    interpreter.walk.go_to(directory);
    Some((interpreter.printed(), now))
}

/// Whether code ends where it ends: no bracket and no text is open, so that what follows is read as what it is.
pub(super) fn is_closed(language: &'static str, code: &str) -> bool {
    const MARK: &str = "portcullis_end";
    let text = format!("{code}\n{MARK}");
    let (unit, complete) = Unit::new(&text, Span::new(0, text.len()), dialect(language));
    let is_mark = |token: &Token| token.kind == TokenKind::Name && token.span.of(&text) == MARK;
    let is_open = unit.tokens.iter().enumerate().any(|(at, token)| {
        token.kind == TokenKind::Operator
            && matches!(token.span.of(&text), "(" | "[" | "{" | ")" | "]" | "}")
            && unit.partners.get(at) == Some(&at)
    });
    complete && !is_open && unit.tokens.last().is_some_and(is_mark)
}

impl<'w, 'f, 's> Interpreter<'w, 'f, 's> {
    fn new(
        walk: &'w mut Walk<'f>,
        language: &'static str,
        code: &'s str,
        arguments: &'s [Argument],
        input: Option<Text>,
    ) -> Self {
        let dialect = dialect(language);
        let (unit, complete) = Unit::new(code, Span::new(0, code.len()), dialect);
        let work = WORK + unit.tokens.len().saturating_mul(WORK_PER_TOKEN);
        let end = unit.tokens.len();
        let mut interpreter = Interpreter {
            walk,
            language,
            dialect,
            source: code,
            arguments,
            input,
            unit: Rc::new(unit),
            at: 0,
            end,
            indent: 0,
            blocks: 0,
            brackets: 0,
            work,
            depth: 0,
            calls: 0,
            limited: false,
            variables: given(language, arguments),
            functions: Vec::new(),
            named: HashMap::new(),
            classes: Vec::new(),
            decorated: Vec::new(),
            clients: Vec::new(),
            replaced: Vec::new(),
            patched: Vec::new(),
            matched: Vec::new(),
            round: None,
            learned: Vec::new(),
            served: None,
            settled: None,
            options: Vec::new(),
            is_command: false,
            commands: HashMap::new(),
            patches: HashMap::new(),
            is_cell: false,
            is_cut: false,
            before: 0,
            aliases: Vec::new(),
            modules: BTreeSet::new(),
            files: Vec::new(),
            programs: Vec::new(),
            returned: None,
            yielded: Vec::new(),
            frames: Vec::new(),
            fields: HashMap::new(),
            bases: HashMap::new(),
            raw_socket: false,
            peer: Text::unknown("an address"),
            last_file: None,
            output: Text::default(),
            seen: Seen::default(),
        };
        if !complete {
            interpreter.limit();
        }
        interpreter
    }

    /// Reads what is left, with the functions that nothing called.
    fn run_to_the_end(&mut self) {
        self.statements(self.end);
        self.uncalled();
        self.flush();
        self.finish();
    }

    /// What it printed.
    fn printed(self) -> Text {
        let mut output = self.output;
        // What prints in ways that are not read prints something.
        if output.is_empty() || PRINTS_OTHERWISE.iter().any(|way| self.source.contains(way)) {
            output.push(Piece::Unknown("what the code prints".into()));
        }
        output
    }
}

/// Ways to print beside those that are read.
const PRINTS_OTHERWISE: &[&str] = &[
    "$stdout <<",
    ".pipe(",
    "/dev/fd/1",
    "/dev/stdout",
    "STDOUT <<",
    "copyfileobj(",
    "os.write(",
    "passthru(",
    "writev(",
];

/// Variables that a script is given beside its arguments: `name=value` operands and `-v` of awk.
fn given(language: &str, arguments: &[Argument]) -> HashMap<String, Value> {
    if language != "awk" {
        return HashMap::new();
    }
    arguments
        .iter()
        .filter_map(|argument| split_assignment(&argument.text))
        .map(|(name, value)| (name, Value::Text(value)))
        .collect()
}

/// What the script did that only matters together.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) connects: bool,
    pub(super) listens: bool,
    pub(super) duplicates: Option<Span>,
    pub(super) spawns: Option<Span>,
    /// A shell that was told nothing, by a script that pipes: a socket may be laid to it later.
    pub(super) untold: Option<Span>,
    pub(super) executable_memory: bool,
    pub(super) native_call: Option<Span>,
    /// The command that shows the secret which was read of a store.
    pub(super) shows: Option<Vec<Text>>,
    /// What was put into an archive that has no file.
    pub(super) packed: Text,
    /// What opened a database in memory.
    pub(super) in_memory: Option<String>,
    /// A client was pointed at a network without real money.
    pub(super) rehearsed: bool,
    /// A client was pointed at something else.
    pub(super) real: bool,
    /// Where each client of a cloud was pointed at, if anywhere.
    pub(super) endpoints: Vec<Option<Text>>,
    /// The packages by which the code signed in to a service.
    pub(super) services: Vec<String>,
    /// A store of the cloud is played on this machine.
    pub(super) emulated: bool,
    /// A page of another machine is open.
    pub(super) visits: bool,
    /// An account or an amount of money was filled in there.
    pub(super) fills_money: bool,
    /// A message was made for each of a list.
    pub(super) to_many: bool,
    /// What clients were told to begin every address with.
    pub(super) bases: Vec<(String, Text)>,
}

/// A stretch of code as tokens.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) tokens: Vec<Token>,
    /// The index of the matching bracket for every bracket; its own index elsewhere.
    pub(super) partners: Vec<usize>,
    /// For the first token of a line, where the block of lines that are indented deeper ends.
    pub(super) blocks: Vec<usize>,
}

/// What a function takes.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    /// Its name; the opening bracket of one that is taken apart.
    pub(super) name: String,
    /// The token that it begins with.
    pub(super) at: usize,
    /// How many arguments it takes.
    pub(super) takes: Takes,
    /// The expression that it is worth where nothing is given.
    pub(super) default: Range<usize>,
    /// Whether TypeScript makes a field of it.
    pub(super) is_field: bool,
}

impl Parameter {
    pub(super) fn new(name: &str, at: usize) -> Self {
        Self { name: name.to_owned(), at, takes: Takes::One, default: 0..0, is_field: false }
    }
}

/// How many arguments a parameter takes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Takes {
    /// One.
    One,
    /// All that are left.
    Rest,
    /// All names that are left.
    Names,
}

/// A function of the script.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Range<usize>,
    pub(super) unit: Rc<Unit>,
    pub(super) called: bool,
    /// A call of it was not followed, so that it has to be read with arguments that nobody knows.
    pub(super) is_cut: bool,
    /// That was done.
    pub(super) is_read_anew: bool,
    /// It is being read right now; a recursive call gives something unknown.
    pub(super) active: bool,
    /// The body is an expression whose value is given back.
    pub(super) expression: bool,
    /// What the functions around it had been given when it was made.
    pub(super) captured: Vec<(String, Value)>,
}

/// A file that the script opened.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) path: Argument,
    pub(super) mode: WriteMode,
    pub(super) writes: bool,
    pub(super) content: Text,
    pub(super) read: Text,
    pub(super) flushed: bool,
}

/// The reading of one script.
pub(super) struct Interpreter<'w, 'f, 's> {
    pub(super) walk: &'w mut Walk<'f>,
    pub(super) language: &'static str,
    pub(super) dialect: &'static Dialect,
    pub(super) source: &'s str,
    pub(super) arguments: &'s [Argument],
    pub(super) input: Option<Text>,
    pub(super) unit: Rc<Unit>,
    pub(super) at: usize,
    /// One past the last token that may be read now.
    pub(super) end: usize,
    /// How far the lines of the current body are indented.
    pub(super) indent: u32,
    /// How many braces are open around the current statement.
    pub(super) blocks: usize,
    /// How many parentheses are open: line ends in them end nothing.
    pub(super) brackets: usize,
    pub(super) work: usize,
    pub(super) depth: usize,
    pub(super) calls: usize,
    limited: bool,
    pub(super) variables: HashMap<String, Value>,
    /// Names of one list or table, in pairs.
    pub(super) aliases: Vec<(String, String)>,
    pub(super) functions: Vec<Function>,
    pub(super) named: HashMap<String, usize>,
    /// The classes of the script, with the tokens of their bodies.
    pub(super) classes: Vec<(String, Range<usize>)>,
    /// The modules that were imported, by their names.
    pub(super) modules: BTreeSet<String>,
    /// What classes of the script are made from, where that is of a library.
    pub(super) bases: HashMap<String, String>,
    pub(super) files: Vec<Open>,
    /// Programs that were started and may be told more.
    pub(super) programs: Vec<Started>,
    pub(super) returned: Option<Value>,
    /// It is code for an interpreter that lives on: what nothing here binds may be bound all the same.
    pub(super) is_cell: bool,
    /// How many tokens of it ran in earlier calls.
    pub(super) before: usize,
    /// It is, and what bound it may be forgotten.
    pub(super) is_cut: bool,
    /// Functions of the script that put another one in the place of the one that is defined next.
    pub(super) decorated: Vec<Value>,
    /// What the clients of libraries are pointed at.
    pub(super) clients: Vec<(String, Client)>,
    /// What does nothing in the blocks that are read now.
    pub(super) replaced: Vec<Replaced>,
    /// The options of the program that the definition that is read next is, with what they are worth by default.
    pub(super) options: Vec<(String, Value)>,
    /// Whether it is a program.
    pub(super) is_command: bool,
    /// Functions whose parameters are typed behind a program, with the defaults that are known.
    pub(super) commands: HashMap<usize, Vec<(String, Value)>>,
    /// What the promise that is made is settled with.
    pub(super) settled: Option<Value>,
    /// The directory that a server of files was told.
    pub(super) served: Option<Text>,
    /// What each `match` around looks at, with the token behind it.
    pub(super) matched: Vec<(usize, Value)>,
    /// How deep the statements are indented that each round of the loop around surely does.
    pub(super) round: Option<u32>,
    /// What the conditions around say of names.
    pub(super) learned: Vec<Learned>,
    /// What the patches before the definition that is read next put aside.
    pub(super) patched: Vec<String>,
    /// What does nothing while a function runs, by the function.
    pub(super) patches: HashMap<usize, Vec<String>>,
    /// What the function that is read gives one after the other.
    pub(super) yielded: Vec<Value>,
    /// The names that the functions have which are read now.
    pub(super) frames: Vec<Vec<String>>,
    /// The fields of classes that are made from them, in their order.
    pub(super) fields: HashMap<String, (Rc<Unit>, Rc<[Parameter]>)>,
    /// Whether the script handles connections itself.
    pub(super) raw_socket: bool,
    /// The address that was connected to last.
    pub(super) peer: Text,
    /// The file that a bare handle names.
    pub(super) last_file: Option<usize>,
    pub(super) output: Text,
    pub(super) seen: Seen,
}

impl Unit {
    /// Reads the part of `source` under `span`; tells whether it was read whole.
    pub(super) fn new(source: &str, span: Span, dialect: &Dialect) -> (Self, bool) {
        let read = tokens(span.of(source), dialect);
        let mut list = read.list;
        if span.start > 0 {
            for token in &mut list {
                shift(token, span.start);
            }
        }
        let partners = partners(&list, source);
        let blocks = blocks(&list, &partners);
        (Self { tokens: list, partners, blocks }, read.complete)
    }
}

fn shift(token: &mut Token, by: u32) {
    let move_span = |span: &mut Span| {
        span.start = span.start.saturating_add(by);
        span.end = span.end.saturating_add(by);
    };
    move_span(&mut token.span);
    if let TokenKind::Text(parts) | TokenKind::Command(parts) = &mut token.kind {
        for part in parts {
            if let TextPart::Code(span) = part {
                move_span(span);
            }
        }
    }
}

fn partners(tokens: &[Token], source: &str) -> Vec<usize> {
    let mut partners: Vec<usize> = (0..tokens.len()).collect();
    let mut open: Vec<(usize, &str)> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        if token.kind != TokenKind::Operator {
            continue;
        }
        let close = match token.span.of(source) {
            "(" => ")",
            "[" => "]",
            "{" => "}",
            text @ (")" | "]" | "}") => {
                if open.last().is_some_and(|(_, close)| *close == text)
                    && let Some((start, _)) = open.pop()
                    && let Some(partner) = partners.get_mut(start)
                {
                    *partner = index;
                    if let Some(partner) = partners.get_mut(index) {
                        *partner = start;
                    }
                }
                continue;
            }
            _ => continue,
        };
        open.push((index, close));
    }
    partners
}

/// For the first token of every line outside brackets: the index of the next line that is not indented deeper.
fn blocks(tokens: &[Token], partners: &[usize]) -> Vec<usize> {
    let mut ends = vec![tokens.len(); tokens.len()];
    let mut open: Vec<(usize, u32)> = Vec::new();
    let mut inside = 0;
    for (index, token) in tokens.iter().enumerate() {
        if index < inside {
            continue;
        }
        if token.first {
            while let Some((start, indent)) = open.last().copied() {
                if indent < token.indent {
                    break;
                }
                open.pop();
                if let Some(end) = ends.get_mut(start) {
                    *end = index;
                }
            }
            open.push((index, token.indent));
        }
        if let Some(partner) = partners.get(index).copied()
            && partner > index
        {
            inside = partner;
        }
    }
    ends
}

impl<'s> Interpreter<'_, '_, 's> {
    /// The token at `index`, where it may be read.
    pub(super) fn token_at(&self, index: usize) -> Option<&Token> {
        if index < self.end { self.unit.tokens.get(index) } else { None }
    }

    /// The next token's text, empty at the end.
    pub(super) fn word(&self) -> &'s str {
        self.word_at(self.at)
    }

    /// The text of the token at `index`, empty for strings and at the end.
    pub(super) fn word_at(&self, index: usize) -> &'s str {
        match self.token_at(index) {
            Some(Token {
                kind:
                    TokenKind::Name | TokenKind::Variable | TokenKind::Number | TokenKind::Operator,
                span,
                ..
            }) => span.of(self.source),
            _ => "",
        }
    }

    /// Whether the token at `index` is a name.
    pub(super) fn is_name(&self, index: usize) -> bool {
        self.token_at(index).is_some_and(|token| token.kind == TokenKind::Name)
    }

    /// Whether the token at `index` begins a line.
    pub(super) fn is_first(&self, index: usize) -> bool {
        self.token_at(index).is_none_or(|token| token.first)
    }

    /// Takes the next token where it is `word`.
    pub(super) fn accept(&mut self, word: &str) -> bool {
        let found = self.at < self.end && self.word() == word;
        if found {
            self.at += 1;
        }
        found
    }

    /// The index of the bracket that closes the one at `index`; the end where none does.
    pub(super) fn partner(&self, index: usize) -> usize {
        match self.unit.partners.get(index) {
            Some(partner) if *partner > index => (*partner).min(self.end),
            _ => self.end,
        }
    }

    /// From the token at `start` to the one before the next.
    pub(super) fn span_from(&self, start: usize) -> Span {
        let last = self.at.saturating_sub(1).max(start);
        let span = |index: usize| self.unit.tokens.get(index).map(|token| token.span);
        match (span(start), span(last)) {
            (Some(first), Some(last)) => first.to(last),
            _ => Span::default(),
        }
    }

    /// Reads no further than the token at `end`; gives the end before.
    pub(super) fn narrow(&mut self, end: usize) -> usize {
        let narrowed = end.min(self.end);
        std::mem::replace(&mut self.end, narrowed)
    }

    /// Uses up some work; whether there was any left.
    pub(super) fn spend(&mut self, work: usize) -> bool {
        if self.work < work || self.walk.is_exhausted() {
            self.work = 0;
            self.limit();
            return false;
        }
        self.work -= work;
        true
    }

    /// Gives a variable a value.
    pub(super) fn bind(&mut self, name: String, value: Value) {
        let (value, size) = value.held();
        self.spend(size / VALUES_PER_WORK);
        self.variables.insert(name, value);
    }

    /// What a variable was given. Taking a large value is work: repeated, it would be the square of what was written.
    pub(super) fn bound(&mut self, name: &str) -> Option<Value> {
        let (value, size) = self.variables.get(name)?.clone().held();
        self.spend(size / VALUES_PER_WORK);
        Some(value)
    }

    /// Says that a limit was met, once.
    pub(super) fn limit(&mut self) {
        if !self.limited {
            self.limited = true;
            let span = Span::new(0, self.source.len());
            self.walk.gap(span, GapReason::Limit);
        }
    }

    /// Goes one level deeper; whether that is allowed. Pair it with [`Self::rise`].
    pub(super) fn sink(&mut self) -> bool {
        if self.depth >= DEPTH {
            self.limit();
            return false;
        }
        self.depth += 1;
        true
    }

    /// Comes up again.
    pub(super) fn rise(&mut self) {
        self.depth -= 1;
    }

    /// Runs `read` on another stretch of tokens and comes back.
    pub(super) fn within<T>(
        &mut self,
        unit: Rc<Unit>,
        range: Range<usize>,
        read: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let unit = std::mem::replace(&mut self.unit, unit);
        let (at, end, indent, blocks) = (self.at, self.end, self.indent, self.blocks);
        let brackets = std::mem::replace(&mut self.brackets, 0);
        self.at = range.start;
        self.end = range.end.min(self.unit.tokens.len());
        self.blocks = 0;
        self.indent = self.unit.tokens.get(range.start).map_or(0, |token| token.indent);
        let result = read(self);
        self.unit = unit;
        (self.at, self.end, self.indent, self.blocks) = (at, end, indent, blocks);
        self.brackets = brackets;
        result
    }
}
