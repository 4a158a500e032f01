//! Programs that tie a stream to the network: netcat, socat, telnet, ssh, `openssl s_client`.

use crate::{
    effect::{Argument, WriteMode},
    programs::host::Host,
    programs::invocation::Invocation,
    programs::{filters, operands::after},
    text::{Piece, Taint, Text},
};

use super::{only_asks, part, piped};

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

/// `socat`: two addresses, each a stream.
pub(super) fn socat(walk: &mut dyn Host, invocation: &Invocation) -> Text {
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
                super::add(&mut sends, &content);
            }
            End::Standard => {
                if let Some(input) = piped(invocation) {
                    super::add(&mut sends, &input);
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
        matches!(row.does, super::Does::Reports | super::Does::Custom(_) | super::Does::Filters(_))
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

pub(super) const OPENSSL: &[&str] = &[
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
pub(super) fn openssl(walk: &mut dyn Host, invocation: &Invocation) -> Text {
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

pub(super) const SSH: &[&str] = &[
    "-B", "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-p",
    "-Q", "-R", "-S", "-W", "-w",
];

/// As [`SSH`], with what `autossh` takes for itself.
pub(super) const AUTOSSH: &[&str] = &[
    "-B", "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-M", "-m", "-O", "-o",
    "-p", "-Q", "-R", "-S", "-W", "-w",
];

/// Where ssh connects to, and how many of its words are its own. Options stand before the destination and right behind it;
/// what follows is the remote command, dashes and all.
pub(crate) fn before_command<'a>(
    arguments: &'a [Argument],
    values: &[&str],
) -> (Option<&'a Argument>, usize) {
    let (mut destination, mut at) = (None, 0);
    while let Some(word) = arguments.get(at) {
        let written = word.text.known_prefix();
        if word.text.as_known() == Some("--") {
            at += 1;
            if destination.is_none() {
                destination = arguments.get(at);
                at += usize::from(destination.is_some());
            }
            break;
        }
        if written.len() > 1 && written.starts_with('-') {
            let takes = written.chars().skip(1).position(|letter| {
                values.iter().any(|option| option.chars().nth(1) == Some(letter))
            });
            let last = written.chars().count().saturating_sub(2);
            at += 1 + usize::from(takes == Some(last) && word.text.pieces.len() <= 1);
            continue;
        }
        if destination.is_some() {
            break;
        }
        destination = Some(word);
        at += 1;
    }
    (destination, at.min(arguments.len()))
}

/// `ssh destination command…`: the command is walked as the code that it is on the other side.
pub(super) fn ssh(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let values = if invocation.program == "autossh" { AUTOSSH } else { SSH };
    let (destination, before) = before_command(&invocation.arguments, values);
    let Some(destination) = destination else { return Text::unknown("ssh") };
    let (own, arguments) =
        invocation.arguments.split_at_checked(before).unwrap_or((&invocation.arguments, &[]));
    let options = crate::programs::Options::new(own, values);
    // `-o RemoteForward=…` is the long form of `-R …`, and so on.
    let settings: Vec<String> = options
        .values_of(&["-o"])
        .map(|setting| setting.text.known_prefix().trim_start().to_ascii_lowercase())
        .collect();
    let is_set = |name: &str| settings.iter().any(|setting| setting.starts_with(name));
    if options.has(&["-R", "-w"]) || is_set("remoteforward") || is_set("tunnel=") {
        walk.note("network.tunnel.reverse", invocation.span);
    }
    if options.has(&["-D"]) || is_set("dynamicforward") {
        walk.note("network.tunnel.proxy", invocation.span);
    }
    if options.has(&["-L", "-W"]) || is_set("localforward") {
        walk.note("network.tunnel.local", invocation.span);
    }
    // ssh_config(5): what lies where the socket is made goes first.
    if is_set("streamlocalbindunlink=yes") || is_set("streamlocalbindunlink yes") {
        for socket in options.values_of(&["-L"]).collect::<Vec<_>>() {
            let path = socket.text.known_prefix().split(':').next().unwrap_or_default();
            if path.contains('/') {
                let text = socket.text.derive([Piece::Known(path.to_owned())]);
                walk.delete(&Argument { text, span: socket.span }, false);
            }
        }
    }
    let is_open = |bound: &str| {
        ["0.0.0.0:", "*:", "[::]:", ":"].iter().any(|start| bound.trim().starts_with(start))
    };
    let bound = options.values_of(&["-D", "-L"]).map(|value| value.text.known_prefix().to_owned());
    let set = settings.iter().filter_map(|setting| {
        let forwards = ["dynamicforward", "localforward"];
        let rest = forwards.iter().find_map(|name| setting.strip_prefix(name))?;
        Some(rest.trim_start_matches(['=', ' ']).to_owned())
    });
    let forwards = options.has(&["-D", "-L"]);
    if bound.chain(set).any(|bound| is_open(&bound))
        || forwards && (options.has(&["-g"]) || is_set("gatewayports=yes"))
    {
        walk.note("network.tunnel.exposed", invocation.span);
    }
    let input = piped(invocation);
    let code = command_line(arguments);
    let mut sends = input.clone();
    if super::is_private(&code) {
        super::add(&mut sends, &code);
    }
    let received = walk.connect(destination, sends, false);
    if options.has(&["-N"]) {
        return received;
    }
    let mut printed = received.clone();
    // `-o RemoteCommand=…` is the command where none stands behind the host.
    let commanded = options.values_of(&["-o"]).find_map(|setting| {
        let known = setting.text.known_prefix();
        let name = known.get(.."remotecommand".len())?;
        let rest = known.get(name.len()..)?.trim_start_matches(['=', ' ']);
        let is_none = rest.eq_ignore_ascii_case("none");
        (name.eq_ignore_ascii_case("remotecommand") && !is_none)
            .then(|| Argument { text: setting.text.beginning_with(rest), span: setting.span })
    });
    if let Some(command) = commanded.filter(|_| arguments.is_empty()) {
        printed.inherit(&walk.shell(&command.text, command.span, &[], input));
        return printed;
    }
    if arguments.is_empty() {
        // Without a command the other side's shell runs what arrives.
        let arrives = |input: &Text| {
            input.as_known().is_some()
                || input.taint.has(Taint::NETWORK)
                || input.taint.has(Taint::DECODED)
        };
        if let Some(input) = input.filter(arrives) {
            printed.inherit(&walk.shell(&input, invocation.span, &[], None));
        }
        return printed;
    }
    let span = arguments.iter().fold(destination.span, |span, word| span.to(word.span));
    printed.inherit(&walk.shell(&code, span, &[], input));
    printed
}

/// `pdsh` and its kin: one command on many machines.
pub(super) fn fleet(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    // Options end at the command.
    let first = options.operands().next().map(|first| first.span);
    let at = invocation.arguments.iter().position(|word| Some(word.span) == first);
    let words = at.and_then(|at| invocation.arguments.get(at..)).unwrap_or(&[]);
    if options.value(&["-R"]).is_some_and(|shell| shell.text.as_known() == Some("exec")) {
        return walk.run(words, invocation.input.clone());
    }
    let machines = Argument { text: Text::unknown("machines"), span: invocation.span };
    let input = piped(invocation);
    let mut printed = walk.connect(&machines, input.clone(), false);
    // Without a command they read commands, a line each.
    let code = if words.is_empty() {
        input.filter(|input| input.as_known().is_some())
    } else {
        Some(command_line(words))
    };
    if let Some(code) = code {
        let span = words.iter().fold(invocation.span, |span, word| span.to(word.span));
        printed.inherit(&walk.shell(&code, span, &[], None));
    }
    printed
}

/// The words that the other side's shell is given, as the one text that it reads.
fn command_line(words: &[Argument]) -> Text {
    let mut code = Text::default();
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            code.push_known(" ");
        }
        code.append(&word.text);
    }
    code
}

/// `ssh-copy-id`: a public key goes to the other side.
pub(super) fn copy_key(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    for destination in invocation.options().operands() {
        walk.connect(destination, Some(Text::unknown("a public key")), false);
    }
    Text::default()
}
