//! Where a gateway keeps what counts, and whom it tells what it does: the `[serve]` table. Owns its words; how a database is connected to, `audit` knows.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::{
    cedar::{Cedar, CedarTable, cedar_of},
    error::Misreading,
    telemetry::{Telemetry, TelemetryTable, telemetry_of},
};

/// Where `serve` keeps the record, requests and tokens, where many gateways share them.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ServeTable {
    /// A database of PostgreSQL: `postgres://role@host/name`. It holds no password.
    pub database: Option<String>,
    /// The file with the password, absolute; by default it stands in `PORTCULLIS_DATABASE_PASSWORD` or `PGPASSWORD`.
    #[schemars(with = "Option<PathBuf>")]
    pub password: Option<Spanned<PathBuf>>,
    /// What this gateway is called there; the name of the machine by default.
    pub name: Option<String>,
    /// Where people reach it, also behind a proxy and with a path: `https://tools.example/gate/`.
    pub url: Option<String>,
    /// What a collector of OpenTelemetry is told.
    pub telemetry: Option<TelemetryTable>,
    /// An organisation's own policies in Cedar, over every call that is judged here.
    pub cedar: Option<CedarTable>,
}

/// Where a gateway keeps what counts, and whom it tells what it does.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Serve {
    /// The database.
    pub database: Option<String>,
    /// The file with its password.
    pub password: Option<PathBuf>,
    /// The gateway's name.
    pub name: Option<String>,
    /// Where people reach it.
    pub url: Option<String>,
    /// What a collector is told.
    pub telemetry: Option<Telemetry>,
    /// Policies in Cedar.
    pub cedar: Option<Cedar>,
}

impl Serve {
    /// It in words.
    pub(super) fn words(&self) -> String {
        let Self { database, password, name, url, telemetry, cedar } = self;
        let named =
            |what: &str, value: Option<String>| value.map(|value| format!("{what} {value}"));
        let password = password.as_ref().map(|path| path.display().to_string());
        let parts = [
            database.clone(),
            named("password in", password),
            named("as", name.clone()),
            named("at", url.clone()),
            named("telemetry", telemetry.as_ref().map(Telemetry::words)),
            named("cedar", cedar.as_ref().map(Cedar::words)),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

pub(super) fn serve_of(table: &Spanned<ServeTable>) -> Result<Serve, Misreading> {
    let ServeTable { database, password, name, url, telemetry, cedar } = table.get_ref();
    if let Some(path) = password.as_ref().filter(|path| !path.get_ref().is_absolute()) {
        let message = format!("`{}` is not an absolute path", path.get_ref().display());
        return Err(Misreading::new(path.span(), message)
            .with_help("a relative path would name another file in each directory"));
    }
    Ok(Serve {
        database: database.clone(),
        password: password.as_ref().map(|path| path.get_ref().clone()),
        name: name.clone(),
        url: url.clone(),
        telemetry: telemetry.as_ref().map(telemetry_of).transpose()?,
        cedar: cedar.as_ref().map(cedar_of).transpose()?,
    })
}
