//! Whom a text speaks to. Owns finding the places where a model is named, what is said to or of it there, and what that comes to:
//! the words around the name and behind it are features, and how much each says is fitted (`fitted`), not written by hand.

use super::{
    class::*,
    sign::{DEMAND, DEMANDS, Features, LEADS, SAID, Sign, TRAILS},
    token::{Carrier, Gap, Mark, Token, Tokens},
};

/// How many words behind a name are taken to be said to it, and over how many sentences.
const ZONE: usize = 48;
const SENTENCES: usize = 4;
/// How many words before a name lead to it, and how many behind it belong to it.
const BEFORE: usize = 5;
/// How many words that we do not know may belong to the beginning of a name.
const OPENING: usize = 3;
const BEHIND: usize = 6;
/// How far behind a name the colon may stand that ends it: "note to the assistant that reads this mailbox:".
const COLON: usize = 16;
/// How far before and behind it somebody may write about attacks.
const AROUND: usize = 30;
/// How many words a short text has, and how far before a name its heading may stand.
const SHORT: usize = 40;
const HEADING: usize = 12;
/// How far before a verb a denial denies it.
const DENIED: usize = 3;

/// A place where a model is named, and what is said there.
#[derive(Debug)]
pub(super) struct Place {
    /// The first word of the name, and the last of what is said to it.
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) features: Features,
}

/// How the text came about, as far as it counts here.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Origin {
    pub(super) is_decoded: bool,
    /// How often models are named in the text.
    pub(super) names: usize,
}

/// The places of a text at which something may be said to a model, in order.
pub(super) fn places(
    tokens: &Tokens,
    origin: Origin,
    unseen: &dyn Fn(u32, u32) -> usize,
) -> Vec<Place> {
    let mut places = Vec::new();
    let is_dialogue = is_dialogue(&tokens.list);
    let mut at = 0;
    while let Some(name) = name(&tokens.list, at) {
        at = name.1 + 1;
        places.extend(place(tokens, name, (origin, is_dialogue), unseen));
    }
    places
}

/// Whether speakers take turns.
fn is_dialogue(list: &[Token]) -> bool {
    let turns = list.windows(2).filter(|pair| match pair {
        [who, said] => {
            who.gap >= Gap::Line && said.gap == Gap::Colon && who.class & (PERSON | AGENT) != 0
        }
        _ => false,
    });
    turns.count() > 1
}

/// The next name from `from` on: its first and last word.
fn name(list: &[Token], from: usize) -> Option<(usize, usize)> {
    let parts = AI | AGENT | TECH | DEVICE;
    let mut at = from;
    loop {
        let offset = list.get(at..)?.iter().position(|token| token.class & parts != 0)?;
        let first = at + offset;
        let mut last = first;
        let mut all = list.get(first)?.class;
        // The words of a name, with one between two of them: "asistente de IA".
        for next in first + 1..first + 7 {
            let Some(token) = list.get(next) else { break };
            if token.gap > Gap::Light || next > last + 2 {
                break;
            }
            if token.class & parts != 0 {
                last = next;
                all |= token.class;
            }
        }
        if all & (AI | AGENT) != 0 || all & DEVICE != 0 && all & TECH != 0 {
            return Some((first, last));
        }
        at = last + 1;
    }
}

fn all(words: &[Token]) -> Class {
    words.iter().fold(0, |all, token| all | token.class)
}

fn place(
    tokens: &Tokens,
    (first, last): (usize, usize),
    (origin, is_dialogue): (Origin, bool),
    unseen: &dyn Fn(u32, u32) -> usize,
) -> Option<Place> {
    let list = &tokens.list;
    let named = list.get(first..=last)?;
    let head = list.get(first)?;
    if is_handled(list, first, last) {
        return None;
    }
    let end = zone(list, last);
    let said = list.get(last + 1..end).unwrap_or_default();
    if all(said) & DEMAND == 0 && all(said) & MUST == 0 {
        return None;
    }
    let mut features = Features::default();
    let opening = opening(list, first);
    let begins = begin(list, opening);
    let before = list.get(begins..opening).unwrap_or_default();
    let behind = list.get(last + 1..end.min(last + 1 + BEHIND)).unwrap_or_default();
    let trail: Vec<Token> =
        behind.iter().take_while(|token| token.gap < Gap::Sentence).copied().collect();
    features.words(1, &LEADS, all(before));
    features.words(1 + LEADS.len(), &TRAILS, all(&trail));
    features.words(1 + LEADS.len() + TRAILS.len(), &SAID, all(said));
    who(list, (opening, first, last), begins, &mut features);
    demands(tokens, head, (last + 1, end), &mut features);
    surroundings(tokens, (first, end), (origin, is_dialogue), &mut features);
    let start = head.start;
    let stop = list.get(end.saturating_sub(1)).map_or(start, |token| token.end.max(start));
    if origin.is_decoded {
        features.add(Sign::Decoded);
    } else if unseen(start, stop)
        + 2 * named.iter().chain(said).filter(|it| it.is_disguised).count()
        > 3
    {
        features.add(Sign::Disguised);
    }
    crosses(all(said), &mut features);
    Some(Place { first, last: end.saturating_sub(1).max(last), features })
}

/// Whether a program is named that somebody handles: "install the agent on the host". Nobody is spoken to there.
fn is_handled(list: &[Token], first: usize, last: usize) -> bool {
    let named = list.get(first..=last).unwrap_or_default();
    let before = |back: usize| first.checked_sub(back).and_then(|at| list.get(at));
    let joins = |token: &&Token| token.gap == Gap::None;
    let Some(one) = before(1).filter(|_| named.first().as_ref().is_some_and(joins)) else {
        return false;
    };
    let verb = if one.class & DET == 0 { Some(one) } else { before(2).filter(|_| joins(&one)) };
    let goes_on = list
        .get(last + 1)
        .is_none_or(|next| next.gap != Gap::Colon && next.class & (MUST | YOU | TO | DEMAND) == 0);
    all(named) & (AI | TECH) == 0
        && verb.is_some_and(|verb| verb.class & RUN != 0 && verb.class & FREE == 0)
        && goes_on
}

/// Where what is said to somebody ends.
fn zone(list: &[Token], last: usize) -> usize {
    let mut sentences = 0;
    let rest = list.get(last + 1..).unwrap_or_default();
    let length = rest
        .iter()
        .take(ZONE)
        .take_while(|token| {
            sentences += usize::from(token.gap == Gap::Sentence);
            sentences < SENTENCES
        })
        .count();
    last + 1 + length
}

/// Where a name opens: what stands right before it and is no word that we know belongs to it, `meeting summariser`, `triage-agent`.
fn opening(list: &[Token], first: usize) -> usize {
    let mut at = first;
    while first - at < OPENING && list.get(at).is_some_and(|token| token.gap == Gap::None) {
        let Some(before) = at.checked_sub(1).and_then(|at| list.get(at)) else {
            break;
        };
        let known = !(FREE
            | HUMAN
            | HOUSE
            | POLICY
            | CONTENT
            | DATA
            | REQUEST
            | ANSWER
            | READ
            | HANDLE
            | FOLK
            | PHYSICAL
            | STORY
            | MONEY);
        if before.class & known != 0 {
            break;
        }
        at -= 1;
    }
    at
}

/// Where the words begin that lead to a name.
fn begin(list: &[Token], first: usize) -> usize {
    let mut at = first;
    while at > 0 && first - at < BEFORE && list.get(at).is_some_and(|it| it.gap < Gap::Line) {
        at -= 1;
    }
    at
}

/// Who is named, and how.
fn who(
    list: &[Token],
    (opening, first, last): (usize, usize, usize),
    begins: usize,
    features: &mut Features,
) {
    let named = list.get(first..=last).unwrap_or_default();
    let Some(head) = list.get(opening) else {
        return;
    };
    let before = list.get(begins..opening).unwrap_or_default();
    let parts = all(named);
    let is_certain = parts & AI != 0 || parts & TECH != 0;
    features.add(if is_certain { Sign::Certain } else { Sign::Uncertain });
    let near = list.get(first.saturating_sub(2)..first).unwrap_or_default();
    if parts & AI == 0 && (all(near) | all(named)) & HUMAN != 0 {
        features.add(Sign::Human);
    }
    if opening == 0 {
        features.add(Sign::Opens);
    }
    if head.gap >= Gap::Line || before.first().is_some_and(|it| it.gap >= Gap::Line) {
        features.add(Sign::OpensLine);
    }
    match head.gap {
        Gap::Light => features.add(Sign::GapLight),
        Gap::Comma | Gap::Colon => features.add(Sign::GapComma),
        Gap::Sentence | Gap::Line => features.add(Sign::GapSentence),
        Gap::None => {}
    }
    let next = list.get(last + 1);
    match next.map(|token| token.gap) {
        Some(Gap::Light) => features.add(Sign::NextLight),
        Some(Gap::Comma) => features.add(Sign::NextComma),
        Some(Gap::Line) => features.add(Sign::NextLine),
        Some(Gap::Sentence) => features.add(Sign::NextSentence),
        _ => {}
    }
    let mut colon = list.get(last + 1..).unwrap_or_default().iter().take(COLON);
    let ends = colon.find(|token| token.gap >= Gap::Colon);
    let has_colon = ends.is_some_and(|token| token.gap == Gap::Colon);
    if has_colon {
        features.add(Sign::Colon);
    }
    if named.iter().any(|token| token.mark == Mark::Called) {
        features.add(Sign::Mention);
    }
    let leads = all(before);
    let stands_apart = next.is_some_and(|token| token.gap > Gap::None);
    let opens = head.gap > Gap::None || leads & (GREETING | NOTE | TO) != 0;
    let tells = next.is_some_and(|token| token.class & (DEMAND | MUST | YOU) != 0);
    if opens && (stands_apart || has_colon || tells) && leads & (OWNED | BE) == 0 {
        features.add(Sign::Called);
    }
    let is_free = (leads | parts) & FREE != 0;
    let trail = all(list.get(last + 1..(last + 3).min(list.len())).unwrap_or_default());
    if leads & WHEN != 0 && (leads & (YOU | BE) != 0 || is_free)
        || is_free && trail & WHEN != 0 && next.is_some_and(|token| token.class & WHEN != 0)
    {
        features.add(Sign::Identity);
    }
    let duty = list.get(last + 1..(last + 9).min(list.len())).unwrap_or_default();
    let clause = duty.iter().take_while(|token| token.gap < Gap::Sentence);
    if clause.fold(0, |all, token| all | token.class) & MUST != 0 {
        features.add(Sign::Duty);
    }
    if (leads | trail) & YOU != 0 {
        features.add(Sign::You);
    }
    if is_free {
        features.add(Sign::Free);
    }
    let one = opening.checked_sub(1).and_then(|at| list.get(at));
    let is_described = one.is_some_and(|token| token.class & (DET | OWNED) != 0)
        && head.gap == Gap::None
        && next.is_some_and(|token| token.gap == Gap::None)
        && !has_colon
        && trail & MUST == 0;
    if is_described {
        features.add(Sign::Described);
    }
    if named.len() > 1 && named.iter().all(|token| token.is_capital) {
        features.add(Sign::Capitals);
    }
}

/// What is demanded behind a name, and how.
fn demands(tokens: &Tokens, head: &Token, zone: (usize, usize), features: &mut Features) {
    let list = &tokens.list;
    let from = 1 + LEADS.len() + TRAILS.len() + SAID.len();
    let mut count = 0;
    let mut quoted = false;
    let heavy = SECRET | HARM | RECKLESS | QUIET | PAY | UNBOUND | BYPASS | DOOR | DISABLE | MONEY;
    let mut loaded: Class = 0;
    for at in zone.0..zone.1 {
        let Some(token) = list.get(at) else { break };
        let before = list.get(at.saturating_sub(DENIED).max(zone.0)..at).unwrap_or_default();
        let is_denied = all(before) & NOT != 0 && token.gap < Gap::Comma;
        match token.mark {
            Mark::Shell => features.add(Sign::Shell),
            Mark::Beacon => features.add(Sign::Beacon),
            _ => {}
        }
        if is_denied || token.class & NOT != 0 && token.class & TELL != 0 {
            if token.class & (TELL | KNOW | SAY | REVEAL) != 0 {
                features.add(Sign::Secret);
            }
            if token.class & ASK != 0 {
                features.add(Sign::Unasked);
            }
            if token.class & DEMAND != 0 {
                features.add(Sign::Forbidden);
            }
            continue;
        }
        loaded |= token.class & (heavy | SEND | RUN | VISIT | GRANT | DESTINATION | WRITE);
        if token.class & WITHOUT != 0 {
            let next = list.get(at + 1..(at + 4).min(zone.1)).unwrap_or_default();
            if all(next) & ASK != 0 {
                features.add(Sign::Unasked);
            }
            if all(next) & (TELL | KNOW | SAY) != 0 {
                features.add(Sign::Secret);
            }
        }
        if token.class & QUIET != 0 {
            features.add(Sign::Secret);
        }
        if token.class & DEMAND == 0 || token.class & TELLING != 0 && token.class & FREE == 0 {
            continue;
        }
        let one = before.last().map_or(0, |it| it.class);
        let leads = MUST | THEN | FIRST | QUIET | AUTOMATICALLY | YOU | CALMLY | NOW;
        let is_duty = all(before) & MUST != 0;
        let opens = token.gap > Gap::None || one & leads != 0 || at == zone.0;
        if !(opens || is_duty || token.class & FREE != 0) {
            continue;
        }
        count += 1;
        quoted |= token.quote != head.quote && token.quote != 0;
        features.words(from, &DEMANDS, token.class);
    }
    if count > 0 {
        features.add(Sign::Demanded);
    }
    if count > 1 {
        features.add(Sign::DemandedTwice);
    }
    if count > 0
        && (loaded & heavy != 0
            || loaded & DESTINATION != 0 && loaded & (SEND | RUN | VISIT | GRANT | WRITE) != 0)
    {
        features.add(Sign::Loaded);
    }
    if quoted {
        features.add(Sign::DemandQuoted);
    }
}

/// What stands around: quotation marks, talk of attacks and of models, what is not shown.
fn surroundings(
    tokens: &Tokens,
    (first, end): (usize, usize),
    (origin, is_dialogue): (Origin, bool),
    features: &mut Features,
) {
    let list = &tokens.list;
    let Some(head) = list.get(first) else { return };
    let quote = tokens.quotes.get(usize::from(head.quote)).filter(|_| head.quote != 0);
    if let Some(quote) = quote.filter(|quote| quote.last > 0) {
        features.add(match quote.before {
            'a' => Sign::QuotedProse,
            _ if quote.is_code => Sign::QuotedProse,
            ':' | '\0' | '\n' => Sign::QuotedValue,
            _ => Sign::QuotedArgument,
        });
    }
    match head.carrier {
        Carrier::Comment => features.add(Sign::Comment),
        Carrier::Element | Carrier::Attribute => features.add(Sign::Hidden),
        Carrier::Text => {}
    }
    let around = first.saturating_sub(AROUND)..(end + AROUND / 2).min(list.len());
    let words = list.get(around).unwrap_or_default();
    match words.iter().filter(|token| token.class & DISCUSS != 0).count() {
        0 => {}
        1 => features.add(Sign::Discussed),
        _ => features.add(Sign::DiscussedOften),
    }
    let here = list.get(first..end).unwrap_or_default();
    let named = here.iter().filter(|token| token.class & (AI | AGENT) != 0).count();
    let elsewhere = origin.names.saturating_sub(named);
    if elsewhere >= 3 {
        features.add(Sign::About);
    }
    if elsewhere >= 10 {
        features.add(Sign::AboutOften);
    }
    if end + BEHIND >= list.len() {
        features.add(Sign::Last);
    }
    if list.len() < SHORT {
        features.add(Sign::Short);
    }
    if all(list.get(first.saturating_sub(HEADING)..first).unwrap_or_default()) & POLICY != 0 {
        features.add(Sign::Policy);
    }
    if words.iter().filter(|token| token.class & STORY != 0).count() > 0 {
        features.add(Sign::Story);
    }
    if is_dialogue {
        features.add(Sign::Dialogue);
    }
    let consults = here.windows(3).any(|words| match words {
        [ask, between, person] => {
            ask.class & ASK != 0 && (between.class | person.class) & PERSON != 0
        }
        _ => false,
    });
    if consults {
        features.add(Sign::Consults);
    }
}

/// What counts for more, or less, beside something else.
fn crosses(said: Class, features: &mut Features) {
    let is = |sign| features.has(sign);
    let certain = is(Sign::Certain);
    let called = is(Sign::Called);
    let identity = is(Sign::Identity);
    let duty = is(Sign::Duty);
    let loaded = is(Sign::Loaded) || is(Sign::Shell) || is(Sign::Beacon);
    let secret = is(Sign::Secret) || is(Sign::Unasked);
    let demanded = is(Sign::Demanded);
    let quoted = is(Sign::QuotedProse) || is(Sign::QuotedValue) || is(Sign::QuotedArgument);
    let discussed = is(Sign::Discussed) || is(Sign::DiscussedOften);
    let plain = !called && !identity && !duty && !is(Sign::Mention);
    for (has, sign) in [
        (certain && called, Sign::CertainCalled),
        (certain && identity, Sign::CertainIdentity),
        (certain && duty, Sign::CertainDuty),
        (called && loaded, Sign::CalledLoaded),
        (called && secret, Sign::CalledSecret),
        (identity && demanded, Sign::IdentityDemand),
        (duty && loaded, Sign::DutyLoaded),
        (said & HOUSE != 0 && !loaded && !secret, Sign::HouseOnly),
        (plain, Sign::Plain),
        (quoted && discussed, Sign::QuotedDiscussed),
        (is(Sign::QuotedArgument) && is(Sign::Comment), Sign::QuotedComment),
        (!loaded && !secret && said & (SECRET | DESTINATION | MONEY | IGNORE) == 0, Sign::Harmless),
        (said & HOUSE != 0 && !secret && said & (TELL | PERSON) == 0, Sign::Reference),
        (said & WHEN != 0 && said & (CONTINUE | ANSWER | SAY | TASK) != 0, Sign::BeforeTask),
        (
            called && said & IGNORE != 0 && said & (TASK | TOLD | INSTRUCTIONS | EARLIER) != 0,
            Sign::CalledOverride,
        ),
        (
            called && said & (RECOMMEND | SAY) != 0 && said & (ANSWER | PERSON | ONLY) != 0,
            Sign::CalledAnswer,
        ),
    ] {
        if has {
            features.add(sign);
        }
    }
}
