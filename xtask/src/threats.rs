//! The threats' controls, and what was found from outside, proved: every test that the two tables name is there. The page of the first
//! is written by [`crate::docs`], the second one by hand.

use std::{collections::BTreeSet, fs, path::PathBuf};

use portcullis_core::threats;

use crate::command::{self, Failed, root};

/// The page with both tables.
const PAGE: &str = "THREAT_MODEL.md";

/// What stands above the table of what was found from outside.
const FOUND: &str = "## What was found from outside";

/// Checks that every control and everything that was found names tests, and that each of them is a test of the workspace.
pub(crate) fn check() -> Result<(), Failed> {
    check_found()?;
    let mut tests = 0;
    for (threat, control) in threats::proofs() {
        if control.tests.is_empty() {
            return Err(Failed::Broken(format!(
                "nothing proves that {} (`{}`)\nhelp: name a test in crates/portcullis-core/src/threats.rs",
                control.does, threat.name
            )));
        }
        for test in control.tests {
            tests += 1;
            let missing = || {
                Failed::Broken(format!(
                    "`{test}` is no test, and is named against `{}`\n\
                     help: correct it in crates/portcullis-core/src/threats.rs",
                    threat.name
                ))
            };
            let (file, name) = test.split_once("::").ok_or_else(missing)?;
            let text = command::read(&root().join("crates").join(file)).map_err(|_| missing())?;
            if !is_test(&text, name) {
                return Err(missing());
            }
        }
    }
    command::say(&format!("── {tests} tests prove what stands against the threats\n"));
    Ok(())
}

/// Checks the table of what was found from outside, whose tests have no file with them.
fn check_found() -> Result<(), Failed> {
    let page = command::read(&root().join(PAGE))?;
    let rows = found(page.split_once(FOUND).map_or("", |(_, table)| table));
    if rows.is_empty() {
        return Err(Failed::Broken(format!("`{PAGE}` has no table below `{FOUND}`")));
    }
    let texts = texts()?;
    let mut known = BTreeSet::new();
    for (what, tests) in &rows {
        if tests.is_empty() {
            return Err(Failed::Broken(format!("no test watches over `{what}` in `{PAGE}`")));
        }
        for test in tests {
            if !known.contains(test) && !texts.iter().any(|text| is_test(text, test)) {
                return Err(Failed::Broken(format!(
                    "`{test}` is no test, and is named for `{what}` in `{PAGE}`"
                )));
            }
            known.insert(test);
        }
    }
    command::say(&format!("── {} tests watch over what was found from outside\n", known.len()));
    Ok(())
}

/// The rows of a table: what was found, and the tests that are named for it.
fn found(table: &str) -> Vec<(&str, Vec<&str>)> {
    let rows = table.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let rows = rows.filter_map(|row| row.rsplit_once(" | ")).skip(1);
    rows.map(|(what, tests)| {
        let quoted = tests.split('`').skip(1).step_by(2);
        // A chore stands there with its words.
        (what, quoted.filter(|test| !test.starts_with("cargo ")).collect())
    })
    .collect()
}

/// The text of every source file of the crates.
fn texts() -> Result<Vec<String>, Failed> {
    let mut open: Vec<PathBuf> = vec![root().join("crates")];
    let mut texts = Vec::new();
    while let Some(folder) = open.pop() {
        let failed = |source| Failed::File { path: folder.clone(), source };
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                texts.push(command::read(&path)?);
            }
        }
    }
    Ok(texts)
}

/// Whether a text has a test: a function, or, in quotation marks, a row of tests that have a harness of their own.
fn is_test(text: &str, name: &str) -> bool {
    if name.starts_with('"') {
        let (attempt, row) = (format!("attempt({name},"), format!("({name},"));
        return text.lines().map(str::trim).any(|l| l.starts_with(&attempt) || l.starts_with(&row));
    }
    is_function(text, name)
}

/// Whether a text has a function of this name with a `#[test]` among the attributes before it, and no `#[ignore]`.
fn is_function(text: &str, name: &str) -> bool {
    let mut attributes = String::new();
    for line in text.lines().map(str::trim) {
        let begins = format!("fn {name}(");
        if line.starts_with(&begins)
            || line.strip_prefix("async ").is_some_and(|l| l.starts_with(&begins))
        {
            return (attributes.contains("#[test]") || attributes.contains("#[tokio::test"))
                && !attributes.contains("#[ignore");
        }
        if line.starts_with("#[") {
            attributes.push_str(line);
        } else if !line.starts_with("//") {
            attributes.clear();
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{found, is_test};

    #[test]
    fn the_rows_of_a_table_are_read_with_their_tests() {
        let table = "\n| what | tests |\n|---|---|\n| a `b` \\| c | `d`, `\"e f\"`, and `cargo xtask g` |\n| h | by hand |\n";
        let expected = vec![("a `b` \\| c", vec!["d", "\"e f\""]), ("h", vec![])];
        assert_eq!(found(table), expected);
    }

    #[test]
    fn only_what_is_run_is_a_test() {
        let text = "#[test]\nfn a() {}\n\nfn b() {}\n\n#[test]\n#[ignore]\nfn c() {}\n\n#[test]\n// why\n#[expect(x)]\nfn d() {}\n// fn e() {}\n";
        let rows = "    (\"a row\", a),\n    attempt(\"try it\", Files),\n    // (\"none\", b)\n";
        for (name, expected) in [("\"a row\"", true), ("\"try it\"", true), ("\"none\"", false)] {
            assert_eq!(is_test(rows, name), expected, "{name}");
        }
        for (name, expected) in
            [("a", true), ("b", false), ("c", false), ("d", true), ("e", false), ("f", false)]
        {
            assert_eq!(is_test(text, name), expected, "{name}");
        }
    }
}
