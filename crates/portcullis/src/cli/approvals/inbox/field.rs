//! What a person writes: a line, or several. Owns the text and where in it one writes.

use super::keys::Key;

/// A text that is being written.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Field {
    letters: Vec<char>,
    /// Before which letter one writes.
    at: usize,
    longest: usize,
    has_lines: bool,
}

impl Field {
    /// A line of at most so many letters.
    pub(super) fn line(longest: usize) -> Self {
        Self { longest, ..Self::default() }
    }

    /// Several lines, with something in them.
    pub(super) fn lines(text: &str, longest: usize) -> Self {
        let letters: Vec<char> = text.chars().collect();
        Self { at: letters.len(), letters, longest, has_lines: true }
    }

    /// What is written.
    pub(super) fn text(&self) -> String {
        self.letters.iter().collect()
    }

    /// What stands before the place where one writes.
    pub(super) fn before(&self) -> String {
        self.letters.iter().take(self.at).collect()
    }

    /// Does what a key does here. Nothing that hides or moves a cursor gets in.
    pub(super) fn press(&mut self, key: &Key) {
        match key {
            Key::Letter(letter) => self.put(*letter),
            Key::Enter | Key::NewLine if self.has_lines => self.put('\n'),
            Key::Pasted(text) => {
                for letter in text.replace("\r\n", "\n").replace('\r', "\n").chars() {
                    match letter {
                        '\n' if !self.has_lines => self.put(' '),
                        letter => self.put(letter),
                    }
                }
            }
            Key::Backspace => {
                if let Some(at) = self.at.checked_sub(1) {
                    self.letters.remove(at);
                    self.at = at;
                }
            }
            Key::Delete if self.at < self.letters.len() => {
                self.letters.remove(self.at);
            }
            Key::Left => self.at = self.at.saturating_sub(1),
            Key::Right => self.at = (self.at + 1).min(self.letters.len()),
            Key::Home | Key::Control('a') => self.at = self.line_begin(),
            Key::End | Key::Control('e') => self.at = self.line_end(self.at),
            Key::Control('u') => {
                let begin = self.line_begin();
                self.letters.drain(begin..self.at);
                self.at = begin;
            }
            Key::Up if self.has_lines => {
                let begin = self.line_begin();
                if let Some(above) = begin.checked_sub(1) {
                    let column = self.at - begin;
                    self.at = above;
                    let first = self.line_begin();
                    self.at = (first + column).min(above);
                }
            }
            Key::Down if self.has_lines => {
                let column = self.at - self.line_begin();
                let end = self.line_end(self.at);
                if end < self.letters.len() {
                    self.at = (end + 1 + column).min(self.line_end(end + 1));
                }
            }
            _ => {}
        }
    }

    fn put(&mut self, letter: char) {
        let is_plain = letter == '\n' || letter == '\t' || !letter.is_control();
        if is_plain && self.letters.len() < self.longest {
            self.letters.insert(self.at, letter);
            self.at += 1;
        }
    }

    fn line_begin(&self) -> usize {
        let before = self.letters.get(..self.at).unwrap_or_default();
        before.iter().rposition(|letter| *letter == '\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self, from: usize) -> usize {
        let after = self.letters.get(from..).unwrap_or_default();
        after.iter().position(|letter| *letter == '\n').map_or(self.letters.len(), |at| from + at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_written_and_changed_where_one_writes() {
        let mut field = Field::lines("one\ntwo", 100);
        for key in [Key::Up, Key::Backspace, Key::Letter('!'), Key::Down, Key::End, Key::Enter] {
            field.press(&key);
        }
        assert_eq!(field.text(), "on!\ntwo\n");
        field.press(&Key::Pasted("a\r\nb\u{1b}[A".to_owned()));
        assert_eq!(field.text(), "on!\ntwo\na\nb[A");
        for key in [Key::Home, Key::Delete, Key::Control('e'), Key::Control('u'), Key::Left] {
            field.press(&key);
        }
        assert_eq!(
            (field.text().as_str(), field.before().as_str()),
            ("on!\ntwo\na\n", "on!\ntwo\na")
        );
    }

    #[test]
    fn a_line_stays_one_and_no_longer_than_it_may_be() {
        let mut field = Field::line(5);
        field.press(&Key::Pasted("a\nb".to_owned()));
        field.press(&Key::NewLine);
        for _ in 0..9 {
            field.press(&Key::Letter('x'));
        }
        assert_eq!(field.text(), "a bxx");
    }
}
