//! Whether a sequence ends by repeating itself. Owns what counts as a loop, as numbers; what the numbers stand for, the history knows.

/// From how many steps on a repetition is a loop, as the document has it.
pub const LOOP_LENGTH: usize = 10;

/// How often the pattern must stand there: twice is what people do too.
const COPIES: usize = 3;

/// A tail that repeats itself.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Repetition {
    /// The length of the smallest pattern.
    pub(super) period: usize,
    /// The length of the tail that the pattern makes up; its last copy may be unfinished.
    pub(super) length: usize,
}

/// The longest tail that is made of one pattern, at least three times and ten steps, with the smallest such pattern. Any period that fits
/// into the sequence three times is found.
///
/// The failure function of the reversed sequence gives the smallest period of each of its beginnings, in linear time.
pub(super) fn repetition(sequence: &[u64]) -> Option<Repetition> {
    let reversed: Vec<u64> = sequence.iter().rev().copied().collect();
    let mut borders: Vec<usize> = Vec::with_capacity(reversed.len());
    let mut best: Option<Repetition> = None;
    for (at, symbol) in reversed.iter().enumerate() {
        let mut border = at.checked_sub(1).and_then(|last| borders.get(last)).copied().unwrap_or(0);
        if at > 0 {
            while border > 0 && reversed.get(border) != Some(symbol) {
                border = borders.get(border - 1).copied().unwrap_or(0);
            }
            if reversed.get(border) == Some(symbol) {
                border += 1;
            }
        }
        borders.push(border);
        let length = at + 1;
        let period = length - border;
        let repeats = length >= LOOP_LENGTH && period.saturating_mul(COPIES) <= length;
        // A longer tail counts unless it takes a longer pattern.
        if repeats && best.is_none_or(|best| period <= best.period) {
            best = Some(Repetition { period, length });
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<(usize, usize)> {
        let sequence: Vec<u64> = text.bytes().map(u64::from).collect();
        repetition(&sequence).map(|Repetition { period, length }| (period, length))
    }

    #[test]
    fn every_period_is_found_with_its_smallest_pattern() {
        for (sequence, expected) in [
            ("aaaaaaaaaa", Some((1, 10))),
            ("aaaaaaaaa", None),
            ("ababababab", Some((2, 10))),
            ("abcabcabcabc", Some((3, 12))),
            ("abcabcabca", Some((3, 10))),
            ("abcdefabcdefabcdef", Some((6, 18))),
            ("abcdefabcdef", None),
            ("xyzaaaaaaaaaa", Some((1, 10))),
            ("aaaaaaaaaab", None),
            ("qwertyuiopxxxx", None),
            ("qwertyuiopabab", None),
            ("xx", None),
            ("", None),
        ] {
            assert_eq!(found(sequence), expected, "{sequence}");
        }
    }

    #[test]
    fn a_period_of_a_third_of_the_sequence_is_found() {
        for period in 4..=21_u64 {
            let sequence: Vec<u64> =
                (0..period).cycle().take(usize::try_from(period * 3).unwrap()).collect();
            let found = repetition(&sequence).map(|one| one.period as u64);
            assert_eq!(found, Some(period), "{period}");
        }
    }
}
