//! Putting the proxy in front of the servers in the settings of agents, and taking it away. Owns what an entry becomes and how it is found again;
//! where entries stand, [`place`] says, and how a text is changed, `edit`.
//!
//! Of an entry, what starts the server changes and nothing else; what started it stands behind `--`. A file that nobody changed since is
//! restored byte for byte, in others each entry gets back what stands in it.

mod edit;
pub mod place;

use std::path::{Path, PathBuf};

use similar::TextDiff;

pub use self::edit::Server;
use self::{
    edit::{Unreadable, servers, with_words},
    place::{SETTINGS, Settings},
};
use crate::install::{
    file::{self, FileError, Found},
    machine::Machine,
    manifest::{Kept, Manifest, ManifestError, digest},
};
use crate::pins::{Definition, Files, Known, enrol};

/// The words of ours between the program and what started the server.
const VERB: [&str; 2] = ["mcp", "proxy"];

/// Why a file is left alone.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WrapError {
    /// It is nothing to touch.
    #[error(transparent)]
    File(#[from] FileError),
    /// It cannot be read, or not changed.
    #[error("`{}`: {why}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// What was there before cannot be kept.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// What starts a server cannot be kept.
    #[error("what starts the server `{0}` cannot be kept: {1}")]
    Pins(String, std::io::Error),
}

/// One file with the servers in it.
#[derive(Debug)]
pub struct Looked {
    /// Where.
    pub settings: &'static Settings,
    /// The file.
    pub found: Found,
    /// The servers.
    pub servers: Vec<Server>,
}

/// What is to become of one file.
#[derive(Debug)]
pub struct Change {
    /// The agent.
    pub agent: &'static str,
    /// The file as it is.
    pub found: Found,
    /// What it is to hold.
    pub after: String,
    /// The servers that are wrapped or unwrapped, with what starts them.
    pub servers: Vec<(String, Vec<String>)>,
    /// Servers that stay as they are, with the reason.
    pub left: Vec<(String, &'static str)>,
}

impl Change {
    /// Whether anything changes.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.found.text.as_deref() != Some(self.after.as_str())
    }

    /// The change for a person.
    #[must_use]
    pub fn diff(&self) -> String {
        let before = self.found.text.as_deref().unwrap_or_default();
        let path = self.found.located.path.display().to_string();
        TextDiff::from_lines(before, &self.after).unified_diff().header(&path, &path).to_string()
    }
}

/// What a wrapped entry starts, where it is one of ours: what started the server before.
#[must_use]
pub fn wrapped(words: &[String]) -> Option<&[String]> {
    let (program, rest) = words.split_first()?;
    let name = Path::new(program).file_name()?.to_str()?;
    let is_ours = name.strip_suffix(".exe").unwrap_or(name) == "portcullis"
        && rest.len() > VERB.len()
        && rest.iter().zip(VERB).all(|(word, verb)| word == verb);
    let at = rest.iter().position(|word| word == "--").filter(|_| is_ours)?;
    rest.get(at + 1..).filter(|words| !words.is_empty())
}

/// Options of a wrapped entry that somebody may write there, and that stay when it is wrapped again.
const KEPT: &[&str] = &["--sandbox", "--sampling", "--wait"];

/// Those that a server's name and variables come to.
const DERIVED: &[&str] = &["--server", "--env"];

/// The words of ours in a wrapped entry that belong to options of whose names this is so.
fn options(words: &[String], is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let ours = words.iter().skip(1 + VERB.len()).take_while(|word| *word != "--");
    let mut found = Vec::new();
    let mut takes = false;
    for word in ours {
        if word.starts_with('-') {
            takes = is_wanted(word.split('=').next().unwrap_or_default());
        }
        if takes {
            found.push(word.clone());
        }
    }
    found
}

fn own_options(words: &[String]) -> Vec<String> {
    options(words, |name| KEPT.contains(&name))
}

/// Options of a wrapped entry that neither we nor a person would write there: they lead to another configuration, or to other pins.
#[must_use]
pub fn strange_options(words: &[String]) -> Vec<String> {
    match wrapped(words) {
        Some(_) => options(words, |name| !KEPT.contains(&name) && !DERIVED.contains(&name)),
        None => Vec::new(),
    }
}

/// The profile of the sandbox that a wrapped entry names.
#[must_use]
pub fn profile(words: &[String]) -> Option<String> {
    wrapped(words)?;
    let options = own_options(words);
    let at = options.iter().position(|word| word.starts_with("--sandbox"))?;
    match options.get(at)?.split_once('=') {
        Some((_, profile)) => Some(profile.to_owned()),
        None => options.get(at + 1).cloned(),
    }
}

/// The words that start a server behind the proxy.
fn proxied(program: &str, server: &Server, options: Vec<String>) -> Vec<String> {
    let mut words = vec![program.to_owned()];
    words.extend(VERB.map(str::to_owned));
    words.extend(["--server".to_owned(), server.name.clone()]);
    for variable in &server.variables {
        words.extend(["--env".to_owned(), variable.clone()]);
    }
    words.extend(options);
    words.push("--".to_owned());
    words.extend(server.words.iter().cloned());
    words
}

/// The files of these agents, of all where none is named, as far as there are any; each once.
///
/// # Errors
/// [`WrapError`] for a file that cannot be read.
pub fn look(machine: &Machine, agents: &[&str]) -> Vec<Result<Looked, WrapError>> {
    let mut all = Vec::new();
    for settings in SETTINGS.iter().filter(|one| agents.is_empty() || agents.contains(&one.agent)) {
        let Some(located) = machine.locate(settings.place) else { continue };
        let looked = (|| {
            let found = file::look(&located)?;
            let Some(text) = &found.text else { return Ok(None) };
            let servers = servers(text, settings.form).map_err(|why| unreadable(&found, &why))?;
            Ok(Some(Looked { settings, found, servers }))
        })();
        all.extend(looked.transpose());
    }
    all
}

/// What puts the proxy in front of every server of a file that is started and has it not.
///
/// # Errors
/// [`WrapError`]; nothing is changed by this.
pub fn wrapping(looked: Looked, program: &str) -> Result<Change, WrapError> {
    let Looked { settings, found, servers } = looked;
    let mut after = found.text.clone().unwrap_or_default();
    let mut changed = Vec::new();
    let mut left = Vec::new();
    for server in servers {
        if server.words.is_empty() {
            left.push((server.name, "it is reached by an address"));
            continue;
        }
        let (inner, options) = match wrapped(&server.words) {
            Some(inner) => (inner.to_vec(), own_options(&server.words)),
            None => (server.words.clone(), Vec::new()),
        };
        let words = proxied(program, &Server { words: inner.clone(), ..server.clone() }, options);
        if words == server.words {
            left.push((server.name, "it is behind the proxy"));
            continue;
        }
        after = changed_text(&after, settings, &server, &words, &found)?;
        changed.push((server.name, inner));
    }
    Ok(Change { agent: settings.agent, found, after, servers: changed, left })
}

/// What takes the proxy away again: byte for byte where nobody changed the file since.
///
/// # Errors
/// [`WrapError`]; nothing is changed by this.
pub fn unwrapping(looked: Looked, manifest: &Manifest) -> Result<Change, WrapError> {
    let Looked { settings, found, servers } = looked;
    let text = found.text.clone().unwrap_or_default();
    let mut after = text.clone();
    let mut changed = Vec::new();
    for server in servers {
        let Some(inner) = wrapped(&server.words).map(<[String]>::to_vec) else { continue };
        after = changed_text(&after, settings, &server, &inner, &found)?;
        changed.push((server.name, inner));
    }
    let kept = manifest.kept(&found.located.path).filter(|kept| kept.after == digest(&text));
    if let Some(before) = kept.and_then(|kept| manifest.before(kept)) {
        after = before;
    }
    Ok(Change { agent: settings.agent, found, after, servers: changed, left: Vec::new() })
}

fn changed_text(
    text: &str,
    settings: &Settings,
    server: &Server,
    words: &[String],
    found: &Found,
) -> Result<String, WrapError> {
    // The places of a server before it are others by now.
    let now = servers(text, settings.form).map_err(|why| unreadable(found, &why))?;
    let now = now.into_iter().find(|one| one.path == server.path).unwrap_or_else(|| server.clone());
    with_words(text, settings.form, &now, words).map_err(|why| unreadable(found, &why))
}

/// Where what files held before is kept.
#[must_use]
pub fn manifest_directory(state: &Path) -> PathBuf {
    state.join("mcp").join("wrapped")
}

/// Makes a change, with what the file held before kept first.
///
/// # Errors
/// Nothing was changed then.
pub fn apply(change: &Change, manifest: &mut Manifest, adds: bool) -> Result<(), WrapError> {
    let path = &change.found.located.path;
    let text = change.found.text.as_deref().unwrap_or_default();
    let known = manifest.kept(path).cloned();
    if adds {
        let untouched = known.as_ref().is_some_and(|kept| kept.after == digest(text));
        let mut kept = known.filter(|_| untouched).unwrap_or_default();
        if !untouched {
            kept.path = path.to_string_lossy().into_owned();
            // What is wrapped already is not what was there before us.
            kept.before = Some(manifest.keep(text)?);
        }
        kept.agents = vec![change.agent.to_owned()];
        kept.after = digest(&change.after);
        manifest.note(kept)?;
        file::replace(&change.found, &change.after, false)?;
        return Ok(());
    }
    file::replace(&change.found, &change.after, false)?;
    if let Some(kept) = known {
        manifest.note(Kept { agents: Vec::new(), ..kept })?;
    }
    Ok(())
}

/// Keeps what starts the servers of a change, as what a person meant: what they show first is accepted.
///
/// # Errors
/// [`WrapError::Pins`].
pub fn enrolled(change: &Change, state: &Path, by: &str) -> Result<(), WrapError> {
    for (name, words) in &change.servers {
        let failed = |error| WrapError::Pins(name.clone(), error);
        let files = Files::of(state, name).map_err(|error| failed(std::io::Error::other(error)))?;
        if matches!(files.known(), Known::Broken(_)) {
            continue;
        }
        enrol(&files, &Definition::of_command(words), by).map_err(failed)?;
    }
    Ok(())
}

fn unreadable(found: &Found, why: &Unreadable) -> WrapError {
    WrapError::Unreadable { path: found.located.path.clone(), why: why.to_string() }
}

#[cfg(test)]
mod tests;
