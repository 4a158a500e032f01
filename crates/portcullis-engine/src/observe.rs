//! The world as far as the core asked for it. Owns every look at the file system that judging needs; it reads no file's
//! content but the repository's settings and what the call would start (`contents`), runs nothing (git neither), and judges nothing.
//!
//! Every look is bounded, and none is taken into a network file system unless the call itself runs in it, because a server
//! that is gone would hold up the gate. What was not looked at is missing from the facts, which makes a judgement stricter.
//! Whether git tracks a file is not looked up: its index has to be read whole for one name. It is read where something
//! would be lost that was never committed (`uncommitted`).

mod contents;
mod remotes;

pub use contents::Reader;

use std::{
    cell::{OnceCell, RefCell},
    collections::{BTreeMap, BTreeSet, HashMap},
    fs,
    path::{Component, Path, PathBuf},
};

use portcullis_core::{
    facts::{FactPlan, Facts, FileFact, Observed, PathFact, PathKind, ToolFacts},
    session::SessionState,
};

use crate::{
    audit::Files,
    hooked,
    platform::{self, Directories},
};

mod uncommitted;

/// The most paths that are looked at for one call; a call that names more is judged without knowing the rest.
const MAX_PATHS: usize = 256;

/// The most directories above the working directory in which a git work tree is looked for.
const MAX_LEVELS: usize = 64;

/// The most links that one path may lead through, as Linux has it (`MAXSYMLINKS`).
const MAX_LINKS: usize = 40;

/// The most components that are looked at for one path.
const MAX_COMPONENTS: usize = 256;

/// What stays the same for the length of a process.
#[derive(Clone, Debug, Default)]
pub struct Observer {
    home: Option<PathBuf>,
    temporary: Option<PathBuf>,
    guarded: Vec<String>,
    hooked: Vec<String>,
    /// Whether a call that names no directory runs in this process's own.
    knows_own: bool,
    /// Whether files that a call would start are not read.
    leaves_files: bool,
}

impl Observer {
    /// An observer of this system. `also_guarded` are files of ours that stand elsewhere than in `directories`: a
    /// configuration or a state directory that was named by an option.
    #[must_use]
    pub fn new(directories: &Directories, also_guarded: &[&Path]) -> Self {
        let Directories { home, state, configuration, managed, account: _ } = directories;
        let binary = std::env::current_exe().ok();
        let managed = managed.as_ref().map(|managed| managed.directory.as_path());
        let own = [binary.as_deref(), state.as_deref(), configuration.as_deref(), managed];
        let mut guarded = Vec::new();
        for path in own.into_iter().flatten().chain(also_guarded.iter().copied()) {
            // Both names, where a link leads to it: an agent can take either.
            for name in [std::path::absolute(path).ok(), fs::canonicalize(path).ok()] {
                let name = name.as_deref().and_then(text);
                if let Some(name) = name.filter(|name| !guarded.contains(name)) {
                    guarded.push(name);
                }
            }
        }
        let hooked = state.as_deref().map(hooked::read).unwrap_or_default();
        let temporary = std::env::var_os("TMPDIR").map(PathBuf::from);
        Self {
            home: home.clone(),
            temporary,
            guarded,
            hooked,
            knows_own: true,
            leaves_files: false,
        }
    }

    /// For calls of others: where one runs that names no directory, or half of one, is not known.
    #[must_use]
    pub fn elsewhere(self) -> Self {
        Self { knows_own: false, ..self }
    }

    /// The same, which reads the files that a call would start, or leaves them.
    #[must_use]
    pub fn reading(self, reads_files: bool) -> Self {
        Self { leaves_files: !reads_files, ..self }
    }

    /// Whether files that a call would start are read.
    #[must_use]
    pub const fn reads_files(&self) -> bool {
        !self.leaves_files
    }

    /// The facts that a plan asks for, files aside. `cwd` and `home` are what the call says of itself; without them, this process's own
    /// are taken.
    #[must_use]
    pub fn facts(&self, plan: &FactPlan, cwd: Option<&str>, home: Option<&str>) -> Facts {
        let mut facts = self.surroundings(cwd, home);
        let observed = self.look(plan, &facts);
        facts.learn(observed);
        facts
    }

    /// What is known of the world before anything of it is asked for; see [`Observer::facts`].
    #[must_use]
    pub fn surroundings(&self, cwd: Option<&str>, home: Option<&str>) -> Facts {
        let own_cwd = || std::env::current_dir().ok().filter(|_| self.knows_own);
        let cwd = cwd.map(PathBuf::from).filter(|path| path.is_absolute()).or_else(own_cwd);
        let cwd = cwd.map(|path| normalised(&path));
        let home = home.map(PathBuf::from).filter(|path| path.is_absolute()).or(self.home.clone());
        let look = Look::new(cwd.as_deref(), home.as_deref());
        let workspace = cwd.as_deref().map(|cwd| look.work_tree(cwd, home.as_deref()));
        let temporary = self.temporary.clone().map(|path| normalised(&path)).filter(|path| {
            // A directory for temporary files that holds everything else would loosen every judgement.
            let holds = |other: Option<&Path>| other.is_some_and(|other| other.starts_with(path));
            path.is_absolute()
                && !holds(cwd.as_deref())
                && !holds(home.as_deref())
                && platform::is_for_temporary_files(path)
        });
        Facts {
            cwd: cwd.as_deref().and_then(text),
            home: home.as_deref().and_then(text),
            workspace: workspace.as_deref().and_then(text),
            temporary: temporary.as_deref().and_then(text),
            guarded: self.guarded.clone(),
            hooked: self.hooked.clone(),
            hosts: Vec::new(),
            paths: BTreeMap::new(),
            uncommitted: BTreeMap::new(),
            work_trees: BTreeMap::new(),
            contents: BTreeMap::new(),
            session: SessionState::NOTHING,
            tool: ToolFacts::default(),
        }
    }

    /// What a plan asks for beside what is known already, files aside.
    #[must_use]
    pub fn look(&self, plan: &FactPlan, facts: &Facts) -> Observed {
        let unknown = |paths: &BTreeSet<String>, is_known: &dyn Fn(&String) -> bool| {
            paths.iter().filter(|path| !is_known(path)).cloned().collect::<BTreeSet<_>>()
        };
        let left = MAX_PATHS.saturating_sub(facts.paths.len());
        let paths: Vec<&String> =
            plan.paths.iter().filter(|path| !facts.paths.contains_key(*path)).take(left).collect();
        let uncommitted = unknown(&plan.uncommitted, &|path| facts.uncommitted.contains_key(path));
        let work_trees = unknown(&plan.work_trees, &|path| facts.work_trees.contains_key(path));
        let hosts = plan.hosts && facts.hosts.is_empty();
        if paths.is_empty() && uncommitted.is_empty() && work_trees.is_empty() && !hosts {
            return Observed::default();
        }
        let directories = [&facts.workspace, &facts.cwd, &facts.home];
        let [workspace, cwd, home] = directories.map(|path| path.as_deref().map(Path::new));
        let look = Look::new(cwd, home);
        // Only what a path is compared with need be followed, and mostly they are one directory.
        let mut distinct: Vec<&Path> = Vec::with_capacity(3);
        for name in [workspace, cwd, home].into_iter().flatten().filter(|_| !paths.is_empty()) {
            if !distinct.contains(&name) {
                distinct.push(name);
            }
        }
        let names = look.aliases(distinct.into_iter());
        let seen = paths.into_iter().filter_map(|path| {
            let fact = look.at(path, &names)?;
            Some((path.clone(), fact))
        });
        let paths = seen.collect();
        let [uncommitted, work_trees] = look.uncommitted(&uncommitted, &work_trees);
        let hosts = match workspace {
            Some(workspace) if hosts => remotes::hosts(workspace, |path| look.may_look(path)),
            _ => Vec::new(),
        };
        Observed { paths, uncommitted, work_trees, hosts }
    }

    /// Whoever reads files for one call, within what is read for one; nobody where none are read.
    #[must_use]
    pub fn reader<'a>(&self, place: &'a Place, known: &Facts) -> Option<Reader<'a>> {
        self.reads_files()
            .then(|| Reader::new(Look::new(place.cwd.as_deref(), place.home.as_deref()), known))
    }

    /// The files of a decision that are not what they were: what was read of them is another by now, or gone.
    #[must_use]
    pub fn changed(&self, files: &Files) -> Vec<String> {
        let look = Look::new(None, self.home.as_deref());
        let changed = files.list.iter().filter(|file| look.is_changed(file));
        changed.map(|file| file.path.clone()).collect()
    }

    /// Looks up of each file that was read whether the last commit holds exactly it.
    pub fn look_up_commits(&self, facts: &mut Facts) {
        let cwd = facts.cwd.clone().map(PathBuf::from);
        let home = facts.home.clone().map(PathBuf::from);
        let look = Look::new(cwd.as_deref(), home.as_deref());
        let paths: BTreeSet<String> = facts
            .contents
            .iter()
            .filter(|(_, fact)| matches!(fact, FileFact::Read(_) | FileFact::NotRead { .. }))
            .map(|(path, _)| path.clone())
            .collect();
        let committed = look.committed(&paths);
        for (path, fact) in &mut facts.contents {
            let known = committed.get(path).copied();
            match fact {
                // A link may lead anywhere; what it leads to is not what was committed.
                FileFact::Read(file) if file.leads_to.is_none() => file.committed = known,
                FileFact::NotRead { committed, .. } => *committed = known,
                FileFact::Absent | FileFact::Directory { .. } | FileFact::Read(_) => {}
            }
        }
    }
}

/// Where a call works and lives.
#[derive(Clone, Debug, Default)]
pub struct Place {
    cwd: Option<PathBuf>,
    home: Option<PathBuf>,
}

impl Place {
    /// As facts have it.
    #[must_use]
    pub fn of(facts: &Facts) -> Self {
        let path = |path: &Option<String>| path.as_deref().map(PathBuf::from);
        Self { cwd: path(&facts.cwd), home: path(&facts.home) }
    }
}

/// One look around, with the mounts that it keeps out of.
struct Look<'a> {
    /// Where the call works and lives: whoever works on a server's disk already depends on it.
    own: [Option<&'a Path>; 2],
    /// Read when the first path beyond those is looked at.
    remote: OnceCell<Vec<PathBuf>>,
    /// The directory of the last file that was looked at.
    folder: RefCell<contents::Folder>,
}

/// A directory by the name that the call knows it by, and by the one without links.
struct Alias {
    known_as: PathBuf,
    resolved: PathBuf,
}

impl<'a> Look<'a> {
    fn new(cwd: Option<&'a Path>, home: Option<&'a Path>) -> Self {
        Self { own: [cwd, home], remote: OnceCell::new(), folder: RefCell::default() }
    }

    fn may_look(&self, path: &Path) -> bool {
        let own = || self.own.into_iter().flatten();
        // What leads to the places of its own is beyond none of these.
        if self.remote.get().is_none() && own().any(|place| place.starts_with(path)) {
            return true;
        }
        let read = || {
            let mut remote = platform::remote_mounts();
            remote.retain(|mount| !own().any(|place| place.starts_with(mount)));
            remote
        };
        !self.remote.get_or_init(read).iter().any(|mount| path.starts_with(mount))
    }

    /// The root of the git work tree around `cwd`; `cwd` itself where there is none, or where it would be the home
    /// directory or everything: what is there is more than a workspace.
    fn work_tree(&self, cwd: &Path, home: Option<&Path>) -> PathBuf {
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
    fn uncommitted(
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
    fn committed(&self, paths: &BTreeSet<String>) -> BTreeMap<String, bool> {
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
    fn repository_around<'p>(&self, place: &'p Path) -> Option<&'p Path> {
        place.ancestors().take(MAX_LEVELS).find(|directory| {
            directory.parent().is_some()
                && self.may_look(directory)
                && fs::symlink_metadata(directory.join(".git")).is_ok()
        })
    }

    fn aliases<'n>(&self, names: impl Iterator<Item = &'n Path>) -> Vec<Alias> {
        let alias = |name: &Path| {
            let resolved = self.resolved(name)?;
            (resolved != name).then(|| Alias { known_as: name.to_owned(), resolved })
        };
        names.filter_map(alias).collect()
    }

    /// What is known of a path; `None` where it was not looked at.
    fn at(&self, path: &str, aliases: &[Alias]) -> Option<PathFact> {
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
        match fs::symlink_metadata(&place) {
            Ok(metadata) => {
                let kind = match metadata.file_type() {
                    kind if kind.is_symlink() => PathKind::Link,
                    kind if kind.is_dir() => PathKind::Directory,
                    kind if kind.is_file() => PathKind::File,
                    _ => PathKind::Special,
                };
                fact(true, kind)
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                fact(false, PathKind::Unknown)
            }
            // Something may well be there.
            Err(_) => fact(true, PathKind::Unknown),
        }
    }

    /// The path without links and `..`, as far as its components exist and may be looked at; the rest stays as written, so
    /// that a link into a network file system is still seen to lead there. `None` for a circle of links, which the system
    /// opens for nobody.
    fn resolved(&self, path: &Path) -> Option<PathBuf> {
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
            match fs::read_link(&next) {
                Ok(target) => {
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
                Err(_) => resolved = next,
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
fn normalised(path: &Path) -> PathBuf {
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
fn text(path: &Path) -> Option<String> {
    path.to_str().map(str::to_owned)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn facts(home: &Path, cwd: &Path, paths: &[&Path]) -> Facts {
        let observer = Observer { home: Some(home.to_owned()), ..Observer::default() };
        let plan = FactPlan {
            paths: paths.iter().map(|path| text(path).unwrap()).collect(),
            ..FactPlan::default()
        };
        observer.facts(&plan, Some(&text(cwd).unwrap()), None)
    }

    /// A home with a work tree in `project`, and `elsewhere` beside them.
    fn world() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(directory.path()).unwrap();
        fs::create_dir_all(root.join("home/project/.git")).unwrap();
        fs::create_dir_all(root.join("home/project/src")).unwrap();
        fs::create_dir_all(root.join("elsewhere")).unwrap();
        (directory, root)
    }

    #[test]
    fn the_workspace_is_the_work_tree_and_never_the_home_directory() {
        let (_keep, root) = world();
        let home = root.join("home");
        let workspace = |cwd: &str| facts(&home, &home.join(cwd), &[]).workspace.unwrap();
        assert_eq!(workspace("project/src"), text(&home.join("project")).unwrap());
        assert_eq!(workspace("project/src/../missing"), text(&home.join("project")).unwrap());
        assert_eq!(workspace("other"), text(&home.join("other")).unwrap());
        fs::create_dir(home.join(".git")).unwrap();
        assert_eq!(workspace("other"), text(&home.join("other")).unwrap());
    }

    #[test]
    fn links_are_followed_to_where_they_lead() {
        let (_keep, root) = world();
        let project = root.join("home/project");
        symlink(root.join("elsewhere"), project.join("out")).unwrap();
        symlink("src", project.join("inside")).unwrap();
        symlink("round", project.join("round")).unwrap();
        fs::write(project.join("file"), "").unwrap();
        let paths = ["out", "out/new", "inside/x", "file", "missing", "round", "src/../file"];
        let paths = paths.map(|path| project.join(path));
        let facts = facts(&root.join("home"), &project, &paths.each_ref().map(PathBuf::as_path));
        let at = |path: &PathBuf| facts.paths[path.to_str().unwrap()].clone();
        let leads = |path: &PathBuf| at(path).leads_to;
        assert_eq!(leads(&paths[0]), text(&root.join("elsewhere")));
        assert_eq!(at(&paths[0]).kind, PathKind::Link);
        assert_eq!(leads(&paths[1]), text(&root.join("elsewhere/new")));
        assert!(!at(&paths[1]).exists);
        assert_eq!(leads(&paths[2]), text(&project.join("src/x")));
        assert_eq!((at(&paths[3]).kind, leads(&paths[3])), (PathKind::File, None));
        assert_eq!((at(&paths[4]).exists, leads(&paths[4])), (false, None));
        assert_eq!((at(&paths[5]).kind, leads(&paths[5])), (PathKind::Link, None));
        assert_eq!((at(&paths[6]).exists, leads(&paths[6])), (true, None));
    }

    #[test]
    fn a_link_on_the_way_to_the_workspace_is_no_link_out_of_it() {
        let (_keep, root) = world();
        let linked = root.join("linked");
        symlink(root.join("home"), &linked).unwrap();
        let project = linked.join("project");
        let file = project.join("src/new");
        let facts = facts(&linked, &project, &[&file]);
        assert_eq!(facts.paths[file.to_str().unwrap()].leads_to, None);
    }

    #[test]
    fn nothing_is_looked_at_in_a_network_file_system_also_through_a_link() {
        let (_keep, root) = world();
        symlink(root.join("elsewhere"), root.join("home/project/out")).unwrap();
        let look = Look { remote: vec![root.join("elsewhere")].into(), ..Look::new(None, None) };
        let at = |path: &str| look.at(root.join(path).to_str().unwrap(), &[]);
        assert_eq!(at("elsewhere/x"), None);
        let link = at("home/project/out/x").unwrap();
        assert_eq!(link.leads_to, text(&root.join("elsewhere/x")));
        assert_eq!(at("home/project").unwrap().kind, PathKind::Directory);
    }

    #[test]
    fn our_own_files_are_guarded_by_every_name() {
        let (_keep, root) = world();
        symlink(root.join("elsewhere"), root.join("state")).unwrap();
        let directories = Directories { state: Some(root.join("state")), ..Directories::default() };
        let guarded = Observer::new(&directories, &[]).guarded;
        for path in [root.join("state"), root.join("elsewhere"), std::env::current_exe().unwrap()] {
            assert!(guarded.contains(&text(&path).unwrap()), "{path:?} is not in {guarded:?}");
        }
    }
}
