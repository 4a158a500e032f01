//! Agreement with the bash that is installed: what it accepts gives a tree without a broken place. Skipped where there is
//! no bash.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test may fail by panicking, and says what it skips"
)]

use std::process::{Command, Stdio};

use portcullis_syntax::shell::{UnparsedReason, parse};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

/// How many texts are made; each needs a process of its own.
const TEXTS: usize = 500;

/// What bash notices only when it runs the text, so that it accepts what is listed here as broken, or what it treats
/// otherwise by an option that may be set.
const LATER: &[(&str, &str)] = &[
    ("${", "a bad substitution is an error of expansion, not of syntax"),
    ("`", "what stands in backticks is parsed when it runs"),
    ("[[ ]]", "bash gives up on the whole text at an empty test, and does not say so"),
    ("@(", "an extended glob is refused or not by an option"),
];

const PIECES: &[&str] = &[
    "a",
    "b c",
    "x=1",
    "$x",
    "\"d $e\"",
    "'f'",
    "$(g)",
    "`h`",
    "${i:-j}",
    "$((1))",
    "((k))",
    "(l)",
    "{ m; }",
    "[[ n ]]",
    "if o; then p; fi",
    "for q in r; do s; done",
    "while t; do u; done",
    "case v in w) y;; esac",
    "f() { z; }",
    "function g { a; }",
    "coproc b",
    "time",
    "!",
    ";",
    "\n",
    "&",
    "&&",
    "||",
    "|",
    "|&",
    ">a",
    "2>&1",
    "<<<b",
    "<<E\nx\nE\n",
    "&>c",
    "<(d)",
    "{e,f}",
    "{1..3}",
    "*",
    "~",
    "# g\n",
    "then",
    "fi",
    "do",
    "done",
    "}",
    ")",
    "esac",
    ";;",
    "a=(b)",
    "c[0]=d",
    "declare a=(b)",
    "\\\n",
    "=~",
    "$'x'",
    "{fd}>a",
    "((",
    "))",
    "[[",
    "]]",
    "(",
    "{",
    "\"",
    "'",
    "`",
    "$(",
    "in",
    "\\",
];

#[test]
fn what_bash_accepts_has_no_broken_place() {
    let Some(verdicts) = bash_verdicts(&texts()) else {
        eprintln!("skipped: no bash");
        return;
    };
    let mut accepted = 0;
    let mut wrong = Vec::new();
    for (text, accepts) in verdicts {
        if !accepts || LATER.iter().any(|(mark, _)| text.contains(mark)) {
            continue;
        }
        accepted += 1;
        let broken =
            parse(&text).unparsed.iter().any(|unparsed| unparsed.reason == UnparsedReason::Syntax);
        if broken {
            wrong.push(format!("{text:?}"));
        }
    }
    assert!(wrong.is_empty(), "bash accepts, but broken here:\n{}", wrong.join("\n"));
    assert!(accepted > TEXTS / 20, "too few texts that bash accepts to tell: {accepted}");
}

/// Texts of a few pieces, the same in every run.
fn texts() -> Vec<String> {
    let mut runner = TestRunner::deterministic();
    let pieces = proptest::collection::vec(proptest::sample::select(PIECES), 1..7);
    (0..TEXTS).map(|_| pieces.new_tree(&mut runner).unwrap().current().join(" ")).collect()
}

/// Which of the texts bash accepts; nothing runs.
fn bash_verdicts(texts: &[String]) -> Option<Vec<(String, bool)>> {
    // For some errors inside `[[` bash complains and still exits with 0.
    let accepts = |text: &str| {
        let mut bash = Command::new("bash");
        bash.args(["--norc", "--noprofile", "-n", "-c", text]).stdin(Stdio::null());
        bash.output().map(|output| output.status.success() && output.stderr.is_empty())
    };
    if !accepts("true").ok()? {
        return None;
    }
    texts.iter().map(|text| Some((text.clone(), accepts(text).ok()?))).collect()
}
