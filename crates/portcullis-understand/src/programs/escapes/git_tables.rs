//! What git runs, loads or reads settings from because it is told to. Owns the tables: options by command, variables of
//! its configuration. Source: the manual pages of git 2.47 (`git help COMMAND`, git-config(1), git(1) "ENVIRONMENT
//! VARIABLES"), and where a command reads options by hand, its own usage.

/// What git makes of a value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Means {
    /// A command that was asked for, run as shell code.
    Runs,
    /// A program that stands in for one of git's own or for ssh, a pager, a filter…; run as shell code.
    Replaces,
    /// As [`Means::Replaces`], and it is given the names of files of the work tree.
    Opens,
    /// What git asks for passwords and gives them to.
    Credentials,
    /// What is run on the other side of a connection, which may be this side.
    Transport,
    /// A command behind `!`; anything else is one of git's own words.
    Banged,
    /// What another name of git's stands for: a command behind `!`, and words of git otherwise.
    Alias,
    /// `key=value`.
    Setting,
    /// A file of settings.
    File,
    /// A directory of hooks, templates or programs.
    Directory,
    /// An address, which may name a command.
    Address,
    /// Whether a transport that is any command may be used.
    Protocol,
    /// What a push to a remote sends, or that it makes the remote equal to the clone.
    Push,
}

/// One command of git, with its options that take a value and those whose value is run or obeyed.
pub(super) struct Command {
    pub(super) verbs: &'static [&'static str],
    /// All short options that take a value, and long ones that could be taken for an operand's place.
    pub(super) values: &'static [&'static str],
    pub(super) rows: &'static [Row],
}

/// Options and what their value means; `attached` where a value has to be in the same word.
pub(super) struct Row {
    pub(super) options: &'static [&'static str],
    pub(super) means: Means,
    pub(super) attached: bool,
}

const fn row(options: &'static [&'static str], means: Means) -> Row {
    Row { options, means, attached: false }
}

/// Options before the command, git(1). They are never bundled or abbreviated.
pub(super) const GLOBAL_VALUES: &[&str] = &[
    "-C",
    "-c",
    "--attr-source",
    "--config-env",
    "--exec-path",
    "--git-dir",
    "--list-cmds",
    "--namespace",
    "--super-prefix",
    "--work-tree",
];

/// Commands whose options run something.
pub(super) static COMMANDS: &[Command] = &[
    Command {
        verbs: &["archive"],
        values: &[
            "-o",
            "--exec",
            "--format",
            "--output",
            "--prefix",
            "--remote",
            "--add-file",
            "--mtime",
        ],
        rows: &[row(&["--exec"], Means::Transport)],
    },
    Command { verbs: &["checkout-index"], values: &["--prefix", "--stage"], rows: &[] },
    Command {
        verbs: &["clone"],
        values: &[
            "-b",
            "-c",
            "-j",
            "-o",
            "-u",
            "--branch",
            "--bundle-uri",
            "--config",
            "--depth",
            "--filter",
            "--jobs",
            "--origin",
            "--ref-format",
            "--reference",
            "--reference-if-able",
            "--separate-git-dir",
            "--server-option",
            "--shallow-exclude",
            "--shallow-since",
            "--template",
            "--upload-pack",
        ],
        rows: &[
            row(&["-u", "--upload-pack"], Means::Transport),
            row(&["-c", "--config"], Means::Setting),
            row(&["--template"], Means::Directory),
        ],
    },
    Command { verbs: &["daemon"], values: &[], rows: &[row(&["--access-hook"], Means::Replaces)] },
    Command {
        verbs: &["difftool"],
        values: &["-t", "-x", "--extcmd", "--tool", "-O", "-S", "-G", "-U", "-l"],
        rows: &[row(&["-x", "--extcmd"], Means::Runs)],
    },
    Command {
        verbs: &["fetch", "pull"],
        values: &[
            "-j",
            "-o",
            "-s",
            "-X",
            "--depth",
            "--deepen",
            "--filter",
            "--jobs",
            "--negotiation-tip",
            "--refmap",
            "--server-option",
            "--shallow-exclude",
            "--shallow-since",
            "--strategy",
            "--strategy-option",
            "--submodule-prefix",
            "--upload-pack",
        ],
        rows: &[row(&["--upload-pack"], Means::Transport)],
    },
    Command {
        verbs: &["fetch-pack", "ls-remote", "clone-pack", "peek-remote"],
        values: &["-o", "--depth", "--exec", "--server-option", "--sort", "--upload-pack"],
        rows: &[row(&["--exec", "--upload-pack"], Means::Transport)],
    },
    Command {
        verbs: &["filter-branch"],
        values: &[
            "-d",
            "--commit-filter",
            "--env-filter",
            "--index-filter",
            "--msg-filter",
            "--original",
            "--parent-filter",
            "--setup",
            "--state-branch",
            "--subdirectory-filter",
            "--tag-name-filter",
            "--tree-filter",
        ],
        rows: &[row(
            &[
                "--commit-filter",
                "--env-filter",
                "--index-filter",
                "--msg-filter",
                "--parent-filter",
                "--setup",
                "--tag-name-filter",
                "--tree-filter",
            ],
            Means::Runs,
        )],
    },
    Command {
        verbs: &["grep"],
        values: &[
            "-A",
            "-B",
            "-C",
            "-e",
            "-f",
            "-m",
            "--after-context",
            "--before-context",
            "--context",
            "--max-count",
            "--max-depth",
            "--threads",
        ],
        rows: &[Row {
            options: &["-O", "--open-files-in-pager"],
            means: Means::Opens,
            attached: true,
        }],
    },
    Command {
        verbs: &["init", "init-db"],
        values: &[
            "-b",
            "--initial-branch",
            "--object-format",
            "--ref-format",
            "--separate-git-dir",
            "--template",
        ],
        rows: &[row(&["--template"], Means::Directory)],
    },
    Command {
        verbs: &["instaweb"],
        values: &["-b", "-d", "-m", "-p", "--browser", "--httpd", "--module-path", "--port"],
        rows: &[row(&["-b", "-d", "--browser", "--httpd"], Means::Replaces)],
    },
    Command {
        verbs: &["push", "send-pack", "http-push"],
        values: &["-o", "--exec", "--push-option", "--receive-pack", "--repo"],
        rows: &[row(&["--exec", "--receive-pack"], Means::Transport)],
    },
    Command {
        verbs: &["rebase"],
        values: &[
            "-C",
            "-s",
            "-x",
            "-X",
            "--exec",
            "--onto",
            "--strategy",
            "--strategy-option",
            "--whitespace",
        ],
        rows: &[row(&["-x", "--exec"], Means::Runs)],
    },
    Command {
        verbs: &["send-email"],
        values: &[
            "--bcc",
            "--cc",
            "--cc-cmd",
            "--from",
            "--header-cmd",
            "--in-reply-to",
            "--reply-to",
            "--sendmail-cmd",
            "--smtp-server",
            "--subject",
            "--to",
            "--to-cmd",
        ],
        rows: &[row(&["--cc-cmd", "--header-cmd", "--sendmail-cmd", "--to-cmd"], Means::Runs)],
    },
    Command {
        verbs: &["svn"],
        values: &["-A", "-r", "--authors-file", "--authors-prog", "--revision"],
        rows: &[row(&["--authors-prog"], Means::Replaces)],
    },
    Command {
        verbs: &["web--browse"],
        values: &["-b", "-c", "-t", "--browser", "--config", "--tool"],
        rows: &[row(&["-b", "-t", "--browser", "--tool"], Means::Replaces)],
    },
];

/// Long options that are names of their own although another one begins with them.
pub(super) const WHOLE: &[&str] = &["--exec", "--cc", "--to", "--config", "--tool", "--reference"];

/// Variables of the configuration, in lower case, `*` for any subsection; sorted.
pub(super) static SETTINGS: &[(&str, Means)] = &[
    ("alias.*", Means::Alias),
    ("branch.*.pushremote", Means::Address),
    ("branch.*.remote", Means::Address),
    ("browser.*.cmd", Means::Replaces),
    ("browser.*.path", Means::Replaces),
    ("core.alternaterefscommand", Means::Replaces),
    ("core.askpass", Means::Replaces),
    ("core.editor", Means::Replaces),
    ("core.fsmonitor", Means::Replaces),
    ("core.gitproxy", Means::Replaces),
    ("core.hookspath", Means::Directory),
    ("core.pager", Means::Replaces),
    ("core.sshcommand", Means::Replaces),
    ("credential.*.helper", Means::Credentials),
    ("credential.helper", Means::Credentials),
    ("diff.*.command", Means::Opens),
    ("diff.*.textconv", Means::Opens),
    ("diff.external", Means::Opens),
    ("difftool.*.cmd", Means::Runs),
    ("difftool.*.path", Means::Replaces),
    ("filter.*.clean", Means::Replaces),
    ("filter.*.process", Means::Replaces),
    ("filter.*.smudge", Means::Replaces),
    ("gc.recentobjectshook", Means::Replaces),
    ("gpg.*.program", Means::Replaces),
    ("gpg.program", Means::Replaces),
    ("gpg.ssh.defaultkeycommand", Means::Replaces),
    ("guitool.*.cmd", Means::Runs),
    ("hook.*.command", Means::Runs),
    ("imap.tunnel", Means::Replaces),
    ("include.path", Means::File),
    ("includeif.*.path", Means::File),
    ("init.templatedir", Means::Directory),
    ("instaweb.browser", Means::Replaces),
    ("instaweb.httpd", Means::Replaces),
    ("interactive.difffilter", Means::Replaces),
    ("lfs.customtransfer.*.path", Means::Replaces),
    ("lfs.extension.*.clean", Means::Replaces),
    ("lfs.extension.*.smudge", Means::Replaces),
    ("man.*.cmd", Means::Replaces),
    ("man.*.path", Means::Replaces),
    ("merge.*.driver", Means::Replaces),
    ("mergetool.*.cmd", Means::Runs),
    ("mergetool.*.path", Means::Replaces),
    ("pager.*", Means::Replaces),
    ("protocol.allow", Means::Protocol),
    ("protocol.ext.allow", Means::Protocol),
    ("remote.*.mirror", Means::Push),
    ("remote.*.push", Means::Push),
    ("remote.*.pushurl", Means::Address),
    ("remote.*.receivepack", Means::Transport),
    ("remote.*.uploadpack", Means::Transport),
    ("remote.*.url", Means::Address),
    ("remote.*.vcs", Means::Transport),
    ("sendemail.*.cccmd", Means::Runs),
    ("sendemail.*.headercmd", Means::Runs),
    ("sendemail.*.sendmailcmd", Means::Runs),
    ("sendemail.*.tocmd", Means::Runs),
    ("sendemail.cccmd", Means::Runs),
    ("sendemail.headercmd", Means::Runs),
    ("sendemail.sendmailcmd", Means::Runs),
    ("sendemail.tocmd", Means::Runs),
    ("sequence.editor", Means::Replaces),
    ("submodule.*.update", Means::Banged),
    ("svn.authorsprog", Means::Replaces),
    ("tar.*.command", Means::Replaces),
    ("trailer.*.cmd", Means::Runs),
    ("trailer.*.command", Means::Runs),
    ("uploadpack.packobjectshook", Means::Replaces),
    ("url.ext::*.insteadof", Means::Address),
    ("url.ext::*.pushinsteadof", Means::Address),
    ("url.fd::*.insteadof", Means::Address),
];

/// What git makes of a variable of its configuration; `None` where it is data. The key is in lower case.
pub(crate) fn setting(key: &str) -> Option<Means> {
    let fits = |pattern: &str| match pattern.split_once('*') {
        None => pattern == key,
        Some((before, after)) => key
            .strip_prefix(before)
            .and_then(|rest| rest.strip_suffix(after))
            .is_some_and(|middle| !middle.is_empty() || after == ".insteadof"),
    };
    SETTINGS.iter().find(|(pattern, _)| fits(pattern)).map(|(_, means)| *means)
}

/// Git's own commands, `git --list-cmds=main`, and two that are installed beside it: any other word is an alias. Sorted.
pub(super) const VERBS: &[&str] = &[
    "add",
    "am",
    "annotate",
    "apply",
    "archimport",
    "archive",
    "bisect",
    "blame",
    "branch",
    "bugreport",
    "bundle",
    "cat-file",
    "check-attr",
    "check-ignore",
    "check-mailmap",
    "check-ref-format",
    "checkout",
    "checkout-index",
    "cherry",
    "cherry-pick",
    "clean",
    "clone",
    "column",
    "commit",
    "commit-graph",
    "commit-tree",
    "config",
    "count-objects",
    "credential",
    "credential-cache",
    "credential-store",
    "cvsexportcommit",
    "cvsimport",
    "cvsserver",
    "daemon",
    "describe",
    "diagnose",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "difftool",
    "fast-export",
    "fast-import",
    "fetch",
    "fetch-pack",
    "filter-branch",
    "flow",
    "fmt-merge-msg",
    "for-each-ref",
    "for-each-repo",
    "format-patch",
    "fsck",
    "fsck-objects",
    "gc",
    "get-tar-commit-id",
    "grep",
    "hash-object",
    "help",
    "hook",
    "http-backend",
    "http-fetch",
    "http-push",
    "imap-send",
    "index-pack",
    "init",
    "init-db",
    "instaweb",
    "interpret-trailers",
    "lfs",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "mailinfo",
    "mailsplit",
    "maintenance",
    "merge",
    "merge-base",
    "merge-file",
    "merge-index",
    "merge-octopus",
    "merge-one-file",
    "merge-ours",
    "merge-recursive",
    "merge-recursive-ours",
    "merge-recursive-theirs",
    "merge-resolve",
    "merge-subtree",
    "merge-tree",
    "mergetool",
    "mktag",
    "mktree",
    "multi-pack-index",
    "mv",
    "name-rev",
    "notes",
    "p4",
    "pack-objects",
    "pack-redundant",
    "pack-refs",
    "patch-id",
    "pickaxe",
    "prune",
    "prune-packed",
    "pull",
    "push",
    "quiltimport",
    "range-diff",
    "read-tree",
    "rebase",
    "receive-pack",
    "reflog",
    "refs",
    "remote",
    "repack",
    "replace",
    "replay",
    "request-pull",
    "rerere",
    "reset",
    "restore",
    "rev-list",
    "rev-parse",
    "revert",
    "rm",
    "send-email",
    "send-pack",
    "shell",
    "shortlog",
    "show",
    "show-branch",
    "show-index",
    "show-ref",
    "sparse-checkout",
    "stage",
    "stash",
    "status",
    "stripspace",
    "submodule",
    "svn",
    "switch",
    "symbolic-ref",
    "tag",
    "unpack-file",
    "unpack-objects",
    "update-index",
    "update-ref",
    "update-server-info",
    "upload-archive",
    "upload-pack",
    "var",
    "verify-commit",
    "verify-pack",
    "verify-tag",
    "version",
    "whatchanged",
    "worktree",
    "write-tree",
];

/// Settings named by variables of the environment, git(1).
pub(super) const CONFIGURATIONS: &[&str] = &["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"];

/// Variables that name a repository, whose `config` is read.
pub(super) const REPOSITORIES: &[&str] = &["GIT_COMMON_DIR", "GIT_DIR"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_and_agree() {
        assert!(SETTINGS.is_sorted_by_key(|row| row.0), "settings");
        assert!(VERBS.is_sorted(), "verbs");
        assert!(COMMANDS.is_sorted_by_key(|row| row.verbs), "commands");
        for command in COMMANDS {
            for row in command.rows.iter().filter(|row| !row.attached) {
                for option in row.options.iter().filter(|option| !option.starts_with("--")) {
                    assert!(command.values.contains(option), "{:?} {option}", command.verbs);
                }
            }
        }
    }

    #[test]
    fn subsections_may_be_anything() {
        for (key, expected) in [
            ("core.pager", Some(Means::Replaces)),
            ("credential.https://example.com/a.b.helper", Some(Means::Credentials)),
            ("url.ext::sh -c x.insteadof", Some(Means::Address)),
            ("user.name", None),
            ("alias.st", Some(Means::Alias)),
            ("core.pagers", None),
            ("diff.command", None),
        ] {
            assert_eq!(setting(key), expected, "{key}");
        }
    }
}
