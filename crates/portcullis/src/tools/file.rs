//! The file in which a person makes programs into tools. Owns its form (`tools.toml`), and that it is believed only where nobody else could
//! have written it.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    time::Duration,
};

use portcullis_core::{
    intervention::{BadPattern, InterventionOptions, InterventionPolicy},
    monitor::Limits,
    risk::Severity,
    validate::Validator,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Does, Fatality, Hints, Program, Registry, RegistryError, Schema, Template, Tool};
use crate::{
    platform::Directories,
    private::{self, Unbelievable},
};

/// The longest file.
const LONGEST: u64 = 1 << 20;

/// The version of the form.
const VERSION: u64 = 1;

/// What a tools file says.
#[derive(Clone, Debug, Default)]
pub struct ToolsFile {
    /// The tools.
    pub registry: Registry,
    /// What those may do who call without a name.
    pub permissions: BTreeSet<String>,
    /// What others may do.
    pub callers: BTreeMap<String, Caller>,
    /// When a person must agree.
    pub intervention: InterventionPolicy,
    /// What one execution may do.
    pub limits: Limits,
    /// Which codes end an execution.
    pub fatality: Fatality,
}

/// Somebody who calls.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Caller {
    /// What they may do.
    pub permissions: BTreeSet<String>,
}

/// Why a tools file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// It cannot be believed, or read.
    #[error("cannot use the tools in `{}`: {why}", path.display())]
    Unbelievable {
        /// Which.
        path: PathBuf,
        /// Why.
        why: Unbelievable,
    },
    /// It says what we do not understand.
    #[error("the tools in `{}`: {why}", path.display())]
    Malformed {
        /// Which.
        path: PathBuf,
        /// Why, with the line.
        why: String,
    },
    /// Its tools cannot be tools.
    #[error("the tools in `{}`: {why}", path.display())]
    Registry {
        /// Which.
        path: PathBuf,
        /// Why.
        why: RegistryError,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    v: u64,
    #[serde(default)]
    permissions: BTreeSet<String>,
    #[serde(default)]
    callers: BTreeMap<String, Caller>,
    #[serde(default)]
    tools: BTreeMap<String, WrittenTool>,
    #[serde(default)]
    intervention: WrittenIntervention,
    #[serde(default)]
    limits: WrittenLimits,
    #[serde(default)]
    fatal: BTreeMap<String, bool>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct WrittenIntervention {
    always_confirm_tools: Vec<String>,
    risk_threshold: Option<Severity>,
    confirm_unknown: Option<bool>,
    confirm_irreversible: Option<bool>,
    sensitive_patterns: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct WrittenLimits {
    max_iterations: Option<u64>,
    max_execution_time_seconds: Option<u64>,
    actions_per_minute: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WrittenTool {
    description: String,
    command: Vec<Value>,
    permissions: BTreeSet<String>,
    #[serde(default = "medium")]
    risk: Severity,
    #[serde(default)]
    reversible: bool,
    #[serde(default)]
    read_only: bool,
    #[serde(default)]
    confirm: bool,
    #[serde(default)]
    parameters: BTreeMap<String, WrittenParameter>,
    schema: Option<Value>,
    #[serde(default)]
    checks: BTreeMap<String, Checks>,
    #[serde(default = "half_a_minute")]
    timeout: u64,
    #[serde(default = "quarter_of_a_mebibyte")]
    output: usize,
    rate: Option<u32>,
    #[serde(default = "read_only")]
    sandbox: String,
    #[serde(default = "here")]
    directory: String,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    #[serde(default)]
    pass_environment: BTreeSet<String>,
    #[serde(default)]
    hints: Hints,
}

#[derive(Deserialize)]
struct WrittenParameter {
    check: Option<Checks>,
    required: Option<bool>,
    #[serde(default)]
    handed: bool,
    /// The words of JSON Schema.
    #[serde(flatten)]
    schema: Map<String, Value>,
}

/// One validator, or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum Checks {
    One(Validator),
    Several(Vec<Validator>),
}

impl Checks {
    fn list(self) -> Vec<Validator> {
        match self {
            Self::One(one) => vec![one],
            Self::Several(several) => several,
        }
    }
}

const fn medium() -> Severity {
    Severity::Medium
}

const fn half_a_minute() -> u64 {
    30
}

const fn quarter_of_a_mebibyte() -> usize {
    256 << 10
}

fn read_only() -> String {
    "read-only".to_owned()
}

fn here() -> String {
    ".".to_owned()
}

/// Where a person's own tools are written.
#[must_use]
pub fn default_path(directories: &Directories) -> Option<PathBuf> {
    directories.configuration.as_ref().map(|directory| directory.join("tools.toml"))
}

impl ToolsFile {
    /// Reads a file that only this user may write.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let malformed = |why: String| FileError::Malformed { path: path.to_owned(), why };
        let bytes = private::read(path, LONGEST)
            .map_err(|why| FileError::Unbelievable { path: path.to_owned(), why })?;
        let text =
            String::from_utf8(bytes).map_err(|_| malformed("it is not UTF-8 text".to_owned()))?;
        match Self::parse(&text) {
            Ok(Ok(file)) => Ok(file),
            Ok(Err(why)) => Err(FileError::Registry { path: path.to_owned(), why }),
            Err(why) => Err(malformed(why)),
        }
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// Outside, what is wrong with the text; inside, what is wrong with its tools.
    pub fn parse(text: &str) -> Result<Result<Self, RegistryError>, String> {
        let written: Written = toml::from_str(text).map_err(|error| {
            let line = error
                .span()
                .and_then(|span| text.get(..span.start))
                .map(|before| before.matches('\n').count() + 1);
            let what = error.message().lines().collect::<Vec<_>>().join(": ");
            line.map_or_else(|| what.clone(), |line| format!("line {line}: {what}"))
        })?;
        if written.v != VERSION {
            return Err(format!(
                "it has the version {}, and this program reads {VERSION}",
                written.v
            ));
        }
        let tools = written.tools.into_iter().map(|(name, tool)| {
            made(name.clone(), tool).map_err(|why| RegistryError::Tool { tool: name, why })
        });
        let registry = tools.collect::<Result<Vec<_>, _>>().and_then(Registry::new);
        let intervention = intervention(written.intervention).map_err(|error| error.to_string())?;
        if let Some(code) = written.fatal.keys().find(|code| !CODES.contains(&code.as_str())) {
            return Err(format!("`{code}` under `fatal` is none of {}", CODES.join(", ")));
        }
        let documented = Limits::default();
        let limits = Limits {
            max_iterations: written.limits.max_iterations.or(documented.max_iterations),
            max_time: written
                .limits
                .max_execution_time_seconds
                .map(Duration::from_secs)
                .or(documented.max_time),
            actions_per_minute: written.limits.actions_per_minute.or(documented.actions_per_minute),
            ..documented
        };
        let file = |registry| Self {
            registry,
            permissions: written.permissions,
            callers: written.callers,
            intervention,
            limits,
            fatality: Fatality(written.fatal),
        };
        Ok(registry.map(file))
    }
}

/// Codes of checks whose weight can be said.
const CODES: &[&str] = &[
    "tool_not_allowed",
    "insufficient_permissions",
    "invalid_parameters",
    "resource_limit_exceeded",
    "dangerous_pattern",
];

fn intervention(written: WrittenIntervention) -> Result<InterventionPolicy, BadPattern> {
    let documented = InterventionOptions::default();
    InterventionPolicy::new(InterventionOptions {
        always_confirm_tools: written.always_confirm_tools,
        risk_threshold: written.risk_threshold.unwrap_or(documented.risk_threshold),
        confirm_unknown: written.confirm_unknown.unwrap_or(documented.confirm_unknown),
        confirm_irreversible: written
            .confirm_irreversible
            .unwrap_or(documented.confirm_irreversible),
        sensitive_patterns: written.sensitive_patterns,
    })
}

fn made(name: String, written: WrittenTool) -> Result<Tool, String> {
    if written.schema.is_some() && !written.parameters.is_empty() {
        return Err("it has both a `schema` and `parameters`".to_owned());
    }
    let mut validators: BTreeMap<String, Vec<Validator>> =
        written.checks.into_iter().map(|(name, checks)| (name, checks.list())).collect();
    let mut handed = BTreeSet::new();
    let document = match written.schema {
        Some(schema) => schema,
        None => {
            let (mut properties, mut required) = (Map::new(), Vec::new());
            for (name, parameter) in written.parameters {
                if parameter.required.unwrap_or(!parameter.schema.contains_key("default")) {
                    required.push(name.clone());
                }
                if parameter.handed {
                    handed.insert(name.clone());
                }
                if let Some(checks) = parameter.check {
                    validators.insert(name.clone(), checks.list());
                }
                if !parameter.schema.contains_key("type") {
                    return Err(format!("the parameter `{name}` has no `type`"));
                }
                properties.insert(name, Value::Object(parameter.schema));
            }
            json!({"type": "object", "properties": properties, "required": required})
        }
    };
    let schema = Schema::new(document).map_err(|error| format!("its schema: {error}"))?;
    let command =
        Template::read(&written.command, schema.names()).map_err(|error| error.to_string())?;
    if let Some(unused) = schema.names().find(|name| !command.places().any(|place| place == *name))
    {
        return Err(format!("the parameter `{unused}` is used nowhere in the command"));
    }
    Ok(Tool {
        name,
        description: written.description,
        schema,
        permissions: written.permissions,
        risk: written.risk,
        reversible: written.reversible,
        read_only: written.read_only,
        confirm: written.confirm,
        validators,
        handed,
        timeout: Duration::from_secs(written.timeout),
        output: written.output,
        rate: written.rate,
        sandbox: written.sandbox,
        hints: written.hints,
        does: Does::Program(Program {
            command,
            directory: written.directory,
            environment: written.environment,
            passes: written.pass_environment,
        }),
    })
}
