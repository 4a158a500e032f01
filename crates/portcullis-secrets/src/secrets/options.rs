//! Short options that carry passwords, for the programs that have them: `mysql -pSECRET`, `curl -u a:SECRET`. Owns how a
//! command's words are walked; which options those are, `programs` says.

use super::{
    delimit::{Value, is_reference, values_at, word_end},
    kinds::PASSWORD,
    programs::{self, SecretOption},
    scan::Scan,
    source::{is_blank, is_quote},
    value,
};

/// How many words of a command are kept, to find a password by its place.
const WORDS: usize = 8;

impl Scan<'_> {
    /// Reads the options of the program whose name holds `at`, up to the end of its command.
    pub(super) fn program(&mut self, at: usize) {
        if at < self.options_until {
            return;
        }
        let source = self.source;
        let starts_word = |byte: u8| {
            byte == 0
                || byte.is_ascii_whitespace()
                || matches!(
                    byte,
                    b'/' | b';' | b'|' | b'&' | b'(' | b')' | b'"' | b'\'' | b'`' | b'='
                )
        };
        if at > 0 && !starts_word(source.at(at - 1)) {
            return;
        }
        let end = word_end(source, at);
        let program = source.slice(at, end);
        let mut rows = programs::secret_options(program);
        let slashed = programs::takes_slashed(program);
        let mut words: [&[u8]; WORDS] = [b""; WORDS];
        let mut places = [0; WORDS];
        let mut count = 1;
        (words[0], places[0]) = (program, at);
        let mut index = end;
        while index < source.len() {
            let byte = source.at(index);
            if matches!(byte, b'\n' | b';' | b'|' | b'&' | b'(' | b')') {
                break;
            }
            if byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'') {
                index += 1;
                continue;
            }
            let end = word_end(source, index).max(index + 1);
            let word = source.slice(index, end);
            let program = word.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            let found = programs::secret_options(program);
            if !found.is_empty() {
                rows = found;
            }
            if slashed {
                self.slashed(index);
            }
            if let (Some(own), Some(place)) = (words.get_mut(count), places.get_mut(count)) {
                (*own, *place) = (word, index);
                count += 1;
            }
            index = self.option(rows, index, end).unwrap_or(end);
        }
        self.options_until = index;
        let given = words.get(..count).and_then(programs::secret_word);
        if let Some(start) = given.and_then(|number| places.get(..count)?.get(number)) {
            self.password_word(*start);
        }
    }

    /// Takes the value of the option at `index`, where it is one that carries a password, and gives its end.
    fn option(&mut self, rows: &[SecretOption], index: usize, end: usize) -> Option<usize> {
        let source = self.source;
        let word = source.slice(index, end);
        let bundled = |row: &SecretOption| {
            row.user_before.is_some() && row.option.len() == 2 && is_bundle(word, row.option)
        };
        let is_named = |row: &SecretOption| word.starts_with(row.option.as_bytes());
        let row = rows.iter().find(|row| is_named(row) || bundled(row))?;
        let attached = if is_named(row) { index + row.option.len() } else { end };
        let start = if attached < end {
            row.attached.then(|| attached + usize::from(source.at(attached) == b'='))
        } else {
            // The words of a command may be the texts of a list.
            let next = source.skip(end, |byte| is_blank(byte) || is_quote(byte) || byte == b',');
            (row.separate && next > end && source.at(next) != b'-').then_some(next)
        };
        Some(self.option_value(start?, row).max(end))
    }

    /// A password that is a word of its own, told by its place.
    fn password_word(&mut self, start: usize) {
        let source = self.source;
        let (values, _) = values_at(source, start);
        for own in values.into_iter().flatten() {
            self.named(&PASSWORD, own, value::password(source.slice(own.start, own.end), true));
        }
    }

    fn option_value(&mut self, start: usize, row: &SecretOption) -> usize {
        let source = self.source;
        let (values, end) = values_at(source, start);
        for own in values.into_iter().flatten() {
            let mut password = own;
            if let Some(separator) = row.user_before {
                let joined = source.slice(own.start, own.end);
                let Some(user) = memchr::memchr(separator, joined) else { continue };
                password = Value { start: own.start + user + 1, ..own };
                if password.start >= password.end || is_reference(source, password.start) {
                    continue;
                }
            }
            let text = source.slice(password.start, password.end);
            // On a command line a password needs no quotes, and a name would be a variable.
            let confidence = value::password(text, true).or_else(|| value::token(text, true));
            self.named(&PASSWORD, password, confidence);
        }
        end
    }
}

/// Whether a word is several short options of which the last is `option`: `-su`.
fn is_bundle(word: &[u8], option: &str) -> bool {
    match word {
        [b'-', letters @ .., last] => {
            option.as_bytes().last() == Some(last) && letters.iter().all(u8::is_ascii_alphabetic)
        }
        _ => false,
    }
}
