//! What ssh lends to the machine that it connects to: the agent with the keys, the display, variables of the environment. Owns how that
//! is found in its words, and to whom it may be lent: to machines that the repository's remotes or the configuration name, and to
//! those that only this network or ssh's own settings know by one word.

use super::super::{
    Hit, Scene,
    hosts::{self, HostKind},
    pattern,
};
use crate::{
    effect::{Argument, Effect, Run},
    programs::{Options, system::is_secret_name},
    risk::Severity,
    rules::effects::{at, run},
    text::Text,
};

/// A call of ssh, as far as its words are its own.
struct Call<'a> {
    options: Options<'a>,
    host: String,
}

fn call<'a>(effect: &'a Effect) -> Option<Call<'a>> {
    let run: &Run = run(effect).filter(|run| matches!(run.program.as_str(), "ssh" | "autossh"))?;
    let options = pattern::options(run);
    let host = options.operands().next()?;
    // What stands behind the host may be the other machine's; options of ssh's own stand there rarely.
    let own = run.arguments.iter().position(|word| std::ptr::eq(word, host))?;
    let options = Options::new(run.arguments.get(..own)?, options.takes());
    let host = host.text.display();
    let host = host.strip_prefix("ssh://").unwrap_or(&host);
    let host = host.rsplit('@').next().unwrap_or(host).to_owned();
    Some(Call { options, host })
}

impl Call<'_> {
    /// The values of a setting: `-o Name=value`, `-o 'Name value'`.
    fn settings(&self, name: &str) -> Vec<Argument> {
        let values = self.options.values_of(&["-o"]);
        let values = values.filter_map(|setting| {
            let known = setting.text.known_prefix();
            let start = known.len() - known.trim_start().len();
            let written = known.get(start..start + name.len())?;
            let rest = known.get(start + name.len()..)?;
            let is_it = written.eq_ignore_ascii_case(name)
                && (rest.is_empty() || rest.starts_with(['=', ' ', '\t']));
            let rest = rest.trim_start_matches(['=', ' ', '\t']);
            is_it.then(|| Argument { text: setting.text.beginning_with(rest), span: setting.span })
        });
        values.collect()
    }

    /// Whether a setting that is `no` by itself is anything else.
    fn sets(&self, name: &str) -> bool {
        let is_off = |text: &Text| {
            matches!(
                text.as_known().map(str::to_ascii_lowercase).as_deref(),
                Some("no" | "none" | "")
            )
        };
        self.settings(name).iter().any(|value| !is_off(&value.text))
    }

    /// How bad it is to lend something to this host.
    fn severity(&self, scene: &Scene<'_>) -> Severity {
        let is_named = !self.host.contains('.') || hosts::kind(&self.host) == HostKind::Private;
        let is_known = scene.facts.hosts.iter().any(|known| match known.strip_prefix("*.") {
            Some(parent) => self.host.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.')),
            None => *known == self.host,
        });
        if is_named || is_known { Severity::Medium } else { Severity::High }
    }
}

/// `-A`, `-o ForwardAgent=yes`, `-o ForwardAgent=$SSH_AUTH_SOCK`.
pub(super) fn agent(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let call = call(effect)?;
    (call.options.has(&["-A"]) || call.sets("ForwardAgent")).then(|| at(call.severity(scene)))
}

/// `-Y`, `-o ForwardX11Trusted=yes`: a display that is not guarded against the other side.
pub(super) fn display(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let call = call(effect)?;
    (call.options.has(&["-Y"]) || call.sets("ForwardX11Trusted")).then(|| at(call.severity(scene)))
}

/// `-o SendEnv=…`: variables by patterns. The words for a language and a terminal are sent by many.
pub(super) fn variables(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let call = call(effect)?;
    let gives_away = |pattern: &str| {
        let name = pattern.trim_matches('"');
        let before = name.split(['*', '?']).next().unwrap_or("");
        let is_open = before.len() < name.len();
        is_secret_name(name)
            || is_open
                && (before.is_empty() || is_secret_name(&format!("{before}SECRET_ACCESS_KEY")))
                && !before.starts_with("LC_")
                && !before.starts_with("LANG")
    };
    let sent = call.settings("SendEnv");
    let mut names = sent.iter().map(|value| value.text.known_prefix());
    names
        .any(|names| {
            names.split_whitespace().any(|name| !name.starts_with('-') && gives_away(name))
        })
        .then(|| at(call.severity(scene)))
}
