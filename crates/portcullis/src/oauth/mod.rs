//! What every login by a browser has in common (OAuth 2.1): how an issuer is asked, which of its words count, and how a client proves who it is. Logins to
//! MCP servers ([`crate::mcp::oauth`]) and of people at the gateway ([`crate::identity`]) stand on it. It keeps nothing.
//!
//! - Every address is held against the guard, reached encrypted, and redirects are followed nowhere.
//! - An issuer is its name, letter for letter.
//! - Who only follows what a stranger names reaches nothing of the inside; an issuer that a person configured may be there where they say so.

mod client;
mod description;
mod page;
mod web;

pub use self::{
    client::{Client, Proof, is_token, sent},
    description::{Description, at, text, texts},
    page::{challenge, page, random},
    web::{Web, form, object},
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

impl OAuthError {
    /// An answer that does not count.
    #[must_use]
    pub fn answer(what: &'static str, why: &str) -> Self {
        Self::Answer { what, why: why.to_owned() }
    }
}

/// Words of a stranger, short and with every character shown.
#[must_use]
pub fn words(text: &str) -> String {
    let short: String = text.chars().take(300).collect();
    portcullis_core::secrets::redacted(&crate::report::visible::line(&short))
}
