//! The proxy, with clients that mean harm, and with those that people have.

use std::{
    fs,
    process::Stdio,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use portcullis_core::network::{Budget, NetworkOptions, NetworkPolicy};
use portcullis_net::proxy::{Attempt, Credentials, Proxy, ProxyOptions};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject as _},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    process::Command,
    time,
};
use tokio_rustls::TlsConnector;

use super::{
    guard,
    running::{Kept, Line, Running, bare},
    server::{NameServer, Untouched, WebServer, ok},
    tls::Secure,
};

#[tokio::test]
async fn strangers_are_not_heard() {
    let names = NameServer::of_ours().await;
    let web = WebServer::new(|_| ok("in")).await;
    let proxy = Running::new(guard(names.address, &[web.port])).await;
    let good = format!("good.example.com:{}", web.port);
    let basic = |text: &str| {
        format!("Proxy-Authorization: Basic {}\r\n", data_encoding::BASE64.encode(text.as_bytes()))
    };
    for header in [
        String::new(),
        basic("agent:"),
        basic("agent:wrong"),
        basic(&format!("other:{}", proxy.password)),
        basic(&format!("agent:{}x", proxy.password)),
        format!("Proxy-Authorization: Bearer {}\r\n", proxy.password),
        format!(
            "Authorization: Basic {}\r\n",
            data_encoding::BASE64.encode(format!("agent:{}", proxy.password).as_bytes())
        ),
        "Proxy-Authorization: Basic !!!\r\n".to_owned(),
    ] {
        let answer = proxy
            .say(format!("CONNECT {good} HTTP/1.1\r\nHost: {good}\r\n{header}\r\n").as_bytes())
            .await;
        assert!(answer.starts_with("HTTP/1.1 407 "), "{header}: {answer}");
    }
    // SOCKS without a password, and with a wrong one.
    assert_eq!(proxy.say(b"\x05\x01\x00").await, "\u{5}\u{fffd}");
    assert_eq!(proxy.say(b"\x05\x01\x02\x01\x05agent\x05wrong").await, "\u{5}\u{2}\u{1}\u{1}");
    assert_eq!(web.requests(), Vec::<String>::new());
    assert_eq!(proxy.end().await.lines(), []);
}

#[tokio::test]
async fn what_leads_inside_is_refused_and_recorded() {
    let names = NameServer::of_ours().await;
    let web = WebServer::new(|_| ok("in")).await;
    let bad = Untouched::at(web.port).await;
    let proxy = Running::new(guard(names.address, &[web.port])).await;
    let port = web.port;
    let hosts = [
        ("127.0.0.1", "loopback"),
        ("127.0.0.2", "is blocked by"),
        ("0x7f.1", "loopback"),
        ("2130706434", "is blocked by"),
        ("[::1]", "loopback"),
        ("[::ffff:127.0.0.2]", "is blocked by"),
        ("localhost", "a name of this machine"),
        ("169.254.169.254", "metadata service"),
        ("metadata.google.internal", "metadata service"),
        ("nowhere.example.com", "the name does not exist"),
    ];
    for (host, expected) in hosts {
        let answer = proxy.say(proxy.connect(&format!("{host}:{port}")).as_bytes()).await;
        assert!(
            answer.starts_with("HTTP/1.1 403 ") && answer.contains(expected),
            "{host}: {answer}"
        );
        let url = format!("http://{host}:{port}/");
        let request =
            format!("GET {url} HTTP/1.1\r\nHost: {host}:{port}\r\n{}\r\n", proxy.authorization());
        let answer = proxy.say(request.as_bytes()).await;
        assert!(
            answer.starts_with("HTTP/1.1 403 ") && answer.contains(expected),
            "{url}: {answer}"
        );
        let mut socks =
            format!("\x05\x01\x02\x01\x05agent{}{}", char::from(32), proxy.password).into_bytes();
        socks.extend_from_slice(&[5, 1, 0, 3, u8::try_from(host.len()).unwrap()]);
        socks.extend_from_slice(host.as_bytes());
        socks.extend_from_slice(&port.to_be_bytes());
        let answer = proxy.say(&socks).await;
        assert!(answer.starts_with("\u{5}\u{2}\u{1}\0\u{5}\u{2}\0"), "{host}: {answer:?}");
        bad.check(host);
    }
    let answer = proxy.say(proxy.connect("good.example.com:22").as_bytes()).await;
    assert!(answer.contains("port 22 is not one of the web"), "{answer}");
    assert_eq!(web.requests(), Vec::<String>::new());
    assert_eq!(proxy.end().await.refusals().len(), 3 * hosts.len() + 1);
}

#[tokio::test]
async fn the_proxy_does_not_lead_to_itself() {
    let names = NameServer::of_ours().await;
    // Its port is one that may be reached, at a host that may be on this machine.
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let options =
        ProxyOptions { guard: guard(names.address, &[free.port()]), ..ProxyOptions::default() };
    let kept = Kept::default();
    let credentials = Credentials { session: "agent".to_owned(), password: "password".to_owned() };
    let options = ProxyOptions { sessions: vec![credentials], ..options };
    let proxy = Proxy::bind(free, options, Box::new(kept.clone())).await.unwrap();
    let running = Running {
        address: free,
        password: "password".to_owned(),
        kept,
        stop: proxy.stop(),
        ended: tokio::spawn(proxy.run()),
    };
    let answer =
        running.say(running.connect(&format!("good.example.com:{}", free.port())).as_bytes()).await;
    assert!(answer.contains("is this proxy itself"), "{answer}");
    running.end().await;
}

#[tokio::test]
async fn nothing_is_connected_to_that_cannot_be_recorded() {
    let names = NameServer::of_ours().await;
    let web = WebServer::new(|_| ok("in")).await;
    let proxy = Running::new(guard(names.address, &[web.port])).await;
    proxy.kept.is_full.store(true, Ordering::SeqCst);
    let answer =
        proxy.say(proxy.connect(&format!("good.example.com:{}", web.port)).as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 503 ") && answer.contains("the disk is full"), "{answer}");
    assert_eq!(web.requests(), Vec::<String>::new());
    proxy.end().await;
}

#[tokio::test]
async fn a_plain_request_is_written_anew_and_nothing_rides_behind_it() {
    let names = NameServer::of_ours().await;
    let web = WebServer::new(|_| ok("answer")).await;
    let proxy = Running::new(guard(names.address, &[web.port])).await;
    let host = format!("good.example.com:{}", web.port);
    let request = |headers: &str, body: &str| {
        format!(
            "POST http://{host}/path?q HTTP/1.1\r\nHost: {host}\r\n{}{headers}\r\n{body}",
            proxy.authorization()
        )
    };
    let smuggled =
        "GET http://good.example.com/smuggled HTTP/1.1\r\nHost: good.example.com\r\n\r\n";
    let answer = proxy
        .say(
            request(
                "Content-Length: 4\r\nX-Own: yes\r\nConnection: keep-alive\r\nKeep-Alive: 5\r\nTE: trailers\r\nUpgrade: h2c\r\n",
                &format!("body{smuggled}"),
            )
            .as_bytes(),
        )
        .await;
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with("answer"), "{answer}");
    let expected = format!(
        "POST /path?q HTTP/1.1\r\nhost: {host}\r\nx-own: yes\r\ncontent-length: 4\r\nconnection: close\r\n\r\nbody"
    );
    assert_eq!(web.requests(), [expected]);

    for (headers, body, expected) in [
        ("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n", "400"),
        ("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n", "400"),
        ("Transfer-Encoding:\x0bchunked\r\n", "0\r\n\r\n", "400"),
        ("Content-Length: 4\r\nContent-Length: 5\r\n", "body", "400"),
        ("Connection: x-own\r\n", "", "400"),
        ("X: a\r\n y\r\n", "", "400"),
        ("X: a\nY: b\r\n", "", "400"),
    ] {
        let answer = proxy.say(request(headers, body).as_bytes()).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {expected} ")), "{headers:?}: {answer}");
    }
    let other = format!(
        "GET http://{host}/ HTTP/1.1\r\nHost: other.example.com\r\n{}\r\n",
        proxy.authorization()
    );
    let answer = proxy.say(other.as_bytes()).await;
    assert!(
        answer.starts_with("HTTP/1.1 400 ") && answer.contains("`Host` is another one"),
        "{answer}"
    );
    assert_eq!(web.requests().len(), 1);
    proxy.end().await;
}

#[tokio::test]
async fn a_body_in_parts_is_written_anew() {
    let names = NameServer::of_ours().await;
    let (port, kept) = bare(b"0\r\n\r\n").await;
    let proxy = Running::new(guard(names.address, &[port])).await;
    let host = format!("good.example.com:{port}");
    let request = |body: &str| {
        format!(
            "POST http://{host}/ HTTP/1.1\r\nHost: {host}\r\n{}Transfer-Encoding: chunked\r\n\r\n{body}",
            proxy.authorization()
        )
    };
    let answer = proxy
        .say(
            request("0003;x=\"y\"\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n").as_bytes(),
        )
        .await;
    assert!(answer.ends_with("done"), "{answer}");
    let seen = String::from_utf8(kept.lock().unwrap().clone()).unwrap();
    assert!(seen.ends_with("\r\n\r\n3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n"), "{seen}");
    for body in [
        "x\r\nabc\r\n0\r\n\r\n",
        "3\nabc\r\n0\r\n\r\n",
        "3\r\nabcX\r\n0\r\n\r\n",
        "-3\r\nabc\r\n",
        "ffffffffffffffff\r\n",
        "\r\n",
    ] {
        kept.lock().unwrap().clear();
        let answer = proxy.say(request(body).as_bytes()).await;
        assert_eq!(answer, "", "{body:?}");
        assert!(!kept.lock().unwrap().ends_with(b"0\r\n\r\n"), "{body:?} was passed on as a whole");
    }
    proxy.end().await;
}

fn connector(certificate: &[u8]) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(certificate).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    TlsConnector::from(Arc::new(config))
}

#[tokio::test]
async fn a_tunnel_greets_whom_it_was_asked_for() {
    let names = NameServer::of_ours().await;
    let secure = Secure::new("good.example.com", |_| ok("secret")).await;
    let proxy = Running::new(guard(names.address, &[secure.port])).await;
    let authority = format!("good.example.com:{}", secure.port);
    let greet = async |name: &'static str| {
        let stream = proxy.tunnel(&authority).await;
        let mut stream =
            connector(&secure.certificate).connect(name.try_into().unwrap(), stream).await.ok()?;
        stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.ok()?;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        Some(String::from_utf8_lossy(&answer).into_owned())
    };
    assert!(greet("good.example.com").await.unwrap().ends_with("secret"));
    assert_eq!(greet("other.example.com").await, None);
    assert_eq!(greet("192.0.2.1").await, None);
    assert_eq!(*secure.asked.lock().unwrap(), ["good.example.com"]);
    let kept = proxy.end().await.lines();
    let how = |wanted: &str| {
        kept.iter()
            .any(|line| matches!(line, Line::Ended { how, sent: 0, .. } if how.contains(wanted)))
    };
    assert!(how("greets `other.example.com`") && how("greets nobody"), "{kept:?}");
}

#[tokio::test]
async fn every_connection_stands_in_the_record_with_its_bytes() {
    let names = NameServer::of_ours().await;
    let (port, _) = bare(b"!").await;
    let proxy = Running::new(guard(names.address, &[port])).await;
    let mut stream = proxy.tunnel(&format!("good.example.com:{port}")).await;
    stream.write_all(b"hello!").await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    drop(stream);
    let lines = proxy.end().await.lines();
    let attempt = Attempt {
        session: "agent".to_owned(),
        method: "CONNECT".to_owned(),
        target: format!("good.example.com:{port}"),
        addresses: vec![format!("127.0.0.1:{port}").parse().unwrap()],
        refusal: None,
    };
    let received = answer.len() as u64;
    assert_eq!(
        lines,
        [
            Line::Decided(attempt),
            Line::Ended { number: 1, sent: 6, received, how: "closed".to_owned() }
        ]
    );
}

#[tokio::test]
async fn a_session_has_its_budget() {
    let names = NameServer::of_ours().await;
    let (port, _) = bare(b"!").await;
    let mut options = guard(names.address, &[port]);
    let budget = |connections, bytes| {
        let own = options.policy.options().clone();
        let budget = Budget { connections, bytes };
        NetworkPolicy::new(NetworkOptions { budget, ..own }).unwrap()
    };
    let (few, little) = (budget(Some(2), None), budget(None, Some(100)));
    let authority = format!("good.example.com:{port}");

    options.policy = few;
    let proxy = Running::new(options.clone()).await;
    let held = (proxy.tunnel(&authority).await, proxy.tunnel(&authority).await);
    let answer = proxy.say(proxy.connect(&authority).as_bytes()).await;
    assert!(
        answer.starts_with("HTTP/1.1 429 ") && answer.contains("its 2 connections"),
        "{answer}"
    );
    drop(held);
    proxy.end().await;

    options.policy = little;
    let proxy = Running::new(options.clone()).await;
    let mut stream = proxy.tunnel(&authority).await;
    stream.write_all(&[b'x'; 200]).await.unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    let answer = proxy.say(proxy.connect(&authority).as_bytes()).await;
    assert!(answer.contains("sent and received its 100 bytes"), "{answer}");
    proxy.end().await;

    let own = guard(names.address, &[port]).policy.options().clone();
    let tool_budget = Budget { connections: Some(1), bytes: None };
    let both = Budget { connections: Some(5), bytes: None };
    let more = Budget { connections: Some(2), bytes: None };
    let tool_budgets = [("pip".to_owned(), more)].into();
    let policy = NetworkOptions { budget: both, tool_budget, tool_budgets, ..own };
    options.policy = NetworkPolicy::new(policy).unwrap();
    let tool = |name: &str| Credentials {
        session: format!("agent.{name}"),
        password: "password".to_owned(),
    };
    let sessions = vec![tool("git"), tool("npm"), tool("pip")];
    let proxy =
        Running::with(ProxyOptions { guard: options.clone(), sessions, ..ProxyOptions::default() })
            .await;
    let by = |name: &str| {
        let login = data_encoding::BASE64.encode(format!("{name}:password").as_bytes());
        format!(
            "CONNECT {authority} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic {login}\r\n\r\n!"
        )
    };
    for (name, expected) in [
        ("agent.git", "200 Connection established"),
        ("agent.git", "this tool has made its 1 connections"),
        ("agent.npm", "200 Connection established"),
        ("agent.pip", "200 Connection established"),
        ("agent.pip", "200 Connection established"),
        ("agent.pip", "this tool has made its 2 connections"),
        ("agent.gem", "407 Proxy Authentication Required"),
    ] {
        let answer = proxy.say(by(name).as_bytes()).await;
        assert!(answer.contains(expected), "{name}: {answer}");
    }
    // What its tools used, the session has used.
    let held = proxy.tunnel(&authority).await;
    let answer = proxy.say(proxy.connect(&authority).as_bytes()).await;
    assert!(answer.contains("this session has made its 5 connections"), "{answer}");
    drop(held);
    proxy.end().await;

    let rate =
        ProxyOptions { guard: guard(names.address, &[port]), rate: 1, ..ProxyOptions::default() };
    let proxy = Running::with(rate).await;
    let _held = proxy.tunnel(&authority).await;
    let answer = proxy.say(proxy.connect(&authority).as_bytes()).await;
    assert!(answer.contains("more than 1 connections a minute"), "{answer}");
    drop(_held);
    proxy.end().await;
}

#[tokio::test]
async fn what_says_nothing_or_does_not_end_is_cut_off() {
    let names = NameServer::of_ours().await;
    let (port, _) = bare(b"!").await;
    let short = Duration::from_millis(200);
    let options = ProxyOptions {
        guard: guard(names.address, &[port]),
        idle: short,
        patience: short,
        grace: short,
        ..ProxyOptions::default()
    };
    let authority = format!("good.example.com:{port}");
    let proxy = Running::with(options.clone()).await;
    for beginning in ["", "CONNECT ", "\u{5}", "\u{5}\u{1}\u{2}"] {
        let answer = proxy.say(beginning.as_bytes()).await;
        assert!(answer.len() <= 2, "{beginning:?}: {answer}");
    }
    let mut stream = proxy.tunnel(&authority).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    let kept = proxy.end().await.lines();
    assert!(
        kept.iter().any(|line| matches!(line, Line::Ended { how, .. } if how.starts_with("idle"))),
        "{kept:?}"
    );

    let proxy = Running::with(ProxyOptions { idle: Duration::from_secs(60), ..options }).await;
    let mut stream = proxy.tunnel(&authority).await;
    stream.write_all(b"x").await.unwrap();
    let kept = proxy.end().await.lines();
    assert!(
        kept.iter().any(|line| matches!(line, Line::Ended { how, .. } if how == "cut off")),
        "{kept:?}"
    );
}

/// Whether a program is here; says so where it is not.
pub(crate) async fn has(program: &str) -> bool {
    let found = Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .await;
    let has = found.is_ok_and(|status| status.success());
    if !has {
        let words = format!("{program} is not installed: it was not tried\n");
        std::io::Write::write_all(&mut std::io::stderr(), words.as_bytes()).unwrap();
    }
    has
}

pub(crate) async fn ran(command: &mut Command) -> (bool, String) {
    let run = command
        .env_remove("https_proxy")
        .env_remove("HTTPS_PROXY")
        .env_remove("no_proxy")
        .env_remove("NO_PROXY")
        .output();
    let output = time::timeout(Duration::from_secs(120), run)
        .await
        .expect("the client does not end")
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).into_owned())
}

/// A certificate in a file that goes with the test.
struct Certificate(std::path::PathBuf);

impl Certificate {
    fn new(name: &str, pem: &[u8]) -> Self {
        let path =
            std::env::temp_dir().join(format!("portcullis-{}-{name}.pem", std::process::id()));
        fs::write(&path, pem).unwrap();
        Self(path)
    }
}

impl Drop for Certificate {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[tokio::test]
async fn the_clients_that_people_have_get_through_and_no_further() {
    let names = NameServer::of_ours().await;
    let secure = Secure::new("good.example.com", |request| match request.split(' ').nth(1).unwrap() {
        path if path.contains("info/refs") => {
            ok("0123456789abcdef0123456789abcdef01234567\trefs/heads/main\n")
        }
        path if path.contains("simple") => {
            let page = "<!DOCTYPE html><html><body><a href=\"demo-1.2.3-py3-none-any.whl\">demo</a></body></html>";
            format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\n\r\n{page}", page.len()).into_bytes()
        }
        _ => ok("through the tunnel"),
    })
    .await;
    let plain = WebServer::new(|_| ok("plainly through")).await;
    let bad = Untouched::at(secure.port).await;
    let proxy = Running::new(guard(names.address, &[secure.port, plain.port])).await;
    let certificate = Certificate::new("clients", &secure.certificate);
    let (file, port) = (certificate.0.as_os_str(), secure.port);
    let url = format!("https://good.example.com:{port}/");

    if has("curl").await {
        let curl = |through: String, url: String| {
            let mut command = Command::new("curl");
            command
                .args(["-sS", "-m", "60", "--noproxy", "", "--proxy"])
                .arg(through)
                .arg("--cacert")
                .arg(file)
                .arg(url);
            command
        };
        let http = proxy.url();
        let socks = http.replace("http://", "socks5h://");
        for through in [http.clone(), socks.clone()] {
            let (done, text) = ran(&mut curl(through.clone(), url.clone())).await;
            assert!(done && text == "through the tunnel", "{through}: {text}");
            let (done, text) =
                ran(&mut curl(through.clone(), format!("https://127.0.0.2:{port}/"))).await;
            assert!(!done, "{through}: {text}");
            let (done, text) =
                ran(&mut curl(through.clone(), "https://169.254.169.254/".to_owned())).await;
            assert!(!done, "{through}: {text}");
        }
        let (done, text) =
            ran(&mut curl(http, format!("http://good.example.com:{}/", plain.port))).await;
        assert!(done && text == "plainly through", "{text}");
    }
    if has("git").await {
        let git = |url: String| {
            let mut command = Command::new("git");
            command.args(["-c", &format!("http.proxy={}", proxy.url()), "ls-remote", &url]);
            command
                .env("GIT_SSL_CAINFO", file)
                .env("GIT_TERMINAL_PROMPT", "0")
                .env("GIT_CONFIG_NOSYSTEM", "1");
            command.env("GIT_CONFIG_GLOBAL", "/dev/null");
            command
        };
        let (done, text) = ran(&mut git(format!("{url}repository"))).await;
        assert!(done && text.contains("refs/heads/main"), "{text}");
        let (done, text) = ran(&mut git(format!("https://127.0.0.2:{port}/repository"))).await;
        assert!(!done, "{text}");
    }
    if has("pip").await {
        let pip = |index: String| {
            let mut command = Command::new("pip");
            command.args([
                "--isolated",
                "--disable-pip-version-check",
                "--retries",
                "0",
                "--proxy",
                &proxy.url(),
                "--cert",
            ]);
            // Where the variable is set, it has the last word.
            command.env("REQUESTS_CA_BUNDLE", file);
            command.arg(file).args(["index", "versions", "demo", "--index-url", &index]);
            command
        };
        let (done, text) = ran(&mut pip(format!("{url}simple"))).await;
        assert!(done && text.contains("1.2.3"), "{text}");
        let (done, text) = ran(&mut pip(format!("https://127.0.0.2:{port}/simple"))).await;
        assert!(!done, "{text}");
    }
    bad.check("clients");
    proxy.end().await;
}

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

/// How many descriptors this process may have.
fn most_descriptors() -> usize {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap_or_default();
    line.split_whitespace().nth(3).and_then(|number| number.parse().ok()).unwrap_or(1_024)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_tunnels_at_once_leave_nothing_behind() {
    let names = NameServer::of_ours().await;
    let (port, _) = bare(b"!").await;
    let options = ProxyOptions { guard: guard(names.address, &[port]), ..ProxyOptions::default() };
    let mut options = options;
    options.guard.resolver.patience = Duration::from_secs(10);
    options.guard.resolver.timeout = Duration::from_secs(30);
    let proxy = Running::with(options).await;
    let authority = format!("good.example.com:{port}");
    // One before, so that what is made once is there.
    drop(proxy.tunnel(&authority).await);
    // Each takes four descriptors of this process, which is client, proxy and server at once.
    let number = 1_000.min(most_descriptors().saturating_sub(300) / 5);
    let before = descriptors();
    let tunnels: Vec<_> = (0..number).map(|_| proxy.tunnel(&authority)).collect();
    let mut tunnels = join_all(tunnels).await;
    for stream in &mut tunnels {
        stream.write_all(b"!").await.unwrap();
    }
    for stream in &mut tunnels {
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        assert!(answer.ends_with(b"done"));
    }
    drop(tunnels);
    for _ in 0..200 {
        if descriptors() <= before + 2 {
            break;
        }
        time::sleep(Duration::from_millis(50)).await;
    }
    assert!(
        descriptors() <= before + 2,
        "{} descriptors are left, {before} were there",
        descriptors()
    );
    let kept = proxy.end().await.lines();
    let ended = kept.iter().filter(|line| matches!(line, Line::Ended { .. })).count();
    assert_eq!(ended, number + 1, "not every end stands in the record");
}

/// All of them at once.
async fn join_all<T>(futures: Vec<impl Future<Output = T>>) -> Vec<T> {
    let mut pinned: Vec<_> = futures.into_iter().map(Box::pin).collect();
    let mut done: Vec<Option<T>> = pinned.iter().map(|_| None).collect();
    std::future::poll_fn(move |context| {
        let mut is_waiting = false;
        for (future, done) in pinned.iter_mut().zip(&mut done) {
            if done.is_none() {
                match future.as_mut().poll(context) {
                    std::task::Poll::Ready(value) => *done = Some(value),
                    std::task::Poll::Pending => is_waiting = true,
                }
            }
        }
        if is_waiting {
            return std::task::Poll::Pending;
        }
        std::task::Poll::Ready(done.iter_mut().map(|done| done.take().unwrap()).collect())
    })
    .await
}
