//! Files of the gate and of agents' settings among the words of a program. Owns what is said of one that nothing a program is known to do
//! accounts for: it is handed over, and where an option names it as output, it is changed.

use super::walk::Walk;
use crate::{
    bound::Bounded,
    effect::{Argument, EffectKind},
    place::{self, AgentFileKind, Place},
    programs::{Program, agents, invocation::Invocation},
    text::{Piece, Text},
};

/// How many words of a program are looked at.
const WORDS: usize = 1024;

/// Programs that only look at what they are told the name of, or that are followed word by word elsewhere; sorted.
const LOOK: &[&str] = &[
    "[", "basename", "bat", "cd", "chmod", "chown", "dirname", "du", "echo", "file", "find", "git",
    "ls", "mkdir", "open", "printf", "readlink", "realpath", "stat", "test", "touch", "tree",
    "which",
];

/// Options that name a file to be written, whatever the program; sorted.
const OUTPUTS: &[&str] = &[
    "--dest",
    "--dump",
    "--export",
    "--log",
    "--log-file",
    "--logfile",
    "--out",
    "--out-file",
    "--outfile",
    "--output",
    "--output-file",
    "--output-path",
    "--report",
    "--save",
    "--save-to",
    "--trace",
    "--write",
    "-O",
    "-o",
    "-out",
    "-outfile",
    "-output",
];

/// Programs whose `-o` says how something is shown; sorted.
const SHOWN_BY_O: &[&str] = &[
    "autossh",
    "egrep",
    "fgrep",
    "grep",
    "ls",
    "mount",
    "ps",
    "rg",
    "scp",
    "set",
    "sftp",
    "ssh",
    "ssh-copy-id",
    "sshfs",
    "stat",
];

impl Walk<'_> {
    /// Says which of the gate's and of agents' files a program is given, where nothing that it did since `since` accounts for them.
    pub(super) fn account_for_own(
        &mut self,
        invocation: &Invocation,
        row: Option<&'static Program>,
        since: usize,
    ) {
        self.account_for_variables(invocation, row);
        let program = invocation.program.as_str();
        if invocation.arguments.is_empty()
            || LOOK.binary_search(&program).is_ok()
            || program == "portcullis"
            || agents::find(program).is_some() && !invocation.name.text.known_prefix().contains('/')
        {
            return;
        }
        let only_shows = row.is_some_and(|row| row.does.only_shows());
        let all = invocation.arguments.as_slice();
        // Where the program is started every name may be one.
        let is_near =
            self.directory().is_some_and(|here| here.contains("portcullis") || here.contains("/."));
        let named = all.iter().enumerate().filter(|(_, word)| {
            let known = word.text.known_prefix();
            may_be_own(known) || is_near && !known.is_empty()
        });
        let named: Vec<(usize, &Argument)> = named.at_most(WORDS, self, invocation.span).collect();
        for (at, word) in named {
            let previous = at.checked_sub(1).and_then(|before| all.get(before));
            let previous = previous.map_or("", |word| word.text.known_prefix());
            let Some((option, value)) = value_of(word, previous) else { continue };
            let is_output = OUTPUTS.binary_search(&option).is_ok()
                && !(option == "-o" && SHOWN_BY_O.binary_search(&program).is_ok());
            if only_shows && !is_output {
                continue;
            }
            let target = self.followed(&value.text);
            let is_settings = place::agent_file_of(&target, self.facts)
                .is_some_and(|file| file.kind == AgentFileKind::Settings);
            if !is_settings
                && place::place_of(&target, self.facts) != Place::Gate
                && !place::is_hooked(&target, self.facts)
            {
                continue;
            }
            let done = self.recorder.effects.list.get(since..).unwrap_or_default();
            let is_accounted_for = done.iter().any(|effect| match &effect.kind {
                EffectKind::Write { target: other, .. }
                | EffectKind::Delete { target: other, .. }
                | EffectKind::Permission { target: other, .. }
                | EffectKind::Hand { target: other, .. } => other.path == target.path,
                EffectKind::Read(other) => !is_output && other.path == target.path,
                // A program that this one starts has the word as its own.
                EffectKind::Run(inner) => inner.arguments.iter().any(|own| own.span == word.span),
                _ => false,
            });
            if !is_accounted_for {
                self.emit(EffectKind::Hand { target, changes: is_output }, word.span);
            }
        }
    }
}

impl Walk<'_> {
    /// Says which of the gate's files, and of those with its hooks, a program of which nothing is known is told by variables before it.
    fn account_for_variables(&mut self, invocation: &Invocation, row: Option<&'static Program>) {
        let program = invocation.program.as_str();
        // What those do that are known is told by their variables.
        if row.is_some() || LOOK.binary_search(&program).is_ok() || agents::find(program).is_some()
        {
            return;
        }
        let is_followed = |name: &str| !name.starts_with("PORTCULLIS_") && !name.contains("PATH");
        let given = invocation.environment.iter().filter(|(name, _)| is_followed(name));
        let named = given.flat_map(|(_, value)| {
            let parts = value.known_prefix().split([' ', ':', '=', ',', ';']);
            parts
                .filter(|part| may_be_own(part))
                .map(|part| value.derive([Piece::Known(part.to_owned())]))
        });
        let named: Vec<Text> = named.collect();
        for text in named.into_iter().at_most(WORDS, self, invocation.span) {
            self.hand_own(&Argument { text, span: invocation.span });
        }
    }

    fn hand_own(&mut self, file: &Argument) {
        let target = self.followed(&file.text);
        let is_own = place::place_of(&target, self.facts) == Place::Gate
            || place::is_hooked(&target, self.facts)
                && target
                    .path
                    .as_deref()
                    .is_some_and(|path| self.facts.hooked.iter().any(|own| own == path));
        if is_own {
            self.emit(EffectKind::Hand { target, changes: true }, file.span);
        }
    }

    /// The files that a pattern of hidden names gives, by what lies there, and those of the gate and of agents that one of any depth does:
    /// `.c*/s*`, `.g*/config`, `~/**/settings.json`.
    pub(super) fn hidden_among(&mut self, file: &Argument) -> Vec<Argument> {
        let is_pattern = file.text.pieces.iter().any(|piece| matches!(piece, Piece::Glob(_)));
        if !is_pattern {
            return Vec::new();
        }
        let Some(pattern) = self.target(&file.text).path else { return Vec::new() };
        let parts: Vec<&str> = pattern.split('/').skip(1).collect();
        let is_hidden =
            |part: &&str| part.starts_with('.') && *part != ".*" && part.contains(['*', '?', '[']);
        let mut found: Vec<String> = Vec::new();
        if parts.iter().any(is_hidden) {
            found.extend(self.matching(&file.text, file.span).unwrap_or_default());
        }
        if parts.contains(&"**") {
            let own = self.facts.guarded.iter().chain(&self.facts.hooked);
            found.extend(own.filter(|path| gives(&parts, path)).cloned());
        }
        let argument = |path: String| Argument { text: Text::known(path), span: file.span };
        found.into_iter().map(argument).collect()
    }
}

/// Whether a pattern, `**` for any depth, gives a path by a name that says something.
fn gives(pattern: &[&str], path: &str) -> bool {
    fn fits(pattern: &[&str], path: &[&str]) -> bool {
        match (pattern.split_first(), path.split_first()) {
            (None, None) => true,
            (Some((&"**", rest)), _) => (0..=path.len())
                .any(|skip| path.get(skip..).is_some_and(|path| fits_plain(rest, path))),
            (Some((part, rest)), Some((name, names))) => {
                place::glob(part, name, false) && fits(rest, names)
            }
            _ => false,
        }
    }
    // What stands behind the first `**` is matched without another, so that the work is bounded.
    fn fits_plain(pattern: &[&str], path: &[&str]) -> bool {
        pattern.len() == path.len()
            && pattern.iter().zip(path).all(|(part, name)| place::glob(part, name, false))
    }
    let says =
        pattern.last().is_some_and(|last| last.contains(|letter: char| letter.is_alphanumeric()));
    let names: Vec<&str> = path.split('/').skip(1).collect();
    says && fits(pattern, &names)
}

/// Whether a word may name such a file at all: nearly none does.
fn may_be_own(word: &str) -> bool {
    word.contains("portcullis")
        || word.contains("settings")
        || word.contains("/.")
        || word.starts_with('.')
}

/// The option that a word is the value of, none where it stands alone, and what may name a file in it.
fn value_of<'w>(word: &'w Argument, before: &'w str) -> Option<(&'w str, Argument)> {
    let known = word.text.known_prefix();
    let valued = |rest: &str| Argument { text: word.text.beginning_with(rest), span: word.span };
    if !known.starts_with('-') {
        let is_option = before.starts_with('-') && !before.contains('=');
        return Some((if is_option { before } else { "" }, word.clone()));
    }
    if let Some((option, rest)) = known.split_once('=') {
        return Some((option, valued(rest)));
    }
    // `-oFILE`
    let rest = known.get(2..).filter(|rest| !rest.is_empty() && !known.starts_with("--"))?;
    Some((known.get(..2)?, valued(rest)))
}

#[test]
fn the_words_are_sorted() {
    for words in [LOOK, OUTPUTS, SHOWN_BY_O] {
        assert!(words.is_sorted());
    }
}
