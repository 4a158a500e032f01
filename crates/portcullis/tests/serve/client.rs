//! A gateway process and a client for it. Owns how both are started and ended; the tests say what they do.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read, Write as _},
    net::{SocketAddr, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde_json::{Value, json};

/// How long any test waits for anything: far longer than it takes, and not for good.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A gateway on a state directory; it is killed when it goes.
pub(crate) struct Gateway {
    process: Child,
    pub(crate) address: SocketAddr,
    pub(crate) person: String,
    pub(crate) agents: String,
    people: Value,
}

impl Gateway {
    pub(crate) fn start(state: &Path) -> Self {
        Self::with(state, &[])
    }

    pub(crate) fn with(state: &Path, options: &[&str]) -> Self {
        Self::at_home(state, state, options)
    }

    /// One of somebody whose home lies apart from its state.
    pub(crate) fn at_home(home: &Path, state: &Path, options: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_portcullis"))
            .args(["serve", "--json", "--state"])
            .arg(state)
            .args(if options.contains(&"--listen") {
                &[][..]
            } else {
                &["--listen", "127.0.0.1:0"]
            })
            .args(options)
            .env("HOME", home)
            .env("PORTCULLIS_STATE_DIR", state)
            .env_remove("PORTCULLIS_AUDIT")
            .env_remove("XDG_CONFIG_HOME")
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        let text = |name: &str| said[name].as_str().unwrap().to_owned();
        let token = |name: &str| fs::read_to_string(text(name)).unwrap().trim().to_owned();
        Self {
            process,
            address: text("listening").strip_prefix("http://").unwrap().parse().unwrap(),
            person: token("token_file"),
            agents: token("agents_token_file"),
            people: said["people"].clone(),
        }
    }

    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Asks it to end, and gives its exit code.
    #[cfg(unix)]
    pub(crate) fn end(&mut self) -> Option<i32> {
        let id = i32::try_from(self.process.id()).unwrap();
        let process = rustix::process::Pid::from_raw(id).unwrap();
        rustix::process::kill_process(process, rustix::process::Signal::TERM).unwrap();
        self.process.wait().unwrap().code()
    }

    pub(crate) fn client(&self) -> Client {
        Client { address: self.address, stream: None }
    }

    /// The token of somebody whom `--person` named.
    pub(crate) fn person_named(&self, name: &str) -> String {
        let file = self.people[name].as_str().unwrap();
        fs::read_to_string(file).unwrap().trim().to_owned()
    }

    /// A token with another name, made over HTTP.
    pub(crate) fn token(&self, name: &str, scopes: &[&str]) -> String {
        let body = json!({ "name": name, "scopes": scopes });
        let answer = self.client().post("/v1/tokens", &self.person, &body);
        assert_eq!(answer.status, 201, "{}", answer.body);
        answer.json()["token"].as_str().unwrap().to_owned()
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// In small letters.
    pub(crate) headers: String,
    /// As they came.
    pub(crate) raw: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    pub(crate) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// One connection, kept open.
pub(crate) struct Client {
    address: SocketAddr,
    stream: Option<BufReader<TcpStream>>,
}

impl Client {
    pub(crate) fn get(&mut self, path: &str, token: &str) -> Answer {
        self.send("GET", path, token, &[], "").unwrap()
    }

    pub(crate) fn post(&mut self, path: &str, token: &str, body: &Value) -> Answer {
        self.send("POST", path, token, &[], &body.to_string()).unwrap()
    }

    pub(crate) fn judge(&mut self, token: &str, command: &str) -> Answer {
        self.post("/v1/judge", token, &call(command))
    }

    /// One request; an error where the gateway is gone.
    pub(crate) fn send(
        &mut self,
        method: &str,
        path: &str,
        token: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> std::io::Result<Answer> {
        let mut head = format!("{method} {path} HTTP/1.1\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            head.push_str(&format!("Host: {}\r\n", self.address));
        }
        if !token.is_empty() {
            head.push_str(&format!("Authorization: Bearer {token}\r\n"));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        self.raw(format!("{head}\r\n{body}").as_bytes())
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) -> std::io::Result<Answer> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => {
                let stream = TcpStream::connect(self.address)?;
                stream.set_read_timeout(Some(PATIENCE))?;
                stream.set_nodelay(true)?;
                BufReader::new(stream)
            }
        };
        stream.get_mut().write_all(bytes)?;
        let mut raw = String::new();
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            if line == "\r\n" {
                break;
            }
            raw.push_str(&line);
        }
        let headers = raw.to_ascii_lowercase();
        let status = headers.split(' ').nth(1).and_then(|word| word.parse().ok());
        let header = |name: &str| {
            let mut lines = headers.lines();
            lines.find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned())
        };
        let mut body = Vec::new();
        if let Some(length) = header("content-length:") {
            let length = length.parse().unwrap();
            stream.by_ref().take(length).read_to_end(&mut body)?;
        } else if header("transfer-encoding:").is_some() {
            loop {
                let mut line = String::new();
                stream.read_line(&mut line)?;
                let length = u64::from_str_radix(line.trim(), 16).unwrap();
                stream.by_ref().take(length).read_to_end(&mut body)?;
                stream.read_line(&mut String::new())?;
                if length == 0 {
                    break;
                }
            }
        }
        if header("connection:").as_deref() != Some("close") {
            self.stream = Some(stream);
        }
        let body = String::from_utf8(body).unwrap();
        Ok(Answer { status: status.unwrap(), headers, raw, body })
    }
}

/// A call of an agent.
pub(crate) fn call(command: &str) -> Value {
    json!({ "tool": "bash", "arguments": { "command": command }, "agent": "claude" })
}
