//! A copy of a workspace, where no overlay can be had. Owns its bounds: what is larger is not tried.

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
};

use crate::tree::{Kind, Root, Settled};

/// The most that is copied.
const MOST_FILES: u64 = 100_000;
const MOST_BYTES: u64 = 2 << 30;

/// Copies everything below one directory into another, which is empty. What could not be copied is said, a sentence each.
///
/// # Errors
/// Where there is too much of it, or the system refuses.
pub(super) fn copied(from: &Root, to: &Root) -> io::Result<Vec<String>> {
    let mut copy = Copy { from, to, files: 0, bytes: 0, links: HashMap::new(), notes: Vec::new() };
    copy.folder(Path::new(""))?;
    Ok(copy.notes)
}

struct Copy<'a> {
    from: &'a Root,
    to: &'a Root,
    files: u64,
    bytes: u64,
    /// Where the first name of a file with several was copied to.
    links: HashMap<(u64, u64), PathBuf>,
    notes: Vec<String>,
}

impl Copy<'_> {
    fn folder(&mut self, path: &Path) -> io::Result<()> {
        let (names, _) = self.from.names(path, usize::MAX)?;
        for name in names {
            self.entry(&path.join(name))?;
        }
        // Only now: what was copied into it changed its time.
        if let Some(node) = self.from.node(path, false)? {
            self.to.dress_folder(&node, path)?;
        }
        Ok(())
    }

    fn entry(&mut self, path: &Path) -> io::Result<()> {
        let node = match self.from.node(path, false) {
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::XDEV.raw_os_error()) => {
                self.notes.push(format!(
                    "`{}` is another file system and was not copied",
                    crate::tree::write_name(path)
                ));
                return Ok(());
            }
            node => node?,
        };
        let Some(node) = node else { return Ok(()) };
        self.files += 1;
        self.bytes = self.bytes.saturating_add(node.length);
        if self.files > MOST_FILES || self.bytes > MOST_BYTES {
            return Err(io::Error::other(format!(
                "the workspace has more than {MOST_FILES} files or {MOST_BYTES} bytes, too much to copy"
            )));
        }
        match node.kind {
            Kind::Folder => {
                let open = crate::tree::Node { mode: node.mode | 0o700, ..node };
                self.to.make(&open, path)?;
                self.folder(path)
            }
            Kind::Socket | Kind::Device => {
                self.notes.push(format!(
                    "`{}` is a socket or a device and was not copied",
                    crate::tree::write_name(path)
                ));
                Ok(())
            }
            Kind::File if node.names > 1 => match self.links.get(&node.number) {
                Some(first) => self.to.link(first, self.to, path),
                None => {
                    self.links.insert(node.number, path.to_owned());
                    self.from.copy(path, &node, self.to, path, Settled::Later).map(drop)
                }
            },
            Kind::File | Kind::Link | Kind::Pipe => {
                self.from.copy(path, &node, self.to, path, Settled::Later).map(drop)
            }
        }
    }
}
