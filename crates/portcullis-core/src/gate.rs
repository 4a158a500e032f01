//! The whole way from an action to a decision. Owns the order of the arrows; each of them is made elsewhere.

use std::{borrow::Cow, sync::Arc};

use crate::{
    action::Action,
    analyze::Ensemble,
    assessment::{Assessment, Evidence},
    class,
    effect::{EffectKind, Effects},
    facts::{FactPlan, Facts, FileFact, Observed},
    place,
    policy::{Context, Policy, Subject},
    rules::Scene,
    understand,
};

pub use crate::judgement::Judgement;

/// How often the world is looked at for one action: a file starts a file that starts a file.
pub const LOOKS: usize = 8;

/// The most paths that are asked about for one action, so that a script of a million names costs a bounded look.
const MAX_PATHS: usize = 256;

/// A policy, ready to judge. Cheap to clone, shared between threads, and without any input or output of its own.
///
/// ```
/// use portcullis_core::{
///     action::Action, call::ToolCall, decision::Verdict, facts::Facts, gate::Gate, policy::Policy,
/// };
///
/// let gate = Gate::new(Policy::default());
/// let mut call = ToolCall { tool: "read_file".into(), ..ToolCall::default() };
/// call.arguments.insert("path".into(), "README.md".into());
/// let action = Action::from_call(call)?;
///
/// let judgement = gate.judge(&action, &Facts::default());
/// assert_eq!(judgement.action, action.digest());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Gate {
    policy: Arc<Policy>,
    analyzers: Arc<Ensemble>,
}

impl Gate {
    /// A gate under a policy, with the rules and the model's own claim as analyzers.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        Self::with_analyzers(policy, Ensemble::default())
    }

    /// A gate under a policy, with just these analyzers. What they find is adjusted by the policy, and their highest
    /// opinion is the risk.
    #[must_use]
    pub fn with_analyzers(policy: Policy, analyzers: Ensemble) -> Self {
        Self { policy: Arc::new(policy), analyzers: Arc::new(analyzers) }
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// What should be known of the world before this action is judged. Everything in it is optional.
    #[must_use]
    pub fn plan(&self, action: &Action) -> FactPlan {
        self.plan_with(action, &Facts::default())
    }

    /// As [`Gate::plan`], after a first look: what a file starts shows only once its content is known, so this is asked again for as long
    /// as [`FactPlan::contents`] is not empty, up to [`LOOKS`] times. Whoever can read files while the action is understood needs no
    /// rounds: [`Understood::reading`].
    #[must_use]
    pub fn plan_with(&self, action: &Action, facts: &Facts) -> FactPlan {
        let facts = with_claims(action, Cow::Borrowed(facts));
        planned(&understand::understand(action, &facts), &facts)
    }

    /// Judges an action, with somebody there to be asked.
    #[must_use]
    pub fn judge(&self, action: &Action, facts: &Facts) -> Judgement {
        self.judge_in(action, facts, &Context::default())
    }

    /// Judges an action in a context.
    #[must_use]
    pub fn judge_in(&self, action: &Action, facts: &Facts, context: &Context) -> Judgement {
        let facts = with_claims(action, Cow::Borrowed(facts));
        let effects = understand::understand(action, &facts);
        self.judged(action, effects, &facts, context)
    }

    /// Judges what was understood already, and gives the facts back that it was understood by. The same comes of it as of
    /// [`Gate::judge_in`] with those facts.
    #[must_use]
    pub fn judge_understood(
        &self,
        understood: Understood<'_>,
        context: &Context,
    ) -> (Judgement, Facts) {
        let Understood { action, effects, facts } = understood;
        let judgement = {
            let facts = with_claims(action, Cow::Borrowed(&facts));
            self.judged(action, effects, &facts, context)
        };
        (judgement, facts)
    }

    fn judged(
        &self,
        action: &Action,
        effects: Effects,
        facts: &Facts,
        context: &Context,
    ) -> Judgement {
        let scene = Scene { action, effects: &effects, facts };
        let mut opinion = self.analyzers.opinion(&scene);
        opinion.findings = self.policy.adjusted(opinion.findings);
        let tool_class = self.policy.tool_class(action);
        let class = class::class(&scene, &opinion.findings, tool_class);
        let evidence = Evidence { action, effects: &effects, opinion, tool_class, class };
        let assessment = Assessment::new(evidence);
        let subject = Subject { action, effects: &effects, facts, assessment: &assessment };
        let decision = self.policy.decide(&subject, context);
        Judgement { action: action.digest(), effects, assessment, decision }
    }
}

/// What an action would do in the world as it is known. The effects and the facts that they were understood by belong together and are
/// never changed apart, so that nothing is judged by what was understood of another world.
#[derive(Clone, Debug)]
pub struct Understood<'a> {
    action: &'a Action,
    effects: Effects,
    facts: Facts,
}

impl<'a> Understood<'a> {
    /// What an action would do by these facts alone.
    #[must_use]
    pub fn new(action: &'a Action, facts: Facts) -> Self {
        let effects = {
            let facts = with_claims(action, Cow::Borrowed(&facts));
            understand::understand(action, &facts)
        };
        Self { action, effects, facts }
    }

    /// What an action would do, with somebody who reads the files that it starts when they are met: `read` is asked for the absolute path
    /// of each once, and gives nothing where no more is read for one action. What it gave is among the facts then, so that the same is
    /// understood of them without it.
    #[must_use]
    pub fn reading(
        action: &'a Action,
        mut facts: Facts,
        read: &dyn Fn(&str) -> Option<FileFact>,
    ) -> Self {
        let (effects, contents) = {
            let facts = with_claims(action, Cow::Borrowed(&facts));
            understand::understand_reading(action, &facts, read)
        };
        facts.contents.extend(contents);
        Self { action, effects, facts }
    }

    /// What should be known beside the facts that there are.
    #[must_use]
    pub fn plan(&self) -> FactPlan {
        let facts = with_claims(self.action, Cow::Borrowed(&self.facts));
        planned(&self.effects, &facts)
    }

    /// The facts that it was understood by.
    #[must_use]
    pub const fn facts(&self) -> &Facts {
        &self.facts
    }

    /// What it would do.
    #[must_use]
    pub const fn effects(&self) -> &Effects {
        &self.effects
    }

    /// The same with what was looked up since, where nothing else is understood by it.
    ///
    /// # Errors
    /// With what is known now it has to be understood anew: all of it.
    pub fn learned(mut self, observed: Observed) -> Result<Self, Box<Facts>> {
        let is_plain = observed.is_plain(&self.effects.asked);
        self.facts.learn(observed);
        if is_plain { Ok(self) } else { Err(Box::new(self.facts)) }
    }
}

/// What should be known of what an action would do.
fn planned(effects: &Effects, facts: &Facts) -> FactPlan {
    let paths = effects
        .list
        .iter()
        .filter_map(|effect| match &effect.kind {
            EffectKind::Read(target)
            | EffectKind::Write { target, .. }
            | EffectKind::Delete { target, .. }
            | EffectKind::Permission { target, .. }
            | EffectKind::Hand { target, .. }
            | EffectKind::Discard { target, .. } => target.path.as_ref(),
            _ => None,
        })
        // Where a pattern begins to choose may be a link.
        .flat_map(|path| [place::before_pattern(path), Some(path.as_str())])
        .flatten()
        .chain(effects.asked.iter().map(String::as_str))
        .filter(|path| path.starts_with('/') && !is_own_stream(path))
        .take(MAX_PATHS)
        .map(str::to_owned)
        .collect();
    let hosts = effects
        .list
        .iter()
        .any(|effect| matches!(&effect.kind, EffectKind::Connect(to) if to.sends.is_some()));
    let discarded = |wanted: bool| {
        let paths = effects.list.iter().filter_map(|effect| match &effect.kind {
            EffectKind::Discard { target, whole } if *whole == wanted => target.path.clone(),
            // In the project itself, a file that is deleted is no question.
            EffectKind::Delete { target, recursive: false } if !wanted => {
                let own = facts.cwd.as_deref().map(|cwd| format!("{cwd}/"));
                target.path.clone().filter(|path| {
                    !path.contains(['*', '?', '['])
                        && !own.is_some_and(|own| path.starts_with(&own))
                })
            }
            _ => None,
        });
        paths.filter(|path| path.starts_with('/')).take(MAX_PATHS).collect()
    };
    let (uncommitted, work_trees) = (discarded(false), discarded(true));
    let obeyed = facts.obeyed.is_none()
        && effects.list.iter().any(|effect| match &effect.kind {
            EffectKind::Write { target, .. } => {
                let path = target.path.as_deref();
                path.is_some_and(|path| path.starts_with('/') && !is_own_stream(path))
            }
            _ => false,
        });
    FactPlan { paths, uncommitted, work_trees, contents: effects.wanted.clone(), hosts, obeyed }
}

/// The facts, with the directories that the call itself names where none were observed.
fn with_claims<'a>(action: &Action, facts: Cow<'a, Facts>) -> Cow<'a, Facts> {
    let call = &action.call;
    let claimed = call.cwd.as_ref().filter(|cwd| is_whole(cwd));
    let missing_cwd = facts.cwd.is_none() && claimed.is_some();
    let missing_home = facts.home.is_none() && call.home.is_some();
    if !missing_cwd && !missing_home {
        return facts;
    }
    let mut facts = facts.into_owned();
    facts.cwd = facts.cwd.or_else(|| claimed.cloned());
    facts.home = facts.home.or_else(|| call.home.clone());
    Cow::Owned(facts)
}

/// Whether a path is a stream of the process that opens it: where it leads for whoever looks is no answer.
fn is_own_stream(path: &str) -> bool {
    matches!(path, "/dev/stderr" | "/dev/stdin" | "/dev/stdout" | "/dev/tty" | "/dev/null")
        || path.starts_with("/dev/fd/")
}

/// Whether a directory is named from the root on: what half a name means, only whoever runs the call knows.
fn is_whole(directory: &str) -> bool {
    let mut bytes = directory.bytes();
    match bytes.next() {
        Some(b'/' | b'\\') => true,
        Some(letter) => letter.is_ascii_alphabetic() && bytes.next() == Some(b':'),
        None => false,
    }
}
