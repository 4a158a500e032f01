//! Hashes of names for tables that are made when the program is built. Owns FNV-1a, which runs there too; it guards
//! nothing, since whatever is found by a hash is compared.

const BASIS: u32 = 0x811c_9dc5;
const PRIME: u32 = 0x0100_0193;

/// FNV-1a over `bytes[from..to]`.
#[expect(clippy::indexing_slicing, reason = "every caller stays inside the slice")]
pub const fn part(bytes: &[u8], from: usize, to: usize) -> u32 {
    let mut hash = BASIS;
    let mut at = from;
    while at < to {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(PRIME);
        at += 1;
    }
    hash
}

/// FNV-1a over `bytes[from..to]`, whatever the case of its letters.
#[expect(clippy::indexing_slicing, reason = "every caller stays inside the slice")]
pub const fn part_in_lower_case(bytes: &[u8], from: usize, to: usize) -> u32 {
    let mut hash = BASIS;
    let mut at = from;
    while at < to {
        hash = (hash ^ bytes[at].to_ascii_lowercase() as u32).wrapping_mul(PRIME);
        at += 1;
    }
    hash
}

/// FNV-1a over a name without its `_`, whatever the case of its letters.
pub const fn letters(name: &str) -> u32 {
    let mut hash = BASIS;
    let mut bytes = name.as_bytes();
    while let [first, rest @ ..] = bytes {
        if *first != b'_' {
            hash = (hash ^ first.to_ascii_lowercase() as u32).wrapping_mul(PRIME);
        }
        bytes = rest;
    }
    hash
}

/// FNV-1a over a whole name.
pub const fn whole(name: &str) -> u32 {
    part(name.as_bytes(), 0, name.len())
}

/// Which of `chains` chains a hash belongs to.
pub const fn chain(hash: u32, chains: usize) -> usize {
    (hash ^ (hash >> 16)) as usize % chains
}

/// Names that are asked for in vain far more often than not: a name that [`Sieve::lets_through`] does not let through is none of them.
#[derive(Clone, Copy, Debug)]
pub struct Sieve([u64; 8]);

impl Sieve {
    /// Nothing passes.
    pub const EMPTY: Self = Self([0; 8]);

    /// The same, which lets this name through too.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "a chain is one of as many as there are bits")]
    pub const fn with(mut self, name: &str) -> Self {
        let bit = chain(whole(name), 512);
        self.0[bit / 64] |= 1 << (bit % 64);
        self
    }

    /// The same, which lets these names through too.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "every index is below the length")]
    pub const fn with_all(mut self, names: &[&str]) -> Self {
        let mut at = 0;
        while at < names.len() {
            self = self.with(names[at]);
            at += 1;
        }
        self
    }

    /// Whether a name may be one of them.
    #[must_use]
    pub fn lets_through(&self, name: &str) -> bool {
        let bit = chain(whole(name), 512);
        self.0.get(bit / 64).is_some_and(|bits| bits & (1 << (bit % 64)) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::Sieve;

    #[test]
    fn a_sieve_lets_through_what_was_put_in_and_little_else() {
        let sieve = Sieve::EMPTY.with("vi").with_all(&["nodejs", "pip3"]);
        for name in ["vi", "nodejs", "pip3"] {
            assert!(sieve.lets_through(name), "{name}");
        }
        let others = ["", "ls", "git", "npm", "cargo", "sed", "python3", "grep", "cat", "rm"];
        let passing = others.into_iter().filter(|name| sieve.lets_through(name));
        assert!(passing.count() <= 1);
        assert!(!others.into_iter().any(|name| Sieve::EMPTY.lets_through(name)));
    }
}
