//! The JSON that other programs exchange with us: calls in, answers out. Owns every field name and the versions; it
//! judges nothing and opens nothing.

mod answer;
mod assess;
mod call;
mod event;
mod head;
mod inspect;
mod lines;
mod policy;
mod rule;
#[cfg(any(test, feature = "testing"))]
mod schema;
mod strict;
mod url;

pub use answer::{
    Answer, CoverageShape, ErrorAnswer, ErrorShape, FileShape, FindingShape, GapShape, digest_text,
};
pub use assess::{AssessAnswer, AssessRequest};
pub use call::{Background, LONGEST, Request};
pub use event::{EventAnswer, EventRequest, Happened, Incoming, Noticed};
pub use head::VERSION;
pub use inspect::{ClassifierShape, InspectAnswer, InspectRequest, PlantedShape, SecretShape};
pub use lines::{Line, Lines};
pub use policy::{account_json, policy_json};
pub use rule::rule_json;
pub use strict::{Malformed, parse};
pub use url::{AddressShape, UrlAnswer, UrlRequest, note_codes};
