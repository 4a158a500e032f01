//! Fuzzing for a bounded time, and whether its targets still compile. The targets live in `fuzz/`, a workspace of its own; libFuzzer's instrumentation asks for
//! switches that stable Rust hides, so they are unlocked for this build alone.

use std::process::Command;

use crate::command::{self, Failed, cargo, root};

/// The targets with the longest input of each, in bytes. `docs/fuzzing.md` says what they prove.
const TARGETS: &[(&str, u32)] = &[
    ("shell_parse", 400),
    ("decide", 600),
    ("shell_vs_oracles", 40),
    ("secrets_detect", 2000),
    ("secrets_gitleaks", 1000),
    ("secrets_redact", 2000),
    ("network_url", 300),
    ("network_address", 40),
    ("proxy_head", 600),
    ("proxy_socks", 300),
    ("injection", 2000),
    ("code_python", 600),
    ("code_javascript", 600),
    ("code_scripts", 600),
    ("code_windows", 600),
    ("query", 400),
];

/// Checks that the targets compile. Without their default features they need neither libFuzzer, which asks for a compiler of C++,
/// nor the oracles, which take longer than everything else; in the workspace's own directory most of the rest is there already.
pub(crate) fn check() -> Result<(), Failed> {
    let words =
        ["check", "--manifest-path", "fuzz/Cargo.toml", "--locked", "--no-default-features"];
    let target =
        std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| root().join("target").into());
    command::run(cargo(&words).env("CARGO_TARGET_DIR", target), "install Rust 1.95")
}

/// Runs every target for `minutes` of one processor each.
pub(crate) fn run(minutes: u64) -> Result<(), Failed> {
    for (target, longest) in TARGETS {
        let seconds = format!("-max_total_time={}", minutes.saturating_mul(60));
        let longest = format!("-max_len={longest}");
        let mut command = Command::new("cargo");
        command
            .args([
                "fuzz",
                "run",
                "--sanitizer",
                "none",
                target,
                "--",
                &seconds,
                &longest,
                "-timeout=10",
                "-rss_limit_mb=2048",
            ])
            .env("RUSTC_BOOTSTRAP", "1")
            .current_dir(root());
        command::run(&mut command, "install it with `cargo install cargo-fuzz`")?;
    }
    Ok(())
}
