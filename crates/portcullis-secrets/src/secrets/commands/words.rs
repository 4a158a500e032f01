//! The words of a call, as a shell would part them, also of calls within its texts. Owns where words begin and end; what they mean to a
//! program, others say.

use super::super::{
    delimit::closing,
    source::{Source, is_quote},
};

/// How deep texts within texts are read: a command in a text of a command in a member of a message.
const DEEPEST: usize = 4;
/// The most words of a command, and commands of a line, that are kept; what follows is read as another one.
const WORDS: usize = 64;
const COMMANDS: usize = 16;

/// A word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    /// Its first byte, with the quote.
    pub(super) outer: usize,
    /// What is inside of its quotes, where they are around all of it.
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Commands of which each gives the next what it shows.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) commands: Vec<Vec<Word>>,
    /// Where it ends.
    pub(super) end: usize,
}

/// Calls `each` with every line of commands in a text.
pub(super) fn each_line(source: Source<'_>, each: &mut impl FnMut(&Line)) {
    Walk { source, each }.text(0, source.len(), 0);
}

struct Walk<'a, F> {
    source: Source<'a>,
    each: F,
}

impl<F: FnMut(&Line)> Walk<'_, F> {
    fn text(&mut self, from: usize, to: usize, depth: usize) {
        let source = self.source;
        let mut line = Line::default();
        let mut words: Vec<Word> = Vec::new();
        let mut index = from;
        while index < to {
            let byte = source.at(index);
            let next = source.at(index + 1);
            let escaped_end = depth > 0 && byte == b'\\' && matches!(next, b'n' | b'r');
            if byte == b'\\' && matches!(next, b'\n' | b'\r') {
                index += 2;
            } else if matches!(byte, b' ' | b'\t' | b'\r' | b',') {
                index += 1;
            } else if byte == b'|' && next != b'|' {
                self.next_command(&mut line, &mut words);
                index += 1;
            } else if escaped_end || ends_line(byte) {
                index += 1 + usize::from(escaped_end);
                self.end_line(&mut line, &mut words, index);
            } else {
                let (word, end) = self.word(index, to, depth);
                words.extend(word);
                if words.len() >= WORDS {
                    self.next_command(&mut line, &mut words);
                }
                index = end.max(index + 1);
            }
        }
        self.end_line(&mut line, &mut words, to);
    }

    fn next_command(&mut self, line: &mut Line, words: &mut Vec<Word>) {
        line.commands.push(std::mem::take(words));
        if line.commands.len() >= COMMANDS {
            (self.each)(line);
            line.commands.clear();
        }
    }

    fn end_line(&mut self, line: &mut Line, words: &mut Vec<Word>, end: usize) {
        if !words.is_empty() {
            line.commands.push(std::mem::take(words));
        }
        if !line.commands.is_empty() {
            line.end = end;
            (self.each)(line);
            line.commands.clear();
        }
    }

    /// The word at `from`, where it is one, and where it ends. Texts of several words in it are read as commands.
    fn word(&mut self, from: usize, to: usize, depth: usize) -> (Option<Word>, usize) {
        let source = self.source;
        let mut index = from;
        let mut whole = None;
        while index < to {
            let byte = source.at(index);
            if byte == b'\\' || is_quote(byte) {
                let slashes = source.skip(index, |byte| byte == b'\\');
                let quote = source.at(slashes);
                if !is_quote(quote) || quote == b'`' || slashes >= to {
                    // An end of a line that is written out ends the word too.
                    if depth > 0 && slashes == index + 1 && matches!(quote, b'n' | b'r') {
                        break;
                    }
                    index = if slashes == index { index + 1 } else { (slashes + 1).min(to) };
                    continue;
                }
                let opener = source.slice(index, slashes + 1);
                let inside = slashes + 1;
                let close = closing(source, inside, opener);
                if close >= to {
                    // Nothing closes it: a sign between words.
                    return (self.plain(from, index), slashes + 1);
                }
                if depth < DEEPEST && source.slice(inside, close).iter().any(|byte| is_gap(*byte)) {
                    self.text(inside, close, depth + 1);
                }
                whole = (index == from).then_some((inside, close, close + opener.len()));
                index = close + opener.len();
            } else if is_gap(byte) || ends_line(byte) || byte == b'|' {
                // `2>&1` and `${NAME}` are in one word.
                let before = source.at(index.wrapping_sub(1));
                let joined = index > from
                    && (byte == b'&' && before == b'>' || byte == b'{' && before == b'$');
                if !joined {
                    break;
                }
                index = match byte {
                    b'{' => {
                        source.skip(index, |byte| byte != b'}' && !is_gap(byte)).min(to - 1) + 1
                    }
                    _ => index + 1,
                };
            } else {
                index += 1;
            }
        }
        let word = match whole {
            Some((start, end, behind)) if behind == index => Some(Word { outer: from, start, end }),
            _ => self.plain(from, index),
        };
        (word, index)
    }

    fn plain(&self, from: usize, end: usize) -> Option<Word> {
        let end = if self.source.at(end.wrapping_sub(1)) == b',' { end - 1 } else { end };
        (from < end).then_some(Word { outer: from, start: from, end })
    }
}

fn is_gap(byte: u8) -> bool {
    byte.is_ascii_whitespace()
}

fn ends_line(byte: u8) -> bool {
    matches!(byte, b'\n' | b';' | b'&' | b'(' | b')' | b'{' | b'}' | b'`')
}
