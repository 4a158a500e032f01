//! Secrets known by their shape: tokens of well-known makers, private keys, passwords in URLs. Owns the shapes; the
//! secrets detector has the long list with names and severities.

use super::{Source, Spans, is_blank, is_name, is_quote, is_reference};

/// A token's start and the least of what must follow.
struct Shape {
    prefix: &'static str,
    body: fn(u8) -> bool,
    least: usize,
    /// Whether it must not follow a letter or a digit, because its prefix is also the end of words.
    bounded: bool,
}

const fn shape(prefix: &'static str, body: fn(u8) -> bool, least: usize) -> Shape {
    Shape { prefix, body, least, bounded: false }
}

const fn bounded(prefix: &'static str, body: fn(u8) -> bool, least: usize) -> Shape {
    Shape { prefix, body, least, bounded: true }
}

fn alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn capital(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn dashed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn dotted(byte: u8) -> bool {
    dashed(byte) || byte == b'.'
}

fn crypt(byte: u8) -> bool {
    dotted(byte) || matches!(byte, b'/' | b'$' | b'=' | b',' | b'+')
}

const SHAPES: &[Shape] = &[
    shape("AKIA", capital, 16),
    shape("ASIA", capital, 16),
    shape("ghp_", alphanumeric, 20),
    shape("gho_", alphanumeric, 20),
    shape("ghu_", alphanumeric, 20),
    shape("ghs_", alphanumeric, 20),
    shape("ghr_", alphanumeric, 20),
    shape("github_pat_", word, 20),
    shape("glpat-", dotted, 16),
    shape("gldt-", dashed, 16),
    shape("glrt-", dashed, 16),
    shape("xoxa-", dashed, 10),
    shape("xoxb-", dashed, 10),
    shape("xoxe-", dashed, 10),
    shape("xoxe.", dotted, 10),
    shape("xoxo-", dashed, 10),
    shape("xoxp-", dashed, 10),
    shape("xoxr-", dashed, 10),
    shape("xoxs-", dashed, 10),
    shape("xapp-", dashed, 10),
    shape("hooks.slack.com/services/", crypt, 20),
    shape("sk_live_", alphanumeric, 10),
    shape("sk_test_", alphanumeric, 10),
    shape("rk_live_", alphanumeric, 10),
    shape("rk_test_", alphanumeric, 10),
    shape("whsec_", alphanumeric, 16),
    shape("AIza", dashed, 30),
    shape("ya29.", dotted, 20),
    shape("GOCSPX-", dashed, 20),
    shape("sk-ant-", dashed, 12),
    shape("sk-proj-", dashed, 20),
    shape("sk-svcacct-", dashed, 20),
    shape("sk-or-v1-", dashed, 20),
    bounded("sk-", alphanumeric, 32),
    shape("npm_", alphanumeric, 30),
    shape("pypi-AgE", dashed, 20),
    shape("dop_v1_", alphanumeric, 20),
    shape("glsa_", word, 20),
    shape("hvs.", dashed, 20),
    shape("shpat_", alphanumeric, 20),
    shape("SG.", dotted, 40),
    shape("AGE-SECRET-KEY-1", capital, 20),
    bounded("hf_", alphanumeric, 30),
    shape("$1$", crypt, 20),
    shape("$5$", crypt, 20),
    shape("$6$", crypt, 20),
    shape("$y$", crypt, 20),
    shape("$2a$", crypt, 20),
    shape("$2b$", crypt, 20),
    shape("$2y$", crypt, 20),
    shape("$argon2", crypt, 20),
];

/// Masks the bodies of tokens; the maker's prefix stays, so that a reader knows what was there.
pub(super) fn tokens(source: Source<'_>, spans: &mut Spans) {
    let mut index = 0;
    // Up to here a run of letters is known to be no JSON web token, so that it is not read again and again.
    let mut no_json_web_token = 0;
    while index < source.len() {
        // Nearly nothing begins like a token, so nearly everything is passed over without looking at the table.
        if !may_start(source.at(index), source.at(index + 1)) {
            index += 1;
            continue;
        }
        let mut end = None;
        if index >= no_json_web_token && source.starts_with(index, b"eyJ") {
            no_json_web_token = source.skip(index, dashed);
            end = json_web_token(source, index, no_json_web_token, spans);
        }
        let end =
            end.or_else(|| SHAPES.iter().find_map(|shape| token(source, index, shape, spans)));
        index = end.unwrap_or(index + 1);
    }
}

/// The first two letters of every shape, one bit for each pair; made when the program is built.
#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
static STARTS: [u64; 1024] = {
    let mut starts = [0; 1024];
    let (word, bit) = pair(b'e', b'y');
    starts[word] |= bit;
    let mut shape = 0;
    while shape < SHAPES.len() {
        let prefix = SHAPES[shape].prefix.as_bytes();
        let (word, bit) = pair(prefix[0], prefix[1]);
        starts[word] |= bit;
        shape += 1;
    }
    starts
};

const fn pair(first: u8, second: u8) -> (usize, u64) {
    let number = (first as usize) << 8 | second as usize;
    (number / 64, 1 << (number % 64))
}

fn may_start(first: u8, second: u8) -> bool {
    let (word, bit) = pair(first, second);
    STARTS.get(word).is_some_and(|starts| starts & bit != 0)
}

fn token(source: Source<'_>, index: usize, shape: &Shape, spans: &mut Spans) -> Option<usize> {
    if !source.starts_with(index, shape.prefix.as_bytes()) {
        return None;
    }
    let inside_a_word = index > 0
        && source.at(index - 1).is_ascii_alphanumeric()
        && (index < 2 || source.at(index - 2) != b'\\');
    let start = index + shape.prefix.len();
    let end = source.skip(start, shape.body);
    if (shape.bounded && inside_a_word) || end - start < shape.least {
        return None;
    }
    spans.push((start, end));
    Some(end)
}

/// `eyJ….eyJ….…`: header, claims and signature in base64.
fn json_web_token(
    source: Source<'_>,
    index: usize,
    header: usize,
    spans: &mut Spans,
) -> Option<usize> {
    if header - index < 10 || !source.starts_with(header, b".eyJ") {
        return None;
    }
    let claims = source.skip(header + 1, dashed);
    let end = if source.at(claims) == b'.' { source.skip(claims + 1, dashed) } else { claims };
    spans.push((index + 3, end));
    Some(end)
}

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";

/// The longest label of a PEM block that is believed.
const MAX_LABEL: usize = 64;

/// Masks PEM blocks whole, but for certificates and public keys; one without an end is masked to the end of the text.
pub(super) fn private_keys(source: Source<'_>, spans: &mut Spans) {
    let mut from = 0;
    while let Some(start) = find(source, from, BEGIN) {
        let label_start = start + BEGIN.len();
        let label_end = source.skip(label_start, |byte| byte != b'-' && byte != b'\n');
        let label = source.slice(label_start, label_end);
        if label.len() > MAX_LABEL
            || label.ends_with(b"CERTIFICATE")
            || label.ends_with(b"PUBLIC KEY")
        {
            from = label_end;
            continue;
        }
        let end = find(source, label_end, END).map_or(source.len(), |end| {
            let closing = source.skip(end + END.len(), |byte| byte != b'-' && byte != b'\n');
            source.skip(closing, |byte| byte == b'-')
        });
        spans.push((start, end));
        from = end;
    }
}

fn find(source: Source<'_>, from: usize, needle: &[u8]) -> Option<usize> {
    let rest = source.bytes.get(from..)?;
    memchr::memmem::find(rest, needle).map(|at| from + at)
}

/// Userinfo that long and with a digit, without a colon, is a token and not a name.
const TOKEN_AS_USER: usize = 16;

/// Masks the password, or the lone token, before the `@` of a URL.
pub(super) fn urls(source: Source<'_>, spans: &mut Spans) {
    let ends =
        |byte: u8| byte.is_ascii_whitespace() || is_quote(byte) || matches!(byte, b'<' | b'>');
    let mut from = 0;
    // Up to here the text is known to hold no `@`, so that a row of `://` is not read again and again.
    let mut without_at = 0;
    while let Some(found) = find(source, from, b"://") {
        let start = found + 3;
        from = start;
        if start < without_at {
            continue;
        }
        let authority =
            source.skip(start, |byte| !ends(byte) && !matches!(byte, b'/' | b'?' | b'#'));
        let colon =
            source.skip(start, |byte| byte != b':' && !ends(byte) && byte != b'@' && byte != b'/');
        let last_at =
            |end: usize| memchr::memrchr(b'@', source.slice(start, end)).map(|at| start + at);
        let port = source.slice((colon + 1).min(authority), authority);
        let has_port = port.iter().all(u8::is_ascii_digit);
        let mut at = last_at(authority);
        if at.is_none() && source.at(colon) == b':' && !has_port {
            // A password with a `/` in it, not escaped.
            let whole = source.skip(authority, |byte| !ends(byte));
            at = last_at(whole);
            without_at = if at.is_none() { whole } else { without_at };
        }
        let Some(at) = at else { continue };
        from = at;
        if source.at(colon) == b':' && colon < at {
            if colon + 1 < at && !is_reference(source, colon + 1) {
                spans.push((colon + 1, at));
            }
        } else {
            let user = source.slice(start, at);
            let is_token = user.len() >= TOKEN_AS_USER
                && user.iter().any(u8::is_ascii_digit)
                && user.iter().all(|byte| is_name(*byte) || is_blank(*byte));
            if is_token {
                spans.push((start, at));
            }
        }
    }
}
