//! How a value reads: as words and names, as what tests use, or as what nobody takes for either. Owns the look at its letters.

use super::pieces::Pieces;

/// Whether a value reads as names or words, joined as programs and people join them.
pub(in crate::secrets) fn is_wordy(value: &[u8]) -> bool {
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
pub(in crate::secrets) fn is_mixed(value: &[u8]) -> bool {
    let digit = value.iter().any(u8::is_ascii_digit);
    let small = value.iter().any(u8::is_ascii_lowercase);
    let capital = value.iter().any(u8::is_ascii_uppercase);
    digit && (small || capital) || small && capital && !is_wordy(value)
}

/// Whether a value has words in it that tests use, so that less is at stake.
pub(in crate::secrets) fn is_for_tests(value: &[u8]) -> bool {
    static WORDS: Pieces = Pieces::new(&[
        "test", "fake", "mock", "demo", "sample", "local", "passw0rd", "hunter2", "secret",
        "password",
    ]);
    WORDS.are_in(value)
}

/// Whether nobody takes a value for a word, a name or a version, even where nothing says that a secret follows.
pub(in crate::secrets) fn is_made(value: &[u8]) -> bool {
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
