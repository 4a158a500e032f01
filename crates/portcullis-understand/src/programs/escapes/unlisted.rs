//! What a program is told to run or to load by an option or a variable that no table here has. Owns how such a one is known: by its name,
//! which says so in the words that programs have for it, together with its value, which is a command or lies where everybody may put
//! something. What the value would do is then judged as any other command is; a value that reads as neither says nothing.

mod words;

use portcullis_syntax::Span;

use words::{
    FILE_TOOLS, INTERPRETERS, KEPT, LOADED, LOADS, NAMED_NEXT, RUN, RUNS, SAID, TEXTS, TOOLS,
};

use super::{
    by_manual, cards, is_shell,
    temporary::{is_anybodys, names_temporary},
    words::words_of,
};
use crate::{
    effect::Argument,
    facts::Facts,
    programs::{host::Host, invocation::Invocation, notable},
    text::{Piece, Text},
};

/// Reads the options of an invocation.
pub(super) fn follow(walk: &mut dyn Host, invocation: &Invocation, arguments: &[Argument]) {
    let name = invocation.program.as_str();
    if TEXTS.binary_search(&name).is_ok() || cards::manual(name).is_some() {
        return;
    }
    options(walk, arguments);
    let takes_files = is_file_tool(name);
    for word in arguments {
        let known = word.text.known_prefix();
        for command in piped(known).into_iter().filter(|command| reads_as_command(command)) {
            if names_temporary_text(command, walk.facts()) {
                walk.note("execution.temporary.escape", word.span);
            }
            walk.suppose(&word.text.derive([Piece::Known(command.to_owned())]), word.span);
        }
        if !takes_files && ends_with_script(known, walk.facts()) {
            walk.note("execution.temporary.escape", word.span);
        }
        if !takes_files && is_anybodys(known, walk.facts()) && is_library(known) {
            by_manual::loaded(walk, word);
        }
    }
}

/// The commands in a word that is a file for most programs: `|command`, `exec:command`, `command|` in quotes, `%pipe%command`,
/// `%sh{command}`, `%(command)`.
fn piped(word: &str) -> Vec<&str> {
    let mut found = Vec::new();
    // One of these is in each of them, and in few words.
    if !word.bytes().any(|byte| matches!(byte, b'%' | b'(' | b'|')) && !word.starts_with("exec:") {
        return found;
    }
    found.extend(word.strip_prefix('|').or_else(|| word.strip_prefix("exec:")));
    let expanded =
        word.split_once("%(").and_then(|(_, rest)| rest.rfind(')').map(|end| (rest, end)));
    found.extend(expanded.and_then(|(rest, end)| rest.get(..end)));
    found.extend(word.split_once("%pipe%").map(|(_, command)| command));
    let shell =
        word.split_once("%sh{").and_then(|(_, rest)| rest.rfind('}').map(|end| (rest, end)));
    found.extend(shell.and_then(|(rest, end)| rest.get(..end)));
    let quoted = ['"', '\''].into_iter().filter_map(|quote| {
        let (_, rest) = word.split_once(quote)?;
        rest.split(quote).next()?.strip_suffix('|')
    });
    found.extend(quoted);
    found.extend(called(word));
    found
}

/// The commands that code in a word gives to what runs them: `system("…")`, `os.execute("…")`.
fn called(word: &str) -> Vec<&str> {
    const RUN: &[&str] =
        &["exec(", "execute(", "passthru(", "popen(", "shell_exec(", "spawn(", "system("];
    let mut found = Vec::new();
    for call in RUN {
        let given = word.split(call).skip(1).filter_map(|behind| {
            let behind = behind.trim_start();
            let quote = behind.chars().next().filter(|first| matches!(first, '"' | '\''))?;
            behind.get(1..)?.split(quote).next()
        });
        found.extend(given);
    }
    found
}

/// Whether the last words of several are a shell and a script that lies where everybody may put something:
/// `etc/id f 444 root root sh /tmp/id.sh`.
fn ends_with_script(word: &str, facts: &Facts) -> bool {
    let mut words = word.split_whitespace().rev();
    let script = words.next().unwrap_or_default();
    let shell = words.next().unwrap_or_default();
    is_anybodys(script, facts) && is_shell(shell.rsplit('/').next().unwrap_or(shell))
}

/// Whether a path is that of code which is loaded as it is.
fn is_library(path: &str) -> bool {
    let ends = [".dll", ".dylib", ".so"];
    ends.iter().any(|end| path.ends_with(end)) || path.contains(".so.")
}

/// Whether what a program does with a library is what it does with any file: it is copied, looked into, linked or packed.
fn is_file_tool(name: &str) -> bool {
    FILE_TOOLS.binary_search(&name).is_ok()
        || crate::programs::program(name).is_some_and(|row| row.does.only_shows())
}

/// Reads a variable that programs find.
pub(super) fn variable(walk: &mut dyn Host, name: &str, value: &Text, span: Span) {
    let words = words(name);
    // A variable of one word is most often the shell's own, which is followed to where it is used.
    let Some(last) = words.last().filter(|last| words.len() > 1 || is_search_path(last)) else {
        return;
    };
    if is_search_path(last) || INTERPRETERS.contains(&last.as_str()) {
        let value = Argument { text: value.clone(), span };
        if is_anybodys(value.text.known_prefix(), walk.facts()) {
            by_manual::loaded(walk, &value);
        }
    }
    if is_options(&words) {
        options(walk, &words_of(value, span));
    } else {
        told(walk, &words, &Argument { text: value.clone(), span });
    }
}

/// Whether what a name holds are options: `GOFLAGS`, `--ghc-options`.
fn is_options(names: &[String]) -> bool {
    const WORDS: &[&str] = &["addopts", "aflags", "args", "flags", "options", "opts", "zflags"];
    names.last().is_some_and(|last| WORDS.contains(&last.as_str()))
}

/// Whether a name says by its end that code is looked for along what it holds: `TCLLIBPATH`.
fn is_search_path(name: &str) -> bool {
    ["libpath", "modulepath", "modpath", "pluginpath", "classpath"]
        .iter()
        .any(|end| name.ends_with(end))
}

fn options(walk: &mut dyn Host, arguments: &[Argument]) {
    // Options stand in the values of others, and in theirs no more.
    for held in read_options(walk, arguments) {
        read_options(walk, &words_of(&held.text, held.span));
    }
}

/// Reads options; gives the values that hold options themselves.
fn read_options(walk: &mut dyn Host, arguments: &[Argument]) -> Vec<Argument> {
    let mut held = Vec::new();
    let mut named: Option<Vec<String>> = None;
    let mut names_another = false;
    for word in arguments {
        let known = word.text.known_prefix();
        if !known.starts_with('-') {
            let takes_next = std::mem::take(&mut names_another);
            if let Some(names) = named.take() {
                from_temporary(walk, &names, word);
                told(walk, &names, word);
                if is_options(&names) {
                    held.push(word.clone());
                }
                // `--option post-build-hook COMMAND`
                if takes_next && is_key(known) {
                    named = Some(words(known));
                }
            }
            continue;
        }
        names_another = NAMED_NEXT.contains(&known);
        named = None;
        // `-Xplugin:/tmp/x.jar`: a path behind a colon is a value as well.
        let by_colon = || known.split_once(':').filter(|(_, value)| value.starts_with('/'));
        match known.split_once('=').or_else(by_colon) {
            Some((name, value)) => {
                let value = Argument { text: word.text.beginning_with(value), span: word.span };
                let names = words(name);
                from_temporary(walk, &names, &value);
                told(walk, &names, &value);
                if is_options(&names) {
                    held.push(value);
                }
            }
            None if word.text.as_known().is_some() => named = Some(words(known)),
            None => {}
        }
    }
    held
}

/// An option is told to run what lies where everybody may put something: as a command, or as code that names it.
fn from_temporary(walk: &mut dyn Host, names: &[String], value: &Argument) {
    let is_of = |list: &[&str]| names.iter().any(|word| list.contains(&word.as_str()));
    let is_tool = names.last().is_some_and(|last| TOOLS.contains(&last.as_str()));
    let is_code = || {
        let known = value.text.known_prefix();
        let is_quoted = |mark: char| {
            known
                .split(mark)
                .skip(1)
                .step_by(2)
                .any(|text| names_temporary_text(text, walk.facts()))
        };
        (runs(names) || is_of(LOADS)) && ['"', '\''].into_iter().any(is_quoted)
    };
    if (runs(names) || is_tool) && names_temporary(&value.text, walk.facts()) || is_code() {
        walk.note("execution.temporary.escape", value.span);
    }
}

fn names_temporary_text(text: &str, facts: &Facts) -> bool {
    names_temporary(&Text::known(text), facts)
}

/// Whether a name says that it holds a command.
fn runs(names: &[String]) -> bool {
    names
        .iter()
        .any(|word| RUNS.contains(&word.as_str()) || RUN.iter().any(|end| word.ends_with(end)))
}

/// What stands behind a name: a command, a path, or a list of `key=value`.
fn told(walk: &mut dyn Host, names: &[String], value: &Argument) {
    let known = value.text.known_prefix();
    one(walk, names, value);
    // `hooks.pre-status=…`, `tap,id=n0,script=/tmp/up.sh`, `protoc-gen-go=/tmp/bin/x`: each goes on to where the next key begins.
    let mut keys: Vec<(usize, &str)> = Vec::new();
    let mut at = 0;
    for part in known.split(',') {
        if let Some((key, _)) = part.split_once('=').filter(|(key, _)| is_key(key)) {
            keys.push((at, key));
        }
        at += part.len() + 1;
    }
    for (place, (start, key)) in keys.iter().enumerate() {
        let end = keys.get(place + 1).map_or(known.len(), |(next, _)| next.saturating_sub(1));
        let Some(rest) = known.get(start + key.len() + 1..end) else { continue };
        let mut all = names.to_vec();
        all.extend(words(key));
        // Behind the last of them stands what is not known.
        let text = if end == known.len() {
            value.text.beginning_with(rest)
        } else {
            value.text.derive([Piece::Known(rest.to_owned())])
        };
        let value = Argument { text, span: value.span };
        if keys.len() > 1 || start > &0 || is_setting(names) {
            from_temporary(walk, &all, &value);
        }
        one(walk, &all, &value);
    }
}

/// Whether a name says that it holds settings of other names.
fn is_setting(names: &[String]) -> bool {
    const WORDS: &[&str] =
        &["config", "option", "override", "set", "setting", "define", "e", "s", "o", "x"];
    matches!(names, [one] if WORDS.contains(&one.as_str()))
}

fn is_key(key: &str) -> bool {
    !key.is_empty()
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-:".contains(&byte))
}

fn one(walk: &mut dyn Host, names: &[String], value: &Argument) {
    let says = |list: &[&str]| names.iter().any(|word| list.contains(&word.as_str()));
    // `--loadmodule`, `-Xplugin`, `--build-file`, `--gcc.exe`
    let loads = says(LOADS)
        || names.iter().any(|word| LOADED.iter().any(|end| word.ends_with(end)))
        || names
            .windows(2)
            .any(|pair| matches!(pair, [one, two] if one == "build" && two == "file"));
    let known = value.text.known_prefix();
    let path = known.split([',', ' ']).next().unwrap_or(known);
    let lies_elsewhere = is_anybodys(path, walk.facts())
        || path.starts_with("https://")
        || path.starts_with("http://");
    if loads && !says(KEPT) && lies_elsewhere && !known.contains(' ') {
        let text = value.text.beginning_with(path);
        by_manual::loaded(walk, &Argument { text, span: value.span });
    }
    if says(SAID) && !runs(names) {
        return;
    }
    if runs(names)
        && let Some(listed) = listed(known)
    {
        walk.suppose(&value.text.derive([Piece::Known(listed)]), value.span);
    }
    for command in commands(known, runs(names)) {
        let text = value.text.derive([Piece::Known(command.to_owned())]);
        walk.suppose(&text, value.span);
    }
}

/// A command that is written as a list of words, or a list of lines: `["sh", "-c", "…"]`, `["!curl …"]`.
fn listed(value: &str) -> Option<String> {
    let words: Vec<String> = serde_json::from_str(value).ok()?;
    let is_of_lines = words.first().is_some_and(|first| first.contains(' '));
    if is_of_lines {
        let lines: Vec<&str> = words.iter().map(|line| line.trim_start_matches('!')).collect();
        return Some(lines.join("\n"));
    }
    let quoted = words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''")));
    Some(quoted.collect::<Vec<_>>().join(" "))
}

/// The parts of a value that are commands: behind a pipe, or told to a shell; where the name says that it holds a command, all of it
/// however it begins, and what stands in it within brackets or quotes.
fn commands(value: &str, is_run: bool) -> Vec<&str> {
    let within = |open: char, close: char| {
        let (_, rest) = value.split_once(open)?;
        let end = rest.rfind(close)?;
        rest.get(..end)
    };
    let piped = value.split_once("\"|").or_else(|| value.split_once("'|")).map(|(_, rest)| rest);
    let piped = piped.map(|rest| rest.split(['"', '\'']).next().unwrap_or(rest));
    let for_shell = ["bash -c ", "sh -c ", "zsh -c "].iter().any(|start| value.starts_with(start));
    let fed = ["| sh", "|sh", "| bash", "|bash"].iter().any(|end| value.contains(end));
    let mut found = Vec::new();
    found.extend(value.strip_prefix('|').or(piped));
    if for_shell || fed {
        found.push(value);
    }
    if is_run {
        found.extend(within('(', ')'));
        found.extend(within('"', '"'));
    }
    found.retain(|command| reads_as_command(command));
    let is_more_than_a_name = value.contains(|letter: char| !is_of_a_name(letter));
    if is_run && is_more_than_a_name && !found.contains(&value) {
        found.push(value);
    }
    found
}

fn is_of_a_name(letter: char) -> bool {
    letter.is_alphanumeric() || "._-/:,=+@%".contains(letter)
}

/// Whether a text begins with the name of a program, and more stands behind.
fn reads_as_command(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    let name = first.rsplit('/').next().unwrap_or(first);
    let is_program = notable::names(name) || crate::programs::program(name).is_some();
    is_program && words.next().is_some()
}

/// The words of a name: `--renderer-cmd-prefix`, `PASSWORD_STORE_EXTENSIONS_DIR`, `-Dmaven.ext.class.path`.
fn words(name: &str) -> Vec<String> {
    name.split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_are_sorted() {
        assert!(TEXTS.is_sorted() && FILE_TOOLS.is_sorted());
    }

    #[test]
    fn a_pipe_is_found_in_place_of_a_file() {
        assert_eq!(piped("|cat x"), ["cat x"]);
        assert_eq!(piped("%pipe%sh -c x"), ["sh -c x"]);
        assert_eq!(piped("nop %sh{rm -rf x}; quit!"), ["rm -rf x"]);
        assert_eq!(piped("source \"curl h|\""), ["curl h"]);
        assert!(piped("a|b").is_empty() && piped("'a' | b").is_empty());
    }

    #[test]
    fn a_command_is_found_where_it_stands() {
        let bound = "start:execute-silent(rm -rf ~/x)";
        assert_eq!(commands(bound, true), ["rm -rf ~/x", bound]);
        assert_eq!(commands("{ rm -rf ~/x; }", true), ["{ rm -rf ~/x; }"]);
        assert!(commands("sccache", true).is_empty());
        assert_eq!(commands("CustomLog \"|/bin/rm -rf /srv\" common", false), ["/bin/rm -rf /srv"]);
        let called = "os:cmd(\"rm -rf /srv\")";
        assert_eq!(commands(called, true), ["rm -rf /srv", called]);
        assert!(commands("a text that says rm -rf /srv", false).is_empty());
    }
}
