//! Programs that fetch and post: curl, wget, httpie and their kin.

use crate::{
    effect::{Argument, WriteMode},
    programs::host::Host,
    programs::invocation::Invocation,
    text::{Piece, Taint, Text},
};

use super::{super::operands::after, add, inside, named_after, only_asks, part, piped, store};

pub(super) const CURL: &[&str] = &[
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
pub(super) fn curl(walk: &mut dyn Host, invocation: &Invocation) -> Text {
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
            _ if walk.wrote(&value.text) => walk.read(&value),
            _ => match walk.file_named(&value.text) {
                Some(file) => Text::known(&*file.text),
                None => walk.read(&value),
            },
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
                } else if super::is_private(&value.text) && !authenticates(name, &value.text) {
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
            if super::is_private(&held) {
                add(&mut sends, &held);
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
fn request(
    walk: &mut dyn Host,
    address: &Argument,
    sends: Option<Text>,
    in_address: &Text,
) -> Text {
    if let Some(path) = after(address, "file://") {
        return walk.read(&path);
    }
    let mut text = address.text.clone();
    text.inherit(in_address);
    walk.connect(&Argument { text, span: address.span }, sends, false)
}

/// A header that says who is asking: its secret is meant for the host.
fn authenticates(option: &str, header: &Text) -> bool {
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

pub(super) const WGET: &[&str] = &[
    "-a",
    "-A",
    "-B",
    "-D",
    "-e",
    "-g",
    "-G",
    "-I",
    "-i",
    "-l",
    "-o",
    "-O",
    "-P",
    "-Q",
    "-R",
    "-t",
    "-T",
    "-U",
    "-w",
    "-X",
    "--append-output",
    "--body-data",
    "--body-file",
    "--ca-certificate",
    "--certificate",
    "--directory-prefix",
    "--header",
    "--input-file",
    "--level",
    "--limit-rate",
    "--load-cookies",
    "--method",
    "--output-document",
    "--output-file",
    "--password",
    "--post-data",
    "--post-file",
    "--private-key",
    "--quota",
    "--referer",
    "--reject",
    "--save-cookies",
    "--timeout",
    "--tries",
    "--use-askpass",
    "--user",
    "--user-agent",
    "--wait",
    "--execute",
    "--domains",
    "--accept",
    "--bind-address",
    "--http-user",
    "--http-password",
];

/// `wget`.
pub(super) fn wget(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    if only_asks(invocation) {
        return Text::unknown("wget");
    }
    let options = invocation.options();
    let mut sends = None;
    for file in options.values_of(&["--post-file", "--body-file"]) {
        let body = match file.text.as_known() {
            Some("-") => piped(invocation).unwrap_or_default(),
            _ => walk.read(&file),
        };
        add(&mut sends, &body);
    }
    for body in options.values_of(&["--post-data", "--body-data"]) {
        add(&mut sends, &body.text);
    }
    for header in options.values_of(&["--header", "--user-agent", "-U", "--referer"]) {
        if super::is_private(&header.text) && !authenticates("--header", &header.text) {
            add(&mut sends, &header.text);
        }
    }
    for log in
        options.values_of(&["-o", "--output-file", "-a", "--append-output", "--save-cookies"])
    {
        if log.text.as_known() != Some("-") {
            walk.write(&log, WriteMode::Append, Text::unknown("wget"));
        }
    }
    let mut addresses: Vec<Argument> = options.operands().cloned().collect();
    for list in options.values_of(&["-i", "--input-file"]) {
        let text = match list.text.as_known() {
            Some("-") => piped(invocation).unwrap_or_default(),
            _ => walk.read(&list),
        };
        match text.as_known() {
            Some(known) => {
                addresses.extend(known.split_whitespace().map(|line| part(&list, line)));
            }
            None => addresses.push(Argument { text, span: list.span }),
        }
    }
    let output = options.value(&["-O", "--output-document"]);
    let directory = options.value(&["-P", "--directory-prefix"]);
    let spider = options.has(&["--spider"]);
    let mut printed = Text::default();
    for address in &addresses {
        let received = request(walk, address, sends.clone(), &Text::default());
        let file = match &output {
            Some(output) => output.clone(),
            None => named_after(address, directory.as_ref()),
        };
        if spider {
            continue;
        }
        // Nothing of it is printed, and whoever gives the output to a shell means it to be.
        printed.inherit(&received);
        if let Some(text) = store(walk, &file, received) {
            printed.append(&text);
        }
    }
    printed
}

pub(super) const HTTPIE: &[&str] = &[
    "-o",
    "--output",
    "-a",
    "--auth",
    "-A",
    "--auth-type",
    "-p",
    "--print",
    "-s",
    "--style",
    "--session",
    "--timeout",
    "--proxy",
    "--cert",
    "--cert-key",
    "--verify",
    "--raw",
    "--boundary",
    "--max-redirects",
    "-P",
    "--format-options",
];

/// `http`, `https`, `xh`: a method, an address, and items that make the request.
pub(super) fn httpie(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let mut operands: Vec<Argument> = options.operands().cloned().collect();
    let is_method = operands.first().and_then(|first| first.text.as_known()).is_some_and(|first| {
        (3..=7).contains(&first.len()) && first.bytes().all(|byte| byte.is_ascii_uppercase())
    });
    if is_method {
        operands.remove(0);
    }
    let Some((address, items)) = operands.split_first() else { return Text::unknown("http") };
    let mut sends = options.value(&["--raw"]).map(|raw| raw.text);
    let mut in_address = Text::default();
    for item in items {
        let prefix = item.text.known_prefix();
        if prefix.contains("==") {
            in_address.inherit(&item.text);
            continue;
        }
        let file = [":=@", "=@", "@"].iter().find_map(|mark| {
            let (name, _) = prefix.split_once(mark)?;
            let start = prefix.get(..name.len() + mark.len())?;
            (!name.contains(['=', ':'])).then(|| after(item, start)).flatten()
        });
        let header = prefix
            .split_once(':')
            .is_some_and(|(name, rest)| !name.contains('=') && !rest.starts_with('='));
        if let Some(file) = file {
            let content = walk.read(&file);
            add(&mut sends, &content);
        } else if !header || super::is_private(&item.text) && !authenticates("-H", &item.text) {
            add(&mut sends, &item.text);
        }
    }
    if !options.has(&["--ignore-stdin", "-I"])
        && let Some(input) = piped(invocation)
    {
        add(&mut sends, &input);
    }
    let mut full = address.clone();
    if full.text.known_prefix().starts_with([':', '/']) {
        let mut text = Text::known("localhost");
        text.append(&address.text);
        full.text = text;
    }
    let received = request(walk, &full, sends, &in_address);
    if let Some(output) = options.value(&["-o", "--output"]) {
        return store(walk, &output, received).unwrap_or_default();
    }
    if options.has(&["--download", "-d"]) {
        return store(walk, &named_after(address, None), received).unwrap_or_default();
    }
    received
}

pub(super) const ARIA: &[&str] = &[
    "-d",
    "-o",
    "-i",
    "-s",
    "-x",
    "-j",
    "-k",
    "-l",
    "-m",
    "-t",
    "--dir",
    "--out",
    "--input-file",
    "--split",
    "--header",
    "--max-connection-per-server",
    "--on-download-complete",
    "--user-agent",
    "--referer",
];

/// `aria2c`.
pub(super) fn aria(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let directory = options.value(&["-d", "--dir"]);
    let output = options.value(&["-o", "--out"]);
    for list in options.values_of(&["-i", "--input-file"]) {
        walk.read(&list);
    }
    for hook in options.values_of(&["--on-download-complete", "--on-download-start"]) {
        walk.script("shell", &hook, &[], None);
    }
    for address in options.operands() {
        let received = walk.connect(address, None, false);
        let file = match &output {
            Some(output) => inside(directory.as_ref(), output),
            None => named_after(address, directory.as_ref()),
        };
        store(walk, &file, received);
    }
    Text::default()
}

/// `axel`, `lwp-download`: an address, and a file after it or after `-o`.
pub(super) fn axel(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let mut operands = options.operands();
    let Some(address) = operands.next() else { return Text::default() };
    let received = walk.connect(address, None, false);
    let output = options.value(&["-o", "--output"]).or_else(|| operands.next().cloned());
    let file = output.unwrap_or_else(|| named_after(address, None));
    store(walk, &file, received).unwrap_or_default()
}

/// Browsers for terminals: what they fetch is printed.
pub(super) fn pages(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let sends = options
        .value(&["-post_data", "-post"])
        .map(|body| body.text)
        .or_else(|| options.has(&["-post_data", "-post"]).then(|| piped(invocation)).flatten());
    let mut printed = Text::default();
    for address in options.operands() {
        if address.text.known_prefix().contains("://") || !address.text.known_prefix().contains('/')
        {
            printed.append(&walk.connect(address, sends.clone(), false));
        } else {
            printed.append(&walk.read(address));
        }
    }
    printed
}

/// Windows' `certutil -urlcache -f URL FILE`.
pub(super) fn certutil(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let operands: Vec<Argument> = invocation
        .arguments
        .iter()
        .filter(|argument| !argument.text.known_prefix().starts_with(['-', '/']))
        .cloned()
        .collect();
    let fetches = invocation.options().has(&["-urlcache", "-verifyctl"]);
    if let (true, Some((address, rest))) = (fetches, operands.split_first()) {
        let received = walk.connect(address, None, false);
        if let Some(file) = rest.first() {
            walk.write(file, WriteMode::Replace, received);
        }
    }
    Text::unknown("certutil")
}
