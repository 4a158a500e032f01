//! Whether a value is a secret or only stands where one belongs. Owns the judgement on the value alone: placeholders,
//! references, sequences, words, entropy. A name is never looked at here, and a whole line never.

use crate::finding::Confidence;

/// Shannon entropy in tenths of a bit for each byte.
pub(super) fn entropy(text: &[u8]) -> u8 {
    u8::try_from((entropy_fraction(text) * 10) >> FRACTION).unwrap_or(u8::MAX)
}

/// Whether a text has more than so many bits for each byte.
pub(super) fn has_more_entropy(text: &[u8], bits: f32) -> bool {
    #[expect(
        clippy::cast_precision_loss,
        reason = "at most eight bits, with sixteen digits behind the point"
    )]
    let own = entropy_fraction(text) as f32 / (1_u32 << FRACTION) as f32;
    own > bits
}

/// Shannon entropy in bits for each byte, times two to the power of [`FRACTION`].
fn entropy_fraction(text: &[u8]) -> u64 {
    let mut counts = [0_u32; 256];
    for byte in text {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let total = text.len() as u64;
    if total == 0 {
        return 0;
    }
    // Σ −p·log p with p = count / total, in whole numbers: the same on every machine, and no library for it.
    let known: u64 = counts.iter().map(|&count| u64::from(count) * log2(u64::from(count))).sum();
    (total * log2(total)).saturating_sub(known) / total
}

/// How many binary digits behind the point [`log2`] gives.
const FRACTION: u32 = 16;

/// The logarithm, times two to the power of [`FRACTION`]; of zero, zero. One digit for each squaring of what lies between
/// one and two.
fn log2(number: u64) -> u64 {
    let number = number.min(u64::from(u32::MAX));
    let Some(whole) = number.checked_ilog2() else { return 0 };
    let mut rest = number << (31 - whole);
    let mut log = u64::from(whole);
    for _ in 0..FRACTION {
        rest = (rest * rest) >> 31;
        let digit = rest >> 32;
        rest >>= digit;
        log = log << 1 | digit;
    }
    log
}

/// Words that stand for a value: alone, a value of these is none.
const WORDS: &[&str] = &[
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
];

/// Pieces that only a stand-in has. They are long enough that chance does not spell them.
const PIECES: &[&str] = &[
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
];

/// Beginnings of expressions that look a value up instead of holding it.
const LOOKUPS: &[&str] = &[
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
];

/// Whether a value only says where the secret is, or that there will be one.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    let (Some(first), Some(last)) = (value.first(), value.last()) else { return true };
    let lower: Vec<u8> = value.iter().map(u8::to_ascii_lowercase).collect();
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
        || value.starts_with(b"${") && (value.ends_with(b"}") || !value.contains(&b'}'))
        || value.starts_with(b"$(")
        || value.starts_with(b"#{")
        || value.starts_with(b"<%")
        || value.len() <= 3 && first == &b'%'
        || is_sequence(&lower)
    {
        return true;
    }
    let sign = |byte: &u8| {
        matches!(byte, b'[' | b']' | b'<' | b'>' | b'{' | b'}' | b'(' | b')' | b'*' | b'#' | b'!')
    };
    let opened = lower.iter().take_while(|byte| sign(byte)).count();
    let closed = lower.iter().rev().take_while(|byte| sign(byte)).count();
    let bare =
        lower.get(opened..lower.len() - closed.min(lower.len() - opened)).unwrap_or_default();
    WORDS.iter().any(|word| word.as_bytes() == bare)
        || LOOKUPS.iter().any(|lookup| lower.starts_with(lookup.as_bytes()))
        || PIECES.iter().any(|piece| contains(&lower, piece.as_bytes()))
}

/// Whether a value is the name of a variable that holds one: `PROXY_PASSWORD`.
fn is_constant(value: &[u8]) -> bool {
    value.contains(&b'_')
        && value.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_')
        && [&b"PASS"[..], b"TOKEN", b"SECRET", b"KEY", b"CRED", b"AUTH"]
            .iter()
            .any(|word| contains(value, word))
}

pub(super) fn contains(text: &[u8], piece: &[u8]) -> bool {
    text.len() >= piece.len() && text.windows(piece.len()).any(|window| window == piece)
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
fn is_sequence(lower: &[u8]) -> bool {
    if lower.len() < 4 {
        return lower.windows(2).all(|pair| pair.first() == pair.last());
    }
    let follows = lower
        .windows(2)
        .filter(|pair| match pair {
            [first, second] => second == first || *second == first.wrapping_add(1),
            _ => false,
        })
        .count();
    // Over half: chance gives a letter or digit one pair in eighteen.
    follows * 20 >= (lower.len() - 1) * 11
}

/// Whether a value reads as names or words, joined as programs and people join them.
pub(super) fn is_wordy(value: &[u8]) -> bool {
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return value.iter().all(|byte| {
            byte.is_ascii_alphabetic()
                || !byte.is_ascii()
                || matches!(byte, b'_' | b'-' | b'.' | b' ' | b':' | b'/' | b',' | b'\\')
        }) && !is_scrambled(value);
    }
    if is_camel(value) {
        return true;
    }
    // Words with a number between or behind them: `prod-db-2`, `v1.2.3`, `my-service/v2`.
    let mut parts =
        value.split(|byte| !byte.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let several = value.iter().any(|byte| !byte.is_ascii_alphanumeric());
    several
        && parts.all(|part| {
            let letters = part.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
            let rest = part.get(letters..).unwrap_or_default();
            (rest.len() <= 4
                && rest.iter().all(u8::is_ascii_digit)
                && !is_scrambled(part.get(..letters).unwrap_or_default())
                && part.len() <= 16)
                || part.iter().all(u8::is_ascii_digit) && part.len() <= 12
        })
}

/// Whether a value is one name of several words that begin with capitals, with a number or two: `V1SecretVolumeSource`.
fn is_camel(value: &[u8]) -> bool {
    const WORD: usize = 4;
    let letters: Vec<u8> = value.iter().copied().filter(u8::is_ascii_alphabetic).collect();
    let words = 1 + value
        .windows(2)
        .filter(|pair| match pair {
            [first, second] => !first.is_ascii_uppercase() && second.is_ascii_uppercase(),
            _ => false,
        })
        .count();
    value.iter().all(u8::is_ascii_alphanumeric)
        && letters.len() >= 12
        && value.len() - letters.len() <= 3
        && words > 1
        && value.len() >= words * WORD
        && letters.iter().filter(|byte| byte.is_ascii_uppercase()).count() <= words + 1
        && vowels(&letters) * 10 >= letters.len() * 3
        && !is_scrambled(&letters)
}

/// Whether letters change their case so often, or are so rarely vowels, that nobody could read them.
fn is_scrambled(letters: &[u8]) -> bool {
    if letters.len() < 10 {
        return false;
    }
    let cases =
        letters.iter().filter(|byte| byte.is_ascii_alphabetic()).map(u8::is_ascii_uppercase);
    let changes =
        cases.clone().zip(cases.skip(1)).filter(|(first, second)| first != second).count();
    // Words have a vowel in every five letters at least, and names change their case twice in each word.
    vowels(letters) * 5 < letters.len() && letters.len() >= 12 || changes * 5 >= letters.len() * 2
}

fn vowels(letters: &[u8]) -> usize {
    let is_vowel =
        |byte: &&u8| matches!(byte.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u' | b'y');
    letters.iter().filter(is_vowel).count()
}

/// Whether letters of both cases, or letters and digits, stand in it: hardly a word.
pub(super) fn is_mixed(value: &[u8]) -> bool {
    let digit = value.iter().any(u8::is_ascii_digit);
    let small = value.iter().any(u8::is_ascii_lowercase);
    let capital = value.iter().any(u8::is_ascii_uppercase);
    digit && (small || capital) || small && capital && !is_wordy(value)
}

/// Whether a value has words in it that tests use, so that less is at stake.
pub(super) fn is_for_tests(value: &[u8]) -> bool {
    let lower: Vec<u8> = value.iter().map(u8::to_ascii_lowercase).collect();
    ["test", "fake", "mock", "demo", "sample", "local", "passw0rd", "hunter2", "secret", "password"]
        .iter()
        .any(|word| contains(&lower, word.as_bytes()))
}

/// Whether nobody takes a value for a word, a name or a version, even where nothing says that a secret follows.
pub(super) fn is_made(value: &[u8]) -> bool {
    let class = |byte: &u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let changes =
        value.windows(2).filter(|pair| pair.first().map(class) != pair.last().map(class)).count();
    let sign =
        |byte: &u8| matches!(byte, b'!' | b'#' | b'$' | b'%' | b'^' | b'*' | b'?' | b'@' | b'+');
    let digit = value.iter().any(u8::is_ascii_digit);
    let letter = value.iter().any(u8::is_ascii_alphabetic);
    let joined = value.iter().any(|byte| matches!(byte, b'(' | b')' | b'[' | b'{' | b'<' | b','));
    value.len() >= 8
        && digit
        && letter
        && !joined
        && (changes >= 4 && value.iter().all(u8::is_ascii_alphanumeric)
            || changes >= 3 && value.iter().any(sign))
}

/// How likely a value is a password that somebody uses.
pub(super) fn password(value: &[u8], quoted: bool) -> Option<Confidence> {
    let value = value.trim_ascii();
    if value.contains(&b'%') && !is_escaped_password(value) {
        return None;
    }
    let plain = value.iter().filter(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    if value.len() < 5
        || value.len() > 256
        || plain.count() < 3
        || is_placeholder(value)
        || is_expression(value, quoted)
    {
        return None;
    }
    let symbol =
        value.iter().any(|byte| byte.is_ascii_punctuation() && !matches!(byte, b'_' | b'-' | b'.'));
    let digit = value.iter().any(u8::is_ascii_digit);
    let blank = value.iter().any(u8::is_ascii_whitespace);
    // A word with a number and one of these signs is how people make passwords; names are not joined by them.
    let made = value.len() >= 8
        && digit
        && value.iter().any(|byte| {
            matches!(byte, b'!' | b'#' | b'$' | b'%' | b'^' | b'*' | b'+' | b'?' | b'@')
        });
    let wordy = (blank || !made) && is_wordy(value);
    // A word at the end of a question or a sentence.
    let spoken = !quoted && !digit && {
        let word = value.trim_ascii_end().strip_suffix(b"?").or(value.strip_suffix(b"!"));
        word.is_some_and(is_wordy)
    };
    if spoken || blank && !(digit && symbol) || wordy && !(quoted && value.len() >= 20 && !blank) {
        return None;
    }
    if entropy(value) < 20 || format_of_other(value) {
        return None;
    }
    Some(if is_for_tests(value) || !digit && !symbol {
        Confidence::Low
    } else if value.len() >= 8 && entropy(value) >= 25 {
        Confidence::High
    } else {
        Confidence::Medium
    })
}

/// Whether what a value with percent signs stands for may be a password: no lone signs or control characters, as in tests of
/// addresses.
fn is_escaped_password(value: &[u8]) -> bool {
    let (plain, signs) = super::layers::unescaped(value);
    let letters = plain.iter().filter(|byte| byte.is_ascii_alphanumeric()).count();
    // What is no text when it is taken off was no escape.
    signs == 0
        || std::str::from_utf8(&plain).is_err()
        || plain.len() >= 5
            && letters >= 3
            && (plain.iter().any(u8::is_ascii_digit)
                || plain.iter().any(u8::is_ascii_uppercase)
                    && plain.iter().any(u8::is_ascii_lowercase))
            && !plain.iter().any(u8::is_ascii_control)
            && !is_sequence(&plain)
}

/// How likely a value is a key or token.
pub(super) fn token(value: &[u8], quoted: bool) -> Option<Confidence> {
    if value.len() < 16
        || value.len() > 4096
        || is_placeholder(value)
        || is_expression(value, quoted)
    {
        return None;
    }
    let allowed =
        |byte: &u8| byte.is_ascii_graphic() && !matches!(byte, b'<' | b'>' | b'"' | b'\'' | b'`');
    if !value.iter().all(allowed) || is_wordy(value) || format_of_other(value) || !is_mixed(value) {
        return None;
    }
    let least = if value.iter().all(u8::is_ascii_hexdigit) { 28 } else { 32 };
    let bits = entropy(value);
    if bits < least {
        return None;
    }
    Some(if is_for_tests(value) {
        Confidence::Low
    } else if bits >= 37 || value.len() >= 32 {
        Confidence::High
    } else {
        Confidence::Medium
    })
}

/// Whether a value is written as code and not as text: a call, a member, an index, an address of something else.
fn is_expression(value: &[u8], quoted: bool) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    if contains(value, b"://")
        || value.starts_with(b"/")
            && value.iter().filter(|byte| **byte == b'/').count() >= 2
            && is_wordy(value)
    {
        return true;
    }
    // A pattern of files or of text; the last is how manual pages write brackets.
    // `list[Secret]` is a type, `Shards[-1].Id` a path.
    let name = value.iter().take_while(|byte| is_name(byte) || **byte == b'.').count();
    let indexed = name > 2
        && value.get(name) == Some(&b'[')
        && value.get(name..).is_some_and(|rest| {
            rest.contains(&b']')
                && rest
                    .iter()
                    .all(|byte| is_name(byte) || matches!(byte, b'[' | b']' | b'.' | b'-'))
        });
    if indexed
        || value.starts_with(b"*.")
        || [&b"${"[..], b"{{", b"$(", b".*", b"\\s", b"[\\", b"\\[rB]"]
            .iter()
            .any(|piece| contains(value, piece))
    {
        return true;
    }
    if quoted {
        return false;
    }
    // `a = b.c = d` and `a = b = d` give one value to several names, and `a= b= c=` none.
    let assigns = value.split(|byte| *byte == b'=').next().is_some_and(|first| {
        first.len() < value.trim_ascii_end().len()
            && (first.iter().all(u8::is_ascii_alphabetic)
                || value.get(first.len() + 1).is_some_and(u8::is_ascii_alphabetic))
            && first.iter().all(|byte| is_name(byte) || *byte == b'.')
    });
    if assigns
        || is_number(value)
        || is_named_after_secrets(value)
        || value.starts_with(b"!0")
        || value.starts_with(b"!1")
        || value.starts_with(b"*") && value.get(1).is_some_and(u8::is_ascii_alphabetic)
    {
        return true;
    }
    let value = value.strip_prefix(b"!").unwrap_or(value);
    // A variable of one of Vim's scopes.
    let value = match value {
        [b's' | b'g' | b'l' | b'b' | b'w', b':', rest @ ..] => rest,
        _ => value,
    };
    // `name(`, `module.name(`, `name[`.
    let name = value.iter().take_while(|byte| is_name(byte) || **byte == b'.').count();
    let next = value.get(name);
    let starts_as_name =
        value.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    let members = value.split(|byte| *byte == b'.').count() > 1
        && value.split(|byte| *byte == b'.').all(|part| {
            part.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
                && part.iter().all(is_name)
                && part.len() <= 24
        });
    (starts_as_name && matches!(next, Some(b'(' | b'[' | b'{')) && name > 0)
        || contains(value, b"::")
        || contains(value, b"->")
        || members
        || value.ends_with(b"(")
        || value.ends_with(b"()")
        || value.ends_with(b"[")
        || value.ends_with(b"{")
        || matches!(value.first(), Some(b'(' | b'[' | b'{' | b'&' | b'|' | b'\\' | b'=' | b','))
        || value.starts_with(b"...")
}

/// Whether a value is the name of a type or a variable that is about secrets: `SpGetContextTokenFn`.
fn is_named_after_secrets(value: &[u8]) -> bool {
    let is_identifier = value.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        && value.first().is_some_and(u8::is_ascii_alphabetic);
    let lower = value.to_ascii_lowercase();
    let is_path = value.iter().all(|byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'[' | b']')
    });
    if is_path && value.iter().any(|byte| matches!(byte, b'_' | b'.' | b':')) {
        let named = [&b"passw"[..], b"_pwd", b"pwd_", b"_pass", b"pass_"];
        if named.iter().any(|word| contains(&lower, word)) {
            return true;
        }
    }
    if !is_identifier {
        return false;
    }
    [&b"token"[..], b"key", b"secret", b"credential"].iter().any(|word| contains(&lower, word))
}

/// Whether a value is a number as programs write it: `0x8007_u32`, `4097u32`, `12'345`, `1_000L`.
fn is_number(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"-").unwrap_or(value);
    let hexadecimal = value.strip_prefix(b"0x").or_else(|| value.strip_prefix(b"0X"));
    let digits = hexadecimal.unwrap_or(value);
    let is_digit = |byte: &u8| match hexadecimal {
        Some(_) => byte.is_ascii_hexdigit() || *byte == b'_',
        None => byte.is_ascii_digit() || *byte == b'_',
    };
    let end = digits.iter().take_while(|byte| is_digit(byte)).count();
    let suffix = digits.get(end..).unwrap_or_default();
    let is_suffix = [
        &b""[..],
        b"u8",
        b"u16",
        b"u32",
        b"u64",
        b"u128",
        b"usize",
        b"i8",
        b"i16",
        b"i32",
        b"i64",
        b"i128",
        b"isize",
        b"f32",
        b"f64",
        b"u",
        b"U",
        b"l",
        b"L",
        b"ul",
        b"UL",
        b"ull",
        b"ULL",
        b"LL",
        b"n",
    ]
    .contains(&suffix);
    digits.first().is_some_and(u8::is_ascii_hexdigit) && end > 0 && is_suffix
}

/// Whether a value is a known kind of thing that is no secret: a UUID is judged by its name; a colour, a date, a version, an
/// integrity hash, a public key, an image.
fn format_of_other(value: &[u8]) -> bool {
    let starts = |prefixes: &[&[u8]]| prefixes.iter().any(|prefix| value.starts_with(prefix));
    if starts(&[
        b"sha1-",
        b"sha256-",
        b"sha384-",
        b"sha512-",
        b"sha1:",
        b"sha256:",
        b"sha512:",
        b"md5:",
        b"ssh-rsa",
        b"ssh-ed25519",
        b"ecdsa-sha2",
        b"AAAAB3Nza",
        b"AAAAC3Nza",
        b"AAAAE2Vj",
        b"data:",
        b"iVBORw0KGgo",
        b"/9j/4AAQ",
        b"R0lGOD",
        b"MII",
        b"-----BEGIN",
        b"urn:",
        b"#",
    ]) {
        return true;
    }
    let date = value.iter().all(|byte| {
        byte.is_ascii_digit()
            || matches!(byte, b'-' | b':' | b'.' | b'T' | b'Z' | b'+' | b'/' | b' ')
    });
    // `1:4.13+dfsg1-1`, and `user@site`, which is what anonymous logins ask for.
    let version = value.first().is_some_and(u8::is_ascii_digit)
        && value.contains(&b'.')
        && value.iter().all(|byte| {
            byte.is_ascii_lowercase()
                || byte.is_ascii_digit()
                || matches!(byte, b'.' | b'+' | b':' | b'~' | b'-')
        });
    let mail = value.iter().filter(|byte| **byte == b'@').count() == 1
        && value.split(|byte| *byte == b'@').all(|part| !part.is_empty() && is_wordy(part))
        && !value.iter().any(u8::is_ascii_digit);
    date && !value.is_empty() || version || mail
}

/// FNV-1a of 64 bits, for values that must not stand in this source as they are.
const fn fingerprint(value: &[u8]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut at = 0;
    while at < value.len() {
        #[expect(clippy::indexing_slicing, reason = "the index is compared with the length")]
        let byte = value[at];
        hash = (hash ^ byte as u64).wrapping_mul(0x0000_0100_0000_01b3);
        at += 1;
    }
    hash
}

/// Keys that vendors publish in their documentation or programs, by fingerprint: everybody has them.
const PUBLISHED: &[u64] = &[
    0xc800_bf21_00a2_1c67,
    0x6acb_d824_bd32_bbd4,
    0x29a3_36c7_244f_48dd,
    0x08b5_4596_2adc_7d8b,
    0xe766_6dbb_286c_6c2e,
    0x99b2_7263_46a1_e92a,
    0x1211_3c2e_6979_f447,
    0x8288_18f8_3325_7868,
    0x6835_e0f2_8883_2a40,
    0x816c_d10f_db11_ead0,
    0xadbd_04e3_fe1b_6d49,
    0xdb94_22f1_dd33_2dcc,
    0x515c_b771_a423_8032,
    0xe754_678e_a2b1_4ef1,
    0xc73f_1e61_952e_6987,
    0x294c_63f8_344d_5df1,
    0x0e62_7699_b983_76d0,
    0x7699_c294_beeb_ad32,
    0xddd1_9c48_6d09_5d84,
    0x67e7_33c2_f903_5757,
    0x3f9d_1c99_6e62_0b67,
    0x9f19_20c6_cd48_4714,
    0xd8e1_3cde_d253_33c6,
    0x15f8_7945_422c_bea3,
    0x0b89_d8ab_b8cb_ff84,
    0x1794_84c6_f508_b654,
];

/// Whether a key is one that its vendor published.
pub(super) fn is_published(value: &[u8]) -> bool {
    let own = fingerprint(value);
    PUBLISHED.contains(&own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_are_told_from_values() {
        for value in [
            "",
            "changeme",
            "<TOKEN>",
            "${DB_PASSWORD}",
            "$TOKEN",
            "{{ vault.key }}",
            "your-api-key-here",
            "xxxxxxxxxxxx",
            "********",
            "process.env.KEY",
            "os.environ[\"A\"]",
            "...",
            "1234567890abcdef",
            "AAAAAAAAAAAAAAAA",
            "%PASSWORD%",
            "[PASSWORD]",
            "@token@",
            "abcdefghijk123456",
            "REDACTED",
            "null",
            "__API_KEY__",
            "op://vault/item/field",
        ] {
            assert!(is_placeholder(value.as_bytes()), "{value}");
        }
        for value in [
            "hunter2",
            "Tr0ub4dor&3",
            "9f86d081884c7d659a2feaa0c55ad015",
            "$6$rounds",
            "correct horse",
            "x7Kp!2",
        ] {
            assert!(!is_placeholder(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn tokens_are_told_from_names_versions_and_code() {
        for value in [
            "APIOrganizationExist",
            "rc0.15.0_20231217_1420-SNAPSHOT",
            "next(tokenizer)",
            "self.password.value1",
            "my-service-account-prod-2",
            "https://example.com/a1b2c3d4e5",
            "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
            "2024-01-02T03:04:05Z",
            "KeyManagementServiceClientBuilderFactory",
        ] {
            assert_eq!(token(value.as_bytes(), false), None, "{value}");
        }
        for value in [
            "9f86d081884c7d659a2feaa0c55ad015",
            "dGhpcyBpcyBhIHNlY3JldDEyMw",
            "aZ93kdLm27XcVb01qPlo",
            "q8W-2kd_9sKx03mVnZ1r",
        ] {
            assert!(token(value.as_bytes(), false).is_some(), "{value}");
        }
    }

    #[test]
    fn passwords_are_told_from_words_and_code() {
        for value in [
            "Password",
            "str",
            "getpass.getpass()",
            "password",
            "enter your password",
            "username",
            "Field(..., min_length=12)",
        ] {
            assert_eq!(password(value.as_bytes(), false), None, "{value}");
        }
        for value in ["hunter2x!", "Tr0ub4dor&3", "gyEs!K5U#6", "s3cr3tPassw0rd!"] {
            assert!(password(value.as_bytes(), true).is_some(), "{value}");
        }
    }
}
