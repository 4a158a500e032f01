//! Which of many named paths are there. Owns what a `*` in a name means, and that nothing is looked at twice.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    rc::Rc,
};

/// The most entries of a directory that a `*` is held against.
const MOST_ENTRIES: usize = 1_000;

/// Which paths are there. Remembers every answer, since many lie below the same.
#[derive(Default)]
pub(super) struct There {
    known: HashMap<PathBuf, bool>,
    listed: HashMap<PathBuf, Rc<[String]>>,
}

impl There {
    /// The paths that a name with `*` stands for.
    pub(super) fn find(&mut self, named: &str) -> Vec<PathBuf> {
        let mut paths = vec![PathBuf::from("/")];
        for part in named.split('/').filter(|part| !part.is_empty()) {
            paths = paths.iter().flat_map(|path| self.below(path, part)).collect();
        }
        paths
    }

    fn below(&mut self, folder: &Path, part: &str) -> Vec<PathBuf> {
        if part.contains('*') {
            let names = self.names(folder);
            let meant = names.iter().filter(|name| is_meant(part, name));
            return meant.map(|name| folder.join(name)).collect();
        }
        let path = folder.join(part);
        let is_there = match self.known.get(&path) {
            Some(is_there) => *is_there,
            None => {
                let is_there = fs::symlink_metadata(&path).is_ok();
                self.known.insert(path.clone(), is_there);
                is_there
            }
        };
        if is_there { vec![path] } else { Vec::new() }
    }

    fn names(&mut self, folder: &Path) -> Rc<[String]> {
        if let Some(known) = self.listed.get(folder) {
            return Rc::clone(known);
        }
        let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_ENTRIES);
        let names: Rc<[String]> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        self.listed.insert(folder.to_owned(), Rc::clone(&names));
        names
    }
}

/// Whether a name is what a pattern with `*` means. A hidden name begins as it is written.
fn is_meant(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything_within_a_name() {
        for (pattern, name, meant) in [
            ("*", "modules", true),
            ("*", ".hidden", false),
            ("credentials*", "credentials.toml", true),
            ("credentials*", "my-credentials", false),
            ("ssh_host_*_key", "ssh_host_rsa_key", true),
            ("ssh_host_*_key", "ssh_host_rsa_key.pub", false),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxcyyb", false),
            ("*wifi*", "my-wifi.yaml", true),
            (".vault_pass*", ".vault_pass", true),
        ] {
            assert_eq!(is_meant(pattern, name), meant, "{pattern} {name}");
        }
    }
}
