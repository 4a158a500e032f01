//! What the proxy costs: measured, and nothing held against it. `cargo xtask bench-mcp PROGRAM` prints it; the program to measure, where it is another than
//! the one that was built, is named by `PORTCULLIS_MEASURED`.

use std::{
    io::{BufRead as _, BufReader, Seek as _, Write as _},
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
const ROUNDS: usize = 5;
const WARM: usize = 400;

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

    fn once(&mut self) {
        self.call();
        self.answered();
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

fn at(all: &mut [Duration], percent: usize) -> Duration {
    all.sort();
    all[all.len() * percent / 100]
}

/// What one way of reaching a server takes.
struct Measured {
    start: Vec<Duration>,
    call: Vec<Duration>,
    rates: Vec<f64>,
    talk: Talk,
}

impl Measured {
    fn begin(command: &dyn Fn() -> Command) -> Self {
        let mut talk = Talk::begin(command());
        talk.send("tools/list", &json!({}));
        talk.read();
        // The first calls make files grow that later ones write over.
        (0..WARM).for_each(|_| talk.once());
        Self { start: Vec::new(), call: Vec::new(), rates: Vec::new(), talk }
    }

    fn round(&mut self, command: &dyn Fn() -> Command) {
        for _ in 0..STARTS / ROUNDS {
            let begun = Instant::now();
            drop(Talk::begin(command()));
            self.start.push(begun.elapsed());
        }
        let talk = &mut self.talk;
        for _ in 0..CALLS / ROUNDS {
            let begun = Instant::now();
            talk.once();
            self.call.push(begun.elapsed());
        }
        let begun = Instant::now();
        (0..AT_ONCE).for_each(|_| talk.call());
        for _ in AT_ONCE..CALLS / ROUNDS {
            talk.answered();
            talk.call();
        }
        (0..AT_ONCE).for_each(|_| talk.answered());
        let calls = f64::from(u32::try_from(CALLS / ROUNDS).unwrap());
        self.rates.push(calls / begun.elapsed().as_secs_f64());
    }

    #[expect(clippy::print_stdout, reason = "it is what this is for")]
    fn print(mut self, what: &str) {
        self.rates.sort_by(f64::total_cmp);
        let (start, call) = (at(&mut self.start, 50), at(&mut self.call, 50));
        let (quickest, slow) = (at(&mut self.call, 10), at(&mut self.call, 99));
        let (rate, best) = (self.rates[ROUNDS / 2], self.rates[ROUNDS - 1]);
        println!(
            "{what}: start {start:.1?}; a call {call:.2?} at the median, {quickest:.2?} at p10, {slow:.2?} at p99; \
             {rate:.0} calls a second with {AT_ONCE} at once, {best:.0} in the best round"
        );
    }
}

/// What a write of one record to this disk takes until it survives a loss of power, with nothing else around it.
#[expect(clippy::print_stdout, reason = "it is what this is for")]
fn measure_disk(folder: &std::path::Path) {
    let mut file = std::fs::File::create(folder.join("disk")).unwrap();
    file.write_all(&vec![0; 8 << 20]).unwrap();
    file.sync_all().unwrap();
    file.rewind().unwrap();
    let mut syncs: Vec<Duration> = (0..400)
        .map(|_| {
            let begun = Instant::now();
            file.write_all(&[1; 16 << 10]).unwrap();
            file.sync_data().unwrap();
            begun.elapsed()
        })
        .collect();
    let (median, slow) = (at(&mut syncs, 50), at(&mut syncs, 99));
    println!("16 kB written over and synced: {median:.2?} at the median, {slow:.2?} at p99");
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
    measure_disk(&place.server());
    let (mut alone, mut behind) = (Measured::begin(&direct), Measured::begin(&proxied));
    // In turns: other people's work on the machine comes and goes.
    for _ in 0..ROUNDS {
        alone.round(&direct);
        behind.round(&proxied);
    }
    alone.print("the server alone");
    behind.print("behind the proxy");
}
