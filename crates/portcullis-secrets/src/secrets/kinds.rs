//! The types of secrets: what each looks like, how bad it is and what to do about it. Owns the shape of a row and the
//! list of the tables; a type is one row in one of them, and nothing else has to know of it.
//!
//! Formats are facts from the vendors' documentation. A row whose spelling is distinctive needs no keyword; one that could be
//! any text of its length has keywords, and counts only as the value of something that is named after its vendor.

use crate::risk::Severity;

mod cloud;
mod context;
mod data;
mod delivery;
mod documented;
mod finance;
mod messages;
mod models;
mod named;
mod services;

pub use context::{
    BASIC_AUTH, BEARER, CONNECTION_STRING, COOKIE, GENERIC_API_KEY, GENERIC_SECRET, JWK, KNOWN,
    KUBERNETES_SECRET, PASSWORD, PRIVATE_KEY, SEED_PHRASE, SERVICE_ACCOUNT, URL_CREDENTIALS,
};

pub(super) use finance::BITCOIN_KEY;
pub(super) use messages::DISCORD_BOT;

/// A check that a text of the right spelling must pass, or that says more about it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Check {
    /// The spelling is all there is to know.
    Spelling,
    /// The last six of the body are the CRC-32 of what stands before them, in base 62 (GitHub, npm).
    Crc32Base62,
    /// The eight hexadecimal digits at the end are the CRC-32 of what stands before the last `_` (Grafana).
    Crc32Hex,
    /// The last eight characters are a checksum in capital hexadecimal digits (Bitbucket, Atlassian).
    UpperHexTail,
    /// Base 32 after four letters; the account's number is inside (AWS).
    AwsKeyId,
    /// Three parts of base64url of which the first is a JSON object with `alg`.
    JsonWebToken,
    /// Base64 of so many bytes.
    Base64Bytes(usize),
    /// Base64 of a JSON web token.
    EncodedWebToken,
    /// The first part is base64 of a number of 17 to 20 digits (Discord).
    Snowflake,
    /// Bech32 with its checksum (age).
    Bech32,
    /// Base58 with its checksum: the first four bytes of a double SHA-256 (Bitcoin).
    Base58Check,
    /// A DER or OpenSSH key in base64.
    Pem,
    /// `user:password` in base64.
    BasicAuth,
    /// Letters that are not all of one case, or digits: no word.
    Mixed,
}

impl Check {
    /// Whether a text that fails is something else, and not a mistyped secret.
    ///
    /// A checksum of one vendor's tokens says little when it is wrong: forms change, and people cut tokens short.
    #[must_use]
    pub const fn must_hold(self) -> bool {
        matches!(
            self,
            Self::Bech32
                | Self::Base58Check
                | Self::Snowflake
                | Self::JsonWebToken
                | Self::AwsKeyId
        )
    }
}

/// One type of secret.
#[derive(Clone, Copy, Debug)]
pub struct SecretType {
    /// The rule's identifier, unique: `github-pat`.
    pub id: &'static str,
    /// The type as it is reported: `github_token`. Several rules may report one type.
    pub name: &'static str,
    /// Who issues it.
    pub vendor: &'static str,
    /// What it is, in a few words.
    pub description: &'static str,
    /// How bad it is when it is out.
    pub severity: Severity,
    /// Its spellings, in the notation of the detector's formats.
    pub formats: &'static [&'static str],
    /// Words of the vendor, in lower case. Where there are some, only a value named by one of them counts.
    pub keywords: &'static [&'static str],
    /// What it must pass besides.
    pub check: Check,
    /// The least entropy in tenths of a bit for each character.
    pub entropy: u8,
    /// What to do about it, where it is not to revoke it at its vendor.
    pub suggestion: &'static str,
    /// Texts that resemble it and are none of it.
    pub near_misses: &'static [&'static str],
}

impl SecretType {
    const fn new(
        severity: Severity,
        id: &'static str,
        vendor: &'static str,
        description: &'static str,
        formats: &'static [&'static str],
    ) -> Self {
        Self {
            id,
            name: id,
            vendor,
            description,
            severity,
            formats,
            keywords: &[],
            check: Check::Spelling,
            entropy: 25,
            suggestion: "",
            near_misses: &[],
        }
    }

    /// The type's name in reports.
    const fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    const fn keywords(mut self, keywords: &'static [&'static str]) -> Self {
        self.keywords = keywords;
        self
    }

    const fn check(mut self, check: Check) -> Self {
        self.check = check;
        self
    }

    /// In tenths of a bit for each character.
    const fn entropy(mut self, entropy: u8) -> Self {
        self.entropy = entropy;
        self
    }

    const fn suggest(mut self, suggestion: &'static str) -> Self {
        self.suggestion = suggestion;
        self
    }

    const fn near(mut self, near_misses: &'static [&'static str]) -> Self {
        self.near_misses = near_misses;
        self
    }

    /// What to do about one that was found.
    #[must_use]
    pub fn suggestion(&self) -> String {
        if !self.suggestion.is_empty() {
            return self.suggestion.to_owned();
        }
        format!(
            "revoke it at {}, issue a new one, and read that from the environment or a secret store",
            self.vendor
        )
    }
}

/// A type whose spelling is enough, of a given severity.
const fn critical(
    id: &'static str,
    vendor: &'static str,
    description: &'static str,
    formats: &'static [&'static str],
) -> SecretType {
    SecretType::new(Severity::Critical, id, vendor, description, formats)
}

const fn high(
    id: &'static str,
    vendor: &'static str,
    description: &'static str,
    formats: &'static [&'static str],
) -> SecretType {
    SecretType::new(Severity::High, id, vendor, description, formats)
}

const fn medium(
    id: &'static str,
    vendor: &'static str,
    description: &'static str,
    formats: &'static [&'static str],
) -> SecretType {
    SecretType::new(Severity::Medium, id, vendor, description, formats)
}

/// Every table, the documented families first. Where two types claim the same text, the earlier one wins.
pub(super) const TABLES: &[&[SecretType]] = &[
    documented::TYPES,
    cloud::TYPES,
    delivery::TYPES,
    data::TYPES,
    models::TYPES,
    messages::TYPES,
    finance::TYPES,
    services::TYPES,
    named::TYPES,
];

/// Every type with a spelling, in the order of the tables.
pub fn all() -> impl Iterator<Item = &'static SecretType> {
    TABLES.iter().flat_map(|table| table.iter())
}

/// Types that are told by their name or by what stands around them.
pub fn contextual() -> impl Iterator<Item = &'static SecretType> {
    context::TYPES.iter().copied()
}
