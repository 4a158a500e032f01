//! The class of an action. Owns what has to be proven for each class; it does not know what a class may do.

use crate::{
    action::{ActionKind, FileOperation},
    assessment::ActionClass,
    contract::{Class, Source},
    effect::{EffectKind, Effects, Target},
    facts::Facts,
    finding::{Category, Finding},
    place::is_inside_workspace,
    programs::statements::statement_reads,
    risk::Severity,
    rules::Scene,
};

mod reading;

/// The class of an action. More effects, gaps and findings only ever raise it.
pub fn class(scene: &Scene<'_>, findings: &[Finding], tool_class: ActionClass) -> ActionClass {
    let Scene { action, effects, facts } = scene;
    let proven = match &action.kind {
        ActionKind::Tool if tool_class == ActionClass::Unknown => return of_contract(effects),
        ActionKind::Tool => return tool_class,
        ActionKind::Http { .. } => ActionClass::Network,
        ActionKind::File { operation, others, .. } => others
            .iter()
            .map(|other| of_operation(other.operation))
            .fold(of_operation(*operation), Ord::max),
        ActionKind::Query { statement, .. } => {
            of_effects(effects, facts, findings).max(if statement_reads(statement) {
                ActionClass::ReadOnly
            } else {
                ActionClass::Execute
            })
        }
        ActionKind::Shell { .. } | ActionKind::Code { .. } => of_effects(effects, facts, findings),
    };
    // The table's class of a shell is the one for commands that nobody can read; this one was read.
    let is_stricter = || tool_class > crate::tool::class(&action.call.tool);
    if tool_class > proven && is_stricter() { tool_class } else { proven }
}

/// The class of what a tool does by a contract that somebody wrote. What is only derived is no proof.
fn of_contract(effects: &Effects) -> ActionClass {
    let written = effects.list.iter().filter_map(|effect| match &effect.kind {
        EffectKind::Act(act) if act.source != Source::Derived => Some(act.contract.class),
        _ => None,
    });
    written.map(of_act).max().unwrap_or(ActionClass::Unknown)
}

const fn of_act(class: Class) -> ActionClass {
    match class {
        Class::Quiet | Class::Read => ActionClass::ReadOnly,
        Class::Delete => ActionClass::Destructive,
        Class::Change
        | Class::Send
        | Class::Execute
        | Class::Bind
        | Class::Merge
        | Class::Publish
        | Class::Share
        | Class::Administer
        | Class::Lower
        | Class::Pay => ActionClass::Execute,
    }
}

const fn of_operation(operation: FileOperation) -> ActionClass {
    match operation {
        FileOperation::Read | FileOperation::Search => ActionClass::ReadOnly,
        FileOperation::Write | FileOperation::Edit => ActionClass::Edit,
        FileOperation::Delete => ActionClass::Destructive,
    }
}

fn of_effects(effects: &Effects, facts: &Facts, findings: &[Finding]) -> ActionClass {
    let worst = findings.iter().map(|finding| finding.severity).max();
    let destroys = findings.iter().any(|finding| {
        finding.category == Category::Destruction && finding.severity >= Severity::High
    });
    let mut class = effects
        .list
        .iter()
        .map(|effect| of_effect(&effect.kind, facts))
        .max()
        .unwrap_or(ActionClass::ReadOnly);
    if !effects.gaps.is_empty() || worst >= Some(Severity::High) {
        class = class.max(ActionClass::Execute);
    }
    if destroys { ActionClass::Destructive } else { class }
}

fn of_effect(effect: &EffectKind, facts: &Facts) -> ActionClass {
    match effect {
        EffectKind::Read(_) => ActionClass::ReadOnly,
        EffectKind::Run(run) => {
            if reading::reads_only(run) {
                ActionClass::ReadOnly
            } else if reading::edits_only(run) {
                ActionClass::Edit
            } else if reading::transfers_only(run) {
                ActionClass::Network
            } else {
                ActionClass::Execute
            }
        }
        EffectKind::Write { target, .. } => {
            if is_discarded(target) {
                ActionClass::ReadOnly
            } else if is_inside_workspace(target, facts) {
                ActionClass::Edit
            } else {
                ActionClass::Execute
            }
        }
        EffectKind::Delete { .. } => ActionClass::Destructive,
        EffectKind::Connect(connection) if !connection.listens => ActionClass::Network,
        EffectKind::Query { statement } => match statement.as_known() {
            Some(statement) if statement_reads(statement) => ActionClass::ReadOnly,
            _ => ActionClass::Execute,
        },
        EffectKind::Connect(_)
        | EffectKind::Permission { .. }
        | EffectKind::Hand { .. }
        | EffectKind::Discard { .. }
        | EffectKind::Execute { .. }
        | EffectKind::Privilege { .. }
        | EffectKind::Kill { .. }
        | EffectKind::Environment { .. }
        | EffectKind::Act(_)
        | EffectKind::Noted(_) => ActionClass::Execute,
    }
}

fn is_discarded(target: &Target) -> bool {
    matches!(
        target.text.as_known(),
        Some("/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "/dev/fd/1" | "/dev/fd/2")
    )
}
