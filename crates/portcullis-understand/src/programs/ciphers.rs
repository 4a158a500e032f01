//! Programs that put texts in cipher and take them out of it again: gpg, age. Owns which of their words are files and what they print:
//! what was in cipher was meant to be read by nobody, and what is put in it is as much worth as before to whoever has the key.

use super::{Does, Program, operands::known};
use crate::{
    effect::{Argument, WriteMode},
    programs::{Options, host::Host, invocation::Invocation},
    text::{Taint, Text},
};

/// Options of gpg that take a value and stand beside files.
const GPG: &[&str] = &[
    "-F",
    "-R",
    "-o",
    "-r",
    "-u",
    "--armor-comment",
    "--batch-size",
    "--cert-digest-algo",
    "--cipher-algo",
    "--comment",
    "--compress-algo",
    "--compress-level",
    "--default-key",
    "--digest-algo",
    "--encrypt-to",
    "--hidden-recipient",
    "--homedir",
    "--keyring",
    "--keyserver",
    "--local-user",
    "--max-output",
    "--output",
    "--passphrase",
    "--passphrase-fd",
    "--passphrase-file",
    "--pinentry-mode",
    "--recipient",
    "--s2k-cipher-algo",
    "--s2k-count",
    "--s2k-digest-algo",
    "--s2k-mode",
    "--set-filename",
    "--status-fd",
    "--status-file",
    "--trust-model",
    "-z",
];

const AGE: &[&str] =
    &["-R", "-i", "-j", "-o", "-r", "--identity", "--output", "--recipient", "--recipients-file"];

/// Sorted by name.
pub(super) static TABLE: &[Program] = &[
    Program { name: "age", values: AGE, does: Does::Custom(age) },
    Program { name: "gpg", values: GPG, does: Does::Custom(gpg) },
    Program { name: "gpg1", values: GPG, does: Does::Custom(gpg) },
    Program { name: "gpgsm", values: GPG, does: Does::Custom(gpg) },
    Program { name: "rage", values: AGE, does: Does::Custom(age) },
];

/// What gpg is told to do with files.
const WORKS: &[&str] = &[
    "-b",
    "-c",
    "-e",
    "-s",
    "--clear-sign",
    "--clearsign",
    "--dearmor",
    "--decrypt-files",
    "--detach-sign",
    "--enarmor",
    "--encrypt",
    "--encrypt-files",
    "--sign",
    "--store",
    "--symmetric",
    "--verify",
];

/// Commands of gpg whose words are keys and not files, or that have a meaning of their own.
const OTHERS: &[&str] = &[
    "-K",
    "-k",
    "--list",
    "--export",
    "--import",
    "--delete",
    "--edit",
    "--gen",
    "--full",
    "--quick",
    "--search",
    "--send",
    "--recv",
    "--receive",
    "--refresh",
    "--fingerprint",
    "--version",
    "--help",
    "--card",
    "--change",
    "--fetch",
    "--locate",
    "--show",
    "--check",
    "--sign-key",
    "--lsign",
    "--update",
    "--passwd",
    "--print",
];

fn gpg(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let decrypts = options.has(&["-d", "--decrypt", "--decrypt-files"]);
    let works = decrypts || options.has(WORKS);
    // How it is to be listed, shown, taken in or given out is no command.
    let only_says_how = |name: &str| {
        name.ends_with("-options")
            || name.ends_with("-filter")
            || name.starts_with("--show-") && name != "--show-keys"
    };
    let is_other = || {
        options.given().any(|given| {
            let name = given.name();
            !only_says_how(name) && OTHERS.iter().any(|other| name.starts_with(other))
        })
    };
    if !works && is_other() {
        return invocation.origin();
    }
    // A file without a command is decrypted, or verified.
    ciphered(walk, invocation, options, decrypts || !works)
}

fn age(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let decrypts = options.has(&["-d", "--decrypt"]);
    ciphered(walk, invocation, options, decrypts)
}

/// What files and what arrives become.
fn ciphered(
    walk: &mut dyn Host,
    invocation: &Invocation,
    options: Options<'_>,
    decrypts: bool,
) -> Text {
    let mut text = invocation.origin();
    let files: Vec<Argument> = options.operands().cloned().collect();
    for file in files.iter().filter(|file| known(file) != "-") {
        text.inherit(&walk.read(file));
    }
    if let Some(input) = invocation.input.as_ref().filter(|_| files.is_empty()) {
        text.inherit(input);
    }
    if decrypts {
        text.taint = text.taint.with(Taint::SECRET);
    }
    let output = options.value(&["-o", "--output"]).filter(|file| known(file) != "-");
    match output {
        Some(file) => {
            walk.write(&file, WriteMode::Replace, text);
            Text::default()
        }
        None => text,
    }
}
