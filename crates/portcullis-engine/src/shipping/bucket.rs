//! Where chains ended, noted in an object store that others keep and that speaks S3. Owns the names of the objects, and that none is written twice.
//!
//! ```text
//! https://HOST/BUCKET/PREFIX/00000000000000000019.head              of the only chain of a file
//! https://HOST/BUCKET/PREFIX/chain.gate-a/00000000000000000019.head of a gateway's
//! ```
//!
//! An object is named by how many records the chain had and written on the condition that there is none (`If-None-Match: *`), so that of two heads of one length the first
//! stays and the other is told of. Whether an object can be replaced or removed later is the store's to say: a lock or versions.

use std::{sync::Arc, time::Duration};

use data_encoding::BASE64;
use jiff::Timestamp;
use portcullis_core::network::Target;
use portcullis_net::{Client, GuardOptions, Limits, Request, Response, Roots};
use sha2::{Digest as _, Sha256};
use tokio::{runtime::Runtime, task::JoinSet};

use super::{
    BadDestination, OutsideError,
    outside::{Outside, newest_of},
    sigv4::{self, Asked, Credentials},
};
use crate::{
    audit::checkpoint::{self, Head, Noted},
    guardian::{crosses_openly, is_inside_by_itself, only_to},
};

/// What the names of our objects end with.
const END: &str = ".head";

/// How long one request may take, and the longest answer: a page of a thousand names.
const PATIENCE: Duration = Duration::from_secs(30);
const LONGEST: u64 = 8 << 20;

/// The most objects that are listed, on how many pages, and how many are read at the same time.
const MOST: usize = 100_000;
const MOST_PAGES: usize = 10_000;
const AT_ONCE: usize = 8;

/// How often a request is made again that the store could not take at that moment, and the pause before, which doubles.
const TRIES: u32 = 4;
const PAUSE: Duration = Duration::from_millis(200);

/// Where heads are noted, unless said otherwise.
pub const REGION: &str = "us-east-1";

/// Why nothing could be noted or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BucketError {
    /// It is no object store.
    #[error(transparent)]
    Destination(#[from] BadDestination),
    /// It cannot be reached.
    #[error("the object store cannot be asked: {0}")]
    Unreachable(String),
    /// It refuses.
    #[error("the object store answers {status} to {method} `{key}`{code}")]
    Refused {
        /// With which status.
        status: u16,
        /// What was asked.
        method: String,
        /// About which object.
        key: String,
        /// The error's code, behind a colon, where the store names one.
        code: String,
    },
    /// An object is no head.
    #[error("the object `{key}` does not say where a chain ends: {what}")]
    Unreadable {
        /// Which.
        key: String,
        /// What is wrong.
        what: String,
    },
    /// A head of the same length says something else.
    #[error(
        "`{key}` is there already and says something else: the chain had another record at that place when it was noted"
    )]
    Contradicted {
        /// Which.
        key: String,
    },
    /// The system gives no thread to wait on.
    #[error("cannot wait for the object store: {0}")]
    Runtime(#[from] std::io::Error),
}

/// Where heads are noted in an object store, as it was when it was listed.
pub struct Bucket {
    runtime: Runtime,
    store: Arc<Store>,
    /// The names of the heads, beneath the prefix, in order.
    keys: Vec<String>,
}

/// What is needed to ask.
struct Store {
    client: Client,
    /// `https://HOST`, and the host as it is signed.
    origin: String,
    host: String,
    bucket: String,
    /// Empty, or with its last slash.
    prefix: String,
    region: String,
    credentials: Credentials,
}

impl Bucket {
    /// Lists what is noted at `https://HOST/BUCKET[/PREFIX]`; there may be nothing yet.
    ///
    /// # Errors
    /// [`BucketError`].
    pub fn open(
        url: &str,
        region: &str,
        credentials: Credentials,
        roots: Roots,
    ) -> Result<Self, BucketError> {
        let store = Store::new(url, region, credentials, roots)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let keys = runtime.block_on(store.list())?;
        Ok(Self { runtime, store: Arc::new(store), keys })
    }

    fn read(&self, keys: Vec<String>) -> Result<Vec<Noted>, BucketError> {
        self.runtime.block_on(async {
            let (mut all, mut running) = (Vec::with_capacity(keys.len()), JoinSet::new());
            let mut keys = keys.into_iter().enumerate();
            loop {
                while running.len() < AT_ONCE
                    && let Some((number, key)) = keys.next()
                {
                    let store = Arc::clone(&self.store);
                    running.spawn(async move { (number, store.head(&key).await) });
                }
                match running.join_next().await {
                    None => break,
                    Some(Ok((number, noted))) => all.push((number, noted?)),
                    Some(Err(error)) => return Err(BucketError::Unreachable(error.to_string())),
                }
            }
            all.sort_by_key(|(number, _)| *number);
            Ok(all.into_iter().map(|(_, noted)| noted).collect())
        })
    }
}

impl Outside for Bucket {
    fn newest(&self) -> Result<Vec<Noted>, OutsideError> {
        // In their order the last of each chain is the longest.
        let mut last: Vec<String> = Vec::new();
        for key in &self.keys {
            match last.last_mut() {
                Some(known) if folder(known) == folder(key) => known.clone_from(key),
                _ => last.push(key.clone()),
            }
        }
        Ok(newest_of(self.read(last)?))
    }

    fn all(&self) -> Result<Vec<Noted>, OutsideError> {
        Ok(self.read(self.keys.clone())?)
    }

    fn note(&mut self, heads: &[Head]) -> Result<bool, OutsideError> {
        let mut any = false;
        for head in heads {
            let key = key(head);
            // A store that knows no condition must not be asked to write it again.
            let is_there = self.keys.contains(&key);
            let written = !is_there && self.runtime.block_on(self.store.put(&key, head))?;
            if written {
                any = true;
                self.keys.push(key);
                self.keys.sort();
                continue;
            }
            let noted = self.runtime.block_on(self.store.head(&key))?;
            if noted.end != head.end {
                return Err(BucketError::Contradicted { key }.into());
            }
        }
        Ok(any)
    }
}

impl Store {
    fn new(
        url: &str,
        region: &str,
        credentials: Credentials,
        roots: Roots,
    ) -> Result<Self, BucketError> {
        let bad = |reason: &str| BadDestination { url: url.to_owned(), reason: reason.to_owned() };
        let target = Target::read(url).map_err(|error| bad(&error.to_string()))?;
        if crosses_openly(&target) {
            return Err(bad("it would cross the network unencrypted").into());
        }
        let is_region = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        if region.is_empty() || !region.chars().all(is_region) {
            return Err(bad("its region is no name of one").into());
        }
        let whole = target.canonical();
        let (scheme, rest) = whole.split_once("://").ok_or_else(|| bad("it is no URL"))?;
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let path = path.trim_end_matches('/');
        let (bucket, prefix) = path.split_once('/').unwrap_or((path, ""));
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-._/".contains(letter);
        if bucket.is_empty() {
            return Err(bad("a bucket is missing behind the host").into());
        }
        if !path.chars().all(is_plain) || path.contains("//") {
            return Err(bad("letters, digits, `-`, `.` and `_` are all that may stand in the names of a bucket and a prefix").into());
        }
        let policy = only_to([(&target, is_inside_by_itself(&target))]);
        let policy = policy.map_err(|error| bad(&error.to_string()))?;
        let guard = GuardOptions { policy, ..GuardOptions::default() };
        let limits = Limits { redirects: 0, body: LONGEST, time: PATIENCE };
        Ok(Self {
            client: Client::new(guard, roots, limits),
            origin: format!("{scheme}://{host}"),
            host: host.to_owned(),
            bucket: bucket.to_owned(),
            prefix: if prefix.is_empty() { String::new() } else { format!("{prefix}/") },
            region: region.to_owned(),
            credentials,
        })
    }

    /// The names of every head, in order.
    async fn list(&self) -> Result<Vec<String>, BucketError> {
        let (mut keys, mut token) = (Vec::new(), None::<String>);
        let endless = |what: String| {
            Err(BucketError::Unreadable { key: format!("{}/{}", self.bucket, self.prefix), what })
        };
        for page in 1.. {
            let mut query = vec![("list-type", "2"), ("prefix", self.prefix.as_str())];
            if let Some(token) = &token {
                query.push(("continuation-token", token));
            }
            let answer = self.ask("GET", "", &query, &[], None).await?;
            if answer.status != 200 {
                return Err(self.refused("GET", "", &answer));
            }
            let text = String::from_utf8_lossy(&answer.body);
            let own = |key: String| key.strip_prefix(&self.prefix).map(str::to_owned);
            keys.extend(elements(&text, "Key").filter_map(own).filter(|key| is_head(key)));
            if keys.len() > MOST || page > MOST_PAGES {
                return endless(format!("there are more than {MOST} heads or {MOST_PAGES} pages"));
            }
            let next = elements(&text, "NextContinuationToken").next();
            if elements(&text, "IsTruncated").next().as_deref() != Some("true") {
                break;
            }
            if next.is_none() {
                return endless("the list of what lies there breaks off".to_owned());
            }
            token = next;
        }
        keys.sort();
        keys.dedup();
        Ok(keys)
    }

    /// Writes a head where there is none of its name; whether there was none.
    async fn put(&self, key: &str, head: &Head) -> Result<bool, BucketError> {
        // What a store wants that locks what is written.
        let sum = BASE64.encode(&Sha256::digest(&head.text));
        let headers = [
            ("content-type", "text/plain; charset=utf-8"),
            ("if-none-match", "*"),
            ("x-amz-checksum-sha256", sum.as_str()),
        ];
        let mut tried = 0;
        loop {
            let answer = self.ask("PUT", key, &[], &headers, Some(head.text.as_bytes())).await?;
            match answer.status {
                200..=299 => return Ok(true),
                412 => return Ok(false),
                // Somebody writes it at this moment, or the store has too much to do.
                409 | 429 | 500 | 502..=504 if tried + 1 < TRIES => {
                    tokio::time::sleep(PAUSE.saturating_mul(1 << tried)).await;
                    tried += 1;
                }
                _ => return Err(self.refused("PUT", key, &answer)),
            }
        }
    }

    /// What an object says.
    async fn head(&self, key: &str) -> Result<Noted, BucketError> {
        let answer = self.ask("GET", key, &[], &[], None).await?;
        if answer.status != 200 {
            return Err(self.refused("GET", key, &answer));
        }
        let bad = |what: &str| BucketError::Unreadable {
            key: format!("{}{key}", self.prefix),
            what: what.to_owned(),
        };
        let text = std::str::from_utf8(&answer.body).map_err(|_| bad("it is no text"))?;
        let mut noted = checkpoint::read(text).unwrap_or_default();
        let one = noted.pop().filter(|_| noted.is_empty());
        let one = one.ok_or_else(|| bad("it is neither a line of ours nor a checkpoint"))?;
        let named = self::key(&Head { end: one.end.clone(), text: String::new() });
        if named == key { Ok(one) } else { Err(bad("it is another's")) }
    }

    async fn ask(
        &self,
        method: &str,
        key: &str,
        query: &[(&str, &str)],
        headers: &[(&str, &str)],
        body: Option<&[u8]>,
    ) -> Result<Response, BucketError> {
        let path = self.path(key);
        let asked = Asked {
            method,
            path: &path,
            query,
            host: &self.host,
            headers,
            body: body.unwrap_or_default(),
        };
        let headers = asked.signed(&self.credentials, &self.region, Timestamp::now());
        let written = sigv4::query(query);
        let mark = if written.is_empty() { "" } else { "?" };
        let request = Request {
            method: method.to_owned(),
            url: format!("{}{path}{mark}{written}", self.origin),
            headers,
            body: body.map(<[u8]>::to_vec),
        };
        let answer = self.client.fetch(request, &mut |_| {}).await;
        answer.map_err(|failure| BucketError::Unreachable(failure.to_string()))
    }

    /// The path of an object, or of the bucket where it has no name, as it is sent and signed.
    fn path(&self, key: &str) -> String {
        let whole = match key {
            "" => self.bucket.clone(),
            key => format!("{}/{}{key}", self.bucket, self.prefix),
        };
        whole.split('/').map(|part| format!("/{}", sigv4::escaped(part))).collect()
    }

    fn refused(&self, method: &str, key: &str, answer: &Response) -> BucketError {
        let text = String::from_utf8_lossy(&answer.body);
        let code = elements(&text, "Code").next().unwrap_or_default();
        let is_word = !code.is_empty() && code.chars().all(|letter| letter.is_ascii_alphanumeric());
        BucketError::Refused {
            status: answer.status,
            method: method.to_owned(),
            key: format!("{}/{}{key}", self.bucket, self.prefix),
            code: if is_word { format!(": {code}") } else { String::new() },
        }
    }
}

/// The name of a head's object, beneath the prefix.
fn key(head: &Head) -> String {
    let (chain, (_, count)) = &head.end;
    let folder = if chain.is_empty() { String::new() } else { format!("chain.{chain}/") };
    format!("{folder}{count:020}{END}")
}

fn folder(key: &str) -> &str {
    key.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether an object can be one of ours: what else lies there is nobody's concern.
fn is_head(key: &str) -> bool {
    let (folder, name) = key.rsplit_once('/').unwrap_or(("", key));
    let is_count =
        |count: &str| count.len() == 20 && count.bytes().all(|byte| byte.is_ascii_digit());
    let is_chain = |chain: &str| {
        let fits = |letter: char| letter.is_ascii_alphanumeric() || "-_.@".contains(letter);
        !chain.is_empty() && chain.chars().all(fits)
    };
    name.strip_suffix(END).is_some_and(is_count)
        && (folder.is_empty() || folder.strip_prefix("chain.").is_some_and(is_chain))
}

/// What stands in each element of a name that holds text alone, in a document of XML that a store answered.
fn elements<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = String> + 't {
    let (begin, end) = (format!("<{name}>"), format!("</{name}>"));
    let mut rest = text;
    std::iter::from_fn(move || {
        let (_, behind) = rest.split_once(&begin)?;
        let (inner, after) = behind.split_once(&end)?;
        rest = after;
        // The last of these, so that nothing is taken for one that was written.
        let plain = inner.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
        Some(plain.replace("&apos;", "'").replace("&#43;", "+").replace("&amp;", "&"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "AWS_ACCESS_KEY_ID=a\nAWS_SECRET_ACCESS_KEY=b\n";

    #[test]
    fn a_bucket_is_named_by_a_url_that_nothing_else_can_be_read_in() {
        let store = |url: &str, region: &str| {
            Store::new(url, region, Credentials::read(FILE).unwrap(), Roots::System)
        };
        let one = store("https://s3.example:9000/heads/a/b/", "eu-1").unwrap();
        assert_eq!(
            (one.origin.as_str(), one.host.as_str()),
            ("https://s3.example:9000", "s3.example:9000")
        );
        assert_eq!((one.bucket.as_str(), one.prefix.as_str()), ("heads", "a/b/"));
        assert_eq!(one.path("00000000000000000019.head"), "/heads/a/b/00000000000000000019.head");
        assert_eq!(one.path("chain.x@y/1.head"), "/heads/a/b/chain.x%40y/1.head");
        assert_eq!(one.path(""), "/heads");
        assert_eq!(store("https://s3.example/heads", "eu-1").unwrap().prefix, "");
        for (url, region) in [
            ("https://s3.example", "eu-1"),
            ("https://s3.example/", "eu-1"),
            ("http://s3.example/heads", "eu-1"),
            ("https://s3.example/heads/a//b", "eu-1"),
            ("https://s3.example/heads/a%20b", "eu-1"),
            ("https://s3.example/heads?x=1", "eu-1"),
            ("https://s3.example/heads", "eu/1"),
            ("https://s3.example/heads", ""),
            ("s3://heads", "eu-1"),
        ] {
            assert!(store(url, region).is_err(), "{url} {region}");
        }
    }

    #[test]
    fn only_heads_are_read() {
        for (key, expected) in [
            ("00000000000000000019.head", true),
            ("chain.gate-a/00000000000000000019.head", true),
            ("00000000000000000019", false),
            ("19.head", false),
            ("chain.a/b/00000000000000000019.head", false),
            ("other/00000000000000000019.head", false),
            ("chain./00000000000000000019.head", false),
        ] {
            assert_eq!(is_head(key), expected, "{key}");
        }
    }

    #[test]
    fn names_in_an_answer_are_read_as_they_were_meant() {
        let text = "<a><Key>x&amp;lt;</Key><Key></Key><Key>y</Key><Key>cut";
        assert_eq!(elements(text, "Key").collect::<Vec<_>>(), ["x&lt;", "", "y"]);
    }
}
