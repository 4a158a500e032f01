//! What a test puts something else in the place of for the modules that it loads: `@patch("a.b.subprocess.run")` above each test, `jest.mock("fs", …)` for
//! a whole file. Owns how that is found, and what such a module is then; where anything may reach the real one, nothing is put aside.

use super::outline;
use crate::programs::importing::Aside;

/// Words by which the real one may run after all, or what runs outlasts the test.
const REAL: &[&str] = &[
    "Process(",
    "Thread",
    "Timer",
    "__del__",
    "actual",
    "atexit",
    "create_task",
    "importActual",
    "importOriginal",
    "reload(",
    "requireActual",
    "side_effect=sub",
    "unmock",
    "wraps",
];

/// What the code of a test puts aside.
pub(super) fn found(language: &str, text: &str) -> Vec<Aside> {
    match language {
        "javascript" if text.contains(".mock(") && !is_real(text) => modules(text),
        "python" if text.contains("patch") && text.contains("mock") && !is_real(text) => {
            patched(text)
        }
        _ => Vec::new(),
    }
}

fn is_real(text: &str) -> bool {
    REAL.iter().any(|it| text.contains(it))
}

/// `jest.mock("fs", () => ({…}))`, `vi.mock("node:fs")`: hoisted above what the file takes in (jestjs.io, "jest.mock"; vitest.dev, "vi.mock").
fn modules(text: &str) -> Vec<Aside> {
    let mut found = Vec::new();
    for line in text.lines() {
        let Some(rest) = ["jest.mock(", "vi.mock("].iter().find_map(|it| line.strip_prefix(it))
        else {
            continue;
        };
        let Some(quote) = rest.chars().next().filter(|it| matches!(it, '"' | '\'')) else {
            continue;
        };
        let Some(name) = rest.get(1..).and_then(|it| it.split(quote).next()) else { continue };
        let name = name.strip_prefix("node:").unwrap_or(name);
        let behind = text.split_once(line).map_or("", |(_, behind)| behind);
        let own = rest.get(name.len()..).unwrap_or_default();
        let until = behind.split("\n\n").next().unwrap_or_default();
        let loads = ["require(", "import(", "spawnSync", "execSync("].iter().any(|it| {
            own.contains(it)
                || !own.trim_end().ends_with(';') && until.contains(&format!("=> {it}"))
        });
        if !name.starts_with('.') && !loads {
            found.push(Aside::Module(name.to_owned()));
        }
    }
    found
}

/// What is patched above each test of a file.
fn patched(text: &str) -> Vec<Aside> {
    let mut every: Option<Vec<String>> = None;
    let mut above: Vec<String> = Vec::new();
    let mut of_class: Vec<String> = Vec::new();
    for line in text.lines() {
        let bare = line.trim_start();
        if let Some(decorator) = bare.strip_prefix('@') {
            let target = ["patch(", "mock.patch(", "unittest.mock.patch("]
                .iter()
                .find_map(|it| decorator.strip_prefix(it))
                .and_then(|rest| rest.split(['"', '\'']).nth(1));
            above.extend(target.map(str::to_owned));
            continue;
        }
        let name = bare.strip_prefix("async ").unwrap_or(bare).strip_prefix("def ");
        if line.starts_with("class ") {
            of_class = std::mem::take(&mut above);
        } else if let Some(name) = name {
            let mut own = std::mem::take(&mut above);
            if bare.len() == line.len() {
                of_class.clear();
            }
            own.extend(of_class.iter().cloned());
            if name.starts_with("test") {
                every = Some(match every {
                    None => own,
                    Some(mut every) => {
                        every.retain(|it| own.contains(it));
                        every
                    }
                });
            } else if bare.len() == line.len() {
                // Another function may be called by anything: what it does is not known here.
                let is_fixture = text.contains("fixture");
                if !is_fixture {
                    return Vec::new();
                }
            }
        } else if bare.len() == line.len() && bare.contains('(') {
            // What the file does while it is loaded, nothing is patched for.
            let is_plain = ["from ", "import ", "class ", ")", "#", "pytestmark"]
                .iter()
                .any(|it| bare.starts_with(it));
            let is_value = bare.split_once('=').is_some_and(|(name, value)| {
                name.trim().bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
                    && value.trim_start().starts_with(['(', '[', '{', '"', '\''])
            });
            if !is_plain && !is_value {
                return Vec::new();
            }
        }
    }
    let mut found = Vec::new();
    for target in every.unwrap_or_default() {
        let parts: Vec<&str> = target.split('.').collect();
        if let [.., module, name] = parts.as_slice() {
            const SHARED: &[&str] = &[
                "Path",
                "ftplib",
                "httpx",
                "os",
                "path",
                "paramiko",
                "requests",
                "shutil",
                "smtplib",
                "socket",
                "subprocess",
                "request",
                "boto3",
            ];
            if SHARED.contains(module) {
                found.push(Aside::Shared(format!("{module}.{name}")));
            }
            let place = parts.get(..parts.len() - 1).unwrap_or_default().join("/");
            found.push(Aside::Own(place, (*name).to_owned()));
        }
    }
    found
}

/// A module as a test has it that puts these aside, as long as before; nothing where that changes nothing.
pub(super) fn without(language: &str, path: &str, text: &str, asides: &[Aside]) -> Option<String> {
    if asides.is_empty() || is_real(text) {
        return None;
    }
    let kept = match language {
        "javascript" => without_modules(text, asides),
        "python" => without_names(path, text, asides)?,
        _ => return None,
    };
    (kept != text).then_some(kept)
}

/// What takes in a module that is put aside takes in nothing.
fn without_modules(text: &str, asides: &[Aside]) -> String {
    let mut kept = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let named = asides.iter().find_map(|aside| {
            let Aside::Module(name) = aside else { return None };
            let spellings = [
                format!("'{name}'"),
                format!("\"{name}\""),
                format!("'node:{name}'"),
                format!("\"node:{name}\""),
            ];
            spellings.into_iter().find(|it| line.contains(it.as_str()))
        });
        let Some(name) = named else {
            kept.push_str(line);
            continue;
        };
        let nothing = |length: usize| format!("({{}}){}", " ".repeat(length.saturating_sub(4)));
        let call = format!("require({name})");
        let from = format!("from {name}");
        if line.contains(&call) {
            kept.push_str(&line.replace(&call, &nothing(call.len())));
        } else if line.starts_with("import ") && line.contains(&from) && !line.contains("type ") {
            let line = line.replacen("import ", "const  ", 1);
            let line = line.replace(&from, &format!("=    {}", nothing(name.len())));
            let line = line.replacen("* as ", "     ", 1).replace(" as ", " :  ");
            kept.push_str(&line);
        } else {
            kept.push_str(line);
        }
    }
    kept
}

/// Functions of a module in whose bodies the names stand for something that does nothing. What runs while it is loaded stays: nothing is patched then.
fn without_names(path: &str, text: &str, asides: &[Aside]) -> Option<String> {
    let bodies = outline::bodies(text)?;
    let mut kept = text.to_owned();
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
    for aside in asides {
        let (name, is_own) = match aside {
            Aside::Shared(name) => (name, false),
            Aside::Own(place, name) if path.ends_with(&format!("/{place}.py")) => (name, true),
            _ => continue,
        };
        for (at, _) in text.match_indices(name.as_str()) {
            let before = text.get(..at)?;
            let behind = text.get(at + name.len()..)?;
            let start = before.rfind(|it| !is_word(it)).map_or(0, |it| it + 1);
            let length = behind.find(|it| !is_word(it)).unwrap_or(behind.len());
            let head = text.get(start..at)?;
            // `os.path.expanduser` of `path.expanduser`, and nothing that only ends alike.
            let is_whole = match is_own {
                true => head.is_empty() && (length == 0 || behind.starts_with('.')),
                false => {
                    length == 0
                        && (head.is_empty()
                            || head.ends_with('.')
                                && matches!(head, "os." | "urllib." | "pathlib."))
                }
            };
            let is_called = behind.get(length..).is_some_and(|it| it.starts_with('('));
            let end = at + name.len() + length;
            if is_whole
                && is_called
                && bodies.iter().any(|body| body.contains(&at))
                && end - start >= 2
            {
                kept.replace_range(start..end, &format!("id{}", " ".repeat(end - start - 2)));
            }
        }
    }
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_each_test_patches_is_put_aside() {
        let text = "from unittest.mock import patch\nfrom a.b import c\n\n@patch(\"a.b.os.path.expanduser\", return_value=\"x\")\n@patch('a.b.subprocess.run')\ndef test_a(run, _):\n    c()\n";
        let asides = found("python", text);
        let module = "import os, subprocess\nsubprocess.run(['a'])\ndef c():\n    os.path.expanduser('~')\n    subprocess.run(['b'])\n    xsubprocess.run(['c'])\n    shutil.rmtree('d')\n";
        let kept = without("python", "/p/a/b.py", module, &asides).unwrap();
        assert_eq!(kept.len(), module.len());
        assert!(
            kept.contains("\nsubprocess.run(['a'])") && kept.contains("xsubprocess.run(['c'])")
        );
        assert!(!kept.contains("expanduser") && !kept.contains(" subprocess.run"), "{kept}");
        assert!(kept.contains("shutil.rmtree"));
        for more in
            ["def test_b():\n    c()\n", "c()\n", "# wraps=subprocess.run\n", "def f():\n    c()\n"]
        {
            assert!(found("python", &format!("{text}{more}")).is_empty(), "{more}");
        }
    }

    #[test]
    fn modules_that_a_test_makes_up_are_put_aside() {
        let asides = found(
            "javascript",
            "jest.mock('child_process', () => ({ execSync: jest.fn() }));\njest.mock(\"node:fs\");\njest.mock('./x');\n",
        );
        assert_eq!(
            asides,
            [Aside::Module("child_process".to_owned()), Aside::Module("fs".to_owned())]
        );
        let module = "const { execSync } = require('child_process');\nimport * as fs from 'node:fs';\nimport { rm as gone } from \"fs\";\nconst os = require('os');\n";
        let kept = without("javascript", "/p/a.js", module, &asides).unwrap();
        assert_eq!(kept.len(), module.len());
        assert!(
            !kept.contains("child_process") && !kept.contains("fs'") && !kept.contains("\"fs\""),
            "{kept}"
        );
        assert!(kept.contains("require('os')") && kept.contains("rm :  gone"), "{kept}");
        assert!(
            found("javascript", "jest.mock('fs', () => jest.requireActual('fs'));\n").is_empty()
        );
        assert!(found("javascript", "jest.mock('fs', () => require('fs-extra'));\n").is_empty());
    }
}
