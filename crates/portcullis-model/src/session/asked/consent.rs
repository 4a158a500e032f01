//! By which words a person lets go on what they held up, and what they hold up for now only. Owns those words in fifteen languages; what follows
//! for a limit, `limit` says.

use super::{
    super::{
        act::{Acts, Role},
        lexicon::{Lexicon, folded, is_joined},
        token,
    },
    terms::QUESTIONS,
};

/// What a prompt says to what was held up before.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Consent {
    /// Nothing.
    #[default]
    None,
    /// A word of assent before something else that is wanted or told: `ok, and add a line about it`.
    Aside,
    /// Assent and little more: `yes please`.
    Yes,
    /// That the work is to be done now: `go ahead`, `yes do it`.
    GoOn,
}

/// In how many words assent stands, of how many words a prompt has that says nothing else, and where the words begin by which work is to be done.
const ASSENT_IN: usize = 3;
const SHORT: usize = 4;
const GO_ON_IN: usize = 5;

/// What a person's own words say to what they held up.
pub(super) fn of(own: &str, lexicon: &Lexicon) -> Consent {
    let mut consent = Consent::None;
    // What is so only where something else is lets nothing go yet.
    let first = folded(own);
    let first = token::tokens(&first).next().map(|word| word.text);
    if first.is_some_and(|word| matches!(word, "if" | "once" | "unless" | "when")) {
        return Consent::None;
    }
    for clause in token::clauses(own) {
        if goes_on(clause, lexicon) {
            return Consent::GoOn;
        }
    }
    let plain = folded(own);
    let words: Vec<&str> = token::tokens(&plain).map(|word| word.text).collect();
    let refuses = token::clauses(own).next().is_some_and(|clause| refuses(clause, lexicon));
    let goes = |at: usize| {
        // `go through it again` lets nothing go.
        words.get(at).is_some_and(|word| *word == "go")
            && !words.get(at + 1).is_none_or(|next| matches!(*next, "ahead" | "for" | "on"))
    };
    let is_assent = |(at, word): (usize, &&str)| ASSENT.contains(word) && !goes(at);
    let asks = plain.contains(['?', '？']);
    if !refuses && !asks && words.iter().enumerate().take(ASSENT_IN).any(is_assent) {
        consent = if words.len() <= SHORT { Consent::Yes } else { Consent::Aside };
    }
    consent
}

/// Whether a part of a sentence says that the work is to be done now.
fn goes_on(clause: &str, lexicon: &Lexicon) -> bool {
    let plain = folded(clause);
    let words: Vec<&str> = token::tokens(&plain).map(|word| word.text).collect();
    let leads = |word: &&str| {
        matches!(lexicon.meaning(word).role, Role::And | Role::Please) || ASSENT.contains(word)
    };
    let first = words.iter().find(|word| !leads(word)).copied().unwrap_or_default();
    let is_condition = QUESTIONS.contains(&first) || CONDITIONS.contains(&first);
    if is_condition || refuses(clause, lexicon) {
        return false;
    }
    let starts = |phrase: &str| {
        (0..words.len().min(GO_ON_IN)).any(|at| {
            let mut behind = words.iter().skip(at);
            phrase.split(' ').all(|wanted| behind.next().is_some_and(|word| *word == wanted))
        })
    };
    GO_ON.iter().any(|phrase| starts(phrase))
        || plain.chars().any(is_joined) && GO_ON_JOINED.iter().any(|word| plain.contains(word))
}

/// Whether a part of a sentence has a word in it that forbids, or that holds to something.
fn refuses(clause: &str, lexicon: &Lexicon) -> bool {
    let plain = folded(clause);
    let is_held = |role: Role| matches!(role, Role::Not | Role::Only | Role::Ask);
    token::tokens(&plain).any(|word| {
        is_held(lexicon.meaning(word.text).role)
            || word.text.chars().any(is_joined)
                && lexicon.within(word.text).any(|meaning| is_held(meaning.role))
    })
}

/// Whether a part of a sentence says that what it forbids is so for now only.
pub(super) fn is_for_now(clause: &str) -> bool {
    let plain = format!(" {} ", folded(clause));
    let words: Vec<&str> = token::tokens(&plain).map(|word| word.text).collect();
    let spaced = format!(" {} ", words.join(" "));
    FOR_NOW.iter().any(|phrase| spaced.contains(&format!(" {phrase} ")))
        || plain.chars().any(is_joined) && FOR_NOW_JOINED.iter().any(|word| plain.contains(word))
}

/// Whether a language without blanks orders work with a word: `开始修改吧`.
pub(super) fn orders_work_joined(word: &str, lexicon: &Lexicon) -> bool {
    word.chars().any(is_joined)
        && lexicon.within(word).any(|it| it.acts.meet(Acts::CHANGE))
        && !lexicon.within(word).any(|it| it.role == Role::Not || it.acts.meet(Acts::READ))
}

/// Words of assent, where they stand at the beginning.
pub(super) static ASSENT: &[&str] = &[
    "ahead",
    "approved",
    "continue",
    "go",
    "implement",
    "lgtm",
    "ok",
    "okay",
    "proceed",
    "sure",
    "yep",
    "yes",
    "yup",
    "adelante",
    "continua",
    "да",
    "ja",
    "oui",
    "si",
    "sim",
    "tak",
    "evet",
    "vai",
    "weiter",
    "хорошо",
    "好",
    "好的",
    "可以",
];

/// What says that the work is to be done now.
static GO_ON: &[&str] = &[
    "go ahead",
    "go for it",
    "do it",
    "do that",
    "do this",
    "do so",
    "proceed",
    "make it so",
    "make the change",
    "make the changes",
    "make those changes",
    "make these changes",
    "start implementing",
    "start coding",
    "mach das",
    "mach es",
    "mach mal",
    "mach's",
    "leg los",
    "los geht's",
    "setz es um",
    "setze es um",
    "kannst loslegen",
    "ga je gang",
    "doe het",
    "adelante",
    "hazlo",
    "aplicalo",
    "procede",
    "dale",
    "vas-y",
    "allez-y",
    "fais-le",
    "faites-le",
    "va em frente",
    "pode fazer",
    "procedi",
    "vai avanti",
    "fallo",
    "давай",
    "делай",
    "делайте",
    "приступай",
    "приступайте",
    "начинай",
    "применяй",
    "zrob to",
    "dzialaj",
    "devam et",
];

static GO_ON_JOINED: &[&str] = &[
    "开始吧",
    "开始修改",
    "继续吧",
    "动手吧",
    "执行吧",
    "可以改",
    "改吧",
    "做吧",
    "進めて",
    "やって",
    "진행해",
];

/// English words that say under which condition, or when.
static CONDITIONS: &[&str] =
    &["after", "before", "if", "once", "should", "unless", "until", "when", "whenever", "will"];

/// What says that something is so for now only.
static FOR_NOW: &[&str] = &[
    "yet",
    "for now",
    "for the moment",
    "until i",
    "noch nicht",
    "noch nichts",
    "noch keine",
    "noch kein",
    "vorerst",
    "erstmal",
    "nog niet",
    "nog niets",
    "voorlopig",
    "por ahora",
    "de momento",
    "todavia",
    "pour l'instant",
    "pour le moment",
    "pas encore",
    "per ora",
    "per adesso",
    "por enquanto",
    "ainda",
    "пока",
    "na razie",
    "jeszcze",
    "simdilik",
    "henuz",
];

static FOR_NOW_JOINED: &[&str] =
    &["暂时", "先不", "先别", "目前", "まだ", "とりあえず", "아직", "일단"];

/// Words behind which something else is said, and those before them that make an exception of it: `delete nothing but the logs`.
static BUTS: &[&str] = &[
    "but", "however", "aber", "jedoch", "mais", "pero", "ma", "maar", "mas", "но", "ale", "ama",
    "fakat",
];
static EXCEPTIONS: &[&str] = &[
    "all",
    "any",
    "anything",
    "each",
    "every",
    "everything",
    "no",
    "none",
    "nothing",
    "alles",
    "nichts",
    "rien",
    "tout",
    "nada",
    "todo",
    "niente",
    "niets",
    "ничего",
];
const JOINED_BUTS: &[&str] = &["但是", "但", "不过"];

/// The parts of a clause before and behind a `but`, or an `and don't`: what one of them forbids, the other does not.
pub(super) fn parts<'a>(clause: &'a str, lexicon: &Lexicon) -> Vec<&'a str> {
    let words: Vec<(token::Token<'a>, String)> =
        token::tokens(clause).map(|word| (word, folded(word.text))).collect();
    let plain = |at: usize| words.get(at).map_or("", |(_, plain)| plain.as_str());
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, (word, this)) in words.iter().enumerate().skip(1) {
        let before = plain(at - 1);
        let next = match plain(at + 1) {
            "please" => plain(at + 2),
            next => next,
        };
        let is_but = BUTS.contains(&this.as_str()) && !EXCEPTIONS.contains(&before);
        let is_and = this == "and"
            && (matches!(next, "don't" | "dont" | "never")
                || next == "nothing" && plain(at + 2) == "else"
                || next == "do" && lexicon.meaning(plain(at + 2)).role == Role::Not);
        if (is_but || is_and)
            && let Some(part) = clause.get(from..word.start)
            && token::tokens(part).next().is_some()
        {
            parts.push(part);
            from = word.start + word.text.len();
        }
    }
    let rest = clause.get(from..).unwrap_or_default();
    let joined = rest
        .chars()
        .any(is_joined)
        .then(|| JOINED_BUTS.iter().find_map(|but| rest.split_once(but)))
        .flatten();
    match joined {
        Some((before, behind)) if !before.trim().is_empty() => parts.extend([before, behind]),
        _ => parts.push(rest),
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_says_that_it_goes_on_lets_it_go_on() {
        let lexicon = Lexicon::shared();
        for text in [
            "yes do it",
            "ok, go ahead",
            "Looks good. Please go ahead and merge the two functions.",
            "Ok, mach das jetzt.",
            "Adelante, aplica el arreglo.",
            "好的，开始修改吧",
            "Давай, исправляй",
        ] {
            assert_eq!(of(text, lexicon), Consent::GoOn, "{text}");
        }
        for text in ["yes", "ok!", "Yes please"] {
            assert_eq!(of(text, lexicon), Consent::Yes, "{text}");
        }
        for text in ["ok, add a line too", "yes, and the header is wrong as well"] {
            assert_eq!(of(text, lexicon), Consent::Aside, "{text}");
        }
        for text in [
            "Don't go ahead.",
            "Please don't proceed.",
            "How would you do it?",
            "If it is green, somebody will proceed.",
            "Why does it do that?",
            "yes, but why is it so?",
            "ok, and how would you do it?",
            "Go through the logs again",
            "No, do not do it.",
            "2",
        ] {
            assert_eq!(of(text, lexicon), Consent::None, "{text}");
        }
    }

    #[test]
    fn what_stands_behind_a_but_is_said_by_itself() {
        let lexicon = Lexicon::shared();
        assert_eq!(parts("Commit this but don't push", lexicon), ["Commit this ", " don't push"]);
        assert_eq!(parts("run it and don't stop", lexicon).len(), 2);
        assert_eq!(parts("提交但不要推送", lexicon), ["提交", "不要推送"]);
        assert_eq!(parts("delete nothing but the logs", lexicon).len(), 1);
        assert_eq!(parts("don't push and merge", lexicon).len(), 1);
        assert_eq!(parts("but do it", lexicon).len(), 1);
    }
}
