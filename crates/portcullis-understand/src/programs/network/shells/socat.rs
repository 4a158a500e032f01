//! What socat ties together. Owns how its two ends are read.

use super::{
    super::{part, piped},
    WIRED, split_words,
};
use crate::{
    effect::{Argument, WriteMode},
    programs::{host::Host, invocation::Invocation},
    text::Text,
};

/// `socat`: two addresses, each a stream.
pub(in super::super) fn socat(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let (forth, back) = (!options.has(&["-U"]), !options.has(&["-u"]));
    let operands: Vec<Argument> = options.operands().cloned().collect();
    let mut ends: Vec<Stream> = Vec::new();
    for (at, operand) in operands.iter().enumerate() {
        let (reads, writes) = if at == 0 { (forth, back) } else { (back, forth) };
        let written = operand.text.display();
        // `A!!B`: read from the one, write to the other.
        if let Some((from, to)) = written.split_once("!!") {
            let from = end_of(&part(operand, from));
            let to = end_of(&part(operand, to));
            ends.extend(from.map(|end| Stream { end, reads, writes: false }));
            ends.extend(to.map(|end| Stream { end, reads: false, writes }));
        } else {
            ends.extend(end_of(operand).map(|end| Stream { end, reads, writes }));
        }
    }
    let is_one_way = !(forth && back);
    let runs = ends.iter().any(|it| matches!(it.end, End::Run(..)));
    let network = ends.iter().any(|it| matches!(it.end, End::Network { .. }));
    let mut sends: Option<Text> = runs.then(|| Text::unknown("a program's output"));
    let mut given: Option<Text> = None;
    for Stream { end, reads, .. } in &ends {
        let content = match end {
            End::File(file, _) if *reads => walk.read(file),
            End::Standard => match piped(invocation) {
                Some(input) => input,
                None => continue,
            },
            _ => continue,
        };
        super::super::add(&mut sends, &content);
        super::super::add(&mut given, &content);
    }
    let near = operands.iter().any(|operand| {
        let written = operand.text.known_prefix();
        ["bind=127.0.0.1", "bind=localhost", "bind=[::1]"].iter().any(|own| written.contains(own))
    });
    let mut received = Text::unknown("socat");
    for Stream { end, .. } in &ends {
        if let End::Network { address, listens } = end {
            received = walk.connect(address, sends.clone(), *listens);
        }
    }
    let both_network = ends.iter().filter(|it| matches!(it.end, End::Network { .. })).count() > 1;
    if both_network {
        walk.note("network.tunnel.relay", invocation.span);
    }
    // What a program or a file at one end gets is what comes from the other one.
    let mut passed = received.clone();
    if let Some(given) = &given {
        passed = if network { passed } else { given.derive([]) };
        if network {
            passed.inherit(given);
        } else {
            passed.append(given);
        }
    }
    for Stream { end, writes, .. } in &ends {
        match end {
            End::Run(code, shell) => {
                if network && !(near && is_plain(code)) {
                    walk.note(WIRED, invocation.span);
                }
                if *shell {
                    walk.shell(&code.text, code.span, &[], Some(passed.clone()));
                } else {
                    walk.run(&split_words(code), Some(passed.clone()));
                }
            }
            End::Output(file) => walk.write(file, WriteMode::Replace, passed.clone()),
            // A file that is opened both ways is a device or a pipe, if nothing says that it is made.
            End::File(file, is_made) if *writes && (is_one_way || *is_made) => {
                walk.write(file, WriteMode::Append, passed.clone());
            }
            _ => {}
        }
    }
    received
}

/// Whether a command is one program that takes no orders from whoever is connected.
fn is_plain(code: &Argument) -> bool {
    let name = code.text.as_known().and_then(|code| code.split_whitespace().next()).unwrap_or("");
    crate::programs::program(name).is_some_and(|row| {
        matches!(
            row.does,
            super::super::Does::Reports
                | super::super::Does::Custom(_)
                | super::super::Does::Filters(_)
        )
    }) && !crate::programs::runs_anything(name, &[], true)
}

/// One end, and which way bytes go there.
struct Stream {
    end: End,
    /// They come from it.
    reads: bool,
    /// They go to it.
    writes: bool,
}

enum End {
    Network {
        address: Argument,
        listens: bool,
    },
    Run(Argument, bool),
    /// A file, and whether it is made or cut.
    File(Argument, bool),
    Output(Argument),
    Standard,
}

fn end_of(operand: &Argument) -> Option<End> {
    let shown = operand.text.display();
    if matches!(shown.as_str(), "-" | "STDIO" | "stdio" | "STDIN" | "stdin") {
        return Some(End::Standard);
    }
    // socat(1), "SHELL": without a command it is the user's shell.
    if matches!(shown.split(',').next(), Some("SHELL" | "shell" | "SYSTEM" | "system")) {
        return Some(End::Run(part(operand, "sh"), false));
    }
    // socat(1), "ADDRESS SPECIFICATIONS": a number is a descriptor, and what has a slash before any colon a file.
    if !shown.is_empty() && shown.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(End::File(part(operand, format!("/dev/fd/{shown}")), true));
    }
    if shown.find('/').is_some_and(|at| shown.find(':').is_none_or(|colon| at < colon)) {
        return Some(End::File(operand.clone(), false));
    }
    let (kind, rest) = shown.split_once(':')?;
    let kind = kind.to_ascii_uppercase();
    let plain = rest.trim_matches(['\'', '"']);
    let first = if rest.starts_with(['\'', '"']) {
        rest.get(1..).and_then(|rest| rest.split(['\'', '"']).next()).unwrap_or(plain)
    } else {
        plain.split(',').next().unwrap_or(plain)
    };
    let inner = part(operand, first);
    let tied =
        ["TCP", "UDP", "SCTP", "OPENSSL", "SSL", "DTLS", "VSOCK", "IP", "SOCKS", "PROXY", "DCCP"];
    Some(match kind.as_str() {
        "EXEC" => End::Run(inner, false),
        "SYSTEM" | "SHELL" => End::Run(inner, true),
        "FILE" | "OPEN" | "GOPEN" | "PIPE" | "FIFO" => {
            let is_made = plain.split(',').skip(1).any(|option| {
                matches!(option, "append" | "creat" | "create" | "trunc" | "wronly")
                    || option.starts_with("creat=")
            });
            End::File(inner, is_made)
        }
        // What the shell opened before.
        "FD" => {
            let number = first.strip_prefix("0x").map(|digits| u32::from_str_radix(digits, 16));
            let number = number.map_or_else(
                || first.to_owned(),
                |number| number.map_or_else(|_| first.to_owned(), |number| number.to_string()),
            );
            End::File(part(operand, format!("/dev/fd/{number}")), true)
        }
        "CREATE" | "CREAT" => End::Output(inner),
        _ if tied.iter().any(|name| kind.starts_with(name)) => {
            let listens = kind.contains("LISTEN") || kind.ends_with("-L") || kind.contains("RECV");
            let address = if listens && !first.contains(':') {
                let bound = plain.split(',').find_map(|option| option.strip_prefix("bind="));
                part(operand, format!("{}:{first}", bound.unwrap_or("0.0.0.0")))
            } else if operand.text.has_unknown() {
                operand.clone()
            } else {
                inner
            };
            End::Network { address, listens }
        }
        _ => return None,
    })
}
