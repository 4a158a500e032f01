//! What git runs by itself: aliases, settings, and commands handed to its subcommands. Owns how they are followed; which
//! options and variables there are is said by the tables.

mod push;

use super::{
    git_tables::{
        COMMANDS, CONFIGURATIONS, GLOBAL_VALUES, Means, REPOSITORIES, Row, VERBS, WHOLE,
        setting as means_of,
    },
    settings::{self, Settings},
    *,
};
use crate::{
    bound::{Bounded, Limits},
    effect::WriteMode,
    place,
    programs::{Options, trees},
};

/// How many settings of one variable or file are read; people write a few dozen.
const SETTINGS: usize = 512;

/// How many commands of one list are looked at.
const LINES: usize = 16;

/// Options of git-config(1) that take a value.
const CONFIG_VALUES: &[&str] =
    &["-f", "-t", "--blob", "--comment", "--default", "--file", "--type", "--url", "--value"];

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
    match verb {
        // Outside of a repository, or told so, it compares any two files.
        "diff" if options.has(&["--no-index"]) => {
            for file in &words {
                walk.read(file);
            }
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
        "checkout-index" => push::written(walk, after),
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

/// `GIT_DIR=/tmp/x.git git WORD`: what an alias stands for is said by a repository that anybody may have put there.
fn aliased_elsewhere(walk: &mut dyn Host, before: &[Argument], verb: &str, span: Span) {
    if verb.is_empty() || VERBS.contains(&verb) {
        return;
    }
    let option = Options::new(before, GLOBAL_VALUES).value(&["--git-dir", "-C"]);
    let named = option.map(|value| value.text).or_else(|| walk.variable_set("GIT_DIR"));
    if let Some(path) = named
        && is_temporary(path.known_prefix())
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

/// `--config-env=KEY=VARIABLE`.
fn from_environment(walk: &mut dyn Host, value: &Argument) {
    let Some((key, variable)) = value.text.known_prefix().rsplit_once('=') else { return };
    let key = key.to_ascii_lowercase();
    match walk.variable_set(variable) {
        Some(held) => set(walk, &key, &held, value.span),
        None if means_of(&key).is_some() => walk.gap(value.span, GapReason::UnknownCode),
        None => {}
    }
}

/// `git clone ADDRESS [DIRECTORY]`: what is there afterwards came over the network, and a secret in the address goes to its host.
fn cloned(walk: &mut dyn Host, words: &[&Argument]) {
    let Some(address) = words.first() else { return };
    if address.text.taint.has(Taint::SECRET) {
        walk.connect(address, None, false);
    }
    if trees::is_remote(&address.text.display()) {
        let words: Vec<Argument> = words.iter().copied().cloned().collect();
        trees::brought(walk, &words);
    }
}

/// `git config KEY VALUE`: what git will run by itself once it is there.
fn configured(walk: &mut dyn Host, options: &Options<'_>, words: &[&Argument]) {
    let set_word = |word: &&Argument| word.text.as_known() == Some("set");
    let skip = usize::from(words.first().is_some_and(set_word));
    let [key, value, ..] = words.get(skip..).unwrap_or(&[]) else { return };
    if options.has(&["--get", "--get-all", "--unset", "--unset-all", "--get-regexp"]) {
        return;
    }
    let key = key.text.known_prefix().to_ascii_lowercase();
    match means_of(&key) {
        // What is set for good is spoken of by the rules on `git config`.
        Some(Means::Directory) if key == "core.hookspath" => read_hooks(walk, value),
        None
        | Some(
            Means::Directory | Means::Address | Means::Protocol | Means::File | Means::Setting,
        ) => {}
        Some(Means::Push) => walk.define_git_setting(&key, value.text.clone()),
        Some(Means::Alias | Means::Banged) => {
            let before = walk.git_setting(&key).filter(|before| *before != value.text);
            walk.at_most(Certainty::Possible, |walk| set(walk, &key, &value.text, value.span));
            // Which of two settings counts depends on the files that they stand in.
            if before.is_some() {
                walk.define_git_setting(&key, Text::unknown("an alias"));
            }
        }
        Some(Means::Runs | Means::Replaces | Means::Credentials | Means::Transport) => {
            let code = after(&value.text, "!").unwrap_or_else(|| value.text.clone());
            walk.at_most(Certainty::Possible, |walk| walk.shell(&code, value.span, &[], None));
        }
    }
}

/// Hooks that git runs as it is used every day.
const HOOKS: &[&str] = &[
    "commit-msg",
    "post-checkout",
    "post-commit",
    "post-merge",
    "pre-commit",
    "pre-push",
    "pre-rebase",
    "prepare-commit-msg",
];

/// What works on the repository that is there, and brings nobody else's files before its hooks run.
const WORKS: &[&str] = &["add", "commit", "diff", "log", "push", "status"];

/// Directories of a project that hold what others wrote.
const OTHERS: &[&str] = &[
    "bower_components",
    "deps",
    "external",
    "node_modules",
    "third_party",
    "third-party",
    "vendor",
];

/// `git -c core.hooksPath=.githooks commit`: the hooks that the project keeps in a directory which is called so are run, as they would be by
/// their paths; they are read, and told. Whether it is that.
fn own_hooks(walk: &mut dyn Host, words: &[Argument], verb: &str, setting: &Argument) -> bool {
    let Some((key, path)) = setting.text.as_known().and_then(|known| known.split_once('=')) else {
        return false;
    };
    let last = path.trim_end_matches("/_").rsplit('/').next().unwrap_or(path);
    let is_called_so = last.ends_with("hooks") || last == ".husky";
    let leads_within = !path.starts_with(['/', '~']) && !path.split('/').any(|part| part == "..");
    // Elsewhere, another project's.
    let is_here = words.iter().all(|word| {
        let word = word.text.display();
        !["-C", "--git-dir", "--work-tree"].iter().any(|option| word.starts_with(option))
    });
    let directory = Argument { text: setting.text.beginning_with(path), span: setting.span };
    let is_own = key.eq_ignore_ascii_case("core.hookspath")
        && is_called_so
        && leads_within
        && is_here
        && WORKS.contains(&verb)
        && !walk.came(&directory.text)
        && !path.split('/').any(|part| OTHERS.contains(&part))
        && place::place_of(&walk.target(&directory.text), walk.facts()).is_workspace();
    if is_own {
        read_hooks(walk, &directory);
        walk.note("git.hooks.project", setting.span);
    }
    is_own
}

/// The hooks in a directory are read as far as they are there, or were written by this call.
fn read_hooks(walk: &mut dyn Host, directory: &Argument) {
    for hook in HOOKS {
        let text = below(&directory.text, hook);
        let path = walk.target(&text).path;
        let is_there = path.is_some_and(|path| walk.look(&path).file().is_some());
        if is_there || walk.wrote(&text) {
            let file = Argument { text, span: directory.span };
            walk.at_likely(|walk| walk.script("shell", &file, &[], None));
        }
    }
}

/// `git submodule foreach …`, `git bisect run …`: one word is shell code, several are a command.
fn git_runs_words(walk: &mut dyn Host, arguments: &[Argument], verb: &str) {
    let at = arguments.iter().position(|word| word.text.as_known() == Some(verb));
    let rest = at.and_then(|at| arguments.get(at + 1..)).unwrap_or(&[]);
    let options = rest
        .iter()
        .take_while(|word| word.text.as_known().is_some_and(|known| known.starts_with('-')))
        .count();
    let words = rest.get(options..).unwrap_or(&[]);
    let shown: Vec<&str> = words.iter().map(|word| word.text.known_prefix()).collect();
    if let Some(first) = words.first()
        && names_temporary(&Text::known(shown.join(" ")))
    {
        walk.note("execution.temporary.escape", first.span);
    }
    match words {
        [] => {}
        [code] => {
            walk.shell(&code.text, code.span, &[], None);
        }
        words => {
            walk.run(words, None);
        }
    }
}

/// What git finds in `GIT_CONFIG_KEY_…`, `GIT_CONFIG_VALUE_…` and `GIT_CONFIG_PARAMETERS`, and directories that it is told of.
pub(crate) fn git_environment(walk: &mut dyn Host, name: &str, value: &Text, span: Span) {
    if let Some(number) = name.strip_prefix("GIT_CONFIG_VALUE_") {
        match walk.variable_set(&format!("GIT_CONFIG_KEY_{number}")) {
            Some(key) if key.as_known().is_some() => {
                let key = key.known_prefix().to_ascii_lowercase();
                walk.at_likely(|walk| set(walk, &key, value, span));
            }
            _ => {
                let code = after(value, "!").unwrap_or_else(|| value.clone());
                walk.at_likely(|walk| walk.shell(&code, span, &[], None));
            }
        }
    } else if let Some(number) = name.strip_prefix("GIT_CONFIG_KEY_") {
        if let Some(held) = walk.variable_set(&format!("GIT_CONFIG_VALUE_{number}")) {
            let key = value.known_prefix().to_ascii_lowercase();
            walk.at_likely(|walk| set(walk, &key, &held, span));
        }
    } else if name == "GIT_CONFIG_PARAMETERS" {
        if value.has_unknown() {
            walk.gap(span, GapReason::UnknownCode);
        }
        let settings = parameters(value.known_prefix());
        for (key, setting) in settings.into_iter().at_most(SETTINGS, walk, span) {
            let text = value.derive([Piece::Known(setting)]);
            walk.at_likely(|walk| set(walk, &key.to_ascii_lowercase(), &text, span));
        }
    } else if name == "GIT_TRACE_REDACT" {
        // git(1): what signs in then stands in the trace.
        if matches!(
            value.known_prefix().to_ascii_lowercase().as_str(),
            "0" | "false" | "no" | "off"
        ) {
            walk.note("git.trace.unredacted", span);
        }
    } else if name == "GIT_INDEX_FILE" {
        // git(1): what it names is replaced by an index.
        let known = value.known_prefix();
        if !known.contains(".git/") && known.contains('/') {
            let file = Argument { text: value.clone(), span };
            walk.at_likely(|walk| walk.write(&file, WriteMode::Replace, Text::unknown("an index")));
        }
    } else if matches!(name, "GIT_SEQUENCE_EDITOR" | "GIT_EDITOR") {
        inserted(walk, value, span);
    } else if name.starts_with("GIT_TRACE") {
        // git(1): an absolute path is a file that is written to.
        if value.known_prefix().starts_with('/') {
            let file = Argument { text: value.clone(), span };
            walk.at_likely(|walk| walk.write(&file, WriteMode::Append, Text::unknown("git")));
        }
    } else if matches!(name, "GIT_EXEC_PATH" | "GIT_TEMPLATE_DIR") {
        settings::directory(walk, &Argument { text: value.clone(), span });
    } else if name == "GIT_ALLOW_PROTOCOL"
        && value.known_prefix().split(':').any(|protocol| matches!(protocol, "ext" | "fd"))
    {
        walk.note("git.transport.ext", span);
    }
}

/// `'key=value' 'key'='value'`, quoted as the shell quotes.
fn parameters(written: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let (mut word, mut key, mut quoted, mut escaped) = (String::new(), None, false, false);
    for letter in written.chars().chain([' ']) {
        match letter {
            _ if escaped => {
                word.push(letter);
                escaped = false;
            }
            '\'' => quoted = !quoted,
            '\\' if !quoted => escaped = true,
            '=' if !quoted && key.is_none() => key = Some(std::mem::take(&mut word)),
            letter if letter.is_whitespace() && !quoted => {
                let word = std::mem::take(&mut word);
                let pair = match key.take() {
                    Some(key) => Some((key, word)),
                    None => {
                        word.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()))
                    }
                };
                found.extend(pair);
            }
            letter => word.push(letter),
        }
    }
    found
}

/// `-c key=value` of git: settings whose value git runs.
fn git_setting(walk: &mut dyn Host, value: &Argument) {
    let known = value.text.known_prefix();
    let Some((key, rest)) = known.split_once('=') else {
        match value.text.as_known() {
            // A key alone is one that holds.
            Some(key) => set(walk, &key.to_ascii_lowercase(), &Text::known("true"), value.span),
            None => walk.gap(value.span, GapReason::UnknownCode),
        }
        return;
    };
    set(walk, &key.to_ascii_lowercase(), &value.text.beginning_with(rest), value.span);
}

/// A variable of git's configuration has a value.
pub(super) fn set(walk: &mut dyn Host, key: &str, value: &Text, span: Span) {
    if matches!(key, "sequence.editor" | "core.editor") {
        inserted(walk, value, span);
    }
    let Some(means) = means_of(key) else { return };
    // The command of a format gets the whole tree, git-archive(1).
    if key.starts_with("tar.") && key.ends_with(".command") {
        let tree = walk.read(&Argument { text: Text::known("."), span });
        walk.shell(value, span, &[], Some(tree));
    }
    if matches!(means, Means::Alias | Means::Push) {
        walk.define_git_setting(key.trim_end_matches(".command"), value.clone());
    }
    mean(walk, means, value, span);
}

fn mean(walk: &mut dyn Host, means: Means, value: &Text, span: Span) {
    let argument = Argument { text: value.clone(), span };
    match means {
        Means::Runs => {
            temporary(walk, value, span);
            walk.shell(value, span, &[], None);
        }
        Means::Credentials => match after(value, "!") {
            // gitcredentials(7): behind the mark stands code, which is told where and as whom, and may be told the password.
            Some(code) => {
                temporary(walk, &code, span);
                let mut told = Text::unknown("a credential");
                told.taint = Taint::SECRET;
                walk.shell(&code, span, &[], Some(told));
            }
            None => mean(walk, Means::Replaces, value, span),
        },
        Means::Replaces => {
            let text = after(value, "!").unwrap_or_else(|| value.clone());
            temporary(walk, &text, span);
            settings::program(walk, &Argument { text, span });
        }
        // Git's own program by its path.
        Means::Transport
            if value.as_known().is_some_and(|known| {
                let own = ["/usr/bin/", "/usr/lib/git-core/", "/usr/libexec/git-core/", ""];
                own.iter().any(|start| {
                    known.strip_prefix(start).is_some_and(|name| {
                        matches!(
                            name,
                            "git-receive-pack" | "git-upload-archive" | "git-upload-pack"
                        )
                    })
                })
            }) => {}
        Means::Transport => {
            walk.note("git.transport.ext", span);
            walk.shell(value, span, &[], None);
        }
        Means::Banged => {
            if let Some(code) = after(value, "!") {
                temporary(walk, &code, span);
                walk.shell(&code, span, &[], None);
            }
        }
        Means::Alias => {
            if let Some(code) = after(value, "!") {
                temporary(walk, &code, span);
            }
            let code = after(value, "!").unwrap_or_else(|| {
                let mut code = Text::known("git ");
                code.append(value);
                code
            });
            walk.at_likely(|walk| walk.shell(&code, span, &[], None));
        }
        // What it says counts where something is pushed.
        Means::Push => {}
        Means::Setting => git_setting(walk, &argument),
        Means::File => settings::named(walk, Settings::Git, &argument),
        Means::Directory => settings::directory(walk, &argument),
        Means::Address => address(walk, value, span),
        Means::Protocol => {
            if value.known_prefix().eq_ignore_ascii_case("always") {
                walk.note("git.transport.ext", span);
            }
        }
    }
}

/// `sed -i '1i exec CMD'` for an editor: git-rebase(1) runs what stands behind `exec` in its list.
fn inserted(walk: &mut dyn Host, editor: &Text, span: Span) {
    let known = editor.known_prefix().to_owned();
    for (at, word) in known.match_indices("exec ").leading(LINES) {
        let rest = known.get(at + word.len()..).unwrap_or_default();
        let end = rest.find(['\'', '"', '\n']).unwrap_or(rest.len());
        let code = editor.derive([Piece::Known(rest.get(..end).unwrap_or_default().to_owned())]);
        walk.at_likely(|walk| walk.shell(&code, span, &[], None));
    }
}

/// Code of a setting that starts a program or script among temporary files, where nobody looks for it.
fn temporary(walk: &mut dyn Host, code: &Text, span: Span) {
    if names_temporary(code) {
        walk.note("execution.temporary.escape", span);
    }
}

/// An address of a repository: behind `ext::` stands a command, with `% ` for a blank.
fn address(walk: &mut dyn Host, value: &Text, span: Span) {
    let known = value.known_prefix();
    let code = known.strip_prefix("ext::");
    if code.is_some() || known.starts_with("fd::") {
        walk.note("git.transport.ext", span);
    }
    if let Some(code) = code.or_else(|| known.contains("% ").then_some(known)) {
        let code = value.derive([Piece::Known(code.replace("% ", " "))]);
        walk.shell(&code, span, &[], None);
    }
}

/// The variables of a file in git's form, with their keys in lower case.
pub(super) fn entries(
    text: &str,
    most: usize,
    limits: &mut (impl Limits + ?Sized),
    span: Span,
) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut section = String::new();
    let mut lines = text.lines().at_most(most, limits, span);
    while let Some(line) = lines.next() {
        let mut line = line.trim().to_owned();
        while line.ends_with('\\') && !line.ends_with("\\\\") {
            line.pop();
            let Some(more) = lines.next() else { break };
            line.push_str(more);
        }
        let mut rest = line.as_str();
        if let Some(inner) = rest.strip_prefix('[') {
            let (name, after) = inner.split_once(']').unwrap_or((inner, ""));
            section = match name.split_once(|letter: char| letter.is_whitespace() || letter == '"')
            {
                Some((name, sub)) => format!("{name}.{}", sub.trim().trim_matches('"')),
                None => name.to_owned(),
            };
            rest = after.trim();
        }
        if rest.is_empty() || rest.starts_with(['#', ';']) {
            continue;
        }
        let (name, value) = rest.split_once('=').unwrap_or((rest, "true"));
        found
            .push((format!("{section}.{}", name.trim()).to_ascii_lowercase(), plain(value.trim())));
    }
    found
}

/// A value without its quotes, escapes and what is remarked behind it.
fn plain(written: &str) -> String {
    let (mut value, mut quoted, mut escaped) = (String::new(), false, false);
    for letter in written.chars() {
        match letter {
            _ if escaped => {
                value.push(match letter {
                    'n' => '\n',
                    't' => '\t',
                    other => other,
                });
                escaped = false;
            }
            '\\' => escaped = true,
            '"' => quoted = !quoted,
            '#' | ';' if !quoted => break,
            letter => value.push(letter),
        }
    }
    value.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::Cut;

    #[test]
    fn files_are_read_as_git_reads_them() {
        let text = "[core]\n\tfsmonitor = a b ; c\n[alias] x = \"!rm\\\"\" # y\n[diff \"A.b\"]\ncommand=q\\\n  r\nbare\n";
        let expected = [
            ("core.fsmonitor", "a b"),
            ("alias.x", "!rm\""),
            ("diff.a.b.command", "q  r"),
            ("diff.a.b.bare", "true"),
        ];
        let found = entries(text, SETTINGS, &mut Cut::default(), Span::default());
        let found: Vec<(&str, &str)> =
            found.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn parameters_are_read_in_both_forms() {
        let found = parameters(r"'alias.x'='!a b' 'core.pager=c' 'k'='it'\''s'");
        let found: Vec<(&str, &str)> =
            found.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(found, [("alias.x", "!a b"), ("core.pager", "c"), ("k", "it's")]);
    }
}
