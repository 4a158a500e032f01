//! A call beside what its session knows: what speaks against it, and whether the person asked for just this. Owns the comparison; how bad a
//! concern is, `rules::session` says.

use super::{
    SessionState,
    act::Acts,
    asked::Broken,
    doing::{Doing, Part},
    heard::Weight,
    lexicon::acts_of_name,
    token,
};

/// What speaks against a call.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Concern {
    /// A value of it stood in a sentence that told somebody to do something.
    Value {
        /// The value.
        value: String,
        /// Where it came from.
        from: String,
    },
    /// What it does was demanded, and not by the person.
    Demanded {
        /// Where.
        from: String,
    },
    /// Something told an agent what to do, and this is more than looking.
    Planted {
        /// Where.
        from: String,
    },
    /// Something came near to telling an agent what to do, and this cannot be undone, reaches others or changes what somebody may do.
    Near {
        /// Where.
        from: String,
    },
    /// It breaks a limit that the person set.
    Limit(Broken),
    /// It is done to something beside what the person spoke of.
    Beside {
        /// What it is called.
        value: String,
    },
    /// It is done to more than the person wants.
    More {
        /// How many they want.
        most: usize,
    },
    /// It is far more than the person said.
    Amount,
    /// Nobody asked for it.
    Unasked,
}

impl SessionState {
    /// What speaks against a call of a tool.
    #[must_use]
    pub fn concerns(&self, doing: &Doing<'_>) -> Vec<Concern> {
        let mut concerns = Vec::new();
        let things =
            doing.given.iter().filter(|given| matches!(given.part, Part::Recipient | Part::Thing));
        let things = things.map(|given| given.text);
        let others = doing.given.iter().filter(|given| given.part == Part::Other);
        let others = others.map(|given| given.text);
        let broken = self.asked.broken(doing, things);
        if let Some(broken) = broken.or_else(|| self.asked.leaves_alone(doing.acts, others)) {
            concerns.push(Concern::Limit(broken));
        }
        if !doing.acts.meet(Acts::EFFECTFUL) && !doing.acts.is_empty() {
            return concerns;
        }
        if let Some((value, from)) = self.foreign_value(doing) {
            concerns.push(Concern::Value { value, from });
        }
        let is_asked = self.is_asked(doing);
        let reaches =
            doing.given.iter().any(|given| given.part == Part::Recipient && !given.text.is_empty());
        let is_grave = doing.acts.meet(Acts::GRAVE);
        let is_kept = is_grave && !doing.is_mild;
        let is_outward = is_grave || reaches && doing.acts.meet(Acts::CHANGE);
        let is_verb_asked =
            self.asked.acts().meet(doing.acts.and(doing.named)) || self.is_on_the_way(doing);
        let is_verb_asked = is_verb_asked || self.is_delegated(doing);
        let is_meant = if is_outward { is_asked } else { is_verb_asked };
        let acts = doing.acts.without(Acts::READ);
        let demanded = if doing.is_command && acts == Acts::RUN {
            // That something is to be run says nothing of what: only where this was named it is what was told.
            self.heard.demands_act(Acts::NONE, doing.given.iter().map(|given| given.text))
        } else if doing.is_command && self.heard.planted().is_none() {
            // What guides, logs and pages want pushed, deleted or set is theirs, unless it is called the same.
            let given = doing.given.iter().map(|given| given.text);
            self.heard.demands_of(acts, doing.words.iter().map(String::as_str).chain(given))
        } else if acts.without(Acts::CHANGE).is_empty() {
            // Everybody wants something changed: only where it is about the same it is what was told.
            let things = doing.words.iter().map(String::as_str);
            let things = things.filter(|word| acts_of_name(std::iter::once(*word)).is_empty());
            self.heard.demands_act(Acts::NONE, things)
        } else {
            self.heard.demands_act(acts, doing.words.iter().map(String::as_str))
        };
        let is_step = (doing.is_step || doing.has_path && doing.is_mild)
            && !self.heard.names(doing.given.iter().map(|given| given.text));
        let is_check = doing.is_command && doing.is_mild && acts == Acts::RUN;
        let is_of_the_work = is_meant || is_step || is_check || is_remade(doing);
        if let Some(from) = demanded.filter(|_| !is_of_the_work) {
            concerns.push(Concern::Demanded { from: from.to_owned() });
        }
        let planted =
            self.heard.planted().or_else(|| self.is_lost.then_some("what is no longer known"));
        let is_step =
            is_step && !self.is_lost && !self.heard.demanded().meet(acts.only(Acts::COMMIT));
        if let Some(from) = planted.filter(|_| !is_step)
            && (if is_outward || doing.acts.meet(Acts::RUN) { !is_asked } else { !is_verb_asked })
        {
            concerns.push(Concern::Planted { from: from.to_owned() });
        } else if let Some(from) =
            self.heard.near(doing.acts).filter(|_| is_kept && !is_asked && !is_step)
        {
            concerns.push(Concern::Near { from: from.to_owned() });
        }
        concerns.extend(self.beside(doing));
        if doing.acts.meet(Acts::PAY) {
            let mut amounts = doing.given.iter().filter_map(|given| match given.part {
                Part::Amount => token::amount(given.text),
                Part::Cents => token::amount(given.text).map(|amount| amount / 100),
                _ => None,
            });
            if amounts.any(|amount| self.asked.exceeds(amount)) {
                concerns.push(Concern::Amount);
            }
        }
        if self.asked.prompts() > 0 && is_kept && !is_asked {
            concerns.push(Concern::Unasked);
        }
        concerns
    }

    /// Whether the person asked for this act, on this: every password in it is theirs, and nothing in it was somebody else's to say. What an
    /// answer shows as data neither helps nor harms, or an answer could loosen something.
    #[must_use]
    pub fn is_asked(&self, doing: &Doing<'_>) -> bool {
        let is_delegated = self.is_delegated(doing);
        (is_delegated || self.is_act_asked(doing) || self.is_for_a_case(doing))
            && doing.given.iter().all(|given| match given.part {
                Part::Recipient | Part::Thing => {
                    self.asked.said(given.text)
                        || self.heard.demands_value(given.text).is_none()
                        || is_delegated && self.is_delegated_value(given.part, given.text)
                }
                Part::Secret => given.text.is_empty() || self.asked.said(given.text),
                Part::Amount | Part::Cents | Part::Text | Part::Other => true,
            })
    }

    /// Whether the person asked for the act. `update_payee` moves money or rights by a word for any change: whoever asked for some change asked for that
    /// one only where they spoke of what it is about.
    fn is_act_asked(&self, doing: &Doing<'_>) -> bool {
        let asked = self.asked.acts();
        let named = doing.named.without(Acts::READ);
        if asked.meet(doing.acts.without(Acts::READ)) || asked.meet(named.only(Acts::GRAVE)) {
            return true;
        }
        let is_grave = doing.acts.meet(Acts::GRAVE);
        let is_spoken_of = || {
            let mut things = doing.words.iter().filter(|word| {
                word.len() > 3 && acts_of_name(std::iter::once(word.as_str())).is_empty()
            });
            // The verb itself, where it is none of those that say only that something is changed.
            let mut verbs = doing.words.iter().filter(|word| !LIGHT.contains(&word.as_str()));
            let of_money = ["bill", "invoice", "order", "payment", "rent", "salary", "transfer"];
            things.any(|word| self.asked.said_word(word))
                || verbs.any(|word| self.asked.said_word(word))
                || doing.acts.meet(Acts::PAY)
                    && of_money.iter().any(|word| self.asked.said_word(word))
        };
        // Whoever puts something into a calendar invites those who are to be there.
        let gathers = ["appointment", "calendar", "event", "meeting"];
        let is_gathering = doing.acts == Acts::SEND
            && doing.words.iter().any(|word| gathers.contains(&word.as_str()));
        asked.meet(named) && (!is_grave || is_gathering || is_spoken_of())
    }

    /// Whether this is a message to somebody whom the person named by a number, and whom they want helped.
    fn is_for_a_case(&self, doing: &Doing<'_>) -> bool {
        let mut reached = doing
            .given
            .iter()
            .filter(|given| given.part == Part::Recipient && !given.text.is_empty())
            .peekable();
        doing.acts.without(Acts::READ) == Acts::SEND
            && self.asked.acts().meet(Acts::CHANGE)
            && reached.peek().is_some()
            && reached.all(|given| self.directory.lists_case(given.text))
    }

    /// Whether a change is what somebody does on the way to what the person asked for: a cart is filled to buy, a draft written to send.
    fn is_on_the_way(&self, doing: &Doing<'_>) -> bool {
        let is_about =
            |things: &[&str]| doing.words.iter().any(|word| things.contains(&word.as_str()));
        doing.acts == Acts::CHANGE
            && (self.asked.acts().meet(Acts::PAY) && is_about(&["bag", "basket", "cart"])
                || self.asked.acts().meet(Acts::SEND) && is_about(&["draft", "drafts"]))
    }

    /// Whether something is deleted, called off or shown to others that stood beside what the person spoke of, or more of it than they want.
    fn beside(&self, doing: &Doing<'_>) -> Option<Concern> {
        const MEANT: Acts = Acts::DELETE.and(Acts::SHARE).and(Acts::PUBLISH).and(Acts::ADMINISTER);
        let is_own = doing.is_step || doing.has_path && doing.is_mild;
        if doing.is_command || is_own || !doing.acts.meet(MEANT) || self.asked.prompts() == 0 {
            return None;
        }
        let mut things = doing.given.iter().filter(|given| {
            matches!(given.part, Part::Thing | Part::Recipient | Part::Other)
                && !given.text.is_empty()
        });
        let other = things.clone().find(|given| {
            // Of a path the last part says which one it is.
            let end = given.text.rsplit('/').next().filter(|_| doing.has_path);
            let is_unseen = || {
                doing.acts.meet(Acts::DELETE)
                    && self.records.is_unseen(given.text)
                    && end.is_none_or(|end| self.records.is_unseen(end))
            };
            (self.records.is_beside(given.text) || given.part == Part::Thing && is_unseen())
                && !self.asked.said(given.text)
        });
        if let Some(other) = other {
            return Some(Concern::Beside { value: other.text.to_owned() });
        }
        let most = self.asked.most().filter(|_| doing.acts.meet(Acts::DELETE))?;
        let is_new = things
            .find(|given| matches!(given.part, Part::Thing | Part::Recipient))
            .is_some_and(|given| !self.has_acted_on(given.text));
        (is_new && self.acted_on() >= most).then_some(Concern::More { most })
    }

    /// A value that stood in a sentence that told somebody to do something, and that the person did not say.
    fn foreign_value(&self, doing: &Doing<'_>) -> Option<(String, String)> {
        self.told_value(doing).or_else(|| {
            // What is bought, booked or paid for, and where it goes, is nobody's to say in passing.
            let books = ["book", "order", "reserve"];
            let is_bought = doing.acts.meet(Acts::PAY)
                || doing.words.iter().any(|word| books.contains(&word.as_str()));
            let said = doing.given.iter().filter(|_| is_bought).find(|given| {
                matches!(given.part, Part::Recipient | Part::Thing | Part::Other)
                    && !is_moment(given.text)
                    && self.records.is_only_said(given.text)
                    && !self.asked.said(given.text)
                    && !self.lists(given.text)
            })?;
            Some((said.text.to_owned(), "a sentence of what was read".to_owned()))
        })
    }

    /// A value of a demand.
    fn told_value(&self, doing: &Doing<'_>) -> Option<(String, String)> {
        let is_delegated = self.is_delegated(doing);
        doing.given.iter().find_map(|given| {
            let whole = || {
                let tells =
                    given.text.len() > 2 || given.part != Part::Other && !given.text.is_empty();
                let is_kind = given.part != Part::Amount && !is_moment(given.text);
                let is_meant = is_delegated && self.is_delegated_value(given.part, given.text);
                // What a build makes is called the same everywhere.
                if !tells || !is_kind || is_meant || is_remade(doing) || self.asked.said(given.text)
                {
                    return None;
                }
                self.heard.demands_value(given.text).map(|from| (given.text, from))
            };
            let inside = || {
                if given.text.len() < 5 {
                    return None;
                }
                token::tokens(given.text).find_map(|word| {
                    let reaches = word.text.contains('@')
                        || word.text.contains("://")
                        || word.text.starts_with("www.");
                    if !reaches || self.asked.said(word.text) {
                        return None;
                    }
                    self.heard.demands_value(word.text).map(|from| (word.text, from))
                })
            };
            let (value, from) = whole().or_else(inside)?;
            Some((value.to_owned(), from.to_owned()))
        })
    }

    /// Where a command stood that is run now word for word, unless the person said it.
    #[must_use]
    pub fn copied(&self, command: &str) -> Option<(&str, Weight)> {
        let told = self.heard.told_command(command)?;
        (!self.asked.said(command)).then_some(told)
    }
}

/// Directories of a project that its tools make again.
const REMADE: &[&str] = &[
    ".cache",
    ".mypy_cache",
    ".next",
    ".nuxt",
    ".pytest_cache",
    ".ruff_cache",
    ".turbo",
    "__pycache__",
    "build",
    "coverage",
    "dist",
    "node_modules",
    "target",
];

/// Whether nothing is deleted but what the tools of a project make again, wherever that is told.
fn is_remade(doing: &Doing<'_>) -> bool {
    let is_one = |text: &str| {
        // A path is whole already; what a command names lies in its own directory.
        let name = if doing.has_path { text.rsplit('/').next().unwrap_or_default() } else { text };
        REMADE.contains(&name.trim_start_matches("./").trim_end_matches('/'))
    };
    let is_rm = doing.words.first().is_some_and(|program| program == "rm");
    (doing.is_command && is_rm || doing.has_path && doing.acts == Acts::DELETE)
        && !doing.given.is_empty()
        && doing.given.iter().all(|given| is_one(given.text))
}

/// Verbs that say no more than that something is made or changed.
const LIGHT: &[&str] = &[
    "add",
    "change",
    "configure",
    "create",
    "edit",
    "insert",
    "make",
    "modify",
    "move",
    "new",
    "put",
    "save",
    "set",
    "update",
    "upsert",
    "write",
];

/// Whether a value is a day or a time.
fn is_moment(text: &str) -> bool {
    text.len() >= 4
        && text.bytes().any(|letter| matches!(letter, b'-' | b':'))
        && text.bytes().all(|letter| {
            letter.is_ascii_digit() || matches!(letter, b'-' | b':' | b' ' | b'T' | b'Z' | b'.')
        })
}
