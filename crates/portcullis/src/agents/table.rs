//! How an agent is told to call us, as data. Owns the shape of the table's `install` column; the rows are with the agents,
//! and what is done with them is in the rest of this module.

/// How an agent is found on a machine and told to call us.
#[derive(Clone, Copy, Debug)]
pub struct Install {
    /// What shows that the agent is on this machine: any of them.
    pub traces: &'static [Trace],
    /// The files that make it call us.
    pub targets: &'static [Target],
    /// Settings that turn its hooks off.
    pub switches: &'static [Switch],
    /// Where it keeps that its person trusts a hook, where it asks for that.
    pub trust: Option<Trust>,
    /// What its person still has to do, in a sentence; empty for nothing.
    pub afterwards: &'static str,
    /// Why it cannot be installed, where it cannot.
    pub missing: Option<&'static str>,
}

impl Install {
    /// Nothing is known.
    pub const NONE: Self = Self {
        traces: &[],
        targets: &[],
        switches: &[],
        trust: None,
        afterwards: "",
        missing: Some("how it is told to call us is not known here"),
    };

    /// The usual: found by `traces`, told by `targets`.
    #[must_use]
    pub const fn new(traces: &'static [Trace], targets: &'static [Target]) -> Self {
        Self { traces, targets, switches: &[], trust: None, afterwards: "", missing: None }
    }
}

/// Something that shows that an agent is on this machine.
#[derive(Clone, Copy, Debug)]
pub enum Trace {
    /// A program that is found by `PATH`.
    Program(&'static str),
    /// A file or directory.
    Path(Place),
    /// A directory in another one whose name begins so: an editor's extension.
    Beginning(Place, &'static str),
}

/// A file or directory.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Where its path begins.
    pub base: Base,
    /// The rest of its path.
    pub path: &'static str,
}

/// Where a path begins.
#[derive(Clone, Copy, Debug)]
pub enum Base {
    /// The home directory.
    Home,
    /// The directory that a variable names, else one in the home directory.
    Variable(&'static str, &'static str),
    /// The user's directory for configuration.
    Configuration,
    /// The user's directory for documents.
    Documents,
    /// The project.
    Project,
    /// The root of the file system.
    System,
}

impl Place {
    /// A place in the home directory.
    #[must_use]
    pub const fn home(path: &'static str) -> Self {
        Self { base: Base::Home, path }
    }

    /// A place in the directory that a variable names, else in one in the home directory.
    #[must_use]
    pub const fn variable(
        variable: &'static str,
        otherwise: &'static str,
        path: &'static str,
    ) -> Self {
        Self { base: Base::Variable(variable, otherwise), path }
    }

    /// A place in the user's directory for configuration.
    #[must_use]
    pub const fn configuration(path: &'static str) -> Self {
        Self { base: Base::Configuration, path }
    }

    /// A place in the project.
    #[must_use]
    pub const fn project(path: &'static str) -> Self {
        Self { base: Base::Project, path }
    }

    /// A place from the root of the file system.
    #[must_use]
    pub const fn system(path: &'static str) -> Self {
        Self { base: Base::System, path }
    }
}

/// For whom it is installed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Scope {
    /// Everything that this user does with the agent.
    User,
    /// One project.
    Project,
}

/// One file that makes an agent call us.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// For whom.
    pub scope: Scope,
    /// Where.
    pub place: Place,
    /// What is in it.
    pub content: Content,
    /// What must be there for the file to matter; `None` for nothing more than the agent.
    pub only_with: Option<Trace>,
    /// What must not be there for the file to matter.
    pub only_without: Option<Trace>,
    /// Whether older versions of ours wrote it, and it goes now.
    pub former: bool,
}

impl Target {
    /// A file for everything that this user does.
    #[must_use]
    pub const fn user(place: Place, content: Content) -> Self {
        Self {
            scope: Scope::User,
            place,
            content,
            only_with: None,
            only_without: None,
            former: false,
        }
    }

    /// A file for one project.
    #[must_use]
    pub const fn project(path: &'static str, content: Content) -> Self {
        Self {
            scope: Scope::Project,
            place: Place::project(path),
            content,
            only_with: None,
            only_without: None,
            former: false,
        }
    }

    /// The same where older versions of ours wrote it, and it goes now.
    #[must_use]
    pub const fn former(self) -> Self {
        Self { former: true, ..self }
    }

    /// The same where something more is there.
    #[must_use]
    pub const fn only_with(self, trace: Trace) -> Self {
        Self { only_with: Some(trace), ..self }
    }

    /// The same where something else is not there.
    #[must_use]
    pub const fn only_without(self, trace: Trace) -> Self {
        Self { only_without: Some(trace), ..self }
    }
}

/// What is in a file.
#[derive(Clone, Copy, Debug)]
pub enum Content {
    /// Entries in a JSON file that others write too, or that holds nothing but them.
    Entries(Entries),
    /// A script of ours that runs us for an event; executable.
    Script(&'static str),
    /// A plugin of ours that runs inside the agent.
    Plugin(Plugin),
    /// A file that belongs to a plugin, as it is.
    Beside(&'static str),
    /// Lines in a YAML file: what they are, see `install::lines`.
    Lines(&'static [&'static str]),
    /// A list under a key of a JSON file in which the agent itself notes the hooks that it runs: nothing is put there, and what it noted of
    /// ours is taken away.
    Noted(&'static str),
}

/// How many seconds agents give a hook whose time can be set, in whatever unit they count.
pub const USUAL_SECONDS: u32 = 5;

/// Entries in a JSON file.
#[derive(Clone, Copy, Debug)]
pub struct Entries {
    /// The keys that lead to the object that holds the events, or to the list of hooks.
    pub root: &'static [&'static str],
    /// How hooks are listed.
    pub form: Form,
    /// The key of the command, which is one for the shell.
    pub command: &'static str,
    /// The key of the time limit, and its value.
    pub timeout: Option<(&'static str, u32)>,
    /// Other members of a hook.
    pub members: &'static [(&'static str, Literal)],
    /// Members of the hook before a tool runs alone.
    pub before: &'static [(&'static str, Literal)],
    /// What stands for every tool; `None` leaves the matcher out.
    pub matcher: Option<&'static str>,
    /// Members of other objects that the file must have: the keys, the value.
    pub heads: &'static [(&'static [&'static str], Literal)],
    /// The events that are registered, where not all of the agent's are.
    pub events: Option<&'static [&'static str]>,
    /// What blocks a call where we could not be run.
    pub lost: Lost,
}

/// What blocks a call where our program is gone, or was killed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Lost {
    /// The exit code 2, with something on standard error.
    Exit,
    /// A denial in the agent's own form: another code than 0 does not count everywhere.
    Answer,
}

impl Entries {
    /// The entries of Claude Code's format, which most agents took over: `hooks.EVENT[].hooks[]`, a command for the shell,
    /// five seconds.
    pub const CLAUDE: Self = Self {
        root: &["hooks"],
        form: Form::Groups,
        command: "command",
        timeout: Some(("timeout", 5)),
        members: &[("type", Literal::Text("command"))],
        before: &[],
        matcher: Some("*"),
        heads: &[],
        events: None,
        lost: Lost::Exit,
    };

    /// Settings alone: these members, and no hooks.
    #[must_use]
    pub const fn settings(heads: &'static [(&'static [&'static str], Literal)]) -> Self {
        Self { root: &["hooks"], heads, events: Some(&[]), ..Self::CLAUDE }
    }
}

/// How hooks are listed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Form {
    /// `EVENT: [{matcher, hooks: [hook]}]`.
    Groups,
    /// `EVENT: [hook]`.
    Hooks,
    /// `[{name, trigger: EVENT, matcher, action: {type, command}}]`.
    Triggers,
}

/// A plain value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Literal {
    /// A string.
    Text(&'static str),
    /// A whole number.
    Number(u32),
    /// `true` or `false`.
    Flag(bool),
}

/// A plugin: JavaScript that runs inside the agent.
#[derive(Clone, Copy, Debug)]
pub struct Plugin {
    /// How it hangs in the agent. It may use what [`super::plugin`] puts before it.
    pub source: &'static str,
    /// How the agent is played for a proof: JavaScript after `plugin` was imported, that calls `proven(blocked)`.
    pub harness: &'static str,
}

/// A setting that turns hooks off.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// The file, JSON or TOML by its name.
    pub place: Place,
    /// The keys that lead to it.
    pub keys: &'static [&'static str],
    /// When hooks are off.
    pub off: Off,
}

impl Switch {
    /// Hooks are off when it has a value.
    #[must_use]
    pub const fn is(place: Place, keys: &'static [&'static str], value: Literal) -> Self {
        Self { place, keys, off: Off::Is(value) }
    }

    /// Hooks are off when it is a list with something in it that does not name us.
    #[must_use]
    pub const fn lacks(place: Place, keys: &'static [&'static str]) -> Self {
        Self { place, keys, off: Off::Lacks }
    }

    /// Hooks are off when it is a list that names us.
    #[must_use]
    pub const fn names(place: Place, keys: &'static [&'static str]) -> Self {
        Self { place, keys, off: Off::Names }
    }
}

/// When a setting turns hooks off.
#[derive(Clone, Copy, Debug)]
pub enum Off {
    /// When it has this value.
    Is(Literal),
    /// When it is a list that names us.
    Names,
    /// When it is a list with something in it that does not name us.
    Lacks,
}

/// Where an agent keeps which hooks its person trusts.
#[derive(Clone, Copy, Debug)]
pub enum Trust {
    /// Codex: `hooks.state."FILE:EVENT:GROUP:HOOK"` in `config.toml`.
    Codex(Place),
}
