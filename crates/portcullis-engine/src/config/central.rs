//! A policy from a centre: the `[central]` table. Owns its words, how old such a policy may become, and what of it is in force; what a bundle is, and where
//! it is kept, [`crate::bundle`] knows.

use std::{path::PathBuf, sync::Arc};

use jiff::{SignedDuration, Timestamp};
use portcullis_core::policy::{Confirmation, PolicyOptions};
use portcullis_core::risk::Severity;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::{
    Layer, Source,
    error::Misreading,
    file::{File, Lock},
    layers::Loaded,
    part::resolve,
};
use crate::{
    bundle::{Bundle, Held, PublicKey, Refusal, Store, held, packed},
    guardian::crosses_openly,
    platform::Directories,
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

/// The store of a centre: beside the managed file where that names it, else in this user's state.
pub(super) fn store_of(layer: Layer, directories: &Directories) -> Option<Store> {
    match (layer, &directories.managed) {
        (Layer::Managed, Some(managed)) => Some(Store {
            directory: managed.directory.join("central"),
            owner: managed.owner,
            shared: true,
        }),
        _ => directories.state.as_deref().map(held::of_user),
    }
}

/// What is in force, with its files.
pub(super) fn in_force(
    central: &Central,
    store: Store,
    now: Timestamp,
) -> (InForce, Vec<Arc<Loaded>>) {
    let held::Reading { mut held, mut trouble } = store.read();
    let mut files = Vec::new();
    if let Some(one) = &mut held {
        match loaded(one, &store) {
            Ok(parts) => files = parts,
            Err(why) => {
                trouble.push(format!("revision {} cannot be used: {why}", one.revision));
                held = None;
            }
        }
    }
    if let Some(one) = &mut held {
        one.files.clear();
    }
    let stale = match &held {
        None => {
            Some("there is no policy of the centre: `portcullis policy fetch` gets it".to_owned())
        }
        Some(held) if held.expires <= now => {
            Some(format!("the policy of the centre expired at {}", held.expires))
        }
        Some(held) if now.duration_since(held.confirmed) > central.fresh => {
            Some(format!("the centre said nothing since {}", held.confirmed))
        }
        Some(_) => None,
    };
    (InForce { central: central.clone(), store, held, stale, trouble }, files)
}

pub(super) fn loaded(held: &Held, store: &Store) -> Result<Vec<Arc<Loaded>>, String> {
    let folder = store.directory.join(format!("{}@{}", held.name, held.revision));
    let mut loaded = Vec::with_capacity(held.files.len());
    for file in &held.files {
        let mut from = packed::Unpacker::new(&file.packed);
        let part = <File as Deserialize>::deserialize(&mut from)
            .and_then(|read| from.end().map(|()| read))
            .map_err(|error| error.to_string())
            .and_then(|read| {
                resolve(&read, Layer::Central).map_err(|misreading| misreading.message)
            })
            .map_err(|why| format!("`{}`: {why}", file.name))?;
        let path = folder.join(&file.name);
        let sha256 = file.sha256.clone();
        let source = Source { layer: Layer::Central, path, sha256, trusted: true, doubt: None };
        loaded.push(Arc::new(Loaded::of_part(source, part)));
    }
    Ok(loaded)
}

/// Why a bundle is not taken into use.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unaccepted {
    /// It is not signed, not whole, of another time, or a step back.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// One of its files is no configuration, or one that a centre cannot write.
    #[error(transparent)]
    Configuration(#[from] super::ConfigError),
    /// One of its files holds what cannot be packed.
    #[error("`{0}`: {1}")]
    Packed(String, packed::Unpackable),
}

/// Checks a bundle for a machine: signatures, time, order, and that every file of it is understood and its examples do what they say.
///
/// # Errors
/// [`Unaccepted`]; nothing changes then.
pub fn accept(
    bundle: &Bundle,
    central: &Central,
    highest: Option<&Held>,
    origin: &str,
    now: Timestamp,
) -> Result<Held, Unaccepted> {
    let signers = bundle.check(&central.keys, central.signatures, now)?;
    if let Some(Held { name, revision, digest, .. }) = highest {
        bundle.follows(name, *revision, digest)?;
    }
    held_of(bundle, signers.join(","), origin, now)
}

/// The checked form of a bundle, whoever signed it: to be looked at.
///
/// # Errors
/// [`Unaccepted::Configuration`], [`Unaccepted::Packed`].
pub fn held_of(
    bundle: &Bundle,
    signers: String,
    origin: &str,
    now: Timestamp,
) -> Result<Held, Unaccepted> {
    let manifest = bundle.manifest();
    let mut files = Vec::new();
    for listed in &manifest.files {
        let text = bundle.files().get(&listed.name).map_or("", String::as_str);
        let path = PathBuf::from(&listed.name);
        Loaded::new(text, &path, Layer::Central, true)?;
        let packed = without_examples(text)
            .and_then(|table| packed::pack(&table))
            .map_err(|error| Unaccepted::Packed(listed.name.clone(), error))?;
        files.push(held::File { name: listed.name.clone(), sha256: listed.sha256.clone(), packed });
    }
    files.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(Held {
        name: manifest.name.clone(),
        revision: manifest.revision,
        digest: bundle.digest(),
        signers,
        issued: manifest.issued,
        expires: manifest.expires,
        confirmed: now,
        origin: origin.to_owned(),
        etag: String::new(),
        files,
    })
}

/// A file without the examples beside its rules, which were tried.
fn without_examples(text: &str) -> Result<toml::Table, packed::Unpackable> {
    let table: Result<toml::Table, _> = text.parse();
    let mut table = table.map_err(|error| packed::Unpackable::Other(error.to_string()))?;
    let rules = table.get_mut("rules").and_then(toml::Value::as_table_mut);
    for (_, list) in rules.into_iter().flat_map(toml::Table::iter_mut) {
        for entry in list.as_array_mut().into_iter().flatten() {
            if let Some(entry) = entry.as_table_mut() {
                entry.remove("match");
                entry.remove("no_match");
            }
        }
    }
    Ok(table)
}
