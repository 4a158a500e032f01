//! `redact`: a filter that takes secrets out of a stream. Owns where bytes come from and go to; what is a secret, the
//! detector says.

use std::io::{self, Read, Write};

use clap::{Arg, ArgAction, ArgMatches, Command};
use portcullis_core::secrets::{Known, RedactorOptions, StreamRedactor};

use super::{Exit, Failure, Reader, write};
use crate::scan::utf16::{self, Utf8Of};

/// How much of standard input is read at once.
const PORTION: usize = 1 << 16;

/// The shortest value of an environment variable that is taken for known: a shorter one stands everywhere.
const SHORTEST: usize = 8;

pub(super) fn define(command: Command) -> Command {
    command
        .about("Take secrets out of a stream: standard input to standard output")
        .after_help(
            "Examples:\n  make deploy 2>&1 | portcullis redact\n  \
             portcullis redact --known-env DEPLOY_KEY < build.log\n\n\
             In the place of a secret stands [REDACTED:type:fingerprint]; the same secret has the same fingerprint. Lines go out as \
             they are complete. Nothing is sent anywhere.",
        )
        .arg(
            Arg::new("every-named-value")
                .long("every-named-value")
                .action(ArgAction::SetTrue)
                .help("Hide every value that is named as a secret, whatever it looks like"),
        )
        .arg(
            Arg::new("known-env")
                .long("known-env")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("Hide the value of this environment variable wherever it stands, also encoded"),
        )
        .arg(
            Arg::new("salt-env")
                .long("salt-env")
                .value_name("NAME")
                .help("Salt the fingerprints with the value of this environment variable"),
        )
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut redactor = StreamRedactor::new(options(matches)?);
    let mut input = io::stdin().lock();
    let mut portion = vec![0; PORTION];
    // What comes first says how all of it is written.
    let mut head = Vec::new();
    while !utf16::is_told(&head) {
        match read(&mut input, &mut portion)? {
            0 => break,
            read => head.extend_from_slice(portion.get(..read).unwrap_or_default()),
        }
    }
    let order = utf16::order(&head);
    let marked = head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]);
    let mut input = head.as_slice().chain(input);
    let mut decoded;
    let input: &mut dyn Read = match order {
        Some(order) => {
            decoded = Utf8Of::new(&mut input, order);
            &mut decoded
        }
        None => &mut input,
    };
    let mut shown = Vec::with_capacity(PORTION);
    let mut encoded = Vec::new();
    if let Some(order) = order.filter(|_| marked) {
        order.push('\u{feff}', &mut encoded);
    }
    loop {
        let count = read(input, &mut portion)?;
        if count == 0 {
            redactor.finish(&mut shown);
        } else {
            redactor.push(portion.get(..count).unwrap_or_default(), &mut shown);
        }
        let ready = match order {
            Some(order) => {
                order.encode(&mut shown, &mut encoded);
                &mut encoded
            }
            None => &mut shown,
        };
        if pass_on(out, ready)? == Reader::Gone || count == 0 {
            return Ok(Exit::Done);
        }
    }
}

/// The next bytes; none at the end.
fn read(input: &mut dyn Read, portion: &mut [u8]) -> Result<usize, Failure> {
    loop {
        match input.read(portion) {
            Ok(read) => return Ok(read),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                return Err(Failure::bad_input(format_args!(
                    "standard input could not be read: {error}"
                )));
            }
        }
    }
}

fn options(matches: &ArgMatches) -> Result<RedactorOptions, Failure> {
    let variable = |name: &String| {
        std::env::var_os(name).map(std::ffi::OsString::into_encoded_bytes).ok_or_else(|| {
            Failure::usage(format_args!("the environment variable `{name}` is not set"))
        })
    };
    let mut options = RedactorOptions::default();
    options.every_named_value = matches.get_flag("every-named-value");
    if let Some(name) = matches.get_one::<String>("salt-env") {
        options.salt = variable(name)?;
    }
    for name in matches.get_many::<String>("known-env").into_iter().flatten() {
        let value = variable(name)?;
        if value.len() < SHORTEST {
            return Err(Failure::usage(format_args!(
                "the value of `{name}` is shorter than {SHORTEST} bytes"
            ))
            .with_help(
                "so short a value stands in ordinary words; give it to the program in another way",
            ));
        }
        options.known.push(Known { name: name.to_ascii_lowercase(), value });
    }
    Ok(options)
}

/// Writes what can be shown.
fn pass_on(out: &mut dyn Write, shown: &mut Vec<u8>) -> Result<Reader, Failure> {
    if shown.is_empty() {
        return Ok(Reader::Listens);
    }
    let reader = write(out, shown);
    shown.clear();
    reader
}
