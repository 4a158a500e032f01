//! The JSON of the gateway. Owns the names of the fields; what stands in them, the handlers find.

use std::collections::BTreeMap;

use jiff::Timestamp;
use portcullis_core::{redact::redact, risk::Risk};
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::Value;

use crate::{
    approvals::{Glance, Modified, Pile, Request, Token, Vote},
    grants::{Breadth, Listed, Scope},
    wire::{Answer, VERSION},
};

/// The answer to a call, with the request for approval where it asks.
#[derive(Serialize)]
pub(super) struct JudgedShape<'a> {
    #[serde(flatten)]
    pub(super) answer: Answer<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) approval: Option<ApprovalShape>,
}

/// What is accepted of a server.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct AcceptShape {
    /// What each thing was shown with.
    #[cfg_attr(test, schemars(length(min = 1, max = 5000)))]
    pub(super) marks: Vec<String>,
}

/// What is brought back of a snapshot.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub(super) struct UndoShape {
    /// Names below the workspace: these and what lies below them; all of it where there are none.
    #[cfg_attr(
        test,
        schemars(
            length(max = 10000),
            inner(regex(
                pattern = r"^(?!/)(?!\.{1,2}(/|$))(?![\s\S]*/\.\.(/|$))([^\\]|\\x[0-9a-fA-F]{2})+$"
            ))
        )
    )]
    pub(super) paths: Vec<String>,
    /// Put back also what changed after the action.
    pub(super) force: bool,
}

/// A request for approval.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ApprovalShape {
    /// The version of this shape.
    pub(super) v: u64,
    /// What it is known by.
    pub(super) id: String,
    /// What has become of it.
    pub(super) status: String,
    /// The hash of the action that was asked about.
    pub(super) action: String,
    /// The tool.
    pub(super) tool: String,
    /// How risky it is.
    #[cfg_attr(test, schemars(with = "String"))]
    pub(super) risk: Risk,
    /// The agent.
    pub(super) agent: Option<String>,
    /// Its session.
    pub(super) session: Option<String>,
    /// The name of the token that it was asked with.
    pub(super) requester: String,
    /// The project that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) project: Option<String>,
    /// The record of the decision that asks.
    pub(super) record: u64,
    /// When it was asked, RFC 3339.
    pub(super) asked: String,
    /// From when on it is too late.
    pub(super) expires: String,
    /// How many people must agree.
    pub(super) needed: u8,
    /// Who agreed, where two must.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) agreed: Vec<VoteShape>,
    /// When it was decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decided: Option<String>,
    /// Who decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) approver: Option<String>,
    /// From where: `web`, `terminal`, `api`, `gate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) origin: Option<String>,
    /// What they said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    /// What an approver put in its place. It alone was approved then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) modified: Option<ModifiedShape>,
    /// When it was taken up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) claimed: Option<String>,
    /// What kind of thing it does, where what waits is looked through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) class: Option<String>,
    /// The rules that found something, there too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) rules: Vec<String>,
    /// What would run, without secrets and cut, there too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) preview: Option<String>,
    /// Who sees to it, there too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) assigned: Option<String>,
    /// What a person is shown, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) details: Option<Value>,
}

/// One who agreed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct VoteShape {
    /// Who.
    pub(super) approver: String,
    /// From where.
    pub(super) origin: String,
    /// When.
    pub(super) time: String,
}

/// An action in place of another.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ModifiedShape {
    /// The hash of it.
    pub(super) action: String,
    /// The tool.
    pub(super) tool: String,
    /// The arguments.
    pub(super) arguments: Value,
}

impl ApprovalShape {
    /// Without what a person is shown.
    pub(super) fn short(request: &Request) -> Self {
        let Request {
            id,
            sequence,
            status,
            action,
            tool,
            risk,
            session,
            agent,
            requester,
            project,
            needed,
            agreed,
            asked,
            expires,
            decided,
            answer: _,
            approver,
            origin,
            reason,
            modified,
            claimed,
            policy: _,
            details: _,
        } = request;
        Self {
            v: VERSION,
            id: id.to_string(),
            status: status.name().to_owned(),
            action: action.clone(),
            tool: tool.clone(),
            risk: *risk,
            agent: agent.clone(),
            session: session.clone(),
            requester: requester.clone(),
            project: project.clone(),
            record: *sequence,
            asked: written(*asked),
            expires: written(*expires),
            needed: *needed,
            agreed: agreed.iter().map(VoteShape::of).collect(),
            decided: decided.map(written),
            approver: approver.clone(),
            origin: origin.clone(),
            reason: reason.clone(),
            modified: modified.as_ref().map(ModifiedShape::of),
            claimed: claimed.map(written),
            class: None,
            rules: Vec::new(),
            preview: None,
            assigned: None,
            details: None,
        }
    }

    /// With what is told before it is opened.
    pub(super) fn glance(glance: &Glance) -> Self {
        let Glance { request, class, rules, preview, assigned } = glance;
        Self {
            class: class.clone(),
            rules: rules.clone(),
            preview: preview.clone(),
            assigned: assigned.clone(),
            ..Self::short(request)
        }
    }

    /// With everything.
    pub(super) fn whole(request: &Request) -> Self {
        Self { details: Some(request.details.clone()), ..Self::short(request) }
    }
}

impl VoteShape {
    fn of(vote: &Vote) -> Self {
        let Vote { approver, origin, time } = vote;
        Self { approver: approver.clone(), origin: origin.clone(), time: written(*time) }
    }
}

impl ModifiedShape {
    fn of(modified: &Modified) -> Self {
        let Modified { action, tool, arguments, files: _ } = modified;
        Self { action: action.clone(), tool: tool.clone(), arguments: arguments.clone() }
    }
}

/// Some requests, the newest first, or the worst.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ApprovalsShape {
    /// The version of this shape.
    pub(super) v: u64,
    /// How many wait in all; they are counted no further than ten thousand.
    pub(super) pending: u64,
    /// How many wait of each risk, the worst counted first.
    pub(super) pending_by_risk: BTreeMap<&'static str, u64>,
    /// How far the record had come before this was read, for people, and where the worst come first: as the stream of changes tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) head: Option<u64>,
    /// How many of each risk are like what was looked for, where something was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) found_by_risk: Option<BTreeMap<&'static str, u64>>,
    /// The requests.
    pub(super) approvals: Vec<ApprovalShape>,
    /// What to give as `before` for those before these; missing where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<u64>,
    /// What to give as `after` for those that are less bad; missing where there are none, and where the newest come first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<String>,
}

impl ApprovalsShape {
    pub(super) fn of(by_risk: &[(Risk, u64)], approvals: Vec<ApprovalShape>) -> Self {
        Self {
            v: VERSION,
            pending: by_risk.iter().map(|(_, count)| count).sum(),
            pending_by_risk: by_risk.iter().map(|(risk, count)| (risk.name(), *count)).collect(),
            head: None,
            found_by_risk: None,
            approvals,
            before: None,
            next: None,
        }
    }
}

/// Who looks at a request, and who waits for it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct LookShape {
    /// The version of this shape.
    pub(super) v: u64,
    /// Who else has it open at this gateway.
    pub(super) looking: Vec<String>,
    /// Whether an agent waits for the answer at this gateway. One that does not may come back for it.
    pub(super) waits: bool,
}

/// What waits, the alike together.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct PilesShape {
    /// The version of this shape.
    pub(super) v: u64,
    /// What is alike, the worst first.
    pub(super) piles: Vec<PileShape>,
    /// Whether there may be more than these.
    pub(super) cut: bool,
}

/// Requests that have the same tool, risk, class, rules, agent, project and requester.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct PileShape {
    /// How many there are.
    pub(super) count: u64,
    /// The oldest of them.
    pub(super) first: ApprovalShape,
}

impl PileShape {
    pub(super) fn of(pile: &Pile) -> Self {
        Self { count: pile.count, first: ApprovalShape::glance(&pile.first) }
    }
}

/// A person's word on a request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(
    test,
    schemars(extend("if" = {
        "properties": { "decision": { "const": "deny" } }
    }, "then" = {
        "properties": { "modified": { "type": "null" }, "alike": { "type": "null" } }
    }, "else" = {
        "not": {
            "properties": { "modified": { "type": "object" }, "alike": { "type": "string" } }, "required": ["modified", "alike"]
        }
    }))
)]
pub(super) struct DecisionShape {
    /// `approve` or `deny`.
    pub(super) decision: Word,
    /// Why, for the agent and the record.
    #[serde(default)]
    pub(super) reason: Option<String>,
    /// The hash of the action that was shown: who approves says what.
    #[serde(default)]
    pub(super) action: Option<String>,
    /// What shall run in its place.
    #[serde(default)]
    pub(super) modified: Option<InPlaceShape>,
    /// Where the like of it goes on with it, as `details.alike` says what that is: `session` for eight hours, or `project` for 30 days.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<Where>"))]
    pub(super) alike: Option<Breadth>,
}

/// Where the like of a request goes on.
#[cfg(test)]
#[derive(schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "its names are published")]
enum Where {
    /// In the session that asked.
    Session,
    /// In the project that it was asked in.
    Project,
}

/// Yes or no.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) enum Word {
    /// It may go on, once.
    Approve,
    /// It may not.
    Deny,
}

/// A call in place of another.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct InPlaceShape {
    /// The tool; the same as before where it is missing.
    #[serde(default)]
    #[cfg_attr(test, schemars(extend("pattern" = "\\S")))]
    pub(super) tool: Option<String>,
    /// The arguments.
    pub(super) arguments: serde_json::Map<String, Value>,
}

/// Taking up an approval.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ClaimShape {
    /// The hash of what is about to run.
    pub(super) action: String,
}

/// The same word on many requests.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(
    test,
    schemars(extend("if" = {
        "properties": { "decision": { "const": "approve" } }
    }, "then" = {
        "properties": { "ids": { "type": "array" }, "alike": { "type": "null" } }, "required": ["ids"]
    }, "else" = {
        "not": {
            "properties": { "ids": { "type": "array" }, "alike": { "type": "string" } }, "required": ["ids", "alike"]
        }
    }))
)]
pub(super) struct ManyShape {
    /// `approve` or `deny`.
    pub(super) decision: Word,
    /// Why.
    #[serde(default)]
    pub(super) reason: Option<String>,
    /// Which; all that wait where it is missing, which only a denial may leave out.
    #[serde(default)]
    #[cfg_attr(test, schemars(inner(regex(pattern = "^[0-9a-f]{32}$"))))]
    pub(super) ids: Option<Vec<String>>,
    /// All that are alike to this one, in place of `ids`: only a denial is for them.
    #[serde(default)]
    #[cfg_attr(test, schemars(extend("pattern" = "^[0-9a-f]{32}$")))]
    pub(super) alike: Option<String>,
}

/// How many a word decided.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct CountShape {
    /// The version of this shape.
    pub(super) v: u64,
    /// How many requests it decided.
    pub(super) decided: usize,
}

/// A token without its secret.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct TokenShape {
    /// What it is known by.
    pub(super) id: String,
    /// Whose it is.
    pub(super) name: String,
    /// `api` or `browser`.
    pub(super) holder: String,
    /// What may be done with it.
    pub(super) scopes: Vec<String>,
    /// Whether it was made on the gateway's own machine: only then it counts where two people must agree.
    pub(super) made_here: bool,
    /// When it was made.
    pub(super) created: String,
    /// When it ends.
    pub(super) expires: Option<String>,
    /// When it was revoked.
    pub(super) revoked: Option<String>,
    /// The token itself: in the answer that makes it, and never again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) token: Option<String>,
}

impl TokenShape {
    pub(super) fn of(token: &Token, secret: Option<String>) -> Self {
        Self {
            id: token.id.to_string(),
            name: token.name.clone(),
            holder: token.holder.name().to_owned(),
            scopes: token.scopes.names().map(str::to_owned).collect(),
            made_here: token.made_here,
            created: written(token.created),
            expires: token.expires.map(written),
            revoked: token.revoked.map(written),
            token: secret,
        }
    }
}

/// A token to be made.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct NewTokenShape {
    /// Whose it is: the name under which its holder asks and decides.
    #[cfg_attr(test, schemars(extend("pattern" = "^[A-Za-z0-9._@-]{1,64}$")))]
    pub(super) name: String,
    /// `judge`, or some of `approve`, `read`, `admin`.
    #[cfg_attr(
        test,
        schemars(extend("minItems" = 1, "oneOf" = [
            { "items": { "const": "judge" } },
            { "items": { "enum": ["approve", "read", "admin"] } },
        ]))
    )]
    pub(super) scopes: Vec<String>,
    /// After how many seconds it ends; never where it is missing.
    #[serde(default, deserialize_with = "whole")]
    #[cfg_attr(test, schemars(range(max = 4_294_967_295_u32)))]
    pub(super) expires_in: Option<u32>,
}

/// A whole number, however JSON writes it: `60.0` is 60.
fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let Some(number) = Option::<serde_json::Number>::deserialize(deserializer)? else {
        return Ok(None);
    };
    let written = number.as_f64().filter(|number| number.fract() == 0.0).map(|it| it.to_string());
    let whole = written.and_then(|digits| digits.parse().ok());
    whole.map(Some).ok_or_else(|| D::Error::custom("a number of seconds is a whole one"))
}

/// The approval policy.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct NewPolicyShape {
    /// `auto_approve`, `auto_deny`, `confirm_all`, `confirm_high_risk`, `confirm_medium_and_up` or `custom`.
    #[cfg_attr(
        test,
        schemars(extend("enum" = [
            "auto_approve", "auto_deny", "confirm_all", "confirm_high_risk", "confirm_medium_and_up", "custom",
        ]))
    )]
    pub(super) approval_policy: String,
    /// For how many seconds a looser one holds; an hour where it is missing.
    #[serde(default, deserialize_with = "whole")]
    #[cfg_attr(test, schemars(range(min = 1, max = 86_400)))]
    pub(super) lasts: Option<u32>,
}

/// A request, as it is written wherever it is told of.
#[must_use]
pub fn approval_json(request: &Request) -> Value {
    // What a shape is made of can always be written.
    serde_json::to_value(ApprovalShape::short(request)).unwrap_or_default()
}

/// A time as it is written everywhere.
pub(super) fn written(time: Timestamp) -> String {
    format!("{time:.6}")
}

/// What people let go on together with a request, the newest first; what ended not long ago is listed as well.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct GrantsShape {
    /// The version of this shape.
    pub(super) v: u64,
    /// The grants.
    pub(super) grants: Vec<GrantShape>,
}

/// What somebody let go on beforehand.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct GrantShape {
    /// What it is known by.
    pub(super) id: String,
    /// Whether it holds.
    pub(super) holds: bool,
    /// Why it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) why: Option<String>,
    /// What it lets go on, in words.
    pub(super) words: String,
    /// `session`, `project`, `once` or `always`.
    pub(super) scope: String,
    /// Which session or project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) place: Option<String>,
    /// The name of the token whose calls it is for; missing where it is for the hooks of the gateway's own machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) whose: Option<String>,
    /// Who gave it.
    pub(super) by: String,
    /// When it was given, RFC 3339.
    pub(super) granted: String,
    /// When it ends.
    pub(super) expires: String,
    /// The record of the answer that gave it.
    pub(super) record: u64,
}

impl GrantShape {
    pub(super) fn of(one: &Listed) -> Self {
        let (grant, holds) = match &one.grant {
            Ok(both) => both,
            Err(void) => {
                let why = Some(void.to_string());
                return Self { id: one.name.clone(), why, ..Self::default() };
            }
        };
        let place = match &grant.scope {
            Scope::Session(place) | Scope::Project(place) => Some(place.clone()),
            Scope::Once | Scope::Always => None,
        };
        Self {
            id: one.name.clone(),
            holds: holds.is_ok(),
            why: holds.as_ref().err().map(ToString::to_string),
            words: redact(&grant.words()).into_owned(),
            scope: grant.scope.name().to_owned(),
            place,
            whose: grant.whose.clone(),
            by: grant.by.clone(),
            granted: written(grant.granted),
            expires: written(grant.expires),
            record: grant.record,
        }
    }
}
