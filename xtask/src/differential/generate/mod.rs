//! Harmless scripts that use the shell as people and attackers do. Owns the choice of constructs and how they nest; what a
//! script does is asked of bash, so nothing here knows it. Scripts use builtins, programs that stand on the shims' path, and
//! relative paths, and nothing else.

mod commands;
mod control;
mod decoded;
mod lasting;
mod values;
mod words;

use std::collections::BTreeSet;

pub(crate) use self::decoded::{base64, hex};

use crate::random::Random;

/// Programs that do nothing but record that they ran.
pub(super) const SHIMS: &[&str] =
    &["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "shim1", "make-it", "tool_x"];

/// What arguments are.
const ARGUMENTS: &[&str] = &[
    "one",
    "two",
    "three",
    "1",
    "42",
    "-x",
    "-v",
    "--long=value",
    "a.txt",
    "sub/b.txt",
    "two words",
    "  spaced  ",
    "it's",
    "say \"hi\"",
    "x;y",
    "a|b",
    "$dollar",
    "`tick`",
    "*",
    "?",
    "[ab]",
    "~",
    "{a,b}",
    "#hash",
    "!bang",
    "back\\slash",
    "tab\there",
    "line\nbreak",
    "",
    "é",
    "key=value",
    "a&b",
    "(p)",
    "<in",
    "%s",
    "@host",
    "a:b:c",
    "A,B",
    "-",
    "--",
    "100%",
    "\\n",
    "x=1",
];

/// A script in pieces, each of which stands alone, so that the smallest one that still shows a thing can be found.
pub(super) struct Script {
    /// The statements in order.
    pub(super) statements: Vec<String>,
    /// The constructs that it uses.
    pub(super) constructs: BTreeSet<&'static str>,
    /// Whether what it runs depends on what nobody can know: it must be said to be so.
    pub(super) is_unknowable: bool,
}

impl Script {
    /// The script as it is run.
    pub(super) fn text(&self) -> String {
        self.statements.join("\n")
    }
}

/// The script of this number under a seed.
pub(super) fn script(seed: u64, number: u64) -> Script {
    let random = Random::new(seed.wrapping_mul(0x1_0000_0001).wrapping_add(number));
    let mut writer =
        Writer { random, used: BTreeSet::new(), names: 0, left: 14, unknowable: false };
    let count = 1 + writer.below(4);
    let statements = (0..count).map(|_| writer.statement(0)).collect();
    Script { statements, constructs: writer.used, is_unknowable: writer.unknowable }
}

/// A word that becomes one argument, with the statements that must run before it.
pub(super) struct Spelled {
    /// Whole lines; empty where nothing needs to be said.
    before: String,
    /// One word.
    word: String,
}

impl Spelled {
    fn word(word: impl Into<String>) -> Self {
        Self { before: String::new(), word: word.into() }
    }

    fn after(before: impl Into<String>, word: impl Into<String>) -> Self {
        let mut before = before.into();
        before.push('\n');
        Self { before, word: word.into() }
    }
}

/// A way to write a text as one word.
type Spelling = fn(&mut Writer, &str) -> Spelled;

/// A way to write a statement, one level deeper than the number.
type Statement = fn(&mut Writer, u32) -> String;

/// What is known while a script is written.
pub(super) struct Writer {
    random: Random,
    used: BTreeSet<&'static str>,
    /// How many names were made up.
    names: u32,
    /// How many more statements the script may have.
    left: u32,
    /// Whether something was written that nobody can know.
    unknowable: bool,
}

/// How deep statements nest.
const DEPTH: u32 = 3;

impl Writer {
    fn below(&mut self, bound: u64) -> u64 {
        self.random.below(bound)
    }

    fn one_in(&mut self, chances: u64) -> bool {
        self.below(chances) == 0
    }

    fn choose<T: Copy>(&mut self, choices: &[T], otherwise: T) -> T {
        let index = self.below(choices.len() as u64);
        usize::try_from(index)
            .ok()
            .and_then(|index| choices.get(index))
            .copied()
            .unwrap_or(otherwise)
    }

    /// A name that the script has not used.
    fn name(&mut self) -> String {
        self.names += 1;
        let stem = self.choose(&["v", "name", "_t", "Item", "VALUE", "x"], "v");
        format!("{stem}{}", self.names)
    }

    fn program(&mut self) -> &'static str {
        self.choose(SHIMS, "alpha")
    }

    fn argument(&mut self) -> &'static str {
        self.choose(ARGUMENTS, "one")
    }

    /// A text as one word in some way.
    fn spell(&mut self, text: &str) -> Spelled {
        if self.below(5) < 2 {
            return Spelled::word(plain(text));
        }
        let tables: &[&[(&str, Spelling)]] =
            &[words::SPELLINGS, values::SPELLINGS, decoded::SPELLINGS];
        let table = match self.below(10) {
            0..=3 => tables.first(),
            4..=7 => tables.get(1),
            _ => tables.get(2),
        };
        let Some((name, spelling)) =
            table.and_then(|table| self.choose(&table.iter().map(Some).collect::<Vec<_>>(), None))
        else {
            return Spelled::word(plain(text));
        };
        self.used.insert(name);
        spelling(self, text)
    }

    /// A shim with arguments, in some spelling: lines to run before, and the command.
    fn command(&mut self) -> (String, String) {
        let program = self.program();
        let name = if self.one_in(2) { Spelled::word(program) } else { self.spell(program) };
        let mut before = name.before;
        let mut command = name.word;
        for _ in 0..self.below(4) {
            let argument = self.argument();
            let spelled = self.spell(argument);
            before.push_str(&spelled.before);
            command.push(' ');
            command.push_str(&spelled.word);
        }
        (before, command)
    }

    /// A command on one line, without anything to run before it.
    fn plain_command(&mut self) -> String {
        let mut command = self.program().to_owned();
        for _ in 0..self.below(3) {
            command.push(' ');
            command.push_str(&plain(self.argument()));
        }
        command
    }

    /// A command that can stand in quotes of every kind and on every line.
    fn tame_command(&mut self) -> String {
        let mut command = self.program().to_owned();
        for _ in 0..=self.below(2) {
            command.push(' ');
            command.push_str(self.choose(&["one", "two", "-x", "a.txt", "k=v", "42"], "one"));
        }
        command
    }

    /// A statement, which ends without a newline.
    fn statement(&mut self, depth: u32) -> String {
        self.left = self.left.saturating_sub(1);
        if depth >= DEPTH || self.left == 0 || self.one_in(4) {
            let (before, command) = self.command();
            return format!("{before}{command}");
        }
        let table = match self.below(3) {
            0 => control::STATEMENTS,
            1 => commands::STATEMENTS,
            _ => lasting::STATEMENTS,
        };
        let Some((name, statement)) =
            self.choose(&table.iter().map(Some).collect::<Vec<_>>(), None)
        else {
            return self.plain_command();
        };
        self.used.insert(name);
        statement(self, depth + 1)
    }

    /// One to three statements, each on lines of its own, with a newline at the end.
    fn block(&mut self, depth: u32) -> String {
        let mut block = String::new();
        for _ in 0..=self.below(2) {
            block.push_str(&self.statement(depth));
            block.push('\n');
        }
        block
    }
}

/// A text in single quotes, or bare where nothing in it means anything.
pub(super) fn plain(text: &str) -> String {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./,:@%+".contains(&byte);
    if !text.is_empty() && text.bytes().all(bare) { text.to_owned() } else { quoted(text) }
}

/// A text in single quotes.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A text in double quotes.
fn double_quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        if matches!(character, '"' | '\\' | '$' | '`') {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted.push('"');
    quoted
}

/// Whether a text is a word without any meaning to the shell, to patterns or to a separator.
fn is_simple(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.')
}

/// A text cut in two, somewhere in the middle of it.
fn halves(writer: &mut Writer, text: &str) -> (String, String) {
    let characters: Vec<char> = text.chars().collect();
    let at = writer.below(characters.len() as u64 + 1);
    let at = usize::try_from(at).unwrap_or(0);
    (characters.iter().take(at).collect(), characters.iter().skip(at).collect())
}
