//! What an address is, and which IPv4 address it carries inside. Owns the layouts of embedded addresses; the ranges are
//! rows of [`super::range`].

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

use super::range::{self, Kind, Range};

/// How an IPv6 address carries an IPv4 one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Embedding {
    /// `::ffff:a.b.c.d` (RFC 4291).
    Mapped,
    /// `::a.b.c.d` (RFC 4291, withdrawn).
    Compatible,
    /// `::ffff:0:a.b.c.d` (RFC 2765).
    Translated,
    /// `64:ff9b::a.b.c.d` (RFC 6052).
    Nat64,
    /// In `64:ff9b:1::/48` (RFC 8215).
    LocalNat64,
    /// In a prefix that the operator of this network translates (RFC 6052).
    OperatorNat64,
    /// `2002:AABB:CCDD::` (RFC 3056).
    SixToFour,
    /// In the low bits of `2001::/32`, inverted (RFC 4380).
    Teredo,
    /// `…:5efe:a.b.c.d` (RFC 5214).
    Isatap,
}

impl Embedding {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mapped => "IPv4-mapped",
            Self::Compatible => "IPv4-compatible",
            Self::Translated => "IPv4-translated",
            Self::Nat64 | Self::LocalNat64 | Self::OperatorNat64 => "NAT64",
            Self::SixToFour => "6to4",
            Self::Teredo => "Teredo",
            Self::Isatap => "ISATAP",
        }
    }
}

/// What an address is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Class {
    /// The range that it lies in.
    pub range: &'static Range,
    /// The IPv4 address that it stands for, how it carries that, and the range of that one.
    pub carries: Option<(Embedding, Ipv4Addr, &'static Range)>,
}

impl Class {
    /// Whether anybody's machine on the Internet is reached by it. An address behind NAT64 is as public as the one it stands
    /// for; the other ways to carry an address are tunnels and spellings that no server has for its own.
    #[must_use]
    pub fn is_public(&self) -> bool {
        match self.carries {
            None => self.range.kind == Kind::Public,
            Some((Embedding::Nat64 | Embedding::OperatorNat64, _, range)) => {
                range.kind == Kind::Public
            }
            Some(_) => false,
        }
    }

    /// What reaching it comes to: for an address that carries another, what reaching that one comes to, unless that is public.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self.carries {
            _ if self.range.kind == Kind::Metadata => Kind::Metadata,
            Some((_, _, range)) if range.kind != Kind::Public => range.kind,
            Some(_) if self.is_public() => Kind::Public,
            Some(_) => Kind::Transition,
            None => self.range.kind,
        }
    }

    /// Whether a person who allows private addresses for a host means this one. Never the metadata of a cloud, never the
    /// neighbours on the link, and never an address that comes in the disguise of another.
    #[must_use]
    pub const fn is_liftable(&self) -> bool {
        let liftable = matches!(
            self.range.kind,
            Kind::Public | Kind::Private | Kind::Loopback | Kind::Benchmark
        );
        liftable && self.carries.is_none()
    }
}

/// `private network 10.0.0.0/8 (RFC 1918)`, with what it carries.
impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |f: &mut fmt::Formatter<'_>, range: &Range| match range.kind {
            Kind::Public => write!(f, "{}", range.name),
            _ => write!(f, "{} {range} ({})", range.name, range.source),
        };
        match self.carries {
            None => of(f, self.range),
            Some((embedding, address, range)) => {
                if self.range.kind == Kind::Public {
                    f.write_str(embedding.name())?;
                } else {
                    of(f, self.range)?;
                }
                write!(f, " for {address}, ")?;
                of(f, range)
            }
        }
    }
}

/// What an address is.
#[must_use]
pub fn classify(address: IpAddr) -> Class {
    match address {
        IpAddr::V4(address) => Class { range: range::four(address), carries: None },
        IpAddr::V6(address) => {
            let carries =
                carried(address).map(|(embedding, inner)| (embedding, inner, range::four(inner)));
            Class { range: range::six(address), carries }
        }
    }
}

/// As [`classify`], for a network whose operator translates a prefix to IPv4: the class of an address in one of the prefixes,
/// each with its length, and `None` for any other.
#[must_use]
pub fn operator_nat64(address: IpAddr, prefixes: &[(Ipv6Addr, u8)]) -> Option<Class> {
    let IpAddr::V6(six) = address else { return None };
    prefixes.iter().find_map(|(prefix, length)| {
        let apart = 128_u32.checked_sub(u32::from(*length))?;
        let same = apart < 128 && (six.to_bits() ^ prefix.to_bits()) >> apart == 0;
        let inner = rfc6052(six, *length).filter(|_| same)?;
        let carries = Some((Embedding::OperatorNat64, inner, range::four(inner)));
        Some(Class { range: range::six(six), carries })
    })
}

/// The IPv4 address that an IPv6 address carries by itself, whatever network it is used in.
#[must_use]
pub fn carried(address: Ipv6Addr) -> Option<(Embedding, Ipv4Addr)> {
    let four = |high: u16, low: u16| Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low));
    match address.segments() {
        // The unspecified address and loopback are addresses of their own.
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        [0, 0, 0, 0, 0, 0, high, low] => Some((Embedding::Compatible, four(high, low))),
        [0, 0, 0, 0, 0, 0xffff, high, low] => Some((Embedding::Mapped, four(high, low))),
        [0, 0, 0, 0, 0xffff, 0, high, low] => Some((Embedding::Translated, four(high, low))),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some((Embedding::Nat64, four(high, low))),
        [0x64, 0xff9b, 1, ..] => local_nat64(address).map(|four| (Embedding::LocalNat64, four)),
        [0x2002, high, low, ..] => Some((Embedding::SixToFour, four(high, low))),
        [0x2001, 0, _, _, _, _, high, low] => Some((Embedding::Teredo, four(!high, !low))),
        // The bits that say "universal" and "group" do not count.
        [_, _, _, _, fifth, 0x5efe, high, low] if fifth & 0xfcff == 0 => {
            Some((Embedding::Isatap, four(high, low)))
        }
        _ => None,
    }
}

/// In `64:ff9b:1::/48` the operator chooses where the prefix ends: the layout that leads somewhere special, and the last one
/// where none does.
fn local_nat64(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let layouts = || [48, 56, 64, 96].into_iter().filter_map(|length| rfc6052(address, length));
    let special = |four: &Ipv4Addr| {
        !matches!(range::four(*four).kind, Kind::Public | Kind::Unspecified | Kind::Reserved)
    };
    layouts().find(special).or_else(|| layouts().next_back())
}

/// The IPv4 address behind a prefix of one of the lengths of RFC 6052 §2.2. Bits 64 to 71 are left out and zero; an address
/// in which they are not is no translated one.
fn rfc6052(address: Ipv6Addr, length: u8) -> Option<Ipv4Addr> {
    let [_, _, _, _, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15] = address.octets();
    if length != 96 && b8 != 0 {
        return None;
    }
    let octets = match length {
        32 => [b4, b5, b6, b7],
        40 => [b5, b6, b7, b9],
        48 => [b6, b7, b9, b10],
        56 => [b7, b9, b10, b11],
        64 => [b9, b10, b11, b12],
        96 => [b12, b13, b14, b15],
        _ => return None,
    };
    Some(Ipv4Addr::from(octets))
}
