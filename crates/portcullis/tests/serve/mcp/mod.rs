//! MCP servers behind the gateway: a client over HTTP on the loopback, and a server that is a script of the shell. Owns how both are made; what is
//! tried stands in the files beside this one.

mod asks;
mod confined;
mod gateways;
mod hostile;
mod login;
mod page;
mod remote;
mod sessions;
pub(super) mod stateless;
mod streams;

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    os::unix::fs::PermissionsExt as _,
    path::PathBuf,
    time::{Duration, Instant},
};

use portcullis::pins::{Definition, Files, enrol};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Answer, Gateway, PATIENCE};

/// A server of both eras with some tools. `calls` has a line for each call that reached it, `started` one for each process, and `ended` one for each that ended
/// by itself.
const SERVER: &str = r#"
cd "$(dirname "$0")" || exit 1
echo $$ >> started
say() { printf '%s\n' "$1"; }
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/^{"id":\("[^"]*"\|[0-9-]*\),.*/\1/p')
  case "$line" in
    *'"method":"initialize"'*)
      say '{"jsonrpc":"2.0","id":'"$id"',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"notes","version":"1"}}}' ;;
    *'"method":"server/discover"'*)
      if [ -e old ]; then say '{"jsonrpc":"2.0","id":'"$id"',"error":{"code":-32601,"message":"what?"}}'; else
      say '{"jsonrpc":"2.0","id":'"$id"',"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1"},"ttlMs":0,"cacheScope":"public"}}'; fi ;;
    *'"method":"tools/list"'*)
      description='Reads a note.'
      [ -e changed ] && description=$(cat changed)
      say '{"jsonrpc":"2.0","id":'"$id"',"result":{"resultType":"complete","tools":[{"name":"read_note","description":"'"$description"'","inputSchema":{"type":"object","properties":{"where":{"type":"string","x-mcp-header":"Where"}}}},{"name":"list_notes","description":"Lists the notes.","inputSchema":{"type":"object"}},{"name":"update_note","description":"Changes a note.","inputSchema":{"type":"object"}},{"name":"send_money","description":"Sends money to an account.","inputSchema":{"type":"object"}}]}}' ;;
    *'"method":"tools/call"'*)
      printf '%s\n' "$line" >> calls
      case "$line" in
        *'"how":"die"'*) exit 1 ;;
        *'"how":"hang"'*) : ;;
        *'"how":"flood"'*)
          i=0; while [ $i -lt 3000 ]; do say '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"flood"}}'; i=$((i+1)); done
          say '{"jsonrpc":"2.0","id":'"$id"',"result":{"content":[{"type":"text","text":"after the flood"}]}}' ;;
        *'"how":"progress"'*)
          token=$(printf '%s' "$line" | sed -n 's/.*"progressToken":\("[^"]*"\|[0-9]*\).*/\1/p')
          say '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":'"$token"',"progress":1}}'
          say '{"jsonrpc":"2.0","id":'"$id"',"result":{"content":[{"type":"text","text":"done"}]}}' ;;
        *'"how":"slow"'*)
          say '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":1}}'
          while [ ! -e go ]; do sleep 0.02; done
          say '{"jsonrpc":"2.0","id":'"$id"',"result":{"content":[{"type":"text","text":"done at last"}]}}'
          echo >> gone ;;
        *'"how":"tells"'*)
          what=$(printf '%s' "$line" | sed -n 's/.*"what":"\([a-z]*\)".*/\1/p')
          say '{"jsonrpc":"2.0","id":'"$id"',"result":{"content":[{"type":"text","text":"told"}]}}'
          say '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"'"$what"'"}}' ;;
        *'"how":"ask"'*)
          asked=$id
          say '{"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{"message":"Which colour?","requestedSchema":{"type":"object","properties":{"colour":{"type":"string"}}}}}' ;;
        *'"how":"secret"'*)
          say '{"jsonrpc":"2.0","id":'"$id"',"result":{"content":[{"type":"text","text":"the key is ghp_16C7e42F292c6912E7710c838347Ae178B4a"}]}}' ;;
        *) say '{"jsonrpc":"2.0","id":'"$id"',"result":{"content":[{"type":"text","text":"hello"}]}}' ;;
      esac ;;
    *'"colour":'*)
      say '{"jsonrpc":"2.0","id":'"$asked"',"result":{"content":[{"type":"text","text":"a colour"}]}}' ;;
    *'"method":"notifications/cancelled"'*) printf '%s\n' "$line" >> cancelled ;;
    *'"method":"subscriptions/listen"'*)
      say '{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":'"$id"'}}}' ;;
    *'"method":"ping"'*)
      say '{"jsonrpc":"2.0","id":'"$id"',"result":{}}' ;;
  esac
done
echo $$ >> ended
"#;

/// What a place is made with.
#[derive(Default)]
pub(super) struct Setup {
    /// What stands in the configuration before all tables.
    pub(super) top: &'static str,
    /// What stands in the server's table.
    pub(super) server: &'static str,
    /// The options of the gateway.
    pub(super) options: &'static [&'static str],
    /// Whether nobody has meant the server yet.
    pub(super) is_new: bool,
}

/// A gateway in front of that server.
pub(super) struct Place {
    folder: TempDir,
    pub(super) gateway: Gateway,
}

impl Place {
    /// One whose server a person meant.
    pub(super) fn new() -> Self {
        Self::of(&Setup::default())
    }

    /// The same, with more in the server's table.
    pub(super) fn with(server: &'static str) -> Self {
        Self::of(&Setup { server, ..Setup::default() })
    }

    pub(super) fn of(setup: &Setup) -> Self {
        Self::before(setup, None)
    }

    /// One before a server elsewhere, which has the name `far`.
    pub(super) fn before(setup: &Setup, far: Option<&str>) -> Self {
        let Setup { top, server, options, is_new } = setup;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("server")).unwrap();
        let script = at("server").join("server.sh");
        fs::write(&script, SERVER).unwrap();
        let config = at("config.toml");
        let text = format!(
            "{top}\n[mcp.servers.notes]\ncommand = \"sh\"\nargs = [{script:?}]\n{server}\n[mcp.servers.other]\ncommand = \"sh\"\nargs = [{script:?}]\n"
        );
        let text = match far {
            None => text,
            Some(far) => format!("{text}[mcp.servers.far]\n{far}\n"),
        };
        fs::write(&config, text).unwrap();
        let state = at("state");
        let config = config.display().to_string();
        let mut all = vec!["--config", &config];
        all.extend(*options);
        if !is_new {
            // The gateway makes its state directory its own; what was meant stands there before.
            fs::create_dir(&state).unwrap();
            fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).unwrap();
            let words = ["sh".to_owned(), script.display().to_string()];
            for name in ["notes", "other"] {
                let files = Files::of(&state, name).unwrap();
                enrol(&files, &Definition::of_command(&words), "ann").unwrap();
            }
        }
        if let Some(url) = far.and_then(|far| far.split('"').nth(1)) {
            let files = Files::of(&state, "far").unwrap();
            enrol(&files, &Definition::of_url(url), "ann").unwrap();
        }
        let gateway = Gateway::with(&state, &all);
        Self { folder, gateway }
    }

    pub(super) fn server(&self) -> PathBuf {
        self.folder.path().join("server")
    }

    pub(super) fn lines(&self, name: &str) -> Vec<String> {
        let text = fs::read_to_string(self.server().join(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Waits until a file of the server has so many lines.
    pub(super) fn until(&self, name: &str, count: usize) -> Vec<String> {
        wait(|| self.lines(name).len() >= count);
        self.lines(name)
    }

    pub(super) fn client(&self) -> Mcp<'_> {
        Mcp {
            place: self,
            token: self.gateway.agents.clone(),
            path: "/mcp/notes",
            session: None,
            version: Some("2025-11-25"),
        }
    }

    pub(super) fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// A command of the program on the same state and configuration.
    pub(super) fn command(&self, words: &[&str]) -> std::process::Command {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_portcullis"));
        command
            .args(words)
            .arg("--state")
            .arg(self.state())
            .arg("--config")
            .arg(self.folder.path().join("config.toml"))
            .env("HOME", self.folder.path())
            .stdin(std::process::Stdio::null());
        command
    }

    /// Runs one.
    pub(super) fn ran(&self, words: &[&str]) -> (i32, String) {
        let out = self.command(words).output().unwrap();
        let text = [out.stdout, out.stderr].concat();
        (out.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
    }

    /// How many wait for something of a server, as the gateway tells it.
    pub(super) fn waited_for(&self, server: &str) -> u64 {
        let all = self.gateway.client().get("/v1/servers", &self.gateway.person).json();
        let all = all["servers"].as_array().unwrap();
        let found = all.iter().find(|one| one["server"] == server).unwrap();
        found["waiting"].as_u64().unwrap()
    }

    /// A client in a session.
    pub(super) fn met(&self) -> Mcp<'_> {
        let mut client = self.client();
        client.meet(json!({}));
        client
    }
}

/// Waits until something is so.
pub(super) fn wait(mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "it never came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a process lives.
pub(super) fn lives(id: &str) -> bool {
    let id = rustix::process::Pid::from_raw(id.parse().unwrap()).unwrap();
    rustix::process::test_kill_process(id).is_ok()
}

/// A client of a server.
#[derive(Clone)]
pub(super) struct Mcp<'a> {
    place: &'a Place,
    pub(super) token: String,
    pub(super) path: &'static str,
    pub(super) session: Option<String>,
    pub(super) version: Option<&'static str>,
}

pub(super) const BOTH: (&str, &str) = ("Accept", "application/json, text/event-stream");
pub(super) const JSON: (&str, &str) = ("Content-Type", "application/json");

impl Mcp<'_> {
    fn headers(&self) -> Vec<(&str, &str)> {
        let mut headers = vec![BOTH, JSON];
        headers.extend(self.session.as_deref().map(|id| ("Mcp-Session-Id", id)));
        headers.extend(self.version.map(|version| ("MCP-Protocol-Version", version)));
        headers
    }

    pub(super) fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        self.place.gateway.client().send(method, self.path, &self.token, headers, body).unwrap()
    }

    pub(super) fn post(&self, value: &Value) -> Answer {
        self.send("POST", &self.headers(), &value.to_string())
    }

    /// The same, with more headers; one of ours is left away where another of its name is given.
    pub(super) fn post_with(&self, more: &[(&str, &str)], body: &str) -> Answer {
        let mut headers = self.headers();
        headers.retain(|(name, _)| !more.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)));
        headers.extend(more.iter().filter(|(_, value)| !value.is_empty()));
        self.send("POST", &headers, body)
    }

    pub(super) fn meet(&mut self, capabilities: Value) {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"}});
        let answer = self.post(&request(1, "initialize", params));
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.json()["result"]["serverInfo"]["name"], "notes", "{answer:?}");
        let id = answer.headers.lines().find_map(|line| line.strip_prefix("mcp-session-id:"));
        self.session = Some(id.unwrap().trim().to_owned());
        let told = self.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        assert_eq!((told.status, told.body.as_str()), (202, ""));
    }

    /// Calls a tool, and gives every message that comes until the answer.
    pub(super) fn call(&self, id: i64, tool: &str, arguments: Value) -> Vec<Value> {
        let params = json!({"name": tool, "arguments": arguments});
        messages(&self.post(&request(id, "tools/call", params)))
    }

    /// A stream that stays open.
    pub(super) fn open(&self, method: &str, more: &[(&str, &str)], body: &str) -> Events {
        let mut headers = self.headers();
        headers.retain(|(name, _)| !more.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)));
        headers.extend(more);
        Events::open(self.place.gateway.address, method, self.path, &self.token, &headers, body)
    }
}

pub(super) fn request(id: i64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// The messages of an answer, whichever form it has.
pub(super) fn messages(answer: &Answer) -> Vec<Value> {
    if answer.headers.contains("content-type: text/event-stream") {
        let data = answer.body.lines().filter_map(|line| line.strip_prefix("data: "));
        return data.map(|data| serde_json::from_str(data).unwrap()).collect();
    }
    assert!(answer.headers.contains("content-type: application/json"), "{answer:?}");
    vec![answer.json()]
}

/// An answer that is read as it comes.
pub(super) struct Events {
    stream: BufReader<TcpStream>,
    pub(super) status: u16,
    pub(super) headers: String,
    /// The name of the event that came last.
    pub(super) last: String,
}

impl Events {
    fn open(
        address: SocketAddr,
        method: &str,
        path: &str,
        token: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut stream = BufReader::new(stream);
        let mut head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nContent-Length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.get_mut().write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
        Self { stream, status: 0, headers: String::new(), last: String::new() }
    }

    /// Reads the head, which may come late.
    pub(super) fn begun(&mut self) {
        loop {
            let mut line = String::new();
            assert!(self.stream.read_line(&mut line).unwrap() > 0, "it ended: {}", self.headers);
            if line == "\r\n" {
                break;
            }
            self.headers.push_str(&line.to_ascii_lowercase());
        }
        self.status = self.headers.split(' ').nth(1).unwrap().parse().unwrap();
    }

    /// The body, where it came whole.
    pub(super) fn whole(&mut self) -> Value {
        let length = self.headers.lines().find_map(|line| line.strip_prefix("content-length:"));
        let length: u64 = length.unwrap().trim().parse().unwrap();
        let mut body = String::new();
        self.stream.by_ref().take(length).read_to_string(&mut body).unwrap();
        serde_json::from_str(&body).unwrap()
    }

    /// The next message; nothing where the stream is at its end.
    pub(super) fn next(&mut self) -> Option<Value> {
        if self.status == 0 {
            self.begun();
            assert_eq!(self.status, 200, "{}", self.headers);
            assert!(self.headers.contains("content-type: text/event-stream"), "{}", self.headers);
        }
        let mut text = String::new();
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line).unwrap_or(0) == 0 {
                return None;
            }
            let length = u64::from_str_radix(line.trim(), 16).unwrap();
            let mut chunk = String::new();
            self.stream.by_ref().take(length).read_to_string(&mut chunk).unwrap();
            self.stream.read_line(&mut String::new()).unwrap();
            if length == 0 {
                return None;
            }
            text.push_str(&chunk);
            if text.ends_with("\n\n") {
                if let Some(id) = text.lines().find_map(|line| line.strip_prefix("id: ")) {
                    self.last = id.to_owned();
                }
                if let Some(data) = text.lines().find_map(|line| line.strip_prefix("data: ")) {
                    return Some(serde_json::from_str(data).unwrap());
                }
                text.clear();
            }
        }
    }
}
