//! Variables of the environment that programs with a manual obey: what the ones hold that have a meaning, and which names there
//! are at all. Of a program's own variables (`GIT_…` for git) a name that no manual has is not understood.
//!
//! Sources: git(1) and its kin, ansible-config(1), The Cargo Book, docker(1), `gh help environment`, `helm help`, ld.so(8), less(1),
//! man(1), node(1), perlrun(1), python(1), rsync(1), ruby(1), ssh(1), tar(1), Terraform's "Environment Variables", uv's.

mod families;
mod holders;

use portcullis_syntax::Span;

use families::FAMILIES;
use holders::{HOLDERS, Holds};

use super::by_manual::{loaded, named_program, options_in_variable, script};
use crate::{
    effect::{Argument, GapReason, WriteMode},
    programs::{escapes, host::Host, invocation::Invocation},
    text::{Piece, Text},
};

/// The variables that a program is given: those of its own that no manual has.
pub(super) fn follow(walk: &mut dyn Host, invocation: &Invocation) {
    // Files of compose hold variables that people name themselves.
    let is_own = |word: &Argument| matches!(word.text.as_known(), Some("compose" | "stack"));
    if invocation.program == "docker" && invocation.arguments.iter().any(is_own) {
        return;
    }
    for (name, _) in &invocation.environment {
        if is_unknown(&invocation.program, name) {
            walk.gap(invocation.span, GapReason::UnknownOption);
            return;
        }
    }
}

/// Whether a variable is one of a program's own, and no manual has it.
fn is_unknown(program: &str, name: &str) -> bool {
    let Some(family) = FAMILIES.iter().find(|family| name.starts_with(family.start)) else {
        return false;
    };
    let is_its = family.programs.is_empty() || family.programs.has(program).is_some();
    let is_numbered = ["CARGO_ALIAS_", "CARGO_FEATURE_", "CARGO_PROFILE_", "CARGO_REGISTRIES_"]
        .iter()
        .chain(&["CARGO_TARGET_", "CARGO_UNSTABLE_", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"])
        .chain(&["LESS_TERMCAP_", "TF_CLI_ARGS_", "TF_TOKEN_", "TF_VAR_", "UV_INDEX_"])
        .any(|start| name.starts_with(start));
    is_its
        && !is_numbered
        && family.known.has(name).is_none()
        && escapes::variable(name).is_none()
        && HOLDERS.binary_search_by(|(known, _)| (*known).cmp(name)).is_err()
}

/// What a variable holds that has a meaning.
pub(in crate::programs) fn held(walk: &mut dyn Host, name: &str, value: &Text, span: Span) {
    let holds = match HOLDERS.binary_search_by(|(known, _)| (*known).cmp(name)) {
        Ok(at) => HOLDERS.get(at).map(|(_, holds)| *holds),
        Err(_) => by_pattern(name),
    };
    let Some(holds) = holds else { return };
    let argument = Argument { text: value.clone(), span };
    let known = value.known_prefix();
    match holds {
        Holds::Callable if !matches!(known, "" | "0") && !is_debugger(known) => {
            walk.gap(span, GapReason::UnknownCode);
        }
        Holds::Callable => {}
        // `LUA_INIT=@FILE`
        Holds::Code("lua") if known.starts_with('@') => {
            let text = value.beginning_with(known.trim_start_matches('@'));
            script(walk, "lua", &Argument { text, span });
        }
        Holds::Code(language) => {
            walk.code(language, value, span, &[]);
        }
        Holds::Loads => loaded(walk, &argument),
        Holds::Options(program) => {
            let words = escapes::words_of(value, span);
            escapes::options_of(walk, program, &words);
            options_in_variable(walk, program, &words, span);
            if program == "java" {
                java_files(walk, &words);
            }
        }
        Holds::Piped => match known.strip_prefix('|') {
            Some(code) => {
                walk.shell(&value.beginning_with(code), span, &[], None);
            }
            None if is_path(known) => walk.write(&argument, WriteMode::Append, value.clone()),
            None => {}
        },
        Holds::Program => named_program(walk, &argument),
        Holds::Rustc => compiler(walk, value, span),
        Holds::Script => script(walk, "", &argument),
        Holds::Tape if known.contains(':') => walk.gap(span, GapReason::UnknownOption),
        Holds::Tape => {}
        // A number, a word or a descriptor says how much is told.
        Holds::Written if is_path(known) => {
            walk.write(&argument, WriteMode::Append, value.clone());
        }
        Holds::Written => {}
        Holds::Filled if is_path(known) => {
            walk.write(&argument, WriteMode::Create, Text::default());
        }
        Holds::Filled => {}
        Holds::Named => {
            for part in known.split([' ', ':', '=', ',', ';']).filter(|part| is_path(part)) {
                let text = value.derive([Piece::Known(part.to_owned())]);
                walk.write(&Argument { text, span }, WriteMode::Append, value.derive([]));
            }
        }
    }
}

/// Whether a value can be nothing but a path: a number, a word or a descriptor says how much is told.
fn is_path(value: &str) -> bool {
    value.starts_with(['/', '~']) || value.contains('/') && !value.contains("://")
}

/// The files that Java is told to write: `-Xlog:gc:file=FILE`, `-XX:HeapDumpPath=FILE` (java(1), "Advanced Serviceability Options").
pub(super) fn java_files(walk: &mut dyn Host, words: &[Argument]) {
    const KEYS: &[&str] = &[
        "ArchiveClassesAtExit",
        "ErrorFile",
        "FlightRecorderOptions",
        "HeapDumpPath",
        "LogFile",
        "PerfDataSaveFile",
        "StartFlightRecording",
    ];
    for word in words {
        let known = word.text.known_prefix();
        let is_log = ["-Xlog", "-Xdump", "-Xrunhprof", "-Xtrace", "-agentlib:hprof"]
            .iter()
            .any(|start| known.starts_with(start));
        let key = known.strip_prefix("-XX:").and_then(|rest| rest.split('=').next());
        if !is_log && !key.is_some_and(|key| KEYS.contains(&key)) {
            continue;
        }
        for part in known.split([':', '=', ',']).filter(|part| is_path(part)) {
            let text = word.text.derive([Piece::Known(part.to_owned())]);
            let file = Argument { text, span: word.span };
            walk.write(&file, WriteMode::Append, Text::unknown("java"));
        }
    }
}

fn by_pattern(name: &str) -> Option<Holds> {
    if let Some(rest) = name.strip_prefix("CARGO_TARGET_") {
        return match rest.rsplit_once('_').map_or("", |(_, last)| last) {
            "LINKER" => Some(Holds::Program),
            "RUSTFLAGS" => Some(Holds::Rustc),
            _ => None,
        };
    }
    if name.starts_with("TF_CLI_ARGS_") {
        return Some(Holds::Options("terraform"));
    }
    // `MAVEN_OPTS`, `GRADLE_OPTS`, `SBT_OPTS`: what their starters hand to Java.
    let is_java =
        ["ANT", "CATALINA", "GRADLE", "JVM", "KAFKA", "LEIN_JVM", "MAVEN", "SBT", "SCALA"]
            .iter()
            .any(|start| name.strip_prefix(start) == Some("_OPTS"));
    is_java.then_some(Holds::Options("java"))
}

/// Debuggers that people set as their breakpoint.
fn is_debugger(callable: &str) -> bool {
    ["IPython.", "bpdb.", "ipdb.", "pdb.", "pdbr.", "pudb.", "remote_pdb.", "web_pdb.", "wdb."]
        .iter()
        .any(|start| callable.starts_with(start))
}

/// `-C linker=PROGRAM`, in one word or in two, and what Cargo's settings call the programs that it runs.
pub(super) fn compiler(walk: &mut dyn Host, flags: &Text, span: Span) {
    let known = flags.known_prefix();
    let marks = ["linker=", "runner=", "rustc=", "rustdoc=", "-wrapper=", "provider="];
    for (at, mark) in marks.iter().flat_map(|mark| known.match_indices(mark)) {
        let rest = known.get(at + mark.len()..).unwrap_or("");
        let rest = rest.trim_start_matches([' ', '"', '\'', '[']);
        let program = rest.split([' ', '\u{1f}', '"', '\'']).next().unwrap_or("");
        named_program(walk, &Argument { text: flags.beginning_with(program), span });
    }
    for mark in ["profile-generate=", "incremental="] {
        if let Some((_, rest)) = known.split_once(mark) {
            let directory = rest.split([' ', '\u{1f}']).next().unwrap_or("");
            let directory = Argument { text: flags.beginning_with(directory), span };
            walk.write(&directory, WriteMode::Create, Text::default());
        }
    }
    for mark in ["-Zcodegen-backend=", "-Z codegen-backend="] {
        if let Some((_, rest)) = known.split_once(mark) {
            let library = rest.split(' ').next().unwrap_or("");
            script(walk, "", &Argument { text: flags.beginning_with(library), span });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(HOLDERS.is_sorted_by_key(|row| row.0), "holders");
        assert!(FAMILIES.is_sorted_by_key(|row| row.start), "families");
        for family in FAMILIES {
            assert!(family.known.words().is_sorted(), "{}", family.start);
            assert!(family.programs.words().is_sorted(), "{}", family.start);
            for name in family.known.words() {
                assert!(name.starts_with(family.start), "{name}");
            }
        }
    }

    #[test]
    fn a_program_s_own_variable_that_no_manual_has_is_not_understood() {
        for (program, name, expected) in [
            ("git", "GIT_PAGER", false),
            ("git", "GIT_CONFIG_KEY_12", false),
            ("git", "GIT_FROBNICATE", true),
            ("make", "GIT_FROBNICATE", false),
            ("ls", "LD_ORIGIN_PATH", true),
            ("terraform", "TF_VAR_region", false),
            ("python3", "PYTHONPATH", false),
            ("python3", "PYTHONFROB", true),
            ("node", "NODE_ENV", false),
            ("cargo", "CARGO_PROFILE_RELEASE_LTO", false),
        ] {
            assert_eq!(is_unknown(program, name), expected, "{program} {name}");
        }
    }
}
