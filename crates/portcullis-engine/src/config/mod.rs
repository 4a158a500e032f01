//! Configuration in layers: managed, user, project. Owns where the files are, how they are read, and what they come to
//! together; what the policy makes of it, the core says.
//!
//! ```text
//! bytes ──read──► File (as written, with spans) ──resolve──► Part ─┐
//!                                           one for each layer  ... ├──combine──► Configuration, with where each value
//!                                                               Part ─┘            comes from
//! ```
//!
//! | layer | file | may |
//! |---|---|---|
//! | managed | `/etc/portcullis/config.toml`, of the administrator alone | everything, and lock keys |
//! | central | a signed bundle, where the managed file or the user's names a centre | make stricter; what `central.may_loosen` names |
//! | user | `~/.config/portcullis/config.toml`, or `--config FILE` | everything that is not locked |
//! | project | `.portcullis.toml` at the root of the workspace | make stricter; everything that is not locked where a person trusts it |

mod account;
mod cedar;
mod central;
mod chat;
mod combine;
mod contracts;
pub mod edit;
mod error;
mod example;
mod file;
mod gateway;
mod guardian;
mod hook;
mod injection;
mod kept;
mod layers;
mod level;
mod loaded;
mod lock;
mod mcp;
mod monitor;
mod network;
mod noted;
mod part;
mod read;
mod received;
mod sandbox;
mod serve;
mod server_contracts;
mod team;
mod telemetry;
mod trial;
mod trust;
mod users;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use portcullis_core::{
    analyze::Ensemble,
    policy::{ApprovalPolicy, Mode, Policy, Rule},
};

pub use account::{Account, Layer, LeftOut, Setting, Source, Why};
pub use cedar::{Cedar, CedarTable, Forbidden};
pub use central::{Central, CentralTable, InForce, WhenStale};
pub use chat::{Chat, ChatTable, Mail, Receiver, SlackApp, Turn, Way, is_id};
pub use combine::confirmation_words;
pub use contracts::{Contracts, ContractsTable};
pub use error::nearest;
pub use error::{ConfigError, Mistake};
pub use example::{Example, HOME, List, WORKSPACE};
pub use file::suggestion;
pub use file::{Analyzer, File};
pub use gateway::{Gateway, GatewayTable, Offline};
pub use guardian::check_url;
pub use guardian::{
    AnyClassWord, FirstLookTable, GuardianTable, MayApproveTable, OnErrorWord, PriceTable,
    ProviderWord, guardian_words,
};
pub use hook::{Approve, Hook, OnHookFailure, UnknownTools};
pub use injection::{ClassifierTable, InjectionTable};
pub use kept::{Before, Kept, Left, Named};
use layers::Layers;
pub use layers::ProjectFile;
pub use lock::Lock;
pub use mcp::{McpAt, McpServer, McpServerTable, McpTable};
pub use monitor::{ConsequenceTable, ConsequenceWord, MonitorTable, Monitoring};
pub use network::{BudgetTable, HostEntry, HostTable, Network, NetworkTable, is_session_word};
pub use noted::{Removed, trusted};
pub use received::{Unaccepted, accept, held_of};
pub use sandbox::{NetworkWord, ProfileTable, SandboxTable};
pub use serve::{Serve, ServeTable};
pub use server_contracts::ServerContractTable;
pub use team::{
    AgentOf, Hours, IssuerAt, LocalTokens, Login, Project, StepUp, Team, TeamTable, Word, Workload,
};
pub use telemetry::{Protocol, SignalWord, Telemetry, TelemetryTable};
pub use trial::{Snapshots, Trials, TryTable, TryingGate, UndoTable};
pub use trust::{Pin, Standing, Trust, TrustError};

use crate::{
    audit::Entry,
    bundle::Held,
    guardian::Settings,
    platform::Directories,
    sandbox::{Contracted, Custom},
};

/// The name of the file in the user's directory for configuration, and in the managed one.
pub const FILE_NAME: &str = "config.toml";

/// The name of a project's file.
pub const PROJECT_FILE_NAME: &str = ".portcullis.toml";

/// The most bytes of a file; a longer one is no configuration that a person wrote.
pub const MAX_BYTES: u64 = 1 << 20;

/// What the files come to.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// The policy.
    pub policy: Policy,
    /// What identifies the policy in the record: `sha256:` and the hash of the file, as `sha256sum` gives it, or of all files
    /// where there are several, or `built-in` and our version where there is none.
    pub policy_id: String,
    /// How the record is kept.
    pub audit: Audit,
    /// The analyzers of the ensemble, where a file names them.
    pub analyzers: Option<Vec<Analyzer>>,
    /// What a hook inside a coding agent does beside judging.
    pub hook: Hook,
    /// The gateway that has a say in what hooks judge, where there is one.
    pub gateway: Option<Gateway>,
    /// What a session may do in all, and what follows from what is noticed about it.
    pub monitor: Monitoring,
    /// Whether the files that a call would start are read.
    pub reads_files: bool,
    /// Where things may connect.
    pub network: Network,
    /// The reviewing model, where there is one.
    pub guardian: Option<Settings>,
    /// The classifier that may be asked about planted instructions, where there is one.
    pub classifier: Option<Settings>,
    /// What tools do that only their servers know.
    pub contracts: Contracts,
    /// What MCP servers may reach while they run, by name.
    pub server_contracts: BTreeMap<String, Contracted>,
    /// Profiles of the sandbox by name.
    pub sandbox: BTreeMap<String, Custom>,
    /// The MCP servers that a gateway stands in front of, by name.
    pub mcp: BTreeMap<String, McpServer>,
    /// Where a gateway keeps what counts, where that is not its state directory.
    pub serve: Serve,
    /// Who works with a gateway.
    pub team: Team,
    /// Who is told of requests, and what is decided in a chat.
    pub chat: Chat,
    /// Where what is not understood is tried first.
    pub trials: Trials,
    /// What is kept before actions.
    pub snapshots: Snapshots,
    /// The template of what agents are told: a path, or empty where they are told nothing; missing where it is the built-in one.
    pub security_policy: Option<String>,
    /// What of a centre is in force, where there is one.
    pub central: Option<Arc<InForce>>,
    /// Where each value comes from.
    pub account: Account,
    layers: Layers,
}

/// How the record is kept.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Audit {
    /// Whether there is one.
    pub enabled: bool,
    /// Its directory, where it is not the user's.
    pub path: Option<PathBuf>,
    /// What happens to a call that cannot be recorded.
    pub on_failure: OnFailure,
}

/// What happens to a call that cannot be recorded.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum OnFailure {
    /// It is denied.
    #[default]
    Deny,
    /// It goes on, and whoever looks is warned.
    Warn,
}

impl Default for Configuration {
    fn default() -> Self {
        Self {
            policy: Policy::default(),
            policy_id: format!("built-in {}", env!("CARGO_PKG_VERSION")),
            audit: Audit::default(),
            analyzers: None,
            hook: Hook::default(),
            gateway: None,
            monitor: Monitoring::default(),
            reads_files: true,
            network: Network::default(),
            guardian: None,
            classifier: None,
            contracts: Contracts::default(),
            server_contracts: BTreeMap::new(),
            sandbox: BTreeMap::new(),
            mcp: BTreeMap::new(),
            serve: Serve::default(),
            team: Team::default(),
            chat: Chat::default(),
            trials: Trials::default(),
            snapshots: Snapshots::default(),
            security_policy: None,
            central: None,
            account: Account::default(),
            layers: Layers::default(),
        }
    }
}

impl Default for Audit {
    fn default() -> Self {
        Self { enabled: true, path: None, on_failure: OnFailure::Deny }
    }
}

/// The text of the user's file; none where there is no file.
///
/// # Errors
/// When it cannot be read or believed.
pub fn text_of(path: &Path) -> Result<String, ConfigError> {
    Ok(read::text(path, Layer::User, None)?.unwrap_or_default())
}

impl Configuration {
    /// The configuration wherever a call runs: of the managed file and of the user's own, or the one that somebody named in its
    /// place. A named file must exist. [`Configuration::in_workspace`] adds a project's.
    ///
    /// # Errors
    /// When a file cannot be read or believed, or says what we do not understand.
    pub fn load(named: Option<&Path>) -> Result<Self, ConfigError> {
        Self::load_from(named, &Directories::from_environment())
    }

    /// As [`Configuration::load`], with given directories.
    ///
    /// # Errors
    /// As [`Configuration::load`].
    pub fn load_from(named: Option<&Path>, directories: &Directories) -> Result<Self, ConfigError> {
        Ok(Layers::load(named, directories, None)?.configuration())
    }

    /// As [`Configuration::load_from`], for calls of agents, which may have written the user's file: what it has loosened since a person last left it
    /// waits until one says so, and what it said before holds on. What is kept for that lies in the directory for state.
    ///
    /// # Errors
    /// As [`Configuration::load`], and where what is kept cannot be believed.
    pub fn load_for_agents(
        named: Option<&Path>,
        directories: &Directories,
    ) -> Result<Self, ConfigError> {
        Self::load_for_hooks(named, directories, false)
    }

    /// As [`Configuration::load_for_agents`], and whether an agent's settings in the home call us already, so that a directory for state that is gone
    /// makes this no first time.
    ///
    /// # Errors
    /// As [`Configuration::load_for_agents`].
    pub fn load_for_hooks(
        named: Option<&Path>,
        directories: &Directories,
        is_called: bool,
    ) -> Result<Self, ConfigError> {
        let kept = directories.state.as_deref().map(|state| Kept::new(state).called(is_called));
        Ok(Layers::load(named, directories, kept.as_ref())?.configuration())
    }

    /// Where nothing of ours was left in the directory for state yet, keeps a copy of the user's file before anything else is: a record without one
    /// tells hooks that it was taken away.
    pub(crate) fn keep_from_the_start(&self) {
        let directories = self.directories();
        if directories.state.as_deref().is_some_and(|state| Kept::new(state).is_unused()) {
            // A file that is not understood is complained of where it counts.
            let _ = Self::load_for_agents(None, &directories);
        }
    }

    /// What a person should know where the user's file is not as one left it.
    #[must_use]
    pub fn doubt(&self) -> Option<String> {
        let source = self
            .account
            .sources
            .iter()
            .rfind(|source| source.layer == Layer::User && !source.trusted)?;
        let why = source.doubt.as_deref().unwrap_or_default();
        Some(format!("`{}` {why}", source.path.display()))
    }

    /// What the record is to say of a copy of the user's file that was kept, or is another from here on.
    #[must_use]
    pub fn noted(&self) -> Option<Entry> {
        self.layers.noted()
    }

    /// The configuration that a text comes to as the user's file; `path` is what errors name.
    ///
    /// # Errors
    /// [`ConfigError::Mistake`].
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        Ok(Layers::of_text(text, path)?.configuration())
    }

    /// Where our own files are.
    #[must_use]
    pub fn directories(&self) -> Directories {
        self.layers.directories()
    }

    /// Where the record is kept, and what belongs to it; nothing where neither the configuration nor the environment says.
    #[must_use]
    pub fn state(&self) -> Option<PathBuf> {
        self.audit.path.clone().or_else(|| self.directories().state)
    }

    /// The file of a project that has a say about calls in its workspace.
    ///
    /// # Errors
    /// When it cannot be read or believed.
    pub fn project(&self, workspace: &Path) -> Result<Option<ProjectFile>, ConfigError> {
        self.layers.project(workspace)
    }

    /// With the file of a project.
    ///
    /// # Errors
    /// When it says what we do not understand.
    pub fn with_project(&self, file: &ProjectFile) -> Result<Self, ConfigError> {
        Ok(self.layers.with_project(file)?.configuration())
    }

    /// The configuration for calls in a workspace.
    ///
    /// # Errors
    /// As [`Configuration::project`] and [`Configuration::with_project`].
    pub fn in_workspace(&self, workspace: &Path) -> Result<Self, ConfigError> {
        match self.project(workspace)? {
            Some(file) => self.with_project(&file),
            None => Ok(self.clone()),
        }
    }

    /// The same under another approval policy, also in every project: for who runs a gateway and changes it while it runs.
    #[must_use]
    pub fn confirming(&self, policy: ApprovalPolicy) -> Self {
        self.layers.confirming(policy).configuration()
    }

    /// The same with more rules that allow, also in every project: for trying out what they would do.
    #[must_use]
    pub fn allowing(&self, rules: impl IntoIterator<Item = Rule>) -> Self {
        self.layers.allowing(rules).configuration()
    }

    /// The same under a bundle that is not in force, in place of the one that is: to see what it would change.
    ///
    /// # Errors
    /// Where a file of the bundle is not understood.
    pub fn under(&self, held: &Held) -> Result<Self, String> {
        Ok(self.layers.under(held)?.configuration())
    }

    /// By what is kept of the centre now, with every other file as it was read: for who runs for long. Nothing where that is what holds.
    #[must_use]
    pub fn renewed(&self, now: jiff::Timestamp) -> Option<Self> {
        let renewed = self.layers.renewed(now)?.configuration();
        // Where the record is, the caller may have said.
        Some(Self { audit: self.audit.clone(), ..renewed })
    }

    /// Whether only the managed file may loosen a key.
    #[must_use]
    pub fn is_locked(&self, lock: Lock) -> bool {
        self.account.locks.contains(&lock)
    }

    /// The mode that a caller may put in force for a call: any, or one that is nowhere looser where the mode is locked.
    #[must_use]
    pub fn mode_for_call(&self, wanted: Option<Mode>) -> Option<Mode> {
        if !self.is_locked(Lock::Mode) {
            return wanted;
        }
        let options = self.policy.options();
        wanted.filter(|_| combine::is_as_strict(wanted, options.mode, options.dont_ask))
    }

    /// The ensemble of analyzers that judges, where no option names others.
    #[must_use]
    pub fn ensemble(&self) -> Ensemble {
        let Some(analyzers) = &self.analyzers else { return Ensemble::default() };
        let names: Vec<_> = analyzers.iter().map(|analyzer| analyzer.name()).collect();
        // A file that names none is refused, and those that it can name are known.
        Ensemble::from_names(&names.join(",")).unwrap_or_default()
    }

    /// The examples beside its rules, with their files.
    pub fn examples(&self) -> impl Iterator<Item = (&Source, &Example)> {
        self.layers.examples()
    }

    /// The examples of one file, whether they do what they say or not. A file with the name of a project's is read as one.
    ///
    /// # Errors
    /// As [`Configuration::load`].
    pub fn examples_of(path: &Path) -> Result<Vec<Example>, ConfigError> {
        loaded::examples_of(path, layer_of(path))
    }
}

/// Which layer a file is checked as that somebody names.
fn layer_of(path: &Path) -> Layer {
    let is_project = path.file_name().is_some_and(|name| name == PROJECT_FILE_NAME);
    if is_project { Layer::Project } else { Layer::User }
}

/// The JSON schema of the file, for editors.
#[must_use]
pub fn schema() -> String {
    let schema = schemars::schema_for!(File);
    // A schema is made of strings and lists of them, which always serialise.
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    format!("{text}\n")
}

#[cfg(test)]
mod tests;
