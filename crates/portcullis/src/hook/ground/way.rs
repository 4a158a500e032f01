//! What a path is, whatever it is called. Owns the links on the way to it, the identity of directories, and what is attached
//! where; whose they are, others decide.

use std::{
    ffi::OsString,
    fs,
    path::{Component, Path, PathBuf},
};

/// The most links that one path may lead through, as Linux has it (`MAXSYMLINKS`).
const MAX_LINKS: usize = 40;

/// What is attached where in the view of this process, as `proc_pid_mountinfo(5)` describes it.
const ATTACHED: &str = "/proc/self/mountinfo";

/// The most bytes of that list that are read.
const LONGEST: u64 = 4 << 20;

/// The way to a path, as the system goes it: where each link on it stands, and at last where it leads. What is not there yet
/// stays as it is written.
pub(super) fn way(path: &Path) -> Vec<PathBuf> {
    let is_plain = |step: Component<'_>| matches!(step, Component::RootDir | Component::Normal(_));
    if path.components().all(is_plain) && !path.ancestors().any(Path::is_symlink) {
        return vec![path.to_owned()];
    }
    let mut way = Vec::new();
    let mut here = PathBuf::from("/");
    let mut waiting: Vec<OsString> = steps(path);
    while let Some(step) = waiting.pop() {
        if step == ".." {
            here.pop();
            continue;
        }
        let next = here.join(step);
        match fs::read_link(&next) {
            Ok(target) if way.len() < MAX_LINKS => {
                way.push(next);
                if target.is_absolute() {
                    here = PathBuf::from("/");
                }
                waiting.extend(steps(&target));
            }
            _ => here = next,
        }
    }
    way.push(here);
    way
}

/// The steps of a path, the last one first.
fn steps(path: &Path) -> Vec<OsString> {
    let step = |component: Component<'_>| match component {
        Component::Normal(_) | Component::ParentDir => Some(component.as_os_str().to_owned()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    };
    path.components().rev().filter_map(step).collect()
}

/// Whether a path leads into some tree of version control, whoever works there.
pub(super) fn is_in_a_tree(path: &Path) -> bool {
    let is_tree = |folder: &Path| fs::symlink_metadata(folder.join(".git")).is_ok();
    way(path).iter().any(|step| step.ancestors().any(is_tree))
}

/// Whether two names are of one directory.
pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    one == other || identity(one).is_some_and(|known| Some(known) == identity(other))
}

/// What a directory is, whatever it is called: its device and its number there.
pub(super) fn identity(path: &Path) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// Whether a file that its user may change has a second name, by which somebody changes it who never names this one.
pub(super) fn has_twin(file: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let metadata = fs::metadata(file);
        // Stores of packages link equal files to each other, and let nobody write them.
        metadata
            .is_ok_and(|found| found.is_file() && found.nlink() > 1 && found.mode() & 0o222 != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        false
    }
}

/// Whether something is attached between a directory and a path below it, as far as that exists.
pub(super) fn is_attached_between(directory: &Path, path: &Path) -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{AtFlags, CWD, StatxFlags};
        let attachment = |path: &Path| {
            let found = rustix::fs::statx(CWD, path, AtFlags::empty(), StatxFlags::MNT_ID).ok()?;
            // Before Linux 5.8 nobody says.
            (found.stx_mask & StatxFlags::MNT_ID.bits() != 0).then_some(found.stx_mnt_id)
        };
        let Some(home) = attachment(directory) else { return false };
        let there = path.ancestors().take_while(|path| *path != directory);
        there.filter_map(attachment).any(|id| id != home)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (directory, path);
        false
    }
}

/// One thing that is attached.
#[derive(Debug)]
struct Attachment {
    device: String,
    /// What of the device.
    of: PathBuf,
    at: PathBuf,
    /// Whether a program shows what is there (FUSE), which any user can start.
    by_program: bool,
}

/// What is attached where, in that order.
#[derive(Debug, Default)]
pub(super) struct Attached {
    list: Vec<Attachment>,
    /// The list is longer than what was read of it.
    is_cut: bool,
}

impl Attached {
    /// In the view of this process; nothing where the system does not say.
    pub(super) fn read() -> Self {
        use std::io::Read as _;
        let mut text = Vec::new();
        let file = fs::File::open(ATTACHED);
        let read = file.and_then(|file| file.take(LONGEST + 1).read_to_end(&mut text));
        if read.is_err() {
            return Self::default();
        }
        Self { is_cut: text.len() as u64 > LONGEST, ..Self::of(&String::from_utf8_lossy(&text)) }
    }

    fn of(text: &str) -> Self {
        let line = |line: &str| {
            let (place, kind) = line.split_once(" - ")?;
            let mut fields = place.split(' ').skip(2);
            let (device, of, at) = (fields.next()?, fields.next()?, fields.next()?);
            Some(Attachment {
                device: device.to_owned(),
                of: unescaped(of).into(),
                at: unescaped(at).into(),
                by_program: kind.starts_with("fuse"),
            })
        };
        Self { list: text.lines().filter_map(line).collect(), is_cut: false }
    }

    /// Whether a path lies in a directory by where both are on their device, under whatever name it is attached. Both are
    /// without links. What nobody can tell is taken for true.
    pub(super) fn holds(&self, directory: &Path, path: &Path) -> bool {
        if self.is_cut {
            return true;
        }
        match (self.origin(directory), self.origin(path)) {
            (Some((device, directory)), Some((other, path))) => {
                device == other && path.starts_with(directory)
            }
            _ => false,
        }
    }

    /// Whether a program of some user shows what is at a path, and not the whole home too: it can show a project there.
    pub(super) fn is_shown_by_a_program(&self, path: &Path, home: Option<&Path>) -> bool {
        let shown = self.around(path).filter(|one| one.by_program);
        shown.is_some_and(|one| !home.is_some_and(|home| home.starts_with(&one.at)))
    }

    /// The device that a path lies on, and where on it.
    fn origin(&self, path: &Path) -> Option<(&str, PathBuf)> {
        let Attachment { device, of, at, .. } = self.around(path)?;
        Some((device, of.join(path.strip_prefix(at).ok()?)))
    }

    /// What a path lies in.
    fn around(&self, path: &Path) -> Option<&Attachment> {
        let mut found: Option<&Attachment> = None;
        for one in &self.list {
            // What was attached later covers what was there.
            if path.starts_with(&one.at) && found.is_none_or(|known| one.at.starts_with(&known.at))
            {
                found = Some(one);
            }
        }
        found
    }
}

/// A field of the list: what would part fields is written as three octal digits.
fn unescaped(field: &str) -> String {
    let pairs = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    pairs.iter().fold(field.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_attached_twice_is_known_by_its_place_on_the_device() {
        let attached = Attached::of(
            "21 1 8:1 / / rw - ext4 /dev/a rw\n\
             22 21 8:2 /@home /home rw - btrfs /dev/b rw\n\
             23 21 8:2 /@home/dev/app/deep /mnt/with\\040space rw - btrfs /dev/b rw\n\
             24 21 8:1 /srv /home/dev/.config rw - ext4 /dev/a rw\n\
             25 21 0:9 / /mnt/shown rw - fuse.bindfs bindfs rw\nshort\n",
        );
        for (directory, path, holds) in [
            ("/home/dev/app", "/mnt/with space", true),
            ("/home/dev/app", "/mnt/with space/x/y", true),
            ("/home/dev/app/deep", "/mnt/with space", true),
            ("/home/dev/app/deep/er", "/mnt/with space", false),
            ("/home/dev/other", "/mnt/with space", false),
            ("/mnt/with space", "/home/dev/app/deep/x", true),
            ("/srv/x", "/home/dev/.config/x/y", true),
            // What is covered there is not what is seen.
            ("/home/dev/app", "/home/dev/.config", false),
        ] {
            assert_eq!(
                attached.holds(Path::new(directory), Path::new(path)),
                holds,
                "{directory} {path}"
            );
        }
        let home = Some(Path::new("/home/dev"));
        assert!(attached.is_shown_by_a_program(Path::new("/mnt/shown/x"), home));
        assert!(!attached.is_shown_by_a_program(Path::new("/mnt/x"), home));
        let shown = Some(Path::new("/mnt/shown/dev"));
        assert!(!attached.is_shown_by_a_program(Path::new("/mnt/shown/dev/.config"), shown));
        assert!(Attached { is_cut: true, ..attached }.holds(Path::new("/x"), Path::new("/y")));
        assert!(!Attached::default().holds(Path::new("/x"), Path::new("/x")));
    }

    #[cfg(unix)]
    #[test]
    fn a_second_name_counts_where_the_file_can_be_changed() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(!has_twin(&file));
        fs::hard_link(&file, folder.path().join("twin")).unwrap();
        assert!(has_twin(&file));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
        assert!(!has_twin(&file));
        assert!(!has_twin(folder.path()) && !has_twin(&folder.path().join("missing")));
    }
}
