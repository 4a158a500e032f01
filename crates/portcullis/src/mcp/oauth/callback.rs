//! Where a browser comes back to: a port of the loopback that answers one path, for as long as somebody logs in. Owns what is read of a browser, within
//! bounds, and what it is shown; whether what it brings belongs to the login, `login` says.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    time::{Duration, Instant},
};

use portcullis_core::network::Target;

use super::OAuthError;

/// The path.
pub(super) const PATH: &str = "/callback";

/// The longest head that is read, and how long it may take.
const LONGEST: u64 = 16 << 10;
const SLOW: Duration = Duration::from_secs(5);

/// How often it is looked whether somebody came.
const LOOK: Duration = Duration::from_millis(50);

/// How many that bring nothing of ours are answered.
const OTHERS: usize = 200;

/// What a browser brought.
#[derive(Debug, Default, Eq, PartialEq)]
pub(super) struct Brought {
    pub(super) code: Option<String>,
    pub(super) state: Option<String>,
    pub(super) issuer: Option<String>,
    pub(super) error: Option<String>,
}

/// The port that is listened at.
pub(super) struct Callback {
    listener: TcpListener,
    address: SocketAddr,
}

impl Callback {
    /// Listens, at this port where it is free, else at another.
    pub(super) fn open(port: Option<u16>) -> io::Result<Self> {
        let at = |port: u16| TcpListener::bind(("127.0.0.1", port));
        let listener = match port {
            Some(port) => at(port).or_else(|_| at(0))?,
            None => at(0)?,
        };
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// The address that a browser is sent back to.
    pub(super) fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Waits for a browser that brings what `counts`; another one is told so, and waited past.
    pub(super) fn wait<T>(
        &self,
        patience: Duration,
        mut counts: impl FnMut(Brought) -> Result<T, OAuthError>,
    ) -> Result<T, OAuthError> {
        let begun = Instant::now();
        let mut others = 0;
        let mut last = None;
        while begun.elapsed() < patience && others < OTHERS {
            let stream = match self.listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    std::thread::sleep(LOOK);
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            others += 1;
            // One who says nothing that can be read is none.
            let Ok((mut stream, brought)) = self.read(stream) else { continue };
            let Some(brought) = brought else {
                answer(&mut stream, "404 Not Found", "There is nothing here.");
                continue;
            };
            match counts(brought) {
                Ok(done) => {
                    answer(&mut stream, "200 OK", "You are logged in. This page can be closed.");
                    return Ok(done);
                }
                Err(error @ OAuthError::Callback(_)) => {
                    answer(&mut stream, "400 Bad Request", "This does not belong to the login.");
                    last = Some(error);
                }
                Err(error) => {
                    answer(&mut stream, "200 OK", "Nobody was logged in. This page can be closed.");
                    return Err(error);
                }
            }
        }
        Err(last.unwrap_or(OAuthError::TimedOut))
    }

    /// The head of a request, and what it brings where it is meant for us.
    fn read(&self, stream: TcpStream) -> io::Result<(TcpStream, Option<Brought>)> {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(SLOW))?;
        stream.set_write_timeout(Some(SLOW))?;
        let mut head = BufReader::new(stream.try_clone()?.take(LONGEST));
        let mut first = String::new();
        head.read_line(&mut first)?;
        let mut hosts = Vec::new();
        loop {
            let mut line = String::new();
            if head.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("host")
            {
                hosts.push(value.trim().to_owned());
            }
        }
        // A page elsewhere whose name leads here names itself.
        let is_ours = hosts.as_slice() == [self.address.to_string()];
        let path = first.strip_prefix("GET ").and_then(|rest| rest.split(' ').next());
        let brought = path.filter(|_| is_ours).and_then(|path| self.brought(path));
        Ok((stream, brought))
    }

    fn brought(&self, path: &str) -> Option<Brought> {
        let query = path.strip_prefix(PATH)?.strip_prefix('?')?;
        let target = Target::read(&format!("{}?{query}", self.url())).ok()?;
        let mut brought = Brought::default();
        for (name, value) in target.url().query_pairs() {
            let place = match name.as_ref() {
                "code" => &mut brought.code,
                "state" => &mut brought.state,
                "iss" => &mut brought.issuer,
                "error" => &mut brought.error,
                _ => continue,
            };
            // What stands there twice says two things.
            if place.replace(value.into_owned()).is_some() {
                return None;
            }
        }
        Some(brought)
    }
}

fn answer(stream: &mut TcpStream, status: &str, words: &str) {
    let page =
        format!("<!doctype html><meta charset=utf-8><title>Portcullis</title><p>{words}</p>\n");
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         Content-Security-Policy: default-src 'none'\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n",
        page.len()
    );
    // A browser that has gone wants no page.
    let _ = stream.write_all(format!("{head}{page}").as_bytes());
}
