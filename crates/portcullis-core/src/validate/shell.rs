//! Commands for a shell. Owns how much of one is let through: the engine says what it does.

use serde::Deserialize;

use super::Refused;
use crate::{
    action::Action,
    assessment::Coverage,
    call::ToolCall,
    effect::EffectKind,
    facts::Facts,
    gate::Gate,
    policy::Policy,
    risk::{Risk, Severity},
};

const KIND: &str = "shell";

/// What a command may do.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ShellRules {
    /// The highest risk.
    pub max_risk: Severity,
    /// The only programs that may run, by name or whole path; any where none is named.
    pub programs: Vec<String>,
}

impl Default for ShellRules {
    fn default() -> Self {
        Self { max_risk: Severity::Low, programs: Vec::new() }
    }
}

impl ShellRules {
    /// Holds a command to the rules: all of it must be understood.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn check(&self, command: &str, facts: &Facts) -> Result<(), Refused> {
        let refuse = |message: String| Err(Refused::new(KIND, message));
        let Ok(action) = Action::from_call(ToolCall::shell(command)) else {
            return refuse("the command cannot be read".to_owned());
        };
        let judgement = Gate::new(Policy::default()).judge(&action, facts);
        if judgement.assessment.coverage != Coverage::Full {
            return refuse("not all of the command is understood".to_owned());
        }
        let is_too_much = match judgement.assessment.risk {
            Risk::Unknown => true,
            risk => risk.is_riskier(Risk::from(self.max_risk), false).unwrap_or(true),
        };
        if is_too_much {
            let why = judgement.assessment.findings.first().map_or("", |finding| &finding.message);
            return refuse(format!("the command is too risky for this tool: {why}"));
        }
        if self.programs.is_empty() {
            return Ok(());
        }
        let runs = judgement.effects.list.iter().filter_map(|effect| match &effect.kind {
            EffectKind::Run(run) => Some(run),
            _ => None,
        });
        for run in runs {
            // A program of that name elsewhere is another one, unless its whole path is named.
            let written = run.name.text.display();
            let names: &[&str] = if written.contains('/') { &[&written] } else { &[&run.program] };
            if !self.programs.iter().any(|allowed| names.contains(&allowed.as_str())) {
                let shown = written.escape_debug();
                return refuse(format!("this tool does not run `{shown}`"));
            }
        }
        Ok(())
    }
}
