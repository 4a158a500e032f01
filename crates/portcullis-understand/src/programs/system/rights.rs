//! Programs that change who may do what with files. Owns how modes, owners, lists of access and attributes are read.

use super::super::operands::operands;
use crate::{
    effect::{Argument, PermissionChange},
    programs::{host::Host, invocation::Invocation},
    text::Text,
};

/// `chmod`: the mode is the first word that is one, also where it begins with a dash (`-x`, `-rwx`).
pub(super) fn mode(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let recursive = invocation.options().has(&["-R", "--recursive"]);
    if let Some(model) = invocation.options().value(&["--reference"]) {
        let change = PermissionChange::Mode(Text::unknown(&model.text.display()));
        permit(walk, &operands(invocation), recursive, &change);
        return Text::default();
    }
    let is_mode = |argument: &Argument| {
        let word = argument.text.known_prefix();
        !word.starts_with('-')
            || word.strip_prefix('-').is_some_and(|letters| {
                !letters.is_empty() && letters.bytes().all(|letter| b"rwxXst".contains(&letter))
            })
    };
    let mut rest = invocation.arguments.iter();
    let Some(mode) = rest.by_ref().find(|argument| is_mode(argument)) else {
        return Text::default();
    };
    let files: Vec<Argument> =
        rest.filter(|argument| !argument.text.known_prefix().starts_with('-')).cloned().collect();
    permit(walk, &files, recursive, &PermissionChange::Mode(mode.text.clone()));
    Text::default()
}

fn permit(walk: &mut dyn Host, files: &[Argument], recursive: bool, change: &PermissionChange) {
    for file in files {
        walk.permission(file, recursive, change.clone());
    }
}

pub(super) fn owner(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let recursive = options.has(&["-R", "--recursive"]);
    let mut files = operands(invocation);
    let owner = match options.value(&["--reference"]) {
        Some(model) => Text::unknown(&model.text.display()),
        None if files.is_empty() => return Text::default(),
        None => files.remove(0).text,
    };
    permit(walk, &files, recursive, &PermissionChange::Owner(owner));
    Text::default()
}

/// `setfacl -m u:x:rwx file`: the specification is an option's value.
pub(super) fn access_list(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let change = options
        .value(&["-m", "-M", "-x", "--modify", "--set", "--remove", "-n"])
        .map_or_else(|| Text::known("the whole list"), |value| value.text);
    let recursive = options.has(&["-R", "--recursive"]);
    permit(walk, &operands(invocation), recursive, &PermissionChange::Attribute(change));
    Text::default()
}

pub(super) fn access_list_label(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let mut files = operands(invocation);
    if !files.is_empty() && !invocation.options().has(&["-t", "--type", "--reference"]) {
        files.remove(0);
    }
    permit(
        walk,
        &files,
        invocation.options().has(&["-R"]),
        &PermissionChange::Attribute(Text::known("label")),
    );
    Text::default()
}

/// `icacls FILE /grant Everyone:F /T`.
pub(super) fn access_list_windows(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let words: Vec<String> = invocation
        .arguments
        .iter()
        .map(|argument| argument.text.display().to_ascii_lowercase())
        .collect();
    if let Some(file) = invocation.arguments.first()
        && words
            .iter()
            .any(|word| word.starts_with("/grant") || word == "/reset" || word == "/setowner")
    {
        let recursive = words.iter().any(|word| word == "/t");
        walk.permission(file, recursive, PermissionChange::Attribute(Text::known(words.join(" "))));
    }
    Text::default()
}

/// `chattr +i file`, `chattr -i file`.
pub(super) fn attribute(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let mut change = Text::unknown("attributes");
    let mut files = Vec::new();
    let mut recursive = false;
    for argument in &invocation.arguments {
        let word = argument.text.known_prefix();
        match word {
            "-R" => recursive = true,
            "-f" | "-V" => {}
            _ if word.starts_with(['+', '-', '=']) => change = argument.text.clone(),
            _ => files.push(argument.clone()),
        }
    }
    permit(walk, &files, recursive, &PermissionChange::Attribute(change));
    Text::default()
}

pub(super) fn capability(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let words = operands(invocation);
    if invocation.options().has(&["-r"]) {
        permit(walk, &words, false, &PermissionChange::Attribute(Text::known("none")));
        return Text::default();
    }
    for pair in words.chunks_exact(2) {
        if let [capabilities, file] = pair {
            walk.permission(file, false, PermissionChange::Attribute(capabilities.text.clone()));
        }
    }
    Text::default()
}
