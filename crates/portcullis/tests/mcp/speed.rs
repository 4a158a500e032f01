//! What the proxy costs: measured, and nothing held against it. `cargo test --release -p portcullis --test mcp -- --ignored --nocapture`; another program
//! than the one that was built is named by `PORTCULLIS_MEASURED`.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, Command, Stdio},
    time::{Duration, Instant},
};

use portcullis::pins::{Definition, Files, enrol};
use serde_json::{Value, json};

use super::Place;

/// A server that starts no program to answer.
const SERVER: &str = r#"
while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%,*}; id=${id%\}}
  case "$line" in
    *'"method":"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1"}}}\n' "$id" ;;
    *'"method":"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"read_note","description":"Reads a note.","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
    *'"method":"tools/call"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"a note"}]}}\n' "$id" ;;
  esac
done
"#;

const CALLS: usize = 2_000;
const AT_ONCE: usize = 32;
const STARTS: usize = 20;

struct Talk {
    child: Child,
    input: ChildStdin,
    output: BufReader<std::process::ChildStdout>,
    next: usize,
}

impl Talk {
    fn begin(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut talk = Self { child, input, output, next: 0 };
        talk.send("initialize", &json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}));
        talk.read();
        talk
    }

    fn send(&mut self, method: &str, params: &Value) {
        self.next += 1;
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"{method}\",\"params\":{params}}}\n",
            self.next
        );
        self.input.write_all(line.as_bytes()).unwrap();
    }

    fn read(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line
    }

    fn call(&mut self) {
        let params = json!({"name": "read_note", "arguments": {"id": self.next}});
        self.send("tools/call", &params);
    }

    fn answered(&mut self) {
        let line = self.read();
        assert!(line.contains("a note"), "{line}");
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn median(mut all: Vec<Duration>) -> Duration {
    all.sort();
    all[all.len() / 2]
}

#[expect(clippy::print_stdout, reason = "it is what this is for")]
fn measured(what: &str, command: &dyn Fn() -> Command) {
    let starts = (0..STARTS).map(|_| {
        let begun = Instant::now();
        drop(Talk::begin(command()));
        begun.elapsed()
    });
    let start = median(starts.collect());
    let mut talk = Talk::begin(command());
    talk.send("tools/list", &json!({}));
    talk.read();
    let calls = (0..CALLS).map(|_| {
        let begun = Instant::now();
        talk.call();
        talk.answered();
        begun.elapsed()
    });
    let call = median(calls.collect());
    let begun = Instant::now();
    (0..AT_ONCE).for_each(|_| talk.call());
    for _ in AT_ONCE..CALLS {
        talk.answered();
        talk.call();
    }
    (0..AT_ONCE).for_each(|_| talk.answered());
    let rate = f64::from(u32::try_from(CALLS).unwrap()) / begun.elapsed().as_secs_f64();
    println!(
        "{what}: start {start:.1?}, a call {call:.2?}, {rate:.0} calls a second with {AT_ONCE} at once"
    );
}

#[test]
#[ignore = "it measures, and holds nothing against what it finds"]
fn what_the_proxy_costs() {
    let place = Place::new();
    let script = place.server().join("fast.sh");
    std::fs::write(&script, SERVER).unwrap();
    let words = ["sh".to_owned(), script.display().to_string()];
    let files = Files::of(&place.state(), "fast").unwrap();
    enrol(&files, &Definition::of_command(&words), "ann").unwrap();
    let direct = || {
        let mut command = Command::new("sh");
        command.arg(&script);
        command
    };
    let proxied = || {
        let mut all = vec!["mcp", "proxy", "--server", "fast", "--wait", "0", "--"];
        all.extend(words.iter().map(String::as_str));
        let asked = place.command(&all);
        let Some(program) = std::env::var_os("PORTCULLIS_MEASURED") else { return asked };
        let mut command = Command::new(program);
        command.args(asked.get_args()).env_clear();
        command.envs(asked.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command
    };
    measured("the server alone", &direct);
    measured("behind the proxy", &proxied);
}
