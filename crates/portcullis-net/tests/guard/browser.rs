//! The proxy with a browser behind it, which has opinions of its own about addresses, names and proxies.

use std::{net::SocketAddr, path::PathBuf};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    process::Command,
};

use super::{
    guard,
    proxy::{has, ran},
    running::Running,
    server::{NameServer, Untouched, ok},
    tls::Secure,
};

const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome"];

/// What stands between a sandbox and the proxy: a browser without a screen cannot be asked for a password, so this says it.
async fn bridge(proxy: SocketAddr, authorization: String) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut browser, _)) = listener.accept().await {
            let authorization = authorization.clone();
            tokio::spawn(async move {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    match browser.read_u8().await {
                        Ok(byte) => head.push(byte),
                        Err(_) => return,
                    }
                }
                head.truncate(head.len() - 2);
                head.extend_from_slice(authorization.as_bytes());
                head.extend_from_slice(b"\r\n");
                let mut proxy = TcpStream::connect(proxy).await.unwrap();
                proxy.write_all(&head).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut browser, &mut proxy).await;
            });
        }
    });
    address
}

/// A profile that goes with the test.
struct Profile(PathBuf);

impl Drop for Profile {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_browser_gets_through_and_no_further() {
    let mut found = None;
    for name in NAMES {
        if found.is_none() && has(name).await {
            found = Some(*name);
        }
    }
    let Some(browser) = found else {
        let words = "no browser was tried: `apt-get install chromium` brings one\n";
        std::io::Write::write_all(&mut std::io::stderr(), words.as_bytes()).unwrap();
        return;
    };
    let names = NameServer::of_ours().await;
    let secure = Secure::new("good.example.com", |_| ok("through the tunnel")).await;
    let port = secure.port;
    let bad = Untouched::at(port).await;
    let proxy = Running::new(guard(names.address, &[port])).await;
    let bridge = bridge(proxy.address(), proxy.authorization()).await;
    let profile =
        Profile(std::env::temp_dir().join(format!("portcullis-{}-browser", std::process::id())));
    let shown = |url: String| {
        let mut command = Command::new(browser);
        command.args([
            "--headless",
            // For root; the page is the test's own.
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            // The authority is one of this test, and a browser takes none from a file.
            "--ignore-certificate-errors",
            // Otherwise it goes past every proxy to this machine.
            "--proxy-bypass-list=<-loopback>",
        ]);
        command.arg(format!("--user-data-dir={}", profile.0.display()));
        command.arg(format!("--proxy-server=http://{bridge}")).args(["--dump-dom", &url]);
        command
    };
    let (_, text) = ran(&mut shown(format!("https://good.example.com:{port}/"))).await;
    assert!(text.contains("through the tunnel"), "{text}");
    assert!(secure.asked.lock().unwrap().iter().all(|name| name == "good.example.com"));
    for inside in ["127.0.0.2", "[::ffff:127.0.0.2]", "2130706434", "bad.example.com"] {
        let (_, text) = ran(&mut shown(format!("https://{inside}:{port}/"))).await;
        assert!(!text.contains("through the tunnel"), "{inside}: {text}");
    }
    bad.check("browser");
    let refusals = proxy.end().await.refusals();
    assert!(refusals.len() >= 4, "{refusals:?}");
}
