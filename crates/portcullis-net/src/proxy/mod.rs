//! The way out for programs: HTTP `CONNECT`, plain HTTP and SOCKS5, under the guard. Owns how clients are heard and what they are
//! told; where they may go, the guard says.
//!
//! A connection carries one request. That costs a client little and takes away what smuggling needs: bytes of one request that
//! somebody else takes for the next. What is encrypted is not opened; that the name in its greeting is the one that was asked
//! for is all that is looked at.

mod head;
mod hello;
mod record;
mod relay;
mod reply;
mod request;
mod server;
mod session;
mod socks;
mod tunnel;

pub use head::{BadHead, Body, Form, Head, parse_head};
pub use hello::{Hello, read_hello};
pub use record::{Attempt, Witness};
pub use server::{Proxy, ProxyOptions, Stop};
pub use session::Credentials;
pub use socks::{
    Address, BadSocks, parse_greeting, parse_login, parse_request as parse_socks_request,
};
