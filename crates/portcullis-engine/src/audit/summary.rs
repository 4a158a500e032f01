//! The record in a page of Markdown. Owns its layout, which is the one of the report that rlm-code writes, and that
//! nothing recorded can forge a line of it.

use std::{
    collections::{HashSet, VecDeque},
    fmt::Write as _,
    ops::ControlFlow,
};

use jiff::Timestamp;
use portcullis_core::{decision::Verdict, risk::Risk};

use super::{AuditError, Entry, Filter, Kind, Log, Record, time_text};
use crate::report::visible;

/// How many entries stand at the end.
const RECENT: usize = 20;

/// The most characters of a reason.
const MAX_REASON: usize = 80;

/// The report over the decisions that the filter wants. A decision that asked and was answered counts as its answer.
///
/// # Errors
/// When the record, or one of the wanted records, cannot be read.
pub fn summary(log: &mut Log, filter: &Filter, now: Timestamp) -> Result<String, AuditError> {
    let mut tally = Tally::default();
    let mut failure = None;
    log.each(filter, &mut |record| match record {
        Ok(record) => {
            tally.count(record);
            ControlFlow::Continue(())
        }
        Err(error) => {
            failure = Some(error);
            ControlFlow::Break(())
        }
    })?;
    failure.map_or_else(|| Ok(tally.written(now)), Err)
}

#[derive(Default)]
struct Tally {
    approved: u64,
    denied: u64,
    asked: u64,
    by_risk: [u64; Risk::ALL.len()],
    /// Decisions that asked and wait for their answer.
    waiting: HashSet<u64>,
    recent: VecDeque<Record>,
    /// What people changed about the gate.
    changed: VecDeque<Record>,
}

impl Tally {
    fn count(&mut self, record: Record) {
        let verdict = record.entry.decision;
        match (record.entry.kind, record.entry.refers_to) {
            (Kind::Decision, _) => {
                if let Some(verdict) = verdict {
                    *self.counter(verdict) += 1;
                }
                if verdict == Some(Verdict::Ask) {
                    self.waiting.insert(record.sequence);
                }
                let risk = record.entry.risk.unwrap_or(Risk::Unknown);
                for (level, count) in Risk::ALL.into_iter().zip(&mut self.by_risk) {
                    *count += u64::from(level == risk);
                }
                self.recent.push_back(record);
                if self.recent.len() > RECENT {
                    self.recent.pop_front();
                }
            }
            // Only the first answer counts.
            (Kind::Answer, Some(decision)) if self.waiting.remove(&decision) => {
                let Some(verdict) = verdict else { return };
                self.asked -= 1;
                *self.counter(verdict) += 1;
                let asked = self.recent.iter_mut().find(|recent| recent.sequence == decision);
                if let Some(asked) = asked {
                    asked.entry.decision = Some(verdict);
                    asked.entry.reason = record.entry.reason.or(asked.entry.reason.take());
                }
            }
            (Kind::Change, _) => {
                self.changed.push_back(record);
                if self.changed.len() > RECENT {
                    self.changed.pop_front();
                }
            }
            (Kind::Answer | Kind::Outcome, _) => {}
        }
    }

    fn counter(&mut self, verdict: Verdict) -> &mut u64 {
        match verdict {
            Verdict::Allow => &mut self.approved,
            Verdict::Ask => &mut self.asked,
            Verdict::Deny => &mut self.denied,
        }
    }

    fn written(&self, now: Timestamp) -> String {
        let total = self.approved + self.denied + self.asked;
        let mut page = String::new();
        // Writing to a string cannot fail.
        let _ = write!(
            page,
            "# Approval Audit Report\n\nGenerated: {}\n\n## Summary\n\n- Total decisions: {total}\n- Approved: {}\n\
             - Denied: {}\n- Asked: {}\n- Approval rate: {:.1}%\n\n## By Risk Level\n\n",
            seconds(now),
            self.approved,
            self.denied,
            self.asked,
            percent(self.approved, total)
        );
        for (risk, count) in Risk::ALL.into_iter().zip(self.by_risk).filter(|level| level.1 > 0) {
            let name = risk.name().to_uppercase();
            let _ = writeln!(page, "- {name}: {count} ({:.0}%)", percent(count, total));
        }
        page.push_str("\n## Recent Entries\n\n");
        for record in &self.recent {
            let word = match record.entry.decision {
                Some(Verdict::Allow) => "APPROVED",
                Some(Verdict::Deny) => "DENIED",
                Some(Verdict::Ask) => "ASKED",
                None => "UNDECIDED",
            };
            let _ = writeln!(
                page,
                "- [{}] {word} {} ({}) - {}",
                seconds(record.time),
                plain(record.entry.tool.as_deref().unwrap_or("unknown")),
                record.entry.risk.unwrap_or(Risk::Unknown).name(),
                plain(record.entry.reason.as_deref().unwrap_or_default()),
            );
        }
        if !self.changed.is_empty() {
            page.push_str("\n## Changes to the Gate\n\n");
        }
        for record in &self.changed {
            let words = |text: &Option<String>| plain(text.as_deref().unwrap_or("unknown"));
            let Entry { approver, outcome, reason, .. } = &record.entry;
            let _ = writeln!(
                page,
                "- [{}] {} by {} - {}",
                seconds(record.time),
                words(outcome),
                words(approver),
                plain(reason.as_deref().unwrap_or_default()),
            );
        }
        page
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 }
}

fn seconds(time: Timestamp) -> String {
    let text = time_text(time);
    text.split('.').next().map_or(text.clone(), |seconds| format!("{seconds}Z"))
}

/// A text that is only text in Markdown and HTML, on one line, with hidden characters escaped. Ordinary words come out as
/// they are.
fn plain(text: &str) -> String {
    let shown = visible::line(text);
    let mut plain = String::new();
    let mut before = ' ';
    let mut rest = shown.chars().peekable();
    for count in 0.. {
        let Some(character) = rest.next() else { break };
        if count == MAX_REASON {
            plain.push('…');
            break;
        }
        let next = rest.peek().copied().unwrap_or(' ');
        match character {
            '&' => plain.push_str("&amp;"),
            '<' => plain.push_str("&lt;"),
            '>' => plain.push_str("&gt;"),
            // Readers make links of bare addresses and names.
            ':' if next == '/' => plain.push_str("&#58;"),
            '.' if before.eq_ignore_ascii_case(&'w') => plain.push_str("&#46;"),
            '@' => plain.push_str("&#64;"),
            '_' if before.is_ascii_alphanumeric() && next.is_ascii_alphanumeric() => {
                plain.push(character);
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' | '#' => {
                plain.push('\\');
                plain.push(character);
            }
            _ => plain.push(character),
        }
        before = character;
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_text_is_never_markup() {
        for (text, shown) in [
            ("removes files, for good", "removes files, for good"),
            ("run_bash", "run_bash"),
            ("x\n- [2026] APPROVED", "x\\\\n- \\[2026\\] APPROVED"),
            ("![a](http://x)", "!\\[a\\](http&#58;//x)"),
            ("<b> & www.x.y a@b", "&lt;b&gt; &amp; www&#46;x.y a&#64;b"),
            ("a\u{202e}b", "a\\\\u{202e}b"),
        ] {
            assert_eq!(plain(text), shown, "{text:?}");
        }
        assert!(plain(&"é".repeat(500)).len() < 200);
    }
}
