//! From patterns to a verdict. Owns what is spoken about and not spoken, how the signals of neighbouring sentences add up, and
//! from where on a text is said to be planted.

use super::{
    class::*,
    pattern::{Hit, Signal, Which, decides, hits},
    token::{Carrier, Gap, Tokens},
};
use crate::finding::Confidence;

/// The weight from which a text counts as planted.
const ENOUGH: u32 = 4;
/// The weight from which that is sure.
const SURE: u32 = 6;
/// The longest sentence, in words; a longer one is cut.
const SENTENCE: usize = 96;
/// How many sentences and words are weighed together.
const SENTENCES: usize = 4;
const TOGETHER: usize = 110;

/// A stretch of words that tells a model what to do.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) confidence: Confidence,
    pub(super) signals: Vec<Signal>,
}

/// How the text came about that is weighed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Disguise<'a> {
    /// Where characters stand that nobody sees.
    pub(super) unseen: &'a [u32],
    /// It was decoded from something.
    pub(super) is_decoded: bool,
}

/// The verdicts on a text.
pub(super) fn weigh(tokens: &Tokens, disguise: Disguise<'_>) -> Vec<Verdict> {
    if disguise.unseen.is_empty()
        && !disguise.is_decoded
        && !tokens.list.iter().any(|token| token.is_disguised)
        && !may_decide(tokens)
    {
        return Vec::new();
    }
    let mut found: Vec<(usize, Hit)> = Vec::new();
    let mut from = 0;
    let mut number = 0;
    let mut here = Vec::new();
    while from < tokens.list.len() {
        let to = sentence(tokens, from);
        hits(tokens, from, to, Which::All, &mut here);
        for hit in here.drain(..) {
            if let Some(weight) = spoken(tokens, &hit, from) {
                found.push((number, Hit { weight, ..hit }));
            }
        }
        from = to;
        number += 1;
    }
    let mut verdicts = Vec::new();
    let mut start = 0;
    while let Some((sentence, first)) = found.get(start) {
        let near = found.get(start..).unwrap_or_default().iter().take_while(|(number, hit)| {
            *number < sentence + SENTENCES && hit.last < first.first + TOGETHER
        });
        let mut near: Vec<Hit> = near.map(|(_, hit)| *hit).collect();
        let length = near.len();
        followed(&mut near);
        match verdict(tokens, &near, disguise) {
            Some(verdict) => {
                verdicts.push(verdict);
                start += length;
            }
            // The next sentence is the next that could begin a demand.
            None => {
                let same = found.get(start..).unwrap_or_default();
                start += same.iter().take_while(|(number, _)| number == sentence).count();
            }
        }
    }
    verdicts
}

/// Whether there is a signal that decides: most texts end here.
fn may_decide(tokens: &Tokens) -> bool {
    let mut from = 0;
    let mut found = Vec::new();
    while from < tokens.list.len() {
        let to = sentence(tokens, from);
        hits(tokens, from, to, Which::Deciding, &mut found);
        if !found.is_empty() {
            return true;
        }
        from = to;
    }
    false
}

/// Where the sentence that begins at `from` ends.
fn sentence(tokens: &Tokens, from: usize) -> usize {
    let rest = tokens.list.get(from + 1..).unwrap_or_default();
    let length = rest.iter().take(SENTENCE).take_while(|token| token.gap < Gap::Sentence).count();
    from + 1 + length
}

/// What a hit weighs when it is told whether it is spoken, or spoken about.
fn spoken(tokens: &Tokens, hit: &Hit, sentence: usize) -> Option<u8> {
    let token = tokens.list.get(hit.first)?;
    let discussed = |from: usize, to: usize| {
        let words = tokens.list.get(from..to.min(tokens.list.len())).unwrap_or_default();
        words.iter().any(|token| token.class & DISCUSS != 0)
    };
    let quote = tokens.quotes.get(usize::from(token.quote)).filter(|_| token.quote != 0);
    if let Some(quote) = quote.filter(|quote| quote.last > 0 && token.carrier != Carrier::Attribute)
    {
        let (first, last) = (quote.first as usize, quote.last as usize);
        let about = discussed(first.saturating_sub(14), first) || discussed(last, last + 8);
        let is_word = quote.before == 'a' && last - first <= 16;
        let is_item = last - first <= 10
            && matches!(quote.after, ',' | ']' | ')' | '|' | '\n' | ';' | ' ' | '\0')
            && discussed(first.saturating_sub(60), first);
        let is_string = quote.is_code && last - first <= 12 && quote.before != '\0';
        if about || is_word || is_item || is_string {
            return None;
        }
        return Some(hit.weight);
    }
    // "An attacker may write: …" without quotation marks.
    if discussed(sentence.max(hit.first.saturating_sub(12)), hit.first) && hit.weight > 2 {
        return Some(2);
    }
    Some(hit.weight)
}

/// The hits without the marks that nothing follows: who is called last is not told anything.
fn followed(near: &mut Vec<Hit>) {
    let is_mark = |hit: &Hit| hit.first == hit.last && hit.weight < 4 && hit.signal != Signal::Tool;
    let last = near.iter().filter(|hit| !is_mark(hit)).map(|hit| hit.last).max().unwrap_or(0);
    near.retain(|hit| !is_mark(hit) || hit.first < last);
}

fn verdict(tokens: &Tokens, near: &[Hit], disguise: Disguise<'_>) -> Option<Verdict> {
    let mut total = 0;
    let mut signals: Vec<Signal> = Vec::new();
    for hit in near {
        if signals.contains(&hit.signal) {
            continue;
        }
        signals.push(hit.signal);
        let same = near.iter().filter(|other| other.signal == hit.signal);
        let best = same.clone().max_by_key(|other| other.weight)?;
        let more = same
            .clone()
            .any(|other| other.weight > 1 && (other.first > best.last || other.last < best.first));
        total += u32::from(best.weight) + u32::from(more);
    }
    let heaviest = near.iter().max_by_key(|hit| hit.weight)?;
    let mut first = near.iter().map(|hit| hit.first).min()?;
    let last = near.iter().map(|hit| hit.last).max()?;
    // What weighs nothing beside the rest does not widen the place.
    if let Some(heavy) = near.iter().filter(|hit| hit.weight > 1).map(|hit| hit.first).min() {
        first = heavy;
    }
    let start = tokens.list.get(first)?.start;
    let end = tokens.list.get(last)?.end.max(start);
    let carrier = tokens.list.get(heaviest.first).map_or(Carrier::Text, |token| token.carrier);
    let unseen = disguise.unseen.iter().filter(|at| (start..end).contains(at)).count();
    let words = tokens.list.get(first..=last).unwrap_or_default();
    let written = words.iter().filter(|token| token.is_disguised).count();
    let is_unseen = unseen + 2 * written > 3 || disguise.is_decoded;
    // What stands before a model alone, or can be meant for nobody else.
    let is_core = near.iter().any(|hit| decides(hit.signal, hit.weight));
    if is_unseen && total > 1 {
        total += 2;
        signals.push(Signal::Hidden);
    } else if carrier != Carrier::Text && total > 2 && is_core {
        total += if carrier == Carrier::Attribute { 1 } else { 2 };
        signals.push(Signal::Hidden);
    }
    if total < ENOUGH || !is_core && !is_unseen {
        return None;
    }
    signals.sort_unstable();
    let confidence = if total >= SURE { Confidence::High } else { Confidence::Medium };
    Some(Verdict { start, end: end.max(start), confidence, signals })
}
