//! Settings of git that are run or lead elsewhere, from wherever they come: options, the environment, `git config`, files.

use portcullis_syntax::Span;

use super::{
    super::{
        act::after,
        git_tables::{Means, setting as means_of},
        settings::{self, Settings},
        temporary::names_temporary,
    },
    LINES, SETTINGS,
    hooks::read_hooks,
};
use crate::{
    bound::{Bounded, Limits},
    effect::{Argument, Certainty, GapReason, WriteMode},
    programs::{Options, host::Host},
    text::{Piece, Taint, Text},
};

/// Files of the work tree, as words of a shell: which ones depends on what they hold.
pub(super) const WORK_TREE: &str = " ./*";

/// `--config-env=KEY=VARIABLE`.
pub(super) fn from_environment(walk: &mut dyn Host, value: &Argument) {
    let Some((key, variable)) = value.text.known_prefix().rsplit_once('=') else { return };
    let key = key.to_ascii_lowercase();
    match walk.variable_set(variable) {
        Some(held) => set(walk, &key, &held, value.span),
        None if means_of(&key).is_some() => walk.gap(value.span, GapReason::UnknownCode),
        None => {}
    }
}

/// `git config KEY VALUE`: what git will run by itself once it is there.
pub(super) fn configured(walk: &mut dyn Host, options: &Options<'_>, words: &[&Argument]) {
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
        Some(
            Means::Runs | Means::Replaces | Means::Opens | Means::Credentials | Means::Transport,
        ) => {
            let code = after(&value.text, "!").unwrap_or_else(|| value.text.clone());
            walk.at_most(Certainty::Possible, |walk| walk.shell(&code, value.span, &[], None));
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
    } else if name == "GIT_EXTERNAL_DIFF" {
        walk.at_likely(|walk| set(walk, "diff.external", value, span));
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
pub(super) fn git_setting(walk: &mut dyn Host, value: &Argument) {
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
pub(in super::super) fn set(walk: &mut dyn Host, key: &str, value: &Text, span: Span) {
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

pub(super) fn mean(walk: &mut dyn Host, means: Means, value: &Text, span: Span) {
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
        Means::Opens => {
            mean(walk, Means::Replaces, value, span);
            if !value.is_empty() {
                let mut opens = after(value, "!").unwrap_or_else(|| value.clone());
                opens.push_known(WORK_TREE);
                walk.shell(&opens, span, &[], None);
            }
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
    for (at, word) in known.match_indices("exec ").at_most(LINES, walk, span) {
        let rest = known.get(at + word.len()..).unwrap_or_default();
        let end = rest.find(['\'', '"', '\n']).unwrap_or(rest.len());
        let code = editor.derive([Piece::Known(rest.get(..end).unwrap_or_default().to_owned())]);
        walk.at_likely(|walk| walk.shell(&code, span, &[], None));
    }
}

/// Code of a setting that starts a program or script among temporary files, where nobody looks for it.
pub(super) fn temporary(walk: &mut dyn Host, code: &Text, span: Span) {
    if names_temporary(code, walk.facts()) {
        walk.note("execution.temporary.escape", span);
    }
}

/// An address of a repository: behind `ext::` stands a command, with `% ` for a blank.
pub(super) fn address(walk: &mut dyn Host, value: &Text, span: Span) {
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

/// The variables of a file in git's form, with their keys in lower case, and where each stands.
pub(in crate::programs) fn entries(
    text: &str,
    most: usize,
    limits: &mut (impl Limits + ?Sized),
    span: Span,
) -> Vec<(String, String, Span)> {
    let mut found = Vec::new();
    let mut section = String::new();
    let mut end = 0;
    let mut lines = text.split_inclusive('\n').at_most(most, limits, span);
    while let Some(written) = lines.next() {
        let start = end;
        end += written.len();
        let mut line = written.trim().to_owned();
        while line.ends_with('\\') && !line.ends_with("\\\\") {
            line.pop();
            let Some(more) = lines.next() else { break };
            end += more.len();
            line.push_str(more.trim_end_matches(['\n', '\r']));
        }
        let place = Span::new(start, start + text.get(start..end).unwrap_or("").trim_end().len());
        let mut rest = line.as_str();
        if let Some(inner) = rest.strip_prefix('[') {
            let (name, after) = headed(inner);
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
        let key = format!("{section}.{}", name.trim()).to_ascii_lowercase();
        found.push((key, plain(value.trim()), place));
    }
    found
}

/// The name of a section and what stands behind it: a bracket within quotes is one of the name's.
fn headed(inner: &str) -> (&str, &str) {
    let (mut quoted, mut escaped) = (false, false);
    for (at, letter) in inner.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ']' if !quoted => {
                return (inner.get(..at).unwrap_or(inner), inner.get(at + 1..).unwrap_or(""));
            }
            _ => {}
        }
    }
    inner.split_once(']').unwrap_or((inner, ""))
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
        let text = "[core]\n\tfsmonitor = a b ; c\n[alias] x = \"!rm\\\"\" # y\n[diff \"A.b\"]\ncommand=q\\\n  r\nbare\n[includeIf \"gitdir:/x]y\"] path = z\n";
        let expected = [
            ("core.fsmonitor", "a b"),
            ("alias.x", "!rm\""),
            ("diff.a.b.command", "q  r"),
            ("diff.a.b.bare", "true"),
            ("includeif.gitdir:/x]y.path", "z"),
        ];
        let found = entries(text, SETTINGS, &mut Cut::default(), Span::default());
        let found: Vec<(&str, &str)> =
            found.iter().map(|(key, value, _)| (key.as_str(), value.as_str())).collect();
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
