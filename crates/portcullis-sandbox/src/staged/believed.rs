//! Whether the view that somebody else made is the one that was wanted. Owns what is noted outside, and compared inside before anything
//! is started: paths are resolved again by whoever mounts them, and something else may be there by then.

use std::{
    fs::{self, File},
    io,
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::{
            ffi::OsStringExt as _,
            fs::{MetadataExt as _, OpenOptionsExt as _},
        },
    },
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{
    pinned::Pins,
    view::{self, How},
};
use crate::{
    Network,
    channel::Plan,
    kernel::{self, Links},
};

/// The namespaces that are to be new.
const NAMESPACES: &[&str] = &["user", "mnt", "pid", "ipc", "uts"];

/// Something that is attached, and what is there outside.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    pub(super) how: How,
    pub(super) is_folder: bool,
    device: u64,
    inode: u64,
}

/// What is to be attached, as it is now. Links are left out: no mount that is made by paths covers them.
pub(super) fn places(plan: &Plan, pins: &Pins) -> Result<Vec<Place>, String> {
    let mut places = Vec::new();
    for (path, how) in view::wanted(plan, pins) {
        if how == How::Covered && !plan.profile.denied.contains(&path) {
            continue;
        }
        let found = match kernel::locate(&path, Links::Refused) {
            // What is not there needs no cover.
            Err(error) if how == How::Covered && is_gone(&error) => continue,
            place => place.map(File::from).and_then(|place| place.metadata()),
        };
        let found =
            found.map_err(|error| format!("`{}` cannot be found: {error}", path.display()))?;
        let (device, inode) = (found.dev(), found.ino());
        places.push(Place { path, how, is_folder: found.is_dir(), device, inode });
    }
    Ok(places)
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR))
}

/// The namespaces that this process is in, of those that are to be new.
pub(super) fn namespaces(plan: &Plan) -> io::Result<Vec<(String, PathBuf)>> {
    let network = (plan.profile.network != Network::Open).then_some(&"net");
    let kinds = NAMESPACES.iter().chain(network);
    kinds
        .map(|kind| Ok(((*kind).to_owned(), fs::read_link(format!("/proc/self/ns/{kind}"))?)))
        .collect()
}

/// Whether everything is as it was wanted; what is not, otherwise.
pub(super) fn check(
    plan: &Plan,
    places: &[Place],
    outside: &[(String, PathBuf)],
) -> Result<(), String> {
    let said = |error: io::Error| format!("what was made cannot be looked at: {error}");
    let inside = namespaces(plan).map_err(said)?;
    if let Some((kind, _)) = inside.iter().find(|one| outside.contains(one)) {
        return Err(format!("the namespace `{kind}` is the one outside"));
    }
    if kernel::process() != 1 || fs::read_link("/proc/self").map_err(said)? != Path::new("1") {
        return Err("the processes outside can be seen".to_owned());
    }
    for place in places {
        let fault = match place.fault() {
            Ok(None) => continue,
            Ok(Some(fault)) => fault.to_owned(),
            Err(error) => error.to_string(),
        };
        return Err(format!("`{}` is not as it should be: {fault}", place.path.display()));
    }
    let mounts = fs::read("/proc/self/mountinfo").map_err(said)?;
    for path in writable_mounts(&mounts) {
        let is_wanted = path.starts_with("/dev")
            || (plan.profile.temporary && path == Path::new(view::TEMPORARY))
            || places
                .iter()
                .any(|place| place.how == How::Writable && path.starts_with(&place.path));
        // What cannot be reached, as a file system of another user, can be neither restricted nor written.
        if !is_wanted && is_writable(&path) {
            return Err(format!("`{}` can be written", path.display()));
        }
    }
    Ok(())
}

fn is_writable(path: &Path) -> bool {
    let place = kernel::locate(path, Links::Refused);
    place.is_ok_and(|place| !kernel::is_read_only(place.as_fd()).unwrap_or(false))
}

impl Place {
    /// What is wrong with it, seen from inside.
    fn fault(&self) -> io::Result<Option<&'static str>> {
        let place: OwnedFd = kernel::locate(&self.path, Links::Refused)?;
        let is_read_only = kernel::is_read_only(place.as_fd())?;
        let found = File::from(place).metadata()?;
        let is_same = (found.dev(), found.ino()) == (self.device, self.inode);
        Ok(match self.how {
            How::Covered if is_same => Some("it is not covered"),
            How::Covered if self.is_open() => Some("it can be read"),
            How::Covered if !is_read_only => Some("its cover can be written"),
            How::Layered | How::Writable | How::Fixed if !is_same => {
                Some("something else is there")
            }
            How::Fixed if !is_read_only => Some("it can be written"),
            How::Covered | How::Layered | How::Writable | How::Fixed => None,
        })
    }

    fn is_open(&self) -> bool {
        let mut options = File::options();
        options.read(true).custom_flags(libc::O_NONBLOCK).open(&self.path).is_ok()
    }
}

/// Where something is mounted that is not read-only.
fn writable_mounts(mounts: &[u8]) -> impl Iterator<Item = PathBuf> {
    mounts.split(|byte| *byte == b'\n').filter_map(|line| {
        // Number, parent, device, root, where, options: see proc_pid_mountinfo(5).
        let mut fields = line.split(|byte| *byte == b' ').skip(4);
        let (path, options) = (fields.next()?, fields.next()?);
        let is_read_only = options.split(|byte| *byte == b',').any(|option| option == b"ro");
        (!is_read_only).then(|| unescaped(path))
    })
}

/// A path in which blanks and backslashes are written as three octal digits.
fn unescaped(text: &[u8]) -> PathBuf {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| *byte == b'\\');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(meant) => {
                bytes.push(meant);
                rest = after.get(3..).unwrap_or_default();
            }
            None => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_as_it_was_wanted_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (file, link) = (root.join("file"), root.join("link"));
        fs::write(&file, "").unwrap();
        let found = fs::metadata(&file).unwrap();
        let place = |path: &Path, how, inode| Place {
            path: path.to_owned(),
            how,
            is_folder: false,
            device: found.dev(),
            inode,
        };
        let (same, other) = (found.ino(), found.ino() + 1);
        assert_eq!(place(&file, How::Writable, same).fault().unwrap(), None);
        for (how, inode, fault) in [
            (How::Writable, other, "something else is there"),
            (How::Fixed, other, "something else is there"),
            (How::Fixed, same, "it can be written"),
            (How::Covered, same, "it is not covered"),
            (How::Covered, other, "it can be read"),
        ] {
            assert_eq!(place(&file, how, inode).fault().unwrap(), Some(fault), "{how:?}");
        }
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(place(&link, How::Writable, same).fault().is_err());
        assert!(place(&root.join("gone"), How::Writable, same).fault().is_err());
    }

    #[test]
    fn mounts_that_can_be_written_are_found_by_their_names() {
        let mounts = b"22 1 0:20 / / ro,relatime shared:1 - ext4 /dev/vda rw\n\
            23 22 0:21 / /a\\040b\\134c rw,nosuid - tmpfs tmpfs rw\n\
            24 22 0:21 / /root rw - tmpfs tmpfs ro\n\
            25 22 0:21 / /ro nosuid,ro - tmpfs rw rw\n\n";
        let found: Vec<PathBuf> = writable_mounts(mounts).collect();
        assert_eq!(found, [Path::new("/a b\\c"), Path::new("/root")]);
    }
}
