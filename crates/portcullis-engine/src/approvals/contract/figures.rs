//! What every store must do for figures.

use super::*;
use crate::approvals::figures::{Called, Counts, hour_of, number_at};

fn noted(store: &mut dyn Ledger, decision: Verdict, rules: &[&str], second: i64) {
    let entry = Entry {
        decision: Some(decision),
        rules: rules.iter().map(|rule| (*rule).to_owned()).collect(),
        session: Some(format!("s{}", second % 2)),
        agent: Some("claude".to_owned()),
        ..Entry::new(Kind::Decision)
    };
    let record = Body::new(&entry, at(second));
    take(store, Step::Note { record, once: None }, second);
}

pub(super) fn count_what_was_called_and_recorded(open: Open<'_>) {
    let mut store = open();
    let hour = hour_of(at(0));
    let called = |project: &str, hour, asked| Called {
        hour,
        project: project.to_owned(),
        counts: Counts { allowed: 2, asked, denied: 0 },
    };
    // What several count comes on top of each other, also under a name that is no name.
    let hostile = "x'); DROP TABLE called; --\u{0}\u{202e}";
    take(&mut *store, Step::Count(vec![called("pay", hour, 1), called(hostile, hour, 1)]), 0);
    take(&mut *open(), Step::Count(vec![called("pay", hour, 2), called("pay", hour + 1, 1)]), 0);
    let found = store.called(hour).unwrap();
    let asked: Vec<_> = found.iter().map(|one| (one.hour - hour, one.counts.asked)).collect();
    assert_eq!(asked.len(), 3, "{found:?}");
    let pay = found.iter().find(|one| one.project == "pay" && one.hour == hour).unwrap();
    assert_eq!(pay.counts, Counts { allowed: 4, asked: 3, denied: 0 });
    assert_eq!(store.called(hour + 1).unwrap().len(), 1);
    // What is too old is forgotten once something is counted again.
    take(&mut *store, Step::Count(vec![called("pay", hour + 93 * 24, 1)]), 93 * 24 * 3_600);
    assert_eq!(store.called(hour).unwrap().len(), 1);
    let before = store.head().unwrap().sequence;
    for second in 0..10 {
        noted(&mut *store, Verdict::Allow, &["a.b"], second);
    }
    noted(&mut *store, Verdict::Ask, &["a.b", "c.d"], 3_600);
    noted(&mut *store, Verdict::Deny, &["a.b"], 3_601);
    let head = store.head().unwrap().sequence;
    let hours = store.decisions(before, head).unwrap();
    assert_eq!(hours[&hour].counts, Counts { allowed: 10, asked: 0, denied: 0 });
    assert!(hours[&hour].rules.is_empty(), "what was allowed at once cost nobody anything");
    let next = &hours[&(hour + 1)];
    assert_eq!(next.counts, Counts { allowed: 0, asked: 1, denied: 1 });
    assert_eq!((next.rules["a.b"], next.rules["c.d"]), (2, 1));
    assert_eq!(store.decisions(head, head + 9).unwrap().len(), 0);
    let lasted = store.lasted(100, 10).unwrap();
    let names: Vec<_> = lasted.iter().map(|one| (one.session.as_str(), one.counts)).collect();
    let even = Counts { allowed: 5, asked: 1, denied: 0 };
    let odd = Counts { allowed: 5, asked: 0, denied: 1 };
    assert_eq!(names, [("s1", odd), ("s0", even)], "the latest first");
    assert_eq!(store.lasted(1, 10).unwrap().len(), 1, "no more than was wanted is looked at");
    // Where in the record a time begins.
    let number = number_at(&mut *store, at(3_600), head).unwrap();
    assert_eq!(store.record(number).unwrap().unwrap().time, at(3_600));
    assert_eq!(number_at(&mut *store, at(90_000), head).unwrap(), head + 1);
    assert!(number_at(&mut *store, at(-90_000), head).unwrap() <= before + 1);
}

pub(super) fn tell_how_long_answers_took(open: Open<'_>) {
    let mut store = open();
    let (mut first, _) = question("rm -rf a");
    first.project = Some("pay".to_owned());
    let entry = Entry {
        decision: Some(Verdict::Ask),
        action: Some(first.action.clone()),
        rules: vec!["a.b".to_owned(), "c.d".to_owned()],
        ..Entry::new(Kind::Decision)
    };
    asked(&mut *store, &first, Body::new(&entry, at(0)));
    answer(&mut *store, reply(&first, "eve", true), 30);
    let (second, record) = question("rm -rf b");
    asked(&mut *store, &second, record);
    let put = store.put(at(-10), 10).unwrap();
    assert_eq!(put.len(), 2);
    let numbers: Vec<u64> = put.iter().map(|one| one.number).collect();
    let (from, to) = (*numbers.iter().min().unwrap(), *numbers.iter().max().unwrap());
    let about = store.about(from, to).unwrap();
    assert_eq!(about.len(), 2, "what is no request is about nothing: {about:?}");
    for one in &about {
        assert_eq!(one.rules, if one.project.is_some() { "a.b c.d" } else { "" }, "{about:?}");
    }
    assert_eq!(store.about(to, to).unwrap().len(), 1);
    assert_eq!(store.about(to + 1, u64::MAX).unwrap(), []);
    let of = |project: Option<&str>| {
        let number = about.iter().find(|one| one.project.as_deref() == project).unwrap().number;
        put.iter().find(|one| one.number == number).unwrap()
    };
    let paid = of(Some("pay"));
    assert_eq!(paid.status, Status::Approved);
    assert_eq!(paid.decided.unwrap().duration_since(paid.asked).as_secs(), 30);
    assert_eq!((of(None).decided, store.put(at(10), 10).unwrap().len()), (None, 0));
    assert_eq!(store.put(at(-10), 1).unwrap().len(), 1);
}
