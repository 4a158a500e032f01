//! `cd`. Owns where it leads, and whether that is there; the directories that `pushd` keeps stand in `stack`.

use super::walk::Walk;
use crate::{
    bound::Bounded,
    effect::{Argument, Certainty, EffectKind, GapReason},
    text::Text,
};

impl Walk<'_> {
    pub(super) fn change_directory(&mut self, cdpath: Option<Text>, arguments: &[Argument]) {
        // With `CDPATH` a relative directory may be anywhere.
        if let Some(elsewhere) =
            cdpath.filter(|path| !path.is_empty() && path.as_known() != Some("."))
            && let Some(first) = arguments.first()
            && is_looked_for(first.text.known_prefix())
        {
            self.gap(first.span, GapReason::UnknownCode);
            let below = elsewhere.known_prefix().split(':').next().unwrap_or("");
            let path = Text::known(format!("{below}/{}", first.text.display()));
            let directory = self.target(&path).path;
            self.state.enter(directory);
            return;
        }
        let known = |argument: &Argument| argument.text.as_known().map(str::to_owned);
        let options = arguments
            .iter()
            .map_while(|argument| {
                known(argument).filter(|known| known.starts_with('-') && known != "-")
            })
            .take_while(|option| option != "--");
        let letters: String = options.collect::<Vec<_>>().concat().replace('-', "");
        // zsh does not follow links with `-s` and says nothing with `-q`; the shells that do not know a letter stay.
        let is_foreign = letters.contains(['q', 's']);
        if letters.contains(|letter| !"LPe@qs".contains(letter)) {
            // Another shell counts the directories it was in.
            if letters.contains(|letter: char| letter.is_ascii_digit() || letter == '+') {
                self.state.enter_perhaps(None);
            } else {
                self.control.succeeded = Some(false);
            }
            return;
        }
        let operand = arguments.iter().find(|argument| {
            !argument.text.as_known().is_some_and(|known| known.starts_with('-') && known != "-")
        });
        let directory = match operand {
            None => self.facts.home.clone(),
            Some(argument) if argument.text.as_known() == Some("-") => {
                match self.variable_set("OLDPWD") {
                    Some(set) => self.target(&set).path,
                    None => self.state.previous().map(str::to_owned),
                }
            }
            // `shopt -s cdable_vars`: the name of a variable stands for what it holds.
            Some(argument)
                if self.state.option("shopt cdable_vars") == Some(true)
                    && argument.text.as_known().is_some_and(is_name) =>
            {
                None
            }
            Some(argument) => {
                let path =
                    self.one_directory(argument).or_else(|| self.target(&argument.text).path);
                path.map(|path| self.state.linked(&path).map_or(path, str::to_owned))
            }
        };
        // No system has a longer one; what would follow from it grows with every step.
        let directory = directory.filter(|path| path.len() <= LONGEST_DIRECTORY);
        let stands =
            operand.is_none_or(|_| directory.as_deref().is_some_and(|path| self.stands(path)));
        // What a program answers is there; a variable may be empty.
        let answered = operand
            .is_some_and(|operand| operand.text.has_unknown() && !operand.text.sources.is_empty());
        let ends = self.control.conditions == 0 && self.state.option("set -e") == Some(true);
        let is_back = operand.is_some_and(|operand| operand.text.as_known() == Some("-"));
        let leads_to = directory
            .as_deref()
            .and_then(|path| self.known_of(path))
            .and_then(|fact| fact.leads_to.clone())
            .filter(|leads_to| Some(leads_to) != directory.as_ref());
        if let Some(leads_to) = leads_to.clone().filter(|_| letters.contains('P')) {
            self.state.enter(Some(leads_to));
        } else if let Some(leads_to) = leads_to {
            self.state.enter_by_link(directory, leads_to);
        } else if !is_foreign && (stands || answered || ends || is_back) {
            self.state.enter(directory);
            self.control.succeeded = stands.then_some(true);
        } else {
            self.state.enter_perhaps(directory);
        }
    }

    /// `cd .c*`: the one directory that is there of a name like that.
    fn one_directory(&mut self, named: &Argument) -> Option<String> {
        const INSIDE: &str = "/x";
        let mut inside = named.text.clone();
        inside.push_known(INSIDE);
        let found = self.matching(&inside, named.span)?;
        match found.as_slice() {
            [only] => only.strip_suffix(INSIDE).map(str::to_owned),
            _ => None,
        }
    }

    /// Whether a directory is surely there.
    fn stands(&self, path: &str) -> bool {
        let holds = |inner: &str| {
            inner
                .strip_prefix(path.trim_end_matches('/'))
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let facts = self.facts;
        let around = [&facts.cwd, &facts.home, &facts.workspace, &facts.temporary];
        let makes = |effect: &crate::effect::Effect| {
            effect.certainty == Certainty::Certain
                && matches!(&effect.kind, EffectKind::Write { target, .. }
                    if target.path.as_deref().is_some_and(holds))
        };
        around.into_iter().flatten().any(|inner| holds(inner))
            || holds("/tmp")
            || self.directory().is_some_and(holds)
            || self.state.previous().is_some_and(holds)
            || self.known_of(path).is_some_and(|fact| fact.exists && !fact.is_plain())
            || self.provenance.is_brought_whole(path)
            || self.recorder.effects.list.iter().rev().leading(MADE).any(makes)
    }
}

/// Whether a directory is one that `CDPATH` is looked through for: neither absolute nor named from here.
fn is_looked_for(directory: &str) -> bool {
    let is_here = matches!(directory, "." | "..")
        || ["./", "../"].iter().any(|start| directory.starts_with(start));
    !directory.starts_with(['/', '~', '-']) && !is_here
}

fn is_name(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// How many effects are looked through for one that made a directory.
const MADE: usize = 64;

/// How long the name of a directory may be on any system that scripts run on.
const LONGEST_DIRECTORY: usize = 4096;
