//! A process of its own that keeps a workspace beforehand while an agent works in it. Owns when one is due, for which directories there is one, and
//! that it holds nobody up: it runs when nobody else wants the processor or the disk, and ends by itself.

use std::{
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    process, thread,
    time::Duration,
};

use rustix::process::{Resource, Rlimit};

use super::Unprepared;
use crate::{
    observe, platform,
    undo::{
        Bounds, Store,
        lists::{self, Prepared},
        versions,
    },
};

/// How long nothing is begun anew for a workspace.
const AGAIN: Duration = Duration::from_secs(10 * 60);

/// The shortest index of git by which a workspace has so many files that reading them takes long: some hundreds.
const LEAST_INDEX: u64 = 64 << 10;

/// How long one may be at it beyond its time, what it may have of the processor, and of memory.
const BEYOND: Duration = Duration::from_secs(5);
const MOST_SECONDS: u64 = 60;
const MOST_MEMORY: u64 = 2 << 30;

/// Of those that have to go where memory is short, this one first.
const GOES_FIRST: &str = "900";

/// A workspace that is kept beforehand by a process of its own.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Ahead {
    /// The state directory.
    pub state: PathBuf,
    /// The workspace.
    pub workspace: PathBuf,
}

impl Ahead {
    /// The one for the work tree of git that an agent works in, where one is due; that it is begun is noted. A work tree of somebody else, one with
    /// few files, and a directory that is no work tree have none.
    #[must_use]
    pub fn due(state: &Path, cwd: &Path, home: Option<&Path>) -> Option<Self> {
        let workspace = observe::work_tree_around(cwd, home);
        let git = workspace.join(".git");
        let is_own = |path: &Path| {
            let own = rustix::process::geteuid().as_raw();
            fs::symlink_metadata(path).is_ok_and(|found| found.uid() == own && !found.is_symlink())
        };
        if !is_own(&git) {
            return None;
        }
        let workspace = Self::workspace(&workspace, state, home).ok()?;
        let folder = lists::folder_of(&state.join("snapshots"), &workspace);
        let begun = folder.join(lists::BEGUN);
        let age = fs::symlink_metadata(&begun)
            .and_then(|found| found.modified())
            .map(|time| time.elapsed());
        // One of a time to come was noted before the clock was set back.
        if age.is_ok_and(|age| age.is_ok_and(|age| age < AGAIN)) {
            return None;
        }
        let index = versions::repository_of(&workspace)?.join("index");
        let length = fs::symlink_metadata(index).map_or(0, |found| found.len());
        if length < LEAST_INDEX || !is_own(&workspace) {
            return None;
        }
        let noted = || {
            Store::open(state)?;
            platform::create_private_directory(&folder)?;
            platform::create_private_file(&begun)?;
            platform::open_to_change(&begun)?.set_modified(std::time::SystemTime::now())
        };
        let noted: io::Result<()> = noted();
        noted.ok()?;
        Some(Self { state: state.to_owned(), workspace })
    }

    /// The workspace that snapshots have around a directory.
    ///
    /// # Errors
    /// [`Unprepared::NoProject`] where no copy of it is kept in any case.
    pub fn workspace(
        directory: &Path,
        state: &Path,
        home: Option<&Path>,
    ) -> Result<PathBuf, Unprepared> {
        let workspace = platform::real(&observe::work_tree_around(directory, home));
        let is_home = home.is_some_and(|home| platform::real(home).starts_with(&workspace));
        if workspace.components().count() <= 1 || is_home {
            let words = "a home directory, or what holds one, is no project to keep a copy of";
            return Err(Unprepared::NoProject(words));
        }
        if platform::real(state).starts_with(&workspace) {
            let words = "the state directory lies in it, and what is kept would be kept again";
            return Err(Unprepared::NoProject(words));
        }
        Ok(workspace)
    }

    /// Keeps the workspace beforehand, as the process that was started for it: behind everything else, and not beyond its bounds.
    ///
    /// # Errors
    /// [`Unprepared`].
    pub fn run(&self) -> Result<Prepared, Unprepared> {
        let folder = lists::folder_of(&self.state.join("snapshots"), &self.workspace);
        // Where the state directory went away since, none is made.
        if !folder.join(lists::BEGUN).is_file() {
            return Err(Unprepared::NoProject("nobody asked for it"));
        }
        let bounds = Bounds::ahead();
        let end = bounds.time + BEYOND;
        let watch = thread::Builder::new().stack_size(1 << 16);
        watch.spawn(move || {
            thread::sleep(end);
            // What has no name yet goes with it, and what has one is whole.
            process::exit(1);
        })?;
        step_back();
        let store = Store::open(&self.state)?;
        super::prepare(&store, &self.workspace, bounds)
    }
}

/// Leaves the session of whoever started this, and everything to everybody else. Where the system refuses a part of it, the rest holds.
fn step_back() {
    let _ = rustix::process::setsid();
    let _ = rustix::process::nice(19);
    let _ = portcullis_sandbox::idle();
    let _ = fs::write("/proc/self/oom_score_adj", GOES_FIRST);
    let limits = [(Resource::Cpu, MOST_SECONDS), (Resource::As, MOST_MEMORY), (Resource::Core, 0)];
    for (resource, most) in limits {
        let there = rustix::process::getrlimit(resource);
        let most = there.maximum.map_or(most, |maximum| maximum.min(most));
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        let _ = rustix::process::setrlimit(resource, limit);
    }
}
