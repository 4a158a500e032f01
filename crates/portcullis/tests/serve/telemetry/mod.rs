//! What the gateway tells a collector: traces that go on, words and numbers, nothing of what calls say; and a collector that is away changes no decision.

mod collector;
mod dashboard;

use std::{
    collections::BTreeSet,
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Instant,
};

use serde_json::{Value, json};

use self::collector::{Collector, Mood, attributes, items};
use crate::client::{Gateway, PATIENCE, call};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "b7ad6b7169203331";
const SECRET: &str = "/srv/wherever-nobody-looks";

pub(super) fn gateway(folder: &Path, table: &str) -> Gateway {
    let config = folder.join("config.toml");
    fs::write(&config, format!("[serve]\nname = 'gate-a'\n[serve.telemetry]\n{table}")).unwrap();
    Gateway::at_home(folder, &folder.join("state"), &["--config", config.to_str().unwrap()])
}

fn to(collector: &Collector, more: &str) -> String {
    format!("endpoint = 'http://{}'\nevery = 1\n{more}", collector.address)
}

/// Asks, lets a person deny after the call has waited, and calls something harmless.
pub(super) fn drive(gateway: &Gateway, trace: &str) {
    let header = [("traceparent", trace)];
    let asks = call(&format!("rm -rf {SECRET}")).to_string();
    let answer = thread::scope(|scope| {
        let waits = scope.spawn(|| {
            let mut client = gateway.client();
            client.send("POST", "/v1/judge?wait=100", &gateway.agents, &header, &asks).unwrap()
        });
        let mut person = gateway.client();
        let begun = Instant::now();
        loop {
            let list = person.get("/v1/approvals?status=pending", &gateway.person).json();
            if let Some(id) = list.pointer("/approvals/0/id").and_then(Value::as_str) {
                let path = format!("/v1/approvals/{id}/decision");
                let said = person.post(&path, &gateway.person, &json!({"decision": "deny"}));
                assert_eq!(said.status, 200, "{}", said.body);
                break;
            }
            assert!(begun.elapsed() < PATIENCE, "nothing was asked");
            thread::yield_now();
        }
        waits.join().unwrap()
    });
    assert_eq!(answer.json()["decision"], "deny", "{}", answer.body);
    let harmless = call("ls").to_string();
    let mut client = gateway.client();
    let answer = client.send("POST", "/v1/judge", &gateway.agents, &header, &harmless).unwrap();
    assert_eq!(answer.json()["decision"], "allow", "{}", answer.body);
}

#[test]
fn calls_are_told_in_the_traces_of_their_callers_in_both_forms() {
    for form in ["protobuf", "json"] {
        let folder = tempfile::tempdir().unwrap();
        let headers = folder.path().join("headers");
        fs::write(&headers, "x-key: abc\n").unwrap();
        let collector = Collector::start(Mood::Takes);
        let more = format!("protocol = '{form}'\nheaders = '{}'\n", headers.display());
        let gateway = gateway(folder.path(), &to(&collector, &more));
        drive(&gateway, &format!("00-{TRACE}-{PARENT}-01"));
        let spans = collector.until(|came| {
            let spans = items(came, "/v1/traces");
            (spans.len() >= 3).then_some(spans)
        });
        let named = |name: &str| {
            let found = spans.iter().find(|span| span["name"] == name);
            found.unwrap_or_else(|| panic!("no {name} in {spans:#?}"))
        };
        let asked = spans.iter().find(|span| attributes(span)["portcullis.decision"] == "ask");
        let asked = asked.unwrap();
        assert_eq!((&asked["traceId"], &asked["parentSpanId"]), (&json!(TRACE), &json!(PARENT)));
        assert_eq!(asked["name"], "execute_tool bash");
        let said = attributes(asked);
        assert_eq!(said["gen_ai.operation.name"], "execute_tool");
        assert_eq!(said["gen_ai.tool.name"], "bash");
        assert_eq!(said["gen_ai.agent.name"], "claude");
        assert_eq!(said["portcullis.risk"], "high");
        assert!(said["portcullis.rules"].starts_with("fs.delete."), "{said:?}");
        assert!(said["portcullis.action.hash"].starts_with("sha256:"), "{said:?}");
        assert_eq!(said["portcullis.requester"], "agents");
        // The wait is a step within it, in the same trace.
        let wait = named("wait for a person");
        assert_eq!((&wait["traceId"], &wait["parentSpanId"]), (&json!(TRACE), &asked["spanId"]));
        assert_eq!(attributes(wait)["portcullis.approval.status"], "denied");
        let logs = collector.until(|came| {
            let logs = items(came, "/v1/logs");
            (logs.len() >= 3).then_some(logs)
        });
        let names: BTreeSet<_> = logs.iter().filter_map(|log| log["eventName"].as_str()).collect();
        assert_eq!(names, BTreeSet::from(["portcullis.answer", "portcullis.decision"]));
        let log = logs.iter().find(|log| log["spanId"] == asked["spanId"]).unwrap();
        assert_eq!(log["body"]["stringValue"], "ask bash: risk high");
        let metrics = collector.until(|came| {
            let metrics = items(came, "/v1/metrics");
            metrics.iter().any(|it| it["name"] == "portcullis.answer").then_some(metrics)
        });
        let decisions = metrics.iter().rev().find(|it| it["name"] == "portcullis.decisions");
        let points = decisions.unwrap()["sum"]["dataPoints"].as_array().unwrap();
        assert!(points.iter().any(|point| attributes(point)["agent"] == "claude"), "{points:?}");
        for one in collector.came() {
            let text = String::from_utf8_lossy(&one.body).into_owned();
            assert!(!text.contains("wherever-nobody-looks"), "{text}");
            assert!(text.contains("gate-a") && one.head.contains("x-key: abc"), "{}", one.head);
        }
    }
}

#[test]
fn arguments_are_told_where_that_is_configured_and_secrets_never() {
    let folder = tempfile::tempdir().unwrap();
    let collector = Collector::start(Mood::Takes);
    let gateway = gateway(folder.path(), &to(&collector, "arguments = true\nsignals = ['logs']\n"));
    let token = "ghp_x7Kq2mVb9RtYw4LpZ8nCs3DfHj6GaE1UoI5B";
    let command = format!("echo {token} > {SECRET}");
    let body =
        json!({"id": token, "tool": "bash", "arguments": {"command": command}, "agent": token});
    gateway.client().post("/v1/judge", &gateway.agents, &body);
    let log = collector.until(|came| items(came, "/v1/logs").first().cloned());
    let said = attributes(&log);
    assert!(said["gen_ai.tool.call.arguments"].contains("wherever-nobody-looks"), "{said:?}");
    let metrics = gateway.client().get("/metrics", &gateway.person).body;
    for text in [log.to_string(), metrics] {
        assert!(!text.contains("x7Kq2mVb9RtYw4LpZ8nCs3DfHj6"), "{text}");
    }
    assert!(collector.came().iter().all(|one| one.path == "/v1/logs"), "nothing else was wanted");
}

#[test]
fn what_a_caller_does_not_keep_is_told_where_it_was_not_simply_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let collector = Collector::start(Mood::Takes);
    let gateway = gateway(folder.path(), &to(&collector, "signals = ['traces']\n"));
    let mut client = gateway.client();
    let mut judge = |command: &str, trace: &str| {
        let body = call(command).to_string();
        let headers = [("traceparent", trace)];
        client.send("POST", "/v1/judge", &gateway.agents, &headers, &body).unwrap();
    };
    judge("ls", &format!("00-{TRACE}-{PARENT}-00"));
    judge("rm -rf /", &format!("00-{TRACE}-{PARENT}-00"));
    // What is no trace begins a new one.
    judge("ls -la", &format!("00-{TRACE}-{PARENT}"));
    let spans = collector.until(|came| {
        let spans = items(came, "/v1/traces");
        (spans.len() >= 2).then_some(spans)
    });
    let told: Vec<_> =
        spans.iter().map(|span| attributes(span)["portcullis.decision"].clone()).collect();
    assert_eq!(told, ["deny", "allow"]);
    assert_eq!(spans[0]["traceId"], TRACE);
    assert_ne!(spans[1]["traceId"], TRACE);
    assert_eq!(spans[1].get("parentSpanId"), None);
}

#[test]
fn a_trace_goes_on_from_a_hooks_environment_and_from_messages_of_mcp() {
    let folder = tempfile::tempdir().unwrap();
    let collector = Collector::start(Mood::Takes);
    let gateway = gateway(folder.path(), &to(&collector, "signals = ['traces']\n"));
    let own = |first: &str| TRACE.replacen("0a", first, 1);
    // A hook that asks the gateway.
    let home = tempfile::tempdir().unwrap();
    let token = folder.path().join("state/gateway/agents-token");
    let table =
        format!("[gateway]\nurl = 'http://{}'\ntoken = '{}'\n", gateway.address, token.display());
    let config = home.path().join(".config/portcullis");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.toml"), table).unwrap();
    let payload = json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/work", "transcript_path": "/t",
        "permission_mode": "default", "tool_name": "Bash", "tool_input": { "command": "ls" },
    });
    let mut hook = Command::new(env!("CARGO_BIN_EXE_portcullis"))
        .args(["hook", "claude"])
        .env_clear()
        .env("HOME", home.path())
        .env("TRACEPARENT", format!("00-{}-{PARENT}-01", own("1a")))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    hook.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    let output = hook.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    // Messages of MCP: what they say themselves counts before the header of their request.
    let mut client = gateway.client();
    let mut authorize = |meta: Value| {
        let params = json!({"name": "read_note", "arguments": {}, "_meta": meta});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let header = format!("00-{}-{PARENT}-01", own("2a"));
        let headers = [("traceparent", header.as_str())];
        let path = "/v1/authorize/notes";
        client.send("POST", path, &gateway.agents, &headers, &message.to_string()).unwrap()
    };
    authorize(json!({}));
    authorize(json!({"traceparent": format!("00-{}-{PARENT}-01", own("3a"))}));
    let spans = collector.until(|came| {
        let spans = items(came, "/v1/traces");
        (spans.len() >= 3).then_some(spans)
    });
    let told: Vec<_> = spans.iter().map(|it| (it["traceId"].clone(), it["name"].clone())).collect();
    let message = "tools/call mcp__notes__read_note";
    let expected = [("1a", "execute_tool Bash"), ("2a", message), ("3a", message)];
    assert_eq!(told, expected.map(|(first, name)| (json!(own(first)), json!(name))));
    assert!(spans.iter().all(|span| span["parentSpanId"] == PARENT), "{spans:#?}");
}

/// The numbers of a metric with these words among its labels.
fn counted(gateway: &Gateway, name: &str, with: &str) -> u64 {
    let text = gateway.client().get("/metrics", &gateway.person).body;
    let lines = text.lines().filter(|line| line.starts_with(name) && line.contains(with));
    lines.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum()
}

fn until(mut holds: impl FnMut() -> bool, what: &str) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        thread::yield_now();
    }
}

#[test]
fn a_collector_that_stands_still_holds_up_nothing_and_what_is_dropped_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let collector = Collector::start(Mood::Hangs);
    let gateway = gateway(folder.path(), &to(&collector, "queue = 2\n"));
    let mut client = gateway.client();
    let mut judged = 0;
    // The first of them are on their way to it; then nothing leaves the queue any more.
    until(
        || {
            let answer = client.judge(&gateway.agents, "ls");
            assert_eq!(answer.json()["decision"], "allow", "{}", answer.body);
            judged += 1;
            judged % 64 == 0
                && counted(&gateway, "portcullis_telemetry_dropped_total", "queue full") > 0
        },
        "nothing was dropped",
    );
    assert!(counted(&gateway, "portcullis_telemetry_queue", "") <= 2);
    assert_eq!(counted(&gateway, "portcullis_telemetry_exported_total", ""), 0);
    assert_eq!(counted(&gateway, "portcullis_decisions_total", "allow"), judged);
}

#[test]
fn what_no_collector_takes_stands_in_the_record() {
    for mood in [Mood::Refuses, Mood::Hangs] {
        let folder = tempfile::tempdir().unwrap();
        let collector = Collector::start(mood);
        let mut table = to(&collector, "signals = ['logs']\n");
        if mood == Mood::Hangs {
            // One that is not there at all.
            table = "endpoint = 'http://127.0.0.1:9'\nsignals = ['logs']\n".to_owned();
        }
        let mut gateway = gateway(folder.path(), &table);
        gateway.client().judge(&gateway.agents, "ls");
        if mood == Mood::Refuses {
            until(
                || counted(&gateway, "portcullis_telemetry_dropped_total", "refused") == 1,
                "it was not dropped",
            );
        }
        // A gateway that ends drops what is left, and says so.
        assert_eq!(gateway.end(), Some(0));
        let output = Command::new(env!("CARGO_BIN_EXE_portcullis"))
            .args(["audit", "export", "--state"])
            .arg(folder.path().join("state"))
            .env("HOME", folder.path())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let noted = text.lines().filter(|line| line.contains("telemetry was dropped")).count();
        assert_eq!(noted, 1, "{mood:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
        assert!(text.contains("1 logs, spans and metrics"), "{text}");
    }
}

#[test]
fn a_collector_that_is_busy_gets_all_of_it_later() {
    let folder = tempfile::tempdir().unwrap();
    let collector = Collector::start(Mood::Busy(1));
    let gateway = gateway(folder.path(), &to(&collector, "signals = ['logs']\n"));
    gateway.client().judge(&gateway.agents, "ls");
    let logs = collector.until(|came| Some(items(came, "/v1/logs")).filter(|it| !it.is_empty()));
    assert_eq!(logs.len(), 1);
    until(
        || counted(&gateway, "portcullis_telemetry_exported_total", "logs") == 1,
        "it was not counted",
    );
    assert_eq!(counted(&gateway, "portcullis_telemetry_dropped_total", ""), 0);
}

#[test]
fn a_gateway_that_ends_tells_what_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let collector = Collector::start(Mood::Takes);
    let table = format!("endpoint = 'http://{}'\nevery = 3600\n", collector.address);
    let mut gateway = gateway(folder.path(), &table);
    for _ in 0..3 {
        gateway.client().judge(&gateway.agents, "ls");
    }
    assert_eq!(gateway.end(), Some(0));
    let came = collector.came();
    assert_eq!(items(&came, "/v1/traces").len(), 3);
    assert!(!items(&came, "/v1/metrics").is_empty(), "the last numbers too");
}

#[test]
fn a_table_that_cannot_be_used_stops_the_gateway_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    for (table, reason) in [
        ("endpoint = 'http://collector.example:4318'", "cross the network unencrypted"),
        ("endpoint = 'nowhere'", "the collector cannot be used"),
        ("endpoint = 'http://127.0.0.1:4318/?a=b'", "it has no query"),
        ("endpoint = 'http://127.0.0.1:4318'\nheaders = 'h'", "is not an absolute path"),
        ("endpoint = 'http://127.0.0.1:4318'\nheaders = '/nowhere'", "the headers in `/nowhere`"),
        ("endpoint = 'http://127.0.0.1:4318'\nqueue = 0", "a number from 1 to 65536"),
        ("protocol = 'json'", "missing field `endpoint`"),
    ] {
        let config = folder.path().join("config.toml");
        fs::write(&config, format!("[serve.telemetry]\n{table}\n")).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_portcullis"))
            .args(["serve", "--listen", "127.0.0.1:0", "--config"])
            .arg(&config)
            .arg("--state")
            .arg(folder.path().join("state"))
            .env("HOME", folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(reason), "{table}: {said}");
    }
}
