//! Subcommands by which a service gives somebody rights, switches something on or off for those who use it, or stops telling of
//! alarms. Owns the words that say so, whatever the tool is called; what removes things, the module above tells.

use super::{
    super::{Hit, Rule, Scene, Shelf, When, effects::run, pattern},
    SERVICES, has, is_subcommand,
};
use crate::{
    bound::Bounded,
    effect::{Effect, Run},
    finding::Confidence,
    risk::Severity,
};

pub(in super::super) static SHELF: Shelf = Shelf { programs: &[], rules: RULES };

static RULES: &[Rule] = &[
    Rule {
        id: "remote.verb.grant",
        confidence: Confidence::Medium,
        message: "somebody gets rights at a service",
        remedy: "let a person grant it, to exactly whom it is for",
        when: When::Read,
        fires: &[
            "kcadm.sh add-roles -r acme --uusername svc-ci --rolename realm-admin",
            "acmectl users assign-role bob admin",
            "auth0 roles assign bob --role owner",
        ],
        quiet: &["kcadm.sh get-roles -r acme", "auth0 roles list", "acmectl add-item admin"],
        ..Rule::OPENS
    },
    Rule {
        id: "remote.verb.switch",
        confidence: Confidence::Medium,
        message: "something is switched for everybody who uses production",
        remedy: "try it in a test environment first, and let a person switch it",
        when: When::Read,
        fires: &[
            "ldcli flags toggle-on --project default --environment production --flag new-checkout",
            "acmectl flags rollout checkout 100 --env prod",
        ],
        quiet: &[
            "ldcli flags toggle-on --project default --environment test --flag new-checkout",
            "ldcli flags list --environment production",
        ],
        ..Rule::CHANGE
    },
    Rule {
        id: "remote.verb.mute",
        confidence: Confidence::Medium,
        message: "alarms are silenced, and nobody hears of what goes wrong",
        remedy: "silence the one that is known, for as long as it takes",
        when: When::Read,
        fires: &["acmectl monitors mute --all", "acmectl mute-all"],
        quiet: &["acmectl monitors list", "acmectl monitors mute 123"],
        ..Rule::OPENS
    },
];

/// Verbs that give something, and what is given, sorted.
const GIVES: &[&str] =
    &["add", "assign", "attach", "bind", "give", "grant", "make", "promote", "set"];
const RIGHTS: &[&str] = &[
    "admin",
    "admins",
    "member",
    "members",
    "owner",
    "permission",
    "permissions",
    "privilege",
    "privileges",
    "role",
    "roles",
];

/// Words by which a right is one over everything.
const MASTERS: &[&str] =
    &["admin", "administrator", "editor", "owner", "root", "superadmin", "superuser"];

const SWITCHES: &[&str] = &["rollout", "switch", "toggle"];

const SILENCES: &[&str] = &["mute", "silence", "snooze"];

/// How many words of a subcommand are looked at.
const WORDS: usize = 4;

/// Reads what a tool is told, where the tool is one of a service or unknown.
pub(in super::super) fn reading(
    effect: &Effect,
    _: &Scene<'_>,
    hits: &mut Vec<(&'static str, Hit)>,
) {
    let Some(run) = run(effect) else { return };
    let is_service = has(SERVICES, &run.program);
    if !is_service && super::is_familiar(run)
        || pattern::is_rehearsal(&run.program, pattern::options(run))
    {
        return;
    }
    let words = subcommand(run);
    let parts: Vec<&str> = words.iter().flat_map(|word| word.split(['-', '_', ':', '.'])).collect();
    let says = |list: &[&str]| parts.iter().any(|part| list.contains(part));
    let severity = |is_high: bool| Some(if is_high { Severity::High } else { Severity::Medium });
    // `assign-role`, `roles add`: the right stands in the same word, or before.
    let parts_of = |word: &str, list: &[&str]| {
        word.split(['-', '_', ':', '.']).any(|part| list.contains(&part))
    };
    let gives = words.iter().any(|word| parts_of(word, GIVES) && parts_of(word, RIGHTS))
        || words.windows(2).any(|pair| {
            matches!(pair, [thing, verb] if parts_of(thing, RIGHTS) && parts_of(verb, GIVES))
        });
    if gives || parts.first() == Some(&"grant") {
        let is_master = any_part(run, MASTERS);
        hits.push(("remote.verb.grant", Hit { severity: severity(is_master), ..Hit::default() }));
    }
    let is_production = || any_part(run, &["live", "prod", "production"]);
    if says(SWITCHES) && is_production() {
        hits.push(("remote.verb.switch", Hit { severity: severity(true), ..Hit::default() }));
    }
    let is_all = || any_part(run, &["all", "every", "everything"]);
    if says(SILENCES) && is_all() {
        hits.push(("remote.verb.mute", Hit { severity: severity(true), ..Hit::default() }));
    }
}

/// The first words of a command that are no options and name no file.
fn subcommand(run: &Run) -> Vec<&str> {
    let operands = pattern::options(run).operands().map(|word| word.text.known_prefix());
    operands.leading(WORDS).take_while(|word| is_subcommand(word)).collect()
}

/// Whether a word of the command, or a part of one, is one of these.
fn any_part(run: &Run, wanted: &[&str]) -> bool {
    run.arguments.iter().any(|word| {
        let word = word.text.known_prefix().to_ascii_lowercase();
        word.split(|letter: char| !letter.is_ascii_alphanumeric())
            .any(|part| wanted.contains(&part))
    })
}
