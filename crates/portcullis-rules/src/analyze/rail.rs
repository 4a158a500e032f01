//! The policy rails: threats that take two parts in one text. Owns the three rails; each text is judged alone.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    AnalysisFailed, Analyzer, Opinion,
    detectors::{RAW_DISK, compile, is_no_disk},
    pattern::{cut, has_shape},
    segments::Segments,
};
use crate::{
    Span,
    effect::{EffectKind, GapReason},
    finding::{Category, Confidence, Finding, Place},
    normal::Normal,
    place::{self, Place as Ground},
    risk::Severity,
    rules::Scene,
};

/// One rail.
#[derive(Debug)]
pub struct Rail {
    /// Its name, as documented.
    pub id: &'static str,
    /// What kind of harm.
    pub category: Category,
    /// Why, in a sentence.
    pub message: &'static str,
}

/// The rails, in the order in which they are asked.
pub static RAILS: [Rail; 3] = [
    Rail {
        id: "fetch-to-exec",
        category: Category::Execution,
        message: "what comes from the network is piped into something that runs it",
    },
    Rail {
        id: "raw-disk-op",
        category: Category::Destruction,
        message: "a disk is written to or formatted directly",
    },
    Rail {
        id: "catastrophic-delete",
        category: Category::Destruction,
        message: "a recursive deletion reaches the system or somebody's home",
    },
];

/// Composed threats: `High` where a rail fires, `Low` otherwise. Where a deletion may be one and it cannot be told what
/// would run, it does not know.
#[derive(Clone, Copy, Debug, Default)]
pub struct PolicyRailAnalyzer;

impl Analyzer for PolicyRailAnalyzer {
    fn name(&self) -> &str {
        "policy-rail"
    }

    fn analyze(&self, scene: &Scene<'_>) -> Result<Opinion, AnalysisFailed> {
        let patterns = PATTERNS.as_ref().map_err(|error| AnalysisFailed(error.to_string()))?;
        let segments = Segments::new(scene.action);
        let mut opinion = Opinion { level: Some(Severity::Low), ..Opinion::default() };
        opinion.gaps.extend(
            cut(&segments)
                .filter(|(place, _)| !["/summary", "/thought"].contains(&place.pointer.as_str())),
        );
        for segment in segments.list.iter().filter(|segment| segment.executable) {
            let normal = Normal::new(segment.text);
            for (rail, fires) in RAILS.iter().zip([fetch_to_exec, raw_disk, catastrophic_delete]) {
                if let Some(range) = fires(patterns, &normal.text) {
                    let place = Place {
                        pointer: segment.pointer.clone(),
                        span: normal.original(range),
                        layer: None,
                        file: None,
                    };
                    opinion.findings.push(finding(rail, place));
                    break;
                }
            }
        }
        understood(scene, &mut opinion);
        Ok(opinion)
    }
}

struct Patterns {
    fetch: Regex,
    into_shell: Regex,
    raw_disk: Regex,
    format: Regex,
    recursive: Regex,
    catastrophe: Regex,
}

static PATTERNS: LazyLock<Result<Patterns, regex::Error>> = LazyLock::new(|| {
    Ok(Patterns {
        fetch: compile(r"\b(?:curl|wget)\b")?,
        into_shell: compile(
            r#"\| ?(?:(?:sudo|env|exec|nohup)(?: -\S+)* )?(?:/[\w/.-]*/)?(?:(?:ba|z|da|k|a)?sh\b|(?:python[\d.]*|perl|ruby|node|php)(?: -)? ?(?:$|[;&|)"'`]))"#,
        )?,
        raw_disk: compile(RAW_DISK)?,
        format: compile(r"\bmkfs(?:\.\w| -t ?\w)")?,
        recursive: compile(
            r"\brm (?:-[rf]{2,}\b|-r -f\b|-f -r\b|--recursive --force\b|--force --recursive\b)",
        )?,
        catastrophe: compile(
            r"\brm\b.{0,60} (?:/(?:$|[ *])|~/?(?:$| )|/(?:etc|usr|var|home|boot)\b)",
        )?,
    })
});

fn fetch_to_exec(patterns: &Patterns, text: &str) -> Option<std::ops::Range<usize>> {
    patterns.fetch.find(text)?;
    patterns.into_shell.find(text).map(|found| found.range())
}

fn raw_disk(patterns: &Patterns, text: &str) -> Option<std::ops::Range<usize>> {
    let disk = patterns
        .raw_disk
        .captures_iter(text)
        .find(|captures| !is_no_disk(text, captures))
        .and_then(|captures| captures.get(0))
        .map(|whole| whole.range());
    disk.or_else(|| patterns.format.find(text).map(|found| found.range()))
}

fn catastrophic_delete(patterns: &Patterns, text: &str) -> Option<std::ops::Range<usize>> {
    patterns.recursive.find(text)?;
    patterns.catastrophe.find(text).map(|found| found.range())
}

/// What the shell would make of it, where the letters do not show it.
fn understood(scene: &Scene<'_>, opinion: &mut Opinion) {
    let effects = scene.effects;
    let [.., catastrophic] = &RAILS;
    for (index, effect) in effects.list.iter().enumerate() {
        let EffectKind::Run(run) = &effect.kind else { continue };
        if !has_shape(run) {
            continue;
        }
        let (pointer, span) = effects.outermost(effect.at);
        let place = Place { pointer: pointer.to_owned(), span, layer: None, file: None };
        if run.program.is_empty() || run.name.text.has_unknown() {
            opinion.gaps.push((place, GapReason::UnknownProgram.words()));
        } else if run.program == "rm" {
            let deleted = effects
                .list
                .iter()
                .skip(index)
                .take_while(|other| other.at.layer == effect.at.layer);
            let reaches = deleted.filter(|other| inside(effect.at.span, other.at.span)).any(|other| {
                matches!(&other.kind, EffectKind::Delete { target, recursive: true }
                    if matches!(place::place_of(target, scene.facts), Ground::Root | Ground::SystemTop | Ground::System | Ground::HomeTop | Ground::Boot))
            });
            if reaches && !opinion.findings.iter().any(|finding| finding.rule == catastrophic.id) {
                opinion.findings.push(finding(catastrophic, place));
            }
        }
    }
}

const fn inside(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

fn finding(rail: &'static Rail, place: Place) -> Finding {
    Finding {
        rule: rail.id,
        category: rail.category,
        severity: Severity::High,
        confidence: Confidence::Medium,
        place,
        message: rail.message.to_owned(),
        remedy: "see whether this is needed, and do less where less will do".to_owned(),
        reversible: false,
        resource: None,
    }
}
