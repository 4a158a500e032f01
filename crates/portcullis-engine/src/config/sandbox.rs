//! Profiles of `sandbox run` by name: the `[sandbox]` table. Owns its words and that its paths can be meant; what a profile comes to on
//! this machine, [`crate::sandbox`] knows.

use std::{collections::BTreeMap, time::Duration};

use portcullis_sandbox::Limits;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::error::Misreading;
use crate::sandbox::{BuiltIn, Custom, Way};

/// Profiles of `sandbox run`. Never in a project's file: what runs inside could be what wrote it.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SandboxTable {
    /// Profiles by name. One that a file above this one has stays as it is.
    #[schemars(with = "BTreeMap<String, ProfileTable>")]
    pub profiles: BTreeMap<String, Spanned<ProfileTable>>,
}

/// What a program inside may do. Paths begin with `/`, with `~/`, or with `./` for the workspace.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProfileTable {
    /// Whether the workspace may be written; it may by default.
    pub workspace: Option<bool>,
    /// What may be read in place of everything.
    #[schemars(with = "Vec<String>")]
    pub read: Vec<Spanned<String>>,
    /// What may be written beside the workspace.
    #[schemars(with = "Vec<String>")]
    pub write: Vec<Spanned<String>>,
    /// What may not be read beside what is secret.
    #[schemars(with = "Vec<String>")]
    pub deny: Vec<Spanned<String>>,
    /// What may not be changed or made beside what is protected.
    #[schemars(with = "Vec<String>")]
    pub protect: Vec<Spanned<String>>,
    /// Where it may connect: `off` by default, `proxy` for our own proxy under `[network]`, `open` for anywhere.
    pub network: NetworkWord,
    /// Whether it may use Unix sockets; not by default. Those of programs outside can then be reached too.
    pub unix_sockets: bool,
    /// How many seconds it may take.
    pub timeout: Option<u64>,
    /// How many seconds of the processor each process may take.
    pub cpu_seconds: Option<u64>,
    /// How many bytes of addresses each process may have.
    pub address_space: Option<u64>,
    /// How many bytes of memory all processes may have together; it takes a control group.
    pub memory: Option<u64>,
    /// How long a file may become, in bytes.
    pub file_size: Option<u64>,
    /// How many processes there may be at once.
    pub processes: Option<u64>,
    /// How many files each process may have open.
    pub open_files: Option<u64>,
}

/// Where a program inside may connect.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum NetworkWord {
    /// Nowhere.
    #[default]
    Off,
    /// To our own proxy.
    Proxy,
    /// Anywhere.
    Open,
}

/// Reads every profile.
pub(super) fn profiles_of(table: &SandboxTable) -> Result<BTreeMap<String, Custom>, Misreading> {
    let SandboxTable { profiles } = table;
    profiles.iter().map(|(name, table)| Ok((name.clone(), profile_of(name, table)?))).collect()
}

fn profile_of(name: &str, table: &Spanned<ProfileTable>) -> Result<Custom, Misreading> {
    if BuiltIn::named(name).is_some() || name.is_empty() {
        let words = format!("`{name}` cannot be the name of a profile");
        return Err(Misreading::new(table.span(), words)
            .with_help("the built-in ones keep their names; take another one"));
    }
    let ProfileTable {
        workspace,
        read,
        write,
        deny,
        protect,
        network,
        unix_sockets,
        timeout,
        cpu_seconds,
        address_space,
        memory,
        file_size,
        processes,
        open_files,
    } = table.get_ref();
    Ok(Custom {
        workspace: workspace.unwrap_or(true),
        read: paths(read)?,
        write: paths(write)?,
        deny: paths(deny)?,
        protect: paths(protect)?,
        network: match network {
            NetworkWord::Off => Way::Off,
            NetworkWord::Proxy => Way::Proxy,
            NetworkWord::Open => Way::Open,
        },
        unix_sockets: *unix_sockets,
        limits: Limits {
            wall: timeout.map(Duration::from_secs),
            cpu_seconds: *cpu_seconds,
            address_space: *address_space,
            memory: *memory,
            file_size: *file_size,
            processes: *processes,
            open_files: *open_files,
        },
    })
}

pub(super) fn paths(written: &[Spanned<String>]) -> Result<Vec<String>, Misreading> {
    let path = |one: &Spanned<String>| {
        let text = one.get_ref();
        if ["/", "~/", "./"].iter().any(|beginning| text.starts_with(beginning)) {
            return Ok(text.clone());
        }
        let words = format!("`{text}` could be anywhere");
        Err(Misreading::new(one.span(), words)
            .with_help("begin it with `/`, with `~/`, or with `./` for the workspace"))
    };
    written.iter().map(path).collect()
}
