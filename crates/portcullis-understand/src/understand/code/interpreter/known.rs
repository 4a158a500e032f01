//! What is known of a script beside its values: functions and their parameters, open files, texts that it is made of, and what was seen of it that only matters together. Owns these as types.

use std::{collections::HashMap, ops::Range, rc::Rc};

use portcullis_syntax::{
    Span,
    code::{Dialect, Token, tokens},
};

use super::{
    super::{replaced::Answered, value::Value},
    blocks::{blocks, partners, shift},
};
use crate::{
    effect::{Argument, WriteMode},
    text::Text,
};

/// The places of names.
pub(in super::super) type Mentions = HashMap<String, Rc<[usize]>>;

/// What the script did that only matters together.
#[derive(Debug, Default)]
pub(in super::super) struct Seen {
    pub(in super::super) connects: bool,
    pub(in super::super) listens: bool,
    pub(in super::super) duplicates: Option<Span>,
    pub(in super::super) spawns: Option<Span>,
    /// A shell that was told nothing, by a script that pipes: a socket may be laid to it later.
    pub(in super::super) untold: Option<Span>,
    pub(in super::super) executable_memory: bool,
    pub(in super::super) native_call: Option<Span>,
    /// The command that shows the secret which was read of a store.
    pub(in super::super) shows: Option<Vec<Text>>,
    /// Secrets of a store were read one after the other.
    pub(in super::super) all_secrets: bool,
    /// Where all keys of a store began to be gone through.
    pub(in super::super) all_keys: Option<usize>,
    /// Keys were gone through that hold what people signed in with.
    pub(in super::super) sessions: bool,
    /// What was put into an archive that has no file.
    pub(in super::super) packed: Text,
    /// What is kept for the calls that are being made: `AsyncLocalStorage`.
    pub(in super::super) store: Option<Value>,
    /// Where the archive is led that is being made.
    pub(in super::super) packed_to: Option<Value>,
    /// What databases were asked for that is about people.
    pub(in super::super) asked: Text,
    /// What opened a database in memory.
    pub(in super::super) in_memory: Option<String>,
    /// A client was pointed at a network without real money.
    pub(in super::super) rehearsed: bool,
    /// A client was pointed at something else.
    pub(in super::super) real: bool,
    /// Where each client of a cloud was pointed at, if anywhere.
    pub(in super::super) endpoints: Vec<Option<Text>>,
    /// The packages by which the code signed in to a service.
    pub(in super::super) services: Vec<String>,
    /// Services of the cloud that are played on this machine.
    pub(in super::super) emulated: Vec<&'static str>,
    /// A page of another machine is open.
    pub(in super::super) visits: bool,
    /// An account or an amount of money was filled in there.
    pub(in super::super) fills_money: bool,
    /// A message was made for each of a list.
    pub(in super::super) to_many: bool,
    /// Whether conditions on paths ask what they always do; not looked at yet where nothing.
    pub(in super::super) asks_as_ever: Option<bool>,
    /// Where each name stands in the code that was asked about last.
    pub(in super::super) mentions: Option<(Rc<Unit>, Mentions)>,
    /// Whether the script finds names by texts; not looked at yet where nothing.
    pub(in super::super) names_are_found: Option<bool>,
    /// The texts that `match` is asked of here, where each ends, and whether a case was found that is surely the one.
    pub(in super::super) subjects: Vec<(usize, Option<String>, bool)>,
    /// How many functions are being read where one of them is a fixture that a test asked for.
    pub(in super::super) in_fixture: Option<usize>,
    /// Objects of the project that were made of a double: `OrderRepo(mongomock.MongoClient()["orders"])`.
    pub(in super::super) over_doubles: Vec<String>,
    /// What is never done since the condition before it never holds.
    pub(in super::super) never_done: Vec<(Rc<Unit>, Range<usize>)>,
    /// What opened a database on this machine that is one for tests by its number.
    pub(in super::super) test_database: Option<String>,
    /// The machine that a connection was opened to last.
    pub(in super::super) machine: Option<Text>,
    /// Where the repository lies that was opened last, if it is not the one around.
    pub(in super::super) repository: Option<Text>,
    /// Requests that are answered in the program.
    pub(in super::super) answered: Vec<Answered>,
    /// The home directory that the script itself put into the environment.
    pub(in super::super) home: Option<Text>,
    /// How many tests around expect that what they call throws.
    pub(in super::super) refused: usize,
    /// What clients were told to begin every address with.
    pub(in super::super) bases: Vec<(String, Text)>,
    /// What clients add to each of their requests.
    pub(in super::super) added: Vec<(String, Text)>,
    /// The client whose function for each request is read.
    pub(in super::super) hooked: Option<String>,
}

/// A stretch of code as tokens.
#[derive(Debug)]
pub(in super::super) struct Unit {
    pub(in super::super) tokens: Vec<Token>,
    /// The index of the matching bracket for every bracket; its own index elsewhere.
    pub(in super::super) partners: Vec<usize>,
    /// For the first token of a line, where the block of lines that are indented deeper ends.
    pub(in super::super) blocks: Vec<usize>,
}

/// What a function takes.
#[derive(Clone, Debug)]
pub(in super::super) struct Parameter {
    /// Its name; the opening bracket of one that is taken apart.
    pub(in super::super) name: String,
    /// The token that it begins with.
    pub(in super::super) at: usize,
    /// How many arguments it takes.
    pub(in super::super) takes: Takes,
    /// The expression that it is worth where nothing is given.
    pub(in super::super) default: Range<usize>,
    /// What that was worth where the function was made, where it is computed there.
    pub(in super::super) value: Option<Value>,
    /// Whether TypeScript makes a field of it.
    pub(in super::super) is_field: bool,
}

impl Parameter {
    pub(in super::super) fn new(name: &str, at: usize) -> Self {
        Self {
            name: name.to_owned(),
            at,
            takes: Takes::One,
            default: 0..0,
            value: None,
            is_field: false,
        }
    }
}

/// How many arguments a parameter takes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in super::super) enum Takes {
    /// One.
    One,
    /// All that are left.
    Rest,
    /// All names that are left.
    Names,
}

/// A function of the script.
#[derive(Clone, Debug)]
pub(in super::super) struct Function {
    pub(in super::super) parameters: Vec<Parameter>,
    pub(in super::super) body: Range<usize>,
    pub(in super::super) unit: Rc<Unit>,
    pub(in super::super) called: bool,
    /// How often it was.
    pub(in super::super) times: usize,
    /// A call of it was not followed, so that it has to be read with arguments that nobody knows.
    pub(in super::super) is_cut: bool,
    /// That was done.
    pub(in super::super) is_read_anew: bool,
    /// It is being read right now; a recursive call gives something unknown.
    pub(in super::super) active: bool,
    /// The object that it belongs to, whatever it is called by.
    pub(in super::super) this: Option<Value>,
    /// The body is an expression whose value is given back.
    pub(in super::super) expression: bool,
    /// What the functions around it had been given when it was made.
    pub(in super::super) captured: Vec<(String, Value)>,
    /// The names that it binds for itself.
    pub(in super::super) locals: Rc<[String]>,
}

/// A file that the script opened.
#[derive(Debug)]
pub(in super::super) struct Open {
    pub(in super::super) path: Argument,
    pub(in super::super) mode: WriteMode,
    pub(in super::super) writes: bool,
    pub(in super::super) content: Text,
    pub(in super::super) read: Text,
    pub(in super::super) flushed: bool,
}

impl Unit {
    /// Reads the part of `source` under `span`; tells whether it was read whole.
    pub(in super::super) fn new(source: &str, span: Span, dialect: &Dialect) -> (Self, bool) {
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
