//! Whose process this is. Owns what the system's list of users says of them; the environment, which a project can change for an
//! agent, has no say here.

use std::{
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

/// The list of users, as `passwd(5)` describes it.
const LIST: &str = "/etc/passwd";

/// The most bytes of it that are read. A list of more belongs to a directory service, which is not asked.
const LONGEST: u64 = 1 << 20;

/// A user of this machine.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Account {
    /// The login name.
    pub name: String,
    /// The home directory, where it is one that a person could live in: absolute, and not everything there is.
    pub home: Option<PathBuf>,
}

impl Account {
    /// That of this process; nothing where the list does not name it, as for the arbitrary numbers in some containers.
    #[cfg(unix)]
    #[must_use]
    pub fn of_process() -> Option<Self> {
        // Most lists fit into one read.
        let mut list = Vec::with_capacity(8 << 10);
        fs::File::open(LIST).ok()?.take(LONGEST).read_to_end(&mut list).ok()?;
        // As the system decides it: files that are made belong to the effective user.
        Self::in_list(&list, rustix::process::geteuid().as_raw())
    }

    /// That of this process, which only systems with Unix permissions say.
    #[cfg(not(unix))]
    #[must_use]
    pub fn of_process() -> Option<Self> {
        None
    }

    fn in_list(list: &[u8], user: u32) -> Option<Self> {
        let number = user.to_string();
        list.split(|byte| *byte == b'\n').find_map(|line| {
            let mut fields = line.split(|byte| *byte == b':');
            let name = fields.next()?;
            if fields.nth(1)? != number.as_bytes() {
                return None;
            }
            let home = fields.nth(2).and_then(|home| std::str::from_utf8(home).ok());
            let home = home.map(Path::new).filter(|home| home.is_absolute());
            Some(Self {
                name: String::from_utf8_lossy(name).into_owned(),
                home: home.filter(|home| home.parent().is_some()).map(Path::to_owned),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_users_says_who_and_where() {
        let list = b"root:x:0:0:root:/root:/bin/bash\ndev:x:1000:1000::/home/dev:/bin/sh\n\
            everything:x:7:7::/:/bin/sh\nrelative:x:8:8::home:/bin/sh\nshort:x:9\nbroken\n";
        let found = |user| {
            let account = Account::in_list(list, user)?;
            Some((account.name, account.home.map(|home| home.display().to_string())))
        };
        let known =
            |name: &str, home: Option<&str>| Some((name.to_owned(), home.map(str::to_owned)));
        assert_eq!(found(0), known("root", Some("/root")));
        assert_eq!(found(1000), known("dev", Some("/home/dev")));
        for (user, name) in [(7, "everything"), (8, "relative"), (9, "short")] {
            assert_eq!(found(user), known(name, None));
        }
        assert_eq!(found(100), None);
    }
}
