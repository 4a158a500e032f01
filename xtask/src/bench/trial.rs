//! What trying a command costs: each run beside the same one that is not tried, in turns.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use crate::command::{Failed, root, say};

/// How often `true` is run each way, and a build.
const RUNS: usize = 50;
const BUILDS: usize = 3;

/// `true`, and a build of a folder where one is named: the medians of both ways.
pub(crate) fn run(program: &Path, build: Option<(&Path, &[&str])>) -> Result<(), Failed> {
    let place = root().join(format!("target/bench-try-{}", std::process::id()));
    let bench = Bench { program, place: place.clone() };
    let measured = bench.pairs("true", RUNS, None, &["true"]).and_then(|()| match build {
        Some((folder, words)) => bench.pairs("the build", BUILDS, Some(folder), words),
        None => Ok(()),
    });
    fs::remove_dir_all(&place).map_err(|source| Failed::File { path: place, source })?;
    measured
}

struct Bench<'a> {
    program: &'a Path,
    place: PathBuf,
}

impl Bench<'_> {
    fn pairs(
        &self,
        name: &str,
        count: usize,
        folder: Option<&Path>,
        words: &[&str],
    ) -> Result<(), Failed> {
        let (mut bare, mut tried) = (Vec::new(), Vec::new());
        for _ in 0..count {
            bare.push(self.timed(folder, &[], words)?);
            tried.push(self.timed(
                folder,
                &["try", "--discard", "--timeout", "600", "--"],
                words,
            )?);
        }
        let middle = |times: &mut Vec<Duration>| {
            times.sort_unstable();
            times.get(times.len() / 2).copied().unwrap_or_default().as_secs_f64() * 1e3
        };
        let ratios = bare.iter().zip(&tried);
        let ratios: Vec<String> = ratios
            .map(|(bare, tried)| format!("{:.2}", tried.as_secs_f64() / bare.as_secs_f64()))
            .collect();
        let (bare, tried) = (middle(&mut bare), middle(&mut tried));
        say(&format!(
            "{name}: {bare:.1} ms, tried {tried:.1} ms: {:.1} ms more, {:.2} times\n",
            tried - bare,
            tried / bare
        ));
        if count <= BUILDS {
            say(&format!("pair by pair: {}\n", ratios.join(", ")));
        }
        Ok(())
    }

    /// How long one run takes, in a copy of the folder, which is not timed. What is before the words is given to the program.
    fn timed(
        &self,
        folder: Option<&Path>,
        before: &[&str],
        words: &[&str],
    ) -> Result<Duration, Failed> {
        let work = self.place.join("work");
        let failed = |source| Failed::File { path: work.clone(), source };
        if work.exists() {
            fs::remove_dir_all(&work).map_err(failed)?;
        }
        fs::create_dir_all(self.place.join("home")).map_err(failed)?;
        match folder {
            Some(folder) => {
                Command::new("cp").arg("-a").arg(folder).arg(&work).status().map_err(failed)?;
            }
            None => fs::create_dir(&work).map_err(failed)?,
        }
        let program = self.program.as_os_str();
        let all = before.first().map(|_| program).into_iter();
        let mut all = all.chain(before.iter().chain(words).map(|word| word.as_ref()));
        let mut command = Command::new(all.next().unwrap_or(program));
        command.args(all).current_dir(&work).stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(Stdio::null()).env("HOME", self.place.join("home"));
        command.env("PORTCULLIS_STATE_DIR", self.place.join("state"));
        let begin = Instant::now();
        let status = command.status().map_err(failed)?;
        let time = begin.elapsed();
        if status.success() {
            return Ok(time);
        }
        let words = [before, words].concat().join(" ");
        Err(Failed::Usage(format!("`{words}` ended with {status}")))
    }
}
