//! What is of PostgreSQL alone: names, versions, what somebody changed, and what a role may not.

use std::{sync::Arc, thread, time::Duration};

use jiff::Timestamp;

use super::{
    cluster::{Cluster, alone, cluster},
    *,
};
use crate::{
    approvals::{Inbox as _, Sought},
    audit::{
        contract,
        entry::{Body, Entry, Kind},
        store::{Anchor, Store as _},
        verify,
    },
};

/// A gateway of a database.
pub(crate) struct Gateway {
    pub(crate) database: Arc<Database>,
    _state: tempfile::TempDir,
}

pub(crate) fn gateway(url: &str, name: &str) -> Gateway {
    let state = tempfile::tempdir().unwrap();
    let database = Database::new(url, None, name, state.path()).unwrap();
    Gateway { database: Arc::new(database), _state: state }
}

/// A way to open one database again and again, each time as another gateway.
pub(crate) fn opener(cluster: &Cluster) -> impl Fn() -> PostgresStore + Sync + use<> {
    let url = cluster.database();
    let opened = std::sync::atomic::AtomicU32::new(0);
    move || {
        let number = opened.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let database = gateway(&url, &format!("g{number}")).database;
        PostgresStore::writer(database).unwrap()
    }
}

fn decision() -> Body {
    Body::new(&Entry::new(Kind::Decision), Timestamp::UNIX_EPOCH)
}

fn append(store: &mut PostgresStore) -> Anchor {
    store.append(decision(), None).unwrap().anchor
}

fn problems(store: &mut PostgresStore) -> Vec<String> {
    let found = verify::verify(store, None, &[], None).unwrap();
    found.problems.iter().map(ToString::to_string).collect()
}

#[test]
fn a_database_keeps_records_as_every_store_does() {
    let Some(cluster) = cluster() else { return };
    contract::every_store_must(|| {
        let open = opener(cluster);
        Box::new(move || Box::new(open()))
    });
}

#[test]
fn a_connection_keeps_no_statement_for_each_question() {
    let Some(cluster) = cluster() else { return };
    let mut store = opener(cluster)();
    let mut prepared = |sought: &Sought| {
        store.waiting(sought).unwrap();
        store.patiently(|link| {
            let query = "SELECT count(*) FROM pg_prepared_statements";
            Ok(link.one(query, &[])?.try_get::<_, i64>(0)?)
        })
    };
    // What is put off is asked for with the time of the question.
    let awake = |second| {
        let now = Timestamp::from_second(second).unwrap();
        Sought { awake: Some(("ana".to_owned(), now)), limit: 50, ..Sought::default() }
    };
    let few = prepared(&awake(0)).unwrap();
    assert_eq!(prepared(&awake(1)).unwrap(), few);
    // However many are put together, only so many stay.
    for limit in 1..=300 {
        prepared(&Sought { limit, ..Sought::default() }).unwrap();
        prepared(&Sought { limit, ..awake(2) }).unwrap();
    }
    let many = prepared(&awake(3)).unwrap();
    assert!((few..=512).contains(&many), "{many}");
}

#[test]
fn a_name_belongs_to_one_process_and_whoever_lost_it_appends_nothing() {
    let Some(cluster) = cluster() else { return };
    let url = cluster.database();
    let one = gateway(&url, "one");
    let mut first = PostgresStore::writer(Arc::clone(&one.database)).unwrap();
    append(&mut first);
    // The session of before was ended, and another process took the name over.
    cluster.say(&url, "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())");
    let mut second = PostgresStore::writer(Arc::clone(&one.database)).unwrap();
    append(&mut second);
    let refused = first.append(decision(), None);
    assert!(matches!(refused, Err(AuditError::Fenced { .. })), "{refused:?}");
    assert_eq!(problems(&mut second), [""; 0]);
    assert_eq!(second.chains().unwrap().len(), 1);
    drop(second);
    // Once that one has gone, its name can be taken up again.
    let mut third = PostgresStore::writer(one.database).unwrap();
    append(&mut third);
    assert_eq!(problems(&mut third), [""; 0]);
}

#[test]
fn tables_are_made_once_and_those_of_a_later_version_are_refused() {
    let Some(cluster) = cluster() else { return };
    let url = cluster.database();
    let before = PostgresStore::reader(gateway(&url, "one").database);
    assert!(matches!(before, Err(AuditError::NoTables { .. })), "nobody made them");
    thread::scope(|scope| {
        for number in 0..4 {
            let url = &url;
            scope.spawn(move || gateway(url, &format!("g{number}")).database.migrate().unwrap());
        }
    });
    let steps = migrate::VERSION.to_string();
    assert_eq!(cluster.say(&url, "SELECT count(*) FROM portcullis.migration"), steps);
    cluster.say(&url, "INSERT INTO portcullis.migration VALUES (99, 'x', now())");
    let later = PostgresStore::writer(gateway(&url, "one").database);
    assert!(matches!(later, Err(AuditError::Newer { found: 99, .. })));
    cluster.say(&url, "DELETE FROM portcullis.migration WHERE version = 99");
    cluster.say(&url, "UPDATE portcullis.migration SET sha256 = 'x'");
    let other = PostgresStore::writer(gateway(&url, "one").database);
    assert!(matches!(other, Err(AuditError::Altered { .. })));
}

#[test]
fn what_somebody_changes_in_the_database_is_found_and_named() {
    let Some(cluster) = cluster() else { return };
    let off = "SET session_replication_role = replica; SET search_path = portcullis;";
    for (change, found) in [
        (
            "UPDATE record SET reason = 'x' WHERE sequence = 2",
            "record 2 was changed: its hash does not fit what it says",
        ),
        (
            "DELETE FROM record WHERE sequence = 3",
            "does not follow the one before it in the chain `one`",
        ),
        (
            "DELETE FROM record WHERE sequence = 5",
            "the chain `one` has 5 records of the 6 that were written",
        ),
        (
            "DELETE FROM record WHERE chain = 'two'",
            "the chain `two` has 0 records of the 2 that were written",
        ),
        ("DELETE FROM chain WHERE name = 'two'", "the end of the chain `two` is gone"),
        (
            "UPDATE record SET chain = 'two' WHERE chain = 'one'",
            "does not follow the one before it",
        ),
        ("UPDATE tree_head SET text = replace(text, ' 7 ', ' 6 ')", "record 8 was changed"),
        ("DELETE FROM tree_head", "record 8 was changed"),
        // The end of a chain, with what the store itself keeps of it: another chain tells of it.
        (
            "DELETE FROM record WHERE sequence = 7; UPDATE chain SET sequence = 6, count = 1, hash = (SELECT hash FROM record WHERE sequence = 6) \
             WHERE name = 'two'",
            "record 7 was removed",
        ),
        (
            "ALTER TABLE record DISABLE TRIGGER record_is_never_removed",
            "the trigger `record_is_never_removed` does nothing any more",
        ),
        (
            "DROP TRIGGER record_is_never_changed ON record",
            "the trigger `record_is_never_changed` is gone",
        ),
        (
            "CREATE TRIGGER quiet BEFORE INSERT ON record FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
            "the trigger `quiet` of `record` is not ours",
        ),
        (
            "CREATE RULE quiet AS ON INSERT TO record DO INSTEAD NOTHING",
            "the rule `quiet` is not ours",
        ),
    ] {
        let url = cluster.database();
        let (one, two) = (gateway(&url, "one"), gateway(&url, "two"));
        let mut one = PostgresStore::writer(one.database).unwrap();
        let mut two = PostgresStore::writer(two.database).unwrap();
        for _ in 0..5 {
            append(&mut one);
        }
        for _ in 0..2 {
            append(&mut two);
        }
        use crate::approvals::{Ledger as _, Step};
        one.take(&[Step::TieChains], Timestamp::UNIX_EPOCH, None).unwrap();
        assert_eq!(problems(&mut one), [""; 0], "before {change}");
        cluster.say(&url, &format!("{off} {change}"));
        let problems = problems(&mut one);
        assert!(problems.iter().any(|problem| problem.contains(found)), "{change}: {problems:?}");
    }
}

#[test]
fn nothing_is_recorded_where_the_database_does_not_keep_it() {
    let Some(cluster) = cluster() else { return };
    for change in [
        "CREATE RULE quiet AS ON INSERT TO record DO INSTEAD NOTHING",
        "CREATE FUNCTION quiet() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; \
         CREATE TRIGGER quiet BEFORE INSERT ON record FOR EACH ROW EXECUTE FUNCTION quiet()",
        "CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN new.hash := ''0''; RETURN new; END'; \
         CREATE TRIGGER other BEFORE INSERT ON record FOR EACH ROW EXECUTE FUNCTION other()",
    ] {
        let url = cluster.database();
        let mut store = PostgresStore::writer(gateway(&url, "one").database).unwrap();
        append(&mut store);
        cluster.say(&url, &format!("SET search_path = portcullis; {change}"));
        // Whether it was looked at lately or not.
        let refused = store.append(decision(), None);
        assert!(refused.is_err(), "{change}: {refused:?}");
        store.looked = None;
        let refused = store.append(decision(), None);
        assert!(matches!(refused, Err(AuditError::Altered { .. })), "{change}: {refused:?}");
    }
}

#[test]
fn the_role_of_a_gateway_changes_and_removes_nothing() {
    let Some(cluster) = cluster() else { return };
    let url = cluster.database();
    gateway(&url, "one").database.migrate().unwrap();
    cluster.say(&url, include_str!("../../../../../packaging/postgres/roles.sql"));
    cluster.say(&url, "DROP ROLE IF EXISTS gate; CREATE ROLE gate LOGIN IN ROLE portcullis_writer");
    let name = url.rsplit('/').next().unwrap();
    let own = cluster.url("gate", name);
    let mut store = PostgresStore::writer(gateway(&own, "one").database).unwrap();
    append(&mut store);
    for statement in [
        "UPDATE record SET reason = 'x'",
        "DELETE FROM record",
        "TRUNCATE record",
        "DELETE FROM chain",
        "UPDATE approval SET action = 'x'",
        "DELETE FROM approval",
        "UPDATE token SET hash = 'x'",
        "DELETE FROM tree_head",
        "DELETE FROM approval_comment",
        "UPDATE approval_comment SET approval = 2",
        "UPDATE approval_snoozed SET person = 'x'",
        "DROP TRIGGER record_is_never_removed ON record",
        "ALTER TABLE record DISABLE TRIGGER ALL",
        "CREATE TABLE portcullis.other (a int)",
        "SELECT setval('record_number', 1)",
        "UPDATE migration SET version = 2",
    ] {
        let refused = store.once(&mut |link: &mut Link| link.batch(statement));
        let words = format!("{refused:?}");
        assert!(words.contains("42501"), "{statement}: {words}");
    }
    // What people do about requests without deciding them, as the gateway keeps it.
    let assigns = "INSERT INTO approval_assigned (approval, person) VALUES (1, 'a') \
        ON CONFLICT (approval) DO UPDATE SET person = excluded.person";
    let snoozes = "INSERT INTO approval_snoozed (approval, person, until) VALUES (1, 'a', 1) \
        ON CONFLICT (approval, person) DO UPDATE SET until = excluded.until";
    for statement in [
        "INSERT INTO approval_comment (record, approval) VALUES (1, 1)",
        assigns,
        assigns,
        snoozes,
        snoozes,
        "DELETE FROM approval_assigned WHERE approval = 1",
        "DELETE FROM approval_snoozed WHERE approval = 1 AND person = 'a'",
    ] {
        let taken = store.once(&mut |link: &mut Link| link.batch(statement));
        assert!(taken.is_ok(), "{statement}: {taken:?}");
    }
    assert_eq!(problems(&mut store), [""; 0]);
    // Whoever only reads, reads, and writes nothing.
    cluster.say(
        &url,
        "DROP ROLE IF EXISTS auditor; CREATE ROLE auditor LOGIN IN ROLE portcullis_reader",
    );
    let auditor = cluster.url("auditor", name);
    let mut reader = PostgresStore::reader(gateway(&auditor, "one").database).unwrap();
    assert_eq!(problems(&mut reader), [""; 0]);
    let refused = PostgresStore::writer(gateway(&auditor, "two").database);
    assert!(refused.is_err());
}

#[test]
fn a_database_that_is_started_anew_is_gone_back_to() {
    let Some(cluster) = alone() else { return };
    let url = cluster.database();
    let mut store = PostgresStore::writer(gateway(&url, "one").database).unwrap();
    append(&mut store);
    cluster.restart();
    append(&mut store);
    assert_eq!(problems(&mut store), [""; 0]);
    assert_eq!(store.head().unwrap(), store.chains().unwrap()[0].end.unwrap().0);
}

#[test]
fn what_was_committed_when_the_answer_was_lost_is_not_done_twice() {
    let Some(cluster) = cluster() else { return };
    let url = cluster.database();
    let mut store = PostgresStore::writer(gateway(&url, "one").database).unwrap();
    append(&mut store);
    // Backends are ended at any moment while it appends.
    let done = std::sync::atomic::AtomicBool::new(false);
    let appended = thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                cluster.say(&url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'portcullis' AND datname = current_database()");
                thread::sleep(Duration::from_millis(15));
            }
        });
        let appended = (0..150).filter(|_| store.append(decision(), None).is_ok()).count();
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        appended
    });
    let count: usize = cluster.say(&url, "SELECT count(*) FROM portcullis.record").parse().unwrap();
    assert_eq!(count, appended + 1);
    assert_eq!(appended, 150, "each was tried until it was recorded");
    assert_eq!(problems(&mut store), [""; 0]);
}
