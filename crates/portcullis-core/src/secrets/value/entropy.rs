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
