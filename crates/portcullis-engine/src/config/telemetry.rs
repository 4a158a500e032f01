//! What a gateway tells a collector of OTLP: the `[serve.telemetry]` table. Owns its words; what is told and how, the gateway knows.

use std::{path::PathBuf, time::Duration};

use portcullis_core::network::Target;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::error::Misreading;
use crate::guardian::crosses_openly;

/// How often what is counted is told, in seconds.
const EVERY: u32 = 15;
const RAREST: u32 = 3_600;

/// How many events wait to be told.
const QUEUE: u32 = 4_096;
const LONGEST_QUEUE: u32 = 65_536;

/// Logs, spans and metrics for a collector of OpenTelemetry (OTLP over HTTP). No decision waits for it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TelemetryTable {
    /// Where the collector is: `http://127.0.0.1:4318`. `/v1/logs`, `/v1/traces` and `/v1/metrics` are put behind it.
    #[schemars(with = "String")]
    pub endpoint: Spanned<String>,
    /// The form of what is sent.
    #[serde(default)]
    pub protocol: Protocol,
    /// A file with headers to send along, absolute: a line `NAME: VALUE` for each, as for a key.
    #[schemars(with = "Option<PathBuf>")]
    pub headers: Option<Spanned<PathBuf>>,
    /// What is told: all of it by default.
    #[schemars(with = "Option<Vec<SignalWord>>")]
    pub signals: Option<Vec<SignalWord>>,
    /// How often what is counted is told, in seconds: 15 by default.
    #[schemars(with = "Option<u32>")]
    pub every: Option<Spanned<u32>>,
    /// How many events wait to be told, 4096 by default. What comes while as many wait is counted, and not told.
    #[schemars(with = "Option<u32>")]
    pub queue: Option<Spanned<u32>>,
    /// Whether calls are told with their command or arguments, as far as the record has them: without secrets, and cut. They are not by default.
    #[serde(default)]
    pub arguments: bool,
}

/// The form of what is sent to a collector.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// Protobuf, as collectors take it by default.
    #[default]
    Protobuf,
    /// JSON.
    Json,
}

/// What is told to a collector.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum SignalWord {
    /// Decisions, answers and failures, one by one.
    Logs,
    /// Calls and the time in which they waited, in the traces of their callers.
    Traces,
    /// What is counted.
    Metrics,
}

/// What a collector is told, and how.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Telemetry {
    /// Where it is.
    pub endpoint: String,
    /// In which form.
    pub protocol: Protocol,
    /// The file with headers to send along.
    pub headers: Option<PathBuf>,
    /// What is told.
    pub signals: Vec<SignalWord>,
    /// How often what is counted is told.
    pub every: Duration,
    /// How many events wait at most.
    pub queue: usize,
    /// Whether calls are told with their arguments.
    pub arguments: bool,
}

impl Telemetry {
    /// It in words.
    pub(super) fn words(&self) -> String {
        let Self { endpoint, protocol, headers, signals, every, queue, arguments } = self;
        let word = |signal: &SignalWord| match signal {
            SignalWord::Logs => "logs",
            SignalWord::Traces => "traces",
            SignalWord::Metrics => "metrics",
        };
        let signals: Vec<_> = signals.iter().map(word).collect();
        let form = match protocol {
            Protocol::Protobuf => "protobuf",
            Protocol::Json => "json",
        };
        let headers = headers.as_ref().map(|path| format!(" with headers of {}", path.display()));
        let arguments = if *arguments { ", arguments too" } else { "" };
        format!(
            "{} to {endpoint}{} ({form}, every {} s, {queue} wait{arguments})",
            signals.join(" "),
            headers.unwrap_or_default(),
            every.as_secs(),
        )
    }
}

pub(super) fn telemetry_of(table: &TelemetryTable) -> Result<Telemetry, Misreading> {
    let TelemetryTable { endpoint, protocol, headers, signals, every, queue, arguments } = table;
    let unusable = |why: String| {
        Misreading::new(endpoint.span(), format!("the collector cannot be used: {why}"))
            .with_help("write it as `http://127.0.0.1:4318`, or `https://` for one elsewhere")
    };
    let target = Target::read(endpoint.get_ref()).map_err(|it| unusable(it.to_string()))?;
    if crosses_openly(&target) {
        return Err(unusable("what is told would cross the network unencrypted".to_owned()));
    }
    if target.url().query().is_some() || target.url().fragment().is_some() {
        return Err(unusable("paths are put behind it, so that it has no query".to_owned()));
    }
    if let Some(path) = headers.as_ref().filter(|path| !path.get_ref().is_absolute()) {
        let message = format!("`{}` is not an absolute path", path.get_ref().display());
        return Err(Misreading::new(path.span(), message)
            .with_help("a relative path would name another file in each directory"));
    }
    let within = |value: &Option<Spanned<u32>>, usual: u32, most: u32| match value {
        None => Ok(usual),
        Some(value) if (1..=most).contains(value.get_ref()) => Ok(*value.get_ref()),
        Some(value) => {
            Err(Misreading::new(value.span(), format!("expected a number from 1 to {most}")))
        }
    };
    let all = [SignalWord::Logs, SignalWord::Traces, SignalWord::Metrics];
    Ok(Telemetry {
        endpoint: endpoint.get_ref().trim_end_matches('/').to_owned(),
        protocol: *protocol,
        headers: headers.as_ref().map(|path| path.get_ref().clone()),
        signals: signals.clone().unwrap_or_else(|| all.to_vec()),
        every: Duration::from_secs(within(every, EVERY, RAREST)?.into()),
        queue: usize::try_from(within(queue, QUEUE, LONGEST_QUEUE)?).unwrap_or(usize::MAX),
        arguments: *arguments,
    })
}
