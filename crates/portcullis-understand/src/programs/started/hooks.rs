//! Hooks that git starts: the project's in `.git/hooks` or where `core.hooksPath` leads, and those that managers of hooks start for it (git-scm.com,
//! "githooks"; pre-commit.com; typicode.github.io/husky; lefthook.dev); and `direnv`, which a shell starts in the same way (direnv.net). Owns which verb
//! starts which.

mod configured;

use portcullis_syntax::Span;

use super::{Starter, project, tree};
use crate::{
    bound::Bounded as _,
    programs::found::{File, Found},
    programs::host::{Host, Unread},
    programs::invocation::Invocation,
    text::Text,
};

pub(super) static GIT: Starter = Starter { programs: &["git"], start };
pub(super) static PRE_COMMIT: Starter = Starter { programs: &["pre-commit", "prek"], start: local };
pub(super) static LEFTHOOK: Starter = Starter { programs: &["lefthook"], start: lefthook };
pub(super) static HUSKY: Starter = Starter { programs: &["husky"], start: husky };
pub(super) static DIRENV: Starter = Starter { programs: &["direnv"], start: direnv };

/// Verbs and the hooks that they start, by the page of each hook.
const HOOKS: &[(&str, &[&str])] = &[
    ("am", &["applypatch-msg", "pre-applypatch", "post-applypatch"]),
    ("checkout", &["post-checkout"]),
    ("cherry-pick", &["prepare-commit-msg", "commit-msg", "post-commit"]),
    ("clone", &["post-checkout"]),
    ("commit", &["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-rewrite"]),
    ("gc", &["pre-auto-gc"]),
    ("merge", &["pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-merge"]),
    (
        "pull",
        &[
            "pre-merge-commit",
            "commit-msg",
            "post-merge",
            "pre-rebase",
            "post-rewrite",
            "post-checkout",
        ],
    ),
    ("push", &["pre-push"]),
    ("rebase", &["pre-rebase", "post-rewrite", "post-checkout", "post-commit"]),
    ("revert", &["prepare-commit-msg", "commit-msg", "post-commit"]),
    ("switch", &["post-checkout"]),
    ("worktree", &["post-checkout"]),
];

/// How many files of lefthook's name others that they extend.
const EXTENDED: usize = 8;

/// Options of `git` itself that take a value in a word of their own.
const VALUES: &[&str] = &[
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--exec-path",
    "--config-env",
    "--super-prefix",
];

/// Hooks that `--no-verify` passes over.
const VERIFYING: &[&str] = &[
    "pre-commit",
    "commit-msg",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "applypatch-msg",
    "pre-applypatch",
];

/// What stands on the command line of git.
#[derive(Debug, Default, Eq, PartialEq)]
struct Asked {
    verb: String,
    rest: Vec<String>,
    directory: Option<String>,
    /// The repository, where `--git-dir` says which.
    repository: Option<String>,
    hooks: Option<String>,
    /// The keys that the command line gives a value in place of the repository's, in small letters.
    set: Vec<String>,
    /// Whether nothing is shown by a pager.
    unpaged: bool,
}

fn asked(words: &[String]) -> Asked {
    let mut asked = Asked::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if let Some(path) = word.strip_prefix("--git-dir=") {
            asked.repository = Some(path.to_owned());
        } else if VALUES.contains(&word.as_str()) {
            let value = words.next();
            match (word.as_str(), value) {
                // Each is taken from where the one before it leads.
                ("-C", Some(value)) => {
                    let before = asked.directory.as_deref();
                    asked.directory = Some(
                        before
                            .map_or_else(|| value.clone(), |before| project::joined(before, value)),
                    );
                }
                ("--git-dir", Some(value)) => asked.repository = Some(value.clone()),
                ("-c", Some(value)) => {
                    let (name, path) = value.split_once('=').unwrap_or((value, ""));
                    if name.eq_ignore_ascii_case("core.hookspath") {
                        asked.hooks = Some(path.to_owned());
                    }
                    asked.set.push(name.to_ascii_lowercase());
                }
                _ => {}
            }
        } else if matches!(word.as_str(), "--no-pager" | "-P") {
            asked.unpaged = true;
        } else if !word.starts_with('-') {
            word.clone_into(&mut asked.verb);
            asked.rest = words.cloned().collect();
            break;
        }
    }
    asked
}

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let asked = asked(&project::words(invocation));
    if asked.verb.is_empty() || project::has(&asked.rest, &["--help"]) || asked.rest == ["-h"] {
        return;
    }
    let hooks =
        HOOKS.iter().find(|(verb, _)| *verb == asked.verb).map_or(&[][..], |(_, hooks)| hooks);
    // A push that only tries asks its hook all the same.
    let only_tells = asked.verb != "push" && project::has(&asked.rest, &["--dry-run"]);
    let hooks = if only_tells { &[] } else { hooks };
    configured::of_another_home(walk, invocation, &asked);
    let directory = asked.directory.clone();
    project::in_directory(walk, directory.as_deref(), |walk| {
        // A variable that is not exported names none, and then the one around counts.
        let named = named(walk, asked.repository.as_deref());
        let around = repository(walk);
        let both = named.into_iter().chain(around);
        let mut seen: Vec<String> = Vec::new();
        for repository in both {
            if !seen.contains(&repository.git) {
                seen.push(repository.git.clone());
                in_repository(walk, repository, &asked, hooks, invocation.span);
            }
        }
    });
}

/// What the settings of a repository, and its hooks, have run.
fn in_repository(
    walk: &mut dyn Host,
    Repository { root, git, own }: Repository,
    asked: &Asked,
    hooks: &[&str],
    span: Span,
) {
    let mut folder = format!("{git}/hooks");
    let set = configured::follow(walk, &git, &own, asked, span);
    if hooks.is_empty() {
        return;
    }
    if let Some(path) = asked.hooks.clone().or(set) {
        // Relative to where git runs hooks: the root of the work tree.
        let here = walk.directory().map(str::to_owned);
        walk.go_to(Some(root.clone()));
        folder = walk.target(&Text::known(path)).path.unwrap_or(folder);
        walk.go_to(here);
    }
    let skips = project::has(&asked.rest, &["--no-verify"])
        || asked.verb == "commit" && asked.rest.iter().any(|word| is_letter(word, 'n'));
    let Found::Directory(names) = walk.look(&folder) else { return };
    // Husky's own folder holds starters that run the scripts beside it.
    let folder = folder
        .strip_suffix("/_")
        .filter(|it| it.ends_with("/.husky"))
        .map_or(folder.clone(), str::to_owned);
    let is_husky = folder.ends_with("/.husky");
    for hook in hooks.iter().filter(|hook| !skips || !VERIFYING.contains(hook)) {
        if !is_husky && !names.iter().any(|name| name == hook) {
            continue;
        }
        let path = format!("{folder}/{hook}");
        let here = walk.directory().map(str::to_owned);
        walk.go_to(Some(root.clone()));
        // The starter takes in what it runs first.
        if is_husky && names.iter().any(|name| name == "h") {
            walk.run_file("shell", &format!("{folder}/_/h"), span, &[], None);
        }
        ran(walk, &path, hook, span);
        walk.go_to(here);
    }
}

/// A hook is run by its first line, as any program. What `pre-commit install` and its like put there starts them.
fn ran(walk: &mut dyn Host, path: &str, hook: &str, span: Span) {
    let Some(file) = walk.look(path).file() else {
        walk.run_file("shell", path, span, &[], None);
        return;
    };
    if file.text.contains("pre_commit") || file.text.contains("pre-commit.com") {
        walk.run(&project::arguments(&["pre-commit", "run", "--hook-stage", hook], span), None);
        return;
    }
    if file.text.contains("lefthook") {
        walk.run(&project::arguments(&["lefthook", "run", hook], span), None);
    }
    walk.run(&project::arguments(&[path], span), None);
}

/// Whether a bundle of letters has one: `-an`. Behind a letter that takes a value nothing is an option.
fn is_letter(word: &str, wanted: char) -> bool {
    word.strip_prefix('-').filter(|letters| !letters.starts_with('-')).is_some_and(|letters| {
        letters.chars().find(|letter| {
            *letter == wanted || matches!(letter, 'm' | 'C' | 'c' | 'F' | 't' | 'S' | 'u')
        }) == Some(wanted)
    })
}

/// Where a repository lies.
struct Repository {
    /// The root of the work tree.
    root: String,
    /// The folder of git that all its work trees share.
    git: String,
    /// The folder of this work tree's own.
    own: String,
}

/// The repository that the command line or the environment names (git(1), "--git-dir", "GIT_DIR"): its settings count, whatever lies around.
fn named(walk: &mut dyn Host, option: Option<&str>) -> Option<Repository> {
    let path = option.map(Text::known).or_else(|| walk.variable_set("GIT_DIR"))?;
    let git = walk.target(&path).path?;
    let root = walk.directory().map(str::to_owned)?;
    // A file says where it is.
    let git = match walk.look(&git).file() {
        Some(file) => {
            let place = file.text.trim().strip_prefix("gitdir:")?;
            let folder = git.rsplit_once('/').map_or("", |(folder, _)| folder);
            crate::paths::normal(&project::joined(folder, place.trim()))
        }
        None => git,
    };
    let common = git.split("/worktrees/").next().unwrap_or(&git).to_owned();
    let common = walk
        .variable_set("GIT_COMMON_DIR")
        .and_then(|path| walk.target(&path).path)
        .unwrap_or(common);
    Some(Repository { root, own: git, git: common })
}

/// The repository around the directory of the command.
fn repository(walk: &mut dyn Host) -> Option<Repository> {
    let places = project::levels(walk);
    for root in &places {
        let git = format!("{root}/.git");
        if walk.look(&format!("{git}/config")).file().is_some() {
            return Some(Repository { root: root.clone(), own: git.clone(), git });
        }
        // A work tree beside the first one has a file that says where.
        if let Some(file) = walk.look(&git).file()
            && let Some(place) = file.text.trim().strip_prefix("gitdir:")
        {
            let place = crate::paths::normal(&project::joined(root, place.trim()));
            let common = place.split("/worktrees/").next().unwrap_or(&place).to_owned();
            return Some(Repository { root: root.clone(), git: common, own: place });
        }
        // A directory with these is a repository itself (git-scm.com, "gitrepository-layout"), as `cd DIRECTORY` makes it one.
        if walk.look(&format!("{root}/HEAD")).file().is_some()
            && walk.look(&format!("{root}/config")).file().is_some()
            && matches!(walk.look(&format!("{root}/objects")), Found::Directory(_))
        {
            let bare = root.clone();
            return Some(Repository { root: bare.clone(), own: bare.clone(), git: bare });
        }
    }
    let root = walk.facts().workspace.clone().or_else(|| places.into_iter().next())?;
    let git = format!("{root}/.git");
    Some(Repository { root, own: git.clone(), git })
}

/// `pre-commit run [HOOK]`: hooks that the project's own configuration spells (`repo: local`), and the places that others come from.
fn local(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let operands = project::operands(
        &words,
        &[
            "-c",
            "--config",
            "--files",
            "--from-ref",
            "--to-ref",
            "-s",
            "-o",
            "--hook-stage",
            "--hook-type",
            "--color",
        ],
    );
    let is_run = matches!(operands.first(), Some(&("run" | "try-repo" | "hook-impl")));
    if !is_run || project::has(&words, &["--help", "-h"]) {
        return;
    }
    let wanted = operands.get(1).copied();
    let stage = project::option(&words, &["--hook-stage", "--hook-type"]).unwrap_or("pre-commit");
    let skipped = invocation.environment.iter().find(|(name, _)| name == "SKIP");
    let skipped = skipped.map(|(_, value)| value.clone()).or_else(|| walk.variable_set("SKIP"));
    let skipped = skipped.as_ref().and_then(Text::as_known).unwrap_or_default().to_owned();
    let named = project::option(&words, &["-c", "--config"]);
    let file = match named.and_then(|name| walk.target(&Text::known(name)).path) {
        Some(path) => walk.look(&path).file(),
        None => project::nearest(walk, &[".pre-commit-config.yaml", ".pre-commit-config.yml"]),
    };
    let Some(file) = file else { return };
    walk.in_file(&file, "pre-commit", invocation.span, |walk| {
        let tree = project::whole(walk, tree::yaml(&file.text));
        let repositories = tree.root().and_then(|root| root.get("repos"));
        let usual = tree.root().and_then(|root| root.get("default_stages"));
        for repository in repositories.iter().flat_map(|it| it.items()) {
            let place = repository.get("repo");
            if let Some(address) = place {
                project::taken_from(walk, address.text().unwrap_or_default(), address.span);
            }
            for hook in repository.get("hooks").iter().flat_map(|it| it.items()) {
                let is_wanted = wanted.is_none()
                    || hook.text_of("id") == wanted
                    || hook.text_of("alias") == wanted;
                let names = [hook.text_of("id"), hook.text_of("alias")];
                let is_skipped = skipped.split(',').any(|name| names.contains(&Some(name.trim())));
                let stages = hook.get("stages").or(usual).filter(|it| !it.each().is_empty());
                let is_staged = stages.is_none_or(|it| is_of_stage(it, stage));
                if is_wanted && is_staged && !is_skipped {
                    one(walk, hook);
                }
            }
        }
        if tree.cut {
            walk.left_unread(Span::new(0, file.text.len()));
        }
    });
}

/// Whether a hook of these stages is run in one (pre-commit.com, "Confining hooks to run at certain stages"). Those of git have shorter names that
/// are older; what is no list of words may be any.
fn is_of_stage(stages: &tree::Node, stage: &str) -> bool {
    let whole = |name: &str| match name {
        "commit" | "merge-commit" | "push" => format!("pre-{name}"),
        name => name.to_owned(),
    };
    let stage = whole(stage);
    stages.each().iter().any(|it| it.text().is_none_or(|name| whole(name) == stage))
}

fn one(walk: &mut dyn Host, hook: &tree::Node) {
    let arguments: Vec<String> = hook.get("args").map(tree::Node::words).unwrap_or_default();
    let Some(entry) = hook.get("entry") else { return };
    let Some(text) = entry.text() else { return };
    let language = hook.text_of("language").unwrap_or("system");
    let mut code = text.to_owned();
    for word in &arguments {
        code.push(' ');
        code.push_str(&super::quoted(word));
    }
    match language {
        // A pattern is looked for; nothing is run.
        "pygrep" | "fail" => {}
        "docker_image" | "docker" => {
            let line = format!("docker run {code}");
            walk.shell(&Text::known(line), entry.span, &[], None);
        }
        // A script stands below the root of the work tree.
        "script" | "unsupported_script" => {
            let line = if code.starts_with(['/', '.']) { code } else { format!("./{code}") };
            walk.shell(&Text::known(line), entry.span, &[], None);
        }
        _ => {
            walk.shell(&Text::known(code), entry.span, &[], None);
        }
    }
}

/// `lefthook run HOOK`: the commands, jobs and scripts of a hook.
fn lefthook(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let operands = project::operands(&words, &["--commands", "--jobs", "--file"]);
    let ["run", hook, ..] = operands.as_slice() else { return };
    let names = [
        "lefthook.yml",
        "lefthook.yaml",
        ".lefthook.yml",
        ".lefthook.yaml",
        "lefthook-local.yml",
        ".config/lefthook.yml",
    ];
    let Some(root) = walk.directory().map(str::to_owned) else { return };
    let mut files = project::all_in(walk, &root, &names);
    let mut at = 0;
    while let Some(file) = files.get(at).cloned() {
        at += 1;
        let tree = tree::yaml(&file.text);
        let named = tree.root().and_then(|root| root.get("extends")).map(tree::Node::words);
        for name in named.unwrap_or_default().iter().filter(|_| at < EXTENDED) {
            let more = walk.look(&project::joined(&root, name)).file();
            files.extend(more.filter(|more| files.iter().all(|file| file.path != more.path)));
        }
        walk.in_file(&file, "lefthook", invocation.span, |walk| {
            let tree = project::whole(walk, tree::yaml(&file.text));
            let Some(node) = tree.root().and_then(|root| root.get(hook)) else { return };
            node.visit(&mut |inner| {
                if let Some(run) = inner.get("run")
                    && let Some(text) = run.text()
                {
                    let code = text
                        .replace("{staged_files}", "")
                        .replace("{push_files}", "")
                        .replace("{all_files}", "")
                        .replace("{files}", "");
                    walk.shell(&Text::known(code), run.span, &[], None);
                }
            });
            for (script, _) in node.get("scripts").iter().flat_map(|it| it.entries()) {
                walk.run_file(
                    "shell",
                    &format!("{root}/.lefthook/{hook}/{script}"),
                    node.span,
                    &[],
                    None,
                );
            }
        });
    }
}

/// `husky run HOOK` of the versions before the fifth.
fn husky(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let Some(hook) = words.get(1).filter(|_| words.first().is_some_and(|verb| verb == "run"))
    else {
        return;
    };
    let Some(root) = walk.directory().map(str::to_owned) else { return };
    walk.run_file("shell", &format!("{root}/.husky/{hook}"), invocation.span, &[], None);
}

/// `direnv allow` has the `.envrc` loaded by the shell's next prompt; `exec` and `reload` load it now.
fn direnv(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let operands = project::operands(&words, &[]);
    let Some(verb @ ("allow" | "permit" | "grant" | "exec" | "reload" | "export")) =
        operands.first().copied()
    else {
        return;
    };
    let place = operands
        .get(1)
        .copied()
        .filter(|_| verb != "export" && verb != "reload")
        .map(str::to_owned);
    let file: Option<File> = match place
        .filter(|place| place.ends_with(".envrc"))
        .and_then(|name| walk.target(&Text::known(name)).path)
    {
        Some(path) => walk.look(&path).file(),
        None => {
            let directory = operands
                .get(1)
                .copied()
                .filter(|_| matches!(verb, "exec" | "allow"))
                .map(str::to_owned);
            project::in_directory(walk, directory.as_deref(), |walk| {
                project::nearest(walk, &[".envrc"])
            })
        }
    };
    let Some(file) = file else { return };
    let root = crate::programs::found::directory_of(&file.path).to_owned();
    project::in_directory(walk, Some(&root), |walk| {
        walk.run_text("shell", &file, invocation.span, &[], None);
        // `source_env DIRECTORY` loads the `.envrc` there.
        for line in file.text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let ["source_env" | "source_env_if_exists", name, ..] = words.as_slice() else {
                continue;
            };
            let path = project::joined(&root, name.trim_matches(['"', '\'']));
            let file = walk.look(&path).file();
            let file = file.or_else(|| walk.look(&format!("{path}/.envrc")).file());
            if let Some(file) = file {
                walk.run_text("shell", &file, invocation.span, &[], None);
            }
        }
        // `PATH_add DIRECTORY`: what is run is looked for there first (direnv-stdlib(1)).
        if verb == "exec"
            && let Some((program, rest)) = operands.get(2..).and_then(<[&str]>::split_first)
        {
            let words = file.text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
            let places: Vec<String> = words
                .filter(|line| matches!(line.first(), Some(&("PATH_add" | "path_add"))))
                .flat_map(|line| {
                    line.iter()
                        .skip(1)
                        .map(|it| it.trim_matches(['"', '\'']).to_owned())
                        .collect::<Vec<_>>()
                })
                .filter(|place| place != "PATH")
                .collect();
            for place in places {
                let path = format!("{}/{program}", project::joined(&root, &place));
                if walk.look(&path).file().is_some() {
                    let mut line = vec![path.as_str()];
                    line.extend(rest);
                    walk.run(&project::arguments(&line, invocation.span), None);
                }
            }
        }
        if file.text.lines().any(|line| line.trim_start().starts_with("use flake")) {
            walk.run(&project::arguments(&["nix", "develop"], invocation.span), None);
        }
        if file.text.lines().any(|line| line.trim_start().starts_with("use nix")) {
            walk.run(&project::arguments(&["nix-shell"], invocation.span), None);
        }
        // direnv.net, "PATH_add": programs of the project come first for what is run with it.
        let places: Vec<String> = file.text.lines().flat_map(|line| placed(line, &root)).collect();
        let rest = operands.get(2..).unwrap_or_default();
        if verb == "exec" && !rest.is_empty() {
            shadowing(walk, &places, rest, &root, invocation.span);
        }
    });
}

/// Programs of the project that stand before others of their names: those that the words call, or what they start (a recipe, a script) names.
fn shadowing(walk: &mut dyn Host, places: &[String], words: &[&str], root: &str, span: Span) {
    /// How many programs of one directory are read.
    const PROGRAMS: usize = 24;
    if places.is_empty() {
        return;
    }
    let files = ["Makefile", "makefile", "justfile", "package.json", "Taskfile.yml"];
    let mut callers: String = words.join(" ");
    for file in project::all_in(walk, root, &files) {
        callers.push(' ');
        callers.push_str(&file.text);
    }
    for word in words.iter().filter(|word| word.contains('/')) {
        if let Some(file) = walk.look(&project::joined(root, word)).file() {
            callers.push_str(&file.text);
        }
    }
    let is_word = |letter: char| letter.is_alphanumeric() || "-_.+".contains(letter);
    for place in places {
        let Found::Directory(names) = walk.look(place) else { continue };
        let named =
            |name: &&String| callers.split(|letter| !is_word(letter)).any(|word| word == **name);
        let found: Vec<String> = names
            .iter()
            .filter(named)
            .at_most(PROGRAMS, &mut Unread(walk), span)
            .map(|name| format!("{place}/{name}"))
            .collect();
        for path in found {
            walk.at_likely(|walk| walk.run(&project::arguments(&[path], span), None));
        }
    }
}

/// The directories that a line of an `.envrc` puts before the others.
fn placed(line: &str, root: &str) -> Vec<String> {
    let line = line.trim().trim_start_matches("export ");
    let named: Vec<&str> = match line.split_once([' ', '\t', '=']) {
        Some(("PATH_add", rest)) => rest.split_whitespace().collect(),
        Some(("path_add", rest)) => rest.split_whitespace().skip(1).collect(),
        Some(("PATH", value)) => value.trim_matches(['"', '\'']).split(':').collect(),
        _ => Vec::new(),
    };
    let named = named.into_iter().map(|name| name.trim_matches(['"', '\'']));
    let own = named.filter_map(|name| {
        let name = ["$PWD", "$(pwd)", "${PWD}"]
            .iter()
            .find_map(|it| name.strip_prefix(it))
            .unwrap_or(name);
        (!name.contains('$')).then(|| project::joined(root, name.trim_start_matches('/')))
    });
    own.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_is_asked_stands_behind_its_own_options() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let found = asked(&words("-C a -c core.hooksPath=h --no-pager commit -m x"));
        assert_eq!(
            (found.verb.as_str(), found.directory.as_deref(), found.hooks.as_deref()),
            ("commit", Some("a"), Some("h"))
        );
        assert_eq!(found.rest, ["-m", "x"]);
        assert_eq!(asked(&words("--version")).verb, "");
    }

    #[test]
    fn hooks_are_passed_over_by_a_letter() {
        for (word, expected) in
            [("-n", true), ("-an", true), ("-mn", false), ("--no-edit", false), ("n", false)]
        {
            assert_eq!(is_letter(word, 'n'), expected, "{word}");
        }
    }
}
