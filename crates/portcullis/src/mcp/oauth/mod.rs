//! Logging in to a server elsewhere, as the protocol's page on authorization has it (OAuth 2.1). Owns what is asked of whom, what is believed of what they
//! answer, and where the tokens lie; what is sent to the server with them, [`super::remote`] says.
//!
//! ```text
//! the server ──metadata (RFC 9728)──► its authorization server ──metadata (RFC 8414)──► endpoints
//!     a person's browser ◄──PKCE, state, resource (RFC 8707)──┘ ──code, state, iss (RFC 9207)──► token ──► a private file
//! ```
//!
//! - Every address comes from a stranger: each is held against the guard, reached encrypted, and redirects are followed nowhere.
//! - A server that is on the network sends nobody to this machine or to private addresses.
//! - A token belongs to one address of one server and to who issued it, and is sent nowhere else.

mod access;
mod callback;
mod documents;
mod kept;
mod login;
mod token;
mod web;

pub use self::{
    access::Access,
    documents::Wanted,
    kept::Kept,
    login::{Asked, Login, Registered, Settings, logout},
};

/// Why a login does not come about.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OAuthError {
    /// An address that may not be asked.
    #[error("{what} `{url}` is not asked: {why}")]
    Address {
        /// What it would be.
        what: &'static str,
        /// The address, as it can be shown.
        url: String,
        /// Why not.
        why: String,
    },
    /// No answer came, or none that counts.
    #[error("{what} gave no answer that counts: {why}")]
    Answer {
        /// Who was asked.
        what: &'static str,
        /// Why it does not count.
        why: String,
    },
    /// What came back from the browser does not belong to this login.
    #[error("what the browser brought back does not count: {0}")]
    Callback(String),
    /// The authorization server refuses.
    #[error("the authorization server refused: {0}")]
    Refused(String),
    /// Something on this machine.
    #[error("{0}")]
    Here(#[from] std::io::Error),
    /// Nobody came back in time.
    #[error("nobody came back from the browser in time")]
    TimedOut,
    /// There is no login, or none any more.
    #[error("nobody is logged in there any more: `portcullis mcp login {0}`")]
    LoggedOut(String),
}

/// Words of a stranger, short and with every character shown.
fn words(text: &str) -> String {
    let short: String = text.chars().take(300).collect();
    portcullis_core::secrets::redacted(&crate::report::visible::line(&short))
}
