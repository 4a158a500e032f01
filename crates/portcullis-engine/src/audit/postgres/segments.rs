//! Segments of chains that share a database: their life, and what somebody could do to them.

use std::{fs, path::Path, sync::Arc, thread, time::Duration};

use jiff::Timestamp;

use super::{
    cluster::{Cluster, alone, cluster},
    tests::{Gateway, gateway},
    *,
};
use crate::{
    approvals::{Ledger as _, Source, Step},
    audit::{
        Anchor, Hash, Log, Place, Problem, Verification,
        entry::{Body, Entry, Kind},
        segment::{Archive, Deed, KEEPER, Sealing, SegmentError, Standing},
        store::Store as _,
    },
};

const TEN: u64 = 10;

/// Two gateways on a database, and who keeps its record.
struct Shared {
    url: String,
    cluster: &'static Cluster,
    one: PostgresStore,
    two: PostgresStore,
    keeper: Gateway,
    room: tempfile::TempDir,
}

impl Shared {
    fn new() -> Option<Self> {
        cluster().map(|cluster| Self::on(cluster, cluster.database()))
    }

    fn on(cluster: &'static Cluster, url: String) -> Self {
        let open = |name| PostgresStore::writer(gateway(&url, name).database).unwrap();
        let (one, two) = (open("one"), open("two"));
        let (keeper, room) = (gateway(&url, KEEPER), tempfile::tempdir().unwrap());
        Self { url, cluster, one, two, keeper, room }
    }

    /// So many records of each, by turns; that of `one` comes first.
    fn add(&mut self, records: u64) {
        for number in 0..records {
            for (name, store) in [("one", &mut self.one), ("two", &mut self.two)] {
                let entry = Entry {
                    session: Some("s".to_owned()),
                    preview: Some(format!("personal data {number} of {name}.")),
                    ..Entry::new(Kind::Decision)
                };
                store.append(Body::new(&entry, Timestamp::UNIX_EPOCH), None).unwrap();
            }
        }
    }

    fn log(&self) -> Log {
        Source::Database(Arc::clone(&self.keeper.database)).log_to_append().unwrap()
    }

    fn archive(&self, chain: &str) -> Archive {
        Archive::beneath(&self.state()).of_chain(chain).unwrap()
    }

    fn state(&self) -> PathBuf {
        self.room.path().join("state")
    }

    fn seal(&self) -> Vec<(String, u64)> {
        let sealing =
            Sealing { records: TEN, until: Timestamp::MAX, person: "ana".to_owned(), key: None };
        let sealed = self.archive("").seal(&mut self.log(), &sealing).unwrap();
        sealed.into_iter().map(|manifest| (manifest.chain, manifest.number)).collect()
    }

    fn drop(&self, chain: &str, number: u64) -> Result<bool, SegmentError> {
        self.archive(chain).drop(&mut self.log(), number, "ana")
    }

    fn erase(&self, chain: &str, number: u64) -> Result<(), SegmentError> {
        self.archive(chain).erase(&mut self.log(), number, "ana", "asked for")
    }

    fn standing(&self, chain: &str) -> Vec<Standing> {
        self.archive(chain).standing(&mut self.log()).unwrap()
    }

    fn verify(&self, known: &[Place]) -> Verification {
        let mut log = Source::Database(Arc::clone(&self.keeper.database)).log_alone().unwrap();
        log.verify_with(known, Some(&self.archive(""))).unwrap()
    }

    fn is_intact(&self) -> Verification {
        let found = self.verify(&[]);
        assert!(found.is_intact(), "{:?}", found.problems);
        found
    }

    fn say(&self, statements: &str) -> String {
        let off = "SET session_replication_role = replica; SET search_path = portcullis;";
        self.cluster.say(&self.url, &format!("{off} {statements}"))
    }
}

fn of(chain: &str, numbers: impl IntoIterator<Item = u64>) -> Vec<(String, u64)> {
    numbers.into_iter().map(|number| (chain.to_owned(), number)).collect()
}

#[test]
fn each_chain_goes_on_over_what_was_dropped_of_it() {
    let Some(mut shared) = Shared::new() else { return };
    shared.add(25);
    shared.one.take(&[Step::TieChains], Timestamp::UNIX_EPOCH, None).unwrap();
    assert_eq!(shared.seal(), [of("one", 1..=2), of("two", 1..=2)].concat());
    let found = shared.is_intact();
    assert_eq!((found.records, found.segments.sealed, found.segments.dropped), (55, 4, 0));
    assert!(shared.drop("one", 1).unwrap());
    assert!(!shared.drop("one", 1).unwrap(), "twice");
    shared.is_intact();
    assert!(shared.drop("two", 2).unwrap());
    let found = shared.is_intact();
    assert_eq!((found.records, found.segments.dropped), (37, 2));
    // Gateways go on meanwhile, and what tells of dropping is sealed and dropped too.
    let mut dropped = 2;
    for _ in 0..4 {
        shared.add(10);
        shared.two.take(&[Step::TieChains], Timestamp::UNIX_EPOCH, None).unwrap();
        for (chain, number) in shared.seal() {
            assert!(shared.drop(&chain, number).unwrap(), "{chain} {number}");
            dropped += 1;
        }
        let found = shared.is_intact();
        assert_eq!(found.segments.dropped, dropped);
    }
    assert!(shared.standing(KEEPER).iter().any(|one| one.is_dropped), "of its own chain too");
    let one = shared.standing("one");
    assert_eq!(one.iter().filter(|one| !one.is_dropped).count(), 1, "{one:?}");
    assert!(one[0].is_dropped && !one[1].is_dropped);
    // Who has the key reads what was dropped.
    let mut lines = Vec::new();
    shared.archive("two").lines(2, &mut lines).unwrap();
    let lines = String::from_utf8(lines).unwrap();
    assert_eq!(lines.lines().count(), 10);
    assert!(lines.contains("personal data 12 of two."), "{lines}");
}

#[test]
fn a_chain_of_which_all_was_dropped_still_ends_where_it_did() {
    let Some(mut shared) = Shared::new() else { return };
    shared.add(10);
    assert_eq!(shared.seal(), [of("one", 1..=1), of("two", 1..=1)].concat());
    shared.drop("one", 1).unwrap();
    shared.drop("two", 1).unwrap();
    let found = shared.is_intact();
    assert_eq!(found.records, 4, "what tells of it");
    shared.say("DELETE FROM chain WHERE name = 'two'");
    assert!(!shared.verify(&[]).is_intact(), "nobody says that it ever was");
}

#[test]
fn what_is_held_stays_and_only_the_keeper_tells_of_segments() {
    let Some(mut shared) = Shared::new() else { return };
    shared.add(10);
    shared.seal();
    shared.archive("one").hold(&mut shared.log(), 1, "ana", "case 12", true).unwrap();
    assert!(matches!(shared.drop("one", 1), Err(SegmentError::Held(1))));
    assert!(matches!(shared.erase("one", 1), Err(SegmentError::Held(1))));
    // A gateway that says so releases nothing.
    let says = Entry {
        preview: Some("segment 1 of one".to_owned()),
        ..Entry::change("eve", Deed::Released.outcome(), "let go")
    };
    shared.one.append(Body::new(&says, Timestamp::UNIX_EPOCH), None).unwrap();
    assert!(matches!(shared.drop("one", 1), Err(SegmentError::Held(1))));
    shared.drop("two", 1).unwrap();
    shared.is_intact();
    shared.archive("one").hold(&mut shared.log(), 1, "ana", "case 12", false).unwrap();
    shared.drop("one", 1).unwrap();
    shared.is_intact();
}

#[test]
fn what_somebody_does_to_segments_is_found() {
    let change = |statements: &'static str| {
        move |shared: &Shared| {
            shared.say(statements);
        }
    };
    let flip = |path: &'static str| {
        move |shared: &Shared| {
            let path = shared.state().join("segments").join(path);
            let mut bytes = fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            fs::write(path, bytes).unwrap();
        }
    };
    let lose = |path: &'static str| {
        move |shared: &Shared| {
            fs::remove_file(shared.state().join("segments").join(path)).unwrap();
        }
    };
    type Attack = Box<dyn Fn(&Shared)>;
    let attacks: [(&str, Attack); 9] = [
        (
            "rows of a sealed segment",
            Box::new(change(
                "DELETE FROM record WHERE chain = 'two' AND sequence BETWEEN 22 AND 40",
            )),
        ),
        (
            "one row of it",
            Box::new(change("DELETE FROM record WHERE chain = 'two' AND sequence = 24")),
        ),
        (
            "the record that tells of dropping",
            Box::new(change("DELETE FROM record WHERE outcome = 'segment dropped'")),
        ),
        ("what tells of sealing", Box::new(change("DELETE FROM record WHERE chain = 'keeper'"))),
        ("a manifest", Box::new(flip("chain.one/000001.manifest"))),
        ("the newest manifest", Box::new(flip("chain.two/000002.manifest"))),
        ("the file of what was dropped", Box::new(flip("chain.one/000001.segment"))),
        ("a manifest that is gone", Box::new(lose("chain.one/000001.manifest"))),
        (
            "a row behind it",
            Box::new(change(
                "UPDATE record SET previous = hash WHERE chain = 'one' AND sequence = 21",
            )),
        ),
    ];
    for (what, attack) in attacks {
        let Some(mut shared) = Shared::new() else { return };
        shared.add(20);
        shared.seal();
        shared.drop("one", 1).unwrap();
        shared.is_intact();
        attack(&shared);
        assert!(!shared.verify(&[]).is_intact(), "{what}");
    }
}

#[test]
fn a_place_that_was_noted_is_looked_for_in_what_was_dropped_of_its_chain() {
    let Some(mut shared) = Shared::new() else { return };
    shared.add(12);
    let mut log = shared.log();
    let place = |chain: &str, sequence: u64, log: &mut Log| {
        let hash = log.record(sequence).unwrap().unwrap().hash;
        (chain.to_owned(), Anchor { sequence, hash })
    };
    let places = [place("one", 7, &mut log), place("one", 19, &mut log), place("two", 8, &mut log)];
    drop(log);
    shared.seal();
    shared.drop("one", 1).unwrap();
    let found = shared.verify(&places);
    assert!(found.is_intact(), "{:?}", found.problems);
    for (chain, place) in &places {
        let other = (chain.clone(), Anchor { hash: Hash([9; 32]), ..*place });
        let problems = shared.verify(&[other]).problems;
        let replaced = Problem::Replaced { sequence: place.sequence };
        assert!(!problems.is_empty(), "{place:?}");
        assert!(problems.iter().all(|problem| *problem == replaced), "{problems:?}");
    }
    // A record of the other chain between two that were dropped: nobody said that this one may go.
    shared.say("DELETE FROM record WHERE sequence = 8");
    let problems = shared.verify(&[places[2].clone()]).problems;
    assert!(problems.contains(&Problem::Missing { first: 8, last: 8 }), "{problems:?}");
    // And one that never was.
    let invented = ("one".to_owned(), Anchor { sequence: 6, hash: Hash([9; 32]) });
    let problems = shared.verify(&[invented]).problems;
    assert!(problems.contains(&Problem::Replaced { sequence: 6 }), "{problems:?}");
}

/// The files below a directory in which these bytes stand, but for the log that is written ahead.
fn files_with(folder: &Path, bytes: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() && !path.ends_with("pg_wal") {
                folders.push(path);
            } else if let Ok(read) = fs::read(&path)
                && memchr::memmem::find(&read, bytes.as_bytes()).is_some()
            {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

#[test]
fn what_is_erased_is_gone_from_every_file_of_the_tables_and_the_chains_hold() {
    let Some(cluster) = alone() else { return };
    let cluster: &'static Cluster = Box::leak(Box::new(cluster));
    let mut shared = Shared::on(cluster, cluster.database());
    shared.add(15);
    shared.seal();
    let text = "personal data 3 of one.";
    shared.say(&format!(
        "INSERT INTO approval (sequence, v, id, status, action, tool, risk, requester, needed, asked, expires, policy, details)
         VALUES (7, 1, 'a', 'pending', 'x', 'bash', 'high', 't', 1, 0, 0, 'p', '{text}'),
                (8, 1, 'b', 'denied', 'x', 'bash', 'high', 't', 1, 0, 0, 'p', 'of the other chain');
         INSERT INTO approval_vote VALUES (7, 'ben {text}', 't', 0), (8, 'cy', 't', 0);
         INSERT INTO approval_assigned VALUES (7, 'ben {text}');
         INSERT INTO approval_snoozed VALUES (7, 'ben {text}', 0);
         INSERT INTO repeatable VALUES ('t', 'k', 'd', '{text}', NULL, -1);
         INSERT INTO granted VALUES (7, 'g', '{text}', 0, NULL, NULL)"
    ));
    // What is sampled of the columns repeats texts as well.
    cluster.say(&shared.url, "ANALYZE; CHECKPOINT");
    let files = |text: &str| {
        cluster.say(&shared.url, "CHECKPOINT");
        [files_with(&cluster.room, text), files_with(&shared.state(), text)].concat()
    };
    assert!(files(text).len() > 1, "{:?}", files(text));
    assert!(matches!(shared.erase("one", 1), Err(SegmentError::Waits(1))));
    shared.say("UPDATE approval SET status = 'denied' WHERE sequence = 7");
    shared.erase("one", 1).unwrap();
    assert_eq!(files(text), [""; 0]);
    for number in 0..10 {
        assert_eq!(files(&format!("personal data {number} of one.")), [""; 0]);
    }
    assert!(!files("of the other chain").is_empty());
    assert!(!files("personal data 3 of two.").is_empty());
    assert!(!files("personal data 12 of one.").is_empty());
    let left = "SELECT string_agg(approval::text, ',') FROM approval_vote";
    assert_eq!(shared.say(left), "8");
    assert_eq!(shared.say("SELECT count(*) FROM granted"), "0");
    let found = shared.is_intact();
    assert_eq!((found.segments.dropped, found.segments.erased), (1, 1));
    assert!(shared.archive("one").lines(1, &mut Vec::new()).is_err());
    // Once more, as where it was not ended; and one that was dropped before.
    shared.erase("one", 1).unwrap();
    shared.drop("two", 1).unwrap();
    shared.erase("two", 1).unwrap();
    assert_eq!(files("personal data 3 of two."), [""; 0]);
    assert_eq!(shared.say(left), "");
    shared.add(3);
    shared.is_intact();
}

#[test]
fn the_role_of_a_gateway_drops_and_erases_nothing() {
    let Some(mut shared) = Shared::new() else { return };
    shared.add(10);
    shared.seal();
    shared.cluster.say(&shared.url, include_str!("../../../../../packaging/postgres/roles.sql"));
    let role = "DROP ROLE IF EXISTS gate_of_segments; CREATE ROLE gate_of_segments LOGIN IN ROLE portcullis_writer";
    shared.cluster.say(&shared.url, role);
    let name = shared.url.rsplit('/').next().unwrap();
    let own = shared.cluster.url("gate_of_segments", name);
    let before = shared.say("SELECT count(*) FROM record");
    let keeper = gateway(&own, KEEPER);
    let mut log = Source::Database(keeper.database).log_to_append().unwrap();
    for refused in [
        shared.archive("one").drop(&mut log, 1, "eve").map(drop),
        shared.archive("one").erase(&mut log, 1, "eve", "gone"),
    ] {
        let words = refused.unwrap_err().to_string();
        assert!(words.contains("must be owner"), "{words}");
    }
    assert!(shared.state().join("segment-keys/chain.one/000001.key").exists());
    drop(log);
    assert_eq!(shared.say("SELECT count(*) FROM record"), before);
    shared.is_intact();
}

#[test]
fn a_drop_whose_connection_breaks_is_whole_or_not_at_all() {
    let Some(mut shared) = Shared::new() else { return };
    shared.add(60);
    assert_eq!(shared.seal().len(), 12);
    let done = std::sync::atomic::AtomicBool::new(false);
    let dropped = thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                shared.cluster.say(&shared.url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'portcullis' AND datname = current_database()");
                thread::sleep(Duration::from_millis(20));
            }
        });
        let mut dropped = 0;
        for number in 1..=6 {
            for chain in ["one", "two"] {
                dropped += u64::from(shared.drop(chain, number).is_ok());
            }
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        dropped
    });
    assert!(dropped > 0);
    let found = shared.is_intact();
    assert!(found.segments.dropped >= dropped, "{found:?}");
    let told = shared.say("SELECT count(*) FROM record WHERE outcome = 'segment dropped'");
    assert_eq!(told, found.segments.dropped.to_string(), "each is told of once");
}

#[test]
fn names_of_chains_stay_below_the_directory() {
    let archive = Archive::beneath(Path::new("/state"));
    for name in ["../x", "a/b", "a\nb", "a b", &"x".repeat(65)] {
        assert!(matches!(archive.of_chain(name), Err(SegmentError::Name(_))), "{name:?}");
    }
    archive.of_chain("..").unwrap();
}
