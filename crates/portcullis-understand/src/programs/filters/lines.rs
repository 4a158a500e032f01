//! Programs that pass lines through, whole or in parts: cat, head, tail, cut, rev, fold, paste, nl, wc and their kin.

use crate::{
    bound::Bounded,
    effect::Argument,
    text::{Piece, Text},
};

use super::{Call, Output, lines, split_end};

/// Reads everything and says nothing about the output.
pub(super) fn unknown(call: &mut Call<'_>) -> Option<Text> {
    let given = call.given("", &[]);
    call.stream(&given.operands);
    None
}

/// As [`unknown`], where the first operand is a program and not a file.
pub(super) fn searched(call: &mut Call<'_>) -> Option<Text> {
    let files: Vec<_> = if call.name == "jq" {
        searched_by_jq(call.arguments)
    } else {
        call.given("", &[]).operands.iter().skip(1).copied().collect()
    };
    call.stream(&files);
    None
}

/// The files that `jq` reads: not the filter, and not the text that it is given by name.
fn searched_by_jq(arguments: &[Argument]) -> Vec<&Argument> {
    let mut files = Vec::new();
    let (mut has_filter, mut has_texts) = (false, false);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.text.as_known() {
            Some("--arg" | "--argjson") => {
                words.next();
                words.next();
            }
            Some("--slurpfile" | "--rawfile") => {
                words.next();
                files.extend(words.next());
            }
            Some("-f" | "--from-file") => {
                has_filter = true;
                files.extend(words.next());
            }
            Some("--indent" | "-L") => {
                words.next();
            }
            Some("--args" | "--jsonargs") => has_texts = true,
            Some(option) if option.starts_with('-') && option.len() > 1 => {}
            _ if has_filter && has_texts => {}
            _ if has_filter => files.push(word),
            _ => has_filter = true,
        }
    }
    files
}

/// `cat`.
pub(super) fn cat(call: &mut Call<'_>) -> Option<Text> {
    let given = call.given(
        "AbeEnstTuv",
        &[
            ("number", 'n'),
            ("number-nonblank", 'b'),
            ("squeeze-blank", 's'),
            ("show-ends", 'E'),
            ("show-tabs", 'T'),
            ("show-all", 'A'),
            ("show-nonprinting", 'v'),
        ],
    );
    let input = call.stream(&given.operands);
    if given.strange {
        return None;
    }
    if given.options.iter().all(|(option, _)| *option == 'u') {
        return Some(input);
    }
    let known = input.as_known()?;
    let shows = |letters: &str| letters.chars().any(|letter| given.has(letter));
    if shows("vAet") && !known.bytes().all(|byte| matches!(byte, b'\t' | b'\n' | 0x20..=0x7e)) {
        return None;
    }
    let mut output = Output::default();
    let (mut count, mut blank) = (0, false);
    for line in lines(known) {
        let (body, ended) = split_end(line);
        if given.has('s') && blank && body.is_empty() {
            continue;
        }
        blank = body.is_empty();
        if given.has('b') && !body.is_empty() || given.has('n') && !given.has('b') {
            count += 1;
            output.push(format!("{count:>6}\t"))?;
        }
        if shows("TAt") {
            output.push(body.replace('\t', "^I"))?;
        } else {
            output.push(body)?;
        }
        if ended {
            output.push(if shows("EAe") { "$\n" } else { "\n" })?;
        }
    }
    output.text()
}

/// `tac`.
pub(super) fn tac(call: &mut Call<'_>) -> Option<Text> {
    let given = call.given("", &[]);
    let mut whole = Output::default();
    let operands: Vec<_> = given.operands.iter().map(|operand| Some(*operand)).collect();
    let sources = if operands.is_empty() { vec![None] } else { operands };
    for operand in sources {
        let text = match operand {
            Some(operand) => call.file(operand),
            None => call.standard_input(),
        };
        let known = text.as_known()?;
        for line in lines(known).collect::<Vec<_>>().into_iter().rev() {
            whole.push(line)?;
        }
    }
    if given.strange { None } else { whole.text() }
}

/// `rev`.
pub(super) fn reverse(call: &mut Call<'_>) -> Option<Text> {
    let given = call.given("", &[]);
    let input = call.stream(&given.operands);
    let mut output = Output::default();
    for line in lines(input.as_known()?) {
        let (body, ended) = split_end(line);
        output.push(body.chars().rev().collect::<String>())?;
        if ended {
            output.byte(b'\n')?;
        }
    }
    output.text()
}

const COUNTS: &[(&str, char)] = &[
    ("lines", 'n'),
    ("bytes", 'c'),
    ("quiet", 'q'),
    ("silent", 'q'),
    ("verbose", 'v'),
    ("follow", 'f'),
];

/// `head`.
pub(super) fn head(call: &mut Call<'_>) -> Option<Text> {
    let given = call.given("n:c:qv#", COUNTS);
    let input = call.stream(&given.operands);
    if given.strange || given.has('v') || given.operands.len() > 1 && !given.has('q') {
        return None;
    }
    let known = input.as_known();
    let (unit, count) = match given.options.iter().rev().find(|(letter, _)| "nc#".contains(*letter))
    {
        Some((unit, value)) => (*unit, value.as_ref()?.as_known()?),
        None => ('n', "10"),
    };
    let (count, from_end) = match count.strip_prefix('-') {
        Some(count) if unit != '#' => (quantity(count)?, true),
        _ => (quantity(count)?, false),
    };
    if given.operands.len() > 1 {
        return None;
    }
    // A first stretch that is long enough needs nothing after it.
    let text = match known {
        Some(text) => text,
        None if !from_end && unit == 'c' && input.known_prefix().len() >= count => {
            input.known_prefix()
        }
        None if !from_end
            && unit != 'c'
            && input.known_prefix().bytes().filter(|byte| *byte == b'\n').count() >= count =>
        {
            input.known_prefix()
        }
        None => return None,
    };
    let total = if unit == 'c' { text.len() } else { lines(text).count() };
    let kept = if from_end { total.saturating_sub(count) } else { count.min(total) };
    if unit == 'c' {
        return text.get(..kept).map(Text::known);
    }
    Some(Text::known(lines(text).leading(kept).collect::<String>()))
}

/// `tail`.
pub(super) fn tail(call: &mut Call<'_>) -> Option<Text> {
    // `+3` is an operand to getopt and a count to old scripts.
    let given = call.given("n:c:qvfFs:#", COUNTS);
    let input = call.stream(&given.operands);
    if given.strange || given.has('v') || given.operands.len() > 1 {
        return None;
    }
    let text = input.as_known()?;
    let (unit, count) = match given.options.iter().rev().find(|(letter, _)| "nc#".contains(*letter))
    {
        Some((unit, value)) => (*unit, value.as_ref()?.as_known()?),
        None => ('n', "10"),
    };
    let total = if unit == 'c' { text.len() } else { lines(text).count() };
    let skipped = match count.strip_prefix('+') {
        Some(first) => quantity(first)?.saturating_sub(1),
        None => total.saturating_sub(quantity(count.strip_prefix('-').unwrap_or(count))?),
    };
    if unit == 'c' {
        return text.get(skipped.min(total)..).map(Text::known);
    }
    Some(Text::known(lines(text).skip(skipped).collect::<String>()))
}

/// A count with GNU's suffixes.
fn quantity(text: &str) -> Option<usize> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let factor = match text.get(digits.len()..)? {
        "" => 1,
        "b" => 512,
        "kB" => 1000,
        "K" | "k" | "KiB" => 1024,
        "MB" => 1_000_000,
        "M" | "MiB" => 1 << 20,
        _ => return None,
    };
    digits.parse::<usize>().ok()?.checked_mul(factor)
}

/// `cut`.
pub(super) fn cut(call: &mut Call<'_>) -> Option<Text> {
    let given = call.given(
        "b:c:f:d:sn",
        &[
            ("bytes", 'b'),
            ("characters", 'c'),
            ("fields", 'f'),
            ("delimiter", 'd'),
            ("only-delimited", 's'),
            ("complement", '!'),
            ("output-delimiter", 'o'),
        ],
    );
    let input = call.stream(&given.operands);
    if given.strange {
        return None;
    }
    let known = input.as_known()?;
    let joiner = given.value('o');
    let mut output = Output::default();
    if let Some(list) = given.value('f') {
        let ranges = ranges(list.as_known()?)?;
        let delimiter = given.known_or('d', "\t")?;
        let joiner = joiner.map_or(Some(delimiter), Text::as_known)?;
        if delimiter.len() != 1 {
            return None;
        }
        for line in lines(known) {
            let (body, _) = split_end(line);
            if !body.contains(delimiter) {
                if !given.has('s') {
                    output.push(body)?;
                    output.byte(b'\n')?;
                }
                continue;
            }
            let mut first = true;
            for (at, field) in body.split(delimiter).enumerate() {
                if selects(&ranges, at + 1) != given.has('!') {
                    if !first {
                        output.push(joiner)?;
                    }
                    first = false;
                    output.push(field)?;
                }
            }
            output.byte(b'\n')?;
        }
        return output.text();
    }
    if joiner.is_some() {
        return None;
    }
    let ranges = ranges(given.value('c').or_else(|| given.value('b'))?.as_known()?)?;
    for line in lines(known) {
        let (body, _) = split_end(line);
        for (at, byte) in body.bytes().enumerate() {
            if selects(&ranges, at + 1) != given.has('!') {
                output.byte(byte)?;
            }
        }
        output.byte(b'\n')?;
    }
    output.text()
}

/// `1,3-5,7-`: each range with both ends in it.
fn ranges(list: &str) -> Option<Vec<(usize, usize)>> {
    list.split([',', ' '])
        .map(|range| {
            let bound = |text: &str, open: usize| {
                if text.is_empty() { Some(open) } else { text.parse::<usize>().ok() }
            };
            let (from, to) = match range.split_once('-') {
                Some(("", "")) => return None,
                Some((from, to)) => (bound(from, 1)?, bound(to, usize::MAX)?),
                None => (bound(range, 0)?, bound(range, 0)?),
            };
            (from > 0 && from <= to).then_some((from, to))
        })
        .collect::<Option<Vec<_>>>()
        // More ranges than that are not written by hand, and each is looked at for each letter.
        .filter(|ranges| ranges.len() <= 64)
}

fn selects(ranges: &[(usize, usize)], at: usize) -> bool {
    ranges.iter().any(|(from, to)| (*from..=*to).contains(&at))
}

/// `paste` of one stream: `-s` joins its lines.
pub(super) fn paste(call: &mut Call<'_>) -> Option<Text> {
    let given = call.given("sd:z", &[("serial", 's'), ("delimiters", 'd')]);
    let input = call.stream(&given.operands);
    if given.strange || given.has('z') || given.operands.len() > 1 {
        return None;
    }
    let known = input.as_known()?;
    if !given.has('s') {
        let mut output = Output::default();
        output.push(known)?;
        if !known.is_empty() && !known.ends_with('\n') {
            output.byte(b'\n')?;
        }
        return output.text();
    }
    let delimiters: Vec<Option<char>> = delimiters(given.known_or('d', "\t")?);
    let mut output = Output::default();
    for (at, line) in lines(known).enumerate() {
        if let (Some(before), false) = (at.checked_sub(1), delimiters.is_empty())
            && let Some(Some(delimiter)) = delimiters.get(before % delimiters.len())
        {
            output.push(delimiter.to_string())?;
        }
        output.push(split_end(line).0)?;
    }
    output.byte(b'\n')?;
    output.text()
}

/// The delimiters of `paste -d`; `\0` stands for none.
fn delimiters(list: &str) -> Vec<Option<char>> {
    let mut result = Vec::new();
    let mut letters = list.chars();
    while let Some(letter) = letters.next() {
        result.push(match letter {
            '\\' => match letters.next() {
                Some('n') => Some('\n'),
                Some('t') => Some('\t'),
                Some('0') => None,
                other => other.or(Some('\\')),
            },
            other => Some(other),
        });
    }
    result
}

/// `fold` of plain text.
pub(super) fn fold(call: &mut Call<'_>) -> Option<Text> {
    let given = call.given("bsw:#", &[("width", 'w'), ("spaces", 's'), ("bytes", 'b')]);
    let input = call.stream(&given.operands);
    if given.strange || given.has('s') {
        return None;
    }
    let known = input.as_known()?;
    let width = given.value('w').or_else(|| given.value('#'));
    let width: usize = width.map_or(Some("80"), Text::as_known)?.parse().ok()?;
    if width == 0 || !known.bytes().all(|byte| matches!(byte, b'\n' | 0x20..=0x7e)) {
        return None;
    }
    let mut output = Output::default();
    for line in lines(known) {
        let (body, ended) = split_end(line);
        for (at, chunk) in body.as_bytes().chunks(width).enumerate() {
            if at > 0 {
                output.byte(b'\n')?;
            }
            output.push(chunk)?;
        }
        if ended {
            output.byte(b'\n')?;
        }
    }
    output.text()
}

/// `nl` of a text without its section marks.
pub(super) fn number(call: &mut Call<'_>) -> Option<Text> {
    let given = call.given("b:", &[("body-numbering", 'b')]);
    let input = call.stream(&given.operands);
    if given.strange {
        return None;
    }
    let known = input.as_known()?;
    let all = match given.known_or('b', "t")? {
        "a" => true,
        "t" => false,
        _ => return None,
    };
    if known.contains("\\:") {
        return None;
    }
    let mut output = Output::default();
    let mut count = 0;
    for line in lines(known) {
        let (body, _) = split_end(line);
        if all || !body.is_empty() {
            count += 1;
            output.push(format!("{count:>6}\t{body}\n"))?;
        } else {
            output.push("       \n")?;
        }
    }
    output.text()
}

/// `wc` with one count of the standard input.
pub(super) fn count(call: &mut Call<'_>) -> Option<Text> {
    let given = call.given(
        "clmwL",
        &[("bytes", 'c'), ("lines", 'l'), ("chars", 'm'), ("words", 'w'), ("max-line-length", 'L')],
    );
    let input = call.stream(&given.operands);
    if given.strange || !given.operands.is_empty() {
        return None;
    }
    let known = input.as_known()?;
    let [(unit, _)] = given.options.as_slice() else { return None };
    let count = match unit {
        'c' => known.len(),
        'l' => known.bytes().filter(|byte| *byte == b'\n').count(),
        'w' if known.is_ascii() => known.split_ascii_whitespace().count(),
        'm' if known.is_ascii() => known.len(),
        _ => return None,
    };
    Some(Text::known(format!("{count}\n")))
}

/// `expand` of plain text.
pub(super) fn expand(call: &mut Call<'_>) -> Option<Text> {
    let given = call.given("t:", &[("tabs", 't')]);
    let input = call.stream(&given.operands);
    if given.strange {
        return None;
    }
    let known = input.as_known()?;
    let width: usize = given.known_or('t', "8")?.parse().ok()?;
    if width == 0 || !known.bytes().all(|byte| matches!(byte, b'\t' | b'\n' | 0x20..=0x7e)) {
        return None;
    }
    let mut output = Output::default();
    for line in lines(known) {
        let mut column = 0;
        for byte in line.bytes() {
            if byte == b'\t' {
                let next = (column / width + 1).checked_mul(width)?;
                if next - column > crate::text::KNOWN_BYTES {
                    return None;
                }
                output.push(" ".repeat(next - column))?;
                column = next;
            } else {
                output.byte(byte)?;
                column += 1;
            }
        }
    }
    output.text()
}

/// `iconv`: plain ASCII is the same in the encodings that people convert between.
pub(super) fn iconv(call: &mut Call<'_>) -> Option<Text> {
    let given = call.given("f:t:cs", &[("from-code", 'f'), ("to-code", 't')]);
    let input = call.stream(&given.operands);
    let wide = |option| {
        given.value(option).is_some_and(|code| {
            code.as_known().is_none_or(|code| {
                let code = code.to_ascii_uppercase();
                ![
                    "UTF-8",
                    "UTF8",
                    "ASCII",
                    "US-ASCII",
                    "LATIN1",
                    "ISO-8859-",
                    "CP1252",
                    "WINDOWS-125",
                ]
                .iter()
                .any(|plain| code.starts_with(plain))
            })
        })
    };
    if given.strange || wide('f') || wide('t') {
        call.decoded();
        return None;
    }
    let ascii = input.pieces.iter().all(|piece| match piece {
        Piece::Known(text) => text.is_ascii(),
        Piece::Glob(_) | Piece::Unknown(_) => true,
    });
    ascii.then_some(input)
}
