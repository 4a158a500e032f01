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
    let is = |names: &[&str]| names.iter().any(|name| is_or_is_under(host, name));
    if is(METADATA) {
        Some(Inside::Metadata)
    } else if is(MACHINE) {
        Some(Inside::Machine)
    } else if is(HIDDEN) {
        Some(Inside::Hidden)
    } else if is(NETWORK) {
        Some(Inside::Network)
    } else if !host.contains('.') {
        Some(Inside::SingleLabel)
    } else if is(REBINDING) {
        Some(Inside::Rebinding)
    } else {
        let carried = in_name(host)?;
        (!classify(carried).is_public()).then_some(Inside::Carries(carried))
    }
}

/// Whether a name is another one, or lies under it.
pub(super) fn is_or_is_under(host: &str, name: &str) -> bool {
    host.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// The address that a name of a public wildcard service carries: `app.10.0.0.1.nip.io`, `10-0-0-1.sslip.io`. Where it could
/// be several, one that is not public.
pub(crate) fn in_name(host: &str) -> Option<IpAddr> {
    if WILDCARD_LOCAL.iter().any(|name| is_or_is_under(host, name)) {
        return Some(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    let service = WILDCARDS.iter().find(|service| is_or_is_under(host, service))?;
    let name = host.strip_suffix(service)?.strip_suffix('.')?;
    let parts: Vec<&str> = name.split(['.', '-']).collect();
    let dotted = parts.windows(4).filter_map(|four| {
        let numbers: Vec<u8> = four.iter().filter_map(|part| part.parse().ok()).collect();
        <[u8; 4]>::try_from(numbers).ok().map(Ipv4Addr::from)
    });
    let packed = parts
        .iter()
        .filter(|part| part.len() == 8)
        .filter_map(|part| u32::from_str_radix(part, 16).ok().map(Ipv4Addr::from));
    let six = name.split('.').filter_map(|label| label.replace('-', ":").parse::<Ipv6Addr>().ok());
    let mut found: Vec<IpAddr> =
        dotted.chain(packed).map(IpAddr::V4).chain(six.map(IpAddr::V6)).collect();
    found.sort_by_key(|address| classify(*address).is_public());
    found.first().copied()
}

/// Names under which every address is a name.
const WILDCARDS: &[&str] = &["nip.io", "sslip.io", "xip.io", "1u.ms", "rbndr.us", "traefik.me"];

/// Public names that all lead to this machine.
const WILDCARD_LOCAL: &[&str] =
    &["localtest.me", "lvh.me", "lacolhost.com", "vcap.me", "fuf.me", "localho.st", "yoogle.com"];

/// Services whose very purpose is to answer differently the second time.
const REBINDING: &[&str] = &["1u.ms", "rbndr.us", "rebind.network", "rebind.it"];

const METADATA: &[&str] = &[
    "metadata.google.internal",
    "metadata.goog",
    "metadata.azure.com",
    "metadata.azure.internal",
    "instance-data.ec2.internal",
    "instance-data",
    "metadata.tencentyun.com",
    "metadata.packet.net",
    "metadata.platformequinix.com",
];

const MACHINE: &[&str] = &[
    "localhost",
    "localhost.localdomain",
    "ip6-localhost",
    "ip6-loopback",
    "host.docker.internal",
];

const HIDDEN: &[&str] = &["onion", "i2p", "onion.ly", "onion.ws", "onion.to", "tor2web.org"];

/// Top names that no public server answers for, or that everyone's network has its own of.
const NETWORK: &[&str] = &[
    "local",
    "internal",
    "lan",
    "home.arpa",
    "intranet",
    "corp",
    "home",
    "localdomain",
    "private",
    "consul",
    "test",
    "kubernetes.default",
    "kubernetes.default.svc",
];
