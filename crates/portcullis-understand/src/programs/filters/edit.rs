//! `sed`. Owns its scripts: what is printed where everything is known, and what is executed, read and written.
//! Loops and the hold space are understood as syntax and not evaluated.

pub(super) mod pattern;
mod script;

use regex::bytes::Regex;

use crate::text::{Piece, Text};

use super::{Output, lines, split_end};
use script::{Address, Command, Replacement, Script, Verb};

/// What a `sed` script does to an input.
#[derive(Debug, Default)]
pub(crate) struct Edited {
    /// What is printed; unknown where it cannot be computed.
    pub(crate) output: Text,
    /// What is run as shell code.
    pub(crate) executes: Vec<Text>,
    /// Files that the script writes.
    pub(crate) writes: Vec<String>,
    /// Files that the script reads.
    pub(crate) reads: Vec<String>,
    /// The lines that the script puts in, where it does nothing else that could make other code of what was there.
    pub(crate) puts_in: Option<String>,
}

/// Runs `scripts` (the values of `-e`, or the first operand) over `input`; `quiet` is `-n`, `extended` is `-E`.
pub(crate) fn edit(scripts: &[&Text], quiet: bool, extended: bool, input: &Text) -> Edited {
    let mut edited = Edited { output: Text::unknown("sed"), ..Edited::default() };
    edited.output.inherit(input);
    for script in scripts {
        edited.output.inherit(script);
    }
    let written: Option<Vec<&str>> = scripts.iter().map(|script| script.as_known()).collect();
    let Some(script) = written.and_then(|written| script::parse(&written.join("\n"))) else {
        return edited;
    };
    script.files(&mut edited);
    edited.puts_in = script.puts_in();
    let mut run = Run { quiet, extended, output: Output::default(), executes: Vec::new() };
    match input.as_known().and_then(|known| run.all(&script, known)) {
        Some(()) => {
            edited.executes = run.executes.into_iter().map(Text::known).collect();
            // What a command prints that the script runs is not known.
            if edited.executes.is_empty()
                && edited.reads.is_empty()
                && let Some(text) = run.output.text()
            {
                let unknown = std::mem::replace(&mut edited.output, text);
                edited.output.inherit(&unknown);
            }
        }
        None => script.executed_blindly(&mut edited.executes),
    }
    for code in &mut edited.executes {
        code.inherit(input);
    }
    edited
}

struct Run {
    quiet: bool,
    extended: bool,
    output: Output,
    executes: Vec<String>,
}

/// No one writes as many commands by hand; each is tried on each line.
const COMMANDS: usize = 64;

/// How many commands are run in all.
const STEPS: usize = 1 << 14;

enum Flow {
    Next,
    Deleted,
    Quit { prints: bool },
}

impl Run {
    fn all(&mut self, script: &Script, input: &str) -> Option<()> {
        if script.commands.len() > COMMANDS {
            return None;
        }
        let compiled = script
            .commands
            .iter()
            .map(|command| Compiled::new(command, self.extended))
            .collect::<Option<Vec<_>>>()?;
        let mut active = vec![false; compiled.len()];
        let mut steps = STEPS;
        let total = lines(input).count();
        for (index, line) in lines(input).enumerate() {
            let (body, ended) = split_end(line);
            let place = Place { number: index + 1, last: index + 1 == total };
            let mut space = body.as_bytes().to_vec();
            let mut after: Vec<String> = Vec::new();
            let mut flow = Flow::Next;
            let mut skip_to = 0;
            for (at, (command, active)) in compiled.iter().zip(&mut active).enumerate() {
                steps = steps.checked_sub(1)?;
                if at < skip_to {
                    continue;
                }
                if !command.applies(&place, &space, active)? {
                    if let Verb::Group(end) = command.command.verb {
                        skip_to = end;
                    }
                    continue;
                }
                flow = self.step(command, &place, &mut space, &mut after)?;
                if !matches!(flow, Flow::Next) {
                    break;
                }
            }
            let prints = !self.quiet && matches!(flow, Flow::Next | Flow::Quit { prints: true });
            if prints {
                self.output.push(&space)?;
                if ended || !after.is_empty() {
                    self.output.byte(b'\n')?;
                }
            }
            for text in &after {
                self.output.push(text)?;
                self.output.byte(b'\n')?;
            }
            if matches!(flow, Flow::Quit { .. }) {
                break;
            }
        }
        Some(())
    }

    fn step(
        &mut self,
        command: &Compiled<'_>,
        place: &Place,
        space: &mut Vec<u8>,
        after: &mut Vec<String>,
    ) -> Option<Flow> {
        match &command.command.verb {
            Verb::Group(_) | Verb::Write(_) | Verb::Read(_) => {}
            Verb::Print => {
                self.output.push(&space)?;
                self.output.byte(b'\n')?;
            }
            Verb::Number => self.output.push(format!("{}\n", place.number))?,
            Verb::Delete => return Some(Flow::Deleted),
            Verb::Quit { prints } => return Some(Flow::Quit { prints: *prints }),
            Verb::Append(text) => after.push(text.clone()),
            Verb::Insert(text) => {
                self.output.push(text)?;
                self.output.byte(b'\n')?;
            }
            Verb::Change(text) => {
                if command.command.addresses.1.is_some() {
                    return None;
                }
                self.output.push(text)?;
                self.output.byte(b'\n')?;
                return Some(Flow::Deleted);
            }
            Verb::Transliterate(pairs) => {
                let text = std::str::from_utf8(space).ok()?;
                let changed: String = text
                    .chars()
                    .map(|letter| {
                        pairs.iter().find(|(from, _)| *from == letter).map_or(letter, |(_, to)| *to)
                    })
                    .collect();
                *space = changed.into_bytes();
            }
            Verb::Execute(code) => {
                let code = match code {
                    Some(code) => code.clone(),
                    None => String::from_utf8(space.clone()).ok()?,
                };
                self.executes.push(code);
            }
            Verb::Substitute { replacement, global, nth, print, execute, .. } => {
                let pattern = command.pattern.as_ref()?;
                if substitute(pattern, replacement, *global, *nth, space)? {
                    if *execute {
                        self.executes.push(String::from_utf8(space.clone()).ok()?);
                    }
                    if *print {
                        self.output.push(&space)?;
                        self.output.byte(b'\n')?;
                    }
                }
            }
            Verb::NotFollowed | Verb::WriteLine(_) | Verb::ReadLine(_) => return None,
        }
        Some(Flow::Next)
    }
}

/// Replaces in `space`; whether anything matched.
fn substitute(
    pattern: &Regex,
    replacement: &Replacement,
    global: bool,
    nth: usize,
    space: &mut Vec<u8>,
) -> Option<bool> {
    let mut result = Output::default();
    let (mut kept, mut count, mut replaced) = (0, 0, false);
    for found in pattern.captures_iter(space) {
        let whole = found.get(0)?;
        count += 1;
        if count < nth || (replaced && !global) {
            continue;
        }
        result.push(space.get(kept..whole.start())?)?;
        replacement.push_onto(&mut result, &found)?;
        kept = whole.end();
        replaced = true;
        if !global {
            break;
        }
    }
    if replaced {
        result.push(space.get(kept..)?)?;
        *space = result.0;
    }
    Some(replaced)
}

struct Place {
    number: usize,
    last: bool,
}

struct Compiled<'s> {
    command: &'s Command,
    from: Option<Regex>,
    to: Option<Regex>,
    pattern: Option<Regex>,
}

impl<'s> Compiled<'s> {
    fn new(command: &'s Command, extended: bool) -> Option<Self> {
        let address = |address: &Option<Address>| match address {
            Some(Address::Matches(written, ignore_case)) => {
                pattern::compile(written, extended, *ignore_case).map(Some)
            }
            _ => Some(None),
        };
        let pattern = match &command.verb {
            Verb::Substitute { pattern, ignore_case, .. } => {
                Some(pattern::compile(pattern, extended, *ignore_case)?)
            }
            _ => None,
        };
        let (from, to) = (address(&command.addresses.0)?, address(&command.addresses.1)?);
        Some(Self { command, from, to, pattern })
    }

    fn applies(&self, place: &Place, space: &[u8], active: &mut bool) -> Option<bool> {
        let matches = |address: &Address, pattern: &Option<Regex>| match address {
            Address::Line(number) => Some(place.number == *number),
            Address::Last => Some(place.last),
            Address::Step(first, step) => Some(if *step == 0 {
                place.number == *first
            } else {
                place.number >= *first && (place.number - first).is_multiple_of(*step)
            }),
            Address::Matches(..) => pattern.as_ref().map(|pattern| pattern.is_match(space)),
        };
        let applies = match &self.command.addresses {
            (None, _) => true,
            (Some(only), None) => matches(only, &self.from)?,
            (Some(from), Some(to)) => {
                if *active {
                    *active = match to {
                        Address::Line(number) => place.number < *number,
                        other => !matches(other, &self.to)?,
                    };
                    // A last line that lies before the first one selects just the first.
                    !matches!(to, Address::Line(number) if place.number > *number)
                } else {
                    let starts = matches(from, &self.from)?;
                    *active = starts
                        && match to {
                            Address::Line(number) => *number > place.number,
                            Address::Last => !place.last,
                            _ => true,
                        };
                    starts
                }
            }
        };
        Some(applies != self.command.negated)
    }
}

impl Script {
    fn files(&self, edited: &mut Edited) {
        for command in &self.commands {
            match &command.verb {
                Verb::Write(file)
                | Verb::WriteLine(file)
                | Verb::Substitute { write: Some(file), .. } => {
                    edited.writes.push(file.clone());
                }
                Verb::Read(file) | Verb::ReadLine(file) => edited.reads.push(file.clone()),
                _ => {}
            }
        }
    }

    /// What is executed where the lines are not known.
    fn executed_blindly(&self, executes: &mut Vec<Text>) {
        for command in &self.commands {
            match &command.verb {
                Verb::Execute(Some(code)) => executes.push(Text::known(code.clone())),
                Verb::Execute(None) => executes.push(Text::unknown("sed")),
                Verb::Substitute { execute: true, pattern, replacement, .. } => {
                    let mut code = Text::default();
                    match pattern.as_str() {
                        ".*" | "^.*$" | "^.*" | ".*$" => replacement.push_blindly(&mut code),
                        "^" => {
                            replacement.push_blindly(&mut code);
                            code.push(Piece::Unknown("line".into()));
                        }
                        "$" => {
                            code.push(Piece::Unknown("line".into()));
                            replacement.push_blindly(&mut code);
                        }
                        _ => code.push(Piece::Unknown("sed".into())),
                    }
                    executes.push(code);
                }
                _ => {}
            }
        }
    }
}
