//! Code that interpreters load before what they are told to run. Owns the options that name it.

use super::{
    super::{escapes, operands::after, options},
    shown::only_shows,
};
use crate::{
    effect::{Argument, GapReason},
    programs::{host::Host, invocation::Invocation},
    text::Text,
};

/// Files of code that options name to be read before the program: `php -d auto_prepend_file=FILE`, `ruby -r ./file`.
pub(super) fn preloaded(walk: &mut dyn Host, invocation: &Invocation, language: &'static str) {
    const OF_PHP: &[&str] =
        &["auto_append_file=", "auto_prepend_file=", "extension=", "zend_extension="];
    // `perl '-MO;code'` is `use O;code`: what stands behind the module's name is code.
    if language == "perl" {
        for option in ["-M", "-m"] {
            for value in options::values_of(&invocation.arguments, option) {
                let known = value.text.known_prefix();
                if let Some((_, code)) = known.split_once(';') {
                    let code = value.text.beginning_with(code);
                    walk.code("perl", &code, value.span, &[]);
                }
            }
        }
        return;
    }
    let (option, starts): (&str, &[&str]) = match language {
        "php" => ("-d", OF_PHP),
        "ruby" => ("-r", &[""]),
        _ => return,
    };
    let long = if language == "php" { "--define" } else { "--require" };
    let values = options::values_of(&invocation.arguments, option);
    for value in values.into_iter().chain(options::values_of(&invocation.arguments, long)) {
        let written = value.text.known_prefix();
        let Some(start) = starts.iter().find(|start| written.starts_with(**start)) else {
            continue;
        };
        let Some(file) = after(&value, start) else { continue };
        preload(walk, invocation, language, &file);
    }
}

/// One such file: on this machine, or what PHP opens like one.
fn preload(walk: &mut dyn Host, invocation: &Invocation, language: &'static str, file: &Argument) {
    let name = file.text.known_prefix().trim_matches(['"', '\'']);
    let (scheme, rest) = name.split_once(':').unwrap_or(("", name));
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" | "ftp" | "ftps" | "compress.zlib" | "compress.bzip2" | "ssh2.sftp" => {
            let code = walk.connect(file, None, false);
            walk.code(language, &code, file.span, &[]);
        }
        "expect" => {
            let command = Text::known(rest.trim_start_matches('/'));
            walk.shell(&command, file.span, &[], None);
        }
        "php" if rest.starts_with("//stdin") => {
            let code = invocation.origin();
            let code = invocation.input.clone().unwrap_or(code);
            walk.code(language, &code, file.span, &[]);
        }
        "data" | "php" | "phar" | "zip" | "rar" | "glob" => {
            walk.gap(file.span, GapReason::UnknownCode);
        }
        // Libraries have no path.
        _ if name.contains('/') || name.contains('.') => {
            if escapes::is_temporary_beside(name, walk.facts()) {
                walk.note("execution.temporary.escape", file.span);
            }
            walk.script(language, file, &[], None);
        }
        _ => {}
    }
}

/// Languages in which nothing but the commonest calls is read.
const UNREAD: &[&str] =
    &["elixir", "erlang", "groovy", "haskell", "kotlin", "nim", "octave", "raku", "scala", "swift"];

/// Code in a language without a reader is not understood, unless it only shows something.
pub(super) fn unread(
    walk: &mut dyn Host,
    language: &str,
    code: &Argument,
    invocation: &Invocation,
) {
    let is_automation = language == "applescript"
        && invocation.arguments.iter().any(|word| word.text.as_known() == Some("JavaScript"));
    let is_lisp =
        matches!(invocation.program.as_str(), "bb" | "clj" | "clojure" | "racket" | "sbcl");
    if (UNREAD.contains(&language) || is_automation || is_lisp)
        && !code.text.as_known().is_some_and(only_shows)
    {
        walk.gap(code.span, GapReason::UnknownCode);
    }
}
