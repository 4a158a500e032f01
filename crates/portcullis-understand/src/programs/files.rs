//! Programs that copy, move, make, change and delete files. Owns what each of them does to which of its operands; how bad
//! that is depends on where they lie and is said by `rules`.

use super::{
    Does, Program, laid_over,
    operands::{after, copied, directory, into, known, operands, synthetic},
};
use crate::{
    effect::{Argument, GapReason, WriteMode},
    place::{self, Place},
    programs::host::Host,
    programs::invocation::Invocation,
    text::{Piece, Text},
};

const fn custom(
    name: &'static str,
    values: &'static [&'static str],
    act: fn(&mut dyn Host, &Invocation) -> Text,
) -> Program {
    Program { name, values, does: Does::Custom(act) }
}

/// Sorted by name.
pub(super) static TABLE: &[Program] = &[
    custom("Copy-Item", COPY, copy),
    custom("Move-Item", COPY, moves),
    custom("New-Item", &["-Path", "-ItemType", "-Name", "-Value"], create),
    custom("Remove-Item", &["-Path", "-LiteralPath"], remove_windows),
    custom("cp", COPY, copy),
    custom("csplit", &["-b", "-f", "-n", "--prefix", "--suffix-format", "--digits"], split),
    custom("dcfldd", &[], dd),
    custom("dd", &[], dd),
    custom("ddrescue", &["-s", "-i", "-o", "-b", "-c"], ddrescue),
    custom("del", &[], remove_windows),
    custom("erase", &[], remove_windows),
    custom("fallocate", &["-l", "-o", "--length", "--offset"], allocate),
    custom("install", INSTALL, install),
    custom("link", &[], link),
    custom("ln", &["-t", "--target-directory", "-S", "--suffix"], link),
    custom("logrotate", &["-s", "--state", "-l", "--log", "-m", "--mail"], rotate),
    custom("mkdir", &["-m", "--mode", "-Z"], create),
    custom("mkfifo", &["-m", "--mode"], create),
    custom("mknod", &["-m", "--mode"], create_first),
    custom("mktemp", &["-p", "--tmpdir", "--suffix", "-t"], temporary),
    custom("mv", COPY, moves),
    custom(
        "patch",
        &[
            "-i",
            "--input",
            "-p",
            "--strip",
            "-d",
            "--directory",
            "-o",
            "--output",
            "-r",
            "-B",
            "-D",
            "-F",
            "-V",
            "-Y",
            "-z",
        ],
        super::patches::patch,
    ),
    custom("rd", &[], remove_windows),
    custom("rename", &[], rename),
    custom("ri", &[], remove_windows),
    custom("rm", &[], remove),
    custom("rmdir", &[], remove_directory),
    custom("safe-rm", &[], remove),
    custom("scrub", &["-p", "-b", "-s"], shred),
    custom("sfill", &[], shred),
    custom("shred", SHRED, shred),
    custom(
        "split",
        &[
            "-a",
            "-b",
            "-C",
            "-l",
            "-n",
            "-t",
            "--additional-suffix",
            "--filter",
            "--bytes",
            "--lines",
            "--number",
            "--suffix-length",
            "--line-bytes",
        ],
        split,
    ),
    custom("srm", &[], shred),
    custom("touch", &["-d", "-t", "-r", "--date", "--reference", "--time"], create),
    custom("trash", &[], remove_directory),
    custom("trash-put", &[], remove_directory),
    custom("truncate", &["-s", "--size", "-r", "--reference"], truncate),
    custom("unlink", &[], remove_directory),
    custom("wipe", &[], shred),
];

const COPY: &[&str] = &[
    "-t",
    "--target-directory",
    "-S",
    "--suffix",
    "-Path",
    "-Destination",
    "-LiteralPath",
    "-Filter",
];
const INSTALL: &[&str] = &[
    "-g",
    "-m",
    "-o",
    "-t",
    "-S",
    "--group",
    "--mode",
    "--owner",
    "--target-directory",
    "--suffix",
    "--strip-program",
];
const SHRED: &[&str] = &["-n", "-s", "--iterations", "--size", "--random-source"];

fn remove(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let recursive = invocation.options().has(&["-r", "-R", "--recursive"]);
    for file in operands(invocation) {
        walk.delete(&file, recursive);
    }
    Text::default()
}

/// `del /s`, `rd /s`, `Remove-Item -Recurse`: switches that begin with a slash or are spelled out.
fn remove_windows(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let recursive =
        invocation.arguments.iter().filter_map(|argument| argument.text.as_known()).any(|word| {
            word.eq_ignore_ascii_case("/s")
                || word.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("-r"))
        });
    for file in operands(invocation) {
        if !is_switch(&file) {
            walk.delete(&file, recursive);
        }
    }
    Text::default()
}

fn is_switch(argument: &Argument) -> bool {
    argument.text.as_known().is_some_and(|word| {
        word.len() == 2
            && word.starts_with('/')
            && word.ends_with(|letter: char| letter.is_ascii_alphabetic())
    })
}

fn remove_directory(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    for file in operands(invocation) {
        if !is_switch(&file) {
            walk.delete(
                &file,
                invocation.arguments.iter().any(|word| word.text.as_known() == Some("/s")),
            );
        }
    }
    Text::default()
}

fn shred(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    for file in operands(invocation) {
        let target = walk.target(&file.text);
        if matches!(place::place_of(&target, walk.facts()), Place::RawDevice) {
            walk.write(&file, WriteMode::Replace, Text::unknown("random bytes"));
        } else {
            walk.delete(&file, false);
        }
        walk.note("fs.delete.shred", file.span);
    }
    Text::default()
}

fn truncate(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let size = options.value(&["-s", "--size"]);
    let to_nothing = size.as_ref().is_none_or(|size| {
        size.text.as_known().is_none_or(|size| !size.starts_with(['+', '>', '%', '/']))
    });
    let mode = if to_nothing { WriteMode::Replace } else { WriteMode::Edit };
    let content = match size.as_ref().and_then(|size| size.text.as_known()) {
        Some("0") => Text::default(),
        _ => Text::unknown("what is left of the file"),
    };
    for file in operands(invocation) {
        walk.write(&file, mode, content.clone());
    }
    Text::default()
}

fn allocate(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let length = invocation.options().value(&["-l", "--length"]);
    let pipe = invocation.program == "mkfifo";
    for file in operands(invocation) {
        let content = if pipe { Text::unknown("a pipe") } else { Text::default() };
        walk.write(&file, WriteMode::Create, content);
        // As much as there is room for is too much as well.
        let is_all = |length: &Argument| {
            length
                .text
                .pieces
                .iter()
                .any(|piece| matches!(piece, Piece::Unknown(origin) if &**origin == "df"))
        };
        if length.as_ref().and_then(|length| length.text.as_known()).is_some_and(is_huge)
            || length.as_ref().is_some_and(is_all)
        {
            walk.note("system.disk.fill", file.span);
        }
    }
    Text::default()
}

/// A size of which a disk has few: a hundred gigabytes and more.
fn is_huge(size: &str) -> bool {
    let digits = size.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = size.split_at_checked(digits).unwrap_or((size, ""));
    let factor: u64 = match unit.bytes().next() {
        None => 1,
        Some(b'k' | b'K') => 1 << 10,
        Some(b'm' | b'M') => 1 << 20,
        Some(b'g' | b'G') => 1 << 30,
        Some(b't' | b'T') => 1 << 40,
        Some(_) => 1 << 50,
    };
    number.parse::<u64>().is_ok_and(|number| number.saturating_mul(factor) >= 100 << 30)
}

fn create(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    if invocation.program == "touch" && options.has(&["-d", "-t", "-r", "--date", "--reference"]) {
        walk.note("evasion.time.set", invocation.span);
    }
    for file in operands(invocation) {
        // To a program that is given a pattern such a name is an option.
        let is_option = file.text.known_prefix().trim_start_matches("./").starts_with('-');
        let mode = if is_option { WriteMode::Append } else { WriteMode::Create };
        walk.write(&file, mode, Text::default());
    }
    Text::default()
}

fn create_first(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    if let Some(file) = operands(invocation).first() {
        walk.write(file, WriteMode::Create, Text::default());
    }
    Text::default()
}

/// A name that nobody knows before, in a directory that is known.
fn temporary(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let mut path = match options.value(&["-p", "--tmpdir"]) {
        Some(directory) if !directory.text.is_empty() => directory.text,
        _ => Text::known(walk.facts().temporary.clone().unwrap_or_else(|| "/tmp".to_owned())),
    };
    if let Some(template) = operands(invocation).into_iter().next() {
        let stem = template.text.known_prefix().trim_end_matches('X').to_owned();
        if stem.starts_with('/')
            || template.text.has_unknown()
            || !options.has(&["-t", "-p", "--tmpdir"])
        {
            path = Text::default();
        } else {
            path.push_known("/");
        }
        path.push_known(&stem);
    } else {
        path.push_known("/tmp.");
    }
    path.append(&Text::unknown("mktemp"));
    path
}

fn copy(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let Some((sources, destination)) = copied(invocation) else { return Text::default() };
    let is_directory = directory(walk, &destination, sources.len());
    let is_link = invocation.options().has(&["-l", "--link", "-s", "--symbolic-link"]);
    let options = invocation.options();
    let is_tree = options.has(&["-r", "-R", "-a", "--recursive", "--archive"]);
    let is_merged = options.has(&["-T", "--no-target-directory"]);
    for source in &sources {
        if is_link {
            // Whoever writes through the other name writes it.
            walk.hand(source, true);
            if laid_over::holds_beginnings(walk, source) {
                walk.note("protection.gate.link", source.span);
            }
        }
        let target = match options.has(&["--parents"]) {
            // cp(1): the whole of its name stands behind the destination.
            true => below(&destination, source),
            false => into(&destination, source, is_directory),
        };
        if is_tree {
            // `cp -r d/. there`: what is in it comes to stand beside what is there; `cp -r d there` in a directory of its name.
            let known = source.text.known_prefix();
            let is_content = known.ends_with("/.")
                || matches!(known, "." | "./" | "..")
                || source.text.display().ends_with('*');
            let filled = if is_content || is_merged { &destination } else { &target };
            laid_over::fills(walk, filled);
            if !is_content && !is_merged && !is_directory && destination.text.has_unknown() {
                laid_over::fills(walk, &into(&destination, source, true));
            }
        }
        let content = brought(walk, source, &target);
        walk.write(&target, WriteMode::Replace, content);
    }
    Text::default()
}

fn below(destination: &Argument, source: &Argument) -> Argument {
    let kept = source.text.known_prefix().trim_start_matches("./").trim_start_matches('/');
    let mut text = destination.text.clone();
    text.push_known("/");
    text.append(&source.text.beginning_with(kept));
    Argument { text, span: source.span }
}

/// What a file holds that comes to stand somewhere else; where it is obeyed there, what stands in it now is looked at.
fn brought(walk: &mut dyn Host, source: &Argument, to: &Argument) -> Text {
    let content = walk.read(source);
    if content.as_known().is_some() || walk.wrote(&source.text) {
        return content;
    }
    let target = walk.target(&to.text);
    let from = walk.target(&source.text);
    let is_secret = place::credential_of(&from, walk.facts()).is_some();
    let may_start = walk.facts().session.may_start() && !is_secret;
    let is_obeyed = place::agent_file_of(&target, walk.facts()).is_some()
        || matches!(
            place::place_of(&target, walk.facts()),
            Place::Agent | Place::ContinuousIntegration
        );
    let path = from.path.filter(|_| is_obeyed || may_start);
    match path.and_then(|path| walk.look(&path).file()) {
        Some(file) => {
            if !file.whole && is_obeyed {
                walk.gap(source.span, GapReason::Limit);
            }
            content.derive([Piece::Known(file.text.to_string())])
        }
        None => content,
    }
}

fn moves(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let Some((sources, destination)) = copied(invocation) else { return Text::default() };
    let target = walk.target(&destination.text);
    let to_nowhere = place::place_of(&target, walk.facts()) == Place::Harmless;
    let is_directory = directory(walk, &destination, sources.len());
    for source in &sources {
        if to_nowhere || is_missed(walk, source) {
            walk.delete(source, true);
        }
        if !to_nowhere {
            let target = into(&destination, source, is_directory);
            let content = brought(walk, source, &target);
            walk.write(&target, WriteMode::Replace, content);
        }
    }
    Text::default()
}

/// Whether something breaks when this is no longer where it was.
pub(crate) fn is_missed(walk: &dyn Host, source: &Argument) -> bool {
    let target = walk.target(&source.text);
    let facts = walk.facts();
    let holds_own = target
        .path
        .as_deref()
        .is_some_and(|path| place::contains_gate(path, facts) || place::contains_hook(path, facts));
    let may_be_own = || {
        let path = target.path.as_deref().filter(|_| !target.text.has_unknown());
        path.is_some_and(|path| place::near_gate(path, true, facts).is_some())
    };
    if holds_own || place::is_hooked(&target, facts) || may_be_own() {
        return true;
    }
    matches!(
        place::place_of(&target, walk.facts()),
        Place::Root
            | Place::SystemTop
            | Place::System
            | Place::Boot
            | Place::Kernel
            | Place::HomeTop
            | Place::Gate
            | Place::Agent
            | Place::Log
            | Place::VersionControlTop
            | Place::WorkspaceTop
    )
}

fn rename(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    for file in operands(invocation).iter().skip(1) {
        walk.write(file, WriteMode::Edit, Text::unknown("rename"));
    }
    Text::default()
}

fn install(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    if options.has(&["-d", "--directory"]) {
        return create(walk, invocation);
    }
    let Some((sources, destination)) = copied(invocation) else { return Text::default() };
    let is_directory = directory(walk, &destination, sources.len());
    for source in &sources {
        let content = walk.read(source);
        let target = into(&destination, source, is_directory);
        walk.write(&target, WriteMode::Replace, content);
        if let Some(mode) = options.value(&["-m", "--mode"]) {
            walk.permission(&target, false, crate::effect::PermissionChange::Mode(mode.text));
        }
    }
    Text::default()
}

fn link(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let Some((sources, destination)) = copied(invocation) else {
        if let Some(only) = operands(invocation).first() {
            let here = synthetic(".", only.span);
            walk.write(&into(&here, only, true), WriteMode::Link, only.text.clone());
        }
        return Text::default();
    };
    let is_directory = directory(walk, &destination, sources.len());
    for source in &sources {
        let target = walk.target(&source.text);
        let is_key = place::credential_of(&target, walk.facts()).is_some();
        // Whoever writes through the other name writes it, and what lies below it.
        let is_around = laid_over::holds_beginnings(walk, source);
        if is_around {
            walk.mount(source);
            walk.note("protection.gate.link", source.span);
        } else {
            walk.hand(source, true);
        }
        if is_key {
            // Whoever reads the link reads the key.
            let content = walk.read(source);
            walk.write(&into(&destination, source, is_directory), WriteMode::Link, content);
        } else {
            walk.write(
                &into(&destination, source, is_directory),
                WriteMode::Link,
                source.text.clone(),
            );
        }
    }
    Text::default()
}

/// `if=`, `of=` and the rest of `dd`.
fn dd(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let mut input = None;
    let mut output = None;
    let mut bounded = false;
    let mut mode = WriteMode::Replace;
    for argument in &invocation.arguments {
        if let Some(file) = after(argument, "if=") {
            input = Some(file);
        } else if let Some(file) = after(argument, "of=") {
            output = Some(file);
        } else {
            let word = known(argument);
            bounded |= word.starts_with("count=");
            if word.starts_with("conv=") && word.contains("notrunc") || word.contains("append") {
                mode = WriteMode::Edit;
            }
        }
    }
    let endless = input.as_ref().is_some_and(|file| {
        matches!(known(file), "/dev/zero" | "/dev/urandom" | "/dev/random" | "/dev/full")
    });
    let content = match &input {
        Some(file) => walk.read(file),
        None => invocation.input.clone().unwrap_or_else(|| Text::unknown("input")),
    };
    let Some(output) = output else { return content };
    if endless && !bounded {
        let target = walk.target(&output.text);
        if !matches!(
            place::place_of(&target, walk.facts()),
            Place::Harmless | Place::RawDevice | Place::Device
        ) {
            walk.note("system.disk.fill", output.span);
        }
    }
    walk.write(&output, mode, content);
    Text::default()
}

fn ddrescue(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    if let [input, output, ..] = operands(invocation).as_slice() {
        let content = walk.read(input);
        walk.write(output, WriteMode::Replace, content);
    }
    Text::default()
}

fn split(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let files = operands(invocation);
    let content = match files.first() {
        Some(file) if known(file) != "-" => walk.read(file),
        _ => invocation.input.clone().unwrap_or_else(|| Text::unknown("input")),
    };
    let prefix = match files.get(1) {
        Some(prefix) if invocation.program == "split" => prefix.clone(),
        _ => synthetic("x", invocation.span),
    };
    let mut pieces = prefix;
    pieces.text.append(&Text::unknown("split"));
    walk.write(&pieces, WriteMode::Create, content);
    Text::default()
}

/// Its configuration says what is rotated; `-s` and `-l` are written.
fn rotate(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    for file in options.values_of(&["-s", "--state", "-l", "--log"]) {
        walk.write(&file, WriteMode::Replace, invocation.origin());
    }
    for file in operands(invocation) {
        walk.read(&file);
    }
    Text::default()
}
