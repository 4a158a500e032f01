//! Programs that write to devices, divide them or make file systems. Owns which words of theirs name a device, and when it is lost.

use super::super::operands::{known, operands, synthetic};
use crate::{
    effect::{Argument, WriteMode},
    programs::{host::Host, invocation::Invocation},
    text::{Piece, Text},
};

/// Everything on the device is gone.
pub(super) fn device(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    if invocation.options().has(&["--help", "--version"]) {
        return Text::default();
    }
    let files: Vec<Argument> = operands(invocation)
        .into_iter()
        .filter(|file| {
            known(file).is_empty() || !known(file).bytes().all(|byte| byte.is_ascii_digit())
        })
        .filter(|file| !(invocation.program == "format" && known(file).starts_with('/')))
        .collect();
    erase(walk, &files);
    Text::default()
}

fn erase(walk: &mut dyn Host, files: &[Argument]) {
    for file in files {
        // Among temporary files there is no device, whatever the rest of the name.
        let temporary = file.text.known_prefix().starts_with("/tmp/");
        if file.text.has_unknown() && !temporary
            || file.text.pieces.iter().any(|piece| matches!(piece, Piece::Glob(_)))
        {
            walk.note("system.disk.format", file.span);
        }
        walk.write(file, WriteMode::Replace, Text::unknown("an empty file system"));
    }
}

pub(super) fn device_when_writing(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    if invocation.options().has(&["-w", "-n"]) && invocation.program == "badblocks" {
        return device(walk, invocation);
    }
    invocation.origin()
}

pub(super) fn device_when_wiping(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    if options.has(&["-a", "--all", "-o", "--offset", "-t", "--types"])
        && !options.has(&["-n", "--no-act"])
    {
        return device(walk, invocation);
    }
    invocation.origin()
}

pub(super) fn device_when_erasing(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let erases = invocation.arguments.iter().map(known).any(|word| {
        [
            "--security-erase",
            "--trim-sector",
            "--write-sector",
            "--make-bad-sector",
            "--sanitize",
            "--fwdownload",
            "--dco-restore",
        ]
        .iter()
        .any(|option| word.starts_with(option))
    });
    if erases {
        let files: Vec<Argument> = operands(invocation)
            .into_iter()
            .filter(|file| known(file).starts_with("/dev/"))
            .collect();
        erase(walk, &files);
    }
    invocation.origin()
}

/// `fdisk`, `sgdisk` and their like only look when asked to.
pub(super) fn partition(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let looks = [
        "-l",
        "--list",
        "-p",
        "--print",
        "-d",
        "--dump",
        "-s",
        "-v",
        "--verify",
        "-i",
        "--info",
        "-V",
        "--help",
        "--version",
    ];
    let options = invocation.options();
    let changes = options.has(&["--zap", "--zap-all", "-z", "-Z", "--clear", "--delete"])
        // There it deletes, loads what was saved, and makes a new table.
        || invocation.program == "sgdisk" && options.has(&["-d", "-l", "-o"]);
    let first = invocation.arguments.first().map_or("", known);
    // What `sgdisk` is told before it is told to pretend, it does.
    let pretends = match invocation.program.as_str() {
        "sfdisk" => invocation
            .arguments
            .iter()
            .any(|word| matches!(word.text.as_known(), Some("-n" | "--no-act"))),
        "sgdisk" => matches!(first, "-P" | "--pretend"),
        _ => false,
    };
    if pretends {
        return invocation.origin();
    }
    let lists = looks.contains(&first) || options.has(&["-l", "--list"]);
    if lists && !changes {
        return invocation.origin();
    }
    let files: Vec<Argument> = operands(invocation)
        .into_iter()
        .filter(|file| !known(file).starts_with(|byte: char| byte.is_ascii_digit()))
        .collect();
    erase(walk, &files);
    Text::default()
}

pub(super) fn partition_editor(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let words = operands(invocation);
    let changes = words.iter().skip(1).map(known).any(|word| {
        matches!(
            word,
            "mklabel"
                | "mktable"
                | "mkpart"
                | "mkpartfs"
                | "rm"
                | "resizepart"
                | "set"
                | "toggle"
                | "name"
                | "rescue"
                | "move"
                | "resize"
        )
    });
    let first = words
        .first()
        .filter(|_| changes || words.len() == 1 && !invocation.options().has(&["-l", "--list"]));
    if let Some(disk) = first {
        erase(walk, std::slice::from_ref(disk));
    }
    invocation.origin()
}

pub(super) fn encryption(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let words = operands(invocation);
    let action = words.first().map_or("", known);
    if matches!(
        action,
        "luksFormat"
            | "luksErase"
            | "erase"
            | "reencrypt"
            | "luksKillSlot"
            | "luksRemoveKey"
            | "luksHeaderRestore"
    ) {
        erase(walk, words.get(1..2).unwrap_or_default());
    }
    invocation.origin()
}

pub(super) fn raid(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    if invocation.options().has(&["--zero-superblock", "--create", "-C", "--build"]) {
        erase(walk, &operands(invocation));
    }
    invocation.origin()
}

pub(super) fn solid_state(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let words = operands(invocation);
    let action = words.first().map_or("", known);
    if matches!(
        action,
        "format" | "sanitize" | "write-zeroes" | "write-uncor" | "delete-ns" | "dsm" | "write"
    ) {
        erase(walk, words.get(1..2).unwrap_or_default());
    }
    invocation.origin()
}

/// macOS: `diskutil eraseDisk JHFS+ Name /dev/disk2`.
pub(super) fn disk_utility(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let words = operands(invocation);
    let action = words.first().map_or("", known).to_ascii_lowercase();
    let erases = ["erase", "zerodisk", "randomdisk", "secureerase", "partitiondisk", "reformat"];
    if erases.iter().any(|name| action.starts_with(name))
        || action == "apfs" && words.get(1).is_some_and(|word| known(word).starts_with("delete"))
    {
        let disk = words.last().map(|word| {
            synthetic(&format!("/dev/{}", known(word).trim_start_matches("/dev/")), word.span)
        });
        erase(walk, disk.as_slice());
    }
    invocation.origin()
}
