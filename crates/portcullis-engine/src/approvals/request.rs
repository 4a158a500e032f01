//! A request for approval. Owns what is kept of it: enough for a person to decide by, and nothing secret.

use std::{collections::HashMap, fmt, io, str::FromStr, time::Duration};

use jiff::Timestamp;
use portcullis_core::{
    approval::{Standing, Status},
    assessment::{ActionClass, Assessment, Coverage},
    decision::{Layer, Verdict},
    intervention::{Asking, ConfirmationRequest},
    policy::{Confirmation, Subject, proposed},
    redact::redact,
    risk::{Risk, Severity},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::{
    alike::Like,
    audit::{Files, MAX_PREVIEW, MAX_TEXT, fit},
    platform,
    report::{
        changed::{Change, changes},
        marked::{Marked, marked},
    },
    session::{Judged, Session},
};

/// How long a decision is waited for unless somebody says otherwise, as documented.
pub const TIMEOUT: Duration = Duration::from_secs(300);

/// The longest that any decision is waited for.
pub const MAX_TIMEOUT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How many requests of one requester may wait at once: no person reads more, and an agent that went wrong drowns neither the inbox nor
/// the store.
pub const PENDING: u32 = 1_000;

/// The most effects and reasons that are kept.
const MOST: usize = 40;

/// What a request is known by: 128 random bits.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Id([u8; 16]);

/// A text that is no id.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("expected 32 lower-case hexadecimal digits")]
pub struct NotAnId;

impl Id {
    /// That of no request and no token.
    pub(crate) const NOBODY: Self = Self([0; 16]);

    /// One that nobody can foresee.
    ///
    /// # Errors
    /// When the system has no random bytes.
    pub fn random() -> io::Result<Self> {
        platform::random().map(Self)
    }

    /// The one of a name, always the same.
    #[must_use]
    pub fn named(name: &str) -> Self {
        let digest = Sha256::digest(name.as_bytes());
        Self(digest.first_chunk::<16>().copied().unwrap_or_default())
    }

    /// The bits.
    #[must_use]
    pub const fn bytes(self) -> [u8; 16] {
        self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&data_encoding::HEXLOWER.encode(&self.0))
    }
}

impl FromStr for Id {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let bytes = data_encoding::HEXLOWER.decode(text.as_bytes()).map_err(|_| NotAnId)?;
        bytes.try_into().map(Self).map_err(|_| NotAnId)
    }
}

/// Somebody who is told of a request.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Addressee {
    /// The name of the receiver in the configuration.
    pub name: String,
    /// Whether what was said there is said anew once the request is decided.
    pub rewrites: bool,
    /// How long the request waits before it is told there; at once where it is nothing.
    pub after: Duration,
    /// How often it was told there before.
    pub step: u32,
}

/// What is asked. It never changes once it is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// What it is known by.
    pub id: Id,
    /// The hash of the action.
    pub action: String,
    /// The tool, as the agent named it.
    pub tool: String,
    /// How risky it is.
    pub risk: Risk,
    /// The agent's session.
    pub session: Option<String>,
    /// Which agent.
    pub agent: Option<String>,
    /// Whose token it was asked with.
    pub requester: String,
    /// The project that it belongs to.
    pub project: Option<String>,
    /// How many must agree.
    pub needed: u8,
    /// How long a decision is waited for.
    pub timeout: Duration,
    /// The hash of the policy.
    pub policy: String,
    /// What a person is shown.
    pub details: Details,
    /// Who is told of it elsewhere.
    pub tells: Vec<Addressee>,
}

/// What a person is shown of a request: without secrets, and with what is dangerous marked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Details {
    /// The documented request for confirmation.
    pub request: ConfirmationRequest,
    /// The arguments that are texts, with what is dangerous marked.
    pub texts: Vec<Marked>,
    /// What an edit changes, line by line, where the call is one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// Every finding that is high or critical, the worst first; the very same once.
    pub findings: Vec<Named>,
    /// What it would do, one line each.
    pub effects: Vec<String>,
    /// Why it asks, most important first.
    pub reasons: Vec<String>,
    /// What it touches, each with its kind.
    pub resources: Vec<String>,
    /// What to do before or instead.
    pub recommendations: Vec<String>,
    /// What kind of thing it does.
    pub class: &'static str,
    /// The layer of the policy that asks.
    pub layer: &'static str,
    /// Whether everything was understood.
    pub understood: bool,
    /// The files that it would start, a line each as the record has them, with the digest of what was judged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The directory that it would run in.
    pub cwd: Option<String>,
    /// What the agent says that it is for.
    pub summary: Option<String>,
    /// What a rule that always allows such calls would let through; missing where there is none to be had.
    pub always: Option<String>,
    /// The kind that it is of, where its like can be approved with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alike: Option<Alike>,
    /// The approval policy that is asked for, where that is what it asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<&'static str>,
}

/// The kind of a call, with what a person is told of it.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Alike {
    /// What is covered, in words.
    pub words: String,
    /// The kind.
    pub kind: Like,
    /// The workspace that the call is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
}

impl Alike {
    /// That of a call; nothing where it is the like of no other, or that cannot be told whole and without a secret.
    fn of(judged: &Judged) -> Option<Self> {
        let kind = judged.kind().ok()?;
        let words = format!("{}, and are no riskier than {}", kind.words(), kind.level);
        let is_told = words.len() <= MAX_PREVIEW && redact(&words) == words;
        let workspace = judged.facts.workspace.clone();
        is_told.then_some(Self { words, kind, workspace })
    }
}

impl Question {
    /// What is asked about a judged call; `requester` is whose token it came with.
    ///
    /// # Errors
    /// When the system has no random bytes.
    pub fn about(
        judged: &Judged,
        requester: &str,
        needed: u8,
        timeout: Duration,
    ) -> io::Result<Self> {
        let Judged { action, judgement, .. } = judged;
        let id = Id::random()?;
        let timeout = timeout.min(MAX_TIMEOUT);
        let asking =
            Asking { request_id: id.bytes(), nonce: platform::random()?, user_id: None, timeout };
        let call = &action.call;
        let assessment = &judgement.assessment;
        let texts = |list: &[String]| -> Vec<String> {
            list.iter().take(MOST).map(|text| fit(text, MAX_PREVIEW)).collect()
        };
        // Names as the record has them: of whatever length an agent makes them, they are found there under the same.
        let told = |text: &Option<String>| text.as_deref().map(|text| fit(text, MAX_TEXT));
        let details = Details {
            request: ConfirmationRequest::new(action, judgement, &[], &asking),
            texts: marked(&call.arguments, assessment),
            changes: changes(&call.arguments, assessment),
            findings: named(assessment),
            effects: crate::report::effects(&judgement.effects, MOST),
            reasons: texts(&judgement.decision.reasons),
            resources: texts(&assessment.resources),
            recommendations: texts(&assessment.recommendations),
            class: assessment.class.name(),
            layer: judgement.decision.layer.name(),
            understood: assessment.coverage == Coverage::Full,
            files: Files::of(&judgement.effects.files).fitted().lines(),
            cwd: told(&call.cwd),
            summary: call.summary.as_deref().map(|text| fit(text, MAX_PREVIEW)),
            always: always(judged),
            alike: Some(needed).filter(|needed| *needed < 2).and_then(|_| Alike::of(judged)),
            policy: None,
        };
        Ok(Self {
            id,
            action: action.id(),
            tool: fit(&call.tool, MAX_TEXT),
            risk: assessment.risk,
            session: told(&call.session),
            agent: told(&call.agent),
            requester: requester.to_owned(),
            project: None,
            needed,
            timeout,
            policy: judged.regime.configuration.policy_id.clone(),
            details,
            tells: Vec::new(),
        })
    }
}

impl Question {
    /// Says which project it belongs to.
    pub fn belongs_to(&mut self, project: Option<&str>) {
        self.project = project.map(|name| fit(name, MAX_TEXT));
    }

    /// What kind of thing it does; nothing where that has no name.
    #[must_use]
    pub fn class(&self) -> Option<ActionClass> {
        class_named(self.details.class)
    }
}

fn class_named(word: &str) -> Option<ActionClass> {
    ActionClass::ALL.into_iter().find(|class| class.name() == word)
}

/// One who agreed where two must.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Vote {
    /// Who.
    pub approver: String,
    /// From where: `web`, `terminal`, `api`.
    pub origin: String,
    /// When.
    pub time: Timestamp,
}

/// The action that an approver put in place of the one that was asked about.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Modified {
    /// The hash of it.
    pub action: String,
    /// The tool.
    pub tool: String,
    /// The arguments. No secret is in them: such ones are not taken.
    pub arguments: Value,
    /// The files that it would start, a line each as the record has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// A request as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// What it is known by.
    pub id: Id,
    /// The record of the decision that asks.
    pub sequence: u64,
    /// What has become of it.
    pub status: Status,
    /// The hash of the action.
    pub action: String,
    /// The tool.
    pub tool: String,
    /// How risky it is.
    pub risk: Risk,
    /// The agent's session.
    pub session: Option<String>,
    /// Which agent.
    pub agent: Option<String>,
    /// Whose token it was asked with.
    pub requester: String,
    /// The project that it belongs to.
    pub project: Option<String>,
    /// How many must agree.
    pub needed: u8,
    /// Who agreed.
    pub agreed: Vec<Vote>,
    /// When it was asked.
    pub asked: Timestamp,
    /// From when on it is too late.
    pub expires: Timestamp,
    /// When it was decided.
    pub decided: Option<Timestamp>,
    /// The record of the decision upon it.
    pub answer: Option<u64>,
    /// Who decided.
    pub approver: Option<String>,
    /// From where.
    pub origin: Option<String>,
    /// What they said.
    pub reason: Option<String>,
    /// What they put in its place.
    pub modified: Option<Modified>,
    /// When whoever asked took it up.
    pub claimed: Option<Timestamp>,
    /// The hash of the policy.
    pub policy: String,
    /// What a person is shown, as JSON.
    pub details: Value,
}

impl Request {
    /// What the rules for deciding need of it.
    #[must_use]
    pub fn standing(&self) -> Standing {
        let requesters = [Some(&self.requester), self.agent.as_ref(), self.session.as_ref()];
        Standing {
            status: self.status,
            action: self.action.clone(),
            requesters: requesters.into_iter().flatten().cloned().collect(),
            needed: self.needed,
            agreed: self.agreed.iter().map(|vote| vote.approver.clone()).collect(),
            asked: since_epoch(self.asked),
            expires: since_epoch(self.expires),
        }
    }

    /// What becomes of it under another confirmation policy, while it waits. What is critical or not known is never let through by that,
    /// nor what something else than the confirmation policy asks about: somebody was about to look at it.
    #[must_use]
    pub fn under(&self, confirmation: Confirmation) -> Option<Status> {
        let by_policy =
            self.details.get("layer").and_then(Value::as_str) == Some(Layer::Confirmation.name());
        let is_ordinary = by_policy
            && self.needed < 2
            && self.risk.severity().is_some_and(|severity| severity < Severity::Critical);
        match confirmation.verdict(self.risk) {
            Verdict::Deny => Some(Status::AutoDenied),
            Verdict::Allow if is_ordinary => Some(Status::AutoApproved),
            Verdict::Allow | Verdict::Ask => None,
        }
    }

    /// Whether what a person is shown of it leaves out nothing of what would run.
    #[must_use]
    pub fn is_shown_whole(&self) -> bool {
        let texts = self.details.get("texts").and_then(Value::as_array);
        let segments = |text: &Value| text.get("segments").and_then(Value::as_array).cloned();
        let is_cut =
            |segment: &Value| segment.get("left_out").and_then(Value::as_bool) == Some(true);
        texts.is_some_and(|texts| {
            texts.iter().all(|text| segments(text).is_some_and(|all| !all.iter().any(is_cut)))
        })
    }

    /// Whether these are the files that were judged when it was asked about, a line each as the record has them.
    #[must_use]
    pub fn is_about(&self, files: &[String]) -> bool {
        let asked = self.details.get("files").and_then(Value::as_array);
        let asked = asked.map_or(&[][..], Vec::as_slice);
        asked.iter().map(Value::as_str).eq(files.iter().map(|line| Some(line.as_str())))
    }

    /// The files that what may run would start, as they were judged when it was asked about, or when another was put in its place: they are
    /// a part of what was agreed to. Nothing where what is kept cannot be read.
    #[must_use]
    pub fn files(&self) -> Option<Files> {
        let lines = match &self.modified {
            Some(modified) => modified.files.clone(),
            None => match self.details.get("files") {
                Some(lines) => serde_json::from_value(lines.clone()).ok()?,
                None => Vec::new(),
            },
        };
        if lines.is_empty() { Some(Files::NONE) } else { Files::read(&lines.join("\n")) }
    }

    /// Whether the files that its action starts are those that were judged, as a session sees them now.
    #[must_use]
    pub fn stands(&self, session: &Session) -> bool {
        self.files().is_some_and(|files| session.changed(&files).is_empty())
    }

    /// What kind of thing it does; nothing where what is kept does not say so.
    #[must_use]
    pub fn class(&self) -> Option<ActionClass> {
        class_named(self.details.get("class")?.as_str()?)
    }

    /// The kind that a person was told of, where the like of it can be approved with it: never what takes two people.
    #[must_use]
    pub fn alike(&self) -> Option<Alike> {
        let alike: Alike = serde_json::from_value(self.details.get("alike")?.clone()).ok()?;
        (self.needed < 2 && alike.kind.is_sound()).then_some(alike)
    }

    /// The hash of what may run: of the action, or of the one in its place.
    #[must_use]
    pub fn runs(&self) -> &str {
        self.modified.as_ref().map_or(&self.action, |modified| &modified.action)
    }
}

/// A finding that a person must have read before they agree.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Named {
    /// The rule.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What would happen.
    pub message: String,
    /// How often it was found.
    pub times: usize,
}

/// How many findings are told in their own words; of the others each rule is named, with how many there are.
const NAMED: usize = 200;

fn named(assessment: &Assessment) -> Vec<Named> {
    let mut named: Vec<Named> = Vec::new();
    let mut at: HashMap<(&str, String), usize> = HashMap::new();
    for finding in assessment.findings.iter().filter(|one| one.severity >= Severity::High) {
        let mut message = fit(&redact(&finding.message), MAX_PREVIEW);
        if named.len() >= NAMED && !at.contains_key(&(finding.rule, message.clone())) {
            message = "more of the same kind".to_owned();
        }
        match at.get(&(finding.rule, message.clone())).and_then(|at| named.get_mut(*at)) {
            Some(known) => {
                known.times += 1;
                known.severity = known.severity.max(finding.severity);
            }
            None => {
                at.insert((finding.rule, message.clone()), named.len());
                let (rule, severity) = (finding.rule, finding.severity);
                named.push(Named { rule, severity, message, times: 1 });
            }
        }
    }
    named.sort_by_key(|one| std::cmp::Reverse(one.severity));
    named
}

/// What `always` would let through: the rules that are proposed for such calls, as a configuration has them.
fn always(judged: &Judged) -> Option<String> {
    let subject = Subject {
        action: &judged.action,
        effects: &judged.judgement.effects,
        facts: &judged.facts,
        assessment: &judged.judgement.assessment,
    };
    let rules = proposed(&judged.regime.configuration.policy, &subject).ok()?;
    let texts: Vec<String> = rules.iter().map(ToString::to_string).collect();
    (!texts.is_empty()).then(|| fit(&texts.join(", "), MAX_PREVIEW))
}

pub(super) fn since_epoch(time: Timestamp) -> Duration {
    Duration::from_micros(u64::try_from(time.as_microsecond()).unwrap_or(0))
}
