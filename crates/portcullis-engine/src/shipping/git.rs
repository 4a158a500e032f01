//! Where chains ended, noted in a git repository that others keep. Owns how the program `git` is asked: what it may do, how long it may take, and that what a
//! remote answers is no more than text.
//!
//! A note is a commit on a branch with one file, behind the note before it. It is pushed without force, so that whoever keeps the repository decides whether
//! notes can be taken back; each note is read when the record is checked, since an older one tells what a newer one was made to leave out.

use std::{
    fs,
    io::{self, Read, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant, SystemTime},
};

use crate::{
    audit::checkpoint::{self, Head, Noted},
    platform,
};

use super::outside::{Outside, OutsideError};

/// The branch, where nobody says otherwise, and the file on it.
pub const BRANCH: &str = "portcullis-heads";
const FILE: &str = "heads";

/// How long one command may take, and how often it is looked whether it ended.
const PATIENCE: Duration = Duration::from_secs(120);
const LOOK: Duration = Duration::from_millis(5);

/// The most that is read of what git says, and the most notes.
const LONGEST: u64 = 64 << 20;
const MOST: usize = 100_000;

/// How often a note is made anew where somebody else noted something meanwhile.
const TRIES: u32 = 4;

/// When a room is left over from a process that was killed.
const LEFT: Duration = Duration::from_secs(3_600);
const ROOM: &str = "noting.";

/// Why nothing could be noted or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// It is no repository that is asked.
    #[error("`{0}` is no repository that can be noted in")]
    Remote(String),
    /// It is no name of a branch.
    #[error("`{0}` is no name of a branch")]
    Branch(String),
    /// Git cannot be run, or takes too long.
    #[error("cannot run `git {verb}`: {source}")]
    Run {
        /// What it was to do.
        verb: String,
        /// Why.
        source: io::Error,
    },
    /// Git refuses.
    #[error("`git {verb}` failed: {said}")]
    Refused {
        /// What it was to do.
        verb: String,
        /// What it said.
        said: String,
    },
    /// A note is none.
    #[error("the note `{commit}` does not say where chains end: {what}")]
    Unreadable {
        /// Which.
        commit: String,
        /// What is wrong.
        what: String,
    },
    /// Others note faster than this.
    #[error("others noted something each time it was tried")]
    Raced,
}

/// A branch of a repository, as it is elsewhere.
pub struct Notes {
    remote: String,
    branch: String,
    /// A repository for the length of this, without a work tree.
    room: PathBuf,
    newest: Option<String>,
}

impl Notes {
    /// Fetches what is noted on a branch; there may be nothing yet. Meanwhile it stands in a directory of its own below `state`.
    ///
    /// # Errors
    /// [`GitError`].
    pub fn fetch(remote: &str, branch: &str, state: &Path) -> Result<Self, GitError> {
        // `ext::` and its like name a program.
        if remote.is_empty() || remote.starts_with('-') || remote.contains("::") {
            return Err(GitError::Remote(remote.to_owned()));
        }
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
        let is_odd = branch.is_empty()
            || branch.starts_with(['-', '.', '/'])
            || branch.ends_with(['/', '.'])
            || branch.contains("..")
            || branch.contains("//")
            || !branch.chars().all(is_word);
        if is_odd {
            return Err(GitError::Branch(branch.to_owned()));
        }
        let failed = |source| GitError::Run { verb: "init".to_owned(), source };
        sweep(state);
        let random = platform::random::<8>().map_err(failed)?;
        let room = state.join(format!("{ROOM}{}", data_encoding::HEXLOWER.encode(&random)));
        platform::create_private_directory(&room).map_err(failed)?;
        let mut notes =
            Self { remote: remote.to_owned(), branch: branch.to_owned(), room, newest: None };
        notes.git(&["init", "--quiet", "--bare", "--template=", "."], "")?;
        notes.newest = notes.fetched()?;
        Ok(notes)
    }

    /// Notes a text behind the newest note; whether that says something else than the newest.
    fn push(&mut self, noted: &str) -> Result<bool, GitError> {
        for _ in 0..TRIES {
            let object = word(&self.git(&["hash-object", "-w", "--stdin"], noted)?);
            let tree = self.git(&["mktree"], &format!("100644 blob {object}\t{FILE}\n"))?;
            let tree = word(&tree);
            let parent = self.newest.clone();
            if let Some(parent) = &parent {
                let before = self.git(&["rev-parse", &format!("{parent}^{{tree}}")], "")?;
                if word(&before) == tree {
                    return Ok(false);
                }
            }
            let mut commits =
                vec!["commit-tree", tree.as_str(), "-m", "Note where chains of the record end"];
            if let Some(parent) = &parent {
                commits.extend(["-p", parent.as_str()]);
            }
            let commit = word(&self.git(&commits, "")?);
            let to = format!("{commit}:refs/heads/{}", self.branch);
            match self.git(&["push", "--quiet", "--", &self.remote, &to], "") {
                Ok(_) => {
                    self.newest = Some(commit);
                    return Ok(true);
                }
                Err(error) => {
                    // Somebody else was faster, or it is refused for good.
                    let now = self.fetched()?;
                    if now == parent {
                        return Err(error);
                    }
                    self.newest = now;
                }
            }
        }
        Err(GitError::Raced)
    }

    /// The newest commit of the branch as it is now.
    fn fetched(&self) -> Result<Option<String>, GitError> {
        let name = format!("refs/heads/{}", self.branch);
        let listed = self.git(&["ls-remote", "--", &self.remote, &name], "")?;
        if text(&listed).trim().is_empty() {
            return Ok(None);
        }
        let to = format!("+{name}:refs/noted");
        self.git(&["fetch", "--quiet", "--no-tags", "--", &self.remote, &to], "")?;
        Ok(Some(word(&self.git(&["rev-parse", "refs/noted"], "")?)))
    }

    /// What stands in the file of each of these commits.
    fn read(&self, commits: &[String]) -> Result<Vec<Noted>, GitError> {
        let wanted: String = commits.iter().map(|commit| format!("{commit}:{FILE}\n")).collect();
        let said = self.git(&["cat-file", "--batch"], &wanted)?;
        let mut rest = said.as_slice();
        let mut all = Vec::with_capacity(commits.len());
        for commit in commits {
            let bad =
                |what: &str| GitError::Unreadable { commit: commit.clone(), what: what.to_owned() };
            let end = memchr::memchr(b'\n', rest).ok_or_else(|| bad("it is cut off"))?;
            let (head, behind) = rest.split_at(end);
            let head = text(head);
            let mut words = head.split(' ').skip(1);
            let (Some("blob"), Some(size)) =
                (words.next(), words.next().and_then(|size| size.parse().ok()))
            else {
                return Err(bad("there is no file `heads`"));
            };
            let behind = behind.get(1..).unwrap_or_default();
            let (body, left) = behind.split_at_checked(size).ok_or_else(|| bad("it is cut off"))?;
            rest = left.get(1..).unwrap_or_default();
            let body = std::str::from_utf8(body).map_err(|_| bad("it is no text"))?;
            all.extend(checkpoint::read(body).ok_or_else(|| {
                bad("it has something else than lines with count, number, hash and name of a chain, or checkpoints")
            })?);
        }
        Ok(all)
    }

    /// What git says to a command.
    fn git(&self, arguments: &[&str], input: &str) -> Result<Vec<u8>, GitError> {
        let verb = arguments.first().copied().unwrap_or_default().to_owned();
        let failed = |source| GitError::Run { verb: verb.clone(), source };
        let mut command = Command::new("git");
        command
            // Nothing but git's own ways to a repository, no program of a configuration on the way, and nobody who is asked.
            .args(["-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never"])
            .args(["-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "commit.gpgSign=false"])
            .args(arguments)
            .current_dir(&self.room)
            .env("GIT_DIR", &self.room)
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for name in ["GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_EXEC_PATH"] {
            command.env_remove(name);
        }
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "portcullis");
            command.env(format!("GIT_{role}_EMAIL"), "portcullis@localhost");
        }
        let mut child = command.spawn().map_err(failed)?;
        let (stdin, input) = (child.stdin.take(), input.to_owned());
        // One that reads nothing holds nobody up.
        thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(input.as_bytes())));
        let (out, errors) = (child.stdout.take(), child.stderr.take());
        let out = thread::spawn(move || read(out, LONGEST));
        let errors = thread::spawn(move || read(errors, 4 << 10));
        let status = ended(&mut child).map_err(failed)?;
        let gone = || failed(io::Error::other("what it said cannot be read"));
        let said = out.join().map_err(|_| gone())?.map_err(failed)?;
        if status {
            return Ok(said);
        }
        let words = errors.join().ok().and_then(Result::ok).unwrap_or_default();
        Err(GitError::Refused { verb, said: text(&words).trim().replace('\n', "; ") })
    }
}

impl Outside for Notes {
    fn newest(&self) -> Result<Vec<Noted>, OutsideError> {
        match &self.newest {
            None => Ok(Vec::new()),
            Some(commit) => Ok(self.read(std::slice::from_ref(commit))?),
        }
    }

    fn all(&self) -> Result<Vec<Noted>, OutsideError> {
        let Some(newest) = &self.newest else { return Ok(Vec::new()) };
        let most = format!("--max-count={}", MOST + 1);
        let listed = self.git(&["rev-list", &most, newest], "")?;
        let commits: Vec<String> = text(&listed).lines().map(str::to_owned).collect();
        if commits.len() > MOST {
            let what = format!("there are more than {MOST} notes on the branch");
            return Err(GitError::Unreadable { commit: newest.clone(), what }.into());
        }
        let mut all = self.read(&commits)?;
        all.sort_by(|one, other| one.end.0.cmp(&other.end.0).then(one.end.1.1.cmp(&other.end.1.1)));
        all.dedup();
        Ok(all)
    }

    fn note(&mut self, heads: &[Head]) -> Result<bool, OutsideError> {
        let noted: String = heads.iter().map(|head| head.text.as_str()).collect();
        Ok(self.push(&noted)?)
    }
}

impl Drop for Notes {
    fn drop(&mut self) {
        // One that stays is swept by the next.
        let _ = fs::remove_dir_all(&self.room);
    }
}

/// Whether it ended well; one that takes too long is ended.
fn ended(child: &mut Child) -> io::Result<bool> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if begun.elapsed() >= PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return Err(io::Error::new(io::ErrorKind::TimedOut, "it takes too long"));
        }
        thread::sleep(LOOK);
    }
}

fn read(stream: Option<impl Read>, most: u64) -> io::Result<Vec<u8>> {
    let mut said = Vec::new();
    let Some(stream) = stream else { return Ok(said) };
    let mut stream = stream.take(most + 1);
    stream.read_to_end(&mut said)?;
    if said.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it says too much"));
    }
    Ok(said)
}

fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// The first word of an answer.
fn word(bytes: &[u8]) -> String {
    text(bytes).split_whitespace().next().unwrap_or_default().to_owned()
}

/// Takes away what killed processes left.
fn sweep(state: &Path) {
    for entry in fs::read_dir(state).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(ROOM));
        let age = entry.metadata().and_then(|metadata| metadata.modified()).ok();
        let age = age.and_then(|since| SystemTime::now().duration_since(since).ok());
        if is_ours && age.is_some_and(|age| age > LEFT) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{Anchor, Hash};

    fn run(folder: &Path, arguments: &[&str]) -> String {
        let output = Command::new("git").args(arguments).current_dir(folder).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        text(&output.stdout).into_owned()
    }

    /// A repository that others keep, and a directory for us.
    fn place() -> (tempfile::TempDir, String) {
        let place = tempfile::tempdir().unwrap();
        run(place.path(), &["init", "--quiet", "--bare", "kept.git"]);
        let remote = place.path().join("kept.git").display().to_string();
        (place, remote)
    }

    fn end(count: u64) -> [Head; 1] {
        let place = (Anchor { sequence: count, hash: Hash([7; 32]) }, count);
        [Head::line(("one".to_owned(), place))]
    }

    fn counts(all: &[Noted]) -> Vec<u64> {
        all.iter().map(|noted| noted.end.1.1).collect()
    }

    fn is_unreadable(read: Result<Vec<Noted>, OutsideError>) -> bool {
        matches!(read, Err(OutsideError::Git(GitError::Unreadable { .. })))
    }

    #[test]
    fn notes_stand_behind_each_other_whoever_makes_them() {
        let (place, remote) = place();
        let fetch = || Notes::fetch(&remote, BRANCH, place.path()).unwrap();
        let (mut first, mut second) = (fetch(), fetch());
        assert_eq!((first.all().unwrap(), first.newest().unwrap()), (vec![], vec![]));
        assert!(first.note(&end(1)).unwrap());
        assert!(!first.note(&end(1)).unwrap(), "nothing new");
        // It was fetched before the note of the other.
        assert!(second.note(&end(2)).unwrap());
        assert!(first.note(&end(3)).unwrap());
        let notes = fetch();
        assert_eq!(counts(&notes.newest().unwrap()), [3]);
        assert_eq!(counts(&notes.all().unwrap()), [1, 2, 3]);
        drop((first, second, notes));
        let left = fs::read_dir(place.path()).unwrap().flatten();
        let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
        assert_eq!(left, ["kept.git"], "nothing else stays");
    }

    #[test]
    fn what_others_put_there_is_text_that_is_read_strictly() {
        let (place, remote) = place();
        let mut notes = Notes::fetch(&remote, BRANCH, place.path()).unwrap();
        notes.note(&end(1)).unwrap();
        for bad in ["5 5 zz one\n", "\u{1b}[2J\n", "1\n"] {
            notes.push(bad).unwrap();
            let again = Notes::fetch(&remote, BRANCH, place.path()).unwrap();
            assert!(is_unreadable(again.all()), "{bad:?}");
            assert!(is_unreadable(again.newest()), "{bad:?}");
        }
        // A branch of something else.
        let work = place.path().join("work");
        run(place.path(), &["init", "--quiet", "work"]);
        fs::create_dir(work.join("heads")).unwrap();
        fs::write(work.join("heads/file"), "x").unwrap();
        run(&work, &["add", "."]);
        let who = ["-c", "user.name=e", "-c", "user.email=e@e"];
        run(&work, &[&who[..], &["commit", "--quiet", "-m", "x"]].concat());
        run(&work, &["push", "--quiet", &remote, "HEAD:refs/heads/other"]);
        let other = Notes::fetch(&remote, "other", place.path()).unwrap();
        assert!(is_unreadable(other.all()));
    }

    #[test]
    fn a_remote_names_no_program_and_no_option() {
        let place = tempfile::tempdir().unwrap();
        let made = place.path().join("made");
        let program = format!("ext::sh -c touch% {}", made.display());
        for remote in [program.as_str(), "", "--upload-pack=touch made", "fd::17"] {
            let refused = Notes::fetch(remote, BRANCH, place.path());
            assert!(matches!(refused, Err(GitError::Remote(_))), "{remote}");
        }
        for branch in ["", "-d", "a b", "../x", "a..b", "a:b", "+a", "a*"] {
            let refused = Notes::fetch("/nowhere", branch, place.path());
            assert!(matches!(refused, Err(GitError::Branch(_))), "{branch}");
        }
        assert!(!made.exists());
        let nobody = Notes::fetch("/nowhere.git", BRANCH, place.path());
        assert!(matches!(nobody, Err(GitError::Refused { .. })));
    }

    #[test]
    fn who_keeps_the_repository_may_refuse_a_note() {
        use std::os::unix::fs::PermissionsExt as _;
        let (place, remote) = place();
        let hook = Path::new(&remote).join("hooks/pre-receive");
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        fs::write(&hook, "#!/bin/sh\necho not here >&2\nexit 1\n").unwrap();
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
        let mut notes = Notes::fetch(&remote, BRANCH, place.path()).unwrap();
        let refused = notes.note(&end(1)).unwrap_err().to_string();
        assert!(refused.contains("not here"), "{refused}");
    }
}
