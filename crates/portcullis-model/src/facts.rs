//! What the world is like. Owns what may be known and what may be asked for; it never looks by itself.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{contract::Contract, session::SessionState};

pub use crate::content::{self, FileFact, FileText, NotRead};

/// What the core would like to know before it judges. Fulfilled at the edge.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct FactPlan {
    /// Absolute paths to look at.
    pub paths: BTreeSet<String>,
    /// Absolute paths of which it matters whether what stands there was ever committed.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub uncommitted: BTreeSet<String>,
    /// Directories of which the same matters for the whole work tree around them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub work_trees: BTreeSet<String>,
    /// Absolute paths of files whose content is wanted, and of directories whose names are: the call would start what stands there, or
    /// give it to something that acts on it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub contents: BTreeSet<String>,
    /// Whether to look up which hosts the repository knows: something is sent out.
    #[serde(default)]
    pub hosts: bool,
    /// Whether to look up what version control is told to obey: something is written.
    #[serde(default, skip_serializing_if = "is_not")]
    pub obeyed: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
const fn is_not(wanted: &bool) -> bool {
    !*wanted
}

/// What was observed. Everything is optional: a fact that is missing makes a judgement stricter, never looser.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Facts {
    /// The directory that the call would run in, absolute and normalised.
    pub cwd: Option<String>,
    /// The home directory of the user it would run as.
    pub home: Option<String>,
    /// The workspace: the root of the git work tree around `cwd`, or `cwd` itself.
    pub workspace: Option<String>,
    /// The directory for temporary files, where it is not `/tmp`.
    pub temporary: Option<String>,
    /// Absolute paths that belong to the gate: its binary, configuration and records.
    pub guarded: Vec<String>,
    /// Absolute paths of agents' files that hold a hook of the gate: without it, calls never arrive here.
    #[serde(default)]
    pub hooked: Vec<String>,
    /// Hosts, in lower case, that the remotes of the repository and the configuration name: the project may be sent there.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// What is known of each path asked for.
    pub paths: BTreeMap<String, PathFact>,
    /// Of each path asked for, whether anything there differs from what was last committed; missing where that was not seen.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub uncommitted: BTreeMap<String, bool>,
    /// Of each directory asked for, the same for the whole work tree around it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub work_trees: BTreeMap<String, bool>,
    /// What stands at each path whose content was asked for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub contents: BTreeMap<String, FileFact>,
    /// What version control is told to obey beside its own directory; nothing where that was not looked up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obeyed: Option<Obeyed>,
    /// What the earlier calls of the session left behind.
    #[serde(default)]
    pub session: SessionState,
    /// What whoever set the gate up says of the tool that is called.
    #[serde(default, skip_serializing_if = "ToolFacts::is_empty")]
    pub tool: ToolFacts,
}

/// What the settings of version control name: files and directories, absolute.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Obeyed {
    /// What it runs: directories of hooks, and programs that stand in files.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub run: BTreeSet<String>,
    /// Files of settings that others take in.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub settings: BTreeSet<String>,
}

impl Obeyed {
    /// Whether nothing is named.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Self { run, settings } = self;
        run.is_empty() && settings.is_empty()
    }
}

/// What was looked up for a plan beside what was known, files aside.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Observed {
    /// See [`Facts::paths`].
    pub paths: BTreeMap<String, PathFact>,
    /// See [`Facts::uncommitted`].
    pub uncommitted: BTreeMap<String, bool>,
    /// See [`Facts::work_trees`].
    pub work_trees: BTreeMap<String, bool>,
    /// See [`Facts::hosts`].
    pub hosts: Vec<String>,
    /// See [`Facts::obeyed`].
    pub obeyed: Option<Obeyed>,
}

impl Observed {
    /// Whether nothing was seen: what was understood without it holds.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Self { paths, uncommitted, work_trees, hosts, obeyed } = self;
        paths.is_empty()
            && uncommitted.is_empty()
            && work_trees.is_empty()
            && hosts.is_empty()
            && obeyed.is_none()
    }

    /// Whether the same is understood of an action with it: what was committed and which hosts are known is weighed afterwards, a plain file is
    /// understood as one of which nothing is known, and so is a directory, but where somebody asked for one (see `Effects::asked`).
    #[must_use]
    pub fn is_plain(&self, asked: &BTreeSet<String>) -> bool {
        let is_asked = |path: &String| asked.contains(path);
        // What starts by itself is another file with it.
        self.obeyed.as_ref().is_none_or(Obeyed::is_empty)
            && self
                .paths
                .iter()
                .all(|(path, fact)| fact.is_plain() || fact.leads_to.is_none() && !is_asked(path))
    }
}

impl Facts {
    /// The same, and what was looked up since.
    pub fn learn(&mut self, observed: Observed) {
        let Observed { paths, uncommitted, work_trees, hosts, obeyed } = observed;
        self.obeyed = obeyed.or_else(|| self.obeyed.take());
        self.paths.extend(paths);
        self.uncommitted.extend(uncommitted);
        self.work_trees.extend(work_trees);
        self.hosts.extend(hosts);
    }
}

/// What whoever set the gate up says of a tool.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct ToolFacts {
    /// The organisation's contract for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<Contract>,
    /// Whether the claims of its server are believed.
    #[serde(default)]
    pub is_trusted: bool,
}

impl ToolFacts {
    /// Whether nothing is said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.contract.is_none() && !self.is_trusted
    }
}

/// What is known of one path.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct PathFact {
    /// Whether something is there.
    pub exists: bool,
    /// What it is.
    pub kind: PathKind,
    /// Where a symbolic link leads, absolute and resolved.
    pub leads_to: Option<String>,
    /// Whether version control has it; `None` where there is none.
    pub tracked: Option<bool>,
}

impl PathFact {
    /// Whether nothing is there, or a file to which no link leads.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.leads_to.is_none() && (!self.exists || self.kind == PathKind::File)
    }
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PathKind {
    /// Not looked at, or nothing there.
    #[default]
    Unknown,
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A device, socket or pipe.
    Special,
}
