//! Whether the understanding of the shell is true: generated scripts run in real bash, and the programs that really started
//! are compared with those predicted. Owns the run over many scripts and its report.

mod bash;
pub(crate) mod code;
mod compare;
mod generate;

use std::collections::BTreeMap;

pub(crate) use self::{
    bash::{Bash, Started},
    generate::{base64, hex, quoted},
};
use self::{
    compare::{Verdict, compare, predict},
    generate::Script,
};
use crate::command::{Failed, say};

/// How many scripts `cargo xtask differential` runs, and under which seed.
pub(crate) const SCRIPTS: u64 = 2_000;
/// See [`SCRIPTS`].
pub(crate) const SEED: u64 = 1;

/// How many scripts `cargo xtask test` runs.
const SCRIPTS_OF_TEST: u64 = 200;

/// How many scripts of each fault are shown.
const SHOWN: usize = 25;

/// What the scripts showed.
#[derive(Default)]
struct Tally {
    /// Those that can be known.
    scripts: u64,
    /// Those that cannot, and how many of them were said to be so.
    unknowable: u64,
    admitted: u64,
    starts: u64,
    as_predicted: u64,
    exactly: u64,
    partial: u64,
    silently_wrong: u64,
    overclaimed: u64,
    too_slow: u64,
}

/// Runs the scripts and prints what they showed, by construct.
pub(crate) fn run(scripts: u64, seed: u64) -> Result<(), Failed> {
    compared(scripts, seed).map(|_| ())
}

/// As [`run`]; gives how many scripts were silently wrong.
fn compared(scripts: u64, seed: u64) -> Result<u64, Failed> {
    let Some(bash) = Bash::new()? else {
        return Err(Failed::Broken(
            "there is no bash to compare with\nhelp: install bash".to_owned(),
        ));
    };
    let mut tally = Tally::default();
    let mut by_construct: BTreeMap<&'static str, Tally> = BTreeMap::new();
    let mut faults: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    for number in 0..scripts {
        let script = generate::script(seed, number);
        let outcome = judge(&bash, &script.text())?;
        tally.count(&script, outcome.as_ref());
        for construct in &script.constructs {
            by_construct.entry(construct).or_default().count(&script, outcome.as_ref());
        }
        let fault = outcome.as_ref().and_then(|(verdict, _)| fault_of(verdict));
        if let Some(fault) = fault.filter(|fault| !(script.is_unknowable && *fault == PARTIAL)) {
            let shown = faults.entry(fault).or_default();
            if shown.len() < SHOWN {
                shown.push(format!("#{number} {}", smallest(&bash, script, fault)?));
            }
        }
    }
    for (fault, scripts) in &faults {
        say(&format!("── {fault}\n\n{}\n", scripts.join("\n\n")));
    }
    say(&table(&by_construct));
    say(&tally.sentence(seed));
    Ok(tally.silently_wrong)
}

/// The part of it that every change has to pass.
pub(crate) fn check() -> Result<(), Failed> {
    say(&format!("── differential: {SCRIPTS_OF_TEST} scripts in bash\n"));
    let wrong = compared(SCRIPTS_OF_TEST, SEED)?;
    if wrong > 0 {
        return Err(Failed::Broken(format!("{wrong} scripts ran what nobody spoke of")));
    }
    Ok(())
}

/// What a script showed, with how many programs it started; `None` where it took too long.
fn judge(bash: &Bash, script: &str) -> Result<Option<(Verdict, Vec<Started>)>, Failed> {
    let Some(started) = bash.run(script)? else { return Ok(None) };
    let verdict = compare(&predict(script, &bash.directory()), &started);
    Ok(Some((verdict, started)))
}

const PARTIAL: &str = "partial: we say that we did not understand everything";

fn fault_of(verdict: &Verdict) -> Option<&'static str> {
    if verdict.is_silently_wrong() {
        Some("silently wrong: these ran, and nobody spoke of them")
    } else if verdict.is_overclaimed() {
        Some("claimed: these were said to run for certain, and did not")
    } else {
        verdict.partial.then_some(PARTIAL)
    }
}

/// The fewest statements of a script that show the same fault, with what is wrong.
fn smallest(bash: &Bash, mut script: Script, fault: &'static str) -> Result<String, Failed> {
    let mut at = 0;
    while at < script.statements.len() && script.statements.len() > 1 {
        let removed = script.statements.remove(at);
        let still = judge(bash, &script.text())?;
        if still.as_ref().and_then(|(verdict, _)| fault_of(verdict)) != Some(fault) {
            script.statements.insert(at, removed);
            at += 1;
        }
    }
    let text = script.text();
    let Some((verdict, _)) = judge(bash, &text)? else { return Ok(text) };
    let ran = verdict.unpredicted.iter().map(|start| {
        let words: Vec<String> = start
            .arguments
            .iter()
            .map(|argument| format!("{:?}", String::from_utf8_lossy(argument)))
            .collect();
        format!("ran: {} {}", start.program, words.join(" "))
    });
    let claimed = verdict.claimed.iter().map(|claim| format!("claimed: {claim}"));
    let mut lines: Vec<String> = text.lines().map(|line| format!("    {line}")).collect();
    lines.extend(ran.chain(claimed).map(|line| format!("  => {line}")));
    Ok(format!("\n{}", lines.join("\n")))
}

impl Tally {
    fn count(&mut self, script: &Script, outcome: Option<&(Verdict, Vec<Started>)>) {
        let Some((verdict, started)) = outcome else {
            self.too_slow += 1;
            return;
        };
        if script.is_unknowable {
            self.unknowable += 1;
            self.admitted += u64::from(verdict.partial);
            self.silently_wrong += u64::from(verdict.is_silently_wrong());
            return;
        }
        self.scripts += 1;
        self.starts += started.len() as u64;
        self.as_predicted += u64::from(verdict.is_as_predicted());
        self.exactly += u64::from(verdict.is_as_predicted() && verdict.unknown == 0);
        self.partial += u64::from(verdict.partial);
        self.silently_wrong += u64::from(verdict.is_silently_wrong());
        self.overclaimed += u64::from(verdict.is_overclaimed());
    }

    fn sentence(&self, seed: u64) -> String {
        let Self {
            scripts,
            unknowable,
            admitted,
            starts,
            as_predicted,
            exactly,
            partial,
            silently_wrong,
            overclaimed,
            too_slow,
        } = self;
        let share = 100.0 * *as_predicted as f64 / (*scripts).max(1) as f64;
        format!(
            "seed {seed}: {scripts} scripts started {starts} programs. As predicted: {as_predicted} ({share:.1} %), \
             {exactly} of them with every argument known. Partial: {partial}. Claimed without need: {overclaimed}. \
             Silently wrong: {silently_wrong}. Too slow: {too_slow}. Of {unknowable} more that nobody can know, {admitted} \
             were said to be so.\n"
        )
    }
}

fn table(by_construct: &BTreeMap<&'static str, Tally>) -> String {
    let mut lines = vec![
        "| construct | scripts | as predicted | exactly | partial | claimed | silently wrong |"
            .to_owned(),
        "|---|---|---|---|---|---|---|".to_owned(),
    ];
    for (construct, tally) in by_construct {
        lines.push(format!(
            "| {construct} | {} | {} | {} | {} | {} | {} |",
            tally.scripts,
            tally.as_predicted,
            tally.exactly,
            tally.partial,
            tally.overclaimed,
            tally.silently_wrong
        ));
    }
    lines.join("\n") + "\n\n"
}
