//! A script in real bash, with nothing around it: an empty directory as the current and the home directory, a bare
//! environment, and a path on which every program records that it was started. Owns the shims, the limits and the record; it
//! judges nothing.

use std::{
    fs,
    io::ErrorKind,
    os::unix::{fs::PermissionsExt as _, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group};

use super::generate::{SHIMS, quoted};
use crate::command::Failed;

/// Programs that scripts use for what they do: a shim records them and becomes them.
const REAL: &[&str] = &[
    "base64", "basename", "bash", "cat", "chmod", "cp", "cut", "echo", "env", "find", "fold",
    "grep", "gzip", "head", "ln", "mkdir", "mv", "nice", "nohup", "paste", "printf", "rev", "sed",
    "seq", "sh", "sleep", "sort", "tac", "tail", "tee", "test", "timeout", "touch", "tr", "uniq",
    "xargs", "xxd",
];

/// Where they are looked for.
const PLACES: &[&str] = &["/usr/bin", "/bin", "/usr/local/bin"];

/// What a shell says to its limits before it becomes the one that runs the script: seconds of processor time, blocks of a
/// file, kilobytes of memory, no core.
const LIMITED: &str =
    "ulimit -t 5 -f 2048 -v 2097152 -c 0; exec -a bash \"$BASH\" --norc --noprofile -c \"$1\"";

/// How long a script may take, on whatever clock.
const PATIENCE: Duration = Duration::from_secs(10);

/// A program that was started: its name and its arguments.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Started {
    pub(crate) program: String,
    pub(crate) arguments: Vec<Vec<u8>>,
}

impl Started {
    /// Whether it is a program that does nothing but record that it ran.
    pub(crate) fn is_of_recorder(&self) -> bool {
        SHIMS.contains(&self.program.as_str())
    }
}

/// The place where scripts run, one after the other. It is removed with everything in it when it goes.
pub(crate) struct Bash {
    path: String,
    directory: PathBuf,
    record: PathBuf,
    bash: PathBuf,
    /// Removes itself.
    _folder: tempfile::TempDir,
}

impl Bash {
    /// Makes the shims. `None` where this machine has no bash.
    pub(crate) fn new() -> Result<Option<Self>, Failed> {
        let Some(bash) = real("bash") else { return Ok(None) };
        let folder = tempfile::tempdir()
            .map_err(|source| Failed::File { path: std::env::temp_dir(), source })?;
        let root = folder.path().to_path_buf();
        let failed = |source| Failed::File { path: root.clone(), source };
        let root = fs::canonicalize(folder.path()).map_err(failed)?;
        let (shims, directory, record) =
            (root.join("shims"), root.join("home"), root.join("record"));
        fs::create_dir(&shims).map_err(failed)?;
        for name in SHIMS {
            let then = "printf '%s\\n' \"zeta printed-by-${0##*/}\"";
            shim(&bash, &shims, name, &record, then)?;
        }
        for name in REAL {
            if let Some(program) = real(name) {
                let program = quoted(&program.display().to_string());
                let then = format!("exec -a {name} {program} \"$@\"");
                shim(&bash, &shims, name, &record, &then)?;
            }
        }
        Ok(Some(Self {
            path: shims.display().to_string(),
            directory,
            record,
            bash,
            _folder: folder,
        }))
    }

    /// The directory that scripts run in, which is their home directory too.
    pub(crate) fn directory(&self) -> String {
        self.directory.display().to_string()
    }

    /// Runs a script to its end and tells what it started; `None` where it took too long.
    pub(crate) fn run(&self, script: &str) -> Result<Option<Vec<Started>>, Failed> {
        let failed = |source| Failed::File { path: self.directory.clone(), source };
        match fs::remove_dir_all(&self.directory) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
            _ => fs::create_dir(&self.directory).map_err(failed)?,
        }
        fs::write(&self.record, b"").map_err(failed)?;
        let mut child = Command::new(&self.bash)
            .args(["--norc", "--noprofile", "-c", LIMITED, "bash", script])
            .env_clear()
            .env("PATH", &self.path)
            .env("HOME", &self.directory)
            .env("LC_ALL", "C.UTF-8")
            .current_dir(&self.directory)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|source| Failed::Start {
                program: "bash".to_owned(),
                source,
                help: "install bash",
            })?;
        let ended = wait(&mut child).map_err(failed)?;
        // Jobs that nobody waited for.
        if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        if !ended {
            child.wait().map_err(failed)?;
            return Ok(None);
        }
        let record = fs::read(&self.record).map_err(failed)?;
        Ok(Some(parse(&record)))
    }
}

/// Whether a process ended by itself.
fn wait(child: &mut Child) -> std::io::Result<bool> {
    let began = Instant::now();
    while child.try_wait()?.is_none() {
        if began.elapsed() > PATIENCE {
            return Ok(false);
        }
        thread::sleep(Duration::from_micros(500));
    }
    Ok(true)
}

fn real(name: &str) -> Option<PathBuf> {
    PLACES.iter().map(|place| Path::new(place).join(name)).find(|path| path.is_file())
}

/// Writes a program that records its name and its arguments, and then does something. One `write` for each start, so that
/// programs that run at the same time do not mix; its standard output is nobody else's business.
fn shim(bash: &Path, folder: &Path, name: &str, record: &Path, then: &str) -> Result<(), Failed> {
    let record = quoted(&record.display().to_string());
    let text = format!(
        "#!{}\nprintf '%s\\0' \"$#\" \"${{0##*/}}\" \"$@\" >> {record}\n{then}\n",
        bash.display()
    );
    let path = folder.join(name);
    let failed = |source| Failed::File { path: path.clone(), source };
    fs::write(&path, text).map_err(failed)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).map_err(failed)
}

/// The record: for each start the number of arguments, the name, and the arguments.
fn parse(record: &[u8]) -> Vec<Started> {
    let mut fields = record.split(|byte| *byte == 0);
    let mut started = Vec::new();
    while let Some(count) = fields.next()
        && let Some(count) = std::str::from_utf8(count).ok().and_then(|count| count.parse().ok())
        && let Some(name) = fields.next()
    {
        let program = String::from_utf8_lossy(name).into_owned();
        let arguments = fields.by_ref().take(count).map(<[u8]>::to_vec).collect();
        started.push(Started { program, arguments });
    }
    started
}

#[cfg(test)]
mod tests {
    use super::{Bash, Started};

    #[test]
    fn what_was_started_is_known_with_its_arguments() -> Result<(), crate::command::Failed> {
        let Some(bash) = Bash::new()? else { return Ok(()) };
        let started = bash.run("alpha 'a b' \"\" $'x\\ny'; (beta) & wait; echo no; env gamma")?;
        let expected = |program: &str, arguments: &[&str]| Started {
            program: program.to_owned(),
            arguments: arguments.iter().map(|argument| argument.as_bytes().to_vec()).collect(),
        };
        assert_eq!(
            started.unwrap_or_default(),
            [
                expected("alpha", &["a b", "", "x\ny"]),
                expected("beta", &[]),
                expected("env", &["gamma"]),
                expected("gamma", &[]),
            ]
        );
        Ok(())
    }
}
