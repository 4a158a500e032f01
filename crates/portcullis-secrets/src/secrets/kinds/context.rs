//! Types without a spelling of their own: they are told by their name or by what stands around them. Owns their words; how
//! they are found, `context` says.

use super::{SecretType, critical, high, medium};

const ENVIRONMENT: &str = "change it, and read it from the environment or a secret store";

/// A password given to something named so.
pub static PASSWORD: SecretType = high("password", "its issuer", "password in plain text", &[])
    .named("password_in_code")
    .suggest(ENVIRONMENT);

/// A password in a connection string or in the address of a database.
pub static CONNECTION_STRING: SecretType =
    high("connection-string", "the database", "password in a connection string", &[])
        .named("connection_string")
        .suggest("change the password, and read the address from DATABASE_URL or a secret store");

/// A password in another address.
pub static URL_CREDENTIALS: SecretType =
    high("url-credentials", "its issuer", "password in an address", &[])
        .named("connection_string")
        .suggest("change it, and give it by a credential helper or a header from the environment");

/// The value of something named a key of an API.
pub static GENERIC_API_KEY: SecretType = medium("generic-api-key", "its issuer", "API key", &[])
    .named("generic_api_key")
    .suggest(ENVIRONMENT);

/// The value of something named a secret, a token or a credential.
pub static GENERIC_SECRET: SecretType =
    medium("generic-secret", "its issuer", "secret or token", &[])
        .named("generic_secret")
        .suggest(ENVIRONMENT);

/// A bearer or other token in an `Authorization` header.
pub static BEARER: SecretType =
    high("authorization-header", "its issuer", "token in an Authorization header", &[])
        .named("generic_secret")
        .suggest(ENVIRONMENT);

/// `user:password` in base64, in an `Authorization` header.
pub static BASIC_AUTH: SecretType =
    high("basic-auth-header", "its issuer", "user and password in an Authorization header", &[])
        .named("password_in_code")
        .suggest(ENVIRONMENT);

/// The value of a cookie header.
pub static COOKIE: SecretType = medium("cookie", "its issuer", "cookie", &[])
    .named("generic_secret")
    .suggest("end the session at its issuer");

/// A private key in PEM or another armour.
pub static PRIVATE_KEY: SecretType =
    critical("private-key", "its owner", "private key", &[]).named("private_key").suggest(
        "make a new key, withdraw the old one wherever it is trusted, and keep it in a key store",
    );

/// The words that a wallet is restored from.
pub static SEED_PHRASE: SecretType =
    critical("seed-phrase", "its owner", "recovery phrase of a wallet (BIP-39)", &[])
        .suggest("move the funds to a new wallet at once");

/// A Google service account's key file.
pub static SERVICE_ACCOUNT: SecretType =
    critical("gcp-service-account", "Google", "Google service account key", &[])
        .named("private_key")
        .suggest(
            "delete the key in IAM and use workload identity, or a key file outside of the tree",
        );

/// A private key as a JSON web key.
pub static JWK: SecretType = critical("json-web-key", "its owner", "private JSON web key", &[])
    .named("private_key")
    .suggest("make a new key, and publish only its public half");

/// A value in the data of a Kubernetes Secret.
pub static KUBERNETES_SECRET: SecretType =
    high("kubernetes-secret", "its issuer", "value of a Kubernetes Secret", &[])
        .suggest("keep secrets in an external store or sealed, not in a manifest");

/// A value that the caller named as secret.
pub static KNOWN: SecretType =
    critical("known-secret", "its issuer", "value known to be secret", &[])
        .named("known_secret")
        .suggest(ENVIRONMENT);

/// All of them.
pub(super) static TYPES: &[&SecretType] = &[
    &PASSWORD,
    &CONNECTION_STRING,
    &URL_CREDENTIALS,
    &GENERIC_API_KEY,
    &GENERIC_SECRET,
    &BEARER,
    &BASIC_AUTH,
    &COOKIE,
    &PRIVATE_KEY,
    &JWK,
    &SEED_PHRASE,
    &SERVICE_ACCOUNT,
    &KUBERNETES_SECRET,
    &KNOWN,
];
