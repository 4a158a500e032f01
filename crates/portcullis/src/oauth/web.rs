//! The way to issuers and to what they name. Owns which addresses may be asked at all, and how long what they answer may be.

use std::time::Duration;

use portcullis_core::network::Target;
use portcullis_net::{Client, GuardOptions, Limits, Request, ResolverOptions, Response, Roots};
use serde_json::{Map, Value};

use super::{OAuthError, words};
use crate::{
    guardian::{crosses_openly, is_inside_by_itself, only_to},
    wire,
};

/// The longest document.
const LONGEST: u64 = 256 << 10;

/// How long one may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// The way to what a server names.
#[derive(Clone, Debug)]
pub struct Web {
    server: Target,
    roots: Roots,
    /// Whether a person said that the server, and what it names at the same host, stands at an address of the inside.
    is_private: bool,
}

impl Web {
    /// To a server that nobody here has chosen.
    ///
    /// # Errors
    /// Where it is no address.
    pub fn new(server: &str) -> Result<Self, OAuthError> {
        Self::chosen(server, Roots::System, false)
    }

    /// To a server that a person configured, whose certificate counts by these roots, and which may be inside where they say so.
    ///
    /// # Errors
    /// Where it is no address.
    pub fn chosen(server: &str, roots: Roots, is_private: bool) -> Result<Self, OAuthError> {
        let server = Target::read(server).map_err(|refusal| OAuthError::Address {
            what: "the server",
            url: words(server),
            why: refusal.to_string(),
        })?;
        Ok(Self { server, roots, is_private })
    }

    /// The server.
    #[must_use]
    pub const fn server(&self) -> &Target {
        &self.server
    }

    /// An address that may be asked: encrypted, of nobody, whole. Only a server that is itself named by an address of the inside, or by this machine's
    /// name, leads to such.
    ///
    /// # Errors
    /// Where it may not be asked.
    pub fn target(&self, what: &'static str, url: &str) -> Result<Target, OAuthError> {
        let wrong =
            |why: &str| Err(OAuthError::Address { what, url: words(url), why: why.to_owned() });
        let target = match Target::read(url) {
            Ok(target) => target,
            Err(refusal) => return wrong(&refusal.to_string()),
        };
        if target.has_userinfo() || url.contains('#') {
            return wrong("it holds a name, a password or a fragment");
        }
        if !target.is_https() && (crosses_openly(&target) || crosses_in(&self.server)) {
            return wrong("it is not encrypted");
        }
        let is_own = self.is_private && target.host() == self.server.host();
        if is_inside_by_itself(&target) && !is_inside_by_itself(&self.server) && !is_own {
            return wrong("a server of the network leads to an address of the inside");
        }
        Ok(target)
    }

    /// Asks, at one address alone: a redirect is no answer.
    ///
    /// # Errors
    /// Where no answer came.
    pub async fn ask(
        &self,
        what: &'static str,
        target: &Target,
        request: Request,
    ) -> Result<Response, OAuthError> {
        let no = |why: String| OAuthError::Answer { what, why };
        let may_be_inside = is_inside_by_itself(target) && is_inside_by_itself(&self.server)
            || self.is_private && target.host() == self.server.host();
        let policy = only_to([(target, may_be_inside)]).map_err(|error| no(error.to_string()))?;
        let resolver = ResolverOptions::default();
        let guard = GuardOptions { policy, resolver, ..GuardOptions::default() };
        let limits = Limits { redirects: 0, body: LONGEST, time: PATIENCE };
        let client = Client::new(guard, self.roots.clone(), limits);
        let fetched = client.fetch(request, &mut |_| {}).await;
        fetched.map_err(|failure| no(failure.to_string()))
    }

    /// A document that is there, or is not.
    ///
    /// # Errors
    /// Where no answer came that counts.
    pub async fn document(
        &self,
        what: &'static str,
        url: &str,
    ) -> Result<Option<Map<String, Value>>, OAuthError> {
        let target = self.target(what, url)?;
        let mut request = Request::get(url);
        request.headers.push(("accept".to_owned(), "application/json".to_owned()));
        let answer = self.ask(what, &target, request).await?;
        match answer.status {
            200 => object(what, &answer).map(Some),
            400..=499 => Ok(None),
            status => Err(OAuthError::Answer { what, why: format!("its status is {status}") }),
        }
    }
}

/// Whether a server is on the network: what it names is encrypted then, wherever that is.
fn crosses_in(server: &Target) -> bool {
    server.is_https() && !is_inside_by_itself(server)
}

/// The object that an answer is.
///
/// # Errors
/// Where it is none.
pub fn object(what: &'static str, answer: &Response) -> Result<Map<String, Value>, OAuthError> {
    let no = |why: &str| OAuthError::Answer { what, why: why.to_owned() };
    let kinds: Vec<_> = answer.headers.iter().filter(|(name, _)| name == "content-type").collect();
    let kind = match kinds.as_slice() {
        [(_, kind)] => String::from_utf8_lossy(kind).to_ascii_lowercase(),
        _ => String::new(),
    };
    if kind.split(';').next().unwrap_or_default().trim() != "application/json" {
        return Err(no("it is not `application/json`"));
    }
    match wire::parse(&answer.body, 1) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(no("it is no object")),
        Err(error) => Err(no(&format!("it cannot be read: {}", words(&error.to_string())))),
    }
}

/// Names and values as a form has them, and as a query has them.
///
/// # Errors
/// Never: what it is made with is an address.
pub fn form(pairs: &[(&str, &str)]) -> Result<String, OAuthError> {
    let blank = Target::read("https://form.invalid/")
        .map_err(|refusal| OAuthError::Answer { what: "this machine", why: refusal.to_string() })?;
    let mut url = blank.url().clone();
    url.query_pairs_mut().extend_pairs(pairs);
    Ok(url.query().unwrap_or_default().to_owned())
}
