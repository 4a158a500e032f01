//! What every store must do for people, projects, and those who decide in somebody's place.

use super::*;

const ADA: &str = "https://login.example#u-1";
const BEN: &str = "https://login.example#u-2";

pub(super) fn know_who_logged_in(open: Open<'_>) {
    let mut store = open();
    let mut admit = |name: &str, shown: &str, second: i64| {
        let secret = Secret::random().unwrap();
        let login = LoggedIn {
            shown: shown.to_owned(),
            groups: vec!["leads".to_owned(), "größe \u{0} '\"".to_owned()],
            proved: Some(at(second)),
            how: None,
        };
        let token = Token {
            id: Id::random().unwrap(),
            name: name.to_owned(),
            holder: Holder::Browser,
            scopes: Scopes::decides(),
            created: at(second),
            expires: Some(at(second + 60)),
            revoked: None,
            proof: Some("proof".to_owned()),
            login: Some(login),
            made_here: false,
        };
        let record = Body::new(&Entry::change(name, "logged in", shown), at(second));
        let step = Step::Admit { token: token.clone(), hash: secret.hash(), record };
        assert!(matches!(take(&mut *store, step, second), Done::Noted(_)));
        (secret, token)
    };
    let (secret, token) = admit(ADA, "Ada", 1);
    admit(BEN, "Ben", 2);
    admit(ADA, "Ada L.", 3);
    assert_eq!(open().token(&secret.hash()).unwrap(), Some(token));
    let people = open().people().unwrap();
    let people: Vec<_> =
        people.iter().map(|one| (one.name.as_str(), one.shown.as_str(), one.seen)).collect();
    assert_eq!(people, [(ADA, "Ada L.", at(3)), (BEN, "Ben", at(2))], "one is one, however often");
}

pub(super) fn keep_what_somebody_gave_until_it_ends(open: Open<'_>) {
    let mut store = open();
    let given = Delegation {
        id: Id::random().unwrap(),
        giver: ADA.to_owned(),
        taker: BEN.to_owned(),
        groups: vec!["leads".to_owned()],
        expires: at(60),
    };
    let record = || Body::new(&Entry::change(ADA, "delegated", BEN), at(0));
    let step = Step::Delegate { delegation: given.clone(), record: record() };
    assert!(matches!(take(&mut *store, step, 0), Done::Noted(1)));
    assert_eq!(open().delegations(at(59)).unwrap(), std::slice::from_ref(&given));
    assert_eq!(open().delegations(at(60)).unwrap(), []);
    let end = || Step::EndDelegation { id: given.id, record: record() };
    assert_eq!(take(&mut *store, end(), 1), Done::Revoked(true));
    assert_eq!(take(&mut *open(), end(), 2), Done::Revoked(false));
    assert_eq!(open().delegations(at(3)).unwrap(), []);
    let other = Step::EndDelegation { id: Id::random().unwrap(), record: record() };
    assert_eq!(take(&mut *store, other, 3), Done::Unknown);
    assert_eq!(outcomes(&mut *store).len(), 2, "what was given, and its end, are recorded");
}

pub(super) fn keep_a_request_in_its_project(open: Open<'_>) {
    let mut store = open();
    let (mut of_project, record) = question("rm -rf /srv/data");
    of_project.project = Some("pay".to_owned());
    asked(&mut *store, &of_project, record);
    let of_none = ask(&mut *store, "rm -rf /srv/other");
    let project = |id| open().request(id).unwrap().unwrap().project;
    assert_eq!(project(of_project.id).as_deref(), Some("pay"));
    assert_eq!(project(of_none.id), None);
    let kept = open().request(of_project.id).unwrap().unwrap();
    assert_eq!(kept.class(), Some(portcullis_core::assessment::ActionClass::Destructive));
    let right = Some("as `leads`".to_owned());
    let said = Reply { right, ..reply(&of_project, BEN, true) };
    assert_eq!(answer(&mut *store, said, 1).1, None);
    let mut rights = Vec::new();
    store
        .each(&Filter::default(), &mut |record| {
            rights.push(record.unwrap().entry.preview);
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(
        rights.last().unwrap().as_deref(),
        Some("as `leads`"),
        "the record says by what right"
    );
}

pub(super) fn use_an_approval_in_its_project_alone(open: Open<'_>) {
    let mut store = open();
    let of = |project: Option<&str>| {
        let (mut question, record) = question("rm -rf /srv/data");
        question.project = project.map(str::to_owned);
        (question, record)
    };
    let (of_pay, record) = of(Some("pay"));
    asked(&mut *store, &of_pay, record);
    assert_eq!(answer(&mut *store, reply(&of_pay, BEN, true), 1).1, None);
    for other in [None, Some("web")] {
        // The very same call of the same requester, from another project: it is asked about anew.
        let (elsewhere, record) = of(other);
        let step = |question: &Question, record| Step::Ask {
            question: Box::new(question.clone()),
            record,
            once: None,
            resumes: true,
            most: PENDING,
        };
        let done = take(&mut *store, step(&elsewhere, record), 2);
        assert!(matches!(done, Done::Noted(_)), "{other:?}: {done:?}");
        let stolen = Claim {
            id: of_pay.id,
            action: of_pay.action.clone(),
            requester: of_pay.requester.clone(),
            project: other.map(str::to_owned),
        };
        let done = take(&mut *store, Step::Claim(stolen), 2);
        assert_eq!(done, Done::Unclaimable(Unclaimable::OtherProject), "{other:?}");
    }
    let (again, record) = of(Some("pay"));
    let step =
        Step::Ask { question: Box::new(again), record, once: None, resumes: true, most: PENDING };
    assert_eq!(take(&mut *store, step, 3), Done::Repeated(String::new(), Some(of_pay.id)));
    assert!(matches!(claim(&mut *store, &of_pay, &of_pay.action, 3), Done::Claimed(_)));
}
