//! The view without a terminal, and at one that is not a person's.

use std::{fs::File, io::Read as _, io::Write as _, sync::mpsc, thread, time::Instant};

use insta::assert_snapshot;
use portcullis_core::{action::Action, call::ToolCall, risk::Risk};
use proptest::prelude::*;
use ratatui_core::{backend::TestBackend, buffer::Buffer};
use serde_json::json;

use super::{super::page::Page, model::Mode, *};
use crate::{
    approvals::{Id, PENDING, Question, Reply, TIMEOUT, Vote},
    audit::Body,
    person::{desk, grid::Grid},
};

/// Far longer than anything takes.
const PATIENCE: Duration = Duration::from_secs(120);

const NOW: &str = "2026-01-02T03:04:05Z";

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

fn plain(text: &str) -> Value {
    json!({ "text": text })
}

/// A request whose command is in these segments.
fn request(number: u64, risk: Risk, segments: &[Value]) -> Request {
    let command: String =
        segments.iter().map(|segment| segment["text"].as_str().unwrap()).collect();
    Request {
        id: format!("{number:08x}{:024x}", 7).parse().unwrap(),
        sequence: number,
        status: Status::Pending,
        action: format!("sha256:{number:064x}"),
        tool: "bash".to_owned(),
        risk,
        session: Some("release".to_owned()),
        agent: Some("codex".to_owned()),
        requester: "agents".to_owned(),
        project: None,
        needed: 1,
        agreed: Vec::new(),
        asked: now(),
        expires: now() + Duration::from_secs(272),
        decided: None,
        answer: None,
        approver: None,
        origin: None,
        reason: None,
        modified: None,
        claimed: None,
        policy: "built-in 0.1.0".to_owned(),
        details: json!({
            "request": { "action": { "parameters": { "command": command }, "reversible": false } },
            "texts": [{ "in": "/command", "segments": segments }],
            "effects": ["runs `git push`", "rewrites the branch `main` of `origin`"],
            "reasons": ["a forced push replaces the remote branch (`git.push.force`)"],
            "resources": ["remote origin", "branch main"],
            "recommendations": ["`git push --force-with-lease` keeps what others pushed"],
            "layer": "confirmation",
            "understood": true,
            "cwd": "/srv/project",
            "summary": "clean up the history",
            "always": "Bash(git push:*)",
        }),
    }
}

fn push(number: u64) -> Request {
    let marked =
        json!({ "text": "git push --force", "severity": "high", "rules": "git.push.force" });
    request(number, Risk::High, &[plain("cd app && "), marked, plain(" origin main")])
}

fn list(number: u64) -> Request {
    request(number, Risk::Medium, &[plain(&format!("make install-{number}"))])
}

/// A view with some requests, and consent that is given with `tumola`, or `t`.
fn view(size: (u16, u16), requests: &[Request]) -> Inbox {
    let mut inbox = Inbox::new("dev", now(), Box::new(|| Ok("tumola".to_owned())));
    inbox.fit(size);
    let act = inbox.take(requests);
    load(&mut inbox, requests, act);
    inbox
}

fn load(inbox: &mut Inbox, requests: &[Request], act: Option<Act>) {
    if let Some(Act::Load(id)) = act {
        inbox.show(requests.iter().find(|request| request.id == id).unwrap().clone());
    }
}

fn buffer(inbox: &Inbox) -> Buffer {
    let (width, height) = inbox.size;
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw::draw(inbox, frame, false)).unwrap();
    terminal.backend().buffer().clone()
}

fn screen(inbox: &Inbox) -> String {
    let buffer = buffer(inbox);
    let rows = buffer.content.chunks(usize::from(buffer.area.width));
    let rows = rows.map(|row| {
        let mut text = String::new();
        let mut covered = 0;
        for cell in row {
            // The second half of a wide letter is no letter.
            if covered == 0 {
                text.push_str(cell.symbol());
                covered = unicode_width::UnicodeWidthStr::width(cell.symbol()).max(1);
            }
            covered -= 1;
        }
        format!("{}\n", text.trim_end())
    });
    rows.collect()
}

fn typed(inbox: &mut Inbox, text: &str) -> Vec<Act> {
    text.chars().filter_map(|letter| inbox.press(&Key::Letter(letter))).collect()
}

fn answers(acts: Vec<Act>) -> Vec<Reply> {
    let answer = |act| match act {
        Act::Answer(reply) => Some(*reply),
        _ => None,
    };
    acts.into_iter().filter_map(answer).collect()
}

#[test]
fn a_person_sees_what_waits_and_all_of_what_is_asked() {
    let mut two = push(2);
    two.needed = 2;
    two.agreed = vec![Vote { approver: "lead".into(), origin: "web".into(), time: now() }];
    let requests = [list(1), two, list(3)];
    let mut inbox = view((80, 24), &requests);
    let act = inbox.press(&Key::Letter('j'));
    load(&mut inbox, &requests, act);
    assert_snapshot!("list", screen(&inbox));
    inbox.press(&Key::Enter);
    assert_snapshot!("read", screen(&inbox));
    inbox.press(&Key::Letter('G'));
    assert_snapshot!("read_to_the_end", screen(&inbox));
    inbox.press(&Key::Letter('a'));
    assert_snapshot!("confirm", screen(&inbox));
    inbox.press(&Key::Escape);
    inbox.press(&Key::Letter('?'));
    assert_snapshot!("help", screen(&inbox));
}

#[test]
fn a_small_window_shows_the_same() {
    let mut inbox = view((40, 12), &[push(1), list(2)]);
    assert_snapshot!("small_list", screen(&inbox));
    inbox.press(&Key::Enter);
    assert_snapshot!("small_read", screen(&inbox));
    inbox.press(&Key::Letter('a'));
    assert_snapshot!("small_confirm", screen(&inbox));
    inbox.press(&Key::Escape);
    inbox.press(&Key::Letter('d'));
    typed(&mut inbox, "not on a friday, and not without the lead");
    assert_snapshot!("small_deny", screen(&inbox));
    inbox.press(&Key::Escape);
    inbox.press(&Key::Letter('e'));
    assert_snapshot!("small_edit", screen(&inbox));
    inbox.press(&Key::Escape);
    inbox.fit((29, 12));
    assert!(screen(&inbox).starts_with("too small"), "{}", screen(&inbox));
    assert_eq!(typed(&mut inbox, "atumola"), []);
}

#[test]
fn a_key_that_is_held_a_paste_and_a_guess_approve_nothing() {
    for key in ["a", "d", "j", "e", "t", "y", "\r"] {
        let mut inbox = view((80, 24), &[list(1)]);
        let held = key.repeat(500);
        assert_eq!(answers(typed(&mut inbox, &held)), [], "{key}");
    }
    let mut inbox = view((80, 24), &[list(1)]);
    for text in ["at", "atumola", "a\rt\r"] {
        assert_eq!(inbox.press(&Key::Pasted(text.to_owned())), None);
    }
    assert_eq!(inbox.press(&Key::Letter('a')), Some(Act::Forget));
    assert_eq!(answers(typed(&mut inbox, "y")), []);
    assert!(inbox.notice.contains("not approved"), "{}", inbox.notice);
    assert_eq!(inbox.press(&Key::Letter('a')), Some(Act::Forget));
    assert_eq!(inbox.press(&Key::Pasted("t".to_owned())), Some(Act::Forget));
    assert_eq!(inbox.press(&Key::Letter('a')), Some(Act::Forget));
    // The key that is held down leaves the question as it is.
    assert_eq!(answers(typed(&mut inbox, "aaaat")).len(), 1);
}

#[test]
fn an_approval_is_bound_to_what_was_shown_and_a_grave_one_takes_a_word() {
    let mut inbox = view((80, 24), &[push(1)]);
    assert_eq!(answers(typed(&mut inbox, "at")), []);
    let [reply] = &answers(typed(&mut inbox, "umola"))[..] else { panic!() };
    assert_eq!((reply.action.clone(), reply.approves), (push(1).action, true));
    assert_eq!((reply.approver.as_str(), reply.origin.as_str()), ("dev", "terminal"));
    typed(&mut inbox, "d no");
    let Some(Act::Answer(reply)) = inbox.press(&Key::Enter) else { panic!() };
    assert_eq!((reply.approves, reply.reason.as_deref()), (false, Some("no")));
}

#[test]
fn what_is_decided_elsewhere_says_so_in_its_place_and_ends_the_question() {
    let requests: Vec<Request> = (1..=4).map(list).collect();
    let mut inbox = view((80, 24), &requests[..3]);
    inbox.press(&Key::Letter('a'));
    let denied = Request {
        status: Status::Denied,
        approver: Some("ops".to_owned()),
        origin: Some("web".to_owned()),
        reason: Some("no".to_owned()),
        ..requests[0].clone()
    };
    let before: Vec<Id> = inbox.listed.iter().map(|one| one.id).collect();
    inbox.take(&[denied, requests[3].clone()]);
    assert_eq!(answers(typed(&mut inbox, "t")), []);
    let after: Vec<Id> = inbox.listed.iter().map(|one| one.id).collect();
    assert_eq!(after[..3], before, "nothing moves");
    assert_eq!(after[3], requests[3].id, "what is new comes below");
    assert_eq!(inbox.selected, Some(requests[0].id));
    assert_snapshot!("decided_elsewhere", screen(&inbox));
    typed(&mut inbox, "ad");
    assert!(matches!(inbox.mode, Mode::List), "nothing is left to decide");
    let act = inbox.press(&Key::Letter('j'));
    load(&mut inbox, &requests, act);
    inbox.press(&Key::Letter('c'));
    assert_eq!(inbox.listed.len(), 3);
}

#[test]
fn what_is_too_long_is_scrolled_to_its_end_before_anybody_approves() {
    let long = "echo harmless && ".repeat(120);
    let hidden = request(1, Risk::Medium, &[plain(&long), plain("curl x | sh")]);
    let mut inbox = view((80, 24), &[hidden]);
    assert!(!screen(&inbox).contains("curl"));
    assert_eq!(inbox.press(&Key::Letter('a')), None);
    assert!(inbox.notice.contains("read it first: "), "{}", inbox.notice);
    // The end alone is not the whole.
    inbox.press(&Key::Letter('G'));
    assert_eq!(inbox.press(&Key::Letter('a')), None);
    inbox.press(&Key::Letter('g'));
    let mut shown = String::new();
    for _ in 0..60 {
        shown.push_str(&screen(&inbox));
        inbox.press(&Key::Letter(' '));
    }
    assert!(shown.contains("curl x | sh"));
    assert_eq!(inbox.press(&Key::Letter('a')), Some(Act::Forget));
    inbox.press(&Key::Escape);
    // In another width it stands elsewhere, and was read all the same.
    inbox.fit((60, 24));
    assert_eq!(inbox.press(&Key::Letter('a')), Some(Act::Forget));
}

#[test]
fn what_is_left_out_is_said_and_nobody_approves_it() {
    let gap = json!({ "text": "… 50000 bytes …", "left_out": true });
    let cut = request(1, Risk::Medium, &[plain("true; "), gap, plain("true")]);
    let mut inbox = view((80, 24), &[cut]);
    assert!(screen(&inbox).contains("left out here: … 50000 bytes …"), "{}", screen(&inbox));
    inbox.press(&Key::Letter('e'));
    assert!(inbox.notice.contains("cannot be edited"), "{}", inbox.notice);
    assert_eq!(inbox.press(&Key::Letter('a')), None);
    assert!(inbox.notice.contains("nobody can approve it"), "{}", inbox.notice);
}

#[test]
fn what_cannot_be_read_cannot_be_approved() {
    let mut broken = list(1);
    for details in [Value::Null, json!({}), json!({ "texts": 5, "request": 7 })] {
        broken.details = details;
        let mut inbox = view((80, 24), &[broken.clone()]);
        assert_eq!(inbox.press(&Key::Letter('a')), None);
        assert!(inbox.notice.contains("cannot be approved"), "{}", inbox.notice);
    }
}

/// A request in which everything that comes from elsewhere is this text.
fn all(text: &str) -> Request {
    let marked = json!({ "text": text, "severity": "critical", "rules": "rule" });
    let mut all = request(1, Risk::Medium, &[plain(text), marked, plain(text)]);
    all.tool = text.to_owned();
    all.agent = Some(text.to_owned());
    all.session = Some(text.to_owned());
    all.requester = text.to_owned();
    all.needed = 2;
    all.agreed = vec![Vote { approver: text.into(), origin: text.into(), time: now() }];
    for name in ["effects", "reasons", "resources", "recommendations"] {
        all.details[name] = json!([text, text]);
    }
    for name in ["cwd", "summary", "always"] {
        all.details[name] = text.into();
    }
    all
}

#[test]
fn a_text_that_imitates_the_view_stays_behind_the_bar() {
    let frame = format!(
        "{}Ж\n━━━━━━━━━━━━━━Ж━━━━━━━━━━━━\nApprove this, once? Ж\nPress `q` to approve: Ж\n┃ Ж\n\
         ── Ж 00000001, 4 minutes left ─────\nrisk        safe Ж »Ж« \u{2028}Ж\u{85}Ж{}Ж",
        " ".repeat(78),
        " ".repeat(157),
    );
    for size in [(80, 24), (40, 12), (30, 10), (79, 50), (200, 30)] {
        let mut inbox = view(size, &[all(&frame)]);
        for key in ["", "G", "ggl", "   ", "j", "h"] {
            typed(&mut inbox, key);
            for row in screen(&inbox).lines().filter(|row| row.contains('Ж')) {
                let (ours, _) = row.split_once('┃').unwrap_or_else(|| panic!("{size:?}: {row}"));
                assert!(!ours.contains('Ж'), "{size:?}: {row}");
            }
        }
        let decided =
            Request { status: Status::Denied, reason: Some(frame.clone()), ..all(&frame) };
        inbox.answered(decided, None);
        typed(&mut inbox, "lG");
        for row in screen(&inbox).lines().filter(|row| row.contains('Ж')) {
            assert!(row.contains('┃'), "{size:?}: {row}");
        }
    }
    let page = Page::of(&all(&frame)).text(Some(80));
    assert!(page.lines().filter(|row| row.contains('Ж')).all(|row| row.contains("┃ ")), "{page}");
}

#[test]
fn nothing_that_moves_hides_or_reverses_gets_on_the_screen() {
    let hostile = "a\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}31m\u{202e}b\u{2066}\u{200b}\r\u{8}\u{7f}\u{0}\u{301}\u{301}\u{301}\u{301}漢";
    for size in [(80, 24), (40, 12)] {
        let mut inbox = view(size, &[all(hostile)]);
        inbox.filter.clear();
        for key in ["", "l", " ", " ", " ", "G", "d\u{202e}", "h"] {
            typed(&mut inbox, key);
            inbox.press(&Key::Pasted("\u{202e}\u{1b}[2J".to_owned()));
            for cell in &buffer(&inbox).content {
                let symbol = cell.symbol();
                assert!(symbol.chars().count() <= 3, "{symbol:?}");
                assert_eq!(crate::report::visible::line(symbol), symbol);
            }
        }
    }
}

#[test]
fn a_filter_shows_what_has_its_words_and_nothing_else_can_be_decided() {
    let requests: Vec<Request> = (1..=30).map(list).collect();
    let mut inbox = view((80, 24), &requests);
    inbox.press(&Key::Letter('/'));
    let acts: Vec<Act> =
        "INSTALL-17".chars().filter_map(|letter| inbox.press(&Key::Letter(letter))).collect();
    for act in acts {
        load(&mut inbox, &requests, Some(act));
    }
    inbox.press(&Key::Enter);
    assert_eq!(inbox.selected, Some(requests[16].id));
    assert!(screen(&inbox).contains("1 shown for `INSTALL-17`"), "{}", screen(&inbox));
    typed(&mut inbox, "/nowhere");
    inbox.press(&Key::Enter);
    assert_eq!(inbox.selected, None);
    assert_eq!(typed(&mut inbox, "at"), []);
    let act = inbox.press(&Key::Escape);
    load(&mut inbox, &requests, act);
    assert_eq!(inbox.shown().len(), 30);
}

proptest! {
    #[test]
    fn no_keys_and_no_window_break_it_or_approve_without_the_word(
        steps in proptest::collection::vec((0_usize..24, 1_u16..120, 1_u16..50), 1..60),
    ) {
        let requests = [push(1), list(2), all("Ж\nx"), list(4)];
        let requests: Vec<Request> = requests
            .into_iter()
            .enumerate()
            .map(|(at, one)| Request { id: list(at as u64 + 1).id, sequence: at as u64 + 1, ..one })
            .collect();
        let mut inbox = view((80, 24), &requests);
        // Everything but the first letter of the word.
        let keys = [
            Key::Letter('a'), Key::Letter('d'), Key::Letter('e'), Key::Letter('j'), Key::Letter('k'),
            Key::Letter('l'), Key::Letter('h'), Key::Letter(' '), Key::Letter('G'), Key::Letter('g'),
            Key::Letter('/'), Key::Letter('?'), Key::Letter('y'), Key::Letter('漢'), Key::Enter,
            Key::Escape, Key::Backspace, Key::Delete, Key::Up, Key::PageDown, Key::Control('s'),
            Key::Control('u'), Key::Pasted("t\u{1b}tumola".to_owned()), Key::Letter('c'),
        ];
        for (key, width, height) in steps {
            match inbox.press(&keys[key]) {
                Some(Act::Load(id)) => load(&mut inbox, &requests, Some(Act::Load(id))),
                Some(Act::Answer(reply)) => prop_assert!(!reply.approves),
                _ => {}
            }
            inbox.fit((width, height));
            screen(&inbox);
        }
    }
}

/// What somebody at a terminal sees and types, in another thread.
struct Hands {
    keys: File,
    seen: mpsc::Receiver<Vec<u8>>,
    grid: Grid,
}

impl Hands {
    fn new(keys: File, columns: u16, rows: u16) -> Self {
        let size =
            rustix::termios::Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(&keys, size).unwrap();
        let mut eyes = keys.try_clone().unwrap();
        let (sender, seen) = mpsc::channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = eyes.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { keys, seen, grid: Grid::new(columns.into(), rows.into()) }
    }

    /// The screen once it is as wanted.
    fn until(&mut self, wanted: impl Fn(&Grid) -> bool) -> String {
        let end = Instant::now() + PATIENCE;
        while !wanted(&self.grid) {
            let left = end.saturating_duration_since(Instant::now());
            let bytes = self.seen.recv_timeout(left);
            let bytes = bytes.unwrap_or_else(|_| panic!("{}", self.grid.text()));
            self.grid.take(&bytes);
        }
        self.grid.text()
    }

    fn shows(&mut self, text: &str) -> String {
        self.until(|grid| grid.text().contains(text))
    }

    fn types(&mut self, text: &str) {
        self.keys.write_all(text.as_bytes()).unwrap();
    }
}

fn asked(book: &mut Book, command: &str, timeout: Duration) -> Request {
    let session = Session::open(Options { unrecorded: true, ..Options::default() });
    let judged = session.consider(ToolCall::shell(command), Context::default()).unwrap();
    let question = Question::about(&judged, "agents", 1, timeout).unwrap();
    let id = question.id;
    let record = Body::new(&judged.entry(), Timestamp::now());
    let step = Step::Ask {
        question: Box::new(question),
        record,
        once: None,
        most: PENDING,
        resumes: false,
    };
    book.take(&[step]).unwrap();
    book.store().request(id).unwrap().unwrap()
}

/// The letters between the last two backticks of the row that asks.
fn word(screen: &str) -> String {
    let row = screen.lines().find(|row| row.contains("to approve:")).unwrap();
    row.split('`').nth(1).unwrap().to_owned()
}

/// Ends a view when it goes.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The view on a store, with hands at its terminal.
fn at_a_terminal(act: impl FnOnce(&mut Book, &mut Hands, &AtomicBool)) {
    let state = tempfile::tempdir().unwrap();
    let mut book = Book::open(state.path()).unwrap();
    let (keys, device) = desk::pair();
    let mut hands = Hands::new(keys, 80, 24);
    let person = Person::at(device, "dev").unwrap();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let shown = scope.spawn(|| {
            let mut book = Book::open(state.path()).unwrap();
            let screen = person.screen().unwrap();
            let mut office = Office::new(&mut book, Configuration::default());
            show(&mut office, screen, "dev", &stop)
        });
        // Where the hands fail, the view ends too.
        let ends = Ends(&stop);
        act(&mut book, &mut hands, &stop);
        std::mem::forget(ends);
        // The other end stays open until the view is gone.
        hands.until(|grid| !grid.other && grid.has_cursor);
        shown.join().unwrap().unwrap();
    });
}

#[test]
fn at_a_terminal_what_is_asked_appears_and_is_decided_there() {
    at_a_terminal(|book, hands, _| {
        hands.shows("nothing waits; what is asked appears here");
        let first = asked(book, "git push --force origin main", TIMEOUT);
        let shown = hands.shows("git push --force");
        assert!(shown.contains('»') && shown.contains("high"), "{shown}");
        hands.types("aaaa");
        let word = word(&hands.shows("to approve:"));
        hands.types(&word);
        hands.shows("is approved by `dev`");
        let after = book.store().request(first.id).unwrap().unwrap();
        assert_eq!((after.status, after.runs()), (Status::Approved, first.action.as_str()));
        assert_eq!(after.origin.as_deref(), Some("terminal"));
        let second = asked(book, "git push --force origin other", TIMEOUT);
        hands.shows("origin other");
        hands.types("jd");
        hands.shows("Why not?");
        hands.types("\x1b[200~not\rtoday\x1b[201~");
        hands.shows("not today");
        hands.types("\r");
        hands.shows("is denied by `dev`");
        let after = book.store().request(second.id).unwrap().unwrap();
        assert_eq!((after.status, after.reason.as_deref()), (Status::Denied, Some("not today")));
        hands.types("q");
    });
}

#[test]
fn at_a_terminal_what_is_written_is_judged_and_only_that_may_run() {
    at_a_terminal(|book, hands, _| {
        let request = asked(book, "git push --force origin main", TIMEOUT);
        hands.shows("git push --force");
        hands.types("e");
        hands.shows("edit `command`");
        hands.types("\x15rm -rf / --no-preserve-root\x13");
        hands.until(|grid| ["riskier than", "denies"].iter().any(|no| grid.text().contains(no)));
        assert_eq!(book.store().request(request.id).unwrap().unwrap().status, Status::Pending);
        hands.types("\x15git push --force-with-lease origin main\x13");
        hands.shows("Approve what you wrote, once?");
        let word = word(&hands.shows("to approve:"));
        hands.types(&word);
        hands.shows("is approved by `dev`");
        let after = book.store().request(request.id).unwrap().unwrap();
        let call = ToolCall::shell("git push --force-with-lease origin main");
        let call = ToolCall { session: None, agent: None, ..call };
        assert_eq!(after.runs(), Action::from_call(call).unwrap().id());
        assert_ne!(after.runs(), request.action);
        hands.types("q");
    });
}

#[test]
fn at_a_terminal_it_grows_and_shrinks_and_ends_when_it_is_told_to() {
    at_a_terminal(|book, hands, stop| {
        asked(book, "git push --force origin main", TIMEOUT);
        hands.shows("/ filter  ? help  q quit");
        hands.grid = Grid::new(40, 12);
        hands.grid.other = true;
        let size = rustix::termios::Winsize { ws_row: 12, ws_col: 40, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(&hands.keys, size).unwrap();
        hands.shows("a approve  d deny  e edit  / ? q");
        hands.shows("git push --force");
        hands.types("?");
        hands.shows("keys ───");
        hands.types("\x1b");
        hands.shows("/ ? q");
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn at_a_terminal_what_nobody_decides_expires_before_their_eyes() {
    at_a_terminal(|book, hands, _| {
        let request = asked(book, "git push --force origin main", Duration::from_secs(1));
        hands.shows("expired");
        let after = book.store().request(request.id).unwrap().unwrap();
        assert_eq!(after.status, Status::TimedOut);
        hands.types("\x03");
    });
}
