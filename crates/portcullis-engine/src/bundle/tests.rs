//! What is refused of bundles, and what stays in force.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::{held::own_number, *};

fn now() -> Timestamp {
    "2026-11-28T12:00:00Z".parse().unwrap()
}

fn key(folder: &tempfile::TempDir, name: &str) -> SecretKey {
    SecretKey::make(&folder.path().join(name)).unwrap()
}

fn files() -> BTreeMap<String, String> {
    let text = |text: &str| text.to_owned();
    BTreeMap::from([
        (text("base.toml"), text("[rules]\ndeny = [\"Bash(curl *)\"]\n")),
        (text("team.toml"), text("mode = \"plan\"\n")),
    ])
}

fn bundle(revision: u64) -> Bundle {
    let day = SignedDuration::from_hours(24);
    Bundle::build("acme", revision, (now() - day, now() + day), files()).unwrap()
}

#[test]
fn a_bundle_counts_when_enough_of_the_keys_that_count_signed_it() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two, other) = (key(&folder, "1"), key(&folder, "2"), key(&folder, "3"));
    let keys = [one.public(), two.public()];
    let alone = bundle(1).signed_by(&one);
    assert_eq!(alone.check(&keys, 1, now()).unwrap(), [one.public().id()]);
    let unsigned = |signed| Err(Refusal::Unsigned { signed, needed: 2 });
    assert_eq!(alone.check(&keys, 2, now()), unsigned(1));
    // Twice the same person is one person, and a stranger is nobody.
    let again = alone.clone().signed_by(&one).signed_by(&other);
    assert_eq!(again.check(&keys, 2, now()), unsigned(1));
    assert_eq!(bundle(1).signed_by(&other).check(&keys, 2, now()), unsigned(0));
    assert_eq!(bundle(1).check(&keys, 0, now()), Err(Refusal::Unsigned { signed: 0, needed: 1 }));
    let both = again.signed_by(&two);
    assert_eq!(both.check(&keys, 2, now()).unwrap().len(), 2);
    // What goes over the wire says the same.
    let read = Bundle::read(both.to_string().as_bytes()).unwrap();
    assert_eq!(read.check(&keys, 2, now()).unwrap().len(), 2);
    assert_eq!(read.digest(), both.digest());
}

#[test]
fn a_signature_counts_for_nothing_else_than_what_was_signed() {
    let folder = tempfile::tempdir().unwrap();
    let one = key(&folder, "1");
    let keys = [one.public()];
    let (mine, other) = (bundle(1).signed_by(&one), bundle(2).signed_by(&one));
    let mut forged: Value = serde_json::from_str(&mine.to_string()).unwrap();
    let foreign: Value = serde_json::from_str(&other.to_string()).unwrap();
    forged["signatures"] = foreign["signatures"].clone();
    let read = Bundle::read(forged.to_string().as_bytes()).unwrap();
    assert_eq!(read.check(&keys, 1, now()), Err(Refusal::Forged(one.public().id())));
    // The key signed the same text as something else.
    let manifest = forged["manifest"].as_str().unwrap().to_owned();
    let plain = data_encoding::BASE64.encode(&one.sign(manifest.as_bytes()));
    forged["signatures"][0]["signature"] = json!(plain);
    let read = Bundle::read(forged.to_string().as_bytes()).unwrap();
    assert_eq!(read.check(&keys, 1, now()), Err(Refusal::Forged(one.public().id())));
}

#[test]
fn time_and_order_count() {
    let folder = tempfile::tempdir().unwrap();
    let one = key(&folder, "1");
    let keys = [one.public()];
    let signed = bundle(7).signed_by(&one);
    let day = SignedDuration::from_hours(24);
    let expired = now() + day;
    assert_eq!(signed.check(&keys, 1, expired), Err(Refusal::Expired(expired)));
    let issued = now() - day;
    let early = issued - SignedDuration::from_mins(6);
    assert_eq!(signed.check(&keys, 1, early), Err(Refusal::Future(issued)));
    assert!(signed.check(&keys, 1, issued - SignedDuration::from_mins(4)).is_ok());
    let digest = signed.digest();
    assert_eq!(signed.follows("acme", 6, "sha256:x"), Ok(()));
    assert_eq!(signed.follows("acme", 7, &digest), Ok(()));
    assert_eq!(signed.follows("acme", 7, "sha256:x"), Err(Refusal::Twin(7)));
    assert_eq!(signed.follows("acme", 8, &digest), Err(Refusal::Rollback { offered: 7, held: 8 }));
    let another = Refusal::Another { offered: "acme".into(), held: "other".into() };
    assert_eq!(signed.follows("other", 1, &digest), Err(another));
}

#[test]
fn a_bundle_whose_files_are_not_those_of_its_manifest_is_none() {
    let whole: Value = serde_json::from_str(&bundle(1).to_string()).unwrap();
    let read = |change: &dyn Fn(&mut Value)| {
        let mut value = whole.clone();
        change(&mut value);
        Bundle::read(value.to_string().as_bytes()).unwrap_err()
    };
    let extra = read(&|value| value["files"]["more.toml"] = json!(""));
    assert_eq!(extra, Refusal::Extra("more.toml".into()));
    let missing = read(&|value| {
        value["files"].as_object_mut().unwrap().remove("team.toml");
    });
    assert_eq!(missing, Refusal::Missing("team.toml".into()));
    let changed = read(&|value| value["files"]["team.toml"] = json!("mode = \"deny\"\n"));
    assert_eq!(changed, Refusal::Changed("team.toml".into()));
    assert_eq!(read(&|value| value["v"] = json!(2)), Refusal::Newer(2));
    let manifest = |change: &dyn Fn(&mut Value)| {
        read(&|value| {
            let text = value["manifest"].as_str().unwrap();
            let mut manifest: Value = serde_json::from_str(text).unwrap();
            change(&mut manifest);
            value["manifest"] = json!(manifest.to_string());
        })
    };
    assert_eq!(manifest(&|manifest| manifest["v"] = json!(9)), Refusal::Newer(9));
    for change in [
        &|manifest: &mut Value| manifest["revision"] = json!(0) as Value,
        &|manifest: &mut Value| manifest["name"] = json!("../etc"),
        &|manifest: &mut Value| manifest["files"] = json!([]),
        &|manifest: &mut Value| manifest["files"][0]["name"] = json!("../../x.toml"),
        &|manifest: &mut Value| manifest["files"][0]["name"] = json!("x.sh"),
        &|manifest: &mut Value| manifest["files"][1] = manifest["files"][0].clone(),
        &|manifest: &mut Value| manifest["expires"] = manifest["issued"].clone(),
    ] as [&dyn Fn(&mut Value); 7]
    {
        assert!(matches!(manifest(change), Refusal::Manifest(_)));
    }
    let unknown = manifest(&|manifest| manifest["scripts"] = json!([]));
    assert!(matches!(unknown, Refusal::Malformed(_)), "{unknown}");
    assert_eq!(Bundle::read(&vec![b' '; signed::LONGEST + 1]).unwrap_err(), Refusal::TooLong);
}

#[test]
fn a_bundle_that_is_cut_anywhere_is_none_and_a_flipped_byte_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let one = key(&folder, "1");
    let keys = [one.public()];
    let whole = bundle(1).signed_by(&one).to_string().into_bytes();
    // The line's end is no part of it.
    for end in 0..whole.len() - 1 {
        assert!(Bundle::read(&whole[..end]).is_err(), "cut at {end}");
    }
    for at in 0..whole.len() - 1 {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        let Ok(read) = Bundle::read(&bytes) else { continue };
        assert!(read.check(&keys, 1, now()).is_err(), "flipped at {at}");
    }
}

#[test]
fn a_key_is_read_from_its_own_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    let made = SecretKey::make(&path).unwrap();
    assert_eq!(SecretKey::read(&path).unwrap().public(), made.public());
    assert_eq!(made.public().to_string().parse::<PublicKey>().unwrap(), made.public());
    assert!(SecretKey::make(&path).is_err(), "a key is never replaced");
    assert!("ed25519:AAAA".parse::<PublicKey>().is_err());
    let text = std::fs::read(&path).unwrap();
    std::fs::write(&path, &text[..text.len() / 2]).unwrap();
    assert!(SecretKey::read(&path).is_err());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::write(&path, &text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o622)).unwrap();
        assert!(SecretKey::read(&path).is_err(), "others may write it");
    }
}

fn held(revision: u64) -> Held {
    let table: toml::Table = "[rules]\ndeny = [\"Bash(curl *)\"]\n".parse().unwrap();
    Held {
        name: "acme".into(),
        revision,
        digest: format!("sha256:{revision}"),
        signers: "a,b".into(),
        issued: now(),
        expires: now() + SignedDuration::from_hours(1),
        confirmed: now(),
        origin: "https://gate.example/".into(),
        etag: "\"1\"".into(),
        files: vec![File {
            name: "base.toml".into(),
            sha256: "00".repeat(32),
            packed: packed::pack(&table).unwrap(),
        }],
    }
}

fn store(folder: &tempfile::TempDir) -> Store {
    Store { directory: folder.path().join("central"), owner: own_number(), shared: false }
}

#[test]
fn a_file_that_is_half_written_anywhere_leaves_the_one_before_in_force() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder);
    assert!(store.read().held.is_none() && store.read().trouble.is_empty());
    store.activate(&held(1)).unwrap();
    store.activate(&held(2)).unwrap();
    assert_eq!(store.read().held, Some(held(2)));
    let whole = held(2).written();
    let current = store.directory.join("current");
    for end in 0..whole.len() {
        std::fs::write(&current, &whole[..end]).unwrap();
        let reading = store.read();
        assert_eq!(reading.held.map(|held| held.revision), Some(1), "cut at {end}");
        assert_eq!(reading.trouble.len(), 1, "cut at {end}");
    }
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        std::fs::write(&current, &bytes).unwrap();
        assert_eq!(store.read().held.map(|held| held.revision), Some(1), "flipped at {at}");
    }
    // One that cannot be read does not take the place of the last good one.
    store.activate(&held(3)).unwrap();
    std::fs::write(&current, b"x").unwrap();
    assert_eq!(store.read().held.map(|held| held.revision), Some(1));
}

#[test]
fn the_same_revision_told_again_keeps_the_one_before() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder);
    store.activate(&held(1)).unwrap();
    store.activate(&held(2)).unwrap();
    let later = Held { confirmed: now() + SignedDuration::from_hours(1), ..held(2) };
    store.activate(&later).unwrap();
    assert_eq!(store.read().held, Some(later));
    std::fs::remove_file(store.directory.join("current")).unwrap();
    assert_eq!(store.read().held, Some(held(1)));
    assert_eq!(store.highest().map(|held| held.revision), Some(1));
}

#[test]
fn whoever_reads_while_it_is_replaced_reads_one_or_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder);
    store.activate(&held(1)).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for revision in 2..60 {
                store.activate(&held(revision)).unwrap();
            }
        });
        let mut last = 0;
        while !writer.is_finished() {
            let Reading { held: read, trouble } = store.read();
            let read = read.unwrap();
            assert_eq!(read, held(read.revision), "{trouble:?}");
            assert!(trouble.is_empty(), "{trouble:?}");
            assert!(read.revision >= last);
            last = read.revision;
        }
    });
    assert_eq!(store.read().held, Some(held(59)));
}

#[test]
#[cfg(unix)]
fn a_file_that_others_could_have_written_is_not_believed() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder);
    store.activate(&held(1)).unwrap();
    let current = store.directory.join("current");
    let foreign = Store { owner: own_number() + 1, ..store.clone() };
    assert!(foreign.read().held.is_none());
    assert_eq!(foreign.read().trouble.len(), 1);
    let mode = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(&current, 0o666);
    assert!(store.read().held.is_none());
    mode(&current, 0o600);
    mode(&store.directory, 0o777);
    assert!(store.read().held.is_none());
    assert!(store.activate(&held(2)).is_err());
    mode(&store.directory, 0o700);
    let aside = store.directory.join("aside");
    std::fs::rename(&current, &aside).unwrap();
    symlink(&aside, &current).unwrap();
    assert!(store.read().held.is_none(), "a link is not followed");
}

#[test]
fn what_is_packed_is_read_as_it_was() {
    let text = "a = 1\nb = -2.5\nc = true\nd = false\ne = [\"x\", 1, [2]]\n[f]\ng = { h = \"é\" }\n[[i]]\nj = []\n";
    let table: toml::Table = text.parse().unwrap();
    let packed = packed::pack(&table).unwrap();
    let read = |bytes: &[u8]| {
        let mut from = packed::Unpacker::new(bytes);
        let read = <toml::Table as serde::Deserialize>::deserialize(&mut from)?;
        from.end().map(|()| read)
    };
    assert_eq!(read(&packed).unwrap(), table);
    for end in 0..packed.len() {
        assert!(read(&packed[..end]).is_err(), "cut at {end}");
    }
    assert!(read(&[&packed[..], b"n"].concat()).is_err());
    let deep: Vec<u8> = b"t\x01\0\0\0s\x01\0\0\0a"
        .iter()
        .copied()
        .chain(b"a\x01\0\0\0".repeat(100_000))
        .chain(*b"y")
        .collect();
    assert!(read(&deep).is_err());
    let time: toml::Table = "a = 2026-11-28\n".parse().unwrap();
    assert_eq!(packed::pack(&time), Err(packed::Unpackable::Kind));
}
