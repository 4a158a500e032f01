//! What git runs by itself: aliases, settings, and commands handed to its subcommands.

use super::*;

/// Subcommands of git whose options or operands are commands.
pub(super) fn git_commands(walk: &mut Walk<'_>, invocation: &Invocation) {
    let options = invocation.options();
    let words: Vec<&Argument> = options.operands().collect();
    let known = |at: usize| words.get(at).and_then(|word| word.text.as_known()).unwrap_or("");
    let (verb, second) = (known(0), known(1));
    match verb {
        // Outside of a repository, or told so, it compares any two files.
        "diff" if options.has(&["--no-index"]) => {
            for file in words.iter().skip(1) {
                walk.read(file);
            }
        }
        "clone" | "init" => {
            if let Some(template) = options.value(&["--template"])
                && !crate::place::place_of(&walk.target(&template.text), walk.facts())
                    .is_workspace()
                && !template.text.is_empty()
            {
                walk.note("persistence.git.hook", template.span);
            }
            if verb == "clone" {
                cloned(walk, &words);
            }
        }
        "commit" | "push" => {
            let skips = |(name, value): &(String, Text)| {
                matches!(name.as_str(), "PRE_COMMIT_ALLOW_NO_CONFIG" | "SKIP") && !value.is_empty()
            };
            if invocation.environment.iter().any(skips) {
                walk.note("evasion.hook.off", invocation.span);
            }
        }
        _ => {}
    }
    let options: &[&str] = match verb {
        "rebase" => &["-x", "--exec"],
        "difftool" => &["-x", "--extcmd"],
        "grep" => &["-O", "--open-files-in-pager"],
        "archive" | "ls-remote" | "fetch" | "clone" | "push" | "pull" => {
            &["--exec", "--upload-pack", "--receive-pack"]
        }
        "submodule" if second == "foreach" => return git_runs_words(walk, invocation, "foreach"),
        "bisect" if second == "run" => return git_runs_words(walk, invocation, "run"),
        _ => &[],
    };
    if verb == "config" {
        configured(walk, &words);
    }
    for option in options {
        for value in values_of(&invocation.arguments, option) {
            if !value.text.is_empty() {
                walk.shell(&value.text, value.span, &[], None);
            }
        }
    }
    for value in values_of(&invocation.arguments, "--config-env") {
        let key = value.text.known_prefix().split('=').next().unwrap_or("").to_ascii_lowercase();
        if key.starts_with("alias.") || git_runs(&key) {
            walk.gap(value.span, GapReason::UnknownCode);
        }
    }
}

/// `git clone ADDRESS [DIRECTORY]`: what is there afterwards came over the network.
fn cloned(walk: &mut Walk<'_>, words: &[&Argument]) {
    let Some(address) = words.get(1) else { return };
    let written = address.text.known_prefix();
    let is_remote = written.contains("://") && !written.starts_with("file://")
        || written.contains('@') && written.contains(':');
    if !is_remote {
        return;
    }
    let directory = match words.get(2) {
        Some(directory) => Argument::clone(directory),
        None => {
            let last = written.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or("");
            let name = last.strip_suffix(".git").unwrap_or(last);
            Argument { text: Text::known(name), span: address.span }
        }
    };
    walk.brought(&directory);
}

/// `git config KEY VALUE`: what git will run by itself once it is there.
fn configured(walk: &mut Walk<'_>, words: &[&Argument]) {
    let set = |word: &&Argument| word.text.as_known() == Some("set");
    let skip = 1 + usize::from(words.get(1).is_some_and(set));
    let [key, value, ..] = words.get(skip..).unwrap_or(&[]) else { return };
    let key = key.text.known_prefix().to_ascii_lowercase();
    let code = after(&value.text, "!");
    let code = if key.starts_with("alias.") || !git_runs(&key) {
        code
    } else {
        code.or(Some(value.text.clone()))
    };
    if let Some(code) = code {
        walk.at_most(Certainty::Possible, |walk| walk.shell(&code, value.span, &[], None));
    }
}

/// `git submodule foreach …`, `git bisect run …`: one word is shell code, several are a command.
fn git_runs_words(walk: &mut Walk<'_>, invocation: &Invocation, verb: &str) {
    let at = invocation.arguments.iter().position(|word| word.text.as_known() == Some(verb));
    let rest = at.and_then(|at| invocation.arguments.get(at + 1..)).unwrap_or(&[]);
    let options = rest
        .iter()
        .take_while(|word| word.text.as_known().is_some_and(|known| known.starts_with('-')))
        .count();
    match rest.get(options..).unwrap_or(&[]) {
        [] => {}
        [code] => {
            walk.shell(&code.text, code.span, &[], None);
        }
        words => {
            walk.run(words, None);
        }
    }
}

/// What git finds in `GIT_CONFIG_VALUE_…` and `GIT_CONFIG_PARAMETERS`.
pub(crate) fn git_environment(walk: &mut Walk<'_>, name: &str, value: &Text, span: Span) {
    if name.starts_with("GIT_CONFIG_VALUE_") {
        let code = after(value, "!").unwrap_or_else(|| value.clone());
        walk.at_likely(|walk| walk.shell(&code, span, &[], None));
    } else if name == "GIT_CONFIG_PARAMETERS" {
        for setting in value.known_prefix().split('\'').take(64) {
            let text = value.derive([Piece::Known(setting.to_owned())]);
            walk.at_likely(|walk| git_setting(walk, &Argument { text, span }));
        }
    }
}

/// `-c key=value` of git: settings whose value git runs.
pub(super) fn git_setting(walk: &mut Walk<'_>, value: &Argument) {
    let Some((key, setting)) = setting(&value.text) else { return };
    let key = key.to_ascii_lowercase();
    if key.starts_with("alias.") {
        if let Some(code) = after(&setting, "!") {
            walk.shell(&code, value.span, &[], None);
        }
    } else if git_runs(&key) {
        let code = after(&setting, "!").unwrap_or(setting);
        walk.shell(&code, value.span, &[], None);
    }
}

/// Whether git runs the value of a setting.
pub(crate) fn git_runs(key: &str) -> bool {
    const WHOLE: &[&str] = &[
        "core.askpass",
        "core.editor",
        "core.fsmonitor",
        "core.gitproxy",
        "core.pager",
        "core.sshcommand",
        "credential.helper",
        "diff.external",
        "gpg.program",
        "interactive.difffilter",
        "sequence.editor",
        "uploadpack.packobjectshook",
    ];
    const LAST: &[&str] =
        &["cmd", "textconv", "command", "driver", "smudge", "clean", "process", "helper"];
    WHOLE.contains(&key)
        || key.starts_with("pager.")
        || (key.matches('.').count() >= 2
            && key.rsplit('.').next().is_some_and(|last| LAST.contains(&last)))
}
