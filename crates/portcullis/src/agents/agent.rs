//! What is known of a coding agent, as data. Owns the shape of the table; the rows are in [`super::AGENTS`], and what is
//! done with them is in `payload` and [`super::reply`].

use portcullis_core::tool::MCP_PREFIX;
use serde_json::{Map, Value};

use super::{
    field::at,
    reply::{Reply, Saying},
};
use crate::agents::table::Install;

/// A coding agent: how its payloads are read and how it is answered.
#[derive(Debug)]
pub struct Agent {
    /// Its name on the command line and in the record.
    pub name: &'static str,
    /// Its name for a person.
    pub title: &'static str,
    /// What its payloads have that no other agent's have: all marks of one of these lists. Empty where nothing tells its
    /// payloads from those of an agent that it took its format from.
    pub marks: &'static [&'static [Mark]],
    /// The same, but less sure: they count where the hook is one that others run too, see `lent`.
    pub hints: &'static [&'static [Mark]],
    /// Whether other agents run its hooks.
    pub lent: bool,
    /// Where its payloads hold what.
    pub fields: Fields,
    /// The events that it is installed for, the one before a tool runs first. The first one that fits a payload counts.
    pub events: &'static [Event],
    /// The names of its other events: there is nothing to judge in them.
    pub other_events: &'static [&'static str],
    /// The tools whose name or arguments we do not know from elsewhere; all of its own where [`Servers::Unmarked`].
    pub tools: &'static [Tool],
    /// How it names the tools of MCP servers.
    pub servers: Servers,
    /// What it calls a mode in which nothing may be changed.
    pub plan_modes: &'static [&'static str],
    /// The environment variables that hold its project's directory.
    pub root_variables: &'static [&'static str],
    /// How it is found on a machine and told to call us.
    pub install: Install,
}

/// Something that a payload has.
#[derive(Clone, Copy, Debug)]
pub enum Mark {
    /// A value at a JSON pointer.
    Has(&'static str),
    /// Nothing at a JSON pointer.
    Lacks(&'static str),
    /// This text at a JSON pointer.
    Is(&'static str, &'static str),
    /// One of these texts at a JSON pointer.
    OneOf(&'static str, &'static [&'static str]),
    /// This number at a JSON pointer.
    Number(&'static str, u64),
    /// `true` at a JSON pointer.
    True(&'static str),
}

impl Mark {
    /// Whether a payload has it.
    #[must_use]
    pub fn fits(self, payload: &Value) -> bool {
        let text = |pointer| at(payload, pointer).and_then(Value::as_str);
        match self {
            Self::Has(pointer) => at(payload, pointer).is_some_and(|value| !value.is_null()),
            Self::Lacks(pointer) => at(payload, pointer).is_none_or(Value::is_null),
            Self::Is(pointer, word) => text(pointer) == Some(word),
            Self::OneOf(pointer, words) => text(pointer).is_some_and(|text| words.contains(&text)),
            Self::Number(pointer, number) => {
                at(payload, pointer).and_then(Value::as_u64) == Some(number)
            }
            Self::True(pointer) => at(payload, pointer).and_then(Value::as_bool) == Some(true),
        }
    }
}

/// Where payloads hold what: JSON pointers, of which the first one with a value counts.
#[derive(Clone, Copy, Debug)]
pub struct Fields {
    /// The name of the event. Empty where payloads do not name it.
    pub event: &'static [&'static str],
    /// The name of the tool.
    pub tool: &'static [&'static str],
    /// Its arguments: an object, or one in a string.
    pub input: &'static [&'static str],
    /// The working directory.
    pub cwd: &'static [&'static str],
    /// The directories that are open.
    pub roots: &'static [&'static str],
    /// The session.
    pub session: &'static [&'static str],
    /// What tells a call from the same call made again: its id, or the time at which the agent tells of it.
    pub call: &'static [&'static str],
    /// The permission mode.
    pub mode: &'static [&'static str],
    /// What the tool gave back.
    pub result: &'static [&'static str],
    /// What the person wrote.
    pub prompt: &'static [&'static str],
}

impl Fields {
    /// The fields of Claude Code, which most agents took over.
    pub const CLAUDE: Self = Self {
        event: &["/hook_event_name"],
        tool: &["/tool_name"],
        input: &["/tool_input"],
        cwd: &["/cwd"],
        roots: &[],
        session: &["/session_id"],
        call: &["/tool_use_id", "/timestamp"],
        mode: &["/permission_mode"],
        result: &["/tool_response"],
        prompt: &["/prompt"],
    };
}

/// When an agent calls.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Moment {
    /// Before a tool runs.
    BeforeTool,
    /// When the agent is about to ask its person itself.
    Permission,
    /// After a tool ran.
    AfterTool,
    /// When the person has written something.
    Prompt,
}

/// An event of an agent.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// The event's name, as a configuration names it and an answer repeats it. Payloads may write it in other case and
    /// with underscores.
    pub name: &'static str,
    /// What its payloads have beside the name, or instead of it.
    pub marks: &'static [Mark],
    /// When it comes.
    pub moment: Moment,
    /// How it is answered.
    pub speak: fn(&Saying<'_>) -> Reply,
    /// Whether the agent asks its person when the answer says so.
    pub asks: Asks,
    /// Whether an answer that allows or asks can put other arguments in place of the call's.
    pub replaces: bool,
    /// How the tool is named.
    pub tool: ToolName,
    /// Where the arguments are, where not in [`Fields::input`].
    pub input: Option<&'static str>,
    /// Which of the values there are arguments; all where this is empty.
    pub only: &'static [&'static str],
}

impl Event {
    /// An event that is known by its name, and names its tool where all events of its agent do.
    #[must_use]
    pub const fn new(name: &'static str, moment: Moment, speak: fn(&Saying<'_>) -> Reply) -> Self {
        let tool = ToolName::Field;
        let (asks, replaces) = (Asks::Never, false);
        Self { name, marks: &[], moment, speak, asks, replaces, tool, input: None, only: &[] }
    }

    /// The same, where an answer can put other arguments in place of the call's.
    #[must_use]
    pub const fn replacing(self) -> Self {
        Self { replaces: true, ..self }
    }

    /// The same, where an answer can make the agent ask its person.
    #[must_use]
    pub const fn asking(self) -> Self {
        Self { asks: Asks::Always, ..self }
    }

    /// The same, where that holds for payloads with these marks alone.
    #[must_use]
    pub const fn asking_where(self, marks: &'static [Mark]) -> Self {
        Self { asks: Asks::Where(marks), ..self }
    }

    /// The same with what its payloads have beside the name, or instead of it.
    #[must_use]
    pub const fn marked(self, marks: &'static [Mark]) -> Self {
        Self { marks, ..self }
    }

    /// The same about one tool alone, with its arguments at a JSON pointer.
    #[must_use]
    pub const fn about(self, tool: &'static str, input: &'static str) -> Self {
        Self { tool: ToolName::Fixed(tool), input: Some(input), ..self }
    }

    /// The same where only some of the values there are arguments.
    #[must_use]
    pub const fn only(self, only: &'static [&'static str]) -> Self {
        Self { only, ..self }
    }

    /// The same about tools of MCP servers: where the server's name is, if anywhere, and the tool's.
    #[must_use]
    pub const fn about_server(
        self,
        server: Option<&'static str>,
        tool: &'static str,
        input: &'static str,
    ) -> Self {
        Self { tool: ToolName::Server(server, tool), input: Some(input), ..self }
    }
}

/// Whether an answer that asks is shown to a person, or denies where there is none. What an agent takes for consent in any
/// of its modes is no asking.
#[derive(Clone, Copy, Debug)]
pub enum Asks {
    /// It has no such answer, or is not known to heed it.
    Never,
    /// In every mode.
    Always,
    /// In the modes that payloads with these marks name.
    Where(&'static [Mark]),
}

impl Asks {
    /// Whether it is so for a payload.
    #[must_use]
    pub fn holds(self, payload: &Value) -> bool {
        match self {
            Self::Never => false,
            Self::Always => true,
            Self::Where(marks) => marks.iter().all(|mark| mark.fits(payload)),
        }
    }
}

/// How an event names its tool.
#[derive(Clone, Copy, Debug)]
pub enum ToolName {
    /// In [`Fields::tool`].
    Field,
    /// The event is about one tool alone.
    Fixed(&'static str),
    /// The tool of an MCP server: where the server's name is, if anywhere, and the tool's.
    Server(Option<&'static str>, &'static str),
}

/// How an agent names the tools of MCP servers beside its own. They are `mcp__server__tool` to us.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Servers {
    /// As we do.
    Doubled,
    /// With this before the name, and this between the server and the tool.
    Prefixed(&'static str, Option<char>),
    /// By no sign: whatever is not in [`Agent::tools`] may be one.
    Unmarked,
}

impl Servers {
    /// Our name of a server's tool.
    ///
    /// ```
    /// use portcullis::agents::agent::Servers;
    ///
    /// let at = Servers::Prefixed("@", Some('/'));
    /// assert_eq!(at.qualified("@git/read_file").as_deref(), Some("mcp__git__read_file"));
    /// assert_eq!(at.qualified("read_file"), None);
    /// ```
    #[must_use]
    pub fn qualified(self, name: &str) -> Option<String> {
        if name.trim_start().to_ascii_lowercase().starts_with(MCP_PREFIX) {
            return Some(name.to_owned());
        }
        match self {
            Self::Doubled => None,
            Self::Unmarked => Some(of_server(None, name)),
            Self::Prefixed(prefix, between) => {
                let start = name.get(..prefix.len())?;
                let rest =
                    name.get(prefix.len()..).filter(|_| start.eq_ignore_ascii_case(prefix))?;
                let parts = between.and_then(|between| rest.split_once(between));
                Some(parts.map_or_else(
                    || of_server(None, rest),
                    |(server, tool)| of_server(Some(server), tool),
                ))
            }
        }
    }
}

/// The name of a server's tool, also where the server is not named.
#[must_use]
pub fn of_server(server: Option<&str>, tool: &str) -> String {
    format!("{MCP_PREFIX}{}__{tool}", server.unwrap_or("server"))
}

/// A tool of an agent: what it is to us, and what its arguments are called. A tool that does several things has several
/// rows, and all that fit count.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// Its name, as the agent has it, in any case and with any separators.
    pub name: &'static str,
    /// The name of a tool that we know.
    pub means: Means,
    /// The argument that it has when this row fits. Where no row of its name fits, the first one does.
    pub given: Option<&'static str>,
    /// Whether it does several things in one call.
    pub parts: Parts,
    /// Arguments that have another name here: theirs, ours. Theirs count where both are given.
    pub renames: &'static [(&'static str, &'static str)],
    /// The arguments that name the directory it runs in; the first one that is given counts.
    pub directory: &'static [&'static str],
}

/// What a tool is to us.
#[derive(Clone, Copy, Debug)]
pub enum Means {
    /// A tool that we know by this name.
    Known(&'static str),
    /// A tool of an MCP server; the arguments that hold the server's name, the tool's, and its arguments.
    OfServer(&'static str, &'static str, &'static str),
}

/// What one call of a tool comes to.
#[derive(Clone, Copy, Debug)]
pub enum Parts {
    /// One call.
    One,
    /// One call for each item of the first of these arguments that is given: a list, or one in a string. An item that is
    /// an object is the arguments, any other is the argument of this name.
    Each(&'static [&'static str], &'static str),
    /// Those that are found in the arguments.
    Found(Several),
}

/// Finds the arguments of several calls in those of one.
pub type Several = fn(&Map<String, Value>) -> Vec<Map<String, Value>>;

impl Tool {
    /// A tool that we know by the same name.
    #[must_use]
    pub const fn own(name: &'static str) -> Self {
        Self::alias(name, name)
    }

    /// A tool that we know by another name.
    #[must_use]
    pub const fn alias(name: &'static str, means: &'static str) -> Self {
        let means = Means::Known(means);
        Self { name, means, given: None, parts: Parts::One, renames: &[], directory: &[] }
    }

    /// A tool that calls the tools of MCP servers: the arguments that hold the server's name, the tool's, and its
    /// arguments.
    #[must_use]
    pub const fn of_server(
        name: &'static str,
        server: &'static str,
        tool: &'static str,
        arguments: &'static str,
    ) -> Self {
        Self { means: Means::OfServer(server, tool, arguments), ..Self::own(name) }
    }

    /// The same where an argument is given.
    #[must_use]
    pub const fn given(self, argument: &'static str) -> Self {
        Self { given: Some(argument), ..self }
    }

    /// The same with arguments of other names.
    #[must_use]
    pub const fn renaming(self, renames: &'static [(&'static str, &'static str)]) -> Self {
        Self { renames, ..self }
    }

    /// The same with arguments that name the directory it runs in.
    #[must_use]
    pub const fn running_in(self, directory: &'static [&'static str]) -> Self {
        Self { directory, ..self }
    }

    /// The same with several calls in one, see [`Parts::Each`].
    #[must_use]
    pub const fn each(self, lists: &'static [&'static str], item: &'static str) -> Self {
        Self { parts: Parts::Each(lists, item), ..self }
    }

    /// The same with several calls in one, found by a function.
    #[must_use]
    pub const fn found(self, parts: Several) -> Self {
        Self { parts: Parts::Found(parts), ..self }
    }
}
