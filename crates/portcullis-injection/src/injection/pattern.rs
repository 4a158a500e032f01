//! What words together mean. Owns the table of patterns: a signal, how much it weighs, the classes that follow each other, and how
//! many words may stand between two of them.

mod table;

use table::{PATTERNS, Pattern};

use Signal::{
    Addressed, Answer, Authority, Bypass, Condition, Exfiltration, Override, Payment, Persona,
    Tool, Trigger,
};

use super::{
    class::*,
    token::{Gap, Mark, Token, Tokens},
};

/// What a text does that is written for an agent and not for a person.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Signal {
    /// It speaks to a model.
    Addressed,
    /// It sets aside what the model was told.
    Override,
    /// It gives the model another role, or one without limits.
    Persona,
    /// It gives a new task.
    Task,
    /// It demands that something be done with tools.
    Tool,
    /// It demands that nobody be told.
    Secrecy,
    /// It demands that something be sent away or shown that is not the sender's.
    Exfiltration,
    /// It demands the model's own instructions.
    Extraction,
    /// It claims to come from somebody who may give orders.
    Authority,
    /// It turns off confirmations or safety.
    Bypass,
    /// It waits for the model to read or summarise it.
    Trigger,
    /// It imitates the marks of a conversation, or the end of what is read.
    Marker,
    /// It puts itself before the task that the model has, or in its place.
    Condition,
    /// It says what the model has to answer.
    Answer,
    /// It demands that money be spent.
    Payment,
    /// It stands where no person sees it, or is written so that no person and no filter reads it.
    Hidden,
}

impl Signal {
    /// How many there are.
    pub(super) const COUNT: usize = Self::Hidden as usize + 1;

    /// The name in answers, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Addressed => "addressed",
            Self::Override => "override",
            Self::Persona => "persona",
            Self::Task => "task",
            Self::Tool => "tool",
            Self::Secrecy => "secrecy",
            Self::Exfiltration => "exfiltration",
            Self::Extraction => "extraction",
            Self::Authority => "authority",
            Self::Bypass => "bypass",
            Self::Trigger => "trigger",
            Self::Marker => "marker",
            Self::Condition => "condition",
            Self::Answer => "answer",
            Self::Payment => "payment",
            Self::Hidden => "hidden",
        }
    }

    /// What the text does, to follow "it".
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Addressed => "speaks to a model",
            Self::Override => "sets aside what the model was told",
            Self::Persona => "gives the model another role",
            Self::Task => "gives it a new task",
            Self::Tool => "demands that tools be used",
            Self::Secrecy => "demands that nobody be told",
            Self::Exfiltration => "demands that data be given away",
            Self::Extraction => "demands the model's own instructions",
            Self::Authority => "claims authority",
            Self::Bypass => "turns off confirmations or safety",
            Self::Trigger => "waits until it is read",
            Self::Marker => "imitates the marks of a conversation",
            Self::Condition => "puts itself before the model's task",
            Self::Answer => "says what the model has to answer",
            Self::Payment => "demands that money be spent",
            Self::Hidden => "is hidden or disguised",
        }
    }
}

/// A pattern that was found.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Hit {
    pub(super) signal: Signal,
    pub(super) weight: u8,
    /// The first and last word of it.
    pub(super) first: usize,
    pub(super) last: usize,
}

/// Which patterns are looked for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Which {
    All,
    /// Those without which nothing is said of a text.
    Deciding,
}

/// Whether a signal stands before a model alone, or can be meant for nobody else. Demands alone can be meant for a person.
pub(super) const fn decides(signal: Signal, weight: u8) -> bool {
    match signal {
        Tool | Exfiltration | Payment => false,
        Condition | Answer | Override | Authority => weight > 1,
        Addressed => true,
        Signal::Marker | Trigger => weight > 1,
        _ => weight > 2,
    }
}

/// The patterns whose words all stand somewhere in a text: few of them, and no other can be found in one of its sentences.
pub(super) struct Candidates {
    which: Which,
    patterns: Vec<&'static Pattern>,
}

/// Those of the patterns of a kind that the words of a text may hold.
pub(super) fn candidates(tokens: &Tokens, which: Which) -> Candidates {
    let all = tokens.list.iter().fold(0, |all, token| all | token.class);
    let may_hold = |pattern: &&Pattern| {
        pattern.parts.iter().all(|part| all & part != 0)
            && (which == Which::All || decides(pattern.signal, pattern.weight))
    };
    Candidates { which, patterns: PATTERNS.iter().filter(may_hold).collect() }
}

/// The patterns in the words of one sentence, `from..to`.
pub(super) fn hits(
    tokens: &Tokens,
    from: usize,
    to: usize,
    candidates: &Candidates,
    found: &mut Vec<Hit>,
) {
    let which = candidates.which;
    let Some(sentence) = tokens.list.get(from..to) else { return };
    let all = sentence.iter().fold(0, |all, token| all | token.class);
    for (at, token) in sentence.iter().enumerate() {
        let at = from + at;
        let (signal, weight) = match token.mark {
            Mark::None => continue,
            Mark::Role | Mark::Speaker => (Signal::Marker, 2),
            Mark::Called => (Addressed, if is_told(sentence, at - from) { 2 } else { 1 }),
            Mark::Frame => (Signal::Marker, 3),
            Mark::Framed => (Signal::Marker, 1),
            Mark::Beacon => (Exfiltration, 2),
            Mark::Mode => (Signal::Marker, 4),
            Mark::Shell => (Tool, 2),
        };
        if which == Which::Deciding && !decides(signal, weight) {
            continue;
        }
        found.push(Hit { signal, weight, first: at, last: at });
    }
    if all & (AI | AGENT) != 0 {
        called(sentence, from, found);
    }
    let is_free = all & FREE != 0;
    for pattern in candidates.patterns.iter().copied() {
        if pattern.parts.iter().any(|part| all & part == 0) {
            continue;
        }
        let ordered = in_order(sentence, pattern);
        let is_ordered = ordered.is_some();
        let hit = ordered.or_else(|| if is_free { in_any_order(sentence, pattern) } else { None });
        if let Some((first, last)) = hit
            && let Some(weight) = as_meant(sentence, first, pattern)
        {
            let mut weight = weight.min(of_something(sentence, last, pattern));
            // Without the order of the words, "the assistant reads this" is no other than "assistants that read this".
            let words = sentence.get(first..=last).unwrap_or_default();
            let is_cut = words.iter().skip(1).any(|it| it.gap >= Gap::Comma);
            let is_told = !is_ordered || is_cut || words.iter().any(|it| it.class & FREE != 0);
            // "Claude Desktop may ask; it should …"
            let speaks_of = words
                .iter()
                .skip(1)
                .any(|it| it.class & TELLING != 0 && it.class & (YOU | READ | ACT) == 0);
            let is_told = is_told || speaks_of && pattern.parts.contains(&MUST);
            if is_of_somebody(sentence, first, pattern) || is_used(words, pattern) {
                weight = 1;
            }
            if is_told && pattern.signal == Addressed && pattern.parts.contains(&MUST) && speaks_of
            {
                weight = 1;
            }
            if is_told
                && pattern.signal == Addressed
                && pattern.parts.iter().any(|part| part & READ != 0)
            {
                weight = 1;
            }
            let (first, last) = (from + first, from + last);
            found.push(Hit { signal: pattern.signal, weight, first, last });
        }
    }
}

/// How many words the name of who is called has at most: "Dear AI code reviewers,".
const CALLED: usize = 5;

/// Whether somebody who is called is told something: a demand or a duty stands among the next words.
fn is_told(sentence: &[Token], at: usize) -> bool {
    let demands =
        ACT | SEND | HARM | REVEAL | IGNORE | BYPASS | PRETEND | MUST | YOU | SAY | NOT | DO | WHEN;
    let next = sentence.get(at + 1..sentence.len().min(at + 6)).unwrap_or_default();
    next.iter().any(|token| token.class & demands != 0)
}

/// How far before `without` a denial still denies it.
const DENIED: usize = 10;

/// Who is called at the beginning of what they are told: `AI agent: …`, `KI-Assistent: …`, `Dear Copilot, …`.
fn called(sentence: &[Token], from: usize, found: &mut Vec<Hit>) {
    for (end, token) in sentence.iter().enumerate().skip(1) {
        if !matches!(token.gap, Gap::Colon | Gap::Comma) {
            continue;
        }
        let Some(start) = (end.saturating_sub(CALLED)..end)
            .rev()
            .find(|at| *at == 0 || sentence.get(*at).is_some_and(|token| token.gap > Gap::None))
        else {
            continue;
        };
        let Some(name) = sentence.get(start..end) else { continue };
        let all = name.iter().fold(0, |all, token| all | token.class);
        let opens = name.first().is_some_and(|first| first.gap >= Gap::Colon || start == 0);
        let is_name = token.gap == Gap::Colon || opens || all & GREETING != 0;
        // `User-agent: …` and "the assistant, who …" call nobody.
        let is_told_of = all & (PERSON | TELLING) != 0 || name.len() > 1 && all & THIS != 0;
        let Some(at) = name.iter().rposition(|token| token.class & (AI | AGENT) != 0) else {
            continue;
        };
        if !is_name || is_told_of {
            continue;
        }
        let is_written = all & (GREETING | TO | NOTE) != 0
            || name.iter().any(|token| token.class & (AI | AGENT) != 0 && token.is_capital)
            || name.first().is_some_and(|token| token.is_capital);
        if !is_written {
            continue;
        }
        // "Claude Code, Codex CLI and Gemini" are a list.
        if token.class & AI != 0 {
            continue;
        }
        let is_last = name.len() - at <= 2 && (all & AGENT != 0 || at + 1 == name.len());
        let weight = match (all & AI != 0, all & (AGENT | GREETING | TO) != 0, is_last) {
            (true, true, true) => 3,
            (true, _, true) => 2,
            (false, _, true) if all & (GREETING | TO | INSTRUCTIONS | NOTE) != 0 => 2,
            _ => 1,
        };
        found.push(Hit {
            signal: Addressed,
            weight,
            first: from + start + at,
            last: from + start + at,
        });
    }
}

/// The first place where the classes follow each other.
fn in_order(sentence: &[Token], pattern: &Pattern) -> Option<(usize, usize)> {
    let (head, rest) = pattern.parts.split_first()?;
    let mut best = None;
    for (first, token) in sentence.iter().enumerate() {
        if token.class & head == 0 {
            continue;
        }
        let mut last = first;
        let complete = rest.iter().all(|part| {
            let next = (last + 1..=last + pattern.reach)
                .find(|at| sentence.get(*at).is_some_and(|token| token.class & part != 0));
            last = next.unwrap_or(last);
            next.is_some()
        });
        if complete && lines(sentence, first, last) < 2 {
            // One that is meant as it stands is better than one that is told of.
            if as_meant(sentence, first, pattern) == Some(pattern.weight) {
                return Some((first, last));
            }
            best = best.or(Some((first, last)));
        }
    }
    best
}

/// How many lines end between two words: what is told does not jump from line to line.
fn lines(sentence: &[Token], first: usize, last: usize) -> usize {
    let between = sentence.get(first + 1..=last).unwrap_or_default();
    between.iter().filter(|token| token.gap == Gap::Line).count()
}

/// The first stretch that holds all classes, each in a word of its own, and a word of a language that puts them so.
fn in_any_order(sentence: &[Token], pattern: &Pattern) -> Option<(usize, usize)> {
    let length = (pattern.reach * (pattern.parts.len() - 1) + 1).min(14);
    for first in 0..sentence.len() {
        let window = sentence.get(first..sentence.len().min(first + length))?;
        if !pattern.parts.iter().any(|part| window.first().is_some_and(|it| it.class & part != 0)) {
            continue;
        }
        let mut used = [false; 14];
        let mut last = 0;
        let mut free = 0;
        let complete = pattern.parts.iter().all(|part| {
            let found = window
                .iter()
                .enumerate()
                .position(|(at, token)| token.class & part != 0 && used.get(at) == Some(&false));
            if let Some(at) = found {
                last = last.max(at);
                if let Some(used) = used.get_mut(at) {
                    *used = true;
                }
                free += usize::from(window.get(at).is_some_and(|token| token.class & FREE != 0));
            }
            found.is_some()
        });
        if complete && free * 2 >= pattern.parts.len() && lines(sentence, first, first + last) < 2 {
            return Some((first, first + last));
        }
    }
    None
}

/// Whether somebody speaks of a model that they have: "our chatbot must answer within two seconds".
fn is_of_somebody(sentence: &[Token], first: usize, pattern: &Pattern) -> bool {
    let names = pattern.parts.first().is_some_and(|head| head & (AI | AGENT) != 0);
    let before = first.checked_sub(1).and_then(|at| sentence.get(at));
    names && before.is_some_and(|token| token.class & OWNED != 0)
}

/// Whether somebody is told who uses a model and not one: "if you use a language model".
fn is_used(words: &[Token], pattern: &Pattern) -> bool {
    let asks = matches!(pattern.parts, [when, you, name] if when & WHEN != 0 && you & YOU != 0 && name & (AI | AGENT) != 0);
    asks && words
        .iter()
        .skip(1)
        .any(|token| token.class & ACT != 0 && token.class & (AI | AGENT) == 0)
}

/// How much instructions weigh that are instructions for something: "the earlier instructions for the badge printer".
fn of_something(sentence: &[Token], last: usize, pattern: &Pattern) -> u8 {
    if pattern.signal != Override {
        return u8::MAX;
    }
    let next = |ahead: usize| sentence.get(last + ahead);
    let is_about = next(1).is_some_and(|token| token.class & ABOUT != 0 && token.gap == Gap::None)
        && next(2).is_some_and(|token| {
            token.class & (YOU | AI | AGENT | NOW | TASK | INSTRUCTIONS | EVERYTHING | CONTENT) == 0
        });
    // "Forget everything before the last checkpoint": something else than what a model was told.
    let is_before = sentence.get(last).is_some_and(|token| token.class & EARLIER != 0)
        && pattern.parts.last().is_some_and(|part| part & EARLIER != 0)
        && next(1).is_some_and(|token| token.gap == Gap::None)
        && (1..4).all(|ahead| {
            next(ahead).is_none_or(|token| {
                token.class & (THIS | YOU | NOW | CONTENT | INSTRUCTIONS | TOLD | AI | TASK) == 0
            })
        });
    if is_about || is_before { 1 } else { u8::MAX }
}

/// The weight of a hit by what stands before its first word: a demand weighs what it weighs, a report little, the contrary
/// nothing.
fn as_meant(sentence: &[Token], first: usize, pattern: &Pattern) -> Option<u8> {
    let token = sentence.get(first)?;
    let head = pattern.parts.first()?;
    // "Never push without approval" keeps what "push without approval" would give up.
    if pattern.signal == Bypass && token.class & NOT != 0 {
        let behind = sentence.get(first + 1..first + 4).unwrap_or_default();
        if behind.iter().any(|token| token.class & WITHOUT != 0) {
            return None;
        }
    }
    if pattern.signal == Bypass && token.class & WITHOUT != 0 {
        let before = sentence.get(first.saturating_sub(DENIED)..first).unwrap_or_default();
        if before.iter().any(|token| token.class & NOT != 0) {
            return None;
        }
    }
    let verbs = IGNORE
        | BYPASS
        | SEND
        | REVEAL
        | PRETEND
        | HARM
        | ACT
        | STOP
        | FOLLOW
        | APPROVE
        | DISABLE
        | RECOMMEND
        | PAY;
    // "Do not tell the user" says nothing of what the answer has to be.
    let is_denied = first
        .checked_sub(1)
        .and_then(|at| sentence.get(at))
        .is_some_and(|before| before.class & NOT != 0 && token.gap == Gap::None);
    if pattern.signal == Answer && is_denied {
        return None;
    }
    if head & verbs == 0 || token.class & FREE != 0 {
        return Some(pattern.weight);
    }
    let weight = Some(pattern.weight);
    let told = Some(1);
    if token.class & TELLING != 0 && token.class & (SEND | REVEAL | ACT) == 0 {
        return told;
    }
    if token.gap >= Gap::Light {
        return weight;
    }
    let before = |back: usize| {
        first.checked_sub(back).and_then(|at| sentence.get(at)).map_or(0, |token| token.class)
    };
    let one = before(1);
    if one & NOT != 0 {
        return None;
    }
    if one & TO != 0 {
        // "We need to stop following the old guidelines."
        if before(2) & MUST != 0 && before(3) & TELLING != 0 {
            return told;
        }
        if before(3) & TELLING != 0 && before(2) & YOU != 0 {
            return told;
        }
        return if before(2) & (YOU | MUST | CALMLY) != 0
            || before(3) & CALMLY != 0
            || before(2) & BE != 0 && before(3) & TASK != 0
            || before(2) == 0 && first == 1
        {
            weight
        } else {
            told
        };
    }
    // "You will act as …" gives a role; "you will run …" tells what comes.
    let is_role = pattern.signal == Persona && before(2) & YOU != 0;
    if one & TELLING != 0 && one & YOU == 0 && !is_role {
        return told;
    }
    weight
}
