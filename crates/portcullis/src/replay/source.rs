//! Recorded calls, read from what agents and shells leave behind. Owns the formats; what a call means is for the engine.
//!
//! A file of JSON lines is read line by line, and each line by what it holds, since agents mix kinds in one file. Anything
//! else is a list of commands, as shells keep their history.

use std::{
    fs::{self, File},
    io::{self, BufReader},
    path::{Path, PathBuf},
    rc::Rc,
};

use portcullis_core::call::ToolCall;
use serde_json::{Map, Value};

use crate::{hook, wire};

/// The most calls of one replay: a year of anybody's work, and little enough to be held in memory.
pub const MAX_CALLS: usize = 200_000;

/// How deep directories are searched for events.
const MAX_DEPTH: usize = 8;

/// The longest history that is read as text.
const MAX_HISTORY: u64 = 64 << 20;

/// Where a call was read.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Place {
    /// The file.
    pub file: Rc<Path>,
    /// The line, from 1.
    pub line: usize,
}

/// A call as somebody recorded it.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The call.
    pub call: ToolCall,
    /// Where it was read.
    pub place: Place,
}

/// What was read.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The calls, in order.
    pub calls: Vec<Recorded>,
    /// How many files were read.
    pub files: usize,
    /// Lines that hold no call: messages, results, comments.
    pub other_lines: usize,
    /// Calls that a record keeps only a part of, because they held a secret or were long.
    pub cut: usize,
}

/// Why nothing can be replayed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// A file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A history is longer than 64 MiB.
    #[error("cannot read `{}`: it is longer than {} MiB", path.display(), MAX_HISTORY >> 20)]
    TooLong {
        /// Which.
        path: PathBuf,
    },
    /// More calls than [`MAX_CALLS`].
    #[error("there are more than {MAX_CALLS} calls")]
    TooMany,
}

impl Reading {
    /// Reads files, and the files of directories.
    ///
    /// # Errors
    /// [`SourceError`].
    pub fn of(paths: &[PathBuf]) -> Result<Self, SourceError> {
        let mut reading = Self::default();
        for path in paths {
            reading.path(path, 0)?;
        }
        Ok(reading)
    }

    /// Reads records, as an export has them.
    ///
    /// # Errors
    /// [`SourceError::TooMany`].
    pub fn of_records(records: impl IntoIterator<Item = Value>) -> Result<Self, SourceError> {
        let (mut reading, mut transcript) = (Self::default(), Transcript::default());
        let file: Rc<Path> = Path::new("record").into();
        for (number, record) in records.into_iter().enumerate() {
            reading.value(&mut transcript, &record, &file, number + 1)?;
        }
        Ok(reading)
    }

    fn path(&mut self, path: &Path, depth: usize) -> Result<(), SourceError> {
        let unreadable = |source| SourceError::Unreadable { path: path.to_owned(), source };
        let metadata = fs::metadata(path).map_err(unreadable)?;
        if !metadata.is_dir() {
            return self.file(path, metadata.len());
        }
        let entries: Result<Vec<_>, _> = fs::read_dir(path).map_err(unreadable)?.collect();
        let mut inside: Vec<PathBuf> =
            entries.map_err(unreadable)?.iter().map(fs::DirEntry::path).collect();
        // The names of events and sessions begin with their numbers or times.
        inside.sort();
        for path in inside {
            let is_directory = path.is_dir();
            let is_told = path.extension().is_some_and(|end| end == "json" || end == "jsonl");
            if is_told && !is_directory || is_directory && depth < MAX_DEPTH {
                self.path(&path, depth + 1)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, length: u64) -> Result<(), SourceError> {
        self.files += 1;
        let unreadable = |source| SourceError::Unreadable { path: path.to_owned(), source };
        let file: Rc<Path> = path.into();
        if is_json(path).map_err(unreadable)? {
            let mut lines = wire::Lines::new(BufReader::new(File::open(path).map_err(unreadable)?));
            let mut transcript = Transcript::default();
            let mut whole = Vec::new();
            while let Some((number, line)) = lines.read().map_err(unreadable)? {
                let line = line.unwrap_or_default();
                match wire::parse(line, number) {
                    Ok(value) => self.value(&mut transcript, &value, &file, number)?,
                    // One event that is written over several lines.
                    Err(_) if length <= MAX_HISTORY => whole.extend_from_slice(line),
                    Err(_) => self.other_lines += 1,
                }
            }
            if let Ok(value) = wire::parse(&whole, 1) {
                self.value(&mut transcript, &value, &file, 1)?;
            } else if !whole.is_empty() {
                self.other_lines += 1;
            }
            return Ok(());
        }
        if length > MAX_HISTORY {
            return Err(SourceError::TooLong { path: path.to_owned() });
        }
        let bytes = fs::read(path).map_err(unreadable)?;
        let text = String::from_utf8_lossy(&bytes);
        for (number, command) in commands(&text) {
            self.push(ToolCall::shell(command), &file, number)?;
        }
        Ok(())
    }

    fn value(
        &mut self,
        transcript: &mut Transcript,
        value: &Value,
        file: &Rc<Path>,
        line: usize,
    ) -> Result<(), SourceError> {
        match transcript.calls(value) {
            Line::Calls(calls) => {
                for call in calls {
                    self.push(call, file, line)?;
                }
            }
            Line::Cut => self.cut += 1,
            Line::Other => self.other_lines += 1,
        }
        Ok(())
    }

    fn push(&mut self, call: ToolCall, file: &Rc<Path>, line: usize) -> Result<(), SourceError> {
        if self.calls.len() == MAX_CALLS {
            return Err(SourceError::TooMany);
        }
        self.calls.push(Recorded { call, place: Place { file: Rc::clone(file), line } });
        Ok(())
    }
}

/// Whether a file begins as JSON does.
fn is_json(path: &Path) -> io::Result<bool> {
    use io::Read as _;
    let mut start = Vec::new();
    File::open(path)?.take(256).read_to_end(&mut start)?;
    Ok(start.trim_ascii_start().starts_with(b"{"))
}

/// What a line holds.
enum Line {
    Calls(Vec<ToolCall>),
    /// A call of which only a part was kept.
    Cut,
    Other,
}

/// What the lines before said of the lines that follow.
#[derive(Debug, Default)]
struct Transcript {
    cwd: Option<String>,
    session: Option<String>,
}

/// A kind of line, tried in this order.
const KINDS: &[fn(&mut Transcript, &Value) -> Option<Line>] = &[
    Transcript::call,
    Transcript::record,
    Transcript::claude,
    Transcript::codex,
    Transcript::openhands,
    Transcript::hook,
];

impl Transcript {
    fn calls(&mut self, value: &Value) -> Line {
        KINDS.iter().find_map(|kind| kind(self, value)).unwrap_or(Line::Other)
    }

    /// A call as `check --jsonl` reads it.
    fn call(&mut self, value: &Value) -> Option<Line> {
        value.get("tool")?;
        value.get("arguments")?;
        let request = wire::Request::parse(value.to_string().as_bytes(), 1).ok()?;
        Some(Line::Calls(vec![request.call]))
    }

    /// A line of `audit export`. It keeps the text of a call, redacted and cut, and not its arguments.
    fn record(&mut self, value: &Value) -> Option<Line> {
        value.get("sequence")?;
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        if text("kind") != Some("decision") {
            return Some(Line::Other);
        }
        let preview = text("preview")?;
        let was_changed = preview.contains("***") || preview.contains("[… ");
        Some(match (text("tool"), was_changed) {
            (Some(tool), false) => {
                let key = match portcullis_core::tool::meaning(tool) {
                    portcullis_core::tool::Meaning::Shell => "command",
                    portcullis_core::tool::Meaning::Code(_) => "code",
                    portcullis_core::tool::Meaning::Query => "query",
                    portcullis_core::tool::Meaning::Http(_) => "url",
                    portcullis_core::tool::Meaning::File(_) => "path",
                    // What they did is not in the text.
                    _ => return Some(Line::Cut),
                };
                let arguments = Map::from_iter([(key.to_owned(), preview.into())]);
                Line::Calls(vec![ToolCall {
                    tool: tool.to_owned(),
                    arguments,
                    cwd: text("cwd").map(str::to_owned),
                    session: text("session").map(str::to_owned),
                    agent: text("agent").map(str::to_owned),
                    ..ToolCall::default()
                }])
            }
            _ => Line::Cut,
        })
    }

    /// A line of Claude Code's transcript: a message whose content holds `tool_use` blocks.
    fn claude(&mut self, value: &Value) -> Option<Line> {
        let content = value.pointer("/message/content")?;
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        self.cwd = text("cwd").or(self.cwd.take());
        self.session = text("sessionId").or(self.session.take());
        let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
        let calls = blocks.iter().filter_map(|block| {
            let is_call = block.get("type").and_then(Value::as_str) == Some("tool_use");
            let name = block.get("name").and_then(Value::as_str).filter(|_| is_call)?;
            Some(self.made("claude", name, block.get("input")?.as_object()?.clone()))
        });
        Some(some(calls.collect()))
    }

    /// A line of a Codex rollout: function calls among response items, and the directory in the metadata.
    fn codex(&mut self, value: &Value) -> Option<Line> {
        let kind = value.get("type").and_then(Value::as_str)?;
        let payload = value.get("payload")?;
        let text = |key: &str| payload.get(key).and_then(Value::as_str);
        match kind {
            "session_meta" | "turn_context" => {
                self.cwd = text("cwd").map(str::to_owned).or(self.cwd.take());
                self.session = text("id").map(str::to_owned).or(self.session.take());
                Some(Line::Other)
            }
            "response_item" => {
                let call = match text("type")? {
                    "function_call" => {
                        let arguments = text("arguments")?;
                        let arguments = wire::parse(arguments.as_bytes(), 1).ok()?;
                        self.made("codex", text("name")?, arguments.as_object()?.clone())
                    }
                    "custom_tool_call" => {
                        let input = Map::from_iter([("input".to_owned(), text("input")?.into())]);
                        self.made("codex", text("name")?, input)
                    }
                    "local_shell_call" => {
                        let action = payload.get("action")?.as_object()?;
                        self.made("codex", "shell", action.clone())
                    }
                    _ => return Some(Line::Other),
                };
                Some(Line::Calls(vec![call]))
            }
            _ => Some(Line::Other),
        }
    }

    /// An event of OpenHands: an action with the call that it was made of.
    fn openhands(&mut self, value: &Value) -> Option<Line> {
        let kind = value.get("kind").and_then(Value::as_str)?;
        if kind != "ActionEvent" {
            return kind.ends_with("Event").then_some(Line::Other);
        }
        let call = value.get("tool_call");
        let text = |pointer| call?.pointer(pointer).and_then(Value::as_str);
        let name = value.get("tool_name").and_then(Value::as_str);
        let name = name.or_else(|| text("/name").or_else(|| text("/function/name")))?;
        let written = text("/arguments").or_else(|| text("/function/arguments"));
        let arguments = match written {
            Some(arguments) => wire::parse(arguments.as_bytes(), 1).ok()?.as_object()?.clone(),
            None => {
                let mut action = value.get("action")?.as_object()?.clone();
                action.remove("kind");
                action
            }
        };
        Some(Line::Calls(vec![self.made("openhands", name, arguments)]))
    }

    /// A payload of a hook that somebody kept.
    fn hook(&mut self, value: &Value) -> Option<Line> {
        let calls = hook::calls_of(value);
        (!calls.is_empty()).then_some(Line::Calls(calls))
    }

    fn made(&self, agent: &str, tool: &str, arguments: Map<String, Value>) -> ToolCall {
        let directory = arguments.get("workdir").and_then(Value::as_str).map(str::to_owned);
        ToolCall {
            tool: tool.to_owned(),
            arguments,
            cwd: directory.filter(|path| Path::new(path).is_absolute()).or(self.cwd.clone()),
            session: self.session.clone(),
            agent: Some(agent.to_owned()),
            ..ToolCall::default()
        }
    }
}

fn some(calls: Vec<ToolCall>) -> Line {
    if calls.is_empty() { Line::Other } else { Line::Calls(calls) }
}

/// The commands of a shell's history with their lines: of bash (times in comments), zsh (`: time:seconds;command`, lines
/// joined by a backslash), fish (`- cmd: command`), or one command a line.
fn commands(text: &str) -> Vec<(usize, String)> {
    let is_fish = text.lines().any(|line| line.starts_with("- cmd: "));
    let is_zsh = text.lines().any(|line| extended(line).is_some());
    let mut commands: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (index, line) in text.lines().enumerate() {
        let command = match (is_fish, is_zsh) {
            (true, _) => match line.strip_prefix("- cmd: ") {
                Some(command) => command.replace("\\n", "\n").replace("\\\\", "\\"),
                None => continue,
            },
            (false, true) => extended(line).unwrap_or(line).to_owned(),
            (false, false) => line.to_owned(),
        };
        let is_time = |line: &str| {
            line.strip_prefix('#').is_some_and(|rest| {
                !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit())
            })
        };
        let joins = !is_fish && command.ends_with('\\');
        let command = if joins { format!("{command}\n") } else { command };
        match commands.last_mut().filter(|_| goes_on) {
            Some((_, before)) => before.push_str(&command),
            None if command.trim().is_empty() || is_time(&command) => {}
            None => commands.push((index + 1, command)),
        }
        goes_on = joins;
    }
    commands
}

/// The command of a line of zsh's extended history.
fn extended(line: &str) -> Option<&str> {
    let (time, rest) = line.strip_prefix(": ")?.split_once(':')?;
    let (seconds, command) = rest.split_once(';')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (digits(time) && digits(seconds)).then_some(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Reading {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("source");
        fs::write(&path, text).unwrap();
        Reading::of(&[path]).unwrap()
    }

    #[test]
    fn every_kind_of_line_gives_its_call() {
        let kinds = [
            ("a call", r#"{"tool":"bash","arguments":{"command":"ls -la"}}"#),
            (
                "a transcript of Claude Code",
                r#"{"type":"assistant","cwd":"/w","sessionId":"s","message":{"role":"assistant","content":[
                    {"type":"text","text":"rm -rf /"},
                    {"type":"tool_use","id":"1","name":"Bash","input":{"command":"ls -la"}}]}}"#,
            ),
            (
                "a function call of Codex",
                r#"{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":\"ls -la\",\"workdir\":\"/w\"}"}}"#,
            ),
            (
                "a local shell call of Codex",
                r#"{"type":"response_item","payload":{"type":"local_shell_call","action":{"type":"exec","command":["bash","-lc","ls -la"]}}}"#,
            ),
            (
                "an event of OpenHands",
                r#"{"kind":"ActionEvent","tool_name":"execute_bash","tool_call":{"function":{"name":"execute_bash","arguments":"{\"command\":\"ls -la\"}"}}}"#,
            ),
            (
                "an action of OpenHands",
                r#"{"kind":"ActionEvent","tool_name":"execute_bash","action":{"kind":"ExecuteBashAction","command":"ls -la"}}"#,
            ),
            (
                "a payload of a hook",
                r#"{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"ls -la"}}"#,
            ),
            (
                "a line of the record",
                r#"{"v":1,"sequence":4,"kind":"decision","tool":"bash","preview":"ls -la"}"#,
            ),
        ];
        for (name, line) in kinds {
            let reading = read(&line.replace('\n', ""));
            assert_eq!(reading.calls.len(), 1, "{name}: {reading:?}");
            let text = reading.calls[0].call.arguments["command"].to_string();
            assert!(text.contains("ls -la"), "{name}: {text}");
        }
    }

    #[test]
    fn the_directory_of_a_session_counts_for_the_calls_after_it() {
        let reading = read(concat!(
            r#"{"type":"session_meta","payload":{"id":"s","cwd":"/w"}}"#,
            "\n",
            r#"{"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch"}}"#,
        ));
        assert_eq!(reading.calls[0].call.cwd.as_deref(), Some("/w"));
        assert_eq!(reading.other_lines, 1);
    }

    #[test]
    fn a_part_of_a_call_is_not_taken_for_the_call() {
        let reading = read(concat!(
            r#"{"v":1,"sequence":4,"kind":"decision","tool":"bash","preview":"curl -H 'x: ***' y"}"#,
            "\n",
            r#"{"v":1,"sequence":5,"kind":"decision","tool":"mcp__a__b","preview":"{}"}"#,
            "\n",
            r#"{"v":1,"sequence":6,"kind":"outcome"}"#,
        ));
        assert_eq!((reading.calls.len(), reading.cut, reading.other_lines), (0, 2, 1));
    }

    #[test]
    fn histories_of_shells_are_read() {
        let read = |text: &str| -> Vec<String> {
            commands(text).into_iter().map(|(_, command)| command).collect()
        };
        assert_eq!(read("ls\n\n#1700000000\ngit status\n# note\n"), ["ls", "git status", "# note"]);
        assert_eq!(read(": 1700000000:0;ls \\\n-la\n: 1700000001:2;pwd\n"), ["ls \\\n-la", "pwd"]);
        assert_eq!(read("- cmd: ls\n  when: 1\n- cmd: a\\nb\n  when: 2\n"), ["ls", "a\nb"]);
    }

    #[test]
    fn what_is_no_call_is_counted_and_nothing_stops_the_reading() {
        let reading =
            read("{\"a\":1}\n{broken\n{\"tool\":\"bash\",\"arguments\":{\"command\":\"ls\"}}\n");
        assert_eq!((reading.calls.len(), reading.other_lines), (1, 2));
    }
}
