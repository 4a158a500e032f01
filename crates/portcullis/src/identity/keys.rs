//! The keys of an issuer, as they are needed. Owns where they come from, how long they are believed, and how often an issuer is asked: a token that names a
//! key that nobody knows costs one question a minute at most, whoever sends how many of them.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    IdentityError,
    jwt::{Compact, KeySet, LONGEST},
};
use crate::oauth::{Description, OAuthError, Web};

/// How long keys are taken for the issuer's before it is asked again.
const FRESH: Duration = Duration::from_secs(3_600);

/// How long they are where it cannot be asked: a key that it took back counts no longer than this.
const STALE: Duration = Duration::from_secs(6 * 3_600);

/// The least time between two questions.
const APART: Duration = Duration::from_secs(60);

/// The longest file of keys.
const LONGEST_FILE: u64 = 256 << 10;

/// Where keys are.
#[derive(Clone, Debug)]
pub enum Place {
    /// Where the issuer's description says.
    Described(Web),
    /// In a file of this machine, which somebody renews: where an issuer is reached by nobody, or by nobody without a token of its own.
    File(PathBuf),
}

/// The keys of one issuer.
#[derive(Debug)]
pub struct Keys {
    issuer: String,
    place: Place,
    /// Held while the issuer is asked, so that a flood asks once.
    state: tokio::sync::Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    keys: Option<(Arc<KeySet>, Instant)>,
    tried: Option<Instant>,
}

impl Keys {
    /// Of an issuer, which is not asked yet.
    #[must_use]
    pub fn new(issuer: &str, place: Place) -> Self {
        Self { issuer: issuer.to_owned(), place, state: tokio::sync::Mutex::default() }
    }

    /// Whose keys they are.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The keys that a token is held against: those that are known, or those that the issuer has now where the one that the token names is not among
    /// them.
    ///
    /// # Errors
    /// Where there are none to be had.
    pub async fn for_token(&self, token: &Compact<'_>) -> Result<Arc<KeySet>, IdentityError> {
        let mut state = self.state.lock().await;
        let known = state.keys.clone();
        if let Some((keys, at)) = &known
            && at.elapsed() < FRESH
            && token.is_known_to(keys)
        {
            return Ok(Arc::clone(keys));
        }
        let may_ask = state.tried.is_none_or(|tried| tried.elapsed() >= APART);
        if may_ask {
            // Also where nobody answers, or whoever asked is gone before they do.
            state.tried = Some(Instant::now());
            match self.asked().await {
                Ok(keys) => {
                    let keys = Arc::new(keys);
                    state.keys = Some((Arc::clone(&keys), Instant::now()));
                    return Ok(keys);
                }
                Err(error) if known.is_none() => return Err(error),
                Err(_) => {}
            }
        }
        match known {
            Some((keys, at)) if at.elapsed() < STALE => Ok(keys),
            _ => {
                let why = "it was asked just now and gave no keys; it is asked once a minute";
                Err(OAuthError::answer("the issuer", why).into())
            }
        }
    }

    async fn asked(&self) -> Result<KeySet, IdentityError> {
        match &self.place {
            Place::Described(web) => {
                const WHAT: &str = "the issuer's list of keys";
                let said = Description::openid(web, &self.issuer).await?;
                let url = said.needed(web, "jwks_uri", WHAT)?;
                let list = web.document(WHAT, &url).await?;
                let list = list.ok_or_else(|| OAuthError::answer(WHAT, "there is none"))?;
                KeySet::of(&list)
            }
            Place::File(path) => {
                let path = path.clone();
                let read = tokio::task::spawn_blocking(move || bounded(&path)).await;
                let read = read.map_err(std::io::Error::other).and_then(|read| read);
                KeySet::read(&read.map_err(OAuthError::Here)?)
            }
        }
    }
}

fn bounded(path: &std::path::Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;

    let mut bytes = Vec::new();
    // One byte more than such a list has: what is longer is refused where it is read.
    std::fs::File::open(path)?.take(LONGEST_FILE + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether a text could be a signed token: three parts of which the first is an object.
#[must_use]
pub fn could_be(text: &str) -> bool {
    text.starts_with("eyJ")
        && text.len() <= LONGEST
        && text.bytes().filter(|byte| *byte == b'.').count() == 2
}
