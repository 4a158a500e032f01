//! Configurations that a call names itself: by a variable, by another home directory, by an option. Owns where each program looks for its own, and what of
//! it is run; what the program does with its options is said by its row. Sources: curl(1), wget(1), tmux(1), gpg-agent(1), vim's `:help startup`,
//! maven.apache.org "Configuring Apache Maven", kubernetes.io "Authenticating", go.dev "Environment variables", prove(1), gcc(1), java(1).

use portcullis_syntax::Span;

use super::{Starter, project, tree};
use crate::{
    bound::Bounded,
    effect::{Argument, Certainty},
    programs::{
        found::{File, Found},
        host::{Host, Unread},
        invocation::Invocation,
    },
    text::Text,
};

pub(super) static COMPILERS: Starter = Starter {
    programs: &["c++", "cc", "clang", "clang++", "g++", "gcc", "gfortran"],
    start: compiler,
};
pub(super) static CURL: Starter = Starter { programs: &["curl"], start: curl };
pub(super) static GO: Starter = Starter { programs: &["go"], start: go };
pub(super) static GPG: Starter = Starter { programs: &["gpg", "gpg2", "gpg-agent"], start: gpg };
pub(super) static JAVA: Starter = Starter { programs: &["java", "javac"], start: java };
pub(super) static KUBERNETES: Starter =
    Starter { programs: &["helm", "k9s", "kubectl", "oc"], start: kubernetes };
pub(super) static MAVEN: Starter = Starter { programs: &["mvn"], start: maven };
pub(super) static PROVE: Starter = Starter { programs: &["prove"], start: prove };
pub(super) static TMUX: Starter = Starter { programs: &["tmux"], start: tmux };
pub(super) static VIM: Starter = Starter { programs: &["nvim", "vi", "vim"], start: vim };
pub(super) static WGET: Starter = Starter { programs: &["wget"], start: wget };

/// How many lines of a configuration are read.
const LINES: usize = 512;

/// How many files of a folder are read.
const FILES: usize = 24;

/// What a variable of the program's environment holds, where this call says so.
fn variable(walk: &dyn Host, invocation: &Invocation, name: &str) -> Option<Text> {
    let given = invocation.environment.iter().find(|(variable, _)| variable == name);
    let text = given.map(|(_, value)| value.clone()).or_else(|| walk.variable_set(name))?;
    (!text.is_empty()).then_some(text)
}

/// A file below a directory that a variable of the call names.
fn below(walk: &mut dyn Host, invocation: &Invocation, name: &str, file: &str) -> Option<File> {
    let directory = variable(walk, invocation, name)?;
    let path = walk.target(&directory).path?;
    walk.look(&project::joined(&path, file)).file()
}

/// The lines of a file with where they stand, without blanks and comments.
fn lines(text: &str) -> Vec<(Span, &str)> {
    let mut at = 0;
    let mut found = Vec::new();
    for raw in text.split_inclusive('\n') {
        let line = raw.trim();
        let from = at + raw.len() - raw.trim_start().len();
        at += raw.len();
        if !line.is_empty() && !line.starts_with('#') {
            found.push((Span::new(from, from + line.len()), line));
        }
    }
    found
}

/// Runs the program with other words in front of its own.
fn again(walk: &mut dyn Host, invocation: &Invocation, words: &[String]) {
    let mut all = vec![invocation.name.clone()];
    all.extend(project::arguments(words, invocation.span));
    all.extend(invocation.arguments.iter().cloned());
    walk.run(&all, invocation.input.clone());
}

/// `CURL_HOME=. curl`: what stands there in `.curlrc` counts as behind `-K`.
fn curl(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["-q", "--disable"]) {
        return;
    }
    let places = [("CURL_HOME", ".curlrc"), ("XDG_CONFIG_HOME", "curlrc"), ("HOME", ".curlrc")];
    for (name, file) in places {
        if let Some(file) = below(walk, invocation, name, file) {
            again(walk, invocation, &["-q".to_owned(), "-K".to_owned(), file.path]);
            return;
        }
    }
}

/// `WGETRC=FILE wget`, `wget --config=FILE`: each line counts as behind `-e`.
fn wget(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--no-config"]) {
        return;
    }
    let named = project::option(&words, &["--config"]).map(Text::known);
    let named = named.or_else(|| variable(walk, invocation, "WGETRC"));
    let file = match named {
        Some(name) => walk.target(&name).path.and_then(|path| walk.look(&path).file()),
        None => below(walk, invocation, "HOME", ".wgetrc"),
    };
    let Some(file) = file else { return };
    let mut own = vec!["--no-config".to_owned()];
    for (_, line) in lines(&file.text).into_iter().at_most(LINES, walk, invocation.span) {
        let Some((key, value)) = line.split_once('=') else { continue };
        let value = value.trim();
        // What has an option of the same meaning is read as that one.
        let option = match key.trim().to_ascii_lowercase().replace(['-', '_'], "").as_str() {
            "bodyfile" => "--body-file",
            "input" => "--input-file",
            "outputdocument" => "--output-document",
            "dirprefix" => "--directory-prefix",
            "logfile" => "--output-file",
            "postfile" => "--post-file",
            "useaskpass" => "--use-askpass",
            _ => continue,
        };
        own.push(format!("{option}={value}"));
    }
    if own.len() > 1 {
        again(walk, invocation, &own);
    }
}

/// `tmux -f FILE`, `source-file FILE`: each line is a command of tmux; a buffer that is loaded and pasted is typed.
fn tmux(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let mut named: Vec<&str> = project::options(&words, &["-f"]);
    for pair in words.windows(2) {
        let [verb, file] = pair else { continue };
        match verb.as_str() {
            "source" | "source-file" => named.push(file),
            "load-buffer" | "loadb" => typed(walk, file, invocation.span),
            _ => {}
        }
    }
    if let Some(code) = words.iter().skip_while(|word| *word != "default-command").nth(1) {
        walk.at_likely(|walk| walk.shell(&Text::known(code.as_str()), invocation.span, &[], None));
    }
    for name in named {
        let Some(path) = walk.target(&Text::known(name)).path else { continue };
        let Some(file) = walk.look(&path).file() else { continue };
        walk.in_file(&file, "tmux", invocation.span, |walk| {
            let lines = lines(&file.text).into_iter();
            for (span, line) in lines.at_most(LINES, &mut Unread(walk), Span::default()) {
                walk.at_most(Certainty::Likely, |walk| {
                    walk.shell(&Text::known(format!("tmux {line}")), span, &[], None)
                });
            }
        });
    }
    keys(walk, invocation, &words);
}

/// What is typed into a shell: the text of a file, or letters that are given as numbers.
fn keys(walk: &mut dyn Host, invocation: &Invocation, words: &[String]) {
    let sends = words.iter().any(|word| matches!(word.as_str(), "send" | "send-keys"));
    let pastes = words.iter().any(|word| word.starts_with("paste"))
        && words.iter().any(|word| matches!(word.as_str(), "setb" | "set-buffer"));
    if !sends && !pastes {
        return;
    }
    for word in invocation.arguments.iter() {
        let text = walk.text_of_input(&word.text);
        if word.text.as_known().is_none() && text.as_known().is_some() || pastes {
            walk.at_likely(|walk| walk.shell(&text, word.span, &[], None));
        }
    }
    if sends && words.iter().any(|word| word == "-H") {
        let letters = words.iter().skip_while(|word| *word != "-H").skip(1);
        let bytes: Vec<u8> = letters.filter_map(|it| u8::from_str_radix(it, 16).ok()).collect();
        let code = Text::known(String::from_utf8_lossy(&bytes));
        walk.at_likely(|walk| walk.shell(&code, invocation.span, &[], None));
    }
}

fn typed(walk: &mut dyn Host, name: &str, span: Span) {
    let file = Argument { text: Text::known(name), span };
    walk.at_likely(|walk| walk.script("shell", &file, &[], None));
}

/// Another home has another `.vimrc`; a place that is put in front of its paths has other plugins.
fn vim(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--clean", "--help", "--version", "-h"]) {
        return;
    }
    for name in [".vimrc", ".vim/vimrc", ".config/nvim/init.vim"] {
        if let Some(file) = below(walk, invocation, "HOME", name) {
            walk.load("vim", &file.path, invocation.span);
        }
    }
    for word in &words {
        for mark in ["rtp", "runtimepath", "pp", "packpath"] {
            let Some((_, rest)) = word.split_once(mark) else { continue };
            let Some(place) = rest.trim_start_matches(['+', '^']).strip_prefix('=') else {
                continue;
            };
            let place = place.split([',', ' ', '|']).next().unwrap_or_default();
            let Some(root) = walk.target(&Text::known(place)).path else { continue };
            let mut folders = vec![format!("{root}/plugin"), format!("{root}/autoload")];
            folders.extend(["start", "opt"].map(|it| format!("{root}/pack/a/{it}")));
            for folder in folders {
                let Found::Directory(names) = walk.look(&folder) else { continue };
                let scripts = names.iter().filter(|name| name.ends_with(".vim"));
                for name in scripts.at_most(FILES, &mut Unread(walk), invocation.span) {
                    walk.load("vim", &format!("{folder}/{name}"), invocation.span);
                }
            }
        }
    }
    // `-c "so %"`, `-c 'norm "ayy@a'`: what is edited is run.
    let runs_it = |word: &String| {
        let is_sourced = ["so %", "so%", "source %", "sou %"].iter().any(|it| word.contains(it));
        is_sourced || word.contains("norm") && word.contains('@')
    };
    if !words.iter().any(runs_it) {
        return;
    }
    let values = ["-c", "--cmd", "-u", "-U", "-S", "-s", "-i"];
    for name in project::operands(&words, &values) {
        if name.starts_with('+') {
            continue;
        }
        if let Some(path) = walk.target(&Text::known(name)).path {
            walk.load("vim", &path, invocation.span);
        }
    }
}

/// `HOME=. mvn`: its starter reads `.mavenrc` there.
fn maven(walk: &mut dyn Host, invocation: &Invocation) {
    if let Some(file) = below(walk, invocation, "HOME", ".mavenrc") {
        walk.load("shell", &file.path, invocation.span);
    }
}

/// Programs that the files in a home of GnuPG name.
fn gpg(walk: &mut dyn Host, invocation: &Invocation) {
    const PROGRAMS: &[&str] = &[
        "agent-program",
        "dirmngr-program",
        "keyboxd-program",
        "photo-viewer",
        "pinentry-program",
        "scdaemon-program",
    ];
    let words = project::words(invocation);
    let named = project::option(&words, &["--homedir"]).map(Text::known);
    let Some(home) = named.or_else(|| variable(walk, invocation, "GNUPGHOME")) else { return };
    let Some(path) = walk.target(&home).path else { return };
    for file in project::all_in(walk, &path, &["gpg-agent.conf", "gpg.conf"]) {
        walk.in_file(&file, "gpg", invocation.span, |walk| {
            for (span, line) in lines(&file.text) {
                let line = line.trim_start_matches('-');
                let Some((key, value)) = line.split_once([' ', '=']) else { continue };
                if PROGRAMS.contains(&key) {
                    let code = Text::known(value.trim().trim_matches('"'));
                    walk.shell(&code, span, &[], None);
                }
            }
        });
    }
}

/// Programs by which a cluster's credentials are asked for.
fn kubernetes(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let named = project::option(&words, &["--kubeconfig"]).map(str::to_owned);
    let held = variable(walk, invocation, "KUBECONFIG");
    let held = held.and_then(|names| names.as_known().map(str::to_owned));
    for name in named.or(held).iter().flat_map(|names| names.split(':')) {
        let Some(path) = walk.target(&Text::known(name)).path else { continue };
        let Some(file) = walk.look(&path).file() else { continue };
        walk.in_file(&file, "kubeconfig", invocation.span, |walk| {
            let tree = project::whole(walk, tree::yaml(&file.text));
            let users = tree.root().and_then(|root| root.get("users"));
            for user in users.map(tree::Node::items).unwrap_or_default() {
                let Some(exec) = user.path(&["user", "exec"]) else { continue };
                let Some(program) = exec.text_of("command") else { continue };
                let mut line = vec![program.to_owned()];
                line.extend(exec.get("args").map(tree::Node::words).unwrap_or_default());
                walk.run(&project::arguments(&line, exec.span), None);
            }
        });
    }
}

/// `GOENV=FILE go build`: the compilers and the flags that it names.
fn go(walk: &mut dyn Host, invocation: &Invocation) {
    let Some(name) = variable(walk, invocation, "GOENV") else { return };
    let Some(file) = walk.target(&name).path.and_then(|path| walk.look(&path).file()) else {
        return;
    };
    walk.in_file(&file, "environment", invocation.span, |walk| {
        for (span, line) in lines(&file.text) {
            let Some((key, value)) = line.split_once('=') else { continue };
            match key.trim() {
                "AR" | "CC" | "CXX" | "FC" | "PKG_CONFIG" if value.contains(['/', ' ']) => {
                    walk.shell(&Text::known(value.trim()), span, &[], None);
                }
                "GOFLAGS" if value.contains("exec") => {
                    let mut line = vec!["go", "build"];
                    line.extend(value.split_whitespace());
                    walk.run(&project::arguments(&line, span), None);
                }
                _ => {}
            }
        }
    });
}

/// `.proverc`: options of its own.
fn prove(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--norc"]) {
        return;
    }
    let Some(root) = walk.directory().map(str::to_owned) else { return };
    let Some(file) = walk.look(&format!("{root}/.proverc")).file() else { return };
    let mut own = vec!["--norc".to_owned()];
    for (_, line) in lines(&file.text) {
        own.extend(line.split_whitespace().map(|word| word.trim_matches('"').to_owned()));
    }
    again(walk, invocation, &own);
}

/// `java @FILE`: its words; `java X.java`: the program is compiled and run (openjdk.org, "JEP 330").
fn java(walk: &mut dyn Host, invocation: &Invocation) {
    response(walk, invocation);
}

/// `gcc @FILE`: its words; `-B DIRECTORY` and `COMPILER_PATH`: where the compiler's own programs are looked for.
fn compiler(walk: &mut dyn Host, invocation: &Invocation) {
    response(walk, invocation);
    let words = project::words(invocation);
    let mut places: Vec<Text> =
        project::options(&words, &["-B"]).into_iter().map(Text::known).collect();
    places.extend(variable(walk, invocation, "COMPILER_PATH"));
    places.extend(variable(walk, invocation, "GCC_EXEC_PREFIX"));
    for place in places {
        let Some(path) = walk.target(&place).path else { continue };
        let path = path.trim_end_matches('/').to_owned();
        for name in ["as", "cc1", "cc1plus", "collect2", "cpp", "ld", "lto-wrapper"] {
            let program = format!("{path}/{name}");
            if walk.look(&program).file().is_some() {
                walk.run(&project::arguments(&[program.as_str()], invocation.span), None);
            }
        }
    }
}

/// The words of the files that stand behind `@`.
fn response(walk: &mut dyn Host, invocation: &Invocation) {
    let mut words = vec![invocation.name.clone()];
    let mut is_more = false;
    for word in invocation.arguments.iter() {
        let named = word.text.as_known().and_then(|known| known.strip_prefix('@'));
        let path = named.and_then(|name| walk.target(&Text::known(name)).path);
        match path.and_then(|path| walk.look(&path).file()) {
            Some(file) => {
                let own: Vec<&str> = file
                    .text
                    .split_whitespace()
                    .map(|word| word.trim_matches(['"', '\'']))
                    .filter(|word| !word.starts_with('@'))
                    .collect();
                words.extend(project::arguments(&own, word.span));
                is_more = true;
            }
            None => words.push(word.clone()),
        }
    }
    if is_more {
        walk.run(&words, invocation.input.clone());
    }
}
