//! Numbers that look random and are the same in every run. Owns no seed: whoever asks names one.

/// Marsaglia's xorshift.
pub(crate) struct Random(u64);

impl Random {
    /// Numbers that follow from a seed.
    pub(crate) fn new(seed: u64) -> Self {
        // Neighbouring seeds must not begin alike, and zero would stay zero.
        Self(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Numbers that follow from a name.
    pub(crate) fn named(name: &str) -> Self {
        Self::new(
            name.bytes()
                .fold(0, |seed, byte| (seed ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)),
        )
    }

    /// A number below `bound`, which is not zero.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound.max(1)
    }
}
