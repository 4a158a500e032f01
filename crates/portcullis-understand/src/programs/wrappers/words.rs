//! Where the command begins among the words of a wrapper. Owns how its own options are passed over, and words that are one command together.

use super::super::Options;
use crate::{
    effect::Argument,
    programs::{host::Host, invocation::Invocation},
    text::Text,
};

/// The arguments from the first operand on, past `skip` operands: options of the inner command are not ours.
pub(in super::super) fn command_after(invocation: &Invocation, skip: usize) -> &[Argument] {
    let arguments = invocation.arguments.as_slice();
    let mut left = skip;
    let mut index = 0;
    while let Some(argument) = arguments.get(index) {
        let prefix = argument.text.known_prefix();
        if argument.text.as_known() == Some("--") {
            index += 1;
            if left == 0 {
                break;
            }
            continue;
        }
        if prefix.starts_with('-') && prefix.len() > 1 {
            index += 1 + usize::from(takes_next(prefix, invocation.values));
            continue;
        }
        if left == 0 {
            break;
        }
        left -= 1;
        index += 1;
    }
    arguments.get(index..).unwrap_or(&[])
}

/// The wrapper's own options: what comes before the command that [`command_after`] gives. `sudo find -exec` is no `sudo -e`.
pub(in super::super) fn own_options(invocation: &Invocation, skip: usize) -> Options<'_> {
    let command = command_after(invocation, skip).len();
    let own = invocation.arguments.len().saturating_sub(command);
    Options::new(invocation.arguments.get(..own).unwrap_or(&[]), invocation.values)
}

/// Whether the value of an option is the next argument.
fn takes_next(option: &str, values: &[&str]) -> bool {
    if option.contains('=') {
        return false;
    }
    if option.starts_with("--") {
        return values.contains(&option);
    }
    // In a bundle the last letter may take the next argument; an earlier one takes the rest of the bundle.
    let mut letters = option.char_indices().skip(1).peekable();
    while let Some((_, letter)) = letters.next() {
        let mut name = [b'-', 0, 0, 0, 0];
        let length = letter.encode_utf8(name.get_mut(1..).unwrap_or(&mut [])).len();
        let known =
            name.get(..=length).and_then(|name| std::str::from_utf8(name).ok()).unwrap_or("");
        if values.contains(&known) {
            return letters.peek().is_none();
        }
    }
    false
}

pub(super) fn run_or_read(
    walk: &mut dyn Host,
    command: &[Argument],
    invocation: &Invocation,
) -> Text {
    match command {
        [only] if only.text.as_known().is_none_or(|known| known.contains(char::is_whitespace)) => {
            walk.shell(&only.text, only.span, &[], invocation.input.clone())
        }
        _ => walk.run(command, invocation.input.clone()),
    }
}

pub(in super::super) fn read_joined(
    walk: &mut dyn Host,
    command: &[Argument],
    invocation: &Invocation,
) -> Text {
    let (Some(first), Some(last)) = (command.first(), command.last()) else {
        return Text::default();
    };
    let mut code = Text::default();
    for (index, word) in command.iter().enumerate() {
        if index > 0 {
            code.push_known(" ");
        }
        code.append(&word.text);
    }
    walk.shell(&code, first.span.to(last.span), &[], invocation.input.clone())
}
