//! A PostgreSQL of its own for tests: made in a temporary directory, reached by a socket in it, and gone with the process that made it, however
//! that ends. PostgreSQL runs as nobody where the tests run as root.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

/// What ends the server and takes its directory away once nobody holds its input any more.
const KEEPER: &str = r#"trap '' HUP INT TERM; cat >/dev/null; "$@" stop -m immediate >/dev/null 2>&1; rm -rf "$ROOM""#;

/// Nobody.
const NOBODY: u32 = 65_534;

pub(crate) struct Cluster {
    programs: PathBuf,
    /// Where its files are.
    pub(crate) room: PathBuf,
    made: AtomicU32,
    _keeper: Child,
}

/// A cluster of one test alone, which goes with it.
pub(crate) fn alone() -> Option<Cluster> {
    programs().map(|programs| Cluster::start(programs).unwrap())
}

/// The cluster of this process; nothing where there is no PostgreSQL, which is said then.
pub(crate) fn cluster() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    CLUSTER.get_or_init(|| programs().map(|programs| Cluster::start(programs).unwrap())).as_ref()
}

fn programs() -> Option<PathBuf> {
    let installed = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = installed.map(|version| version.path().join("bin")).collect();
    folders.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    folders.extend(std::env::split_paths(&path));
    // Where a link leads: the other programs stand there.
    let real = |folder: &PathBuf| fs::canonicalize(folder.join("initdb")).ok();
    let found = folders.iter().rev().find_map(real);
    let found = found.and_then(|program| program.parent().map(Path::to_owned));
    if found.is_none() {
        // Tests have no other way to say why nothing was tried.
        let _ = writeln!(
            io::stderr(),
            "PostgreSQL is not here, so nothing is tried: `apt-get install postgresql` brings it"
        );
    }
    found
}

impl Cluster {
    fn start(programs: PathBuf) -> io::Result<Self> {
        let room = tempfile::Builder::new().prefix("pg").tempdir()?.keep();
        let is_root = fs::metadata("/proc/self").is_ok_and(|own| {
            use std::os::unix::fs::MetadataExt as _;
            own.uid() == 0
        });
        if is_root {
            std::os::unix::fs::chown(&room, Some(NOBODY), Some(NOBODY))?;
        }
        let own = |name: &str| command(&programs, is_root, name);
        let data = room.join("data");
        done(
            own("initdb")
                .args(["-A", "trust", "-U", "portcullis", "-E", "UTF8", "--no-sync", "-D"])
                .arg(&data),
        )?;
        let options =
            format!("-k {} -c listen_addresses='' -c max_connections=200", room.display());
        fs::write(room.join("options"), &options)?;
        let log = room.join("log");
        let mut start = own("pg_ctl");
        start.arg("-D").arg(&data).args(["-w", "-s", "-o", &options, "-l"]).arg(&log).arg("start");
        done(&mut start)?;
        let control = own("pg_ctl");
        let mut keeper = Command::new("sh");
        keeper.args(["-c", KEEPER, "sh"]).arg(control.get_program()).args(control.get_args());
        keeper.arg("-D").arg(&data).env("ROOM", &room);
        keeper.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        {
            use std::os::unix::process::CommandExt as _;
            keeper.process_group(0);
        }
        let keeper = keeper.spawn()?;
        Ok(Self { programs, room, made: AtomicU32::new(0), _keeper: keeper })
    }

    /// The URL of a database that nobody used.
    pub(crate) fn database(&self) -> String {
        let name = format!("t{}", self.made.fetch_add(1, Ordering::Relaxed));
        self.say("postgres", &format!("CREATE DATABASE {name}"));
        self.url("portcullis", &name)
    }

    /// The URL of a database for a role.
    pub(crate) fn url(&self, role: &str, name: &str) -> String {
        format!("postgres://{role}@{}/{name}", self.room.display().to_string().replace('/', "%2F"))
    }

    /// What the server answers to statements, as its owner.
    pub(crate) fn say(&self, database: &str, statements: &str) -> String {
        let (_, database) = database.rsplit_once('/').unwrap_or(("", database));
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", "portcullis", "-h"]);
        psql.arg(&self.room).args(["-d", database, "-c", statements]);
        let output = done(&mut psql).unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Ends the server as a loss of power would, and starts it anew.
    pub(crate) fn restart(&self) {
        let is_root = fs::metadata(&self.room).is_ok_and(|room| {
            use std::os::unix::fs::MetadataExt as _;
            room.uid() == NOBODY
        });
        let options = fs::read_to_string(self.room.join("options")).unwrap();
        let mut control = command(&self.programs, is_root, "pg_ctl");
        control.arg("-D").arg(self.room.join("data"));
        control.args(["-w", "-s", "-m", "immediate", "-o", &options, "-l"]);
        done(control.arg(self.room.join("log")).arg("restart")).unwrap();
    }
}

fn command(programs: &Path, is_root: bool, name: &str) -> Command {
    let program = programs.join(name);
    let mut command = if is_root {
        let mut command = Command::new("setpriv");
        let id = NOBODY.to_string();
        command.args(["--reuid", &id, "--regid", &id, "--clear-groups"]).arg(program);
        command
    } else {
        Command::new(program)
    };
    command.current_dir("/").stdin(Stdio::null());
    command
}

fn done(command: &mut Command) -> io::Result<Output> {
    // The server that `pg_ctl` starts would hold a pipe open for good.
    let output = if command.get_program().to_string_lossy().ends_with("psql") {
        command.output()?
    } else {
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        Output { status, stdout: Vec::new(), stderr: Vec::new() }
    };
    if output.status.success() {
        return Ok(output);
    }
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(io::Error::other(format!("{command:?}: {words}")))
}
