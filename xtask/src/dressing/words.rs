//! Ways to write a simple command of plain words. Owns the texts; that they mean the same is asked of bash.

use super::Dressing;
use crate::differential::{base64, hex, quoted};

/// Each way with its name in the report; none of them says anything where the script is more than plain words.
pub(super) const WORDS: &[Dressing] = &[
    Dressing {
        name: "command",
        honest: true,
        dress: |script| words(script).map(|words| format!("command {}", words.join(" "))),
    },
    Dressing {
        name: "env (words)",
        honest: true,
        dress: |script| words(script).map(|words| format!("env {}", words.join(" "))),
    },
    Dressing {
        name: "nohup (words)",
        honest: true,
        dress: |script| words(script).map(|words| format!("nohup {}", words.join(" "))),
    },
    Dressing {
        name: "time (words)",
        honest: true,
        dress: |script| words(script).map(|words| format!("time {}", words.join(" "))),
    },
    Dressing {
        name: "timeout (words)",
        honest: true,
        dress: |script| words(script).map(|words| format!("timeout 60 {}", words.join(" "))),
    },
    Dressing {
        name: "nice (words)",
        honest: true,
        dress: |script| words(script).map(|words| format!("nice {}", words.join(" "))),
    },
    Dressing {
        name: "variable before",
        honest: true,
        dress: |script| words(script).map(|words| format!("A_VARIABLE=1 {}", words.join(" "))),
    },
    Dressing {
        name: "redirected",
        honest: true,
        dress: |script| words(script).map(|words| format!("{} 2>&1", words.join(" "))),
    },
    Dressing {
        name: "backslash",
        honest: true,
        dress: |script| words(script).map(|words| format!("\\{}", words.join(" "))),
    },
    Dressing {
        name: "exec",
        honest: false,
        dress: |script| words(script).map(|words| format!("(exec {})", words.join(" "))),
    },
    Dressing {
        name: "quotes in the name",
        honest: false,
        dress: |script| {
            named(script, |name| {
                let (first, rest) = name.split_at_checked(1)?;
                Some(format!("{first}''{rest}\"\""))
            })
        },
    },
    Dressing {
        name: "backslashes in the name",
        honest: false,
        dress: |script| {
            named(script, |name| {
                Some(name.chars().flat_map(|character| ['\\', character]).collect())
            })
        },
    },
    Dressing {
        name: "escapes in the name",
        honest: false,
        dress: |script| {
            named(script, |name| {
                Some(format!(
                    "$'{}'",
                    name.bytes().map(|byte| format!("\\x{byte:02x}")).collect::<String>()
                ))
            })
        },
    },
    Dressing {
        name: "nothing in the name",
        honest: false,
        dress: |script| {
            named(script, |name| {
                let (first, rest) = name.split_at_checked(1)?;
                Some(format!("{first}${{no_such_variable}}{rest}"))
            })
        },
    },
    Dressing {
        name: "$@ in the name",
        honest: false,
        dress: |script| {
            named(script, |name| {
                let (first, rest) = name.split_at_checked(1)?;
                Some(format!("{first}$@{rest}"))
            })
        },
    },
    Dressing {
        name: "name in a variable",
        honest: false,
        dress: |script| {
            let words = words(script)?;
            let (name, rest) = words.split_first()?;
            Some(format!("run={name}; $run {}", rest.join(" ")))
        },
    },
    Dressing {
        name: "name in two variables",
        honest: false,
        dress: |script| {
            let words = words(script)?;
            let (name, rest) = words.split_first()?;
            let (left, right) = name.split_at_checked(1)?;
            Some(format!("a={left}; b={right}; ${{a}}$b {}", rest.join(" ")))
        },
    },
    Dressing {
        name: "name that is printed",
        honest: false,
        dress: |script| named(script, |name| Some(format!("$(printf %s {name})"))),
    },
    Dressing {
        name: "name in backticks",
        honest: false,
        dress: |script| named(script, |name| Some(format!("`echo {name}`"))),
    },
    Dressing {
        name: "name from base64",
        honest: false,
        dress: |script| named(script, |name| Some(format!("$(base64 -d <<< {})", base64(name)))),
    },
    Dressing {
        name: "name from hex",
        honest: false,
        dress: |script| named(script, |name| Some(format!("$(xxd -r -p <<< {})", hex(name)))),
    },
    Dressing {
        name: "name in capitals",
        honest: false,
        dress: |script| {
            let words = words(script)?;
            let (name, rest) = words.split_first()?;
            let is_lower = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
            is_lower.then(|| format!("run={}; ${{run,,}} {}", name.to_uppercase(), rest.join(" ")))
        },
    },
    Dressing {
        name: "default",
        honest: false,
        dress: |script| named(script, |name| Some(format!("${{no_such_variable:-{name}}}"))),
    },
    Dressing {
        name: "indirect",
        honest: false,
        dress: |script| {
            let words = words(script)?;
            let (name, rest) = words.split_first()?;
            Some(format!("run={name}; at=run; ${{!at}} {}", rest.join(" ")))
        },
    },
    Dressing {
        name: "array",
        honest: false,
        dress: |script| {
            words(script).map(|words| format!("run=({}); \"${{run[@]}}\"", words.join(" ")))
        },
    },
    Dressing {
        name: "array that grows",
        honest: false,
        dress: |script| {
            let words = words(script)?;
            let added: Vec<String> = words.iter().map(|word| format!("run+=({word})")).collect();
            Some(format!("run=(); {}; \"${{run[@]}}\"", added.join("; ")))
        },
    },
    Dressing {
        name: "parameters (words)",
        honest: false,
        dress: |script| words(script).map(|words| format!("set -- {}; \"$@\"", words.join(" "))),
    },
    Dressing {
        name: "IFS",
        honest: false,
        dress: |script| {
            let words = words(script)?;
            (!script.contains('@'))
                .then(|| format!("IFS=@; run={}; $run; unset IFS", words.join("@")))
        },
    },
    Dressing {
        name: "${IFS}",
        honest: false,
        dress: |script| words(script).map(|words| words.join("${IFS}")),
    },
    Dressing {
        name: "brace expansion",
        honest: false,
        dress: |script| {
            let words = words(script)?;
            (words.len() > 1 && !script.contains(',')).then(|| format!("{{{}}}", words.join(",")))
        },
    },
    Dressing {
        name: "xargs",
        honest: false,
        dress: |script| {
            let words = words(script)?;
            let (name, rest) = words.split_first()?;
            (!rest.is_empty()).then(|| format!("echo {} | xargs {name}", quoted(&rest.join(" "))))
        },
    },
    Dressing {
        name: "xargs of the name",
        honest: false,
        dress: |script| {
            words(script).map(|words| format!("echo {} | xargs env", quoted(&words.join(" "))))
        },
    },
    Dressing {
        name: "function of a name",
        honest: false,
        dress: |script| {
            words(script).map(|words| format!("run() {{ \"$@\"; }}; run {}", words.join(" ")))
        },
    },
    Dressing {
        name: "alias",
        honest: false,
        dress: |script| {
            let words = words(script)?;
            let (name, rest) = words.split_first()?;
            Some(format!("shopt -s expand_aliases\nalias run={name}\nrun {}", rest.join(" ")))
        },
    },
    Dressing {
        name: "alias that lies",
        honest: false,
        dress: |script| {
            let words = words(script)?;
            let name = words.first().filter(|name| !name.contains('/'))?;
            Some(format!("shopt -s expand_aliases\nalias {name}=true\n\\{}", words.join(" ")))
        },
    },
    Dressing {
        name: "function that is elsewhere",
        honest: false,
        dress: |script| {
            let words = words(script)?;
            let name = words.first().filter(|name| !name.contains('/'))?;
            let is_name =
                name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
            is_name.then(|| format!("{name}() {{ :; }}; bash -c {}", quoted(&words.join(" "))))
        },
    },
    Dressing {
        name: "function in a shell of its own",
        honest: false,
        dress: |script| {
            let words = words(script)?;
            let name = words.first().filter(|name| !name.contains('/'))?;
            let is_name =
                name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
            is_name.then(|| format!("({name}() {{ :; }}); {}", words.join(" ")))
        },
    },
    Dressing {
        name: "printf into bash",
        honest: false,
        dress: |script| {
            words(script).map(|words| format!("printf '%s ' {} | bash", words.join(" ")))
        },
    },
    Dressing {
        name: "read and run",
        honest: false,
        dress: |script| {
            words(script).map(|words| format!("read -r run <<< {}; $run", quoted(&words.join(" "))))
        },
    },
    Dressing {
        name: "read into an array",
        honest: false,
        dress: |script| {
            words(script).map(|words| {
                format!("read -ra run <<< {}; \"${{run[@]}}\"", quoted(&words.join(" ")))
            })
        },
    },
    Dressing {
        name: "while read",
        honest: false,
        dress: |script| {
            words(script).map(|words| {
                format!("while read -r a b; do $a $b; done <<< {}", quoted(&words.join(" ")))
            })
        },
    },
    Dressing {
        name: "sparse array",
        honest: false,
        dress: |script| {
            let words = words(script)?;
            let set: Vec<String> = words
                .iter()
                .enumerate()
                .map(|(at, word)| format!("run[{}]={word}", at * 3 + 2))
                .collect();
            Some(format!("{}; \"${{run[@]}}\"", set.join("; ")))
        },
    },
];

/// The words of a script that is one simple command of plain words.
fn words(script: &str) -> Option<Vec<&str>> {
    const KEYWORDS: &[&str] = &[
        "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if",
        "in", "select", "then", "time", "until", "while", "cd", "exec", "export", "source", "eval",
        "exit", "return", "set", "unset", "trap", "alias", "umask", "ulimit", "hash", "enable",
        "declare", "history", "shopt", "readonly", "local", "command", "builtin", "read", "type",
        "kill", "wait", "disown", "fc", "bind", "complete", "pushd", "popd", "test", "printf",
        "echo", "unalias", "nohup",
    ];
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" _./:=@%+,-".contains(&byte);
    if !script.bytes().all(is_plain) {
        return None;
    }
    let words: Vec<&str> = script.split_whitespace().collect();
    let name = words.first()?;
    (!name.contains('=') && name.len() > 1 && !KEYWORDS.contains(name)).then_some(words)
}

/// The script with its first word written in another way.
fn named(script: &str, write: impl FnOnce(&str) -> Option<String>) -> Option<String> {
    let words = words(script)?;
    let (name, rest) = words.split_first()?;
    let mut text = write(name)?;
    for word in rest {
        text.push(' ');
        text.push_str(word);
    }
    Some(text)
}
