//! Text that repeats what opens something is cut off somewhere, in every language, long before the stack ends: a gate that
//! crashes has said nothing.

use portcullis_core::{action::Action, call::ToolCall, facts::Facts, gate::Gate};
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

const LANGUAGES: &[&str] = &["python", "javascript", "ruby", "perl", "lua", "lisp"];

fn judged(gate: &Gate, tool: &str, arguments: serde_json::Value) {
    let serde_json::Value::Object(arguments) = arguments else { return };
    let call = ToolCall { tool: tool.to_owned(), arguments, ..ToolCall::default() };
    if let Ok(action) = Action::from_call(call) {
        std::hint::black_box(gate.judge(&action, &Facts::default()));
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
