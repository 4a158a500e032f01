//! What holds, put together from what was put in force. Owns which promise follows from which means.

use std::path::PathBuf;

use super::{pinned::Pins, turned_off};
use crate::{Layer, LayerState, Means, Network, Profile, Report, Unavailable, channel::Plan};

/// The first version that also restricts cutting files short, without which "not written" would not be true.
pub(super) const LEAST_VERSION: i32 = 3;

/// The first version that keeps signals and abstract sockets inside.
pub(super) const SCOPES_SINCE: i32 = 6;

/// Why nothing holds where either of the two would do.
const LANDLOCK_OR_NAMESPACES: &str = "it takes namespaces, or Landlock of Linux 6.2 or later";

/// What keeps a promise, with a note where there is something special about it; or why nothing does.
type Promise = Result<(Vec<Means>, Option<String>), String>;

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

    /// What keeps a promise.
    fn kept(&self, layer: Layer, plan: &Plan, pins: &Pins) -> Promise {
        let (profile, spaces, seccomp) =
            (&plan.profile, self.namespaces.as_ref(), self.seccomp.is_ok());
        let kept = match layer {
            Layer::Files => return self.files(profile),
            Layer::Unreadable => return self.unreadable(profile),
            Layer::Protected => return self.protected(profile, pins),
            Layer::Limits => return self.limits(plan),
            Layer::Network => self.network(&profile.network)?,
            Layer::Sockets if profile.unix_sockets => {
                return because("the profile lets it use Unix sockets");
            }
            Layer::Sockets | Layer::Syscalls => {
                one_of(&[(Means::Seccomp, seccomp)], "it takes seccomp")?
            }
            Layer::Processes => one_of(
                &[
                    (self.mounts(), spaces.is_some_and(|spaces| spaces.hidden)),
                    (Means::Landlock, self.has_scopes()),
                ],
                "it takes namespaces, or Landlock of Linux 6.12 or later",
            )?,
            Layer::Ipc => one_of(
                &[(self.mounts(), spaces.is_some()), (Means::Seccomp, spaces.is_none() && seccomp)],
                "it takes namespaces, or seccomp",
            )?,
            Layer::Privileges => one_of(
                &[(Means::Capabilities, self.capabilities)],
                "capabilities could not be dropped",
            )?,
            Layer::Cleanup => one_of(
                &[
                    (self.mounts(), spaces.is_some()),
                    // Who supervises must not be killed from inside.
                    (Means::Supervisor, spaces.is_none() && self.has_scopes()),
                ],
                "it takes namespaces, or Landlock of Linux 6.12 or later",
            )?,
        };
        Ok((kept, None))
    }

    fn files(&self, profile: &Profile) -> Promise {
        let inside = self.namespaces.is_some();
        let reads_all = profile.read.iter().any(|root| root.as_os_str() == "/");
        let means = [
            (self.mounts(), inside && (reads_all || self.has_landlock())),
            (Means::Landlock, self.has_landlock()),
        ];
        let otherwise = if inside {
            "what may be read is limited, and that takes Landlock"
        } else {
            LANDLOCK_OR_NAMESPACES
        };
        let note = (!inside).then(|| {
            "modes, owners, times and attributes of files outside can still be changed by who owns them".to_owned()
        });
        Ok((one_of(&means, otherwise)?, note))
    }

    fn unreadable(&self, profile: &Profile) -> Promise {
        let inside = self.namespaces.is_some();
        let means = [(self.mounts(), inside), (Means::Landlock, !inside && self.has_landlock())];
        let note = (!inside && !profile.denied.is_empty())
            .then(|| "directories above what is denied cannot be listed".to_owned());
        Ok((one_of(&means, LANDLOCK_OR_NAMESPACES)?, note))
    }

    fn protected(&self, profile: &Profile, pins: &Pins) -> Promise {
        if let Some((path, reason)) = pins.failed.first() {
            return Err(format!("`{}`: {reason}", path.display()));
        }
        let spaces = self.namespaces.as_ref();
        let links_are_open =
            spaces.is_some_and(|spaces| !spaces.covers_links()) && !pins.covered.is_empty();
        if links_are_open && !self.has_landlock() {
            return because(
                "a protected name is a link, which bubblewrap cannot cover: it takes Landlock of Linux 6.2 or later",
            );
        }
        let means = [
            (self.mounts(), spaces.is_some()),
            (Means::Landlock, (spaces.is_none() || links_are_open) && self.has_landlock()),
        ];
        let by = one_of(&means, LANDLOCK_OR_NAMESPACES)?;
        let mut notes = Vec::new();
        if links_are_open {
            notes.push("nothing new can be made directly in directories above a protected name that is a link");
        } else if spaces.is_none() && !profile.protected.is_empty() {
            notes.push("nothing new can be made directly in directories above what is protected");
        }
        notes.extend(profile.overlooked.iter().chain(&pins.overlooked).map(String::as_str));
        Ok((by, (!notes.is_empty()).then(|| notes.join("; "))))
    }

    fn network(&self, network: &Network) -> Result<Vec<Means>, String> {
        let spaces = self.namespaces.as_ref();
        match network {
            Network::Open => Err("the network is open".to_owned()),
            Network::Off => one_of(
                &[
                    (self.mounts(), spaces.is_some_and(|spaces| spaces.network)),
                    (Means::Seccomp, spaces.is_none() && self.seccomp.is_ok()),
                ],
                "it takes namespaces, or seccomp",
            ),
            Network::Proxy(_) => one_of(
                &[(self.mounts(), self.port.is_some())],
                "letting it out to the proxy alone takes namespaces",
            ),
        }
    }

    fn limits(&self, plan: &Plan) -> Promise {
        let grouped = matches!(self.group, Some(Ok(())));
        if plan.limits.memory.is_some() && !grouped {
            let is_it = |one: &&Unavailable| one.means == Means::ControlGroup;
            let known = self.unavailable.iter().find(is_it).map(|one| one.reason.clone());
            let failed = self.group.clone().and_then(Result::err);
            let reason = failed.or(known).unwrap_or_default();
            return Err(format!("a limit on all memory takes a control group: {reason}"));
        }
        let counted = self.namespaces.as_ref().is_some_and(|spaces| spaces.users);
        let means = [
            (Means::Rlimits, true),
            (Means::ControlGroup, grouped),
            (Means::Supervisor, plan.limits.processes.is_some() && !counted),
        ];
        let note = plan
            .limits
            .memory
            .is_none()
            .then(|| "the memory of all processes together is not limited".to_owned());
        Ok((in_force(&means), note))
    }

    /// What makes the view of the files, where one is made.
    fn mounts(&self) -> Means {
        self.namespaces.as_ref().map_or(Means::Namespaces, |spaces| spaces.by)
    }

    fn has_landlock(&self) -> bool {
        self.landlock.as_ref().is_ok_and(|version| *version >= LEAST_VERSION)
    }

    fn has_scopes(&self) -> bool {
        self.landlock.as_ref().is_ok_and(|version| *version >= SCOPES_SINCE)
    }
}

/// The means of these that are in force, in order.
fn in_force(means: &[(Means, bool)]) -> Vec<Means> {
    means.iter().filter(|(_, in_force)| *in_force).map(|(means, _)| *means).collect()
}

/// The same, where at least one has to be.
fn one_of(means: &[(Means, bool)], otherwise: &str) -> Result<Vec<Means>, String> {
    let by = in_force(means);
    if by.is_empty() { Err(otherwise.to_owned()) } else { Ok(by) }
}

fn because(reason: &str) -> Promise {
    Err(reason.to_owned())
}
