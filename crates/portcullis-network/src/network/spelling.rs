//! How a URL is written. Owns the cutting of its text by hand, and which spellings are worth a note or are disguises; where a URL
//! leads is never read from here, but from what the parser made of it.

use idna::punycode;
use smallvec::SmallVec;
use url::Host;

use super::{
    curl::{Heard, hear, until},
    homograph,
};

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

/// The notes on one URL; few have any.
pub(super) type Notes = SmallVec<[Note; 8]>;

/// What bytes there are in a text, so that most questions about it need not be asked.
type Bytes = u8;

/// A tab, a line's end or another control character.
const CONTROL: Bytes = 1;
const BACKSLASH: Bytes = 2;
const PERCENT: Bytes = 4;
const FOREIGN: Bytes = 8;
/// Whatever browsers and curl could cut in their own ways: all but letters, digits and the plainest signs.
const ODD: Bytes = 16;

static BYTES: [Bytes; 256] = bytes();

#[expect(
    clippy::indexing_slicing,
    reason = "a byte has 256 values, and this runs when the program is built"
)]
const fn bytes() -> [Bytes; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        table[byte] = match byte as u8 {
            0..=0x1f | 0x7f => CONTROL | ODD,
            b'\\' => BACKSLASH | ODD,
            b'%' => PERCENT | ODD,
            0x80.. => FOREIGN,
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => 0,
            b'-' | b'.' | b'_' | b'~' | b':' | b'/' | b'?' | b'#' | b'=' | b'&' | b'+' | b','
            | b';' => 0,
            _ => ODD,
        };
        byte += 1;
    }
    table
}

/// The text of a URL.
pub(super) struct Spelling<'a> {
    written: &'a str,
    /// Without blanks around it.
    trimmed: &'a str,
    has: Bytes,
}

impl<'a> Spelling<'a> {
    pub(super) fn new(written: &'a str) -> Self {
        let trimmed = written.trim_matches(|letter: char| letter <= ' ');
        let kind = |byte: u8| BYTES.get(usize::from(byte)).copied().unwrap_or(ODD);
        let has = trimmed.bytes().fold(0, |has, byte| has | kind(byte));
        Self { written, trimmed, has }
    }

    const fn has(&self, bytes: Bytes) -> bool {
        self.has & bytes != 0
    }

    /// What is unusual in the text, whatever the host is.
    pub(super) fn note_text(&self, notes: &mut Notes) {
        if self.trimmed.len() < self.written.len() {
            notes.push(Note::SurroundingBlanks);
        }
        if self.has(CONTROL) {
            notes.push(Note::ControlCharacter);
        }
        let Some(rest) = after_scheme(self.trimmed) else { return };
        let slashes = until(rest, |byte| byte != b'/' && byte != b'\\');
        let is_backslashed = self.has(BACKSLASH) && {
            let behind = rest.get(slashes.len()..).unwrap_or_default();
            slashes.contains('\\') || until(behind, ends_authority).contains('\\')
        };
        if is_backslashed {
            notes.push(Note::Backslash);
        } else if slashes != "//" {
            notes.push(Note::OddSlashes);
        }
    }

    /// The text of the host as it is written, without userinfo and port; with the port.
    fn host(&self) -> Option<(&'a str, Option<&'a str>)> {
        let rest = after_scheme(self.trimmed)?;
        let slashes = until(rest, |byte| !b"/\\\t\n\r".contains(&byte));
        let rest = rest.get(slashes.len()..)?;
        let authority = until(rest, |byte| ends_authority(byte) || byte == b'\\');
        let host = if self.has(ODD) {
            authority.rsplit_once('@').map_or(authority, |(_, host)| host)
        } else {
            authority
        };
        if host.starts_with('[') {
            let (inner, after) = host.split_once(']')?;
            return Some((inner, after.strip_prefix(':')));
        }
        let name = until(host, |byte| byte == b':');
        Some((name, host.get(name.len() + 1..)))
    }

    /// What is unusual in how the host is written.
    pub(super) fn note_host(&self, host: &Host<&str>, notes: &mut Notes) {
        let Some((text, port)) = self.host() else { return };
        let mut shown = None;
        let is_plain = |name: &str| {
            text.len() == name.len() && !is_punycode(name) && text.eq_ignore_ascii_case(name)
        };
        // Most are nothing but plain letters.
        if !matches!(host, Host::Domain(name) if is_plain(name)) {
            if text.ends_with(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}']) {
                notes.push(Note::TrailingDot);
            }
            if self.has(PERCENT) && text.contains('%') {
                notes.push(Note::PercentInHost);
            }
            if self.has(FOREIGN) && text.chars().any(is_invisible) {
                notes.push(Note::InvisibleCharacter);
            }
            match host {
                Host::Ipv4(_) => note_four(text, notes),
                Host::Ipv6(_) => {}
                Host::Domain(name) => {
                    if self.has(FOREIGN) && text.chars().any(is_other_form) {
                        notes.push(Note::OtherForms);
                    }
                    if !text.is_ascii() || is_punycode(name) {
                        notes.push(Note::International);
                        let shown = shown.insert(in_letters(name));
                        if homograph::can_be_taken_for_another(shown) {
                            notes.push(Note::Lookalike);
                        }
                    }
                }
            }
        }
        let is_odd = |port: &str| port.is_empty() || port.len() > 1 && port.starts_with('0');
        if port.is_some_and(is_odd) {
            notes.push(Note::OddPort);
        }
        // Where curl reads another host. What it refuses, it does not connect to.
        let is_of_letters =
            |note: &Note| matches!(note, Note::International | Note::Lookalike | Note::OtherForms);
        if self.has(ODD) || !notes.iter().all(is_of_letters) {
            let heard = hear(self.written.trim_matches(' '));
            let is_alone = !self.trimmed.contains('@');
            if !is_same(&heard, host, shown.as_deref(), is_alone) {
                notes.push(Note::CurlDisagrees);
            }
        }
    }
}

/// Whether curl connects to the same host, if to any. `shown` is the host in the letters of people; `is_alone` says that nothing
/// can stand before it.
fn is_same(heard: &Heard<'_>, host: &Host<&str>, shown: Option<&str>, is_alone: bool) -> bool {
    match (heard, host) {
        (Heard::Refused, _) => true,
        (Heard::Six(heard), Host::Ipv6(six)) => heard == six,
        (Heard::Four(heard), Host::Ipv4(four)) => heard == four,
        (Heard::Name(name), Host::Domain(ascii)) => {
            let name = name.trim_end_matches('.');
            if name.is_ascii() {
                return name.eq_ignore_ascii_case(ascii);
            }
            let is_shown = |name: &str| shown == Some(name);
            is_shown(name) || {
                let lower = name.to_lowercase();
                is_shown(&lower) || idna::domain_to_ascii(&lower).is_ok_and(|name| name == *ascii)
            }
        }
        // What curl passes on as a name, the functions for names turn into the same digits.
        (Heard::Name(name), Host::Ipv4(four)) => {
            let name = name.trim_end_matches('.');
            is_alone && !name.is_ascii() || name.parse() == Ok(*four)
        }
        _ => false,
    }
}

/// What stands behind the first colon.
fn after_scheme(text: &str) -> Option<&str> {
    text.get(until(text, |byte| byte == b':').len() + 1..)
}

const fn ends_authority(byte: u8) -> bool {
    matches!(byte, b'/' | b'?' | b'#')
}

/// Whether a name has a label in letters that are not of ASCII.
fn is_punycode(name: &str) -> bool {
    name.as_bytes().split(|byte| *byte == b'.').any(|label| label.starts_with(b"xn--"))
}

/// A name that the parser of URLs gave, in the letters of people.
fn in_letters(name: &str) -> String {
    let mut shown = String::with_capacity(name.len());
    for (index, label) in name.split('.').enumerate() {
        if index > 0 {
            shown.push('.');
        }
        match label.strip_prefix("xn--").and_then(punycode::decode_to_string) {
            Some(letters) => shown.push_str(&letters),
            None => shown.push_str(label),
        }
    }
    shown
}

fn note_four(text: &str, notes: &mut Notes) {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '.';
    if !text.chars().all(|letter| is_plain(letter) || letter == '%') {
        notes.push(Note::AddressInOtherCharacters);
        return;
    }
    let parts: SmallVec<[&str; 8]> = text.trim_end_matches('.').split('.').collect();
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
