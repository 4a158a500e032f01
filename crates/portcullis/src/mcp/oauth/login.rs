//! One login, from the question at the server to the token. Owns the order of it, and that what comes back belongs to what was begun.

use std::time::Duration;

use portcullis_core::network::Target;
use portcullis_net::Request;
use serde_json::{Value, json};

use super::{
    OAuthError,
    callback::{Brought, Callback},
    documents::{GOES_ON, Issuer, Wanted},
    kept::Kept,
    token::{self, NotGiven},
};
use crate::{
    oauth::{self, Proof, Web, is_token, object, random, words},
    pins::Files,
};

/// How we are called where we are registered.
const NAME: &str = "Portcullis";

/// What a person says of how to log in; where they say nothing, the servers do.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The name under which we are registered there.
    pub client_id: Option<String>,
    /// The secret that belongs to it.
    pub client_secret: Option<String>,
    /// The address of a document that says who we are, which some take for a name.
    pub client_document: Option<String>,
    /// What the token is to allow.
    pub scopes: Vec<String>,
    /// Which of several authorization servers.
    pub issuer: Option<String>,
    /// The port to come back to.
    pub port: Option<u16>,
}

/// How we are known to the authorization server.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Registered {
    /// By the name that a person gave.
    Given,
    /// By a document.
    Document,
    /// By an earlier registration.
    Before,
    /// By a registration just now.
    Now,
}

/// What a person is shown before they open the page.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The page.
    pub url: String,
    /// Who asks there.
    pub issuer: String,
    /// What the token is for.
    pub resource: String,
    /// What it is to allow.
    pub scopes: Vec<String>,
    /// How we are known there.
    pub registered: Registered,
}

/// A login that was begun.
pub struct Login {
    web: Web,
    files: Files,
    kept: Kept,
    issuer: Issuer,
    verifier: String,
    state: String,
    callback: Callback,
    asked: Asked,
}

impl Login {
    /// Asks the server and its authorization server who they are, and opens the port to come back to.
    ///
    /// # Errors
    /// [`OAuthError`].
    pub async fn begin(files: &Files, url: &str, settings: &Settings) -> Result<Self, OAuthError> {
        let web = Web::new(url)?;
        web.target("the server", url)?;
        let wanted = Wanted::of(&web).await?;
        let named = match &settings.issuer {
            None => wanted.issuers.first(),
            Some(issuer) => wanted.issuers.iter().find(|one| *one == issuer),
        };
        let named = named.ok_or_else(|| {
            let all = wanted.issuers.join(", ");
            OAuthError::Refused(format!(
                "the server names other authorization servers: {}",
                words(&all)
            ))
        })?;
        let issuer = Issuer::of(&web, named).await?;
        let before = Kept::of(files, url).filter(|kept| kept.issuer == issuer.issuer);
        // What was allowed before, and what was refused for want of more.
        let beside: Vec<String> = before
            .iter()
            .filter(|kept| kept.wanted.is_some())
            .flat_map(|kept| [kept.scope.clone(), kept.wanted.clone()])
            .flatten()
            .collect();
        let port = settings.port.or_else(|| {
            let target = Target::read(&before.as_ref()?.redirect).ok()?;
            Some(target.port())
        });
        let callback = Callback::open(port)?;
        let mut kept =
            Kept::begun(url, wanted.resource, issuer.issuer.clone(), issuer.token.clone());
        kept.revocation_endpoint.clone_from(&issuer.revocation);
        kept.redirect = callback.url();
        let registered = registered(&web, &issuer, before, settings, &mut kept).await?;
        let mut scopes =
            if settings.scopes.is_empty() { wanted.scopes } else { settings.scopes.clone() };
        if settings.scopes.is_empty() {
            for scope in beside.iter().flat_map(|scopes| scopes.split(' ')) {
                if !scopes.iter().any(|one| one == scope) {
                    scopes.push(scope.to_owned());
                }
            }
        }
        if issuer.goes_on && !scopes.is_empty() && !scopes.iter().any(|scope| scope == GOES_ON) {
            scopes.push(GOES_ON.to_owned());
        }
        let (verifier, state) = (random()?, random()?);
        let page = page(&issuer, &kept, &scopes, (&verifier, &state))?;
        let asked = Asked {
            url: page,
            issuer: issuer.issuer.clone(),
            resource: kept.resource.clone(),
            scopes,
            registered,
        };
        let files = files.clone();
        Ok(Self { web, files, kept, issuer, verifier, state, callback, asked })
    }

    /// What a person is to open.
    #[must_use]
    pub const fn asked(&self) -> &Asked {
        &self.asked
    }

    /// Waits until a browser comes back with a code; it holds up the thread.
    ///
    /// # Errors
    /// [`OAuthError`].
    pub fn wait(&self, patience: Duration) -> Result<String, OAuthError> {
        self.callback.wait(patience, |brought| self.counts(brought))
    }

    fn counts(&self, brought: Brought) -> Result<String, OAuthError> {
        let Brought { code, state, issuer, error } = brought;
        if state.as_deref() != Some(self.state.as_str()) {
            return Err(OAuthError::Callback("it belongs to another login (`state`)".to_owned()));
        }
        let of_another = "it is of another authorization server than was asked (`iss`)";
        match issuer {
            Some(issuer) if issuer != self.issuer.issuer => {
                return Err(OAuthError::Refused(of_another.to_owned()));
            }
            None if self.issuer.says_issuer => {
                return Err(OAuthError::Refused(
                    "it does not say of whom it is (`iss`)".to_owned(),
                ));
            }
            Some(_) | None => {}
        }
        if let Some(error) = error {
            return Err(OAuthError::Refused(words(&error)));
        }
        code.filter(|code| is_token(code))
            .ok_or_else(|| OAuthError::Refused("it sent nobody back with a code".to_owned()))
    }

    /// Takes the token for a code, and keeps it.
    ///
    /// # Errors
    /// [`OAuthError`].
    pub async fn exchange(self, code: &str) -> Result<Kept, OAuthError> {
        let Self { web, files, mut kept, verifier, .. } = self;
        let redirect = kept.redirect.clone();
        let pairs = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", redirect.as_str()),
            ("code_verifier", verifier.as_str()),
        ];
        let given = match token::given(&web, &kept, &pairs).await {
            Ok(given) => given,
            Err(NotGiven::Ended(why)) => return Err(OAuthError::Refused(why)),
            Err(NotGiven::Error(error)) => return Err(error),
        };
        kept.access = given.access;
        kept.refresh = given.refresh;
        kept.expires = given.expires;
        kept.scope = given.scope.map(|scope| words(&scope));
        kept.keep(&files)?;
        Ok(kept)
    }
}

/// Ends a login: the tokens are taken back where that can be, and forgotten in any case. Whether there was one.
///
/// # Errors
/// Where the file cannot be removed.
pub async fn logout(files: &Files, url: &str) -> Result<bool, OAuthError> {
    if let (Some(kept), Ok(web)) = (Kept::of(files, url), Web::new(url))
        && let Some(endpoint) = &kept.revocation_endpoint
    {
        let tokens = [kept.refresh.as_deref(), Some(kept.access.as_str())];
        for token in tokens.into_iter().flatten() {
            // Forgetting it here does not hang on whether anybody there takes it back.
            let _ = token::sent(&web, &kept, endpoint, &[("token", token)]).await;
        }
    }
    match std::fs::remove_file(files.login()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// The name under which the authorization server knows us.
async fn registered(
    web: &Web,
    issuer: &Issuer,
    before: Option<Kept>,
    settings: &Settings,
    kept: &mut Kept,
) -> Result<Registered, OAuthError> {
    if let Some(id) = &settings.client_id {
        kept.client_id.clone_from(id);
        kept.client_secret.clone_from(&settings.client_secret);
        if kept.client_secret.is_some() {
            kept.proof = Proof::ClientSecretBasic;
        }
        return Ok(Registered::Given);
    }
    if let Some(document) = settings.client_document.as_ref().filter(|_| issuer.takes_documents) {
        kept.client_id.clone_from(document);
        return Ok(Registered::Document);
    }
    if let Some(before) = before.filter(|before| before.redirect == kept.redirect) {
        kept.client_id = before.client_id;
        kept.client_secret = before.client_secret;
        kept.proof = before.proof;
        return Ok(Registered::Before);
    }
    const WHAT: &str = "the place that registers clients";
    let Some(endpoint) = &issuer.registration else {
        let words = "it registers nobody by itself: register a client there for the address below, and say `--client-id`";
        return Err(OAuthError::Refused(format!(
            "{words}; http://127.0.0.1 with the path /callback"
        )));
    };
    let body = json!({
        "client_name": NAME,
        "redirect_uris": [kept.redirect],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "application_type": "native",
    });
    let headers = [("accept", "application/json"), ("content-type", "application/json")];
    let request = Request {
        method: "POST".to_owned(),
        url: endpoint.clone(),
        headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        body: Some(body.to_string().into_bytes()),
    };
    let target = web.target(WHAT, endpoint)?;
    let answer = web.ask(WHAT, &target, request).await?;
    let members = object(WHAT, &answer)?;
    let no = |why: &str| OAuthError::Answer { what: WHAT, why: why.to_owned() };
    if !matches!(answer.status, 200 | 201) {
        return Err(no(&format!("its status is {}", answer.status)));
    }
    let text = |name: &str| members.get(name).and_then(Value::as_str).filter(|it| is_name(it));
    kept.client_id = text("client_id").ok_or_else(|| no("it gave no `client_id`"))?.to_owned();
    kept.client_secret = text("client_secret").map(str::to_owned);
    kept.proof = match (&kept.client_secret, text("token_endpoint_auth_method")) {
        (None, _) | (Some(_), Some("none")) => Proof::None,
        (Some(_), Some("client_secret_post")) => Proof::ClientSecretPost,
        (Some(_), Some("client_secret_basic") | None) => Proof::ClientSecretBasic,
        (Some(_), Some(_)) => return Err(no("it wants a proof that is not known here")),
    };
    Ok(Registered::Now)
}

/// A name or a secret of a client, as the characters are that may stand in one (RFC 6749, appendix A).
fn is_name(text: &str) -> bool {
    text.len() <= 2_048 && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) && !text.is_empty()
}

/// The page to log in at, with all that belongs to this login.
fn page(
    issuer: &Issuer,
    kept: &Kept,
    scopes: &[String],
    (verifier, state): (&str, &str),
) -> Result<String, OAuthError> {
    let challenge = oauth::challenge(verifier);
    let scope = scopes.join(" ");
    let mut pairs = vec![
        ("response_type", "code"),
        ("client_id", kept.client_id.as_str()),
        ("redirect_uri", kept.redirect.as_str()),
        ("state", state),
        ("code_challenge", challenge.as_str()),
        ("code_challenge_method", "S256"),
        ("resource", kept.resource.as_str()),
    ];
    if !scope.is_empty() {
        pairs.push(("scope", scope.as_str()));
    }
    oauth::page(&issuer.authorization, &pairs)
}
