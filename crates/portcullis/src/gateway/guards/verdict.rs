//! What a guard elsewhere is answered. Owns the shape of a verdict, by the schema `verdict` of OpenGuardrails 1.0, and the words of its taxonomy for what rules
//! here find.
//!
//! Places are told in characters, and only where the text is sent as it is: in arguments that stand encoded in a text nobody could find them.

use portcullis_core::{
    finding::{Category, Finding as RuleFinding},
    risk::Severity,
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::step::Called;

/// Who says so.
pub(super) const PROVIDER: &str = "portcullis";

/// The most findings of one verdict, and the most places that are masked. Where there are more, nothing goes on.
pub(super) const MOST: usize = 1_000;

/// The kinds of finding that the taxonomy has no word for.
pub(super) const WAITS: &str = "x.portcullis.waits_for_person";
pub(super) const DENIED: &str = "x.portcullis.denied";
pub(super) const UNREAD: (&str, &str) = ("x.portcullis.unreadable", PROVIDER);

pub(super) const SECRET: &str = "security.secret_leak";
pub(super) const PLANTED: &str = "security.prompt_injection";
pub(super) const POISONED: &str = "security.tool_poisoning";

/// The answer to an event.
#[derive(Debug, Serialize)]
pub(super) struct Verdict {
    pub(super) event_id: String,
    provider: &'static str,
    pub(super) decision: Word,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) findings: Vec<Finding>,
    #[serde(skip_serializing_if = "Modifications::is_empty")]
    modifications: Modifications,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) unjudged: Vec<String>,
}

/// Whether the step may go on.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Word {
    Allow,
    Block,
}

/// Something worth saying about one place. What stands there is not in it.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    pub(super) category: &'static str,
    severity: &'static str,
    pub(super) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<usize>,
    detector: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
}

#[derive(Debug, Default, Serialize)]
struct Modifications {
    spans: Vec<Mask>,
}

impl Modifications {
    const fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }
}

/// What is put in the place of something.
#[derive(Debug, Serialize)]
struct Mask {
    path: String,
    start: usize,
    end: usize,
    replacement: &'static str,
}

impl Verdict {
    /// Nothing speaks against it.
    pub(super) fn allow() -> Self {
        Self {
            event_id: String::new(),
            provider: PROVIDER,
            decision: Word::Allow,
            findings: Vec::new(),
            modifications: Modifications::default(),
            unjudged: Vec::new(),
        }
    }

    /// These places could not be looked at, so that nothing goes on.
    pub(super) fn could_not_look(&mut self, places: impl IntoIterator<Item = String>) {
        for path in places {
            self.decision = Word::Block;
            if !self.unjudged.contains(&path) {
                self.unjudged.push(path);
            }
        }
    }

    /// Says something of a place.
    pub(super) fn say(&mut self, finding: Finding) {
        if self.findings.len() < MOST {
            self.findings.push(finding);
        } else {
            self.could_not_look(["payload".to_owned()]);
        }
    }

    /// Has the bytes of a text masked.
    pub(super) fn mask(&mut self, path: &str, text: &str, (start, end): (usize, usize)) {
        let Some((start, end)) = characters(text, start, end).filter(|(start, end)| start < end)
        else {
            return self.could_not_look([path.to_owned()]);
        };
        if self.modifications.spans.len() >= MOST {
            return self.could_not_look([path.to_owned()]);
        }
        let (path, replacement) = (path.to_owned(), portcullis_core::secrets::MASK);
        self.modifications.spans.push(Mask { path, start, end, replacement });
    }
}

impl Finding {
    /// One of a text, at these bytes.
    pub(super) fn of_text(
        (category, detector): (&'static str, &str),
        severity: Severity,
        path: &str,
        at: Option<(&str, usize, usize)>,
    ) -> Self {
        let at = at.and_then(|(text, start, end)| characters(text, start, end));
        Self {
            category,
            severity: word_of(severity),
            path: path.to_owned(),
            start: at.map(|(start, _)| start),
            end: at.map(|(_, end)| end),
            detector: detector.to_owned(),
            subject: None,
        }
    }

    /// One of a whole call, about which somebody may be asked.
    pub(super) fn of_call(
        category: &'static str,
        severity: Severity,
        call: &Called,
        request: Option<String>,
    ) -> Self {
        let finding = Self::of_text((category, PROVIDER), severity, &call.path, None);
        Self { subject: request, ..finding }
    }

    /// What a rule found in a call.
    pub(super) fn of_rule(found: &RuleFinding, call: &Called) -> Self {
        let place = &found.place;
        let text = texts(&call.arguments, &place.pointer);
        // What stands beside the arguments, or in a file, is a finding of the whole call.
        let path = match text {
            Some(_) => format!("{}{}", call.path, place.pointer.replace('/', ".")),
            None => call.path.clone(),
        };
        let at = text.filter(|_| call.is_plain && place.file.is_none()).and_then(|text| {
            let place = |at: u32| usize::try_from(at).ok();
            Some((text, place(found.place.span.start)?, place(found.place.span.end)?))
        });
        Self::of_text((category(found.category), found.rule), found.severity, &path, at)
    }
}

/// The text of an argument.
fn texts<'a>(arguments: &'a Map<String, Value>, pointer: &str) -> Option<&'a str> {
    let pointer = pointer.strip_prefix('/')?;
    let (name, rest) = pointer.split_at(pointer.find('/').unwrap_or(pointer.len()));
    arguments.get(&name.replace("~1", "/").replace("~0", "~"))?.pointer(rest)?.as_str()
}

/// The place of bytes in characters.
fn characters(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let first = text.get(..start)?.chars().count();
    Some((first, first + text.get(start..end)?.chars().count()))
}

const fn word_of(severity: Severity) -> &'static str {
    match severity {
        Severity::Safe | Severity::Low => "low",
        Severity::Medium => "medium",
        Severity::High => "high",
        Severity::Critical => "critical",
    }
}

/// The word of the taxonomy for a kind of harm.
const fn category(category: Category) -> &'static str {
    match category {
        Category::Destruction
        | Category::Execution
        | Category::NetworkShell
        | Category::Persistence
        | Category::System
        | Category::Evasion => "security.malicious_command",
        Category::Exfiltration => "security.data_exfiltration",
        Category::Credentials => SECRET,
        Category::Privilege | Category::Permission => "security.privilege_escalation",
        Category::SelfProtection => "security.jailbreak",
        Category::SupplyChain => "security.supply_chain",
        Category::Injection => PLANTED,
        Category::Change => "x.portcullis.change",
        Category::Unclear => "x.portcullis.unclear",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_in_characters() {
        assert_eq!(characters("aé🎉b", 0, 8), Some((0, 4)));
        assert_eq!(characters("aé🎉b", 3, 7), Some((2, 3)));
        for (start, end) in [(2, 3), (0, 9), (4, 3), (9, 9)] {
            assert_eq!(characters("aé🎉b", start, end), None, "{start} {end}");
        }
    }

    #[test]
    fn what_does_not_fit_blocks() {
        let mut verdict = Verdict::allow();
        verdict.mask("payload.a", "é", (0, 1));
        assert_eq!((verdict.decision, verdict.unjudged.len()), (Word::Block, 1));
        let mut verdict = Verdict::allow();
        for _ in 0..=MOST {
            assert!(verdict.findings.len() < MOST || verdict.decision == Word::Allow);
            verdict.say(Finding::of_text((SECRET, "x"), Severity::High, "payload.a", None));
        }
        assert_eq!((verdict.decision, verdict.findings.len()), (Word::Block, MOST));
        let mut verdict = Verdict::allow();
        for _ in 0..=MOST {
            verdict.mask("payload.a", "secret", (0, 6));
        }
        assert_eq!(verdict.decision, Word::Block);
    }
}
