//! The proxy's listener. Owns who is heard, how many at once, and how it ends.

use std::{io, net::SocketAddr, sync::Arc, thread, time::Duration};

use portcullis_core::network::{Refusal, Target};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::{Semaphore, watch},
    task::JoinSet,
    time,
};

use super::{
    head::{Form, Head, LONGEST_HEAD, parse_head},
    record::{Attempt, Recorded, Recorder, Witness},
    relay::Blocks,
    reply::{Denial, SOCKS_STANDS, TUNNEL_STANDS, let_go},
    request::{Exchange, exchange},
    session::{Credentials, Session, Sessions},
    socks::{BadSocks, PASSWORD, parse_greeting, parse_login, parse_request},
    tunnel::Tunnel,
};
use crate::{
    failure::Failure,
    guard::{Guard, GuardOptions},
};

/// How the proxy is run.
#[derive(Clone, Debug)]
pub struct ProxyOptions {
    /// The way out.
    pub guard: GuardOptions,
    /// Who may use it; nobody else may.
    pub sessions: Vec<Credentials>,
    /// The most connections at once; the next ones wait to be heard.
    pub most_connections: usize,
    /// The most connections of one session in a minute.
    pub rate: u64,
    /// How long nothing may be said.
    pub idle: Duration,
    /// How long a client may take to say what it wants.
    pub patience: Duration,
    /// How long connections go on when the proxy is stopped.
    pub grace: Duration,
    /// Whether the name in an encrypted connection's greeting must be the one that was asked for.
    pub check_names: bool,
}

impl Default for ProxyOptions {
    fn default() -> Self {
        Self {
            guard: GuardOptions::default(),
            sessions: Vec::new(),
            most_connections: 2_048,
            rate: 6_000,
            idle: Duration::from_secs(120),
            patience: Duration::from_secs(15),
            grace: Duration::from_secs(10),
            check_names: true,
        }
    }
}

/// A proxy that listens.
#[derive(Debug)]
pub struct Proxy {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
    record: thread::JoinHandle<()>,
    grace: Duration,
    most_connections: usize,
    stop: watch::Sender<bool>,
}

/// Stops a proxy.
#[derive(Clone, Debug)]
pub struct Stop(watch::Sender<bool>);

impl Stop {
    /// Hears nobody any more; what goes on may end by itself for a while.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

/// What every connection has in common.
#[derive(Debug)]
struct Shared {
    guard: Guard,
    sessions: Sessions,
    recorder: Recorder,
    blocks: Blocks,
    idle: Duration,
    patience: Duration,
    check_names: bool,
}

impl Proxy {
    /// Listens at an address.
    ///
    /// # Errors
    /// When nobody can listen there, or no thread for the record can be had.
    pub async fn bind(
        address: SocketAddr,
        options: ProxyOptions,
        witness: Box<dyn Witness>,
    ) -> io::Result<Self> {
        let ProxyOptions {
            guard,
            sessions,
            most_connections,
            rate,
            idle,
            patience,
            grace,
            check_names,
        } = options;
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let sessions = Sessions::new(sessions, guard.policy.options(), rate);
        let (recorder, record) = Recorder::new(witness)?;
        let shared = Shared {
            guard: Guard::new(guard).without(address),
            sessions,
            recorder,
            blocks: Blocks::default(),
            idle,
            patience,
            check_names,
        };
        let (stop, _) = watch::channel(false);
        Ok(Self {
            listener,
            address,
            shared: Arc::new(shared),
            record,
            grace,
            most_connections,
            stop,
        })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// What stops it.
    #[must_use]
    pub fn stop(&self) -> Stop {
        Stop(self.stop.clone())
    }

    /// Hears clients until it is stopped, and returns when every connection has ended and stands in the record.
    pub async fn run(self) {
        let Self { listener, address: _, shared, record, grace, most_connections, stop } = self;
        let room = Arc::new(Semaphore::new(most_connections));
        let mut stopped = stop.subscribe();
        let mut connections = JoinSet::new();
        loop {
            // Ended ones are let go of.
            while connections.try_join_next().is_some() {}
            let accepted = async {
                let permit = Arc::clone(&room).acquire_owned().await.ok()?;
                Some((listener.accept().await, permit))
            };
            let stopping = async { stopped.wait_for(|stop| *stop).await.is_ok() };
            tokio::select! {
                _ = stopping => break,
                accepted = accepted => match accepted {
                    Some((Ok((stream, _)), permit)) => {
                        let shared = Arc::clone(&shared);
                        connections.spawn(async move {
                            shared.hear(stream).await;
                            drop(permit);
                        });
                    }
                    // No descriptors are left, or the client has gone: there will be another one.
                    Some((Err(_), _)) => time::sleep(Duration::from_millis(20)).await,
                    None => break,
                },
            }
        }
        drop(listener);
        let all = async { while connections.join_next().await.is_some() {} };
        if time::timeout(grace, all).await.is_err() {
            connections.shutdown().await;
        }
        drop(shared);
        // What was said last is written before we go; a broken thread has nothing left to write.
        let _ = tokio::task::spawn_blocking(move || record.join()).await;
    }
}

impl Shared {
    /// One client. What cannot be said to it cannot be said at all.
    async fn hear(&self, client: TcpStream) {
        let _ = client.set_nodelay(true);
        let mut first = [0];
        match time::timeout(self.patience, client.peek(&mut first)).await {
            Ok(Ok(1)) => {}
            _ => return,
        }
        if first == [5] {
            self.hear_socks(client).await;
        } else {
            self.hear_http(client).await;
        }
    }

    async fn hear_http(&self, mut client: TcpStream) {
        let read = time::timeout(self.patience, read_head(&mut client)).await;
        let (head, early) = match read {
            Ok(Ok(Ok(read))) => read,
            Ok(Ok(Err(denial))) => return say(client, &denial.http()).await,
            Ok(Err(_)) | Err(_) => return,
        };
        let session =
            head.authorization.as_deref().and_then(|header| self.sessions.of_header(header));
        let Some(session) = session else {
            return say(client, &Denial::stranger().http()).await;
        };
        let wanted = Wanted::of(&head);
        match self.reach(&session, &wanted).await {
            Err(denial) => say(client, &denial.http()).await,
            Ok((target, server, mut recorded)) => match head.form {
                Form::Connect(..) => {
                    if client.write_all(TUNNEL_STANDS).await.is_ok() {
                        self.tunnel(&target, &session)
                            .carry(client, server, early, &mut recorded)
                            .await;
                    }
                }
                Form::Absolute(_) => {
                    let (head, target, session) = (&head, &target, &*session);
                    let details = Exchange { head, target, early, session, idle: self.idle };
                    exchange(client, server, details, &mut recorded).await;
                }
            },
        }
    }

    async fn hear_socks(&self, mut client: TcpStream) {
        let talk = async {
            let methods = read_message(&mut client, parse_greeting).await.ok()?;
            if !methods.contains(&PASSWORD) {
                client.write_all(&[5, 0xff]).await.ok()?;
                return None;
            }
            client.write_all(&[5, PASSWORD]).await.ok()?;
            let (name, password) = read_message(&mut client, parse_login).await.ok()?;
            let Some(session) = self.sessions.known(&name, &password) else {
                client.write_all(&[1, 1]).await.ok()?;
                return None;
            };
            client.write_all(&[1, 0]).await.ok()?;
            Some((session, read_message(&mut client, parse_request).await))
        };
        let Ok(Some((session, asked))) = time::timeout(self.patience, talk).await else { return };
        let address = match asked {
            Ok(address) => address,
            Err(None) => return,
            Err(Some(bad)) => return say(client, &Denial::of_socks(bad).socks()).await,
        };
        let wanted = Wanted {
            method: "SOCKS5".to_owned(),
            shown: format!("{}:{}", address.host, address.port),
            target: Target::of_authority(&address.host, address.port),
            host: None,
        };
        match self.reach(&session, &wanted).await {
            Err(denial) => say(client, &denial.socks()).await,
            Ok((target, server, mut recorded)) => {
                if client.write_all(&SOCKS_STANDS).await.is_ok() {
                    self.tunnel(&target, &session)
                        .carry(client, server, Vec::new(), &mut recorded)
                        .await;
                }
            }
        }
    }

    fn tunnel<'a>(&'a self, target: &'a Target, session: &'a Session) -> Tunnel<'a> {
        let Self { blocks, idle, check_names, .. } = self;
        Tunnel { target, session, blocks, idle: *idle, check_names: *check_names }
    }

    /// Judges, records, connects: in this order.
    async fn reach(
        &self,
        session: &Session,
        wanted: &Wanted,
    ) -> Result<(Target, TcpStream, Recorded), Denial> {
        let judged = self.judge(session, wanted).await;
        let attempt = Attempt {
            session: session.name.clone(),
            method: wanted.method.clone(),
            target: wanted.shown.clone(),
            addresses: judged.as_ref().map_or_else(|_| Vec::new(), |(_, sockets)| sockets.clone()),
            refusal: judged.as_ref().err().map(|denial| denial.reason.clone()),
        };
        let number = self.recorder.decided(attempt).await.map_err(|why| {
            Denial::unable(format!("nothing is connected to that cannot be recorded: {why}"))
        })?;
        let (target, sockets) = judged?;
        let mut recorded = Recorded::new(self.recorder.clone(), number);
        match self.guard.connect_to(&sockets).await {
            Ok(server) => Ok((target, server, recorded)),
            Err(failure) => {
                recorded.how = format!("not connected: {failure}");
                Err(Denial::of(&failure))
            }
        }
    }

    async fn judge(
        &self,
        session: &Session,
        wanted: &Wanted,
    ) -> Result<(Target, Vec<SocketAddr>), Denial> {
        session.connect().map_err(|spent| Denial::too_much(spent.to_string()))?;
        let refused = |refusal: Refusal| Denial::of(&Failure::Refused(refusal));
        let target = wanted.target.clone().map_err(refused)?;
        wanted.check(&target)?;
        let sockets = self.guard.admitted(&target).await.map_err(|failure| Denial::of(&failure))?;
        Ok((target, sockets))
    }
}

/// What a client wants.
struct Wanted {
    method: String,
    /// As the client wrote it.
    shown: String,
    target: Result<Target, Refusal>,
    /// What `Host` says, where there is one that must agree.
    host: Option<String>,
}

impl Wanted {
    fn of(head: &Head) -> Self {
        let method = head.method.clone();
        match &head.form {
            Form::Connect(host, port) => Self {
                method,
                shown: format!("{host}:{port}"),
                target: Target::of_authority(host, *port),
                host: None,
            },
            Form::Absolute(url) => Self {
                method,
                shown: url.clone(),
                target: Target::read(url),
                host: head.host.clone(),
            },
        }
    }

    /// What only a proxy can see.
    fn check(&self, target: &Target) -> Result<(), Denial> {
        let is_plain = !matches!(self.method.as_str(), "CONNECT" | "SOCKS5");
        if is_plain && target.is_https() {
            return Err(Denial::malformed("an `https` URL is asked for with `CONNECT`"));
        }
        let Some(host) = &self.host else { return Ok(()) };
        // A server picks its site by the one, and we judged the other.
        let named = Target::read(&format!("http://{host}/"));
        if named.is_ok_and(|named| named.is_same_origin(target) && !named.has_userinfo()) {
            Ok(())
        } else {
            Err(Denial::malformed("`Host` is another one than that of the URL"))
        }
    }
}

/// Reads until the head is whole; gives it with what has come behind it.
async fn read_head(client: &mut TcpStream) -> io::Result<Result<(Head, Vec<u8>), Denial>> {
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 4_096];
    loop {
        let length = client.read(&mut buffer).await?;
        let more = buffer.get(..length).unwrap_or_default();
        if more.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(more);
        // Nothing else says more about a head than the end of a line, and that it is too long.
        if !more.contains(&b'\n') && bytes.len() < LONGEST_HEAD {
            continue;
        }
        match parse_head(&bytes) {
            Some(Ok((head, length))) => return Ok(Ok((head, bytes.split_off(length)))),
            Some(Err(bad)) => return Ok(Err(Denial::malformed(bad.to_string()))),
            None => {}
        }
    }
}

/// Reads one message of SOCKS and nothing behind it; `None` where it does not come whole.
async fn read_message<T>(
    client: &mut TcpStream,
    parse: impl Fn(&[u8]) -> Option<Result<(T, usize), BadSocks>>,
) -> Result<T, Option<BadSocks>> {
    const LONGEST: usize = 600;
    let mut bytes = Vec::new();
    while bytes.len() < LONGEST {
        bytes.push(client.read_u8().await.map_err(|_| None)?);
        if let Some(read) = parse(&bytes) {
            return read.map(|(message, _)| message).map_err(Some);
        }
    }
    Err(None)
}

/// Says one thing, and then nothing more.
async fn say(mut client: TcpStream, bytes: &[u8]) {
    let said = async {
        client.write_all(bytes).await?;
        client.shutdown().await
    };
    // Whoever does not listen is not told.
    if time::timeout(Duration::from_secs(5), said).await.is_ok_and(|said| said.is_ok()) {
        let_go(&mut client).await;
    }
}
