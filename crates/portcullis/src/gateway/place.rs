//! Where people reach the gateway. Owns what an address with a path means: which host and origin are ours, what a proxy may leave in front of a route, and
//! what the cookie of a browser is called there.

use axum::http::{Uri, uri::PathAndQuery};
use portcullis_core::network::Target;

/// The cookie of a browser in which somebody logged in, and of one in which somebody is about to.
const SESSION: &str = "portcullis";
const LOGIN: &str = "portcullis-login";

/// What a browser demands of a cookie of this name: encrypted, of this host alone, and set by nobody below or beside it.
const HOST: &str = "__Host-";

/// Where people reach a gateway.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Place {
    /// With its port where that is said.
    host: String,
    is_https: bool,
    /// Without a slash at its end; empty where there is none.
    path: String,
}

impl Place {
    /// Reads an address: `https://tools.example/gate/`.
    ///
    /// # Errors
    /// Why it is none, in words.
    pub fn read(url: &str) -> Result<Self, String> {
        let target = Target::read(url).map_err(|refusal| refusal.to_string())?;
        if target.has_userinfo() || url.contains(['?', '#']) {
            return Err("it has a name, a query or a fragment in it".to_owned());
        }
        let path = target.url().path().trim_end_matches('/').to_owned();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
        if !path.bytes().all(is_plain) || path.contains("//") {
            return Err("its path has letters that are written in several ways".to_owned());
        }
        let host = match target.url().port() {
            Some(port) => format!("{}:{port}", target.host()),
            None => target.host().into_owned(),
        };
        Ok(Self { host, is_https: target.is_https(), path })
    }

    /// At a host, without a path.
    pub(super) fn of(host: String, is_https: bool) -> Self {
        Self { host, is_https, path: String::new() }
    }

    /// Its host, as a browser names it.
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// The origin of our pages.
    pub(super) fn origin(&self) -> String {
        format!("{}://{}", if self.is_https { "https" } else { "http" }, self.host)
    }

    /// The address of one of our pages.
    pub(super) fn page(&self, path: &str) -> String {
        format!("{}{}/{path}", self.origin(), self.path)
    }

    /// Whether browsers come to it encrypted.
    pub(super) const fn is_https(&self) -> bool {
        self.is_https
    }

    /// The name of the cookie of a session.
    pub(super) fn cookie(&self) -> String {
        self.named(SESSION)
    }

    /// The name of the cookie of a login.
    pub(super) fn login_cookie(&self) -> String {
        self.named(LOGIN)
    }

    fn named(&self, name: &str) -> String {
        if self.is_https { format!("{HOST}{name}") } else { name.to_owned() }
    }

    /// What stands behind the value of a cookie, for so many seconds; `strict` for one that no page of others may have sent.
    pub(super) fn attributes(&self, strict: bool, seconds: i64) -> String {
        let site = if strict { "Strict" } else { "Lax" };
        let secure = if self.is_https { "; Secure" } else { "" };
        format!("; Path=/; HttpOnly; SameSite={site}; Max-Age={seconds}{secure}")
    }

    /// The address of a request without what stands before our routes, where a proxy left that there. `None` where a slash is missing at the end of it.
    pub(super) fn within(&self, uri: &Uri) -> Option<Uri> {
        if self.path.is_empty() {
            return Some(uri.clone());
        }
        let Some(rest) = uri.path().strip_prefix(&self.path) else { return Some(uri.clone()) };
        if rest.is_empty() {
            return None;
        }
        if !rest.starts_with('/') {
            return Some(uri.clone());
        }
        let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        let Ok(within) = PathAndQuery::try_from(format!("{rest}{query}")) else {
            return Some(uri.clone());
        };
        let mut parts = uri.clone().into_parts();
        parts.path_and_query = Some(within);
        // What was an address stays one.
        Some(Uri::from_parts(parts).unwrap_or_else(|_| uri.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_in_front_of_routes_is_taken_off_once() {
        let place = Place::read("https://Tools.example/gate/").unwrap();
        assert_eq!(place.origin(), "https://tools.example");
        assert_eq!(place.page("login/back"), "https://tools.example/gate/login/back");
        let within = |uri: &str| place.within(&uri.parse().unwrap()).map(|uri| uri.to_string());
        for (uri, is) in [
            ("/gate/", Some("/")),
            ("/gate/v1/me?x=1", Some("/v1/me?x=1")),
            ("/gate", None),
            ("/gate/gate/v1/me", Some("/gate/v1/me")),
            ("/gates/v1/me", Some("/gates/v1/me")),
            ("/v1/me", Some("/v1/me")),
            ("http://tools.example/gate/v1/me", Some("http://tools.example/v1/me")),
        ] {
            assert_eq!(within(uri).as_deref(), is, "{uri}");
        }
    }

    #[test]
    fn an_address_says_one_thing() {
        for url in [
            "ftp://x.example/",
            "https://u@x.example/",
            "https://x.example/?a",
            "https://x.example/#a",
            "https://x.example/a%2fb/",
            "https://x.example/a//b",
            "x.example",
        ] {
            assert!(Place::read(url).is_err(), "{url}");
        }
        let open = Place::read("http://localhost:8080").unwrap();
        assert_eq!((open.cookie().as_str(), open.host()), ("portcullis", "localhost:8080"));
        assert!(!open.attributes(true, 1).contains("Secure"));
        let closed = Place::read("https://gate.example:8443/a/b").unwrap();
        assert_eq!(closed.cookie(), "__Host-portcullis");
        assert_eq!(closed.page(""), "https://gate.example:8443/a/b/");
        assert!(closed.attributes(false, 1).ends_with("SameSite=Lax; Max-Age=1; Secure"));
    }
}
