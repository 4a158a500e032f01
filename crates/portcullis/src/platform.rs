//! What differs by operating system: where our files live, and who may touch them. Owns nothing that is not about that;
//! what is in the files, their own modules know.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

/// Our own directory's name below the system's directories.
const NAME: &str = "portcullis";

/// Where our files live. A directory is `None` where the environment names none.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Directories {
    /// The user's home.
    pub home: Option<PathBuf>,
    /// The record and other state: `PORTCULLIS_STATE_DIR`, or the system's directory for state.
    pub state: Option<PathBuf>,
    /// The user's own configuration.
    pub configuration: Option<PathBuf>,
}

impl Directories {
    /// Those of this process.
    #[must_use]
    pub fn from_environment() -> Self {
        Self::from_variables(|name| std::env::var_os(name))
    }

    /// Those that the given environment names. A relative path in a variable is ignored, as the XDG Base Directory
    /// Specification demands.
    #[must_use]
    pub fn from_variables(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let absolute =
            |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = absolute(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
        let below = |path: &str| home.as_ref().map(|home| home.join(path));
        let (state, configuration) = if cfg!(windows) {
            (absolute("LOCALAPPDATA"), absolute("APPDATA"))
        } else if cfg!(target_os = "macos") {
            let support = below("Library/Application Support");
            (
                absolute("XDG_STATE_HOME").or_else(|| support.clone()),
                absolute("XDG_CONFIG_HOME").or(support),
            )
        } else {
            (
                absolute("XDG_STATE_HOME").or_else(|| below(".local/state")),
                absolute("XDG_CONFIG_HOME").or_else(|| below(".config")),
            )
        };
        Self {
            state: absolute("PORTCULLIS_STATE_DIR").or_else(|| state.map(|path| path.join(NAME))),
            configuration: configuration.map(|path| path.join(NAME)),
            home,
        }
    }
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

/// Kinds of file systems, or beginnings of their names, that wait for a server or a program.
const REMOTE: &[&str] =
    &["nfs", "cifs", "smb", "afs", "ceph", "glusterfs", "lustre", "9p", "autofs", "fuse"];

/// Where file systems are mounted that wait for a server or a program; empty where the system does not say.
#[must_use]
pub fn remote_mounts() -> Vec<PathBuf> {
    if !cfg!(target_os = "linux") {
        return Vec::new();
    }
    let table = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    remote_mounts_of(&table)
}

/// The mounts in a table as `proc_pid_mounts(5)` describes it.
fn remote_mounts_of(table: &str) -> Vec<PathBuf> {
    let mount = |line: &str| {
        let mut words = line.split(' ').skip(1);
        let (point, kind) = (words.next()?, words.next()?);
        // `fuseblk` is a disk.
        let is_remote = kind != "fuseblk" && REMOTE.iter().any(|name| kind.starts_with(name));
        let point = point.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
        (is_remote && point != "/").then(|| point.into())
    };
    table.lines().filter_map(mount).collect()
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
        assert_eq!(directories(&[]), Directories::default());
    }

    #[test]
    fn only_file_systems_that_wait_for_somebody_are_remote() {
        let table = "/dev/sda1 / ext4 rw 0 0\nhost:/x /mnt/a\\040b nfs4 rw 0 0\nproc /proc proc rw 0 0\n\
            h /s fuse.sshfs rw 0 0\n/dev/sdb /usb fuseblk rw 0 0\noverlay / fuse.overlay rw 0 0\nbroken";
        assert_eq!(remote_mounts_of(table), [PathBuf::from("/mnt/a b"), "/s".into()]);
    }
}
