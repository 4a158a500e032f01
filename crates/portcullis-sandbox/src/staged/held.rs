//! What holds, put together from what was put in force. Owns which promise follows from which means.

use std::path::PathBuf;

use super::{pinned::Pins, turned_off};
use crate::{Layer, LayerState, Means, Network, Report, Unavailable, channel::Plan};

/// The first version that also restricts cutting files short, without which "not written" would not be true.
pub(super) const LEAST_VERSION: i32 = 3;

/// The first version that keeps signals and abstract sockets inside.
pub(super) const SCOPES_SINCE: i32 = 6;

/// Namespaces that stand.
#[derive(Clone, Debug)]
pub(super) struct Namespaced {
    /// Who made them: [`Means::Namespaces`] or [`Means::Bubblewrap`].
    pub(super) by: Means,
    /// Whether there is one of users among them.
    pub(super) users: bool,
    /// Whether there is one of the network.
    pub(super) network: bool,
    /// Whether the processes outside cannot even be seen.
    pub(super) hidden: bool,
}

impl Namespaced {
    /// Whether a link can be covered by a mount.
    pub(super) fn covers_links(&self) -> bool {
        self.by == Means::Namespaces
    }
}

/// What was put in force so far.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) namespaces: Option<Namespaced>,
    /// The private temporary directory, where it lies on the disk.
    pub(super) temporary: Option<PathBuf>,
    /// Where the proxy is reached inside.
    pub(super) port: Option<u16>,
    /// The version of Landlock that holds, or why none does.
    pub(super) landlock: Result<i32, String>,
    pub(super) seccomp: Result<(), String>,
    pub(super) capabilities: bool,
    /// Whether the control group with the limits was entered, where there is one; why not, otherwise.
    pub(super) group: Option<Result<(), String>>,
    unavailable: Vec<Unavailable>,
}

impl Held {
    /// Without namespaces.
    pub(super) fn plain(unavailable: Vec<Unavailable>, temporary: Option<PathBuf>) -> Self {
        let off = || "it was turned off by the caller".to_owned();
        Self {
            namespaces: None,
            temporary,
            port: None,
            landlock: Err(off()),
            seccomp: Err(off()),
            capabilities: false,
            group: None,
            unavailable,
        }
    }

    /// In namespaces.
    pub(super) fn namespaced(
        unavailable: Vec<Unavailable>,
        namespaces: Namespaced,
        port: Option<u16>,
    ) -> Self {
        Self { namespaces: Some(namespaces), port, ..Self::plain(unavailable, None) }
    }

    /// Which promises hold.
    pub(super) fn report(&self, plan: &Plan, pins: &Pins) -> Report {
        let mut unavailable = self.unavailable.clone();
        for (means, failure) in [
            (Means::Landlock, self.landlock.as_ref().err()),
            (Means::Seccomp, self.seccomp.as_ref().err()),
        ] {
            if let Some(reason) = failure
                && unavailable.iter().all(|known| known.means != means)
            {
                let mut one = turned_off(means);
                one.reason.clone_from(reason);
                if means == Means::Landlock {
                    one.remedy = Some("boot a kernel with Landlock in its list of security modules (`lsm=landlock,…`)".to_owned());
                }
                unavailable.push(one);
            }
        }
        let promised = plan.profile.promises();
        let state = |layer: &Layer| {
            let kept = self.kept(*layer, plan, pins);
            let (by, note) = match kept {
                Ok((by, note)) => (by, note),
                Err(reason) => (Vec::new(), Some(reason)),
            };
            LayerState {
                layer: *layer,
                requested: promised.contains(*layer),
                required: plan.require.contains(*layer),
                in_force: !by.is_empty(),
                by,
                note,
            }
        };
        Report { layers: Layer::ALL.iter().map(state).collect(), unavailable }
    }

    /// What keeps a promise, with a note where there is something special about it; or why nothing does.
    fn kept(
        &self,
        layer: Layer,
        plan: &Plan,
        pins: &Pins,
    ) -> Result<(Vec<Means>, Option<String>), String> {
        let profile = &plan.profile;
        let landlock = self.landlock.as_ref().is_ok_and(|version| *version >= LEAST_VERSION);
        let scopes = self.landlock.as_ref().is_ok_and(|version| *version >= SCOPES_SINCE);
        let seccomp = self.seccomp.is_ok();
        let spaces = self.namespaces.as_ref();
        let mounts = spaces.map_or(Means::Namespaces, |spaces| spaces.by);
        let links_are_open =
            spaces.is_some_and(|spaces| !spaces.covers_links()) && !pins.covered.is_empty();
        let mut by = Vec::new();
        let mut add = |means: Means, has: bool| {
            if has {
                by.push(means);
            }
        };
        let because = |reason: &str| Err(reason.to_owned());
        match layer {
            Layer::Files => {
                let reads_all = profile.read.iter().any(|root| root.as_os_str() == "/");
                add(mounts, spaces.is_some() && (reads_all || landlock));
                add(Means::Landlock, landlock);
                if by.is_empty() {
                    return because(if spaces.is_some() {
                        "what may be read is limited, and that takes Landlock"
                    } else {
                        "it takes namespaces, or Landlock of Linux 6.2 or later"
                    });
                }
                if spaces.is_none() {
                    let note = "modes, owners, times and attributes of files outside can still be changed by who owns them";
                    return Ok((by, Some(note.to_owned())));
                }
            }
            Layer::Unreadable => {
                add(mounts, spaces.is_some());
                add(Means::Landlock, spaces.is_none() && landlock);
                if by.is_empty() {
                    return because("it takes namespaces, or Landlock of Linux 6.2 or later");
                }
                if spaces.is_none() && !profile.denied.is_empty() {
                    return Ok((
                        by,
                        Some("directories above what is denied cannot be listed".to_owned()),
                    ));
                }
            }
            Layer::Protected => {
                if let Some((path, reason)) = pins.failed.first() {
                    return Err(format!("`{}`: {reason}", path.display()));
                }
                if links_are_open && !landlock {
                    return because(
                        "a protected name is a link, which bubblewrap cannot cover: it takes Landlock of Linux 6.2 or later",
                    );
                }
                add(mounts, spaces.is_some());
                add(Means::Landlock, (spaces.is_none() || links_are_open) && landlock);
                if by.is_empty() {
                    return because("it takes namespaces, or Landlock of Linux 6.2 or later");
                }
                let mut notes = Vec::new();
                if links_are_open {
                    notes.push("nothing new can be made directly in directories above a protected name that is a link");
                } else if spaces.is_none() && !profile.protected.is_empty() {
                    notes.push(
                        "nothing new can be made directly in directories above what is protected",
                    );
                }
                notes.extend(profile.overlooked.iter().map(String::as_str));
                return Ok((by, (!notes.is_empty()).then(|| notes.join("; "))));
            }
            Layer::Network => match profile.network {
                Network::Open => return because("the network is open"),
                Network::Off => {
                    add(mounts, spaces.is_some_and(|spaces| spaces.network));
                    add(Means::Seccomp, spaces.is_none() && seccomp);
                    if by.is_empty() {
                        return because("it takes namespaces, or seccomp");
                    }
                }
                Network::Proxy(_) => {
                    add(mounts, self.port.is_some());
                    if by.is_empty() {
                        return because("letting it out to the proxy alone takes namespaces");
                    }
                }
            },
            Layer::Sockets => {
                if profile.unix_sockets {
                    return because("the profile lets it use Unix sockets");
                }
                add(Means::Seccomp, seccomp);
                if by.is_empty() {
                    return because("it takes seccomp");
                }
            }
            Layer::Processes => {
                add(mounts, spaces.is_some_and(|spaces| spaces.hidden));
                add(Means::Landlock, scopes);
                if by.is_empty() {
                    return because("it takes namespaces, or Landlock of Linux 6.12 or later");
                }
            }
            Layer::Ipc => {
                add(mounts, spaces.is_some());
                add(Means::Seccomp, spaces.is_none() && seccomp);
                if by.is_empty() {
                    return because("it takes namespaces, or seccomp");
                }
            }
            Layer::Syscalls => {
                add(Means::Seccomp, seccomp);
                if by.is_empty() {
                    return because("it takes seccomp");
                }
            }
            Layer::Privileges => {
                add(Means::Capabilities, self.capabilities);
                if by.is_empty() {
                    return because("capabilities could not be dropped");
                }
            }
            Layer::Limits => {
                let grouped = matches!(self.group, Some(Ok(())));
                if plan.limits.memory.is_some() && !grouped {
                    let is_it = |one: &&Unavailable| one.means == Means::ControlGroup;
                    let known = self.unavailable.iter().find(is_it).map(|one| one.reason.clone());
                    let failed = self.group.clone().and_then(Result::err);
                    let reason = failed.or(known).unwrap_or_default();
                    return Err(format!("a limit on all memory takes a control group: {reason}"));
                }
                add(Means::Rlimits, true);
                add(Means::ControlGroup, grouped);
                let counted = spaces.is_some_and(|spaces| spaces.users);
                add(Means::Supervisor, plan.limits.processes.is_some() && !counted);
                if plan.limits.memory.is_none() {
                    let note = "the memory of all processes together is not limited";
                    return Ok((by, Some(note.to_owned())));
                }
            }
            Layer::Cleanup => {
                add(mounts, spaces.is_some());
                // Who supervises must not be killed from inside.
                add(Means::Supervisor, spaces.is_none() && scopes);
                if by.is_empty() {
                    return because("it takes namespaces, or Landlock of Linux 6.12 or later");
                }
            }
        }
        Ok((by, None))
    }
}
