//! Getting the agents. Owns the cache under `target/agents`: Node, and a folder for each agent, with what its package index gives; nothing
//! is put anywhere else, and a folder that is there is used again.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

use super::table::{Agent, Source};
use crate::command::{Failed, root, say};

/// The Node that the agents run on: the newest of the versions that they name as the least.
const NODE: &str = "node@24";

/// How long one installation may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// How many versions before the newest are tried, where the newest cannot be installed.
const EARLIER: usize = 12;

/// What shows that an installation came to its end.
const DONE: &str = ".installed";

/// An agent that is there.
#[derive(Debug)]
pub(super) struct Fetched {
    /// Its row.
    pub(super) agent: &'static Agent,
    /// Its version.
    pub(super) version: String,
    /// The folder with its program.
    pub(super) programs: PathBuf,
}

/// The folder of everything that is fetched.
pub(super) fn cache() -> PathBuf {
    root().join("target/agents")
}

/// The folder with `node` and `npm`'s agents' interpreter.
pub(super) fn node() -> PathBuf {
    cache().join("node/node_modules/node/bin")
}

/// Gets Node, where it is not there yet.
pub(super) fn fetch_node() -> Result<(), Failed> {
    let folder = cache().join("node");
    if folder.join(DONE).exists() {
        return Ok(());
    }
    npm(&folder, NODE).map_err(Failed::Broken)?;
    mark(&folder)
}

/// Gets an agent, where it is not there yet: its newest version, or the newest that can be installed.
pub(super) fn fetch(agent: &'static Agent) -> Result<Fetched, String> {
    let (version, programs) = fetch_from(agent.name, agent.source)?;
    Ok(Fetched { agent, version, programs })
}

/// Gets a package into a folder of this name, where it is not there yet; gives its version and the folder with its programs.
pub(super) fn fetch_from(name: &str, source: Source) -> Result<(String, PathBuf), String> {
    let folder = cache().join(name);
    let is_there = folder.join(DONE).exists();
    match source {
        Source::Npm(package) => {
            if !is_there {
                npm_any(&folder, package)?;
                mark(&folder).map_err(|failed| failed.to_string())?;
            }
            let manifest = folder.join("node_modules").join(package).join("package.json");
            let text = fs::read_to_string(&manifest).map_err(|error| error.to_string())?;
            let manifest: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
            let version = manifest.get("version").and_then(Value::as_str).unwrap_or("unknown");
            Ok((version.to_owned(), folder.join("node_modules/.bin")))
        }
        Source::Python(package) => {
            if !is_there {
                python(&folder, package)?;
                mark(&folder).map_err(|failed| failed.to_string())?;
            }
            let programs = folder.join("bin");
            let mut show = Command::new(programs.join("pip"));
            let shown = show.args(["show", package]).output().map_err(|error| error.to_string())?;
            let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
            let version = shown.lines().find_map(|line| line.strip_prefix("Version: "));
            Ok((version.unwrap_or("unknown").to_owned(), programs))
        }
    }
}

fn mark(folder: &Path) -> Result<(), Failed> {
    crate::command::write(&folder.join(DONE), "")
}

/// Installs the newest version of a package, or the newest one whose parts are all there.
fn npm_any(folder: &Path, package: &str) -> Result<(), String> {
    let Err(first) = npm(folder, package) else { return Ok(()) };
    let mut list = Command::new("npm");
    list.args(["view", package, "versions", "--json"]).stderr(Stdio::null());
    let versions = list.output().map_err(|error| error.to_string())?.stdout;
    let versions: Vec<String> = serde_json::from_slice(&versions).unwrap_or_default();
    for version in versions.iter().rev().skip(1).take(EARLIER) {
        say(&format!("   {package} cannot be installed ({first}), trying {version}\n"));
        if npm(folder, &format!("{package}@{version}")).is_ok() {
            return Ok(());
        }
    }
    Err(first)
}

fn npm(folder: &Path, package: &str) -> Result<(), String> {
    // What is left of an installation that failed would count as there.
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let mut command = Command::new("npm");
    command.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(folder).arg(package);
    // Scripts of packages look for the Node that they are for.
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", node().display()));
    ended(command, folder)
}

fn python(folder: &Path, package: &str) -> Result<(), String> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let mut command = Command::new("python3");
    command.args(["-m", "venv"]).arg(folder);
    ended(command, folder)?;
    let mut command = Command::new(folder.join("bin/pip"));
    command.args(["install", "--quiet", "--disable-pip-version-check", package]);
    ended(command, folder)
}

/// Runs an installer to its end, with what it says in a file of the folder.
fn ended(mut command: Command, folder: &Path) -> Result<(), String> {
    let path = folder.join("install.log");
    let log = fs::File::create(&path).map_err(|error| error.to_string())?;
    let other = log.try_clone().map_err(|error| error.to_string())?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(log)
        .stderr(other)
        .spawn()
        .map_err(|error| error.to_string())?;
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            if status.success() {
                return Ok(());
            }
            let text = fs::read_to_string(&path).unwrap_or_default();
            let why = text.lines().find(|line| line.contains("No matching version"));
            let why = why.or_else(|| text.lines().last()).unwrap_or("no reason given");
            return Err(why.trim_start_matches("npm error ").trim().to_owned());
        }
        if begun.elapsed() > PATIENCE {
            // It may have ended in between.
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("it took longer than {} s", PATIENCE.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}
