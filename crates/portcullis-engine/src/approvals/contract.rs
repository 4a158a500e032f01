//! What every store of requests must do, as tests. A new kind of store calls [`every_ledger_must`] with a way to open one empty store again
//! and again.

mod figures;
mod inbox;
mod notices;
mod talk;
mod team;

use std::{collections::HashMap, path::Path, sync::Mutex, thread, time::Duration};

use jiff::Timestamp;
use portcullis_core::{
    approval::{Refusal, Status},
    call::ToolCall,
    decision::Verdict,
    policy::{ApprovalPolicy, Context},
    risk::Risk,
};

use serde_json::json;

use super::*;
use crate::{
    audit::{Body, Entry, Filter, Kind, Log, SqliteStore, database_path},
    session::{Options, Session},
};

/// What a caller is told: the status, who decided, and whether it was them.
type Told = (Status, Option<String>, bool);

type Open<'a> = &'a (dyn Fn() -> Box<dyn Ledger> + Sync);

fn every_ledger_must(new: impl Fn() -> Box<dyn Fn() -> Box<dyn Ledger> + Sync>) {
    keep_what_was_asked(&*new());
    let_the_first_decision_hold(&*new());
    decide_once_among_many(&*new());
    let_an_approval_be_used_once_by_whom_it_was_given_to(&*new());
    close_what_is_over(&*new());
    keep_no_more_of_one_requester_than_may_wait(&*new());
    want_two_people_where_two_are_needed(&*new());
    keep_both_actions_where_one_was_changed(&*new());
    answer_the_same_to_the_same_key(&*new());
    take_up_again_what_was_asked_and_not_used(&*new());
    know_tokens_until_they_end(&*new());
    keep_grants_until_they_end(&*new());
    use_a_grant_up_once_among_many(&*new());
    do_all_steps_or_none(&*new());
    hold_a_stricter_policy_at_once_and_a_looser_one_once_it_is_agreed_to(&*new());
    let_nobody_loosen_alone_or_by_a_row(&*new());
    inbox::tell_the_worst_first_page_by_page(&*new());
    inbox::find_what_is_sought(&*new());
    inbox::put_the_alike_together(&*new());
    team::know_who_logged_in(&*new());
    team::keep_what_somebody_gave_until_it_ends(&*new());
    team::keep_a_request_in_its_project(&*new());
    team::use_an_approval_in_its_project_alone(&*new());
    talk::keep_what_is_said_and_decide_nothing_by_it(&*new());
    talk::know_who_sees_to_what(&*new());
    talk::hide_what_somebody_snoozed_from_them_alone(&*new());
    notices::deliver_each_message_until_it_is_taken(&*new());
    notices::tell_anew_what_was_decided(&*new());
    notices::give_up_at_last_and_try_anew_when_told_to(&*new());
    notices::keep_no_more_messages_than_may_wait(&*new());
    notices::tell_of_some_projects_alone(&*new());
    notices::tell_later_and_again_while_nobody_decides(&*new());
    figures::count_what_was_called_and_recorded(&*new());
    figures::tell_how_long_answers_took(&*new());
    notices::link_an_account_once_by_a_code(&*new());
}

#[test]
fn a_file_of_sqlite_does() {
    let directories: Mutex<Vec<tempfile::TempDir>> = Mutex::default();
    every_ledger_must(|| {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().to_owned();
        directories.lock().unwrap().push(directory);
        Box::new(move || open(&path))
    });
}

#[cfg(feature = "postgres")]
#[test]
fn a_database_of_postgresql_does() {
    let Some(cluster) = crate::audit::postgres::cluster::cluster() else { return };
    every_ledger_must(|| {
        let open = crate::audit::postgres::tests::opener(cluster);
        Box::new(move || {
            let mut store = open();
            store.prepare().unwrap();
            Box::new(store)
        })
    });
}

fn open(directory: &Path) -> Box<dyn Ledger> {
    let mut store = SqliteStore::open(&database_path(directory)).unwrap();
    store.prepare().unwrap();
    Box::new(store)
}

pub(super) fn question(command: &str) -> (Question, Body) {
    let session = Session::open(Options { unrecorded: true, ..Options::default() });
    let call = ToolCall {
        agent: Some("claude".to_owned()),
        session: Some("s1".to_owned()),
        ..ToolCall::shell(command)
    };
    let judged = session.consider(call, Context::default()).unwrap();
    let question = Question::about(&judged, "agents", 1, TIMEOUT).unwrap();
    let entry = Entry {
        decision: Some(Verdict::Ask),
        action: Some(question.action.clone()),
        ..Entry::new(Kind::Decision)
    };
    (question, Body::new(&entry, at(0)))
}

const BEGUN: i64 = 1_790_000_000;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(BEGUN + second).unwrap()
}

fn take(store: &mut dyn Ledger, step: Step, second: i64) -> Done {
    store.take(&[step], at(second), None).unwrap().done.remove(0)
}

fn asked(store: &mut dyn Ledger, question: &Question, record: Body) -> Id {
    let step = Step::Ask {
        question: Box::new(question.clone()),
        record,
        once: None,
        resumes: false,
        most: PENDING,
    };
    assert!(matches!(take(store, step, 0), Done::Noted(_)));
    question.id
}

fn ask(store: &mut dyn Ledger, command: &str) -> Question {
    let (question, record) = question(command);
    asked(store, &question, record);
    question
}

fn reply(question: &Question, approver: &str, approves: bool) -> Reply {
    Reply {
        id: question.id,
        approver: approver.to_owned(),
        origin: "api".to_owned(),
        approves,
        action: question.action.clone(),
        reason: Some("because".to_owned()),
        modified: None,
        right: None,
        counts: true,
    }
}

fn answer(store: &mut dyn Ledger, reply: Reply, second: i64) -> (Request, Option<Refusal>) {
    match take(store, Step::Answer(Box::new(reply)), second) {
        Done::Answered(request, refusal) => (*request, refusal),
        other => panic!("{other:?}"),
    }
}

fn claim(store: &mut dyn Ledger, question: &Question, action: &str, second: i64) -> Done {
    let claim = Claim {
        id: question.id,
        action: action.to_owned(),
        requester: question.requester.clone(),
        project: question.project.clone(),
    };
    take(store, Step::Claim(claim), second)
}

fn outcomes(store: &mut dyn Ledger) -> Vec<String> {
    let mut outcomes = Vec::new();
    store
        .each(&Filter::default(), &mut |record| {
            let entry = record.unwrap().entry;
            outcomes.push(entry.outcome.unwrap_or_else(|| entry.kind.name().to_owned()));
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
    outcomes
}

fn keep_what_was_asked(open: Open<'_>) {
    let question = ask(&mut *open(), "rm -rf /srv/data");
    let request = open().request(question.id).unwrap().unwrap();
    assert_eq!((request.status, request.sequence), (Status::Pending, 1));
    assert_eq!((request.asked, request.expires), (at(0), at(300)));
    assert_eq!(request.risk, Risk::High);
    assert_eq!((&request.action, &request.requester), (&question.action, &question.requester));
    assert_eq!(request.details, serde_json::to_value(&question.details).unwrap());
    assert_eq!(open().pending().unwrap(), 1);
    assert_eq!(open().request(Id::random().unwrap()).unwrap(), None);
    let pending = Which { status: Some(Status::Pending), limit: 10, ..Which::default() };
    assert_eq!(open().requests(&pending).unwrap(), [request]);
    let other = Which { requester: Some("others".into()), limit: 10, ..Which::default() };
    assert_eq!(open().requests(&other).unwrap(), []);
}

fn let_the_first_decision_hold(open: Open<'_>) {
    let mut store = open();
    let question = ask(&mut *store, "rm -rf /srv/data");
    let (own, refusal) = answer(&mut *store, reply(&question, "Claude", true), 1);
    assert_eq!((own.status, refusal), (Status::Pending, Some(Refusal::OwnRequest)));
    let (first, refusal) = answer(&mut *store, reply(&question, "ops", false), 2);
    assert_eq!((first.status, refusal), (Status::Denied, None));
    assert_eq!((first.approver.as_deref(), first.decided), (Some("ops"), Some(at(2))));
    let (second, refusal) = answer(&mut *open(), reply(&question, "lead", true), 3);
    assert_eq!(refusal, Some(Refusal::Decided(Status::Denied)));
    assert_eq!(second, first, "the first decision is what everybody is told");
    assert_eq!(outcomes(&mut *store), ["decision", "denied"]);
    let unknown = Reply { id: Id::random().unwrap(), ..reply(&question, "ops", true) };
    assert_eq!(take(&mut *store, Step::Answer(Box::new(unknown)), 4), Done::Unknown);
}

fn decide_once_among_many(open: Open<'_>) {
    let questions: Vec<Question> = {
        let mut store = open();
        (0..20).map(|_| ask(&mut *store, "rm -rf /srv/data")).collect()
    };
    let told: Mutex<HashMap<Id, Vec<Told>>> = Mutex::default();
    thread::scope(|scope| {
        for caller in 0..8 {
            let (questions, told) = (&questions, &told);
            scope.spawn(move || {
                let mut store = open();
                for question in questions {
                    let approver = format!("person{caller}");
                    let said = reply(question, &approver, caller % 2 == 0);
                    let (request, refusal) = answer(&mut *store, said, 1);
                    let told = &mut told.lock().unwrap();
                    let all = told.entry(question.id).or_default();
                    all.push((request.status, request.approver, refusal.is_none()));
                }
            });
        }
    });
    for (id, told) in told.into_inner().unwrap() {
        assert_eq!(told.len(), 8);
        assert_eq!(told.iter().filter(|(_, _, first)| *first).count(), 1, "{id}: {told:?}");
        let (status, approver, _) = told.first().unwrap();
        assert!(told.iter().all(|(other, who, _)| other == status && who == approver), "{told:?}");
        let stored = open().request(id).unwrap().unwrap();
        assert_eq!((&stored.status, &stored.approver), (status, approver));
    }
    let answers = outcomes(&mut *open()).into_iter().filter(|outcome| outcome != "decision");
    assert_eq!(answers.count(), 20, "one record for each decision");
}

fn let_an_approval_be_used_once_by_whom_it_was_given_to(open: Open<'_>) {
    let mut store = open();
    let question = ask(&mut *store, "rm -rf /srv/data");
    let not = |why| Done::Unclaimable(why);
    let action = question.action.as_str();
    assert_eq!(
        claim(&mut *store, &question, action, 1),
        not(Unclaimable::NotApproved(Status::Pending))
    );
    let other = Reply { action: "sha256:0".into(), ..reply(&question, "ops", true) };
    assert_eq!(answer(&mut *store, other, 1).1, Some(Refusal::OtherAction));
    assert_eq!(answer(&mut *store, reply(&question, "ops", true), 2).0.status, Status::Approved);
    assert_eq!(claim(&mut *store, &question, "sha256:0", 3), not(Unclaimable::OtherAction));
    let stolen = Claim {
        id: question.id,
        action: action.to_owned(),
        requester: "others".to_owned(),
        project: None,
    };
    assert_eq!(take(&mut *store, Step::Claim(stolen), 3), not(Unclaimable::OtherRequester));
    assert_eq!(claim(&mut *store, &question, action, 303), not(Unclaimable::Expired));
    assert!(matches!(claim(&mut *store, &question, action, 3), Done::Claimed(_)));
    assert_eq!(claim(&mut *open(), &question, action, 3), not(Unclaimable::Used));
    assert_eq!(outcomes(&mut *store), ["decision", "approved", "taken up"]);
}

fn close_what_is_over(open: Open<'_>) {
    let mut store = open();
    let question = ask(&mut *store, "rm -rf /srv/data");
    assert_eq!(take(&mut *store, Step::Sweep, 299), Done::Swept(Vec::new()));
    assert_eq!(take(&mut *store, Step::Sweep, 300), Done::Swept(vec![question.id]));
    let (late, refusal) = answer(&mut *store, reply(&question, "ops", true), 301);
    assert_eq!(
        (late.status, refusal),
        (Status::TimedOut, Some(Refusal::Decided(Status::TimedOut)))
    );
    // Nobody swept: the answer itself comes too late.
    let question = ask(&mut *store, "rm -rf /srv/data");
    let (late, refusal) = answer(&mut *store, reply(&question, "ops", true), 300);
    assert_eq!((late.status, refusal), (Status::TimedOut, Some(Refusal::TimedOut)));
    // The clock was set back by an hour: nothing can be approved before it was asked.
    let question = ask(&mut *store, "rm -rf /srv/data");
    let (early, refusal) = answer(&mut *store, reply(&question, "ops", true), -3_600);
    assert_eq!((early.status, refusal), (Status::TimedOut, Some(Refusal::TimedOut)));
    let question = ask(&mut *store, "rm -rf /srv/data");
    let close = |status| Step::Close {
        id: question.id,
        status,
        by: "claude".to_owned(),
        reason: "no longer wanted".to_owned(),
    };
    let Done::Closed(closed, true) = take(&mut *store, close(Status::Cancelled), 1) else {
        panic!("it was open");
    };
    assert_eq!(closed.status, Status::Cancelled);
    assert!(matches!(take(&mut *store, close(Status::AutoApproved), 2), Done::Closed(_, false)));
    assert_eq!(store.pending().unwrap(), 0);
}

fn keep_no_more_of_one_requester_than_may_wait(open: Open<'_>) {
    let mut store = open();
    let ask = |requester: &str| {
        let (mut question, record) = question("rm -rf /srv/data");
        question.requester = requester.to_owned();
        let id = question.id;
        (
            id,
            Step::Ask { question: Box::new(question), record, once: None, resumes: false, most: 2 },
        )
    };
    let (first, step) = ask("agents");
    assert!(matches!(take(&mut *store, step, 0), Done::Noted(_)));
    assert!(matches!(take(&mut *store, ask("agents").1, 0), Done::Noted(_)));
    assert_eq!(take(&mut *store, ask("agents").1, 0), Done::TooMany);
    assert!(matches!(take(&mut *store, ask("others").1, 0), Done::Noted(_)));
    assert_eq!(outcomes(&mut *store), ["decision"; 3], "what was not kept is not recorded");
    let waiting = Which { status: Some(Status::Pending), limit: 1, ..Which::default() };
    assert_eq!(store.requests(&waiting).unwrap().len(), 1);
    let all = every(&mut *store, waiting).unwrap();
    assert_eq!(all.len(), 3, "every page of them");
    let cancel = Step::Close {
        id: first,
        status: Status::Cancelled,
        by: "agents".to_owned(),
        reason: String::new(),
    };
    assert!(matches!(take(&mut *store, cancel, 1), Done::Closed(_, true)));
    assert!(matches!(take(&mut *store, ask("agents").1, 1), Done::Noted(_)), "one place is free");
}

fn want_two_people_where_two_are_needed(open: Open<'_>) {
    let mut store = open();
    let (question, record) = question("rm -rf /srv/data");
    let question = Question { needed: 2, ..question };
    asked(&mut *store, &question, record);
    let (request, refusal) = answer(&mut *store, reply(&question, "ops", true), 1);
    assert_eq!((request.status, refusal), (Status::Pending, None));
    assert_eq!(request.agreed.len(), 1);
    let (_, refusal) = answer(&mut *open(), reply(&question, "OPS ", true), 2);
    assert_eq!(refusal, Some(Refusal::SaidAlready));
    let (request, _) = answer(&mut *open(), reply(&question, "lead", true), 3);
    assert_eq!(request.status, Status::Approved);
    assert_eq!(outcomes(&mut *store), ["decision", "approved by one of two", "approved"]);
}

fn keep_both_actions_where_one_was_changed(open: Open<'_>) {
    let mut store = open();
    let question = ask(&mut *store, "rm -rf /srv/data");
    let modified = Modified {
        action: "sha256:changed".to_owned(),
        tool: "bash".to_owned(),
        arguments: serde_json::json!({ "command": "ls /srv/data" }),
        files: Vec::new(),
    };
    let entry = Entry { action: Some(modified.action.clone()), ..Entry::new(Kind::Decision) };
    let said = Reply { modified: Some((modified.clone(), entry)), ..reply(&question, "ops", true) };
    let (request, _) = answer(&mut *store, said, 1);
    assert_eq!(request.modified.as_ref(), Some(&modified));
    assert_eq!(
        claim(&mut *store, &question, &question.action, 2),
        Done::Unclaimable(Unclaimable::OtherAction),
        "what was asked about was not approved"
    );
    assert!(matches!(claim(&mut *store, &question, "sha256:changed", 2), Done::Claimed(_)));
    let records = [1, 2, 3].map(|number| store.record(number).unwrap().unwrap().entry);
    assert_eq!(
        records.each_ref().map(|entry| entry.action.as_deref()),
        [Some(question.action.as_str()), Some("sha256:changed"), Some(question.action.as_str())]
    );
}

fn answer_the_same_to_the_same_key(open: Open<'_>) {
    let mut store = open();
    let token = Id::random().unwrap();
    let once = |digest: &str| {
        Some(Once {
            token,
            key: "k".to_owned(),
            digest: digest.to_owned(),
            answer: "{}".to_owned(),
            for_good: false,
        })
    };
    let (question, record) = question("rm -rf /srv/data");
    let step = |digest: &str| Step::Ask {
        question: Box::new(question.clone()),
        record: record.clone(),
        once: once(digest),
        resumes: false,
        most: PENDING,
    };
    assert_eq!(take(&mut *store, step("a"), 0), Done::Noted(1));
    assert_eq!(
        take(&mut *open(), step("a"), 1),
        Done::Repeated("{}".to_owned(), Some(question.id))
    );
    assert_eq!(take(&mut *store, step("b"), 1), Done::KeyReused);
    assert_eq!(outcomes(&mut *store), ["decision"]);
    take(&mut *store, Step::Sweep, 25 * 60 * 60);
    let note = Step::Note { record, once: once("b") };
    assert!(matches!(take(&mut *store, note, 0), Done::Noted(_)), "a day later it is forgotten");
}

fn take_up_again_what_was_asked_and_not_used(open: Open<'_>) {
    let mut store = open();
    let first = ask(&mut *store, "rm -rf /srv/data");
    let again = |change: fn(&mut Question)| {
        let (mut question, record) = question("rm -rf /srv/data");
        change(&mut question);
        let question = Box::new(question);
        Step::Ask { question, record, once: None, resumes: true, most: PENDING }
    };
    let same = || again(|_| {});
    let taken_up = Done::Repeated(String::new(), Some(first.id));
    assert_eq!(take(&mut *open(), same(), 1), taken_up, "while it waits");
    assert_eq!(outcomes(&mut *store), ["decision"; 2], "the second call is recorded too");
    for other in [
        again(|question| question.requester = "others".to_owned()),
        again(|question| question.session = None),
        again(|question| question.agent = Some("codex".to_owned())),
        again(|question| question.action = "sha256:other".to_owned()),
        again(|question| {
            question.details.files = vec![format!("whole 9 {} /p/x.sh", "0f".repeat(32))]
        }),
    ] {
        assert!(matches!(take(&mut *store, other, 2), Done::Noted(_)));
    }
    answer(&mut *store, reply(&first, "ops", true), 3);
    assert_eq!(take(&mut *store, same(), 4), taken_up, "once it is approved");
    let claim = Claim {
        id: first.id,
        action: first.action.clone(),
        requester: "agents".to_owned(),
        project: None,
    };
    assert!(matches!(take(&mut *store, Step::Claim(claim), 5), Done::Claimed(_)));
    assert!(matches!(take(&mut *store, same(), 6), Done::Noted(_)), "not once it is used");
    let (second, record) = question("rm -rf /srv/other");
    asked(&mut *store, &second, record);
    answer(&mut *store, reply(&second, "ops", false), 7);
    let (anew, record) = question("rm -rf /srv/other");
    let step =
        Step::Ask { question: Box::new(anew), record, once: None, resumes: true, most: PENDING };
    assert!(matches!(take(&mut *store, step, 8), Done::Noted(_)), "nor what was denied");
    let late = TIMEOUT.as_secs().cast_signed() + 600;
    assert!(matches!(take(&mut *store, same(), late), Done::Noted(_)), "nor what is over");
}

fn know_tokens_until_they_end(open: Open<'_>) {
    let mut store = open();
    let secret = Secret::random().unwrap();
    let token = Token {
        id: Id::random().unwrap(),
        name: "ci".to_owned(),
        holder: Holder::Api,
        scopes: Scopes::agent(),
        created: at(0),
        expires: Some(at(60)),
        revoked: None,
        proof: None,
        login: None,
        made_here: false,
    };
    let record = || Body::new(&Entry::change("dev", "admitted", "ci"), at(0));
    let admit = Step::Admit { token: token.clone(), hash: secret.hash(), record: record() };
    take(&mut *store, admit, 0);
    assert_eq!(open().token(&secret.hash()).unwrap().as_ref(), Some(&token));
    assert_eq!(open().token(secret.reveal()).unwrap(), None, "only a hash is kept");
    assert!(token.holds(at(59)) && !token.holds(at(60)));
    take(&mut *store, Step::Own { id: token.id, record: record() }, 0);
    assert!(open().token(&secret.hash()).unwrap().unwrap().made_here);
    let revoke = || Step::Revoke { id: token.id, record: record() };
    assert_eq!(take(&mut *store, revoke(), 1), Done::Revoked(true));
    assert_eq!(take(&mut *store, revoke(), 2), Done::Revoked(false));
    let known = open().token(&secret.hash()).unwrap().unwrap();
    assert!(!known.holds(at(1)));
    assert_eq!(open().tokens().unwrap(), [known]);
    assert_eq!(outcomes(&mut *store), ["admitted", "owned", "revoked"].map(|_| "admitted"));
}

fn grant(store: &mut dyn Ledger, id: &str, end: i64) -> u64 {
    let record = Body::new(&Entry::new(Kind::Answer), at(0));
    let (id, text) = (id.to_owned(), format!("what {id} says"));
    match take(store, Step::Grant { id, text, expires: at(end), record }, 0) {
        Done::Noted(record) => record,
        other => panic!("{other:?}"),
    }
}

fn granted(store: &mut dyn Ledger, since: i64) -> Vec<String> {
    store.grants(at(since)).unwrap().into_iter().map(|kept| kept.id).collect()
}

fn take_back(store: &mut dyn Ledger, id: &str) -> Done {
    let record = Body::new(&Entry::change("ops", "revoked", id.to_owned()), at(1));
    take(store, Step::TakeBack { id: id.to_owned(), record }, 1)
}

fn spend(store: &mut dyn Ledger, ids: &[&str]) -> bool {
    let step = Step::Spend(ids.iter().map(|id| (*id).to_owned()).collect());
    match take(store, step, 1) {
        Done::Spent(spent) => spent,
        other => panic!("{other:?}"),
    }
}

fn keep_grants_until_they_end(open: Open<'_>) {
    assert_eq!(granted(&mut *open(), 0), [""; 0]);
    for (number, id) in ["a", "b", "c", "d"].into_iter().enumerate() {
        assert_eq!(grant(&mut *open(), id, 100), number as u64 + 1, "its record is kept with it");
    }
    grant(&mut *open(), "short", 10);
    let kept = Kept { id: "d".to_owned(), text: "what d says".to_owned(), record: 4 };
    assert_eq!(open().grants(at(50)).unwrap().first(), Some(&kept));
    assert_eq!(granted(&mut *open(), 9), ["short", "d", "c", "b", "a"]);
    assert_eq!(granted(&mut *open(), 10), ["d", "c", "b", "a"]);
    assert!(spend(&mut *open(), &["a"]));
    assert!(!spend(&mut *open(), &["a"]));
    assert!(!spend(&mut *open(), &["b", "a"]), "all of them or none");
    assert_eq!(granted(&mut *open(), 50), ["d", "c", "b"]);
    assert_eq!(take_back(&mut *open(), "b"), Done::Revoked(true));
    for (id, told) in
        [("b", Done::Revoked(false)), ("a", Done::Revoked(false)), ("x", Done::Unknown)]
    {
        assert_eq!(take_back(&mut *open(), id), told, "{id}");
    }
    assert!(!spend(&mut *open(), &["b"]));
    assert!(spend(&mut *open(), &["c", "d"]));
    assert_eq!(granted(&mut *open(), 50), [""; 0]);
    let said = ["answer", "answer", "answer", "answer", "answer", "revoked"];
    assert_eq!(outcomes(&mut *open()), said, "what changed nothing is no change on record");
}

fn use_a_grant_up_once_among_many(open: Open<'_>) {
    let ids: Vec<String> = (0..20).map(|id| id.to_string()).collect();
    let mut store = open();
    for id in &ids {
        grant(&mut *store, id, 100);
    }
    let used: usize = thread::scope(|scope| {
        let users: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let mut store = open();
                    ids.iter().filter(|id| spend(&mut *store, &[id])).count()
                })
            })
            .collect();
        users.into_iter().map(|user| user.join().unwrap()).sum()
    });
    assert_eq!(used, ids.len());
}

fn do_all_steps_or_none(open: Open<'_>) {
    let mut store = open();
    let (question, record) = question("rm -rf /srv/data");
    let step = Step::Ask {
        question: Box::new(question.clone()),
        record,
        once: None,
        resumes: false,
        most: PENDING,
    };
    // The second asks under an id that the first has taken.
    assert!(store.take(&[step.clone(), step], at(0), None).is_err());
    assert_eq!(store.request(question.id).unwrap(), None);
    assert_eq!(outcomes(&mut *store), [""; 0]);
}

fn wanted(policy: ApprovalPolicy, by: &str, alone: bool) -> Wanted {
    let (mut question, asking) = question("true");
    question.requester = by.to_owned();
    question.agent = None;
    question.session = None;
    Wanted {
        policy,
        configured: ApprovalPolicy::ConfirmHighRisk.confirmation(),
        by: by.to_owned(),
        record: Body::new(&Entry::change(by, "changed the approval policy", policy.name()), at(0)),
        question: Box::new(question),
        asking,
        lasts: Duration::from_secs(600),
        alone,
        most: PENDING,
    }
}

fn rule(store: &mut dyn Ledger, wanted: &Wanted, second: i64) -> Option<Id> {
    match take(store, Step::Rule(Box::new(wanted.clone())), second) {
        Done::Ruled(asks) => asks,
        other => panic!("{other:?}"),
    }
}

fn held(store: &mut dyn Ledger, second: i64) -> Option<ApprovalPolicy> {
    let configured = ApprovalPolicy::ConfirmHighRisk.confirmation();
    store.in_force(at(second)).unwrap().policy(configured, at(second))
}

fn hold_a_stricter_policy_at_once_and_a_looser_one_once_it_is_agreed_to(open: Open<'_>) {
    use ApprovalPolicy::{AutoApprove, ConfirmAll, ConfirmHighRisk, ConfirmMediumAndUp};
    let (mut store, mut other) = (open(), open());
    let (store, other) = (&mut *store, &mut *other);
    assert_eq!(held(store, 0), None);
    assert_eq!(rule(store, &wanted(ConfirmAll, "ana", false), 0), None);
    assert_eq!(held(other, 0), Some(ConfirmAll), "for all who share the store");
    let loose = wanted(AutoApprove, "ana", false);
    assert_eq!(rule(store, &loose, 1), Some(loose.question.id));
    assert_eq!(held(other, 1), Some(ConfirmAll), "nothing holds that nobody agreed to");
    let (_, refusal) = answer(store, reply(&loose.question, "ana", true), 2);
    assert_eq!(refusal, Some(Refusal::OwnRequest));
    let made_by_one = Reply { counts: false, ..reply(&loose.question, "eve", true) };
    let (_, refusal) = answer(other, made_by_one, 3);
    assert_eq!(refusal, Some(Refusal::MadeByOne), "the one who wants it may have made it");
    let (request, refusal) = answer(other, reply(&loose.question, "ben", true), 10);
    assert_eq!((request.status, refusal), (Status::Approved, None));
    assert_eq!(held(store, 11), Some(AutoApprove));
    let loosened = store.in_force(at(11)).unwrap().loosened.unwrap();
    assert_eq!((loosened.by.as_str(), loosened.approver.as_deref()), ("ana", Some("ben")));
    assert_eq!(loosened.expires, at(610));
    // A part of what was agreed to holds at once, and no longer; what is stricter than what stands is for good.
    assert_eq!(rule(other, &wanted(ConfirmHighRisk, "ana", false), 20), None);
    assert_eq!(held(store, 21), Some(ConfirmHighRisk));
    assert_eq!(store.in_force(at(21)).unwrap().loosened.unwrap().expires, at(610));
    assert_eq!(held(store, 611), Some(ConfirmAll), "what stood before stands again");
    take(store, Step::Sweep, 700);
    let told = outcomes(store);
    assert!(told.contains(&"loosened the approval policy".to_owned()), "{told:?}");
    assert!(told.contains(&"ended a looser approval policy".to_owned()), "{told:?}");
    // Back to the configuration is looser than what stands, and needs no end.
    let back = wanted(ConfirmHighRisk, "ana", false);
    assert_eq!(rule(store, &back, 710), Some(back.question.id));
    answer(store, reply(&back.question, "ben", true), 711);
    assert_eq!(
        (held(store, 712), held(store, 1_000_000)),
        (Some(ConfirmHighRisk), Some(ConfirmHighRisk))
    );
    // The end may come before its time.
    let loose = wanted(AutoApprove, "ana", false);
    rule(store, &loose, 720);
    answer(store, reply(&loose.question, "ben", true), 721);
    let record = Body::new(&Entry::change("ben", "ended", ""), at(722));
    assert_eq!(take(store, Step::EndLoosened { record: record.clone() }, 722), Done::Ruled(None));
    assert_eq!(take(store, Step::EndLoosened { record }, 722), Done::Unknown);
    assert_eq!(held(other, 723), Some(ConfirmHighRisk));
    assert_eq!(rule(store, &wanted(ConfirmMediumAndUp, "ana", false), 730), None);
}

fn let_nobody_loosen_alone_or_by_a_row(open: Open<'_>) {
    use ApprovalPolicy::AutoApprove;
    let mut store = open();
    let store = &mut *store;
    // Denied, too late, closed by a policy, or with something in its place: nothing holds.
    let denied = wanted(AutoApprove, "ana", false);
    rule(store, &denied, 0);
    answer(store, reply(&denied.question, "ben", false), 1);
    let late = wanted(AutoApprove, "ana", false);
    rule(store, &late, 0);
    let (_, refusal) = answer(store, reply(&late.question, "ben", true), 10_000);
    assert_eq!(refusal, Some(Refusal::TimedOut));
    let closed = wanted(AutoApprove, "ana", false);
    rule(store, &closed, 0);
    let close = Step::Close {
        id: closed.question.id,
        status: Status::AutoApproved,
        by: "x".into(),
        reason: "x".into(),
    };
    assert!(matches!(take(store, close, 2), Done::Closed(_, true)));
    let changed = wanted(AutoApprove, "ana", false);
    rule(store, &changed, 0);
    let arguments = json!({ "approval_policy": "auto_approve" });
    let modified =
        Modified { action: "sha256:1".into(), tool: "bash".into(), arguments, files: Vec::new() };
    let entry = Entry::new(Kind::Decision);
    let other =
        Reply { modified: Some((modified, entry)), ..reply(&changed.question, "ben", true) };
    assert_eq!(answer(store, other, 3).1, Some(Refusal::Changed));
    assert_eq!(held(store, 4), None);
    // A call that somebody agrees to is no policy.
    let call = ask(store, "rm -rf /srv/data");
    answer(store, reply(&call, "ben", true), 5);
    assert_eq!(held(store, 6), None);
    // Where one is enough, they agree as to a request, and not before.
    let alone = wanted(AutoApprove, "ana", true);
    assert_eq!(rule(store, &alone, 7), Some(alone.question.id));
    assert_eq!(held(store, 8), None);
    assert_eq!(answer(store, reply(&alone.question, "ana", true), 9).1, None);
    assert_eq!(held(store, 10), Some(AutoApprove));
}

#[test]
fn a_row_that_loosens_and_that_nobody_agreed_to_is_not_believed() {
    let directory = tempfile::tempdir().unwrap();
    let mut store = open(directory.path());
    let loose = wanted(ApprovalPolicy::AutoApprove, "ana", false);
    rule(&mut *store, &loose, 0);
    let connection = rusqlite::Connection::open(database_path(directory.path())).unwrap();
    connection.execute("UPDATE ruling SET since = 0, expires = 4000000000000000", []).unwrap();
    assert_eq!(held(&mut *store, 1), None);
    connection.execute("UPDATE approval SET status = 'approved'", []).unwrap();
    assert_eq!(held(&mut *store, 1), None, "the record tells of no answer");
}

#[test]
fn what_an_agent_calls_itself_fills_nothing() {
    let session = Session::open(Options { unrecorded: true, ..Options::default() });
    let long = || Some("n\0".repeat(100_000));
    let call = ToolCall {
        tool: "t".repeat(100_000),
        agent: long(),
        session: long(),
        cwd: long(),
        summary: long(),
        ..ToolCall::shell(format!("rm -rf /srv/{}", "d".repeat(300_000)))
    };
    let judged = session.consider(call, Context::default()).unwrap();
    let question = Question::about(&judged, "agents", 1, TIMEOUT).unwrap();
    let written = format!("{question:?}");
    assert!(written.len() < 60_000 && !written.contains('\0'), "{}", written.len());
}

#[test]
fn a_row_that_was_changed_by_hand_approves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let mut store = open(directory.path());
    let question = ask(&mut *store, "rm -rf /srv/data");
    let forger = rusqlite::Connection::open(database_path(directory.path())).unwrap();
    forger
        .execute_batch("UPDATE approval SET status = 'approved', decided = asked, answer = 1, approver = 'ops'")
        .unwrap();
    assert_eq!(
        claim(&mut *store, &question, &question.action, 1),
        Done::Unclaimable(Unclaimable::Unrecorded)
    );
    assert!(forger.execute_batch("UPDATE approval SET status = 'denied'").is_err());
    assert!(forger.execute_batch("DELETE FROM approval").is_err());
}

#[test]
fn whoever_waits_is_told_also_of_what_another_process_decides() {
    let directory = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (here, elsewhere) =
        (Clerk::start(directory.path()).unwrap(), Clerk::start(directory.path()).unwrap());
    for clerk in [&here, &elsewhere] {
        let (question, _) = question("rm -rf /srv/data");
        let now = Timestamp::now();
        let record = Body::new(&Entry::new(Kind::Decision), now);
        let step = Step::Ask {
            question: Box::new(question.clone()),
            record,
            once: None,
            resumes: false,
            most: PENDING,
        };
        here.take_blocking(step).unwrap();
        let waiting = here.wait_for(question.id);
        assert_eq!(here.request(question.id).unwrap().unwrap().status, Status::Pending);
        clerk.take_blocking(Step::Answer(Box::new(reply(&question, "ops", true)))).unwrap();
        runtime.block_on(async {
            tokio::time::timeout(Duration::from_secs(60), waiting.told()).await.unwrap();
        });
        assert_eq!(here.request(question.id).unwrap().unwrap().status, Status::Approved);
    }
    let verification = Log::read(directory.path()).unwrap().verify(&[]).unwrap();
    assert!(verification.is_intact(), "{verification:?}");
}
