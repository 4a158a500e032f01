//! The project's own chores, one verb each. `cargo xtask test` is everything that must hold before a change lands.

mod agents;
mod audit_stress;
mod bench;
mod beside;
mod chart;
mod circles;
mod command;
mod conformance;
mod differential;
mod docs;
mod dressing;
mod frameworks;
mod fuzz;
mod licences;
mod random;
mod test;
mod threats;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask <verb>

  test            everything that must hold: formatting, lints, tests, docs, structure, licences
  structure       which crate may use which, and that no modules use each other in a circle
  docs [--check]  write the generated reference under docs/, or say what is out of date
  agents PROGRAM [AGENT]…
                  fetch coding agents and try each with a built program as its gate, apart from the network and the home
  mcp-agents PROGRAM [AGENT]…
                  fetch servers of MCP and two agents, and try the agents with a built program in front of the servers
  bench           measure speed and memory, and print the tables of docs/performance.md
  bench-conversation
                  only what keeping a conversation costs beside a bare write and fsync, and opening a long one
  bench-fleet PROGRAM URL
                  two gateways of a built program on the database of PostgreSQL that the URL names, beside one on SQLite and a bare echo
  bench-gateway PROGRAM
                  only what the gateway of a built program judges beside a bare echo, and what waits in it
  bench-mcp PROGRAM
                  only what the proxy of a built program costs in front of a server of MCP
  bench-network   only how long it takes to say where an address or a URL leads
  bench-proxy PROGRAM
                  only what the proxy of a built program carries beside a bare relay, and what a thousand tunnels take
  bench-sandbox PROGRAM
                  only what running a program inside limits costs a built program
  bench-scanners PROGRAM FOLDER [SCANNER]…
                  only what looking for secrets takes a built program, beside other scanners (kingfisher, gitleaks)
  bench-telemetry PROGRAM
                  only what a collector of telemetry costs those who have calls judged by a built program: there, away, standing still
  bench-try PROGRAM [FOLDER COMMAND…]
                  only what trying a command costs a built program: `true`, and a build in copies of a folder
  cedar           lint and test what is built with the feature `cedar` alone, which `test` leaves out
  beside PYTHON   time the analyzers of OpenHands, which that Python has installed, on the same commands
  beside-openmoat PROGRAM
                  play openmoat's own sessions and calls of MCP through a built program, beside openmoat (from the registry)
  conformance PROGRAM CHECKOUT
                  run the conformance programs of the Model Context Protocol through a built program; their sources in CHECKOUT hold the server
  differential [--scripts N] [--seed S]
                  run generated scripts in bash, and compare what started with what was predicted
  differential-code [--programs N] [--seed S] [--language python|javascript]
                  run generated programs in Python and Node, and compare what they start and do with files with what was predicted
  differential-code --of FILE
                  what one program does there, and what was predicted
  dressing [N]    judge the project's own attacks and twins in N other words each, or in all there are
  frameworks [NAME]…
                  fetch the frameworks for Python and Node, the newest minor and an older one, and run the packages' tests with each
  audit-stress    record from 1,000 processes at once, kill 200 of them, and verify the record
  fuzz [MINUTES]  run every fuzz target for that many CPU-minutes each (30)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["test"] => test::run(),
        ["structure"] => workspace::check_direction().and_then(|()| circles::check()),
        ["docs"] => docs::write(),
        ["docs", "--check"] => docs::check(),
        ["agents", program, names @ ..] => agents::run(program.as_ref(), names),
        ["agents-inside", program, folder, names @ ..] => {
            agents::inside(program.as_ref(), folder.as_ref(), names)
        }
        ["mcp-agents", program, names @ ..] => agents::mcp(program.as_ref(), names),
        ["mcp-agents-inside", program, folder, names @ ..] => {
            agents::mcp_inside(program.as_ref(), folder.as_ref(), names)
        }
        ["beside-openmoat", program] => agents::moat(program.as_ref()),
        ["beside-openmoat-inside", program, folder, other, fixtures] => agents::moat_inside(
            program.as_ref(),
            folder.as_ref(),
            other.as_ref(),
            fixtures.as_ref(),
        ),
        ["cedar"] => test::cedar(),
        ["bench"] => bench::run(),
        ["bench-in-process"] => bench::in_process(),
        ["beside", python] => beside::run(python),
        ["beside-in-process", python] => beside::in_process(python),
        ["bench-conversation"] => bench::conversation(),
        ["bench-network"] => {
            bench::network();
            Ok(())
        }
        ["bench-proxy", program] => bench::proxy(program.as_ref()),
        ["bench-mcp", program] => bench::mcp(program.as_ref()),
        ["bench-gateway", program] => bench::gateway(program.as_ref()),
        ["bench-fleet", program, url] => bench::fleet(program.as_ref(), url),
        ["bench-telemetry", program] => bench::telemetry(program.as_ref()),
        ["bench-echo"] => bench::echo(),
        ["bench-sandbox", program] => bench::sandbox(program.as_ref()),
        ["bench-try", program] => bench::trial(program.as_ref(), None),
        ["bench-try", program, folder, words @ ..] if !words.is_empty() => {
            bench::trial(program.as_ref(), Some((folder.as_ref(), words)))
        }
        ["bench-scanners", program, folder, others @ ..] => {
            bench::scanners(program.as_ref(), folder.as_ref(), others)
        }
        ["bench-relay", port] => match port.parse() {
            Ok(port) => bench::relay(port),
            Err(_) => Err(command::Failed::Usage(format!("`{port}` is not a port"))),
        },
        ["frameworks", names @ ..] => frameworks::run(names),
        ["audit-stress"] => audit_stress::run_stress(),
        ["differential", options @ ..] => differential_options(options)
            .and_then(|(scripts, seed)| differential::run(scripts, seed)),
        ["differential-code", "--of", file] => differential_of(file),
        ["differential-code", options @ ..] => {
            code_options(options).and_then(differential::code::run)
        }
        ["conformance", program, checkout] => conformance::run(program.as_ref(), checkout.as_ref()),
        ["dressing"] => dressing::run(None),
        ["dressing", each] => match each.parse() {
            Ok(each) => dressing::run(Some(each)),
            Err(_) => Err(command::Failed::Usage(format!("`{each}` is not a number"))),
        },
        ["fuzz"] => fuzz::run(30),
        ["fuzz", minutes] => match minutes.parse() {
            Ok(minutes) => fuzz::run(minutes),
            Err(_) => {
                Err(command::Failed::Usage(format!("`{minutes}` is not a number of minutes")))
            }
        },
        _ => {
            command::say(USAGE);
            return ExitCode::from(if words.is_empty() { 0 } else { 64 });
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failed) => {
            command::say(&format!("xtask: {failed}\n"));
            ExitCode::FAILURE
        }
    }
}

/// How many scripts, and the seed.
fn differential_options(options: &[&str]) -> Result<(u64, u64), command::Failed> {
    let (mut scripts, mut seed) = (differential::SCRIPTS, differential::SEED);
    for pair in options.chunks(2) {
        let [name, value] = pair else {
            return Err(command::Failed::Usage("an option lacks its number".to_owned()));
        };
        let number = value
            .parse()
            .map_err(|_| command::Failed::Usage(format!("`{value}` is not a number")))?;
        match *name {
            "--scripts" => scripts = number,
            "--seed" => seed = number,
            other => return Err(command::Failed::Usage(format!("`{other}` is no option"))),
        }
    }
    Ok((scripts, seed))
}

/// How many programs, the seed, and one language alone.
fn code_options(options: &[&str]) -> Result<differential::code::Options, command::Failed> {
    use differential::code::{Language, Options, PROGRAMS};

    let usage = |text: String| command::Failed::Usage(text);
    let mut read = Options { programs: PROGRAMS, seed: differential::SEED, language: None };
    for pair in options.chunks(2) {
        let [name, value] = pair else {
            return Err(usage("an option lacks its value".to_owned()));
        };
        let number = || value.parse().map_err(|_| usage(format!("`{value}` is not a number")));
        match (*name, *value) {
            ("--programs", _) => read.programs = number()?,
            ("--seed", _) => read.seed = number()?,
            ("--language", "python") => read.language = Some(Language::Python),
            ("--language", "javascript") => read.language = Some(Language::JavaScript),
            ("--language", other) => {
                return Err(usage(format!("`{other}` is neither `python` nor `javascript`")));
            }
            (other, _) => return Err(usage(format!("`{other}` is no option"))),
        }
    }
    Ok(read)
}

/// One program, by the end of its name in Python or Node.
fn differential_of(file: &str) -> Result<(), command::Failed> {
    use differential::code::{Language, show};

    let text = command::read(file.as_ref())?;
    show(if file.ends_with(".py") { Language::Python } else { Language::JavaScript }, &text)
}
