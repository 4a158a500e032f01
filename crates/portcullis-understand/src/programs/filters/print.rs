//! Programs that print their arguments: echo, printf, seq, basename and their kin.

use super::Call;
use crate::{bound::Bounded, text::Text};

mod counted;
mod format;
mod paths;
mod printed;

pub(super) use counted::{jot, seq};
pub(super) use format::printf;
pub(super) use paths::{basename, dirname};
use printed::{Escapes, Printed};

/// bash's `echo`.
pub(super) fn echo(call: &mut Call<'_>) -> Option<Text> {
    call.inherit_arguments();
    let (mut escapes, mut newline) = (false, true);
    let mut rest = call.arguments;
    while let Some((first, others)) = rest.split_first() {
        let Some(letters) = first.text.as_known().and_then(|text| text.strip_prefix('-')) else {
            break;
        };
        if letters.is_empty() || !letters.chars().all(|letter| "neE".contains(letter)) {
            break;
        }
        for letter in letters.chars() {
            match letter {
                'n' => newline = false,
                'e' => escapes = true,
                _ => escapes = false,
            }
        }
        rest = others;
    }
    let mut printed = Printed::default();
    for (index, argument) in rest.iter().enumerate() {
        if index > 0 {
            printed.bytes(b" ")?;
        }
        if escapes {
            if printed.decoded_text(&argument.text, Escapes::Echo)? {
                return printed.finish(call);
            }
        } else {
            printed.text(&argument.text)?;
        }
    }
    if newline {
        printed.bytes(b"\n")?;
    }
    printed.finish(call)
}

/// `which NAME`: where a program of that name usually lies.
pub(super) fn which(call: &mut Call<'_>) -> Option<Text> {
    let [name] = call.arguments else { return None };
    let known = name.text.as_known()?;
    let plain = !known.is_empty()
        && !known.starts_with('-')
        && known.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte));
    plain.then(|| Text::known(format!("/usr/bin/{known}\n")))
}

/// `expr` with one operator or one function.
pub(super) fn expr(call: &mut Call<'_>) -> Option<Text> {
    call.inherit_arguments();
    let words: Vec<&str> =
        call.arguments.iter().map(|argument| argument.text.as_known()).collect::<Option<_>>()?;
    let result = match words.as_slice() {
        ["length", text] => text.chars().count().to_string(),
        ["substr", text, from, length] => {
            let (from, length): (usize, usize) = (from.parse().ok()?, length.parse().ok()?);
            if from == 0 {
                String::new()
            } else {
                text.chars().skip(from - 1).leading(length).collect()
            }
        }
        ["index", text, letters] => {
            let place = text.chars().position(|letter| letters.contains(letter));
            place.map_or(0, |place| place + 1).to_string()
        }
        [left, operator, right] => {
            let (left, right): (i64, i64) = (left.parse().ok()?, right.parse().ok()?);
            match *operator {
                "+" => left.checked_add(right),
                "-" => left.checked_sub(right),
                "*" => left.checked_mul(right),
                "/" => left.checked_div(right),
                "%" => left.checked_rem(right),
                _ => None,
            }?
            .to_string()
        }
        _ => return None,
    };
    Some(Text::known(format!("{result}\n")))
}
