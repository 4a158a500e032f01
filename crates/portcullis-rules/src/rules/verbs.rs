//! Rules on words that say what they do: `delete`, `destroy`, `purge`, in any tool that manages something elsewhere. Owns
//! the words; a tool whose commands have rules of their own needs nothing here.

use super::{Hit, Rule, Scene, Shelf, When, pattern};
use crate::{
    bound::Bounded,
    effect::{Argument, Effect, EffectKind, Run},
    finding::Confidence,
    programs::{self, Word},
    risk::Severity,
};

mod changing;
pub(super) mod granted;
mod words;

use words::{
    DEVELOPMENT, HARMLESS, HERE, LOCAL_THINGS, LOOKS, NOUNS, SERVICES, STRONG, THINGS, WEAK, has,
};

pub(super) static SHELF: Shelf = Shelf { programs: &[], rules: RULES };

static RULES: &[Rule] = &[
    Rule {
        id: "remote.verb.delete",
        confidence: Confidence::Medium,
        message: "something is removed or switched off at a service, for everybody who uses it",
        remedy: "look at it first with the tool's `describe`, `get` or `list`, and keep a copy of its settings",
        when: When::Read,
        fires: &[
            "gcloud apigee apis delete my-api --organization=my-org",
            "aws ses delete-identity --identity example.com",
            "fastly service delete --service-id abc123",
            "heroku domains:clear --app prod",
            "ldcli teams delete my-team",
            "az network lb delete -n lb -g prod",
            "doctl kubernetes cluster delete x",
            "square catalog delete obj_123",
            "wrangler kv:key delete --namespace-id=abc KEY",
        ],
        quiet: &[
            "gcloud apigee apis list",
            "aws ses list-identities",
            "fastly service describe --service-id abc123",
            "aws cloudfront list-invalidations --distribution-id E",
            "heroku apps:info --app prod",
            "ldcli flags create --name delete-me",
            "gcloud help compute instances delete",
            "aws ses delete-identity help",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "remote.verb.production",
        severity: Severity::High,
        confidence: Confidence::Medium,
        message: "something is changed in a place that calls itself production",
        remedy: "see the difference first, and let a person do it",
        when: When::Read,
        fires: &[
            "acmectl push shop/kiosk-prod --tag 1.4",
            "acmectl deploy --target production",
            "shopify theme push --store shop --live --allow-live",
            "doppler secrets set KEY --config prd_main",
        ],
        quiet: &[
            "acmectl push shop/kiosk-staging",
            "acmectl deploy --target production --dry-run",
            "acmectl diff --target production",
            "acmectl config set env production",
            "gcloud config set project shop-prod",
            "acmectl build --mode production",
            "vite build --mode production",
        ],
        ..Rule::CHANGE
    },
    Rule {
        id: "remote.verb.each",
        severity: Severity::High,
        confidence: Confidence::Medium,
        message: "something at a service is changed for each of a list that nobody has seen",
        remedy: "show the list first, and let a person agree to it",
        when: When::Read,
        fires: &[
            "gam print users | while read -r u; do gam update user \"$u\" suspended on; done",
            "cat users.txt | xargs -n1 okta users update --status",
        ],
        quiet: &[
            "gam update user ann@example.com suspended on",
            "cat users.txt | while read -r u; do gam info user \"$u\"; done",
            "cat n.txt | xargs -n1 gh issue edit --add-label bug",
        ],
        ..Rule::CHANGE
    },
    Rule {
        id: "remote.verb.public",
        severity: Severity::High,
        confidence: Confidence::Medium,
        message: "something is put up for everybody to read",
        remedy: "make it private first, and let a person publish it",
        when: When::Read,
        fires: &["acmectl datasets create -p data --public", "acmectl upload data.csv --public"],
        quiet: &["acmectl datasets create -p data", "acmectl datasets list --public"],
        ..Rule::CHANGE
    },
    Rule {
        id: "remote.verb.unknown",
        severity: Severity::High,
        confidence: Confidence::Low,
        message: "what a tool of a service, a cluster or an engine is told to do cannot be known",
        remedy: "write its subcommand out",
        when: When::Read,
        fires: &[
            "heroku \"$WHAT\" -a shop",
            "kubectl $(cat what.txt)",
            "kubectl --context prod $(cat what.txt)",
        ],
        quiet: &[
            "heroku logs -a $APP",
            "what=logs; heroku $what -a shop",
            "kubectl --context $CTX get pods",
            "gcloud $FLAGS compute instances list",
        ],
        ..Rule::CHANGE
    },
    Rule {
        id: "remote.verb.local",
        message: "something that belongs to this machine's own copy of a tool is removed",
        remedy: "look at it first with the tool's `list`",
        when: When::Read,
        fires: &[
            "gcloud config configurations delete old",
            "gh extension remove x",
            "az cache purge",
            "rpk topic delete orders-test --brokers localhost:9092",
        ],
        quiet: &["gcloud config list", "gh extension list", "gcloud compute instances delete web"],
        ..Rule::CHANGE
    },
    Rule {
        id: "unfamiliar.verb.delete",
        confidence: Confidence::Low,
        message: "a tool that we do not know is told to delete or destroy something",
        remedy: "see what the tool says of it with `--help`, and whether it can only be shown what would go",
        when: When::Read,
        fires: &[
            "acmectl tenants delete prod",
            "./deploy.sh destroy staging",
            "acmectl db:drop",
            "acme --region eu clusters terminate c1",
            "acme delete-user 7",
            "acme db reset --yes",
            "acme deletetable t",
            "acme user-del bob",
            "acme vm-destroy web",
            "acme -i delete account name=web",
            "hdfs dfs -rm -r /data",
        ],
        quiet: &[
            "acmectl tenants list",
            "acmectl remove x",
            "acmectl delete --help",
            "acmectl plan destroy",
            "acmectl delete x --dry-run",
            "acmectl create delete-queue",
            "pytest tests delete",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "unfamiliar.program.run",
        confidence: Confidence::Low,
        message: "a program that we do not know is run; what it does is its own",
        remedy: "see what it says of itself with `--help`",
        when: When::Read,
        fires: &["acmectl sync", "./scripts/build.sh", "./tools/generate --out gen"],
        quiet: &[
            "acmectl --version",
            "acmectl status",
            "acmectl list --all",
            "git status",
            "acmectl delete --help",
        ],
        ..Rule::CHANGE
    },
];

/// The findings that say less than any other at the same place.
pub(super) const GENERIC: &[&str] = &[
    "remote.verb.delete",
    "remote.verb.local",
    "unfamiliar.program.run",
    "unfamiliar.verb.delete",
];

#[derive(Clone, Copy, Eq, PartialEq)]
enum Kind {
    Service,
    Local,
    Unfamiliar,
}

/// How many words a subcommand has at most: `gcloud compute os-config patch-deployments delete`.
const SUBCOMMAND_WORDS: usize = 5;

/// The longest word that is taken for a subcommand.
const WORD_BYTES: usize = 48;

/// Reads the subcommands of a program.
pub(super) fn reading(effect: &Effect, scene: &Scene<'_>, hits: &mut Vec<(&'static str, Hit)>) {
    let EffectKind::Run(run) = &effect.kind else { return };
    let service = has(SERVICES, &run.program);
    if (service || ENGINES.contains(&run.program.as_str())) && is_unsaid(run) {
        hits.push(("remote.verb.unknown", Hit::default()));
        return;
    }
    if !service && is_familiar(run) {
        return;
    }
    let Some((kind, said)) = destroying_word(run, service) else {
        if let Some((id, said)) = changing::found(run, service, effect, scene)
            && let Some(rule) = RULES.iter().find(|rule| rule.id == id)
        {
            let message = Some(format!("`{} … {said}`: {}", run.program, rule.message));
            hits.push((id, Hit { message, ..Hit::default() }));
            return;
        }
        if !service && !run.program.is_empty() && !super::names(&run.program) && !looks(run) {
            hits.push((UNKNOWN, Hit::default()));
        }
        return;
    };
    let id = match kind {
        Kind::Service => "remote.verb.delete",
        Kind::Local => "remote.verb.local",
        Kind::Unfamiliar => "unfamiliar.verb.delete",
    };
    let Some(rule) = RULES.iter().find(|rule| rule.id == id) else { return };
    let message = Some(format!("`{} … {said}`: {}", run.program, rule.message));
    hits.push((id, Hit { message, ..Hit::default() }));
}

/// Tools of clusters and engines, whose subcommands have rules of their own.
const ENGINES: &[&str] =
    &["docker", "helm", "kubectl", "oc", "podman", "pulumi", "terraform", "tofu"];

/// Whether not even the beginning of what such a tool is told is known, and nothing else that is known stands in its place.
fn is_unsaid(run: &Run) -> bool {
    let options = pattern::options(run);
    // What may be the value of an option before it says nothing, where something follows.
    let said: Vec<(&Argument, bool)> = options
        .words()
        .filter_map(|word| match word {
            Word::Operand(argument) => Some((argument, false)),
            Word::Doubtful(argument) => Some((argument, true)),
            Word::Option(_) => None,
        })
        .leading(2)
        .collect();
    let unknown = |word: &Argument| word.text.has_unknown() && word.text.known_prefix().is_empty();
    match said.as_slice() {
        [(first, _)] => unknown(first),
        // `gcloud $FLAGS compute instances list`
        [(first, is_value), (second, _)] => {
            let goes_on = is_subcommand(second.text.known_prefix());
            unknown(first) && !goes_on || *is_value && unknown(second)
        }
        _ => false,
    }
}

/// The rule about a program of which nothing is known.
const UNKNOWN: &str = "unfamiliar.program.run";

/// Whether a program says by its own words that it only looks.
fn looks(run: &Run) -> bool {
    let options = pattern::options(run);
    if pattern::is_rehearsal(&run.program, options) {
        return true;
    }
    let mut words = run.arguments.iter().map(|argument| argument.text.known_prefix());
    let Some(first) = words.next() else { return false };
    // What stands behind `-h` may be its host.
    let is_last = run.arguments.len() == 1;
    matches!(first, "-V" | "-v" | "-version" | "--version" | "--help" | "-?")
        || first == "-h" && is_last
        || run.arguments.len() == 1 && first.starts_with("--list")
        || options
            .words()
            .filter_map(|word| match word {
                Word::Operand(argument) => Some(argument.text.known_prefix()),
                _ => None,
            })
            .leading(2)
            .any(|word| has(LOOKS, first_part(word)))
}

fn is_familiar(run: &Run) -> bool {
    let checks = || ["test", "spec", "lint", "bench"].iter().any(|word| run.program.contains(word));
    run.program.is_empty()
        || run.known
        || programs::program(&run.program).is_some()
        || checks()
        || has(DEVELOPMENT, &run.program)
}

/// The word among the subcommands that destroys something.
fn destroying_word(run: &Run, service: bool) -> Option<(Kind, &str)> {
    let options = pattern::options(run);
    if pattern::is_rehearsal(&run.program, options) {
        return None;
    }
    let mut kind = if service { Kind::Service } else { Kind::Unfamiliar };
    let mut found = None;
    let mut thing = "";
    if kind == Kind::Unfamiliar
        && let Some(said) = dashed(run)
    {
        return Some((kind, said));
    }
    let mut words = options
        .words()
        .filter(|word| !matches!(word, Word::Option(_)))
        .leading(SUBCOMMAND_WORDS)
        .peekable();
    let mut is_first = true;
    while let Some(word) = words.next() {
        // `acme -i delete account`: what may be the value of an option is the verb where a thing stands behind it.
        let goes_on = std::mem::take(&mut is_first) && words.peek().is_some();
        let (argument, doubtful) = match word {
            Word::Operand(argument) => (argument, false),
            Word::Doubtful(argument) => (argument, true),
            Word::Option(_) => continue,
        };
        let said = argument.text.known_prefix();
        if found.is_some() {
            if said == "help" {
                return None;
            }
            break;
        }
        if !is_subcommand(said) {
            if service || doubtful {
                continue;
            }
            return None;
        }
        // `db reset`, `user del`: the thing stands before a word that says it of things.
        let says = said_by(said, service) || has(THINGS, thing) && has(WEAK, said);
        thing = if doubtful { "" } else { said.rsplit(':').next().unwrap_or("") };
        if says && (service || !doubtful || goes_on && has(STRONG, said)) {
            found = Some(said);
        } else if !doubtful && has(HARMLESS, first_part(said)) && !is_noun(run, said) {
            return None;
        } else if service && has(LOCAL_THINGS, first_part(said)) {
            kind = Kind::Local;
        }
    }
    // What runs on this machine is there to be built again.
    let is_here = |argument: &Argument| {
        let word = argument.text.known_prefix();
        let host = word.rsplit(['=', '@', '/']).next().unwrap_or(word);
        let name = host.split(':').next().unwrap_or(host);
        matches!(name, "localhost" | "127.0.0.1")
    };
    if found.is_some()
        && kind == Kind::Service
        && (run.arguments.iter().any(is_here)
            || found.is_some_and(|said| HERE.contains(&(run.program.as_str(), said))))
    {
        kind = Kind::Local;
    }
    found.map(|said| (kind, said))
}

/// Verbs that are written as options: `hdfs dfs -rm -r`.
const DASHED: &[&str] = &[
    "--delete-all",
    "--erase-all",
    "--factory-reset",
    "--mass-erase",
    "--wipe",
    "--wipe-all",
    "-expunge",
    "-rmr",
    "-skipTrash",
];

/// The verb that a tool is given as an option.
fn dashed(run: &Run) -> Option<&str> {
    let mut words = run.arguments.iter().filter_map(|word| word.text.as_known());
    let of_files = matches!(run.program.as_str(), "hadoop" | "hdfs");
    words.find(|word| DASHED.contains(word) || of_files && *word == "-rm")
}

fn is_subcommand(word: &str) -> bool {
    !word.is_empty()
        && word.len() <= WORD_BYTES
        && word
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, ':' | '-' | '_' | '.'))
}

/// Whether a word, or the first or last part of it, says that something is destroyed.
fn said_by(word: &str, service: bool) -> bool {
    if service && let Some(verb) = camel_verb(word) {
        return has(STRONG, &verb) || has(WEAK, &verb);
    }
    let destroys = |part: &str| has(STRONG, part) || (service && has(WEAK, part));
    let last = |separators: &[char]| word.rsplit(separators).next().unwrap_or("");
    let first = first_part(word);
    destroys(first)
        || first.strip_prefix("batch").is_some_and(destroys)
        || joined(first)
        || destroys(last(&[':', '.']))
        || !has(HARMLESS, first)
            && word.split_once(['-', '_', ':']).is_some_and(|(thing, verb)| {
                has(STRONG, verb) || has(THINGS, thing) && has(WEAK, verb)
            })
        || (service
            && !has(HARMLESS, first)
            && word.split(['-', '_']).any(|part| has(STRONG, part)))
}

/// `deletetable`, `dropdb`: a word that says it, with a thing behind it.
fn joined(word: &str) -> bool {
    STRONG.iter().any(|verb| {
        word.strip_prefix(verb).is_some_and(|thing| has(THINGS, thing) || thing == "all")
    })
}

/// `delete` of `DeleteInstance`.
fn camel_verb(word: &str) -> Option<String> {
    if !word.starts_with(|letter: char| letter.is_ascii_uppercase()) {
        return None;
    }
    let end = word
        .char_indices()
        .skip(1)
        .find(|(_, letter)| letter.is_ascii_uppercase())
        .map_or(word.len(), |(at, _)| at);
    Some(word.get(..end)?.to_ascii_lowercase())
}

/// Whether the word names a thing of this tool although it looks like something that is done.
fn is_noun(run: &Run, word: &str) -> bool {
    NOUNS.iter().any(|(program, noun)| *program == run.program && *noun == word)
}

fn first_part(word: &str) -> &str {
    word.split([':', '-', '_', '.']).next().unwrap_or("")
}
