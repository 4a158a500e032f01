//! What wget fetches and posts. Owns its options.

use super::{
    super::{add, named_after, only_asks, part, piped, store},
    curl::{authenticates, request},
};
use crate::{
    effect::{Argument, WriteMode},
    programs::{host::Host, invocation::Invocation},
    text::Text,
};

pub(in super::super) const WGET: &[&str] = &[
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
pub(in super::super) fn wget(walk: &mut dyn Host, invocation: &Invocation) -> Text {
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
        if super::super::is_private(&header.text) && !authenticates("--header", &header.text) {
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
