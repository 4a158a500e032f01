//! Which tools there are. Owns what belongs to a tool, and that the set of them is closed once it is made: no name twice, none that
//! looks like another, none that agents already know as something else.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
    time::Duration,
};

use portcullis_core::{
    risk::Severity,
    tool::{self, Meaning},
    validate::{PathRules, Validator, expected_kinds},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{Output, Schema, Template, path::Opened, rate};

/// The most tools of one registry.
const MOST: usize = 1_000;

/// The longest name.
const LONGEST_NAME: usize = 64;

/// A tool with everything that holds for it.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does, for agents and people.
    pub description: String,
    /// What it takes.
    pub schema: Schema,
    /// The permissions that a caller needs, all of them. There is no tool for everybody.
    pub permissions: BTreeSet<String>,
    /// How risky it is at least, whatever its arguments.
    pub risk: Severity,
    /// Whether what it does can be undone.
    pub reversible: bool,
    /// Whether it changes nothing; it then runs where nothing can be written.
    pub read_only: bool,
    /// Whether a person is asked each time.
    pub confirm: bool,
    /// What each parameter is held to, beside the schema.
    pub validators: BTreeMap<String, Vec<Validator>>,
    /// Parameters that name a file which the program is handed open.
    pub handed: BTreeSet<String>,
    /// How long it may take.
    pub timeout: Duration,
    /// The most bytes of its answer.
    pub output: usize,
    /// How often it may run in a minute.
    pub rate: Option<u32>,
    /// The sandbox profile that it runs in.
    pub sandbox: String,
    /// What it says of itself, in the words of MCP.
    pub hints: Hints,
    /// What it does.
    pub does: Does,
}

/// What a tool does.
#[derive(Clone)]
#[non_exhaustive]
pub enum Does {
    /// It runs a program.
    Program(Program),
    /// It calls a function of this process, which no sandbox holds.
    Function(Arc<dyn Function>),
    /// It runs its argument `command` in a shell, in its sandbox. Only for the name that agents know a shell by.
    Shell,
}

/// A program that is a tool.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its command line.
    pub command: Template,
    /// Where it starts, seen from the workspace.
    pub directory: String,
    /// Its environment, beside what every program is told.
    pub environment: BTreeMap<String, String>,
    /// Variables of ours that it is told.
    pub passes: BTreeSet<String>,
}

/// A function that is a tool.
pub trait Function: Send + Sync {
    /// Does it. The files that its path parameters name are open: it should use those, and not the paths.
    ///
    /// # Errors
    /// What went wrong, for the agent.
    fn call(
        &self,
        arguments: &Map<String, Value>,
        opened: &BTreeMap<String, Vec<Opened>>,
    ) -> Result<Output, String>;
}

impl fmt::Debug for Does {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(program) => program.fmt(f),
            Self::Function(_) => f.write_str("Function"),
            Self::Shell => f.write_str("Shell"),
        }
    }
}

/// What a tool says of itself. Nobody has to believe it: a hint raises what holds for the tool, and never lowers it.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Hints {
    /// It says that it changes nothing. That is not believed.
    pub read_only_hint: Option<bool>,
    /// It says that it destroys.
    pub destructive_hint: Option<bool>,
    /// It says that doing it twice is doing it once. That is not believed.
    pub idempotent_hint: Option<bool>,
    /// It says that it reaches outside.
    pub open_world_hint: Option<bool>,
}

/// Why there is no registry.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// Two tools have a name.
    #[error("the tool `{0}` is there twice")]
    Duplicate(String),
    /// Two tools have names that cannot be told apart.
    #[error("the tools `{0}` and `{1}` have names that cannot be told apart")]
    Confusable(String, String),
    /// The name is none.
    #[error(
        "`{0}` is not a name for a tool: it takes up to 64 small letters, digits, `-` and `_`, the first one a letter"
    )]
    BadName(String),
    /// The name means something else to agents.
    #[error("`{0}` is the name of a tool that agents know already")]
    Known(String),
    /// There are too many.
    #[error("there are more than {MOST} tools")]
    TooMany,
    /// A tool cannot be what it says.
    #[error("the tool `{tool}`: {why}")]
    Tool {
        /// Which.
        tool: String,
        /// Why.
        why: String,
    },
}

/// The tools of an agent. It cannot be changed: an agent that gets another tool gets another registry.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    tools: Arc<BTreeMap<String, Arc<Tool>>>,
}

impl Registry {
    /// A registry of tools.
    ///
    /// # Errors
    /// [`RegistryError`] for the first tool that cannot be in it.
    pub fn new(tools: impl IntoIterator<Item = Tool>) -> Result<Self, RegistryError> {
        Self::with_known(tools, [])
    }

    /// A registry with tools that have the names by which agents know them, because they are what those names say.
    ///
    /// # Errors
    /// As [`Registry::new`].
    pub(crate) fn with_known(
        tools: impl IntoIterator<Item = Tool>,
        known: impl IntoIterator<Item = Tool>,
    ) -> Result<Self, RegistryError> {
        let mut registry = Self::default();
        let mut by_look: BTreeMap<String, String> = BTreeMap::new();
        let mut by_name: BTreeMap<String, Arc<Tool>> = BTreeMap::new();
        let tools = tools.into_iter().map(|tool| (tool, false));
        for (tool, is_ours) in known.into_iter().map(|tool| (tool, true)).chain(tools) {
            let is_first = |letter: char| letter.is_ascii_lowercase();
            let is_any =
                |letter: char| is_first(letter) || letter.is_ascii_digit() || "-_".contains(letter);
            let name = tool.name.clone();
            if name.len() > LONGEST_NAME || !name.starts_with(is_first) || !name.chars().all(is_any)
            {
                return Err(RegistryError::BadName(name));
            }
            if !is_ours && (tool.is_known() || matches!(tool.does, Does::Shell)) {
                return Err(RegistryError::Known(name));
            }
            if by_name.contains_key(&name) {
                return Err(RegistryError::Duplicate(name));
            }
            if let Some(other) = by_look.insert(tool::skeleton(&name), name.clone()) {
                return Err(RegistryError::Confusable(other, name));
            }
            if by_name.len() >= MOST {
                return Err(RegistryError::TooMany);
            }
            tool.is_sound().map_err(|why| RegistryError::Tool { tool: name.clone(), why })?;
            by_name.insert(name, Arc::new(tool));
        }
        registry.tools = Arc::new(by_name);
        Ok(registry)
    }

    /// A tool.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<Tool>> {
        self.tools.get(name)
    }

    /// Every tool, by name.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.tools.values()
    }

    /// The names of the tools that somebody with these permissions may use.
    #[must_use]
    pub fn allowed_tools(&self, permissions: &BTreeSet<String>) -> Vec<&str> {
        let is_allowed = |tool: &&Arc<Tool>| tool.is_permitted(permissions);
        self.tools.values().filter(is_allowed).map(|tool| tool.name.as_str()).collect()
    }

    /// What identifies all of it: another tool, or another word in one, is another registry.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for tool in self.tools.values() {
            hash.update(tool.digest());
        }
        format!("sha256:{}", data_encoding::HEXLOWER.encode(&hash.finalize()))
    }
}

impl Tool {
    /// Whether its name is one by which agents know what it does: what a call of it means is then read, and not only what its author says.
    #[must_use]
    pub fn is_known(&self) -> bool {
        tool::meaning(&self.name) != Meaning::Other || self.name.starts_with(tool::MCP_PREFIX)
    }

    /// Whether somebody with these permissions may use it.
    #[must_use]
    pub fn is_permitted(&self, permissions: &BTreeSet<String>) -> bool {
        !self.permissions.is_empty() && self.permissions.is_subset(permissions)
    }

    /// The least that its risk is: what its author says and what it says of itself, whichever is more.
    #[must_use]
    pub fn least_risk(&self) -> Severity {
        let hinted = match self.hints {
            Hints { destructive_hint: Some(true), .. } => Severity::High,
            Hints { open_world_hint: Some(true), .. } => Severity::Medium,
            _ => Severity::Safe,
        };
        self.risk.max(hinted)
    }

    /// Whether it can be undone, as far as anybody says so.
    #[must_use]
    pub fn is_reversible(&self) -> bool {
        self.reversible && self.hints.destructive_hint != Some(true)
    }

    /// The rules of the paths that it takes.
    pub fn paths(&self) -> impl Iterator<Item = (&str, &PathRules)> {
        self.validators.iter().flat_map(|(name, validators)| {
            validators.iter().filter_map(|validator| match validator {
                Validator::Path(rules) => Some((name.as_str(), rules)),
                Validator::Archive(rules) => Some((name.as_str(), &rules.path)),
                _ => None,
            })
        })
    }

    /// What identifies its definition.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let does = match &self.does {
            Does::Program(program) => format!("{program:?}"),
            Does::Function(_) => "function".to_owned(),
            Does::Shell => "shell".to_owned(),
        };
        let definition = json!([
            self.name,
            self.description,
            self.schema.document(),
            self.permissions,
            self.risk,
            self.reversible,
            self.read_only,
            self.confirm,
            format!("{:?}", self.validators),
            self.handed,
            self.timeout.as_millis().to_string(),
            self.output,
            self.rate,
            self.sandbox,
            self.hints,
            does,
        ]);
        Sha256::digest(definition.to_string()).into()
    }

    /// How agents are told of it: as a tool of a model's interface.
    #[must_use]
    pub fn described(&self) -> Value {
        json!({
            "name": self.name,
            "description": self.description,
            "input_schema": self.schema.document(),
        })
    }

    fn is_sound(&self) -> Result<(), String> {
        if self.description.trim().is_empty() {
            return Err("it has no description".to_owned());
        }
        if self.permissions.is_empty() {
            return Err("it names no permission that a caller needs; a tool is not for everybody"
                .to_owned());
        }
        if self.timeout.is_zero() || self.timeout > Duration::from_secs(24 * 60 * 60) {
            return Err("its `timeout` is not between one second and a day".to_owned());
        }
        if self.rate.is_some_and(|rate| rate == 0 || rate > rate::MOST) {
            return Err(format!("its `rate` is not between 1 and {} times a minute", rate::MOST));
        }
        let names: BTreeSet<&str> = self.schema.names().collect();
        for name in self.validators.keys().chain(&self.handed).map(String::as_str) {
            if !names.contains(name) {
                return Err(format!("`{name}` is checked, and is no parameter"));
            }
        }
        let writes = self.paths().any(|(_, rules)| !rules.write.is_empty());
        if self.read_only && (writes || self.sandbox != "read-only") {
            return Err("it is said to be read-only, and may write".to_owned());
        }
        if writes && self.sandbox == "read-only" {
            return Err("it takes paths to write, and its sandbox is `read-only`".to_owned());
        }
        for (name, rules) in self.paths() {
            if rules.read.is_empty() && rules.write.is_empty() {
                return Err(format!(
                    "`{name}` is a path without a place: name `read` or `write` directories"
                ));
            }
        }
        for validators in self.validators.values() {
            for validator in validators {
                if let Validator::Url(rules) = validator {
                    rules.policy().map_err(|refused| refused.message)?;
                }
            }
        }
        for name in &self.handed {
            if !self.paths().any(|(path, _)| path == name) {
                return Err(format!("`{name}` is handed open, and is no path"));
            }
        }
        for name in names {
            self.is_held(name)?;
        }
        Ok(())
    }

    /// Whether a parameter that means something is held to what it means.
    fn is_held(&self, name: &str) -> Result<(), String> {
        let Some(kinds) = expected_kinds(name) else { return Ok(()) };
        let property = self.schema.property(name);
        let is_text = |property: &Value| {
            property.get("type") == Some(&json!("string")) || property.get("type").is_none()
        };
        let takes_text = is_text(property) || property.get("items").is_some_and(is_text);
        let is_chosen = property.get("enum").is_some() || property.get("const").is_some();
        // An empty list is somebody's decision; none at all is nobody's.
        let Some(validators) = self.validators.get(name) else {
            if !takes_text || is_chosen {
                return Ok(());
            }
            let kinds = kinds.join("` or `");
            return Err(format!("the parameter `{name}` needs a `check` of the kind `{kinds}`"));
        };
        if !validators.is_empty()
            && !validators.iter().any(|validator| kinds.contains(&validator.kind()))
        {
            let kinds = kinds.join("` or `");
            return Err(format!("the parameter `{name}` is not held to `{kinds}`"));
        }
        Ok(())
    }
}
