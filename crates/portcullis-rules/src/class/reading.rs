//! What is proven to only read. Owns the lists of commands and statements that change nothing; everything that is not in
//! them is not proven.

use crate::{
    effect::Run,
    programs::{self, Does, cards},
    split::split,
};

/// Whether running this program changes nothing by itself. Files that it writes, programs that it runs and hosts that it
/// talks to are effects of their own.
pub(super) fn reads_only(run: &Run) -> bool {
    if SHELL_WORDS.contains(&run.program.as_str()) {
        return true;
    }
    let ways = READERS.iter().find(|(program, _)| *program == run.program).map(|(_, ways)| *ways);
    let on_card = || cards::card(&run.program).map(|card| card.looks);
    if let Some(ways) = ways.or_else(|| on_card().filter(|ways| !ways.is_empty())) {
        return ways.iter().any(|way| has_way(run, way));
    }
    if NOT_PROVEN.contains(&run.program.as_str()) {
        return false;
    }
    run.known
        && programs::program(&run.program).is_some_and(|row| {
            matches!(row.does, Does::Reports | Does::Reads | Does::Searches | Does::Filters(_))
                || (matches!(row.does, Does::Custom(_)) && CARRIERS.contains(&row.name))
        })
}

/// Whether the program only makes, moves or changes the files that its other effects name.
pub(super) fn edits_only(run: &Run) -> bool {
    run.known && EDITORS.contains(&run.program.as_str())
}

/// Whether the program only transfers what its other effects name.
pub(super) fn transfers_only(run: &Run) -> bool {
    run.known && TRANSFERS.contains(&run.program.as_str())
}

/// Words of the shell that change nothing outside of it.
const SHELL_WORDS: &[&str] = &[
    ":", "[", "[[", "break", "cd", "continue", "declare", "dirs", "echo", "exit", "false",
    "getopts", "let", "local", "popd", "printf", "pushd", "pwd", "read", "readonly", "return",
    "set", "shift", "shopt", "test", "true", "type", "typeset", "unset", "wait",
];

/// Programs whose every effect is told by their row: what they run, write or delete stands beside them.
const CARRIERS: &[&str] = &[
    "awk", "base32", "base64", "basenc", "builtin", "bzcat", "cat", "column", "command", "cut",
    "date", "env", "expand", "find", "fmt", "fold", "gawk", "gbase64", "gzcat", "head", "hexdump",
    "iconv", "jq", "lz4cat", "nice", "nl", "nohup", "od", "paste", "printenv", "rev", "sed",
    "shuf", "sort", "stdbuf", "strings", "tac", "tail", "tee", "time", "timeout", "tr", "unexpand",
    "uniq", "wc", "xargs", "xxd", "xzcat", "yq", "zcat", "zstdcat",
];

/// Programs that show something and can do more: what they are told to do is not proven to be only that.
const NOT_PROVEN: &[&str] = &[
    "arp",
    "aspell",
    "display",
    "edit",
    "enca",
    "fish_config",
    "fuser",
    "gedit",
    "gprof",
    "groff",
    "hexcurse",
    "hexedit",
    "i2cdetect",
    "ipconfig",
    "jed",
    "joe",
    "kate",
    "lesskey",
    "localectl",
    "lvm",
    "mcedit",
    "micro",
    "most",
    "msgfilter",
    "multitail",
    "nano",
    "nroff",
    "par2",
    "pic",
    "pico",
    "qpdf",
    "rst2html",
    "stty",
    "sw_vers",
    "sync",
    "tic",
    "tidy",
    "troff",
    "tset",
    "vd",
    "vi",
    "view",
    "vim",
    "visidata",
    "wmctrl",
    "xdg-open",
    "xev",
    "xmllint",
    "xprop",
    "xrandr",
    "xsltproc",
    "yelp",
];

const EDITORS: &[&str] = &[
    "cp", "install", "ln", "mkdir", "mv", "patch", "sed", "tee", "touch", "truncate", "dos2unix",
    "unix2dos",
];

const TRANSFERS: &[&str] = &["curl", "wget", "http", "https", "aria2c"];

/// Tools with subcommands, and the ways of using them that change nothing. A way is the first operands; `!x` refuses an
/// option or a beginning of one. An option before the subcommand is never proven (`git -c core.pager=… log`).
const READERS: &[(&str, &[&str])] = &[
    ("cargo", &["metadata !--config", "tree !--config", "--version", "-V", "version"]),
    (
        "git",
        &[
            "status",
            "diff !-o !--output !--ext-diff",
            "log !-o !--output !--ext-diff",
            "show !-o !--output !--ext-diff",
            "shortlog !-o !--output",
            "rev-parse",
            "rev-list",
            "describe",
            "ls-files",
            "ls-tree",
            "cat-file !--filters !--textconv",
            "blame",
            "annotate",
            "merge-base",
            "name-rev",
            "for-each-ref",
            "show-ref",
            "count-objects",
            "check-ignore",
            "check-attr",
            "cherry",
            "whatchanged !-o !--output",
            "var",
            "grep !-O !--open-files-in-pager !--ext-grep",
            "version",
            "--version",
            "stash list",
            "stash show",
            "remote show",
            "remote get-url",
            "worktree list",
            "submodule status",
            "config --get",
            "config --list",
            "config -l",
            "config --get-all",
            "config --get-regexp",
            "config list",
            "config get",
            "reflog show",
            "tag --list",
            "tag -l",
            "branch --list",
            "branch -a $",
            "branch -r $",
            "branch -v $",
            "branch -vv $",
            "branch -av $",
            "branch --all $",
            "branch --show-current $",
            "branch $",
            "tag $",
            "remote $",
            "remote -v $",
            "reflog $",
        ],
    ),
    ("go", &["version", "env !-w !-u", "list !-toolexec !-exec", "doc"]),
    ("node", &["--version", "-v"]),
    (
        "npm",
        &[
            "ls",
            "list",
            "view",
            "info",
            "outdated",
            "--version",
            "-v",
            "root",
            "prefix",
            "explain",
            "why",
        ],
    ),
    ("pip", &["list", "show", "freeze", "--version", "check"]),
    ("pip3", &["list", "show", "freeze", "--version", "check"]),
    ("python", &["--version $", "-V $"]),
    ("python3", &["--version $", "-V $"]),
    ("rustc", &["--version", "-V"]),
    (
        "systemctl",
        &["status", "list-units", "list-unit-files", "is-active", "is-enabled", "show", "cat"],
    ),
];

fn has_way(run: &Run, way: &str) -> bool {
    let mut arguments = run.arguments.iter();
    let mut refused = Vec::new();
    for word in split(way, b' ') {
        if word == "$" {
            if arguments.next().is_some() {
                return false;
            }
        } else if let Some(option) = word.strip_prefix('!') {
            refused.push(option);
        } else if arguments.next().and_then(|argument| argument.text.as_known()) != Some(word) {
            return false;
        }
    }
    // A word that is not known could be the very option that is refused.
    run.arguments.iter().all(|argument| match argument.text.as_known() {
        Some(word) => !refused.iter().any(|option| is_option(word, option)),
        None => refused.is_empty() || !may_be_option(argument.text.known_prefix()),
    })
}

/// Whether a word gives an option, also abbreviated (`--out`) or with its value (`--output=x`, `-ox`).
fn is_option(word: &str, option: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    if option.starts_with("--") {
        name.len() > 2 && (option.starts_with(name) || name == option)
    } else {
        word.starts_with(option) && !word.starts_with("--")
    }
}

fn may_be_option(known: &str) -> bool {
    known.is_empty() || known.starts_with('-')
}
