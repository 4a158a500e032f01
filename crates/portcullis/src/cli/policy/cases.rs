//! Cases of a team for its own policy, as `policy test --cases` tries them. Owns how a case is written and when it holds.

use std::{fs, path::PathBuf};

use clap::ArgMatches;
use portcullis_core::{policy::Context, redact::redact};
use serde_json::{Map, Value, json};

use super::{Failure, in_workspace, load, visible};
use crate::{
    session::{self, Options, Session},
    wire::{Request, parse},
};

/// The longest file of cases.
const LONGEST: u64 = 16 << 20;

/// A case, tried.
pub(super) struct Tried {
    /// What its writer calls it, or where it stands.
    name: String,
    /// The call for a person.
    preview: String,
    /// What it should come out as.
    expected: String,
    /// What it came out as.
    decision: &'static str,
    /// Why it does not hold, where it does not.
    pub(super) problem: Option<String>,
}

impl Tried {
    pub(super) fn text(&self) -> String {
        let Self { name, preview, expected, problem, .. } = self;
        let line = match problem {
            None => format!("ok: {name}: {expected}: {preview}"),
            Some(problem) => format!("FAILED: {name}: {problem}: {preview}"),
        };
        format!("{}\n", visible::line(&line))
    }

    pub(super) fn json(&self) -> Value {
        let Self { name, preview, expected, decision, problem } = self;
        json!({
            "name": name, "preview": preview, "expected": expected, "decision": decision,
            "passed": problem.is_none(), "problem": problem,
        })
    }
}

/// Tries every case of the files that are named.
pub(super) fn tried(matches: &ArgMatches) -> Result<Vec<Tried>, Failure> {
    let files = matches.get_many::<PathBuf>("cases").into_iter().flatten();
    let files: Vec<&PathBuf> = files.collect();
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let configuration = in_workspace(&load(matches)?, matches)?;
    let session = Session::open(Options { configuration, unrecorded: true, ..Options::default() });
    let mut tried = Vec::new();
    for path in files {
        let shown = visible::line(&path.to_string_lossy()).into_owned();
        let wrong = |line: usize, why: &dyn std::fmt::Display| {
            Failure::bad_input(format_args!("{shown}:{line}: {why}"))
        };
        let length = fs::metadata(path).map_err(|error| wrong(0, &error))?.len();
        if length > LONGEST {
            return Err(wrong(0, &"it is longer than 16 MiB"));
        }
        let text = fs::read_to_string(path).map_err(|error| wrong(0, &error))?;
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let at = index + 1;
            let case = case(line, at, &session).map_err(|why| wrong(at, &why))?;
            let name = if case.name.is_empty() { format!("{shown}:{at}") } else { case.name };
            tried.push(Tried { name, ..case });
        }
    }
    Ok(tried)
}

/// Takes a field of a case out of it.
fn word(fields: &mut Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    match fields.remove(name) {
        None => Ok(None),
        Some(Value::String(word)) => Ok(Some(word)),
        Some(_) => Err(format!("`{name}` is not a text")),
    }
}

fn case(line: &str, at: usize, session: &Session) -> Result<Tried, String> {
    let value = parse(line.as_bytes(), at).map_err(|error| error.message)?;
    let Value::Object(mut fields) = value else { return Err("it is no object".to_owned()) };
    let expected = word(&mut fields, "expect")?;
    let expected = expected.filter(|word| ["allow", "ask", "deny"].contains(&word.as_str()));
    let expected = expected.ok_or("`expect` is `allow`, `ask` or `deny`")?;
    let (name, rule, risk) =
        (word(&mut fields, "name")?, word(&mut fields, "rule")?, word(&mut fields, "risk")?);
    let call = Value::Object(fields).to_string();
    let request =
        Request::parse_strictly(call.as_bytes(), at).map_err(|malformed| malformed.message)?;
    let mode = request.mode.as_deref().map(str::parse).transpose();
    let mode = mode.map_err(|error| format!("`mode`: {error}"))?;
    let context = Context { mode, can_ask: true, ..Context::default() };
    let judged = session.consider(request.call, context).map_err(|error| error.to_string())?;
    let judgement = &judged.judgement;
    let decision = judgement.decision.verdict.name();
    let found = |id: &str| judgement.assessment.findings.iter().any(|finding| finding.rule == id);
    let is_risk = |word: &str| judgement.assessment.risk.name() == word;
    let problem = if decision != expected {
        let why = judgement.decision.reasons.first().map_or("", String::as_str);
        Some(format!("expected {expected}, it is {decision} ({why})"))
    } else if let Some(rule) = rule.filter(|rule| !found(rule)) {
        Some(format!("`{rule}` was not found"))
    } else {
        risk.filter(|risk| !is_risk(risk))
            .map(|risk| format!("expected {risk} risk, it is {}", judgement.assessment.risk))
    };
    let preview = redact(&session::preview(&judged.action)).into_owned();
    Ok(Tried { name: name.unwrap_or_default(), preview, expected, decision, problem })
}
