//! Connections in. Owns how the gateway listens, how long it waits for slow clients, encryption, and how it ends: what was begun is
//! finished, and nobody new is let in.

use std::{
    convert::Infallible,
    future::poll_fn,
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use axum::body::Body;
use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use jiff::Timestamp;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::{Semaphore, broadcast, watch},
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    },
};

use super::{
    Gateway, Options,
    access::Door,
    bench::Bench,
    bundle,
    chat::{self, Ear},
    events, figures, guards,
    machines::Machines,
    mcp,
    notices::{self, Receivers, Slack},
    openapi, people,
    place::Place,
    policy,
    routes::Routes,
};
use crate::{
    approvals::Clerk,
    audit::AuditError,
    identity::{People, Workloads},
    oauth::OAuthError,
    session::Recorder,
    telemetry::{Telemetry, TelemetryError},
};

/// How long the head of a request may take.
const HEAD: Duration = Duration::from_secs(10);

/// How long an encrypted connection may take to be made.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// How long what was begun may take when the gateway ends.
const DRAIN: Duration = Duration::from_secs(10);

/// How long a client that was answered may go on sending before it is cut off.
const LINGER: Duration = Duration::from_secs(2);

/// How much it may send then.
const LONGEST_REST: u64 = 16 << 20;

/// The longest head of a request.
const LONGEST_HEAD: usize = 32 << 10;

/// How many events a listener may be behind.
const BEHIND: usize = 16;

/// The files of an encrypted gateway.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TlsFiles {
    /// The certificates in PEM, ours first.
    pub certificate: PathBuf,
    /// The key in PEM.
    pub key: PathBuf,
}

/// Why a gateway does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] AuditError),
    /// Who people and agents are cannot be found out as it is configured.
    #[error("the table `team` cannot be used: {0}")]
    Team(#[from] OAuthError),
    /// What is told of it cannot be told as it is configured.
    #[error("the table `serve.telemetry` cannot be used: {0}")]
    Telemetry(#[from] TelemetryError),
    /// Who is told of requests cannot be told as it is configured.
    #[error("the table `chat` cannot be used: {0}")]
    Chat(String),
    /// The address is taken, or not ours.
    #[error("cannot listen at {address}: {source}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// A file of the certificate cannot be used.
    #[error("cannot use `{}`: {reason}", path.display())]
    Certificate {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

/// A gateway that listens.
pub struct Serving {
    gateway: Arc<Gateway>,
    listener: TcpListener,
    acceptor: Option<TlsAcceptor>,
    connections: Arc<Semaphore>,
    most: usize,
    address: SocketAddr,
}

/// Ends a gateway.
#[derive(Clone)]
pub struct Stop(Arc<Gateway>);

impl Stop {
    /// Lets nobody new in, and those who wait go.
    pub fn stop(&self) {
        self.0.closing.store(true, Ordering::Release);
        self.0.closed.send_replace(true);
    }
}

impl Serving {
    /// Opens the store and listens; whoever connects is served once [`Serving::run`] is called.
    ///
    /// # Errors
    /// [`ServeError`].
    pub async fn bind(options: Options) -> Result<Self, ServeError> {
        let Options {
            listen,
            hosts,
            place,
            tls,
            is_encrypted_before,
            state,
            store: (source, book),
            mut session,
            timeout,
            two_people,
            rate,
            connections,
            webhooks,
            notify,
        } = options;
        let acceptor = tls.as_ref().map(acceptor).transpose()?;
        let listener = TcpListener::bind(listen)
            .await
            .map_err(|source| ServeError::Listen { address: listen, source })?;
        let address = listener
            .local_addr()
            .map_err(|source| ServeError::Listen { address: listen, source })?;
        let clerk = Clerk::over(source, book)?;
        if clerk.source().is_shared() {
            // What is judged behind the gateway is recorded where everything else is.
            session.recorder = Some(Recorder::new(clerk.clone()));
        }
        let is_tls = acceptor.is_some();
        let place = place.unwrap_or_else(|| reached(address, &hosts, is_tls, is_encrypted_before));
        let inbox = place.page("");
        let team = Arc::new(session.configuration.team.clone());
        let receivers = Receivers::of(&session.configuration.chat, &team, webhooks, &inbox)?;
        let people = team.login.as_ref().map(People::of).transpose()?;
        let workloads = Workloads::of(&team.workloads)?;
        let hosts = names(address, &hosts);
        let known = (Arc::clone(&team), workloads);
        let door = Door::new(clerk.clone(), (&hosts, is_tls), &place, known, rate.max(1));
        let serve = &session.configuration.serve;
        let instance = serve.name.clone().unwrap_or_else(|| address.to_string());
        let telemetry = Telemetry::start(serve.telemetry.as_ref(), instance, &clerk)?;
        let fronts = mcp::Fronts::new(session.configuration.mcp.clone());
        let gateway = Arc::new(Gateway {
            fronts,
            told: guards::Told::default(),
            large: Arc::new(Semaphore::new(super::LARGE)),
            bench: Bench::new(session),
            door,
            place,
            team,
            people,
            remembered: figures::Remembered::default(),
            looking: super::looking::Looking::default(),
            logins: Semaphore::new(people::AT_ONCE),
            description: openapi::TEXT.clone(),
            telemetry: Arc::new(telemetry),
            events: broadcast::Sender::new(BEHIND),
            timeout,
            two_people,
            receivers,
            ear: Ear::new(),
            notify,
            state,
            ruling: tokio::sync::Mutex::default(),
            tried: tokio::sync::Mutex::default(),
            closing: false.into(),
            bundles: watch::Sender::new(0),
            machines: Machines::default(),
            closed: watch::Sender::new(false),
            clerk,
        });
        // Before anybody is let in: what was put in place holds from the first call on.
        let holds = gateway.clerk.read(|store| store.in_force(Timestamp::now()))?;
        gateway.bench.keep_to(&holds, Timestamp::now());
        tokio::spawn(policy::follow(Arc::downgrade(&gateway), gateway.clerk.head()));
        if gateway.bench.configuration().central.is_some() {
            tokio::spawn(bundle::follow(Arc::downgrade(&gateway)));
        }
        tokio::spawn(figures::keep(Arc::downgrade(&gateway)));
        tokio::spawn(figures::read_ahead(Arc::downgrade(&gateway)));
        tokio::spawn(notices::deliver(Arc::downgrade(&gateway), gateway.clerk.head()));
        if gateway.receivers.slack.as_ref().is_some_and(Slack::has_socket) {
            tokio::spawn(chat::listen(Arc::downgrade(&gateway)));
        }
        tokio::spawn(events::tell(Arc::downgrade(&gateway), gateway.clerk.head()));
        let most = connections.clamp(1, Semaphore::MAX_PERMITS);
        let connections = Arc::new(Semaphore::new(most));
        Ok(Self { gateway, listener, acceptor, connections, most, address })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// What ends it.
    #[must_use]
    pub fn stop(&self) -> Stop {
        Stop(Arc::clone(&self.gateway))
    }

    /// Serves until it is stopped, and then what was begun.
    pub async fn run(self) {
        let Self { gateway, listener, acceptor, connections, most, address: _ } = self;
        let routes = Routes::new(Arc::clone(&gateway));
        let mut closed = gateway.closed.subscribe();
        loop {
            let Ok(permit) = Arc::clone(&connections).acquire_owned().await else { break };
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = ended(&mut closed) => break,
            };
            let Ok((stream, peer)) = accepted else {
                // Out of descriptors, say: others must end first.
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            };
            let (routes, acceptor, closed) =
                (routes.clone(), acceptor.clone(), gateway.closed.subscribe());
            tokio::spawn(async move {
                serve(stream, peer, routes, acceptor, closed).await;
                drop(permit);
            });
        }
        drop(listener);
        gateway.fronts.ended().await;
        let all = u32::try_from(most).unwrap_or(u32::MAX);
        let _ended = tokio::time::timeout(DRAIN, connections.acquire_many(all)).await;
        gateway.telemetry.end().await;
    }
}

async fn ended(closed: &mut watch::Receiver<bool>) {
    // A sender that is gone has ended too.
    drop(closed.wait_for(|closed| *closed).await);
}

async fn serve(
    stream: TcpStream,
    peer: SocketAddr,
    routes: Routes,
    acceptor: Option<TlsAcceptor>,
    closed: watch::Receiver<bool>,
) {
    // Small answers must not wait for each other; a system that refuses is only slower.
    let _ = stream.set_nodelay(true);
    match acceptor {
        None => connection(stream, peer, routes, closed).await,
        Some(acceptor) => {
            if let Ok(Ok(stream)) = tokio::time::timeout(HANDSHAKE, acceptor.accept(stream)).await {
                connection(stream, peer, routes, closed).await;
            }
        }
    }
}

async fn connection(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    routes: Routes,
    mut closed: watch::Receiver<bool>,
) {
    let service = service_fn(move |request: Request<Incoming>| {
        let mut routes = routes.clone();
        // The body is read once it is known whose it is.
        let request = request.map(Body::new);
        Box::pin(async move { Ok::<_, Infallible>(routes.answer(request, peer).await) })
    });
    let mut serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(LONGEST_HEAD)
        .max_headers(64)
        .serve_connection(TokioIo::new(stream), service);
    let is_answered = tokio::select! {
        // A client that breaks off is its own affair.
        served = poll_fn(|context| serving.poll_without_shutdown(context)) => served.is_ok(),
        () = ended(&mut closed) => {
            std::pin::Pin::new(&mut serving).graceful_shutdown();
            let _ = serving.await;
            return;
        }
    };
    if is_answered {
        linger(serving.into_parts().io.into_inner()).await;
    }
}

/// Reads what a client sends on although it was answered: a socket that is closed before all of it was read resets the connection, and the
/// client would lose the answer that says what was wrong.
async fn linger(mut stream: impl AsyncRead + AsyncWrite + Unpin) {
    let read = async {
        stream.shutdown().await?;
        tokio::io::copy(&mut stream.take(LONGEST_REST), &mut tokio::io::sink()).await
    };
    // Whoever sends on after that is cut off.
    let _ = tokio::time::timeout(LINGER, read).await;
}

/// Where people find the inbox: at the first name that was given, where one was. The port is the one that is listened at, unless the name has
/// one of its own, or something in front listens in our place.
fn reached(
    address: SocketAddr,
    hosts: &[String],
    is_tls: bool,
    is_encrypted_before: bool,
) -> Place {
    let is_https = is_tls || is_encrypted_before;
    match hosts.first().map(|host| host.to_ascii_lowercase()) {
        Some(host) if is_encrypted_before || has_port(&host) => Place::of(host, is_https),
        Some(host) => Place::of(format!("{host}:{}", address.port()), is_https),
        None => Place::of(address.to_string(), is_tls),
    }
}

fn has_port(host: &str) -> bool {
    let (name, port) = host.rsplit_once(':').unwrap_or((host, ""));
    let is_name = name.ends_with(']') || !name.contains(':');
    is_name && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// The hosts that mean this gateway, as a client writes them.
fn names(address: SocketAddr, hosts: &[String]) -> Vec<String> {
    let port = address.port();
    let mut names = vec![address.to_string()];
    if address.ip().is_loopback() || address.ip().is_unspecified() {
        names.extend(["127.0.0.1", "localhost", "[::1]"].map(|host| format!("{host}:{port}")));
    }
    for host in hosts {
        let host = host.to_ascii_lowercase();
        names.push(format!("{host}:{port}"));
        names.push(host);
    }
    names
}

fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, ServeError> {
    fn failed(path: &Path) -> impl Fn(String) -> ServeError {
        let path = path.to_owned();
        move |reason| ServeError::Certificate { path: path.clone(), reason }
    }
    let TlsFiles { certificate, key } = files;
    let bad = failed(certificate);
    let chain: Result<Vec<CertificateDer<'static>>, _> = CertificateDer::pem_file_iter(certificate)
        .map_err(|error| bad(error.to_string()))?
        .collect();
    let chain = chain.map_err(|error| bad(error.to_string()))?;
    let secret =
        PrivateKeyDer::from_pem_file(key).map_err(|error| failed(key)(error.to_string()))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| bad(error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(chain, secret)
        .map_err(|error| bad(error.to_string()))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_where_people_find_the_inbox() {
        let address: SocketAddr = "127.0.0.1:4180".parse().unwrap();
        let at = |hosts: &[&str], is_tls, before| {
            let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
            reached(address, &hosts, is_tls, before).page("")
        };
        assert_eq!(at(&[], false, false), "http://127.0.0.1:4180/");
        assert_eq!(at(&["gate.example"], false, false), "http://gate.example:4180/");
        assert_eq!(at(&["gate.example", "x"], true, false), "https://gate.example:4180/");
        assert_eq!(at(&["gate.example:8443"], true, false), "https://gate.example:8443/");
        assert_eq!(at(&["[::1]"], true, false), "https://[::1]:4180/");
        assert_eq!(at(&["[::1]:8443"], true, false), "https://[::1]:8443/");
        assert_eq!(at(&["gate.example"], false, true), "https://gate.example/");
    }
}
