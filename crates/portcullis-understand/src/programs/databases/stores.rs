//! Clients of stores that speak no SQL: `mongosh`, `redis-cli`. Owns what in their code, commands and standard input is a loss.

use portcullis_syntax::Span;

use crate::{
    effect::{Argument, GapReason},
    programs::host::Host,
    programs::invocation::Invocation,
    text::{Taint, Text},
};

/// `mongosh`: what `--eval` says is judged by rules on the command; files and standard input are looked at here.
pub(super) fn mongo(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    const LOSSES: &[&str] = &[
        "dropDatabase(",
        ".drop(",
        ".deleteMany({})",
        ".remove({})",
        "dropAllUsers",
        "shutdownServer",
    ];
    let options = invocation.options();
    let mut texts: Vec<(Text, Span)> = Vec::new();
    let mut files: Vec<Argument> = options.values_of(&["-f", "--file"]).collect();
    files.extend(
        options
            .operands()
            .filter(|operand| {
                operand.text.as_known().is_some_and(|name| {
                    name.rsplit_once('.').is_some_and(|(_, kind)| matches!(kind, "js" | "mongodb"))
                })
            })
            .cloned(),
    );
    for file in files {
        texts.push((walk.read(&file), file.span));
    }
    if !options.has(&["--eval"])
        && let Some(input) = &invocation.input
    {
        texts.push((input.clone(), invocation.span));
    }
    texts.extend(options.values_of(&["--eval"]).map(|code| (code.text, code.span)));
    for (text, span) in texts {
        if text.as_known().is_none() && text.taint.has(Taint::NETWORK) {
            walk.gap(span, GapReason::UnknownCode);
        }
        let said = text.display();
        let grants = ["createUser(", "grantRolesToUser(", "updateUser("];
        if grants.iter().any(|call| said.contains(call))
            && MIGHTY.iter().any(|role| said.contains(role))
        {
            walk.note("query.grant", span);
        }
        if LOSSES.iter().any(|loss| said.contains(loss)) {
            walk.note("db.script.drop", span);
        }
    }
    invocation.origin()
}

/// Roles of `MongoDB` that may do everything.
const MIGHTY: &[&str] = &[
    "\"__system\"",
    "\"clusterAdmin\"",
    "\"dbOwner\"",
    "\"root\"",
    "\"userAdminAnyDatabase\"",
    "'__system'",
    "'clusterAdmin'",
    "'dbOwner'",
    "'root'",
    "'userAdminAnyDatabase'",
];

/// `redis-cli`: commands on its standard input, in scripts, and for each server of a cluster.
pub(super) fn redis(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    const LOSSES: &[&str] =
        &["flushall", "flushdb", "shutdown", "slaveof", "replicaof", "config set dir"];
    if let Some(input) = &invocation.input
        && input.display().lines().any(|line| {
            let line = line.trim().to_ascii_lowercase();
            LOSSES.iter().any(|loss| line.starts_with(loss))
        })
    {
        walk.note("db.script.drop", invocation.span);
    }
    let options = invocation.options();
    // A script or the name of a command that comes from elsewhere: `redis-cli EVAL "$(curl …)" 0`.
    let mut told = options.operands();
    let verb = told.next();
    let script = told.next().filter(|_| {
        verb.and_then(|word| word.text.as_known())
            .is_some_and(|word| matches!(word.to_ascii_lowercase().as_str(), "eval" | "eval_ro"))
    });
    for word in verb.into_iter().chain(script) {
        if comes_in(&word.text) {
            walk.gap(word.span, GapReason::UnknownCode);
        }
    }
    if let Some(input) = invocation.input.as_ref().filter(|input| input.taint.has(Taint::NETWORK))
        && (verb.is_none() || options.has(&["-x", "-X"]))
    {
        let is_known = input.as_known().is_some();
        if !is_known {
            walk.gap(invocation.span, GapReason::UnknownCode);
        }
    }
    let eval_file = options.value(&["--eval"]).map(|file| walk.read(&file));
    for code in script.map(|word| word.text.clone()).into_iter().chain(eval_file) {
        match scripted(&code.display()) {
            Scripted::Quiet => {}
            Scripted::Loses => walk.note("db.script.drop", invocation.span),
            Scripted::Computed => walk.gap(invocation.span, GapReason::UnknownCode),
        }
    }
    let words: Vec<String> =
        options.operands().map(|word| word.text.display().to_ascii_lowercase()).collect();
    let first = words.first().map_or("", String::as_str);
    let flushes = |word: &String| word.contains("flushall") || word.contains("flushdb");
    let runs = matches!(first, "eval" | "eval_ro" | "fcall" | "script");
    // `--cluster call HOST COMMAND` tells every server.
    let calls = options.has(&["--cluster"]) && words.iter().any(|word| word == "call");
    if (runs || calls || first == "call") && words.iter().skip(1).any(flushes) {
        walk.note("db.script.drop", invocation.span);
    }
    invocation.origin()
}

/// Whether the beginning of code, where it says what it does, is not known and came over the network.
fn comes_in(text: &Text) -> bool {
    text.has_unknown() && text.known_prefix().trim().is_empty() && text.taint.has(Taint::NETWORK)
}

/// What a script of the store does.
enum Scripted {
    /// It reads, or changes the keys that it is given.
    Quiet,
    /// It deletes every key that it finds.
    Loses,
    /// Which commands it calls is not written in it.
    Computed,
}

/// Reads a script in Lua as far as `redis.call("COMMAND", …)` goes, redis.io/docs/latest/develop/programmability/eval-intro.
fn scripted(code: &str) -> Scripted {
    let lower = code.to_ascii_lowercase();
    let calls = ["redis.call(", "redis.pcall(", "server.call(", "server.pcall("];
    let named: Vec<&str> = calls
        .iter()
        .flat_map(|call| lower.match_indices(call).map(|(at, call)| at + call.len()))
        .filter_map(|at| lower.get(at..))
        .map(str::trim_start)
        .collect();
    // `"FLUSH".."ALL"` is put together, and not written.
    let quoted = |rest: &&str| {
        let name = rest.strip_prefix(['"', '\''])?;
        let end = name.find(['"', '\''])?;
        let behind = name.get(end + 1..)?.trim_start();
        (!behind.starts_with("..")).then(|| name.to_owned())
    };
    let commands: Vec<String> = named.iter().filter_map(quoted).collect();
    let calls = |names: &[&str]| {
        commands.iter().any(|rest| {
            let end = rest.find(['"', '\'']).unwrap_or(rest.len());
            rest.get(..end).is_some_and(|name| names.contains(&name))
        })
    };
    if calls(&["flushall", "flushdb"])
        || calls(&["del", "unlink", "expire", "pexpire"]) && calls(&["keys", "scan"])
    {
        return Scripted::Loses;
    }
    if commands.len() < named.len() || lower.contains("loadstring") || lower.contains("redis[") {
        return Scripted::Computed;
    }
    Scripted::Quiet
}

#[test]
fn scripts_are_told_apart_by_what_they_call() {
    for (code, expected) in [
        ("return redis.call('GET', KEYS[1])", 0),
        ("if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end", 0),
        ("for _, k in ipairs(redis.call('KEYS', '*')) do redis.call('DEL', k) end", 1),
        ("return redis.call(ARGV[2], KEYS[1])", 2),
        ("return redis['call']('FLUSHALL')", 2),
        ("return redis.call('FLUSH'..'ALL')", 2),
    ] {
        let found = match scripted(code) {
            Scripted::Quiet => 0,
            Scripted::Loses => 1,
            Scripted::Computed => 2,
        };
        assert_eq!(found, expected, "{code}");
    }
}
