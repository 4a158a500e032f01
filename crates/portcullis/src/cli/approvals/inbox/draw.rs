//! The inbox on a screen. Owns where everything stands and in which colours; what is shown, the model knows.
//!
//! ```text
//! head      how many wait, what is filtered, who one is
//! list      a row each: our columns, a bar, what came from elsewhere
//! title     the selected request and how long it lasts
//! sheet     the request: what came from elsewhere behind a bar, on every row
//! bottom    what is to be told, or what is asked, and the keys
//! ```
//!
//! Only the bar's columns and what stands left of it, the head, the title and the bottom are ours, and no text from elsewhere gets there.

use portcullis_core::{
    approval::Status,
    risk::{Risk, Severity},
};
use ratatui_core::{
    buffer::Buffer,
    layout::Position,
    style::{Color, Modifier, Style},
    terminal::Frame,
};
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use super::{
    super::page::{BAR, Look, Row, inert},
    field::Field,
    model::{Edit, Inbox, Listed, Mode, Question, SMALLEST, Sheet, short},
};

/// The columns of a row of the list before the bar.
const STATE: usize = 9;
const RISK: usize = 9;

const HELP: &[&str] = &[
    "j k, arrows    the next request, the one before; rows where one is open",
    "n p            the next request, the one before, always",
    "Enter l        open the request; h or Esc goes back",
    "Space b g G    a screen on, back, to the beginning, to the end",
    "a              approve, once; then the key or word that is shown",
    "d              deny, with a reason that the agent is told",
    "e              edit; what you write is judged, then approve it",
    "/              show only what has these words in it; Esc ends that",
    "c              take what is decided off the list",
    "q              quit; what waits goes on waiting",
    "",
    "Behind the bar ┃ stands what came from elsewhere, and nothing else.",
    "What is dangerous stands between » and «.",
    "Nothing is approved that was not on the screen to its end.",
];

/// Draws the whole view.
pub(super) fn draw(inbox: &Inbox, frame: &mut Frame<'_>, coloured: bool) {
    let area = frame.area();
    let mut canvas = Canvas {
        width: usize::from(area.width),
        height: area.height,
        coloured,
        cursor: None,
        buffer: frame.buffer_mut(),
    };
    canvas.view(inbox);
    if let Some(cursor) = canvas.cursor {
        frame.set_cursor_position(cursor);
    }
}

struct Canvas<'a> {
    buffer: &'a mut Buffer,
    width: usize,
    height: u16,
    coloured: bool,
    cursor: Option<Position>,
}

impl Canvas<'_> {
    fn view(&mut self, inbox: &Inbox) {
        if inbox.is_too_small() {
            let (columns, rows) = SMALLEST;
            self.put(0, 0, "too small", Style::new());
            self.put(0, 1, &format!("{columns}x{rows} it takes; q quits"), Style::new());
            return;
        }
        let heights = inbox.heights();
        self.head(inbox);
        self.list(inbox, 1, heights.list);
        let title = 1 + heights.list;
        let begin = title + 1;
        let bottom = begin + heights.sheet;
        match &inbox.mode {
            Mode::Help(top) => self.help(*top, title, begin, heights.sheet),
            Mode::Edit(edit) => self.edit(edit, title, begin, heights.sheet),
            Mode::Confirm(question) => {
                let sheet = question.sheet.as_ref().unwrap_or(&inbox.sheet);
                self.title(inbox, sheet, title);
                self.sheet(sheet, begin, heights.sheet);
            }
            _ => {
                self.title(inbox, &inbox.sheet, title);
                self.sheet(&inbox.sheet, begin, heights.sheet);
            }
        }
        self.bottom(inbox, bottom);
    }

    fn head(&mut self, inbox: &Inbox) {
        let waiting = inbox.waiting();
        let mut text = match waiting {
            0 => " nothing waits".to_owned(),
            1 => " 1 waits".to_owned(),
            count => format!(" {count} wait"),
        };
        if !inbox.filter.is_empty() {
            text.push_str(&format!(
                ", {} shown for `{}`",
                inbox.shown().len(),
                inert(&inbox.filter)
            ));
        }
        let who = format!("{} ", inert(&inbox.me));
        let style = Style::new().add_modifier(Modifier::REVERSED);
        self.put(0, 0, &" ".repeat(self.width), style);
        self.put(0, 0, &text, style);
        let room = self.width.saturating_sub(text.width() + 2);
        if who.width() <= room {
            self.put(self.width - who.width(), 0, &who, style);
        }
    }

    fn list(&mut self, inbox: &Inbox, top: u16, height: u16) {
        let shown = inbox.shown();
        if shown.is_empty() {
            let text = if inbox.filter.is_empty() {
                "  nothing waits; what is asked appears here"
            } else {
                "  nothing has these words in it"
            };
            self.put(0, top, text, Style::new());
        }
        let rows = shown.iter().skip(inbox.top).take(usize::from(height));
        for (row, one) in (top..).zip(rows) {
            self.listed(inbox, one, row);
        }
        let below = shown.len().saturating_sub(inbox.top + usize::from(height));
        if below > 0 && height > 1 {
            let text = format!(" {below} more ");
            let column = self.width.saturating_sub(text.width());
            self.put(
                column,
                top + height - 1,
                &text,
                Style::new().add_modifier(Modifier::REVERSED),
            );
        }
    }

    fn listed(&mut self, inbox: &Inbox, one: &Listed, row: u16) {
        let is_selected = inbox.selected == Some(one.id);
        let base = match (is_selected, one.status) {
            (true, _) => Style::new().add_modifier(Modifier::BOLD),
            (false, Status::Pending) => Style::new(),
            (false, _) => Style::new().add_modifier(Modifier::DIM),
        };
        let state = match one.status {
            Status::Pending => clock(one.expires.duration_since(inbox.now).as_secs()),
            Status::Approved => "approved".to_owned(),
            Status::Denied => "denied".to_owned(),
            Status::TimedOut => "expired".to_owned(),
            Status::Cancelled => "withdrawn".to_owned(),
            Status::AutoApproved => "let go".to_owned(),
            Status::AutoDenied => "refused".to_owned(),
        };
        let marker = if is_selected { "> " } else { "  " };
        let ours = format!("{marker}{state:<STATE$} ");
        self.put(0, row, &ours, base);
        let column = ours.width();
        let risk = format!("{:<RISK$}", one.risk.name());
        let style = if one.status == Status::Pending { self.risk(one.risk, base) } else { base };
        self.put(column, row, &risk, style);
        let column = column + risk.width();
        self.put(column, row, BAR, base);
        let column = column + BAR.width();
        let text = cut(&one.text, self.width.saturating_sub(column));
        self.put(column, row, &text, base);
    }

    fn title(&mut self, inbox: &Inbox, sheet: &Sheet, row: u16) {
        let style = Style::new().add_modifier(Modifier::BOLD);
        let mut text = String::from("── ");
        match (&inbox.request, inbox.selected) {
            (Some(request), _) => {
                text.push_str(&short(request.id));
                match inbox.left() {
                    Some(left) => text.push_str(&format!(", {left} ")),
                    None => text.push_str(&format!(", {} ", request.status)),
                }
            }
            (None, Some(id)) => text.push_str(&format!("{} ", short(id))),
            (None, None) => {}
        }
        let total = sheet.rows.rows.len();
        let to = (sheet.top + sheet.height).min(total);
        let place = if total > sheet.height {
            format!(" {}–{to} of {total} ──", sheet.top + 1)
        } else {
            String::new()
        };
        let text = cut(&text, self.width.saturating_sub(place.width()));
        let line = self.width.saturating_sub(text.width() + place.width());
        self.put(0, row, &format!("{text}{}{place}", "─".repeat(line)), style);
    }

    fn sheet(&mut self, sheet: &Sheet, top: u16, height: u16) {
        let rows = sheet.rows.rows.iter().skip(sheet.top).take(usize::from(height));
        for (at, row) in (top..).zip(rows) {
            self.row(row, at);
        }
    }

    fn row(&mut self, row: &Row, at: u16) {
        let mut column = row.label.width();
        self.put(0, at, &row.label, Style::new().add_modifier(Modifier::BOLD));
        if row.theirs {
            self.put(column, at, BAR, Style::new());
            column += BAR.width();
        }
        for piece in &row.pieces {
            let style = self.look(piece.look);
            self.put(column, at, &piece.text, style);
            column += piece.text.width();
        }
    }

    fn help(&mut self, top: usize, title: u16, begin: u16, height: u16) {
        let line = format!("── keys {}", "─".repeat(self.width.saturating_sub(8)));
        self.put(0, title, &line, Style::new().add_modifier(Modifier::BOLD));
        let mut rows = Vec::new();
        for text in HELP {
            let mut rest = *text;
            loop {
                let end = fitting(rest, self.width);
                let (row, more) = rest.split_at_checked(end).unwrap_or((rest, ""));
                rows.push(row);
                rest = more.trim_start();
                if rest.is_empty() {
                    break;
                }
            }
        }
        let top = top.min(rows.len().saturating_sub(usize::from(height)));
        for (at, row) in (begin..).zip(rows.iter().skip(top).take(usize::from(height))) {
            self.put(0, at, row, Style::new());
        }
    }

    fn edit(&mut self, edit: &Edit, title: u16, begin: u16, height: u16) {
        let what = match &edit.only {
            Some(name) => format!("── edit `{}` ", inert(name)),
            None => "── edit the arguments, as JSON ".to_owned(),
        };
        let what = cut(&what, self.width);
        let line = self.width.saturating_sub(what.width());
        let style = Style::new().add_modifier(Modifier::BOLD);
        self.put(0, title, &format!("{what}{}", "─".repeat(line)), style);
        let (rows, cursor) = written(&edit.field, self.width.saturating_sub(BAR.width()));
        let room = usize::from(height).max(1);
        let top = (cursor.1 + 1).saturating_sub(room);
        for (at, row) in (begin..).zip(rows.iter().skip(top).take(room)) {
            self.put(0, at, BAR, Style::new());
            self.put(BAR.width(), at, row, Style::new());
        }
        self.cursor = position(BAR.width() + cursor.0, usize::from(begin) + cursor.1 - top);
    }

    fn bottom(&mut self, inbox: &Inbox, top: u16) {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let last = self.height.saturating_sub(1);
        match &inbox.mode {
            Mode::Confirm(question) => {
                self.question(question, top);
                return;
            }
            Mode::Deny(field) => {
                self.put(0, top, &"━".repeat(self.width), bold);
                self.line("Why not? ", field, top + 1);
                self.keys(
                    last,
                    "Enter denies it, the agent is told why   Esc back",
                    "Enter deny  Esc back",
                );
                return;
            }
            Mode::Filter(field) => {
                self.line("/", field, top);
                self.keys(last, "Enter keep   Esc show all", "Enter keep  Esc all");
                return;
            }
            Mode::Edit(_) => {
                self.put(0, top, &"━".repeat(self.width), bold);
                self.put(0, top + 1, &cut(&inbox.notice, self.width), Style::new());
                self.keys(
                    last,
                    "Ctrl-S have it judged, to approve it then   Esc back",
                    "Ctrl-S judge it  Esc back",
                );
                return;
            }
            Mode::List | Mode::Read | Mode::Help(_) => {}
        }
        self.put(0, top, &cut(&inbox.notice, self.width), bold);
        match inbox.mode {
            Mode::Help(_) => {
                self.keys(last, "j/k scroll   any other key back", "j/k scroll  Esc back")
            }
            Mode::Read => self.keys(
                last,
                "j/k scroll  n/p others  a approve  d deny  e edit  h back  ? help  q quit",
                "a approve  d deny  e edit  h back  ?",
            ),
            _ => self.keys(
                last,
                "j/k move  Enter open  a approve  d deny  e edit  / filter  ? help  q quit",
                "a approve  d deny  e edit  / ? q",
            ),
        }
    }

    fn question(&mut self, question: &Question, top: u16) {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        self.put(0, top, &"━".repeat(self.width), bold);
        let what = if question.sheet.is_some() { "what you wrote" } else { "this" };
        let id = short(question.reply.id);
        let mut text = format!("Approve {what}, once? ({id})");
        if question.left_out > 0 {
            text = format!("Approve {what}? Parts are NOT shown ({id})");
        }
        self.put(0, top + 1, &cut(&text, self.width), bold);
        let kind = if question.is_grave { "Type the word" } else { "Press" };
        let ask = format!("{kind} `{}` to approve: {}", question.word, question.typed);
        let style = if question.is_grave { self.colour(Color::Red, bold) } else { bold };
        self.put(0, top + 2, &cut(&ask, self.width), style);
        self.cursor = position(ask.width().min(self.width - 1), usize::from(top) + 2);
        let last = self.height.saturating_sub(1);
        self.keys(last, "anything else leaves it as it is   arrows scroll", "any other key: back");
    }

    /// A line that is being written, from as far back as fits.
    fn line(&mut self, label: &'static str, field: &Field, row: u16) {
        self.put(0, row, label, Style::new().add_modifier(Modifier::BOLD));
        let room = self.width.saturating_sub(label.width() + 1);
        let before = inert(&field.before());
        let whole = inert(&field.text());
        let mut skipped = 0;
        while before.get(skipped..).unwrap_or_default().width() > room {
            let rest = before.get(skipped..).unwrap_or_default();
            skipped += rest.graphemes(true).next().map_or(1, str::len);
        }
        let rest = whole.get(skipped..).unwrap_or_default();
        self.put(label.width(), row, &cut(rest, room), Style::new());
        let column = label.width() + before.get(skipped..).unwrap_or_default().width();
        self.cursor = position(column, usize::from(row));
    }

    fn keys(&mut self, row: u16, long: &str, short: &str) {
        let text = if long.width() <= self.width { long } else { short };
        self.put(0, row, &cut(text, self.width), Style::new().add_modifier(Modifier::DIM));
    }

    fn look(&self, look: Look) -> Style {
        let style = Style::new();
        match look {
            Look::Plain => style,
            Look::Heading => style.add_modifier(Modifier::BOLD),
            Look::Marked(severity) => {
                self.severity(severity, style.add_modifier(Modifier::BOLD | Modifier::UNDERLINED))
            }
            Look::Unclear => self.colour(Color::Magenta, style.add_modifier(Modifier::UNDERLINED)),
        }
    }

    fn risk(&self, risk: Risk, style: Style) -> Style {
        match risk.severity() {
            Some(severity) => self.severity(severity, style),
            None => self.colour(Color::Magenta, style),
        }
    }

    fn severity(&self, severity: Severity, style: Style) -> Style {
        if severity >= Severity::High {
            self.colour(Color::Red, style)
        } else if severity == Severity::Medium {
            self.colour(Color::Yellow, style)
        } else {
            style
        }
    }

    fn colour(&self, colour: Color, style: Style) -> Style {
        if self.coloured { style.fg(colour) } else { style }
    }

    fn put(&mut self, column: usize, row: u16, text: &str, style: Style) {
        let Ok(column) = u16::try_from(column) else { return };
        if usize::from(column) < self.width && row < self.height {
            let room = self.width - usize::from(column);
            self.buffer.set_stringn(column, row, text, room, style);
        }
    }
}

fn position(column: usize, row: usize) -> Option<Position> {
    Some(Position::new(u16::try_from(column).ok()?, u16::try_from(row).ok()?))
}

/// `4m12s`, in as few columns as a row has for it.
fn clock(seconds: i64) -> String {
    match seconds {
        ..=0 => "too late".to_owned(),
        1..=59 => format!("{seconds}s"),
        60..=3_599 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        3_600..=86_399 => format!("{}h{:02}m", seconds / 3_600, seconds / 60 % 60),
        _ => format!("{}d{:02}h", seconds / 86_400, seconds / 3_600 % 24),
    }
}

/// A text that says so where it is cut.
fn cut(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut cut = String::new();
    let mut used = 0;
    for cluster in text.graphemes(true) {
        used += cluster.width();
        if used + 1 > room {
            break;
        }
        cut.push_str(cluster);
    }
    cut.push('…');
    cut
}

/// How much of a text of ours fits into a row, between words.
fn fitting(text: &str, width: usize) -> usize {
    if text.width() <= width {
        return text.len();
    }
    let mut used = 0;
    let mut end = 0;
    for (at, cluster) in text.grapheme_indices(true) {
        used += cluster.width();
        if used > width {
            break;
        }
        if cluster == " " {
            end = at + 1;
        }
    }
    if end == 0 { text.len() } else { end }
}

/// What is written in rows, and where in them one writes.
fn written(field: &Field, width: usize) -> (Vec<String>, (usize, usize)) {
    let broken = |text: &str| {
        let mut rows = Vec::new();
        for line in text.split('\n') {
            let mut row = String::new();
            for cluster in inert(line).graphemes(true) {
                if row.width() + cluster.width() > width {
                    rows.push(std::mem::take(&mut row));
                }
                row.push_str(cluster);
            }
            rows.push(row);
        }
        rows
    };
    let before = broken(&field.before());
    let column = before.last().map_or(0, |row| row.width());
    (broken(&field.text()), (column, before.len().saturating_sub(1)))
}
