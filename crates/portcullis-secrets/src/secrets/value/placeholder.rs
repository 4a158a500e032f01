//! Values that only stand for one. Owns the words, look-ups, variables and sequences by which they are told.

use super::{contains, pieces::Pieces};

/// Words that stand for a value: alone, a value of these is none.
static WORDS: Pieces = Pieces::new(&[
    "access_token",
    "account_password",
    "account_token",
    "admin",
    "api_key",
    "api-key",
    "apikey",
    "api_token",
    "auth",
    "auth_token",
    "bar",
    "base64",
    "basic",
    "bearer",
    "boolean",
    "bool",
    "changeit",
    "changeme",
    "client_secret",
    "credential",
    "credentials",
    "database",
    "default",
    "demo",
    "disabled",
    "email",
    "empty",
    "enabled",
    "example",
    "fake",
    "false",
    "foo",
    "foobar",
    "guest",
    "hidden",
    "integer",
    "invalid",
    "key",
    "letmein",
    "localhost",
    "login",
    "masked",
    "missing",
    "mock",
    "mysecret",
    "mypassword",
    "mytoken",
    "mysql",
    "name",
    "nil",
    "no",
    "none",
    "null",
    "object",
    "off",
    "on",
    "optional",
    "pass",
    "passphrase",
    "passwd",
    "password",
    "password1",
    "password123",
    "placeholder",
    "postgres",
    "prompt",
    "pwd",
    "qwerty",
    "redacted",
    "refresh_token",
    "required",
    "root",
    "sample",
    "secret",
    "secret_key",
    "secretkey",
    "self",
    "str",
    "string",
    "test",
    "test123",
    "testing",
    "testpass",
    "testpassword",
    "text",
    "token",
    "true",
    "tbd",
    "todo",
    "undefined",
    "unknown",
    "unset",
    "user",
    "username",
    "value",
    "void",
    "xxx",
    "yes",
    "yyy",
    "your",
    "zzz",
]);

/// Pieces that only a stand-in has. They are long enough that chance does not spell them.
static PIECES: Pieces = Pieces::new(&[
    "changeme",
    "change-me",
    "change_me",
    "change_it",
    "dummy",
    "example",
    "fixme",
    "goes-here",
    "goes_here",
    "insert-",
    "insert_",
    "my-secret",
    "my_secret",
    "my-token",
    "my_token",
    "my-api",
    "my_api",
    "my-password",
    "my_password",
    "placeholder",
    "redacted",
    "replace-",
    "replace_",
    "replaceme",
    "sanitized",
    "some-secret",
    "some_secret",
    "some-token",
    "some_token",
    "todo",
    "-here",
    "_here",
    "xxxx",
    "your-",
    "your_",
    "yourapi",
    "yourkey",
    "yourpass",
    "yoursecret",
    "yourtoken",
    "****",
    "....",
    "____",
    "----",
    "anonymous",
    "abcdefghijklmnop",
    "123456789012",
    "0123456789abc",
    "deadbeefdeadbeef",
    "00000000",
]);

/// Beginnings of expressions that look a value up instead of holding it.
static LOOKUPS: Pieces = Pieces::new(&[
    "process.env",
    "os.environ",
    "os.getenv",
    "getenv",
    "env(",
    "env[",
    "env.",
    "env:",
    "$env",
    "import.meta",
    "system.getenv",
    "std::env",
    "deno.env",
    "secrets.",
    "vault:",
    "vault(",
    "var.",
    "vars.",
    "local.",
    "module.",
    "data.",
    "config.",
    "config(",
    "configuration[",
    "settings.",
    "params.",
    "options.",
    "props.",
    "this.",
    "self.",
    "args.",
    "req.",
    "request.",
    "ctx.",
    "await ",
    "new ",
    "!ref",
    "!vault",
    "!sub",
    "!getatt",
    "enc[",
    "enc(",
    "op://",
    "ref+",
    "arn:",
    "ssm:",
    "sm://",
    "azkv://",
    "keyring:",
    "keychain:",
    "file:",
    "file(",
    "path:",
    "@/",
    "./",
    "../",
    "~/",
    "c:\\",
    "lookup(",
    "fetch(",
    "get_",
    "input(",
    "prompt(",
    "field(",
    "function",
    "lambda",
    "{{",
    "[redacted:",
    "string.",
    "ask ",
    "none,",
]);

/// Whether a value only says where the secret is, or that there will be one.
pub(in crate::secrets) fn is_placeholder(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    let (Some(first), Some(last)) = (value.first(), value.last()) else { return true };
    let bracketed = matches!(
        (first, last),
        (b'<', b'>')
            | (b'[', b']')
            | (b'{', b'}')
            | (b'(', b')')
            | (b'%', b'%')
            | (b'@', b'@')
            | (b'#', b'}')
    );
    if bracketed
        || value.starts_with(b"__") && value.ends_with(b"__")
        || value.starts_with(b"--")
        || is_constant(value)
        || is_variable(value)
        || has_slot(value)
        || value.starts_with(b"${") && (value.ends_with(b"}") || !value.contains(&b'}'))
        || value.starts_with(b"$(")
        || value.starts_with(b"#{")
        || value.starts_with(b"<%")
        || value.len() <= 3 && first == &b'%'
        || is_sequence(value, u8::to_ascii_lowercase)
    {
        return true;
    }
    let sign = |byte: &u8| {
        matches!(byte, b'[' | b']' | b'<' | b'>' | b'{' | b'}' | b'(' | b')' | b'*' | b'#' | b'!')
    };
    let opened = value.iter().take_while(|byte| sign(byte)).count();
    let closed = value.iter().rev().take_while(|byte| sign(byte)).count();
    let bare =
        value.get(opened..value.len() - closed.min(value.len() - opened)).unwrap_or_default();
    WORDS.have(bare) || LOOKUPS.begin(value) || PIECES.are_in(value)
}

/// Whether a name in braces stands in it, which something else takes the place of: `{registry_id}-auth-token`.
fn has_slot(value: &[u8]) -> bool {
    const LEAST: usize = 3;
    let mut rest = value;
    while let Some(open) = rest.iter().position(|byte| *byte == b'{') {
        rest = rest.get(open + 1..).unwrap_or_default();
        let is_name = |byte: &u8| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'.');
        let length = rest.iter().take_while(|byte| is_name(byte)).count();
        if length >= LEAST && rest.get(length) == Some(&b'}') {
            return true;
        }
    }
    false
}

/// Whether a value is the name of a variable that holds one: `PROXY_PASSWORD`.
fn is_constant(value: &[u8]) -> bool {
    value.contains(&b'_')
        && value.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_')
        && [&b"PASS"[..], b"TOKEN", b"SECRET", b"KEY", b"CRED", b"AUTH"]
            .iter()
            .any(|word| contains(value, word))
}

/// `$NAME`, `$1`, `${NAME}`, `%NAME%`, `:name`, `?`.
fn is_variable(value: &[u8]) -> bool {
    let name = |text: &[u8]| {
        !text.is_empty() && text.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    match value {
        [b'$', b'{', rest @ .., b'}'] => {
            name(rest) || rest.first().is_some_and(u8::is_ascii_alphabetic)
        }
        [b'$', rest @ ..] => {
            name(rest)
                && !(rest.len() > 12
                    && rest.iter().any(u8::is_ascii_digit)
                    && rest.iter().any(u8::is_ascii_lowercase)
                    && rest.iter().any(u8::is_ascii_uppercase))
        }
        [b':', rest @ ..] => name(rest) && rest.iter().all(|byte| !byte.is_ascii_digit()),
        [b'?'] => true,
        _ => false,
    }
}

/// Whether most bytes follow from the one before: `aaaa`, `1234`, `abcd`, `xxxx-xxxx`.
pub(super) fn is_sequence(value: &[u8], as_read: impl Fn(&u8) -> u8) -> bool {
    let follows = |pair: &&[u8; 2]| {
        let [first, second] = pair.each_ref().map(&as_read);
        second == first || value.len() >= 4 && second == first.wrapping_add(1)
    };
    let follows = value.array_windows().filter(follows).count();
    let pairs = value.len().saturating_sub(1);
    // Over half: chance gives a letter or digit one pair in eighteen.
    if value.len() < 4 { follows == pairs } else { follows * 20 >= pairs * 11 }
}
