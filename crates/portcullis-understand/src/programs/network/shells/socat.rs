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
    let operands: Vec<Argument> = invocation.options().operands().cloned().collect();
    let mut ends: Vec<End> = Vec::new();
    for operand in &operands {
        ends.extend(end_of(operand));
    }
    let runs = ends.iter().any(|end| matches!(end, End::Run(..)));
    let network = ends.iter().any(|end| matches!(end, End::Network { .. }));
    let mut sends: Option<Text> = runs.then(|| Text::unknown("a program's output"));
    for end in &ends {
        match end {
            End::File(file) if network => {
                let content = walk.read(file);
                super::super::add(&mut sends, &content);
            }
            End::Standard => {
                if let Some(input) = piped(invocation) {
                    super::super::add(&mut sends, &input);
                }
            }
            _ => {}
        }
    }
    let near = operands.iter().any(|operand| {
        let written = operand.text.known_prefix();
        ["bind=127.0.0.1", "bind=localhost", "bind=[::1]"].iter().any(|own| written.contains(own))
    });
    let mut received = Text::unknown("socat");
    for end in &ends {
        if let End::Network { address, listens } = end {
            received = walk.connect(address, sends.clone(), *listens);
        }
    }
    let both_network = ends.iter().filter(|end| matches!(end, End::Network { .. })).count() > 1;
    if both_network {
        walk.note("network.tunnel.relay", invocation.span);
    }
    for end in &ends {
        match end {
            End::Run(code, shell) => {
                if network && !(near && is_plain(code)) {
                    walk.note(WIRED, invocation.span);
                }
                if *shell {
                    walk.shell(&code.text, code.span, &[], Some(received.clone()));
                } else {
                    walk.run(&split_words(code), Some(received.clone()));
                }
            }
            End::Output(file) => {
                walk.write(file, WriteMode::Replace, received.clone());
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

enum End {
    Network { address: Argument, listens: bool },
    Run(Argument, bool),
    File(Argument),
    Output(Argument),
    Standard,
}

fn end_of(operand: &Argument) -> Option<End> {
    let shown = operand.text.display();
    if matches!(shown.as_str(), "-" | "STDIO" | "stdio" | "STDIN" | "stdin") {
        return Some(End::Standard);
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
        "FILE" | "OPEN" | "GOPEN" => End::File(inner),
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
