//! Tunnels. Owns the look at a tunnel's first bytes; behind them it is a relay.

use std::{io, sync::atomic::Ordering, time::Duration};

use portcullis_core::network::Target;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time,
};

use super::{
    hello::{Hello, read_hello},
    record::Recorded,
    relay::{Blocks, as_count, relay},
    session::Session,
};

/// Ports at which nothing but encrypted connections are made.
const ENCRYPTED_PORTS: [u16; 2] = [443, 8443];

/// How tunnels are carried.
pub(super) struct Tunnel<'a> {
    pub(super) target: &'a Target,
    pub(super) session: &'a Session,
    pub(super) blocks: &'a Blocks,
    pub(super) idle: Duration,
    /// Whether the name in the greeting must be the one that was asked for.
    pub(super) check_names: bool,
}

impl Tunnel<'_> {
    /// Carries a tunnel; `early` is what the client has already said into it.
    pub(super) async fn carry(
        &self,
        mut client: TcpStream,
        mut server: TcpStream,
        early: Vec<u8>,
        recorded: &mut Recorded,
    ) {
        if let Err(how) = self.greet(&mut client, &mut server, early, recorded).await {
            recorded.how = how;
            return;
        }
        relay(client, server, self.session, self.blocks, self.idle, recorded).await;
    }

    /// Looks at what the client says first, while the server may already speak. Nothing of it goes on before it was seen whole.
    async fn greet(
        &self,
        client: &mut TcpStream,
        server: &mut TcpStream,
        mut first: Vec<u8>,
        recorded: &Recorded,
    ) -> Result<(), String> {
        let (mut up, mut down) = (vec![0; 4_096], vec![0; 16_384]);
        while !self.look(&first)? {
            let step = async {
                tokio::select! {
                    read = client.read(&mut up) => read.map(|length| (true, length)),
                    read = server.read(&mut down) => read.map(|length| (false, length)),
                }
            };
            match self.in_time(step).await? {
                // Who has nothing to say may still listen.
                (true, 0) if first.is_empty() => break,
                (true, 0) => return Err("refused: the greeting is not whole".to_owned()),
                // What the client would say now, nobody would look at any more.
                (false, 0) => return Err("closed by the server".to_owned()),
                (true, length) => first.extend_from_slice(up.get(..length).unwrap_or_default()),
                (false, length) => {
                    let bytes = down.get(..length).unwrap_or_default();
                    self.in_time(client.write_all(bytes)).await?;
                    recorded.received.fetch_add(as_count(length), Ordering::Relaxed);
                    self.session.carry(length).map_err(|spent| spent.to_string())?;
                }
            }
        }
        self.in_time(server.write_all(&first)).await?;
        recorded.sent.fetch_add(as_count(first.len()), Ordering::Relaxed);
        self.session.carry(first.len()).map_err(|spent| spent.to_string())
    }

    /// One step, which may not take longer than nothing may be said.
    async fn in_time<T>(&self, step: impl Future<Output = io::Result<T>>) -> Result<T, String> {
        match time::timeout(self.idle, step).await {
            Ok(done) => done.map_err(|error| format!("broken: {error}")),
            Err(_) => Err(format!("idle for {} seconds", self.idle.as_secs())),
        }
    }

    /// Whether enough was said to see that it is what was asked for.
    fn look(&self, first: &[u8]) -> Result<bool, String> {
        if !self.check_names {
            return Ok(true);
        }
        let host = self.target.host();
        match read_hello(first) {
            Hello::Incomplete => Ok(false),
            Hello::Malformed => Err("refused: the greeting is malformed".to_owned()),
            Hello::Other if ENCRYPTED_PORTS.contains(&self.target.port()) => Err(format!(
                "refused: what is said at port {} is not encrypted",
                self.target.port()
            )),
            Hello::Other => Ok(true),
            Hello::Greeting(name) => match (name, self.target.address()) {
                (None, Some(_)) => Ok(true),
                (Some(name), None) if name == host => Ok(true),
                (Some(name), _) => Err(format!("refused: asked for `{host}`, and greets `{name}`")),
                (None, None) => Err(format!("refused: asked for `{host}`, and greets nobody")),
            },
        }
    }
}
