//! What steps are compared by. Owns what makes two steps the same, nearly the same, or the same harm in other words; it judges nothing
//! by itself.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::{
    action::{Action, ActionKind},
    decision::Layer,
    effect::{EffectKind, Effects, WriteMode},
    finding::{Category, Finding},
    judgement::Judgement,
    risk::Severity,
    split::is_below,
    text::Taint,
};

/// How many denied actions are kept; the oldest are forgotten first.
pub const DENIALS: usize = 16;

/// How much of a denied action is kept.
const HARMS_OF_DENIAL: usize = 16;

/// How much of an action is compared with what was denied, so that a script of a million names costs a bounded look.
const HARMS: usize = 256;

/// The longest name of a resource that is compared.
const NAME_BYTES: usize = 512;

/// The most bytes of an action that tell whether it is nearly another.
const SHAPE_BYTES: usize = 16 << 10;

/// How many files of a directory are deleted at once by who means the directory.
const PIECES: usize = 3;

/// How far below a directory that was not to be deleted a path may lie and still be meant.
const BELOW: usize = 2;

/// The longest name of a tool that is kept.
const TOOL_CHARACTERS: usize = 64;

/// What a step is compared by.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Deed {
    /// The tool, cut.
    pub tool: String,
    /// The same for the same tool with the same arguments in the same directory.
    pub exact: u64,
    /// The same for actions that differ only in numbers, blanks and comments.
    pub shape: u64,
    /// What it would do to what.
    harms: Vec<Harm>,
    /// What of it was to blame, if it is denied.
    culprits: Vec<Harm>,
    /// Whether the agent is shown a secret.
    pub shows_secret: bool,
    /// Whether it sends something that is not known to another machine.
    pub sends: bool,
}

/// One thing done to another.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
struct Harm {
    way: Way,
    to: String,
}

/// In which way.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Way {
    /// With everything below it.
    DeleteAll,
    Delete,
    Replace,
    Change,
    Read,
    Send,
    Found(Category),
}

impl Deed {
    /// Of a tool and a number that is the same for the same arguments: where nothing more is known of an action.
    #[must_use]
    pub fn named(tool: &str, arguments: u64) -> Self {
        let mut exact = Fingerprint::new();
        exact.text(tool).number(arguments);
        Self::numbered(tool, exact.0)
    }

    /// Of an action of which only the number is known, see [`exact_of`].
    #[must_use]
    pub fn numbered(tool: &str, exact: u64) -> Self {
        Self { tool: cut(tool), exact, shape: exact, ..Self::default() }
    }

    /// Of an action that was judged.
    #[must_use]
    pub fn of(action: &Action, judgement: &Judgement) -> Self {
        let Judgement { effects, assessment, .. } = judgement;
        let findings = &assessment.findings;
        let mut harms: Vec<Harm> = effects.list.iter().filter_map(|one| harm(&one.kind)).collect();
        harms.truncate(HARMS);
        let serious = || findings.iter().filter(|one| one.severity >= Severity::Medium);
        let culprits = culprits(&harms, findings);
        harms.extend(serious().filter_map(found).take(HARMS));
        Self {
            tool: cut(&action.call.tool),
            exact: exact_of(&action.digest()),
            shape: shape(action, effects),
            harms,
            culprits,
            shows_secret: effects.shown.taint.has(Taint::SECRET),
            sends: effects.list.iter().any(|effect| sends_unknown(&effect.kind)),
        }
    }
}

/// The number that stands for an action, from its digest.
#[must_use]
pub fn exact_of(digest: &[u8; 32]) -> u64 {
    let first = digest.first_chunk::<8>().copied().unwrap_or_default();
    u64::from_be_bytes(first)
}

/// The number that stands for a result. It is short: it tells results of one session apart and says nothing else about them.
#[must_use]
pub fn result_of(text: &str) -> u64 {
    let mut hash = Fingerprint::new();
    hash.text(text);
    (hash.0 >> 32) ^ (hash.0 & 0xffff_ffff)
}

/// Actions that were denied, for whoever tries them in other words.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Denials {
    kept: VecDeque<Denied>,
}

#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
struct Denied {
    exact: u64,
    harms: Vec<Harm>,
}

impl Denials {
    /// Without any.
    pub const NONE: Self = Self { kept: VecDeque::new() };

    /// Keeps a denied action in mind. One that is denied by its class, as `plan` does, may well come back when the mode is another.
    pub fn keep(&mut self, deed: &Deed, layer: Layer) {
        if layer == Layer::Mode || layer == Layer::Monitor || deed.culprits.is_empty() {
            return;
        }
        self.kept.retain(|one| one.exact != deed.exact);
        while self.kept.len() >= DENIALS {
            self.kept.pop_front();
        }
        self.kept.push_back(Denied { exact: deed.exact, harms: deed.culprits.clone() });
    }

    /// Whether an action does what a denied one would have done, and is another.
    #[must_use]
    pub fn rephrased(&self, deed: &Deed) -> bool {
        self.kept.iter().filter(|denied| denied.exact != deed.exact).any(|denied| {
            denied.harms.iter().any(|old| {
                let again = || deed.harms.iter().any(|new| is_again(old, new));
                again() || is_piecemeal(old, deed)
            })
        })
    }

    /// A person let an action through: what it does is no longer denied.
    pub fn forgive(&mut self, deed: &Deed) {
        self.kept.retain(|denied| {
            denied.exact != deed.exact
                && !denied.harms.iter().any(|old| deed.harms.iter().any(|new| is_again(old, new)))
        });
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Cuts what somebody else wrote to what is kept here.
    pub fn bound(&mut self) {
        self.kept.truncate(DENIALS);
        for denied in &mut self.kept {
            denied.harms.truncate(HARMS_OF_DENIAL);
        }
    }
}

/// Whether a thing done is the one that was denied, in whatever words.
fn is_again(old: &Harm, new: &Harm) -> bool {
    let same = old.to == new.to;
    match (old.way, new.way) {
        // What is around a directory takes it along, and what is just below it is most of it.
        (Way::DeleteAll, Way::DeleteAll) => {
            is_below(&old.to, &new.to) || is_just_below(&new.to, &old.to)
        }
        (Way::DeleteAll, Way::Delete) => {
            same || (new.to.contains('*') && is_just_below(&new.to, &old.to))
        }
        (Way::Delete, Way::DeleteAll) => is_below(&old.to, &new.to),
        (Way::Delete | Way::DeleteAll, Way::Replace) | (Way::Delete, Way::Delete) => same,
        (Way::Replace | Way::Change, Way::Replace | Way::Change | Way::Delete | Way::DeleteAll) => {
            same
        }
        (Way::Read, Way::Read) | (Way::Send, Way::Send) => same,
        (Way::Found(old_kind), Way::Found(kind)) => old_kind == kind && same,
        _ => false,
    }
}

/// Whether a directory that was not to be deleted is deleted file by file in one go. One file in it may be deleted for its own sake.
fn is_piecemeal(old: &Harm, deed: &Deed) -> bool {
    let is_piece = |new: &&Harm| {
        matches!(new.way, Way::Delete | Way::DeleteAll) && is_just_below(&new.to, &old.to)
    };
    old.way == Way::DeleteAll && deed.harms.iter().filter(is_piece).count() >= PIECES
}

/// Whether a path lies below another, and not so far below that it is something of its own.
fn is_just_below(path: &str, around: &str) -> bool {
    let depth = |path: &str| path.split('/').filter(|name| !name.is_empty()).count();
    is_below(path, around) && depth(path) <= depth(around) + BELOW
}

fn harm(effect: &EffectKind) -> Option<Harm> {
    let (way, to) = match effect {
        EffectKind::Delete { target, recursive } => {
            let way = if *recursive { Way::DeleteAll } else { Way::Delete };
            (way, target.path.as_deref()?)
        }
        EffectKind::Write { target, mode, .. } => {
            let way = match mode {
                WriteMode::Replace | WriteMode::Link => Way::Replace,
                WriteMode::Append | WriteMode::Edit | WriteMode::Create => Way::Change,
            };
            (way, target.path.as_deref()?)
        }
        EffectKind::Permission { target, .. } => (Way::Change, target.path.as_deref()?),
        EffectKind::Hand { target, changes: true } => (Way::Change, target.path.as_deref()?),
        EffectKind::Read(target) => (Way::Read, target.path.as_deref()?),
        EffectKind::Connect(connection) if connection.sends.is_some() => {
            (Way::Send, connection.host.as_deref()?)
        }
        _ => return None,
    };
    let is_kept = !to.is_empty() && to.len() <= NAME_BYTES;
    is_kept.then(|| Harm { way, to: to.to_owned() })
}

/// What a rule found, where it names what is harmed, or is serious enough by itself.
fn found(finding: &Finding) -> Option<Harm> {
    let way = Way::Found(finding.category);
    match &finding.resource {
        Some(resource) if resource.len() <= NAME_BYTES => Some(Harm { way, to: resource.clone() }),
        // The rule itself stands for what it cannot name.
        None if finding.severity >= Severity::High => {
            Some(Harm { way, to: format!("rule:{}", finding.rule) })
        }
        Some(_) | None => None,
    }
}

/// What of an action is to blame: what the most severe findings name. Where there is no finding to speak of, a rule of a person denied it,
/// and everything that it changes or sends is.
fn culprits(harms: &[Harm], findings: &[Finding]) -> Vec<Harm> {
    let worst = findings.iter().map(|finding| finding.severity).max();
    let worst = worst.filter(|severity| *severity >= Severity::Medium);
    let mut culprits: Vec<Harm> = Vec::new();
    match worst {
        Some(worst) => {
            let blamed = || findings.iter().filter(|finding| finding.severity == worst);
            culprits.extend(blamed().filter_map(found));
            let is_named = |harm: &&Harm| {
                blamed().filter_map(|finding| finding.resource.as_deref()).any(|resource| {
                    let name = resource.split_once(':').map_or(resource, |(_, name)| name);
                    name == harm.to
                })
            };
            culprits.extend(harms.iter().filter(is_named).cloned());
        }
        None => culprits.extend(harms.iter().filter(|harm| harm.way != Way::Read).cloned()),
    }
    culprits.truncate(HARMS_OF_DENIAL);
    culprits
}

/// What is sent and is not written in the call cannot have been looked at.
fn sends_unknown(effect: &EffectKind) -> bool {
    match effect {
        EffectKind::Connect(connection) => {
            let sends = connection.sends.as_ref();
            !connection.is_local
                && sends.is_some_and(|sends| sends.has_unknown() || sends.taint.has(Taint::DECODED))
        }
        _ => false,
    }
}

/// The action without numbers, blanks and comments. Of a command line that is what it runs, with the arguments.
fn shape(action: &Action, effects: &Effects) -> u64 {
    let mut hash = Fingerprint::new();
    hash.text(&action.call.tool);
    let mut left = SHAPE_BYTES;
    if matches!(action.kind, ActionKind::Shell { .. }) {
        let mut ran = false;
        for effect in &effects.list {
            let EffectKind::Run(run) = &effect.kind else { continue };
            ran = true;
            hash.loosely(&run.program, &mut left);
            for argument in run.arguments.as_slice() {
                hash.loosely(&argument.text.display(), &mut left);
            }
            if left == 0 {
                break;
            }
        }
        if ran {
            return hash.0;
        }
    }
    for (key, value) in &action.call.arguments {
        hash.loosely(key, &mut left);
        match value.as_str() {
            Some(text) => hash.loosely(text, &mut left),
            None => hash.loosely(&value.to_string(), &mut left),
        }
    }
    hash.0
}

fn cut(tool: &str) -> String {
    tool.chars().take(TOOL_CHARACTERS).collect()
}

/// FNV-1a with 64 bits. It guards nothing: who makes two different steps look alike only makes a loop of them.
#[derive(Clone, Copy, Debug)]
struct Fingerprint(u64);

impl Fingerprint {
    const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }

    fn text(&mut self, text: &str) -> &mut Self {
        text.bytes().for_each(|byte| self.byte(byte));
        self.byte(0xff);
        self
    }

    fn number(&mut self, number: u64) -> &mut Self {
        number.to_be_bytes().into_iter().for_each(|byte| self.byte(byte));
        self
    }

    /// The text with runs of digits as one and without blanks.
    fn loosely(&mut self, text: &str, left: &mut usize) {
        let mut digits = false;
        for byte in text.bytes().take(*left) {
            *left -= 1;
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => {}
                b'0'..=b'9' if digits => {}
                b'0'..=b'9' => self.byte(b'0'),
                _ => self.byte(byte),
            }
            digits = byte.is_ascii_digit();
        }
        self.byte(0xff);
    }
}
