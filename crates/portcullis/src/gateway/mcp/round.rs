//! Addresses of servers that lead back to the gateway that is to stand in front of them. Owns the header by which gateways of ours tell each other who
//! a request has passed: a gateway that finds itself in it refuses, before anything is started for it.

use axum::http::{HeaderMap, StatusCode};

use super::super::problem::Problem;
use crate::platform;

/// The header: the gateways that a request has passed, the first of them first.
const PASSED: &str = crate::mcp::remote::PASSED;

/// How many gateways may stand one behind the other.
const MOST: usize = 8;

/// The longest name of a gateway in it.
const LONGEST: usize = 64;

/// What one gateway is known by to others, for as long as it runs.
#[derive(Debug)]
pub(super) struct Own(String);

impl Own {
    pub(super) fn new() -> Self {
        // Where the system gives no random numbers, it is told apart from others by when it was started.
        let bytes = platform::random::<16>().unwrap_or_else(|_| {
            let now = jiff::Timestamp::now().as_nanosecond();
            (now ^ i128::from(std::process::id())).to_be_bytes()
        });
        Self(data_encoding::HEXLOWER.encode(&bytes))
    }

    /// Refuses what has been here before.
    pub(super) fn check(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let refused = |words: &str| {
            Err(Problem::new(StatusCode::LOOP_DETECTED, "leads-back", words.to_owned()))
        };
        let Some(passed) = passed(headers) else {
            return refused("the gateways that this request has passed cannot be read");
        };
        if passed.contains(&self.0.as_str()) {
            return refused("the address of this server leads back to this gateway");
        }
        if passed.len() >= MOST {
            return refused(
                "this request has passed as many gateways as may stand one behind the other",
            );
        }
        Ok(())
    }

    /// What is said to a server of a request that came with these headers.
    pub(super) fn onward(&self, headers: &HeaderMap) -> String {
        let mut all = passed(headers).unwrap_or_default();
        all.push(&self.0);
        all.join(",")
    }
}

/// Nothing where the header is none of ours.
fn passed(headers: &HeaderMap) -> Option<Vec<&str>> {
    let mut all = Vec::new();
    for value in headers.get_all(PASSED) {
        for name in value.to_str().ok()?.split(',').map(str::trim) {
            let is_name = !name.is_empty()
                && name.len() <= LONGEST
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
            if !is_name || all.len() > MOST {
                return None;
            }
            all.push(name);
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(PASSED, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn what_has_been_here_is_refused_however_far_it_went_meanwhile() {
        let (own, other) = (Own::new(), Own::new());
        assert_ne!(own.0, other.0);
        assert!(own.check(&headers(&[])).is_ok());
        let first = own.onward(&headers(&[]));
        assert!(own.check(&headers(&[&first])).is_err());
        assert!(other.check(&headers(&[&first])).is_ok());
        let second = other.onward(&headers(&[&first]));
        assert!(own.check(&headers(&[&second])).is_err());
        assert!(own.check(&headers(&["a, b", &second])).is_err());
        let many = ["a"; MOST];
        assert!(own.check(&headers(&many[..MOST - 1])).is_ok());
        assert!(own.check(&headers(&many)).is_err());
        assert!(own.check(&headers(&["a;b"])).is_err());
        assert!(own.check(&headers(&[""])).is_err());
    }
}
