//! Settings of a repository that git obeys as it is started there: the file of the repository, of this work tree, and those that they take in
//! (git-config(1)). Owns which key runs something for which verb; what a key means at all is said where git's own options are.

use portcullis_syntax::Span;

use super::{super::project, Asked};
use crate::{
    programs::{
        escapes::{GitMeans, git_entries, git_is_set, git_means},
        found::File,
        host::Host,
        invocation::Invocation,
    },
    text::Text,
};

/// How many lines of a file of settings are read.
const LINES: usize = 2000;

/// How many files are taken in, all together.
const FILES: usize = 8;

const EDITED: &[&str] =
    &["am", "cherry-pick", "commit", "merge", "notes", "rebase", "revert", "tag"];
const COMPARED: &[&str] = &["blame", "diff", "grep", "log", "show"];
const HOOKED: &[&str] = &[
    "am",
    "checkout",
    "cherry-pick",
    "clone",
    "commit",
    "merge",
    "pull",
    "push",
    "rebase",
    "revert",
    "switch",
    "worktree",
];
const MERGED: &[&str] = &["cherry-pick", "merge", "pull", "rebase", "revert", "stash"];
const REMOTE: &[&str] = &["clone", "fetch", "ls-remote", "pull", "push", "remote", "submodule"];
const SIGNED: &[&str] =
    &["commit", "log", "merge", "push", "rebase", "show", "tag", "verify-commit", "verify-tag"];

/// Verbs that put files through the filters of their attributes.
const FILTERED: &[&str] = &[
    "add", "checkout", "commit", "diff", "merge", "pull", "rebase", "reset", "restore", "stash",
    "status", "switch",
];

/// Keys whose value git runs, `*` for any subsection, and the verbs that run it; none where nearly all do. Sorted.
static RUN: &[(&str, &[&str])] = &[
    ("browser.*.cmd", &["help", "instaweb", "web--browse"]),
    ("browser.*.path", &["help", "instaweb", "web--browse"]),
    ("core.alternaterefscommand", &["fetch", "pull", "push", "receive-pack"]),
    ("core.askpass", REMOTE),
    ("core.editor", EDITED),
    ("core.fsmonitor", &[]),
    ("core.gitproxy", REMOTE),
    ("core.pager", &["blame", "branch", "diff", "grep", "log", "show", "tag"]),
    ("core.sshcommand", REMOTE),
    ("credential.*.helper", REMOTE),
    ("credential.helper", REMOTE),
    ("diff.*.command", COMPARED),
    ("diff.*.textconv", COMPARED),
    ("diff.external", COMPARED),
    ("difftool.*.cmd", &["difftool"]),
    ("difftool.*.path", &["difftool"]),
    ("filter.*.clean", FILTERED),
    ("filter.*.process", FILTERED),
    ("filter.*.smudge", FILTERED),
    ("gc.recentobjectshook", &["gc", "prune", "repack"]),
    ("gpg.*.program", SIGNED),
    ("gpg.program", SIGNED),
    ("gpg.ssh.defaultkeycommand", SIGNED),
    ("guitool.*.cmd", &["gui"]),
    ("hook.*.command", HOOKED),
    ("instaweb.browser", &["instaweb"]),
    ("instaweb.httpd", &["instaweb"]),
    ("interactive.difffilter", &["add", "checkout", "commit", "reset", "restore", "stash"]),
    ("man.*.cmd", &["help"]),
    ("man.*.path", &["help"]),
    ("merge.*.driver", MERGED),
    ("mergetool.*.cmd", &["mergetool"]),
    ("mergetool.*.path", &["mergetool"]),
    ("remote.*.receivepack", &["push"]),
    ("remote.*.uploadpack", REMOTE),
    ("sendemail.*.cccmd", &["send-email"]),
    ("sendemail.*.headercmd", &["send-email"]),
    ("sendemail.*.sendmailcmd", &["send-email"]),
    ("sendemail.*.tocmd", &["send-email"]),
    ("sendemail.cccmd", &["send-email"]),
    ("sendemail.headercmd", &["send-email"]),
    ("sendemail.sendmailcmd", &["send-email"]),
    ("sendemail.tocmd", &["send-email"]),
    ("sequence.editor", &["rebase"]),
    ("svn.authorsprog", &["svn"]),
    ("tar.*.command", &["archive"]),
    ("trailer.*.cmd", &["commit", "interpret-trailers"]),
    ("trailer.*.command", &["commit", "interpret-trailers"]),
    ("uploadpack.packobjectshook", &["daemon", "upload-pack"]),
];

/// The last words of every key that is looked at, and of those that lead to other files.
const KEYS: &[&str] = &[
    "alternaterefscommand",
    "askpass",
    "authorsprog",
    "cccmd",
    "clean",
    "cmd",
    "command",
    "defaultkeycommand",
    "difffilter",
    "driver",
    "editor",
    "external",
    "fsmonitor",
    "gitproxy",
    "headercmd",
    "helper",
    "hookspath",
    "httpd",
    "browser",
    "packobjectshook",
    "pager",
    "path",
    "process",
    "program",
    "receivepack",
    "recentobjectshook",
    "sendmailcmd",
    "smudge",
    "sshcommand",
    "textconv",
    "tocmd",
    "update",
    "uploadpack",
    "vcs",
    "worktreeconfig",
];

/// Says what the settings have git run; gives `core.hooksPath`. `git` is the folder of the repository, `own` that of this work tree.
pub(super) fn follow(
    walk: &mut dyn Host,
    git: &str,
    own: &str,
    asked: &Asked,
    span: Span,
) -> Option<String> {
    all(walk, vec![format!("{git}/config")], own, asked, span)
}

/// Says what the settings of a home have git run that the call gives it in the place of the account's: `HOME=. git st`.
pub(super) fn of_another_home(walk: &mut dyn Host, invocation: &Invocation, asked: &Asked) {
    const FILES: &[(&str, &str)] = &[
        ("HOME", ".gitconfig"),
        ("HOME", ".config/git/config"),
        ("XDG_CONFIG_HOME", "git/config"),
    ];
    let mut files = Vec::new();
    for (variable, file) in FILES {
        let given = invocation.environment.iter().find(|(name, _)| name == variable);
        let Some(place) =
            given.map(|(_, place)| place.clone()).or_else(|| walk.variable_set(variable))
        else {
            continue;
        };
        let Some(path) = walk.target(&place).path else { continue };
        if walk.facts().home.as_deref() != Some(path.as_str()) {
            files.push(project::joined(&path, file));
        }
    }
    all(walk, files, "", asked, invocation.span);
}

/// Reads files of settings with what they take in.
fn all(
    walk: &mut dyn Host,
    mut files: Vec<String>,
    own: &str,
    asked: &Asked,
    span: Span,
) -> Option<String> {
    let mut hooks = None;
    let mut at = 0;
    while let Some(path) = files.get(at).cloned() {
        at += 1;
        let Some(file) = walk.look(&path).file() else { continue };
        if file.whole && !sets_anything(&file.text, &asked.verb) {
            walk.passed_over(&file, "gitconfig", span);
            continue;
        }
        let found = walk.in_file(&file, "gitconfig", span, |walk| read(walk, &file, asked));
        let Some(found) = found else { continue };
        // What stands later counts.
        hooks = found.hooks.or(hooks);
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let others =
            found.others.iter().map(|name| crate::paths::normal(&project::joined(folder, name)));
        let others = others.chain(found.by_work_tree.then(|| format!("{own}/config.worktree")));
        for other in others {
            if files.contains(&other) {
                continue;
            }
            if files.len() > FILES {
                walk.left_unread(span);
                break;
            }
            files.push(other);
        }
    }
    hooks
}

/// What one file says.
#[derive(Default)]
struct Found {
    hooks: Option<String>,
    /// Files that it takes in.
    others: Vec<String>,
    /// Whether each work tree has settings of its own.
    by_work_tree: bool,
}

fn read(walk: &mut dyn Host, file: &File, asked: &Asked) -> Found {
    let verb = asked.verb.as_str();
    let mut found = Found::default();
    if !file.whole {
        walk.left_unread(Span::new(0, file.text.len()));
    }
    let whole = Span::new(0, file.text.len());
    for (key, value, span) in git_entries(&file.text, LINES, walk, whole) {
        if value.is_empty() || matches!(value.as_str(), "true" | "false") {
            found.by_work_tree |= key == "extensions.worktreeconfig" && value == "true";
            continue;
        }
        // What the command line says counts; of helpers there may be several.
        let is_replaced =
            asked.set.contains(&key.to_ascii_lowercase()) && !key.ends_with(".helper");
        let is_off = match key.as_str() {
            "diff.external" => project::has(&asked.rest, &["--no-ext-diff"]),
            key if key.starts_with("diff.") && key.ends_with(".textconv") => {
                project::has(&asked.rest, &["--no-textconv"])
            }
            key => asked.unpaged && (key == "core.pager" || key.starts_with("pager.")),
        };
        if is_replaced || is_off {
            continue;
        }
        let is_own = |section: &str| {
            key.strip_prefix(section).is_some_and(|name| name.eq_ignore_ascii_case(verb))
        };
        match git_means(&key) {
            None => {}
            Some(GitMeans::File) => found.others.push(value),
            Some(_) if key == "core.hookspath" => found.hooks = Some(value),
            Some(GitMeans::Alias) if is_own("alias.") => alias(walk, &value, &asked.rest, span),
            Some(GitMeans::Banged) if verb == "submodule" => {
                if let Some(command) = value.strip_prefix('!') {
                    walk.shell(&Text::known(command), span, &[], None);
                }
            }
            Some(GitMeans::Address) if verb != "config" && value.starts_with("ext::") => {
                walk.note("git.transport.ext", span);
            }
            Some(_) => {
                let is_run = is_own("pager.")
                    || RUN.iter().any(|(pattern, verbs)| {
                        fits(pattern, &key)
                            && (verbs.is_empty() && verb != "config" || verbs.contains(&verb))
                    });
                // `credential.helper = store`: a program of git's own.
                let is_name = key.ends_with(".helper") && !value.starts_with(['!', '/']);
                if is_run && !is_name {
                    let command = value.strip_prefix('!').unwrap_or(&value);
                    walk.shell(&Text::known(command), span, &[], None);
                }
            }
        }
    }
    found
}

/// Whether a key is one of a pattern.
fn fits(pattern: &str, key: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == key,
        Some((before, after)) => key
            .strip_prefix(before)
            .and_then(|rest| rest.strip_suffix(after))
            .is_some_and(|middle| !middle.is_empty()),
    }
}

/// Whether a file of settings gives a value to a key that matters.
fn sets_anything(text: &str, verb: &str) -> bool {
    let is_wanted = |key: &str| {
        KEYS.iter().any(|known| known.eq_ignore_ascii_case(key)) || key.eq_ignore_ascii_case(verb)
    };
    if git_is_set(text, is_wanted) {
        return true;
    }
    // A key without a value stands for `true`; an address may be a command of its own.
    text.contains("ext::") || text.to_ascii_lowercase().contains("worktreeconfig")
}

/// A word behind `git` that the repository's settings give a meaning: another verb with words of its own, or behind `!` a command.
fn alias(walk: &mut dyn Host, text: &str, rest: &[String], span: Span) {
    let words: String =
        rest.iter().map(|word| format!(" {}", super::super::quoted(word))).collect();
    let line = match text.strip_prefix('!') {
        Some(command) => format!("{command}{words}"),
        None => format!("git {text}{words}"),
    };
    walk.shell(&Text::known(line), span, &[], None);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_are_sorted_and_looked_for() {
        assert!(RUN.is_sorted_by_key(|row| row.0));
        for (pattern, _) in RUN {
            let last = pattern.rsplit('.').next().unwrap();
            assert!(KEYS.contains(&last), "{pattern}");
            let key = pattern.replace('*', "x");
            assert!(git_means(&key).is_some(), "{key}");
        }
    }

    #[test]
    fn a_setting_that_matters_is_seen_however_it_is_spaced() {
        for (text, expected) in [
            ("[core]\n\tbare = false\n[remote \"o\"]\n\turl = https://a.example/?editor=1\n", true),
            ("[core]\n\tbare = false\n[remote \"o\"]\n\turl = https://a.example/x\n", false),
            ("[core] hooksPath=x", true),
            ("[core]\nFSMONITOR\t = x", true),
            ("[alias]\nst = !x", true),
            ("[filter \"a\"]\n smudge=x", true),
            ("[branch \"main\"]\n merge = refs/heads/main", false),
        ] {
            assert_eq!(sets_anything(text, "st"), expected, "{text}");
        }
    }
}
