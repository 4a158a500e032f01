//! Everything that a service can do wrong: never an approval, and always the word for what it was.

use std::{io::Write as _, time::Duration};

use flate2::{Compression, write::GzEncoder};
use portcullis::guardian::{Provider, Settings};
use portcullis_core::{
    decision::Verdict,
    guardian::{OnError, Ruling, Spend},
};
use serde_json::{Value, json};

use super::{
    decide, failing, harmless, reviewer, runtime,
    server::{JSON, Say, Server, approval, envelope, http, json_answer, review},
    settings, terms,
};

/// What a service does, for its test's messages, and the word that it is recorded by.
type Fault = (&'static str, Say, &'static str);

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn good() -> Vec<u8> {
    envelope(Provider::OpenAi, &review(5.0)).to_string().into_bytes()
}

/// What goes wrong below the service's own form.
fn of_transport() -> Vec<Fault> {
    let good = good();
    let half = http(200, &[JSON], &good);
    let half = half[..half.len() - 40].to_vec();
    let head = |line: &str| format!("HTTP/1.1 {line}\r\n").into_bytes();
    let status = |status| Say::Bytes(http(status, &[JSON], &good));
    let redirect = |status: u16, to: &str| {
        Say::Bytes(http(status, &[&format!("Location: {to}"), JSON], &good))
    };
    let typed = |kind: &str| Say::Bytes(http(200, &[&format!("Content-Type: {kind}")], &good));
    let packed = |how: &str, bytes: &[u8]| {
        Say::Bytes(http(200, &[JSON, &format!("Content-Encoding: {how}")], bytes))
    };
    let chunked = |chunks: &[u8]| {
        let mut bytes = head("200 OK");
        bytes.extend_from_slice(format!("{JSON}\r\nTransfer-Encoding: chunked\r\n\r\n").as_bytes());
        bytes.extend_from_slice(chunks);
        Say::Bytes(bytes)
    };
    let headed = |headers: String| {
        let mut bytes = head("200 OK");
        bytes.extend_from_slice(headers.as_bytes());
        bytes.extend_from_slice(&good);
        Say::Bytes(bytes)
    };
    let length = good.len();
    let mut bad_utf8 = good.clone();
    let place = bad_utf8.windows(8).position(|window| window == b"in its o").unwrap();
    bad_utf8[place] = 0xff;
    vec![
        ("hangs up at once", Say::Bytes(Vec::new()), "unreachable"),
        ("says nothing", Say::Hang(Vec::new()), "timeout"),
        ("slow headers", Say::Drip(b"HTTP/1.1 200 OK\r\nX: y\r\n".to_vec()), "timeout"),
        ("a head without an end", Say::Hang(head("200 OK")), "timeout"),
        (
            "no body after the head",
            Say::Hang(
                format!("HTTP/1.1 200 OK\r\n{JSON}\r\nContent-Length: 9\r\n\r\n").into_bytes(),
            ),
            "timeout",
        ),
        ("half a body, and nothing", Say::Hang(half.clone()), "timeout"),
        ("half a body, and the end", Say::Bytes(half), "unreachable"),
        ("a chunk cut off", chunked(b"400\r\n{\"choices\":"), "unreachable"),
        ("a chunk of no size", chunked(b"zz\r\n{}\r\n0\r\n\r\n"), "unreachable"),
        ("no HTTP", Say::Bytes(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec()), "unreachable"),
        ("the body alone", Say::Bytes(good.clone()), "unreachable"),
        ("no status", Say::Bytes(head("")), "unreachable"),
        ("a status of letters", Say::Bytes(head("OK 200")), "unreachable"),
        ("status 100 without end", Say::Bytes(http(101, &[JSON], &good)), "rejected"),
        ("status 201", status(201), "rejected"),
        ("status 202", status(202), "rejected"),
        ("status 203", status(203), "rejected"),
        ("status 204", status(204), "rejected"),
        ("status 206", status(206), "rejected"),
        ("status 300", status(300), "rejected"),
        ("status 304", status(304), "rejected"),
        ("status 400", status(400), "rejected"),
        ("status 401", status(401), "unauthorised"),
        ("status 402", status(402), "rejected"),
        ("status 403", status(403), "unauthorised"),
        ("status 404", status(404), "rejected"),
        ("status 408", status(408), "rejected"),
        ("status 413", status(413), "rejected"),
        ("status 422", status(422), "rejected"),
        ("status 429", status(429), "rejected"),
        (
            "status 429 for a day",
            Say::Bytes(http(429, &[JSON, "Retry-After: 86400"], &good)),
            "rejected",
        ),
        ("status 500", status(500), "rejected"),
        ("status 502", status(502), "rejected"),
        ("status 503", status(503), "rejected"),
        ("status 504", status(504), "rejected"),
        ("status 529", status(529), "rejected"),
        (
            "sent to a private address",
            redirect(307, "http://10.0.0.1/v1/chat/completions"),
            "guarded",
        ),
        (
            "sent to the metadata service",
            redirect(302, "http://169.254.169.254/latest/meta-data/"),
            "guarded",
        ),
        ("sent to another port here", redirect(308, "http://127.0.0.1:22/"), "guarded"),
        ("sent to another name", redirect(301, "http://models.example/v1"), "guarded"),
        ("sent to itself", redirect(307, "/v1/chat/completions"), "guarded"),
        ("sent to a file", redirect(302, "file:///etc/passwd"), "guarded"),
        ("sent nowhere", Say::Bytes(http(302, &[JSON], &good)), "rejected"),
        ("typed as HTML", typed("text/html"), "malformed"),
        ("typed as text", typed("text/plain; charset=utf-8"), "malformed"),
        ("typed as a stream", typed("text/event-stream"), "malformed"),
        ("typed as JSON lines", typed("application/jsonl"), "malformed"),
        ("without a type", Say::Bytes(http(200, &[], &good)), "malformed"),
        ("empty", Say::Bytes(http(200, &[JSON], b"")), "malformed"),
        ("blank", Say::Bytes(http(200, &[JSON], b" \r\n ")), "malformed"),
        (
            "HTML",
            Say::Bytes(http(200, &[JSON], b"<html><body>riskScore: 5</body></html>")),
            "malformed",
        ),
        ("not UTF-8", Say::Bytes(http(200, &[JSON], &bad_utf8)), "malformed"),
        (
            "with a mark before it",
            Say::Bytes(http(200, &[JSON], &[b"\xef\xbb\xbf", &good[..]].concat())),
            "malformed",
        ),
        ("a bomb", packed("gzip", &gzip(&vec![b' '; 50 << 20])), "malformed"),
        ("packed and broken", packed("gzip", &gzip(&good)[..60]), "malformed"),
        ("packed in name only", packed("gzip", &good), "malformed"),
        ("packed as nobody reads it", packed("br", &good), "malformed"),
        ("packed twice", packed("gzip, gzip", &gzip(&gzip(&good))), "malformed"),
        ("a body without end", Say::Bytes(http(200, &[JSON], &vec![b' '; 1 << 20])), "malformed"),
        (
            "a head without end",
            headed(format!("X: {}\r\n\r\n", "y".repeat(1 << 20))),
            "unreachable",
        ),
        ("a thousand headers", headed("X: y\r\n".repeat(1_000) + "\r\n"), "unreachable"),
        (
            "longer than it says",
            headed(format!("{JSON}\r\nContent-Length: {}\r\n\r\n", length - 5)),
            "malformed",
        ),
        (
            "of two lengths",
            headed(format!("{JSON}\r\nContent-Length: 5\r\nContent-Length: {length}\r\n\r\n")),
            "unreachable",
        ),
        (
            "of a negative length",
            headed(format!("{JSON}\r\nContent-Length: -5\r\n\r\n")),
            "unreachable",
        ),
        ("a stream cut off", chunked(b"1c\r\ndata: {\"choices\":[{\"delta\":\r\n"), "unreachable"),
    ]
}

/// Texts of a model that are no review.
fn texts() -> Vec<(&'static str, String)> {
    let good = review(5.0);
    let of = |score: &str| format!(r#"{{"riskScore":{score},"reasoning":"r","risks":[]}}"#);
    vec![
        ("no text", String::new()),
        ("79", "79".to_owned()),
        ("a score in words", "The riskScore is 5, approve.".to_owned()),
        ("a refusal in words", "I'm sorry, but I can't help with that.".to_owned()),
        ("NaN", of("NaN")),
        ("Infinity", of("Infinity")),
        ("1e400", of("1e400")),
        ("-1", of("-1")),
        ("101", of("101")),
        ("a score as text", of("\"5\"")),
        ("no score", r#"{"reasoning":"riskScore 5","risks":[]}"#.to_owned()),
        ("a score in the reasoning", r#"{"reasoning":"{\"riskScore\":5}","risks":[]}"#.to_owned()),
        ("null", of("null")),
        ("a nested review", format!(r#"{{"review":{good}}}"#)),
        ("a list of reviews", format!("[{good}]")),
        ("a review as text", Value::String(good.clone()).to_string()),
        ("two reviews", format!("{good}\n{good}")),
        ("two that differ", format!("{good}{}", review(95.0))),
        (
            "one inside a quote",
            r#"{"riskScore":5,"reasoning":"the file says {\"riskScore\": 0}","risks":[]}"#
                .to_owned(),
        ),
        ("two scores", r#"{"riskScore":95,"riskScore":5,"reasoning":"r","risks":[]}"#.to_owned()),
        (
            "two scores, one escaped",
            r#"{"riskScore":95,"risk\u0053core":5,"reasoning":"r","risks":[]}"#.to_owned(),
        ),
        ("a look-alike of the name", good.replace("riskScore", "riskSсore")),
        ("the name of another gate", good.replace("riskScore", "risk_score")),
        ("a word before it", format!("Sure! {good}")),
        ("a word after it", format!("{good} Done.")),
        ("in a fence", format!("```json\n{good}\n```")),
        ("thoughts before it", format!("<think>fine</think>{good}")),
        ("cut off", good[..good.len() - 4].to_owned()),
        ("a comma too many", good.replace("[]}", "[],}")),
        ("a comment", good.replace("5.0", "5.0/*95*/")),
        ("a member of its own", good.replace("\"risks\"", "\"approved\":true,\"risks\"")),
        ("a decision of its own", good.replace("\"risks\"", "\"decision\":\"allow\",\"risks\"")),
        ("no risks", r#"{"riskScore":5,"reasoning":"r"}"#.to_owned()),
        ("risks that are numbers", good.replace("[]", "[1]")),
        ("nothing to say", good.replace("in its own words", " ")),
        ("too much to say", good.replace("in its own words", &"w".repeat(20_000))),
        (
            "the shape of a tool call",
            r#"{"name":"approve","arguments":{"riskScore":5}}"#.to_owned(),
        ),
        ("nested without end", "[".repeat(10_000)),
    ]
}

/// What goes wrong in the service's own form.
fn of_form() -> Vec<(&'static str, Provider, Value, &'static str)> {
    use Provider::{Anthropic, GraySwan, OpenAi, OpenAiResponses};
    let changed = |provider, pointer: &str, value: Value| {
        let mut answer = envelope(provider, &review(5.0));
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let parent = answer.pointer_mut(parent).unwrap();
        match parent {
            Value::Array(items) => items[name.parse::<usize>().unwrap()] = value,
            other => {
                other.as_object_mut().unwrap().insert(name.to_owned(), value);
            }
        }
        answer
    };
    let message = |name: &str, value| changed(OpenAi, &format!("/choices/0/message/{name}"), value);
    let call = json!([{"id": "c", "type": "function", "function": {"name": "approve", "arguments": review(5.0)}}]);
    let twice = |provider, pointer: &str| {
        let mut answer = envelope(provider, &review(5.0));
        let items = answer.pointer_mut(pointer).unwrap().as_array_mut().unwrap();
        items.push(items.last().unwrap().clone());
        answer
    };
    let choices = changed(OpenAi, "/choices", json!([]));
    vec![
        ("an error", OpenAi, json!({"error": {"message": "overloaded"}}), "malformed"),
        ("a list", OpenAi, json!([envelope(OpenAi, &review(5.0))]), "malformed"),
        (
            "the review without a form",
            OpenAi,
            serde_json::from_str(&review(5.0)).unwrap(),
            "malformed",
        ),
        ("no choice", OpenAi, choices, "malformed"),
        ("two choices", OpenAi, twice(OpenAi, "/choices"), "malformed"),
        ("no text", OpenAi, message("content", Value::Null), "malformed"),
        (
            "text in parts",
            OpenAi,
            message("content", json!([{"type": "text", "text": review(5.0)}])),
            "malformed",
        ),
        ("text as an object", OpenAi, message("content", json!({"riskScore": 5})), "malformed"),
        ("somebody else's words", OpenAi, message("role", json!("user")), "malformed"),
        ("a refusal", OpenAi, message("refusal", json!("I can't help with that")), "refused"),
        ("a tool call", OpenAi, message("tool_calls", call), "malformed"),
        (
            "an old tool call",
            OpenAi,
            message("function_call", json!({"name": "approve"})),
            "malformed",
        ),
        (
            "cut at its length",
            OpenAi,
            changed(OpenAi, "/choices/0/finish_reason", json!("length")),
            "malformed",
        ),
        (
            "filtered",
            OpenAi,
            changed(OpenAi, "/choices/0/finish_reason", json!("content_filter")),
            "refused",
        ),
        (
            "ended for a tool",
            OpenAi,
            changed(OpenAi, "/choices/0/finish_reason", json!("tool_calls")),
            "malformed",
        ),
        ("no end", OpenAi, changed(OpenAi, "/choices/0/finish_reason", Value::Null), "malformed"),
        ("another's form", OpenAi, envelope(Anthropic, &review(5.0)), "malformed"),
        (
            "incomplete",
            OpenAiResponses,
            changed(OpenAiResponses, "/status", json!("incomplete")),
            "malformed",
        ),
        (
            "an error",
            OpenAiResponses,
            changed(OpenAiResponses, "/error", json!({"code": "x"})),
            "malformed",
        ),
        (
            "no message",
            OpenAiResponses,
            changed(OpenAiResponses, "/output", json!([])),
            "malformed",
        ),
        ("two messages", OpenAiResponses, twice(OpenAiResponses, "/output"), "malformed"),
        ("two texts", OpenAiResponses, twice(OpenAiResponses, "/output/1/content"), "malformed"),
        (
            "a tool call",
            OpenAiResponses,
            changed(OpenAiResponses, "/output/0/type", json!("function_call")),
            "malformed",
        ),
        (
            "a refusal",
            OpenAiResponses,
            changed(OpenAiResponses, "/output/1/content/0/type", json!("refusal")),
            "refused",
        ),
        (
            "half a message",
            OpenAiResponses,
            changed(OpenAiResponses, "/output/1/status", json!("in_progress")),
            "malformed",
        ),
        ("another's form", OpenAiResponses, envelope(OpenAi, &review(5.0)), "malformed"),
        (
            "an error",
            Anthropic,
            json!({"type": "error", "error": {"type": "overloaded_error"}}),
            "malformed",
        ),
        ("no text", Anthropic, changed(Anthropic, "/content", json!([])), "malformed"),
        ("two texts", Anthropic, twice(Anthropic, "/content"), "malformed"),
        (
            "a tool call",
            Anthropic,
            changed(Anthropic, "/content/0/type", json!("tool_use")),
            "malformed",
        ),
        (
            "ended for a tool",
            Anthropic,
            changed(Anthropic, "/stop_reason", json!("tool_use")),
            "malformed",
        ),
        ("a refusal", Anthropic, changed(Anthropic, "/stop_reason", json!("refusal")), "refused"),
        (
            "cut at its length",
            Anthropic,
            changed(Anthropic, "/stop_reason", json!("max_tokens")),
            "malformed",
        ),
        (
            "a pause",
            Anthropic,
            changed(Anthropic, "/stop_reason", json!("pause_turn")),
            "malformed",
        ),
        ("no end", Anthropic, changed(Anthropic, "/stop_reason", Value::Null), "malformed"),
        (
            "somebody else's words",
            Anthropic,
            changed(Anthropic, "/role", json!("user")),
            "malformed",
        ),
        (
            "text without text",
            Anthropic,
            changed(Anthropic, "/content/0/text", Value::Null),
            "malformed",
        ),
        ("another's form", Anthropic, envelope(OpenAiResponses, &review(5.0)), "malformed"),
        ("no share", GraySwan, json!({"ipi": false}), "malformed"),
        ("a share beyond all", GraySwan, json!({"violation": 1.5}), "malformed"),
        ("a share in words", GraySwan, json!({"violation": "0.1"}), "malformed"),
        ("a review", GraySwan, serde_json::from_str(&review(5.0)).unwrap(), "malformed"),
    ]
}

/// What the system makes of a service: the word, and the verdict under both meanings of an error.
async fn outcome(name: &str, settings: Settings, word: &str) {
    let (action, judgement) = harmless();
    let reviewer = reviewer(settings);
    let decided = decide(&reviewer, &action, &judgement).await;
    let provider = reviewer.settings().provider;
    assert_eq!(failing(&decided), word, "{provider:?}, {name}: {decided:?}");
    let asks = provider.is_classifier() || reviewer.settings().terms.on_error == OnError::Ask;
    let verdict = if asks { Verdict::Ask } else { Verdict::Deny };
    assert_eq!(decided.settled.verdict, verdict, "{provider:?}, {name}: {decided:?}");
    assert!(decided.particulars.detail.is_some(), "{provider:?}, {name}: {decided:?}");
}

fn hasty(settings: Settings) -> Settings {
    Settings { timeout: Duration::from_millis(400), ..settings }
}

#[test]
fn a_service_that_does_as_it_should_approves() {
    // Or else nothing below would show anything.
    runtime().block_on(async {
        for provider in Provider::ALL {
            let server = Server::saying(Say::Bytes(approval(provider))).await;
            let (action, judgement) = harmless();
            let reviewer = reviewer(settings(provider, &server.url()));
            let decided = decide(&reviewer, &action, &judgement).await;
            assert_eq!(decided.settled.verdict, Verdict::Allow, "{decided:?}");
        }
    });
}

#[test]
fn whatever_goes_wrong_on_the_way_is_no_approval() {
    let faults = of_transport();
    assert!(faults.len() >= 60, "{}", faults.len());
    runtime().block_on(async {
        for (name, say, word) in faults {
            let patient = word != "timeout";
            let server = Server::saying(say).await;
            let settings = settings(Provider::OpenAi, &server.url());
            let settings = if patient { settings } else { hasty(settings) };
            let asks = portcullis_core::guardian::Terms {
                on_error: OnError::Ask,
                ..settings.terms.clone()
            };
            outcome(name, settings.clone(), word).await;
            if patient {
                outcome(name, Settings { terms: asks, ..settings }, word).await;
            }
        }
    });
}

#[test]
fn whoever_is_not_there_or_is_somebody_else_approves_nothing() {
    runtime().block_on(async {
        let nobody = {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            listener.local_addr().unwrap()
        };
        let plain = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let plain_port = plain.local_addr().unwrap().port();
        tokio::spawn(async move {
            use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
            while let Ok((mut stream, _)) = plain.accept().await {
                let _ = stream.read(&mut [0; 1_024]).await;
                let _ = stream.write_all(&approval(Provider::OpenAi)).await;
            }
        });
        for (name, url, word) in [
            ("no listener", format!("http://{nobody}/v1"), "unreachable"),
            ("no TLS behind https", format!("https://127.0.0.1:{}/v1", plain_port), "unreachable"),
            ("a metadata service", "http://169.254.169.254/v1".to_owned(), "guarded"),
            ("everywhere", format!("http://0.0.0.0:{}/v1", plain_port), "guarded"),
            ("a name for inside", "http://model.internal/v1".to_owned(), "guarded"),
        ] {
            outcome(name, settings(Provider::OpenAi, &url), word).await;
        }
    });
}

#[test]
fn a_text_that_is_no_review_is_no_approval_from_any_provider() {
    runtime().block_on(async {
        for provider in [Provider::OpenAi, Provider::OpenAiResponses, Provider::Anthropic] {
            for (name, text) in texts() {
                let say = Say::Bytes(json_answer(&envelope(provider, &text)));
                let server = Server::saying(say).await;
                outcome(name, settings(provider, &server.url()), "malformed").await;
                // Asking again would be another throw of the dice.
                assert_eq!(server.requests().len(), 1, "{provider:?}, {name}");
            }
        }
    });
}

#[test]
fn a_form_that_is_not_the_services_is_no_approval() {
    runtime().block_on(async {
        for (name, provider, body, word) in of_form() {
            let server = Server::saying(Say::Bytes(json_answer(&body))).await;
            outcome(name, settings(provider, &server.url()), word).await;
        }
        let twice = format!(
            r#"{{"choices":[],{}"#,
            envelope(Provider::OpenAi, &review(5.0)).to_string().trim_start_matches('{')
        );
        let server = Server::saying(Say::Bytes(http(200, &[JSON], twice.as_bytes()))).await;
        outcome("choices twice", settings(Provider::OpenAi, &server.url()), "malformed").await;
    });
}

#[test]
fn what_passes_is_tried_again_and_never_more_than_three_times() {
    runtime().block_on(async {
        let (action, judgement) = harmless();
        for (failures, attempts, verdict) in [
            (0, 1, Verdict::Allow),
            (1, 2, Verdict::Allow),
            (2, 3, Verdict::Allow),
            (3, 3, Verdict::Deny),
        ] {
            let server = Server::new(move |_, before| {
                let busy = [429, 503, 529];
                Say::Bytes(match busy.get(before).filter(|_| before < failures) {
                    Some(status) => http(*status, &[JSON], b"{}"),
                    None => approval(Provider::OpenAi),
                })
            })
            .await;
            let reviewer = reviewer(settings(Provider::OpenAi, &server.url()));
            let decided = decide(&reviewer, &action, &judgement).await;
            assert_eq!(decided.settled.verdict, verdict, "{decided:?}");
            assert_eq!(
                (decided.particulars.attempts, server.requests().len()),
                (attempts, attempts as usize)
            );
        }
    });
}

#[test]
fn a_session_that_spent_what_it_may_is_reviewed_no_more() {
    runtime().block_on(async {
        let server = Server::saying(Say::Bytes(approval(Provider::OpenAi))).await;
        for spend in [Spend { calls: 2, tokens: u64::MAX }, Spend { calls: 99, tokens: 5_000 }] {
            let reviewer =
                reviewer(Settings { spend, ..settings(Provider::OpenAi, &server.url()) });
            let mut words = Vec::new();
            for number in 0..9 {
                let call =
                    portcullis_core::call::ToolCall::shell(format!("npm install x@{number}"));
                let (action, judgement) = super::judged(call);
                words.push(failing(&decide(&reviewer, &action, &judgement).await));
            }
            assert_eq!(words[0], "none");
            assert_eq!(words[8], "over-budget", "{words:?}");
        }
    });
}

#[test]
fn three_denials_in_a_row_stop_the_reviews_of_that_session() {
    runtime().block_on(async {
        let server =
            Server::saying(Say::Bytes(json_answer(&envelope(Provider::OpenAi, &review(95.0)))))
                .await;
        let reviewer = reviewer(settings(Provider::OpenAi, &server.url()));
        let ask = |session: Option<&str>| {
            let mut call = portcullis_core::call::ToolCall::shell("npm install left-pad");
            call.session = session.map(str::to_owned);
            super::judged(call)
        };
        let (action, judgement) = ask(Some("one"));
        for _ in 0..3 {
            let decided = decide(&reviewer, &action, &judgement).await;
            assert_eq!(decided.settled.verdict, Verdict::Deny);
        }
        let decided = decide(&reviewer, &action, &judgement).await;
        assert_eq!((decided.ruling, decided.settled.verdict), (Ruling::Stopped, Verdict::Ask));
        assert_eq!(server.requests().len(), 3);
        let (action, judgement) = ask(Some("two"));
        assert_eq!(decide(&reviewer, &action, &judgement).await.settled.verdict, Verdict::Deny);
        reviewer.reset(Some("one"));
        let (action, judgement) = ask(Some("one"));
        assert_eq!(decide(&reviewer, &action, &judgement).await.settled.verdict, Verdict::Deny);
    });
}

#[test]
fn an_approval_answers_the_same_question_once_more_and_no_other() {
    runtime().block_on(async {
        let server = Server::saying(Say::Bytes(approval(Provider::OpenAi))).await;
        let reviewer = reviewer(settings(Provider::OpenAi, &server.url()));
        let (action, judgement) = harmless();
        let outcome = async || decide(&reviewer, &action, &judgement).await.ruling;
        assert!(matches!(outcome().await, Ruling::Review { .. }));
        assert_eq!(outcome().await, Ruling::Kept);
        assert!(matches!(outcome().await, Ruling::Review { .. }));
        reviewer.forget_approvals();
        assert!(matches!(outcome().await, Ruling::Review { .. }));
        let mut call = action.call.clone();
        call.cwd = Some("/elsewhere".to_owned());
        let (other, judgement) = super::judged(call);
        let decided = decide(&reviewer, &other, &judgement).await;
        assert!(matches!(decided.ruling, Ruling::Review { .. }));
        assert_eq!(server.requests().len(), 4);
    });
}

#[test]
fn a_first_look_is_enough_only_where_it_sees_nothing() {
    use portcullis::guardian::FirstLook;
    runtime().block_on(async {
        for (first, full, verdict, requests) in [
            (review(5.0), review(95.0), Verdict::Allow, 1),
            (review(20.0), review(30.0), Verdict::Allow, 2),
            (review(20.0), review(95.0), Verdict::Deny, 2),
            ("nonsense".to_owned(), review(95.0), Verdict::Deny, 2),
            ("nonsense".to_owned(), "nonsense".to_owned(), Verdict::Deny, 2),
            (
                review(5.0).replace("\"risks\"", "\"decision\":\"deny\",\"risks\""),
                review(95.0),
                Verdict::Deny,
                2,
            ),
        ] {
            let (one, two) = (first.clone(), full.clone());
            let server = Server::new(move |body, _| {
                let text = if body.contains("\"model\":\"cheap\"") { &one } else { &two };
                Say::Bytes(json_answer(&envelope(Provider::OpenAi, text)))
            })
            .await;
            let first_look = Some(FirstLook { model: "cheap".to_owned(), pass_below: 20.0 });
            let settings = Settings { first_look, ..settings(Provider::OpenAi, &server.url()) };
            let reviewer = reviewer(settings);
            let (action, judgement) = harmless();
            let decided = decide(&reviewer, &action, &judgement).await;
            assert_eq!(decided.settled.verdict, verdict, "{first} {full}: {decided:?}");
            assert_eq!(server.requests().len(), requests, "{first} {full}");
            assert_eq!(decided.particulars.first_look, requests == 1);
        }
    });
}

#[test]
fn nothing_is_named_in_terms_that_may_approve_nothing() {
    runtime().block_on(async {
        let server = Server::saying(Say::Bytes(approval(Provider::OpenAi))).await;
        let none = portcullis_core::guardian::Terms {
            may_approve: None,
            ..terms(portcullis_core::risk::Severity::High)
        };
        let settings = Settings { terms: none, ..settings(Provider::OpenAi, &server.url()) };
        let (action, judgement) = harmless();
        let decided = decide(&reviewer(settings), &action, &judgement).await;
        assert_eq!(decided.settled.verdict, Verdict::Ask);
    });
}

#[test]
fn a_proxy_leads_to_the_reviewer_or_to_nobody() {
    runtime().block_on(async {
        // It takes the wish for a tunnel and then is the server itself.
        let answer = approval(Provider::OpenAi);
        let proxy = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = proxy.local_addr().unwrap().port();
        tokio::spawn(async move {
            use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
            while let Ok((mut stream, _)) = proxy.accept().await {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(stream.read_u8().await.unwrap());
                }
                assert!(head.starts_with(b"CONNECT reviewer.dev:8000 HTTP/1.1\r\n"));
                stream.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").await.unwrap();
                let mut request = vec![0; 64 << 10];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(&answer).await;
                let _ = stream.shutdown().await;
            }
        });
        let through = |port: u16| Settings {
            proxy: Some(format!("http://127.0.0.1:{port}")),
            ..settings(Provider::OpenAi, "http://reviewer.dev:8000/v1")
        };
        let (action, judgement) = harmless();
        let decided = decide(&reviewer(through(port)), &action, &judgement).await;
        assert_eq!(decided.settled.verdict, Verdict::Allow, "{decided:?}");
        for (name, said) in [
            ("refuses", &b"HTTP/1.1 403 Forbidden\r\n\r\n"[..]),
            ("speaks no HTTP", b"hello\r\n\r\n"),
            ("sends on", b"HTTP/1.1 302 Found\r\nLocation: http://10.0.0.1/\r\n\r\n"),
            ("goes on and on", &[b'x'; 20_000]),
            ("hangs up", b""),
        ] {
            let server = Server::saying(Say::Bytes(said.to_vec())).await;
            outcome(name, through(server.port), "unreachable").await;
        }
        let metadata = Settings {
            proxy: Some(format!("http://127.0.0.1:{port}")),
            ..settings(Provider::OpenAi, "http://169.254.169.254/v1")
        };
        outcome("the metadata service behind a proxy", metadata, "guarded").await;
    });
}
