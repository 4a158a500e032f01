//! Paths that tools are given, opened. Owns where a path really leads, and that what was looked at is what is used: the answer is an
//! open file, and nothing on the way to it may have become a link in between.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Read as _, Seek as _, Write as _},
    os::fd::{AsFd, OwnedFd},
    os::unix::fs::MetadataExt as _,
    path::{Component, Path, PathBuf},
};

use portcullis_core::{
    facts::Facts,
    place,
    validate::{PathRules, PathTarget, Refused},
};
use rustix::{
    fs::{CWD, Mode, OFlags, ResolveFlags},
    io::Errno,
};

const KIND: &str = "path";

/// How many ancestors are looked at for one that exists.
const ANCESTORS: usize = 256;

/// Where a tool's paths may lead, for real.
#[derive(Clone, Debug, Default)]
pub struct Roots {
    read: Vec<PathBuf>,
    write: Vec<PathBuf>,
    deny: Vec<PathBuf>,
}

/// A path that was opened.
#[derive(Debug)]
pub struct Opened {
    /// Where it really is.
    pub path: PathBuf,
    /// What is there, or the directory that it will be made in.
    pub handle: OwnedFd,
    /// The name to make in that directory, where there is nothing yet.
    pub new: Option<std::ffi::OsString>,
    /// Whether it may be written.
    pub writable: bool,
}

impl Opened {
    /// The same, open once more.
    pub(super) fn again(&self) -> io::Result<Self> {
        let handle = self.handle.try_clone()?;
        Ok(Self { path: self.path.clone(), handle, new: self.new.clone(), writable: self.writable })
    }

    /// Reads the file, up to so many bytes.
    ///
    /// # Errors
    /// What the system says.
    pub fn read(&self, most: u64) -> io::Result<Vec<u8>> {
        let mut file = File::from(self.handle.try_clone()?);
        file.rewind()?;
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes the file anew, or makes it where there was none. Nothing that came to lie at its name since is followed or replaced.
    ///
    /// # Errors
    /// What the system says, also where it may only be read.
    pub fn write(&self, bytes: &[u8]) -> io::Result<()> {
        if !self.writable {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let mut file = match &self.new {
            Some(name) => {
                let flags = OFlags::WRONLY
                    | OFlags::CREATE
                    | OFlags::EXCL
                    | OFlags::NOFOLLOW
                    | OFlags::CLOEXEC;
                let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH;
                File::from(rustix::fs::openat(&self.handle, name.as_os_str(), flags, mode)?)
            }
            None => {
                let mut file = File::from(self.handle.try_clone()?);
                file.set_len(0)?;
                file.rewind()?;
                file
            }
        };
        file.write_all(bytes)
    }
}

impl Roots {
    /// The roots of rules, seen from a workspace. One that does not exist is left out: nothing lies in it.
    #[must_use]
    pub fn of(rules: &PathRules, workspace: &Path) -> Self {
        let real = |list: &[String]| -> Vec<PathBuf> {
            list.iter()
                .filter(|root| !root.is_empty())
                .filter_map(|root| workspace.join(root).canonicalize().ok())
                .collect()
        };
        // What is denied counts by both names, also where it is not there yet.
        let mut deny = real(&rules.deny);
        deny.extend(rules.deny.iter().map(|path| plain(&workspace.join(path))));
        Self { read: real(&rules.read), write: real(&rules.write), deny }
    }

    /// Where it may be written, really.
    #[must_use]
    pub fn write(&self) -> &[PathBuf] {
        &self.write
    }

    /// Where it may be read, really.
    #[must_use]
    pub fn read(&self) -> &[PathBuf] {
        &self.read
    }
}

/// Opens what a path names, where the rules let it lead.
///
/// # Errors
/// [`Refused`], in words that do not say what the rules are.
pub fn open(
    rules: &PathRules,
    written: &str,
    directory: &Path,
    roots: &Roots,
    facts: &Facts,
) -> Result<Opened, Refused> {
    rules.check(written)?;
    let refuse = |message: &str| Refused { kind: KIND, message: message.to_owned() };
    let asked = plain(&directory.join(written));
    let (real, rest) =
        nearest(&asked).map_err(|error| refuse(&format!("it cannot be looked at: {error}")))?;
    let path = rest.iter().fold(real.clone(), |path, name| path.join(name));
    // What is denied comes first, by every name that it has.
    let is_denied =
        |path: &Path| roots.deny.iter().any(|denied| starts_with(path, denied, rules.fold_case));
    if is_denied(&path) || is_denied(&asked) {
        return Err(refuse("it is not for tools"));
    }
    let within = |list: &[PathBuf]| {
        list.iter()
            .filter(|root| starts_with(&path, root, false))
            .max_by_key(|root| root.components().count())
            .cloned()
    };
    let (root, writable) = match (within(&roots.write), within(&roots.read)) {
        (Some(root), _) => (root, true),
        (None, Some(root)) => (root, false),
        (None, None) => return Err(refuse("it lies outside of what this tool may use")),
    };
    if !rules.sensitive {
        let known = [&path, &asked].map(|path| path.to_string_lossy().into_owned());
        let is_secret = known.iter().any(|path| place::credential(path, facts).is_some());
        let is_obeyed = known.iter().any(|path| {
            place::persistence(path, facts).is_some() || place::agent_file(path, facts).is_some()
        });
        if is_secret {
            return Err(refuse("it holds keys, tokens or passwords"));
        }
        if writable && (is_obeyed || is_in_bare_repository(&path)) {
            return Err(refuse("what stands in it is obeyed by other programs"));
        }
    }
    let root_handle =
        File::open(&root).map_err(|error| refuse(&format!("it cannot be opened: {error}")))?;
    let inner = path
        .strip_prefix(&root)
        .map_err(|_| refuse("it lies outside of what this tool may use"))?;
    let failed = |error: Errno| match error {
        Errno::LOOP | Errno::XDEV => refuse("something on the way to it changed"),
        error => refuse(&format!("it cannot be opened: {}", io::Error::from(error))),
    };
    match rest.as_slice() {
        [] => {
            let opened = |flags| beneath(&root_handle, inner, flags | OFlags::NONBLOCK);
            // A directory, or what may only be read, does not open for writing.
            let both = if writable { opened(OFlags::RDWR).ok() } else { None };
            let handle = both.map_or_else(|| opened(OFlags::RDONLY), Ok).map_err(failed)?;
            fits(rules, &handle, writable).map_err(|message| refuse(&message))?;
            Ok(Opened { path, handle, new: None, writable })
        }
        [name] if rules.create && writable && rules.target != PathTarget::Directory => {
            let parent = inner.parent().unwrap_or(Path::new(""));
            let handle = beneath(&root_handle, parent, OFlags::RDONLY | OFlags::DIRECTORY)
                .map_err(failed)?;
            Ok(Opened { path, handle, new: Some(name.clone()), writable })
        }
        _ => Err(refuse("there is nothing")),
    }
}

/// Opens a path below a directory without following any link: there is none in a real path, unless somebody put one there since.
fn beneath(root: &File, inner: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let inner = if inner.as_os_str().is_empty() { Path::new(".") } else { inner };
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match rustix::fs::openat2(root, inner, flags | OFlags::CLOEXEC, Mode::empty(), resolve) {
        Err(Errno::NOSYS) => step_by_step(root, inner, flags),
        opened => opened,
    }
}

/// The same where the system has no `openat2`.
fn step_by_step(root: &File, inner: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut here = rustix::fs::openat(
        root,
        ".",
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
    )?;
    let names: Vec<&OsStr> = inner
        .components()
        .filter_map(|part| if let Component::Normal(name) = part { Some(name) } else { None })
        .collect();
    for (at, name) in names.iter().enumerate() {
        let kind = if at + 1 == names.len() { flags } else { OFlags::RDONLY | OFlags::DIRECTORY };
        here = rustix::fs::openat(
            here.as_fd(),
            *name,
            kind | OFlags::NOFOLLOW | OFlags::CLOEXEC,
            Mode::empty(),
        )?;
    }
    Ok(here)
}

/// Whether version control obeys a file though no name says so: its settings and hooks lie directly in what is a repository without files
/// of its own.
fn is_in_bare_repository(path: &Path) -> bool {
    const OBEYED: &[&str] =
        &["config", "config.worktree", "commondir", "HEAD", "hooks", "info", "objects"];
    let mut inner = path;
    for folder in path.ancestors().skip(1).take(3) {
        let is_one = folder.join("HEAD").is_file()
            && folder.join("objects").is_dir()
            && folder.join("refs").is_dir();
        let name = inner.file_name().and_then(OsStr::to_str);
        if is_one && name.is_some_and(|name| OBEYED.contains(&name)) {
            return true;
        }
        inner = folder;
    }
    false
}

/// Whether what was opened is what the rules want.
fn fits(rules: &PathRules, handle: &OwnedFd, writable: bool) -> Result<(), String> {
    let file = File::from(handle.try_clone().map_err(|error| error.to_string())?);
    let metadata = file.metadata().map_err(|error| error.to_string())?;
    let kind = metadata.file_type();
    let wrong = match rules.target {
        PathTarget::File if !kind.is_file() => Some("it is not a file"),
        PathTarget::Directory if !kind.is_dir() => Some("it is not a directory"),
        _ if !kind.is_file() && !kind.is_dir() => Some("it is neither a file nor a directory"),
        // The other name of the file may lie anywhere, also where the tool may not read.
        _ if (writable || !rules.linked) && kind.is_file() && metadata.nlink() > 1 => {
            Some("the file has further names (hard links), which may lie elsewhere")
        }
        _ => None,
    };
    wrong.map_or(Ok(()), |wrong| Err(wrong.to_owned()))
}

/// The real path of the nearest ancestor that exists, and the names below it that do not. A link that leads nowhere is there.
fn nearest(path: &Path) -> io::Result<(PathBuf, Vec<std::ffi::OsString>)> {
    let mut missing = Vec::new();
    let mut here = path;
    for _ in 0..ANCESTORS {
        match here.canonicalize() {
            Ok(real) => {
                missing.reverse();
                return Ok((real, missing));
            }
            Err(error)
                if error.kind() == io::ErrorKind::NotFound && here.symlink_metadata().is_err() =>
            {
                let (Some(name), Some(parent)) = (here.file_name(), here.parent()) else {
                    return Err(error);
                };
                missing.push(name.to_owned());
                here = parent;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(io::Error::other("it is a link that leads nowhere"));
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("it is too deep"))
}

/// Without `.`; there is no `..` in it any more.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| !matches!(part, Component::CurDir)).collect()
}

/// Component by component: `/work-evil` does not begin with `/work`.
fn starts_with(path: &Path, start: &Path, fold_case: bool) -> bool {
    if !fold_case {
        return path.starts_with(start);
    }
    let lower = |path: &Path| PathBuf::from(path.to_string_lossy().to_lowercase());
    lower(path).starts_with(lower(start))
}

/// Whether a handle and a path are still the same thing.
pub(super) fn is_still(opened: &Opened) -> bool {
    let target = match &opened.new {
        Some(_) => opened.path.parent().unwrap_or(Path::new("/")),
        None => &opened.path,
    };
    let now = rustix::fs::statat(CWD, target, rustix::fs::AtFlags::SYMLINK_NOFOLLOW);
    let then = rustix::fs::fstat(&opened.handle);
    matches!((now, then), (Ok(now), Ok(then)) if now.st_dev == then.st_dev && now.st_ino == then.st_ino)
}
