//! What is told of a call: events, each of which becomes a log, a span, or both. Owns which attributes they have and that nothing in them is a secret, an
//! argument or a command unless somebody configured that; how they are written, [`super::otlp`] says.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use portcullis_core::{
    decision::{Layer, Verdict},
    redact::redact,
    risk::Risk,
};

use super::names;
use crate::{approvals::Request, audit::Entry, platform, trace::Trace};

/// The longest text of an attribute.
const LONGEST: usize = 256;

/// How much of a caller's own name for a call is looked through.
const LONGEST_ID: usize = 1_024;

/// The most rules that are named.
const MOST_RULES: usize = 16;

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Attribute {
    Text(String),
    Number(i64),
    Seconds(f64),
    Texts(Vec<String>),
}

/// Where something stands in a trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Standing {
    pub(super) trace: [u8; 16],
    pub(super) span: [u8; 8],
    pub(super) parent: Option<[u8; 8]>,
    /// Whether whoever called keeps the trace; what was not simply allowed is told of all the same.
    pub(super) sampled: bool,
}

impl Standing {
    /// A step of its own in somebody's trace, or in a new one; nothing where the system has no random bytes.
    pub(super) fn under(trace: Option<Trace>) -> Option<Self> {
        let random: [u8; 24] = platform::random().ok()?;
        let (span, rest) = random.split_first_chunk::<8>()?;
        Some(match trace {
            Some(Trace { id, parent, sampled }) => {
                Self { trace: id, span: *span, parent: Some(parent), sampled }
            }
            None => Self { trace: *rest.first_chunk()?, span: *span, parent: None, sampled: true },
        })
    }

    /// A step within this one.
    pub(super) fn within(self) -> Option<Self> {
        Some(Self { span: platform::random().ok()?, parent: Some(self.span), ..self })
    }
}

/// A span, beside where it stands and how long it took.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) name: String,
    pub(super) kind: SpanKind,
}

/// Who asked whom.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum SpanKind {
    /// Nobody else.
    Internal = 1,
    /// Somebody asked us.
    Server = 2,
}

/// How much something matters, as OTLP has it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Weight {
    Info = 9,
    Warn = 13,
    Error = 17,
}

impl Weight {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Info => "INFO",
            Self::Warn => "WARN",
            Self::Error => "ERROR",
        }
    }
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Event {
    pub(super) name: &'static str,
    /// When it began and ended, in nanoseconds since 1970.
    pub(super) began: u64,
    pub(super) ended: u64,
    pub(super) weight: Weight,
    /// Whether it is a log, with these words.
    pub(super) log: Option<String>,
    /// Whether it is a span.
    pub(super) span: Option<Span>,
    pub(super) standing: Option<Standing>,
    pub(super) attributes: Vec<(&'static str, Attribute)>,
}

/// How a call came here.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Way {
    /// As a call to be judged.
    #[default]
    Judge,
    /// As a message of MCP.
    Mcp,
}

/// What is known of a call beside what was judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circumstances<'a> {
    pub(crate) way: Way,
    /// The caller's own name for it.
    pub(crate) id: Option<&'a str>,
    /// Where it stands in the record.
    pub(crate) sequence: Option<u64>,
    /// Whose token it came with.
    pub(crate) requester: &'a str,
    /// The project that it belongs to.
    pub(crate) project: Option<&'a str>,
    /// When it came.
    pub(crate) begun: Begun,
    /// How long it took the record to hold the decision.
    pub(crate) recorded_in: Duration,
}

/// When something began: on the clock, which is told, and by one that nobody sets, by which it is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begun {
    pub(super) time: SystemTime,
    pub(super) instant: Instant,
}

impl Begun {
    pub(crate) fn now() -> Self {
        Self { time: SystemTime::now(), instant: Instant::now() }
    }

    /// What began then.
    pub(crate) fn since(instant: Instant) -> Self {
        let now = SystemTime::now();
        Self { time: now.checked_sub(instant.elapsed()).unwrap_or(now), instant }
    }

    /// When it began and ends now, in nanoseconds since 1970.
    fn stretch(self) -> (u64, u64) {
        let began = nanos(self.time);
        (began, began.saturating_add(length(self.instant.elapsed())))
    }
}

impl Event {
    /// A decision, of which is told what the record has: redacted and bounded.
    pub(super) fn decision(
        entry: &Entry,
        around: &Circumstances<'_>,
        standing: Option<Standing>,
        with_arguments: bool,
    ) -> Self {
        let Circumstances { way, id, requester, project, sequence, begun, recorded_in: _ } =
            *around;
        let verdict = entry.decision.unwrap_or(Verdict::Deny);
        let risk = entry.risk.unwrap_or(Risk::Unknown).name();
        let tool = cut(entry.tool.as_deref().unwrap_or_default());
        let span = match way {
            Way::Judge => format!("{} {tool}", names::EXECUTE_TOOL),
            Way::Mcp => format!("{} {tool}", names::MCP_CALL),
        };
        let log = format!("{} {tool}: risk {risk}", verdict.name());
        let rules = entry.rules.iter().take(MOST_RULES).map(|rule| cut(rule)).collect();
        let sequence = sequence.and_then(|it| i64::try_from(it).ok());
        let preview = entry.preview.as_deref().filter(|_| with_arguments);
        let attributes = Attributes::default()
            .text(names::OPERATION, Some(names::EXECUTE_TOOL))
            .text(names::TOOL, entry.tool.as_deref())
            .text(names::CALL, id.map(named).as_deref())
            .text(names::AGENT, entry.agent.as_deref())
            .text(names::CONVERSATION, entry.session.as_deref())
            .text(names::MCP_METHOD, (way == Way::Mcp).then_some(names::MCP_CALL))
            .text(names::DECISION, Some(verdict.name()))
            .text(names::RISK, Some(risk))
            .with(names::RULES, Some(Attribute::Texts(rules)))
            .text(names::LAYER, entry.layer.map(Layer::name))
            .text(names::CLASS, entry.class.as_deref())
            .text(names::POLICY, entry.policy.as_deref())
            .text(names::ACTION, entry.action.as_deref())
            .text(names::PROJECT, project)
            .text(names::REQUESTER, Some(requester))
            .with(names::RECORD, sequence.map(Attribute::Number))
            .with(names::ARGUMENTS, preview.map(|it| Attribute::Text(it.to_owned())));
        let (began, ended) = begun.stretch();
        // What was not simply allowed is told of whatever the trace of its caller keeps.
        let is_kept = standing.is_none_or(|it| it.sampled) || verdict != Verdict::Allow;
        Self {
            name: "portcullis.decision",
            began,
            ended,
            weight: match verdict {
                Verdict::Allow => Weight::Info,
                Verdict::Ask | Verdict::Deny => Weight::Warn,
            },
            log: Some(log),
            span: (is_kept && standing.is_some())
                .then_some(Span { name: span, kind: SpanKind::Server }),
            standing,
            attributes: attributes.0,
        }
    }

    /// The time in which a call was held for somebody to decide.
    pub(super) fn wait(request: &Request, begun: Begun, at: Standing) -> Self {
        let list = Attributes::default()
            .text(names::REQUEST, Some(&request.id.to_string()))
            .text(names::STATUS, Some(request.status.name()))
            .text(names::RISK, Some(request.risk.name()));
        let (began, ended) = begun.stretch();
        Self {
            name: "portcullis.wait",
            began,
            ended,
            weight: Weight::Info,
            log: None,
            span: Some(Span { name: "wait for a person".to_owned(), kind: SpanKind::Internal }),
            standing: Some(at),
            attributes: list.0,
        }
    }

    /// The word of a person that settled a request. Who it was stands in the record, and is told nobody else.
    pub(super) fn answer(request: &Request, waited: Duration) -> Self {
        let list = Attributes::default()
            .text(names::REQUEST, Some(&request.id.to_string()))
            .text(names::STATUS, Some(request.status.name()))
            .text(names::TOOL, Some(&request.tool))
            .text(names::AGENT, request.agent.as_deref())
            .text(names::CONVERSATION, request.session.as_deref())
            .text(names::RISK, Some(request.risk.name()))
            .text(names::PROJECT, request.project.as_deref())
            .text(names::ACTION, Some(&request.action))
            .with(names::WAITED, Some(Attribute::Seconds(waited.as_secs_f64())));
        let words = format!("{} {}", request.status.name(), cut(&request.tool));
        Self::log("portcullis.answer", Weight::Info, words, list)
    }

    /// A request that could not be brought to where people are told.
    pub(super) fn undelivered(channel: &str) -> Self {
        let list = Attributes::default().text(names::CHANNEL, Some(channel));
        let words = format!("a request could not be told by {channel}");
        Self::log("portcullis.delivery.failed", Weight::Error, words, list)
    }

    fn log(name: &'static str, weight: Weight, words: String, list: Attributes) -> Self {
        let now = nanos(SystemTime::now());
        Self {
            name,
            began: now,
            ended: now,
            weight,
            log: Some(words),
            span: None,
            standing: None,
            attributes: list.0,
        }
    }
}

/// Attributes as they are put together: what is missing is left out.
#[derive(Default)]
struct Attributes(Vec<(&'static str, Attribute)>);

impl Attributes {
    fn with(mut self, name: &'static str, value: Option<Attribute>) -> Self {
        self.0.extend(value.map(|value| (name, value)));
        self
    }

    fn text(self, name: &'static str, text: Option<&str>) -> Self {
        self.with(name, text.map(|text| Attribute::Text(cut(text))))
    }
}

/// As much of a text as is told, with nothing in it that cannot be seen: it may come from an agent, name and all.
fn cut(text: &str) -> String {
    let text = text.get(..text.floor_char_boundary(LONGEST)).unwrap_or_default();
    crate::report::visible::line(text).into_owned()
}

/// What a caller calls its call, which stands in no record: without what is a secret.
fn named(id: &str) -> String {
    let id = id.get(..id.floor_char_boundary(LONGEST_ID)).unwrap_or_default();
    redact(id).into_owned()
}

/// Since 1970; a clock that stands before that says so by nothing.
pub(super) fn nanos(time: SystemTime) -> u64 {
    length(time.duration_since(UNIX_EPOCH).unwrap_or_default())
}

fn length(took: Duration) -> u64 {
    u64::try_from(took.as_nanos()).unwrap_or(u64::MAX)
}
