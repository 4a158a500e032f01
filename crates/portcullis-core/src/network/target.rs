//! One URL: parsed once, with what its text hides. Owns how a URL is read and which spellings are disguises; whether it may be
//! fetched, [`super::policy`] says.

use std::{borrow::Cow, net::IpAddr};

use url::{Host, ParseError, Url};

use super::{
    curl::{Reading, read_as_curl},
    homograph,
    refusal::Refusal,
};

/// The most bytes of a URL; browsers and servers take less.
pub const LONGEST_URL: usize = 16_384;

/// Said of a host that is no name.
const NO_NAME: &str = "the host has a character that no name has";

/// Something unusual in how a URL is written.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Note {
    /// `0177.0.0.1`
    OctalAddress,
    /// `0x7f.0.0.1`
    HexadecimalAddress,
    /// `127.1`
    ShortAddress,
    /// `2130706433`
    PackedAddress,
    /// An address in characters that only become digits and dots when the name is looked up.
    AddressInOtherCharacters,
    /// `%31%32%37.0.0.1`
    PercentInHost,
    /// `http:\\host`, `http://host\@other`
    Backslash,
    /// A tab, a line's end or another control character in the middle.
    ControlCharacter,
    /// Blanks around it.
    SurroundingBlanks,
    /// `http:host`, `http:///host`
    OddSlashes,
    /// A character in the host that is not seen, or turns the direction of writing.
    InvisibleCharacter,
    /// Full-width, encircled or otherwise formed letters, which become plain ones.
    OtherForms,
    /// `pаypal.com` with a Cyrillic letter.
    Lookalike,
    /// A name that is not in ASCII.
    International,
    /// `example.com.`
    TrailingDot,
    /// `http://host:/`, `http://host:00080/`
    OddPort,
    /// curl connects to another host than browsers do.
    CurlDisagrees,
}

impl Note {
    /// Whether a URL that is written so is refused: nobody who means the host writes it so, and programs disagree about it.
    #[must_use]
    pub const fn is_disguise(self) -> bool {
        match self {
            Self::OctalAddress
            | Self::HexadecimalAddress
            | Self::ShortAddress
            | Self::PackedAddress
            | Self::AddressInOtherCharacters
            | Self::PercentInHost
            | Self::Backslash
            | Self::ControlCharacter
            | Self::OddSlashes
            | Self::InvisibleCharacter
            | Self::Lookalike
            | Self::CurlDisagrees => true,
            Self::SurroundingBlanks
            | Self::OtherForms
            | Self::International
            | Self::TrailingDot
            | Self::OddPort => false,
        }
    }

    /// A word for programs that stays the same.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::OctalAddress => "address-octal",
            Self::HexadecimalAddress => "address-hexadecimal",
            Self::ShortAddress => "address-short",
            Self::PackedAddress => "address-packed",
            Self::AddressInOtherCharacters => "address-in-other-characters",
            Self::PercentInHost => "percent-in-host",
            Self::Backslash => "backslash",
            Self::ControlCharacter => "control-character",
            Self::SurroundingBlanks => "surrounding-blanks",
            Self::OddSlashes => "odd-slashes",
            Self::InvisibleCharacter => "invisible-character",
            Self::OtherForms => "other-forms",
            Self::Lookalike => "lookalike",
            Self::International => "international",
            Self::TrailingDot => "trailing-dot",
            Self::OddPort => "odd-port",
            Self::CurlDisagrees => "curl-disagrees",
        }
    }

    /// What it is, for a person.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::OctalAddress => "an address with octal numbers",
            Self::HexadecimalAddress => "an address with hexadecimal numbers",
            Self::ShortAddress => "an address with fewer than four numbers",
            Self::PackedAddress => "an address as one number",
            Self::AddressInOtherCharacters => {
                "an address in characters that only become digits later"
            }
            Self::PercentInHost => "percent signs in the host",
            Self::Backslash => "a backslash where some programs see a slash",
            Self::ControlCharacter => "a tab, a line's end or another control character within",
            Self::SurroundingBlanks => "blanks around the URL",
            Self::OddSlashes => "not two slashes behind the scheme",
            Self::InvisibleCharacter => "a character in the host that nobody sees",
            Self::OtherForms => "letters of the host in an unusual form",
            Self::Lookalike => "letters of several scripts that look alike",
            Self::International => "a name that is not in plain letters",
            Self::TrailingDot => "a dot behind the host",
            Self::OddPort => "a port in an unusual form",
            Self::CurlDisagrees => "curl connects to another host than browsers do",
        }
    }
}

/// A URL of the web as it is connected to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Target {
    url: Url,
    host: Host<String>,
    port: u16,
    notes: Vec<Note>,
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
        let mut notes = Vec::new();
        note_text(written, &mut notes);
        Self::of(url, written, notes)
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
        let mut notes = Vec::new();
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
            note_text(&absolute, &mut notes);
            return Self::of(url, &absolute, notes);
        }
        if trimmed.contains(['\t', '\n', '\r']) {
            notes.push(Note::ControlCharacter);
        }
        let canonical = url.as_str().to_owned();
        Self::of(url, &canonical, notes)
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

    fn of(mut url: Url, written: &str, mut notes: Vec<Note>) -> Result<Self, Refusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Refusal::Scheme(url.scheme().chars().take(40).collect()));
        }
        let host = match url.host().map(|host| host.to_owned()) {
            None => return Err(Refusal::Unreadable("it has no host")),
            Some(Host::Domain(name)) => {
                let plain = name.strip_suffix('.').unwrap_or(&name);
                if plain.is_empty()
                    || plain.starts_with('.')
                    || plain.ends_with('.')
                    || plain.contains("..")
                {
                    return Err(Refusal::Unreadable("the host has an empty label"));
                }
                // The standard leaves more of them be than any name has, and programs disagree about what ends a name.
                let is_named = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
                if !plain.bytes().all(is_named) {
                    return Err(Refusal::Unreadable(NO_NAME));
                }
                if plain.len() > 253 || plain.split('.').any(|label| label.len() > 63) {
                    return Err(Refusal::Unreadable("the host is longer than any name"));
                }
                if plain.len() < name.len() {
                    let plain = plain.to_owned();
                    if url.set_host(Some(&plain)).is_err() {
                        return Err(Refusal::Unreadable("the host is malformed"));
                    }
                }
                // Without its dot a name could have become an address.
                match url.host().map(|host| host.to_owned()) {
                    Some(host) => host,
                    None => return Err(Refusal::Unreadable("it has no host")),
                }
            }
            Some(host) => host,
        };
        let port = url.port_or_known_default().unwrap_or_default();
        note_host(written, &host, &mut notes);
        notes.sort_unstable();
        notes.dedup();
        url.set_fragment(None);
        Ok(Self { url, host, port, notes })
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
        match &self.host {
            Host::Domain(name) => Cow::Borrowed(name),
            Host::Ipv4(four) => Cow::Owned(four.to_string()),
            Host::Ipv6(six) => Cow::Owned(six.to_string()),
        }
    }

    /// The address, where the host is one.
    #[must_use]
    pub const fn address(&self) -> Option<IpAddr> {
        match &self.host {
            Host::Domain(_) => None,
            Host::Ipv4(four) => Some(IpAddr::V4(*four)),
            Host::Ipv6(six) => Some(IpAddr::V6(*six)),
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
            && self.host == other.host
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

/// The text of the host as it is written, without userinfo and port; with the port.
fn written_host(written: &str) -> Option<(&str, Option<&str>)> {
    let trimmed = written.trim_matches(|letter: char| letter <= ' ');
    let (_, rest) = trimmed.split_once(':')?;
    let rest = rest.trim_start_matches(['/', '\\', '\t', '\n', '\r']);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or(rest);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    if host.starts_with('[') {
        let (inner, after) = host.split_once(']')?;
        return Some((inner, after.strip_prefix(':')));
    }
    Some(host.split_once(':').map_or((host, None), |(host, port)| (host, Some(port))))
}

/// What is unusual in the text, whatever the host is.
fn note_text(written: &str, notes: &mut Vec<Note>) {
    let trimmed = written.trim_matches(|letter: char| letter <= ' ');
    if trimmed.len() < written.len() {
        notes.push(Note::SurroundingBlanks);
    }
    if trimmed.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        notes.push(Note::ControlCharacter);
    }
    let Some((_, rest)) = trimmed.split_once(':') else { return };
    let until_path = rest.trim_start_matches(['/', '\\']);
    let slashes = rest.get(..rest.len() - until_path.len()).unwrap_or_default();
    let authority = until_path.split(['/', '?', '#']).next().unwrap_or_default();
    if slashes.contains('\\') || authority.contains('\\') {
        notes.push(Note::Backslash);
    } else if slashes != "//" {
        notes.push(Note::OddSlashes);
    }
}

/// What is unusual in how the host is written.
fn note_host(written: &str, host: &Host<String>, notes: &mut Vec<Note>) {
    let Some((text, port)) = written_host(written) else { return };
    // Most are nothing but plain letters.
    if let Host::Domain(name) = host
        && text.len() == name.len()
        && text.is_ascii()
        && !name.starts_with("xn--")
        && !name.contains(".xn--")
        && text.eq_ignore_ascii_case(name)
    {
        note_port(port, notes);
        note_curl(written, host, notes);
        return;
    }
    if text.ends_with(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}']) {
        notes.push(Note::TrailingDot);
    }
    if text.contains('%') {
        notes.push(Note::PercentInHost);
    }
    if text.chars().any(is_invisible) {
        notes.push(Note::InvisibleCharacter);
    }
    match host {
        Host::Ipv4(_) => note_four(text, notes),
        Host::Ipv6(_) => {}
        Host::Domain(name) => {
            if text.chars().any(is_other_form) {
                notes.push(Note::OtherForms);
            }
            let is_international =
                !text.is_ascii() || name.split('.').any(|label| label.starts_with("xn--"));
            if is_international {
                notes.push(Note::International);
                let (shown, _) = idna::domain_to_unicode(name);
                if homograph::can_be_taken_for_another(&shown) {
                    notes.push(Note::Lookalike);
                }
            }
        }
    }
    note_port(port, notes);
    note_curl(written, host, notes);
}

fn note_port(port: Option<&str>, notes: &mut Vec<Note>) {
    let odd = |port: &str| port.is_empty() || port.len() > 1 && port.starts_with('0');
    if port.is_some_and(odd) {
        notes.push(Note::OddPort);
    }
}

/// Where curl reads another host. What it refuses, it does not connect to.
fn note_curl(written: &str, host: &Host<String>, notes: &mut Vec<Note>) {
    // Nothing that either reads in its own way.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#=&+,;".contains(&byte);
    if notes.is_empty() && written.bytes().all(plain) {
        return;
    }
    let Reading::Host(read) = read_as_curl(written.trim_matches(' ')) else { return };
    let same = match host {
        Host::Domain(name) => {
            let (ascii, shown) = (name.as_str(), idna::domain_to_unicode(name).0);
            read == ascii
                || read == shown
                || idna::domain_to_ascii(&read).is_ok_and(|read| read == ascii)
        }
        // What curl passes on as a name, the functions for names turn into the same digits.
        Host::Ipv4(four) => read == four.to_string() || !read.is_ascii() && !written.contains('@'),
        Host::Ipv6(six) => read == six.to_string(),
    };
    if !same {
        notes.push(Note::CurlDisagrees);
    }
}

fn note_four(text: &str, notes: &mut Vec<Note>) {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '.';
    if !text.chars().all(|letter| is_plain(letter) || letter == '%') {
        notes.push(Note::AddressInOtherCharacters);
        return;
    }
    let parts: Vec<&str> = text.trim_end_matches('.').split('.').collect();
    match parts.len() {
        1 => notes.push(Note::PackedAddress),
        2 | 3 => notes.push(Note::ShortAddress),
        _ => {}
    }
    if parts.iter().any(|part| part.starts_with("0x") || part.starts_with("0X")) {
        notes.push(Note::HexadecimalAddress);
    }
    if parts.iter().any(|part| {
        part.len() > 1 && part.starts_with('0') && part.bytes().all(|byte| byte.is_ascii_digit())
    }) {
        notes.push(Note::OctalAddress);
    }
}

/// Characters that are not drawn, or that change the direction of those around them.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

/// Characters that become plain letters, digits or dots when the name is looked up.
fn is_other_form(letter: char) -> bool {
    matches!(letter, '\u{2070}'..='\u{209c}' | '\u{2100}'..='\u{214f}' | '\u{2460}'..='\u{24ff}' | '\u{3002}'
        | '\u{ff01}'..='\u{ff65}' | '\u{1d400}'..='\u{1d7ff}' | '\u{1f100}'..='\u{1f16f}' | '\u{1fbf0}'..='\u{1fbf9}')
}
