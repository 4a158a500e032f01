//! Text that repeats what opens something is cut off somewhere, in every language, long before the stack ends: a gate that
//! crashes has said nothing.

use portcullis_core::{
    action::Action,
    assessment::Coverage,
    call::ToolCall,
    facts::Facts,
    gate::{Gate, Judgement},
};
use serde_json::json;

/// What may stand before itself.
const OPENERS: &[&str] = &[
    "!",
    "! ",
    "~",
    "-",
    "- ",
    "+ ",
    "\\",
    "*",
    "**",
    "& ",
    "...",
    "@",
    "$",
    "<-",
    "not ",
    "new ",
    "await ",
    "typeof ",
    "return ",
    "yield ",
    "throw ",
    "my $",
    "local ",
    "defined ",
    "lambda: ",
    "lambda x: ",
    "x => ",
    "(x) => ",
    "function(){",
    "def f():",
    "if x:",
    "for x in y:",
    "(",
    "[",
    "{",
    "{'a':",
    "f(",
    "a.b(",
    "a[",
    "a if ",
    "a ? ",
    "a + ",
    "a = ",
    "a, ",
    "x=$(",
    "$(",
    "`",
    "\"$(",
    "${x:-",
    "$((",
    "<(",
    "[[ ( ",
    "[[ ! ",
    "(( ",
    "( ",
    "{ ",
    "if ",
    "while ",
    "case x in x) ",
    "for i in a; do ",
    "f() { ",
    "coproc ",
    "time ",
    "eval ",
    "command ",
    "exec ",
    "sudo ",
    "sudo gpg -d ",
    "env ",
    "env -S ",
    "xargs ",
    "timeout 5 ",
    "nohup ",
    "find . -exec ",
    "bash -c ",
    "sh -c '",
    "ssh h ",
    "docker run x ",
    "npx ",
    "watch ",
    "git -c alias.x=! ",
    "python3 -c ",
    "busybox ",
    "su -c ",
    "script -c ",
    "parallel ",
    "trap ",
    "alias a=",
    "cat <<A\n",
    "SELECT (",
    "SELECT * FROM (",
    "CASE WHEN ",
    "WITH a AS (",
    "NOT ",
    "EXISTS (",
    "a AND ",
    "BEGIN ",
    "exec('",
    "eval(\"",
    "f\"{",
    "`${",
    "#{",
    "%w(",
    "<<A\n",
    "begin ",
    "unless x ",
    "do { ",
    "sub { ",
    "fn() { ",
    "[x for x in ",
    "{**",
    "print(",
    "../",
    "a/",
    "a:",
    "{a,",
    "{1..9}",
    "%25",
    "\\x5c",
];

const LANGUAGES: &[&str] =
    &["python", "javascript", "ruby", "perl", "lua", "lisp", "powershell", "batch"];

fn judged(gate: &Gate, tool: &str, arguments: serde_json::Value) -> Option<Judgement> {
    let serde_json::Value::Object(arguments) = arguments else { return None };
    let call = ToolCall { tool: tool.to_owned(), arguments, ..ToolCall::default() };
    let action = Action::from_call(call).ok()?;
    Some(std::hint::black_box(gate.judge(&action, &Facts::default())))
}

#[test]
fn what_is_long_is_followed_only_so_often() {
    let gate = Gate::new(portcullis_core::policy::Policy::default());
    let code = format!("x = '/a/.b' * 10000\n{}", "open(x)\n".repeat(2_000));
    let script =
        format!("x=$(printf '/a/.b%.0s' {{1..5000}}); y=$x$x$x$x; {}", "cat $y; ".repeat(2_000));
    let deep = "'/home/dev/.ssh/id_rsa'.join(".repeat(12);
    for (tool, arguments, is_cut) in [
        ("code", json!({ "language": "python", "code": code }), true),
        ("bash", json!({ "command": script }), true),
        ("bash", json!({ "command": format!("cat {}", "*/".repeat(50_000)) }), true),
        ("bash", json!({ "command": format!("cat ~/{}.ssh/id_rsa", "*/../".repeat(800)) }), true),
        ("bash", json!({ "command": format!("cat {}", "/.a".repeat(20_000)) }), false),
        ("code", json!({ "language": "python", "code": format!("x = open(a.b(({deep}") }), false),
    ] {
        let judgement = judged(&gate, tool, arguments).unwrap();
        let is_partial = judgement.assessment.coverage != Coverage::Full;
        assert!(is_partial || !is_cut, "{tool}: {:?}", judgement.effects.gaps);
    }
}

#[test]
fn what_opens_again_and_again_is_cut_off() {
    // An eighth of what the main thread of a process has, and the frames of a test are larger than those of a release.
    let judging = std::thread::Builder::new().stack_size(1 << 20).spawn(|| {
        let gate = Gate::new(portcullis_core::policy::Policy::default());
        for opener in OPENERS {
            let text = opener.repeat(1_500 / opener.len());
            judged(&gate, "bash", json!({ "command": text }));
            judged(&gate, "sql", json!({ "query": text }));
            judged(&gate, "git_reset", json!({ "args": text, "mode": "hard" }));
            for language in LANGUAGES {
                judged(&gate, "code", json!({ "language": language, "code": text }));
            }
        }
    });
    judging.unwrap().join().unwrap();
}

#[test]
fn whatever_a_tool_is_given_for_a_path_or_an_address_is_read_once() {
    const PIECES: &[&str] =
        &["", "/", "://", "a", "~/", "./", "..", "C:\\", "file:", "http:", "\\\\", "@", "?", " "];
    let judging = std::thread::Builder::new().stack_size(1 << 20).spawn(|| {
        let gate = Gate::new(portcullis_core::policy::Policy::default());
        for first in PIECES {
            for second in PIECES {
                for third in PIECES {
                    let text = format!("{first}{second}{third}b");
                    for name in ["path", "url", "destination", "x"] {
                        judged(
                            &gate,
                            "mcp__files__move_file",
                            json!({ name: text, "content": "c" }),
                        );
                        judged(&gate, "mcp__x__fetch", json!({ name: text }));
                    }
                }
            }
        }
    });
    judging.unwrap().join().unwrap();
}
