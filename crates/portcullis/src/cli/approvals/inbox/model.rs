//! What the inbox shows and what a key does in it. Owns the state of the view; it reads no store, no clock and no terminal, and what is to be
//! done it gives to its caller.

use jiff::Timestamp;
use portcullis_core::{
    approval::{Refusal, Status},
    risk::{Risk, Severity},
};
use serde_json::{Map, Value};

use super::{
    super::page::{Page, Rows, became, gist, inert, left},
    field::Field,
    keys::Key,
};
use crate::{
    approvals::{Id, Modified, Reply, Request},
    audit::Entry,
    report::marked::Marked,
};

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

/// A page on the screen.
#[derive(Clone, Debug, Default)]
pub(super) struct Sheet {
    page: Option<Page>,
    pub(super) rows: Rows,
    width: usize,
    pub(super) height: usize,
    pub(super) top: usize,
    /// How many rows from the first on were on the screen.
    seen: usize,
    has_seen_all: bool,
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

    /// Does what a key does.
    pub(super) fn press(&mut self, key: &Key) -> Option<Act> {
        if *key == Key::Control('c') {
            return Some(Act::Quit);
        }
        if self.is_too_small() {
            return (*key == Key::Letter('q')).then_some(Act::Quit);
        }
        let act = match &self.mode {
            Mode::List | Mode::Read => self.look(key),
            Mode::Help(top) => {
                self.mode = match key {
                    Key::Letter('j' | ' ') | Key::Down | Key::PageDown => Mode::Help(top + 1),
                    Key::Letter('k') | Key::Up | Key::PageUp => Mode::Help(top.saturating_sub(1)),
                    _ => Mode::List,
                };
                None
            }
            Mode::Filter(_) => self.find(key),
            Mode::Deny(_) => self.deny(key),
            Mode::Edit(_) => self.write(key),
            Mode::Confirm(_) => self.consent(key),
        };
        self.fit(self.size);
        act
    }

    /// What a key does where nothing is written.
    fn look(&mut self, key: &Key) -> Option<Act> {
        if !matches!(key, Key::Pasted(_) | Key::Other) {
            self.notice.clear();
        }
        let is_read = matches!(self.mode, Mode::Read);
        match key {
            Key::Letter('q') => return Some(Act::Quit),
            Key::Letter('?') => self.mode = Mode::Help(0),
            Key::Letter('/') => self.mode = Mode::Filter(Field::line(LONGEST_FILTER)),
            Key::Letter('j') | Key::Down if is_read => self.sheet.scroll(1),
            Key::Letter('k') | Key::Up if is_read => self.sheet.scroll(-1),
            Key::Letter('j') | Key::Down => return self.move_by(1),
            Key::Letter('k') | Key::Up => return self.move_by(-1),
            Key::Letter(' ') | Key::PageDown | Key::Control('f') => self.sheet.turn_over(1),
            Key::Letter('b') | Key::PageUp | Key::Control('b') => self.sheet.turn_over(-1),
            Key::Letter('g') | Key::Home => self.sheet.scroll(isize::MIN),
            Key::Letter('G') | Key::End => self.sheet.scroll(isize::MAX),
            Key::Letter('n') => return self.move_by(1),
            Key::Letter('p') => return self.move_by(-1),
            Key::Enter | Key::Letter('l') | Key::Right if self.request.is_some() => {
                self.mode = Mode::Read;
            }
            Key::Letter('h') | Key::Left | Key::Escape if is_read => self.mode = Mode::List,
            Key::Escape if !self.filter.is_empty() => {
                self.filter.clear();
                return self.settle();
            }
            Key::Letter('c') => {
                let selected = self.selected;
                self.listed.retain(|one| one.status == Status::Pending || Some(one.id) == selected);
            }
            Key::Letter('a') => return self.approve(),
            Key::Letter('d') if self.open_to_decide().is_some() => {
                self.mode = Mode::Deny(Field::line(LONGEST_REASON));
            }
            Key::Letter('e') => self.edit(),
            Key::Pasted(_) => self.notice = "what is pasted decides nothing".to_owned(),
            _ => {}
        }
        None
    }

    /// The selected request, where it can be decided here; else it is said why not.
    fn open_to_decide(&mut self) -> Option<Request> {
        let request = self.request.clone().filter(|one| Some(one.id) == self.selected)?;
        if request.status != Status::Pending {
            self.notice = format!("it is {}", fate(&request));
            return None;
        }
        if request.expires <= self.now {
            self.notice = "it is too late: nobody decided in time".to_owned();
            return None;
        }
        Some(request)
    }

    fn approve(&mut self) -> Option<Act> {
        let request = self.open_to_decide()?;
        let page = self.sheet.page.as_ref()?;
        if !page.is_readable() {
            self.notice = "what it says cannot be read, so that it cannot be approved".to_owned();
            return None;
        }
        if request.agreed.iter().any(|vote| vote.approver == self.me) {
            self.notice = "you agreed already: another person must agree too".to_owned();
            return None;
        }
        let unseen = self.sheet.unseen();
        if unseen > 0 {
            let rows = if unseen == 1 { "row" } else { "rows" };
            self.notice = format!("read it first: {unseen} more {rows} (Space, or Enter to open)");
            return None;
        }
        if page.left_out() > 0 {
            self.notice =
                "a part of it is left out here, so that nobody can approve it: deny it, or edit it"
                    .to_owned();
            return None;
        }
        let (left_out, is_grave) = (page.left_out(), is_grave(request.risk));
        let reply = self.reply(&request, true);
        self.ask(reply, is_grave, left_out, None)
    }

    /// Asks for consent, with a key or a word that nobody can foresee.
    fn ask(
        &mut self,
        reply: Reply,
        is_grave: bool,
        left_out: usize,
        sheet: Option<Sheet>,
    ) -> Option<Act> {
        let word = match word(&mut self.words, is_grave) {
            Ok(word) => word,
            Err(error) => {
                self.notice = format!("it cannot be asked for your consent: {error}");
                return None;
            }
        };
        let question = Question { word, typed: String::new(), reply, is_grave, sheet, left_out };
        self.mode = Mode::Confirm(Box::new(question));
        self.before().scroll(isize::MIN);
        Some(Act::Forget)
    }

    fn consent(&mut self, key: &Key) -> Option<Act> {
        let Mode::Confirm(question) = &mut self.mode else { return None };
        match key {
            // The key that asked for it is still held down.
            Key::Letter('a') if question.typed.is_empty() => return None,
            Key::Letter(letter) => {
                question.typed.push(*letter);
                if question.typed == question.word {
                    let reply = question.reply.clone();
                    self.mode = Mode::List;
                    return Some(Act::Answer(Box::new(reply)));
                }
                if question.word.starts_with(&question.typed) {
                    return None;
                }
            }
            Key::Up => {
                self.before().scroll(-1);
                return None;
            }
            Key::Down => {
                self.before().scroll(1);
                return None;
            }
            Key::PageUp => {
                self.before().turn_over(-1);
                return None;
            }
            Key::PageDown => {
                self.before().turn_over(1);
                return None;
            }
            _ => {}
        }
        self.mode = Mode::List;
        self.notice = "it was not approved; it still waits".to_owned();
        Some(Act::Forget)
    }

    fn deny(&mut self, key: &Key) -> Option<Act> {
        let Mode::Deny(field) = &mut self.mode else { return None };
        match key {
            Key::Escape => self.mode = Mode::List,
            Key::Enter => {
                let reason = field.text().trim().to_owned();
                self.mode = Mode::List;
                let request = self.open_to_decide()?;
                let reason = Some(reason).filter(|reason| !reason.is_empty());
                let reply = Reply { reason, ..self.reply(&request, false) };
                return Some(Act::Answer(Box::new(reply)));
            }
            key => field.press(key),
        }
        None
    }

    fn find(&mut self, key: &Key) -> Option<Act> {
        let Mode::Filter(field) = &mut self.mode else { return None };
        match key {
            Key::Escape => {
                self.filter.clear();
                self.mode = Mode::List;
            }
            Key::Enter => self.mode = Mode::List,
            key => {
                field.press(key);
                self.filter = field.text();
            }
        }
        self.settle()
    }

    fn edit(&mut self) {
        let Some(request) = self.open_to_decide() else { return };
        if request.needed > 1 {
            self.notice =
                "two people must agree to the same: deny it, and let it be asked anew".to_owned();
            return;
        }
        let Some((text, only)) = editable(&request) else {
            self.notice = "a part of it is left out here, so that it cannot be edited".to_owned();
            return;
        };
        self.mode = Mode::Edit(Edit { field: Field::lines(&text, LONGEST_EDIT), only });
    }

    fn write(&mut self, key: &Key) -> Option<Act> {
        let Mode::Edit(edit) = &mut self.mode else { return None };
        match key {
            Key::Escape => {
                self.mode = Mode::List;
                self.notice = "nothing was changed".to_owned();
            }
            Key::Control('s') => {
                let text = edit.field.text();
                let arguments = match &edit.only {
                    Some(name) => Some(Map::from_iter([(name.clone(), Value::String(text))])),
                    None => serde_json::from_str::<Map<String, Value>>(&text).ok(),
                };
                let Some(arguments) = arguments else {
                    self.notice = "this is no JSON object".to_owned();
                    return None;
                };
                self.notice.clear();
                let request = self.open_to_decide()?;
                return Some(Act::Judge(Box::new(request), arguments));
            }
            key => edit.field.press(key),
        }
        None
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

impl Sheet {
    /// Puts another page in place; of one and the same request what was seen stays seen.
    fn turn(&mut self, page: Page, is_same: bool) {
        if is_same && self.page.as_ref() == Some(&page) {
            return;
        }
        let is_known = is_same
            && self.has_seen_all
            && self.page.as_ref().is_some_and(|old| old.says_the_same(&page));
        let top = if is_same { self.top } else { 0 };
        *self = Self { page: Some(page), has_seen_all: is_known, top, ..Self::default() };
    }

    fn fit(&mut self, width: usize, height: usize) {
        let Some(page) = &self.page else { return };
        if self.width != width {
            self.rows = page.rows(width);
            self.width = width;
            self.seen = 0;
        }
        self.height = height;
        self.top = self.top.min(self.rows.rows.len().saturating_sub(height));
        // What is scrolled to without what stands before it was not read.
        if self.top <= self.seen {
            self.seen = self.seen.max(self.top + height);
        }
        self.has_seen_all |= self.seen >= self.rows.needed;
    }

    /// How many rows of what would run were not on the screen yet.
    fn unseen(&self) -> usize {
        if self.has_seen_all { 0 } else { self.rows.needed.saturating_sub(self.seen).max(1) }
    }

    fn scroll(&mut self, by: isize) {
        let last = self.rows.rows.len().saturating_sub(self.height);
        self.top = self.top.saturating_add_signed(by).min(last);
    }

    /// A screen on or back, with one row of the last.
    fn turn_over(&mut self, by: isize) {
        let rows = isize::try_from(self.height.saturating_sub(1).max(1)).unwrap_or(1);
        self.scroll(by.saturating_mul(rows));
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

/// What is given to be edited: the one text that there is, or all arguments as JSON; nothing where a part is left out.
fn editable(request: &Request) -> Option<(String, Option<String>)> {
    let texts = request.details.get("texts")?.clone();
    let texts: Vec<Marked> = serde_json::from_value(texts).ok()?;
    let mut parameters = request.details.pointer("/request/action/parameters")?.clone();
    for Marked { pointer, segments } in &texts {
        if segments.iter().any(|segment| segment.left_out) {
            return None;
        }
        let whole: String = segments.iter().map(|segment| segment.text.as_str()).collect();
        match parameters.pointer_mut(pointer) {
            Some(Value::String(text)) => *text = whole,
            Some(_) => {}
            None => return None,
        }
    }
    let fields = parameters.as_object()?;
    match (fields.len(), fields.iter().next()) {
        (1, Some((name, Value::String(text)))) => Some((text.clone(), Some(name.clone()))),
        _ => Some((serde_json::to_string_pretty(&parameters).ok()?, None)),
    }
}
