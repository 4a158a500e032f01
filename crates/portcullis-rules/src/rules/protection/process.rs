//! The gate's process and package: who stops the one and who removes the other. Owns how a process id is traced back to the
//! search that found it.

use regex::RegexBuilder;

use super::verbs::NAME;
use crate::{
    effect::{Effect, EffectId, EffectKind, Run},
    place::{self, Place},
    programs::agents,
    rules::{
        Scene,
        effects::{run, words},
    },
    text::{Piece, Text},
};

/// How many steps back a process id is followed: a search, a filter or two, a variable.
const STEPS: usize = 6;

/// Programs that weaken the process whose number they are given.
const ON_PROCESSES: &[&str] = &[
    "chrt", "cpulimit", "criu", "gcore", "gdb", "ionice", "kill", "lldb", "ltrace", "nsenter",
    "prlimit", "renice", "reptyr", "skill", "snice", "strace", "taskset", "tkill", "xkill",
];

/// Whether an effect stops, slows or takes over a process of the gate.
pub(super) fn stops(effect: &Effect, scene: &Scene<'_>) -> bool {
    match &effect.kind {
        EffectKind::Kill { target, .. } => {
            target.as_known().is_some_and(names_gate) || found_by_name(target, scene, STEPS)
        }
        EffectKind::Run(run) if ON_PROCESSES.binary_search(&run.program.as_str()).is_ok() => {
            let by_name = matches!(run.program.as_str(), "skill" | "snice" | "xkill")
                && words(run).any(names_gate);
            by_name
                || run.arguments.iter().any(|argument| found_by_name(&argument.text, scene, STEPS))
        }
        EffectKind::Run(run) if run.program == "fuser" => {
            words(run).any(|word| word.starts_with("-k") || word == "--kill")
                && words(run).any(|word| super::is_gate(word, scene.facts))
        }
        // `/proc/PID/oom_score_adj` and its neighbours.
        EffectKind::Write { target, .. } => {
            target.text.known_prefix().starts_with("/proc/")
                && found_by_name(&target.text, scene, STEPS)
        }
        _ => manages(effect),
    }
}

/// Whether a pattern of `pkill`, or a name, means the gate's process.
fn names_gate(pattern: &str) -> bool {
    if pattern.contains(NAME) {
        return true;
    }
    let letters = pattern.bytes().filter(u8::is_ascii_alphabetic).count();
    // `pkill -f '[p]ortcullis hook'`: what is looked for is a command line with the name in it.
    if pattern.replace(['[', ']', '\\'], "").contains(NAME) {
        return true;
    }
    // `pkill -f 'hook claude'`: its command line, by another part of it.
    if pattern.contains("hook ") {
        return true;
    }
    // A pattern of a letter or two means many processes, and says so by itself.
    letters >= 4
        && RegexBuilder::new(pattern)
            .size_limit(1 << 16)
            .build()
            .is_ok_and(|pattern| pattern.is_match(NAME))
}

/// Whether a number that nobody knows yet was found by looking for the gate's name, or stands in one of its files.
fn found_by_name(text: &Text, scene: &Scene<'_>, steps: usize) -> bool {
    steps > 0
        && text.has_unknown()
        && text.sources.iter().any(|source| tells_of_gate(*source, scene, steps - 1))
}

fn tells_of_gate(source: EffectId, scene: &Scene<'_>, steps: usize) -> bool {
    let effect = usize::try_from(source.0).ok().and_then(|at| scene.effects.list.get(at));
    match effect.map(|effect| &effect.kind) {
        Some(EffectKind::Run(run)) => {
            let shown = run.arguments.iter().map(|argument| argument.text.display());
            shown.into_iter().any(|word| names_gate(&word.replace(['[', ']'], "")))
                || run.input.as_ref().is_some_and(|input| found_by_name(input, scene, steps))
                || run.arguments.iter().any(|argument| found_by_name(&argument.text, scene, steps))
        }
        Some(EffectKind::Read(target)) => place::place_of(target, scene.facts) == Place::Gate,
        _ => false,
    }
}

/// Options behind which one of the programs on processes, or an inspector, has a process that runs.
const ATTACHING: &[&str] = &["--attach", "--attach-pid", "--pid", "-p", "-pid", "attach"];

/// Whether an effect reaches into the process of the agent, which is the one above the shell that it starts: what runs there calls the
/// gate, or calls it no more.
pub(super) fn enters_agent(effect: &Effect, scene: &Scene<'_>) -> bool {
    let is_agents = |text: &Text| is_parent(text) || found_agent(text, scene, STEPS);
    match &effect.kind {
        EffectKind::Kill { target, .. } => is_parent(target),
        EffectKind::Run(run) if ON_PROCESSES.binary_search(&run.program.as_str()).is_ok() => {
            run.program != "kill" && run.arguments.iter().any(|argument| is_agents(&argument.text))
        }
        EffectKind::Run(run) if matches!(run.program.as_str(), "node" | "nodejs" | "bun") => {
            let is_inspector = words(run).any(|word| word == "inspect");
            let attaches = words(run).any(|word| ATTACHING.contains(&word));
            is_inspector
                && attaches
                && run.arguments.iter().any(|argument| is_agents(&argument.text))
        }
        EffectKind::Run(run)
            if matches!(run.program.as_str(), "dlv" | "py-spy" | "rbspy" | "perf") =>
        {
            run.program != "perf" && run.arguments.iter().any(|argument| is_agents(&argument.text))
        }
        EffectKind::Execute { code, .. } => {
            let code = code.display();
            code.contains("_debugProcess")
                || code.contains("process.ppid") && code.contains("process.kill")
        }
        _ => false,
    }
}

/// Whether a text is the number of the process above, or holds it: `$PPID`, `/proc/$PPID/mem`.
fn is_parent(text: &Text) -> bool {
    text.pieces.iter().any(|piece| matches!(piece, Piece::Unknown(name) if &**name == "PPID"))
}

/// Whether a number that nobody knows yet was found by looking for an agent by its name, or for the process above.
fn found_agent(text: &Text, scene: &Scene<'_>, steps: usize) -> bool {
    steps > 0
        && text.has_unknown()
        && text.sources.iter().any(|source| {
            let effect = usize::try_from(source.0).ok().and_then(|at| scene.effects.list.get(at));
            let Some(EffectKind::Run(run)) = effect.map(|effect| &effect.kind) else {
                return false;
            };
            let looks = matches!(run.program.as_str(), "pgrep" | "pidof" | "ps" | "grep" | "awk");
            looks
                && run.arguments.iter().any(|argument| {
                    let shown = argument.text.display().replace(['[', ']'], "");
                    is_parent(&argument.text)
                        || shown
                            .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-')
                            .any(|word| agents::find(word).is_some())
                })
                || run.input.as_ref().is_some_and(|input| found_agent(input, scene, steps - 1))
                || run
                    .arguments
                    .iter()
                    .any(|argument| found_agent(&argument.text, scene, steps - 1))
        })
}

/// Programs that keep services or packages.
const MANAGERS: &[&str] = &[
    "apk",
    "apt",
    "apt-get",
    "aptitude",
    "asdf",
    "brew",
    "bun",
    "cargo",
    "choco",
    "conda",
    "dnf",
    "dpkg",
    "emerge",
    "eopkg",
    "flatpak",
    "guix",
    "initctl",
    "launchctl",
    "mamba",
    "mise",
    "nix",
    "nix-env",
    "npm",
    "pacman",
    "paru",
    "pip",
    "pip3",
    "pipx",
    "pkg",
    "pkgutil",
    "pnpm",
    "port",
    "rc-service",
    "rc-update",
    "rpm",
    "scoop",
    "service",
    "snap",
    "supervisorctl",
    "sv",
    "systemctl",
    "update-rc.d",
    "uv",
    "winget",
    "yarn",
    "yay",
    "yum",
    "zypper",
];

/// Words with which one of them takes something away, stops it, or puts another in its place.
const ENDS: &[&str] = &[
    "--deselect",
    "--erase",
    "--purge",
    "--remove",
    "--unmerge",
    "-C",
    "-D",
    "-P",
    "-R",
    "-Rns",
    "-Rs",
    "-e",
    "-r",
    "autoremove",
    "binstall",
    "bootout",
    "del",
    "delete",
    "destroy",
    "disable",
    "downgrade",
    "edit",
    "erase",
    "freeze",
    "kill",
    "mask",
    "purge",
    "reload",
    "remove",
    "remove-from-path",
    "restart",
    "revert",
    "rm",
    "set-property",
    "stop",
    "un",
    "uninstall",
    "unlink",
    "unload",
    "unmerge",
];

/// A service manager or a package manager that ends the gate.
fn manages(effect: &Effect) -> bool {
    let Some(run) = run(effect) else { return false };
    let program = run.program.as_str();
    if MANAGERS.binary_search(&program).is_err() || !words(run).any(is_package) {
        return false;
    }
    match program {
        // Everything else of it builds.
        "cargo" => {
            let verb = words(run).find(|word| !word.starts_with(['-', '+']));
            matches!(verb, Some("install" | "uninstall" | "binstall"))
        }
        "npm" | "pnpm" | "yarn" | "bun" => ends(run) || words(run).any(|word| word == "r"),
        _ => ends(run),
    }
}

fn ends(run: &Run) -> bool {
    words(run).any(|word| ENDS.contains(&word))
}

/// Whether a word names the gate as a package or a service: `portcullis`, `portcullis=0.1`, `dev.portcullis`,
/// `crates/portcullis`.
fn is_package(word: &str) -> bool {
    let last =
        word.rsplit(['/', '.']).find(|part| !matches!(*part, "service" | "plist" | "socket"));
    let last = last.unwrap_or(word);
    let name = last.split(['=', '@', ':', '<', '>', '~']).next().unwrap_or(last);
    name == NAME || word.split(['=', '@']).next().is_some_and(|word| word == NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_sorted() {
        assert!(MANAGERS.is_sorted() && ON_PROCESSES.is_sorted());
    }
}
