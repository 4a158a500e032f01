//! Whether the understanding of Python and JavaScript is true: generated programs run in the real interpreters, which record what would be
//! started and what is done with files, and that is compared with what was predicted. Owns the run over many programs and its report.

mod compare;
mod generate;
mod literals;
mod real;
mod table;

use std::collections::BTreeMap;

use self::{
    compare::{Verdict, compare, predict},
    generate::{Kind, Program, Wanted, alone, program},
    real::{Done, Ran, Real},
    table::Tables,
};
use super::SHOWN;
use crate::command::{Failed, say};

/// How many programs of each language `cargo xtask differential-code` runs.
pub(crate) const PROGRAMS: u64 = 1_000;

/// How many of each language `cargo xtask test` runs.
const PROGRAMS_OF_TEST: u64 = 60;

/// For how many of a hundred programs there is one that does harm in the same words.
const HARMFUL_OF_HUNDRED: u64 = 30;

/// What is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// How many programs of each language.
    pub(crate) programs: u64,
    /// Under which seed.
    pub(crate) seed: u64,
    /// One language alone.
    pub(crate) language: Option<Language>,
}

/// A language that has a generator.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Language {
    Python,
    JavaScript,
}

/// What the programs showed.
#[derive(Default)]
struct Tally {
    programs: u64,
    acts: u64,
    as_predicted: u64,
    open: u64,
    partial: u64,
    silently_wrong: u64,
    needless: u64,
    /// Ended by an error of their own; what they did before counts.
    broken: u64,
    too_slow: u64,
}

/// Runs the programs and prints what they showed.
pub(crate) fn run(options: Options) -> Result<(), Failed> {
    let Wrong { silently, harmful } = compared(options)?;
    if silently + harmful > 0 {
        let told = format!(
            "{silently} programs did what nobody spoke of, and {harmful} that do harm would have run"
        );
        return Err(Failed::Broken(told));
    }
    Ok(())
}

/// The part of it that every change has to pass.
pub(crate) fn check() -> Result<(), Failed> {
    say(&format!("── differential: {PROGRAMS_OF_TEST} programs in Python and in Node\n"));
    let wrong =
        compared(Options { programs: PROGRAMS_OF_TEST, seed: super::SEED, language: None })?;
    if wrong.silently > 0 {
        return Err(Failed::Broken(format!(
            "{} programs did what nobody spoke of",
            wrong.silently
        )));
    }
    Ok(())
}

/// How many programs were not judged as they had to be.
#[derive(Clone, Copy, Debug, Default)]
struct Wrong {
    /// They did what nobody spoke of.
    silently: u64,
    /// They did harm and would have run.
    harmful: u64,
}

/// Runs what is asked for in each language.
fn compared(options: Options) -> Result<Wrong, Failed> {
    let mut wrong = Wrong::default();
    for language in [Language::Python, Language::JavaScript] {
        if options.language.is_some_and(|only| only != language) {
            continue;
        }
        let is_python = language == Language::Python;
        let Some(mut real) = Real::new(is_python)? else {
            say(&format!("there is no interpreter of {language:?} to compare with: skipped\n"));
            continue;
        };
        let tables = if is_python { Tables::python() } else { Tables::javascript() };
        wrong.silently += each(language, &tables, &mut real)?;
        wrong.silently += harmless(language, &tables, &mut real, options)?;
        wrong.harmful += harmful(language, &tables, &mut real, options)?;
    }
    Ok(wrong)
}

/// Each construct by itself, harmless and harmful.
fn each(language: Language, tables: &Tables, real: &mut Real) -> Result<u64, Failed> {
    let is_python = language == Language::Python;
    let mut tally = Tally::default();
    let mut faults: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    for kind in [Kind::Value, Kind::Block, Kind::Act] {
        for at in 0.. {
            let Some(program) = alone(tables, is_python, false, (kind, at)) else { break };
            let name: Vec<&str> = program.constructs.iter().copied().collect();
            let text = program.text();
            let Some(judged) = judge(is_python, real, &text)? else {
                tally.too_slow += 1;
                continue;
            };
            tally.count(&judged);
            if let Some(fault) = fault(&judged) {
                let shown = faults.entry(fault).or_default();
                shown.push(format!("{} {}", name.join(", "), told(&text, &judged)));
            }
        }
    }
    for (fault, programs) in &faults {
        say(&format!("── {language:?}, alone, {fault}\n\n{}\n\n", programs.join("\n\n")));
    }
    say(&tally.sentence(language, "each construct by itself"));
    Ok(tally.silently_wrong)
}

/// Programs that do up to three harmless things.
fn harmless(
    language: Language,
    tables: &Tables,
    real: &mut Real,
    options: Options,
) -> Result<u64, Failed> {
    let is_python = language == Language::Python;
    let mut tally = Tally::default();
    let mut faults: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    let mut by_construct: BTreeMap<&'static str, (u64, u64, u64)> = BTreeMap::new();
    for number in 0..options.programs {
        let wanted =
            Wanted { is_python, seed: options.seed, number, is_harmful: false, is_single: false };
        let program = program(tables, wanted);
        let judged = judge(is_python, real, &program.text())?;
        let Some(judged) = judged else {
            tally.too_slow += 1;
            continue;
        };
        tally.count(&judged);
        for construct in &program.constructs {
            let counts = by_construct.entry(construct).or_default();
            counts.0 += 1;
            counts.1 += u64::from(judged.verdict.is_as_predicted());
            counts.2 += u64::from(judged.verdict.is_silently_wrong());
        }
        if let Some(fault) = fault(&judged) {
            let shown = faults.entry(fault).or_default();
            // What is silently wrong is never left out.
            if shown.len() < SHOWN || fault == WRONG {
                shown.push(format!("#{number} {}", smallest(is_python, real, program, fault)?));
            }
        }
    }
    for (fault, programs) in &faults {
        say(&format!("── {language:?}, {fault}\n\n{}\n\n", programs.join("\n\n")));
    }
    say(&table(language, &by_construct));
    say(&tally.sentence(language, &format!("seed {}", options.seed)));
    Ok(tally.silently_wrong)
}

/// Programs that do one harmful thing: in the same words a harmless one is done, which proves that they do it.
fn harmful(
    language: Language,
    tables: &Tables,
    real: &mut Real,
    options: Options,
) -> Result<u64, Failed> {
    let is_python = language == Language::Python;
    let (mut judged, mut passed) = (0, Vec::new());
    let wanted = options.programs * HARMFUL_OF_HUNDRED / 100;
    let mut number = 0;
    while judged < wanted && number < 4 * wanted {
        // Apart from the numbers of the harmless ones.
        let at = 1_000_000 + number;
        number += 1;
        let with = |is_harmful| {
            let wanted =
                Wanted { is_python, seed: options.seed, number: at, is_harmful, is_single: true };
            program(tables, wanted)
        };
        // The harmless one proves that it is done: to the very thing, and to the end.
        let twin = with(false);
        let ran = real.run(&twin.text())?;
        let home = real.directory().display().to_string();
        let does = |done: &Done| twin.about.iter().any(|text| done.is_change_of(text, &home));
        if !ran.is_some_and(|ran| ran.error.is_none() && ran.done.iter().any(does)) {
            continue;
        }
        judged += 1;
        let text = with(true).text();
        if !predict(is_python, &text, "/home/dev/app", "/home/dev").is_stopped {
            passed.push(format!("#{at}\n{}", indented(&text)));
        }
    }
    if !passed.is_empty() {
        say(&format!("── {language:?}, harmful and let through\n\n{}\n\n", passed.join("\n\n")));
    }
    let count = passed.len() as u64;
    say(&format!(
        "{language:?}, seed {}: of {judged} programs that do one harmful thing {count} would have run.\n",
        options.seed
    ));
    Ok(count)
}

/// What of one program is done and what was predicted.
pub(crate) fn show(language: Language, text: &str) -> Result<(), Failed> {
    let is_python = language == Language::Python;
    let Some(mut real) = Real::new(is_python)? else { return Ok(()) };
    let directory = real.directory().display().to_string();
    let predicted = predict(is_python, text, &directory, &directory);
    say(&predicted.told());
    if let Some(judged) = judge(is_python, &mut real, text)? {
        say(&format!("did: {:#?}\n{:#?}\n", judged.ran, judged.verdict));
    }
    Ok(())
}

struct Judged {
    verdict: Verdict,
    ran: Ran,
}

/// What a program showed; `None` where it took too long.
fn judge(is_python: bool, real: &mut Real, text: &str) -> Result<Option<Judged>, Failed> {
    let Some(ran) = real.run(text)? else { return Ok(None) };
    let directory = real.directory().display().to_string();
    let predicted = predict(is_python, text, &directory, &directory);
    let verdict = compare(&predicted, &ran.done);
    Ok(Some(Judged { verdict, ran }))
}

const BROKEN: &str = "the program ended by an error of its own";
const PARTIAL: &str = "partial: we say that we did not understand everything";
const WRONG: &str = "silently wrong: this was done, and nobody spoke of it";
const OPEN: &str = "open: this was done, and we did not know all of it";

fn fault(judged: &Judged) -> Option<&'static str> {
    let verdict = &judged.verdict;
    if verdict.is_silently_wrong() {
        Some(WRONG)
    } else if verdict.partial {
        Some(PARTIAL)
    } else if verdict.unknown > 0 {
        Some(OPEN)
    } else {
        judged.ran.error.is_some().then_some(BROKEN)
    }
}

/// The fewest statements of a program that show the same fault, with what is wrong.
fn smallest(
    is_python: bool,
    real: &mut Real,
    mut program: Program,
    fault: &'static str,
) -> Result<String, Failed> {
    let mut at = 0;
    while at < program.statements.len() && program.statements.len() > 1 {
        let removed = program.statements.remove(at);
        let still = judge(is_python, real, &program.text())?;
        let same = still.is_some_and(|judged| self::fault(&judged) == Some(fault));
        if !same {
            program.statements.insert(at, removed);
            at += 1;
        }
    }
    let text = program.text();
    let judged = judge(is_python, real, &text)?;
    Ok(judged.map_or_else(|| indented(&text), |judged| told(&text, &judged)))
}

/// A program with what is wrong.
fn told(text: &str, judged: &Judged) -> String {
    let mut lines = vec![indented(text)];
    lines.extend(judged.verdict.unpredicted.iter().map(|done| format!("  => done: {done:?}")));
    lines.extend(judged.ran.error.iter().map(|error| format!("  => {error}")));
    format!("\n{}", lines.join("\n"))
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

impl Tally {
    fn count(&mut self, judged: &Judged) {
        let Judged { verdict, ran } = judged;
        self.programs += 1;
        self.acts += ran.done.len() as u64;
        self.as_predicted += u64::from(verdict.is_as_predicted());
        self.open +=
            u64::from(!verdict.partial && verdict.unpredicted.is_empty() && verdict.unknown > 0);
        self.partial += u64::from(verdict.partial);
        self.silently_wrong += u64::from(verdict.is_silently_wrong());
        self.needless += u64::from(verdict.needless > 0);
        self.broken += u64::from(ran.error.is_some());
    }

    fn sentence(&self, language: Language, which: &str) -> String {
        let Self {
            programs,
            acts,
            as_predicted,
            open,
            partial,
            silently_wrong,
            needless,
            broken,
            too_slow,
        } = self;
        let share = |count: u64| 100.0 * count as f64 / (*programs).max(1) as f64;
        format!(
            "{language:?}, {which}: {programs} programs did {acts} things. As predicted, to the letter: {as_predicted} ({:.1} %). \
             Predicted with a target not known whole: {open}. Said to be partial: {partial} ({:.1} %). Silently wrong: \
             {silently_wrong}. More was predicted than done: {needless}. Ended by an error of \
             their own: {broken}. Too slow: {too_slow}.\n",
            share(*as_predicted),
            share(*partial),
        )
    }
}

/// The constructs whose programs are not all as predicted, worst first.
fn table(language: Language, by_construct: &BTreeMap<&'static str, (u64, u64, u64)>) -> String {
    let mut rows: Vec<_> = by_construct.iter().filter(|(_, counts)| counts.1 < counts.0).collect();
    rows.sort_by_key(|(_, (all, fine, wrong))| (u64::MAX - wrong, fine * 1_000 / (*all).max(1)));
    let mut lines = vec![
        format!("| {language:?} | programs | as predicted | silently wrong |"),
        "|---|---|---|---|".to_owned(),
    ];
    lines.extend(
        rows.iter()
            .take(SHOWN)
            .map(|(name, (all, fine, wrong))| format!("| {name} | {all} | {fine} | {wrong} |")),
    );
    lines.join("\n") + "\n\n"
}
