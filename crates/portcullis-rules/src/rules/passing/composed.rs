//! Whether something happens in a container of a test's: in a project, a file or under a name that says so by a word of its own. Owns what
//! ties a client inside to the container; a client that names another machine proves nothing.

use super::{composed_for_tests, is_of_tests, stays};
use crate::{
    effect::{Argument, Effect, Run},
    programs::Options,
    rules::Scene,
};

/// `docker compose -f compose.test.yml exec -T redis redis-cli FLUSHALL`, `docker exec redis-test redis-cli FLUSHALL`.
pub(super) fn client_of_tests(run: &Run, effect: &Effect, scene: &Scene<'_>) -> bool {
    if is_engine(run) || !stays_inside(run) {
        return false;
    }
    let mut engines = scene.programs_around(effect).filter(|outer| is_engine(outer)).peekable();
    engines.peek().is_some() && engines.all(|outer| is_of_a_test(outer, run, effect, scene))
}

fn is_of_a_test(engine: &Run, client: &Run, effect: &Effect, scene: &Scene<'_>) -> bool {
    let first = engine.arguments.first().and_then(|word| word.text.as_known());
    let own = before_command(engine, client);
    if first == Some("compose") || engine.program.ends_with("-compose") {
        return own.is_some_and(|own| composed_for_tests(&own, effect, scene));
    }
    let options = Options::new(&engine.arguments, VALUES);
    let name = options.operands().nth(1).and_then(|name| name.text.as_known());
    let is_led = options.has(&["-e", "--env", "--env-file"]);
    first == Some("exec") && !is_led && name.is_some_and(is_of_tests) && stays(engine, scene)
}

/// Options of `exec` that take a value.
const VALUES: &[&str] =
    &["-e", "-u", "-w", "--detach-keys", "--env", "--env-file", "--user", "--workdir"];

fn is_engine(run: &Run) -> bool {
    matches!(
        run.program.as_str(),
        "docker" | "docker-compose" | "nerdctl" | "podman" | "podman-compose"
    )
}

/// The words of compose before the command that it runs, where none of them leads that command.
fn before_command(run: &Run, client: &Run) -> Option<Run> {
    let is_verb = |word: &Argument| matches!(word.text.as_known(), Some("exec" | "run"));
    let at = run.arguments.iter().position(is_verb)?;
    let (own, behind) = run.arguments.split_at_checked(at)?;
    let own = Run { arguments: own.to_vec().into(), ..run.clone() };
    (!leads(behind.get(1..)?, client)).then_some(own)
}

/// Whether something before a client hands it variables, which may lead it elsewhere.
fn leads(behind: &[Argument], client: &Run) -> bool {
    let mut words = behind.to_vec();
    let own = words.split_off(words.len().saturating_sub(client.arguments.len() + 1));
    let texts = std::iter::once(&client.name).chain(client.arguments.iter()).map(|it| &it.text);
    // Where something else starts the client, all of it is looked at.
    if !own.iter().map(|word| &word.text).eq(texts) {
        words.extend(own);
    }
    words.iter().map(|word| word.text.known_prefix()).any(|word| {
        word.starts_with("--env")
            || word.starts_with('-') && !word.starts_with("--") && word.contains('e')
    })
}

/// Whether nothing that a client is told names another machine than the one beside it.
fn stays_inside(run: &Run) -> bool {
    const HOSTS: &[&str] = &["-h", "-H", "--host", "--hostname"];
    const BESIDE: &[&str] = &[
        "127.0.0.1",
        "cache",
        "database",
        "db",
        "localhost",
        "mongo",
        "mysql",
        "postgres",
        "redis",
    ];
    /// What stands in an address, or in words that hold one.
    const ELSEWHERE: &[&str] = &["://", "@", "host=", "hostaddr=", "service=", "dblink"];
    let is_plain = |word: &Argument| {
        let known = word.text.as_known();
        known.is_some_and(|word| !ELSEWHERE.iter().any(|mark| word.contains(mark)))
    };
    let mut hosts = Options::new(&run.arguments, HOSTS).values_of(HOSTS);
    run.arguments.iter().all(is_plain)
        && hosts.all(|host| host.text.as_known().is_some_and(|host| BESIDE.contains(&host)))
}
