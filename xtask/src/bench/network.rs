//! What it costs to say where a connection leads. Owns the addresses and URLs that are measured, one of each kind.

use std::{
    hint::black_box,
    net::IpAddr,
    time::{Duration, Instant},
};

use portcullis_core::network::{NetworkPolicy, classify};

use crate::command::say;

/// Addresses of every kind.
const ADDRESSES: &[&str] = &[
    "8.8.8.8",
    "127.0.0.1",
    "10.1.2.3",
    "169.254.169.254",
    "203.0.113.7",
    "255.255.255.255",
    "::1",
    "2606:4700::1111",
    "2001:db8::1",
    "::ffff:10.0.0.1",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1:a9fe:a9:fe00::",
    "2002:7f00:1::",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "fe80::5efe:10.0.0.1",
    "fe80::1",
    "4000::1",
];

/// URLs as agents fetch them, and as attackers write them.
const URLS: &[(&str, &str)] = &[
    ("a name", "https://example.com/"),
    (
        "a path and a query",
        "https://api.github.com/repos/example/project/pulls?state=open&per_page=100",
    ),
    ("a fragment", "https://docs.example.org/a/b/c/index.html#section"),
    ("an address", "http://8.8.8.8/"),
    ("a hexadecimal, short address", "http://0x7f.1/"),
    ("a packed address, a port", "http://2130706433:8080/"),
    ("an IPv6 address", "https://[2606:4700::1111]/dns-query"),
    ("an address within another", "http://[::ffff:169.254.169.254]/latest/meta-data/"),
    ("userinfo", "http://example.com@127.0.0.1/"),
    ("userinfo and a backslash", "http://127.0.0.1\\@example.com/"),
    ("percent signs in the host", "http://%31%32%37.0.0.1/"),
    ("a tab in the host", "http://127.0\t.0.1/"),
    ("a dot behind the host", "https://example.com./"),
    ("a metadata service", "http://metadata.google.internal/computeMetadata/v1/"),
    ("an address in the name", "http://127.0.0.1.nip.io/"),
    ("letters of another script", "https://m\u{fc}nchen.example/stadt"),
    ("a lookalike", "https://p\u{430}ypal.com/"),
    ("encircled digits", "http://\u{2460}\u{2465}\u{2468}.254.169.254/"),
    ("another scheme", "gopher://127.0.0.1:6379/_INFO"),
];

/// How often each is measured, in less time than a process runs before another one may; the best counts.
const TRIES: usize = 500;

/// How often each is done in one measurement.
const ROUNDS: u32 = 200;

/// Where connections may lead: addresses and URLs.
pub(crate) fn in_process() {
    say("\n| classifying an address | best ns |\n|---|---|\n");
    let rows = ADDRESSES.iter().filter_map(|one| Some((*one, one.parse::<IpAddr>().ok()?)));
    table(rows, &|address| black_box(classify(black_box(*address)).is_public()));
    say("\n| judging a URL with | best ns |\n|---|---|\n");
    let policy = NetworkPolicy::default();
    table(URLS.iter().copied(), &|url| black_box(policy.judge(black_box(url)).outcome.is_ok()));
}

/// One row for each, the mean of all, and the slowest.
fn table<T>(rows: impl Iterator<Item = (&'static str, T)>, work: &dyn Fn(&T) -> bool) {
    let (mut sum, mut worst, mut count) = (0.0, 0.0, 0.0);
    for (name, thing) in rows {
        let mut best = Duration::MAX;
        for _ in 0..TRIES {
            let start = Instant::now();
            for _ in 0..ROUNDS {
                work(&thing);
            }
            best = best.min(start.elapsed());
        }
        let each = best.as_secs_f64() * 1e9 / f64::from(ROUNDS);
        (sum, worst, count) = (sum + each, each.max(worst), count + 1.0);
        say(&format!("| {name} | {each:.0} |\n"));
    }
    say(&format!("| **the mean of all** | **{:.0}** |\n", sum / count));
    say(&format!("| **the slowest** | **{worst:.0}** |\n"));
}
