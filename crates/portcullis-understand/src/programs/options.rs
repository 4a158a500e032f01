//! Options and operands told apart. Owns how command lines are read (bundles, `--`, `=`, abbreviations); it knows no program.
//!
//! Everything is one pass over the arguments, whatever they hold.

use portcullis_syntax::Span;

use super::manuals::Manual;
use crate::{
    effect::Argument,
    text::{Piece, Text},
};

/// The fewest letters that an abbreviated long option has where nothing is known of the program. GNU's reader and git's
/// take one, see [`Options::abbreviating`]; others take none at all.
const ABBREVIATION_LETTERS: usize = 3;

/// First words of long options that are options of their own in some program whose reader takes abbreviations.
const WHOLE_WORDS: &[&str] = &[
    "--all",
    "--backup",
    "--cached",
    "--cruft",
    "--delete",
    "--dry",
    "--exclude",
    "--exec",
    "--force",
    "--format",
    "--ignore",
    "--include",
    "--index",
    "--keep",
    "--list",
    "--merge",
    "--no",
    "--one",
    "--preserve",
    "--prune",
    "--recursive",
    "--remove",
    "--reset",
    "--show",
    "--update",
    "--verify",
];

/// The arguments of one program, read as options and operands.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    arguments: &'a [Argument],
    values: &'static [&'static str],
    shortest: usize,
    /// The manual that says which names are whole, where one is known.
    manual: Option<&'static Manual>,
}

/// The options that take a value.
#[derive(Clone, Copy, Debug)]
struct Values {
    names: &'static [&'static str],
    /// Those of one ASCII letter, as a set: for each letter of each bundle it is asked whether it is one of them.
    letters: u128,
}

/// One argument, as it is read.
#[derive(Clone, Copy, Debug)]
pub enum Word<'a> {
    /// An option, perhaps with its value.
    Option(Given<'a>),
    /// An operand.
    Operand(&'a Argument),
    /// An operand, or the value of the option before it: nobody said whether that one takes a value.
    Doubtful(&'a Argument),
}

/// An option that is given.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// The argument that it stands in.
    pub argument: &'a Argument,
    written: &'a str,
    /// The name as written, without a value: `--output` of `--output=x`; a bundle whole.
    name: &'a str,
    /// Whether the name is one option and no bundle of letters.
    is_long: bool,
    next: Option<&'a Argument>,
    values: Values,
    /// The fewest letters of an abbreviation.
    shortest: usize,
    manual: Option<&'static Manual>,
}

impl Values {
    fn new(names: &'static [&'static str]) -> Self {
        let short = names.iter().filter_map(|name| match name.as_bytes() {
            [b'-', letter] if letter.is_ascii() && *letter != b'-' => Some(1_u128 << *letter),
            _ => None,
        });
        Self { names, letters: short.fold(0, |set, letter| set | letter) }
    }

    fn contains(self, name: &str) -> bool {
        self.names.contains(&name)
    }

    fn has_letter(self, asked: char) -> bool {
        match u8::try_from(asked) {
            Ok(byte) if byte.is_ascii() => self.letters & (1 << byte) != 0,
            _ => self.names.iter().any(|name| letter(name) == Some(asked)),
        }
    }
}

impl<'a> Options<'a> {
    /// Reads `arguments`; `values` lists the options that take a value.
    #[must_use]
    pub fn new(arguments: &'a [Argument], values: &'static [&'static str]) -> Self {
        Self { arguments, values, shortest: ABBREVIATION_LETTERS, manual: None }
    }

    /// The same by the program's manual, where it is known: of two names of which one begins with the other, the shorter one is
    /// whole where the manual has it, and short for the longer one where it has not.
    #[must_use]
    pub const fn of(self, manual: Option<&'static Manual>) -> Self {
        Self { manual, ..self }
    }

    /// The same for a program that takes any beginning of a long option's name for it: `git reset --h`.
    #[must_use]
    pub const fn abbreviating(self) -> Self {
        Self { shortest: 1, ..self }
    }

    /// The options that take a value.
    #[must_use]
    pub const fn takes(&self) -> &'static [&'static str] {
        self.values
    }

    /// Whether any of `names` is given: `-f` also inside a bundle (`-rf`), `--force` also abbreviated (`--for`) and with
    /// one dash (`-force`).
    #[must_use]
    pub fn has(&self, names: &[&str]) -> bool {
        self.given().any(|given| names.iter().any(|name| given.is(name)))
    }

    /// The value of the last of `names`: `-o v`, `-ov`, `--output v`, `--output=v`. Its span is that of the value where
    /// the argument is written plainly, and that of the whole argument otherwise.
    #[must_use]
    pub fn value(&self, names: &[&str]) -> Option<Argument> {
        self.values_of(names).last()
    }

    /// The value of each of `names`, in order.
    pub fn values_of<'n>(
        &self,
        names: &'n [&'n str],
    ) -> impl Iterator<Item = Argument> + use<'a, 'n> {
        self.given().filter_map(|given| names.iter().find_map(|name| given.value(name)))
    }

    /// What is neither an option nor an option's value, in order.
    pub fn operands(&self) -> impl Iterator<Item = &'a Argument> + use<'a> {
        self.words().filter_map(|word| match word {
            Word::Operand(argument) | Word::Doubtful(argument) => Some(argument),
            Word::Option(_) => None,
        })
    }

    /// The options that are given, in order.
    pub fn given(&self) -> impl Iterator<Item = Given<'a>> + use<'a> {
        self.words().filter_map(|word| match word {
            Word::Option(given) => Some(given),
            Word::Operand(_) | Word::Doubtful(_) => None,
        })
    }

    /// Whether `--` ends the options.
    #[must_use]
    pub fn ends(&self) -> bool {
        self.arguments.iter().any(|argument| argument.text.as_known() == Some("--"))
    }

    /// Every argument but the values of options and `--`, in order.
    pub fn words(&self) -> impl Iterator<Item = Word<'a>> + use<'a> {
        Words {
            rest: self.arguments.iter(),
            names: self.values,
            values: None,
            shortest: self.shortest,
            manual: self.manual,
            ended: false,
            doubtful: false,
        }
    }
}

struct Words<'a> {
    rest: std::slice::Iter<'a, Argument>,
    names: &'static [&'static str],
    /// Read when the first option is met: many commands have none.
    values: Option<Values>,
    shortest: usize,
    manual: Option<&'static Manual>,
    ended: bool,
    doubtful: bool,
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        loop {
            let argument = self.rest.next()?;
            let written = argument.text.known_prefix();
            // No option is called `/`: that is a path with a slip in it.
            let is_option = written.starts_with('-') && !written.starts_with("-/");
            if self.ended || !is_option || argument.text.as_known() == Some("-") {
                let doubtful = std::mem::take(&mut self.doubtful);
                return Some(if doubtful {
                    Word::Doubtful(argument)
                } else {
                    Word::Operand(argument)
                });
            }
            self.doubtful = false;
            if argument.text.as_known() == Some("--") {
                self.ended = true;
                continue;
            }
            let next = self.rest.as_slice().first();
            let values = *self.values.get_or_insert_with(|| Values::new(self.names));
            let (shortest, manual) = (self.shortest, self.manual);
            let given = Given { shortest, manual, ..Given::new(argument, written, next, values) };
            if given.takes_next() {
                self.rest.next();
            } else {
                self.doubtful = given.leaves_doubt();
            }
            return Some(Word::Option(given));
        }
    }
}

impl<'a> Given<'a> {
    fn new(
        argument: &'a Argument,
        written: &'a str,
        next: Option<&'a Argument>,
        values: Values,
    ) -> Self {
        let end = written.bytes().position(|byte| byte == b'=');
        let name = end.and_then(|end| written.get(..end)).unwrap_or(written);
        let is_long = written.starts_with("--") || (name.len() > 2 && values.contains(name));
        let shortest = ABBREVIATION_LETTERS;
        Self { argument, written, name, is_long, next, values, shortest, manual: None }
    }

    /// The name as written, without a value; a bundle of letters whole.
    #[must_use]
    pub const fn name(&self) -> &'a str {
        self.name
    }

    /// Whether this is, or holds, the option `name`; a long one may be abbreviated.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        self.is_exactly(name) || self.abbreviates(name)
    }

    /// Whether this is, or holds, the option `name` in full.
    #[must_use]
    pub fn is_exactly(&self, name: &str) -> bool {
        match letter(name) {
            Some(letter) => self.letters().any(|(_, given)| given == letter),
            None => bare(self.name) == bare(name) && self.name.len() > 2,
        }
    }

    /// The value of the option `name`, where this is it and one is there.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<Argument> {
        if let Some(letter) = letter(name) {
            let (at, _) = self.letters().find(|(_, given)| *given == letter)?;
            let after = at + letter.len_utf8();
            let rest = self.written.get(after..)?;
            let whole = self.argument.text.pieces.len() <= 1;
            return match rest.strip_prefix('=') {
                Some(_) => Some(cut(self.argument, after + 1)),
                None if rest.is_empty() && whole => self.next.cloned(),
                None => Some(cut(self.argument, after)),
            };
        }
        if !self.is(name) {
            return None;
        }
        self.long_value()
    }

    /// As [`Given::value`] for an option that takes what it is given only where the two are one word: `-Oless`, `--pager=less`.
    pub(crate) fn attached(&self, name: &str, whole: &[&str]) -> Option<Argument> {
        let value = self.value_in_full(name, whole)?;
        let next = self.next.is_some_and(|next| next.span == value.span && next.text == value.text);
        (!next || self.has_attached()).then_some(value)
    }

    /// As [`Given::value`] for a program that takes any beginning of the option's name for it, but for the names in `whole`
    /// and those that are known to take a value: these are options of their own.
    pub(crate) fn value_in_full(&self, name: &str, whole: &[&str]) -> Option<Argument> {
        if !self.name.starts_with("--") {
            return self.value(name);
        }
        let is_another = whole.contains(&self.name) || self.values.contains(self.name);
        let is_begun = self.name.len() > 2 && name.starts_with(self.name) && !is_another;
        if self.name == name || is_begun { self.long_value() } else { None }
    }

    fn long_value(&self) -> Option<Argument> {
        if self.has_value() {
            Some(cut(self.argument, self.name.len() + 1))
        } else {
            self.next.cloned()
        }
    }

    /// The name as written, without a value: `--output` of `--output=x`; a bundle whole.
    #[must_use]
    pub fn long_name(&self) -> &'a str {
        self.name
    }

    fn abbreviates(&self, name: &str) -> bool {
        let given = self.name;
        let shorter = given.len() >= 2 + self.shortest && given.starts_with("--");
        // `--force` is an option of its own and not short for `--force-with-lease`; `--discard` is short.
        let is_free = || match self.manual.and_then(|manual| manual.has_whole(given)) {
            Some(is_whole) => !is_whole,
            None => self.shortest == 1 && !WHOLE_WORDS.contains(&given),
        };
        shorter && name.strip_prefix(given).is_some_and(|rest| !rest.starts_with('-') || is_free())
    }

    /// An option may take a value although the program's row does not list it: rows list what matters, and one letter
    /// may be a flag for one subcommand and take a value for another.
    fn leaves_doubt(&self) -> bool {
        !self.has_attached()
            && !self.written.starts_with("--no-")
            && !matches!(self.written, "--quiet" | "--silent" | "--verbose" | "--yes")
    }

    /// `--targ DIRECTORY`: all that it can be short for takes a value.
    fn abbreviates_one_with_value(&self) -> bool {
        // Whether any name begins so is quicker to say than whether one in a whole manual is it.
        self.manual.is_some_and(|manual| manual.abbreviates)
            && self.values.names.iter().any(|name| self.abbreviates(name))
            && self.manual.and_then(|manual| manual.has_whole(self.name)) == Some(false)
    }

    fn has_attached(&self) -> bool {
        self.has_value() || self.argument.text.pieces.len() > 1
    }

    /// Whether a value stands behind the name with `=` between them.
    fn has_value(&self) -> bool {
        self.name.len() < self.written.len()
    }

    fn takes_next(&self) -> bool {
        if self.has_attached() {
            return false;
        }
        let listed = |name: &str| self.values.contains(name);
        if self.written.starts_with("--") || (self.written.len() > 2 && listed(self.written)) {
            return listed(self.written) || self.abbreviates_one_with_value();
        }
        self.letters().last().is_some_and(|(at, last)| {
            at + last.len_utf8() == self.written.len() && self.values.has_letter(last)
        })
    }

    /// The letters of a bundle with their offsets, up to one whose value is the rest.
    fn letters(&self) -> impl Iterator<Item = (usize, char)> + use<'a> {
        let values = self.values;
        let bundle = if self.is_long { "" } else { self.written.get(1..).unwrap_or("") };
        let mut ended = false;
        bundle.char_indices().map_while(move |(at, given)| {
            if ended || !(given.is_alphanumeric() || given == '#' || given == '?') {
                return None;
            }
            ended = values.has_letter(given);
            Some((at + 1, given))
        })
    }
}

/// Every value of one option as written: `-o v`, `-ov`, `--option v`, `--option=v`.
pub(crate) fn values_of(arguments: &[Argument], option: &str) -> Vec<Argument> {
    let mut values = Vec::new();
    for (index, argument) in arguments.iter().enumerate() {
        let prefix = argument.text.known_prefix();
        if !prefix.starts_with(['-', '+']) {
            continue;
        }
        if argument.text.as_known() == Some("--") {
            break;
        }
        if argument.text.as_known() == Some(option) {
            values.extend(arguments.get(index + 1).cloned());
        } else if let Some(rest) = prefix.strip_prefix(option) {
            let attached =
                if option.starts_with("--") { rest.strip_prefix('=') } else { Some(rest) };
            if let Some(attached) = attached {
                let text = argument.text.beginning_with(attached);
                values.push(Argument { text, span: argument.span });
            }
        }
    }
    values
}

/// The letter of a short option's name.
fn letter(name: &str) -> Option<char> {
    // Nearly every name is plain ASCII, and this is asked of every name for every option.
    if let [b'-', first, rest @ ..] = name.as_bytes()
        && first.is_ascii()
    {
        return (rest.is_empty() && *first != b'-').then_some(char::from(*first));
    }
    let mut letters = name.strip_prefix('-')?.chars();
    let first = letters.next().filter(|letter| *letter != '-')?;
    letters.next().is_none().then_some(first)
}

/// A long option's name without its one or two dashes.
fn bare(name: &str) -> &str {
    name.strip_prefix("--").or_else(|| name.strip_prefix('-')).unwrap_or(name)
}

/// The argument without its first `bytes` known bytes.
fn cut(argument: &Argument, bytes: usize) -> Argument {
    let mut pieces = argument.text.pieces.iter();
    let first = match pieces.next() {
        Some(Piece::Known(known)) => known.get(bytes..).unwrap_or(""),
        _ => "",
    };
    let mut text: Text = argument.text.derive([]);
    text.push_known(first);
    for piece in pieces {
        text.push(piece.clone());
    }
    let plain =
        argument.text.as_known().is_some_and(|known| known.len() == argument.span.range().len());
    let start = argument.span.range().start;
    let span =
        if plain { Span::new(start + bytes, argument.span.range().end) } else { argument.span };
    Argument { text, span }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: &[&str] = &["-o", "--output", "-m", "-chdir"];

    fn arguments(line: &str) -> Vec<Argument> {
        let mut at = 0;
        line.split(' ')
            .map(|word| {
                let span = Span::new(at, at + word.len());
                at += word.len() + 1;
                let text = match word.split_once('$') {
                    Some((known, origin)) => {
                        let mut text = Text::known(known);
                        text.push(Piece::Unknown(origin.into()));
                        text
                    }
                    None => Text::known(word),
                };
                Argument { text, span }
            })
            .collect()
    }

    #[test]
    fn an_option_is_found_however_it_is_written() {
        for (line, names, expected) in [
            ("-rf x", &["-f"][..], true),
            ("-ofile", &["-f"], false),
            ("-of", &["-o"], true),
            ("--force", &["--force"], true),
            ("--forc", &["--force"], true),
            ("--fo", &["--force"], false),
            ("-force", &["--force"], true),
            ("--force", &["--force-with-lease"], false),
            ("--force-with-lease=main", &["--force"], false),
            ("--output --force", &["--force"], false),
            ("--message --force", &["--force"], true),
            ("-- --force", &["--force"], false),
            ("x --force", &["--force"], true),
            ("-mf", &["-f"], false),
            ("-m -f", &["-f"], false),
            ("-", &["-f"], false),
            ("--output=$x", &["--output"], true),
            ("-f$x", &["-f"], true),
            ("$x -f", &["-f"], true),
            ("-auto-approve", &["-auto-approve"], true),
            ("--auto-approve", &["-auto-approve"], true),
        ] {
            let arguments = arguments(line);
            assert_eq!(Options::new(&arguments, VALUES).has(names), expected, "{line} {names:?}");
        }
    }

    #[test]
    fn the_last_value_wins_and_knows_where_it_stands() {
        for (line, names, expected) in [
            ("-o a -o b", &["-o"][..], Some(("b", 8, 9))),
            ("-vofile", &["-o"], Some(("file", 3, 7))),
            ("-o=file", &["-o"], Some(("file", 3, 7))),
            ("--output=file", &["-o", "--output"], Some(("file", 9, 13))),
            ("--output file", &["-o", "--output"], Some(("file", 9, 13))),
            ("--outp file", &["--output"], Some(("file", 7, 11))),
            ("--output=", &["--output"], Some(("", 9, 9))),
            ("--output=a$b", &["--output"], Some(("a${b}", 0, 12))),
            ("-o$b", &["-o"], Some(("${b}", 0, 4))),
            ("-chdir=x", &["-chdir"], Some(("x", 7, 8))),
            ("-o", &["-o"], None),
            ("-- -o x", &["-o"], None),
            ("x", &["-o"], None),
        ] {
            let arguments = arguments(line);
            let value = Options::new(&arguments, VALUES).value(names);
            let found = value.map(|value| {
                (value.text.display(), value.span.range().start, value.span.range().end)
            });
            let expected = expected.map(|(text, start, end)| (text.to_owned(), start, end));
            assert_eq!(found, expected, "{line}");
        }
        let several = arguments("-o a --output=b -oc");
        let all: Vec<_> = Options::new(&several, VALUES)
            .values_of(&["-o", "--output"])
            .map(|value| value.text.display())
            .collect();
        assert_eq!(all, ["a", "b", "c"]);
    }

    #[test]
    fn operands_are_what_is_left() {
        for (line, expected) in [
            ("a -o b c", &["a", "c"][..]),
            ("-ob c", &["c"]),
            ("-vo b c", &["c"]),
            ("-- -o b", &["-o", "b"]),
            ("- -v", &["-"]),
            ("--output b --verbose c", &["c"]),
            ("-chdir d e", &["e"]),
            ("$x -o b", &["${x}"]),
        ] {
            let arguments = arguments(line);
            let found: Vec<_> = Options::new(&arguments, VALUES)
                .operands()
                .map(|operand| operand.text.display())
                .collect();
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn a_word_after_an_option_nobody_knows_is_doubtful() {
        let arguments = arguments("-x a --long b --no-colour c --set=d e");
        let doubtful: Vec<_> = Options::new(&arguments, VALUES)
            .words()
            .filter_map(|word| match word {
                Word::Doubtful(argument) => Some(argument.text.display()),
                _ => None,
            })
            .collect();
        assert_eq!(doubtful, ["a", "b"]);
    }
}
