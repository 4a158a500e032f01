//! Shapes of commands. Owns the matcher of the pattern language that [`When::Command`](super::When::Command) describes; it
//! knows no rule and allocates nothing.

use crate::{
    effect::{Argument, Run},
    programs::{self, Options, Word},
    text::Piece,
};

/// The most operands that a shape names: one bit each. No shape in the registry comes near it, and a test says so.
pub(super) const SHAPE_OPERANDS: usize = 31;

/// Options with which a program says what it would do and does nothing.
const REHEARSALS: &[&str] = &[
    "--help",
    "-help",
    "--dry-run",
    "-dry-run",
    "--dryrun",
    "--what-if",
    "--whatif",
    "--just-print",
    "--simulate",
];

/// Programs that show their manual when the last word is `help`.
const HELP_IS_LAST: &[&str] = &["aws", "awslocal"];

/// Subcommands whose later words belong to another program, so that a rehearsal among them may be that one's.
const HANDS_ON: &[&str] = &["run", "exec", "x", "dlx", "debug", "ssh", "rsh", "attach"];

/// One command, read once for all shapes.
pub(super) struct Command<'a> {
    program: &'a str,
    options: Options<'a>,
    rehearsal: bool,
}

impl<'a> Command<'a> {
    pub(super) fn new(run: &'a Run) -> Self {
        let options = options(run);
        Self { program: &run.program, options, rehearsal: is_rehearsal(&run.program, options) }
    }

    /// Whether the command has this shape and does what it says instead of rehearsing it.
    pub(super) fn has_shape(&self, shape: &str) -> bool {
        let Some((programs, rest)) = split_program(shape) else { return false };
        programs.split('|').any(|program| program == self.program)
            && !self.rehearsal
            && self.operands_fit(rest)
            && rest.split(' ').all(|token| self.option_fits(token))
    }

    /// Walks the operands with the set of places in the shape that may have been reached.
    fn operands_fit(&self, tokens: &str) -> bool {
        let operands = || tokens.split(' ').filter(|token| is_operand(token));
        let count = operands().count().min(SHAPE_OPERANDS);
        if count == 0 {
            return true;
        }
        let end = 1_u32 << count;
        let mut reached = past_any(1, operands());
        for word in self.options.words() {
            let (argument, doubtful) = match word {
                Word::Operand(argument) => (argument, false),
                Word::Doubtful(argument) => (argument, true),
                Word::Option(_) => continue,
            };
            let mut next = reached & end;
            if doubtful {
                next |= reached;
            }
            for (place, token) in operands().take(count).enumerate() {
                let here = 1_u32 << place;
                if reached & here == 0 {
                    continue;
                }
                if token == "…" {
                    next |= here;
                } else if operand_is(argument, token) {
                    next |= here << 1;
                }
            }
            reached = past_any(next, operands());
            if reached & end != 0 {
                return true;
            }
            if reached == 0 {
                return false;
            }
        }
        reached & end != 0
    }

    fn option_fits(&self, token: &str) -> bool {
        if let Some(unwanted) = token.strip_prefix('!') {
            return !unwanted.split('|').any(|word| self.gives_exactly(word));
        }
        is_operand(token)
            || token.is_empty()
            || (token == "--" && self.options.ends())
            || token.split('|').any(|option| match option.split_once('=') {
                Some((name, value)) => {
                    self.options.values_of(&[name]).any(|given| operand_is(&given, value))
                }
                None => self.options.given().any(|given| given.is(option)),
            })
    }

    fn gives_exactly(&self, word: &str) -> bool {
        if !word.starts_with('-') {
            return self.options.words().any(|given| match given {
                Word::Operand(argument) => operand_is(argument, word),
                Word::Doubtful(_) | Word::Option(_) => false,
            });
        }
        match word.split_once('=') {
            Some((name, value)) => self.options.given().any(|given| {
                given.is_exactly(name)
                    && given.value(name).is_some_and(|given| operand_is(&given, value))
            }),
            None => self.options.given().any(|given| given.is_exactly(word)),
        }
    }
}

/// The arguments of a program read with what its row says of its options.
pub(super) fn options(run: &Run) -> Options<'_> {
    let values = programs::program(&run.program).map_or(&[][..], |row| row.values);
    Options::new(&run.arguments, values)
}

/// Whether the program is only asked what it would do.
pub(super) fn is_rehearsal(program: &str, options: Options<'_>) -> bool {
    let is = |operand: Option<&Argument>, words: &[&str]| {
        operand
            .and_then(|operand| operand.text.as_known())
            .is_some_and(|operand| words.contains(&operand))
    };
    if is(options.operands().next(), HANDS_ON) {
        return false;
    }
    if HELP_IS_LAST.contains(&program) && is(options.operands().last(), &["help"]) {
        return true;
    }
    options.given().any(|given| {
        let name = given.long_name();
        REHEARSALS.contains(&name)
            && (name == given.argument.text.known_prefix()
                || given
                    .value(name)
                    .and_then(|value| value.text.as_known().map(str::to_owned))
                    .is_some_and(|value| value != "none" && value != "false"))
    })
}

fn split_program(shape: &str) -> Option<(&str, &str)> {
    Some(shape.split_once(' ').unwrap_or((shape, "")))
}

fn is_operand(token: &str) -> bool {
    !token.is_empty() && !token.starts_with(['-', '!'])
}

/// Adds the places after each `…` that is reached, since it stands for no word at all too.
fn past_any<'t>(mut reached: u32, operands: impl Iterator<Item = &'t str>) -> u32 {
    for (place, token) in operands.take(SHAPE_OPERANDS).enumerate() {
        if token == "…" && reached & (1 << place) != 0 {
            reached |= 1 << (place + 1);
        }
    }
    reached
}

fn operand_is(argument: &Argument, token: &str) -> bool {
    if token == "*" {
        return true;
    }
    match argument.text.pieces.as_slice() {
        [] => token.is_empty(),
        [Piece::Known(word) | Piece::Glob(word)] => token.split('|').any(|form| fits(word, form)),
        _ => {
            let word = argument.text.display();
            token.split('|').any(|form| form.contains('*') && fits(&word, form))
        }
    }
}

/// Stands for a star that is meant as one while a form is compared; no command holds it.
const STAR: &str = "\u{1}";

/// Whether `word` is `form`, in which `*` stands for any characters and `\*` for itself;
/// without a star, letter case does not matter. Linear for each star.
pub(super) fn fits(word: &str, form: &str) -> bool {
    if form.contains("\\*") {
        return fits(&word.replace('*', STAR), &form.replace("\\*", STAR));
    }
    if !form.contains('*') {
        return word.eq_ignore_ascii_case(form);
    }
    let mut parts = form.split('*');
    let Some(first) = parts.next() else { return word.is_empty() };
    let Some(mut rest) = word.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part).and_then(|at| rest.get(at + part.len()..)) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Text;

    fn run(line: &str) -> Run {
        let mut words = line.split(' ').map(|word| Argument {
            text: match word.strip_prefix('$') {
                Some(origin) => Text::unknown(origin),
                None => Text::known(word),
            },
            span: portcullis_syntax::Span::default(),
        });
        let name = words.next().unwrap();
        Run {
            program: name.text.display(),
            name,
            arguments: words.collect(),
            known: false,
            input: None,
        }
    }

    #[test]
    fn a_shape_is_found_however_the_command_is_written() {
        for (shape, line, expected) in [
            ("tool push --force|-f", "tool push -f", true),
            ("tool push --force|-f", "tool push origin main --force", true),
            ("tool push --force|-f", "tool push origin main", false),
            ("tool push --force|-f", "tool pull -f", false),
            ("tool push --force|-f", "other push -f", false),
            ("tool|other push", "other push", true),
            ("tool push", "tool --profile p push", true),
            ("tool push", "tool --verbose push", true),
            ("tool push", "tool --profile=p push", true),
            ("tool push", "tool -C dir push", true),
            ("tool push", "tool p push", false),
            ("tool push … +*", "tool push origin a +main", true),
            ("tool push … +*", "tool push origin a", false),
            ("tool … push", "tool push", true),
            ("tool … push", "tool a b push", true),
            ("tool scale --replicas=0", "tool scale x --replicas 0", true),
            ("tool scale --replicas=0", "tool scale x --replicas=0", true),
            ("tool scale --replicas=0", "tool scale x --replicas=10", false),
            ("tool rm * *", "tool rm a", false),
            ("tool rm * *", "tool rm a b", true),
            ("tool clean !-n", "tool clean -fd", true),
            ("tool clean !-n", "tool clean -fdn", false),
            ("tool clean !--keep", "tool clean --ke", true),
            ("tool checkout !x", "tool checkout x", false),
            ("tool delete", "tool delete --dry-run", false),
            ("tool delete", "tool delete --dry-run=client", false),
            ("tool delete", "tool delete --dry-run=none", true),
            ("tool delete", "tool delete -- --dry-run", true),
            ("tool delete", "tool delete --help", false),
            ("tool run --privileged", "tool run --privileged image x --help", true),
            ("tool delete *-x|y", "tool delete a-x", true),
            ("tool delete *-x|y", "tool delete y", true),
            ("tool delete *-x|y", "tool delete z", false),
            ("tool delete", "tool $verb", false),
            ("tool delete *", "tool delete $name", true),
            ("tool", "tool anything -x", true),
        ] {
            assert_eq!(Command::new(&run(line)).has_shape(shape), expected, "{shape}: {line}");
        }
    }

    #[test]
    fn a_form_with_stars_fits() {
        for (word, form, expected) in [
            ("abc", "abc", true),
            ("abc", "a*", true),
            ("abc", "*c", true),
            ("abc", "a*c", true),
            ("abc", "*b*", true),
            ("abc", "*d*", false),
            ("a", "a*a", false),
            ("", "*", true),
        ] {
            assert_eq!(fits(word, form), expected, "{word} {form}");
        }
    }
}
