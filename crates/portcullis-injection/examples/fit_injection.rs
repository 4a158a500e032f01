//! Fits the weights of the detector of planted instructions, and says how it does on lists.
//!
//! ```text
//! cargo run --release -p portcullis-injection --example fit_injection -- score LIST…
//! cargo run --release -p portcullis-injection --example fit_injection -- fit LIST… > crates/portcullis-injection/src/injection/fitted.rs
//! ```
//!
//! `wrong` lists what is told wrongly, `dump` the features of every stretch. A list is a file of JSON lines with `text` and `label` (`INJECTION` or `CLEAN`), or of pairs with `attack` and `innocent`, as in
//! `corpus/content/injection.jsonl`. Rows with the tier `subtle` count in scores and are not fitted. The fit is a logistic
//! regression on the stretch of each text that scores highest, by a fixed number of steps from fixed weights: the same lists give
//! the same table. A signal never speaks against what it stands for, so that its weights stay at zero or above.

use std::{
    collections::BTreeMap,
    env,
    error::Error,
    fs,
    io::{self, Write as _},
    process::ExitCode,
};

use portcullis_injection::injection::{FEATURES, Level, START, stretches, weigh};
use serde_json::Value;

/// How often the highest stretch of each text is looked for anew, and how many steps the weights take after each.
const ROUNDS: usize = 30;
const STEPS: usize = 60;
const RATE: f64 = 0.6;
/// How much it costs to move away from where the weights begin.
const PRIOR: f64 = 0.0015;
/// A clean text that is flagged costs more than a planted one that is missed.
const CLEAN: f64 = 2.0;
/// What is asked of a text beyond even odds: the false alarms on lists of other origins than those that are fitted decide it.
const MARGIN: f64 = 0.6;

struct Row {
    text: String,
    is_planted: bool,
    group: String,
}

/// What the fit knows of a text.
struct Fitted {
    stretches: Vec<Vec<usize>>,
    is_planted: bool,
    share: f64,
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
        return Err("usage: fit_injection score|wrong|dump|fit LIST…".into());
    };
    let mut rows = Vec::new();
    for path in paths {
        read(path, &mut rows)?;
    }
    match verb.as_str() {
        "score" => score(&rows),
        "wrong" => wrong(&rows),
        "fit" => fit(&rows),
        "dump" => dump(&rows),
        other => {
            return Err(format!("`{other}` is neither `score`, `wrong`, `dump` nor `fit`").into());
        }
    }
    Ok(())
}

fn read(path: &str, rows: &mut Vec<Row>) -> Result<(), Box<dyn Error>> {
    let name = path.rsplit('/').next().unwrap_or(path);
    for line in fs::read_to_string(path)?.lines() {
        let row: Value = serde_json::from_str(line)?;
        let field = |name: &str| row.get(name).and_then(Value::as_str);
        let tier = field("tier").unwrap_or_default();
        let mut push = |text: Option<&str>, is_planted: bool| {
            if let Some(text) = text {
                let group =
                    format!("{name} {} {tier}", if is_planted { "planted" } else { "clean" });
                rows.push(Row { text: text.to_owned(), is_planted, group });
            }
        };
        push(field("attack"), true);
        push(field("innocent"), false);
        push(field("text"), field("label") == Some("INJECTION"));
    }
    Ok(())
}

fn score(rows: &[Row]) {
    let mut groups: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
    for row in rows {
        let found = weigh(&row.text);
        let group = groups.entry(&row.group).or_default();
        group.0 += 1;
        group.1 += usize::from(found.iter().any(|it| it.level == Level::Planted));
        group.2 += usize::from(!found.is_empty());
    }
    for (group, (n, planted, caution)) in groups {
        let share = |count: usize| 100.0 * count as f64 / n as f64;
        let _ = writeln!(
            io::stdout(),
            "{group:50} n {n:5}  planted {planted:5} {:5.1} %  with caution {caution:5} {:5.1} %",
            share(planted),
            share(caution)
        );
    }
}

fn wrong(rows: &[Row]) {
    for row in rows.iter().filter(|row| !row.group.ends_with("subtle")) {
        let found = weigh(&row.text);
        let is_found = found.iter().any(|it| it.level == Level::Planted);
        if is_found != row.is_planted {
            let best = found.iter().max_by_key(|it| it.score);
            let words = best.map(|it| it.span.of(&row.text)).unwrap_or_default();
            let why = best
                .map(|it| format!("{} {:?} {words:?}", it.score, it.signals))
                .unwrap_or_default();
            let _ = writeln!(
                io::stdout(),
                "{} [{why}] {:?}",
                if is_found { "FALSE " } else { "MISSED" },
                row.text.chars().take(400).collect::<String>()
            );
        }
    }
}

fn dump(rows: &[Row]) {
    for row in rows {
        let stretches = stretches(&row.text);
        let line = serde_json::json!({"group": row.group, "planted": row.is_planted, "stretches": stretches});
        let _ = writeln!(io::stdout(), "{line}");
    }
}

fn fit(rows: &[Row]) {
    let mut groups: BTreeMap<&str, f64> = BTreeMap::new();
    for row in rows {
        *groups.entry(&row.group).or_default() += 1.0;
    }
    // Many rows of one making say little more than a few of them.
    let share = |row: &Row| {
        let of_group = groups.get(row.group.as_str()).copied().unwrap_or(1.0);
        let cost = if row.is_planted { 1.0 } else { CLEAN };
        10.0 * cost / of_group.sqrt()
    };
    let rows: Vec<Fitted> = rows
        .iter()
        .filter(|row| !row.group.ends_with("subtle"))
        .map(|row| Fitted {
            stretches: stretches(&row.text),
            is_planted: row.is_planted,
            share: share(row),
        })
        .filter(|row| !row.stretches.is_empty())
        .collect();
    let start: Vec<f64> = START.iter().map(|weight| f64::from(*weight) / 100.0).collect();
    let mut weights = start.clone();
    let sum = |weights: &[f64], stretch: &[usize]| {
        stretch.iter().filter_map(|number| weights.get(*number)).sum::<f64>()
            + weights.first().copied().unwrap_or(0.0)
    };
    for _ in 0..ROUNDS {
        let best: Vec<(&Vec<usize>, &Fitted)> = rows
            .iter()
            .filter_map(|row| {
                let by_sum = |a: &&Vec<usize>, b: &&Vec<usize>| {
                    sum(&weights, a).total_cmp(&sum(&weights, b))
                };
                Some((row.stretches.iter().max_by(by_sum)?, row))
            })
            .collect();
        for _ in 0..STEPS {
            let mut slope = vec![0.0; FEATURES];
            for (stretch, row) in &best {
                let odds = 1.0 / (1.0 + (-sum(&weights, stretch)).exp());
                let error = row.share * if row.is_planted { odds - 1.0 } else { odds };
                for number in stretch.iter().chain([&0]) {
                    if let Some(slope) = slope.get_mut(*number) {
                        *slope += error / best.len() as f64;
                    }
                }
            }
            for (number, weight) in weights.iter_mut().enumerate() {
                let from = start.get(number).copied().unwrap_or(0.0);
                let slope = slope.get(number).copied().unwrap_or(0.0) + PRIOR * (*weight - from);
                *weight -= RATE * slope;
                if from > 0.0 {
                    *weight = weight.max(0.0);
                }
            }
        }
    }
    if let Some(begin) = weights.first_mut() {
        *begin -= MARGIN;
    }
    let planted = rows.iter().filter(|row| row.is_planted).count();
    let _ = writeln!(
        io::stdout(),
        "//! The weights, as `examples/fit_injection.rs` fitted them on {planted} planted and {} clean texts that hold a signal. Not written by hand.",
        rows.len() - planted
    );
    let _ = writeln!(io::stdout(), "\npub(super) static WEIGHTS: &[i16] = &[");
    for line in weights.chunks(8) {
        let line: Vec<String> =
            line.iter().map(|weight| format!("{}", (weight * 100.0).round())).collect();
        let _ = writeln!(io::stdout(), "    {},", line.join(", "));
    }
    let _ = writeln!(io::stdout(), "];");
}
