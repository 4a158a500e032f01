//! What a reviewer is shown. Owns what is evidence and how much of each kind there is room for; how it is written, `encode` knows.
//!
//! Secrets are masked before anything is cut. Texts are told apart by who wrote them and have budgets of their own, so that a tool's
//! answer crowds out nobody's words. What the agent thinks about its action is left out: it would argue for it.

use std::fmt::Write as _;

use data_encoding::HEXLOWER;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{
    encode::{cut, encoded, redacted, redacted_arguments},
    prompt::TASK,
    quoted::Shown,
};
use crate::{
    action::Action,
    assessment::{Assessment, Coverage},
    policy::Mode,
};

/// A token is taken for four bytes, as Codex does.
const TOKEN: usize = 4;

/// The most files that are named as worked on lately.
const RECENT_FILES: usize = 5;

/// The most bytes of a path, a tool's name and other small texts.
const SMALL: usize = 1_000;

/// The most findings that are told.
const FINDINGS: usize = 20;

/// Who wrote a text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Origin {
    /// The person whom the agent works for.
    Person,
    /// The agent: what it said or did, never what it thinks.
    Agent,
    /// A tool: what it answered, whoever wrote that.
    Tool,
}

impl Origin {
    const fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
            Self::Tool => "tool",
        }
    }
}

/// One entry of the conversation so far.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Turn {
    /// Who wrote it.
    pub origin: Origin,
    /// What.
    pub text: String,
}

/// What is known about an action that needs an answer.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The action.
    pub action: &'a Action,
    /// What the deterministic analyzers found.
    pub assessment: &'a Assessment,
    /// The workspace.
    pub workspace: Option<&'a str>,
    /// The permission mode in force.
    pub mode: Option<Mode>,
    /// Files that were worked on lately, the newest first.
    pub recent_files: &'a [String],
    /// The conversation so far, the oldest first.
    pub transcript: &'a [Turn],
}

/// How much room there is for each kind of evidence, in tokens.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Budgets {
    /// The action. One that is longer cannot be approved.
    pub action: usize,
    /// All that the person said.
    pub person: usize,
    /// All that the agent and its tools said.
    pub others: usize,
    /// One entry of a person or the agent.
    pub message: usize,
    /// One answer of a tool.
    pub answer: usize,
    /// How many entries that are not a person's.
    pub entries: usize,
}

impl Default for Budgets {
    fn default() -> Self {
        Self {
            action: 16_000,
            person: 10_000,
            others: 10_000,
            message: 2_000,
            answer: 1_000,
            entries: 40,
        }
    }
}

/// What a reviewer is shown.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Briefing {
    /// Its task.
    pub system: &'static str,
    /// The evidence.
    pub user: String,
    /// Whether the whole action is in it.
    pub is_whole: bool,
    /// Whether something in the action was masked as a secret, so that nobody reviewed it.
    pub is_masked: bool,
    /// How many entries of the conversation were left out.
    pub omitted: usize,
    /// How many entries of the conversation were cut.
    pub shortened: usize,
    evidence: [u8; 32],
    nonce: String,
    shown: Shown,
}

/// The random number stands in the evidence already, so that it fences nothing.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the number that fences the evidence stands in it")]
pub struct FenceTaken;

impl Briefing {
    /// Puts the evidence together, fenced by a number that nobody could know when it was written.
    ///
    /// # Errors
    /// [`FenceTaken`]; another number will do.
    pub fn new(case: &Case<'_>, budgets: &Budgets, nonce: [u8; 16]) -> Result<Self, FenceTaken> {
        let nonce = HEXLOWER.encode(&nonce);
        let mut shown = Shown::default();
        let Shape { text: action, is_whole, is_masked } = action(case, budgets, &mut shown);
        let selected = Selected::from(case.transcript, budgets);
        let mut sections = Vec::new();
        if !case.transcript.is_empty() {
            let mut lines = String::new();
            for (origin, text) in &selected.turns {
                if *origin != Origin::Person {
                    shown.add(text);
                }
                let line = encoded(&json!({ "origin": origin.name(), "text": text }));
                let _ = writeln!(lines, "{line}");
            }
            if selected.omitted > 0 {
                let _ = writeln!(lines, "{}", json!({ "leftOut": selected.omitted }));
            }
            sections.push(("conversation", lines));
        }
        sections.push(("action", format!("{action}\n")));
        sections.push(("findings", format!("{}\n", encoded(&findings(case.assessment)))));
        let evidence: String = sections.iter().map(|(_, text)| text.as_str()).collect();
        if evidence.contains(&nonce) {
            return Err(FenceTaken);
        }
        let mut user =
            format!("Everything between the lines with the number {nonce} is evidence.\n\n");
        for (name, text) in &sections {
            let _ = write!(user, "[{nonce} {name} begins]\n{text}[{nonce} {name} ends]\n\n");
        }
        user.push_str("Review the action. Answer with the JSON object alone.\n");
        let evidence = Sha256::digest(evidence.as_bytes()).into();
        let Selected { turns: _, omitted, shortened } = selected;
        Ok(Self {
            system: TASK,
            user,
            is_whole,
            is_masked,
            omitted,
            shortened,
            evidence,
            nonce,
            shown,
        })
    }

    /// The SHA-256 of all that is sent, as hexadecimal digits.
    #[must_use]
    pub fn hash(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(self.system);
        hash.update([0]);
        hash.update(&self.user);
        HEXLOWER.encode(&hash.finalize())
    }

    /// The SHA-256 of the evidence, whatever number fences it.
    #[must_use]
    pub const fn evidence(&self) -> [u8; 32] {
        self.evidence
    }

    /// How many tokens it takes, roughly.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        let bytes = self.system.len().saturating_add(self.user.len());
        u64::try_from(bytes / TOKEN).unwrap_or(u64::MAX)
    }

    /// Whether a text repeats the number, or a stretch of what others than a person wrote.
    pub(super) fn is_quoted_in(&self, text: &str) -> bool {
        text.to_lowercase().contains(&self.nonce) || self.shown.is_quoted_in(text)
    }
}

/// The action on one line.
struct Shape {
    text: String,
    is_whole: bool,
    is_masked: bool,
}

fn action(case: &Case<'_>, budgets: &Budgets, shown: &mut Shown) -> Shape {
    let call = &case.action.call;
    let arguments = redacted_arguments(&call.arguments);
    let mut is_masked = arguments.as_object() != Some(&call.arguments);
    add_strings(shown, &arguments);
    let text = encoded(&arguments);
    let most = budgets.action.saturating_mul(TOKEN);
    let (arguments, mut is_whole) = match cut(&text, most) {
        Some(cut) => (Value::String(cut), false),
        None => (arguments, true),
    };
    let mut small = |whole: &str| {
        let text = redacted(whole);
        is_masked |= text != whole;
        match cut(&text, SMALL) {
            Some(cut) => {
                is_whole = false;
                cut
            }
            None => text,
        }
    };
    let mut action = Map::new();
    action.insert("tool".to_owned(), small(&call.tool).into());
    action.insert("arguments".to_owned(), arguments);
    if let Some(cwd) = &call.cwd {
        action.insert("cwd".to_owned(), small(cwd).into());
    }
    if let Some(workspace) = case.workspace {
        action.insert("workspace".to_owned(), small(workspace).into());
    }
    if let Some(mode) = case.mode {
        action.insert("mode".to_owned(), mode.name().into());
    }
    if !case.recent_files.is_empty() {
        let files: Vec<Value> = case
            .recent_files
            .iter()
            .take(RECENT_FILES)
            .map(|file| {
                let file = redacted(file);
                cut(&file, SMALL).unwrap_or(file).into()
            })
            .collect();
        action.insert("recentFiles".to_owned(), files.into());
    }
    Shape { text: encoded(&Value::Object(action)), is_whole, is_masked }
}

fn add_strings(shown: &mut Shown, value: &Value) {
    match value {
        Value::String(text) => shown.add(text),
        Value::Array(items) => items.iter().for_each(|item| add_strings(shown, item)),
        Value::Object(members) => members.iter().for_each(|(key, value)| {
            shown.add(key);
            add_strings(shown, value);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What the deterministic analyzers found, in words that are ours: the rest of a finding repeats the action.
fn findings(assessment: &Assessment) -> Value {
    let findings: Vec<Value> = assessment
        .findings
        .iter()
        .take(FINDINGS)
        .map(|finding| {
            json!({
                "rule": finding.rule,
                "severity": finding.severity.name(),
                "reversible": finding.reversible,
            })
        })
        .collect();
    let mut said = Map::new();
    said.insert("risk".to_owned(), assessment.risk.name().into());
    said.insert("kind".to_owned(), assessment.class.name().into());
    said.insert("findings".to_owned(), findings.into());
    if let Coverage::Partial(places) = &assessment.coverage {
        let mut why: Vec<&str> = places.iter().map(|(_, why)| *why).collect();
        why.dedup();
        why.truncate(FINDINGS);
        said.insert("notUnderstood".to_owned(), why.into());
    }
    Value::Object(said)
}

/// The entries of the conversation that there is room for, in their order.
struct Selected {
    turns: Vec<(Origin, String)>,
    omitted: usize,
    shortened: usize,
}

impl Selected {
    fn from(transcript: &[Turn], budgets: &Budgets) -> Self {
        let of_person = |turn: &&Turn| turn.origin == Origin::Person;
        let first = transcript.iter().position(|turn| of_person(&turn));
        let mut kept: Vec<(usize, Origin, String)> = Vec::new();
        let (mut person, mut others) =
            (budgets.person.saturating_mul(TOKEN), budgets.others.saturating_mul(TOKEN));
        let mut entries = budgets.entries;
        let (mut person_is_full, mut others_are_full) = (false, false);
        let mut shortened = 0;
        let mut fitted = |turn: &Turn| {
            let most = match turn.origin {
                Origin::Person | Origin::Agent => budgets.message,
                Origin::Tool => budgets.answer,
            };
            let text = redacted(&turn.text);
            match cut(&text, most.saturating_mul(TOKEN)) {
                Some(cut) => {
                    shortened += 1;
                    cut
                }
                None => text,
            }
        };
        // The first word of a person says what all of it is about.
        if let Some((place, turn)) =
            first.and_then(|place| transcript.get(place).map(|turn| (place, turn)))
        {
            let text = fitted(turn);
            person = person.saturating_sub(text.len());
            kept.push((place, turn.origin, text));
        }
        let mut latest = true;
        for (place, turn) in transcript.iter().enumerate().rev() {
            if Some(place) == first {
                continue;
            }
            if turn.origin == Origin::Person {
                if person_is_full {
                    continue;
                }
                let text = fitted(turn);
                // The latest one stays, whatever the first one took.
                if text.len() > person && !latest {
                    person_is_full = true;
                    continue;
                }
                latest = false;
                person = person.saturating_sub(text.len());
                kept.push((place, turn.origin, text));
            } else {
                if others_are_full || entries == 0 {
                    continue;
                }
                let text = fitted(turn);
                if text.len() > others {
                    others_are_full = true;
                    continue;
                }
                entries -= 1;
                others -= text.len();
                kept.push((place, turn.origin, text));
            }
        }
        kept.sort_by_key(|(place, _, _)| *place);
        let omitted = transcript.len() - kept.len();
        let turns = kept.into_iter().map(|(_, origin, text)| (origin, text)).collect();
        Self { turns, omitted, shortened }
    }
}
