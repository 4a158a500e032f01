//! Rules on words that say what they do: `delete`, `destroy`, `purge`, in any tool that manages something elsewhere. Owns
//! the words; a tool whose commands have rules of their own needs nothing here.

use super::{Hit, Rule, Scene, Shelf, When, pattern};
use crate::{
    effect::{Effect, EffectKind, Run},
    finding::Confidence,
    programs::{self, Word},
};

pub(super) static SHELF: Shelf = Shelf { programs: &[], rules: RULES };

static RULES: &[Rule] = &[
    Rule {
        id: "remote.verb.delete",
        confidence: Confidence::Medium,
        message: "something is removed or switched off at a service, for everybody who uses it",
        remedy: "look at it first with the tool's `describe`, `get` or `list`, and keep a copy of its settings",
        when: When::Effect(|effect, scene| fires(effect, scene, Kind::Service)),
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
        id: "remote.verb.local",
        message: "something that belongs to this machine's own copy of a tool is removed",
        remedy: "look at it first with the tool's `list`",
        when: When::Effect(|effect, scene| fires(effect, scene, Kind::Local)),
        fires: &[
            "gcloud config configurations delete old",
            "gh extension remove x",
            "az cache purge",
        ],
        quiet: &["gcloud config list", "gh extension list", "gcloud compute instances delete web"],
        ..Rule::CHANGE
    },
    Rule {
        id: "unfamiliar.verb.delete",
        confidence: Confidence::Low,
        message: "a tool that we do not know is told to delete or destroy something",
        remedy: "see what the tool says of it with `--help`, and whether it can only be shown what would go",
        when: When::Effect(|effect, scene| fires(effect, scene, Kind::Unfamiliar)),
        fires: &[
            "acmectl tenants delete prod",
            "./deploy.sh destroy staging",
            "acmectl db:drop",
            "acme --region eu clusters terminate c1",
            "acme delete-user 7",
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
];

/// The findings that say less than any other at the same place.
pub(super) const GENERIC: &[&str] =
    &["remote.verb.delete", "remote.verb.local", "unfamiliar.verb.delete"];

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

/// Tools that manage something at a service or on another machine, sorted.
static SERVICES: &[&str] = &[
    "algolia",
    "aliyun",
    "apigeecli",
    "appwrite",
    "astro",
    "atlas",
    "auth0",
    "aws",
    "awslocal",
    "az",
    "bosh",
    "braintree",
    "bw",
    "bws",
    "cf",
    "cfcli",
    "circleci",
    "civo",
    "clever",
    "cloudflare",
    "confluent",
    "contentful",
    "convox",
    "databricks",
    "datadog-ci",
    "deck",
    "deployctl",
    "doctl",
    "dog",
    "dogshell",
    "doppler",
    "drush",
    "eas",
    "eb",
    "eksctl",
    "elastic",
    "es",
    "exo",
    "fastly",
    "fauna",
    "firebase",
    "flarectl",
    "flipt",
    "fly",
    "flyctl",
    "gam",
    "gcloud",
    "gh",
    "glab",
    "grafanactl",
    "hasura",
    "hcloud",
    "heroku",
    "hub",
    "ibmcloud",
    "infisical",
    "influx",
    "inngest",
    "jenkins-cli",
    "jf",
    "jfrog",
    "konnect",
    "ldcli",
    "lightsailctl",
    "linode-cli",
    "mailchimp",
    "mailgun",
    "meilisearch",
    "mongocli",
    "nats",
    "neonctl",
    "netlify",
    "newrelic",
    "ngrok",
    "oci",
    "octopus",
    "okta",
    "op",
    "openstack",
    "opsgenie",
    "paddle",
    "pagerduty",
    "pd",
    "platform",
    "postmark",
    "pscale",
    "pulsar-admin",
    "qovery",
    "rabbitmqadmin",
    "railway",
    "render",
    "rover",
    "rpk",
    "sanity",
    "scw",
    "sendgrid",
    "sentry-cli",
    "shopify",
    "snow",
    "split",
    "splitctl",
    "splunk",
    "square",
    "ssm",
    "stripe",
    "supabase",
    "tailscale",
    "tccli",
    "tctl",
    "temporal",
    "travis",
    "tsh",
    "turso",
    "twilio",
    "upctl",
    "upstash",
    "vault",
    "vc",
    "vercel",
    "vultr-cli",
    "wrangler",
    "xata",
    "yc",
];

/// Tools of a developer that are known for something else, where such a word is a name, a filter or a target, sorted.
static DEVELOPMENT: &[&str] = &[
    "ack",
    "act",
    "actionlint",
    "ag",
    "airflow",
    "alembic",
    "ant",
    "asdf",
    "autoflake",
    "ava",
    "babel",
    "bat",
    "bazel",
    "behave",
    "biome",
    "black",
    "buck",
    "bundle",
    "clang-format",
    "cmake",
    "code",
    "composer",
    "conda",
    "crontab",
    "ctest",
    "cucumber",
    "cypress",
    "dart",
    "deno",
    "django-admin",
    "dotnet",
    "dune",
    "earthly",
    "emacs",
    "emulator",
    "esbuild",
    "eslint",
    "flake8",
    "flutter",
    "gradle",
    "gradlew",
    "grunt",
    "gulp",
    "hatch",
    "invoke",
    "isort",
    "jest",
    "jq",
    "jupyter",
    "just",
    "karma",
    "lerna",
    "less",
    "lint-staged",
    "make",
    "mamba",
    "meson",
    "mise",
    "mix",
    "mocha",
    "mvn",
    "mvnw",
    "mypy",
    "nano",
    "newman",
    "ninja",
    "nox",
    "nvim",
    "nx",
    "oxlint",
    "pants",
    "pdm",
    "phpunit",
    "pixi",
    "playwright",
    "poe",
    "pre-commit",
    "prettier",
    "pulp",
    "py.test",
    "pyenv",
    "pylint",
    "pyright",
    "pytest",
    "rebar3",
    "rollup",
    "rspec",
    "rubocop",
    "ruff",
    "rustup",
    "sbt",
    "sdk",
    "shellcheck",
    "stack",
    "storybook",
    "swift",
    "swiftlint",
    "task",
    "taskwarrior",
    "tmux",
    "tox",
    "tsc",
    "turbo",
    "vi",
    "vim",
    "vite",
    "vitest",
    "volta",
    "webpack",
    "xcodebuild",
    "yq",
    "zypper",
];

/// Words that say it in any tool, sorted.
static STRONG: &[&str] = &[
    "decommission",
    "delete",
    "deleteall",
    "deletes",
    "deprovision",
    "destroy",
    "drop",
    "dropall",
    "erase",
    "nuke",
    "obliterate",
    "purge",
    "terminate",
    "undeploy",
    "wipe",
];

/// Words that say it where the tool manages something elsewhere, sorted.
static WEAK: &[&str] = &[
    "archive",
    "batchdelete",
    "clear",
    "deactivate",
    "del",
    "deregister",
    "destruct",
    "detach",
    "disable",
    "disassociate",
    "evict",
    "flush",
    "flushall",
    "prune",
    "remove",
    "reset",
    "revoke",
    "rm",
    "rollback",
    "suspend",
    "teardown",
    "unassign",
    "uninstall",
    "unlink",
    "unpublish",
    "unregister",
    "yank",
];

/// First words of a subcommand that looks or makes instead, sorted.
static HARMLESS: &[&str] = &[
    "add",
    "apply",
    "audit",
    "build",
    "cat",
    "check",
    "completion",
    "copy",
    "count",
    "cp",
    "create",
    "describe",
    "dev",
    "diff",
    "docs",
    "dump",
    "echo",
    "events",
    "exec",
    "explain",
    "export",
    "find",
    "get",
    "grep",
    "head",
    "help",
    "import",
    "info",
    "init",
    "inspect",
    "install",
    "lint",
    "list",
    "log",
    "login",
    "logs",
    "ls",
    "new",
    "open",
    "ping",
    "plan",
    "preview",
    "print",
    "query",
    "read",
    "run",
    "search",
    "show",
    "stat",
    "status",
    "tail",
    "test",
    "top",
    "validate",
    "version",
    "versions",
    "view",
    "wait",
    "watch",
    "whoami",
];

/// Things that a tool keeps on this machine, sorted.
static LOCAL_THINGS: &[&str] = &[
    "alias",
    "aliases",
    "cache",
    "completion",
    "component",
    "components",
    "config",
    "configurations",
    "configure",
    "context",
    "contexts",
    "extension",
    "extensions",
    "local",
    "login",
    "plugin",
    "plugins",
    "profile",
    "profiles",
    "telemetry",
];

fn fires(effect: &Effect, _: &Scene<'_>, wanted: Kind) -> Option<Hit> {
    let EffectKind::Run(run) = &effect.kind else { return None };
    let service = has(SERVICES, &run.program);
    if service == (wanted == Kind::Unfamiliar) || (!service && is_familiar(run)) {
        return None;
    }
    let (kind, said) = destroying_word(run, service)?;
    if kind != wanted {
        return None;
    }
    let rule = RULES.iter().find(|rule| match wanted {
        Kind::Service => rule.id == "remote.verb.delete",
        Kind::Local => rule.id == "remote.verb.local",
        Kind::Unfamiliar => rule.id == "unfamiliar.verb.delete",
    })?;
    Some(Hit {
        message: Some(format!("`{} … {said}`: {}", run.program, rule.message)),
        ..Hit::default()
    })
}

fn is_familiar(run: &Run) -> bool {
    let row = programs::program(&run.program);
    run.program.is_empty() || run.known || row.is_some() || has(DEVELOPMENT, &run.program)
}

/// The word among the subcommands that destroys something.
fn destroying_word(run: &Run, service: bool) -> Option<(Kind, &str)> {
    let options = pattern::options(run);
    if pattern::is_rehearsal(&run.program, options) {
        return None;
    }
    let mut kind = if service { Kind::Service } else { Kind::Unfamiliar };
    let mut found = None;
    for word in
        options.words().filter(|word| !matches!(word, Word::Option(_))).take(SUBCOMMAND_WORDS)
    {
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
        let says = said_by(said, service);
        if says && (service || !doubtful) {
            found = Some(said);
        } else if !doubtful && has(HARMLESS, first_part(said)) {
            return None;
        } else if service && has(LOCAL_THINGS, first_part(said)) {
            kind = Kind::Local;
        }
    }
    found.map(|said| (kind, said))
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
    let destroys = |part: &str| has(STRONG, part) || (service && has(WEAK, part));
    let last = |separators: &[char]| word.rsplit(separators).next().unwrap_or("");
    let first = first_part(word);
    destroys(first)
        || first.strip_prefix("batch").is_some_and(destroys)
        || destroys(last(&[':', '.']))
        || (service && !has(HARMLESS, first) && has(STRONG, last(&['-', '_'])))
}

fn first_part(word: &str) -> &str {
    word.split([':', '-', '_', '.']).next().unwrap_or("")
}

fn has(sorted: &[&str], word: &str) -> bool {
    sorted.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_sorted() {
        for words in [SERVICES, DEVELOPMENT, STRONG, WEAK, HARMLESS, LOCAL_THINGS] {
            for pair in words.windows(2) {
                assert!(pair.is_sorted(), "{pair:?}");
            }
        }
    }
}
