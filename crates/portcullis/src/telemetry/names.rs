//! The names under which things are told. Owns all of them, with the versions of the conventions that they are from, and the table of what is counted:
//! `/metrics` and what is exported are made of the same rows.

/// The conventions whose names stand here: those for GenAI and MCP in the state of their first release apart from the others, and the general ones.
pub(super) const CONVENTIONS: &[(&str, &str)] =
    &[("semantic-conventions-genai", "0.1.0"), ("semantic-conventions", "1.41.0")];

/// Where the general ones are described, as an export names it.
pub(super) const SCHEMA: &str = "https://opentelemetry.io/schemas/1.41.0";

/// Who tells.
pub(super) const SERVICE_NAME: &str = "service.name";
pub(super) const SERVICE_VERSION: &str = "service.version";
pub(super) const SERVICE_INSTANCE: &str = "service.instance.id";

/// A call of a tool, by the conventions for GenAI.
pub(super) const OPERATION: &str = "gen_ai.operation.name";
pub(super) const TOOL: &str = "gen_ai.tool.name";
pub(super) const CALL: &str = "gen_ai.tool.call.id";
pub(super) const ARGUMENTS: &str = "gen_ai.tool.call.arguments";
pub(super) const AGENT: &str = "gen_ai.agent.name";
pub(super) const CONVERSATION: &str = "gen_ai.conversation.id";

/// The operation that a call of a tool is.
pub(super) const EXECUTE_TOOL: &str = "execute_tool";

/// A message, by the conventions for MCP.
pub(super) const MCP_METHOD: &str = "mcp.method.name";
pub(super) const MCP_CALL: &str = "tools/call";

/// What no convention has a name for.
pub(super) const DECISION: &str = "portcullis.decision";
pub(super) const RISK: &str = "portcullis.risk";
pub(super) const RULES: &str = "portcullis.rules";
pub(super) const LAYER: &str = "portcullis.layer";
pub(super) const CLASS: &str = "portcullis.class";
pub(super) const POLICY: &str = "portcullis.policy.revision";
pub(super) const ACTION: &str = "portcullis.action.hash";
pub(super) const RECORD: &str = "portcullis.record.seq";
pub(super) const PROJECT: &str = "portcullis.project";
pub(super) const REQUESTER: &str = "portcullis.requester";
pub(super) const REQUEST: &str = "portcullis.approval.id";
pub(super) const STATUS: &str = "portcullis.approval.status";
pub(super) const WAITED: &str = "portcullis.approval.waited";
pub(super) const CHANNEL: &str = "portcullis.delivery.channel";

/// What is counted, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// It grows.
    Counter,
    /// It is what it is now.
    Gauge,
    /// Values, counted by the highest of these that they reach at most.
    Histogram(&'static [f64]),
}

/// One thing that is counted.
#[derive(Debug)]
pub(super) struct Instrument {
    /// What it is, and its place in the table.
    pub(super) of: Of,
    /// Its name in OTLP; with `_` for `.`, and its unit and `_total` behind it, in `/metrics`.
    pub(super) name: &'static str,
    /// Its unit as UCUM has it; `s` for seconds, and in braces what is counted.
    pub(super) unit: &'static str,
    pub(super) help: &'static str,
    pub(super) kind: Kind,
    /// What tells its series apart. The same words in OTLP and in `/metrics`, so that one question finds both.
    pub(super) labels: &'static [&'static str],
}

/// The bounds of what a machine does, and of what people do, in seconds.
const QUICK: &[f64] =
    &[0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0];
const SLOW: &[f64] =
    &[1.0, 5.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1_800.0, 3_600.0, 14_400.0, 86_400.0];

macro_rules! instruments {
    ($($of:ident $name:literal $unit:literal $kind:expr, [$($label:literal),*], $help:literal;)*) => {
        /// What is counted.
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub(super) enum Of { $($of),* }

        /// The table.
        pub(super) const INSTRUMENTS: &[Instrument] = &[$(Instrument {
            of: Of::$of,
            name: $name,
            unit: $unit,
            help: $help,
            kind: $kind,
            labels: &[$($label),*],
        }),*];
    };
}

use Kind::{Counter, Gauge, Histogram};

instruments! {
    Decisions "portcullis.decisions" "{call}" Counter, ["decision", "risk", "agent", "project"], "Calls judged, by decision, risk, agent and project";
    Findings "portcullis.findings" "{finding}" Counter, ["rule", "decision"], "Rules that calls were judged by, with what was decided";
    Judge "portcullis.judge" "s" Histogram(QUICK), [], "From a call to its recorded decision, without the wait for a person";
    Record "portcullis.record" "s" Histogram(QUICK), [], "From a decision to when it stood in the record";
    Approvals "portcullis.approvals" "{answer}" Counter, ["status"], "Words of people on requests, by what became of the request";
    Answer "portcullis.answer" "s" Histogram(SLOW), ["status", "risk"], "From a request to the word of a person that settled it";
    Wait "portcullis.wait" "s" Histogram(SLOW), ["status"], "How long calls were held until they were decided, or no longer";
    Waiting "portcullis.waiting" "{call}" Gauge, [], "Calls that are held for a decision now";
    Pending "portcullis.pending" "{request}" Gauge, [], "Requests that wait for a person";
    Deliveries "portcullis.delivery.failures" "{delivery}" Counter, ["channel"], "Requests that could not be brought to where people are told";
    Unrecorded "portcullis.unrecorded" "{call}" Counter, [], "Calls that got no decision because it could not be recorded";
    Responses "portcullis.responses" "{response}" Counter, ["code"], "Responses, by status code";
    Exported "portcullis.telemetry.exported" "{item}" Counter, ["signal"], "Logs, spans and metrics that a collector took";
    Dropped "portcullis.telemetry.dropped" "{item}" Counter, ["signal", "reason"], "Logs, spans and metrics that no collector got";
    Queue "portcullis.telemetry.queue" "{event}" Gauge, [], "Events that wait to be exported";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_row_stands_in_its_own_place_with_a_name_of_its_own() {
        let mut names = BTreeSet::new();
        for (place, row) in INSTRUMENTS.iter().enumerate() {
            assert_eq!(row.of as usize, place, "{}", row.name);
            assert!(names.insert(row.name) && row.name.starts_with("portcullis."), "{}", row.name);
            assert!(row.unit == "s" || row.unit.starts_with('{'), "{}", row.name);
            if let Histogram(bounds) = row.kind {
                assert!(bounds.is_sorted() && !bounds.is_empty(), "{}", row.name);
            }
        }
    }
}
