//! Programs that tie a stream to the network: netcat, socat, telnet, ssh, `openssl s_client`.

use super::{only_asks, part, piped};
use crate::{
    effect::Argument,
    programs::{host::Host, invocation::Invocation, operands::after},
    text::{Taint, Text},
};

mod openssl;
mod socat;
mod ssh;

pub(super) use openssl::{OPENSSL, openssl};
pub(super) use socat::socat;
pub(super) use ssh::{AUTOSSH, SSH, copy_key, fleet, ssh};
pub(crate) use ssh::{before_command, ssh_setting};

/// The rules that fire on a program tied to the network.
const WIRED: &str = "network.shell.wired";

pub(super) const NC: &[&str] = &[
    "-e",
    "-c",
    "-p",
    "-w",
    "-s",
    "-q",
    "-i",
    "-g",
    "-G",
    "-I",
    "-M",
    "-m",
    "-O",
    "-P",
    "-T",
    "-V",
    "-x",
    "-X",
    "-o",
    "--exec",
    "--sh-exec",
    "--lua-exec",
    "--proxy",
    "--proxy-type",
    "--proxy-auth",
    "--source",
    "--source-port",
    "--wait",
    "--idle-timeout",
    "--output",
    "--max-conns",
    "--allow",
    "--deny",
    "--ssl-cert",
    "--ssl-key",
];

/// `nc`, `ncat`: with `-e` and `-c` a program is tied to the connection.
pub(super) fn netcat(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    if only_asks(invocation) {
        return Text::unknown("nc");
    }
    let options = invocation.options();
    let listens = options.has(&["-l", "--listen", "-L"]);
    let mut operands: Vec<Argument> = options.operands().cloned().collect();
    let mut shell_code = options.value(&["--sh-exec"]);
    if let Some(value) = options.value(&["-c"]) {
        // OpenBSD's `-c` asks for TLS and takes no value.
        let shown = value.text.display();
        if shown.contains(['/', ' ']) || shown.ends_with("sh") || value.text.has_unknown() {
            shell_code = Some(value);
        } else {
            operands.insert(0, value);
        }
    }
    let program = options.value(&["-e", "--exec"]);
    if options.has(&["-U"]) {
        return Text::unknown("nc");
    }
    let ports = operands.get(1..).unwrap_or(&[]);
    if options.has(&["-z"])
        && (ports.len() > 1 || ports.iter().any(|port| port.text.display().contains('-')))
    {
        walk.note("network.scan.ports", invocation.span);
    }
    let address = peer(&operands, listens, invocation);
    let sends = if program.is_some() || shell_code.is_some() {
        Some(Text::unknown("a program's output"))
    } else {
        piped(invocation).filter(|_| !options.has(&["-z"]))
    };
    let received = walk.connect(&address, sends, listens);
    if let Some(program) = program {
        walk.note(WIRED, invocation.span);
        let words = split_words(&program);
        walk.run(&words, Some(received.clone()));
    }
    if let Some(code) = shell_code {
        walk.note(WIRED, invocation.span);
        walk.shell(&code.text, code.span, &[], Some(received.clone()));
    }
    if let Some(lua) = options.value(&["--lua-exec"]) {
        walk.note(WIRED, invocation.span);
        walk.script("lua", &lua, &[], Some(received.clone()));
    }
    received
}

/// sshd(8): options that take a value.
pub(super) const SSHD: &[&str] = &["-C", "-c", "-E", "-f", "-g", "-h", "-o", "-p", "-u"];

/// dropbear(8): options that take a value.
pub(super) const DROPBEAR: &[&str] =
    &["-b", "-c", "-D", "-G", "-I", "-K", "-p", "-P", "-r", "-T", "-W"];

/// Terminals in a browser, ttyd(1) and gotty: options that take a value.
pub(super) const TTY: &[&str] = &[
    "-a",
    "-b",
    "-c",
    "-C",
    "-d",
    "-f",
    "-g",
    "-H",
    "-i",
    "-K",
    "-m",
    "-p",
    "-P",
    "-s",
    "-t",
    "-T",
    "-u",
    "-U",
    "-w",
    "--address",
    "--base-path",
    "--credential",
    "--cwd",
    "--index",
    "--interface",
    "--port",
    "--title-format",
];

/// A server that lets people log in: `sshd`, `dropbear`, `ttyd bash`.
pub(super) fn door(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let checks = invocation.program == "sshd" && options.has(&["-t", "-T", "-G", "-V"]);
    if checks || only_asks(invocation) {
        return invocation.origin();
    }
    walk.note("network.listen.login", invocation.span);
    let shared: Vec<Argument> = options.operands().cloned().collect();
    if !shared.is_empty() {
        walk.run(&shared, None);
    }
    Text::unknown(&invocation.program)
}

/// `host:port` of two operands, or of what is listened on.
fn peer(operands: &[Argument], listens: bool, invocation: &Invocation) -> Argument {
    let options = invocation.options();
    let port = options.value(&["-p", "--source-port"]);
    match operands {
        [host, port, ..] => joined(host, port),
        [port] if listens => joined(&part(port, "0.0.0.0"), port),
        [host] => host.clone(),
        [] => {
            let source = options.value(&["-s", "--source"]);
            let name = Argument { text: Text::known("0.0.0.0"), span: invocation.span };
            let host = source.unwrap_or(name);
            port.map_or(host.clone(), |port| joined(&host, &port))
        }
    }
}

fn joined(host: &Argument, port: &Argument) -> Argument {
    let mut text = host.text.clone();
    let bare_ip6 = host.text.known_prefix().matches(':').count() > 1;
    if !bare_ip6 {
        text.push_known(":");
        text.append(&port.text);
    }
    Argument { text, span: host.span.to(port.span) }
}

fn split_words(argument: &Argument) -> Vec<Argument> {
    match argument.text.as_known() {
        Some(known) => known.split_whitespace().map(|word| part(argument, word)).collect(),
        None => vec![argument.clone()],
    }
}

/// `telnet host port`.
pub(super) fn telnet(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let operands: Vec<Argument> = invocation.options().operands().cloned().collect();
    if operands.is_empty() {
        // Whoever it is told to talk to: what comes is from elsewhere.
        let mut received = Text::unknown("telnet");
        received.taint = Taint::NETWORK;
        return received;
    }
    let address = peer(&operands, false, invocation);
    walk.connect(&address, piped(invocation), false)
}

/// `websocat`, `wscat`.
pub(super) fn websocat(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let mut received = Text::unknown("websocat");
    let mut code = None;
    for address in options.operands().cloned().chain(options.value(&["-c"])) {
        let runs = ["sh-c:", "cmd:", "exec:"].iter().find_map(|kind| after(&address, kind));
        match runs {
            Some(found) => code = Some(found),
            None => {
                let listens = ["ws-l:", "-l"]
                    .iter()
                    .any(|kind| address.text.known_prefix().starts_with(kind));
                received = walk.connect(&address, piped(invocation), listens);
            }
        }
    }
    if let Some(code) = code {
        walk.note(WIRED, invocation.span);
        walk.shell(&code.text, code.span, &[], Some(received.clone()));
    }
    received
}
