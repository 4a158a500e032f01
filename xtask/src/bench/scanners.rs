//! The search for secrets of a built program beside other scanners: processor seconds over a log that is written here and over a folder.
//!
//! Each is started in turn with the others, because a machine that is not quiet changes its speed between one minute and the next.

use std::{
    fs,
    io::{BufWriter, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{
    command::{self, Failed, root, say},
    random::Random,
};

/// How long the log is.
const LENGTH: u64 = 100_000_000;
/// How many secrets are planted in it.
const PLANTED: u64 = 100;
/// How often each is started.
const ROUNDS: usize = 3;
/// The parts of a second in which Linux counts what processes used.
const TICKS: f64 = 100.0;

const WORDS: &[&str] = &[
    "request",
    "response",
    "user",
    "session",
    "token",
    "cache",
    "query",
    "update",
    "index",
    "worker",
    "retry",
    "latency",
    "bytes",
    "handler",
    "order",
    "status",
    "region",
    "connection",
    "started",
    "finished",
    "limit",
    "message",
    "value",
    "column",
];
const HEX: &[u8] = b"0123456789abcdef";
const LETTERS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const CAPITALS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// A scanner, and how it is told to look through a path with one thread or as many as it likes.
struct Scanner {
    name: &'static str,
    program: PathBuf,
    words: fn(path: &str, report: &str, one: bool) -> Vec<String>,
}

/// Prints the table for `ours` and those of the others that are named, over the log and over `folder`.
pub(crate) fn run(ours: &Path, folder: &Path, others: &[&str]) -> Result<(), Failed> {
    let mut scanners = vec![Scanner {
        name: "portcullis scan",
        program: ours.to_owned(),
        words: |path, report, one| {
            let mut words = vec!["scan", path, "--json", "--output", report];
            words.extend(if one { &["--threads", "1"][..] } else { &[] });
            owned(&words)
        },
    }];
    for other in others {
        scanners.push(of_others(other)?);
    }
    let place = root().join(format!("target/bench-scanners-{}", std::process::id()));
    let failed = |source| Failed::File { path: place.clone(), source };
    fs::create_dir_all(&place).map_err(failed)?;
    let log = place.join("service.log");
    write_log(&log)?;
    say(
        "\n| processor seconds, least of three | log, one thread | log, all | folder, one thread | folder, all |\n|---|---|---|---|---|\n",
    );
    let mut table = vec![Vec::new(); scanners.len()];
    for path in [log.as_path(), folder] {
        for one in [true, false] {
            let mut least = vec![f64::MAX; scanners.len()];
            for _ in 0..ROUNDS {
                for (scanner, least) in scanners.iter().zip(&mut least) {
                    *least = least.min(seconds(scanner, path, &place, one)?);
                }
            }
            for (row, least) in table.iter_mut().zip(least) {
                row.push(format!("{least:.2}"));
            }
        }
    }
    for (scanner, row) in scanners.iter().zip(table) {
        say(&format!("| {} | {} |\n", scanner.name, row.join(" | ")));
    }
    fs::remove_dir_all(&place).map_err(failed)
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn of_others(program: &str) -> Result<Scanner, Failed> {
    let path = PathBuf::from(program);
    match path.file_name().and_then(|name| name.to_str()) {
        Some("kingfisher") => Ok(Scanner {
            name: "kingfisher",
            program: path,
            words: |path, report, one| {
                let mut words = vec!["scan", path, "--no-validate", "--no-update-check"];
                words.extend(["--format", "json", "--output", report]);
                words.extend(if one { &["-j", "1"][..] } else { &[] });
                owned(&words)
            },
        }),
        Some("gitleaks") => Ok(Scanner {
            name: "gitleaks",
            program: path,
            words: |path, report, _| {
                let mut words = vec!["dir", path, "--no-banner", "--exit-code", "0"];
                words.extend(["--report-format", "json", "--report-path", report]);
                owned(&words)
            },
        }),
        _ => Err(Failed::Usage(format!("`{program}` is neither `kingfisher` nor `gitleaks`"))),
    }
}

/// What one run takes of the processor.
fn seconds(scanner: &Scanner, path: &Path, place: &Path, one: bool) -> Result<f64, Failed> {
    let report = place.join("report.json");
    let words = (scanner.words)(&path.to_string_lossy(), &report.to_string_lossy(), one);
    let before = of_children()?;
    let mut command = Command::new(&scanner.program);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if one {
        command.env("GOMAXPROCS", "1");
    }
    command.status().map_err(|source| Failed::Start {
        program: scanner.program.to_string_lossy().into_owned(),
        source,
        help: "name programs that are installed",
    })?;
    Ok(of_children()? - before)
}

/// What every child that has ended used.
fn of_children() -> Result<f64, Failed> {
    let text = command::read(Path::new("/proc/self/stat"))?;
    // Behind the name, which may hold anything: the 16th and 17th field.
    let fields =
        text.rsplit_once(')').map(|(_, fields)| fields.split_whitespace().skip(13).take(2));
    let ticks: Option<Vec<f64>> =
        fields.and_then(|fields| fields.map(|field| field.parse().ok()).collect());
    match ticks.as_deref() {
        Some([user, system]) => Ok((user + system) / TICKS),
        _ => Err(Failed::Output("/proc/self/stat".to_owned())),
    }
}

/// A service's log: hashes, paths, UUIDs and names such as `token` and `session` in its lines, and [`PLANTED`] secrets of ten types.
fn write_log(path: &Path) -> Result<(), Failed> {
    let failed = |source| Failed::File { path: path.to_owned(), source };
    let mut file = BufWriter::new(fs::File::create(path).map_err(failed)?);
    let mut random = Random::new(7);
    let (mut length, mut planted) = (0, 0);
    while length < LENGTH {
        let mut line = format!(
            "2026-11-{:02}T{:02}:{:02}:{:02}.{:03}Z INFO ",
            random.below(28) + 1,
            random.below(24),
            random.below(60),
            random.below(60),
            random.below(1000)
        );
        for _ in 0..random.below(9) + 5 {
            line.push_str(word(&mut random));
            line.push(' ');
        }
        line.push_str(&event(&mut random));
        if planted < PLANTED && length >= LENGTH / PLANTED * planted {
            line.push_str(" credential ");
            line.push_str(&secret(&mut random, planted % 10));
            planted += 1;
        }
        line.push('\n');
        file.write_all(line.as_bytes()).map_err(failed)?;
        length += line.len() as u64;
    }
    file.flush().map_err(failed)
}

fn word(random: &mut Random) -> &'static str {
    let at = usize::try_from(random.below(WORDS.len() as u64)).unwrap_or(0);
    WORDS.get(at).copied().unwrap_or_default()
}

fn some(random: &mut Random, of: &[u8], length: usize) -> String {
    let mut one = || {
        let at = usize::try_from(random.below(of.len() as u64)).unwrap_or(0);
        of.get(at).copied().map_or('x', char::from)
    };
    (0..length).map(|_| one()).collect()
}

fn event(random: &mut Random) -> String {
    match random.below(6) {
        0 => {
            let (commit, name) = (some(random, HEX, 40), some(random, HEX, 8));
            format!("commit={commit} path=/srv/app/{}/{}/{name}.json", word(random), word(random))
        }
        1 => {
            let parts = [8, 4, 4, 4, 12].map(|length| some(random, HEX, length)).join("-");
            format!("id={parts} session={}", some(random, HEX, 32))
        }
        2 => format!("digest sha256:{}", some(random, HEX, 64)),
        3 => format!(
            "user={} token_count={} duration={}ms",
            word(random),
            random.below(9999),
            random.below(9999)
        ),
        4 => format!(
            "GET /api/v1/{}/{} 200 {} \"Mozilla/5.0 (X11; Linux x86_64)\"",
            word(random),
            random.below(99_999),
            random.below(99_999)
        ),
        _ => {
            let (trace, span) = (some(random, HEX, 32), some(random, HEX, 16));
            format!(
                "trace={trace} span={span} /usr/lib/python3/{}/{}.py",
                word(random),
                word(random)
            )
        }
    }
}

/// A made-up secret; put together here, so that no scanner takes this file for one.
fn secret(random: &mut Random, kind: u64) -> String {
    let mut letters = |length| some(random, LETTERS, length);
    match kind {
        0 => with_checksum("ghp", letters(30)),
        1 => format!("AK{}{}", "IA", some(random, CAPITALS, 16)),
        2 => format!("gl{}-{}", "pat", letters(20)),
        3 => format!("xo{}-{}-{}-{}", "xb", 421_337_901_224_u64, 934_112_870_361_u64, letters(24)),
        4 => format!("sk_{}_{}", "live", letters(24)),
        5 => format!("AI{}{}", "za", letters(35)),
        6 => format!("S{}.{}.{}", "G", letters(22), letters(43)),
        7 => with_checksum("npm", letters(30)),
        8 => format!("dop_{}_{}", "v1", some(random, HEX, 64)),
        _ => format!("eyJ{}.eyJzdWIiOiI{}In0.{}", "hbGciOiJIUzI1NiJ9", letters(12), letters(43)),
    }
}

/// As GitHub and npm have it: six digits of a checksum behind the rest.
fn with_checksum(prefix: &str, body: String) -> String {
    let mut sum = !0_u32;
    for byte in body.bytes() {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = sum >> 1 ^ if sum & 1 == 1 { 0xedb8_8320 } else { 0 };
        }
    }
    let mut rest = !sum;
    let mut digits = Vec::new();
    for _ in 0..6 {
        let at = usize::try_from(rest % 62).unwrap_or(0);
        digits.push(LETTERS.get(at).copied().map_or('0', char::from));
        rest /= 62;
    }
    digits.reverse();
    format!("{prefix}_{body}{}", digits.into_iter().collect::<String>())
}
