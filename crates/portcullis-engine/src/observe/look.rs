//! One look around for one call: paths without links, what stands at them, the work trees around them. Owns the keeping out of network file systems,
//! and what was seen of each step of a path, which is looked at once for each call and never kept for the next.

use std::{
    cell::{OnceCell, RefCell},
    collections::{BTreeMap, BTreeSet, HashMap},
    fs,
    io::ErrorKind,
    path::{Component, Path, PathBuf},
};

use portcullis_core::facts::{PathFact, PathKind};

use super::{folder::Folder, uncommitted};
use crate::platform::Mounts;

/// The most directories above the working directory in which a git work tree is looked for.
const MAX_LEVELS: usize = 64;

/// The most links that one path may lead through, as Linux has it (`MAXSYMLINKS`).
const MAX_LINKS: usize = 40;

/// The most components that are looked at for one path.
const MAX_COMPONENTS: usize = 256;

/// Of how many steps it is kept in mind what stands there: more than the paths of most calls have together.
const STEPS: usize = 64;

/// One look around, with the mounts that it keeps out of.
pub struct Look<'a> {
    /// Where the call works and lives: whoever works on a server's disk already depends on it.
    own: [Option<&'a Path>; 2],
    mounts: &'a Mounts,
    /// Looked up when the first path beyond those is looked at.
    remote: OnceCell<Vec<PathBuf>>,
    /// The directory of the last file that was looked at.
    pub(super) folder: RefCell<Folder>,
    /// What stands at steps that were looked at.
    seen: RefCell<Vec<(PathBuf, Stands)>>,
}

/// What stands at a path, links not followed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Stands {
    Here(PathKind),
    Nothing,
    /// Something may well be there.
    Unclear,
}

impl Stands {
    fn at(place: &Path) -> Self {
        match fs::symlink_metadata(place) {
            Ok(metadata) => Self::Here(match metadata.file_type() {
                kind if kind.is_symlink() => PathKind::Link,
                kind if kind.is_dir() => PathKind::Directory,
                kind if kind.is_file() => PathKind::File,
                _ => PathKind::Special,
            }),
            Err(error) if error.kind() == ErrorKind::NotFound => Self::Nothing,
            Err(_) => Self::Unclear,
        }
    }
}

/// A directory by the name that the call knows it by, and by the one without links.
pub(super) struct Alias {
    known_as: PathBuf,
    resolved: PathBuf,
}

impl<'a> Look<'a> {
    pub(super) fn new(mounts: &'a Mounts, cwd: Option<&'a Path>, home: Option<&'a Path>) -> Self {
        Self {
            own: [cwd, home],
            mounts,
            remote: OnceCell::new(),
            folder: RefCell::default(),
            seen: RefCell::default(),
        }
    }

    pub(super) fn may_look(&self, path: &Path) -> bool {
        let own = || self.own.into_iter().flatten();
        // What leads to the places of its own is beyond none of these.
        if self.remote.get().is_none() && own().any(|place| place.starts_with(path)) {
            return true;
        }
        let read = || {
            let remote = self.mounts.remote();
            let beyond = |mount: &&PathBuf| !own().any(|place| place.starts_with(mount));
            remote.iter().filter(beyond).cloned().collect()
        };
        !self.remote.get_or_init(read).iter().any(|mount| path.starts_with(mount))
    }

    /// The root of the git work tree around `cwd`; `cwd` itself where there is none, or where it would be the home
    /// directory or everything: what is there is more than a workspace.
    pub(super) fn work_tree(&self, cwd: &Path, home: Option<&Path>) -> PathBuf {
        cwd.ancestors()
            .take(MAX_LEVELS)
            .take_while(|path| {
                path.parent().is_some() && home.is_none_or(|home| !home.starts_with(path))
            })
            .find(|path| self.may_look(path) && fs::symlink_metadata(path.join(".git")).is_ok())
            .unwrap_or(cwd)
            .to_owned()
    }

    /// Whether what stands at the paths, or in the whole work trees around them, differs from what was committed.
    pub(super) fn uncommitted(
        &self,
        files: &BTreeSet<String>,
        directories: &BTreeSet<String>,
    ) -> [BTreeMap<String, bool>; 2] {
        let mut trees: HashMap<PathBuf, Option<uncommitted::Tree>> = HashMap::new();
        [(files, false), (directories, true)].map(|(paths, whole)| {
            let seen = paths.iter().take(uncommitted::PATHS).filter_map(|path| {
                let place = Path::new(path);
                let root = self.repository_around(place)?;
                let below = if whole { Path::new("") } else { place.strip_prefix(root).ok()? };
                let tree = trees
                    .entry(root.to_owned())
                    .or_insert_with(|| uncommitted::Tree::open(root))
                    .as_ref()?;
                Some((path.clone(), tree.differs(below)?))
            });
            seen.collect()
        })
    }

    /// Of each file, whether the last commit holds what stands there; missing where that is not seen.
    pub(super) fn committed(&self, paths: &BTreeSet<String>) -> BTreeMap<String, bool> {
        let mut trees: HashMap<PathBuf, Option<uncommitted::Tree>> = HashMap::new();
        let seen = paths.iter().filter_map(|path| {
            let place = Path::new(path);
            let root = self.repository_around(place)?;
            let below = place.strip_prefix(root).ok()?;
            let tree = trees
                .entry(root.to_owned())
                .or_insert_with(|| uncommitted::Tree::open(root))
                .as_ref()?;
            Some((path.clone(), tree.holds(below)?))
        });
        seen.collect()
    }

    /// The root of the repository that a path lies in.
    pub(super) fn repository_around<'p>(&self, place: &'p Path) -> Option<&'p Path> {
        place.ancestors().take(MAX_LEVELS).find(|directory| {
            directory.parent().is_some()
                && self.may_look(directory)
                && fs::symlink_metadata(directory.join(".git")).is_ok()
        })
    }

    pub(super) fn aliases<'n>(&self, names: impl Iterator<Item = &'n Path>) -> Vec<Alias> {
        let alias = |name: &Path| {
            let resolved = self.resolved(name)?;
            (resolved != name).then(|| Alias { known_as: name.to_owned(), resolved })
        };
        names.filter_map(alias).collect()
    }

    /// What is known of a path; `None` where it was not looked at.
    pub(super) fn at(&self, path: &str, aliases: &[Alias]) -> Option<PathFact> {
        let path = Path::new(path);
        if !path.is_absolute() || !self.may_look(path) {
            return None;
        }
        let resolved = self.resolved(path);
        // A link on the way to the workspace is no link out of it: what is inside keeps the name that the call knows.
        let seen = resolved.map(|resolved| {
            let known = aliases.iter().find_map(|alias| {
                let inside = resolved.strip_prefix(&alias.resolved).ok()?;
                Some(alias.known_as.join(inside))
            });
            known.unwrap_or(resolved)
        });
        let leads_to = seen.filter(|seen| *seen != normalised(path)).as_deref().and_then(text);
        // The system would follow links on the way without asking whether it may.
        let parent = path.parent().and_then(|parent| self.resolved(parent));
        let place = match (parent, path.file_name()) {
            (Some(parent), Some(name)) => parent.join(name),
            _ => path.to_owned(),
        };
        let fact = |exists, kind| Some(PathFact { exists, kind, leads_to, tracked: None });
        if !self.may_look(&place) {
            return fact(true, PathKind::Unknown);
        }
        match self.stands(&place) {
            Stands::Here(kind) => fact(true, kind),
            Stands::Nothing if self.is_elsewhere(path) => None,
            Stands::Nothing => fact(false, PathKind::Unknown),
            Stands::Unclear => fact(true, PathKind::Unknown),
        }
    }

    /// Whether a path lies in the working directory of a call that works somewhere else: there is no such directory here, so what is not
    /// in it says nothing.
    fn is_elsewhere(&self, path: &Path) -> bool {
        let [cwd, _] = self.own;
        cwd.is_some_and(|cwd| {
            path.starts_with(cwd) && self.may_look(cwd) && self.stands(cwd) == Stands::Nothing
        })
    }

    /// What stands at a place that may be looked at. It is looked at once: whoever follows links asks for the same directories again and again.
    fn stands(&self, place: &Path) -> Stands {
        let mut seen = self.seen.borrow_mut();
        if let Some((_, stands)) =
            seen.iter().find(|(known, _)| known.as_os_str() == place.as_os_str())
        {
            return *stands;
        }
        let stands = Stands::at(place);
        if seen.len() < STEPS {
            seen.push((place.to_owned(), stands));
        }
        stands
    }

    /// The path without links and `..`, as far as its components exist and may be looked at; the rest stays as written, so
    /// that a link into a network file system is still seen to lead there. `None` for a circle of links, which the system
    /// opens for nobody.
    pub(super) fn resolved(&self, path: &Path) -> Option<PathBuf> {
        let mut links = 0;
        let mut resolved = PathBuf::from("/");
        let mut waiting: Vec<PathBuf> = steps(path);
        for _ in 0..MAX_COMPONENTS {
            let Some(step) = waiting.pop() else { break };
            if step.as_os_str() == ".." {
                resolved.pop();
                continue;
            }
            let next = resolved.join(&step);
            if !self.may_look(&next) {
                resolved = next;
                break;
            }
            let is_link = self.stands(&next) == Stands::Here(PathKind::Link);
            match is_link.then(|| fs::read_link(&next).ok()).flatten() {
                Some(target) => {
                    links += 1;
                    if links > MAX_LINKS {
                        return None;
                    }
                    if target.is_absolute() {
                        resolved = PathBuf::from("/");
                    }
                    waiting.extend(steps(&target));
                }
                // Not a link, or not there.
                None => resolved = next,
            }
        }
        resolved.extend(waiting.iter().rev());
        Some(normalised(&resolved))
    }
}

/// The steps of a path, the last one first.
fn steps(path: &Path) -> Vec<PathBuf> {
    let step = |component: Component<'_>| match component {
        Component::Normal(name) => Some(PathBuf::from(name)),
        Component::ParentDir => Some(PathBuf::from("..")),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    };
    path.components().rev().filter_map(step).collect()
}

/// The path without `.` and `..`, by its letters alone.
pub(super) fn normalised(path: &Path) -> PathBuf {
    let mut normalised = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                normalised.pop();
            }
            Component::CurDir => {}
            other => normalised.push(other),
        }
    }
    normalised
}

/// A path that is no text cannot be compared with what a call says, and is not known then.
pub(super) fn text(path: &Path) -> Option<String> {
    path.to_str().map(str::to_owned)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn nothing_is_looked_at_in_a_network_file_system_also_through_a_link() {
        let directory = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(directory.path()).unwrap();
        fs::create_dir_all(root.join("home/project")).unwrap();
        fs::create_dir_all(root.join("elsewhere")).unwrap();
        symlink(root.join("elsewhere"), root.join("home/project/out")).unwrap();
        let mounts = Mounts::default();
        let look =
            Look { remote: vec![root.join("elsewhere")].into(), ..Look::new(&mounts, None, None) };
        let at = |path: &str| look.at(root.join(path).to_str().unwrap(), &[]);
        assert_eq!(at("elsewhere/x"), None);
        let link = at("home/project/out/x").unwrap();
        assert_eq!(link.leads_to, text(&root.join("elsewhere/x")));
        assert_eq!(at("home/project").unwrap().kind, PathKind::Directory);
    }

    #[test]
    fn a_step_is_looked_at_once_for_a_call_and_anew_for_the_next() {
        let directory = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(directory.path()).unwrap();
        let file = root.join("src/file");
        let mounts = Mounts::default();
        let at = |look: &Look<'_>| look.at(file.to_str().unwrap(), &[]).unwrap();
        let first = Look::new(&mounts, None, None);
        assert_eq!((at(&first).exists, at(&first).leads_to), (false, None));
        fs::create_dir_all(root.join("elsewhere")).unwrap();
        fs::write(root.join("elsewhere/file"), "").unwrap();
        symlink("elsewhere", root.join("src")).unwrap();
        assert!(!at(&first).exists, "{:?}", first.seen);
        let next = at(&Look::new(&mounts, None, None));
        assert_eq!((next.exists, next.kind), (true, PathKind::File));
        assert_eq!(next.leads_to, text(&root.join("elsewhere/file")));
    }
}
