//! Programs that count: seq and jot. Owns how far they count.

use super::super::{Call, Output};
use crate::text::Text;

/// `seq` with whole numbers.
pub(in super::super) fn seq(call: &mut Call<'_>) -> Option<Text> {
    let mut arguments = call.arguments;
    let (mut separator, mut equal_width) = ("\n", false);
    loop {
        let (first, rest) = arguments.split_first()?;
        let text = first.text.as_known()?;
        if let Some(attached) = text.strip_prefix("-s") {
            if attached.is_empty() {
                let (value, rest) = rest.split_first()?;
                separator = value.text.as_known()?;
                arguments = rest;
            } else {
                separator = attached;
                arguments = rest;
            }
        } else if text == "-w" || text == "--equal-width" {
            equal_width = true;
            arguments = rest;
        } else {
            break;
        }
    }
    let numbers: Vec<i64> = arguments
        .iter()
        .map(|argument| argument.text.as_known().and_then(|text| text.parse().ok()))
        .collect::<Option<_>>()?;
    let (from, step, to) = match numbers.as_slice() {
        [to] => (1, 1, *to),
        [from, to] => (*from, 1, *to),
        [from, step, to] => (*from, *step, *to),
        _ => return None,
    };
    if step == 0 || (equal_width && from.min(to) < 0) {
        return None;
    }
    let width = if equal_width { from.to_string().len().max(to.to_string().len()) } else { 0 };
    let mut output = Output::default();
    let mut number = from;
    while (step > 0 && number <= to) || (step < 0 && number >= to) {
        if number != from {
            output.push(separator)?;
        }
        output.push(format!("{number:0width$}"))?;
        number = number.checked_add(step)?;
    }
    if !output.0.is_empty() {
        output.byte(b'\n')?;
    }
    output.text()
}

/// BSD `jot`: count and begin.
pub(in super::super) fn jot(call: &mut Call<'_>) -> Option<Text> {
    let numbers: Vec<i64> = call
        .arguments
        .iter()
        .map(|argument| argument.text.as_known().and_then(|text| text.parse().ok()))
        .collect::<Option<_>>()?;
    let (count, begin) = match numbers.as_slice() {
        [count] => (*count, 1),
        [count, begin] => (*count, *begin),
        _ => return None,
    };
    let mut output = Output::default();
    for number in begin..begin.checked_add(count)? {
        output.push(format!("{number}\n"))?;
    }
    output.text()
}
