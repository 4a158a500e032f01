//! Names of variables that say what they hold is secret. Owns the words; it knows nothing else, so that everybody may ask it.

/// Whether a variable's name says that it holds a secret.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    [
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "API_KEY",
        "APIKEY",
        "ACCESS_KEY",
        "PRIVATE_KEY",
        "CREDENTIAL",
        "PASSPHRASE",
    ]
    .iter()
    .any(|word| name.contains(word))
        || name.ends_with("_KEY")
        || name.ends_with("_PASS")
        || name.ends_with("_PW")
        || holds_login(&name)
}

/// Whether a variable of this name, in capitals, holds the address of a service with the password in it.
pub(crate) fn holds_login(name: &str) -> bool {
    const SERVICES: &[&str] = &[
        "AMQP",
        "DATABASE",
        "DB",
        "MONGO",
        "MONGODB",
        "MYSQL",
        "PG",
        "POSTGRES",
        "POSTGRESQL",
        "REDIS",
    ];
    name.ends_with("_DSN")
        || name.contains("CONNECTION_STRING")
        || name.rsplit_once('_').is_some_and(|(before, last)| {
            matches!(last, "URL" | "URI")
                && before.rsplit('_').next().is_some_and(|word| SERVICES.contains(&word))
        })
}
