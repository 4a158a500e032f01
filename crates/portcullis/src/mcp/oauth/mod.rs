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

pub use self::{
    access::Access,
    documents::Wanted,
    kept::Kept,
    login::{Asked, Login, Registered, Settings, logout},
};
pub use crate::oauth::OAuthError;
