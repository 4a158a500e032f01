//! What only tests use: databases, indices, queues and clusters by their names. Owns the words by which they are known.

use super::{
    super::{Scene, requests},
    reaches_elsewhere, stays, stays_but_for,
};
use crate::{
    effect::{Argument, Effect, Run},
    programs::Options,
};

/// Whether a name says by a whole word of its own that it is a test's: `app_test`, `test-3`, and not `contest` or `test_prod`.
pub(super) fn is_of_tests(name: &str) -> bool {
    const TESTS: &[&str] = &[
        "ci", "dbtest", "e2e", "pgtest", "scratch", "spec", "temp", "test", "testdb", "testing",
        "tests", "tmp",
    ];
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

/// `curl -X DELETE localhost:9200/test-index`: an index or a document of a test's, in a service on this machine.
pub(super) fn test_index(run: &Run, _: &Effect, scene: &Scene<'_>) -> bool {
    let words: Option<Vec<&str>> = run.arguments.iter().map(|word| word.text.as_known()).collect();
    let Some(words) = words else { return false };
    let leads = words.iter().any(|word| {
        ["-x", "-K", "--config", "--resolve", "--connect-to", "--next", "--url", "-:", "--proxy"]
            .iter()
            .any(|option| word.starts_with(option))
    });
    let mut addresses = Options::new(&run.arguments, requests::VALUES).operands().peekable();
    run.program == "curl"
        && !leads
        && stays(run, scene)
        && addresses.peek().is_some()
        && addresses.all(|address| address.text.as_known().is_some_and(is_test_path))
}

/// `docker volume rm pgtest_data`: volumes that all say by their names that they are a test's, on the engine of this machine.
pub(super) fn volumes_of_tests(run: &Run, _: &Effect, scene: &Scene<'_>) -> bool {
    let options = Options::new(&run.arguments, &[]);
    let mut operands = options.operands().skip(2).peekable();
    operands.peek().is_some()
        && operands.all(|name| name.text.as_known().is_some_and(is_of_tests))
        && options.given().all(|it| matches!(it.long_name(), "-f" | "--force"))
        && stays(run, scene)
        && !reaches_elsewhere(run)
}

/// `localhost:9200/test-index/_delete_by_query`.
fn is_test_path(address: &str) -> bool {
    let address = address.strip_prefix("http://").unwrap_or(address);
    let Some((host, path)) = address.split_once('/') else { return false };
    let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
    let index = path.split(['/', '?']).next().unwrap_or_default();
    // `test-products-*`: all that begins with a test's name.
    let index = match index.strip_suffix('*') {
        Some(stem) => stem.strip_suffix(['-', '_', '.']).unwrap_or_default(),
        None => index,
    };
    matches!(host, "localhost" | "127.0.0.1")
        && index.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
        && !index.starts_with('_')
        && !path.contains("..")
        && is_of_tests(index)
}

/// `docker compose -f docker-compose.test.yml down -v`, `-p app_test`: volumes that a test's services made.
pub(super) fn composed_for_tests(run: &Run, effect: &Effect, scene: &Scene<'_>) -> bool {
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
    let before =
        scene.effects.layer_text(effect.at.layer).get(..effect.at.span.range().start).unwrap_or("");
    let is_named = projects.is_empty() && names_project_of_tests(before);
    let chosen = match projects.is_empty() {
        true if is_named => Vec::new(),
        true => files,
        false => projects,
    };
    (is_named || !chosen.is_empty() && stays(run, scene))
        && !reaches_elsewhere(run)
        && (!is_named || stays_but_for(run, scene, &["COMPOSE_"]))
        && chosen
            .iter()
            .all(|value| value.as_deref().and_then(name).is_some_and(|name| is_of_tests(&name)))
}

/// `COMPOSE_PROJECT_NAME=e2e`, and nothing else, right before the program.
fn names_project_of_tests(before: &str) -> bool {
    let Some((outer, name)) = before.rsplit_once("COMPOSE_PROJECT_NAME=") else { return false };
    let name = name.trim_end();
    is_of_tests(name)
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
        && !outer.contains("COMPOSE_")
        && (outer.is_empty() || outer.ends_with(['\n', ';', '&', '|', ' ']))
}

/// `rabbitmqctl purge_queue jobs_test`: a queue of a test's, of the broker that runs beside it.
pub(super) fn test_queue(run: &Run, _: &Effect, scene: &Scene<'_>) -> bool {
    let words: Option<Vec<&str>> = run.arguments.iter().map(|word| word.text.as_known()).collect();
    matches!(words.as_deref(), Some(["purge_queue" | "delete_queue", queue]) if is_of_tests(queue))
        && run.program == "rabbitmqctl"
        && stays(run, scene)
}
