//! Where a call may connect: addresses, URLs, names, and the policy over them. Owns what an address is, how a URL is read and
//! whether it may be fetched; it opens no socket and asks no server.
//!
//! ```text
//! text ──Target::read──► Target ──NetworkPolicy::judge──► a name, or addresses ──NetworkPolicy::admit──► sockets to connect to
//! ```
//!
//! A URL is parsed once, as browsers do (WHATWG), and the parsed value is what connects. The text it came from is looked at
//! too, for what only hides where it leads.

mod address;
mod curl;
mod homograph;
pub mod hosts;
mod name;
mod policy;
mod range;
mod refusal;
mod spelling;
mod target;
mod written;

#[cfg(test)]
mod tests;

pub use address::{Class, Embedding, carried, classify, operator_nat64};
pub use curl::{Reading, read_as_curl};
pub use homograph::is_disguised;
pub use name::{Inside, inside};
pub use policy::{
    Admission, AllowedHost, BadEntry, Budget, DEFAULT_PORTS, Judged, NetworkOptions, NetworkPolicy,
};
pub use range::{Kind, RANGES_FOUR, RANGES_SIX, Range};
pub use refusal::{LONGEST_URL, Refusal};
pub use spelling::Note;
pub use target::Target;
pub use written::{is_metadata, service_in_variable, written_address};
