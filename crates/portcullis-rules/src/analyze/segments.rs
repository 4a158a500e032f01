//! The texts of a call, one by one. Owns what is taken for something that may be executed and what for words; it never
//! joins two of them, so that no pattern reaches from one argument into another.

use serde_json::Value;

use crate::{action::Action, pointer};

/// How much of each corpus is read, in bytes. The documented analyzers stop after 30,000 characters without a word; linear
/// matching affords a whole program, and what is beyond is told as not read.
pub(super) const CORPUS_BYTES: usize = 1 << 20;

/// How deep arguments are followed; `serde_json` reads no deeper.
const DEPTH: usize = 128;

/// What the agent says about its call, wherever it says it: read as words, never as a command.
const WORDS: [&str; 2] = ["summary", "thought"];

/// One text of a call.
pub(super) struct Segment<'a> {
    /// A JSON pointer into the arguments, or `/tool`, `/summary`, `/thought` beside them.
    pub(super) pointer: String,
    pub(super) text: &'a str,
    /// Whether it is part of what would be carried out, not words about it.
    pub(super) executable: bool,
}

/// The texts of a call, and the pointers of those that were left out, wholly or from some byte on.
pub(super) struct Segments<'a> {
    pub(super) list: Vec<Segment<'a>>,
    pub(super) cut: Vec<(String, usize, usize)>,
}

impl<'a> Segments<'a> {
    pub(super) fn new(action: &'a Action) -> Self {
        let mut segments = Self { list: Vec::new(), cut: Vec::new() };
        let call = &action.call;
        let mut left = CORPUS_BYTES;
        for (key, value) in &call.arguments {
            if !WORDS.contains(&key.as_str()) {
                segments.leaves(&mut pointer::to("", key), value, &mut left, DEPTH);
            }
        }
        segments.add("/tool".to_owned(), &call.tool, true, &mut left);
        let mut left = CORPUS_BYTES;
        for key in WORDS {
            if let Some(Value::String(text)) = call.arguments.get(key) {
                segments.add(format!("/{key}"), text, false, &mut left);
            }
        }
        for (pointer, text) in [("/summary", &call.summary), ("/thought", &call.thought)] {
            let known = segments.list.iter().any(|segment| segment.pointer == pointer);
            if let (Some(text), false) = (text, known) {
                segments.add(pointer.to_owned(), text, false, &mut left);
            }
        }
        segments
    }

    fn leaves(&mut self, pointer: &mut String, value: &'a Value, left: &mut usize, depth: usize) {
        let length = pointer.len();
        match value {
            Value::String(text) => self.add(pointer.clone(), text, true, left),
            Value::Array(_) | Value::Object(_) if depth == 0 => {
                self.cut.push((pointer.clone(), 0, 0));
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    pointer.push_str(&format!("/{index}"));
                    self.leaves(pointer, item, left, depth - 1);
                    pointer.truncate(length);
                }
            }
            Value::Object(members) => {
                for (key, member) in members {
                    pointer::push(pointer, key);
                    self.leaves(pointer, member, left, depth - 1);
                    pointer.truncate(length);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn add(&mut self, pointer: String, text: &'a str, executable: bool, left: &mut usize) {
        let end = text.floor_char_boundary(*left);
        let kept = text.get(..end).unwrap_or_default();
        *left -= kept.len();
        if kept.len() < text.len() {
            self.cut.push((pointer.clone(), kept.len(), text.len()));
        }
        if !kept.is_empty() {
            self.list.push(Segment { pointer, text: kept, executable });
        }
    }
}
