//! What is counted while the gateway runs: one family of series for each row of [`super::names`]. Owns the counters, how many series there may be, and their
//! text for Prometheus; what they mean, the table says.
//!
//! Nothing here grows without a bound: callers say who they are, and could say something else each time. Where a family has as many series as it may, what
//! is new is counted together, under [`OTHER`].

use std::{
    collections::HashMap,
    fmt::Write as _,
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
};

use super::names::{INSTRUMENTS, Instrument, Kind, Of};
use crate::report::visible;

/// The most series of one family.
const MOST_SERIES: usize = 1_000;

/// The longest value of a label.
const LONGEST: usize = 64;

/// What is counted together beyond that, for the labels whose values callers choose.
pub(super) const OTHER: &str = "other";
const CHOSEN: &[&str] = &["agent", "project", "rule", "channel"];

/// Between the values of labels in a key, where it stands in no value.
const BETWEEN: char = '\u{1f}';

/// Everything that is counted.
pub(super) struct Counts(Vec<Family>);

struct Family {
    instrument: &'static Instrument,
    series: RwLock<HashMap<String, Arc<Series>>>,
}

struct Series {
    labels: Vec<String>,
    value: Cell,
}

enum Cell {
    Counter(AtomicU64),
    Gauge(AtomicI64),
    Histogram(Mutex<Spread>),
}

/// How values are spread.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Spread {
    /// How many lie within each bound but not the one before, and how many beyond the last.
    pub(super) counts: Vec<u64>,
    pub(super) sum: f64,
}

impl Spread {
    pub(super) fn count(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// What one series is at.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Counter(u64),
    Gauge(i64),
    Histogram(Spread),
}

/// One series: the values of its labels, and what it is at.
pub(super) type Point = (Vec<String>, Value);

impl Counts {
    pub(super) fn new() -> Self {
        let families = INSTRUMENTS.iter().map(|instrument| {
            let family = Family { instrument, series: RwLock::default() };
            // What has no labels is there from the start, at nothing.
            if instrument.labels.is_empty() {
                drop(family.series(&[]));
            }
            family
        });
        Self(families.collect())
    }

    /// Counts so many more.
    pub(super) fn add(&self, of: Of, labels: &[&str], more: u64) {
        if let Some(Cell::Counter(count)) = self.series(of, labels).as_deref().map(|it| &it.value) {
            count.fetch_add(more, Ordering::Relaxed);
        }
    }

    /// Says what it is now.
    pub(super) fn set(&self, of: Of, now: i64) {
        if let Some(Cell::Gauge(gauge)) = self.series(of, &[]).as_deref().map(|it| &it.value) {
            gauge.store(now, Ordering::Relaxed);
        }
    }

    /// Says by how much it changed.
    pub(super) fn shift(&self, of: Of, by: i64) {
        if let Some(Cell::Gauge(gauge)) = self.series(of, &[]).as_deref().map(|it| &it.value) {
            gauge.fetch_add(by, Ordering::Relaxed);
        }
    }

    /// Counts a value where it lies.
    pub(super) fn observe(&self, of: Of, labels: &[&str], value: f64) {
        let series = self.series(of, labels);
        let Some(series) = series.as_deref() else { return };
        let (Cell::Histogram(spread), Some(bounds)) = (&series.value, bounds(of)) else { return };
        let place = bounds.partition_point(|bound| *bound < value);
        let mut spread = spread.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = spread.counts.get_mut(place) {
            *count += 1;
        }
        spread.sum += value;
    }

    fn series(&self, of: Of, labels: &[&str]) -> Option<Arc<Series>> {
        Some(self.0.get(of as usize)?.series(labels))
    }

    /// Every family with its series, in the order of the table and of the labels.
    pub(super) fn all(&self) -> Vec<(&'static Instrument, Vec<Point>)> {
        self.0.iter().map(|family| (family.instrument, family.points())).collect()
    }

    /// All of it, in the text format of OpenMetrics.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        for (instrument, points) in self.all() {
            let name = exposed(instrument);
            let kind = match instrument.kind {
                Kind::Counter => "counter",
                Kind::Gauge => "gauge",
                Kind::Histogram(_) => "histogram",
            };
            // Writing to a string cannot fail.
            let _ = writeln!(out, "# HELP {name} {}.\n# TYPE {name} {kind}", instrument.help);
            if instrument.unit == "s" {
                let _ = writeln!(out, "# UNIT {name} seconds");
            }
            for (labels, value) in points {
                write_series(&mut out, &name, instrument, &labels, &value);
            }
        }
        out.push_str("# EOF\n");
        out
    }
}

impl Family {
    fn series(&self, labels: &[&str]) -> Arc<Series> {
        // Escaped before they are put behind one another, so that no two series have one key.
        let mut key = String::with_capacity(LONGEST);
        for label in labels {
            key.push_str(&visible::line(cut(label)));
            key.push(BETWEEN);
        }
        {
            let known = self.series.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(series) = known.get(&key) {
                return Arc::clone(series);
            }
        }
        let mut known = self.series.write().unwrap_or_else(PoisonError::into_inner);
        let mut values: Vec<String> =
            labels.iter().map(|label| visible::line(cut(label)).into_owned()).collect();
        if known.len() >= MOST_SERIES && !known.contains_key(&key) {
            for (value, name) in values.iter_mut().zip(self.instrument.labels) {
                if CHOSEN.contains(name) {
                    OTHER.clone_into(value);
                }
            }
            key.clear();
            for value in &values {
                key.push_str(value);
                key.push(BETWEEN);
            }
        }
        let instrument = self.instrument;
        Arc::clone(known.entry(key).or_insert_with(|| {
            let value = match instrument.kind {
                Kind::Counter => Cell::Counter(AtomicU64::new(0)),
                Kind::Gauge => Cell::Gauge(AtomicI64::new(0)),
                Kind::Histogram(bounds) => Cell::Histogram(Mutex::new(Spread {
                    counts: vec![0; bounds.len() + 1],
                    sum: 0.0,
                })),
            };
            Arc::new(Series { labels: values, value })
        }))
    }

    fn points(&self) -> Vec<Point> {
        let known = self.series.read().unwrap_or_else(PoisonError::into_inner);
        let mut points: Vec<Point> = known
            .values()
            .map(|series| {
                let value = match &series.value {
                    Cell::Counter(count) => Value::Counter(count.load(Ordering::Relaxed)),
                    Cell::Gauge(now) => Value::Gauge(now.load(Ordering::Relaxed)),
                    Cell::Histogram(spread) => {
                        let spread = spread.lock().unwrap_or_else(PoisonError::into_inner);
                        Value::Histogram(spread.clone())
                    }
                };
                (series.labels.clone(), value)
            })
            .collect();
        drop(known);
        points.sort_by(|(one, _), (other, _)| one.cmp(other));
        points
    }
}

/// The bounds of a histogram.
pub(super) fn bounds(of: Of) -> Option<&'static [f64]> {
    match INSTRUMENTS.get(of as usize)?.kind {
        Kind::Histogram(bounds) => Some(bounds),
        Kind::Counter | Kind::Gauge => None,
    }
}

/// As much of a value as a label has.
fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(LONGEST)).unwrap_or_default()
}

/// The name under which `/metrics` has it, without what is said of a counter.
pub(super) fn exposed(instrument: &Instrument) -> String {
    let name = instrument.name.replace('.', "_");
    if instrument.unit == "s" { format!("{name}_seconds") } else { name }
}

fn write_series(
    out: &mut String,
    name: &str,
    instrument: &Instrument,
    labels: &[String],
    value: &Value,
) {
    let labels: Vec<String> = instrument
        .labels
        .iter()
        .zip(labels)
        .map(|(name, value)| format!("{name}=\"{}\"", escaped(value)))
        .collect();
    let labels = labels.join(",");
    let braced = if labels.is_empty() { String::new() } else { format!("{{{labels}}}") };
    match value {
        Value::Counter(count) => {
            let _ = writeln!(out, "{name}_total{braced} {count}");
        }
        Value::Gauge(now) => {
            let _ = writeln!(out, "{name}{braced} {now}");
        }
        Value::Histogram(spread) => {
            let bounds = bounds(instrument.of).unwrap_or_default();
            let ends = bounds.iter().map(|bound| format!("{bound:?}"));
            let comma = if labels.is_empty() { "" } else { "," };
            let mut below = 0_u64;
            for (end, count) in ends.chain(["+Inf".to_owned()]).zip(&spread.counts) {
                below += count;
                let _ = writeln!(out, "{name}_bucket{{{labels}{comma}le=\"{end}\"}} {below}");
            }
            let _ = writeln!(out, "{name}_sum{braced} {:?}", spread.sum);
            let _ = writeln!(out, "{name}_count{braced} {below}");
        }
    }
}

/// What stands between quotation marks.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_is_told_in_the_text_of_openmetrics() {
        let counts = Counts::new();
        counts.add(Of::Decisions, &["ask", "high", "a \"b\"\\", "shop"], 2);
        counts.set(Of::Pending, 3);
        for value in [0.000_1, 0.000_2, 7.0] {
            counts.observe(Of::Judge, &[], value);
        }
        let text = counts.text();
        for line in [
            "# TYPE portcullis_decisions counter",
            r#"portcullis_decisions_total{decision="ask",risk="high",agent="a \"b\"\\",project="shop"} 2"#,
            "portcullis_pending 3",
            "# UNIT portcullis_judge_seconds seconds",
            r#"portcullis_judge_seconds_bucket{le="0.0001"} 1"#,
            r#"portcullis_judge_seconds_bucket{le="0.00025"} 2"#,
            r#"portcullis_judge_seconds_bucket{le="1.0"} 2"#,
            r#"portcullis_judge_seconds_bucket{le="+Inf"} 3"#,
            "portcullis_judge_seconds_count 3",
            "portcullis_unrecorded_total 0",
        ] {
            assert!(text.lines().any(|own| own == line), "{line} in {text}");
        }
        assert!(text.ends_with("# EOF\n"));
    }

    #[test]
    fn whoever_calls_itself_something_else_each_time_makes_no_more_series_than_there_may_be() {
        let counts = Counts::new();
        for turn in 0..5 * MOST_SERIES {
            let agent = format!("agent {turn} {}", "x".repeat(500));
            counts.add(Of::Decisions, &["allow", "low", &agent, ""], 1);
        }
        let all = counts.all();
        let (_, points) = &all[Of::Decisions as usize];
        assert_eq!(points.len(), MOST_SERIES + 1);
        let mut sum = 0;
        for (labels, value) in points {
            assert!(labels.iter().all(|label| label.len() <= LONGEST));
            let Value::Counter(count) = value else { panic!("{value:?}") };
            sum += count;
        }
        assert_eq!(sum, 5 * MOST_SERIES as u64, "nothing is lost");
        let other = points.iter().find(|(labels, _)| labels[2] == OTHER).unwrap();
        assert_eq!(other.1, Value::Counter(4 * MOST_SERIES as u64));
    }

    #[test]
    fn nothing_that_a_caller_says_forges_a_line() {
        let counts = Counts::new();
        counts.add(Of::Decisions, &["allow", "low", "a\"} 9\nportcullis_pending 7\u{202e}", ""], 1);
        let text = counts.text();
        assert!(!text.lines().any(|line| line.starts_with("portcullis_pending 7")), "{text}");
        assert!(!text.contains('\u{202e}'));
    }
}
