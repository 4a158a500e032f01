//! What the inbox shows and what a key does in it. Owns the state of the view; it reads no store, no clock and no terminal, and what is to be
//! done it gives to its caller.

use jiff::Timestamp;
use portcullis_core::{
    approval::{Refusal, Status},
    risk::{Risk, Severity},
};
use serde_json::{Map, Value};

use super::{
    super::page::{Page, became, gist, inert, left},
    field::Field,
};
use crate::{
    approvals::{Id, Modified, Reply, Request},
    audit::Entry,
    report::marked::Marked,
};

mod keys;
mod sheet;

pub(super) use sheet::Sheet;

/// The longest reason that a person gives.
const LONGEST_REASON: usize = 1_000;

/// The longest text to filter by.
const LONGEST_FILTER: usize = 100;

/// The longest text that is written in place of another.
const LONGEST_EDIT: usize = 64 << 10;

/// The most decided requests that stay in the list.
const KEPT: usize = 1_000;

/// How much of a request a filter looks at.
const SEARCHED: usize = 2_000;

/// The smallest window that a request can be read in.
pub(super) const SMALLEST: (u16, u16) = (30, 10);

/// A request in the list.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Listed {
    pub(super) id: Id,
    pub(super) sequence: u64,
    pub(super) risk: Risk,
    pub(super) status: Status,
    pub(super) expires: Timestamp,
    /// The agent, its tool, and what is asked about.
    pub(super) text: String,
    searched: String,
}

/// What is before the person.
#[derive(Clone, Debug)]
pub(super) enum Mode {
    /// The list, with the selected request below.
    List,
    /// The selected request alone.
    Read,
    Filter(Field),
    Deny(Field),
    Edit(Edit),
    Confirm(Box<Question>),
    Help(usize),
}

/// Arguments that are being written.
#[derive(Clone, Debug)]
pub(super) struct Edit {
    pub(super) field: Field,
    /// The one argument that is written, where there is just one text; else all of them, as JSON.
    pub(super) only: Option<String>,
}

/// Consent, before it is given.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) word: String,
    pub(super) typed: String,
    pub(super) reply: Reply,
    pub(super) is_grave: bool,
    /// What would run in place of what was asked about.
    pub(super) sheet: Option<Sheet>,
    pub(super) left_out: usize,
}

/// What is to be done for the view.
#[derive(Debug, PartialEq)]
pub(super) enum Act {
    Quit,
    /// What was typed so far must not answer what is asked now.
    Forget,
    /// The selected request is wanted whole.
    Load(Id),
    Answer(Box<Reply>),
    /// Judge what somebody wrote in place of a request's arguments.
    Judge(Box<Request>, Map<String, Value>),
}

/// Something that was written in place of an action, judged.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) modified: Modified,
    pub(super) entry: Entry,
    pub(super) texts: Vec<Marked>,
    pub(super) risk: Risk,
    pub(super) reasons: Vec<String>,
}

/// Gives a word to be typed.
pub(super) type Words = Box<dyn FnMut() -> std::io::Result<String>>;

/// The view.
pub(super) struct Inbox {
    pub(super) me: String,
    pub(super) listed: Vec<Listed>,
    pub(super) selected: Option<Id>,
    /// The first request of the list that is on the screen.
    pub(super) top: usize,
    pub(super) request: Option<Request>,
    pub(super) sheet: Sheet,
    pub(super) mode: Mode,
    pub(super) filter: String,
    /// What is to be told, in words of ours.
    pub(super) notice: String,
    pub(super) now: Timestamp,
    pub(super) size: (u16, u16),
    words: Words,
}

/// How the rows of the screen are shared.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Heights {
    pub(super) list: u16,
    pub(super) sheet: u16,
    pub(super) bottom: u16,
}

impl Inbox {
    pub(super) fn new(me: &str, now: Timestamp, words: Words) -> Self {
        Self {
            me: me.to_owned(),
            listed: Vec::new(),
            selected: None,
            top: 0,
            request: None,
            sheet: Sheet::default(),
            mode: Mode::List,
            filter: String::new(),
            notice: String::new(),
            now,
            size: (0, 0),
            words,
        }
    }

    /// Takes requests as they are now. New ones come below, and what is decided stays where it is.
    pub(super) fn take(&mut self, requests: &[Request]) -> Option<Act> {
        for request in requests {
            let is_open = self.request.as_ref().is_some_and(|open| open.id == request.id);
            match self.listed.iter_mut().find(|one| one.id == request.id) {
                Some(one) => one.status = request.status,
                None if request.status == Status::Pending => self.listed.push(listed(request)),
                None => {}
            }
            if is_open {
                self.show(request.clone());
            }
        }
        self.listed.sort_by_key(|one| one.sequence);
        let decided = self.listed.iter().filter(|one| one.status != Status::Pending).count();
        let mut too_many = decided.saturating_sub(KEPT);
        self.listed.retain(|one| {
            let goes = one.status != Status::Pending && too_many > 0;
            too_many -= usize::from(goes);
            !goes || Some(one.id) == self.selected
        });
        self.settle()
    }

    /// The selected request, whole and as it is now.
    pub(super) fn show(&mut self, request: Request) {
        if Some(request.id) != self.selected {
            return;
        }
        let page = Page::of(&request);
        let is_same = self.request.as_ref().is_some_and(|open| open.id == request.id);
        let is_asked = matches!(self.mode, Mode::Confirm(_) | Mode::Deny(_) | Mode::Edit(_));
        if is_same && is_asked && request.status != Status::Pending {
            self.mode = Mode::List;
            self.notice = format!("meanwhile it is {}", fate(&request));
        }
        if let Some(one) = self.listed.iter_mut().find(|one| one.id == request.id) {
            one.status = request.status;
        }
        self.request = Some(request);
        self.sheet.turn(page, is_same);
        self.fit(self.size);
    }

    /// Lays everything out for a window of this size, and notes what is on the screen then.
    pub(super) fn fit(&mut self, size: (u16, u16)) {
        self.size = size;
        if self.is_too_small() {
            self.mode = Mode::List;
            return;
        }
        let heights = self.heights();
        let width = usize::from(size.0);
        self.sheet.fit(width, usize::from(heights.sheet));
        if let Mode::Confirm(question) = &mut self.mode
            && let Some(sheet) = &mut question.sheet
        {
            sheet.fit(width, usize::from(heights.sheet));
        }
        let shown = self.shown();
        let at = shown.iter().position(|one| Some(one.id) == self.selected).unwrap_or(0);
        let room = usize::from(heights.list).max(1);
        let top = self.top.min(shown.len().saturating_sub(room));
        self.top = top.clamp((at + 1).saturating_sub(room), at);
    }

    pub(super) const fn is_too_small(&self) -> bool {
        self.size.0 < SMALLEST.0 || self.size.1 < SMALLEST.1
    }

    /// How many rows each part has: one is the head, and one stands between list and sheet.
    pub(super) const fn heights(&self) -> Heights {
        let height = self.size.1;
        let bottom = match self.mode {
            Mode::Confirm(_) => 4,
            Mode::Deny(_) | Mode::Edit(_) => 3,
            _ => 2,
        };
        let list = match self.mode {
            Mode::List | Mode::Filter(_) | Mode::Help(_) if height >= 16 => height / 4,
            Mode::List | Mode::Filter(_) | Mode::Help(_) => 3,
            _ => 1,
        };
        Heights { list, bottom, sheet: height.saturating_sub(2 + list + bottom) }
    }

    /// The requests that the filter leaves.
    pub(super) fn shown(&self) -> Vec<&Listed> {
        let wanted = self.filter.to_lowercase();
        self.listed.iter().filter(|one| one.searched.contains(&wanted)).collect()
    }

    /// How many wait.
    pub(super) fn waiting(&self) -> usize {
        self.listed.iter().filter(|one| one.status == Status::Pending).count()
    }

    /// Whether something waits that nobody can decide any more.
    pub(super) fn has_expired(&self) -> bool {
        self.listed.iter().any(|one| one.status == Status::Pending && one.expires <= self.now)
    }

    /// How long the selected request can still be decided.
    pub(super) fn left(&self) -> Option<String> {
        let request = self.request.as_ref().filter(|one| one.status == Status::Pending)?;
        Some(if request.expires <= self.now {
            "too late".to_owned()
        } else {
            format!("{} left", left(request, self.now))
        })
    }

    /// The sheet that keys move.
    pub(super) fn before(&mut self) -> &mut Sheet {
        match &mut self.mode {
            Mode::Confirm(question) => match &mut question.sheet {
                Some(sheet) => sheet,
                None => &mut self.sheet,
            },
            _ => &mut self.sheet,
        }
    }

    /// Shows what somebody wrote as it was judged, and asks for consent; or why it cannot be.
    pub(super) fn judged(&mut self, judged: Result<Judged, String>) -> Option<Act> {
        let judged = match judged {
            Ok(judged) => judged,
            Err(why) => {
                self.notice = inert(&why);
                return None;
            }
        };
        let request = self.open_to_decide()?;
        let Judged { modified, entry, texts, risk, reasons } = judged;
        let page = Page::in_place(&modified.tool, &texts, risk.name(), &reasons);
        let left_out = page.left_out();
        let reason = Some("edited".to_owned());
        let reply =
            Reply { modified: Some((modified, entry)), reason, ..self.reply(&request, true) };
        let mut sheet = Sheet::default();
        sheet.turn(page, false);
        let act = self.ask(reply, is_grave(risk), left_out, Some(sheet));
        self.fit(self.size);
        act
    }

    /// What came of an answer.
    pub(super) fn answered(&mut self, request: Request, refusal: Option<&Refusal>) {
        let short = short(request.id);
        self.notice = match refusal {
            Some(Refusal::Decided(_)) => format!("too late: {short} is {}", fate(&request)),
            Some(refusal) => format!("not done: {refusal}"),
            None if request.status == Status::Pending => {
                format!("you agreed to {short}; another person must agree too")
            }
            None => format!("{short} is {}", fate(&request)),
        };
        let _ = self.take(&[request]);
    }

    fn reply(&self, request: &Request, approves: bool) -> Reply {
        Reply {
            id: request.id,
            approver: self.me.clone(),
            origin: "terminal".to_owned(),
            approves,
            action: request.action.clone(),
            reason: None,
            modified: None,
            right: None,
            counts: true,
        }
    }

    fn move_by(&mut self, by: isize) -> Option<Act> {
        let shown = self.shown();
        let at = shown.iter().position(|one| Some(one.id) == self.selected)?;
        let to = at.saturating_add_signed(by).min(shown.len().saturating_sub(1));
        let id = shown.get(to)?.id;
        self.select(id)
    }

    fn select(&mut self, id: Id) -> Option<Act> {
        if self.selected == Some(id) {
            return None;
        }
        self.selected = Some(id);
        self.request = None;
        self.sheet = Sheet::default();
        Some(Act::Load(id))
    }

    /// Keeps something selected that the list shows.
    fn settle(&mut self) -> Option<Act> {
        let shown = self.shown();
        let is_there = shown.iter().any(|one| Some(one.id) == self.selected);
        let first = shown.iter().find(|one| one.status == Status::Pending).or(shown.first());
        let first = first.map(|one| one.id);
        let act = match first {
            _ if is_there => None,
            Some(id) => self.select(id),
            None => {
                self.selected = None;
                self.request = None;
                self.sheet = Sheet::default();
                None
            }
        };
        self.fit(self.size);
        act
    }
}

fn listed(request: &Request) -> Listed {
    let agent = request.agent.as_deref().unwrap_or("an agent");
    let text = format!("{}: {}: {}", inert(agent), inert(&request.tool), gist(request));
    let more = [Some(request.requester.as_str()), request.session.as_deref()];
    let mut searched = format!("{text} {} {}", request.risk.name(), request.id);
    for one in more.into_iter().flatten() {
        searched.push(' ');
        searched.push_str(&inert(one));
    }
    searched.truncate(searched.floor_char_boundary(SEARCHED));
    Listed {
        id: request.id,
        sequence: request.sequence,
        risk: request.risk,
        status: request.status,
        expires: request.expires,
        text,
        searched: searched.to_lowercase(),
    }
}

/// What a request is known by on the screen.
pub(super) fn short(id: Id) -> String {
    id.to_string().get(..8).unwrap_or_default().to_owned()
}

/// What became of a request, and through whom, without what they said: that stands behind a bar.
fn fate(request: &Request) -> String {
    let by = request.approver.as_deref().map(|by| format!(" by `{}`", inert(by)));
    format!("{}{}", became(request.status), by.unwrap_or_default())
}

/// Whether a mistake costs much, so that a key is not enough.
fn is_grave(risk: Risk) -> bool {
    risk.severity().is_none_or(|severity| severity >= Severity::High)
}

/// A word, or a letter that means nothing else here.
fn word(words: &mut Words, is_grave: bool) -> std::io::Result<String> {
    const FREE: &str = "fmrstvz";
    loop {
        let word = words()?;
        if is_grave {
            return Ok(word);
        }
        if let Some(letter) = word.chars().find(|letter| FREE.contains(*letter)) {
            return Ok(letter.to_string());
        }
    }
}
