//! Which versions of files a subcommand of git puts in place of those that stand there: a file that is started behind it is not the one that was
//! read. Owns which words name revisions, and where what they hold comes to stand; what a revision holds is asked for like any file.

use portcullis_syntax::Span;

use super::super::git_tables::{COMMANDS, GLOBAL_VALUES};
use crate::{
    bound::Bounded as _,
    effect::Argument,
    programs::{Options, found::Versions, host::Host, trees},
    text::{Piece, Text},
};

/// How many words of one command are taken for revisions.
const REVISIONS: usize = 4;

/// Which of its words name what is put in place.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Takes {
    /// Each operand, and what is staged where operands name files.
    Checkout,
    /// Revisions that are given a name, by which a later step may mean them.
    Named,
    /// Each operand.
    Operands,
    /// What another command of git's prints.
    Patch,
    /// Each operand's parent.
    Parents,
    /// The branch of the remote, as it was fetched last.
    Pull,
    /// The first operand, or the last commit; only with options that touch the work tree.
    Reset,
    /// What an option names, or what is staged.
    Restore,
    /// What was put away, or the last commit where something is put away.
    Stash,
    /// What is staged.
    Staged,
}

/// git's manual of each, sorted; with the options that take a value, beside those that every table of git knows.
static STEPS: &[(&str, Takes, &[&str])] = &[
    ("am", Takes::Patch, &[]),
    ("apply", Takes::Patch, &[]),
    ("bisect", Takes::Operands, &["--term-old", "--term-new", "--term-bad", "--term-good"]),
    ("branch", Takes::Named, &["-u", "--set-upstream-to", "--format", "--sort"]),
    ("checkout", Takes::Checkout, &["-b", "-B", "--orphan", "--conflict", "--pathspec-from-file"]),
    ("checkout-index", Takes::Staged, &["--prefix", "--stage"]),
    ("cherry-pick", Takes::Operands, &["-m", "-X", "-s", "--mainline", "--strategy"]),
    ("fetch", Takes::Named, &["-j", "-o", "--depth", "--upload-pack"]),
    ("merge", Takes::Operands, &["-m", "-F", "-X", "-s", "--into-name", "--strategy"]),
    ("pull", Takes::Pull, &["-X", "-s", "--strategy", "--depth", "-j"]),
    ("read-tree", Takes::Operands, &["--index-output", "--prefix"]),
    ("rebase", Takes::Operands, &["-X", "-s", "-x", "-C", "--exec", "--strategy"]),
    ("reset", Takes::Reset, &["--pathspec-from-file"]),
    ("restore", Takes::Restore, &["-s", "--source", "--conflict", "--pathspec-from-file"]),
    ("revert", Takes::Parents, &["-m", "-X", "--mainline", "--strategy"]),
    ("stash", Takes::Stash, &["-m", "--message", "--pathspec-from-file"]),
    (
        "switch",
        Takes::Operands,
        &["-c", "-C", "--create", "--force-create", "--orphan", "--conflict"],
    ),
    ("tag", Takes::Named, &["-m", "-F", "-u", "--message", "--file", "--local-user"]),
];

/// The words of a subcommand, as far as they count here.
struct Words<'w> {
    options: Options<'w>,
    /// Operands before `--`.
    operands: Vec<&'w Argument>,
    /// Whether files are named behind `--`.
    names_files: bool,
}

/// Says what a subcommand puts in place. `input` is what arrives on its standard input.
pub(super) fn put(
    walk: &mut dyn Host,
    before: &[Argument],
    verb: &str,
    after: &[Argument],
    input: Option<&Text>,
) {
    let own = Options::new(before, GLOBAL_VALUES);
    let here = match own.value(&["-C"]) {
        Some(directory) => walk.target(&directory.text).path,
        None => walk.directory().map(str::to_owned),
    };
    let Some(here) = here else { return };
    // git(1), "--git-dir", "--work-tree": where the repository is, and where its files go.
    let named = |walk: &dyn Host, option: &'static str, variable: &str| {
        let given = own.value(&[option]).map(|value| value.text);
        let text = given.or_else(|| walk.variable_set(variable)).filter(|text| !text.is_empty())?;
        walk.target(&text).path
    };
    let repository = named(walk, "--git-dir", "GIT_DIR");
    let elsewhere = named(walk, "--work-tree", "GIT_WORK_TREE");
    let span = after.first().map_or(Span::default(), |word| word.span);
    let mut versions = match verb {
        "clone" => cloned(walk, after),
        "submodule" if after.first().and_then(|word| word.text.as_known()) == Some("add") => {
            cloned(walk, after.get(1..).unwrap_or_default())
        }
        "subtree" => grafted(walk, &here, after),
        "worktree" => added(walk, &here, after),
        _ => stepped(walk, &here, verb, after, input),
    };
    let Some(versions) = &mut versions else { return };
    if versions.from.is_none() && versions.repository.is_none() {
        match (repository, elsewhere) {
            (Some(repository), elsewhere) => {
                versions.to = elsewhere.unwrap_or_else(|| work_tree(walk, &here));
                versions.repository = Some(repository);
            }
            (None, Some(elsewhere)) => {
                versions.from = Some(work_tree(walk, &here));
                versions.to = elsewhere;
            }
            (None, None) => {}
        }
    }
    walk.put_versions(versions.clone(), span);
}

/// What verbs put in place in the work tree.
fn stepped(
    walk: &mut dyn Host,
    here: &str,
    verb: &str,
    after: &[Argument],
    input: Option<&Text>,
) -> Option<Versions> {
    let (_, takes, values) = STEPS.iter().find(|(name, ..)| *name == verb)?;
    let words = words(after, values);
    let mut versions = Versions { to: here.to_owned(), ..Versions::default() };
    versions.is_unclear |= words.operands.len() > REVISIONS;
    let first = words.operands.first().copied();
    match takes {
        Takes::Operands | Takes::Checkout => {
            for word in words.operands.iter().leading(REVISIONS) {
                add(walk, &mut versions, word, "");
            }
            let may_be_file = words.operands.iter().any(|word| {
                let word = word.text.known_prefix();
                word.contains(['.', '/', '*']) || word.is_empty()
            });
            if *takes == Takes::Checkout
                && (words.names_files || words.operands.len() > 1 || may_be_file)
            {
                versions.revisions.push(String::new());
            }
        }
        Takes::Parents => {
            for word in words.operands.iter().leading(REVISIONS) {
                add(walk, &mut versions, word, "^");
            }
        }
        // `git fetch DIRECTORY BRANCH`
        Takes::Named if verb == "fetch" && is_directory(first) => {
            versions.to = work_tree(walk, here);
            versions.repository = walk.target(&first?.text).path;
            let branch = words.operands.get(1).and_then(|word| word.text.as_known());
            let branch = branch.and_then(|name| name.split(':').next());
            let branch = branch.filter(|name| is_revision(name)).unwrap_or("HEAD");
            versions.revisions.push(branch.to_owned());
        }
        Takes::Named => {
            let known = words.operands.iter().skip(1).leading(REVISIONS);
            let sources = known.filter_map(|word| word.text.as_known()?.split(':').next());
            let names =
                sources.map(|name| name.trim_start_matches('+')).filter(|it| is_revision(it));
            versions.revisions.extend(names.map(str::to_owned));
        }
        Takes::Patch => {
            let mut printed = input.map(|input| walk.git_printed(input)).unwrap_or_default();
            // A patch that this call wrote into a file.
            for word in words.operands.iter().leading(REVISIONS) {
                if walk.wrote(&word.text) {
                    let patch = walk.read(word);
                    printed.extend(walk.git_printed(&patch));
                }
            }
            versions.is_unclear |= printed.len() > REVISIONS;
            let names = printed.iter().flat_map(|name| match name.as_str() {
                "stash" => vec!["refs/stash"],
                range => range.split("..").map(|name| name.trim_matches('.')).collect(),
            });
            let names =
                names.filter(|name| is_revision(name)).leading(REVISIONS).map(str::to_owned);
            versions.revisions.extend(names);
        }
        Takes::Pull => {
            let known = |at: usize| words.operands.get(at).and_then(|word| word.text.as_known());
            match (known(0), known(1)) {
                (Some("."), Some(_)) => {
                    for word in words.operands.iter().skip(1).leading(REVISIONS) {
                        add(walk, &mut versions, word, "");
                    }
                }
                (Some(_), branch) if is_directory(first) => {
                    versions.to = work_tree(walk, here);
                    versions.repository = walk.target(&first?.text).path;
                    let branch = branch.filter(|name| is_revision(name)).unwrap_or("HEAD");
                    versions.revisions.push(branch.to_owned());
                }
                (Some(remote), Some(branch)) => {
                    let name = format!("refs/remotes/{remote}/{branch}");
                    versions.revisions.extend(Some(name).filter(|name| is_revision(name)));
                }
                _ => versions.revisions.push("@{upstream}".to_owned()),
            }
        }
        // Without them a later step puts in place what the index has then.
        Takes::Reset if !words.options.has(&["--hard", "--keep", "--merge"]) => {
            let name = first.and_then(|word| word.text.as_known()).filter(|name| is_revision(name));
            versions.revisions.extend(name.map(str::to_owned));
        }
        Takes::Reset => match first {
            Some(word) => add(walk, &mut versions, word, ""),
            None => versions.revisions.push("HEAD".to_owned()),
        },
        Takes::Restore => match words.options.value(&["-s", "--source"]) {
            Some(source) => add(walk, &mut versions, &source, ""),
            None => versions.revisions.extend(["", "HEAD"].map(str::to_owned)),
        },
        Takes::Stash => match first.map(|word| word.text.known_prefix()) {
            None | Some("push" | "save") => versions.revisions.push("HEAD".to_owned()),
            Some("apply" | "branch" | "pop") => put_away(&mut versions, &words),
            Some(_) => return None,
        },
        Takes::Staged => {
            versions.revisions.push(String::new());
            if let Some(prefix) = words.options.value(&["--prefix"]) {
                versions.from = Some(work_tree(walk, here));
                versions.to = walk.target(&prefix.text).path?;
            }
        }
    }
    let puts = versions.is_unclear || !versions.revisions.is_empty();
    puts.then_some(versions)
}

/// `git stash pop`, `git stash apply 2`: the files that were tracked, and those that were not.
fn put_away(versions: &mut Versions, words: &Words<'_>) {
    let skipped =
        if words.operands.first().is_some_and(|verb| verb.text.as_known() == Some("branch")) {
            2
        } else {
            1
        };
    let name = match words.operands.get(skipped).map(|word| word.text.as_known()) {
        None => Some("refs/stash".to_owned()),
        Some(Some("0" | "stash@{0}" | "stash")) => Some("refs/stash".to_owned()),
        Some(Some(number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(format!("stash@{{{number}}}"))
        }
        Some(name) => name.filter(|name| is_revision(name)).map(str::to_owned),
    };
    match name {
        Some(name) => versions.revisions.extend([name.clone(), format!("{name}^3")]),
        None => versions.is_unclear = true,
    }
}

/// `git clone DIRECTORY ELSEWHERE`: what a repository on this machine holds. What comes over the network, the walk knows already.
fn cloned(walk: &mut dyn Host, after: &[Argument]) -> Option<Versions> {
    let values = COMMANDS.iter().find(|command| command.verbs.contains(&"clone"));
    let words = words(after, values.map_or(&[][..], |command| command.values));
    let source = words.operands.first()?;
    let written = source.text.as_known()?;
    if trees::is_remote(written) {
        return None;
    }
    let written = written.strip_prefix("file://").unwrap_or(written);
    let repository = walk.target(&source.text.derive([Piece::Known(written.to_owned())])).path?;
    let to = match words.operands.get(1) {
        Some(directory) => walk.target(&directory.text).path?,
        None => {
            let last = repository.rsplit('/').next()?;
            let last = last.strip_suffix(".git").unwrap_or(last);
            format!("{}/{last}", walk.directory()?)
        }
    };
    let mut versions = Versions { to, repository: Some(repository), ..Versions::default() };
    match words.options.value(&["-b", "--branch"]) {
        Some(branch) => add(walk, &mut versions, &branch, ""),
        None => versions.revisions.push("HEAD".to_owned()),
    }
    Some(versions)
}

/// `git worktree add DIRECTORY BRANCH`: another work tree of the same repository. Without a branch it is the one that is called like the
/// directory, or the last commit.
fn added(walk: &mut dyn Host, here: &str, after: &[Argument]) -> Option<Versions> {
    let words = words(after, &["-b", "-B", "--reason"]);
    let (verb, rest) = words.operands.split_first()?;
    if verb.text.as_known() != Some("add") {
        return None;
    }
    let to = walk.target(&rest.first()?.text).path?;
    let from = Some(work_tree(walk, here));
    let mut versions = Versions { to, from, ..Versions::default() };
    match rest.get(1) {
        Some(word) => add(walk, &mut versions, word, ""),
        None => {
            let last = versions.to.rsplit('/').next().unwrap_or_default().to_owned();
            versions.revisions.extend(Some(last).filter(|name| is_revision(name)));
            versions.revisions.push("HEAD".to_owned());
        }
    }
    Some(versions)
}

/// `git subtree add --prefix=DIRECTORY [REPOSITORY] REVISION`: what a commit holds, in a directory of the work tree.
fn grafted(walk: &mut dyn Host, here: &str, after: &[Argument]) -> Option<Versions> {
    let words = words(after, &["-P", "-m", "--prefix", "--message"]);
    let to = walk.target(&words.options.value(&["-P", "--prefix"])?.text).path?;
    let (revision, before) = words.operands.get(1..)?.split_last()?;
    let mut versions = Versions { to, ..Versions::default() };
    match before.first() {
        Some(place) if is_directory(Some(place)) => {
            versions.repository = walk.target(&place.text).path;
        }
        _ => versions.from = Some(work_tree(walk, here)),
    }
    add(walk, &mut versions, revision, "");
    Some(versions)
}

/// The revision that `git archive` packs, where these are its arguments, with the repository that it takes it from: nothing where it is not known
/// which.
pub(crate) fn archived(arguments: &[Argument]) -> Option<(Option<String>, Option<Argument>)> {
    let at = super::command_at(arguments);
    let (verb, after) = arguments.get(at..)?.split_first()?;
    if verb.text.as_known() != Some("archive") {
        return None;
    }
    let words = words(after, &["-o", "--output", "--prefix", "--format", "--exec", "--remote"]);
    let revision = words.operands.first()?.text.as_known();
    let revision = revision.filter(|name| is_revision(name)).map(str::to_owned);
    Some((revision, words.options.value(&["--remote"])))
}

fn words<'w>(after: &'w [Argument], values: &'static [&'static str]) -> Words<'w> {
    let end = after.iter().position(|word| word.text.as_known() == Some("--"));
    let (front, files) = after.split_at_checked(end.unwrap_or(after.len())).unwrap_or((after, &[]));
    let options = Options::new(front, values).abbreviating();
    let operands = options.operands().filter(|word| word.text.as_known() != Some("--")).collect();
    Words { options, operands, names_files: files.len() > 1 }
}

/// A word names a revision, or one that is reached from it by `end`.
fn add(walk: &dyn Host, versions: &mut Versions, word: &Argument, end: &str) {
    // `git checkout -`: the branch before. `git cherry-pick A..B`: up to the last.
    let name = match word.text.as_known() {
        Some("-") => Some("@{-1}"),
        Some(range) => range.rsplit("..").next(),
        None => None,
    };
    match name.filter(|name| is_revision(name)) {
        Some(name) => versions.revisions.push(format!("{name}{end}")),
        None => {
            versions.is_unclear = true;
            // `$(git rev-parse NAME)`, `git merge-base A B | xargs git checkout`.
            let printed = walk.git_printed(&word.text).into_iter().skip(1);
            let names = printed.filter(|name| is_revision(name)).leading(REVISIONS);
            versions.revisions.extend(names.map(|name| format!("{name}{end}")));
        }
    }
}

/// Whether a word names a revision that is found in a few steps: no search through the history.
fn is_revision(word: &str) -> bool {
    /// What a name of a branch has at most, and how many commits are gone back.
    const LONGEST: usize = 250;
    const DIGITS: usize = 3;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./@{}^~+#=".contains(&byte);
    let is_near = word
        .split('~')
        .skip(1)
        .all(|rest| rest.bytes().take_while(u8::is_ascii_digit).count() <= DIGITS);
    !word.is_empty()
        && word.len() <= LONGEST
        && word.bytes().all(is_plain)
        && !word.contains("{/")
        && !word.starts_with('-')
        && is_near
}

/// Whether a word names a directory of this machine.
fn is_directory(word: Option<&Argument>) -> bool {
    let written = word.map_or("", |word| word.text.known_prefix());
    written != "." && written.starts_with(['.', '/'])
}

/// The work tree that a directory lies in.
fn work_tree(walk: &dyn Host, here: &str) -> String {
    let whole = walk.facts().workspace.as_deref();
    let is_around = |root: &&str| {
        here.strip_prefix(*root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    whole.filter(is_around).unwrap_or(here).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_sorted() {
        assert!(STEPS.is_sorted_by_key(|row| row.0));
    }

    #[test]
    fn only_names_that_are_found_at_once_are_revisions() {
        for name in ["main", "feature/x-1", "HEAD~3", "v1.2.0^2", "stash@{1}", "@{upstream}", "a#1"]
        {
            assert!(is_revision(name), "{name}");
        }
        for name in ["", "-f", "HEAD^{/fix}", ":/fix", "HEAD~100000", "a b", "a:b", "*.sh"] {
            assert!(!is_revision(name), "{name}");
        }
    }
}
