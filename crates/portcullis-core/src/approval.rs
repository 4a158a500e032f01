//! Who may say yes, how often, and what has become of a request. Owns the states of a request and the one function that an answer goes
//! through; it keeps nothing, waits for nobody, and is told the time.
//!
//! ```text
//!                      ┌─► Approved        a person (or two) said yes
//!                      ├─► Denied          a person said no
//! Pending ──rule()─────┼─► TimedOut        nobody said anything in time
//!                      ├─► Cancelled       whoever asked no longer wants it
//!                      └─► AutoApproved, AutoDenied     the policy changed while it waited
//! ```
//!
//! Nothing leads back: the first decision holds for good.

use std::{fmt, str::FromStr, time::Duration};

use crate::{
    intervention::person_of,
    risk::{Risk, Severity},
};

/// What has become of a request.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Status {
    /// Nobody has decided yet.
    Pending,
    /// It may go on, once.
    Approved,
    /// It may not.
    Denied,
    /// Nobody decided in time, which is a no.
    TimedOut,
    /// Whoever asked took it back.
    Cancelled,
    /// The policy lets it go on without anybody.
    AutoApproved,
    /// The policy refuses it without anybody.
    AutoDenied,
}

/// A word that names no status.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "`{0}` is not a status; expected pending, approved, denied, timed_out, cancelled, auto_approved, or auto_denied"
)]
pub struct NotAStatus(pub String);

impl Status {
    /// Every status.
    pub const ALL: [Self; 7] = [
        Self::Pending,
        Self::Approved,
        Self::Denied,
        Self::TimedOut,
        Self::Cancelled,
        Self::AutoApproved,
        Self::AutoDenied,
    ];

    /// The word on every wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
            Self::AutoApproved => "auto_approved",
            Self::AutoDenied => "auto_denied",
        }
    }

    /// Whether the action may run.
    #[must_use]
    pub const fn lets_go_on(self) -> bool {
        matches!(self, Self::Approved | Self::AutoApproved)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Status {
    type Err = NotAStatus;

    fn from_str(word: &str) -> Result<Self, NotAStatus> {
        let found = Self::ALL.into_iter().find(|status| status.name() == word);
        found.ok_or_else(|| NotAStatus(word.chars().take(40).collect()))
    }
}

/// From which risk on two different people must agree.
///
/// ```
/// use portcullis_core::{approval::TwoPeople, risk::{Risk, Severity}};
///
/// let rule = TwoPeople::From(Severity::Critical);
/// assert_eq!(rule.needed(Risk::Critical), 2);
/// assert_eq!(rule.needed(Risk::High), 1);
/// assert_eq!(rule.needed(Risk::Unknown), 2, "what is not known may be critical");
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum TwoPeople {
    /// One is always enough.
    #[default]
    Never,
    /// At this risk and above, and where the risk is not known.
    From(Severity),
}

impl TwoPeople {
    /// How many must agree.
    #[must_use]
    pub fn needed(self, risk: Risk) -> u8 {
        match self {
            Self::Never => 1,
            Self::From(least) => 1 + u8::from(risk.severity().is_none_or(|risk| risk >= least)),
        }
    }
}

/// A request as it stands.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Standing {
    /// What has become of it.
    pub status: Status,
    /// The hash of the action that was asked about.
    pub action: String,
    /// Every name that stands for who asks: the agent, its session, the holder of its token. None of them decides.
    pub requesters: Vec<String>,
    /// How many must agree.
    pub needed: u8,
    /// Who agreed already.
    pub agreed: Vec<String>,
    /// When it was asked, since any fixed moment.
    pub asked: Duration,
    /// From when on it is too late.
    pub expires: Duration,
}

/// What somebody says about a request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Said<'a> {
    /// Who.
    pub approver: &'a str,
    /// Yes or no.
    pub approves: bool,
    /// The hash of the action that they were shown.
    pub action: &'a str,
}

/// What follows from what somebody said.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Ruling {
    /// It may go on.
    Approved,
    /// It may not.
    Denied,
    /// They agree, and somebody else has to as well.
    OneOfTwo,
}

/// Why what somebody said decides nothing.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Somebody was first.
    #[error("it is decided already: {0}")]
    Decided(Status),
    /// It is too late, or earlier than it was asked: a clock was set.
    #[error("nobody decided in time")]
    TimedOut,
    /// They were shown another action.
    #[error("what would run is not what was shown")]
    OtherAction,
    /// They name nobody.
    #[error("the answer names nobody")]
    Nameless,
    /// Who asks answers.
    #[error("nobody answers their own request")]
    OwnRequest,
    /// They agreed before, and a second person has to.
    #[error("two different people must agree, and you have")]
    SaidAlready,
    /// Whoever made their token could be both of the two.
    #[error(
        "two people must agree, and whoever made your token could be both: a token counts here that was made on the gateway's own machine"
    )]
    MadeByOne,
    /// They put something else in its place, and a second person has to agree to the same.
    #[error("two people must agree to the same, so that nothing is put in its place")]
    Changed,
}

/// How far a clock may be behind the one that a request was written by.
const SKEW: Duration = Duration::from_secs(2);

/// What follows when somebody says something about a request at `now`.
///
/// # Errors
/// [`Refusal`], and the request stands as before; [`Refusal::TimedOut`] means that it is to be closed.
pub fn rule(standing: &Standing, said: &Said<'_>, now: Duration) -> Result<Ruling, Refusal> {
    if standing.status != Status::Pending {
        return Err(Refusal::Decided(standing.status));
    }
    if is_over(standing, now) {
        return Err(Refusal::TimedOut);
    }
    let approver = person_of(said.approver);
    if approver.is_empty() {
        return Err(Refusal::Nameless);
    }
    if standing.requesters.iter().any(|name| person_of(name) == approver) {
        return Err(Refusal::OwnRequest);
    }
    // A no about another action is still a no: whoever says it saw something that must not run.
    if !said.approves {
        return Ok(Ruling::Denied);
    }
    if said.action != standing.action {
        return Err(Refusal::OtherAction);
    }
    if standing.agreed.iter().any(|name| person_of(name) == approver) {
        return Err(Refusal::SaidAlready);
    }
    let agreed = standing.agreed.len().saturating_add(1);
    Ok(if agreed >= usize::from(standing.needed) { Ruling::Approved } else { Ruling::OneOfTwo })
}

/// Whether a request that is pending can no longer be decided.
#[must_use]
pub fn is_over(standing: &Standing, now: Duration) -> bool {
    now >= standing.expires || now.saturating_add(SKEW) < standing.asked
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pending() -> Standing {
        Standing {
            status: Status::Pending,
            action: "sha256:a".to_owned(),
            requesters: vec!["claude".to_owned(), "ci".to_owned()],
            needed: 1,
            agreed: Vec::new(),
            asked: Duration::from_secs(100),
            expires: Duration::from_secs(400),
        }
    }

    fn yes(approver: &str) -> Said<'_> {
        Said { approver, approves: true, action: "sha256:a" }
    }

    const NOW: Duration = Duration::from_secs(200);

    #[test]
    fn a_word_for_each_status_and_back() {
        for status in Status::ALL {
            assert_eq!(status.name().parse(), Ok(status));
        }
        assert!("Approved".parse::<Status>().is_err());
    }

    #[test]
    fn the_first_decision_holds() {
        assert_eq!(rule(&pending(), &yes("ops"), NOW), Ok(Ruling::Approved));
        for status in Status::ALL.into_iter().filter(|status| *status != Status::Pending) {
            let decided = Standing { status, ..pending() };
            assert_eq!(rule(&decided, &yes("ops"), NOW), Err(Refusal::Decided(status)));
        }
    }

    #[test]
    fn it_is_decided_in_time_or_not_at_all() {
        for (at, over) in [(98, false), (97, true), (0, true), (399, false), (400, true)] {
            let said = rule(&pending(), &yes("ops"), Duration::from_secs(at));
            assert_eq!(said == Err(Refusal::TimedOut), over, "{at}");
        }
    }

    #[test]
    fn nobody_answers_their_own_request_however_they_write_themselves() {
        for own in ["claude", " Claude", "CI", "c\u{200b}i", "сlaude"] {
            assert_eq!(rule(&pending(), &yes(own), NOW), Err(Refusal::OwnRequest), "{own}");
        }
        assert_eq!(rule(&pending(), &yes(" \u{200b}"), NOW), Err(Refusal::Nameless));
    }

    #[test]
    fn a_name_in_other_letters_is_the_same_person() {
        for name in [
            "OPS",
            "ops ",
            "\tops\n",
            "ops\u{a0}",
            "\u{3000}ops",
            "o\u{200b}ps",
            "ops\u{202e}",
            "o\u{ad}ps",
            "op\u{fe0f}s",
            "ops\u{e0041}",
            "\u{feff}ops",
            "оps",
            "oрs",
            "орѕ",
            "ОРЅ",
            "οps",
            "ｏｐｓ",
            "ＯＰＳ",
            "ⓞⓟⓢ",
            "𝐨𝐩𝐬",
            "𝓸𝓹𝓼",
            "𝚘𝚙𝚜",
            "opſ",
        ] {
            let own = Standing { requesters: vec!["ops".to_owned()], ..pending() };
            assert_eq!(rule(&own, &yes(name), NOW), Err(Refusal::OwnRequest), "{name:?}");
            let own = Standing { requesters: vec![name.to_owned()], ..pending() };
            assert_eq!(rule(&own, &yes("ops"), NOW), Err(Refusal::OwnRequest), "{name:?}");
            let two = Standing { needed: 2, agreed: vec![name.to_owned()], ..pending() };
            assert_eq!(rule(&two, &yes("ops"), NOW), Err(Refusal::SaidAlready), "{name:?}");
        }
        for name in
            ["", " ", "\u{200b}", "\u{202e}\u{ad}", "\u{3164}", "\u{2800}", "\u{a0}\u{3000}"]
        {
            assert_eq!(rule(&pending(), &yes(name), NOW), Err(Refusal::Nameless), "{name:?}");
        }
        for name in ["oops", "ops2", "dev-ops", "운영", "運用", "ops.lead"] {
            let own = Standing { requesters: vec!["ops".to_owned()], ..pending() };
            assert_eq!(rule(&own, &yes(name), NOW), Ok(Ruling::Approved), "{name:?}");
        }
    }

    #[test]
    fn a_yes_is_bound_to_what_was_shown_and_a_no_is_not() {
        let other = Said { action: "sha256:b", ..yes("ops") };
        assert_eq!(rule(&pending(), &other, NOW), Err(Refusal::OtherAction));
        let no = Said { approves: false, ..other };
        assert_eq!(rule(&pending(), &no, NOW), Ok(Ruling::Denied));
    }

    #[test]
    fn two_people_are_two_different_ones() {
        let mut standing = Standing { needed: 2, ..pending() };
        assert_eq!(rule(&standing, &yes("ops"), NOW), Ok(Ruling::OneOfTwo));
        standing.agreed.push("ops".to_owned());
        assert_eq!(rule(&standing, &yes("Ops "), NOW), Err(Refusal::SaidAlready));
        assert_eq!(rule(&standing, &yes("lead"), NOW), Ok(Ruling::Approved));
        let no = Said { approves: false, ..yes("ops") };
        assert_eq!(rule(&standing, &no, NOW), Ok(Ruling::Denied), "one no is enough");
    }

    proptest! {
        #[test]
        fn nothing_goes_on_that_nobody_else_agreed_to(
            names in proptest::collection::vec("[ab ]{0,2}", 0..6),
            answers in proptest::collection::vec(any::<bool>(), 6),
            times in proptest::collection::vec(90_u64..420, 6),
        ) {
            let mut standing =
                Standing { needed: 2, requesters: vec!["a".to_owned()], ..pending() };
            for ((name, approves), time) in names.iter().zip(answers).zip(times) {
                let said = Said { approves, ..yes(name) };
                let now = Duration::from_secs(time);
                match rule(&standing, &said, now) {
                    Ok(Ruling::Approved) => standing.status = Status::Approved,
                    Ok(Ruling::Denied) => standing.status = Status::Denied,
                    Ok(Ruling::OneOfTwo) => {}
                    Err(_) => continue,
                }
                prop_assert!((98..400).contains(&time));
                if approves {
                    standing.agreed.push(name.clone());
                }
            }
            if standing.status == Status::Approved {
                let mut agreed: Vec<_> = standing.agreed.iter().map(|name| name.trim()).collect();
                agreed.sort_unstable();
                agreed.dedup();
                prop_assert_eq!(agreed.len(), 2);
                prop_assert!(!agreed.contains(&"a") && !agreed.contains(&""));
            }
        }
    }
}
