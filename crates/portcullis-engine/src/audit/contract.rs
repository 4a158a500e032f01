//! What every store must do, as tests. A new kind of store calls [`every_store_must`] with a way to open one empty store
//! again and again; it writes no tests of its own for these things.

use std::{ops::ControlFlow, thread};

use jiff::Timestamp;
use portcullis_core::{decision::Verdict, risk::Risk};

use super::{
    Anchor, Body, Content, Entry, File, Files, Filter, Hash, Kind, Record, Store, head::Witness,
    verify,
};

type Open<'a> = &'a (dyn Fn() -> Box<dyn Store> + Sync);

pub(crate) fn every_store_must(new: impl Fn() -> Box<dyn Fn() -> Box<dyn Store> + Sync>) {
    begin_empty(&*new());
    chain_what_is_appended(&*new());
    give_back_every_field(&*new());
    say_whether_a_known_place_holds(&*new());
    keep_chains_whole_under_many_writers(&*new());
    choose_by_filter(&*new());
}

fn body(entry: &Entry, second: i64) -> Body {
    Body::new(entry, Timestamp::from_second(second).unwrap())
}

fn all(store: &mut dyn Store, filter: &Filter) -> Vec<Record> {
    let mut records = Vec::new();
    store
        .each(filter, &mut |record| {
            records.push(record.unwrap());
            ControlFlow::Continue(())
        })
        .unwrap();
    records
}

fn begin_empty(open: Open<'_>) {
    let mut store = open();
    assert_eq!(store.head().unwrap(), Anchor::GENESIS);
    assert_eq!(store.record(1).unwrap(), None);
    assert_eq!(store.record(u64::MAX).unwrap(), None);
    assert_eq!(all(&mut *store, &Filter::default()), []);
}

fn chain_what_is_appended(open: Open<'_>) {
    let mut store = open();
    let mut last: Option<Anchor> = None;
    for second in 1..=3 {
        let appended = store.append(body(&Entry::new(Kind::Decision), second), None).unwrap();
        assert_eq!(appended.anchor.sequence, last.map_or(0, |last| last.sequence) + 1);
        let record = open().record(appended.anchor.sequence).unwrap().unwrap();
        let genesis = store.chains().unwrap()[0].genesis;
        let before = last.map_or(genesis, |last| last.hash);
        assert_eq!((record.previous, record.hash), (before, appended.anchor.hash));
        assert_eq!(record.computed_hash(), record.hash);
        last = Some(appended.anchor);
        assert_eq!(open().head().unwrap(), appended.anchor);
    }
}

fn give_back_every_field(open: Open<'_>) {
    let text = |text: &str| Some(format!("{text} é \u{202e}\n\"';--"));
    let full = Entry {
        kind: Kind::Answer,
        refers_to: Some(1),
        tool: text("tool"),
        class: text("class"),
        risk: Some(Risk::Unknown),
        rules: vec!["a.b".into(), "c.d".into()],
        decision: Some(Verdict::Deny),
        layer: Some(portcullis_core::decision::Layer::Person),
        reason: text("reason"),
        approver: text("approver"),
        outcome: text("outcome"),
        action: text("action"),
        preview: text("preview"),
        policy: text("policy"),
        session: text("session"),
        agent: Some(String::new()),
        cwd: text("cwd"),
        files: Files {
            list: vec![
                File {
                    path: "/w/é \u{202e}\"';--".into(),
                    content: Some(Content { sha256: "0f".repeat(32), bytes: 1, whole: false }),
                },
                File { path: "/w/pipe".into(), content: None },
            ],
            more: 2,
        },
    };
    for entry in [full, Entry::new(Kind::Outcome), Entry::change("dev", "paused", "for 10 minutes")]
    {
        let made = body(&entry, 1_790_000_000);
        let expected = made.entry().clone();
        let place = open().append(made, None).unwrap().anchor;
        let record = open().record(place.sequence).unwrap().unwrap();
        assert_eq!(record.entry, expected);
        assert_eq!(record.time_text(), "2026-09-21T14:13:20.000000Z");
    }
}

fn say_whether_a_known_place_holds(open: Open<'_>) {
    let append = |known| open().append(body(&Entry::new(Kind::Decision), 1), known).unwrap();
    let first = append(None).anchor;
    let second = append(Some(first));
    assert!(second.known_holds);
    assert!(append(Some(first)).known_holds);
    assert!(append(Some(Anchor::GENESIS)).known_holds);
    assert!(!append(Some(Anchor { hash: Hash([7; 32]), ..first })).known_holds);
    assert!(!append(Some(Anchor { sequence: 99, ..first })).known_holds);
}

fn keep_chains_whole_under_many_writers(open: Open<'_>) {
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut store = open();
                for second in 1..=10 {
                    store.append(body(&Entry::new(Kind::Decision), second), None).unwrap();
                }
            });
        }
    });
    let verification =
        verify::verify(&mut *open(), Some(Witness::At(Anchor::GENESIS)), &[], None).unwrap();
    assert!(verification.is_intact(), "{verification:?}");
    assert_eq!(verification.records, 40);
    let head = open().head().unwrap();
    assert_eq!(verification.head, head);
}

fn choose_by_filter(open: Open<'_>) {
    let mut store = open();
    for second in 1..=4 {
        let risk = if second % 2 == 0 { Risk::High } else { Risk::Low };
        let entry = Entry {
            risk: Some(risk),
            agent: Some(format!("a{second}")),
            ..Entry::new(Kind::Decision)
        };
        store.append(body(&entry, second), None).unwrap();
    }
    let answer = Entry {
        refers_to: Some(2),
        reason: Some("Not On A Friday".into()),
        ..Entry::new(Kind::Answer)
    };
    store.append(body(&answer, 5), None).unwrap();
    let mut found = |filter: Filter| -> Vec<u64> {
        all(&mut *store, &filter).iter().map(|record| record.sequence).collect()
    };
    let at = |second| Some(Timestamp::from_second(second).unwrap());
    assert_eq!(found(Filter { risk: Some(Risk::High), ..Filter::default() }), [2, 4]);
    assert_eq!(found(Filter { agent: Some("a3".into()), ..Filter::default() }), [3]);
    assert_eq!(found(Filter { since: at(2), until: at(3), ..Filter::default() }), [2, 3]);
    assert_eq!(found(Filter { limit: Some(2), ..Filter::default() }), [4, 5]);
    assert_eq!(found(Filter { before: Some(3), ..Filter::default() }), [1, 2]);
    assert_eq!(found(Filter { after: Some(3), ..Filter::default() }), [4, 5]);
    assert_eq!(found(Filter { refers_to: Some(2), ..Filter::default() }), [5]);
    assert_eq!(found(Filter { refers_to: Some(1), ..Filter::default() }), [0; 0]);
    assert_eq!(found(Filter { text: Some("on a friday".into()), ..Filter::default() }), [5]);
    assert_eq!(found(Filter { limit: Some(0), ..Filter::default() }), [0; 0]);
    assert_eq!(found(Filter { kind: Some(Kind::Outcome), ..Filter::default() }), [0; 0]);
}
