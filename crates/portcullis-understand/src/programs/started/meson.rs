//! Meson: what runs while a project is set up (`run_command`), and what a build, a test or an installation of it runs (`custom_target`,
//! `run_target`, `add_install_script`, `test`) (mesonbuild.com, "Reference manual"). Owns the reading of calls and of lists of texts.

use std::collections::BTreeMap;

use portcullis_syntax::Span;

use super::{Starter, project};
use crate::{
    effect::Certainty,
    programs::found::{File, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
};

pub(super) static MESON: Starter = Starter { programs: &["meson", "muon"], start };

/// How many files of one project are read.
const FILES: usize = 32;

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--help", "-h", "--version"]) {
        return;
    }
    let verb = words.first().map_or("", String::as_str);
    let reading = match verb {
        "introspect" | "configure" | "wrap" | "env2mfile" | "format" | "fmt" | "rewrite"
        | "init" | "subprojects" => return,
        "compile" => Wanted { sets_up: true, builds: true, ..Wanted::default() },
        "test" => Wanted { sets_up: true, builds: true, tests: true, installs: false },
        "install" => Wanted { sets_up: true, builds: true, installs: true, tests: false },
        _ => Wanted { sets_up: true, ..Wanted::default() },
    };
    for option in ["--native-file", "--cross-file"] {
        for name in project::options(&words, &[option]) {
            machine(walk, name, invocation.span);
        }
    }
    let places = project::levels(walk);
    let mut candidates: Vec<String> = project::operands(
        &words,
        &["-C", "--buildtype", "-D", "--prefix", "--native-file", "--cross-file"],
    )
    .into_iter()
    .filter(|word| *word != verb)
    .filter_map(|word| walk.target(&crate::text::Text::known(word)).path)
    .collect();
    candidates.extend(places);
    let names: Vec<String> =
        candidates.iter().map(|place| format!("{place}/meson.build")).collect();
    for name in &names {
        walk.look(name);
    }
    let file = names.iter().find_map(|name| walk.look(name).file());
    let mut seen = 0;
    if let Some(file) = file {
        read(walk, &file, invocation.span, reading, &mut seen);
    }
}

/// A file of a machine: programs that are run to look what they can, and to build with (mesonbuild.com, "Native build machine files").
fn machine(walk: &mut dyn Host, name: &str, span: Span) {
    let Some(root) = walk.directory().map(str::to_owned) else { return };
    let Some(path) = walk.target(&crate::text::Text::known(name)).path else { return };
    let Some(file) = walk.look(&path).file() else { return };
    let here = directory_of(&path).to_owned();
    walk.in_file(&file, "meson", span, |walk| {
        let mut at = 0;
        let mut is_program = false;
        let mut constants: BTreeMap<String, String> = BTreeMap::new();
        for line in file.text.split_inclusive('\n') {
            let place = Span::new(at, at + line.trim_end().len());
            at += line.len();
            let line = line.trim();
            if let Some(section) = line.strip_prefix('[') {
                is_program = section.starts_with("binaries");
            }
            let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) else {
                continue;
            };
            let mut words: Vec<String> =
                value.split('\'').skip(1).step_by(2).map(str::to_owned).collect();
            // A name in place of a text, and texts that are put together.
            for (name, text) in &constants {
                let is_named =
                    value.split(['\'', ' ', '/', '+', ',', '[', ']']).any(|it| it == name);
                if is_named && let Some(first) = words.first_mut() {
                    *first =
                        format!("{}/{}", text.trim_end_matches('/'), first.trim_start_matches('/'));
                }
            }
            for word in &mut words {
                *word = word.replace("@GLOBAL_SOURCE_ROOT@", &root).replace("@DIRNAME@", &here);
            }
            if is_program && words.first().is_some_and(|word| word.contains('/')) {
                words.push("--version".to_owned());
                walk.at_most(Certainty::Likely, |walk| {
                    walk.run(&project::arguments(&words, place), None)
                });
            } else if let Some(text) = words.into_iter().next() {
                constants.insert(key.trim().to_owned(), text);
            }
        }
    });
}

/// What is asked for.
#[derive(Clone, Copy, Debug, Default)]
struct Wanted {
    sets_up: bool,
    builds: bool,
    tests: bool,
    installs: bool,
}

fn read(walk: &mut dyn Host, file: &File, span: Span, wanted: Wanted, seen: &mut usize) {
    walk.in_file(file, "meson", span, |walk| {
        *seen += 1;
        if *seen > FILES {
            walk.left_unread(span);
            return;
        }
        let here = directory_of(&file.path).to_owned();
        for call in calls(&file.text) {
            let (is_wanted, certainty) = match call.name.as_str() {
                "subdir" => {
                    if let Some(name) = call.texts.first()
                        && let Some(inner) = walk.look(&format!("{here}/{name}/meson.build")).file()
                    {
                        read(walk, &inner, call.span, wanted, seen);
                    }
                    continue;
                }
                "run_command" => (wanted.sets_up, Certainty::Certain),
                "custom_target" | "generator" | "vcs_tag" => (wanted.builds, Certainty::Likely),
                "run_target" => (false, Certainty::Likely),
                "add_install_script" | "add_dist_script" => (wanted.installs, Certainty::Certain),
                "add_postconf_script" => (wanted.sets_up, Certainty::Certain),
                "test" | "benchmark" => (wanted.tests, Certainty::Likely),
                _ => continue,
            };
            let words = match call.name.as_str() {
                "custom_target" | "generator" | "vcs_tag" => call.command,
                _ => call.texts,
            };
            if !is_wanted || words.is_empty() {
                continue;
            }
            let is_script =
                words.first().is_some_and(|first| !first.contains('/') && first.contains('.'));
            let words: Vec<String> = match (is_script, words.split_first()) {
                (true, Some((first, rest))) => {
                    std::iter::once(format!("{here}/{first}")).chain(rest.iter().cloned()).collect()
                }
                _ => words,
            };
            let outer = walk.directory().map(str::to_owned);
            walk.go_to(Some(here.clone()));
            walk.at_most(certainty, |walk| walk.run(&project::arguments(&words, call.span), None));
            walk.go_to(outer);
        }
    });
}

/// A call with the texts in it, those behind `command:` apart.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
struct Call {
    name: String,
    texts: Vec<String>,
    command: Vec<String>,
    /// The variable that stands first, where no text does.
    first: Option<String>,
    span: Span,
}

/// What text stands at the beginning: its value and its length.
fn text(rest: &str) -> Option<(String, usize)> {
    let bare = rest.strip_prefix('f').filter(|bare| bare.starts_with('\'')).unwrap_or(rest);
    let skipped = rest.len() - bare.len();
    if let Some(inner) = bare.strip_prefix("'\''") {
        let end = inner.find("'\''").unwrap_or(inner.len());
        return Some((inner.get(..end)?.to_owned(), skipped + (end + 6).min(bare.len())));
    }
    let inner = bare.strip_prefix('\'')?;
    let mut value = String::new();
    let mut letters = inner.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\'' => return Some((value, skipped + at + 2)),
            '\n' => return Some((value, skipped + at + 1)),
            '\\' => match letters.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, 't')) => value.push('\t'),
                Some((_, other)) => value.push(other),
                None => {}
            },
            other => value.push(other),
        }
    }
    Some((value, rest.len()))
}

fn calls(source: &str) -> Vec<Call> {
    let mut done: Vec<Call> = Vec::new();
    // Calls that are open, with how deep they stand, and the word before a colon.
    let mut open: Vec<(usize, usize, bool)> = Vec::new();
    let mut depth = 0_usize;
    let mut word_start = 0;
    let mut at = 0;
    let mut word = String::new();
    let mut key = String::new();
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        let letter = rest.chars().next().unwrap_or(' ');
        if letter == '#' {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if let Some((value, length)) = text(rest).filter(|_| word.is_empty()) {
            if let Some((call, level, _)) = open.last()
                && let Some(call) = done.get_mut(*call)
            {
                if key == "command" {
                    call.command.push(value.clone());
                }
                // Texts of the call itself and of lists in it; those behind names of arguments say how.
                if key.is_empty() || key == "command" || key == "args" {
                    call.texts.push(value);
                }
                let _ = level;
            }
            at += length.max(1);
            continue;
        }
        if letter.is_ascii_alphanumeric() || letter == '_' {
            if word.is_empty() {
                word_start = at;
            }
            word.push(letter);
            at += 1;
            continue;
        }
        if matches!(letter, ',' | ')' | ']')
            && !word.is_empty()
            && let Some(call) = open.last().and_then(|(at, ..)| done.get_mut(*at))
        {
            let is_first = match key.as_str() {
                "" => call.texts.is_empty(),
                "command" => call.command.is_empty(),
                _ => false,
            };
            if is_first && call.first.is_none() {
                call.first = Some(word.clone());
            }
        }
        match letter {
            '(' => {
                depth += 1;
                if !word.is_empty() {
                    let call = Call {
                        name: std::mem::take(&mut word),
                        span: Span::new(word_start, at),
                        ..Call::default()
                    };
                    done.push(call);
                    open.push((done.len() - 1, depth, false));
                    key.clear();
                }
            }
            ')' => {
                if open.last().is_some_and(|(_, level, _)| *level == depth)
                    && let Some((call, ..)) = open.pop()
                    && let Some(call) = done.get_mut(call)
                {
                    call.span = Span::new(call.span.range().start, at + 1);
                    key.clear();
                    // `run_command(find_program('a.py'), …)`: what is found is the first word of the call around.
                    let found = (call.name == "find_program").then(|| call.texts.first().cloned());
                    if let Some(found) = found.flatten()
                        && let Some(around) = open.last().and_then(|(at, ..)| done.get_mut(*at))
                    {
                        around.texts.push(found.clone());
                        around.command.push(found);
                    }
                }
                depth = depth.saturating_sub(1);
            }
            ':' => key = std::mem::take(&mut word),
            ',' if open.last().is_some_and(|(_, level, _)| *level == depth) => key.clear(),
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        word.clear();
        at += letter.len_utf8();
    }
    with_programs(source, &mut done);
    done
}

/// Puts before what a call is given the program that its first variable was set to: `tool = find_program('gen.py')`.
fn with_programs(source: &str, calls: &mut [Call]) {
    let set = |call: &Call| {
        let before =
            source.get(..call.span.range().start)?.trim_end().strip_suffix('=')?.trim_end();
        let start = before
            .trim_end_matches(|letter: char| letter.is_ascii_alphanumeric() || letter == '_')
            .len();
        Some((before.get(start..)?.to_owned(), call.texts.first()?.clone()))
    };
    let found: BTreeMap<String, String> =
        calls.iter().filter(|call| call.name == "find_program").filter_map(set).collect();
    for call in calls {
        if let Some(program) = call.first.as_ref().and_then(|name| found.get(name)) {
            call.texts.insert(0, program.clone());
            call.command.insert(0, program.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_the_texts_that_are_theirs() {
        let text = "project('a', 'c') # 'x'\nr = run_command('sh', '-c', '\''b \"c\"'\'', check: false)\ncustom_target('t', input: 'i', output: 'o', command: ['d', '@INPUT@', 'e'])\nsubdir('s')\n";
        let found = calls(text);
        let of = |name: &str| found.iter().find(|call| call.name == name).unwrap().clone();
        assert_eq!(of("run_command").texts, ["sh", "-c", "b \"c\""]);
        assert_eq!(of("custom_target").command, ["d", "@INPUT@", "e"]);
        assert_eq!(of("subdir").texts, ["s"]);
        assert_eq!(text.get(of("subdir").span.range()), Some("subdir('s')"));
        let found = calls("v = run_command(find_program('a.py', 'b.py'), 'x.h', check: true)\n");
        assert_eq!(
            found.first().map(|call| call.texts.as_slice()),
            Some(&["a.py".to_owned(), "x.h".to_owned()][..])
        );
        let found = calls(
            "p = find_program('a.py')\nrun_command(p, 'x.h')\nq = custom_target('q', output: 'o', command: [p, '@INPUT@'])\n",
        );
        let of = |name: &str| found.iter().find(|call| call.name == name).unwrap().clone();
        assert_eq!(of("run_command").texts, ["a.py", "x.h"]);
        assert_eq!(of("custom_target").command, ["a.py", "@INPUT@"]);
    }

    #[test]
    fn hostile_texts_end() {
        for text in ["'", "'\''", "((((", "f'", "a(:::", "\\"] {
            calls(text);
        }
    }
}
