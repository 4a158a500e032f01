//! The gate beside openmoat, on the scenarios that openmoat's own tests have for MCP: its sessions for a gateway, played through both programs (and through
//! neither), and its calls, sent to both hooks by its own scorecard. Owns how both are set up alike; how a session is played and what counts, `sessions.py` says.
//!
//! Nothing of openmoat is kept here: its program and its sources come from the registry.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use super::{fetch, isolation};
use crate::command::{self, Failed, root, say};

/// The version that is set beside.
const VERSION: &str = "0.12.1";

const PYTHON: &str = "install Python 3.10 or later";

/// Fetches openmoat, and sets both side by side.
pub(crate) fn run(program: &Path) -> Result<(), Failed> {
    let program = fs::canonicalize(program)
        .map_err(|source| Failed::File { path: program.to_path_buf(), source })?;
    if !rustix::process::getuid().is_root() {
        let words =
            "only root can play the person who accepts what a server shows\nhelp: run it as root";
        return Err(Failed::Usage(words.to_owned()));
    }
    let place = root().join("target/openmoat");
    let other = place.join("bin/openmoat");
    if !other.exists() {
        // Only what is built for tests lets a person be played.
        let words = ["install", "openmoat", "--version", VERSION, "--locked", "--debug", "--root"];
        let mut install = command::cargo(&words);
        command::run(install.arg(&place), "install Rust 1.95")?;
    }
    let fixtures = sources()?.join("tests/e2e/mcp_gateway/fixtures.json");
    let folder = fetch::cache().join(format!("moat-{}", std::process::id()));
    let words: Vec<String> = [&program, &folder, &other, &fixtures]
        .iter()
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    let ended = isolation::enter(&folder, "beside-openmoat-inside", &words);
    // What is left of a run is looked at by nobody.
    let _ = fs::remove_dir_all(&folder);
    ended
}

/// Where the registry keeps its sources.
fn sources() -> Result<PathBuf, Failed> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let registry = home.unwrap_or_default().join("registry/src");
    let failed = |source| Failed::File { path: registry.clone(), source };
    for entry in fs::read_dir(&registry).map_err(failed)?.flatten() {
        let folder = entry.path().join(format!("openmoat-{VERSION}"));
        if folder.is_dir() {
            return Ok(folder);
        }
    }
    Err(Failed::Broken(format!("no sources of openmoat {VERSION} are in `{}`", registry.display())))
}

/// The same inside: plays the sessions, and has the scorecard sent.
pub(crate) fn inside(
    program: &Path,
    folder: &Path,
    other: &Path,
    fixtures: &Path,
) -> Result<(), Failed> {
    if !isolation::is_inside() {
        return Err(Failed::Usage("this is a part of `cargo xtask beside-openmoat`".to_owned()));
    }
    let mut rows: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    let mut smuggled = Vec::new();
    for (gate, path) in [("none", other), ("openmoat", other), ("portcullis", program)] {
        say(&format!("── {gate}\n"));
        let home = folder.join(format!("home-{gate}"));
        let place = folder.join(format!("place-{gate}"));
        for folder in [&home, &place] {
            fs::create_dir_all(folder)
                .map_err(|source| Failed::File { path: folder.clone(), source })?;
        }
        let script = root().join("xtask/src/agents/moat/sessions.py");
        if gate == "portcullis" {
            wrapped(path, folder, &home, &place, &script)?;
        }
        let mut player = Command::new("python3");
        player.arg(&script).arg(gate).arg(path).arg(fixtures).arg(&place);
        player.current_dir(&home).env("HOME", &home);
        let said = command::output(&mut player, PYTHON)?;
        for line in said.lines() {
            let one: Value =
                serde_json::from_str(line).map_err(|_| Failed::Output("sessions.py".to_owned()))?;
            let word =
                |key: &str| one.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let count = |key: &str| one.get(key).and_then(Value::as_array).map_or(0, Vec::len);
            let cell = match (count("smuggled"), count("other")) {
                (0, 0) => "as it should",
                (0, _) => "something else arrives",
                _ => "**smuggled**",
            };
            if count("smuggled") > 0 && gate == "portcullis" {
                smuggled.push(line.to_owned());
            } else if count("other") > 0 && gate != "none" {
                say(&format!("{line}\n"));
            }
            rows.entry((word("kind"), word("id"))).or_default().push(cell.to_owned());
        }
    }
    say("\n| session | no gate | openmoat | portcullis |\n|---|---|---|---|\n");
    for ((kind, id), cells) in &rows {
        say(&format!("| {kind}: {id} | {} |\n", cells.join(" | ")));
    }
    for (who, hook) in [("openmoat", None), ("portcullis", Some(program))] {
        scored(who, other, folder, hook)?;
    }
    if smuggled.is_empty() { Ok(()) } else { Err(Failed::Broken(smuggled.join("\n"))) }
}

/// Has a person put the gate before the server of the sessions; what that shows first is accepted.
fn wrapped(
    program: &Path,
    folder: &Path,
    home: &Path,
    place: &Path,
    script: &Path,
) -> Result<(), Failed> {
    let python = command::output(
        Command::new("python3").args(["-c", "import sys; print(sys.executable)"]),
        PYTHON,
    )?;
    let words = [script, Path::new("--server"), &place.join("server")]
        .map(|word| word.to_string_lossy().into_owned());
    let servers = json!({"mcpServers": {"docs": {"command": python.trim(), "args": words}}});
    command::write(&home.join(".claude.json"), &servers.to_string())?;
    let words =
        format!("cd {0} && env HOME={0} {1} mcp wrap claude", home.display(), program.display());
    if isolation::as_person(folder, &words)? {
        Ok(())
    } else {
        Err(Failed::Broken("no person could put the gate there".to_owned()))
    }
}

/// Has openmoat's scorecard send its calls of MCP to a hook, its own where none is named, and says what each came to.
fn scored(who: &str, other: &Path, folder: &Path, hook: Option<&Path>) -> Result<(), Failed> {
    let home = folder.join("home-scored");
    fs::create_dir_all(&home).map_err(|source| Failed::File { path: home.clone(), source })?;
    let mut bench = Command::new(other);
    bench.args(["bench", "--host", "claude-code", "--format", "json"]).env("HOME", &home);
    if let Some(program) = hook {
        bench.arg("--hook").arg(format!("{} hook claude", program.display()));
    }
    let output = bench.output().map_err(|source| Failed::Start {
        program: "openmoat bench".to_owned(),
        source,
        help: "remove target/openmoat, so that it is fetched again",
    })?;
    // It ends badly where another hook decides otherwise than its own.
    let card: Value = serde_json::from_slice(&output.stdout)
        .map_err(|_| Failed::Output(String::from_utf8_lossy(&output.stderr).into_owned()))?;
    let count = |key: &str| card.pointer(&format!("/categories/mcp/{key}")).and_then(Value::as_u64);
    let [runs, blocked, asked, passed] =
        ["runs", "blocked", "asked", "passthrough"].map(|key| count(key).unwrap_or_default());
    say(&format!(
        "\n{who}: of {runs} scenarios of calls, {blocked} are blocked, {asked} asked about, {passed} left to the agent\n"
    ));
    for differs in card.get("mismatches").and_then(Value::as_array).into_iter().flatten() {
        if let Some(differs) = differs.as_str().filter(|differs| differs.starts_with("mcp-")) {
            say(&format!("  {differs}\n"));
        }
    }
    Ok(())
}
