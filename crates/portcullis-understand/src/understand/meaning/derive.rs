//! A contract from what a tool says of itself: the verb and the object of its name and its description, its schema and what a call
//! gives it. What is written by others can make a contract stricter, and makes none out of a name that can be read.

mod opening;

use super::{
    arguments::Hints,
    nouns::{self, Thing},
    readings,
    verbs::{self, Does},
};
use crate::{
    bound::Bounded,
    contract::{Class, Contract, Data, Reach},
};

/// How many words of a name or a sentence are read.
const WORDS: usize = 16;

/// What a name or a sentence says.
struct Clause<'a> {
    verb: &'a str,
    does: Does,
    /// The words of what it is done to.
    object: Vec<&'a str>,
    /// Every word, to look for what stands elsewhere.
    all: &'a [String],
}

/// The contract of a tool of this name, where the name has a verb that can be read.
pub(in crate::understand) fn of_name(
    own: &[String],
    server: &[String],
    hints: &Hints,
) -> Option<Contract> {
    let own = own.get(..own.len().min(WORDS)).unwrap_or_default();
    // `slack_post_message` of the server `slack`.
    let bare = own.strip_prefix(server).filter(|rest| !rest.is_empty()).unwrap_or(own);
    if readings::shows(bare, hints) {
        let subject = bare.join(" ");
        return Some(Contract { subject, foreign: true, reversible: true, ..Contract::default() });
    }
    let at = readings::verb_behind(bare).or_else(|| verb_of(bare))?;
    at_verb(bare, at, hints)
}

/// As [`of_name`], for a method of a library: what tools alone are named after says nothing there (`list.push`, `scene.extend`).
pub(in crate::understand) fn of_method(words: &[String], hints: &Hints) -> Option<Contract> {
    let words: Vec<String> = words
        .iter()
        .leading(WORDS)
        .map(|word| if verbs::is_only_of_tools(word) { String::new() } else { word.clone() })
        .collect();
    at_verb(&words, verb_of(&words)?, hints)
}

/// What a name says whose verb stands here.
fn at_verb(bare: &[String], at: usize, hints: &Hints) -> Option<Contract> {
    let verb = bare.get(at)?;
    let mut found = Clause::new(verb, verbs::does(verb)?, bare, at).contract(hints);
    // `message_delete`, `monitor_delete`: what stands in front may be the object, and the stricter reading counts.
    let last = bare.len().saturating_sub(1);
    if at < last
        && let Some(word) = bare.get(last).filter(|word| !verbs::is_noun_too(word))
        && let Some(does) = verbs::does(word)
    {
        let other = Clause::new(word, does, bare, last).contract(hints);
        if verbs::is_noun_too(verb) || other.class >= Class::Send {
            found = stricter(found, other);
        }
    }
    // `find_and_delete`: what is done is both.
    for (index, word) in bare.iter().enumerate() {
        let next = bare.get(index + 1).filter(|_| matches!(word.as_str(), "and" | "or" | "then"));
        if let Some(next) = next
            && let Some(does) = verbs::does(next)
        {
            let other = Clause::new(next, does, bare, index + 1).contract(hints);
            found = stricter(found, other);
        }
    }
    Some(found)
}

/// The contract that the first sentence of a description speaks of, where it begins with a verb.
pub(in crate::understand) fn of_description(description: &str, hints: &Hints) -> Option<Contract> {
    let sentence = description.split(['.', '\n', ';', ':']).find(|part| !part.trim().is_empty())?;
    let words: Vec<String> = sentence
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        // A sentence says what is done in its first words.
        .leading(WORDS)
        .map(str::to_lowercase)
        .collect();
    let start = words.iter().position(|word| !FILLERS.contains(&word.as_str()))?;
    let words = words.get(start..)?;
    let first = words.first()?;
    // `Posts that mention you`, `Orders of a customer`: what it shows.
    let next = words.get(1).map(String::as_str);
    // `Posts that mention you`, `Orders of a customer`; `Text of a document`, `Comments on a document`.
    let is_noun = match next {
        Some("content" | "contents" | "of") => true,
        Some("about" | "from" | "on" | "that" | "which" | "who") => first.ends_with('s'),
        _ => false,
    };
    if is_noun && (readings::is_noun(first) || verbs::is_noun_too(first)) && !hints.text {
        return Some(Contract { foreign: true, reversible: true, ..Contract::default() });
    }
    let (verb, does) = verbs::does_in_prose(first)?;
    Some(Clause::new(verb, does, words, 0).contract(hints))
}

/// The contract that the words of an operation say, as in `{"action": "delete"}`.
pub(in crate::understand) fn of_operation(
    operation: &str,
    own: &[String],
    hints: &Hints,
) -> Option<Contract> {
    let mut words = super::words(operation);
    let at = verb_of(&words)?;
    let does = verbs::does(words.get(at)?)?;
    // `{"action": "delete"}` of a tool that is named after what it deletes.
    words.extend(own.iter().cloned());
    let verb = words.get(at)?.clone();
    Some(Clause::new(&verb, does, &words, at).contract(hints))
}

/// The one of two contracts that is stricter.
pub(in crate::understand) fn stricter(one: Contract, other: Contract) -> Contract {
    let weight = |it: &Contract| (it.class, it.gives, !it.reversible);
    if weight(&other) > weight(&one) { other } else { one }
}

/// Words in front of the verb of a description.
const FILLERS: &[&str] = &[
    "a", "action", "allow", "allows", "an", "api", "can", "command", "function", "helper", "is",
    "it", "lets", "method", "that", "the", "this", "to", "tool", "used", "useful", "utility",
    "which", "you", "your", "user", "users", "agent", "enables", "helps", "will", "for", "be",
];

/// Verbs by which something is only called something, or put where it is found.
const SORTING: &[&str] = &[
    "annotate",
    "arrange",
    "categorize",
    "flag",
    "follow",
    "highlight",
    "label",
    "like",
    "name",
    "note",
    "pin",
    "rate",
    "react",
    "rename",
    "sort",
    "star",
    "tag",
    "unfollow",
    "unlabel",
    "unpin",
    "unstar",
    "untag",
];

/// Where the verb of a name stands.
fn verb_of(words: &[String]) -> Option<usize> {
    let is_verb = |word: &String| verbs::does(word).is_some();
    let is_sure = |word: &String| is_verb(word) && !verbs::is_noun_too(word);
    if words.first().is_some_and(is_verb) {
        return Some(0);
    }
    words
        .iter()
        .position(is_sure)
        .or_else(|| words.iter().rposition(is_verb).filter(|at| *at + 1 == words.len()))
        .or_else(|| words.iter().position(is_verb))
}

/// Words behind which something else begins than the object.
const PREPOSITIONS: &[&str] = &[
    "about", "after", "as", "at", "before", "between", "by", "for", "from", "in", "inside", "into",
    "of", "on", "onto", "per", "through", "to", "using", "via", "with", "within",
];

/// Words of a sentence that say nothing of the object.
const ARTICLES: &[&str] = &[
    "a",
    "all",
    "an",
    "and",
    "another",
    "any",
    "existing",
    "given",
    "multiple",
    "new",
    "one",
    "or",
    "several",
    "single",
    "some",
    "specific",
    "specified",
    "that",
    "the",
    "this",
    "your",
];

impl<'a> Clause<'a> {
    fn new(verb: &'a str, does: Does, all: &'a [String], at: usize) -> Self {
        let behind = all.iter().skip(at + 1).map(String::as_str);
        let mut object: Vec<&str> = behind
            .skip_while(|word| ARTICLES.contains(word))
            .take_while(|word| {
                !PREPOSITIONS.contains(word) && !matches!(*word, "and" | "or" | "then")
            })
            .filter(|word| !ARTICLES.contains(word))
            .collect();
        // `issue_delete`: the object stands in front.
        if object.is_empty()
            && !all.get(at + 1).is_some_and(|word| PREPOSITIONS.contains(&word.as_str()))
        {
            object = all.iter().leading(at).map(String::as_str).collect();
        }
        Self { verb, does, object, all }
    }

    /// The word that says what the object is, behind words that say nothing alone.
    fn head(&self) -> &'a str {
        let mut words = self.object.iter().rev();
        words.find(|word| !nouns::is_empty_word(word)).copied().unwrap_or_default()
    }

    fn is(&self, thing: Thing) -> bool {
        nouns::is(self.head(), thing)
    }

    fn has(&self, thing: Thing) -> bool {
        self.all.iter().any(|word| nouns::is(word, thing))
    }

    fn says(&self, words: &[&str]) -> bool {
        self.all.iter().any(|word| words.contains(&word.as_str()))
    }

    fn is_verb(&self, verbs: &[&str]) -> bool {
        verbs.contains(&self.verb)
    }

    fn contract(&self, hints: &Hints) -> Contract {
        let class = self.class(hints);
        let is_read = class == Class::Read;
        let gives_secret = is_read
            && !self.is_verb(&["check", "count", "list", "search", "validate", "verify"])
            && (self.is(Thing::Secret) || self.is_key());
        let reach = match class {
            Class::Send | Class::Share | Class::Bind => Reach::People,
            Class::Publish | Class::Pay => Reach::Outward,
            _ => Reach::Service,
        };
        Contract {
            class,
            reach,
            subject: self.subject(),
            gives: if gives_secret { Data::Secret } else { Data::Work },
            foreign: true,
            reversible: matches!(class, Class::Quiet | Class::Read | Class::Change)
                || self.does == Does::Trash,
            arguments: Vec::new(),
            most: None,
        }
    }

    /// A key or token that gives access, and not the key of an entry.
    fn is_key(&self) -> bool {
        let mut words = self.object.iter().rev().skip_while(|word| nouns::is_empty_word(word));
        let is_key =
            words.next().is_some_and(|word| matches!(*word, "key" | "keys" | "token" | "tokens"));
        let kind = words.next().copied().unwrap_or_default();
        is_key
            && matches!(
                kind,
                "access"
                    | "api"
                    | "auth"
                    | "bearer"
                    | "private"
                    | "refresh"
                    | "secret"
                    | "signing"
                    | "ssh"
            )
    }

    fn subject(&self) -> String {
        let words: Vec<&str> = self.object.iter().copied().leading(3).collect();
        words.join(" ")
    }

    /// Whether a protection is taken away: by the verb, by `off`, or by what the call gives.
    fn lowers(&self, hints: &Hints) -> bool {
        hints.lowers
            || self.says(&[
                "off",
                "disable",
                "deactivate",
                "disarm",
                "mute",
                "pause",
                "remove",
                "skip",
                "stop",
                "suspend",
            ])
    }

    fn class(&self, hints: &Hints) -> Class {
        match self.does {
            Does::Look => self.class_of_looking(),
            Does::Light | Does::Make | Does::Change => self.class_of_change(hints),
            Does::Destroy if self.says(&["drag"]) || self.is(Thing::Trifle) => Class::Change,
            Does::Destroy | Does::Trash => Class::Delete,
            Does::Cancel if self.is(Thing::Protection) && self.is_verb(&["skip"]) => Class::Lower,
            Does::Cancel => Class::Change,
            Does::Remove => self.class_of_removal(),
            Does::Send => self.class_of_sending(hints),
            Does::Post if self.is(Thing::Message) => Class::Send,
            Does::Post if hints.recipient || hints.channel => Class::Send,
            Does::Post if self.says(&["channel", "chat", "dm", "room", "thread"]) => Class::Send,
            Does::Post if self.comments() => Class::Send,
            Does::Post if self.says(&["note", "review", "annotation"]) => Class::Change,
            Does::Post => Class::Publish,
            Does::Publish if self.is(Thing::Money) => Class::Pay,
            Does::Publish
                if self.is_verb(&["promote"])
                    && (self.is(Thing::Person) || self.has(Thing::Access)) =>
            {
                Class::Administer
            }
            Does::Publish if self.is_verb(&["push"]) && self.is(Thing::Message) => Class::Send,
            Does::Publish
                if self.is_verb(&["release"])
                    && self.says(&["lock", "hold", "port", "memory", "resource"]) =>
            {
                Class::Change
            }
            Does::Publish => Class::Publish,
            Does::Share if self.is(Thing::Money) || self.head() == "credit" => Class::Pay,
            Does::Share => Class::Share,
            Does::Administer if self.has(Thing::Protection) => Class::Lower,
            Does::Administer if self.is_verb(&["delegate"]) && self.says(&["task", "work"]) => {
                Class::Change
            }
            Does::Administer => Class::Administer,
            Does::Lower => Class::Lower,
            Does::Stop if self.has(Thing::Protection) => Class::Lower,
            Does::Stop if self.is(Thing::Access) || self.is(Thing::Person) => Class::Administer,
            Does::Stop => Class::Change,
            Does::Open if self.has(Thing::Barrier) => Class::Lower,
            Does::Open if self.is(Thing::Access) => Class::Administer,
            Does::Open
                if self.says(&[
                    "app",
                    "application",
                    "browser",
                    "file",
                    "link",
                    "page",
                    "tab",
                    "url",
                    "website",
                ]) =>
            {
                Class::Read
            }
            Does::Open => Class::Change,
            Does::Pay => Class::Pay,
            Does::Hand => self.class_of_handing(hints),
            Does::Merge if self.has(Thing::Proposal) || self.object.is_empty() => Class::Merge,
            Does::Merge => Class::Change,
            Does::Bind if self.says(&["in", "out", "up", "off"]) => Class::Change,
            Does::Bind => Class::Bind,
            Does::Accept if self.binds_people() => Class::Share,
            Does::Accept => self.class_of_consent(),
            Does::Run if self.is(Thing::Inquiry) => Class::Read,
            Does::Run => Class::Execute,
        }
    }

    fn class_of_change(&self, hints: &Hints) -> Class {
        let makes = matches!(self.does, Does::Make | Does::Light);
        if self.is_verb(&["request"]) && verbs::does(self.head()) == Some(Does::Look) {
            return Class::Change;
        }
        if let Some(opened) = self.class_of_opening(makes) {
            return opened;
        }
        // What is only called something, or put in its place, stays where it is.
        if self.comments() {
            return Class::Send;
        }
        if self.is_verb(SORTING) {
            return Class::Change;
        }
        // `make_call`, `perform_search`, `request_refund`: the object is what is done.
        let inner = verbs::does(self.head()).filter(|_| self.does == Does::Light);
        if let Some(inner) =
            inner.filter(|it| !matches!(it, Does::Light | Does::Make | Does::Change))
        {
            let words = [self.head().to_owned()];
            let clause = Clause { verb: self.head(), does: inner, object: Vec::new(), all: &words };
            return clause.class(hints);
        }
        let is_intent = self.head() == "intent" && self.says(&["payment"]);
        if self.is(Thing::Money) || is_intent || makes && self.is(Thing::Purchase) {
            return Class::Pay;
        }
        // `fill_personal_info`: whoever made the form gets it.
        if self.is_verb(&["enter", "fill", "provide"]) && self.says(&["personal", "identity"]) {
            return Class::Share;
        }
        if self.is_verb(&["install"]) {
            return Class::Execute;
        }
        if self.has(Thing::Protection) && self.lowers(hints) {
            return Class::Lower;
        }
        if self.has(Thing::Barrier) && hints.opens {
            return Class::Lower;
        }
        let is_account = matches!(self.head(), "user" | "users" | "member" | "members");
        if self.is(Thing::Person) && makes {
            let adds = self.is_verb(&["add"]) || !is_account;
            return if adds { Class::Share } else { Class::Administer };
        }
        // `permissions.add`, `grant_role`: somebody gets a right; a right that is made or changed is administered.
        let is_right = matches!(self.head(), "access" | "permission" | "permissions");
        if is_right && self.is_verb(&["add"]) && hints.recipient {
            return Class::Share;
        }
        if self.is(Thing::Access) || is_account && !self.is_verb(&["assign"]) {
            return Class::Administer;
        }
        let is_only_written =
            self.is_verb(&["add", "compose", "design", "draft", "generate", "record", "write"]);
        if makes && !is_only_written && self.is(Thing::Message) {
            return Class::Send;
        }
        if makes && !is_only_written && self.is(Thing::Publication) {
            return Class::Publish;
        }
        Class::Change
    }

    fn class_of_removal(&self) -> Class {
        const MILD: &[&str] = &[
            "detach",
            "disconnect",
            "exclude",
            "leave",
            "strip",
            "unassign",
            "unlink",
            "unset",
            "unsubscribe",
        ];
        if self.is(Thing::Person) || self.is(Thing::Access) {
            Class::Administer
        } else if self.is(Thing::Protection) && !self.is(Thing::Trifle) {
            Class::Lower
        } else if self.head().is_empty() || self.is(Thing::Trifle) || self.is_verb(MILD) {
            Class::Change
        } else {
            Class::Delete
        }
    }

    fn class_of_sending(&self, hints: &Hints) -> Class {
        let is_unsaid = self.object.is_empty() && hints.recipient;
        if self.is(Thing::Money) || hints.amount && (hints.account || is_unsaid) {
            Class::Pay
        } else if self.says(&["invitation", "invitations", "invite", "invites"]) {
            Class::Share
        } else if self.says(&["command", "commands"])
            || self.is_verb(&["call"])
                && self.says(&["api", "endpoint", "function", "method", "service", "tool"])
        {
            Class::Execute
        } else if self.binds_people() {
            Class::Share
        } else if self.says(&[
            "input",
            "key",
            "keys",
            "keystroke",
            "keystrokes",
            "request",
            "signal",
        ]) || self.is_verb(&["report"]) && !hints.recipient
        {
            Class::Change
        } else {
            Class::Send
        }
    }

    fn class_of_handing(&self, hints: &Hints) -> Class {
        let is_booking = self.is_verb(&["book", "hire", "renew", "rent", "reserve", "subscribe"]);
        let is_worth = self.says(&["miles", "points", "voucher", "vouchers"]);
        if self.is(Thing::Access) {
            Class::Administer
        } else if is_booking {
            if hints.account || hints.amount { Class::Pay } else { Class::Change }
        } else if self.is(Thing::Money)
            || is_worth
            || self.is(Thing::Purchase)
            || self.object.is_empty()
            || hints.amount
            || hints.account
        {
            Class::Pay
        } else {
            Class::Change
        }
    }

    fn class_of_consent(&self) -> Class {
        if self.is(Thing::Money) {
            Class::Pay
        } else if self.has(Thing::Proposal) || self.says(&["merge"]) {
            Class::Merge
        } else if self.is(Thing::Person) || self.is(Thing::Access) {
            Class::Share
        } else if self.is(Thing::Commitment) || self.is_verb(&["agree", "approve", "consent"]) {
            Class::Bind
        } else if self.is_verb(&["allow"]) {
            Class::Share
        } else {
            Class::Change
        }
    }
}
