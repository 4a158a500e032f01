//! Addresses against the registries, URLs against the list of cases, and what the policy does with both.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use proptest::prelude::*;
use serde_json::Value;

use super::*;

/// The special-purpose registries of IANA: block, name there, whether it says "globally reachable".
const REGISTRY: &[(&str, &str, bool)] = &[
    ("0.0.0.0/8", "RFC 791 §3.2", false),
    ("0.0.0.0/32", "RFC 1122 §3.2.1.3", false),
    ("10.0.0.0/8", "RFC 1918", false),
    ("100.64.0.0/10", "RFC 6598", false),
    ("127.0.0.0/8", "RFC 1122 §3.2.1.3", false),
    ("169.254.0.0/16", "RFC 3927", false),
    ("172.16.0.0/12", "RFC 1918", false),
    ("192.0.0.0/24", "RFC 6890 §2.1", false),
    ("192.0.0.0/29", "RFC 7335", false),
    ("192.0.0.8/32", "RFC 7600", false),
    ("192.0.0.9/32", "RFC 7723", true),
    ("192.0.0.10/32", "RFC 8155", true),
    ("192.0.0.170/31", "RFC 8880, RFC 7050 §2.2", false),
    ("192.0.2.0/24", "RFC 5737", false),
    ("192.31.196.0/24", "RFC 7535", true),
    ("192.52.193.0/24", "RFC 7450", true),
    ("192.88.99.0/24", "RFC 7526", false),
    ("192.88.99.2/32", "RFC 6751", false),
    ("192.168.0.0/16", "RFC 1918", false),
    ("192.175.48.0/24", "RFC 7534", true),
    ("198.18.0.0/15", "RFC 2544", false),
    ("198.51.100.0/24", "RFC 5737", false),
    ("203.0.113.0/24", "RFC 5737", false),
    ("224.0.0.0/4", "RFC 5771", false),
    ("240.0.0.0/4", "RFC 1112 §4", false),
    ("255.255.255.255/32", "RFC 8190, RFC 919 §7", false),
    ("::1/128", "RFC 4291", false),
    ("::/128", "RFC 4291", false),
    ("::ffff:0:0/96", "RFC 4291", false),
    ("64:ff9b::/96", "RFC 6052", true),
    ("64:ff9b:1::/48", "RFC 8215", false),
    ("100::/64", "RFC 6666", false),
    ("100:0:0:1::/64", "RFC 9780", false),
    ("2001::/23", "RFC 2928", false),
    ("2001::/32", "RFC 4380, RFC 8190", false),
    ("2001:1::1/128", "RFC 7723", true),
    ("2001:1::2/128", "RFC 8155", true),
    ("2001:1::3/128", "RFC 9665", true),
    ("2001:2::/48", "RFC 5180, RFC Errata 1752", false),
    ("2001:3::/32", "RFC 7450", true),
    ("2001:4:112::/48", "RFC 7535", true),
    ("2001:10::/28", "RFC 4843", false),
    ("2001:20::/28", "RFC 7343", true),
    ("2001:30::/28", "RFC 9374", true),
    ("2001:db8::/32", "RFC 3849", false),
    ("2002::/16", "RFC 3056", false),
    ("2620:4f:8000::/48", "RFC 7534", true),
    ("3fff::/20", "RFC 9637", false),
    ("5f00::/16", "RFC 9602", false),
    ("fc00::/7", "RFC 4193, RFC 8190", false),
    ("fe80::/10", "RFC 4291", false),
];

fn ends(block: &str) -> (IpAddr, IpAddr) {
    let (first, length) = block.split_once('/').unwrap();
    let length: u32 = length.parse().unwrap();
    match first.parse().unwrap() {
        IpAddr::V4(four) => {
            let rest = u32::MAX.checked_shr(length).unwrap_or(0);
            (IpAddr::V4(four), IpAddr::V4(Ipv4Addr::from_bits(four.to_bits() | rest)))
        }
        IpAddr::V6(six) => {
            let rest = u128::MAX.checked_shr(length).unwrap_or(0);
            (IpAddr::V6(six), IpAddr::V6(Ipv6Addr::from_bits(six.to_bits() | rest)))
        }
    }
}

#[test]
fn every_block_of_the_registries_is_a_row_with_its_source_and_not_public() {
    for (block, source, _) in REGISTRY {
        let (first, last) = ends(block);
        let row = RANGES_FOUR.iter().chain(RANGES_SIX).find(|row| {
            row.first() == first
                && block.ends_with(&format!("/{}", row.length()))
                && row.source == *source
        });
        assert!(row.is_some(), "{block} ({source}) is missing");
        for address in [first, last] {
            let class = classify(address);
            assert!(
                !class.is_public() || class.carries.is_some(),
                "{address} of {block} is taken for {class}"
            );
        }
    }
}

#[test]
fn what_lies_beside_the_blocks_is_public() {
    for address in [
        "1.0.0.0",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.0",
        "192.0.3.0",
        "192.31.195.255",
        "192.31.197.0",
        "192.52.192.255",
        "192.88.98.255",
        "192.88.100.0",
        "192.167.255.255",
        "192.169.0.0",
        "192.175.47.255",
        "198.17.255.255",
        "198.20.0.0",
        "198.51.99.255",
        "198.51.101.0",
        "203.0.112.255",
        "203.0.114.0",
        "223.255.255.255",
        "168.63.129.15",
        "2001:200::",
        "2001:db7:ffff::",
        "2001:db9::",
        "2003::",
        "2620:4f:7fff::",
        "2620:4f:8001::",
        "3ffd:ffff::",
        "2000::",
        "2a00::1",
    ] {
        let class = classify(address.parse().unwrap());
        assert!(class.is_public(), "{address} is taken for {class}");
    }
}

#[test]
fn no_row_stands_behind_a_wider_one_that_hides_it() {
    for table in [RANGES_FOUR, RANGES_SIX] {
        for row in table {
            let class = classify(row.first());
            let narrower = class.range.length() >= row.length();
            assert!(narrower, "{row} is hidden by {}", class.range);
        }
    }
}

#[test]
fn an_embedded_address_is_found_and_judged() {
    for (address, embedding, inner, is_public) in [
        ("::ffff:127.0.0.1", Embedding::Mapped, "127.0.0.1", false),
        ("::ffff:8.8.8.8", Embedding::Mapped, "8.8.8.8", false),
        ("::127.0.0.1", Embedding::Compatible, "127.0.0.1", false),
        ("::ffff:0:10.0.0.1", Embedding::Translated, "10.0.0.1", false),
        ("64:ff9b::10.0.0.1", Embedding::Nat64, "10.0.0.1", false),
        ("64:ff9b::8.8.8.8", Embedding::Nat64, "8.8.8.8", true),
        ("64:ff9b:1::169.254.169.254", Embedding::LocalNat64, "169.254.169.254", false),
        ("64:ff9b:1:a9fe:a9:fe00::", Embedding::LocalNat64, "169.254.169.254", false),
        ("2002:7f00:1::", Embedding::SixToFour, "127.0.0.1", false),
        ("2002:808:808::", Embedding::SixToFour, "8.8.8.8", false),
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", Embedding::Teredo, "192.0.2.45", false),
        ("2a00::5efe:10.0.0.1", Embedding::Isatap, "10.0.0.1", false),
        ("2a00::200:5efe:8.8.8.8", Embedding::Isatap, "8.8.8.8", false),
    ] {
        let class = classify(address.parse().unwrap());
        let (found, four, _) = class.carries.unwrap();
        assert_eq!((found, four.to_string().as_str()), (embedding, inner), "{address}");
        assert_eq!(class.is_public(), is_public, "{address} is {class}");
    }
    assert_eq!(classify("::1".parse().unwrap()).carries, None);
}

/// The layouts of RFC 6052 §2.4, each for 192.0.2.33, and for an address of this machine.
#[test]
fn an_operators_prefix_is_read_in_every_layout() {
    for (prefix, length, address) in [
        ("2001:db8::", 32, "2001:db8:c000:221::"),
        ("2001:db8:100::", 40, "2001:db8:1c0:2:21::"),
        ("2001:db8:122::", 48, "2001:db8:122:c000:2:2100::"),
        ("2001:db8:122:300::", 56, "2001:db8:122:3c0:0:221::"),
        ("2001:db8:122:344::", 64, "2001:db8:122:344:c0:2:2100::"),
        ("2001:db8:122:344::", 96, "2001:db8:122:344::192.0.2.33"),
    ] {
        let prefixes = [(prefix.parse().unwrap(), length)];
        let class = operator_nat64(address.parse().unwrap(), &prefixes).unwrap();
        let (embedding, four, _) = class.carries.unwrap();
        assert_eq!(
            (embedding, four.to_string().as_str()),
            (Embedding::OperatorNat64, "192.0.2.33"),
            "{address}"
        );
        assert!(!class.is_public());
    }
}

#[test]
fn a_policy_reads_what_its_operator_translates() {
    let options = NetworkOptions {
        nat64_prefixes: vec!["2a00:1:2::/96".to_owned()],
        ..NetworkOptions::default()
    };
    let policy = NetworkPolicy::new(options).unwrap();
    assert!(policy.judge("https://[2a00:1:2::8.8.8.8]/").outcome.is_ok());
    let inside = policy.judge("https://[2a00:1:2::10.0.0.1]/").outcome.unwrap_err();
    assert_eq!(
        inside.to_string(),
        "2a00:1:2::a00:1 is no public address: NAT64 for 10.0.0.1, private network 10.0.0.0/8 (RFC 1918)"
    );
}

struct Case {
    line: usize,
    url: String,
    expected: String,
    code: Option<String>,
    addresses: Option<Vec<IpAddr>>,
}

fn cases() -> Vec<Case> {
    let lines = include_str!("../../tests/network/urls.jsonl").lines().enumerate();
    lines
        .map(|(line, text)| {
            let row: Value = serde_json::from_str(text).unwrap();
            let word = |key: &str| row.get(key).and_then(Value::as_str).map(str::to_owned);
            let addresses = row.get("resolve_to").and_then(Value::as_array).map(|list| {
                list.iter().map(|one| one.as_str().unwrap().parse().unwrap()).collect()
            });
            Case {
                line: line + 1,
                url: word("url").unwrap(),
                expected: word("expected").unwrap(),
                code: word("code"),
                addresses,
            }
        })
        .collect()
}

#[test]
fn every_case_is_judged_as_it_says() {
    let policy = NetworkPolicy::default();
    let mut wrong = Vec::new();
    let cases = cases();
    assert!(cases.len() >= 400);
    for Case { line, url, expected, code, addresses } in &cases {
        let judged = policy.judge(url);
        let outcome = judged.outcome.and_then(|admission| match (admission, addresses) {
            (Admission::Name, Some(addresses)) => {
                policy.admit(judged.target.as_ref().unwrap(), addresses).map(|_| ())
            }
            _ => Ok(()),
        });
        let verdict = if outcome.is_ok() { "allow" } else { "block" };
        let found = outcome.as_ref().err().map(Refusal::code);
        if verdict != expected || code.is_some() && code.as_deref() != found {
            wrong.push(format!(
                "{line}: {url:?} is {verdict} ({outcome:?}), not {expected} {code:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

fn options(allowed: &[(&str, bool)], blocked: &[&str]) -> NetworkOptions {
    NetworkOptions {
        allowed_hosts: allowed
            .iter()
            .map(|(host, allow_private)| AllowedHost {
                host: (*host).to_owned(),
                allow_private: *allow_private,
                ports: Vec::new(),
            })
            .collect(),
        extra_blocked_hosts: blocked.iter().map(|entry| (*entry).to_owned()).collect(),
        ..NetworkOptions::default()
    }
}

#[test]
fn an_entry_that_does_not_say_what_it_means_is_an_error() {
    for entry in [
        "*",
        "*.",
        "*.com",
        "",
        ".",
        ".example.com",
        "example.com.",
        "a..b",
        "foo.*.com",
        "*foo.com",
        "http://example.com",
        "example.com/x",
        "example.com:80",
        "user@example.com",
        "10.0.0.1/8",
        "10.0.0/8",
        "10/8",
        "10.0.0.0/33",
        "10.0.0.0/08",
        "10.0.0.0/+8",
        "10.0.0.0/",
        "010.0.0.1",
        "0x7f.1",
        "127.1",
        "2001:db8::/129",
        "2001:db8::1/32",
        "exa mple.com",
    ] {
        let error = NetworkPolicy::new(options(&[], &[entry]));
        assert!(error.is_err(), "`{entry}` was taken");
    }
    for entry in [
        "example.com",
        "*.example.com",
        "10.0.0.0/8",
        "10.0.0.1",
        "2001:db8::/32",
        "::1",
        "0.0.0.0/0",
        "M\u{fc}nchen.de",
    ] {
        let made = NetworkPolicy::new(options(&[], &[entry]));
        assert!(made.is_ok(), "`{entry}` was refused: {made:?}");
    }
    assert!(NetworkPolicy::new(options(&[("10.0.0.0/8", true)], &[])).is_err());
}

fn outcome(policy: &NetworkPolicy, url: &str, addresses: &[&str]) -> &'static str {
    let judged = policy.judge(url);
    let addresses: Vec<IpAddr> = addresses.iter().map(|one| one.parse().unwrap()).collect();
    let outcome = judged.outcome.and_then(|admission| match admission {
        Admission::Name => policy.admit(judged.target.as_ref().unwrap(), &addresses).map(|_| ()),
        Admission::Address(_) => Ok(()),
    });
    outcome.err().map_or("allow", |refusal| refusal.code())
}

#[test]
fn an_allowed_host_is_let_inside_only_where_it_says_so_and_never_to_metadata() {
    let policy = NetworkPolicy::new(options(
        &[
            ("app.example.com", true),
            ("*.dev.example.com", true),
            ("plain.example.com", false),
            ("localhost", true),
            ("10.0.0.5", true),
            ("metadata.google.internal", true),
            ("169.254.169.254", true),
        ],
        &[],
    ))
    .unwrap();
    for (url, addresses, expected) in [
        ("http://app.example.com/", &["10.0.0.1"][..], "allow"),
        ("http://app.example.com/", &["127.0.0.1"], "allow"),
        ("http://app.example.com/", &["169.254.169.254"], "address.metadata"),
        ("http://app.example.com/", &["fd00:ec2::254"], "address.metadata"),
        ("http://app.example.com/", &["169.254.7.7"], "address.link-local"),
        ("http://app.example.com/", &["::ffff:10.0.0.1"], "address.embedded"),
        ("http://app.example.com/", &["0.0.0.0"], "address.loopback"),
        ("http://a.dev.example.com/", &["192.168.1.1"], "allow"),
        ("http://dev.example.com/", &["192.168.1.1"], "address.private"),
        ("http://xdev.example.com/", &["192.168.1.1"], "address.private"),
        ("http://plain.example.com/", &["192.168.1.1"], "address.private"),
        ("http://localhost/", &["127.0.0.1"], "allow"),
        ("http://10.0.0.5/", &[], "allow"),
        ("http://0xa000005/", &[], "url.disguised"),
        ("http://10.0.0.6/", &[], "address.private"),
        ("http://metadata.google.internal/", &["8.8.8.8"], "host.inside"),
        ("http://169.254.169.254/", &[], "address.metadata"),
    ] {
        assert_eq!(outcome(&policy, url, addresses), expected, "{url} {addresses:?}");
    }
}

#[test]
fn what_a_person_blocks_stays_blocked_whatever_is_allowed() {
    let policy = NetworkPolicy::new(options(
        &[("evil.example.com", true), ("8.8.8.8", true)],
        &["evil.example.com", "*.sub.example.org", "8.8.0.0/16", "2a00:dead::/32"],
    ))
    .unwrap();
    for (url, addresses, expected) in [
        ("http://evil.example.com/", &["1.1.1.1"][..], "host.blocked"),
        ("http://a.evil.example.com/", &["1.1.1.1"], "host.blocked"),
        ("http://EVIL.example.com./", &["1.1.1.1"], "host.blocked"),
        ("http://notevil.example.com/", &["1.1.1.1"], "allow"),
        ("http://sub.example.org/", &["1.1.1.1"], "allow"),
        ("http://a.sub.example.org/", &["1.1.1.1"], "host.blocked"),
        ("http://8.8.8.8/", &[], "host.blocked"),
        ("http://8.9.8.8/", &[], "allow"),
        ("http://www.example.net/", &["1.1.1.1", "8.8.4.4"], "host.blocked"),
        ("http://www.example.net/", &["64:ff9b::8.8.4.4"], "host.blocked"),
        ("http://[2a00:dead:beef::1]/", &[], "host.blocked"),
    ] {
        assert_eq!(outcome(&policy, url, addresses), expected, "{url} {addresses:?}");
    }
}

#[test]
fn without_resolving_or_by_default_only_allowed_hosts_pass() {
    let strict = |change: fn(&mut NetworkOptions)| {
        let mut options = options(&[("ok.example.com", false), ("1.1.1.1", false)], &[]);
        change(&mut options);
        NetworkPolicy::new(options).unwrap()
    };
    let unresolved = strict(|options| options.resolve_dns = false);
    let closed = strict(|options| options.default_deny = true);
    for (url, without, denied) in [
        ("https://ok.example.com/", "allow", "allow"),
        ("https://other.example.com/", "host.unresolved", "host.not-allowed"),
        ("https://x.ok.example.com/", "host.unresolved", "host.not-allowed"),
        ("https://1.1.1.1/", "allow", "allow"),
        ("https://8.8.8.8/", "allow", "host.not-allowed"),
        ("https://127.0.0.1/", "address.loopback", "address.loopback"),
    ] {
        assert_eq!(outcome(&unresolved, url, &["8.8.8.8"]), without, "{url}");
        assert_eq!(outcome(&closed, url, &["8.8.8.8"]), denied, "{url}");
    }
}

#[test]
fn ports_belong_to_their_host() {
    let mut options = options(&[], &[]);
    options.ports = vec![9000];
    options.allowed_hosts = vec![AllowedHost {
        host: "git.example.com".to_owned(),
        allow_private: false,
        ports: vec![22],
    }];
    let policy = NetworkPolicy::new(options).unwrap();
    for (url, expected) in [
        ("https://example.com:9000/", "allow"),
        ("https://git.example.com:22/", "allow"),
        ("https://example.com:22/", "url.port"),
        ("https://git.example.com:0/", "url.port"),
    ] {
        assert_eq!(outcome(&policy, url, &["1.1.1.1"]), expected, "{url}");
    }
}

#[test]
fn sockets_are_those_that_were_judged_with_the_port_of_the_url() {
    let policy = NetworkPolicy::default();
    let target = Target::read("https://example.com:8443/").unwrap();
    let addresses: Vec<IpAddr> =
        ["2606:4700::1", "93.184.216.34", "93.184.216.34"].map(|one| one.parse().unwrap()).to_vec();
    let sockets: Vec<SocketAddr> =
        ["93.184.216.34:8443", "[2606:4700::1]:8443"].map(|one| one.parse().unwrap()).to_vec();
    assert_eq!(policy.admit(&target, &addresses), Ok(sockets));
}

#[test]
fn a_location_is_read_against_where_it_came_from() {
    let base = Target::read("https://example.com/a/b?x#y").unwrap();
    for (location, expected) in [
        ("c", Ok("https://example.com/a/c")),
        ("/c", Ok("https://example.com/c")),
        ("?q", Ok("https://example.com/a/b?q")),
        ("//other.example.org/z", Ok("https://other.example.org/z")),
        ("http://127.0.0.1/", Ok("http://127.0.0.1/")),
        ("//0x7f.1/", Ok("https://127.0.0.1/")),
        ("https:x", Ok("https://example.com/a/x")),
        ("file:///etc/passwd", Err("url.scheme")),
        ("http://[::1", Err("url.malformed")),
    ] {
        let read = base.join(location);
        let shown = read.as_ref().map(Target::canonical).map_err(Refusal::code);
        assert_eq!(shown, expected.map(str::to_owned), "{location}");
    }
    for location in
        ["\\\\127.0.0.1\\x", "/\\evil.example.org", "//0x7f.1/", "h\tttp://a.example.com/"]
    {
        let target = base.join(location).unwrap();
        let disguised = target.notes().iter().any(|note| note.is_disguise());
        assert!(disguised, "{location} is read as {}", target.canonical());
    }
}

#[test]
fn the_authority_of_a_proxy_request_is_a_host_and_nothing_else() {
    for host in ["example.com", "8.8.8.8", "[2606:4700::1]"] {
        assert!(Target::of_authority(host, 443).is_ok(), "{host}");
    }
    for host in ["", "a@b", "a/b", "a#b", "a?b", "a\\b", "a b", "::1", "[::1", "a:80", "[::1]@x]"] {
        assert!(Target::of_authority(host, 443).is_err(), "{host}");
    }
}

#[test]
fn curl_is_read_as_it_reads() {
    let host = |name: &str| Reading::Host(name.to_owned());
    for (url, expected) in [
        ("http://example.com/", host("example.com")),
        ("http://0x7f.1/", host("127.0.0.1")),
        ("http://example.com@127.0.0.1/", host("127.0.0.1")),
        ("http://a#@127.0.0.1/", host("a")),
        ("http:///example.com/", host("example.com")),
        ("http:////example.com/", Reading::Refused),
        ("http://exa%6dple.com/", host("example.com")),
        ("http://example.com\\@127.0.0.1/", host("127.0.0.1")),
        ("http://exa mple.com/", Reading::Refused),
        ("http://[::1%25lo]/", host("::1")),
        ("http://08.0.0.1/", host("08.0.0.1")),
    ] {
        assert_eq!(read_as_curl(url), expected, "{url}");
    }
    let disagrees = Target::read("http://example.com\\@127.0.0.1/").unwrap();
    assert!(disagrees.notes().contains(&Note::CurlDisagrees));
}

#[test]
fn a_refusal_says_what_it_is_about() {
    let policy = NetworkPolicy::default();
    for (url, words) in [
        (
            "http://10.0.0.1/",
            "10.0.0.1 is no public address: private network 10.0.0.0/8 (RFC 1918)",
        ),
        (
            "http://[::ffff:127.0.0.1]/",
            "::ffff:127.0.0.1 is no public address: IPv4-mapped ::ffff:0.0.0.0/96 (RFC 4291) for 127.0.0.1, loopback 127.0.0.0/8 (RFC 1122 §3.2.1.3)",
        ),
        ("gopher://x/", "the scheme `gopher` is not `http` or `https`"),
        ("http://db.internal/", "`db.internal` is a name that only a private network knows"),
        ("http://example.com:22/", "port 22 is not one of the web, nor one that the policy adds"),
        (
            "http://[fe80::1%25eth0]/",
            "the URL cannot be read: the host is an address with a zone, which only means something on one machine",
        ),
    ] {
        assert_eq!(policy.judge(url).outcome.unwrap_err().to_string(), words);
    }
}

proptest! {
    /// Whatever is let through leads to a public address, and reading it again changes nothing.
    #[test]
    fn what_is_allowed_is_public_and_stays_what_it_is(url in "(https?|HTTP|ftp)?:?[/\\\\]{0,3}[a-z0-9.:@%\\[\\]#?/\\\\xX\u{ff10}-\u{ff19}\u{3002} \t-]{0,40}") {
        let policy = NetworkPolicy::default();
        let judged = policy.judge(&url);
        if let (Ok(admission), Some(target)) = (judged.outcome, judged.target) {
            if let Admission::Address(socket) = admission {
                prop_assert!(classify(socket.ip()).is_public());
            }
            let again = Target::read(&target.canonical()).unwrap();
            prop_assert_eq!(again.host(), target.host());
            prop_assert_eq!(again.port(), target.port());
        }
    }

    /// A spelling of an address that browsers read is judged as the address.
    #[test]
    fn every_spelling_of_an_address_is_the_address(bits: u32, radix in 0..3_usize, parts in 1..=4_u32) {
        let last_bits = 8 * (5 - parts);
        let last = u64::from(bits) & ((1 << last_bits) - 1);
        let mut numbers: Vec<u64> = (1..parts).map(|part| u64::from(bits >> (32 - 8 * part)) & 255).collect();
        numbers.push(last);
        let written: Vec<String> = numbers.iter().map(|number| match radix {
            0 => number.to_string(),
            1 => format!("0{number:o}"),
            _ => format!("0x{number:x}"),
        }).collect();
        let written = written.join(".");
        let four = Ipv4Addr::from_bits(bits);
        let target = Target::read(&format!("http://{written}/")).unwrap();
        prop_assert_eq!(target.address(), Some(IpAddr::V4(four)), "{}", written);
        prop_assert_eq!(read_as_curl(&format!("http://{written}/")), Reading::Host(four.to_string()));
    }
}
