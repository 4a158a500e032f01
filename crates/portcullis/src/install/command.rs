//! The command that an agent is given. Owns how our own program is named and quoted, and how a command that stands in a
//! file is understood again.

use std::{env, fs, io, path::Path};

use serde_json::Value;

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

/// The shell that stands around us where an agent lets calls run that a hook said nothing about.
const SHELL: &str = "/bin/sh";

/// What that shell is told first: to run us with what follows.
const RUNS_US: &str = r#""$0" "$@" || "#;

/// What is said where we could not be started, or were killed.
pub const LOST: &str = "portcullis could not be run or was killed, so this is denied. help: see what `portcullis doctor` says";

/// Ends with the code that blocks. Where that is ours, the reason was given already.
#[must_use]
pub fn ending_in_denial() -> String {
    let told = LOST.replace('`', "");
    format!("{RUNS_US}{{ [ $? -eq 2 ] || echo \"{told}\" >&2; exit 2; }}")
}

/// Prints an answer that denies. It stands in double quotes of the shell, and those in single quotes of another one, so
/// that it has none of these itself.
#[must_use]
pub fn ending_in_answer(answer: &str) -> String {
    let plain = answer.replace(['\'', '`'], "");
    let mut quoted = String::new();
    for letter in plain.trim_end().chars() {
        if matches!(letter, '"' | '\\' | '$') {
            quoted.push('\\');
        }
        quoted.push(letter);
    }
    format!("{RUNS_US}printf \"%s\" \"{quoted}\"")
}

/// A command with what happens where it could not be run.
#[must_use]
pub fn guarded(words: Vec<String>, script: Option<String>) -> Vec<String> {
    match script {
        None => words,
        Some(script) => {
            [SHELL.to_owned(), "-c".to_owned(), script].into_iter().chain(words).collect()
        }
    }
}

/// A command that stands in a file of an agent, and that is ours.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Called {
    /// Its words, as far as it is a plain command; empty where it is more than that. Without the shell that we put around
    /// it.
    pub words: Vec<String>,
    /// What that shell does where we could not be run.
    pub script: Option<String>,
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
    pub fn of(hook: &Value, key: &str) -> Option<Self> {
        let line = |key: &str| hook.get(key).and_then(Value::as_str);
        let line = line(key).or_else(|| line("command"))?;
        if let Some(arguments) = hook.get("args").and_then(Value::as_array) {
            let mut words = vec![line.to_owned()];
            words.extend(arguments.iter().filter_map(Value::as_str).map(str::to_owned));
            return Some(Self::running(words.clone(), Run::Words(words)));
        }
        Some(Self::running(split(line).unwrap_or_default(), Run::Shell(line.to_owned())))
    }

    /// A command of these words, run in this way.
    #[must_use]
    pub fn running(words: Vec<String>, run: Run) -> Self {
        match words.as_slice() {
            [shell, flag, script, inner @ ..]
                if is_shell(shell) && flag == "-c" && script.starts_with(RUNS_US) =>
            {
                Self { words: inner.to_vec(), script: Some(script.clone()), run }
            }
            _ => Self { words, script: None, run },
        }
    }

    /// Whether it calls us: a program of our name with our verb, alone or in something longer.
    #[must_use]
    pub fn is_ours(&self, program: &Program) -> bool {
        let ours = |word: &str| {
            let name = base(word);
            name == program.name() || name.starts_with("portcullis")
        };
        if let ([], Run::Shell(line)) = (self.words.as_slice(), &self.run) {
            let named = line.contains("portcullis") || line.contains(program.path());
            return named && line.contains(VERB);
        }
        let inner = self.inner_words();
        let at = inner.iter().position(|word| ours(word));
        at.is_some_and(|at| inner.iter().skip(at + 1).any(|word| word == VERB))
    }

    /// Its words, with those of a script that a shell is given in the script's place.
    fn inner_words(&self) -> Vec<String> {
        let mut all = Vec::new();
        let mut words = self.words.iter();
        let mut before: Option<&str> = None;
        let mut runs_script = false;
        while let Some(word) = words.next() {
            runs_script |= is_shell(word);
            if runs_script && before.is_some_and(is_command_flag) {
                let rest: Vec<&String> = words.collect();
                let mut script = word.replace("$@", &joined(rest.get(1..).unwrap_or_default()));
                script = script.replace("$*", &joined(rest.get(1..).unwrap_or_default()));
                for (at, argument) in rest.iter().enumerate().take(10) {
                    script = script.replace(&format!("${at}"), argument);
                    script = script.replace(&format!("${{{at}}}"), argument);
                }
                let between = |letter: char| {
                    letter.is_whitespace()
                        || matches!(letter, '"' | '\'' | ';' | '&' | '|' | '(' | ')' | '{' | '}')
                };
                all.extend(
                    script.split(between).filter(|part| !part.is_empty()).map(str::to_owned),
                );
                break;
            }
            all.push(word.clone());
            before = Some(word);
        }
        all
    }

    /// The program that it runs, where it is a plain command.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        self.words.first().map(String::as_str)
    }

    /// Whether it says more than [`Program::patient_words`] would: options that somebody added.
    #[must_use]
    pub fn says_more(&self, agent: &str) -> bool {
        let inner = self.inner_words();
        let words: Vec<&str> = inner.iter().skip(1).map(String::as_str).collect();
        match words.as_slice() {
            [VERB, name] => *name != agent,
            [VERB, name, WAIT, seconds] => *name != agent || seconds.parse::<u32>().is_err(),
            _ => true,
        }
    }

    /// Whether it has options that somebody added.
    #[must_use]
    pub fn has_options(&self) -> bool {
        self.inner_words().iter().any(|word| word.starts_with("--"))
    }

    /// The same with another program in the place of the one that it runs; `None` where that is not named.
    #[must_use]
    pub fn with_program(&self, from: &str, to: &str) -> Option<Self> {
        let run = match &self.run {
            Run::Words(words) => Run::Words(
                words
                    .iter()
                    .map(|word| if word == from { to.to_owned() } else { word.clone() })
                    .collect(),
            ),
            Run::Shell(line) => Run::Shell(line.replace(&quoted(from), &quoted(to))),
        };
        (run != self.run).then(|| Self { run, ..self.clone() })
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

fn is_shell(word: &str) -> bool {
    matches!(base(word), "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash")
}

/// `-c`, alone or with other short options.
fn is_command_flag(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| !rest.starts_with('-') && rest.contains('c'))
}

fn joined(words: &[&String]) -> String {
    words.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(" ")
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
pub(super) fn split(line: &str) -> Option<Vec<String>> {
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
    fn what_stands_around_us_is_taken_off_again_and_denies_where_we_are_gone() {
        let program = Program { path: "/it's/$(rm)/a \"b\"/portcullis".to_owned(), wait: 0 };
        let answer = "{\"cancel\":true,\"errorMessage\":\"it costs $5 \\\\ it's `gone`\"}\n";
        for script in [ending_in_denial(), ending_in_answer(answer)] {
            assert!(!script.contains('\''), "{script}");
            let words = guarded(program.words("codex"), Some(script.clone()));
            let called =
                Called::of(&serde_json::json!({"command": line(&words)}), "command").unwrap();
            assert_eq!(called.words, program.words("codex"));
            assert_eq!(called.script, Some(script));
            assert!(called.is_ours(&program));
            let ran =
                std::process::Command::new("/bin/sh").arg("-c").arg(line(&words)).output().unwrap();
            let said = String::from_utf8(ran.stdout).unwrap();
            match ran.status.code() {
                Some(2) => assert!(String::from_utf8_lossy(&ran.stderr).contains("denied")),
                Some(0) => assert_eq!(
                    serde_json::from_str::<Value>(&said).unwrap(),
                    serde_json::json!({"cancel": true, "errorMessage": "it costs $5 \\ its gone"})
                ),
                other => panic!("{other:?}: {said}"),
            }
        }
    }

    #[test]
    fn an_answer_of_ours_goes_through_what_stands_around_us() {
        for (code, told) in [(0, ""), (2, "because")] {
            let inner = format!("echo said; echo '{told}' >&2; exit {code}");
            let words = ["/bin/sh", "-c", &inner].map(str::to_owned).to_vec();
            let words = guarded(words, Some(ending_in_denial()));
            let ran = std::process::Command::new(&words[0]).args(&words[1..]).output().unwrap();
            assert_eq!(ran.status.code(), Some(code));
            assert_eq!(ran.stdout, b"said\n");
            assert_eq!(String::from_utf8(ran.stderr).unwrap().trim(), told);
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
            (serde_json::json!({"command": "sh -c 'portcullis hook codex || exit 2'"}), true),
            (serde_json::json!({"command": "bash -lc \"'/a b/portcullis' hook codex\""}), true),
            (
                serde_json::json!({"command": "sh", "args": ["-c", "\"$0\" hook claude || exit 2", "/opt/gate"]}),
                true,
            ),
            (serde_json::json!({"command": "env A=1 nice -n 5 /opt/gate hook codex"}), true),
            (serde_json::json!({"command": "GATE=/opt/gate; $GATE hook codex"}), true),
            (serde_json::json!({"command": "sh -c 'echo portcullis'"}), false),
            (serde_json::json!({"command": "portcullis check"}), false),
            (serde_json::json!({"command": "dcg hook claude"}), false),
            (serde_json::json!({"command": "git hook run portcullis"}), false),
        ] {
            let called = Called::of(&hook, "command").unwrap();
            assert_eq!(called.is_ours(&program), ours, "{hook}");
        }
    }
}
