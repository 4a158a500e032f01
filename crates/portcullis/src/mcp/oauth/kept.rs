//! A login that is kept. Owns the private file of it.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    oauth::{Client, Proof},
    pins::Files,
    private,
};

/// The version of the file.
const VERSION: u8 = 1;

/// Longer than any such file.
const LONGEST: u64 = 128 << 10;

/// So long before its end a token is made anew.
const EARLY: SignedDuration = SignedDuration::from_secs(60);

/// A login. It has no `Debug`: what is in it is shown nowhere.
#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    v: u8,
    /// The address that it is for.
    pub(super) url: String,
    pub(super) resource: String,
    pub(super) issuer: String,
    pub(super) token_endpoint: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) revocation_endpoint: Option<String>,
    pub(super) client_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) client_secret: Option<String>,
    #[serde(default)]
    pub(super) proof: Proof,
    pub(super) redirect: String,
    pub(super) access: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refresh: Option<String>,
    pub(super) expires: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) scope: Option<String>,
    /// What the server wanted beside that when it refused something: the next login asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) wanted: Option<String>,
}

impl Kept {
    /// One without a token yet.
    pub(super) fn begun(url: &str, resource: String, issuer: String, token: String) -> Self {
        Self {
            v: VERSION,
            url: url.to_owned(),
            resource,
            issuer,
            token_endpoint: token,
            revocation_endpoint: None,
            client_id: String::new(),
            client_secret: None,
            proof: Proof::None,
            redirect: String::new(),
            access: String::new(),
            refresh: None,
            expires: Timestamp::UNIX_EPOCH,
            scope: None,
            wanted: None,
        }
    }

    /// The login at a server; nothing where there is none, or it is for another address.
    #[must_use]
    pub fn of(files: &Files, url: &str) -> Option<Self> {
        let bytes = private::read(&files.login(), LONGEST).ok()?;
        let kept: Self = serde_json::from_slice(&bytes).ok()?;
        (kept.v == VERSION && kept.url == url).then_some(kept)
    }

    /// Keeps it, for this user alone.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn keep(&self, files: &Files) -> std::io::Result<()> {
        private::write(&files.login(), &serde_json::to_vec(self)?)
    }

    /// Who issued it.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// When its token ends.
    #[must_use]
    pub const fn expires(&self) -> Timestamp {
        self.expires
    }

    /// What it allows, as far as that was said.
    #[must_use]
    pub fn scope(&self) -> Option<&str> {
        self.scope.as_deref()
    }

    /// Who we are there.
    pub(super) fn client(&self) -> Client<'_> {
        Client { id: &self.client_id, secret: self.client_secret.as_deref(), proof: self.proof }
    }

    /// Whether its token ends soon.
    pub(super) fn is_old(&self) -> bool {
        Timestamp::now() + EARLY >= self.expires
    }
}
