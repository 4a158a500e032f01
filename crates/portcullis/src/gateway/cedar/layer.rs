//! What Cedar is asked about a call, and what follows. Owns the request: who, what, where, and the context; that whatever cannot be said or evaluated is forbidden.
//!
//! Cedar leaves a policy out whose evaluation fails, so that a `forbid` over an attribute that is not there would permit. Here a single error denies.

use std::{
    collections::{HashMap, HashSet},
    fs,
    io::Read as _,
    path::{Path, PathBuf},
    str::FromStr as _,
    sync::{Arc, Mutex, PoisonError},
};

use cedar_policy::{
    AuthorizationError, Authorizer, Context, Decision, Entities, Entity, EntityId, EntityTypeName,
    EntityUid, PolicyId, PolicySet, Request, RestrictedExpression,
};
use portcullis_core::{
    action::ActionKind,
    assessment::{Coverage, MAX_RESOURCES},
    decision::Verdict,
    risk::Severity,
};
use serde_json::Value;

use super::CedarError;
use crate::{
    config::Cedar,
    session::{Judged, Opinion, Overlay, preview},
};

/// The longest file, and the most policies.
const LONGEST: u64 = 4 << 20;
const MOST_POLICIES: usize = 10_000;

/// How deep arguments may be, and how many values they may have. What is more is not asked about, and denied.
const DEEPEST: usize = 32;
const MOST_VALUES: usize = 10_000;

/// How many tools the entities are kept for, with their classes: an organisation may have many, and they are put together anew for each tool.
const KEPT: usize = 64;

/// What a policy file ends with.
const END: &str = "cedar";

/// The layer.
pub(super) struct Layer {
    authorizer: Authorizer,
    policies: PolicySet,
    entities: Entities,
    /// The same with the entities of a tool and its class.
    kept: Mutex<HashMap<(EntityUid, EntityUid), Arc<Entities>>>,
    /// What a policy calls itself: its `@id`, else its file and place.
    names: HashMap<PolicyId, String>,
    forbidden: Verdict,
    types: Types,
}

struct Types {
    agent: EntityTypeName,
    action: EntityTypeName,
    gateway: EntityTypeName,
}

impl Layer {
    pub(super) fn read(cedar: &Cedar) -> Result<Self, CedarError> {
        let bad = |path: &Path, why: String| CedarError::File { path: path.to_owned(), why };
        let (mut policies, mut names) = (PolicySet::new(), HashMap::new());
        for path in files(&cedar.policies)? {
            let text = text(&path)?;
            let own = PolicySet::from_str(&text)
                .map_err(|error| bad(&path, format!("cannot be read: {error}")))?;
            if own.templates().next().is_some() {
                return Err(bad(&path, "has a template, which nothing fills in here".to_owned()));
            }
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            for policy in own.policies() {
                let id = PolicyId::new(format!("{file}/{}", policy.id()));
                let name = policy.annotation("id").map_or_else(|| id.to_string(), str::to_owned);
                names.insert(id.clone(), name);
                policies.add(policy.new_id(id)).map_err(|error| bad(&path, error.to_string()))?;
            }
        }
        match names.len() {
            0 => return Err(bad(&cedar.policies, "has no policy".to_owned())),
            many if many > MOST_POLICIES => {
                let why = format!("has more than {MOST_POLICIES} policies");
                return Err(bad(&cedar.policies, why));
            }
            _ => {}
        }
        let entities = match &cedar.entities {
            None => Entities::empty(),
            Some(path) => Entities::from_json_str(&text(path)?, None)
                .map_err(|error| bad(path, format!("cannot be read: {error}")))?,
        };
        let named = |name: &str| {
            EntityTypeName::from_str(name).map_err(|error| bad(&cedar.policies, error.to_string()))
        };
        Ok(Self {
            authorizer: Authorizer::new(),
            policies,
            entities,
            kept: Mutex::default(),
            names,
            forbidden: cedar.forbidden.verdict(),
            types: Types {
                agent: named("Agent")?,
                action: named("Action")?,
                gateway: named("Gateway")?,
            },
        })
    }

    /// The request about a call, with the entities that it needs beside the organisation's own.
    fn request(&self, judged: &Judged) -> Result<(Request, Arc<Entities>), String> {
        let call = &judged.action.call;
        let of = |name: &EntityTypeName, id: &str| {
            EntityUid::from_type_name_and_id(name.clone(), EntityId::new(id))
        };
        let class = judged.judgement.assessment.class.name();
        let class = of(&self.types.action, &format!("class:{class}"));
        let action = of(&self.types.action, &call.tool);
        let agent = of(&self.types.agent, call.agent.as_deref().unwrap_or_default());
        let gateway = of(&self.types.gateway, "portcullis");
        let context = Context::from_pairs(context(judged)?).map_err(|error| error.to_string())?;
        let request = Request::new(agent, action.clone(), gateway, context, None);
        Ok((request.map_err(|error| error.to_string())?, self.entities_of(action, class)?))
    }

    fn entities_of(&self, action: EntityUid, class: EntityUid) -> Result<Arc<Entities>, String> {
        let key = (action, class);
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept().get(&key) {
            return Ok(Arc::clone(known));
        }
        let (action, class) = key.clone();
        // What the file says of agents stays; what an action is, is ours to say. A tool that is called as a class is called is in no other.
        let of_class =
            if action == class { HashSet::new() } else { HashSet::from([class.clone()]) };
        let own =
            [Entity::new_no_attrs(class, HashSet::new()), Entity::new_no_attrs(action, of_class)];
        let entities = self.entities.clone().upsert_entities(own, None);
        let entities = Arc::new(entities.map_err(|error| error.to_string())?);
        let mut kept = kept();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(key, Arc::clone(&entities));
        Ok(entities)
    }

    fn name(&self, id: &PolicyId) -> String {
        self.names.get(id).cloned().unwrap_or_else(|| id.to_string())
    }
}

impl Overlay for Layer {
    fn opinion(&self, judged: &Judged) -> Opinion {
        let denied = |note: String| Opinion { verdict: Verdict::Deny, note };
        let (request, entities) = match self.request(judged) {
            Ok(asked) => asked,
            Err(why) => return denied(format!("cedar cannot be asked about this call: {why}")),
        };
        let response = self.authorizer.is_authorized(&request, &self.policies, &entities);
        // Its own words may quote the call; which policy it is, is enough.
        let failed = response.diagnostics().errors().map(|error| match error {
            AuthorizationError::PolicyEvaluationError(error) => self.name(error.policy_id()),
        });
        let mut failed: Vec<String> = failed.collect();
        if !failed.is_empty() {
            failed.sort();
            return denied(format!("cedar cannot evaluate {}", listed(&failed)));
        }
        match response.decision() {
            Decision::Allow => Opinion { verdict: Verdict::Allow, note: String::new() },
            Decision::Deny => {
                let ids = response.diagnostics().reason().map(|id| self.name(id));
                let mut ids: Vec<String> = ids.collect();
                ids.sort();
                let note = if ids.is_empty() {
                    "no policy of cedar permits this call".to_owned()
                } else {
                    format!("cedar forbids this call: {}", listed(&ids))
                };
                Opinion { verdict: self.forbidden, note }
            }
        }
    }
}

/// What policies can ask of a call.
fn context(judged: &Judged) -> Result<Vec<(String, RestrictedExpression)>, String> {
    let (assessment, decision) = (&judged.judgement.assessment, &judged.judgement.decision);
    let text = |text: &str| RestrictedExpression::new_string(text.to_owned());
    let texts = |texts: &mut dyn Iterator<Item = &str>| {
        let texts: Vec<_> = texts.map(text).collect();
        RestrictedExpression::new_set(texts)
    };
    let flag = RestrictedExpression::new_bool;
    // What is not understood is above everything.
    let level = match assessment.risk.severity() {
        Some(Severity::Safe) => 0,
        Some(Severity::Low) => 1,
        Some(Severity::Medium) => 2,
        Some(Severity::High) => 3,
        Some(Severity::Critical) => 4,
        None => 5,
    };
    let call = &judged.action.call;
    let session = &judged.facts.session;
    let mut fields = vec![
        ("named".to_owned(), flag(call.session.is_some())),
        ("secret".to_owned(), flag(session.knows_secret() || session.is_lost())),
        ("led".to_owned(), flag(session.is_led_elsewhere() || session.is_lost())),
        ("lost".to_owned(), flag(session.is_lost())),
    ];
    if let Some(id) = &call.session {
        fields.push(("id".to_owned(), text(id)));
    }
    let bad = |error: cedar_policy::ExpressionConstructionError| error.to_string();
    let mut room = MOST_VALUES;
    let arguments = Value::Object(call.arguments.clone());
    let arguments = expression(&arguments, DEEPEST, &mut room)?;
    Ok(vec![
        ("risk".to_owned(), text(assessment.risk.name())),
        ("level".to_owned(), RestrictedExpression::new_long(level)),
        ("findings".to_owned(), texts(&mut assessment.findings.iter().map(|found| found.rule))),
        ("resources".to_owned(), texts(&mut assessment.resources.iter().map(String::as_str))),
        // Whether these are all of them.
        ("resources_whole".to_owned(), flag(assessment.resources.len() < MAX_RESOURCES)),
        ("understood".to_owned(), flag(assessment.coverage == Coverage::Full)),
        ("reversible".to_owned(), flag(assessment.reversible)),
        ("class".to_owned(), text(assessment.class.name())),
        ("decision".to_owned(), text(decision.verdict.name())),
        ("kind".to_owned(), text(kind(&judged.action.kind))),
        ("call".to_owned(), text(&preview(&judged.action))),
        ("session".to_owned(), RestrictedExpression::new_record(fields).map_err(bad)?),
        ("arguments".to_owned(), arguments.ok_or("its arguments are nothing")?),
    ])
}

/// What a call is, whatever its tool is called.
const fn kind(kind: &ActionKind) -> &'static str {
    match kind {
        ActionKind::Shell { .. } => "shell",
        ActionKind::Code { .. } => "code",
        ActionKind::Query { .. } => "query",
        ActionKind::File { .. } => "file",
        ActionKind::Http { .. } => "http",
        ActionKind::Tool => "tool",
    }
}

/// A value of JSON as one of Cedar. Nothing stands for `null`, so that whoever asks for it finds nothing; a number that Cedar has not is its text, so that whoever compares it
/// fails.
fn expression(
    value: &Value,
    deep: usize,
    room: &mut usize,
) -> Result<Option<RestrictedExpression>, String> {
    let Some(left) = room.checked_sub(1) else {
        return Err(format!("its arguments have more than {MOST_VALUES} values"));
    };
    *room = left;
    let Some(deeper) = deep.checked_sub(1) else {
        return Err(format!("its arguments are deeper than {DEEPEST}"));
    };
    Ok(Some(match value {
        Value::Null => return Ok(None),
        Value::Bool(flag) => RestrictedExpression::new_bool(*flag),
        Value::Number(number) => match number.as_i64() {
            Some(number) => RestrictedExpression::new_long(number),
            None => RestrictedExpression::new_string(number.to_string()),
        },
        Value::String(text) => RestrictedExpression::new_string(text.clone()),
        Value::Array(values) => {
            let mut all = Vec::with_capacity(values.len());
            for value in values {
                all.extend(expression(value, deeper, room)?);
            }
            RestrictedExpression::new_set(all)
        }
        Value::Object(members) => {
            let mut fields = Vec::with_capacity(members.len());
            for (name, value) in members {
                if let Some(value) = expression(value, deeper, room)? {
                    fields.push((name.clone(), value));
                }
            }
            RestrictedExpression::new_record(fields).map_err(|error| error.to_string())?
        }
    }))
}

/// A few names in a line.
fn listed(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(3).map(|name| format!("`{name}`")).collect();
    match names.len().checked_sub(shown.len()) {
        Some(more @ 1..) => format!("{} and {more} more", shown.join(", ")),
        _ => shown.join(", "),
    }
}

/// The files of policies, by name.
fn files(path: &Path) -> Result<Vec<PathBuf>, CedarError> {
    let bad = |error: std::io::Error| CedarError::File {
        path: path.to_owned(),
        why: format!("cannot be read: {error}"),
    };
    if !fs::metadata(path).map_err(bad)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(bad)? {
        let path = entry.map_err(bad)?.path();
        if path.extension().is_some_and(|end| end == END) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn text(path: &Path) -> Result<String, CedarError> {
    let bad = |why: String| CedarError::File { path: path.to_owned(), why };
    let mut text = String::new();
    let read =
        fs::File::open(path).and_then(|file| file.take(LONGEST + 1).read_to_string(&mut text));
    read.map_err(|error| bad(format!("cannot be read: {error}")))?;
    if text.len() as u64 > LONGEST {
        return Err(bad(format!("has more than {LONGEST} bytes")));
    }
    Ok(text)
}
