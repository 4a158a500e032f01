//! `xargs`, which makes many commands of its input. Owns how items are cut and put into the command.

use super::words::{command_after, own_options};
use crate::{
    bound::Bounded,
    effect::Argument,
    paths::absolute,
    programs::{host::Host, invocation::Invocation},
    text::{Piece, Text},
};

/// How many commands one `xargs` or `parallel` is followed through.
pub(super) const COMMANDS: usize = 16;

/// With so many requests at once a server is kept from everything else.
const MANY_REQUESTS: u32 = 100;

pub(super) fn arguments_from_input(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = own_options(invocation, 0);
    let command = command_after(invocation, 0);
    let echo = [Argument { text: Text::known("echo"), span: invocation.name.span }];
    let command = if command.is_empty() { &echo } else { command };
    let at_once = options
        .value(&["-P", "--max-procs"])
        .and_then(|count| count.text.as_known().and_then(|count| count.parse::<u32>().ok()));
    let asks = command.first().is_some_and(|first| {
        matches!(
            first.text.as_known(),
            Some("ab" | "curl" | "curlie" | "hey" | "http" | "wget" | "wrk" | "xh")
        )
    });
    if asks && at_once.is_some_and(|count| count == 0 || count >= MANY_REQUESTS) {
        walk.note("system.load.flood", invocation.span);
    }
    let input = match options.value(&["-a", "--arg-file"]) {
        Some(file) => walk.read(&file),
        None => invocation.input.clone().unwrap_or_else(|| Text::unknown("input")),
    };
    let input = walk.with_names(input);
    let replace = options
        .value(&["-I"])
        .or_else(|| options.given().find_map(|given| given.attached("--replace", &[])))
        .map(|argument| argument.text.display())
        .or_else(|| options.has(&["-i", "--replace"]).then(|| "{}".to_owned()));
    let Some(known) = input.as_known() else {
        let each = in_directory(walk, &input);
        return run_with(
            walk,
            command,
            replace.as_deref(),
            &[Argument { text: each, span: invocation.span }],
        );
    };
    let items: Vec<String> = if options.has(&["-0", "--null"]) {
        split_by(known, '\0')
    } else if let Some(delimiter) = options.value(&["-d", "--delimiter"]) {
        let delimiter = match delimiter.text.as_known() {
            Some("\\n") => '\n',
            Some("\\0") => '\0',
            Some("\\t") => '\t',
            Some(other) => other.chars().next().unwrap_or('\n'),
            None => '\n',
        };
        split_by(known, delimiter)
    } else if replace.is_some() || options.has(&["-L"]) {
        split_by(known, '\n')
    } else {
        quoted_words(known)
    };
    let lines = options.value(&["-L", "--max-lines"]);
    let size = options
        .value(&["-n", "--max-args"])
        .or_else(|| lines.clone())
        .and_then(|count| count.text.as_known().and_then(|count| count.parse::<usize>().ok()));
    let size = if replace.is_some() { Some(1) } else { size };
    let as_argument = |item: String| Argument {
        text: input.derive(vec![Piece::Known(item)]),
        span: invocation.span,
    };
    let Some(size) = size.filter(|size| *size > 0) else {
        let arguments: Vec<Argument> = items.into_iter().map(as_argument).collect();
        return run_with(walk, command, None, &arguments);
    };
    let batches: Vec<Vec<Argument>> = items
        .chunks(size)
        .map(|batch| {
            let words = batch.iter().flat_map(|item| {
                // A line is as many arguments as it has words.
                if lines.is_some() { quoted_words(item) } else { vec![item.clone()] }
            });
            words.map(as_argument).collect()
        })
        .collect();
    let mut printed = Text::default();
    // Without any item the command is run once all the same.
    if batches.is_empty() && replace.is_none() && !options.has(&["-r", "--no-run-if-empty"]) {
        return run_with(walk, command, None, &[]);
    }
    for batch in batches.iter().leading(COMMANDS) {
        let more = run_with(walk, command, replace.as_deref(), batch);
        printed.append(&more);
    }
    if batches.len() > COMMANDS {
        let rest = Argument {
            text: input.derive([Piece::Unknown("input".into())]),
            span: invocation.span,
        };
        run_with(walk, command, replace.as_deref(), &[rest]);
    }
    printed
}

/// Names that came out of a program are seen from the directory that it looked into.
fn in_directory(walk: &dyn Host, input: &Text) -> Text {
    if input.pieces.iter().all(|piece| matches!(piece, Piece::Unknown(_))) {
        return input.clone();
    }
    let mut pieces: Vec<Piece> = Vec::new();
    for piece in &input.pieces {
        match piece {
            Piece::Known(known) => {
                pieces.push(Piece::Known(known.trim_end_matches(['\n', '\0']).to_owned()))
            }
            other => pieces.push(other.clone()),
        }
    }
    let text = input.derive(pieces);
    match absolute(&text, walk.directory(), walk.facts()) {
        Some(_) => text,
        None => input.clone(),
    }
}

pub(super) fn run_with(
    walk: &mut dyn Host,
    command: &[Argument],
    replace: Option<&str>,
    items: &[Argument],
) -> Text {
    let mut words: Vec<Argument> = Vec::with_capacity(command.len() + items.len());
    match (replace, items.first()) {
        (Some(mark), Some(item)) if !mark.is_empty() => {
            words.extend(command.iter().map(|word| Argument {
                text: replaced(&word.text, mark, &item.text),
                span: word.span,
            }));
        }
        _ => {
            words.extend_from_slice(command);
            words.extend_from_slice(items);
        }
    }
    walk.run(&words, Some(Text::default()))
}

/// `text` with `mark` replaced by `item`.
pub(in crate::programs) fn replaced(text: &Text, mark: &str, item: &Text) -> Text {
    let mut result = text.derive([]);
    for piece in &text.pieces {
        match piece {
            Piece::Known(known) => {
                for (index, part) in known.split(mark).enumerate() {
                    if index > 0 {
                        result.append(item);
                    }
                    result.push_known(part);
                }
            }
            other => result.push(other.clone()),
        }
    }
    result
}

pub(super) fn split_by(text: &str, delimiter: char) -> Vec<String> {
    text.split(delimiter).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

/// Words as `xargs` splits them: blanks apart, quotes and backslashes obeyed.
fn quoted_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut open = false;
    let mut quote: Option<char> = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(mark), _) if character == mark => quote = None,
            (Some(_), _) => word.push(character),
            (None, '\'' | '"') => {
                quote = Some(character);
                open = true;
            }
            (None, '\\') => {
                word.extend(characters.next());
                open = true;
            }
            (None, _) if character.is_whitespace() => {
                if open || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                open = false;
            }
            (None, _) => word.push(character),
        }
    }
    if open || !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_xargs_does() {
        for (text, expected) in [
            ("a b\nc", vec!["a", "b", "c"]),
            ("'a b' \"c\"", vec!["a b", "c"]),
            ("a\\ b", vec!["a b"]),
            ("''", vec![""]),
            ("", vec![]),
        ] {
            assert_eq!(quoted_words(text), expected, "{text}");
        }
    }
}
