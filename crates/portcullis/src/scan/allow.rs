//! What a person allowed beforehand: comments in a line, and files and folders that are left out. Owns how both are written; that
//! they are honoured, the options say.
//!
//! Anybody who writes a file can write such a comment into it, so a gate must not honour them in what an agent made.

use std::path::{Component, Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The comments that allow what stands in the same line: our own and the one that most trees already have.
const COMMENTS: &[&[u8]] = &[b"portcullis:allow", b"gitleaks:allow"];

/// The file that names what is left out, written as a `.gitignore`.
const FILE: &str = ".portcullisignore";

/// Whether a comment in the lines of a finding allows it.
pub(super) fn in_line(around: &[u8]) -> bool {
    COMMENTS.iter().any(|comment| memchr::memmem::find(around, comment).is_some())
}

/// The files and folders that are left out.
#[derive(Debug)]
pub(super) struct Exclusions {
    /// Each with the folder that it is about.
    lists: Vec<(PathBuf, Gitignore)>,
    here: PathBuf,
}

impl Exclusions {
    /// Those of the options, and those of the files in the working directory and in each of the `roots`.
    ///
    /// Gives also what could not be read, with the reason.
    pub(super) fn new(
        roots: &[PathBuf],
        lines: &[String],
        files: bool,
    ) -> (Self, Vec<(PathBuf, String)>) {
        let (mut lists, mut problems) = (Vec::new(), Vec::new());
        let here = std::env::current_dir().unwrap_or_default();
        let mut folders = vec![here.clone()];
        for root in roots.iter().map(|root| absolute(&here, root)).filter(|root| root.is_dir()) {
            if !folders.contains(&root) {
                folders.push(root);
            }
        }
        for folder in folders {
            let mut builder = GitignoreBuilder::new(&folder);
            for line in lines {
                if let Err(error) = builder.add_line(None, line) {
                    problems.push((PathBuf::from(line), error.to_string()));
                }
            }
            let file = folder.join(FILE);
            if files
                && file.is_file()
                && let Some(error) = builder.add(&file)
            {
                problems.push((file, error.to_string()));
            }
            match builder.build() {
                Ok(list) if list.is_empty() => {}
                Ok(list) => lists.push((folder, list)),
                Err(error) => problems.push((folder, error.to_string())),
            }
        }
        (Self { lists, here }, problems)
    }

    /// Whether a file or folder is left out, by itself or with one above it.
    pub(super) fn leave_out(&self, path: &Path, is_folder: bool) -> bool {
        if self.lists.is_empty() {
            return false;
        }
        let path = absolute(&self.here, path);
        self.lists.iter().any(|(folder, list)| {
            let Ok(below) = path.strip_prefix(folder) else { return false };
            let mut above = below.ancestors().filter(|part| !part.as_os_str().is_empty());
            let own = above.next().is_some_and(|own| list.matched(own, is_folder).is_ignore());
            own || above.any(|folder| list.matched(folder, true).is_ignore())
        })
    }
}

/// The path from the root, without `.` and `..`.
fn absolute(here: &Path, path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in here.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                whole.pop();
            }
            part => whole.push(part),
        }
    }
    whole
}
