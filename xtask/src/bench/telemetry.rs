//! What a collector of telemetry costs those who have calls judged: one that takes all of it, one that is not there, and one that stands still, in turns
//! with a gateway that tells nobody. Owns the collectors; gateways and the load are those of [`mod@super::gateway`].

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener},
    path::Path,
    thread,
    time::Duration,
};

use super::gateway::{Client, Served, broken, call, load};
use crate::command::{Failed, say};

/// How long each is measured at a time, and how often, in turns.
const SPAN: Duration = Duration::from_secs(2);
const ROUNDS: usize = 15;

/// How many calls a second: far below what any of them can answer, so that nothing but itself is measured.
const RATE: f64 = 200.0;

/// Measures a program's gateway.
pub(crate) fn run(program: &Path) -> Result<(), Failed> {
    let program = fs::canonicalize(program)
        .map_err(|source| Failed::File { path: program.to_path_buf(), source })?;
    // Where the disk is what is slow, `TMPDIR` names a place in memory.
    let folder = std::env::temp_dir().join(format!("bench-telemetry-{}", std::process::id()));
    let measured = compared(&program, &folder);
    // What is left of a failed run is looked at by nobody.
    let _ = fs::remove_dir_all(&folder);
    measured
}

fn compared(program: &Path, folder: &Path) -> Result<(), Failed> {
    let none = SocketAddr::from(([127, 0, 0, 1], 9));
    let rows = [
        ("nobody is told", None),
        // What lies between two that are the same is the noise of the machine.
        ("nobody is told, once more", None),
        ("a collector that takes all of it", Some(collector(true)?)),
        ("one that is not there", Some(none)),
        ("one that takes connections and stands still", Some(collector(false)?)),
    ];
    let mut gateways = Vec::new();
    for (name, address) in &rows {
        let home = folder.join(name.replace(' ', "-"));
        let file = home.join("config.toml");
        fs::create_dir_all(&home).map_err(|source| Failed::File { path: home.clone(), source })?;
        let table = address.map(|address| {
            format!("[serve.telemetry]\nendpoint = 'http://{address}'\nevery = 1\nqueue = 256\n")
        });
        fs::write(&file, table.unwrap_or_default())
            .map_err(|source| Failed::File { path: file.clone(), source })?;
        let file = file.to_string_lossy().into_owned();
        gateways.push(Served::gateway(program, &home, &["--config", &file])?);
    }
    let mut times = vec![Vec::new(); rows.len()];
    for round in 0..ROUNDS {
        // Each begins as often as any other: what the one before left to be done is everybody's.
        for turn in 0..rows.len() {
            let at = (turn + round) % rows.len();
            let (Some(gateway), Some(times)) = (gateways.get(at), times.get_mut(at)) else {
                continue;
            };
            let served = std::slice::from_ref(gateway);
            times.extend(load(served, |_, _| call("git status", None), SPAN, Some(RATE))?);
        }
    }
    say(
        "\n| | p50 ms | of nobody's | p99 ms | of nobody's | memory, MB | dropped |\n|---|---|---|---|---|---|---|\n",
    );
    let mut first = None;
    for (((name, _), gateway), mut times) in rows.iter().zip(&gateways).zip(times) {
        times.sort_unstable();
        let at = |part: usize| {
            let time = times.get(times.len() * part / 100).copied().unwrap_or_default();
            time.as_secs_f64() * 1e3
        };
        let (half, most) = (at(50), at(99));
        let (first_half, first_most) = *first.get_or_insert((half, most));
        let mut client = Client::connect(gateway).map_err(broken)?;
        let text = client.get("/metrics", gateway.person()).map_err(broken)?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let dropped = text.lines().filter(|it| it.starts_with("portcullis_telemetry_dropped"));
        let dropped = dropped.filter_map(|it| it.rsplit(' ').next()?.parse::<u64>().ok());
        let (dropped, memory) = (dropped.sum::<u64>(), gateway.memory()?);
        say(&format!(
            "| {name} | {half:.2} | {:.2} | {most:.1} | {:.2} | {memory:.0} | {dropped} |\n",
            half / first_half,
            most / first_most
        ));
    }
    Ok(())
}

/// Something that listens: it answers that it took what it was sent, or takes connections and says nothing.
fn collector(answers: bool) -> Result<SocketAddr, Failed> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(broken)?;
    let address = listener.local_addr().map_err(broken)?;
    thread::spawn(move || {
        let mut held = Vec::new();
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            if !answers {
                held.push(stream);
                continue;
            }
            thread::spawn(move || {
                let (mut seen, mut piece) = (Vec::new(), [0; 16 << 10]);
                while !is_whole(&seen) {
                    match stream.read(&mut piece) {
                        Ok(read) if read > 0 => {
                            seen.extend_from_slice(piece.get(..read).unwrap_or_default());
                        }
                        _ => return,
                    }
                }
                // Whoever no longer listens has gone on.
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            });
        }
    });
    Ok(address)
}

/// Whether a request came whole.
fn is_whole(seen: &[u8]) -> bool {
    let Some(end) = seen.windows(4).position(|it| it == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(seen.get(..end).unwrap_or_default()).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let length = length.and_then(|it| it.trim().parse::<usize>().ok()).unwrap_or_default();
    seen.len() >= end + 4 + length
}
