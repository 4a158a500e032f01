//! The gateway that has a say in what hooks judge: the `[gateway]` table. Owns its words; how it is asked, [`crate::gateway`] knows.

use std::{path::PathBuf, time::Duration};

use portcullis_core::network::Target;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::error::Misreading;
use crate::guardian::crosses_openly;

/// The longest that an agent may be told to wait.
const LONGEST_WAIT: u32 = 3_600;

/// A gateway that has a say in what hooks judge: the stricter word holds, and people answer there what asks.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GatewayTable {
    /// Where it is: `http://127.0.0.1:4180`.
    #[schemars(with = "String")]
    pub url: Spanned<String>,
    /// The file with the token to ask with, absolute; the one for agents on this machine by default.
    #[schemars(with = "Option<PathBuf>")]
    pub token: Option<Spanned<PathBuf>>,
    /// For how many seconds agents wait for a person there, where they can be told to; not at all by default. `install` tells them.
    #[schemars(with = "Option<u32>")]
    pub wait: Option<Spanned<u32>>,
}

/// A gateway, and how it is asked.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Gateway {
    /// Where it is.
    pub url: String,
    /// The file with the token, where it is not the usual one.
    pub token: Option<PathBuf>,
    /// How long agents are to wait for a person there.
    pub wait: Duration,
}

impl Gateway {
    /// It in words.
    pub(super) fn words(&self) -> String {
        let Self { url, token, wait } = self;
        let token = token.as_ref().map(|path| format!(", token in {}", path.display()));
        format!("{url}{}, wait {} s", token.unwrap_or_default(), wait.as_secs())
    }
}

pub(super) fn gateway_of(table: &Spanned<GatewayTable>) -> Result<Gateway, Misreading> {
    let GatewayTable { url, token, wait } = table.get_ref();
    let unusable = |why: &dyn std::fmt::Display| {
        Misreading::new(url.span(), format!("the gateway cannot be used: {why}")).with_help(
            "write it as `http://127.0.0.1:4180`, or `https://gate.example` for one elsewhere",
        )
    };
    let target = Target::read(url.get_ref()).map_err(|refusal| unusable(&refusal))?;
    if crosses_openly(&target) {
        return Err(unusable(&"a token would cross the network unencrypted"));
    }
    if let Some(token) = token.as_ref().filter(|path| !path.get_ref().is_absolute()) {
        let message = format!("`{}` is not an absolute path", token.get_ref().display());
        return Err(Misreading::new(token.span(), message)
            .with_help("a relative path would name another file in each directory"));
    }
    if let Some(wait) = wait.as_ref().filter(|wait| *wait.get_ref() > LONGEST_WAIT) {
        let misreading = Misreading::new(wait.span(), "no agent waits longer than an hour");
        return Err(misreading.with_help("write at most 3600"));
    }
    let wait = wait.as_ref().map_or(0, |wait| *wait.get_ref());
    Ok(Gateway {
        url: url.get_ref().clone(),
        token: token.as_ref().map(|path| path.get_ref().clone()),
        wait: Duration::from_secs(wait.into()),
    })
}
