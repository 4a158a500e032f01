//! The proxy between two sides that both mean harm: who stops half way, who never reads, who says a letter at a time.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use portcullis_net::proxy::ProxyOptions;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::{self, Instant},
};

use super::{
    guard,
    running::{Running, bare, how, listening},
    server::{NameServer, WebServer, ok},
};

/// How long nothing may be said, where that is what is tried.
const SHORT: Duration = Duration::from_millis(300);

async fn hasty(name_server: std::net::SocketAddr, port: u16) -> Running {
    patient_for(SHORT, name_server, port).await
}

async fn patient_for(silence: Duration, name_server: std::net::SocketAddr, port: u16) -> Running {
    Running::with(ProxyOptions {
        guard: guard(name_server, &[port]),
        idle: silence,
        patience: silence,
        ..ProxyOptions::default()
    })
    .await
}

/// A server that has nothing more to say, and keeps what it is told all the same.
async fn half_closed() -> (u16, Arc<Mutex<Vec<u8>>>) {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&kept);
    let port = listening(move |mut stream| {
        let seen = Arc::clone(&seen);
        async move {
            stream.shutdown().await.unwrap();
            let mut all = Vec::new();
            let _ = stream.read_to_end(&mut all).await;
            seen.lock().unwrap().extend(all);
        }
    })
    .await;
    (port, kept)
}

/// A server that speaks for ever, and one that does so only when it was asked.
async fn flood(asked: bool) -> u16 {
    listening(move |mut stream| async move {
        if asked {
            let _ = stream.read(&mut [0; 1_024]).await;
        }
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
        while stream.write_all(&[b'x'; 4_096]).await.is_ok() {}
    })
    .await
}

#[tokio::test]
async fn a_greeting_that_is_not_whole_goes_nowhere() {
    let names = NameServer::of_ours().await;
    let (port, kept) = bare(b"!").await;
    let proxy = Running::new(guard(names.address, &[port])).await;
    let mut stream = proxy.tunnel(&format!("good.example.com:{port}")).await;
    // As long as this is no greeting that is read, nobody knows whom it greets.
    stream.write_all(b"\x16\x03\x01\x40\x00\x01\x00\x3f\xfcGET / HTTP/1.1\r\n\r\n!").await.unwrap();
    stream.shutdown().await.unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    assert_eq!(answer, b"");
    assert_eq!(how(&proxy.end().await.lines()), ["refused: the greeting is not whole"]);
    assert_eq!(*kept.lock().unwrap(), b"");
}

#[tokio::test]
async fn a_server_that_ends_first_hears_nothing_that_was_not_looked_at() {
    let names = NameServer::of_ours().await;
    let (port, kept) = half_closed().await;
    let proxy = Running::new(guard(names.address, &[port])).await;
    let mut stream = proxy.tunnel(&format!("good.example.com:{port}")).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    // It may be too late to be said at all.
    let _ = stream.write_all(b"anything at all").await;
    drop(stream);
    assert_eq!(how(&proxy.end().await.lines()), ["closed by the server"]);
    assert_eq!(*kept.lock().unwrap(), b"");
}

#[tokio::test]
async fn a_client_that_ends_first_still_hears_the_server() {
    let names = NameServer::of_ours().await;
    let port = listening(|mut stream| async move {
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all).await;
        let _ = stream.write_all(&all).await;
        let _ = stream.write_all(b" and good night").await;
    })
    .await;
    let proxy = Running::new(guard(names.address, &[port])).await;
    for said in ["", "good day"] {
        let mut stream = proxy.tunnel(&format!("good.example.com:{port}")).await;
        stream.write_all(said.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert_eq!(answer, format!("{said} and good night"));
    }
    assert_eq!(how(&proxy.end().await.lines()), ["closed", "closed"]);
}

#[tokio::test]
async fn whoever_does_not_read_is_cut_off() {
    let names = NameServer::of_ours().await;
    for asked in [false, true] {
        let port = flood(asked).await;
        let proxy = hasty(names.address, port).await;
        let host = format!("good.example.com:{port}");
        // A tunnel that is not greeted into, one that is, and a plain request.
        let tunnel = proxy.tunnel(&host).await;
        let mut greeted = proxy.tunnel(&host).await;
        greeted.write_all(b"hello").await.unwrap();
        let request =
            format!("GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\n{}\r\n", proxy.authorization());
        let mut plain = TcpStream::connect(proxy.address()).await.unwrap();
        plain.write_all(request.as_bytes()).await.unwrap();
        let begin = Instant::now();
        let mut ended = Vec::new();
        // They are cut off while nobody reads; what a client does later does not matter.
        while ended.len() < 3 && begin.elapsed() < Duration::from_secs(20) {
            time::sleep(Duration::from_millis(20)).await;
            ended = how(&proxy.lines());
        }
        assert_eq!(ended, ["idle for 0 seconds"; 3], "asked: {asked}");
        drop((tunnel, greeted, plain));
        proxy.end().await;
    }
}

#[tokio::test]
async fn a_head_in_single_letters_is_not_waited_for() {
    let names = NameServer::of_ours().await;
    let web = WebServer::new(|_| ok("in")).await;
    let proxy = hasty(names.address, web.port).await;
    for head in [
        format!("GET http://good.example.com:{}/ HTTP/1.1\r\n", web.port),
        "\u{5}\u{ff}".repeat(200),
    ] {
        let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
        for letter in head.bytes().cycle() {
            if stream.write_all(&[letter]).await.is_err() {
                break;
            }
            time::sleep(Duration::from_millis(20)).await;
        }
    }
    assert_eq!(proxy.end().await.lines(), []);
    assert_eq!(web.requests(), Vec::<String>::new());
}

#[tokio::test]
async fn a_long_upload_is_no_silence() {
    let names = NameServer::of_ours().await;
    let web = WebServer::new(|_| ok("thanks")).await;
    // Between two letters a busy machine may pause, and that must not count as silence.
    let silence = SHORT * 20;
    let proxy = patient_for(silence, names.address, web.port).await;
    let host = format!("good.example.com:{}", web.port);
    let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
    let letters = 25;
    let head = format!(
        "PUT http://{host}/ HTTP/1.1\r\nHost: {host}\r\n{}Content-Length: {letters}\r\n\r\n",
        proxy.authorization()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    for _ in 0..letters {
        time::sleep(silence / 20).await;
        stream.write_all(b"x").await.unwrap();
    }
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.ends_with("thanks"), "{answer}");
    assert_eq!(how(&proxy.end().await.lines()), ["closed"]);
}

#[tokio::test]
async fn an_early_answer_is_not_lost_with_the_rest_of_the_request() {
    let names = NameServer::of_ours().await;
    let port = listening(|mut stream| async move {
        let _ = stream.read(&mut [0; 64]).await;
        let _ = stream.write_all(&ok("too much of it")).await;
        let _ = stream.shutdown().await;
        // A connection that is dropped with bytes unread is reset.
        let _ = stream.read_to_end(&mut Vec::new()).await;
    })
    .await;
    let proxy = Running::new(guard(names.address, &[port])).await;
    let host = format!("good.example.com:{port}");
    let mut request = format!(
        "POST http://{host}/ HTTP/1.1\r\nHost: {host}\r\n{}Content-Length: 200000\r\n\r\n",
        proxy.authorization()
    )
    .into_bytes();
    request.resize(request.len() + 200_000, b'x');
    for _ in 0..5 {
        let answer = proxy.say(&request).await;
        assert!(answer.ends_with("too much of it"), "{answer}");
    }
    proxy.end().await;
}

#[tokio::test]
async fn a_body_in_parts_of_one_byte_is_carried_whole() {
    let names = NameServer::of_ours().await;
    let (port, kept) = bare(b"0\r\n\r\n").await;
    let proxy = Running::new(guard(names.address, &[port])).await;
    let host = format!("good.example.com:{port}");
    let body = "1\r\nx\r\n".repeat(20_000);
    let request = format!(
        "POST http://{host}/ HTTP/1.1\r\nHost: {host}\r\n{}Transfer-Encoding: chunked\r\n\r\n{body}0\r\n\r\n",
        proxy.authorization()
    );
    let answer = proxy.say(request.as_bytes()).await;
    assert!(answer.ends_with("done"), "{answer}");
    assert!(kept.lock().unwrap().ends_with(format!("{body}0\r\n\r\n").as_bytes()));
    proxy.end().await;
}

#[tokio::test]
async fn socks_says_what_it_does_not_do() {
    let names = NameServer::of_ours().await;
    let web = WebServer::new(|_| ok("in")).await;
    let proxy = Running::new(guard(names.address, &[web.port])).await;
    let port = web.port.to_be_bytes();
    for (case, request, reply) in [
        ("bind", &b"\x05\x02\x00\x01\x7f\x00\x00\x01"[..], 7),
        ("datagrams", b"\x05\x03\x00\x01\x7f\x00\x00\x01", 7),
        ("an unknown kind of address", b"\x05\x01\x00\x02\x7f\x00\x00\x01", 8),
        ("a name with a slash", b"\x05\x01\x00\x03\x03a/b", 8),
        ("a name with a line end", b"\x05\x01\x00\x03\x03a\r\n", 8),
        ("an older version", b"\x04\x01\x00\x01\x7f\x00\x00\x01", 1),
        ("an address of this machine", b"\x05\x01\x00\x01\x7f\x00\x00\x01", 2),
        (
            "the same within IPv6",
            b"\x05\x01\x00\x04\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\x00\x00\x01",
            2,
        ),
        ("a name that is an address", b"\x05\x01\x00\x03\x05127.1", 2),
        ("a name with a zone", b"\x05\x01\x00\x03\x0b[fe80::1%1]", 8),
    ] {
        let greeting =
            [&b"\x05\x01\x02\x01\x05agent"[..], &[32], proxy.password.as_bytes()].concat();
        let answer = proxy.say(&[&greeting, request, &port].concat()).await;
        assert_eq!(answer.as_bytes().get(4..6), Some(&[5, reply][..]), "{case}: {answer:?}");
    }
    assert_eq!(web.requests(), Vec::<String>::new());
    proxy.end().await;
}
