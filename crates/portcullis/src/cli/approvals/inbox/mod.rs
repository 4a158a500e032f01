//! `approvals inbox`: what waits, on a whole screen. Owns the loop between the terminal, the store and the model; what is shown and what keys do,
//! they know.

mod draw;
mod field;
mod glass;
mod keys;
mod model;
#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests;

use std::{
    env, io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use jiff::Timestamp;
use portcullis_core::{approval::Status, policy::Context};
use ratatui_core::terminal::Terminal;
use serde_json::{Map, Value};

use self::{
    glass::Glass,
    keys::{Key, Keys},
    model::{Act, Inbox, Judged},
};
use super::super::{Exit, Failure, egress};
use crate::{
    approvals::{Book, Done, Ledger, Request, Step, Which, call_in_place, every, put_in_place},
    audit::AuditError,
    config::Configuration,
    person::{Person, Screen},
    report::marked::marked,
    session::{Options, Session},
};

/// How often it is looked what is new, and whether it is to end.
const GLANCE: Duration = Duration::from_millis(100);

/// How long the rest of a key's bytes is waited for.
const REST: Duration = Duration::from_millis(50);

/// How many requests are read at a time.
const PAGE: u32 = 200;

/// What the view works on.
pub(super) struct Office<'a> {
    pub(super) book: &'a mut Book,
    pub(super) configuration: Configuration,
    session: Option<Session>,
    seen: u64,
    stamp: Option<i64>,
}

/// Shows the inbox until the person leaves it, or it is asked to end.
pub(super) fn run(
    book: &mut Book,
    configuration: Configuration,
    person: &Person,
) -> Result<Exit, Failure> {
    if env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb") {
        return Err(Failure::usage("this terminal cannot show a view: `TERM` says so")
            .with_help("`portcullis approvals list` and `approve` work in every terminal"));
    }
    let stop = Arc::new(AtomicBool::new(false));
    stop_when_asked(&stop)?;
    let screen = person.screen().map_err(Failure::internal)?;
    screen.restore_on_panic();
    let ended = show(&mut Office::new(book, configuration), screen, person.name(), &stop);
    match ended {
        // Where the terminal is gone, so is whoever would be told.
        Err(_) if stop.load(Ordering::Relaxed) => Ok(Exit::Done),
        Err(error) => Err(Failure::internal(format_args!("the terminal failed: {error}"))),
        Ok(()) => Ok(Exit::Done),
    }
}

/// Sets `stop` with the first signal that asks the program to end.
fn stop_when_asked(stop: &Arc<AtomicBool>) -> Result<(), Failure> {
    use tokio::signal::unix::{SignalKind, signal};

    let runtime = egress::runtime()?;
    let stop = Arc::clone(stop);
    let (mut ended, mut hung_up, mut interrupted) = {
        let _inside = runtime.enter();
        let listen = |kind| signal(kind).map_err(Failure::internal);
        (
            listen(SignalKind::terminate())?,
            listen(SignalKind::hangup())?,
            listen(SignalKind::interrupt())?,
        )
    };
    let wait = move || {
        runtime.block_on(async {
            tokio::select! {
                _ = ended.recv() => {}
                _ = hung_up.recv() => {}
                _ = interrupted.recv() => {}
            }
            stop.store(true, Ordering::Relaxed);
        });
    };
    thread::Builder::new().name("signals".to_owned()).spawn(wait).map_err(Failure::internal)?;
    Ok(())
}

/// Whether colour is wanted, as `NO_COLOR` and `CLICOLOR` say.
fn coloured() -> bool {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    !is_set("NO_COLOR") && env::var_os("CLICOLOR").is_none_or(|value| value != "0")
}

fn show(office: &mut Office<'_>, screen: Screen, me: &str, stop: &AtomicBool) -> io::Result<()> {
    let coloured = coloured();
    let mut inbox = Inbox::new(me, Timestamp::now(), Box::new(Person::word));
    let mut terminal = Terminal::new(Glass::new(screen))?;
    let mut typed = Keys::default();
    let mut drawn = None;
    let mut is_stale = true;
    while !stop.load(Ordering::Relaxed) {
        inbox.now = Timestamp::now();
        is_stale |= office.look(&mut inbox);
        let size = terminal.backend_mut().screen().size();
        is_stale |= inbox.size != size || drawn != Some(inbox.now.as_second());
        if is_stale {
            inbox.fit(size);
            terminal.autoresize()?;
            terminal.draw(|frame| draw::draw(&inbox, frame, coloured))?;
            drawn = Some(inbox.now.as_second());
            is_stale = false;
        }
        let bytes = terminal.backend_mut().screen().typed(GLANCE)?;
        let mut keys = typed.take(&bytes);
        if typed.is_waiting() {
            let rest = terminal.backend_mut().screen().typed(REST)?;
            keys.extend(if rest.is_empty() {
                typed.settle().into_iter().collect()
            } else {
                typed.take(&rest)
            });
        }
        for key in keys {
            is_stale = true;
            match office.pressed(&mut inbox, &key) {
                Next::Go => {}
                Next::Forget => {
                    typed.forget();
                    terminal.backend_mut().screen().forget()?;
                    break;
                }
                Next::End => return Ok(()),
            }
        }
    }
    Ok(())
}

/// How it goes on after a key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Next {
    Go,
    /// What else was typed must not count.
    Forget,
    End,
}

impl<'a> Office<'a> {
    fn new(book: &'a mut Book, configuration: Configuration) -> Self {
        Self { book, configuration, session: None, seen: 0, stamp: None }
    }

    /// Takes a key, and does what it asks for.
    fn pressed(&mut self, inbox: &mut Inbox, key: &Key) -> Next {
        inbox.now = Timestamp::now();
        let mut act = inbox.press(key);
        let mut next = Next::Go;
        while let Some(wanted) = act {
            act = match wanted {
                Act::Quit => return Next::End,
                Act::Forget => {
                    next = Next::Forget;
                    None
                }
                Act::Load(id) => {
                    match self.book.store().request(id) {
                        Ok(Some(request)) => inbox.show(request),
                        Ok(None) => {}
                        Err(error) => unreadable(inbox, &error),
                    }
                    None
                }
                Act::Answer(mut reply) => {
                    // Where people log in as themselves, an account of this machine is none of two.
                    reply.counts &= self.configuration.team.login.is_none();
                    self.answer(inbox, &Step::Answer(reply));
                    None
                }
                Act::Judge(request, arguments) => {
                    let judged = self.judge(&request, arguments);
                    inbox.judged(judged)
                }
            };
        }
        next
    }

    fn answer(&mut self, inbox: &mut Inbox, step: &Step) {
        match self.book.take(std::slice::from_ref(step)) {
            Ok(done) => match done.into_iter().next() {
                Some(Done::Answered(request, refusal)) => {
                    inbox.answered(*request, refusal.as_ref());
                }
                _ => inbox.notice = "not done: there is no such request any more".to_owned(),
            },
            Err(error) => inbox.notice = super::page::inert(&format!("not done: {error}")),
        }
    }

    /// Judges what somebody wrote in place of a request's arguments.
    fn judge(
        &mut self,
        request: &Request,
        arguments: Map<String, Value>,
    ) -> Result<Judged, String> {
        let call = call_in_place(request, request.tool.clone(), arguments)
            .map_err(|error| error.to_string())?;
        let configuration = &self.configuration;
        let session = self.session.get_or_insert_with(|| {
            let configuration = configuration.clone();
            let mut session = Session::open(Options {
                configuration,
                from_elsewhere: true,
                ..Options::default()
            });
            session.record_nothing();
            session
        });
        let judged =
            session.consider(call, Context::default()).map_err(|error| error.to_string())?;
        let (modified, entry) =
            put_in_place(request.risk, &judged).map_err(|error| error.to_string())?;
        Ok(Judged {
            texts: marked(&judged.action.call.arguments, &judged.judgement.assessment),
            risk: judged.judgement.assessment.risk,
            reasons: judged.judgement.decision.reasons.clone(),
            modified,
            entry,
        })
    }

    /// Looks what is new; says whether anything is.
    fn look(&mut self, inbox: &mut Inbox) -> bool {
        match self.news(inbox) {
            Ok(is_new) => is_new,
            Err(error) => {
                unreadable(inbox, &error);
                true
            }
        }
    }

    fn news(&mut self, inbox: &mut Inbox) -> Result<bool, AuditError> {
        if inbox.has_expired() {
            // Where nobody decides, the one who looks closes what is over.
            self.book.take(&[Step::Sweep])?;
        }
        let stamp = self.book.store().stamp()?;
        if self.stamp == Some(stamp) && !inbox.has_expired() {
            return Ok(false);
        }
        let is_first = self.stamp.is_none();
        let store = self.book.store();
        // Before the requests: what comes between the two is read twice, and nothing is missed.
        let head = store.head()?.sequence;
        let requests = if is_first {
            every(store, Which { status: Some(Status::Pending), ..Which::default() })?
        } else {
            since(store, self.seen)?
        };
        let mut open = None;
        if let Some(id) = inbox.selected {
            // Also where only somebody agreed, of two.
            open = store.request(id)?;
        }
        let act = inbox.take(&requests);
        if let Some(request) = open {
            inbox.show(request);
        }
        if let Some(Act::Load(id)) = act
            && let Some(request) = self.book.store().request(id)?
        {
            inbox.show(request);
        }
        self.seen = head;
        self.stamp = Some(stamp);
        Ok(true)
    }
}

/// What was asked or decided after a record.
fn since(store: &mut dyn Ledger, seen: u64) -> Result<Vec<Request>, AuditError> {
    let mut found = every(store, Which { decided_after: Some(seen), ..Which::default() })?;
    let mut which = Which { limit: PAGE, ..Which::default() };
    loop {
        let page = store.requests(&which)?;
        let last = page.last().map(|request| request.sequence);
        found.extend(page.into_iter().filter(|request| request.sequence > seen));
        match last {
            Some(last) if last > seen => which.before = Some(last),
            _ => return Ok(found),
        }
    }
}

fn unreadable(inbox: &mut Inbox, error: &AuditError) {
    inbox.notice = super::page::inert(&format!("what waits cannot be read: {error}"));
}
