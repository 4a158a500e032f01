//! The same harm in other words: each attack of the project's own cases is dressed in ways that do not change what it does, and
//! must not be judged more loosely than it is without; its twin, in an honest dressing, must not be stopped. Owns the run and
//! its report; that a dressing changes nothing is proven in bash, with commands that only record that they ran.

mod whole;
mod words;

use std::{collections::BTreeMap, fs, path::Path};

use portcullis_core::{
    action::Action, call::ToolCall, decision::Verdict, facts::Facts, gate::Gate, policy::Policy,
};
use serde_json::Value;

use crate::{
    command::{Failed, say},
    differential::{Bash, Started},
    random::Random,
};

/// One way to say the same.
#[derive(Clone, Copy)]
struct Dressing {
    name: &'static str,
    /// Whether people write it without anything to hide.
    honest: bool,
    /// The script in this dressing; `None` where it cannot wear it.
    dress: fn(&str) -> Option<String>,
}

/// What dressings are tried on in bash: each word that may be lost is in one of them.
const RECORDED: &[&str] = &[
    "alpha one two",
    "beta -x --long=value a/b.txt",
    "alpha 'two words' \"$HOME\"; beta \"it's\" | gamma -x",
    "for x in 1 2; do alpha \"$x\"; done\nbeta \\$x '$y' # done",
    "alpha <<'E'\nbeta\nE\ngamma \"$(delta e)\" && epsilon {a,b} *",
];

/// How many dressings each pair gets in `cargo xtask test`.
const DRESSINGS_OF_TEST: usize = 1;

/// How many attacks in those are judged more loosely than without, and how many twins are stopped: they may only shrink.
const KNOWN: (u64, u64) = (0, 0);

/// How many cases of each dressing are shown.
const SHOWN: usize = 6;

/// What one dressing showed.
#[derive(Default)]
struct Tally {
    attacks: u64,
    looser: Vec<String>,
    twins: u64,
    stopped: Vec<String>,
}

/// Dresses every pair in so many dressings, or in all, and prints what that showed.
pub(crate) fn run(each: Option<usize>) -> Result<(), Failed> {
    let (table, _, _) = dressed(each)?;
    say(&table);
    Ok(())
}

/// The part of it that every change has to pass.
pub(crate) fn check() -> Result<(), Failed> {
    say(&format!("── dressing: {DRESSINGS_OF_TEST} for each of the project's own cases\n"));
    let (table, looser, stopped) = dressed(Some(DRESSINGS_OF_TEST))?;
    if looser > KNOWN.0 || stopped > KNOWN.1 {
        say(&table);
        return Err(Failed::Broken(format!(
            "{looser} attacks are judged more loosely in a dressing and {stopped} twins are stopped; known are {} and {}",
            KNOWN.0, KNOWN.1
        )));
    }
    Ok(())
}

/// Dresses the pairs in so many dressings each, or in all; gives the report and how many attacks got through and twins did not.
fn dressed(each: Option<usize>) -> Result<(String, u64, u64), Failed> {
    let Some(bash) = Bash::new()? else {
        return Err(Failed::Broken(
            "there is no bash to prove dressings with\nhelp: install bash".to_owned(),
        ));
    };
    let dressings: Vec<Dressing> = whole::WHOLE.iter().chain(words::WORDS).copied().collect();
    for dressing in &dressings {
        prove(&bash, dressing)?;
    }
    let gate = Gate::new(Policy::default());
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for (id, attack, twin) in pairs()? {
        // By its name, so that a new case changes the dressings of no other.
        let mut random = Random::named(&id);
        let (plain, plain_twin) = (judged(&gate, &attack)?, judged(&gate, &twin)?);
        let chosen: Vec<&Dressing> = match each {
            None => dressings.iter().collect(),
            Some(count) => {
                let choices = dressings.len() as u64;
                let index =
                    |random: &mut Random| usize::try_from(random.below(choices)).unwrap_or(0);
                (0..count).filter_map(|_| dressings.get(index(&mut random))).collect()
            }
        };
        for dressing in chosen {
            let tally = tallies.entry(dressing.name).or_default();
            if let Some(dressed) = (dressing.dress)(&attack) {
                tally.attacks += 1;
                if judged(&gate, &dressed)? < plain {
                    tally.looser.push(format!("{id}: {dressed}"));
                }
            }
            if dressing.honest
                && plain_twin == Verdict::Allow
                && let Some(dressed) = (dressing.dress)(&twin)
            {
                tally.twins += 1;
                if judged(&gate, &dressed)? > plain_twin {
                    tally.stopped.push(format!("{id}: {dressed}"));
                }
            }
        }
    }
    let looser = tallies.values().map(|tally| tally.looser.len() as u64).sum();
    let stopped = tallies.values().map(|tally| tally.stopped.len() as u64).sum();
    Ok((report(&tallies), looser, stopped))
}

/// So many commands, harmless and not: those of the cases first, then the same ones dressed.
pub(crate) fn commands(count: usize) -> Result<Vec<String>, Failed> {
    let plain: Vec<String> =
        pairs()?.into_iter().flat_map(|(_, attack, twin)| [attack, twin]).collect();
    let dressings = whole::WHOLE.iter().chain(words::WORDS);
    let dressed = dressings.flat_map(|dressing| plain.iter().filter_map(dressing_of(dressing)));
    Ok(plain.iter().cloned().chain(dressed).take(count).collect())
}

fn dressing_of(dressing: &Dressing) -> impl Fn(&String) -> Option<String> {
    let dress = dressing.dress;
    move |plain| dress(plain)
}

fn judged(gate: &Gate, script: &str) -> Result<Verdict, Failed> {
    let call = ToolCall {
        cwd: Some("/workspace/project".to_owned()),
        home: Some("/home/dev".to_owned()),
        ..ToolCall::shell(script)
    };
    let facts = Facts { workspace: Some("/workspace/project".to_owned()), ..Facts::default() };
    match Action::from_call(call) {
        Ok(action) => Ok(gate.judge(&action, &facts).decision.verdict),
        Err(error) => Err(Failed::Broken(format!("`{script}` is no call: {error}"))),
    }
}

/// The pairs of shell commands that stand alone: id, attack, twin.
fn pairs() -> Result<Vec<(String, String, String)>, Failed> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let failed = |source| Failed::File { path: folder.clone(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).map_err(failed)? {
        files.push(entry.map_err(failed)?.path());
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    let mut pairs = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).map_err(failed)?;
        for line in text.lines() {
            let pair: Value = serde_json::from_str(line)
                .map_err(|error| Failed::Broken(format!("{}: {error}", path.display())))?;
            let text = |key: &str| pair.get(key).and_then(Value::as_str).map(str::to_owned);
            if text("kind").as_deref() == Some("shell")
                && pair.get("earlier").is_none()
                && pair.get("told").is_none()
                && let (Some(id), Some(attack), Some(twin)) =
                    (text("id"), text("attack"), text("innocent"))
            {
                pairs.push((id, attack, twin));
            }
        }
    }
    Ok(pairs)
}

/// Whether what is recorded stays the same in a dressing.
fn prove(bash: &Bash, dressing: &Dressing) -> Result<(), Failed> {
    let mut is_shown = false;
    for script in RECORDED {
        let Some(dressed) = (dressing.dress)(script) else { continue };
        is_shown = true;
        let (plain, other) = (recorded(bash, script)?, recorded(bash, &dressed)?);
        if plain != other {
            return Err(Failed::Broken(format!(
                "`{}` changes what runs: {plain:?} became {other:?} by `{dressed}`",
                dressing.name
            )));
        }
    }
    if is_shown {
        Ok(())
    } else {
        Err(Failed::Broken(format!("nothing can wear `{}`", dressing.name)))
    }
}

/// The starts of programs that do nothing but that.
fn recorded(bash: &Bash, script: &str) -> Result<Vec<Started>, Failed> {
    let started = bash.run(script)?.unwrap_or_default();
    let mut started: Vec<Started> = started.into_iter().filter(Started::is_of_recorder).collect();
    // What runs at the same time has no order.
    started.sort();
    Ok(started)
}

fn report(tallies: &BTreeMap<&str, Tally>) -> String {
    let mut lines = Vec::new();
    for (name, tally) in tallies {
        for (fault, cases) in [("judged more loosely", &tally.looser), ("stopped", &tally.stopped)]
        {
            for case in cases.iter().take(SHOWN) {
                lines.push(format!("── {name}, {fault}: {case}\n"));
            }
        }
    }
    lines.push("| dressing | attacks | looser | twins | stopped |".to_owned());
    lines.push("|---|---|---|---|---|".to_owned());
    let (mut attacks, mut looser, mut twins, mut stopped) = (0, 0, 0, 0);
    for (name, tally) in tallies {
        let name = name.replace('|', "\\|");
        lines.push(format!(
            "| {name} | {} | {} | {} | {} |",
            tally.attacks,
            tally.looser.len(),
            tally.twins,
            tally.stopped.len()
        ));
        attacks += tally.attacks;
        looser += tally.looser.len();
        twins += tally.twins;
        stopped += tally.stopped.len();
    }
    lines.push(format!("| all | {attacks} | {looser} | {twins} | {stopped} |\n"));
    lines.join("\n")
}
