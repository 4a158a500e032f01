//! The reading of one script. Owns what is known while it goes on: variables, functions, open files, what was printed,
//! and how much work is left.

use std::{
    collections::{BTreeSet, HashMap},
    ops::Range,
    rc::Rc,
};

use portcullis_syntax::{
    Span,
    code::{Dialect, Token, TokenKind, dialect},
};

use super::{
    acts::Made,
    deferred::Deferred,
    endings::Ending,
    fed::Started,
    learned::Learned,
    played::Client,
    replaced::Replaced,
    unchecked::Unchecked,
    value::{Given, Value},
};
use crate::{
    bound::{Bounded, Limits},
    effect::{Argument, GapReason},
    programs::invocation::split_assignment,
    text::{Piece, Text},
    understand::shell::Walk,
};

mod blocks;
mod known;
mod tokens;

pub(super) use known::{Function, Open, Parameter, Seen, Takes, Unit};

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
    let is_closed = interpreter.is_closed_script();
    let outer = interpreter.walk.in_closed_script(is_closed);
    interpreter.run_to_the_end();
    interpreter.walk.in_closed_script(outer);
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
    interpreter.gave_up = false;
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
        let (run, data) = before_data(language, code);
        let (unit, complete) = Unit::new(code, Span::new(0, run.len()), dialect);
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
            gave_up: false,
            variables: given(language, arguments),
            functions: Vec::new(),
            named: HashMap::new(),
            classes: Vec::new(),
            parents: Vec::new(),
            decorated: Vec::new(),
            clients: Vec::new(),
            replaced: Vec::new(),
            partials: Vec::new(),
            dispatched: HashMap::new(),
            executors: Vec::new(),
            made: Vec::new(),
            patched: Vec::new(),
            part: None,
            lazy: Vec::new(),
            this: None,
            deferred: Vec::new(),
            endings: Vec::new(),
            matched: Vec::new(),
            round: None,
            learned: Vec::new(),
            behind: None,
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
            packages: Vec::new(),
            has_path_objects: ["Path::Tiny", "Pathname"].iter().any(|it| code.contains(it)),
            has_own_built_ins: ["use subs", "CORE::GLOBAL"].iter().any(|it| code.contains(it)),
            files: Vec::new(),
            programs: Vec::new(),
            lines_told: Vec::new(),
            stand_ins: Vec::new(),
            readers_fed: 0,
            runs_own: false,
            reductions: Vec::new(),
            made_objects: BTreeSet::new(),
            search: Vec::new(),
            class_patches: HashMap::new(),
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
            unchecked: Unchecked::default(),
        };
        if let Some(data) = data {
            let lines: Vec<Value> = data.lines().leading(DATA).map(Value::known).collect();
            if data.lines().count() > DATA {
                interpreter.limit();
            }
            interpreter.variables.insert("DATA".to_owned(), Value::List(lines));
        }
        if !complete {
            interpreter.limit();
        }
        interpreter
    }

    /// Reads what is left, with the functions that nothing called.
    fn run_to_the_end(&mut self) {
        self.statements(self.end);
        self.disposed(0, self.end);
        self.call_deferred();
        self.run_what_loaders_give();
        self.read_back();
        self.collected_objects();
        self.called_by_perl_itself();
        self.uncalled();
        self.flush();
        self.finish();
    }

    /// What it printed.
    fn printed(self) -> Text {
        let mut output = self.output;
        // What a text gives back that was made a function.
        if let Some(returned) = self.returned.filter(|_| self.language == "javascript") {
            output.inherit(&returned.text());
        }
        // What prints in ways that are not read prints something.
        if output.is_empty() || PRINTS_OTHERWISE.iter().any(|way| self.source.contains(way)) {
            output.push(Piece::Unknown("what the code prints".into()));
        }
        output
    }
}

/// How many lines behind the end of a script are told apart.
const DATA: usize = 256;

/// What of a script of Perl or Ruby is code, and what stands behind its end: lines that it may read by the handle `DATA`. (perldoc,
/// "perldata"; docs.ruby-lang.org, "DATA")
fn before_data<'c>(language: &str, code: &'c str) -> (&'c str, Option<&'c str>) {
    let ends: &[&str] = match language {
        "perl" => &["__END__", "__DATA__"],
        "ruby" => &["__END__"],
        _ => return (code, None),
    };
    let mut from = 0;
    for line in code.split_inclusive('\n') {
        let word = line.trim_end();
        // In a text of several lines it ends nothing.
        let is_of_code = || {
            let (unit, _) = Unit::new(code, Span::new(0, code.len()), dialect(language));
            let found = unit.tokens.iter().find(|token| token.span.range().start >= from);
            found.is_some_and(|token| {
                token.kind == TokenKind::Name
                    && token.span.range().start == from
                    && token.span.of(code) == word
            })
        };
        if ends.contains(&word) {
            return match is_of_code() {
                true => (code.get(..from).unwrap_or(code), code.get(from + line.len()..)),
                false => (code, None),
            };
        }
        from += line.len();
    }
    (code, None)
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
    gave_up: bool,
    pub(super) variables: HashMap<String, Value>,
    /// Names of one list or table, in pairs.
    pub(super) aliases: Vec<(String, String)>,
    pub(super) functions: Vec<Function>,
    pub(super) named: HashMap<String, usize>,
    /// The classes of the script, with the tokens of their bodies.
    pub(super) classes: Vec<(String, Range<usize>)>,
    /// Each of them with those it is made from.
    pub(super) parents: Vec<(String, String)>,
    /// The modules that were imported, by their names.
    pub(super) modules: BTreeSet<String>,
    /// The packages of Perl that the script has, by their names.
    pub(super) packages: Vec<String>,
    /// Whether the script names what stands for paths in Perl or Ruby.
    pub(super) has_path_objects: bool,
    /// Whether it may put functions in the place of Perl's own.
    pub(super) has_own_built_ins: bool,
    /// What classes of the script are made from, where that is of a library.
    pub(super) bases: HashMap<String, String>,
    pub(super) files: Vec<Open>,
    /// Programs that were started and may be told more.
    pub(super) programs: Vec<Started>,
    /// Methods by which classes of the script say how their objects are read back, with where they stand.
    pub(super) reductions: Vec<(usize, Span)>,
    /// Classes of the script of which there are objects.
    pub(super) made_objects: BTreeSet<String>,
    /// What each of them was told line by line.
    pub(super) lines_told: Vec<(usize, String)>,
    /// Functions of the script that a test puts in the place of others.
    pub(super) stand_ins: Vec<(String, usize)>,
    /// How often one of them was handed a line for a program that it may have started.
    pub(super) readers_fed: usize,
    /// Whether the examples or tests of the script are being run.
    pub(super) runs_own: bool,
    /// Directories in which the script looks for modules besides.
    pub(super) search: Vec<String>,
    /// What does nothing in the tests of a class.
    pub(super) class_patches: HashMap<String, Vec<String>>,
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
    /// Functions that were given some of their arguments: `functools.partial(client.delete, Bucket="b")`.
    pub(super) partials: Vec<(Value, Vec<Given>)>,
    /// Functions that choose another one by what they are given, with those that they choose from.
    pub(super) dispatched: HashMap<usize, Vec<usize>>,
    /// What engines without a database hand their statements to.
    pub(super) executors: Vec<Value>,
    /// Functions that were made of texts.
    pub(super) made: Vec<Made>,
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
    /// What the next place that is set gets, where that is no expression that stands behind it.
    pub(super) part: Option<Value>,
    /// The object of the method that is called next, with the variable that holds it.
    pub(super) this: Option<(String, Value)>,
    /// What is called when the rest of the script is done.
    pub(super) deferred: Vec<Deferred>,
    /// Lists that generators go through when they are asked.
    pub(super) lazy: Vec<String>,
    /// What is done where the block of a statement ends.
    pub(super) endings: Vec<Ending>,
    /// What each `match` around looks at, with the token behind it.
    pub(super) matched: Vec<(usize, Value)>,
    /// How deep the statements are indented that each round of the loop around surely does.
    pub(super) round: Option<u32>,
    /// What the conditions around say of names.
    pub(super) learned: Vec<Learned>,
    /// Where the last statement of a block begins that is read by itself, and where the block ends.
    pub(super) behind: Option<(usize, usize)>,
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
    /// Which connections nobody checks.
    pub(super) unchecked: Unchecked,
}

impl<'s> Interpreter<'_, '_, 's> {
    /// Uses up some work; whether there was any left.
    pub(super) fn spend(&mut self, work: usize) -> bool {
        if self.work < work || self.walk.is_exhausted() {
            self.work = 0;
            self.give_up();
            return false;
        }
        self.work -= work;
        true
    }

    /// What stands in the place of a module's own function, or that function: a module may be loaded anew.
    fn or_as_it_was(&self, name: &str, value: Value) -> Value {
        const TAKES_BACK: &[&str] = &["del ", "delattr(", "reload(", "sys.modules"];
        let of_module = || {
            let module = name.rsplit_once('.').map(|(module, _)| module);
            module.is_some_and(super::members::acts_here)
        };
        if self.language == "python"
            && of_module()
            && TAKES_BACK.iter().any(|words| self.source.contains(words))
        {
            return value.or(Value::name(name));
        }
        value
    }

    /// Gives a variable a value.
    pub(super) fn bind(&mut self, name: String, value: Value) {
        let name = self.named_by_variable(&name).unwrap_or(name);
        let value = self.or_as_it_was(&name, value);
        let (value, size) = self.with_sigil(&name, value).held();
        self.spend(size / VALUES_PER_WORK);
        let is_hooked = self.language == "perl" && name == "@INC";
        let hooks = is_hooked.then(|| value.clone());
        self.variables.insert(name, value);
        if let Some(hooks) = hooks {
            self.hooks(&hooks);
        }
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

    /// Says that no more is read, once: a question wherever the script has anything by which it could act.
    fn give_up(&mut self) {
        if self.gave_up {
            return;
        }
        self.gave_up = true;
        let span = Span::new(0, self.source.len());
        if self.language != "python" || may_act(self.source) {
            self.walk.left_unread(span);
        } else {
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

/// Modules without one of which a script of Python starts nothing and sends nothing.
const MODULES: &[&str] = &[
    "aiohttp",
    "asyncio",
    "builtins",
    "code",
    "ctypes",
    "ftplib",
    "http",
    "httpx",
    "importlib",
    "io",
    "marshal",
    "multiprocessing",
    "os",
    "paramiko",
    "pathlib",
    "pickle",
    "posix",
    "pty",
    "requests",
    "runpy",
    "shutil",
    "smtplib",
    "socket",
    "subprocess",
    "tempfile",
    "urllib",
];

/// Names by which it does so without importing one.
const BUILT_IN: &[&str] = &[
    "__builtins__",
    "__globals__",
    "__import__",
    "__subclasses__",
    "eval",
    "exec",
    "globals",
    "modules",
];

/// Whether a script of Python has a name by which it could act, or opens a file to write.
fn may_act(source: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || !letter.is_ascii();
    let (mut opens, mut imports) = (false, false);
    for line in source.lines() {
        imports |= line.contains("import");
        for word in line.split(|letter| !is_part(letter)) {
            if BUILT_IN.contains(&word) || imports && (MODULES.contains(&word) || !word.is_ascii())
            {
                return true;
            }
            opens |= word == "open";
        }
        imports &= line.trim_end().ends_with('\\');
    }
    opens
        && ["w", "a", "x", "r+", "wb", "ab", "xb", "w+", "a+"].iter().any(|mode| {
            source.contains(&format!("'{mode}'")) || source.contains(&format!("\"{mode}\""))
        })
}

impl Limits for Interpreter<'_, '_, '_> {
    fn limit(&mut self, _: Span) {
        Self::limit(self);
    }
}
