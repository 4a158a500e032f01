//! Programs that put lines in order: sort, uniq, shuf. Where the order depends on the locale, nothing is said.

use crate::text::Text;

use super::{Call, Output, lines, split_end};

/// `sort`, of lines whose order is the same in every locale.
pub(super) fn sort(call: &mut Call<'_>) -> Option<Text> {
    let given = call.given(
        "nrusbfgho:k:t:T:S:c",
        &[
            ("numeric-sort", 'n'),
            ("reverse", 'r'),
            ("unique", 'u'),
            ("stable", 's'),
            ("output", 'o'),
            ("key", 'k'),
            ("field-separator", 't'),
        ],
    );
    let input = call.stream(&given.operands);
    if given.has('o') {
        return Some(Text::default());
    }
    if given.strange || "bfghktc".chars().any(|option| given.has(option)) {
        return None;
    }
    let input = input.as_known()?;
    let mut sorted: Vec<&str> = lines(input).map(|line| split_end(line).0).collect();
    if given.has('n') {
        let number = |line: &&str| line.parse::<u64>().ok();
        if !sorted.iter().all(|line| number(line).is_some()) {
            return None;
        }
        sorted.sort_by_key(|line| (number(line), *line));
    } else {
        let ordinary = |line: &&str| {
            line.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        if sorted.len() > 1 && !sorted.iter().all(ordinary) {
            return None;
        }
        sorted.sort_unstable();
    }
    if given.has('r') {
        sorted.reverse();
    }
    if given.has('u') {
        sorted.dedup();
    }
    joined(&sorted)
}

/// `uniq`.
pub(super) fn unique(call: &mut Call<'_>) -> Option<Text> {
    let given = call
        .given("cdui", &[("count", 'c'), ("repeated", 'd'), ("unique", 'u'), ("ignore-case", 'i')]);
    // A second operand is the file that is written.
    let read = given.operands.get(..given.operands.len().min(1))?;
    let input = call.stream(read);
    if given.strange {
        return None;
    }
    let input = input.as_known()?;
    let mut groups: Vec<(&str, usize)> = Vec::new();
    for line in lines(input) {
        let (line, _) = split_end(line);
        match groups.last_mut() {
            Some((first, count))
                if *first == line || (given.has('i') && first.eq_ignore_ascii_case(line)) =>
            {
                *count += 1;
            }
            _ => groups.push((line, 1)),
        }
    }
    let mut output = Output::default();
    for (line, count) in groups {
        let shown = match (given.has('d'), given.has('u')) {
            (true, true) => false,
            (true, false) => count > 1,
            (false, true) => count == 1,
            (false, false) => true,
        };
        if !shown {
            continue;
        }
        if given.has('c') {
            output.push(format!("{count:>7} "))?;
        }
        output.push(line)?;
        output.byte(b'\n')?;
    }
    output.text()
}

/// `shuf`, of one line.
pub(super) fn shuffle(call: &mut Call<'_>) -> Option<Text> {
    let given = call.given("n:zei:", &[("head-count", 'n'), ("echo", 'e')]);
    if given.strange || !given.options.is_empty() {
        call.inherit_arguments();
        return None;
    }
    let input = call.stream(&given.operands);
    let known = input.as_known()?;
    if lines(known).count() > 1 {
        return None;
    }
    joined(&lines(known).map(|line| split_end(line).0).collect::<Vec<_>>())
}

fn joined(lines: &[&str]) -> Option<Text> {
    let mut output = Output::default();
    for line in lines {
        output.push(line)?;
        output.byte(b'\n')?;
    }
    output.text()
}
