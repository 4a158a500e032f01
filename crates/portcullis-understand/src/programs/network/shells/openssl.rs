//! Connections of openssl. Owns its options and which of its subcommands connect.

use super::super::piped;
use crate::{
    effect::{Argument, WriteMode},
    programs::{filters, host::Host, invocation::Invocation},
    text::{Piece, Taint, Text},
};

pub(in super::super) const OPENSSL: &[&str] = &[
    "-connect",
    "-accept",
    "-port",
    "-in",
    "-out",
    "-inkey",
    "-key",
    "-cert",
    "-CAfile",
    "-CApath",
    "-k",
    "-K",
    "-iv",
    "-pass",
    "-passin",
    "-passout",
    "-S",
    "-md",
    "-iter",
    "-servername",
    "-proxy",
    "-starttls",
    "-psk",
    "-days",
    "-subj",
    "-newkey",
    "-keyout",
    "-config",
    "-engine",
    "-kfile",
    "-extensions",
    "-addext",
    "-host",
    "-cipher",
];

/// `openssl`: a stream to the network, or an encoder and decoder.
pub(in super::super) fn openssl(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    // Single-dash words: an option is there when a whole argument says so.
    let given =
        |name: &str| invocation.arguments.iter().any(|word| word.text.as_known() == Some(name));
    let value = |name: &str| {
        let at = invocation.arguments.iter().position(|word| word.text.as_known() == Some(name))?;
        invocation.arguments.get(at + 1).cloned()
    };
    let command = options.operands().next().and_then(|command| command.text.as_known());
    match command {
        Some("s_client") => {
            let Some(address) = value("-connect").or_else(|| value("-host")) else {
                return Text::unknown("openssl");
            };
            walk.connect(&address, piped(invocation), false)
        }
        Some("s_server") => {
            let port = value("-accept").or_else(|| value("-port"));
            let shown = port.as_ref().map_or("4433".to_owned(), |port| port.text.display());
            let text = Text::known(format!("0.0.0.0:{}", shown.rsplit(':').next().unwrap_or("")));
            let span = port.map_or(invocation.span, |port| port.span);
            walk.connect(&Argument { text, span }, piped(invocation), true)
        }
        Some(command) => {
            // What these read is there to be shown to everybody.
            let public = matches!(command, "x509" | "crl" | "ocsp" | "verify");
            let input = match value("-in") {
                Some(file) if public && walk.wrote(&file.text) => walk.read(&file),
                Some(file) if public => file.text.derive([Piece::Unknown("openssl".into())]),
                Some(file) => walk.read(&file),
                None => piped(invocation).unwrap_or_else(|| Text::unknown("standard input")),
            };
            let decodes =
                given("-d") || given("-decrypt") || command == "rsautl" && given("-verify");
            let plain = command == "base64"
                || command == "enc" && (given("-base64") || given("-a")) && !has_cipher(invocation);
            let mut output = plain
                .then(|| filters::openssl_base64(&input, decodes, given("-A")))
                .flatten()
                .unwrap_or_else(|| Text::unknown("openssl"));
            output.inherit(&input);
            if decodes {
                output.taint = output.taint.with(Taint::DECODED);
                // What was in cipher was meant for nobody.
                if !plain {
                    output.taint = output.taint.with(Taint::SECRET);
                }
            }
            let keys =
                matches!(command, "genrsa" | "genpkey" | "rand" | "req" | "ecparam" | "dhparam");
            let destination = value("-out").or_else(|| value("-keyout").filter(|_| keys));
            match destination {
                Some(file) if file.text.as_known() != Some("-") => {
                    walk.write(&file, WriteMode::Replace, output);
                    Text::default()
                }
                _ => output,
            }
        }
        None => Text::unknown("openssl"),
    }
}

/// Whether `openssl enc` also encrypts.
fn has_cipher(invocation: &Invocation) -> bool {
    [
        "-aes",
        "-des",
        "-camellia",
        "-bf",
        "-rc",
        "-chacha",
        "-aria",
        "-sm4",
        "-cast",
        "-seed",
        "-id-",
    ]
    .iter()
    .any(|cipher| {
        invocation.arguments.iter().any(|word| word.text.known_prefix().starts_with(cipher))
    })
}
