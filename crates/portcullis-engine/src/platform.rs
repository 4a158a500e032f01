//! What differs by operating system: where our files live, and who may touch them. Owns nothing that is not about that;
//! what is in the files, their own modules know.

use std::{
    ffi::OsString,
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
    process,
};

use crate::account::Account;

mod mounts;

pub use mounts::Mounts;

/// Our own directory's name below the system's directories.
const NAME: &str = "portcullis";

/// The variable that names the home.
pub const HOME: &str = if cfg!(windows) { "USERPROFILE" } else { "HOME" };

/// The variable that names the directory for configuration.
pub const CONFIGURATION: &str = if cfg!(windows) { "APPDATA" } else { "XDG_CONFIG_HOME" };

/// The variable that names the directory for state.
pub const STATE: &str = if cfg!(windows) { "LOCALAPPDATA" } else { "XDG_STATE_HOME" };

/// The variable that names our own directory for state.
pub const OWN_STATE: &str = "PORTCULLIS_STATE_DIR";

/// Where our files live. A directory is `None` where the environment names none.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Directories {
    /// The user's home, as the environment has it.
    pub home: Option<PathBuf>,
    /// The home of the account that this process runs as, where the system's list names one. No variable moves it.
    pub account: Option<PathBuf>,
    /// The record and other state: `PORTCULLIS_STATE_DIR`, or the system's directory for state.
    pub state: Option<PathBuf>,
    /// The user's own configuration.
    pub configuration: Option<PathBuf>,
    /// The configuration of who manages the machine. No variable says where it is: an agent can set variables.
    pub managed: Option<Managed>,
}

/// Where the configuration of who manages the machine lives.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Managed {
    /// The directory.
    pub directory: PathBuf,
    /// The user that it and its files must belong to, on systems with Unix permissions.
    pub owner: u32,
}

impl Managed {
    /// The one of this system.
    #[must_use]
    pub fn of_system() -> Self {
        let directory = if cfg!(windows) {
            r"C:\ProgramData\portcullis"
        } else if cfg!(target_os = "macos") {
            "/Library/Application Support/portcullis"
        } else {
            "/etc/portcullis"
        };
        Self { directory: directory.into(), owner: 0 }
    }
}

impl Directories {
    /// Those of this process.
    #[must_use]
    pub fn from_environment() -> Self {
        let account = Account::of_process().and_then(|account| account.home);
        Self { account, ..Self::from_variables(variable) }
    }

    /// Every directory that is a home of this user: the one that the environment names, and the account's own. What is secret
    /// or protected in one is so in the other.
    pub fn homes(&self) -> impl Iterator<Item = &Path> {
        let Self { home, account, .. } = self;
        let other = account.iter().filter(move |account| home.as_ref() != Some(*account));
        home.iter().chain(other).map(PathBuf::as_path)
    }

    /// Those of a home, where no other variable has a say.
    #[must_use]
    pub fn usual(home: &Path) -> Self {
        Self::from_variables(|name| (name == HOME).then(|| home.into()))
    }

    /// Those that the given environment names. A relative path in a variable is ignored, as the XDG Base Directory
    /// Specification demands.
    #[must_use]
    pub fn from_variables(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let absolute =
            |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let absolute = |name: &str| absolute(name).map(|path| bare(&path));
        let home = absolute(HOME);
        let below = |path: &str| home.as_ref().map(|home| home.join(path));
        let (state, configuration) = if cfg!(windows) {
            (absolute(STATE), absolute(CONFIGURATION))
        } else if cfg!(target_os = "macos") {
            let support = below("Library/Application Support");
            (absolute(STATE).or_else(|| support.clone()), absolute(CONFIGURATION).or(support))
        } else {
            (
                absolute(STATE).or_else(|| below(".local/state")),
                absolute(CONFIGURATION).or_else(|| below(".config")),
            )
        };
        Self {
            state: absolute(OWN_STATE).or_else(|| state.map(|path| path.join(NAME))),
            configuration: configuration.map(|path| path.join(NAME)),
            managed: Some(Managed::of_system()),
            account: None,
            home,
        }
    }
}

/// What the environment says. Some agents start their hooks without any; the system knows the home all the same.
#[must_use]
pub fn variable(name: &str) -> Option<OsString> {
    let home = || std::env::home_dir().map(OsString::from);
    std::env::var_os(name).or_else(|| if name == HOME { home() } else { None })
}

/// The path without a slash or a `.` at its end, which would have a link there followed unseen.
#[must_use]
pub fn bare(path: &Path) -> PathBuf {
    path.components().collect()
}

/// The path without links and `..`, as far as it exists; the rest as it is written.
#[must_use]
pub fn real(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    let mut known = path;
    loop {
        if let Ok(real) = known.canonicalize() {
            return rest.iter().rev().fold(real, |path, name| path.join(name));
        }
        let Some(parent) = known.parent() else { return path.to_owned() };
        // What does not exist has no other name; `..` after it leads back.
        rest.push(known.file_name().unwrap_or_else(|| std::ffi::OsStr::new("..")));
        known = parent;
    }
}

/// Whether a path lies where everyone may write and remove only what is theirs, as in `/tmp`.
#[must_use]
pub fn is_shared(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let is_so = |path: &Path| {
            fs::metadata(path).is_ok_and(|found| found.is_dir() && found.mode() & 0o1002 == 0o1002)
        };
        path.ancestors().any(is_so)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// Whether a directory can be one for temporary files: it is shared by everyone, or the system keeps those of each user there,
/// or it is called so. A variable that says so of any other would have what lies there taken for rubbish.
#[must_use]
pub fn is_for_temporary_files(path: &Path) -> bool {
    const OF_USERS: &[&str] = &["/run/user", "/var/folders", "/private/var/folders"];
    const WORDS: &[&str] = &["tmp", "temp", "scratch"];
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let name = name.to_ascii_lowercase();
    OF_USERS.iter().any(|beginning| path.starts_with(beginning))
        || WORDS.iter().any(|word| name.contains(word))
        || is_shared(path)
}

/// Whether a path is whole on another system than this one: `C:\work` where there are no drives.
#[must_use]
pub fn is_of_another(path: &str) -> bool {
    let mut letters = path.chars();
    let is_drive = letters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
        && letters.next() == Some(':')
        && matches!(letters.next(), Some('\\' | '/'));
    is_drive && !Path::new(path).is_absolute()
}

/// Whether a path with drives is a directory or lies in it.
#[must_use]
pub fn is_within(path: &str, directory: &str) -> bool {
    let parts = |path: &str| {
        let parts = path.split(['/', '\\']).filter(|part| !matches!(*part, "" | "."));
        parts.map(str::to_lowercase).collect::<Vec<_>>()
    };
    parts(path).starts_with(&parts(directory))
}

/// Why a file or directory of ours is not safe to use.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Insecurity {
    /// Whoever owns the link decides where we write.
    #[error("it is a symbolic link")]
    SymbolicLink,
    /// Its owner can change it at any time.
    #[error("it belongs to another user")]
    ForeignOwner,
    /// Others can change it.
    #[error("its group or everyone may write to it")]
    WritableByOthers,
}

/// Who else has a file that holds a secret.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Exposure {
    /// Its owner can change it at any time.
    #[error("it belongs to another user")]
    ForeignOwner,
    /// Others can read it, or change it.
    #[error("its group or everyone may read it: `chmod 600` closes it")]
    Readable,
}

/// Creates a directory, and those above it, for this user alone; one that exists stays as it is.
///
/// # Errors
/// What the system says.
pub fn create_private_directory(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(path)
}

/// Creates an empty file that this user alone may read and write. One that exists is left alone; `true` when it was made.
///
/// # Errors
/// What the system says.
pub fn create_private_file(path: &Path) -> io::Result<bool> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    match options.open(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Creates an empty file in a directory that has no name and goes away with whoever holds it open, unless [`name_file`] gives it one.
///
/// # Errors
/// What the system says, also where the file system has no such files.
#[cfg(target_os = "linux")]
pub fn create_unnamed_file(directory: &Path) -> io::Result<fs::File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    Ok(rustix::fs::open(directory, flags, Mode::RUSR | Mode::WUSR)?.into())
}

/// Gives a file without a name one, where nothing stands there yet; what stands there stays.
///
/// # Errors
/// What the system says.
#[cfg(target_os = "linux")]
pub fn name_file(file: &fs::File, path: &Path) -> io::Result<()> {
    use std::os::fd::AsRawFd as _;

    use rustix::fs::{AtFlags, CWD};
    // Naming it by its descriptor alone is for those who may read everything.
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    match rustix::fs::linkat(CWD, own, CWD, path, AtFlags::SYMLINK_FOLLOW) {
        Err(rustix::io::Errno::EXIST) => Ok(()),
        named => Ok(named?),
    }
}

/// Opens a file for reading, unless it is a symbolic link. A pipe or a device is opened without waiting for anybody.
///
/// # Errors
/// What the system says; see [`is_link_error`].
pub fn open_without_following(path: &Path) -> io::Result<fs::File> {
    opened_without_following(path, fs::OpenOptions::new().read(true))
}

/// The same for reading and for writing in place.
///
/// # Errors
/// As [`open_without_following`].
pub fn open_to_change(path: &Path) -> io::Result<fs::File> {
    opened_without_following(path, fs::OpenOptions::new().read(true).write(true))
}

fn opened_without_following(path: &Path, options: &mut fs::OpenOptions) -> io::Result<fs::File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(i32::try_from(flags.bits()).map_err(io::Error::other)?);
    }
    #[cfg(not(unix))]
    if fs::symlink_metadata(path)?.file_type().is_symlink() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    options.open(path)
}

/// How many bytes may still be written where a path lies, to those who are not the administrator.
///
/// # Errors
/// What the system says.
pub fn room(path: &Path) -> io::Result<u64> {
    #[cfg(unix)]
    {
        let place = rustix::fs::statvfs(path)?;
        Ok(place.f_bavail.saturating_mul(place.f_frsize))
    }
    #[cfg(not(unix))]
    {
        fs::metadata(path).map(|_| u64::MAX)
    }
}

/// Whether an error of [`open_without_following`] says that a link stands there.
#[must_use]
pub fn is_link_error(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
    }
    #[cfg(not(unix))]
    {
        error.kind() == io::ErrorKind::InvalidInput
    }
}

/// What makes a path unsafe to keep a record in, judged by its metadata as `lstat` gives it; `None` where nothing does.
/// On systems without Unix permissions only links are noticed.
#[must_use]
pub fn insecurity(metadata: &fs::Metadata) -> Option<Insecurity> {
    if metadata.file_type().is_symlink() {
        return Some(Insecurity::SymbolicLink);
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        if metadata.uid() != rustix::process::geteuid().as_raw() {
            return Some(Insecurity::ForeignOwner);
        }
        if metadata.mode() & 0o022 != 0 {
            return Some(Insecurity::WritableByOthers);
        }
    }
    None
}

/// Whether others may read or change a file that holds a secret. What root put there for a group of ours, as an orchestrator mounts secrets, is
/// root's to answer for. On systems without Unix permissions nothing is noticed.
#[must_use]
pub fn exposure(metadata: &fs::Metadata) -> Option<Exposure> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let (owner, mode) = (metadata.uid(), metadata.mode());
        let is_own = owner == rustix::process::geteuid().as_raw();
        if !is_own && owner != 0 {
            return Some(Exposure::ForeignOwner);
        }
        let closed = if is_own { 0o077 } else { 0o027 };
        if mode & closed != 0 {
            return Some(Exposure::Readable);
        }
    }
    None
}

/// Random bytes that nobody can foresee, from the system.
///
/// # Errors
/// When the system has none to give.
pub fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    if cfg!(unix) {
        fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(bytes)
    } else {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// How long the system has been up, with the time that it slept: a clock that nobody can turn.
#[must_use]
pub fn uptime() -> std::time::Duration {
    #[cfg(unix)]
    {
        #[cfg(target_os = "linux")]
        let clock = rustix::time::ClockId::Boottime;
        #[cfg(not(target_os = "linux"))]
        let clock = rustix::time::ClockId::Monotonic;
        rustix::time::clock_gettime(clock).try_into().unwrap_or_default()
    }
    #[cfg(not(unix))]
    {
        std::time::Duration::ZERO
    }
}

/// The login name of whoever runs this: from the system's list of users, else their number.
#[must_use]
pub fn user_name() -> String {
    #[cfg(unix)]
    {
        let number = || format!("user {}", rustix::process::geteuid().as_raw());
        Account::of_process().map_or_else(number, |account| account.name)
    }
    #[cfg(not(unix))]
    {
        std::env::var("USERNAME").unwrap_or_else(|_| "unknown".to_owned())
    }
}

/// The name of this machine, as far as letters, digits, `-`, `_` and `.` go.
#[must_use]
pub fn machine_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname");
    let name = name.ok().or_else(|| std::env::var("HOSTNAME").ok()).unwrap_or_default();
    let is_letter = |letter: &char| letter.is_ascii_alphanumeric() || "-_.".contains(*letter);
    let name: String = name.trim().chars().filter(is_letter).take(64).collect();
    if name.is_empty() { "unnamed".to_owned() } else { name }
}

/// How many columns a terminal has, `usize::MAX` where it does not say; nothing where it is none.
#[cfg(unix)]
#[must_use]
pub fn columns(terminal: &impl std::os::fd::AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(terminal).ok()?;
    Some(if size.ws_col == 0 { usize::MAX } else { usize::from(size.ws_col) })
}

/// As many columns as a terminal has at least, where it is one.
#[cfg(not(unix))]
#[must_use]
pub fn columns(terminal: &impl io::IsTerminal) -> Option<usize> {
    terminal.is_terminal().then_some(80)
}

/// Shows a note on the desktop, where there is a program for it, without waiting for it. The text stands in an argument of its
/// own, so it is never read as anything else. A process that lives on waits for what is given back.
///
/// # Errors
/// Where there is no such program. A desktop that shows nothing stops nobody.
pub fn show_on_desktop(title: &str, text: &str) -> io::Result<process::Child> {
    let program =
        if cfg!(target_os = "macos") { "/usr/bin/osascript" } else { "/usr/bin/notify-send" };
    let mut command = process::Command::new(program);
    if cfg!(target_os = "macos") {
        const SCRIPT: &str = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run";
        command.args(["-e", SCRIPT, title, text]);
    } else {
        command.args(["--app-name=portcullis", "--", title, text]);
    }
    let quiet = process::Stdio::null;
    command.stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directories(pairs: &[(&str, &str)]) -> Directories {
        Directories::from_variables(|name| {
            pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1.into())
        })
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn directories_follow_the_base_directory_specification() {
        let home = directories(&[("HOME", "/home/dev")]);
        assert_eq!(home.state, Some("/home/dev/.local/state/portcullis".into()));
        assert_eq!(home.configuration, Some("/home/dev/.config/portcullis".into()));
        let xdg = directories(&[
            ("HOME", "/home/dev"),
            ("XDG_STATE_HOME", "/s"),
            ("XDG_CONFIG_HOME", "c"),
        ]);
        assert_eq!(xdg.state, Some("/s/portcullis".into()));
        assert_eq!(xdg.configuration, Some("/home/dev/.config/portcullis".into()));
        let own = directories(&[("HOME", "/home/dev"), ("PORTCULLIS_STATE_DIR", "/own")]);
        assert_eq!(own.state, Some("/own".into()));
        let none = Directories { managed: Some(Managed::of_system()), ..Directories::default() };
        assert_eq!(directories(&[]), none);
    }

    #[test]
    fn both_homes_are_of_the_user() {
        let homes = |home: &str, account: &str| {
            let named = |path: &str| (!path.is_empty()).then(|| PathBuf::from(path));
            let directories = Directories {
                home: named(home),
                account: named(account),
                ..Directories::default()
            };
            directories.homes().map(|home| home.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(homes("/tmp/x", "/home/dev"), ["/tmp/x", "/home/dev"]);
        assert_eq!(homes("/home/dev", "/home/dev"), ["/home/dev"]);
        assert_eq!(homes("", "/home/dev"), ["/home/dev"]);
        assert_eq!(homes("/tmp/x", ""), ["/tmp/x"]);
    }

    #[test]
    #[cfg(unix)]
    fn the_real_path_of_what_does_not_exist_yet_leads_through_what_does() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("app/src")).unwrap();
        std::os::unix::fs::symlink(root.join("app"), root.join("link")).unwrap();
        for (path, expected) in [
            ("app/.x", "app/.x"),
            ("link/.x/y", "app/.x/y"),
            ("app/src/../.x", "app/.x"),
            ("link/src/..", "app"),
        ] {
            assert_eq!(real(&root.join(path)), root.join(expected), "{path}");
        }
    }
}
