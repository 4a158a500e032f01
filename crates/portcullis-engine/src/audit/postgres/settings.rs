//! How a database is named. Owns the words of its URL, which are those of libpq; a password is never one of them, since URLs stand in lists of
//! processes, logs and records.

use std::{
    fmt, fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use data_encoding::HEXUPPER_PERMISSIVE;
use portcullis_core::network::Target;

use crate::platform;

/// Where PostgreSQL listens unless a URL says otherwise.
const PORT: u16 = 5432;

/// The longest password.
const LONGEST: u64 = 4 << 10;

/// The variables that may hold the password, the first that is there.
const VARIABLES: [&str; 2] = ["PORTCULLIS_DATABASE_PASSWORD", "PGPASSWORD"];

/// Why a database cannot be used as it is named.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BadDatabase {
    /// It is no such URL.
    #[error("a database is named by a URL like `postgres://role@host/name`")]
    NotAUrl,
    /// It holds a password.
    #[error("the URL of a database holds a password, and would show it to whoever lists processes")]
    Password,
    /// A part is none.
    #[error("`{0}` cannot stand in the URL of a database")]
    Part(String),
    /// A parameter is not known.
    #[error("`{0}` is not a parameter of a database that is known here")]
    Parameter(String),
    /// A mode is not known.
    #[error("`{0}` is not a way to encrypt: expected `disable`, `require` or `verify-full`")]
    Mode(String),
    /// The password cannot be read.
    #[error("the password in `{path}` cannot be used: {reason}")]
    File {
        /// Where.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A gateway cannot be named so.
    #[error(
        "no gateway can be named `{0}`: expected 1 to 64 letters, digits, `-`, `_`, `.` or `@`"
    )]
    Name(String),
}

/// Whether a connection is encrypted, in the words of libpq.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Encryption {
    /// It is not.
    Disable,
    /// To whoever answers.
    Require,
    /// To the host that was named.
    VerifyFull,
}

/// One server.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Host {
    /// A socket in a directory of this machine.
    Socket { directory: PathBuf, port: u16 },
    /// Somewhere.
    Address(Target),
}

/// A password, which nothing shows.
#[derive(Clone, Eq, PartialEq)]
pub(super) struct Password(pub(super) String);

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// A database, as it is connected to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Settings {
    /// The servers that may have it; the one that can be written is taken.
    pub(super) hosts: Vec<Host>,
    pub(super) role: String,
    pub(super) name: String,
    pub(super) encryption: Encryption,
    /// Whose signature counts, where not the system says so.
    pub(super) roots: Option<PathBuf>,
    pub(super) password: Option<Password>,
    /// It in words.
    pub(super) words: String,
}

impl Settings {
    /// Reads a URL, and the password from a file or the environment.
    pub(super) fn read(url: &str, password_file: Option<&Path>) -> Result<Self, BadDatabase> {
        let mut settings = Self::of_url(url)?;
        settings.password = password(password_file)?.map(Password);
        Ok(settings)
    }

    fn of_url(url: &str) -> Result<Self, BadDatabase> {
        let rest =
            ["postgres://", "postgresql://"].iter().find_map(|scheme| url.strip_prefix(scheme));
        let rest = rest.ok_or(BadDatabase::NotAUrl)?;
        let (rest, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (role, hosts) = match authority.rsplit_once('@') {
            Some((role, _)) if role.contains(':') => return Err(BadDatabase::Password),
            Some((role, hosts)) => (decoded(role)?, hosts),
            None => (String::new(), authority),
        };
        let mut given = Given {
            role,
            hosts: hosts.split(',').map(str::to_owned).collect(),
            name: decoded(path)?,
            port: None,
            encryption: None,
            roots: None,
        };
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            given.takes(name, decoded(value)?)?;
        }
        given.settings()
    }
}

/// What a URL says.
struct Given {
    role: String,
    hosts: Vec<String>,
    name: String,
    port: Option<u16>,
    encryption: Option<Encryption>,
    roots: Option<PathBuf>,
}

impl Given {
    fn takes(&mut self, name: &str, value: String) -> Result<(), BadDatabase> {
        match name {
            "host" => self.hosts = value.split(',').map(str::to_owned).collect(),
            "port" => self.port = Some(value.parse().map_err(|_| BadDatabase::Part(value))?),
            "user" => self.role = value,
            "dbname" => self.name = value,
            "sslrootcert" if value == "system" => self.roots = None,
            "sslrootcert" => self.roots = Some(value.into()),
            "sslmode" => {
                self.encryption = Some(match value.as_str() {
                    "disable" => Encryption::Disable,
                    "require" => Encryption::Require,
                    "verify-full" => Encryption::VerifyFull,
                    _ => return Err(BadDatabase::Mode(value)),
                });
            }
            "password" | "passfile" => return Err(BadDatabase::Password),
            _ => return Err(BadDatabase::Parameter(name.to_owned())),
        }
        Ok(())
    }

    fn settings(self) -> Result<Settings, BadDatabase> {
        let Self { role, hosts, name, port, encryption, roots } = self;
        let role = if role.is_empty() { platform::user_name() } else { role };
        let name = if name.is_empty() { role.clone() } else { name };
        if [&role, &name].iter().any(|word| word.contains('\0')) {
            return Err(BadDatabase::NotAUrl);
        }
        let hosts: Vec<Host> =
            hosts.iter().map(|host| host_of(host, port)).collect::<Result<_, _>>()?;
        // Unlike libpq, which takes no encryption where it gets none: who leaves it out wants to be sure.
        let stays_here = hosts.iter().all(Host::is_here);
        let usual = if stays_here { Encryption::Disable } else { Encryption::VerifyFull };
        let places: Vec<String> = hosts.iter().map(ToString::to_string).collect();
        let words = format!("postgres://{role}@{}/{name}", places.join(","));
        let encryption = match (encryption.unwrap_or(usual), &roots) {
            // As libpq has it: whoever says whose signature counts wants it looked at.
            (Encryption::Require, Some(_)) => Encryption::VerifyFull,
            (encryption, _) => encryption,
        };
        Ok(Settings { hosts, role, name, encryption, roots, password: None, words })
    }
}

impl Host {
    fn is_here(&self) -> bool {
        match self {
            Self::Socket { .. } => true,
            Self::Address(target) => {
                target.address().is_some_and(|address| address.to_canonical().is_loopback())
                    || target.host() == "localhost"
            }
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Socket { directory, port } => write!(f, "[{}]:{port}", directory.display()),
            Self::Address(target) => write!(f, "{}:{}", target.host(), target.port()),
        }
    }
}

fn host_of(written: &str, usual: Option<u16>) -> Result<Host, BadDatabase> {
    let bad = || BadDatabase::Part(written.to_owned());
    let (host, port) = match written.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => {
            (host, Some(port.parse().map_err(|_| bad())?))
        }
        _ => (written, None),
    };
    let port = port.or(usual).unwrap_or(PORT);
    let host = decoded(host)?;
    if host.starts_with('/') {
        return Ok(Host::Socket { directory: host.into(), port });
    }
    let host = if host.is_empty() { "localhost" } else { &host };
    Target::of_authority(host, port).map(Host::Address).map_err(|_| bad())
}

fn decoded(text: &str) -> Result<String, BadDatabase> {
    let bad = || BadDatabase::Part(text.to_owned());
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2).ok_or_else(bad)?;
        bytes.extend(HEXUPPER_PERMISSIVE.decode(digits.as_bytes()).map_err(|_| bad())?);
        bytes.extend(rest.as_bytes());
    }
    String::from_utf8(bytes).map_err(|_| bad())
}

fn password(file: Option<&Path>) -> Result<Option<String>, BadDatabase> {
    let Some(path) = file else {
        let found = VARIABLES.iter().find_map(|name| std::env::var(name).ok());
        return Ok(found.filter(|password| !password.is_empty()));
    };
    let failed = |reason: String| BadDatabase::File { path: path.to_owned(), reason };
    // A link is followed: orchestrators mount secrets so. What counts is the file that was opened.
    let file = fs::File::open(path).map_err(|error| failed(error.to_string()))?;
    let metadata = file.metadata().map_err(|error| failed(error.to_string()))?;
    if !metadata.is_file() {
        return Err(failed("it is not a file".to_owned()));
    }
    if let Some(exposure) = platform::exposure(&metadata) {
        return Err(failed(exposure.to_string()));
    }
    let mut text = String::new();
    let read = file.take(LONGEST + 1).read_to_string(&mut text);
    read.map_err(|error| failed(error.to_string()))?;
    let password = text.strip_suffix('\n').unwrap_or(&text);
    let password = password.strip_suffix('\r').unwrap_or(password);
    match password.len() as u64 {
        0 => Err(failed("it is empty".to_owned())),
        length if length > LONGEST => Err(failed("it is too long".to_owned())),
        _ => Ok(Some(password.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_read_as_libpq_reads_it_and_never_holds_a_password() {
        let settings = |url: &str| Settings::of_url(url).unwrap();
        let one = settings("postgres://gate@db.example/portcullis");
        assert_eq!(
            (one.role.as_str(), one.name.as_str(), one.encryption),
            ("gate", "portcullis", Encryption::VerifyFull)
        );
        assert_eq!(one.words, "postgres://gate@db.example:5432/portcullis");
        let two = settings("postgresql://g%40te@a.example:1,b.example/x?sslmode=disable");
        assert_eq!((two.role.as_str(), two.hosts.len()), ("g@te", 2));
        assert_eq!(two.words, "postgres://g@te@a.example:1,b.example:5432/x");
        let here = settings("postgres://gate@%2Frun%2Fpostgresql/x");
        assert_eq!(here.encryption, Encryption::Disable);
        assert_eq!(here.hosts, [Host::Socket { directory: "/run/postgresql".into(), port: 5432 }]);
        let same = settings("postgres:///x?host=/run/postgresql&port=5433&user=gate");
        assert_eq!(same.hosts, [Host::Socket { directory: "/run/postgresql".into(), port: 5433 }]);
        assert_eq!(settings("postgres://g@127.0.0.1/x").encryption, Encryption::Disable);
        let checked = settings("postgres://g@db.example/x?sslmode=require&sslrootcert=/ca.pem");
        assert_eq!(checked.encryption, Encryption::VerifyFull);
        for (url, why) in [
            ("mysql://x", BadDatabase::NotAUrl),
            ("postgres://gate:secret@db.example/x", BadDatabase::Password),
            ("postgres://db.example/x?password=secret", BadDatabase::Password),
            ("postgres://db.example/x?sslmode=prefer", BadDatabase::Mode("prefer".into())),
            ("postgres://db.example/x?options=-c", BadDatabase::Parameter("options".into())),
            ("postgres://db.example:x/y", BadDatabase::Part("db.example:x".into())),
            ("postgres://db.example/%zz", BadDatabase::Part("%zz".into())),
        ] {
            assert_eq!(Settings::of_url(url), Err(why), "{url}");
        }
    }

    #[test]
    fn a_password_is_shown_nowhere() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("password");
        fs::write(&file, "hunter2\n").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            for mode in [0o644, 0o640, 0o604, 0o660, 0o600] {
                fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
                let read = Settings::read("postgres://gate@db.example/x", Some(&file));
                assert_eq!(read.is_ok(), mode == 0o600, "{mode:o}");
            }
        }
        let settings = Settings::read("postgres://gate@db.example/x", Some(&file)).unwrap();
        assert_eq!(settings.password, Some(Password("hunter2".to_owned())));
        assert!(!format!("{settings:?} {}", settings.words).contains("hunter2"));
        fs::write(&file, "\n").unwrap();
        assert!(Settings::read("postgres://gate@db.example/x", Some(&file)).is_err());
        let not_a_file = Settings::read("postgres://gate@db.example/x", Some(directory.path()));
        assert!(not_a_file.is_err());
    }
}
