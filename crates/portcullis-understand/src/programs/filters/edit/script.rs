//! `sed` scripts as text: addresses, commands, their arguments. Evaluates nothing.

use regex::bytes::Captures;

use crate::text::{Piece, Text};

use super::super::Output;

pub(super) struct Script {
    pub(super) commands: Vec<Command>,
}

pub(super) struct Command {
    pub(super) addresses: (Option<Address>, Option<Address>),
    pub(super) negated: bool,
    pub(super) verb: Verb,
}

pub(super) enum Address {
    Line(usize),
    Last,
    Step(usize, usize),
    Matches(String, bool),
}

pub(super) enum Verb {
    Substitute {
        pattern: String,
        ignore_case: bool,
        replacement: Replacement,
        global: bool,
        nth: usize,
        print: bool,
        execute: bool,
        write: Option<String>,
    },
    Transliterate(Vec<(char, char)>),
    Print,
    Number,
    Delete,
    Quit {
        prints: bool,
    },
    Append(String),
    Insert(String),
    Change(String),
    Execute(Option<String>),
    Write(String),
    Read(String),
    /// `W`: the first line of the pattern space; the space is not divided here.
    WriteLine(String),
    /// `R`: a line of a file at a time, which is not counted here.
    ReadLine(String),
    /// `{`, with the index of the command after its `}`.
    Group(usize),
    /// Loops, the hold space, more lines: valid, and not evaluated.
    NotFollowed,
}

/// What matches are replaced by.
pub(super) struct Replacement(Vec<Part>);

enum Part {
    Literal(String),
    Group(usize),
    /// `\U`, `\L`, `\u`, `\l`, `\E`: the case of what follows.
    Case,
}

impl Replacement {
    pub(super) fn push_onto(&self, output: &mut Output, found: &Captures<'_>) -> Option<()> {
        for part in &self.0 {
            match part {
                Part::Literal(text) => output.push(text)?,
                Part::Group(0) => output.push(found.get(0)?.as_bytes())?,
                Part::Group(number) if *number < found.len() => {
                    output.push(found.get(*number).map_or(&b""[..], |group| group.as_bytes()))?;
                }
                Part::Group(_) | Part::Case => return None,
            }
        }
        Some(())
    }

    pub(super) fn push_blindly(&self, code: &mut Text) {
        for part in &self.0 {
            match part {
                Part::Literal(text) => code.push_known(text),
                Part::Group(_) | Part::Case => code.push(Piece::Unknown("line".into())),
            }
        }
    }
}

impl Script {
    /// The texts that the script puts in, a line each, where all that it does otherwise is to choose lines: what stands in
    /// those is then as it was. `None` where words could become other words without being said here.
    pub(super) fn puts_in(&self) -> Option<String> {
        let mut lines = String::new();
        for command in &self.commands {
            match &command.verb {
                Verb::Substitute { pattern, replacement, execute: false, write: None, .. } => {
                    let [Part::Literal(text)] = replacement.0.as_slice() else {
                        // Nothing in the place of something: the end of a line, or words that are written out.
                        let is_plain = is_line_end(pattern) || pattern.bytes().all(is_of_word);
                        if replacement.0.is_empty() && is_plain {
                            continue;
                        }
                        return None;
                    };
                    // What was a comment would be code.
                    if pattern.contains('#') || pattern.contains("//") {
                        return None;
                    }
                    lines.push_str(text);
                    lines.push('\n');
                }
                Verb::Append(text) | Verb::Insert(text) | Verb::Change(text) => {
                    lines.push_str(text);
                    lines.push('\n');
                }
                Verb::Delete | Verb::Group(_) => {}
                _ => return None,
            }
        }
        Some(lines)
    }
}

/// A pattern that matches nothing but what stands at the end of a line and is not seen.
fn is_line_end(pattern: &str) -> bool {
    let Some(blanks) = pattern.strip_suffix('$') else { return pattern == r"\r" };
    matches!(
        blanks,
        r"\r" | r"\r*" | r"\s*" | r"\s\+" | r"\s+" | "[[:space:]]*" | "[ \t]*" | r"[ \t]*" | " *"
    )
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Reads a script; `None` where it is not one.
pub(super) fn parse(text: &str) -> Option<Script> {
    let mut reader = Reader { rest: text };
    let mut commands: Vec<Command> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    loop {
        reader.skip(|letter| letter.is_whitespace() || letter == ';');
        if reader.accept("#") {
            reader.until_line_end();
            continue;
        }
        if reader.accept("}") {
            let start = open.pop()?;
            let end = commands.len();
            commands.get_mut(start)?.verb = Verb::Group(end);
            continue;
        }
        if reader.rest.is_empty() {
            break;
        }
        let first = reader.address()?;
        let second = if first.is_some() && reader.accept(",") {
            reader.blanks();
            Some(reader.second_address()?)
        } else {
            None
        };
        reader.blanks();
        let mut negated = false;
        while reader.accept("!") {
            negated = true;
            reader.blanks();
        }
        let verb = reader.verb()?;
        if matches!(verb, Verb::Group(_)) {
            open.push(commands.len());
        }
        commands.push(Command { addresses: (first, second), negated, verb });
    }
    open.is_empty().then_some(Script { commands })
}

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Option<char> {
        let mut letters = self.rest.chars();
        let letter = letters.next()?;
        self.rest = letters.as_str();
        Some(letter)
    }

    fn accept(&mut self, start: &str) -> bool {
        match self.rest.strip_prefix(start) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn skip(&mut self, of: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(of);
    }

    fn blanks(&mut self) {
        self.skip(|letter| letter == ' ' || letter == '\t');
    }

    fn until_line_end(&mut self) -> &'t str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line
    }

    fn number(&mut self) -> Option<usize> {
        let length = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at_checked(length)?;
        let number = digits.parse().ok()?;
        self.rest = rest;
        Some(number)
    }

    /// An address where there is one; the outer `None` where it is broken.
    #[expect(clippy::option_option, reason = "no address and a broken one are different answers")]
    fn address(&mut self) -> Option<Option<Address>> {
        if let Some(line) = self.number() {
            if self.accept("~") {
                return Some(Some(Address::Step(line, self.number()?)));
            }
            return Some(Some(Address::Line(line)));
        }
        if self.accept("$") {
            return Some(Some(Address::Last));
        }
        let delimiter = if self.accept("/") {
            '/'
        } else if self.rest.starts_with('\\') {
            self.next();
            self.next()?
        } else {
            return Some(None);
        };
        let pattern = self.delimited(delimiter, true)?;
        let ignore_case = self.accept("I");
        self.accept("M");
        Some(Some(Address::Matches(pattern, ignore_case)))
    }

    fn second_address(&mut self) -> Option<Address> {
        // `+N` and `~N` are not evaluated; a broken script is what the caller makes of it.
        self.address()?
    }

    /// The text up to the delimiter, with the escaped delimiter itself unescaped.
    fn delimited(&mut self, delimiter: char, pattern: bool) -> Option<String> {
        let mut text = String::new();
        let mut bracket = false;
        loop {
            let letter = self.next()?;
            match letter {
                '\\' if !bracket => {
                    let escaped = self.next()?;
                    if escaped == delimiter && !(pattern && "|(){}+?".contains(delimiter)) {
                        if pattern && ".*[]^$".contains(delimiter) {
                            text.push('\\');
                        }
                        text.push(delimiter);
                    } else {
                        text.push('\\');
                        text.push(escaped);
                    }
                }
                '[' if pattern && !bracket => {
                    bracket = true;
                    text.push('[');
                    for first in ["^", "]"] {
                        if self.accept(first) {
                            text.push_str(first);
                        }
                    }
                }
                ']' if bracket => {
                    bracket = false;
                    text.push(']');
                }
                _ if letter == delimiter && !bracket => return Some(text),
                '\n' if pattern => return None,
                other => text.push(other),
            }
        }
    }

    fn verb(&mut self) -> Option<Verb> {
        let verb = match self.next()? {
            's' => return self.substitute(),
            'y' => {
                let delimiter = self.next()?;
                let from = self.delimited(delimiter, false)?;
                let to = self.delimited(delimiter, false)?;
                let letters = |text: &str| text.replace("\\n", "\n").replace("\\\\", "\\");
                let (from, to) = (letters(&from), letters(&to));
                if from.chars().count() != to.chars().count() {
                    return None;
                }
                Verb::Transliterate(from.chars().zip(to.chars()).collect())
            }
            '{' => return Some(Verb::Group(0)),
            'p' => Verb::Print,
            '=' => Verb::Number,
            'd' => Verb::Delete,
            letter @ ('q' | 'Q') => {
                self.blanks();
                self.number();
                Verb::Quit { prints: letter == 'q' }
            }
            letter @ ('a' | 'i' | 'c') => return self.text(letter),
            'e' => {
                self.blanks();
                let code = self.until_line_end();
                return Some(Verb::Execute((!code.is_empty()).then(|| code.to_owned())));
            }
            'w' => {
                self.blanks();
                return Some(Verb::Write(self.until_line_end().to_owned()));
            }
            'r' => {
                self.blanks();
                return Some(Verb::Read(self.until_line_end().to_owned()));
            }
            ':' | 'b' | 't' | 'T' => {
                let end = self.rest.find(['\n', ';', '}']).unwrap_or(self.rest.len());
                self.rest = self.rest.get(end..)?;
                return Some(Verb::NotFollowed);
            }
            'W' => {
                self.blanks();
                return Some(Verb::WriteLine(self.until_line_end().to_owned()));
            }
            'R' => {
                self.blanks();
                return Some(Verb::ReadLine(self.until_line_end().to_owned()));
            }
            'n' | 'N' | 'D' | 'P' | 'h' | 'H' | 'g' | 'G' | 'x' | 'l' | 'z' | 'F' => {
                Verb::NotFollowed
            }
            _ => return None,
        };
        self.blanks();
        let ends = self.rest.is_empty() || self.rest.starts_with([';', '\n', '}', '#']);
        ends.then_some(verb)
    }

    fn substitute(&mut self) -> Option<Verb> {
        let delimiter = self.next()?;
        let pattern = self.delimited(delimiter, true)?;
        let replacement = replacement(&self.delimited(delimiter, false)?)?;
        let (mut global, mut nth, mut print, mut execute, mut ignore_case) =
            (false, 1, false, false, false);
        let mut write = None;
        loop {
            if let Some(number) = self.number() {
                nth = number;
                continue;
            }
            let mut letters = self.rest.chars();
            match letters.next() {
                Some('g') => global = true,
                Some('p') => print = true,
                Some('e') => execute = true,
                Some('i' | 'I') => ignore_case = true,
                Some('m' | 'M') => {}
                Some('w') => {
                    self.next();
                    self.blanks();
                    write = Some(self.until_line_end().to_owned());
                    break;
                }
                Some(' ' | '\t') => {}
                None | Some(';' | '\n' | '}' | '#') => break,
                Some(_) => return None,
            }
            self.rest = letters.as_str();
        }
        Some(Verb::Substitute {
            pattern,
            ignore_case,
            replacement,
            global,
            nth,
            print,
            execute,
            write,
        })
    }

    /// The text of `a`, `i` and `c`: the rest of the line, or the lines after a backslash.
    fn text(&mut self, verb: char) -> Option<Verb> {
        self.blanks();
        if self.accept("\\") {
            self.blanks();
            self.accept("\n");
        }
        let mut text = String::new();
        while let Some(letter) = self.next() {
            match letter {
                '\\' => text.push(self.next()?),
                '\n' => break,
                other => text.push(other),
            }
        }
        Some(match verb {
            'a' => Verb::Append(text),
            'i' => Verb::Insert(text),
            _ => Verb::Change(text),
        })
    }
}

fn replacement(text: &str) -> Option<Replacement> {
    let mut parts: Vec<Part> = Vec::new();
    let mut literal = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let part = match letter {
            '&' => Part::Group(0),
            '\\' => match letters.next()? {
                digit @ '0'..='9' => Part::Group(usize::try_from(digit.to_digit(10)?).ok()?),
                'U' | 'L' | 'u' | 'l' | 'E' => Part::Case,
                'n' => {
                    literal.push('\n');
                    continue;
                }
                't' => {
                    literal.push('\t');
                    continue;
                }
                // `\xHH`, `\oNNN`, `\dNNN`, `\cX`: a letter by its number.
                radix @ ('x' | 'o' | 'd') => {
                    let (radix, length) = match radix {
                        'x' => (16, 2),
                        'o' => (8, 3),
                        _ => (10, 3),
                    };
                    let rest = letters.as_str();
                    let digits = rest
                        .get(..rest.len().min(length))
                        .filter(|digits| digits.chars().all(|digit| digit.is_digit(radix)))?;
                    literal.push(char::from(
                        u8::from_str_radix(digits, radix).ok().filter(u8::is_ascii)?,
                    ));
                    letters = rest.get(digits.len()..)?.chars();
                    continue;
                }
                other if other.is_alphabetic() => return None,
                other => {
                    literal.push(other);
                    continue;
                }
            },
            other => {
                literal.push(other);
                continue;
            }
        };
        if !literal.is_empty() {
            parts.push(Part::Literal(std::mem::take(&mut literal)));
        }
        parts.push(part);
    }
    if !literal.is_empty() {
        parts.push(Part::Literal(literal));
    }
    Some(Replacement(parts))
}
