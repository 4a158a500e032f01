use std::{fs, ops::ControlFlow, path::Path, thread};

use jiff::Timestamp;
use portcullis_core::{decision::Verdict, risk::Risk};
use rusqlite::Connection;
use tempfile::TempDir;

use super::{export::Format, *};

fn entry(tool: &str) -> Entry {
    Entry {
        tool: Some(tool.into()),
        risk: Some(Risk::Low),
        decision: Some(Verdict::Ask),
        preview: Some(format!("{tool} --password hunter2")),
        ..Entry::new(Kind::Decision)
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_790_000_000 + second).unwrap()
}

/// A state directory with five records.
fn five() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let mut log = Log::open(&state(&directory)).unwrap();
    for number in 1..=5 {
        log.append_at(&entry(&format!("tool{number}")), at(number)).unwrap();
    }
    directory
}

fn state(directory: &TempDir) -> PathBuf {
    directory.path().join("state")
}

fn problems(directory: &TempDir) -> Vec<String> {
    let verification = Log::read(&state(directory)).unwrap().verify(&[]).unwrap();
    verification.problems.iter().map(ToString::to_string).collect()
}

/// What somebody does who can write the file and knows SQLite, and puts back what held mistakes back.
fn tamper(directory: &TempDir, statements: &str) {
    let connection = Connection::open(database_path(&state(directory))).unwrap();
    connection
        .execute_batch(
            "DROP TRIGGER record_is_never_changed; DROP TRIGGER record_is_never_removed;
             CREATE TEMP TABLE kept AS SELECT sql FROM sqlite_schema WHERE name = 'record';
             PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET sql = replace(replace(sql, 'STRICT', ''), 'NOT NULL', '') WHERE name = 'record';
             PRAGMA writable_schema = RESET;",
        )
        .unwrap();
    connection.execute_batch(statements).unwrap();
    connection
        .execute_batch(
            "PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET sql = (SELECT sql FROM temp.kept) WHERE name = 'record';
             PRAGMA writable_schema = RESET;",
        )
        .unwrap();
    schema::restore(&connection).unwrap();
}

/// Replaces a record by one that says something else and has a fitting hash.
fn forge(directory: &TempDir, sequence: u64, previous: Option<Hash>) -> Hash {
    let mut record = Log::read(&state(directory)).unwrap().record(sequence).unwrap().unwrap();
    record.entry.tool = Some("forged".into());
    record.previous = previous.unwrap_or(record.previous);
    record.hash = record.computed_hash();
    let Record { previous, hash, .. } = &record;
    tamper(
        directory,
        &format!(
            "UPDATE record SET tool = 'forged', previous = '{previous}', hash = '{hash}' WHERE sequence = {sequence}"
        ),
    );
    record.hash
}

#[test]
fn what_is_appended_can_be_read_verified_and_is_redacted() {
    let directory = five();
    let mut log = Log::read(&state(&directory)).unwrap();
    let record = log.record(3).unwrap().unwrap();
    assert_eq!(record.entry.tool.as_deref(), Some("tool3"));
    assert_eq!(record.entry.preview.as_deref(), Some("tool3 --password ***"));
    assert_eq!(record.time, at(3));
    assert_eq!(log.record(6).unwrap(), None);
    let verification = log.verify(&[]).unwrap();
    assert!(verification.is_intact(), "{verification:?}");
    assert_eq!(
        (verification.records, verification.head.sequence, verification.unwitnessed),
        (5, 5, 0)
    );
    let everything = fs::read(database_path(&state(&directory))).unwrap();
    assert!(!String::from_utf8_lossy(&everything).contains("hunter2"));
}

#[test]
fn the_sqlite_store_does_what_every_store_must() {
    let directory = tempfile::tempdir().unwrap();
    let number = std::cell::Cell::new(0);
    contract::every_store_must(|| {
        number.set(number.get() + 1);
        let path = directory.path().join(format!("{}.db", number.get()));
        Box::new(move || Box::new(SqliteStore::open(&path).unwrap()))
    });
}

#[test]
fn a_record_of_version_one_is_read_verified_and_continued() {
    let directory = tempfile::tempdir().unwrap();
    let path = state(&directory);
    Log::open(&path).unwrap();
    fs::remove_file(database_path(&path)).unwrap();
    platform::create_private_file(&database_path(&path)).unwrap();
    let connection = Connection::open(database_path(&path)).unwrap();
    connection.execute_batch(include_str!("../../tests/record/v1.sql")).unwrap();
    drop(connection);
    let mut log = Log::open(&path).unwrap();
    let verification = log.verify(&[]).unwrap();
    assert!(verification.is_intact(), "{verification:?}");
    assert_eq!((verification.records, verification.without_outcome), (2, 0));
    assert_eq!(log.record(1).unwrap().unwrap().entry.rules, ["fs.delete.recursive"]);
    assert_eq!(log.append(&entry("later")).unwrap().anchor.sequence, 3);
    assert!(log.verify(&[]).unwrap().is_intact());
    let content = Content { sha256: "0a".repeat(32), bytes: 3, whole: true };
    let files =
        Files { list: vec![File { path: "/w/x.sh".into(), content: Some(content) }], more: 0 };
    log.append(&Entry { files: files.clone(), ..entry("with files") }).unwrap();
    assert_eq!(log.record(4).unwrap().unwrap().entry.files, files);
    assert!(log.verify(&[]).unwrap().is_intact());
    let json: Vec<u32> =
        (1..=4).map(|sequence| log.record(sequence).unwrap().unwrap().version()).collect();
    assert_eq!(json, [1, 1, 1, 2]);
    tamper(
        &directory,
        "UPDATE record SET files = replace(files, 'x.sh', 'y.sh') WHERE sequence = 4",
    );
    assert!(!log.verify(&[]).unwrap().is_intact());
}

#[test]
fn a_record_of_version_one_is_read_where_nothing_can_be_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.db");
    platform::create_private_file(&path).unwrap();
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(include_str!("../../tests/record/v1.sql")).unwrap();
    drop(connection);
    let mut store = SqliteStore::read(&path).unwrap();
    assert_eq!(store.alterations().unwrap(), Vec::<String>::new());
    assert_eq!(store.record(2).unwrap().unwrap().entry.outcome.as_deref(), Some("exit 0"));
    assert_eq!(store.head().unwrap().sequence, 2);
}

#[test]
fn every_kind_of_tampering_is_named() {
    let cases: &[(&str, &str)] = &[
        (
            "UPDATE record SET tool = 'x' WHERE sequence = 3",
            "record 3 was changed: its hash does not fit what it says",
        ),
        (
            "UPDATE record SET decision = 'allow' WHERE sequence = 3",
            "record 3 was changed: its hash does not fit what it says",
        ),
        (
            "UPDATE record SET reason = '' WHERE sequence = 5",
            "record 5 was changed: its hash does not fit what it says",
        ),
        (
            "UPDATE record SET time = '2020-01-01T00:00:00.000000Z' WHERE sequence = 1",
            "record 1 was changed: its hash does not fit what it says",
        ),
        (
            "UPDATE record SET time = '2020-01-01' WHERE sequence = 1",
            "record 1 was changed: its time is not one",
        ),
        (
            "UPDATE record SET time = time || ' ' WHERE sequence = 1",
            "record 1 was changed: its time is not one",
        ),
        (
            "UPDATE record SET risk = 'HIGH' WHERE sequence = 2",
            "record 2 was changed: its risk is not one that we write",
        ),
        (
            "UPDATE record SET tool = x'ff00' WHERE sequence = 2",
            "record 2 was changed: its tool is no text",
        ),
        (
            "UPDATE record SET rules = 'a  b' WHERE sequence = 2",
            "record 2 was changed: its rules are not as we write them",
        ),
        (
            "UPDATE record SET v = 2 WHERE sequence = 2",
            "record 2 was changed: its version is not that of what it says",
        ),
        (
            "UPDATE record SET hash = 'zz' WHERE sequence = 4",
            "record 4 was changed: its hash is not one",
        ),
        (
            "UPDATE record SET hash = upper(hash) WHERE sequence = 4",
            "record 4 was changed: its hash is not one",
        ),
        ("DELETE FROM record WHERE sequence = 3", "record 3 was removed"),
        ("DELETE FROM record WHERE sequence IN (2, 3)", "records 2 to 3 were removed"),
        ("DELETE FROM record WHERE sequence = 1", "record 1 was removed"),
        (
            "DELETE FROM record WHERE sequence = 5",
            "the record ends with 4, but 5 had been written: the end was cut off",
        ),
        (
            "DELETE FROM record",
            "the record ends with 0, but 5 had been written: the end was cut off",
        ),
        (
            "DELETE FROM record WHERE sequence = 3; UPDATE record SET sequence = 3 WHERE sequence = 4; UPDATE record SET sequence = 4 WHERE sequence = 5",
            "record 3 was changed: its hash does not fit what it says",
        ),
        (
            "UPDATE record SET sequence = -1 WHERE sequence = 2; UPDATE record SET sequence = 2 WHERE sequence = 3; UPDATE record SET sequence = 3 WHERE sequence = -1",
            "record 2 was changed: its hash does not fit what it says",
        ),
        (
            "INSERT INTO record (sequence, v, time, previous, hash, kind, rules) SELECT 0, v, time, previous, hash, kind, rules FROM record WHERE sequence = 1",
            "record 0 was changed: a record's number is at least 1",
        ),
        (
            "INSERT INTO record (sequence, v, time, previous, hash, kind, rules) SELECT 6, v, time, previous, hash, kind, rules FROM record WHERE sequence = 5",
            "record 6 was changed: its hash does not fit what it says",
        ),
        (
            "INSERT INTO record (sequence, v, time, previous, hash, kind, rules) SELECT 9, v, time, previous, hash, kind, rules FROM record WHERE sequence = 5",
            "records 6 to 8 were removed",
        ),
    ];
    for (statements, expected) in cases {
        let directory = five();
        assert_eq!(problems(&directory), Vec::<String>::new());
        tamper(&directory, statements);
        let problems = problems(&directory);
        assert_eq!(
            problems.first().map(String::as_str),
            Some(*expected),
            "{statements}: {problems:?}"
        );
    }
}

#[test]
fn a_forged_record_with_a_fitting_hash_is_found_by_its_neighbours_and_by_the_head() {
    let directory = five();
    tamper(&directory, "");
    forge(&directory, 3, None);
    assert_eq!(
        problems(&directory),
        ["record 4 does not follow record 3: one of them was replaced, inserted or moved"]
    );
    let hash = forge(&directory, 3, None);
    let hash = forge(&directory, 4, Some(hash));
    forge(&directory, 5, Some(hash));
    assert_eq!(
        problems(&directory),
        ["record 5 is not the one that was written: the record was rewritten from there or before"]
    );
}

#[test]
fn a_record_rewritten_with_its_head_is_found_only_by_a_place_that_was_noted() {
    let directory = five();
    let mut log = Log::read(&state(&directory)).unwrap();
    let noted = log.verify(&[]).unwrap().head;
    drop(log);
    tamper(&directory, "DELETE FROM record WHERE sequence > 3");
    Log::open(&state(&directory)).unwrap().accept().unwrap();
    assert_eq!(problems(&directory), Vec::<String>::new());
    let verification =
        Log::read(&state(&directory)).unwrap().verify(&[(String::new(), noted)]).unwrap();
    assert_eq!(verification.problems, [Problem::Truncated { last: 3, known: 5 }]);
}

#[test]
fn a_cut_end_stays_noticed_after_more_is_appended() {
    let directory = five();
    tamper(&directory, "DELETE FROM record WHERE sequence > 3");
    let mut log = Log::open(&state(&directory)).unwrap();
    assert!(!log.append(&entry("a")).unwrap().known_holds);
    assert_eq!(
        problems(&directory),
        ["the record ends with 4, but 5 had been written: the end was cut off"]
    );
    for tool in ["b", "c", "d"] {
        assert!(!log.append(&entry(tool)).unwrap().known_holds);
    }
    let expected =
        ["record 5 is not the one that was written: the record was rewritten from there or before"];
    assert_eq!(problems(&directory), expected);
}

#[test]
fn a_head_that_is_behind_is_no_alarm_and_one_that_is_gone_is() {
    let directory = five();
    let head = head_path(&state(&directory));
    let now = fs::read_to_string(&head).unwrap();
    tamper(&directory, "");
    let hash = Log::read(&state(&directory)).unwrap().record(3).unwrap().unwrap().hash;
    fs::write(
        &head,
        now.replace("00005 ", "00003 ")
            .replace(now.split(' ').nth(2).unwrap().trim(), &hash.to_string()),
    )
    .unwrap();
    let verification = Log::read(&state(&directory)).unwrap().verify(&[]).unwrap();
    assert!(verification.is_intact(), "{verification:?}");
    assert_eq!(verification.unwitnessed, 2);
    for garbage in ["", "portcullis-head/v1 5 00", "\0\0\0", &now[1..], &format!("{now}x")] {
        fs::write(&head, garbage).unwrap();
        assert_eq!(
            problems(&directory),
            ["the file `head` was changed: whether the end was cut off cannot be told"],
            "{garbage:?}"
        );
    }
    fs::remove_file(&head).unwrap();
    let gone = ["the file `head` was removed: whether the end was cut off cannot be told"];
    assert_eq!(problems(&directory), gone);
    Log::open(&state(&directory)).unwrap().append(&entry("x")).unwrap();
    assert_eq!(problems(&directory), gone, "appending must not make a new one");
}

#[test]
fn an_emptied_head_hides_nothing() {
    let changed = "the file `head` was changed: whether the end was cut off cannot be told";
    for statements in [
        "",
        "DELETE FROM record WHERE sequence = 5",
        "DELETE FROM record",
        // All anew: nothing is left that could contradict it.
        "DELETE FROM record WHERE sequence > 1",
    ] {
        let directory = five();
        fs::write(head_path(&state(&directory)), "").unwrap();
        tamper(&directory, statements);
        assert_eq!(problems(&directory), [changed], "{statements}");
        Log::open(&state(&directory)).unwrap().append(&entry("x")).unwrap();
        assert_eq!(problems(&directory), [changed], "{statements}: appending must not mend it");
    }
}

#[test]
fn a_head_before_the_first_record_vouches_only_as_it_was_made() {
    let changed = "the file `head` was changed: whether the end was cut off cannot be told";
    for hash in ["a".repeat(64), format!("{}1", "0".repeat(63)), "f".repeat(64)] {
        for statements in ["", "DELETE FROM record WHERE sequence > 2", "DELETE FROM record"] {
            let directory = five();
            let line = format!("portcullis-head/v1 {:020} {hash}\n", 0);
            fs::write(head_path(&state(&directory)), line).unwrap();
            tamper(&directory, statements);
            assert_eq!(problems(&directory), [changed], "{hash} {statements}");
        }
    }
}

#[test]
fn the_head_says_where_it_begins_before_there_is_a_database() {
    let directory = tempfile::tempdir().unwrap();
    let head = HeadFile::new(head_path(&state(&directory)));
    fs::create_dir(state(&directory)).unwrap();
    head.create().unwrap();
    assert_eq!(head.read().unwrap(), Witness::At(Anchor::GENESIS));
    // A process was killed before it had written anything.
    fs::write(head_path(&state(&directory)), "").unwrap();
    Log::open(&state(&directory)).unwrap();
    assert_eq!(head.read().unwrap(), Witness::At(Anchor::GENESIS));
    assert_eq!(problems(&directory), [""; 0]);
    // The database is gone, and the head tells how far it had come.
    let directory = five();
    for name in ["audit.db", "audit.db-wal", "audit.db-shm"] {
        let _ = fs::remove_file(state(&directory).join(name));
    }
    Log::open(&state(&directory)).unwrap().append(&entry("x")).unwrap();
    assert_eq!(
        problems(&directory),
        ["the record ends with 1, but 5 had been written: the end was cut off"]
    );
}

/// Wherever making the head is interrupted, there is none or a whole one, and the next process goes on from there.
#[test]
fn making_the_head_can_end_at_every_byte_and_step() {
    let whole = {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(state(&directory)).unwrap();
        HeadFile::new(head_path(&state(&directory))).create().unwrap();
        let names: Vec<_> = fs::read_dir(state(&directory)).unwrap().flatten().collect();
        assert_eq!(names.len(), 1, "nothing stays beside it: {names:?}");
        fs::read(head_path(&state(&directory))).unwrap()
    };
    for length in 0..=whole.len() {
        let directory = tempfile::tempdir().unwrap();
        let path = state(&directory);
        platform::create_private_directory(&path).unwrap();
        // Killed after so many bytes of it, before it was given its name.
        fs::write(path.join("head.0123456789abcdef"), &whole[..length]).unwrap();
        Log::open(&path).unwrap().append(&entry("x")).unwrap();
        assert_eq!(problems(&directory), [""; 0], "{length} bytes");
        // Killed once it had its name, before there was a database.
        let directory = tempfile::tempdir().unwrap();
        let path = state(&directory);
        platform::create_private_directory(&path).unwrap();
        platform::create_private_file(&head_path(&path)).unwrap();
        fs::write(head_path(&path), &whole).unwrap();
        Log::open(&path).unwrap().append(&entry("x")).unwrap();
        assert_eq!(problems(&directory), [""; 0]);
    }
}

/// The old line and the new one are intact; every mixture of them, and every shorter or longer text, is damage.
#[test]
fn moving_the_head_on_leaves_the_old_line_or_the_new_one_and_all_else_is_damage() {
    let changed = "the file `head` was changed: whether the end was cut off cannot be told";
    let directory = five();
    let path = head_path(&state(&directory));
    let old = fs::read(&path).unwrap();
    Log::open(&state(&directory)).unwrap().append(&entry("x")).unwrap();
    let new = fs::read(&path).unwrap();
    assert_eq!(old.len(), new.len());
    let mut tried = 0;
    let mut judge = |text: &[u8]| {
        fs::write(&path, text).unwrap();
        let is_whole = text == old || text == new;
        let expected: &[&str] = if is_whole { &[] } else { &[changed] };
        let found = problems(&directory);
        // A mixture can name a place by chance that there is not.
        let replaced = found.iter().any(|one| one.contains("is not the one that was written"));
        assert!(found == expected || replaced && !is_whole, "{text:?}: {found:?}");
        tried += 1;
    };
    for cut in 0..=new.len() {
        judge(&[&new[..cut], &old[cut..]].concat());
        judge(&new[..cut]);
        judge(&[&new[..], &old[..cut]].concat());
    }
    assert!(tried > 300);
}

#[test]
fn every_line_of_the_head_lies_in_one_sector_and_has_the_same_length() {
    let directory = five();
    let path = head_path(&state(&directory));
    let head = HeadFile::new(path.clone());
    let length = fs::metadata(&path).unwrap().len();
    assert!(length < 512, "{length}");
    for sequence in [0, 6, u64::MAX] {
        head.accept(Anchor { sequence, hash: Hash::GENESIS }).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len(), length, "{sequence}");
    }
}

#[test]
#[cfg(unix)]
fn a_head_that_others_may_write_is_refused_and_told_of() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = five();
    let head = head_path(&state(&directory));
    fs::set_permissions(&head, fs::Permissions::from_mode(0o666)).unwrap();
    let appended = Log::open(&state(&directory)).and_then(|mut log| log.append(&entry("x")));
    assert!(matches!(appended, Err(AuditError::Insecure { .. })), "{appended:?}");
    assert_eq!(
        problems(&directory),
        ["everyone may write to the file `head`: whether the end was cut off cannot be told"]
    );
    fs::set_permissions(&head, fs::Permissions::from_mode(0o600)).unwrap();
    let log = database_path(&state(&directory)).with_extension("db-wal");
    fs::write(&log, "").unwrap();
    fs::set_permissions(&log, fs::Permissions::from_mode(0o666)).unwrap();
    let opened = Log::open(&state(&directory)).map(drop);
    assert!(matches!(opened, Err(AuditError::Insecure { .. })), "{opened:?}");
}

#[test]
#[cfg(unix)]
fn a_link_is_none_the_less_one_with_a_slash_behind_it() {
    let directory = five();
    let link = directory.path().join("link");
    std::os::unix::fs::symlink(state(&directory), &link).unwrap();
    for name in ["link", "link/", "link/.", "link//"] {
        let opened = Log::open(&directory.path().join(name)).map(drop);
        let is_refused = matches!(
            opened,
            Err(AuditError::Insecure { reason: platform::Insecurity::SymbolicLink, .. })
        );
        assert!(is_refused, "{name}: {opened:?}");
    }
}

#[test]
fn nothing_goes_unrecorded_where_somebody_put_something_into_the_database() {
    for (statement, what) in [
        (
            "CREATE TRIGGER quiet BEFORE INSERT ON record BEGIN SELECT RAISE(IGNORE); END",
            "trigger `quiet`",
        ),
        (
            "CREATE TRIGGER taken AFTER INSERT ON record BEGIN UPDATE other SET a = 1; END",
            "trigger `taken`",
        ),
        ("CREATE VIEW seen AS SELECT * FROM record", "view `seen`"),
    ] {
        let directory = five();
        // One that was open before it was put there, as a gateway's is.
        let mut open = Log::open(&state(&directory)).unwrap();
        let connection = Connection::open(database_path(&state(&directory))).unwrap();
        connection.execute_batch(statement).unwrap();
        if statement.contains("IGNORE") {
            let appended = open.append(&entry("x"));
            assert!(matches!(appended, Err(AuditError::Ignored { .. })), "{appended:?}");
        }
        let opened = Log::open(&state(&directory)).map(drop).unwrap_err();
        assert!(opened.to_string().contains(what), "{opened}");
        let told = format!(
            "the database was altered: the {what} is not ours, so that records may have been lost"
        );
        assert_eq!(problems(&directory), [told]);
    }
    let directory = five();
    let mut open = Log::open(&state(&directory)).unwrap();
    let connection = Connection::open(database_path(&state(&directory))).unwrap();
    connection
        .execute_batch(
            "DROP TRIGGER record_is_never_removed;
             CREATE TRIGGER undone AFTER INSERT ON record BEGIN DELETE FROM record WHERE sequence = new.sequence; END",
        )
        .unwrap();
    let appended = open.append(&entry("x"));
    assert!(matches!(appended, Err(AuditError::Ignored { .. })), "{appended:?}");
    let directory = five();
    let connection = Connection::open(database_path(&state(&directory))).unwrap();
    connection.execute_batch("DROP TRIGGER record_is_never_removed").unwrap();
    let gone = "the database was altered: the trigger `record_is_never_removed` is gone, so that records may have been lost";
    assert_eq!(problems(&directory), [gone]);
    Log::open(&state(&directory)).unwrap().append(&entry("x")).unwrap();
    assert_eq!(problems(&directory), [gone], "appending must not mend it");
}

#[test]
fn a_record_in_a_directory_that_cannot_be_written_is_read_as_it_is() {
    let directory = five();
    let database = database_path(&state(&directory));
    // As a process that was killed leaves it: the newest records are in the log.
    let kept = tempfile::tempdir().unwrap();
    let copied = database_path(kept.path());
    let connection = Connection::open(&database).unwrap();
    let newest: i64 =
        connection.query_row("SELECT max(sequence) FROM record", [], |row| row.get(0)).unwrap();
    assert_eq!(newest, 5);
    let mut log = Log::open(&state(&directory)).unwrap();
    log.append(&entry("x")).unwrap();
    for name in ["audit.db", "audit.db-wal"] {
        fs::copy(state(&directory).join(name), kept.path().join(name)).unwrap();
    }
    drop((log, connection));
    let mut store = SqliteStore::resting(&copied).unwrap();
    assert_eq!(store.head().unwrap().sequence, 6);
    drop(store);
    let names = |folder: &Path| fs::read_dir(folder).unwrap().count();
    assert_eq!(names(kept.path()), 2, "nothing was written beside it");
    let strange = kept.path().join("a?b#c%20");
    fs::create_dir(&strange).unwrap();
    fs::copy(&database, strange.join("audit.db")).unwrap();
    let mut store = SqliteStore::resting(&strange.join("audit.db")).unwrap();
    assert_eq!(store.head().unwrap().sequence, 6);
    drop(store);
    assert_eq!(names(&strange), 1, "nothing was written beside it");
}

#[test]
fn the_database_itself_refuses_to_change_or_remove_a_record() {
    let directory = five();
    let connection = Connection::open(database_path(&state(&directory))).unwrap();
    for statement in ["UPDATE record SET tool = 'x'", "DELETE FROM record WHERE sequence = 5"] {
        assert!(connection.execute_batch(statement).is_err(), "{statement}");
    }
}

#[test]
fn writers_at_the_same_time_leave_one_chain() {
    let directory = tempfile::tempdir().unwrap();
    let path = state(&directory);
    thread::scope(|scope| {
        for writer in 0..8 {
            let path = &path;
            scope.spawn(move || {
                for number in 0..25 {
                    // Opened each time, as a process for one call does.
                    let mut log = Log::open(path).unwrap();
                    log.append(&entry(&format!("w{writer}n{number}"))).unwrap();
                }
            });
        }
    });
    let mut log = Log::read(&path).unwrap();
    let verification = log.verify(&[]).unwrap();
    assert!(verification.is_intact(), "{verification:?}");
    assert_eq!((verification.records, verification.head.sequence), (200, 200));
    let mut tools: Vec<_> =
        log.list(&Filter::default()).unwrap().into_iter().map(|r| r.entry.tool).collect();
    tools.sort();
    tools.dedup();
    assert_eq!(tools.len(), 200);
}

#[test]
fn filters_choose_records_and_the_limit_keeps_the_newest() {
    let directory = five();
    let mut log = Log::open(&state(&directory)).unwrap();
    let special = Entry {
        risk: Some(Risk::Critical),
        decision: Some(Verdict::Deny),
        agent: Some("codex".into()),
        session: Some("s-1".into()),
        ..entry("special")
    };
    log.append_at(&special, at(6)).unwrap();
    log.append_at(&Entry::outcome(6, "refused"), at(7)).unwrap();
    let mut found = |filter: Filter| -> Vec<u64> {
        log.list(&filter).unwrap().into_iter().map(|record| record.sequence).collect()
    };
    let none = Filter::default;
    assert_eq!(found(none()), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(found(Filter { limit: Some(2), ..none() }), [6, 7]);
    assert_eq!(found(Filter { risk: Some(Risk::Critical), ..none() }), [6]);
    assert_eq!(found(Filter { decision: Some(Verdict::Ask), limit: Some(1), ..none() }), [5]);
    assert_eq!(found(Filter { kind: Some(Kind::Outcome), ..none() }), [7]);
    assert_eq!(found(Filter { agent: Some("codex".into()), ..none() }), [6]);
    assert_eq!(found(Filter { session: Some("s-2".into()), ..none() }), [0; 0]);
    assert_eq!(found(Filter { since: Some(at(3)), until: Some(at(4)), ..none() }), [3, 4]);
}

#[test]
fn both_exports_hold_every_record() {
    let directory = five();
    let mut log = Log::read(&state(&directory)).unwrap();
    for (format, lines) in [(Format::JsonLines, 5), (Format::Csv, 6)] {
        let mut out = Vec::new();
        assert_eq!(export::export(&mut log, &Filter::default(), format, &mut out).unwrap(), 5);
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.lines().count(), lines, "{text}");
        assert!(text.contains("tool5 --password ***"), "{text}");
    }
}

#[test]
fn the_summary_counts_an_answered_question_as_its_answer() {
    let directory = five();
    let mut log = Log::open(&state(&directory)).unwrap();
    let answer = Entry {
        refers_to: Some(2),
        decision: Some(Verdict::Allow),
        reason: Some("seen\n# Forged".into()),
        ..Entry::new(Kind::Answer)
    };
    log.append_at(&answer, at(8)).unwrap();
    log.append_at(&Entry { decision: Some(Verdict::Deny), ..answer }, at(9)).unwrap();
    let page = summary::summary(&mut log, &Filter::default(), at(10)).unwrap();
    for line in [
        "Generated: 2026-09-21T14:13:30Z",
        "- Total decisions: 5",
        "- Approved: 1",
        "- Denied: 0",
        "- Asked: 4",
        "- Approval rate: 20.0%",
        "- LOW: 5 (100%)",
        "- [2026-09-21T14:13:22Z] APPROVED tool2 (low) - seen\\\\n\\# Forged",
    ] {
        assert!(page.lines().any(|found| found == line), "{line} is not in\n{page}");
    }
}

#[test]
fn a_change_of_the_gate_belongs_to_no_decision_and_counts_as_none() {
    let directory = five();
    let mut log = Log::open(&state(&directory)).unwrap();
    log.append_at(&Entry::change("dev", "paused", "for 10 minutes\n# Forged"), at(8)).unwrap();
    let granted = Entry { refers_to: Some(6), ..Entry::change("dev", "revoked", "a grant") };
    log.append_at(&granted, at(9)).unwrap();
    assert_eq!(problems(&directory), [""; 0]);
    let filter = Filter { kind: Some(Kind::Change), ..Filter::default() };
    assert_eq!(log.list(&filter).unwrap().len(), 2);
    let page = summary::summary(&mut log, &Filter::default(), at(10)).unwrap();
    for line in [
        "- Total decisions: 5",
        "## Changes to the Gate",
        "- [2026-09-21T14:13:28Z] paused by dev - for 10 minutes\\\\n\\# Forged",
        "- [2026-09-21T14:13:29Z] revoked by dev - a grant",
    ] {
        assert!(page.lines().any(|found| found == line), "{line} is not in\n{page}");
    }
    let mut out = Vec::new();
    assert_eq!(export::export(&mut log, &filter, Format::JsonLines, &mut out).unwrap(), 2);
    assert!(String::from_utf8(out).unwrap().contains(r#""kind":"change""#));
}

#[cfg(unix)]
#[test]
fn only_this_user_can_read_the_files() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    let mut log = Log::open(&state(&directory)).unwrap();
    log.append(&entry("a")).unwrap();
    assert_eq!(fs::metadata(state(&directory)).unwrap().permissions().mode() & 0o777, 0o700);
    let mut names = Vec::new();
    for file in fs::read_dir(state(&directory)).unwrap() {
        let file = file.unwrap();
        names.push(file.file_name().into_string().unwrap());
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{file:?}");
    }
    names.sort();
    assert_eq!(names, ["audit.db", "audit.db-shm", "audit.db-wal", "head"]);
}

#[cfg(unix)]
#[test]
fn a_directory_that_others_decide_about_is_refused() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let directory = tempfile::tempdir().unwrap();
    let refused = |path: &Path| Log::open(path).map(drop).unwrap_err().to_string();
    let set =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();

    let open = directory.path().join("open");
    fs::create_dir(&open).unwrap();
    for mode in [0o777, 0o770, 0o702] {
        set(&open, mode);
        assert!(refused(&open).ends_with("its group or everyone may write to it"), "{mode:o}");
    }
    set(&open, 0o700);
    let link = directory.path().join("link");
    symlink(&open, &link).unwrap();
    assert!(refused(&link).ends_with("it is a symbolic link"));
    symlink("/dev/null", open.join("audit.db")).unwrap();
    assert!(refused(&open).ends_with("it is a symbolic link"));
    fs::remove_file(open.join("audit.db")).unwrap();
    fs::create_dir(open.join("audit.db")).unwrap();
    assert!(refused(&open).ends_with("it is not a regular file"));
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    set(&file, 0o600);
    assert!(refused(&file).ends_with("it is not a directory"));
    assert!(refused(&file.join("below")).starts_with("cannot use the state directory"));
}

#[test]
fn a_file_that_is_no_record_of_ours_is_named_and_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = state(&directory);
    Log::open(&path).unwrap();
    let database = database_path(&path);
    let both = |path: &Path| {
        let append = Log::open(path).map(drop).unwrap_err();
        let read = Log::read(path).map(drop).unwrap_err();
        assert_eq!(append.to_string(), read.to_string());
        append
    };

    Connection::open(&database).unwrap().execute_batch("PRAGMA user_version = 7").unwrap();
    assert!(matches!(both(&path), AuditError::Newer { found: 7, supported: FORMAT, .. }));

    fs::write(&database, vec![b'x'; 8_192]).unwrap();
    assert!(matches!(both(&path), AuditError::Damaged { .. }));
    assert_eq!(fs::read(&database).unwrap(), vec![b'x'; 8_192]);

    fs::remove_file(&database).unwrap();
    Connection::open(&database).unwrap().execute_batch("CREATE TABLE other (a)").unwrap();
    assert!(matches!(both(&path), AuditError::Foreign { .. }));

    fs::remove_file(&database).unwrap();
    assert!(matches!(Log::read(&path), Err(AuditError::Missing { .. })));
    fs::write(&database, "").unwrap();
    assert!(matches!(Log::read(&path), Err(AuditError::Missing { .. })));
}

#[test]
fn a_damaged_page_is_an_error_and_never_a_clean_bill() {
    let directory = tempfile::tempdir().unwrap();
    let mut log = Log::open(&state(&directory)).unwrap();
    for number in 0..200 {
        log.append(&entry(&format!("tool{number}"))).unwrap();
    }
    drop(log);
    let database = database_path(&state(&directory));
    let mut bytes = fs::read(&database).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4_096].fill(0xa5);
    fs::write(&database, bytes).unwrap();
    let verified = Log::read(&state(&directory)).and_then(|mut log| log.verify(&[]));
    assert!(!verified.is_ok_and(|found| found.is_intact()));
}

#[test]
fn visiting_stops_when_it_is_told_to() {
    let directory = five();
    let mut seen = 0;
    Log::read(&state(&directory))
        .unwrap()
        .each(&Filter::default(), &mut |_| {
            seen += 1;
            if seen == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    assert_eq!(seen, 2);
}

/// What the audit log of rlm-code did wrong, each by its name.
mod faults_of_other_logs {
    use super::*;

    #[test]
    fn a_limit_of_nothing_gives_nothing_and_none_gives_all() {
        let directory = five();
        let count = |limit| {
            let filter = Filter { limit, ..Filter::default() };
            Log::read(&state(&directory)).unwrap().list(&filter).unwrap().len()
        };
        assert_eq!(
            (count(None), count(Some(0)), count(Some(2)), count(Some(u32::MAX))),
            (5, 0, 2, 5)
        );
    }

    #[test]
    fn a_summary_is_over_the_file_and_not_over_what_one_process_remembers() {
        let directory = five();
        let mut fresh = Log::read(&state(&directory)).unwrap();
        let text = summary::summary(&mut fresh, &Filter::default(), at(10)).unwrap();
        Log::open(&state(&directory)).unwrap().append_at(&entry("another"), at(9)).unwrap();
        assert_ne!(summary::summary(&mut fresh, &Filter::default(), at(10)).unwrap(), text);
    }

    #[test]
    fn reading_twice_doubles_nothing_and_a_list_is_nobodys_own() {
        let directory = five();
        let mut log = Log::open(&state(&directory)).unwrap();
        let mut first = log.list(&Filter::default()).unwrap();
        first.clear();
        assert_eq!(log.list(&Filter::default()).unwrap().len(), 5);
        assert_eq!(log.list(&Filter::default()).unwrap().len(), 5);
    }

    #[test]
    fn a_record_that_cannot_be_read_is_told_and_not_skipped() {
        let directory = five();
        tamper(&directory, "UPDATE record SET risk = 'harmless' WHERE sequence = 3");
        assert!(Log::read(&state(&directory)).unwrap().list(&Filter::default()).is_err());
        assert!(problems(&directory).iter().any(|problem| problem.contains('3')));
    }

    #[test]
    fn a_reason_cannot_forge_a_line_of_the_report() {
        let directory = five();
        let forged = Entry {
            reason: Some(
                "x\n[2026-01-01T00:00:00] APPROVED bash (safe) - `rm -rf /`\n# Summary".into(),
            ),
            decision: Some(Verdict::Deny),
            ..entry("bash")
        };
        let mut log = Log::open(&state(&directory)).unwrap();
        log.append_at(&forged, at(8)).unwrap();
        let text = summary::summary(&mut log, &Filter::default(), at(10)).unwrap();
        assert!(
            !text.lines().any(|line| line.starts_with("[2026") || line == "# Summary"),
            "{text}"
        );
        let mut out = Vec::new();
        export::export(&mut log, &Filter::default(), Format::JsonLines, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap().lines().count(), 6);
    }
}
