//! Secrets told by their name: assignments in code, JSON, YAML, TOML, XML and shells, options. Owns which value belongs to a name;
//! where it begins and ends, `delimit` says, whether the name is telling, `names`, and whether the value is one, `value`.

use super::{
    delimit::{PLACED, Value, placeholder, separated, values_at},
    headers::is_credential_header,
    kinds::{CONNECTION_STRING, GENERIC_API_KEY, GENERIC_SECRET, PASSWORD, SecretType},
    names::{self, MAX_NAME, Promise, is_secret_name, promise},
    purpose::Purpose,
    scan::{Candidate, Closer, NAMED, Scan},
    source::{Source, is_blank, is_name, is_quote},
    validate::Validity,
    value,
};
use crate::finding::Confidence;

/// What is shorter is no token, but may be a password.
const SHORTEST_TOKEN: usize = 16;
/// The longest word before `key`.
const LONGEST_WORD: usize = 16;

impl Scan<'_> {
    /// `NAME=value`, `"name": "value"`, `name => value`, `<name>value<`, `--name value`, `NAME 'value'`, for secret names,
    /// and what follows `Authorization:` and `Bearer`. `at` lies somewhere in the name.
    pub(super) fn name(&mut self, at: usize) {
        if at < self.names_until {
            return;
        }
        let source = self.source;
        let least = at.saturating_sub(MAX_NAME).max(self.values_until);
        let before = source.slice(least, at);
        let start = at - before.iter().rev().take_while(|byte| is_name(**byte)).count();
        let end = source.skip(at, is_name);
        self.names_until = end;
        if end - start > MAX_NAME {
            return;
        }
        self.call(start, end);
        if source.slice(start, end) == b"chpasswd" {
            self.fed(end, true);
            self.accounts(end);
            return;
        }
        // `Contraseña` goes on behind what is a name elsewhere.
        let end = end + if source.starts_with(end, "ña".as_bytes()) { "ña".len() } else { 0 };
        let (start, asked) = self.with_qualifier(start, end);
        if !self.may_have_value(start, end) {
            return;
        }
        // What stands in a secret's place names its type.
        let placed = start.checked_sub(PLACED.len()).and_then(|at| placeholder(source, at));
        if let Some(end) = placed {
            self.values_until = end;
            self.names_until = end;
            return;
        }
        // An escape in quoted text (`\nPASSWORD=`) would otherwise become a part of the name.
        let escaped = start > 0 && source.at(start - 1) == b'\\' && source.at(start) != b'-';
        let name = source.slice(start + usize::from(escaped && end - start > 1), end);
        let name = if asked { &b"api-key"[..] } else { name };
        let after = if name.eq_ignore_ascii_case(b"bearer") {
            self.bearer(end)
        } else if is_credential_header(name) {
            self.header(name, end)
        } else if is_secret_name(name) || (escaped && is_secret_name(source.slice(start, end))) {
            self.value_of(start, end, name)
        } else {
            end
        };
        self.values_until = after.max(end);
        self.names_until = self.values_until;
    }

    /// Where the name that ends in `key` or `token` begins: `API key` has two words. And whether it is what a service is asked with: `?key=`.
    fn with_qualifier(&self, start: usize, end: usize) -> (usize, bool) {
        let source = self.source;
        let own = source.slice(start, end);
        let is_key = own.eq_ignore_ascii_case(b"key");
        if !(is_key || own.eq_ignore_ascii_case(b"token")) || start < 2 {
            return (start, false);
        }
        if is_key && matches!(source.at(start - 1), b'?' | b'&') && source.at(end) == b'=' {
            let value = source.skip_at_most(end + 1, MAX_NAME, is_name);
            let is_path = source.at(value) == b'/';
            return (start, !is_path && !source.slice(end, value).contains(&b'-'));
        }
        let before = source.slice(start.saturating_sub(LONGEST_WORD), start - 1);
        let letters = before.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let word = before.get(before.len() - letters..).unwrap_or_default();
        let joined = source.at(start - 1) == b' ' && names::qualifies(word);
        (if joined { start - 1 - letters } else { start }, false)
    }

    /// Whether something follows a name that could be its value. It is asked first, because it is quick to answer and most names
    /// have none.
    fn may_have_value(&self, start: usize, end: usize) -> bool {
        let source = self.source;
        let blank = source.skip(end, is_blank);
        match source.at(end) {
            b'=' | b':' | b'"' | b'\'' | b'`' | b'\\' | b']' | b'>' | b'!' | b'~' => true,
            b'<' => source.at(end + 1) == b'/',
            b'(' => matches!(source.at(source.skip(end + 1, is_blank)), b'"' | b'\''),
            b'\n' | b'\r' | b',' => {
                start > 0 && matches!(source.at(start - 1), b' ' | b'"' | b'\'' | b'{' | b':')
            }
            b' ' | b'\t' => {
                // `--name value`, `set name value`, `name value` in quotes, and `Bearer value`.
                matches!(
                    source.at(blank),
                    b'=' | b':' | b'"' | b'\'' | b'`' | b'!' | b'~' | b'?' | b'+'
                ) || source.at(start) == b'-'
                    || source.has_word(start, b"bearer")
                    || start > 0
                        && (source.at(start - 1).is_ascii_whitespace()
                            || matches!(source.at(start - 1), b'\\' | b'<' | b':' | b'/'))
                    || start == 0
            }
            _ => false,
        }
    }

    fn value_of(&mut self, name_start: usize, name_end: usize, name: &[u8]) -> usize {
        let source = self.source;
        if let Some(value) = self.element(name_start, name_end) {
            self.judged(name, name_start, value);
            return value.end;
        }
        let is_option = source.at(name_start) == b'-' && !names::is_switch(name);
        if source.at(name_end) == b':'
            && let Some(start) = self.declared(name_end)
        {
            return self.value(name, name_start, start);
        }
        if name_start > 0 && source.at(name_start - 1) == b':' && self.is_resource(name_start) {
            return name_end;
        }
        // `"AWS::IAM::AccessKey": "…"`: a type, and what belongs to it.
        let is_type = name_start > 1
            && source.slice(name_start - 2, name_start) == b"::"
            && is_quote(source.at(name_end));
        if is_type {
            return name_end;
        }
        if let Some(start) = separated(source, name_end) {
            let working_directory = name.ends_with(b"PWD") && source.at(start) == b'/';
            if working_directory {
                return name_end;
            }
            // `password: str = "…"`: the first is a type.
            let (first, type_end) = values_at(source, start);
            let type_end =
                source.skip_at_most(type_end, 4, |byte| matches!(byte, b']' | b'>' | b')'));
            let equals = source.skip(type_end, is_blank);
            let is_typed = source.at(name_end) == b':' && source.at(equals) == b'=';
            let is_plain = first.iter().flatten().all(|value| !value.quoted);
            if is_typed && is_plain && self.purpose != Purpose::Mask {
                return self.value(name, name_start, source.skip(equals + 1, is_blank));
            }
            let mut end = self.value(name, name_start, start);
            if is_typed {
                end = self.value(name, name_start, source.skip(equals + 1, is_blank));
            }
            return end;
        }
        if let Some(start) =
            self.attribute(name_end).or_else(|| self.default_of(name_start, name_end))
        {
            return self.value(name, name_start, start);
        }
        if let Some(start) = self.given(name_start, name_end) {
            return self.value(name, name_start, start);
        }
        let start = source.skip(name_end, is_blank);
        if start > name_end && (is_set(source, name_start) || is_login(source, name_start, name)) {
            return self.value(name, name_start, start);
        }
        let quoted = matches!(source.at(start), b'\'' | b'"') && source.at(name_end) != b'\\';
        // `you can pass "inline=False"`
        let is_verb = name == b"pass"
            && source
                .slice(start + 1, source.skip_at_most(start + 1, MAX_NAME, |byte| !is_quote(byte)))
                .contains(&b'=');
        if start > name_end && !is_verb && (quoted || (is_option && source.at(start) != b'-')) {
            return self.value(name, name_start, start);
        }
        if let Some(cell) = self.next_cell(name_end) {
            if value::is_made(source.slice(cell.start, cell.end)) {
                self.judged(name, name_start, cell);
            }
            return name_end;
        }
        if start > name_end {
            self.said(name, name_end);
        }
        name_end
    }

    /// Whether a name is a part of `arn:aws:secretsmanager:region:account:secret:name`.
    fn is_resource(&self, name_start: usize) -> bool {
        const LONGEST: usize = 120;
        let before = self.source.slice(name_start.saturating_sub(LONGEST), name_start);
        let word = before.iter().rposition(|byte| byte.is_ascii_whitespace() || is_quote(*byte));
        value::contains(before.get(word.map_or(0, |at| at + 1)..).unwrap_or_default(), b"arn:")
    }

    /// `key="Password" value="…"`: the value of an element whose name is a value itself.
    fn attribute(&self, name_end: usize) -> Option<usize> {
        let source = self.source;
        if !is_quote(source.at(name_end)) {
            return None;
        }
        let word = source.skip_at_most(name_end + 1, 4, |byte| byte.is_ascii_whitespace());
        source.has_word(word, b"value=").then_some(word + b"value=".len())
    }

    /// `variable "db_password" { default = "…" }`: what Terraform takes where nobody gives another.
    fn default_of(&mut self, name_start: usize, name_end: usize) -> Option<usize> {
        const BODY: usize = 400;
        let source = self.source;
        if source.at(name_end) != b'"' || name_start == 0 || source.at(name_start - 1) != b'"' {
            return None;
        }
        let brace = source.skip(name_end + 1, is_blank);
        if source.at(brace) != b'{' {
            return None;
        }
        let body = source.slice(brace, source.len().min(brace + BODY));
        if !body.contains(&b'}') && body.len() < BODY {
            self.want_more();
        }
        let body = body.split(|byte| *byte == b'}').next().unwrap_or_default();
        let at = memchr::memmem::find(body, b"default")?;
        separated(source, brace + at + b"default".len())
    }

    /// Takes the value at `start` and gives its end.
    pub(super) fn value(&mut self, name: &[u8], name_start: usize, start: usize) -> usize {
        let (values, end) = values_at(self.source, start);
        let unclosed =
            values.iter().flatten().find(|value| value.quoted && value.end >= self.source.len());
        if let Some(Value { start: open, .. }) = unclosed
            && (self.purpose == Purpose::Mask || promise(name).is_some())
        {
            let opener = self.source.slice(start, *open).to_vec();
            if self.leave_open(*open, &GENERIC_SECRET, Closer::Quote(opener)) {
                return end;
            }
        }
        let before = self.found.len();
        for value in values.into_iter().flatten() {
            self.judged(name, name_start, value);
        }
        // A quoted object has names of its own. Where text follows right behind its quote, it is read to its end only once.
        let [first, None] = values else { return end };
        let nested = first.filter(|value| {
            self.found.len() == before
                && value.quoted
                && matches!(self.source.at(value.start), b'{' | b'[')
        });
        nested.map_or(end, |value| value.start)
    }

    /// Takes a value by what its name promises and it keeps.
    fn judged(&mut self, name: &[u8], name_start: usize, value: Value) {
        let text = self.source.slice(value.start, value.end);
        if self.purpose == Purpose::Mask {
            self.named(&GENERIC_SECRET, value, None);
            return;
        }
        let Some(promise) = promise(name) else { return };
        if repeats(name, text) || self.is_sealed(value) {
            return;
        }
        // `$self->password` asks an object.
        if !value.quoted && text.ends_with(b"-") && self.source.at(value.end) == b'>' {
            return;
        }
        // `key: Seed<'_>` names a type.
        let behind = self.source.at(value.end + 1);
        let is_type = self.source.at(value.end) == b'<'
            && (behind.is_ascii_uppercase() || matches!(behind, b'\'' | b'&' | b'_'));
        if !value.quoted && is_type {
            return;
        }
        let (kind, confidence) = match promise {
            Promise::Password => {
                let joined = self.is_connection_string(name_start);
                let kind = if joined { &CONNECTION_STRING } else { &PASSWORD };
                (kind, value::password(text, value.quoted || joined))
            }
            Promise::Key => (&GENERIC_API_KEY, value::token(text, value.quoted)),
            Promise::Secret => (&GENERIC_SECRET, value::token(text, value.quoted)),
        };
        // What is called a secret may be as short as a password.
        let short = promise == Promise::Secret
            && confidence.is_none()
            && text.len() < SHORTEST_TOKEN
            && [&b"secret"[..], b"secret-string"]
                .iter()
                .any(|end| name.to_ascii_lowercase().ends_with(end))
            && value::is_made(text);
        let confidence = if short { value::password(text, value.quoted) } else { confidence };
        self.named(kind, value, confidence);
    }

    /// Whether a value is one of a sealed secret, which only a cluster can open.
    fn is_sealed(&self, value: Value) -> bool {
        const SHORTEST: usize = 64;
        const ABOVE: usize = 800;
        value.end - value.start >= SHORTEST
            && self.source.starts_with(value.start, b"Ag")
            && value::contains(
                self.source.slice(value.start.saturating_sub(ABOVE), value.start),
                b"encryptedData",
            )
    }

    /// Whether a name is one of several in a connection string: `Server=db;User ID=sa;Password=`.
    fn is_connection_string(&self, name_start: usize) -> bool {
        const BEFORE: usize = 200;
        let before = self.source.slice(name_start.saturating_sub(BEFORE), name_start);
        let line =
            before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default().to_ascii_lowercase();
        line.contains(&b';')
            && [
                &b"server="[..],
                b"data source=",
                b"host=",
                b"addr=",
                b"uid=",
                b"user id=",
                b"database=",
            ]
            .iter()
            .any(|word| value::contains(&line, word))
    }

    pub(super) fn named(
        &mut self,
        kind: &'static SecretType,
        value: Value,
        confidence: Option<Confidence>,
    ) {
        let Value { start, end, quoted: _ } = value;
        let reported = confidence.is_some() && !value::is_published(self.source.slice(start, end));
        if start < end && (reported || self.purpose == Purpose::Mask) {
            self.found.push(Candidate {
                start,
                end,
                body: start,
                kind,
                confidence,
                validity: Validity::Unchecked,
                rank: NAMED,
            });
        }
    }
}

/// Whether a value only says its name again: `PSK_WITH_AES "PSK-WITH-AES"`.
fn repeats(name: &[u8], value: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    let value = value.to_ascii_lowercase();
    let (mut all, mut again) = (0, 0);
    for word in value.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| word.len() > 1) {
        all += 1;
        again += usize::from(value::contains(&name, word));
    }
    all > 1 && again * 2 >= all
}

/// Whether a name stands where a shell's command sets a variable: `setx NAME value`, `setenv NAME value`,
/// `set -gx NAME value`.
fn is_set(source: Source<'_>, name_start: usize) -> bool {
    const LONGEST: usize = 24;
    if name_start == 0 || !is_blank(source.at(name_start - 1)) {
        return false;
    }
    let before = source.slice(name_start.saturating_sub(LONGEST), name_start);
    let mut words = before.split(|byte| !(is_name(*byte))).rev().filter(|word| !word.is_empty());
    match words.next() {
        Some(b"setx" | b"setenv" | b"ENV") => true,
        Some(options) => options.starts_with(b"-") && words.next() == Some(b"set"),
        None => false,
    }
}

/// Whether a name is the third of `machine HOST login USER password VALUE`.
fn is_login(source: Source<'_>, name_start: usize, name: &[u8]) -> bool {
    const LONGEST: usize = 200;
    let before = source.slice(name_start.saturating_sub(LONGEST), name_start);
    let mut words =
        before.split(|byte| byte.is_ascii_whitespace()).rev().filter(|word| !word.is_empty());
    name == b"password" && words.nth(1) == Some(b"login")
}
