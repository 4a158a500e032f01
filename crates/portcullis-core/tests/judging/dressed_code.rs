//! Code does the same in whatever construct of Python or JavaScript it is dressed: no dressing lets through what is asked about by
//! itself, and what is harmless stays harmless in it.
//!
//! The dressings stand in `dressed_code/`, one after the other with `%%` between them. In them stands `M` for a module, `N` for the name
//! of a function in it, `F` for both, `P` for what it is given; `Z` is that without quotes, `B` in base64, `H` in hexadecimal, `R` from
//! behind, `O` as the numbers of its characters.

use data_encoding::{BASE64, HEXLOWER};
use portcullis_core::decision::Verdict;

use crate::at_app::verdict_of_code;

/// A module, a function in it, something harmful that it is given, and a harmless twin.
type Deed = (&'static str, &'static str, &'static str, &'static str);

const PYTHON: &[Deed] = &[
    ("shutil", "rmtree", "/home/dev/Documents", "./build"),
    ("os", "remove", "/home/dev/.bashrc", "./build/out.txt"),
    ("os", "system", "rm -rf ~", ""),
];

const JAVASCRIPT: &[Deed] = &[
    ("fs", "unlinkSync", "/home/dev/.bashrc", "./dist/out.txt"),
    ("child_process", "execSync", "rm -rf ~", ""),
];

/// What is dressed once more: `D` stands for what is dressed already, `I` for that further in.
const AROUND_PYTHON: &[&str] = &[
    "D",
    "if True:\nI",
    "def o():\nI\no()",
    "try:\nI\nexcept Exception:\n    pass",
    "for _ in range(1):\nI",
    "class K:\nI",
    "with open(\"x\") as fh:\nI",
];

const AROUND_JAVASCRIPT: &[&str] = &[
    "D",
    "{\nD\n}",
    "(() => {\nD\n})()",
    "try {\nD\n} catch (e) {}",
    "for (let i0 = 0; i0 < 1; i0++) {\nD\n}",
    "(async () => {\nD\n})()",
];

/// Puts what the letters stand for in their places, where they are words of their own.
fn dressed(dressing: &str, (module, name, _, _): Deed, given: &str) -> String {
    let is_word =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = dressing.as_bytes();
    let mut code = String::new();
    for (at, letter) in dressing.char_indices() {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        if is_word(before) || is_word(bytes.get(at + letter.len_utf8())) {
            code.push(letter);
            continue;
        }
        match letter {
            'M' => code.push_str(module),
            'N' => code.push_str(name),
            'F' => code.push_str(&format!("{module}.{name}")),
            'P' => code.push_str(&format!("'{given}'")),
            'Z' => code.push_str(given),
            'B' => code.push_str(&BASE64.encode(given.as_bytes())),
            'H' => code.push_str(&HEXLOWER.encode(given.as_bytes())),
            'R' => code.extend(given.chars().rev()),
            'O' => code.push_str(&format!("{:?}", given.bytes().collect::<Vec<_>>())),
            letter => code.push(letter),
        }
    }
    code
}

fn around(outer: &str, code: &str) -> String {
    let inner: Vec<String> = code.lines().map(|line| format!("    {line}")).collect();
    let lines = outer.lines().map(|line| match line {
        "D" => code.to_owned(),
        "I" => inner.join("\n"),
        line => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn judge_all(tool: &str, dressings: &str, deeds: &[Deed], outers: &[&str]) {
    let mut wrong = Vec::new();
    let mut judged = 0;
    for deed in deeds {
        for dressing in dressings.trim_end().split("\n%%\n") {
            let code = dressed(dressing, *deed, deed.2);
            for outer in outers {
                judged += 1;
                let code = around(outer, &code);
                if verdict_of_code(tool, &code) == Some(Verdict::Allow) {
                    wrong.push(format!("let through:\n{code}"));
                }
            }
            let code = dressed(dressing, *deed, deed.3);
            if !deed.3.is_empty() && verdict_of_code(tool, &code) != Some(Verdict::Allow) {
                wrong.push(format!("stopped:\n{code}"));
            }
        }
    }
    assert!(judged > 1000, "the dressings are read: {judged}");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n---\n"));
}

#[test]
fn no_dressing_of_python_hides_what_it_does() {
    judge_all("python", include_str!("dressed_code/python.txt"), PYTHON, AROUND_PYTHON);
}

#[test]
fn no_dressing_of_javascript_hides_what_it_does() {
    let dressings = include_str!("dressed_code/javascript.txt");
    judge_all("javascript", dressings, JAVASCRIPT, AROUND_JAVASCRIPT);
}
