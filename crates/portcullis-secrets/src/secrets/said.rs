//! Secrets that are only said: in prose (`the password is …`), as the word behind a directive (`requirepass …`), and piped into
//! a program that reads them (`echo … | sudo -S`). Owns where they stand; since nothing marks them, only what nobody takes for
//! a word counts.

use super::{
    delimit::{Value, is_reference, values_at, word_end},
    kinds::{GENERIC_API_KEY, GENERIC_SECRET, PASSWORD},
    names::{Promise, promise},
    scan::Scan,
    source::{is_blank, is_name},
    value,
};

/// How much of a sentence, or of a line before a program, is read.
const SENTENCE: usize = 60;
const LINE: usize = 300;

impl Scan<'_> {
    /// The word behind a name, or behind `is` in the sentence that it begins.
    pub(super) fn said(&mut self, name: &[u8], name_end: usize) {
        let source = self.source;
        // Columns of a table have a tab between them.
        let mut start = name_end + 1;
        if source.at(name_end) != b' ' {
            return;
        }
        if let Some(verb) = self.behind_verb(start) {
            start = verb;
        } else if source.at(start).is_ascii_digit() && is_blank(source.at(start + 1)) {
            // The number of the way in which a router hides it.
            start = source.skip(start + 1, is_blank);
        } else if name.to_ascii_lowercase().ends_with(b"-pass") || name == b"pass" {
            // `two-pass` is no password's name.
            return;
        }
        if is_reference(source, start) {
            return;
        }
        let mut end = word_end(source, start);
        let stops = |byte: u8| matches!(byte, b'.' | b',' | b'!' | b'?' | b':' | b'"' | b'\'');
        let behind = source.at(end);
        if !(behind == 0 || behind.is_ascii_whitespace() || stops(behind) || behind == b')') {
            return;
        }
        // A sentence ends with a stop, and a password may.
        if source.at(end.saturating_sub(1)) == b'.' {
            end -= 1;
        }
        let text = source.slice(start, end);
        // Asked first, because nearly every word is one, and says so at once.
        if !value::is_made(text) {
            return;
        }
        let (kind, confidence) = match promise(name) {
            None => return,
            Some(Promise::Password) => (&PASSWORD, value::password(text, false)),
            Some(Promise::Key) => (&GENERIC_API_KEY, value::token(text, false)),
            Some(Promise::Secret) => (&GENERIC_SECRET, value::token(text, false)),
        };
        if confidence.is_some() {
            self.named(kind, Value { start, end, quoted: false }, confidence);
        }
    }

    /// Behind the verb of a short sentence: `for staging is`.
    fn behind_verb(&self, from: usize) -> Option<usize> {
        const WORDS: usize = 5;
        let source = self.source;
        let mut index = from;
        for _ in 0..WORDS {
            let end = source.skip_at_most(index, SENTENCE, |byte| byte.is_ascii_alphabetic());
            let word = source.slice(index, end);
            let next = source.skip_at_most(end, 3, |byte| is_blank(byte) || byte == b':');
            if end == index || next == end {
                return None;
            }
            if [&b"is"[..], b"was", b"to", b"ist", b"est", b"es"].contains(&word) {
                return Some(next);
            }
            index = next;
        }
        None
    }

    /// The next cell of a table, `| api key | … |` or behind a tab: where the next cell begins and ends.
    pub(super) fn next_cell(&self, name_end: usize) -> Option<Value> {
        let source = self.source;
        let sign = source.skip(name_end, |byte| is_blank(byte) || byte == b'`');
        let tab = source.at(name_end) == b'\t';
        let start = match source.at(sign) {
            b'|' => source.skip(sign + 1, |byte| is_blank(byte) || byte == b'`'),
            _ if tab => sign,
            _ => return None,
        };
        let end = word_end(source, start);
        let end = end - usize::from(source.at(end.saturating_sub(1)) == b'`' && end > start);
        let behind = source.skip(end, |byte| is_blank(byte) || byte == b'`');
        let closed = match source.at(behind) {
            b'|' => !tab || source.at(sign) == b'|',
            b'\n' | b'\r' | 0 => tab,
            _ => false,
        };
        (closed && start < end).then_some(Value { start, end, quoted: false })
    }

    /// `chpasswd:` of cloud-init: a list of users and their passwords.
    pub(super) fn accounts(&mut self, name_end: usize) {
        const LIST: usize = 60;
        const MOST: usize = 64;
        let source = self.source;
        if source.at(name_end) != b':' {
            return;
        }
        let head = source.slice(name_end, source.len().min(name_end + LIST));
        let Some(at) = memchr::memmem::find(head, b"list:") else {
            if head.len() < LIST {
                self.want_more();
            }
            return;
        };
        let mut index = name_end + at + b"list:".len();
        for _ in 0..MOST {
            let line_end = source.skip_at_most(index, LINE, |byte| byte != b'\n');
            if line_end + 1 >= source.len() {
                return self.want_more();
            }
            if source.at(line_end) != b'\n' {
                return;
            }
            let user = source.skip(line_end + 1, |byte| is_blank(byte) || byte == b'-');
            let colon = source.skip(user, is_name);
            if user == line_end + 1 || colon == user || source.at(colon) != b':' {
                return;
            }
            self.fed_text(user, true);
            index = colon;
        }
    }

    /// What is piped or fed into a program that reads a password: `program` is where its name or option ends.
    pub(super) fn fed(&mut self, program: usize, with_user: bool) {
        let source = self.source;
        let line = source.slice(program.saturating_sub(LINE), program);
        let line = line.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let behind = source.slice(program, source.len().min(program + LINE));
        let behind = behind.split(|byte| *byte == b'\n').next().unwrap_or_default();
        if let Some(at) = memchr::memmem::find(behind, b"<<<") {
            self.fed_text(source.skip(program + at + 3, is_blank), with_user);
        } else if let Some(pipe) = memchr::memrchr(b'|', line) {
            let begin = program - line.len();
            let before = line.get(..pipe).unwrap_or_default();
            let from = before.iter().rposition(|byte| matches!(byte, b';' | b'&' | b'|' | b'('));
            let command = before.get(from.map_or(0, |at| at + 1)..).unwrap_or_default();
            let shown = [&b"echo "[..], b"printf "]
                .iter()
                .find_map(|word| memchr::memmem::find(command, word).map(|at| at + word.len()));
            let Some(shown) = shown else { return };
            let last = command.trim_ascii_end();
            let quote = last.last().copied().filter(|byte| matches!(byte, b'"' | b'\''));
            let inside = last.get(shown..).unwrap_or_default();
            let word = match quote {
                Some(quote) => {
                    let inside = inside.get(..inside.len() - 1).unwrap_or_default();
                    memchr::memrchr(quote, inside)
                }
                None => {
                    inside.iter().rposition(|byte| is_blank(*byte)).map(|at| at + 1).or(Some(0))
                }
            };
            if let Some(word) = word {
                self.fed_text(begin + pipe - command.len() + shown + word, with_user);
            }
        }
    }

    fn fed_text(&mut self, start: usize, with_user: bool) {
        let source = self.source;
        let (values, _) = values_at(source, start);
        for mut own in values.into_iter().flatten() {
            if with_user {
                let joined = source.slice(own.start, own.end);
                let Some(colon) = memchr::memchr(b':', joined) else { continue };
                own.start += colon + 1;
            }
            let text = source.slice(own.start, own.end);
            let confidence = value::password(text, true).or_else(|| value::token(text, true));
            if own.start < own.end && !is_reference(source, own.start) {
                self.named(&PASSWORD, own, confidence);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::are_told_apart;

    #[test]
    fn what_is_said_counts_where_nobody_takes_it_for_a_word() {
        let password = "kT7#vQ2mX9!wZ";
        let given: Vec<_> = [
            "The password is PW, please change it.",
            "the admin password for staging is PW",
            "requirepass PW\n",
            "nmcli dev wifi connect home password PW",
            "username admin password 7 083F84D30D3FC4",
            "echo 'PW' | sudo -S apt update",
            "echo 'root:PW' | chpasswd",
            "chpasswd <<< 'root:PW'",
            "echo PW | passwd --stdin svc",
        ]
        .iter()
        .map(|text| (text.replace("PW", password), "password"))
        .collect();
        are_told_apart(
            &given,
            &[
                "The password is incorrect.",
                "password is hashed with bcrypt12",
                "set the password to PostgreSQL13",
                "a two-pass memchr2+SWAR loop",
                "passwd\t1:4.13+dfsg1-1+deb12u1",
                "identified by %NET_ATTR_LINK_ID2.",
                "echo \"$PASSWORD\" | sudo -S ls",
                "echo hello | sudo -S tee file",
                "chpasswd < users.txt",
                "service password-encryption",
                "Passwort: vergessen?",
            ],
        );
    }
}
