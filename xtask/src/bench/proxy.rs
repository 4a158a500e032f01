//! What the proxy carries and what it costs, measured at the program itself: beside a relay that does nothing else, in turns, and
//! with a thousand tunnels at once. Owns the relay and both ends; everything is on this machine.

use std::{
    fs,
    io::{self, BufRead as _, BufReader, Read, Write},
    net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::command::{self, Failed, root, say};

/// How much goes through one connection.
const BYTES: usize = 256 << 20;

/// How much is read or written at once, by everybody.
const BLOCK: usize = 64 << 10;

/// How often each of the two is measured, in turns.
const ROUNDS: usize = 15;

/// How many connections go on at once where it is not one.
const AT_ONCE: usize = 8;

/// How many tunnels stand at once, to count memory and descriptors.
const TUNNELS: usize = 1_000;

/// How often they are opened and closed.
const WAVES: usize = 5;

/// What the far end is asked for, in one byte.
const GIVE: u8 = b'!';
const TAKE: u8 = b'<';
const STAND: u8 = b'?';

/// Carries between clients and a port of this machine, and does nothing else: a thread each way, and a block.
pub(crate) fn relay(port: u16) -> Result<(), Failed> {
    let listener = listen()?;
    say(&format!("{}\n", address_of(&listener)?));
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            thread::spawn(move || -> io::Result<()> {
                let server = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
                client.set_nodelay(true)?;
                server.set_nodelay(true)?;
                let (from, to) = (client.try_clone()?, server.try_clone()?);
                let up = thread::spawn(move || pump(from, to));
                pump(server, client)?;
                up.join().unwrap_or(Ok(()))
            });
        }
    });
    // It ends with whoever started it.
    let _ended = io::stdin().read_to_end(&mut Vec::new());
    Ok(())
}

fn pump(mut from: TcpStream, mut to: TcpStream) -> io::Result<()> {
    let mut block = vec![0; BLOCK];
    loop {
        let length = from.read(&mut block)?;
        if length == 0 {
            return to.shutdown(Shutdown::Write);
        }
        to.write_all(block.get(..length).unwrap_or_default())?;
    }
}

/// Measures a program's proxy.
pub(crate) fn run(program: &Path) -> Result<(), Failed> {
    let program = fs::canonicalize(program)
        .map_err(|source| Failed::File { path: program.to_path_buf(), source })?;
    let far = far_end()?;
    let folder = root().join(format!("target/bench-proxy-{}", std::process::id()));
    let measured = measure(&program, far, &folder);
    // What is left of a failed run is looked at by nobody.
    let _ = fs::remove_dir_all(&folder);
    measured
}

fn measure(program: &Path, far: SocketAddr, folder: &Path) -> Result<(), Failed> {
    let relay = Relay::start(far)?;
    let proxy = Proxy::start(program, far, folder)?;
    say(
        "\n| carried | bare relay MB/s | proxy MB/s | share | processor seconds a GB, relay | proxy | share |\n",
    );
    say("|---|---|---|---|---|---|---|\n");
    for (name, what, connections) in [
        ("from the server, one connection", GIVE, 1),
        ("to the server, one connection", TAKE, 1),
        ("from the server, eight connections", GIVE, AT_ONCE),
    ] {
        let mut columns = [const { Vec::new() }; 6];
        for _ in 0..ROUNDS {
            let bare =
                timed(what, connections, &relay.child, &|| TcpStream::connect(relay.address))?;
            let ours = timed(what, connections, &proxy.child, &|| proxy.tunnel())?;
            let giga = BYTES as f64 / 1e9;
            let speed = |cost: &Cost| 1e3 * giga / cost.wall;
            let row = [
                speed(&bare),
                speed(&ours),
                100.0 * bare.wall / ours.wall,
                bare.processor / giga,
                ours.processor / giga,
                100.0 * bare.processor / ours.processor.max(1e-3),
            ];
            for (column, number) in columns.iter_mut().zip(row) {
                column.push(number);
            }
        }
        let [bare, ours, share, busy, our_busy, less] = columns.map(median);
        say(&format!(
            "| {name} | {bare:.0} | {ours:.0} | {share:.0} % | {busy:.2} | {our_busy:.2} | {less:.0} % |\n"
        ));
    }
    say("\n| a thousand tunnels | memory MB | descriptors | seconds |\n|---|---|---|---|\n");
    proxy.row("before", 0.0)?;
    for wave in 1..=WAVES {
        let begin = Instant::now();
        let tunnels = proxy.tunnels(TUNNELS).map_err(broken)?;
        proxy.row(&format!("all at once, wave {wave}"), begin.elapsed().as_secs_f64())?;
        let begin = Instant::now();
        drop(tunnels);
        proxy.settle(proxy.descriptors_before)?;
        proxy.row("all closed", begin.elapsed().as_secs_f64())?;
    }
    Ok(())
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or_default()
}

/// What it took, in seconds.
struct Cost {
    wall: f64,
    /// Of the process between the two ends alone, which other work on the machine does not change much.
    processor: f64,
}

/// Carries all of it, over so many connections, each with its part.
fn timed(
    what: u8,
    connections: usize,
    between: &Child,
    open: &dyn Fn() -> io::Result<TcpStream>,
) -> Result<Cost, Failed> {
    let streams = (0..connections).map(|_| open()).collect::<io::Result<Vec<_>>>();
    let streams = streams.map_err(broken)?;
    let each = BYTES / connections;
    let (busy, begin) = (processor_time(between)?, Instant::now());
    let carrying: Vec<_> = streams
        .into_iter()
        .map(|stream| thread::spawn(move || carry(stream, what, each)))
        .collect();
    for one in carrying {
        one.join().unwrap_or_else(|_| Err(io::ErrorKind::Other.into())).map_err(broken)?;
    }
    let wall = begin.elapsed().as_secs_f64();
    Ok(Cost { wall, processor: processor_time(between)? - busy })
}

/// The seconds of processor time that a process has used.
pub(super) fn processor_time(child: &Child) -> Result<f64, Failed> {
    /// The system's unit for it, which has been this everywhere for decades.
    const TICKS: f64 = 100.0;
    let text = command::read(&Path::new("/proc").join(child.id().to_string()).join("stat"))?;
    // The name in the second field may have blanks; behind it the eleventh and twelfth are meant.
    let fields = text.rsplit_once(") ").map(|(_, rest)| rest.split(' ').skip(11).take(2));
    let ticks = fields.into_iter().flatten().map(str::parse::<f64>).collect::<Result<Vec<_>, _>>();
    match ticks.as_deref() {
        Ok([user, system]) => Ok((user + system) / TICKS),
        _ => Err(Failed::Output("/proc".to_owned())),
    }
}

/// The megabytes of memory that a process holds.
pub(super) fn memory(process: &Path) -> Result<f64, Failed> {
    let status = command::read(&process.join("status"))?;
    let kilobytes = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"))
        .and_then(|number| number.trim().parse::<f64>().ok());
    kilobytes.map(|number| number / 1e3).ok_or_else(|| Failed::Output("/proc".to_owned()))
}

fn carry(mut stream: TcpStream, what: u8, bytes: usize) -> io::Result<()> {
    stream.write_all(&[what])?;
    stream.write_all(&u64::try_from(bytes).unwrap_or(u64::MAX).to_be_bytes())?;
    if what == TAKE {
        give(&mut stream, bytes)?;
        return stream.read_exact(&mut [0]);
    }
    take(&mut stream, bytes)
}

fn give(stream: &mut TcpStream, mut bytes: usize) -> io::Result<()> {
    let block = vec![0x5a; BLOCK];
    while bytes > 0 {
        let part = bytes.min(BLOCK);
        stream.write_all(block.get(..part).unwrap_or_default())?;
        bytes -= part;
    }
    Ok(())
}

fn take(stream: &mut TcpStream, mut bytes: usize) -> io::Result<()> {
    let mut block = vec![0; BLOCK];
    while bytes > 0 {
        match stream.read(&mut block)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            length => bytes = bytes.saturating_sub(length),
        }
    }
    Ok(())
}

/// What connections lead to: it gives or takes as many bytes as it is told, or answers and waits.
fn far_end() -> Result<SocketAddr, Failed> {
    let listener = listen()?;
    let address = address_of(&listener)?;
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            thread::spawn(move || -> io::Result<()> {
                let mut what = [0; 9];
                stream.read_exact(&mut what)?;
                let [what, length @ ..] = what;
                let bytes = usize::try_from(u64::from_be_bytes(length)).unwrap_or(0);
                match what {
                    GIVE => give(&mut stream, bytes),
                    TAKE => {
                        take(&mut stream, bytes)?;
                        stream.write_all(b".")
                    }
                    _ => {
                        stream.write_all(b".")?;
                        stream.read(&mut [0]).map(drop)
                    }
                }
            });
        }
    });
    Ok(address)
}

fn listen() -> Result<TcpListener, Failed> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(broken)
}

fn address_of(listener: &TcpListener) -> Result<SocketAddr, Failed> {
    listener.local_addr().map_err(broken)
}

fn broken(error: io::Error) -> Failed {
    Failed::Broken(format!("a connection of the measurement broke: {error}"))
}

/// The bare relay, a process of its own like the proxy.
struct Relay {
    child: Child,
    _until: Option<ChildStdin>,
    address: SocketAddr,
}

impl Relay {
    fn start(far: SocketAddr) -> Result<Self, Failed> {
        let own = std::env::current_exe().map_err(broken)?;
        let mut command = Command::new(own);
        command.args(["bench-relay", &far.port().to_string()]).stdin(Stdio::piped());
        let (mut child, line) = said(&mut command)?;
        let address = line.trim().parse().map_err(|_| Failed::Output("bench-relay".to_owned()))?;
        Ok(Self { _until: child.stdin.take(), child, address })
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a program, and gives the first line that it says.
pub(super) fn said(command: &mut Command) -> Result<(Child, String), Failed> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed =
        |source| Failed::Start { program: program.clone(), source, help: "build it for release" };
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(failed)?;
    let mut line = String::new();
    if let Some(output) = child.stdout.take() {
        BufReader::new(output).read_line(&mut line).map_err(failed)?;
    }
    Ok((child, line))
}

/// The proxy that is measured.
struct Proxy {
    child: Child,
    address: SocketAddr,
    request: String,
    descriptors_before: usize,
}

impl Proxy {
    fn start(program: &Path, far: SocketAddr, folder: &Path) -> Result<Self, Failed> {
        let configuration = folder.join("configuration.toml");
        let port = far.port();
        let allowed = format!(
            "[network]\nallowed_hosts = [{{ host = \"127.0.0.1\", allow_private = true, ports = [{port}] }}]\n"
        );
        command::write(&configuration, &allowed)?;
        let mut command = Command::new(program);
        command.args(["proxy", "--json", "--rate", "1000000", "--config"]).arg(&configuration);
        command.env("PORTCULLIS_STATE_DIR", folder.join("state")).env_remove("PORTCULLIS_AUDIT");
        command.current_dir(folder).stdin(Stdio::null());
        let (child, line) = said(&mut command)?;
        let unclear = || Failed::Output("portcullis proxy".to_owned());
        let line: serde_json::Value = serde_json::from_str(&line).map_err(|_| unclear())?;
        let word = |path: &str| line.pointer(path).and_then(serde_json::Value::as_str);
        let address = word("/listening").and_then(|text| text.parse().ok()).ok_or_else(unclear)?;
        let (session, password) =
            word("/sessions/0/session").zip(word("/sessions/0/password")).ok_or_else(unclear)?;
        let login = data_encoding::BASE64.encode(format!("{session}:{password}").as_bytes());
        let request = format!(
            "CONNECT {far} HTTP/1.1\r\nHost: {far}\r\nProxy-Authorization: Basic {login}\r\n\r\n"
        );
        let mut proxy = Self { child, address, request, descriptors_before: 0 };
        // One connection before anything is counted, so that what is made once is there.
        drop(proxy.tunnels(1).map_err(broken)?);
        thread::sleep(Duration::from_millis(300));
        proxy.descriptors_before = proxy.descriptors()?;
        Ok(proxy)
    }

    /// A tunnel that stands.
    fn tunnel(&self) -> io::Result<TcpStream> {
        let mut stream = self.ask()?;
        answered(&mut stream)?;
        Ok(stream)
    }

    fn ask(&self) -> io::Result<TcpStream> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_nodelay(true)?;
        stream.write_all(self.request.as_bytes())?;
        Ok(stream)
    }

    /// So many tunnels at once, each of which has carried bytes both ways and stays.
    fn tunnels(&self, number: usize) -> io::Result<Vec<TcpStream>> {
        let mut streams = (0..number).map(|_| self.ask()).collect::<io::Result<Vec<_>>>()?;
        for stream in &mut streams {
            answered(stream)?;
            stream.write_all(&[STAND, 0, 0, 0, 0, 0, 0, 0, 0])?;
        }
        for stream in &mut streams {
            stream.read_exact(&mut [0])?;
        }
        Ok(streams)
    }

    /// Waits until no more descriptors are held than before.
    fn settle(&self, before: usize) -> Result<(), Failed> {
        let begin = Instant::now();
        while self.descriptors()? > before {
            if begin.elapsed() > Duration::from_secs(30) {
                return Err(Failed::Broken("the proxy holds on to descriptors".to_owned()));
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    fn process(&self, file: &str) -> PathBuf {
        Path::new("/proc").join(self.child.id().to_string()).join(file)
    }

    fn descriptors(&self) -> Result<usize, Failed> {
        let path = self.process("fd");
        match fs::read_dir(&path) {
            Ok(entries) => Ok(entries.count()),
            Err(source) => Err(Failed::File { path, source }),
        }
    }

    fn row(&self, name: &str, seconds: f64) -> Result<(), Failed> {
        let memory = memory(&Path::new("/proc").join(self.child.id().to_string()))?;
        let descriptors = self.descriptors()?;
        say(&format!("| {name} | {:.1} | {descriptors} | {seconds:.2} |\n", memory));
        Ok(())
    }
}

fn answered(stream: &mut TcpStream) -> io::Result<()> {
    const STANDS: &[u8; 39] = b"HTTP/1.1 200 Connection established\r\n\r\n";
    let mut answer = [0; STANDS.len()];
    stream.read_exact(&mut answer)?;
    if &answer == STANDS {
        return Ok(());
    }
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest)?;
    let text = String::from_utf8_lossy(&[&answer[..], &rest].concat()).into_owned();
    Err(io::Error::other(text))
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
