//! Whether a value is a secret or only stands where one belongs. Owns the judgement on the value alone, put together from what its
//! modules tell: how it reads, whether it is code, a stand-in or something else. A name is never looked at here, and a whole
//! line never.

mod entropy;
mod expression;
mod other;
mod pieces;
mod placeholder;
mod words;

pub(super) use self::{
    entropy::{entropy, has_more_entropy},
    other::is_published,
    placeholder::is_placeholder,
    words::{is_made, is_mixed, is_wordy},
};
use self::{
    expression::is_expression, other::format_of_other, placeholder::is_sequence,
    words::is_for_tests,
};
use crate::finding::Confidence;

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
    let (plain, signs) = super::encoded::unescaped(value);
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
            && !is_sequence(&plain, |byte| *byte)
}

/// How likely a value is a key or token.
pub(super) fn token(value: &[u8], quoted: bool) -> Option<Confidence> {
    if value.len() < 16 || value.len() > 4096 {
        return None;
    }
    // What is quick to say first: most values are words, names and numbers.
    let allowed =
        |byte: &u8| byte.is_ascii_graphic() && !matches!(byte, b'<' | b'>' | b'"' | b'\'' | b'`');
    if !value.iter().all(allowed)
        // What an example leaves out.
        || contains(value, b"...")
        || !is_mixed(value)
        || is_wordy(value)
        || is_expression(value, quoted)
        || format_of_other(value)
        || is_placeholder(value)
    {
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

pub(super) fn contains(text: &[u8], piece: &[u8]) -> bool {
    let Some((first, rest)) = piece.split_first() else { return true };
    // A piece is rarely there, and its first byte tells that for most places of a short text.
    let Some(starts) = text.len().checked_sub(rest.len()) else { return false };
    text.iter().take(starts).enumerate().any(|(at, byte)| {
        byte == first && text.get(at + 1..).is_some_and(|behind| behind.starts_with(rest))
    })
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
