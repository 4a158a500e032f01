//! Programs that copy files to and from other machines: scp, rsync, sftp, cloud storage, backups.

use crate::{
    bound::Bounded,
    effect::{Argument, PermissionChange, WriteMode},
    place,
    programs::{host::Host, invocation::Invocation, laid_over},
    text::{Piece, Taint, Text},
};

use super::{add, gathered, inside, named_after, only_asks, part, piped};

/// How many lines of a daemon's configuration are read; people write a few dozen.
const MODULES: usize = 512;

pub(super) const SCP: &[&str] = &["-c", "-D", "-F", "-i", "-J", "-l", "-o", "-P", "-S", "-X"];

pub(super) const SFTP: &[&str] =
    &["-B", "-D", "-F", "-J", "-P", "-R", "-S", "-X", "-b", "-c", "-i", "-l", "-o", "-s"];

/// `scp from… to`.
pub(super) fn scp(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let operands: Vec<Argument> = invocation.options().operands().map(of_this_machine).collect();
    run_there(walk, &operands);
    // How what comes is called is said over there.
    if let Some((to, from)) = operands.split_last()
        && !is_remote(to)
        && from.iter().any(|from| is_remote(from) && names_many(from))
    {
        laid_over::fills(walk, to);
    }
    copy(walk, invocation, &operands)
}

/// `host:'*'`, `host:x/.`
fn names_many(from: &Argument) -> bool {
    let shown = from.text.display();
    shown.contains(['*', '?', '[']) || shown.ends_with("/.")
}

/// `host:x;command`: scp before 9.0, and rsync before 3.2.4 or with `--old-args`, hand such a name to a shell on the other side.
fn run_there(walk: &mut dyn Host, operands: &[Argument]) {
    for operand in operands.iter().filter(|operand| is_remote(operand)) {
        let known = operand.text.known_prefix();
        let Some((host, path)) = known.split_once(':') else { continue };
        if host.contains('/') || path.starts_with("//") {
            continue;
        }
        let is_code = path.contains([';', '|', '&', '`', '\n']) || path.contains("$(");
        if is_code {
            let words = ["ssh", host, path].map(|word| part(operand, word.to_owned()));
            walk.run(&words, None);
        }
    }
}

pub(super) const RSYNC: &[&str] = &[
    "-e",
    "-f",
    "-T",
    "-B",
    "-M",
    "--rsh",
    "--exclude",
    "--exclude-from",
    "--include",
    "--include-from",
    "--files-from",
    "--filter",
    "--rsync-path",
    "--config",
    "--dparam",
    "--remote-option",
    "--password-file",
    "--port",
    "--bwlimit",
    "--chmod",
    "--chown",
    "--backup-dir",
    "--suffix",
    "--log-file",
    "--timeout",
    "--link-dest",
    "--partial-dir",
    "--out-format",
    "--info",
    "--max-size",
    "--min-size",
    "--temp-dir",
    "--compare-dest",
    "--copy-dest",
    "--max-delete",
    "--modify-window",
    "--sockopts",
];

/// `rsync from… to`.
pub(super) fn rsync(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let operands: Vec<Argument> = options.operands().map(of_this_machine).collect();
    run_there(walk, &operands);
    if only_asks(invocation) || options.has(&["-n", "--dry-run", "--list-only"]) {
        return Text::unknown("rsync");
    }
    if options.has(&["--daemon"]) {
        return daemon(walk, invocation);
    }
    // `--chmod=F4755`: rights of what arrives, with a setuid bit among them.
    if let (Some(mode), Some((to, _))) = (options.value(&["--chmod"]), operands.split_last()) {
        let sets = mode.text.display().split(',').any(|part| {
            let plain = part.trim_start_matches(['D', 'F']);
            plain.len() == 4 && plain.starts_with(['2', '4', '6', '7'])
                || plain.contains('s') && plain.contains(['+', '='])
        });
        if sets && !is_remote(to) {
            let change = PermissionChange::Mode(Text::known("u+s"));
            walk.permission(to, false, change);
        }
    }
    // rsync(1): "apply all of the changes stored in FILE", or in what arrives.
    if let (Some(batch), Some(to)) = (options.value(&["--read-batch"]), operands.last()) {
        let changes = match batch.text.as_known() {
            Some("-") => invocation.origin(),
            _ => walk.read(&batch),
        };
        laid_over::fills(walk, to);
        let mut text = to.text.clone();
        text.push_known("/");
        text.push(Piece::Unknown("what a batch changes".into()));
        let content = changes.derive([Piece::Unknown("a batch".into())]);
        walk.write(&Argument { text, span: to.span }, WriteMode::Replace, content);
        return Text::unknown("rsync");
    }
    // What lies in a directory comes to stand beside what is there, and a directory beside others, or in the one that has its name.
    let mut operands = operands;
    if let Some((to, sources)) = operands.split_last_mut()
        && !is_remote(to)
    {
        if laid_over::holds_beginnings(walk, to) && !to.text.display().ends_with('/') {
            to.text.push_known("/");
        }
        for from in sources.iter() {
            let shown = from.text.display();
            if shown.ends_with(['/', '*', '.']) {
                laid_over::fills(walk, to);
            } else {
                let name = shown.rsplit('/').next().unwrap_or_default();
                let mut text = to.text.clone();
                text.push_known("/");
                text.push_known(name);
                laid_over::fills(walk, &Argument { text, span: to.span });
            }
        }
    }
    let printed = copy(walk, invocation, &operands);
    // What is said to a daemon before it asks.
    if let Some(file) = options.value(&["--early-input"])
        && let Some(other) = operands.iter().find(|file| is_remote(file))
    {
        let said = walk.read(&file);
        walk.connect(other, Some(said), false);
    }
    if options.has(&["--remove-source-files"]) {
        for file in operands.iter().rev().skip(1).filter(|file| !is_remote(file)) {
            walk.delete(file, true);
        }
    }
    printed
}

/// `rsync --daemon`: whoever connects gets the modules of its configuration; what this call did not write of it is not known.
fn daemon(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let address = options.value(&["--address"]).map(|address| address.text);
    let mut address = address.unwrap_or_else(|| Text::known("0.0.0.0"));
    address.push_known(":");
    match options.value(&["--port"]) {
        Some(port) => address.append(&port.text),
        None => address.push_known("873"),
    }
    // rsyncd.conf(5): `pre-xfer exec`, `post-xfer exec` and their kin are run.
    for setting in options.values_of(&["-M", "--dparam"]) {
        if let Some((key, value)) = setting.text.known_prefix().split_once('=')
            && key.trim().ends_with("exec")
        {
            let command = setting.text.derive([Piece::Known(value.trim().to_owned())]);
            walk.shell(&command, setting.span, &[], None);
        }
    }
    let mut offered = Text::unknown("the modules of a daemon");
    if let Some(file) = options.value(&["--config"]) {
        let settings = walk.read(&file);
        for line in settings.known_prefix().lines().at_most(MODULES, walk, file.span) {
            if let Some((name, path)) = line.split_once('=')
                && name.trim() == "path"
            {
                let module = Argument { text: Text::known(path.trim()), span: file.span };
                offered.inherit(&walk.read(&module));
            }
        }
    }
    walk.connect(&Argument { text: address, span: invocation.span }, Some(offered), true)
}

fn copy(walk: &mut dyn Host, invocation: &Invocation, operands: &[Argument]) -> Text {
    let Some((destination, sources)) = operands.split_last() else {
        return Text::unknown(&invocation.program);
    };
    if is_remote(destination) {
        let local: Vec<&Argument> = sources.iter().filter(|file| !is_remote(file)).collect();
        let mut sends = gathered(walk, local).unwrap_or_else(|| Text::unknown("a remote file"));
        // From one machine to another by way of this one.
        let is_secret = |source: &Argument| {
            remote_path(source).is_some_and(|path| {
                let path = format!("/{}", path.trim_start_matches('/'));
                place::credential(&path, walk.facts()).is_some()
            })
        };
        if sources.iter().any(is_secret) {
            sends.taint = sends.taint.with(Taint::SECRET);
        }
        if !is_bucket(destination) && remote_path(destination).is_some_and(|path| is_system(&path))
        {
            walk.note("network.copy.remote-system", invocation.span);
        }
        for source in sources.iter().filter(|source| is_remote(source)) {
            walk.connect(source, None, false);
        }
        return walk.connect(destination, Some(sends), false);
    }
    for source in sources {
        let content =
            if is_remote(source) { walk.connect(source, None, false) } else { walk.read(source) };
        let target = if is_directory(destination) {
            inside(
                Some(destination),
                &named_after(
                    &part(
                        source,
                        remote_path(source).map_or_else(
                            || format!("/{}", source.text.display().trim_end_matches('/')),
                            |path| format!("/{path}"),
                        ),
                    ),
                    None,
                ),
            )
        } else {
            destination.clone()
        };
        let mode = if is_remote(source) { WriteMode::Replace } else { WriteMode::Create };
        walk.write(&target, mode, content);
    }
    Text::unknown(&invocation.program)
}

fn is_directory(file: &Argument) -> bool {
    let shown = file.text.display();
    matches!(shown.as_str(), "." | ".." | "~") || shown.ends_with('/')
}

/// `host:path`, `user@host:`, `scheme://…`: a colon before any slash.
/// Whether a file lies in a store of objects, where paths mean nothing to a system.
fn is_bucket(file: &Argument) -> bool {
    ["s3://", "gs://", "az://", "azure://", "r2://", "oss://", "cos://", "b2://"]
        .iter()
        .any(|scheme| file.text.known_prefix().starts_with(scheme))
}

fn is_remote(file: &Argument) -> bool {
    remote_path(file).is_some()
}

/// `localhost:x`, `me@127.0.0.1:/x`: a file of this machine by way of the network, named from the home; others stay as they are.
fn of_this_machine(file: &Argument) -> Argument {
    let known = file.text.known_prefix();
    let (rest, is_address) = match known.strip_prefix("scp://").or(known.strip_prefix("sftp://")) {
        Some(rest) => (rest, true),
        None => (known, false),
    };
    let parts = match rest.split_once('@') {
        Some((user, host)) if !user.contains(['/', ':']) => host,
        _ => rest,
    };
    let is_here = |host: &str| {
        matches!(host, "localhost" | "localhost.localdomain" | "[::1]" | "0" | "0.0.0.0")
            || host
                .strip_prefix("127.")
                .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
    };
    let found = if is_address {
        let (host, path) = parts.split_once('/').unwrap_or((parts, ""));
        let host = host.rsplit_once(':').filter(|_| !host.ends_with(']')).map_or(host, |it| it.0);
        is_here(host).then_some(path)
    } else {
        let (host, path) = match parts.strip_prefix("[::1]:") {
            Some(path) => ("[::1]", path),
            None => parts.split_once(':').unwrap_or(("", "")),
        };
        // Two colons lead to a daemon, which has names of its own.
        (is_here(host) && !path.starts_with(':')).then_some(path)
    };
    let Some(path) = found else { return file.clone() };
    let path = match path {
        _ if path.starts_with(['/', '~']) => path.to_owned(),
        _ => format!("~/{path}"),
    };
    Argument { text: file.text.beginning_with(&path), span: file.span }
}

fn remote_path(file: &Argument) -> Option<String> {
    let shown = file.text.display();
    if let Some((scheme, rest)) = shown.split_once("://")
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
    {
        return Some(rest.split_once('/').map_or(String::new(), |(_, path)| format!("/{path}")));
    }
    // rclone.org/docs, "On the fly remotes": `:backend,option=x:path`.
    if let Some((_, path)) = shown.strip_prefix(':').and_then(|rest| rest.split_once(':')) {
        return Some(path.to_owned());
    }
    let colon = shown.find(':')?;
    let slash = shown.find('/').unwrap_or(usize::MAX);
    let drive = colon == 1 && shown.starts_with(|letter: char| letter.is_ascii_alphabetic());
    // `${x}:` shows an unknown host; its braces hold no slash.
    (colon < slash && colon > 0 && !drive)
        .then(|| shown.get(colon + 1..).unwrap_or("").trim_start_matches(':').to_owned())
}

/// System directories of the other side.
fn is_system(path: &str) -> bool {
    let top = path.strip_prefix('/').map(|rest| rest.split('/').next().unwrap_or(""));
    match top {
        Some("var") => !["/var/www", "/var/tmp"].iter().any(|start| path.starts_with(start)),
        Some("usr") => !path.starts_with("/usr/src"),
        Some(top) => matches!(
            top,
            "" | "etc"
                | "bin"
                | "sbin"
                | "lib"
                | "lib32"
                | "lib64"
                | "boot"
                | "dev"
                | "proc"
                | "sys"
        ),
        None => false,
    }
}

pub(super) const AWS: &[&str] = &[
    "--profile",
    "--region",
    "--output",
    "--query",
    "--endpoint-url",
    "--acl",
    "--sse",
    "--storage-class",
    "--exclude",
    "--include",
    "--bucket",
    "--key",
    "--body",
    "--cli-input-json",
    "--function-name",
    "--zip-file",
    "--filters",
    "--grants",
    "--content-type",
    "--cache-control",
    "--expires",
    "--metadata",
    "--page-size",
    "--source-region",
    "--ca-bundle",
    "--cli-connect-timeout",
    "--cli-read-timeout",
    "--color",
];

/// `aws`: what is copied to a bucket goes out; everything else is told apart by rules.
pub(super) fn aws(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let operands: Vec<Argument> = options.operands().cloned().collect();
    let words: Vec<&str> =
        operands.iter().leading(2).map(|operand| operand.text.as_known().unwrap_or("")).collect();
    match words.as_slice() {
        ["s3", "cp" | "mv" | "sync"] if !options.has(&["--dryrun"]) => {
            transfer(walk, invocation, operands.get(2..).unwrap_or(&[]))
        }
        ["s3api", "put-object"] => {
            let body = options.value(&["--body"]);
            let sends = gathered(walk, &body);
            if let Some(bucket) = options.value(&["--bucket"]) {
                let mut text = Text::known("s3://");
                text.append(&bucket.text);
                walk.connect(&Argument { text, span: bucket.span }, sends, false);
            }
            Text::unknown("aws")
        }
        _ => unknown(invocation),
    }
}

pub(super) const GCLOUD: &[&str] = &[
    "--project",
    "--zone",
    "--region",
    "--account",
    "--configuration",
    "--billing-project",
    "--filter",
    "--flags-file",
    "--format",
    "--impersonate-service-account",
    "--limit",
    "--location",
    "--sort-by",
    "--trace-token",
    "--verbosity",
];

/// `rclone serve webdav DIRECTORY --addr ADDRESS`: it listens on this machine alone where nothing else is said.
fn served(walk: &mut dyn Host, invocation: &Invocation, directory: &Argument) -> Text {
    let address = invocation
        .options()
        .value(&["--addr"])
        .unwrap_or_else(|| Argument { text: Text::known("127.0.0.1"), span: invocation.span });
    super::serve::offer(walk, invocation, Some(directory.clone()), Some(address))
}

/// Cloud copies: a verb among the operands, then from and to.
pub(in crate::programs) fn cloud(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let operands: Vec<Argument> = invocation.options().operands().cloned().collect();
    if let [verb, _, directory] = operands.as_slice()
        && (invocation.program == "rclone" && verb.text.as_known() == Some("serve"))
        && !directory.text.known_prefix().contains(':')
    {
        return served(walk, invocation, directory);
    }
    let verb = operands.iter().position(|operand| {
        matches!(
            operand.text.as_known(),
            Some(
                "cp" | "copy"
                    | "copyto"
                    | "sync"
                    | "move"
                    | "moveto"
                    | "mv"
                    | "put"
                    | "rsync"
                    | "upload-file"
                    | "mirror"
                    | "scp"
            )
        )
    });
    let copies = match invocation.program.as_str() {
        "gcloud" => matches!(
            operands.first().and_then(|first| first.text.as_known()),
            Some("storage" | "compute")
        ),
        _ => true,
    };
    match verb {
        Some(at) if copies && !invocation.options().has(&["--dry-run"]) => {
            let operands = operands.get(at + 1..).unwrap_or(&[]);
            // It takes two; what follows is the value of an option of a backend.
            let taken =
                if invocation.program == "rclone" { operands.len().min(2) } else { operands.len() };
            transfer(walk, invocation, operands.get(..taken).unwrap_or(operands))
        }
        _ => unknown(invocation),
    }
}

fn transfer(walk: &mut dyn Host, invocation: &Invocation, operands: &[Argument]) -> Text {
    // An alias of a bucket without a colon (`mc cp file store/bucket`) is remote although it looks local.
    let piped = piped(invocation);
    if let [from, to] = operands
        && from.text.as_known() == Some("-")
        && let Some(input) = piped
    {
        return walk.connect(to, Some(input), false);
    }
    if let [from, to] = operands
        && to.text.as_known() == Some("-")
        && is_remote(from)
    {
        return walk.connect(from, None, false);
    }
    let cloud_alias = invocation.program == "mc" && operands.len() == 2;
    if let (true, [from, to]) = (cloud_alias, operands) {
        let content = walk.read(from);
        return walk.connect(to, Some(content), false);
    }
    copy(walk, invocation, operands)
}

fn unknown(invocation: &Invocation) -> Text {
    let mut text = Text::unknown(&invocation.program);
    for argument in &invocation.arguments {
        text.inherit(&argument.text);
    }
    if let Some(input) = &invocation.input {
        text.inherit(input);
    }
    text
}

/// `croc send`, `wormhole send`: a relay that anyone may use hands the files to whoever has the words for them.
pub(super) fn handed_over(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let operands: Vec<Argument> = options.operands().cloned().collect();
    let Some((verb, files)) = operands.split_first() else { return unknown(invocation) };
    if !matches!(verb.text.as_known(), Some("send" | "tx")) {
        return unknown(invocation);
    }
    let sends = gathered(walk, files).or_else(|| piped(invocation));
    let relay = match invocation.program.as_str() {
        "croc" => "croc.schollz.com",
        _ => "relay.magic-wormhole.io",
    };
    walk.connect(&part(verb, relay), sends, false)
}

/// `restic backup` to a repository on another machine.
pub(super) fn restic(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let mut operands = options.operands();
    if operands.next().and_then(|verb| verb.text.as_known()) != Some("backup") {
        return unknown(invocation);
    }
    let files: Vec<Argument> = operands.cloned().collect();
    let sends = gathered(walk, &files).or_else(|| piped(invocation));
    let Some(repository) = options.value(&["-r", "--repo"]) else { return unknown(invocation) };
    let prefix = repository.text.known_prefix();
    if !prefix.contains(':') {
        walk.write(&repository, WriteMode::Append, sends.unwrap_or_default());
        return Text::unknown("restic");
    }
    let address = prefix
        .split_once(':')
        .and_then(|(kind, _)| super::super::operands::after(&repository, &format!("{kind}:")))
        .unwrap_or_else(|| repository.clone());
    walk.connect(&address, sends, false)
}

/// `sftp`, `ftp`, `lftp`, `smbclient`, `tftp`: a session whose commands stand in an option, a file or the input.
pub(super) fn session(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let operands: Vec<Argument> = options.operands().cloned().collect();
    let mut commands: Vec<Argument> = Vec::new();
    match invocation.program.as_str() {
        "sftp" => {
            for file in options.values_of(&["-b"]) {
                let text = match file.text.as_known() {
                    Some("-") => piped(invocation).unwrap_or_default(),
                    _ => walk.read_named(&file),
                };
                commands.push(Argument { text, span: file.span });
            }
        }
        // learn.microsoft.com, "ftp": `ftp -s:FILE`.
        "ftp" => {
            for word in invocation.arguments.iter() {
                let shown = word.text.display();
                let Some(file) = shown.get(..3).filter(|it| it.eq_ignore_ascii_case("-s:")) else {
                    continue;
                };
                let file = part(word, shown.get(file.len()..).unwrap_or_default().to_owned());
                let text = walk.read_named(&file);
                commands.push(Argument { text, span: word.span });
            }
            commands.extend(options.values_of(&["-c", "-e"]));
        }
        _ => commands.extend(options.values_of(&["-c", "-e"])),
    }
    if let Some(input) = piped(invocation) {
        commands.push(Argument { text: input, span: invocation.span });
    }
    // `tftp -c put file host` gives the command as operands.
    if invocation.program == "tftp"
        && let Some(verb) = options.value(&["-c"])
    {
        let rest: Vec<String> = operands.iter().skip(1).map(|word| word.text.display()).collect();
        commands.push(part(&verb, format!("{} {}", verb.text.display(), rest.join(" "))));
    }
    let script =
        commands.iter().map(|command| command.text.display()).collect::<Vec<_>>().join("\n");
    // The next one runs if this one held, or if it did not.
    let script = script.replace("&&", ";").replace("||", ";");
    let span = commands.first().map_or(invocation.span, |command| command.span);
    let opened = || {
        let lines = script.split(['\n', ';']).map(str::trim);
        let opens = |line: &'_ str| ["open ", "connect "].iter().any(|verb| line.starts_with(verb));
        let host = lines.into_iter().find(|line| opens(line))?.split_once(' ')?.1.trim();
        Some(Argument { text: Text::known(host.rsplit(' ').next().unwrap_or(host)), span })
    };
    let Some(address) = operands.first().cloned().or_else(opened) else {
        return Text::unknown(&invocation.program);
    };
    let (server, address) = (server(&address), &address);
    let mut sends: Option<Text> = None;
    let mut fetched: Vec<String> = Vec::new();
    let mut there: Vec<String> = Vec::new();
    for line in script.split(['\n', ';']).at_most(MAX_COMMANDS, walk, span) {
        let words: Vec<&str> =
            line.split_whitespace().map(|word| word.trim_matches(['"', '\''])).collect();
        let files: Vec<&str> =
            words.iter().skip(1).copied().filter(|word| !word.starts_with('-')).collect();
        match words.first().copied() {
            Some("mirror") if mirrored(&words).is_some() => {
                let reversed = words.iter().any(|word| is_flag(word, 'R', "--reverse"));
                let (from, to) = (files.first().copied(), files.get(1).or(files.first()).copied());
                let (from, to) = (from.unwrap_or("."), to.unwrap_or("."));
                let host = server.text.display();
                let host = host.split_once("://").map_or(host.as_str(), |(_, host)| host);
                let (from, to) = match reversed {
                    true => (from.to_owned(), format!("{host}:{to}")),
                    false => (format!("{host}:{from}"), to.to_owned()),
                };
                let words = ["rsync", "-a", mirrored(&words).unwrap_or_default(), &from, &to];
                walk.run(&words.map(|word| Argument { text: Text::known(word), span }), None);
            }
            Some("mirror") if !words.iter().any(|word| is_flag(word, 'R', "--reverse")) => {
                fetched.push(files.get(1).copied().unwrap_or(".").to_owned());
            }
            Some("put" | "mput" | "send" | "append" | "reput" | "mirror") => {
                let given = files.clone();
                let local: Vec<&str> = match words.first() {
                    Some(&"mput") => files,
                    _ => files.into_iter().leading(1).collect(),
                };
                if let [_, to, ..] = given.as_slice() {
                    let to = format!("{}:{to}", address.text.display().trim_end_matches(':'));
                    let there = of_this_machine(&Argument { text: Text::known(to), span });
                    if !is_remote(&there) {
                        walk.write(&there, WriteMode::Replace, Text::unknown("sftp"));
                    }
                }
                for file in local {
                    let content = walk.read(&Argument { text: Text::known(file), span });
                    add(&mut sends, &content);
                }
                if words.first() != Some(&"mput") && words.last().is_some_and(|to| is_system(to)) {
                    walk.note("network.copy.remote-system", span);
                }
            }
            Some("get" | "mget" | "recv" | "reget" | "pget") => {
                let target = files.get(1).or(files.first()).copied().unwrap_or("");
                let base = target.rsplit('/').next().unwrap_or(target);
                fetched.push(if files.len() > 1 { target } else { base }.to_owned());
            }
            _ => there.extend(as_shell(line)),
        }
    }
    if there.iter().any(|command| !command.starts_with("cd ")) {
        // What a session changes on the other side is what a shell there would change.
        let host = server.text.display();
        let host = host.split_once("://").map_or(host.as_str(), |(_, host)| host);
        let words = ["ssh", host, &there.join(" && ")];
        walk.run(&words.map(|word| Argument { text: Text::known(word), span }), None);
    }
    if commands.iter().any(|command| command.text.has_unknown()) && sends.is_none() {
        sends = gathered_unknown(&commands);
    }
    let received = walk.connect(&server, sends, false);
    for file in fetched.into_iter().filter(|file| !file.is_empty()) {
        let target = Argument { text: Text::known(file), span };
        walk.write(&target, WriteMode::Replace, received.clone());
    }
    if invocation.program == "sftp"
        && remote_path(address).is_some_and(|path| !path.is_empty() && !path.ends_with('/'))
        && commands.is_empty()
    {
        if let Some(to) = operands.get(1)
            && names_many(address)
        {
            laid_over::fills(walk, to);
        }
        let file = match operands.get(1) {
            Some(target) => target.clone(),
            None => named_after(
                &part(address, format!("/{}", remote_path(address).unwrap_or_default())),
                None,
            ),
        };
        walk.write(&file, WriteMode::Replace, received.clone());
    }
    received
}

/// The option of rsync that takes away what a `mirror` of lftp takes away, lftp(1): at the target, or at the source.
fn mirrored(words: &[&str]) -> Option<&'static str> {
    let has = |letter, long| words.iter().any(|word| is_flag(word, letter, long));
    if words.contains(&"--dry-run") {
        return None;
    }
    if has('e', "--delete") || words.contains(&"--delete-first") {
        return Some("--delete");
    }
    words
        .iter()
        .any(|word| word.starts_with("--Remove-source") || word.starts_with("--Move"))
        .then_some("--remove-source-files")
}

/// Whether a word is a flag by its long name or has its letter among others: `-Re`.
fn is_flag(word: &str, letter: char, long: &str) -> bool {
    let short = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    word == long || short.is_some_and(|letters| letters.contains(letter))
}

/// A line of a session that changes something on the other side, as a shell there is told it.
fn as_shell(line: &str) -> Option<String> {
    let line = line.trim().trim_start_matches(['-', '@']);
    let (verb, rest) = line.split_once(char::is_whitespace)?;
    Some(match verb.to_ascii_lowercase().as_str() {
        "cd" => format!("cd {rest}"),
        "rm" | "delete" | "mdelete" | "mrm" | "del" => format!("rm {rest}"),
        "deltree" => format!("rm -r {rest}"),
        "glob" if rest.trim_start().starts_with("rm ") => rest.to_owned(),
        "rmdir" | "chmod" | "chown" | "chgrp" => format!("{verb} {rest}"),
        "rename" | "ren" | "mv" => format!("mv {rest}"),
        _ => return None,
    })
}

/// Sessions written by hand have a few lines.
const MAX_COMMANDS: usize = 64;

fn gathered_unknown(commands: &[Argument]) -> Option<Text> {
    let mut whole = Text::unknown("a session's commands");
    for command in commands {
        whole.inherit(&command.text);
    }
    Some(whole)
}

/// `\\server\share` as an address.
fn server(address: &Argument) -> Argument {
    let shown = address.text.known_prefix();
    match shown.strip_prefix("\\\\").or_else(|| shown.strip_prefix("//")) {
        Some(rest) if address.text.as_known().is_some() => {
            part(address, format!("smb://{}", rest.replace('\\', "/")))
        }
        _ => address.clone(),
    }
}
