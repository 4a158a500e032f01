//! Taking a trial over, and an undo, ended at every call to the system by which something could change: killed there, or told that the disk
//! is full. Whoever comes next finds all of it or nothing. Owns how that is tried: `strace` ends a run at the n-th call of a kind.
//! `PORTCULLIS_KILLS` says how many calls are tried of each run; all of them are some hundred.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{MetadataExt as _, symlink},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
};

use tempfile::TempDir;

use crate::{Ended, Place};

/// How many calls of a run are tried where nobody says it, spread evenly over it.
const USUAL: usize = 24;

/// Every call by which files, or what is known of them, can change. In between nothing does, so that a kill there is one before the next of these.
pub(crate) const CHANGING: &[&str] = &[
    "open",
    "openat",
    "openat2",
    "creat",
    "mkdir",
    "mkdirat",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
    "rmdir",
    "link",
    "linkat",
    "symlink",
    "symlinkat",
    "mknod",
    "mknodat",
    "chmod",
    "fchmod",
    "fchmodat",
    "chown",
    "fchown",
    "fchownat",
    "utimensat",
    "setxattr",
    "fsetxattr",
    "truncate",
    "ftruncate",
    "write",
    "pwrite64",
    "writev",
    "pwritev",
    "copy_file_range",
    "sendfile",
    "fallocate",
    "ioctl",
    "fsync",
    "fdatasync",
    "syncfs",
    "flock",
    "exit_group",
];

/// What happens at a call.
#[derive(Clone, Copy, Debug)]
enum End {
    Killed,
    DiskFull,
}

/// A home with a project in it, apart from it what is kept, and both as they were before the run that is ended.
struct Scene {
    place: Place,
    state: TempDir,
    template: TempDir,
}

impl Scene {
    fn new() -> Self {
        let (state, template) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let place = Place::recorded()
            .with("PATH", "/usr/local/bin:/usr/bin:/bin")
            .with("PORTCULLIS_STATE_DIR", state.path().join("own").to_str().unwrap());
        let scene = Self { place, state, template };
        let project = scene.project();
        for (path, text) in [
            ("changed", "before\n"),
            ("moded", "same\n"),
            ("gone/deep/a", "a\n"),
            ("gone/b", "b\n"),
            ("to-folder", "x\n"),
            ("to-file/x", "x\n"),
            ("rights/x", "x\n"),
            ("kept", "kept\n"),
        ] {
            fs::create_dir_all(project.join(path).parent().unwrap()).unwrap();
            fs::write(project.join(path), text).unwrap();
        }
        symlink("changed", project.join("link")).unwrap();
        fs::hard_link(project.join("kept"), project.join("kept-too")).unwrap();
        scene
    }

    fn project(&self) -> PathBuf {
        self.place.home.path().canonicalize().unwrap().join("project")
    }

    /// Keeps everything as it is for [`Scene::reset`].
    fn keep(&self) {
        copied(self.place.home.path(), &self.template.path().join("home"));
        copied(&self.state.path().join("own"), &self.template.path().join("own"));
    }

    /// Has everything as it was. The project stays the same directory.
    fn reset(&self) {
        let project = self.project();
        for entry in fs::read_dir(self.place.home.path()).unwrap() {
            let path = entry.unwrap().path().canonicalize().unwrap();
            if path != project {
                removed(&path);
            }
        }
        for entry in fs::read_dir(&project).unwrap() {
            removed(&entry.unwrap().path());
        }
        removed(&self.state.path().join("own"));
        copied(&self.template.path().join("home"), self.place.home.path());
        copied(&self.template.path().join("own"), &self.state.path().join("own"));
    }

    /// The program under `strace`, which is told what to do at which calls.
    fn traced(&self, log: &str, options: &[&str], words: &[&str]) -> ExitStatus {
        let mut command = self.place.command_of("strace");
        command.args(["-f", "-qq", "-o", log]).args(options);
        command.arg(self.place.command().get_program()).args(words);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().unwrap()
    }

    /// Each kind of call that a run makes, with the most that one of its threads makes of it. None, and that is said, where nothing can be traced.
    fn calls(&self, words: &[&str]) -> Option<Vec<(&'static str, usize)>> {
        let log = self.template.path().join("log");
        let is_there = Command::new("strace").arg("-V").output().is_ok();
        let named = CHANGING.iter().map(|name| format!("?{name}")).collect::<Vec<_>>().join(",");
        let traced = is_there
            .then(|| self.traced(log.to_str().unwrap(), &["-e", &format!("trace={named}")], words));
        if !traced.is_some_and(|status| status.success()) {
            eprintln!("skipped: `strace` is missing, or may trace nothing here");
            return None;
        }
        let text = fs::read_to_string(&log).unwrap();
        let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for line in text.lines() {
            let Some((thread, call)) = line.split_once(' ') else { continue };
            let Some((name, _)) = call.trim_start().split_once('(') else { continue };
            *counts.entry((name, thread)).or_default() += 1;
        }
        let most = |name: &'static str| {
            let of_name = counts.iter().filter(|((other, _), _)| *other == name);
            Some((name, of_name.map(|(_, count)| *count).max()?))
        };
        Some(CHANGING.iter().filter_map(|name| most(name)).collect())
    }

    /// Everything in the home, with what counts of it; the times of directories where they count.
    fn tree(&self, with_times: bool) -> BTreeMap<PathBuf, String> {
        fn walk(path: &Path, with_times: bool, found: &mut BTreeMap<PathBuf, String>) {
            let meta = fs::symlink_metadata(path).unwrap();
            let mut text = format!("{:o} {}:{}", meta.mode(), meta.uid(), meta.gid());
            if !meta.is_dir() || with_times {
                text.push_str(&format!(" {}.{}", meta.mtime(), meta.mtime_nsec()));
            }
            if meta.is_symlink() {
                text.push_str(&format!(" -> {}", fs::read_link(path).unwrap().display()));
            } else if meta.is_file() {
                text.push_str(&format!(
                    " x{} {:?}",
                    meta.nlink(),
                    fs::read_to_string(path).unwrap()
                ));
            }
            found.insert(path.to_owned(), text);
            if meta.is_dir() {
                for entry in fs::read_dir(path).unwrap() {
                    walk(&entry.unwrap().path(), with_times, found);
                }
            }
        }
        let mut found = BTreeMap::new();
        walk(self.place.home.path(), with_times, &mut found);
        found
    }

    /// Ends a run at each of its calls. Whoever comes next, by the words `next`, finds what stood there before or what is there afterwards, and
    /// the run does it all the same when it is made again.
    fn ended_at_each_call(&self, words: &[&str], next: &[&str], end: End) {
        self.keep();
        let before = self.tree(true);
        let Some(calls) = self.calls(words) else { return };
        let after = self.tree(false);
        let steps: Vec<(&str, usize)> = calls
            .iter()
            .flat_map(|(name, count)| (1..=*count).map(|number| (*name, number)))
            .collect();
        let most = std::env::var("PORTCULLIS_KILLS").ok().and_then(|text| text.parse().ok());
        let most = most.unwrap_or(USUAL).clamp(1, steps.len());
        let (mut ended, mut untouched, mut failed) = (0, 0, Vec::new());
        for (name, number) in (0..most).map(|at| *steps.get(at * steps.len() / most).unwrap()) {
            self.reset();
            let what = match end {
                End::Killed => "signal=KILL",
                End::DiskFull => "error=ENOSPC",
            };
            let inject = format!("inject={name}:{what}:when={number}");
            let traced = format!("trace={name}");
            let status = self.traced("/dev/null", &["-e", &traced, "-e", &inject], words);
            ended += usize::from(!status.success());
            if status.success() && self.tree(false) != after {
                failed.push(format!("{name} {number}: it says that it is done, and it is not"));
            }
            let said = self.place.run(next.iter().copied());
            let is_before = self.tree(true) == before;
            untouched += usize::from(is_before);
            // A file that could not be looked at is a conflict of an undo, which brings back the others.
            let is_part = status.code() == Some(65) && self.is_each_of(&before, &after);
            if !is_before && !is_part && self.tree(false) != after {
                failed.push(format!(
                    "{name} {number}: neither before nor after\n{}",
                    self.differs(&before, &after, &said)
                ));
                continue;
            }
            let again = self.place.run(words.iter().copied());
            if self.tree(false) != after {
                failed
                    .push(format!("{name} {number}: not when it is tried again\n{}", again.page()));
            }
        }
        eprintln!(
            "{end:?}: {} of {} calls of `{}` tried, {ended} ended it, {untouched} left everything as it was",
            most,
            steps.len(),
            words.join(" ")
        );
        assert!(failed.is_empty(), "{} of {most}:\n{}", failed.len(), failed.join("\n"));
        assert!(ended > 0 && untouched > 0, "{ended} ended, {untouched} untouched");
    }

    /// Whether each file is as it was before, or as it is afterwards.
    fn is_each_of(
        &self,
        before: &BTreeMap<PathBuf, String>,
        after: &BTreeMap<PathBuf, String>,
    ) -> bool {
        let (timed, now) = (self.tree(true), self.tree(false));
        let is_one = |path: &PathBuf| {
            now.get(path) == after.get(path) || timed.get(path) == before.get(path)
        };
        now.keys().chain(after.keys()).filter(|path| !path.is_dir()).all(is_one)
    }

    fn differs(
        &self,
        before: &BTreeMap<PathBuf, String>,
        after: &BTreeMap<PathBuf, String>,
        said: &Ended,
    ) -> String {
        let now = self.tree(true);
        let list = |one: &BTreeMap<PathBuf, String>, other: &BTreeMap<PathBuf, String>| {
            let lines = one.iter().filter(|(path, text)| other.get(*path) != Some(text));
            lines
                .map(|(path, text)| format!("  {} {text:.120}\n", path.display()))
                .collect::<String>()
        };
        let untimed = self.tree(false);
        format!(
            "{}now and not before:\n{}before and not now:\n{}now and not after:\n{}after and not now:\n{}",
            said.page(),
            list(&now, before),
            list(before, &now),
            list(&untimed, after),
            list(after, &untimed)
        )
    }
}

fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    let copied = Command::new("cp").arg("-a").arg(from.join(".")).arg(to).status().unwrap();
    assert!(copied.success());
}

fn removed(path: &Path) {
    let removed = Command::new("rm").arg("-rf").arg(path).status().unwrap();
    assert!(removed.success());
}

/// Something of everything that can happen to files.
const SCRIPT: &str = "echo after, and longer > changed; chmod 600 moded; rm -rf gone; rm to-folder; mkdir to-folder; echo y > to-folder/y; \
                      rm -r to-file; echo file > to-file; chmod 700 rights; mkdir -p new/deep new/empty; echo c > new/deep/c; ln -sfn kept link";

fn tried() -> Option<Scene> {
    let scene = Scene::new();
    let project = scene.project();
    let workspace = project.to_str().unwrap();
    let ended = scene.place.run([
        "try",
        "--network",
        "off",
        "--workspace",
        workspace,
        "--",
        "sh",
        "-c",
        SCRIPT,
    ]);
    if ended.code == 126 {
        eprintln!("skipped: {}", ended.page());
        return None;
    }
    assert_eq!(ended.code, 0, "{}", ended.page());
    Some(scene)
}

fn lost() -> Option<Scene> {
    let scene = Scene::new();
    let project = scene.project();
    let workspace = project.to_str().unwrap();
    let ended = scene.place.run([
        "sandbox",
        "run",
        "--waive",
        "protected",
        "--workspace",
        workspace,
        "--",
        "sh",
        "-c",
        SCRIPT,
    ]);
    if !ended.err.contains("portcullis undo") {
        eprintln!("skipped: {}", ended.page());
        return None;
    }
    Some(scene)
}

const COMMIT: &[&str] = &["try", "--trial", "last", "--commit"];

impl Scene {
    /// The name of the one snapshot that there is: by that an undo is made again also where a part of it was.
    fn snapshot(&self) -> String {
        let listed = self.place.run(["undo", "--list", "--json"]).json();
        listed.pointer("/snapshots/0/snapshot").unwrap().as_str().unwrap().to_owned()
    }
}

#[test]
fn a_trial_whose_taking_over_is_killed_at_any_call_is_taken_over_whole_or_not() {
    let Some(scene) = tried() else { return };
    scene.ended_at_each_call(COMMIT, &["try", "--list"], End::Killed);
}

#[test]
fn a_trial_that_meets_a_full_disk_at_any_call_is_taken_over_whole_or_not() {
    let Some(scene) = tried() else { return };
    scene.ended_at_each_call(COMMIT, &["try", "--list"], End::DiskFull);
}

#[test]
fn an_undo_that_is_killed_at_any_call_brings_back_all_or_nothing() {
    let Some(scene) = lost() else { return };
    scene.ended_at_each_call(&["undo", &scene.snapshot()], &["undo", "--list"], End::Killed);
}

#[test]
fn an_undo_that_meets_a_full_disk_at_any_call_brings_back_all_or_nothing() {
    let Some(scene) = lost() else { return };
    scene.ended_at_each_call(&["undo", &scene.snapshot()], &["undo", "--list"], End::DiskFull);
}
