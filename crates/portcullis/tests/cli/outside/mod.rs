//! Where the record ends, noted as checkpoints and in an object store: both read by others than who wrote them.

#![expect(clippy::indexing_slicing, reason = "a test may fail by panicking")]

mod reader;
mod store;

use std::fs;

use self::{
    reader::{Verifier, root_of},
    store::Store,
};
use crate::{Ended, Place};

fn recorded(calls: usize) -> Place {
    let place = Place::recorded();
    judge(&place, calls);
    let made = place.run(["policy", "key", "heads.key"]);
    assert_eq!(made.code, 0, "{}", made.page());
    place
}

fn judge(place: &Place, calls: usize) {
    let line = "{\"tool\":\"bash\",\"arguments\":{\"command\":\"ls\"}}\n";
    assert_eq!(place.fed(["check", "--jsonl"], line.repeat(calls).as_bytes()).code, 0);
}

fn run(place: &Place, line: &str) -> Ended {
    place.run(line.split(' '))
}

/// The hashes of the records, in their order.
fn hashes(place: &Place) -> Vec<String> {
    let export = run(place, "audit export");
    assert_eq!(export.code, 0, "{}", export.page());
    let hash = |line: &str| {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        record["hash"].as_str().unwrap().to_owned()
    };
    export.out.lines().map(hash).collect()
}

const SIGNED: &str = "--sign heads.key --name gate.example/record";

#[test]
fn a_checkpoint_is_one_to_a_reader_that_knows_nothing_of_us() {
    let place = recorded(11);
    let key = run(&place, &format!("audit heads --verifier {SIGNED}"));
    let verifier = Verifier::read(key.out.trim_end()).unwrap_or_else(|| panic!("{}", key.page()));
    for more in [0, 1, 5] {
        judge(&place, more);
        let note = run(&place, &format!("audit heads {SIGNED}"));
        assert_eq!(note.code, 0, "{}", note.page());
        let hashes = hashes(&place);
        let read = verifier.open(&note.out).unwrap_or_else(|| panic!("{}", note.page()));
        assert_eq!(read.origin, "gate.example/record");
        assert_eq!(read.size, hashes.len() as u64);
        assert_eq!(read.root, root_of(&hashes), "{}", note.page());
        // Nothing of it can be another.
        for (at, letter) in
            note.out.char_indices().filter(|(_, letter)| letter.is_ascii_alphanumeric())
        {
            let other = if letter == 'b' { 'c' } else { 'b' };
            let changed = format!("{}{other}{}", &note.out[..at], &note.out[at + 1..]);
            assert!(verifier.open(&changed).is_none(), "{changed}");
        }
    }
}

#[test]
fn a_tree_goes_on_over_records_that_are_gone() {
    let place = recorded(12);
    let before = hashes(&place);
    assert_eq!(run(&place, &format!("audit heads --to noted {SIGNED}")).out, "noted\n");
    for line in [
        "audit segment seal --records 5",
        "audit segment drop 1",
        "audit segment erase 1 --reason asked",
    ] {
        let ended = run(&place, line);
        assert_eq!(ended.code, 0, "{line}: {}", ended.page());
    }
    judge(&place, 2);
    assert_eq!(run(&place, &format!("audit heads --to noted {SIGNED}")).out, "noted\n");
    assert_eq!(
        run(&place, &format!("audit heads --to noted {SIGNED}")).out,
        "nothing was recorded since the last note\n"
    );
    let key = run(&place, &format!("audit heads --verifier {SIGNED}")).out;
    let verifier = Verifier::read(key.trim_end()).unwrap();
    let noted = fs::read_to_string(place.home.path().join("noted")).unwrap();
    let newest = noted.rfind("gate.example/record\n").unwrap();
    let newest = verifier.open(&noted[newest..]).unwrap();
    let behind = hashes(&place);
    let gone = before.len() - behind.iter().filter(|hash| before.contains(hash)).count();
    assert_eq!(gone, 5);
    let all = [&before[..gone], &behind].concat();
    assert_eq!((newest.size, newest.root), (all.len() as u64, root_of(&all)));
    let verified = run(&place, "audit verify --heads noted");
    assert_eq!(verified.code, 0, "{}", verified.page());
    // Without what was kept of it, and with records that nobody can read, there is no tree.
    fs::remove_dir_all(place.home.path().join(".local/state/portcullis/trees")).unwrap();
    let lost = run(&place, &format!("audit heads {SIGNED}"));
    assert_eq!(lost.code, 65, "{}", lost.page());
    assert!(lost.err.contains("the records of segment 1 cannot be read"), "{}", lost.page());
}

#[test]
fn a_checkpoint_of_another_key_or_with_another_root_is_told_of() {
    let place = recorded(6);
    assert_eq!(run(&place, "policy key other.key").code, 0);
    let key = run(&place, "policy key heads.key").out;
    let own = key.split_whitespace().find(|word| word.starts_with("ed25519:")).unwrap();
    let verifier = run(&place, &format!("audit heads --verifier {SIGNED}")).out;
    assert_eq!(Verifier::read(verifier.trim_end()).unwrap().ours(), own);
    let forged = run(&place, "audit heads --to forged --sign other.key --name gate.example/record");
    assert_eq!(forged.code, 0, "{}", forged.page());
    let refused = run(&place, &format!("audit verify --heads forged --key {own}"));
    assert_eq!(refused.code, 65, "{}", refused.page());
    assert!(refused.page().contains("is not signed by that key"), "{}", refused.page());
    let noted = run(&place, &format!("audit heads {SIGNED}")).out;
    fs::write(place.home.path().join("noted"), &noted).unwrap();
    let fits = run(&place, &format!("audit verify --heads noted --key {own}"));
    assert_eq!(fits.code, 0, "{}", fits.page());
    let mut lines: Vec<&str> = noted.lines().collect();
    lines[2] = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    fs::write(place.home.path().join("noted"), lines.join("\n") + "\n").unwrap();
    let other = run(&place, "audit verify --heads noted");
    assert_eq!(other.code, 65, "{}", other.page());
    assert!(other.page().contains("has another root"), "{}", other.page());
}

/// A place with credentials, and what it is told of a store.
fn stored(place: &Place, store: &Store) -> String {
    let path = place.home.path().join("credentials");
    let text =
        format!("AWS_ACCESS_KEY_ID={}\nAWS_SECRET_ACCESS_KEY={}\n", store::ID, store::SECRET);
    fs::write(&path, text).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    }
    format!("--bucket {}/kept/of/us --region eu-north-1 --credentials credentials", store.url())
}

#[test]
fn an_object_store_keeps_each_head_once_and_for_good() {
    let place = recorded(5);
    let store = Store::start();
    let options = stored(&place, &store);
    let note = |more: &str| run(&place, &format!("audit heads {options}{more}"));
    let verify = || run(&place, &format!("audit verify {options}"));
    let nothing = verify();
    assert_eq!(nothing.code, 65, "{}", nothing.page());
    assert!(nothing.page().contains("nothing is noted"), "{}", nothing.page());
    let noted = note("");
    assert_eq!(noted.out, "noted\n", "{}", noted.page());
    assert_eq!(note("").out, "nothing was recorded since the last note\n");
    // Signed or not, there is one head of a length.
    assert_eq!(note(&format!(" {SIGNED}")).out, "nothing was recorded since the last note\n");
    for _ in 0..4 {
        judge(&place, 3);
        // A store that has too much to do is asked again.
        store.fail_next(2, 503);
        let noted = note(&format!(" {SIGNED}"));
        assert_eq!(noted.out, "noted\n", "{}", noted.page());
    }
    assert_eq!(verify().code, 0, "{}", verify().page());
    let names = store.names();
    assert_eq!(names.len(), 5, "{names:?}");
    assert_eq!(names[0], "kept/of/us/00000000000000000005.head");
    assert!(store.text(&names[1]).starts_with("gate.example/record\n8\n"));
    // What others put beside them is not looked at.
    store.put("kept/of/us/readme.txt", "hello");
    store.put("kept/other/00000000000000000001.head", "1 1 x ");
    assert_eq!(verify().code, 0, "{}", verify().page());

    // The record is made anew, whole and fitting.
    let state = place.home.path().join(".local/state/portcullis");
    fs::rename(&state, place.home.path().join("before")).unwrap();
    judge(&place, 30);
    let refused = note("");
    assert_eq!(refused.code, 65, "{}", refused.page());
    assert!(refused.page().contains("is not the one that was noted"), "{}", refused.page());
    assert_eq!(verify().code, 65);
    assert_eq!(store.names().len(), 7, "nothing was written");
}

#[test]
fn of_two_heads_of_one_length_the_first_stays() {
    let place = recorded(5);
    let store = Store::start();
    let options = stored(&place, &store);
    let other = recorded(5);
    stored(&other, &store);
    assert_eq!(run(&place, &format!("audit heads {options}")).out, "noted\n");
    let first = store.text("kept/of/us/00000000000000000005.head");
    // It was not there yet when the other looked.
    store.hide_once();
    let refused = run(&other, &format!("audit heads {options}"));
    assert_eq!(refused.code, 65, "{}", refused.page());
    assert!(refused.err.contains("is there already and says something else"), "{}", refused.page());
    assert_eq!(store.text("kept/of/us/00000000000000000005.head"), first);
    assert!(store.asked().iter().any(|line| line.starts_with("PUT ") && line.ends_with(" 412")));
}

#[test]
fn a_store_that_refuses_or_lies_is_told_of() {
    let place = recorded(5);
    let store = Store::start();
    let options = stored(&place, &store);
    fs::write(
        place.home.path().join("credentials"),
        "AWS_ACCESS_KEY_ID=AKIDEXAMPLE\nAWS_SECRET_ACCESS_KEY=wrong\n",
    )
    .unwrap();
    let wrong = run(&place, &format!("audit heads {options}"));
    assert_eq!(wrong.code, 70, "{}", wrong.page());
    assert!(
        wrong.err.contains("answers 403") && wrong.err.contains("SignatureDoesNotMatch"),
        "{}",
        wrong.page()
    );
    assert!(!wrong.page().contains("wrong"), "{}", wrong.page());
    let options = stored(&place, &store);
    store.put("kept/of/us/00000000000000000003.head", "something \u{1b}[2J");
    for line in [format!("audit heads {options}"), format!("audit verify {options}")] {
        let lied = run(&place, &line);
        assert_eq!(lied.code, 65, "{}", lied.page());
        assert!(lied.err.contains("does not say where a chain ends"), "{}", lied.page());
    }
    // A head under the name of another length.
    let own = run(&place, "audit heads").out;
    store.put("kept/of/us/00000000000000000003.head", &own);
    let moved = run(&place, &format!("audit verify {options}"));
    assert_eq!(moved.code, 65, "{}", moved.page());
    store.never_ends();
    let cut = run(&place, &format!("audit heads {options}"));
    assert_eq!(cut.code, 65, "{}", cut.page());
    assert!(cut.err.contains("breaks off"), "{}", cut.page());
    for (line, code) in [
        ("audit heads --bucket https://s3.example/x", 64),
        ("audit heads --bucket http://s3.example/x --credentials credentials", 64),
        ("audit heads --bucket https://s3.example --credentials credentials", 64),
        ("audit heads --bucket https://s3.example/x --credentials nowhere", 78),
        ("audit heads --name x", 64),
        ("audit heads --sign nowhere", 78),
        ("audit heads --sign heads.key --name a+b", 64),
    ] {
        let ended = run(&place, line);
        assert_eq!(ended.code, code, "{line}: {}", ended.page());
    }
}
