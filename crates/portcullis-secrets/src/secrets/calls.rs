//! Passwords and keys that a call takes beside a user, a host or an algorithm: `basic_auth("svc", "…")`, `new PDO(dsn, user, "…")`,
//! `jwt.sign(claims, "…")`. Owns which calls those are, and which of their arguments it is.

use super::{
    delimit::{Value, closing},
    kinds::{GENERIC_SECRET, PASSWORD, SecretType},
    scan::Scan,
    source::{is_blank, is_name, is_quote},
    value,
};

/// How much of a call is read.
const LONGEST: usize = 400;
/// The longest text before the quote of an argument: `Some(`, `b`.
const PREFIX: usize = 8;

/// A call that takes a secret.
struct Call {
    /// The end of its name, in lower case and from a dot on.
    name: &'static str,
    /// Which argument, from 0.
    argument: usize,
    /// Whether other calls have that name too, so that only what nobody takes for a word counts.
    shared: bool,
    kind: &'static SecretType,
}

const fn login(name: &'static str, argument: usize) -> Call {
    Call { name, argument, shared: false, kind: &PASSWORD }
}

const fn shared(name: &'static str, argument: usize) -> Call {
    Call { name, argument, shared: true, kind: &PASSWORD }
}

const fn key(name: &'static str, argument: usize) -> Call {
    Call { name, argument, shared: false, kind: &GENERIC_SECRET }
}

const CALLS: &[Call] = &[
    shared("auth", 1),
    login("basic_auth", 1),
    login("basicauth", 1),
    login("basicauthentication", 1),
    login("httpbasicauth", 1),
    login("httpdigestauth", 1),
    login("setbasicauth", 1),
    login("plainauth", 2),
    login("networkcredential", 1),
    login("usernamepasswordcredential", 1),
    login("usernamepasswordcredentials", 1),
    login("passwordauthentication", 1),
    login("ssh2_auth_password", 2),
    login("ftp_login", 2),
    shared("login", 1),
    login("pdo", 2),
    login("mysqli", 2),
    login("mysqli_connect", 2),
    login("mysql_connect", 2),
    login("mysql_pconnect", 2),
    login("oci_connect", 1),
    shared("connect", 1),
    shared("connect", 2),
    shared("ftp", 2),
    login("getconnection", 2),
    login("sequelize", 2),
    key("jwt.sign", 1),
    key("jwt.verify", 1),
    key("jwt.encode", 1),
    key("jwt.decode", 1),
    key("createhmac", 1),
    key("hmac.new", 0),
    key("fernet", 0),
];

impl Scan<'_> {
    /// Takes the secret among the arguments of the call whose name holds `at`, if there is such a call.
    pub(super) fn call_at(&mut self, at: usize) {
        let source = self.source;
        let least = at.saturating_sub(super::names::MAX_NAME);
        let before = source.slice(least, at);
        let start = at - before.iter().rev().take_while(|byte| is_name(**byte)).count();
        self.call(start, source.skip_at_most(at, super::names::MAX_NAME, is_name));
    }

    /// The same for a name that is known to go from `start` to `end`.
    pub(super) fn call(&mut self, start: usize, end: usize) {
        let source = self.source;
        let tuple = source.at(end) == b'=' && source.at(end + 1) == b'(';
        let bare = is_blank(source.at(end)) && is_quote(source.at(end + 1));
        if !(source.at(end) == b'(' || tuple || bare) || end < self.calls_until {
            return;
        }
        let own = |call: &&Call| {
            let begin = end.saturating_sub(call.name.len());
            source.has_word(begin, call.name.as_bytes())
                && (begin == start || begin > start && source.at(begin - 1) == b'.')
        };
        let Some(furthest) = CALLS.iter().filter(own).map(|call| call.argument).max() else {
            return;
        };
        let open = end + usize::from(tuple) + 1;
        let (arguments, until) = self.arguments(open, furthest);
        self.calls_until = until;
        for call in CALLS.iter().filter(own) {
            let Some(Some(value)) = arguments.get(call.argument).copied() else { continue };
            let text = source.slice(value.start, value.end);
            let confidence = value::password(text, true).or_else(|| value::token(text, true));
            if !call.shared || confidence.is_some() && value::is_made(text) {
                self.named(call.kind, value, confidence);
            }
        }
    }

    /// The first arguments of a call that are written out as text, up to the one asked for, and where reading ended.
    fn arguments(&mut self, open: usize, furthest: usize) -> ([Option<Value>; 3], usize) {
        let source = self.source;
        let limit = source.len().min(open + LONGEST);
        let mut found = [None; 3];
        let (mut index, mut begin, mut depth, mut number) = (open, open, 0_usize, 0);
        while index < limit && number <= furthest {
            let byte = source.at(index);
            match byte {
                b'"' | b'\'' | b'`' => {
                    let end = closing(source, index + 1, &[byte]).min(limit);
                    let prefix = source.slice(begin, index).trim_ascii_start();
                    let plain = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'(';
                    let whole = prefix.len() <= PREFIX && prefix.iter().all(plain);
                    if let Some(place) = found.get_mut(number)
                        && whole
                        && source.at(end) == byte
                    {
                        *place = Some(Value { start: index + 1, end, quoted: true });
                        // What follows in the same argument is another one's business: `"a" + b`.
                        begin = limit;
                    }
                    index = end + 1;
                    continue;
                }
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth == 0 => return (found, index),
                b')' | b']' | b'}' => depth -= 1,
                b',' if depth == 0 => (begin, number) = (index + 1, number + 1),
                b';' | 0 => return (found, index),
                _ => {}
            }
            index += 1;
        }
        if index >= source.len() {
            self.want_more();
        }
        (found, index)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::are_told_apart;

    #[test]
    fn arguments_that_are_secrets_are_told_from_others() {
        let password = "kT7#vQ2mX9!wZ";
        let given: Vec<_> = [
            "requests.get(url, auth=('svc', 'PW'))",
            "HTTPBasicAuth('svc', 'PW')",
            "req.SetBasicAuth(\"svc\", \"PW\")",
            "client.get(url).basic_auth(\"svc\", Some(\"PW\"))",
            "request.basic_auth 'svc', 'PW'",
            "new NetworkCredential(\"svc\", \"PW\")",
            "new PDO('mysql:host=db;dbname=x', $user, 'PW');",
            "mysqli_connect('db', 'root', 'PW', 'app');",
            "DriverManager.getConnection(url, \"app\", \"PW\");",
            "smtp.PlainAuth(\"\", \"me@example.org\", \"PW\", host)",
            "server.login('me@example.org', 'PW')",
            "DBI->connect(dsn(1, 2), 'root', 'PW');",
        ]
        .iter()
        .map(|text| (text.replace("PW", password), "password"))
        .chain([(format!("jwt.sign(claims, '{password}')"), "generic-secret")])
        .collect();
        are_told_apart(
            &given,
            &[
                "new PDO($dsn, $user, $password)",
                "auth=('user', 'pass')",
                "test.auth('rejects', 'expired2')",
                "assert.login('should work', 'with 2 users')",
                "signals.connect(\"clicked\", \"on_click2\", \"button3\")",
                "key.sign(message, 'kT7#vQ2mX9!wZ')",
                "jwt.sign(payload, secret2)",
            ],
        );
    }
}
