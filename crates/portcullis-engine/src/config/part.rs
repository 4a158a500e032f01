//! From one file as written to what it says by itself. Owns what its words mean and which of them contradict each other;
//! what holds when several files speak, [`super::combine`] knows.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use portcullis_core::{
    assessment::ActionClass,
    policy::{
        Adjustment, ApprovalPolicy, Change, Confirmation, DEFAULT_FLOORS, DontAsk, Mode, Rule,
    },
    risk::Severity as RiskLevel,
    rules,
};
use toml::Spanned;

use super::{
    Layer, McpServer, OnFailure,
    central::{Central, central_of},
    chat::{Chat, chat_of},
    contracts::{Contracts, contracts_of},
    error::{Misreading, nearest},
    example::{Example, List},
    file::{
        Analyzer, AuditTable, ClassWord, Confirm, ConfirmTable, ConfirmWord, DontAskWord, File,
        HookTable, LevelOrOff, ModeWord, OnFailureWord, Preset, RuleEntry, Severity,
    },
    gateway::{Gateway, gateway_of},
    guardian::guardian_of,
    injection::classifier_of,
    level::level_of,
    lock::Lock,
    mcp::servers_of,
    monitor::MonitorTable,
    network::{NetworkPart, network_of},
    sandbox::profiles_of,
    serve::{Serve, serve_of},
    server_contracts::server_contracts_of,
    team::{Team, team_of},
    trial::{TrialPart, trials_of},
};
use crate::{
    guardian::Settings,
    sandbox::{Contracted, Custom},
};

/// What one file says. What it leaves out is `None` or empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub(super) mode: Option<Mode>,
    pub(super) disable_bypass: Option<bool>,
    pub(super) dont_ask: Option<DontAsk>,
    pub(super) confirmation: Option<Confirmation>,
    pub(super) allow: Vec<Rule>,
    pub(super) ask: Vec<Rule>,
    pub(super) deny: Vec<Rule>,
    pub(super) adjustments: Vec<Adjustment>,
    pub(super) classes: Vec<(String, ActionClass)>,
    pub(super) floors: Vec<String>,
    pub(super) audit: AuditPart,
    pub(super) analyzers: Option<Vec<Analyzer>>,
    pub(super) hook: HookTable,
    pub(super) gateway: Option<Gateway>,
    pub(super) monitor: MonitorTable,
    pub(super) reads_files: Option<bool>,
    pub(super) asked_for: Option<RiskLevel>,
    pub(super) network: NetworkPart,
    pub(super) guardian: Option<Settings>,
    pub(super) classifier: Option<Settings>,
    pub(super) contracts: Option<Contracts>,
    pub(super) server_contracts: BTreeMap<String, Contracted>,
    pub(super) sandbox: BTreeMap<String, Custom>,
    pub(super) mcp: BTreeMap<String, McpServer>,
    pub(super) serve: Option<Serve>,
    pub(super) team: Option<Team>,
    pub(super) chat: Option<Chat>,
    pub(super) trials: TrialPart,
    pub(super) security_policy: Option<String>,
    pub(super) central: Option<Central>,
    pub(super) locks: Vec<Lock>,
    pub(super) examples: Vec<Example>,
}

/// What one file says about the record.
#[derive(Clone, Debug, Default)]
pub(super) struct AuditPart {
    pub(super) enabled: Option<bool>,
    pub(super) path: Option<PathBuf>,
    pub(super) on_failure: Option<OnFailure>,
}

/// What a file of a layer says. Its examples are not tried yet.
pub(super) fn resolve(file: &File, layer: Layer) -> Result<Part, Misreading> {
    let File {
        mode,
        disable_bypass,
        dont_ask,
        confirmation,
        rules,
        severity,
        classes,
        floors,
        audit,
        analyzers,
        hook,
        gateway,
        monitor,
        files,
        session,
        network,
        guardian,
        injection,
        contracts,
        sandbox,
        mcp,
        serve,
        team,
        chat,
        r#try: trial,
        undo,
        security_policy,
        central,
        managed,
    } = file;
    of_the_machine(file, layer)?;
    if let Some(managed) = managed.as_ref().filter(|_| layer > Layer::Central) {
        let misreading = Misreading::new(managed.span(), "only the managed file has this table");
        return Err(misreading.with_help("remove it here: who manages this machine decides on it"));
    }
    not_of_a_project(file, layer)?;
    if let Some(template) = security_policy {
        stands_anywhere(template)?;
    }
    if let Some(names) = analyzers.as_ref().filter(|names| names.get_ref().is_empty()) {
        let misreading = Misreading::new(names.span(), "without an analyzer nothing is judged");
        return Err(misreading.with_help("name at least one, or leave the key away"));
    }
    for floor in floors {
        known_rule(floor)?;
    }
    let floors: Vec<String> = floors.iter().map(|floor| floor.get_ref().clone()).collect();
    let mut examples = Vec::new();
    Ok(Part {
        mode: mode.map(mode_of),
        disable_bypass: *disable_bypass,
        dont_ask: dont_ask.map(|word| match word {
            DontAskWord::AllowQuietly => DontAsk::AllowQuietly,
            DontAskWord::DenyQuietly => DontAsk::DenyQuietly,
        }),
        classes: classes.iter().map(|(tool, class)| (tool.clone(), class_of(*class))).collect(),
        confirmation: match confirmation {
            None => None,
            Some(Confirm::Preset(preset)) => Some(preset_of(*preset).confirmation()),
            Some(Confirm::Table(table)) => Some(confirmation_of(table)?),
        },
        adjustments: severity
            .iter()
            .map(|(rule, severity)| adjustment(rule, severity, &floors))
            .collect::<Result<_, _>>()?,
        floors,
        allow: rules_of(&rules.allow, List::Allow, &mut examples)?,
        ask: rules_of(&rules.ask, List::Ask, &mut examples)?,
        deny: rules_of(&rules.deny, List::Deny, &mut examples)?,
        audit: match audit {
            Some(table) => audit_of(table.get_ref())?,
            None => AuditPart::default(),
        },
        analyzers: analyzers.as_ref().map(|names| names.get_ref().clone()),
        hook: hook.clone(),
        gateway: gateway.as_ref().map(gateway_of).transpose()?,
        monitor: *monitor,
        reads_files: files.as_ref().and_then(|table| table.get_ref().read),
        asked_for: session.asked_for.map(|table| level_of(table.max_risk)),
        network: network_of(network)?,
        guardian: guardian.as_ref().map(guardian_of).transpose()?,
        classifier: injection
            .as_ref()
            .and_then(|table| table.get_ref().classifier.as_ref())
            .map(classifier_of)
            .transpose()?,
        contracts: match contracts {
            Some(table) => contracts_of(table.get_ref())?,
            None => None,
        },
        server_contracts: match contracts {
            Some(table) => server_contracts_of(&table.get_ref().servers)?,
            None => BTreeMap::new(),
        },
        sandbox: match sandbox {
            Some(table) => profiles_of(table.get_ref())?,
            None => BTreeMap::new(),
        },
        serve: serve.as_ref().map(serve_of).transpose()?,
        team: team.as_ref().map(|team| team_of(team.get_ref())).transpose()?,
        chat: chat.as_ref().map(|chat| chat_of(chat.get_ref())).transpose()?,
        trials: trials_of(trial.as_ref(), undo.as_ref())?,
        mcp: match mcp {
            Some(table) => servers_of(table.get_ref())?,
            None => BTreeMap::new(),
        },
        security_policy: security_policy.as_ref().map(|path| path.get_ref().clone()),
        central: central.as_ref().map(central_of).transpose()?,
        locks: managed.as_ref().map_or_else(Vec::new, |table| table.get_ref().lock.clone()),
        examples,
    })
}

/// What says who decides, where and with what: a project has no say in it.
fn not_of_a_project(file: &File, layer: Layer) -> Result<(), Misreading> {
    if layer != Layer::Project {
        return Ok(());
    }
    let tables = [
        (file.audit.as_ref().map(Spanned::span), "what is recorded"),
        (file.gateway.as_ref().map(Spanned::span), "which gateway is asked"),
        (file.guardian.as_ref().map(Spanned::span), "who reviews"),
        (file.injection.as_ref().map(Spanned::span), "who is asked about planted instructions"),
        (file.files.as_ref().map(Spanned::span), "whether what it starts is read"),
        (file.contracts.as_ref().map(Spanned::span), "what tools do"),
        (file.sandbox.as_ref().map(Spanned::span), "what its programs may do"),
        (file.mcp.as_ref().map(Spanned::span), "which servers a gateway starts"),
        (file.serve.as_ref().map(Spanned::span), "where a gateway keeps its record"),
        (file.r#try.as_ref().map(Spanned::span), "what is tried"),
        (file.undo.as_ref().map(Spanned::span), "what is kept before actions"),
        (file.team.as_ref().map(Spanned::span), "who works with a gateway"),
        (file.chat.as_ref().map(Spanned::span), "who is told of requests"),
    ];
    for (span, what) in tables {
        if let Some(span) = span {
            let misreading = Misreading::new(span, format!("a project has no say in {what}"));
            return Err(misreading.with_help("move the table to your own configuration"));
        }
    }
    if let Some(template) = &file.security_policy {
        let message = "a project has no say in what agents are told about security";
        let misreading = Misreading::new(template.span(), message);
        return Err(misreading.with_help("move the key to your own configuration"));
    }
    Ok(())
}

/// A file is named by its whole path, or not at all.
fn stands_anywhere(template: &Spanned<String>) -> Result<(), Misreading> {
    let path = Path::new(template.get_ref());
    if path.as_os_str().is_empty() || path.is_absolute() {
        return Ok(());
    }
    let message = format!("`{}` is not an absolute path", path.display());
    Err(Misreading::new(template.span(), message)
        .with_help("a relative path would name another file in each directory"))
}

/// What is said of one machine, and neither for many nor by a project.
fn of_the_machine(file: &File, layer: Layer) -> Result<(), Misreading> {
    let File { central, sandbox, mcp, serve, team, chat, .. } = file;
    if let Some(central) = central.as_ref().filter(|_| layer >= Layer::Project) {
        let misreading =
            Misreading::new(central.span(), "a project has no say in whose policy holds");
        return Err(misreading.with_help("move the table to your own configuration"));
    }
    if layer != Layer::Central {
        return Ok(());
    }
    let tables = [
        ("central", central.as_ref().map(Spanned::span)),
        ("sandbox", sandbox.as_ref().map(Spanned::span)),
        ("mcp", mcp.as_ref().map(Spanned::span)),
        ("serve", serve.as_ref().map(Spanned::span)),
        ("team", team.as_ref().map(Spanned::span)),
        ("chat", chat.as_ref().map(Spanned::span)),
    ];
    let found = tables.into_iter().find_map(|(name, span)| span.map(|span| (name, span)));
    let Some((name, span)) = found else { return Ok(()) };
    let misreading = Misreading::new(span, format!("a bundle has no table `{name}`"));
    Err(misreading.with_help("it is about one machine: put it in the configuration there"))
}

fn mode_of(word: ModeWord) -> Mode {
    match word {
        ModeWord::Default => Mode::Default,
        ModeWord::Plan => Mode::Plan,
        ModeWord::AcceptEdits => Mode::AcceptEdits,
        ModeWord::DontAsk => Mode::DontAsk,
        ModeWord::BypassPermissions => Mode::BypassPermissions,
    }
}

fn class_of(word: ClassWord) -> ActionClass {
    match word {
        ClassWord::ReadOnly => ActionClass::ReadOnly,
        ClassWord::Edit => ActionClass::Edit,
        ClassWord::Network => ActionClass::Network,
        ClassWord::Execute => ActionClass::Execute,
        ClassWord::Destructive => ActionClass::Destructive,
    }
}

fn preset_of(word: Preset) -> ApprovalPolicy {
    match word {
        Preset::AutoApprove => ApprovalPolicy::AutoApprove,
        Preset::AutoDeny => ApprovalPolicy::AutoDeny,
        Preset::ConfirmAll => ApprovalPolicy::ConfirmAll,
        Preset::ConfirmHighRisk => ApprovalPolicy::ConfirmHighRisk,
        Preset::ConfirmMediumAndUp => ApprovalPolicy::ConfirmMediumAndUp,
        Preset::Custom => ApprovalPolicy::Custom,
    }
}

fn confirmation_of(table: &ConfirmTable) -> Result<Confirmation, Misreading> {
    let ConfirmTable { policy, threshold, confirm_unknown } = table;
    let unused = |name: &str, span| {
        Misreading::new(span, format!("`{name}` has no effect with this `policy`"))
            .with_help("leave it away, or set `policy` to `risky`")
    };
    if let (ConfirmWord::Always | ConfirmWord::Never, Some(threshold)) = (policy, threshold) {
        return Err(unused("threshold", threshold.span()));
    }
    if let (ConfirmWord::Always | ConfirmWord::Never | ConfirmWord::Refuse, Some(unknown)) =
        (policy, confirm_unknown)
    {
        return Err(unused("confirm_unknown", unknown.span()));
    }
    let threshold = threshold.as_ref().map(|level| level_of(*level.get_ref()));
    Ok(match policy {
        ConfirmWord::Always => Confirmation::Always,
        ConfirmWord::Never => Confirmation::Never,
        ConfirmWord::Risky => Confirmation::Risky {
            threshold: threshold.unwrap_or(RiskLevel::High),
            confirm_unknown: confirm_unknown.as_ref().is_none_or(|unknown| *unknown.get_ref()),
        },
        ConfirmWord::Refuse => {
            Confirmation::Refuse { threshold: threshold.unwrap_or(RiskLevel::Low) }
        }
    })
}

fn rules_of(
    written: &[Spanned<RuleEntry>],
    list: List,
    examples: &mut Vec<Example>,
) -> Result<Vec<Rule>, Misreading> {
    let mut rules = Vec::with_capacity(written.len());
    for entry in written {
        let (text, span) = match entry.get_ref() {
            RuleEntry::Rule(text) => (text, entry.span()),
            RuleEntry::Table(table) => (table.rule.get_ref(), table.rule.span()),
        };
        let mut rule = text.parse::<Rule>().map_err(|error| {
            Misreading::new(span, error.to_string())
                .with_help("a rule is a tool, or a tool and what it is about: `Bash(git status)`")
        })?;
        if let RuleEntry::Table(table) = entry.get_ref() {
            let reason = table.reason.as_deref().map(str::trim);
            if let Some(reason) = reason.filter(|reason| !reason.is_empty()) {
                rule = rule.because(reason);
            }
            if let Some(level) = &table.up_to {
                if list != List::Allow {
                    let message = "`up_to` has no effect in a rule that does not allow";
                    return Err(Misreading::new(level.span(), message).with_help("leave it away"));
                }
                rule = rule.up_to(level_of(*level.get_ref()));
            }
            let matches = table.matches.iter().map(|text| (text, true));
            let others = table.no_match.iter().map(|text| (text, false));
            examples.extend(matches.chain(others).map(|(text, matches)| Example {
                list,
                rule: rule.clone(),
                text: text.get_ref().clone(),
                span: text.span(),
                matches,
            }));
        }
        rules.push(rule);
    }
    Ok(rules)
}

fn adjustment(
    rule: &Spanned<String>,
    severity: &Severity,
    floors: &[String],
) -> Result<Adjustment, Misreading> {
    known_rule(rule)?;
    let Severity { level, reason } = severity;
    if reason.get_ref().trim().is_empty() {
        let misreading = Misreading::new(reason.span(), "the reason is empty");
        return Err(misreading.with_help("say why, for whoever reads this next"));
    }
    let written = rule.get_ref();
    let change = match level {
        LevelOrOff::Off => Change::Off,
        LevelOrOff::Safe => Change::Severity(RiskLevel::Safe),
        LevelOrOff::Low => Change::Severity(RiskLevel::Low),
        LevelOrOff::Medium => Change::Severity(RiskLevel::Medium),
        LevelOrOff::High => Change::Severity(RiskLevel::High),
        LevelOrOff::Critical => Change::Severity(RiskLevel::Critical),
    };
    let mut all_floors = DEFAULT_FLOORS.iter().copied().chain(floors.iter().map(String::as_str));
    // A beginning of ids may well hold a floor among others: the policy leaves that one as it is.
    if change != Change::Severity(RiskLevel::Critical)
        && all_floors.any(|floor| covers(floor, written))
    {
        let message = format!("`{written}` is a floor, and cannot be lowered");
        let misreading = Misreading::new(rule.span(), message);
        return Err(misreading.with_help("remove the entry: nobody can approve what a floor names"));
    }
    Ok(Adjustment { rule: written.clone(), change, reason: reason.get_ref().clone() })
}

/// Whether a rule id, or a beginning of ids with `.*`, stands for another one of either kind.
pub(super) fn covers(pattern: &str, rule: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => rule.starts_with(beginning),
        None => pattern == rule,
    }
}

/// A rule id that names no rule is a slip that would go unnoticed, and with it the protection or the exception meant.
fn known_rule(written: &Spanned<String>) -> Result<(), Misreading> {
    let word = written.get_ref();
    let is_pattern = word.ends_with(".*") || !word.contains('*');
    let mut known = rules::all().map(|rule| rule.id).chain(DEFAULT_FLOORS.iter().copied());
    if is_pattern && known.any(|rule| covers(word, rule)) {
        return Ok(());
    }
    let misreading = Misreading::new(written.span(), format!("`{word}` is not the id of a rule"));
    let near = nearest(word, rules::all().map(|rule| rule.id));
    Err(misreading.with_help(match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`portcullis rules` lists every rule".to_owned(),
    }))
}

fn audit_of(table: &AuditTable) -> Result<AuditPart, Misreading> {
    let AuditTable { enabled, path, on_failure } = table;
    if let Some(path) = path.as_ref().filter(|path| !path.get_ref().is_absolute()) {
        let message = format!("`{}` is not an absolute path", path.get_ref().display());
        let misreading = Misreading::new(path.span(), message);
        return Err(
            misreading.with_help("a relative path would name another record in each directory")
        );
    }
    Ok(AuditPart {
        enabled: *enabled,
        path: path.as_ref().map(|path| path.get_ref().clone()),
        on_failure: on_failure.map(|word| match word {
            OnFailureWord::Deny => OnFailure::Deny,
            OnFailureWord::Warn => OnFailure::Warn,
        }),
    })
}
