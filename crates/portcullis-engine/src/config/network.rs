//! Where things may connect: the `[network]` table. Owns its words, that each entry is read strictly, and who wins where several
//! files speak; what the entries mean, `portcullis_core::network` says.

use std::{
    collections::BTreeMap,
    fmt,
    net::{IpAddr, SocketAddr},
};

use portcullis_core::network::{AllowedHost, BadEntry, Budget, NetworkOptions, NetworkPolicy};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, Visitor, value::MapAccessDeserializer},
};
use toml::Spanned;

use super::error::Misreading;

/// The port of name servers.
const NAME_SERVER_PORT: u16 = 53;

/// Where things may connect.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Network {
    /// The policy, as it is written. Every entry has been read once.
    pub options: NetworkOptions,
    /// The name servers; those of the system where there are none.
    pub name_servers: Vec<SocketAddr>,
}

impl Network {
    /// The policy.
    ///
    /// # Errors
    /// [`BadEntry`]; every entry of a file was read when the file was.
    pub fn policy(&self) -> Result<NetworkPolicy, BadEntry> {
        NetworkPolicy::new(self.options.clone())
    }
}

/// Where `fetch`, `proxy` and `url` may connect. Public addresses and the ports of the web, where the table is missing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NetworkTable {
    /// Hosts that may be reached even where every other host is denied or names are not resolved: a name, `*.example.com` for
    /// all names under it and not itself, or an address.
    #[schemars(with = "Vec<HostEntry>")]
    pub allowed_hosts: Vec<Spanned<HostEntry>>,
    /// What is never reached: a name with all names under it, `*.example.com`, an address, or a range as `192.0.2.0/24`.
    #[schemars(with = "Vec<String>")]
    pub extra_blocked_hosts: Vec<Spanned<String>>,
    /// Whether names are resolved; they are by default. Where they are not, only allowed hosts are reached.
    pub resolve_dns: Option<bool>,
    /// Whether every host is denied that is not allowed; not by default.
    pub default_deny: Option<bool>,
    /// Whether only `https` is fetched; not by default.
    pub require_https: Option<bool>,
    /// Whether a URL may carry a name and a password; not by default.
    pub allow_userinfo: Option<bool>,
    /// Whether a URL may be written so that programs disagree about it; not by default. Where it leads is judged in any case.
    pub allow_disguised: Option<bool>,
    /// Ports beside 80, 443, 8080 and 8443.
    #[schemars(with = "Vec<u16>")]
    pub ports: Vec<Spanned<u16>>,
    /// Prefixes of IPv6 that the operator of this network translates to IPv4, beside `64:ff9b::/96`.
    #[schemars(with = "Vec<String>")]
    pub nat64_prefixes: Vec<Spanned<String>>,
    /// The name servers, as `192.0.2.53` or `192.0.2.53:5353`; those of the system by default.
    #[schemars(with = "Vec<String>")]
    pub name_servers: Vec<Spanned<String>>,
    /// How many connections one session of the proxy, or of `fetch`, may make; any number by default.
    pub session_connections: Option<u64>,
    /// How many bytes one session may send and receive; any number by default.
    pub session_bytes: Option<u64>,
    /// How many connections one tool of a session may make; any number by default.
    pub tool_connections: Option<u64>,
    /// How many bytes one tool of a session may send and receive; any number by default.
    pub tool_bytes: Option<u64>,
    /// What a tool may use in place of `tool_connections` and `tool_bytes`, by its name.
    #[schemars(with = "BTreeMap<String, BudgetTable>")]
    pub tools: BTreeMap<String, Spanned<BudgetTable>>,
}

/// How much one tool of a session may use.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BudgetTable {
    /// How many connections.
    pub connections: Option<u64>,
    /// How many bytes, sent and received.
    pub bytes: Option<u64>,
}

/// A host that may be reached, alone or in a table.
#[derive(Clone, Debug)]
pub enum HostEntry {
    /// A host alone.
    Host(String),
    /// With what else it may.
    Table(HostTable),
}

/// A host that may be reached.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostTable {
    /// The host.
    pub host: String,
    /// Whether it may have a private address, or one of this machine; not by default. Never that of a metadata service.
    #[serde(default)]
    pub allow_private: bool,
    /// The ports that it may be reached at, beside those for every host.
    #[serde(default)]
    pub ports: Vec<u16>,
}

impl BudgetTable {
    const fn budget(&self) -> Budget {
        Budget { connections: self.connections, bytes: self.bytes }
    }
}

/// Whether it can be the name of a session, or of a tool of one.
#[must_use]
pub fn is_session_word(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

impl HostEntry {
    pub(super) fn allowed(&self) -> AllowedHost {
        match self {
            Self::Host(host) => AllowedHost { host: host.clone(), ..AllowedHost::default() },
            Self::Table(HostTable { host, allow_private, ports }) => AllowedHost {
                host: host.clone(),
                allow_private: *allow_private,
                ports: ports.clone(),
            },
        }
    }
}

/// What one file says about the network.
#[derive(Clone, Debug, Default)]
pub(super) struct NetworkPart {
    pub(super) allowed_hosts: Vec<AllowedHost>,
    pub(super) extra_blocked_hosts: Vec<String>,
    pub(super) resolve_dns: Option<bool>,
    pub(super) default_deny: Option<bool>,
    pub(super) require_https: Option<bool>,
    pub(super) allow_userinfo: Option<bool>,
    pub(super) allow_disguised: Option<bool>,
    pub(super) ports: Vec<u16>,
    pub(super) nat64_prefixes: Vec<String>,
    pub(super) name_servers: Vec<SocketAddr>,
    pub(super) session_connections: Option<u64>,
    pub(super) session_bytes: Option<u64>,
    pub(super) tool_connections: Option<u64>,
    pub(super) tool_bytes: Option<u64>,
    pub(super) tools: BTreeMap<String, Budget>,
}

/// Reads every entry.
pub(super) fn network_of(table: &NetworkTable) -> Result<NetworkPart, Misreading> {
    let NetworkTable {
        allowed_hosts,
        extra_blocked_hosts,
        resolve_dns,
        default_deny,
        require_https,
        allow_userinfo,
        allow_disguised,
        ports,
        nat64_prefixes,
        name_servers,
        session_connections,
        session_bytes,
        tool_connections,
        tool_bytes,
        tools,
    } = table;
    if let Some((name, budget)) = tools.iter().find(|(name, _)| !is_session_word(name)) {
        let words = format!("`{name}` is not the name of a tool");
        return Err(Misreading::new(budget.span(), words).with_help(
            "use letters, digits, `-` and `_`, as in `portcullis proxy --session SESSION.TOOL`",
        ));
    }
    let plain = |list: &[Spanned<String>]| list.iter().map(|one| one.get_ref().clone()).collect();
    let part = NetworkPart {
        allowed_hosts: allowed_hosts.iter().map(|entry| entry.get_ref().allowed()).collect(),
        extra_blocked_hosts: plain(extra_blocked_hosts),
        resolve_dns: *resolve_dns,
        default_deny: *default_deny,
        require_https: *require_https,
        allow_userinfo: *allow_userinfo,
        allow_disguised: *allow_disguised,
        ports: ports.iter().map(|port| *port.get_ref()).collect(),
        nat64_prefixes: plain(nat64_prefixes),
        name_servers: name_servers.iter().map(name_server).collect::<Result<_, _>>()?,
        session_connections: *session_connections,
        session_bytes: *session_bytes,
        tool_connections: *tool_connections,
        tool_bytes: *tool_bytes,
        tools: tools
            .iter()
            .map(|(name, budget)| (name.clone(), budget.get_ref().budget()))
            .collect(),
    };
    let options = NetworkOptions {
        allowed_hosts: part.allowed_hosts.clone(),
        extra_blocked_hosts: part.extra_blocked_hosts.clone(),
        ports: part.ports.clone(),
        nat64_prefixes: part.nat64_prefixes.clone(),
        ..NetworkOptions::default()
    };
    let Err(bad) = NetworkPolicy::new(options) else { return Ok(part) };
    let span = match bad.key {
        "allowed_hosts" => allowed_hosts.get(bad.index).map(Spanned::span),
        "extra_blocked_hosts" => extra_blocked_hosts.get(bad.index).map(Spanned::span),
        "nat64_prefixes" => nat64_prefixes.get(bad.index).map(Spanned::span),
        _ => ports.get(bad.index).map(Spanned::span),
    };
    let help = match bad.key {
        "allowed_hosts" => "write a host as `example.com`, `*.example.com` or `192.0.2.1`",
        "extra_blocked_hosts" => {
            "write a host as `example.com`, `*.example.com` or `192.0.2.1`, and a range as `192.0.2.0/24`"
        }
        "nat64_prefixes" => "write a prefix as `2001:db8:122:344::/96`",
        _ => "write a port from 1 to 65535",
    };
    Err(Misreading::new(span.unwrap_or_default(), bad.to_string()).with_help(help))
}

fn name_server(written: &Spanned<String>) -> Result<SocketAddr, Misreading> {
    let text = written.get_ref();
    let address = text.parse::<IpAddr>().map(|address| SocketAddr::new(address, NAME_SERVER_PORT));
    address.or_else(|_| text.parse()).map_err(|_| {
        Misreading::new(written.span(), format!("`{text}` is not the address of a name server"))
            .with_help("write it as `192.0.2.53`, `192.0.2.53:5353` or `[2001:db8::53]:5353`")
    })
}

impl<'de> Deserialize<'de> for HostEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(HostVisitor)
    }
}

struct HostVisitor;

impl<'de> Visitor<'de> for HostVisitor {
    type Value = HostEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a host, or a table with `host`, `allow_private` and `ports`")
    }

    fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<HostEntry, E> {
        Ok(HostEntry::Host(word.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<HostEntry, A::Error> {
        let table = HostTable::deserialize(MapAccessDeserializer::new(map));
        table.map(HostEntry::Table).map_err(A::Error::custom)
    }
}

impl JsonSchema for HostEntry {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "HostEntry".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let host = generator.subschema_for::<String>();
        let table = generator.subschema_for::<HostTable>();
        json_schema!({ "anyOf": [host, table] })
    }
}
