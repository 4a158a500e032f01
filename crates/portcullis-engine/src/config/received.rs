//! A bundle of a centre as it is received: checked before it is kept, and read again from where it is kept. Owns where that is, and what must be so in the
//! files of a bundle; the bundle itself is [`crate::bundle`]'s.

use std::{path::PathBuf, sync::Arc};

use jiff::Timestamp;
use serde::Deserialize as _;

use super::{
    Layer, Source,
    central::{Central, InForce},
    file::File,
    loaded::Loaded,
    part::resolve,
};
use crate::{
    bundle::{Bundle, Held, Refusal, Store, held, packed},
    platform::Directories,
};

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
    let stale = stale(central, held.as_ref(), now);
    (InForce { central: central.clone(), store, held, stale, trouble }, files)
}

/// Why what is held counts as stale, where it does.
pub(super) fn stale(central: &Central, held: Option<&Held>, now: Timestamp) -> Option<String> {
    let Some(held) = held else {
        return Some(
            "there is no policy of the centre: `portcullis policy fetch` gets it".to_owned(),
        );
    };
    if held.expires <= now {
        return Some(format!("the policy of the centre expired at {}", held.expires));
    }
    let is_old = now.duration_since(held.confirmed) > central.fresh;
    is_old.then(|| format!("the centre said nothing since {}", held.confirmed))
}

pub(super) fn loaded(held: &Held, store: &Store) -> Result<Vec<Arc<Loaded>>, String> {
    let folder = store.directory.join(format!("{}@{}", held.name, held.revision));
    let mut loaded = Vec::with_capacity(held.files.len());
    for file in &held.files {
        let mut from = packed::Unpacker::new(&file.packed);
        let part = File::deserialize(&mut from)
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
