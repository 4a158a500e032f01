//! The policy and the rules over HTTP. Owns what may be read, tried and changed while the gateway runs; what a policy means, the core knows.

use axum::{
    Extension, Json,
    body::Bytes,
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use jiff::Timestamp;
use portcullis_core::{
    approval::{Status, TwoPeople},
    call::ToolCall,
    decision::{Layer, Verdict},
    policy::{ApprovalPolicy, Confirmation, Rule},
    redact::redact,
    risk::{Risk, Severity},
    rules,
};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    path::Path,
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::sync::watch;

use super::{
    Gateway, Shared,
    access::{Caller, permitted},
    approvals::read,
    bench::Locked,
    judge::{existing, judge_in_place},
    notices,
    problem::Problem,
    rights,
    shapes::{ApprovalShape, NewPolicyShape, written},
};
use crate::{
    approvals::{
        ClerkError, Done, LONGEST_LOOSENED, LOOSENED, PENDING, Question, Scope, Step, Wanted,
        Which, every, is_looser, worst_loosened,
    },
    audit::{Body, Entry, Filter, Kind, export::json as record_shape},
    config::Configuration,
    replay::{
        Comparison, Tally,
        source::{Reading, SourceError},
    },
    session::{Options, Session},
    wire::{VERSION, policy_json, rule_json},
};

/// How many decisions of the record a policy is tried on.
const TRIED: u32 = 2_000;

/// How soon, and how late, it is looked whether a policy is over, beside whenever the record grows.
const LOOK: Duration = Duration::from_millis(50);
const LOOK_LATEST: Duration = Duration::from_secs(1);

/// How many of the calls that would change are told.
const TOLD: usize = 100;

pub(super) async fn rules_list() -> Response {
    let rules: Vec<Value> = rules::all().map(rule_json).collect();
    Json(json!({ "v": VERSION, "rules": rules })).into_response()
}

pub(super) async fn show(State(gateway): State<Shared>) -> Response {
    Json(policy_json(&gateway.bench.configuration())).into_response()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(
    test,
    schemars(extend("oneOf" = [
        { "properties": { "toml": { "type": "string" }, "allow": { "type": "null" } }, "required": ["toml"] },
        { "properties": { "allow": { "type": "array" }, "toml": { "type": "null" } }, "required": ["allow"] }
    ]))
)]
pub(super) struct ToTryShape {
    /// The configuration to try, as a file has it.
    #[serde(default)]
    toml: Option<String>,
    /// In place of it: rules that allow, as `Bash(cargo test:*)`, beside what holds here; with none it is told which would spare questions.
    #[serde(default)]
    #[cfg_attr(test, schemars(length(max = 50)))]
    allow: Option<Vec<String>>,
}

/// The most rules that are tried at once, and the most that are proposed.
const RULES_TRIED: usize = 50;
const PROPOSED: usize = 10;

impl ToTryShape {
    /// The configuration that is tried in place of the one that holds; in words why it is none.
    fn then(self, now: &Configuration) -> Result<Result<Configuration, String>, Problem> {
        match self {
            Self { toml: Some(toml), allow: None } => {
                let then = Configuration::parse(&toml, Path::new("configuration"));
                Ok(then.map_err(|error| error.to_string()))
            }
            Self { toml: None, allow: Some(allow) } if allow.len() <= RULES_TRIED => {
                let rules = allow.iter().map(|text| text.parse::<Rule>());
                let rules = rules.collect::<Result<Vec<_>, _>>();
                Ok(rules.map(|rules| now.allowing(rules)).map_err(|error| error.to_string()))
            }
            Self { toml: None, allow: Some(_) } => {
                Err(Problem::bad_input(format!("at most {RULES_TRIED} rules are tried at once")))
            }
            _ => Err(Problem::bad_input("say either `toml` or `allow`")),
        }
    }
}

/// What the latest decisions of the record would be under another configuration.
pub(super) async fn dry_run(
    State(gateway): State<Shared>,
    body: Bytes,
) -> Result<Response, Problem> {
    let tried: ToTryShape = read(&body)?;
    let now = gateway.bench.configuration();
    let then = match tried.then(&now)? {
        Ok(then) => then,
        Err(mistake) => {
            return Ok(Json(json!({ "v": VERSION, "mistake": mistake })).into_response());
        }
    };
    let filter = Filter { kind: Some(Kind::Decision), limit: Some(TRIED), ..Filter::default() };
    let records = gateway
        .read(move |store| {
            let mut records = Vec::new();
            store.each(&filter, &mut |record| {
                records.extend(record.iter().map(record_shape));
                ControlFlow::Continue(())
            })?;
            Ok(records)
        })
        .await?;
    let tried = tokio::task::spawn_blocking(move || trial(records, now, then)).await;
    let shape = tried.map_err(|_| ClerkError::Closed)?;
    shape
        .map(|shape| Json(shape).into_response())
        .map_err(|error| Problem::bad_input(error.to_string()))
}

fn trial(
    records: Vec<Value>,
    now: Configuration,
    then: Configuration,
) -> Result<Value, SourceError> {
    let session = |configuration| {
        Session::open(Options {
            configuration,
            from_elsewhere: true,
            unrecorded: true,
            ..Options::default()
        })
    };
    let reading = Reading::of_records(records)?;
    let left_out = reading.cut + reading.other_lines;
    let comparison = Comparison::new(reading.calls, &session(now), &session(then));
    let (now, then) = comparison.tallies();
    let tally =
        |tally: Tally| json!({ "allow": tally.allowed, "ask": tally.asked, "deny": tally.denied });
    let changed = comparison.pairs.iter().filter(|pair| pair.now.verdict != pair.then.verdict);
    let spared = comparison
        .pairs
        .iter()
        .filter(|pair| pair.now.verdict == Verdict::Ask && pair.then.verdict == Verdict::Allow);
    let told: Vec<Value> = changed
        .clone()
        .take(TOLD)
        .map(|pair| {
            json!({
                "call": redact(&pair.preview),
                "now": pair.now.verdict.name(),
                "then": pair.then.verdict.name(),
                "risk": pair.then.risk,
                "rule": pair.then.rule,
            })
        })
        .collect();
    Ok(json!({
        "v": VERSION,
        "calls": comparison.pairs.len(),
        "left_out": left_out + comparison.unreadable.len(),
        "now": tally(now),
        "then": tally(then),
        "changed": changed.count(),
        "loosened": comparison.loosened().count(),
        "spared": spared.count(),
        "proposed": proposed(&comparison),
        "changes": told,
    }))
}

/// The rules that would each spare most of the questions that are left.
fn proposed(comparison: &Comparison) -> Vec<Value> {
    let mut rules: BTreeMap<String, usize> = BTreeMap::new();
    for pair in comparison.pairs.iter().filter(|pair| pair.then.verdict == Verdict::Ask) {
        // Where one rule spares nothing by itself, none is proposed.
        if let [rule] = &pair.rules[..] {
            *rules.entry(rule.to_string()).or_default() += 1;
        }
    }
    let mut rules: Vec<(String, usize)> = rules.into_iter().collect();
    rules.sort_by_key(|(_, spares)| std::cmp::Reverse(*spares));
    let told = rules.into_iter().take(PROPOSED);
    told.map(|(rule, spares)| json!({ "allow": redact(&rule), "spares": spares })).collect()
}

/// The approval policy that holds here, and how long where it is looser than what stands.
pub(super) async fn approval(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
) -> Result<Response, Problem> {
    // Whoever is judged need not know when they are judged loosely.
    permitted(&caller, Scope::Read)
        .or_else(|_| permitted(&caller, Scope::Approve))
        .or_else(|_| permitted(&caller, Scope::Admin))?;
    let now = Timestamp::now();
    let holds = gateway.read(move |store| store.in_force(now)).await?;
    let loosened = holds.loosened.as_ref().filter(|_| gateway.bench.is_free().is_ok());
    let loosened = loosened.map(|loosened| {
        json!({
            "approval_policy": loosened.policy.name(),
            "by": loosened.by,
            "approver": loosened.approver,
            "request": loosened.request.to_string(),
            "since": written(loosened.since),
            "until": written(loosened.expires),
        })
    });
    let policy = gateway.bench.in_force(&holds, now).map(ApprovalPolicy::name);
    let mut shape = json!({
        "v": VERSION,
        "approval_policy": policy.unwrap_or("configured"),
        "two_people": gateway.two_people != TwoPeople::Never,
    });
    if let (Some(loosened), Some(fields)) = (loosened, shape.as_object_mut()) {
        fields.insert("loosened".to_owned(), loosened);
    }
    Ok(Json(shape).into_response())
}

/// Puts another approval policy in place, for every gateway of the store. What is nowhere looser than what holds, holds at once; anything else is
/// a request, and holds for a time once it is approved.
pub(super) async fn set(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    body: Bytes,
) -> Result<Response, Problem> {
    let NewPolicyShape { approval_policy, lasts } = read(&body)?;
    let policy: ApprovalPolicy = approval_policy.parse().map_err(
        |error: portcullis_core::policy::NotAnApprovalPolicy| Problem::bad_input(error.to_string()),
    )?;
    let lasts = lasts.map_or(LOOSENED, |seconds| Duration::from_secs(u64::from(seconds)));
    if lasts.is_zero() || lasts > LONGEST_LOOSENED {
        let most = LONGEST_LOOSENED.as_secs();
        return Err(Problem::bad_input(format!("`lasts` must be 1 to {most} seconds")));
    }
    let locked = |error: Locked| Problem::new(StatusCode::FORBIDDEN, "locked", error.to_string());
    rights::to_rule(&gateway, &caller, policy)?;
    // Before it is recorded: the record tells of no change that was refused.
    gateway.bench.is_free().map_err(locked)?;
    let wanted = wanted(&gateway, policy, lasts, &caller)?;
    let question = wanted.question.clone();
    let _ruling = gateway.ruling.lock().await;
    match gateway.clerk.take(Step::Rule(Box::new(wanted))).await? {
        Done::Ruled(None) => {
            let decided = keep(&gateway, &caller.name).await?;
            let shape =
                json!({ "v": VERSION, "approval_policy": policy.name(), "decided": decided });
            Ok(Json(shape).into_response())
        }
        Done::Ruled(Some(id)) => {
            gateway.tell(&question);
            let asked = ApprovalShape::whole(&existing(&gateway, id).await?);
            let shape = json!({
                "v": VERSION, "approval_policy": held(&gateway), "decided": 0, "approval": asked,
            });
            Ok((StatusCode::ACCEPTED, Json(shape)).into_response())
        }
        Done::TooMany => {
            let words = "as many of your requests wait for a person as may";
            Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "too-many-pending", words)
                .with("most", PENDING.into())
                .retry_after(30))
        }
        _ => Err(ClerkError::Closed.into()),
    }
}

/// Ends a looser policy before its time.
pub(super) async fn end(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
) -> Result<Response, Problem> {
    let entry = Entry::change(&caller.name, "ended a looser approval policy", "before its time");
    let record = Body::new(&entry, Timestamp::now());
    let _ruling = gateway.ruling.lock().await;
    match gateway.clerk.take(Step::EndLoosened { record }).await? {
        Done::Ruled(_) => {
            let decided = keep(&gateway, &caller.name).await?;
            Ok(Json(json!({ "v": VERSION, "approval_policy": held(&gateway), "decided": decided }))
                .into_response())
        }
        _ => Err(Problem::unknown("looser policy")),
    }
}

/// The word for what is judged by.
fn held(gateway: &Shared) -> &'static str {
    let holds = gateway.bench.configuration().policy.options().confirmation;
    let held = ApprovalPolicy::ALL.into_iter().find(|one| one.confirmation() == holds);
    held.map_or("configured", ApprovalPolicy::name)
}

/// What is kept of a policy that somebody wants, whether it holds at once or has to be asked about.
fn wanted(
    gateway: &Shared,
    policy: ApprovalPolicy,
    lasts: Duration,
    caller: &Caller,
) -> Result<Wanted, Problem> {
    let by = caller.name.as_str();
    let configured = gateway.bench.configured();
    let confirmation = policy.confirmation();
    let holds = gateway.bench.configuration().policy.options().confirmation;
    let worst = worst_loosened(confirmation, holds).unwrap_or(Severity::High);
    let call = ToolCall {
        tool: "approval policy".to_owned(),
        arguments: [
            ("approval_policy".to_owned(), json!(policy.name())),
            ("holds_for_seconds".to_owned(), json!(lasts.as_secs())),
        ]
        .into_iter()
        .collect(),
        ..ToolCall::default()
    };
    let judged = judge_in_place(gateway, call)?;
    // Where people log in as themselves there is always somebody else.
    let alone = gateway.two_people == TwoPeople::Never && gateway.team.login.is_none();
    let unknown = |_| {
        Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "no-randomness",
            "the system gives no random numbers",
        )
    };
    // Who made their own token over HTTP is whoever made it: then it takes two others.
    let needed = if alone || caller.counts { 1 } else { 2 };
    let mut question = Question::about(&judged, by, needed, gateway.timeout).map_err(unknown)?;
    // No call of an agent has this hash, whatever it names its tool.
    let digest = Sha256::digest(format!(
        "portcullis approval policy\n{policy}\n{}\n{}",
        lasts.as_secs(),
        question.id
    ));
    question.action = format!("sha256:{}", data_encoding::HEXLOWER.encode(&digest));
    question.risk = worst.max(Severity::High).into();
    let details = &mut question.details;
    details.request.action.hash.clone_from(&question.action);
    details.request.action.risk_level = question.risk;
    details.request.action.reversible = true;
    details.request.action.impact = "Every gateway on this store would judge by it";
    details.request.risky.clear();
    details.findings.clear();
    let until = if is_looser(confirmation, configured) {
        format!("for {} once it is approved", spoken(lasts))
    } else {
        "as the configuration has it".to_owned()
    };
    let reason = format!("`{by}` wants a looser approval policy: `{policy}`, {until}");
    details.reasons = vec![reason.clone()];
    details.effects = loosened(confirmation, holds);
    details.resources = Vec::new();
    details.recommendations =
        vec!["a grant for one kind of call, or a rule, loosens less".to_owned()];
    details.layer = Layer::Person.name();
    details.understood = true;
    details.always = None;
    details.policy = Some(policy.name());
    question.tells = notices::told_of(gateway, &question);
    let asking = Entry {
        tool: Some(question.tool.clone()),
        risk: Some(question.risk),
        decision: Some(Verdict::Ask),
        layer: Some(Layer::Person),
        reason: Some(reason),
        action: Some(question.action.clone()),
        preview: Some(format!("{policy} {until}")),
        policy: Some(question.policy.clone()),
        ..Entry::new(Kind::Decision)
    };
    let now = Timestamp::now();
    let record = Entry::change(by, "changed the approval policy", policy.name());
    Ok(Wanted {
        policy,
        configured,
        by: by.to_owned(),
        record: Body::new(&record, now),
        question: Box::new(question),
        asking: Body::new(&asking, now),
        lasts,
        alone,
        most: PENDING,
    })
}

/// What a policy judges more loosely than another, in words.
fn loosened(policy: Confirmation, than: Confirmation) -> Vec<String> {
    let verb = |verdict| match verdict {
        Verdict::Allow => "goes on unasked",
        Verdict::Ask => "is asked about",
        Verdict::Deny => "is denied",
    };
    let risks = Risk::ALL.into_iter().rev();
    let changed = risks.filter(|risk| policy.verdict(*risk) < than.verdict(*risk));
    let line = |risk: Risk| {
        let (now, then) = (verb(than.verdict(risk)), verb(policy.verdict(risk)));
        format!("a risk of {risk} {then}, and {now} now")
    };
    changed.map(line).collect()
}

fn spoken(length: Duration) -> String {
    let seconds = length.as_secs();
    match (seconds / 3_600, seconds / 60, seconds) {
        (hours, _, _) if hours > 0 && seconds.is_multiple_of(3_600) => format!("{hours} h"),
        (_, minutes, _) if minutes > 0 && seconds.is_multiple_of(60) => format!("{minutes} min"),
        _ => format!("{seconds} s"),
    }
}

/// Judges by what holds now, and decides anew what waits where that is another policy than before.
pub(super) async fn keep(gateway: &Shared, by: &str) -> Result<usize, Problem> {
    let holds = gateway.read(|store| store.in_force(Timestamp::now())).await?;
    match gateway.bench.keep_to(&holds, Timestamp::now()) {
        Some(policy) => again(gateway, policy, by).await,
        None => Ok(0),
    }
}

/// Keeps to what holds in the store, whoever put it in place, until the gateway ends.
pub(super) async fn follow(gateway: Weak<Gateway>, mut head: watch::Receiver<u64>) {
    loop {
        let Some(gateway) = gateway.upgrade() else { return };
        let until = gateway.bench.until();
        // What cannot be read now is read again.
        let failed = {
            let _ruling = gateway.ruling.lock().await;
            keep(&gateway, "the gateway").await.is_err()
        };
        drop(gateway);
        let pause = match until.map(|until| until.duration_since(Timestamp::now())) {
            _ if failed => LOOK,
            Some(left) => Duration::try_from(left).unwrap_or(LOOK).clamp(LOOK, LOOK_LATEST),
            None => LOOK_LATEST,
        };
        tokio::select! {
            changed = head.changed() => if changed.is_err() { return },
            () = tokio::time::sleep(pause) => {}
        }
    }
}

async fn again(gateway: &Shared, policy: Confirmation, by: &str) -> Result<usize, Problem> {
    let mut decided = 0;
    let which = Which { status: Some(Status::Pending), ..Which::default() };
    let pending = gateway.read(move |store| every(store, which)).await?;
    for request in pending {
        let Some(status) = request.under(policy) else { continue };
        let close = Step::Close {
            id: request.id,
            status,
            by: by.to_owned(),
            reason: "the approval policy is another one now".to_owned(),
        };
        if let Done::Closed(_, true) = Arc::clone(gateway).clerk.take(close).await? {
            decided += 1;
        }
    }
    Ok(decided)
}
