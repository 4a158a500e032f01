//! How a policy is shown, with where each part of it comes from. Owns the layout; it reads nothing.

use std::io::Write;

use portcullis_core::policy::{Change, DEFAULT_FLOORS, Mode, PolicyOptions, Rule};
use serde_json::{Map, Value, json};

use super::super::{Exit, Failure, shown, write_json};
use crate::{
    config::{
        Account, Configuration, Layer, LeftOut, Lock, Network, OnFailure, Setting, Source,
        confirmation_words, guardian_words,
    },
    report::visible,
    wire::VERSION,
};

/// The width of the column of names.
const NAMES: usize = 14;

pub(super) fn show(
    configuration: &Configuration,
    in_json: bool,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    if in_json {
        return write_json(out, &policy_json(configuration));
    }
    shown(out, &policy_text(configuration))
}

fn texts(rules: &[Rule]) -> Vec<String> {
    rules.iter().map(ToString::to_string).collect()
}

fn all_floors(floors: &[String]) -> Vec<String> {
    let built_in = DEFAULT_FLOORS.iter().map(|floor| (*floor).to_owned());
    built_in.chain(floors.iter().cloned()).collect()
}

fn policy_json(configuration: &Configuration) -> Value {
    let Configuration {
        policy,
        policy_id,
        audit,
        analyzers,
        hook,
        network,
        guardian,
        security_policy,
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
        "security_policy": security_policy,
    });
    if let Value::Object(effective) = effective {
        answer.extend(effective);
    }
    Value::Object(answer)
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
pub(super) fn account_json(account: &Account) -> Map<String, Value> {
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

/// Lines of a name and words.
#[derive(Default)]
struct Page(String);

impl Page {
    fn row(&mut self, name: &str, words: &str) {
        let name = if name.is_empty() { String::new() } else { format!("{name}:") };
        self.0.push_str(&format!("{name:<NAMES$} {}\n", visible::line(words)));
    }

    fn list(&mut self, name: &str, list: impl IntoIterator<Item = String>) {
        let mut name = name;
        for words in list {
            self.row(name, &words);
            name = "";
        }
        if !name.is_empty() {
            self.row(name, "none");
        }
    }
}

fn policy_text(configuration: &Configuration) -> String {
    let Configuration { policy, policy_id, audit, account, .. } = configuration;
    let options = policy.options();
    let mut page = Page::default();
    page.list("files", account.sources.iter().map(source_words));
    page.row("policy", policy_id);
    page.list("deny rules", with_layers(account, "rules.deny"));
    let built_in = DEFAULT_FLOORS.iter().map(|floor| (*floor).to_owned());
    page.list("floors", built_in.chain(with_layers(account, "floors")));
    page.list("ask rules", with_layers(account, "rules.ask"));
    page.list("allow rules", with_layers(account, "rules.allow"));
    let origin = |key| layer_of(account, key);
    let mode = options.mode.map_or("off: the agent's own modes stand", Mode::name);
    page.row("mode", &format!("{mode}{}", origin("mode")));
    if options.disable_bypass {
        let origin = origin("disable_bypass");
        page.row("", &format!("bypassPermissions is disabled{origin}"));
    }
    let confirmation = confirmation_words(options.confirmation);
    page.row("confirmation", &format!("{confirmation}{}", origin("confirmation")));
    for (name, key) in [("severity", "severity"), ("class", "classes"), ("analyzers", "analyzers")]
    {
        for words in with_layers(account, key) {
            page.row(name, &words);
        }
    }
    let record = match (audit.enabled, audit.on_failure) {
        (false, _) => "off",
        (true, OnFailure::Deny) => "on; what cannot be recorded is denied",
        (true, OnFailure::Warn) => "on; what cannot be recorded goes on with a warning",
    };
    page.row("record", &format!("{record}{}", origin("audit.enabled")));
    for setting in account.settings.iter().filter(|setting| setting.key.starts_with("hook.")) {
        page.row("hook", &setting_words(account, setting));
    }
    for setting in account.settings.iter().filter(|setting| setting.key.starts_with("network.")) {
        page.row("network", &setting_words(account, setting));
    }
    for (name, key) in [("guardian", "guardian"), ("template", "security_policy")] {
        for words in with_layers(account, key) {
            page.row(name, &words);
        }
    }
    page.0.push_str(&rest(account));
    page.0
}

/// The files, what each of them sets, and what of it does not hold, for a person.
pub(super) fn account_text(account: &Account) -> String {
    let mut page = Page::default();
    for (index, source) in account.sources.iter().enumerate() {
        page.row("from", &source_words(source));
        let own = account.settings.iter().filter(|setting| setting.source == index);
        page.list("  holds", own.map(|setting| format!("{}: {}", setting.key, setting.value)));
    }
    page.0.push_str(&rest(account));
    page.0
}

/// What is locked, and what does not hold.
fn rest(account: &Account) -> String {
    let mut page = Page::default();
    if !account.locks.is_empty() {
        let names: Vec<_> = account.locks.iter().map(|lock: &Lock| lock.name()).collect();
        page.row("locked", &names.join(", "));
    }
    if !account.left_out.is_empty() {
        page.list("left out", account.left_out.iter().map(|left| left_out_words(left, account)));
    }
    page.0
}

fn source_words(source: &Source) -> String {
    let Source { layer, path, sha256: _, trusted, doubt } = source;
    let trust = match (trusted, doubt) {
        (true, _) => String::new(),
        (false, None) => ", not trusted".to_owned(),
        (false, Some(doubt)) => format!(", not trusted: {doubt}"),
    };
    format!("`{}` ({}{trust})", path.display(), layer.name())
}

/// What a file says and does not hold, in a sentence.
pub(super) fn left_out_words(left: &LeftOut, account: &Account) -> String {
    let LeftOut { key, value, source, why } = left;
    let from = account.sources.get(*source);
    let from = from.map(|source| source.path.display().to_string()).unwrap_or_default();
    format!("{key}: {value} (of `{from}`; {})", why.words())
}

/// The values of a key that has many, each with its layer.
fn with_layers(account: &Account, key: &str) -> Vec<String> {
    let all = account.settings.iter().filter(|setting| setting.key == key);
    let words = |setting: &Setting| {
        let layer = account.sources.get(setting.source).map(|source| source.layer);
        let layer = layer.unwrap_or(Layer::BuiltIn).name();
        format!("{} ({layer})", setting.value)
    };
    all.map(words).collect()
}

fn setting_words(account: &Account, setting: &Setting) -> String {
    let key = setting.key.rsplit('.').next().unwrap_or(setting.key);
    format!("{key} is {}{}", setting.value, layer_of(account, setting.key))
}

/// The layer that a key with one value comes from, in parentheses; nothing where it is built in.
fn layer_of(account: &Account, key: &str) -> String {
    let setting = account.settings.iter().find(|setting| setting.key == key);
    let source = setting.and_then(|setting| account.sources.get(setting.source));
    source.map_or_else(String::new, |source| format!(" ({})", source.layer.name()))
}
