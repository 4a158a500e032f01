//! A judgement on a page. Owns the layout of findings and decisions for a person; which parts of a text are drawn is said
//! in `excerpt`, and the sentences in `words`.

use std::{borrow::Cow, fmt::Write as _};

use annotate_snippets::{Group, Level, Renderer};
use portcullis_core::{
    assessment::{Assessment, Coverage},
    call::ToolCall,
    decision::{Decision, Verdict},
    effect::{self, Effects, LayerOrigin},
    finding::{Finding, Place},
    risk::Severity,
};
use serde_json::Value;

use super::{
    excerpt::{self, Mark, grouped},
    redaction, visible, words,
};

/// How many findings `check` shows; the rest is counted. More than a screen is not read before a decision.
const SHOWN_FINDINGS: usize = 6;
/// How many lines each list of an explanation has.
const SHOWN_LINES: usize = 40;

/// A call with everything that was said about it.
#[derive(Clone, Copy)]
pub struct Judged<'a> {
    /// The call.
    pub call: &'a ToolCall,
    /// What it would do.
    pub effects: &'a Effects,
    /// How risky it is.
    pub assessment: &'a Assessment,
    /// Whether it may run.
    pub decision: &'a Decision,
}

/// Whether escape sequences are written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Colour {
    /// Plain text.
    Plain,
    /// Colours, for a terminal.
    Coloured,
}

/// The findings that matter and the verdict.
#[must_use]
pub fn verdict(judged: Judged<'_>, colour: Colour) -> String {
    let mut page = Page::new(colour);
    let findings = &judged.assessment.findings;
    let matter = |finding: &&Finding| finding.severity >= Severity::Medium;
    // The most severe come first, so those that matter do too.
    let shown = findings.iter().filter(matter).take(SHOWN_FINDINGS).count();
    for finding in findings.iter().take(shown) {
        page.finding(&judged, finding);
    }
    let left = findings.len() - shown;
    if shown > 0 && left > 0 {
        let (noun, verb) = if left == 1 { ("finding", "is") } else { ("findings", "are") };
        page.line(&format!(
            "{} more {noun} {verb} not shown; `portcullis explain` shows everything\n",
            grouped(left)
        ));
    }
    if let Coverage::Partial(gaps) = &judged.assessment.coverage {
        let said =
            |place: &Place| findings.iter().take(shown).any(|finding| finding.place == *place);
        let unsaid: Vec<_> = gaps.iter().filter(|(place, _)| !said(place)).collect();
        page.gaps(&judged, &unsaid);
    }
    page.decision(&judged);
    page.text
}

/// What an action would do, a line for each effect, at most so many.
#[must_use]
pub fn effects(effects: &Effects, most: usize) -> Vec<String> {
    let words = |effect: &effect::Effect| {
        redaction::line(&format!(
            "{}{}",
            words::effect(&effect.kind),
            words::certainty(effect.certainty)
        ))
    };
    effects.list.iter().take(most).map(words).collect()
}

/// Everything: the text, what it would do, what was found, and how the decision came about.
#[must_use]
pub fn explanation(judged: Judged<'_>, changes: &[String], colour: Colour) -> String {
    let Judged { call: _, effects, assessment, decision } = judged;
    let mut page = Page::new(colour);
    page.overview(&judged);

    page.heading("what it would do");
    if effects.list.is_empty() {
        page.line("  nothing that we know of");
    }
    page.list(effects.list.iter().enumerate().map(|(number, effect)| {
        let words = words::effect(&effect.kind);
        format!("{:>3}  {words}{}", number + 1, words::certainty(effect.certainty))
    }));
    if !effects.flows.is_empty() {
        page.heading("where data goes");
        page.list(effects.flows.iter().map(|flow| {
            let end = |id: effect::EffectId| {
                let words =
                    effects.list.get(id.0 as usize).map(|effect| words::effect(&effect.kind));
                format!("{} {}", id.0 + 1, words.unwrap_or_default())
            };
            format!("  {} → {}", end(flow.from), end(flow.to))
        }));
    }

    if !effects.files.is_empty() {
        page.heading("what it would start");
        page.list(effects.files.iter().map(|file| redaction::line(&started(file))));
    }

    page.heading("what was found");
    if assessment.findings.is_empty() {
        page.line("  nothing worth saying");
    }
    for finding in assessment.findings.iter().take(SHOWN_LINES) {
        page.finding(&judged, finding);
    }
    if let Some(left) = assessment.findings.len().checked_sub(SHOWN_LINES + 1) {
        page.line(&format!("  {} more", grouped(left + 1)));
    }
    if let Coverage::Partial(gaps) = &assessment.coverage {
        page.heading("what was not understood");
        page.gaps(&judged, &gaps.iter().collect::<Vec<_>>());
    }

    page.heading("what each layer said");
    page.list(decision.steps.iter().map(|step| {
        let arrow = if step.layer == decision.layer { "→" } else { " " };
        let verdict = step.verdict.map_or("–", Verdict::name);
        let note = redaction::line(&step.note);
        format!("{arrow} {:<20} {verdict:<6} {note}", words::layer(step.layer))
            .trim_end()
            .to_owned()
    }));
    page.line("");
    page.decision(&judged);
    if !changes.is_empty() {
        page.heading("what would change it");
        page.list(changes.iter().map(|change| format!("  {}", redaction::line(change))));
    }
    page.text
}

struct Page {
    text: String,
    colour: Colour,
    renderer: Renderer,
}

impl Page {
    fn new(colour: Colour) -> Self {
        let renderer = match colour {
            Colour::Plain => Renderer::plain(),
            Colour::Coloured => Renderer::styled(),
        };
        // The renderer would cut long lines without saying how much is missing. What is cut, `excerpt` cuts.
        let renderer = renderer.term_width(usize::from(u16::MAX));
        Self { text: String::new(), colour, renderer }
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn heading(&mut self, words: &str) {
        let (on, off) = self.style(anstyle::Style::new().bold());
        // Writing to a string cannot fail.
        let gap = if self.text.is_empty() || self.text.ends_with("\n\n") { "" } else { "\n" };
        let _ = writeln!(self.text, "{gap}{on}{words}{off}");
    }

    fn list(&mut self, lines: impl Iterator<Item = String>) {
        let mut left = 0_usize;
        for (index, line) in lines.enumerate() {
            if index < SHOWN_LINES {
                self.line(&line);
            } else {
                left += 1;
            }
        }
        if left > 0 {
            self.line(&format!("  {} more", grouped(left)));
        }
    }

    fn groups(&mut self, groups: &[Group<'_>]) {
        let drawn = self.renderer.render(groups);
        let drawn = drawn.trim_end();
        // A rule below the last line separates it from nothing.
        let drawn = match drawn.rsplit_once('\n') {
            Some((before, last)) if last.trim() == "|" => before,
            _ => drawn,
        };
        self.line(drawn);
        self.line("");
    }

    fn finding(&mut self, judged: &Judged<'_>, finding: &Finding) {
        let title = redaction::line(&finding.message);
        let title = level(finding.severity).primary_title(title).id(finding.rule);
        let mut groups = place(Group::with_title(title), judged, &finding.place);
        let remedy = redaction::line(&finding.remedy);
        if let (Some(last), false) = (groups.pop(), remedy.is_empty()) {
            groups.push(last.element(Level::HELP.message(remedy)));
        }
        self.groups(&groups);
    }

    fn gaps(&mut self, judged: &Judged<'_>, gaps: &[&(Place, &'static str)]) {
        for (at, reason) in gaps.iter().take(SHOWN_FINDINGS) {
            let title = Level::WARNING.with_name("unknown").primary_title(*reason);
            self.groups(&place(Group::with_title(title), judged, at));
        }
        if let Some(left) = gaps.len().checked_sub(SHOWN_FINDINGS + 1) {
            let more = grouped(left + 1);
            self.line(&format!("{more} more places were not understood\n"));
        }
    }

    /// Every place of every finding, in the arguments that have one.
    fn overview(&mut self, judged: &Judged<'_>) {
        let findings = &judged.assessment.findings;
        let mut pointers: Vec<&str> =
            findings.iter().map(|item| item.place.pointer.as_str()).collect();
        pointers.dedup();
        if let (true, Some(effect::Layer { origin: LayerOrigin::Argument(pointer), .. })) =
            (pointers.is_empty(), judged.effects.layers.first())
        {
            pointers.push(pointer);
        }
        for pointer in pointers {
            let Some(source) = source(judged, pointer) else { continue };
            let marks: Vec<Mark> = findings
                .iter()
                .filter(|finding| finding.place.pointer == pointer)
                .map(|finding| Mark {
                    span: finding.place.span.range(),
                    label: finding.rule.to_owned(),
                })
                .collect();
            let name = visible::line(&judged.call.tool).into_owned();
            let title = Level::INFO.with_name("call").primary_title(name);
            self.groups(&[Group::with_title(title).elements(excerpt::elements(&source, &marks))]);
        }
    }

    fn decision(&mut self, judged: &Judged<'_>) {
        let Decision { verdict, layer, reasons, obligations: _, steps: _ } = judged.decision;
        let colour = match verdict {
            Verdict::Allow => anstyle::AnsiColor::Green,
            Verdict::Ask => anstyle::AnsiColor::Yellow,
            Verdict::Deny => anstyle::AnsiColor::Red,
        };
        let (on, off) = self.style(colour.on_default().bold());
        let (word, risk) = (verdict.name(), judged.assessment.risk);
        let _ = writeln!(
            self.text,
            "{on}{word}{off}: {risk} risk, decided by the {}",
            words::layer(*layer)
        );
        // The rest repeats the findings, which stand above.
        if let Some(reason) = reasons.first() {
            let reason = redaction::line(reason);
            self.line(&format!("  {reason}"));
        }
    }

    fn style(&self, style: anstyle::Style) -> (String, String) {
        match self.colour {
            Colour::Plain => (String::new(), String::new()),
            Colour::Coloured => (style.render().to_string(), style.render_reset().to_string()),
        }
    }
}

/// One file that would be started: its path, what it is read as, how much of it was read, and its digest.
fn started(file: &effect::Started) -> String {
    let effect::Started {
        path,
        language,
        digest,
        bytes,
        whole,
        not_read,
        at: _,
        layer: _,
        is_settled: _,
    } = file;
    let size = bytes.map(|bytes| format!(", {bytes} bytes")).unwrap_or_default();
    match (not_read, digest) {
        (Some(why), _) => format!("  {path}: {language}, not read: {}", why.words()),
        (None, Some(digest)) if *whole => format!("  {path}: {language}{size}, sha256 {digest}"),
        (None, Some(digest)) => {
            format!("  {path}: {language}{size}, read in part, sha256 of that part {digest}")
        }
        (None, None) => format!("  {path}: {language}, as this call writes it"),
    }
}

/// The text of the argument with the place underlined, and the inner text where it lies in one.
fn place<'a>(mut group: Group<'a>, judged: &Judged<'_>, place: &Place) -> Vec<Group<'a>> {
    if let Some(source) = source(judged, &place.pointer) {
        group = group.elements(excerpt::elements(&source, &[Mark::at(place.span.range())]));
    }
    if place.pointer != "/command" && !place.pointer.is_empty() {
        let pointer = visible::line(&place.pointer);
        group = group.element(Level::NOTE.with_name("in").message(format!("`{pointer}`")));
    }
    let mut groups = vec![group];
    if let Some(file) = &place.file {
        let (shown, span) = &file.shown;
        let title = format!("in {}:{}", redaction::line(&file.path), file.line);
        let lines = excerpt::elements(shown, &[Mark::at(span.range())]);
        groups.push(Group::with_title(Level::NOTE.secondary_title(title)).elements(lines));
    }
    // What stands in a file word for word is shown above.
    let is_shown =
        |inner: &str| place.file.as_ref().is_some_and(|file| inner.contains(&file.shown.0));
    if let Some((inner, span)) = place.layer.as_ref().filter(|(inner, _)| !is_shown(inner)) {
        let title = Level::NOTE.secondary_title("decoded or nested, it reads");
        let inner = excerpt::elements(inner, &[Mark::at(span.range())]);
        groups.push(Group::with_title(title).elements(inner));
    }
    groups
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Critical | Severity::High => Level::ERROR,
        Severity::Medium => Level::WARNING,
        Severity::Low => Level::NOTE,
        Severity::Safe => Level::INFO,
    }
    .with_name(severity.name())
}

/// The text that a pointer names: as it was understood, else as it arrived.
fn source<'a>(judged: &Judged<'a>, pointer: &str) -> Option<Cow<'a, str>> {
    let is_it = |layer: &&'a effect::Layer| matches!(&layer.origin, LayerOrigin::Argument(of) if of == pointer);
    if let Some(layer) = judged.effects.layers.iter().find(is_it) {
        return Some(Cow::Borrowed(&layer.text));
    }
    let call = judged.call;
    match pointer {
        "/thought" if call.thought.is_some() => return call.thought.as_deref().map(Cow::Borrowed),
        "/summary" if call.summary.is_some() => return call.summary.as_deref().map(Cow::Borrowed),
        _ => {}
    }
    let path = pointer.strip_prefix('/')?;
    let (first, rest) = path.split_at(path.find('/').unwrap_or(path.len()));
    let argument = call.arguments.get(&first.replace("~1", "/").replace("~0", "~"))?;
    match argument.pointer(rest)? {
        Value::String(text) => Some(Cow::Borrowed(text)),
        other => Some(Cow::Owned(other.to_string())),
    }
}
