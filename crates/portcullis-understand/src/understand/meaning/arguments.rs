//! What the arguments of a tool mean, by their names, the types and formats of its schema, and what a call gives. Owns the names;
//! texts that are run are read by the same names elsewhere.

use serde_json::Value;

use super::{
    key, look,
    nouns::{self, Thing},
};
use crate::{
    bound::{Bounded, Cut},
    contract::{Contract, Meaning, ValueGiven},
    pointer,
};

/// How many values of a call are read, and how deep.
const VALUES: usize = 256;
const DEPTH: usize = 8;

/// The longest text that is kept of a value; what is longer names nobody.
const TEXT: usize = 1 << 16;

/// What the arguments say about what is done with them.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::understand) struct Hints {
    pub(in crate::understand) amount: bool,
    pub(in crate::understand) account: bool,
    pub(in crate::understand) recipient: bool,
    pub(in crate::understand) channel: bool,
    pub(in crate::understand) text: bool,
    /// Something is switched off, or unlocked.
    pub(in crate::understand) lowers: bool,
    /// Something is opened.
    pub(in crate::understand) opens: bool,
    /// It is done to what keeps something closed.
    pub(in crate::understand) guards: bool,
    /// It is shown to everybody.
    pub(in crate::understand) public: bool,
    /// Only what would happen is asked for.
    pub(in crate::understand) rehearses: bool,
    /// What is looked up goes to an address that the call names.
    pub(in crate::understand) leaves: bool,
}

/// The arguments of one call that mean something.
pub(in crate::understand) struct Arguments {
    pub(in crate::understand) values: Vec<ValueGiven>,
    pub(in crate::understand) hints: Hints,
    /// Whether there are more than are read.
    pub(in crate::understand) is_cut: bool,
    /// What the object means whose members are read: `to: {"address": …, "also": …}` reaches both.
    pub(in crate::understand) within: Option<Meaning>,
}

/// Reads the arguments of a call. A contract says what some of them mean; the names say it of the others.
pub(in crate::understand) fn read(
    arguments: &serde_json::Map<String, Value>,
    contract: Option<&Contract>,
) -> Arguments {
    let mut read =
        Arguments { values: Vec::new(), hints: Hints::default(), is_cut: false, within: None };
    read.members(arguments, "", contract, DEPTH);
    read
}

impl Arguments {
    fn members(
        &mut self,
        members: &serde_json::Map<String, Value>,
        at: &str,
        contract: Option<&Contract>,
        depth: usize,
    ) {
        for (name, value) in members {
            let pointer = pointer::to(at, name);
            self.value(name, value, &pointer, contract, depth);
        }
    }

    fn value(
        &mut self,
        name: &str,
        value: &Value,
        at: &str,
        contract: Option<&Contract>,
        depth: usize,
    ) {
        if self.values.len() >= VALUES {
            self.is_cut = true;
            return;
        }
        match value {
            Value::Null => {}
            Value::Array(_) | Value::Object(_) if depth == 0 => self.is_cut = true,
            Value::Array(items) => {
                let mut cut = Cut::default();
                let listed = items.iter().enumerate();
                for (index, item) in
                    listed.at_most(VALUES, &mut cut, portcullis_syntax::Span::default())
                {
                    self.value(name, item, &format!("{at}/{index}"), contract, depth - 1);
                }
                self.is_cut |= cut.happened();
            }
            Value::Object(members) => {
                let reaches = Some(of_name(name)).filter(|meaning| {
                    matches!(meaning, Meaning::Recipient | Meaning::Account | Meaning::Channel)
                });
                let around = self.within;
                self.within = reaches.or(around);
                self.members(members, at, contract, depth - 1);
                self.within = around;
            }
            Value::String(text) => {
                // What is handed to a tool as JSON is more arguments.
                let inner = look::json(text).filter(|_| of_name(name) == Meaning::Other);
                match (inner, depth.checked_sub(1)) {
                    (Some(inner), Some(depth)) => self.value(name, &inner, at, contract, depth),
                    _ => self.given(name, text, value, at, contract),
                }
            }
            Value::Bool(_) | Value::Number(_) => {
                self.given(name, &value.to_string(), value, at, contract);
            }
        }
    }

    fn given(
        &mut self,
        name: &str,
        text: &str,
        value: &Value,
        at: &str,
        contract: Option<&Contract>,
    ) {
        let by_name = match (of_name(name), self.within) {
            (Meaning::Other, Some(around)) => around,
            (meaning, _) => meaning,
        };
        let meaning = contract.and_then(|contract| contract.meaning(at)).unwrap_or(by_name);
        let left = is_destination(name).then(|| address(text)).flatten();
        self.hints.leaves |= left.is_some();
        let meaning = left.filter(|_| meaning == Meaning::Other).unwrap_or(meaning);
        self.hints.add(name, meaning, text, value);
        if meaning == Meaning::Other && !value.is_string() || text.is_empty() {
            return;
        }
        let end = text.floor_char_boundary(TEXT);
        self.is_cut |= end < text.len();
        let text = text.get(..end).unwrap_or_default().to_owned();
        self.values.push(ValueGiven { pointer: at.to_owned(), meaning, text });
    }
}

impl Hints {
    /// What an argument of this name, that nobody has given a value yet, says.
    pub(in crate::understand) fn expect(&mut self, meaning: Meaning) {
        match meaning {
            Meaning::Amount => self.amount = true,
            Meaning::Account => self.account = true,
            Meaning::Recipient => self.recipient = true,
            Meaning::Channel => self.channel = true,
            Meaning::Text | Meaning::Content => self.text = true,
            _ => {}
        }
    }

    fn add(&mut self, name: &str, meaning: Meaning, text: &str, value: &Value) {
        self.expect(meaning);
        self.guards |= text.len() <= NAME && names_barrier(text);
        let word = text.trim().to_ascii_lowercase();
        let name = key::plain(name);
        if STATES.contains(&name.as_str()) {
            self.lowers |= value == &Value::Bool(false) || OFF.contains(&word.as_str());
            self.opens |= OPEN.contains(&word.as_str());
        }
        if meaning == Meaning::Audience {
            let is_named_private = name.contains("private");
            self.public |= if is_named_private {
                value == &Value::Bool(false)
            } else {
                value == &Value::Bool(true) || PUBLIC.contains(&word.as_str())
            };
        }
        self.rehearses |= value == &Value::Bool(true) && REHEARSALS.contains(&name.as_str());
    }
}

/// Whether an argument says where something is to be put. A place may be a town as well: only an address is somewhere else.
fn is_destination(name: &str) -> bool {
    DESTINATIONS.contains(&key::plain(name).as_str())
}

/// What a text is to a call that something is sent to.
fn address(text: &str) -> Option<Meaning> {
    let is_one = !text.trim().contains(char::is_whitespace);
    if is_one && text.contains("://") {
        Some(Meaning::Url)
    } else if is_one && text.split_once('@').is_some_and(|(_, host)| host.contains('.')) {
        Some(Meaning::Recipient)
    } else {
        None
    }
}

const DESTINATIONS: &[&str] = &[
    "callback",
    "callbackurl",
    "deliverto",
    "dest",
    "destination",
    "destinationurl",
    "emailto",
    "exportto",
    "postto",
    "pushto",
    "sendto",
    "sink",
    "uploadto",
    "uploadurl",
    "webhook",
    "webhookurl",
];

/// Whether a value names what keeps something closed: `front_door_lock`.
fn names_barrier(text: &str) -> bool {
    let words = super::words(text);
    words.len() <= NAME_WORDS
        && words.iter().any(|word| nouns::is(word, Thing::Barrier) || word == "alarm")
}

/// How long a value is, and how many words it has, that names a thing.
const NAME: usize = 64;
const NAME_WORDS: usize = 5;

/// Arguments that say how something is to be.
const STATES: &[&str] = &[
    "action",
    "active",
    "armed",
    "command",
    "enable",
    "enabled",
    "locked",
    "mode",
    "newstate",
    "on",
    "operation",
    "power",
    "state",
    "status",
    "value",
];
const OFF: &[&str] = &[
    "deactivate",
    "deactivated",
    "disable",
    "disabled",
    "disarm",
    "disarmed",
    "inactive",
    "off",
    "stop",
    "stopped",
    "unlock",
    "unlocked",
];
const OPEN: &[&str] = &["open", "opened", "unlock", "unlocked"];
const PUBLIC: &[&str] = &["anyone", "everyone", "public", "world", "anonymous", "internet"];
const REHEARSALS: &[&str] = &["dryrun", "preview", "simulate", "validateonly", "whatif"];

/// What a value means, by the name of its argument.
pub(in crate::understand) fn of_name(argument: &str) -> Meaning {
    let words = super::words(argument);
    let whole = words.concat();
    let known = NAMES.iter().find(|(_, names)| names.contains(&whole.as_str()));
    if let Some((meaning, _)) = known {
        return *meaning;
    }
    let Some(last) = words.last() else { return Meaning::Other };
    let ends = ENDS.iter().find(|(_, ends)| ends.contains(&last.as_str()));
    let meaning = ends.map_or(Meaning::Other, |(meaning, _)| *meaning);
    match meaning {
        // `user_id`, `recipient_id`: whom it is about. `email_id` is one message's.
        Meaning::Id => words
            .iter()
            .rev()
            .skip(1)
            .filter(|word| !matches!(word.as_str(), "email" | "emails"))
            .find_map(|word| {
                let owner = NAMES.iter().find(|(_, names)| names.contains(&word.as_str()))?.0;
                matches!(owner, Meaning::Recipient | Meaning::Account | Meaning::Channel)
                    .then_some(owner)
            })
            .unwrap_or(Meaning::Id),
        other => other,
    }
}

/// As [`of_name`], where a schema says more.
pub(in crate::understand) fn of_schema(
    argument: &str,
    kind: &str,
    format: Option<&str>,
) -> Meaning {
    match format {
        Some("email" | "idn-email") => return Meaning::Recipient,
        Some("uri" | "url" | "iri") => return Meaning::Url,
        Some("password") => return Meaning::Secret,
        _ => {}
    }
    match of_name(argument) {
        // `to: 5` of a range, `code: 200`. An address may be a number too: `to_address: 7290`.
        Meaning::Recipient | Meaning::Text | Meaning::Url
            if matches!(kind, "integer" | "number" | "boolean")
                && !argument.to_ascii_lowercase().ends_with("address") =>
        {
            Meaning::Other
        }
        meaning => meaning,
    }
}

const NAMES: &[(Meaning, &[&str])] = &[
    (
        Meaning::Recipient,
        &[
            "assignee",
            "attendee",
            "attendees",
            "bcc",
            "cc",
            "collaborator",
            "collaborators",
            "contact",
            "contacts",
            "email",
            "emailaddress",
            "emailaddresses",
            "emails",
            "forwardto",
            "guest",
            "guests",
            "invitee",
            "invitees",
            "member",
            "members",
            "notify",
            "participant",
            "participants",
            "people",
            "phone",
            "phonenumber",
            "phonenumbers",
            "receiver",
            "receivers",
            "recipient",
            "recipients",
            "sendto",
            "sharewith",
            "sharedwith",
            "to",
            "toaddress",
            "toemail",
            "tonumber",
            "touser",
            "user",
            "username",
            "users",
            "usernames",
        ],
    ),
    (
        Meaning::Account,
        &[
            "account",
            "accountid",
            "accountnumber",
            "bankaccount",
            "beneficiary",
            "bic",
            "card",
            "cardid",
            "cardnumber",
            "cvc",
            "cvv",
            "destinationaccount",
            "destinationaddress",
            "fromaccount",
            "iban",
            "payee",
            "payeeid",
            "paymentmethod",
            "receiveraddress",
            "recipientaddress",
            "routingnumber",
            "sourceaccount",
            "swift",
            "toaccount",
            "wallet",
            "walletaddress",
        ],
    ),
    (
        Meaning::Channel,
        &[
            "channel",
            "channelid",
            "channelname",
            "channels",
            "chat",
            "chatid",
            "room",
            "roomid",
            "thread",
            "threadid",
        ],
    ),
    (
        Meaning::Amount,
        &[
            "amount",
            "amountcents",
            "amountusd",
            "cost",
            "fee",
            "money",
            "price",
            "sum",
            "tip",
            "total",
            "totalamount",
            "transferamount",
            "unitamount",
        ],
    ),
    (
        Meaning::Secret,
        &[
            "accesstoken",
            "apikey",
            "apitoken",
            "authtoken",
            "clientsecret",
            "credential",
            "credentials",
            "newpassword",
            "oldpassword",
            "otp",
            "passcode",
            "passphrase",
            "passwd",
            "password",
            "pin",
            "privatekey",
            "pwd",
            "secret",
            "secretkey",
            "token",
        ],
    ),
    (
        Meaning::Permission,
        &[
            "accesslevel",
            "grant",
            "permission",
            "permissionlevel",
            "permissions",
            "privileges",
            "role",
            "roles",
            "scopes",
        ],
    ),
    (
        Meaning::Audience,
        &["audience", "ispublic", "private", "privacy", "public", "sharing", "visibility"],
    ),
    (Meaning::Operation, &["action", "method", "op", "operation"]),
    (
        Meaning::Text,
        &[
            "body",
            "caption",
            "comment",
            "description",
            "message",
            "messagebody",
            "note",
            "post",
            "subject",
            "summary",
            "text",
            "title",
            "tweet",
        ],
    ),
    (
        Meaning::Content,
        &["content", "contents", "data", "filecontent", "html", "markdown", "newcontent"],
    ),
    (Meaning::Manifest, &["manifest", "manifests", "resourceyaml", "yaml"]),
    (Meaning::Sql, &["sql", "sqlquery", "statement"]),
    (
        Meaning::Words,
        &[
            "filter",
            "keyword",
            "keywords",
            "pattern",
            "q",
            "query",
            "search",
            "searchquery",
            "term",
        ],
    ),
    (Meaning::Command, &["cmd", "command", "commands", "shell"]),
    (Meaning::Code, &["code", "javascript", "python", "script", "snippet"]),
    (Meaning::Id, &["guid", "id", "ids", "identifier", "uuid"]),
];

const ENDS: &[(Meaning, &[&str])] = &[
    (Meaning::Id, &["guid", "id", "ids", "identifier", "number", "uuid"]),
    (Meaning::Recipient, &["email", "emails", "recipient", "recipients", "phone", "username"]),
    (Meaning::Account, &["iban", "wallet"]),
    (Meaning::Amount, &["amount", "price"]),
    (Meaning::Secret, &["password", "secret", "passphrase"]),
    (Meaning::Url, &["endpoint", "href", "link", "uri", "url", "urls", "webpage", "website"]),
    (
        Meaning::Path,
        &["directory", "file", "filename", "filepath", "files", "folder", "path", "paths"],
    ),
    (Meaning::Text, &["body", "message", "text", "description", "subject"]),
    (Meaning::Command, &["cmd", "command"]),
];

#[cfg(test)]
mod tests {
    use super::{Meaning, of_name, of_schema};

    #[test]
    fn an_address_that_is_a_number_is_one_and_a_number_of_a_range_is_none() {
        for (name, kind, meaning) in [
            ("to", "string", Meaning::Recipient),
            ("to", "integer", Meaning::Other),
            ("to_address", "integer", Meaning::Recipient),
            ("destination_address", "integer", Meaning::Account),
        ] {
            assert_eq!(of_schema(name, kind, None), meaning, "{name} {kind}");
        }
        assert_eq!(of_name("destinationAddress"), Meaning::Account);
    }

    #[test]
    fn the_id_of_an_email_is_no_recipient_and_that_of_a_user_is() {
        assert_eq!(of_name("email_id"), Meaning::Id);
        assert_eq!(of_name("userId"), Meaning::Recipient);
        assert_eq!(of_name("contact_email"), Meaning::Recipient);
    }
}
