//! What git runs by itself: aliases, settings, and commands handed to its subcommands. Owns how they are followed; which
//! options and variables there are is said by the tables.

mod configured;
mod hooks;
pub(super) mod leads;
mod push;
mod swept;
mod versions;

use portcullis_syntax::Span;

pub(in crate::programs) use configured::entries;
pub(crate) use configured::git_environment;
pub(super) use configured::set;
use configured::{WORK_TREE, address, configured, from_environment, git_setting, mean};
use hooks::{git_runs_words, own_hooks};
pub(crate) use versions::archived;

use super::{
    act::after,
    git_tables::{COMMANDS, CONFIGURATIONS, GLOBAL_VALUES, REPOSITORIES, Row, VERBS, WHOLE},
    settings::{self, Settings},
    temporary::is_anybodys,
};
use crate::{
    bound::Bounded as _,
    effect::{Argument, GapReason, WriteMode},
    place,
    programs::{Options, host::Host, invocation::Invocation, trees},
    text::{Piece, Taint, Text},
};

/// How many settings of one variable or file are read; people write a few dozen.
const SETTINGS: usize = 512;

/// How many commands of one list are looked at.
const LINES: usize = 16;

/// Options of git-config(1) that take a value.
const CONFIG_VALUES: &[&str] =
    &["-f", "-t", "--blob", "--comment", "--default", "--file", "--type", "--url", "--value"];

/// Whether a word is one of git's own commands.
pub(crate) fn is_verb(word: &str) -> bool {
    VERBS.binary_search(&word).is_ok()
}

/// Says which versions of files git puts in place, before its hooks are looked for among them.
pub(crate) fn put_versions(walk: &mut dyn Host, invocation: &Invocation) {
    let arguments = invocation.arguments.as_slice();
    let at = command_at(arguments);
    let (before, after) = arguments.split_at_checked(at).unwrap_or((arguments, &[]));
    if let Some((verb, after)) = after.split_first() {
        let verb = verb.text.as_known().unwrap_or_default();
        versions::put(walk, before, verb, after, invocation.input.as_ref());
    }
}

/// Subcommands of git whose options or operands are commands.
pub(super) fn git_commands(walk: &mut dyn Host, invocation: &Invocation) {
    let arguments = invocation.arguments.as_slice();
    let at = command_at(arguments);
    let (before, after) = arguments.split_at_checked(at).unwrap_or((arguments, &[]));
    // Files and variables say something for good, options for this command and what it starts.
    surroundings(walk, invocation.span);
    let outer = walk.git_settings();
    let verb = after.first().and_then(|word| word.text.as_known()).unwrap_or("");
    before_command(walk, before, verb);
    let own = outer..walk.git_settings();
    command(walk, invocation, before, after);
    walk.forget_git_settings(own);
}

/// What stands behind git's own options.
fn command(walk: &mut dyn Host, invocation: &Invocation, before: &[Argument], after: &[Argument]) {
    let (verb, after) = match after.split_first() {
        Some((verb, after)) => (verb.text.as_known().unwrap_or(""), after),
        None => ("", after),
    };
    swept::follow(walk, before, verb, after);
    aliased_elsewhere(walk, before, verb, invocation.span);
    aliased_here(walk, verb, after, invocation);
    let options = Options::new(after, invocation.values).abbreviating();
    if let Some(command) = COMMANDS.iter().find(|command| command.verbs.contains(&verb)) {
        let options = Options::new(after, command.values).abbreviating();
        for given in options.given() {
            // The words behind an option may be another's, so each option has one meaning at most.
            let value = |row: &Row| {
                row.options.iter().find_map(|name| {
                    if row.attached {
                        given.attached(name, WHOLE)
                    } else {
                        given.value_in_full(name, WHOLE)
                    }
                })
            };
            if let Some((row, value)) =
                command.rows.iter().find_map(|row| value(row).map(|value| (row, value)))
                && !value.text.is_empty()
            {
                mean(walk, row.means, &value.text, value.span);
            }
        }
    }
    let words: Vec<&Argument> = options.operands().collect();
    let second = words.first().and_then(|word| word.text.as_known()).unwrap_or("");
    taken_in(walk, verb, after, &words, invocation);
    match verb {
        // Outside of a repository, or told so, it compares any two files.
        "diff" if options.has(&["--no-index"]) => read_from(walk, before, &words),
        // The first operand is what is looked for, unless an option says it.
        "grep" if options.has(&["--no-index", "--untracked"]) => {
            let skip = usize::from(!options.has(&["-e", "-f"]));
            let files = words.get(skip..).unwrap_or_default();
            let here = Argument { text: Text::known("."), span: invocation.span };
            let here = [&here];
            read_from(walk, before, if files.is_empty() { &here } else { files });
        }
        "clone" | "init" => {
            if let Some(template) = options.value(&["--template"])
                && !place::place_of(&walk.target(&template.text), walk.facts()).is_workspace()
                && !template.text.is_empty()
            {
                walk.note("persistence.git.hook", template.span);
            }
            if verb == "clone" {
                let known = COMMANDS.iter().find(|command| command.verbs.contains(&verb));
                let options = Options::new(after, known.map_or(&[][..], |command| command.values));
                cloned(walk, &options.operands().collect::<Vec<_>>());
            }
        }
        "submodule" if second == "add" => cloned(walk, words.get(1..).unwrap_or_default()),
        "worktree" if matches!(second, "add" | "move") => {
            let options = Options::new(after, &["-b", "-B", "--reason"]);
            let place = options.operands().nth(if second == "add" { 1 } else { 2 });
            if let Some(place) = place {
                trees::planted(walk, place);
            }
        }
        // git-format-patch(1): the end of each patch "is read from a file".
        "format-patch" => {
            for file in Options::new(after, &["--signature-file"]).values_of(&["--signature-file"])
            {
                walk.read(&file);
            }
        }
        "checkout-index" => push::written(walk, after),
        "bugreport" | "diagnose" => {
            const VALUES: &[&str] = &["-o", "--output-directory", "-s", "--suffix"];
            for directory in Options::new(after, VALUES).values_of(&["-o", "--output-directory"]) {
                walk.hand(&directory, true);
            }
        }
        "maintenance" if matches!(second, "register" | "start" | "unregister") => {
            maintained(walk, second, after, invocation.span);
        }
        // git-difftool(1): behind the command stand two files, of which one may be the work tree's own.
        "difftool" => {
            for program in Options::new(after, &["-t", "-x"]).values_of(&["-x", "--extcmd"]) {
                let mut opens = program.text.clone();
                opens.push_known(WORK_TREE);
                walk.shell(&opens, program.span, &[], None);
            }
        }
        // git-credential-store(1): what it is told is kept in this file.
        "credential-store" if words.iter().any(|word| is_word(word, &["erase", "store"])) => {
            for file in Options::new(after, &["--file"]).values_of(&["--file"]) {
                walk.write(&file, WriteMode::Replace, Text::unknown("git"));
            }
        }
        "http-push" | "send-pack" => push::by_hand(walk, invocation, after),
        "commit" | "push" => {
            if verb == "push" {
                push::by_settings(walk, invocation, after);
            }
            let skips = |(name, value): &(String, Text)| {
                matches!(name.as_str(), "PRE_COMMIT_ALLOW_NO_CONFIG" | "SKIP") && !value.is_empty()
            };
            if invocation.environment.iter().any(skips) {
                walk.note("evasion.hook.off", invocation.span);
            }
        }
        "config" => {
            let options = Options::new(after, CONFIG_VALUES).abbreviating();
            let words: Vec<&Argument> = options.operands().collect();
            configured(walk, &options, &words);
        }
        "submodule" if second == "foreach" => git_runs_words(walk, after, "foreach"),
        "bisect" if second == "run" => git_runs_words(walk, after, "run"),
        "send-email" => {
            // A name of a machine, or the full path of a program.
            if let Some(server) = options.value(&["--smtp-server"])
                && server.text.known_prefix().contains('/')
            {
                settings::program(walk, &server);
            }
        }
        "remote-ext" | "remote-fd" => {
            if let Some(code) = words.get(1) {
                address(walk, &code.text, code.span);
                walk.note("git.transport.ext", code.span);
            }
        }
        "merge-index" | "for-each-repo" => {
            let rest = behind_options(after);
            let git = Argument { text: Text::known("git"), span: invocation.name.span };
            let words: Vec<Argument> = match verb {
                "merge-index" => rest.to_vec(),
                _ => std::iter::once(git).chain(rest.iter().cloned()).collect(),
            };
            if !rest.is_empty() {
                walk.run(&words, None);
            }
        }
        _ => {}
    }
}

/// git-maintenance(1): a repository is written into a configuration, and `start` has jobs run again and again in all that are there.
fn maintained(walk: &mut dyn Host, verb: &str, after: &[Argument], span: Span) {
    const VALUES: &[&str] = &["--config-file", "--scheduler"];
    let word = |text: &str| Argument { text: Text::known(text), span };
    let mut words = vec![word("git"), word("config")];
    match Options::new(after, VALUES).abbreviating().value(&["--config-file"]) {
        Some(file) => words.extend([word("--file"), file]),
        None => words.push(word("--global")),
    }
    words.extend(["--add", "maintenance.repo", "."].map(word));
    walk.run(&words, None);
    if verb == "start" {
        let job = Text::known("0 * * * * git for-each-repo --config=maintenance.repo gc\n");
        walk.run(&["crontab", "-"].map(word), Some(job));
    }
}

fn is_word(word: &Argument, words: &[&str]) -> bool {
    word.text.as_known().is_some_and(|known| words.contains(&known))
}

/// Files are read whatever git knows of them, named from where `-C` leads.
fn read_from(walk: &mut dyn Host, before: &[Argument], files: &[&Argument]) {
    let outer = walk.directory().map(str::to_owned);
    for directory in Options::new(before, GLOBAL_VALUES).values_of(&["-C"]) {
        let inner = walk.target(&directory.text).path;
        walk.go_to(inner);
    }
    for file in files {
        walk.read(file);
    }
    walk.go_to(outer);
}

/// `GIT_DIR=/tmp/x.git git WORD`: what an alias stands for is said by a repository that anybody may have put there.
fn aliased_elsewhere(walk: &mut dyn Host, before: &[Argument], verb: &str, span: Span) {
    if verb.is_empty() || VERBS.contains(&verb) {
        return;
    }
    let option = Options::new(before, GLOBAL_VALUES).value(&["--git-dir", "-C"]);
    let named = option.map(|value| value.text).or_else(|| walk.variable_set("GIT_DIR"));
    if let Some(path) = named
        && is_anybodys(path.known_prefix(), walk.facts())
        && !walk.wrote(&below(&path, "config"))
    {
        walk.note("execution.settings.named", span);
    }
}

/// `git -c alias.WORD=push WORD --force`, `git config alias.WORD push && git WORD --force`: an alias that this very call
/// makes, with the words behind it. What it stands for may be another alias, which git looks up in the same settings.
fn aliased_here(walk: &mut dyn Host, verb: &str, after: &[Argument], invocation: &Invocation) {
    if verb.is_empty() || VERBS.contains(&verb) {
        return;
    }
    let Some(value) = walk.git_setting(&format!("alias.{verb}")) else { return };
    if value.known_prefix().is_empty() && value.has_unknown() {
        walk.gap(invocation.span, GapReason::UnknownCode);
        return;
    }
    let mut words = vec![invocation.name.clone()];
    words.extend_from_slice(after);
    let mut code = self::after(&value, "!").unwrap_or_else(|| {
        let mut code = Text::known("git ");
        code.append(&value);
        code
    });
    code.push_known(" \"$@\"");
    walk.shell(&code, invocation.span, &words, None);
}

/// The words behind a command's own options, which may end with `--`; one of them takes the next word.
fn behind_options(words: &[Argument]) -> &[Argument] {
    let mut rest = words;
    while let Some((word, after)) = rest.split_first() {
        let written = word.text.known_prefix();
        if !written.starts_with('-') {
            break;
        }
        rest = match written {
            "--config" => after.get(1..).unwrap_or(&[]),
            _ => after,
        };
        if written == "--" {
            break;
        }
    }
    rest
}

/// Where the command stands among git's words.
fn command_at(arguments: &[Argument]) -> usize {
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let written = word.text.known_prefix();
        if !written.starts_with('-') {
            break;
        }
        // The path of git's programs is shown where none is attached.
        let takes = GLOBAL_VALUES.contains(&written) && written != "--exec-path";
        at += 1 + usize::from(takes && word.text.as_known().is_some());
    }
    at
}

/// Options before the command.
fn before_command(walk: &mut dyn Host, words: &[Argument], verb: &str) {
    for given in Options::new(words, GLOBAL_VALUES).given() {
        match given.long_name() {
            "-c" => {
                if let Some(value) = given.value("-c")
                    && !own_hooks(walk, words, verb, &value)
                {
                    git_setting(walk, &value);
                }
            }
            "--config-env" => {
                if let Some(value) = given.value("--config-env") {
                    from_environment(walk, &value);
                }
            }
            "--git-dir" => {
                if let Some(value) = given.value("--git-dir") {
                    repository(walk, &value.text, value.span);
                }
            }
            "--exec-path" => {
                if let Some(value) = given.attached("--exec-path", &[]) {
                    settings::directory(walk, &value);
                }
            }
            "-C" => {
                if let Some(value) = given.value("-C") {
                    settings::found(walk, Settings::Git, &below(&value.text, "config"), value.span);
                }
            }
            // `-cKEY=value` is no option of git's.
            _ => {}
        }
    }
}

/// What the environment names. A command that a setting runs finds the same environment, which was read by then.
fn surroundings(walk: &mut dyn Host, span: Span) {
    if walk.within_program("git") > 1 {
        return;
    }
    for name in CONFIGURATIONS {
        if let Some(text) = walk.variable_set(name) {
            settings::named(walk, Settings::Git, &Argument { text, span });
        }
    }
    for name in REPOSITORIES {
        if let Some(path) = walk.variable_set(name) {
            repository(walk, &path, span);
        }
    }
    if let Some(path) = walk.variable_set("XDG_CONFIG_HOME") {
        settings::found(walk, Settings::Git, &below(&path, "git/config"), span);
    }
    if let Some(home) = walk.variable_set("HOME") {
        settings::found(walk, Settings::Git, &below(&home, ".gitconfig"), span);
        settings::found(walk, Settings::Git, &below(&home, ".config/git/config"), span);
    }
    if walk.has_written() {
        settings::found(walk, Settings::Git, &Text::known("config"), span);
    }
}

/// A repository is named whose `config` is obeyed. `.git` and what is called like it are protected where they lie.
fn repository(walk: &mut dyn Host, path: &Text, span: Span) {
    let config = below(path, "config");
    if settings::found(walk, Settings::Git, &config, span) {
        return;
    }
    let shown = path.display();
    let is_ordinary = shown.trim_end_matches('/').ends_with(".git")
        || shown.contains(".git/modules/")
        || shown.contains(".git/worktrees/");
    if !is_ordinary && !path.is_empty() {
        settings::named(walk, Settings::Git, &Argument { text: config, span });
    }
}

fn below(directory: &Text, name: &str) -> Text {
    let mut path = directory.clone();
    path.push_known("/");
    path.push_known(name);
    path
}

/// How many names of a list are looked at.
const LISTED: usize = 256;

fn is_in_place(after: &[Argument]) -> bool {
    Options::new(after, &["--trailer"]).has(&["--in-place"])
}

fn read_named(walk: &mut dyn Host, after: &[Argument], options: &'static [&'static str]) {
    let files: Vec<Argument> = Options::new(after, options).values_of(options).collect();
    for file in files {
        walk.read(&file);
    }
}

/// A secret in an address, or in what a push says to the other side (git-push(1), `--push-option`), goes there.
fn sent_along(walk: &mut dyn Host, verb: &str, after: &[Argument], words: &[&Argument]) {
    if !matches!(verb, "fetch" | "ls-remote" | "pull" | "push" | "remote" | "send-pack") {
        return;
    }
    let is_secret = |word: &Argument| word.text.taint.has(Taint::SECRET);
    for address in
        words.iter().filter(|word| is_secret(word) && trees::is_remote(&word.text.display()))
    {
        walk.connect(address, None, false);
    }
    const SAYS: &[&str] = &["-o", "--push-option", "--server-option"];
    let said: Vec<Argument> = Options::new(after, SAYS).values_of(SAYS).filter(is_secret).collect();
    for said in said {
        let other = Argument { text: Text::known("a remote of git"), span: said.span };
        let other = words.first().map_or(&other, |first| first);
        walk.connect(other, Some(said.text), false);
    }
}

/// `git clone ADDRESS [DIRECTORY]`: what is there afterwards came over the network, and a secret in the address goes to its host.
/// Files that git takes in as a message or a letter, and those that it writes besides the work tree.
fn taken_in(
    walk: &mut dyn Host,
    verb: &str,
    after: &[Argument],
    words: &[&Argument],
    invocation: &Invocation,
) {
    const MESSAGES: &[&str] = &["-F", "--file"];
    for list in Options::new(after, &["--pathspec-from-file"]).values_of(&["--pathspec-from-file"])
    {
        if list.text.as_known() != Some("-") {
            // A name that fits nothing is shown with its line.
            walk.read(&list);
        }
    }
    sent_along(walk, verb, after, words);
    match verb {
        // What a file says is put into what everybody may read, or shown as it is.
        "archive" => read_named(walk, after, &["--add-file"]),
        "blame" | "annotate" => {
            read_named(walk, after, &["-S", "--contents", "--ignore-revs-file"])
        }
        "hash-object" if Options::new(after, &["-t", "--path"]).has(&["--stdin-paths"]) => {
            let names = invocation.input.clone().unwrap_or_default();
            for name in names.known_prefix().lines().at_most(LISTED, walk, invocation.span) {
                walk.read(&Argument { text: Text::known(name), span: invocation.span });
            }
        }
        "interpret-trailers" | "mailinfo" | "merge-file" if !is_in_place(after) => {
            let values = &["--trailer", "--where", "--if-exists", "--if-missing", "-L"];
            let files: Vec<Argument> = Options::new(after, values).operands().cloned().collect();
            for file in &files {
                walk.read(file);
            }
        }
        // What stands in the file is in the history then, for everybody who fetches it.
        "commit" | "merge" | "notes" | "tag" => {
            if verb == "commit" {
                read_named(walk, after, &["-t", "--template"]);
            }
            for file in Options::new(after, &["-F", "--file", "-m", "--message"])
                .values_of(MESSAGES)
                .filter(|file| file.text.as_known() != Some("-"))
            {
                walk.read(&file);
            }
        }
        "send-email" => words.iter().for_each(|file| {
            walk.read(file);
        }),
        "interpret-trailers" if Options::new(after, &["--trailer"]).has(&["--in-place"]) => {
            const VALUES: &[&str] = &["--trailer", "--where", "--if-exists", "--if-missing"];
            for file in Options::new(after, VALUES).operands() {
                walk.write(file, WriteMode::Edit, invocation.origin());
            }
        }
        "mailsplit" => {
            let files: Vec<Argument> = Options::new(after, &["-o"]).operands().cloned().collect();
            for file in files {
                walk.read(&file);
            }
            for place in Options::new(after, &["-o"]).values_of(&["-o"]) {
                let mut text = place.text.clone();
                text.push_known("/");
                text.push(Piece::Unknown("a letter".into()));
                let file = Argument { text, span: place.span };
                walk.write(&file, WriteMode::Replace, invocation.origin());
            }
        }
        _ => {}
    }
}

fn cloned(walk: &mut dyn Host, words: &[&Argument]) {
    let Some(address) = words.first() else { return };
    if let Some(place) = words.get(1) {
        trees::planted(walk, place);
    }
    if address.text.taint.has(Taint::SECRET) {
        walk.connect(address, None, false);
    }
    if trees::is_remote(&address.text.display()) {
        let words: Vec<Argument> = words.iter().copied().cloned().collect();
        trees::brought(walk, &words);
    }
}
