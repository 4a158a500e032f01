//! What ssh and programs that call it run elsewhere, and what they lead there. Owns their options and where the command begins.

use super::super::piped;
use crate::{
    effect::Argument,
    programs::{host::Host, invocation::Invocation},
    text::{Piece, Taint, Text},
};

pub(in super::super) const SSH: &[&str] = &[
    "-B", "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-p",
    "-Q", "-R", "-S", "-W", "-w",
];

/// As [`SSH`], with what `autossh` takes for itself.
pub(in super::super) const AUTOSSH: &[&str] = &[
    "-B", "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-M", "-m", "-O", "-o",
    "-p", "-Q", "-R", "-S", "-W", "-w",
];

/// The keyword of a line of ssh_config(5) or of `-o`, in small letters, and what stands behind it: a blank, a tab, a return or one `=` parts them, and
/// either may stand in quotes. (OpenSSH, `strdelim`)
pub(crate) fn ssh_setting(text: &Text) -> (String, Text) {
    const BLANK: [char; 4] = [' ', '\t', '\r', '\n'];
    let known = text.known_prefix().trim_start_matches(BLANK);
    let (key, rest) = match known.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
        None => {
            let end = known.find(|it| BLANK.contains(&it) || it == '=').unwrap_or(known.len());
            known.split_at_checked(end).unwrap_or((known, ""))
        }
    };
    let rest = rest.trim_start_matches(BLANK);
    let rest = rest.strip_prefix('=').unwrap_or(rest).trim_start_matches(BLANK);
    (key.to_ascii_lowercase(), text.beginning_with(rest))
}

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
pub(in super::super) fn ssh(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let values = if invocation.program == "autossh" { AUTOSSH } else { SSH };
    let (destination, before) = before_command(&invocation.arguments, values);
    let Some(destination) = destination else { return Text::unknown("ssh") };
    let (own, arguments) =
        invocation.arguments.split_at_checked(before).unwrap_or((&invocation.arguments, &[]));
    let options = crate::programs::Options::new(own, values);
    // `-o RemoteForward=…` is the long form of `-R …`, and so on.
    let settings: Vec<String> = options
        .values_of(&["-o"])
        .map(|setting| {
            let (key, value) = ssh_setting(&setting.text);
            format!("{key}={}", value.known_prefix().to_ascii_lowercase())
        })
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
    if is_set("streamlocalbindunlink=yes") {
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
    if super::super::is_private(&code) {
        super::super::add(&mut sends, &code);
    }
    let received = walk.connect(destination, sends, false);
    if options.has(&["-N"]) {
        return received;
    }
    let mut printed = received.clone();
    // `-o RemoteCommand=…` is the command where none stands behind the host.
    let commanded = options.values_of(&["-o"]).find_map(|setting| {
        let (key, value) = ssh_setting(&setting.text);
        let is_none = value.known_prefix().eq_ignore_ascii_case("none");
        (key == "remotecommand" && !is_none).then(|| Argument { text: value, span: setting.span })
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
pub(in super::super) fn fleet(walk: &mut dyn Host, invocation: &Invocation) -> Text {
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
pub(in super::super) fn copy_key(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    for destination in invocation.options().operands() {
        walk.connect(destination, Some(Text::unknown("a public key")), false);
    }
    Text::default()
}
