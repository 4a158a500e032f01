//! What a person is asked. Owns the documented shape and what is added to it; the masking is [`super::mask`]'s.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::{
    Trigger,
    mask::{cut, masked},
};
use crate::{
    action::Action,
    gate::Judgement,
    redact::redact,
    risk::{Risk, Severity},
};

/// The version of a request.
pub const REQUEST_VERSION: u32 = 1;

/// The most findings that a request tells of.
const MAX_RISKY: usize = 16;

/// What is asked beside the action: given by whoever asks, the random numbers too.
#[derive(Clone, Debug)]
pub struct Asking<'a> {
    /// What tells this request from every other.
    pub request_id: [u8; 16],
    /// What the answer has to repeat, once.
    pub nonce: [u8; 16],
    /// For whom the agent works.
    pub user_id: Option<&'a str>,
    /// How long an answer is waited for.
    pub timeout: Duration,
}

/// A request, in the documented shape; what the document does not have stands beside it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConfirmationRequest {
    /// The version.
    pub v: u32,
    /// What tells it from every other.
    pub request_id: String,
    /// The action.
    pub action: AskedAction,
    /// Who asks.
    pub context: AskedContext,
    /// How long an answer is waited for.
    pub timeout_seconds: u64,
    /// What the answer has to repeat, once.
    pub nonce: String,
    /// Every reason why a person must agree.
    pub triggers: Vec<String>,
    /// What is dangerous in it, the worst first.
    pub risky: Vec<RiskySpan>,
}

/// The action that is asked about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AskedAction {
    /// The tool.
    pub tool: String,
    /// The parameters, masked.
    pub parameters: Value,
    /// How risky it is.
    pub risk_level: Risk,
    /// The hash that an answer is bound to: of the parameters as they are, not as they are shown.
    pub hash: String,
    /// Whether it can be undone.
    pub reversible: bool,
    /// The impact in a sentence.
    pub impact: &'static str,
}

/// Who asks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AskedContext {
    /// For whom the agent works.
    pub user_id: Option<String>,
    /// The agent's session.
    pub session_id: Option<String>,
    /// The agent.
    pub agent: Option<String>,
}

/// Something dangerous, as it stands in the parameters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RiskySpan {
    /// Where: a JSON pointer into the parameters.
    pub parameter: String,
    /// The text, redacted.
    pub text: String,
    /// Which rule says so.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What would happen.
    pub message: String,
}

impl ConfirmationRequest {
    /// What a person is asked about a judged action.
    #[must_use]
    pub fn new(
        action: &Action,
        judgement: &Judgement,
        triggers: &[Trigger],
        asking: &Asking<'_>,
    ) -> Self {
        let Asking { request_id, nonce, user_id, timeout } = asking;
        let assessment = &judgement.assessment;
        let call = &action.call;
        let told = |text: &str| cut(&redact(text), &[]);
        let risky = assessment.findings.iter().filter(|finding| finding.severity >= Severity::Low);
        Self {
            v: REQUEST_VERSION,
            request_id: data_encoding::HEXLOWER.encode(request_id),
            action: AskedAction {
                tool: told(&call.tool),
                parameters: masked(&call.arguments, &assessment.findings),
                risk_level: assessment.risk,
                hash: action.id(),
                reversible: assessment.reversible,
                impact: assessment.impact,
            },
            context: AskedContext {
                user_id: user_id.map(told),
                session_id: call.session.as_deref().map(told),
                agent: call.agent.as_deref().map(told),
            },
            timeout_seconds: timeout.as_secs(),
            nonce: data_encoding::HEXLOWER.encode(nonce),
            triggers: triggers.iter().map(|trigger| told(&trigger.words())).collect(),
            risky: risky
                .take(MAX_RISKY)
                .map(|finding| {
                    let place = &finding.place;
                    let outer = pointed(&call.arguments, &place.pointer).and_then(Value::as_str);
                    let outer = outer.and_then(|text| text.get(place.span.range()));
                    let inner =
                        place.layer.as_ref().and_then(|(text, span)| text.get(span.range()));
                    RiskySpan {
                        parameter: place.pointer.clone(),
                        text: told(inner.or(outer).unwrap_or_default()),
                        rule: finding.rule,
                        severity: finding.severity,
                        message: told(&finding.message),
                    }
                })
                .collect(),
        }
    }
}

/// What a JSON pointer points to.
fn pointed<'a>(arguments: &'a serde_json::Map<String, Value>, pointer: &str) -> Option<&'a Value> {
    let mut steps = pointer.strip_prefix('/')?.split('/');
    let step = |step: &str| step.replace("~1", "/").replace("~0", "~");
    let mut value = arguments.get(&step(steps.next()?))?;
    for next in steps {
        value = match value {
            Value::Object(object) => object.get(&step(next))?,
            Value::Array(items) => items.get(next.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(value)
}
