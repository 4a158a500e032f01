//! What the gateway tells about itself: what it counts, for Prometheus and for collectors of OpenTelemetry, and what became of each call, as logs and spans.
//! Owns what is counted at which occasion; the names of all of it stand in one table.
//!
//! ```text
//! judged, answered, waited ──► Counts (bounded series) ──► /metrics ──► Prometheus
//!            │                    │
//!            └──► Event ──► queue (bounded, never waited for) ──► one thread ──► OTLP over HTTP
//! ```
//!
//! No decision waits for it, and none looks at it. What a collector does not take is dropped in the end, counted, and noted in the record. No command,
//! argument or secret is told: what is told of a call is what the record has of it, and its preview only where that is configured.

mod counts;
mod message;
mod names;
mod otlp;
mod outlet;
#[cfg(test)]
mod tests;
mod told;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use portcullis_core::{approval::Status, decision::Verdict, risk::Risk};

pub use self::outlet::TelemetryError;
pub(crate) use self::told::{Begun, Circumstances, Standing, Way};
use self::{counts::Counts, names::Of, outlet::Outlet, told::Event};
use crate::{
    approvals::{self, Called, Clerk, Request, hour_of},
    audit::{Body, Entry},
    config,
    session::Judged,
    trace::Trace,
};

/// The most projects with an hour that are counted before they are kept: a claim that is another word each time fills no memory.
const MOST_CALLED: usize = 4_096;

/// What is counted, and the way to a collector where there is one.
pub(crate) struct Telemetry {
    counts: Arc<Counts>,
    /// The calls of projects that are not kept yet.
    called: Mutex<BTreeMap<(i64, String), approvals::Counts>>,
    outlet: Option<Outlet>,
}

impl Telemetry {
    /// With a collector, where one is configured.
    ///
    /// # Errors
    /// [`TelemetryError`].
    pub(crate) fn start(
        settings: Option<&config::Telemetry>,
        instance: String,
        clerk: &Clerk,
    ) -> Result<Self, TelemetryError> {
        let counts = Arc::new(Counts::new());
        let outlet = settings
            .map(|it| Outlet::start(it, instance, Arc::clone(&counts), clerk.clone()))
            .transpose()?;
        Ok(Self { counts, called: Mutex::default(), outlet })
    }

    /// The part of a decision that is told, of what the record will have.
    pub(crate) fn part(&self, entry: &Entry) -> Entry {
        let with_arguments = self.outlet.as_ref().is_some_and(|outlet| outlet.wants_arguments);
        Entry {
            tool: entry.tool.clone(),
            class: entry.class.clone(),
            risk: entry.risk,
            rules: entry.rules.clone(),
            decision: entry.decision,
            layer: entry.layer,
            action: entry.action.clone(),
            policy: entry.policy.clone(),
            session: entry.session.clone(),
            agent: entry.agent.clone(),
            preview: entry.preview.clone().filter(|_| with_arguments),
            ..Entry::new(entry.kind)
        }
    }

    /// A call was judged, as the record has it. Gives where it stands in its trace, where it is told of.
    pub(crate) fn judged(
        &self,
        entry: &Entry,
        around: &Circumstances<'_>,
        trace: Option<Trace>,
    ) -> Option<Standing> {
        let verdict = entry.decision.unwrap_or(Verdict::Deny).name();
        let risk = entry.risk.unwrap_or(Risk::Unknown).name();
        let agent = entry.agent.as_deref().unwrap_or(around.requester);
        let project = around.project.unwrap_or_default();
        self.counts.add(Of::Decisions, &[verdict, risk, agent, project], 1);
        if let Some(project) = around.project {
            self.called(
                project,
                entry.decision.unwrap_or(Verdict::Deny),
                hour_of(Timestamp::now()),
            );
        }
        for rule in &entry.rules {
            self.counts.add(Of::Findings, &[rule, verdict], 1);
        }
        self.counts.observe(Of::Judge, &[], around.begun.instant.elapsed().as_secs_f64());
        self.counts.observe(Of::Record, &[], around.recorded_in.as_secs_f64());
        let outlet = self.outlet.as_ref().filter(|outlet| outlet.wants_events())?;
        let standing = Standing::under(trace);
        outlet.tell(Event::decision(entry, around, standing, outlet.wants_arguments));
        standing
    }

    fn called(&self, project: &str, verdict: Verdict, hour: i64) {
        let mut called = self.called.lock().unwrap_or_else(PoisonError::into_inner);
        // Most calls are of an hour and a project that are there already.
        let key = (hour, project.to_owned());
        if called.len() < MOST_CALLED || called.contains_key(&key) {
            called.entry(key).or_default().add(verdict, 1);
        }
    }

    /// What projects called since this was asked last.
    pub(crate) fn taken(&self) -> Vec<Called> {
        let mut called = self.called.lock().unwrap_or_else(PoisonError::into_inner);
        let called = std::mem::take(&mut *called).into_iter();
        called.map(|((hour, project), counts)| Called { hour, project, counts }).collect()
    }

    /// A call was judged and recorded by somebody else.
    pub(crate) fn judged_alone(&self, judged: &Judged, around: &Circumstances<'_>) {
        let body = Body::new(&judged.entry(), Timestamp::now());
        let _ = self.judged(&self.part(body.entry()), around, judged.trace);
    }

    /// A call begins to be held for somebody to decide.
    pub(crate) fn holds(&self) -> Held<'_> {
        self.counts.shift(Of::Waiting, 1);
        Held { telemetry: self, begun: Begun::now() }
    }

    /// A person said a word that counted.
    pub(crate) fn answered(&self, request: &Request) {
        let status = request.status.name();
        self.counts.add(Of::Approvals, &[status], 1);
        // The first of two words settles nothing yet.
        let Some(decided) = request.decided.filter(|_| request.status != Status::Pending) else {
            return;
        };
        let waited = Duration::try_from(decided.duration_since(request.asked)).unwrap_or_default();
        let labels = [status, request.risk.name()];
        self.counts.observe(Of::Answer, &labels, waited.as_secs_f64());
        if let Some(outlet) = &self.outlet {
            outlet.tell(Event::answer(request, waited));
        }
    }

    /// A request could not be brought to where people are told.
    pub(crate) fn undelivered(&self, channel: &str) {
        self.counts.add(Of::Deliveries, &[channel], 1);
        if let Some(outlet) = &self.outlet {
            outlet.tell(Event::undelivered(channel));
        }
    }

    /// A request was answered with this status.
    pub(crate) fn responded(&self, code: u16) {
        self.counts.add(Of::Responses, &[&code.to_string()], 1);
    }

    /// A call got no decision because it could not be recorded.
    pub(crate) fn unrecorded(&self) {
        self.counts.add(Of::Unrecorded, &[], 1);
    }

    /// So many requests wait for a person.
    pub(crate) fn pending(&self, count: u64) {
        self.counts.set(Of::Pending, i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// All that is counted, in the text format of OpenMetrics.
    pub(crate) fn text(&self) -> String {
        if let Some(outlet) = &self.outlet {
            self.counts.set(Of::Queue, outlet.waiting());
        }
        self.counts.text()
    }

    /// Tells a collector what is still to be told.
    pub(crate) async fn end(&self) {
        if let Some(outlet) = &self.outlet {
            outlet.end().await;
        }
    }
}

/// A call that is held; it counts as one until this goes.
pub(crate) struct Held<'t> {
    telemetry: &'t Telemetry,
    begun: Begun,
}

impl Held<'_> {
    /// It is held no longer, and this became of its request. The step of it is told within the call's own.
    pub(crate) fn until(self, request: &Request, within: Option<Standing>) {
        let took = self.begun.instant.elapsed();
        let Telemetry { counts, outlet, called: _ } = self.telemetry;
        counts.observe(Of::Wait, &[request.status.name()], took.as_secs_f64());
        if let (Some(outlet), Some(at)) = (outlet, within.and_then(Standing::within)) {
            outlet.tell(Event::wait(request, self.begun, at));
        }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.telemetry.counts.shift(Of::Waiting, -1);
    }
}
