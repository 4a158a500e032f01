//! Settings that a call names: files of them, directories of programs, and programs that stand in for others. Owns how such
//! files are read where the call itself wrote them, and what is said of those that nobody can know; which options and
//! variables name them is said by the tables.

use portcullis_syntax::Span;

use super::{git, vim};
use crate::{
    bound::Bounded,
    effect::{Argument, GapReason},
    place::{self, Place},
    programs::{found::Found, host::Host, network::shells::ssh_setting},
    text::{Piece, Text},
};

/// The most lines of a file of settings that are read; people write a few dozen.
const LINES: usize = 512;

/// What a file of settings is read as.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::programs) enum Settings {
    /// curl(1), `--config`: what the call wrote into it is read where curl's options are.
    Curl,
    /// git-config(1), "FILES".
    Git,
    /// make(1): a makefile.
    Make,
    /// npm's npmrc(5).
    Npm,
    /// Any other, which nobody reads.
    Opaque,
    /// pip's configuration, in which no command stands, but where packages come from.
    Pip,
    /// rsyncd.conf(5).
    Rsync,
    /// A batch of sftp(1), in which `!` stands before a command.
    Sftp,
    /// ssh_config(5).
    Ssh,
    /// A script of Vim.
    Vim,
    /// What is typed into Vim.
    Typed,
}

/// A file of settings is named: what the call wrote into it is read, and where it came with the project it is told.
pub(super) fn named(walk: &mut dyn Host, kind: Settings, file: &Argument) {
    // A batch on the standard input is read where that is known.
    let is_input =
        matches!(kind, Settings::Curl | Settings::Sftp) && file.text.as_known() == Some("-");
    if is_input || is_none(&file.text) {
        return;
    }
    if walk.wrote(&file.text) {
        let content = walk.read(file);
        read(walk, kind, &content, file.span);
    } else if is_brought_along(walk, &file.text) {
        let found = walk.target(&file.text).path.map(|path| walk.look(&path));
        match found {
            Some(Found::File(found)) if kind != Settings::Opaque => {
                let content = Text::known(&*found.text);
                let line = found.text.lines().next().unwrap_or_default().len();
                walk.in_file(&found, "settings", file.span, |walk| {
                    if content.is_cut() {
                        walk.left_unread(Span::new(0, line));
                    }
                    read(walk, kind, &content, Span::new(0, line));
                });
                // What it computes is not read.
                let is_script = matches!(kind, Settings::Vim | Settings::Typed);
                if is_script && !vim::only_sets(&found.text) {
                    walk.note("execution.settings.named", file.span);
                }
            }
            // Whatever git is told there, it runs; and what lies there and is not read may be anybody's.
            Some(Found::File(_) | Found::Nothing)
                if kind != Settings::Git && is_of_the_project(walk, &file.text) =>
            {
                walk.note("execution.settings.project", file.span);
            }
            _ => walk.note("execution.settings.named", file.span),
        }
    }
}

/// Whether a file lies in the project, and nothing of this session wrote it.
fn is_of_the_project(walk: &dyn Host, path: &Text) -> bool {
    let target = walk.target(path);
    target.path.as_deref().is_some_and(|known| {
        !super::is_anybodys(known, walk.facts())
            && place::place_of(&target, walk.facts()).is_workspace()
            && walk.facts().session.left(known).is_none()
            && !walk.came(path)
    })
}

/// A file of settings that a program finds by itself: it counts where this call wrote it.
pub(super) fn found(walk: &mut dyn Host, kind: Settings, path: &Text, span: Span) -> bool {
    let wrote = walk.wrote(path);
    if wrote {
        let content = walk.read(&Argument { text: path.clone(), span });
        read(walk, kind, &content, span);
    }
    wrote
}

/// A directory is named in which a program looks for others that it runs.
pub(super) fn directory(walk: &mut dyn Host, directory: &Argument) {
    if !is_none(&directory.text) && is_brought_along(walk, &directory.text) {
        walk.note("execution.settings.named", directory.span);
    }
}

/// A program is named that stands in for one which is trusted: a command line, or a file.
pub(crate) fn program(walk: &mut dyn Host, value: &Argument) {
    let written = value.text.known_prefix();
    if matches!(written, "" | "none" | "internal" | "true" | "false") && !value.text.has_unknown() {
        return;
    }
    walk.shell(&value.text, value.span, &[], None);
    stands_in(walk, value);
}

/// As [`program`] where what it runs is followed elsewhere.
pub(super) fn stands_in(walk: &mut dyn Host, value: &Argument) {
    let first = value.text.known_prefix().split_whitespace().next().unwrap_or("");
    let text = value.text.derive([Piece::Known(first.to_owned())]);
    if first.contains('/')
        && !is_own_python(first)
        && is_brought_along(walk, &text)
        && !is_read(walk, &text)
    {
        walk.note("execution.program.named", value.span);
    }
}

/// `.venv/bin/python`: the interpreter of the project's own environment, which everybody starts by that name.
fn is_own_python(path: &str) -> bool {
    let path = path.strip_prefix("./").unwrap_or(path);
    [".venv/bin/python", "venv/bin/python"]
        .iter()
        .any(|own| path.strip_prefix(own).is_some_and(|rest| matches!(rest, "" | "3")))
}

/// A library is named that a program loads.
pub(super) fn library(walk: &mut dyn Host, value: &Argument) {
    let written = value.text.known_prefix();
    if matches!(written, "" | "none" | "internal") && !value.text.has_unknown() {
        return;
    }
    // A module of Python is read where it is loaded.
    let is_read = written.ends_with(".py") && is_read(walk, &value.text);
    if let (true, Some(path)) = (is_read, walk.target(&value.text).path) {
        walk.load("python", &path, value.span);
        return;
    }
    if written.contains('/') && is_brought_along(walk, &value.text) {
        walk.note("execution.program.named", value.span);
    }
}

/// Whether a file is the project's own, and its text is known: what it does is said where it is run.
fn is_read(walk: &mut dyn Host, path: &Text) -> bool {
    let found = walk.target(path).path.map(|path| walk.look(&path));
    is_of_the_project(walk, path)
        && matches!(found, Some(Found::File(file)) if file.whole && !file.is_own)
}

/// Whether nothing is named: an empty file, or the word that stands for none.
fn is_none(path: &Text) -> bool {
    matches!(
        path.as_known(),
        Some("" | "/dev/null" | "DEFAULTS" | "NONE" | "NORC" | "NUL" | "none")
    )
}

/// Whether what a path names came with the call or the project: it does not lie in the home or the
/// system, or nobody knows where. What `mktemp` made is empty, and what the call wrote into it was read before.
fn is_brought_along(walk: &dyn Host, path: &Text) -> bool {
    let target = walk.target(path);
    match target.path.as_deref() {
        Some(known) => {
            let place = place::place_of(&target, walk.facts());
            super::is_anybodys(known, walk.facts())
                || place.is_workspace()
                || matches!(place, Place::Cache | Place::Elsewhere | Place::Unknown)
        }
        None => !path
            .pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Unknown(origin) if &**origin == "mktemp")),
    }
}

/// Reads what is known of settings, however they came.
pub(super) fn read(walk: &mut dyn Host, kind: Settings, content: &Text, span: Span) {
    let mut known = String::new();
    for piece in &content.pieces {
        known.push_str(match piece {
            Piece::Known(part) => part,
            Piece::Unknown(_) | Piece::Glob(_) => "\n",
        });
    }
    if content.has_unknown() {
        walk.gap(span, GapReason::UnknownCode);
    }
    let read: Vec<&str> = known.lines().map(str::trim).at_most(LINES, walk, span).collect();
    let lines = || read.iter().copied();
    let text = |value: &str| content.derive([Piece::Known(value.to_owned())]);
    match kind {
        Settings::Curl => {}
        Settings::Git => {
            for (key, value, _) in git::entries(&known, LINES, walk, span) {
                git::set(walk, &key, &text(&value), span);
            }
        }
        Settings::Make => super::makefile(walk, content, span),
        Settings::Npm => {
            for (key, value) in lines().filter_map(|line| line.split_once('=')) {
                let option = format!("--{}={}", key.trim(), unquoted(value.trim()));
                super::options_of(walk, "npm", &[Argument { text: text(&option), span }]);
            }
        }
        Settings::Opaque => walk.gap(span, GapReason::UnknownCode),
        Settings::Pip => {
            for (key, value) in lines().filter_map(|line| line.split_once('=')) {
                let key = key.trim();
                if matches!(key, "extra-index-url" | "find-links" | "index-url" | "trusted-host") {
                    walk.note("package.index.other", span);
                }
                let option = format!("--{key}={}", value.trim());
                super::options_of(walk, "pip", &[Argument { text: text(&option), span }]);
            }
        }
        Settings::Rsync => {
            for (key, value) in lines().filter_map(|line| line.split_once('=')) {
                if key.trim().to_ascii_lowercase().ends_with("exec") {
                    walk.shell(&text(value.trim()), span, &[], None);
                }
            }
        }
        Settings::Sftp => {
            for code in lines().filter_map(|line| line.trim_start_matches('-').strip_prefix('!')) {
                walk.shell(&text(code), span, &[], None);
            }
        }
        Settings::Ssh => {
            for line in lines().filter(|line| !line.starts_with('#')) {
                ssh(walk, &Argument { text: text(line), span });
            }
        }
        Settings::Vim => {
            for line in lines() {
                vim::command(walk, &text(line), span);
            }
        }
        Settings::Typed => {
            for (_, line) in lines().filter_map(|line| line.split_once(':')) {
                vim::command(walk, &text(line), span);
            }
        }
    }
}

/// `Keyword value` or `Keyword=value` of ssh_config(5), as in `-o`.
pub(super) fn ssh(walk: &mut dyn Host, setting: &Argument) {
    let (key, value) = ssh_setting(&setting.text);
    let value = value.beginning_with(unquoted(value.known_prefix()));
    let value = Argument { text: value, span: setting.span };
    let is_off = matches!(value.text.as_known().map(str::trim), Some("none" | ""));
    match key.as_str() {
        // Names and keys of hosts are put at its end, whatever it is.
        "userknownhostsfile" if !is_off => {
            let known = value.text.known_prefix();
            if known.contains('/') && !known.contains("known_hosts") && known != "/dev/null" {
                let file = value.clone();
                let content = Text::unknown("names of hosts");
                walk.at_likely(|walk| walk.write(&file, crate::effect::WriteMode::Append, content));
            }
        }
        "proxycommand" | "localcommand" | "knownhostscommand" | "matchexec" if !is_off => {
            program(walk, &value);
        }
        "match" => {
            let known = value.text.known_prefix();
            if let Some((_, code)) = known.split_once("exec") {
                let code = code.strip_prefix('"').unwrap_or(code);
                let code = code.trim_start_matches([' ', '=', '\t', '\r']);
                let code = code.strip_prefix('"').map_or_else(
                    || code.split_whitespace().next().unwrap_or(""),
                    |quoted| quoted.split('"').next().unwrap_or(""),
                );
                let code = value.text.derive([Piece::Known(code.to_owned())]);
                walk.shell(&code, value.span, &[], None);
            }
        }
        "include" => named(walk, Settings::Ssh, &value),
        "xauthlocation" => program(walk, &value),
        "pkcs11provider" | "securitykeyprovider" => library(walk, &value),
        _ => {}
    }
}

fn unquoted(value: &str) -> &str {
    value.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(value)
}
