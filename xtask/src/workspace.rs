//! The structure of the workspace: who may depend on whom. Read from `cargo metadata`, so that the picture in
//! ARCHITECTURE.md is a fact.

use std::path::Path;

use serde_json::Value;

use crate::command::{self, Failed, cargo, root};

/// Each crate with the workspace crates that it may use. Nothing else is allowed.
const DIRECTION: &[(&str, &[&str])] = &[
    ("portcullis-syntax", &[]),
    ("portcullis-model", &["portcullis-syntax"]),
    ("portcullis-secrets", &["portcullis-model"]),
    ("portcullis-injection", &["portcullis-model"]),
    ("portcullis-network", &["portcullis-model"]),
    ("portcullis-understand", &["portcullis-model", "portcullis-network", "portcullis-syntax"]),
    (
        "portcullis-rules",
        &[
            "portcullis-injection",
            "portcullis-model",
            "portcullis-network",
            "portcullis-secrets",
            "portcullis-syntax",
            "portcullis-understand",
        ],
    ),
    (
        "portcullis-core",
        &[
            "portcullis-injection",
            "portcullis-model",
            "portcullis-network",
            "portcullis-rules",
            "portcullis-secrets",
            "portcullis-syntax",
            "portcullis-understand",
        ],
    ),
    ("portcullis-net", &["portcullis-core"]),
    ("portcullis-sandbox", &[]),
    ("portcullis-engine", &["portcullis-core", "portcullis-net", "portcullis-sandbox"]),
    (
        "portcullis",
        &["portcullis-core", "portcullis-engine", "portcullis-net", "portcullis-sandbox"],
    ),
    ("portcullis-node", &["portcullis-engine"]),
    ("portcullis-playground", &["portcullis-core"]),
    ("portcullis-python", &["portcullis-engine"]),
    (
        "xtask",
        &[
            "portcullis-core",
            "portcullis-engine",
            "portcullis-net",
            "portcullis-sandbox",
            "portcullis-syntax",
            "portcullis",
        ],
    ),
];

/// Crates that never touch the world, with the crates of others that would let them.
const PURE: &[&str] = &[
    "portcullis-syntax",
    "portcullis-model",
    "portcullis-secrets",
    "portcullis-injection",
    "portcullis-network",
    "portcullis-understand",
    "portcullis-rules",
    "portcullis-core",
    "portcullis-playground",
];
const IMPURE: &[&str] = &[
    "tokio",
    "rusqlite",
    "reqwest",
    "hyper",
    "rustix",
    "libc",
    "nix",
    "ureq",
    "async-std",
    "hyper-util",
    "rustls",
    "smol",
    "landlock",
    "seccompiler",
];

/// The crates whose lints deny `unsafe` where those of the workspace, which every other crate takes, forbid it; each with the one module that may
/// hold it (its file and its folder). The others have none of their own: macros of somebody else expand to it, or functions keep their names.
const UNSAFE: &[(&str, Option<&str>)] = &[
    ("portcullis-sandbox", Some("kernel")),
    ("portcullis-node", None),
    ("portcullis-playground", None),
];

/// `cargo metadata` of the workspace.
pub(crate) fn metadata() -> Result<Value, Failed> {
    metadata_with(&[])
}

/// The same with further words, for features that are off.
pub(crate) fn metadata_with(more: &[&str]) -> Result<Value, Failed> {
    let words = [&["metadata", "--format-version", "1", "--locked"], more].concat();
    let text = command::output(&mut cargo(&words), "install cargo 1.95")?;
    serde_json::from_str(&text).map_err(|_| Failed::Output("cargo metadata".to_owned()))
}

/// Checks that every dependency runs in the one direction.
pub(crate) fn check_direction() -> Result<(), Failed> {
    let metadata = metadata()?;
    let members = members(&metadata);
    for (name, dependencies) in &members {
        let Some((_, allowed)) = DIRECTION.iter().find(|(known, _)| known == name) else {
            return Err(Failed::Broken(format!(
                "`{name}` has no place in xtask/src/workspace.rs; say what it may depend on"
            )));
        };
        for dependency in dependencies {
            let inside = members.iter().any(|(member, _)| member == dependency);
            if inside && !allowed.contains(&dependency.as_str()) {
                return Err(Failed::Broken(format!("`{name}` must not depend on `{dependency}`")));
            }
            if PURE.contains(&name.as_str()) && IMPURE.contains(&dependency.as_str()) {
                return Err(Failed::Broken(format!(
                    "`{name}` is pure and must not depend on `{dependency}`"
                )));
            }
        }
    }
    command::say("── dependency direction holds\n");
    Ok(())
}

/// Checks that every crate takes the workspace's lints, which forbid `unsafe`, but for those that have their own, and where these hold it.
pub(crate) fn check_unsafe() -> Result<(), Failed> {
    let metadata = metadata()?;
    for (name, _) in members(&metadata) {
        let folder = if name == "xtask" { "xtask".to_owned() } else { format!("crates/{name}") };
        let folder = root().join(folder);
        let manifest = read(&folder.join("Cargo.toml"))?;
        let takes_lints = manifest.contains("[lints]\nworkspace = true");
        let exception = UNSAFE.iter().find(|(own, _)| *own == name);
        if takes_lints == exception.is_some() {
            return Err(Failed::Broken(format!(
                "`{name}` must take the lints of the workspace, unless xtask/src/workspace.rs says that it has its own"
            )));
        }
        if let Some((_, module)) = exception {
            if !manifest.contains("unsafe_code = \"deny\"") {
                return Err(Failed::Broken(format!("`{name}` must deny `unsafe`")));
            }
            check_sources(&folder.join("src"), *module)?;
        }
    }
    command::say("── `unsafe` is where it belongs\n");
    Ok(())
}

/// Checks that the sources below a folder hold `unsafe` in one module, or in none.
fn check_sources(source: &Path, module: Option<&str>) -> Result<(), Failed> {
    let mut folders = vec![source.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let failed = |error| Failed::File { path: folder.clone(), source: error };
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let belongs = module.is_some_and(|module| {
                path == source.join(format!("{module}.rs")) || path.starts_with(source.join(module))
            });
            if path.is_dir() {
                folders.push(path);
            } else if !belongs && read(&path)?.lines().any(is_unsafe) {
                return Err(Failed::Broken(format!("`{}` holds `unsafe`", path.display())));
            }
        }
    }
    Ok(())
}

fn is_unsafe(line: &str) -> bool {
    let code = line.split_once("//").map_or(line, |(code, _)| code);
    code.contains("unsafe {") || code.contains("unsafe fn") || code.contains("unsafe impl")
}

fn read(path: &Path) -> Result<String, Failed> {
    std::fs::read_to_string(path).map_err(|source| Failed::File { path: path.to_owned(), source })
}

/// Each member with the names of its normal and build dependencies.
fn members(metadata: &Value) -> Vec<(String, Vec<String>)> {
    let ids: Vec<&str> = strings(metadata.get("workspace_members"));
    let packages =
        metadata.get("packages").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    packages
        .iter()
        .filter(|package| ids.contains(&text(package, "id")))
        .map(|package| {
            let dependencies = package
                .get("dependencies")
                .and_then(Value::as_array)
                .map_or(&[][..], Vec::as_slice);
            let names = dependencies
                .iter()
                .filter(|dependency| {
                    dependency.get("kind").is_none_or(|kind| kind.as_str() != Some("dev"))
                })
                .map(|dependency| text(dependency, "name").to_owned())
                .collect();
            (text(package, "name").to_owned(), names)
        })
        .collect()
}

/// A string in an object, empty where it is missing.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

fn strings(value: Option<&Value>) -> Vec<&str> {
    value
        .and_then(Value::as_array)
        .map_or_else(Vec::new, |list| list.iter().filter_map(Value::as_str).collect())
}
