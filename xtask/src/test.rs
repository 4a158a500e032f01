//! Everything that must hold before a change lands, cheapest first.

use crate::{
    command::{self, Failed, cargo},
    docs, licences, workspace,
};

const TOOLCHAIN: &str = "install Rust 1.95 with the components rustfmt and clippy";

pub(crate) fn run() -> Result<(), Failed> {
    workspace::check_direction()?;
    licences::check()?;
    command::run(&mut cargo(&["fmt", "--all", "--", "--check"]), TOOLCHAIN)?;
    command::run(
        &mut cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]),
        TOOLCHAIN,
    )?;
    docs::check()?;
    command::run(&mut cargo(&["test", "--workspace", "--locked", "--no-fail-fast"]), TOOLCHAIN)?;
    command::run(
        cargo(&["doc", "--workspace", "--no-deps", "--locked", "--document-private-items"])
            .env("RUSTDOCFLAGS", "-D warnings"),
        TOOLCHAIN,
    )?;
    command::say("everything holds\n");
    Ok(())
}
