//! What the system's own files say: `/etc/hosts` and `/etc/resolv.conf`. Owns how they are read.

use std::{
    fs, io,
    io::Read as _,
    net::{IpAddr, Ipv4Addr, SocketAddr},
};

/// The port of name servers.
const PORT: u16 = 53;

/// As many servers as the system's resolver asks.
const MOST_SERVERS: usize = 3;

/// The most bytes of a file that are read; lists of blocked names reach some megabytes.
const LONGEST_FILE: u64 = 16 << 20;

/// The name servers of `/etc/resolv.conf`; the one on this machine where it names none.
#[must_use]
pub fn system_servers() -> Vec<SocketAddr> {
    let text = read("/etc/resolv.conf").unwrap_or_default();
    let mut servers = servers_of(&text);
    if servers.is_empty() {
        servers.push(SocketAddr::from((Ipv4Addr::LOCALHOST, PORT)));
    }
    servers
}

/// The addresses that `/etc/hosts` has for a name, which is in lower case.
pub(super) fn addresses_in_hosts(name: &str) -> Vec<IpAddr> {
    read("/etc/hosts").map(|text| addresses_of(&text, name)).unwrap_or_default()
}

fn read(path: &str) -> io::Result<String> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(LONGEST_FILE).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn servers_of(text: &str) -> Vec<SocketAddr> {
    let servers = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let address = words.next().filter(|word| *word == "nameserver").and(words.next())?;
        Some(SocketAddr::new(address.parse().ok()?, PORT))
    });
    servers.take(MOST_SERVERS).collect()
}

fn addresses_of(text: &str, name: &str) -> Vec<IpAddr> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    lines
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let address = words.next()?.parse().ok()?;
            let named = |word: &str| word.trim_end_matches('.').eq_ignore_ascii_case(name);
            words.any(named).then_some(address)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_are_read_as_the_system_reads_them() {
        let servers =
            servers_of("# x\nnameserver 192.0.2.1\nsearch a.b\n nameserver ::1 \nnameserver x\n");
        assert_eq!(servers, ["192.0.2.1:53", "[::1]:53"].map(|one| one.parse().unwrap()));
        let hosts = "127.0.0.1 localhost # loopback\n10.0.0.1\tDB.internal db\n# 10.0.0.2 db\n::1 db\nbad db\n";
        let expected: Vec<IpAddr> = ["10.0.0.1", "::1"].map(|one| one.parse().unwrap()).to_vec();
        assert_eq!(addresses_of(hosts, "db"), expected);
        assert_eq!(addresses_of(hosts, "db.internal"), expected[..1]);
        assert_eq!(addresses_of(hosts, "loopback"), Vec::<IpAddr>::new());
    }
}
