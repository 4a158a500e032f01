//! What an issuer says of itself. Owns where that stands (RFC 8414, OpenID Connect Discovery), and that it is the issuer's own, letter for letter.

use portcullis_core::network::Target;
use serde_json::{Map, Value};

use super::{OAuthError, web::Web};

const WHAT: &str = "the authorization server's description";

/// The longest text of a description that is kept.
const LONGEST: usize = 2_048;

/// What an issuer says of itself.
#[derive(Clone, Debug)]
pub struct Description(Map<String, Value>);

impl Description {
    /// Asks an issuer as a client of OAuth does, wherever its description stands.
    ///
    /// # Errors
    /// [`OAuthError`].
    pub async fn of(web: &Web, issuer: &str) -> Result<Self, OAuthError> {
        let (target, path) = place(web, issuer)?;
        let mut all = vec![
            at(&target, &format!("/.well-known/oauth-authorization-server{path}")),
            at(&target, &format!("/.well-known/openid-configuration{path}")),
        ];
        if !path.is_empty() {
            all.push(at(&target, &format!("{path}/.well-known/openid-configuration")));
        }
        Self::first(web, issuer, &all).await
    }

    /// Asks an issuer as a client of OpenID Connect does, at the one place where its description stands.
    ///
    /// # Errors
    /// [`OAuthError`].
    pub async fn openid(web: &Web, issuer: &str) -> Result<Self, OAuthError> {
        let (target, path) = place(web, issuer)?;
        let url = at(&target, &format!("{path}/.well-known/openid-configuration"));
        Self::first(web, issuer, &[url]).await
    }

    async fn first(web: &Web, issuer: &str, urls: &[String]) -> Result<Self, OAuthError> {
        for url in urls {
            if let Some(document) = web.document(WHAT, url).await? {
                if text(&document, "issuer") != Some(issuer) {
                    return Err(OAuthError::answer(WHAT, "it is another issuer's"));
                }
                return Ok(Self(document));
            }
        }
        Err(OAuthError::answer(WHAT, "it has none (RFC 8414)"))
    }

    /// An address that it names, which may be asked; nothing where it names none.
    ///
    /// # Errors
    /// Where it may not be asked.
    pub fn endpoint(
        &self,
        web: &Web,
        name: &'static str,
        what: &'static str,
    ) -> Result<Option<String>, OAuthError> {
        let Some(url) = text(&self.0, name) else { return Ok(None) };
        web.target(what, url).map(|_| Some(url.to_owned()))
    }

    /// An address that it has to name.
    ///
    /// # Errors
    /// Where it names none, or one that may not be asked.
    pub fn needed(
        &self,
        web: &Web,
        name: &'static str,
        what: &'static str,
    ) -> Result<String, OAuthError> {
        let found = self.endpoint(web, name, what)?;
        found.ok_or_else(|| OAuthError::answer(WHAT, &format!("it has no `{name}`")))
    }

    /// That it gives codes.
    ///
    /// # Errors
    /// Where it says that it does not.
    pub fn gives_codes(&self) -> Result<(), OAuthError> {
        let types = self.texts("response_types_supported");
        if types.is_none_or(|types| types.iter().any(|kind| kind == "code")) {
            return Ok(());
        }
        Err(OAuthError::answer(WHAT, "it gives no codes"))
    }

    /// That it says of itself that it holds codes against what only we know.
    ///
    /// # Errors
    /// Where it does not say so.
    pub fn proves_codes(&self) -> Result<(), OAuthError> {
        let methods = self.texts("code_challenge_methods_supported").unwrap_or_default();
        if methods.iter().any(|method| method == "S256") {
            return Ok(());
        }
        Err(OAuthError::answer(WHAT, "it does not say that it holds codes against `S256` (PKCE)"))
    }

    /// The texts under a name; nothing where there are none, or not only texts.
    #[must_use]
    pub fn texts(&self, name: &str) -> Option<Vec<String>> {
        texts(&self.0, name)
    }

    /// Whether it says yes to something.
    #[must_use]
    pub fn says(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool) == Some(true)
    }
}

/// Where an issuer is, and the path of its name.
fn place(web: &Web, issuer: &str) -> Result<(Target, String), OAuthError> {
    let target = web.target("the authorization server", issuer)?;
    if target.url().query().is_some() {
        return Err(OAuthError::answer(WHAT, "its name has a query"));
    }
    let path = target.url().path().trim_end_matches('/').to_owned();
    Ok((target, path))
}

/// Another path of the same server.
#[must_use]
pub fn at(target: &Target, path: &str) -> String {
    let mut url = target.url().clone();
    url.set_path(path);
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}

/// A text of a document, of a length that texts have.
#[must_use]
pub fn text<'a>(document: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    document.get(name)?.as_str().filter(|text| !text.is_empty() && text.len() <= LONGEST)
}

/// The texts of a document under a name; nothing where there are none, or not only texts.
#[must_use]
pub fn texts(document: &Map<String, Value>, name: &str) -> Option<Vec<String>> {
    let all = document.get(name)?.as_array()?;
    let one = |value: &Value| value.as_str().filter(|it| it.len() <= LONGEST).map(str::to_owned);
    all.iter().map(one).collect()
}
