//! What a server and its authorization server say of themselves. Owns where that stands, and which of it is believed: a server is told apart from others by
//! its address, an authorization server by its issuer, letter for letter.

use portcullis_core::network::Target;
use portcullis_net::Request;
use serde_json::{Map, Value};

use super::OAuthError;
use crate::{
    mcp::engine::{CAPABILITIES_KEY, VERSION_KEY, VERSIONS},
    oauth::{Description, Web, at, text, texts, words},
};

const RESOURCE: &str = "the server's own description";

/// The scope of tokens that go on without a person.
pub(super) const GOES_ON: &str = "offline_access";

/// The most authorization servers that are looked at, and the most scopes.
const SERVERS: usize = 8;
const SCOPES: usize = 64;

/// The longest text of a challenge that is kept.
const LONGEST: usize = 2_048;

/// What a server wants of who comes to it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Wanted {
    /// What the token is for.
    pub resource: String,
    /// Who may issue it.
    pub issuers: Vec<String>,
    /// What it is to allow.
    pub scopes: Vec<String>,
}

/// An authorization server.
#[derive(Clone, Debug)]
pub(super) struct Issuer {
    pub(super) issuer: String,
    pub(super) authorization: String,
    pub(super) token: String,
    pub(super) registration: Option<String>,
    pub(super) revocation: Option<String>,
    /// Whether it takes the address of a document for the name of a client.
    pub(super) takes_documents: bool,
    /// Whether it always says who it is when it sends somebody back.
    pub(super) says_issuer: bool,
    /// Whether it gives tokens that go on without a person where that is asked for.
    pub(super) goes_on: bool,
}

/// What a server says to somebody who comes without a token.
#[derive(Debug, Default, Eq, PartialEq)]
pub(super) struct Challenge {
    metadata: Option<String>,
    scope: Option<String>,
}

impl Wanted {
    /// Asks a server.
    pub(super) async fn of(web: &Web) -> Result<Self, OAuthError> {
        let Challenge { metadata, scope } = challenge(web).await?;
        let mut found = None;
        match &metadata {
            Some(url) => {
                let target = web.target(RESOURCE, url)?;
                if !target.is_same_origin(web.server()) {
                    return Err(OAuthError::Address {
                        what: RESOURCE,
                        url: words(url),
                        why: "it is another server's".to_owned(),
                    });
                }
                found = web.document(RESOURCE, url).await?;
            }
            None => {
                for url in well_known(web.server(), "oauth-protected-resource") {
                    found = web.document(RESOURCE, &url).await?;
                    if found.is_some() {
                        break;
                    }
                }
            }
        }
        let found = found.ok_or_else(|| no(RESOURCE, "it has none (RFC 9728)"))?;
        Self::read(web.server(), &found, scope.as_deref())
    }

    fn read(
        server: &Target,
        document: &Map<String, Value>,
        scope: Option<&str>,
    ) -> Result<Self, OAuthError> {
        let resource =
            text(document, "resource").ok_or_else(|| no(RESOURCE, "it names no `resource`"))?;
        if !is_of(server, resource) {
            return Err(no(
                RESOURCE,
                &format!("it is about another server, `{}`", words(resource)),
            ));
        }
        let issuers = texts(document, "authorization_servers");
        let issuers = issuers.filter(|all| (1..=SERVERS).contains(&all.len()));
        let issuers = issuers.ok_or_else(|| no(RESOURCE, "it names no authorization server"))?;
        let scopes = match scope {
            Some(scope) => scope.split(' ').map(str::to_owned).collect(),
            None => texts(document, "scopes_supported").unwrap_or_default(),
        };
        if scopes.len() > SCOPES || !scopes.iter().all(|scope| is_scope(scope)) {
            return Err(no(RESOURCE, "the scopes that it names are none"));
        }
        Ok(Self { resource: resource.to_owned(), issuers, scopes })
    }
}

/// The scopes that a refusal names; nothing where it names none, or what is none.
pub(super) fn scopes_of(challenge: &str) -> Option<String> {
    let scope = read_challenge(challenge)?.scope?;
    let all: Vec<&str> = scope.split(' ').collect();
    (all.len() <= SCOPES && all.iter().all(|scope| is_scope(scope))).then(|| scope.clone())
}

fn is_scope(scope: &str) -> bool {
    !scope.is_empty()
        && scope.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\')
}

/// Whether a resource is a server, or what it stands in.
fn is_of(server: &Target, resource: &str) -> bool {
    // A fragment is not read with the rest.
    if resource.contains('#') {
        return false;
    }
    let Ok(resource) = Target::read(resource) else { return false };
    if resource.has_userinfo() {
        return false;
    }
    let (own, named) = (server.url().path(), resource.url().path());
    let has_same_path = own == named
        || own.strip_prefix(named.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'));
    let has_same_query =
        resource.url().query().is_none_or(|query| server.url().query() == Some(query));
    resource.is_same_origin(server) && has_same_path && has_same_query
}

/// What the server says to a question without a token.
async fn challenge(web: &Web) -> Result<Challenge, OAuthError> {
    const WHAT: &str = "the server";
    let version = VERSIONS.last().copied().unwrap_or_default();
    let body = serde_json::json!({"jsonrpc": "2.0", "id": "portcullis/login", "method": "server/discover", "params": {"_meta": {
        VERSION_KEY: version,
        CAPABILITIES_KEY: {},
    }}});
    let headers = [
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
        ("mcp-protocol-version", version),
        ("mcp-method", "server/discover"),
    ];
    let request = Request {
        method: "POST".to_owned(),
        url: web.server().url().to_string(),
        headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        body: Some(body.to_string().into_bytes()),
    };
    let answer = web.ask(WHAT, web.server(), request).await?;
    let said = answer.headers.iter().filter(|(name, _)| name == "www-authenticate");
    let said: Vec<String> =
        said.map(|(_, value)| String::from_utf8_lossy(value).into_owned()).collect();
    Ok(said.iter().find_map(|value| read_challenge(value)).unwrap_or_default())
}

/// The parameters of a `Bearer` challenge (RFC 9110 §11.6.1); nothing where it is another, or cannot be read.
fn read_challenge(value: &str) -> Option<Challenge> {
    let (scheme, mut rest) = value.trim().split_once(' ').unwrap_or((value.trim(), ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return None;
    }
    let mut challenge = Challenge::default();
    loop {
        rest = rest.trim_start_matches([' ', ',']);
        if rest.is_empty() {
            return Some(challenge);
        }
        let (name, after) = rest.split_once('=')?;
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => {
                let end = quoted.find('"')?;
                let (value, after) = quoted.split_at_checked(end)?;
                // Nothing that is read here has a quote in it.
                (value, after.strip_prefix('"')?)
            }
            None => after.split_once(',').unwrap_or((after, "")),
        };
        if value.contains('\\') || value.len() > LONGEST {
            return None;
        }
        let place = match name.trim() {
            "resource_metadata" => Some(&mut challenge.metadata),
            "scope" => Some(&mut challenge.scope),
            _ => None,
        };
        if let Some(place) = place
            && place.replace(value.trim().to_owned()).is_some()
        {
            return None;
        }
        rest = after;
    }
}

impl Issuer {
    /// Asks an authorization server.
    pub(super) async fn of(web: &Web, issuer: &str) -> Result<Self, OAuthError> {
        let said = Description::of(web, issuer).await?;
        said.proves_codes()?;
        said.gives_codes()?;
        let endpoint = |name, what| said.endpoint(web, name, what);
        Ok(Self {
            issuer: issuer.to_owned(),
            authorization: said.needed(web, "authorization_endpoint", "the page to log in at")?,
            token: said.needed(web, "token_endpoint", "the place that gives tokens")?,
            registration: endpoint("registration_endpoint", "the place that registers clients")?,
            revocation: endpoint("revocation_endpoint", "the place that ends tokens")?,
            takes_documents: said.says("client_id_metadata_document_supported"),
            goes_on: said
                .texts("scopes_supported")
                .is_some_and(|all| all.iter().any(|scope| scope == GOES_ON)),
            says_issuer: said.says("authorization_response_iss_parameter_supported"),
        })
    }
}

/// The places of a description, the one of the path before that of the host.
fn well_known(server: &Target, name: &str) -> Vec<String> {
    let path = server.url().path().trim_end_matches('/');
    let mut all = vec![at(server, &format!("/.well-known/{name}{path}"))];
    if !path.is_empty() {
        all.push(at(server, &format!("/.well-known/{name}")));
    }
    all
}

fn no(what: &'static str, why: &str) -> OAuthError {
    OAuthError::answer(what, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_is_read_whole_or_not_at_all() {
        let read = |value: &str| {
            read_challenge(value)
                .map(|it| (it.metadata.unwrap_or_default(), it.scope.unwrap_or_default()))
        };
        let both = Some(("https://a.example/m".to_owned(), "a b".to_owned()));
        for value in [
            "Bearer resource_metadata=\"https://a.example/m\", scope=\"a b\"",
            "bearer realm=\"x\", error=\"invalid_token\",scope=\"a b\" , resource_metadata=\"https://a.example/m\"",
        ] {
            assert_eq!(read(value), both, "{value}");
        }
        assert_eq!(read("Bearer"), Some((String::new(), String::new())));
        for wrong in [
            "Basic realm=\"x\"",
            "Bearer scope",
            "Bearer scope=\"a",
            "Bearer scope=\"a\", scope=\"b\"",
            "Bearer scope=\"a\\\"b\"",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_description_is_about_the_server_or_what_it_stands_in() {
        let server = Target::read("https://a.example/team/mcp").unwrap();
        for (resource, is_its) in [
            ("https://a.example/team/mcp", true),
            ("https://A.example:443/team/mcp", true),
            ("https://a.example/team", true),
            ("https://a.example/", true),
            ("https://a.example", true),
            ("https://a.example/te", false),
            ("https://a.example/team/mcp/more", false),
            ("https://b.example/team/mcp", false),
            ("http://a.example/team/mcp", false),
            ("https://a.example:8443/team/mcp", false),
            ("https://a.example/team/mcp#x", false),
            ("https://a.example/team/mcp?x=1", false),
            ("https://u@a.example/team/mcp", false),
            ("nothing", false),
        ] {
            assert_eq!(is_of(&server, resource), is_its, "{resource}");
        }
    }
}
