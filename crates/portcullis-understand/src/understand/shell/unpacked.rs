//! Directories that came out of an archive that nobody looked into, or with a repository: one of them may be a link to anywhere. Owns where a path
//! through them may lead.

use crate::{
    effect::{Argument, EffectKind, GapReason, Target, WriteMode},
    facts::PathKind,
    paths::absolute,
    place::{self, Near, Place},
    text::Text,
};

use super::walk::Walk;

/// How many directories of a path are asked for.
const DEEP: usize = 16;

/// How many effects are looked through for one unit of work.
const EFFECTS_PER_WORK: usize = 64;

/// Where shells are let in by what a file of this name says (sshd(8), "AUTHORIZED_KEYS FILE FORMAT").
const LETS_IN: (&str, &str) = (".ssh", "authorized_keys");

impl Walk<'_> {
    /// Files of names that nobody knows appear in a directory.
    pub(super) fn unpacks_into(&mut self, directory: &Argument) {
        let Some(path) = self.target(&directory.text).path else { return };
        let after = self.recorder.effects.list.len();
        if !self.provenance.unpack(path, after) {
            self.gap(directory.span, GapReason::Limit);
        }
    }

    /// Whether a file is written through a directory that came out of an archive: nobody knows where it is. Whoever went there saw that it is a
    /// directory, and is taken to be in it where no file of that name matters.
    pub(super) fn is_written_through(&mut self, file: &Argument, mode: WriteMode) -> bool {
        if !self.provenance.has_unpacked()
            || !matches!(mode, WriteMode::Replace | WriteMode::Append | WriteMode::Edit)
        {
            return false;
        }
        let work = self.provenance.unpacked().iter().map(|(_, after)| 1 + after / EFFECTS_PER_WORK);
        let work = work.sum();
        self.charge(work);
        let path = absolute(&file.text, self.state.directory(), self.facts);
        let Some(path) = path else { return false };
        let is_inside = |below: &str| {
            let through = path.strip_suffix(below).map(|through| through.trim_end_matches('/'));
            let here = self.state.directory();
            through.zip(here).is_some_and(|(through, here)| is_within(here, through))
        };
        self.below_unpacked(&path).iter().any(|below| !is_inside(below) || self.may_matter(below))
    }

    /// Whether a path matters from some directory that a link may lead to.
    fn may_matter(&self, below: &str) -> bool {
        let Some(home) = self.facts.home.as_deref() else { return false };
        let own = self.facts.guarded.iter().chain(&self.facts.hooked);
        let mut above: Vec<&str> = own.flat_map(|path| directories(path, home)).collect();
        above.push(home);
        let mut paths: Vec<String> =
            above.iter().map(|directory| format!("{directory}/{below}")).collect();
        if below == LETS_IN.1 {
            paths.push(format!("{home}/{}/{below}", LETS_IN.0));
        }
        let somewhere = format!("{home}/**/{below}");
        place::near_gate(&somewhere, false, self.facts) == Some(Near::Named)
            || paths.into_iter().any(|path| {
                let target = Target::new(Text::known(path.as_str()), Some(path));
                place::place_of(&target, self.facts) == Place::Gate
                    || place::is_hooked(&target, self.facts)
                    || place::persistence_of(&target, self.facts).is_some()
            })
    }

    /// What of a path stands below each directory of it that came out of an archive, as far as is known.
    fn below_unpacked<'p>(&self, path: &'p str) -> Vec<&'p str> {
        let mut found = Vec::new();
        for (directory, after) in self.provenance.unpacked() {
            let Some(rest) = path.strip_prefix(directory.trim_end_matches('/')) else { continue };
            let Some(rest) = rest.strip_prefix('/') else { continue };
            let before = path.len() - rest.len();
            if rest.matches('/').count() > DEEP {
                // So deep nobody looks.
                found.push(rest);
                continue;
            }
            for (at, _) in rest.match_indices('/') {
                let (Some(through), Some(below)) =
                    (path.get(..before + at), path.get(before + at + 1..))
                else {
                    continue;
                };
                if !below.is_empty() && !self.stood_before(through, *after) {
                    found.push(below);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether a directory was there before something was unpacked: it is known, or this call had put something there.
    fn stood_before(&self, path: &str, after: usize) -> bool {
        let is_known = self.known_of(path).is_some_and(|fact| {
            fact.exists && fact.kind == PathKind::Directory && fact.leads_to.is_none()
        });
        let holds = |inner: &str| is_within(inner, path);
        let before = self.recorder.effects.list.get(..after).unwrap_or_default();
        is_known
            || self.facts.cwd.as_deref().is_some_and(holds)
            || before.iter().any(|effect| {
                matches!(&effect.kind, EffectKind::Write { target, .. }
                    if target.path.as_deref().is_some_and(holds))
            })
    }
}

/// Whether a path is a directory, or lies in it.
fn is_within(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The directories around a path, below and without a home.
fn directories<'p>(path: &'p str, home: &str) -> Vec<&'p str> {
    let Some(below) = path.strip_prefix(home).and_then(|rest| rest.strip_prefix('/')) else {
        return Vec::new();
    };
    let start = path.len() - below.len();
    below.match_indices('/').filter_map(|(at, _)| path.get(..start + at)).collect()
}

#[test]
fn directories_around_a_path_are_those_below_home() {
    assert_eq!(directories("/h/a/b/c", "/h"), ["/h/a", "/h/a/b"]);
    assert!(directories("/h/a", "/h").is_empty() && directories("/x/a", "/h").is_empty());
}
