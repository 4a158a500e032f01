//! The program at a real terminal, with somebody who types. Owns how they come to sit there: behind a shell that leads the session of a terminal
//! and has nobody above it, as whoever enters a container.

use std::{
    ffi::OsStr,
    fs::File,
    io::{Read as _, Write as _},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt},
    termios::{Winsize, tcgetattr, tcsetwinsize},
};

use crate::Place;

/// How long something that has to come is waited for, on a machine that does ten other things.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the shell does: the program, whose code is its own, whatever signals come.
const SHELL: &str = r#"trap : INT; "$@"; exit $?"#;

/// A view of the processes of one's own, with a terminal.
const ENTERED: &[&str] = &["--pid", "--fork", "--kill-child", "--mount-proc", "setsid", "--ctty"];

/// Whether anybody can be made to sit here: only the system's owner gives away such a view.
pub(crate) fn can_sit() -> bool {
    let tried = Command::new("unshare").args(ENTERED).arg("true").stdin(Stdio::null()).output();
    // Without a terminal `setsid` complains, and has come that far.
    let can = rustix::process::geteuid().is_root()
        && tried.is_ok_and(|tried| {
            tried.status.success() || String::from_utf8_lossy(&tried.stderr).contains("setsid")
        });
    if !can {
        let words = b"skipped: only root can have somebody sit at a terminal here\n";
        std::io::stderr().write_all(words).unwrap();
    }
    can
}

/// Somebody at a terminal.
pub(crate) struct Seat {
    keys: File,
    /// The other end, so that it stays open.
    device: Option<File>,
    child: Child,
    read: Receiver<Vec<u8>>,
    screen: String,
    seen: usize,
    before: String,
}

impl Seat {
    /// The program, in a place and at a terminal.
    pub(crate) fn at<I: AsRef<OsStr>>(
        place: &Place,
        arguments: impl IntoIterator<Item = I>,
    ) -> Self {
        let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&keys).unwrap();
        unlockpt(&keys).unwrap();
        let device = ioctl_tiocgptpeer(&keys, OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        let (keys, device) = (File::from(keys), File::from(device));
        tcsetwinsize(&device, Winsize { ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 })
            .unwrap();
        let before = modes(&device);
        let child = place
            .command_of("unshare")
            .args(ENTERED)
            .args(["sh", "-c", SHELL, "sh", env!("CARGO_BIN_EXE_portcullis")])
            .args(arguments)
            .env("TERM", "xterm-256color")
            .stdin(device.try_clone().unwrap())
            .stdout(device.try_clone().unwrap())
            .stderr(device.try_clone().unwrap())
            .spawn()
            .unwrap();
        let (shown, read) = mpsc::channel();
        let mut screen = keys.try_clone().unwrap();
        thread::spawn(move || {
            let mut bytes = [0; 4_096];
            while let Ok(count @ 1..) = screen.read(&mut bytes) {
                if shown.send(bytes.get(..count).unwrap_or_default().to_vec()).is_err() {
                    break;
                }
            }
        });
        let device = Some(device);
        Self { keys, device, child, read, screen: String::new(), seen: 0, before }
    }

    /// Waits until a text is shown that was not seen yet.
    pub(crate) fn sees(&mut self, wanted: &str) -> &mut Self {
        let begun = Instant::now();
        loop {
            let unseen = self.screen.get(self.seen..).unwrap_or_default();
            if let Some(at) = unseen.find(wanted) {
                self.seen += at + wanted.len();
                return self;
            }
            let left = PATIENCE.saturating_sub(begun.elapsed());
            match self.read.recv_timeout(left) {
                // A character that is cut in two is none that is waited for.
                Ok(bytes) => self.screen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(_) => panic!("no `{wanted}` behind what was seen of\n{}", self.screen),
            }
        }
    }

    /// Types a text; the terminal makes of keys what it makes of them.
    pub(crate) fn types(&mut self, text: &str) -> &mut Self {
        self.keys.write_all(text.as_bytes()).unwrap();
        self
    }

    /// Waits for the question, and answers it.
    pub(crate) fn answers(&mut self, text: &str) -> &mut Self {
        self.sees("\n> ").types(text)
    }

    /// The end: the code of the program, and all that was shown. The terminal has to be as it was.
    ///
    /// A terminal throws away what is on its way to the screen when somebody interrupts, and it may do so after the program heard of it: what is shown
    /// behind an interrupt is not to be relied on.
    pub(crate) fn ended(mut self) -> (i32, String) {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            while let Ok(bytes) = self.read.try_recv() {
                self.screen.push_str(&String::from_utf8_lossy(&bytes));
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end\n{}", self.screen);
            thread::sleep(Duration::from_millis(5));
        };
        if let Some(device) = self.device.take() {
            assert_eq!(modes(&device), self.before, "the terminal is as it was\n{}", self.screen);
        }
        // Nobody holds the other end any more, so that what is read has an end.
        while let Ok(bytes) = self.read.recv_timeout(PATIENCE) {
            self.screen.push_str(&String::from_utf8_lossy(&bytes));
        }
        let screen = self.screen.replace("\r\n", "\n");
        // Nothing ever left the line: no other screen, no hidden cursor, no colour that stays.
        assert!(!screen.contains('\u{1b}'), "{screen:?}");
        (status.code().unwrap(), screen)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        // What it started ends with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How a terminal treats what is typed and shown.
fn modes(device: &File) -> String {
    let modes = tcgetattr(device).unwrap();
    format!(
        "{:?} {:?} {:?} {:?}",
        modes.input_modes, modes.output_modes, modes.local_modes, modes.control_modes
    )
}
