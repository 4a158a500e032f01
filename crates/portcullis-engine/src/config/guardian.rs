//! The reviewing model: the `[guardian]` table. Owns its words and that they make sense together; what a reviewer does with them,
//! [`crate::guardian`] knows.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use portcullis_core::{
    assessment::ActionClass,
    guardian::{Bands, MayApprove, OnError, Spend, Terms, Thresholds},
    network::Target,
};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::{
    error::Misreading,
    level::{Level, level_of},
};
use crate::guardian::{FirstLook, KeySource, Price, Provider, Settings, crosses_openly};

/// Headers that a key could stand in, or that we write ourselves.
const OWN_HEADERS: [&str; 10] = [
    "accept",
    "anthropic-beta",
    "anthropic-version",
    "api-key",
    "authorization",
    "content-type",
    "cookie",
    "grayswan-api-key",
    "proxy-authorization",
    "x-api-key",
];

/// A model that answers for a person where the policy asks: with `check --guardian`. Never in a project's file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GuardianTable {
    /// Which wire it speaks.
    pub provider: ProviderWord,
    /// Where it is; the provider's own address by default. `http` only to an address, or to `localhost`.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub base_url: Option<Spanned<String>>,
    /// Its model; for `grayswan` the id of a policy, which may be left out.
    #[serde(default)]
    pub model: Option<String>,
    /// The variable of the environment that holds its key.
    #[serde(default)]
    pub api_key_env: Option<String>,
    /// The file that holds its key, absolute, of this user alone.
    #[serde(default)]
    #[schemars(with = "Option<PathBuf>")]
    pub api_key_file: Option<Spanned<PathBuf>>,
    /// A file with the certificate authorities to trust in place of the system's, in PEM.
    #[serde(default)]
    pub ca_file: Option<PathBuf>,
    /// A proxy that leads to it, as `http://proxy.example:3128`; none by default, whatever the environment says.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub proxy: Option<Spanned<String>>,
    /// Further headers. A key is no header of yours: it comes from `api_key_env` or `api_key_file`.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, String>")]
    pub headers: BTreeMap<Spanned<String>, String>,
    /// Whether the host may have a private address although it is a name; not by default.
    #[serde(default)]
    pub allow_private: bool,
    /// Below which score an action is approved; 80 by default.
    #[serde(default)]
    #[schemars(with = "Option<f64>")]
    pub approve_below: Option<Spanned<f64>>,
    /// From which score on an action is denied; 90 by default, 101 denies nothing.
    #[serde(default)]
    #[schemars(with = "Option<f64>")]
    pub deny_at: Option<Spanned<f64>>,
    /// What it may approve. Without it, it approves nothing.
    #[serde(default)]
    #[schemars(with = "Option<MayApproveTable>")]
    pub may_approve: Option<Spanned<MayApproveTable>>,
    /// Whether it also reviews what it may not approve, which it can then deny; not by default.
    #[serde(default)]
    pub second_opinion: bool,
    /// What an error of the review leads to: `deny` by default; `ask` where a person can be asked.
    #[serde(default)]
    pub on_error: OnErrorWord,
    /// How many seconds a review may take, from 1 to 300; 90 by default.
    #[serde(default)]
    #[schemars(with = "Option<u64>")]
    pub timeout: Option<Spanned<u64>>,
    /// How many attempts a request has where the trouble may pass, from 1 to 3; 3 by default.
    #[serde(default)]
    #[schemars(with = "Option<u32>")]
    pub attempts: Option<Spanned<u32>>,
    /// How many reviews go on at once, from 1 to 64; 4 by default.
    #[serde(default)]
    #[schemars(with = "Option<usize>")]
    pub concurrency: Option<Spanned<usize>>,
    /// How many requests a session may make; 500 by default.
    #[serde(default)]
    pub max_calls: Option<u64>,
    /// How many tokens a session may use; 2,000,000 by default.
    #[serde(default)]
    pub max_tokens: Option<u64>,
    /// How many tokens an answer may have; 1,000 by default.
    #[serde(default)]
    pub max_output_tokens: Option<u32>,
    /// Whether the provider is asked to hold the model to the form of an answer; by default with `openai` and `openai-responses`.
    #[serde(default)]
    pub structured: Option<bool>,
    /// A cheaper model that looks first.
    #[serde(default)]
    #[schemars(with = "Option<FirstLookTable>")]
    pub first_look: Option<Spanned<FirstLookTable>>,
    /// What a million tokens cost, for `guardian test` and `run --max-cost`.
    #[serde(default)]
    pub price: Option<PriceTable>,
    /// The bands of a classifier: at most the first is low, at most the second is medium. 0.3 and 0.7 by default.
    #[serde(default)]
    #[schemars(with = "Option<[f64; 2]>")]
    pub bands: Option<Spanned<[f64; 2]>>,
}

impl GuardianTable {
    /// A table that says nothing else.
    pub(super) const fn new(provider: ProviderWord) -> Self {
        Self {
            provider,
            base_url: None,
            model: None,
            api_key_env: None,
            api_key_file: None,
            ca_file: None,
            proxy: None,
            headers: BTreeMap::new(),
            allow_private: false,
            approve_below: None,
            deny_at: None,
            may_approve: None,
            second_opinion: false,
            on_error: OnErrorWord::Deny,
            timeout: None,
            attempts: None,
            concurrency: None,
            max_calls: None,
            max_tokens: None,
            max_output_tokens: None,
            structured: None,
            first_look: None,
            price: None,
            bands: None,
        }
    }
}

/// Which wire a reviewer speaks.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
pub enum ProviderWord {
    /// OpenAI's chat completions; also Ollama, vLLM, llama.cpp and others.
    #[serde(rename = "openai")]
    OpenAi,
    /// OpenAI's responses.
    #[serde(rename = "openai-responses")]
    OpenAiResponses,
    /// Anthropic's messages.
    #[serde(rename = "anthropic")]
    Anthropic,
    /// A classifier in the shape of GraySwan's.
    #[serde(rename = "grayswan")]
    GraySwan,
}

/// What a reviewer may approve.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MayApproveTable {
    /// The highest risk, at most `high`.
    pub max_risk: Level,
    /// The classes of actions.
    pub classes: Vec<AnyClassWord>,
    /// Whether also what was not understood whole; not by default.
    #[serde(default)]
    pub unknown: bool,
}

/// A class of actions.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum AnyClassWord {
    /// Only reads.
    ReadOnly,
    /// Changes files in the workspace.
    Edit,
    /// Talks to the network.
    Network,
    /// Runs programs.
    Execute,
    /// Deletes.
    Destructive,
    /// Calls a tool that is not known.
    Unknown,
}

/// What an error leads to.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum OnErrorWord {
    /// The action is denied.
    #[default]
    Deny,
    /// The person is asked.
    Ask,
}

/// A cheaper model that looks first.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FirstLookTable {
    /// The model, at the same place.
    pub model: String,
    /// Below which score its word is enough; 20 by default.
    #[serde(default)]
    pub pass_below: Option<f64>,
}

/// What a million tokens cost.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PriceTable {
    /// Of the requests.
    pub input: f64,
    /// Of the answers.
    pub output: f64,
}

/// What a table comes to.
pub(super) fn guardian_of(written: &Spanned<GuardianTable>) -> Result<Settings, Misreading> {
    let GuardianTable {
        provider,
        base_url,
        model,
        api_key_env,
        api_key_file,
        ca_file,
        proxy,
        headers,
        allow_private,
        approve_below,
        deny_at,
        may_approve,
        second_opinion,
        on_error,
        timeout,
        attempts,
        concurrency,
        max_calls,
        max_tokens,
        max_output_tokens,
        structured,
        first_look,
        price,
        bands,
    } = written.get_ref();
    let whole = written.span();
    let provider = match provider {
        ProviderWord::OpenAi => Provider::OpenAi,
        ProviderWord::OpenAiResponses => Provider::OpenAiResponses,
        ProviderWord::Anthropic => Provider::Anthropic,
        ProviderWord::GraySwan => Provider::GraySwan,
    };
    let model = model.as_deref().unwrap_or_default().trim();
    if model.is_empty() && !provider.is_classifier() {
        return Err(
            Misreading::new(whole, "`model` is missing").with_help("name the model that reviews")
        );
    }
    if may_approve.is_none() && !second_opinion {
        let message = "this reviewer may approve nothing and is not asked for a second opinion";
        return Err(Misreading::new(whole, message).with_help(
            "add `may_approve = { max_risk = \"medium\", classes = [\"edit\", \"execute\"] }`, or `second_opinion = true`",
        ));
    }
    let url = base_url.as_ref().map_or_else(|| provider.base_url(), |url| url.get_ref());
    let url_span = base_url.as_ref().map_or_else(|| whole.clone(), Spanned::span);
    check_url(url, *allow_private)
        .map_err(|(message, help)| Misreading::new(url_span, message).with_help(help))?;
    let span = |number: &Option<Spanned<f64>>| {
        number.as_ref().map_or_else(|| whole.clone(), Spanned::span)
    };
    let number = |number: &Option<Spanned<f64>>, default: f64| {
        number.as_ref().map_or(default, |number| *number.get_ref())
    };
    let defaults = Thresholds::default();
    let low = number(approve_below, defaults.approve_below());
    let thresholds =
        Thresholds::new(low, number(deny_at, defaults.deny_at().max(low))).map_err(|error| {
            let place = if deny_at.is_some() { span(deny_at) } else { span(approve_below) };
            Misreading::new(place, error.to_string())
                .with_help("for example `approve_below = 80` and `deny_at = 90`")
        })?;
    let key = match (api_key_env, api_key_file) {
        (Some(_), Some(file)) => {
            return Err(Misreading::new(file.span(), "there are two places for one key")
                .with_help("leave `api_key_env` or `api_key_file` away"));
        }
        (Some(name), None) => KeySource::Environment(name.clone()),
        (None, Some(file)) => KeySource::File(absolute(file)?),
        (None, None) => KeySource::None,
    };
    for name in headers.keys() {
        if OWN_HEADERS.contains(&name.get_ref().to_ascii_lowercase().as_str()) {
            let message = format!("the header `{}` is not one of yours", name.get_ref());
            return Err(Misreading::new(name.span(), message)
                .with_help("a key comes from `api_key_env` or `api_key_file`"));
        }
    }
    let mut settings = Settings::new(provider, url, model);
    settings.headers =
        headers.iter().map(|(name, value)| (name.get_ref().clone(), value.clone())).collect();
    settings.key = key;
    settings.ca_file.clone_from(ca_file);
    settings.proxy = proxy.as_ref().map(proxy_of).transpose()?;
    settings.allow_private = *allow_private;
    settings.terms = Terms {
        thresholds,
        may_approve: may_approve.as_ref().map(may_approve_of).transpose()?,
        second_opinion: *second_opinion,
        on_error: match on_error {
            OnErrorWord::Deny => OnError::Deny,
            OnErrorWord::Ask => OnError::Ask,
        },
    };
    if let Some(seconds) = timeout {
        settings.timeout = Duration::from_secs(within("timeout", seconds, 1, 300)?);
    }
    if let Some(attempts) = attempts {
        settings.attempts = within("attempts", attempts, 1, 3)?;
    }
    if let Some(concurrency) = concurrency {
        settings.concurrency = within("concurrency", concurrency, 1, 64)?;
    }
    let Spend { calls, tokens } = settings.spend;
    settings.spend =
        Spend { calls: max_calls.unwrap_or(calls), tokens: max_tokens.unwrap_or(tokens) };
    settings.max_output_tokens = max_output_tokens.unwrap_or(settings.max_output_tokens);
    settings.structured = structured.unwrap_or(settings.structured);
    settings.first_look = first_look.as_ref().map(|table| first_look_of(table, low)).transpose()?;
    settings.price = price.map(|PriceTable { input, output }| Price { input, output });
    if let Some(bands) = bands {
        let [low, medium] = *bands.get_ref();
        settings.bands = Bands::new(low, medium).map_err(|error| {
            Misreading::new(bands.span(), error.to_string()).with_help("for example `[0.3, 0.7]`")
        })?;
    }
    Ok(settings)
}

/// Whether a base URL may be asked, and what to do where it may not.
/// Whether a model can be asked at a URL: encrypted, or on this machine.
pub fn check_url(url: &str, allow_private: bool) -> Result<(), (String, &'static str)> {
    let help = "write it as `https://api.example.com/v1`, or `http://127.0.0.1:11434/v1` for a server here";
    let bad = |why: &dyn std::fmt::Display| (format!("the base URL cannot be used: {why}"), help);
    let target = Target::read(url).map_err(|refusal| bad(&refusal))?;
    if target.has_userinfo() {
        return Err(bad(&"it holds a name or a password"));
    }
    if target.url().query().is_some() || target.url().fragment().is_some() {
        return Err(bad(&"it has a query or a fragment"));
    }
    if crosses_openly(&target) && !allow_private {
        return Err(bad(&"what leaves this machine must be encrypted"));
    }
    Ok(())
}

fn proxy_of(written: &Spanned<String>) -> Result<String, Misreading> {
    let url = written.get_ref();
    let bad = |why: &dyn std::fmt::Display| {
        Misreading::new(written.span(), format!("the proxy cannot be used: {why}"))
            .with_help("write it as `http://proxy.example:3128`")
    };
    let target = Target::read(url).map_err(|refusal| bad(&refusal))?;
    if target.is_https() || target.has_userinfo() {
        return Err(bad(&"it must be `http`, without a name or a password"));
    }
    Ok(url.clone())
}

/// The class that a word means.
pub(super) fn class_of(word: &AnyClassWord) -> ActionClass {
    match word {
        AnyClassWord::ReadOnly => ActionClass::ReadOnly,
        AnyClassWord::Edit => ActionClass::Edit,
        AnyClassWord::Network => ActionClass::Network,
        AnyClassWord::Execute => ActionClass::Execute,
        AnyClassWord::Destructive => ActionClass::Destructive,
        AnyClassWord::Unknown => ActionClass::Unknown,
    }
}

fn may_approve_of(written: &Spanned<MayApproveTable>) -> Result<MayApprove, Misreading> {
    let MayApproveTable { max_risk, classes, unknown } = written.get_ref();
    if *max_risk == Level::Critical {
        return Err(Misreading::new(
            written.span(),
            "what is critical is never approved by a model",
        )
        .with_help("set `max_risk` to `high` at most"));
    }
    if classes.is_empty() {
        return Err(Misreading::new(written.span(), "without a class nothing can be approved")
            .with_help("name some of read-only, edit, network, execute, destructive, unknown"));
    }
    Ok(MayApprove {
        max_risk: level_of(*max_risk),
        classes: classes.iter().map(class_of).collect(),
        unknown: *unknown,
    })
}

fn first_look_of(written: &Spanned<FirstLookTable>, below: f64) -> Result<FirstLook, Misreading> {
    let FirstLookTable { model, pass_below } = written.get_ref();
    let pass_below = pass_below.unwrap_or_else(|| below.min(20.0));
    if !(pass_below > 0.0 && pass_below <= below) {
        let message = "`pass_below` must be above 0 and not above `approve_below`";
        return Err(Misreading::new(written.span(), message).with_help("for example 20"));
    }
    Ok(FirstLook { model: model.clone(), pass_below })
}

fn absolute(path: &Spanned<PathBuf>) -> Result<PathBuf, Misreading> {
    let found = path.get_ref();
    if found.is_absolute() {
        return Ok(found.clone());
    }
    let message = format!("`{}` is not an absolute path", found.display());
    Err(Misreading::new(path.span(), message)
        .with_help("a relative path would name another file in each directory"))
}

fn within<T: Copy + PartialOrd + std::fmt::Display>(
    name: &str,
    number: &Spanned<T>,
    least: T,
    most: T,
) -> Result<T, Misreading> {
    let found = *number.get_ref();
    if found >= least && found <= most {
        return Ok(found);
    }
    let message = format!("`{name}` must be from {least} to {most}");
    Err(Misreading::new(number.span(), message).with_help("leave it away for the default"))
}

/// A reviewer for a person.
#[must_use]
pub fn guardian_words(settings: &Settings) -> String {
    let Settings { provider, model, terms, .. } = settings;
    let Terms { thresholds, may_approve, .. } = terms;
    let may = match may_approve {
        None => "may approve nothing".to_owned(),
        Some(MayApprove { max_risk, classes, unknown }) => {
            let classes: Vec<_> = classes.iter().map(|class| class.name()).collect();
            let unknown = if *unknown { ", understood or not" } else { "" };
            let below = thresholds.approve_below();
            format!("may approve {} up to {max_risk}{unknown}, below {below}", classes.join(", "))
        }
    };
    format!("`{model}` of {} at {} {may}", provider.name(), settings.url())
}
