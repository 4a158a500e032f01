//! What would be granted, shown before it is. Owns the question that a person is asked, that everything in it is what the
//! record says, and that the answer is recorded before it counts.

use std::fmt::Write as _;

use jiff::{SignedDuration, Timestamp};
use portcullis_core::{
    call::ToolCall,
    decision::{Layer, Verdict},
    policy::{self, Context, Rule, Subject, narrow},
    redact::MASK,
    risk::{Risk, Severity},
    rules,
    tool::{self, Meaning},
};
use serde_json::{Map, Value};

use super::{Breadth, Desk, Wanted, duration, failure};
use crate::{
    alike::{Like, NoKind},
    audit::{Entry, Filter, Kind, Record},
    cli::Failure,
    grants::{Grant, GrantId, Grants, LONGEST, Scope, What, within_reach},
    person::Person,
    report::{self, Colour, visible},
    session::{Judged, Options, Session},
};

/// How many records are looked through for what else a pattern would have let through.
const LOOKED_AT: u32 = 300;

/// How many of those are shown.
const SHOWN: usize = 5;

/// The most lines of a call that are shown: what is longer is shown by its beginning and its end.
const MAX_LINES: usize = 40;

/// A grant that a person is asked about.
pub(super) struct Offer<'a> {
    record: &'a Record,
    grant: Grant,
    length: SignedDuration,
    question: String,
}

impl<'a> Offer<'a> {
    pub(super) fn new(desk: &Desk, record: &'a Record, wanted: &Wanted) -> Result<Self, Failure> {
        let entry = &record.entry;
        let configuration = desk.configuration.clone();
        let session =
            Session::open(Options { configuration, unrecorded: true, ..Options::default() });
        let again = again(&session, entry);
        if again.as_ref().is_some_and(|judged| judged.seal() != entry.files.seal()) {
            return Err(Failure::denied("what this call starts is not what it was when it asked")
                .with_help("let the agent call again, and look at what stands in its files now"));
        }
        let level = level(entry.risk, again.as_ref());
        let scope = scope(wanted.scope, &session, entry)?;
        if !wanted.is_like {
            within_reach(&scope, level).map_err(|error| {
                Failure::denied(error)
                    .with_help("leave `--session`, `--project` and `--always` away")
            })?;
        }
        let what = if wanted.is_like {
            What::Like(like(again.as_ref(), entry)?)
        } else if wanted.patterns.is_empty() {
            What::Exact {
                action: entry.action.clone().unwrap_or_default(),
                files: entry.files.seal(),
            }
        } else {
            What::Pattern(patterns(&session, again.as_ref(), wanted, entry)?)
        };
        let length = wanted.length.unwrap_or(scope.usual());
        let expires = desk.now.checked_add(length).ok().filter(|_| length <= LONGEST);
        let expires = expires.ok_or_else(|| {
            Failure::usage("no grant holds that long")
                .with_help(format_args!("give at most {}", duration::words(LONGEST)))
        })?;
        let grant = Grant {
            id: GrantId::random().map_err(Failure::internal)?,
            what,
            scope,
            granted: desk.now,
            expires,
            risk: entry.risk.unwrap_or(Risk::Unknown),
            preview: entry.preview.clone().unwrap_or_default(),
            by: String::new(),
            whose: None,
            record: 0,
        };
        let mut offer = Self { record, grant, length, question: String::new() };
        offer.question = offer.asked(desk, &session, again.as_ref())?;
        Ok(offer)
    }

    /// Asks, and grants it where the answer is yes; gives what to say then.
    pub(super) fn put_to(mut self, desk: &Desk, person: &mut Person) -> Result<String, Failure> {
        let agreed = person.confirm(&self.question).map_err(|error| {
            Failure::internal(format_args!("the terminal could not be asked at: {error}"))
        })?;
        if !agreed {
            return Err(Failure::denied("nothing was allowed"));
        }
        self.grant.by = person.name().to_owned();
        let failed = |error| failure(&error);
        // The record that asked is in it.
        let mut grants = Grants::open(&desk.state)
            .map_err(failed)?
            .ok_or_else(|| Failure::internal("the record is gone; nothing was allowed"))?;
        grants.add(&self.grant, self.answer(), Timestamp::now()).map_err(failed)?;
        let id = self.grant.id.short();
        Ok(format!("allowed: {}\n`portcullis allow revoke {id}` takes it back\n", self.promise()))
    }

    /// What the record says of it.
    fn answer(&self) -> Entry {
        let Entry { tool, class, risk, action, preview, policy, session, agent, cwd, .. } =
            self.record.entry.clone();
        Entry {
            refers_to: Some(self.record.sequence),
            tool,
            class,
            risk,
            decision: Some(Verdict::Allow),
            layer: Some(Layer::Person),
            reason: Some(self.promise()),
            action,
            preview,
            policy,
            session,
            agent,
            cwd,
            ..Entry::new(Kind::Answer)
        }
    }

    /// What is granted, in a sentence on one line.
    fn promise(&self) -> String {
        let often = match &self.grant.scope {
            Scope::Once => "once".to_owned(),
            Scope::Session(session) => format!("in the session `{session}`"),
            Scope::Project(workspace) => format!("in `{workspace}`"),
            Scope::Always => "everywhere".to_owned(),
        };
        let words = format!(
            "{} {often}, for {} (until {:.0})",
            self.grant.words(),
            duration::words(self.length),
            self.grant.expires
        );
        visible::line(&words).into_owned()
    }

    fn asked(
        &self,
        desk: &Desk,
        session: &Session,
        again: Option<&Judged>,
    ) -> Result<String, Failure> {
        let entry = &self.record.entry;
        let line =
            |text: &Option<String>| visible::line(text.as_deref().unwrap_or("-")).into_owned();
        let mut page = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(
            page,
            "record {}, {} ago: the agent {} wants to use `{}` in {}",
            self.record.sequence,
            duration::words(desk.now.duration_since(self.record.time)),
            line(&entry.agent),
            line(&entry.tool),
            line(&entry.cwd),
        );
        page.push_str(&quoted(entry.preview.as_deref().unwrap_or_default()));
        if !is_whole(entry) {
            page.push_str("(the record holds no more of it than this, without secrets; the whole call is bound by its hash)\n");
        }
        page.push('\n');
        match again {
            Some(judged) => page.push_str(&report::verdict(judged.report(), Colour::Plain)),
            None => {
                for rule in entry.rules.iter().filter_map(|id| rules::find(id)) {
                    let _ = writeln!(page, "{}: {} ({})", rule.severity, rule.message, rule.id);
                }
            }
        }
        let risk = entry.risk.map_or("unknown", Risk::name);
        let _ = writeln!(page, "recorded as: {risk} risk; {}", line(&entry.reason));
        if let What::Pattern(rules) = &self.grant.what {
            page.push('\n');
            for rule in rules {
                let _ = writeln!(page, "{}", breadth(rule));
            }
            page.push_str("at medium risk and below, and where all of it is understood\n");
            page.push_str(&self.others(desk, session, rules)?);
        }
        if let What::Like(like) = &self.grant.what {
            page.push_str("\nof the same kind are calls that nothing else asks about:\n");
            for asked in &like.asked {
                let resource = asked.resource.as_deref().unwrap_or("whatever is named below");
                let line = format!("{} on {resource}", asked.rule);
                let _ = writeln!(page, "  {}", visible::line(&line));
            }
            let touched: Vec<&str> = like.touched.iter().map(String::as_str).collect();
            let line = format!("and that touch nothing but {}", touched.join(", "));
            let _ = writeln!(page, "{}, at {} risk and below", visible::line(&line), like.level);
        }
        let _ = writeln!(page, "\nthis allows {}", self.promise());
        if matches!(self.grant.scope, Scope::Session(_)) {
            page.push_str(match within_reach(&Scope::Project(String::new()), level(entry.risk, again)) {
                Ok(()) => {
                    "a run without a person is a session of its own, and this ends with it: `--project --for 2h` holds for further runs\n"
                }
                Err(_) => {
                    "a run without a person is a session of its own, and this ends with it; at this risk nothing holds longer\n"
                }
            });
        }
        Ok(page)
    }

    /// What the same rules would have let through of what was judged lately.
    fn others(&self, desk: &Desk, session: &Session, rules: &[Rule]) -> Result<String, Failure> {
        let filter =
            Filter { kind: Some(Kind::Decision), limit: Some(LOOKED_AT), ..Filter::default() };
        let lately = desk.reading()?.list(&filter).map_err(|error| failure(&error))?;
        let mut others: Vec<String> = Vec::new();
        for record in lately.iter().rev() {
            let preview = record.entry.preview.clone().unwrap_or_default();
            if record.entry.action == self.record.entry.action || others.contains(&preview) {
                continue;
            }
            let Some(judged) = again(session, &record.entry) else { continue };
            if policy::covered(session.policy(), rules, &subject(&judged)).is_ok() {
                others.push(preview);
            }
        }
        if others.is_empty() {
            return Ok(format!(
                "of the last {} calls it would have let no other through\n",
                lately.len()
            ));
        }
        let mut page =
            format!("of the last {} calls it would also have let through:\n", lately.len());
        for other in others.iter().take(SHOWN) {
            page.push_str(&quoted(other));
        }
        if let Some(left) = others.len().checked_sub(SHOWN).filter(|left| *left > 0) {
            let _ = writeln!(page, "and {left} more");
        }
        Ok(page)
    }
}

/// A text of somebody else, each line of it marked, so that none can pass for one of ours.
fn quoted(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut page = String::new();
    let left = lines.len().saturating_sub(MAX_LINES);
    for (number, line) in lines.iter().enumerate() {
        if left > 0 && number == MAX_LINES / 2 {
            let _ = writeln!(page, "  ┆ {left} more lines");
        }
        if left == 0 || number < MAX_LINES / 2 || number >= MAX_LINES / 2 + left {
            let _ = writeln!(page, "  │ {}", visible::line(line));
        }
    }
    page
}

/// Whether the record has all of the call's text, as it was sent.
fn is_whole(entry: &Entry) -> bool {
    entry.preview.as_deref().is_some_and(|preview| {
        !preview.contains(MASK) && !preview.contains(" [… ") && !preview.contains('\u{2400}')
    })
}

/// The call of a record, judged as it would be now; `None` where the record does not hold enough of it.
fn again(session: &Session, entry: &Entry) -> Option<Judged> {
    let preview = entry.preview.clone().filter(|_| is_whole(entry))?;
    let tool = entry.tool.clone()?;
    let argument = match tool::meaning(&tool) {
        Meaning::Shell => "command",
        Meaning::Code(_) => "code",
        Meaning::Query => "query",
        Meaning::Http(_) => "url",
        Meaning::Other => "",
        Meaning::File(_) | Meaning::FileCommand | Meaning::Patch | Meaning::Git => return None,
    };
    let arguments: Map<String, Value> = if argument.is_empty() {
        serde_json::from_str(&preview).ok()?
    } else {
        std::iter::once((argument.to_owned(), Value::String(preview))).collect()
    };
    let (cwd, session_name) = (entry.cwd.clone(), entry.session.clone());
    let call = ToolCall { tool, arguments, cwd, session: session_name, ..ToolCall::default() };
    session.consider(call, Context::default()).ok()
}

/// The level of the call: the higher one of what was recorded and what is found now.
fn level(recorded: Option<Risk>, again: Option<&Judged>) -> Severity {
    // What is unknown was not found to be high: see `Assessment::risk`.
    let recorded = recorded.and_then(Risk::severity).unwrap_or(Severity::Medium);
    again.map_or(recorded, |judged| judged.judgement.assessment.level.max(recorded))
}

fn subject(judged: &Judged) -> Subject<'_> {
    Subject {
        action: &judged.action,
        effects: &judged.judgement.effects,
        facts: &judged.facts,
        assessment: &judged.judgement.assessment,
    }
}

fn scope(breadth: Breadth, session: &Session, entry: &Entry) -> Result<Scope, Failure> {
    let missing = |what: &str| {
        Failure::bad_input(format_args!("the record does not say which {what} asked"))
            .with_help("without it the call can be allowed once, or with `--always`")
    };
    Ok(match breadth {
        Breadth::Once => Scope::Once,
        Breadth::Always => Scope::Always,
        Breadth::Session => {
            Scope::Session(whole(&entry.session).ok_or_else(|| missing("session"))?)
        }
        Breadth::Project => {
            let mut here = ToolCall::shell("true");
            here.cwd = Some(whole(&entry.cwd).ok_or_else(|| missing("directory"))?);
            let judged = session.consider(here, Context::default()).map_err(Failure::internal)?;
            Scope::Project(judged.facts.workspace.ok_or_else(|| missing("workspace"))?)
        }
    })
}

/// A field that is neither cut nor redacted.
fn whole(text: &Option<String>) -> Option<String> {
    text.clone().filter(|text| !text.contains(MASK) && !text.contains(" [… "))
}

/// The rules that are granted: those that were given, or those that are proposed.
fn patterns(
    session: &Session,
    again: Option<&Judged>,
    wanted: &Wanted,
    entry: &Entry,
) -> Result<Vec<Rule>, Failure> {
    let Some(judged) = again else {
        let why = if is_whole(entry) {
            "no pattern describes it"
        } else {
            "the record holds only a part of it, without secrets"
        };
        return Err(Failure::denied(format_args!(
            "no pattern can be granted for this call: {why}"
        ))
        .with_help(
            "allow exactly this call, without `--pattern`, or write a rule into the configuration",
        ));
    };
    let subject = subject(judged);
    let exactly = "leave `--pattern` away to allow exactly this call";
    let mut rules: Vec<Rule> = Vec::new();
    for text in &wanted.patterns {
        if text.is_empty() {
            let proposed = policy::proposed(session.policy(), &subject);
            rules.extend(proposed.map_err(|error| {
                Failure::denied(format_args!("no pattern can be granted for this call: {error}"))
                    .with_help(exactly)
            })?);
            continue;
        }
        let rule: Rule = text.parse().map_err(|error| {
            Failure::usage(error).with_help("a rule looks like `Bash(npm run test:*)`")
        })?;
        narrow(&rule).map_err(|error| {
            Failure::denied(format_args!("`{rule}` cannot be granted: {error}"))
                .with_help("a rule that wide belongs into the configuration")
        })?;
        rules.push(rule);
    }
    policy::covered(session.policy(), &rules, &subject).map_err(|error| {
        Failure::denied(format_args!("this would not allow the call: {error}")).with_help(exactly)
    })
}

/// The kind of a call, as it is judged now.
fn like(again: Option<&Judged>, entry: &Entry) -> Result<Like, Failure> {
    let exactly = "leave `--like` away to allow exactly this call";
    let refused = |why: &dyn std::fmt::Display| {
        Failure::denied(format_args!("calls like this cannot be allowed together: {why}"))
            .with_help(exactly)
    };
    let judged = again.ok_or_else(|| {
        refused(&"the record holds only a part of it, or its tool is none that can be judged again")
    })?;
    // What the session has seen is in the record alone.
    if entry.rules.iter().any(|rule| rule.starts_with("session.")) {
        return Err(refused(&NoKind::Session));
    }
    judged.kind().map_err(|error| refused(&error))
}

/// What a rule admits, in a sentence.
fn breadth(rule: &Rule) -> String {
    let text = rule.to_string();
    let text = visible::line(&text);
    let inner = text.split_once('(').and_then(|(_, inner)| inner.strip_suffix(')'));
    match inner {
        Some(command) if command.ends_with(":*") || command.ends_with(" *") => {
            let command = command.get(..command.len() - 2).unwrap_or_default();
            format!(
                "`{text}` admits `{command}` with any further arguments, but those that make it run or write something else"
            )
        }
        Some(host) if host.starts_with("domain:") => {
            format!("`{text}` admits whatever is fetched from there")
        }
        Some(_) => format!("`{text}` admits this and nothing after it, in any directory"),
        None => format!("`{text}` admits every call of this tool"),
    }
}
