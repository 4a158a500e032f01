//! Programs that do with a file what they like, or what their operands say in a language of their own: editors, version
//! control, mounts, databases in a file. Owns which of their words name such files; what the others do to files is said by
//! their own rows.

use super::{
    agents, discards, mounts,
    operands::{after, known, operands},
    options::values_of,
    program,
    statements::statement_reads,
};
use crate::{
    bound::Bounded,
    effect::{Argument, WriteMode},
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
};

/// How many words of one command are looked at.
const WORDS: usize = 64;

/// Programs that change the files that their operands name, or lay something over them, sorted. Editors that open a window
/// are none: there, a person changes what they show.
static CHANGERS: &[&str] = &[
    "bindfs",
    "chrpath",
    "codesign",
    "crudini",
    "dconf",
    "e3",
    "ed",
    "elfedit",
    "emacs",
    "emacsclient",
    "ex",
    "fuse-overlayfs",
    "fusermount",
    "fusermount3",
    "helix",
    "hx",
    "install_name_tool",
    "jed",
    "joe",
    "kak",
    "mcedit",
    "mg",
    "micro",
    "mount",
    "nano",
    "ne",
    "nvim",
    "objcopy",
    "patchelf",
    "pico",
    "red",
    "sd",
    "sponge",
    "sshfs",
    "strip",
    "umount",
    "unionfs",
    "upx",
    "vim",
    "vipe",
    "xattr",
];

/// Programs that change the files that their operands name when one of these options is given.
static IN_PLACE: &[(&str, &[&str])] = &[
    ("awk", &["-i"]),
    ("biome", &["--write", "--fix"]),
    ("dasel", &["put", "delete", "-f"]),
    ("exiftool", &["-all=", "-overwrite_original", "-overwrite_original_in_place"]),
    ("gawk", &["-i"]),
    ("jaq", &["-i", "--in-place"]),
    ("prettier", &["--write", "-w"]),
    ("tomlq", &["-i", "--in-place"]),
    ("xq", &["-i", "--in-place"]),
    ("yq", &["-i", "--inplace", "--in-place"]),
];

/// Those of them that write what stood there in another shape.
const FORMATTERS: &[&str] = &["biome", "prettier"];

/// Programs that write every file anew that their operands name, sorted, with the options that make them write elsewhere.
static REWRITES: &[(&str, &[&str])] = &[
    ("ccencrypt", &[]),
    ("ccrypt", &["-c", "--cat", "-d", "--decrypt"]),
    ("jpegoptim", &["-d", "--dest", "--stdout", "-n", "--noaction"]),
    ("mogrify", &["-path", "-format"]),
    ("optipng", &["-out", "-dir", "-simulate"]),
    ("oxipng", &["--out", "--dir", "--pretend", "-P"]),
];

/// Subcommands of version control that put another content in place of files, move them or take them away.
const GIT: &[&str] = &[
    "apply",
    "checkout",
    "checkout-index",
    "clean",
    "clone",
    "init",
    "mv",
    "restore",
    "rm",
    "sparse-checkout",
    "stash",
    "submodule",
    "switch",
    "update",
    "worktree",
];

/// Hands the files of a command to a program that changes files in its own way; of a program that nobody knows, it is only
/// said that it has them.
pub(crate) fn follow(walk: &mut dyn Host, invocation: &Invocation) {
    agents::follow(walk, invocation);
    let name = invocation.program.as_str();
    match name {
        "git" | "hg" | "svn" | "jj" => {
            if name == "git" {
                discards::follow(walk, invocation);
            }
            version_control(walk, invocation);
        }
        "sqlite3" | "sqlite" | "duckdb" | "litecli" => database(walk, invocation),
        _ if CHANGERS.binary_search(&name).is_ok() => {
            edited(walk, invocation);
            let looks = matches!(name, "nvim" | "vim") && invocation.options().has(&["-R", "-M"]);
            hand_all(walk, &operands(invocation), !looks);
        }
        _ if REWRITES.iter().any(|row| row.0 == name) => {
            let elsewhere = REWRITES.iter().find(|row| row.0 == name).map_or(&[][..], |row| row.1);
            if !invocation.arguments.iter().any(|word| elsewhere.contains(&known(word))) {
                let files = operands(invocation);
                for file in files.iter().at_most(WORDS, walk, invocation.span) {
                    walk.write(file, WriteMode::Replace, Text::unknown(name));
                }
            }
            hand_all(walk, &operands(invocation), true);
        }
        "as" | "c++" | "cc" | "clang" | "clang++" | "g++" | "gcc" | "gfortran" | "go" | "ld"
        | "rustc" | "tcc" => {
            for file in values_of(&invocation.arguments, "-o") {
                walk.hand(&file, true);
            }
        }
        _ => {
            let options = IN_PLACE.iter().find(|(program, _)| *program == name);
            if let Some((_, options)) = options
                && invocation.options().has(options)
            {
                let mut files = operands(invocation);
                files.retain(|file| file.text.as_known() != Some("inplace"));
                // In these a program of the tool's own language stands first.
                let programs = ["awk", "gawk", "jaq", "tomlq", "xq", "yq"];
                let skipped = usize::from(programs.contains(&name) && files.len() > 1);
                for file in files.iter().skip(skipped).at_most(WORDS, walk, invocation.span) {
                    let content = if FORMATTERS.contains(&name) {
                        walk.read(file)
                    } else {
                        Text::unknown(name)
                    };
                    walk.write(file, WriteMode::Edit, content);
                }
                hand_all(walk, &files, true);
            }
        }
    }
}

/// An editor that is told by its options what to change and to save it.
fn edited(walk: &mut dyn Host, invocation: &Invocation) {
    if matches!(invocation.program.as_str(), "ed" | "red") {
        let input = invocation.input.as_ref().map(|input| walk.text_of_input(input));
        let typed = input.as_ref().filter(|input| {
            input.known_prefix().lines().any(|line| matches!(line.trim(), "w" | "wq" | "W"))
        });
        if let (Some(typed), Some(file)) = (typed, operands(invocation).first()) {
            walk.write(file, WriteMode::Edit, typed.clone());
        }
        // `w FILE` writes what was edited elsewhere.
        if let Some(input) = &input {
            for line in input.known_prefix().lines().at_most(WORDS, walk, invocation.span) {
                let line = line.trim_start_matches(|it: char| {
                    it.is_ascii_digit() || it.is_whitespace() || ",$.;%".contains(it)
                });
                let path =
                    ["w ", "W ", "wq ", "f "].iter().find_map(|verb| line.strip_prefix(verb));
                if let Some(path) = path.filter(|path| !path.trim_start().starts_with('!')) {
                    let text = input.derive([crate::text::Piece::Known(path.trim().to_owned())]);
                    let file = Argument { text, span: invocation.span };
                    walk.write(&file, WriteMode::Replace, input.clone());
                }
            }
        }
        return;
    }
    if !matches!(invocation.program.as_str(), "ex" | "nvim" | "vim") {
        return;
    }
    let mut content = Text::default();
    let (mut saves, mut before) = (false, "");
    for argument in &invocation.arguments {
        let word = argument.text.known_prefix();
        let command = word
            .strip_prefix('+')
            .or_else(|| word.strip_prefix("-c").filter(|rest| !rest.is_empty()))
            .or_else(|| (before == "-c").then_some(word));
        if let Some(command) = command {
            let last = command.rsplit('|').next().unwrap_or(command).trim_start_matches([':', ' ']);
            saves |= matches!(
                last.trim_end_matches('!'),
                "w" | "wq" | "x" | "xit" | "wqa" | "xa" | "update"
            );
            let path = ["w ", "w! ", "saveas ", "wq ", "wq! "]
                .iter()
                .find_map(|verb| last.strip_prefix(verb))
                .map(str::trim)
                .filter(|path| !path.is_empty() && !path.starts_with('!'));
            if let Some(path) = path {
                let file = Argument { text: Text::known(path), span: argument.span };
                walk.write(&file, WriteMode::Replace, Text::unknown("the buffer"));
            }
            content.append(&argument.text);
            content.push_known("\n");
        }
        before = word;
    }
    if saves {
        for file in operands(invocation) {
            let word = known(&file);
            if !word.starts_with('+') {
                walk.write(&file, WriteMode::Edit, content.clone());
            }
        }
    }
}

/// A program that neither a table nor a rule knows has every file that it is given the name of.
pub(crate) fn unfamiliar(walk: &mut dyn Host, invocation: &Invocation) {
    // An agent reads and changes what it likes when it runs, not what its prompt mentions.
    let name = invocation.program.as_str();
    let by_path = invocation.name.text.known_prefix().contains('/');
    if program(name).is_some()
        || crate::programs::notable::names(name) && !by_path
        || agents::find(name).is_some()
    {
        return;
    }
    hand_all(walk, &invocation.arguments, false);
    for word in invocation.arguments.iter().at_most(WORDS, walk, invocation.span) {
        let written = word.text.known_prefix();
        if written.contains([',', ':']) || !written.starts_with('-') && written.contains('=') {
            for path in mounts::paths_in(word) {
                walk.hand(&path, false);
            }
        }
    }
}

fn hand_all(walk: &mut dyn Host, files: &[Argument], changes: bool) {
    let span = files.last().map_or_else(portcullis_syntax::Span::default, |file| file.span);
    for file in files.iter().at_most(WORDS, walk, span) {
        let prefix = file.text.known_prefix();
        let value = prefix
            .strip_prefix('-')
            .and_then(|option| option.split_once('='))
            .and_then(|(name, _)| after(file, &format!("-{name}=")));
        match value {
            Some(value) => walk.hand(&value, changes),
            None if prefix.starts_with('-') => {}
            None => walk.hand(file, changes),
        }
    }
}

/// Options with which `git config` changes what stands there.
const SETS: &[&str] = &[
    "--add",
    "--edit",
    "--remove-section",
    "--rename-section",
    "--replace-all",
    "--unset",
    "--unset-all",
    "-e",
];

fn version_control(walk: &mut dyn Host, invocation: &Invocation) {
    let options = invocation.options();
    let Some(verb) = options.operands().next().map(known) else { return };
    // `git config -f ~/.aws/credentials -l`: any file of that kind is shown.
    if verb == "config"
        && let Some(file) = options.value(&["-f", "--file"])
        && (options.has(&["-l", "--list", "--get", "--get-all", "--get-regexp"])
            || options.operands().nth(1).is_some_and(|word| matches!(known(word), "list" | "get")))
    {
        walk.read(&file);
    } else if verb == "config"
        && let Some(file) = options.value(&["-f", "--file"])
        && (operands(invocation).len() > 2 || options.has(SETS))
    {
        let said = operands(invocation).into_iter().skip(1).map(|word| word.text);
        let mut content = Text::default();
        for word in said {
            content.append(&word);
            content.push_known(" ");
        }
        content.append(&Text::unknown("what stands there"));
        walk.write(&file, WriteMode::Edit, content);
    }
    // git-stash(1): what is in no commit is put away with it, the settings of an agent among them.
    if verb == "stash"
        && options.has(&["-u", "--include-untracked", "-a", "--all"])
        // What is named behind it is all that goes.
        && match operands(invocation).as_slice() {
            [_] => true,
            [_, word] => matches!(known(word), "push" | "save"),
            _ => false,
        }
    {
        let here = walk.facts().workspace.clone().or_else(|| walk.directory().map(str::to_owned));
        let own: Vec<String> = walk
            .facts()
            .hooked
            .iter()
            .filter(|path| {
                here.as_deref().is_some_and(|here| path.starts_with(&format!("{here}/")))
            })
            .cloned()
            .collect();
        // Whether one of them is there and not ignored is not known.
        for path in own {
            walk.hand(&Argument { text: Text::known(path), span: invocation.span }, false);
        }
    }
    // `git init ..`, `git -C ~ init`: what lies around the work becomes part of it.
    if verb == "init" {
        let place = operands(invocation).get(1).cloned();
        let place =
            place.unwrap_or_else(|| Argument { text: Text::known("."), span: invocation.span });
        let began = walk.facts().cwd.clone();
        let (here, work) = (walk.directory().map(str::to_owned), walk.facts().workspace.clone());
        let path = match options.value(&["-C"]).and_then(|there| walk.target(&there.text).path) {
            Some(there) if known(&place) == "." => Some(there),
            _ => walk.target(&place.text).path,
        };
        let is_around = |path: &str, inner: &str| {
            inner.strip_prefix(path.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
        };
        // The directory that the call began in counts as well as where it went.
        let inner = [here, work, began];
        if path.is_some_and(|path| inner.iter().flatten().any(|inner| is_around(&path, inner))) {
            walk.note("git.init.around", place.span);
        }
    }
    if invocation.program == "git" && SHOWS.contains(&verb) {
        shown(walk, invocation);
    }
    let changes = GIT.contains(&verb) || verb == "merge-file";
    let words = if changes { operands(invocation) } else { return };
    let files = words.get(1..).unwrap_or_default();
    // git-merge-file(1): the first of three takes what comes out.
    if verb == "merge-file" && !options.has(&["-p", "--stdout"]) {
        let words = operands(invocation);
        if let [_, file, .., other] = words.as_slice() {
            let content = walk.read(other);
            walk.write(file, WriteMode::Edit, content);
        }
        return;
    }
    if verb == "worktree" && files.first().map(known) == Some("add") {
        // Whether it makes the place that it is told is a question of what is there.
        for place in files.iter().skip(1) {
            if let Some(path) = walk.target(&place.text).path {
                walk.look(&path);
            }
        }
    }
    let keeps = match verb {
        "rm" => options.has(&["--cached"]),
        "restore" => options.has(&["--staged", "-S"]) && !options.has(&["--worktree", "-W"]),
        "clean" => options.has(&["-n", "--dry-run"]),
        "stash" => matches!(files.first().map(known), Some("list" | "show")),
        "revert" => invocation.program == "git",
        _ => false,
    };
    if keeps {
        return;
    }
    match options.value(&["-C", "-R", "--cwd", "--repository"]) {
        Some(directory) if invocation.program != "jj" => {
            walk.within(&directory, |walk| hand_all(walk, files, true));
        }
        _ => hand_all(walk, files, true),
    }
}

/// Subcommands of git that show what stood in files.
const SHOWS: &[&str] =
    &["annotate", "archive", "blame", "cat-file", "diff", "hash-object", "log", "show"];

/// Secrets in the history are secrets: `git show HEAD:.env`, `git log -p -- .env`.
fn shown(walk: &mut dyn Host, invocation: &Invocation) {
    let options = invocation.options();
    let words = operands(invocation);
    let Some((verb, files)) = words.split_first() else { return };
    // Without the difference a log tells when, and a difference may name files alone.
    let tells_names = match known(verb) {
        "log" => !options.has(&["-p", "-u", "--patch", "-L"]),
        "diff" | "show" => options.has(&["--stat", "--name-only", "--name-status", "--quiet"]),
        "cat-file" => options.has(&["-e", "-t", "-s"]),
        _ => false,
    };
    if tells_names {
        return;
    }
    if let Some(file) = options.value(&["--contents"]) {
        walk.read_secret(&file);
    }
    for word in files.iter().at_most(WORDS, walk, verb.span) {
        // Behind a colon stands what the revision has at that path.
        let path = word.text.known_prefix().find(':').and_then(|colon| {
            let revision = word.text.known_prefix().get(..=colon)?;
            after(word, revision)
        });
        walk.read_secret(&path.unwrap_or_else(|| word.clone()));
    }
}

/// A database in a file, unless it is only asked.
fn database(walk: &mut dyn Host, invocation: &Invocation) {
    let options = invocation.options();
    let words = operands(invocation);
    let Some((file, statements)) = words.split_first() else { return };
    let reads = |statement: &str| {
        statement.trim().is_empty()
            || statement_reads(statement)
            || LOOKS.iter().any(|word| statement.trim_start().starts_with(word))
    };
    let only_asked = options.has(&["-readonly", "--readonly"])
        || !statements.is_empty()
            && statements.iter().all(|statement| statement.text.as_known().is_some_and(reads));
    let typed = statements.is_empty()
        && invocation.input.as_ref().is_some_and(|input| {
            input.as_known().is_some_and(|input| input.split([';', '\n']).all(reads))
        });
    walk.database(file, !only_asked && !typed);
}

/// Commands of SQLite's shell that only look.
const LOOKS: &[&str] =
    &[".databases", ".dbinfo", ".dump", ".help", ".indexes", ".schema", ".tables"];

/// Whether a list here has a program, for the test of the names.
#[cfg(test)]
pub(super) fn lists(name: &str) -> bool {
    CHANGERS.contains(&name)
        || IN_PLACE.iter().any(|row| row.0 == name)
        || REWRITES.iter().any(|row| row.0 == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(CHANGERS.is_sorted() && IN_PLACE.is_sorted_by_key(|row| row.0) && GIT.is_sorted());
        assert!(REWRITES.is_sorted_by_key(|row| row.0));
    }
}
