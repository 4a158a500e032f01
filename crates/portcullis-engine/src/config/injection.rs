//! Planted instructions: the `[injection]` table. Owns its words; what a classifier is and how it is asked, [`super::guardian`] and
//! [`crate::guardian`] know.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::{
    error::Misreading,
    guardian::{GuardianTable, ProviderWord, guardian_of},
};
use crate::guardian::Settings;

/// How long a classifier may take over one text, where nobody says otherwise. An agent waits for it.
const TIMEOUT: Duration = Duration::from_secs(10);

/// What is done about planted instructions beside looking for them. Never in a project's file.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct InjectionTable {
    /// A classifier that `inspect --classifier` asks beside the built-in detector. Nobody is asked without that flag.
    #[schemars(with = "Option<ClassifierTable>")]
    pub classifier: Option<Spanned<ClassifierTable>>,
}

/// A classifier over HTTP in the shape of GraySwan's: it is sent `{"messages":[{"role":"tool","content":"…"}]}` and answers with
/// `violation` from 0 to 1 and perhaps `ipi`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClassifierTable {
    /// Where it is; GraySwan's own address by default. `http` only to an address, or to `localhost`.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub base_url: Option<Spanned<String>>,
    /// The id of a policy of it.
    #[serde(default)]
    pub policy: Option<String>,
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
    /// The bands: at most the first is low, at most the second is medium, above it the text counts as planted. 0.3 and 0.7 by default.
    #[serde(default)]
    #[schemars(with = "Option<[f64; 2]>")]
    pub bands: Option<Spanned<[f64; 2]>>,
    /// How many seconds one text may take, from 1 to 300; 10 by default.
    #[serde(default)]
    #[schemars(with = "Option<u64>")]
    pub timeout: Option<Spanned<u64>>,
    /// How many attempts a request has where the trouble may pass, from 1 to 3; 3 by default.
    #[serde(default)]
    #[schemars(with = "Option<u32>")]
    pub attempts: Option<Spanned<u32>>,
    /// How many requests one run may make; 500 by default.
    #[serde(default)]
    pub max_calls: Option<u64>,
    /// How many tokens one run may send; 2,000,000 by default.
    #[serde(default)]
    pub max_tokens: Option<u64>,
}

/// What the table comes to.
pub(super) fn classifier_of(written: &Spanned<ClassifierTable>) -> Result<Settings, Misreading> {
    let ClassifierTable {
        base_url,
        policy,
        api_key_env,
        api_key_file,
        ca_file,
        proxy,
        headers,
        allow_private,
        bands,
        timeout,
        attempts,
        max_calls,
        max_tokens,
    } = written.get_ref().clone();
    let has_timeout = timeout.is_some();
    let table = GuardianTable {
        base_url,
        model: policy,
        api_key_env,
        api_key_file,
        ca_file,
        proxy,
        headers,
        allow_private,
        bands,
        timeout,
        attempts,
        max_calls,
        max_tokens,
        // It has no say in actions, so that what it may approve is nothing.
        second_opinion: true,
        ..GuardianTable::new(ProviderWord::GraySwan)
    };
    let settings = guardian_of(&Spanned::new(written.span(), table))?;
    Ok(Settings { timeout: if has_timeout { settings.timeout } else { TIMEOUT }, ..settings })
}

/// A classifier for a person.
pub(super) fn classifier_words(settings: &Settings) -> String {
    format!("{} beside the detector, with `inspect --classifier`", settings.url())
}
