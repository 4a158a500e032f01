//! A client of an authorization server. Owns how it proves who it is, and how a form is sent as it.

use portcullis_net::{Request, Response};
use serde::{Deserialize, Serialize};

use super::{
    OAuthError,
    web::{Web, form},
};

/// The longest token.
const LONGEST: usize = 16 << 10;

/// How a client proves who it is.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// By nothing: what is on a person's machine keeps no secret from them.
    #[default]
    None,
    /// By a secret in the form.
    ClientSecretPost,
    /// By a secret in a header.
    ClientSecretBasic,
}

/// A client, as the authorization server knows it. It has no `Debug`: its secret is shown nowhere.
#[derive(Clone, Copy)]
pub struct Client<'a> {
    /// Its name there.
    pub id: &'a str,
    /// What it proves it with, where it has a secret.
    pub secret: Option<&'a str>,
    /// How.
    pub proof: Proof,
}

/// Sends a form as a client.
///
/// # Errors
/// [`OAuthError`].
pub async fn sent(
    web: &Web,
    what: &'static str,
    client: Client<'_>,
    url: &str,
    pairs: &[(&str, &str)],
) -> Result<Response, OAuthError> {
    let target = web.target(what, url)?;
    let mut headers = vec![
        ("accept".to_owned(), "application/json".to_owned()),
        ("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned()),
    ];
    let mut all = pairs.to_vec();
    let Client { id, secret, proof } = client;
    let secret = secret.unwrap_or_default();
    match proof {
        Proof::ClientSecretBasic => {
            let (name, secret) = (form(&[("", id)])?, form(&[("", secret)])?);
            let both =
                format!("{}:{}", name.trim_start_matches('='), secret.trim_start_matches('='));
            let both = data_encoding::BASE64.encode(both.as_bytes());
            headers.push(("authorization".to_owned(), format!("Basic {both}")));
        }
        Proof::ClientSecretPost => all.extend([("client_id", id), ("client_secret", secret)]),
        Proof::None => all.push(("client_id", id)),
    }
    let body = Some(form(&all)?.into_bytes());
    let request = Request { method: "POST".to_owned(), url: url.to_owned(), headers, body };
    web.ask(what, &target, request).await
}

/// Whether a text can stand in a header as a token.
#[must_use]
pub fn is_token(text: &str) -> bool {
    !text.is_empty() && text.len() <= LONGEST && text.bytes().all(|byte| byte.is_ascii_graphic())
}
