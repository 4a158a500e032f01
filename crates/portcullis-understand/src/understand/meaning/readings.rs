//! Tools that are named after what they show and not after what they do: `order_history`, `nearby_restaurants`, `heart_rate`. Owns the nouns by
//! which one is known; a name with a verb that is sure is read by its verb.

use super::{
    arguments::Hints,
    verbs::{self, Does},
};

/// Whether a name without a verb, or whose only verbs are as often nouns, says what is looked at: by its last word, or by the last in
/// front of a preposition. What takes words to write down, or money to move, is none that only shows.
pub(super) fn shows(words: &[String], hints: &Hints) -> bool {
    if hints.text || hints.amount && (hints.account || hints.recipient) {
        return false;
    }
    let phrase = words.iter().position(|word| JOINTS.contains(&word.as_str()));
    let phrase = words.get(..phrase.unwrap_or(words.len())).unwrap_or_default();
    let Some((last, before)) = phrase.split_last() else { return false };
    let lies = |word: &String| !QUALIFIERS.contains(&word.as_str());
    let verbs: Vec<&String> = before
        .iter()
        .filter(|word| verbs::does(word).is_some_and(|does| does != Does::Look))
        .collect();
    if verbs.is_empty() {
        // `heart_rate`, `pipeline_report`: a last word that could be a verb is none behind its noun.
        // A word that nobody knows in front of what there are many of may be a verb: `obliterate_users`.
        let is_known = |word: &String| {
            verbs::does(word).is_some()
                || QUALIFIERS.contains(&word.as_str())
                || KINDS.contains(&word.as_str())
                || OBJECTS.contains(&word.as_str())
                || is_noun(word)
        };
        let is_listed = last.strip_suffix('s').is_some_and(|_| is_one_of(last, LISTED))
            && before.iter().all(is_known);
        let is_noun = verbs::does(last).is_none() || before.iter().any(lies);
        return is_listed || is_one_of(last, SHOWN) && is_noun;
    }
    // `order_history`: what could be a verb is what the history is of.
    let is_told = last == "status" && verbs.iter().any(|word| *word == "post");
    is_one_of(last, ABOUT) && !is_told && verbs.iter().all(|word| KEPT.contains(&word.as_str()))
}

/// Where the verb of a name stands that begins with its object: `mail_search`, `orderCancel`, `comments.reply`, `note_add`. Words that are as often
/// nouns are taken for one where a verb ends the name that can have it as its object.
pub(super) fn verb_behind(words: &[String]) -> Option<usize> {
    let (last, before) = words.split_last()?;
    let [first, ..] = before else { return None };
    let is_object = verbs::does(first).is_none_or(|_| OBJECTS.contains(&first.as_str()));
    let does = verbs::does(last)?;
    let is_sure = !verbs::is_noun_too(last);
    let reads = does == Does::Look && LOOKS.contains(&last.as_str());
    let joined = before.iter().all(|word| !JOINTS.contains(&word.as_str()));
    let is_behind = is_object
        && joined
        && (is_sure || reads || ENDS.contains(&last.as_str()))
        && before
            .iter()
            .skip(1)
            .all(|word| verbs::does(word).is_none_or(|_| verbs::is_noun_too(word)));
    is_behind.then_some(before.len())
}

/// Words that could be verbs and are things that something is done to.
const OBJECTS: &[&str] = &[
    "alert", "booking", "build", "call", "comment", "comments", "contact", "draft", "email",
    "file", "index", "invoice", "issue", "label", "leave", "link", "log", "mail", "message",
    "messages", "note", "order", "plan", "post", "query", "record", "refund", "release", "report",
    "review", "schedule", "set", "sms", "snapshot", "star", "store", "tag", "task", "test", "text",
    "trade", "transfer", "vote",
];

/// Verbs of looking that end the name of what is looked at.
const LOOKS: &[&str] =
    &["check", "find", "get", "list", "lookup", "query", "read", "search", "view"];

/// Verbs that are as often nouns, and are verbs at the end of a name behind what they are done to.
const ENDS: &[&str] = &[
    "comment", "forward", "merge", "move", "post", "reply", "run", "schedule", "share", "start",
    "stop",
];

/// Whether a word in the plural is a noun of what is looked at, or as often a noun as a verb.
pub(super) fn is_noun(word: &str) -> bool {
    is_one_of(word, SHOWN)
        || is_one_of(word, LISTED)
        || word.strip_suffix('s').is_some_and(verbs::is_noun_too)
}

fn is_one_of(word: &str, list: &[&str]) -> bool {
    list.contains(&word)
        || word.strip_suffix("ies").is_some_and(|stem| list.contains(&format!("{stem}y").as_str()))
        || word.strip_suffix('s').is_some_and(|one| list.contains(&one))
}

/// Words behind which the noun is over.
const JOINTS: &[&str] = &["around", "at", "by", "for", "from", "in", "near", "of", "on", "per"];

/// Words in front of a noun that say nothing of what it is.
const QUALIFIERS: &[&str] = &["all", "my", "new", "the", "your"];

/// Words that say which of a kind is meant.
const KINDS: &[&str] = &[
    "account",
    "active",
    "available",
    "best",
    "bus",
    "camera",
    "car",
    "cheap",
    "current",
    "customer",
    "door",
    "featured",
    "flight",
    "hotel",
    "job",
    "lab",
    "latest",
    "local",
    "motion",
    "nearby",
    "open",
    "page",
    "past",
    "payment",
    "pending",
    "popular",
    "product",
    "recent",
    "related",
    "saved",
    "similar",
    "store",
    "team",
    "top",
    "train",
    "trending",
    "unread",
    "upcoming",
    "user",
];

/// Nouns of what is only looked at.
const SHOWN: &[&str] = &[
    "allergy",
    "analysis",
    "analytics",
    "availability",
    "balance",
    "breakdown",
    "calculator",
    "catalog",
    "catalogue",
    "changelog",
    "chart",
    "checker",
    "count",
    "definition",
    "detail",
    "dictionary",
    "directory",
    "faq",
    "fare",
    "feed",
    "finder",
    "forecast",
    "history",
    "hour",
    "inbox",
    "info",
    "information",
    "insight",
    "inventory",
    "leaderboard",
    "lookup",
    "map",
    "menu",
    "metadata",
    "metric",
    "nearby",
    "news",
    "overview",
    "people",
    "planner",
    "portfolio",
    "price",
    "profile",
    "quota",
    "quote",
    "ranking",
    "rate",
    "rating",
    "reader",
    "record",
    "report",
    "result",
    "route",
    "schedule",
    "score",
    "spending",
    "standing",
    "stat",
    "state",
    "statement",
    "statistic",
    "status",
    "stock",
    "summary",
    "temperature",
    "time",
    "timeline",
    "timetable",
    "today",
    "trend",
    "usage",
    "viewer",
    "vital",
    "weather",
];

/// Nouns of what is looked at where there are several of them; of one, somebody may make it.
const LISTED: &[&str] = &[
    "account",
    "appointment",
    "article",
    "booking",
    "candidate",
    "channel",
    "comment",
    "contact",
    "customer",
    "deal",
    "device",
    "direction",
    "doc",
    "document",
    "employee",
    "event",
    "file",
    "flight",
    "folder",
    "follower",
    "headline",
    "holding",
    "hotel",
    "invoice",
    "issue",
    "item",
    "lead",
    "like",
    "measurement",
    "medication",
    "member",
    "mention",
    "message",
    "notification",
    "offer",
    "order",
    "page",
    "patient",
    "payee",
    "photo",
    "post",
    "prescription",
    "product",
    "reply",
    "request",
    "restaurant",
    "review",
    "room",
    "step",
    "subscription",
    "task",
    "ticket",
    "topic",
    "transaction",
    "trip",
    "user",
    "version",
];

/// Nouns of what is kept about something, which nobody does anything to by that.
const ABOUT: &[&str] = &[
    "availability",
    "balance",
    "count",
    "detail",
    "history",
    "inbox",
    "info",
    "information",
    "log",
    "metric",
    "rate",
    "statement",
    "stat",
    "statistic",
    "status",
    "usage",
];

/// Words that are as often nouns, where something is kept about them.
const KEPT: &[&str] = &[
    "bid", "build", "call", "charge", "deposit", "file", "index", "invoice", "issue", "leave",
    "contact", "email", "like", "link", "lock", "log", "mail", "message", "order", "play", "plan",
    "post", "purchase", "reaction", "refund", "rent", "ride", "run", "stock", "task", "test",
    "trade", "transfer", "vote", "wire", "withdraw",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn is_shown(name: &str) -> bool {
        shows(&super::super::words(name), &Hints::default())
    }

    #[test]
    fn a_name_that_is_a_noun_shows_and_one_with_a_verb_does_not() {
        for name in [
            "currency_rates",
            "heart-rate",
            "orderHistory",
            "spending_by_category",
            "nearby_restaurants",
            "calendar_today",
            "leave_balance",
            "build_log",
            "allergies",
        ] {
            assert!(is_shown(name), "{name}");
        }
        for name in [
            "post_status",
            "share_info",
            "email_report",
            "schedule_report",
            "report",
            "book_flight",
            "frobnicate",
            "order",
            "reset_history",
            "anonymize_users",
        ] {
            assert!(!is_shown(name), "{name}");
        }
        let words = super::super::words("notifications");
        assert!(!shows(&words, &Hints { text: true, ..Hints::default() }));
        let words = super::super::words("transactions");
        assert!(!shows(&words, &Hints { amount: true, account: true, ..Hints::default() }));
    }
}
