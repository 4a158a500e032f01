//! What is tried of one agent with servers behind the gate, in order. Owns the sequence and what proves each line: files that calls leave behind,
//! requests that arrived, what the agent offered its model and what the model was told; never what anybody prints of itself.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpListener},
    path::PathBuf,
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use serde_json::{Map, json};

use super::{
    super::{
        bench::{Bench, Outcome},
        fetch::{self, Fetched},
        isolation,
        model::{Call, Model, Script},
    },
    table::{DESCRIPTION, Form, SERVERS, Seat},
    window::Window,
};
use crate::command::{self, Failed};

/// How long a task may take; a call that nobody answers waits half a minute.
const PATIENCE: Duration = Duration::from_secs(150);

/// How long a question of a call in a window is waited for.
const QUESTION: Duration = Duration::from_secs(60);

/// How often a task is typed, until the servers of an agent are there.
const TYPED: usize = 10;

/// What the note of the project says.
const NOTE: &str = "the note of the project\n";

/// One line of the table.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) what: &'static str,
    pub(super) holds: bool,
    pub(super) shown: String,
}

/// What is reached over the network: a page, and what stands where clouds hand out credentials.
#[derive(Debug)]
pub(super) struct Network {
    page: (SocketAddr, Arc<AtomicUsize>),
    metadata: Arc<AtomicUsize>,
}

impl Network {
    /// Puts both up, on the loopback of these namespaces.
    pub(super) fn begin() -> Result<Self, Failed> {
        let cloud = Ipv4Addr::new(169, 254, 169, 254);
        let mut address = Command::new("ip");
        address.args(["address", "add", &format!("{cloud}/32"), "dev", "lo"]);
        command::run(&mut address, "install iproute2")?;
        let page = listens(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0), "a page about nothing")?;
        let (_, metadata) = listens(SocketAddrV4::new(cloud, 80), "a-role-of-this-machine")?;
        Ok(Self { page, metadata })
    }

    fn page(&self) -> String {
        format!("http://{}/page", self.page.0)
    }
}

/// Answers every request with the same words, and counts them. It ends with the process.
fn listens(
    address: SocketAddrV4,
    words: &'static str,
) -> Result<(SocketAddr, Arc<AtomicUsize>), Failed> {
    let failed = |source| Failed::File { path: PathBuf::from(address.to_string()), source };
    let listener = TcpListener::bind(address).map_err(failed)?;
    let own = listener.local_addr().map_err(failed)?;
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            counted.fetch_add(1, Ordering::Relaxed);
            let mut reader = BufReader::new(&stream);
            let mut line = String::new();
            while matches!(reader.read_line(&mut line), Ok(1..)) && line.trim() != "" {
                line.clear();
            }
            let length = words.len();
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{words}"
            );
            // Who has gone wants no answer.
            let _ = (&stream).write_all(answer.as_bytes());
        }
    });
    Ok((own, count))
}

/// One agent, its servers, and the gate between them.
struct Trial<'run> {
    bench: Bench<'run>,
    seat: &'run Seat,
    network: &'run Network,
    lines: Vec<Line>,
}

/// Tries one agent.
pub(super) fn trial(
    fetched: &Fetched,
    seat: &Seat,
    (model, network): (&Model, &Network),
    folder: &std::path::Path,
    program: &std::path::Path,
) -> Result<Vec<Line>, Failed> {
    let bench = Bench::new(fetched, model, folder, program)?;
    let mut trial = Trial { bench, seat, network, lines: Vec::new() };
    trial.prepare()?;
    trial.without_a_gate()?;
    trial.wrapped()?;
    trial.blocked()?;
    trial.asked()?;
    trial.changed()?;
    trial.unwrapped()?;
    Ok(trial.lines)
}

impl Trial<'_> {
    fn line(&mut self, what: &'static str, holds: bool, shown: impl Into<String>) {
        self.lines.push(Line { what, holds, shown: shown.into() });
    }

    /// The project, and the servers in the settings of the agent.
    fn prepare(&self) -> Result<(), Failed> {
        let bench = &self.bench;
        command::write(&bench.project.join("notes.txt"), NOTE)?;
        let author = ["git", "-c", "user.name=dev", "-c", "user.email=dev@localhost"];
        let commit = [&author[..], &["commit", "--quiet", "-m", "one"]].concat();
        for words in [&["git", "add", "."][..], &commit] {
            bench.run(words, Duration::from_secs(20));
        }
        for (path, text) in self.seat.files {
            command::write(&bench.home.join(path), text)?;
        }
        let path = self.settings();
        let mut text = match self.seat.form {
            Form::Json => String::new(),
            Form::Toml => command::read(&path)?,
        };
        let mut servers = Map::new();
        for server in SERVERS {
            let (_, programs) =
                fetch::fetch_from(server.folder, server.source).map_err(Failed::Broken)?;
            let program = programs.join(server.program).display().to_string();
            let arguments: Vec<String> =
                server.arguments.iter().map(|word| bench.filled(word)).collect();
            match self.seat.form {
                Form::Json => {
                    let entry = json!({"command": program, "args": arguments});
                    servers.insert(server.name.to_owned(), entry);
                }
                // A list of texts is written alike in both.
                Form::Toml => text.push_str(&format!(
                    "[mcp_servers.{}]\ncommand = {}\nargs = {}\nrequired = true\nstartup_timeout_sec = 60\ntool_timeout_sec = 120\n",
                    server.name,
                    json!(program),
                    json!(arguments)
                )),
            }
        }
        if self.seat.form == Form::Json {
            let project = bench.project.display().to_string();
            let settings = json!({
                "hasCompletedOnboarding": true,
                "bypassPermissionsModeAccepted": true,
                "theme": "dark",
                "customApiKeyResponses": {"approved": ["x"], "rejected": []},
                "projects": {project: {"hasTrustDialogAccepted": true, "allowedTools": []}},
                "mcpServers": servers,
            });
            text = format!("{settings:#}\n");
        } else {
            text.push_str("[tui]\nscreen_reader_detection_done = true\n");
        }
        command::write(&path, &text)
    }

    fn settings(&self) -> PathBuf {
        self.bench.home.join(self.seat.settings)
    }

    fn hook(&self) -> PathBuf {
        self.bench.project.join(".git/hooks/post-commit")
    }

    fn writes_hook(&self) -> Call {
        let arguments = json!({"path": self.hook(), "content": "#!/bin/sh\nexit 0\n"});
        Call { tool: "mcp__filesystem__write_file", arguments }
    }

    fn asks_metadata(&self) -> Call {
        let url = "http://169.254.169.254/latest/meta-data/iam/security-credentials/";
        Call { tool: "mcp__fetch__fetch", arguments: json!({"url": url}) }
    }

    fn git(&self, tool: &'static str) -> Call {
        Call { tool, arguments: json!({"repo_path": self.bench.project}) }
    }

    fn moves(&self, from: &str, to: &str) -> Call {
        let [source, destination] = [from, to].map(|name| self.bench.project.join(name));
        let arguments = json!({"source": source, "destination": destination});
        Call { tool: "mcp__filesystem__move_file", arguments }
    }

    fn task(&self, calls: Vec<Call>) -> Result<Outcome, Failed> {
        self.network.metadata.store(0, Ordering::Relaxed);
        self.network.page.1.store(0, Ordering::Relaxed);
        self.bench.task_within(calls, &[], PATIENCE)
    }

    fn metadata(&self) -> usize {
        self.network.metadata.load(Ordering::Relaxed)
    }

    /// What the dangerous calls come to without the gate: what then does not happen is the gate's doing.
    fn without_a_gate(&mut self) -> Result<(), Failed> {
        let outcome = self.task(vec![self.writes_hook(), self.asks_metadata()])?;
        let (is_written, asked) = (self.hook().exists(), self.metadata());
        // It is there only where the call wrote it.
        let _ = fs::remove_file(self.hook());
        let shown = format!("the file is there: {is_written}; requests that arrived: {asked}");
        let holds = is_written && asked > 0;
        self.line(
            "without the gate, a git hook is written and the metadata service is asked",
            holds,
            if holds { shown } else { format!("{shown}; {}", why(&outcome)) },
        );
        Ok(())
    }

    /// A person puts the gate there, and ordinary calls go on.
    fn wrapped(&mut self) -> Result<(), Failed> {
        self.person("mcp wrap", self.seat.agent)?;
        let page =
            Call { tool: "mcp__fetch__fetch", arguments: json!({"url": self.network.page()}) };
        let notes = json!({"path": self.bench.project.join("notes.txt")});
        let reads = Call { tool: "mcp__filesystem__read_text_file", arguments: notes };
        let outcome = self.task(vec![reads, self.git("mcp__git__git_status"), page])?;
        let told = told(&outcome);
        let asked = self.network.page.1.load(Ordering::Relaxed);
        let holds = told.contains(NOTE.trim()) && told.contains("branch") && asked > 0;
        let shown = if holds { told } else { format!("{told}; {}", why(&outcome)) };
        self.line(
            "behind it, a file is read, `git_status` answers, a page is fetched",
            holds,
            shown,
        );
        Ok(())
    }

    /// What is dangerous does not reach the servers while nobody answers.
    fn blocked(&mut self) -> Result<(), Failed> {
        let outcome = self.task(vec![self.writes_hook()])?;
        let is_told = told(&outcome).contains("a person has to answer");
        let holds = !self.hook().exists() && is_told;
        self.line("the git hook is not written, and the model is told why", holds, told(&outcome));
        let outcome = self.task(vec![self.asks_metadata()])?;
        let is_told = told(&outcome).contains("a person has to answer");
        let holds = self.metadata() == 0 && is_told;
        self.line("nothing arrives at the metadata service", holds, told(&outcome));
        Ok(())
    }

    /// What asks is answered by the person who sits before the agent's window, once with yes and once with no.
    fn asked(&mut self) -> Result<(), Failed> {
        let configuration = self.bench.home.join(".config/portcullis/config.toml");
        command::write(&configuration, "confirmation.threshold = \"medium\"\n")?;
        let moves = [("notes.txt", "moved.txt"), ("moved.txt", "again.txt")];
        let calls = moves.map(|(from, to)| self.moves(from, to));
        self.bench.model.follow(Script { calls: calls.into(), ..Script::default() });
        let folder = self.bench.home.parent().unwrap_or(&self.bench.home).to_path_buf();
        let window = Window::open(&self.bench, &folder, self.seat.window)?;
        let is_open = self.begins(&window);
        let mut screens = Vec::new();
        for ((_, to), keys) in moves.iter().zip([self.seat.yes, self.seat.no]) {
            screens.push(is_open && self.answers(&window, to, keys));
        }
        let shown = window.screen();
        isolation::end_all();
        let script = self.bench.model.follow(Script::default());
        let is_there = |name: &str| self.bench.project.join(name).exists();
        let told = |at: usize| script.told.get(at).cloned().unwrap_or_else(|| shown.clone());
        let is_moved = !is_there("notes.txt") && (is_there("moved.txt") || is_there("again.txt"));
        let lines = [
            (
                "what asks is asked in its window (elicitation), and with a yes the file is moved",
                screens.first() == Some(&true) && is_moved,
                told(0),
            ),
            (
                "with a no the next one is not moved",
                screens.get(1) == Some(&true) && is_there("moved.txt") && !is_there("again.txt"),
                told(1),
            ),
        ];
        for (what, holds, shown) in lines {
            self.line(what, holds, shown);
        }
        fs::remove_file(&configuration)
            .map_err(|source| Failed::File { path: configuration, source })
    }

    /// Types the task, again where the servers were not there yet; whether the model's first call was made.
    fn begins(&self, window: &Window) -> bool {
        let model = self.bench.model;
        window.wait(QUESTION, |screen| screen.len() > 20);
        thread::sleep(Duration::from_secs(3));
        for _ in 0..TYPED {
            window.type_line(&self.bench.filled("@TASK@"));
            let answered = |script: &mut Script| script.made > 0 || script.not_offered.is_some();
            window.wait(QUESTION, |_| model.look(answered));
            if model.look(|script| script.made > 0) {
                return true;
            }
            model.look(|script| script.not_offered = None);
            thread::sleep(Duration::from_secs(3));
        }
        false
    }

    /// Answers the gate's question about a call that names this file; whether there was one.
    fn answers(&self, window: &Window, names: &str, keys: &[&str]) -> bool {
        let model = self.bench.model;
        let before = model.look(|script| script.told.len());
        let is_asked = window.wait(QUESTION, |screen| {
            if screen.contains("Portcullis asks") && screen.contains(names) {
                return true;
            }
            if let Some((question, keys)) = self.seat.own
                && screen.contains(question)
                && screen.contains(names)
            {
                window.strike(keys);
            }
            false
        });
        if is_asked {
            window.strike(keys);
        }
        is_asked && window.wait(QUESTION, |_| model.look(|script| script.told.len()) > before)
    }

    /// A server whose tool says something else than was accepted, since its package was changed.
    fn changed(&mut self) -> Result<(), Failed> {
        let module = module()?;
        let text = command::read(&module)?;
        let changed = text.replace(DESCRIPTION.0, DESCRIPTION.1);
        if changed == text {
            let words = format!("`{}` does not hold `{}`", module.display(), DESCRIPTION.0);
            return Err(Failed::Broken(words));
        }
        let copy = self.bench.home.with_file_name("changed.py");
        command::write(&copy, &changed)?;
        let mut mount = Command::new("mount");
        // In these namespaces alone: what was fetched stays what it was.
        command::run(mount.arg("--bind").arg(&copy).arg(&module), "install util-linux")?;
        let outcome = self.task(vec![self.git("mcp__git__git_status")])?;
        let offered = outcome.script.not_offered.map(|(_, offered)| offered).unwrap_or_default();
        let others = offered.iter().filter(|name| name.starts_with("mcp__git__")).count();
        let listed = self.portcullis(&["mcp", "list"]);
        let is_held = listed.contains("held        tool git_status");
        let holds = outcome.script.made == 0 && others > 5 && is_held;
        let shown =
            format!("{others} other tools of it are offered; `mcp list` calls it held: {is_held}");
        self.line(
            "a rug pull: `git_status` says something else, and is not offered to the model",
            holds,
            shown,
        );
        let outcome = self.task(vec![self.git("mcp__git__git_log")])?;
        let holds = told(&outcome).contains("Commit");
        self.line("meanwhile its other tools answer", holds, told(&outcome));
        self.person("mcp accept", "git")?;
        let outcome = self.task(vec![self.git("mcp__git__git_status")])?;
        let holds = told(&outcome).contains("branch");
        self.line("a person accepts it before a diff, and it answers", holds, told(&outcome));
        let mut unmount = Command::new("umount");
        command::run(unmount.arg(&module), "install util-linux")
    }

    /// A person takes the gate away.
    fn unwrapped(&mut self) -> Result<(), Failed> {
        let names = |trial: &Self| {
            let program = trial.bench.program.display().to_string();
            command::read(&trial.settings()).map(|text| text.matches(&program).count())
        };
        let before = names(self)?;
        self.person("mcp unwrap", self.seat.agent)?;
        let after = names(self)?;
        let shown = format!("entries that name the gate: {before}, then {after}");
        self.line("taken away, no entry names it", before == SERVERS.len() && after == 0, shown);
        Ok(())
    }

    /// Has a person at a terminal do something with the gate, who answers what is asked there.
    fn person(&self, verb: &str, object: &str) -> Result<(), Failed> {
        let folder = self.bench.home.parent().unwrap_or(&self.bench.home);
        let words = format!(
            "cd {} && env HOME={} PATH={} {} {verb} {object}",
            self.bench.project.display(),
            self.bench.home.display(),
            self.bench.search_path(),
            self.bench.program.display(),
        );
        match isolation::as_person(folder, &words)? {
            true => Ok(()),
            false => Err(Failed::Broken(format!("no person could do `{verb} {object}`"))),
        }
    }

    /// What the gate prints to these words.
    fn portcullis(&self, words: &[&str]) -> String {
        let mut command = Command::new(&self.bench.program);
        command.args(words).current_dir(&self.bench.project).stdin(Stdio::null());
        self.bench.surround(&mut command);
        let said = command.output().map(|output| output.stdout).unwrap_or_default();
        String::from_utf8_lossy(&said).into_owned()
    }
}

/// The module of the server for git.
fn module() -> Result<PathBuf, Failed> {
    let library = fetch::cache().join("server-git/lib");
    let failed = |source| Failed::File { path: library.clone(), source };
    for entry in fs::read_dir(&library).map_err(failed)?.flatten() {
        let module = entry.path().join("site-packages/mcp_server_git/server.py");
        if module.exists() {
            return Ok(module);
        }
    }
    Err(Failed::Broken(format!("no server for git is in `{}`", library.display())))
}

/// What the model was told.
fn told(outcome: &Outcome) -> String {
    outcome.script.told.join(" / ")
}

fn why(outcome: &Outcome) -> String {
    let script = &outcome.script;
    match &script.not_offered {
        Some((tool, offered)) => format!("no tool `{tool}` among {}", offered.join(", ")),
        None if outcome.is_late => "it took too long".to_owned(),
        None => format!("{} calls made; {}", script.made, outcome.last_words),
    }
}
