//! How a policy is shown, with where each part of it comes from. Owns the layout; it reads nothing.

use std::io::Write;

use portcullis_core::policy::{DEFAULT_FLOORS, Mode};

use super::super::{Exit, Failure, shown, write_json};
use crate::{
    config::{
        Account, Configuration, InForce, Layer, LeftOut, Lock, OnFailure, Setting, Source,
        confirmation_words,
    },
    report::visible,
    wire::policy_json,
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
    if let Some(central) = &configuration.central {
        page.list("centre", central_words(central));
    }
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

/// What of a centre is in force, and what is wrong with it.
fn central_words(central: &InForce) -> Vec<String> {
    let mut words = vec![match &central.held {
        Some(held) => format!(
            "{} {} of `{}`, signed by {}, until {}, confirmed {}",
            held.name, held.revision, held.origin, held.signers, held.expires, held.confirmed
        ),
        None => format!("nothing of `{}`", central.central.url),
    }];
    let may: Vec<_> = central.central.may_loosen.iter().map(|lock| lock.name()).collect();
    if !may.is_empty() {
        words.push(format!("may loosen {}", may.join(", ")));
    }
    words.extend(central.trouble.iter().cloned());
    let what = central.central.when_stale.name();
    words.extend(central.stale.iter().map(|why| format!("{why}: {what}")));
    words
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
