//! What kind of machine a host name or address stands for. Owns the forms that an address can be written in and the lists of
//! well-known places; it resolves nothing.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What kind of machine a connection goes to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum HostKind {
    /// This machine.
    Local,
    /// A private network, or a name that only resolves in one.
    Private,
    /// The cloud's metadata service, which gives out credentials.
    Metadata,
    /// A public address without a name.
    Address,
    /// A place where anyone leaves or collects things without a trace: pastes, request bins, tunnels.
    Drop,
    /// A name that is only reached through an anonymising network.
    Hidden,
    /// Any other name.
    Named,
}

/// The kind of a host in lower case, without port and brackets.
pub(super) fn kind(host: &str) -> HostKind {
    if let Some(address) = address(host) {
        return of_address(address.0);
    }
    let is = |names: &[&str]| {
        names.iter().any(|name| {
            host.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
        })
    };
    if is(METADATA) {
        HostKind::Metadata
    } else if is(LOCAL) {
        HostKind::Local
    } else if is(HIDDEN) {
        HostKind::Hidden
    } else if is(DROPS) {
        HostKind::Drop
    } else if is(PRIVATE) || !host.contains('.') {
        HostKind::Private
    } else {
        HostKind::Named
    }
}

/// Whether an address is written in a form that hides which it is: one number, hexadecimal or octal parts, IPv4 in IPv6.
pub(super) fn is_disguised(host: &str) -> bool {
    address(host).is_some_and(|(_, plain)| !plain)
}

/// The address, and whether it is written plainly.
fn address(host: &str) -> Option<(IpAddr, bool)> {
    if let Ok(plain) = host.parse::<Ipv4Addr>() {
        return Some((IpAddr::V4(plain), true));
    }
    let bare = host.split('%').next().unwrap_or(host);
    if let Ok(six) = bare.parse::<Ipv6Addr>() {
        return Some(match carried(six) {
            Some(four) => (IpAddr::V4(four), false),
            None => (IpAddr::V6(six), true),
        });
    }
    let hidden = loose_ip4(host).or_else(|| in_name(host));
    hidden.map(|four| (IpAddr::V4(four), false))
}

/// The IPv4 address that an IPv6 address stands for: mapped, compatible, translated (RFC 6052) or 6to4 (RFC 3056).
fn carried(six: Ipv6Addr) -> Option<Ipv4Addr> {
    let four = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match six.segments() {
        [0, 0, 0, 0, 0, 0, high, low] if high != 0 => Some(four(high, low)),
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            Some(four(high, low))
        }
        [0x2002, high, low, ..] => Some(four(high, low)),
        _ => None,
    }
}

/// The address that a name of a public wildcard service carries: `app.10.0.0.1.nip.io`, `10-0-0-1.sslip.io`.
fn in_name(host: &str) -> Option<Ipv4Addr> {
    if WILDCARD_LOCAL.iter().any(|name| {
        host.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    }) {
        return Some(Ipv4Addr::LOCALHOST);
    }
    let name =
        WILDCARDS.iter().find_map(|service| host.strip_suffix(service)?.strip_suffix('.'))?;
    let parts: Vec<&str> = name.rsplit(['.', '-']).take(4).collect();
    let numbers: Vec<u8> = parts.iter().rev().filter_map(|part| part.parse().ok()).collect();
    if let [a, b, c, d] = numbers.as_slice() {
        return Some(Ipv4Addr::new(*a, *b, *c, *d));
    }
    let last = name.rsplit(['.', '-']).next()?;
    (last.len() == 8).then(|| u32::from_str_radix(last, 16).ok()).flatten().map(Ipv4Addr::from)
}

/// Names under which every address is a name.
const WILDCARDS: &[&str] = &["nip.io", "sslip.io", "xip.io", "1u.ms", "rbndr.us", "traefik.me"];

/// Public names that all lead to this machine.
const WILDCARD_LOCAL: &[&str] = &["localtest.me", "lvh.me", "lacolhost.com", "vcap.me", "fuf.me"];

/// An IPv4 address as `inet_aton` reads it: one to four numbers, each decimal, octal or hexadecimal.
fn loose_ip4(host: &str) -> Option<Ipv4Addr> {
    let parts: Vec<u32> = host
        .split('.')
        .map(|part| {
            if let Some(hex) = part.strip_prefix("0x") {
                u32::from_str_radix(hex, 16).ok()
            } else if part.len() > 1 && part.starts_with('0') {
                u32::from_str_radix(part, 8).ok()
            } else if part.bytes().all(|byte| byte.is_ascii_digit()) {
                part.parse().ok()
            } else {
                None
            }
        })
        .collect::<Option<_>>()?;
    // A single small number is a name or a port, not an address that anyone writes.
    let (last, first) = parts.split_last()?;
    if first.len() > 3
        || first.iter().any(|part| *part > 255)
        || (first.is_empty() && *last < 1 << 24)
    {
        return None;
    }
    let room = 8 * u32::try_from(4 - first.len()).ok()?;
    if room < 32 && *last >= 1 << room {
        return None;
    }
    let high = first.iter().fold(0_u32, |high, part| (high << 8) | part);
    let value = if room >= 32 { *last } else { (high << room) | last };
    Some(Ipv4Addr::from(value))
}

fn of_address(address: IpAddr) -> HostKind {
    match address {
        IpAddr::V4(four) => match four.octets() {
            [169, 254, 169, 254]
            | [169, 254, 170, 2 | 23]
            | [168, 63, 129, 16]
            | [100, 100, 100, 200]
            | [192, 0, 0, 192] => HostKind::Metadata,
            [0 | 127, ..] => HostKind::Local,
            [10, ..]
            | [192, 168, ..]
            | [169, 254, ..]
            | [172, 16..=31, ..]
            | [100, 64..=127, ..] => HostKind::Private,
            _ => HostKind::Address,
        },
        IpAddr::V6(six) => {
            let [first, ..] = six.segments();
            if six == Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254) {
                HostKind::Metadata
            } else if six.is_loopback() || six.is_unspecified() {
                HostKind::Local
            } else if first & 0xfe00 == 0xfc00
                || first & 0xffc0 == 0xfe80
                || first & 0xff00 == 0xff00
            {
                HostKind::Private
            } else {
                HostKind::Address
            }
        }
    }
}

const METADATA: &[&str] = &[
    "metadata.google.internal",
    "metadata.goog",
    "metadata.azure.com",
    "metadata.azure.internal",
    "instance-data.ec2.internal",
    "metadata.tencentyun.com",
    "metadata.packet.net",
];

const LOCAL: &[&str] =
    &["localhost", "localhost.localdomain", "ip6-localhost", "host.docker.internal"];

const HIDDEN: &[&str] = &["onion", "i2p", "onion.ly", "onion.ws", "onion.to", "tor2web.org"];

const PRIVATE: &[&str] =
    &["local", "internal", "lan", "home.arpa", "intranet", "corp", "test", "localdomain"];

/// Pastes, file drops, request bins, tunnels, and the channels that out-of-band tests use.
const DROPS: &[&str] = &[
    "0x0.st",
    "anonfiles.com",
    "api.telegram.org",
    "bashupload.com",
    "beeceptor.com",
    "burpcollaborator.net",
    "canarytokens.com",
    "catbox.moe",
    "controlc.com",
    "dnslog.cn",
    "dpaste.com",
    "dpaste.org",
    "envs.sh",
    "file.io",
    "filebin.net",
    "ghostbin.com",
    "gofile.io",
    "hastebin.com",
    "hookb.in",
    "hookbin.com",
    "interact.sh",
    "interactsh.com",
    "ix.io",
    "keep.sh",
    "localhost.run",
    "localtunnel.me",
    "loca.lt",
    "mockbin.org",
    "ngrok-free.app",
    "ngrok.app",
    "ngrok.dev",
    "ngrok.io",
    "oast.fun",
    "oast.live",
    "oast.me",
    "oast.online",
    "oast.pro",
    "oast.site",
    "oastify.com",
    "paste.ee",
    "paste.rs",
    "pastebin.com",
    "pastebin.pl",
    "pastecode.io",
    "paste.c-net.org",
    "pinggy.io",
    "pinggy.link",
    "pipedream.net",
    "ptsv2.com",
    "ptsv3.com",
    "requestbin.com",
    "requestbin.net",
    "requestcatcher.com",
    "request.bin",
    "rentry.co",
    "rentry.org",
    "serveo.net",
    "sprunge.us",
    "temp.sh",
    "termbin.com",
    "tmpfiles.org",
    "transfer.archivete.am",
    "transfer.sh",
    "trycloudflare.com",
    "typedwebhook.tools",
    "ufile.io",
    "uguu.se",
    "webhook.cool",
    "webhook.site",
    "wetransfer.com",
    "x0.at",
];

/// Addresses of webhooks that post into a chat that the sender chose.
pub(super) fn is_webhook(address: &str) -> bool {
    [
        "discord.com/api/webhooks",
        "discordapp.com/api/webhooks",
        "hooks.slack.com/",
        "webhook.office.com/",
    ]
    .iter()
    .any(|hook| address.contains(hook))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_known_in_every_form() {
        for (host, expected, disguised) in [
            ("127.0.0.1", HostKind::Local, false),
            ("localhost", HostKind::Local, false),
            ("::1", HostKind::Local, false),
            ("0x7f000001", HostKind::Local, true),
            ("2130706433", HostKind::Local, true),
            ("127.1", HostKind::Local, true),
            ("169.254.169.254", HostKind::Metadata, false),
            ("2852039166", HostKind::Metadata, true),
            ("0xa9fea9fe", HostKind::Metadata, true),
            ("0251.0376.0251.0376", HostKind::Metadata, true),
            ("0xa9.0xfe.0xa9.0xfe", HostKind::Metadata, true),
            ("169.254.43518", HostKind::Metadata, true),
            ("::ffff:169.254.169.254", HostKind::Metadata, true),
            ("::a9fe:a9fe", HostKind::Metadata, true),
            ("64:ff9b::a9fe:a9fe", HostKind::Metadata, true),
            ("2002:a9fe:a9fe::1", HostKind::Metadata, true),
            ("169.254.169.254.nip.io", HostKind::Metadata, true),
            ("a.10-0-0-1.sslip.io", HostKind::Private, true),
            ("7f000001.nip.io", HostKind::Local, true),
            ("app.localtest.me", HostKind::Local, true),
            ("fd00:ec2::254", HostKind::Metadata, false),
            ("metadata.google.internal", HostKind::Metadata, false),
            ("10.1.2.3", HostKind::Private, false),
            ("172.31.0.1", HostKind::Private, false),
            ("172.32.0.1", HostKind::Address, false),
            ("203.0.113.5", HostKind::Address, false),
            ("fe80::1%eth0", HostKind::Private, false),
            ("2001:db8::1", HostKind::Address, false),
            ("db.internal", HostKind::Private, false),
            ("buildhost", HostKind::Private, false),
            ("8080", HostKind::Private, false),
            ("example.com", HostKind::Named, false),
            ("webhook.site", HostKind::Drop, false),
            ("abc.oast.fun", HostKind::Drop, false),
            ("notwebhook.site", HostKind::Named, false),
            ("abc.onion", HostKind::Hidden, false),
        ] {
            assert_eq!((kind(host), is_disguised(host)), (expected, disguised), "{host}");
        }
    }
}
