//! Other gateways that ask this one, by the files that say so. Owns what of such a file lets calls go on when nobody could be asked; what is asked, the
//! gateway itself says.
//!
//! The files are YAML or JSON of Envoy, agentgateway, or whatever starts docker's gateway. They are not read as what they are: the names that count stand
//! nowhere else in them, and where one of them has a value that cannot be told, that is said.

use super::doctor::{Check, Proof};

/// What the address of ours holds that they ask.
const AUTHORIZE: &str = "/v1/authorize/";
const BEFORE: &str = "/v1/intercept/before";
const AFTER: &str = "/v1/intercept/after";

/// Names without the signs that divide their words, with the value that lets a call go on, and what that means.
const OPEN: &[(&str, &str, &str)] = &[
    (
        "failuremodeallow",
        "true",
        "calls go on when the gate cannot be asked (`failure_mode_allow`)",
    ),
    ("failuremode", "allow", "calls go on when the gate cannot be asked (`failureMode: allow`)"),
    ("failopen", "true", "calls go on when the gate cannot be asked (`failOpen`)"),
    (
        "allowpartialmessage",
        "true",
        "a part of a message is sent here in place of it, which is refused (`allow_partial_message`)",
    ),
];

/// The names that say that the message is sent here.
const BODY: &[&str] =
    &["withrequestbody", "includerequestbody", "includerequestbodyincheck", "body"];

/// What a file comes to.
#[must_use]
pub fn checks(text: &str) -> Vec<Check> {
    let text: Vec<&str> = text.lines().map(without_comment).collect();
    let names = |what: &str| text.iter().any(|line| line.contains(what));
    let pairs: Vec<(String, String)> = text.iter().flat_map(|line| pairs_of(line)).collect();
    let (authorizes, intercepts) = (names(AUTHORIZE), names(BEFORE));
    if !authorizes && !intercepts {
        let words =
            format!("it asks this gate nothing: neither `{AUTHORIZE}` nor `{BEFORE}` stands in it");
        return vec![Check::new(Proof::Failed, words)];
    }
    let mut checks = Vec::new();
    for (name, value, words) in OPEN {
        for (_, said) in pairs.iter().filter(|(own, _)| own == name) {
            if said.eq_ignore_ascii_case(value) {
                checks.push(Check::new(Proof::Failed, *words));
            } else if said.contains(['$', '{', '*', '&']) {
                let words = format!("what `{name}` comes to is not said in the file");
                checks.push(Check::new(Proof::Unproven, words));
            }
        }
    }
    let has = |all: &[&str]| pairs.iter().any(|(own, _)| all.contains(&own.as_str()));
    if authorizes && !has(BODY) {
        let words = "the message is not sent here, and without it everything is refused (`with_request_body`, `includeRequestBody`)";
        checks.push(Check::new(Proof::Failed, words));
    }
    if authorizes && has(&["cache"]) {
        let words = "answers may be kept (`cache`): where its key leaves a part of the message out, the yes to one call counts for another";
        checks.push(Check::new(Proof::Note, words));
    }
    if intercepts && !names(AFTER) {
        let words =
            format!("results are not looked through: there is no interceptor with `{AFTER}`");
        checks.push(Check::new(Proof::Note, words));
    }
    if !checks.iter().any(|check| check.proof == Proof::Failed) {
        let words = "calls are refused when the gate cannot be asked, as far as the file says";
        checks.insert(0, Check::new(Proof::Proven, words));
    }
    checks
}

/// A line without what stands behind `#`.
fn without_comment(line: &str) -> &str {
    let mut before = ' ';
    for (at, letter) in line.char_indices() {
        if letter == '#' && before.is_whitespace() {
            return line.get(..at).unwrap_or(line);
        }
        before = letter;
    }
    line
}

/// The names in a line that have a value, however it is written, each in small letters without `_` and `-`.
fn pairs_of(line: &str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(':') {
        let (before, after) = rest.split_at(at);
        let after = after.get(1..).unwrap_or_default();
        let name = before.trim_end().trim_end_matches(['"', '\'']);
        let start =
            name.rfind(|letter: char| !letter.is_ascii_alphanumeric() && !"_-".contains(letter));
        let name = start.map_or(name, |start| name.get(start + 1..).unwrap_or_default());
        let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        let value = after.trim_start().trim_start_matches(['"', '\'']);
        let end = value.find([',', '}', ']', '"', '\'', ' ']).unwrap_or(value.len());
        let value = value.get(..end).unwrap_or_default();
        if !name.is_empty() {
            pairs.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        rest = after;
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENVOY: &str = "
http_filters:
- name: envoy.filters.http.ext_authz
  typed_config:
    failure_mode_allow: false   # failure_mode_allow: true
    with_request_body: { max_request_bytes: 1048576, allow_partial_message: false }
    http_service:
      path_prefix: /v1/authorize/notes?path=
";

    fn worst(text: &str) -> Vec<Proof> {
        checks(text).iter().map(|check| check.proof).collect()
    }

    #[test]
    fn a_file_that_lets_calls_go_on_unasked_is_told() {
        assert_eq!(worst(ENVOY), [Proof::Proven]);
        for (from, to) in [
            ("failure_mode_allow: false", "failure_mode_allow: true"),
            ("failure_mode_allow: false", "\"failureModeAllow\": true,"),
            ("failure_mode_allow: false", "failureMode: allow"),
            ("allow_partial_message: false", "allow_partial_message: true"),
            ("with_request_body", "without"),
            ("/v1/authorize/", "/check/"),
        ] {
            let text = ENVOY.replace(from, to);
            assert!(worst(&text).contains(&Proof::Failed), "{text}");
            assert!(!worst(&text).contains(&Proof::Proven), "{text}");
        }
        let unsaid = ENVOY.replace("failure_mode_allow: false", "failure_mode_allow: ${OPEN}");
        assert!(worst(&unsaid).contains(&Proof::Unproven), "{unsaid}");
        let kept = format!("{ENVOY}\ncache: {{key: [request.path], ttl: 10s}}");
        assert_eq!(worst(&kept), [Proof::Proven, Proof::Note]);
        let docker = "command: --interceptor=before:http:http://x:t@gate:4180/v1/intercept/before";
        assert_eq!(worst(docker), [Proof::Proven, Proof::Note]);
        let both =
            format!("{docker} --interceptor=after:http:http://x:t@gate:4180/v1/intercept/after");
        assert_eq!(worst(&both), [Proof::Proven]);
    }
}
