//! Records as logs of OpenTelemetry, over OTLP/HTTP as JSON. Owns how a record is written there, and which answers mean that it was taken.

use std::time::Duration;

use portcullis_core::{network::Target, risk::Risk};
use portcullis_net::{Client, GuardOptions, Limits, Request, Roots};
use serde_json::{Value, json};

use super::{BadDestination, ShippingError};
use crate::{
    audit::{Kind, Record},
    guardian::{crosses_openly, is_inside_by_itself, only_to},
    platform,
};

/// Where logs are sent to beneath the URL of a collector.
const PATH: &str = "/v1/logs";

/// How long a shipment may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// The longest answer.
const LONGEST: u64 = 64 << 10;

/// A collector.
#[derive(Debug)]
pub struct Collector {
    client: Client,
    url: String,
    headers: Vec<(String, String)>,
    host: String,
}

impl Collector {
    /// The collector at a URL: with a path it is where logs go, without one they go to `/v1/logs`. Each request has `headers` beside its own.
    ///
    /// # Errors
    /// When it cannot be one, or what is sent would cross the network unencrypted.
    pub fn new(
        url: &str,
        roots: Roots,
        headers: Vec<(String, String)>,
    ) -> Result<Self, BadDestination> {
        let bad = |reason: String| BadDestination { url: url.to_owned(), reason };
        let target = Target::read(url).map_err(|error| bad(error.to_string()))?;
        if crosses_openly(&target) {
            return Err(bad("it would cross the network unencrypted".to_owned()));
        }
        let policy = only_to([(&target, is_inside_by_itself(&target))]);
        let policy = policy.map_err(|error| bad(error.to_string()))?;
        let guard = GuardOptions { policy, ..GuardOptions::default() };
        let limits = Limits { redirects: 0, body: LONGEST, time: PATIENCE };
        let whole = target.canonical();
        // What stands behind the host: `https://` has two slashes before it.
        let has_path = whole.splitn(4, '/').nth(3).is_some_and(|path| !path.is_empty());
        let url = if has_path { whole } else { format!("{}{PATH}", whole.trim_end_matches('/')) };
        let host = platform::machine_name();
        Ok(Self { client: Client::new(guard, roots, limits), url, headers, host })
    }

    /// Sends lines about records, and returns once the collector took them. Gives how many it says that it did not keep.
    ///
    /// # Errors
    /// When it did not.
    pub(super) async fn send(
        &self,
        page: &[(String, Record, String)],
    ) -> Result<u64, ShippingError> {
        let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        headers.extend(self.headers.iter().cloned());
        let request = Request {
            method: "POST".to_owned(),
            url: self.url.clone(),
            headers,
            body: Some(logs(page, &self.host).to_string().into_bytes()),
        };
        let answer = self.client.fetch(request, &mut |_| {}).await.map_err(|failure| {
            let reason = failure.to_string();
            if failure.is_refusal() {
                ShippingError::Never(reason)
            } else {
                ShippingError::Again(reason)
            }
        })?;
        match answer.status {
            200..=299 => Ok(rejected(&answer.body)),
            // The answers after which the protocol has the same sent again.
            status @ (429 | 502 | 503 | 504) => {
                Err(ShippingError::Again(format!("the collector answers {status}")))
            }
            status => Err(ShippingError::Never(format!("the collector answers {status}"))),
        }
    }
}

/// How many records a collector says that it did not keep; it is not to be sent them again.
fn rejected(body: &[u8]) -> u64 {
    let answer: Value = serde_json::from_slice(body).unwrap_or_default();
    match answer.pointer("/partialSuccess/rejectedLogRecords") {
        Some(Value::String(count)) => count.parse().unwrap_or_default(),
        Some(count) => count.as_u64().unwrap_or_default(),
        None => 0,
    }
}

/// The records as one `ExportLogsServiceRequest`: numbers of 64 bits as texts, enumerations as numbers.
fn logs(page: &[(String, Record, String)], host: &str) -> Value {
    let records: Vec<Value> = page.iter().map(log).collect();
    json!({ "resourceLogs": [{
        "resource": { "attributes": [
            attribute("service.name", "portcullis".into()),
            attribute("service.version", env!("CARGO_PKG_VERSION").into()),
            attribute("host.name", host.into()),
        ]},
        "scopeLogs": [{
            "scope": { "name": "portcullis.audit", "version": env!("CARGO_PKG_VERSION") },
            "logRecords": records,
        }],
    }]})
}

fn log((chain, record, line): &(String, Record, String)) -> Value {
    let entry = &record.entry;
    let mut attributes = vec![
        attribute("log.record.uid", record.hash.to_string()),
        integer("portcullis.record.seq", record.sequence),
    ];
    let texts = [
        ("portcullis.decision", entry.decision.map(|decision| decision.name().to_owned())),
        ("portcullis.risk", entry.risk.map(|risk| risk.name().to_owned())),
        ("portcullis.layer", entry.layer.map(|layer| layer.name().to_owned())),
        ("portcullis.rules", Some(entry.rules.join(" "))),
        ("portcullis.action.hash", entry.action.clone()),
        ("portcullis.chain", Some(chain.clone())),
        ("gen_ai.tool.name", entry.tool.clone()),
        ("gen_ai.agent.name", entry.agent.clone()),
        ("gen_ai.conversation.id", entry.session.clone()),
    ];
    for (name, text) in texts {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            attributes.push(attribute(name, text));
        }
    }
    let (number, text) = severity(record);
    let nanoseconds = record.time.as_nanosecond().to_string();
    json!({
        "timeUnixNano": nanoseconds,
        "observedTimeUnixNano": nanoseconds,
        "severityNumber": number,
        "severityText": text,
        "eventName": format!("portcullis.{}", entry.kind.name()),
        "body": { "stringValue": line },
        "attributes": attributes,
    })
}

fn attribute(name: &str, text: String) -> Value {
    json!({ "key": name, "value": { "stringValue": text } })
}

fn integer(name: &str, number: u64) -> Value {
    json!({ "key": name, "value": { "intValue": number.to_string() } })
}

fn severity(record: &Record) -> (u32, &'static str) {
    match (record.entry.kind, record.entry.risk) {
        (Kind::Decision | Kind::Answer, Some(Risk::Critical)) => (17, "ERROR"),
        (Kind::Decision | Kind::Answer, Some(Risk::High)) => (13, "WARN"),
        _ => (9, "INFO"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{Body, Entry, Hash};

    #[test]
    fn a_record_is_a_log_with_an_id_of_its_own() {
        let entry = Entry {
            tool: Some("bash".into()),
            risk: Some(Risk::High),
            preview: Some("rm -rf x".into()),
            ..Entry::new(Kind::Decision)
        };
        let time = "2026-11-29T03:04:05.000006Z".parse().unwrap();
        let record = Body::new(&entry, time).chained(7, Hash::GENESIS);
        let hash = record.hash.to_string();
        let logs = logs(&[(String::new(), record, "the line".to_owned())], "gate.example");
        let log = logs.pointer("/resourceLogs/0/scopeLogs/0/logRecords/0").unwrap();
        assert_eq!(log["timeUnixNano"], "1795921445000006000");
        assert_eq!(log["severityNumber"], 13);
        assert_eq!(log["body"], json!({ "stringValue": "the line" }));
        assert_eq!(
            log["attributes"],
            json!([
                { "key": "log.record.uid", "value": { "stringValue": hash } },
                { "key": "portcullis.record.seq", "value": { "intValue": "7" } },
                { "key": "portcullis.risk", "value": { "stringValue": "high" } },
                { "key": "gen_ai.tool.name", "value": { "stringValue": "bash" } },
            ])
        );
    }

    #[test]
    fn what_a_collector_did_not_keep_is_counted() {
        for (answer, count) in [
            ("{}", 0),
            ("", 0),
            (r#"{"partialSuccess":{"rejectedLogRecords":"3"}}"#, 3),
            (r#"{"partialSuccess":{"rejectedLogRecords":2}}"#, 2),
        ] {
            assert_eq!(rejected(answer.as_bytes()), count, "{answer}");
        }
    }

    #[test]
    fn logs_go_where_a_collector_takes_them() {
        for (url, expected) in [
            ("https://otel.example", "https://otel.example/v1/logs"),
            ("https://otel.example/", "https://otel.example/v1/logs"),
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/logs"),
            ("https://otel.example/in/v1/logs", "https://otel.example/in/v1/logs"),
        ] {
            let collector = Collector::new(url, Roots::System, Vec::new()).unwrap();
            assert_eq!(collector.url, expected, "{url}");
        }
        assert!(Collector::new("http://otel.example", Roots::System, Vec::new()).is_err());
    }
}
