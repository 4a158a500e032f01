//! What an agent works on. Owns the directories that its payload, its variables and its process name, and the work trees
//! around them; what of ours lies there is refused elsewhere.

use std::{
    cell::OnceCell,
    env, fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::way::{Attached, identity, is_attached_between, way};
use crate::{
    agents::{AGENTS, agent::Agent, field},
    platform::{self, is_shared},
};

/// Beginnings of names that mean something else to each process.
const OF_A_PROCESS: &[&str] = &["/proc", "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr"];

/// The longest name of a directory, as Linux has it (`PATH_MAX`): nothing is found by a longer one.
const LONGEST_NAME: usize = 4_096;

/// The most bytes of a file that says where a repository is.
const LONGEST_POINTER: u64 = 4_096;

/// Words in the names of variables by which agents, build servers and git say where work is done. Where a shell stands, and
/// stood before, is no such word: the system says where this process is.
const WORDS_OF_WORK: &[&str] = &["PROJECT", "WORKSPACE", "CWD", "WORK_TREE", "WORKTREE", "GIT_DIR"];

/// What an agent works on. It is looked at only when something of ours is not where it is without any variables or links.
#[derive(Debug, Default)]
pub(in crate::hook) struct Ground {
    names: Vec<PathBuf>,
    account: Option<PathBuf>,
    /// Whether this process names further directories.
    asks_process: bool,
    known: OnceCell<Known>,
}

#[derive(Debug, Default)]
struct Known {
    places: Vec<Worked>,
    /// The home of the account, without links.
    account: Option<PathBuf>,
    /// What is attached where, once somebody asks.
    attached: OnceCell<Attached>,
}

/// A directory that an agent works in, without links.
#[derive(Debug)]
struct Worked {
    path: PathBuf,
    identity: Option<(u64, u64)>,
}

impl Ground {
    /// Of the hook that a payload was given to.
    pub(in crate::hook) fn of_hook(payload: &Value, agent: &Agent, account: Option<&Path>) -> Self {
        let mut names: Vec<PathBuf> = Vec::new();
        let mut add = |name: &str| {
            if names.iter().all(|known| known.as_os_str() != name) {
                names.push(PathBuf::from(name));
            }
        };
        for pointer in agent.fields.cwd {
            field::at(payload, pointer).and_then(Value::as_str).into_iter().for_each(&mut add);
        }
        for pointer in agent.fields.roots {
            let roots = field::at(payload, pointer).and_then(Value::as_array);
            roots.into_iter().flatten().filter_map(Value::as_str).for_each(&mut add);
        }
        Self { asks_process: true, ..Self::of(names, account) }
    }

    /// Of these directories alone.
    pub(super) fn of(names: Vec<PathBuf>, account: Option<&Path>) -> Self {
        Self { names, account: account.map(Path::to_owned), ..Self::default() }
    }

    fn known(&self) -> &Known {
        self.known.get_or_init(|| {
            let account = self.account.as_deref().map(platform::real);
            let mut found = Vec::new();
            let named = if self.asks_process { of_process() } else { Vec::new() };
            let is_name =
                |name: &&PathBuf| name.is_absolute() && name.as_os_str().len() <= LONGEST_NAME;
            for name in self.names.iter().chain(&named).filter(is_name) {
                let path = platform::real(name);
                // Of trees within trees the agent may write the outer ones just as well.
                for tree in path.ancestors() {
                    let pointer = tree.join(".git");
                    if fs::symlink_metadata(&pointer).is_ok() {
                        found.extend(shared(&pointer));
                        found.push(tree.to_owned());
                    }
                }
                found.push(path);
            }
            // Where somebody works on everything, nothing lies elsewhere.
            found.retain(|path| path.parent().is_some());
            found.sort_unstable();
            found.dedup();
            let worked = |path: PathBuf| Worked { identity: identity(&path), path };
            let places = found.into_iter().map(worked).collect();
            Known { places, account, attached: OnceCell::new() }
        })
    }

    /// Whether the agent works in the home of the account.
    pub(super) fn is_at_home(&self) -> bool {
        let Known { places, account, .. } = self.known();
        let at_home = |home: &PathBuf| places.iter().any(|place| place.path.starts_with(home));
        account.as_ref().is_some_and(at_home)
    }

    /// Whether a path that a variable names leads into what the agent works on, or nearer to it than to the home that both
    /// are in: a project without version control has no edge that could be seen.
    pub(super) fn is_near(&self, path: &Path) -> bool {
        let steps = way(path);
        let Known { places, account, .. } = self.known();
        let near = |home: &PathBuf| {
            let folder = |path: &Path| {
                let below = path.strip_prefix(home).ok()?;
                below.components().next().map(|first| home.join(first))
            };
            let folders: Vec<PathBuf> =
                places.iter().filter_map(|place| folder(&place.path)).collect();
            steps.iter().filter_map(|step| folder(step)).any(|folder| folders.contains(&folder))
        };
        let around =
            || places.iter().any(|place| steps.iter().any(|step| place.path.starts_with(step)));
        // No person keeps such a thing where everyone may write, but for whom all lies there: a test.
        let shared = |home: &PathBuf| {
            self.is_at_home() && !is_shared(home) && steps.iter().any(|step| is_shared(step))
        };
        account.as_ref().is_some_and(|home| near(home) || shared(home))
            || around()
            || self.reaches(path)
    }

    /// Whether a path of ours leads into what the agent works on, or through it. Without links and variables it does not,
    /// wherever that is: those names are guarded by the rules.
    pub(super) fn takes_in(&self, path: &Path, usual: Option<&Path>) -> bool {
        let mut way = way(path);
        let end = way.last().map(PathBuf::as_path);
        let is_usual = usual.is_some_and(|usual| {
            end == Some(usual) || {
                let below = self.account.as_ref().and_then(|home| usual.strip_prefix(home).ok());
                let home = self.known().account.as_ref();
                let own = below.zip(home).map(|(below, home)| home.join(below));
                own.is_some_and(|own| end == Some(&own))
            }
        });
        if is_usual && let Some(end) = way.pop() {
            // It is what it is called, unless something else is attached there.
            let home = self.account.as_ref().filter(|home| is_attached_between(home, &end));
            if home.is_some() && self.is_attached_there(&end) {
                return true;
            }
        }
        way.iter().any(|step| self.holds(step))
    }

    /// Whether a path leads into what the agent works on, or through it.
    pub(super) fn reaches(&self, path: &Path) -> bool {
        self.takes_in(path, None)
    }

    /// Whether a path without links lies in what the agent works on, or where each process finds something else. Whoever
    /// works on the whole home of the account, or above it, has all that is in it before them: those names are guarded by
    /// the rules.
    fn holds(&self, real: &Path) -> bool {
        if OF_A_PROCESS.iter().any(|beginning| real.starts_with(beginning)) {
            return true;
        }
        let mut above: Vec<Option<(u64, u64)>> = Vec::new();
        let is_in = |place: &Worked| {
            if above.is_empty() {
                above = real.ancestors().map(identity).collect();
            }
            // Under another name: a directory that is mounted twice.
            real.starts_with(&place.path)
                || place.identity.is_some() && above.contains(&place.identity)
        };
        self.places_around(real).any(is_in) || self.is_attached_there(real)
    }

    /// Whether what is seen at a path is attached there from what the agent works on.
    fn is_attached_there(&self, real: &Path) -> bool {
        let Known { account, .. } = self.known();
        let attached = self.known().attached.get_or_init(Attached::read);
        self.places_around(real).any(|place| attached.holds(&place.path, real))
            || attached.is_shown_by_a_program(real, account.as_deref())
    }

    /// The places that a path could lie in and be refused.
    fn places_around<'a>(&'a self, real: &'a Path) -> impl Iterator<Item = &'a Worked> {
        let Known { places, account, .. } = self.known();
        let home = account.as_ref().filter(|home| real.starts_with(home));
        places.iter().filter(move |place| !home.is_some_and(|home| home.starts_with(&place.path)))
    }
}

/// The directory of this process and those that its variables name: those of every agent, since several start each other and run each
/// other's hooks, and what else says so by its name.
fn of_process() -> Vec<PathBuf> {
    let is_known = |name: &str| AGENTS.iter().any(|agent| agent.root_variables.contains(&name));
    let says_so = |name: &str| WORDS_OF_WORK.iter().any(|word| name.contains(word));
    let named = env::vars_os()
        .filter(|(name, _)| name.to_str().is_some_and(|name| is_known(name) || says_so(name)));
    named.map(|(_, value)| PathBuf::from(value)).chain(env::current_dir().ok()).collect()
}

/// The repository that a link or a file of a work tree leads to, and the tree of that: what is written there is shared.
fn shared(pointer: &Path) -> Vec<PathBuf> {
    let Ok(real) = fs::canonicalize(pointer) else { return Vec::new() };
    let leads = |file: &Path, before: &str| {
        let mut text = String::new();
        let metadata = fs::metadata(file).ok().filter(fs::Metadata::is_file);
        metadata
            .and_then(|_| fs::File::open(file).ok())
            .map(|file| file.take(LONGEST_POINTER).read_to_string(&mut text))?
            .ok()?;
        let to = file.parent()?.join(text.strip_prefix(before)?.trim());
        fs::canonicalize(to).ok()
    };
    let repository = if real.is_dir() { Some(real) } else { leads(&real, "gitdir:") };
    let common = repository.as_ref().and_then(|found| leads(&found.join("commondir"), ""));
    let all = repository.into_iter().chain(common);
    all.flat_map(|found| {
        let is_git = found.file_name().is_some_and(|name| name == ".git");
        let tree = found.parent().filter(|_| is_git).map(Path::to_owned);
        [Some(found), tree].into_iter().flatten()
    })
    .collect()
}
