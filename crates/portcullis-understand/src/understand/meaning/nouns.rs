//! The things that tools do something to. Owns which of them are money, access, protection or words to people.

/// What kind of thing a word names.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Thing {
    /// Money, or an order to move it.
    Money,
    /// What is bought with it.
    Purchase,
    /// Words to people.
    Message,
    /// Words to everybody.
    Publication,
    /// People that have access to something.
    Person,
    /// What gives access.
    Access,
    /// What keeps harm away.
    Protection,
    /// What keeps a place closed.
    Barrier,
    /// A secret that is worth something to whoever knows it.
    Secret,
    /// A change that others review.
    Proposal,
    /// What a person is bound by.
    Commitment,
    /// What only looks when it is run.
    Inquiry,
    /// What is easily made again, or lies in the agent's own hands.
    Trifle,
}

/// Whether a word, in the singular or the plural, names this kind of thing.
pub(super) fn is(word: &str, thing: Thing) -> bool {
    let listed =
        |word: &str| THINGS.iter().any(|(known, words)| *known == thing && words.contains(&word));
    listed(word) || word.strip_suffix('s').is_some_and(listed)
}

/// Whether a word says nothing without the one before it: `user_info`, `payment_details`.
pub(super) fn is_empty_word(word: &str) -> bool {
    EMPTY.contains(&word)
}

const EMPTY: &[&str] = &[
    "config",
    "configuration",
    "content",
    "contents",
    "data",
    "detail",
    "details",
    "entry",
    "info",
    "information",
    "item",
    "level",
    "levels",
    "items",
    "list",
    "object",
    "profile",
    "record",
    "records",
    "request",
    "setting",
    "settings",
    "state",
    "status",
    "system",
    "value",
    "values",
];

const THINGS: &[(Thing, &[&str])] = &[
    (
        Thing::Money,
        &[
            "bitcoin",
            "bonus",
            "cash",
            "commission",
            "coin",
            "crypto",
            "cryptocurrency",
            "deposit",
            "donation",
            "eth",
            "ether",
            "fund",
            "funds",
            "loan",
            "money",
            "payment",
            "payout",
            "payroll",
            "refund",
            "remittance",
            "salary",
            "trade",
            "transaction",
            "transfer",
            "withdrawal",
        ],
    ),
    (Thing::Purchase, &["bet", "cart", "checkout", "order", "purchase", "wager"]),
    (
        Thing::Message,
        &[
            "announcement",
            "call",
            "dm",
            "email",
            "fax",
            "letter",
            "mail",
            "message",
            "newsletter",
            "notification",
            "reply",
            "sms",
        ],
    ),
    (
        Thing::Publication,
        &[
            "ad",
            "advertisement",
            "campaign",
            "gist",
            "listing",
            "post",
            "release",
            "story",
            "tweet",
            "webpage",
        ],
    ),
    (
        Thing::Person,
        &[
            "attendee",
            "collaborator",
            "editor",
            "guest",
            "invitation",
            "invite",
            "invitee",
            "maintainer",
            "member",
            "moderator",
            "participant",
            "subscriber",
            "user",
            "viewer",
            "visitor",
        ],
    ),
    (
        Thing::Access,
        &[
            "2fa",
            "access",
            "account",
            "acl",
            "admin",
            "administrator",
            "apikey",
            "beneficiary",
            "cert",
            "certificate",
            "credential",
            "employee",
            "grant",
            "iam",
            "login",
            "membership",
            "mfa",
            "otp",
            "owner",
            "ownership",
            "passcode",
            "passphrase",
            "password",
            "payee",
            "permission",
            "pin",
            "policy",
            "privilege",
            "role",
            "secret",
            "token",
            "sharing",
            "username",
        ],
    ),
    (
        Thing::Protection,
        &[
            "2fa",
            "alarm",
            "alert",
            "antivirus",
            "audit",
            "authentication",
            "backup",
            "brake",
            "camera",
            "cctv",
            "detection",
            "detector",
            "encryption",
            "filter",
            "firewall",
            "guard",
            "lock",
            "logging",
            "mfa",
            "monitoring",
            "protection",
            "restriction",
            "safeguard",
            "safety",
            "security",
            "sensor",
            "surveillance",
            "verification",
        ],
    ),
    (
        Thing::Barrier,
        &["barrier", "door", "garage", "gate", "lock", "safe", "valve", "vault", "window"],
    ),
    (
        Thing::Secret,
        &[
            "apikey",
            "credential",
            "cvv",
            "otp",
            "passcode",
            "passphrase",
            "passwd",
            "password",
            "pin",
            "secret",
        ],
    ),
    (Thing::Proposal, &["branch", "branches", "commit", "mr", "pr", "pull"]),
    (Thing::Commitment, &["agreement", "contract", "consent", "nda", "offer", "terms", "waiver"]),
    (
        Thing::Inquiry,
        &[
            "analysis",
            "audit",
            "benchmark",
            "calculation",
            "check",
            "diagnostic",
            "lint",
            "query",
            "report",
            "research",
            "scan",
            "scanning",
            "search",
            "simulation",
            "test",
        ],
    ),
    (
        Thing::Trifle,
        &[
            "alias",
            "annotation",
            "background",
            "block",
            "bookmark",
            "breakpoint",
            "cache",
            "canvas",
            "cart",
            "cell",
            "column",
            "console",
            "cookie",
            "counter",
            "cursor",
            "drag",
            "draft",
            "duplicate",
            "entities",
            "entity",
            "favorite",
            "filter",
            "follow",
            "highlight",
            "label",
            "like",
            "line",
            "link",
            "location",
            "memories",
            "memory",
            "notification",
            "observation",
            "reaction",
            "relation",
            "reminder",
            "row",
            "screen",
            "selection",
            "session",
            "shape",
            "slide",
            "snippet",
            "star",
            "tab",
            "tag",
            "text",
            "timer",
            "todo",
            "view",
            "watch",
            "watcher",
            "zoom",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_known_in_the_singular_and_the_plural() {
        assert!(is("payment", Thing::Money) && is("payments", Thing::Money));
        assert!(is("funds", Thing::Money) && is("passwords", Thing::Secret));
        assert!(!is("issue", Thing::Money) && !is("s", Thing::Money));
    }
}
