//! Programs in real Python and Node, in a directory of their own. Owns the interpreters, the files that are there and the record; it judges
//! nothing.

use std::{
    fs,
    io::{BufRead as _, BufReader, ErrorKind, Write as _},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::generate::{FILES, Program};
use crate::command::Failed;

/// How long a program may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Something that a program did.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Done {
    /// It gave a text to a shell.
    Shell(String),
    /// It started a program with arguments.
    Run(Vec<String>),
    /// It read a file.
    Read(String),
    /// It created or changed a file.
    Write(String),
    /// It made a directory.
    Make(String),
    /// It deleted a file or a directory.
    Delete(String),
    /// It moved a file or a directory from there.
    Take(String),
}

impl Done {
    /// Whether this does something to what the text names, a command or a path below the home directory, and does not only look at it.
    pub(super) fn is_change_of(&self, text: &str, home: &str) -> bool {
        match self {
            Self::Shell(done) => done == text,
            Self::Run(words) => {
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                words.join(" ") == text || words.last() == Some(&text)
            }
            Self::Write(path) | Self::Delete(path) => {
                path.strip_prefix(home).and_then(|path| path.strip_prefix('/')) == Some(text)
            }
            Self::Read(_) | Self::Make(_) | Self::Take(_) => false,
        }
    }
}

/// What came of a program.
#[derive(Debug, Default)]
pub(super) struct Ran {
    pub(super) done: Vec<Done>,
    /// What ended it, where it did not end by itself.
    pub(super) error: Option<String>,
}

/// A language's interpreter.
pub(super) struct Real {
    is_python: bool,
    folder: tempfile::TempDir,
    /// Python's, which makes a process for each program.
    server: Option<(Child, ChildStdin, BufReader<ChildStdout>)>,
}

impl Drop for Real {
    fn drop(&mut self) {
        if let Some((child, _, _)) = &mut self.server {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Real {
    /// An interpreter that can be started; `None` where there is none.
    pub(super) fn new(is_python: bool) -> Result<Option<Self>, Failed> {
        let folder = tempfile::tempdir()
            .map_err(|source| Failed::File { path: std::env::temp_dir(), source })?;
        let root = folder.path();
        let put = |name: &str, text: &str| {
            let path = root.join(name);
            fs::write(&path, text).map_err(|source| Failed::File { path, source })
        };
        put("record.py", include_str!("record.py"))?;
        put("record.js", include_str!("record.js"))?;
        let mut real = Self { is_python, server: None, folder };
        if is_python {
            let started = Command::new("python3")
                .args(["-S", "-B", "-W", "ignore"])
                .arg(real.folder.path().join("record.py"))
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn();
            let Ok(mut child) = started else { return Ok(None) };
            let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
                return Ok(None);
            };
            real.server = Some((child, input, BufReader::new(output)));
        } else if Command::new("node").arg("--version").stdout(Stdio::null()).status().is_err() {
            return Ok(None);
        }
        Ok(Some(real))
    }

    /// The directory that programs run in, which is their home directory too.
    pub(super) fn directory(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Runs a program to its end; `None` where it took too long.
    pub(super) fn run(&mut self, text: &str) -> Result<Option<Ran>, Failed> {
        let directory = self.directory();
        let failed = |path: &std::path::Path| {
            let path = path.to_path_buf();
            move |source| Failed::File { path, source }
        };
        match fs::remove_dir_all(&directory) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(failed(&directory)(error));
            }
            _ => {}
        }
        for file in FILES {
            let path = directory.join(file);
            let folder = path.parent().unwrap_or(&directory);
            fs::create_dir_all(folder).map_err(failed(folder))?;
            fs::write(&path, "text\n").map_err(failed(&path))?;
        }
        let program = self.folder.path().join(Program::file(text, self.is_python));
        let record = self.folder.path().join("record");
        fs::write(&program, text).map_err(failed(&program))?;
        fs::write(&record, "").map_err(failed(&record))?;
        if let Some((_, input, output)) = &mut self.server {
            let line =
                format!("{}\t{}\t{}\n", program.display(), record.display(), directory.display());
            let mut answer = String::new();
            input
                .write_all(line.as_bytes())
                .and_then(|()| input.flush())
                .and_then(|()| output.read_line(&mut answer))
                .map_err(failed(&program))?;
        } else {
            self.in_node(&program, &record)?;
        }
        let said = fs::read_to_string(&record).map_err(failed(&record))?;
        Ok(parse(&said))
    }

    fn in_node(&self, program: &std::path::Path, record: &std::path::Path) -> Result<(), Failed> {
        let failed =
            |source| Failed::Start { program: "node".to_owned(), source, help: "install Node" };
        let directory = self.directory();
        let mut child = Command::new("node")
            .arg("--no-warnings")
            .arg(self.folder.path().join("record.js"))
            .args([program, record])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &directory)
            .current_dir(&directory)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let began = Instant::now();
        while child.try_wait().map_err(failed)?.is_none() {
            if began.elapsed() > PATIENCE {
                let _ = child.kill();
                child.wait().map_err(failed)?;
                return Ok(());
            }
            thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }
}

/// The record; `None` where it has no end.
fn parse(record: &str) -> Option<Ran> {
    let mut ran = Ran::default();
    let mut has_ended = false;
    for line in record.lines() {
        let line: Value = serde_json::from_str(line).ok()?;
        let text = |key: &str| line.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
        ran.done.push(match text("kind").as_str() {
            "shell" => Done::Shell(text("text")),
            "read" => Done::Read(text("path")),
            "write" => Done::Write(text("path")),
            "make" => Done::Make(text("path")),
            "delete" => Done::Delete(text("path")),
            "take" => Done::Take(text("path")),
            "run" => {
                let words = line.get("words").and_then(Value::as_array).into_iter().flatten();
                Done::Run(words.filter_map(Value::as_str).map(str::to_owned).collect())
            }
            _ => {
                has_ended = true;
                ran.error = line.get("error").and_then(Value::as_str).map(str::to_owned);
                continue;
            }
        });
    }
    has_ended.then_some(ran)
}

#[cfg(test)]
mod tests {
    use super::{Done, Real};
    use crate::command::Failed;

    fn done(is_python: bool, text: &str) -> Result<Option<Vec<Done>>, Failed> {
        let Some(mut real) = Real::new(is_python)? else { return Ok(None) };
        let ran = real.run(text)?.unwrap_or_default();
        assert_eq!(ran.error, None, "{text}");
        let home = real.directory().display().to_string();
        let short = |path: String| path.replace(&format!("{home}/"), "");
        Ok(Some(
            ran.done
                .into_iter()
                .map(|done| match done {
                    Done::Read(path) => Done::Read(short(path)),
                    Done::Write(path) => Done::Write(short(path)),
                    Done::Make(path) => Done::Make(short(path)),
                    Done::Delete(path) => Done::Delete(short(path)),
                    started => started,
                })
                .collect(),
        ))
    }

    fn expected() -> Vec<Done> {
        let text = str::to_owned;
        vec![
            Done::Shell(text("alpha one; beta")),
            Done::Run(vec![text("gamma"), text("a b")]),
            Done::Write(text("made.txt")),
            Done::Read(text("data/b.csv")),
            Done::Make(text("new")),
            Done::Delete(text("build")),
            Done::Delete(text("a.txt")),
        ]
    }

    #[test]
    fn what_python_does_is_recorded_and_no_program_starts() -> Result<(), Failed> {
        let program = "import os, shutil, subprocess\nos.system('alpha one; beta')\n\
                       subprocess.run(['gamma', 'a b'], check=True)\nopen('made.txt', 'w').close()\n\
                       open('data/b.csv').read()\nos.mkdir('new')\nshutil.rmtree('build')\nos.remove('a.txt')\n";
        if let Some(mut done) = done(true, program)? {
            done.dedup();
            assert_eq!(done, expected());
        }
        Ok(())
    }

    #[test]
    fn what_node_does_is_recorded_and_no_program_starts() -> Result<(), Failed> {
        let program = "const fs = require('fs'), child = require('child_process');\n\
                       child.execSync('alpha one; beta'); child.spawnSync('gamma', ['a b']);\n\
                       fs.writeFileSync('made.txt', ''); fs.readFileSync('data/b.csv'); fs.mkdirSync('new');\n\
                       fs.rmSync('build', { recursive: true }); fs.promises.unlink('a.txt');\n";
        if let Some(done) = done(false, program)? {
            assert_eq!(done, expected());
        }
        Ok(())
    }
}
