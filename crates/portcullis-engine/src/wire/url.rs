//! URLs to judge and what was said of them. Owns the names and types of their fields; what a URL leads to,
//! `portcullis_core::network` says.

use std::net::IpAddr;

use portcullis_core::network::{Class, Note};
use serde::Serialize;
use serde_json::Value;

use super::{head, strict::Malformed};

/// One URL to judge.
#[derive(Clone, Debug, PartialEq)]
pub struct UrlRequest {
    /// The caller's own identifier, a string or a number, echoed as it came.
    pub id: Option<Value>,
    /// The URL.
    pub url: String,
    /// What stands in for the answer of a name server.
    pub resolve_to: Option<Vec<IpAddr>>,
}

impl UrlRequest {
    /// Reads one URL from JSON. `line` is the number of the text's first line, for messages.
    ///
    /// # Errors
    /// [`Malformed`] where it is not JSON, or a field is missing or not of its type.
    pub fn parse(bytes: &[u8], line: usize) -> Result<Self, Malformed> {
        head::read(bytes, line, "a request for a URL", |id, fields| {
            let url = head::needed(fields, "url")?;
            let resolve_to = match fields.remove("resolve_to") {
                None | Some(Value::Null) => None,
                Some(Value::Array(list)) => {
                    Some(addresses(&list).ok_or("`resolve_to` must hold addresses")?)
                }
                Some(other) => {
                    return Err(head::expected("resolve_to", "a list of addresses", &other));
                }
            };
            Ok(Self { id, url, resolve_to })
        })
    }
}

fn addresses(list: &[Value]) -> Option<Vec<IpAddr>> {
    list.iter().map(|one| one.as_str()?.parse().ok()).collect()
}

/// What was said of one URL.
#[derive(Debug, Serialize)]
pub struct UrlAnswer<'a> {
    /// The version of this shape.
    pub v: u64,
    /// The caller's own identifier, as it came.
    pub id: Option<&'a Value>,
    /// `allow` or `block`.
    pub verdict: &'static str,
    /// Why, for a person.
    pub reason: String,
    /// Why, for a program; missing where it is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// The URL as it would be fetched; missing where it cannot be read.
    pub canonical: Option<String>,
    /// What is unusual in how it is written.
    pub notes: Vec<&'static str>,
    /// Where it leads, as far as that is known.
    pub addresses: Vec<AddressShape>,
}

/// An address.
#[derive(Debug, Serialize)]
pub struct AddressShape {
    /// The address.
    pub ip: String,
    /// What it is.
    pub range: String,
    /// `allow` or `block`.
    pub verdict: &'static str,
}

impl AddressShape {
    /// What an address is, and whether it may be connected to.
    #[must_use]
    pub fn new(address: IpAddr, class: &Class, is_allowed: bool) -> Self {
        Self {
            ip: address.to_string(),
            range: class.to_string(),
            verdict: if is_allowed { "allow" } else { "block" },
        }
    }
}

/// The words for what is unusual.
#[must_use]
pub fn note_codes(notes: &[Note]) -> Vec<&'static str> {
    notes.iter().map(|note| note.code()).collect()
}
