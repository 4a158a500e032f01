//! How a system runs: power, services, its kernel, the files that it is set up by. Owns how commands about them are read.

use super::super::{
    Hit, Scene,
    effects::{about, at, run, words, written},
    pattern,
};
use crate::{
    effect::{Effect, WriteMode},
    place::{self, PersistenceKind, Place},
    risk::Severity,
};

pub(super) fn power(effect: &Effect) -> Option<Hit> {
    let run = run(effect)?;
    let off = match run.program.as_str() {
        "shutdown" | "reboot" | "halt" | "poweroff" | "Stop-Computer" | "Restart-Computer"
        | "kexec"
            if run.program != "kexec" =>
        {
            !words(run).any(|word| {
                matches!(
                    word,
                    "--help" | "--show" | "--version" | "-c" | "-k" | "/a" | "--wtmp-only" | "-w"
                )
            })
        }
        // The system's bus has the same verbs.
        "busctl" | "dbus-send" | "gdbus" | "qdbus" => {
            words(run).any(|word| word.contains("login1") || word.contains("systemd1"))
                && words(run).any(|word| {
                    let method = word.rsplit('.').next().unwrap_or(word);
                    [
                        "PowerOff",
                        "Reboot",
                        "Halt",
                        "Suspend",
                        "Hibernate",
                        "KExec",
                        "ScheduleShutdown",
                    ]
                    .iter()
                    .any(|verb| method.starts_with(verb))
                        && !method.starts_with("RebootTo")
                })
        }
        "kexec" => words(run).any(|word| matches!(word, "-e" | "--exec")),
        "init" | "telinit" => words(run).any(|word| matches!(word, "0" | "1" | "6" | "s" | "S")),
        "systemctl" | "loginctl" => {
            let mut operands = words(run).filter(|word| !word.starts_with('-'));
            match operands.next() {
                Some(
                    "poweroff" | "reboot" | "halt" | "kexec" | "suspend" | "hibernate" | "rescue"
                    | "emergency" | "soft-reboot" | "exit" | "hybrid-sleep",
                ) => true,
                Some("isolate" | "start") => operands.any(|unit| {
                    [
                        "rescue",
                        "emergency",
                        "poweroff",
                        "reboot",
                        "halt",
                        "shutdown",
                        "runlevel0",
                        "runlevel1",
                        "runlevel6",
                    ]
                    .iter()
                    .any(|target| unit.starts_with(target))
                }),
                _ => false,
            }
        }
        _ => false,
    };
    off.then(|| at(Severity::Critical))
}

/// What is done to which services: `systemctl stop x`, `service x stop`.
pub(super) fn service(effect: &Effect) -> Option<(String, Vec<String>)> {
    let run = run(effect)?;
    let mut operands = words(run).filter(|word| !word.starts_with('-')).map(str::to_owned);
    match run.program.as_str() {
        "launchctl" => {
            let action = operands.next()?;
            let units: Vec<String> = operands.collect();
            let stops = matches!(action.as_str(), "bootout" | "disable" | "remove" | "unload");
            let of_all = |unit: &String| {
                unit.starts_with("system/")
                    || unit.starts_with("/Library/")
                    || unit.starts_with("/System/")
            };
            let said = match (stops, units.iter().any(of_all)) {
                (true, true) => "stop",
                (true, false) => "restart",
                (false, _) => action.as_str(),
            };
            Some((said.to_owned(), units))
        }
        "chkconfig" | "update-rc.d" => {
            let unit = operands.next()?;
            let off = operands.any(|word| matches!(word.as_str(), "off" | "disable" | "remove"))
                || words(run).any(|word| word == "--del");
            off.then(|| ("disable".to_owned(), vec![unit]))
        }
        "systemctl" => {
            let named = pattern::options(run);
            let mut operands =
                named.operands().filter_map(|word| word.text.as_known()).map(str::to_owned);
            let action = operands.next()?;
            Some((action, operands.collect()))
        }
        "initctl" | "rc-update" | "sv" => {
            let action = operands.next()?;
            Some((action, operands.collect()))
        }
        "service" | "rc-service" | "invoke-rc.d" => {
            let unit = operands.next()?;
            let action = operands.next()?;
            Some((action, vec![unit]))
        }
        "sc" | "net" => {
            let action = operands.next()?;
            Some((action, operands.collect()))
        }
        "Stop-Service" => Some(("stop".to_owned(), operands.collect())),
        _ => None,
    }
}

pub(super) fn kernel(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let (target, mode, _) = written(effect)?;
    if mode == WriteMode::Create || place::place_of(target, scene.facts) != Place::Kernel {
        return None;
    }
    let path = target.path.as_deref().unwrap_or_default();
    // A process may say of itself how it wants to be treated.
    if path.starts_with("/proc/self/") && !path.ends_with("/mem") {
        return Some(about(Severity::Medium, target, "this changes"));
    }
    // How many files, maps and connections there may be, as manuals of databases and editors ask for.
    const TUNED: &[&str] = &[
        "/proc/sys/fs/file-max",
        "/proc/sys/fs/inotify/",
        "/proc/sys/net/core/rmem_max",
        "/proc/sys/net/core/somaxconn",
        "/proc/sys/net/core/wmem_max",
        "/proc/sys/vm/max_map_count",
        "/proc/sys/vm/overcommit_memory",
        "/proc/sys/vm/swappiness",
    ];
    if TUNED.iter().any(|start| path.starts_with(start)) {
        return Some(about(Severity::Medium, target, "this changes"));
    }
    let worst = [
        "core_pattern",
        "sysrq",
        "modprobe",
        "hotplug",
        "uevent_helper",
        "release_agent",
        "/mem",
        "randomize_va_space",
        "binfmt_misc",
        "kcore",
        "poweroff_cmd",
        "efivars",
        "/panic",
        "kptr_restrict",
        "ptrace_scope",
        "suid_dumpable",
        "modules_disabled",
    ]
    .iter()
    .any(|name| path.contains(name));
    Some(about(
        if worst { Severity::Critical } else { Severity::High },
        target,
        "this changes the kernel's",
    ))
}

pub(super) fn system_file(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let (target, mode, _) = written(effect)?;
    let place = place::place_of(target, scene.facts);
    let severity = match place {
        Place::Boot => Severity::Critical,
        Place::Root if mode != WriteMode::Replace => Severity::High,
        Place::SystemTop => Severity::High,
        Place::System | Place::Device => {
            // Said better by the rules on what starts by itself.
            let told = place::persistence_of(target, scene.facts)
                .is_some_and(|found| found.kind != PersistenceKind::Package);
            if told && mode != WriteMode::Create {
                return None;
            }
            Severity::High
        }
        Place::Unknown if rooted(target) => Severity::High,
        _ => return None,
    };
    Some(about(severity, target, &format!("this writes to {}:", place.words())))
}

/// Something that is not known, right below the root: an archive unpacked there.
fn rooted(target: &crate::effect::Target) -> bool {
    target.path.as_deref() == Some("/**")
}
