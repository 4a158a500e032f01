//! Links the program at a fixed address where that is how the system's linker is asked for it.
//!
//! The tables of rules, programs and places are read-only data full of pointers. In a position-independent program the loader
//! writes every one of them anew at each start, tens of thousands of them, before a call of a few microseconds is judged; at a
//! fixed address they cost nothing until they are read. Libraries, heap and stack keep their random addresses.

use std::{path::Path, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |key: &str| std::env::var(key).unwrap_or_default();
    if target("CARGO_CFG_TARGET_OS") != "linux" || target("CARGO_CFG_TARGET_ENV") != "gnu" {
        return;
    }
    println!("cargo::rustc-link-arg-bin=portcullis=-no-pie");
    if target("HOST") == target("TARGET") && has_unwinder() {
        println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
    }
}

/// Whether the C compiler brings what unwinds the stack as an archive: then no library has to be loaded for it.
fn has_unwinder() -> bool {
    let said = Command::new("cc").arg("-print-file-name=libgcc_eh.a").output();
    said.is_ok_and(|said| Path::new(String::from_utf8_lossy(&said.stdout).trim()).is_absolute())
}
