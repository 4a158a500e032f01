//! Secrets of frameworks and programs, which no vendor can revoke.

use super::{Check::*, SecretType, critical, high, medium};

const OWN: &str = "make a new one and read it from the environment or a secret store";

pub(super) const TYPES: &[SecretType] = &[
    critical(
        "django-secret-key",
        "the application",
        "Django secret key",
        &["django-insecure-<s50>"],
    )
    .suggest(OWN)
    .entropy(35),
    critical("laravel-app-key", "the application", "Laravel application key", &["base64:<b43>="])
        .check(Base64Bytes(32))
        .suggest(OWN)
        .entropy(35),
    critical("rails-master-key", "the application", "Rails master key", &["<h32>"])
        .keywords(&["rails_master", "master_key", "master-key"])
        .suggest(OWN)
        .entropy(28),
    critical(
        "npmrc-auth",
        "the package registry",
        "npm registry credential",
        &["_auth={<b8-400><=0-2>", "_password={<b8-400><=0-2>", "_authToken={<k20-400>"],
    )
    .check(Mixed)
    .entropy(28),
    critical(
        "docker-auth",
        "the container registry",
        "container registry credential",
        &["\"auth\": \"{<b12-400><=0-2>", "\"auth\":\"{<b12-400><=0-2>"],
    )
    .check(BasicAuth)
    .entropy(25),
    high("jenkins-token", "Jenkins", "Jenkins API token", &["11<h32>"])
        .keywords(&["jenkins"])
        .entropy(28),
    high("wordpress-salt", "the application", "WordPress key or salt", &["<s64>"])
        .keywords(&[
            "auth_key",
            "auth_salt",
            "logged_in_key",
            "logged_in_salt",
            "nonce_key",
            "nonce_salt",
        ])
        .suggest(OWN)
        .entropy(40),
    high("symfony-secret", "the application", "Symfony secret", &["<h32>"])
        .keywords(&["app_secret"])
        .suggest(OWN)
        .entropy(28),
    high(
        "gpg-passphrase-cache",
        "its owner",
        "age-plugin identity",
        &["AGE-PLUGIN-<A3-20>-1<z20-200>"],
    )
    .entropy(30)
    .suggest(OWN),
    medium(
        "password-hash",
        "its owner",
        "password hash",
        &[
            "$1$<C20-80>",
            "$5$<C30-120>",
            "$6$<C40-200>",
            "$y$<C40-200>",
            "$7$<C40-200>",
            "$apr1$<C20-60>",
            "$2a$<d2>$<c53>",
            "$2b$<d2>$<c53>",
            "$2y$<d2>$<c53>",
            "$argon2<C30-300>",
            "{SSHA}<B28-100>",
            "pbkdf2_sha256$<d4-7>$<w8-32>$<B44>",
        ],
    )
    .entropy(30)
    .suggest("change the password, since hashes can be tried offline, and keep the file private"),
    high(
        "sealed-cookie",
        "its issuer",
        "session cookie of a browser",
        &["__Secure-next-auth.session-token={<t40+>", "connect.sid={s%3A<P30-120>.<P30-120>"],
    )
    .entropy(30)
    .suggest("end the session at its issuer"),
];
