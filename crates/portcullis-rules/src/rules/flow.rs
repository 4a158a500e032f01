//! Questions that rules over data flows ask: which connection, file or program does a text come from.

use super::{
    Scene,
    hosts::{self, HostKind},
};
use crate::{
    bound::Bounded,
    effect::{
        Certainty, Connection, Effect, EffectKind, LOOKED_BACK, Location, Run, Target, WriteMode,
    },
    programs::Options,
    split::is_below,
    text::{Piece, Text},
};

impl Scene<'_> {
    /// The effects that a text comes from, directly or through other effects, nearest first.
    pub(super) fn origins(&self, text: &Text) -> Vec<&Effect> {
        self.effects.origins(text)
    }

    /// The files that a text comes from.
    pub(super) fn files_of(&self, text: &Text) -> Vec<&Target> {
        self.origins(text)
            .into_iter()
            .filter_map(|effect| match &effect.kind {
                EffectKind::Read(target) => Some(target),
                _ => None,
            })
            .collect()
    }

    /// The connections that a text comes from.
    pub(super) fn connections_of(&self, text: &Text) -> Vec<&Connection> {
        self.origins(text)
            .into_iter()
            .filter_map(|effect| match &effect.kind {
                EffectKind::Connect(connection) => Some(connection),
                _ => None,
            })
            .collect()
    }

    /// Whether an effect is that of a command which `ssh` runs on another machine.
    pub(super) fn is_remote(&self, effect: &Effect) -> bool {
        let places = self.places(effect);
        let mut outer = places.iter().skip(1);
        outer.any(|place| {
            let nearest = self.programs_at(effect, std::slice::from_ref(place)).next();
            nearest.is_some_and(|run| matches!(run.program.as_str(), "autossh" | "ssh"))
        })
    }

    /// The program around an effect: the nearest one before it whose words hold it.
    pub(super) fn program_around(&self, effect: &Effect) -> Option<&Run> {
        self.programs_at(effect, &[effect.at]).next()
    }

    /// The programs around an effect, nearest first: those whose words hold it, and those that run the text it stands in.
    pub(super) fn programs_around(&self, effect: &Effect) -> impl Iterator<Item = &Run> {
        self.programs_at(effect, &self.places(effect))
    }

    fn programs_at(&self, effect: &Effect, places: &[Location]) -> std::vec::IntoIter<&Run> {
        let found = self.effects.programs.around(&self.effects.list, self.index(effect), places);
        found.into_iter()
    }

    /// Where an effect stands, and where the texts around it are run, innermost first.
    fn places(&self, effect: &Effect) -> Vec<Location> {
        let mut places = vec![effect.at];
        let mut at = effect.at;
        // A layer's parent has a smaller index, so this ends.
        while let Some(outer) = self
            .effects
            .layers
            .get(usize::from(at.layer.0))
            .and_then(|layer| layer.origin.outer())
            .filter(|outer| outer.layer.0 < at.layer.0)
        {
            at = outer;
            places.push(at);
        }
        places
    }

    /// Whether an effect is that of a command in a container which is started for it alone and has no device or process of this machine,
    /// in a place that shows none of its directories: `docker run --rm -v "$PWD":/app alpine rm -rf /tmp/x`. Its files are its own then.
    pub(super) fn is_in_own_container(&self, effect: &Effect) -> bool {
        let is_own = |run: &Run| {
            let words: Option<Vec<&str>> =
                run.arguments.iter().map(|word| word.text.as_known()).collect();
            let Some(words) = words.filter(|words| words.first() == Some(&"run")) else {
                return false;
            };
            let opens = |word: &&str| {
                let is_bundle = word.starts_with('-') && !word.starts_with("--");
                is_bundle && word.contains('H')
                    || ["--ho", "--con", "--dev", "--pri", "--pid", "--root", "--volumes-f"]
                        .iter()
                        .any(|option| word.starts_with(option))
            };
            let mounts = |word: &&str| {
                let is_bundle = word.starts_with('-') && !word.starts_with("--");
                is_bundle && word.contains('v')
                    || word.starts_with("--v")
                    || word.starts_with("--mo")
            };
            if words.iter().any(opens) {
                return false;
            }
            !words.iter().any(mounts)
                || mounted(run).is_some_and(|places| match places.is_empty() {
                    // Nothing is written through any of them, as far as each was understood.
                    true => words.iter().filter(|word| mounts(word)).count() == mounts_of(run),
                    false => lies_inside(effect, &places),
                })
        };
        let is_engine =
            |run: &&Run| matches!(run.program.as_str(), "docker" | "nerdctl" | "podman");
        self.programs_around(effect).filter(is_engine).any(is_own)
    }

    /// Whether an earlier part of this very call wrote a file, whole and for certain.
    pub(super) fn has_written(&self, path: &str, before: &Effect) -> bool {
        let mut earlier =
            self.effects.list.iter().take_while(|other| !std::ptr::eq(*other, before));
        earlier.any(|other| {
            matches!(&other.kind, EffectKind::Write { target, mode: WriteMode::Replace, .. }
                    if target.path.as_deref() == Some(path))
                && (other.certainty == Certainty::Certain || self.is_behind(other, before))
        })
    }

    /// Whether what a program prints goes to one that lets nothing through but names and numbers.
    pub(super) fn is_cut_to_names(&self, effect: &Effect) -> bool {
        let after = self.effects.list.get(self.index(effect) + 1..).unwrap_or(&[]);
        let is_it =
            |text: &Text| self.origins(text).into_iter().any(|origin| std::ptr::eq(origin, effect));
        let taker = after.iter().leading(LOOKED_BACK).find_map(|other| match &other.kind {
            EffectKind::Run(run) if run.input.as_ref().is_some_and(is_it) => Some(run),
            _ => None,
        });
        taker.is_some_and(super::settings::shows_names)
    }

    /// The effects before and after one, as many as are worth looking at.
    pub(super) fn around(&self, effect: &Effect) -> impl Iterator<Item = &Effect> {
        let after = self.effects.list.get(self.index(effect)..).unwrap_or(&[]);
        self.before(effect).chain(after.iter().leading(LOOKED_BACK))
    }

    /// The effects before one, nearest first, as many as are worth looking at.
    fn before(&self, effect: &Effect) -> impl Iterator<Item = &Effect> {
        self.effects.list.get(..self.index(effect)).unwrap_or(&[]).iter().rev().leading(LOOKED_BACK)
    }

    /// Where an effect stands in the list, found from its place in memory: a search would make rules quadratic.
    pub(super) fn index(&self, effect: &Effect) -> usize {
        let start = self.effects.list.as_ptr().addr();
        std::ptr::from_ref(effect).addr().wrapping_sub(start) / size_of::<Effect>()
    }
}

/// The kind of the host that a connection goes to; a host that is not known is like any name.
pub(super) fn host_kind(connection: &Connection) -> HostKind {
    connection.host.as_deref().map_or(HostKind::Named, hosts::kind)
}

/// Whether the connection stays on this machine.
pub(super) fn is_local(connection: &Connection) -> bool {
    connection.is_local
}

/// Where a connection goes, for a person.
pub(super) fn shown(connection: &Connection) -> String {
    let address = connection.address.display();
    let address = address.strip_prefix("mailto://").unwrap_or(&address);
    let mut short: String = address.chars().leading(80).collect();
    if short.len() < address.len() {
        short.push('…');
    }
    short
}

/// `host:…` for a finding.
pub(super) fn host_resource(connection: &Connection) -> Option<String> {
    connection.host.as_ref().map(|host| format!("host:{host}"))
}

/// Shells, by the name of the program.
pub(super) fn is_shell(program: &str) -> bool {
    matches!(
        program,
        "sh" | "bash"
            | "dash"
            | "zsh"
            | "ksh"
            | "mksh"
            | "ash"
            | "fish"
            | "csh"
            | "tcsh"
            | "rbash"
            | "pwsh"
            | "powershell"
            | "cmd"
            | "cmd.exe"
    )
}

/// Whether what is not known in a text is given under a name that says it is a credential: `key=…`, `"token": …`.
pub(super) fn named_as_credential(text: &Text) -> bool {
    text.pieces.windows(2).any(|pair| {
        let [Piece::Known(before), Piece::Unknown(_)] = pair else { return false };
        let name = before.trim_end_matches(['=', ':', ' ', '"', '\'']);
        let start = name
            .rfind(|letter: char| !letter.is_ascii_alphanumeric() && !matches!(letter, '_' | '-'))
            .map_or(0, |at| at + 1);
        let name = name.get(start..).unwrap_or("").to_ascii_lowercase();
        name.len() < before.len()
            && ["key", "token", "secret", "pass", "auth", "pwd", "appid", "sig", "pin", "otp"]
                .iter()
                .any(|word| name.contains(word))
    })
}

/// The places in a container at which directories of this machine stand that can be changed there; nothing where that is not known of each.
fn mounted(run: &Run) -> Option<Vec<String>> {
    let options = Options::new(&run.arguments, MOUNTS);
    let mut places = Vec::new();
    for given in options.values_of(MOUNTS) {
        let known = given.text.as_known()?;
        if is_only_read(known) {
            continue;
        }
        let mut found: Vec<&str> = if known.contains('=') {
            let parts = known.split(',').filter_map(|part| part.split_once('='));
            let named = parts
                .filter(|(key, _)| matches!(*key, "target" | "dst" | "destination"))
                .map(|(_, place)| place);
            named.collect()
        } else {
            known.split(':').skip(1).leading(1).collect()
        };
        if found.is_empty() {
            return None;
        }
        places.extend(found.drain(..).map(|place| place.trim_end_matches('/').to_owned()));
    }
    let is_plain =
        |place: &String| place.starts_with('/') && !place.contains("..") && !is_linked(place);
    places.iter().all(is_plain).then_some(places)
}

/// Whether a mount is one that nothing is written through: `-v a:/a:ro`, `--mount type=bind,src=a,dst=/a,readonly` (docs.docker.com, "Bind mounts").
fn is_only_read(mount: &str) -> bool {
    if mount.contains('=') {
        return mount
            .split(',')
            .any(|part| matches!(part, "readonly" | "ro" | "readonly=true" | "ro=true"));
    }
    let modes = mount.split(':').nth(2);
    modes.is_some_and(|modes| modes.split(',').any(|mode| mode == "ro"))
}

/// How many mounts there are.
fn mounts_of(run: &Run) -> usize {
    Options::new(&run.arguments, MOUNTS).values_of(MOUNTS).count()
}

/// Options of engines that mount something.
const MOUNTS: &[&str] = &["-v", "--volume", "--mount"];

/// Whether a place may be another by a link that images have: `/bin` is `/usr/bin`, `/var/run` is `/run`.
fn is_linked(place: &str) -> bool {
    let first = place.trim_start_matches('/').split('/').next().unwrap_or_default();
    matches!(first, "bin" | "lib" | "lib32" | "lib64" | "run" | "sbin" | "usr")
        || place.starts_with("/var/run")
        || place.starts_with("/var/lock")
}

/// Whether what is deleted is written as a place of the container that lies neither in nor around one of these.
fn lies_inside(effect: &Effect, mounts: &[String]) -> bool {
    let EffectKind::Delete { target, .. } = &effect.kind else { return false };
    let (Some(written), Some(path)) = (target.text.as_known(), target.path.as_deref()) else {
        return false;
    };
    let written = written.trim_end_matches('/');
    written.len() > 1
        && written == path
        && !is_linked(written)
        && mounts.iter().all(|mount| !is_below(written, mount) && !is_below(mount, written))
}
