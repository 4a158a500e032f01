//! A policy from a centre: the `[central]` table. Owns its words, how old such a policy may become, and what becomes of calls then; how a
//! bundle is received, [`super::received`] knows.

use std::path::PathBuf;

use jiff::SignedDuration;
use portcullis_core::policy::{Confirmation, PolicyOptions};
use portcullis_core::risk::Severity;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::{error::Misreading, lock::Lock};
use crate::{
    bundle::{Held, PublicKey, Store},
    guardian::crosses_openly,
};

/// How long the last policy of the centre counts as fresh where nobody says otherwise.
const FRESH_HOURS: u32 = 7 * 24;

/// A policy that a centre signs, and what becomes of calls where it is not to be had. Never in a project's file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CentralTable {
    /// Where bundles come from: `https://gate.example/v1/policy/bundle`, any other web server, or an absolute path.
    #[schemars(with = "String")]
    pub url: Spanned<String>,
    /// The public keys that sign, as `portcullis policy key` shows them.
    #[schemars(with = "Vec<String>")]
    pub keys: Spanned<Vec<String>>,
    /// How many of the keys must have signed; two where there are two or more, one where there is one.
    #[schemars(with = "Option<usize>")]
    pub signatures: Option<Spanned<usize>>,
    /// What a bundle may loosen; it may tighten everything.
    #[serde(default)]
    pub may_loosen: Vec<Lock>,
    /// After how many hours without a word from the centre the policy is stale; 168 by default.
    pub stale_after_hours: Option<u32>,
    /// What becomes of calls while it is stale, expired or missing; `ask` by default.
    #[serde(default)]
    pub when_stale: WhenStale,
    /// The file with the token that the centre wants, absolute.
    #[schemars(with = "Option<PathBuf>")]
    pub token: Option<Spanned<PathBuf>>,
    /// What the recorded calls of how many days must show before a bundle is activated.
    #[serde(default)]
    pub canary: CanaryTable,
}

/// A look at what a bundle would change, before it is activated.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct CanaryTable {
    /// The recorded calls of how many days are judged again; 7 by default, and none with 0.
    pub days: Option<u16>,
    /// The bundle is not activated where more than so many of 1,000 calls would come out otherwise; there is no such limit by default.
    pub most_changed_per_1000: Option<u16>,
}

/// What becomes of calls while the policy of the centre is stale. The stricter comes first.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd)]
#[serde(rename_all = "lowercase")]
pub enum WhenStale {
    /// Everything is denied.
    Deny,
    /// Everything is asked about that is not denied.
    #[default]
    Ask,
    /// Nothing changes; it is said on standard error.
    Warn,
}

impl WhenStale {
    /// The word in the file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Warn => "warn",
        }
    }
}

/// Where a policy comes from, and whose word counts.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Central {
    /// Where bundles come from.
    pub url: String,
    /// The keys that sign.
    pub keys: Vec<PublicKey>,
    /// How many of them must have signed.
    pub signatures: usize,
    /// What a bundle may loosen.
    pub may_loosen: Vec<Lock>,
    /// How long the last policy counts as fresh.
    pub fresh: SignedDuration,
    /// What becomes of calls while it is not.
    pub when_stale: WhenStale,
    /// The file with the token for the centre.
    pub token: Option<PathBuf>,
    /// Of how many days the recorded calls are judged again before a bundle is activated.
    pub canary_days: u16,
    /// How many of 1,000 may come out otherwise.
    pub most_changed: Option<u16>,
}

impl Central {
    /// It in words.
    pub(super) fn words(&self) -> String {
        let Self { url, keys, signatures, when_stale, fresh, .. } = self;
        let hours = fresh.as_hours();
        let count = keys.len();
        format!("{url}, {signatures} of {count} keys, {} after {hours} hours", when_stale.name())
    }
}

pub(super) fn central_of(table: &Spanned<CentralTable>) -> Result<Central, Misreading> {
    let CentralTable {
        url,
        keys,
        signatures,
        may_loosen,
        stale_after_hours,
        when_stale,
        token,
        canary,
    } = table.get_ref();
    let written = url.get_ref();
    if !std::path::Path::new(written).is_absolute() {
        let unusable = |why: &dyn std::fmt::Display| {
            Misreading::new(url.span(), format!("no bundle can come from there: {why}"))
                .with_help("write a URL with `https://`, or an absolute path")
        };
        let target = portcullis_core::network::Target::read(written);
        let target = target.map_err(|refusal| unusable(&refusal))?;
        if token.is_some() && crosses_openly(&target) {
            return Err(unusable(&"a token would cross the network unencrypted"));
        }
    }
    let mut known: Vec<PublicKey> = Vec::new();
    for key in keys.get_ref() {
        let key = key.parse().map_err(|error: crate::bundle::keys::NotAKey| {
            Misreading::new(keys.span(), error.to_string())
                .with_help("`portcullis policy key FILE` makes a key and shows this half")
        })?;
        if !known.contains(&key) {
            known.push(key);
        }
    }
    if known.is_empty() {
        return Err(Misreading::new(keys.span(), "without a key no bundle counts")
            .with_help("name one at least: `portcullis policy key FILE` makes one"));
    }
    let needed = signatures.as_ref().map_or(known.len().min(2), |needed| *needed.get_ref());
    if needed == 0 || needed > known.len() {
        let span = signatures.as_ref().map_or(keys.span(), Spanned::span);
        let message = format!("{needed} signatures cannot be had of {} keys", known.len());
        return Err(
            Misreading::new(span, message).with_help("write one at least, and no more than keys")
        );
    }
    if let Some(token) = token.as_ref().filter(|path| !path.get_ref().is_absolute()) {
        let message = format!("`{}` is not an absolute path", token.get_ref().display());
        return Err(Misreading::new(token.span(), message)
            .with_help("a relative path would name another file in each directory"));
    }
    Ok(Central {
        url: written.clone(),
        keys: known,
        signatures: needed,
        may_loosen: may_loosen.clone(),
        fresh: SignedDuration::from_hours(stale_after_hours.unwrap_or(FRESH_HOURS).into()),
        when_stale: *when_stale,
        token: token.as_ref().map(|path| path.get_ref().clone()),
        canary_days: canary.days.unwrap_or(7),
        most_changed: canary.most_changed_per_1000,
    })
}

/// What of a centre is in force on this machine.
#[derive(Clone, Debug)]
pub struct InForce {
    /// Where it comes from.
    pub central: Central,
    /// Where it is kept.
    pub store: Store,
    /// The bundle, without its files; nothing where there is none that can be used.
    pub held: Option<Held>,
    /// Why it counts as stale, where it does.
    pub stale: Option<String>,
    /// What cannot be used of what is kept.
    pub trouble: Vec<String>,
}

impl InForce {
    /// What identifies it in the record.
    #[must_use]
    pub fn id(&self) -> String {
        match &self.held {
            Some(held) => format!("central {} {} {}", held.name, held.revision, held.digest),
            None => "central none".to_owned(),
        }
    }

    /// What whoever looks is warned of.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        self.trouble.iter().chain(&self.stale).map(String::as_str)
    }

    /// What holds beside the files while it is stale.
    pub(super) fn tighten(&self, options: &mut PolicyOptions) {
        if self.stale.is_none() || self.central.when_stale == WhenStale::Warn {
            return;
        }
        options.confirmation = match self.central.when_stale {
            WhenStale::Deny => Confirmation::Refuse { threshold: Severity::Safe },
            WhenStale::Ask | WhenStale::Warn => {
                options.confirmation.joined(Confirmation::Always).unwrap_or(Confirmation::Always)
            }
        };
        // Nothing of what spares a question may.
        options.allow.clear();
        options.disable_bypass = true;
        options.asked_for = None;
        options.undoable = None;
        options.commits_trials = false;
    }
}
