//! How much the features of a passage say. Owns the fitted table and the sum; how the table came about, `examples/fit_injection.rs` shows.

use super::feature::COUNT;

/// The score from which a text counts as planted: the logarithm of the odds, in hundredths.
pub(super) const PLANTED: i32 = 0;
/// The score from which that is sure.
pub(super) const SURE: i32 = 150;
/// The score from which caution is in place.
pub(super) const CAUTION: i32 = -150;

/// One weight for each feature in 64ths, and what every passage begins with, in hundredths, in four bytes.
static FITTED: &[u8; COUNT + 4] = include_bytes!("fitted.bin");

/// The score of a passage: what it begins with, and ten times the sum of the weights by the root of how many there are, so that a long passage
/// does not say more than a short one because of its length.
pub(super) fn score(features: &[u32]) -> i32 {
    let weight = |feature: &u32| FITTED.get(*feature as usize).map_or(0, |it| i32::from(*it as i8));
    let sum: i32 = features.iter().map(weight).sum();
    let count = u32::try_from(features.len()).unwrap_or(u32::MAX).max(1);
    // 10 · 100 / 64 · 32, where the root is of 32² times the count.
    let root = count.saturating_mul(1024).isqrt();
    let begin = FITTED.last_chunk().map_or(0, |bytes| i32::from_le_bytes(*bytes));
    begin + sum * 500 / root.cast_signed().max(1)
}
