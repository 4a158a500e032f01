//! What collectors are sent, against what the package `opentelemetry-proto` makes of the same (`golden/generate.py`).

use serde_json::Value as Json;

use super::{
    counts::{Counts, Spread, Value},
    message::Message,
    names::{self, INSTRUMENTS, Of},
    otlp::Teller,
    told::{Attribute, Event, Span, SpanKind, Standing, Weight},
};

const BEGAN: u64 = 1_790_000_000_000_000_000;
const ENDED: u64 = 1_790_000_000_001_500_000;

fn teller() -> Teller {
    Teller { version: "0.0.0", instance: "gate-a".to_owned() }
}

fn standing() -> Standing {
    let bytes = |text: &str| data_encoding::HEXLOWER.decode(text.as_bytes()).unwrap();
    Standing {
        trace: bytes("0af7651916cd43dd8448eb211c80319c").try_into().unwrap(),
        span: bytes("00f067aa0ba902b7").try_into().unwrap(),
        parent: Some(bytes("b7ad6b7169203331").try_into().unwrap()),
        sampled: true,
    }
}

fn decision() -> Event {
    Event {
        name: "portcullis.decision",
        began: BEGAN,
        ended: ENDED,
        weight: Weight::Warn,
        log: Some("deny bash: risk critical".to_owned()),
        span: Some(Span { name: "execute_tool bash".to_owned(), kind: SpanKind::Server }),
        standing: Some(standing()),
        attributes: vec![
            (names::TOOL, Attribute::Text("bash é".to_owned())),
            (names::RULES, Attribute::Texts(vec!["a.b".to_owned(), "c.d".to_owned()])),
            (names::RECORD, Attribute::Number(-3)),
            (names::WAITED, Attribute::Seconds(1.5)),
        ],
    }
}

fn agrees(name: &str, request: Option<(Message, u64)>, (hex, json): (&str, &str)) {
    let (message, _) = request.unwrap();
    assert_eq!(data_encoding::HEXLOWER.encode(&message.protobuf()), hex.trim(), "{name}");
    let expected: Json = serde_json::from_str(json).unwrap();
    assert_eq!(plain(message.json()), plain(expected), "{name}");
}

/// With every number as a number of one kind: a collector takes `1` for `1.0`.
fn plain(value: Json) -> Json {
    match value {
        Json::Number(number) => number.as_f64().unwrap().into(),
        Json::Array(list) => list.into_iter().map(plain).collect(),
        Json::Object(map) => map.into_iter().map(|(name, value)| (name, plain(value))).collect(),
        // What is nothing may be left out, or said.
        other => other,
    }
}

#[test]
fn logs_are_written_as_others_write_them() {
    let lost = Event {
        name: "portcullis.delivery.failed",
        weight: Weight::Error,
        log: Some("lost".to_owned()),
        span: None,
        standing: None,
        attributes: vec![(names::RULES, Attribute::Texts(Vec::new()))],
        ..decision()
    };
    let silent = Event { log: None, ..decision() };
    let golden = (include_str!("golden/logs.hex"), include_str!("golden/logs.json"));
    agrees("logs", teller().logs(&[decision(), silent, lost]), golden);
    assert!(teller().logs(&[Event { log: None, ..decision() }]).is_none());
}

#[test]
fn spans_are_written_as_others_write_them() {
    let child = Standing { sampled: false, ..standing() };
    let child = Standing { span: [1, 2, 3, 4, 5, 6, 7, 8], parent: Some(child.span), ..child };
    let wait = Event {
        span: Some(Span { name: "wait for a person".to_owned(), kind: SpanKind::Internal }),
        standing: Some(child),
        attributes: vec![(names::STATUS, Attribute::Text("denied".to_owned()))],
        ..decision()
    };
    let golden = (include_str!("golden/traces.hex"), include_str!("golden/traces.json"));
    agrees("traces", teller().spans(&[decision(), wait]), golden);
    assert!(teller().spans(&[Event { span: None, ..decision() }]).is_none());
}

#[test]
fn metrics_are_written_as_others_write_them() {
    let row = |of: Of| &INSTRUMENTS[of as usize];
    let labels = |labels: &[&str]| labels.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    let mut counts = vec![0; 13];
    for place in [0, 1, 12] {
        counts[place] = 1;
    }
    let all = [
        (
            row(Of::Findings),
            vec![
                (labels(&["a.b", "ask"]), Value::Counter(7)),
                (labels(&["c.d", "deny"]), Value::Counter(0)),
            ],
        ),
        (row(Of::Pending), vec![(Vec::new(), Value::Gauge(-1))]),
        (
            row(Of::Wait),
            vec![(labels(&["approved"]), Value::Histogram(Spread { counts, sum: 90_002.5 }))],
        ),
        (row(Of::Responses), Vec::new()),
    ];
    let golden = (include_str!("golden/metrics.hex"), include_str!("golden/metrics.json"));
    agrees("metrics", teller().metrics(&all, (BEGAN, ENDED)), golden);
}

#[test]
fn what_is_counted_and_what_is_exported_are_the_same_rows() {
    let counts = Counts::new();
    counts.add(Of::Decisions, &["allow", "low", "a", ""], 1);
    counts.observe(Of::Judge, &[], 0.001);
    let (message, count) = teller().metrics(&counts.all(), (BEGAN, ENDED)).unwrap();
    let json = message.json();
    let metrics = &json["resourceMetrics"][0]["scopeMetrics"][0]["metrics"];
    assert_eq!(metrics.as_array().unwrap().len() as u64, count);
    let text = counts.text();
    for metric in metrics.as_array().unwrap() {
        let name = metric["name"].as_str().unwrap().replace('.', "_");
        assert!(text.contains(&format!("# TYPE {name}")), "{name}");
    }
}

#[test]
fn the_conventions_are_named_with_their_versions() {
    let scope = teller().logs(&[decision()]).unwrap().0.json();
    let scope = scope.pointer("/resourceLogs/0/scopeLogs/0/scope/attributes").unwrap().to_string();
    for (name, version) in names::CONVENTIONS {
        assert!(scope.contains(name) && scope.contains(version), "{scope}");
    }
}
