//! Which files an action would lose. Owns the reading of a judgement for that: it looks at what was understood and asks nothing of the disk,
//! so that an action that loses nothing costs nothing.

use std::path::{Path, PathBuf};

use portcullis_core::{
    assessment::Coverage,
    effect::{EffectKind, Target, WriteMode},
    risk::Severity,
};

use crate::{platform, session::Judged};

/// Which files an action would lose.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Scope {
    /// The workspace.
    pub workspace: PathBuf,
    /// These and everything below them, from the workspace; all of it where there are none.
    pub paths: Vec<PathBuf>,
    /// Whether what version control keeps of all versions could be lost too.
    pub history: bool,
    /// What of it nobody can undo here.
    pub beyond: Vec<String>,
    /// Whether it changes something that is no file of the workspace, or could by a name that leads out of it.
    pub leaves: bool,
    /// Whether it writes into files or changes their rights, which counts for whatever else a name leads to.
    pub writes: bool,
}

/// Commands of version control that lose what it keeps of versions.
const FORGETTING: &[&str] =
    &["gc", "prune", "reflog", "filter-branch", "filter-repo", "repack", "worktree"];

/// Commands of version control that lose what stands in files, or where branches are.
const LOSING: &[&str] = &[
    "reset",
    "clean",
    "checkout",
    "restore",
    "switch",
    "branch",
    "tag",
    "stash",
    "rebase",
    "merge",
    "pull",
    "commit",
    "cherry-pick",
    "revert",
    "am",
    "update-ref",
    "reflog",
    "gc",
    "prune",
    "filter-branch",
    "filter-repo",
    "worktree",
    "rm",
    "mv",
    "symbolic-ref",
    "update-index",
    "read-tree",
    "replace",
    "notes",
    "bisect",
];

/// What an action would lose of the files in its workspace; none where it would lose nothing.
#[must_use]
pub fn of(judged: &Judged) -> Option<Scope> {
    // Most actions lose nothing, and cost nothing here.
    let may_lose = judged.judgement.effects.list.iter().any(|effect| match &effect.kind {
        EffectKind::Delete { .. }
        | EffectKind::Write { .. }
        | EffectKind::Permission { .. }
        | EffectKind::Discard { .. } => true,
        EffectKind::Run(run) => run.program == "git",
        _ => false,
    });
    if !may_lose {
        return None;
    }
    let workspace = judged.facts.workspace.as_deref().or(judged.facts.cwd.as_deref())?;
    let workspace = platform::real(Path::new(workspace));
    // A home or the system's root is no workspace to keep a copy of.
    let is_home = judged
        .facts
        .home
        .as_deref()
        .is_some_and(|home| platform::real(Path::new(home)).starts_with(&workspace));
    if workspace.components().count() <= 1 || is_home {
        return None;
    }
    let mut scope = Scope::new(workspace, Vec::new());
    let mut history = false;
    let mut loses = false;
    let mut whole = false;
    for effect in judged.judgement.effects.list.iter().filter(|effect| !effect.contained) {
        if let EffectKind::Write { target, .. } | EffectKind::Permission { target, .. } =
            &effect.kind
        {
            scope.writes = true;
            scope.leaves |= scope.leads_out(target);
        }
        let mut target = |target: &Target| {
            loses = true;
            match scope.place(target) {
                Where::Below(path) => scope.paths.push(path),
                Where::Unknown => whole = true,
                Where::Outside => scope.leaves = true,
            }
        };
        match &effect.kind {
            EffectKind::Delete { target: one, .. } => {
                target(one);
                // Whatever is deleted, versions may be among it.
                let path = one.path.as_deref().unwrap_or("*");
                history |= path.contains(".git") || path.contains('*');
            }
            EffectKind::Write {
                target: one, mode: WriteMode::Replace | WriteMode::Edit, ..
            } => target(one),
            // What is only made or added to loses nothing; it comes away with what is lost beside it.
            EffectKind::Write { target: one, .. } => match scope.place(one) {
                Where::Below(path) => scope.paths.push(path),
                Where::Unknown | Where::Outside => scope.leaves = true,
            },
            EffectKind::Permission { target: one, .. } => target(one),
            EffectKind::Discard { .. } => (loses, whole) = (true, true),
            EffectKind::Run(run) if run.program == "git" => {
                let is_losing = run
                    .arguments
                    .iter()
                    .any(|word| word.text.as_known().is_some_and(|word| LOSING.contains(&word)));
                if is_losing {
                    (loses, whole) = (true, true);
                }
                history |= run.arguments.iter().any(|word| {
                    word.text.as_known().is_some_and(|word| FORGETTING.contains(&word))
                });
            }
            EffectKind::Query { .. } => {
                scope.beyond.push("what it changes in a database".to_owned())
            }
            EffectKind::Connect(connection) if connection.sends.is_some() => {
                scope.beyond.push("what it sends to other machines".to_owned());
            }
            EffectKind::Kill { .. } => scope.beyond.push("the processes that it ends".to_owned()),
            EffectKind::Act(_) => scope.beyond.push("what a tool does elsewhere".to_owned()),
            EffectKind::Connect(_) => scope.leaves = true,
            _ => {}
        }
    }
    let assessment = &judged.judgement.assessment;
    let is_irreversible = assessment
        .findings
        .iter()
        .any(|finding| !finding.reversible && finding.severity >= Severity::Medium);
    if is_irreversible && loses && matches!(assessment.coverage, Coverage::Partial(_)) {
        whole = true;
    }
    if !loses {
        return None;
    }
    scope.history = history;
    if whole {
        scope.paths.clear();
    } else if scope.paths.is_empty() {
        // All of it lies outside.
        return None;
    }
    outermost(&mut scope.paths);
    scope.beyond.sort_unstable();
    scope.beyond.dedup();
    Some(scope)
}

/// Leaves of paths those that lie below no other of them, sorted.
pub(super) fn outermost(paths: &mut Vec<PathBuf>) {
    // By their parts what lies below a path follows it at once.
    paths.sort_unstable();
    paths.dedup_by(|path, before| path.starts_with(&*before));
}

enum Where {
    Below(PathBuf),
    Unknown,
    Outside,
}

impl Scope {
    /// Whether a path is one of it, or lies below one.
    pub(super) fn holds(&self, path: &Path) -> bool {
        self.paths.is_empty() || self.paths.iter().any(|one| path.starts_with(one))
    }

    /// These paths of a workspace; all of it where there are none.
    #[must_use]
    pub const fn new(workspace: PathBuf, paths: Vec<PathBuf>) -> Self {
        let beyond = Vec::new();
        Self { workspace, paths, history: false, beyond, leaves: false, writes: false }
    }

    /// Whether what is written at a target lands outside of the workspace: a link at its end is followed.
    fn leads_out(&self, target: &Target) -> bool {
        target.path.as_deref().is_none_or(|path| {
            let is_pattern = path.contains(['*', '?', '[', '{']);
            is_pattern || !platform::real(Path::new(path)).starts_with(&self.workspace)
        })
    }

    /// Where a target lies. A pattern stands for what lies in the last directory before it.
    fn place(&self, target: &Target) -> Where {
        let Some(path) = target.path.as_deref() else { return Where::Unknown };
        let plain: PathBuf = Path::new(path)
            .components()
            .take_while(|part| !part.as_os_str().to_string_lossy().contains(['*', '?', '[', '{']))
            .collect();
        let is_pattern = plain != Path::new(path);
        // The last name is not followed: what is deleted is a link itself.
        let real = match (plain.parent(), plain.file_name()) {
            (Some(folder), Some(name)) if !is_pattern => platform::real(folder).join(name),
            _ => platform::real(&plain),
        };
        match real.strip_prefix(&self.workspace) {
            Ok(rest) if rest.as_os_str().is_empty() => Where::Unknown,
            Ok(rest) => Where::Below(rest.to_owned()),
            Err(_) if self.workspace.starts_with(&real) => Where::Unknown,
            Err(_) => Where::Outside,
        }
    }
}
