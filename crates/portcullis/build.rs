//! Links the program at a fixed address where that is how the system's linker is asked for it.
//!
//! The tables of rules, programs and places are read-only data full of pointers. In a position-independent program the loader
//! writes every one of them anew at each start, tens of thousands of them, before a call of a few microseconds is judged; at a
//! fixed address they cost nothing until they are read. Libraries, heap and stack keep their random addresses.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |key: &str| std::env::var(key).unwrap_or_default();
    if target("CARGO_CFG_TARGET_OS") == "linux" && target("CARGO_CFG_TARGET_ENV") == "gnu" {
        println!("cargo::rustc-link-arg-bin=portcullis=-no-pie");
    }
}
