//! Load: what keeps this machine or another busy. Owns which programs do that, for how long, and whose host is meant.

use super::super::{
    Hit, Scene,
    effects::{at, run, words},
    pattern, production,
};
use crate::{effect::Effect, risk::Severity};

/// What has no end, or is made to be too much.
pub(super) fn floods(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    let run = run(effect)?;
    let flood = match run.program.as_str() {
        "stress" | "stress-ng" | "cpuburn" | "sysbench-flood" => {
            let bounded = |word: &str| {
                matches!(word, "--help" | "--version" | "--timeout" | "-t")
                    || word.starts_with("--timeout=")
            };
            // Nothing to stress with, or no end: `--timeout 0` is for ever.
            let mut before = "";
            let endless = words(run).any(|word| {
                let found =
                    word == "--timeout=0" || word == "0" && matches!(before, "-t" | "--timeout");
                before = word;
                found
            });
            endless || !words(run).any(bounded)
        }
        "hping3" | "hping" => {
            words(run).any(|word| matches!(word, "--flood" | "--faster") || word.starts_with("-i"))
        }
        "slowloris" | "slowhttptest" | "goldeneye" | "hulk" | "t50" | "mdk3" | "mdk4"
        | "xerxes" | "torshammer" | "siege-flood" | "aireplay-ng" | "macof" => true,
        "ping" => pattern::options(run).has(&["-f"]),
        _ => false,
    };
    flood.then(|| at(Severity::High))
}

/// Programs that send a server as many requests as it takes.
const LOADERS: &[&str] = &[
    "ab",
    "autocannon",
    "bombardier",
    "cassowary",
    "ddosify",
    "hey",
    "httperf",
    "loadtest",
    "oha",
    "plow",
    "siege",
    "vegeta",
    "wrk",
    "wrk2",
];

pub(super) fn loads_others(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    let run = run(effect)?;
    if !LOADERS.contains(&run.program.as_str()) {
        return None;
    }
    let said = run.arguments.iter().map(|word| word.text.display());
    let mut said = said.chain(run.input.iter().map(crate::text::Text::display));
    let host = said.find_map(|text| {
        let mut hosts = text.match_indices("://").filter_map(|(at, mark)| {
            let authority = text.get(at + mark.len()..)?.split(['/', '?', ' ', '\n']).next()?;
            authority.rsplit('@').next().map(str::to_owned)
        });
        hosts.find(|host| production::is_of_others(host))
    })?;
    Some(Hit { resource: Some(format!("host:{host}")), ..at(Severity::High) })
}
