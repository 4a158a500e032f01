//! What is lost only from a place that is there to be thrown away, or what is shown to nobody: the circumstances in which a
//! rule's finding is told and not asked about. Owns the table of rules and the proof that each of them wants; a proof that
//! is not complete changes nothing, and whatever could lead elsewhere (tunnels, variables, other settings) refutes it.

use super::{
    Hit, Scene,
    effects::{self, written},
    hosts,
};
use crate::{
    effect::{Argument, Effect, EffectKind, Run},
    place::{self, Place},
    programs::Options,
    risk::Severity,
    text::{SOURCES, Text},
};

/// What is asked of a program's run: whether its finding is of no consequence.
type Proof = fn(&Run, &Effect, &Scene<'_>) -> bool;

/// Rules, sorted by id, each with what proves that a finding of it is of no consequence.
static PROOFS: &[(&str, Proof)] = &[
    ("aws.s3.bucket-delete", emulated),
    ("aws.s3.delete", emulated),
    ("aws.s3.delete-many", emulated),
    ("cloud.database.delete", emulated),
    ("cloud.token.print", is_captured),
    ("container.compose.volumes", composed_for_tests),
    ("container.remove.many", stopped_or_chosen),
    ("db.drop", test_database),
    ("db.redis.flush", numbered_keys),
    ("db.reset", test_environment),
    ("git.checkout.everything", nothing_uncommitted),
    ("git.checkout.file", nothing_uncommitted),
    ("git.clean.force", only_made),
    ("git.reset.hard", nothing_uncommitted),
    ("remote.verb.delete", emulated),
    ("token.print", is_captured),
    ("unfamiliar.verb.delete", |run, effect, scene| {
        local_cluster(run, effect, scene)
            || matches!(run.program.as_str(), "rails" | "rake")
                && test_environment(run, effect, scene)
    }),
];

/// The hit of a rule, told as less where its circumstances prove that.
pub(super) fn tempered(rule: &str, effect: &Effect, scene: &Scene<'_>, mut hit: Hit) -> Hit {
    let row = PROOFS.binary_search_by(|row| row.0.cmp(rule)).ok().and_then(|at| PROOFS.get(at));
    if let (Some((_, proves)), EffectKind::Run(run)) = (row, &effect.kind)
        && !scene.is_remote(effect)
        && proves(run, effect, scene)
    {
        hit.severity = Some(Severity::Medium);
    }
    hit
}

/// Words by which an address of this machine, or a name, may mean something elsewhere.
const LEADS_ELSEWHERE: &[&str] = &[
    "--context",
    "COMPOSE_",
    "DOCKER_",
    "MYSQL_",
    "PGHOST",
    "PGPORT",
    "PGSERVICE",
    "REDISCLI",
    "alias ",
    "autossh",
    "cloudflared",
    "cloud-sql",
    "cloud_sql",
    "function ",
    "iptables",
    "port-forward",
    "proxy",
    "redir ",
    "socat",
    "ssh ",
    "stunnel",
    "tunnel",
    "/etc/hosts",
    ". ./",
    ". /",
    "source ",
];

/// Whether nothing in the whole action leads what is said to be here elsewhere, and no function stands in a program's place.
fn stays(run: &Run, scene: &Scene<'_>) -> bool {
    let defines = format!("{}()", run.program);
    let spaced = format!("{} ()", run.program);
    run.name.text.as_known().is_some()
        && scene.effects.layers.iter().all(|layer| {
            !LEADS_ELSEWHERE.iter().any(|word| layer.text.contains(word))
                && !layer.text.contains(&defines)
                && !layer.text.contains(&spaced)
        })
}

/// Whether a name says by a whole word of its own that it is a test's: `app_test`, `test-3`, and not `contest` or `test_prod`.
fn is_of_tests(name: &str) -> bool {
    const TESTS: &[&str] =
        &["ci", "e2e", "scratch", "spec", "temp", "test", "testdb", "testing", "tests", "tmp"];
    const REAL: &[&str] =
        &["live", "main", "master", "prd", "prod", "production", "real", "release", "staging"];
    let lower = name.to_ascii_lowercase();
    let words: Vec<&str> = lower
        .split(['_', '-', '.'])
        .filter(|word| !word.is_empty() && !word.bytes().all(|byte| byte.is_ascii_digit()))
        .collect();
    let ends = [words.first(), words.last()];
    ends.into_iter().flatten().any(|word| TESTS.contains(word))
        && !words.iter().any(|word| REAL.contains(word))
}

/// Whether each of these options, wherever it is given, names this machine.
fn is_here(options: Options<'_>, hosts: &[&str]) -> bool {
    options.values_of(hosts).all(|host| host.text.as_known().is_some_and(is_this_machine))
}

fn is_this_machine(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1" | "::1" | "[::1]")
        || host.starts_with("/var/run/")
        || host.starts_with("/tmp/")
}

/// The host in a URL, without whoever signs in and the port.
fn host_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    Some(host.rsplit_once(':').map_or(host, |(host, _)| host))
}

/// `dropdb app_test`: a database of tests on this machine.
fn test_database(run: &Run, _: &Effect, scene: &Scene<'_>) -> bool {
    let options = Options::new(
        &run.arguments,
        &["-h", "--host", "-p", "--port", "-U", "--username", "--maintenance-db"],
    );
    let mut operands = options.operands().peekable();
    run.program == "dropdb"
        && stays(run, scene)
        && is_here(options, &["-h", "--host"])
        && !options.has(&["--maintenance-db"])
        && operands.peek().is_some()
        && operands.all(|operand| operand.text.as_known().is_some_and(is_of_tests))
}

/// `redis-cli -n 15 flushdb`: one numbered keyspace that somebody chose, on this machine.
fn numbered_keys(run: &Run, _: &Effect, scene: &Scene<'_>) -> bool {
    let options = Options::new(&run.arguments, &["-h", "-p", "-n", "-a", "-u", "-s"]);
    let number = options.value(&["-n"]);
    let number = number.as_ref().and_then(|number| number.text.as_known()?.parse::<u8>().ok());
    let mut operands = options.operands();
    stays(run, scene)
        && is_here(options, &["-h"])
        && !options.has(&["-u", "-s", "--cluster"])
        && number.is_some_and(|number| number > 0)
        && operands
            .next()
            .and_then(|verb| verb.text.as_known())
            .is_some_and(|verb| verb.eq_ignore_ascii_case("flushdb"))
}

/// `RAILS_ENV=test rails db:drop`.
fn test_environment(run: &Run, effect: &Effect, scene: &Scene<'_>) -> bool {
    const SET: &[&str] =
        &["APP_ENV=test", "MIX_ENV=test", "NODE_ENV=test", "RACK_ENV=test", "RAILS_ENV=test"];
    let before = scene
        .effects
        .layer_text(effect.at.layer)
        .get(..effect.at.span.range().start)
        .unwrap_or("")
        .trim_end();
    let is_set = SET.iter().any(|set| {
        before
            .strip_suffix(set)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with([' ', '\n', ';', '&']))
    });
    is_set && stays(run, scene) && !before.contains("DATABASE_URL")
}

/// `--endpoint-url=http://localhost:4566`, `awslocal`: an emulator of the cloud on this machine.
fn emulated(run: &Run, _: &Effect, scene: &Scene<'_>) -> bool {
    let options = Options::new(&run.arguments, &["--endpoint-url", "--profile", "--region"]);
    let ends = options.values_of(&["--endpoint-url"]);
    let mut ends = ends
        .map(|end| end.text.as_known().and_then(host_of).is_some_and(is_this_machine))
        .peekable();
    let is_local = match run.program.as_str() {
        "awslocal" => ends.peek().is_none(),
        "aws" => ends.peek().is_some(),
        _ => return false,
    };
    is_local && ends.all(|end| end) && stays(run, scene)
}

/// `kind delete cluster --name dev`: a cluster that runs on this machine by what the program is.
fn local_cluster(run: &Run, _: &Effect, scene: &Scene<'_>) -> bool {
    let words: Option<Vec<&str>> = run.arguments.iter().map(|word| word.text.as_known()).collect();
    let Some(words) = words else { return false };
    let begins = match run.program.as_str() {
        "kind" => words.starts_with(&["delete", "cluster"]),
        "k3d" => words.starts_with(&["cluster", "delete"]),
        "minikube" => words.starts_with(&["delete"]),
        _ => return false,
    };
    let all = words
        .iter()
        .any(|word| matches!(*word, "--all" | "-a" | "--purge") || word.contains("prod"));
    begins && !all && stays(run, scene)
}

/// `docker compose -f docker-compose.test.yml down -v`, `-p app_test`: volumes that a test's services made.
fn composed_for_tests(run: &Run, _: &Effect, scene: &Scene<'_>) -> bool {
    let options = Options::new(
        &run.arguments,
        &["-f", "--file", "-p", "--project-name", "--profile", "--env-file"],
    );
    let known = |value: Argument| value.text.as_known().map(str::to_owned);
    let name = |file: &str| {
        file.rsplit('/')
            .next()
            .map(|name| name.trim_end_matches(".yml").trim_end_matches(".yaml").to_owned())
    };
    let files: Vec<_> = options.values_of(&["-f", "--file"]).map(known).collect();
    let projects: Vec<_> = options.values_of(&["-p", "--project-name"]).map(known).collect();
    let chosen = if projects.is_empty() { files } else { projects };
    !chosen.is_empty()
        && !reaches_elsewhere(run)
        && stays(run, scene)
        && chosen
            .iter()
            .all(|value| value.as_deref().and_then(name).is_some_and(|name| is_of_tests(&name)))
}

/// `docker -H ssh://prod …`: an engine that is not this machine's.
fn reaches_elsewhere(run: &Run) -> bool {
    run.arguments.iter().any(|word| {
        let word = word.text.known_prefix();
        ["-H", "--host", "--context", "--connection", "--url", "--remote", "-c"]
            .iter()
            .any(|option| word.starts_with(option))
    })
}

/// Containers that are stopped, and can be started again; or that a label or a test's name chose.
fn stopped_or_chosen(run: &Run, _: &Effect, scene: &Scene<'_>) -> bool {
    if !stays(run, scene) || reaches_elsewhere(run) {
        return false;
    }
    let mut words = run.arguments.iter().map(|word| word.text.as_known());
    let verb = words.find(|word| *word != Some("container")).flatten();
    if verb == Some("stop") {
        return true;
    }
    let is_chosen = |text: &Text| {
        let origins = scene.origins(text);
        let mut lists = origins.into_iter().filter_map(|origin| match &origin.kind {
            EffectKind::Run(list) if list.program == run.program => Some(list),
            _ => None,
        });
        lists.any(|list| {
            let options = Options::new(&list.arguments, &["-f", "--filter", "--format"]);
            options.values_of(&["-f", "--filter"]).any(|filter| {
                filter.text.as_known().and_then(|filter| filter.split_once('=')).is_some_and(
                    |(key, value)| match key {
                        "label" => value.split(['=', '.', '/']).any(is_of_tests),
                        "name" => is_of_tests(value.trim_matches(['^', '$'])),
                        _ => false,
                    },
                )
            })
        })
    };
    let unknown: Vec<&Text> =
        run.arguments.iter().map(|word| &word.text).filter(|text| text.has_unknown()).collect();
    verb == Some("rm") && !unknown.is_empty() && unknown.into_iter().all(is_chosen)
}

/// `git clean -fdX build/`: nothing but what builds make.
fn only_made(run: &Run, _: &Effect, scene: &Scene<'_>) -> bool {
    let mut operands = run
        .arguments
        .iter()
        .skip(1)
        .filter(|word| !word.text.known_prefix().starts_with('-'))
        .peekable();
    let is_made = |path: &str| {
        !path.contains("..")
            && !path.starts_with(['/', '~', ':', '-'])
            && place::place(&format!("/elsewhere/{}", path.trim_end_matches('/')), scene.facts)
                == Place::Artifact
    };
    operands.peek().is_some()
        && operands.all(|operand| operand.text.as_known().is_some_and(is_made))
        && run.arguments.first().is_some_and(|verb| verb.text.as_known() == Some("clean"))
}

/// `git diff --quiet && git reset --hard origin/main`: what would be lost was looked for, and is not there.
fn nothing_uncommitted(_: &Run, effect: &Effect, scene: &Scene<'_>) -> bool {
    const PROVED: &[&str] = &[
        "git diff --quiet",
        "git diff --quiet HEAD",
        "git diff --quiet --exit-code",
        "git diff --exit-code --quiet",
        "git diff-index --quiet HEAD",
        "git diff-index --quiet HEAD --",
        "[ -z \"$(git status --porcelain)\" ]",
        "[[ -z \"$(git status --porcelain)\" ]]",
        "[[ -z $(git status --porcelain) ]]",
        "test -z \"$(git status --porcelain)\"",
        "git stash",
        "git stash push",
        "git stash -u",
        "git stash push -u",
        "git stash --include-untracked",
    ];
    const BETWEEN: &[&str] = &[
        "git diff --cached --quiet",
        "git diff --quiet --cached",
        "git fetch",
        "git fetch origin",
        "git fetch --all",
        "git fetch --prune",
        "git fetch origin main",
    ];
    let text = scene.effects.layer_text(effect.at.layer);
    let before = text.get(..effect.at.span.range().start).unwrap_or("").trim_end();
    let is_replaced = ["alias", "git()", "git ()", "function", "PATH=", "GIT_", "#"]
        .iter()
        .any(|word| text.contains(word));
    let Some(before) = before.strip_suffix("&&") else { return false };
    if is_replaced {
        return false;
    }
    for part in before.rsplit("&&") {
        // Only the nearest commands count: those that a `&&` joins to this one.
        let part = part.trim();
        if PROVED.contains(&part) {
            return true;
        }
        if !BETWEEN.contains(&part) {
            return false;
        }
    }
    false
}

/// Hosts to which a token belongs, by the program that printed it.
const ISSUERS: &[(&str, &[&str])] = &[
    ("aws", &["amazonaws.com"]),
    ("az", &["azure.com", "azurecr.io", "microsoft.com", "windows.net"]),
    ("gcloud", &["gcr.io", "googleapis.com", "pkg.dev"]),
    ("gh", &["github.com", "ghcr.io", "githubusercontent.com"]),
    ("glab", &["gitlab.com"]),
];

/// `GITHUB_TOKEN=$(gh auth token) tool`, `curl -H "Authorization: token $(gh auth token)" https://api.github.com/…`: the token
/// goes to a program that signs in with it, or back to whom it came from, and nobody sees it.
fn is_captured(run: &Run, effect: &Effect, scene: &Scene<'_>) -> bool {
    let is_it = |text: &Text| {
        text.sources.len() >= SOURCES
            || scene.origins(text).into_iter().any(|origin| std::ptr::eq(origin, effect))
    };
    if is_it(&scene.effects.shown) || shows_environment(scene) {
        return false;
    }
    let issuers = ISSUERS
        .iter()
        .find(|(program, _)| *program == run.program)
        .map_or(&[][..], |(_, hosts)| hosts);
    let is_issuer = |host: Option<&str>| {
        host.is_some_and(|host| {
            issuers.iter().any(|issuer| {
                host == *issuer || host.strip_suffix(issuer).is_some_and(|rest| rest.ends_with('.'))
            })
        })
    };
    let range = effect.at.span.range();
    let text = scene.effects.layer_text(effect.at.layer);
    let is_substituted = text.get(..range.start).is_some_and(|before| before.ends_with("$("))
        || text
            .get(range.end..)
            .is_some_and(|after| after.trim_start().starts_with("| docker login"));
    let mut is_used = false;
    let goes_well = scene.effects.list.iter().all(|other| match &other.kind {
        EffectKind::Connect(connection) => {
            let carries =
                is_it(&connection.address) || connection.sends.as_ref().is_some_and(is_it);
            is_used |= carries;
            !carries || is_issuer(connection.host.as_deref())
        }
        EffectKind::Write { content, target, .. } => !is_it(content) && !is_it(&target.text),
        EffectKind::Execute { code, .. } => !is_it(code),
        EffectKind::Query { statement } => !is_it(statement),
        EffectKind::Run(user) => {
            let by_argument = user.arguments.iter().any(|word| is_it(&word.text));
            let by_input = user.input.as_ref().is_some_and(is_it);
            match user.program.as_str() {
                _ if !by_argument && !by_input => true,
                "declare" | "env" | "export" | "local" | "readonly" | "typeset" => true,
                "curl" | "wget" | "http" | "xh" => {
                    let mut urls = user
                        .arguments
                        .iter()
                        .filter_map(|word| host_of(word.text.known_prefix()))
                        .peekable();
                    urls.peek().is_some() && urls.all(|host| is_issuer(Some(host)))
                }
                "docker" | "podman" => {
                    let options =
                        Options::new(&user.arguments, &["-u", "--username", "-p", "--password"]);
                    let mut operands = options.operands();
                    let is_login =
                        operands.next().is_some_and(|verb| verb.text.as_known() == Some("login"));
                    let host = operands.next().and_then(|host| host.text.as_known());
                    let host = host.map(|host| host_of(host).unwrap_or(host));
                    is_login && by_input && !by_argument && is_issuer(host)
                }
                _ => false,
            }
        }
        _ => true,
    });
    (is_substituted || is_used) && goes_well
}

/// Whether anything in the action prints variables that it did not set, or the environment as a whole.
pub(super) fn prints_environment(scene: &Scene<'_>) -> bool {
    const READERS: &[&str] = &[
        "%ENV",
        "/environ",
        "ENV.each",
        "ENV.to_",
        "ENVIRON",
        "compgen",
        "declare -p",
        "dict(os.environ",
        "dotenv_values",
        "export -p",
        "getenv",
        "os.environ)",
        "os.environ,",
        "os.environ.copy",
        "os.environ.items",
        "process.env)",
        "process.env,",
        "process.env}",
        "puts ENV",
        "set -x",
        "set -o xtrace",
        "std::env::vars",
        "bash -x",
        "sh -x",
        "xtrace",
    ];
    let text_shows = scene
        .effects
        .layers
        .iter()
        .any(|layer| READERS.iter().any(|reader| layer.text.contains(reader)));
    let is_printer = |run: &Run| match run.program.as_str() {
        "printenv" => true,
        "env" => run.arguments.iter().all(|word| word.text.known_prefix().starts_with('-')),
        "declare" | "export" | "set" | "typeset" => run
            .arguments
            .iter()
            .all(|word| matches!(word.text.as_known(), Some("-p" | "-x" | "-px" | "-xp"))),
        // What comes from a file or a program is told of where that is read.
        "echo" | "printf" | "logger" => {
            run.arguments.iter().any(|word| word.text.has_unknown() && word.text.sources.is_empty())
        }
        "bash" | "sh" | "zsh" | "dash" => {
            run.arguments.iter().any(|word| word.text.as_known() == Some("-c"))
        }
        _ => false,
    };
    text_shows || scene.effects.list.iter().filter_map(effects::run).any(is_printer)
}

/// The same, or whether anything could hand the environment on, or a text with a variable in it.
pub(super) fn shows_environment(scene: &Scene<'_>) -> bool {
    const READERS: &[&str] = &[
        "$ENV",
        "ENV[",
        "ENV{",
        "ENV.",
        "environ",
        "process.env",
        "os.Getenv",
        "env::var",
        "System.getenv",
    ];
    let reads = |run: &Run| {
        let word = |word: &Argument| word.text.known_prefix().contains("env");
        run.program == "jq" && run.arguments.iter().any(word)
            || run
                .input
                .as_ref()
                .is_some_and(|input| input.has_unknown() && input.sources.is_empty())
    };
    let is_read = |text: &str| READERS.iter().any(|reader| text.contains(reader));
    scene.effects.layers.iter().any(|layer| is_read(&layer.text))
        || scene.effects.list.iter().filter_map(effects::run).any(reads)
        || prints_environment(scene)
        || scene.effects.list.iter().any(|effect| match &effect.kind {
            EffectKind::Connect(connection) => {
                let sends = connection.sends.as_ref();
                !hosts_here(connection.host.as_deref()) && sends.is_some_and(Text::has_unknown)
                    || connection.address.has_unknown()
            }
            EffectKind::Write { content, .. } => content.has_unknown(),
            _ => false,
        })
}

fn hosts_here(host: Option<&str>) -> bool {
    host.is_some_and(|host| hosts::kind(host) == hosts::HostKind::Local)
}

/// Whether a file in a directory for temporary ones is its own and no other name of something else.
pub(super) fn is_temporary_copy(path: &str, scene: &Scene<'_>) -> bool {
    let leads = scene.facts.paths.get(path).is_some_and(|fact| fact.leads_to.is_some());
    let is_linked = scene.effects.list.iter().any(|effect| {
        written(effect).is_some_and(|(_, mode, _)| mode == crate::effect::WriteMode::Link)
    });
    !leads && !is_linked && place::place(path, scene.facts) == Place::Temporary
}

/// Whether a statement loses only what is there to be lost: a database that lies in memory or in a temporary file, tables and
/// databases of this machine that are called temporary or a test's.
pub(super) fn is_throwaway(effect: &Effect, statement: &Text, scene: &Scene<'_>) -> bool {
    let Some(run) = scene.program_around(effect) else { return false };
    if !stays(run, scene) {
        return false;
    }
    match run.program.as_str() {
        "sqlite3" | "duckdb" => {
            let options = Options::new(&run.arguments, &["-cmd", "-init", "-separator"]);
            let file = options.operands().next().and_then(|file| file.text.as_known());
            let is_attached = statement.display().to_ascii_lowercase().contains("attach");
            !is_attached
                && (file.is_some_and(|file| {
                    file == ":memory:" || file.starts_with('/') && is_temporary_copy(file, scene)
                }) || drops_for_tests(statement))
        }
        "psql" | "mysql" | "mariadb" => {
            let options = Options::new(
                &run.arguments,
                &[
                    "-h",
                    "--host",
                    "-c",
                    "--command",
                    "-e",
                    "--execute",
                    "-d",
                    "--dbname",
                    "-U",
                    "-u",
                    "--username",
                    "-p",
                    "--port",
                    "-P",
                ],
            );
            let is_plain = run.arguments.iter().all(|word| {
                let word = word.text.known_prefix();
                !word.contains("host=") && !word.contains("://") && !word.starts_with("service=")
            });
            is_plain && is_here(options, &["-h", "--host"]) && drops_for_tests(statement)
        }
        _ => false,
    }
}

/// `DROP TABLE IF EXISTS tmp_a, tmp_b`, `DROP DATABASE app_test`, and nothing else.
fn drops_for_tests(statement: &Text) -> bool {
    let Some(text) = statement.as_known() else { return false };
    let text = text.trim().trim_end_matches(';').trim();
    let words: Vec<&str> = text.split_whitespace().collect();
    let is =
        |at: usize, word: &str| words.get(at).is_some_and(|given| given.eq_ignore_ascii_case(word));
    if !is(0, "drop") || !(is(1, "table") || is(1, "database") || is(1, "view")) {
        return false;
    }
    let first = if is(2, "if") && is(3, "exists") { 4 } else { 2 };
    let names = words.get(first..).unwrap_or_default();
    let name =
        |name: &str| name.trim_matches(['"', '`', ',']).rsplit('.').next().unwrap_or("").to_owned();
    let is_chosen = |word: &&str| {
        let is_plain = word
            .trim_matches(['"', '`', ','])
            .chars()
            .all(|letter| letter.is_alphanumeric() || "_-.".contains(letter));
        is_plain && is_of_tests(&name(word))
    };
    !names.is_empty() && names.iter().all(is_chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_are_sorted_and_belong_to_rules() {
        for pair in PROOFS.windows(2) {
            assert!(pair.first().map(|row| row.0) < pair.last().map(|row| row.0));
        }
        for (rule, _) in PROOFS {
            assert!(super::super::find(rule).is_some(), "{rule}");
        }
    }

    #[test]
    fn names_are_of_tests_by_whole_words() {
        for name in ["app_test", "test", "test-db", "tmp_import", "app_test_3", "ci.cache"] {
            assert!(is_of_tests(name), "{name}");
        }
        for name in [
            "app",
            "contest",
            "latest",
            "test_prod",
            "app_testimonials",
            "production-test",
            "app_test_data",
            "",
        ] {
            assert!(!is_of_tests(name), "{name}");
        }
    }
}
