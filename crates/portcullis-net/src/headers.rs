//! Which headers go along when a server sends us to another one. Owns the list of those that do; all others stay behind, also
//! the ones that nobody here has heard of.

use hyper::header::{HeaderMap, HeaderName};

/// The headers that are sent to another origin: none of them says who asks.
pub const SAFE_ACROSS_ORIGINS: &[&str] = &[
    "accept",
    "accept-encoding",
    "accept-language",
    "cache-control",
    "content-language",
    "content-type",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-unmodified-since",
    "pragma",
    "range",
    "user-agent",
];

/// The headers that describe a body, and go where it goes.
const OF_THE_BODY: &[&str] =
    &["content-encoding", "content-language", "content-length", "content-location", "content-type"];

/// Headers that the connection itself is made of; a caller has no say in them.
const OF_THE_CONNECTION: &[&str] = &[
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Whether a header, its name in lower case, is sent to another origin than the one it was meant for.
#[must_use]
pub fn is_safe_across_origins(name: &str) -> bool {
    SAFE_ACROSS_ORIGINS.contains(&name)
}

/// Whether a caller may set a header.
pub(crate) fn is_callers(name: &HeaderName) -> bool {
    !OF_THE_CONNECTION.contains(&name.as_str())
}

/// Keeps what may be sent to another origin.
pub(crate) fn leave_origin(headers: &mut HeaderMap) {
    keep(headers, is_safe_across_origins);
}

/// Takes away what describes a body that is not sent.
pub(crate) fn leave_body(headers: &mut HeaderMap) {
    keep(headers, |name| !OF_THE_BODY.contains(&name));
}

fn keep(headers: &mut HeaderMap, wanted: impl Fn(&str) -> bool) {
    let unwanted: Vec<HeaderName> =
        headers.keys().filter(|name| !wanted(name.as_str())).cloned().collect();
    for name in unwanted {
        headers.remove(name);
    }
}
