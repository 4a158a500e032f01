//! Addresses as programs write them where no URL says how: bare, as one number, in a name. Owns which of them a host is; what
//! the address is, [`super::address`] says.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::address::{host_of, hosts_within};

use super::{
    address::{carried, classify},
    curl::loose_ip4,
    name::{Inside, in_name, inside},
    range::Kind,
};

/// The address that a host in lower case is, without port and brackets, and whether it is written plainly.
pub fn written_address(host: &str) -> Option<(IpAddr, bool)> {
    if let Ok(plain) = host.parse::<Ipv4Addr>() {
        return Some((IpAddr::V4(plain), true));
    }
    let bare = host.split('%').next().unwrap_or(host);
    if let Ok(six) = bare.parse::<Ipv6Addr>() {
        return Some(match carried(six) {
            Some((_, four)) => (IpAddr::V4(four), false),
            None => (IpAddr::V6(six), true),
        });
    }
    let hidden =
        loose(host).map(IpAddr::V4).or_else(|| in_name(host)).or_else(|| in_other_characters(host));
    hidden.map(|address| (address, false))
}

/// Whether a host is a cloud's metadata service, in whatever form.
pub fn is_metadata(host: &str) -> bool {
    match written_address(host) {
        Some((address, _)) => classify(address).range.kind == Kind::Metadata,
        None => inside(host) == Some(Inside::Metadata),
    }
}

/// The service that a variable of a program's environment names, where that is a cloud's metadata service, or an address that
/// does not look like what it is: `DATABASE_URL`, `PGHOST`, `VAULT_ADDR` and whatever else programs have.
pub fn service_in_variable(name: &str, value: &str) -> Option<String> {
    // Most values have neither.
    if !value.bytes().any(|byte| matches!(byte, b'.' | b':' | b'0'..=b'9')) {
        return None;
    }
    let name = name.to_ascii_uppercase();
    if name.ends_with("NO_PROXY") {
        return None;
    }
    let ends = |tails: &[&str]| tails.iter().any(|tail| name.ends_with(tail));
    if value.contains("://") || ends(&["HOST", "HOSTADDR", "HOSTNAME", "SERVER"]) {
        let hidden = |host: &String| {
            is_metadata(host) || written_address(host).is_some_and(|(_, plain)| !plain)
        };
        if let Some(host) = host_of(value).filter(hidden) {
            return Some(host);
        }
    }
    // Blanks are those of a message, unless it is a command or its options.
    if value.contains(char::is_whitespace)
        && !ends(&["_ARGS", "_COMMAND", "_FLAGS", "_OPTIONS", "_OPTS", "_RSH"])
    {
        return None;
    }
    hosts_within(value).find(|host| is_metadata(host))
}

/// An address whose digits or dots only become such when the host is read: `①⑥⑨.254.169.254`, `169%2e254.169.254`.
fn in_other_characters(host: &str) -> Option<IpAddr> {
    if host.is_ascii() && !host.contains('%') {
        return None;
    }
    match url::Host::parse(host).ok()? {
        url::Host::Ipv4(four) => Some(IpAddr::V4(four)),
        url::Host::Ipv6(_) | url::Host::Domain(_) => None,
    }
}

/// An IPv4 address as C programs read it. A single small number is a name or a port, not an address that anyone writes.
fn loose(host: &str) -> Option<Ipv4Addr> {
    loose_ip4(host).filter(|four| host.contains('.') || four.to_bits() >= 1 << 24)
}
