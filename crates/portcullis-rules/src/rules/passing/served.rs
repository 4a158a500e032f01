//! Servers of databases that a call starts for itself, and databases that it makes under a name of its own. Owns what ties a client to one;
//! whatever was there before the call is none.

use super::{is_here, made::before, reaches_elsewhere};
use crate::{
    effect::{Effect, Run},
    programs::Options,
    rules::Scene,
    text::{Piece, Text},
};

/// Whether a name holds the number of this very shell, and `createdb` made a database of it before.
fn is_of_this_call(name: &Text, effect: &Effect, scene: &Scene<'_>) -> bool {
    let is_own = |piece: &Piece| matches!(piece, Piece::Unknown(what) if matches!(&**what, "$" | "$$" | "RANDOM"));
    name.pieces.iter().any(is_own)
        && before(effect, scene).any(|other| {
            other.program == "createdb"
                && other.arguments.iter().any(|word| word.text.pieces == name.pieces)
        })
}

/// Clients of databases that take a machine by `-h` and a port.
const CLIENTS: &[&str] = &["createdb", "dropdb", "mariadb", "mysql", "psql"];

/// `docker run -d -p 55432:5432 postgres … psql -h localhost -p 55432`: a server that the call started, with nothing kept in it; and a cluster
/// in a directory that `mktemp` made in it.
pub(super) fn database_server(run: &Run, effect: &Effect, scene: &Scene<'_>) -> bool {
    let options = Options::new(
        &run.arguments,
        &["-h", "--host", "-p", "-P", "--port", "-U", "-u", "-c", "-d", "-D", "-o", "-m"],
    );
    let is_temporary = |text: &Text| {
        text.pieces.iter().any(|piece| matches!(piece, Piece::Unknown(what) if &**what == "mktemp"))
            && !text.known_prefix().contains("..")
    };
    // A server in a directory of its own, and its socket there.
    let place = if run.program == "pg_ctl" {
        options.value(&["-D"])
    } else {
        options.value(&["-h", "--host"])
    };
    if place.as_ref().is_some_and(|place| is_temporary(&place.text)) {
        return before(effect, scene).any(|other| other.program == "initdb");
    }
    if !CLIENTS.contains(&run.program.as_str()) {
        return false;
    }
    // A database that the call made under a name that nobody else has.
    let given = options.value(&["-d"]).or_else(|| options.operands().next().cloned());
    if given.is_some_and(|name| is_of_this_call(&name.text, effect, scene))
        && is_here(options, &["-h", "--host"])
    {
        return true;
    }
    let port = options.value(&["-p", "-P", "--port"]);
    let Some(port) = port.as_ref().and_then(|port| port.text.as_known()) else { return false };
    let serves = |run: &Run| {
        // What is kept in a volume was there before.
        let keeps = run.arguments.iter().any(|word| {
            let known = word.text.known_prefix();
            known.starts_with("-v") || known.starts_with("--v") || known.starts_with("--mo")
        });
        let publishes = Options::new(&run.arguments, &["-p", "--publish"])
            .values_of(&["-p", "--publish"])
            .any(|value| {
                let known = value.text.as_known().unwrap_or("");
                let mut parts = known.rsplit(':').skip(1);
                parts.next() == Some(port) && parts.next().is_none_or(|host| host == "127.0.0.1")
            });
        let is_database = run.arguments.iter().any(|word| {
            let known = word.text.known_prefix();
            let name = known.rsplit('/').next().unwrap_or(known).split(':').next().unwrap_or("");
            ["mariadb", "mysql", "pgvector", "postgis", "postgres", "timescaledb"]
                .iter()
                .any(|image| name.starts_with(image))
        });
        matches!(run.program.as_str(), "docker" | "nerdctl" | "podman")
            && run.arguments.first().is_some_and(|word| word.text.as_known() == Some("run"))
            && !reaches_elsewhere(run)
            && !keeps
            && publishes
            && is_database
    };
    is_here(options, &["-h", "--host"]) && before(effect, scene).any(serves)
}
