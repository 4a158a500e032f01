//! What httpie asks for. Owns its options and how its words are told as method, address and fields.

use super::{
    super::{super::operands::after, add, named_after, piped, store},
    curl::{authenticates, request},
};
use crate::{
    effect::Argument,
    programs::{host::Host, invocation::Invocation},
    text::Text,
};

pub(in super::super) const HTTPIE: &[&str] = &[
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
pub(in super::super) fn httpie(walk: &mut dyn Host, invocation: &Invocation) -> Text {
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
        } else if !header
            || super::super::is_private(&item.text) && !authenticates("-H", &item.text)
        {
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
