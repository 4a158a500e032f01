//! From patterns to a verdict. Owns what is spoken about and not spoken, and what the signals of neighbouring sentences are beside
//! each other; how much each of them says, the table in `weights` knows.

use super::{
    address,
    class::*,
    pattern::{Candidates, Hit, Signal, Which, candidates, hits},
    sign,
    token::{Carrier, Gap, Mark, Quote, Token, Tokens},
    weights::{CAUTION, Feature, Features, PLANTED, score},
};

/// The longest sentence, in words; a longer one is cut.
const SENTENCE: usize = 96;
/// How many sentences and words are weighed together.
const SENTENCES: usize = 4;
const TOGETHER: usize = 110;

/// How many words behind who is called are something that they are told.
const BEHIND: usize = 5;
/// How many words behind who is called a demand may begin.
const FOLLOWS: usize = 24;
/// How many words behind it the last demand of a text may have.
const LAST: usize = 6;
/// How far behind the words it is looked for whether a person is asked.
const CONSULTED: usize = 12;
/// How far around the words it is looked for whether they are talked about.
const AROUND: usize = 40;
/// How far around the words their company is, and how many words a text has in which little else stands.
const COMPANY: usize = 24;
const SHORT: usize = 24;
/// How often models are named elsewhere in a text that is about them.
const ABOUT_IT: usize = 3;
const ABOUT_OFTEN: usize = 10;

/// A stretch of words that tells a model what to do.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) score: i32,
    pub(super) signals: Vec<Signal>,
    pub(super) hits: Vec<Hit>,
}

/// A stretch of words with what is to be weighed of it.
#[derive(Debug)]
pub(super) struct Window {
    /// How many hits it takes.
    length: usize,
    near: Vec<Hit>,
    signals: Vec<Signal>,
    pub(super) features: Features,
    /// Whether anything in it stands before a model alone, or can be meant for nobody else.
    is_core: bool,
}

/// How the text came about that is weighed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Disguise<'a> {
    /// Where characters stand that nobody sees.
    pub(super) unseen: &'a [u32],
    /// It was decoded from something.
    pub(super) is_decoded: bool,
}

/// The verdicts on a text: what is planted, and what is near to it.
pub(super) fn weigh(tokens: &Tokens, disguise: Disguise<'_>) -> Vec<Verdict> {
    let found = found(tokens, disguise);
    let names = if found.is_empty() { 0 } else { names(&tokens.list) };
    let mut verdicts: Vec<Verdict> = Vec::new();
    let mut start = 0;
    while let Some(window) = window(tokens, &found, start, names, disguise) {
        let mut score = score(&window.features);
        if window.features.is_plain_override() {
            score = score.max(PLANTED);
        }
        if !window.is_core {
            score = score.min(PLANTED - 1);
        }
        start = if score >= PLANTED { start + window.length } else { next(&found, start) };
        if score >= CAUTION {
            verdicts.extend(verdict(tokens, window, score));
        }
    }
    verdicts.extend(places(tokens, disguise).iter().filter_map(|place| told(tokens, place)));
    verdicts
}

/// The places where a model is named and may be told something.
pub(super) fn places(tokens: &Tokens, disguise: Disguise<'_>) -> Vec<address::Place> {
    let origin = address::Origin { is_decoded: disguise.is_decoded, names: names(&tokens.list) };
    let unseen =
        |from: u32, to: u32| disguise.unseen.iter().filter(|at| (from..to).contains(at)).count();
    let mut places = address::places(tokens, origin, &unseen);
    places.retain(|place| sign::is_told(&place.features));
    if places.is_empty() {
        return places;
    }
    let candidates = candidates(tokens, Which::All);
    for place in &mut places {
        for hit in said(tokens, place, &candidates) {
            place.features.signal(hit.signal, hit.weight);
        }
    }
    places
}

/// What a model is told where it is named, if that is near the line or beyond.
fn told(tokens: &Tokens, place: &address::Place) -> Option<Verdict> {
    let score = sign::score(&place.features);
    if score < CAUTION {
        return None;
    }
    let said = said(tokens, place, &candidates(tokens, Which::All));
    let mut signals = vec![Signal::Addressed];
    signals.extend(said.iter().filter(|hit| hit.weight > 1).map(|hit| hit.signal));
    if place.features.is_hidden() {
        signals.push(Signal::Hidden);
    }
    signals.sort_unstable();
    signals.dedup();
    let start = tokens.list.get(place.first)?.start;
    let end = tokens.list.get(place.last)?.end.max(start);
    Some(Verdict { start, end, score, signals, hits: said })
}

/// Every stretch that could be weighed, for the fitting of the weights.
pub(super) fn windows(tokens: &Tokens, disguise: Disguise<'_>, each: &mut dyn FnMut(&Features)) {
    let found = found(tokens, disguise);
    let names = names(&tokens.list);
    let mut start = 0;
    while let Some(window) = window(tokens, &found, start, names, disguise) {
        if window.is_core {
            each(&window.features);
        }
        start = next(&found, start);
    }
}

/// The patterns in what is said at a place.
fn said(tokens: &Tokens, place: &address::Place, candidates: &Candidates) -> Vec<Hit> {
    let mut said = Vec::new();
    let mut from = place.first;
    while from <= place.last {
        let to = sentence(tokens, from).min(place.last + 1);
        hits(tokens, from, to, candidates, &mut said);
        from = to;
    }
    said
}

/// The hits of all sentences, each with the number of its sentence.
fn found(tokens: &Tokens, disguise: Disguise<'_>) -> Vec<(usize, Hit)> {
    let mut found: Vec<(usize, Hit)> = Vec::new();
    if disguise.unseen.is_empty()
        && !disguise.is_decoded
        && !tokens.list.iter().any(|token| token.is_disguised)
        && !may_decide(tokens)
    {
        return found;
    }
    let mut from = 0;
    let mut number = 0;
    let mut here = Vec::new();
    let candidates = candidates(tokens, Which::All);
    while from < tokens.list.len() {
        let to = sentence(tokens, from);
        hits(tokens, from, to, &candidates, &mut here);
        for hit in here.drain(..).filter(|hit| hit.signal != Signal::Addressed) {
            if let Some(weight) = spoken(tokens, &hit, from) {
                found.push((number, Hit { weight, ..hit }));
            }
        }
        from = to;
        number += 1;
    }
    found
}

/// The first hit of the next sentence.
fn next(found: &[(usize, Hit)], start: usize) -> usize {
    let rest = found.get(start..).unwrap_or_default();
    let sentence = rest.first().map(|(number, _)| *number);
    start + rest.iter().take_while(|(number, _)| Some(*number) == sentence).count().max(1)
}

/// Whether there is a signal that decides: most texts end here.
fn may_decide(tokens: &Tokens) -> bool {
    let mut from = 0;
    let mut found = Vec::new();
    let candidates = candidates(tokens, Which::Deciding);
    while from < tokens.list.len() {
        let to = sentence(tokens, from);
        hits(tokens, from, to, &candidates, &mut found);
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
fn followed(near: &mut Vec<Hit>, words: usize) {
    let is_mark = |hit: &Hit| {
        hit.first == hit.last
            && hit.weight < 4
            && matches!(hit.signal, Signal::Addressed | Signal::Marker)
    };
    let last = near.iter().filter(|hit| !is_mark(hit)).map(|hit| hit.last).max().unwrap_or(0);
    near.retain(|hit| !is_mark(hit) || hit.first < last || hit.first + BEHIND < words);
}

/// What stands together from a hit on.
fn window(
    tokens: &Tokens,
    found: &[(usize, Hit)],
    start: usize,
    names: usize,
    disguise: Disguise<'_>,
) -> Option<Window> {
    let (sentence, first) = found.get(start)?;
    let near = found.get(start..).unwrap_or_default().iter().take_while(|(number, hit)| {
        *number < sentence + SENTENCES && hit.last < first.first + TOGETHER
    });
    let mut near: Vec<Hit> = near.map(|(_, hit)| *hit).collect();
    let length = near.len();
    followed(&mut near, tokens.list.len());
    let mut features = Features::default();
    let mut signals: Vec<Signal> = Vec::new();
    let mut strong = 0;
    for hit in &near {
        if signals.contains(&hit.signal) {
            continue;
        }
        signals.push(hit.signal);
        let same = near.iter().filter(|other| other.signal == hit.signal);
        let best = same.clone().max_by_key(|other| other.weight).unwrap_or(hit);
        features.signal(best.signal, best.weight);
        strong += usize::from(best.weight > 1);
        let more = same
            .clone()
            .any(|other| other.weight > 1 && (other.first > best.last || other.last < best.first));
        if more {
            features.add(Feature::Again);
        }
    }
    for (count, feature) in [(2, Feature::Two), (3, Feature::Three), (4, Feature::Four)] {
        if strong >= count {
            features.add(feature);
        }
    }
    ordered(&near, &mut features);
    let order = order(tokens, &near);
    if let Some(order) = order {
        features.add(Feature::Commanded);
        if is_loaded(tokens, order) {
            features.add(Feature::Loaded);
        }
    }
    let is_core = is_core(&near) || order.is_some();
    let is_disguised = disguises(tokens, &near, disguise, &mut features);
    if is_disguised && !near.is_empty() {
        signals.push(Signal::Hidden);
    }
    surroundings(tokens, &near, names, &mut features);
    company(tokens, &near, &mut features);
    Some(Window { length, near, signals, features, is_core: is_core || is_disguised })
}

/// Whether something in it stands before a model alone or can be meant for nobody else: by itself, or with something else.
fn is_core(near: &[Hit]) -> bool {
    let apart = |hit: &Hit, other: &Hit| {
        other.signal != hit.signal
            || other.weight > 1 && (other.first > hit.last || other.last < hit.first)
    };
    let more = |hit: &Hit| near.iter().any(|other| apart(hit, other));
    near.iter().any(|hit| match hit.signal {
        Signal::Override | Signal::Extraction => hit.weight > 2 || hit.weight > 1 && more(hit),
        Signal::Persona => hit.weight > 3 || hit.weight > 2 && more(hit),
        Signal::Addressed | Signal::Marker | Signal::Trigger => hit.weight > 1 && more(hit),
        Signal::Tool | Signal::Exfiltration | Signal::Payment | Signal::Hidden => false,
        Signal::Secrecy => hit.weight > 2 && more(hit),
        Signal::Authority => hit.weight > 1 && more(hit),
        Signal::Task | Signal::Bypass | Signal::Condition | Signal::Answer => {
            hit.weight > 2 && more(hit)
        }
    })
}

/// Whether a demand follows closely on who is called, and whether it is one that does harm.
fn ordered(near: &[Hit], features: &mut Features) {
    let called = near.iter().filter(|hit| {
        matches!(hit.signal, Signal::Addressed | Signal::Marker | Signal::Authority)
            && hit.weight > 1
    });
    let mut follows = false;
    let mut harms = false;
    for call in called {
        for demand in near {
            let is_near = demand.last > call.last && demand.first < call.last + FOLLOWS;
            let (is_demand, does_harm) = match demand.signal {
                Signal::Tool => (true, demand.weight > 1),
                Signal::Exfiltration => (true, demand.weight > 1),
                Signal::Payment | Signal::Secrecy | Signal::Bypass => (true, demand.weight > 1),
                Signal::Override | Signal::Extraction | Signal::Persona => {
                    (true, demand.weight > 1)
                }
                Signal::Task | Signal::Answer => (true, false),
                _ => (false, false),
            };
            follows |= is_near && is_demand;
            harms |= is_near && does_harm;
        }
    }
    if follows {
        features.add(Feature::Ordered);
    }
    if harms {
        features.add(Feature::Harmful);
    }
}

/// The first word of an order that is given to who is called within the next words.
fn order(tokens: &Tokens, near: &[Hit]) -> Option<usize> {
    let demands = ACT | SEND | HARM | REVEAL | IGNORE | DISABLE | APPROVE | RECOMMEND | PRETEND;
    let list = &tokens.list;
    let is_order = |at: &usize| {
        let before = |back: usize| {
            at.checked_sub(back).and_then(|at| list.get(at)).map_or(0, |token| token.class)
        };
        list.get(*at).is_some_and(|token| {
            let opens = token.gap >= Gap::Comma
                || before(1) & (MUST | AUTOMATICALLY | FIRST | QUIET | THEN) != 0;
            let is_duty = before(2) & MUST != 0 && before(1) & (NOT | TELLING) == 0;
            token.class & demands != 0
                && token.class & TELLING == 0
                && (opens || is_duty)
                && before(1) & NOT == 0
        })
    };
    near.iter()
        .filter(|hit| hit.signal == Signal::Addressed && hit.weight > 1)
        .find_map(|hit| (hit.last + 1..hit.last + FOLLOWS).find(is_order))
}

/// Whether an order is about what nobody gives away lightly: secrets, a deletion, money, silence, or data and code that go
/// to or come from an address.
fn is_loaded(tokens: &Tokens, order: usize) -> bool {
    let heavy = SECRET | HARM | RECKLESS | QUIET | PAY | NOBODY | UNBOUND | BYPASS;
    let mut all = 0;
    for (at, token) in tokens.list.iter().enumerate().skip(order).take(FOLLOWS) {
        let before = tokens.list.get(at.saturating_sub(4)..at).unwrap_or_default();
        if before.iter().any(|token| token.class & NOT != 0) {
            continue;
        }
        if token.class & heavy != 0 || matches!(token.mark, Mark::Shell | Mark::Beacon) {
            return true;
        }
        all |= token.class;
    }
    all & DESTINATION != 0 && all & (SEND | RUN | VISIT | GRANT) != 0
}

/// How the words are hidden from who reads them.
fn disguises(
    tokens: &Tokens,
    near: &[Hit],
    disguise: Disguise<'_>,
    features: &mut Features,
) -> bool {
    let Some((first, last, start, end)) = place(tokens, near) else {
        return false;
    };
    let words = tokens.list.get(first..=last).unwrap_or_default();
    let unseen = disguise.unseen.iter().filter(|at| (start..end).contains(at)).count();
    let written = words.iter().filter(|token| token.is_disguised).count();
    let heaviest = near.iter().max_by_key(|hit| hit.weight);
    let carrier = heaviest.and_then(|hit| tokens.list.get(hit.first)).map(|token| token.carrier);
    if disguise.is_decoded {
        features.add(Feature::Decoded);
    } else if unseen + 2 * written > 3 {
        features.add(Feature::Unseen);
    } else {
        match carrier {
            Some(Carrier::Comment | Carrier::Element) => features.add(Feature::Concealed),
            Some(Carrier::Attribute) => features.add(Feature::Attribute),
            _ => return false,
        }
    }
    true
}

/// What stands around the words: whether they stand apart, at the end, and in a text on attacks.
fn surroundings(tokens: &Tokens, near: &[Hit], of_text: usize, features: &mut Features) {
    let Some((first, last, ..)) = place(tokens, near) else {
        return;
    };
    let stands_apart = tokens.list.get(first).is_some_and(|token| token.gap >= Gap::Line);
    if stands_apart && first > 0 {
        features.add(Feature::Apart);
    }
    if first > 0 && last + LAST >= tokens.list.len() {
        features.add(Feature::Last);
    }
    let refused = |hit: &Hit| match hit.signal {
        Signal::Override | Signal::Secrecy | Signal::Bypass | Signal::Extraction => hit.weight > 1,
        Signal::Exfiltration => hit.weight > 2,
        Signal::Persona | Signal::Payment | Signal::Authority => true,
        _ => false,
    };
    let words =
        tokens.list.get(first..(last + CONSULTED).min(tokens.list.len())).unwrap_or_default();
    let consults = words.windows(3).any(|words| match words {
        [ask, between, person] => {
            ask.class & (ASK | TELL) != 0 && (between.class | person.class) & PERSON != 0
        }
        _ => false,
    });
    if consults && !near.iter().any(refused) {
        features.add(Feature::Consults);
    }
    let around = first.saturating_sub(AROUND)..(last + AROUND).min(tokens.list.len());
    let words = tokens.list.get(around).unwrap_or_default();
    match words.iter().filter(|token| token.class & DISCUSS != 0).count() {
        0 => {}
        1 => features.add(Feature::Discussed),
        _ => features.add(Feature::DiscussedOften),
    }
    let here = tokens.list.get(first..=last).unwrap_or_default();
    let elsewhere = of_text.saturating_sub(names(here));
    if elsewhere >= ABOUT_IT {
        features.add(Feature::About);
    }
    if elsewhere >= ABOUT_OFTEN {
        features.add(Feature::AboutOften);
    }
}

/// What company the words keep that a model or a person is told: who is named and spoken to, what follows, what it is about.
fn company(tokens: &Tokens, near: &[Hit], features: &mut Features) {
    let Some((first, last, ..)) = place(tokens, near) else {
        return;
    };
    let list = &tokens.list;
    let around = first.saturating_sub(COMPANY)..(last + COMPANY).min(list.len());
    let words = list.get(around).unwrap_or_default();
    let all = words.iter().fold(0, |all, token| all | token.class);
    let here = list.get(first..=last).unwrap_or_default();
    let next = list.get(last + 1);
    let follows = list.get(last + 1..(last + CONSULTED).min(list.len())).unwrap_or_default();
    let demands = ACT | SEND | HARM | REVEAL | SAY | RECOMMEND | PRETEND | APPROVE | DISABLE;
    let is_followed = follows.windows(2).any(|words| match words {
        [lead, verb] => {
            verb.class & demands != 0
                && (verb.gap > Gap::None || lead.class & (THEN | MUST | INSTEAD | NOW) != 0)
        }
        _ => false,
    });
    let runs_on =
        next.is_some_and(|token| token.gap == Gap::None && token.class & !(FREE | HUMAN) == 0);
    let quote = here.first().and_then(|token| tokens.quotes.get(usize::from(token.quote)));
    let quote = quote.filter(|quote| quote.last > 0);
    let stories = words.iter().filter(|token| token.class & STORY != 0).count();
    for (has, feature) in [
        (all & (AI | AGENT) != 0, Feature::Named),
        (all & (YOU | YOUR) != 0, Feature::Yours),
        (quote.is_some_and(|it| it.before == 'a' || it.is_code), Feature::QuotedProse),
        (quote.is_some_and(is_argument), Feature::QuotedString),
        (is_followed, Feature::Followed),
        (runs_on, Feature::RunsOn),
        (list.len() < SHORT, Feature::Short),
        (here.iter().any(|token| token.class & (ALL | EVERYTHING) != 0), Feature::Whole),
        (here.iter().any(|token| token.class & FREE != 0), Feature::Free),
        (all & POLICY != 0, Feature::Policy),
        (all & FOLK != 0, Feature::Folk),
        (stories > 0, Feature::Story),
        (all & PHYSICAL != 0, Feature::Physical),
        (is_elsewhere(list, last), Feature::Elsewhere),
        (is_digital(follows), Feature::Digital),
    ] {
        if has {
            features.add(feature);
        }
    }
}

/// Whether what was named last is of something that no model knows: a label, a pump.
fn is_elsewhere(list: &[Token], last: usize) -> bool {
    let next = |ahead: usize| list.get(last + ahead).filter(|token| token.gap == Gap::None);
    let Some(of) = next(1).filter(|token| token.class & (OF | ABOUT | DET) != 0) else {
        return false;
    };
    let known = !(FREE | HUMAN | DET | OF | ABOUT | POLICY | NEW | TO | FOLK);
    let skip = usize::from(next(2).is_some_and(|token| token.class & (DET | OWNED) != 0));
    of.class & YOUR == 0 && next(2 + skip).is_some_and(|token| token.class & known == 0)
}

/// Whether something is asked for that is done with data, tools or answers.
fn is_digital(follows: &[Token]) -> bool {
    let verbs = RUN | REVEAL | SEND | SAY | HARM | PRETEND | VISIT;
    let things = SECRET | DATA | TOOL | PERSON | PROMPT | DESTINATION | ANSWER | ONLY | THIS;
    follows.iter().enumerate().any(|(at, token)| {
        let next = follows.get(at + 1..(at + 5).min(follows.len())).unwrap_or_default();
        token.class & verbs != 0 && next.iter().any(|token| token.class & things != 0)
    })
}

/// Whether a quotation is an argument or an item in code, and no value of a record.
fn is_argument(quote: &Quote) -> bool {
    !quote.is_code && !matches!(quote.before, 'a' | ':' | '\0' | '\n')
}

/// How often models and agents are named.
fn names(words: &[Token]) -> usize {
    words.iter().filter(|token| token.class & (AI | AGENT) != 0).count()
}

/// The first and last word of some hits, and the bytes from the one to the other.
fn place(tokens: &Tokens, near: &[Hit]) -> Option<(usize, usize, u32, u32)> {
    let mut first = near.iter().map(|hit| hit.first).min()?;
    let last = near.iter().map(|hit| hit.last).max()?;
    // What weighs nothing beside the rest does not widen the place.
    if let Some(heavy) = near.iter().filter(|hit| hit.weight > 1).map(|hit| hit.first).min() {
        first = heavy;
    }
    let start = tokens.list.get(first)?.start;
    let end = tokens.list.get(last)?.end.max(start);
    Some((first, last.max(first), start, end))
}

fn verdict(tokens: &Tokens, window: Window, score: i32) -> Option<Verdict> {
    let Window { near, mut signals, .. } = window;
    let (_, _, start, end) = place(tokens, &near)?;
    signals.sort_unstable();
    Some(Verdict { start, end, score, signals, hits: near })
}
