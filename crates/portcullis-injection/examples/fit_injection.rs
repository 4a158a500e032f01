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

use portcullis_injection::injection::{
    ADDRESS_FEATURES, ADDRESS_START, FEATURES, Level, START, addresses, stretches, weigh,
};
use serde_json::Value;

/// How often the highest stretch of each text is looked for anew, and how many steps the weights take after each.
const ROUNDS: usize = 20;
const STEPS: usize = 200;
const RATE: f64 = 0.03;
/// How much of a mean slope, and of its square, each step replaces (Kingma and Ba, "Adam", 2014).
const FRESH: f64 = 0.1;
const FRESH_SQUARE: f64 = 0.001;
/// How much it costs to move away from where the weights begin.
const PRIOR: f64 = 0.0003;
/// A clean text that is flagged costs more than a planted one that is missed.
const CLEAN: f64 = 3.0;
/// What is asked of a text beyond even odds: the false alarms on lists of other origins than those that are fitted decide it.
const MARGIN: f64 = 0.6;
/// How much more the project's own pairs count.
const PAIRS: f64 = 10.0;
/// The same for the places where a model is named: more features, so that moving costs more.
const ADDRESS_PRIOR: f64 = 0.0006;
const ADDRESS_CLEAN: f64 = 3.0;
const ADDRESS_MARGIN: f64 = 0.5;

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
        "starts" => {
            let starts = serde_json::json!({"stretch": &START[..], "address": &ADDRESS_START[..]});
            let _ = writeln!(io::stdout(), "{starts}");
        }
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
        let line = serde_json::json!({
            "group": row.group,
            "planted": row.is_planted,
            "stretches": stretches(&row.text),
            "addresses": addresses(&row.text),
        });
        let _ = writeln!(io::stdout(), "{line}");
    }
}

/// A table that is fitted: its name, where it begins, and what it knows of a text.
struct Table {
    name: &'static str,
    of: fn(&str) -> Vec<Vec<usize>>,
    start: &'static [i16],
    prior: f64,
    clean: f64,
    margin: f64,
}

static STRETCHES: Table = Table {
    name: "WEIGHTS",
    of: stretches,
    start: &START,
    prior: PRIOR,
    clean: CLEAN,
    margin: MARGIN,
};
static ADDRESSES: Table = Table {
    name: "ADDRESS",
    of: addresses,
    start: &ADDRESS_START,
    prior: ADDRESS_PRIOR,
    clean: ADDRESS_CLEAN,
    margin: ADDRESS_MARGIN,
};

fn fit(rows: &[Row]) {
    const { assert!(START.len() == FEATURES && ADDRESS_START.len() == ADDRESS_FEATURES) };
    let _ = writeln!(
        io::stdout(),
        "//! The weights, as `examples/fit_injection.rs` fitted them on lists with labels. Not written by hand."
    );
    for table in [&STRETCHES, &ADDRESSES] {
        fit_table(rows, table);
    }
}

fn fit_table(rows: &[Row], table: &Table) {
    let mut groups: BTreeMap<&str, f64> = BTreeMap::new();
    for row in rows {
        *groups.entry(&row.group).or_default() += 1.0;
    }
    // Many rows of one making say little more than a few of them.
    let share = |row: &Row| {
        let of_group = groups.get(row.group.as_str()).copied().unwrap_or(1.0);
        // The pairs of the project are what must hold whatever else is weighed.
        let pairs = if row.group.starts_with("injection.jsonl") { PAIRS } else { 1.0 };
        let cost = pairs * if row.is_planted { 1.0 } else { table.clean };
        10.0 * cost / of_group.sqrt()
    };
    let rows: Vec<Fitted> = rows
        .iter()
        .filter(|row| !row.group.ends_with("subtle"))
        .map(|row| Fitted {
            stretches: (table.of)(&row.text),
            is_planted: row.is_planted,
            share: share(row),
        })
        .filter(|row| !row.stretches.is_empty())
        .collect();
    let weights = descend(&rows, table);
    let planted = rows.iter().filter(|row| row.is_planted).count();
    let _ = writeln!(
        io::stdout(),
        "\n/// From {planted} planted and {} clean texts that hold something to weigh.\npub(super) static {}: &[i16] = &[",
        rows.len() - planted,
        table.name
    );
    for line in weights.chunks(8) {
        let line: Vec<String> =
            line.iter().map(|weight| format!("{}", (weight * 100.0).round() as i16)).collect();
        let _ = writeln!(io::stdout(), "    {},", line.join(", "));
    }
    let _ = writeln!(io::stdout(), "];");
}

/// The weights after all steps.
fn descend(rows: &[Fitted], table: &Table) -> Vec<f64> {
    let start: Vec<f64> = table.start.iter().map(|weight| f64::from(*weight) / 100.0).collect();
    let mut weights = start.clone();
    let sum = |weights: &[f64], stretch: &[usize]| {
        stretch.iter().filter_map(|number| weights.get(*number)).sum::<f64>()
            + weights.first().copied().unwrap_or(0.0)
    };
    let mut moments = vec![(0.0, 0.0); start.len()];
    let mut step = 0;
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
            step += 1;
            let mut slope = vec![0.0; start.len()];
            for (stretch, row) in &best {
                let odds = 1.0 / (1.0 + (-sum(&weights, stretch)).exp());
                let error = row.share * if row.is_planted { odds - 1.0 } else { odds };
                for number in stretch.iter().chain([&0]) {
                    if let Some(slope) = slope.get_mut(*number) {
                        *slope += error / best.len() as f64;
                    }
                }
            }
            let parts = weights.iter_mut().zip(&start).zip(slope.iter().zip(&mut moments));
            for ((weight, from), (slope, (mean, square))) in parts {
                let slope = slope + table.prior * (*weight - from);
                *mean = *mean * (1.0 - FRESH) + slope * FRESH;
                *square = *square * (1.0 - FRESH_SQUARE) + slope * slope * FRESH_SQUARE;
                let (seen, seen_square) =
                    (1.0 - (1.0 - FRESH).powi(step), 1.0 - (1.0 - FRESH_SQUARE).powi(step));
                *weight -= RATE * (*mean / seen) / ((*square / seen_square).sqrt() + 1e-8);
                if *from > 0.0 {
                    *weight = weight.max(0.0);
                }
            }
        }
    }
    if let Some(begin) = weights.first_mut() {
        *begin -= table.margin;
    }
    weights
}
