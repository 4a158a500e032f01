//! What bash started against what was predicted. Owns the comparison; it runs nothing.

use std::collections::BTreeSet;

use portcullis_core::{
    action::Action,
    call::ToolCall,
    effect::{Argument, Certainty, EffectKind, Effects, Run},
    facts::Facts,
    text::{Piece, Text},
    understand::understand,
};

use super::{bash::Started, generate::SHIMS};

/// How well one script was understood.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    /// Started, and nothing like it was predicted.
    pub(super) unpredicted: Vec<Started>,
    /// Predicted as certain, and not started.
    pub(super) claimed: Vec<String>,
    /// Started as predicted, where an argument was predicted as not known.
    pub(super) unknown: usize,
    /// Whether we said that something was not understood.
    pub(super) partial: bool,
}

impl Verdict {
    /// A program ran that we did not speak of, and we did not say that we may have missed one.
    pub(super) fn is_silently_wrong(&self) -> bool {
        !self.unpredicted.is_empty() && !self.partial
    }

    /// A program was said to run for certain, and did not.
    pub(super) fn is_overclaimed(&self) -> bool {
        !self.claimed.is_empty() && !self.partial
    }

    /// Every program that ran was predicted, and nothing was claimed that did not happen.
    pub(super) fn is_as_predicted(&self) -> bool {
        self.unpredicted.is_empty() && self.claimed.is_empty() && !self.partial
    }
}

/// What a script would do in this directory.
pub(super) fn predict(script: &str, directory: &str) -> Effects {
    let facts = Facts {
        cwd: Some(directory.to_owned()),
        home: Some(directory.to_owned()),
        workspace: Some(directory.to_owned()),
        ..Facts::default()
    };
    match Action::from_call(ToolCall::shell(script)) {
        Ok(action) => understand(&action, &facts),
        Err(_) => Effects::default(),
    }
}

/// Compares a prediction with what bash did.
pub(super) fn compare(predicted: &Effects, started: &[Started]) -> Verdict {
    let runs: Vec<(&Run, Certainty)> = predicted
        .list
        .iter()
        .filter_map(|effect| match &effect.kind {
            EffectKind::Run(run) => Some((run, effect.certainty)),
            _ => None,
        })
        .collect();
    // What `find` finds is told by the place where it looks.
    let finds = runs.iter().any(|(run, _)| run.program == "find");
    let may_be = |run: &Run, started: &[Vec<u8>]| may_be(&run.arguments, started, finds);
    let mut verdict = Verdict { partial: !predicted.gaps.is_empty(), ..Verdict::default() };
    let started: BTreeSet<&Started> = started.iter().collect();
    for start in &started {
        let like = || runs.iter().filter(|(run, _)| is_named(run, &start.program));
        if like().any(|(run, _)| is_exactly(&run.arguments, &start.arguments)) {
            continue;
        }
        if like().any(|(run, _)| may_be(run, &start.arguments)) {
            verdict.unknown += 1;
        } else {
            verdict.unpredicted.push((*start).clone());
        }
    }
    for (run, certainty) in runs {
        let recorded = certainty == Certainty::Certain
            && run.name.text.as_known().is_some_and(|name| SHIMS.contains(&name));
        let happened = started
            .iter()
            .any(|start| is_named(run, &start.program) && may_be(run, &start.arguments));
        if recorded && !happened {
            let words: Vec<String> = run
                .arguments
                .iter()
                .map(|argument| format!("{:?}", argument.text.display()))
                .collect();
            verdict.claimed.push(format!("{} {}", run.program, words.join(" ")));
        }
    }
    verdict
}

fn is_named(run: &Run, program: &str) -> bool {
    let written = run.name.text.as_known().map(|name| name.rsplit('/').next().unwrap_or(name));
    run.program == program || written == Some(program)
}

fn is_exactly(arguments: &[Argument], started: &[Vec<u8>]) -> bool {
    arguments.len() == started.len()
        && arguments.iter().zip(started).all(|(argument, started)| {
            argument.text.as_known().is_some_and(|known| is_same(known, started))
        })
}

/// Whether an argument is the one that was predicted; the file of a process substitution has a number of its own.
fn is_same(predicted: &str, started: &[u8]) -> bool {
    const MADE: &str = "/dev/fd/pipe";
    predicted.as_bytes() == started
        || predicted.starts_with(MADE) && started.starts_with(b"/dev/fd/")
}

/// Whether these arguments may have become those: one that is not known whole may be none, one or several. A place may be
/// anything below it where `find` was asked.
fn may_be(arguments: &[Argument], started: &[Vec<u8>], finds: bool) -> bool {
    let Some((first, rest)) = arguments.split_first() else { return started.is_empty() };
    if let Some(known) = first.text.as_known() {
        return started.split_first().is_some_and(|(argument, others)| {
            let place = known.split('*').next().unwrap_or("");
            let below = finds && argument.starts_with(place.as_bytes());
            (is_same(known, argument) || below) && may_be(rest, others, finds)
        });
    }
    (0..=started.len()).any(|count| {
        let (taken, others) = started.split_at_checked(count).unwrap_or((started, &[]));
        (finds || fits(&first.text, taken)) && may_be(rest, others, finds)
    })
}

/// Whether a half-known text may have become these arguments: what is known of it is in them, in order.
fn fits(text: &Text, taken: &[Vec<u8>]) -> bool {
    // A pattern that matches nothing may vanish.
    if taken.is_empty() && text.pieces.iter().any(|piece| matches!(piece, Piece::Glob(_))) {
        return true;
    }
    let whole = taken.join(&b' ');
    let mut from = 0;
    text.pieces.iter().all(|piece| match piece {
        Piece::Known(known) => {
            let known = known.as_bytes();
            let rest = whole.get(from..).unwrap_or(&[]);
            match rest.windows(known.len().max(1)).position(|window| window == known) {
                Some(at) => {
                    from += at + known.len();
                    true
                }
                None => false,
            }
        }
        Piece::Glob(_) | Piece::Unknown(_) => true,
    })
}
