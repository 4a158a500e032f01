//! Names that lead inside whatever a server says about them. Owns the lists of such names; addresses belong to
//! [`super::address`].

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::address::classify;

/// Why a name leads inside, or nowhere that the Internet knows.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Inside {
    /// A cloud's metadata service.
    Metadata,
    /// This machine.
    Machine,
    /// A network or a cluster of its own.
    Network,
    /// A name without a dot: whoever resolves it puts a domain of its own behind it.
    SingleLabel,
    /// Only reached through an anonymising network.
    Hidden,
    /// A public service that answers with the address in the name.
    Carries(IpAddr),
    /// A public service that answers with one address first and with another one later.
    Rebinding,
}

impl Inside {
    /// Why, behind the name.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::Metadata => "is the metadata service of a cloud".to_owned(),
            Self::Machine => "is a name of this machine".to_owned(),
            Self::Network => "is a name that only a private network knows".to_owned(),
            Self::SingleLabel => {
                "is a name without a dot, which only a private network knows".to_owned()
            }
            Self::Hidden => "is only reached through an anonymising network".to_owned(),
            Self::Carries(address) => {
                format!("stands for {address}, {}", classify(address))
            }
            Self::Rebinding => {
                "is a service that answers with another address each time".to_owned()
            }
        }
    }
}

/// Why a name leads inside; `None` where only its addresses can tell. `host` is in lower case and without a dot at its end.
#[must_use]
pub fn inside(host: &str) -> Option<Inside> {
    let Some((name, meaning)) = known(host) else {
        return (!host.contains('.')).then_some(Inside::SingleLabel);
    };
    match meaning {
        Meaning::Metadata => Some(Inside::Metadata),
        Meaning::Machine => Some(Inside::Machine),
        Meaning::Hidden => Some(Inside::Hidden),
        Meaning::Network => Some(Inside::Network),
        Meaning::Rebinding => Some(Inside::Rebinding),
        Meaning::Every => Some(Inside::Carries(IpAddr::V4(Ipv4Addr::LOCALHOST))),
        Meaning::Carrying => {
            let carried = before(host, name)?;
            (!classify(carried).is_public()).then_some(Inside::Carries(carried))
        }
    }
}

/// Whether a name is another one, or lies under it.
pub(super) fn is_or_is_under(host: &str, name: &str) -> bool {
    host.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// The address that a name of a public wildcard service carries: `app.10.0.0.1.nip.io`, `10-0-0-1.sslip.io`. Where it could
/// be several, one that is not public.
pub(crate) fn in_name(host: &str) -> Option<IpAddr> {
    match known(host)? {
        (_, Meaning::Every) => Some(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        (name, Meaning::Carrying | Meaning::Rebinding) => before(host, name),
        _ => None,
    }
}

/// The address that stands before the name of a service.
fn before(host: &str, service: &str) -> Option<IpAddr> {
    let name = host.strip_suffix(service)?.strip_suffix('.')?;
    let mut last: [Option<u8>; 4] = [None; 4];
    let mut found: Option<IpAddr> = None;
    let mut find = |address: IpAddr| {
        if found.is_none_or(|found| classify(found).is_public()) {
            found = Some(address);
        }
    };
    for part in name.split(['.', '-']) {
        let [_, a, b, c] = last;
        last = [a, b, c, part.parse().ok()];
        if let [Some(a), Some(b), Some(c), Some(d)] = last {
            find(IpAddr::V4(Ipv4Addr::new(a, b, c, d)));
        }
        if let Some(packed) =
            (part.len() == 8).then(|| u32::from_str_radix(part, 16).ok()).flatten()
        {
            find(IpAddr::V4(Ipv4Addr::from(packed)));
        }
    }
    // Two dashes in a row, or seven.
    for label in name.split('.').filter(|label| label.matches('-').nth(1).is_some()) {
        if let Ok(six) = label.replace('-', ":").parse::<Ipv6Addr>() {
            find(IpAddr::V6(six));
        }
    }
    found
}

/// What it means that a name is one of the list, or lies under it; what comes first here counts.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Meaning {
    Metadata,
    Machine,
    Hidden,
    /// Top names that no public server answers for, or that everyone's network has its own of.
    Network,
    /// Services whose very purpose is to answer differently the second time.
    Rebinding,
    /// Public names that all lead to this machine.
    Every,
    /// Names under which every address is a name.
    Carrying,
}

/// The name of the table that a host is or lies under, where there are several the one that counts.
fn known(host: &str) -> Option<(&'static str, Meaning)> {
    let dots = host.bytes().enumerate().rev().filter(|(_, byte)| *byte == b'.');
    let starts = dots.map(|(dot, _)| dot + 1).chain([0]).take(MOST_LABELS);
    let rows = starts.filter_map(|start| {
        let name = host.get(start..)?;
        let row = NAMES.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
        NAMES.get(row)
    });
    rows.min_by_key(|(_, meaning)| *meaning).copied()
}

/// The most labels of a name in the table.
const MOST_LABELS: usize = 3;

/// Names that say something about what lies under them.
static NAMES: &[(&str, Meaning)] = &[
    ("1u.ms", Meaning::Rebinding),
    ("consul", Meaning::Network),
    ("corp", Meaning::Network),
    ("fuf.me", Meaning::Every),
    ("home", Meaning::Network),
    ("home.arpa", Meaning::Network),
    ("host.docker.internal", Meaning::Machine),
    ("i2p", Meaning::Hidden),
    ("instance-data", Meaning::Metadata),
    ("instance-data.ec2.internal", Meaning::Metadata),
    ("internal", Meaning::Network),
    ("intranet", Meaning::Network),
    ("ip6-localhost", Meaning::Machine),
    ("ip6-loopback", Meaning::Machine),
    ("kubernetes.default", Meaning::Network),
    ("kubernetes.default.svc", Meaning::Network),
    ("lacolhost.com", Meaning::Every),
    ("lan", Meaning::Network),
    ("local", Meaning::Network),
    ("localdomain", Meaning::Network),
    ("localho.st", Meaning::Every),
    ("localhost", Meaning::Machine),
    ("localhost.localdomain", Meaning::Machine),
    ("localtest.me", Meaning::Every),
    ("lvh.me", Meaning::Every),
    ("metadata.azure.com", Meaning::Metadata),
    ("metadata.azure.internal", Meaning::Metadata),
    ("metadata.goog", Meaning::Metadata),
    ("metadata.google.internal", Meaning::Metadata),
    ("metadata.packet.net", Meaning::Metadata),
    ("metadata.platformequinix.com", Meaning::Metadata),
    ("metadata.tencentyun.com", Meaning::Metadata),
    ("nip.io", Meaning::Carrying),
    ("onion", Meaning::Hidden),
    ("onion.ly", Meaning::Hidden),
    ("onion.to", Meaning::Hidden),
    ("onion.ws", Meaning::Hidden),
    ("private", Meaning::Network),
    ("rbndr.us", Meaning::Rebinding),
    ("rebind.it", Meaning::Rebinding),
    ("rebind.network", Meaning::Rebinding),
    ("sslip.io", Meaning::Carrying),
    ("test", Meaning::Network),
    ("tor2web.org", Meaning::Hidden),
    ("traefik.me", Meaning::Carrying),
    ("vcap.me", Meaning::Every),
    ("xip.io", Meaning::Carrying),
    ("yoogle.com", Meaning::Every),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_short() {
        assert!(NAMES.is_sorted_by(|(one, _), (other, _)| one < other));
        assert!(NAMES.iter().all(|(name, _)| name.split('.').count() <= MOST_LABELS));
    }
}
