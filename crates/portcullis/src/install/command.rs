//! The command that an agent is given. Owns how our own program is named and quoted, and how a command that stands in a
//! file is understood again.

use std::{env, fs, io, path::Path};

use serde_json::Value;

use super::table::Call;

/// The name of the verb that agents call.
const VERB: &str = "hook";

/// Its option that says how long the agent waits for a person.
const WAIT: &str = "--wait";

/// The program that agents are to call.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Program {
    path: String,
    /// For how many seconds agents are to wait for a person, beyond the time that they give every hook.
    wait: u32,
}

/// Why this program cannot be what agents call.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoProgram {
    /// The system does not say which file this is.
    #[error("which file this program runs from cannot be found out: {0}")]
    Unknown(#[source] io::Error),
    /// It was deleted or replaced while it runs.
    #[error("the file that this program runs from is gone: `{0}`")]
    Gone(String),
    /// Its path is no text.
    #[error("this program's path is not UTF-8: `{0}`")]
    NotText(String),
    /// Anybody can put another program in its place.
    #[error(
        "everyone may write to `{0}`, so anybody could put another program in the gate's place"
    )]
    WritableByEveryone(String),
}

impl Program {
    /// This program, by the absolute path of its file.
    ///
    /// # Errors
    /// [`NoProgram`].
    pub fn this() -> Result<Self, NoProgram> {
        let path = env::current_exe().map_err(NoProgram::Unknown)?;
        Self::at(&path)
    }

    /// The program in a file.
    ///
    /// # Errors
    /// [`NoProgram`].
    pub fn at(path: &Path) -> Result<Self, NoProgram> {
        let shown = || path.to_string_lossy().into_owned();
        let text = path.to_str().ok_or_else(|| NoProgram::NotText(shown()))?;
        if !path.is_absolute() || !path.is_file() {
            return Err(NoProgram::Gone(shown()));
        }
        for part in path.ancestors() {
            let metadata = fs::metadata(part).map_err(NoProgram::Unknown)?;
            if open_to_everyone(&metadata) {
                return Err(NoProgram::WritableByEveryone(part.to_string_lossy().into_owned()));
            }
        }
        Ok(Self { path: text.to_owned(), wait: 0 })
    }

    /// For agents that are to wait so many seconds for a person.
    #[must_use]
    pub fn waiting(self, wait: u32) -> Self {
        Self { wait, ..self }
    }

    /// How many seconds agents that can be told so are to wait for a person.
    #[must_use]
    pub const fn wait(&self) -> u32 {
        self.wait
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What may become of its path, in a sentence.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let path = Path::new(&self.path);
        let is_in = |names: &[&str]| {
            path.parent().is_some_and(|path| {
                path.components().any(|part| names.iter().any(|name| part.as_os_str() == *name))
            })
        };
        let starts = |roots: &[&str]| roots.iter().any(|root| path.starts_with(root));
        if starts(&["/tmp", "/var/tmp", "/dev/shm", "/run"]) {
            return Some(format!(
                "`{}` is in a directory that is emptied: agents go on without us when it is gone",
                self.path
            ));
        }
        if is_in(&["target"]) && is_in(&["debug", "release"]) {
            return Some(format!(
                "`{}` is a build directory: agents go on without us after `cargo clean`; `cargo install --path \
                 crates/portcullis --locked` puts the program where it stays",
                self.path
            ));
        }
        None
    }

    /// The words that the hook of an agent is called with that gives it only the usual time.
    #[must_use]
    pub fn words(&self, agent: &str) -> Vec<String> {
        vec![self.path.clone(), VERB.to_owned(), agent.to_owned()]
    }

    /// The words that the hook of an agent is called with that can be told to wait.
    #[must_use]
    pub fn patient_words(&self, agent: &str) -> Vec<String> {
        let mut words = self.words(agent);
        if self.wait > 0 {
            words.extend([WAIT.to_owned(), self.wait.to_string()]);
        }
        words
    }

    fn name(&self) -> &str {
        base(&self.path)
    }
}

/// A command that stands in a file of an agent, and that is ours.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Called {
    /// Its words, as far as it is a plain command; empty where it is more than that.
    pub words: Vec<String>,
    /// How it is run.
    pub run: Run,
}

/// How a command is run.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Run {
    /// By these words, without a shell.
    Words(Vec<String>),
    /// By the shell.
    Shell(String),
}

impl Called {
    /// The command of a hook, whoever's it is.
    #[must_use]
    pub fn of(hook: &Value, call: Call) -> Option<Self> {
        let line = |key: &str| hook.get(key).and_then(Value::as_str);
        let key = match call {
            Call::Words => "command",
            Call::Shell(key) => key,
        };
        let line = line(key).or_else(|| line("command"))?;
        if let Some(arguments) = hook.get("args").and_then(Value::as_array) {
            let mut words = vec![line.to_owned()];
            words.extend(arguments.iter().filter_map(Value::as_str).map(str::to_owned));
            return Some(Self { run: Run::Words(words.clone()), words });
        }
        let words = split(line).unwrap_or_default();
        Some(Self { words, run: Run::Shell(line.to_owned()) })
    }

    /// Whether it calls us: a program of our name with our verb, alone or in something longer.
    #[must_use]
    pub fn is_ours(&self, program: &Program) -> bool {
        let ours = |word: &str| {
            let name = base(word);
            name == program.name() || name.starts_with("portcullis")
        };
        match self.words.as_slice() {
            [] => match &self.run {
                Run::Shell(line) => line.contains("portcullis") && line.contains(VERB),
                Run::Words(_) => false,
            },
            words => {
                let at = words.iter().position(|word| ours(word));
                at.is_some_and(|at| words.iter().skip(at + 1).any(|word| word == VERB))
            }
        }
    }

    /// The program that it runs, where it is a plain command.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        self.words.first().map(String::as_str)
    }

    /// Whether it says more than [`Program::patient_words`] would: options that somebody added.
    #[must_use]
    pub fn says_more(&self, agent: &str) -> bool {
        let words: Vec<&str> = self.words.iter().skip(1).map(String::as_str).collect();
        match words.as_slice() {
            [VERB, name] => *name != agent,
            [VERB, name, WAIT, seconds] => *name != agent || seconds.parse::<u32>().is_err(),
            _ => true,
        }
    }

    /// It as it is shown.
    #[must_use]
    pub fn shown(&self) -> String {
        match &self.run {
            Run::Shell(line) => line.clone(),
            Run::Words(words) => {
                words.iter().map(|word| quoted_if_needed(word)).collect::<Vec<_>>().join(" ")
            }
        }
    }
}

/// Words as a line for a shell, the program quoted whatever it is.
#[must_use]
pub fn line(words: &[String]) -> String {
    let mut words = words.iter();
    let program = words.next().map(|word| quoted(word)).unwrap_or_default();
    words.fold(program, |line, word| format!("{line} {}", quoted_if_needed(word)))
}

fn base(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// A word for a shell, in single quotes whatever it holds (POSIX.1-2024, XCU 2.2.2).
#[must_use]
pub fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn quoted_if_needed(word: &str) -> String {
    let plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | ':' | '=');
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { quoted(word) }
}

/// The words of a line that is a plain command: quotes and backslashes, and nothing that a shell would expand or run.
fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match rest.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match rest.next()? {
                        '"' => break,
                        '\\' => match rest.next()? {
                            c @ ('"' | '\\' | '$' | '`') => word.push(c),
                            c => word.extend(['\\', c]),
                        },
                        '$' | '`' => return None,
                        c => word.push(c),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(rest.next()?),
            '$' | '`' | '|' | '&' | ';' | '<' | '>' | '(' | ')' | '\n' | '\r' | '*' | '?' | '['
            | '#' | '~' | '{' => {
                return None;
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

/// Whether anybody may put something else in a file's or directory's place. In a directory with the sticky bit only owners
/// may.
#[must_use]
pub fn open_to_everyone(metadata: &fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let mode = metadata.mode();
        mode & 0o002 != 0 && !(metadata.is_dir() && mode & 0o1000 != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_one_word_again() {
        for path in [
            "/usr/bin/portcullis",
            "/a b/portcullis",
            "/it's/$(rm)/`x`/portcullis",
            "/ü\"\\/portcullis",
        ] {
            let program = Program { path: path.to_owned(), wait: 0 };
            let line = line(&program.words("claude"));
            assert_eq!(split(&line).as_deref(), Some(&program.words("claude")[..]), "{line}");
        }
    }

    #[test]
    fn a_command_that_calls_us_is_known_in_any_form() {
        let program = Program { path: "/opt/gate".into(), wait: 0 };
        for (hook, ours) in [
            (serde_json::json!({"command": "/opt/portcullis", "args": ["hook", "claude"]}), true),
            (serde_json::json!({"command": "'/a b/portcullis' hook codex"}), true),
            (serde_json::json!({"command": "/opt/gate hook codex"}), true),
            (serde_json::json!({"command": "portcullis --config /etc/p.toml hook codex"}), true),
            (serde_json::json!({"command": "portcullis hook codex || true"}), true),
            (serde_json::json!({"command": "timeout 1 portcullis hook codex"}), true),
            (serde_json::json!({"command": "portcullis check"}), false),
            (serde_json::json!({"command": "dcg hook claude"}), false),
            (serde_json::json!({"command": "git hook run portcullis"}), false),
        ] {
            let called = Called::of(&hook, Call::Words).unwrap();
            assert_eq!(called.is_ours(&program), ours, "{hook}");
        }
    }
}
