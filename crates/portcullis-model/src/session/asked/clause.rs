//! One clause of what a person asked: what it wants done, what it forbids, and what it only tells. Owns the words for that.

use super::{
    super::{
        act::{Acts, Role},
        digest::Mark,
        lexicon::{Lexicon, folded, is_joined},
        token,
    },
    consent::{self, ASSENT},
    reach,
    terms::*,
};

/// What one part of a sentence says.
#[derive(Debug, Default)]
pub(super) struct Clause {
    pub(super) acts: Acts,
    pub(super) words: Vec<u64>,
    pub(super) things: Vec<u64>,
    pub(super) anything: bool,
    pub(super) forbids: bool,
    pub(super) touches: bool,
    pub(super) asks: bool,
    pub(super) only: bool,
    pub(super) reads_only: bool,
    /// Whether nothing but looking is wanted for now.
    pub(super) looks_only: bool,
    /// How many things it names by their number.
    pub(super) count: Option<u32>,
    /// Whether what it asks for is all that is to be done.
    pub(super) does_only: bool,
    pub(super) is_for_now: bool,
    /// Whether it simply asks for something.
    pub(super) is_plain: bool,
    /// Whether it begins with an order that changes or runs something: `now fix it`.
    pub(super) orders_work: bool,
    /// Whether it forbids changes as such, and says neither of what nor which.
    pub(super) changes: bool,
    /// What it forbids something to be done to, by the last word of each: `the shape of the icons` is a shape.
    pub(super) objects: Vec<u64>,
    /// Whether it forbids new packages.
    pub(super) packages: bool,
    /// Whether it means everything beside what is asked for: `change nothing else`.
    pub(super) beyond: bool,
}

impl Clause {
    pub(super) fn read(clause: &str, lexicon: &Lexicon) -> Self {
        let is_for_now = consent::is_for_now(clause);
        let mut read = Self { is_plain: true, is_for_now, ..Self::default() };
        let mut before = Role::And;
        let mut forgets = false;
        let plain = folded(clause);
        let tokens: Vec<_> = token::tokens(&plain).collect();
        let is_question = asks_what_is(&tokens, lexicon);
        let reach = reach::of(&plain, &tokens, lexicon);
        for (at, token) in tokens.iter().enumerate() {
            let word = token.text;
            let beside =
                |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |other| other.text);
            // `the report`, `my latest note`: a thing, and nothing that is asked for.
            // A word that is written with a hyphen is no name: `force-push it`.
            let is_name = token.is_name() && lexicon.meaning(word).acts.is_empty();
            let is_noun = NOUN_FOLLOWS.contains(&beside(at.checked_sub(1))) || is_name;
            let for_oneself = matches!(beside(Some(at + 1)), "me" | "us");
            if is_name && word != "read-only" && !reach.is_before(at) {
                read.things.push(Mark::of(word.trim_matches('/')).0);
            }
            if word == "read-only" || word == "readonly" {
                // `read-only commands`: a word for a thing.
                let next = beside(Some(at + 1));
                read.reads_only |= next.is_empty() || READ_ONLY_ENDS.contains(&next);
            }
            let is_meant = reach.holds(at);
            if !is_question && is_meant {
                read.acts = read.acts.and(lexicon.together(tokens.get(at..).unwrap_or_default()));
            }
            let joined = if word.chars().any(is_joined) {
                lexicon.within(reach.behind_modal(word)).collect()
            } else {
                Vec::new()
            };
            for meaning in std::iter::once(lexicon.meaning(word)).chain(joined) {
                match meaning.role {
                    // Nobody needs to ask: that forbids nothing.
                    Role::Not | Role::Ask if reach.is_spared(at) => {}
                    Role::Touch | Role::Anything if !is_meant => {}
                    // `les demandes qui ne dépassent pas 5 jours`: which ones.
                    Role::Not if is_said_of_them(&tokens, at) => {}
                    Role::Not if negates(word, before) => {
                        let acts = lexicon.meaning(beside(Some(at + 1))).acts;
                        let (last, next) = (beside(at.checked_sub(1)), beside(Some(at + 1)));
                        let goes_on =
                            next == "stop" && !NOUN_FOLLOWS.contains(&beside(Some(at + 2)));
                        let is_told =
                            goes_on || acts.without(COMMON).is_empty() && is_said_of(&tokens, at);
                        let is_report = reach::reports(&tokens, at, lexicon);
                        read.forbids |= !tells(word, last, next, acts) && !is_told && !is_report;
                    }
                    Role::Forget => forgets = true,
                    Role::Touch => read.touches = true,
                    Role::Ask => read.asks = true,
                    Role::Only => read.only = true,
                    Role::Anything => {
                        read.anything = true;
                        read.forbids |= NOTHING.contains(&word);
                    }
                    _ => {}
                }
                let is_own = at > 0 && WHO_DOES.contains(&beside(at.checked_sub(1)));
                let is_told = matches!(before, Role::And | Role::Please) && at > 0;
                let acts = if !is_meant {
                    Acts::NONE
                } else if is_noun {
                    meaning.acts.only(Acts::ADMINISTER)
                } else if for_oneself || is_own || is_question && !is_told {
                    Acts::READ
                } else {
                    meaning.acts
                };
                read.acts = read.acts.and(acts);
                if acts.meet(COMMON) {
                    read.words.push(stem(word));
                }
                if meaning.role != Role::None || !meaning.acts.is_empty() {
                    before = meaning.role;
                } else {
                    before = Role::None;
                }
            }
        }
        if read.forbids && forgets {
            read.forbids = false;
        }
        if reach.asks_before {
            (read.forbids, read.asks) = (true, true);
        }
        read.asks &= read.forbids;
        read.orders_work = !is_question && orders_work(&tokens, lexicon);
        if read.forbids {
            read.means(&tokens, lexicon);
            let elsewhere = |word: &str| BEYOND_ELSEWHERE.contains(&word);
            let is_more = tokens.windows(2).any(|pair| {
                matches!(pair, [first, last] if matches!((first.text, last.text), ("nada", "mas") | ("больше", "ничего")))
            });
            read.beyond |= is_more
                || tokens.iter().any(|it| elsewhere(it.text))
                || plain.chars().any(is_joined)
                    && BEYOND_JOINED.iter().any(|it| plain.contains(it));
        }
        read.nothing_else(&tokens, lexicon);
        if read.forbids && read.beyond && read.acts.is_empty() {
            read.touches = true;
        }
        read.only = read.only && read.only_binds(&tokens, lexicon);
        read.leaves(&tokens, lexicon);
        read.keeps_to_it(&tokens);
        read.count = tokens.iter().take(COUNT_IN).find_map(|it| count_of(it.text));
        read
    }
}

impl Clause {
    /// What is forbidden to be done to something, in English: what stands behind the word for `not` and its verb.
    fn means(&mut self, tokens: &[token::Token<'_>], lexicon: &Lexicon) {
        let is_not = |word: &str| lexicon.meaning(word).role == Role::Not;
        let mut last = None;
        let mut is_general = false;
        let mut has_verb = false;
        let mut is_behind = false;
        let mut is_named = false;
        let behind = tokens.iter().skip_while(|it| !is_not(it.text)).take(OBJECTS_IN);
        for word in behind.map(|it| it.text) {
            let meaning = lexicon.meaning(word);
            self.beyond |= BEYOND.contains(&word);
            self.packages |= PACKAGES.contains(&word);
            if meaning.role == Role::Anything {
                // `anything for the header`: what follows says which.
                (is_general, last, has_verb) = (true, None, true);
            } else if has_verb && FOLLOWS_OBJECT.contains(&word) || matches!(word, "and" | "or") {
                let starts_over = is_general && last.is_none() && SAYS_WHERE.contains(&word);
                self.objects.extend(last.take());
                is_behind |= !matches!(word, "and" | "or") && !starts_over;
                if is_behind {
                    break;
                }
                is_general &= !starts_over;
            } else if meaning.role == Role::None || meaning.role == Role::Touch {
                let is_verb = meaning.role == Role::Touch || !meaning.acts.is_empty();
                if is_verb && !has_verb {
                    has_verb = true;
                } else if has_verb && !NOUN_FOLLOWS.contains(&word) && !BEYOND.contains(&word) {
                    is_named |= !GENERAL.contains(&word);
                    if GENERAL.contains(&word) {
                        (is_general, last) = (last.is_none() || is_general, last);
                    } else if word.len() > 2 && word.chars().all(char::is_alphanumeric) {
                        (is_general, last) = (false, Some(stem(word)));
                    }
                }
            }
        }
        self.objects.extend(last);
        if is_general {
            self.objects.clear();
        }
        let joined = tokens.iter().map(|it| it.text).filter(|word| word.chars().any(is_joined));
        let is_named = is_named || joined.clone().any(names_more);
        let has_verb = has_verb || joined.clone().next().is_some();
        let is_change = self.acts.meet(Acts::CHANGE) && !self.acts.meet(Acts::RUN);
        self.changes = is_change && has_verb && !is_named && self.objects.is_empty();
    }

    /// `nothing else, please`: a clause that says no more than that.
    fn nothing_else(&mut self, tokens: &[token::Token<'_>], lexicon: &Lexicon) {
        let is_filler = |word: &str| {
            matches!(lexicon.meaning(word).role, Role::And | Role::Please) || word == "just"
        };
        let mut words = tokens.iter().map(|it| it.text).filter(|word| !is_filler(word));
        if words.next() == Some("nothing") && words.next() == Some("else") && words.next().is_none()
        {
            (self.forbids, self.beyond) = (true, true);
        }
    }

    /// Whether the word for `only` says to what something is to be done: it stands beside the verb, or before where or what.
    fn only_binds(&self, tokens: &[token::Token<'_>], lexicon: &Lexicon) -> bool {
        let word = |at: usize| tokens.get(at).map_or("", |it| it.text);
        let is_verb = |word: &str| {
            let meaning = lexicon.meaning(word);
            meaning.role == Role::Touch || !meaning.acts.without(Acts::READ).is_empty()
        };
        tokens.iter().enumerate().any(|(at, it)| {
            let is_only = lexicon.meaning(it.text).role == Role::Only
                || it.text.chars().any(is_joined)
                    && lexicon.within(it.text).any(|it| it.role == Role::Only);
            let next = tokens.get(at + 1);
            let leads =
                || BEFORE_ONLY.contains(&word(at + 1)) || next.is_some_and(|it| it.is_name());
            is_only
                && (is_verb(word(at + 1))
                    || at > 0 && is_verb(word(at - 1))
                    || self.forbids
                    || leads())
        })
    }

    /// `leave the release branches alone`: what stands between is not to be touched.
    fn leaves(&mut self, tokens: &[token::Token<'_>], lexicon: &Lexicon) {
        let mut words = tokens.iter().map(|it| it.text);
        let first = words.by_ref().find(|word| lexicon.meaning(word).role != Role::And);
        let left: Vec<&str> = words.take_while(|word| *word != "alone").collect();
        if first != Some("leave")
            || left.len() > LEFT
            || tokens.last().is_none_or(|it| it.text != "alone")
        {
            return;
        }
        let is_rest = left.iter().any(|word| BEYOND.contains(word));
        self.beyond |= is_rest;
        let meant = left.iter().filter(|word| !NOUN_FOLLOWS.contains(word) && word.len() > 2);
        let meant = meant.filter(|_| !is_rest);
        self.things.extend(meant.map(|word| Mark::of(word).0));
        (self.forbids, self.touches) = (true, true);
    }

    /// `just tell me`, `comment only`: a short clause that leaves room for nothing else.
    fn keeps_to_it(&mut self, tokens: &[token::Token<'_>]) {
        let is = |at: Option<&token::Token<'_>>| at.is_some_and(|it| KEEPS.contains(&it.text));
        let (first, last) = (is(tokens.first()), is(tokens.last()));
        if self.forbids || tokens.len() > KEEPS_IN || !first && !last {
            return;
        }
        let acts = self.acts.without(Acts::READ);
        if acts.is_empty() {
            self.looks_only |= first && self.acts == Acts::READ && self.things.is_empty();
        } else if last && self.things.is_empty() {
            self.does_only = true;
        }
    }
}

/// Where a number stands that says how many are meant, and the words for it. `one` says so too, and no article does.
const COUNT_IN: usize = 6;

fn count_of(word: &str) -> Option<u32> {
    Some(match word {
        "one" | "einen" | "single" => 1,
        "two" | "both" | "zwei" | "beide" | "beiden" | "deux" | "dos" => 2,
        "three" | "drei" | "trois" | "tres" => 3,
        "four" | "vier" | "quatre" | "cuatro" => 4,
        "five" | "funf" | "cinq" | "cinco" => 5,
        _ => return None,
    })
}

/// In how many words behind the one for `not` it is said what is meant.
const OBJECTS_IN: usize = 24;

/// Whether Chinese or Japanese words say more than that nothing is to be changed: `不要修改数据库`.
fn names_more(word: &str) -> bool {
    let mut rest = word.to_owned();
    for known in NAMES_NOTHING {
        rest = rest.replace(known, "");
    }
    rest.chars().count() > 1
}

/// How many words say what is left alone.
const LEFT: usize = 5;

const KEEPS_IN: usize = 4;

/// Whether a negation says which ones are meant: nearly next to the word that begins that, `qui ne dépassent pas`.
fn is_said_of_them(tokens: &[token::Token<'_>], at: usize) -> bool {
    /// How many words may stand between.
    const NEAR: usize = 2;
    let from = at.saturating_sub(NEAR);
    let mut words = tokens.iter().skip(from).take(at - from);
    words.any(|word| matches!(word.text, "qui" | "dont"))
}

/// Whether the first word that says anything tells somebody to change or run something, and not for a person to read.
fn orders_work(tokens: &[token::Token<'_>], lexicon: &Lexicon) -> bool {
    const WORK: Acts = Acts::CHANGE.and(Acts::RUN);
    let is_before = |word: &str| {
        matches!(lexicon.meaning(word).role, Role::And | Role::Please | Role::Demand)
            || ASSENT.contains(&word) && !lexicon.meaning(word).acts.meet(Acts::CHANGE)
            || POLITE.contains(&word)
    };
    // `make sure that …`, and `make it faster`.
    let makes = |at: usize, word: &str| {
        word == "make" && tokens.get(at + 1).is_some_and(|next| next.text != "sure")
    };
    let words = tokens.iter().map(|it| it.text).enumerate();
    let mut words =
        words.skip_while(|(at, word)| is_before(word) && !makes(*at, word)).map(|(_, word)| word);
    let first = words.next();
    if first.is_some_and(|word| consent::orders_work_joined(word, lexicon)) {
        return true;
    }
    let first = first.map(|word| lexicon.meaning(word)).unwrap_or_default();
    first.acts.meet(WORK)
        && !first.acts.meet(Acts::READ)
        && !words.next().is_some_and(|next| matches!(next, "me" | "us"))
}

/// Whether an English clause begins with what does not do something: `the pods do not install`.
fn is_said_of(tokens: &[token::Token<'_>], at: usize) -> bool {
    /// How many words the thing may have.
    const WORDS: std::ops::RangeInclusive<usize> = 2..=4;
    let before = tokens.get(..at).unwrap_or_default();
    let before = match before {
        [rest @ .., last] if matches!(last.text, "do" | "does") => rest,
        all => all,
    };
    let articles = ["all", "my", "our", "the", "their", "these", "those"];
    WORDS.contains(&before.len())
        && before.first().is_some_and(|first| articles.contains(&first.text))
        && !before.iter().any(|word| FOLLOWS_OBJECT.contains(&word.text))
}

/// Whether somebody asks what is or was so, and for nothing to be done: `what did Ann write in the channel`.
fn asks_what_is(tokens: &[token::Token<'_>], lexicon: &Lexicon) -> bool {
    let mut words = tokens.iter().map(|token| token.text);
    let first = words.by_ref().find(|word| lexicon.meaning(word).role != Role::And);
    first.is_some_and(|word| QUESTIONS.contains(&word)) && words.next() != Some("about")
}

/// Whether an English word for `not` only tells what is so: `they don't need it`, `or not`, `not sure`, `we don't generate any`. `acts` are those of
/// the word behind it.
fn tells(word: &str, last: &str, next: &str, acts: Acts) -> bool {
    let is_common = !acts.is_empty() && acts.without(COMMON).without(Acts::READ).is_empty();
    match word {
        "don't" | "dont" => STATES.contains(&next) || WHO.contains(&last) && is_common,
        "not" => {
            SAYS_SO.contains(&last)
                || ["certain", "clear", "just", "necessarily", "only", "sure"].contains(&next)
        }
        _ => false,
    }
}

/// Acts that are too common to be forbidden as such: `do not run the migration` says nothing of the tests.
pub(super) const COMMON: Acts = Acts::CHANGE.and(Acts::RUN).and(Acts::COMMIT).and(Acts::SEND);

/// The mark of a word without what English puts behind it.
pub(super) fn stem(word: &str) -> u64 {
    let word = folded(word);
    let ends = ["ing", "ed", "es", "s", "e"];
    let bare = ends.iter().find_map(|end| word.strip_suffix(end).filter(|bare| bare.len() > 2));
    let bare = bare.unwrap_or(&word);
    // `running`, `committing`
    let doubled = bare
        .chars()
        .next_back()
        .filter(|last| bare.len() > 3 && bare.ends_with(&format!("{last}{last}")));
    Mark::of(doubled.map_or(bare, |last| bare.strip_suffix(last).unwrap_or(bare))).0
}

/// Whether a word that says `not` forbids: of the English ones, those that stand where somebody is told something.
fn negates(word: &str, before: Role) -> bool {
    match word {
        "not" | "no" | "neither" | "nor" | "cannot" => {
            matches!(before, Role::Demand | Role::And | Role::Please)
        }
        _ => true,
    }
}
