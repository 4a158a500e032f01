//! People who log in at their company's login, agents by what they run in, and who of them decides what: against a login of the tests' own.

mod browser;
mod carried;
mod chat;
mod decide;
mod lies;
mod provider;
#[cfg(unix)]
mod servers;
#[path = "../../identity/signer.rs"]
mod signer;

use std::path::Path;

use serde_json::{Value, json};

use self::provider::{Account, Provider, SECRET};
use crate::client::{Answer, Gateway};

/// A gateway that a company's login stands before, behind a proxy that leaves its path on.
struct House {
    gateway: Gateway,
    provider: Provider,
    base: &'static str,
    _state: tempfile::TempDir,
}

const ROLES: &str = r#"
[[team.roles]]
group = "leads"
may = ["approve", "read"]
projects = ["pay"]
up_to = "high"

[[team.roles]]
group = "security"
may = ["approve", "read", "admin"]

[[team.roles]]
group = "on-call"
may = ["approve"]
after = 100000

[[team.projects]]
name = "pay"
agents = ["agents"]
"#;

fn house(more: &str) -> House {
    with(Provider::start(), more, &[])
}

fn with(provider: Provider, more: &str, options: &[&str]) -> House {
    let state = tempfile::tempdir().unwrap();
    let secret = state.path().join("client-secret");
    std::fs::write(&secret, SECRET).unwrap();
    let config = format!(
        "[team.login]\nissuer = \"{}\"\nclient_id = \"portcullis\"\nclient_secret = \"{}\"\n{more}{ROLES}",
        provider.issuer(),
        secret.display()
    );
    let gateway = configured(state.path(), &config, options);
    House { gateway, provider, base: "/gate", _state: state }
}

fn configured(state: &Path, config: &str, options: &[&str]) -> Gateway {
    let file = state.join("team.toml");
    std::fs::write(&file, config).unwrap();
    let file = file.to_str().unwrap().to_owned();
    let mut all = vec!["--config", &file];
    if !options.contains(&"--public-url") {
        all.extend(["--public-url", "https://tools.example/gate/"]);
    }
    all.extend(options);
    Gateway::with(state, &all)
}

const PROXIED: [(&str, &str); 1] = [("host", "tools.example")];

/// What a browser of somebody keeps.
#[derive(Clone, Debug)]
struct Session {
    cookie: String,
    csrf: String,
}

impl House {
    fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        let all = [&PROXIED[..], headers].concat();
        self.gateway.client().send("GET", path, "", &all, "").unwrap()
    }

    /// Sends somebody to the page, and gives where that is and what their browser keeps.
    fn begun(&self, query: &str) -> (String, String) {
        let sent = self.get(&format!("{}/login{query}", self.base), &[]);
        assert_eq!(sent.status, 303, "{}", sent.body);
        (location(&sent), cookie(&sent, "__host-portcullis-login"))
    }

    /// Comes back from the page with what it says.
    fn back(&self, there: &str, kept: &str) -> Answer {
        let path = there.strip_prefix("https://tools.example").unwrap();
        // As a browser says it that comes from another page.
        let headers = [
            ("cookie", kept),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "document"),
        ];
        self.get(path, &headers)
    }

    fn tried(&self, account: &Account, query: &str) -> Answer {
        let (page, kept) = self.begun(query);
        let there = self.provider.log_in(&page, account);
        self.back(&there, &kept)
    }

    fn enters(&self, account: &Account) -> Session {
        self.enters_by(account, "")
    }

    fn enters_by(&self, account: &Account, query: &str) -> Session {
        let back = self.tried(account, query);
        assert_eq!(back.status, 200, "{}", back.body);
        session(&back)
    }

    fn as_person(&self, session: &Session, method: &str, path: &str, body: &Value) -> Answer {
        let headers = [
            PROXIED[0],
            ("cookie", session.cookie.as_str()),
            ("x-portcullis-csrf", session.csrf.as_str()),
            ("origin", "https://tools.example"),
        ];
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let path = format!("{}{path}", self.base);
        self.gateway.client().send(method, &path, "", &headers, &body).unwrap()
    }

    /// Has an agent ask, and gives the request.
    fn asked(&self, command: &str) -> Value {
        let judged = self.gateway.client().judge(&self.gateway.agents, command).json();
        assert_eq!(judged["decision"], "ask", "{judged}");
        judged["approval"].clone()
    }

    fn says(&self, session: &Session, request: &Value, word: &str) -> Answer {
        let path = format!("/v1/approvals/{}/decision", request["id"].as_str().unwrap());
        let body = json!({ "decision": word, "action": request["action"] });
        self.as_person(session, "POST", &path, &body)
    }
}

fn session(back: &Answer) -> Session {
    let csrf = back.body.split("name=\"portcullis-csrf\" content=\"").nth(1).unwrap();
    Session {
        cookie: cookie(back, "__host-portcullis="),
        csrf: csrf.split('"').next().unwrap().to_owned(),
    }
}

/// The value of a header as it came. Names of headers are in small letters; where it matters, values are not.
fn header(answer: &Answer, name: &str) -> String {
    let mut lines = answer.raw.lines();
    let is_it = |line: &&str| line.to_ascii_lowercase().starts_with(name);
    lines.find(is_it).and_then(|line| line.split_once(':')).unwrap().1.trim().to_owned()
}

fn location(answer: &Answer) -> String {
    header(answer, "location:")
}

/// A cookie that was set, as it is sent back.
fn cookie(answer: &Answer, name: &str) -> String {
    let line = answer.raw.lines().find(|line| {
        let line = line.to_ascii_lowercase();
        line.starts_with("set-cookie:") && line.contains(name) && !line.contains("max-age=0")
    });
    let line = line.unwrap_or_else(|| panic!("{answer:?}"));
    line.split_once(':').unwrap().1.trim().split(';').next().unwrap().to_owned()
}

fn account(subject: &'static str, groups: &[&'static str]) -> Account {
    Account { subject, shown: "Ada Lovelace", groups: groups.to_vec(), proved: 3_600 }
}
