//! Passwords in addresses: `scheme://user:password@host`. Owns where they begin and end.

use super::{
    delimit::{Value, is_reference},
    encoded,
    kinds::{CONNECTION_STRING, SecretType, URL_CREDENTIALS},
    purpose::Purpose,
    scan::{Candidate, FRAMED, Scan},
    source::{is_blank, is_name, is_quote},
    validate::Validity,
    value,
};
use crate::finding::Confidence;

/// Userinfo that long and with a digit, without a colon, is a token and not a name.
const TOKEN_AS_USER: usize = 16;

/// Schemes of databases and queues, whose addresses are connection strings.
const DATABASES: &[&str] = &[
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "mongodb",
    "redis",
    "rediss",
    "amqp",
    "amqps",
    "mssql",
    "sqlserver",
    "oracle",
    "jdbc",
    "cockroachdb",
    "clickhouse",
    "cassandra",
    "couchbase",
    "couchdb",
    "neo4j",
    "bolt",
    "influxdb",
    "kafka",
    "nats",
    "mqtt",
    "mqtts",
    "ldap",
    "ldaps",
    "sqlite",
    "memcached",
    "elasticsearch",
    "db2",
    "snowflake",
    "redshift",
    "trino",
    "presto",
    "hive",
    "vertica",
];

impl Scan<'_> {
    /// Takes the password, or the lone token, before the `@` of the address whose `://` is at `colon`.
    pub(super) fn address(&mut self, colon: usize) {
        let source = self.source;
        let ends =
            |byte: u8| byte.is_ascii_whitespace() || is_quote(byte) || matches!(byte, b'<' | b'>');
        let start = colon + 3;
        if start < self.without_at || colon < self.addresses_until {
            return;
        }
        let authority =
            source.skip(start, |byte| !ends(byte) && !matches!(byte, b'/' | b'?' | b'#'));
        let separator =
            source.skip(start, |byte| byte != b':' && !ends(byte) && byte != b'@' && byte != b'/');
        let last_at =
            |end: usize| memchr::memrchr(b'@', source.slice(start, end)).map(|at| start + at);
        let port = source.slice((separator + 1).min(authority), authority);
        let has_port = port.iter().all(u8::is_ascii_digit);
        let mut at = last_at(authority);
        if at.is_none() && source.at(separator) == b':' && !has_port {
            // A password with a `/` in it, not escaped.
            let whole = source.skip(authority, |byte| !ends(byte));
            at = last_at(whole);
            self.without_at = if at.is_none() { whole } else { self.without_at };
        }
        let Some(at) = at else { return };
        self.addresses_until = at;
        // Tests of addresses have hosts of one letter, or none.
        let host = source.skip_at_most(at + 1, 2, |byte| is_name(byte) || byte == b'[');
        if host < at + 3 && self.purpose == Purpose::Report {
            return;
        }
        if source.at(separator) == b':' && separator < at {
            let value = Value { start: separator + 1, end: at, quoted: true };
            if value.start < value.end && !is_reference(source, value.start) {
                let confidence = self.password_in(start, separator, value);
                self.framed(self.kind_of(colon), value, confidence);
            }
        } else {
            let user = source.slice(start, at);
            let is_token = user.len() >= TOKEN_AS_USER
                && user.iter().any(u8::is_ascii_digit)
                && user.iter().all(|byte| is_name(*byte) || is_blank(*byte));
            if is_token {
                let value = Value { start, end: at, quoted: true };
                self.framed(&URL_CREDENTIALS, value, value::token(user, true));
            }
        }
    }

    fn kind_of(&self, colon: usize) -> &'static SecretType {
        let before = self.source.slice(colon.saturating_sub(24), colon);
        let letters = before
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
        let scheme = self.source.slice(colon - letters.count(), colon).to_ascii_lowercase();
        let first = scheme.split(|byte| *byte == b'+').next().unwrap_or_default();
        if DATABASES.iter().any(|database| database.as_bytes() == first) {
            &CONNECTION_STRING
        } else {
            &URL_CREDENTIALS
        }
    }

    /// How likely a password in an address is one that somebody uses.
    fn password_in(&self, user: usize, separator: usize, value: Value) -> Option<Confidence> {
        let written = self.source.slice(value.start, value.end);
        let text = &encoded::unescaped(written).0;
        if text.iter().any(u8::is_ascii_control) || value::contains(text, b"\\u00") {
            return None;
        }
        let user = self.source.slice(user, separator);
        if let Some(confidence) = value::password(text, true).or_else(|| value::token(text, true)) {
            return Some(confidence);
        }
        let plausible = text.len() >= 4
            && written != user
            && !value::is_placeholder(text)
            && text.iter().all(u8::is_ascii_graphic)
            && !text
                .iter()
                .any(|byte| matches!(byte, b'{' | b'}' | b'$' | b'<' | b'>' | b'(' | b'[' | b'*'))
            && !value::is_wordy(text);
        plausible.then_some(Confidence::Low)
    }

    pub(super) fn framed(
        &mut self,
        kind: &'static SecretType,
        value: Value,
        confidence: Option<Confidence>,
    ) {
        if confidence.is_some() || self.purpose == Purpose::Mask {
            let Value { start, end, quoted: _ } = value;
            self.found.push(Candidate {
                start,
                end,
                body: start,
                kind,
                confidence,
                validity: Validity::Unchecked,
                rank: FRAMED,
            });
        }
    }
}
