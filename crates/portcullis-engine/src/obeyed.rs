//! What git is told to obey beside its own directory: directories of hooks, files of settings that others take in, programs that settings name.
//! Owns the following from one file to the next, and where names that are relative begin. Git is not run.

use std::{
    collections::{BTreeSet, HashMap},
    fs,
    io::Read as _,
    path::{Component, Path, PathBuf},
    rc::Rc,
};

use portcullis_core::programs::escapes::{Lead, leads};

/// How much of a file of settings is read.
const BYTES: u64 = 1 << 20;

/// How many files of settings are read for one repository.
const FILES: usize = 64;

/// How many words of a command are looked at.
const WORDS: usize = 64;

/// Every hook that git runs (githooks(5)).
const HOOKS: &[&str] = &[
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "p4-changelist",
    "p4-post-changelist",
    "p4-pre-submit",
    "p4-prepare-changelist",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-receive",
    "post-rewrite",
    "post-update",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "pre-receive",
    "prepare-commit-msg",
    "proc-receive",
    "push-to-checkout",
    "reference-transaction",
    "sendemail-validate",
    "update",
];

/// A repository, as git comes to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repository<'a> {
    /// The directory that its work trees share.
    pub git: &'a Path,
    /// That of this work tree.
    pub own: &'a Path,
    /// Where hooks are run: the root of the work tree, or the repository itself where it has none.
    pub root: &'a Path,
}

/// What is obeyed. Each stands here by the name that git knows it by, and by the one without links.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Told {
    /// Directories of hooks; single hooks where the directory holds everything else too.
    pub hooks: BTreeSet<PathBuf>,
    /// Files of settings that are taken in, also where none is yet.
    pub settings: BTreeSet<PathBuf>,
    /// Files that a command names.
    pub programs: BTreeSet<PathBuf>,
    /// Whether there is more of it that was not read.
    pub is_cut: bool,
}

/// Reads settings of git, each file once.
pub(crate) struct Settings<'a> {
    homes: Vec<PathBuf>,
    may_look: &'a dyn Fn(&Path) -> bool,
    /// Directories that hold everything: that hooks lie in one makes nothing else in it a hook.
    wide: Vec<PathBuf>,
    known: HashMap<PathBuf, Rc<(Vec<Lead>, bool)>>,
}

impl<'a> Settings<'a> {
    /// Those of whoever has one of these homes. Hooks in a directory of `wide`, or around it, are told one by one.
    #[must_use]
    pub(crate) fn new(
        homes: impl IntoIterator<Item = PathBuf>,
        wide: &[PathBuf],
        may_look: &'a dyn Fn(&Path) -> bool,
    ) -> Self {
        let homes: Vec<PathBuf> = homes.into_iter().collect();
        let wide = wide.iter().chain(&homes).cloned().collect();
        Self { homes, may_look, wide, known: HashMap::new() }
    }

    /// Adds what a repository's settings, and those of its user and of the machine, name.
    pub(crate) fn follow(&mut self, repository: Repository<'_>, told: &mut Told) {
        let Repository { git, own, root } = repository;
        let mut files = vec![git.join("config"), own.join("config.worktree")];
        files.extend(self.general());
        let mut roots = vec![root.to_owned()];
        let mut at = 0;
        while let Some(file) = files.get(at).cloned() {
            at += 1;
            let read = self.read(&file);
            let (found, is_whole) = &*read;
            told.is_cut |= !is_whole;
            let folder = file.parent().unwrap_or(Path::new("/"));
            for lead in found {
                match lead {
                    Lead::WorkTree(name) => roots.extend(self.places(name, git)),
                    Lead::Settings(name) => {
                        for path in self.places(name, folder) {
                            told.settings.extend(both(&path));
                            if files.contains(&path) {
                                continue;
                            }
                            if files.len() < FILES {
                                files.push(path);
                            } else {
                                told.is_cut = true;
                            }
                        }
                    }
                    Lead::Hooks(_) | Lead::Templates(_) | Lead::Command(_) => {}
                }
            }
        }
        for file in &files {
            let read = self.read(file);
            for (root, lead) in
                roots.iter().flat_map(|root| read.0.iter().map(move |it| (root, it)))
            {
                match lead {
                    Lead::Hooks(name) => {
                        let places = self.places(name, root);
                        places.iter().for_each(|path| self.hooks(path, root, told));
                    }
                    Lead::Templates(name) => {
                        let places = self.places(name, root);
                        told.hooks.extend(places.iter().flat_map(|path| both(&path.join("hooks"))));
                        told.settings
                            .extend(places.iter().flat_map(|path| both(&path.join("config"))));
                    }
                    Lead::Command(command) => told.is_cut |= self.programs(command, root, told),
                    Lead::Settings(_) | Lead::WorkTree(_) => {}
                }
            }
        }
    }

    /// A directory of hooks.
    fn hooks(&self, path: &Path, root: &Path, told: &mut Told) {
        // The starters of husky run what stands beside their directory.
        let is_starters = path.file_name().is_some_and(|name| name == "_");
        for folder in [Some(path), path.parent().filter(|_| is_starters)].into_iter().flatten() {
            for folder in both(folder) {
                let is_wide = |one: &Path| one.starts_with(&folder);
                let is_shared = is_wide(root) || self.wide.iter().any(|one| is_wide(one));
                if is_shared || !is_for_hooks(&folder) {
                    told.hooks.extend(HOOKS.iter().map(|hook| folder.join(hook)));
                } else {
                    told.hooks.insert(folder);
                }
            }
        }
    }

    /// The files that a command names. Whether more of it was not looked at is the answer.
    fn programs(&self, command: &str, root: &Path, told: &mut Told) -> bool {
        let command = command.strip_prefix('!').unwrap_or(command);
        let ends = |letter: char| letter.is_whitespace() || "\"';|&()<>=`$".contains(letter);
        let mut words =
            command.split(ends).filter(|word| !word.is_empty() && !word.starts_with('-'));
        for word in words.by_ref().take(WORDS) {
            for path in self.places(word, root) {
                if (self.may_look)(&path) && fs::metadata(&path).is_ok_and(|found| found.is_file())
                {
                    told.programs.extend(both(&path));
                }
            }
        }
        words.next().is_some()
    }

    /// The files of settings that count for every repository.
    fn general(&self) -> Vec<PathBuf> {
        let mut files = vec![PathBuf::from("/etc/gitconfig")];
        let named = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
        files.extend(named.filter(|path| path.is_absolute()).map(|path| path.join("git/config")));
        for home in &self.homes {
            files.extend([home.join(".config/git/config"), home.join(".gitconfig")]);
        }
        files
    }

    fn read(&mut self, file: &Path) -> Rc<(Vec<Lead>, bool)> {
        if let Some(known) = self.known.get(file) {
            return Rc::clone(known);
        }
        let read = Rc::new(self.read_anew(file));
        self.known.insert(file.to_owned(), Rc::clone(&read));
        read
    }

    fn read_anew(&self, file: &Path) -> (Vec<Lead>, bool) {
        // What is not looked at is not known, as every other fact that lies there.
        if !(self.may_look)(file) {
            return (Vec::new(), true);
        }
        let Ok(found) = fs::metadata(file) else { return (Vec::new(), true) };
        // What is no file could be waited for without end.
        if !found.is_file() {
            return (Vec::new(), true);
        }
        let mut bytes = Vec::new();
        let read = fs::File::open(file).and_then(|open| open.take(BYTES).read_to_end(&mut bytes));
        let (found_leads, is_whole) = leads(&String::from_utf8_lossy(&bytes));
        (found_leads, is_whole && read.is_ok() && found.len() <= BYTES)
    }

    /// Where a name leads: below a home, from the root, or relative. What lies in git's own installation is nobody's to write.
    fn places(&self, name: &str, base: &Path) -> Vec<PathBuf> {
        if name.starts_with("%(prefix)/") {
            return Vec::new();
        }
        if name == "~" {
            return self.homes.clone();
        }
        if let Some(rest) = name.strip_prefix("~/") {
            return self.homes.iter().map(|home| plain(&home.join(rest))).collect();
        }
        vec![plain(&base.join(name))]
    }
}

/// Whether a directory is there for hooks, by its name: everything in it is read, or run by one of them. In another one (`scripts`) only hooks are.
fn is_for_hooks(folder: &Path) -> bool {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().to_lowercase());
    let own = name(folder).unwrap_or_default();
    let around = || folder.parent().and_then(name).unwrap_or_default();
    let own = if own == "_" { around() } else { own };
    ["hook", "husky"].iter().any(|word| own.contains(word))
}

/// A path without `..`, as the system walks it: a link before one is followed first.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if let Ok(real) = fs::canonicalize(&plain) {
                    plain = real;
                }
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// A path, and the same without links as far as anything is there.
fn both(path: &Path) -> Vec<PathBuf> {
    let there = path.ancestors().find_map(|above| Some((above, fs::canonicalize(above).ok()?)));
    let real = there.and_then(|(above, real)| {
        let rest = path.strip_prefix(above).ok()?;
        Some(if rest.as_os_str().is_empty() { real } else { real.join(rest) })
    });
    let mut both = vec![path.to_owned()];
    both.extend(real.filter(|real| real != path));
    both
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    struct World {
        _folder: tempfile::TempDir,
        home: PathBuf,
        root: PathBuf,
    }

    impl World {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let home = fs::canonicalize(folder.path()).unwrap().join("home");
            let root = home.join("project");
            fs::create_dir_all(root.join(".git")).unwrap();
            Self { _folder: folder, home, root }
        }

        fn told(&self, settings: &str) -> Told {
            fs::write(self.root.join(".git/config"), settings).unwrap();
            let mut told = Told::default();
            let mut files =
                Settings::new([self.home.clone()], std::slice::from_ref(&self.root), &|_| true);
            let git = self.root.join(".git");
            files.follow(Repository { git: &git, own: &git, root: &self.root }, &mut told);
            told
        }
    }

    #[test]
    fn hooks_are_found_where_settings_say_they_are() {
        let world = World::new();
        let root = &world.root;
        for (settings, hooks) in [
            ("[core]\nhooksPath = .husky", vec![root.join(".husky")]),
            ("[core]\nhooksPath = .husky/_", vec![root.join(".husky"), root.join(".husky/_")]),
            ("[core] hookspath=\"./a/../.githooks/\"", vec![root.join(".githooks")]),
            ("[core]\nhooksPath = ~/hooks", vec![world.home.join("hooks")]),
            ("[core]\nhooksPath = /etc/hooks", vec![PathBuf::from("/etc/hooks")]),
            ("[core]\nbare = false\n[user]\nname = hooksPath", Vec::new()),
        ] {
            let told = world.told(settings);
            assert_eq!(told.hooks, hooks.into_iter().collect(), "{settings}");
            assert!(!told.is_cut && told.settings.is_empty(), "{settings}");
        }
        for wide in [".", "..", "~", "/", "scripts", "build/_"] {
            let told = world.told(&format!("[core]\nhooksPath = {wide}"));
            let folders = if wide.ends_with('_') { 2 } else { 1 };
            assert_eq!(told.hooks.len(), HOOKS.len() * folders, "{wide}");
            assert!(told.hooks.iter().all(|one| one.file_name().is_some()), "{wide}");
        }
        assert!(world.told("[core]\nhooksPath = .").hooks.contains(&root.join("pre-commit")));
        fs::write(world.home.join(".gitconfig"), "[core]\nhooksPath = .hooks").unwrap();
        assert_eq!(world.told("").hooks, [root.join(".hooks")].into());
    }

    #[test]
    fn settings_are_followed_from_file_to_file_also_where_none_is_yet() {
        let world = World::new();
        let root = &world.root;
        fs::write(root.join(".inc"), "[include]\npath = more/inc\npath = .inc\n").unwrap();
        fs::create_dir(root.join("more")).unwrap();
        fs::write(root.join("more/inc"), "[core]\nhooksPath = hooks\n").unwrap();
        let told =
            world.told("[include]\npath = ../.inc\n[includeIf \"onbranch:x\"]\npath = ../later\n");
        let settings = [".inc", "more/inc", "later"].map(|name| root.join(name));
        assert_eq!(told.settings, settings.into());
        assert_eq!(told.hooks, [root.join("hooks")].into());
        let many: String = (0..FILES).map(|at| format!("[include]\npath = ../{at}\n")).collect();
        let told = world.told(&many);
        assert_eq!((told.settings.len(), told.is_cut), (FILES, true));
    }

    #[test]
    fn a_program_that_settings_name_is_told_where_it_is_a_file() {
        let world = World::new();
        let root = &world.root;
        fs::write(root.join("f.sh"), "").unwrap();
        fs::write(root.join("st"), "").unwrap();
        let told = world.told(
            "[filter \"x\"]\nclean = sh ./f.sh %f\nsmudge = gone.sh\n[alias]\nst = !sh st\n[diff \"y\"]\ntextconv = cat\n",
        );
        assert_eq!(told.programs, [root.join("f.sh")].into());
        assert!(told.hooks.is_empty() && told.settings.is_empty());
    }

    #[test]
    fn a_link_on_the_way_is_told_and_where_it_leads_too() {
        let world = World::new();
        let root = &world.root;
        fs::create_dir(root.join("real")).unwrap();
        std::os::unix::fs::symlink("real", root.join("link")).unwrap();
        let told = world.told("[core]\nhooksPath = link/hooks");
        assert_eq!(told.hooks, [root.join("link/hooks"), root.join("real/hooks")].into());
    }
}
