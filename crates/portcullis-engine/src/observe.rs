//! The world as far as the core asked for it. Owns every look at the file system that judging needs; it reads no file's
//! content but the settings of version control and what the call would start (`contents`), runs nothing (git neither), and judges nothing.
//!
//! Every look is bounded, and none is taken into a network file system unless the call itself runs in it, because a server
//! that is gone would hold up the gate. What was not looked at is missing from the facts, which makes a judgement stricter.
//! Whether git tracks a file is not looked up: its index has to be read whole for one name. It is read where something
//! would be lost that was never committed (`uncommitted`).

mod contents;
mod folder;
mod look;
mod remotes;
mod repositories;
mod uncommitted;
mod versions;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

pub use contents::Reader;
pub use look::Look;
use look::{normalised, text};
use portcullis_core::{
    facts::{FactPlan, Facts, FileFact, Observed, ToolFacts},
    session::SessionState,
};

use crate::{
    audit::Files,
    hooked,
    platform::{self, Directories, Mounts},
};

/// The most paths that are looked at for one call; a call that names more is judged without knowing the rest.
const MAX_PATHS: usize = 256;

/// The root of the git work tree around a directory, as a call there has it for its workspace; the directory itself where there is none.
#[must_use]
pub fn work_tree_around(directory: &Path, home: Option<&Path>) -> PathBuf {
    let directory = normalised(directory);
    Look::new(&Mounts::default(), Some(&directory), home).work_tree(&directory, home)
}

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
    mounts: Arc<Mounts>,
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
            mounts: Arc::default(),
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
        let place = Place::of(&facts);
        let observed = self.look(&self.around(&place), plan, &facts);
        facts.learn(observed);
        facts
    }

    /// What is known of the world before anything of it is asked for; see [`Observer::facts`].
    #[must_use]
    pub fn surroundings(&self, cwd: Option<&str>, home: Option<&str>) -> Facts {
        let own_cwd = || std::env::current_dir().ok().filter(|_| self.knows_own);
        // A directory of another system is none that could be looked at here, and ours is not the one that is meant.
        if let Some(cwd) = cwd.filter(|path| platform::is_of_another(path)) {
            let holds_home = home.is_some_and(|home| platform::is_within(home, cwd));
            return Facts {
                cwd: Some(cwd.to_owned()),
                home: home.map(str::to_owned).or_else(|| self.home.as_deref().and_then(text)),
                workspace: Some(cwd.to_owned()).filter(|_| !holds_home),
                guarded: self.guarded.clone(),
                hooked: self.hooked.clone(),
                ..Facts::default()
            };
        }
        let cwd = cwd.map(PathBuf::from).filter(|path| path.is_absolute()).or_else(own_cwd);
        let cwd = cwd.map(|path| normalised(&path));
        let home = home.map(PathBuf::from).filter(|path| path.is_absolute()).or(self.home.clone());
        let look = Look::new(&self.mounts, cwd.as_deref(), home.as_deref());
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
            obeyed: None,
            session: SessionState::NOTHING,
            tool: ToolFacts::default(),
        }
    }

    /// What a plan asks for beside what is known already, files aside.
    #[must_use]
    pub fn look(&self, look: &Look<'_>, plan: &FactPlan, facts: &Facts) -> Observed {
        let unknown = |paths: &BTreeSet<String>, is_known: &dyn Fn(&String) -> bool| {
            paths.iter().filter(|path| !is_known(path)).cloned().collect::<BTreeSet<_>>()
        };
        let left = MAX_PATHS.saturating_sub(facts.paths.len());
        let paths: Vec<&String> =
            plan.paths.iter().filter(|path| !facts.paths.contains_key(*path)).take(left).collect();
        let uncommitted = unknown(&plan.uncommitted, &|path| facts.uncommitted.contains_key(path));
        let work_trees = unknown(&plan.work_trees, &|path| facts.work_trees.contains_key(path));
        let hosts = plan.hosts && facts.hosts.is_empty();
        let obeyed = plan.obeyed && facts.obeyed.is_none();
        if paths.is_empty() && uncommitted.is_empty() && work_trees.is_empty() && !hosts && !obeyed
        {
            return Observed::default();
        }
        let directories = [&facts.workspace, &facts.cwd, &facts.home];
        let [workspace, cwd, home] = directories.map(|path| path.as_deref().map(Path::new));
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
        let obeyed = obeyed.then(|| {
            let written = plan.paths.iter().map(|path| Path::new(path.as_str()));
            repositories::obeyed(look, workspace.into_iter().chain(written), home)
        });
        Observed { paths, uncommitted, work_trees, hosts, obeyed }
    }

    /// Whoever reads files for one call, within what is read for one; nobody where none are read.
    #[must_use]
    pub fn reader<'a>(&self, look: &'a Look<'a>, known: &Facts) -> Option<Reader<'a>> {
        self.reads_files().then(|| Reader::new(look, known))
    }

    /// One look around for a call that works and lives there.
    #[must_use]
    pub fn around<'a>(&'a self, place: &'a Place) -> Look<'a> {
        Look::new(&self.mounts, place.cwd.as_deref(), place.home.as_deref())
    }

    /// The files of a decision that are not what they were: what was read of them is another by now, or gone. Of a file that was read in
    /// several versions, one is what stands there.
    #[must_use]
    pub fn changed(&self, files: &Files) -> Vec<String> {
        let look = Look::new(&self.mounts, None, self.home.as_deref());
        let all = &files.list;
        let is_other_version = |file: &crate::audit::File| {
            all.iter().any(|other| {
                other.path == file.path && other.content.is_some() && !look.is_changed(other)
            })
        };
        let changed = all.iter().filter(|file| look.is_changed(file) && !is_other_version(file));
        changed.map(|file| file.path.clone()).collect()
    }

    /// Looks up of each file that was read whether the last commit holds exactly it.
    pub fn look_up_commits(&self, facts: &mut Facts) {
        let cwd = facts.cwd.clone().map(PathBuf::from);
        let home = facts.home.clone().map(PathBuf::from);
        let look = Look::new(&self.mounts, cwd.as_deref(), home.as_deref());
        let paths: BTreeSet<String> = facts
            .contents
            .iter()
            .filter(|(_, fact)| matches!(fact, FileFact::Read(_) | FileFact::NotRead { .. }))
            .filter(|(path, _)| path.starts_with('/'))
            .map(|(path, _)| path.clone())
            .collect();
        let committed = look.committed(&paths);
        // What a revision has is told with it.
        for (path, fact) in facts.contents.iter_mut().filter(|(path, _)| path.starts_with('/')) {
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

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use portcullis_core::facts::PathKind;

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
    fn a_directory_of_another_system_is_the_workspace_unless_it_holds_the_home() {
        let workspace = |cwd: &str| {
            let facts = Observer::default().surroundings(Some(cwd), Some("C:\\Users\\dev"));
            assert_eq!(facts.cwd.as_deref(), Some(cwd));
            facts.workspace
        };
        assert_eq!(workspace("C:\\work\\app").as_deref(), Some("C:\\work\\app"));
        assert_eq!(workspace("C:/users/DEV/app").as_deref(), Some("C:/users/DEV/app"));
        for holds_home in ["C:\\", "c:/users", "C:\\Users\\dev\\"] {
            assert_eq!(workspace(holds_home), None, "{holds_home}");
        }
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
    fn what_is_not_in_a_directory_that_is_not_here_says_nothing() {
        let (_keep, root) = world();
        let gone = root.join("machine/of/others");
        let paths = [gone.join("src"), root.join("home/missing")];
        let facts = facts(&root.join("home"), &gone, &paths.each_ref().map(PathBuf::as_path));
        let at = |path: &PathBuf| facts.paths.get(text(path).unwrap().as_str());
        assert_eq!(at(&paths[0]), None);
        assert!(at(&paths[1]).is_some_and(|fact| !fact.exists));
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
    fn a_script_with_a_byte_that_is_none_of_a_text_is_read_as_a_shell_reads_it() {
        use portcullis_core::facts::{FileFact, NotRead};

        let (_keep, root) = world();
        let observer = Observer::default();
        let read = |name: &str, content: &[u8]| {
            let path = root.join("home/project").join(name);
            fs::write(&path, content).unwrap();
            let look = Look::new(&observer.mounts, None, None);
            Reader::new(&look, &Facts::default()).read(&text(&path).unwrap()).unwrap()
        };
        let script = read("a.sh", b"echo a\n: \0\nrm -rf ~\n");
        assert!(matches!(&script, FileFact::Read(file) if !file.whole && file.text.contains("rm")));
        let program = read("b", b"\x7fELF\x02\x01\x01\0");
        assert!(matches!(program, FileFact::NotRead { why: NotRead::Binary, .. }));
        let first = read("c.sh", b"echo \0 a\nrm -rf ~\n");
        assert!(matches!(first, FileFact::NotRead { why: NotRead::Binary, .. }));
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
