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
    differential::code::check()?;
    dressing::check()?;
    command::run(
        cargo(&["doc", "--workspace", "--no-deps", "--locked", "--document-private-items"])
            .env("RUSTDOCFLAGS", "-D warnings"),
        TOOLCHAIN,
    )?;
    command::say(
        "everything holds, but for what is built with the feature `cedar` alone: `cargo xtask cedar`\n",
    );
    Ok(())
}

/// What the feature `cedar` adds. It is apart, because its fifty packages, and everything of ours once more beside them, take as long to build as half of the rest.
pub(crate) fn cedar() -> Result<(), Failed> {
    licences::check_with(&["--features", "portcullis/cedar"])?;
    let with = ["--package", "portcullis", "--features", "cedar", "--locked"];
    // Maps that keep their order are larger, and so is every error that holds one.
    let rules = ["--all-targets", "--", "-D", "warnings", "-A", "clippy::result_large_err"];
    let lints = [&["clippy"], &with[..], &rules[..]].concat();
    command::run(&mut cargo(&lints), TOOLCHAIN)?;
    let tests = [&["test"], &with[..], &["--lib", "--test", "serve", "--", "cedar"]].concat();
    command::run(&mut cargo(&tests), TOOLCHAIN)
}
