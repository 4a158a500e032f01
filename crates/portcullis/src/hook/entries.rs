//! Which files of agents hold a hook of ours. Owns the list of them, `hooked` in the state directory: one absolute path on
//! each line. Installing a hook adds its file and removing it takes it out again, so that a call that would change such a
//! file is seen for what it is.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::private;

/// The list is longer than this nowhere: some thirty agents, a few files each.
const MOST: u64 = 64 << 10;

/// The list's file.
#[must_use]
pub fn list(state: &Path) -> PathBuf {
    state.join("hooked")
}

/// The files in the list. One that cannot be believed names none: then changing such a file is asked about, as with any
/// other settings of an agent.
#[must_use]
pub fn read(state: &Path) -> Vec<String> {
    let Ok(bytes) = private::read(&list(state), MOST) else { return Vec::new() };
    let text = String::from_utf8_lossy(&bytes);
    text.lines().filter(|line| line.starts_with('/')).map(str::to_owned).collect()
}

/// Writes the list anew. A path with a line break would be read as two, and is left out: then changing that file is asked
/// about.
///
/// # Errors
/// When it cannot be written.
pub fn write(state: &Path, paths: &[&str]) -> io::Result<()> {
    let lines = paths.iter().filter(|path| !path.contains('\n'));
    let text: String = lines.map(|path| format!("{path}\n")).collect();
    private::write(&list(state), text.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::*;

    #[test]
    fn only_absolute_paths_of_a_private_list_count() {
        let directory = tempfile::tempdir().unwrap();
        assert!(read(directory.path()).is_empty());
        let list = list(directory.path());
        fs::write(&list, "/home/dev/.claude/settings.json\n\nrelative\n").unwrap();
        fs::set_permissions(&list, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(read(directory.path()), ["/home/dev/.claude/settings.json"]);
        fs::set_permissions(&list, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(read(directory.path()).is_empty());
        write(directory.path(), &["/a", "/b\n/c", "/d"]).unwrap();
        assert_eq!(read(directory.path()), ["/a", "/d"]);
    }
}
