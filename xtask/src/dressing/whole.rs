//! Ways to say a whole script in other words, whatever stands in it. Owns the texts; that they mean the same is asked of bash.

use super::Dressing;
use crate::differential::{base64, hex, quoted};

/// Each way with its name in the report.
pub(super) const WHOLE: &[Dressing] = &[
    Dressing {
        name: "bash -c",
        honest: true,
        dress: |script| Some(format!("bash -c {}", quoted(script))),
    },
    Dressing {
        name: "bash -ec",
        honest: true,
        dress: |script| Some(format!("bash -o pipefail -c {}", quoted(script))),
    },
    Dressing {
        name: "env bash -c",
        honest: true,
        dress: |script| Some(format!("env bash -c {}", quoted(script))),
    },
    Dressing {
        name: "env A=1",
        honest: true,
        dress: |script| Some(format!("env A_VARIABLE=1 bash -c {}", quoted(script))),
    },
    Dressing {
        name: "nohup",
        honest: true,
        dress: |script| Some(format!("nohup bash -c {}", quoted(script))),
    },
    Dressing {
        name: "timeout",
        honest: true,
        dress: |script| Some(format!("timeout 600 bash -c {}", quoted(script))),
    },
    Dressing {
        name: "nice",
        honest: true,
        dress: |script| Some(format!("nice -n 5 bash -c {}", quoted(script))),
    },
    Dressing {
        name: "bash -c twice",
        honest: true,
        dress: |script| Some(format!("bash -c {}", quoted(&format!("bash -c {}", quoted(script))))),
    },
    Dressing {
        name: "cd . &&",
        honest: true,
        dress: |script| Some(format!("cd . && {{\n{script}\n}}")),
    },
    Dressing { name: "time", honest: true, dress: |script| Some(format!("time {{\n{script}\n}}")) },
    Dressing { name: "group", honest: true, dress: |script| Some(format!("{{\n{script}\n}}")) },
    Dressing { name: "subshell", honest: true, dress: |script| Some(format!("(\n{script}\n)")) },
    Dressing {
        name: "set -e before",
        honest: true,
        dress: |script| Some(format!("set -o pipefail\n{script}")),
    },
    Dressing {
        name: "echo before and after",
        honest: true,
        dress: |script| Some(format!("echo starting\n{script}\necho done")),
    },
    Dressing {
        name: "comment",
        honest: true,
        dress: |script| Some(format!("# what follows is needed\n{script}\n# done")),
    },
    Dressing {
        name: "if true",
        honest: true,
        dress: |script| Some(format!("if true; then\n{script}\nfi")),
    },
    Dressing {
        name: "if",
        honest: true,
        dress: |script| Some(format!("if [ -d . ]; then\n{script}\nfi")),
    },
    Dressing {
        name: "else",
        honest: false,
        dress: |script| Some(format!("if false; then :; else\n{script}\nfi")),
    },
    Dressing {
        name: "loop once",
        honest: true,
        dress: |script| Some(format!("for _once in 1; do\n{script}\ndone")),
    },
    Dressing {
        name: "while and break",
        honest: false,
        dress: |script| Some(format!("while true; do\n{script}\nbreak\ndone")),
    },
    Dressing {
        name: "case",
        honest: false,
        dress: |script| Some(format!("case x in\n*)\n{script}\n;;\nesac")),
    },
    Dressing {
        name: "function",
        honest: true,
        dress: |script| Some(format!("main() {{\n{script}\n}}\nmain")),
    },
    Dressing {
        name: "function in a subshell",
        honest: false,
        dress: |script| Some(format!("main() (\n{script}\n)\nmain")),
    },
    Dressing {
        name: "function that is exported",
        honest: false,
        dress: |script| Some(format!("main() {{\n{script}\n}}\nexport -f main; bash -c main")),
    },
    Dressing {
        name: "redefined function",
        honest: false,
        dress: |script| Some(format!("main() {{ :; }}\nmain() {{\n{script}\n}}\nmain")),
    },
    Dressing {
        name: "function of a function",
        honest: false,
        dress: |script| Some(format!("outer() {{ inner() {{\n{script}\n}}; }}; outer; inner")),
    },
    Dressing {
        name: "background",
        honest: false,
        dress: |script| Some(format!("{{\n{script}\n}} & wait")),
    },
    Dressing {
        name: "pipe",
        honest: false,
        dress: |script| Some(format!("{{\n{script}\n}} | cat")),
    },
    Dressing {
        name: "true &&",
        honest: false,
        dress: |script| Some(format!("true && {{\n{script}\n}}")),
    },
    Dressing {
        name: "false ||",
        honest: false,
        dress: |script| Some(format!("false || {{\n{script}\n}}")),
    },
    Dressing {
        name: "after a failed test",
        honest: false,
        dress: |script| Some(format!("[ -e no-such-file ] || {{\n{script}\n}}")),
    },
    Dressing {
        name: "trap EXIT",
        honest: false,
        dress: |script| {
            Some(format!("bash -c {}", quoted(&format!("trap {} EXIT", quoted(script)))))
        },
    },
    Dressing {
        name: "trap ERR",
        honest: false,
        dress: |script| Some(format!("(trap {} ERR; false; trap - ERR)", quoted(script))),
    },
    Dressing {
        name: "eval",
        honest: false,
        dress: |script| Some(format!("eval {}", quoted(script))),
    },
    Dressing {
        name: "eval of a variable",
        honest: false,
        dress: |script| Some(format!("code={}; eval \"$code\"", quoted(script))),
    },
    Dressing {
        name: "eval in two",
        honest: false,
        dress: |script| {
            let (left, right) = halves(script);
            Some(format!("a={}; b={}; eval \"$a$b\"", quoted(left), quoted(right)))
        },
    },
    Dressing {
        name: "+=",
        honest: false,
        dress: |script| {
            let (left, right) = halves(script);
            Some(format!("code={}; code+={}; bash -c \"$code\"", quoted(left), quoted(right)))
        },
    },
    Dressing {
        name: "array of code",
        honest: false,
        dress: |script| Some(format!("run=(bash -c {}); \"${{run[@]}}\"", quoted(script))),
    },
    Dressing {
        name: "associative array",
        honest: false,
        dress: |script| {
            Some(format!(
                "declare -A code=([x]={} [y]=none); eval \"${{code[x]}}\"",
                quoted(script)
            ))
        },
    },
    Dressing {
        name: "parameters",
        honest: false,
        dress: |script| Some(format!("set -- bash -c {}; \"$@\"", quoted(script))),
    },
    Dressing {
        name: "argument of a function",
        honest: false,
        dress: |script| Some(format!("run() {{ eval \"$1\"; }}; run {}", quoted(script))),
    },
    Dressing {
        name: "argument of a shell",
        honest: false,
        dress: |script| Some(format!("bash -c 'eval \"$1\"' _ {}", quoted(script))),
    },
    Dressing {
        name: "exported to a shell",
        honest: false,
        dress: |script| Some(format!("export code={}; bash -c 'eval \"$code\"'", quoted(script))),
    },
    Dressing {
        name: "given to a shell",
        honest: false,
        dress: |script| Some(format!("code={} bash -c 'eval \"$code\"'", quoted(script))),
    },
    Dressing {
        name: "printf -v",
        honest: false,
        dress: |script| Some(format!("printf -v code %s {}; eval \"$code\"", quoted(script))),
    },
    Dressing {
        name: "read",
        honest: false,
        dress: |script| {
            Some(format!(
                "IFS= read -r -d '' code <<'END_OF_CODE'\n{script}\nEND_OF_CODE\neval \"$code\""
            ))
        },
    },
    Dressing {
        name: "mapfile",
        honest: false,
        dress: |script| {
            Some(format!("mapfile code <<'END_OF_CODE'\n{script}\nEND_OF_CODE\nprintf -v all %s \"${{code[@]}}\"; eval \"$all\""))
            .filter(|_| script.lines().count() < 900)
        },
    },
    Dressing {
        name: "heredoc to bash",
        honest: false,
        dress: |script| Some(format!("bash <<'END_OF_CODE'\n{script}\nEND_OF_CODE")),
    },
    Dressing {
        name: "heredoc through cat",
        honest: false,
        dress: |script| Some(format!("cat <<'END_OF_CODE' | bash\n{script}\nEND_OF_CODE")),
    },
    Dressing {
        name: "here-string",
        honest: false,
        dress: |script| Some(format!("bash <<< {}", quoted(script))),
    },
    Dressing {
        name: "text piped to bash",
        honest: false,
        dress: |script| Some(format!("printf '%s\\n' {} | bash", quoted(script))),
    },
    Dressing {
        name: "descriptor",
        honest: false,
        dress: |script| Some(format!("exec 7<<< {}; bash <&7; exec 7<&-", quoted(script))),
    },
    Dressing {
        name: "/dev/fd",
        honest: false,
        dress: |script| Some(format!("bash /dev/fd/6 6<<< {}", quoted(script))),
    },
    Dressing {
        name: "process substitution",
        honest: false,
        dress: |script| Some(format!("bash <(printf '%s\\n' {})", quoted(script))),
    },
    Dressing {
        name: "sourced",
        honest: false,
        dress: |script| Some(format!("source <(printf '%s\\n' {})", quoted(script))),
    },
    Dressing {
        name: "source /dev/stdin",
        honest: false,
        // `read` would find an input that is read to its end, and nothing would follow it.
        dress: |script| {
            let reads = script.split_whitespace().any(|word| word == "read");
            (!reads).then(|| format!(". /dev/stdin <<'END_OF_CODE'\n{script}\nEND_OF_CODE"))
        },
    },
    Dressing {
        name: "coproc",
        honest: false,
        dress: |script| Some(format!("coproc {{\n{script}\n}}\nwait")),
    },
    Dressing {
        name: "substitution",
        honest: false,
        dress: |script| Some(format!(": \"$(\n{script}\n)\"")),
    },
    Dressing {
        name: "substitution in a default",
        honest: false,
        dress: |script| Some(format!(": \"${{no_such_variable:-$(\n{script}\n)}}\"")),
    },
    Dressing {
        name: "xargs -I",
        honest: false,
        dress: |script| {
            (!script.contains('\n'))
                .then(|| format!("xargs -0 -I% bash -c % < <(printf %s {})", quoted(script)))
        },
    },
    Dressing {
        name: "xargs -0",
        honest: false,
        dress: |script| Some(format!("printf '%s\\0' {} | xargs -0 bash -c", quoted(script))),
    },
    Dressing { name: "find -exec", honest: false, dress: exec_of_find },
    Dressing {
        name: "base64",
        honest: false,
        dress: |script| Some(format!("echo {} | base64 -d | bash", base64(script))),
    },
    Dressing {
        name: "base64 in eval",
        honest: false,
        dress: |script| Some(format!("eval \"$(base64 -d <<< {})\"", base64(script))),
    },
    Dressing {
        name: "base64 twice",
        honest: false,
        dress: |script| {
            Some(format!("echo {} | base64 -d | base64 -d | sh -c bash", base64(&base64(script))))
        },
    },
    Dressing {
        name: "xxd",
        honest: false,
        dress: |script| Some(format!("echo {} | xxd -r -p | bash", hex(script))),
    },
    Dressing {
        name: "rev",
        honest: false,
        dress: |script| {
            let reversed: String = script.chars().rev().collect();
            (!script.contains('\n')).then(|| format!("rev <<< {} | bash", quoted(&reversed)))
        },
    },
    Dressing {
        name: "tr",
        honest: false,
        dress: |script| {
            (!script.contains('Q')).then(|| {
                format!("printf '%s\\n' {} | tr Q e | bash", quoted(&script.replace('e', "Q")))
            })
        },
    },
    Dressing {
        name: "sed",
        honest: false,
        dress: |script| {
            (!script.contains('Q')).then(|| {
                format!(
                    "printf '%s\\n' {} | sed 's/QQ/e/g' | bash",
                    quoted(&script.replace('e', "QQ"))
                )
            })
        },
    },
    Dressing {
        name: "$'…' escapes",
        honest: false,
        dress: |script| {
            let escaped: String = script.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
            Some(format!("eval $'{escaped}'"))
        },
    },
    Dressing {
        name: "printf escapes",
        honest: false,
        dress: |script| {
            let escaped: String = script.bytes().map(|byte| format!("\\{byte:03o}")).collect();
            Some(format!("printf '{escaped}\\n' | bash"))
        },
    },
    Dressing {
        name: "echo -e",
        honest: false,
        dress: |script| {
            let escaped: String = script.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
            Some(format!("bash -c \"$(echo -e '{escaped}')\""))
        },
    },
    Dressing {
        name: "${x@Q}",
        honest: false,
        dress: |script| Some(format!("code={}; eval \"eval ${{code@Q}}\"", quoted(script))),
    },
    Dressing {
        name: "${x//p/r}",
        honest: false,
        dress: |script| {
            (!script.contains('Q')).then(|| {
                format!("code={}; eval \"${{code//Q/e}}\"", quoted(&script.replace('e', "Q")))
            })
        },
    },
    Dressing {
        name: "${x:n}",
        honest: false,
        dress: |script| {
            Some(format!("code={}; eval \"${{code:3}}\"", quoted(&format!("xyz{script}"))))
        },
    },
    Dressing {
        name: "lost variable",
        honest: false,
        dress: |script| {
            Some(format!(
                "code={}; (code=:); echo : | read -r code; eval \"$code\"",
                quoted(script)
            ))
        },
    },
    Dressing {
        name: "variable that may be another",
        honest: false,
        dress: |script| {
            Some(format!("code={}; [ -e no-such-file ] && code=:; eval \"$code\"", quoted(script)))
        },
    },
    Dressing {
        name: "late trap",
        honest: false,
        dress: |script| Some(format!("(trap 'eval \"$code\"' EXIT; code={})", quoted(script))),
    },
    Dressing {
        name: "shadowed eval",
        honest: false,
        dress: |script| Some(format!("eval() {{ :; }}; unset -f eval; eval {}", quoted(script))),
    },
    Dressing {
        name: "output of a function",
        honest: false,
        dress: |script| {
            Some(format!(
                "give() {{ printf '%s\\n' \"$1\"; }}; eval \"$(give {})\"",
                quoted(script)
            ))
        },
    },
];

/// A text cut in the middle.
fn halves(text: &str) -> (&str, &str) {
    let middle = text.len() / 2;
    let at = (middle..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    text.split_at(at)
}

/// `find` would put its path in the place of `{}`.
fn exec_of_find(script: &str) -> Option<String> {
    let is_kept = !script.contains("{}");
    is_kept.then(|| format!("find . -maxdepth 0 -exec bash -c {} \\;", quoted(script)))
}
