//! A URL as the rules look at it: its parts, and what they give away. Owns how each is cut out and what is found in it.

use super::super::{
    Scene,
    hosts::{self, HostKind},
};
use crate::{
    Span,
    action::ActionKind,
    address::host_of,
    effect::{Effect, EffectKind},
    facts::Facts,
    place::{self, Place},
    risk::Severity,
    secrets,
};

/// Services that answer whoever reaches them: container engines, clusters, stores, debuggers, logins.
const INNER_PORTS: &[&str] = &[
    "22", "23", "25", "111", "135", "139", "389", "445", "873", "1433", "1521", "2049", "2375",
    "2376", "2377", "2379", "2380", "3306", "3389", "4243", "4646", "5432", "5900", "5984", "5985",
    "6379", "6443", "7001", "8200", "8300", "8500", "9222", "9229", "10250", "10255", "10256",
    "11211", "27017", "50070",
];

/// Ports of container engines and clusters, whose very answer is a way in, wherever they are.
const ENGINE_PORTS: &[&str] = &["2375", "2376", "4243", "10250", "10255"];

/// Bins and channels for whatever is sent there, even as the path of a plain request.
const COLLECTORS: &[&str] = &[
    "burpcollaborator.net",
    "canarytokens.com",
    "dnslog.cn",
    "hookb.in",
    "hookbin.com",
    "interact.sh",
    "interactsh.com",
    "mockbin.org",
    "oast.fun",
    "oast.live",
    "oast.me",
    "oast.online",
    "oast.pro",
    "oast.site",
    "oastify.com",
    "beeceptor.com",
    "pipedream.net",
    "ptsv2.com",
    "ptsv3.com",
    "request.bin",
    "requestbin.com",
    "requestbin.net",
    "requestcatcher.com",
    "requestrepo.com",
    "typedwebhook.tools",
    "webhook.cool",
    "webhook.site",
];

/// What is run, or holds what is run.
const CODE: &[&str] = &[
    "sh", "bash", "py", "pl", "rb", "js", "ps1", "bat", "cmd", "vbs", "hta", "exe", "msi", "dll",
    "so", "elf", "bin", "run", "deb", "rpm", "apk", "jar", "war", "whl", "pkg", "dmg", "php",
    "lua", "scr", "gz", "tgz", "zip", "arm", "arm5", "arm6", "arm7", "mips", "mpsl", "x86",
    "x86_64",
];

/// Parameters in which services hand out an encoded place in their own lists.
const OWN_PARAMETERS: &[&str] = &[
    "after",
    "before",
    "bookmark",
    "continuation",
    "continuationtoken",
    "cursor",
    "next",
    "next_token",
    "nexttoken",
    "page",
    "page_token",
    "pagetoken",
    "skiptoken",
    "start",
    "state",
];

/// Parameters that name what nobody puts in an address for its own service.
const SECRET_PARAMETERS: &[&str] = &[
    "aws_access_key_id",
    "aws_secret_access_key",
    "cookie",
    "credentials",
    "database_url",
    "id_rsa",
    "pass",
    "passwd",
    "password",
    "private_key",
    "privatekey",
    "secret",
    "secret_key",
    "ssh_key",
];

/// The shortest encoded data that is worth a question; shorter ones are names.
const ENCODED_LEAST: usize = 20;

/// The shortest label of a name that nobody gives to a machine.
const LABEL_LEAST: usize = 40;

/// One address, as its tool was given it.
pub(super) struct Url {
    /// Without what readers of addresses drop: blanks and control characters around and within.
    pub(super) text: String,
}

impl Url {
    /// The address of a connection that a tool for fetching makes.
    pub(super) fn of(effect: &Effect, scene: &Scene<'_>) -> Option<Self> {
        let EffectKind::Connect(connection) = &effect.kind else { return None };
        let url = match &scene.action.kind {
            ActionKind::Http { url, .. } => url,
            // Of the connections of an unknown tool, those that are an argument of its own.
            ActionKind::Tool => {
                let whole = scene.effects.layer_text(effect.at.layer).len();
                let is_argument = effect.at.span == Span::new(0, whole) && !connection.listens;
                connection.address.as_known().filter(|_| is_argument)?
            }
            _ => return None,
        };
        let text =
            url.trim().chars().filter(|letter| !matches!(letter, '\t' | '\n' | '\r')).collect();
        Some(Self { text })
    }

    /// The scheme in lower case; empty where none is written.
    pub(super) fn scheme(&self) -> &str {
        let Some((scheme, rest)) = self.text.split_once(':') else { return "" };
        let named = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-'));
        let is_port = rest.starts_with(|first: char| first.is_ascii_digit());
        if !named || is_port && !rest.starts_with("//") {
            return "";
        }
        SCHEMES
            .iter()
            .find(|known| known.eq_ignore_ascii_case(scheme))
            .copied()
            .unwrap_or("another")
    }

    fn rest(&self) -> &str {
        match self.text.split_once("://") {
            Some((_, rest)) => rest,
            None => self
                .text
                .split_once(':')
                .filter(|_| !self.scheme().is_empty())
                .map_or(&self.text, |(_, rest)| rest),
        }
    }

    /// Everything before the path.
    fn authority(&self) -> &str {
        let rest = self.rest();
        rest.split(['/', '?', '#']).next().unwrap_or(rest)
    }

    fn path(&self) -> &str {
        let rest = self.rest();
        rest.get(self.authority().len()..).unwrap_or("")
    }

    fn host(&self) -> String {
        host_of(&self.text).unwrap_or_default()
    }

    fn port(&self) -> &str {
        match self.authority().rsplit_once(':') {
            Some((_, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => port,
            _ => "",
        }
    }

    pub(super) fn kind(&self) -> HostKind {
        hosts::kind(&self.host())
    }

    pub(super) fn is_own_file(&self, facts: &Facts) -> bool {
        let path = self.rest();
        let path = path.strip_prefix("localhost").unwrap_or(path);
        let place = place::place(path, facts);
        place.is_workspace()
            || matches!(place, Place::Temporary | Place::Artifact | Place::Harmless)
    }

    /// Pictures and plain text are data; pages, scripts and programs are not.
    pub(super) fn carries_plain_data(&self) -> bool {
        let kind = self.rest().to_ascii_lowercase();
        (kind.starts_with("image/") && !kind.starts_with("image/svg"))
            || kind.starts_with("text/plain")
            || kind.starts_with(',')
    }

    pub(super) fn has_userinfo(&self) -> bool {
        let authority = self.authority();
        self.text.contains("://") && (authority.contains('@') || authority.contains('\\'))
    }

    pub(super) fn looks_like_another(&self) -> bool {
        let authority = self.authority();
        let host = authority.rsplit('@').next().unwrap_or(authority);
        if host.contains('%') && !host.starts_with('[') || self.text.contains('\u{200b}') {
            return true;
        }
        host.split(['.', ':']).any(|label| {
            let foreign = label.chars().any(is_confusable);
            let latin = label.chars().any(|letter| letter.is_ascii_alphabetic());
            let hidden = label.chars().any(is_never_in_a_name);
            let punycode = label.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--"));
            hidden || punycode || foreign && latin
        }) || host.chars().any(is_confusable)
            && host.rsplit('.').next().is_some_and(|top| top.is_ascii())
    }

    /// How grave it is that the host is inside; `None` where it is not, or is what people test their own work on.
    pub(super) fn inside(&self) -> Option<Severity> {
        let host = self.host();
        let port = self.port();
        let cluster = host == "kubernetes" && self.path().starts_with("/api");
        if cluster
            || host.starts_with("kubernetes.default")
            || host.ends_with(".cluster.local")
            || ENGINE_PORTS.contains(&port)
        {
            return Some(Severity::High);
        }
        let plain = matches!(
            host.as_str(),
            "localhost" | "127.0.0.1" | "::1" | "[::1]" | "host.docker.internal"
        );
        if host.bytes().all(|byte| byte == b'0') && !host.is_empty() {
            return Some(Severity::High);
        }
        match hosts::kind(&host) {
            HostKind::Local if plain && !INNER_PORTS.contains(&port) => None,
            HostKind::Local => Some(Severity::High),
            HostKind::Private
                if host.contains('.') && host.parse::<std::net::Ipv4Addr>().is_err() =>
            {
                INNER_PORTS.contains(&port).then_some(Severity::High).or(Some(Severity::Medium))
            }
            HostKind::Private if !host.contains(['.', ':']) && !INNER_PORTS.contains(&port) => {
                Some(Severity::Medium)
            }
            HostKind::Private => Some(Severity::High),
            _ => None,
        }
    }

    pub(super) fn names_code(&self) -> bool {
        let path = self.path().split(['?', '#']).next().unwrap_or("");
        path.rsplit_once('.').is_some_and(|(_, extension)| {
            CODE.iter().any(|known| known.eq_ignore_ascii_case(extension))
        })
    }

    fn parameters(&self) -> impl Iterator<Item = (&str, &str)> {
        let query = self.text.split_once('?').map_or("", |(_, query)| query);
        query.split(['&', '#', ';']).map(|pair| pair.split_once('=').unwrap_or(("", pair)))
    }

    pub(super) fn carries_data(&self) -> bool {
        let label = self.host().split('.').any(|label| {
            label.len() >= LABEL_LEAST && label.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
        label
            || self.parameters().any(|(name, value)| {
                let own = OWN_PARAMETERS.iter().any(|known| known.eq_ignore_ascii_case(name));
                let secret = !value.is_empty()
                    && SECRET_PARAMETERS.iter().any(|known| known.eq_ignore_ascii_case(name));
                secret
                    || holds_key(value)
                    || secrets::holds_token(value)
                    || !own && is_encoded_text(value)
            })
            || self.path().split(['/', '?']).any(secrets::holds_token)
    }

    pub(super) fn attacks_the_host(&self) -> bool {
        let after = unescaped(self.path()).to_ascii_lowercase();
        let climbs = after.matches("../").count() >= 3 || after.contains("..\\..\\");
        let inner = self.parameters().any(|(_, value)| {
            let value = unescaped(value).to_ascii_lowercase();
            let system = ["/etc/", "/proc/", "/root/", "file:", "gopher:", "dict:", "php:"]
                .iter()
                .any(|start| value.starts_with(start));
            let fetches = value.starts_with("http://") || value.starts_with("https://");
            let inside = fetches
                && host_of(&value).is_some_and(|host| {
                    matches!(hosts::kind(&host), HostKind::Metadata) || hosts::is_disguised(&host)
                });
            system || inside
        });
        climbs || inner || after.contains("\r\n") || after.contains('\0')
    }

    pub(super) fn collects(&self) -> bool {
        let host = self.host();
        let bin = COLLECTORS.iter().any(|name| {
            host.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
        });
        let drop = hosts::kind(&host) == HostKind::Drop;
        let telegram = host == "api.telegram.org" && self.path().starts_with("/bot");
        bin || telegram || hosts::is_webhook(&self.text) || drop && self.text.contains('?')
    }
}

/// Schemes by name, so that a scheme can be compared whatever its letters' case.
const SCHEMES: &[&str] = &["http", "https", "ws", "wss", "file", "data"];

/// Letters of scripts that have twins among the Latin ones.
fn is_confusable(letter: char) -> bool {
    matches!(letter, '\u{370}'..='\u{58f}' | '\u{13a0}'..='\u{13ff}' | '\u{1d00}'..='\u{1d7f}')
}

/// Characters that become others or nothing when the name is looked up.
fn is_never_in_a_name(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2044}' | '\u{2060}'..='\u{206f}'
        | '\u{2215}' | '\u{2460}'..='\u{24ff}' | '\u{3002}' | '\u{feff}' | '\u{ff01}'..='\u{ff65}' | '\u{1d400}'..='\u{1d7ff}')
}

/// Whether a value is a private key, or a setting whose name says that it is secret.
fn holds_key(value: &str) -> bool {
    let value = unescaped(value);
    let named = value.split_once('=').is_some_and(|(name, given)| {
        let name = name.to_ascii_uppercase();
        !given.is_empty()
            && ["SECRET", "PASSWORD", "TOKEN", "PRIVATE"].iter().any(|word| name.contains(word))
    });
    named || value.contains("PRIVATE KEY-----") || value.contains("root:x:0:0")
}

/// Whether a value is text in base64 or hexadecimal.
fn is_encoded_text(value: &str) -> bool {
    let value = unescaped(value);
    let bare = value.trim_end_matches('=');
    if bare.len() < ENCODED_LEAST
        || !bare
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_'))
    {
        return false;
    }
    let reads = |bytes: Vec<u8>| {
        bytes.iter().all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~'))
    };
    let plain = bare.replace('-', "+").replace('_', "/");
    data_encoding::HEXLOWER_PERMISSIVE.decode(bare.as_bytes()).is_ok_and(reads)
        || data_encoding::BASE64_NOPAD.decode(plain.as_bytes()).is_ok_and(reads)
}

/// Without `%xx`, twice at most: nested escapes hide one more.
fn unescaped(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..2 {
        if !bytes.contains(&b'%') {
            break;
        }
        let mut plain = Vec::with_capacity(bytes.len());
        let mut rest = bytes.as_slice();
        while let Some((first, after)) = rest.split_first() {
            let byte = (*first == b'%')
                .then(|| {
                    data_encoding::HEXLOWER_PERMISSIVE
                        .decode(after.get(..2)?)
                        .ok()?
                        .first()
                        .copied()
                })
                .flatten();
            plain.push(byte.unwrap_or(*first));
            rest = if byte.is_some() { after.get(2..).unwrap_or_default() } else { after };
        }
        bytes = plain;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
