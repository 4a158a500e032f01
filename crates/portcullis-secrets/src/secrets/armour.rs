//! Secrets of several lines: private keys in PEM, the data of a Kubernetes Secret, JSON web keys. Owns where they begin and
//! end.

use super::{
    delimit::{Value, placeholder},
    kinds::{JWK, KUBERNETES_SECRET, PRIVATE_KEY, SERVICE_ACCOUNT},
    purpose::Purpose,
    scan::{Candidate, Closer, FRAMED, Frame, SPELT, Scan},
    source::{is_blank, is_name, is_quote},
    validate::{self, Validity},
    value,
};
use crate::finding::Confidence;

/// PEM (RFC 7468), OpenPGP and OpenSSH.
static PEM: Frame = Frame { begin: b"-----BEGIN ", end: b"-----END ", tail: b'-' };
/// Keys in the form of SSH.com; of the public ones RFC 4716 tells.
static SSH2: Frame = Frame { begin: b"---- BEGIN SSH2 ", end: b"---- END SSH2 ", tail: b'-' };
/// Key files of PuTTY, whose last line is a checksum over the rest.
static PUTTY: Frame = Frame { begin: b"PuTTY-User-Key-File-", end: b"Private-MAC: ", tail: b'h' };

/// The longest label of a PEM block that is believed.
const MAX_LABEL: usize = 64;
/// The shortest line that says that a whole block has a key in it.
const LEAST_LINE: usize = 32;
/// The fewest characters of base64 that a key has.
const LEAST_KEY: usize = 40;
/// How far a line is indented at most.
const MARGIN: usize = 40;
/// How far a manifest or a web key reaches.
const OBJECT: usize = 2000;

impl Scan<'_> {
    /// A block between two lines that name it, but for certificates and public keys.
    pub(super) fn armour(&mut self, start: usize) {
        let source = self.source;
        // The words of SSH.com that are found are not the first of their line.
        let first = start.saturating_sub(SSH2.begin.len());
        let start = if source.starts_with(first, SSH2.begin) { first } else { start };
        if start < self.armour_until {
            return;
        }
        let frame =
            [&PEM, &SSH2, &PUTTY].into_iter().find(|own| source.starts_with(start, own.begin));
        let Some(frame) = frame else { return };
        if frame.begin == PUTTY.begin {
            self.key_file(start);
            return;
        }
        let label_start = start + frame.begin.len();
        let label_end = source.skip(label_start, |byte| byte != b'-' && byte != b'\n');
        let label = source.slice(label_start, label_end).trim_ascii_end();
        let public = [&b"CERTIFICATE"[..], b"PUBLIC KEY", b"PUBLIC KEY BLOCK"]
            .iter()
            .any(|end| label.ends_with(end));
        if label.len() > MAX_LABEL || public {
            self.armour_until = label_end;
            return;
        }
        let closing = source.find(label_end, frame.end);
        let end = closing.map_or(source.len(), |at| frame.closed(source, at));
        self.armour_until = end;
        if closing.is_none() && self.leave_open(start, &PRIVATE_KEY, Closer::Armour(frame)) {
            return;
        }
        if self.purpose == Purpose::Mask {
            self.block(start, end, None, Validity::Unchecked);
            return;
        }
        if !value::contains(label, b"PRIVATE KEY") {
            return;
        }
        let (body, body_end, longest) = self.key_body(label_end, closing.unwrap_or(end));
        // It needs a line of a key: the words alone stand in every program that reads keys.
        let has_line = longest >= if closing.is_some() { LEAST_LINE } else { LEAST_KEY };
        if body.len() < LEAST_KEY || !has_line || value::entropy(&body) < 35 {
            return;
        }
        let validity =
            if validate::is_key(&body) { Validity::Wellformed } else { Validity::Unchecked };
        let (end, confidence) = match closing {
            Some(_) => (end, Confidence::High),
            None => (body_end, Confidence::Medium),
        };
        self.block(start, end, Some(confidence), validity);
    }

    /// A key file of PuTTY: `PuTTY-User-Key-File-3: ssh-ed25519`, lines with names, and under `Private-Lines` the key.
    fn key_file(&mut self, start: usize) {
        let source = self.source;
        let named =
            source.skip(start + PUTTY.begin.len(), |byte| byte.is_ascii_digit() || byte == b':');
        let algorithm = source.skip(named, is_blank);
        let line_end = source.skip(algorithm, |byte| is_name(byte) || byte == b'@');
        // The words alone stand in every program that reads such files. In quotes, the lines end as text writes them.
        let ends = matches!(source.at(line_end), b'\n' | b'\r')
            || source.at(line_end) == b'\\' && matches!(source.at(line_end + 1), b'n' | b'r');
        if !ends || algorithm == line_end {
            self.armour_until = line_end;
            return;
        }
        let closing = source.find(line_end, PUTTY.end);
        let end = closing.map_or(source.len(), |at| PUTTY.closed(source, at));
        if closing.is_none() && self.leave_open(start, &PRIVATE_KEY, Closer::Armour(&PUTTY)) {
            self.armour_until = end;
            return;
        }
        let Some(private) = source.find(line_end, b"Private-Lines:").filter(|at| *at < end) else {
            self.armour_until = line_end;
            return;
        };
        self.armour_until = end;
        let lines = source.skip(private, |byte| byte != b'\n' && byte != b'\\');
        let (body, body_end, longest) = self.key_body(lines, closing.unwrap_or(end));
        if body.len() < LEAST_KEY || longest < LEAST_LINE || value::entropy(&body) < 35 {
            return;
        }
        let (end, confidence) = match closing {
            Some(_) => (end, Confidence::High),
            None => (body_end, Confidence::Medium),
        };
        self.block(start, end, Some(confidence), Validity::Unchecked);
    }

    fn block(
        &mut self,
        start: usize,
        end: usize,
        confidence: Option<Confidence>,
        validity: Validity,
    ) {
        let before = self.source.slice(start.saturating_sub(OBJECT), start);
        let of_account = memchr::memmem::find(before, b"service_account").is_some();
        let kind = if of_account { &SERVICE_ACCOUNT } else { &PRIVATE_KEY };
        self.found.push(Candidate {
            start,
            end,
            body: start,
            kind,
            confidence,
            validity,
            rank: SPELT + 1,
        });
    }

    /// The base64 of a block without its line ends, headers and the marks of the language around it, where it ends, and the
    /// longest piece of it that nothing interrupts.
    fn key_body(&self, from: usize, to: usize) -> (Vec<u8>, usize, usize) {
        const MOST: usize = 1 << 16;
        let text = self.source.slice(from, to.min(from + MOST));
        let (mut body, mut end, mut skip) = (Vec::new(), from, 0);
        let (mut foreign, mut run, mut longest) = (0, 0, 0);
        for (index, byte) in text.iter().enumerate() {
            if skip > 0 {
                skip -= 1;
            } else if *byte == b'\\'
                && matches!(text.get(index + 1), Some(b'n' | b'r' | b't' | b'\\'))
            {
                skip = 1;
                run = 0;
            } else if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=') {
                body.push(*byte);
                end = from + index + 1;
                foreign = 0;
                run += 1;
                longest = longest.max(run);
            } else if byte.is_ascii_whitespace() || *byte == b'-' {
                run = 0;
            } else {
                foreign += 1;
                run = 0;
                // Text after an armour that nobody closed.
                if foreign > 8 && to == self.source.len() {
                    break;
                }
            }
        }
        (body, end, longest)
    }

    /// The values of a Kubernetes Secret: what stands in base64 under `data:`, before `kind: Secret` or behind it.
    pub(super) fn manifest(&mut self, at: usize) {
        if at < self.objects_until && self.objects_until != 0 {
            return;
        }
        let source = self.source;
        let mut from = at.saturating_sub(OBJECT).max(self.objects_until);
        // A document of YAML ends at `---`.
        if let Some(border) = memchr::memmem::rfind(source.slice(from, at), b"\n---") {
            from += border + 4;
        }
        let mut to = source.len().min(at + OBJECT);
        if let Some(border) = memchr::memmem::find(source.slice(at, to), b"\n---") {
            to = at + border;
        }
        self.objects_until = to;
        if to == source.len() {
            self.want_more();
        }
        let text = source.slice(from, to);
        for found in memchr::memmem::find_iter(text, b"data") {
            let before = found.checked_sub(1).and_then(|at| text.get(at));
            let colon = source.skip_at_most(from + found + b"data".len(), 1, is_quote);
            if source.at(colon) == b':' && !before.is_some_and(u8::is_ascii_alphanumeric) {
                self.pairs(colon + 1, to);
            }
        }
        for found in memchr::memmem::find_iter(text, b"\nstringData:") {
            self.plain_pairs(from + found + b"\nstringData:".len(), to);
        }
    }

    /// `data:` on a line of its own: what follows is worth the wait for a `kind: Secret` behind it.
    pub(super) fn data(&mut self, at: usize) {
        let source = self.source;
        let before = source.slice(at.saturating_sub(MARGIN), at);
        let indented = before.iter().rev().take_while(|byte| is_blank(**byte) || is_quote(**byte));
        let begins = at - indented.count();
        let colon = source.skip_at_most(at + b"data".len(), 1, is_quote);
        let end = source.skip_at_most(colon + 1, MARGIN, |byte| is_blank(byte) || byte == b'{');
        let own_line = (begins == 0 || source.at(begins - 1) == b'\n')
            && matches!(source.at(end), 0 | b'\n' | b'\r');
        let rest = source.slice(end, source.len());
        let told = || {
            memchr::memmem::find(rest, b"kind").is_some()
                || memchr::memmem::find(rest, b"\n---").is_some()
        };
        if own_line && rest.len() < OBJECT && !told() {
            self.want_more();
        }
    }

    /// `name: base64` line after line, or on one.
    fn pairs(&mut self, from: usize, to: usize) {
        const LEAST: usize = 8;
        let source = self.source;
        let mut index = from;
        while index < to {
            let name = source.skip(index, |byte| {
                byte.is_ascii_whitespace() || is_quote(byte) || matches!(byte, b'{' | b',')
            });
            let name_end = source.skip(name, |byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
            });
            let colon = source.skip(name_end, is_quote);
            if name_end == name || source.at(colon) != b':' || colon >= to {
                return;
            }
            let start = source.skip(colon + 1, |byte| is_blank(byte) || is_quote(byte));
            // What stands in a secret's place is none.
            if let Some(end) = placeholder(source, start) {
                index = end;
                continue;
            }
            let end = source.skip(start, |byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
            });
            let text = source.slice(start, end);
            let top = matches!(
                source.slice(name, name_end),
                b"kind" | b"apiVersion" | b"metadata" | b"type" | b"immutable"
            );
            if top {
                return;
            }
            if text.len() >= LEAST
                && !value::is_placeholder(text)
                && value::entropy(text) >= 24
                && end <= to
            {
                self.framed(
                    &KUBERNETES_SECRET,
                    Value { start, end, quoted: true },
                    Some(Confidence::Medium),
                );
            }
            index = end.max(start + 1);
        }
    }

    /// The private part of a JSON web key: `d`, or `k` of a symmetric one, in the object around `at`.
    pub(super) fn web_key(&mut self, at: usize) {
        if at < self.objects_until {
            return;
        }
        let source = self.source;
        let from = at.saturating_sub(OBJECT);
        let open = memchr::memrchr(b'{', source.slice(from, at)).map_or(from, |brace| from + brace);
        let limit = source.len().min(at + OBJECT);
        let close = memchr::memchr(b'}', source.slice(at, limit)).map_or(limit, |brace| at + brace);
        self.objects_until = close;
        for member in [&b"\"d\""[..], b"\"k\""] {
            let Some(found) = memchr::memmem::find(source.slice(open, close), member) else {
                continue;
            };
            let start = source.skip(open + found + member.len(), |byte| {
                byte.is_ascii_whitespace() || matches!(byte, b':' | b'"')
            });
            let end = source
                .skip(start, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
            let text = source.slice(start, end);
            // A program that makes a key has a call there.
            let written = is_quote(source.at(start - 1)) && source.at(end) == source.at(start - 1);
            if written
                && text.len() >= 16
                && value::entropy(text) >= 28
                && !value::is_placeholder(text)
            {
                let value = Value { start, end, quoted: true };
                self.framed(&JWK, value, Some(Confidence::High));
            }
        }
    }
}

/// What beats what: armour holds everything inside it.
const _: () = assert!(SPELT > FRAMED);

#[cfg(test)]
mod tests {
    use super::super::{redacted, tests::are_told_apart};

    /// Lines of base64, as many as asked for.
    fn lines(count: u32) -> String {
        (0..count)
            .map(|line| {
                let bytes: Vec<u8> = (0..48_u32)
                    .map(|at| {
                        u8::try_from((line * 48 + at).wrapping_mul(2_654_435_761) >> 24).unwrap()
                    })
                    .collect();
                data_encoding::BASE64.encode(&bytes) + "\n"
            })
            .collect()
    }

    fn key_file() -> String {
        format!(
            "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: mine\nPublic-Lines: 6\n{}Private-Lines: 14\n{}Private-MAC: {}\n",
            lines(6),
            lines(14),
            "9f3a17c2".repeat(8)
        )
    }

    fn of_ssh_com(kind: &str) -> String {
        format!(
            "---- BEGIN SSH2 {kind} KEY ----\nComment: \"mine\"\n{}---- END SSH2 {kind} KEY ----\n",
            lines(8)
        )
    }

    #[test]
    fn keys_of_other_programs_are_told_from_what_speaks_of_them() {
        are_told_apart(
            &[(key_file(), "private-key"), (of_ssh_com("ENCRYPTED PRIVATE"), "private-key")],
            &[
                &of_ssh_com("PUBLIC"),
                "if line.startswith(\"PuTTY-User-Key-File-2: ssh-rsa\"): return parse(line)",
                "A file begins with PuTTY-User-Key-File-3: ssh-ed25519 and has Private-Lines: 1.",
                "BEGIN = \"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\"",
            ],
        );
    }

    #[test]
    fn nothing_of_a_key_file_is_left_behind_its_first_line() {
        for key in [key_file(), of_ssh_com("ENCRYPTED PRIVATE")] {
            let shown = redacted(&format!("before\n{key}behind\n"));
            assert!(shown.starts_with("before\n[REDACTED:private_key:"), "{shown}");
            assert!(shown.ends_with("]\nbehind\n"), "{shown}");
        }
    }
}
