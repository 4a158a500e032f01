//! Agents by the identity of what they run in: Kubernetes, GitHub Actions, GitLab, SPIFFE, whoever signs tokens for what runs there. Owns which of the agents
//! that are configured a token means, and what is remembered of it.
//!
//! A token is believed each time that it comes until its end, so that what was believed once is not looked at again; it means the first agent whose claims
//! it has, and an agent that is named there has calls judged and nothing else.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use jiff::Timestamp;
use portcullis_net::Roots;
use serde_json::Value;

use super::{
    IdentityError,
    claims::{Claims, Expected},
    jwt::Compact,
    keys::{Keys, Place},
    name_of,
};
use crate::{
    config::{self, AgentOf, Word},
    oauth::{OAuthError, Web},
};

/// The most tokens that are remembered.
const REMEMBERED: usize = 10_000;

/// An agent that came with a token of its platform.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Workload {
    /// Who it is: a subject at an issuer.
    pub name: String,
    /// The project that its calls belong to.
    pub project: Option<String>,
    /// From when on the token counts no more.
    pub expires: Timestamp,
}

/// Everybody whose tokens mean agents.
#[derive(Debug, Default)]
pub struct Workloads {
    issuers: Vec<Issuer>,
    believed: Mutex<HashMap<String, Workload>>,
}

#[derive(Debug)]
struct Issuer {
    keys: Keys,
    audience: String,
    agents: Vec<AgentOf>,
}

impl Workloads {
    /// Those that are configured.
    ///
    /// # Errors
    /// Where one of them cannot be asked.
    pub fn of(configured: &[config::Workload]) -> Result<Self, OAuthError> {
        let issuer = |one: &config::Workload| {
            let config::Workload { at, audience, keys, agents } = one;
            let place = match keys {
                Some(file) => Place::File(file.clone()),
                None => Place::Described(way(at)?),
            };
            Ok(Issuer {
                keys: Keys::new(&at.issuer, place),
                audience: audience.clone(),
                agents: agents.clone(),
            })
        };
        let issuers: Result<_, OAuthError> = configured.iter().map(issuer).collect();
        Ok(Self { issuers: issuers?, believed: Mutex::default() })
    }

    /// Whether there are any.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.issuers.is_empty()
    }

    /// The agent that a token means. `hash` is what is kept of it.
    ///
    /// # Errors
    /// [`IdentityError`].
    pub async fn of_token(
        &self,
        token: &str,
        hash: &str,
        now: Timestamp,
    ) -> Result<Workload, IdentityError> {
        let known = self.believed.lock().unwrap_or_else(PoisonError::into_inner).get(hash).cloned();
        if let Some(known) = known.filter(|known| now < known.expires) {
            return Ok(known);
        }
        let workload = self.looked_at(token, now).await?;
        let mut believed = self.believed.lock().unwrap_or_else(PoisonError::into_inner);
        if believed.len() >= REMEMBERED {
            believed.retain(|_, one| now < one.expires);
        }
        if believed.len() < REMEMBERED {
            believed.insert(hash.to_owned(), workload.clone());
        }
        Ok(workload)
    }

    async fn looked_at(&self, token: &str, now: Timestamp) -> Result<Workload, IdentityError> {
        let token = Compact::read(token)?;
        let named = token.issuer().unwrap_or_default();
        let mut found = Err(IdentityError::Unknown("nobody here trusts its issuer"));
        // One issuer may stand there for several audiences.
        for issuer in self.issuers.iter().filter(|one| one.keys.issuer() == named) {
            match issuer.agent(&token, now).await {
                Ok(workload) => return Ok(workload),
                Err(error) => found = Err(error),
            }
        }
        found
    }
}

impl Issuer {
    async fn agent(&self, token: &Compact<'_>, now: Timestamp) -> Result<Workload, IdentityError> {
        let keys = self.keys.for_token(token).await?;
        let issuer = self.keys.issuer();
        let expected = Expected { issuer, audience: &self.audience, login: None, now };
        let claims = Claims::of(token, &keys, &expected)?;
        let agent = self.agents.iter().find(|agent| is_meant(agent, &claims));
        let agent = agent.ok_or(IdentityError::Unknown("it means none of the agents here"))?;
        let project = match &agent.project_claim {
            Some(path) => {
                let named = claims.word(path);
                Some(named.ok_or(IdentityError::Unknown("it does not name its project"))?)
            }
            None => agent.project.clone(),
        };
        Ok(Workload { name: name_of(issuer, &claims.subject), project, expires: claims.expires })
    }
}

fn is_meant(agent: &AgentOf, claims: &Claims) -> bool {
    agent.claims.iter().all(|(path, word)| match word {
        Word::Is(word) => claims.word(path).as_deref() == Some(word),
        Word::Begins(word) => claims.word(path).is_some_and(|said| said.starts_with(word)),
        Word::Has(word) => {
            matches!(claims.at(path), Some(Value::Array(_))) && claims.texts(path).contains(word)
        }
    })
}

/// The way to an issuer that a person configured.
pub(super) fn way(at: &config::IssuerAt) -> Result<Web, OAuthError> {
    let config::IssuerAt { issuer, ca, private } = at;
    let roots = match ca {
        Some(path) => Roots::Pem(std::fs::read(path)?),
        None => Roots::System,
    };
    let web = Web::chosen(issuer, roots, *private)?;
    web.target("the issuer", issuer)?;
    Ok(web)
}
