//! Code that several files make up: each half says nothing, and both together are what runs.

use super::Project;

const HALVES: &[(&str, &str)] = &[("a1", "rm -r"), ("a2", "@\n")];
const LINES: &[(&str, &str)] = &[("a1", "ls src\n"), ("a2", "@\n")];
const PYTHON: &[(&str, &str)] =
    &[("a1", "import shutil\nshutil.rmtree('/home/dev/work/shop/"), ("a2", "@')\n")];

const ALL: &str = "f ~";
const BUILD: &str = "f build";

pub(super) const PROJECTS: &[Project] = &[
    ("halves", HALVES, "cat a1 a2 | sh", ALL, BUILD),
    ("halves, bash", HALVES, "cat -- a1 a2 | bash -s", ALL, BUILD),
    ("halves, a file of their own", HALVES, "cat a1 a2 > r.sh; sh r.sh", ALL, BUILD),
    ("halves, added", HALVES, "cat a1 > r.sh; cat a2 >> r.sh; sh r.sh", ALL, BUILD),
    ("halves, a copy that grows", HALVES, "cp a1 r.sh; cat a2 >> r.sh; bash ./r.sh", ALL, BUILD),
    ("halves, standard input", HALVES, "cat a1 - < a2 | sh", ALL, BUILD),
    ("halves, a group", HALVES, "{ cat a1; cat a2; } | sh", ALL, BUILD),
    ("halves, a shell of their own", HALVES, "(cat a1; cat a2) | (sh)", ALL, BUILD),
    ("halves, a process", HALVES, "sh <(cat a1 a2)", ALL, BUILD),
    ("halves, sourced", HALVES, ". <(cat a1 a2)", ALL, BUILD),
    ("halves, a word", HALVES, "bash -c \"$(cat a1 a2)\"", ALL, BUILD),
    ("halves, two words", HALVES, "eval \"$(cat a1)$(cat a2)\"", ALL, BUILD),
    ("halves, printed", HALVES, "printf '%s%s' \"$(cat a1)\" \"$(cat a2)\" | sh", ALL, BUILD),
    ("halves, variables", HALVES, "x=$(cat a1); y=$(<a2); sh -c \"$x$y\"", ALL, BUILD),
    ("halves, passed on", HALVES, "cat a1 a2 | tee r.sh | sh", ALL, BUILD),
    ("halves, another environment", HALVES, "cat a1 a2 | env sh", ALL, BUILD),
    ("half and a word", &[("a1", "rm -r@")], "cat a1 - <<< '' | sh", ALL, BUILD),
    (
        "half and what is printed",
        &[("a1", "rm -rf "), ("Makefile", "all:\n\tcat a1 b | sh\nb:\n"), ("b", "@\n")],
        "make all",
        "~",
        "build",
    ),
    (
        "halves with ends of lines",
        &[("a1", "rm -r\n"), ("a2", "@\n")],
        "eval \"$(cat a1)$(cat a2)\"",
        ALL,
        BUILD,
    ),
    ("lines", LINES, "cat a1 a2 | sh", "rm -rf ~", "rm -rf build"),
    ("lines, eval", LINES, "eval \"$(cat a1 a2)\"", "rm -rf ~", "rm -rf build"),
    ("halves of python", PYTHON, "cat a1 a2 | python3", "../../..", "build"),
    ("halves of python, a word", PYTHON, "python3 -c \"$(cat a1 a2)\"", "../../..", "build"),
    ("halves of python, a process", PYTHON, "python3 <(cat a1 a2)", "../../..", "build"),
    (
        "halves of statements",
        &[("a1", "BEGIN;\nD"), ("a2", "@;\n")],
        "cat a1 a2 | psql app_dev",
        "ROP SCHEMA public CASCADE",
        "EALLOCATE ALL",
    ),
    (
        "statements of two files",
        &[("a1", "SELECT 1;\n"), ("a2", "@;\n")],
        "cat a1 a2 | psql app_dev",
        "DROP SCHEMA public CASCADE",
        "SELECT 2",
    ),
    ("two files for nobody", LINES, "cat a1 a2 | wc; sh a2", "rm -rf ~", "rm -rf build"),
];
