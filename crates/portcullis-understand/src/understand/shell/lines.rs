//! `read` and `mapfile`: lines of the input that become variables. Owns how a line is taken from the input and cut into fields.

use portcullis_syntax::Span;

use super::{evaluated::LINE, state::Value, walk::Walk};
use crate::{
    bound::Bounded,
    effect::{Argument, Certainty, GapReason},
    programs::values_of,
    text::{Piece, Text},
};

impl Walk<'_> {
    /// `read`: one line of what is known of the input.
    pub(super) fn read_line(&mut self, arguments: &[Argument]) {
        let mut names: Vec<String> = Vec::new();
        let mut array = false;
        let mut skip = None;
        let (mut delimiter, mut most, mut from) = ('\n', None, None);
        let mut raw = false;
        for argument in arguments {
            let Some(known) = argument.text.as_known() else { continue };
            let (letter, value) = match std::mem::take(&mut skip) {
                Some(letter) => (letter, known),
                None => {
                    let Some(letters) = known.strip_prefix('-') else {
                        names.push(known.to_owned());
                        continue;
                    };
                    let takes = |letter: char| {
                        matches!(letter, 'a' | 'd' | 'i' | 'n' | 'N' | 'p' | 't' | 'u')
                    };
                    let at = letters.find(takes).unwrap_or(letters.len());
                    let (plain, rest) = letters.split_at_checked(at).unwrap_or((letters, ""));
                    raw |= plain.contains('r');
                    let Some(letter) = rest.chars().next() else { continue };
                    let attached = rest.get(1..).unwrap_or("");
                    if attached.is_empty() {
                        skip = Some(letter);
                        continue;
                    }
                    (letter, attached)
                }
            };
            match letter {
                'a' => {
                    array = true;
                    names.insert(0, value.to_owned());
                }
                'd' => delimiter = value.chars().next().unwrap_or('\0'),
                'n' | 'N' => most = value.parse::<usize>().ok(),
                'u' => from = value.parse::<u32>().ok(),
                _ => {}
            }
        }
        // Without a name the line is kept whole.
        let is_whole = names.is_empty();
        if is_whole {
            names.push("REPLY".to_owned());
        }
        let exchanged = from.filter(|number| self.exchange_input(*number));
        self.input = self.input.take().map(|input| self.with_names(input));
        self.control.succeeded = match &self.input {
            Some(input) if input.is_empty() => Some(false),
            Some(input) if input.known_prefix().contains('\n') => Some(true),
            _ => None,
        };
        let line = self.take_line(delimiter);
        if let Some(number) = exchanged {
            self.exchange_input(number);
        }
        let taken =
            |known: &str| known.chars().leading(most.unwrap_or(usize::MAX)).collect::<String>();
        let Some(known) = line.as_known().map(taken) else {
            for name in names {
                self.taken(&name, &line);
                self.state.assign(&name, vec![Value::Scalar(line.clone())]);
            }
            return;
        };
        let separators = match self.state.variable("IFS") {
            _ if is_whole => String::new(),
            Some([Value::Scalar(text)]) => text.as_known().unwrap_or(" \t\n").to_owned(),
            _ => " \t\n".to_owned(),
        };
        let pieces = |text: &str| {
            let mut value = line.derive([]);
            value.push_known(text);
            value
        };
        let most = if array { usize::MAX } else { names.len() };
        let mut fields = fields_of(&known, &separators, most, raw).into_iter();
        if array {
            let elements = fields.map(|field| (None, pieces(&field))).collect();
            if let Some(name) = names.first() {
                self.state.assign(name, vec![Value::Array(elements)]);
            }
            return;
        }
        for name in &names {
            let field = pieces(&fields.next().unwrap_or_default());
            self.taken(name, &field);
            self.state.assign(name, vec![Value::Scalar(field)]);
        }
    }

    /// A variable is filled from an input: some are run or obeyed, whoever gives them a value.
    fn taken(&mut self, name: &str, value: &Text) {
        // What is read line by line has names of its own, in small letters.
        if name.bytes().all(|byte| !byte.is_ascii_lowercase()) {
            self.environment(name, value, Span::default());
        }
    }

    pub(super) fn read_lines(&mut self, arguments: &[Argument]) {
        self.input = self.input.take().map(|input| self.with_names(input));
        let callback = values_of(arguments, "-C").into_iter().next();
        let delimiter = values_of(arguments, "-d").into_iter().next();
        let delimiter = delimiter
            .as_ref()
            .and_then(|value| value.text.as_known())
            .map_or('\n', |known| known.chars().next().unwrap_or('\0'));
        let number = |option: &str| {
            let value = values_of(arguments, option).into_iter().next()?;
            value.text.as_known()?.parse::<usize>().ok()
        };
        let (skipped, most) = (number("-s").unwrap_or(0), number("-n").filter(|most| *most > 0));
        let cuts = arguments.iter().any(|argument| {
            let known = argument.text.as_known().and_then(|known| known.strip_prefix('-'));
            known.is_some_and(|letters| letters.contains('t'))
        });
        let name = arguments
            .iter()
            .rev()
            .find_map(|argument| argument.text.as_known().filter(|known| !known.starts_with('-')))
            .unwrap_or("MAPFILE")
            .to_owned();
        let from = number("-u").and_then(|number| u32::try_from(number).ok());
        let exchanged = from.filter(|number| self.exchange_input(*number));
        let input = self.input.take().unwrap_or_else(|| Text::unknown("input"));
        if let Some(number) = exchanged {
            self.input = Some(Text::default());
            self.exchange_input(number);
        }
        let bound = most.unwrap_or(usize::MAX);
        if bound > LINES
            && input.as_known().is_some_and(|known| {
                known.split_inclusive(delimiter).nth(LINES.saturating_add(skipped)).is_some()
            })
        {
            let span = arguments.first().map_or_else(Span::default, |argument| argument.span);
            self.gap(span, GapReason::Limit);
        }
        let value = match input.as_known() {
            Some(known) => Value::Array(
                known
                    .split_inclusive(delimiter)
                    .skip(skipped)
                    .leading(bound.min(LINES))
                    .map(|line| {
                        let whole = line;
                        let line = line.strip_suffix(delimiter).unwrap_or(line);
                        // The newline of a here-string is no part of its last line.
                        let line =
                            if cuts { line.strip_suffix('\n').unwrap_or(line) } else { whole };
                        let mut text = input.derive([]);
                        text.push_known(line);
                        (None, text)
                    })
                    .collect(),
            ),
            None => Value::Scalar(input.clone()),
        };
        if let Some(callback) = &callback
            && input.has_unknown()
        {
            self.called_back(callback, &input);
        }
        if let Some(callback) = callback {
            // The callback is called with an index and the line behind it.
            let lines: Vec<Text> = match &value {
                Value::Array(elements) => elements
                    .iter()
                    .at_most(CALLBACKS, self, callback.span)
                    .map(|(_, text)| text.clone())
                    .collect(),
                Value::Scalar(text) => vec![text.clone()],
                Value::Unset => Vec::new(),
            };
            for line in lines {
                let mut code = callback.text.clone();
                code.push_known(" 0 ");
                code.append(&line);
                self.at_most(Certainty::Likely, |walk| walk.same_shell(&code, callback.span));
            }
        }
        match (number("-O"), value) {
            (Some(origin), Value::Array(elements)) => {
                let before = self.value(&name).or(Some(Value::Unset));
                let placed = elements.into_iter().enumerate();
                let placed = placed.map(|(at, (_, text))| (Some((origin + at).to_string()), text));
                self.assign_array(&name, before, placed.collect());
            }
            (_, value) => self.state.assign(&name, vec![value]),
        }
    }

    /// The next line of the input, taken from it.
    fn take_line(&mut self, delimiter: char) -> Text {
        let Some(input) = &mut self.input else { return Text::unknown("input") };
        match input.pieces.as_mut_slice() {
            [Piece::Known(known)] => {
                let (line, rest) = match known.split_once(delimiter) {
                    Some((line, rest)) => (line.to_owned(), rest.to_owned()),
                    None => (known.clone(), String::new()),
                };
                let mut text = input.derive([]);
                text.push_known(&line);
                let mut left = input.derive([]);
                left.push_known(&rest);
                *input = left;
                text
            }
            // Names that a pattern gives are a line each.
            [Piece::Known(_), Piece::Glob(_)] | [Piece::Glob(_)]
                if delimiter == '\n' || delimiter == '\0' =>
            {
                input.clone()
            }
            [Piece::Known(_), Piece::Glob(_), Piece::Known(between), Piece::Glob(_)]
                if between == "/" && (delimiter == '\n' || delimiter == '\0') =>
            {
                input.clone()
            }
            _ => input.derive([Piece::Unknown(LINE.into())]),
        }
    }
}

/// The fields that `read` makes of a line, the last of them with everything that is left.
fn fields_of(line: &str, separators: &str, most: usize, raw: bool) -> Vec<String> {
    // Each character with whether a backslash keeps it from separating.
    let mut characters: Vec<(char, bool)> = Vec::with_capacity(line.len());
    let mut rest = line.chars();
    while let Some(character) = rest.next() {
        if character == '\\' && !raw {
            characters.extend(rest.next().filter(|next| *next != '\n').map(|next| (next, true)));
        } else {
            characters.push((character, false));
        }
    }
    let separates = |&(character, kept): &(char, bool)| !kept && separators.contains(character);
    let blank = |one: &(char, bool)| separates(one) && matches!(one.0, ' ' | '\t' | '\n');
    let text = |part: &[(char, bool)]| part.iter().map(|(character, _)| *character).collect();
    let mut left = characters.as_slice();
    let trim = |mut part: &[(char, bool)], front: bool, back: bool| -> usize {
        let mut cut = 0;
        while front && part.first().is_some_and(blank) {
            part = part.get(1..).unwrap_or(&[]);
            cut += 1;
        }
        while back && part.last().is_some_and(blank) {
            part = part.get(..part.len() - 1).unwrap_or(&[]);
            cut += 1;
        }
        cut
    };
    left = left.get(trim(left, true, false)..).unwrap_or(&[]);
    let end = left.len() - trim(left, false, true);
    left = left.get(..end).unwrap_or(&[]);
    let mut fields = Vec::new();
    while !left.is_empty() {
        if fields.len() + 1 == most {
            // One separator at the end of the last field goes with it where it is the only one.
            let inner = left.iter().position(separates);
            let only = inner.is_some_and(|at| at + 1 == left.len());
            let end = left.len() - usize::from(only);
            fields.push(text(left.get(..end).unwrap_or(&[])));
            break;
        }
        let end = left.iter().position(separates).unwrap_or(left.len());
        fields.push(text(left.get(..end).unwrap_or(&[])));
        left = left.get(end..).unwrap_or(&[]);
        left = left.get(trim(left, true, false)..).unwrap_or(&[]);
        if left.first().is_some_and(|one| separates(one) && !blank(one)) {
            left = left.get(1..).unwrap_or(&[]);
            left = left.get(trim(left, true, false)..).unwrap_or(&[]);
        }
    }
    fields
}

/// How many lines `mapfile` is followed through.
const LINES: usize = 1024;

/// How many lines `mapfile -C` is followed through.
const CALLBACKS: usize = 8;
