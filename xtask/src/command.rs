//! Running other programs and saying so. Owns the error that every chore ends with.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
};

/// Why a chore failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failed {
    /// A program ended badly.
    #[error("`{0}` failed")]
    Program(String),
    /// A program could not be started.
    #[error("cannot run `{program}`: {source}\nhelp: {help}")]
    Start { program: String, source: std::io::Error, help: &'static str },
    /// A file could not be read or written.
    #[error("cannot use `{path}`: {source}")]
    File { path: PathBuf, source: std::io::Error },
    /// What a program printed was not what we know.
    #[error("cannot understand what `{0}` printed")]
    Output(String),
    /// The project breaks one of its own rules.
    #[error("{0}")]
    Broken(String),
    /// The words of the call are off.
    #[error("{0}")]
    Usage(String),
}

/// Prints to a person.
pub(crate) fn say(text: &str) {
    // Nobody to tell when standard output is gone.
    let _ = std::io::stdout().write_all(text.as_bytes());
    let _ = std::io::stdout().flush();
}

/// The root of the checkout.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// A call of the cargo that runs us.
pub(crate) fn cargo(words: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(words).current_dir(root());
    command
}

/// Runs one of these chores again, in a process built for release.
pub(crate) fn in_release(chore: &[&str]) -> Result<(), Failed> {
    let words = ["run", "--release", "--locked", "--quiet", "--package", "xtask", "--"];
    run(cargo(&words).args(chore), "install Rust 1.95")
}

/// Runs a program to its end, in sight.
pub(crate) fn run(command: &mut Command, help: &'static str) -> Result<(), Failed> {
    let shown = shown(command);
    say(&format!("── {shown}\n"));
    let status = command.status().map_err(|source| Failed::Start {
        program: shown.clone(),
        source,
        help,
    })?;
    if status.success() { Ok(()) } else { Err(Failed::Program(shown)) }
}

/// Runs a program and gives what it printed.
pub(crate) fn output(command: &mut Command, help: &'static str) -> Result<String, Failed> {
    let shown = shown(command);
    let output = command.output().map_err(|source| Failed::Start {
        program: shown.clone(),
        source,
        help,
    })?;
    if !output.status.success() {
        say(&String::from_utf8_lossy(&output.stderr));
        return Err(Failed::Program(shown));
    }
    String::from_utf8(output.stdout).map_err(|_| Failed::Output(shown))
}

/// Reads a file of the checkout.
pub(crate) fn read(path: &Path) -> Result<String, Failed> {
    std::fs::read_to_string(path)
        .map_err(|source| Failed::File { path: path.to_path_buf(), source })
}

/// Writes a file of the checkout, with the folders around it.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failed> {
    let failed = |source| Failed::File { path: path.to_path_buf(), source };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(path, text).map_err(failed)
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program())
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    command.get_args().fold(program, |whole, word| format!("{whole} {}", word.to_string_lossy()))
}
