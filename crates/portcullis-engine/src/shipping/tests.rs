//! Deliveries against servers of the tests' own, which break connections, refuse for a while, and count what they got.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::Value;
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
    },
};

use super::*;
use crate::audit::{Entry, Kind};
use portcullis_net::Roots;

/// What a server got: each id, and how often.
type Got = Arc<Mutex<BTreeMap<String, u32>>>;

fn state(records: u64) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    add(&folder, records);
    folder
}

fn add(folder: &TempDir, records: u64) {
    let mut log = Log::open(&folder.path().join("state")).unwrap();
    for number in 0..records {
        let preview = format!("call {number}\n<1>1 - - - - - - forged");
        let entry = Entry { preview: Some(preview), ..Entry::new(Kind::Decision) };
        log.append(&entry).unwrap();
    }
}

fn ids(folder: &TempDir) -> Vec<String> {
    let mut log = Log::read(&folder.path().join("state")).unwrap();
    let records = log.list(&Filter::default()).unwrap();
    records.iter().map(|record| record.hash.to_string()).collect()
}

/// Delivers once, with the cursor in the folder, and gives what came of it with what went wrong meanwhile.
async fn ship(folder: &TempDir, sink: Sink<'_>) -> (Result<Shipped, ShippingError>, Vec<String>) {
    let mut log = Log::read(&folder.path().join("state")).unwrap();
    let cursor = Cursor::open(&folder.path().join("cursor")).unwrap();
    cursor.fits(&mut log).unwrap();
    let mut complaints = Vec::new();
    let mut complain = |error: &ShippingError| complaints.push(error.to_string());
    let mut shipping = Shipping {
        log: &mut log,
        sink,
        cursor,
        filter: Filter::default(),
        format: Format::JsonLines,
        complain: &mut complain,
    };
    // Nobody has to wait for the pauses.
    let shipped = shipping.all(false, &mut async |_| ControlFlow::Continue(())).await;
    (shipped, complaints)
}

fn everything_once(got: &Got, folder: &TempDir) {
    let got = got.lock().unwrap().clone();
    let wanted: BTreeMap<String, u32> = ids(folder).into_iter().map(|id| (id, 1)).collect();
    assert_eq!(got, wanted);
}

/// A server of syslog for one name that breaks the first so many connections after a few bytes.
async fn syslog(breaks: usize) -> (String, Vec<u8>, Got) {
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority_key = KeyPair::generate().unwrap();
    let certificate = authority.self_signed(&authority_key).unwrap().pem().into_bytes();
    let issuer = Issuer::from_params(&authority, &authority_key);
    let key = KeyPair::generate().unwrap();
    let own = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let chain = vec![own.signed_by(&key, &issuer).unwrap().der().clone()];
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("tls://localhost:{}", listener.local_addr().unwrap().port());
    let got = Got::default();
    let seen = Arc::clone(&got);
    tokio::spawn(async move {
        for number in 0.. {
            let (stream, _) = listener.accept().await.unwrap();
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            if number < breaks {
                // What was sent by then is lost with the connection: nothing of it may count.
                let _ = stream.read_exact(&mut [0; 50]).await;
                continue;
            }
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).await.unwrap();
            take_frames(&bytes, &seen);
            let _ = stream.shutdown().await;
        }
    });
    (url, certificate, got)
}

/// Takes messages out of a stream by their lengths alone.
fn take_frames(mut bytes: &[u8], got: &Got) {
    while !bytes.is_empty() {
        let space = bytes.iter().position(|byte| *byte == b' ').unwrap();
        let length: usize = std::str::from_utf8(&bytes[..space]).unwrap().parse().unwrap();
        let (message, rest) = bytes[space + 1..].split_at(length);
        bytes = rest;
        let message = std::str::from_utf8(message).unwrap();
        assert!(!message.contains('\n'), "{message}");
        let words: Vec<&str> = message.splitn(8, ' ').collect();
        assert_eq!(
            (words[0], words[3], words[5], words[6]),
            ("<110>1", "portcullis", "decision", "-")
        );
        let record: Value = serde_json::from_str(words[7]).unwrap();
        *got.lock().unwrap().entry(record["hash"].as_str().unwrap().to_owned()).or_default() += 1;
    }
}

#[tokio::test]
async fn syslog_counts_as_delivered_once_the_server_has_read_it() {
    let folder = state(7);
    let (url, certificate, got) = syslog(2).await;
    let roots = || Roots::Pem(certificate.clone());
    let (shipped, complaints) =
        ship(&folder, Sink::Syslog(Syslog::new(&url, roots()).unwrap())).await;
    assert_eq!(shipped.unwrap().records, 7);
    assert_eq!(complaints.len(), 1, "{complaints:?}");
    everything_once(&got, &folder);
    // Nothing is new, then something is.
    let (shipped, _) = ship(&folder, Sink::Syslog(Syslog::new(&url, roots()).unwrap())).await;
    assert_eq!(shipped.unwrap().records, 0);
    add(&folder, 2);
    let (shipped, _) = ship(&folder, Sink::Syslog(Syslog::new(&url, roots()).unwrap())).await;
    assert_eq!(shipped.unwrap().records, 2);
    everything_once(&got, &folder);
}

#[tokio::test]
async fn nothing_is_sent_to_a_server_that_nobody_vouches_for() {
    let folder = state(1);
    let (url, _, got) = syslog(0).await;
    let (other, certificate, _) = syslog(0).await;
    assert_ne!(url, other);
    let sink = Sink::Syslog(Syslog::new(&url, Roots::Pem(certificate)).unwrap());
    let (shipped, _) = ship(&folder, sink).await;
    assert!(shipped.is_err());
    assert!(got.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_server_that_breaks_every_connection_leaves_the_cursor_where_it_was() {
    let folder = state(3);
    let (url, certificate, got) = syslog(usize::MAX).await;
    let sink = Sink::Syslog(Syslog::new(&url, Roots::Pem(certificate)).unwrap());
    let (shipped, _) = ship(&folder, sink).await;
    assert!(matches!(shipped, Err(ShippingError::Again(_))), "{shipped:?}");
    assert!(got.lock().unwrap().is_empty());
    assert!(!Cursor::open(&folder.path().join("cursor")).unwrap().has_begun());
}

/// A collector that gives these answers, and then only the last of them.
async fn collector(answers: &'static [&'static str]) -> (String, Got) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let got = Got::default();
    let seen = Arc::clone(&got);
    tokio::spawn(async move {
        let mut answers = answers.iter();
        let mut answer = "";
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            answer = answers.next().copied().unwrap_or(answer);
            let body = request(&mut stream).await;
            if answer.starts_with("HTTP/1.1 200") {
                let body: Value = serde_json::from_slice(&body).unwrap();
                let logs = body.pointer("/resourceLogs/0/scopeLogs/0/logRecords").unwrap();
                for log in logs.as_array().unwrap() {
                    let id = log.pointer("/attributes/0/value/stringValue").unwrap();
                    let line: Value =
                        serde_json::from_str(log["body"]["stringValue"].as_str().unwrap()).unwrap();
                    assert_eq!(line["hash"], *id);
                    let mut seen = seen.lock().unwrap();
                    *seen.entry(id.as_str().unwrap().to_owned()).or_default() += 1;
                }
            }
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    (url, got)
}

async fn request(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
        if let Some(end) = text.find("\r\n\r\n") {
            assert!(text.starts_with("post /v1/logs http/1.1\r\n"), "{text}");
            assert!(text.contains("authorization: bearer s3cret"), "{text}");
            let length = text.split("content-length: ").nth(1).unwrap();
            let length: usize = length.lines().next().unwrap().parse().unwrap();
            if bytes.len() >= end + 4 + length {
                return bytes.split_off(end + 4);
            }
        }
        let mut part = [0; 4_096];
        let read = stream.read(&mut part).await.unwrap();
        assert_ne!(read, 0, "the request broke off");
        bytes.extend_from_slice(&part[..read]);
    }
}

const TAKEN: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";

async fn to_collector(
    folder: &TempDir,
    url: &str,
) -> (Result<Shipped, ShippingError>, Vec<String>) {
    let token = vec![("authorization".to_owned(), "Bearer s3cret".to_owned())];
    let collector = Collector::new(url, Roots::System, token).unwrap();
    ship(folder, Sink::Collector(collector)).await
}

#[tokio::test]
async fn a_collector_is_asked_again_where_the_protocol_says_so() {
    let folder = state(1_203);
    let busy = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let (url, got) = collector(Box::leak(Box::new([busy, "", TAKEN]))).await;
    let (shipped, complaints) = to_collector(&folder, &url).await;
    assert_eq!(shipped.unwrap(), Shipped { records: 1_203, ..Shipped::default() });
    assert_eq!(complaints, ["nothing can be delivered: the collector answers 503"]);
    everything_once(&got, &folder);
}

#[tokio::test]
async fn what_a_collector_refuses_is_not_sent_again_and_not_noted() {
    let folder = state(2);
    let (url, _) = collector(&[
        "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
        TAKEN,
    ])
    .await;
    let (shipped, complaints) = to_collector(&folder, &url).await;
    assert!(matches!(shipped, Err(ShippingError::Never(_))), "{shipped:?}");
    assert_eq!(complaints, [""; 0]);
    let (shipped, _) = to_collector(&folder, &url).await;
    assert_eq!(shipped.unwrap().records, 2);
    let partial = "HTTP/1.1 200 OK\r\ncontent-length: 46\r\nconnection: close\r\n\r\n{\"partialSuccess\":{\"rejectedLogRecords\":\"1\"}} ";
    let (url, _) = collector(Box::leak(Box::new([partial]))).await;
    add(&folder, 3);
    let (shipped, _) = to_collector(&folder, &url).await;
    assert_eq!(shipped.unwrap(), Shipped { records: 3, rejected: 1, unreadable: 0 });
}

#[tokio::test]
async fn a_cursor_of_another_record_is_refused() {
    let folder = state(3);
    let path = folder.path().join("records");
    let cursor = Cursor::fresh();
    let (shipped, _) = ship(&folder, Sink::file(&path, &cursor).unwrap()).await;
    assert_eq!(shipped.unwrap().records, 3);
    let lines = std::fs::read_to_string(&path).unwrap();
    assert_eq!(lines.lines().count(), 3);
    std::fs::remove_dir_all(folder.path().join("state")).unwrap();
    add(&folder, 3);
    let mut log = Log::read(&folder.path().join("state")).unwrap();
    let cursor = Cursor::open(&folder.path().join("cursor")).unwrap();
    let found = cursor.fits(&mut log);
    assert!(matches!(found, Err(CursorError::Replaced { sequence: 3 })), "{found:?}");
}
