//! People by their company's login: the authorisation code flow of OpenID Connect, with PKCE. Owns one login from the page to who came back; what a browser
//! keeps meanwhile, and for how long somebody stays, the gateway says.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    IdentityError,
    claims::{Answers, Claims, Expected},
    jwt::Compact,
    keys::{Keys, Place},
    name_of,
    workloads::way,
};
use crate::{
    approvals::LoggedIn,
    config::{Login, StepUp},
    oauth::{
        self, Client, Description, OAuthError, Proof, Web, is_token, object, random, text, words,
    },
};

/// How far a clock may be from the issuer's where it says when somebody proved who they are.
const SKEW: SignedDuration = SignedDuration::from_secs(60);

/// How long somebody may take at the page of the issuer.
pub const PATIENCE: SignedDuration = SignedDuration::from_mins(10);

/// How long what the issuer says of itself is believed, and the least time between two questions that failed: whoever opens our page makes us ask.
const FRESH: Duration = Duration::from_secs(600);
const APART: Duration = Duration::from_secs(5);

/// The most groups of somebody that are kept, and the longest name of one.
const MOST_GROUPS: usize = 500;
const LONGEST_GROUP: usize = 256;

/// The longest name that somebody is shown under.
const LONGEST_SHOWN: usize = 100;

/// Where people log in.
pub struct People {
    login: Login,
    secret: Option<String>,
    web: Web,
    keys: Keys,
    said: tokio::sync::Mutex<Said>,
}

/// What the issuer said of itself last, and when it was asked.
#[derive(Default)]
struct Said {
    last: Option<(Description, Instant)>,
    tried: Option<Instant>,
}

/// A login that was begun, as the browser keeps it until it comes back.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Begun {
    /// What comes back with the browser.
    pub state: String,
    /// What the token must say.
    pub nonce: String,
    /// What the code is given out for.
    pub verifier: String,
    /// When, in seconds.
    pub at: i64,
    /// Whether they are to prove anew who they are.
    pub anew: bool,
    /// Where in the page they were.
    pub place: String,
}

/// What a browser brings back.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Back {
    #[serde(default)]
    code: Option<String>,
    #[serde(default)]
    state: Option<String>,
    #[serde(default)]
    iss: Option<String>,
    #[serde(default)]
    error: Option<String>,
}

/// Somebody who came in.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Entered {
    /// Who it is: a subject at an issuer.
    pub name: String,
    /// What the issuer says of them.
    pub login: LoggedIn,
}

impl People {
    /// As configured; nobody is asked yet.
    ///
    /// # Errors
    /// Where the issuer cannot be asked, or the secret cannot be read.
    pub fn of(login: &Login) -> Result<Self, OAuthError> {
        let web = way(&login.at)?;
        let secret = match &login.client_secret {
            None => None,
            Some(path) => {
                let secret = std::fs::read_to_string(path)?.trim().to_owned();
                if !is_token(&secret) {
                    let why = format!("`{}` holds no secret of a client", path.display());
                    return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, why).into());
                }
                Some(secret)
            }
        };
        let keys = Keys::new(&login.at.issuer, Place::Described(web.clone()));
        Ok(Self { login: login.clone(), secret, web, keys, said: tokio::sync::Mutex::default() })
    }

    /// How it is configured.
    #[must_use]
    pub const fn login(&self) -> &Login {
        &self.login
    }

    /// Begins a login: the page to open, and what the browser is to keep. `anew` has them prove once more who they are.
    ///
    /// # Errors
    /// [`IdentityError`].
    pub async fn begin(
        &self,
        redirect: &str,
        anew: Option<&StepUp>,
        place: String,
        now: Timestamp,
    ) -> Result<(String, Begun), IdentityError> {
        let said = self.described().await?;
        said.gives_codes()?;
        let authorization =
            said.needed(&self.web, "authorization_endpoint", "the page to log in at")?;
        let begun = Begun {
            state: random()?,
            nonce: random()?,
            verifier: random()?,
            at: now.as_second(),
            anew: anew.is_some(),
            place,
        };
        let challenge = oauth::challenge(&begun.verifier);
        let scope = ["openid".to_owned()].into_iter().chain(self.login.scopes.iter().cloned());
        let scope = scope.collect::<Vec<_>>().join(" ");
        let (age, contexts) = match anew {
            None => (String::new(), String::new()),
            Some(step) => (step.max_age.as_secs().to_string(), step.acr.join(" ")),
        };
        let mut pairs = vec![
            ("response_type", "code"),
            ("client_id", self.login.client_id.as_str()),
            ("redirect_uri", redirect),
            ("scope", scope.as_str()),
            ("state", begun.state.as_str()),
            ("nonce", begun.nonce.as_str()),
            ("code_challenge", challenge.as_str()),
            ("code_challenge_method", "S256"),
        ];
        if !age.is_empty() {
            pairs.push(("max_age", age.as_str()));
        }
        if !contexts.is_empty() {
            pairs.push(("acr_values", contexts.as_str()));
        }
        Ok((oauth::page(&authorization, &pairs)?, begun))
    }

    /// Ends a login: who came back, where what came back belongs to what was begun.
    ///
    /// # Errors
    /// [`IdentityError`].
    pub async fn finish(
        &self,
        begun: &Begun,
        back: Back,
        redirect: &str,
        step: Option<&StepUp>,
        now: Timestamp,
    ) -> Result<Entered, IdentityError> {
        let Back { code, state, iss, error } = back;
        let not_ours = |why: &str| OAuthError::Callback(why.to_owned());
        if state.as_deref() != Some(begun.state.as_str()) {
            return Err(not_ours("it belongs to another login (`state`)").into());
        }
        if now.as_second().saturating_sub(begun.at) > PATIENCE.as_secs() {
            return Err(not_ours("it took too long").into());
        }
        let said = self.described().await?;
        match iss {
            Some(iss) if iss != self.login.at.issuer => {
                return Err(not_ours("it is of another issuer (`iss`)").into());
            }
            None if said.says("authorization_response_iss_parameter_supported") => {
                return Err(not_ours("it does not say of whom it is (`iss`)").into());
            }
            Some(_) | None => {}
        }
        if let Some(error) = error {
            return Err(OAuthError::Refused(words(&error)).into());
        }
        let code = code.filter(|code| is_token(code));
        let code = code.ok_or_else(|| not_ours("it brought no code"))?;
        let (token, access) = self.exchanged(&said, &code, redirect, &begun.verifier).await?;
        let compact = Compact::read(&token)?;
        let keys = self.keys.for_token(&compact).await?;
        let expected = Expected {
            issuer: &self.login.at.issuer,
            audience: &self.login.client_id,
            login: Some(Answers { nonce: &begun.nonce, access: access.as_deref() }),
            now,
        };
        let claims = Claims::of(&compact, &keys, &expected)?;
        let entered = self.entered(claims);
        match step.filter(|_| begun.anew) {
            Some(step) if !is_proved(&entered.login, step, now) => Err(IdentityError::Claim(
                "they did not prove anew who they are, as was asked (`auth_time`, `acr`)",
            )),
            _ => Ok(entered),
        }
    }

    /// Where somebody logs out at the issuer, where there is such a page.
    pub async fn way_out(&self, back_to: &str) -> Option<String> {
        let said = self.described().await.ok()?;
        let page = said.endpoint(&self.web, "end_session_endpoint", "the page to log out at");
        let pairs =
            [("client_id", self.login.client_id.as_str()), ("post_logout_redirect_uri", back_to)];
        oauth::page(&page.ok()??, &pairs).ok()
    }

    async fn described(&self) -> Result<Description, IdentityError> {
        let mut said = self.said.lock().await;
        if let Some((last, at)) = &said.last
            && at.elapsed() < FRESH
        {
            return Ok(last.clone());
        }
        if said.tried.is_some_and(|tried| tried.elapsed() < APART) {
            let why = "it was asked just now and did not answer; it is asked every few seconds";
            return Err(OAuthError::answer("the issuer", why).into());
        }
        said.tried = Some(Instant::now());
        let asked = Description::openid(&self.web, &self.login.at.issuer).await?;
        said.last = Some((asked.clone(), Instant::now()));
        Ok(asked)
    }

    /// The token that says who it is, and the one for access beside it.
    async fn exchanged(
        &self,
        said: &Description,
        code: &str,
        redirect: &str,
        verifier: &str,
    ) -> Result<(String, Option<String>), IdentityError> {
        const WHAT: &str = "the place that gives tokens";
        let endpoint = said.needed(&self.web, "token_endpoint", WHAT)?;
        let methods = said.texts("token_endpoint_auth_methods_supported");
        let takes =
            |name: &str| methods.as_ref().is_some_and(|all| all.iter().any(|it| it == name));
        let proof = match &self.secret {
            None => Proof::None,
            // What is said nowhere is the header.
            Some(_) if takes("client_secret_post") && !takes("client_secret_basic") => {
                Proof::ClientSecretPost
            }
            Some(_) => Proof::ClientSecretBasic,
        };
        let client = Client { id: &self.login.client_id, secret: self.secret.as_deref(), proof };
        let pairs = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", redirect),
            ("code_verifier", verifier),
        ];
        let answer = oauth::sent(&self.web, WHAT, client, &endpoint, &pairs).await?;
        let members = object(WHAT, &answer)?;
        if answer.status != 200 {
            let code = text(&members, "error").unwrap_or_default();
            let why = format!("{code} (status {})", answer.status);
            return Err(OAuthError::Refused(words(&why)).into());
        }
        let token = |name: &str| {
            members.get(name).and_then(Value::as_str).filter(|it| is_token(it)).map(str::to_owned)
        };
        let id = token("id_token");
        let id = id.ok_or_else(|| OAuthError::answer(WHAT, "it gave no `id_token`"))?;
        Ok((id, token("access_token")))
    }

    fn entered(&self, claims: Claims) -> Entered {
        let mut groups = claims.texts(&self.login.groups);
        groups.retain(|group| !group.is_empty() && group.len() <= LONGEST_GROUP);
        groups.truncate(MOST_GROUPS);
        let shown = claims.word(&self.login.shown).filter(|shown| !shown.trim().is_empty());
        let shown = shown.unwrap_or_else(|| claims.subject.clone());
        let shown: String = shown.chars().take(LONGEST_SHOWN).collect();
        Entered {
            name: name_of(&self.login.at.issuer, &claims.subject),
            login: LoggedIn {
                shown: crate::report::visible::line(&shown).into_owned(),
                groups,
                proved: claims.proved,
                how: claims.how,
            },
        }
    }
}

/// Whether somebody proved who they are lately enough, and well enough.
#[must_use]
pub fn is_proved(login: &LoggedIn, step: &StepUp, now: Timestamp) -> bool {
    let is_late = |proved: Timestamp| {
        let age = now.duration_since(proved);
        age <= step.max_age.saturating_add(SKEW) && age >= -SKEW
    };
    let is_so = step.acr.is_empty() || login.how.as_ref().is_some_and(|how| step.acr.contains(how));
    login.proved.is_some_and(is_late) && is_so
}
