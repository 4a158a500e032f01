//! Programs that fetch the same file over several connections. Owns their options.

use super::super::{inside, named_after, store};
use crate::{
    programs::{host::Host, invocation::Invocation},
    text::Text,
};

pub(in super::super) const ARIA: &[&str] = &[
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
pub(in super::super) fn aria(walk: &mut dyn Host, invocation: &Invocation) -> Text {
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
pub(in super::super) fn axel(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let mut operands = options.operands();
    let Some(address) = operands.next() else { return Text::default() };
    let received = walk.connect(address, None, false);
    let output = options.value(&["-o", "--output"]).or_else(|| operands.next().cloned());
    let file = output.unwrap_or_else(|| named_after(address, None));
    store(walk, &file, received).unwrap_or_default()
}
