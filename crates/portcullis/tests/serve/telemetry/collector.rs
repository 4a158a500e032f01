//! A small collector of OTLP over HTTP. Owns how what it is sent is read: by the field numbers of `opentelemetry-proto`, or by its names in JSON, and apart
//! from the program's own encoder.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener},
    sync::{Arc, Condvar, Mutex},
    thread,
    time::Instant,
};

use serde_json::{Map, Value, json};

use crate::client::PATIENCE;

/// What came in: for each request, its path, head and body, and what it says.
#[derive(Clone, Debug)]
pub(crate) struct Came {
    pub(crate) path: String,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    pub(crate) said: Value,
}

#[derive(Default)]
struct Heard {
    came: Mutex<Vec<Came>>,
    more: Condvar,
}

/// How it answers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Mood {
    Takes,
    /// It says 503 so many times first.
    Busy(usize),
    /// It refuses for good.
    Refuses,
    /// It reads nothing and says nothing.
    Hangs,
}

pub(crate) struct Collector {
    pub(crate) address: SocketAddr,
    heard: Arc<Heard>,
}

impl Collector {
    pub(crate) fn start(mood: Mood) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::new(Heard::default());
        let hears = Arc::clone(&heard);
        thread::spawn(move || {
            let mut held = Vec::new();
            let mut mood = mood;
            while let Ok((mut stream, _)) = listener.accept() {
                if mood == Mood::Hangs {
                    held.push(stream);
                    continue;
                }
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let mut head = String::new();
                while reader.read_line(&mut head).is_ok_and(|read| read > 2) {}
                let small = head.to_ascii_lowercase();
                let mut lengths =
                    small.lines().filter_map(|line| line.strip_prefix("content-length: "));
                let Some(length) = lengths.next().and_then(|it| it.trim().parse::<u64>().ok())
                else {
                    continue;
                };
                let mut body = Vec::new();
                reader.take(length).read_to_end(&mut body).unwrap();
                let status = match &mut mood {
                    Mood::Busy(0) | Mood::Takes | Mood::Hangs => "200 OK",
                    Mood::Busy(left) => {
                        *left -= 1;
                        "503 Busy"
                    }
                    Mood::Refuses => "400 Bad",
                };
                if status == "200 OK" {
                    let path = head.split(' ').nth(1).unwrap().to_owned();
                    let said = if small.contains("content-type: application/json") {
                        serde_json::from_slice(&body).unwrap()
                    } else {
                        assert!(small.contains("content-type: application/x-protobuf"), "{head}");
                        read(&body, shape(&path))
                    };
                    hears.came.lock().unwrap().push(Came { path, head, body, said });
                    hears.more.notify_all();
                }
                let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
                // Whoever no longer listens has gone on.
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        Self { address, heard }
    }

    pub(crate) fn came(&self) -> Vec<Came> {
        self.heard.came.lock().unwrap().clone()
    }

    /// What is found in all that came, as soon as it is.
    pub(crate) fn until<T>(&self, finds: impl Fn(&[Came]) -> Option<T>) -> T {
        let begun = Instant::now();
        let mut came = self.heard.came.lock().unwrap();
        loop {
            if let Some(found) = finds(&came) {
                return found;
            }
            assert!(begun.elapsed() < PATIENCE, "it never came: {came:#?}");
            came = self.heard.more.wait_timeout(came, PATIENCE / 100).unwrap().0;
        }
    }
}

/// The items of every request of a kind: logs, spans or metrics.
pub(crate) fn items(came: &[Came], path: &str) -> Vec<Value> {
    let of = |value: &Value, names: &[&str]| -> Vec<Value> {
        names.iter().find_map(|name| value.get(name)?.as_array().cloned()).unwrap_or_default()
    };
    let mut all = Vec::new();
    for one in came.iter().filter(|one| one.path == path) {
        for resource in of(&one.said, &["resourceLogs", "resourceSpans", "resourceMetrics"]) {
            for scope in of(&resource, &["scopeLogs", "scopeSpans", "scopeMetrics"]) {
                all.extend(of(&scope, &["logRecords", "spans", "metrics"]));
            }
        }
    }
    all
}

/// The attributes of an item, by their names; a list becomes its words, with spaces between.
pub(crate) fn attributes(item: &Value) -> BTreeMap<String, String> {
    fn words(value: &Value) -> String {
        let (_, inner) = value.as_object().unwrap().iter().next().unwrap();
        match inner {
            Value::String(text) => text.clone(),
            Value::Object(list) => {
                let values = list.get("values").and_then(Value::as_array).cloned();
                values.unwrap_or_default().iter().map(words).collect::<Vec<_>>().join(" ")
            }
            other => other.to_string(),
        }
    }
    let list = item["attributes"].as_array().cloned().unwrap_or_default();
    list.iter()
        .map(|pair| (pair["key"].as_str().unwrap().to_owned(), words(&pair["value"])))
        .collect()
}

/// The fields of a message: the number, the name, and what it is.
type Shape = &'static [(u64, &'static str, Is)];

#[derive(Clone, Copy)]
enum Is {
    Text,
    Name,
    Number,
    Double,
    Numbers,
    Doubles,
    One(Shape),
    Many(Shape),
    /// An attribute's value holds others.
    Any,
    Anys,
}

fn shape(path: &str) -> Shape {
    match path {
        "/v1/logs" => LOGS,
        "/v1/traces" => TRACES,
        "/v1/metrics" => METRICS,
        other => panic!("nothing is sent to {other}"),
    }
}

const PAIR: Shape = &[(1, "key", Is::Text), (2, "value", Is::Any)];
const ANY: Shape = &[
    (1, "stringValue", Is::Text),
    (2, "boolValue", Is::Number),
    (3, "intValue", Is::Number),
    (4, "doubleValue", Is::Double),
    (5, "arrayValue", Is::One(&[(1, "values", Is::Anys)])),
];
const RESOURCE: Shape = &[(1, "attributes", Is::Many(PAIR))];
const SCOPE: Shape =
    &[(1, "name", Is::Text), (2, "version", Is::Text), (3, "attributes", Is::Many(PAIR))];
const LOG: Shape = &[
    (1, "timeUnixNano", Is::Number),
    (2, "severityNumber", Is::Number),
    (3, "severityText", Is::Text),
    (5, "body", Is::Any),
    (6, "attributes", Is::Many(PAIR)),
    (8, "flags", Is::Number),
    (9, "traceId", Is::Name),
    (10, "spanId", Is::Name),
    (11, "observedTimeUnixNano", Is::Number),
    (12, "eventName", Is::Text),
];
const SPAN: Shape = &[
    (1, "traceId", Is::Name),
    (2, "spanId", Is::Name),
    (4, "parentSpanId", Is::Name),
    (5, "name", Is::Text),
    (6, "kind", Is::Number),
    (7, "startTimeUnixNano", Is::Number),
    (8, "endTimeUnixNano", Is::Number),
    (9, "attributes", Is::Many(PAIR)),
    (16, "flags", Is::Number),
];
const NUMBER: Shape = &[
    (2, "startTimeUnixNano", Is::Number),
    (3, "timeUnixNano", Is::Number),
    (6, "asInt", Is::Number),
    (7, "attributes", Is::Many(PAIR)),
];
const SPREAD: Shape = &[
    (2, "startTimeUnixNano", Is::Number),
    (3, "timeUnixNano", Is::Number),
    (4, "count", Is::Number),
    (5, "sum", Is::Double),
    (6, "bucketCounts", Is::Numbers),
    (7, "explicitBounds", Is::Doubles),
    (9, "attributes", Is::Many(PAIR)),
];
const METRIC: Shape = &[
    (1, "name", Is::Text),
    (2, "description", Is::Text),
    (3, "unit", Is::Text),
    (5, "gauge", Is::One(&[(1, "dataPoints", Is::Many(NUMBER))])),
    (
        7,
        "sum",
        Is::One(&[
            (1, "dataPoints", Is::Many(NUMBER)),
            (2, "aggregationTemporality", Is::Number),
            (3, "isMonotonic", Is::Number),
        ]),
    ),
    (
        9,
        "histogram",
        Is::One(&[(1, "dataPoints", Is::Many(SPREAD)), (2, "aggregationTemporality", Is::Number)]),
    ),
];
const LOGS: Shape = &[(
    1,
    "resourceLogs",
    Is::Many(&[
        (1, "resource", Is::One(RESOURCE)),
        (
            2,
            "scopeLogs",
            Is::Many(&[
                (1, "scope", Is::One(SCOPE)),
                (2, "logRecords", Is::Many(LOG)),
                (3, "schemaUrl", Is::Text),
            ]),
        ),
    ]),
)];
const TRACES: Shape = &[(
    1,
    "resourceSpans",
    Is::Many(&[
        (1, "resource", Is::One(RESOURCE)),
        (
            2,
            "scopeSpans",
            Is::Many(&[
                (1, "scope", Is::One(SCOPE)),
                (2, "spans", Is::Many(SPAN)),
                (3, "schemaUrl", Is::Text),
            ]),
        ),
    ]),
)];
const METRICS: Shape = &[(
    1,
    "resourceMetrics",
    Is::Many(&[
        (1, "resource", Is::One(RESOURCE)),
        (
            2,
            "scopeMetrics",
            Is::Many(&[
                (1, "scope", Is::One(SCOPE)),
                (2, "metrics", Is::Many(METRIC)),
                (3, "schemaUrl", Is::Text),
            ]),
        ),
    ]),
)];

/// Reads protobuf by a shape. What the shape does not have is a mistake, and so is a field of another kind.
fn read(mut bytes: &[u8], shape: Shape) -> Value {
    let mut out = Map::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let (number, kind) = (key >> 3, key & 7);
        let found = shape.iter().find(|(own, ..)| *own == number);
        let (_, name, is) = found.unwrap_or_else(|| panic!("no field {number}"));
        let mut fixed = || {
            let (eight, rest) = bytes.split_first_chunk::<8>().unwrap();
            bytes = rest;
            *eight
        };
        let value = match (kind, is) {
            (0, Is::Number) => json!(varint(&mut bytes)),
            (1, Is::Number) => json!(u64::from_le_bytes(fixed())),
            (1, Is::Double) => json!(f64::from_le_bytes(fixed())),
            (5, Is::Number) => {
                let (four, rest) = bytes.split_first_chunk::<4>().unwrap();
                bytes = rest;
                json!(u32::from_le_bytes(*four))
            }
            (2, is) => {
                let length = usize::try_from(varint(&mut bytes)).unwrap();
                let (inner, rest) = bytes.split_at(length);
                bytes = rest;
                let eights = || inner.chunks_exact(8).map(|it| <[u8; 8]>::try_from(it).unwrap());
                match is {
                    Is::Text => json!(String::from_utf8(inner.to_vec()).unwrap()),
                    Is::Name => json!(data_encoding::HEXLOWER.encode(inner)),
                    Is::Numbers => eights().map(u64::from_le_bytes).collect(),
                    Is::Doubles => eights().map(f64::from_le_bytes).collect(),
                    Is::One(shape) | Is::Many(shape) => read(inner, shape),
                    Is::Any | Is::Anys => read(inner, ANY),
                    Is::Number | Is::Double => panic!("{name} is no text"),
                }
            }
            (kind, _) => panic!("{name} is encoded as {kind}"),
        };
        match is {
            Is::Many(_) | Is::Anys => {
                let list = out.entry(*name).or_insert_with(|| json!([]));
                list.as_array_mut().unwrap().push(value);
            }
            _ => assert!(out.insert((*name).to_owned(), value).is_none(), "{name} stands twice"),
        }
    }
    Value::Object(out)
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for place in 0..10 {
        let (first, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        value |= u64::from(first & 0x7f) << (7 * place);
        if first & 0x80 == 0 {
            return value;
        }
    }
    panic!("a number without an end");
}
