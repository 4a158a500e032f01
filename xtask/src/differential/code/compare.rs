//! What a program did against what was predicted. Owns the comparison; it runs nothing.

use portcullis_core::{
    action::Action,
    call::ToolCall,
    decision::Verdict as Decided,
    effect::{Argument, EffectKind, Effects, Run, Target},
    facts::Facts,
    gate::Gate,
    text::{Piece, Text},
};
use serde_json::json;

use super::real::Done;

/// What was said about a program before it ran.
pub(super) struct Predicted {
    effects: Effects,
    /// Whether a person would have been asked, or it would not have run.
    pub(super) is_stopped: bool,
}

impl Predicted {
    /// For people.
    pub(super) fn told(&self) -> String {
        let effects = self.effects.list.iter().map(|effect| {
            let told = match &effect.kind {
                EffectKind::Run(run) => {
                    let words = run.arguments.iter().map(|it| it.text.display());
                    format!("run {} {:?}", run.name.text.display(), words.collect::<Vec<_>>())
                }
                EffectKind::Read(target) => format!("read {:?}", target.path),
                EffectKind::Write { target, .. } => format!("write {:?}", target.path),
                EffectKind::Delete { target, .. } => format!("delete {:?}", target.path),
                other => format!("{other:?}"),
            };
            format!("predicted: {told} ({:?})\n", effect.certainty)
        });
        let gaps = self.effects.gaps.iter().map(|gap| format!("gap: {gap:?}\n"));
        effects.chain(gaps).collect()
    }
}

/// How well one program was understood.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    /// Done, and nothing like it was predicted.
    pub(super) unpredicted: Vec<Done>,
    /// Whether we said that something was not understood.
    pub(super) partial: bool,
    /// Done as predicted, where not all of it was known.
    pub(super) unknown: usize,
    /// Predicted, and not done.
    pub(super) needless: usize,
}

impl Verdict {
    /// Something was done of which nobody spoke, and we did not say that we may have missed something.
    pub(super) fn is_silently_wrong(&self) -> bool {
        !self.unpredicted.is_empty() && !self.partial
    }

    /// Everything that was done was predicted, to the letter.
    pub(super) fn is_as_predicted(&self) -> bool {
        self.unpredicted.is_empty() && !self.partial && self.unknown == 0
    }
}

/// What a program would do in this directory.
pub(super) fn predict(is_python: bool, text: &str, directory: &str, home: &str) -> Predicted {
    let facts = Facts {
        cwd: Some(directory.to_owned()),
        home: Some(home.to_owned()),
        workspace: Some(directory.to_owned()),
        ..Facts::default()
    };
    let tool = if is_python { "python" } else { "javascript" };
    let arguments = json!({ "code": text }).as_object().cloned().unwrap_or_default();
    let call = ToolCall { tool: tool.to_owned(), arguments, ..ToolCall::default() };
    match Action::from_call(call) {
        Ok(action) => {
            let judged = Gate::default().judge(&action, &facts);
            let is_stopped = judged.decision.verdict != Decided::Allow;
            Predicted { effects: judged.effects, is_stopped }
        }
        Err(_) => Predicted { effects: Effects::default(), is_stopped: true },
    }
}

/// How well a prediction says what was done.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Fit {
    No,
    /// What is known of it fits, or a pattern.
    Open,
    Exactly,
}

/// Compares a prediction with what was done.
pub(super) fn compare(predicted: &Predicted, done: &[Done]) -> Verdict {
    let effects = &predicted.effects;
    let mut verdict = Verdict { partial: !effects.gaps.is_empty(), ..Verdict::default() };
    let mut met = vec![false; effects.list.len()];
    let mut written: Vec<&str> = Vec::new();
    for act in done {
        match act {
            Done::Write(path) => written.push(path),
            // What a program wrote itself is no news to it.
            Done::Read(path) | Done::Take(path) if written.contains(&path.as_str()) => continue,
            _ => {}
        }
        let fits: Vec<Fit> = effects.list.iter().map(|effect| fit(&effect.kind, act)).collect();
        for (met, fit) in met.iter_mut().zip(&fits) {
            *met |= *fit != Fit::No;
        }
        match fits.iter().max() {
            Some(Fit::Exactly) => {}
            Some(Fit::Open) => verdict.unknown += 1,
            _ => verdict.unpredicted.push(act.clone()),
        }
    }
    let counts = |kind: &EffectKind| {
        matches!(
            kind,
            EffectKind::Run(_)
                | EffectKind::Read(_)
                | EffectKind::Write { .. }
                | EffectKind::Delete { .. }
        )
    };
    let needless =
        effects.list.iter().zip(&met).filter(|(effect, met)| counts(&effect.kind) && !**met);
    verdict.needless = needless.count();
    verdict
}

fn fit(kind: &EffectKind, act: &Done) -> Fit {
    match (kind, act) {
        (EffectKind::Run(run), Done::Shell(text)) => run_fits(run, &words(text)),
        (EffectKind::Run(run), Done::Run(words)) => {
            // What a shell is given runs in it.
            let inner = match words.as_slice() {
                [shell, option, text]
                    if matches!(shell.as_str(), "sh" | "bash") && option == "-c" =>
                {
                    run_fits(run, &self::words(text))
                }
                _ => Fit::No,
            };
            inner.max(run_fits(run, words))
        }
        (EffectKind::Execute { language, code }, Done::Shell(_) | Done::Run(_))
            if *language == "shell" =>
        {
            if code.has_unknown() {
                Fit::Open
            } else {
                Fit::No
            }
        }
        (EffectKind::Read(target), Done::Read(path)) => target_fits(target, path, false),
        (EffectKind::Read(target) | EffectKind::Delete { target, .. }, Done::Take(path)) => {
            target_fits(target, path, false)
        }
        (
            EffectKind::Write { target, .. } | EffectKind::Delete { target, .. },
            Done::Write(path),
        ) => target_fits(target, path, false),
        (EffectKind::Write { target, .. }, Done::Make(path)) => {
            // A directory is made with those above it.
            let above =
                target.path.as_deref().is_some_and(|known| known.starts_with(&format!("{path}/")));
            if above { Fit::Exactly } else { target_fits(target, path, false) }
        }
        (EffectKind::Delete { target, recursive }, Done::Delete(path)) => {
            target_fits(target, path, *recursive)
        }
        _ => Fit::No,
    }
}

/// The words of a command; those of the generator have neither quotes nor spaces in them.
fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn run_fits(run: &Run, words: &[String]) -> Fit {
    let Some((program, rest)) = words.split_first() else { return Fit::No };
    let name = match run.name.text.as_known() {
        Some(name) if name == program => Fit::Exactly,
        Some(_) => Fit::No,
        None if may_be(&run.name.text, program) => Fit::Open,
        None => Fit::No,
    };
    name.min(arguments_fit(&run.arguments, rest))
}

/// Whether these arguments may have become those: one that is not known whole may be none, one or several.
fn arguments_fit(arguments: &[Argument], words: &[String]) -> Fit {
    let Some((first, rest)) = arguments.split_first() else {
        return if words.is_empty() { Fit::Exactly } else { Fit::No };
    };
    if let Some(known) = first.text.as_known() {
        return match words.split_first() {
            Some((word, others)) if word == known => arguments_fit(rest, others),
            _ => Fit::No,
        };
    }
    let fits = (0..=words.len()).map(|count| {
        let (taken, others) = words.split_at_checked(count).unwrap_or((words, &[]));
        if may_be(&first.text, &taken.join(" ")) {
            arguments_fit(rest, others).min(Fit::Open)
        } else {
            Fit::No
        }
    });
    fits.max().unwrap_or(Fit::No)
}

fn target_fits(target: &Target, path: &str, below: bool) -> Fit {
    match &target.path {
        Some(known) if known == path => Fit::Exactly,
        Some(known) if below && path.starts_with(&format!("{known}/")) => Fit::Exactly,
        _ if target.text.has_unknown() && may_be(&target.text, path) => Fit::Open,
        _ => Fit::No,
    }
}

/// Whether a half-known text may have become this one: what is known of it is in it, in order.
fn may_be(text: &Text, whole: &str) -> bool {
    let mut from = 0;
    text.has_unknown()
        && text.pieces.iter().all(|piece| match piece {
            Piece::Known(known) => {
                let known = known.trim_start_matches("./");
                match whole.get(from..).and_then(|rest| rest.find(known)) {
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
