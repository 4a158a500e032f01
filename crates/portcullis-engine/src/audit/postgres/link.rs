//! One connection. Owns how it is made, how long anything may take, and what an error means for whoever may try again. It is used from one
//! thread at a time, which waits; what travels is looked after by a thread of its own.

use std::{
    collections::HashMap,
    fs,
    future::poll_fn,
    io,
    pin::{Pin, pin},
    sync::{Arc, OnceLock, mpsc},
    task::{Context, Poll, Wake, Waker},
    thread,
    time::{Duration, Instant},
};

use portcullis_core::network::{AllowedHost, NetworkOptions, NetworkPolicy, Target};
use portcullis_net::{
    Guard, GuardOptions, ResolverOptions, Roots, client_config, client_config_for_anybody,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::UnixStream,
    runtime::{Builder, Runtime},
};
use tokio_postgres::{
    AsyncMessage, Client, Config, NoTls, Row, Statement,
    config::SslMode,
    error::SqlState,
    tls::{ChannelBinding, TlsConnect, TlsStream},
    types::ToSql,
};
use tokio_rustls::{
    TlsConnector, client,
    rustls::{ClientConfig, pki_types::ServerName},
};

use super::settings::{Encryption, Host, Settings};

/// How long a server may take to let somebody in.
const CONNECT: Duration = Duration::from_secs(5);

/// How long a statement is waited for. The server gives it up before that; whoever waits longer waits for a network that is gone.
const PATIENCE: Duration = Duration::from_secs(12);

/// The most statements that a connection keeps prepared: more than there are, but for those that people put together of conditions.
const STATEMENTS: usize = 512;

/// What a session keeps to: no statement, no lock and no idle transaction holds others up for long, and what is committed is on the disk.
pub(super) const SESSION: &str = "SET statement_timeout = '5s'; SET lock_timeout = '2s'; \
    SET idle_in_transaction_session_timeout = '5s'; SET client_min_messages = 'warning'; \
    SET search_path = portcullis, pg_temp; SET timezone = 'UTC'; SET default_transaction_isolation = 'read committed'; \
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local')";

/// Why something did not come about.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The connection is gone, or there was none.
    Lost(String),
    /// Others were at it: the same may work at once.
    Again(String),
    /// What the database says.
    Refused(String),
    /// What is there is not what we would write.
    Unreadable(String),
    /// The database did not keep what was written.
    Ignored,
    /// Another process took over the name.
    Fenced,
}

impl From<tokio_postgres::Error> for Trouble {
    fn from(error: tokio_postgres::Error) -> Self {
        let Some(said) = error.as_db_error() else {
            return if error.is_closed() || io_error(&error) {
                Self::Lost(error.to_string())
            } else {
                Self::Refused(whole(&error))
            };
        };
        let words = format!("{} ({})", said.message(), said.code().code());
        match said.code() {
            &SqlState::T_R_SERIALIZATION_FAILURE
            | &SqlState::T_R_DEADLOCK_DETECTED
            | &SqlState::LOCK_NOT_AVAILABLE
            | &SqlState::UNIQUE_VIOLATION => Self::Again(words),
            &SqlState::ADMIN_SHUTDOWN
            | &SqlState::CRASH_SHUTDOWN
            | &SqlState::CANNOT_CONNECT_NOW
            | &SqlState::TOO_MANY_CONNECTIONS
            | &SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
            | &SqlState::READ_ONLY_SQL_TRANSACTION => Self::Lost(words),
            code if code.code().starts_with("08") => Self::Lost(words),
            _ => Self::Refused(words),
        }
    }
}

fn io_error(error: &tokio_postgres::Error) -> bool {
    let source = std::error::Error::source(error);
    source.is_some_and(|source| source.is::<io::Error>())
}

/// An error with what caused it.
fn whole(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", whole(source)),
        None => error.to_string(),
    }
}

/// One connection.
pub(crate) struct Link {
    client: Client,
    statements: HashMap<String, Statement>,
    /// What the server tells by itself, for who listens.
    told: mpsc::Receiver<()>,
    /// How long a statement is waited for.
    patience: Duration,
}

impl Link {
    /// Connects to the server that can be written, the first of those that are named.
    pub(super) fn open(settings: &Settings) -> Result<Self, Trouble> {
        let mut failed = None;
        for host in &settings.hosts {
            match Self::connect(settings, host) {
                Ok(mut link) => match link.is_writable() {
                    Ok(true) => return Ok(link),
                    Ok(false) => {
                        let words = format!("{host} only follows another server");
                        failed = Some(Trouble::Lost(words));
                    }
                    Err(trouble) => failed = Some(trouble),
                },
                Err(trouble) => failed = failed.or(Some(trouble)),
            }
        }
        Err(failed.unwrap_or_else(|| Trouble::Lost("no server is named".to_owned())))
    }

    fn connect(settings: &Settings, host: &Host) -> Result<Self, Trouble> {
        let runtime = runtime().map_err(|error| Trouble::Refused(error.to_string()))?;
        let mut config = Config::new();
        config.user(&settings.role).dbname(&settings.name).application_name("portcullis");
        if let Some(password) = &settings.password {
            config.password(&password.0);
        }
        let (sender, told) = mpsc::sync_channel(1);
        let connecting: Pin<Box<dyn Future<Output = Result<Client, Trouble>> + Send>> = match host {
            Host::Socket { directory, port } => {
                let path = directory.join(format!(".s.PGSQL.{port}"));
                config.ssl_mode(SslMode::Disable);
                Box::pin(async move {
                    let stream = UnixStream::connect(&path).await.map_err(|error| lost(&error))?;
                    let (client, connection) = config.connect_raw(stream, NoTls).await?;
                    tokio::spawn(travel(connection, sender));
                    Ok(client)
                })
            }
            Host::Address(target) => {
                let (target, guard) = (target.clone(), guard(target)?);
                let encrypted = encrypted(settings)?;
                config.ssl_mode(match encrypted {
                    None => SslMode::Disable,
                    Some(_) => SslMode::Require,
                });
                Box::pin(async move {
                    let stream = guard.connect(&target).await.map_err(|error| lost(&error))?;
                    match encrypted {
                        None => {
                            let (client, connection) = config.connect_raw(stream, NoTls).await?;
                            tokio::spawn(travel(connection, sender));
                            Ok(client)
                        }
                        Some(tls) => {
                            let name = target.host().into_owned();
                            let tls = Encrypted { config: tls, name };
                            let (client, connection) = config.connect_raw(stream, tls).await?;
                            tokio::spawn(travel(connection, sender));
                            Ok(client)
                        }
                    }
                })
            }
        };
        let connected =
            runtime.spawn(async move { tokio::time::timeout(CONNECT, connecting).await });
        let client = match waited_for(connected, CONNECT + CONNECT) {
            Some(Ok(Ok(client))) => client?,
            Some(Ok(Err(_))) | None => {
                return Err(Trouble::Lost(format!("{host} does not answer")));
            }
            Some(Err(error)) => return Err(Trouble::Lost(error.to_string())),
        };
        let mut link = Self { client, statements: HashMap::new(), told, patience: PATIENCE };
        link.batch(SESSION)?;
        Ok(link)
    }

    fn is_writable(&mut self) -> Result<bool, Trouble> {
        let row = self.one(
            "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on'",
            &[],
        )?;
        Ok(!row.try_get::<_, bool>(0)?)
    }

    /// Waits this long for each statement from now on, for what changes many rows; as long as always where nothing is said.
    pub(super) fn wait_for(&mut self, most: Option<Duration>) {
        self.patience = most.unwrap_or(PATIENCE);
    }

    /// Several statements that give nothing back.
    pub(crate) fn batch(&mut self, statements: &str) -> Result<(), Trouble> {
        within(self.patience, self.client.batch_execute(statements))
    }

    fn prepared(&mut self, query: &str) -> Result<Statement, Trouble> {
        if let Some(statement) = self.statements.get(query) {
            return Ok(statement.clone());
        }
        let statement = within(self.patience, self.client.prepare(query))?;
        if self.statements.len() >= STATEMENTS {
            // The server is told to forget them too, once nobody uses them any more.
            self.statements.clear();
        }
        self.statements.insert(query.to_owned(), statement.clone());
        Ok(statement)
    }

    /// The rows of a query.
    pub(crate) fn rows(
        &mut self,
        query: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, Trouble> {
        let statement = self.prepared(query)?;
        within(self.patience, self.client.query(&statement, parameters))
    }

    /// The only row of a query that has one.
    pub(crate) fn one(
        &mut self,
        query: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Row, Trouble> {
        let row = self.maybe(query, parameters)?;
        row.ok_or_else(|| Trouble::Refused("a row is missing".to_owned()))
    }

    /// The first row of a query, where there is one.
    pub(crate) fn maybe(
        &mut self,
        query: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Option<Row>, Trouble> {
        Ok(self.rows(query, parameters)?.into_iter().next())
    }

    /// How many rows a statement changed.
    pub(crate) fn change(
        &mut self,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, Trouble> {
        let statement = self.prepared(statement)?;
        within(self.patience, self.client.execute(&statement, parameters))
    }

    /// The rows of several queries that are sent one behind the other, without waiting for the answers in between. The server takes them in this order.
    pub(crate) fn rows_of_all(&mut self, queries: &[Query<'_>]) -> Result<Vec<Vec<Row>>, Trouble> {
        let statements = self.prepared_all(queries)?;
        let each = statements.iter().zip(queries);
        let sent = each.map(|(statement, (_, with))| Box::pin(self.client.query(statement, with)));
        within(self.patience, all(sent.collect()))
    }

    /// How many rows each of several statements changed, sent as those of [`Link::rows_of_all`].
    pub(crate) fn changes(&mut self, statements: &[Query<'_>]) -> Result<Vec<u64>, Trouble> {
        let prepared = self.prepared_all(statements)?;
        let each = prepared.iter().zip(statements);
        let sent = each.map(|(one, (_, with))| Box::pin(self.client.execute(one, with)));
        within(self.patience, all(sent.collect()))
    }

    fn prepared_all(&mut self, queries: &[Query<'_>]) -> Result<Vec<Statement>, Trouble> {
        queries.iter().map(|(query, _)| self.prepared(query)).collect()
    }

    /// Waits until the server tells something by itself, or the time is over. What it tells is no more than a hint.
    pub(super) fn wait(&self, most: Duration) {
        if matches!(self.told.recv_timeout(most), Err(mpsc::RecvTimeoutError::Disconnected)) {
            thread::sleep(most);
        }
    }
}

/// A query and its parameters.
pub(crate) type Query<'a> = (&'a str, &'a [&'a (dyn ToSql + Sync)]);

/// What comes of several statements once all of them are answered: the first error, in their order. Each is sent when it is asked for the first time.
async fn all<T, F: Future<Output = Result<T, tokio_postgres::Error>> + Unpin>(
    mut sent: Vec<F>,
) -> Result<Vec<T>, tokio_postgres::Error> {
    let mut answers: Vec<Option<Result<T, tokio_postgres::Error>>> = Vec::new();
    answers.resize_with(sent.len(), || None);
    poll_fn(|context| {
        for (one, answer) in sent.iter_mut().zip(&mut answers) {
            if answer.is_none()
                && let Poll::Ready(done) = Pin::new(one).poll(context)
            {
                *answer = Some(done);
            }
        }
        if answers.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    answers.into_iter().flatten().collect()
}

/// A statement, as long as it may take.
fn within<T>(
    most: Duration,
    future: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, Trouble> {
    match waited_for(future, most) {
        Some(done) => Ok(done?),
        None => Err(Trouble::Lost("the server does not answer any more".to_owned())),
    }
}

fn lost(error: &dyn std::error::Error) -> Trouble {
    Trouble::Lost(whole(error))
}

/// The way to one server and to no other.
fn guard(target: &Target) -> Result<Guard, Trouble> {
    let host = AllowedHost {
        host: target.host().into_owned(),
        allow_private: true,
        ports: vec![target.port()],
    };
    let policy = NetworkPolicy::new(NetworkOptions {
        allowed_hosts: vec![host],
        default_deny: true,
        ..NetworkOptions::default()
    });
    let policy = policy.map_err(|error| Trouble::Refused(error.to_string()))?;
    let resolver = ResolverOptions::default();
    Ok(Guard::new(GuardOptions { policy, resolver, connect_timeout: CONNECT }))
}

/// How a connection is encrypted, where it is.
fn encrypted(settings: &Settings) -> Result<Option<Arc<ClientConfig>>, Trouble> {
    let refused = |error: &dyn std::error::Error| Trouble::Refused(whole(error));
    let config = match settings.encryption {
        Encryption::Disable => return Ok(None),
        Encryption::Require => client_config_for_anybody(),
        Encryption::VerifyFull => {
            let roots = match &settings.roots {
                None => Roots::System,
                Some(path) => Roots::Pem(fs::read(path).map_err(|error| {
                    Trouble::Refused(format!("`{}` cannot be read: {error}", path.display()))
                })?),
            };
            client_config(&roots)
        }
    };
    Ok(Some(Arc::new(config.map_err(|error| refused(&error))?)))
}

/// What travels on a connection, until it ends.
async fn travel<S, T>(mut connection: tokio_postgres::Connection<S, T>, told: mpsc::SyncSender<()>)
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        match poll_fn(|context| connection.poll_message(context)).await {
            Some(Ok(AsyncMessage::Notification(_))) => {
                // One hint that waits is as good as many.
                let _ = told.try_send(());
            }
            Some(Ok(_)) => {}
            Some(Err(_)) | None => return,
        }
    }
}

/// The thread that looks after every connection of this process.
fn runtime() -> io::Result<&'static Runtime> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("postgres")
        .enable_all()
        .build()?;
    Ok(RUNTIME.get_or_init(|| runtime))
}

/// Waits for something on this thread, which may belong to a runtime; nothing where it takes longer than it may.
fn waited_for<F: Future>(future: F, most: Duration) -> Option<F::Output> {
    struct Parked(thread::Thread);
    impl Wake for Parked {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let ends = Instant::now() + most;
    let waker = Waker::from(Arc::new(Parked(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return Some(output),
            Poll::Pending => {
                let left = ends.checked_duration_since(Instant::now())?;
                thread::park_timeout(left);
            }
        }
    }
}

/// Encrypts a connection.
struct Encrypted {
    config: Arc<ClientConfig>,
    name: String,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Encrypted {
    type Stream = Stream<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Stream<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        let Self { config, name } = self;
        Box::pin(async move {
            let name = ServerName::try_from(name).map_err(io::Error::other)?;
            Ok(Stream(TlsConnector::from(config).connect(name, stream).await?))
        })
    }
}

/// An encrypted connection.
struct Stream<S>(client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Stream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Stream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Stream<S> {
    fn channel_binding(&self) -> ChannelBinding {
        // The certificate is looked at; a binding would only say so again.
        ChannelBinding::none()
    }
}
