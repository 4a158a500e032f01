//! How far a word for `not` reaches in a clause: what it forbids, and what it only tells. Owns the words of fifteen languages by which a person
//! says that nobody needs to ask them.

use super::super::{
    act::{Acts, Role},
    lexicon::Lexicon,
    token::Token,
};

/// What of a clause a word for `not` is about.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// Where what is forbidden begins, and where it ends: `fix it without touching x`, `no jobs where commits can run at once`.
    from: usize,
    to: Option<usize>,
    /// The words by which it is said that nobody needs to ask.
    spared: Vec<usize>,
    /// Whether the person wants to be asked before: `ask me before you push`.
    pub(super) asks_before: bool,
    /// Whether what cannot be is meant by all that stands behind the word for that.
    is_modal: bool,
}

/// Reads a clause.
pub(super) fn of(plain: &str, tokens: &[Token<'_>], lexicon: &Lexicon) -> Reach {
    let role =
        |at: usize| tokens.get(at).map_or(Role::None, |token| lexicon.meaning(token.text).role);
    let before = asks_before(tokens, lexicon);
    if let Some(from) = before {
        return Reach { from, asks_before: true, ..Reach::default() };
    }
    let mut nots = (0..tokens.len()).filter(|at| role(*at) == Role::Not);
    let first = nots.next();
    let is_lone = first.is_some() && nots.next().is_none();
    let spared = spared(tokens, lexicon);
    let is_modal = plain.split_once(CANNOT).is_some_and(|(before, behind)| {
        !lexicon.within(before).any(|meaning| meaning.role == Role::Not)
            && !DONE.iter().any(|verb| behind.contains(verb))
    });
    let mut reach = Reach { spared, is_modal, ..Reach::default() };
    let Some(first) = first.filter(|at| is_lone && !reach.is_spared(*at)) else { return reach };
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text);
    // `nothing without approval`, `push without asking`: what stands before is what is held up.
    let asks = (first..tokens.len()).any(|at| role(at) == Role::Ask);
    let demands = (0..first).any(|at| matches!(role(at), Role::Anything | Role::Only));
    if word(first) == "without" && first > 0 && !asks && !demands {
        reach.from = first;
    }
    let act = (first + 1..tokens.len()).find(|at| {
        let meaning = lexicon.meaning(word(*at));
        !meaning.acts.without(Acts::READ).is_empty() || meaning.role == Role::Touch
    });
    if let Some(act) = act.filter(|_| !asks) {
        reach.to = (act + 1..tokens.len()).find(|at| SUBORDINATES.contains(&word(*at)));
    }
    reach
}

/// Where it is said before what the person wants to be asked, in a clause that begins with that: `please ask me first before you push`.
fn asks_before(tokens: &[Token<'_>], lexicon: &Lexicon) -> Option<usize> {
    let opens = |word: &str| {
        matches!(lexicon.meaning(word).role, Role::And | Role::Please) || word == "always"
    };
    let mut words = tokens.iter().enumerate().skip_while(|(_, token)| opens(token.text));
    let asks = words.next().is_some_and(|(_, token)| token.text == "ask");
    let whom = words.next().is_some_and(|(_, token)| matches!(token.text, "me" | "us" | "first"));
    let before = words.find(|(_, token)| token.text == "before");
    before.filter(|_| asks && whom).map(|(at, _)| at)
}

/// English words behind which it is said when or why, and no longer what is forbidden.
const SUBORDINATES: &[&str] = &["because", "when", "where", "which", "while"];

/// The Chinese word by which people say both that something must not be and that it cannot be: what stands before it is what it is said of.
const CANNOT: &str = "不能";

/// Verbs behind it that say only that what stands before is done: `删除操作不能执行`.
const DONE: &[&str] = &["执行", "进行", "做"];

impl Reach {
    /// Whether a word says what is forbidden.
    pub(super) fn holds(&self, at: usize) -> bool {
        at >= self.from && self.to.is_none_or(|to| at < to) && !self.is_behind_spared(at)
    }

    /// Whether a word stands before what is forbidden.
    pub(super) const fn is_before(&self, at: usize) -> bool {
        at < self.from
    }

    /// Whether a word is one of those that say that nobody needs to ask.
    pub(super) fn is_spared(&self, at: usize) -> bool {
        self.spared.contains(&at)
    }

    /// What somebody need not ask about is not ordered by that.
    fn is_behind_spared(&self, at: usize) -> bool {
        self.spared.first().is_some_and(|first| at >= *first)
    }

    /// The part of a word of a language without blanks that says what is forbidden.
    pub(super) fn behind_modal<'a>(&self, word: &'a str) -> &'a str {
        let at = word.find(CANNOT).filter(|_| self.is_modal);
        at.and_then(|at| word.get(at..)).unwrap_or(word)
    }
}

/// Whether an English `not` only reports: `not running`, `(not deleted from disk)`, or says what somebody does not want to happen to them:
/// `to make sure I don't accidentally delete it`.
pub(super) fn reports(tokens: &[Token<'_>], at: usize, lexicon: &Lexicon) -> bool {
    let word = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |it| it.text);
    let (this, next) = (word(Some(at)), word(Some(at + 1)));
    let is_touched = lexicon.meaning(next).role == Role::Touch;
    match this {
        "not" if at == 0 && !is_touched && next.len() > 4 && !GRANTED.contains(&next) => {
            next.ends_with("ed") || next.ends_with("ing") && tokens.len() == 2
        }
        "don't" | "dont" | "never" => {
            let who = word(at.checked_sub(1));
            ["i", "they", "users", "we"].contains(&who) && BY_ACCIDENT.contains(&next)
        }
        _ => false,
    }
}

/// English words by which something is forbidden: `not allowed to push`.
const GRANTED: &[&str] =
    &["allowed", "approved", "authorised", "authorized", "permitted", "supposed", "wanted"];

/// English words for what happens to people.
const BY_ACCIDENT: &[&str] =
    &["accidentally", "accidently", "inadvertently", "mistakenly", "unintentionally"];

/// The places of the words by which a person says that nobody needs to ask them.
fn spared(tokens: &[Token<'_>], lexicon: &Lexicon) -> Vec<usize> {
    let mut spared = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_english_not = ENGLISH_NOT.contains(&token.text);
        let ask = is_english_not
            .then(|| {
                let mut behind = tokens.iter().enumerate().skip(at + 1);
                behind.find(|(_, word)| !FILLERS.contains(&word.text))
            })
            .flatten()
            .filter(|(at, word)| ASK.contains(&word.text) && asks_person(tokens, at + 1));
        if let Some((to, _)) = ask {
            spared.extend(at..=to);
        }
        let behind = tokens.get(at..).unwrap_or_default();
        let phrase = UNASKED.iter().find(|phrase| {
            let mut words = behind.iter();
            phrase.split(' ').all(|wanted| words.next().is_some_and(|word| word.text == wanted))
        });
        if let Some(phrase) = phrase {
            spared.extend(at..at + phrase.split(' ').count());
        }
        if is_unasked_in_chinese(token.text, lexicon) {
            spared.push(at);
        }
    }
    spared
}

/// Whether it is the person who is asked, or nobody is named: `ask Ann to look at it` is a message.
fn asks_person(tokens: &[Token<'_>], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text);
    match word(at) {
        "" | "again" | "any" | "anything" | "before" | "first" | "if" | "me" | "permission"
        | "questions" | "us" | "whether" => true,
        "the" => matches!(word(at + 1), "human" | "person" | "user"),
        "for" => matches!(word(at + 1), "approval" | "confirmation" | "my" | "permission"),
        _ => false,
    }
}

/// English: `never have to ask me again`, `do not ask`. `don't push without asking` is about pushing, and `don't skip asking` wants it.
const ENGLISH_NOT: &[&str] = &["don't", "dont", "never", "not", "needn't", "stop"];
const FILLERS: &[&str] = &["bother", "ever", "even", "have", "need", "to", "you", "keep"];
const ASK: &[&str] = &["ask", "asking"];

/// The same in other languages that put blanks between words.
const UNASKED: &[&str] = &[
    "frag mich nicht",
    "frag nicht",
    "fragen sie nicht",
    "nicht mehr fragen",
    "nicht nachfragen",
    "nicht zu fragen",
    "keine ruckfragen",
    "keine nachfragen",
    "vraag me niet",
    "vraag niet",
    "niet vragen",
    "niet meer vragen",
    "ne me demande pas",
    "ne me demande plus",
    "ne me demandez pas",
    "ne me demandez plus",
    "ne demande pas",
    "ne demande plus",
    "ne plus me demander",
    "ne pas me demander",
    "no me preguntes",
    "no preguntes",
    "no me pidas confirmacion",
    "no pidas confirmacion",
    "nao me pergunte",
    "nao pergunte",
    "nao me peca confirmacao",
    "non chiedermi",
    "non chiedere",
    "non mi chiedere",
    "не спрашивай",
    "не спрашивайте",
    "не надо спрашивать",
    "не нужно спрашивать",
    "nie pytaj",
    "nie pytaj mnie",
    "bana sorma",
    "onay isteme",
    "لا تسألني",
    "لا تسأل",
    "मत पूछो",
    "मत पूछना",
    "मत पूछें",
    "묻지 마",
    "묻지 마세요",
    "묻지 말고",
    "물어보지 마",
    "물어보지 마세요",
    "물어보지 말고",
];

/// Whether a stretch of Chinese or Japanese says it: `不要再弹窗找我确认`, and not `不要不问我就删除`.
fn is_unasked_in_chinese(text: &str, lexicon: &Lexicon) -> bool {
    const NOT: &[&str] = &["不要", "不用", "不必", "无需", "不需要", "别", "勿"];
    const ASK: &[&str] = &["问我", "询问我", "找我确认", "要我确认", "让我确认", "向我确认"];
    const TURNS: &[&str] = &["不", "没", "未", "无", "先", "就", "跳过", "绕过", "省略", "忘"];
    let japanese = ["聞かないで", "質問しないで"].iter().find_map(|word| text.split_once(word));
    if let Some((before, behind)) = japanese {
        let forbids = |text: &str| lexicon.within(text).any(|it| it.role == Role::Not);
        return !forbids(before) && !forbids(behind);
    }
    NOT.iter().any(|not| {
        let Some((before, behind)) = text.split_once(not) else { return false };
        let asked = ASK.iter().filter_map(|ask| behind.split_once(ask)).min_by_key(|it| it.0.len());
        asked.is_some_and(|(between, rest)| {
            let is_act = lexicon.within(between).any(|it| !it.acts.without(Acts::READ).is_empty());
            let forbids = |text: &str| lexicon.within(text).any(|it| it.role == Role::Not);
            !is_act
                && !TURNS.iter().any(|turn| between.contains(turn))
                && !forbids(before)
                && !forbids(rest)
        })
    })
}
