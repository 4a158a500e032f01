//! What the inside of a secret says about it: checksums, encoded structure, keys. Owns the checks; which type needs which, the
//! tables say. Nothing is sent anywhere: a check reads the text and nothing else.

use sha2::{Digest, Sha256};

use super::{encoded::decode, kinds::Check, value};

/// What a check found out.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Validity {
    /// Its checksum or structure is wrong: mistyped, cut off or made up.
    Broken,
    /// There is nothing to check.
    Unchecked,
    /// Its checksum or structure is right: it was issued like this.
    Wellformed,
}

/// What a text of the right spelling is worth; `None` where it is something else.
pub(super) fn validity(check: Check, text: &[u8]) -> Option<Validity> {
    let judged = |right: bool| if right { Validity::Wellformed } else { Validity::Broken };
    Some(match check {
        Check::Spelling => Validity::Unchecked,
        Check::Mixed => return value::is_mixed(text).then_some(Validity::Unchecked),
        Check::Crc32Base62 => {
            let body = after_prefix(text);
            if body.len() != 36 {
                return Some(Validity::Unchecked);
            }
            let (random, sum) = body.split_at(30);
            judged(base62(crc32(random)) == *sum)
        }
        Check::Crc32Hex => {
            let (random, sum) = (text.get(5..37)?, text.get(38..)?);
            let expected = format!("{:08x}", crc32(random));
            judged(sum.eq_ignore_ascii_case(expected.as_bytes()))
        }
        Check::UpperHexTail => Validity::Unchecked,
        Check::AwsKeyId => judged(aws_account(text).is_some()),
        Check::JsonWebToken => return json_web_token(text),
        Check::Base64Bytes(count) => judged(decode(text).is_some_and(|bytes| bytes.len() == count)),
        Check::EncodedWebToken => {
            // The beginning says it; people cut the rest.
            let inner = decode(text.get(..24)?)?;
            let header = inner.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
            let json = decode(inner.get(..header - header % 4)?)?;
            let is_member = |text: &[u8]| {
                let name = text.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                (2..=6).contains(&name) && text.get(name) == Some(&b'"')
            };
            return json.strip_prefix(b"{\"").is_some_and(is_member).then_some(Validity::Unchecked);
        }
        Check::Snowflake => {
            let first = text.split(|byte| *byte == b'.').next().unwrap_or_default();
            let number = decode(first).unwrap_or_default();
            judged((17..=20).contains(&number.len()) && number.iter().all(u8::is_ascii_digit))
        }
        Check::Bech32 => judged(is_bech32(text)),
        Check::Base58Check => judged(is_base58check(text)),
        Check::Pem => judged(is_key(text)),
        Check::BasicAuth => return basic_password(text).is_some().then_some(Validity::Wellformed),
    })
}

/// What follows the last `_` of a token.
fn after_prefix(text: &[u8]) -> &[u8] {
    text.rsplit(|byte| *byte == b'_').next().unwrap_or_default()
}

/// CRC-32 as in IEEE 802.3.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg());
        }
    }
    !sum
}

/// Six digits of base 62, zeros in front.
pub(super) fn base62(mut number: u32) -> [u8; 6] {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut digits = [b'0'; 6];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS.get((number % 62) as usize).copied().unwrap_or(b'0');
        number /= 62;
    }
    digits
}

/// The account that an AWS key belongs to: the first 6 bytes behind the prefix hold it, one bit up by seven.
#[must_use]
pub fn aws_account(key: &[u8]) -> Option<u64> {
    let body = key.get(4..20)?;
    let mut bits: u64 = 0;
    for byte in body.iter().take(10) {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'2'..=b'7' => byte - b'2' + 26,
            _ => return None,
        };
        bits = bits << 5 | u64::from(digit);
    }
    if !body.iter().all(|byte| matches!(byte, b'A'..=b'Z' | b'2'..=b'7')) {
        return None;
    }
    // Fifty bits were read; the first six bytes are the upper forty-eight.
    Some(((bits >> 2) & 0x7fff_ffff_ff80) >> 7)
}

fn json_web_token(text: &[u8]) -> Option<Validity> {
    let header = text.split(|byte| *byte == b'.').next()?;
    // A header cut off in the middle of a group of four is still a header.
    let whole = header.len() - usize::from(header.len() % 4 == 1);
    let json = decode(header.get(..whole)?);
    let is_header = |json: &[u8]| {
        json.first() == Some(&b'{')
            && (value::contains(json, b"\"alg\"")
                || value::contains(json, b"\"enc\"")
                || value::contains(json, b"\"typ\""))
    };
    match json {
        Some(json) if is_header(&json) => Some(Validity::Wellformed),
        Some(json)
            if json.first() == Some(&b'{')
                && json.iter().all(|byte| (0x20..0x7f).contains(byte)) =>
        {
            Some(Validity::Unchecked)
        }
        _ => Some(Validity::Broken),
    }
}

/// The password of `user:password` in base64.
pub(super) fn basic_password(text: &[u8]) -> Option<Vec<u8>> {
    let decoded = decode(text)?;
    let colon = decoded.iter().position(|byte| *byte == b':')?;
    let printable = decoded.iter().all(|byte| *byte >= 0x20 && *byte != 0x7f);
    let password = decoded.get(colon + 1..)?.to_vec();
    (printable && colon > 0).then_some(password)
}

/// Whether base64 text is a key: DER, or OpenSSH's own form.
pub(super) fn is_key(body: &[u8]) -> bool {
    let whole = body.len() - body.len() % 4;
    let start = body.get(..whole.min(64)).unwrap_or_default();
    decode(start).is_some_and(|bytes| {
        bytes.starts_with(b"openssh-key-v1") || matches!(bytes.as_slice(), [0x30, 0x20..=0x82, ..])
    })
}

/// The checksum of bech32 and bech32m over an uppercase age key.
fn is_bech32(text: &[u8]) -> bool {
    const DIGITS: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    let lower = text.to_ascii_lowercase();
    let Some(at) = lower.iter().rposition(|byte| *byte == b'1') else { return false };
    let (human, data) = lower.split_at(at);
    let mut values: Vec<u8> = human.iter().map(|byte| byte >> 5).collect();
    values.push(0);
    values.extend(human.iter().map(|byte| byte & 31));
    for byte in data.iter().skip(1) {
        let Some(digit) = DIGITS.iter().position(|own| own == byte) else { return false };
        values.push(u8::try_from(digit).unwrap_or(0));
    }
    let mut sum: u32 = 1;
    for value in values {
        let top = sum >> 25;
        sum = (sum & 0x01ff_ffff) << 5 ^ u32::from(value);
        for (bit, generator) in [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]
            .into_iter()
            .enumerate()
        {
            if top >> bit & 1 == 1 {
                sum ^= generator;
            }
        }
    }
    matches!(sum, 1 | 0x2bc8_30a3)
}

/// Whether base58 text ends with the first four bytes of the double SHA-256 of what stands before.
fn is_base58check(text: &[u8]) -> bool {
    const DIGITS: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    // Long texts are no keys, and the arithmetic is quadratic.
    if text.len() > 128 {
        return false;
    }
    let mut bytes: Vec<u8> = Vec::with_capacity(96);
    for byte in text {
        let Some(digit) = DIGITS.iter().position(|own| own == byte) else { return false };
        let mut carry = u32::try_from(digit).unwrap_or(0);
        for place in bytes.iter_mut().rev() {
            carry += u32::from(*place) * 58;
            *place = (carry & 0xff) as u8;
            carry >>= 8;
        }
        while carry > 0 {
            bytes.insert(0, (carry & 0xff) as u8);
            carry >>= 8;
        }
    }
    // Each leading `1` is a zero.
    let zeros = text.iter().take_while(|byte| **byte == b'1').count();
    bytes.splice(..0, std::iter::repeat_n(0, zeros));
    let Some((body, sum)) = bytes.len().checked_sub(4).and_then(|at| bytes.split_at_checked(at))
    else {
        return false;
    };
    let twice = Sha256::digest(Sha256::digest(body));
    twice.get(..4) == Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_standards() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(&base62(0), b"000000");
        assert_eq!(&base62(61 + 62 * 10), b"0000Az");
    }

    #[test]
    fn the_account_of_a_key_is_read_from_it() {
        // Made from the account's number, as AWS makes them.
        let account: u64 = 123_456_789_012;
        let bits = account << 7 << 2;
        let digit = |index: u32| {
            let value = (bits >> (45 - 5 * index)) & 31;
            char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[usize::try_from(value).unwrap()])
        };
        let key: String =
            "AKIA".chars().chain((0..10).map(digit)).chain("ABCDEF".chars()).collect();
        assert_eq!(aws_account(key.as_bytes()), Some(account));
        assert_eq!(aws_account(b"AKIA1111111111111111"), None);
    }

    #[test]
    fn bech32_and_base58_are_checked() {
        assert!(is_bech32(b"a12uel5l"));
        assert!(!is_bech32(b"a12uel5m"));
        assert!(is_base58check(b"1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2"));
        assert!(!is_base58check(b"1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3"));
    }
}
