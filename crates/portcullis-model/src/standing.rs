//! What a path can be: a part of the machine, a credential, something that starts by itself, a file of an agent. Owns these words and what
//! they imply; which path is what, `place` says.

use std::sync::OnceLock;

/// What a target's path means, asked once and kept with the target: a dozen rules want to know, and each answer takes a
/// walk through the tables.
#[derive(Clone, Debug, Default)]
pub struct Standing(pub(crate) OnceLock<Answers>);

#[derive(Clone, Debug)]
pub(crate) struct Answers {
    pub(crate) place: Place,
    pub(crate) credential: Option<&'static Credential>,
    pub(crate) persistence: Option<&'static Persistence>,
    pub(crate) agent_file: Option<&'static AgentFile>,
    pub(crate) is_account_list: bool,
}

// Two targets are the same when they name the same thing, whatever was asked about them so far.
impl PartialEq for Standing {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Standing {}

/// Where a path is, the least worrying first: of a link and what it leads to, the greater counts.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Place {
    /// A device that swallows, gives nothing away or is the terminal: `/dev/null`, `/dev/stdout`, `/dev/urandom`.
    Harmless,
    /// What a build or a tool made in the workspace and can make again.
    Artifact,
    /// Below a directory for temporary files.
    Temporary,
    /// A cache of the user or of the system.
    Cache,
    /// In the workspace.
    Workspace,
    /// Configuration of continuous integration, in the workspace.
    ContinuousIntegration,
    /// Inside `.git` and its like.
    VersionControl,
    /// None of the others.
    Elsewhere,
    /// What an administrator installed by hand: `/usr/local`, `/opt`, `/srv`.
    Site,
    /// A directory for temporary files as a whole.
    TemporaryTop,
    /// Not known.
    Unknown,
    /// In the user's home.
    Home,
    /// The workspace as a whole.
    WorkspaceTop,
    /// The version control of the workspace as a whole.
    VersionControlTop,
    /// A device that is none of the others.
    Device,
    /// Logs of the system.
    Log,
    /// The kernel's own files: `/proc`, `/sys`.
    Kernel,
    /// In the home of someone else.
    OtherHome,
    /// Settings, hooks and instructions of a coding agent.
    Agent,
    /// Inside a system directory.
    System,
    /// What the machine starts from.
    Boot,
    /// The gate's own files.
    Gate,
    /// A home as a whole.
    HomeTop,
    /// A system directory as a whole.
    SystemTop,
    /// A whole disk, or memory.
    RawDevice,
    /// The root of the file system.
    Root,
}

impl Place {
    /// Whether it belongs to the project that the agent works on.
    #[must_use]
    pub const fn is_workspace(self) -> bool {
        matches!(
            self,
            Self::Workspace
                | Self::WorkspaceTop
                | Self::Artifact
                | Self::VersionControl
                | Self::VersionControlTop
                | Self::ContinuousIntegration
        )
    }

    /// Whether it holds what is someone's own.
    #[must_use]
    pub const fn is_private(self) -> bool {
        matches!(
            self,
            Self::Home | Self::HomeTop | Self::OtherHome | Self::Log | Self::RawDevice | Self::Gate
        )
    }

    /// Whether the system cannot do without it.
    #[must_use]
    pub const fn is_system(self) -> bool {
        matches!(
            self,
            Self::Root
                | Self::SystemTop
                | Self::System
                | Self::Boot
                | Self::Kernel
                | Self::RawDevice
        )
    }

    /// Whether a directory there holds all that somebody has, or what the system is made of.
    #[must_use]
    pub const fn is_whole(self) -> bool {
        self.is_system() || matches!(self, Self::HomeTop | Self::OtherHome)
    }

    /// The place for a person.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Harmless => "a harmless device",
            Self::Artifact => "build output",
            Self::Temporary => "a temporary file",
            Self::Cache => "a cache",
            Self::Workspace => "a file of the project",
            Self::ContinuousIntegration => "continuous integration",
            Self::VersionControl => "version control's own files",
            Self::Elsewhere => "a place outside the project",
            Self::Site => "software installed for everyone",
            Self::TemporaryTop => "every temporary file",
            Self::Unknown => "a place that cannot be known",
            Self::Home => "a place in the home directory",
            Self::WorkspaceTop => "the whole project",
            Self::VersionControlTop => "the project's whole history",
            Self::Device => "a device",
            Self::Log => "the system's logs",
            Self::Kernel => "the kernel's settings",
            Self::OtherHome => "another user's home",
            Self::Agent => "an agent's settings",
            Self::System => "a system directory",
            Self::Boot => "what the machine starts from",
            Self::Gate => "the gate's own files",
            Self::HomeTop => "a whole home directory",
            Self::SystemTop => "a whole system directory",
            Self::RawDevice => "a raw disk or memory",
            Self::Root => "the whole file system",
        }
    }
}

/// A kind of credential.
#[derive(Debug, Eq, PartialEq)]
pub struct Credential {
    /// What it is, for a person.
    pub what: &'static str,
    /// How it is used without being shown.
    pub class: CredentialClass,
    pub(crate) patterns: &'static [&'static str],
}

/// What a credential opens, which says how ordinary it is to name it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CredentialClass {
    /// Accounts of the machine itself: nothing but the system has business with it.
    System,
    /// Memory or environment of processes.
    Process,
    /// A user's keys and logins; programs are told where they are to use them.
    User,
    /// Settings of a project with passwords in them; programs load them.
    Project,
}

impl Credential {
    /// Whether it is the token with which a person decides what the gate asks: whoever has it approves.
    #[must_use]
    pub fn decides(&self) -> bool {
        self.what == PERSONS_TOKEN
    }
}

/// What the row of that token says.
pub(crate) const PERSONS_TOKEN: &str = "the token with which a person decides";

/// A kind of file that starts something by itself.
#[derive(Debug, Eq, PartialEq)]
pub struct Persistence {
    /// What it is, for a person.
    pub what: &'static str,
    /// Which family.
    pub kind: PersistenceKind,
    pub(crate) patterns: &'static [&'static str],
}

impl Persistence {
    /// Whether it is that because the settings of the repository name it, wherever it lies.
    #[must_use]
    pub const fn is_told(&self) -> bool {
        self.patterns.is_empty()
    }
}

/// The family of a file that starts something by itself.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum PersistenceKind {
    /// Read by every new shell.
    Shell,
    /// Run at set times.
    Schedule,
    /// Started with the machine.
    Service,
    /// Started with the desktop session.
    Session,
    /// Run by version control.
    Hook,
    /// Obeyed by version control: commands, filters, where hooks are.
    Control,
    /// Lets someone in.
    Login,
    /// Says who may become root.
    Rights,
    /// Loaded into every program.
    Loader,
    /// Run by the package manager.
    Package,
    /// Run by every interpreter of a language.
    Interpreter,
    /// Run by an editor.
    Editor,
    /// Run when something in the project is used; an ordinary part of it.
    Project,
    /// Sends names elsewhere.
    Names,
}

/// A kind of file of a coding agent.
#[derive(Debug, Eq, PartialEq)]
pub struct AgentFile {
    /// Whose, for a person.
    pub agent: &'static str,
    /// What it does.
    pub kind: AgentFileKind,
    pub(crate) patterns: &'static [&'static str],
}

/// What a file of a coding agent does.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum AgentFileKind {
    /// Rights, hooks, servers: what the agent may do and what runs around it.
    Settings,
    /// Instructions that it follows.
    Instructions,
    /// What it keeps for itself.
    State,
    /// An editor's settings, some of which are an agent's.
    Shared,
}

impl AgentFile {
    /// Whether it says what the agent may do.
    #[must_use]
    pub fn is_guarding(&self) -> bool {
        self.kind == AgentFileKind::Settings
    }
}
