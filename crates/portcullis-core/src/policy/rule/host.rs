//! Hosts in rules. Owns which patterns are narrow enough to be a rule.

use super::RuleProblem;

/// One host, or the hosts below a domain.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum HostPattern {
    Exact(String),
    /// With its leading dot: `.example.com`.
    Below(String),
}

impl HostPattern {
    pub(super) fn new(text: &str) -> Result<Self, RuleProblem> {
        let host = text.trim().trim_end_matches('.').to_ascii_lowercase();
        if host.is_empty() {
            return Err(RuleProblem::BadHost);
        }
        if let Some(domain) = host.strip_prefix("*.") {
            let labels: Vec<_> = domain.split('.').collect();
            if labels.len() < 2 || domain.contains('*') {
                return Err(RuleProblem::WideHost);
            }
            // `*.0.0.1` is no domain: addresses have no hosts below them.
            if labels.last().is_some_and(|label| label.bytes().all(|byte| byte.is_ascii_digit())) {
                return Err(RuleProblem::BadHost);
            }
            check(domain)?;
            return Ok(Self::Below(format!(".{domain}")));
        }
        if host.contains('*') {
            return Err(RuleProblem::WideHost);
        }
        check(&host)?;
        Ok(Self::Exact(host))
    }

    pub(super) fn matches(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        match self {
            Self::Exact(exact) => *exact == host,
            Self::Below(domain) => host.len() > domain.len() && host.ends_with(domain.as_str()),
        }
    }
}

fn check(host: &str) -> Result<(), RuleProblem> {
    let address = host.starts_with('[') && host.ends_with(']');
    let plain = host.split('.').all(|label| {
        !label.is_empty()
            && label.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_'))
    });
    if address || plain { Ok(()) } else { Err(RuleProblem::BadHost) }
}

/// The host of a URL that says plainly where it leads: `http` or `https`, no user, nothing that two readers could read
/// in two ways.
pub(super) fn plain_host(url: &str) -> Option<String> {
    let odd = |letter: char| letter.is_whitespace() || letter.is_control() || letter == '\\';
    if url.contains(odd) {
        return None;
    }
    let (scheme, rest) = url.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    let authority = rest.split(['/', '?', '#']).next()?;
    if authority.contains('@') || authority.contains('%') || !authority.is_ascii() {
        return None;
    }
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        Some(_) if !authority.ends_with(']') => return None,
        _ => authority,
    };
    (!host.is_empty()).then(|| host.trim_end_matches('.').to_ascii_lowercase())
}

/// Every host that somebody could read in a URL, for rules that deny.
pub(super) fn possible_hosts(url: &str) -> Vec<String> {
    let url: String =
        url.chars().filter(|letter| !letter.is_control() && !letter.is_whitespace()).collect();
    let rest = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
    let rest = rest.trim_start_matches(['/', '\\']);
    rest.split(['/', '?', '#', '\\', '@'])
        .take(4)
        .map(|part| {
            let host = part.rsplit_once(':').map_or(part, |(host, _)| host);
            host.trim_end_matches('.').to_ascii_lowercase()
        })
        .filter(|host| !host.is_empty())
        .collect()
}
