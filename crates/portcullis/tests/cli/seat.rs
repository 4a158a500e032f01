//! A person's place at a terminal, for tests of the binary itself: a terminal of its own, and ancestors among whom people sit. Owns how the program
//! gets there, and what its screen shows.
//!
//! Only who may make a container gets such a place: the program looks at who started it, and what started the tests is no person. Where none can
//! be had, the tests say so and try nothing; what the views do, they are also tested for from within.

use std::{
    fs::File,
    io::{Read as _, Write as _},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use portcullis::person::grid::Grid;
use rustix::{
    pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt},
    termios::{Winsize, tcgetattr, tcsetwinsize},
};

use crate::Place;

/// How long anything is waited for: far longer than it takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// What the shell around the program says when it has ended.
const ENDED: &str = "it ended with ";

/// A terminal with the program at it.
pub(crate) struct Seat {
    keys: File,
    device: File,
    seen: mpsc::Receiver<Vec<u8>>,
    pub(crate) grid: Grid,
    child: Child,
}

/// Whether a person's place can be had here.
pub(crate) fn can_sit() -> bool {
    let tried = Command::new("unshare")
        .args(["--pid", "--fork", "--mount-proc", "--kill-child", "setsid", "true"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let can = tried.is_ok_and(|status| status.success());
    if !can {
        eprintln!("not tried: this takes the right to make a container");
    }
    can
}

impl Seat {
    /// Runs a script at a terminal, as a person who came into a container would: `$portcullis` is the program.
    pub(crate) fn script(place: &Place, script: &str, size: (u16, u16)) -> Self {
        let around = ["--pid", "--fork", "--mount-proc", "--kill-child", "setsid", "-c", "/bin/sh"];
        Self::behind(place, "unshare", &around, script, size)
    }

    /// The same without anybody who sits there: what started the tests started this.
    pub(crate) fn nobody(place: &Place, script: &str) -> Self {
        Self::behind(place, "setsid", &["-c", "/bin/sh"], script, (80, 24))
    }

    fn behind(
        place: &Place,
        program: &str,
        around: &[&str],
        script: &str,
        (columns, rows): (u16, u16),
    ) -> Self {
        let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&keys).unwrap();
        unlockpt(&keys).unwrap();
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let device = File::from(ioctl_tiocgptpeer(&keys, flags).unwrap());
        let keys = File::from(keys);
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&keys, size).unwrap();
        let child = place
            .command_of(program)
            .args(around)
            .args(["-c", &format!("{script}\necho \"{ENDED}$?.\"")])
            .env("portcullis", env!("CARGO_BIN_EXE_portcullis"))
            .env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin")
            .env("TERM", "xterm-256color")
            .stdin(device.try_clone().unwrap())
            .stdout(device.try_clone().unwrap())
            .stderr(device.try_clone().unwrap())
            .spawn()
            .unwrap();
        let mut eyes = keys.try_clone().unwrap();
        let (sender, seen) = mpsc::channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = eyes.read(&mut bytes) {
                if sender.send(bytes.split_at(count).0.to_vec()).is_err() {
                    return;
                }
            }
        });
        let grid = Grid::new(columns.into(), rows.into());
        Self { keys, device, seen, grid, child }
    }

    /// What is seen once it is as wanted.
    pub(crate) fn until(&mut self, wanted: impl Fn(&Grid) -> bool) -> String {
        let end = Instant::now() + PATIENCE;
        while !wanted(&self.grid) {
            let left = end.saturating_duration_since(Instant::now());
            let bytes = self.seen.recv_timeout(left);
            let bytes =
                bytes.unwrap_or_else(|_| panic!("{}\n{}", self.grid.text(), self.grid.plain));
            self.grid.take(&bytes);
        }
        if self.grid.other { self.grid.text() } else { self.grid.plain.clone() }
    }

    /// The view once this stands in it.
    pub(crate) fn shows(&mut self, text: &str) -> String {
        self.until(|grid| grid.other && grid.text().contains(text))
    }

    /// What was written beside any view, once this stands in it.
    pub(crate) fn says(&mut self, text: &str) -> String {
        self.until(|grid| !grid.other && grid.plain.contains(text))
    }

    pub(crate) fn types(&mut self, text: &str) {
        self.keys.write_all(text.as_bytes()).unwrap();
    }

    pub(crate) fn resize(&mut self, (columns, rows): (u16, u16)) {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        self.grid = Grid::new(columns.into(), rows.into());
        self.grid.other = true;
        tcsetwinsize(&self.keys, size).unwrap();
    }

    /// Everything that was said beside the view, and the code that it ended with; the terminal is as it was then.
    pub(crate) fn ends(&mut self) -> (String, i32) {
        let said = self.until(|grid| {
            let rest = grid.plain.split(ENDED).nth(1);
            !grid.other && rest.is_some_and(|rest| rest.contains('.'))
        });
        assert!(self.grid.has_cursor);
        let modes = tcgetattr(&self.device).unwrap().local_modes;
        use rustix::termios::LocalModes;
        assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG));
        let (before, code) = said.split_once(ENDED).unwrap();
        let code = code.split('.').next().unwrap().parse().unwrap();
        (before.to_owned(), code)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
