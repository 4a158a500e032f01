//! What the gateway counts, for Prometheus. Owns the names and what they count; nothing in them names a person, an agent or a call.

use std::time::Duration;

use portcullis_core::{approval::Status, decision::Verdict};
use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};

use crate::session::Judged;

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct Decided {
    decision: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct Became {
    status: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct Coded {
    code: u16,
}

/// The counters.
pub(super) struct Metrics {
    registry: Registry,
    decisions: [Counter; 3],
    approvals: Family<Became, Counter>,
    responses: Family<Coded, Counter>,
    latency: Histogram,
    pending: Gauge,
    unrecorded: Counter,
}

impl Metrics {
    pub(super) fn new() -> Self {
        let mut registry = Registry::with_prefix("portcullis");
        let decisions = Family::<Decided, Counter>::default();
        let of =
            |verdict: Verdict| decisions.get_or_create_owned(&Decided { decision: verdict.name() });
        let each = [Verdict::Allow, Verdict::Ask, Verdict::Deny].map(of);
        registry.register("decisions", "Calls judged, by decision", decisions.clone());
        let approvals = Family::<Became, Counter>::default();
        registry.register(
            "approvals",
            "Words of people on requests, by what became of the request",
            approvals.clone(),
        );
        let responses = Family::<Coded, Counter>::default();
        registry.register("responses", "Responses, by status code", responses.clone());
        let latency = Histogram::new([
            0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0,
        ]);
        registry.register(
            "judge_seconds",
            "From a call to its recorded decision, without the wait for a person",
            latency.clone(),
        );
        let pending = Gauge::default();
        registry.register("pending", "Requests that wait for a person", pending.clone());
        let unrecorded = Counter::default();
        registry.register(
            "unrecorded",
            "Calls that got no decision because it could not be recorded",
            unrecorded.clone(),
        );
        Self { registry, decisions: each, approvals, responses, latency, pending, unrecorded }
    }

    pub(super) fn judged(&self, judged: &Judged, took: Duration) {
        let [allow, ask, deny] = &self.decisions;
        match judged.judgement.decision.verdict {
            Verdict::Allow => allow.inc(),
            Verdict::Ask => ask.inc(),
            Verdict::Deny => deny.inc(),
        };
        self.latency.observe(took.as_secs_f64());
    }

    pub(super) fn answered(&self, status: Status) {
        self.approvals.get_or_create(&Became { status: status.name() }).inc();
    }

    pub(super) fn responded(&self, code: u16) {
        self.responses.get_or_create(&Coded { code }).inc();
    }

    pub(super) fn unrecorded(&self) {
        self.unrecorded.inc();
    }

    pub(super) fn pending(&self, count: u64) {
        self.pending.set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// All of them, in the text format of OpenMetrics.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
