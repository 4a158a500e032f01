//! What a planted text demands of the model. Owns the kinds of demands, and which of them a pattern makes.

use super::{
    class::*,
    pattern::{Hit, Signal},
    token::{Mark, Tokens},
};
use crate::Span;

/// A demand and where it stands.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Demand {
    /// The bytes of the words that make it; of the encoded text where it was encoded.
    pub span: Span,
    /// What is demanded.
    pub kind: Demanded,
}

/// What a text can demand of a model that reads it.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Demanded {
    /// To forget what it was told, or its task.
    Forget,
    /// To be another one, or without limits.
    Become,
    /// To show its own instructions.
    Reveal,
    /// To give data away.
    Send,
    /// To run or install something.
    Run,
    /// To open an address.
    Visit,
    /// To spend money.
    Pay,
    /// To delete something.
    Delete,
    /// To write or change something.
    Write,
    /// To let somebody in: invite, share, grant, merge.
    Grant,
    /// To approve something.
    Approve,
    /// To turn off confirmations or safety, or not to ask.
    Unguard,
    /// To keep it from somebody.
    Hide,
    /// To say something to whom it works for.
    Say,
}

impl Demanded {
    /// The name in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forget => "forget",
            Self::Become => "become",
            Self::Reveal => "reveal",
            Self::Send => "send",
            Self::Run => "run",
            Self::Visit => "visit",
            Self::Pay => "pay",
            Self::Delete => "delete",
            Self::Write => "write",
            Self::Grant => "grant",
            Self::Approve => "approve",
            Self::Unguard => "unguard",
            Self::Hide => "hide",
            Self::Say => "say",
        }
    }
}

/// Which verb makes which demand, the more dangerous first.
static VERBS: &[(Class, Demanded)] = &[
    (PAY, Demanded::Pay),
    (HARM, Demanded::Delete),
    (SEND, Demanded::Send),
    (RUN, Demanded::Run),
    (GRANT, Demanded::Grant),
    (VISIT, Demanded::Visit),
    (APPROVE, Demanded::Approve),
    (WRITE, Demanded::Write),
    (RECOMMEND | SAY | TELL, Demanded::Say),
];

/// The demands among the patterns of a stretch, each place once.
pub(super) fn demands(tokens: &Tokens, hits: &[Hit], outer: Option<Span>) -> Vec<Demand> {
    let mut demands = Vec::new();
    for hit in hits {
        let words = tokens.list.get(hit.first..=hit.last).unwrap_or_default();
        let (Some(first), Some(last)) = (words.first(), words.last()) else { continue };
        let span = outer
            .unwrap_or_else(|| Span::new(first.start as usize, last.end.max(first.start) as usize));
        if let Some(kind) = demanded(hit.signal, first.mark, words.iter().map(|it| it.class)) {
            demands.push(Demand { span, kind });
        }
    }
    demands.sort_unstable();
    demands.dedup();
    demands
}

fn demanded(
    signal: Signal,
    mark: Mark,
    mut words: impl Iterator<Item = Class>,
) -> Option<Demanded> {
    Some(match signal {
        Signal::Override => Demanded::Forget,
        Signal::Persona => Demanded::Become,
        Signal::Extraction => Demanded::Reveal,
        Signal::Exfiltration => Demanded::Send,
        Signal::Payment => Demanded::Pay,
        Signal::Secrecy => Demanded::Hide,
        Signal::Bypass => Demanded::Unguard,
        Signal::Answer => Demanded::Say,
        Signal::Tool if mark == Mark::Shell => Demanded::Run,
        Signal::Tool | Signal::Task | Signal::Condition => {
            return words.find_map(|class| {
                VERBS.iter().find(|(verbs, _)| class & verbs != 0).map(|(_, kind)| *kind)
            });
        }
        Signal::Addressed
        | Signal::Authority
        | Signal::Trigger
        | Signal::Marker
        | Signal::Hidden => return None,
    })
}
