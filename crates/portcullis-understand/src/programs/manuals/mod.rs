//! The options of programs as their manuals list them, whole: for each its name, and what stands behind it. Owns how a word is
//! found in such a list; the lists are in the files below, one program in one place. What follows from a word, `escapes` says.
//!
//! Of these programs an option that the list does not have is not understood. What an option of a kind does that has a
//! meaning of its own (a shell line, a setting of ssh, a script of Vim) is said by the tables there.

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
mod text;
mod wrappers;

use crate::split;
pub(crate) use read::{Word, read};

/// All options of one program: each kind is a sorted list of names.
#[derive(Clone, Copy, Debug)]
pub struct Manual {
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
pub struct Words(pub(in crate::programs) &'static str);

impl Manual {
    /// Whether a word is one of its subcommands.
    pub(crate) fn has_verb(&self, word: &str) -> bool {
        self.verbs.words().any(|verb| verb == word)
    }
}

impl Words {
    pub(crate) const NONE: Self = Self("");

    /// The names in order.
    pub(crate) fn words(self) -> impl Iterator<Item = &'static str> {
        self.0.split(' ').filter(|word| !word.is_empty())
    }

    pub(in crate::programs) const fn is_empty(self) -> bool {
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
            // Names are short: a look at each letter is quicker than a search that prepares itself.
            let blank = between.bytes().rposition(|letter| letter == b' ');
            let start = blank.map_or(low, |blank| low + blank + 1);
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
        Some(split::cut(self.0.get(start..)?, b' ').0)
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

    /// Whether a long option's name is one that stands here whole; `None` where the program takes no abbreviations.
    pub(in crate::programs) fn has_whole(&self, name: &str) -> Option<bool> {
        self.abbreviates.then(|| self.kinds().iter().any(|(_, words)| words.has(name).is_some()))
    }
}

/// The manual of a program in these lists. Where it may stand on a card, the card is asked first.
pub(in crate::programs) fn listed(program: &str) -> Option<&'static Manual> {
    let at = MANUALS.binary_search_by(|(name, _)| (*name).cmp(program)).ok()?;
    MANUALS.get(at).map(|(_, manual)| *manual)
}

/// The manuals by the names of programs, sorted.
pub(in crate::programs) static MANUALS: &[(&str, &Manual)] = &[
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
    ("env", &wrappers::ENV),
    ("ex", &text::VIM),
    ("find", &text::FIND),
    ("gawk", &text::AWK),
    ("gdb", &wrappers::GDB),
    ("git", &git::GIT),
    ("go", &builders::GO),
    ("gpg", &crypto::GPG),
    ("gradle", &builders::GRADLE),
    ("gradlew", &builders::GRADLE),
    ("ionice", &wrappers::IONICE),
    ("java", &languages::JAVA),
    ("less", &text::LESS),
    ("ltrace", &wrappers::LTRACE),
    ("make", &builders::MAKE),
    ("man", &text::MAN),
    ("mawk", &text::AWK),
    ("mvn", &builders::MVN),
    ("mvnw", &builders::MVN),
    ("mysql", &databases::MYSQL),
    ("nawk", &text::AWK),
    ("nice", &wrappers::NICE),
    ("node", &languages::NODE),
    ("nohup", &wrappers::NOHUP),
    ("npm", &packages::NPM),
    ("nvim", &text::NVIM),
    ("openssl", &crypto::OPENSSL),
    ("parallel", &wrappers::PARALLEL),
    ("perl", &languages::PERL),
    ("pip", &packages::PIP),
    ("psql", &databases::PSQL),
    ("pypy", &languages::PYTHON),
    ("pypy3", &languages::PYTHON),
    ("python", &languages::PYTHON),
    ("python2", &languages::PYTHON),
    ("python3", &languages::PYTHON),
    ("rsync", &remote::RSYNC),
    ("ruby", &languages::RUBY),
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
    ("timeout", &wrappers::TIMEOUT),
    ("unzip", &archives::UNZIP),
    ("uv", &packages::UV),
    ("uvx", &packages::UV),
    ("vim", &text::VIM),
    ("wget", &remote::WGET),
    ("xargs", &wrappers::XARGS),
    ("zip", &archives::ZIP),
];
