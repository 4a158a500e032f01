//! A policy as other programs read it, with where each part of it comes from. Owns the names of the fields.

use portcullis_core::{
    policy::{Change, DEFAULT_FLOORS, Mode, PolicyOptions, Rule},
    risk::Severity,
};
use serde_json::{Map, Value, json};

use super::VERSION;
use crate::config::{
    Account, Configuration, InForce, Layer, LeftOut, Network, Setting, Source, confirmation_words,
    guardian_words,
};

fn texts(rules: &[Rule]) -> Vec<String> {
    rules.iter().map(ToString::to_string).collect()
}

fn all_floors(floors: &[String]) -> Vec<String> {
    let built_in = DEFAULT_FLOORS.iter().map(|floor| (*floor).to_owned());
    built_in.chain(floors.iter().cloned()).collect()
}

/// Everything that holds, and where each part of it comes from.
#[must_use]
pub fn policy_json(configuration: &Configuration) -> Value {
    let Configuration {
        policy,
        policy_id,
        audit,
        analyzers,
        hook,
        network,
        guardian,
        contracts,
        security_policy,
        central,
        account,
        ..
    } = configuration;
    let options = policy.options();
    let PolicyOptions {
        mode,
        disable_bypass,
        dont_ask,
        classes,
        confirmation,
        floors,
        adjustments,
        allow,
        ask,
        deny,
        asked_for,
        commits_trials,
        undoable,
    } = &options;
    let changes: Vec<Value> = adjustments
        .iter()
        .map(|one| {
            let (level, only_raises) = match one.change {
                Change::Off => ("off", false),
                Change::Severity(severity) => (severity.name(), false),
                Change::AtLeast(severity) => (severity.name(), true),
            };
            json!({ "rule": one.rule, "level": level, "only_raises": only_raises, "reason": one.reason })
        })
        .collect();
    let classes: Vec<Value> = classes
        .iter()
        .map(|(tool, class)| json!({ "tool": tool, "class": class.name() }))
        .collect();
    let analyzers = analyzers.as_ref().map(|names| names.iter().map(|name| name.name()));
    let user = account.sources.iter().find(|source| source.layer == Layer::User);
    let mut answer = account_json(account);
    let effective = json!({
        "v": VERSION,
        "policy": policy_id,
        "file": user.map(|source| &source.path),
        "mode": mode.map(Mode::name),
        "disable_bypass": disable_bypass,
        "dont_ask": dont_ask,
        "confirmation": confirmation_words(*confirmation),
        "asked_for": asked_for.map(Severity::name),
        "commits_trials": commits_trials,
        "undoable": undoable.map(Severity::name),
        "deny": texts(deny),
        "floors": all_floors(floors),
        "ask": texts(ask),
        "allow": texts(allow),
        "severity": changes,
        "classes": classes,
        "analyzers": analyzers.map(Iterator::collect::<Vec<_>>),
        "record": audit.enabled,
        "hook": {
            "approve": hook.approve.name(),
            "on_failure": hook.on_failure.name(),
            "unknown_tools": hook.unknown_tools.name(),
            "notify": hook.notify,
            "enforce_mode": hook.enforce_mode,
        },
        "network": network_json(network),
        "guardian": guardian.as_ref().map(guardian_words),
        "contracts": contracts.words(),
        "security_policy": security_policy,
        "central": central.as_deref().map(central_json),
    });
    if let Value::Object(effective) = effective {
        answer.extend(effective);
    }
    Value::Object(answer)
}

/// What of a centre is in force, and what is wrong with it.
fn central_json(in_force: &InForce) -> Value {
    let InForce { central, store: _, held, stale, trouble } = in_force;
    let held = held.as_ref();
    let may_loosen: Vec<_> = central.may_loosen.iter().map(|lock| lock.name()).collect();
    json!({
        "url": central.url,
        "name": held.map(|held| &held.name),
        "revision": held.map(|held| held.revision),
        "digest": held.map(|held| &held.digest),
        "signers": held.map(|held| held.signers.split(',').collect::<Vec<_>>()),
        "origin": held.map(|held| &held.origin),
        "issued": held.map(|held| held.issued),
        "expires": held.map(|held| held.expires),
        "confirmed": held.map(|held| held.confirmed),
        "may_loosen": may_loosen,
        "when_stale": central.when_stale.name(),
        "stale": stale,
        "trouble": trouble,
    })
}

fn network_json(network: &Network) -> Value {
    let Network { options, name_servers } = network;
    let allowed: Vec<Value> = options
        .allowed_hosts
        .iter()
        .map(|one| json!({ "host": one.host, "allow_private": one.allow_private, "ports": one.ports }))
        .collect();
    let tools: Map<String, Value> = options
        .tool_budgets
        .iter()
        .map(|(name, own)| {
            (name.clone(), json!({ "connections": own.connections, "bytes": own.bytes }))
        })
        .collect();
    json!({
        "allowed_hosts": allowed,
        "extra_blocked_hosts": options.extra_blocked_hosts,
        "resolve_dns": options.resolve_dns,
        "default_deny": options.default_deny,
        "require_https": options.require_https,
        "allow_userinfo": options.allow_userinfo,
        "allow_disguised": options.allow_disguised,
        "ports": options.ports,
        "nat64_prefixes": options.nat64_prefixes,
        "name_servers": name_servers,
        "session_connections": options.budget.connections,
        "session_bytes": options.budget.bytes,
        "tool_connections": options.tool_budget.connections,
        "tool_bytes": options.tool_budget.bytes,
        "tools": tools,
    })
}

/// The files, what each of them sets, and what of it does not hold.
#[must_use]
pub fn account_json(account: &Account) -> Map<String, Value> {
    let Account { sources, settings, left_out, locks } = account;
    let of = |index: usize| sources.get(index);
    let layer = |index| of(index).map(|source| source.layer.name());
    let path = |index| of(index).map(|source| &source.path);
    let files = sources.iter().map(|source| {
        let Source { layer, path, sha256, trusted, doubt } = source;
        json!({
            "layer": layer.name(), "path": path, "sha256": sha256, "trusted": trusted, "doubt": doubt,
        })
    });
    let settings = settings.iter().map(|Setting { key, value, source }| {
        json!({ "key": key, "value": value, "layer": layer(*source), "path": path(*source) })
    });
    let left_out = left_out.iter().map(|LeftOut { key, value, source, why }| {
        json!({
            "key": key, "value": value, "layer": layer(*source), "path": path(*source),
            "why": why.name(),
        })
    });
    let lists: [(&str, Vec<Value>); 4] = [
        ("files", files.collect()),
        ("settings", settings.collect()),
        ("left_out", left_out.collect()),
        ("locked", locks.iter().map(|lock| json!(lock.name())).collect()),
    ];
    lists.into_iter().map(|(name, list)| (name.to_owned(), Value::Array(list))).collect()
}
