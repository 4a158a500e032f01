//! A control group for the program and all that comes from it. Owns where one may be made, the limits on it, and that it goes away. The
//! second version is looked for first; of the first one only the memory is used.

use std::{
    fs::{self, File},
    io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use crate::{Limits, Means, Unavailable, kernel};

/// How the name of a group begins; the number of the process that made it follows.
const NAME: &str = "portcullis-";

/// How many groups above our own are tried: one that has processes in it gives no control to those below.
const MOST_ABOVE: usize = 4;

/// How often a group that is no longer used is taken away, where the kernel still counts somebody in it.
const ATTEMPTS: usize = 200;

/// A group that was made.
#[derive(Debug)]
pub(super) struct Group {
    path: PathBuf,
    /// Who writes `0` to it is in the group.
    pub(super) entrance: OwnedFd,
}

/// Which version of control groups a place belongs to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Version {
    First,
    Second,
}

impl Group {
    /// Makes a group with the limits.
    pub(super) fn made(limits: &Limits) -> Result<Self, Unavailable> {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let places = places(&read("/proc/self/cgroup"), &read("/proc/self/mountinfo"));
        Self::first_of(&places, limits)
    }

    fn first_of(places: &[(Version, PathBuf)], limits: &Limits) -> Result<Self, Unavailable> {
        let mut reason = "there are no control groups that limit memory".to_owned();
        for (version, place) in places {
            match Self::below(*version, place, limits) {
                Ok(group) => return Ok(group),
                Err(why) => reason = why,
            }
        }
        let remedy =
            "run it where groups are delegated, as by `systemd-run --user --scope -p Delegate=yes`";
        Err(Unavailable { means: Means::ControlGroup, reason, remedy: Some(remedy.to_owned()) })
    }

    fn below(version: Version, place: &Path, limits: &Limits) -> Result<Self, String> {
        let said =
            |what: &str, error: &io::Error| format!("{what} in `{}`: {error}", place.display());
        let has = |name: &str, word: &str| {
            fs::read_to_string(place.join(name))
                .is_ok_and(|text| text.split_whitespace().any(|one| one == word))
        };
        if version == Version::Second {
            for controller in ["memory", "pids"] {
                if has("cgroup.subtree_control", controller) {
                    continue;
                }
                let given =
                    fs::write(place.join("cgroup.subtree_control"), format!("+{controller}"));
                if let Err(error) = given
                    && controller == "memory"
                {
                    return Err(said("memory is not given to groups", &error));
                }
            }
        }
        forget_abandoned(place);
        let path = place.join(format!("{NAME}{}", kernel::process()));
        fs::create_dir(&path).map_err(|error| said("no group can be made", &error))?;
        match limited(version, &path, limits) {
            Ok(entrance) => Ok(Self { path, entrance }),
            Err(error) => {
                let _ = fs::remove_dir(&path);
                Err(said("no group can be limited", &error))
            }
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for _ in 0..ATTEMPTS {
            match fs::remove_dir(&self.path) {
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                    thread::sleep(Duration::from_millis(1));
                }
                _ => return,
            }
        }
    }
}

/// Sets the limits of a new group, and opens the way into it.
fn limited(version: Version, path: &Path, limits: &Limits) -> io::Result<OwnedFd> {
    let set = |name: &str, value: &str| fs::write(path.join(name), value);
    // What is not on this machine need not be limited.
    let set_where_there = |name: &str, value: &str| match set(name, value) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    };
    let memory = limits.memory.map(|memory| memory.to_string());
    match version {
        Version::Second => {
            if let Some(memory) = &memory {
                set("memory.max", memory)?;
                set_where_there("memory.swap.max", "0")?;
                set_where_there("memory.oom.group", "1")?;
            }
            if let Some(processes) = limits.processes {
                // One more, as where the kernel counts otherwise, is our own.
                set_where_there("pids.max", &processes.saturating_add(1).to_string())?;
            }
        }
        Version::First => {
            if let Some(memory) = &memory {
                set("memory.limit_in_bytes", memory)?;
                // With what is swapped.
                set_where_there("memory.memsw.limit_in_bytes", memory)?;
            }
        }
    }
    File::options().write(true).open(path.join("cgroup.procs")).map(OwnedFd::from)
}

/// Groups that a killed stage left behind. One that somebody is in cannot be taken away, nor one whose maker lives.
fn forget_abandoned(place: &Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let maker = name.to_str().and_then(|name| name.strip_prefix(NAME));
        if let Some(maker) = maker.and_then(|maker| maker.parse::<u32>().ok())
            && !Path::new(&format!("/proc/{maker}")).exists()
        {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// Where a group may be made, from what the kernel says of our own groups and of what is mounted: below our own, and below those above
/// it, which give control to others where ours cannot.
fn places(groups: &str, mounts: &str) -> Vec<(Version, PathBuf)> {
    let mut found = Vec::new();
    for version in [Version::Second, Version::First] {
        let own = groups.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':');
            let (number, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
            let is_it = match version {
                Version::Second => number == "0" && controllers.is_empty(),
                Version::First => controllers.split(',').any(|one| one == "memory"),
            };
            is_it.then_some(path)
        });
        let Some(own) = own else { continue };
        let mounted = mounts.lines().find_map(|line| {
            let (before, behind) = line.split_once(" - ")?;
            let mut before = before.split(' ').skip(3);
            let (root, place) = (before.next()?, before.next()?);
            let mut behind = behind.split(' ');
            let (kind, options) = (behind.next()?, behind.nth(1)?);
            let is_it = match version {
                Version::Second => kind == "cgroup2",
                Version::First => kind == "cgroup" && options.split(',').any(|one| one == "memory"),
            };
            is_it.then_some((root, place))
        });
        let Some((root, top)) = mounted else { continue };
        // Only what lies below the root that is mounted can be seen.
        let Ok(rest) = Path::new(own).strip_prefix(root) else { continue };
        let own = Path::new(top).join(rest);
        let above = own.ancestors().take_while(|path| path.starts_with(top));
        found.extend(above.take(MOST_ABOVE).map(|path| (version, path.to_owned())));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_looked_for_below_ours_and_those_above() {
        let mounts = "30 24 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n\
                      31 24 0:27 /outer /sys/fs/first/memory rw - cgroup cgroup rw,memory\n";
        let groups = "4:memory:/outer/inner\n1:cpu:/\n0::/user.slice/app.slice/shell.scope\n";
        let found = places(groups, mounts);
        let second = |path: &str| (Version::Second, PathBuf::from(path));
        let first = |path: &str| (Version::First, PathBuf::from(path));
        assert_eq!(
            found,
            [
                second("/sys/fs/cgroup/user.slice/app.slice/shell.scope"),
                second("/sys/fs/cgroup/user.slice/app.slice"),
                second("/sys/fs/cgroup/user.slice"),
                second("/sys/fs/cgroup"),
                first("/sys/fs/first/memory/inner"),
                first("/sys/fs/first/memory"),
            ]
        );
        assert!(places("0::/../elsewhere", "").is_empty());
    }

    #[test]
    fn limits_are_written_as_the_second_version_wants_them() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().to_owned();
        fs::write(place.join("cgroup.subtree_control"), "memory pids\n").unwrap();
        let group = place.join("group");
        fs::create_dir(&group).unwrap();
        // What the kernel makes in a new group.
        for name in
            ["cgroup.procs", "memory.max", "memory.swap.max", "memory.oom.group", "pids.max"]
        {
            fs::write(group.join(name), "").unwrap();
        }
        let limits = Limits { memory: Some(1 << 20), processes: Some(9), ..Limits::default() };
        limited(Version::Second, &group, &limits).unwrap();
        for (name, value) in [
            ("memory.max", "1048576"),
            ("memory.swap.max", "0"),
            ("memory.oom.group", "1"),
            ("pids.max", "10"),
        ] {
            assert_eq!(fs::read_to_string(group.join(name)).unwrap(), value, "{name}");
        }
        // A place whose memory is not given on is none.
        fs::write(place.join("cgroup.subtree_control"), "").unwrap();
        let refused = Group::first_of(&[(Version::Second, place.join("gone"))], &limits);
        let refused = refused.unwrap_err();
        assert_eq!(refused.means, Means::ControlGroup);
        assert!(refused.reason.contains("memory is not given"), "{}", refused.reason);
        assert!(Group::first_of(&[], &limits).is_err());
    }
}
