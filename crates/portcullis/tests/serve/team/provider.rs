//! A company's login of the tests' own: on the loopback, plain or encrypted, and lying where it is told to.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener},
    sync::{Arc, Mutex},
    thread,
};

use data_encoding::BASE64URL_NOPAD;
use jiff::Timestamp;
use ring::digest::{SHA256, SHA512, digest};
use serde_json::{Value, json};

use super::signer::Signer;

pub(super) const CLIENT: &str = "portcullis";
pub(super) const SECRET: &str = "only-for-tests-4711";

/// Somebody who has an account there.
#[derive(Clone, Debug)]
pub(super) struct Account {
    pub(super) subject: &'static str,
    pub(super) shown: &'static str,
    pub(super) groups: Vec<&'static str>,
    /// How many seconds ago they proved who they are.
    pub(super) proved: i64,
}

#[derive(Default)]
struct World {
    lie: &'static str,
    /// Who is at the page, for a browser that asks by itself.
    at_the_page: Option<Account>,
    /// What was asked for a code: the parameters of the page, and who came.
    codes: BTreeMap<String, (BTreeMap<String, String>, Account)>,
    asked: Vec<String>,
}

pub(super) struct Provider {
    pub(super) address: SocketAddr,
    world: Arc<Mutex<World>>,
    pub(super) signer: Arc<Signer>,
}

impl Provider {
    pub(super) fn start() -> Self {
        Self::that("")
    }

    pub(super) fn that(lie: &'static str) -> Self {
        Self::signing(Signer::ec(), lie)
    }

    pub(super) fn signing(signer: Signer, lie: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let world = Arc::new(Mutex::new(World { lie, ..World::default() }));
        let signer = Arc::new(signer);
        let (shared, key) = (Arc::clone(&world), Arc::clone(&signer));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let (world, key) = (Arc::clone(&shared), Arc::clone(&key));
                thread::spawn(move || {
                    let Some((path, headers, body)) = asked(&mut stream) else { return };
                    let answer = answered(&path, &headers, &body, address, &world, &key);
                    // Who has gone wants no answer.
                    let _ = stream.write_all(answer.as_bytes());
                });
            }
        });
        Self { address, world, signer }
    }

    pub(super) fn issuer(&self) -> String {
        format!("http://{}/realms/acme", self.address)
    }

    pub(super) fn lies(&self, lie: &'static str) {
        self.world.lock().unwrap().lie = lie;
    }

    /// Who logs in next where a browser opens the page by itself.
    pub(super) fn at_the_page(&self, account: &Account) {
        self.world.lock().unwrap().at_the_page = Some(account.clone());
    }

    pub(super) fn asked(&self, path: &str) -> usize {
        let asked = &self.world.lock().unwrap().asked;
        asked.iter().filter(|one| one.starts_with(path)).count()
    }

    /// What the page does once somebody has logged in there: it sends them back with a code. `page` is the address that a browser was sent to.
    pub(super) fn log_in(&self, page: &str, account: &Account) -> String {
        let mut world = self.world.lock().unwrap();
        sent_back(&mut world, page.split_once('?').unwrap().1, account, &self.issuer())
    }
}

fn sent_back(world: &mut World, query: &str, account: &Account, issuer: &str) -> String {
    let asked = pairs(query);
    let code = format!("code-{}", world.codes.len());
    let (redirect, state) = (asked["redirect_uri"].clone(), asked["state"].clone());
    let mut account = account.clone();
    // Whoever is asked to, proves it anew.
    if asked.contains_key("max_age") && world.lie != "never anew" {
        account.proved = 0;
    }
    world.codes.insert(code.clone(), (asked, account));
    let state = if world.lie == "another state" { "x".to_owned() } else { state };
    let of = match world.lie {
        "another issuer comes back" => "https://evil.example".to_owned(),
        _ => issuer.to_owned(),
    };
    let of = of.replace(':', "%3A").replace('/', "%2F");
    match world.lie {
        "no issuer comes back" => format!("{redirect}?code={code}&state={state}"),
        "refused there" => format!("{redirect}?error=access_denied&state={state}&iss={of}"),
        "no code" => format!("{redirect}?state={state}&iss={of}"),
        _ => format!("{redirect}?code={code}&state={state}&iss={of}"),
    }
}

fn asked(stream: &mut std::net::TcpStream) -> Option<(String, BTreeMap<String, String>, String)> {
    let mut input = BufReader::new(stream);
    let mut first = String::new();
    input.read_line(&mut first).ok()?;
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        input.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = String::new();
    input.take(length).read_to_string(&mut body).ok()?;
    Some((first.split(' ').nth(1)?.to_owned(), headers, body))
}

fn http(status: &str, more: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{more}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// The pairs of a form or a query.
fn pairs(text: &str) -> BTreeMap<String, String> {
    let plain = |it: &str| {
        let mut plain = Vec::new();
        let mut bytes = it.bytes();
        while let Some(byte) = bytes.next() {
            plain.push(match byte {
                b'+' => b' ',
                b'%' => {
                    let pair = [bytes.next().unwrap(), bytes.next().unwrap()];
                    u8::from_str_radix(std::str::from_utf8(&pair).unwrap(), 16).unwrap()
                }
                byte => byte,
            });
        }
        String::from_utf8(plain).unwrap()
    };
    let pair = |it: &str| it.split_once('=').map(|(name, value)| (plain(name), plain(value)));
    text.split('&').filter_map(pair).collect()
}

fn answered(
    path: &str,
    headers: &BTreeMap<String, String>,
    body: &str,
    address: SocketAddr,
    world: &Mutex<World>,
    signer: &Signer,
) -> String {
    let own = format!("http://{address}");
    let issuer = format!("{own}/realms/acme");
    let mut world = world.lock().unwrap();
    world.asked.push(path.to_owned());
    let lie = world.lie;
    let elsewhere = || http("302 Found", "Location: https://evil.example/\r\n", "");
    let giant = || http("200 OK", "", &format!("{{\"x\":\"{}\"}}", "x".repeat(300 << 10)));
    let ok = |value: &Value| http("200 OK", "", &value.to_string());
    let (route, query) = path.split_once('?').unwrap_or((path, ""));
    match route {
        "/realms/acme/.well-known/openid-configuration" => {
            let mut document = json!({
                "issuer": issuer,
                "authorization_endpoint": format!("{issuer}/authorize"),
                "token_endpoint": format!("{issuer}/token"),
                "end_session_endpoint": format!("{issuer}/logout"),
                "jwks_uri": format!("{issuer}/keys"),
                "response_types_supported": ["code"],
                "authorization_response_iss_parameter_supported": true,
            });
            match lie {
                "a redirecting description" => return elsewhere(),
                "a giant description" => return giant(),
                "a broken description" => return http("200 OK", "", "{\"issuer\":"),
                "a description twice over" => {
                    return http("200 OK", "", "{\"issuer\":\"a\",\"issuer\":\"b\"}");
                }
                "no description" => return http("404 Not Found", "", ""),
                "a description that fails" => return http("500 No", "", "{}"),
                "another issuer's description" => {
                    document["issuer"] = json!("https://evil.example")
                }
                "the issuer with a slash" => document["issuer"] = json!(format!("{issuer}/")),
                "no keys named" => drop(document.as_object_mut().unwrap().remove("jwks_uri")),
                "keys elsewhere, open" => document["jwks_uri"] = json!("http://keys.example/"),
                "tokens elsewhere, open" => {
                    document["token_endpoint"] = json!("http://evil.example/")
                }
                "a page that is a program" => {
                    document["authorization_endpoint"] = json!("javascript:alert(1)");
                }
                "a page that says it already" => {
                    document["authorization_endpoint"] =
                        json!(format!("{issuer}/authorize?redirect_uri=https://evil.example"));
                }
                "tokens without codes" => {
                    document["response_types_supported"] = json!(["id_token"])
                }
                _ => {}
            }
            ok(&document)
        }
        "/realms/acme/keys" => match lie {
            "a redirecting list of keys" => elsewhere(),
            "a giant list of keys" => giant(),
            "too many keys" => {
                let keys: Vec<Value> = (0..70).map(|at| signer.jwk(&format!("k{at}"))).collect();
                ok(&json!({ "keys": keys }))
            }
            "keys that are none" => ok(&json!({ "keys": "all" })),
            "no list of keys" => http("404 Not Found", "", ""),
            "somebody else's keys" => ok(&json!({ "keys": [Signer::ec().jwk("k1")] })),
            _ => ok(&json!({ "keys": [signer.jwk("k1")] })),
        },
        "/realms/acme/authorize" => {
            let account = world.at_the_page.clone().unwrap();
            let there = sent_back(&mut world, query, &account, &issuer);
            http("302 Found", &format!("Location: {there}\r\n"), "")
        }
        // A page, however empty: a browser shows one of its own in place of an answer without any.
        "/realms/acme/logout" => ok(&json!({ "out": true })),
        "/realms/acme/token" => match lie {
            "a redirecting place for tokens" => elsewhere(),
            "a giant token" => giant(),
            _ => token(&pairs(body), headers, &issuer, &mut world, signer),
        },
        _ => http("404 Not Found", "", ""),
    }
}

fn token(
    form: &BTreeMap<String, String>,
    headers: &BTreeMap<String, String>,
    issuer: &str,
    world: &mut World,
    signer: &Signer,
) -> String {
    let refused = |code: &str| http("400 Bad Request", "", &json!({ "error": code }).to_string());
    let basic = data_encoding::BASE64.encode(format!("{CLIENT}:{SECRET}").as_bytes());
    if headers.get("authorization") != Some(&format!("Basic {basic}")) {
        return refused("invalid_client");
    }
    // Once.
    let Some((asked, account)) = world.codes.remove(&form["code"]) else {
        return refused("invalid_grant");
    };
    let challenge =
        BASE64URL_NOPAD.encode(digest(&SHA256, form["code_verifier"].as_bytes()).as_ref());
    if asked["code_challenge"] != challenge || asked["redirect_uri"] != form["redirect_uri"] {
        return refused("invalid_grant");
    }
    let now = Timestamp::now().as_second();
    let access = "access-1";
    let hash = if signer.algorithm() == "EdDSA" { &SHA512 } else { &SHA256 };
    let hash = digest(hash, access.as_bytes());
    let half = BASE64URL_NOPAD.encode(&hash.as_ref()[..hash.as_ref().len() / 2]);
    let mut claims = json!({
        "iss": issuer, "aud": CLIENT, "sub": account.subject, "nonce": asked["nonce"], "at_hash": half,
        "iat": now, "exp": now + 300, "auth_time": now - account.proved, "acr": "gold",
        "name": account.shown, "groups": account.groups, "email": "root@acme.example", "email_verified": true,
    });
    match world.lie {
        "another nonce" => claims["nonce"] = json!("n"),
        "another audience" => claims["aud"] = json!("other"),
        "another issuer in the token" => claims["iss"] = json!("https://evil.example"),
        "over" => claims["exp"] = json!(now - 100),
        "another access token" => claims["at_hash"] = json!("77QmUPtjPfzWtF2AnpK9RQ"),
        "nobody" => drop(claims.as_object_mut().unwrap().remove("sub")),
        _ => {}
    }
    let token = match world.lie {
        "an unsigned token" => {
            format!("{}.", super::signer::unsigned(r#"{"alg":"none"}"#, &claims.to_string()))
        }
        "somebody else's signature" => Signer::ec().plain("k1", &claims),
        "an unknown key" => signer.plain("k2", &claims),
        "no token" => {
            let only = json!({ "access_token": access, "token_type": "Bearer" });
            return http("200 OK", "", &only.to_string());
        }
        _ => signer.plain("k1", &claims),
    };
    let given = json!({ "access_token": access, "token_type": "Bearer", "id_token": token });
    http("200 OK", "", &given.to_string())
}
