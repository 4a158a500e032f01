//! A request as a message of Slack. Owns what stands in it, how long each part may be, and whether somebody who sees nothing else may agree to it: nobody
//! does to what is not shown whole.
//!
//! What is an agent's stands in plain text alone, where nothing is a link, a mention or a picture; what hides is written out.

use jiff::SignedDuration;
use portcullis_core::{approval::Status, risk::Severity};
use serde_json::{Value, json};

use crate::{
    approvals::{Id, Request, joined, waited_words},
    report::visible,
};

/// The longest text of a block, in the units in which Slack counts at most.
const LONGEST: usize = 3_000;

/// How many blocks show what would run, and how many what was found about it.
const TEXTS: usize = 10;
const NOTES: usize = 6;

/// The longest of what is only told, and not agreed to.
const LONGEST_WORDS: usize = 600;

/// What the buttons are called, and how much of the hash of an action they carry.
const APPROVE: &str = "portcullis_approve";
const DENY: &str = "portcullis_deny";
const OPEN: &str = "portcullis_open";
const PIECE: usize = 16;

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Message {
    /// For where blocks are not shown.
    pub(super) text: String,
    pub(super) blocks: Vec<Value>,
}

/// What somebody chose by a button.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::gateway) struct Chosen<'a> {
    pub(in crate::gateway) approves: bool,
    pub(in crate::gateway) request: Id,
    piece: &'a str,
}

impl Chosen<'_> {
    /// Whether it is about this very action.
    pub(in crate::gateway) fn is_about(&self, request: &Request) -> bool {
        piece(request) == self.piece
    }
}

/// What a button stands for; nothing where it decides nothing.
pub(in crate::gateway) fn chosen<'a>(action: &str, value: &'a str) -> Option<Chosen<'a>> {
    let approves = match action {
        APPROVE => true,
        DENY => false,
        _ => return None,
    };
    let (request, piece) = value.split_once('.')?;
    (piece.len() == PIECE).then_some(Chosen { approves, request: request.parse().ok()?, piece })
}

fn piece(request: &Request) -> &str {
    let hash = request.action.rsplit(':').next().unwrap_or_default();
    hash.get(..PIECE).unwrap_or_default()
}

/// Somebody asks.
pub(super) fn asked(
    request: &Request,
    link: &str,
    up_to: Severity,
    waited: Option<SignedDuration>,
) -> Message {
    let told = Told::of(request);
    let title = title(request);
    let mut blocks = vec![section(&title)];
    blocks.extend(waited.map(|waited| section(&waited_words(waited))));
    blocks.extend(told.texts.iter().map(|text| block(text)));
    blocks.extend(told.notes.iter().map(|text| block(text)));
    if !told.is_whole {
        blocks.push(section("This is not all of it: it is too long to be shown here. Open the request to read it whole."));
    }
    let expires = request.expires.strftime("%H:%M:%S UTC on %-d %B");
    let two = if request.needed > 1 { "Two people must agree. " } else { "" };
    blocks.push(section(&format!("{two}No answer until {expires} is a no.")));
    let mut buttons = Vec::new();
    if is_decided_here(request, up_to) {
        let value = format!("{}.{}", request.id, piece(request));
        if told.is_whole {
            buttons.push(button(APPROVE, "Approve", "primary", &value));
        }
        buttons.push(button(DENY, "Deny", "danger", &value));
    }
    buttons.push(json!({ "type": "button", "action_id": OPEN, "text": plain_text("Open the request"), "url": link }));
    blocks.push(json!({ "type": "actions", "block_id": "portcullis", "elements": buttons }));
    Message { text: escaped(&title), blocks }
}

/// What became of it, in place of what was said before.
pub(super) fn decided(request: &Request, link: &str, by: &str) -> Message {
    let by = cut(&visible::line(by), LONGEST_WORDS);
    let word = match request.status {
        Status::Approved => format!("Approved by {by}."),
        Status::Denied => format!("Denied by {by}."),
        Status::TimedOut => "Nobody decided in time, which is a no.".to_owned(),
        Status::Cancelled => "Taken back by whoever asked.".to_owned(),
        Status::AutoApproved => "Let through by the approval policy.".to_owned(),
        Status::AutoDenied => "Denied by the approval policy.".to_owned(),
        Status::Pending => "It waits.".to_owned(),
    };
    let word = match &request.modified {
        Some(_) if request.status == Status::Approved => {
            format!("{word} Something else runs in its place: open the request to see what.")
        }
        _ => word,
    };
    let reason = request.reason.as_deref().filter(|_| !by.is_empty());
    let reason = reason.map(|reason| format!("\n“{}”", cut(&visible::line(reason), LONGEST_WORDS)));
    let title = title(request);
    let said = format!("{word}{}", reason.unwrap_or_default());
    let open = json!({ "type": "button", "action_id": OPEN, "text": plain_text("Open the request"), "url": link });
    let mut blocks = vec![section(&said), section(&title)];
    let first = request.details.get("texts").and_then(Value::as_array).and_then(|all| all.first());
    let first = first.map(|text| cut(&joined(text), LONGEST_WORDS)).filter(|text| !text.is_empty());
    blocks.extend(first.map(|text| section(&text)));
    blocks.push(json!({ "type": "actions", "block_id": "portcullis", "elements": [open] }));
    Message { text: escaped(&format!("{word} {title}")), blocks }
}

/// Whether a request is one of those that are decided in a chat at all.
pub(in crate::gateway) fn is_decided_here(request: &Request, up_to: Severity) -> bool {
    // What is not known may be critical, and who loosens the policy looks at the page.
    let is_policy = request.details.get("policy").is_some_and(|policy| !policy.is_null());
    !is_policy && request.risk.severity().is_some_and(|risk| risk <= up_to)
}

/// Why a button counts for nothing here, in words.
pub(in crate::gateway) fn is_shown_whole(
    request: &Request,
    up_to: Severity,
    approves: bool,
) -> Result<(), String> {
    if !is_decided_here(request, up_to) {
        return Err(format!("what is {} is decided on the page", request.risk.name()));
    }
    if approves && !Told::of(request).is_whole {
        return Err("it is too long to be shown here, and is approved on the page".to_owned());
    }
    Ok(())
}

fn title(request: &Request) -> String {
    let agent = request.agent.as_deref().unwrap_or("an agent");
    let words = |text: &str| cut(&visible::line(text), 200);
    let project = request.project.as_deref().map(|name| format!(" in {}", words(name)));
    format!(
        "{}{} asks to use {}: risk {}",
        words(agent),
        project.unwrap_or_default(),
        words(&request.tool),
        request.risk.name()
    )
}

/// What is shown of a request.
struct Told {
    /// What would run, and what was found about it, each fit for a block.
    texts: Vec<String>,
    notes: Vec<String>,
    /// Whether nothing of it is left out.
    is_whole: bool,
}

impl Told {
    fn of(request: &Request) -> Self {
        let details = &request.details;
        let list = |name: &str| details.get(name).and_then(Value::as_array).into_iter().flatten();
        let mut texts = Vec::new();
        for text in list("texts") {
            let name = text.get("in").and_then(Value::as_str).unwrap_or_default();
            let name = cut(&visible::line(name.trim_start_matches('/')), 100);
            // It was made visible when it was asked; what hides in it now was put there since.
            let whole = visible::lines(&joined(text)).into_owned();
            texts.extend(pieces(&format!("{name}:\n{whole}")));
        }
        let mut lines: Vec<String> = Vec::new();
        for finding in list("findings") {
            let word = |name: &str| finding.get(name).and_then(Value::as_str).unwrap_or_default();
            lines.push(format!("! {}: {}", word("severity"), visible::line(word("message"))));
        }
        let word = |value: &Value| value.as_str().map(|text| visible::line(text).into_owned());
        lines.extend(list("reasons").filter_map(word).map(|reason| format!("- {reason}")));
        lines.extend(list("files").filter_map(word).map(|file| format!("starts {file}")));
        if details.get("understood").and_then(Value::as_bool) == Some(false) {
            lines.push("Not all of it was understood.".to_owned());
        }
        for (name, words) in
            [("cwd", "in the directory"), ("summary", "the agent says, and nobody checked:")]
        {
            let text = details.get(name).and_then(word);
            lines.extend(text.map(|text| format!("{words} {text}")));
        }
        let mut notes = pieces(&lines.join("\n"));
        let is_whole = request.is_shown_whole() && texts.len() <= TEXTS && notes.len() <= NOTES;
        texts.truncate(TEXTS);
        notes.truncate(NOTES);
        Self { texts, notes, is_whole }
    }
}

/// A text in pieces of which each fits a block once it is escaped, and none ends within a character's escape. Escaped already.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let (mut piece, mut length) = (String::new(), 0);
    let mut buffer = [0; 4];
    for character in text.chars() {
        let written = written(character, &mut buffer);
        let units = written.encode_utf16().count();
        if length + units > LONGEST {
            pieces.push(std::mem::take(&mut piece));
            length = 0;
        }
        piece.push_str(written);
        length += units;
    }
    // A block of nothing is none.
    if !piece.trim().is_empty() {
        pieces.push(piece);
    }
    pieces
}

fn written(character: char, buffer: &mut [u8; 4]) -> &str {
    match character {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        other => other.encode_utf8(buffer),
    }
}

/// Words of which nothing is a link or a mention, no longer than a block.
pub(super) fn escaped(words: &str) -> String {
    pieces(words).into_iter().next().unwrap_or_default()
}

/// The same with what hides written out, on one line.
pub(in crate::gateway) fn plain(words: &str) -> String {
    escaped(&visible::line(words))
}

fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(most);
    format!("{} …", text.get(..end).unwrap_or_default())
}

fn section(words: &str) -> Value {
    block(&escaped(words))
}

/// A block of a text that is escaped.
fn block(text: &str) -> Value {
    json!({ "type": "section", "text": plain_text(text) })
}

fn plain_text(text: &str) -> Value {
    json!({ "type": "plain_text", "text": text, "emoji": false })
}

fn button(action: &str, words: &str, style: &str, value: &str) -> Value {
    json!({ "type": "button", "action_id": action, "text": plain_text(words), "style": style, "value": value })
}

#[cfg(test)]
mod tests;
