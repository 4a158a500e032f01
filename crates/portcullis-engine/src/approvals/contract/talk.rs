//! What every store must do with what people say about requests, who sees to them, and who does not want to see them.

use super::*;
use crate::approvals::talk::{MOST_COMMENTS, Tended, Tending};

fn tended(store: &mut dyn Ledger, id: Id, by: &str, what: Tended, second: i64) -> Done {
    take(store, Step::Tend(Tending { id, by: by.to_owned(), what }), second)
}

fn comment(text: &str) -> Tended {
    Tended::Comment(text.to_owned())
}

pub(super) fn keep_what_is_said_and_decide_nothing_by_it(open: Open<'_>) {
    let mut store = open();
    let store = &mut *store;
    let question = ask(store, "rm -rf a");
    let text = "größe 'x' \u{0} approve; token ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    assert!(matches!(tended(store, question.id, "ada", comment(text), 1), Done::Noted(_)));
    assert!(matches!(tended(store, question.id, "ben", comment("approved"), 2), Done::Noted(_)));
    let before = store.request(question.id).unwrap().unwrap();
    assert_eq!((before.status, before.approver.as_deref()), (Status::Pending, None));
    answer(store, reply(&question, "eve", false), 3);
    let late = tended(store, question.id, "ada", comment("good"), 4);
    assert!(matches!(late, Done::Noted(_)), "also afterwards");
    let request = store.request(question.id).unwrap().unwrap();
    let talk = open().talk(&request).unwrap();
    let said: Vec<_> =
        talk.comments.iter().map(|one| (one.by.as_str(), one.time, one.text.as_str())).collect();
    assert_eq!(said[1..], [("ben", at(2), "approved"), ("ada", at(4), "good")]);
    let first = said[0].2;
    assert!(first.starts_with("größe 'x'") && !first.contains("ghp_16C7e42F"), "{first}");
    let told = |outcome: &str| outcomes(&mut *open()).iter().filter(|one| *one == outcome).count();
    assert_eq!((told("commented"), told("denied")), (3, 1));
    assert_eq!(tended(store, Id::named("none"), "ada", comment("x"), 5), Done::Unknown);
    for second in 3..i64::from(MOST_COMMENTS) {
        assert!(matches!(tended(store, question.id, "ada", comment("x"), second), Done::Noted(_)));
    }
    assert_eq!(tended(store, question.id, "ada", comment("x"), 9_000), Done::TooMany);
    let kept = store.talk(&request).unwrap().comments.len();
    assert_eq!(u32::try_from(kept).unwrap(), MOST_COMMENTS);
}

pub(super) fn know_who_sees_to_what(open: Open<'_>) {
    let mut store = open();
    let store = &mut *store;
    let (one, other) = (ask(store, "rm -rf a"), ask(store, "rm -rf b"));
    let to = |name: &str| Tended::Assign(Some(name.to_owned()));
    for (what, second) in [(to("größe '"), 1), (to("ben"), 2)] {
        assert!(matches!(tended(store, one.id, "ada", what, second), Done::Noted(_)));
    }
    let of = |store: &mut dyn Ledger, name: &str| {
        let assigned = Some(name.to_owned());
        let found = store.waiting(&Sought { assigned, limit: 10, ..Sought::default() }).unwrap();
        found.into_iter().map(|glance| (glance.request.id, glance.assigned)).collect::<Vec<_>>()
    };
    assert_eq!(of(&mut *open(), "ben"), [(one.id, Some("ben".to_owned()))]);
    assert_eq!(of(store, "größe '"), [], "one at a time");
    let all = store.waiting(&Sought { limit: 10, ..Sought::default() }).unwrap();
    assert_eq!(all.len(), 2, "everybody sees all of it: {all:?}");
    let request = store.request(one.id).unwrap().unwrap();
    assert_eq!(store.talk(&request).unwrap().assigned.as_deref(), Some("ben"));
    let nobody = tended(store, one.id, "ada", Tended::Assign(None), 3);
    assert!(matches!(nobody, Done::Noted(_)));
    assert_eq!(store.talk(&request).unwrap().assigned, None);
    answer(store, reply(&other, "eve", false), 4);
    let late = tended(store, other.id, "ada", to("ben"), 5);
    assert!(matches!(late, Done::Closed(request, false) if request.id == other.id));
    assert_eq!(outcomes(store).iter().filter(|one| *one == "assigned").count(), 3);
}

pub(super) fn hide_what_somebody_snoozed_from_them_alone(open: Open<'_>) {
    let mut store = open();
    let store = &mut *store;
    let question = ask(store, "rm -rf a");
    let until = |second| Tended::Snooze(Some(at(second)));
    assert!(matches!(tended(store, question.id, "ada", until(60), 1), Done::Noted(_)));
    assert!(matches!(tended(store, question.id, "ada", until(90), 2), Done::Noted(_)));
    let seen = |store: &mut dyn Ledger, name: &str, second| {
        let awake = Some((name.to_owned(), at(second)));
        let sought = Sought { awake, limit: 10, ..Sought::default() };
        let count: u64 = store.count_by_risk(&sought).unwrap().iter().map(|(_, count)| count).sum();
        let (found, piled) = (store.waiting(&sought).unwrap(), store.piles(&sought).unwrap());
        assert_eq!((found.len() as u64, piled.len() as u64), (count, count));
        count == 1
    };
    assert!(!seen(&mut *open(), "ada", 89));
    assert!(seen(store, "ada", 90), "by itself");
    assert!(seen(store, "ben", 10) && seen(store, "ad'a", 10), "nobody hides it from others");
    let request = store.request(question.id).unwrap().unwrap();
    assert_eq!(store.talk(&request).unwrap().snoozed, [("ada".to_owned(), at(90))]);
    assert!(matches!(tended(store, question.id, "ada", Tended::Snooze(None), 3), Done::Noted(_)));
    assert!(seen(store, "ada", 10));
}
