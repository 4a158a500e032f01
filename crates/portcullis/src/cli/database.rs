//! A database that gateways share, as it is named on the command line. Owns the options; how it is connected to, [`crate::audit`] knows.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, builder::ValueParser};

use super::Failure;
use crate::{approvals::Source, config::Serve, platform};

/// Which database.
pub(super) fn options() -> [Arg; 2] {
    [
        Arg::new("database").long("database").value_name("URL").help(
            "The database that gateways share: `postgres://role@host/name`, with `?sslmode=` disable, require or verify-full",
        ),
        Arg::new("database-password")
            .long("database-password")
            .value_name("FILE")
            .value_parser(ValueParser::path_buf())
            .requires("database")
            .help("The file with its password; else `PORTCULLIS_DATABASE_PASSWORD` or `PGPASSWORD` has it"),
    ]
}

/// Where what counts is kept, where that is a database: as the options say, else as the configuration does.
pub(super) fn source(
    matches: &ArgMatches,
    configured: &Serve,
    state: &Path,
    name: Option<&str>,
) -> Result<Option<Source>, Failure> {
    let given = matches.get_one::<String>("database");
    let file = match given {
        Some(_) => matches.get_one::<PathBuf>("database-password"),
        None => configured.password.as_ref(),
    };
    let Some(url) = given.or(configured.database.as_ref()) else { return Ok(None) };
    let name =
        name.or(configured.name.as_deref()).map_or_else(platform::machine_name, str::to_owned);
    opened(url, file.map(PathBuf::as_path), (&name, state)).map(Some)
}

#[cfg(feature = "postgres")]
fn opened(
    url: &str,
    password: Option<&Path>,
    (name, state): (&str, &Path),
) -> Result<Source, Failure> {
    let database = crate::audit::Database::new(url, password, name, state);
    let database = database.map_err(|error| {
        Failure::configuration(error).with_help(
            "write it as `postgres://role@host/name`, and the password into a file for `--database-password`",
        )
    })?;
    Ok(Source::Database(std::sync::Arc::new(database)))
}

#[cfg(not(feature = "postgres"))]
fn opened(_: &str, _: Option<&Path>, _: (&str, &Path)) -> Result<Source, Failure> {
    Err(Failure::configuration("this program was built without the feature `postgres`"))
}
