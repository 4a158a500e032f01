//! Programs that copy files to and from other machines. Owns what scp and rsync take and bring, and which operands are on another machine;
//! stores of objects and backups are in `stores`, what is typed into sftp and its kin in `session`.

mod session;
mod stores;

use crate::{
    bound::Bounded,
    effect::{Argument, PermissionChange, WriteMode},
    place,
    programs::{host::Host, invocation::Invocation, laid_over},
    text::{Piece, Taint, Text},
};

pub(super) use session::session;
pub(in crate::programs) use stores::cloud;
pub(super) use stores::{AWS, GCLOUD, aws, handed_over, restic};

use super::{gathered, inside, named_after, only_asks, part};

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
    if options.has(&["-R", "--relative"])
        && let Some((to, sources)) = operands.split_last()
        && !is_remote(to)
    {
        // rsync(1): the whole of a name is kept behind the destination, or what stands behind `/./`.
        for from in sources.iter().filter(|from| !is_remote(from)) {
            let shown = from.text.known_prefix();
            let kept = shown.split_once("/./").map_or(shown, |(_, kept)| kept);
            let kept =
                from.text.beginning_with(kept.trim_start_matches("./").trim_start_matches('/'));
            let content = walk.read(from);
            let target = inside(Some(to), &Argument { text: kept, span: from.span });
            walk.write(&target, WriteMode::Replace, content);
        }
    }
    for list in
        options.values_of(&["--files-from"]).filter(|list| list.text.as_known() != Some("-"))
    {
        // A name that is not there is shown.
        walk.read(&list);
    }
    for batch in options.values_of(&["--only-write-batch", "--write-batch"]) {
        // rsync(1): beside it a script that applies it is written.
        let mut script = batch.clone();
        script.text.push_known(".sh");
        for file in [batch, script] {
            walk.write(&file, WriteMode::Replace, Text::unknown("a batch"));
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

/// `host:path`, `user@host:`, `scheme://…`: a colon before any slash.
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
