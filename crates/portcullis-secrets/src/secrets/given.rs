//! Values that are given to a name without a sign between the two: arguments of calls, declared types, the next line of a list,
//! words of a statement. Owns where such a value begins.

use super::{
    delimit::{separated, values_at},
    kinds::{GENERIC_SECRET, KUBERNETES_SECRET, PASSWORD},
    scan::Scan,
    source::{is_blank, is_name, is_quote},
    value,
};

/// How much may stand between a name and its type, or a name and the key of its value.
const BETWEEN: usize = 80;

/// Names that a builder or a constructor takes a secret by: `password("…")`.
const CALLS: &[&[u8]] = &[
    b"password",
    b"passwd",
    b"passphrase",
    b"secret",
    b"token",
    b"apikey",
    b"api_key",
    b"secretkey",
    b"secret_key",
    b"clientsecret",
    b"client_secret",
    b"accesstoken",
    b"access_token",
    b"authtoken",
];

impl Scan<'_> {
    /// Where the value of a name begins that no sign follows.
    pub(super) fn given(&mut self, name_start: usize, name_end: usize) -> Option<usize> {
        self.called(name_start, name_end)
            .or_else(|| self.argument(name_start, name_end))
            .or_else(|| self.paired(name_start, name_end))
            .or_else(|| self.declared(name_end))
            .or_else(|| self.listed(name_start, name_end))
    }

    /// `setPassword("…")`, `.password("…")`.
    fn called(&self, name_start: usize, name_end: usize) -> Option<usize> {
        let source = self.source;
        if source.at(name_end) != b'(' {
            return None;
        }
        let name = source.slice(name_start, name_end);
        let name = name.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
        let sets = name.starts_with(b"set")
            || name.starts_with(b"with")
            || CALLS.iter().any(|call| name.eq_ignore_ascii_case(call));
        let start = source.skip(name_end + 1, is_blank);
        (sets && is_quote(source.at(start))).then_some(start)
    }

    /// `define('DB_PASSWORD', '…')`, `properties.put("password", "…")`.
    fn argument(&self, name_start: usize, name_end: usize) -> Option<usize> {
        let source = self.source;
        let quote = source.at(name_end);
        let opened = name_start.checked_sub(1).filter(|at| source.at(*at) == quote)?;
        let before = source.slice(opened.saturating_sub(4), opened);
        let opener = before.iter().rev().find(|byte| !is_blank(**byte)).copied();
        let is_option = source.at(name_start) == b'-';
        // `["--password", "…"]` is how commands are written as lists.
        let called = opener == Some(b'(') || is_option && matches!(opener, Some(b'[' | b','));
        let comma = source.skip(name_end + 1, is_blank);
        let start = source.skip(comma + 1, is_blank);
        let given =
            is_quote(quote) && called && source.at(comma) == b',' && is_quote(source.at(start));
        if !given {
            return None;
        }
        // A message that is shown has blanks; a password as an argument hardly does.
        let ([first, _], _) = values_at(source, start);
        let text = first.map(|value| source.slice(value.start, value.end)).unwrap_or_default();
        (!text.contains(&b' ')).then_some(start)
    }

    /// `{password, "…"}`, `{:password, "…"}`: a pair of a name and its value.
    fn paired(&self, name_start: usize, name_end: usize) -> Option<usize> {
        let source = self.source;
        let colon = usize::from(name_start > 0 && source.at(name_start - 1) == b':');
        let opened = name_start.checked_sub(colon + 1).is_some_and(|at| source.at(at) == b'{');
        let start = source.skip(name_end + 1, is_blank);
        (opened && source.at(name_end) == b',' && is_quote(source.at(start))).then_some(start)
    }

    /// `password string = "…"`, `password As String = "…"`, `PASSWORD: &'static str = "…"`.
    pub(super) fn declared(&self, name_end: usize) -> Option<usize> {
        let source = self.source;
        let colon = source.at(name_end) == b':';
        let begins = source.skip(name_end + usize::from(colon), is_blank);
        if colon && source.at(begins) != b'&' || !colon && begins == name_end {
            return None;
        }
        let equals = source.skip_at_most(begins, BETWEEN, |byte| {
            is_name(byte)
                || is_blank(byte)
                || matches!(byte, b'*' | b'?')
                || colon && matches!(byte, b'&' | b'\'')
        });
        let start = source.skip(equals + 1, is_blank);
        (begins < equals && source.at(equals) == b'=' && is_quote(source.at(start)))
            .then_some(start)
    }

    /// `- name: DB_PASSWORD` and `value: …` on the next line, or behind a comma.
    fn listed(&mut self, name_start: usize, name_end: usize) -> Option<usize> {
        const KEY: usize = 12;
        let source = self.source;
        let before = source.slice(name_start.saturating_sub(KEY), name_start);
        let key = before.iter().rev().skip_while(|byte| is_quote(**byte) || is_blank(**byte));
        let mut key =
            key.skip_while(|byte| **byte == b':').copied().skip_while(|byte| is_quote(*byte));
        let named = [key.next(), key.next(), key.next()].map(|byte| byte.unwrap_or(0));
        if !matches!(&named, b"ema" | b"yek" | b"Ema" | b"yeK") {
            return None;
        }
        let next = source.skip_at_most(name_end, BETWEEN, |byte| {
            byte.is_ascii_whitespace() || is_quote(byte) || byte == b','
        });
        if next >= source.len() {
            self.want_more();
        }
        let is_value = source.has_word(next, b"value");
        is_value.then(|| separated(source, next + b"value".len())).flatten()
    }

    /// What stands in quotes right behind a word that takes a password: `IDENTIFIED BY '…'`.
    pub(super) fn quoted_behind(&mut self, end: usize) {
        let source = self.source;
        let mut start = source.skip(end, is_blank);
        if source.has_word(start, b"-string ") {
            start = source.skip(start + b"-string ".len(), is_blank);
        }
        if start == end || start < self.values_until {
            return;
        }
        let option = self.option_beside(end, b"--value");
        let quoted = matches!(source.at(start), b'\'' | b'"');
        let line = source.slice(end.saturating_sub(BETWEEN), end).to_ascii_lowercase();
        let of_user = value::contains(&line, b"user") || value::contains(&line, b"grant");
        let (values, _) = values_at(source, option.unwrap_or(start));
        for own in values.into_iter().flatten() {
            let text = source.slice(own.start, own.end);
            let confidence = value::password(text, true);
            if quoted || option.is_some() || of_user && confidence.is_some() && value::is_made(text)
            {
                self.named(&PASSWORD, own, confidence);
            }
        }
    }

    /// `gh secret set NAME --body …`.
    pub(super) fn body(&mut self, end: usize) {
        let source = self.source;
        let option = self.option_beside(end, b"--body").or_else(|| self.option_beside(end, b" -b"));
        let Some(start) = option else { return };
        let (values, _) = values_at(source, start);
        for own in values.into_iter().flatten() {
            let text = source.slice(own.start, own.end);
            let confidence = value::token(text, true).or_else(|| value::password(text, true));
            self.named(&GENERIC_SECRET, own, confidence);
        }
    }

    /// `--type SecureString --value …`, in either order.
    fn option_beside(&self, end: usize, option: &[u8]) -> Option<usize> {
        const LINE: usize = 200;
        let source = self.source;
        let before = source.slice(end.saturating_sub(LINE), end);
        let before = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let behind = source.slice(end, source.len().min(end + LINE));
        let behind = behind.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let at = memchr::memmem::find(behind, option)
            .map(|at| end + at)
            .or_else(|| memchr::memmem::find(before, option).map(|at| end - before.len() + at))?;
        let sign = at + option.len();
        let is_option = is_blank(source.at(sign)) || source.at(sign) == b'=';
        is_option.then(|| source.skip(sign + 1, is_blank))
    }

    /// `stringData:` of a manifest: a name and a value on each line, in plain text.
    pub(super) fn plain_pairs(&mut self, from: usize, to: usize) {
        let source = self.source;
        let mut index = source.skip(from, |byte| byte != b'\n') + 1;
        while index < to {
            let name = source.skip(index, is_blank);
            let name_end = source.skip(name, |byte| is_name(byte) || is_quote(byte));
            if name == index || name_end == name || source.at(name_end) != b':' {
                return;
            }
            let start = source.skip(name_end + 1, is_blank);
            let line = source.skip(start, |byte| byte != b'\n');
            let (values, end) = values_at(source, start);
            for own in values.into_iter().flatten() {
                let text = source.slice(own.start, own.end);
                let confidence = value::token(text, true).or_else(|| value::password(text, true));
                if end <= to {
                    self.framed(&KUBERNETES_SECRET, own, confidence);
                }
            }
            index = line.max(end) + 1;
        }
    }
}
