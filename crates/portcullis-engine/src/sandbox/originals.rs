//! What is protected and lies elsewhere than where a program writes. Owns which files those are; their further names are looked for by
//! `portcullis_sandbox`.

use std::{fs, path::PathBuf};

use portcullis_sandbox::{Original, Profile};

use super::at_home;
use crate::platform::Directories;

/// What is protected and lies elsewhere than where the profile writes: there it may have a further name.
pub(super) fn originals(
    profile: &Profile,
    directories: &Directories,
    elsewhere: impl Iterator<Item = PathBuf>,
    programs: &[PathBuf],
) -> Vec<Original> {
    let mut found = at_home(directories, &[PathBuf::from("/")]);
    found.extend(profile.protected.iter().cloned().chain(elsewhere));
    found.retain(|path| {
        let is_written = profile.write.iter().any(|root| path.starts_with(root));
        !is_written && fs::symlink_metadata(path).is_ok()
    });
    let original = |path: PathBuf| {
        let is_program = programs.contains(&path);
        Original { path, is_program }
    };
    let mut found: Vec<Original> = found.into_iter().map(original).collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::{super::*, *};

    #[test]
    fn what_is_the_gates_or_an_agents_and_lies_elsewhere_has_its_names_looked_for() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let (home, workspace) = (root.join("home"), root.join("work"));
        for path in [".config/portcullis", ".claude", ".local/bin"] {
            fs::create_dir_all(home.join(path)).unwrap();
        }
        fs::create_dir_all(workspace.join(".git")).unwrap();
        for path in [".bashrc", ".local/bin/claude", "notes"] {
            fs::write(home.join(path), "").unwrap();
        }
        let variables =
            |name: &str| (name == platform::HOME).then(|| home.clone().into_os_string());
        let directories = Directories { account: None, ..Directories::from_variables(variables) };
        let profile = BuiltIn::WorkspaceWrite.profile(&workspace, &directories, None).unwrap();
        let original =
            |path: &str| profile.originals.iter().find(|one| one.path == home.join(path));
        for (path, is_program) in [
            (".config/portcullis", false),
            (".claude", false),
            (".bashrc", false),
            (".local/bin/claude", true),
        ] {
            assert_eq!(original(path).map(|one| one.is_program), Some(is_program), "{path}");
        }
        assert!(original("notes").is_none() && original(".zshrc").is_none());
        assert!(profile.originals.iter().all(|one| !one.path.starts_with(&workspace)));
        let reads = BuiltIn::ReadOnly.profile(&workspace, &directories, None).unwrap();
        assert!(reads.originals.is_empty());
    }
}
