//! The options of programs as their manuals list them, whole: for each its name, and what stands behind it. Owns how a word is
//! found in such a list and what follows from its kind; the lists are in the files below, one program in one place.
//!
//! Of these programs an option that the list does not have is not understood. What an option of a kind does that has a
//! meaning of its own (a shell line, a setting of ssh, a script of Vim) is said by the tables around this.

use portcullis_syntax::Span;

use super::is_temporary;
use crate::{
    effect::{Argument, GapReason, WriteMode},
    programs::cards,
    programs::host::Host,
    programs::invocation::Invocation,
    text::{Piece, Taint, Text},
};

mod archives;
mod builders;
mod containers;
mod crypto;
mod databases;
mod git;
mod languages;
mod packages;
mod read;
mod remote;
#[cfg(test)]
mod tests;
mod text;
mod variables;
mod wrappers;

pub(crate) use read::{Word, read};
pub(super) use variables::held;

/// All options of one program: each kind is a sorted list of names.
#[derive(Clone, Copy)]
pub(crate) struct Manual {
    /// The program's names.
    pub(crate) programs: &'static [&'static str],
    /// The manual and its version.
    #[cfg_attr(not(test), expect(dead_code, reason = "where a row comes from belongs to it"))]
    pub(crate) source: &'static str,
    pub(in crate::programs) dashes: Dashes,
    /// Whether any beginning of a long option's name stands for it.
    pub(crate) abbreviates: bool,
    pub(in crate::programs) ends: Ends,
    /// Its subcommands: behind another word nothing is known. Empty where it has none.
    pub(in crate::programs) verbs: Words,
    /// Options before the subcommand that take a value, where the same name has none behind it.
    pub(in crate::programs) before: Words,
    /// Subcommands that hand on what they do not know.
    pub(in crate::programs) open: Words,
    /// Options that are written in one word with what is said, whatever that is: `-Dname=value`.
    pub(in crate::programs) glued: Words,
    /// Options that take their value in the same word only, whatever kind they are of.
    pub(in crate::programs) joined: Words,
    /// Options behind which every word is another program's.
    pub(in crate::programs) finals: Words,
    /// Nothing is said but the option.
    pub(in crate::programs) flags: Words,
    /// The value is data.
    pub(in crate::programs) values: Words,
    /// A flag for one subcommand and with a value for another, or with a value in the same word only; data.
    pub(in crate::programs) either: Words,
    /// The value is more than data, and a row elsewhere says what: of the program itself, or among the escapes.
    pub(in crate::programs) followed: Words,
    /// The value is a file that is read.
    pub(in crate::programs) reads: Words,
    /// The value is a file or a directory that is written.
    pub(in crate::programs) writes: Words,
    /// The value is a command, or names a program.
    pub(in crate::programs) runs: Words,
    /// The value names code that is loaded or run by the program: as much as if it had been run by it.
    pub(in crate::programs) scripts: Words,
    /// The value names settings or plugins that may name programs.
    pub(in crate::programs) loads: Words,
    /// The value holds options of another program.
    pub(in crate::programs) passes: Words,
    /// The value is a variable for the program that is run.
    pub(in crate::programs) sets: Words,
    /// The value is a host, an address or a proxy.
    pub(in crate::programs) reaches: Words,
    /// The value is an identity or a credential, or a file of them.
    pub(in crate::programs) secrets: Words,
}

/// Names, sorted, with a blank between two: one text, because a list of texts costs something at each start of the program.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Words(pub(in crate::programs) &'static str);

impl Words {
    pub(crate) const NONE: Self = Self("");

    /// The names in order.
    pub(crate) fn words(self) -> impl Iterator<Item = &'static str> {
        self.0.split(' ').filter(|word| !word.is_empty())
    }

    const fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The name, if it is one of these.
    pub(crate) fn has(self, word: &str) -> Option<&'static str> {
        self.at(word).filter(|found| *found == word)
    }

    /// The first name that does not stand before `word`.
    fn at(self, word: &str) -> Option<&'static str> {
        let (mut low, mut high) = (0, self.0.len());
        while low < high {
            let between = self.0.get(low..usize::midpoint(low, high))?;
            let start = between.rfind(' ').map_or(low, |blank| low + blank + 1);
            let found = self.beginning(start)?;
            if found < word {
                low = start + found.len() + 1;
            } else {
                high = start;
            }
        }
        self.beginning(low).filter(|found| !found.is_empty())
    }

    fn beginning(self, start: usize) -> Option<&'static str> {
        self.0.get(start..)?.split(' ').next()
    }
}

/// How a program's long options begin.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::programs) enum Dashes {
    /// With two; behind one dash letters are bundled.
    Two,
    /// With one or two; nothing is bundled.
    One,
}

/// Where a program's own words end.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::programs) enum Ends {
    /// Nowhere but behind `--`.
    Never,
    /// At the first operand.
    AtOperand,
    /// At the first operand behind one of these subcommands.
    Behind(Words),
}

/// What stands behind an option.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    Flag,
    Value,
    Either,
    Followed,
    Reads,
    Writes,
    Runs,
    Scripts,
    Loads,
    Passes,
    Sets,
    Reaches,
    Secrets,
}

impl Manual {
    pub(in crate::programs) const EMPTY: Self = Self {
        programs: &[],
        source: "",
        dashes: Dashes::Two,
        abbreviates: false,
        ends: Ends::Never,
        verbs: Words::NONE,
        before: Words::NONE,
        open: Words::NONE,
        glued: Words::NONE,
        joined: Words::NONE,
        finals: Words::NONE,
        flags: Words::NONE,
        values: Words::NONE,
        either: Words::NONE,
        followed: Words::NONE,
        reads: Words::NONE,
        writes: Words::NONE,
        runs: Words::NONE,
        scripts: Words::NONE,
        loads: Words::NONE,
        passes: Words::NONE,
        sets: Words::NONE,
        reaches: Words::NONE,
        secrets: Words::NONE,
    };

    /// Each kind with its names; what asks for more stands first.
    pub(crate) const fn kinds(&self) -> [(Kind, Words); 13] {
        [
            (Kind::Runs, self.runs),
            (Kind::Sets, self.sets),
            (Kind::Passes, self.passes),
            (Kind::Scripts, self.scripts),
            (Kind::Loads, self.loads),
            (Kind::Writes, self.writes),
            (Kind::Reaches, self.reaches),
            (Kind::Secrets, self.secrets),
            (Kind::Reads, self.reads),
            (Kind::Followed, self.followed),
            (Kind::Either, self.either),
            (Kind::Value, self.values),
            (Kind::Flag, self.flags),
        ]
    }
}

/// The manual of a program.
pub(crate) fn manual(program: &str) -> Option<&'static Manual> {
    if let Some(card) = cards::card(program) {
        return card.manual;
    }
    let at = MANUALS.binary_search_by(|(name, _)| (*name).cmp(program)).ok()?;
    MANUALS.get(at).map(|(_, manual)| *manual)
}

/// Whether a long option's name is one that the manual of a program has whole; `None` where no manual is known, or the program
/// takes no abbreviations.
pub(in crate::programs) fn is_whole(program: &str, name: &str) -> Option<bool> {
    let manual = manual(program).filter(|manual| manual.abbreviates)?;
    Some(manual.kinds().iter().any(|(_, words)| words.has(name).is_some()))
}

/// Whether a program takes this option with its value joined to it and behind it alike, as far as its manual says. Some rows
/// stand for several programs.
#[cfg(test)]
pub(in crate::programs) fn reads_both(program: &str, option: &str) -> bool {
    manual(program).is_none_or(|manual| {
        let is_there = manual.kinds().iter().any(|(_, words)| words.has(option).is_some());
        is_there && (option.len() > 2 || manual.dashes == Dashes::Two)
    })
}

/// Reads the words of a program with the list of its options, and the variables that it is given.
pub(super) fn follow(walk: &mut dyn Host, invocation: &Invocation, own: &[Argument]) {
    variables::follow(walk, invocation);
    // Most commands have no option.
    let is_option = |word: &Argument| word.text.known_prefix().starts_with('-');
    if invocation.program != "gh" && !invocation.arguments.iter().chain(own).any(is_option) {
        return;
    }
    let Some(manual) = manual(&invocation.program) else { return };
    // Their own words go on behind the subcommand.
    let words = match invocation.program.as_str() {
        "docker" | "podman" => invocation.arguments.as_slice(),
        _ => own,
    };
    for word in read(manual, words) {
        match word {
            Word::Unknown(argument) => walk.gap(argument.span, GapReason::UnknownOption),
            Word::Known(kind, name, value) => {
                act(walk, &invocation.program, kind, name, &value, &invocation.written());
            }
        }
    }
    match invocation.program.as_str() {
        "cargo" | "gh" | "go" => by_operands(walk, invocation),
        "ssh-keygen" => key_made(walk, invocation, own),
        _ => {}
    }
}

/// `ssh-keygen -f KEY <<< y`: a key is made where one lies, which is asked about and answered beforehand. Without an answer the one
/// that is there stays. A list of what is revoked (`-k`) takes the place of whatever is there.
fn key_made(walk: &mut dyn Host, invocation: &Invocation, own: &[Argument]) {
    /// What it does instead of making a key.
    const OTHER: &[&str] = &[
        "-A", "-B", "-D", "-F", "-H", "-K", "-L", "-M", "-Q", "-R", "-U", "-Y", "-c", "-e", "-i",
        "-k", "-l", "-p", "-r", "-s", "-y",
    ];
    const VALUES: &[&str] = &[
        "-C", "-D", "-E", "-F", "-I", "-M", "-N", "-O", "-P", "-R", "-V", "-Y", "-Z", "-a", "-b",
        "-f", "-m", "-n", "-r", "-s", "-t", "-w", "-z",
    ];
    let options = crate::programs::Options::new(own, VALUES);
    if let Some(file) = options.value(&["-f"])
        && options.has(&["-k"])
    {
        walk.write(&file, WriteMode::Replace, Text::unknown("a list of revoked keys"));
    }
    let Some(answer) = invocation.input.as_ref().filter(|answer| !answer.is_empty()) else {
        return;
    };
    let known = answer.known_prefix().trim_start();
    let agrees = known.starts_with(['y', 'Y']) || known.is_empty() && answer.has_unknown();
    if let Some(file) = options.value(&["-f"])
        && agrees
        && !options.has(OTHER)
    {
        walk.write(&file, WriteMode::Replace, Text::unknown("a key"));
    }
}

/// What a subcommand makes of its operands: settings for good, and words for a compiler.
fn by_operands(walk: &mut dyn Host, invocation: &Invocation) {
    let words = invocation.arguments.as_slice();
    let word = |at: usize| words.get(at).and_then(|word| word.text.as_known()).unwrap_or("");
    match (invocation.program.as_str(), word(0), word(1)) {
        ("gh", "config", "set") if matches!(word(2), "browser" | "editor" | "pager") => {
            if let Some(value) = words.get(3) {
                named_program(walk, value);
            }
        }
        ("go", "env", "-w") => {
            for word in words {
                let Some((name, _)) = word.text.known_prefix().split_once('=') else { continue };
                let (name, behind) = (name.to_owned(), name.len() + 1);
                let rest = word.text.known_prefix().get(behind..).unwrap_or("").to_owned();
                walk.environment(&name, &word.text.beginning_with(&rest), word.span);
            }
        }
        ("cargo", "rustc" | "rustdoc", _) => {
            let behind = words.iter().skip_while(|word| word.text.as_known() != Some("--"));
            for word in behind {
                variables::compiler(walk, &word.text, word.span);
            }
        }
        _ => {}
    }
}

/// What the options do that stand in a variable: `GOFLAGS`, `MAVEN_OPTS`.
pub(super) fn options_of(walk: &mut dyn Host, program: &str, words: &[Argument], span: Span) {
    let Some(manual) = manual(program) else { return };
    for word in read(manual, words) {
        match word {
            Word::Unknown(_) => walk.gap(span, GapReason::UnknownOption),
            Word::Known(kind, name, value) => {
                act(walk, program, kind, name, &value, &Text::unknown(program));
            }
        }
    }
}

fn act(
    walk: &mut dyn Host,
    program: &str,
    kind: Kind,
    name: &str,
    value: &Argument,
    written: &Text,
) {
    let known = value.text.known_prefix();
    match kind {
        // What a build makes is there to be run, and lies where people want it.
        Kind::Writes if program == "go" && name == "-o" => built(walk, value, written),
        Kind::Writes if !matches!(known, "" | "-") => {
            walk.write(value, WriteMode::Replace, written.clone());
        }
        // A program of the project that gets what is made is run as it is by its path.
        Kind::Runs if (program, name) == ("helm", "--post-renderer") => {
            if super::names_temporary(&value.text) {
                walk.note("execution.temporary.escape", value.span);
            }
            walk.shell(&value.text, value.span, &[], None);
        }
        Kind::Runs => named_program(walk, value),
        Kind::Scripts => script(walk, program, value),
        Kind::Loads => loaded(walk, value),
        Kind::Passes => {
            let other = if program == "rsync" { "rsync" } else { "ssh" };
            let words = super::words_of(&value.text, value.span);
            if program == "rsync" && at_other_side(&words) {
                walk.note("network.copy.remote-option", value.span);
            }
            super::options_of(walk, other, &words);
        }
        Kind::Sets => {
            if let Some((name, _)) = known.split_once('=') {
                let set = value.text.beginning_with(known.get(name.len() + 1..).unwrap_or(""));
                let name = name.to_owned();
                walk.environment(&name, &set, value.span);
            }
        }
        Kind::Followed if program == "cargo" && name == "--config" => {
            variables::compiler(walk, &value.text, value.span);
        }
        Kind::Followed if program.starts_with("wget") && matches!(name, "-e" | "--execute") => {
            wgetrc(walk, value, written);
        }
        // A file of cookies, unless it is one of them.
        Kind::Secrets if matches!(name, "-b" | "--cookie") && !known.contains('=') => {
            walk.read(value);
        }
        // The linker that a Go build runs stands among the linker's flags.
        Kind::Value if name == "-ldflags" && known.contains("-extld") => {
            for (_, rest) in known.match_indices("-extld=").map(|(at, _)| known.split_at(at + 7)) {
                let text = value.text.beginning_with(rest);
                named_program(walk, &Argument { text, span: value.span });
            }
        }
        _ => {}
    }
}

/// Whether an option that rsync hands to its other side writes, loads or runs something there.
fn at_other_side(words: &[Argument]) -> bool {
    read(&remote::RSYNC, words).into_iter().any(|word| {
        matches!(
            word,
            Word::Known(Kind::Writes | Kind::Runs | Kind::Loads | Kind::Secrets, ..)
                | Word::Known(
                    Kind::Followed,
                    "--backup-dir" | "--config" | "--temp-dir" | "-T" | "--rsh" | "-e",
                    _
                )
                | Word::Known(Kind::Flag, "--daemon" | "--write-devices" | "--copy-devices", _)
                | Word::Unknown(_)
        )
    })
}

/// A program is built: what its file says is not known, which matters where it takes the place of settings that others read.
fn built(walk: &mut dyn Host, value: &Argument, written: &Text) {
    let known = value.text.known_prefix();
    let is_hidden = |part: &str| part.len() > 1 && part.starts_with('.') && part != "..";
    if known.split('/').any(is_hidden) || known.starts_with("/etc/") {
        walk.write(value, WriteMode::Replace, written.clone());
    }
}

/// `name = value` as it stands in a wgetrc.
fn wgetrc(walk: &mut dyn Host, value: &Argument, written: &Text) {
    let Some((name, _)) = value.text.known_prefix().split_once('=') else { return };
    let rest = value.text.known_prefix().get(name.len() + 1..).unwrap_or("").trim_start();
    let said = Argument { text: value.text.beginning_with(rest), span: value.span };
    match name.trim().to_ascii_lowercase().replace(['-', '_'], "").as_str() {
        "useaskpass" => named_program(walk, &said),
        "logfile" | "outputdocument" | "dirprefix" | "savecookies" | "warcfile" => {
            walk.write(&said, WriteMode::Replace, written.clone());
        }
        "postfile" | "bodyfile" => {
            walk.read(&said);
            walk.gap(value.span, GapReason::UnknownOption);
        }
        _ => {}
    }
}

/// A command, or the path of a program. A name alone is one that is installed.
pub(super) fn named_program(walk: &mut dyn Host, value: &Argument) {
    let known = value.text.known_prefix().trim_start();
    let is_path = ["/", "./", "../", "~/"].iter().any(|start| known.starts_with(start));
    if !is_path && !known.contains(char::is_whitespace) {
        return;
    }
    if super::names_temporary(&value.text) {
        walk.note("execution.temporary.escape", value.span);
    }
    super::run_program(walk, value);
}

/// Code that a program loads or runs as its own: asked about where it lies among temporary files and this call did not write it.
fn script(walk: &mut dyn Host, program: &str, value: &Argument) {
    let known = value.text.known_prefix();
    if known.starts_with("data:") {
        walk.gap(value.span, GapReason::UnknownCode);
        return;
    }
    if walk.wrote(&value.text) {
        let language = match program {
            "node" | "nodejs" => "javascript",
            "perl" => "perl",
            "ruby" => "ruby",
            "nvim" => "lua",
            _ => return,
        };
        walk.script(language, value, &[], None);
    } else if lies_among_temporary(known) {
        walk.note("execution.temporary.escape", value.span);
    }
}

/// Settings or plugins that may name programs: what a call wrote into them is not read, and among temporary or fetched files nobody knows
/// them.
pub(in crate::programs) fn loaded(walk: &mut dyn Host, value: &Argument) {
    let known = value.text.known_prefix();
    if matches!(known, "" | "-" | "/dev/null") {
        return;
    }
    if walk.wrote(&value.text) {
        let content = walk.read(value);
        if content.taint.has(Taint::NETWORK) || !content.is_empty() {
            walk.gap(value.span, GapReason::UnknownCode);
        }
    } else if lies_among_temporary(known) && !is_just_made(&value.text) {
        walk.note("execution.settings.named", value.span);
    }
}

/// What `mktemp` made in this call is empty.
fn is_just_made(path: &Text) -> bool {
    matches!(path.pieces.last(), Some(Piece::Unknown(what)) if &**what == "mktemp")
}

fn lies_among_temporary(path: &str) -> bool {
    path.split([':', ',']).any(|path| {
        is_temporary(path)
                || matches!(path, "/tmp" | "/var/tmp" | "/dev/shm")
                // What a browser fetched is as little known.
                || path.starts_with("~/Downloads/")
                || path.contains("/Downloads/")
    })
}

/// The manuals by the names of programs, sorted.
static MANUALS: &[(&str, &Manual)] = &[
    ("ansible", &containers::ANSIBLE),
    ("ansible-config", &containers::ANSIBLE),
    ("ansible-console", &containers::ANSIBLE),
    ("ansible-doc", &containers::ANSIBLE),
    ("ansible-galaxy", &containers::ANSIBLE),
    ("ansible-inventory", &containers::ANSIBLE),
    ("ansible-playbook", &containers::ANSIBLE),
    ("ansible-pull", &containers::ANSIBLE),
    ("ansible-vault", &containers::ANSIBLE),
    ("awk", &text::AWK),
    ("bsdtar", &archives::BSDTAR),
    ("cargo", &builders::CARGO),
    ("curl", &remote::CURL),
    ("docker", &containers::DOCKER),
    ("env", &wrappers::ENV),
    ("ex", &text::VIM),
    ("find", &text::FIND),
    ("gawk", &text::AWK),
    ("gdb", &wrappers::GDB),
    ("genv", &wrappers::ENV),
    ("gfind", &text::FIND),
    ("git", &git::GIT),
    ("gmake", &builders::MAKE),
    ("gnice", &wrappers::NICE),
    ("gnohup", &wrappers::NOHUP),
    ("go", &builders::GO),
    ("gpg", &crypto::GPG),
    ("gpg2", &crypto::GPG),
    ("gradle", &builders::GRADLE),
    ("gradlew", &builders::GRADLE),
    ("gsed", &text::SED),
    ("gsort", &text::SORT),
    ("gsplit", &text::SPLIT),
    ("gstdbuf", &wrappers::STDBUF),
    ("gtar", &archives::TAR),
    ("gtimeout", &wrappers::TIMEOUT),
    ("gvim", &text::VIM),
    ("gxargs", &wrappers::XARGS),
    ("ionice", &wrappers::IONICE),
    ("java", &languages::JAVA),
    ("less", &text::LESS),
    ("ltrace", &wrappers::LTRACE),
    ("make", &builders::MAKE),
    ("man", &text::MAN),
    ("mariadb", &databases::MYSQL),
    ("mawk", &text::AWK),
    ("mvn", &builders::MVN),
    ("mvnd", &builders::MVN),
    ("mvnw", &builders::MVN),
    ("mysql", &databases::MYSQL),
    ("nawk", &text::AWK),
    ("nice", &wrappers::NICE),
    ("node", &languages::NODE),
    ("nodejs", &languages::NODE),
    ("nohup", &wrappers::NOHUP),
    ("npm", &packages::NPM),
    ("nvim", &text::NVIM),
    ("openssl", &crypto::OPENSSL),
    ("parallel", &wrappers::PARALLEL),
    ("perl", &languages::PERL),
    ("pip", &packages::PIP),
    ("pip3", &packages::PIP),
    ("podman", &containers::PODMAN),
    ("psql", &databases::PSQL),
    ("pypy", &languages::PYTHON),
    ("pypy3", &languages::PYTHON),
    ("python", &languages::PYTHON),
    ("python2", &languages::PYTHON),
    ("python3", &languages::PYTHON),
    ("rsync", &remote::RSYNC),
    ("ruby", &languages::RUBY),
    ("rview", &text::VIM),
    ("rvim", &text::VIM),
    ("scp", &remote::SCP),
    ("sed", &text::SED),
    ("setsid", &wrappers::SETSID),
    ("sftp", &remote::SFTP),
    ("sort", &text::SORT),
    ("split", &text::SPLIT),
    ("sqlite3", &databases::SQLITE3),
    ("ssh", &remote::SSH),
    ("ssh-add", &remote::SSH_ADD),
    ("ssh-keygen", &remote::SSH_KEYGEN),
    ("ssh-keyscan", &remote::SSH_KEYSCAN),
    ("stdbuf", &wrappers::STDBUF),
    ("strace", &wrappers::STRACE),
    ("sudo", &wrappers::SUDO),
    ("tar", &archives::TAR),
    ("tcpdump", &wrappers::TCPDUMP),
    ("terraform", &containers::TERRAFORM),
    ("timeout", &wrappers::TIMEOUT),
    ("tofu", &containers::TERRAFORM),
    ("unzip", &archives::UNZIP),
    ("uv", &packages::UV),
    ("uvx", &packages::UV),
    ("vi", &text::VIM),
    ("view", &text::VIM),
    ("vim", &text::VIM),
    ("vimdiff", &text::VIM),
    ("wget", &remote::WGET),
    ("wget2", &remote::WGET),
    ("xargs", &wrappers::XARGS),
    ("zip", &archives::ZIP),
];

#[cfg(test)]
pub(in crate::programs) fn lists(name: &str) -> bool {
    MANUALS.iter().any(|(program, _)| *program == name)
}
