//! Credentials in headers: `Authorization: Bearer …`, `Cookie: session=…`. Owns which headers those are, their schemes and their
//! pairs.

use super::{
    delimit::{Value, is_reference, separated},
    kinds::{BASIC_AUTH, BEARER, COOKIE},
    purpose::Purpose,
    scan::Scan,
    source::{is_blank, is_name, is_quote},
    validate, value,
};
use crate::finding::Confidence;

pub(super) fn is_credential_header(name: &[u8]) -> bool {
    [&b"authorization"[..], b"proxy-authorization", b"cookie", b"set-cookie"]
        .iter()
        .any(|header| name.eq_ignore_ascii_case(header))
}

impl Scan<'_> {
    /// A header's value: all of the line, or of the quotes around it, but for the scheme.
    pub(super) fn header(&mut self, name: &[u8], name_end: usize) -> usize {
        let source = self.source;
        let Some(start) = separated(source, name_end) else { return name_end };
        let unquoted = start;
        let start = source.skip(start, |byte| is_quote(byte) || byte == b'\\');
        let word = source.skip(start, is_name);
        // `authorization = messages.Field(…)` is code.
        if start == unquoted && matches!(source.at(word), b'(' | b'[') && word > start {
            return start;
        }
        if source.starts_with(word, b"::") || source.starts_with(word, b"->") {
            return start;
        }
        let scheme = source.slice(start, word);
        // Of a vendor's own scheme one word follows: `SSWS …`, `Bot …`.
        let has_scheme = source.at(word) == b' '
            && ([&b"bearer"[..], b"basic", b"token", b"digest", b"apikey"]
                .iter()
                .any(|known| scheme.eq_ignore_ascii_case(known))
                || self.is_last_word(source.skip(word, is_blank)));
        let start = if has_scheme { source.skip(word, is_blank) } else { start };
        if is_reference(source, start) {
            return start;
        }
        let end = source.skip(start, |byte| !matches!(byte, b'\n' | b'\r' | b'"' | b'\'' | b'`'));
        if start < end {
            let is_cookie = name.to_ascii_lowercase().ends_with(b"cookie");
            if is_cookie {
                self.session(start, end);
            }
            self.credential(scheme, has_scheme, is_cookie, start, end);
        }
        end
    }

    /// Whether nothing but one word stands from `at` to the end of a header.
    fn is_last_word(&self, at: usize) -> bool {
        let end = self.source.skip(at, |byte| {
            byte.is_ascii_graphic() && !matches!(byte, b',' | b';' | b'"' | b'\'' | b'`')
        });
        end > at && matches!(self.source.at(end), 0 | b'\n' | b'\r' | b'"' | b'\'' | b'`')
    }

    fn credential(
        &mut self,
        scheme: &[u8],
        has_scheme: bool,
        is_cookie: bool,
        start: usize,
        end: usize,
    ) {
        let word = self.source.skip(start, |byte| {
            byte.is_ascii_graphic() && !matches!(byte, b',' | b';' | b'"' | b'\'' | b'`')
        });
        let text = self.source.slice(start, word);
        let (kind, confidence) = if is_cookie {
            (&COOKIE, None)
        } else if has_scheme && scheme.eq_ignore_ascii_case(b"basic") {
            let password = validate::basic_password(text);
            let judged = password.and_then(|password| {
                (password.len() >= 3 && !value::is_placeholder(&password))
                    .then_some(Confidence::High)
            });
            (&BASIC_AUTH, judged)
        } else {
            (&BEARER, value::token(text, true))
        };
        let end = if self.purpose == Purpose::Mask { end } else { word };
        self.named(kind, Value { start, end, quoted: true }, confidence);
    }

    /// `Bearer` and something that is not a word.
    pub(super) fn bearer(&mut self, name_end: usize) -> usize {
        let source = self.source;
        let start = source.skip(name_end, is_blank);
        let end =
            source.skip(start, |byte| is_name(byte) || matches!(byte, b'~' | b'+' | b'/' | b'='));
        let credential = source.slice(start, end);
        let like_a_word = credential.len() < 20 && !credential.iter().any(u8::is_ascii_digit);
        if start == name_end || credential.len() < 8 || like_a_word {
            return name_end;
        }
        self.named(&BEARER, Value { start, end, quoted: true }, value::token(credential, true));
        end
    }

    /// The session in a cookie header's pairs.
    fn session(&mut self, start: usize, end: usize) {
        let source = self.source;
        let mut from = start;
        for pair in source.slice(start, end).split(|byte| *byte == b';') {
            let at = from;
            from += pair.len() + 1;
            let Some(equals) = memchr::memchr(b'=', pair) else { continue };
            let name = pair.get(..equals).unwrap_or_default().trim_ascii().to_ascii_lowercase();
            let is_session = [&b"sess"[..], b"auth", b"token", b"sid", b"jwt"]
                .iter()
                .any(|word| value::contains(&name, word))
                && !value::contains(&name, b"csrf")
                && !value::contains(&name, b"xsrf");
            let text = pair.get(equals + 1..).unwrap_or_default();
            if is_session {
                let start = at + equals + 1;
                let own = Value { start, end: start + text.len(), quoted: true };
                self.named(&COOKIE, own, value::token(text, true));
            }
        }
    }
}
