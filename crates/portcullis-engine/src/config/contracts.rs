//! Contracts of tools that the organisation or the user writes down: the `[contracts]` table. Owns its words; what a contract means, the
//! core says.

use std::collections::{BTreeMap, BTreeSet};

use portcullis_core::{
    call::ToolCall,
    contract::{ArgumentMeaning, Class, Contract},
    facts::ToolFacts,
    session::SessionState,
};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::{error::Misreading, server_contracts::ServerContractTable};

/// What tools do that only their servers know. Never in a project's file.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ContractsTable {
    /// Servers whose claims about their own tools (`readOnlyHint`) are believed.
    pub trusted_servers: BTreeSet<String>,
    /// Contracts by the name of the tool as the agent calls it, such as `mcp__bank__pay`.
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub tools: BTreeMap<Spanned<String>, Spanned<Contract>>,
    /// What MCP servers may reach while they run, by the name of the server; `*` for every one that has no contract of its own. One that a file
    /// above this one has stays as it is.
    #[schemars(with = "BTreeMap<String, ServerContractTable>")]
    pub servers: BTreeMap<String, Spanned<ServerContractTable>>,
}

/// The contracts that hold.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Contracts {
    trusted_servers: BTreeSet<String>,
    tools: BTreeMap<String, Contract>,
}

/// What a file says of tools; nothing where it speaks of servers alone.
pub(super) fn contracts_of(table: &ContractsTable) -> Result<Option<Contracts>, Misreading> {
    let ContractsTable { trusted_servers, tools: written, servers } = table;
    if !servers.is_empty() && written.is_empty() && trusted_servers.is_empty() {
        return Ok(None);
    }
    let mut tools = BTreeMap::new();
    for (name, contract) in written {
        let written = contract.get_ref();
        if let Some(mistake) = mistake_in(written) {
            return Err(Misreading::new(contract.span(), mistake));
        }
        tools.insert(name.get_ref().clone(), written.clone());
    }
    Ok(Some(Contracts { trusted_servers: trusted_servers.clone(), tools }))
}

/// What is wrong with a contract that can be read.
#[must_use]
pub(super) fn mistake_in(contract: &Contract) -> Option<String> {
    let is_pointer = |argument: &&ArgumentMeaning| !argument.pointer.starts_with('/');
    if let Some(argument) = contract.arguments.iter().find(is_pointer) {
        let pointer = &argument.pointer;
        return Some(format!("`{pointer}` is no JSON pointer: it begins with `/`"));
    }
    let counts = matches!(contract.class, Class::Pay);
    if contract.most.is_some() && !counts {
        return Some("`most` limits what is moved, and this contract moves nothing".to_owned());
    }
    None
}

impl Contracts {
    /// What is said of the tool that a call names.
    #[must_use]
    pub fn about(&self, call: &ToolCall, session: &SessionState) -> ToolFacts {
        if self.tools.is_empty() && self.trusted_servers.is_empty() {
            return ToolFacts::default();
        }
        let definition = session.tools().find(&call.tool);
        let named = call.tool.strip_prefix("mcp__").and_then(|name| name.split_once("__"));
        let server = named
            .map(|(server, _)| server)
            .or_else(|| definition.and_then(|definition| definition.server.as_deref()));
        ToolFacts {
            contract: self.tools.get(&call.tool).cloned(),
            is_trusted: server.is_some_and(|server| self.trusted_servers.contains(server)),
        }
    }

    /// Every contract, by the name of its tool.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Contract)> {
        self.tools.iter().map(|(name, contract)| (name.as_str(), contract))
    }

    /// The contract of a tool by its name.
    #[must_use]
    pub fn of(&self, tool: &str) -> Option<&Contract> {
        self.tools.get(tool)
    }

    /// Whether the claims of a server are believed.
    #[must_use]
    pub fn trusts(&self, server: &str) -> bool {
        self.trusted_servers.contains(server)
    }

    /// In words, for where the configuration is shown.
    #[must_use]
    pub fn words(&self) -> String {
        let tools = self.tools.iter().map(|(name, it)| format!("{name}: {}", it.class.name()));
        let trusted = self.trusted_servers.iter().map(|server| format!("{server}: trusted"));
        tools.chain(trusted).collect::<Vec<_>>().join(", ")
    }
}
