//! Whoever calls over a gateway. Owns what the gateway lends to the desk where their calls are judged; what becomes of the calls, [`super::desk`] says.

use std::time::{Duration, Instant};

use portcullis_core::risk::Risk;

use crate::{
    approvals::{Addressee, Question},
    session::Judged,
};

/// Counts a call that was judged: when it came, and how long the record took.
pub type Counter = Box<dyn Fn(&Judged, Instant, Duration) + Send>;

/// Says who is told of a question, and when.
pub type Addressing = Box<dyn Fn(&Question) -> Vec<Addressee> + Send>;

/// Whoever calls over a gateway, of whom nothing is known but their token.
pub struct Visitor {
    /// The name of their token: who asks, and so never agrees.
    pub name: String,
    /// The directory that the server runs in, where that is known.
    pub directory: Option<String>,
    /// Whether their client may ask its person.
    pub elicits: bool,
    /// The project that their calls belong to.
    pub project: Option<String>,
    /// Who is told of requests elsewhere.
    pub tells: Addressing,
    /// How many people must agree to what has a risk.
    pub needed: Box<dyn Fn(Risk) -> u8 + Send>,
    /// How long a request for approval holds.
    pub holds: Duration,
    /// Tells whoever wants to know of each request.
    pub tell: Box<dyn Fn(Question) + Send>,
    /// Counts each call that was judged: when it came, and how long the record took.
    pub count: Counter,
}
