//! From passages to verdicts. Owns which passages belong to one verdict, and what it says of them; how much each says, `linear` knows.

use super::{
    linear::{CAUTION, score},
    passage::{Disguise, Passage, passages},
    pattern::{Hit, Signal},
    token::Tokens,
};

/// The most passages of one verdict.
const TOGETHER: usize = 4;

/// A stretch of words that tells a model what to do, or comes near to that.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) score: i32,
    pub(super) signals: Vec<Signal>,
    pub(super) hits: Vec<Hit>,
}

/// The verdicts on a text: what is planted, and what is near to it.
pub(super) fn weigh(text: &str, tokens: &Tokens, disguise: Disguise<'_>) -> Vec<Verdict> {
    let passages = passages(text, tokens, disguise);
    let scores: Vec<i32> = passages.iter().map(|passage| score(&passage.features)).collect();
    let mut verdicts = Vec::new();
    let mut at = 0;
    while let Some(rest) = scores.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.first().is_some_and(|score| *score < CAUTION) {
            at += 1;
            continue;
        }
        let follows = passages.get(at + 1..).unwrap_or_default().iter().zip(rest.iter().skip(1));
        let more = follows
            .take(TOGETHER - 1)
            .take_while(|(passage, score)| **score >= CAUTION || demands(passage))
            .count();
        let end = at + 1 + more;
        let best = rest.iter().take(1 + more).max().copied().unwrap_or(CAUTION);
        // What stands around it and says nothing by itself is no part of it.
        let counts = |other: &usize| {
            scores.get(*other) == Some(&best) || passages.get(*other).is_some_and(demands)
        };
        let first = (at..end).find(counts).unwrap_or(at);
        let last = (at..end).rfind(counts).unwrap_or(first);
        verdicts.extend(verdict(tokens, passages.get(first..=last).unwrap_or_default(), best));
        at = end;
    }
    verdicts
}

/// Whether it says something that counts beside what stands before it.
fn demands(passage: &Passage) -> bool {
    passage.hits.iter().any(|hit| hit.weight > 1)
}

fn verdict(tokens: &Tokens, passages: &[Passage], score: i32) -> Option<Verdict> {
    let (first, last) = (passages.first()?, passages.last()?);
    let start = tokens.list.get(first.words.start)?.start;
    let end = tokens.list.get(last.words.end.checked_sub(1)?)?.end.max(start);
    let hits: Vec<Hit> = passages.iter().flat_map(|passage| passage.hits.iter().copied()).collect();
    let mut signals: Vec<Signal> =
        hits.iter().filter(|hit| hit.weight > 1).map(|hit| hit.signal).collect();
    if passages.iter().any(|passage| passage.is_hidden) {
        signals.push(Signal::Hidden);
    }
    if signals.is_empty() {
        signals.push(Signal::Addressed);
    }
    signals.sort_unstable();
    signals.dedup();
    Some(Verdict { start, end, score, signals, hits })
}
