//! What is not asked any more where a person allows the like of what asks, once in each session. Owns the count; what is like what, [`crate::alike`] says.

use std::{collections::HashMap, path::Path};

use portcullis_core::decision::Verdict;

use super::{Comparison, Tally};
use crate::alike::Like;

/// Questions, where each that can be answered for its like is.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Spared {
    /// How often a person allows the like of a call.
    pub given: usize,
    /// Questions that are asked no more because of that.
    pub spared: usize,
    /// Questions that nothing is like, each of which is asked.
    pub alone: usize,
    /// The verdicts then.
    pub tally: Tally,
}

impl Spared {
    /// Those of a comparison's other policy. Calls that name no session are of one session where they stand in one file.
    #[must_use]
    pub fn of(comparison: &Comparison) -> Self {
        let mut known: HashMap<(Option<&str>, &Path), Vec<&Like>> = HashMap::new();
        let mut spared = Self::default();
        for pair in &comparison.pairs {
            let session = pair.call.session.as_deref();
            // A session may go on in another file.
            let file = if session.is_some() { Path::new("") } else { &pair.place.file };
            let mut verdict = pair.then.verdict;
            if verdict == Verdict::Ask {
                let kinds = known.entry((session, file)).or_default();
                match &pair.kind {
                    Some(kind) if kinds.iter().any(|given| given.holds(kind)) => {
                        spared.spared += 1;
                        verdict = Verdict::Allow;
                    }
                    Some(kind) => {
                        spared.given += 1;
                        kinds.push(kind);
                    }
                    None => spared.alone += 1,
                }
            }
            spared.tally.count(verdict);
        }
        spared
    }
}

#[cfg(test)]
mod tests {
    use portcullis_core::call::ToolCall;

    use super::*;
    use crate::{
        replay::source::{Place, Recorded},
        session::{Options, Session},
    };

    fn session() -> Session {
        let cwd = Some("/srv/portcullis-no-such/app".to_owned());
        Session::open(Options { unrecorded: true, cwd, ..Options::default() })
    }

    fn spared(calls: &[(&str, Option<&str>, &str)]) -> Spared {
        let recorded = |(at, (file, session, command)): (usize, &(&str, Option<&str>, &str))| {
            let call =
                ToolCall { session: session.map(str::to_owned), ..ToolCall::shell(*command) };
            Recorded { call, place: Place { file: Path::new(*file).into(), line: at + 1 } }
        };
        let calls = calls.iter().enumerate().map(recorded).collect();
        Spared::of(&Comparison::new(calls, &session(), &session()))
    }

    #[test]
    fn what_is_like_a_question_is_asked_once_in_each_session() {
        let push = "git push --force origin topic";
        let one =
            spared(&[("a", None, push), ("a", None, push), ("a", None, "ls"), ("b", None, push)]);
        assert_eq!((one.given, one.spared, one.alone), (2, 1, 0));
        assert_eq!(one.tally, Tally { allowed: 2, asked: 2, denied: 0 });
        let named =
            spared(&[("a", Some("s"), push), ("b", Some("s"), push), ("b", Some("t"), push)]);
        assert_eq!((named.given, named.spared, named.alone), (2, 1, 0));
    }

    #[test]
    fn another_resource_a_higher_risk_and_what_is_not_understood_are_asked_about() {
        let calls = [
            ("a", None, "git push --force origin topic"),
            ("a", None, "git push --force origin other"),
            ("a", None, "$UNKNOWN --go"),
            ("a", None, "$UNKNOWN --go"),
        ];
        let all = spared(&calls);
        assert_eq!(all.spared, 0, "{all:?}");
        assert!(all.alone >= 2, "{all:?}");
    }
}
