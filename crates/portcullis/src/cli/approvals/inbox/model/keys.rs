//! Keys in each mode of the inbox: looking, consenting, denying, seeking, editing. Owns what each does.

use portcullis_core::approval::Status;
use serde_json::{Map, Value};

use super::{
    super::{field::Field, keys::Key},
    Act, Edit, Inbox, LONGEST_EDIT, LONGEST_FILTER, LONGEST_REASON, Mode, Question, fate, is_grave,
    sheet::Sheet,
    word,
};
use crate::{
    approvals::{Reply, Request},
    report::marked::Marked,
};

impl Inbox {
    /// Does what a key does.
    pub(in super::super) fn press(&mut self, key: &Key) -> Option<Act> {
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
    pub(super) fn open_to_decide(&mut self) -> Option<Request> {
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
    pub(super) fn ask(
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

    pub(super) fn find(&mut self, key: &Key) -> Option<Act> {
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
