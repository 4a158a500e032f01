//! A call beside what its session knows: what speaks against it, and whether the person asked for just this. Owns the comparison; how bad a
//! concern is, `rules::session` says.

use super::{SessionState, act::Acts, asked::Broken, heard::Weight, token};

/// What a call does, as far as a session can know about it.
#[derive(Clone, Debug, Default)]
pub struct Doing<'a> {
    /// The words of the tool's name, or of the command.
    pub words: Vec<String>,
    /// The acts that it is.
    pub acts: Acts,
    /// The acts that its name says, by which somebody may have asked for it.
    pub named: Acts,
    /// What it is given.
    pub given: Vec<Given<'a>>,
    /// Whether it is a command, which everybody who explains anything tells somebody to run.
    pub is_command: bool,
}

/// One value that a call carries.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Given<'a> {
    /// The value.
    pub text: &'a str,
    /// What it is to the call.
    pub part: Part,
}

/// What a value is to a call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Part {
    /// Who or what it reaches: a recipient, an account, an address.
    Recipient,
    /// What it is done to.
    Thing,
    /// How much.
    Amount,
    /// A password, a key.
    Secret,
    /// Words, of whatever length.
    Text,
    /// Something that is neither.
    Other,
}

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
    /// It breaks a limit that the person set.
    Limit(Broken),
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
        if let Some(broken) = self.asked.broken(doing.acts, &doing.words, things) {
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
        let is_outward = is_grave || reaches && doing.acts.meet(Acts::CHANGE);
        let is_verb_asked = self.asked.acts().meet(doing.acts.and(doing.named));
        let is_meant = if is_outward { is_asked } else { is_verb_asked };
        let acts = doing.acts.without(Acts::READ);
        let demanded = if doing.is_command && acts == Acts::RUN {
            // That something is to be run says nothing of what: only where this was named it is what was told.
            self.heard.demands_act(Acts::NONE, doing.given.iter().map(|given| given.text))
        } else {
            self.heard.demands_act(acts, doing.words.iter().map(String::as_str))
        };
        if !is_meant && let Some(from) = demanded {
            concerns.push(Concern::Demanded { from: from.to_owned() });
        }
        let planted =
            self.heard.planted().or_else(|| self.is_lost.then_some("what is no longer known"));
        if let Some(from) = planted
            && (if is_outward || doing.acts.meet(Acts::RUN) { !is_asked } else { !is_verb_asked })
        {
            concerns.push(Concern::Planted { from: from.to_owned() });
        }
        if doing.acts.meet(Acts::PAY) {
            let mut amounts = doing.given.iter().filter(|given| given.part == Part::Amount);
            if amounts.any(|given| {
                token::amount(given.text).is_some_and(|amount| self.asked.exceeds(amount))
            }) {
                concerns.push(Concern::Amount);
            }
        }
        if self.asked.prompts() > 0 && is_grave && !is_asked {
            concerns.push(Concern::Unasked);
        }
        concerns
    }

    /// Whether the person asked for this act, on this: every password in it is theirs, and nothing in it was somebody else's to say. What an
    /// answer shows as data neither helps nor harms, or an answer could loosen something.
    #[must_use]
    pub fn is_asked(&self, doing: &Doing<'_>) -> bool {
        self.asked.acts().meet(doing.acts.and(doing.named).without(Acts::READ))
            && doing.given.iter().all(|given| match given.part {
                Part::Recipient | Part::Thing => {
                    self.asked.said(given.text) || self.heard.demands_value(given.text).is_none()
                }
                Part::Secret => given.text.is_empty() || self.asked.said(given.text),
                Part::Amount | Part::Text | Part::Other => true,
            })
    }

    /// A value that stood in a sentence that told somebody to do something, and that the person did not say.
    fn foreign_value(&self, doing: &Doing<'_>) -> Option<(String, String)> {
        doing.given.iter().find_map(|given| {
            let whole = || {
                let tells =
                    given.text.len() > 2 || given.part != Part::Other && !given.text.is_empty();
                let is_kind = given.part != Part::Amount && !is_moment(given.text);
                if !tells || !is_kind || self.asked.said(given.text) {
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

/// Whether a value is a day or a time.
fn is_moment(text: &str) -> bool {
    text.len() >= 4
        && text.bytes().any(|letter| matches!(letter, b'-' | b':'))
        && text.bytes().all(|letter| {
            letter.is_ascii_digit() || matches!(letter, b'-' | b':' | b' ' | b'T' | b'Z' | b'.')
        })
}
