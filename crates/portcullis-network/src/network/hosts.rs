//! What kind of machine a host name or address stands for. Owns the lists of well-known places; which addresses and names
//! lead inside, [`super::inside`] says. It resolves nothing.

use std::net::IpAddr;

use super::{Inside, Kind, classify, inside, written_address};

/// What kind of machine a connection goes to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum HostKind {
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
pub fn kind(host: &str) -> HostKind {
    if let Some((address, _)) = written_address(host) {
        return of_address(address);
    }
    let is = |names: &[&str]| {
        names.iter().any(|name| {
            host.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
        })
    };
    match inside(host) {
        Some(Inside::Metadata) => HostKind::Metadata,
        Some(Inside::Machine) => HostKind::Local,
        Some(Inside::Hidden) => HostKind::Hidden,
        Some(Inside::Carries(address)) => of_address(address),
        Some(Inside::Network | Inside::SingleLabel | Inside::Rebinding) => HostKind::Private,
        None if is(DROPS) => HostKind::Drop,
        None => HostKind::Named,
    }
}

/// Whether a host is this machine.
#[must_use]
pub fn is_this_machine(host: &str) -> bool {
    kind(host) == HostKind::Local
}

/// Whether an address is written in a form that hides which it is: one number, hexadecimal or octal parts, IPv4 in IPv6.
pub fn is_disguised(host: &str) -> bool {
    written_address(host).is_some_and(|(_, plain)| !plain)
}

fn of_address(address: IpAddr) -> HostKind {
    match classify(address).range.kind {
        Kind::Metadata => HostKind::Metadata,
        Kind::Loopback | Kind::Unspecified => HostKind::Local,
        Kind::Private | Kind::LinkLocal | Kind::Multicast => HostKind::Private,
        Kind::Public
        | Kind::Benchmark
        | Kind::Documentation
        | Kind::Transition
        | Kind::Reserved => HostKind::Address,
    }
}

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
    "croc.schollz.com",
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
    "magic-wormhole.io",
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
pub fn is_webhook(address: &str) -> bool {
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
            ("\u{2460}\u{2465}\u{2468}.254.169.254", HostKind::Metadata, true),
            ("169%2e254.169.254", HostKind::Metadata, true),
            ("169\u{3002}254\u{3002}169\u{3002}254", HostKind::Metadata, true),
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
