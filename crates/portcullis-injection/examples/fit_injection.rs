//! Fits the weights of the detector of planted instructions, and says how it does on lists.
//!
//! ```text
//! cargo run --release -p portcullis-injection --example fit_injection -- score LIST…
//! cargo run --release -p portcullis-injection --example fit_injection -- cross-kind LIST…
//! cargo run --release -p portcullis-injection --example fit_injection -- fit --margin 15 LIST… --tree DIRECTORY --crates DIRECTORY > crates/portcullis-injection/src/injection/fitted.bin
//! ```
//!
//! A list is a file of JSON lines with `text` and `label` (`INJECTION` or `CLEAN`), or of pairs with `attack` and `innocent`, as in
//! `corpus/content/injection.jsonl`. Rows with the tier `subtle` are passed over.
//!
//! `--tree` takes the sources and documentation under a directory for clean texts, in pieces, and leaves out what speaks of planted instructions:
//! without what people really read, documents of many lines are flagged that look like no list. The table that is committed is of all lists in
//! `corpus/content/`, of the development half of a corpus that is not in the repository (docs/accuracy.md; under another name than `injection`,
//! which counts more), of this repository as it was (`git archive 596df91 | tar -x -C DIRECTORY`), and with `--crates` of every twelfth piece of the
//! crates of `Cargo.lock` at 661e03e (`cargo vendor DIRECTORY`): what licences, changelogs and sources of others look like.
//!
//! `score` tells what the fitted detector finds in each list, `wrong` what it tells wrongly. `cross-kind`, `cross-language`, `cross-list` and
//! `cross` fit without a part of the rows (kinds, languages, lists, or rows by chance) and tell how that does on the part that was held out,
//! so that the figures are of texts whose like was not fitted on.
//!
//! The fit is a logistic regression on passages: a text is planted where one of its passages is (noisy or), and none of a clean text is. It
//! takes a fixed number of steps in a fixed order from zero: the same lists give the same table.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    error::Error,
    fs,
    io::{self, Write as _},
    path::Path,
    process::ExitCode,
    thread,
};

use portcullis_injection::injection::{FEATURES, LEXICAL, Level, passages, weigh};
use serde_json::{Value, json};

/// How often every text is looked at; the weights are the mean of the second half.
const ROUNDS: usize = 28;
const RATE: f32 = 0.05;
/// How much it costs to be away from zero.
const SHRINK: f32 = 1e-2;
/// In how many texts a feature stands at least that is given a weight.
const LEAST: u16 = 2;
/// The project's own pairs must hold whatever else is weighed.
const PAIRS: f32 = 3.0;
/// What texts of a tree are called where lists have names, and how much one of them counts: there are many, and few are like an order.
const TREE: &str = "tree";
const TREES: f32 = 0.3;
/// What of a tree is read, in pieces of how many bytes, from how many on; and what is left out.
const READ: [&str; 11] =
    ["md", "rs", "toml", "py", "mjs", "js", "ts", "yml", "yaml", "html", "json"];
const PIECE: usize = 4000;
const SCRAP: usize = 80;
/// Of how many pieces of other people's crates one is taken.
const SAMPLE: u64 = 12;
const NOT_CLEAN: [&str; 4] = ["corpus", "content", "injection", ".cargo-checksum"];
/// What a piece of a tree says that may quote an order to a model: it is no clean text.
const QUOTES: [&str; 10] = [
    "planted",
    "inject",
    "nstructions",
    "isregard",
    "gnore all",
    "AI agent",
    "the user has",
    "tell the user",
    "SYSTEM:",
    "assistant",
];
/// What every passage begins with before the first step.
const BEGIN: f32 = -3.0;
/// In how many parts the rows are cut that are held out in turn.
const PARTS: u64 = 6;
/// The share of false alarms at which lists, languages and kinds are told of.
const LINE: f64 = 0.015;
/// How many steps of a weight are one.
const STEPS: f32 = 64.0;

#[derive(Clone)]
struct Row {
    text: String,
    is_planted: bool,
    list: String,
    kind: String,
    language: String,
    /// Whether it is never held out.
    is_besides: bool,
    passages: Vec<Vec<u32>>,
    /// The same as a tool answers it, within JSON; none of what stands in a tree.
    answered: Vec<Vec<u32>>,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let Some((verb, paths)) = arguments.split_first() else {
        return Err("usage: fit_injection score|wrong|cross|cross-kind|cross-language|cross-list|fit [--margin HUNDREDTHS] LIST… [--besides LIST…] [--tree DIRECTORY] [--crates DIRECTORY]".into());
    };
    let mut margin = 0;
    let mut is_besides = false;
    let mut rows = Vec::new();
    let mut paths = paths.iter();
    while let Some(path) = paths.next() {
        match path.as_str() {
            "--margin" => margin = paths.next().ok_or("`--margin` needs a number")?.parse()?,
            "--besides" => is_besides = true,
            "--tree" | "--crates" => {
                let root = paths.next().ok_or_else(|| format!("`{path}` needs a directory"))?;
                let every = if path == "--tree" { 1 } else { SAMPLE };
                read_tree(Path::new(root), Path::new(""), every, &mut rows)?;
            }
            path => read(path, is_besides, &mut rows)?,
        }
    }
    match verb.as_str() {
        "score" => score(&rows),
        "wrong" => wrong(&rows),
        "fit" => fit(&rows, margin)?,
        "cross" => cross(&rows, |row| row.text.clone()),
        "cross-kind" => cross(&rows, |row| row.kind.clone()),
        "cross-language" => cross(&rows, |row| row.language.clone()),
        "cross-list" => cross(&rows, |row| row.list.clone()),
        other => return Err(format!("`{other}` is no verb of this program").into()),
    }
    Ok(())
}

fn read(path: &str, is_besides: bool, rows: &mut Vec<Row>) -> Result<(), Box<dyn Error>> {
    let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".jsonl");
    for line in fs::read_to_string(path)?.lines() {
        let row: Value = serde_json::from_str(line)?;
        let field = |name: &str| row.get(name).and_then(Value::as_str);
        if field("tier") == Some("subtle") {
            continue;
        }
        let mut push = |text: Option<&str>, is_planted: bool| {
            if let Some(text) = text {
                rows.push(Row {
                    text: text.to_owned(),
                    is_planted,
                    list: name.to_owned(),
                    kind: field("carrier").or_else(|| field("kind")).unwrap_or_default().to_owned(),
                    language: field("language")
                        .or_else(|| field("lang"))
                        .unwrap_or("xx")
                        .to_owned(),
                    is_besides,
                    passages: passages(text),
                    answered: passages(
                        &json!({ "content": [{ "type": "text", "text": text }] }).to_string(),
                    ),
                });
            }
        };
        push(field("attack"), true);
        push(field("innocent"), false);
        push(field("text"), field("label") == Some("INJECTION"));
    }
    Ok(())
}

/// The texts below `directory` of `root`, cut into pieces.
fn read_tree(
    root: &Path,
    directory: &Path,
    every: u64,
    rows: &mut Vec<Row>,
) -> Result<(), Box<dyn Error>> {
    let mut entries = fs::read_dir(root.join(directory))?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = directory.join(entry.file_name());
        let name = path.to_string_lossy();
        if NOT_CLEAN.iter().any(|part| name.contains(part)) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            read_tree(root, &path, every, rows)?;
        } else if is_read(&path) {
            let Ok(text) = fs::read_to_string(root.join(&path)) else { continue };
            let mut rest = text.as_str();
            while rest.len() > SCRAP {
                let (piece, behind) = rest.split_at(rest.floor_char_boundary(PIECE));
                rest = behind;
                if !hash(piece).is_multiple_of(every)
                    || QUOTES.iter().any(|words| piece.contains(words))
                {
                    continue;
                }
                rows.push(Row {
                    text: piece.to_owned(),
                    is_planted: false,
                    list: TREE.to_owned(),
                    kind: TREE.to_owned(),
                    language: "en".to_owned(),
                    is_besides: true,
                    passages: passages(piece),
                    answered: Vec::new(),
                });
            }
        }
    }
    Ok(())
}

/// Whether a file of a tree is read: sources, documentation, licences.
fn is_read(path: &Path) -> bool {
    let extension = path.extension().and_then(|it| it.to_str());
    let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
    extension.is_some_and(|it| READ.contains(&it)) || name.starts_with("LICENSE")
}

fn score(rows: &[Row]) {
    let mut groups: BTreeMap<(&str, bool), (usize, usize, usize)> = BTreeMap::new();
    for row in rows {
        let found = weigh(&row.text);
        let group = groups.entry((&row.list, row.is_planted)).or_default();
        group.0 += 1;
        group.1 += usize::from(found.iter().any(|it| it.level == Level::Planted));
        group.2 += usize::from(!found.is_empty());
    }
    for ((list, is_planted), (n, planted, caution)) in groups {
        let share = |count: usize| 100.0 * count as f64 / n as f64;
        let label = if is_planted { "planted" } else { "clean" };
        let _ = writeln!(
            io::stdout(),
            "{list:30} {label:8} n {n:5}  planted {planted:5} {:5.1} %  with caution {caution:5} {:5.1} %",
            share(planted),
            share(caution)
        );
    }
}

fn wrong(rows: &[Row]) {
    for row in rows {
        let found = weigh(&row.text);
        let is_found = found.iter().any(|it| it.level == Level::Planted);
        if is_found != row.is_planted {
            let best = found.iter().max_by_key(|it| it.score);
            let why = best.map(|it| format!("{} {:?}", it.score, it.signals)).unwrap_or_default();
            let words = best.map(|it| it.span.of(&row.text)).unwrap_or_default();
            tell_wrong(row, &format!("{why} {words:?}"));
        }
    }
}

fn tell_wrong(row: &Row, why: &str) {
    let verdict = if row.is_planted { "MISSED" } else { "FALSE " };
    let text = row.text.chars().take(500).collect::<String>();
    let _ = writeln!(
        io::stdout(),
        "{verdict} {} {} {} [{why}] {text:?}",
        row.list,
        row.kind,
        row.language
    );
}

/// Fits without each part in turn, and tells what comes of the part. Lists behind `--besides` are
/// fitted on and never held out.
fn cross(rows: &[Row], key: fn(&Row) -> String) {
    let keys: BTreeSet<String> = rows.iter().filter(|row| !row.is_besides).map(key).collect();
    let parts = if keys.len() <= PARTS as usize * 2 { keys.len() as u64 } else { PARTS };
    let part = |row: &Row| match keys.iter().position(|other| *other == key(row)) {
        Some(at) if parts > PARTS || keys.len() as u64 == parts => at as u64 % parts,
        _ => hash(&key(row)) % parts,
    };
    let mut told: Vec<(&Row, f32)> = Vec::new();
    let numbers: Vec<u64> = (0..parts).collect();
    for two in numbers.chunks(2) {
        thread::scope(|scope| {
            let jobs: Vec<_> = two
                .iter()
                .map(|number| {
                    scope.spawn(move || {
                        let is_held = |row: &&Row| !row.is_besides && part(row) == *number;
                        let weights =
                            descend(&rows.iter().filter(|row| !is_held(row)).collect::<Vec<_>>());
                        let held = rows.iter().filter(is_held);
                        held.map(|row| (row, of_text(&weights, row))).collect::<Vec<_>>()
                    })
                })
                .collect();
            for job in jobs {
                told.extend(job.join().unwrap_or_default());
            }
        });
    }
    report(&told);
}

fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        let hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        hash ^ hash >> 31
    })
}

/// Which share is found at which share of false alarms, and by list, language and kind at the line of 1.5 %.
fn report(told: &[(&Row, f32)]) {
    let mut told: Vec<&(&Row, f32)> = told.iter().collect();
    told.sort_by(|one, other| other.1.total_cmp(&one.1));
    let planted = told.iter().filter(|(row, _)| row.is_planted).count().max(1);
    let clean = told.len() - planted;
    let mut line = 0.0;
    for share in [0.005, 0.01, 0.015, 0.02, 0.03, 0.05] {
        let allowed = (share * clean as f64) as usize;
        let mut alarms = 0;
        let mut found = 0;
        let mut score = f32::MAX;
        for (row, at) in &told {
            alarms += usize::from(!row.is_planted);
            if alarms > allowed {
                break;
            }
            found += usize::from(row.is_planted);
            score = *at;
        }
        if share <= LINE {
            line = score;
        }
        let _ = writeln!(
            io::stdout(),
            "found {:5.1} % of {planted} at {:.1} % false of {clean}, from {score:.2} on",
            100.0 * found as f64 / planted as f64,
            100.0 * share
        );
    }
    for by in [
        |row: &Row| row.list.clone(),
        |row: &Row| row.language.clone(),
        |row: &Row| row.kind.clone(),
    ] {
        let mut groups: BTreeMap<(bool, String), (usize, usize)> = BTreeMap::new();
        for (row, score) in &told {
            let group = groups.entry((row.is_planted, by(row))).or_default();
            group.0 += 1;
            group.1 += usize::from(*score >= line);
        }
        for ((is_planted, name), (n, flagged)) in groups.into_iter().filter(|(_, (n, _))| *n > 15) {
            let label = if is_planted { "planted" } else { "clean" };
            let _ = writeln!(
                io::stdout(),
                "  {label:8} {name:26} n {n:5} flagged {:5.1} %",
                100.0 * flagged as f64 / n as f64
            );
        }
    }
    if env::var_os("WRONG").is_some() {
        for (row, score) in told.iter().filter(|(row, score)| row.is_planted != (*score >= line)) {
            tell_wrong(row, &format!("{score:.2}"));
        }
    }
}

fn fit(rows: &[Row], margin: i32) -> Result<(), Box<dyn Error>> {
    let weights = descend(&rows.iter().collect::<Vec<_>>());
    let (begin, weights) = weights.split_last().ok_or("no weights")?;
    let mut bytes: Vec<u8> = weights
        .iter()
        .map(|weight| ((weight * STEPS).round().clamp(-128.0, 127.0) as i8).cast_unsigned())
        .collect();
    bytes.extend(((begin * 100.0).round() as i32 - margin).to_le_bytes());
    io::stdout().write_all(&bytes)?;
    Ok(())
}

fn of_text(weights: &[f32], row: &Row) -> f32 {
    row.passages.iter().map(|passage| sum(weights, passage)).fold(-99.0, f32::max)
}

/// As the detector adds them up.
fn sum(weights: &[f32], passage: &[u32]) -> f32 {
    let of = |feature: &u32| weights.get(*feature as usize).copied().unwrap_or(0.0);
    let begin = weights.last().copied().unwrap_or(0.0);
    begin + passage.iter().map(of).sum::<f32>() * scale(passage)
}

fn scale(passage: &[u32]) -> f32 {
    10.0 / (passage.len().max(1) as f32).sqrt()
}

/// The weights after all steps (Duchi, Hazan and Singer, "AdaGrad", 2011), and what every passage begins with behind them.
fn descend(rows: &[&Row]) -> Vec<f32> {
    let mut seen = vec![0u16; FEATURES];
    for row in rows {
        for feature in row.passages.iter().flatten().collect::<BTreeSet<_>>() {
            if let Some(seen) = seen.get_mut(*feature as usize) {
                *seen = seen.saturating_add(1);
            }
        }
    }
    let mut weights = vec![0f32; FEATURES];
    weights.push(BEGIN);
    let mut squares = vec![1e-3f32; FEATURES + 1];
    let mut mean = vec![0f32; FEATURES + 1];
    let mut order: Vec<&&Row> = rows.iter().filter(|row| !row.passages.is_empty()).collect();
    order.sort_by_key(|row| hash(&row.text));
    for round in 0..ROUNDS {
        // Another order each time, and the same for the same lists.
        let step = order.len().isqrt() + 7 * round + 1;
        for from in 0..step {
            for row in order.iter().skip(from).step_by(step) {
                learn(row, round, &seen, &mut weights, &mut squares);
            }
        }
        if round >= ROUNDS / 2 {
            let share = 1.0 / (ROUNDS - ROUNDS / 2) as f32;
            mean.iter_mut().zip(&weights).for_each(|(mean, weight)| *mean += weight * share);
        }
    }
    mean
}

/// One step on one text. Every other time its words are left out and only what they can be is looked at, so that the weights of words do not
/// take everything for themselves: words are of a language and a subject, and the next list has others.
fn learn(row: &Row, round: usize, seen: &[u16], weights: &mut [f32], squares: &mut [f32]) {
    let share = match row.list.as_str() {
        "injection" => PAIRS,
        TREE => TREES,
        _ => 1.0,
    };
    let end =
        if hash(&format!("{round} {}", row.text)) >> 40 & 1 == 1 { LEXICAL } else { FEATURES };
    // Every third time it is read as a tool answers it.
    let read =
        if round % 3 == 2 && !row.answered.is_empty() { &row.answered } else { &row.passages };
    let passages: Vec<Vec<u32>> = read
        .iter()
        .map(|passage| passage.iter().copied().filter(|it| (*it as usize) < end).collect())
        .collect();
    let odds: Vec<f32> =
        passages.iter().map(|passage| 1.0 / (1.0 + (-sum(weights, passage)).exp())).collect();
    let none = odds.iter().map(|odds| 1.0 - odds).product::<f32>().max(1e-9);
    for (passage, odds) in passages.iter().zip(odds) {
        let slope =
            share * if row.is_planted { -odds * none / (1.0 - none).max(1e-6) } else { odds };
        if slope.abs() < 1e-3 {
            continue;
        }
        let mut step = |at: usize, slope: f32| {
            if let (Some(weight), Some(square)) = (weights.get_mut(at), squares.get_mut(at)) {
                let slope = slope + SHRINK * *weight;
                *square += slope * slope;
                *weight -= RATE * slope / square.sqrt();
            }
        };
        step(FEATURES, slope);
        let is_known =
            |feature: &&u32| seen.get(**feature as usize).is_some_and(|seen| *seen >= LEAST);
        for feature in passage.iter().filter(is_known) {
            step(*feature as usize, slope * scale(passage));
        }
    }
}
