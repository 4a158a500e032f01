//! Stores of objects, relays and backups. Owns which of their words is the verb, and what of this machine goes where.

use super::{
    super::{gathered, part, piped},
    copy, is_remote,
};
use crate::{
    bound::Bounded,
    effect::{Argument, WriteMode},
    programs::{host::Host, invocation::Invocation},
    text::Text,
};

pub(in crate::programs::network) const AWS: &[&str] = &[
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
pub(in crate::programs::network) fn aws(walk: &mut dyn Host, invocation: &Invocation) -> Text {
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

pub(in crate::programs::network) const GCLOUD: &[&str] = &[
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
    super::super::serve::offer(walk, invocation, Some(directory.clone()), Some(address))
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
pub(in crate::programs::network) fn handed_over(
    walk: &mut dyn Host,
    invocation: &Invocation,
) -> Text {
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
pub(in crate::programs::network) fn restic(walk: &mut dyn Host, invocation: &Invocation) -> Text {
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
        .and_then(|(kind, _)| crate::programs::operands::after(&repository, &format!("{kind}:")))
        .unwrap_or_else(|| repository.clone());
    walk.connect(&address, sends, false)
}
