//! Other gateways that ask here before a call goes on, and after it: the interceptors of docker's MCP gateway, and external authorisation over HTTP as Envoy
//! and agentgateway have it. Owns what they send and how each of them is told no; what a call may do is judged as every other.
//!
//! Whatever goes wrong is a no in the words of whoever asks: an interceptor that answers nothing has agreed, and so has a service with an error where
//! somebody set `failure_mode_allow`. Neither is answered so but where the call may go on.

use std::{sync::Arc, time::Duration};

use axum::{
    Extension,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use portcullis_core::{call::ToolCall, decision::Verdict};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    Shared,
    access::Caller,
    judge::{self, Arrival, LONGEST_WAIT},
    problem::{Parameters, Problem},
};
use crate::{
    mcp::{
        engine::CODE,
        frame::{Answer, Frame, Id, Members, Request},
        method::{self, Asked},
        result,
        wording::why,
    },
    pins::names,
    trace::Trace,
    wire,
};

/// The paths under which interceptors ask; a token may stand in their address, since they send no headers.
pub(super) const BY_ADDRESS: &str = "/v1/intercept/";

/// The path under which authorisation is asked for.
pub(super) const AUTHORIZE: &str = "/v1/authorize/";

/// The server whose calls they are, where the address does not say.
const SERVER: &str = "docker";

/// What an interceptor's address says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Says {
    #[serde(default)]
    server: Option<String>,
    /// For how many seconds a call waits for a person.
    #[serde(default)]
    wait: Option<u32>,
}

/// Before a call: nothing where it may go on, else what is answered in its place.
pub(super) async fn before(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    Parameters(says): Parameters<Says>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let asked = async {
        let (tool, arguments) = call_of(&body)?;
        let server = says.server.as_deref().unwrap_or(SERVER);
        let wait = Duration::from_secs(says.wait.unwrap_or(0).into()).min(LONGEST_WAIT);
        let call = call(&caller, server, &tool, arguments);
        let arrival = Arrival::of(&headers);
        Ok::<_, Problem>(ruled(&gateway, (&caller, &headers), (call, arrival), wait).await)
    };
    match asked.await {
        Ok(Ok(())) => nothing(),
        Ok(Err(words)) => instead(result::failed(&format!("portcullis: {words}"))),
        Err(problem) => instead(result::failed(&format!("portcullis: {}", problem.detail()))),
    }
}

/// After a call: nothing where its result may be shown as it is, else the result without its secrets.
pub(super) async fn after(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    Parameters(says): Parameters<Says>,
    body: Bytes,
) -> Response {
    let gateway = Arc::clone(&gateway);
    let looked = move || {
        let Ok(Value::Object(members)) = wire::parse(&body, 1) else {
            return Err("the result is no object that can be read, and was left out");
        };
        let before = members.clone();
        let shown = result::shown(members);
        if shown.seen.calls_for_caution() {
            let server = says.server.as_deref().unwrap_or(SERVER);
            let call = call(&caller, server, "result", Map::new());
            // What is not kept in mind is known to be lost by the next call.
            let _ = gateway
                .bench
                .with(|session| session.answered_with(&call, &shown.text, &shown.seen));
        }
        Ok((shown.members != before).then_some(shown.members))
    };
    match tokio::task::spawn_blocking(looked).await {
        Ok(Ok(None)) => nothing(),
        Ok(Ok(Some(members))) => instead(members),
        Ok(Err(words)) => instead(result::failed(&format!("portcullis: {words}"))),
        Err(_) => instead(result::failed("portcullis: the result could not be looked through")),
    }
}

/// Whether a request to a server of another gateway may go on: 200, or 403 with why.
pub(super) async fn authorize(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(server): Path<String>,
    request: HeaderMap,
    method: axum::http::Method,
    body: Bytes,
) -> Response {
    let is_whole = |value: &HeaderValue| value == "false";
    if !request.get_all("x-envoy-auth-partial-body").iter().all(is_whole) {
        return forbidden(
            None,
            "only a part of the message was sent here (`allow_partial_message`)",
        );
    }
    if method != axum::http::Method::POST {
        return if body.is_empty() {
            nothing()
        } else {
            forbidden(None, "only a POST has a message")
        };
    }
    if body.is_empty() {
        return forbidden(None, "the message was not sent here (`with_request_body`)");
    }
    let frame = tokio::task::spawn_blocking(move || Frame::parse(&body)).await;
    let frame = match frame {
        Ok(Ok(frame)) => frame,
        Ok(Err(unreadable)) => return forbidden(unreadable.id, &unreadable.message),
        Err(_) => return forbidden(None, "the message could not be read"),
    };
    let request_of = match frame {
        // What a client tells and answers calls nothing.
        Frame::Answer(_) => return nothing(),
        Frame::Notification(told) => {
            return match method::told(&told.method) {
                Some(_) => nothing(),
                None => forbidden(None, "this notification is none that the gate knows"),
            };
        }
        Frame::Request(request) => request,
    };
    let id = request_of.id.clone();
    let arrival = Arrival::of_message(&request, Trace::of_params(request_of.params.as_ref()));
    let (tool, arguments) = match meant(request_of) {
        Ok(Some(meant)) => meant,
        Ok(None) => return nothing(),
        Err(words) => return forbidden(Some(id), words),
    };
    let call = call(&caller, &server, &tool, arguments);
    match ruled(&gateway, (&caller, &request), (call, arrival), Duration::ZERO).await {
        Ok(()) => nothing(),
        Err(words) => forbidden(Some(id), &words),
    }
}

/// The call that a message comes to; nothing where it calls and reads nothing.
fn meant(request: Request) -> Result<Option<(String, Members)>, &'static str> {
    let params = request.params.unwrap_or_default();
    let text = |name: &str| params.get(name).and_then(Value::as_str).map(str::to_owned);
    let object = |name: &str| match params.get(name) {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(members)) => Ok(members.clone()),
        Some(_) => Err("the arguments must be an object"),
    };
    let with = |pairs: Value| pairs.as_object().cloned().unwrap_or_default();
    match method::asked(&request.method) {
        None => Err("this method is none that the gate knows"),
        Some(Asked::Call) => {
            Ok(Some((text("name").ok_or("`name` must be a text")?, object("arguments")?)))
        }
        Some(Asked::Prompt) => {
            let name = text("name").ok_or("`name` must be a text")?;
            let arguments = with(json!({"name": name, "arguments": object("arguments")?}));
            Ok(Some(("get_prompt".to_owned(), arguments)))
        }
        Some(Asked::Read | Asked::Subscribe) => {
            let uri = text("uri").ok_or("`uri` must be a text")?;
            Ok(Some(("read_resource".to_owned(), with(json!({"uri": uri})))))
        }
        Some(
            Asked::Initialize
            | Asked::Discover
            | Asked::List(_)
            | Asked::Complete
            | Asked::Listen
            | Asked::Pass,
        ) => Ok(None),
    }
}

/// The call that docker's gateway sends: its member is written as that program's language writes it, or as the protocol does.
fn call_of(body: &[u8]) -> Result<(String, Members), Problem> {
    let bad = |words: &str| Problem::bad_input(words.to_owned());
    let Value::Object(members) = wire::parse(body, 1)? else {
        return Err(bad("the call is no object"));
    };
    let mut all = members.iter().filter(|(name, _)| name.eq_ignore_ascii_case("params"));
    let params = all.next().and_then(|(_, params)| params.as_object());
    let Some(params) = params.filter(|_| all.next().is_none()) else {
        return Err(bad("the call has no `params`, or two"));
    };
    let tool = params.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
    let tool = tool.ok_or_else(|| bad("`params.name` must be a text"))?;
    let arguments = match params.get("arguments") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(arguments)) => arguments.clone(),
        Some(_) => return Err(bad("`params.arguments` must be an object")),
    };
    Ok((tool.to_owned(), arguments))
}

/// All that comes with one token is one session.
fn call(caller: &Caller, server: &str, tool: &str, arguments: Members) -> ToolCall {
    ToolCall {
        tool: format!("mcp__{}__{}", names::written(server), names::written(tool)),
        arguments,
        session: Some(format!("mcp-http-{}", caller.id)),
        ..ToolCall::default()
    }
}

/// Whether a call may go on, or why not.
async fn ruled(
    gateway: &Shared,
    (caller, headers): (&Caller, &HeaderMap),
    call: (ToolCall, Arrival),
    wait: Duration,
) -> Result<(), String> {
    let ruled = judge::ruled(gateway, caller, headers, call, wait).await;
    let (judged, asked) = ruled.map_err(|problem| problem.detail().to_owned())?;
    match (judged.judgement.decision.verdict, asked) {
        (Verdict::Allow, _) => Ok(()),
        (Verdict::Ask, Some(request)) => Err(format!(
            "a person has to answer first: {}. It waits as request {}, at the gateway's page. Then make the same call again.",
            why(&judged),
            request.id
        )),
        (Verdict::Ask | Verdict::Deny, _) => Err(format!("denied: {}", why(&judged))),
    }
}

/// Nothing is said, by which whoever asks goes on.
fn nothing() -> Response {
    StatusCode::OK.into_response()
}

fn instead(members: Members) -> Response {
    let body = Value::Object(members).to_string();
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

/// A no that the client of the other gateway can read.
fn forbidden(id: Option<Id>, words: &str) -> Response {
    let words = format!("portcullis: {}", crate::report::visible::line(words));
    let body = match id {
        Some(id) => Frame::from(Answer::error(id, CODE, &words)).value(),
        None => json!({"jsonrpc": "2.0", "id": null, "error": {"code": CODE, "message": words}}),
    };
    let mut response =
        (StatusCode::FORBIDDEN, [(header::CONTENT_TYPE, "application/json")], body.to_string())
            .into_response();
    response.extensions_mut().insert(super::mcp::Spoken);
    response
}

/// A service that fails is taken for one that agrees where `failure_mode_allow` is set: what failed is a no.
pub(super) fn closed(mut response: Response) -> Response {
    if response.status().is_server_error() {
        *response.status_mut() = StatusCode::FORBIDDEN;
    }
    response
}

/// The header of a token that stands in the address of an interceptor: programs send that as a password.
pub(super) fn bearer_of(value: &HeaderValue) -> Option<HeaderValue> {
    let encoded = value.to_str().ok()?.strip_prefix("Basic ")?;
    let decoded = data_encoding::BASE64.decode(encoded.trim().as_bytes()).ok()?;
    let text = String::from_utf8(decoded).ok()?;
    let (_, token) = text.split_once(':')?;
    HeaderValue::from_str(&format!("Bearer {token}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_read_as_it_was_sent_or_not_at_all() {
        let read = |text: &str| call_of(text.as_bytes()).ok();
        let both = Some(("a".to_owned(), Map::new()));
        assert_eq!(read(r#"{"Session":{},"Params":{"name":"a"},"Extra":null}"#), both);
        assert_eq!(read(r#"{"params":{"name":"a","arguments":{}}}"#), both);
        for wrong in [
            "",
            "[]",
            "{}",
            r#"{"params":{"name":"a"},"Params":{"name":"b"}}"#,
            r#"{"params":{"name":"a","name":"b"}}"#,
            r#"{"params":{"name":""}}"#,
            r#"{"params":{"name":"a","arguments":[]}}"#,
            r#"{"params":"a"}"#,
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_failure_is_a_no_whatever_an_asker_makes_of_failures() {
        for (status, becomes) in [(200, 200), (403, 403), (401, 401), (500, 403), (503, 403)] {
            let response = StatusCode::from_u16(status).unwrap().into_response();
            assert_eq!(closed(response).status().as_u16(), becomes, "{status}");
        }
    }

    #[test]
    fn a_password_is_the_token_and_the_name_before_it_is_nobodys() {
        let bearer = |text: &str| bearer_of(&HeaderValue::from_str(text).unwrap());
        let basic = |text: &str| format!("Basic {}", data_encoding::BASE64.encode(text.as_bytes()));
        assert_eq!(bearer(&basic("any:tok")).unwrap(), "Bearer tok");
        for wrong in ["Basic", "Basic %", "Bearer x", &basic("tok"), &basic("a:\n")] {
            assert_eq!(bearer(wrong), None, "{wrong}");
        }
    }
}
