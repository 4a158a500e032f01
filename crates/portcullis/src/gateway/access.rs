//! Who may come in, and as whom. Owns the checks before any handler: the host that was meant, the page that it came from, the token of ours or of
//! what an agent runs in, the browser's session, its scope, how often it may, and how often anybody may guess.

use std::{
    collections::{HashMap, HashSet},
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use axum::http::{HeaderMap, StatusCode, Uri, header};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::{place::Place, problem::Problem, roles};
use crate::{
    approvals::{Clerk, Holder, Id, Link, LoggedIn, Scope, Scopes, Token, hash_of},
    audit::AuditError,
    config::{LocalTokens, Team},
    identity::{Compact, Workloads, could_be},
};

/// The header that a page of ours sends back, and no other page can.
pub(super) const CSRF: &str = "x-portcullis-csrf";

/// How long a token is believed without asking the store: so long a revoked one may still be used.
const BELIEVED: Duration = Duration::from_millis(500);

/// How many wrong tokens may come from one address in a minute.
const WRONG_A_MINUTE: u32 = 10;

/// The most addresses and clients that are counted.
const COUNTED: usize = 10_000;

/// The longest token or cookie of ours that is looked at, and the longest token of somebody else.
const LONGEST: usize = 512;
const LONGEST_SIGNED: usize = 16 << 10;

/// The longest cookie of a login that was begun.
const LONGEST_BEGUN: usize = 2 << 10;

/// Who a request is from.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    pub(super) id: Id,
    pub(super) name: String,
    pub(super) scopes: Scopes,
    pub(super) holder: Holder,
    pub(super) who: Who,
    /// Whether it counts where two people must agree.
    pub(super) counts: bool,
    /// From where its decisions come, for the record.
    pub(super) origin: &'static str,
}

/// By what somebody is known.
#[derive(Clone, Debug)]
pub(super) enum Who {
    /// A token of our own.
    Token,
    /// Their company's login.
    Person(LoggedIn),
    /// A token of what it runs in, with the project that its calls belong to.
    Workload(Option<String>),
}

/// The one at the door.
pub(super) struct Door {
    clerk: Clerk,
    /// The hosts that mean us, with their ports, and the origins of our own pages.
    hosts: HashSet<String>,
    origins: HashSet<String>,
    team: Arc<Team>,
    workloads: Workloads,
    /// What the cookie of a session is called.
    cookie: String,
    rate: u32,
    known: Mutex<HashMap<String, (Instant, Option<Token>)>>,
    wrong: Mutex<HashMap<IpAddr, (Instant, u32)>>,
    used: Mutex<HashMap<Id, (Instant, f64)>>,
}

impl Door {
    pub(super) fn new(
        clerk: Clerk,
        (hosts, is_tls): (&[String], bool),
        place: &Place,
        (team, workloads): (Arc<Team>, Workloads),
        rate: u32,
    ) -> Self {
        let scheme = if is_tls { "https" } else { "http" };
        let mut origins: HashSet<String> =
            hosts.iter().map(|host| format!("{scheme}://{host}")).collect();
        origins.insert(place.origin());
        let mut hosts: HashSet<String> = hosts.iter().cloned().collect();
        hosts.insert(place.host().to_owned());
        Self {
            clerk,
            origins,
            hosts,
            team,
            workloads,
            cookie: place.cookie(),
            rate,
            known: Mutex::default(),
            wrong: Mutex::default(),
            used: Mutex::default(),
        }
    }

    /// That the request means us: a name that somebody else made lead here is not ours.
    pub(super) fn host(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Problem> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok()).map(str::to_ascii_lowercase);
        let named = uri.authority().map(|authority| authority.as_str().to_ascii_lowercase());
        let is_ours = |host: String| self.hosts.contains(&host);
        if hosts.next().is_none() && host.is_some_and(is_ours) && named.is_none_or(is_ours) {
            return Ok(());
        }
        Err(Problem::new(
            StatusCode::MISDIRECTED_REQUEST,
            "other-host",
            "the `Host` of this request is not one of this gateway's",
        ))
    }

    /// That no page of somebody else's sent it.
    pub(super) fn origin(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let refused = || {
            Problem::new(
                StatusCode::FORBIDDEN,
                "other-origin",
                "a page of another origin may not do this",
            )
        };
        for origin in headers.get_all(header::ORIGIN) {
            let origin = origin.to_str().map_err(|_| refused())?;
            if !self.origins.contains(&origin.to_ascii_lowercase()) {
                return Err(refused());
            }
        }
        let site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
        if matches!(site, Some("cross-site" | "same-site")) {
            return Err(refused());
        }
        Ok(())
    }

    /// Who it is. A token in a header goes before a cookie; two of either are none.
    pub(super) async fn caller(
        &self,
        headers: &HeaderMap,
        by_cookie_alone: bool,
        peer: SocketAddr,
    ) -> Result<Caller, Problem> {
        let bearer = bearer(headers)?;
        if let Some(token) = bearer.filter(|token| !self.workloads.is_empty() && could_be(token)) {
            return Box::pin(self.workload(token, peer)).await;
        }
        let bearer = bearer.filter(|token| token.len() <= LONGEST);
        let (text, is_cookie) = match (bearer, cookie(headers, &self.cookie)) {
            (Some(token), _) => (token, false),
            (None, Some(cookie)) => (cookie, true),
            (None, None) => return Err(unauthorized("a token is missing")),
        };
        let now = Timestamp::now();
        let token = self.token(&hash_of(text))?;
        let wanted = if is_cookie { Holder::Browser } else { Holder::Api };
        let Some(token) = token.filter(|token| token.holds(now) && token.holder == wanted) else {
            // A browser whose session ended has guessed nothing.
            if !is_cookie {
                self.refused(peer.ip(), "refused a log-in")?;
            }
            return Err(unauthorized("this token is not known, or it has ended"));
        };
        if is_cookie && !by_cookie_alone {
            let sent = headers.get(CSRF).and_then(|sent| sent.to_str().ok());
            let sent = sent.filter(|sent| sent.len() <= LONGEST).map(hash_of);
            if sent.is_none() || sent != token.proof {
                return Err(Problem::new(
                    StatusCode::FORBIDDEN,
                    "no-csrf-token",
                    "a browser's session needs the token that only our own page knows",
                ));
            }
        }
        let scopes = self.scopes(&token);
        let scopes = scopes.ok_or_else(|| unauthorized("tokens like this count here no more"))?;
        let Token { id, name, holder, made_here, login, .. } = token;
        self.may_now(id)?;
        let who = login.map_or(Who::Token, Who::Person);
        let counts = self.counts(&who, made_here);
        let origin = if holder == Holder::Browser { "web" } else { "api" };
        Ok(Caller { id, name, scopes, holder, who, counts, origin })
    }

    /// Whether somebody counts where two people must agree. Where people log in as themselves, two tokens are no two people, whoever made them.
    fn counts(&self, who: &Who, made_here: bool) -> bool {
        match &self.team.login {
            Some(_) => matches!(who, Who::Person(_)),
            None => made_here,
        }
    }

    /// Whom an account of a chat speaks for, by their tokens and log-ins, the newest first: with what they may do now, and as somebody who has proved nothing
    /// just now.
    pub(super) fn speaks(
        &self,
        link: &Link,
        tokens: Vec<Token>,
        lasts: SignedDuration,
    ) -> Result<Caller, Problem> {
        let now = Timestamp::now();
        let gone =
            || unauthorized("nobody logs in under your name any more, or it is too long ago");
        let lasts = self.team.login.is_some().then_some(lasts);
        let token = standing(tokens, lasts, now).ok_or_else(gone)?;
        let scopes = self.scopes(&token).ok_or_else(gone)?;
        self.may_now(link.id)?;
        let Token { name, made_here, login, .. } = token;
        let unproved = |login| LoggedIn { proved: None, how: None, ..login };
        let who = login.map_or(Who::Token, |login| Who::Person(unproved(login)));
        let counts = self.counts(&who, made_here);
        let holder = Holder::Browser;
        Ok(Caller { id: link.id, name, scopes, holder, who, counts, origin: "slack" })
    }

    /// What the holder of a token may do now: as it was made, or as their groups have it by now. Nothing where such tokens were ended.
    fn scopes(&self, token: &Token) -> Option<Scopes> {
        if let Some(login) = &token.login {
            self.team.login.as_ref()?;
            return roles::scopes(&self.team, &login.groups);
        }
        let still = match self.team.tokens {
            LocalTokens::All => true,
            LocalTokens::Agents => token.scopes == Scopes::agent(),
            LocalTokens::None => false,
        };
        still.then_some(token.scopes)
    }

    /// An agent by what it runs in.
    async fn workload(&self, token: &str, peer: SocketAddr) -> Result<Caller, Problem> {
        let found = self.workloads.of_token(token, &hash_of(token), Timestamp::now()).await;
        let workload = match found {
            Ok(workload) => workload,
            Err(error) if error.is_unreachable() => {
                let words = "who this is cannot be found out now: its issuer does not answer";
                let status = StatusCode::SERVICE_UNAVAILABLE;
                return Err(Problem::new(status, "issuer-away", words).retry_after(60));
            }
            Err(error) => {
                self.refused(peer.ip(), "refused a log-in")?;
                return Err(unauthorized(&error.to_string()));
            }
        };
        let id = Id::named(&workload.name);
        self.may_now(id)?;
        Ok(Caller {
            id,
            name: workload.name,
            scopes: Scopes::agent(),
            holder: Holder::Api,
            who: Who::Workload(workload.project),
            counts: false,
            origin: "api",
        })
    }

    /// How many requests one client may send in a minute.
    pub(super) fn per_minute(&self) -> u64 {
        u64::from(self.rate) * 60
    }

    /// That the token of a request that lasts still holds: whoever waited is nobody once it has ended.
    pub(super) fn still(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let text = bearer(headers)?.or_else(|| cookie(headers, &self.cookie)).unwrap_or_default();
        let ended = || unauthorized("this token has ended");
        if !self.workloads.is_empty() && could_be(text) {
            let lasts = Compact::read(text).is_ok_and(|token| token.lasts(Timestamp::now()));
            return lasts.then_some(()).ok_or_else(ended);
        }
        let token = self.token(&hash_of(text))?;
        match token.filter(|token| token.holds(Timestamp::now())) {
            Some(token) if self.scopes(&token).is_some() => Ok(()),
            _ => Err(ended()),
        }
    }

    /// The token that a person logs in with.
    pub(super) fn log_in(&self, text: &str, peer: SocketAddr) -> Result<Token, Problem> {
        let token = self.token(&hash_of(text))?;
        let usable = |token: &Token| {
            token.holds(Timestamp::now())
                && self.scopes(token).is_some()
                && token.holder == Holder::Api
                && (token.scopes.has(Scope::Approve) || token.scopes.has(Scope::Read))
        };
        let Some(token) = token.filter(usable) else {
            self.refused(peer.ip(), "refused a log-in")?;
            return Err(unauthorized("nobody logs in with this token"));
        };
        Ok(token)
    }

    /// Forgets what is known of tokens: one was just made or ended.
    pub(super) fn forget(&self) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn token(&self, hash: &str) -> Result<Option<Token>, AuditError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, token)) = known.get(hash)
            && at.elapsed() < BELIEVED
        {
            return Ok(token.clone());
        }
        // Held while the store is asked, so that a flood of one token asks once.
        let token = self.clerk.token(hash)?;
        if known.len() >= COUNTED {
            known.retain(|_, (at, _)| at.elapsed() < BELIEVED);
        }
        if token.is_some() && known.len() < COUNTED {
            known.insert(hash.to_owned(), (Instant::now(), token.clone()));
        }
        Ok(token)
    }

    /// Counts a wrong token, or a login that is none. Who sends too many is not told any more whether they are wrong; whoever has a right one is let in all the
    /// same, or any program of this machine could keep its person out.
    pub(super) fn refused(&self, peer: IpAddr, what: &str) -> Result<(), Problem> {
        let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        let minute = Duration::from_secs(60);
        if wrong.len() >= COUNTED {
            wrong.retain(|_, (since, _)| since.elapsed() < minute);
        }
        let (since, count) = wrong.entry(peer).or_insert((Instant::now(), 0));
        if since.elapsed() >= minute {
            (*since, *count) = (Instant::now(), 0);
        }
        *count = count.saturating_add(1);
        if *count == WRONG_A_MINUTE || *count == 1 {
            super::note(&self.clerk, &peer.to_string(), what, *count);
        }
        if *count <= WRONG_A_MINUTE {
            return Ok(());
        }
        let left = minute.saturating_sub(since.elapsed()).as_secs().saturating_add(1);
        let problem = Problem::new(
            StatusCode::UNAUTHORIZED,
            "too-many-wrong-tokens",
            "too many wrong tokens came from your address",
        );
        Err(problem.retry_after(u32::try_from(left).unwrap_or(60)))
    }

    fn may_now(&self, id: Id) -> Result<(), Problem> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.len() >= COUNTED {
            used.retain(|_, (since, _)| since.elapsed() < Duration::from_secs(60));
        }
        let now = Instant::now();
        let rate = f64::from(self.rate);
        let (since, left) = used.entry(id).or_insert((now, rate));
        *left = (*left + now.duration_since(*since).as_secs_f64() * rate).min(rate);
        *since = now;
        if *left < 1.0 {
            let problem = Problem::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too-many-requests",
                "more requests came with this token than one client may send",
            );
            return Err(problem.with("per_second", json!(rate)).retry_after(1));
        }
        *left -= 1.0;
        Ok(())
    }
}

/// The token, of those of one name and the newest first, by which somebody is known where they bring none: where people log in, their last login, as long as
/// that lasts; else a token that holds, and one that counts where two must agree if there is one.
fn standing(tokens: Vec<Token>, lasts: Option<SignedDuration>, now: Timestamp) -> Option<Token> {
    if let Some(lasts) = lasts {
        let last = tokens.into_iter().find(|token| token.login.is_some());
        return last.filter(|token| now.duration_since(token.created) <= lasts);
    }
    let decides = |token: &Token| {
        token.holder == Holder::Api && token.holds(now) && token.scopes.has(Scope::Approve)
    };
    let mut all: Vec<Token> = tokens.into_iter().filter(decides).collect();
    all.sort_by_key(|token| !token.made_here);
    all.into_iter().next()
}

/// That a caller may do what needs a scope.
pub(super) fn permitted(caller: &Caller, scope: Scope) -> Result<(), Problem> {
    if caller.scopes.has(scope) {
        return Ok(());
    }
    let words = format!("this needs a token with the scope `{}`", scope.name());
    Err(Problem::new(StatusCode::FORBIDDEN, "out-of-scope", words))
}

fn unauthorized(detail: &str) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", detail)
}

fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let mut all = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = all.next() else { return Ok(None) };
    let malformed = || unauthorized("`Authorization` must be `Bearer TOKEN`");
    if all.next().is_some() {
        return Err(malformed());
    }
    let text = value.to_str().map_err(|_| malformed())?;
    let (scheme, token) = text.split_once(' ').ok_or_else(malformed)?;
    let token = token.trim();
    if !scheme.eq_ignore_ascii_case("bearer") || token.is_empty() || token.len() > LONGEST_SIGNED {
        return Err(malformed());
    }
    Ok(Some(token))
}

/// A cookie of ours; none where there are two, because then somebody else put one there.
pub(super) fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let wanted = name;
    let texts = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs =
        texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut ours = pairs.filter(|(name, _)| *name == wanted).map(|(_, value)| value);
    let first = ours.next().filter(|value| value.len() <= LONGEST_BEGUN)?;
    ours.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn somebody_is_known_by_their_last_login_for_a_time_or_by_a_token_that_holds() {
        let at = |hours| Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hours);
        let token = |name: &str, created, logs_in: bool| Token {
            id: Id::named(name),
            name: "ada".to_owned(),
            holder: if logs_in { Holder::Browser } else { Holder::Api },
            scopes: Scopes::decides(),
            created: at(created),
            expires: Some(at(created + 8)),
            revoked: None,
            proof: None,
            login: logs_in.then(|| LoggedIn {
                shown: "Ada".to_owned(),
                groups: vec![name.to_owned()],
                proved: None,
                how: None,
            }),
            made_here: name.starts_with("own"),
        };
        let week = Some(SignedDuration::from_hours(168));
        let name = |tokens: &[Token], lasts, hours| {
            standing(tokens.to_vec(), lasts, at(hours)).map(|token| token.id)
        };
        // Whoever logged out, or whose session ended, is known all the same; by the groups of the last time, and no longer than that lasts.
        let out = Token { revoked: Some(at(50)), ..token("new", 48, true) };
        let people = [out, token("old", 0, true), token("api", 0, false)];
        let new = Some(Id::named("new"));
        assert_eq!((name(&people, week, 60), name(&people, week, 48 + 168)), (new, new));
        assert_eq!(name(&people, week, 48 + 169), None);
        assert_eq!(name(&people[2..], week, 1), None, "a token is no login");
        // Elsewhere by a token that holds.
        let ended = Token { revoked: Some(at(1)), ..token("own-ended", 0, false) };
        let tokens = [token("api", 1, false), token("own", 0, false), ended];
        assert_eq!(name(&tokens, None, 2), Some(Id::named("own")));
        assert_eq!(name(&tokens, None, 8), Some(Id::named("api")));
        assert_eq!(name(&tokens, None, 9), None);
        let reads = Token { scopes: Scopes::agent(), ..token("own", 0, false) };
        assert_eq!((name(&[reads], None, 1), name(&people[..2], None, 1)), (None, None));
    }

    #[test]
    fn two_cookies_are_none_and_two_tokens_are_refused() {
        assert_eq!(cookie(&headers(&[("cookie", "a=b; portcullis=x")]), "portcullis"), Some("x"));
        assert_eq!(
            cookie(&headers(&[("cookie", "portcullis=x; portcullis=y")]), "portcullis"),
            None
        );
        let two = headers(&[("cookie", "portcullis=x"), ("cookie", "portcullis=y")]);
        assert_eq!(cookie(&two, "portcullis"), None);
        assert_eq!(bearer(&headers(&[("authorization", "bearer t")])), Ok(Some("t")));
        for bad in [
            &[("authorization", "Basic x")][..],
            &[("authorization", "Bearer")],
            &[("authorization", "Bearer  ")],
            &[("authorization", "Bearer a"), ("authorization", "Bearer b")],
        ] {
            assert!(bearer(&headers(bad)).is_err(), "{bad:?}");
        }
    }
}
