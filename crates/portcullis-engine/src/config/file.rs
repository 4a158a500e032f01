//! The file as it is written. Owns its keys and words, and the schema that comes of them; what they mean is in
//! `part`.

use std::{collections::BTreeMap, fmt, path::PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, Visitor, value::MapAccessDeserializer},
};
use toml::Spanned;

use super::{
    central::CentralTable,
    chat::ChatTable,
    contracts::ContractsTable,
    error::{Misreading, nearest},
    gateway::GatewayTable,
    guardian::GuardianTable,
    hook::{Approve, OnHookFailure, UnknownTools},
    injection::InjectionTable,
    level::Level,
    lock::Lock,
    mcp::McpTable,
    monitor::MonitorTable,
    network::NetworkTable,
    sandbox::SandboxTable,
    serve::ServeTable,
    team::TeamTable,
    trial::{TryTable, UndoTable},
};

/// The configuration of portcullis. Every key may be left out.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "portcullis configuration")]
pub struct File {
    /// The permission mode that is enforced. Without it the mode layer is off, and risk speaks.
    pub mode: Option<ModeWord>,
    /// Keeps the mode `bypassPermissions` out, whoever asks for it. Once a layer sets it, no other sets it back.
    pub disable_bypass: Option<bool>,
    /// What the mode `dontAsk` does with what it would ask; `allow-quietly` by default.
    pub dont_ask: Option<DontAskWord>,
    /// Which risks need a person: a preset by name, or a table.
    pub confirmation: Option<Confirm>,
    /// What is allowed, asked about and denied whatever its risk.
    pub rules: Rules,
    /// What becomes of the findings of rules, by rule id or a beginning of ids with `.*`.
    #[schemars(with = "BTreeMap<String, Severity>")]
    pub severity: BTreeMap<Spanned<String>, Severity>,
    /// The classes of tools by name. For a tool that portcullis understands a class can only be raised.
    pub classes: BTreeMap<String, ClassWord>,
    /// Rules that nobody can approve, by rule id or a beginning of ids with `.*`, beside the built-in ones.
    #[schemars(with = "Vec<String>")]
    pub floors: Vec<Spanned<String>>,
    /// How the record is kept. Never in a project's file.
    #[schemars(with = "Option<AuditTable>")]
    pub audit: Option<Spanned<AuditTable>>,
    /// Judge with just these analyzers.
    #[schemars(with = "Option<Vec<Analyzer>>")]
    pub analyzers: Option<Spanned<Vec<Analyzer>>>,
    /// What a hook inside a coding agent does beside judging.
    pub hook: HookTable,
    /// A gateway that has a say in what hooks judge.
    #[schemars(with = "Option<GatewayTable>")]
    pub gateway: Option<Spanned<GatewayTable>>,
    /// What a session may do in all, and what follows from what is noticed about its calls.
    pub monitor: MonitorTable,
    /// The files that a call would start. Never in a project's file.
    #[schemars(with = "Option<FilesTable>")]
    pub files: Option<Spanned<FilesTable>>,
    /// What follows from what a person asked for.
    pub session: SessionTable,
    /// Where `fetch`, `proxy` and `url` may connect.
    pub network: NetworkTable,
    /// A model that answers for a person where the policy asks. Never in a project's file.
    #[schemars(with = "Option<GuardianTable>")]
    pub guardian: Option<Spanned<GuardianTable>>,
    /// Who else is asked about planted instructions. Never in a project's file.
    #[schemars(with = "Option<InjectionTable>")]
    pub injection: Option<Spanned<InjectionTable>>,
    /// What tools do that only their servers know. Never in a project's file.
    #[schemars(with = "Option<ContractsTable>")]
    pub contracts: Option<Spanned<ContractsTable>>,
    /// Profiles of `sandbox run`. Never in a project's file.
    #[schemars(with = "Option<SandboxTable>")]
    pub sandbox: Option<Spanned<SandboxTable>>,
    /// MCP servers that `serve` stands in front of. Never in a project's file.
    #[schemars(with = "Option<McpTable>")]
    pub mcp: Option<Spanned<McpTable>>,
    /// Where `serve` keeps what counts, where many gateways share it, and whom it tells what it does. Never in a project's file.
    #[schemars(with = "Option<ServeTable>")]
    pub serve: Option<Spanned<ServeTable>>,
    /// Who works with a gateway: how people log in, what they may do, projects, agents. Never in a project's file.
    #[schemars(with = "Option<TeamTable>")]
    pub team: Option<Spanned<TeamTable>>,
    /// Who is told of requests, and what people may decide in a chat. Never in a project's file.
    #[schemars(with = "Option<ChatTable>")]
    pub chat: Option<Spanned<ChatTable>>,
    /// Trials of what is not understood, before anybody is asked. Never in a project's file.
    #[schemars(with = "Option<TryTable>")]
    pub r#try: Option<Spanned<TryTable>>,
    /// What is kept before actions that lose files, and what that spares. Never in a project's file.
    #[schemars(with = "Option<UndoTable>")]
    pub undo: Option<Spanned<UndoTable>>,
    /// The template of what `policy template` tells an agent: an absolute path, or nothing to tell it nothing. Never in a project's file.
    #[schemars(with = "Option<String>")]
    pub security_policy: Option<Spanned<String>>,
    /// A policy that a centre signs for many machines. Never in a project's file.
    #[schemars(with = "Option<CentralTable>")]
    pub central: Option<Spanned<CentralTable>>,
    /// What the layers below may not loosen. Only in the managed file and in bundles of a centre.
    #[schemars(with = "Option<ManagedTable>")]
    pub managed: Option<Spanned<ManagedTable>>,
}

/// A permission mode.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "camelCase")]
pub enum ModeWord {
    /// Reads go on, everything else is asked about.
    Default,
    /// Only reads.
    Plan,
    /// Reads and edits in the workspace go on.
    AcceptEdits,
    /// What would be asked about goes on, or is denied: see `dont_ask`.
    DontAsk,
    /// Everything goes on that no rule and no floor stops.
    BypassPermissions,
}

/// What the mode `dontAsk` does with what it would ask.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum DontAskWord {
    /// It goes on.
    AllowQuietly,
    /// It is denied.
    DenyQuietly,
}

/// Which risks need a person.
#[derive(Clone, Debug)]
pub enum Confirm {
    /// A preset.
    Preset(Preset),
    /// In detail.
    Table(ConfirmTable),
}

/// One of the approval policies of rlm-code.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// Nothing is asked about.
    AutoApprove,
    /// Everything that is not safe is denied.
    AutoDeny,
    /// Everything is asked about.
    ConfirmAll,
    /// High and critical risks are asked about.
    ConfirmHighRisk,
    /// Medium risks and above are asked about.
    ConfirmMediumAndUp,
    /// As `confirm_high_risk`.
    Custom,
}

/// Which risks need a person, in detail.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConfirmTable {
    /// What happens.
    pub policy: ConfirmWord,
    /// The lowest risk that it happens to.
    #[schemars(with = "Option<Level>")]
    pub threshold: Option<Spanned<Level>>,
    /// Whether it happens to a risk that is unknown too.
    #[schemars(with = "Option<bool>")]
    pub confirm_unknown: Option<Spanned<bool>>,
}

/// What a confirmation policy does.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum ConfirmWord {
    /// Asks about everything.
    Always,
    /// Asks about nothing.
    Never,
    /// Asks from the threshold on, `high` by default.
    #[default]
    Risky,
    /// Denies from the threshold on, `low` by default, and what is unknown.
    Refuse,
}

/// What follows from what a person asked for.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionTable {
    /// What is not asked about again where the person asked for it by word and name. Floors, secrets that are sent, and what comes after
    /// planted instructions are asked about in any case.
    pub asked_for: Option<AskedForTable>,
}

/// What is not asked about again.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskedForTable {
    /// Up to which risk.
    pub max_risk: Level,
}

/// Rules such as `Bash(git status)`, `Read(~/notes/**)`, `WebFetch(domain:example.com)`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// What goes on without being asked about. Never what a floor names.
    #[schemars(with = "Vec<RuleEntry>")]
    pub allow: Vec<Spanned<RuleEntry>>,
    /// What is asked about.
    #[schemars(with = "Vec<RuleEntry>")]
    pub ask: Vec<Spanned<RuleEntry>>,
    /// What is denied.
    #[schemars(with = "Vec<RuleEntry>")]
    pub deny: Vec<Spanned<RuleEntry>>,
}

/// A rule, alone or in a table.
#[derive(Clone, Debug)]
pub enum RuleEntry {
    /// A rule alone.
    Rule(String),
    /// With why it is there, and examples.
    Table(RuleTable),
}

/// A rule with why it is there, and examples that are tried whenever the file is read.
///
/// An example of a rule for `Bash`, or for a finding, is a command. An example of any other rule is a tool and what it is
/// called with: `Read src/main.rs`, `WebFetch https://example.com/`, `mcp__notes__search {"query": "x"}`. The working directory
/// and workspace of examples is `/workspace`, the home directory `/home/user`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleTable {
    /// The rule.
    #[schemars(with = "String")]
    pub rule: Spanned<String>,
    /// Why it is there; whoever is stopped by it reads this.
    #[serde(default)]
    pub reason: Option<String>,
    /// In a rule that allows: it lets nothing through above this severity, whatever it matches.
    #[serde(default)]
    #[schemars(with = "Option<Level>")]
    pub up_to: Option<Spanned<Level>>,
    /// What it must match.
    #[serde(default, rename = "match")]
    #[schemars(with = "Vec<String>")]
    pub matches: Vec<Spanned<String>>,
    /// What it must not match.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub no_match: Vec<Spanned<String>>,
}

/// What becomes of a rule's findings.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Severity {
    /// The severity that they have, or `off`.
    pub level: LevelOrOff,
    /// Why; it stands here for whoever reads this next.
    #[schemars(with = "String")]
    pub reason: Spanned<String>,
}

/// A level of risk, or none at all.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum LevelOrOff {
    /// The rule says nothing.
    Off,
    /// Shows something.
    Safe,
    /// Reads, or is undone with ease.
    Low,
    /// Changes something that can be brought back.
    Medium,
    /// Hard to undo.
    High,
    /// Cannot be undone.
    Critical,
}

/// The class of a tool.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum ClassWord {
    /// Only reads.
    ReadOnly,
    /// Changes files in the workspace.
    Edit,
    /// Talks to the network.
    Network,
    /// Runs programs.
    Execute,
    /// Deletes, or runs whatever it likes.
    Destructive,
}

/// How the record is kept.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AuditTable {
    /// Whether there is one; there is by default.
    pub enabled: Option<bool>,
    /// Its directory, absolute.
    #[schemars(with = "Option<PathBuf>")]
    pub path: Option<Spanned<PathBuf>>,
    /// What happens to a call that cannot be recorded; `deny` by default.
    pub on_failure: Option<OnFailureWord>,
}

/// The files that a call would start: scripts, what they load, what builds run.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct FilesTable {
    /// Whether they are read before the call is judged; they are by default. How much of them is read is no setting.
    pub read: Option<bool>,
}

/// What happens to a call that cannot be recorded.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum OnFailureWord {
    /// It is denied.
    Deny,
    /// It goes on with a warning.
    Warn,
}

/// What the layers below may not loosen.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ManagedTable {
    /// The keys that the user's and a project's file can only make stricter.
    pub lock: Vec<Lock>,
}

/// What a hook inside a coding agent does beside judging.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HookTable {
    /// Which allowed calls are approved in the agent's place; `never` by default.
    pub approve: Option<Approve>,
    /// What happens to a call that could not be judged; `deny` by default.
    pub on_failure: Option<OnHookFailure>,
    /// Who is asked about a tool that only the agent knows; `agent` by default.
    pub unknown_tools: Option<UnknownTools>,
    /// Whether the desktop shows that a person is asked; not by default.
    pub notify: Option<bool>,
    /// Whether the permission mode that the agent names is enforced; not by default.
    pub enforce_mode: Option<bool>,
}

/// An analyzer of the ensemble.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum Analyzer {
    /// Our own rules.
    Rules,
    /// OpenHands' pattern analyzer.
    Pattern,
    /// OpenHands' policy rails.
    PolicyRail,
    /// What the agent itself says of the risk.
    Declared,
    /// Says nothing.
    NoOp,
}

impl Analyzer {
    /// Its word in the file, on the command line and in the core.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Pattern => "pattern",
            Self::PolicyRail => "policy-rail",
            Self::Declared => "declared",
            Self::NoOp => "no-op",
        }
    }
}

impl File {
    /// Reads a file's text.
    pub(super) fn read(text: &str) -> Result<Self, Misreading> {
        toml::from_str(text).map_err(|error| {
            let message = error.message().lines().collect::<Vec<_>>().join(": ");
            let misreading = Misreading::new(error.span().unwrap_or(0..0), message);
            match suggestion(&misreading.message) {
                Some(help) => misreading.with_help(help),
                None => misreading,
            }
        })
    }
}

/// Serde names what it found first and what it expected after it, each in backticks.
pub fn suggestion(message: &str) -> Option<String> {
    if !message.starts_with("unknown field") && !message.starts_with("unknown variant") {
        return None;
    }
    let mut words = message.split('`').skip(1).step_by(2);
    let found = words.next()?;
    nearest(found, words).map(|name| format!("did you mean `{name}`?"))
}

impl<'de> Deserialize<'de> for Confirm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ConfirmVisitor)
    }
}

struct ConfirmVisitor;

impl<'de> Visitor<'de> for ConfirmVisitor {
    type Value = Confirm;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the name of a preset, or a table with `policy`, `threshold` and `confirm_unknown`",
        )
    }

    fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<Confirm, E> {
        let word = serde::de::value::StrDeserializer::<serde::de::value::Error>::new(word);
        Preset::deserialize(word).map(Confirm::Preset).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Confirm, A::Error> {
        let table = ConfirmTable::deserialize(MapAccessDeserializer::new(map));
        table.map(Confirm::Table).map_err(A::Error::custom)
    }
}

impl JsonSchema for Confirm {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Confirmation".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let preset = generator.subschema_for::<Preset>();
        let table = generator.subschema_for::<ConfirmTable>();
        json_schema!({ "anyOf": [preset, table] })
    }
}

impl<'de> Deserialize<'de> for RuleEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RuleVisitor)
    }
}

struct RuleVisitor;

impl<'de> Visitor<'de> for RuleVisitor {
    type Value = RuleEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a rule, or a table with `rule`, `reason`, `up_to`, `match` and `no_match`")
    }

    fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<RuleEntry, E> {
        Ok(RuleEntry::Rule(word.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RuleEntry, A::Error> {
        let table = RuleTable::deserialize(MapAccessDeserializer::new(map));
        table.map(RuleEntry::Table).map_err(A::Error::custom)
    }
}

impl JsonSchema for RuleEntry {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "RuleEntry".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let rule = generator.subschema_for::<String>();
        let table = generator.subschema_for::<RuleTable>();
        json_schema!({ "anyOf": [rule, table] })
    }
}
