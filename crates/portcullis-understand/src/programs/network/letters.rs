//! Programs that carry a few words: name look-ups, pings, mail, messages, gists.

use crate::{
    bound::Bounded,
    effect::Argument,
    programs::host::Host,
    programs::invocation::Invocation,
    text::{Taint, Text},
};

use super::{add, gathered, inside, is_private, only_asks, part, piped, store};

pub(super) const DIG: &[&str] =
    &["-b", "-c", "-f", "-k", "-p", "-q", "-t", "-x", "-y", "-N", "-R", "-W"];
pub(super) const PING: &[&str] =
    &["-c", "-i", "-I", "-l", "-m", "-M", "-p", "-Q", "-s", "-S", "-t", "-T", "-w", "-W"];
pub(super) const TRACEROUTE: &[&str] = &[
    "-c", "-i", "-I", "-l", "-m", "-M", "-p", "-Q", "-s", "-S", "-t", "-T", "-w", "-W", "-f", "-q",
    "-g",
];

/// `dig`, `ping`…: the name itself goes to servers that others run.
pub(super) fn look_up(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    if only_asks(invocation) {
        return Text::unknown(&invocation.program);
    }
    let options = invocation.options();
    let mut printed = Text::unknown(&invocation.program);
    let payload = options.value(&["-p"]).filter(|_| invocation.program.starts_with("ping"));
    for name in options
        .operands()
        .cloned()
        .chain(options.value(&["-q"]).filter(|_| invocation.program == "dig"))
    {
        let prefix = name.text.known_prefix();
        let record = name.text.as_known().is_some_and(|word| {
            (1..=8).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_uppercase())
        });
        if prefix.starts_with(['+', '@']) || record {
            continue;
        }
        let mut sends = is_telling(&name.text).then(|| name.text.clone());
        if let Some(payload) = payload.as_ref().filter(|payload| is_telling(&payload.text)) {
            add(&mut sends, &payload.text);
        }
        printed.append(&walk.connect(&name, sends, false));
    }
    for file in options.values_of(&["-f"]) {
        if !invocation.program.starts_with("ping") {
            walk.read(&file);
        }
    }
    printed
}

/// A list of names in a file of the project is an ordinary thing to look up.
fn is_telling(text: &Text) -> bool {
    text.taint.has(Taint::SECRET) || text.taint.has(Taint::PRIVATE)
}

pub(super) const HPING: &[&str] = &[
    "-c", "-i", "-I", "-p", "-s", "-d", "--data", "--sign", "--file", "-E", "-e", "-9", "--listen",
    "-a", "--spoof",
];

/// `hping3 --file`: the file goes out in packets.
pub(super) fn hping(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let files: Vec<Argument> = options.values_of(&["--file", "-E"]).collect();
    let sends = gathered(walk, &files);
    let mut printed = Text::unknown("hping3");
    for host in options.operands() {
        printed.append(&walk.connect(host, sends.clone(), false));
    }
    printed
}

pub(super) const MAIL: &[&str] = &[
    "-a",
    "-A",
    "-b",
    "-c",
    "-e",
    "-F",
    "-f",
    "-H",
    "-i",
    "-r",
    "-s",
    "-S",
    "-q",
    "-o",
    "-u",
    "-m",
    "-t",
    "--subject",
    "--attach",
    "--to",
    "--from",
    "--server",
    "--body",
    "-xu",
    "-xp",
];

/// `mail`, `mutt`, `sendmail`: the input and attachments go to the recipients.
pub(super) fn mail(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    if only_asks(invocation) {
        return Text::unknown("mail");
    }
    let options = invocation.options();
    let mut sends = piped(invocation);
    for attachment in options.values_of(&["-a", "-A", "--attach"]) {
        // mailx's `-a` also adds a header.
        if !attachment.text.known_prefix().contains(": ") {
            let file = super::super::operands::after(&attachment, "@").unwrap_or(attachment);
            let content = walk.read(&file);
            add(&mut sends, &content);
        }
    }
    for words in options.values_of(&["-s", "--subject", "-m", "--body"]) {
        if is_private(&words.text) {
            add(&mut sends, &words.text);
        }
    }
    let mut recipients: Vec<Argument> = options.operands().cloned().collect();
    recipients.extend(
        options.values_of(&["--to", "-t", "-c", "-b"]).filter(|to| to.text.display().contains('@')),
    );
    if sends.is_none() && recipients.is_empty() {
        return Text::unknown("mail");
    }
    let sends = sends.unwrap_or_else(|| Text::unknown("a letter"));
    if recipients.is_empty() {
        recipients.push(Argument { text: Text::unknown("recipient"), span: invocation.span });
    }
    for recipient in recipients {
        let mut text = Text::known("mailto://");
        text.append(&recipient.text);
        walk.connect(&Argument { text, span: recipient.span }, Some(sends.clone()), false);
    }
    Text::default()
}

pub(super) const MOSQUITTO: &[&str] = &["-h", "-t", "-m", "-f", "-p", "-u", "-P", "-i", "-q", "-L"];

/// `mosquitto_pub`, `kcat -P`: a message to a broker.
pub(super) fn message(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let files: Vec<Argument> = options.values_of(&["-f"]).collect();
    let mut sends = gathered(walk, &files);
    if let Some(words) = options.value(&["-m"]) {
        add(&mut sends, &words.text);
    }
    if let Some(input) = piped(invocation) {
        add(&mut sends, &input);
    }
    match options.value(&["-h", "-b", "-L"]) {
        Some(broker) => walk.connect(&broker, sends, false),
        None => Text::unknown(&invocation.program),
    }
}

pub(in crate::programs) const GH: &[&str] = &[
    "-R",
    "--repo",
    "-d",
    "--desc",
    "-f",
    "-F",
    "--field",
    "--raw-field",
    "--input",
    "-X",
    "--method",
    "-H",
    "--header",
    "-q",
    "--jq",
    "-t",
    "--title",
    "-b",
    "--body",
    "--body-file",
    "-B",
    "--base",
    "-l",
    "--label",
    "-a",
    "--assignee",
    "-m",
    "--milestone",
    "--filename",
    "-L",
    "--limit",
    "--json",
    "--template",
    "-n",
    "--notes",
    "--notes-file",
    "--target",
    "-r",
    "--reviewer",
    "--hostname",
    "-e",
    "--env",
    "-o",
    "--org",
    "-u",
    "--user",
];

/// `gh alias set NAME '!…'`: what the name runs from then on; without the sign it is one of gh's own commands.
fn alias(walk: &mut dyn Host, invocation: &Invocation, expansion: Option<&Argument>) {
    let Some(expansion) = expansion else { return };
    let code = match expansion.text.as_known() {
        Some(text) => match text.strip_prefix('!') {
            Some(command) => Text::known(command),
            None if invocation.options().has(&["-s", "--shell"]) => expansion.text.clone(),
            None => Text::known(format!("gh {text}")),
        },
        None => expansion.text.clone(),
    };
    walk.at_likely(|walk| walk.shell(&code, expansion.span, &[], None));
}

/// `gh`: gists and uploads go out; everything else is told apart by rules.
pub(in crate::programs) fn gh(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let operands: Vec<Argument> = options.operands().cloned().collect();
    let words: Vec<&str> =
        operands.iter().leading(2).map(|operand| operand.text.as_known().unwrap_or("")).collect();
    let mut sends = None;
    let site = match words.as_slice() {
        ["alias", "set"] => {
            alias(walk, invocation, operands.get(3));
            ""
        }
        ["gist", "create" | "new"] => {
            for file in operands.iter().skip(2) {
                let content = match file.text.as_known() {
                    Some("-") => piped(invocation).unwrap_or_default(),
                    _ => walk.read(file),
                };
                add(&mut sends, &content);
            }
            sends = sends.or_else(|| piped(invocation));
            "gist.github.com"
        }
        ["release", "upload" | "create"] => {
            sends = gathered(walk, operands.iter().skip(3));
            "github.com"
        }
        ["issue" | "pr", "create" | "comment" | "edit"] | ["api", _] => {
            for name in ["-b", "--body", "-f", "-F", "--field", "--raw-field", "-t", "--title"] {
                for value in options.values_of(&[name]).filter(|value| is_private(&value.text)) {
                    add(&mut sends, &value.text);
                }
            }
            for file in options.values_of(&["--body-file", "--input"]) {
                let content = match file.text.as_known() {
                    Some("-") => piped(invocation).unwrap_or_default(),
                    _ => walk.read(&file),
                };
                add(&mut sends, &content);
            }
            "github.com"
        }
        ["release", "download"] if options.has(&["-R", "--repo"]) => {
            released(walk, invocation);
            ""
        }
        _ => "",
    };
    if let Some(sends) = sends.filter(|_| !site.is_empty()) {
        let at = operands.first().cloned().unwrap_or_else(|| invocation.name.clone());
        return walk.connect(&part(&at, site), Some(sends), false);
    }
    let mut text = Text::unknown("gh");
    for argument in &invocation.arguments {
        text.inherit(&argument.text);
    }
    text
}

/// `gh release download -R OWNER/NAME`: the files of somebody's release.
fn released(walk: &mut dyn Host, invocation: &Invocation) {
    let options = invocation.options();
    let directory = options.value(&["-D", "--dir"]);
    let site = part(&invocation.name, "https://github.com");
    let received = walk.connect(&site, None, false);
    let mut files: Vec<Argument> =
        options.values_of(&["-O", "--output", "-p", "--pattern", "-A", "--archive"]).collect();
    if files.is_empty() {
        files.push(part(&invocation.name, "*"));
    }
    for file in files {
        let is_pattern = file.text.known_prefix().contains(['*', '?', '[']);
        let file = if is_pattern {
            let text = Text::unknown("what a release holds");
            Argument { text, span: file.span }
        } else {
            file
        };
        store(walk, &inside(directory.as_ref(), &file), received.clone());
    }
}
