//! A request as a page for the terminal. Owns what stands on it and in which order, and that nothing of it can pass for words of ours: what
//! came from elsewhere stands behind a bar, on every row that it takes. Where the page is shown, others know.

use jiff::Timestamp;
use portcullis_core::{approval::Status, risk::Severity};
use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use super::duration;
use crate::{
    approvals::Request,
    report::{
        changed::{Change, Changed},
        marked::{Marked, NOT_UNDERSTOOD, Segment},
        visible,
    },
};

/// What stands before every row of what came from elsewhere; no text of ours begins with it.
pub(super) const BAR: &str = "┃ ";

/// The column of the names of what is told in one line.
const LABEL: usize = 12;

/// The fewest columns of text in a row, however narrow the terminal is.
const LEAST: usize = 8;

/// The most marks on one letter: more of them reach into the rows above and below.
const MARKS: usize = 2;

/// How much of a text stands in one line of a list.
const GIST: usize = 300;

/// How a piece of a row looks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Look {
    Plain,
    /// Our headings.
    Heading,
    /// Dangerous, so much.
    Marked(Severity),
    /// Not understood.
    Unclear,
}

/// A piece of a row.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) look: Look,
}

/// One line, of whatever length.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Line {
    /// Ours, before the text.
    label: &'static str,
    /// Whether the text came from elsewhere.
    theirs: bool,
    pieces: Vec<Piece>,
}

/// One row of a terminal.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Row {
    /// Ours, before the bar.
    pub(super) label: String,
    /// Whether a bar stands before the text.
    pub(super) theirs: bool,
    pub(super) pieces: Vec<Piece>,
}

impl Row {
    /// The row as plain text.
    pub(super) fn text(&self) -> String {
        let bar = if self.theirs { BAR } else { "" };
        let pieces: String = self.pieces.iter().map(|piece| piece.text.as_str()).collect();
        format!("{}{bar}{pieces}", self.label).trim_end().to_owned()
    }
}

/// A request, ready to be laid out.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Page {
    lines: Vec<Line>,
    /// How many of the lines must have been on the screen before anybody approves: all that would run.
    needed: usize,
    /// What is left out of what would run.
    left_out: usize,
    /// Whether it can be told at all what would run.
    readable: bool,
}

/// A page in rows of one width.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Rows {
    pub(super) rows: Vec<Row>,
    /// How many of them must have been seen.
    pub(super) needed: usize,
}

impl Page {
    /// What a person decides by.
    pub(super) fn of(request: &Request) -> Self {
        let details = &request.details;
        let mut page = Self { lines: Vec::new(), needed: 0, left_out: 0, readable: true };
        let texts = details.get("texts").cloned().map(serde_json::from_value::<Vec<Marked>>);
        let action = details.pointer("/request/action/parameters");
        match texts {
            Some(Ok(texts)) if action.is_some() => {
                let changes = details.get("changes").cloned().map(serde_json::from_value);
                let changes: Vec<Change> = changes.and_then(Result::ok).unwrap_or_default();
                page.texts(&texts, &changes);
            }
            _ => {
                page.readable = false;
                page.heading("what it says cannot be read, so that nobody can approve it here");
            }
        }
        page.needed = page.lines.len();
        page.rest(request);
        page
    }

    /// What would run in place of something else.
    pub(super) fn in_place(tool: &str, texts: &[Marked], risk: &str, reasons: &[String]) -> Self {
        let mut page = Self { lines: Vec::new(), needed: 0, left_out: 0, readable: true };
        page.heading("what you wrote would run in its place");
        page.told("tool", tool);
        page.ours("risk", risk);
        page.texts(texts, &[]);
        page.needed = page.lines.len();
        page.list("why it would ask", reasons.iter().map(String::as_str));
        page
    }

    /// How many parts of what would run are left out.
    pub(super) const fn left_out(&self) -> usize {
        self.left_out
    }

    /// Whether it can be told what would run.
    pub(super) const fn is_readable(&self) -> bool {
        self.readable
    }

    /// Whether the same would run as another page says.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        self.lines.get(..self.needed) == other.lines.get(..other.needed)
    }

    /// The page on a terminal that is so many columns wide.
    pub(super) fn rows(&self, width: usize) -> Rows {
        let mut rows = Vec::new();
        let mut needed = 0;
        for (at, line) in self.lines.iter().enumerate() {
            wrap(line, width, &mut rows);
            if at < self.needed {
                needed = rows.len();
            }
        }
        Rows { rows, needed }
    }

    /// The page as plain text, a line each where no width is given.
    pub(super) fn text(&self, width: Option<usize>) -> String {
        let rows = self.rows(width.unwrap_or(usize::MAX)).rows;
        rows.iter().map(|row| row.text() + "\n").collect()
    }

    fn texts(&mut self, texts: &[Marked], changes: &[Change]) {
        for Marked { pointer, segments } in texts {
            // Both sides of an edit are told line by line, where the first of them stands.
            if let Some(change) = changes.iter().find(|one| [&one.old, &one.new].contains(&pointer))
            {
                let is_first = texts
                    .iter()
                    .find(|text| [&change.old, &change.new].contains(&&text.pointer))
                    .is_some_and(|text| text.pointer == *pointer);
                if is_first {
                    self.change(change);
                }
                continue;
            }
            let name = pointer.strip_prefix('/').unwrap_or(pointer);
            if texts.len() > 1 || name != "command" {
                self.told("argument", &name.replace("~1", "/").replace("~0", "~"));
            } else {
                self.heading("command");
            }
            self.segments(segments);
        }
    }

    /// An edit: what was, and what is in its place.
    fn change(&mut self, change: &Change) {
        let name =
            |pointer: &str| pointer.trim_start_matches('/').replace("~1", "/").replace("~0", "~");
        self.told("edit", &format!("- {}, + {}", name(&change.old), name(&change.new)));
        for Changed { sign, segments } in &change.lines {
            let sign = Segment {
                text: format!("{sign} "),
                severity: None,
                rules: String::new(),
                left_out: false,
            };
            let line: Vec<Segment> =
                std::iter::once(sign).chain(segments.iter().cloned()).collect();
            self.segments(&line);
        }
    }

    /// A text, with its own lines.
    fn segments(&mut self, segments: &[Segment]) {
        let mut pieces = Vec::new();
        let mut rules: Vec<String> = Vec::new();
        for segment in segments {
            if segment.left_out {
                self.push_theirs(std::mem::take(&mut pieces));
                self.left_out += 1;
                self.heading(&format!("  left out here: {}", inert(segment.text.trim())));
                continue;
            }
            let look = match segment.severity {
                None => Look::Plain,
                Some(_) if segment.rules == NOT_UNDERSTOOD => Look::Unclear,
                Some(severity) => Look::Marked(severity),
            };
            if let Some(severity) = segment.severity {
                for rule in segment.rules.split(' ') {
                    let told = if rule == NOT_UNDERSTOOD {
                        "not understood".to_owned()
                    } else {
                        format!("{} ({})", visible::line(rule), severity.name())
                    };
                    if !rules.contains(&told) {
                        rules.push(told);
                    }
                }
                piece(&mut pieces, "»", look);
            }
            let mut lines = segment.text.split('\n');
            piece(&mut pieces, &inert(lines.next().unwrap_or_default()), look);
            for line in lines {
                self.push_theirs(std::mem::take(&mut pieces));
                piece(&mut pieces, &inert(line), look);
            }
            if segment.severity.is_some() {
                piece(&mut pieces, "«", look);
            }
        }
        self.push_theirs(pieces);
        if !rules.is_empty() {
            self.ours("marked", &rules.join(", "));
        }
    }

    fn rest(&mut self, request: &Request) {
        let details = &request.details;
        let told = |pointer: &str| details.pointer(pointer).and_then(Value::as_str);
        let fact = |pointer: &str| details.pointer(pointer).and_then(Value::as_bool);
        let list = |pointer: &str| -> Vec<String> {
            let found = details.pointer(pointer).and_then(Value::as_array);
            found.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        self.ours("risk", request.risk.name());
        let undone = match fact("/request/action/reversible") {
            Some(true) => "can be undone",
            _ => "cannot be undone",
        };
        self.ours("afterwards", undone);
        if fact("/understood") != Some(true) {
            self.ours("understood", "in part: it could do more than is told here");
        }
        if request.needed > 1 {
            self.ours("people", &format!("{} must agree", request.needed));
            if request.agreed.is_empty() {
                self.ours("agreed", "nobody yet");
            }
            for vote in &request.agreed {
                self.told("agreed", &format!("{} ({})", vote.approver, vote.origin));
            }
        }
        self.told("tool", &request.tool);
        self.told("agent", request.agent.as_deref().unwrap_or("without a name"));
        if let Some(summary) = told("/summary") {
            self.told("it claims", summary);
        }
        if let Some(cwd) = told("/cwd") {
            self.told("runs in", cwd);
        }
        for (heading, pointer) in [
            ("why it asks", "/reasons"),
            ("what it would do", "/effects"),
            ("what it touches", "/resources"),
            ("before you agree", "/recommendations"),
        ] {
            self.list(heading, list(pointer).iter().map(String::as_str));
        }
        match told("/always") {
            Some(rules) => self.told("always", rules),
            None => self.ours("always", "nothing: there is no rule for such calls"),
        }
        if let Some(alike) = request.alike() {
            self.told("its like", &alike.words);
        }
        if let Some(session) = &request.session {
            self.told("session", session);
        }
        self.told("asked by", &request.requester);
        self.ours("asked at", &format!("{:.0}", request.asked));
        self.ours("record", &request.sequence.to_string());
        self.ours("request", &request.id.to_string());
        self.told("action", &request.action);
        if request.status != Status::Pending {
            self.ours("decided", became(request.status));
            if let Some(approver) = &request.approver {
                let origin = request.origin.as_deref().unwrap_or("unknown");
                self.told("by", &format!("{approver} ({origin})"));
            }
        }
        if let Some(modified) = &request.modified {
            self.told("in its place", &format!("{}: {}", modified.tool, modified.arguments));
        }
        if let Some(reason) = &request.reason {
            self.told("reason", reason);
        }
    }

    fn heading(&mut self, text: &str) {
        let pieces = vec![Piece { text: text.to_owned(), look: Look::Heading }];
        self.lines.push(Line { label: "", theirs: false, pieces });
    }

    fn ours(&mut self, label: &'static str, text: &str) {
        let pieces = vec![Piece { text: text.to_owned(), look: Look::Plain }];
        self.lines.push(Line { label, theirs: false, pieces });
    }

    fn told(&mut self, label: &'static str, text: &str) {
        let pieces = vec![Piece { text: inert(text), look: Look::Plain }];
        self.lines.push(Line { label, theirs: true, pieces });
    }

    fn list<'a>(&mut self, heading: &str, texts: impl Iterator<Item = &'a str>) {
        let mut texts = texts.peekable();
        if texts.peek().is_some() {
            self.heading(heading);
        }
        for text in texts {
            self.push_theirs(vec![Piece { text: inert(text), look: Look::Plain }]);
        }
    }

    fn push_theirs(&mut self, pieces: Vec<Piece>) {
        self.lines.push(Line { label: "", theirs: true, pieces });
    }
}

/// What became of a request, in a word or two.
pub(super) const fn became(status: Status) -> &'static str {
    match status {
        Status::Pending => "waits",
        Status::Approved => "approved",
        Status::Denied => "denied",
        Status::TimedOut => "expired",
        Status::Cancelled => "taken back",
        Status::AutoApproved => "let through by the policy",
        Status::AutoDenied => "refused by the policy",
    }
}

/// How long it can still be decided.
pub(super) fn left(request: &Request, now: Timestamp) -> String {
    duration::words(request.expires.duration_since(now))
}

/// What is asked about, in one line: the text with the worst in it.
pub(super) fn gist(request: &Request) -> String {
    let texts = request.details.get("texts").and_then(Value::as_array);
    let is_marked = |text: &&Value| {
        let segments = text.get("segments").and_then(Value::as_array);
        segments.into_iter().flatten().any(|segment| segment.get("severity").is_some())
    };
    let texts = texts.map(Vec::as_slice).unwrap_or_default();
    let worst = texts.iter().find(is_marked).or_else(|| texts.first());
    let segments = worst.and_then(|text| text.get("segments")).and_then(Value::as_array);
    let mut gist = String::new();
    for segment in segments.into_iter().flatten() {
        let text = segment.get("text").and_then(Value::as_str).unwrap_or_default();
        gist.push_str(text);
        if gist.len() > GIST {
            let end = gist.floor_char_boundary(GIST);
            gist.truncate(end);
            gist.push('…');
            break;
        }
    }
    inert(&gist)
}

fn piece(pieces: &mut Vec<Piece>, text: &str, look: Look) {
    match pieces.last_mut() {
        Some(last) if last.look == look => last.text.push_str(text),
        _ => pieces.push(Piece { text: text.to_owned(), look }),
    }
}

/// A text on one line, in which nothing moves a cursor, hides, or passes for a mark of ours.
pub(super) fn inert(text: &str) -> String {
    let spaced = text.replace('\t', "    ");
    let seen = visible::line(&spaced);
    let mut inert = String::with_capacity(seen.len());
    for cluster in seen.graphemes(true) {
        let mut marks = 0;
        for (at, character) in cluster.chars().enumerate() {
            let mut buffer = [0; 4];
            let is_mark = at > 0 && character.encode_utf8(&mut buffer).width() == 0;
            marks += usize::from(is_mark);
            let is_alone = at == 0 && character.encode_utf8(&mut buffer).width() == 0;
            if matches!(character, '»' | '«') || is_alone || is_mark && marks > MARKS {
                inert.extend(character.escape_unicode());
            } else {
                inert.push(character);
            }
        }
    }
    inert
}

/// Cuts a line into rows, between words where that loses little, and loses nothing.
fn wrap(line: &Line, width: usize, rows: &mut Vec<Row>) {
    let label = if line.label.is_empty() { 0 } else { LABEL };
    let bar = if line.theirs { BAR.width() } else { 0 };
    let room = width.saturating_sub(label + bar).max(LEAST);
    let mut row =
        Row { label: format!("{:<label$}", line.label), theirs: line.theirs, pieces: vec![] };
    let mut used = 0;
    for Piece { text, look } in &line.pieces {
        for word in text.split_word_bounds() {
            let length = word.width();
            // A word that fits into a row of its own is not torn apart, unless that leaves most of this one empty.
            if used + length > room && length <= room && used * 2 > room && !word.trim().is_empty()
            {
                next(&mut row, label, rows);
                used = 0;
            }
            for cluster in word.graphemes(true) {
                let length = cluster.width();
                if used + length > room {
                    next(&mut row, label, rows);
                    used = 0;
                }
                piece(&mut row.pieces, cluster, *look);
                used += length;
            }
        }
    }
    rows.push(row);
}

/// Puts a row that is full away, and begins the one after it.
fn next(row: &mut Row, label: usize, rows: &mut Vec<Row>) {
    let theirs = row.theirs;
    let empty = Row { label: " ".repeat(label), theirs, pieces: Vec::new() };
    rows.push(std::mem::replace(row, empty));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        let pieces = vec![Piece { text: inert(text), look: Look::Plain }];
        Line { label: "", theirs: true, pieces }
    }

    fn texts(line: &Line, width: usize) -> Vec<String> {
        let mut rows = Vec::new();
        wrap(line, width, &mut rows);
        rows.iter().map(Row::text).collect()
    }

    #[test]
    fn every_row_of_what_came_from_elsewhere_stands_behind_a_bar_and_fits() {
        for text in [
            "x".repeat(500),
            " ".repeat(500),
            "wide 漢字漢字漢字漢字漢字漢字漢字".to_owned(),
            "a\u{202e}b\u{1b}[2Jc\rd\te\u{7f}".to_owned(),
            format!("z{}", "\u{301}".repeat(300)),
            "e\u{301}\u{302} »forged« ━━━━━━ ┃ ours".to_owned(),
            "👩\u{200d}👩\u{200d}👧 🏳\u{fe0f} 🇩🇪 \u{301}".to_owned(),
        ] {
            for width in [10, 12, 26, 40, 79] {
                let mut rows = Vec::new();
                wrap(&line(&text), width, &mut rows);
                let mut joined = String::new();
                for row in &rows {
                    let shown: String = row.pieces.iter().map(|one| one.text.as_str()).collect();
                    assert!(row.theirs && shown.width() + 2 <= width.max(LEAST + 2), "{shown:?}");
                    assert!(!shown.contains(['»', '«', '\u{1b}', '\u{202e}', '\r', '\t']));
                    joined.push_str(&shown);
                }
                assert_eq!(joined, inert(&text), "nothing is lost at {width}");
            }
        }
    }

    #[test]
    fn words_stay_whole_where_that_loses_little() {
        assert_eq!(texts(&line("one two three four"), 12), ["┃ one two", "┃ three four"]);
        assert_eq!(texts(&line("a /very/long/path/of/it"), 12).len(), 3);
    }

    #[test]
    fn marks_that_tower_are_written_out() {
        assert_eq!(inert("e\u{301}"), "e\u{301}");
        assert_eq!(inert("e\u{301}\u{302}\u{303}"), "e\u{301}\u{302}\\u{303}");
        assert_eq!(inert("\u{301}"), "\\u{301}");
    }
}
