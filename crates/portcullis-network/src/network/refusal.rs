//! Why something may not be fetched. Owns the words of every refusal; each names what it is about.

use std::net::IpAddr;

use super::{address::Class, name::Inside, range::Kind, spelling::Note};

/// The most bytes of a URL; browsers and servers take less.
pub const LONGEST_URL: usize = 16_384;

/// Why a URL, a name or an address is refused.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It is longer than any URL is.
    #[error("the URL is longer than {LONGEST_URL} bytes")]
    TooLong,
    /// It is no URL.
    #[error("the URL cannot be read: {0}")]
    Unreadable(&'static str),
    /// It is not of the web.
    #[error("the scheme `{0}` is not `http` or `https`")]
    Scheme(String),
    /// The policy wants encryption.
    #[error("the scheme is `http`, and the policy requires `https`")]
    Plain,
    /// It is written so that readers of URLs disagree about it, or people misread it.
    #[error("the URL is disguised: {}", .0.words())]
    Disguised(Note),
    /// It carries a name or password.
    #[error("before the host stands a name or password")]
    Userinfo,
    /// Nothing listens at port 0.
    #[error("port 0 cannot be connected to")]
    PortZero,
    /// The policy does not know the port.
    #[error("port {0} is not one of the web, nor one that the policy adds")]
    Port(u16),
    /// The name leads inside.
    #[error("`{host}` {}", .why.words())]
    Inside {
        /// The name.
        host: String,
        /// Why.
        why: Inside,
    },
    /// A person blocked it.
    #[error("`{host}` is blocked by the entry `{entry}`")]
    Blocked {
        /// The name or address.
        host: String,
        /// The entry of the policy.
        entry: String,
    },
    /// Only hosts that are allowed may be fetched.
    #[error("`{0}` is not one of the allowed hosts, and every other host is denied")]
    NotAllowed(String),
    /// Names are not resolved, so that nothing says where this one leads.
    #[error("`{0}` is not one of the allowed hosts, and names are not resolved")]
    Unresolved(String),
    /// It leads where nothing may go.
    #[error("{address} is no public address: {class}")]
    Address {
        /// Where it leads.
        address: IpAddr,
        /// What that is.
        class: Class,
    },
    /// A name leads nowhere.
    #[error("`{0}` has no address")]
    NoAddress(String),
}

/// Said of what no entry of the policy lets through.
const NOTHING_LIFTS: &str = "no entry of the configuration lets this through";

impl Refusal {
    /// A word for programs that stays the same.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::TooLong => "url.length",
            Self::Unreadable(_) => "url.malformed",
            Self::Scheme(_) | Self::Plain => "url.scheme",
            Self::Disguised(_) => "url.disguised",
            Self::Userinfo => "url.userinfo",
            Self::PortZero | Self::Port(_) => "url.port",
            Self::Inside { .. } => "host.inside",
            Self::Blocked { .. } => "host.blocked",
            Self::NotAllowed(_) => "host.not-allowed",
            Self::Unresolved(_) => "host.unresolved",
            Self::Address { class, .. } => match class.range.kind {
                Kind::Metadata => "address.metadata",
                Kind::Loopback | Kind::Unspecified => "address.loopback",
                Kind::Private => "address.private",
                Kind::LinkLocal => "address.link-local",
                Kind::Transition => "address.embedded",
                _ => "address.special",
            },
            Self::NoAddress(_) => "host.no-address",
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        match self {
            Self::TooLong | Self::Unreadable(_) => "write a plain `https://host/path`",
            Self::Scheme(_) | Self::Plain => "fetch it over `https`",
            Self::Disguised(_) => "write the host as it is, in plain letters or as a plain address",
            Self::Userinfo => "leave the name and password out of the URL",
            Self::PortZero | Self::Port(_) => {
                "add the port to `ports` under `[network]`, if this host is meant to be reached there"
            }
            Self::Inside { why: Inside::Metadata, .. } => NOTHING_LIFTS,
            Self::Address { class, .. } if !class.is_liftable() => NOTHING_LIFTS,
            Self::Inside { .. } | Self::Address { .. } => {
                "to reach a service of your own, name its host in `allowed_hosts` under `[network]` with `allow_private = true`"
            }
            Self::Blocked { .. } => "remove the entry from `extra_blocked_hosts` under `[network]`",
            Self::NotAllowed(_) | Self::Unresolved(_) => {
                "add the host to `allowed_hosts` under `[network]`"
            }
            Self::NoAddress(_) => "see that the name is right",
        }
    }
}
