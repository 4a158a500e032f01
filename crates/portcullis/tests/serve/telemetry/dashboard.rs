//! The dashboard for Grafana asks for nothing that a gateway does not tell: each name and label of its questions stands in what a run counts and exports.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use serde_json::{Value, json};

use super::{
    collector::{Collector, Mood, attributes, items},
    counted, drive, until,
};
use crate::client::{Gateway, call};

/// The series of each metric: its labels.
type Known = BTreeMap<String, BTreeSet<String>>;

/// Every metric that a text names, with the labels that stand in the braces behind it.
fn asked(text: &str) -> Vec<(String, Vec<String>)> {
    let is_name = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let named = |at: usize| {
        let (_, rest) = text.split_at(at);
        let (name, rest) = rest.split_at(rest.find(|it| !is_name(it)).unwrap_or(rest.len()));
        let inner = rest.strip_prefix('{').map_or("", |rest| rest.split('}').next().unwrap());
        let labels = inner.split(',').filter_map(|it| it.split(['=', '!']).next());
        let labels = labels.map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned);
        (name.to_owned(), labels.collect())
    };
    text.match_indices("portcullis_").map(|(at, _)| named(at)).collect()
}

/// The labels that a question groups by.
fn groups(text: &str) -> BTreeSet<String> {
    let lists = text.split("by (").skip(1).filter_map(|rest| rest.split(')').next());
    lists.flat_map(|list| list.split(',').map(|it| it.trim().to_owned())).collect()
}

/// What `/metrics` has.
fn scraped(text: &str) -> Known {
    let mut known = Known::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (series, _) = line.rsplit_once(' ').unwrap();
        let (name, labels) = series.split_once('{').unwrap_or((series, ""));
        let own = known.entry(name.to_owned()).or_default();
        own.extend(labels.split("\",").filter_map(|it| Some(it.split_once('=')?.0.to_owned())));
    }
    known
}

/// What Prometheus makes of what is exported: its names for units and for what only grows.
fn received(metrics: &[Value]) -> Known {
    let mut known = Known::new();
    for metric in metrics {
        let mut name = metric["name"].as_str().unwrap().replace('.', "_");
        if metric["unit"] == "s" {
            name.push_str("_seconds");
        }
        let (kind, more) = ["sum", "gauge", "histogram"]
            .into_iter()
            .find_map(|kind| Some((kind, metric.get(kind)?)))
            .unwrap();
        match kind {
            "sum" => name.push_str("_total"),
            "histogram" => name.push_str("_bucket"),
            _ => {}
        }
        let own = known.entry(name).or_default();
        for point in more["dataPoints"].as_array().unwrap() {
            own.extend(attributes(point).into_keys());
        }
        if kind == "histogram" {
            own.insert("le".to_owned());
        }
    }
    known
}

#[test]
fn every_question_of_the_dashboard_has_an_answer_in_what_a_run_tells() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/grafana/portcullis.json");
    let dashboard: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let collector = Collector::start(Mood::Refuses);
    let config = folder.path().join("config.toml");
    let of = |mood: &Collector| {
        format!("[serve.telemetry]\nendpoint = 'http://{}'\nevery = 1\n", mood.address)
    };
    // One run whose collector refuses, with somebody who is told in vain, and one whose collector takes all of it.
    fs::write(&config, of(&collector)).unwrap();
    let (file, state) = (config.to_str().unwrap(), folder.path().join("state"));
    let options = ["--config", file, "--webhook", "http://127.0.0.1:9/nobody"];
    let gateway = Gateway::at_home(folder.path(), &state, &options);
    drive(&gateway, "");
    // Of what is decided nobody is told any more; this waits.
    let waiting =
        gateway.client().post("/v1/judge", &gateway.agents, &call("rm -rf /srv/first")).json();
    until(
        || {
            counted(&gateway, "portcullis_telemetry_dropped_total", "refused") > 0
                && counted(&gateway, "portcullis_delivery_failures_total", "webhook") > 0
        },
        "nothing failed",
    );
    let path = format!("/v1/approvals/{}/decision", waiting["approval"]["id"].as_str().unwrap());
    gateway.client().post(&path, &gateway.person, &json!({"decision": "deny"}));
    let mut known = scraped(&gateway.client().get("/metrics", &gateway.person).body);
    drop(gateway);
    let collector = Collector::start(Mood::Takes);
    fs::write(&config, of(&collector)).unwrap();
    let options = ["--config", file, "--webhook", "http://127.0.0.1:9/nobody"];
    let gateway = Gateway::at_home(folder.path(), &state, &options);
    drive(&gateway, "");
    gateway.client().post("/v1/judge", &gateway.agents, &call("rm -rf /srv/second"));
    gateway.client().post("/v1/judge", &gateway.agents, &call("ls"));
    let metrics = collector.until(|came| {
        let metrics = items(came, "/v1/metrics");
        let has = |name: &str| metrics.iter().any(|it| it["name"] == name);
        (has("portcullis.telemetry.exported") && has("portcullis.delivery.failures"))
            .then_some(metrics)
    });
    let exported = received(&metrics);
    for (name, labels) in scraped(&gateway.client().get("/metrics", &gateway.person).body) {
        known.entry(name).or_default().extend(labels);
    }
    let mut questions = Vec::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().into_iter().flatten() {
            questions.push(target["expr"].as_str().unwrap().to_owned());
        }
    }
    assert!(questions.len() >= 20, "{questions:?}");
    for question in &questions {
        let names = asked(question);
        assert!(!names.is_empty(), "{question}");
        for (name, labels) in names {
            let own = known.get(&name).unwrap_or_else(|| panic!("no {name} for {question}"));
            for label in labels.iter().chain(&groups(question)) {
                assert!(own.contains(label), "{name} has no {label}: {question}");
            }
            // Nothing is dropped where all of it is taken, so that this alone is only in the first run.
            if name != "portcullis_telemetry_dropped_total" {
                let own = exported.get(&name).unwrap_or_else(|| panic!("{name} is not exported"));
                for label in labels.iter().chain(&groups(question)) {
                    assert!(own.contains(label), "{name} is exported without {label}");
                }
            }
        }
    }
    // The lists to choose from.
    for list in dashboard["templating"]["list"].as_array().unwrap() {
        let Some(definition) = list["definition"].as_str() else { continue };
        let label = list["name"].as_str().unwrap();
        for (name, _) in asked(definition) {
            assert!(known[&name].contains(label), "{definition}");
        }
    }
    // Nothing is counted that nobody looks at.
    let text = questions.join(" ");
    for name in exported.keys() {
        assert!(text.contains(name.as_str()), "{name} is in no question");
    }
}
