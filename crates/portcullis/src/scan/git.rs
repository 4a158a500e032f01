//! Histories of git: what each commit brings, and what is staged. Owns which contents are looked at and what counts as new; the format
//! of repositories is `gix`'s, and no program is run.
//!
//! Contents are looked at once, whole, so that a secret of several lines is seen though a commit adds one of them. What stood in the
//! same file of a parent already is not new.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    fmt::Display,
    io::Cursor,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, mpsc},
};

use gix::{
    ObjectId, Repository,
    bstr::{BStr, BString, ByteSlice as _},
};
use jiff::{Timestamp, tz::Offset};

use super::{
    Collector, Commit, Found, Options, Progress, Reason, Report,
    allow::Exclusions,
    content::{Input, Reader},
    lock,
};

/// The largest content that is taken into memory.
const LARGEST: u64 = 128 << 20;
/// How many contents wait for a thread.
const WAITING: usize = 1024;
/// What stands for the file where a commit's message holds a secret.
const MESSAGE: &str = "commit message";

/// Which part of a repository is looked at.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Selection {
    /// What `HEAD` leads to.
    Head,
    /// A range as `git log` takes it: `main..topic`, `HEAD~3..`, a tag, a commit.
    Range(String),
    /// Every branch, tag and other reference.
    All,
    /// What is staged and not committed.
    Staged,
}

/// Why a repository cannot be looked at.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// There is none.
    #[error("there is no git repository at `{}`: {message}", path.display())]
    NoRepository {
        /// Where it was looked for.
        path: PathBuf,
        /// What was in the way.
        message: String,
    },
    /// A range names nothing.
    #[error("`{range}` names no commits: {message}")]
    Range {
        /// As it was given.
        range: String,
        /// What is wrong with it.
        message: String,
    },
    /// It is broken.
    #[error("the repository cannot be read: {0}")]
    Unreadable(String),
}

fn unreadable(error: impl Display) -> GitError {
    GitError::Unreadable(error.to_string())
}

/// Looks through a part of the repository around `path`.
///
/// # Errors
/// [`GitError`] where there is no such part. What cannot be read of it is in the report.
pub fn history(
    path: &Path,
    selection: &Selection,
    options: &Options,
    progress: &Progress,
) -> Result<Report, GitError> {
    let mut repository = gix::discover_with_environment_overrides(path).map_err(|error| {
        GitError::NoRepository { path: path.to_owned(), message: error.to_string() }
    })?;
    repository.object_cache_size_if_unset(16 << 20);
    let collector = Collector::new(options, progress);
    let root = repository.workdir().unwrap_or_else(|| repository.git_dir()).to_owned();
    let (exclusions, problems) =
        Exclusions::new(std::slice::from_ref(&root), &options.exclude, options.allowances);
    for (path, problem) in problems {
        collector.leave_out(&path.to_string_lossy(), Reason::Unreadable(problem));
    }
    let shared = repository.clone().into_sync();
    let (sender, receiver) = mpsc::sync_channel::<Job>(WAITING);
    let receiver = Mutex::new(receiver);
    std::thread::scope(|scope| {
        for _ in 0..options.threads.max(1) {
            scope.spawn(|| {
                let mut worker = Worker {
                    repository: shared.to_thread_local(),
                    options,
                    progress,
                    collector: &collector,
                };
                loop {
                    let job = lock(&receiver).recv();
                    let Ok(job) = job else { return };
                    worker.look(&job);
                }
            });
        }
        let mut source = Source {
            repository: &repository,
            collector: &collector,
            exclusions: &exclusions,
            root: &root,
            sender,
            seen: HashSet::new(),
        };
        match selection {
            Selection::Staged => source.staged(),
            other => source.commits(other),
        }
    })?;
    Ok(collector.report())
}

/// A content to look at.
struct Job {
    path: BString,
    content: Content,
    before: Before,
    commit: Option<Arc<Commit>>,
}

enum Content {
    Blob(ObjectId),
    Message(Vec<u8>),
}

/// Where the content stood before.
enum Before {
    /// Under the same path in these commits.
    Commits(Vec<ObjectId>),
    /// This one.
    Blob(Option<ObjectId>),
}

/// Finds what is new.
struct Source<'a> {
    repository: &'a Repository,
    collector: &'a Collector<'a>,
    exclusions: &'a Exclusions,
    root: &'a Path,
    sender: mpsc::SyncSender<Job>,
    /// Trees and contents that stood in a commit before.
    seen: HashSet<ObjectId>,
}

impl Source<'_> {
    /// What is in the index and not in `HEAD`.
    fn staged(&mut self) -> Result<(), GitError> {
        let mut committed = HashMap::new();
        if let Ok(tree) = self.repository.head_tree_id() {
            let index = self.repository.index_from_tree(&tree).map_err(unreadable)?;
            committed = index
                .entries()
                .iter()
                .map(|entry| (entry.path(&index).to_owned(), entry.id))
                .collect();
        }
        // While it commits a part, git has the index in another file.
        let index = match std::env::var_os("GIT_INDEX_FILE") {
            Some(path) => gix::index::File::at(
                path,
                self.repository.object_hash(),
                false,
                gix::index::decode::Options::default(),
            )
            .map_err(unreadable)?,
            None => match self.repository.try_index().map_err(unreadable)? {
                Some(index) => (**index).clone(),
                None => return Ok(()),
            },
        };
        for entry in index.entries() {
            let path = entry.path(&index);
            let before = committed.get(path).copied();
            let is_file = matches!(
                entry.mode,
                gix::index::entry::Mode::FILE | gix::index::entry::Mode::FILE_EXECUTABLE
            );
            if is_file && before != Some(entry.id) && self.wanted(path) {
                let content = Content::Blob(entry.id);
                self.send(Job {
                    path: path.to_owned(),
                    content,
                    before: Before::Blob(before),
                    commit: None,
                });
            }
        }
        Ok(())
    }

    /// What each commit of a selection brings.
    fn commits(&mut self, selection: &Selection) -> Result<(), GitError> {
        let (tips, hidden) = self.ends(selection)?;
        if self.repository.is_shallow().unwrap_or(false) {
            self.collector.leave_out("older commits", Reason::Shallow);
        }
        for commit in &hidden {
            self.pass_over(*commit);
        }
        for (id, parents) in self.ordered(tips, hidden)? {
            if let Err(error) = self.commit(id, parents) {
                self.collector
                    .leave_out(&format!("commit {id}"), Reason::Unreadable(error.to_string()));
            }
        }
        Ok(())
    }

    /// The commits with which a selection ends, and those that are not in it with all before them.
    fn ends(&self, selection: &Selection) -> Result<(Vec<ObjectId>, Vec<ObjectId>), GitError> {
        let range = match selection {
            Selection::All => return Ok((self.references()?, Vec::new())),
            Selection::Range(range) => range.as_str(),
            // Without a commit there is no history, and nothing to find.
            _ if self.repository.head_id().is_err() => return Ok((Vec::new(), Vec::new())),
            _ => "HEAD",
        };
        let wrong = |message: String| GitError::Range { range: range.to_owned(), message };
        let spec = self.repository.rev_parse(range).map_err(|error| wrong(error.to_string()))?;
        let commit = |id: ObjectId| {
            let object =
                self.repository.find_object(id).map_err(|error| wrong(error.to_string()))?;
            let commit = object.peel_to_kind(gix::object::Kind::Commit);
            commit.map(|commit| commit.id).map_err(|error| wrong(error.to_string()))
        };
        use gix::revision::plumbing::Spec;
        match spec.detach() {
            Spec::Include(id) => Ok((vec![commit(id)?], Vec::new())),
            Spec::Range { from, to } => Ok((vec![commit(to)?], vec![commit(from)?])),
            Spec::Merge { theirs, ours } => {
                let (theirs, ours) = (commit(theirs)?, commit(ours)?);
                let base = self.repository.merge_base(theirs, ours).map_err(unreadable)?;
                let base = base.map(gix::Id::detach).into_iter().collect();
                Ok((vec![theirs, ours], base))
            }
            Spec::ExcludeParents(id) => {
                let id = commit(id)?;
                let parents = self.repository.find_commit(id).map_err(unreadable)?;
                Ok((vec![id], parents.parent_ids().map(gix::Id::detach).collect()))
            }
            _ => Err(wrong("only a commit, `A..B`, `A...B` and `A^!` are understood".to_owned())),
        }
    }

    /// Every commit that has a name.
    fn references(&self) -> Result<Vec<ObjectId>, GitError> {
        let references = self.repository.references().map_err(unreadable)?;
        let mut tips: Vec<ObjectId> =
            self.repository.head_id().ok().map(gix::Id::detach).into_iter().collect();
        for reference in references.all().map_err(unreadable)? {
            let peeled = reference.map_err(|error| error.to_string()).and_then(|mut reference| {
                reference.peel_to_id().map(gix::Id::detach).map_err(|error| error.to_string())
            });
            match peeled {
                Ok(id) => {
                    let is_commit = self
                        .repository
                        .find_header(id)
                        .is_ok_and(|header| header.kind() == gix::object::Kind::Commit);
                    if is_commit && !tips.contains(&id) {
                        tips.push(id);
                    }
                }
                Err(error) => self.collector.leave_out("a reference", Reason::Unreadable(error)),
            }
        }
        Ok(tips)
    }

    /// The commits with their parents, and no commit before its parents.
    fn ordered(
        &self,
        tips: Vec<ObjectId>,
        hidden: Vec<ObjectId>,
    ) -> Result<Vec<(ObjectId, Vec<ObjectId>)>, GitError> {
        if tips.is_empty() {
            return Ok(Vec::new());
        }
        let walk = self.repository.rev_walk(tips).with_hidden(hidden).all().map_err(unreadable)?;
        let mut commits = Vec::new();
        for commit in walk {
            match commit {
                Ok(commit) => commits.push((commit.id, commit.parent_ids.to_vec())),
                Err(error) => {
                    self.collector.leave_out("a commit", Reason::Unreadable(error.to_string()));
                }
            }
        }
        let places: HashMap<ObjectId, usize> =
            commits.iter().enumerate().map(|(at, (id, _))| (*id, at)).collect();
        let mut waiting = vec![0_usize; commits.len()];
        let mut children = vec![Vec::new(); commits.len()];
        for (at, (_, parents)) in commits.iter().enumerate() {
            for parent in parents.iter().filter_map(|parent| places.get(parent)) {
                if let (Some(count), Some(list)) = (waiting.get_mut(at), children.get_mut(*parent))
                {
                    *count += 1;
                    list.push(at);
                }
            }
        }
        let mut ready: VecDeque<usize> = waiting
            .iter()
            .enumerate()
            .filter(|(_, count)| **count == 0)
            .map(|(at, _)| at)
            .collect();
        let mut ordered = Vec::with_capacity(commits.len());
        while let Some(at) = ready.pop_front() {
            for child in children.get(at).into_iter().flatten() {
                let Some(count) = waiting.get_mut(*child) else { continue };
                *count -= 1;
                if *count == 0 {
                    ready.push_back(*child);
                }
            }
            if let Some(commit) = commits.get_mut(at) {
                ordered.push(std::mem::replace(commit, (commit.0, Vec::new())));
            }
        }
        Ok(ordered)
    }

    /// Notes everything in a commit as known.
    fn pass_over(&mut self, commit: ObjectId) {
        let tree = self
            .repository
            .find_commit(commit)
            .and_then(|commit| commit.tree_id().map(gix::Id::detach));
        let mut trees: Vec<ObjectId> = tree.into_iter().collect();
        while let Some(tree) = trees.pop() {
            if !self.seen.insert(tree) {
                continue;
            }
            let Ok(tree) = self.repository.find_tree(tree) else { continue };
            for entry in tree.iter().filter_map(Result::ok) {
                if entry.mode().is_tree() {
                    trees.push(entry.object_id());
                } else {
                    self.seen.insert(entry.object_id());
                }
            }
        }
    }

    /// Sends what a commit brings.
    fn commit(&mut self, id: ObjectId, parents: Vec<ObjectId>) -> Result<(), GitError> {
        let commit = self.repository.find_commit(id).map_err(unreadable)?;
        let about = Arc::new(about(&commit));
        let message = commit.message_raw_sloppy().to_vec();
        let tree = commit.tree_id().map_err(unreadable)?.detach();
        drop(commit);
        self.send(Job {
            path: MESSAGE.into(),
            content: Content::Message(message),
            before: Before::Blob(None),
            commit: Some(Arc::clone(&about)),
        });
        let mut trees = vec![(BString::default(), tree)];
        while let Some((above, id)) = trees.pop() {
            if !self.seen.insert(id) {
                continue;
            }
            let tree = self.repository.find_tree(id).map_err(unreadable)?;
            for entry in tree.iter() {
                let entry = entry.map_err(unreadable)?;
                let path = below(&above, entry.filename());
                let id = entry.object_id();
                if entry.mode().is_tree() {
                    trees.push((path, id));
                } else if entry.mode().is_blob()
                    && self.wanted(path.as_bstr())
                    && self.seen.insert(id)
                {
                    self.send(Job {
                        path,
                        content: Content::Blob(id),
                        before: Before::Commits(parents.clone()),
                        commit: Some(Arc::clone(&about)),
                    });
                }
            }
        }
        Ok(())
    }

    fn wanted(&self, path: &BStr) -> bool {
        // A name that is none on this system cannot have been excluded on it.
        !gix::path::from_bstr(path)
            .is_ok_and(|path| self.exclusions.leave_out(&self.root.join(path), false))
    }

    fn send(&self, job: Job) {
        // Without receivers there is nobody left to look; their panic is reported where they are joined.
        let _ = self.sender.send(job);
    }
}

fn below(above: &BString, name: &BStr) -> BString {
    if above.is_empty() {
        return name.to_owned();
    }
    let mut path = above.clone();
    path.push(b'/');
    path.extend_from_slice(name);
    path
}

fn about(commit: &gix::Commit<'_>) -> Commit {
    let author = commit.author().ok();
    let time = author.and_then(|author| author.time().ok());
    let date = time.and_then(|time| {
        let zone = Offset::from_seconds(time.offset).ok()?.to_time_zone();
        let moment = Timestamp::from_second(time.seconds).ok()?.to_zoned(zone);
        Some(moment.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string())
    });
    Commit {
        id: commit.id.to_string(),
        author: author.map(|author| author.name.to_str_lossy().into_owned()).unwrap_or_default(),
        email: author.map(|author| author.email.to_str_lossy().into_owned()).unwrap_or_default(),
        date: date.unwrap_or_default(),
    }
}

/// Looks at contents, one after another.
struct Worker<'a> {
    repository: Repository,
    options: &'a Options,
    progress: &'a Progress,
    collector: &'a Collector<'a>,
}

impl Worker<'_> {
    fn look(&mut self, job: &Job) {
        let path = job.path.to_str_lossy();
        let commit = job.commit.as_ref().map(|commit| commit.id.as_str());
        let report = match &job.content {
            Content::Message(bytes) => Ok(self.contents(&path, bytes, commit, self.progress)),
            Content::Blob(id) => self.blob(&path, *id, commit, self.progress),
        };
        let report = match report {
            Ok(report) => report,
            Err(reason) => return self.collector.leave_out(&path, reason),
        };
        self.collector.take_over(&report);
        if report.findings.is_empty() {
            return;
        }
        let known = self.known(job, &path);
        for found in report.findings {
            if !known.contains(&found.finding.fingerprint) {
                self.collector.found(Found { commit: job.commit.clone(), ..found });
            }
        }
    }

    /// The fingerprints of the secrets that the file held before.
    fn known(&self, job: &Job, path: &str) -> HashSet<String> {
        let blobs: Vec<ObjectId> = match &job.before {
            Before::Blob(blob) => blob.iter().copied().collect(),
            Before::Commits(commits) => {
                commits.iter().filter_map(|commit| self.blob_in(*commit, &job.path)).collect()
            }
        };
        let unseen = Progress::default();
        let reports =
            blobs.into_iter().filter_map(|blob| self.blob(path, blob, None, &unseen).ok());
        reports.flat_map(|report| report.findings).map(|found| found.finding.fingerprint).collect()
    }

    fn blob_in(&self, commit: ObjectId, path: &BString) -> Option<ObjectId> {
        let tree = self.repository.find_commit(commit).ok()?.tree().ok()?;
        let entry = tree.lookup_entry(path.split(|byte| *byte == b'/')).ok()??;
        entry.mode().is_blob().then(|| entry.object_id())
    }

    fn blob(
        &self,
        path: &str,
        id: ObjectId,
        commit: Option<&str>,
        progress: &Progress,
    ) -> Result<Report, Reason> {
        let unreadable = |error: &dyn Display| Reason::Unreadable(error.to_string());
        let header = self.repository.find_header(id).map_err(|error| unreadable(&error))?;
        if header.size() > LARGEST {
            return Err(Reason::Large);
        }
        let blob = self.repository.find_object(id).map_err(|error| unreadable(&error))?;
        Ok(self.contents(path, &blob.data, commit, progress))
    }

    fn contents(
        &self,
        path: &str,
        bytes: &[u8],
        commit: Option<&str>,
        progress: &Progress,
    ) -> Report {
        let own = Progress::default();
        let collector = Collector { commit, ..Collector::new(self.options, &own) };
        Reader::new(&collector).look(path, Input::File(&mut Cursor::new(bytes)));
        let report = collector.report();
        progress.add(&report);
        report
    }
}

#[cfg(test)]
mod tests;
