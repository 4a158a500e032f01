//! What a session keeps in mind of its calls and their answers. Owns what a call leaves behind, where an answer comes from, and what is
//! told beside calls.

use std::{io, sync::PoisonError};

use portcullis_core::{
    action::{Action, ActionKind},
    call::ToolCall,
    decision::{Decision, Layer, Verdict},
    effect::Begun,
    facts::Facts,
    inspect::{Inspection, inspect},
    monitor::Deed,
    redact::redact,
    rules,
    session::Source,
    understand,
};

use super::{Session, decision::deny, judged::Judged};
use crate::{
    config::OnFailure,
    wire::{EventRequest, Happened, Noticed},
};

/// A call whose answer may be told of: its agent, session and id.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Heard(Option<String>, String, String);

/// How many calls are kept whose answer may still be told of.
const UNANSWERED: usize = 1_024;

impl Session {
    /// Keeps in mind what a call leaves behind that may go on. [`Session::record`] does it by itself.
    pub fn remember(&self, judged: &mut Judged) {
        self.expect_answer(judged);
        let Judged { action, judgement, noticed, .. } = judged;
        let Decision { verdict, layer, .. } = judgement.decision;
        if verdict == Verdict::Deny {
            // What only the session is to blame for is no harm of the action's.
            if noticed.is_empty() && action.call.session.is_some() {
                let deed = Deed::of(action, judgement);
                // It is denied already, whether that can be kept in mind or not.
                let _ = self.memory.add(&action.call, &|state| state.denied(&deed, layer));
            }
            return;
        }
        // Without what is secret in it: a name that held it holds something else then, and is sent on as little.
        let code = match &action.kind {
            ActionKind::Code { language, code, .. } => {
                Some((language.clone(), redact(code).into_owned()))
            }
            _ => None,
        };
        let begun = judgement.effects.lasting.iter().map(|begun| Begun {
            directory: begun.directory.clone(),
            command: redact(&begun.command).into_owned(),
            writes: begun.writes,
        });
        let begun: Vec<Begun> = begun.collect();
        let kept = self.memory.add(&action.call, &|state| {
            if layer == Layer::Person && !state.denials().is_empty() {
                state.forgiven(&Deed::of(action, judgement));
            }
            state.after(action, &judgement.effects);
            if let Some(code) = &code {
                state.ran(&code.0, &code.1);
            }
            for begun in &begun {
                state.goes_on(begun.clone());
            }
            state.acted(rules::acted_on(action, &judgement.effects));
        });
        if let Err(error) = kept
            && self.on_failure == OnFailure::Deny
        {
            deny(
                &mut judgement.decision,
                &format!("what it leaves cannot be kept in mind: {error}"),
            );
        }
    }

    /// Keeps in mind where the answer of a call will come from, where its sender can tell of it by an id.
    fn expect_answer(&self, judged: &Judged) {
        let call = &judged.action.call;
        let (Some(session), Some(id)) = (&call.session, &call.id) else { return };
        let source = rules::source(&judged.action, &judged.judgement.effects, &judged.facts);
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        if sources.len() >= UNANSWERED {
            sources.pop_front();
        }
        sources.push_back((Heard(call.agent.clone(), session.clone(), id.clone()), source));
    }

    /// Keeps in mind what a call answered.
    ///
    /// # Errors
    /// When it cannot be kept for the next process.
    pub fn answered_with(&self, call: &ToolCall, text: &str, seen: &Inspection) -> io::Result<()> {
        let source = match Action::from_call(call.clone()) {
            Ok(action) => {
                let facts = Facts { session: self.memory.of(call), ..self.facts_of(call) };
                let effects = understand::understand(&action, &facts);
                rules::source(&action, &effects, &facts)
            }
            Err(_) => {
                Source { from: format!("what `{}` answered", call.tool), ..Source::default() }
            }
        };
        self.heard(call, &source, text, seen)
    }

    /// As [`Session::answered_with`], of a call that was judged here.
    ///
    /// # Errors
    /// When it cannot be kept for the next process.
    pub fn answered_to(&self, judged: &Judged, text: &str, seen: &Inspection) -> io::Result<()> {
        let source = rules::source(&judged.action, &judged.judgement.effects, &judged.facts);
        self.heard(&judged.action.call, &source, text, seen)
    }

    fn heard(
        &self,
        call: &ToolCall,
        source: &Source,
        text: &str,
        seen: &Inspection,
    ) -> io::Result<()> {
        self.memory.add(call, &|state| {
            state.told(&call.tool, seen);
            state.answered(source, text, seen);
        })
    }

    /// Keeps in mind what happened in a session beside its calls; gives what was noticed.
    ///
    /// # Errors
    /// When it cannot be kept for the next process.
    pub fn happened(&self, event: &EventRequest) -> io::Result<Noticed> {
        let EventRequest { id, session, agent, what } = event;
        let call = ToolCall {
            session: Some(session.clone()),
            agent: agent.clone(),
            ..ToolCall::default()
        };
        match what {
            Happened::Tools(tools) => {
                self.memory.add(&call, &|state| state.learn(tools.clone()))?;
                Ok(Noticed { tools: Some(tools.len()), ..Noticed::default() })
            }
            Happened::Prompt(text) => {
                let seen = inspect(text);
                self.memory.add(&call, &|state| state.person_sent(text))?;
                let state = self.memory.of(&call);
                Ok(Noticed {
                    secret: Some(seen.holds_secret()),
                    asked: Some(state.asked().acts().names().collect()),
                    named: Some(state.asked().things()),
                    limits: Some(state.asked().limits()),
                    ..Noticed::default()
                })
            }
            Happened::Result(text) => {
                let seen = inspect(text);
                let id =
                    id.as_ref().map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
                let key = Heard(agent.clone(), session.clone(), id.unwrap_or_default());
                let sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
                let known = sources.iter().rev().find(|(known, _)| *known == key);
                let unknown =
                    || Source { from: "what a call answered".to_owned(), ..Source::default() };
                let source = known.map_or_else(unknown, |(_, source)| source.clone());
                drop(sources);
                self.heard(&call, &source, text, &seen)?;
                let state = self.memory.of(&call);
                Ok(Noticed {
                    secret: Some(seen.holds_secret()),
                    planted: Some(!seen.planted.is_empty()),
                    from: Some(source.from),
                    demands: Some(state.heard().demanded().names().collect()),
                    ..Noticed::default()
                })
            }
        }
    }
}
