//! Words by which tools of services, and tools that nobody knows, change what others see: in a place that calls itself production, for each of a
//! list, or for everybody to read. Owns those words; what they mean for a tool whose commands have rules of their own is said there.

use super::{
    super::{Scene, pattern, production, requests},
    SUBCOMMAND_WORDS, has, is_subcommand,
};
use crate::{
    bound::Bounded,
    effect::{Effect, Run},
    programs::Word,
};

/// What is said when something is brought to where others use it, sorted.
static BRINGS: &[&str] = &[
    "activate", "apply", "deploy", "import", "load", "migrate", "promote", "publish", "push",
    "release", "restart", "rollback", "rollout", "scale", "set", "submit", "sync", "up", "update",
    "upgrade",
];

/// What is said when something there is changed, beside those, sorted.
static CHANGES: &[&str] = &[
    "add", "assign", "cancel", "close", "disable", "dismiss", "edit", "enable", "invite", "modify",
    "move", "patch", "resolve", "rotate", "send", "suspend", "transfer", "write",
];

/// What is said when something is put up to be read, sorted.
static SHOWS: &[&str] = &["create", "publish", "push", "share", "upload"];

/// Subcommands that are about the tool itself on this machine, or that only look, sorted.
static OWN: &[&str] = &[
    "account",
    "auth",
    "build",
    "check",
    "completion",
    "config",
    "configure",
    "context",
    "diff",
    "env",
    "get",
    "init",
    "link",
    "list",
    "local",
    "login",
    "logs",
    "plan",
    "preview",
    "profile",
    "profiles",
    "pull",
    "setup",
    "show",
    "status",
    "switch",
    "use",
    "validate",
    "whoami",
    "workspace",
];

/// Tools whose objects belong to the work itself, one by one.
const OF_THE_WORK: &[&str] = &["bw", "gh", "glab", "hub", "op"];

/// The rule that a run breaks by such a word, and the word.
pub(super) fn found(
    run: &Run,
    service: bool,
    effect: &Effect,
    scene: &Scene<'_>,
) -> Option<(&'static str, String)> {
    let options = pattern::options(run);
    if pattern::is_rehearsal(&run.program, options) {
        return None;
    }
    let mut said = Vec::new();
    for word in options.words().leading(SUBCOMMAND_WORDS) {
        match word {
            Word::Operand(argument) if is_subcommand(argument.text.known_prefix()) => {
                said.push(argument.text.known_prefix());
            }
            Word::Operand(_) => break,
            Word::Doubtful(_) | Word::Option(_) => {}
        }
    }
    let last = |word: &str| word.rsplit(':').next().unwrap_or(word).to_owned();
    // What is said behind the verb names a thing.
    let is_verb = |word: &&str| [BRINGS, CHANGES, SHOWS].iter().any(|list| has(list, &last(word)));
    let before = said.iter().take_while(|word| !is_verb(word));
    if before.into_iter().any(|word| has(OWN, word) || has(OWN, &last(word))) {
        return None;
    }
    let says = |list: &[&str]| {
        said.iter().find(|word| has(list, &last(word))).map(|word| (*word).to_owned())
    };
    let is_given = |names: &[&str]| options.given().any(|given| names.contains(&given.long_name()));
    if let Some(word) = says(SHOWS)
        && is_given(&["--public"])
    {
        return Some(("remote.verb.public", word));
    }
    let in_production = || {
        is_given(&["--allow-live", "--live", "--prod", "--production"])
            || run.arguments.iter().any(|word| production::is_production(&word.text.display()))
    };
    if let Some(word) = says(BRINGS)
        && in_production()
    {
        return Some(("remote.verb.production", word));
    }
    let word = says(BRINGS).or_else(|| says(CHANGES))?;
    let is_each = service
        && !OF_THE_WORK.contains(&run.program.as_str())
        && requests::is_one_of_many(run, effect, scene);
    is_each.then_some(("remote.verb.each", word))
}

#[test]
fn the_words_are_sorted() {
    for words in [BRINGS, CHANGES, SHOWS, OWN] {
        assert!(words.is_sorted());
    }
}
