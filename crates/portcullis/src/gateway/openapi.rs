//! The description of the gateway for programs, OpenAPI 3.1: made of the table of routes and of the schemas of what comes and goes, so that
//! it says what the code does. Owns how the two are put together; the schemas are published beside the others.

use std::sync::LazyLock;

use axum::http::Method;
use serde_json::{Map, Value, json};

use super::{
    intercept::AUTHORIZE,
    routes::{Kind, Needs, ROUTES, Route},
};

/// The schemas, as the tests below write them.
const SCHEMAS: &str = include_str!("../../../../docs/reference/gateway.schema.json");

/// The description, as text.
pub(super) static TEXT: LazyLock<String> = LazyLock::new(|| format!("{:#}\n", document()));

fn document() -> Value {
    let mut paths = Map::new();
    for route in ROUTES {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        if let Some(path) = path.as_object_mut() {
            path.insert(route.method.as_str().to_ascii_lowercase(), operation(route));
        }
    }
    let schemas: Value = serde_json::from_str(SCHEMAS).unwrap_or_default();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Portcullis gateway",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Judge what agents want to do, ask people, and read the record.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": schemas.get("$defs").cloned().unwrap_or_default(),
        },
    })
}

fn operation(route: &Route) -> Value {
    let mut parameters: Vec<Value> = Vec::new();
    for name in route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')) {
        let schema = if name == "sequence" {
            json!({ "type": "integer", "minimum": 0, "maximum": u64::MAX })
        } else if name == "snapshot" {
            json!({ "type": "string", "pattern": "^[0-9a-f]{8}$" })
        } else if name == "server" && route.path.starts_with(AUTHORIZE) {
            // As the other gateway calls it.
            json!({ "type": "string", "minLength": 1 })
        } else if name == "server" {
            json!({ "type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$" })
        } else {
            json!({ "type": "string", "pattern": "^[0-9a-f]{32}$" })
        };
        parameters.push(json!({ "name": name, "in": "path", "required": true, "schema": schema }));
    }
    for (name, kind, words) in route.query {
        let schema = match kind {
            Kind::Number => json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX }),
            Kind::Record => json!({ "type": "integer", "minimum": 0, "maximum": u64::MAX }),
            Kind::Time => json!({ "type": "string", "format": "date-time" }),
            Kind::Text => json!({ "type": "string" }),
            Kind::Word(words) => json!({ "enum": words }),
        };
        parameters
            .push(json!({ "name": name, "in": "query", "description": words, "schema": schema }));
    }
    if route.path == "/v1/judge" {
        parameters.push(json!({
            "name": "Idempotency-Key", "in": "header", "schema": { "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$" },
            "description": "The same key and the same call get the same answer for a day",
        }));
    }
    let mut responses = Map::new();
    responses.insert(route.status.to_string(), good(route));
    if route.path == "/v1/policy/approval" && route.method == Method::PUT {
        let mut asked = good(route);
        if let Some(asked) = asked.as_object_mut() {
            asked.insert("description".to_owned(), json!("It is looser, and asked for"));
        }
        responses.insert("202".to_owned(), asked);
    }
    if route.gives == "Bundle" {
        let same = json!({ "description": "It is the one that `If-None-Match` names" });
        responses.insert("304".to_owned(), same);
    }
    let problem = match route.gives {
        // As the specification of guards has it.
        "GuardVerdict" => json!({ "application/json": { "schema": reference("GuardError") } }),
        // A no that the client of the other gateway can read.
        _ if route.path.starts_with(AUTHORIZE) => json!({
            "application/json": { "schema": reference("McpMessage") },
            "application/problem+json": { "schema": reference("Problem") },
        }),
        _ => json!({ "application/problem+json": { "schema": reference("Problem") } }),
    };
    let default = json!({ "description": "Why it was not done", "content": problem });
    responses.insert("default".to_owned(), default);
    let mut operation = json!({
        "summary": route.summary,
        "operationId": id(route),
        "parameters": parameters,
        "responses": responses,
    });
    let Some(fields) = operation.as_object_mut() else { return operation };
    if !route.takes.is_empty() {
        let content = json!({ "application/json": { "schema": reference(route.takes) } });
        fields.insert("requestBody".to_owned(), json!({ "required": true, "content": content }));
    }
    let scopes = match route.needs {
        Needs::Nothing => return operation,
        Needs::Token => "any token".to_owned(),
        Needs::Scope(scope) => format!("the scope `{}`", scope.name()),
        Needs::Either(one, other) => {
            format!("the scope `{}` or `{}`", one.name(), other.name())
        }
    };
    fields.insert("description".to_owned(), json!(format!("Needs {scopes}.")));
    fields.insert("security".to_owned(), json!([{ "token": [] }]));
    operation
}

fn good(route: &Route) -> Value {
    if route.gives.is_empty() {
        return json!({ "description": "Done" });
    }
    let kinds: &[&str] = match route.gives {
        "Events" | "McpEvents" => &["text/event-stream"],
        "McpMessage" => &["application/json", "text/event-stream"],
        "Metrics" => &["application/openmetrics-text"],
        "Export" => &["application/jsonl", "text/csv", "text/plain"],
        _ => &["application/json"],
    };
    let mut content = Map::new();
    for kind in kinds {
        let schema = match *kind {
            "application/json" => reference(route.gives),
            // A message of the protocol in each.
            "text/event-stream" if route.gives.starts_with("Mcp") => json!({ "type": "string" }),
            // What a reader of events makes of each.
            "text/event-stream" => json!({
                "type": "object",
                "required": ["id", "event", "data"],
                "properties": {
                    "id": { "type": "string" },
                    "event": { "const": "change" },
                    "data": { "type": "string", "contentMediaType": "application/json" },
                    "retry": { "type": "integer" },
                },
            }),
            _ => json!({ "type": "string" }),
        };
        content.insert((*kind).to_owned(), json!({ "schema": schema }));
    }
    json!({ "description": "Done", "content": content })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{}", name.trim_end_matches("Shape")) })
}

/// `getApproval` from `GET /v1/approvals/{id}`.
fn id(route: &Route) -> String {
    let words = route.path.trim_start_matches("/v1").split(['/', '-', '.']);
    let mut id = route.method.as_str().to_ascii_lowercase();
    for word in words.filter(|word| !word.is_empty()) {
        let word = word.trim_matches(['{', '}']);
        let (first, rest) = word.split_at(word.len().min(1));
        id.push_str(&first.to_ascii_uppercase());
        id.push_str(rest);
    }
    id
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, env, fs, path::Path};

    use schemars::generate::SchemaSettings;

    use super::*;
    use crate::{
        gateway::{
            deliveries::DeliveryShape,
            machines::HoldingShape,
            people::DelegateShape,
            policy::ToTryShape,
            shapes::{
                AcceptShape, ApprovalShape, ApprovalsShape, ClaimShape, CountShape, DecisionShape,
                GrantsShape, LookShape, ManyShape, NewPolicyShape, NewTokenShape, PilesShape,
                TokenShape, UndoShape,
            },
            talk::{AssignShape, CommentShape, SnoozeShape, TalkShape},
        },
        wire::Answer,
    };

    fn schemas() -> Value {
        let settings = || {
            let mut settings = SchemaSettings::draft2020_12();
            settings.definitions_path = "/components/schemas".into();
            settings
        };
        let mut given = settings().for_serialize().into_generator();
        given.subschema_for::<ApprovalsShape>();
        given.subschema_for::<PilesShape>();
        given.subschema_for::<LookShape>();
        given.subschema_for::<TalkShape>();
        given.subschema_for::<ApprovalShape>();
        given.subschema_for::<GrantsShape>();
        given.subschema_for::<CountShape>();
        given.subschema_for::<TokenShape>();
        given.subschema_for::<Answer<'_>>();
        let mut taken = settings().for_deserialize().into_generator();
        taken.subschema_for::<DecisionShape>();
        taken.subschema_for::<ManyShape>();
        taken.subschema_for::<ClaimShape>();
        taken.subschema_for::<CommentShape>();
        taken.subschema_for::<HoldingShape>();
        taken.subschema_for::<AssignShape>();
        taken.subschema_for::<SnoozeShape>();
        taken.subschema_for::<NewTokenShape>();
        taken.subschema_for::<NewPolicyShape>();
        taken.subschema_for::<AcceptShape>();
        taken.subschema_for::<ToTryShape>();
        taken.subschema_for::<DelegateShape>();
        taken.subschema_for::<UndoShape>();
        taken.subschema_for::<DeliveryShape>();
        let mut all = given.take_definitions(true);
        all.extend(taken.take_definitions(true));
        let written = Value::Object(all).to_string();
        // On the wire nothing is called after our types.
        let renamed = written.replace("Shape\"", "\"");
        let mut all: Map<String, Value> = serde_json::from_str(&renamed).unwrap();
        for (name, schema) in by_hand() {
            assert!(all.insert(name.to_owned(), schema).is_none(), "`{name}` means two things");
        }
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "What the gateway of portcullis takes and gives",
            "$defs": all,
        })
    }

    /// What is read field by field, or made of parts that have no type of their own.
    fn by_hand() -> Vec<(&'static str, Value)> {
        let object = |properties: Value, required: Value| json!({ "type": "object", "properties": properties, "required": required });
        let text = || json!({ "type": "string" });
        let number = || json!({ "type": "integer", "minimum": 0 });
        let list = |of: Value| json!({ "type": "array", "items": of });
        let any = || json!({ "type": "object" });
        let label = || json!({ "type": "string", "maxLength": 128 });
        // `null` is as good as nothing.
        let some = |of: Value| json!({ "anyOf": [of, { "type": "null" }] });
        // What it does not name is refused.
        let strict = |properties: Value, required: Value| json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
        vec![
            (
                "Call",
                strict(
                    json!({
                        "v": { "const": 1 }, "id": { "type": ["string", "number", "null"] }, "tool": { "type": "string", "pattern": "\\S" },
                        "arguments": any(), "cwd": some(text()), "home": some(text()), "thought": some(text()), "summary": some(text()),
                        "security_risk": some(json!({ "enum": ["UNKNOWN", "LOW", "MEDIUM", "HIGH"] })),
                        "mode": some(json!({ "enum": ["default", "plan", "acceptEdits", "dontAsk", "bypassPermissions"] })),
                        "agent": some(text()), "session": some(text()), "recent_files": some(list(text())),
                        "transcript": some(list(object(json!({ "origin": { "enum": ["person", "agent", "tool"] }, "text": text() }), json!(["origin", "text"])))),
                    }),
                    json!(["tool", "arguments"]),
                ),
            ),
            (
                "Judged",
                json!({
                    "allOf": [
                        { "$ref": "#/components/schemas/Answer" },
                        object(json!({ "approval": { "$ref": "#/components/schemas/Approval" } }), json!([])),
                    ],
                }),
            ),
            (
                "Text",
                strict(
                    json!({ "v": { "const": 1 }, "id": { "type": ["string", "number", "null"] }, "text": text() }),
                    json!(["text"]),
                ),
            ),
            (
                "Inspected",
                object(
                    json!({
                        "v": number(), "id": {}, "secrets": list(any()), "injection": { "type": "boolean" },
                        "injection_findings": list(any()),
                        "caution": { "type": "boolean" }, "caution_findings": list(any()), "redacted": text(),
                    }),
                    json!([
                        "v",
                        "secrets",
                        "injection",
                        "injection_findings",
                        "caution",
                        "caution_findings",
                        "redacted"
                    ]),
                ),
            ),
            (
                "Record",
                object(
                    json!({
                        "v": number(), "sequence": number(), "time": text(), "kind": { "enum": ["decision", "answer", "outcome", "change"] },
                        "previous": text(), "hash": text(),
                    }),
                    json!([]),
                ),
            ),
            (
                "Records",
                object(
                    json!({
                        "v": number(), "head": number(), "before": number(), "records": list(json!({ "$ref": "#/components/schemas/Record" })),
                    }),
                    json!(["v", "head", "records"]),
                ),
            ),
            (
                "RecordWithProof",
                object(
                    json!({
                        "v": number(), "record": { "$ref": "#/components/schemas/Record" }, "proof": any(), "related": list(any()),
                    }),
                    json!(["v", "record", "proof", "related"]),
                ),
            ),
            (
                "Verification",
                object(
                    json!({
                        "v": number(), "intact": { "type": "boolean" }, "records": number(), "head": any(), "problems": list(text()),
                    }),
                    json!(["v", "intact", "records", "head", "problems"]),
                ),
            ),
            (
                "Delivered",
                object(
                    json!({ "v": number(), "recorded": list(text()) }),
                    json!(["v", "recorded"]),
                ),
            ),
            (
                "Sessions",
                object(json!({ "v": number(), "sessions": list(any()) }), json!(["v", "sessions"])),
            ),
            (
                "Summary",
                object(
                    json!({
                        "v": number(), "since": text(), "span_hours": number(), "cut": { "type": "boolean" }, "allow": number(), "ask": number(),
                        "deny": number(), "pending": number(), "hours": list(any()), "rules": list(any()), "projects": list(any()),
                        "answered_after_ms": any(),
                    }),
                    json!([
                        "v",
                        "since",
                        "span_hours",
                        "cut",
                        "allow",
                        "ask",
                        "deny",
                        "pending",
                        "hours",
                        "rules",
                        "projects",
                        "answered_after_ms"
                    ]),
                ),
            ),
            (
                "Rules",
                object(json!({ "v": number(), "rules": list(any()) }), json!(["v", "rules"])),
            ),
            ("Policy", object(json!({ "v": number(), "policy": text() }), json!(["v", "policy"]))),
            (
                "Trial",
                json!({
                    "oneOf": [
                        object(
                            json!({
                                "v": number(), "calls": number(), "left_out": number(), "now": any(), "then": any(), "changed": number(),
                                "loosened": number(), "spared": number(), "proposed": list(any()), "changes": list(any()),
                            }),
                            json!(["v", "calls", "now", "then", "changed", "loosened", "spared", "proposed", "changes"]),
                        ),
                        object(json!({ "v": number(), "mistake": text() }), json!(["v", "mistake"])),
                    ],
                }),
            ),
            (
                "PolicySet",
                object(
                    json!({
                        "v": number(), "approval_policy": text(), "decided": number(), "approval": { "$ref": "#/components/schemas/Approval" },
                    }),
                    json!(["v", "approval_policy", "decided"]),
                ),
            ),
            (
                "PolicyInForce",
                object(
                    json!({
                        "v": number(), "approval_policy": text(), "two_people": { "type": "boolean" },
                        "loosened": object(
                            json!({
                                "approval_policy": text(), "by": text(), "approver": { "type": ["string", "null"] }, "request": text(),
                                "since": text(), "until": text(),
                            }),
                            json!(["approval_policy", "by", "approver", "request", "since", "until"]),
                        ),
                    }),
                    json!(["v", "approval_policy", "two_people"]),
                ),
            ),
            (
                "Tokens",
                object(
                    json!({ "v": number(), "tokens": list(json!({ "$ref": "#/components/schemas/Token" })) }),
                    json!(["v", "tokens"]),
                ),
            ),
            (
                "Me",
                object(
                    json!({ "v": number(), "name": text(), "shown": text(), "scopes": list(text()), "csrf": text() }),
                    json!(["v", "name", "scopes"]),
                ),
            ),
            (
                "Notices",
                object(
                    json!({
                        "v": number(),
                        "receivers": list(object(
                            json!({ "name": text(), "kind": { "enum": ["slack", "webhook", "mail"] }, "projects": { "type": ["array", "null"], "items": text() },
                                "group": { "type": ["string", "null"] }, "after": { "type": ["number", "null"] }, "again": list(number()) }),
                            json!(["name", "kind", "projects", "group", "after", "again"]),
                        )),
                        "notices": list(object(
                            json!({
                                "id": text(), "receiver": text(), "approval": text(), "about": { "enum": ["asked", "decided"] },
                                "state": { "enum": ["waiting", "sent", "needless", "dead"] }, "attempts": number(), "made": text(),
                                "next": { "type": ["string", "null"] }, "tried": { "type": ["string", "null"] }, "trouble": { "type": ["string", "null"] },
                            }),
                            json!(["id", "receiver", "approval", "about", "state", "attempts", "made", "next", "tried", "trouble"]),
                        )),
                    }),
                    json!(["v", "receivers", "notices"]),
                ),
            ),
            (
                "NoticeState",
                object(json!({ "v": number(), "state": text() }), json!(["v", "state"])),
            ),
            (
                "ChatCode",
                object(
                    json!({ "v": number(), "code": text(), "command": text(), "expires": text() }),
                    json!(["v", "code", "command", "expires"]),
                ),
            ),
            (
                "ChatLinks",
                object(
                    json!({
                        "v": number(), "slack": { "type": "boolean" }, "up_to": text(),
                        "socket": {
                            "type": ["object", "null"], "required": ["connected", "trouble"],
                            "properties": { "connected": { "type": "boolean" }, "trouble": { "type": ["string", "null"] } },
                        },
                        "links": list(object(
                            json!({
                                "id": text(), "name": text(), "team": { "type": ["string", "null"] }, "user": { "type": ["string", "null"] },
                                "linked": { "type": ["string", "null"] },
                            }),
                            json!(["id", "name", "team", "user", "linked"]),
                        )),
                    }),
                    json!(["v", "slack", "up_to", "socket", "links"]),
                ),
            ),
            (
                "Ways",
                object(
                    json!({ "v": number(), "login": { "type": "boolean" }, "tokens": { "type": "boolean" } }),
                    json!(["v", "login", "tokens"]),
                ),
            ),
            (
                "People",
                object(
                    json!({
                        "v": number(),
                        "people": list(object(
                            json!({ "name": text(), "shown": text(), "seen": text() }),
                            json!(["name", "shown", "seen"]),
                        )),
                    }),
                    json!(["v", "people"]),
                ),
            ),
            (
                "Delegation",
                object(
                    json!({ "id": text(), "giver": text(), "taker": text(), "groups": list(text()), "expires": text() }),
                    json!(["id", "giver", "taker", "groups", "expires"]),
                ),
            ),
            (
                "Delegations",
                object(
                    json!({
                        "v": number(), "delegations": list(json!({ "$ref": "#/components/schemas/Delegation" })),
                    }),
                    json!(["v", "delegations"]),
                ),
            ),
            (
                "Servers",
                object(
                    json!({ "v": number(), "servers": list(any()), "more": { "type": "boolean" } }),
                    json!(["v", "servers", "more"]),
                ),
            ),
            (
                "Held",
                object(
                    json!({ "v": number(), "server": text(), "held": list(any()) }),
                    json!(["v", "server", "held"]),
                ),
            ),
            (
                "Snapshots",
                object(
                    json!({ "v": { "const": 1 }, "snapshots": list(any()) }),
                    json!(["v", "snapshots"]),
                ),
            ),
            (
                "Snapshot",
                object(
                    json!({ "v": { "const": 1 }, "snapshot": text(), "action": text(), "taken": text(), "workspace": text(), "files": list(any()),
                        "not_kept": list(text()), "beyond": list(text()), "undone": { "type": "boolean" } }),
                    json!([
                        "v",
                        "snapshot",
                        "action",
                        "taken",
                        "workspace",
                        "files",
                        "not_kept",
                        "beyond",
                        "undone"
                    ]),
                ),
            ),
            (
                "Undone",
                object(
                    json!({ "v": { "const": 1 }, "snapshot": text(), "brought_back": number(), "conflicts": number(), "lost": number(),
                        "kept": { "type": ["string", "null"] } }),
                    json!(["v", "snapshot", "brought_back", "conflicts", "lost"]),
                ),
            ),
            (
                "Accepted",
                object(
                    json!({ "v": number(), "accepted": list(text()) }),
                    json!(["v", "accepted"]),
                ),
            ),
            (
                "Bundle",
                strict(
                    json!({ "v": { "const": 1 }, "manifest": text(), "signatures": list(any()),
                        "files": { "type": "object", "additionalProperties": text() } }),
                    json!(["v", "manifest", "signatures", "files"]),
                ),
            ),
            (
                "Published",
                object(
                    json!({ "v": number(), "name": text(), "revision": number(), "digest": text(), "signers": list(text()) }),
                    json!(["v", "name", "revision", "digest", "signers"]),
                ),
            ),
            (
                "Machines",
                object(
                    json!({
                        "v": number(),
                        "given": {
                            "type": ["object", "null"], "required": ["revision", "digest"],
                            "properties": { "revision": number(), "digest": text() },
                        },
                        "machines": list(object(
                            json!({
                                "machine": text(), "token": text(), "name": { "type": ["string", "null"] },
                                "revision": { "type": ["integer", "null"] }, "digest": { "type": ["string", "null"] },
                                "state": { "enum": ["activated", "unchanged", "stopped", "refused"] },
                                "trouble": { "type": ["string", "null"] }, "seen": text(),
                                "current": { "type": ["boolean", "null"] }, "silent": { "type": "boolean" },
                            }),
                            json!(["machine", "token", "name", "revision", "digest", "state", "trouble", "seen", "current", "silent"]),
                        )),
                    }),
                    json!(["v", "given", "machines"]),
                ),
            ),
            ("Intercepted", any()),
            (
                "GuardEvent",
                object(
                    json!({
                        "kind": { "enum": ["step/request", "step/response"] }, "step_id": { "type": "string", "minLength": 1 },
                        "agent_id": text(), "agent_type": text(), "agent_workspace": text(),
                        "agent_user": text(), "payload": { "type": "object" },
                        "llm_protocol": { "enum":
                            ["openai.chat", "openai.responses", "anthropic.messages", "canonical"] },
                        "integration": label(), "connection": label(), "session_hint": label(),
                    }),
                    json!([
                        "kind",
                        "step_id",
                        "agent_id",
                        "agent_type",
                        "agent_workspace",
                        "agent_user",
                        "llm_protocol",
                        "payload"
                    ]),
                ),
            ),
            (
                "GuardVerdict",
                object(
                    json!({
                        "event_id": text(), "provider": text(),
                        "decision": { "enum": ["allow", "block"] }, "findings": list(any()),
                        "modifications": { "type": "object" }, "unjudged": list(text()),
                    }),
                    json!(["event_id", "provider", "decision"]),
                ),
            ),
            (
                "GuardError",
                object(
                    json!({ "error": text(), "details": {}, "limit": number() }),
                    json!(["error"]),
                ),
            ),
            (
                "GuardHealth",
                object(
                    json!({ "status": text(), "version": text() }),
                    json!(["status", "version"]),
                ),
            ),
            ("McpMessage", object(json!({ "jsonrpc": { "const": "2.0" } }), json!(["jsonrpc"]))),
            ("LogIn", strict(json!({ "token": text() }), json!(["token"]))),
            ("Health", object(json!({ "v": number(), "status": text() }), json!(["v", "status"]))),
            ("Description", any()),
            (
                "Problem",
                object(
                    json!({
                        "type": text(), "title": text(), "status": number(), "code": text(), "detail": text(),
                    }),
                    json!(["type", "title", "status", "code", "detail"]),
                ),
            ),
        ]
    }

    fn published(name: &str, written: &str) -> String {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(name);
        if env::var_os("UPDATE_SCHEMAS").is_some() {
            fs::write(&path, written).unwrap();
        }
        fs::read_to_string(&path).unwrap_or_default()
    }

    /// Run the test with `UPDATE_SCHEMAS=1` after a change; twice, because the description holds the schemas.
    #[test]
    fn the_published_description_is_the_one_of_the_code() {
        let schemas = format!("{:#}\n", schemas());
        assert!(published("gateway.schema.json", &schemas) == schemas, "run with UPDATE_SCHEMAS=1");
        assert!(published("openapi.json", &TEXT) == *TEXT, "run with UPDATE_SCHEMAS=1 once more");
    }

    #[test]
    fn every_schema_that_is_named_is_there_and_every_operation_has_its_own_name() {
        let document = document();
        let schemas = document.pointer("/components/schemas").unwrap();
        let mut ids = BTreeSet::new();
        let mut names = Vec::new();
        let text = document.to_string();
        for part in text.split("#/components/schemas/").skip(1) {
            names.push(part.split('"').next().unwrap().to_owned());
        }
        assert!(names.len() > 40, "{names:?}");
        for name in names {
            assert!(schemas.get(&name).is_some(), "{name}");
        }
        for route in ROUTES {
            assert!(ids.insert(id(route)), "{}", id(route));
        }
    }
}
