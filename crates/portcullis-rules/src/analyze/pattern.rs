//! The pattern analyzer: known signatures in two corpora. Owns how detectors are run over texts, and where the shell's own
//! syntax is read instead of its letters.

use regex::Regex;

use super::{
    AnalysisFailed, Analyzer, Corpus, Detector, Opinion,
    detectors::{COMPILED, DETECTORS},
    segments::{Segment, Segments},
};
use crate::{
    action::ActionKind,
    effect::{EffectKind, Effects, GapReason, Run},
    finding::{Category, Confidence, Finding, Place},
    normal::Normal,
    phrases,
    risk::Severity,
    rules::Scene,
    understand,
};

/// How often one detector speaks about one text.
const MATCHES: usize = 16;

/// Known signatures: shell patterns in what would be carried out, injection patterns in everything.
///
/// Beside the documented patterns, `exec.destruct.rm_rf` is found by what the shell would make of the text: quoted, wrapped,
/// nested, computed. Where that cannot be told and the arguments are those of a recursive deletion, the opinion is
/// `Unknown`.
#[derive(Clone, Copy, Debug, Default)]
pub struct PatternAnalyzer;

impl Analyzer for PatternAnalyzer {
    fn name(&self) -> &str {
        "pattern"
    }

    fn analyze(&self, scene: &Scene<'_>) -> Result<Opinion, AnalysisFailed> {
        let compiled = COMPILED.as_ref().map_err(|error| AnalysisFailed(error.to_string()))?;
        let segments = Segments::new(scene.action);
        let mut opinion = Opinion { level: Some(Severity::Low), ..Opinion::default() };
        opinion.gaps.extend(cut(&segments));
        for segment in &segments.list {
            let normal = Normal::new(segment.text);
            if segment.executable {
                for (detector, regex) in compiled {
                    opinion.findings.extend(matches(detector, regex, segment, &normal));
                }
            }
            for found in phrases::scan(&normal.text) {
                let span = normal.original(found.span.range());
                opinion.findings.extend(detector(found.id).map(|it| finding(it, segment, span)));
            }
        }
        deletions(scene.effects, Told::BySender, &mut opinion);
        if scene.action.kind == ActionKind::Tool {
            for segment in segments.list.iter().filter(|segment| segment.executable) {
                // What a tool of a foreign server takes for a command is not known: each text is tried as one.
                let effects = understand::as_shell(&segment.pointer, segment.text, scene.facts);
                deletions(&effects, Told::Guessed, &mut opinion);
            }
        }
        Ok(opinion)
    }
}

/// The places that were not read because there is too much.
pub(super) fn cut(segments: &Segments<'_>) -> impl Iterator<Item = (Place, &'static str)> {
    segments.cut.iter().map(|(pointer, start, end)| {
        let span = crate::Span::new(*start, *end);
        (
            Place { pointer: pointer.clone(), span, layer: None, file: None },
            GapReason::Limit.words(),
        )
    })
}

/// How it is known that a text is a command.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Told {
    BySender,
    Guessed,
}

/// Recursive deletions by what would run, and what may be one. In a text that may be no shell at all, what cannot be
/// parsed says nothing.
fn deletions(effects: &Effects, told: Told, opinion: &mut Opinion) {
    for effect in &effects.list {
        let EffectKind::Run(run) = &effect.kind else { continue };
        if !has_shape(run) {
            continue;
        }
        let (pointer, span) = effects.outermost(effect.at);
        let place = Place { pointer: pointer.to_owned(), span, layer: None, file: None };
        if run.program == "rm" {
            let known = opinion.findings.iter().any(|finding| {
                finding.rule == RM
                    && finding.place.pointer == pointer
                    && touch(finding.place.span, span)
            });
            if let (Some(detector), false) = (detector(RM), known) {
                opinion.findings.push(at_place(detector, place));
            }
        } else if run.program.is_empty() || run.name.text.has_unknown() {
            opinion.gaps.push((place, GapReason::UnknownProgram.words()));
        }
    }
    if told == Told::Guessed {
        return;
    }
    for gap in &effects.gaps {
        if matches!(gap.reason, GapReason::Unparsed | GapReason::Limit) {
            let (pointer, span) = effects.outermost(gap.at);
            let place = Place { pointer: pointer.to_owned(), span, layer: None, file: None };
            opinion.gaps.push((place, gap.reason.words()));
        }
    }
}

const RM: &str = "exec.destruct.rm_rf";

const fn touch(left: crate::Span, right: crate::Span) -> bool {
    left.start < right.end && right.start < left.end
}

/// Whether the arguments are those of a recursive and forced deletion, in any spelling.
pub(super) fn has_shape(run: &Run) -> bool {
    let (mut recursive, mut forced) = (false, false);
    for argument in &run.arguments {
        let Some(word) = argument.text.as_known() else { continue };
        if word == "--" {
            break;
        }
        if let Some(long) = word.strip_prefix("--") {
            // GNU takes any beginning of an option that is not the beginning of another.
            recursive |= !long.is_empty() && "recursive".starts_with(long);
            forced |= !long.is_empty() && "force".starts_with(long);
        } else if let Some(letters) = word.strip_prefix('-') {
            recursive |= letters.contains(['r', 'R']);
            forced |= letters.contains('f');
        }
    }
    recursive && forced
}

fn matches(
    detector: &'static Detector,
    regex: &Regex,
    segment: &Segment<'_>,
    normal: &Normal<'_>,
) -> Vec<Finding> {
    // Most texts match nothing, and looking for groups costs more.
    if !regex.is_match(&normal.text) {
        return Vec::new();
    }
    regex
        .captures_iter(&normal.text)
        .filter(|captures| !(detector.refuted)(&normal.text, captures))
        .filter_map(|captures| captures.get(0).map(|whole| whole.range()))
        .take(MATCHES)
        .map(|range| finding(detector, segment, normal.original(range)))
        .collect()
}

fn detector(id: &str) -> Option<&'static Detector> {
    DETECTORS.iter().find(|detector| detector.id == id)
}

fn finding(detector: &'static Detector, segment: &Segment<'_>, span: crate::Span) -> Finding {
    at_place(detector, Place { pointer: segment.pointer.clone(), span, layer: None, file: None })
}

fn at_place(detector: &'static Detector, place: Place) -> Finding {
    Finding {
        rule: detector.id,
        category: detector.category,
        severity: detector.severity,
        confidence: Confidence::Medium,
        place,
        message: detector.message.to_owned(),
        remedy: match detector.corpus {
            Corpus::Executable => "see whether this is needed, and do less where less will do",
            Corpus::All => "see where these words come from before going on",
        }
        .to_owned(),
        reversible: detector.severity < Severity::High || detector.category == Category::Injection,
        resource: None,
    }
}
