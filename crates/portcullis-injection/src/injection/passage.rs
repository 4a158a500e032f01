//! A passage of a text: a sentence or a line, with what counts of it. Owns where passages begin and end and which features each has: its words,
//! what they can be and how they follow each other, the patterns and names in it, and how it stands in its text.

use std::ops::Range;

use super::{
    address::{self, Place},
    class::*,
    feature::{Features, Kind, classes, grade},
    form::{Genre, form, genre},
    pattern::{Candidates, Hit, Which, candidates, hits},
    rest::{Rest, things},
    sign::{self, DEMAND, Sign},
    token::{Carrier, Gap, Mark, Token, Tokens},
};

/// The longest passage, in words.
const LONGEST: usize = 64;
/// How many words a line has that is no passage of its own.
const FRAGMENT: usize = 2;
/// How many words may stand between two that follow each other.
const BETWEEN: usize = 3;
/// How many of the first words count by their place.
const FIRST_WORDS: usize = 3;

/// How a text is hidden.
#[derive(Clone, Copy)]
pub(super) struct Disguise<'a> {
    /// Where characters stand that nobody sees.
    pub(super) unseen: &'a [u32],
    /// It was decoded from something.
    pub(super) is_decoded: bool,
}

/// A passage with what counts of it.
#[derive(Debug)]
pub(super) struct Passage {
    /// Its words.
    pub(super) words: Range<usize>,
    /// The numbers of its features.
    pub(super) features: Vec<u32>,
    /// The patterns in it.
    pub(super) hits: Vec<Hit>,
    /// Whether it is hidden or disguised.
    pub(super) is_hidden: bool,
}

/// The passages of a text. `text` is what the places of the words are of.
pub(super) fn passages(text: &str, tokens: &Tokens, disguise: Disguise<'_>) -> Vec<Passage> {
    let cuts = cut(tokens);
    let whole = Whole::new(text, tokens, &cuts, disguise);
    let mut features = Features::new();
    let read = |(number, words): (usize, &Range<usize>)| {
        let part = tokens.list.get(words.clone())?;
        let here = Here { number, words, part, set: whole.set(number, 0) };
        of_words(tokens, &here, &mut features);
        of_classes(&here, &mut features);
        of_beginning(&here, &mut features);
        of_neighbours(&whole, &here, &mut features);
        of_text(&whole, &here, &mut features);
        of_quotation(tokens, &here, &mut features);
        of_names(&here, &mut features);
        of_signs(text, &here, &mut features);
        of_rest(&whole, &here, &mut features);
        of_form(text, &whole, &here, &mut features);
        of_called(&whole, &here, &mut features);
        let is_hidden = of_disguise(disguise, &here, &mut features);
        let hits = of_patterns(tokens, &whole, &here, &mut features);
        Some(Passage { words: words.clone(), features: features.take(), hits, is_hidden })
    };
    cuts.iter().enumerate().filter_map(read).collect()
}

/// Where the passages are, in words.
fn cut(tokens: &Tokens) -> Vec<Range<usize>> {
    let mut passages = Vec::new();
    let mut from = 0;
    for (at, token) in tokens.list.iter().enumerate() {
        let ends = match token.gap {
            Gap::Sentence => true,
            Gap::Line => (token.is_capital || token.mark != Mark::None) && at - from > FRAGMENT,
            _ => false,
        };
        if at > from && (ends || at - from >= LONGEST) {
            passages.push(from..at);
            from = at;
        }
    }
    if from < tokens.list.len() {
        passages.push(from..tokens.list.len());
    }
    passages
}

/// What is known of a text as a whole.
struct Whole {
    /// What the words of each passage can be.
    sets: Vec<Class>,
    /// How many passages name a model, begin with an order, and talk about attacks.
    names: usize,
    orders: usize,
    talk: usize,
    candidates: Candidates,
    /// The places at which something may be said to a model.
    places: Vec<Place>,
    /// The things of a machine that each passage names, one bit a kind.
    things: Vec<u8>,
    rest: Rest,
    genre: Genre,
    /// How many passages ago a model was named, and was spoken to: 0 in the passage itself, [`FAR`] where that is long ago.
    named: Vec<usize>,
    called: Vec<usize>,
}

/// The passage that is read.
struct Here<'a> {
    number: usize,
    words: &'a Range<usize>,
    part: &'a [Token],
    set: Class,
}

fn is_named(set: Class) -> bool {
    set & (AI | AGENT) != 0
}

fn opens(part: &[Token]) -> bool {
    part.first().is_some_and(|token| token.class & DEMAND != 0)
}

impl Whole {
    fn new(text: &str, tokens: &Tokens, cuts: &[Range<usize>], disguise: Disguise<'_>) -> Self {
        let parts = || cuts.iter().map(|words| tokens.list.get(words.clone()).unwrap_or_default());
        let sets: Vec<Class> =
            parts().map(|part| part.iter().fold(0, |all, token| all | token.class)).collect();
        let candidates = candidates(tokens, Which::All);
        let places = places(tokens, disguise, &candidates);
        let start = tokens.list.first().map_or(0, |token| token.start as usize);
        let end = tokens.list.last().map_or(0, |token| token.end as usize);
        let mut called = vec![false; cuts.len()];
        for place in &places {
            let at = cuts.partition_point(|cut| cut.end <= place.first);
            let signs = [Sign::Called, Sign::Colon, Sign::Identity, Sign::You, Sign::Mention];
            if signs.iter().any(|sign| place.features.has(*sign))
                && let Some(called) = called.get_mut(at)
            {
                *called = true;
            }
        }
        Self {
            genre: genre(text, start, end),
            named: ago(sets.iter().map(|set| is_named(*set))),
            called: ago(called.into_iter()),
            names: sets.iter().filter(|set| is_named(**set)).count(),
            orders: parts().filter(|part| opens(part)).count(),
            talk: sets.iter().filter(|set| **set & DISCUSS != 0).count(),
            places,
            things: parts().map(|part| things(text, part)).collect(),
            rest: Rest::new(&tokens.list),
            sets,
            candidates,
        }
    }

    /// What the words of the passage can be that stands `offset` behind the one with a number; nothing where there is none.
    fn set(&self, number: usize, offset: isize) -> Class {
        self.beside(number, offset).unwrap_or(0)
    }

    fn places_in(&self, words: &Range<usize>) -> impl Iterator<Item = &Place> {
        let first = self.places.partition_point(|place| place.first < words.start);
        let rest = self.places.get(first..).unwrap_or_default();
        let end = words.end;
        rest.iter().take_while(move |place| place.first < end)
    }

    fn beside(&self, number: usize, offset: isize) -> Option<Class> {
        self.sets.get(number.checked_add_signed(offset)?).copied()
    }
}

/// The places where a model is named and may be told something, with the patterns in what it is told.
fn places(tokens: &Tokens, disguise: Disguise<'_>, candidates: &Candidates) -> Vec<Place> {
    let names = tokens.list.iter().filter(|token| is_named(token.class)).count();
    let origin = address::Origin { is_decoded: disguise.is_decoded, names };
    let unseen = |from: u32, to: u32| between(disguise.unseen, from, to);
    let mut places = address::places(tokens, origin, &unseen);
    places.retain(|place| sign::is_told(&place.features));
    let mut said = Vec::new();
    for place in &mut places {
        hits(tokens, place.first, place.last + 1, candidates, &mut said);
        for hit in said.drain(..) {
            place.features.signal(hit.signal, hit.weight);
        }
    }
    places
}

/// How many of some places, which are in order, lie between two others.
fn between(places: &[u32], from: u32, to: u32) -> usize {
    let until = |end: u32| places.partition_point(|at| *at < end);
    until(to).saturating_sub(until(from))
}

fn of_words(tokens: &Tokens, here: &Here<'_>, features: &mut Features) {
    let named = is_named(here.set);
    for token in here.part.iter().filter(|it| it.word != 0) {
        features.add(Kind::Word, token.word, 0);
        features.add(Kind::Stem, token.stem, 0);
        if named {
            features.add(Kind::StemNamed, token.stem, 0);
        }
    }
    for pair in here.part.windows(2) {
        if let [one, other] = pair
            && one.word != 0
            && other.word != 0
        {
            features.add(Kind::Stems, one.stem, other.stem);
        }
    }
    let (Some(first), Some(last)) = (here.part.first(), here.part.last()) else { return };
    let until = |end: u32| tokens.pairs.partition_point(|(at, _)| *at < end);
    for (_, pair) in tokens.pairs.get(until(first.start)..until(last.end)).unwrap_or_default() {
        features.add(Kind::Pair, *pair, 0);
    }
}

fn of_classes(here: &Here<'_>, features: &mut Features) {
    for one in classes(here.set) {
        features.add(Kind::Class, one, 0);
        for other in classes(here.set >> one >> 1) {
            features.add(Kind::Together, one, one + 1 + other);
        }
    }
    let mut before: Option<(usize, Class)> = None;
    for (at, token) in here.part.iter().enumerate() {
        if token.mark != Mark::None {
            features.add(Kind::Mark, token.mark as u32, 0);
        }
        let class = token.class & !FREE;
        if class == 0 {
            continue;
        }
        if let Some((from, lead)) = before
            && at - from <= BETWEEN
        {
            for one in classes(lead) {
                classes(class).for_each(|other| features.add(Kind::Following, one, other));
            }
        }
        before = Some((at, class));
    }
}

fn of_beginning(here: &Here<'_>, features: &mut Features) {
    for (place, token) in here.part.iter().take(FIRST_WORDS).enumerate() {
        features.add(Kind::FirstWord, place as u32, token.word);
        classes(token.class).for_each(|one| features.add(Kind::FirstClass, place as u32, one));
    }
    if let Some(first) = here.part.first() {
        features.add(Kind::Gap, first.gap as u32, u32::from(first.is_capital));
    }
    features.add(Kind::Length, grade(here.part.len() / 4), 0);
}

fn of_neighbours(whole: &Whole, here: &Here<'_>, features: &mut Features) {
    /// What stands in the place of a class where there is no passage.
    const NOTHING: u32 = Class::BITS;
    let named = is_named(here.set);
    for (offset, kind, kind_named) in
        [(-1, Kind::Before, Kind::BeforeNamed), (1, Kind::Behind, Kind::BehindNamed)]
    {
        let Some(set) = whole.beside(here.number, offset) else {
            features.add(kind, NOTHING, 0);
            continue;
        };
        for one in classes(set) {
            features.add(kind, one, 0);
            if named || is_named(set) {
                features.add(kind_named, one, u32::from(named));
            }
        }
    }
}

fn of_text(whole: &Whole, here: &Here<'_>, features: &mut Features) {
    for (kind, all, is_here) in [
        (Kind::Names, whole.names, is_named(here.set)),
        (Kind::Orders, whole.orders, opens(here.part)),
        (Kind::Talk, whole.talk, here.set & DISCUSS != 0),
    ] {
        features.add(kind, grade(all.saturating_sub(usize::from(is_here))), u32::from(is_here));
    }
    features.add(Kind::Passages, grade(whole.sets.len()), 0);
}

/// How far a passage counts as said to whom was named before.
const FAR: usize = 7;

/// How many passages ago something was so.
fn ago(is: impl Iterator<Item = bool>) -> Vec<usize> {
    let mut since = FAR;
    let step = |is: bool| {
        since = if is { 0 } else { (since + 1).min(FAR) };
        since
    };
    is.map(step).collect()
}

/// What is asked for behind a name, in the sentences and steps that follow it.
fn of_called(whole: &Whole, here: &Here<'_>, features: &mut Features) {
    for (number, since) in [&whole.named, &whole.called].into_iter().enumerate() {
        let since = since.get(here.number).copied().unwrap_or(FAR);
        let number = number as u32 * 256;
        features.add(Kind::Since, number + grade(since), u32::from(opens(here.part)));
        if (1..FAR).contains(&since) {
            for one in classes(here.set & WEIGHTY) {
                features.add(Kind::SinceClass, number + one, 0);
            }
            if let Some(first) = here.part.first() {
                for one in classes(first.class) {
                    features.add(Kind::SinceFirst, number + one, 0);
                }
            }
        }
    }
}

/// How it is written down, and in what kind of document.
fn of_form(text: &str, whole: &Whole, here: &Here<'_>, features: &mut Features) {
    let (Some(first), Some(last)) = (here.part.first(), here.part.last()) else { return };
    let form = form(text, first.start as usize, last.end as usize);
    let named = is_named(here.set);
    let opens = opens(here.part);
    let genre = whole.genre as u32;
    let place = (here.number * 4 / whole.sets.len().max(1)) as u32;
    let is_last = here.number + 1 == whole.sets.len();
    let place = if is_last { 4 } else { place };
    for (kind, number) in [
        (Kind::Lead, form.lead),
        (Kind::Line, form.line),
        (Kind::Tail, form.tail),
        (Kind::Genre, genre),
        (Kind::Position, place),
        (Kind::GenrePosition, genre * 8 + place),
        (Kind::GenreLead, form.lead.wrapping_mul(31).wrapping_add(genre)),
    ] {
        features.add(kind, number, 0);
        if named {
            features.add(kind, number, 1);
        }
        if opens {
            features.add(kind, number, 2);
        }
    }
    for one in classes(here.set & WEIGHTY) {
        features.add(Kind::GenreClass, genre, one);
    }
}

/// What demands are made of and about: beside a thing of a machine each of these says something of its own.
const WEIGHTY: Class = SECRET
    | DATA
    | SEND
    | PAY
    | RUN
    | VISIT
    | HARM
    | GRANT
    | WRITE
    | SAY
    | RECOMMEND
    | APPROVE
    | DISABLE
    | REVEAL
    | IGNORE
    | BYPASS
    | DESTINATION
    | MONEY
    | QUIET
    | NOT
    | TELL
    | ASK
    | WITHOUT
    | PERSON
    | KNOW
    | APPROVED
    | AUTOMATICALLY
    | AI
    | AGENT
    | MUST
    | FIRST
    | WHEN
    | ANSWER
    | SAFETY
    | INSTEAD
    | ONLY
    | NOBODY
    | READER
    | ALL
    | CONTENT
    | VOID
    | REQUEST
    | TASK
    | AUTHORITY
    | DOOR
    | NOTE
    | TECH
    | DISCUSS
    | POLICY
    | STORY
    | FOLK;

/// What it shares with the rest of its text, and the things that are named in it and beside it.
fn of_rest(whole: &Whole, here: &Here<'_>, features: &mut Features) {
    let (shared, unknown) = whole.rest.shared(here.part);
    features.add(Kind::Shared, (shared * 4 / unknown.max(1)) as u32, grade(unknown / 2));
    let of = |at: Option<usize>| at.and_then(|at| whole.things.get(at)).copied().unwrap_or(0);
    for thing in classes(Class::from(of(Some(here.number)))) {
        features.add(Kind::Thing, thing, 0);
        for one in classes(here.set & WEIGHTY) {
            features.add(Kind::Thing, thing, one + 1);
        }
    }
    let beside = of(here.number.checked_sub(1)) | of(Some(here.number + 1));
    classes(Class::from(beside)).for_each(|thing| features.add(Kind::ThingNear, thing, 0));
}

fn of_quotation(tokens: &Tokens, here: &Here<'_>, features: &mut Features) {
    let mut quoted = here.part.iter().filter(|token| token.quote != 0);
    let Some(first) = quoted.next() else { return };
    let is_most = u32::from((quoted.count() + 1) * 3 > here.part.len() * 2);
    let quote = tokens.quotes.get(usize::from(first.quote)).copied().unwrap_or_default();
    let before = if quote.before.is_alphanumeric() { 'a' } else { quote.before };
    features.add(Kind::Quoted, is_most, 0);
    features.add(Kind::QuotedAfter, u32::from(before), is_most);
    features.add(Kind::QuotedCode, u32::from(quote.is_code), is_most);
}

/// How it is hidden from who reads it, and whether it is.
fn of_disguise(disguise: Disguise<'_>, here: &Here<'_>, features: &mut Features) -> bool {
    let (Some(first), Some(last)) = (here.part.first(), here.part.last()) else { return false };
    let is_carried = here.part.iter().find(|token| token.carrier != Carrier::Text);
    if let Some(token) = is_carried {
        features.add(Kind::Carrier, token.carrier as u32, 0);
    }
    if disguise.is_decoded {
        features.add(Kind::Decoded, 0, 0);
    }
    let written = here.part.iter().filter(|token| token.is_disguised).count();
    let unseen = between(disguise.unseen, first.start, last.end) + 2 * written;
    features.add(Kind::Unseen, grade(unseen), 0);
    is_carried.is_some() || disguise.is_decoded || unseen > 3
}

fn of_names(here: &Here<'_>, features: &mut Features) {
    /// What stands in the place of a gap behind the last word.
    const END: u32 = 9;
    let named = is_named(here.set);
    let mut before = 0;
    for (at, token) in here.part.iter().enumerate() {
        let next = here.part.get(at + 1).map_or(END, |token| token.gap as u32);
        if is_named(token.class) {
            let is_certain = u32::from(token.class & AI != 0);
            features.add(Kind::NameBetween, token.gap as u32, next);
            features.add(Kind::NameBefore, is_certain, next);
            features.add(Kind::NamePlace, grade(at), is_certain);
        }
        let leads = THEN | MUST | FIRST | NOW | QUIET;
        if token.gap > Gap::None || at == 0 || before & leads != 0 {
            for one in classes(token.class & DEMAND) {
                features.add(Kind::Order, one, 0);
                if named {
                    features.add(Kind::OrderNamed, one, 0);
                }
            }
        }
        before = token.class;
    }
}

fn of_signs(text: &str, here: &Here<'_>, features: &mut Features) {
    let (Some(first), Some(last)) = (here.part.first(), here.part.last()) else { return };
    let source = text.get(first.start as usize..last.end as usize).unwrap_or_default().as_bytes();
    let count = |is: &dyn Fn(&u8) -> bool| source.iter().filter(|byte| is(byte)).count();
    for (kind, sign) in [
        (Kind::Underscores, b'_'),
        (Kind::Brackets, b'('),
        (Kind::Slashes, b'/'),
        (Kind::Ats, b'@'),
    ] {
        features.add(kind, grade(count(&|byte| *byte == sign)), 0);
    }
    features.add(Kind::Digits, grade(count(&u8::is_ascii_digit)), 0);
    let capitals = count(&u8::is_ascii_uppercase) * 8 / source.len().max(1);
    features.add(Kind::Capitals, capitals as u32, 0);
    features.add(
        Kind::Ends,
        u32::from(text.get(last.end as usize..).is_some_and(|rest| rest.starts_with('?'))),
        0,
    );
}

/// The patterns in it.
fn of_patterns(
    tokens: &Tokens,
    whole: &Whole,
    here: &Here<'_>,
    features: &mut Features,
) -> Vec<Hit> {
    let mut found = Vec::new();
    hits(tokens, here.words.start, here.words.end, &whole.candidates, &mut found);
    for hit in &found {
        for step in 1..=u32::from(hit.weight) {
            features.add(Kind::Signal, hit.signal as u32, step);
        }
    }
    for place in whole.places_in(here.words) {
        place.features.numbers().for_each(|sign| features.add(Kind::Sign, sign as u32, 0));
    }
    found
}
