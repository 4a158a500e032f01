//! A concern as a finding. Owns its words, and how bad it is.

use crate::{
    Span,
    action::ActionKind,
    bound::Bounded as _,
    effect::{LayerId, LayerOrigin},
    finding::{Finding, Place},
    risk::Severity,
    rules::{Scene, find},
    session::{Broken, Concern},
};

/// A concern as a finding.
pub(super) fn finding(concern: &Concern, scene: &Scene<'_>, others: &[Finding]) -> Option<Finding> {
    let (rule, severity, message) = match concern {
        Concern::Limit(broken) => {
            let message = match broken {
                Broken::Act => "the person said not to do this",
                Broken::Thing => "the person said to leave this alone",
                Broken::Beside => "the person said to keep to something else",
                Broken::Unasked => "the person wants to be asked first",
            };
            ("session.limit.broken", Severity::High, message.to_owned())
        }
        Concern::Value { value, from } => {
            let message = format!(
                "`{}` stood in {from}, in a sentence that told somebody to do something",
                shown(value)
            );
            ("session.value.foreign", Severity::High, message)
        }
        Concern::Demanded { from } => {
            let message =
                format!("{from} told somebody to do this, and the person did not ask for it");
            ("session.act.demanded", Severity::High, message)
        }
        Concern::Planted { from } => {
            let message = format!("{from} told an agent what to do, and this is more than looking");
            ("session.planted.before", Severity::High, message)
        }
        Concern::Beside { value } => {
            let message = format!("the person spoke of something else than `{}`", shown(value));
            ("session.target.beside", Severity::High, message)
        }
        Concern::More { most } => {
            let message = format!("the person wants this done to {most}, and this is one more");
            ("session.target.beside", Severity::High, message)
        }
        Concern::Near { from } => {
            let message = format!(
                "{from} may have told an agent what to do, and this cannot be undone or reaches others"
            );
            ("session.planted.before", Severity::High, message)
        }
        Concern::Amount => (
            "session.amount.beyond",
            Severity::High,
            "this is far more than the person said".to_owned(),
        ),
        Concern::Unasked => {
            // On the edge: what would go on by its risk alone.
            let is_edge = scene.action.kind == ActionKind::Tool
                || others
                    .iter()
                    .any(|other| other.severity == Severity::Medium && !other.reversible);
            let severity = if is_edge { Severity::High } else { Severity::Medium };
            let message =
                "this cannot be undone or reaches others, and the person did not ask for it";
            ("session.act.unasked", severity, message.to_owned())
        }
    };
    made(rule, scene, severity, message)
}

pub(super) fn made(
    id: &str,
    scene: &Scene<'_>,
    severity: Severity,
    message: String,
) -> Option<Finding> {
    let rule = find(id)?;
    let text = scene.effects.layer_text(LayerId(0));
    let pointer = scene.effects.layers.first().map(|layer| match &layer.origin {
        LayerOrigin::Argument(pointer) => pointer.clone(),
        LayerOrigin::Within { .. } | LayerOrigin::File { .. } => String::new(),
    });
    Some(Finding {
        rule: rule.id,
        category: rule.category,
        severity,
        confidence: rule.confidence,
        place: Place {
            pointer: pointer.unwrap_or_default(),
            span: Span::new(0, text.len()),
            layer: None,
            file: None,
        },
        message,
        remedy: rule.remedy.to_owned(),
        reversible: rule.reversible,
        resource: None,
    })
}

/// A value in a message: the beginning of its one line.
pub(super) fn shown(text: &str) -> String {
    if crate::secrets::likely(text).is_some() {
        return "a secret".to_owned();
    }
    let line = text.lines().next().unwrap_or_default().replace('`', "'");
    line.chars().leading(60).collect()
}
