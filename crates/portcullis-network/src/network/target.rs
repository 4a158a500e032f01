//! One URL: parsed once, with what its text hides. Owns how a URL is read; which spellings are disguises, [`super::spelling`]
//! says, and whether it may be fetched, [`super::policy`].

use std::{borrow::Cow, net::IpAddr};

use url::{Host, ParseError, Url};

use super::{
    refusal::{LONGEST_URL, Refusal},
    spelling::{Note, Notes, Spelling},
};

/// Said of a host that is no name.
const NO_NAME: &str = "the host has a character that no name has";

/// A URL of the web as it is connected to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Target {
    /// It has a host: [`Target::of`] refuses one without.
    url: Url,
    port: u16,
    notes: Notes,
}

impl Target {
    /// Reads a URL as browsers do.
    ///
    /// # Errors
    /// [`Refusal`] where it is no URL, is not of the web, or has no host. That it is written in a disguise is no error but a
    /// note.
    pub fn read(written: &str) -> Result<Self, Refusal> {
        if written.len() > LONGEST_URL {
            return Err(Refusal::TooLong);
        }
        let url = Url::parse(written).map_err(|error| unreadable(error, written))?;
        let (spelling, mut notes) = (Spelling::new(written), Notes::new());
        spelling.note_text(&mut notes);
        Self::of(url, &spelling, notes)
    }

    /// Reads what a server answers in `Location`, against where it was asked.
    ///
    /// # Errors
    /// As [`Target::read`].
    pub fn join(&self, location: &str) -> Result<Self, Refusal> {
        if location.len() > LONGEST_URL {
            return Err(Refusal::TooLong);
        }
        let url = self.url.join(location).map_err(|error| unreadable(error, location))?;
        let mut notes = Notes::new();
        // A relative one has no host of its own to disguise.
        let trimmed = location.trim_matches(|letter: char| letter <= ' ');
        let names_host = trimmed.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme))
            || trimmed.starts_with(['/', '\\'])
                && trimmed.get(1..).is_some_and(|rest| rest.starts_with(['/', '\\']));
        if names_host {
            let absolute = match trimmed.split_once(':') {
                Some((scheme, _)) if is_scheme(scheme) => Cow::Borrowed(location),
                _ => Cow::Owned(format!("{}:{trimmed}", self.url.scheme())),
            };
            let spelling = Spelling::new(&absolute);
            spelling.note_text(&mut notes);
            return Self::of(url, &spelling, notes);
        }
        if trimmed.contains(['\t', '\n', '\r']) {
            notes.push(Note::ControlCharacter);
        }
        let canonical = url.as_str().to_owned();
        Self::of(url, &Spelling::new(&canonical), notes)
    }

    /// The host and port that a proxy is asked for.
    ///
    /// # Errors
    /// As [`Target::read`].
    pub fn of_authority(host: &str, port: u16) -> Result<Self, Refusal> {
        // What ends an authority must not come in by way of the host.
        let bad = |letter: char| letter <= ' ' || "/?#@\\:".contains(letter);
        let is_six = host.starts_with('[') && host.ends_with(']');
        if host.is_empty()
            || !is_six && host.contains(bad)
            || is_six && host.contains(['@', '/', '\\'])
        {
            return Err(Refusal::Unreadable("the host is malformed"));
        }
        Self::read(&format!("https://{host}:{port}/"))
    }

    fn of(mut url: Url, spelling: &Spelling<'_>, mut notes: Notes) -> Result<Self, Refusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Refusal::Scheme(url.scheme().chars().take(40).collect()));
        }
        if let Some(Host::Domain(name)) = url.host() {
            let plain = name.strip_suffix('.').unwrap_or(name);
            check_name(plain).map_err(Refusal::Unreadable)?;
            if plain.len() < name.len() {
                let plain = plain.to_owned();
                if url.set_host(Some(&plain)).is_err() {
                    return Err(Refusal::Unreadable("the host is malformed"));
                }
            }
        }
        // Without its dot a name could have become an address.
        let Some(host) = url.host() else {
            return Err(Refusal::Unreadable("it has no host"));
        };
        spelling.note_host(&host, &mut notes);
        notes.sort_unstable();
        notes.dedup();
        let port = url.port_or_known_default().unwrap_or_default();
        url.set_fragment(None);
        Ok(Self { url, port, notes })
    }

    /// The URL as it is fetched: without the part behind `#`, and without a dot behind the host.
    #[must_use]
    pub const fn url(&self) -> &Url {
        &self.url
    }

    /// The URL for a person or a record: without a password.
    #[must_use]
    pub fn canonical(&self) -> String {
        if self.has_userinfo() {
            let mut url = self.url.clone();
            // Both only fail where there is no host.
            if url.set_username("").is_err() || url.set_password(None).is_err() {
                return String::new();
            }
            return url.to_string();
        }
        self.url.as_str().to_owned()
    }

    /// The host as it is asked for: a name in lower case without a dot at its end, or an address in its plain form, of IPv6
    /// without brackets.
    #[must_use]
    pub fn host(&self) -> Cow<'_, str> {
        match self.url.host() {
            Some(Host::Domain(name)) => Cow::Borrowed(name),
            Some(Host::Ipv4(four)) => Cow::Owned(four.to_string()),
            Some(Host::Ipv6(six)) => Cow::Owned(six.to_string()),
            None => Cow::Borrowed(""),
        }
    }

    /// The address, where the host is one.
    #[must_use]
    pub fn address(&self) -> Option<IpAddr> {
        match self.url.host()? {
            Host::Domain(_) => None,
            Host::Ipv4(four) => Some(IpAddr::V4(four)),
            Host::Ipv6(six) => Some(IpAddr::V6(six)),
        }
    }

    /// The port.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Whether it is fetched over TLS.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// What is unusual in how it is written, in a fixed order.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Whether a name or password stands before the host.
    #[must_use]
    pub fn has_userinfo(&self) -> bool {
        !self.url.username().is_empty() || self.url.password().is_some()
    }

    /// Whether another URL is of the same origin: scheme, host and port.
    #[must_use]
    pub fn is_same_origin(&self, other: &Self) -> bool {
        self.url.scheme() == other.url.scheme()
            && self.url.host() == other.url.host()
            && self.port == other.port
    }
}

fn is_scheme(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_alphabetic())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

fn unreadable(error: ParseError, written: &str) -> Refusal {
    Refusal::Unreadable(match error {
        ParseError::EmptyHost => "it has no host",
        ParseError::IdnaError => "the name of the host is no name",
        ParseError::InvalidPort => "the port is no number up to 65535",
        ParseError::InvalidIpv4Address => "the host is an address with too large a number",
        ParseError::InvalidIpv6Address if written.contains('%') => {
            "the host is an address with a zone, which only means something on one machine"
        }
        ParseError::InvalidIpv6Address => "the host is a malformed IPv6 address",
        ParseError::InvalidDomainCharacter => NO_NAME,
        ParseError::RelativeUrlWithoutBase => "it has no scheme",
        _ => "it is malformed",
    })
}

/// Whether a host in ASCII, without a dot at its end, is what a name server could be asked for. The standard for URLs leaves more
/// be than any name has, and programs disagree about what ends a name.
fn check_name(name: &str) -> Result<(), &'static str> {
    let (mut label, mut longest, mut is_named) = (0_usize, 0, true);
    let mut has_empty = false;
    for byte in name.bytes() {
        if byte == b'.' {
            has_empty |= label == 0;
            (longest, label) = (label.max(longest), 0);
        } else {
            is_named &= byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
            label += 1;
        }
    }
    if has_empty || label == 0 {
        Err("the host has an empty label")
    } else if !is_named {
        Err(NO_NAME)
    } else if name.len() > 253 || label.max(longest) > 63 {
        Err("the host is longer than any name")
    } else {
        Ok(())
    }
}
