//! Putting the gate in front of coding agents, and taking it away again. Owns what that changes on a machine; how agents are
//! answered is [`crate::hook`]'s affair, and what each one needs stands in its row of the table.
//!
//! ```text
//! agent's row ──machine──► files ──entries, plugin──► change (before, after) ──file──► disk
//!                                                         └── manifest: what was there before
//! ```
//!
//! - A file is changed in one step, or not at all; every byte that is not ours stays.
//! - Installing twice changes nothing; what is taken away leaves what was there before, byte for byte where nobody else
//!   changed the file since.
//! - An entry of ours is never replaced by a looser one.

pub mod command;
pub mod doctor;
pub mod entries;
pub mod file;
pub mod front;
pub mod json;
pub mod lines;
pub mod machine;
pub mod manifest;
pub mod noted;
pub mod plugin;
pub mod status;

use similar::TextDiff;

use self::{
    command::Program,
    entries::{Before, EntriesError},
    file::{FileError, Found},
    machine::Machine,
    manifest::{Kept, Manifest, ManifestError, digest},
};
use crate::agents::{
    agent::Agent,
    table::{Content, Scope, Target},
};

/// Why an agent is not installed, or not taken away.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// Nothing is known of how it is told.
    #[error("{agent} cannot be installed: {reason}")]
    Unsupported {
        /// Which agent.
        agent: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// It has nothing for this scope.
    #[error("{agent} has no settings of {scope}")]
    NoScope {
        /// Which agent.
        agent: &'static str,
        /// Of what.
        scope: &'static str,
    },
    /// A file is nothing to touch.
    #[error(transparent)]
    File(#[from] FileError),
    /// What stands in a file is in the way.
    #[error("`{path}`: {source}")]
    Entries {
        /// Which file.
        path: String,
        /// What.
        source: EntriesError,
    },
    /// A file of somebody else stands where ours should.
    #[error("`{path}` is there already, and it is not ours")]
    Taken {
        /// Which.
        path: String,
    },
    /// What was there before cannot be kept.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
}

impl InstallError {
    /// What to do about it.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        match self {
            Self::Unsupported { .. } => {
                "nothing was changed: this agent runs unguarded; run it in `portcullis sandbox run`, or name another agent"
            }
            Self::NoScope { .. } => "leave `--project` away, or name another agent",
            Self::File(error) => error.help(),
            Self::Entries { source, .. } => source.help(),
            Self::Taken { .. } => "nothing was changed; move it away, and try again",
            Self::Manifest(_) => "nothing was changed; see who uses the state directory",
        }
    }
}

/// A change of one file, not made yet.
#[derive(Clone, Debug)]
pub struct Change {
    /// For which agent.
    pub agent: &'static Agent,
    /// The file as it is.
    pub found: Found,
    /// What it is to hold; `None` for no file.
    pub after: Option<String>,
    /// What is to be restored some time: what it holds now, without what is ours.
    clean: Option<String>,
    executable: bool,
    adds: bool,
}

impl Change {
    /// Whether there is anything to do.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.found.text != self.after
    }

    /// The change for a person.
    #[must_use]
    pub fn diff(&self) -> String {
        let before = self.found.text.as_deref().unwrap_or_default();
        let after = self.after.as_deref().unwrap_or_default();
        let path = self.found.located.path.display().to_string();
        let none = || "/dev/null".to_owned();
        let old = if self.found.text.is_some() { path.clone() } else { none() };
        let new = if self.after.is_some() { path } else { none() };
        TextDiff::from_lines(before, after).unified_diff().header(&old, &new).to_string()
    }

    /// Makes it.
    ///
    /// # Errors
    /// Nothing was changed then.
    pub fn apply(&self, manifest: &mut Manifest) -> Result<(), InstallError> {
        if self.adds { self.add(manifest) } else { self.take_away(manifest) }
    }

    fn add(&self, manifest: &mut Manifest) -> Result<(), InstallError> {
        let path = self.found.located.path.to_string_lossy().into_owned();
        let known = manifest.kept(&self.found.located.path).cloned();
        let now = self.found.text.as_deref().map(digest);
        let untouched = known.as_ref().is_some_and(|kept| now.as_ref() == Some(&kept.after));
        let mut kept = known.unwrap_or_default();
        if !untouched {
            kept.path = path;
            kept.before = self.clean.as_deref().map(|text| manifest.keep(text)).transpose()?;
        }
        let name = self.agent.name.to_owned();
        if !kept.agents.contains(&name) {
            kept.agents.push(name);
        }
        let Some(after) = &self.after else { return Ok(()) };
        kept.after = digest(after);
        // First the note, so that whatever is changed can be taken back.
        manifest.note(kept.clone())?;
        if self.is_any() {
            let made = file::replace(&self.found, after, self.executable)?;
            // Of several files in a directory that we made, the last one that goes takes it away.
            for directory in
                manifest.directories_above(&self.found.located.path).into_iter().chain(made)
            {
                if !kept.directories.contains(&directory) {
                    kept.directories.push(directory);
                }
            }
            manifest.note(kept)?;
        }
        Ok(())
    }

    fn take_away(&self, manifest: &mut Manifest) -> Result<(), InstallError> {
        let kept = manifest.kept(&self.found.located.path).cloned();
        if self.is_any() {
            match &self.after {
                Some(after) => drop(file::replace(&self.found, after, self.executable)?),
                None => {
                    let made = kept.as_ref().map(|kept| kept.directories.as_slice());
                    file::take_away(&self.found, made.unwrap_or_default())?;
                }
            }
        }
        if let Some(mut kept) = kept {
            kept.agents.retain(|agent| agent != self.agent.name);
            if let Some(after) = &self.after {
                kept.after = digest(after);
            }
            manifest.note(kept)?;
        }
        Ok(())
    }
}

/// What has to change so that an agent calls us; files that are right are among it, without a change.
///
/// # Errors
/// [`InstallError`]; nothing is changed by this.
pub fn installation(
    agent: &'static Agent,
    scope: Scope,
    machine: &Machine,
    program: &Program,
    manifest: &Manifest,
) -> Result<Vec<Change>, InstallError> {
    if cfg!(windows) {
        let reason = "how a command is quoted is not known on this system";
        return Err(InstallError::Unsupported { agent: agent.title, reason });
    }
    if let Some(reason) = agent.install.missing {
        return Err(InstallError::Unsupported { agent: agent.title, reason });
    }
    let targets = targets(agent, scope, machine)?;
    let mut changes = Vec::new();
    for (target, located) in targets {
        if matches!(target.content, Content::Noted(_)) {
            continue;
        }
        let found = file::look(&located)?;
        let path = || located.path.display().to_string();
        let failed = |source| InstallError::Entries { path: path(), source };
        if target.former {
            let ours = |text: &String| plugin::is_ours(&target.content, text);
            if found.text.as_ref().is_some_and(ours) {
                let gone = Change {
                    agent,
                    found,
                    after: None,
                    clean: None,
                    executable: false,
                    adds: false,
                };
                changes.push(gone);
            }
            continue;
        }
        let (clean, after) = match (&target.content, &found.text) {
            (Content::Lines(template), text) => {
                let before = text.clone().unwrap_or_default();
                let command = plugin::lines_command(agent, program);
                let after = lines::merged(&before, template, &command)
                    .map_err(|key| failed(EntriesError::Occupied(key)))?;
                (text.as_deref().map(lines::without), after)
            }
            (Content::Entries(entries), text) => {
                let text = text.clone().unwrap_or_default();
                let after = entries::merged(&text, agent, entries, program).map_err(failed)?;
                let clean = match &found.text {
                    None => None,
                    Some(text) => entries::without(
                        text,
                        entries,
                        program,
                        before(manifest, &found).as_before(),
                    )
                    .map_err(|error| failed(error.into()))?,
                };
                (clean, after)
            }
            (content, Some(text)) if !plugin::is_ours(content, text) => {
                return Err(InstallError::Taken { path: path() });
            }
            (content, _) => (None, plugin::text(content, agent, program).unwrap_or_default()),
        };
        let executable = matches!(target.content, Content::Script(_));
        changes.push(Change { agent, found, after: Some(after), clean, executable, adds: true });
    }
    Ok(changes)
}

/// What has to change so that an agent calls us no more.
///
/// # Errors
/// [`InstallError`]; nothing is changed by this.
pub fn removal(
    agent: &'static Agent,
    scope: Scope,
    machine: &Machine,
    program: &Program,
    manifest: &Manifest,
) -> Result<Vec<Change>, InstallError> {
    let mut changes = Vec::new();
    // A file that does not matter any more can hold something of ours too.
    let targets = machine.all_targets(agent, scope);
    if targets.is_empty() {
        return Err(no_scope(agent, scope));
    }
    for (target, located) in targets {
        let found = file::look(&located)?;
        let Some(text) = &found.text else {
            if manifest.kept(&located.path).is_some() {
                changes.push(Change {
                    agent,
                    found,
                    after: None,
                    clean: None,
                    executable: false,
                    adds: false,
                });
            }
            continue;
        };
        let kept = manifest.kept(&located.path);
        let alone = |kept: &Kept| kept.agents.iter().all(|name| name == agent.name);
        let untouched = kept.filter(|kept| kept.after == digest(text) && alone(kept));
        let restored = match untouched {
            Some(kept) if kept.before.is_none() => Some(None),
            Some(kept) => manifest.before(kept).map(Some),
            None => None,
        };
        let after = match (restored, &target.content) {
            (Some(before), _) => before,
            (None, Content::Entries(entries)) => {
                let known = before(manifest, &found);
                entries::without(text, entries, program, known.as_before()).map_err(|error| {
                    InstallError::Entries {
                        path: located.path.display().to_string(),
                        source: error.into(),
                    }
                })?
            }
            (None, Content::Lines(_)) => Some(lines::without(text)),
            (None, Content::Noted(key)) => noted::without(text, key, program),
            (None, content) if plugin::is_ours(content, text) => None,
            (None, _) => Some(text.clone()),
        };
        changes.push(Change { agent, found, after, clean: None, executable: false, adds: false });
    }
    Ok(changes)
}

fn targets(
    agent: &'static Agent,
    scope: Scope,
    machine: &Machine,
) -> Result<Vec<(&'static Target, machine::Located)>, InstallError> {
    let targets = machine.targets(agent, scope);
    if targets.is_empty() { Err(no_scope(agent, scope)) } else { Ok(targets) }
}

const fn no_scope(agent: &Agent, scope: Scope) -> InstallError {
    let scope = match scope {
        Scope::User => "a user",
        Scope::Project => "a project",
    };
    InstallError::NoScope { agent: agent.title, scope }
}

/// What was in a file before us, read.
enum Known {
    Unknown,
    Nothing,
    Tree(Option<json::Node>),
}

impl Known {
    fn as_before(&self) -> Before<'_> {
        match self {
            Self::Unknown => Before::Unknown,
            Self::Nothing => Before::Nothing,
            Self::Tree(tree) => Before::Tree(tree.as_ref()),
        }
    }
}

fn before(manifest: &Manifest, found: &Found) -> Known {
    let Some(kept) = manifest.kept(&found.located.path) else { return Known::Unknown };
    if kept.before.is_none() {
        return Known::Nothing;
    }
    match manifest.before(kept).map(|text| json::read(&text)) {
        Some(Ok(tree)) => Known::Tree(tree),
        _ => Known::Unknown,
    }
}

#[cfg(test)]
mod tests;
