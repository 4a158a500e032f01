//! Limits that a person set: what they forbid, and how a call breaks one. Owns what a limit means and what it does not.

use serde::{Deserialize, Serialize};

use super::{
    super::{act::Acts, digest::Mark, doing::Doing, token},
    Asked, LIMITS,
    clause::{COMMON, Clause, stem},
    consent::Consent,
    terms::NO_FILES,
};

/// How many things are added to a limit by one prompt, and how many parts of a path say what a file is about.
const THINGS: usize = 16;
const LAST_PARTS: usize = 2;

/// Programs that delete files and nothing else.
const DELETES_FILES: &[&str] = &["rm", "rmdir", "unlink"];

/// What a prompt says beside its limits.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// Whether it forbids something for now only.
    pub(super) is_for_now: bool,
    /// Whether its limits are those of a command that the person chose, and hold while that is carried out.
    pub(super) is_template: bool,
    /// The acts that it asks for.
    pub(super) acts: Acts,
    /// The files that are to be changed.
    pub(super) files: Vec<u64>,
    /// The longer words of what is to be changed.
    pub(super) about: Vec<u64>,
}

/// A limit that a person set.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct Limit {
    /// The acts that must not be; of them all where it is about certain things.
    pub(super) acts: Acts,
    /// The words for those of the acts that are too common to be meant whole: running, changing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) words: Vec<u64>,
    /// The things that it is about, by their marks; everything where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) things: Vec<u64>,
    /// Whether everything but those things is meant.
    pub(super) others: bool,
    /// Whether a question is demanded before.
    pub(super) asks: bool,
    /// Whether it holds only until the person says that it goes on: `no changes yet`.
    #[serde(skip_serializing_if = "is_false")]
    pub(super) is_for_now: bool,
    /// Whether it holds only until the person asks for something else: `just tell me`.
    #[serde(skip_serializing_if = "is_false")]
    pub(super) is_for_this: bool,
    /// What files are about that it means, by a word of their paths; every file where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) objects: Vec<u64>,
    /// Whether it means nothing but packages that are new to the project, and the words by which it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) packages: Option<Vec<u64>>,
    /// Whether it means what is not asked for: files that are changed on the way are the work itself.
    #[serde(skip_serializing_if = "is_false")]
    pub(super) beyond: bool,
    /// Whether it means rows, branches or messages, and no files.
    #[serde(skip_serializing_if = "is_false")]
    pub(super) no_files: bool,
    /// Whether the person typed it behind the name of a command.
    #[serde(skip)]
    pub(super) is_own: bool,
    /// In which prompt it was set.
    pub(super) prompt: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
const fn is_false(it: &bool) -> bool {
    !*it
}

/// How a limit was broken.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Broken {
    /// What was not to be done.
    Act,
    /// Something that was not to be touched.
    Thing,
    /// Something beside the only things that were meant.
    Beside,
    /// A question was demanded before.
    Unasked,
}

impl Asked {
    /// The limit that a clause sets which forbids something.
    pub(super) fn forbidden(&self, clause: &str, read: Clause, acts: Acts) -> Limit {
        let prompt = self.prompts;
        let is_common = acts.without(COMMON).without(Acts::SHARE).is_empty();
        let (things, asks, is_for_now) = (read.things, read.asks, read.is_for_now);
        if read.packages && (is_common || asks) && !acts.meet(Acts::DELETE.and(Acts::PUBLISH)) {
            let said = token::tokens(clause).map(|word| Mark::of(word.text).0).collect();
            let (acts, packages) = (Acts::RUN, Some(said));
            return Limit { acts, packages, asks, is_for_now, prompt, ..Limit::default() };
        }
        if read.beyond && read.touches && things.is_empty() && !asks {
            let acts = Acts::EFFECTFUL.without(self.acts.only(Acts::GRAVE));
            let (is_for_this, beyond) = (true, true);
            return Limit { acts, is_for_this, beyond, prompt, ..Limit::default() };
        }
        let is_for_files = things.is_empty() && !asks && !read.beyond && !read.anything;
        if read.changes && is_for_files {
            // `no changes yet`: whatever the verb is called, files, the history and what others have stay as they are.
            let acts = acts.and(Acts::CHANGE).and(Acts::DELETE).and(Acts::COMMIT);
            let acts = acts.and(Acts::PUBLISH);
            return Limit { acts, is_for_now, prompt, ..Limit::default() };
        }
        let (acts, mut read_words) = (acts, read.words);
        let acts = if acts.meet(Acts::RUN) && !acts.without(COMMON).is_empty() {
            // `do not run git push`: it is pushing that is meant.
            read_words.retain(|word| *word != stem("run"));
            acts.without(Acts::RUN)
        } else {
            acts
        };
        if read.touches && acts == Acts::CHANGE && !read.objects.is_empty() {
            // Whoever is not to modify it is not to change it either.
            read_words.push(stem("change"));
        }
        let is_no_file = |object: &u64| NO_FILES.iter().any(|known| stem(known) == *object);
        let no_files =
            acts == Acts::DELETE && !read.objects.is_empty() && read.objects.iter().all(is_no_file);
        let acts_alone = acts.without(Acts::SEND).without(Acts::ADMINISTER);
        let asks_first = asks && (read.touches || read.anything || !acts_alone.meet(Acts::GRAVE));
        let is_wide = !asks && acts.without(Acts::CHANGE.and(Acts::RUN)).is_empty();
        let objects = if is_wide { read.objects } else { Vec::new() };
        let is_about = !objects.is_empty() && read.touches && things.is_empty();
        let whole = read.touches
            && (!things.is_empty() || read.anything || is_about && acts.is_empty())
            || asks_first;
        let (acts, words) = match (whole, asks) {
            (true, _) => (Acts::EFFECTFUL, Vec::new()),
            (false, true) => (acts_alone, Vec::new()),
            (false, false) => (acts, read_words),
        };
        let limit =
            Limit { acts, words, things, asks, is_for_now, objects, prompt, ..Limit::default() };
        Limit { no_files, ..limit }
    }

    pub(super) fn limit(&mut self, limit: Limit) {
        let is_same = |known: &Limit| *known == Limit { prompt: known.prompt, ..limit.clone() };
        if self.limits.iter().any(is_same) {
            return;
        }
        if self.limits.len() >= LIMITS {
            self.is_cut = true;
            return;
        }
        self.limits.push(limit);
    }

    /// The limit that a call breaks that does this to these things.
    pub(in crate::session) fn broken<'a>(
        &self,
        doing: &Doing<'_>,
        things: impl Iterator<Item = &'a str> + Clone,
    ) -> Option<Broken> {
        let (acts, words) = (doing.acts, &doing.words);
        self.limits.iter().find_map(|limit| {
            if let Some(said) = &limit.packages {
                let is_new = |package: &&str| {
                    let mark = Mark::of(package);
                    said.contains(&mark.0) || !self.words.has(mark)
                };
                let broken = if limit.asks { Broken::Unasked } else { Broken::Act };
                return doing.packages.iter().any(is_new).then_some(broken);
            }
            let is_common = !limit.words.is_empty() && !limit.acts.without(COMMON).meet(acts);
            // `npm run` stands before whatever is run, and says nothing of it.
            let says = |word: &&String| {
                limit.words.contains(&stem(word))
                    && !(doing.is_mild && limit.words.len() > 1 && *word == "run")
            };
            let is_file = doing.has_path
                || words.first().is_some_and(|word| DELETES_FILES.contains(&word.as_str()));
            // `rm -r records` is called like what is meant.
            let is_called = || {
                let mut parts = things.clone().flat_map(|it| it.split(['/', '.', '-', '_']));
                parts.any(|part| NO_FILES.contains(&part))
            };
            if limit.no_files && is_file && !is_called() {
                return None;
            }
            let is_named = || words.iter().any(|word| says(&word));
            let is_other = || {
                !limit.others && !limit.objects.is_empty() && !limit.is_about(words, things.clone())
            };
            let is_on_the_way = limit.beyond
                && if limit.others { !doing.has_path } else { doing.has_path || doing.is_command }
                && !acts.only(limit.acts).meet(Acts::GRAVE);
            let is_held = limit.acts.meet(acts)
                && !is_on_the_way
                && (!is_common || is_named())
                && !((doing.has_path || limit.words.is_empty()) && is_other())
                && !(doing.is_mild && (limit.spares_checks(is_common) || is_other()));
            if !is_held {
                return None;
            }
            let is_meant = |thing: &str| limit.means(thing);
            if limit.others {
                let is_other = |thing: &str| !is_meant(thing) && !limit.is_spoken_of(thing);
                return things.clone().any(is_other).then_some(Broken::Beside);
            }
            if limit.things.is_empty() {
                return Some(if limit.asks { Broken::Unasked } else { Broken::Act });
            }
            things.clone().any(is_meant).then_some(Broken::Thing)
        })
    }

    /// Whether something is to be left alone that a call names by an argument of which nobody knows what it is.
    pub(in crate::session) fn leaves_alone<'a>(
        &self,
        acts: Acts,
        mut things: impl Iterator<Item = &'a str>,
    ) -> Option<Broken> {
        let kept = |limit: &&Limit| {
            !limit.others
                && !limit.things.is_empty()
                && limit.acts.meet(acts)
                && limit.words.is_empty()
        };
        things
            .any(|thing| self.limits.iter().filter(kept).any(|limit| limit.means(thing)))
            .then_some(Broken::Thing)
    }

    /// Takes back what was held up, as far as a person's assent goes.
    pub(super) fn assents(&mut self, consent: Consent) {
        let held = |limit: &Limit| match consent {
            Consent::None => true,
            // Who says `ok` and goes on with something else lets go on the work, and nothing that cannot be undone or reaches others.
            Consent::Aside => !limit.is_for_now || !limit.acts.meet(Acts::CHANGE),
            Consent::Yes | Consent::GoOn => !limit.is_for_now,
        };
        self.limits.retain(held);
        if consent == Consent::GoOn {
            self.work_is_meant();
        }
    }

    /// Ends the reading of a prompt: what it holds up for now only, what somebody else's words in it forbid, and which files it is about.
    pub(super) fn settle(&mut self, said: &Said) {
        let prompt = self.prompts;
        for limit in self.limits.iter_mut().filter(|limit| limit.prompt == prompt) {
            limit.is_for_now |= said.is_for_now && limit.is_vague() && !limit.asks;
            limit.is_for_this |= said.is_template && !limit.is_own;
            if limit.beyond && !limit.others && !said.files.is_empty() {
                limit.things.clone_from(&said.files);
                limit.others = true;
            }
        }
        // A file that is spoken of later is meant as well.
        let earlier = self.limits.iter_mut().filter(|it| it.prompt < prompt && it.others);
        for limit in earlier.filter(|limit| limit.beyond) {
            let more = said.files.iter().filter(|file| !limit.things.contains(file));
            let more: Vec<u64> = more.copied().take(THINGS).collect();
            limit.things.extend(more);
            let more = said.about.iter().filter(|word| !limit.objects.contains(word));
            let more: Vec<u64> = more.copied().take(THINGS).collect();
            limit.objects.extend(more);
            limit.things.truncate(2 * THINGS);
            limit.objects.truncate(2 * THINGS);
        }
    }

    /// Takes back what limits said of changes that were set before: who orders something to be changed after all wants it checked and
    /// recorded as well, and sends nothing out by it.
    pub(super) fn work_is_meant(&mut self) {
        let work = Acts::CHANGE.and(Acts::RUN).and(Acts::COMMIT);
        let prompt = self.prompts;
        let is_over = |limit: &Limit| {
            limit.prompt < prompt && limit.is_vague() && !limit.asks && !limit.others
        };
        for limit in self.limits.iter_mut().filter(|limit| is_over(limit)) {
            // Who wants files changed after all wants those gone that are in the way, where it was all one.
            let deletes = if limit.acts.meet(Acts::CHANGE) { Acts::DELETE } else { Acts::NONE };
            limit.acts = limit.acts.without(work.and(deletes));
        }
        self.limits.retain(|limit| !limit.acts.is_empty());
    }
}

impl Limit {
    /// Whether it names neither what must not be done nor to what.
    fn is_vague(&self) -> bool {
        self.words.is_empty()
            && self.things.is_empty()
            && self.objects.is_empty()
            && self.packages.is_none()
    }

    /// Whether a path ends with something that was spoken of later: in its last parts, since the first are those of the machine.
    fn is_spoken_of(&self, thing: &str) -> bool {
        let last = thing.rsplit('/').take(LAST_PARTS);
        self.beyond
            && last
                .flat_map(|part| part.split(|letter: char| !letter.is_alphanumeric()))
                .any(|part| part.len() > 3 && self.objects.contains(&stem(part)))
    }

    /// Whether checks and what lies among temporary files are not meant by it: it is about changes, or about one task, and names no command.
    fn spares_checks(&self, is_named: bool) -> bool {
        let is_wide = self.acts.meet(Acts::CHANGE.and(Acts::RUN)) || self.is_for_this;
        is_wide && !is_named && (self.things.is_empty() || self.others)
    }

    /// Whether a command or a path has a word for what the limit means.
    fn is_about<'a>(&self, words: &[String], things: impl Iterator<Item = &'a str>) -> bool {
        let is_named = |word: &str| self.objects.contains(&stem(word));
        let mut parts =
            things.flat_map(|thing| thing.split(|letter: char| !letter.is_alphanumeric()));
        let mut words =
            words.iter().flat_map(|word| word.split(|letter: char| !letter.is_alphanumeric()));
        words.any(is_named) || parts.any(|part| part.len() > 2 && is_named(part))
    }

    /// Whether a thing is one that the limit names, or lies in it: by its whole path, by the end of one, or by a directory around it.
    fn means(&self, thing: &str) -> bool {
        let is_named = |name: &str| self.things.contains(&Mark::of(name.trim_matches('/')).0);
        let mut around = thing.trim_end_matches('/');
        loop {
            let mut end = around;
            loop {
                if is_named(end) {
                    return true;
                }
                match end.split_once('/') {
                    Some((_, rest)) if !rest.is_empty() => end = rest,
                    _ => break,
                }
            }
            match around.rsplit_once('/') {
                Some((above, _)) if !above.is_empty() => around = above,
                _ => return false,
            }
        }
    }
}
