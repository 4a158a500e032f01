//! What may be connected to. Owns the order of the checks and the entries of the policy, which are read strictly when it is made;
//! it asks no name server: addresses are handed in.

use std::{
    collections::BTreeMap,
    fmt,
    net::{IpAddr, Ipv6Addr, SocketAddr},
};

use url::Host;

use super::{
    address::{Class, classify, operator_nat64},
    name::{Inside, inside, is_or_is_under},
    refusal::Refusal,
    target::Target,
};

/// Ports of the web, which may be connected to without being named.
pub const DEFAULT_PORTS: [u16; 4] = [80, 443, 8080, 8443];

/// What may be connected to, as a person writes it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NetworkOptions {
    /// Hosts that may be reached even where every other host is denied or names are not resolved.
    pub allowed_hosts: Vec<AllowedHost>,
    /// Names, everything under a name (`*.example.com`), addresses and ranges (`192.0.2.0/24`) that are never reached.
    pub extra_blocked_hosts: Vec<String>,
    /// Whether names are resolved. Where they are not, only allowed hosts are reached.
    pub resolve_dns: bool,
    /// Whether every host is denied that is not allowed.
    pub default_deny: bool,
    /// Whether only `https` is fetched.
    pub require_https: bool,
    /// Whether a URL may carry a name and a password.
    pub allow_userinfo: bool,
    /// Whether a URL may be written in a disguise. What it leads to is judged in any case.
    pub allow_disguised: bool,
    /// Ports beside those of the web.
    pub ports: Vec<u16>,
    /// Prefixes that the operator of this network translates to IPv4 (RFC 6052).
    pub nat64_prefixes: Vec<String>,
    /// What one session may use.
    pub budget: Budget,
    /// What one tool of a session may use, which counts against its session too.
    pub tool_budget: Budget,
    /// What the tools of these names may use in place of that; what is left open here is as it is for every tool.
    pub tool_budgets: BTreeMap<String, Budget>,
}

impl NetworkOptions {
    /// What the tool of a name may use.
    #[must_use]
    pub fn budget_of_tool(&self, name: &str) -> Budget {
        let Budget { connections, bytes } = self.tool_budget;
        match self.tool_budgets.get(name) {
            Some(own) => {
                Budget { connections: own.connections.or(connections), bytes: own.bytes.or(bytes) }
            }
            None => self.tool_budget,
        }
    }
}

/// A host that may be reached.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct AllowedHost {
    /// A name, everything under a name (`*.example.com`), or an address.
    pub host: String,
    /// Whether it may have a private address, or one of this machine. Never that of a metadata service.
    pub allow_private: bool,
    /// The ports that it may be reached at, beside those that every host may be.
    pub ports: Vec<u16>,
}

/// What one session, or one of its tools, may use before it is refused.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Budget {
    /// How many connections.
    pub connections: Option<u64>,
    /// How many bytes, both ways together.
    pub bytes: Option<u64>,
}

impl Default for NetworkOptions {
    fn default() -> Self {
        Self {
            allowed_hosts: Vec::new(),
            extra_blocked_hosts: Vec::new(),
            resolve_dns: true,
            default_deny: false,
            require_https: false,
            allow_userinfo: false,
            allow_disguised: false,
            ports: Vec::new(),
            nat64_prefixes: Vec::new(),
            budget: Budget::default(),
            tool_budget: Budget::default(),
            tool_budgets: BTreeMap::new(),
        }
    }
}

/// An entry that says nothing that holds.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{entry}` {why}")]
pub struct BadEntry {
    /// The key of the list.
    pub key: &'static str,
    /// Which of its entries, from 0.
    pub index: usize,
    /// The entry.
    pub entry: String,
    /// What is wrong with it.
    pub why: &'static str,
}

/// What may be connected to.
#[derive(Clone, Debug, Default)]
pub struct NetworkPolicy {
    allowed: Vec<Allowed>,
    blocked: Vec<(Pattern, String)>,
    nat64: Vec<(Ipv6Addr, u8)>,
    options: NetworkOptions,
}

#[derive(Clone, Debug)]
struct Allowed {
    pattern: Pattern,
    allow_private: bool,
    ports: Vec<u16>,
}

/// What an entry stands for.
#[derive(Clone, Debug, Eq, PartialEq)]
enum Pattern {
    /// A name.
    Name(String),
    /// What lies under a name, and not the name itself.
    Under(String),
    /// The addresses that begin as this one does.
    Range(IpAddr, u8),
}

/// What is known of a URL without asking anybody.
#[derive(Clone, Debug)]
pub struct Judged {
    /// What it says, where it can be read.
    pub target: Option<Target>,
    /// Whether it may be connected to, as far as that can be told.
    pub outcome: Result<Admission, Refusal>,
}

/// How a connection may be made.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Admission {
    /// To this address.
    Address(SocketAddr),
    /// To the addresses of the name, where [`NetworkPolicy::admit`] takes all of them.
    Name,
}

impl NetworkPolicy {
    /// A policy.
    ///
    /// # Errors
    /// [`BadEntry`] for the first entry that does not say exactly what it means.
    pub fn new(options: NetworkOptions) -> Result<Self, BadEntry> {
        let bad =
            |key, index, entry: &str, why| BadEntry { key, index, entry: entry.to_owned(), why };
        let mut allowed = Vec::with_capacity(options.allowed_hosts.len());
        for (index, entry) in options.allowed_hosts.iter().enumerate() {
            let pattern = pattern(&entry.host)
                .and_then(|pattern| match pattern {
                    Pattern::Range(address, length) if length < width(address) => {
                        Err("is a range; hosts are allowed one by one")
                    }
                    pattern => Ok(pattern),
                })
                .map_err(|why| bad("allowed_hosts", index, &entry.host, why))?;
            if entry.ports.contains(&0) {
                return Err(bad("allowed_hosts", index, &entry.host, "has the port 0"));
            }
            let ports = entry.ports.clone();
            allowed.push(Allowed { pattern, allow_private: entry.allow_private, ports });
        }
        let mut blocked = Vec::with_capacity(options.extra_blocked_hosts.len());
        for (index, entry) in options.extra_blocked_hosts.iter().enumerate() {
            let pattern =
                pattern(entry).map_err(|why| bad("extra_blocked_hosts", index, entry, why))?;
            blocked.push((pattern, entry.clone()));
        }
        let mut nat64 = Vec::with_capacity(options.nat64_prefixes.len());
        for (index, entry) in options.nat64_prefixes.iter().enumerate() {
            match range(entry) {
                Some(Ok((IpAddr::V6(six), length)))
                    if [32, 40, 48, 56, 64, 96].contains(&length) =>
                {
                    nat64.push((six, length));
                }
                _ => {
                    let why = "is no prefix of IPv6 with a length of 32, 40, 48, 56, 64 or 96";
                    return Err(bad("nat64_prefixes", index, entry, why));
                }
            }
        }
        if let Some(index) = options.ports.iter().position(|port| *port == 0) {
            return Err(bad("ports", index, "0", "is no port that can be connected to"));
        }
        Ok(Self { allowed, blocked, nat64, options })
    }

    /// What it was made of.
    #[must_use]
    pub const fn options(&self) -> &NetworkOptions {
        &self.options
    }

    /// Judges a URL by what it says.
    #[must_use]
    pub fn judge(&self, written: &str) -> Judged {
        match Target::read(written) {
            Ok(target) => {
                let outcome = self.judge_target(&target);
                Judged { target: Some(target), outcome }
            }
            Err(refusal) => Judged { target: None, outcome: Err(refusal) },
        }
    }

    /// As [`NetworkPolicy::judge`], of a URL that is already read.
    ///
    /// # Errors
    /// Why it may not be connected to.
    pub fn judge_target(&self, target: &Target) -> Result<Admission, Refusal> {
        if self.options.require_https && !target.is_https() {
            return Err(Refusal::Plain);
        }
        let disguise = target.notes().iter().find(|note| note.is_disguise());
        // Where it leads inside, that is the better reason.
        if let (Some(note), false) = (disguise, self.options.allow_disguised) {
            if let Some(address) = target.address() {
                self.judge_address(target, address)?;
            }
            return Err(Refusal::Disguised(*note));
        }
        if target.has_userinfo() && !self.options.allow_userinfo {
            return Err(Refusal::Userinfo);
        }
        let allowed = self.allowed(target);
        if target.port() == 0 {
            return Err(Refusal::PortZero);
        }
        let ports = self.options.ports.iter().chain(allowed.iter().flat_map(|entry| &entry.ports));
        if !DEFAULT_PORTS.iter().chain(ports).any(|port| *port == target.port()) {
            return Err(Refusal::Port(target.port()));
        }
        if !self.blocked.is_empty() {
            let host = target.host();
            if let Some(entry) = self.blocking_name(&host) {
                return Err(Refusal::Blocked { host: host.into_owned(), entry: entry.to_owned() });
            }
        }
        if let Some(address) = target.address() {
            self.judge_address(target, address)?;
            if self.options.default_deny && allowed.is_none() {
                return Err(Refusal::NotAllowed(target.host().into_owned()));
            }
            return Ok(Admission::Address(SocketAddr::new(address, target.port())));
        }
        let host = target.host();
        if let Some(why) = inside(&host) {
            let meant = allowed.is_some_and(|entry| entry.allow_private);
            if why == Inside::Metadata || !meant {
                return Err(Refusal::Inside { host: host.into_owned(), why });
            }
        }
        match allowed {
            None if self.options.default_deny => Err(Refusal::NotAllowed(host.into_owned())),
            None if !self.options.resolve_dns => Err(Refusal::Unresolved(host.into_owned())),
            _ => Ok(Admission::Name),
        }
    }

    /// The sockets that a URL may be fetched from, given the addresses of its host: every one of them has to pass. Those of
    /// IPv4 come first.
    ///
    /// # Errors
    /// [`Refusal::NoAddress`] where there is none, and otherwise why the first of them may not be connected to.
    pub fn admit(&self, target: &Target, addresses: &[IpAddr]) -> Result<Vec<SocketAddr>, Refusal> {
        if addresses.is_empty() {
            return Err(Refusal::NoAddress(target.host().into_owned()));
        }
        let mut sockets = Vec::with_capacity(addresses.len());
        for address in addresses {
            self.judge_address(target, *address)?;
            let socket = SocketAddr::new(*address, target.port());
            if !sockets.contains(&socket) {
                sockets.push(socket);
            }
        }
        sockets.sort_by_key(SocketAddr::is_ipv6);
        Ok(sockets)
    }

    /// Whether a target may be reached by way of another name, which a name server says it stands for.
    ///
    /// # Errors
    /// Why it may not.
    pub fn judge_alias(&self, target: &Target, alias: &str) -> Result<(), Refusal> {
        let host = alias.to_owned();
        if let Some(entry) = self.blocking_name(alias) {
            return Err(Refusal::Blocked { host, entry: entry.to_owned() });
        }
        match inside(alias) {
            Some(Inside::Metadata) => Err(Refusal::Inside { host, why: Inside::Metadata }),
            Some(why) if !self.allowed(target).is_some_and(|entry| entry.allow_private) => {
                Err(Refusal::Inside { host, why })
            }
            _ => Ok(()),
        }
    }

    /// What one address is on this network, and whether a URL may be fetched from it.
    ///
    /// # Errors
    /// Why it may not.
    pub fn judge_address(&self, target: &Target, address: IpAddr) -> Result<Class, Refusal> {
        let class = self.classify(address);
        let inner = class.carries.map(|(_, inner, _)| IpAddr::V4(inner));
        for (pattern, entry) in &self.blocked {
            let Pattern::Range(first, length) = pattern else { continue };
            let is_blocked = |address: IpAddr| holds(*first, *length, address);
            if is_blocked(address) || inner.is_some_and(is_blocked) {
                let host = address.to_string();
                return Err(Refusal::Blocked { host, entry: entry.clone() });
            }
        }
        if class.is_public() {
            return Ok(class);
        }
        let meant =
            class.is_liftable() && self.allowed(target).is_some_and(|entry| entry.allow_private);
        if meant { Ok(class) } else { Err(Refusal::Address { address, class }) }
    }

    /// What an address is on this network, whose operator may translate prefixes.
    #[must_use]
    pub fn classify(&self, address: IpAddr) -> Class {
        operator_nat64(address, &self.nat64).unwrap_or_else(|| classify(address))
    }

    /// The entry that allows a target, one that allows private addresses before one that does not.
    fn allowed(&self, target: &Target) -> Option<&Allowed> {
        if self.allowed.is_empty() {
            return None;
        }
        let (host, address) = (target.host(), target.address());
        let matches = |entry: &&Allowed| match &entry.pattern {
            Pattern::Name(name) => *name == host,
            Pattern::Under(name) => is_or_is_under(&host, name) && *name != host,
            Pattern::Range(first, length) => {
                address.is_some_and(|address| holds(*first, *length, address))
            }
        };
        self.allowed.iter().filter(matches).max_by_key(|entry| entry.allow_private)
    }

    fn blocking_name(&self, host: &str) -> Option<&str> {
        let blocks = |pattern: &Pattern| match pattern {
            Pattern::Name(name) => is_or_is_under(host, name),
            Pattern::Under(name) => is_or_is_under(host, name) && name != host,
            Pattern::Range(..) => false,
        };
        self.blocked.iter().find(|(pattern, _)| blocks(pattern)).map(|(_, entry)| entry.as_str())
    }
}

impl fmt::Display for AllowedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.host)?;
        if self.allow_private {
            f.write_str(", also at private addresses")?;
        }
        if !self.ports.is_empty() {
            let ports: Vec<String> = self.ports.iter().map(u16::to_string).collect();
            write!(f, ", at the ports {}", ports.join(", "))?;
        }
        Ok(())
    }
}

/// What an entry stands for.
fn pattern(entry: &str) -> Result<Pattern, &'static str> {
    if let Some(range) = range(entry) {
        return range.map(|(address, length)| Pattern::Range(address, length));
    }
    let (name, under) = match entry.strip_prefix("*.") {
        Some(name) => (name, true),
        None => (entry, false),
    };
    if name.contains('*') {
        return Err("has a `*` that is not the first label");
    }
    if name.contains("://") || name.contains('/') {
        return Err("is neither a host nor a range; write the host alone");
    }
    if name.contains(':') || name.contains('@') {
        return Err("is no host; leave ports and users away");
    }
    if under && !name.contains('.') {
        return Err("covers a whole top name");
    }
    if name.starts_with('.') || name.ends_with('.') || name.contains("..") || name.is_empty() {
        return Err("has an empty label");
    }
    match Host::parse(name) {
        Ok(Host::Domain(name)) if under => Ok(Pattern::Under(name)),
        Ok(Host::Domain(name)) => Ok(Pattern::Name(name)),
        Ok(Host::Ipv4(_) | Host::Ipv6(_)) => {
            Err("is an address in an unusual form; write it plainly")
        }
        Err(_) => Err("is no host"),
    }
}

/// An address, or a range with its length; `None` where it is something else.
fn range(entry: &str) -> Option<Result<(IpAddr, u8), &'static str>> {
    let (written, length) = match entry.split_once('/') {
        Some((written, length)) => (written, Some(length)),
        None => (entry, None),
    };
    let bare = written.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(written);
    let address: IpAddr = match bare.parse() {
        Ok(address) => address,
        Err(_)
            if length.is_some()
                && bare.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') =>
        {
            return Some(Err("is no range; write all four numbers"));
        }
        Err(_) => return None,
    };
    let width = width(address);
    let Some(length) = length else { return Some(Ok((address, width))) };
    let plain = length.bytes().all(|byte| byte.is_ascii_digit())
        && (length == "0" || !length.starts_with('0'));
    let length = match length.parse::<u8>() {
        Ok(length) if plain && length <= width => length,
        _ => return Some(Err("has no length that fits its address")),
    };
    let beyond = match address {
        IpAddr::V4(four) => u128::from(four.to_bits()) << 96,
        IpAddr::V6(six) => six.to_bits(),
    };
    let is_first = length >= 128 || beyond << length == 0;
    Some(if is_first {
        Ok((address, length))
    } else {
        Err("is not the first address of its range")
    })
}

const fn width(address: IpAddr) -> u8 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

fn holds(first: IpAddr, length: u8, address: IpAddr) -> bool {
    let (apart, differing) = match (first, address) {
        (IpAddr::V4(first), IpAddr::V4(address)) => {
            (32 - u32::from(length.min(32)), u128::from(first.to_bits() ^ address.to_bits()))
        }
        (IpAddr::V6(first), IpAddr::V6(address)) => {
            (128 - u32::from(length.min(128)), first.to_bits() ^ address.to_bits())
        }
        _ => return false,
    };
    apart >= 128 || differing >> apart == 0
}
