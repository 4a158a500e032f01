//! The use of a login that is kept. Owns when a token is made anew, and that two processes do not spend one refresh token.

use std::{fs::File, path::Path, time::Duration};

use super::{
    OAuthError,
    documents::scopes_of,
    kept::Kept,
    token::{self, NotGiven},
};
use crate::{oauth::Web, pins::Files, platform};

/// How long another process is waited for that makes a token anew.
const PATIENCE: Duration = Duration::from_secs(30);

/// The tokens of one login, as they are needed.
pub struct Access {
    files: Files,
    url: String,
    web: Web,
    now: tokio::sync::Mutex<()>,
}

impl Access {
    /// Of a server where somebody is logged in; nothing where nobody is.
    ///
    /// # Errors
    /// Where the address is none.
    pub fn of(files: &Files, url: &str) -> Result<Option<Self>, OAuthError> {
        if Kept::of(files, url).is_none() {
            return Ok(None);
        }
        let web = Web::new(url)?;
        let (files, url) = (files.clone(), url.to_owned());
        Ok(Some(Self { files, url, web, now: tokio::sync::Mutex::default() }))
    }

    /// A token that holds. `refused` is one that the server did not take: it is not given again.
    ///
    /// # Errors
    /// Where there is none, and none can be made.
    pub async fn token(&self, refused: Option<&str>) -> Result<String, OAuthError> {
        let is_good = |kept: &Kept| !kept.is_old() && refused != Some(kept.access.as_str());
        let kept = self.kept()?;
        if is_good(&kept) {
            return Ok(kept.access);
        }
        let _one = self.now.lock().await;
        let _lock = self.alone().await?;
        // Another process may have made one meanwhile.
        let mut kept = self.kept()?;
        if is_good(&kept) {
            return Ok(kept.access);
        }
        let Some(refresh) = kept.refresh.clone() else { return Err(self.logged_out()) };
        let pairs = [("grant_type", "refresh_token"), ("refresh_token", refresh.as_str())];
        let given = match token::given(&self.web, &kept, &pairs).await {
            Ok(given) => given,
            Err(NotGiven::Ended(_)) => return Err(self.logged_out()),
            Err(NotGiven::Error(error)) => return Err(error),
        };
        kept.access = given.access;
        kept.refresh = given.refresh.or(Some(refresh));
        kept.expires = given.expires;
        kept.scope = given.scope.or(kept.scope);
        kept.keep(&self.files)?;
        Ok(kept.access)
    }

    /// Keeps what a refusal wants beside what the token allows, for the next login.
    pub async fn wants(&self, challenge: &str) {
        let Some(wanted) = scopes_of(challenge) else { return };
        let _one = self.now.lock().await;
        let Ok(_lock) = self.alone().await else { return };
        let Ok(mut kept) = self.kept() else { return };
        if kept.wanted.as_deref() != Some(wanted.as_str()) {
            kept.wanted = Some(wanted);
            // A login that does not know of it asks for less, and is told once more.
            let _ = kept.keep(&self.files);
        }
    }

    /// Waits until no other process changes the file.
    async fn alone(&self) -> Result<File, OAuthError> {
        let path = self.files.login().with_extension("lock");
        let locked = tokio::task::spawn_blocking(move || locked(&path));
        match tokio::time::timeout(PATIENCE, locked).await {
            Ok(Ok(lock)) => Ok(lock?),
            Ok(Err(_)) | Err(_) => Err(OAuthError::TimedOut),
        }
    }

    fn kept(&self) -> Result<Kept, OAuthError> {
        Kept::of(&self.files, &self.url).ok_or_else(|| self.logged_out())
    }

    fn logged_out(&self) -> OAuthError {
        OAuthError::LoggedOut(self.files.server.clone())
    }
}

fn locked(path: &Path) -> std::io::Result<File> {
    let file = match platform::open_to_change(path) {
        Ok(file) => file,
        Err(_) => {
            platform::create_private_file(path)?;
            platform::open_to_change(path)?
        }
    };
    file.lock()?;
    Ok(file)
}
