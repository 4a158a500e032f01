//! Servers for tests. Owns a name server that answers as it is told, written apart from the code that reads answers, and a web
//! server that keeps the bytes of what it is asked.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpListener, UdpSocket},
};

/// What the name server says to one question.
#[derive(Clone)]
pub(crate) enum Say {
    Addresses(Vec<&'static str>),
    /// Another name, with its addresses.
    Alias(&'static str, Vec<&'static str>),
    NoName,
    Fail,
    Nothing,
    /// The answer is too long for a datagram; over TCP it is this.
    Truncated(Box<Say>),
    /// So many datagrams with another number than the question's, then the answer.
    Flood(usize, Box<Say>),
    /// The answer to another name.
    OtherName(Box<Say>),
    /// Bytes that are no answer.
    Garbage,
}

/// What was asked: the name, whether for IPv6, and how often it was before.
pub(crate) type Script = Arc<dyn Fn(&str, bool, usize) -> Say + Send + Sync>;

/// A name server.
pub(crate) struct NameServer {
    pub(crate) address: SocketAddr,
    pub(crate) asked: Arc<Mutex<Vec<(String, bool)>>>,
}

impl NameServer {
    pub(crate) async fn new(
        script: impl Fn(&str, bool, usize) -> Say + Send + Sync + 'static,
    ) -> Self {
        let script: Script = Arc::new(script);
        let (udp, tcp) = loop {
            let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
            if let Ok(udp) = UdpSocket::bind(tcp.local_addr().unwrap()).await {
                break (udp, tcp);
            }
        };
        let address = udp.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (kept, said) = (Arc::clone(&asked), Arc::clone(&script));
        tokio::spawn(async move {
            let mut buffer = [0; 2_000];
            while let Ok((length, from)) = udp.recv_from(&mut buffer).await {
                let question = &buffer[..length];
                let (name, six) = question_of(question);
                let before = note(&kept, &name, six);
                for datagram in datagrams(question, said(&name, six, before), six) {
                    let _ = udp.send_to(&datagram, from).await;
                }
            }
        });
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = tcp.accept().await {
                let length = stream.read_u16().await.unwrap_or(0);
                let mut question = vec![0; usize::from(length)];
                if stream.read_exact(&mut question).await.is_err() {
                    continue;
                }
                let (name, six) = question_of(&question);
                if let Say::Truncated(whole) = script(&name, six, 0) {
                    for answer in datagrams(&question, *whole, six) {
                        let length = u16::try_from(answer.len()).unwrap();
                        let _ =
                            stream.write_all(&[&length.to_be_bytes()[..], &answer].concat()).await;
                    }
                }
            }
        });
        Self { address, asked }
    }

    /// One that knows [`super::OURS`] and nothing else.
    pub(crate) async fn of_ours() -> Self {
        Self::new(|name, six, _| match (super::OURS.contains(&name), six) {
            (true, false) => Say::Addresses(vec!["127.0.0.1"]),
            (true, true) => Say::Addresses(Vec::new()),
            _ => Say::NoName,
        })
        .await
    }
}

fn note(asked: &Mutex<Vec<(String, bool)>>, name: &str, six: bool) -> usize {
    let mut asked = asked.lock().unwrap();
    let before = asked.iter().filter(|one| **one == (name.to_owned(), six)).count();
    asked.push((name.to_owned(), six));
    before
}

fn question_of(bytes: &[u8]) -> (String, bool) {
    let (mut at, mut name) = (12, String::new());
    while bytes[at] != 0 {
        let length = usize::from(bytes[at]);
        if !name.is_empty() {
            name.push('.');
        }
        name.push_str(std::str::from_utf8(&bytes[at + 1..=at + length]).unwrap());
        at += length + 1;
    }
    (name, bytes[at + 2] == 28)
}

fn wire_name(name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for label in name.split('.') {
        bytes.push(u8::try_from(label.len()).unwrap());
        bytes.extend_from_slice(label.as_bytes());
    }
    bytes.push(0);
    bytes
}

fn record(owner: &[u8], kind: u16, data: &[u8]) -> Vec<u8> {
    let mut bytes = owner.to_vec();
    bytes.extend_from_slice(&kind.to_be_bytes());
    bytes.extend_from_slice(&[0, 1, 0, 0, 0, 0]);
    bytes.extend_from_slice(&u16::try_from(data.len()).unwrap().to_be_bytes());
    bytes.extend_from_slice(data);
    bytes
}

/// The records of one family alone, as a server gives them.
fn address_records(owner: &[u8], addresses: &[&str], six: bool) -> Vec<Vec<u8>> {
    let parsed = addresses.iter().map(|one| one.parse::<IpAddr>().unwrap());
    parsed
        .filter(|one| one.is_ipv6() == six)
        .map(|one| match one {
            IpAddr::V4(four) => record(owner, 1, &four.octets()),
            IpAddr::V6(six) => record(owner, 28, &six.octets()),
        })
        .collect()
}

fn datagrams(question: &[u8], say: Say, six: bool) -> Vec<Vec<u8>> {
    let answer = |flags: [u8; 2], records: Vec<Vec<u8>>| {
        let mut bytes = question.to_vec();
        bytes[2..4].copy_from_slice(&flags);
        bytes[6..8].copy_from_slice(&u16::try_from(records.len()).unwrap().to_be_bytes());
        bytes.extend(records.concat());
        bytes
    };
    let found = [0x85, 0x80];
    match say {
        Say::Addresses(addresses) => {
            vec![answer(found, address_records(b"\xc0\x0c", &addresses, six))]
        }
        Say::Alias(name, addresses) => {
            let owner = wire_name(name);
            let mut records = vec![record(b"\xc0\x0c", 5, &owner)];
            records.extend(address_records(&owner, &addresses, six));
            vec![answer(found, records)]
        }
        Say::NoName => vec![answer([0x85, 0x83], Vec::new())],
        Say::Fail => vec![answer([0x85, 0x82], Vec::new())],
        Say::Nothing => Vec::new(),
        Say::Truncated(_) => vec![answer([0x87, 0x80], Vec::new())],
        Say::Flood(number, last) => {
            let mut stray = answer(found, address_records(b"\xc0\x0c", &["127.0.0.2"], six));
            stray[0] ^= 0xff;
            let mut all = vec![stray; number];
            all.extend(datagrams(question, *last, six));
            all
        }
        Say::OtherName(inner) => {
            let mut other = question.to_vec();
            other[13] = b'z';
            datagrams(&other, *inner, six)
        }
        Say::Garbage => vec![vec![0xff; 40], Vec::new(), question[..12].to_vec()],
    }
}

/// A web server that answers each request by what a function makes of it.
pub(crate) struct WebServer {
    pub(crate) port: u16,
    pub(crate) requests: Arc<Mutex<Vec<String>>>,
}

/// What is answered to a request: the whole of it, as it stands on the wire.
pub(crate) type Answer = Arc<dyn Fn(&str) -> Vec<u8> + Send + Sync>;

impl WebServer {
    pub(crate) async fn new(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer): (_, Answer) = (Arc::clone(&requests), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&kept), Arc::clone(&answer)));
            }
        });
        Self { port, requests }
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// One request on one connection.
pub(crate) async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    kept: Arc<Mutex<Vec<String>>>,
    answer: Answer,
) {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4_096];
    loop {
        let Ok(length) = stream.read(&mut buffer).await else { return };
        bytes.extend_from_slice(&buffer[..length]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            if length == 0 {
                return;
            }
            continue;
        };
        let expected = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok())
            .unwrap_or(0);
        if body.len() >= expected || length == 0 {
            kept.lock().unwrap().push(text.clone());
            let _ = stream.write_all(&answer(&text)).await;
            let _ = stream.shutdown().await;
            return;
        }
    }
}

/// A listener that nobody may call.
pub(crate) struct Untouched(Arc<AtomicUsize>);

impl Untouched {
    /// At 127.0.0.2 and ::1, at a port that is taken elsewhere.
    pub(crate) async fn at(port: u16) -> Self {
        let count = Arc::new(AtomicUsize::new(0));
        for address in ["127.0.0.2", "::1"] {
            let address: IpAddr = address.parse().unwrap();
            let Ok(listener) = TcpListener::bind((address, port)).await else { continue };
            let count = Arc::clone(&count);
            tokio::spawn(async move {
                while listener.accept().await.is_ok() {
                    count.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        Self(count)
    }

    pub(crate) fn check(&self, case: &str) {
        assert_eq!(self.0.load(Ordering::SeqCst), 0, "{case}: the listener was called");
    }
}

/// A plain answer.
pub(crate) fn ok(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// An answer that sends on.
pub(crate) fn redirect(status: u16, location: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} Moved\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n")
        .into_bytes()
}
