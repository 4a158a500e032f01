//! Judging a call without recording it. Owns what is looked up of the world for it, how often it is understood, and under which policy.

use std::{
    path::Path,
    sync::{Arc, PoisonError},
};

use portcullis_core::{
    action::{Action, BadCall},
    call::ToolCall,
    decision::{Decision, Verdict},
    facts::{FactPlan, Facts},
    gate::{Judgement, LOOKS, Understood},
    policy::Context,
    session::ToolDefinition,
};

use super::{Regime, Session, decision::deny, judged::Judged};
use crate::{
    audit::Files,
    config::{ConfigError, Configuration, UnknownTools},
    observe::{Look, Place},
    pins,
};

/// A directory that a call is supposed to run in where nobody knows which: one file of it is told from another then, as in a download that is run by
/// the next command. Nothing that is told names it.
const SUPPOSED: &str = "/workspace/project";

fn suppose_a_directory(facts: &Facts) -> Facts {
    let supposed = Some(SUPPOSED.to_owned());
    Facts { cwd: supposed.clone(), workspace: supposed, ..facts.clone() }
}

/// Takes over what a call would be in a directory that is known, where that is decided more strictly.
pub(super) fn raise(judgement: &mut Judgement, supposed: Judgement) {
    if supposed.decision.verdict <= judgement.decision.verdict {
        return;
    }
    let unnamed =
        |text: &str| text.replace(&format!("{SUPPOSED}/"), "").replace(SUPPOSED, "where it runs");
    let Judgement { action: _, effects: _, assessment, decision } = supposed;
    judgement.assessment.risk = assessment.risk;
    judgement.assessment.findings = assessment.findings;
    for finding in &mut judgement.assessment.findings {
        finding.message = unnamed(&finding.message);
        finding.remedy = unnamed(&finding.remedy);
        finding.resource = None;
    }
    judgement.decision = decision;
    for reason in &mut judgement.decision.reasons {
        *reason = unnamed(reason);
    }
}

impl Session {
    /// Judges a call without recording anything.
    ///
    /// # Errors
    /// As [`Session::judge`].
    pub fn consider(&self, call: ToolCall, context: Context) -> Result<Judged, BadCall> {
        Ok(self.consider_action(Action::from_call(self.placed(call))?, context))
    }

    /// As [`Session::consider`], where an agent tells of its own tool: arguments that it cannot have are a mistake.
    ///
    /// # Errors
    /// As [`Action::of_own_tool`].
    pub fn consider_own(&self, call: ToolCall, context: Context) -> Result<Judged, BadCall> {
        Ok(self.consider_action(Action::of_own_tool(self.placed(call))?, context))
    }

    fn placed(&self, mut call: ToolCall) -> ToolCall {
        call.cwd = call.cwd.or_else(|| self.cwd.clone());
        call.home = call.home.or_else(|| self.home.clone());
        // They stand by name already, but where something else in the program has maps keep the order in which they came: nobody chooses what is looked at first.
        call.arguments.sort_keys();
        call.arguments.values_mut().for_each(serde_json::Value::sort_all_objects);
        call
    }

    /// What is known of the world around a call, its paths aside.
    #[must_use]
    pub fn facts_of(&self, call: &ToolCall) -> Facts {
        let cwd = call.cwd.as_deref().or(self.cwd.as_deref());
        let home = call.home.as_deref().or(self.home.as_deref());
        self.observer.facts(&FactPlan::default(), cwd, home)
    }

    /// Judges an action without recording anything.
    #[must_use]
    pub fn consider_action(&self, action: Action, context: Context) -> Judged {
        let mut facts = self.surroundings(&action.call);
        let (regime, trouble) = match self.regime(facts.workspace.as_deref()) {
            Ok(regime) => (regime, None),
            Err(error) => (Arc::clone(&self.base), Some(error)),
        };
        facts.tool = regime.configuration.contracts.about(&action.call, &facts.session);
        let mode = regime.configuration.mode_for_call(self.mode.or(context.mode));
        let left_to_agent = regime.configuration.hook.unknown_tools == UnknownTools::Agent;
        let agent_asks = context.agent_asks && left_to_agent;
        let context = Context { mode, agent_asks, ..context };
        let understood = self.understood(&action, facts, &regime.configuration);
        let (mut judgement, mut facts) = regime.gate.judge_understood(understood, &context);
        if judgement.decision.verdict != Verdict::Allow && !judgement.effects.files.is_empty() {
            // What a project keeps of its own is looked up only where it may matter.
            self.observer.look_up_commits(&mut facts);
            judgement = regime.gate.judge_in(&action, &facts, &context);
        }
        if facts.cwd.is_none() && judgement.decision.verdict == Verdict::Allow {
            let supposed = suppose_a_directory(&facts);
            raise(&mut judgement, regime.gate.judge_in(&action, &supposed, &context));
        }
        if let Some(error) = trouble {
            let note = format!("what the project demands cannot be read: {error}");
            deny(&mut judgement.decision, &note);
        }
        let noticed = Vec::new();
        let mut judged = Judged {
            action,
            facts,
            context,
            judgement,
            regime,
            noticed,
            sequence: None,
            unanswered: None,
            trace: None,
        };
        self.settle_alike(&mut judged);
        if let Some(over) = &self.over {
            over.tighten(&mut judged);
        }
        judged
    }

    fn surroundings(&self, call: &ToolCall) -> Facts {
        let mut facts = self.observer.surroundings(call.cwd.as_deref(), call.home.as_deref());
        facts.session = self.memory.of(call);
        if facts.session.tools().find(&call.tool).is_none()
            && let Some(state) = &self.state
            && let Some((server, entry)) = pins::Files::accepted(state, &call.tool)
            && let Some(mut tool) = ToolDefinition::read(&entry)
        {
            // Whoever judges a call of it knows of it what the proxy before it knows.
            tool.server = Some(server);
            facts.session.learn(vec![tool]);
        }
        facts
    }

    /// What an action would do, with all that is known of the world as far as it asks for that. It is understood once, with what to look up noted on
    /// the way and files read when they are met; and once more only by what can change that: links and directories. What a file starts is looked up too.
    fn understood<'a>(
        &self,
        action: &'a Action,
        facts: Facts,
        configuration: &Configuration,
    ) -> Understood<'a> {
        let place = Place::of(&facts);
        let look = self.observer.around(&place);
        let mut understood = self.read_through(action, facts, &look);
        for _ in 0..LOOKS {
            let plan = understood.plan();
            let wants_hosts = plan.hosts && understood.facts().hosts.is_empty();
            let mut observed = self.observer.look(&look, &plan, understood.facts());
            if wants_hosts {
                let allowed = &configuration.network.options.allowed_hosts;
                let allowed = allowed.iter().map(|entry| entry.host.to_ascii_lowercase());
                observed.hosts.extend(allowed);
            }
            if observed.is_empty() {
                break;
            }
            let starts_files = !understood.effects().files.is_empty();
            understood = match understood.learned(observed) {
                // The same is understood, so nothing else is asked for.
                Ok(understood) => return understood,
                Err(facts) => self.read_through(action, *facts, &look),
            };
            if !starts_files {
                break;
            }
        }
        understood
    }

    /// What an action would do by what is known, with the files that it starts.
    fn read_through<'a>(
        &self,
        action: &'a Action,
        facts: Facts,
        look: &Look<'_>,
    ) -> Understood<'a> {
        match self.observer.reader(look, &facts) {
            Some(reader) => Understood::reading(action, facts, &|path| reader.read(path)),
            None => Understood::new(action, facts),
        }
    }

    /// The files that an action would start as the world is now.
    #[must_use]
    pub fn files_now(&self, action: &Action) -> Files {
        let facts = self.surroundings(&action.call);
        let understood = self.understood(action, facts, &self.base.configuration);
        Files::of(&understood.effects().files)
    }

    /// Of the files that a decision went by, those that are others by now.
    #[must_use]
    pub fn changed(&self, files: &Files) -> Vec<String> {
        self.observer.changed(files)
    }

    /// What calls in a workspace are judged under.
    pub(super) fn regime(&self, workspace: Option<&str>) -> Result<Arc<Regime>, ConfigError> {
        let base = &self.base;
        let Some(workspace) = workspace else { return Ok(Arc::clone(base)) };
        // Read for each call: a file that changes counts at once.
        let Some(file) = base.configuration.project(Path::new(workspace))? else {
            return Ok(Arc::clone(base));
        };
        let mut last = self.project.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, regime)) = &*last
            && *known == file
        {
            return Ok(Arc::clone(regime));
        }
        let configuration = base.configuration.with_project(&file)?;
        let regime = Arc::new(self.regime_of(configuration));
        *last = Some((file, Arc::clone(&regime)));
        Ok(regime)
    }

    /// The decision about the same action in another context.
    #[must_use]
    pub fn again(&self, judged: &Judged, context: &Context) -> Decision {
        let Judged { action, facts, regime, .. } = judged;
        let mode = regime.configuration.mode_for_call(context.mode);
        regime.gate.judge_in(action, facts, &Context { mode, ..*context }).decision
    }
}
