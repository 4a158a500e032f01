//! The threats' controls, proved: every test that the table names is there. The page is written by [`crate::docs`].

use portcullis_core::threats;

use crate::command::{self, Failed, root};

/// Checks that every control names tests, and that each of them is a test of the workspace.
pub(crate) fn check() -> Result<(), Failed> {
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
    use super::is_test;

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
