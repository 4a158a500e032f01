//! From the file as written to what it comes to. Owns what its words mean and which of them contradict each other.

use portcullis_core::{
    assessment::ActionClass,
    policy::{
        Adjustment, ApprovalPolicy, Change, Confirmation, DEFAULT_FLOORS, DontAsk, Mode, Policy,
        PolicyOptions, Rule,
    },
    risk::Severity as RiskLevel,
    rules,
};
use toml::Spanned;

use super::{
    Audit, Configuration, OnFailure,
    error::{Misreading, nearest},
    file::{
        AuditTable, ClassWord, Confirm, ConfirmTable, ConfirmWord, DontAskWord, File, Level,
        LevelOrOff, ModeWord, OnFailureWord, Preset, Severity,
    },
};

/// What a file comes to.
pub(super) fn resolve(file: &File) -> Result<Configuration, Misreading> {
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
    } = file;
    for floor in floors {
        known_rule(floor)?;
    }
    let floors: Vec<String> = floors.iter().map(|floor| floor.get_ref().clone()).collect();
    let policy = Policy::new(PolicyOptions {
        mode: mode.map(mode_of),
        disable_bypass: *disable_bypass,
        dont_ask: match dont_ask {
            DontAskWord::AllowQuietly => DontAsk::AllowQuietly,
            DontAskWord::DenyQuietly => DontAsk::DenyQuietly,
        },
        classes: classes.iter().map(|(tool, class)| (tool.clone(), class_of(*class))).collect(),
        confirmation: match confirmation {
            None => Confirmation::default(),
            Some(Confirm::Preset(preset)) => preset_of(*preset).confirmation(),
            Some(Confirm::Table(table)) => confirmation_of(table)?,
        },
        adjustments: severity
            .iter()
            .map(|(rule, severity)| adjustment(rule, severity, &floors))
            .collect::<Result<_, _>>()?,
        floors,
        allow: rules_of(&rules.allow)?,
        ask: rules_of(&rules.ask)?,
        deny: rules_of(&rules.deny)?,
    });
    let audit = audit_of(audit)?;
    Ok(Configuration { policy, audit, analyzers: analyzers.clone(), ..Configuration::default() })
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

fn level_of(word: Level) -> RiskLevel {
    match word {
        Level::Safe => RiskLevel::Safe,
        Level::Low => RiskLevel::Low,
        Level::Medium => RiskLevel::Medium,
        Level::High => RiskLevel::High,
        Level::Critical => RiskLevel::Critical,
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

fn rules_of(written: &[Spanned<String>]) -> Result<Vec<Rule>, Misreading> {
    let rule = |rule: &Spanned<String>| {
        rule.get_ref().parse::<Rule>().map_err(|error| {
            Misreading::new(rule.span(), error.to_string())
                .with_help("a rule is a tool, or a tool and what it is about: `Bash(git status)`")
        })
    };
    written.iter().map(rule).collect()
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
fn covers(pattern: &str, rule: &str) -> bool {
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

fn audit_of(table: &AuditTable) -> Result<Audit, Misreading> {
    let AuditTable { enabled, path, on_failure } = table;
    if let Some(path) = path.as_ref().filter(|path| !path.get_ref().is_absolute()) {
        let message = format!("`{}` is not an absolute path", path.get_ref().display());
        let misreading = Misreading::new(path.span(), message);
        return Err(
            misreading.with_help("a relative path would name another record in each directory")
        );
    }
    Ok(Audit {
        enabled: *enabled,
        path: path.as_ref().map(|path| path.get_ref().clone()),
        on_failure: match on_failure {
            OnFailureWord::Deny => OnFailure::Deny,
            OnFailureWord::Warn => OnFailure::Warn,
        },
    })
}
