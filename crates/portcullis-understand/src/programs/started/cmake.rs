//! CMake: what runs while a project is configured (`execute_process`), what a build or test of it runs (`add_custom_command`, `add_custom_target`,
//! `add_test`), and what it fetches (cmake.org, "cmake-commands(7)", "cmake(1)"). Owns the reading of its language as far as commands, their words
//! and simple variables go.

use std::collections::BTreeMap;

use portcullis_syntax::Span;

use super::{Starter, project, tree};
use crate::{
    effect::{Argument, Certainty},
    programs::escapes,
    programs::found::{File, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
};

pub(super) static CMAKE: Starter = Starter { programs: &["cmake", "ctest", "ninja"], start };

/// How many files of one project are read.
const FILES: usize = 32;

/// How many calls of one file are read.
const CALLS: usize = 20_000;

/// A call with its words; a word in brackets or quotes stands as it is meant.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Call {
    name: String,
    words: Vec<String>,
    span: Span,
}

/// How many programs of one build are told from each other.
const PROGRAMS: usize = 128;

#[derive(Debug, Default)]
struct Reading {
    variables: BTreeMap<String, String>,
    seen: Vec<String>,
    /// Files that were fetched, as they are named.
    fetched: Vec<String>,
    /// What was written into files, by their names.
    written: BTreeMap<String, String>,
    configures: bool,
    builds: bool,
    tests: bool,
    installs: bool,
    /// Programs that the files compile, with their sources.
    programs: BTreeMap<String, Vec<String>>,
    /// Options that the files declare, and what an earlier run has kept of them.
    options: Vec<String>,
    cached: BTreeMap<String, String>,
    /// Another file fills the cache first.
    is_filled: bool,
    /// For each condition that is open, whether what stands in it now is left out, and whether the other side is.
    conditions: Vec<(bool, bool)>,
}

impl Reading {
    /// Follows conditions on options that are off (cmake.org, "if"); whether this call is left out. Any other condition leaves nothing out.
    fn flow(&mut self, name: &str, words: &[String]) -> bool {
        let is_off = |name: Option<&String>| {
            name.is_some_and(|name| {
                let value = self.variables.get(name).map(|it| it.to_ascii_uppercase());
                self.options.contains(name)
                    && matches!(value.as_deref(), Some("OFF" | "0" | "NO" | "FALSE" | "N" | ""))
            })
        };
        match (name, words) {
            ("if", [word]) => self.conditions.push((is_off(Some(word)), false)),
            ("if", [not, word]) if not == "NOT" => {
                let is_off = is_off(Some(word));
                self.conditions.push((false, is_off));
            }
            ("if", _) => self.conditions.push((false, false)),
            ("else", _) => {
                if let Some(last) = self.conditions.last_mut() {
                    *last = (last.1, false);
                }
            }
            ("elseif", _) => {
                if let Some(last) = self.conditions.last_mut() {
                    *last = (false, false);
                }
            }
            ("endif", _) => {
                self.conditions.pop();
            }
            _ => return self.conditions.iter().any(|it| it.0),
        }
        true
    }
}

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--help", "--version", "-E", "-N", "-L", "--list-presets"]) {
        return;
    }
    named(walk, invocation);
    let Some(here) = walk.directory().map(str::to_owned) else { return };
    let mut reading = Reading::default();
    for (at, word) in words.iter().enumerate() {
        let definition = match word.strip_prefix("-D") {
            Some("") => words.get(at + 1).map(String::as_str),
            other => other,
        };
        if let Some((name, value)) = definition.and_then(|it| it.split_once('=')) {
            let name = name.split(':').next().unwrap_or_default();
            reading.variables.insert(name.to_owned(), value.to_owned());
        }
    }
    if let Some(script) = project::option(&words, &["-P"]).filter(|_| invocation.program == "cmake")
    {
        script_alone(walk, invocation, script, &mut reading);
        return;
    }
    let root = if invocation.program == "cmake"
        && !project::has(&words, &["--build", "--install", "--open"])
    {
        reading.configures = true;
        let source = project::option(&words, &["-S"]).map(str::to_owned);
        let positional = project::operands(
            &words,
            &[
                "-B",
                "-D",
                "-G",
                "-S",
                "-A",
                "-T",
                "-C",
                "-U",
                "--preset",
                "--toolchain",
                "--install-prefix",
            ],
        );
        presets(walk, &words, &mut reading);
        let named = source.or_else(|| positional.first().map(|word| (*word).to_owned()));
        let named = named.unwrap_or_else(|| ".".to_owned());
        // A directory that was built in names its sources.
        project::joined(&here, &named)
    } else {
        reading.builds = invocation.program != "ctest";
        reading.installs = project::has(&words, &["--install", "install"]);
        reading.tests = invocation.program == "ctest";
        let named =
            project::option(&words, &["--build", "--install", "-C", "--test-dir"]).unwrap_or(".");
        let directory = crate::paths::normal(&project::joined(&here, named));
        let own = project::first_in(walk, &directory, &["CMakeLists.txt"]);
        match own {
            Some(_) => directory,
            None => super::directory_above(&directory).unwrap_or(directory),
        }
    };
    let root = crate::paths::normal(&root);
    if let Some(file) = project::first_in(walk, &root, &["CMakeLists.txt"]) {
        for name in ["CMAKE_SOURCE_DIR", "PROJECT_SOURCE_DIR"] {
            reading.variables.insert(name.to_owned(), root.clone());
        }
        reading.is_filled =
            reading.configures && project::has(&words, &["-C", "--toolchain", "--preset"]);
        let built = project::option(&words, &["-B", "--build"]).unwrap_or(".").to_owned();
        let built = crate::paths::normal(&project::joined(&here, &built));
        for name in ["CMAKE_BINARY_DIR", "PROJECT_BINARY_DIR", "CMAKE_CURRENT_BINARY_DIR"] {
            reading.variables.entry(name.to_owned()).or_insert_with(|| built.clone());
        }
        if let Some(cache) = walk.look(&format!("{built}/CMakeCache.txt")).file() {
            for (name, value) in cache.text.lines().filter_map(|line| line.split_once('=')) {
                if let Some((name, _)) = name.split_once(':') {
                    reading.cached.insert(name.to_owned(), value.to_owned());
                }
            }
        }
        own(walk, &root, invocation.span, &mut reading);
        read(walk, &file, invocation.span, &mut reading);
    }
    if let Some(toolchain) =
        reading.variables.get("CMAKE_TOOLCHAIN_FILE").cloned().filter(|_| reading.configures)
        && let Some(file) = walk.look(&project::joined(&here, &toolchain)).file()
    {
        read(walk, &file, invocation.span, &mut reading);
    }
}

/// Scripts that are read before the project's own, and programs that compilers are started by, where they are the project's.
fn own(walk: &mut dyn Host, root: &str, span: Span, reading: &mut Reading) {
    let named: Vec<(String, String)> = reading
        .variables
        .iter()
        .filter(|(name, _)| loads(name))
        .map(|(name, value)| (name.clone(), filled(value, &reading.variables)))
        .collect();
    for (name, value) in named {
        let words: Vec<&str> = value.split(';').filter(|word| !word.is_empty()).collect();
        if name.contains("INCLUDE") {
            for word in words {
                if let Some(file) = walk.look(&project::joined(root, word)).file() {
                    read(walk, &file, span, reading);
                }
            }
        } else if !name.ends_with("TOOLCHAIN_FILE")
            && words.first().is_some_and(|it| it.contains('/'))
        {
            project::in_directory(walk, Some(root), |walk| {
                walk.at_most(Certainty::Likely, |walk| {
                    walk.run(&project::arguments(&words, span), None)
                });
            });
        }
    }
}

/// `--preset NAME`: the variables of a preset with those that it inherits ("cmake-presets(7)").
fn presets(walk: &mut dyn Host, words: &[String], reading: &mut Reading) {
    let Some(asked) = project::option(words, &["--preset"]).map(str::to_owned) else { return };
    let Some(root) = walk.directory().map(str::to_owned) else { return };
    let mut names = vec!["CMakePresets.json".to_owned(), "CMakeUserPresets.json".to_owned()];
    let mut trees: Vec<tree::Tree> = Vec::new();
    let mut at = 0;
    while let Some(name) = names.get(at).cloned() {
        at += 1;
        let Some(file) = walk.look(&project::joined(&root, &name)).file() else { continue };
        let tree = project::whole(walk, tree::json(&file.text));
        let included = tree.root().and_then(|root| root.get("include"));
        names.extend(included.map(tree::Node::words).unwrap_or_default());
        trees.push(tree);
        if at >= FILES {
            walk.left_unread(Span::default());
            break;
        }
    }
    let all: Vec<&tree::Node> = trees
        .iter()
        .filter_map(|tree| tree.root()?.get("configurePresets"))
        .flat_map(|it| it.items())
        .collect();
    let mut open = vec![asked.clone()];
    let mut seen: Vec<String> = Vec::new();
    while let Some(name) = open.pop() {
        if seen.contains(&name) {
            continue;
        }
        for preset in all.iter().filter(|it| it.text_of("name") == Some(&name)) {
            let inherited = preset.get("inherits");
            open.extend(
                inherited
                    .iter()
                    .flat_map(|it| it.each())
                    .filter_map(|it| it.text())
                    .map(str::to_owned),
            );
            let mut set: Vec<(String, String)> = Vec::new();
            for (key, value) in preset.get("cacheVariables").iter().flat_map(|it| it.entries()) {
                let text = value.text().or_else(|| value.text_of("value"));
                set.extend(text.map(|text| (key.to_owned(), text.to_owned())));
            }
            let toolchain = preset.text_of("toolchainFile");
            set.extend(toolchain.map(|it| ("CMAKE_TOOLCHAIN_FILE".to_owned(), it.to_owned())));
            for (key, value) in set {
                let value = value.replace("${sourceDir}", &root).replace("${presetName}", &asked);
                reading.variables.entry(key).or_insert(value);
            }
        }
        seen.push(name);
    }
}

/// `cmake -P FILE`: a script without a project ("cmake(1)", "Run a Script").
fn script_alone(walk: &mut dyn Host, invocation: &Invocation, script: &str, reading: &mut Reading) {
    reading.configures = true;
    let named = Argument { text: Text::known(script), span: invocation.span };
    let Some(path) = walk.target(&named.text).path else { return };
    match walk.look(&path).file() {
        Some(file) => read(walk, &file, invocation.span, reading),
        // Its text is not known, but where it lies or came from.
        None => escapes::by_manual::loaded(walk, &named),
    }
}

/// Scripts and programs that a call puts before the project's own: `-DCMAKE_PROJECT_INCLUDE=FILE`, `-DCMAKE_C_COMPILER_LAUNCHER=PROGRAM`
/// ("cmake-variables(7)").
fn named(walk: &mut dyn Host, invocation: &Invocation) {
    let mut is_behind = false;
    for word in invocation.arguments.iter() {
        let known = word.text.known_prefix();
        let is_value = std::mem::take(&mut is_behind);
        let definition = match known.strip_prefix("-D") {
            Some("") => {
                is_behind = true;
                continue;
            }
            Some(rest) => Some(rest),
            None if is_value => Some(known),
            None => None,
        };
        let start = match definition.and_then(|it| it.split_once('=')) {
            Some((name, value)) if loads(name.split(':').next().unwrap_or_default()) => value,
            _ => continue,
        };
        let text = word.text.beginning_with(start);
        escapes::by_manual::loaded(walk, &Argument { text, span: word.span });
    }
}

/// Whether a variable names a script that is read before the project's own, or a program that is run in the place of one.
fn loads(name: &str) -> bool {
    let rest = name.strip_prefix("CMAKE_").unwrap_or_default();
    matches!(rest, "MAKE_PROGRAM" | "TOOLCHAIN_FILE" | "PROJECT_TOP_LEVEL_INCLUDES")
        || rest.starts_with("PROJECT_") && rest.contains("INCLUDE")
        || ["_COMPILER", "_LAUNCHER", "_CLANG_TIDY", "_CPPCHECK", "_CPPLINT", "_EMULATOR"]
            .iter()
            .any(|end| rest.ends_with(end))
}

fn read(walk: &mut dyn Host, file: &File, span: Span, reading: &mut Reading) {
    if reading.seen.contains(&file.path) {
        return;
    }
    walk.in_file(file, "cmake", span, |walk| {
        if reading.seen.len() >= FILES {
            walk.left_unread(span);
            return;
        }
        reading.seen.push(file.path.clone());
        let here = directory_of(&file.path).to_owned();
        let (calls, is_cut) = calls(&file.text);
        if is_cut {
            walk.left_unread(Span::new(0, file.text.len()));
        }
        let outer = reading.variables.insert("CMAKE_CURRENT_LIST_DIR".to_owned(), here.clone());
        if file.path.ends_with("/CMakeLists.txt") {
            reading.variables.insert("CMAKE_CURRENT_SOURCE_DIR".to_owned(), here.clone());
        }
        for call in &calls {
            follow(walk, call, &here, reading);
        }
        if let Some(outer) = outer {
            reading.variables.insert("CMAKE_CURRENT_LIST_DIR".to_owned(), outer);
        }
    });
}

fn follow(walk: &mut dyn Host, call: &Call, here: &str, reading: &mut Reading) {
    let words: Vec<String> =
        call.words.iter().map(|word| filled(word, &reading.variables)).collect();
    let first = words.first().map_or("", String::as_str);
    if reading.flow(&call.name, &words) {
        return;
    }
    match call.name.as_str() {
        "set" => set(&words, reading),
        "list" if matches!(first, "APPEND" | "PREPEND" | "INSERT") => {
            let behind = if first == "INSERT" { 3 } else { 2 };
            if let Some(name) = words.get(1) {
                let more = words.get(behind..).unwrap_or_default().join(";");
                let before = reading.variables.entry(name.clone()).or_default();
                if !before.is_empty() {
                    before.push(';');
                }
                before.push_str(&more);
            }
        }
        // What is off stays off unless the call or an earlier one says otherwise ("option").
        "option" => {
            let value = words.get(2).map_or("OFF", String::as_str).to_owned();
            let cached = reading.cached.get(first).cloned();
            reading.variables.entry(first.to_owned()).or_insert_with(|| cached.unwrap_or(value));
            // A cache that is filled by another file may say anything.
            if !reading.variables.keys().any(|name| loads(name)) && !reading.is_filled {
                reading.options.push(first.to_owned());
            }
        }
        "cmake_dependent_option" | "math" | "string" | "unset" => {
            reading.options.retain(|name| !words.contains(name));
        }
        "file" if matches!(first, "GLOB" | "GLOB_RECURSE") => {
            let options = [
                "CONFIGURE_DEPENDS",
                "FOLLOW_SYMLINKS",
                "LIST_DIRECTORIES",
                "RELATIVE",
                "true",
                "false",
            ];
            let found = words.iter().skip(2).filter(|word| !options.contains(&word.as_str()));
            let found: Vec<&str> = found.map(String::as_str).collect();
            if let Some(name) = words.get(1) {
                reading.variables.insert(name.clone(), found.join(";"));
            }
        }
        "include" => include(walk, call, first, here, reading),
        "add_subdirectory" => {
            if let Some(file) =
                walk.look(&format!("{}/CMakeLists.txt", project::joined(here, first))).file()
            {
                let outer = reading.variables.get("CMAKE_CURRENT_SOURCE_DIR").cloned();
                read(walk, &file, call.span, reading);
                if let Some(outer) = outer {
                    reading.variables.insert("CMAKE_CURRENT_SOURCE_DIR".to_owned(), outer);
                }
            }
        }
        "execute_process" | "exec_program" if reading.configures => {
            let commands = match call.name.as_str() {
                "exec_program" => vec![words.clone()],
                _ => commands(&words),
            };
            run(walk, call, &commands, Certainty::Certain);
            scripts(walk, call, &commands, here, reading);
        }
        // The sources of a program, by its name.
        "add_executable" => {
            let sources = words
                .iter()
                .skip(1)
                .filter(|word| [".c", ".cc", ".cpp", ".cxx"].iter().any(|end| word.ends_with(end)));
            let sources: Vec<String> = sources.map(|name| project::joined(here, name)).collect();
            if reading.programs.len() < PROGRAMS {
                reading.programs.insert(first.to_owned(), sources);
            } else {
                walk.left_unread(call.span);
            }
        }
        // Programs that are found by other modules than CMake's own run their tests as well ("GoogleTest", "Catch2").
        "gtest_discover_tests"
        | "gtest_add_tests"
        | "catch_discover_tests"
        | "doctest_discover_tests"
            if reading.tests =>
        {
            compiled(walk, call, words.iter(), reading);
        }
        "add_custom_command" | "add_custom_target" | "add_test"
            if reading.builds || reading.tests =>
        {
            let wanted = if call.name == "add_test" { reading.tests } else { reading.builds };
            if wanted {
                let commands = commands(&words);
                run(walk, call, &commands, Certainty::Likely);
                scripts(walk, call, &commands, here, reading);
                let programs = commands.iter().filter_map(|command| command.first());
                // `add_test(NAME COMMAND)`, the short form.
                let short = (call.name == "add_test" && first != "NAME").then(|| words.get(1));
                compiled(walk, call, programs.chain(short.flatten()), reading);
            }
        }
        // Code that an installation runs ("install", "Custom Code").
        "install" if matches!(first, "CODE" | "SCRIPT") && reading.installs => {
            let (calls, _) = match (first, words.get(1)) {
                ("CODE", Some(code)) => calls(code),
                (_, Some(name)) => {
                    let file = walk.look(&project::joined(here, name)).file();
                    calls(file.as_ref().map_or("", |file| &file.text))
                }
                _ => return,
            };
            let outer = std::mem::replace(&mut reading.configures, true);
            for inner in calls {
                let inner = Call { span: call.span, ..inner };
                if inner.name != "install" {
                    follow(walk, &inner, here, reading);
                }
            }
            reading.configures = outer;
        }
        "file" if reading.configures => {
            match first {
                "DOWNLOAD" => reading.fetched.extend(words.get(2).cloned()),
                "WRITE" | "APPEND" | "CONFIGURE" | "GENERATE" => {
                    let content = words.get(2..).unwrap_or_default();
                    let content =
                        content.iter().filter(|it| !matches!(it.as_str(), "CONTENT" | "OUTPUT"));
                    let content: String = content.cloned().collect();
                    let name = words.iter().skip(1).find(|it| !is_keyword(it)).cloned();
                    reading.written.entry(name.unwrap_or_default()).or_default().push_str(&content);
                }
                _ => {}
            }
            change_files(walk, call, &words, here);
        }
        // A script that was written before is known when it is built as well.
        "file" if matches!(first, "WRITE" | "APPEND") => {
            let content = words.get(2..).unwrap_or_default().concat();
            let name = words.get(1).cloned().unwrap_or_default();
            reading.written.entry(name).or_default().push_str(&content);
        }
        "fetchcontent_declare" | "externalproject_add" if reading.configures || reading.builds => {
            fetch(walk, call, &words);
        }
        _ => {}
    }
}

/// Programs that the project compiles and then starts itself: what their sources do.
fn compiled<'w>(
    walk: &mut dyn Host,
    call: &Call,
    names: impl Iterator<Item = &'w String>,
    reading: &mut Reading,
) {
    for name in names {
        let name = name.trim_start_matches("$<TARGET_FILE:").trim_end_matches('>');
        let Some(sources) = reading.programs.remove(name) else { continue };
        for path in &sources {
            walk.look(path);
        }
        for path in &sources {
            super::compiled::source(walk, path, call.span);
        }
    }
}

/// `cmake -P FILE` of a script that the files write themselves.
fn scripts(
    walk: &mut dyn Host,
    call: &Call,
    commands: &[Vec<String>],
    here: &str,
    reading: &mut Reading,
) {
    for command in commands {
        let Some(name) = project::option(command, &["-P"]) else { continue };
        let Some(text) = reading.written.remove(name) else { continue };
        let (inner, _) = calls(&text);
        let outer = std::mem::replace(&mut reading.configures, true);
        for inner in inner {
            walk.at_most(Certainty::Likely, |walk| {
                follow(walk, &Call { span: call.span, ..inner }, here, reading)
            });
        }
        reading.configures = outer;
    }
}

fn set(words: &[String], reading: &mut Reading) {
    let Some((name, values)) = words.split_first() else { return };
    // A variable of the cache that is there already stays ("set", "Set Cache Entry").
    let is_kept =
        values.iter().any(|word| word == "CACHE") && !values.iter().any(|it| it == "FORCE");
    if is_kept && reading.variables.contains_key(name) {
        return;
    }
    let values: Vec<&str> = values
        .iter()
        .map(String::as_str)
        .take_while(|word| !matches!(*word, "CACHE" | "PARENT_SCOPE"))
        .collect();
    reading.variables.insert(name.clone(), values.join(";"));
}

/// A file by its path, or a module by its name.
fn include(walk: &mut dyn Host, call: &Call, first: &str, here: &str, reading: &mut Reading) {
    let candidates = [first.to_owned(), format!("{here}/{first}")];
    let modules = reading.variables.get("CMAKE_MODULE_PATH").cloned().unwrap_or_default();
    let named = modules
        .split(';')
        .filter(|it| !it.is_empty())
        .map(|it| project::joined(here, &format!("{it}/{first}.cmake")))
        .collect::<Vec<_>>();
    let is_fetched = |path: &String| {
        path == first || project::joined(here, path) == project::joined(here, first)
    };
    if reading.fetched.iter().any(is_fetched) {
        let code = format!("sh {}", super::quoted(first));
        walk.at_most(Certainty::Likely, |walk| {
            walk.shell(&Text::known(code), call.span, &[], None)
        });
    }
    for path in candidates.iter().filter(|path| path.starts_with('/')).chain(&named) {
        if let Some(file) = walk.look(path).file() {
            read(walk, &file, call.span, reading);
        }
    }
}

/// `file(REMOVE …)`, `file(DOWNLOAD …)`, `file(WRITE …)`.
fn change_files(walk: &mut dyn Host, call: &Call, words: &[String], here: &str) {
    let first = words.first().map_or("", String::as_str);
    match first {
        "REMOVE_RECURSE" | "REMOVE" => {
            let mut line = vec!["rm".to_owned(), "-rf".to_owned(), "--".to_owned()];
            let each = words.iter().skip(1).flat_map(|word| word.split(';'));
            // What a pattern found before, and what the environment names.
            let (chosen, plain): (Vec<&str>, Vec<&str>) =
                each.partition(|word| word.contains('*') || word.contains("${HOME}"));
            line.extend(plain.into_iter().map(|word| project::joined(here, word)));
            if line.len() > 3 {
                run(walk, call, &[line], Certainty::Certain);
            }
            for word in chosen {
                let word = word.strip_suffix('/').unwrap_or(word);
                let is_plain = |it: char| it.is_alphanumeric() || "_./*?-${}".contains(it);
                let word = if word.starts_with('$') {
                    word.to_owned()
                } else {
                    project::joined(here, word)
                };
                let word: String = word
                    .chars()
                    .flat_map(|it| [Some('\\').filter(|_| !is_plain(it)), Some(it)])
                    .flatten()
                    .collect();
                let code = Text::known(format!("rm -rf -- {word}"));
                walk.shell(&code, call.span, &[], None);
            }
        }
        "DOWNLOAD" => {
            if let (Some(from), Some(to)) = (words.get(1), words.get(2)) {
                let line =
                    ["curl", "-fsSL", "-o", to.as_str(), from.as_str()].map(str::to_owned).to_vec();
                run(walk, call, &[line], Certainty::Certain);
            }
        }
        "UPLOAD" => {
            if let (Some(from), Some(to)) = (words.get(1), words.get(2)) {
                let file = project::joined(here, from);
                let line =
                    ["curl", "-sS", "-T", file.as_str(), to.as_str()].map(str::to_owned).to_vec();
                run(walk, call, &[line], Certainty::Certain);
            }
        }
        "WRITE" | "APPEND" => {
            if let Some(to) = words.get(1) {
                let content = words.get(2..).unwrap_or_default().join("");
                let option = if first == "APPEND" { "-a" } else { "--" };
                let line = project::arguments(
                    &["tee", option, project::joined(here, to).as_str()],
                    call.span,
                );
                walk.run(&line, Some(Text::known(content)));
            }
        }
        _ => {}
    }
}

/// Sources from elsewhere, and the commands that build them.
fn fetch(walk: &mut dyn Host, call: &Call, words: &[String]) {
    for (at, word) in words.iter().enumerate() {
        let Some(value) = words.get(at + 1) else { break };
        match word.as_str() {
            "URL" if value.contains("://") => {
                let line = ["curl", "-fsSL", "-O", value.as_str()].map(str::to_owned).to_vec();
                run(walk, call, &[line], Certainty::Likely);
            }
            "GIT_REPOSITORY" => {
                let line = ["git", "clone", value.as_str()].map(str::to_owned).to_vec();
                run(walk, call, &[line], Certainty::Likely);
            }
            "CONFIGURE_COMMAND" | "BUILD_COMMAND" | "INSTALL_COMMAND" | "UPDATE_COMMAND"
            | "PATCH_COMMAND" | "TEST_COMMAND" => {
                let rest = words.get(at + 1..).unwrap_or_default();
                let line: Vec<String> =
                    rest.iter().take_while(|word| !is_keyword(word)).cloned().collect();
                run(walk, call, &[line], Certainty::Likely);
            }
            _ => {}
        }
    }
}

fn run(walk: &mut dyn Host, call: &Call, commands: &[Vec<String>], certainty: Certainty) {
    for command in
        commands.iter().filter(|command| command.first().is_some_and(|it| !it.is_empty()))
    {
        let home = walk.facts().home.clone().unwrap_or_else(|| "${HOME}".to_owned());
        let mut command: Vec<String> =
            command.iter().map(|word| word.replace("${HOME}", &home)).collect();
        // A target that a module of CMake imports ("FindPython3").
        if let Some(program) = command.first_mut()
            && program.starts_with("Python")
            && program.ends_with("::Interpreter")
        {
            "python3".clone_into(program);
        }
        walk.at_most(certainty, |walk| walk.run(&project::arguments(&command, call.span), None));
    }
}

fn is_keyword(word: &str) -> bool {
    word.len() > 1
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        && word.contains(|letter: char| letter.is_ascii_uppercase())
}

/// The commands behind each `COMMAND`, up to the next word of the language's own.
fn commands(words: &[String]) -> Vec<Vec<String>> {
    let mut commands: Vec<Vec<String>> = Vec::new();
    let mut is_in = false;
    for word in words {
        if word == "COMMAND" {
            commands.push(Vec::new());
            is_in = true;
        } else if KEYWORDS.contains(&word.as_str()) {
            is_in = false;
        } else if is_in && let Some(command) = commands.last_mut() {
            command.push(word.clone());
        }
    }
    commands
}

/// Words of `execute_process`, `add_custom_command` and `add_custom_target` that end a command.
const KEYWORDS: &[&str] = &[
    "ALL",
    "APPEND",
    "ARGS",
    "BYPRODUCTS",
    "COMMAND_ECHO",
    "COMMAND_ERROR_IS_FATAL",
    "COMMAND_EXPAND_LISTS",
    "COMMENT",
    "CONFIGURATIONS",
    "DEPENDS",
    "DEPFILE",
    "ECHO_ERROR_VARIABLE",
    "ECHO_OUTPUT_VARIABLE",
    "ENCODING",
    "ERROR_FILE",
    "ERROR_QUIET",
    "ERROR_STRIP_TRAILING_WHITESPACE",
    "ERROR_VARIABLE",
    "IMPLICIT_DEPENDS",
    "INPUT_FILE",
    "JOB_POOL",
    "MAIN_DEPENDENCY",
    "OUTPUT_FILE",
    "OUTPUT_QUIET",
    "OUTPUT_STRIP_TRAILING_WHITESPACE",
    "OUTPUT_VARIABLE",
    "POST_BUILD",
    "PRE_BUILD",
    "PRE_LINK",
    "RESULTS_VARIABLE",
    "RESULT_VARIABLE",
    "SOURCES",
    "TIMEOUT",
    "USES_TERMINAL",
    "VERBATIM",
    "WORKING_DIRECTORY",
];

/// `${NAME}` as the files set it so far; what nobody set is left as a variable of the shell would be.
fn filled(word: &str, variables: &BTreeMap<String, String>) -> String {
    if !word.contains('$') {
        return word.to_owned();
    }
    let mut filled = String::new();
    let mut rest = word;
    while let Some((before, after)) = rest.split_once("${") {
        filled.push_str(before);
        let (name, next) = after.split_once('}').unwrap_or((after, ""));
        match variables.get(name) {
            Some(value) if filled.len() < 1 << 16 => filled.push_str(value),
            _ if name == "CMAKE_COMMAND" => filled.push_str("cmake"),
            _ if name.starts_with("Python") && name.ends_with("EXECUTABLE") => {
                filled.push_str("python3")
            }
            _ => filled.push_str(&format!("${{{name}}}")),
        }
        rest = next;
    }
    filled.push_str(rest);
    // The environment's own.
    filled.replace("$ENV{", "${")
}

/// The calls of a file, and whether there were more.
fn calls(text: &str) -> (Vec<Call>, bool) {
    let mut calls: Vec<Call> = Vec::new();
    let mut at = 0;
    let rest = |at: usize| text.get(at..).unwrap_or_default();
    while let Some(letter) = rest(at).chars().next() {
        if let Some(length) = comment(rest(at)) {
            at += length;
            continue;
        }
        if !(letter.is_ascii_alphabetic() || letter == '_') {
            at += letter.len_utf8();
            continue;
        }
        let word = rest(at)
            .find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'))
            .unwrap_or(rest(at).len());
        let name = rest(at).get(..word).unwrap_or_default().to_ascii_lowercase();
        let start = at;
        at += word;
        let blank = rest(at).len() - rest(at).trim_start_matches([' ', '\t']).len();
        if !rest(at + blank).starts_with('(') {
            continue;
        }
        at += blank + 1;
        let (words, length) = arguments(rest(at));
        at += length;
        if calls.len() >= CALLS {
            return (calls, true);
        }
        calls.push(Call { name, words, span: Span::new(start, at.min(text.len())) });
    }
    (calls, false)
}

/// How long the comment is that a text begins with.
fn comment(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('#')?;
    if let Some((_, length)) = bracketed(rest) {
        return Some(length + 1);
    }
    Some(text.find('\n').unwrap_or(text.len()))
}

/// `[[ … ]]`, `[==[ … ]==]`: what stands in it, and how long all of it is.
fn bracketed(text: &str) -> Option<(&str, usize)> {
    let inner = text.strip_prefix('[')?;
    let equals = inner.len() - inner.trim_start_matches('=').len();
    let body = inner.get(equals..)?.strip_prefix('[')?;
    let close = format!("]{}]", "=".repeat(equals.min(64)));
    let end = body.find(&close)?;
    let length = equals + 2 + end + close.len();
    let content = body.get(..end)?;
    Some((content.strip_prefix('\n').unwrap_or(content), length))
}

/// The words up to the bracket that closes, and how long that was.
fn arguments(text: &str) -> (Vec<String>, usize) {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut is_open = false;
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let letter = rest.chars().next().unwrap_or(' ');
        let ends = letter.is_whitespace() || matches!(letter, '(' | ')' | '#' | ';');
        if ends && (is_open || !word.is_empty()) {
            words.push(std::mem::take(&mut word));
            is_open = false;
        }
        if let Some((content, length)) = bracketed(rest).filter(|_| word.is_empty()) {
            words.push(content.to_owned());
            at += length;
            continue;
        }
        match letter {
            '#' => {
                at += comment(rest).unwrap_or(1);
                continue;
            }
            '(' => depth += 1,
            ')' if depth == 0 => return (words, at + 1),
            ')' => depth -= 1,
            '"' => {
                let mut letters = rest.char_indices().skip(1);
                is_open = true;
                let mut end = rest.len();
                while let Some((index, letter)) = letters.next() {
                    match letter {
                        '"' => {
                            end = index + 1;
                            break;
                        }
                        '\\' => match letters.next() {
                            Some((_, '\n')) | None => {}
                            Some((_, 'n')) => word.push('\n'),
                            Some((_, 't')) => word.push('\t'),
                            Some((_, escaped)) => word.push(escaped),
                        },
                        other => word.push(other),
                    }
                }
                at += end;
                continue;
            }
            '\\' => {
                let escaped = rest.chars().nth(1);
                word.extend(escaped);
                at += 1 + escaped.map_or(0, char::len_utf8);
                continue;
            }
            letter if letter.is_whitespace() || letter == ';' => {}
            other => word.push(other),
        }
        at += letter.len_utf8();
    }
    if is_open || !word.is_empty() {
        words.push(word);
    }
    (words, text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_their_words_in_each_spelling() {
        let text = "# c(\nproject(a LANGUAGES C)\nexecute_process(COMMAND sh -c [[a \"b\"]]\n  COMMAND d \"e f\" # g\n  OUTPUT_VARIABLE x)\n#[[ z() ]]\nif(NOT (A AND B))\nset(X \"${Y}/\\\"q\")\n";
        let (found, is_cut) = calls(text);
        assert!(!is_cut);
        let names: Vec<&str> = found.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(names, ["project", "execute_process", "if", "set"]);
        assert_eq!(commands(&found[1].words), [vec!["sh", "-c", "a \"b\""], vec!["d", "e f"]]);
        assert_eq!(found[3].words, ["X", "${Y}/\"q"]);
    }

    #[test]
    fn what_is_set_is_put_in() {
        let mut variables = BTreeMap::new();
        variables.insert("A".to_owned(), "b".to_owned());
        for (word, expected) in
            [("${A}/c", "b/c"), ("$ENV{HOME}", "${HOME}"), ("${Z}", "${Z}"), ("x", "x")]
        {
            assert_eq!(filled(word, &variables), expected);
        }
    }
}
