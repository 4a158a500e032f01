//! Names that say a secret follows. Owns the words; it reads no values.

/// Words, and a mark for each by which most others are told at once.
struct List {
    words: &'static [&'static str],
    marks: [u64; MARKS / 64],
}

/// How many marks there are; far more than words, so that few share one.
const MARKS: usize = 1 << 11;

impl List {
    fn has(&self, word: &str) -> bool {
        let place = place(word.as_bytes());
        self.marks.get(place / 64).is_some_and(|marks| marks >> (place % 64) & 1 != 0)
            && self.words.contains(&word)
    }
}

#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
const fn list(words: &'static [&'static str]) -> List {
    let mut marks = [0; MARKS / 64];
    let mut at = 0;
    while at < words.len() {
        let place = place(words[at].as_bytes());
        marks[place / 64] |= 1 << (place % 64);
        at += 1;
    }
    List { words, marks }
}

/// The mark of a word: by its ends and its length.
const fn place(word: &[u8]) -> usize {
    let (Some(first), Some(last)) = (word.first(), word.last()) else { return 0 };
    (*first as usize * 61 + *last as usize * 7 + word.len() * 131) % MARKS
}

/// A word that, as a segment of a name, says that the value is secret.
static SECRET_WORDS: List = list(&[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "pass",
    "passe",
    "passwort",
    "kennwort",
    "contrase",
    "senha",
    "pswd",
    "pw",
    "rootpw",
    "bindpw",
    "authtok",
    "psk",
    "masterauth",
    "secret",
    "secrets",
    "token",
    "apikey",
    "credential",
    "credentials",
    "authtoken",
    "accesstoken",
    "secretkey",
    "privatekey",
    "accesskey",
    "clientsecret",
    "bearertoken",
    "refreshtoken",
    "authkey",
]);

/// A word that makes `…key` secret when it stands before it.
static KEY_QUALIFIERS: List = list(&[
    "api",
    "access",
    "private",
    "secret",
    "signing",
    "encryption",
    "account",
    "auth",
    "master",
    "storage",
    "shared",
    "service",
    "hmac",
    "deploy",
    "license",
    "session",
    "ssh",
    "ssl",
    "admin",
    "app",
    "application",
    "client",
    "subscription",
    "webhook",
]);

/// A last word that says the value is about a secret and not one.
static ABOUT: List = list(&[
    "count",
    "limit",
    "limits",
    "type",
    "file",
    "path",
    "dir",
    "name",
    "names",
    "url",
    "uri",
    "length",
    "len",
    "max",
    "min",
    "size",
    "ttl",
    "expiry",
    "expires",
    "expiration",
    "endpoint",
    "policy",
    "enabled",
    "required",
    "field",
    "budget",
    "through",
    "arn",
    "stdin",
    "env",
    "usage",
    "format",
    "version",
    "provider",
    "age",
    "prompt",
    "manager",
    "mgr",
    "realm",
]);

/// A first word that makes an option a switch without a value.
const SWITCHES: &[&str] = &["no", "ask", "prompt", "without", "disable", "enable", "skip"];

/// The longest name that is looked at; longer ones are not names that a person gave.
pub(super) const MAX_NAME: usize = 128;

/// Whether a name says that its value is secret, judged by its words: `DB_PASSWORD`, `apiKey`, `x-api-key`, and not
/// `keyboard`, `monkey`, `max_tokens` or `token_count`.
pub(super) fn is_secret_name(name: &[u8]) -> bool {
    if name.len() < 2 || name.len() > MAX_NAME {
        return false;
    }
    let ends_secret = |word: &str| {
        word.ends_with("password")
            || word.ends_with("passwd")
            || word.ends_with("apikey")
            || is_named_pass(word)
    };
    // Most names are one small word, which needs no taking apart.
    if name.iter().all(u8::is_ascii_lowercase) {
        let word = std::str::from_utf8(name).unwrap_or_default();
        return !ABOUT.has(word) && (SECRET_WORDS.has(word) || ends_secret(word));
    }
    let words = words(name);
    let last = words.last();
    if ABOUT.has(last) {
        return false;
    }
    let shouted = !name.iter().any(u8::is_ascii_lowercase);
    words.iter().any(|word| SECRET_WORDS.has(word) || ends_secret(word))
        || words
            .iter()
            .zip(words.iter().skip(1))
            .any(|(first, second)| second == "key" && KEY_QUALIFIERS.has(first))
        || (last == "auth" && ((shouted && words.count > 1) || name == b"_auth"))
}

/// `dbpass`, `storepass`, and not `bypass`.
fn is_named_pass(word: &str) -> bool {
    const BEFORE: &[&str] = &[
        "admin", "ask", "auth", "bind", "db", "ftp", "http", "imap", "jdbc", "key", "ldap",
        "login", "mail", "my", "mysql", "pg", "proxy", "redis", "require", "root", "smtp", "sql",
        "ssh", "store", "sudo", "user", "vnc", "web", "wifi",
    ];
    word.strip_suffix("pass").is_some_and(|rest| BEFORE.contains(&rest))
}

/// The longest word that [`qualifies`] knows.
const LONGEST_QUALIFIER: usize = 16;

/// Whether a word before `key` or `token` belongs to the name: `API key`, `page token`.
pub(super) fn qualifies(word: &[u8]) -> bool {
    let mut lower = [0; LONGEST_QUALIFIER];
    let Some(lower) = lower.get_mut(..word.len()) else { return false };
    lower.copy_from_slice(word);
    lower.make_ascii_lowercase();
    let word = std::str::from_utf8(lower).unwrap_or_default();
    KEY_QUALIFIERS.has(word) || PUBLIC.has(word)
}

/// What kind of secret a name promises.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Promise {
    /// A password or passphrase.
    Password,
    /// A key of an API.
    Key,
    /// A secret, token or credential.
    Secret,
}

/// A last word that says the value is known to all, or is no secret itself.
static KNOWN_TO_ALL: List = list(&[
    "id",
    "ids",
    "identifier",
    "hash",
    "hashed",
    "hint",
    "label",
    "title",
    "message",
    "description",
    "placeholder",
    "issuer",
    "audience",
    "scope",
    "scopes",
    "header",
    "headers",
    "regex",
    "pattern",
    "index",
    "class",
    "expired",
    "valid",
    "invalid",
    "status",
    "state",
    "at",
    "date",
    "time",
    "timeout",
    "prefix",
    "suffix",
    "rotation",
    "alias",
    "ref",
    "reference",
    "store",
    "request",
    "response",
    "error",
    "errors",
    "callback",
    "handler",
    "helper",
    "service",
    "variable",
    "var",
    "input",
    "output",
    "mode",
    "algorithm",
    "strength",
    "confirmation",
    "reset",
    "change",
    "changed",
    "location",
    "host",
    "port",
    "user",
    "username",
    "email",
    "issue",
    "source",
    "target",
    "strategy",
    "config",
    "settings",
    "options",
    "option",
    "template",
    "example",
    "text",
    "code",
    "fingerprint",
    "checksum",
    "digest",
    "thumbprint",
    "signature",
    "image",
    "page",
    "link",
    "domain",
    "region",
    "role",
    "group",
    "number",
    "address",
    "kind",
    "list",
    "map",
    "set",
    "value",
    "values",
    "vault",
    "resource",
    "server",
    "client",
    "sha",
    "md",
    "crc",
    "uuid",
    "guid",
]);

/// A word that, anywhere in a name, says that the value may be seen.
static PUBLIC: List = list(&[
    "public",
    "pub",
    "publishable",
    "csrf",
    "xsrf",
    "authenticity",
    "antiforgery",
    "foreign",
    "primary",
    "partition",
    "sort",
    "next",
    "page",
    "continuation",
    "pagination",
    "idempotency",
    "cache",
    "object",
    "bucket",
    "routing",
    "resume",
    "sync",
    "cancel",
    "cancellation",
    "device",
    "push",
    "tokenizer",
    "lexer",
    "parser",
    "keyboard",
    "author",
    "captcha",
    "recaptcha",
    "site",
    "anonymous",
    "mock",
    "hash",
    "placeholder",
    "last",
    "lock",
    "ciphertext",
]);

/// Words of tokens that only tell which request, change or page is meant.
static OF_REQUEST: List = list(&["change", "lifecycle", "purchase", "starting", "update"]);

/// What a name promises to those who look for secrets that are out, or nothing where its value may be seen.
pub(super) fn promise(name: &[u8]) -> Option<Promise> {
    if !is_secret_name(name) {
        return None;
    }
    let words = words(name);
    let last = words.last();
    let bare = last.trim_end_matches(|letter: char| letter.is_ascii_digit());
    // What makes a request repeatable, and the scope of a signature, are no secrets.
    let of_request = words.iter().eq(["client", "token"]) && !name.contains(&b'_')
        || words.iter().eq(["client", "request", "token"])
        || last == "token" && words.iter().any(|word| OF_REQUEST.has(word))
        || last == "credential" && words.iter().any(|word| matches!(word, "goog" | "amz"));
    if of_request || KNOWN_TO_ALL.has(bare) || words.iter().any(|word| PUBLIC.has(word)) {
        return None;
    }
    let is_password = |word: &str| {
        matches!(
            word,
            "pass"
                | "pwd"
                | "passphrase"
                | "passcode"
                | "psk"
                | "passe"
                | "passwort"
                | "kennwort"
                | "contrase"
                | "senha"
                | "pswd"
                | "pw"
                | "rootpw"
                | "bindpw"
                | "authtok"
                | "masterauth"
        ) || word.ends_with("password")
            || word.ends_with("passwd")
            || is_named_pass(word)
    };
    Some(if is_password(bare) {
        Promise::Password
    } else if bare.ends_with("key") {
        Promise::Key
    } else if !bare.is_empty() && (bare.ends_with("token") || bare.ends_with("secret")) {
        Promise::Secret
    } else if words.iter().any(is_password) {
        Promise::Password
    } else {
        Promise::Secret
    })
}

/// A word that, as the last of a name, says that the value opens something or is nobody else's business.
static PERSONAL: List = list(&[
    "pin",
    "cvv",
    "cvc",
    "otp",
    "totp",
    "ssn",
    "authorization",
    "auth",
    "bearer",
    "cookie",
    "cookies",
    "dsn",
    "iban",
    "jwt",
    "mnemonic",
]);

/// Whether a name stands for something that is masked wherever it is shown, without being a secret that somebody could have left lying about:
/// `pin`, `Authorization`, `session_cookie`, `DATABASE_DSN`.
pub(super) fn is_personal(name: &[u8]) -> bool {
    if name.len() < 2 || name.len() > MAX_NAME {
        return false;
    }
    let words = words(name);
    let last = words.last();
    let ends = |first, second| {
        last == second && words.iter().zip(words.iter().skip(1)).any(|two| two == (first, second))
    };
    PERSONAL.has(last)
        || PERSONAL.has(&String::from_utf8_lossy(name).to_ascii_lowercase())
        || ends("connection", "string")
        || ends("seed", "phrase")
}

/// Whether an option's name makes it a switch: `--no-password`, `--ask-pass`.
pub(super) fn is_switch(name: &[u8]) -> bool {
    words(name).iter().next().is_some_and(|word| SWITCHES.contains(&word))
}

/// The words of a name in lower case, at `_`, `-`, `.`, and where small letters meet a capital.
struct Words {
    letters: [u8; MAX_NAME],
    /// Where each word starts and ends.
    ends: [(u8, u8); MAX_WORDS],
    count: usize,
}

/// The most words that a name has.
const MAX_WORDS: usize = MAX_NAME / 2 + 1;

impl Words {
    fn word(&self, index: usize) -> &str {
        let (start, end) = self.ends.get(index).copied().unwrap_or_default();
        let letters = self.letters.get(usize::from(start)..usize::from(end)).unwrap_or_default();
        std::str::from_utf8(letters).unwrap_or_default()
    }

    fn iter(&self) -> impl DoubleEndedIterator<Item = &str> + Clone {
        (0..self.count).map(|index| self.word(index))
    }

    fn last(&self) -> &str {
        self.iter().next_back().unwrap_or_default()
    }

    fn push(&mut self, start: usize, end: usize) {
        if let (Ok(start), Ok(end)) = (u8::try_from(start), u8::try_from(end))
            && start < end
            && let Some(place) = self.ends.get_mut(self.count)
        {
            *place = (start, end);
            self.count += 1;
        }
    }
}

fn words(name: &[u8]) -> Words {
    let mut words = Words { letters: [0; MAX_NAME], ends: [(0, 0); MAX_WORDS], count: 0 };
    let mut before = 0_u8;
    let mut start = 0;
    for (byte, letter) in name.iter().zip(&mut words.letters) {
        *letter = byte.to_ascii_lowercase();
    }
    for (index, byte) in name.iter().take(MAX_NAME).enumerate() {
        let starts_word = byte.is_ascii_uppercase() && before.is_ascii_lowercase();
        if !byte.is_ascii_alphanumeric() {
            words.push(start, index);
            start = index + 1;
        } else if starts_word {
            words.push(start, index);
            start = index;
        }
        before = *byte;
    }
    words.push(start, name.len().min(MAX_NAME));
    words
}
