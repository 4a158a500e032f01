//! The paths under which a system shows the descriptors of processes. Owns how they are read; what a descriptor leads to, `redirect` says.

/// The descriptor that a path goes through, none where its number is not known, and what of the path stands behind it.
pub(super) fn of(path: &str) -> Option<(Option<u32>, &str)> {
    for (name, number) in [("/dev/stdin", 0), ("/dev/stdout", 1), ("/dev/stderr", 2)] {
        if let Some(rest) = path.strip_prefix(name).filter(|rest| is_below(rest)) {
            return Some((Some(number), rest));
        }
    }
    let rest = match path.strip_prefix("/dev/fd/") {
        Some(rest) => rest,
        None => behind_process(path)?.strip_prefix("fd/")?,
    };
    let end = rest.find('/').unwrap_or(rest.len());
    let (number, below) = rest.split_at(end);
    if is_pipe(path) {
        return None;
    }
    Some((number.parse().ok(), below))
}

/// Whether a path is that of a process substitution, see [`super::streams::Streams::new_pipe`].
pub(super) fn is_pipe(path: &str) -> bool {
    path.starts_with("/dev/fd/pipe")
}

/// Whether a path leads through what another process has open, or to where it stands.
pub(super) fn is_of_process(path: &str) -> bool {
    let behind = behind_process(path).map(|behind| behind.split('/').next().unwrap_or(behind));
    matches!(behind, Some("cwd" | "exe" | "fd" | "root")) || path.starts_with("/dev/fd/")
}

/// What a path names of a process, or of a thread of one.
fn behind_process(path: &str) -> Option<&str> {
    let (_, behind) = path.strip_prefix("/proc/")?.split_once('/')?;
    match behind.strip_prefix("task/") {
        Some(thread) => thread.split_once('/').map(|(_, behind)| behind),
        None => Some(behind),
    }
}

fn is_below(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_has_many_paths() {
        for path in [
            "/dev/fd/8",
            "/proc/self/fd/8",
            "/proc/thread-self/fd/8",
            "/proc/**/fd/8",
            "/proc/71/task/72/fd/8",
        ] {
            assert_eq!(of(path), Some((Some(8), "")), "{path}");
        }
        assert_eq!(of("/dev/stdin"), Some((Some(0), "")));
        assert_eq!(of("/dev/fd/8/x/y"), Some((Some(8), "/x/y")));
        assert_eq!(of("/dev/fd/**"), Some((None, "")));
        for path in ["/dev/fd/pipe1", "/dev/stdinx", "/proc/self/maps", "/w/fd/8"] {
            assert_eq!(of(path), None, "{path}");
        }
        assert!(is_of_process("/proc/71/cwd/x") && is_of_process("/proc/self/task/1/root"));
        assert!(!is_of_process("/proc/sys/fs/x") && !is_of_process("/proc/self/oom_score_adj"));
    }
}
