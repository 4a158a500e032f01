//! Beginnings of tokens that are masked even where the rest is not of the right length: cut off, of a form to come, or
//! followed by something that happens to fit. Owns those beginnings; only masking uses them, a report asks for the whole
//! spelling.

/// A token's start and the least of what must follow.
pub(super) struct Shape {
    /// As written.
    pub(super) prefix: &'static str,
    /// The class of what follows.
    pub(super) body: u8,
    /// The fewest bytes of it.
    pub(super) least: usize,
    /// Whether it must not follow a letter or a digit, because its prefix is also the end of words.
    pub(super) bounded: bool,
}

const fn shape(prefix: &'static str, body: u8, least: usize) -> Shape {
    Shape { prefix, body, least, bounded: false }
}

const fn bounded(prefix: &'static str, body: u8, least: usize) -> Shape {
    Shape { prefix, body, least, bounded: true }
}

pub(super) const SHAPES: &[Shape] = &[
    shape("AKIA", b'A', 16),
    shape("ASIA", b'A', 16),
    shape("ghp_", b'w', 20),
    shape("gho_", b'w', 20),
    shape("ghu_", b'w', 20),
    shape("ghs_", b'w', 20),
    shape("ghr_", b'w', 20),
    shape("github_pat_", b'_', 20),
    shape("glpat-", b'D', 16),
    shape("gldt-", b'u', 16),
    shape("glrt-", b'u', 16),
    shape("xoxa-", b'u', 10),
    shape("xoxb-", b'u', 10),
    shape("xoxe-", b'u', 10),
    shape("xoxe.", b'D', 10),
    shape("xoxo-", b'u', 10),
    shape("xoxp-", b'u', 10),
    shape("xoxr-", b'u', 10),
    shape("xoxs-", b'u', 10),
    shape("xapp-", b'u', 10),
    shape("hooks.slack.com/services/", b'Y', 20),
    shape("sk_live_", b'w', 10),
    shape("sk_test_", b'w', 10),
    shape("rk_live_", b'w', 10),
    shape("rk_test_", b'w', 10),
    shape("whsec_", b'w', 16),
    shape("AIza", b'u', 30),
    shape("ya29.", b'D', 20),
    shape("GOCSPX-", b'u', 20),
    shape("sk-ant-", b'u', 12),
    shape("sk-proj-", b'u', 20),
    shape("sk-svcacct-", b'u', 20),
    shape("sk-or-v1-", b'u', 20),
    bounded("sk-", b'w', 32),
    shape("npm_", b'w', 30),
    shape("pypi-AgE", b'u', 20),
    shape("dop_v1_", b'w', 20),
    shape("glsa_", b'_', 20),
    shape("hvs.", b'u', 20),
    shape("shpat_", b'w', 20),
    shape("SG.", b'D', 40),
    shape("AGE-SECRET-KEY-1", b'A', 20),
    bounded("hf_", b'w', 30),
    shape("$1$", b'Y', 20),
    shape("$5$", b'Y', 20),
    shape("$6$", b'Y', 20),
    shape("$y$", b'Y', 20),
    shape("$2a$", b'Y', 20),
    shape("$2b$", b'Y', 20),
    shape("$2y$", b'Y', 20),
    shape("$argon2", b'Y', 20),
    shape("eyJ", b'u', 7),
];
