//! An object store that speaks as much of S3 as heads need: signatures are checked, lists come in pages, and what is written on a condition is written on it. Written
//! from Amazon's description of Signature Version 4, and held to the examples there.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use data_encoding::{BASE64, HEXLOWER};
use ring::{
    digest::{SHA256, digest},
    hmac,
};

pub(super) const ID: &str = "AKIDEXAMPLE";
pub(super) const SECRET: &str = "store/Secret+of/the/tests";

/// How many names a page of a list has.
const PAGE: usize = 2;

#[derive(Default)]
struct Inside {
    objects: BTreeMap<String, String>,
    failures: (usize, u16),
    hides: bool,
    endless: bool,
    asked: Vec<String>,
}

pub(super) struct Store {
    url: String,
    inside: Arc<Mutex<Inside>>,
}

struct Request {
    method: String,
    path: String,
    query: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Store {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let inside = Arc::new(Mutex::new(Inside::default()));
        let shared = Arc::clone(&inside);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                thread::spawn(move || serve(stream, &shared));
            }
        });
        Self { url, inside }
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// The names of all objects, behind their bucket.
    pub(super) fn names(&self) -> Vec<String> {
        self.inside.lock().unwrap().objects.keys().cloned().collect()
    }

    pub(super) fn text(&self, name: &str) -> String {
        self.inside.lock().unwrap().objects[name].clone()
    }

    pub(super) fn put(&self, name: &str, text: &str) {
        self.inside.lock().unwrap().objects.insert(name.to_owned(), text.to_owned());
    }

    /// The next so many writes are answered with a status.
    pub(super) fn fail_next(&self, count: usize, status: u16) {
        self.inside.lock().unwrap().failures = (count, status);
    }

    /// The next list is empty.
    pub(super) fn hide_once(&self) {
        self.inside.lock().unwrap().hides = true;
    }

    /// Lists say from now on that they go on.
    pub(super) fn never_ends(&self) {
        self.inside.lock().unwrap().endless = true;
    }

    /// What was asked, with the status that was answered.
    pub(super) fn asked(&self) -> Vec<String> {
        self.inside.lock().unwrap().asked.clone()
    }
}

fn serve(stream: TcpStream, inside: &Mutex<Inside>) {
    let Some(request) = read(&stream) else { return };
    let mut inside = inside.lock().unwrap();
    let (status, body) = answer(&request, &mut inside);
    inside.asked.push(format!("{} {} {status}", request.method, request.path));
    let head = format!(
        "HTTP/1.1 {status} x\r\ncontent-type: application/xml\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let _ = (&stream).write_all(&[head.as_bytes(), body.as_bytes()].concat());
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut stream = BufReader::new(stream);
    let mut line = || {
        let mut line = String::new();
        stream.read_line(&mut line).ok()?;
        Some((line.trim_end().to_owned(), line.is_empty()))
    };
    let (first, _) = line()?;
    let mut words = first.split(' ').map(str::to_owned);
    let (method, target) = (words.next()?, words.next()?);
    let mut headers = Vec::new();
    loop {
        let (text, is_end) = line()?;
        if text.is_empty() || is_end {
            break;
        }
        let (name, value) = text.split_once(':')?;
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.map_or(0, |(_, length)| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let (path, query) = (path.to_owned(), query.to_owned());
    Some(Request { method, path, query, headers, body })
}

fn answer(request: &Request, inside: &mut Inside) -> (u16, String) {
    let error = |status, code: &str| (status, format!("<Error><Code>{code}</Code></Error>"));
    if request.signature(ID, SECRET).is_none_or(|(own, theirs)| own != theirs) {
        return error(403, "SignatureDoesNotMatch");
    }
    let name = request.path.trim_start_matches('/').to_owned();
    match request.method.as_str() {
        "PUT" => {
            if inside.failures.0 > 0 {
                inside.failures.0 -= 1;
                return error(inside.failures.1, "SlowDown");
            }
            let sum = BASE64.encode(digest(&SHA256, &request.body).as_ref());
            if request.header("x-amz-checksum-sha256") != Some(&sum) {
                return error(400, "BadDigest");
            }
            if request.header("if-none-match") == Some("*") && inside.objects.contains_key(&name) {
                return error(412, "PreconditionFailed");
            }
            inside.objects.insert(name, String::from_utf8(request.body.clone()).unwrap());
            (200, String::new())
        }
        "GET" if request.query.contains("list-type=2") => list(request, &name, inside),
        "GET" => match inside.objects.get(&name) {
            Some(text) => (200, text.clone()),
            None => error(404, "NoSuchKey"),
        },
        _ => error(405, "MethodNotAllowed"),
    }
}

fn list(request: &Request, bucket: &str, inside: &mut Inside) -> (u16, String) {
    if std::mem::take(&mut inside.hides) {
        return (
            200,
            "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>".to_owned(),
        );
    }
    let parts: BTreeMap<&str, String> = request
        .query
        .split('&')
        .filter_map(|part| part.split_once('='))
        .map(|(name, value)| {
            (name, value.replace("%2F", "/").replace("%3D", "=").replace("%2B", "+"))
        })
        .collect();
    let prefix = format!("{bucket}/{}", parts.get("prefix").map_or("", String::as_str));
    // As opaque as theirs, with what has to be escaped.
    let after =
        parts.get("continuation-token").map(|token| token.trim_start_matches("1/+=").to_owned());
    let fits = |name: &&String| {
        name.starts_with(&prefix) && after.as_ref().is_none_or(|after| *name > after)
    };
    let names: Vec<&String> = inside.objects.keys().filter(fits).take(PAGE + 1).collect();
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult>".to_owned();
    for name in names.iter().take(PAGE) {
        let key = name.strip_prefix(&format!("{bucket}/")).unwrap();
        text.push_str(&format!("<Contents><Key>{key}</Key></Contents>"));
    }
    if inside.endless {
        return (
            200,
            "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>".to_owned(),
        );
    }
    let goes_on = names.len() > PAGE;
    if goes_on {
        text.push_str(&format!(
            "<NextContinuationToken>1/+={}</NextContinuationToken>",
            names[PAGE - 1]
        ));
    }
    text.push_str(&format!("<IsTruncated>{goes_on}</IsTruncated></ListBucketResult>"));
    (200, text)
}

impl Request {
    fn header(&self, name: &str) -> Option<&str> {
        let mut all = self.headers.iter().filter(|(own, _)| own == name);
        let (_, value) = all.next()?;
        all.next().is_none().then_some(value)
    }

    /// The signature that it should have, and the one that it has.
    fn signature(&self, id: &str, secret: &str) -> Option<(String, String)> {
        let written = self.header("authorization")?.strip_prefix("AWS4-HMAC-SHA256 ")?;
        let parts: BTreeMap<&str, &str> =
            written.split(',').filter_map(|part| part.trim().split_once('=')).collect();
        let (signer, scope) = parts.get("Credential")?.split_once('/')?;
        let digest_of = |bytes: &[u8]| HEXLOWER.encode(digest(&SHA256, bytes).as_ref());
        let body = digest_of(&self.body);
        if signer != id || self.header("x-amz-content-sha256")? != body {
            return None;
        }
        let names: Vec<&str> = parts.get("SignedHeaders")?.split(';').collect();
        // Whoever leaves one of these out signs nothing.
        let needed = self.headers.iter().map(|(name, _)| name.as_str());
        let mut needed = needed.filter(|name| *name == "host" || name.starts_with("x-amz-"));
        if !names.is_sorted() || !needed.all(|name| names.contains(&name)) {
            return None;
        }
        let mut lines = String::new();
        for name in &names {
            lines.push_str(&format!("{name}:{}\n", self.header(name)?));
        }
        let mut query: Vec<String> = self
            .query
            .split('&')
            .filter(|part| !part.is_empty())
            .map(|part| if part.contains('=') { part.to_owned() } else { format!("{part}=") })
            .collect();
        query.sort();
        let canonical =
            [self.method.as_str(), &self.path, &query.join("&"), &lines, &names.join(";"), &body]
                .join("\n");
        let time = self.header("x-amz-date")?;
        let text =
            format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{}", digest_of(canonical.as_bytes()));
        let keyed = |key: &[u8], text: &str| {
            let key = hmac::Key::new(hmac::HMAC_SHA256, key);
            hmac::sign(&key, text.as_bytes()).as_ref().to_vec()
        };
        let mut key = format!("AWS4{secret}").into_bytes();
        for word in scope.split('/') {
            key = keyed(&key, word);
        }
        Some((HEXLOWER.encode(&keyed(&key, &text)), (*parts.get("Signature")?).to_owned()))
    }
}

/// The example of a `GET` with a `Range` in Amazon's "Signature Calculations for the Authorization Header".
#[test]
fn the_store_checks_signatures_as_the_vendor_does() {
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let empty = HEXLOWER.encode(digest(&SHA256, b"").as_ref());
    let request = |signature: &str| Request {
        method: "GET".to_owned(),
        path: "/test.txt".to_owned(),
        query: String::new(),
        headers: vec![
            header("host", "examplebucket.s3.amazonaws.com"),
            header("range", "bytes=0-9"),
            header("x-amz-content-sha256", &empty),
            header("x-amz-date", "20130524T000000Z"),
            header(
                "authorization",
                &format!(
                    "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature={signature}"
                ),
            ),
        ],
        body: Vec::new(),
    };
    let published = "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41";
    let signature = |request: &Request| {
        request.signature("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    };
    let (own, theirs) = signature(&request(published)).unwrap();
    assert_eq!(own, theirs);
    assert_eq!(own, published);
    let mut changed = request(published);
    changed.path = "/other.txt".to_owned();
    let (own, theirs) = signature(&changed).unwrap();
    assert_ne!(own, theirs);
}
