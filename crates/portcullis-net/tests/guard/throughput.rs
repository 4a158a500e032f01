//! How much the proxy carries, beside a relay that does nothing else. It asserts nothing, because machines differ.

use std::{io::Write as _, net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    time::Instant,
};

use super::{guard, proxy::Running, server::NameServer};

/// How much goes through each time.
const BYTES: usize = 256 << 20;

/// How often each of the two is measured, in turns.
const ROUNDS: usize = 9;

/// A server that reads a byte, and then says [`BYTES`].
async fn source() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let block = vec![0x5a; 64 << 10];
                if stream.read_u8().await.is_ok() {
                    for _ in 0..BYTES / block.len() {
                        if stream.write_all(&block).await.is_err() {
                            return;
                        }
                    }
                }
            });
        }
    });
    address
}

/// What does nothing but carry.
async fn bare_relay(to: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut server = TcpStream::connect(to).await.unwrap();
                let buffer = 64 << 10;
                let _ = tokio::io::copy_bidirectional_with_sizes(
                    &mut client,
                    &mut server,
                    buffer,
                    buffer,
                )
                .await;
            });
        }
    });
    address
}

async fn timed(mut stream: TcpStream) -> Duration {
    let start = Instant::now();
    stream.write_all(b"!").await.unwrap();
    let mut buffer = vec![0; 64 << 10];
    let mut rest = BYTES;
    while rest > 0 {
        rest -= stream.read(&mut buffer).await.unwrap();
    }
    start.elapsed()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures: run it alone, with --ignored"]
async fn the_proxy_beside_a_bare_relay() {
    let names = NameServer::of_ours().await;
    let source = source().await;
    let relay = bare_relay(source).await;
    let proxy = Running::new(guard(names.address, &[source.port()])).await;
    let authority = format!("good.example.com:{}", source.port());
    let mut ratios = Vec::new();
    for _ in 0..ROUNDS {
        let bare = timed(TcpStream::connect(relay).await.unwrap()).await;
        let ours = timed(proxy.tunnel(&authority).await).await;
        ratios.push(bare.as_secs_f64() / ours.as_secs_f64());
        let speed = |time: Duration| BYTES as f64 / time.as_secs_f64() / 1e6;
        let line = format!("bare {:.0} MB/s, proxy {:.0} MB/s\n", speed(bare), speed(ours));
        std::io::stderr().write_all(line.as_bytes()).unwrap();
    }
    ratios.sort_by(f64::total_cmp);
    let line =
        format!("the proxy carries {:.0} % of a bare relay (median)\n", 100.0 * ratios[ROUNDS / 2]);
    std::io::stderr().write_all(line.as_bytes()).unwrap();
    proxy.end().await;
}
