//! Commands in rules. Owns how a pattern meets a program that would run: narrowly for rules that allow, by meaning for
//! rules that ask or deny.

use super::{RuleProblem, wildcard};
use crate::{
    effect::Run,
    programs::{self, Options},
};

/// A pattern for one command.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct CommandPattern {
    words: Vec<String>,
    /// Further arguments may follow.
    more: bool,
}

/// More words than any rule needs; keeps matching bounded.
const MAX_WORDS: usize = 64;

impl CommandPattern {
    pub(super) fn new(text: &str) -> Result<Self, RuleProblem> {
        let text = text.trim();
        let (text, mut more) = match text.strip_suffix(":*").or_else(|| text.strip_suffix(" *")) {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        if text.contains(":* ") {
            return Err(RuleProblem::PrefixMark);
        }
        let words = split(text)?;
        if words.is_empty() {
            return Err(RuleProblem::EmptySpecifier);
        }
        if words.len() > MAX_WORDS {
            return Err(RuleProblem::TooManyWords);
        }
        more |= words.last().is_some_and(|word| word.ends_with('*'));
        Ok(Self { words, more })
    }

    /// The words, the program first, and whether further ones may follow.
    pub(super) fn parts(&self) -> (&[String], bool) {
        (&self.words, self.more)
    }

    /// Whether a rule that allows covers this run: the program as written, its first arguments word by word, and further
    /// ones only where the pattern says so and where they cannot make the program run or write something else.
    pub(super) fn covers(&self, run: &Run) -> bool {
        let Some((program, wanted)) = self.words.split_first() else { return false };
        if !covers_program(program, run) {
            return false;
        }
        let mut given = run.arguments.iter();
        for word in wanted {
            let Some(argument) = given.next().and_then(|argument| argument.text.as_known()) else {
                return false;
            };
            let fits =
                if word == "*" { !argument.starts_with('-') } else { wildcard(word, argument) };
            if !fits {
                return false;
            }
        }
        let mut rest = given.peekable();
        if !self.more {
            return rest.peek().is_none();
        }
        let loaded = loaded_options(&run.program);
        rest.all(|argument| match argument.text.as_known() {
            Some(word) => !loaded.iter().any(|option| gives(word, option)),
            None => {
                let known = argument.text.known_prefix();
                loaded.is_empty() || !(known.is_empty() || known.starts_with('-'))
            }
        })
    }

    /// Whether a rule that asks or denies is about this run: the program wherever it lies, the options given in whatever
    /// spelling and order, the operands in order.
    pub(super) fn touches(&self, run: &Run) -> bool {
        let Some((program, wanted)) = self.words.split_first() else { return false };
        let base = program.rsplit('/').next().unwrap_or(program);
        let written = run.name.text.as_known().unwrap_or_default();
        // `/usr/bin/gmake` is known as make: a rule may say either, with its directory or without.
        let called = written.rsplit('/').next().unwrap_or(written);
        let names = [run.program.as_str(), called];
        if !names.iter().any(|name| wildcard(base, name)) && !wildcard(program, written) {
            return false;
        }
        let arguments: Vec<&str> =
            run.arguments.iter().filter_map(|argument| argument.text.as_known()).collect();
        let (options, operands): (Vec<&String>, Vec<&String>) =
            wanted.iter().partition(|word| word.starts_with('-') && word.len() > 1);
        if !options.iter().all(|option| is_given(option, &arguments)) {
            return false;
        }
        let values = programs::program(&run.program).map_or(&[][..], |row| row.values);
        let given = Options::new(&run.arguments, values);
        let given: Vec<Option<&str>> =
            given.operands().map(|argument| argument.text.as_known()).collect();
        // Without a table of the program's options, an option's value looks like an operand.
        in_order(&operands, &given, self.more) || (!run.known && in_order(&operands, &given, true))
    }
}

/// The program of an allow rule: as written, or in one of the directories that only the system's owner fills.
fn covers_program(pattern: &str, run: &Run) -> bool {
    const TRUSTED: &[&str] = &["/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/"];
    let Some(written) = run.name.text.as_known() else { return false };
    if written.is_empty() {
        return false;
    }
    let plain = !written.contains('/') || pattern.contains('/');
    (plain && wildcard(pattern, written))
        || (TRUSTED.iter().any(|directory| {
            written
                .strip_prefix(directory)
                .is_some_and(|name| !name.contains('/') && wildcard(pattern, name))
        }))
}

/// Options that make a program run or write something else, so that "further arguments" does not mean them; a rule that
/// wants them spells them.
fn loaded_options(program: &str) -> &'static [&'static str] {
    LOADED.iter().find(|(name, _)| *name == program).map_or(&[], |(_, options)| options)
}

const LOADED: &[(&str, &[&str])] = &[
    ("ag", &["--pager"]),
    ("cargo", &["--config", "-Z"]),
    ("curl", &["-o", "-O", "-K", "--output", "--config", "--remote-name", "-T", "--upload-file"]),
    ("env", &["-S", "--split-string"]),
    (
        "find",
        &[
            "-delete", "-exec", "-execdir", "-ok", "-okdir", "-fls", "-fprint", "-fprint0",
            "-fprintf",
        ],
    ),
    (
        "git",
        &[
            "-O",
            "-c",
            "-o",
            "-x",
            "--config",
            "--config-env",
            "--exec",
            "--exec-path",
            "--ext-diff",
            "--extcmd",
            "--open-files-in-pager",
            "--output",
            "--receive-pack",
            "--textconv",
            "--tool",
            "--upload-pack",
        ],
    ),
    ("go", &["-exec", "-modfile", "-o", "-overlay", "-toolexec", "-vettool"]),
    ("jest", &["--config", "--globalSetup", "--setupFiles", "--testRunner", "--rootDir"]),
    ("less", &["-k", "-o", "-O", "--lesskey-file", "--log-file"]),
    ("make", &["-C", "-f", "-I", "--directory", "--eval", "--file", "--makefile", "SHELL="]),
    ("man", &["-P", "-H", "--pager", "--html"]),
    ("node", &["-e", "-p", "-r", "--eval", "--import", "--loader", "--print", "--require"]),
    (
        "npm",
        &[
            "-C",
            "--prefix",
            "--script-shell",
            "--node-options",
            "--userconfig",
            "--globalconfig",
            "--shell",
            "--workspace",
            "--git",
        ],
    ),
    ("pip", &["--index-url", "-i", "--extra-index-url", "--target", "-t", "--config-settings"]),
    ("pnpm", &["-C", "--dir", "--script-shell", "--shell-mode"]),
    ("pytest", &["-c", "-p", "--confcutdir", "--rootdir", "-o", "--override-ini"]),
    ("python", &["-c", "-m"]),
    ("python3", &["-c", "-m"]),
    ("rg", &["--pre", "--hostname-bin"]),
    ("rsync", &["-e", "--rsh", "--rsync-path"]),
    ("sed", &["-i", "--in-place", "-e", "-f", "--expression", "--file"]),
    ("sort", &["-o", "--output", "--compress-program", "-T"]),
    ("ssh", &["-o", "-F", "-E", "-J"]),
    (
        "tar",
        &[
            "-I",
            "-F",
            "-T",
            "--checkpoint-action",
            "--to-command",
            "--use-compress-program",
            "--info-script",
            "--new-volume-script",
            "--rsh-command",
            "-P",
        ],
    ),
    ("tee", &["-p"]),
    ("uv", &["--config-file", "--index-url", "--directory"]),
    (
        "wget",
        &[
            "-O",
            "-o",
            "--output-document",
            "--output-file",
            "--post-file",
            "--use-askpass",
            "--config",
        ],
    ),
    ("yarn", &["--cwd", "--use-yarnrc"]),
    ("zip", &["-TT", "--unzip-command", "-T"]),
];

/// Whether a word gives an option, also abbreviated, in a bundle, or with its value.
fn gives(word: &str, option: &str) -> bool {
    if let Some(long) = option.strip_prefix("--") {
        let Some(name) = word.strip_prefix("--") else { return false };
        let name = name.split('=').next().unwrap_or(name);
        return !name.is_empty() && long.starts_with(name);
    }
    let Some(letters) = option.strip_prefix('-') else { return word.starts_with(option) };
    let Some(given) = word.strip_prefix('-').filter(|given| !given.starts_with('-')) else {
        // Tools with words for options (`-exec`) take two dashes too.
        return letters.len() > 1
            && word.strip_prefix("--").is_some_and(|name| name.split('=').next() == Some(letters));
    };
    if letters.len() == 1 {
        given.split('=').next().unwrap_or(given).contains(letters)
    } else {
        given.split('=').next() == Some(letters)
    }
}

/// Whether an option of a pattern is among the arguments, whatever its spelling: `-rf` is `-fr`, `-r -f`, `--recursive
/// --force`.
fn is_given(option: &str, arguments: &[&str]) -> bool {
    if option.contains('*') {
        return arguments.iter().any(|argument| wildcard(option, argument));
    }
    if arguments.contains(&option) {
        return true;
    }
    let Some(letters) = option.strip_prefix('-').filter(|letters| !letters.starts_with('-')) else {
        let name = option.split('=').next().unwrap_or(option);
        let letter = LONG.iter().find(|(_, long)| *long == name).map(|(letter, _)| *letter);
        return arguments.iter().any(|argument| {
            (argument.len() > 3 && gives(argument, option))
                || letter.is_some_and(|letter| bundle(argument).contains(letter))
        });
    };
    letters.chars().all(|letter| {
        let long = LONG.iter().find(|(short, _)| *short == letter).map(|(_, long)| *long);
        let other = if letter == 'r' { 'R' } else { letter };
        arguments.iter().any(|argument| {
            bundle(argument).contains([letter, other])
                || long.is_some_and(|long| argument.len() > 3 && gives(argument, long))
        })
    })
}

/// Short options that mean their long ones in every common tool.
const LONG: &[(char, &str)] = &[('f', "--force"), ('r', "--recursive"), ('R', "--recursive")];

fn bundle(argument: &str) -> &str {
    argument.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default()
}

/// Whether the wanted operands stand in this order at the start; `*` for any number of them.
fn in_order(wanted: &[&String], given: &[Option<&str>], more: bool) -> bool {
    // reached[i]: the first i operands fit the words so far.
    let mut reached = vec![false; given.len() + 1];
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    for word in wanted {
        let mut next = vec![false; given.len() + 1];
        let mut any_before = false;
        for (index, cell) in next.iter_mut().enumerate() {
            any_before |= reached.get(index).copied().unwrap_or(false);
            *cell = if word.as_str() == "*" {
                any_before
            } else {
                index
                    .checked_sub(1)
                    .filter(|before| reached.get(*before).copied().unwrap_or(false))
                    .and_then(|before| given.get(before).copied().flatten())
                    .is_some_and(|operand| wildcard(word, operand))
            };
        }
        reached = next;
    }
    if more {
        reached.into_iter().any(|fits| fits)
    } else {
        reached.last().copied().unwrap_or(false)
    }
}

/// The words of a pattern, as a shell would split them; quoted text is one word.
fn split(text: &str) -> Result<Vec<String>, RuleProblem> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(letter),
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, ';' | '|' | '&' | '<' | '>' | '(' | ')' | '\n' | '\r') => {
                return Err(RuleProblem::SeveralCommands);
            }
            (None, '`' | '$') => return Err(RuleProblem::Expansion),
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(letter),
        }
    }
    if quote.is_some() {
        return Err(RuleProblem::Quote);
    }
    words.extend(word);
    Ok(words)
}
