//! The tokens that a gateway makes for its own machine: one for the person whose machine it is, one for their agents. Owns the two files;
//! they hold until somebody ends them.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;

use crate::{
    approvals::{Book, Holder, Id, Scope, Scopes, Secret, Step, Token, hash_of},
    audit::{AuditError, Body, Entry},
    platform, private,
};

/// The longest file that is looked at.
const LONGEST: u64 = 512;

/// The longest name of a token.
const LONGEST_NAME: usize = 64;

/// Whether somebody can be named so.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let is_letter =
        |character: char| character.is_ascii_alphanumeric() || "-_.@".contains(character);
    !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(is_letter)
}

/// The name under which agents ask with the token of this machine.
pub const AGENTS: &str = "agents";

/// Where the tokens are.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Keys {
    /// The person's: it approves, reads and rules.
    pub person: PathBuf,
    /// The agents': it has calls judged.
    pub agents: PathBuf,
}

/// Why there are no tokens.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] AuditError),
    /// A file cannot be written, or the system gives no random bytes.
    #[error("cannot keep a token in `{}`: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl Keys {
    /// Where they are in a state directory.
    #[must_use]
    pub fn in_state(state: &Path) -> Self {
        let directory = state.join("gateway");
        Self { person: directory.join("token"), agents: directory.join("agents-token") }
    }

    /// Sees that both are there and hold; one that is missing, or was ended, is made anew.
    ///
    /// # Errors
    /// [`KeyError`].
    pub fn prepare(state: &Path, book: &mut Book) -> Result<Self, KeyError> {
        let keys = Self::in_state(state);
        one(&keys.person, &platform::user_name(), Scopes::person(), book)?;
        one(&keys.agents, AGENTS, Scopes::agent(), book)?;
        Ok(keys)
    }

    /// Sees that somebody else has a token of their own too, made here: it decides and reads, and counts where two people must agree.
    ///
    /// # Errors
    /// [`KeyError`].
    pub fn person(state: &Path, name: &str, book: &mut Book) -> Result<PathBuf, KeyError> {
        let path = state.join("gateway").join(format!("{name}.token"));
        one(&path, name, Scopes::decides(), book)?;
        Ok(path)
    }

    /// The token in a file.
    ///
    /// # Errors
    /// When it cannot be read, or somebody else could have written it.
    pub fn read(path: &Path) -> Result<String, private::Unbelievable> {
        let bytes = private::read(path, LONGEST)?;
        Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
    }
}

fn one(path: &Path, name: &str, scopes: Scopes, book: &mut Book) -> Result<(), KeyError> {
    let failed = |source| KeyError::File { path: path.to_owned(), source };
    let now = Timestamp::now();
    if let Ok(text) = Keys::read(path)
        && let Some(token) = book.store().token(&hash_of(&text))?
        && token.holds(now)
        && token.scopes == scopes
    {
        // An agent asks, and is nobody who agrees.
        if !token.made_here && scopes.has(Scope::Approve) {
            let entry = Entry::change("the gateway", "found a token of its own", name);
            let record = Body::new(&entry, now);
            book.take(&[Step::Own { id: token.id, record }])?;
        }
        return Ok(());
    }
    let secret = Secret::random().map_err(failed)?;
    let id = Id::random().map_err(failed)?;
    let name = name.to_owned();
    let words = format!("`{name}`: {scopes}");
    let record = Body::new(&Entry::change("the gateway", "made a token", words), now);
    let token = Token {
        id,
        name,
        holder: Holder::Api,
        scopes,
        created: now,
        expires: None,
        revoked: None,
        proof: None,
        login: None,
        made_here: scopes.has(Scope::Approve),
    };
    // The file first: a token that nobody holds does no harm, one that is not in its file would be made again and again.
    let directory = path.parent().unwrap_or(path);
    fs::create_dir_all(directory).map_err(failed)?;
    private::write(path, format!("{}\n", secret.reveal()).as_bytes()).map_err(failed)?;
    book.take(&[Step::Admit { token, hash: secret.hash(), record }])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_hold_until_they_are_ended_and_agents_never_approve() {
        let state = tempfile::tempdir().unwrap();
        let mut book = Book::open(state.path()).unwrap();
        let keys = Keys::prepare(state.path(), &mut book).unwrap();
        let (person, agents) =
            (Keys::read(&keys.person).unwrap(), Keys::read(&keys.agents).unwrap());
        Keys::prepare(state.path(), &mut book).unwrap();
        assert_eq!(Keys::read(&keys.person).unwrap(), person, "it is the same the next day");
        let token =
            |book: &mut Book, text: &str| book.store().token(&hash_of(text)).unwrap().unwrap();
        let agent = token(&mut book, &agents);
        assert_eq!(agent.scopes.to_string(), "judge");
        let ended = Body::new(&Entry::change("dev", "ended a token", ""), Timestamp::now());
        book.take(&[Step::Revoke { id: agent.id, record: ended }]).unwrap();
        Keys::prepare(state.path(), &mut book).unwrap();
        assert_ne!(Keys::read(&keys.agents).unwrap(), agents);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(&keys.person).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}
