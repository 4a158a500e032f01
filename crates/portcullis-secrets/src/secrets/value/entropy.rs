//! Shannon entropy, in whole numbers: the same on every machine. Owns the computation and no threshold.

/// Shannon entropy in tenths of a bit for each byte.
pub(in crate::secrets) fn entropy(text: &[u8]) -> u8 {
    u8::try_from((entropy_fraction(text) * 10) >> FRACTION).unwrap_or(u8::MAX)
}

/// Whether a text has more than so many bits for each byte.
pub(in crate::secrets) fn has_more_entropy(text: &[u8], bits: f32) -> bool {
    #[expect(
        clippy::cast_precision_loss,
        reason = "at most eight bits, with sixteen digits behind the point"
    )]
    let own = entropy_fraction(text) as f32 / (1_u32 << FRACTION) as f32;
    own > bits
}

/// Shannon entropy in bits for each byte, times two to the power of [`FRACTION`].
fn entropy_fraction(text: &[u8]) -> u64 {
    let total = text.len();
    if total == 0 {
        return 0;
    }
    // Σ −p·log p with p = count / total, in whole numbers: the same on every machine, and no library for it. What each byte
    // adds to the sum of all counts is summed, so that a short text needs no look at all the counts.
    let mut counts = [0_u32; 256];
    let mut known = 0;
    for byte in text {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            let before = times_log2(*count as usize);
            *count += 1;
            known += times_log2(*count as usize) - before;
        }
    }
    times_log2(total).saturating_sub(known) / total as u64
}

/// How many numbers have their logarithm in a table: tokens are rarely longer.
const TABLED: usize = 256;

/// A number times its logarithm.
fn times_log2(number: usize) -> u64 {
    #[expect(
        clippy::indexing_slicing,
        reason = "runs when the program is built, where a wrong index is an error"
    )]
    static TABLE: [u64; TABLED] = {
        let mut table = [0; TABLED];
        let mut number = 0;
        while number < TABLED {
            table[number] = number as u64 * log2(number as u64);
            number += 1;
        }
        table
    };
    let tabled = TABLE.get(number).copied();
    tabled.unwrap_or_else(|| number as u64 * log2(number as u64))
}

/// How many binary digits behind the point [`log2`] gives.
const FRACTION: u32 = 16;

/// The logarithm, times two to the power of [`FRACTION`]; of zero, zero. One digit for each squaring of what lies between
/// one and two.
const fn log2(number: u64) -> u64 {
    let number = if number > u32::MAX as u64 { u32::MAX as u64 } else { number };
    let Some(whole) = number.checked_ilog2() else { return 0 };
    let mut rest = number << (31 - whole);
    let mut log = whole as u64;
    let mut digits = 0;
    while digits < FRACTION {
        rest = (rest * rest) >> 31;
        let digit = rest >> 32;
        rest >>= digit;
        log = log << 1 | digit;
        digits += 1;
    }
    log
}
