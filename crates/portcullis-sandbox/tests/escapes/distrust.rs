//! Others in the place of bubblewrap, none of which is used: that one is not trusted, or that what it made is not what was wanted.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, chown},
    path::Path,
    process::Command,
};

use portcullis_sandbox::{LayerState, Means, Refused, run};

use crate::{NOBODY, calls, promises::shell};

/// Where bubblewrap is, so that another can be put in its place for one process.
const BUBBLEWRAP: &str = "/usr/bin/bwrap";

/// Others in its place: whose file it is, its mode, what it does, and why it is not used.
const OTHERS: &[(Option<u32>, u32, &str, &str)] = &[
    (Some(NOBODY), 0o755, ": > MARK", "belongs to somebody else than root"),
    (None, 0o777, ": > MARK", "can be written by others than root"),
    (None, 0o775, ": > MARK", "can be written by others than root"),
    (None, 0o755, "echo 'bwrap: no luck' >&2; exit 1", "it fails: no luck"),
    (None, 0o755, "exit 0", "it ended without a word"),
    // It starts what it is told, in the namespaces outside.
    (
        None,
        0o755,
        "while [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\"",
        "is the one outside",
    ),
    // It makes everything writable.
    (None, 0o755, "CHANGE --ro-bind --bind", "it can be written"),
    // It leaves the covers out, and what is attached read-only.
    (None, 0o755, "CHANGE --ro-bind --ro-bind-try, /dev/null /no/such", "it is not covered"),
];

/// Only as root, since nobody else can put another in its place.
pub(crate) fn bubblewrap_is_not_believed(place: &Path, without: &[Means]) -> Result<(), String> {
    if without != [Means::Namespaces] || calls::user() != 0 || !Path::new(BUBBLEWRAP).exists() {
        return Ok(());
    }
    let mounts = Command::new("unshare").args(["-m", "true"]).status();
    if !mounts.is_ok_and(|status| status.success()) {
        println!("skipped: others in the place of bubblewrap, because `unshare -m` fails here");
        return Ok(());
    }
    let (other, mark, genuine) = (place.join("other"), place.join("mark"), place.join("genuine"));
    fs::copy(BUBBLEWRAP, &genuine).unwrap();
    for (owner, mode, does, expected) in OTHERS {
        let does = match does.strip_prefix("CHANGE ") {
            None => does.replace("MARK", &mark.display().to_string()),
            Some(pairs) => {
                let changes: String = pairs
                    .split(", ")
                    .filter_map(|pair| pair.split_once(' '))
                    .map(|(from, to)| format!("[ \"$a\" = {from} ] && a={to}; "))
                    .collect();
                format!(
                    "n=$#; while [ $n -gt 0 ]; do a=$1; shift; {changes}set -- \"$@\" \"$a\"; n=$((n-1)); done; exec {} \"$@\"",
                    genuine.display()
                )
            }
        };
        let _ = fs::remove_file(&other);
        fs::write(&other, format!("#!/bin/sh\n{does}\n")).unwrap();
        chown(&other, *owner, *owner).unwrap();
        fs::set_permissions(&other, fs::Permissions::from_mode(*mode)).unwrap();
        let line = "mount --bind \"$1\" \"$2\" && shift 2 && exec \"$@\"";
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-c", line, "sh"]).args([&other, Path::new(BUBBLEWRAP)]);
        command.arg(std::env::current_exe().unwrap()).arg("bubblewrap").arg(place);
        let output = command.output().map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let complaint = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() || !said.contains(expected) || mark.exists() {
            return Err(format!("{does}: {said:?} {complaint:?}, and not {expected:?}"));
        }
    }
    Ok(())
}

/// What is said of bubblewrap where there are no namespaces but by it, and what became of the run.
pub(crate) fn bubblewrap(place: &Path) {
    let mut launch = shell(place, &[Means::Namespaces], "true");
    let (protected, denied) = (launch.directory.join("kept"), launch.directory.join("secret"));
    for path in [&protected, &denied] {
        fs::write(path, "whole\n").unwrap();
    }
    launch.profile.protected.push(protected);
    launch.profile.denied.push(denied);
    let (report, became) = match run(&launch) {
        Ok(finished) => (finished.report, "went on without"),
        Err(Refused::Missing(report)) => (*report, "was refused"),
        Err(other) => return println!("{other}"),
    };
    let is_held = |state: &LayerState| state.by.contains(&Means::Bubblewrap);
    assert!(!report.layers.iter().any(is_held), "it was used");
    let one = report.unavailable.iter().find(|one| one.means == Means::Bubblewrap).unwrap();
    println!("{became}: {}", one.reason);
}
