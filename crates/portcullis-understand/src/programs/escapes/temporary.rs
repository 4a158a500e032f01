//! Which commands are run from where everybody may put something. Owns the places.

use super::is_shell;
use crate::{bound::Bounded, facts::Facts, text::Text};

/// Whether the program that a command names, or the script that its interpreter is given, lies among temporary files.
pub(crate) fn names_temporary(command: &Text, facts: &Facts) -> bool {
    /// How many words of a command are looked at: interpreters within each other, their options, the script.
    const WORDS: usize = 16;
    let marks = ['|', '!', '-', ' '];
    let mut words = command.known_prefix().trim_start_matches(marks).split_whitespace();
    let first = words.next().unwrap_or("");
    let program = first.rsplit('=').next().unwrap_or(first);
    let is_interpreter = |word: &str| {
        let name = word.rsplit('/').next().unwrap_or(word);
        matches!(name, "." | "source")
            || is_shell(name)
            || crate::programs::interpreters::speaks(name)
    };
    // `sh -c "sh /tmp/x"`: what is run within is a script too.
    let mut within = words
        .leading(WORDS)
        .map(|word| word.trim_matches(['"', '\'']))
        .skip_while(|word| word.starts_with('-') || is_interpreter(word));
    is_anybodys(program, facts)
        || is_interpreter(program) && within.next().is_some_and(|word| is_anybodys(word, facts))
}

/// Whether a path lies where what others made comes to lie: temporary files, what a browser fetched, folders that are shared. The project that
/// the call works in may be there too, and is its own.
pub(crate) fn is_anybodys(path: &str, facts: &Facts) -> bool {
    lies_where_all_may_put(path) && !is_of_the_work(path, facts)
}

/// Whether a path is temporary and not of the project.
pub(crate) fn is_temporary_beside(path: &str, facts: &Facts) -> bool {
    is_temporary(path) && !is_of_the_work(path, facts)
}

/// Whether a path leads into the workspace, which is no such folder as a whole.
fn is_of_the_work(path: &str, facts: &Facts) -> bool {
    let root = facts.workspace.as_deref().unwrap_or_default().trim_end_matches('/');
    // One that only has such folders in it says nothing of them.
    let lies_there = lies_where_all_may_put(root) && !root.ends_with("/Downloads");
    lies_there
        && path.strip_prefix(root).is_some_and(|rest| rest.starts_with('/'))
        && !path.split('/').any(|part| part == "..")
}

fn lies_where_all_may_put(path: &str) -> bool {
    /// Where the files of other machines and disks are found.
    const ROOTS: &[&str] = &["/Volumes/", "/media/", "/mnt/", "/net/", "/nfs/", "/srv/"];
    const SHARED: &[&str] = &["incoming", "public", "share", "shared", "upload", "uploads"];
    let folders = || path.rsplit_once('/').map_or("", |(above, _)| above).split('/');
    is_temporary(path)
        || folders().skip(1).any(|folder| folder == "Downloads")
        || path.starts_with("~/Downloads/")
        || path.starts_with("/Users/Shared/")
        || ["/home/", "/Users/"].iter().any(|homes| {
            path.strip_prefix(homes).is_some_and(|rest| rest.split('/').nth(1) == Some("Public"))
        })
        || ROOTS.iter().any(|root| path.starts_with(root))
            && folders().any(|folder| SHARED.iter().any(|it| folder.eq_ignore_ascii_case(it)))
}

/// Whether a path lies where everybody may put something.
pub fn is_temporary(path: &str) -> bool {
    ["/tmp/", "/var/tmp/", "/dev/shm/"].iter().any(|start| path.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_among_temporary_files_is_its_own() {
        let facts =
            |workspace: &str| Facts { workspace: Some(workspace.to_owned()), ..Facts::default() };
        assert!(!is_anybodys("/tmp/job/tools/run.sh", &facts("/tmp/job")));
        for (path, workspace) in [
            ("/tmp/run.sh", "/tmp/job"),
            ("/tmp/jobs/run.sh", "/tmp/job"),
            ("/tmp/job/../run.sh", "/tmp/job"),
            ("/tmp/run.sh", "/tmp"),
            ("/tmp/run.sh", "/"),
            ("/home/dev/Downloads/x", "/home/dev/Downloads"),
        ] {
            assert!(is_anybodys(path, &facts(workspace)), "{path} beside {workspace}");
        }
    }
}
