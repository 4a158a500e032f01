//! What curl fetches and posts. Owns its options, and how bodies, files and forms of it are read.

use super::super::{
    super::operands::after, add, inside, named_after, only_asks, part, piped, store,
};
use crate::{
    effect::{Argument, WriteMode},
    programs::{host::Host, invocation::Invocation},
    text::{Piece, Taint, Text},
};

pub(in super::super) const CURL: &[&str] = &[
    "-A",
    "-b",
    "-c",
    "-C",
    "-d",
    "-D",
    "-e",
    "-E",
    "-F",
    "-h",
    "-H",
    "-K",
    "-m",
    "-o",
    "-P",
    "-Q",
    "-r",
    "-t",
    "-T",
    "-u",
    "-U",
    "-w",
    "-x",
    "-X",
    "-y",
    "-Y",
    "-z",
    "--abstract-unix-socket",
    "--cacert",
    "--capath",
    "--cert",
    "--cert-type",
    "--ciphers",
    "--config",
    "--connect-timeout",
    "--connect-to",
    "--continue-at",
    "--cookie",
    "--cookie-jar",
    "--create-file-mode",
    "--crlfile",
    "--data",
    "--data-ascii",
    "--data-binary",
    "--data-raw",
    "--data-urlencode",
    "--dns-servers",
    "--doh-url",
    "--dump-header",
    "--etag-compare",
    "--etag-save",
    "--form",
    "--form-string",
    "--header",
    "--interface",
    "--json",
    "--key",
    "--key-type",
    "--limit-rate",
    "--max-filesize",
    "--max-redirs",
    "--max-time",
    "--netrc-file",
    "--noproxy",
    "--output",
    "--output-dir",
    "--pass",
    "--proxy",
    "--proxy-header",
    "--proxy-user",
    "--quote",
    "--range",
    "--rate",
    "--referer",
    "--request",
    "--request-target",
    "--resolve",
    "--retry",
    "--retry-delay",
    "--retry-max-time",
    "--socks4",
    "--socks4a",
    "--socks5",
    "--socks5-hostname",
    "--speed-limit",
    "--speed-time",
    "--stderr",
    "--time-cond",
    "--tls-max",
    "--trace",
    "--trace-ascii",
    "--unix-socket",
    "--upload-file",
    "--url",
    "--url-query",
    "--user",
    "--user-agent",
    "--variable",
    "--write-out",
    "--oauth2-bearer",
    "--aws-sigv4",
    "--expand-data",
    "--expand-url",
    "--preproxy",
    "--dns-interface",
    "--dns-ipv4-addr",
    "--dns-ipv6-addr",
    "--expect100-timeout",
    "--ftp-port",
    "--happy-eyeballs-timeout-ms",
    "--haproxy-clientip",
    "--keepalive-time",
    "--local-port",
    "--mail-from",
    "--mail-rcpt",
    "--pinnedpubkey",
    "--proto",
    "--proto-default",
    "--proto-redir",
    "--proxy-cacert",
    "--proxy-cert",
    "--proxy-key",
    "--proxy1.0",
    "--tls13-ciphers",
];

/// The options that a file of settings for curl gives, as words: `data = "@x"` is `--data @x`.
fn configured(settings: &Text, at: &Argument) -> Option<Vec<Argument>> {
    let known = settings.as_known()?;
    let word = |text: &str| Argument {
        text: settings.derive(vec![Piece::Known(text.to_owned())]),
        span: at.span,
    };
    let mut words = Vec::new();
    for line in known.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = line.trim_start_matches('-');
        let (key, value) = line
            .split_once(|letter: char| letter == '=' || letter == ':' || letter.is_whitespace())
            .unwrap_or((line, ""));
        if matches!(key, "K" | "config") {
            continue;
        }
        let dashes = if key.len() == 1 { "-" } else { "--" };
        words.push(word(&format!("{dashes}{key}")));
        let value = value.trim_start_matches(|letter: char| {
            letter == '=' || letter == ':' || letter.is_whitespace()
        });
        if !value.is_empty() {
            words.push(word(value.trim_matches('"')));
        }
    }
    (!words.is_empty()).then_some(words)
}

/// `curl`.
pub(in super::super) fn curl(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    if only_asks(invocation) {
        return Text::unknown("curl");
    }
    // What its settings say stands before its words.
    let mut words = said_by_settings(walk, invocation);
    if words.is_empty() {
        return transfer(walk, invocation);
    }
    words.extend(invocation.arguments.iter().cloned());
    transfer(walk, &Invocation { arguments: words.into(), ..invocation.clone() })
}

/// The options in the files of settings that curl is told.
fn said_by_settings(walk: &mut dyn Host, invocation: &Invocation) -> Vec<Argument> {
    let named: Vec<Argument> = invocation.options().values_of(&["-K", "--config"]).collect();
    let mut words = Vec::new();
    for value in named {
        let settings = match value.text.as_known() {
            Some("-") => invocation.input.clone().unwrap_or_default(),
            _ => walk.read_named(&value),
        };
        words.extend(configured(&settings, &value).unwrap_or_default());
    }
    words
}

/// What curl does by its options, those of its settings among them.
fn transfer(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let mut sends = None;
    let mut in_address = Text::default();
    for given in options.given() {
        for name in ["-d", "--data", "--data-ascii", "--data-binary", "--json", "--expand-data"] {
            if let Some(value) = given.value(name) {
                let body = at_file(walk, invocation, &value);
                add(&mut sends, &body);
            }
        }
        for name in ["--data-raw", "--form-string"] {
            if let Some(value) = given.value(name) {
                add(&mut sends, &value.text);
            }
        }
        for name in ["--data-urlencode", "--url-query"] {
            if let Some(value) = given.value(name) {
                let body = named_at_file(walk, invocation, &value, &['@']);
                if name == "--url-query" {
                    in_address.inherit(&body)
                } else {
                    add(&mut sends, &body)
                }
            }
        }
        for name in ["-F", "--form"] {
            if let Some(value) = given.value(name) {
                let body = form_field(walk, invocation, &value);
                add(&mut sends, &body);
            }
        }
        for name in ["-T", "--upload-file"] {
            if let Some(value) = given.value(name) {
                let body = uploaded(walk, invocation, &value);
                add(&mut sends, &body);
            }
        }
        for name in ["-H", "--header", "-A", "--user-agent", "-e", "--referer", "-b", "--cookie"] {
            if let Some(value) = given.value(name) {
                if let Some(file) = after(&value, "@") {
                    let body = walk.read(&file);
                    add(&mut sends, &body);
                } else if super::super::is_private(&value.text) && !authenticates(name, &value.text)
                {
                    add(&mut sends, &value.text);
                }
            }
        }
        // `--variable %NAME`, `--variable name@file`: what other options put in the place of `{{name}}`.
        if let Some(value) = given.value("--variable") {
            let known = value.text.known_prefix();
            let mut held = match known.strip_prefix('%') {
                Some(name) => {
                    let name = name.split('=').next().unwrap_or(name);
                    let mut text = Text::unknown(name);
                    if crate::programs::secret_names::is_secret_name(name) {
                        text.taint = Taint::SECRET;
                    }
                    text
                }
                None => named_at_file(walk, invocation, &value, &['@']),
            };
            held.inherit(&value.text);
            if super::super::is_private(&held) {
                add(&mut sends, &held);
            }
        }
        for name in ["-w", "--write-out"] {
            if let Some(value) = given.value(name) {
                written_out(walk, invocation, &value);
            }
        }
        for name in [
            "-D",
            "--dump-header",
            "-c",
            "--cookie-jar",
            "--trace",
            "--trace-ascii",
            "--etag-save",
            "--stderr",
        ] {
            if let Some(value) =
                given.value(name).filter(|value| value.text.as_known() != Some("-"))
            {
                walk.write(&value, WriteMode::Replace, Text::unknown("curl"));
            }
        }
    }
    let addresses: Vec<Argument> =
        options.operands().cloned().chain(options.values_of(&["--url", "--expand-url"])).collect();
    let outputs: Vec<Argument> = options.values_of(&["-o", "--output"]).collect();
    let directory = options.value(&["--output-dir"]);
    let named = options.has(&["-O", "--remote-name", "--remote-name-all"]);
    let mut printed = Text::default();
    for (index, address) in addresses.iter().enumerate() {
        let received = request(walk, address, sends.clone(), &in_address);
        if let Some(output) = outputs.get(index) {
            let kept = matches!(output.text.as_known(), Some("-" | "/dev/stdout"));
            let output = if kept { output.clone() } else { inside(directory.as_ref(), output) };
            if let Some(text) = store(walk, &output, received) {
                printed.append(&text);
            }
        } else if named {
            store(walk, &named_after(address, directory.as_ref()), received);
        } else {
            printed.append(&received);
        }
    }
    printed
}

/// What `-w` says of files (curl(1), "%output{filename}"): from there on it is written to that file, behind `>>` at its end.
fn written_out(walk: &mut dyn Host, invocation: &Invocation, value: &Argument) {
    let format = match after(value, "@") {
        Some(file) if file.text.as_known() == Some("-") => piped(invocation).unwrap_or_default(),
        Some(file) => walk.read_named(&file),
        None => value.text.clone(),
    };
    let format = format.display();
    for named in format.split("%output{").skip(1) {
        let Some((path, rest)) = named.split_once('}') else { continue };
        let (path, mode) = match path.strip_prefix(">>") {
            Some(path) => (path, WriteMode::Append),
            None => (path, WriteMode::Replace),
        };
        let told = rest.split("%output{").next().unwrap_or(rest);
        walk.write(&part(value, path), mode, Text::known(told));
    }
}

/// What `-T` names: a file, `{several,files}`, or the input.
fn uploaded(walk: &mut dyn Host, invocation: &Invocation, value: &Argument) -> Text {
    match value.text.as_known() {
        Some("-" | ".") => piped(invocation).unwrap_or_default(),
        Some(list) if list.starts_with('{') && list.ends_with('}') => {
            let mut whole = Text::default();
            for file in list.trim_matches(['{', '}']).split(',') {
                whole.append(&walk.read(&part(value, file)));
            }
            whole
        }
        _ => walk.read(value),
    }
}

/// One request; `file:` addresses are read.
pub(super) fn request(
    walk: &mut dyn Host,
    address: &Argument,
    sends: Option<Text>,
    in_address: &Text,
) -> Text {
    // A scheme is one in whatever letters (RFC 3986, 3.1).
    const FILE: &str = "file://";
    let written = address.text.known_prefix();
    if let Some(scheme) = written.get(..FILE.len())
        && scheme.eq_ignore_ascii_case(FILE)
        && let Some(path) = after(address, scheme)
    {
        return walk.read(&path);
    }
    let mut text = address.text.clone();
    text.inherit(in_address);
    walk.connect(&Argument { text, span: address.span }, sends, false)
}

/// A header that says who is asking: its secret is meant for the host.
pub(super) fn authenticates(option: &str, header: &Text) -> bool {
    if matches!(option, "-b" | "--cookie") {
        // A variable may hold a session; what a program printed is not one.
        return header.sources.is_empty();
    }
    let name = header.known_prefix().split(':').next().unwrap_or("").to_ascii_lowercase();
    matches!(option, "-H" | "--header")
        && ["auth", "token", "key", "cookie", "secret", "signature", "credential"]
            .iter()
            .any(|word| name.contains(word))
}

/// `@file`, `@-` or the text itself.
fn at_file(walk: &mut dyn Host, invocation: &Invocation, value: &Argument) -> Text {
    match after(value, "@") {
        Some(file) if file.text.as_known() == Some("-") => piped(invocation).unwrap_or_default(),
        Some(file) => walk.read(&file),
        None => value.text.clone(),
    }
}

/// `name@file`, or the text itself.
fn named_at_file(
    walk: &mut dyn Host,
    invocation: &Invocation,
    value: &Argument,
    marks: &[char],
) -> Text {
    let prefix = value.text.known_prefix();
    let Some(at) = prefix.find(marks) else { return value.text.clone() };
    if prefix.get(..at).is_some_and(|name| name.contains('=')) {
        return value.text.clone();
    }
    let Some(file) = prefix.get(..=at).and_then(|start| after(value, start)) else {
        return value.text.clone();
    };
    if file.text.as_known() == Some("-") {
        return piped(invocation).unwrap_or_default();
    }
    walk.read(&file)
}

/// `name=@file;type=…`, `name=<file`, `name=text`.
fn form_field(walk: &mut dyn Host, invocation: &Invocation, value: &Argument) -> Text {
    let prefix = value.text.known_prefix();
    let Some((name, content)) = prefix.split_once('=') else { return value.text.clone() };
    if !content.starts_with(['@', '<']) {
        return value.text.clone();
    }
    let start = prefix.get(..name.len() + 2).unwrap_or("");
    let Some(file) = after(value, start) else { return value.text.clone() };
    let Some(known) = file.text.as_known() else { return walk.read(&file) };
    let path = known.split(';').next().unwrap_or(known).trim_matches('"');
    let mut whole = Text::default();
    for path in path.split(',') {
        if path == "-" {
            whole.append(&piped(invocation).unwrap_or_default());
        } else {
            whole.append(&walk.read(&part(&file, path)));
        }
    }
    whole
}
