//! Shapes of commands. Owns the matcher of the pattern language that [`When::Command`](super::When::Command) describes; it
//! knows no rule.

use std::cell::OnceCell;

use super::index;
use crate::{
    effect::{Argument, Run},
    programs::{self, Given, Options, Word},
    split,
    text::Piece,
};

/// The most operands that a shape names: one bit each. No shape in the registry comes near it, and a test says so.
pub(super) const SHAPE_OPERANDS: usize = 15;

/// Whether a shape is one of a program's commands.
pub(super) fn names(shape: &str, program: &str) -> bool {
    let mut rest = shape.as_bytes();
    loop {
        let end = rest.iter().position(|byte| matches!(byte, b'|' | b' '));
        let (name, after) = rest.split_at_checked(end.unwrap_or(rest.len())).unwrap_or_default();
        if name == program.as_bytes() {
            return true;
        }
        let [b'|', others @ ..] = after else { return false };
        rest = others;
    }
}

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

/// And the options with which only some programs do.
const REHEARSALS_OF: &[(&[&str], &[&str])] = &[
    (
        &["lvm", "lvreduce", "lvremove", "lvresize", "pvremove", "vgreduce", "vgremove"],
        &["-h", "--longhelp", "-t", "--test"],
    ),
    (&["apt", "apt-get", "aptitude"], &["-s", "--no-act", "--recon", "--just-print"]),
    (&["rsync"], &["--list-only"]),
    // What would be done is written down.
    (&["alembic"], &["--sql"]),
    (&["django-admin", "manage.py"], &["--plan"]),
    (&["ansible-playbook"], &["--list-hosts", "--list-tags", "--list-tasks", "--syntax-check"]),
];

/// Programs that show their manual when the last word is `help`.
const HELP_IS_LAST: &[&str] = &["aws", "awslocal"];

/// Subcommands whose later words belong to another program, so that a rehearsal among them may be that one's.
const HANDS_ON: &[&str] = &["run", "exec", "x", "dlx", "debug", "ssh", "rsh", "attach"];

/// One command, read once for all shapes.
pub(super) struct Command<'a> {
    program: &'a str,
    /// The operands, each with whether it may be the value of an option.
    operands: Vec<(&'a Argument, bool)>,
    given: Vec<Given<'a>>,
    options: Options<'a>,
    /// Whether it only says what it would do, once that was asked.
    rehearsal: OnceCell<bool>,
}

impl<'a> Command<'a> {
    pub(super) fn new(run: &'a Run) -> Self {
        let options = options(run);
        let (mut operands, mut given) = (Vec::new(), Vec::new());
        for word in options.words() {
            match word {
                Word::Operand(argument) => operands.push((argument, false)),
                Word::Doubtful(argument) => operands.push((argument, true)),
                Word::Option(option) => given.push(option),
            }
        }
        Self { program: &run.program, operands, given, options, rehearsal: OnceCell::new() }
    }

    /// What the first operand may be.
    pub(super) fn first(&self) -> index::Words {
        let mut words = index::Words::NONE;
        for (argument, doubtful) in &self.operands {
            match argument.text.pieces.as_slice() {
                [Piece::Known(word) | Piece::Glob(word)] => words = words.with(word),
                _ => return index::Words::ANY,
            }
            if !doubtful {
                break;
            }
        }
        // Without an operand, what a shape asks of the first one is not looked at here.
        if self.operands.is_empty() { index::Words::ANY } else { words }
    }

    /// Whether the command has this shape and does what it says instead of rehearsing it.
    pub(super) fn has_shape(&self, shape: &str) -> bool {
        names(shape, self.program) && self.has_words(cut(shape, b' ').1)
    }

    /// Whether the command has the words of a shape that names its program, and does what it says instead of rehearsing it.
    pub(super) fn has_words(&self, words: &str) -> bool {
        self.may_begin(cut(words, b' ').0)
            && self.operands_fit(words)
            && !any(words, b' ', |token| !self.option_fits(token, words))
            && !self.is_rehearsal()
    }

    fn is_rehearsal(&self) -> bool {
        *self.rehearsal.get_or_init(|| is_rehearsal(self.program, self.options))
    }

    /// Whether any operand that may be the first fits the first word of a shape: most shapes end here.
    fn may_begin(&self, token: &str) -> bool {
        if !is_operand(token) || token == "…" {
            return true;
        }
        for (argument, doubtful) in &self.operands {
            if operand_is(argument, token) {
                return true;
            }
            if !doubtful {
                return false;
            }
        }
        false
    }

    /// Walks the operands with the set of places in the shape that may have been reached.
    fn operands_fit(&self, tokens: &str) -> bool {
        let mut places = [""; SHAPE_OPERANDS];
        let mut count = 0;
        let operands = split::split(tokens, b' ').filter(|token| is_operand(token));
        for (place, token) in places.iter_mut().zip(operands) {
            *place = token;
            count += 1;
        }
        let places = places.get(..count).unwrap_or(&[]);
        let end = 1_u32 << count;
        let mut reached = past_any(1, places);
        for (argument, doubtful) in &self.operands {
            if reached & end != 0 || reached == 0 {
                break;
            }
            let mut next = if *doubtful { reached } else { 0 };
            for (place, token) in places.iter().enumerate() {
                let here = 1_u32 << place;
                if reached & here == 0 {
                    continue;
                }
                if *token == "…" {
                    next |= here;
                } else if operand_is(argument, token) {
                    next |= here << 1;
                }
            }
            reached = past_any(next, places);
        }
        reached & end != 0
    }

    fn option_fits(&self, token: &str, words: &str) -> bool {
        if let Some(unwanted) = token.strip_prefix('!') {
            // Each of several mounts is spared by itself.
            if is_of_mounts(unwanted) {
                return true;
            }
            return !any(unwanted, b'|', |word| self.gives_exactly(word));
        }
        is_operand(token)
            || token.is_empty()
            || (token == "--" && self.options.ends())
            || any(token, b'|', |option| match option.split_once('=') {
                Some((name, value)) => self
                    .given
                    .iter()
                    .filter_map(|given| given.value(name))
                    .any(|given| operand_is(&given, value) && !is_spared(words, name, &given)),
                None => self.given.iter().any(|given| given.is(option)),
            })
    }

    fn gives_exactly(&self, word: &str) -> bool {
        if !word.starts_with('-') {
            let addresses = word.contains("://");
            let mut operands = self
                .operands
                .iter()
                .filter(|(argument, _)| !addresses || argument.text.display().contains("://"));
            let sure =
                |(argument, doubtful): &(&Argument, bool)| !doubtful && spares(argument, word);
            return if addresses {
                operands.next().is_some_and(sure) && operands.all(sure)
            } else {
                operands.any(sure)
            };
        }
        match word.split_once('=') {
            // Of an option that is given twice the last value counts, or both do.
            Some((name, value)) => {
                let mut values =
                    self.given.iter().filter(|given| given.is_exactly(name)).peekable();
                values.peek().is_some()
                    && values
                        .all(|given| given.value(name).is_some_and(|given| spares(&given, value)))
            }
            None => self.given.iter().any(|given| given.is_exactly(word)),
        }
    }
}

/// The arguments of a program read with what its row says of its options.
pub(super) fn options(run: &Run) -> Options<'_> {
    let values = programs::values_for(&run.program, &run.arguments);
    let options = Options::new(&run.arguments, values).of(programs::cards::manual(&run.program));
    if programs::abbreviates(&run.program) { options.abbreviating() } else { options }
}

/// Whether the program is only asked what it would do.
pub(super) fn is_rehearsal(program: &str, options: Options<'_>) -> bool {
    let is = |operand: Option<&Argument>, words: &[&str]| {
        operand
            .and_then(|operand| operand.text.as_known())
            .is_some_and(|operand| words.contains(&operand))
    };
    let mut words = options.words();
    if let (Some(Word::Option(only)), None) = (words.next(), words.next())
        && matches!(only.argument.text.as_known(), Some("--version" | "-version" | "-V"))
    {
        return true;
    }
    if is(options.operands().next(), HANDS_ON) {
        return false;
    }
    if HELP_IS_LAST.contains(&program) && is(options.operands().last(), &["help"]) {
        return true;
    }
    // The last word counts: `--dry-run --no-dry-run` does it.
    if options.given().any(|given| given.long_name() == "--no-dry-run") {
        return false;
    }
    let own = REHEARSALS_OF.iter().filter(|(programs, _)| programs.contains(&program));
    if own.into_iter().any(|(_, words)| options.has(words)) {
        return true;
    }
    options.given().any(|given| {
        let name = given.long_name();
        // A value of `--help` says that it is something else: a topic, or a switch that is off.
        REHEARSALS.contains(&name)
            && (name != "--help" || name == given.argument.text.known_prefix())
            && (name == given.argument.text.known_prefix()
                || given
                    .value(name)
                    .and_then(|value| value.text.as_known().map(str::to_owned))
                    .is_some_and(|value| value != "none" && value != "false"))
    })
}

/// The text before and after the first `separator`; nothing stands after the last one.
fn cut(text: &str, separator: u8) -> (&str, &str) {
    let (part, after) = split::cut(text, separator);
    (part, after.unwrap_or(""))
}

/// Whether any part of `text` between separators is as asked.
fn any(text: &str, separator: u8, asked: impl FnMut(&str) -> bool) -> bool {
    split::split(text, separator).any(asked)
}

fn is_operand(token: &str) -> bool {
    token.bytes().next().is_some_and(|first| !matches!(first, b'-' | b'!'))
}

/// Adds the places after each `…` that is reached, since it stands for no word at all too.
fn past_any(mut reached: u32, places: &[&str]) -> u32 {
    for (place, token) in places.iter().enumerate() {
        if *token == "…" && reached & (1 << place) != 0 {
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
        [Piece::Known(word) | Piece::Glob(word)] => any(token, b'|', |form| fits(word, form)),
        _ => {
            let word = argument.text.display();
            any(token, b'|', |form| form.contains('*') && fits(&word, form))
        }
    }
}

/// Whether an exemption spares what is given: its star stands for no way out of the directory before it, and behind a host
/// for a port and a path, not for more of a name or a second host.
fn spares(argument: &Argument, form: &str) -> bool {
    if !operand_is(argument, form) {
        return false;
    }
    let Some(start) = form.strip_suffix('*') else { return true };
    let word = argument.text.display();
    if start.ends_with('/') && word.split('/').any(|part| part == "..") {
        return false;
    }
    if !start.ends_with("localhost") && !start.ends_with("127.0.0.1") {
        return true;
    }
    let behind = word.get(start.len()..).unwrap_or_default();
    (behind.is_empty() || behind.starts_with([':', '/'])) && !behind.contains([',', '@'])
}

/// Whether an exemption is about what is mounted.
fn is_of_mounts(unwanted: &str) -> bool {
    ["-v=", "--volume="].iter().any(|name| unwanted.starts_with(name))
}

/// Whether a mount is one of those that the words of a shape spare.
fn is_spared(words: &str, name: &str, given: &Argument) -> bool {
    any(words, b' ', |token| {
        token.strip_prefix('!').is_some_and(|unwanted| {
            is_of_mounts(unwanted)
                && any(unwanted, b'|', |form| {
                    form.split_once('=')
                        .is_some_and(|(own, form)| own == name && spares(given, form))
                })
        })
    })
}

/// Stands for a star that is meant as one while a form is compared; no command holds it.
const STAR: &str = "\u{1}";

/// Whether `word` is `form`, in which `*` stands for any characters and `\*` for itself; letter case does not matter.
/// Linear for each star.
pub(super) fn fits(word: &str, form: &str) -> bool {
    let (first, wanted) = (word.as_bytes().first(), form.as_bytes().first());
    if let (Some(first), Some(wanted)) = (first, wanted)
        && !matches!(wanted, b'*' | b'\\')
        && !first.eq_ignore_ascii_case(wanted)
    {
        return false;
    }
    if !form.bytes().any(|byte| byte == b'*') {
        return word.eq_ignore_ascii_case(form);
    }
    if form.contains("\\_") {
        return fits(word, &form.replace("\\_", " "));
    }
    if form.contains("\\*") {
        return fits(&word.replace('*', STAR), &form.replace("\\*", STAR));
    }
    let mut parts = form.split('*').map(str::as_bytes);
    let Some(first) = parts.next() else { return word.is_empty() };
    let Some(mut rest) = without_start(word.as_bytes(), first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let mut starts = 0..=rest.len().saturating_sub(part.len());
        match starts.find_map(|at| without_start(rest.get(at..)?, part)) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    rest.len()
        .checked_sub(last.len())
        .is_some_and(|at| rest.get(at..).is_some_and(|end| end.eq_ignore_ascii_case(last)))
}

/// What stands behind `start`, in whichever letter case it is written.
fn without_start<'w>(word: &'w [u8], start: &[u8]) -> Option<&'w [u8]> {
    let (head, rest) = word.split_at_checked(start.len())?;
    head.eq_ignore_ascii_case(start).then_some(rest)
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
            is_in_made: false,
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
