//! What every store must do for messages about requests, and for links of chats.

use super::*;
use crate::approvals::{
    notice::{Account, Attempt, Link, MOST_WAITING, Notice, Sending, Stage},
    request::Addressee,
};

fn told(store: &mut dyn Ledger, command: &str, names: &[(&str, bool)]) -> Question {
    let (mut question, record) = question(command);
    let tell = |(name, rewrites): &(&str, bool)| Addressee {
        name: (*name).to_owned(),
        rewrites: *rewrites,
        after: Duration::ZERO,
        step: 0,
    };
    question.tells = names.iter().map(tell).collect();
    asked(store, &question, record);
    question
}

fn picked(store: &mut dyn Ledger, names: &[&str], second: i64) -> Vec<Notice> {
    let receivers = names.iter().map(|name| (*name).to_owned()).collect();
    // By a clock that is finer than what is kept.
    let now = at(second) + jiff::SignedDuration::from_nanos(7);
    let step = Step::PickUp { receivers, most: 8 };
    match store.take(&[step], now, None).unwrap().done.remove(0) {
        Done::PickedUp(notices) => notices,
        other => panic!("{other:?}"),
    }
}

fn settled(store: &mut dyn Ledger, notice: &Notice, came: Attempt, second: i64) -> Sending {
    let step = Step::Settle { notice: Box::new(notice.clone()), came, record: None };
    match take(store, step, second) {
        Done::Settled(state) => state,
        other => panic!("{other:?}"),
    }
}

fn next(store: &mut dyn Ledger, names: &[&str], second: i64) -> Option<Timestamp> {
    let receivers: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    store.next_notice(&receivers, at(second)).unwrap()
}

fn again() -> Attempt {
    Attempt::Again { trouble: "it answers 503 \u{0}'".to_owned(), after: None }
}

fn taken(receipt: &str) -> Attempt {
    Attempt::Taken { receipt: Some(receipt.to_owned()) }
}

pub(super) fn deliver_each_message_until_it_is_taken(open: Open<'_>) {
    let mut store = open();
    let question = told(&mut *store, "rm -rf a", &[("ops", true), ("hook", false), ("ops", true)]);
    // Whoever is started anew finds what waits.
    drop(store);
    let mut store = open();
    assert_eq!(next(&mut *store, &["ops"], 1), Some(at(0)));
    assert_eq!((next(&mut *store, &["other"], 1), next(&mut *store, &[], 1)), (None, None));
    assert_eq!(picked(&mut *store, &["other"], 1), []);
    assert_eq!(picked(&mut *store, &[], 1), []);
    let mine = picked(&mut *store, &["ops", "hook"], 1);
    assert_eq!(mine.len(), 2, "each is told once: {mine:?}");
    let ops = mine.iter().find(|one| one.receiver == "ops").unwrap();
    assert_eq!((ops.request, ops.stage, ops.attempts), (question.id, Stage::Asked, 1));
    // Nobody else takes it up while it is tried, and somebody does once whoever had it is gone.
    assert_eq!(picked(&mut *open(), &["ops", "hook"], 60), []);
    let theirs = picked(&mut *open(), &["ops"], 61);
    assert_eq!((theirs[0].id, theirs[0].attempts), (ops.id, 2));
    assert_eq!(settled(&mut *store, ops, taken("late"), 62), Sending::Waiting, "it is not theirs");
    assert_eq!(settled(&mut *store, &theirs[0], again(), 62), Sending::Waiting);
    let kept = open().notices(None, None, 10).unwrap();
    let kept = kept.iter().find(|one| one.id == ops.id).unwrap().clone();
    assert!(kept.trouble.as_deref().unwrap().starts_with("it answers 503"), "{kept:?}");
    assert_eq!((kept.due, kept.tried), (at(64), Some(at(61))));
    assert_eq!(picked(&mut *store, &["ops"], 63), []);
    let third = picked(&mut *store, &["ops"], 64).remove(0);
    assert_eq!(settled(&mut *store, &third, taken("C1 17"), 64), Sending::Sent);
    assert_eq!(next(&mut *store, &["ops"], 65), None);
    let sent = store.notices(Some(Sending::Sent), None, 10).unwrap();
    let sent: Vec<_> = sent.iter().map(|one| (one.receipt.as_deref(), &one.trouble)).collect();
    assert_eq!(sent, [(Some("C1 17"), &None)]);
}

pub(super) fn tell_anew_what_was_decided(open: Open<'_>) {
    let mut store = open();
    let question = told(&mut *store, "rm -rf a", &[("ops", true), ("hook", false)]);
    for notice in picked(&mut *store, &["ops", "hook"], 1) {
        settled(&mut *store, &notice, taken("C1 17"), 1);
    }
    assert_eq!(next(&mut *store, &["ops", "hook"], 2), None);
    answer(&mut *store, reply(&question, "eve", false), 2);
    assert_eq!(next(&mut *store, &["ops"], 3), Some(at(3)));
    assert_eq!(next(&mut *store, &["hook"], 3), None, "it is told once");
    let anew = picked(&mut *store, &["ops", "hook"], 3).remove(0);
    assert_eq!((anew.stage, anew.attempts), (Stage::Decided, 1));
    assert_eq!(anew.receipt.as_deref(), Some("C1 17"));
    assert_eq!(settled(&mut *store, &anew, Attempt::Taken { receipt: None }, 4), Sending::Sent);
    assert_eq!(next(&mut *store, &["ops", "hook"], 5), None, "for good");
    // Also of what nobody decided in time.
    let other = told(&mut *store, "rm -rf b", &[("ops", true)]);
    let notice = picked(&mut *store, &["ops"], 1).remove(0);
    settled(&mut *store, &notice, taken("C1 18"), 1);
    take(&mut *store, Step::Sweep, 100_000);
    let over = picked(&mut *store, &["ops"], 100_001).remove(0);
    assert_eq!((over.request, over.stage), (other.id, Stage::Decided));
    assert_eq!(settled(&mut *store, &over, Attempt::Needless, 100_001), Sending::Needless);
}

pub(super) fn give_up_at_last_and_try_anew_when_told_to(open: Open<'_>) {
    let mut store = open();
    told(&mut *store, "rm -rf a", &[("ops", true)]);
    let mut second = 1;
    let mut states = Vec::new();
    while states.last() != Some(&Sending::Dead) {
        second += 400;
        let notice = picked(&mut *store, &["ops"], second).remove(0);
        states.push(settled(&mut *store, &notice, again(), second));
    }
    assert_eq!(states.len(), 10);
    assert_eq!(next(&mut *store, &["ops"], second), None);
    let dead = store.notices(Some(Sending::Dead), None, 10).unwrap().remove(0);
    let words = |store: &mut dyn Ledger, what: &str| {
        outcomes(store).iter().filter(|outcome| *outcome == what).count()
    };
    assert_eq!(words(&mut *store, "a message was not delivered"), 1);
    let repeat = |store: &mut dyn Ledger, id| {
        let record = Body::new(&Entry::change("ada", "had a message sent anew", "it"), at(second));
        take(store, Step::Repeat { id, record }, second)
    };
    assert_eq!(repeat(&mut *store, Id::named("none")), Done::Unknown);
    assert_eq!(repeat(&mut *store, dead.id), Done::Settled(Sending::Waiting));
    assert_eq!(repeat(&mut *store, dead.id), Done::Settled(Sending::Waiting), "and once");
    assert_eq!(words(&mut *store, "had a message sent anew"), 1);
    let notice = picked(&mut *store, &["ops"], second).remove(0);
    assert_eq!((notice.id, notice.attempts), (dead.id, 1));
    let refused = Attempt::Refused { trouble: "channel_not_found".to_owned() };
    assert_eq!(settled(&mut *store, &notice, refused, second), Sending::Dead, "at once");
    // What nobody delivers waits no longer than a day, and is forgotten at last.
    told(&mut *store, "rm -rf b", &[("gone", true)]);
    take(&mut *store, Step::Sweep, 24 * 3_600 + 1);
    assert_eq!(store.notices(Some(Sending::Dead), None, 10).unwrap().len(), 2);
    take(&mut *store, Step::Sweep, 40 * 24 * 3_600);
    assert_eq!(store.notices(None, None, 10).unwrap(), []);
}

pub(super) fn keep_no_more_messages_than_may_wait(open: Open<'_>) {
    let mut store = open();
    let many: Vec<String> = (0..MOST_WAITING + 2).map(|at| format!("r{at}")).collect();
    let names: Vec<(&str, bool)> = many.iter().map(|name| (name.as_str(), false)).collect();
    told(&mut *store, "rm -rf a", &names);
    let dead = store.notices(Some(Sending::Dead), None, 10).unwrap();
    assert_eq!(dead.len(), 2, "and it is seen: {dead:?}");
    assert_eq!(picked(&mut *store, &["r0", "r1"], 1).len(), 2);
}

pub(super) fn link_an_account_once_by_a_code(open: Open<'_>) {
    let mut store = open();
    let account = |user: &str| Account { team: "T1".to_owned(), user: user.to_owned() };
    let begin = |store: &mut dyn Ledger, name: &str, code: &str| {
        let link = Link {
            id: Id::named(code),
            name: name.to_owned(),
            expires: at(600),
            account: None,
            linked: None,
            ended: None,
        };
        let record = Body::new(&Entry::change(name, "was shown a code", ""), at(0));
        let step = Step::BeginLink { link: link.clone(), code: hash_of(code), record };
        assert!(matches!(take(store, step, 0), Done::Noted(_)));
        link
    };
    let bring = |store: &mut dyn Ledger, code: &str, user: &str, second| match take(
        store,
        Step::Link { code: hash_of(code), account: account(user) },
        second,
    ) {
        Done::Linked(link) => link.map(|link| link.name),
        other => panic!("{other:?}"),
    };
    begin(&mut *store, "ada", "c1");
    assert_eq!((store.links().unwrap(), store.link_of(&account("U1")).unwrap()), (vec![], None));
    assert_eq!(bring(&mut *store, "c2", "U1", 1), None, "no such code");
    assert_eq!(bring(&mut *store, "c1", "U1", 600), None, "too old");
    assert_eq!(bring(&mut *store, "c1", "U1", 599).as_deref(), Some("ada"));
    assert_eq!(bring(&mut *store, "c1", "U2", 599), None, "used");
    let link = open().link_of(&account("U1")).unwrap().unwrap();
    assert_eq!((link.name.as_str(), link.linked), ("ada", Some(at(599))));
    // An account means one, and whoever is linked later in its place.
    begin(&mut *store, "ben", "c3");
    assert_eq!(bring(&mut *store, "c3", "U1", 10).as_deref(), Some("ben"));
    let links = open().links().unwrap();
    let [only] = &links[..] else { panic!("{links:?}") };
    assert_eq!((only.name.as_str(), &only.account), ("ben", &Some(account("U1"))));
    let end = || {
        let record = Body::new(&Entry::change("ben", "ended a link", ""), at(20));
        Step::EndLink { id: only.id, record }
    };
    assert_eq!(take(&mut *store, end(), 20), Done::Revoked(true));
    assert_eq!(take(&mut *store, end(), 21), Done::Revoked(false));
    assert_eq!(store.link_of(&account("U1")).unwrap(), None);
    // One code, from two chats at the same time.
    begin(&mut *store, "cyn", "c4");
    let took: Vec<Option<String>> = thread::scope(|scope| {
        let one = |user: &'static str| move || bring(&mut *open(), "c4", user, 30);
        let threads = [scope.spawn(one("U7")), scope.spawn(one("U8"))];
        threads.map(|thread| thread.join().unwrap()).into()
    });
    assert_eq!(took.iter().flatten().count(), 1, "{took:?}");
}

pub(super) fn tell_of_some_projects_alone(open: Open<'_>) {
    let mut store = open();
    let (after, step) = (Duration::ZERO, 0);
    let addressee = Addressee { name: "ops".to_owned(), rewrites: false, after, step };
    let mut ids = Vec::new();
    for (command, project) in
        [("rm -rf a", Some("pay")), ("rm -rf b", Some("web '")), ("rm -rf c", None)]
    {
        let (mut question, record) = question(command);
        question.project = project.map(str::to_owned);
        question.tells = vec![addressee.clone()];
        asked(&mut *store, &question, record);
        ids.push(question.id);
    }
    let mut told = |within: Option<&[&str]>| {
        let within: Option<Vec<String>> =
            within.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        let all = store.notices(None, within.as_deref(), 10).unwrap();
        let mut found: Vec<Id> = all.iter().map(|one| one.request).collect();
        found.sort_unstable();
        found
    };
    let sorted = |mut ids: Vec<Id>| {
        ids.sort_unstable();
        ids
    };
    assert_eq!(told(None), sorted(ids.clone()));
    assert_eq!(told(Some(&["web '", "none"])), [ids[1]]);
    assert_eq!(told(Some(&["pay", "web '"])), sorted(vec![ids[0], ids[1]]));
    assert_eq!(told(Some(&[])), []);
}

pub(super) fn tell_later_and_again_while_nobody_decides(open: Open<'_>) {
    let mut store = open();
    let (mut question, record) = question("rm -rf a");
    let tell = |name: &str, seconds, step| Addressee {
        name: name.to_owned(),
        rewrites: true,
        after: Duration::from_secs(seconds),
        step,
    };
    question.tells =
        vec![tell("ops", 0, 0), tell("lead", 60, 0), tell("lead", 120, 1), tell("lead", 120, 1)];
    asked(&mut *store, &question, record);
    let all = open().notices_of(question.id).unwrap();
    let told: Vec<_> = all.iter().map(|one| (one.receiver.as_str(), one.is_again())).collect();
    assert_eq!(told, [("ops", false), ("lead", false), ("lead", true)]);
    assert_eq!(store.notices_of(Id::named("none")).unwrap(), []);
    assert_eq!(next(&mut *store, &["lead"], 1), Some(at(60)));
    assert_eq!(picked(&mut *store, &["lead"], 59), []);
    // What is told is recorded once, and only where it was taken.
    let first = picked(&mut *open(), &["lead"], 60).remove(0);
    let settle = |store: &mut dyn Ledger, notice: &Notice, came, second| {
        let entry = Entry::change("the gateway", "carried on", "to `lead`");
        let record = Some(Body::new(&entry, at(second)));
        take(store, Step::Settle { notice: Box::new(notice.clone()), came, record }, second)
    };
    let recorded = |store: &mut dyn Ledger| {
        outcomes(store).iter().filter(|outcome| *outcome == "carried on").count()
    };
    settle(&mut *store, &first, again(), 60);
    assert_eq!(recorded(&mut *store), 0);
    let first = picked(&mut *store, &["lead"], 61).remove(0);
    assert_eq!(settle(&mut *store, &first, taken("C1 1"), 61), Done::Settled(Sending::Sent));
    assert_eq!(settle(&mut *store, &first, taken("C1 1"), 61), Done::Settled(Sending::Sent));
    assert_eq!(recorded(&mut *store), 1);
    // Both words are written anew once somebody decided.
    let second = picked(&mut *store, &["lead"], 120).remove(0);
    assert!(second.is_again() && second.id != first.id);
    settle(&mut *store, &second, taken("C1 2"), 120);
    answer(&mut *store, reply(&question, "eve", false), 130);
    let anew = picked(&mut *store, &["lead"], 131);
    let mut receipts: Vec<_> = anew.iter().filter_map(|one| one.receipt.as_deref()).collect();
    receipts.sort_unstable();
    assert_eq!(receipts, ["C1 1", "C1 2"]);
    assert!(anew.iter().all(|one| one.stage == Stage::Decided));
    // What waits for its time is none of those that may wait at once.
    let many: Vec<Addressee> =
        (0..MOST_WAITING).map(|at| tell(&format!("r{at}"), 3_000, 0)).collect();
    let (mut other, record) = self::question("rm -rf b");
    other.tells = many;
    asked(&mut *store, &other, record);
    let late = told_now(&mut *store);
    assert_eq!(picked(&mut *store, &["now"], 1)[0].request, late.id);
    assert_eq!(store.notices(Some(Sending::Dead), None, 10).unwrap(), []);
}

fn told_now(store: &mut dyn Ledger) -> Question {
    told(store, "rm -rf c", &[("now", false)])
}
