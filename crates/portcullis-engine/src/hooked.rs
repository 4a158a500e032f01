//! Which files of agents hold a hook of ours. Owns the list of them, `hooked` in the state directory: one absolute path on
//! each line. Installing a hook adds its file and removing it takes it out again, so that a call that would change such a
//! file is seen for what it is. Owns too what a hook is told there by whoever installed it: which directory is that of the
//! configuration where it is not the usual one, and where a trial of an installation records.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::private;

/// Before the directory of the configuration, which is no file of an agent.
const CONFIGURATION: &str = "configuration=";

/// Says that a copy of the configuration is kept in the state directory.
const KEPT: &str = "kept=configuration";

/// How long a trial may last: `doctor` tries each agent for seconds.
const TRIAL: Duration = Duration::from_secs(120);

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

/// Whether a hook was installed whose state is kept here.
#[must_use]
pub fn is_installed(state: Option<&Path>) -> bool {
    let metadata = state.and_then(|state| fs::symlink_metadata(list(state)).ok());
    // When the last one was removed, an empty list stays.
    metadata.is_some_and(|found| found.len() > 0)
}

/// Whether a copy of the configuration was kept here when the list was written.
#[must_use]
pub fn is_kept(state: &Path) -> bool {
    let bytes = private::read(&list(state), MOST).unwrap_or_default();
    String::from_utf8_lossy(&bytes).lines().any(|line| line == KEPT)
}

/// Notes that a copy of the configuration is kept here, where a hook is installed and there is one.
///
/// # Errors
/// When it cannot be written.
pub fn note_kept(state: &Path) -> io::Result<()> {
    if !is_installed(Some(state)) || is_kept(state) {
        return Ok(());
    }
    let paths = read(state);
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    write(state, &paths, configuration(state).as_deref())
}

/// The directory of the configuration that was noted at the last installation, where it is not the usual one.
#[must_use]
pub fn configuration(state: &Path) -> Option<PathBuf> {
    let bytes = private::read(&list(state), MOST).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let noted = text.lines().find_map(|line| line.strip_prefix(CONFIGURATION))?;
    Some(PathBuf::from(noted)).filter(|path| path.is_absolute())
}

/// Where the trial of an installation is noted.
fn trial(state: &Path) -> PathBuf {
    state.join("trial")
}

/// Notes that a hook is tried, which records in a directory apart; `false` where no hook is installed that has to know.
///
/// # Errors
/// When it cannot be written.
pub fn begin_trial(state: &Path, apart: &Path) -> io::Result<bool> {
    if !is_installed(Some(state)) {
        return Ok(false);
    }
    private::write(&trial(state), apart.as_os_str().as_encoded_bytes())?;
    Ok(true)
}

/// Ends a trial.
pub fn end_trial(state: &Path) {
    // One that stays ends by itself.
    let _ = fs::remove_file(trial(state));
}

/// Whether a hook is being tried that records in this directory.
#[must_use]
pub fn is_trial(state: &Path, apart: &Path) -> bool {
    if state == apart {
        return false;
    }
    let path = trial(state);
    let Ok(written) = fs::symlink_metadata(&path).and_then(|found| found.modified()) else {
        return false;
    };
    written.elapsed().is_ok_and(|age| age < TRIAL)
        && private::read(&path, MOST)
            .is_ok_and(|bytes| bytes == apart.as_os_str().as_encoded_bytes())
}

/// Writes the list anew. A path with a line break would be read as two, and is left out: then changing that file is asked
/// about.
///
/// # Errors
/// When it cannot be written.
pub fn write(state: &Path, paths: &[&str], configuration: Option<&Path>) -> io::Result<()> {
    let lines = paths.iter().filter(|path| !path.contains('\n'));
    let mut text: String = lines.map(|path| format!("{path}\n")).collect();
    let noted = configuration.filter(|_| !text.is_empty()).and_then(Path::to_str);
    if let Some(path) = noted.filter(|path| !path.contains('\n')) {
        text.push_str(&format!("{CONFIGURATION}{path}\n"));
    }
    if !text.is_empty() && (state.join("own").is_dir() || is_kept(state)) {
        text.push_str(&format!("{KEPT}\n"));
    }
    private::write(&list(state), text.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

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
        write(directory.path(), &["/a", "/b\n/c", "/d"], None).unwrap();
        assert_eq!(read(directory.path()), ["/a", "/d"]);
        assert_eq!(configuration(directory.path()), None);
        write(directory.path(), &["/a"], Some(Path::new("/x y/z"))).unwrap();
        assert_eq!(read(directory.path()), ["/a"]);
        assert_eq!(configuration(directory.path()), Some("/x y/z".into()));
    }

    #[test]
    fn a_trial_is_believed_while_it_can_last() {
        let directory = tempfile::tempdir().unwrap();
        let (state, apart) = (directory.path(), Path::new("/apart"));
        assert!(!begin_trial(state, apart).unwrap() && !is_trial(state, apart));
        write(state, &["/a"], None).unwrap();
        assert!(begin_trial(state, apart).unwrap() && is_trial(state, apart));
        assert!(!is_trial(state, Path::new("/other")) && !is_trial(state, state));
        let file = fs::File::options().write(true).open(trial(state)).unwrap();
        file.set_modified(std::time::SystemTime::now() - TRIAL).unwrap();
        assert!(!is_trial(state, apart));
        begin_trial(state, apart).unwrap();
        end_trial(state);
        assert!(!is_trial(state, apart));
    }
}
