//! Paths that stand in data: what a call takes out of a file may name whatever that file says. Owns which files a half-known path came from,
//! and which of the names in them lead to the gate, to agents' settings, or to what starts by itself; all others stay as unknown as they were.

use std::sync::Arc;

use super::{BYTES_PER_WORK, walk::Walk};
use crate::{
    bound::Bounded,
    effect::{Argument, EffectId, EffectKind, GapReason},
    facts::NotRead,
    place::{self, Place},
    programs::found::Found,
    text::{Piece, Text},
};

/// Out of how many files one path may come.
const FILES: usize = 16;

/// How many names of one file are looked at.
const NAMES: usize = 4096;

/// How many names of directories are put together with others.
const PAIRS: usize = 48;

/// How many places are told of one path; one is enough to stop.
const PLACES: usize = 4;

/// How long a name may be: a longer one the system opens for nobody (limits.h, `PATH_MAX`).
const LONGEST: usize = 4096;

/// What a program has taken in.
struct Taken {
    files: Vec<String>,
    /// What is known of its input.
    input: String,
}

/// What is done to what a path names.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Done {
    /// It gets other content, or another mode.
    Changed,
    /// It goes, with everything below it.
    Gone,
}

impl Walk<'_> {
    /// The places that matter among those that a path may lead to which came out of files.
    pub(super) fn told_by_files(&mut self, file: &Argument, done: Done) -> Vec<Argument> {
        if !file.text.has_unknown() || file.text.len() > LONGEST {
            return Vec::new();
        }
        let mut found: Vec<Argument> = Vec::new();
        let mut paths = self.files_among(&file.text.sources);
        if paths.is_empty()
            && let Some(taken) = self.taken_by_code()
        {
            found.extend(self.named_in(&taken.input, file, done));
            paths = taken.files;
        }
        for path in paths.into_iter().at_most(FILES, self, file.span) {
            if let Some(text) = self.data_at(&path, file) {
                found.extend(self.named_in(&text, file, done));
            }
        }
        for path in
            self.files_with_variables(&file.text).into_iter().at_most(FILES, self, file.span)
        {
            let Some(text) = self.data_at(&path, file) else { continue };
            self.charge(text.len() / BYTES_PER_WORK);
            let set = with_variables(&file.text, &text);
            found.extend(
                set.filter(|set| self.counts_for(set, done))
                    .map(|text| Argument { text, span: file.span }),
            );
        }
        found
    }

    /// The files of data that a text was read from.
    pub(crate) fn files_behind(&self, text: &Text) -> Vec<String> {
        self.files_among(&text.sources)
    }

    /// The places that the names in some data make of a path.
    fn named_in(&mut self, data: &str, file: &Argument, done: Done) -> Vec<Argument> {
        self.charge(data.len() / BYTES_PER_WORK);
        let names = names_in(data);
        let (names, is_cut) = (names.get(..NAMES).unwrap_or(&names), names.len() > NAMES);
        self.charge(names.len());
        let found = self.places_of(&file.text, names, file, done);
        if is_cut {
            self.left_unread(file.span);
        }
        found
    }

    /// The files among the effects that a text comes from.
    fn files_among(&self, sources: &[EffectId]) -> Vec<String> {
        let mut paths: Vec<String> = Vec::new();
        for effect in sources.iter().filter_map(|id| self.recorder.effect(*id)) {
            if let EffectKind::Read(target) = &effect.kind
                && let Some(path) = target.path.as_ref().filter(|path| is_data(path))
                && !paths.contains(path)
            {
                paths.push(path.clone());
            }
        }
        paths
    }

    /// What the outermost program that runs code in a language other than the shell's has taken in: where the code does not show how a path
    /// came about, it may have come from any of that.
    fn taken_by_code(&self) -> Option<Taken> {
        let list = &self.recorder.effects.list;
        let all = self.running.all_announced();
        all.iter().enumerate().find_map(|(at, id)| {
            let from = usize::try_from(id.0).ok()?;
            let next = all.get(at + 1).and_then(|next| usize::try_from(next.0).ok());
            let own = list.get(from..next.unwrap_or(list.len()))?;
            let code = own.iter().find_map(|effect| match &effect.kind {
                EffectKind::Execute { language, code } if *language != "shell" => Some(code),
                _ => None,
            })?;
            let EffectKind::Run(run) = &own.first()?.kind else { return None };
            let input = run.input.as_ref();
            let first = id.0;
            let last = u32::try_from(list.len()).ok()?;
            // The code itself is no data.
            let read = (first..last).map(EffectId).filter(|id| !code.sources.contains(id));
            let read =
                input.into_iter().flat_map(|input| input.sources.iter().copied()).chain(read);
            let files = self.files_among(&read.collect::<Vec<_>>());
            // A script that arrives there is no data either.
            let input = input.map_or("", Text::known_prefix);
            let input = if code.known_prefix() == input { "" } else { input }.to_owned();
            Some(Taken { files, input })
        })
    }

    /// The files that may have set a variable which nothing else in the call sets: `set -a; . ./.env`, `export $(cat .env)`.
    fn files_with_variables(&self, text: &Text) -> Vec<String> {
        if !text.pieces.iter().any(|piece| variable_of(piece).is_some()) {
            return Vec::new();
        }
        let mut paths: Vec<String> = Vec::new();
        for effect in &self.recorder.effects.list {
            if let EffectKind::Read(target) = &effect.kind
                && let Some(path) = target.path.as_ref().filter(|path| is_data(path))
                && !paths.contains(path)
                && paths.len() < FILES
            {
                paths.push(path.clone());
            }
        }
        paths
    }

    /// What stands in a file that a path came from. Where it was not read, a path of which nothing else is known may be any.
    fn data_at(&mut self, path: &str, file: &Argument) -> Option<Arc<str>> {
        let found = self.look(path);
        let is_left = match &found {
            Found::File(file) => !file.whole,
            Found::NotRead(why) => {
                matches!(why, NotRead::Changing | NotRead::Special | NotRead::TooMuch)
            }
            Found::Nothing | Found::Directory(_) => false,
        };
        if is_left
            && matches!(file.text.pieces.as_slice(), [Piece::Unknown(_)])
            && !self.is_settled(path)
        {
            self.question(file.span, GapReason::Limit);
        }
        found.file().map(|file| file.text)
    }

    /// Of the names in a file those that make of a path one that matters.
    fn places_of(
        &mut self,
        text: &Text,
        names: &[String],
        file: &Argument,
        done: Done,
    ) -> Vec<Argument> {
        let unknown = text.pieces.iter().filter(|piece| matches!(piece, Piece::Unknown(_))).count();
        let mut found: Vec<Text> = Vec::new();
        let mut add = |walk: &Self, candidate: Text| {
            let is_new = found.len() < PLACES && !found.contains(&candidate);
            if is_new && walk.counts_for(&candidate, done) {
                found.push(candidate);
            }
        };
        for name in names {
            add(self, filled(text, name, ""));
        }
        // A directory and what lies in it may stand apart.
        let starts: Vec<&String> = names.iter().filter(|name| self.is_around(name)).collect();
        for first in starts.into_iter().at_most(PAIRS, self, file.span) {
            self.charge(names.len());
            for other in names.iter().filter(|other| *other != first) {
                if unknown > 1 {
                    add(self, filled(text, first, other));
                } else {
                    add(self, filled(text, &format!("{first}/{other}"), ""));
                    add(self, filled(text, &format!("{first}{other}"), ""));
                }
            }
        }
        found.into_iter().map(|text| Argument { text, span: file.span }).collect()
    }

    /// Whether a name is that of a directory in which, or below which, something lies that matters.
    fn is_around(&self, name: &str) -> bool {
        if !name.starts_with(['/', '~', '.']) {
            return false;
        }
        let target = self.followed(&Text::known(name));
        let Some(path) = target.path.as_deref() else { return false };
        let is_below_home = self.facts.home.as_deref().is_some_and(|home| path.starts_with(home));
        let place = place::place_of(&target, self.facts);
        is_below_home && !place.is_workspace() && (place == Place::HomeTop || path.contains("/."))
    }

    /// Whether a path is one that must not be changed unseen.
    fn counts_for(&self, text: &Text, done: Done) -> bool {
        let is_likely = text.as_known().is_some_and(|path| {
            path.len() <= LONGEST && (path.starts_with(['/', '~', '.']) || path.contains("/."))
        });
        if !is_likely {
            return false;
        }
        let target = self.followed(text);
        let Some(path) = target.path.as_deref() else { return false };
        let place = place::place_of(&target, self.facts);
        matches!(place, Place::Gate | Place::Agent)
            || place::is_hooked(&target, self.facts)
            || !place.is_workspace() && place::persistence_of(&target, self.facts).is_some()
            || done == Done::Gone
                && (place == Place::HomeTop && text.len() > 1
                    || place != Place::Root && place::contains_gate(path, self.facts))
    }
}

/// Whether a path is one of data: what the system or a process has open is none.
fn is_data(path: &str) -> bool {
    !path.contains(['*', '?', '['])
        && !["/dev/", "/proc/", "/sys/"].iter().any(|top| path.starts_with(top))
}

/// The variable that a piece of a text is.
fn variable_of(piece: &Piece) -> Option<&str> {
    let Piece::Unknown(name) = piece else { return None };
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|letter| letter.is_ascii_alphanumeric() || letter == b'_');
    is_name.then_some(name)
}

/// A path with `first` in its first unknown place, and `rest` in the others.
fn filled(text: &Text, first: &str, rest: &str) -> Text {
    let mut path = String::new();
    let mut is_first = true;
    for piece in &text.pieces {
        match piece {
            Piece::Known(known) | Piece::Glob(known) => path.push_str(known),
            Piece::Unknown(_) => path.push_str(if is_first { first } else { rest }),
        }
        is_first &= !matches!(piece, Piece::Unknown(_));
    }
    text.derive([Piece::Known(path)])
}

/// A path with its variables as a file of assignments sets them; nothing where it sets none.
fn with_variables(text: &Text, data: &str) -> Option<Text> {
    let mut is_set = false;
    let mut path = String::new();
    for piece in &text.pieces {
        match piece {
            Piece::Known(known) | Piece::Glob(known) => path.push_str(known),
            Piece::Unknown(_) => {
                let value = variable_of(piece).and_then(|name| assigned(data, name))?;
                is_set = true;
                path.push_str(value);
            }
        }
    }
    is_set.then(|| text.derive([Piece::Known(path)]))
}

/// What the last line of assignments gives a variable: `export NAME="VALUE"`.
fn assigned<'d>(data: &'d str, name: &str) -> Option<&'d str> {
    let value = |line: &'d str| {
        let line = line.trim();
        let line = line.strip_prefix("export ").map_or(line, str::trim_start);
        let rest = line.strip_prefix(name)?.trim_start().strip_prefix('=')?;
        let rest = rest.trim();
        let quoted = ['"', '\'']
            .iter()
            .find_map(|quote| rest.strip_prefix(*quote).and_then(|rest| rest.split(*quote).next()));
        Some(quoted.unwrap_or_else(|| rest.split([' ', '\t', '#', ';']).next().unwrap_or(rest)))
    };
    data.lines().rev().find_map(value)
}

/// The names that stand in a text of any kind: lines, fields, values, words.
fn names_in(text: &str) -> Vec<String> {
    let decoded = text.contains('\\').then(|| unescaped(text));
    let text = decoded.as_deref().unwrap_or(text);
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        let name = name.trim();
        if !name.is_empty() && name.len() <= LONGEST && names.len() <= NAMES {
            let is_known = names.last().is_some_and(|last| last == name);
            if !is_known {
                names.push(name.replace("${HOME}", "~").replace("$HOME", "~"));
            }
        }
    };
    let ends = |letter: char| {
        letter.is_control()
            || matches!(letter, '"' | '\'' | '`' | ',' | ';' | '|' | '<' | '>' | '=')
    };
    for value in text.split(ends) {
        add(value);
        if value.contains(' ') || value.contains(['(', ')', '[', ']', '{', '}', ':']) {
            let parts = value.split([' ', '(', ')', '[', ']', '{', '}', ':']);
            parts.filter(|part| *part != value.trim()).for_each(&mut add);
        }
    }
    names
}

/// A text without the escapes of JSON, of which a name may be made.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        let code = after.strip_prefix('u').and_then(|code| code.get(..4));
        let letter =
            code.and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32);
        rest = match (letter, after.strip_prefix('/')) {
            (Some(letter), _) => {
                plain.push(letter);
                after.get(5..).unwrap_or("")
            }
            (None, Some(after)) => {
                plain.push('/');
                after
            }
            (None, None) => {
                plain.push('\n');
                after.trim_start_matches(['n', 't', 'r'])
            }
        };
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_kind_of_text() {
        for text in [
            "~/.x/y\n",
            "{\"out\": \"~/.x/y\"}",
            "{\"out\": \"~\\/.x\\u002fy\"}",
            "out = ~/.x/y\n",
            "out: ~/.x/y # here\n",
            "a,~/.x/y,1\n",
            "export OUT='~/.x/y'",
            "a\0~/.x/y\0",
            "[~/.x/y](z)",
            "OUT=$HOME/.x/y",
        ] {
            assert!(
                names_in(text).iter().any(|name| name == "~/.x/y"),
                "{text}: {:?}",
                names_in(text)
            );
        }
    }

    #[test]
    fn the_last_assignment_of_a_variable_counts() {
        for (text, value) in [
            ("A=b\nT=c\nT=d\n", Some("d")),
            ("export T=\"c d\"\n", Some("c d")),
            ("T='c' # x\n", Some("c")),
            ("TT=c\n", None),
            ("", None),
        ] {
            assert_eq!(assigned(text, "T"), value, "{text}");
        }
    }
}
