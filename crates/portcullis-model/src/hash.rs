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
