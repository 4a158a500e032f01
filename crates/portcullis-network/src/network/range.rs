//! The special ranges of IPv4 and IPv6. Owns the table, each row with where it comes from; what an address that stands for
//! another one means, [`super::address`] says.
//!
//! The rows are those of the registries of IANA (IPv4 and IPv6 Special-Purpose Address, Multicast, IPv6 Address Space), the
//! ranges that were once special and may still be routed so, and the addresses at which clouds give out credentials.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

/// What reaching an address in a range comes to.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Kind {
    /// Anybody's machine on the Internet.
    Public,
    /// This machine.
    Loopback,
    /// A private network, or one that an operator keeps to itself.
    Private,
    /// For tests of throughput; some proxies hand it out in place of real addresses.
    Benchmark,
    /// This machine or whatever it takes for itself: not a destination at all.
    Unspecified,
    /// The neighbours on the link.
    LinkLocal,
    /// A cloud's own service for the machines in it; gives out credentials.
    Metadata,
    /// For examples in texts.
    Documentation,
    /// Many machines at once.
    Multicast,
    /// Stands for another address, behind a translator or a tunnel.
    Transition,
    /// Kept for a protocol, withdrawn, or given to nobody.
    Reserved,
}

/// A range of addresses.
#[derive(Debug, Eq, PartialEq)]
pub struct Range {
    /// The first address; of IPv4 in the low 32 bits.
    first: u128,
    /// How many bits an address has.
    width: u8,
    /// How many bits of the first address are those of every address in it.
    length: u8,
    /// Those bits.
    mask: u128,
    /// What reaching it comes to.
    pub kind: Kind,
    /// What it is, in words.
    pub name: &'static str,
    /// Who says so.
    pub source: &'static str,
}

impl Range {
    const fn four(
        octets: [u8; 4],
        length: u8,
        kind: Kind,
        name: &'static str,
        source: &'static str,
    ) -> Self {
        let first = u32::from_be_bytes(octets) as u128;
        let mask = mask(32, length);
        Self { first, width: 32, length, mask, kind, name, source }
    }

    const fn six(
        segments: [u16; 8],
        length: u8,
        kind: Kind,
        name: &'static str,
        source: &'static str,
    ) -> Self {
        let [a, b, c, d, e, f, g, h] = segments;
        let first = Ipv6Addr::new(a, b, c, d, e, f, g, h).to_bits();
        Self { first, width: 128, length, mask: mask(128, length), kind, name, source }
    }

    /// The first address.
    #[must_use]
    pub fn first(&self) -> IpAddr {
        match self.width {
            32 => {
                // Of a row of IPv4 the high bits are never set.
                IpAddr::V4(Ipv4Addr::from_bits(u32::try_from(self.first).unwrap_or(u32::MAX)))
            }
            _ => IpAddr::V6(Ipv6Addr::from_bits(self.first)),
        }
    }

    /// How many leading bits the addresses in it share.
    #[must_use]
    pub const fn length(&self) -> u8 {
        self.length
    }

    const fn holds(&self, bits: u128) -> bool {
        (self.first ^ bits) & self.mask == 0
    }
}

/// The first bits of a number, which has so many.
const fn mask(width: u8, length: u8) -> u128 {
    if length == 0 {
        return 0;
    }
    let all = u128::MAX >> (128 - width);
    all ^ (all >> length.saturating_sub(1) >> 1)
}

/// As in a routing table: `10.0.0.0/8`.
impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.first(), self.length)
    }
}

/// The row of an IPv4 address: the first that holds it, the narrow ones standing before the wide ones.
pub(super) fn four(address: Ipv4Addr) -> &'static Range {
    let rows = INDEX_FOUR.rows(address.octets());
    rows.first(RANGES_FOUR, u128::from(address.to_bits()))
}

/// As [`four`], of an IPv6 address.
pub(super) fn six(address: Ipv6Addr) -> &'static Range {
    let [a, b, c, d, ..] = address.octets();
    INDEX_SIX.rows([a, b, c, d]).first(RANGES_SIX, address.to_bits())
}

/// Rows of a table, one bit each.
#[derive(Clone, Copy)]
struct Rows(u64);

impl Rows {
    fn first(self, table: &'static [Range], bits: u128) -> &'static Range {
        let mut left = self.0;
        while left != 0 {
            let row = usize::try_from(left.trailing_zeros()).ok().and_then(|row| table.get(row));
            if let Some(row) = row.filter(|row| row.holds(bits)) {
                return row;
            }
            left &= left - 1;
        }
        &NOTHING
    }
}

/// The rows that can hold an address, for each value of each of its first four bytes.
struct Index([[u64; 256]; 4]);

static INDEX_FOUR: Index = Index::new(RANGES_FOUR);

static INDEX_SIX: Index = Index::new(RANGES_SIX);

impl Index {
    fn rows(&self, first: [u8; 4]) -> Rows {
        let all = self.0.iter().zip(first).fold(u64::MAX, |all, (rows, byte)| {
            all & rows.get(usize::from(byte)).copied().unwrap_or(u64::MAX)
        });
        Rows(all)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "a byte has 256 values, and this runs when the program is built"
    )]
    const fn new(mut table: &[Range]) -> Self {
        assert!(table.len() <= 64, "each row has a bit");
        let (mut rows, mut bit) = ([[0; 256]; 4], 1_u64);
        while let Some((row, rest)) = table.split_first() {
            let mut place = 0;
            while place < rows.len() {
                let before = 8 * place as u8;
                let wanted = ((row.first >> (row.width - before - 8)) & 0xff) as usize;
                let free = 8_u8.saturating_sub(row.length.saturating_sub(before));
                let mut byte = 0;
                while byte < 256 {
                    if (byte ^ wanted) >> free == 0 {
                        rows[place][byte] |= bit;
                    }
                    byte += 1;
                }
                place += 1;
            }
            (table, bit) = (rest, bit << 1);
        }
        Self(rows)
    }
}

/// What no row holds; the last row of each table holds everything.
static NOTHING: Range = Range::six([0; 8], 0, Kind::Reserved, "no known range", "");

/// Every range of IPv4.
pub static RANGES_FOUR: &[Range] = &[
    Range::four(
        [169, 254, 169, 254],
        32,
        Kind::Metadata,
        "metadata service of clouds",
        "AWS, Azure, Google Cloud, OpenStack",
    ),
    Range::four([169, 254, 169, 253], 32, Kind::Metadata, "name server of a cloud", "AWS VPC"),
    Range::four([169, 254, 169, 123], 32, Kind::Metadata, "clock of a cloud", "AWS VPC"),
    Range::four([169, 254, 170, 2], 32, Kind::Metadata, "credentials of containers", "AWS ECS"),
    Range::four([169, 254, 170, 23], 32, Kind::Metadata, "credentials of pods", "AWS EKS"),
    Range::four(
        [169, 254, 0, 23],
        32,
        Kind::Metadata,
        "metadata service of a cloud",
        "Tencent Cloud",
    ),
    Range::four([169, 254, 42, 42], 32, Kind::Metadata, "metadata service of a cloud", "Scaleway"),
    Range::four(
        [100, 100, 100, 200],
        32,
        Kind::Metadata,
        "metadata service of a cloud",
        "Alibaba Cloud",
    ),
    Range::four(
        [192, 0, 0, 192],
        32,
        Kind::Metadata,
        "metadata service of a cloud",
        "Oracle Cloud",
    ),
    Range::four(
        [168, 63, 129, 16],
        32,
        Kind::Metadata,
        "wire server of a cloud",
        "Microsoft Azure",
    ),
    Range::four(
        [0, 0, 0, 0],
        32,
        Kind::Unspecified,
        "this host on this network",
        "RFC 1122 §3.2.1.3",
    ),
    Range::four([0, 0, 0, 0], 8, Kind::Unspecified, "this network", "RFC 791 §3.2"),
    Range::four([10, 0, 0, 0], 8, Kind::Private, "private network", "RFC 1918"),
    Range::four([100, 64, 0, 0], 10, Kind::Private, "shared address space of carriers", "RFC 6598"),
    Range::four([127, 0, 0, 0], 8, Kind::Loopback, "loopback", "RFC 1122 §3.2.1.3"),
    Range::four([169, 254, 0, 0], 16, Kind::LinkLocal, "link-local", "RFC 3927"),
    Range::four([172, 16, 0, 0], 12, Kind::Private, "private network", "RFC 1918"),
    Range::four([192, 0, 0, 0], 29, Kind::Reserved, "IPv4 service continuity", "RFC 7335"),
    Range::four([192, 0, 0, 8], 32, Kind::Reserved, "IPv4 dummy address", "RFC 7600"),
    Range::four(
        [192, 0, 0, 9],
        32,
        Kind::Reserved,
        "anycast of the port control protocol",
        "RFC 7723",
    ),
    Range::four(
        [192, 0, 0, 10],
        32,
        Kind::Reserved,
        "anycast of relays around translators",
        "RFC 8155",
    ),
    Range::four(
        [192, 0, 0, 170],
        31,
        Kind::Reserved,
        "discovery of NAT64",
        "RFC 8880, RFC 7050 §2.2",
    ),
    Range::four([192, 0, 0, 0], 24, Kind::Reserved, "protocol assignments", "RFC 6890 §2.1"),
    Range::four([192, 0, 2, 0], 24, Kind::Documentation, "documentation (TEST-NET-1)", "RFC 5737"),
    Range::four([192, 31, 196, 0], 24, Kind::Reserved, "AS112", "RFC 7535"),
    Range::four([192, 52, 193, 0], 24, Kind::Reserved, "multicast tunnelling", "RFC 7450"),
    Range::four([192, 88, 99, 2], 32, Kind::Reserved, "anycast of 6a44 relays", "RFC 6751"),
    Range::four(
        [192, 88, 99, 0],
        24,
        Kind::Reserved,
        "anycast of 6to4 relays, withdrawn",
        "RFC 7526",
    ),
    Range::four([192, 168, 0, 0], 16, Kind::Private, "private network", "RFC 1918"),
    Range::four([192, 175, 48, 0], 24, Kind::Reserved, "direct delegation to AS112", "RFC 7534"),
    Range::four([198, 18, 0, 0], 15, Kind::Benchmark, "benchmarking", "RFC 2544"),
    Range::four(
        [198, 51, 100, 0],
        24,
        Kind::Documentation,
        "documentation (TEST-NET-2)",
        "RFC 5737",
    ),
    Range::four(
        [203, 0, 113, 0],
        24,
        Kind::Documentation,
        "documentation (TEST-NET-3)",
        "RFC 5737",
    ),
    Range::four([233, 252, 0, 0], 24, Kind::Multicast, "documentation of multicast", "RFC 6676"),
    Range::four([224, 0, 0, 0], 4, Kind::Multicast, "multicast", "RFC 5771"),
    Range::four(
        [255, 255, 255, 255],
        32,
        Kind::Reserved,
        "limited broadcast",
        "RFC 8190, RFC 919 §7",
    ),
    Range::four([240, 0, 0, 0], 4, Kind::Reserved, "reserved", "RFC 1112 §4"),
    Range::four([0, 0, 0, 0], 0, Kind::Public, "public", "IANA IPv4 address space"),
];

/// Every range of IPv6.
pub static RANGES_SIX: &[Range] = &[
    Range::six(
        [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254],
        128,
        Kind::Metadata,
        "metadata service of a cloud",
        "AWS",
    ),
    Range::six(
        [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x253],
        128,
        Kind::Metadata,
        "name server of a cloud",
        "AWS",
    ),
    Range::six(
        [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x123],
        128,
        Kind::Metadata,
        "clock of a cloud",
        "AWS",
    ),
    Range::six(
        [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23],
        128,
        Kind::Metadata,
        "credentials of pods",
        "AWS EKS",
    ),
    Range::six(
        [0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254],
        128,
        Kind::Metadata,
        "metadata service of a cloud",
        "Google Cloud",
    ),
    Range::six(
        [0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42],
        128,
        Kind::Metadata,
        "metadata service of a cloud",
        "Scaleway",
    ),
    Range::six([0, 0, 0, 0, 0, 0, 0, 0], 128, Kind::Unspecified, "unspecified", "RFC 4291"),
    Range::six([0, 0, 0, 0, 0, 0, 0, 1], 128, Kind::Loopback, "loopback", "RFC 4291"),
    Range::six([0, 0, 0, 0, 0, 0xffff, 0, 0], 96, Kind::Transition, "IPv4-mapped", "RFC 4291"),
    Range::six([0, 0, 0, 0, 0xffff, 0, 0, 0], 96, Kind::Transition, "IPv4-translated", "RFC 2765"),
    Range::six(
        [0, 0, 0, 0, 0, 0, 0, 0],
        96,
        Kind::Transition,
        "IPv4-compatible, withdrawn",
        "RFC 4291 §2.5.5.1",
    ),
    Range::six([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96, Kind::Transition, "NAT64", "RFC 6052"),
    Range::six(
        [0x64, 0xff9b, 1, 0, 0, 0, 0, 0],
        48,
        Kind::Transition,
        "NAT64 of a local network",
        "RFC 8215",
    ),
    Range::six([0x100, 0, 0, 0, 0, 0, 0, 0], 64, Kind::Reserved, "discard only", "RFC 6666"),
    Range::six([0x100, 0, 0, 1, 0, 0, 0, 0], 64, Kind::Reserved, "IPv6 dummy prefix", "RFC 9780"),
    Range::six([0x200, 0, 0, 0, 0, 0, 0, 0], 7, Kind::Reserved, "NSAP, withdrawn", "RFC 4048"),
    Range::six([0x2001, 0, 0, 0, 0, 0, 0, 0], 32, Kind::Transition, "Teredo", "RFC 4380, RFC 8190"),
    Range::six(
        [0x2001, 1, 0, 0, 0, 0, 0, 1],
        128,
        Kind::Reserved,
        "anycast of the port control protocol",
        "RFC 7723",
    ),
    Range::six(
        [0x2001, 1, 0, 0, 0, 0, 0, 2],
        128,
        Kind::Reserved,
        "anycast of relays around translators",
        "RFC 8155",
    ),
    Range::six(
        [0x2001, 1, 0, 0, 0, 0, 0, 3],
        128,
        Kind::Reserved,
        "anycast of service registration",
        "RFC 9665",
    ),
    Range::six(
        [0x2001, 2, 0, 0, 0, 0, 0, 0],
        48,
        Kind::Benchmark,
        "benchmarking",
        "RFC 5180, RFC Errata 1752",
    ),
    Range::six(
        [0x2001, 3, 0, 0, 0, 0, 0, 0],
        32,
        Kind::Reserved,
        "multicast tunnelling",
        "RFC 7450",
    ),
    Range::six([0x2001, 4, 0x112, 0, 0, 0, 0, 0], 48, Kind::Reserved, "AS112", "RFC 7535"),
    Range::six(
        [0x2001, 0x10, 0, 0, 0, 0, 0, 0],
        28,
        Kind::Reserved,
        "ORCHID, withdrawn",
        "RFC 4843",
    ),
    Range::six([0x2001, 0x20, 0, 0, 0, 0, 0, 0], 28, Kind::Reserved, "ORCHIDv2", "RFC 7343"),
    Range::six([0x2001, 0x30, 0, 0, 0, 0, 0, 0], 28, Kind::Reserved, "tags of drones", "RFC 9374"),
    Range::six(
        [0x2001, 0, 0, 0, 0, 0, 0, 0],
        23,
        Kind::Reserved,
        "protocol assignments",
        "RFC 2928",
    ),
    Range::six(
        [0x2001, 0xdb8, 0, 0, 0, 0, 0, 0],
        32,
        Kind::Documentation,
        "documentation",
        "RFC 3849",
    ),
    Range::six([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, Kind::Transition, "6to4", "RFC 3056"),
    Range::six(
        [0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0],
        48,
        Kind::Reserved,
        "direct delegation to AS112",
        "RFC 7534",
    ),
    Range::six([0x3ffe, 0, 0, 0, 0, 0, 0, 0], 16, Kind::Reserved, "6bone, withdrawn", "RFC 3701"),
    Range::six([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, Kind::Documentation, "documentation", "RFC 9637"),
    Range::six(
        [0x5f00, 0, 0, 0, 0, 0, 0, 0],
        16,
        Kind::Reserved,
        "segment routing identifiers",
        "RFC 9602",
    ),
    Range::six(
        [0xfc00, 0, 0, 0, 0, 0, 0, 0],
        7,
        Kind::Private,
        "unique local network",
        "RFC 4193, RFC 8190",
    ),
    Range::six([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, Kind::LinkLocal, "link-local", "RFC 4291"),
    Range::six(
        [0xfec0, 0, 0, 0, 0, 0, 0, 0],
        10,
        Kind::Private,
        "site-local network, withdrawn",
        "RFC 3879",
    ),
    Range::six([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, Kind::Multicast, "multicast", "RFC 4291"),
    Range::six([0x2000, 0, 0, 0, 0, 0, 0, 0], 3, Kind::Public, "public", "RFC 4291 §2.5.4"),
    Range::six(
        [0, 0, 0, 0, 0, 0, 0, 0],
        0,
        Kind::Reserved,
        "outside of what is given out (2000::/3)",
        "IANA IPv6 address space",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_finds_what_reading_all_rows_finds() {
        for (rows, width) in [(RANGES_FOUR, 32_u32), (RANGES_SIX, 128)] {
            let all = if width == 32 { u128::from(u32::MAX) } else { u128::MAX };
            let edges = rows.iter().flat_map(|row| {
                let last = row.first | all.checked_shr(u32::from(row.length)).unwrap_or(0);
                [row.first, row.first.wrapping_sub(1) & all, last, last.wrapping_add(1) & all]
            });
            for bits in edges {
                let slow = rows.iter().find(|row| row.holds(bits)).unwrap();
                let found = match width {
                    32 => four(Ipv4Addr::from_bits(u32::try_from(bits).unwrap())),
                    _ => six(Ipv6Addr::from_bits(bits)),
                };
                assert_eq!(found, slow, "{bits:x}");
            }
        }
    }
}
