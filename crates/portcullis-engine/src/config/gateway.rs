//! The gateway that has a say in what hooks judge: the `[gateway]` table. Owns its words; how it is asked, [`crate::remote`] knows.

use std::{fmt, path::PathBuf, time::Duration};

use portcullis_core::network::Target;
use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer,
    de::{SeqAccess, Visitor},
};
use toml::Spanned;

use super::error::Misreading;
use crate::guardian::crosses_openly;

/// The longest that an agent may be told to wait.
const LONGEST_WAIT: u32 = 3_600;

/// The most gateways that are asked one after the other: each takes its part of the time that an agent waits.
const MOST_URLS: usize = 8;

/// A gateway that has a say in what hooks judge: the stricter word holds, and people answer there what asks.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GatewayTable {
    /// Where it is: `http://127.0.0.1:4180`. A list where several gateways share a database: they are asked in this order until one answers.
    #[schemars(with = "OneOrMany")]
    pub url: Spanned<Urls>,
    /// The file with the token to ask with, absolute; the one for agents on this machine by default.
    #[schemars(with = "Option<PathBuf>")]
    pub token: Option<Spanned<PathBuf>>,
    /// For how many seconds agents wait for a person there, where they can be told to; not at all by default. `install` tells them.
    #[schemars(with = "Option<u32>")]
    pub wait: Option<Spanned<u32>>,
    /// What becomes of a call while no gateway answers: it is denied, or goes on where this machine proves it safe or low by itself. It is
    /// recorded here then, and delivered once one answers.
    #[serde(default)]
    pub offline: Offline,
}

/// Where a gateway is: one URL, or several.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Urls(pub Vec<String>);

/// How [`Urls`] are written.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl<'de> Deserialize<'de> for Urls {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Urls;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a URL, or a list of them")
            }

            fn visit_str<E>(self, url: &str) -> Result<Urls, E> {
                Ok(Urls(vec![url.to_owned()]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Urls, A::Error> {
                let mut urls = Vec::new();
                while let Some(url) = list.next_element()? {
                    urls.push(url);
                }
                Ok(Urls(urls))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// What becomes of a call while no gateway answers. The stricter comes first.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd)]
#[serde(rename_all = "lowercase")]
pub enum Offline {
    /// It is denied.
    #[default]
    Deny,
    /// What is proven safe or low here goes on, and everything else is denied.
    Local,
}

/// A gateway, and how it is asked.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Gateway {
    /// Where it is, and where others are that stand for it: at least one.
    pub urls: Vec<String>,
    /// The file with the token, where it is not the usual one.
    pub token: Option<PathBuf>,
    /// How long agents are to wait for a person there.
    pub wait: Duration,
    /// What becomes of calls while none answers.
    pub offline: Offline,
}

impl Gateway {
    /// It in words.
    pub(super) fn words(&self) -> String {
        let Self { urls, token, wait, offline } = self;
        let token = token.as_ref().map(|path| format!(", token in {}", path.display()));
        let offline = match offline {
            Offline::Deny => "",
            Offline::Local => ", offline local",
        };
        let urls = urls.join(" or ");
        format!("{urls}{}, wait {} s{offline}", token.unwrap_or_default(), wait.as_secs())
    }
}

pub(super) fn gateway_of(table: &Spanned<GatewayTable>) -> Result<Gateway, Misreading> {
    let GatewayTable { url, token, wait, offline } = table.get_ref();
    let unusable = |why: &dyn fmt::Display| {
        Misreading::new(url.span(), format!("the gateway cannot be used: {why}")).with_help(
            "write it as `http://127.0.0.1:4180`, or `https://gate.example` for one elsewhere",
        )
    };
    let Urls(urls) = url.get_ref();
    if urls.is_empty() || urls.len() > MOST_URLS {
        return Err(unusable(&format_args!("one to {MOST_URLS} URLs are asked")));
    }
    for url in urls {
        let target = Target::read(url).map_err(|refusal| unusable(&refusal))?;
        if crosses_openly(&target) {
            return Err(unusable(&"a token would cross the network unencrypted"));
        }
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
        urls: urls.clone(),
        token: token.as_ref().map(|path| path.get_ref().clone()),
        wait: Duration::from_secs(wait.into()),
        offline: *offline,
    })
}
