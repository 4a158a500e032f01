//! Programs that fetch and post: curl, wget, httpie and their kin.

use super::piped;
use crate::{
    effect::{Argument, WriteMode},
    programs::{host::Host, invocation::Invocation},
    text::Text,
};

mod aria;
mod curl;
mod httpie;
mod wget;

pub(super) use aria::{ARIA, aria, axel};
pub(super) use curl::{CURL, curl};
pub(super) use httpie::{HTTPIE, httpie};
pub(super) use wget::{WGET, wget};

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
