//! Repositories in and around what may be written. Owns where version control reads settings, hooks and further directories from in each of
//! them, how far repositories are looked for, and what is said of what was not looked at.

use std::{
    collections::{BTreeSet, HashSet, VecDeque},
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use portcullis_sandbox::StandIn;

use crate::obeyed::{self, Settings, Told};

/// How many directories deep repositories are looked for.
const DEPTH: usize = 4;

/// How many directories, and how many names in them, are looked at below one root.
const MOST_DIRECTORIES: usize = 2_000;
const MOST_NAMES: usize = 100_000;

/// How deep the repositories of modules lie in that of their project, whose names may have directories in them.
const MODULE_DEPTH: usize = 8;

/// How many directories above a root a repository is looked for that it is a part of.
const MOST_ABOVE: usize = 64;

/// The most bytes of a file that says where a repository is.
const LONGEST_POINTER: u64 = 4_096;

/// The most bytes of a repository's settings that are read.
const LONGEST_SETTINGS: u64 = 1 << 20;

/// What version control obeys in a repository: settings and hooks, and what says where else it reads them or objects.
const OBEYED: &[&str] = &[
    "config",
    "config.worktree",
    "commondir",
    "hooks",
    "info/attributes",
    "objects/info/alternates",
    "objects/info/http-alternates",
];

/// The same in the repository's directory for a further working tree.
const OBEYED_OF_TREE: &[&str] = &["config.worktree", "commondir", "gitdir"];

/// What `git rebase --continue` runs, in a repository and in its directory for a further working tree. The lists of
/// `cherry-pick`, `am` and `bisect` name no commands (git 2.47).
const LIST: &str = "rebase-merge/git-rebase-todo";

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Repositories {
    /// What version control obeys, also where it is missing.
    pub(super) obeyed: Vec<PathBuf>,
    /// What of that keeps no place while it is missing, because a file in its place would change what git does.
    pub(super) unkept: Vec<PathBuf>,
    /// Settings that others take in: what keeps the place of one that is missing is a file.
    pub(super) taken_in: Vec<PathBuf>,
    /// What is obeyed and not protected: lists of what git runs when it is told to go on, which it writes itself, and files of the project that
    /// a command in its settings names.
    pub(super) noted: Vec<PathBuf>,
    /// What of all this lies elsewhere than in the roots, where it may have a further name.
    pub(super) elsewhere: Vec<PathBuf>,
    /// What was not looked at, for a person.
    pub(super) overlooked: Vec<String>,
    known: HashSet<PathBuf>,
    /// Repositories with their work trees, where they have some.
    trees: BTreeSet<(PathBuf, PathBuf)>,
}

/// A name that keeps the place of what version control would obey, where a directory in its place would disturb it: git gives up on a
/// `commondir` and on a `config.worktree` that cannot be read. The file says what holds without it: the repository itself.
pub(super) fn stand_in(path: &Path, taken_in: &[PathBuf]) -> Option<StandIn> {
    let name = path.file_name()?.to_str()?;
    let text = match name {
        // Settings that are taken in, whatever they are called.
        _ if taken_in.iter().any(|one| one == path) => "",
        "commondir" => ".\n",
        "config" | "config.worktree" | "attributes" | "alternates" | "http-alternates" => "",
        _ => return None,
    };
    Some(StandIn { path: path.to_owned(), text: text.to_owned() })
}

/// The repositories at and below the roots, with what settings there and below the homes name in the roots.
pub(super) fn below(roots: &[PathBuf], homes: &[PathBuf]) -> Repositories {
    let mut found = Repositories::default();
    for root in roots {
        found.look(root);
    }
    found.around(roots);
    found.follow(roots, homes);
    found
}

impl Repositories {
    /// Looks level by level, so that what is nearest is seen in any case.
    fn look(&mut self, root: &Path) {
        let mut ahead = VecDeque::from([(root.to_owned(), 0)]);
        let (mut directories, mut names) = (0, 0);
        let mut is_deeper = false;
        while let Some((directory, depth)) = ahead.pop_front() {
            if directories == MOST_DIRECTORIES || names >= MOST_NAMES {
                self.overlooked.push(format!(
                    "repositories below `{}` were looked for in {directories} directories, and there are more",
                    root.display()
                ));
                break;
            }
            directories += 1;
            let mut inner = Vec::new();
            let (mut head, mut objects, mut refs) = (false, false, false);
            for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
                names += 1;
                let Ok(kind) = entry.file_type() else { continue };
                let name = entry.file_name();
                if name == ".git" {
                    self.named(&entry.path());
                    continue;
                }
                head |= name == "HEAD" && !kind.is_dir();
                objects |= name == "objects" && !kind.is_file();
                refs |= name == "refs" && !kind.is_file();
                if kind.is_dir() {
                    inner.push(entry.path());
                }
            }
            if head && objects && refs {
                self.repository(&directory, &directory, Kind::Own);
            } else if depth < DEPTH {
                ahead.extend(inner.into_iter().map(|path| (path, depth + 1)));
            } else {
                is_deeper |= !inner.is_empty();
            }
        }
        if is_deeper {
            self.overlooked.push(format!(
                "repositories more than {DEPTH} directories below `{}` were not looked for",
                root.display()
            ));
        }
    }

    /// Something of the name that version control looks for: a repository, a link to one, or a file that says where one is.
    fn named(&mut self, path: &Path) {
        let Ok(kind) = fs::symlink_metadata(path).map(|found| found.file_type()) else { return };
        if !kind.is_dir() {
            self.obeyed.push(path.to_owned());
        }
        let Ok(real) = fs::canonicalize(path) else { return };
        let root = path.parent().unwrap_or(path);
        if real.is_dir() {
            self.repository(&real, root, Kind::Own);
        } else if let Some(to) = pointer(&real, "gitdir:") {
            self.repository(&to, root, Kind::PointedAt);
        }
    }

    /// Repositories of which a root is only a part: their settings count there too.
    fn around(&mut self, roots: &[PathBuf]) {
        for root in roots {
            let above = root.ancestors().skip(1).take(MOST_ABOVE);
            for folder in above.filter(|folder| folder.parent().is_some()) {
                let git = folder.join(".git");
                let Ok(real) = fs::canonicalize(&git) else { continue };
                let real = if real.is_dir() { Some(real) } else { pointer(&real, "gitdir:") };
                let Some(git) = real.and_then(|real| fs::canonicalize(real).ok()) else { continue };
                let shared = pointer(&git.join("commondir"), "");
                let shared = shared.and_then(|shared| fs::canonicalize(shared).ok());
                self.trees.insert((shared.unwrap_or(git), folder.to_owned()));
                break;
            }
        }
    }

    /// What settings of git name in the roots.
    fn follow(&mut self, roots: &[PathBuf], homes: &[PathBuf]) {
        let mut told = Told::default();
        let mut settings = Settings::new(homes.iter().cloned(), roots, &|_| true);
        for (git, root) in &self.trees {
            settings.follow(obeyed::Repository { git, own: git, root }, &mut told);
        }
        let is_written = |path: &PathBuf| roots.iter().any(|root| path.starts_with(root));
        let Told { hooks, settings, programs, is_cut } = told;
        let all = hooks.iter().chain(&settings).chain(&programs);
        self.elsewhere.extend(all.filter(|path| !is_written(path)).cloned());
        self.obeyed.extend(hooks.into_iter().filter(is_written));
        self.taken_in.extend(settings.into_iter().filter(is_written));
        self.obeyed.extend(self.taken_in.iter().cloned());
        self.noted.extend(programs.into_iter().filter(is_written));
        if is_cut {
            self.overlooked
                .push("not everything that settings of git name was looked at".to_owned());
        }
    }

    /// Everything in a repository that is obeyed, in those of its modules too, and in the one that it shares with others.
    fn repository(&mut self, directory: &Path, root: &Path, kind: Kind) {
        let Ok(directory) = fs::canonicalize(directory) else { return };
        self.trees.insert((directory.clone(), root.to_owned()));
        if !self.known.insert(directory.clone()) {
            return;
        }
        self.obeyed.extend(OBEYED.iter().map(|name| directory.join(name)));
        self.noted.push(directory.join(LIST));
        let common = directory.join("commondir");
        if kind == Kind::Own && !common.exists() && names_working_tree(&directory.join("config")) {
            self.overlooked.push(format!(
                "`{}` says where its working tree is, and so a missing `commondir` in it is not kept from being made",
                directory.display()
            ));
            self.unkept.push(common.clone());
        }
        let trees = fs::read_dir(directory.join("worktrees")).into_iter().flatten().flatten();
        for tree in trees.take(MOST_DIRECTORIES) {
            self.obeyed.extend(OBEYED_OF_TREE.iter().map(|name| tree.path().join(name)));
            self.noted.push(tree.path().join(LIST));
            if let Some(root) = pointer(&tree.path().join("gitdir"), "")
                .and_then(|git| git.parent().map(Path::to_owned))
            {
                self.trees.insert((directory.clone(), root));
            }
        }
        self.modules(&directory.join("modules"), MODULE_DEPTH);
        if let Some(common) = pointer(&common, "") {
            self.repository(&common, root, kind);
        }
    }

    fn modules(&mut self, directory: &Path, depth: usize) {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            if self.known.len() >= MOST_DIRECTORIES || depth == 0 {
                self.overlooked.push(format!(
                    "not every repository of a module in `{}` was looked at",
                    directory.display()
                ));
                return;
            }
            let path = entry.path();
            if path.join("HEAD").symlink_metadata().is_ok() {
                // Its settings say where its work tree is.
                self.repository(&path, &path, Kind::PointedAt);
            } else {
                self.modules(&path, depth - 1);
            }
        }
    }
}

/// How git comes to a repository.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    /// By its name; its settings may say that its working tree lies elsewhere.
    Own,
    /// By a file in its working tree.
    PointedAt,
}

/// Whether settings say where the working tree is. With a `commondir` git would no longer ask them.
fn names_working_tree(settings: &Path) -> bool {
    let mut text = String::new();
    let read = fs::File::open(settings)
        .and_then(|file| file.take(LONGEST_SETTINGS).read_to_string(&mut text));
    let is_it = |line: &str| {
        let line = line.trim_start().to_ascii_lowercase();
        let rest = line.strip_prefix("worktree").map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with('='))
    };
    read.is_err() && settings.exists() || text.lines().any(is_it)
}

/// Where a file says that a repository is, seen from where it lies itself.
fn pointer(file: &Path, before: &str) -> Option<PathBuf> {
    // What is no file could be waited for without end.
    if !fs::metadata(file).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    fs::File::open(file).ok()?.take(LONGEST_POINTER).read_to_string(&mut text).ok()?;
    let path = text.strip_prefix(before)?.trim();
    (!path.is_empty()).then(|| file.parent().map(|folder| folder.join(path)))?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(root: &Path, repository: &str) {
        for folder in ["objects/info", "refs", "hooks"] {
            fs::create_dir_all(root.join(repository).join(folder)).unwrap();
        }
        fs::write(root.join(repository).join("HEAD"), "ref: refs/heads/main\n").unwrap();
    }

    #[test]
    fn what_git_trusts_is_found_in_every_repository() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for repository in [
            ".git",
            ".git/modules/a",
            ".git/modules/b/c",
            ".git/modules/b/c/modules/d",
            "vendor/lib/.git",
            "vendor/one/two/.git",
            "bare",
            "deep/bare.git",
            "elsewhere/meta",
            "1/2/3/4/.git",
        ] {
            made(&root, repository);
        }
        fs::create_dir_all(root.join(".git/worktrees/w")).unwrap();
        fs::create_dir_all(root.join("pointed")).unwrap();
        fs::write(root.join("pointed/.git"), "gitdir: ../elsewhere/meta\n").unwrap();
        fs::write(root.join("elsewhere/meta/commondir"), "../common\n").unwrap();
        fs::create_dir_all(root.join("elsewhere/common")).unwrap();
        fs::create_dir_all(root.join("linked")).unwrap();
        std::os::unix::fs::symlink("../bare", root.join("linked/.git")).unwrap();
        let found = below(std::slice::from_ref(&root), &[]);
        for path in [
            ".git/config",
            ".git/commondir",
            ".git/worktrees/w/commondir",
            ".git/modules/a/config",
            ".git/modules/b/c/hooks",
            ".git/modules/b/c/modules/d/config.worktree",
            "vendor/lib/.git/hooks",
            "vendor/one/two/.git/config",
            "bare/config",
            "bare/objects/info/alternates",
            "deep/bare.git/hooks",
            "pointed/.git",
            "elsewhere/meta/config",
            "elsewhere/common/config",
            "linked/.git",
            "1/2/3/4/.git/info/attributes",
        ] {
            assert!(found.obeyed.contains(&root.join(path)), "{path}: {:?}", found.obeyed);
        }
        assert!(found.overlooked.is_empty(), "{:?}", found.overlooked);
    }

    #[test]
    fn what_settings_name_in_the_roots_is_found_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap().join("work");
        let home = root.parent().unwrap().to_owned();
        made(&root, ".git");
        made(&root, "vendor/lib/.git");
        let settings = "[core]\nhooksPath = .husky/_\n[include]\npath = ../inc\n[diff \"x\"]\ntextconv = ./tools/x\n";
        fs::write(root.join(".git/config"), settings).unwrap();
        fs::create_dir(root.join("tools")).unwrap();
        fs::write(root.join("tools/x"), "").unwrap();
        fs::write(home.join(".gitconfig"), "[core]\nhooksPath = .hooks\n[include]\npath = other\n")
            .unwrap();
        let found = below(std::slice::from_ref(&root), std::slice::from_ref(&home));
        for path in [".husky", ".husky/_", "inc", ".hooks", "vendor/lib/.hooks"] {
            assert!(found.obeyed.contains(&root.join(path)), "{path}: {:?}", found.obeyed);
        }
        assert!(!found.obeyed.contains(&home.join("other")));
        assert_eq!(found.taken_in, [root.join("inc")]);
        assert!(found.noted.contains(&root.join("tools/x")), "{:?}", found.noted);
        let kept = stand_in(&root.join("inc"), &found.taken_in);
        assert_eq!(kept.map(|one| one.text), Some(String::new()));
        // A part of a repository, and one of its further work trees.
        let part = root.join("tools");
        fs::write(root.join(".git/config"), "[core]\nhooksPath = tools/hooks\n").unwrap();
        let found = below(std::slice::from_ref(&part), &[]);
        assert_eq!(found.obeyed, [part.join("hooks")]);
        let tree = home.join("tree");
        fs::create_dir_all(root.join(".git/worktrees/t")).unwrap();
        fs::create_dir(&tree).unwrap();
        let pointer = format!("{}\n", tree.join(".git").display());
        fs::write(root.join(".git/worktrees/t/gitdir"), pointer).unwrap();
        let own = format!("gitdir: {}\n", root.join(".git/worktrees/t").display());
        fs::write(tree.join(".git"), own).unwrap();
        fs::write(root.join(".git/worktrees/t/commondir"), "../..\n").unwrap();
        let found = below(std::slice::from_ref(&tree), &[]);
        assert!(found.obeyed.contains(&tree.join("tools/hooks")), "{:?}", found.obeyed);
    }

    #[test]
    fn a_working_tree_that_lies_elsewhere_stays_where_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        made(&root, ".git");
        fs::write(root.join(".git/config"), "[core]\n\tworktree = /elsewhere\n").unwrap();
        let found = below(std::slice::from_ref(&root), &[]);
        assert_eq!(found.unkept, [root.join(".git/commondir")]);
        assert!(found.overlooked.iter().any(|one| one.contains("working tree")));
        fs::write(root.join(".git/config"), "[extensions]\n\tworktreeConfig = true\n").unwrap();
        assert!(below(&[root], &[]).unkept.is_empty());
    }

    #[test]
    fn what_was_not_looked_at_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        made(&root, "1/2/3/4/5/.git");
        let found = below(std::slice::from_ref(&root), &[]);
        assert!(found.obeyed.is_empty());
        assert!(found.overlooked.iter().any(|one| one.contains("more than 4 directories")));
        let wide = root.join("wide");
        for number in 0..=MOST_DIRECTORIES {
            fs::create_dir_all(wide.join(number.to_string())).unwrap();
        }
        let found = below(&[wide], &[]);
        assert!(found.overlooked.iter().any(|one| one.contains("there are more")));
    }

    /// A stand-in changes nothing for git: its text says what git takes for granted without it.
    #[test]
    fn git_works_with_what_keeps_places() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let git = |arguments: &[&str]| {
            let mut command = std::process::Command::new("git");
            command.current_dir(&root).args(["-c", "user.name=a", "-c", "user.email=a@b"]);
            command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", &root);
            match command.args(arguments).output() {
                Ok(output) => {
                    let said = String::from_utf8_lossy(&output.stderr);
                    assert!(output.status.success(), "git {arguments:?}: {said}");
                    true
                }
                // Without git there is nothing to disturb.
                Err(_) => false,
            }
        };
        if !git(&["init", "-q"]) {
            return;
        }
        git(&["config", "extensions.worktreeConfig", "true"]);
        fs::write(root.join("file"), "one").unwrap();
        for path in below(std::slice::from_ref(&root), &[]).obeyed {
            if let Some(StandIn { path, text }) = stand_in(&path, &[])
                && !path.exists()
            {
                fs::write(path, text).unwrap();
            }
        }
        assert!(root.join(".git/commondir").is_file());
        for arguments in [
            &["status"][..],
            &["add", "file"],
            &["commit", "-qm", "one"],
            &["branch", "other"],
            &["worktree", "add", "-q", "tree", "other"],
            &["-C", "tree", "status"],
            &["stash", "list"],
            &["gc", "-q"],
            &["fsck", "--no-progress"],
            &["clone", "-q", ".", "copy"],
            &["config", "--worktree", "core.sparseCheckout", "false"],
        ] {
            git(arguments);
        }
    }
}
