//! What a person sees while an agent works. Owns how the model's words appear while they come, that nothing is shown twice, and which events are
//! no news to somebody who watches; the words of events are [`crate::conversation::line`]'s.
//!
//! The model can say anything. Whatever is shown of it is free of secrets as far as it has come, is written out where it could fool a reader, and
//! stands behind a margin on every row, so that nothing of it looks like a line of ours.

use std::{
    collections::BTreeSet,
    io::{self, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use portcullis_core::{
    conversation::{By, EndReason, Event},
    decision::Verdict,
    redact::redact,
};

use crate::{
    conversation::{Conversation, Heard, line},
    report::visible,
};

/// How far what belongs to a line stands from the margin.
const MARGIN: usize = 11;

/// The most bytes that are shown of what a model says in one reply; the log has more of it.
const LONGEST: usize = 20_000;

/// How many lines of what a call answers are shown, and how much of each; the log has more of it.
const LINES: usize = 12;
const LONGEST_LINE: usize = 300;

/// How often at most it is looked what is new of what it says.
const PAUSE: Duration = Duration::from_millis(30);

/// How far lines of a question stand from the margin at most.
const DEEPEST: usize = 4;

/// The narrowest terminal that lines are laid out for.
const NARROWEST: usize = 40;

/// What is written behind words of the model that are void.
const VOID: &str = "[this broke off and does not count]";

/// A screen, or whatever stands in its place.
pub(super) struct Screen<W> {
    out: W,
    /// How wide it is, where it is one.
    columns: Option<usize>,
    speech: Option<Speech>,
    /// The calls that say that the agent is done.
    finishing: BTreeSet<u64>,
}

/// What a model is saying.
#[derive(Default)]
struct Speech {
    /// As it came.
    said: String,
    /// As much of it as is shown.
    shown: String,
    column: usize,
    looked: Option<Instant>,
    /// Whether what was shown turned out to belong to a secret.
    is_closed: bool,
}

impl<W: Write + Send + 'static> Screen<W> {
    /// A screen of so many columns, or something else that is written to.
    pub(super) const fn on(out: W, columns: Option<usize>) -> Self {
        Self { out, columns, speech: None, finishing: BTreeSet::new() }
    }

    /// Shows what happens in a conversation; on a terminal also what the model says while it says it.
    pub(super) fn watch(self, conversation: &mut Conversation) {
        let is_terminal = self.columns.is_some();
        let screen = Arc::new(Mutex::new(self));
        let watched = Arc::clone(&screen);
        // Nobody is there to tell where nobody looks.
        conversation.watch(move |event| drop(Self::held(&watched).event(event)));
        if is_terminal {
            conversation.listen(move |heard| drop(Self::held(&screen).heard(heard)));
        }
    }

    fn held(screen: &Mutex<Self>) -> MutexGuard<'_, Self> {
        screen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        let was_heard = self.silence()?;
        match event {
            // It says nothing to whoever sees what follows.
            Event::Resumed {} => {}
            Event::Batch { text, actions, tokens } => {
                if !was_heard {
                    self.says(text)?;
                }
                let is_end = |tool: &str, verdict| tool == "finish" && verdict != Verdict::Deny;
                let (ends, others): (Vec<_>, Vec<_>) = actions
                    .iter()
                    .cloned()
                    .partition(|action| is_end(&action.tool, action.verdict));
                self.finishing.extend(ends.iter().map(|action| action.action));
                if !others.is_empty() {
                    let (text, tokens) = (String::new(), *tokens);
                    self.row(&line(&Event::Batch { text, actions: others, tokens }))?;
                }
            }
            Event::Message { by: By::Agent, text } => {
                if !was_heard {
                    self.says(text)?;
                }
            }
            Event::Observation { action, text, .. } if self.finishing.remove(action) => {
                self.says(text)?;
            }
            Event::Observation { action, text, .. } if text.trim().lines().count() > 1 => {
                self.output(*action, event, text.trim())?;
            }
            Event::Ended { reason: EndReason::Finished, message: _ } => {
                self.row("ended      finished")?;
            }
            event => self.row(&line(event))?,
        }
        self.out.flush()
    }

    fn heard(&mut self, heard: Heard<'_>) -> io::Result<()> {
        match heard {
            Heard::Text(text) => {
                let speech = self.speech.get_or_insert_default();
                let room = LONGEST.saturating_sub(speech.said.len()).min(text.len());
                speech
                    .said
                    .push_str(text.get(..text.floor_char_boundary(room)).unwrap_or_default());
                if speech.looked.is_none_or(|looked| looked.elapsed() >= PAUSE) {
                    self.look(false)?;
                }
            }
            Heard::BrokenOff => {
                if self.silence()? {
                    self.row(&format!("{:MARGIN$}{VOID}", ""))?;
                }
            }
        }
        self.out.flush()
    }

    /// Whatever the model was saying is shown to its end; whether it said something.
    fn silence(&mut self) -> io::Result<bool> {
        self.look(true)?;
        let Some(Speech { said, shown, is_closed, .. }) = self.speech.take() else {
            return Ok(false);
        };
        if !shown.is_empty() {
            writeln!(self.out)?;
        }
        if is_closed {
            self.says(&redact(&said))?;
        }
        Ok(!said.trim().is_empty())
    }

    /// Shows what is new of what the model says, up to where a word ends: what goes on could still become a secret.
    fn look(&mut self, is_over: bool) -> io::Result<()> {
        let Some(mut speech) = self.speech.take() else { return Ok(()) };
        let ends_word = |letter: char| letter.is_whitespace() || !letter.is_ascii();
        let until = match speech.said.rfind(ends_word) {
            _ if is_over => speech.said.len(),
            Some(at) => speech.said.ceil_char_boundary(at + 1),
            None => 0,
        };
        // What is blank is not shown before something follows: it may be the end.
        let clean = redact(speech.said.get(..until).unwrap_or_default().trim());
        let mut written = Ok(());
        if !speech.is_closed {
            match clean.strip_prefix(speech.shown.as_str()) {
                Some("") => {}
                Some(new) => {
                    if speech.shown.is_empty() {
                        written = write!(self.out, "{:MARGIN$}", "agent");
                    }
                    let columns = self.columns;
                    written = written
                        .and_then(|()| laid_out(&mut self.out, new, columns, &mut speech.column));
                    speech.shown = clean.into_owned();
                }
                // Said again without it when all of it is there.
                None => speech.is_closed = true,
            }
        }
        speech.looked = Some(Instant::now());
        self.speech = Some(speech);
        written
    }

    /// Shows what the model said, all at once.
    fn says(&mut self, text: &str) -> io::Result<()> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(());
        }
        let shown = text.get(..text.floor_char_boundary(LONGEST)).unwrap_or_default();
        write!(self.out, "{:MARGIN$}", "agent")?;
        laid_out(&mut self.out, shown, self.columns, &mut 0)?;
        writeln!(self.out, "{}", if shown.len() < text.len() { " …" } else { "" })
    }

    /// Shows what a call answered in several lines: how it ended, and the first of them below.
    fn output(&mut self, action: u64, event: &Event, text: &str) -> io::Result<()> {
        let said = line(event);
        let outcome =
            said.get(MARGIN..).and_then(|said| said.split(':').next()).unwrap_or_default();
        self.row(&format!("call {action:<5} {outcome}:"))?;
        let mut lines = text.lines();
        for line in lines.by_ref().take(LINES) {
            let shown = line.get(..line.floor_char_boundary(LONGEST_LINE)).unwrap_or_default();
            write!(self.out, "{:MARGIN$}", "")?;
            laid_out(&mut self.out, shown, self.columns, &mut 0)?;
            writeln!(self.out, "{}", if shown.len() < line.len() { " …" } else { "" })?;
        }
        match lines.count() {
            0 => Ok(()),
            more => self.row(&format!("{:MARGIN$}(and {more} more)", "")),
        }
    }

    /// Shows lines of ours, none of which goes on at the margin.
    fn row(&mut self, lines: &str) -> io::Result<()> {
        for line in lines.lines() {
            let (first, rest) = line.split_at_checked(MARGIN).unwrap_or((line, ""));
            write!(self.out, "{first}")?;
            laid_out(&mut self.out, rest, self.columns, &mut 0)?;
            writeln!(self.out)?;
        }
        Ok(())
    }
}

/// Writes words behind the margin, on as many rows as they take; `column` is where the next one stands.
fn laid_out(
    out: &mut impl Write,
    text: &str,
    columns: Option<usize>,
    column: &mut usize,
) -> io::Result<()> {
    let mut rows = Rows::of(room(columns, MARGIN), *column);
    rows.write(text);
    *column = rows.column;
    out.write_all(rows.rows.join(&format!("\n{:MARGIN$}", "")).as_bytes())
}

/// A text whose lines go on behind their own margin where a row is full.
pub(super) fn folded(text: &str, columns: Option<usize>) -> String {
    let mut folded = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (words, end) = line.strip_suffix('\n').map_or((line, ""), |words| (words, "\n"));
        let margin = words.len() - words.trim_start_matches(' ').len();
        let (blank, words) = words.split_at_checked(margin.min(DEEPEST)).unwrap_or(("", words));
        let mut rows = Rows::of(room(columns, blank.len()), 0);
        rows.write(words);
        folded.push_str(blank);
        folded.push_str(&rows.rows.join(&format!("\n{blank}")));
        folded.push_str(end);
    }
    folded
}

/// How much stands on a row behind a margin.
fn room(columns: Option<usize>, margin: usize) -> usize {
    columns.map_or(usize::MAX, |columns| columns.max(NARROWEST) - margin - 1)
}

/// Rows of text that are broken between words where that is possible. Nothing of it is left out.
struct Rows {
    rows: Vec<String>,
    room: usize,
    column: usize,
}

impl Rows {
    fn of(room: usize, column: usize) -> Self {
        Self { rows: vec![String::new()], room, column }
    }

    fn write(&mut self, text: &str) {
        for piece in text.split_inclusive([' ', '\n']) {
            let shown = visible::lines(piece.trim_end_matches('\n'));
            let word: usize = shown.trim_end_matches(' ').chars().map(width).sum();
            if word <= self.room {
                self.push(&shown, word);
                self.column += usize::from(shown.ends_with(' '));
            } else {
                for letter in shown.chars() {
                    self.push(letter.encode_utf8(&mut [0; 4]), width(letter));
                }
            }
            if piece.ends_with('\n') {
                self.end();
            }
        }
    }

    fn push(&mut self, text: &str, width: usize) {
        if self.column > 0 && self.column.saturating_add(width) > self.room {
            self.end();
        }
        if let Some(row) = self.rows.last_mut() {
            row.push_str(text);
        }
        self.column = self.column.saturating_add(width);
    }

    fn end(&mut self) {
        self.rows.push(String::new());
        self.column = 0;
    }
}

/// How many columns a character takes at most. What stands above Latin and its neighbours may take two.
const fn width(letter: char) -> usize {
    match letter {
        '\t' => 8,
        '\0'..'\u{1100}' => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use portcullis_core::conversation::Proposed;

    use super::*;

    /// What stands on a screen of 40 columns after these words, each of which comes by itself.
    fn heard(words: &[&str]) -> String {
        let mut screen = Screen::on(Vec::new(), Some(40));
        for word in words {
            screen.heard(Heard::Text(word)).unwrap();
            // As if each came after a while.
            screen.look(false).unwrap();
        }
        screen.event(&Event::Message { by: By::Agent, text: words.concat() }).unwrap();
        String::from_utf8(screen.out).unwrap()
    }

    #[test]
    fn words_appear_as_they_come_and_once() {
        assert_eq!(heard(&["I am", " do", "ne."]), "agent      I am done.\n");
        assert_eq!(
            heard(&["one two three four ", "five six seven\n\n", "eight\n"]),
            "agent      one two three four five six \n           seven\n           \n           eight\n"
        );
        let mut screen = Screen::on(Vec::new(), Some(80));
        screen.heard(Heard::Text("I look ")).unwrap();
        let before = String::from_utf8(screen.out.clone()).unwrap();
        assert_eq!(before, "agent      I look", "it is there before the reply is whole");
        screen.heard(Heard::BrokenOff).unwrap();
        screen.heard(Heard::Text("I see")).unwrap();
        let call = Proposed { verdict: Verdict::Allow, ..Proposed::new(0, "think") };
        let text = "I see".to_owned();
        screen.event(&Event::Batch { text, actions: vec![call], tokens: 0 }).unwrap();
        let shown = String::from_utf8(screen.out).unwrap();
        assert_eq!(
            shown,
            format!(
                "agent      I look\n{:11}{VOID}\nagent      I see\ncall 0     think {{}} (runs unasked)\n",
                ""
            )
        );
    }

    #[test]
    fn what_could_fool_a_reader_is_written_out_also_where_it_comes_in_pieces() {
        let shown =
            heard(&["a\u{1b}", "[2", "J b\u{202e}", " c\r> y\n", "call 0     approved by dev"]);
        assert!(!shown.contains(['\u{1b}', '\u{202e}', '\r']), "{shown:?}");
        assert!(shown.lines().skip(1).all(|line| line.starts_with("           ")), "{shown}");
        // A row that is full does not go on at the margin either.
        let shown = heard(&[&format!("{}call 0     approved by dev", "x ".repeat(100))]);
        assert!(shown.lines().skip(1).all(|line| line.starts_with("           ")), "{shown}");
        let asked = folded(
            "  command:\n    echo  a\u{1b} very long line that does not fit here\n",
            Some(40),
        );
        assert!(asked.lines().skip(2).all(|line| line.starts_with("    ")), "{asked}");
        let asked = folded(&format!("    {}> y", " ".repeat(100)), Some(40));
        assert!(asked.lines().last().is_some_and(|line| line.starts_with("    ")), "{asked:?}");
    }

    #[test]
    fn no_secret_is_shown_while_it_comes() {
        const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
        let (first, rest) = TOKEN.split_at(9);
        let shown = heard(&["the token is ", first, rest, " and that is", " it"]);
        assert!(!shown.contains(first) && shown.contains("that is it"), "{shown}");
        let key = [
            "-----BEGIN RSA PRIVATE KEY-----\n",
            "MIIEpAIBAAKCAQEA7bq4\n",
            "zQ8VbG5k\n",
            "-----END RSA PRIVATE KEY-----\n",
        ];
        let shown = heard(&key);
        assert!(!shown.contains("MIIEpAIB") && !shown.contains("zQ8V"), "{shown}");
    }

    #[test]
    fn what_a_call_answers_stands_behind_the_margin_line_by_line() {
        let mut screen = Screen::on(Vec::new(), Some(60));
        let lines: Vec<String> = (0..20).map(|at| format!("{at}\u{1b}[2J")).collect();
        let (outcome, text) = (portcullis_core::conversation::Outcome::Failed, lines.join("\n"));
        screen.event(&Event::Observation { action: 3, outcome, text }).unwrap();
        let shown = String::from_utf8(screen.out).unwrap();
        assert!(shown.starts_with("call 3     failed:\n           0\\u{1b}[2J\n"), "{shown}");
        assert!(shown.ends_with("           (and 8 more)\n"), "{shown}");
        assert!(shown.lines().skip(1).all(|line| line.starts_with("           ")), "{shown}");
    }

    #[test]
    fn the_end_is_said_once_and_whole() {
        let mut screen = Screen::on(Vec::new(), None);
        let message = "word ".repeat(200);
        let finish = Proposed { verdict: Verdict::Allow, ..Proposed::new(0, "finish") };
        screen.event(&Event::Resumed {}).unwrap();
        screen
            .event(&Event::Batch { text: String::new(), actions: vec![finish], tokens: 0 })
            .unwrap();
        let outcome = portcullis_core::conversation::Outcome::Done;
        screen.event(&Event::Observation { action: 0, outcome, text: message.clone() }).unwrap();
        let reason = EndReason::Finished;
        screen.event(&Event::Ended { reason, message: message.clone() }).unwrap();
        let shown = String::from_utf8(screen.out).unwrap();
        assert_eq!(shown, format!("agent      {}\nended      finished\n", message.trim()));
    }
}
