//! What is lost only from a place that is there to be thrown away, or what is shown to nobody: the circumstances in which a
//! rule's finding is told and not asked about. Owns the table of rules and the proof that each of them wants; a proof that
//! is not complete changes nothing, and whatever could lead elsewhere (tunnels, variables, other settings) refutes it.

use super::{Hit, Scene, effects::written, hosts};
use crate::{
    effect::{Argument, Effect, EffectKind, Layer, Run},
    place::{self, Place},
    programs::{self, Options},
    risk::Severity,
    text::{Piece, Text},
};

mod captured;
mod composed;
pub(super) mod databases;
mod environment;
mod made;
pub(super) mod projects;
mod tests_only;
mod uncommitted;

pub(super) use environment::{prints_environment, shows_environment};
use tests_only::{composed_for_tests, is_of_tests, test_index, test_queue, volumes_of_tests};

/// What is asked of a program's run: whether its finding is of no consequence.
type Proof = fn(&Run, &Effect, &Scene<'_>) -> bool;

/// Rules, sorted by id, each with what proves that a finding of it is of no consequence.
static PROOFS: &[(&str, Proof)] = &[
    ("aws.s3.bucket-delete", emulated),
    ("aws.s3.delete", emulated),
    ("aws.s3.delete-many", emulated),
    ("cloud.database.delete", emulated),
    ("cloud.queue.purge", emulated),
    ("cloud.token.print", |run, effect, scene| {
        captured::is_used_where_it_belongs(run, effect, scene) || scene.is_cut_to_names(effect)
    }),
    ("container.compose.volumes", composed_for_tests),
    ("container.prune.volumes", labelled),
    ("container.remove.many", stopped_or_chosen),
    ("container.run.host-mount", projects::shows_names_only),
    ("container.volume.remove", volumes_of_tests),
    ("db.drop", |run, effect, scene| {
        databases::test_database(run, effect, scene) || made::database(run, effect, scene)
    }),
    ("db.mongo.drop", databases::test_documents),
    ("db.mongo.update-all", databases::test_documents),
    ("db.redis.flush", |run, effect, scene| {
        numbered_keys(run, effect, scene)
            || made::server(run, effect, scene)
            || composed::client_of_tests(run, effect, scene)
    }),
    ("db.reset", databases::test_environment),
    ("db.script.drop", databases::test_documents),
    ("deploy.production", cluster_here),
    ("fs.delete.shred", made::wrote_all),
    ("git.branch.delete-force", made::repository_of_its_own),
    ("git.checkout.everything", loses_nothing),
    ("git.checkout.file", |run, effect, scene| {
        loses_nothing(run, effect, scene) || made::generated(run, effect, scene)
    }),
    ("git.clean.force", |run, effect, scene| {
        only_made(run, effect, scene)
            || made::work_tree_of_its_own(run, effect, scene)
            || made::clone_of_its_own(run, effect, scene)
            || made::repository_of_its_own(run, effect, scene)
    }),
    ("git.gc.prune", made::repository_of_its_own),
    ("git.history.rewrite", |run, effect, scene| {
        made::clone_of_its_own(run, effect, scene) || made::place_of_its_own(run, effect, scene)
    }),
    ("git.push.force", |run, effect, scene| {
        pushes_nothing(run, effect, scene) || pushes_into_temporary(run, effect, scene)
    }),
    ("git.push.shared", pushes_into_temporary),
    ("git.push.tag", pushes_into_temporary),
    ("git.reflog.expire", made::repository_of_its_own),
    ("git.reset.hard", |run, effect, scene| {
        loses_nothing(run, effect, scene) || made::repository_of_its_own(run, effect, scene)
    }),
    ("git.stash.drop", made::repository_of_its_own),
    ("git.tag.delete", made::repository_of_its_own),
    ("git.worktree.remove-force", made::work_tree),
    ("http.request.delete", test_index),
    ("http.request.delete-by-path", test_index),
    ("k8s.delete.all", cluster_here),
    ("k8s.delete.gateway", cluster_here),
    ("k8s.delete.namespace", cluster_here),
    ("k8s.delete.object", cluster_here),
    ("k8s.secrets.read", |_, effect, scene| scene.is_cut_to_names(effect)),
    ("kafka.topic.delete", |_, effect, scene| made::in_container_of_its_own(effect, scene)),
    ("minio.delete", made::store_here),
    ("package.index.plain", |run, _, _| names_this_machine_alone(run)),
    ("query.delete.all", composed::client_of_tests),
    ("query.drop.table", composed::client_of_tests),
    ("query.truncate", composed::client_of_tests),
    ("rabbitmq.delete", test_queue),
    ("remote.verb.delete", emulated),
    ("token.print", |run, effect, scene| {
        captured::is_used_where_it_belongs(run, effect, scene) || scene.is_cut_to_names(effect)
    }),
    ("unfamiliar.verb.delete", |run, effect, scene| {
        local_cluster(run, effect, scene)
            || matches!(run.program.as_str(), "cdklocal" | "pulumilocal" | "samlocal" | "tflocal")
            || made::cluster(run, effect, scene)
            || test_queue(run, effect, scene)
            || matches!(run.program.as_str(), "rails" | "rake" | "sequelize" | "sequelize-cli")
                && databases::test_environment(run, effect, scene)
    }),
    ("windows.program.fetches", made::decodes_data),
];

/// Whether each address among the words is one of this machine: `--registry http://localhost:4873`.
fn names_this_machine_alone(run: &Run) -> bool {
    let mut addresses = run
        .arguments
        .iter()
        .map(|word| word.text.known_prefix())
        .filter(|word| word.contains("://"))
        .map(|word| word.split_once('=').map_or(word, |(_, value)| value))
        .peekable();
    addresses.peek().is_some()
        && addresses.all(|address| host_of(address).is_some_and(is_this_machine))
        && !run.arguments.iter().any(|word| word.text.has_unknown())
}

/// The hit of a rule, told as less where its circumstances prove that.
pub(super) fn tempered(rule: &str, effect: &Effect, scene: &Scene<'_>, mut hit: Hit) -> Hit {
    let row = PROOFS.binary_search_by(|row| row.0.cmp(rule)).ok().and_then(|at| PROOFS.get(at));
    let run = match &effect.kind {
        EffectKind::Run(run) => Some(run),
        EffectKind::Noted(_) | EffectKind::Query { .. } => scene.program_around(effect),
        _ => None,
    };
    if let (Some((_, proves)), Some(run)) = (row, run)
        && !scene.is_remote(effect)
        && proves(run, effect, scene)
    {
        hit.severity = Some(Severity::Medium);
    }
    hit
}

/// Nothing that was never committed, or nothing but what this call made.
fn loses_nothing(run: &Run, effect: &Effect, scene: &Scene<'_>) -> bool {
    uncommitted::is_nothing(run, effect, scene)
        || made::work_tree_of_its_own(run, effect, scene)
        || made::clone_of_its_own(run, effect, scene)
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
    stays_but_for(run, scene, &[])
}

/// The same where some of these words are looked at otherwise.
fn stays_but_for(run: &Run, scene: &Scene<'_>, known: &[&str]) -> bool {
    let defines = format!("{}()", run.program);
    let spaced = format!("{} ()", run.program);
    run.name.text.as_known().is_some()
        && !scene.facts.session.is_led_elsewhere()
        && scene.effects.layers.iter().all(|layer| {
            !LEADS_ELSEWHERE.iter().any(|word| !known.contains(word) && leads(&layer.text, word))
                && !layer.text.contains(&defines)
                && !layer.text.contains(&spaced)
        })
}

/// Whether a text has a word that leads elsewhere. A variable that is set to this machine, a port of it or a password there does not.
fn leads(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let rest = text.get(at..).unwrap_or_default();
        let end = rest.find(|letter: char| !(letter.is_ascii_uppercase() || letter == '_'));
        let (name, rest) = rest.split_at_checked(end.unwrap_or(rest.len())).unwrap_or((rest, ""));
        let Some(value) = rest.strip_prefix('=') else { return true };
        let end = value.find([' ', '\n', ';', '&', '|', ')']).unwrap_or(value.len());
        let value = value.get(..end).unwrap_or_default().trim_matches(['"', '\'']);
        !match name {
            "PGHOST" | "MYSQL_HOST" => matches!(value, "localhost" | "127.0.0.1" | "::1"),
            "PGPORT" | "MYSQL_TCP_PORT" => {
                !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit())
            }
            "MYSQL_PWD" => true,
            "COMPOSE_PROJECT_NAME" => is_of_tests(value.strip_suffix("$$").unwrap_or(value)),
            _ => false,
        }
    })
}

/// Whether each of these options, wherever it is given, names this machine.
fn is_here(options: Options<'_>, hosts: &[&str]) -> bool {
    options.values_of(hosts).all(|host| host.text.as_known().is_some_and(is_this_machine))
}

pub(super) fn is_this_machine(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1" | "::1" | "[::1]")
        || host.starts_with("/var/run/")
        || host.starts_with("/tmp/")
}

/// The host in a URL, without whoever signs in and the port.
pub(super) fn host_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    Some(host.rsplit_once(':').map_or(host, |(host, _)| host))
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

/// `git push -n --force`: a short word for a rehearsal, which only this verb has.
fn pushes_nothing(run: &Run, _: &Effect, scene: &Scene<'_>) -> bool {
    let words: Option<Vec<&str>> = run.arguments.iter().map(|word| word.text.as_known()).collect();
    let Some(words) = words else { return false };
    words.first() == Some(&"push")
        && Options::new(
            &run.arguments,
            &["-o", "--push-option", "--exec", "--receive-pack", "--repo"],
        )
        .has(&["-n"])
        && !words.iter().any(|word| word.starts_with("--no-d"))
        && stays(run, scene)
}

/// `git push --force /tmp/x/remote.git main`: into a repository among temporary files, which a test has for its remote.
fn pushes_into_temporary(run: &Run, _: &Effect, scene: &Scene<'_>) -> bool {
    const VALUES: &[&str] = &["-o", "--push-option", "--exec", "--receive-pack", "--repo"];
    let options = Options::new(&run.arguments, VALUES);
    let mut operands = options.operands();
    let is_push = operands.next().is_some_and(|verb| verb.text.as_known() == Some("push"));
    let named = operands.next();
    is_push
        && !options.has(VALUES)
        && named.is_some_and(|address| {
            programs::escapes::is_temporary(address.text.known_prefix())
                && address.text.pieces.iter().all(|piece| {
                    matches!(piece, Piece::Known(known) if !known.contains(".."))
                        || matches!(piece, Piece::Unknown(what) if &**what == "mktemp")
                })
        })
        && stays(run, scene)
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
    // None of these has contexts; another program's says where that one goes.
    begins && !all && stays_but_for(run, scene, &["--context"])
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
    let verb = container_verb(run);
    if verb == Some("stop") {
        return true;
    }
    // What is stopped at once can be started again too; but not everything that runs.
    let stops = verb == Some("kill");
    let is_chosen = |text: &Text| {
        let origins = scene.origins(text);
        let mut lists = origins
            .into_iter()
            .filter_map(|origin| match &origin.kind {
                EffectKind::Run(list) if list.program == run.program => Some(list),
                _ => None,
            })
            .filter(|list| {
                matches!(container_verb(list), Some("create" | "list" | "ls" | "ps" | "run"))
            })
            .peekable();
        lists.peek().is_some()
            && lists.all(|list| {
                let options = Options::new(&list.arguments, &["-f", "--filter", "--format"]);
                // `docker kill "$(docker run -d image)"`: the one that was just started.
                starts_one(list)
                    || options.values_of(&["-f", "--filter"]).any(|filter| {
                        // A label is compared as a whole: behind how it begins may stand what nobody knows yet.
                        let known = match filter.text.as_known() {
                            None if filter.text.known_prefix().starts_with("label=") => {
                                Some(filter.text.known_prefix())
                            }
                            known => known,
                        };
                        let filter = known.and_then(|it| it.split_once('='));
                        filter.is_some_and(|(key, value)| match key {
                            "label" | "name" | "ancestor" if stops => value.len() > 2,
                            "label" if value.starts_with("org.testcontainers") => true,
                            "label" => value.split(['=', '.', '/']).any(is_of_tests),
                            "name" => is_of_tests(value.trim_matches(['^', '$'])),
                            _ => false,
                        })
                    })
            })
    };
    let unknown: Vec<&Text> =
        run.arguments.iter().map(|word| &word.text).filter(|text| text.has_unknown()).collect();
    (stops || verb == Some("rm")) && !unknown.is_empty() && unknown.into_iter().all(is_chosen)
}

/// What a command of an engine does with containers.
fn container_verb(run: &Run) -> Option<&str> {
    let mut words = run.arguments.iter().map(|word| word.text.as_known());
    words.find(|word| *word != Some("container")).flatten()
}

/// Whether it starts one in the background, and prints which one it is.
fn starts_one(run: &Run) -> bool {
    let mut words = run.arguments.iter().filter_map(|word| word.text.as_known());
    match container_verb(run) {
        Some("create") => true,
        Some("run") => words.any(|word| matches!(word, "-d" | "--detach")),
        _ => false,
    }
}

/// `docker volume prune --filter label=app.test=1`: volumes that somebody marked as a test's.
fn labelled(run: &Run, _: &Effect, scene: &Scene<'_>) -> bool {
    let options = Options::new(&run.arguments, &["--filter"]);
    let is_test = |filter: Argument| {
        let known = filter.text.as_known().and_then(|filter| filter.split_once('='));
        known.is_some_and(|(key, value)| {
            key == "label" && value.split(['=', '.', '/']).any(is_of_tests)
        })
    };
    stays(run, scene) && !reaches_elsewhere(run) && options.values_of(&["--filter"]).any(is_test)
}

/// `kubectl --context kind-dev delete ns x`: a context that by its name is a cluster of this machine, as the tools that make such
/// clusters name them.
fn cluster_here(run: &Run, _: &Effect, scene: &Scene<'_>) -> bool {
    const WHOLE: &[&str] = &[
        "colima",
        "docker-desktop",
        "docker-for-desktop",
        "minikube",
        "orbstack",
        "rancher-desktop",
    ];
    const SETS: &[&str] = &["config set", "kubectx", "KUBECONFIG", "set-cluster", "rename-context"];
    let options = Options::new(&run.arguments, &["--context", "--kube-context"]);
    let mut named = options.values_of(&["--context", "--kube-context"]).peekable();
    let is_set = |layer: &Layer| SETS.iter().any(|word| layer.text.contains(word));
    let leads = ["--kubeconfig", "--server", "-s", "--cluster", "--user", "--token"];
    named.peek().is_some()
        && named.all(|name| {
            name.text.as_known().is_some_and(|name| {
                let is_local =
                    WHOLE.contains(&name) || name.starts_with("kind-") || name.starts_with("k3d-");
                is_local && !name.contains("prod")
            })
        })
        && !options.has(&leads)
        && !scene.effects.layers.iter().any(is_set)
        && stays_but_for(run, scene, &["--context"])
}

/// `git clean -fdX build/`: nothing but what builds make; `git clean -f --no-force`: nothing at all.
fn only_made(run: &Run, _: &Effect, scene: &Scene<'_>) -> bool {
    if run.arguments.last().is_some_and(|word| word.text.as_known() == Some("--no-force")) {
        let sets = |word: &Argument| word.text.known_prefix().contains("requireForce");
        return !run.arguments.iter().any(sets) && stays(run, scene);
    }
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
