//! What MCP servers may reach while they run, by name: `[contracts.servers]`. Owns its words and that each of them can be meant; what a contract
//! comes to on this machine, [`crate::sandbox`] knows.

use std::{collections::BTreeMap, path::PathBuf};

use portcullis_core::network::{AllowedHost, NetworkOptions, NetworkPolicy};
use portcullis_sandbox::Limits;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::{Configuration, Layer, error::Misreading, network::HostEntry, sandbox::paths};
use crate::sandbox::Contracted;

/// The name of the contract of every server that has none of its own.
const EVERY_OTHER: &str = "*";

/// What a server may reach while it runs: of files what the system has and what is named here, of the network the hosts that are named. One that
/// connects otherwise than over our proxy (a database's own protocol) reaches nothing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ServerContractTable {
    /// Hosts that it may reach, as `allowed_hosts` of `[network]`; none where it is missing.
    #[schemars(with = "Vec<HostEntry>")]
    pub hosts: Vec<Spanned<HostEntry>>,
    /// Variables that it is given beside the usual ones; those that its entry names where it is missing.
    pub env: Option<Vec<String>>,
    /// What it may read beside the system's own files and those that start it. Paths begin with `/`, with `~/`, or with `./` for the
    /// directory that it is started in.
    #[schemars(with = "Vec<String>")]
    pub read: Vec<Spanned<String>>,
    /// What it may read and write.
    #[schemars(with = "Vec<String>")]
    pub write: Vec<Spanned<String>>,
    /// How many bytes of memory all of its processes may have together; it takes a control group.
    pub memory: Option<u64>,
    /// How many processes there may be at once.
    pub processes: Option<u64>,
}

/// Reads every contract.
pub(super) fn server_contracts_of(
    servers: &BTreeMap<String, Spanned<ServerContractTable>>,
) -> Result<BTreeMap<String, Contracted>, Misreading> {
    servers.iter().map(|(name, table)| Ok((name.clone(), contracted(name, table)?))).collect()
}

fn contracted(name: &str, table: &Spanned<ServerContractTable>) -> Result<Contracted, Misreading> {
    if name.is_empty() {
        return Err(Misreading::new(table.span(), "a contract of a server without a name")
            .with_help("write the server's name, or `*` for every one that has no contract"));
    }
    let ServerContractTable { hosts, env, read, write, memory, processes } = table.get_ref();
    let allowed: Vec<AllowedHost> = hosts.iter().map(|entry| entry.get_ref().allowed()).collect();
    let options = NetworkOptions { allowed_hosts: allowed.clone(), ..NetworkOptions::default() };
    if let Err(bad) = NetworkPolicy::new(options) {
        let span = hosts.get(bad.index).map_or_else(|| table.span(), Spanned::span);
        return Err(Misreading::new(span, bad.to_string())
            .with_help("name a host, `*.example.com` for all names under one, or an address"));
    }
    let is_no_name = |name: &String| name.is_empty() || name.contains(['=', '\0']);
    if env.iter().flatten().any(is_no_name) {
        let words = format!("the contract of `{name}` names a variable that cannot be one");
        return Err(Misreading::new(table.span(), words)
            .with_help("write the names alone: values are those that it is started with"));
    }
    Ok(Contracted {
        hosts: allowed,
        env: env.clone(),
        read: paths(read)?,
        write: paths(write)?,
        limits: Limits { memory: *memory, processes: *processes, ..Limits::default() },
    })
}

impl Configuration {
    /// The contract of a server: its own, else the one for every server that has none.
    #[must_use]
    pub fn server_contract(&self, server: &str) -> Option<&Contracted> {
        let own = self.server_contracts.get(server).filter(|_| server != EVERY_OTHER);
        own.or_else(|| self.server_contracts.get(EVERY_OTHER))
    }

    /// The user's file, or the one that an option named in its place, where there is one: another process of ours that is to go by the same
    /// configuration is told of it.
    #[must_use]
    pub fn own_file(&self) -> Option<PathBuf> {
        let own = self.account.sources.iter().find(|source| source.layer == Layer::User)?;
        std::path::absolute(&own.path).ok()
    }
}
