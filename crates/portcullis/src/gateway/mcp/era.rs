//! Which era of the protocol a message over HTTP speaks, and whether its headers say what its body says. Owns those checks for the gateway's own
//! clients; they come before the message reaches the engine.
//!
//! The protocol up to 2025-11-25 has sessions; that of 2026-07-28 has none, says in every request what it is, and repeats the method and what
//! it names in headers, so that others can route by them. Where the two differ, somebody on the way sees another request than we do.

use axum::http::{HeaderMap, StatusCode};
use serde_json::{Value, json};

use crate::mcp::{
    engine::{CAPABILITIES_KEY, VERSION_KEY, VERSIONS},
    frame::{Frame, Id, Members, Request},
    mirror,
};

/// The revision without sessions.
pub(super) const MODERN: &str = "2026-07-28";

/// The codes of the protocol for what is refused here.
pub(super) const HEADER_MISMATCH: i64 = -32_020;
pub(super) const UNSUPPORTED_VERSION: i64 = -32_022;
const INVALID_REQUEST: i64 = -32_600;
const UNKNOWN_METHOD: i64 = -32_601;
const INVALID_PARAMETERS: i64 = -32_602;

/// The methods that requests of the era without sessions have.
const METHODS: &[&str] = &[
    "completion/complete",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "server/discover",
    "subscriptions/listen",
    "tasks/cancel",
    "tasks/get",
    "tasks/update",
    "tools/call",
    "tools/list",
];

/// How a message is spoken.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Era {
    /// With sessions.
    Sessions,
    /// Without.
    Stateless,
}

/// Why a message is refused before anybody reads what it wants.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) id: Option<Id>,
    pub(super) code: i64,
    pub(super) message: String,
    pub(super) data: Option<Value>,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, code: i64, message: impl Into<String>) -> Self {
        Self { status, id: None, code, message: message.into(), data: None }
    }

    /// What is no message, or none that may come here.
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, INVALID_REQUEST, message)
    }

    pub(super) fn of(self, id: &Id) -> Self {
        Self { id: Some(id.clone()), ..self }
    }

    /// The body of the answer.
    pub(super) fn body(&self) -> Value {
        let Self { status: _, id, code, message, data } = self;
        let mut error = json!({"code": code, "message": message});
        if let (Some(members), Some(data)) = (error.as_object_mut(), data) {
            members.insert("data".to_owned(), data.clone());
        }
        json!({"jsonrpc": "2.0", "id": id.clone().map(Id::value), "error": error})
    }
}

/// A revision that is not spoken here, with those that are.
pub(super) fn unsupported(requested: &str, supported: &[&str]) -> Refusal {
    let requested: String = requested.chars().take(40).collect();
    let message = "this revision of the protocol is not spoken here";
    let data = json!({"supported": supported, "requested": requested});
    let refusal = Refusal::new(StatusCode::BAD_REQUEST, UNSUPPORTED_VERSION, message);
    Refusal { data: Some(data), ..refusal }
}

/// The revisions with sessions.
pub(super) fn with_sessions() -> Vec<&'static str> {
    VERSIONS.into_iter().filter(|version| *version != MODERN).collect()
}

/// How a message is spoken; it is refused where its headers say something else than it does.
pub(super) fn of(headers: &HeaderMap, frame: &Frame) -> Result<Era, Refusal> {
    let (id, params) = match frame {
        Frame::Request(request) => (Some(&request.id), request.params.as_ref()),
        Frame::Notification(notification) => (None, notification.params.as_ref()),
        Frame::Answer(_) => (None, None),
    };
    let named = |refusal: Refusal| match id {
        Some(id) => refusal.of(id),
        None => refusal,
    };
    let version = single(headers, "mcp-protocol-version").map_err(named)?;
    let said = params.and_then(|params| params.get("_meta")?.get(VERSION_KEY));
    if said.is_none() && version != Some(MODERN) {
        return match version {
            Some(version) if !VERSIONS.contains(&version) => {
                Err(named(unsupported(version, &VERSIONS)))
            }
            _ => Ok(Era::Sessions),
        };
    }
    let Frame::Request(request) = frame else {
        let refusal = Refusal::invalid("this revision of the protocol has only requests over HTTP");
        return Err(refusal);
    };
    stateless(headers, request, version).map_err(|refusal| refusal.of(&request.id))?;
    Ok(Era::Stateless)
}

fn stateless(headers: &HeaderMap, request: &Request, version: Option<&str>) -> Result<(), Refusal> {
    let missing = |what: &str| {
        let message = format!("`params._meta` needs `{what}` in every request");
        Refusal::new(StatusCode::BAD_REQUEST, INVALID_PARAMETERS, message)
    };
    let none = Members::new();
    let params = request.params.as_ref().unwrap_or(&none);
    let meta = params.get("_meta").and_then(Value::as_object).unwrap_or(&none);
    let said = meta.get(VERSION_KEY).and_then(Value::as_str).ok_or_else(|| missing(VERSION_KEY))?;
    if said != MODERN && version == Some(said) || version.is_some_and(|it| !VERSIONS.contains(&it))
    {
        return Err(unsupported(said, &[MODERN]));
    }
    if !meta.get(CAPABILITIES_KEY).is_some_and(Value::is_object) {
        return Err(missing(CAPABILITIES_KEY));
    }
    let mismatch = |header: &str| {
        let message = format!("`{header}` is missing, or says something else than the message");
        Refusal::new(StatusCode::BAD_REQUEST, HEADER_MISMATCH, message)
    };
    if version != Some(said) {
        return Err(mismatch("MCP-Protocol-Version"));
    }
    if single(headers, "mcp-method")? != Some(request.method.as_str()) {
        return Err(mismatch("Mcp-Method"));
    }
    let named = match request.method.as_str() {
        "tools/call" | "prompts/get" => params.get("name"),
        "resources/read" => params.get("uri"),
        _ => None,
    };
    if let Some(named) = named.and_then(Value::as_str) {
        let header = single(headers, "mcp-name")?.and_then(mirror::decoded);
        if header.as_deref() != Some(named) {
            return Err(mismatch("Mcp-Name"));
        }
    }
    if !METHODS.contains(&request.method.as_str()) {
        let message = "there is no such method in this revision of the protocol";
        return Err(Refusal::new(StatusCode::NOT_FOUND, UNKNOWN_METHOD, message));
    }
    Ok(())
}

/// A header that must not stand there twice.
pub(super) fn single<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, Refusal> {
    let mut all = headers.get_all(name).iter();
    let wrong = || {
        let message = format!("`{name}` stands there twice, or is not plain text");
        Refusal::new(StatusCode::BAD_REQUEST, HEADER_MISMATCH, message)
    };
    let Some(first) = all.next() else { return Ok(None) };
    let first = first.to_str().map_err(|_| wrong())?;
    if all.next().is_some() {
        return Err(wrong());
    }
    Ok(Some(first))
}

/// Whether a client takes answers of this kind.
pub(super) fn accepts(headers: &HeaderMap, kind: &str) -> bool {
    let family = kind.split('/').next().unwrap_or_default();
    headers.get_all("accept").iter().filter_map(|value| value.to_str().ok()).any(|value| {
        value.split(',').filter_map(|one| one.split(';').next()).map(str::trim).any(|one| {
            one == "*/*"
                || one.eq_ignore_ascii_case(kind)
                || one.strip_suffix("/*").is_some_and(|it| it.eq_ignore_ascii_case(family))
        })
    })
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            let name: HeaderName = name.parse().unwrap();
            headers.append(name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    fn frame(method: &str, params: Value) -> Frame {
        let value = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        Frame::parse(value.to_string().as_bytes()).unwrap()
    }

    fn meta() -> Value {
        json!({VERSION_KEY: MODERN, CAPABILITIES_KEY: {}})
    }

    #[test]
    fn a_message_belongs_to_the_era_that_its_headers_and_its_body_agree_on() {
        let old = frame("tools/list", json!({}));
        assert_eq!(of(&headers(&[]), &old), Ok(Era::Sessions));
        assert_eq!(
            of(&headers(&[("mcp-protocol-version", "2025-06-18")]), &old),
            Ok(Era::Sessions)
        );
        let new = frame("tools/list", json!({"_meta": meta()}));
        let good = [("mcp-protocol-version", MODERN), ("mcp-method", "tools/list")];
        assert_eq!(of(&headers(&good), &new), Ok(Era::Stateless));
        let code = |pairs: &[(&str, &str)], frame: &Frame| {
            let refusal = of(&headers(pairs), frame).unwrap_err();
            (refusal.status.as_u16(), refusal.code)
        };
        for version in ["1999-01-01", "not a version", ""] {
            assert_eq!(
                code(&[("mcp-protocol-version", version)], &old),
                (400, -32022),
                "{version}"
            );
        }
        // Twice, another one, or none at all.
        assert_eq!(code(&[good[0], good[0], good[1]], &new), (400, -32020));
        assert_eq!(code(&[("mcp-protocol-version", "2025-11-25"), good[1]], &new), (400, -32020));
        assert_eq!(code(&[good[1]], &new), (400, -32020));
        assert_eq!(code(&[good[0]], &new), (400, -32020));
        assert_eq!(code(&[good[0], ("mcp-method", "tools/call")], &new), (400, -32020));
        // It says which revision it speaks in its headers alone.
        assert_eq!(code(&good, &old), (400, -32602));
        let bare = frame("tools/list", json!({"_meta": {VERSION_KEY: MODERN}}));
        assert_eq!(code(&good, &bare), (400, -32602));
        let future = frame(
            "tools/list",
            json!({"_meta": {VERSION_KEY: "2030-01-01", CAPABILITIES_KEY: {}}}),
        );
        assert_eq!(
            code(&[("mcp-protocol-version", "2030-01-01"), good[1]], &future),
            (400, -32022)
        );
        let initialize = frame("initialize", json!({"_meta": meta()}));
        assert_eq!(code(&[good[0], ("mcp-method", "initialize")], &initialize), (404, -32601));
    }

    #[test]
    fn what_a_request_names_is_what_its_header_names() {
        let call = frame("tools/call", json!({"_meta": meta(), "name": "läs", "arguments": {}}));
        let with = |name: &str| {
            let pairs = [
                ("mcp-protocol-version", MODERN),
                ("mcp-method", "tools/call"),
                ("mcp-name", name),
            ];
            of(&headers(&pairs), &call).map_err(|refusal| refusal.code)
        };
        assert_eq!(with("=?base64?bMOkcw==?="), Ok(Era::Stateless));
        for wrong in ["las", "=?base64?bGFz?=", "=?base64?bMOkcw==", "=?base64?%%?=", ""] {
            assert_eq!(with(wrong), Err(-32020), "{wrong}");
        }
    }

    #[test]
    fn what_a_client_takes_is_read_as_lists_are() {
        let both = headers(&[("accept", "application/json, text/event-stream;q=0.5")]);
        assert!(accepts(&both, "application/json") && accepts(&both, "text/event-stream"));
        let two = headers(&[("accept", "application/json"), ("accept", "text/*")]);
        assert!(accepts(&two, "text/event-stream"));
        assert!(accepts(&headers(&[("accept", "*/*")]), "text/event-stream"));
        assert!(!accepts(&headers(&[("accept", "application/json")]), "text/event-stream"));
        assert!(!accepts(&headers(&[]), "application/json"));
    }
}
