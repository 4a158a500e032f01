//! Lengths of time as people write and read them. Owns the units; what a length is for, its caller knows.

use jiff::SignedDuration;

/// The units, longest first, in seconds.
const UNITS: &[(char, i64)] = &[('d', 86_400), ('h', 3_600), ('m', 60), ('s', 1)];

/// `7d`, `12h`, `1h30m`, `90s`; `None` for anything else.
pub(super) fn parsed(word: &str) -> Option<SignedDuration> {
    let mut seconds: i64 = 0;
    let mut rest = word;
    let mut units = UNITS.iter();
    while !rest.is_empty() {
        let end = rest.find(|letter: char| !letter.is_ascii_digit())?;
        let number: i64 = rest.get(..end)?.parse().ok()?;
        let unit = rest.get(end..)?.chars().next()?;
        // Each unit once, the longer ones first.
        let (_, length) = units.find(|(letter, _)| *letter == unit)?;
        seconds = seconds.checked_add(number.checked_mul(*length)?)?;
        rest = rest.get(end + 1..)?;
    }
    (!word.is_empty()).then(|| SignedDuration::from_secs(seconds))
}

/// A length in words, in its two longest units: `2 hours 5 minutes`.
pub(super) fn words(length: SignedDuration) -> String {
    const NAMES: &[&str] = &["day", "hour", "minute", "second"];
    let mut seconds = length.as_secs().max(0);
    let mut parts = Vec::new();
    for ((_, unit), name) in UNITS.iter().zip(NAMES) {
        let count = seconds / unit;
        seconds %= unit;
        if count > 0 && parts.len() < 2 {
            parts.push(format!("{count} {name}{}", if count == 1 { "" } else { "s" }));
        } else if !parts.is_empty() {
            break;
        }
    }
    if parts.is_empty() { "0 seconds".to_owned() } else { parts.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_and_written() {
        for (word, seconds, written) in [
            ("10m", 600, "10 minutes"),
            ("1h30m", 5_400, "1 hour 30 minutes"),
            ("2d", 172_800, "2 days"),
            ("1d1s", 86_401, "1 day"),
            ("0s", 0, "0 seconds"),
            ("61s", 61, "1 minute 1 second"),
        ] {
            let length = parsed(word).unwrap();
            assert_eq!((length.as_secs(), words(length).as_str()), (seconds, written), "{word}");
        }
        for word in
            ["", "10", "m", "-1m", "1m1h", "1m1m", "1.5h", "1x", "9999999999999999d", "1 m", "١m"]
        {
            assert_eq!(parsed(word), None, "{word}");
        }
    }
}
