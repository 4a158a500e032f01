//! The caller's side of a run. Owns what is resolved before anything is started, the time, and what is read and written meanwhile.

use std::{
    fs::{self, File},
    io::{self, PipeReader, PipeWriter, Read as _, Write as _},
    net::Shutdown,
    os::{
        fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd, RawFd},
        unix::{net::UnixStream, process::CommandExt as _},
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use crate::{
    Elsewhere, Finished, Input, Launch, Layer, Layered, Network, Output, Profile, Refused, Report,
    Seen, StandIn, Status, Stopped,
    channel::{self, Plan, Word},
    kernel::{self, MOST_DESCRIPTORS, Watch},
    relay::Relay,
    watch::Watcher,
};

/// The highest number of a kept descriptor.
const HIGHEST_NUMBER: RawFd = 255;

/// How long the stage may take to kill what was started.
const PATIENCE: Duration = Duration::from_secs(15);

/// How often it is looked whether somebody wants it to end, and whether what is ending has something to say.
const GLANCE: Duration = Duration::from_millis(50);
const GLANCE_MILLISECONDS: i32 = 50;

/// The most bytes of arguments and environment: the kernel takes no more, whatever its limits.
const MOST_BYTES: usize = 6 << 20;

/// How much is read or written at once.
const PORTION: usize = 1 << 16;

/// Runs a program inside limits, and waits for its end. Nothing of it is left afterwards.
///
/// The caller's process must call [`crate::stage`] first of all in `main`, or name another program in [`Launch::stage`].
///
/// # Errors
/// [`Refused`], and then nothing was run.
pub fn run(launch: &Launch) -> Result<Finished, Refused> {
    begun(launch, Some(launch.program.clone()))
}

/// Puts the same in force as [`run()`] would, and says what holds. Nothing is run, and nothing is required.
///
/// # Errors
/// [`Refused`], where not even that could be tried.
pub fn probe(launch: &Launch) -> Result<Report, Refused> {
    begun(launch, None).map(|finished| finished.report)
}

/// Where something that was left behind still holds the output open, it was not ended.
fn left_behind(streams: &Streams, report: &mut Report) {
    if streams.out.pipe.is_some() || streams.err.pipe.is_some() {
        let what = "a process that was left behind goes on".to_owned();
        report.disprove(vec![(Layer::Cleanup, what)]);
    }
}

fn begun(launch: &Launch, program: Option<std::ffi::OsString>) -> Result<Finished, Refused> {
    let stage = |error: io::Error| Refused::Stage(error.to_string());
    let is_probe = program.is_none();
    let mut plan = planned(launch)?;
    fitting(launch, is_probe)?;
    plan.program = program;
    if is_probe {
        plan.require = crate::Layers::NONE;
    }
    let (control, theirs) = UnixStream::pair().map_err(stage)?;
    let mut command = Command::new(&launch.stage.program);
    command
        .arg0("portcullis")
        .args(&launch.stage.arguments)
        .env_clear()
        .current_dir("/")
        .stdin(OwnedFd::from(theirs));
    let mut streams = Streams::new(&mut command, launch, is_probe).map_err(stage)?;
    let child = command.spawn().map_err(stage)?;
    // Our ends of what it was given are closed with the command.
    drop(command);
    let mut stage_process = Started { child, control };
    let input = streams.input.take().map_or_else(null, Ok).map_err(stage)?;
    let kept = launch.descriptors.iter().map(|kept| kept.descriptor.as_raw_fd());
    let sent: Vec<RawFd> = [input.as_raw_fd()].into_iter().chain(kept).collect();
    channel::say(&stage_process.control, &plan, &sent).map_err(stage)?;
    drop(input);
    let mut heard = followed(&mut stage_process, &mut streams, launch)?;
    drop(stage_process);
    streams.drain();
    if is_probe {
        left_behind(&streams, &mut heard.report);
    }
    let Streams { out, err, .. } = streams;
    Ok(Finished {
        status: heard.status,
        stopped: heard.stopped,
        dropped: out.dropped + err.dropped,
        stdout: out.kept,
        stderr: err.kept,
        report: heard.report,
        seen: heard.seen,
    })
}

/// The stage's process. However this ends, nothing of it is left.
struct Started {
    child: Child,
    control: UnixStream,
}

impl Drop for Started {
    fn drop(&mut self) {
        // What the stage reads next is the end; it kills all, and ends.
        let _ = self.control.shutdown(Shutdown::Write);
        let _ = self.control.set_nonblocking(true);
        let process = kernel::watch_process(self.child.id());
        let mut dropped = [0; PORTION];
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            // What it still has to say it must be able to say.
            while (&self.control).read(&mut dropped).is_ok_and(|count| count > 0) {}
            match self.child.try_wait() {
                Ok(Some(_)) | Err(_) => return,
                Ok(None) => {}
            }
            if let Ok(process) = &process {
                let mut watch =
                    [Watch { descriptor: process.as_fd(), to_write: false, ready: false }];
                let _ = kernel::poll(&mut watch, Some(GLANCE_MILLISECONDS));
            } else {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Heard {
    status: Status,
    stopped: Option<Stopped>,
    report: Report,
    seen: Option<Result<Seen, String>>,
}

/// Follows a run to its end.
fn followed(
    started: &mut Started,
    streams: &mut Streams,
    launch: &Launch,
) -> Result<Heard, Refused> {
    let stage = |error: io::Error| Refused::Stage(error.to_string());
    let deadline = launch.limits.wall.and_then(|wall| Instant::now().checked_add(wall));
    let mut report = None;
    let mut _relay = None;
    let mut watcher: Option<Result<Watcher, String>> = None;
    let seen = |watcher: Option<Result<Watcher, String>>| {
        watcher.map(|watcher| watcher.map(Watcher::ended))
    };
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let is_over = left.is_some_and(|left| left.is_zero());
        let is_asked = launch.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        if is_over || is_asked {
            let (stopped, why) = if is_asked {
                (Stopped::Asked, "it was stopped before it stood")
            } else {
                (Stopped::Time, "the time was up before it stood")
            };
            let report = report.ok_or_else(|| Refused::Stage(why.to_owned()))?;
            let seen = seen(watcher);
            return Ok(Heard {
                status: Status::Signalled(9),
                stopped: Some(stopped),
                report,
                seen,
            });
        }
        let glance = launch.stop.as_ref().map(|_| GLANCE);
        let left = left.into_iter().chain(glance).min();
        if !streams.turn(&started.control, left).map_err(stage)? {
            continue;
        }
        let word = channel::hear::<Word>(&started.control).map_err(stage)?;
        let Some((word, descriptors)) = word else {
            return Err(Refused::Stage("it ended without a word".to_owned()));
        };
        match word {
            Word::Holds(holds) => report = Some(holds),
            Word::Missing(report) => return Err(Refused::Missing(Box::new(report))),
            Word::NotRun(number) => {
                let source = io::Error::from_raw_os_error(number);
                return Err(Refused::Program { program: PathBuf::from(&launch.program), source });
            }
            Word::Failed(reason) => return Err(Refused::Stage(reason)),
            Word::Unlayered(reason) => return Err(Refused::Unlayered(reason)),
            Word::Watched(why_not) => {
                let mut came = descriptors.into_iter();
                watcher = Some(match (why_not, came.next(), came.next()) {
                    (None, Some(calls), Some(begun)) => {
                        Ok(Watcher::started(calls, begun, &launch.profile).map_err(stage)?)
                    }
                    (why_not, ..) => Err(why_not.unwrap_or_else(|| "nothing came".to_owned())),
                });
            }
            Word::Listening => {
                if let (Network::Proxy(proxy), Some(inside)) =
                    (&launch.profile.network, descriptors.into_iter().next())
                {
                    _relay = Some(Relay::started(inside, proxy.address).map_err(stage)?);
                }
            }
            Word::Ended(status, stopped) => {
                let report =
                    report.ok_or_else(|| Refused::Stage("it did not say what holds".to_owned()))?;
                return Ok(Heard {
                    status: status.into(),
                    stopped: stopped.map(Stopped::from),
                    report,
                    seen: seen(watcher),
                });
            }
        }
    }
}

/// What is read and written while a run goes on.
struct Streams {
    /// What the program reads, for the stage.
    input: Option<OwnedFd>,
    /// What is still to be written to it.
    feed: Option<(PipeWriter, Vec<u8>, usize)>,
    out: Captured,
    err: Captured,
}

struct Captured {
    pipe: Option<PipeReader>,
    kept: Vec<u8>,
    cap: usize,
    dropped: u64,
}

impl Streams {
    fn new(command: &mut Command, launch: &Launch, is_probe: bool) -> io::Result<Self> {
        let output = if is_probe { Output::Capture { cap: 0 } } else { launch.output };
        let captured = |pipe: Option<PipeReader>| {
            let cap = if let Output::Capture { cap } = output { cap } else { 0 };
            Captured { pipe, kept: Vec::new(), cap, dropped: 0 }
        };
        let (mut out, mut err) = (None, None);
        if let Output::Capture { .. } = output {
            for (end, is_out) in [(&mut out, true), (&mut err, false)] {
                let (read, write) = io::pipe()?;
                kernel::never_wait(read.as_fd())?;
                let write = Stdio::from(OwnedFd::from(write));
                if is_out {
                    command.stdout(write)
                } else {
                    command.stderr(write)
                };
                *end = Some(read);
            }
        }
        let mut feed = None;
        let input = match &launch.input {
            Input::Null => null()?,
            Input::Inherit => io::stdin().as_fd().try_clone_to_owned()?,
            Input::Bytes(bytes) => {
                let (read, write) = io::pipe()?;
                kernel::never_wait(write.as_fd())?;
                feed = Some((write, bytes.clone(), 0));
                OwnedFd::from(read)
            }
        };
        Ok(Self { input: Some(input), feed, out: captured(out), err: captured(err) })
    }

    /// Waits until something happened, and reads and writes. Whether the stage has something to say is the answer.
    fn turn(&mut self, control: &UnixStream, left: Option<Duration>) -> io::Result<bool> {
        let milliseconds =
            left.map(|left| i32::try_from(left.as_millis().saturating_add(1)).unwrap_or(i32::MAX));
        let mut watches =
            vec![Watch { descriptor: control.as_fd(), to_write: false, ready: false }];
        for pipe in [&self.out.pipe, &self.err.pipe].into_iter().flatten() {
            watches.push(Watch { descriptor: pipe.as_fd(), to_write: false, ready: false });
        }
        if let Some((pipe, ..)) = &self.feed {
            watches.push(Watch { descriptor: pipe.as_fd(), to_write: true, ready: false });
        }
        kernel::poll(&mut watches, milliseconds)?;
        let says = watches.first().is_some_and(|watch| watch.ready);
        self.out.read();
        self.err.read();
        self.write();
        Ok(says)
    }

    fn write(&mut self) {
        let Some((pipe, bytes, done)) = &mut self.feed else { return };
        let rest = bytes.get(*done..).unwrap_or_default();
        let written = match rest.get(..PORTION.min(rest.len())) {
            None | Some([]) => Ok(0),
            Some(portion) => pipe.write(portion),
        };
        match written {
            Ok(0) => self.feed = None,
            Ok(count) => *done += count,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) => {}
            // It wants no more.
            Err(_) => self.feed = None,
        }
    }

    /// Reads what is left when everything has ended.
    fn drain(&mut self) {
        self.feed = None;
        for captured in [&mut self.out, &mut self.err] {
            while captured.read() {}
        }
    }
}

impl Captured {
    /// Reads a portion; whether there may be more at once.
    fn read(&mut self) -> bool {
        let Some(pipe) = &mut self.pipe else { return false };
        let mut portion = [0; PORTION];
        match pipe.read(&mut portion) {
            Ok(0) => self.pipe = None,
            Ok(count) => {
                let room = self.cap.saturating_sub(self.kept.len()).min(count);
                self.kept.extend_from_slice(portion.get(..room).unwrap_or_default());
                self.dropped += (count - room) as u64;
                return true;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return true,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => self.pipe = None,
        }
        false
    }
}

fn null() -> io::Result<OwnedFd> {
    File::options().read(true).write(true).open("/dev/null").map(OwnedFd::from)
}

/// Refuses what must not be handed in: see [`kernel::unfit`].
fn fitting(launch: &Launch, is_probe: bool) -> Result<(), Refused> {
    let (stdin, stdout, stderr) = (io::stdin(), io::stdout(), io::stderr());
    let mut handed: Vec<(RawFd, BorrowedFd<'_>)> = Vec::new();
    if launch.input == Input::Inherit {
        handed.push((0, stdin.as_fd()));
    }
    if launch.output == Output::Inherit && !is_probe {
        handed.extend([(1, stdout.as_fd()), (2, stderr.as_fd())]);
    }
    handed.extend(launch.descriptors.iter().map(|kept| (kept.number, kept.descriptor.as_fd())));
    for (number, descriptor) in handed {
        let unfit = kernel::unfit(descriptor).map_err(|error| Refused::Stage(error.to_string()))?;
        if let Some(reason) = unfit {
            return Err(Refused::Descriptor { number, reason });
        }
    }
    Ok(())
}

/// The plan, with every path resolved and everything that contradicts itself refused.
fn planned(launch: &Launch) -> Result<Plan, Refused> {
    let Launch {
        arguments,
        directory,
        environment,
        profile,
        require,
        limits,
        without,
        descriptors,
        watched,
        ..
    } = launch;
    let numbers: Vec<RawFd> = descriptors.iter().map(|kept| kept.number).collect();
    if numbers.len() >= MOST_DESCRIPTORS
        || numbers.iter().any(|number| !(3..=HIGHEST_NUMBER).contains(number))
    {
        let words = format!(
            "a kept descriptor has a number from 3 to {HIGHEST_NUMBER}, and there are less than {MOST_DESCRIPTORS}"
        );
        return Err(Refused::Asked(words));
    }
    if environment.iter().any(|(name, value)| {
        let (name, value) = (name.as_encoded_bytes(), value.as_encoded_bytes());
        name.is_empty() || name.contains(&b'=') || name.contains(&0) || value.contains(&0)
    }) {
        return Err(Refused::Asked(
            "a variable of the environment has no name, or one that cannot be".to_owned(),
        ));
    }
    if arguments.iter().chain([&launch.program]).any(|word| word.as_encoded_bytes().contains(&0)) {
        return Err(Refused::Asked("a word of the command holds a zero byte".to_owned()));
    }
    let words = arguments.iter().chain(environment.iter().flat_map(|(name, value)| [name, value]));
    if words.map(|word| word.len()).sum::<usize>() > MOST_BYTES {
        return Err(Refused::Asked("the words of the command are too long".to_owned()));
    }
    if require.contains(Layer::Network) && profile.network == Network::Open {
        return Err(Refused::Asked("the network is required to be held, and open".to_owned()));
    }
    let is_protecting = !profile.protected.is_empty() || !profile.originals.is_empty();
    if !profile.layered.is_empty() && is_protecting {
        // What is protected is attached as it is, and so would be written where it is.
        let words = "what is changed elsewhere is not protected, and cannot be both";
        return Err(Refused::Asked(words.to_owned()));
    }
    let (profile, directory) = (resolved(profile)?, real(directory)?);
    if !directory.is_dir() {
        return Err(Refused::Path { path: directory, reason: "it is no directory".to_owned() });
    }
    Ok(Plan {
        program: None,
        arguments: arguments.clone(),
        directory,
        environment: environment.clone(),
        profile,
        require: *require,
        limits: limits.clone(),
        without: without.clone(),
        watched: *watched,
        numbers,
    })
}

fn real(path: &Path) -> Result<PathBuf, Refused> {
    if !path.is_absolute() {
        return Err(Refused::Path {
            path: path.to_owned(),
            reason: "it is not absolute".to_owned(),
        });
    }
    fs::canonicalize(path)
        .map_err(|error| Refused::Path { path: path.to_owned(), reason: error.to_string() })
}

/// The profile with the paths that are meant, links followed.
fn resolved(profile: &Profile) -> Result<Profile, Refused> {
    let Profile {
        read,
        write,
        layered,
        denied,
        protected,
        stand_ins,
        originals,
        overlooked,
        temporary,
        network,
        unix_sockets,
    } = profile;
    let roots =
        write.iter().map(|root| Ok((root, real(root)?))).collect::<Result<Vec<_>, Refused>>()?;
    // Below a root as it was given, or as it is: the same place.
    let below = |path: &Path| -> Vec<PathBuf> {
        let from =
            |root: &Path, real: &Path| path.strip_prefix(root).ok().map(|rest| real.join(rest));
        roots
            .iter()
            .filter_map(|(given, real)| from(given, real).or_else(|| from(real, real)))
            .collect()
    };
    let mut fixed = Vec::new();
    for path in protected {
        if !path.is_absolute() {
            return Err(Refused::Path {
                path: path.clone(),
                reason: "it is not absolute".to_owned(),
            });
        }
        fixed.extend(below(path));
    }
    let stand_ins = stand_ins
        .iter()
        .flat_map(|one| {
            below(&one.path).into_iter().map(|path| StandIn { path, text: one.text.clone() })
        })
        .collect();
    // What is not there cannot be read.
    let mut covered: Vec<PathBuf> = Vec::new();
    for path in denied {
        match real(path) {
            Ok(path) => covered.push(path),
            Err(Refused::Path { .. }) if path.is_absolute() => {}
            Err(refused) => return Err(refused),
        }
    }
    let mut roots: Vec<PathBuf> = roots.into_iter().map(|(_, real)| real).collect();
    for root in &roots {
        if root == Path::new("/")
            || ["/proc", "/sys", "/dev"].iter().any(|system| root.starts_with(system))
        {
            let reason = "the system's own files are never written".to_owned();
            return Err(Refused::Path { path: root.clone(), reason });
        }
        if let Some(denied) = covered.iter().find(|denied| root.starts_with(denied)) {
            let reason = format!("it lies below `{}`, which may not be read", denied.display());
            return Err(Refused::Path { path: root.clone(), reason });
        }
    }
    let mut read = read.iter().map(|root| real(root)).collect::<Result<Vec<_>, _>>()?;
    for list in [&mut roots, &mut read, &mut covered, &mut fixed] {
        list.sort_unstable();
        list.dedup();
    }
    // What lies below something that is covered is covered.
    let outer = covered.clone();
    covered.retain(|path| !outer.iter().any(|above| above != path && path.starts_with(above)));
    let layered = layered.iter().map(|one| real_layers(one, &roots));
    let layered = layered.collect::<Result<Vec<_>, _>>()?;
    let (network, unix_sockets, temporary) = (network.clone(), *unix_sockets, *temporary);
    Ok(Profile {
        read,
        write: roots,
        layered,
        denied: covered,
        protected: fixed,
        stand_ins,
        originals: originals.clone(),
        overlooked: overlooked.clone(),
        temporary,
        network,
        unix_sockets,
    })
}

/// The layers with the paths that are meant. A root that is not written is a mistake, and so are layers that lie in one another.
fn real_layers(layered: &Layered, roots: &[PathBuf]) -> Result<Layered, Refused> {
    let root = real(&layered.root)?;
    if !roots.contains(&root) {
        let reason = "it is to be changed elsewhere, and may not be written".to_owned();
        return Err(Refused::Path { path: root, reason });
    }
    let apart = |path: &Path| {
        let path = real(path)?;
        if path.starts_with(&root) || root.starts_with(&path) {
            let reason = format!("it lies in `{}`, whose changes go there", root.display());
            return Err(Refused::Path { path, reason });
        }
        Ok(path)
    };
    let elsewhere = match &layered.elsewhere {
        Elsewhere::Overlay { upper, work } => {
            Elsewhere::Overlay { upper: apart(upper)?, work: apart(work)? }
        }
        Elsewhere::Copy(copy) => Elsewhere::Copy(apart(copy)?),
    };
    Ok(Layered { root, elsewhere })
}
