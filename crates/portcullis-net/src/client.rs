//! Fetching a URL under the guard. Owns redirects, which are followed by hand: each is judged like the first URL, and what was
//! meant for one server is not told to another.
//!
//! No connection is kept for the next request, no cookie is kept, and no proxy is used but one that was given, whatever the environment says.

use std::{collections::HashSet, sync::Arc, time::Duration};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{
    Method, StatusCode, Uri,
    body::Incoming,
    client::conn::http1,
    header::{
        ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, HOST, HeaderMap, HeaderName,
        HeaderValue, LOCATION, USER_AGENT,
    },
};
use hyper_util::rt::TokioIo;
use portcullis_core::network::Target;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::TcpStream,
    task::JoinHandle,
    time,
};

use crate::{
    budget::{Counted, Meter, Metered},
    failure::Failure,
    guard::{Guard, GuardOptions},
    headers,
    inflate::Inflater,
    tls::{Roots, Tls},
};

/// The most bytes of the head of an answer.
const LONGEST_HEAD: usize = 64 << 10;

/// The most bytes of a proxy's answer to the wish for a tunnel.
const LONGEST_TUNNEL_HEAD: usize = 8 << 10;

/// The most headers of an answer.
const MOST_HEADERS: usize = 200;

/// How much an answer may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How often a server may send us on.
    pub redirects: usize,
    /// The most bytes of the body, unpacked.
    pub body: u64,
    /// How long all of it may take, redirects included.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { redirects: 5, body: 10 << 20, time: Duration::from_secs(60) }
    }
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// `GET`, `POST`, …
    pub method: String,
    /// From where.
    pub url: String,
    /// Further headers.
    pub headers: Vec<(String, String)>,
    /// What is sent.
    pub body: Option<Vec<u8>>,
}

impl Request {
    /// Asks for what is at a URL.
    #[must_use]
    pub fn get(url: impl Into<String>) -> Self {
        Self { method: "GET".to_owned(), url: url.into(), headers: Vec::new(), body: None }
    }
}

/// One server on the way.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Hop {
    /// Where it was asked.
    pub url: String,
    /// What it answered.
    pub status: u16,
    /// At which address.
    pub address: String,
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status of the last server.
    pub status: u16,
    /// Where it was in the end.
    pub url: String,
    /// The headers of the answer.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body, unpacked.
    pub body: Vec<u8>,
    /// Every server that was asked.
    pub hops: Vec<Hop>,
}

/// An answer that is read as it comes.
#[derive(Debug)]
pub struct Stream {
    /// The status.
    pub status: u16,
    /// The headers of the answer.
    pub headers: Vec<(String, Vec<u8>)>,
    body: Incoming,
    _connection: Connection,
}

impl Stream {
    /// What comes next of the body; nothing at its end. How long that may take, and how much may come in all, its reader says.
    ///
    /// # Errors
    /// [`Failure::Http`] where it breaks off.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Failure> {
        while let Some(frame) = self.body.frame().await {
            let frame = frame.map_err(|error| Failure::Http(error.to_string()))?;
            // Trailers are read over.
            if let Ok(data) = frame.into_data() {
                return Ok(Some(data));
            }
        }
        Ok(None)
    }

    /// The value of a header that stands there once; nothing where it is missing, stands there twice, or is no text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut all = self.headers.iter().filter(|(own, _)| own == name);
        let (_, value) = all.next()?;
        if all.next().is_some() {
            return None;
        }
        std::str::from_utf8(value).ok()
    }
}

/// How far a download is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Progress<'a> {
    /// The status of the answer.
    pub status: u16,
    /// The bytes that came in.
    pub received: u64,
    /// How many there will be, as the server says.
    pub expected: Option<u64>,
    /// What came in just now, unpacked.
    pub came: &'a [u8],
}

/// Fetches URLs under a policy.
#[derive(Debug)]
pub struct Client {
    guard: Guard,
    tls: Tls,
    limits: Limits,
    meter: Option<Arc<dyn Meter>>,
    proxy: Option<Target>,
}

/// A request on its way from hop to hop.
struct Journey {
    target: Target,
    method: Method,
    headers: HeaderMap,
    body: Option<Bytes>,
}

/// An answer whose body is still to come.
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Incoming,
    address: String,
    _connection: Connection,
}

/// The task that drives a connection, which ends with the request.
#[derive(Debug)]
struct Connection(JoinHandle<()>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Client {
    /// A client.
    #[must_use]
    pub fn new(options: GuardOptions, roots: Roots, limits: Limits) -> Self {
        let (guard, tls) = (Guard::new(options), Tls::new(roots));
        Self { guard, tls, limits, meter: None, proxy: None }
    }

    /// The same, counting what it uses.
    #[must_use]
    pub fn metered(mut self, meter: Arc<dyn Meter>) -> Self {
        self.meter = Some(meter);
        self
    }

    /// The same by way of a proxy, which is connected to under the same policy and asked for a tunnel (`CONNECT`, RFC 9110 §9.3.6). What a
    /// request says of where it goes is judged as ever; the addresses behind the name are the proxy's to find.
    #[must_use]
    pub fn through(mut self, proxy: Target) -> Self {
        self.proxy = Some(proxy);
        self
    }

    /// Fetches a URL, wherever redirects lead.
    ///
    /// # Errors
    /// [`Failure`], with the hop where it happened.
    pub async fn fetch(
        &self,
        request: Request,
        progress: &mut (dyn FnMut(Progress<'_>) + Send),
    ) -> Result<Response, Failure> {
        let counted = Counted::new(self.meter.clone());
        match time::timeout(self.limits.time, self.follow(request, &counted, progress)).await {
            Ok(ended) => ended.map_err(|failure| match counted.spent() {
                Some(spent) => Failure::Spent(spent.clone()),
                None => failure,
            }),
            Err(_) => Err(Failure::TooSlow(self.limits.time)),
        }
    }

    /// Asks one server, and gives its answer once its head has come, in the time of the limits; the body is read as it comes, as it is sent. A redirect is
    /// an answer like another: nobody is followed.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn open(&self, request: Request) -> Result<Stream, Failure> {
        let mut journey = Journey::new(request)?;
        journey.headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let counted = Counted::new(self.meter.clone());
        let asked = time::timeout(self.limits.time, self.ask(&journey, &counted)).await;
        let answer = match asked {
            Ok(answer) => answer.map_err(|failure| match counted.spent() {
                Some(spent) => Failure::Spent(spent.clone()),
                None => failure,
            })?,
            Err(_) => return Err(Failure::TooSlow(self.limits.time)),
        };
        let Answer { status, headers, body, address: _, _connection } = answer;
        if headers.get_all(CONTENT_ENCODING).iter().any(|encoding| encoding != "identity") {
            return Err(Failure::Http("the answer is packed, which was not asked for".to_owned()));
        }
        let headers = headers
            .iter()
            .map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()))
            .collect();
        Ok(Stream { status: status.as_u16(), headers, body, _connection })
    }

    async fn follow(
        &self,
        request: Request,
        counted: &Counted,
        progress: &mut (dyn FnMut(Progress<'_>) + Send),
    ) -> Result<Response, Failure> {
        let mut journey = Journey::new(request)?;
        let mut hops: Vec<Hop> = Vec::new();
        let mut seen = HashSet::new();
        loop {
            let number = hops.len();
            let here = journey.target.canonical();
            let at_hop = |failure| at_hop(number, &here, failure);
            if !seen.insert((journey.method.clone(), here.clone())) {
                return Err(at_hop(Failure::Loop(here.clone())));
            }
            let answer = self.ask(&journey, counted).await.map_err(at_hop)?;
            hops.push(Hop {
                url: here.clone(),
                status: answer.status.as_u16(),
                address: answer.address.clone(),
            });
            let Some(next) = journey.next(&answer).map_err(at_hop)? else {
                return self.receive(journey, answer, hops, progress).await.map_err(at_hop);
            };
            if hops.len() > self.limits.redirects {
                return Err(at_hop(Failure::TooManyRedirects(self.limits.redirects)));
            }
            journey = next;
        }
    }

    /// Asks one server.
    async fn ask(&self, journey: &Journey, counted: &Counted) -> Result<Answer, Failure> {
        let Journey { target, method, headers, body } = journey;
        counted.connect()?;
        let stream = match &self.proxy {
            None => self.guard.connect(target).await?,
            Some(proxy) => self.tunnel(proxy, target).await?,
        };
        let address = stream.peer_addr()?.to_string();
        let stream = Metered::new(stream, counted.clone());
        let (answer, connection) = if target.is_https() {
            let stream = self
                .tls
                .connect(target, stream)
                .await
                .map_err(|error| Failure::Tls { host: target.host().into_owned(), error })?;
            exchange(stream, target, method, headers, body).await?
        } else {
            exchange(stream, target, method, headers, body).await?
        };
        let (head, body) = answer.into_parts();
        Ok(Answer {
            status: head.status,
            headers: head.headers,
            body,
            address,
            _connection: connection,
        })
    }

    /// A tunnel to a target.
    async fn tunnel(&self, proxy: &Target, target: &Target) -> Result<TcpStream, Failure> {
        self.guard.policy().judge_target(target)?;
        let mut stream = self.guard.connect(proxy).await?;
        let host = target.url().host_str().unwrap_or_default();
        let port = target.port();
        let head = format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n");
        stream.write_all(head.as_bytes()).await?;
        let mut answer = Vec::new();
        // One byte at a time: what follows is not the proxy's.
        while !answer.ends_with(b"\r\n\r\n") {
            if answer.len() >= LONGEST_TUNNEL_HEAD {
                return Err(Failure::Tunnel("its answer has no end".to_owned()));
            }
            answer.push(stream.read_u8().await?);
        }
        let text = String::from_utf8_lossy(&answer);
        let mut words = text.split(' ');
        match (words.next(), words.next().and_then(|status| status.parse::<u16>().ok())) {
            (Some("HTTP/1.0" | "HTTP/1.1"), Some(200..=299)) => Ok(stream),
            (Some("HTTP/1.0" | "HTTP/1.1"), Some(status)) => {
                Err(Failure::Tunnel(format!("it answered with the status {status}")))
            }
            _ => Err(Failure::Tunnel("its answer is not HTTP".to_owned())),
        }
    }

    /// Reads the body.
    async fn receive(
        &self,
        journey: Journey,
        mut answer: Answer,
        hops: Vec<Hop>,
        progress: &mut (dyn FnMut(Progress<'_>) + Send),
    ) -> Result<Response, Failure> {
        let expected = answer
            .headers
            .get(CONTENT_LENGTH)
            .and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        let is_bodiless = journey.method == Method::HEAD;
        if expected.is_some_and(|expected| expected > self.limits.body) && !is_bodiless {
            return Err(Failure::TooLong(self.limits.body));
        }
        let encodings: Vec<&[u8]> =
            answer.headers.get_all(CONTENT_ENCODING).iter().map(HeaderValue::as_bytes).collect();
        let encoding = String::from_utf8_lossy(&encodings.join(&b", "[..])).into_owned();
        // An answer without a body may well say how the body would be packed.
        let has_none = is_bodiless || matches!(answer.status.as_u16(), 204 | 304);
        let mut inflater = Inflater::new(if has_none { "" } else { &encoding }, self.limits.body)?;
        let mut received = 0_u64;
        while let Some(frame) = answer.body.frame().await {
            let frame = frame.map_err(|error| Failure::Http(error.to_string()))?;
            // Trailers are read over.
            let Some(data) = frame.data_ref() else { continue };
            received = received.saturating_add(u64::try_from(data.len()).unwrap_or(u64::MAX));
            if received > self.limits.body {
                return Err(Failure::TooLong(self.limits.body));
            }
            let came = inflater.push(data)?;
            progress(Progress { status: answer.status.as_u16(), received, expected, came });
        }
        let body = if received == 0 { Vec::new() } else { inflater.finish()? };
        Ok(Response {
            status: answer.status.as_u16(),
            url: journey.target.canonical(),
            headers: answer
                .headers
                .iter()
                .map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()))
                .collect(),
            body,
            hops,
        })
    }
}

impl Journey {
    fn new(request: Request) -> Result<Self, Failure> {
        let Request { method, url, headers: given, body } = request;
        let bad = |text: &str| Failure::BadRequest(text.chars().take(80).collect());
        let parsed = Method::from_bytes(method.as_bytes()).map_err(|_| bad(&method))?;
        if matches!(parsed, Method::CONNECT | Method::TRACE) {
            return Err(bad(&method));
        }
        let mut map = HeaderMap::new();
        map.insert(
            USER_AGENT,
            HeaderValue::from_static(concat!("portcullis/", env!("CARGO_PKG_VERSION"))),
        );
        for (name, value) in given {
            let parsed = HeaderName::from_bytes(name.as_bytes()).ok().filter(headers::is_callers);
            let parsed = parsed.ok_or_else(|| bad(&name))?;
            let value = HeaderValue::from_str(&value).map_err(|_| bad(&name))?;
            if parsed == USER_AGENT {
                map.insert(parsed, value);
            } else {
                map.append(parsed, value);
            }
        }
        // What is not read is not asked for.
        map.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip, deflate"));
        let target = Target::read(&url)?;
        Ok(Self { target, method: parsed, headers: map, body: body.map(Bytes::from) })
    }

    /// The request that an answer sends us on with (Fetch standard, "HTTP-redirect fetch"); `None` where it does not.
    fn next(&self, answer: &Answer) -> Result<Option<Self>, Failure> {
        let status = answer.status.as_u16();
        if !matches!(status, 301 | 302 | 303 | 307 | 308) {
            return Ok(None);
        }
        let mut locations = answer.headers.get_all(LOCATION).iter();
        let Some(location) = locations.next() else { return Ok(None) };
        if locations.any(|other| other != location) {
            return Err(Failure::AmbiguousRedirect);
        }
        let location = String::from_utf8_lossy(location.as_bytes()).into_owned();
        let target = self.target.join(&location)?;
        if self.target.is_https() && !target.is_https() {
            return Err(Failure::Downgrade);
        }
        let (mut method, mut headers, mut body) =
            (self.method.clone(), self.headers.clone(), self.body.clone());
        let becomes_get = match status {
            301 | 302 => method == Method::POST,
            303 => method != Method::GET && method != Method::HEAD,
            _ => false,
        };
        if becomes_get {
            method = Method::GET;
            body = None;
            headers::leave_body(&mut headers);
        }
        if !target.is_same_origin(&self.target) {
            if body.is_some() {
                return Err(Failure::BodyElsewhere(target.canonical()));
            }
            // They do not come back, even where a later hop does.
            headers::leave_origin(&mut headers);
        }
        Ok(Some(Self { target, method, headers, body }))
    }
}

fn at_hop(number: usize, url: &str, failure: Failure) -> Failure {
    match number {
        0 => failure,
        _ => Failure::Hop { number, url: url.to_owned(), failure: Box::new(failure) },
    }
}

/// One request and the beginning of its answer.
async fn exchange<S>(
    stream: S,
    target: &Target,
    method: &Method,
    headers: &HeaderMap,
    body: &Option<Bytes>,
) -> Result<(hyper::Response<Incoming>, Connection), Failure>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let http = |error: hyper::Error| Failure::Http(error.to_string());
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(LONGEST_HEAD)
        .max_headers(MOST_HEADERS)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(http)?;
    let driven = Connection(tokio::spawn(async move {
        // What breaks the connection is told to whoever waits for the answer.
        let _ = connection.await;
    }));
    let mut request = hyper::Request::new(Full::new(body.clone().unwrap_or_default()));
    *request.method_mut() = method.clone();
    *request.uri_mut() = path(target)?;
    let map = request.headers_mut();
    let bad = |_| Failure::Http("the host cannot be written".to_owned());
    map.insert(HOST, HeaderValue::from_str(&authority(target)).map_err(bad)?);
    for (name, value) in headers {
        map.append(name, value.clone());
    }
    let answer = sender.send_request(request).await.map_err(http)?;
    Ok((answer, driven))
}

/// The path and query, as they are asked for.
fn path(target: &Target) -> Result<Uri, Failure> {
    let url = target.url();
    let path = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    path.parse().map_err(|_| Failure::Http("the path cannot be written".to_owned()))
}

/// The host, and the port where it is not the scheme's own.
fn authority(target: &Target) -> String {
    let url = target.url();
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}
