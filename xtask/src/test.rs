//! Everything that must hold before a change lands, cheapest first.

use crate::{
    chart, circles,
    command::{self, Failed, cargo},
    differential, docs, dressing, fuzz, licences, threats, workspace,
};

/// Where the property tests begin to choose, so that the same tree always gets the same answer; a plain `cargo test` chooses
/// anew each time, and so does fuzzing.
const PROPERTY_SEED: (&str, &str) = ("PROPTEST_RNG_SEED", "1995");

const TOOLCHAIN: &str = "install Rust 1.95 with the components rustfmt and clippy";

pub(crate) fn run() -> Result<(), Failed> {
    workspace::check_direction()?;
    circles::check()?;
    workspace::check_unsafe()?;
    licences::check()?;
    chart::check()?;
    command::run(&mut cargo(&["fmt", "--all", "--", "--check"]), TOOLCHAIN)?;
    command::run(
        &mut cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]),
        TOOLCHAIN,
    )?;
    fuzz::check()?;
    docs::check()?;
    threats::check()?;
    command::run(
        cargo(&["test", "--workspace", "--locked", "--no-fail-fast"])
            .env(PROPERTY_SEED.0, PROPERTY_SEED.1),
        TOOLCHAIN,
    )?;
    differential::check()?;
    dressing::check()?;
    command::run(
        cargo(&["doc", "--workspace", "--no-deps", "--locked", "--document-private-items"])
            .env("RUSTDOCFLAGS", "-D warnings"),
        TOOLCHAIN,
    )?;
    command::say("everything holds\n");
    Ok(())
}
