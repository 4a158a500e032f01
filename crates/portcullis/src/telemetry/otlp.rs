//! Requests of OTLP: what a collector is sent. Owns which fields of `opentelemetry-proto` hold what is told; how fields are written,
//! [`super::message`] says.

use super::{
    counts::{Point, Spread, Value, bounds},
    message::{Field, Message},
    names::{self, CONVENTIONS, Instrument, Kind, SCHEMA},
    told::{Attribute, Event, Span, Standing},
};

/// What is exported.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Signal {
    Logs,
    Traces,
    Metrics,
}

impl Signal {
    /// Its word, in `/metrics` and in an address.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Logs => "logs",
            Self::Traces => "traces",
            Self::Metrics => "metrics",
        }
    }
}

/// Cumulative, as Prometheus counts.
const CUMULATIVE: u32 = 2;

/// The flag of a log in a trace that is kept, and those of a span: kept, and that it is known whether its parent is elsewhere, which it is.
const SAMPLED: u32 = 1;
const PARENT_KNOWN: u32 = 0x100;
const PARENT_REMOTE: u32 = 0x200;

/// Who tells: one resource for everything.
#[derive(Clone, Debug)]
pub(super) struct Teller {
    pub(super) version: &'static str,
    /// What tells this process from others of the kind.
    pub(super) instance: String,
}

impl Teller {
    fn resource(&self) -> Message {
        let attributes = [
            (names::SERVICE_NAME, "portcullis"),
            (names::SERVICE_VERSION, self.version),
            (names::SERVICE_INSTANCE, self.instance.as_str()),
        ];
        let attributes = attributes.map(|(name, value)| pair(name, text(value))).to_vec();
        Message::default().with(1, "attributes", Field::Messages(attributes))
    }

    /// The logs among events; nothing where there is none.
    pub(super) fn logs(&self, events: &[Event]) -> Option<(Message, u64)> {
        let logs: Vec<Message> = events.iter().filter_map(log).collect();
        self.request(("resourceLogs", "scopeLogs", "logRecords"), logs)
    }

    /// The spans among events; nothing where there is none.
    pub(super) fn spans(&self, events: &[Event]) -> Option<(Message, u64)> {
        let spans: Vec<Message> = events.iter().filter_map(span).collect();
        self.request(("resourceSpans", "scopeSpans", "spans"), spans)
    }

    /// Everything that is counted, since `start` and by `now`.
    pub(super) fn metrics(
        &self,
        all: &[(&'static Instrument, Vec<Point>)],
        (start, now): (u64, u64),
    ) -> Option<(Message, u64)> {
        let metrics: Vec<Message> = all
            .iter()
            .filter(|(_, points)| !points.is_empty())
            .map(|(instrument, points)| metric(instrument, points, (start, now)))
            .collect();
        self.request(("resourceMetrics", "scopeMetrics", "metrics"), metrics)
    }

    /// A request with all of it below one resource and one scope, and how much it is. The three requests have their fields in the same places.
    fn request(
        &self,
        (all, within, name): (&'static str, &'static str, &'static str),
        items: Vec<Message>,
    ) -> Option<(Message, u64)> {
        let count = u64::try_from(items.len()).ok().filter(|count| *count > 0)?;
        let conventions = CONVENTIONS.iter().map(|(name, version)| pair(name, text(version)));
        let scope = Message::default()
            .with(1, "name", Field::Text("portcullis".to_owned()))
            .with(2, "version", Field::Text(self.version.to_owned()))
            .with(3, "attributes", Field::Messages(conventions.collect()));
        let scoped = Message::default()
            .with(1, "scope", Field::Message(scope))
            .with(2, name, Field::Messages(items))
            .with(3, "schemaUrl", Field::Text(SCHEMA.to_owned()));
        let resource = Message::default()
            .with(1, "resource", Field::Message(self.resource()))
            .with(2, within, Field::Messages(vec![scoped]));
        Some((Message::default().with(1, all, Field::Messages(vec![resource])), count))
    }
}

fn log(event: &Event) -> Option<Message> {
    let words = event.log.as_ref()?;
    let name = |name: fn(&Standing) -> Vec<u8>| event.standing.as_ref().map(name).map(Field::Name);
    let flags = event.standing.map(|it| Field::SmallFixed(u32::from(it.sampled) * SAMPLED));
    Some(
        Message::default()
            .with(1, "timeUnixNano", Field::Fixed(event.ended))
            .with(2, "severityNumber", Field::Small(event.weight as u32))
            .with(3, "severityText", Field::Text(event.weight.name().to_owned()))
            .with(5, "body", Field::Message(text(words)))
            .with(6, "attributes", Field::Messages(attributes(event)))
            .with_some(8, "flags", flags.filter(|it| *it != Field::SmallFixed(0)))
            .with_some(9, "traceId", name(|it| it.trace.to_vec()))
            .with_some(10, "spanId", name(|it| it.span.to_vec()))
            .with(11, "observedTimeUnixNano", Field::Fixed(event.ended))
            .with(12, "eventName", Field::Text(event.name.to_owned())),
    )
}

fn span(event: &Event) -> Option<Message> {
    let Span { name, kind } = event.span.as_ref()?;
    let Standing { trace, span, parent, sampled } = event.standing?;
    let is_remote = *kind == super::told::SpanKind::Server && parent.is_some();
    let flags =
        u32::from(sampled) * SAMPLED + PARENT_KNOWN + if is_remote { PARENT_REMOTE } else { 0 };
    Some(
        Message::default()
            .with(1, "traceId", Field::Name(trace.to_vec()))
            .with(2, "spanId", Field::Name(span.to_vec()))
            .with_some(4, "parentSpanId", parent.map(|it| Field::Name(it.to_vec())))
            .with(5, "name", Field::Text(name.clone()))
            .with(6, "kind", Field::Small(*kind as u32))
            .with(7, "startTimeUnixNano", Field::Fixed(event.began))
            .with(8, "endTimeUnixNano", Field::Fixed(event.ended))
            .with(9, "attributes", Field::Messages(attributes(event)))
            .with(16, "flags", Field::SmallFixed(flags)),
    )
}

fn metric(instrument: &Instrument, points: &[Point], times: (u64, u64)) -> Message {
    let named = Message::default()
        .with(1, "name", Field::Text(instrument.name.to_owned()))
        .with(2, "description", Field::Text(instrument.help.to_owned()))
        .with(3, "unit", Field::Text(instrument.unit.to_owned()));
    let points = points.iter().map(|(labels, value)| {
        let labels = instrument.labels.iter().zip(labels);
        let labels = labels.map(|(name, value)| pair(name, text(value))).collect();
        point(instrument, labels, value, times)
    });
    let points = Message::default().with(1, "dataPoints", Field::Messages(points.collect()));
    let cumulative = Field::Small(CUMULATIVE);
    match instrument.kind {
        Kind::Gauge => named.with(5, "gauge", Field::Message(points)),
        Kind::Counter => {
            let sum = points.with(2, "aggregationTemporality", cumulative).with(
                3,
                "isMonotonic",
                Field::Bool(true),
            );
            named.with(7, "sum", Field::Message(sum))
        }
        Kind::Histogram(_) => {
            let histogram = points.with(2, "aggregationTemporality", cumulative);
            named.with(9, "histogram", Field::Message(histogram))
        }
    }
}

fn point(
    instrument: &Instrument,
    labels: Vec<Message>,
    value: &Value,
    (start, now): (u64, u64),
) -> Message {
    let start = (!matches!(value, Value::Gauge(_))).then_some(Field::Fixed(start));
    let times = Message::default().with_some(2, "startTimeUnixNano", start).with(
        3,
        "timeUnixNano",
        Field::Fixed(now),
    );
    let labels = (!labels.is_empty()).then_some(Field::Messages(labels));
    let number = |value: i64| Field::SignedFixed(value);
    match value {
        Value::Counter(count) => times
            .with(6, "asInt", number(i64::try_from(*count).unwrap_or(i64::MAX)))
            .with_some(7, "attributes", labels),
        Value::Gauge(now) => {
            times.with(6, "asInt", number(*now)).with_some(7, "attributes", labels)
        }
        Value::Histogram(spread) => {
            let Spread { counts, sum } = spread;
            let bounds = bounds(instrument.of).unwrap_or_default();
            let count = spread.count();
            times
                .with_some(4, "count", (count > 0).then_some(Field::Fixed(count)))
                .with(5, "sum", Field::Double(*sum))
                .with(6, "bucketCounts", Field::Fixeds(counts.clone()))
                .with(7, "explicitBounds", Field::Doubles(bounds.to_vec()))
                .with_some(9, "attributes", labels)
        }
    }
}

fn attributes(event: &Event) -> Vec<Message> {
    event.attributes.iter().map(|(name, value)| pair(name, any(value))).collect()
}

fn pair(name: &str, value: Message) -> Message {
    Message::default().with(1, "key", Field::Text(name.to_owned())).with(
        2,
        "value",
        Field::Message(value),
    )
}

fn any(value: &Attribute) -> Message {
    match value {
        Attribute::Text(value) => text(value),
        Attribute::Number(value) => Message::default().with(3, "intValue", Field::Int(*value)),
        Attribute::Seconds(value) => {
            Message::default().with(4, "doubleValue", Field::Double(*value))
        }
        Attribute::Texts(values) => {
            let values: Vec<Message> = values.iter().map(|value| text(value)).collect();
            let list = (!values.is_empty()).then_some(Field::Messages(values));
            let list = Message::default().with_some(1, "values", list);
            Message::default().with(5, "arrayValue", Field::Message(list))
        }
    }
}

fn text(value: &str) -> Message {
    Message::default().with(1, "stringValue", Field::Text(value.to_owned()))
}

/// How many of what it was sent a collector did not take, as its answer says: `ExportPartialSuccess`, in the form in which it was asked. An answer that
/// cannot be read says nothing of it.
pub(super) fn refused(answer: &[u8], is_json: bool) -> u64 {
    if is_json {
        let Ok(answer) = serde_json::from_slice::<serde_json::Value>(answer) else { return 0 };
        let Some(partial) = answer.get("partialSuccess").and_then(|it| it.as_object()) else {
            return 0;
        };
        let rejected = partial.iter().find(|(name, _)| name.starts_with("rejected"));
        let Some((_, count)) = rejected else { return 0 };
        return count.as_u64().or_else(|| count.as_str()?.parse().ok()).unwrap_or_default();
    }
    // A message in field 1, and there a number in field 1.
    let partial = field(answer, 0x0a).and_then(|rest| {
        let (length, rest) = varint(rest)?;
        rest.get(..usize::try_from(length).ok()?)
    });
    let count = partial.and_then(|partial| varint(field(partial, 0x08)?));
    count.map_or(0, |(count, _)| count)
}

/// What stands behind the key of a first field.
fn field(bytes: &[u8], key: u8) -> Option<&[u8]> {
    bytes.split_first().filter(|(first, _)| **first == key).map(|(_, rest)| rest)
}

fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0_u64;
    for (place, byte) in bytes.iter().enumerate().take(9) {
        value |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Some((value, bytes.get(place + 1..)?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_collector_did_not_take_is_read_of_its_answer() {
        assert_eq!(refused(br#"{"partialSuccess":{"rejectedSpans":"3"}}"#, true), 3);
        assert_eq!(refused(br#"{"partialSuccess":{"rejectedLogRecords":5}}"#, true), 5);
        for nothing in ["", "{}", "[]", r#"{"partialSuccess":{}}"#, r#"{"partialSuccess":3}"#] {
            assert_eq!(refused(nothing.as_bytes(), true), 0, "{nothing}");
        }
        assert_eq!(refused(b"\x0a\x03\x08\xac\x02", false), 300);
        for nothing in
            [&b""[..], b"\x0a", b"\x0a\x00", b"\x0a\xff", b"\x0a\x02\x08\xff", b"\x0a\x05\x08\x01"]
        {
            assert_eq!(refused(nothing, false), 0, "{nothing:?}");
        }
    }
}
