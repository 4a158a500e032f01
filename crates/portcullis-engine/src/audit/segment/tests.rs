//! The life of segments, and what somebody could do to them.

use std::fs;

use rusqlite::Connection;
use tempfile::TempDir;

use super::*;
use crate::audit::{Anchor, Entry, Problem, Verification, database_path, schema, segment::Deed};

/// How many records a segment has here.
const TEN: u64 = 10;

/// Where the record of a test is, with so many records that name themselves.
struct Place(TempDir);

impl Place {
    fn new(records: u64) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        place.add(records);
        place
    }

    fn state(&self) -> PathBuf {
        self.0.path().join("state")
    }

    fn log(&self) -> Log {
        Log::open(&self.state()).unwrap()
    }

    fn archive(&self) -> Archive {
        Archive::beneath(&self.state())
    }

    fn add(&self, records: u64) {
        let mut log = self.log();
        for _ in 0..records {
            let number = log.store().head().unwrap().sequence + 1;
            let entry = Entry {
                session: Some("s".to_owned()),
                // Answers and outcomes belong to decisions of other segments too.
                refers_to: (number > 15 && number % 10 == 7).then(|| number - 14),
                preview: Some(format!("personal data of record {number}.")),
                reason: Some("x".repeat(200)),
                ..Entry::new(if number > 15 && number % 10 == 7 {
                    Kind::Outcome
                } else {
                    Kind::Decision
                })
            };
            log.append(&entry).unwrap();
        }
    }

    fn seal(&self) -> Vec<u64> {
        let sealing =
            Sealing { records: TEN, until: Timestamp::MAX, person: "ana".to_owned(), key: None };
        let sealed = self.archive().seal(&mut self.log(), &sealing).unwrap();
        sealed.iter().map(|manifest| manifest.number).collect()
    }

    fn drop(&self, number: u64) -> Result<bool, SegmentError> {
        self.archive().drop(&mut self.log(), number, "ana")
    }

    fn erase(&self, number: u64) -> Result<(), SegmentError> {
        self.archive().erase(&mut self.log(), number, "ana", "asked for by who it is about")
    }

    fn verify(&self) -> Verification {
        Log::read(&self.state()).unwrap().verify(&[]).unwrap()
    }

    fn is_intact(&self) -> Verification {
        let found = self.verify();
        assert!(found.is_intact(), "{:?}", found.problems);
        found
    }

    fn problems(&self) -> Vec<String> {
        self.verify().problems.iter().map(Problem::to_string).collect()
    }

    /// The files in which these bytes stand, anywhere beneath the state directory.
    fn files_with(&self, bytes: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.state()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if memchr::memmem::find(&fs::read(&path).unwrap(), bytes.as_bytes())
                    .is_some()
                {
                    found.push(path.display().to_string());
                }
            }
        }
        found
    }

    fn run(&self, statements: &str) {
        let connection = Connection::open(database_path(&self.state())).unwrap();
        connection.execute_batch(statements).unwrap();
        schema::restore(&connection).unwrap();
    }
}

#[test]
fn the_chain_goes_on_over_what_was_dropped() {
    let place = Place::new(65);
    assert_eq!(place.seal(), [1, 2, 3, 4, 5, 6]);
    let found = place.is_intact();
    assert_eq!((found.records, found.segments.sealed, found.segments.dropped), (71, 6, 0));
    for number in [1, 2, 4] {
        assert!(place.drop(number).unwrap());
        assert!(!place.drop(number).unwrap(), "twice");
        place.is_intact();
    }
    let found = place.is_intact();
    assert_eq!((found.records, found.segments.dropped), (44, 3));
    // It goes on: what tells of dropping is sealed and dropped too.
    place.add(30);
    assert_eq!(place.seal(), [7, 8, 9, 10]);
    for number in [3, 5, 6, 7, 8, 9, 10] {
        place.drop(number).unwrap();
    }
    let found = place.is_intact();
    assert_eq!((found.segments.sealed, found.segments.dropped), (10, 10));
    place.add(3);
    place.is_intact();
    let standing = place.archive().standing(&mut place.log()).unwrap();
    assert!(standing.iter().all(|one| one.is_dropped && !one.is_held && !one.is_erased));
    // Who has the key reads what was dropped, as it was exported.
    let mut lines = Vec::new();
    place.archive().lines(1, &mut lines).unwrap();
    let lines = String::from_utf8(lines).unwrap();
    assert_eq!(lines.lines().count(), 10);
    assert!(lines.contains("personal data of record 7."), "{lines}");
}

#[test]
fn what_is_held_stays() {
    let place = Place::new(25);
    place.seal();
    let hold = |holds| place.archive().hold(&mut place.log(), 1, "ana", "case 12", holds).unwrap();
    hold(true);
    assert!(matches!(place.drop(1), Err(SegmentError::Held(1))));
    assert!(matches!(place.erase(1), Err(SegmentError::Held(1))));
    place.drop(2).unwrap();
    hold(true);
    hold(false);
    place.drop(1).unwrap();
    hold(true);
    assert!(matches!(place.erase(1), Err(SegmentError::Held(1))));
    place.is_intact();
    assert!(matches!(place.drop(9), Err(SegmentError::None(9))));
}

#[test]
fn what_is_erased_is_gone_from_every_file_and_the_chain_holds() {
    let place = Place::new(25);
    place.seal();
    let text = "personal data of record 7.";
    assert!(!place.files_with(text).is_empty(), "it is there before");
    place.run(&format!(
        "{}
         INSERT INTO approval (sequence, v, id, status, action, tool, risk, requester, needed, asked, expires, policy, details)
         VALUES (7, 1, 'a', 'pending', 'x', 'bash', 'high', 't', 1, 0, 0, 'p', '{text}'),
                (15, 1, 'b', 'denied', 'x', 'bash', 'high', 't', 1, 0, 0, 'p', 'of another segment');
         INSERT INTO approval_vote VALUES (7, 'ben {text}', 't', 0);
         INSERT INTO approval_comment VALUES (9, 7), (16, 15);
         INSERT INTO approval_assigned VALUES (7, 'ben {text}'), (15, 'cy');
         INSERT INTO approval_snoozed VALUES (7, 'ben {text}', 0);
         INSERT INTO repeatable VALUES ('t', 'k', 'd', '{text}', NULL, 1);
         INSERT INTO granted VALUES (8, 'g', '{text}', 0, NULL, NULL);",
        schema::BESIDE.concat()
    ));
    assert!(matches!(place.erase(1), Err(SegmentError::Waits(1))));
    assert!(!place.files_with(text).is_empty(), "nothing went");
    place.run("UPDATE approval SET status = 'denied' WHERE sequence = 7");
    place.erase(1).unwrap();
    assert_eq!(place.files_with(text), [""; 0]);
    for number in 1..=10 {
        assert_eq!(place.files_with(&format!("of record {number}.")), [""; 0]);
    }
    assert!(!place.files_with("of another segment").is_empty());
    assert!(!place.files_with("personal data of record 11.").is_empty());
    let found = place.is_intact();
    assert_eq!((found.segments.dropped, found.segments.erased), (1, 1));
    assert!(place.archive().lines(1, &mut Vec::new()).is_err());
    // Ended in the middle, it is done again.
    place.erase(1).unwrap();
    // One that was dropped before, and one whose records are still there.
    place.drop(2).unwrap();
    place.erase(2).unwrap();
    assert_eq!(place.files_with("personal data of record 11."), [""; 0]);
    place.add(3);
    place.is_intact();
}

#[test]
fn one_flipped_bit_is_found_wherever_it_is() {
    let place = Place::new(45);
    let key = SecretKey::make(&place.0.path().join("a.key")).unwrap();
    let sealing = Sealing {
        records: TEN,
        until: Timestamp::MAX,
        person: "ana".to_owned(),
        key: Some((&key, "gate.example".to_owned())),
    };
    place.archive().seal(&mut place.log(), &sealing).unwrap();
    assert_eq!(unsigned(&place.archive().manifests().unwrap(), &key.public()), [0; 0]);
    place.drop(1).unwrap();
    place.drop(2).unwrap();
    place.is_intact();
    let mut flipped = 0;
    let mut flip = |path: &Path, step: usize| {
        let whole = fs::read(path).unwrap();
        for at in (0..whole.len()).step_by(step) {
            let mut changed = whole.clone();
            changed[at] ^= 1 << (at % 8);
            fs::write(path, changed).unwrap();
            assert!(!place.verify().is_intact(), "byte {at} of {}", path.display());
            flipped += 1;
        }
        fs::write(path, whole).unwrap();
    };
    // Of a dropped segment, of the newest one, and of one whose records are in the store.
    flip(&place.state().join("segments/000001.manifest"), 7);
    flip(&place.state().join("segments/000004.manifest"), 7);
    flip(&place.state().join("segments/000001.segment"), 97);
    flip(&place.state().join("segments/000003.segment"), 97);
    flip(&crate::audit::head_path(&place.state()), 3);
    assert!(flipped > 200, "{flipped}");
    place.is_intact();
    let database = Connection::open(database_path(&place.state())).unwrap();
    let columns = ["time", "previous", "hash", "kind", "preview", "reason", "session"];
    for (number, column) in (21..28).zip(columns) {
        let before: String = database
            .query_row(
                &format!("SELECT {column} FROM record WHERE sequence = {number}"),
                [],
                |row| row.get(0),
            )
            .unwrap();
        let mut bytes = before.clone().into_bytes();
        bytes[0] ^= 1;
        let change = |text: &str| {
            place.run(&format!(
                "DROP TRIGGER record_is_never_changed; UPDATE record SET {column} = '{text}' WHERE sequence = {number}"
            ));
        };
        change(&String::from_utf8(bytes).unwrap());
        assert!(!place.verify().is_intact(), "{column}");
        change(&before);
    }
    place.is_intact();
}

#[test]
fn records_that_nobody_said_were_dropped_are_missed() {
    let remove = "DROP TRIGGER record_is_never_removed; DELETE FROM record WHERE sequence";
    for (statements, file, expected) in [
        ("BETWEEN 11 AND 20", None, "records 11 to 20 were removed"),
        ("BETWEEN 1 AND 20", None, "records 11 to 20 were removed"),
        ("BETWEEN 11 AND 19", None, "records 11 to 19 were removed"),
        ("BETWEEN 11 AND 21", None, "record 21 was removed"),
        ("= 0", Some("000002.manifest"), "segment 2: its manifest is gone"),
        ("= 0", Some("000001.manifest"), "segment 2: its manifest is gone"),
        // The record of sealing itself, with all behind it.
        ("> 20", None, "the record ends with 20, but 26 had been written: the end was cut off"),
    ] {
        let place = Place::new(23);
        place.seal();
        place.drop(1).unwrap();
        place.is_intact();
        place.run(&format!("{remove} {statements}"));
        if let Some(file) = file {
            fs::remove_file(place.state().join("segments").join(file)).unwrap();
        }
        let problems = place.problems();
        assert!(problems.iter().any(|found| found == expected), "{statements}: {problems:?}");
    }
    // Records of a segment that were put in place of others before it was dropped.
    let place = Place::new(23);
    place.seal();
    place.run("DROP TRIGGER record_is_never_changed; UPDATE record SET hash = previous WHERE sequence = 10");
    let refused = place.drop(1);
    assert!(matches!(refused, Err(SegmentError::Changed { number: 1, .. })), "{refused:?}");
}

#[test]
fn a_file_that_is_kept_elsewhere_is_no_alarm_and_its_records_are_dropped_while_it_is_here() {
    let place = Place::new(25);
    place.seal();
    let file = place.state().join("segments/000001.segment");
    let whole = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    assert!(matches!(place.drop(1), Err(SegmentError::Changed { number: 1, .. })));
    fs::write(&file, &whole[..whole.len() - 1]).unwrap();
    assert!(matches!(place.drop(1), Err(SegmentError::Changed { number: 1, .. })));
    fs::write(&file, &whole).unwrap();
    place.drop(1).unwrap();
    fs::remove_file(&file).unwrap();
    assert_eq!(place.is_intact().segments.elsewhere, 1);
}

#[test]
fn sealing_goes_on_where_a_process_was_killed() {
    let place = Place::new(25);
    place.seal();
    // Killed before the record: a manifest that no record tells of, and an unfinished file.
    place.add(8);
    let folder = place.state().join("segments");
    fs::write(folder.join("000003.unfinished"), "half").unwrap();
    assert_eq!(place.seal(), [3]);
    place.run(
        "DROP TRIGGER record_is_never_removed; DELETE FROM record WHERE sequence = (SELECT max(sequence) FROM record)",
    );
    fs::remove_file(crate::audit::head_path(&place.state())).unwrap();
    place.log().accept().unwrap();
    place.is_intact();
    assert_eq!(place.seal(), [3], "sealed anew, under another key");
    place.drop(3).unwrap();
    place.is_intact();
}

#[test]
fn a_place_that_was_noted_elsewhere_is_looked_for_in_what_was_dropped() {
    let place = Place::new(25);
    let mut log = place.log();
    let noted = |sequence: u64, log: &mut Log| Anchor {
        sequence,
        hash: log.record(sequence).unwrap().unwrap().hash,
    };
    let places = [noted(4, &mut log), noted(10, &mut log), noted(15, &mut log)];
    drop(log);
    place.seal();
    place.drop(1).unwrap();
    let verify = |known: &[Anchor]| {
        let known: Vec<_> = known.iter().map(|place| (String::new(), *place)).collect();
        Log::read(&place.state()).unwrap().verify(&known).unwrap()
    };
    assert!(verify(&places).is_intact(), "{:?}", verify(&places).problems);
    for place in places {
        let other = Anchor { hash: Hash([9; 32]), ..place };
        let problems = verify(&[other]).problems;
        let replaced = Problem::Replaced { sequence: place.sequence };
        assert!(!problems.is_empty(), "{place:?}");
        assert!(problems.iter().all(|problem| *problem == replaced), "{problems:?}");
    }
}

#[test]
fn only_what_is_old_enough_is_sealed_and_deeds_are_told_in_the_record() {
    let place = Place::new(25);
    let sealing =
        Sealing { records: TEN, until: Timestamp::UNIX_EPOCH, person: "ana".to_owned(), key: None };
    assert_eq!(place.archive().seal(&mut place.log(), &sealing).unwrap(), []);
    assert_eq!(place.seal(), [1, 2]);
    place.drop(2).unwrap();
    let changes = Filter { kind: Some(Kind::Change), ..Filter::default() };
    let told: Vec<_> = place.log().list(&changes).unwrap().iter().filter_map(event_of).collect();
    let told: Vec<_> = told.iter().map(|event| (event.deed, event.segment)).collect();
    assert_eq!(told, [(Deed::Sealed, 1), (Deed::Sealed, 2), (Deed::Dropped, 2)]);
}

/// A million records, as the pages of the documentation tell of it: run by itself, with `PORTCULLIS_TEST_STATE` where they are to stay.
#[test]
#[expect(clippy::print_stderr, reason = "what it measured is what it is run for")]
#[ignore = "a million records: run by itself, since it takes minutes and two gigabytes"]
fn a_million_records_in_a_hundred_segments() {
    const MILLION: u64 = 1_000_000;
    let place = Place(tempfile::tempdir().unwrap());
    let state = std::env::var_os("PORTCULLIS_TEST_STATE").map_or(place.state(), PathBuf::from);
    let archive = Archive::beneath(&state);
    drop(Log::open(&state).unwrap());
    let mut connection = Connection::open(database_path(&state)).unwrap();
    connection.execute_batch("PRAGMA synchronous = OFF").unwrap();
    let mut last = Anchor::GENESIS;
    for part in 0..100 {
        let transaction = connection.transaction().unwrap();
        for number in 0..MILLION / 100 {
            let number = part * MILLION / 100 + number;
            let entry = Entry {
                tool: Some("bash".to_owned()),
                class: Some("readonly".to_owned()),
                risk: Some(portcullis_core::risk::Risk::Low),
                decision: Some(portcullis_core::decision::Verdict::Allow),
                reason: Some("the confirmation policy allows a risk of low".to_owned()),
                action: Some(format!("sha256:{:064x}", u128::from(number))),
                preview: Some(format!("cat notes/{number}.md | head -20 # call {number}")),
                session: Some(format!("session {}", number / 50)),
                agent: Some("claude".to_owned()),
                ..Entry::new(Kind::Decision)
            };
            let time = Timestamp::from_microsecond(1_790_000_000_000_000 + number as i64).unwrap();
            let body = crate::audit::Body::new(&entry, time);
            last = crate::audit::sqlite::chain(&transaction, body, last).unwrap();
        }
        transaction.commit().unwrap();
    }
    drop(connection);
    let mut log = Log::open(&state).unwrap();
    log.accept().unwrap();
    let clock = std::time::Instant::now();
    let sealing = Sealing {
        records: MILLION / 100,
        until: Timestamp::MAX,
        person: "ana".to_owned(),
        key: None,
    };
    assert_eq!(archive.seal(&mut log, &sealing).unwrap().len(), 100);
    eprintln!("sealed in {:.1?}", clock.elapsed());
    let clock = std::time::Instant::now();
    for number in 1..=10 {
        assert!(archive.drop(&mut log, number, "ana").unwrap());
    }
    eprintln!("ten dropped in {:.1?}", clock.elapsed());
    let clock = std::time::Instant::now();
    let found = log.verify_with(&[], Some(&archive)).unwrap();
    eprintln!(
        "verified in {:.1?}: {} records, {:?}",
        clock.elapsed(),
        found.records,
        found.segments
    );
    assert!(found.is_intact(), "{:?}", found.problems);
    assert_eq!((found.records, found.segments.dropped), (900_110, 10));
}
