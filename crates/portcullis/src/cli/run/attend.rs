//! A person who sits with an agent. Owns what they are shown and asked, and what their words mean; what an answer does, the conversation says.

use std::{
    io::Write,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use portcullis_core::{
    conversation::{Proposed, Status},
    tool::{Meaning, meaning},
};
use serde_json::{Map, Value};

use super::screen::folded;
use crate::{
    cli::Failure,
    conversation::{Conversation, ConversationError, PLAN, change},
    person::Person,
    report::visible,
};

/// What can be answered.
const ANSWERS: &str = "  y: yes   n [why]: no   e: edit   l: yes, and its like   a: always in this conversation   x: explain\n";

/// What can be answered to a plan.
const TO_A_PLAN: &str = "  y: yes, carry it out   n [why]: no\n";

/// What becomes of a question.
enum Answered {
    /// It is answered.
    Done,
    /// It stands as it did, or another one does.
    Again,
    /// Nobody answers any more.
    Gone,
}

/// Runs a conversation with somebody who answers, until it is over, or they are gone or stop it. Whatever did not begin by then is rejected.
pub(in crate::cli) fn attended(
    conversation: &mut Conversation,
    person: &mut Person,
    stop: &Arc<AtomicBool>,
    screen: &mut dyn Write,
) -> Result<Status, Failure> {
    loop {
        let status = conversation.run().map_err(|error| failure(&error))?;
        if stop.load(Ordering::Relaxed) {
            // What was agreed to and did not begin has to be agreed to anew.
            conversation.interrupt(person.name()).map_err(|error| failure(&error))?;
            return Ok(conversation.status());
        }
        if status != Status::WaitingForConfirmation {
            return Ok(status);
        }
        let Some(first) = conversation.pending().next().cloned() else { continue };
        let begun = Instant::now();
        let answered = asked(conversation, person, stop, screen, &first);
        conversation.waited(begun.elapsed());
        // A terminal that fails is one that nobody sits at.
        if matches!(answered, Ok(Answered::Gone) | Err(_)) {
            conversation
                .reject_pending_actions("the person went away", person.name())
                .map_err(|error| failure(&error))?;
            conversation.pause(person.name()).map_err(|error| failure(&error))?;
            return Ok(conversation.status());
        }
    }
}

fn asked(
    conversation: &mut Conversation,
    person: &mut Person,
    stop: &AtomicBool,
    screen: &mut dyn Write,
    proposed: &Proposed,
) -> std::io::Result<Answered> {
    let (action, hash) = (proposed.action, proposed.hash.as_str());
    let by = person.name().to_owned();
    let question = folded(&question(proposed, conversation), person.columns());
    let mut shown = question.as_str();
    loop {
        let answers = if proposed.tool == PLAN { TO_A_PLAN } else { ANSWERS };
        let prompt = format!("{shown}{answers}> ");
        shown = "";
        let Some(line) = person.line_for(&prompt, stop)? else { return Ok(Answered::Gone) };
        let (word, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        let done = match word.to_ascii_lowercase().as_str() {
            "y" | "yes" => conversation.approve(action, hash, &by).map(|()| Answered::Done),
            "n" | "no" => {
                let reason =
                    if rest.trim().is_empty() { "the person said no" } else { rest.trim() };
                conversation.reject(action, reason, &by).map(|()| Answered::Done)
            }
            "a" | "always" if proposed.tool != PLAN => {
                conversation.approve_always(action, hash, &by).map(|_| Answered::Done)
            }
            "l" | "like" if proposed.tool != PLAN => alike(conversation, person, stop, proposed)?,
            "e" | "edit" if proposed.tool != PLAN => match edited(person, stop, proposed)? {
                Ok(arguments) => {
                    conversation.edit(action, arguments, &by).map(|()| Answered::Again)
                }
                Err(why) => Err(ConversationError::State(why)),
            },
            "x" | "explain" if proposed.tool != PLAN => {
                conversation.explain(action).map(|text| {
                    // Who cannot read it can still answer.
                    let _ = screen.write_all(text.as_bytes()).and_then(|()| screen.flush());
                    Answered::Again
                })
            }
            _ => continue,
        };
        match done {
            Ok(answered) => return Ok(answered),
            Err(error @ (ConversationError::Log(_) | ConversationError::Io(_))) => {
                return Err(std::io::Error::other(error.to_string()));
            }
            Err(error) => {
                writeln!(screen, "  not done: {}", visible::line(&error.to_string()))?;
            }
        }
    }
}

/// A yes for a call and its like, once whoever answers has read what that is.
fn alike(
    conversation: &mut Conversation,
    person: &mut Person,
    stop: &AtomicBool,
    proposed: &Proposed,
) -> std::io::Result<Result<Answered, ConversationError>> {
    let kind = match conversation.kind(proposed.action) {
        Ok(kind) => kind,
        Err(error) => return Ok(Err(error)),
    };
    let words = visible::line(&kind.words()).into_owned();
    let text = format!(
        "  this call, and in this conversation {words}; nothing riskier than {}\n",
        kind.level
    );
    let prompt = format!("{}  all of these? y: yes> ", folded(&text, person.columns()));
    let Some(line) = person.line_for(&prompt, stop)? else { return Ok(Ok(Answered::Gone)) };
    if !matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes") {
        return Ok(Ok(Answered::Again));
    }
    let by = person.name().to_owned();
    Ok(conversation
        .approve_alike(proposed.action, &proposed.hash, &kind, &by)
        .map(|()| Answered::Done))
}

/// Other arguments for a call, as they are typed: the command of a shell, else all of them in JSON.
fn edited(
    person: &mut Person,
    stop: &AtomicBool,
    proposed: &Proposed,
) -> std::io::Result<Result<Map<String, Value>, String>> {
    let is_shell = meaning(&proposed.tool) == Meaning::Shell;
    let prompt = if is_shell { "  command: " } else { "  arguments, in JSON: " };
    let Some(line) = person.line_for(prompt, stop)? else {
        return Ok(Err("nothing was typed".to_owned()));
    };
    if is_shell {
        let arguments = Map::from_iter([("command".to_owned(), Value::String(line))]);
        return Ok(Ok(arguments));
    }
    Ok(match serde_json::from_str(&line) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        _ => Err("this is no JSON object".to_owned()),
    })
}

/// What a person is asked, each thing on lines of its own.
fn question(proposed: &Proposed, conversation: &Conversation) -> String {
    let one = |text: &str| visible::line(text).into_owned();
    let indented = |text: &str| -> String {
        visible::lines(text).lines().map(|line| format!("    {line}\n")).collect()
    };
    if proposed.tool == PLAN {
        let plan = proposed.arguments.get("plan").and_then(Value::as_str).unwrap_or_default();
        return format!("\nthe agent presents its plan:\n{}", indented(plan));
    }
    let risk = proposed.risk.map_or("unknown", |risk| risk.name());
    let mut text = format!(
        "\ncall {}: the agent wants to use `{}`; risk {risk}\n",
        proposed.action,
        one(&proposed.tool)
    );
    if let Some(summary) = &proposed.summary {
        text.push_str(&format!("  it says: {}\n", one(summary)));
    }
    let tells = |reason: &&String| {
        !proposed.findings.iter().any(|finding| reason.contains(&format!("`{}`", finding.rule)))
    };
    for reason in proposed.reasons.iter().filter(tells).take(6) {
        text.push_str(&format!("  asked because {}\n", one(reason)));
    }
    for finding in &proposed.findings {
        let (severity, message) = (finding.severity.name(), one(&finding.message));
        text.push_str(&format!("  {severity}: {message} (`{}`)\n", one(&finding.rule)));
    }
    match change(proposed, conversation.workspace()) {
        Some(change) => {
            let path = proposed.arguments.get("path").and_then(Value::as_str).unwrap_or_default();
            text.push_str(&format!("  {}\n{}", one(path), indented(&change)));
        }
        None => {
            for (name, value) in &proposed.arguments {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                text.push_str(&format!("  {}:\n{}", one(name), indented(&value)));
            }
        }
    }
    text.push_str(&format!("  {}\n", proposed.hash));
    text
}

pub(in crate::cli) fn failure(error: &ConversationError) -> Failure {
    match error {
        ConversationError::Log(error) => super::super::conversation::failure(error),
        ConversationError::Io(_) => Failure::internal(error),
        ConversationError::Locked(_) => Failure::configuration(error),
        _ => Failure::denied(error),
    }
}
