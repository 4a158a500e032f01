//! Where file systems are mounted that wait for a server or a program. Owns how long that is known: writing the table takes the kernel longer than most
//! calls take to be judged, and it says for nothing whether anything was mounted since.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

/// What stands in the table for file systems that may not answer.
const REMOTE: &[&str] =
    &["nfs", "cifs", "smb", "afs", "ceph", "glusterfs", "lustre", "9p", "autofs", "fuse"];

/// The mounts of this process, as they are at each look.
#[derive(Debug, Default)]
pub struct Mounts {
    #[cfg(target_os = "linux")]
    kept: Mutex<Option<linux::Table>>,
}

impl Mounts {
    /// Where file systems are mounted that wait for a server or a program; empty where the system does not say.
    #[must_use]
    #[cfg(target_os = "linux")]
    pub fn remote(&self) -> Arc<[PathBuf]> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = kept.as_ref().filter(|table| table.is_current()) {
            return Arc::clone(&table.remote);
        }
        *kept = linux::Table::read();
        kept.as_ref().map_or_else(Arc::default, |table| Arc::clone(&table.remote))
    }

    /// Where file systems are mounted that wait for a server or a program; empty where the system does not say.
    #[must_use]
    #[cfg(not(target_os = "linux"))]
    pub fn remote(&self) -> Arc<[PathBuf]> {
        Arc::default()
    }
}

/// The mounts in a table as `proc_pid_mounts(5)` describes it.
fn remote_mounts_of(table: &str) -> Arc<[PathBuf]> {
    let mount = |line: &str| {
        let mut words = line.split(' ').skip(1);
        let (point, kind) = (words.next()?, words.next()?);
        // `fuseblk` is a disk.
        let is_remote = kind != "fuseblk" && REMOTE.iter().any(|name| kind.starts_with(name));
        let unescaped =
            || point.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
        (is_remote && point != "/").then(|| unescaped().into())
    };
    table.lines().filter_map(mount).collect()
}

#[cfg(target_os = "linux")]
mod linux {
    use std::{fs, io::Read as _, path::PathBuf, process, sync::Arc};

    use rustix::{
        event::{self, PollFd, PollFlags, Timespec},
        fs::{AtFlags, CWD, StatxFlags, statx},
    };

    use super::remote_mounts_of;

    /// A table that was read, and left open: the kernel tells by it of every later change.
    #[derive(Debug)]
    pub(super) struct Table {
        file: fs::File,
        view: View,
        pub(super) remote: Arc<[PathBuf]>,
    }

    /// Whose view of the file system it is. What a process was forked from would take its notice of a change away, and who has gone to another
    /// namespace or root gets none.
    #[derive(Clone, Copy, Debug, Eq, PartialEq)]
    struct View {
        process: u32,
        device: (u32, u32),
        inode: u64,
        mount: u64,
    }

    impl Table {
        /// What the kernel writes now.
        pub(super) fn read() -> Option<Self> {
            let view = View::now();
            let mut file = fs::File::open("/proc/self/mounts").ok()?;
            // The size that a file there gives itself is 0; this is more than most tables have.
            let mut table = String::with_capacity(1 << 13);
            file.read_to_string(&mut table).ok()?;
            let remote = remote_mounts_of(&table);
            // Without a view of its own nothing is ever the same.
            Some(Self { file, view: view?, remote })
        }

        /// Whether nothing was mounted or taken away since. Where a kernel, or what stands for one, cannot tell, something was.
        pub(super) fn is_current(&self) -> bool {
            View::now() == Some(self.view) && is_quiet(&self.file)
        }
    }

    impl View {
        fn now() -> Option<Self> {
            let wanted = StatxFlags::INO | StatxFlags::MNT_ID;
            let root = statx(CWD, "/", AtFlags::empty(), wanted).ok()?;
            let said = StatxFlags::from_bits_retain(root.stx_mask);
            said.contains(wanted).then_some(Self {
                process: process::id(),
                device: (root.stx_dev_major, root.stx_dev_minor),
                inode: root.stx_ino,
                mount: root.stx_mnt_id,
            })
        }
    }

    /// Whether the kernel tells of changes to what stands in a file, and of none: a file that it does not watch can always be written to.
    pub(super) fn is_quiet(file: &fs::File) -> bool {
        let told = PollFlags::PRI | PollFlags::ERR | PollFlags::OUT;
        let mut asked = [PollFd::new(file, told)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        event::poll(&mut asked, Some(&at_once)).is_ok_and(|told| told == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_file_systems_that_wait_for_somebody_are_remote() {
        let table = "/dev/sda1 / ext4 rw 0 0\nhost:/x /mnt/a\\040b nfs4 rw 0 0\nproc /proc proc rw 0 0\n\
            h /s fuse.sshfs rw 0 0\n/dev/sdb /usb fuseblk rw 0 0\noverlay / fuse.overlay rw 0 0\nbroken";
        assert_eq!(*remote_mounts_of(table), [PathBuf::from("/mnt/a b"), "/s".into()]);
    }
    #[cfg(target_os = "linux")]
    mod kept {
        use std::{env, process::Command};

        use super::{super::linux::is_quiet, *};

        /// Set in the process that has a namespace of its own, with the directory that something is mounted on.
        const INSIDE: &str = "PORTCULLIS_TEST_MOUNTS_ON";

        #[test]
        fn a_table_is_read_again_only_where_something_changed() {
            let mounts = Mounts::default();
            // Somebody else may be mounting something just now.
            let is_kept = |_| Arc::ptr_eq(&mounts.remote(), &mounts.remote());
            assert!((0..100).any(is_kept));
            assert!(mounts.kept.lock().unwrap().is_some());
        }

        #[test]
        fn a_file_that_the_kernel_does_not_watch_is_believed_to_change() {
            let file = tempfile::tempfile().unwrap();
            assert!(!is_quiet(&file));
            let quiet = |_| is_quiet(&std::fs::File::open("/proc/self/mounts").unwrap());
            assert!((0..100).any(quiet));
        }

        /// Starts itself in a namespace of its own, where it may mount something; left out where the system lets nobody do that.
        #[test]
        fn what_is_mounted_between_two_calls_is_seen_by_the_second() {
            let Ok(place) = env::var(INSIDE) else {
                let directory = tempfile::tempdir().unwrap();
                let own = env::current_exe().unwrap();
                let name = "platform::mounts::tests::kept::what_is_mounted_between_two_calls_is_seen_by_the_second";
                let said = Command::new("unshare")
                    .args(["--user", "--map-root-user", "--mount"])
                    .arg(own)
                    .args(["--exact", name, "--nocapture"])
                    .env(INSIDE, directory.path())
                    .output();
                if let Ok(said) = said {
                    let text = String::from_utf8_lossy(&said.stdout).into_owned();
                    assert!(said.status.success() || !text.contains("running 1 test"), "{text}");
                }
                return;
            };
            let mounts = Mounts::default();
            let table = || mounts.kept.lock().unwrap();
            let _ = mounts.remote();
            assert!(table().as_ref().unwrap().is_current());
            let mounted =
                Command::new("mount").args(["-t", "tmpfs", "none", &place]).status().unwrap();
            assert!(mounted.success());
            assert!(!table().as_ref().unwrap().is_current());
            let _ = mounts.remote();
            assert!(table().as_ref().unwrap().is_current());
        }
    }
}
