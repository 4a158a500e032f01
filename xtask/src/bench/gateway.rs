//! What the gateway judges in a second beside a service that only gives its JSON back, measured at the program itself: in turns, over the
//! same connections, and what thousands of requests and listeners take. Owns the echo and the load; everything is on this machine.

use std::{
    fs,
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use axum::{Router, body::Bytes, http::header, response::IntoResponse as _, routing::post};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use serde_json::{Value, json};

use crate::command::{self, Failed, root, say};

/// How many connections send at once.
const CONNECTIONS: usize = 64;

/// How long each of them is measured at a time, and how often, in turns.
const SPAN: Duration = Duration::from_millis(1_500);
const ROUNDS: usize = 7;

/// How long half the load lasts.
const HALF: Duration = Duration::from_secs(5);

/// How many agents there are, each with a token of its own.
const TOKENS: usize = 512;

/// How many calls of one session follow each other.
const SESSION: usize = 10;

/// What waits, and who listens.
const PENDING: usize = 10_000;
const LISTENERS: usize = 1_000;

/// Gives back the JSON that it gets, and does nothing else.
pub(crate) fn echo() -> Result<(), Failed> {
    let runtime = tokio::runtime::Runtime::new().map_err(broken)?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.map_err(broken)?;
        say(&format!("{}\n", listener.local_addr().map_err(broken)?));
        // It ends with whoever started it.
        thread::spawn(|| {
            let _ended = io::stdin().read_to_end(&mut Vec::new());
            std::process::exit(0);
        });
        let router = Router::new().route("/v1/judge", post(given_back));
        loop {
            let (stream, _) = listener.accept().await.map_err(broken)?;
            stream.set_nodelay(true).map_err(broken)?;
            let service = TowerToHyperService::new(router.clone());
            tokio::spawn(async move {
                // As the gateway serves its connections.
                let served = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(Duration::from_secs(10))
                    .max_buf_size(32 << 10)
                    .max_headers(64)
                    .serve_connection(TokioIo::new(stream), service);
                // A client that breaks off is its own affair.
                let _ = served.await;
            });
        }
    })
}

async fn given_back(body: Bytes) -> axum::response::Response {
    let value: Value = serde_json::from_slice(&body).unwrap_or_default();
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

/// Measures two gateways of a program on one database of PostgreSQL, each a process of its own, beside the echo and beside one on SQLite. The URL names a
/// database that is there and that nothing else uses; the password stands in the environment.
pub(crate) fn fleet(program: &Path, url: &str) -> Result<(), Failed> {
    let program = fs::canonicalize(program)
        .map_err(|source| Failed::File { path: program.to_path_buf(), source })?;
    let folder = root().join(format!("target/bench-fleet-{}", std::process::id()));
    let measured = compared(&program, &folder, url);
    // What is left of a failed run is looked at by nobody.
    let _ = fs::remove_dir_all(&folder);
    measured
}

fn compared(program: &Path, folder: &Path, url: &str) -> Result<(), Failed> {
    let echo = [Served::echo()?];
    let embedded = [Served::gateway(program, &folder.join("sqlite"), &[])?];
    let at = |name: &str| {
        Served::gateway(program, &folder.join(name), &["--database", url, "--name", name])
    };
    let shared = [at("bench-a")?, at("bench-b")?];
    let rows: [(&str, &[Served], Body); 5] = [
        ("echo of the same JSON", &echo, |_, _| call("git status", None)),
        ("one gateway on SQLite, a short harmless command", &embedded, |_, _| {
            call("git status", None)
        }),
        ("two gateways on PostgreSQL, the same", &shared, |_, _| call("git status", None)),
        ("one gateway on SQLite, one that asks", &embedded, |_, _| call("rm -rf /srv/data", None)),
        ("two gateways on PostgreSQL, the same", &shared, |_, _| call("rm -rf /srv/data", None)),
    ];
    let mut speeds = [const { Vec::new() }; 5];
    for _ in 0..ROUNDS {
        for ((_, served, body), speeds) in rows.iter().zip(&mut speeds) {
            let begun = Instant::now();
            let done = load(served, *body, SPAN, None)?.len();
            speeds.push(done as f64 / begun.elapsed().as_secs_f64());
        }
    }
    let first = speeds.first().cloned().unwrap_or_default();
    say(
        "\n| judged | a second | of the echo | p50 ms at half load | p99 ms |\n|---|---|---|---|---|\n",
    );
    for ((name, served, body), speeds) in rows.iter().zip(speeds) {
        let shares = speeds.iter().zip(&first).map(|(one, echo)| 100.0 * one / echo).collect();
        let (speed, share) = (median(speeds), median(shares));
        let (half, most) = at_half(served, *body, speed)?;
        say(&format!("| {name} | {speed:.0} | {share:.0} % | {half:.2} | {most:.2} |\n"));
    }
    Ok(())
}

/// How long half of the answers and 99 of 100 took at most, in ms, at half of what can be answered in a second.
fn at_half(served: &[Served], body: Body, speed: f64) -> Result<(f64, f64), Failed> {
    let mut times = load(served, body, HALF, Some(speed / 2.0))?;
    times.sort_unstable();
    let at = |part: usize| {
        let time = times.get(times.len() * part / 100).copied().unwrap_or_default();
        time.as_secs_f64() * 1e3
    };
    Ok((at(50), at(99)))
}

/// Measures a program's gateway.
pub(crate) fn run(program: &Path) -> Result<(), Failed> {
    let program = fs::canonicalize(program)
        .map_err(|source| Failed::File { path: program.to_path_buf(), source })?;
    let folder = root().join(format!("target/bench-gateway-{}", std::process::id()));
    let measured = measure(&program, &folder);
    // What is left of a failed run is looked at by nobody.
    let _ = fs::remove_dir_all(&folder);
    measured
}

fn measure(program: &Path, folder: &Path) -> Result<(), Failed> {
    let echo = Served::echo()?;
    let gateway = Served::gateway(program, folder, &[])?;
    let bodies: [(&str, &Served, Body); 4] = [
        ("echo of the same JSON", &echo, |_, _| call("git status", None)),
        ("a short harmless command", &gateway, |_, _| call("git status", None)),
        ("the same, in sessions of ten calls", &gateway, |connection, number| {
            call("git status", Some(format!("{connection}-{}", number / SESSION)))
        }),
        ("one that asks", &gateway, |_, _| call("rm -rf /srv/data", None)),
    ];
    let mut speeds = [const { Vec::new() }; 4];
    let mut costs = [const { Vec::new() }; 4];
    for _ in 0..ROUNDS {
        let columns = bodies.iter().zip(&mut speeds).zip(&mut costs);
        for (((_, served, body), speeds), costs) in columns {
            let (busy, begun) = (served.processor_time()?, Instant::now());
            let done = load(std::slice::from_ref(*served), *body, SPAN, None)?.len();
            speeds.push(done as f64 / begun.elapsed().as_secs_f64());
            costs.push(1e6 * (served.processor_time()? - busy) / done.max(1) as f64);
        }
    }
    let first = speeds.first().cloned().unwrap_or_default();
    say(
        "\n| judged | a second | of the echo | processor µs each | p50 ms at half load | p99 ms |\n",
    );
    say("|---|---|---|---|---|---|\n");
    for (((name, served, body), speeds), costs) in bodies.iter().zip(speeds).zip(costs) {
        let shares = speeds.iter().zip(&first).map(|(one, echo)| 100.0 * one / echo).collect();
        let speed = median(speeds);
        let (half, most) = at_half(std::slice::from_ref(*served), *body, speed)?;
        let (share, cost) = (median(shares), median(costs));
        say(&format!(
            "| {name} | {speed:.0} | {share:.0} % | {cost:.0} | {half:.2} | {most:.2} |\n"
        ));
    }
    drop(gateway);
    waiting(program, &folder.join("waiting"))
}

/// What requests that wait and people who listen take, and whether all of these are told.
fn waiting(program: &Path, folder: &Path) -> Result<(), Failed> {
    let gateway = Served::gateway(program, folder, &[])?;
    say("\n| waiting | memory MB | descriptors |\n|---|---|---|\n");
    gateway.row("nothing")?;
    let each = PENDING / CONNECTIONS + 1;
    thread::scope(|scope| {
        let askers: Vec<_> = (0..CONNECTIONS)
            .map(|connection| {
                let gateway = &gateway;
                scope.spawn(move || {
                    let mut client = Client::connect(gateway)?;
                    (0..each).try_for_each(|number| {
                        let command = format!("rm -rf /srv/data/{connection}-{number}");
                        client.judge(&call(&command, None))
                    })
                })
            })
            .collect();
        joined(askers).map(drop)
    })?;
    gateway.row(&format!("{} requests", each * CONNECTIONS))?;
    let head = format!(
        "GET /v1/events HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        gateway.address, gateway.person
    );
    let listeners = (0..LISTENERS).map(|_| {
        let mut stream = TcpStream::connect(gateway.address)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        stream.write_all(head.as_bytes())?;
        let mut stream = BufReader::new(stream);
        told(&mut stream, 1)?;
        Ok(stream)
    });
    let mut listeners = listeners.collect::<io::Result<Vec<_>>>().map_err(broken)?;
    gateway.row(&format!("the same, and {LISTENERS} listeners"))?;
    let begun = Instant::now();
    Client::connect(&gateway)
        .and_then(|mut client| client.judge(&call("git status", None)))
        .map_err(broken)?;
    // Each token and each call is one record at least.
    let last = (each * CONNECTIONS + TOKENS) as u64 + 1;
    listeners.iter_mut().try_for_each(|one| told(one, last)).map_err(broken)?;
    let took = begun.elapsed().as_secs_f64() * 1e3;
    say(&format!("\nan event reached all {LISTENERS} listeners within {took:.0} ms\n"));
    Ok(())
}

/// Waits for an event that tells of a record, or of a later one.
fn told(stream: &mut impl io::BufRead, record: u64) -> io::Result<()> {
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let data = line.strip_prefix("data: ").and_then(|data| serde_json::from_str(data).ok());
        if data.is_some_and(|data: Value| data.get("head").and_then(Value::as_u64) >= Some(record))
        {
            return Ok(());
        }
    }
}

pub(super) type Body = fn(usize, usize) -> String;

pub(super) fn call(command: &str, session: Option<String>) -> String {
    json!({ "tool": "bash", "arguments": { "command": command }, "agent": "claude", "session": session })
        .to_string()
}

/// How long each answer took, counted from when it should have been asked for where so many are sent in a second.
pub(super) fn load(
    served: &[Served],
    body: Body,
    span: Duration,
    rate: Option<f64>,
) -> Result<Vec<Duration>, Failed> {
    let gap = rate.map(|rate| Duration::from_secs_f64(CONNECTIONS as f64 / rate));
    let Some(first) = served.first() else { return Ok(Vec::new()) };
    let numbers = Arc::clone(&first.numbers);
    thread::scope(|scope| {
        let clients: Vec<_> = (0..CONNECTIONS)
            .map(|connection| {
                let numbers = &numbers;
                let served = served.get(connection % served.len()).unwrap_or(first);
                scope.spawn(move || {
                    let mut client = Client::connect(served)?;
                    let (begun, mut times) = (Instant::now(), Vec::new());
                    let mut due = begun
                        + gap.unwrap_or_default().mul_f64(connection as f64 / CONNECTIONS as f64);
                    while begun.elapsed() < span {
                        let sent = match gap {
                            Some(gap) => {
                                thread::sleep(due.saturating_duration_since(Instant::now()));
                                due += gap;
                                due.checked_sub(gap).unwrap_or(due)
                            }
                            None => Instant::now(),
                        };
                        let number = numbers.fetch_add(1, Ordering::Relaxed);
                        client.judge(&body(connection, number / CONNECTIONS))?;
                        times.push(sent.elapsed());
                    }
                    Ok(times)
                })
            })
            .collect();
        Ok(joined(clients)?.into_iter().flatten().collect())
    })
}

fn joined<T>(threads: Vec<thread::ScopedJoinHandle<'_, io::Result<T>>>) -> Result<Vec<T>, Failed> {
    let ended = threads
        .into_iter()
        .map(|one| one.join().unwrap_or_else(|_| Err(io::ErrorKind::Other.into())));
    ended.collect::<io::Result<_>>().map_err(broken)
}

/// One connection that is kept.
pub(super) struct Client {
    stream: BufReader<TcpStream>,
    host: String,
    token: String,
}

impl Client {
    pub(super) fn connect(served: &Served) -> io::Result<Self> {
        let stream = TcpStream::connect(served.address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        let number = served.connected.fetch_add(1, Ordering::Relaxed);
        let token = served.agents.get(number % served.agents.len().max(1)).cloned();
        let token = token.unwrap_or_default();
        Ok(Self { stream: BufReader::new(stream), host: served.address.to_string(), token })
    }

    fn judge(&mut self, body: &str) -> io::Result<()> {
        let token = std::mem::take(&mut self.token);
        let answer = self.post("/v1/judge", &token, body);
        self.token = token;
        answer.map(drop)
    }

    fn post(&mut self, path: &str, token: &str, body: &str) -> io::Result<Vec<u8>> {
        self.send("POST", path, token, body)
    }

    pub(super) fn get(&mut self, path: &str, token: &str) -> io::Result<Vec<u8>> {
        self.send("GET", path, token, "")
    }

    /// Sends a body and reads the whole answer, which must be a good one.
    fn send(&mut self, method: &str, path: &str, token: &str, body: &str) -> io::Result<Vec<u8>> {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        let (mut line, mut length, mut is_first) = (String::new(), 0, true);
        loop {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if is_first && !line.starts_with("HTTP/1.1 20") {
                return Err(io::Error::other(line));
            }
            is_first = false;
            if line == "\r\n" {
                break;
            }
            let lower = line.to_ascii_lowercase();
            if let Some(number) = lower.strip_prefix("content-length:") {
                length = number.trim().parse().map_err(io::Error::other)?;
            }
        }
        let mut answer = Vec::new();
        (&mut self.stream).take(length).read_to_end(&mut answer)?;
        Ok(answer)
    }
}

/// A program that serves, until this goes.
pub(super) struct Served {
    child: Child,
    _until: Option<ChildStdin>,
    address: SocketAddr,
    person: String,
    /// Tokens of agents: each connection takes the next one, because each may have so many requests waiting and no more.
    agents: Vec<String>,
    connected: AtomicUsize,
    /// How many calls were sent to it.
    numbers: Arc<AtomicUsize>,
}

impl Served {
    fn echo() -> Result<Self, Failed> {
        let mut command = Command::new(std::env::current_exe().map_err(broken)?);
        command.arg("bench-echo").stdin(Stdio::piped());
        let (mut child, line) = super::proxy::said(&mut command)?;
        let address = line.trim().parse().map_err(|_| Failed::Output("bench-echo".to_owned()))?;
        let none = String::new();
        Ok(Self {
            _until: child.stdin.take(),
            child,
            address,
            // As long a head as the gateway gets.
            agents: vec!["x".repeat(46)],
            person: none,
            connected: 0.into(),
            numbers: Arc::default(),
        })
    }

    pub(super) fn gateway(program: &Path, folder: &Path, options: &[&str]) -> Result<Self, Failed> {
        let state = folder.join("state");
        fs::create_dir_all(folder)
            .map_err(|source| Failed::File { path: folder.to_path_buf(), source })?;
        let mut command = Command::new(program);
        command.args(["serve", "--listen", "127.0.0.1:0", "--json", "--rate", "10000000"]);
        command.arg("--state").arg(&state).args(options);
        command.env("HOME", folder).env("PORTCULLIS_STATE_DIR", &state);
        command.env_remove("PORTCULLIS_AUDIT").current_dir(folder).stdin(Stdio::null());
        let (child, line) = super::proxy::said(&mut command)?;
        let unclear = || Failed::Output("portcullis serve".to_owned());
        let line: Value = serde_json::from_str(&line).map_err(|_| unclear())?;
        let word = |name: &str| line.get(name).and_then(Value::as_str).ok_or_else(unclear);
        let address = word("listening")?.strip_prefix("http://").and_then(|at| at.parse().ok());
        let token = |name: &str| {
            let text = command::read(Path::new(word(name)?))?;
            Ok::<_, Failed>(text.trim().to_owned())
        };
        let mut served = Self {
            address: address.ok_or_else(unclear)?,
            person: token("token_file")?,
            agents: vec![token("agents_token_file")?],
            child,
            _until: None,
            connected: 0.into(),
            numbers: Arc::default(),
        };
        let mut client = Client::connect(&served).map_err(broken)?;
        for number in 0..TOKENS {
            let body = json!({ "name": format!("agent-{number}"), "scopes": ["judge"] });
            let made = client.post("/v1/tokens", &served.person, &body.to_string());
            let made: Value = serde_json::from_slice(&made.map_err(broken)?).unwrap_or_default();
            let token = made.get("token").and_then(Value::as_str).ok_or_else(unclear)?;
            served.agents.push(token.to_owned());
        }
        Ok(served)
    }

    /// The token of the person.
    pub(super) fn person(&self) -> &str {
        &self.person
    }

    /// How much memory it has, in MB.
    pub(super) fn memory(&self) -> Result<f64, Failed> {
        super::proxy::memory(&Path::new("/proc").join(self.child.id().to_string()))
    }

    fn processor_time(&self) -> Result<f64, Failed> {
        super::proxy::processor_time(&self.child)
    }

    fn row(&self, name: &str) -> Result<(), Failed> {
        let process = Path::new("/proc").join(self.child.id().to_string());
        let memory = super::proxy::memory(&process)?;
        let path = process.join("fd");
        let descriptors = fs::read_dir(&path).map_err(|source| Failed::File { path, source })?;
        say(&format!("| {name} | {memory:.0} | {} |\n", descriptors.count()));
        Ok(())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or_default()
}

pub(super) fn broken(error: io::Error) -> Failed {
    Failed::Broken(format!("the measurement of the gateway broke: {error}"))
}
