//! Passwords between a user and a host without a scheme before them: `user:password@tcp(host)`, `user/password@host`,
//! `host:port:database:user:password`. Owns where they begin and end; addresses with a scheme are read by `address`.

use super::{
    delimit::{Value, is_reference},
    kinds::CONNECTION_STRING,
    scan::Scan,
    source::{is_name, is_quote},
    value,
};

/// The longest user and the longest password.
const USER: usize = 64;
const PASSWORD: usize = 128;

fn ends(byte: u8) -> bool {
    byte == 0 || byte.is_ascii_whitespace() || is_quote(byte) || matches!(byte, b'<' | b'>' | b'`')
}

impl Scan<'_> {
    /// `user:password@tcp(host:port)/database`, as Go's drivers write it; the sign before `tcp` is at `at`.
    pub(super) fn before_network(&mut self, at: usize) {
        let source = self.source;
        let before = source.slice(at.saturating_sub(USER + PASSWORD), at);
        let joined = before.iter().rev().take_while(|byte| !ends(**byte)).count();
        let begin = at - joined;
        let Some(colon) = memchr::memchr(b':', source.slice(begin, at)) else { return };
        self.password_of_login(begin, begin + colon, at);
    }

    /// `user/password@host`: the user begins at `user`.
    pub(super) fn slashed(&mut self, user: usize) {
        let source = self.source;
        let slash = source.skip_at_most(user, USER, is_name);
        if slash == user || source.at(slash) != b'/' {
            return;
        }
        let end = source
            .skip_at_most(slash + 1, PASSWORD, |byte| !ends(byte) && !matches!(byte, b'@' | b'/'));
        self.password_of_login(user, slash, end);
    }

    /// A line of a password file, in which a port stands at `at`: `host:port:database:user:password`.
    pub(super) fn password_file(&mut self, at: usize) {
        const FIELDS: usize = 3;
        let source = self.source;
        let before = source.slice(at.saturating_sub(USER), at);
        let host = before
            .iter()
            .rev()
            .take_while(|byte| is_name(**byte) || matches!(**byte, b'*' | b'/'))
            .count();
        let begin = at - host;
        let starts_line = begin == 0 || matches!(source.at(begin - 1), b'\n' | b'"' | b'\'' | b' ');
        if host == 0 || !starts_line {
            return;
        }
        let mut index = at;
        let mut user = at;
        for _ in 0..FIELDS {
            user = index + 1;
            let end = source.skip_at_most(user, USER, |byte| is_name(byte) || byte == b'*');
            if end == user || source.at(end) != b':' {
                return;
            }
            index = end;
        }
        let end = source.skip_at_most(index + 1, PASSWORD, |byte| !ends(byte));
        // `localhost:5432:app:user:` with something of a log behind it is none.
        if matches!(source.at(end), 0 | b'\n' | b'\r' | b'"' | b'\'') {
            self.password_of_login(user, index, end);
        }
    }

    fn password_of_login(&mut self, user: usize, sign: usize, end: usize) {
        let source = self.source;
        let own = Value { start: sign + 1, end, quoted: true };
        if own.start >= end || is_reference(source, own.start) {
            return;
        }
        let text = source.slice(own.start, end);
        // A user database has more fields.
        if text.contains(&b':') && source.at(sign) == b':' {
            return;
        }
        let confidence = value::password(text, true).or_else(|| value::token(text, true));
        if text != source.slice(user, sign) {
            self.framed(&CONNECTION_STRING, own, confidence);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::are_told_apart;

    #[test]
    fn passwords_without_a_scheme_are_told_from_ports_and_columns() {
        let given: Vec<_> = [
            "\"app:kT7vQ2mX9wZ@tcp(10.0.0.1:3306)/prod\"",
            "dsn = 'root:kT7vQ2mX9wZ@unix(/tmp/mysql.sock)/x'",
            "jdbc:oracle:thin:scott/kT7vQ2mX9wZ@db:1521:orcl",
            "sqlplus -s scott/kT7vQ2mX9wZ@//db:1521/ORCL",
            "db.internal:5432:app:svc:kT7vQ2mX9wZ",
            "*:*:*:postgres:kT7vQ2mX9wZ\n",
        ]
        .iter()
        .map(|text| ((*text).to_owned(), "connection-string"))
        .collect();
        are_told_apart(
            &given,
            &[
                "\"%s:%s@tcp(%s:%d)/%s\"",
                "user:password@tcp(127.0.0.1:3306)/test",
                "jdbc:oracle:thin:@db:1521:orcl",
                "sqlplus /nolog",
                "sqlplus user/$PASSWORD@orcl",
                "listen tcp 0.0.0.0:5432: bind: address already in use",
                "daemon:*:1:1:daemon:/usr/sbin:/usr/sbin/nologin",
            ],
        );
    }
}
