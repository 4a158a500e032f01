//! The centre, asked: which one it is, what goes there, and what an answer says is wrong. Owns that nobody else is asked and no token leaves unencrypted.

use std::{path::Path, sync::Arc, time::Duration};

use portcullis_core::network::Target;
use portcullis_net::{Client, GuardOptions, Limits, Request, Response, Roots};
use serde_json::Value;

use crate::{
    bundle::signed,
    cli::Failure,
    config::{Configuration, InForce},
    guardian::{crosses_openly, only_to},
    private,
    report::visible,
};

/// The longest token.
const LONGEST_TOKEN: u64 = 16 << 10;

/// The centre that the configuration names.
pub(super) fn centre(configuration: &Configuration) -> Result<Arc<InForce>, Failure> {
    configuration.central.clone().ok_or_else(|| {
        Failure::configuration("the configuration names no centre")
            .with_help("`[central]` with its `url` and `keys` says where a policy comes from")
    })
}

/// What an answer says is wrong, in a line.
pub(super) fn problem(answer: &Response) -> String {
    let detail: Option<Value> = serde_json::from_slice(&answer.body).ok();
    let detail = detail.as_ref().and_then(|detail| detail.get("detail")).and_then(Value::as_str);
    visible::line(detail.unwrap_or("it does not say why")).into_owned()
}

/// Asks a centre, and nobody else: no redirect is followed.
pub(super) fn asked(
    method: &str,
    url: &str,
    token: Option<&Path>,
    mut headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
    time: Duration,
) -> Result<Response, Failure> {
    let target = Target::read(url)
        .map_err(|error| Failure::usage(format_args!("`{}`: {error}", visible::line(url))))?;
    let policy = only_to([(&target, true)]).map_err(Failure::configuration)?;
    if let Some(path) = token {
        if crosses_openly(&target) {
            return Err(Failure::configuration("a token would cross the network unencrypted"));
        }
        let token = private::read(path, LONGEST_TOKEN).map_err(|error| {
            Failure::configuration(format_args!(
                "the token in {} cannot be used: {error}",
                quoted(path)
            ))
        })?;
        let token = String::from_utf8_lossy(&token).trim().to_owned();
        headers.push(("authorization".to_owned(), format!("Bearer {token}")));
    }
    if body.is_some() {
        headers.push(("content-type".to_owned(), "application/json".to_owned()));
    }
    let limits = Limits { redirects: 0, body: signed::LONGEST as u64, time };
    let client =
        Client::new(GuardOptions { policy, ..GuardOptions::default() }, Roots::System, limits);
    let request = Request { method: method.to_owned(), url: url.to_owned(), headers, body };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(Failure::internal)?;
    runtime.block_on(client.fetch(request, &mut |_| {})).map_err(|failure| {
        let told = format!("the centre cannot be asked: {failure}");
        Failure::internal(visible::line(&told))
    })
}

/// A path for a person.
pub(super) fn quoted(path: &Path) -> String {
    format!("`{}`", visible::line(&path.to_string_lossy()))
}
