//! Links the program as a whole, at a fixed address, where the system's linker and libraries allow it.
//!
//! The tables of rules, programs and places are read-only data full of pointers. In a position-independent program the loader
//! writes every one of them anew at each start, tens of thousands of them, before a call of a few microseconds is judged; at a
//! fixed address they cost nothing until they are read. And a program that brings the C library along starts without a loader,
//! which takes as long as the judging, and which would load whatever `LD_PRELOAD` names. Heap and stack keep their random
//! addresses.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::Command,
};

/// What the Rust compiler links with shared, and the archive that stands for it.
const ARCHIVES: &[(&str, &str)] = &[
    ("gcc_s", "libgcc_eh.a"),
    ("c", "libc.a"),
    ("dl", "libdl.a"),
    ("m", "libm.a"),
    ("pthread", "libpthread.a"),
    ("rt", "librt.a"),
    ("util", "libutil.a"),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |key: &str| env::var(key).unwrap_or_default();
    if target("CARGO_CFG_TARGET_OS") != "linux" || target("CARGO_CFG_TARGET_ENV") != "gnu" {
        return;
    }
    println!("cargo::rustc-link-arg-bin=portcullis=-no-pie");
    if target("HOST") == target("TARGET")
        && let Some(folder) = archives(&PathBuf::from(target("OUT_DIR")).join("archives"))
    {
        println!("cargo::rustc-link-arg-bin=portcullis=-L{}", folder.display());
        println!("cargo::rustc-link-arg-bin=portcullis=-static");
    }
}

/// A folder in which the linker finds the archives under the names of the shared libraries. None where one is missing: then
/// the program is linked with the shared ones.
fn archives(folder: &Path) -> Option<&Path> {
    let found = ARCHIVES.iter().map(|(name, archive)| Some((name, archive_at(archive)?)));
    let found = found.collect::<Option<Vec<_>>>()?;
    let written = || -> io::Result<()> {
        fs::create_dir_all(folder)?;
        found.iter().try_for_each(|(name, path)| {
            fs::write(folder.join(format!("lib{name}.a")), format!("INPUT(\"{path}\")\n"))
        })
    };
    written().ok().map(|()| folder)
}

/// Where the C compiler has an archive.
fn archive_at(name: &str) -> Option<String> {
    let said = Command::new("cc").arg(format!("-print-file-name={name}")).output().ok()?;
    let path = String::from_utf8(said.stdout).ok()?.trim().to_owned();
    Path::new(&path).is_absolute().then_some(path)
}
