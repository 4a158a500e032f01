//! What follows from the options of programs whose manuals are known whole. Owns where a manual stands, what each kind of option does, and
//! files that are loaded, run or written because one names them.

use portcullis_syntax::Span;

use super::{is_anybodys, names_temporary, run_program, variables, words_of};
use crate::{
    effect::{Argument, GapReason, WriteMode},
    facts::Facts,
    programs::{
        cards,
        host::Host,
        invocation::Invocation,
        manuals::{self, Kind, Word, read},
        options::Options,
    },
    text::{Piece, Taint, Text},
};

#[cfg(test)]
mod tests;

/// Reads the words of a program with the list of its options, and the variables that it is given.
pub(super) fn follow(walk: &mut dyn Host, invocation: &Invocation, own: &[Argument]) {
    variables::follow(walk, invocation);
    // Most commands have no option.
    let is_option = |word: &Argument| word.text.known_prefix().starts_with('-');
    if invocation.program != "gh" && !invocation.arguments.iter().chain(own).any(is_option) {
        return;
    }
    let Some(manual) = invocation.manual else { return };
    // Their own words go on behind the subcommand.
    let words = match invocation.program.as_str() {
        "docker" | "podman" => invocation.arguments.as_slice(),
        _ => own,
    };
    for word in read(manual, words) {
        match word {
            Word::Unknown(argument) => walk.gap(argument.span, GapReason::UnknownOption),
            Word::Known(kind, name, value) => {
                act(walk, &invocation.program, kind, name, &value, &invocation.written());
            }
        }
    }
    match invocation.program.as_str() {
        "cargo" | "gh" | "go" => by_operands(walk, invocation),
        "ssh-keygen" => key_made(walk, invocation, own),
        _ => {}
    }
}

/// `ssh-keygen -f KEY <<< y`: a key is made where one lies, which is asked about and answered beforehand. Without an answer the one
/// that is there stays. A list of what is revoked (`-k`) takes the place of whatever is there.
fn key_made(walk: &mut dyn Host, invocation: &Invocation, own: &[Argument]) {
    /// What it does instead of making a key.
    const OTHER: &[&str] = &[
        "-A", "-B", "-D", "-F", "-H", "-K", "-L", "-M", "-Q", "-R", "-U", "-Y", "-c", "-e", "-i",
        "-k", "-l", "-p", "-r", "-s", "-y",
    ];
    const VALUES: &[&str] = &[
        "-C", "-D", "-E", "-F", "-I", "-M", "-N", "-O", "-P", "-R", "-V", "-Y", "-Z", "-a", "-b",
        "-f", "-m", "-n", "-r", "-s", "-t", "-w", "-z",
    ];
    let options = Options::new(own, VALUES);
    if let Some(file) = options.value(&["-f"])
        && options.has(&["-k"])
    {
        walk.write(&file, WriteMode::Replace, Text::unknown("a list of revoked keys"));
    }
    // Nobody answers: what is there stays.
    if invocation.input.as_ref().is_some_and(Text::is_empty) {
        return;
    }
    let answer = invocation.input.as_ref();
    let agrees = answer.is_some_and(|answer| {
        let known = answer.known_prefix().trim_start();
        known.starts_with(['y', 'Y']) || known.is_empty() && answer.has_unknown()
    });
    if let Some(file) = options.value(&["-f"])
        && !options.has(OTHER)
    {
        // Without an answer one that is there stays, and a new one is made.
        let mode = if agrees { WriteMode::Replace } else { WriteMode::Create };
        walk.write(&file, mode, Text::unknown("a key"));
    }
}

/// What a subcommand makes of its operands: settings for good, and words for a compiler.
fn by_operands(walk: &mut dyn Host, invocation: &Invocation) {
    let words = invocation.arguments.as_slice();
    let word = |at: usize| words.get(at).and_then(|word| word.text.as_known()).unwrap_or("");
    match (invocation.program.as_str(), word(0), word(1)) {
        ("gh", "config", "set") if matches!(word(2), "browser" | "editor" | "pager") => {
            if let Some(value) = words.get(3) {
                named_program(walk, value);
            }
        }
        ("go", "env", "-w") => {
            for word in words {
                let Some((name, _)) = word.text.known_prefix().split_once('=') else { continue };
                let (name, behind) = (name.to_owned(), name.len() + 1);
                let rest = word.text.known_prefix().get(behind..).unwrap_or("").to_owned();
                walk.environment(&name, &word.text.beginning_with(&rest), word.span);
            }
        }
        ("cargo", "rustc" | "rustdoc", _) => {
            let behind = words.iter().skip_while(|word| word.text.as_known() != Some("--"));
            for word in behind {
                variables::compiler(walk, &word.text, word.span);
            }
        }
        _ => {}
    }
}

/// What the options do that stand in a variable: `GOFLAGS`, `MAVEN_OPTS`.
pub(super) fn options_in_variable(
    walk: &mut dyn Host,
    program: &str,
    words: &[Argument],
    span: Span,
) {
    let Some(manual) = cards::manual(program) else { return };
    for word in read(manual, words) {
        match word {
            Word::Unknown(_) => walk.gap(span, GapReason::UnknownOption),
            Word::Known(kind, name, value) => {
                act(walk, program, kind, name, &value, &Text::unknown(program));
            }
        }
    }
}

/// The files that options in a variable have a program write; what else they say is followed by the rows of escapes.
pub(super) fn written_in_variable(walk: &mut dyn Host, program: &str, words: &[Argument]) {
    let Some(manual) = cards::manual(program) else { return };
    for word in read(manual, words) {
        if let Word::Known(kind @ Kind::Writes, name, value) = word {
            act(walk, program, kind, name, &value, &Text::unknown(program));
        }
    }
}

fn act(
    walk: &mut dyn Host,
    program: &str,
    kind: Kind,
    name: &str,
    value: &Argument,
    written: &Text,
) {
    let known = value.text.known_prefix();
    match kind {
        // What a build makes is there to be run, and lies where people want it.
        Kind::Writes if program == "go" && name == "-o" => built(walk, value, written),
        Kind::Writes if !matches!(known, "" | "-") => {
            walk.write(value, WriteMode::Replace, written.clone());
        }
        // A program of the project that gets what is made is run as it is by its path.
        Kind::Runs if (program, name) == ("helm", "--post-renderer") => {
            if names_temporary(&value.text, walk.facts()) {
                walk.note("execution.temporary.escape", value.span);
            }
            walk.shell(&value.text, value.span, &[], None);
        }
        Kind::Runs => named_program(walk, value),
        Kind::Scripts => script(walk, program, value),
        Kind::Loads => loaded(walk, value),
        Kind::Passes => {
            let other = if program == "rsync" { "rsync" } else { "ssh" };
            let words = words_of(&value.text, value.span);
            if program == "rsync" && at_other_side(&words) {
                walk.note("network.copy.remote-option", value.span);
            }
            super::options_of(walk, other, &words);
        }
        Kind::Sets => {
            if let Some((name, _)) = known.split_once('=') {
                let set = value.text.beginning_with(known.get(name.len() + 1..).unwrap_or(""));
                let name = name.to_owned();
                walk.environment(&name, &set, value.span);
            }
        }
        Kind::Followed if program == "cargo" && name == "--config" => {
            variables::compiler(walk, &value.text, value.span);
        }
        Kind::Followed if program.starts_with("wget") && matches!(name, "-e" | "--execute") => {
            wgetrc(walk, value, written);
        }
        // A file of cookies, unless it is one of them.
        Kind::Secrets if matches!(name, "-b" | "--cookie") && !known.contains('=') => {
            walk.read(value);
        }
        // The linker that a Go build runs stands among the linker's flags.
        Kind::Value if name == "-ldflags" && known.contains("-extld") => {
            for (_, rest) in known.match_indices("-extld=").map(|(at, _)| known.split_at(at + 7)) {
                let text = value.text.beginning_with(rest);
                named_program(walk, &Argument { text, span: value.span });
            }
        }
        _ => {}
    }
}

/// Whether an option that rsync hands to its other side writes, loads or runs something there.
fn at_other_side(words: &[Argument]) -> bool {
    let Some(manual) = manuals::listed("rsync") else { return false };
    read(manual, words).into_iter().any(|word| {
        matches!(
            word,
            Word::Known(Kind::Writes | Kind::Runs | Kind::Loads | Kind::Secrets, ..)
                | Word::Known(
                    Kind::Followed,
                    "--backup-dir" | "--config" | "--temp-dir" | "-T" | "--rsh" | "-e",
                    _
                )
                | Word::Known(Kind::Flag, "--daemon" | "--write-devices" | "--copy-devices", _)
                | Word::Unknown(_)
        )
    })
}

/// A program is built: what its file says is not known, which matters where it takes the place of settings that others read.
fn built(walk: &mut dyn Host, value: &Argument, written: &Text) {
    let known = value.text.known_prefix();
    let is_hidden = |part: &str| part.len() > 1 && part.starts_with('.') && part != "..";
    if known.split('/').any(is_hidden) || known.starts_with("/etc/") {
        walk.write(value, WriteMode::Replace, written.clone());
    }
}

/// `name = value` as it stands in a wgetrc.
fn wgetrc(walk: &mut dyn Host, value: &Argument, written: &Text) {
    let Some((name, _)) = value.text.known_prefix().split_once('=') else { return };
    let rest = value.text.known_prefix().get(name.len() + 1..).unwrap_or("").trim_start();
    let said = Argument { text: value.text.beginning_with(rest), span: value.span };
    match name.trim().to_ascii_lowercase().replace(['-', '_'], "").as_str() {
        "useaskpass" => named_program(walk, &said),
        "logfile" | "outputdocument" | "dirprefix" | "savecookies" | "warcfile" => {
            walk.write(&said, WriteMode::Replace, written.clone());
        }
        "postfile" | "bodyfile" => {
            walk.read(&said);
            walk.gap(value.span, GapReason::UnknownOption);
        }
        _ => {}
    }
}

/// A command, or the path of a program. A name alone is one that is installed.
pub(super) fn named_program(walk: &mut dyn Host, value: &Argument) {
    let known = value.text.known_prefix().trim_start();
    let is_path = ["/", "./", "../", "~/"].iter().any(|start| known.starts_with(start));
    if !is_path && !known.contains(char::is_whitespace) {
        return;
    }
    if names_temporary(&value.text, walk.facts()) {
        walk.note("execution.temporary.escape", value.span);
    }
    run_program(walk, value);
}

/// Code that a program loads or runs as its own: asked about where it lies among temporary files and this call did not write it.
pub(super) fn script(walk: &mut dyn Host, program: &str, value: &Argument) {
    let known = value.text.known_prefix();
    if known.starts_with("data:") {
        walk.gap(value.span, GapReason::UnknownCode);
        return;
    }
    if walk.wrote(&value.text) {
        let language = match program {
            "node" => "javascript",
            "perl" => "perl",
            "ruby" => "ruby",
            "nvim" => "lua",
            _ => return,
        };
        walk.script(language, value, &[], None);
    } else if lies_among_temporary(known, walk.facts()) {
        walk.note("execution.temporary.escape", value.span);
    }
}

/// Settings or plugins that may name programs: what a call wrote into them is not read, and among temporary or fetched files nobody knows
/// them.
pub(in crate::programs) fn loaded(walk: &mut dyn Host, value: &Argument) {
    let known = value.text.known_prefix();
    if matches!(known, "" | "-" | "/dev/null") {
        return;
    }
    if walk.wrote(&value.text) {
        let content = walk.read(value);
        if content.taint.has(Taint::NETWORK) || !content.is_empty() {
            walk.gap(value.span, GapReason::UnknownCode);
        }
    } else if lies_among_temporary(known, walk.facts()) && !is_just_made(&value.text)
        || is_fetched(known)
    {
        walk.note("execution.settings.named", value.span);
    }
}

/// Whether settings are named by an address of another machine: what they say is its word.
fn is_fetched(name: &str) -> bool {
    let Some((scheme, rest)) = name.split_once("://") else { return false };
    let is_near = ["localhost", "127.", "[::1]"].iter().any(|host| rest.starts_with(host));
    matches!(scheme, "http" | "https" | "ftp" | "git" | "s3" | "gs") && !is_near
}

/// What `mktemp` made in this call is empty.
fn is_just_made(path: &Text) -> bool {
    matches!(path.pieces.last(), Some(Piece::Unknown(what)) if &**what == "mktemp")
}

fn lies_among_temporary(path: &str, facts: &Facts) -> bool {
    let path = path.strip_prefix("file://").unwrap_or(path);
    path.split([':', ','])
        .any(|path| is_anybodys(path, facts) || matches!(path, "/tmp" | "/var/tmp" | "/dev/shm"))
}
