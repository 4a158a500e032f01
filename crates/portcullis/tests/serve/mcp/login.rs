//! Logging in to a server elsewhere (OAuth): against a server and an authorization server of our own on the loopback, which lie where they are told to.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    os::unix::fs::PermissionsExt as _,
    process::{Child, Stdio},
    sync::{Arc, Mutex},
    thread,
};

use serde_json::{Value, json};

use super::{
    Mcp, Place, Setup,
    stateless::{post, request, text},
};

/// What the servers say otherwise than they should, and what they saw.
#[derive(Default)]
struct World {
    lie: &'static str,
    seen: Vec<Seen>,
    /// The access token that counts, and the refresh token that makes the next.
    access: String,
    refresh: String,
    given: usize,
}

#[derive(Clone, Debug)]
struct Seen {
    first: String,
    headers: BTreeMap<String, String>,
    body: String,
}

struct Servers {
    address: SocketAddr,
    world: Arc<Mutex<World>>,
}

impl Servers {
    fn that(lie: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let world = Arc::new(Mutex::new(World { lie, ..World::default() }));
        let shared = Arc::clone(&world);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (Ok(stream), world) = (stream, Arc::clone(&shared)) else { return };
                thread::spawn(move || served(stream, address, &world));
            }
        });
        Self { address, world }
    }

    fn url(&self) -> String {
        format!("http://{}/team/mcp", self.address)
    }

    fn seen(&self, path: &str) -> Vec<Seen> {
        let all = self.world.lock().unwrap().seen.clone();
        all.into_iter()
            .filter(|seen| seen.first.split(' ').nth(1).unwrap().starts_with(path))
            .collect()
    }
}

/// The pairs of a form or a query, which hold nothing here that is written otherwise but these.
fn pairs(text: &str) -> BTreeMap<String, String> {
    let plain = |it: &str| {
        let it = it.replace('+', " ").replace("%3A", ":").replace("%2F", "/");
        it.replace("%3D", "=")
    };
    let pair = |it: &str| it.split_once('=').map(|(name, value)| (plain(name), plain(value)));
    text.split('&').filter_map(pair).collect()
}

fn served(stream: TcpStream, address: SocketAddr, world: &Mutex<World>) {
    let mut input = BufReader::new(stream);
    let mut first = String::new();
    input.read_line(&mut first).unwrap();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        input.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    let length: u64 = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = String::new();
    input.by_ref().take(length).read_to_string(&mut body).unwrap();
    let path = first.split(' ').nth(1).unwrap().to_owned();
    let mut world = world.lock().unwrap();
    world.seen.push(Seen {
        first: first.trim_end().to_owned(),
        headers: headers.clone(),
        body: body.clone(),
    });
    let answer = answered(&path, address, &headers, &body, &mut world);
    // A client that has gone wants no answer.
    let _ = input.get_mut().write_all(answer.as_bytes());
}

fn http(status: &str, more: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{more}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn answered(
    path: &str,
    address: SocketAddr,
    headers: &BTreeMap<String, String>,
    body: &str,
    world: &mut World,
) -> String {
    let own = format!("http://{address}");
    let lie = world.lie;
    let ok = |value: Value| http("200 OK", "", &value.to_string());
    match path {
        "/team/mcp" => server(&own, headers, body, world),
        "/.well-known/oauth-protected-resource/team/mcp" => match lie {
            "no description" => http("404 Not Found", "", ""),
            "description elsewhere" => http("302 Found", "Location: https://x.example/\r\n", ""),
            "giant description" => {
                http("200 OK", "", &format!("{{\"x\":\"{}\"}}", "x".repeat(300 << 10)))
            }
            "broken description" => http("200 OK", "", "{\"resource\":"),
            "twice in the description" => {
                http("200 OK", "", "{\"resource\":\"a\",\"resource\":\"b\"}")
            }
            _ => ok(json!({
                "resource": if lie == "other resource" { "https://bank.example/mcp".to_owned() } else { format!("{own}/team/mcp") },
                "authorization_servers": [match lie {
                    "open issuer" => "http://issuer.example".to_owned(),
                    "issuer inside" => "https://metadata.google.internal".to_owned(),
                    _ => format!("{own}/auth"),
                }],
                "scopes_supported": ["notes:read"],
            })),
        },
        "/.well-known/oauth-authorization-server/auth" => {
            let mut document = json!({
                "issuer": format!("{own}/auth"),
                "authorization_endpoint": format!("{own}/auth/authorize"),
                "token_endpoint": format!("{own}/auth/token"),
                "registration_endpoint": format!("{own}/auth/register"),
                "revocation_endpoint": format!("{own}/auth/revoke"),
                "code_challenge_methods_supported": ["S256"],
                "authorization_response_iss_parameter_supported": true,
                "response_types_supported": ["code"],
            });
            match lie {
                "other issuer" => document["issuer"] = json!("https://bank.example"),
                "issuer with a slash" => document["issuer"] = json!(format!("{own}/auth/")),
                "no PKCE" => drop(
                    document.as_object_mut().unwrap().remove("code_challenge_methods_supported"),
                ),
                "plain PKCE" => document["code_challenge_methods_supported"] = json!(["plain"]),
                "open token place" => document["token_endpoint"] = json!("http://token.example/"),
                "page as a program" => {
                    document["authorization_endpoint"] = json!("javascript:alert(1)")
                }
                "page that says it already" => {
                    document["authorization_endpoint"] =
                        json!(format!("{own}/auth/authorize?redirect_uri=https://x.example"))
                }
                "metadata elsewhere" => {
                    return http("307 Temporary Redirect", "Location: https://x.example/\r\n", "");
                }
                _ => {}
            }
            ok(document)
        }
        "/auth/register" => match lie {
            "no client" => ok(json!({"client_id": ""})),
            _ => http("201 Created", "", &json!({"client_id": "client-1"}).to_string()),
        },
        "/auth/token" => token(body, world),
        "/auth/revoke" => http("200 OK", "", "{}"),
        _ => http("404 Not Found", "", ""),
    }
}

fn server(own: &str, headers: &BTreeMap<String, String>, body: &str, world: &World) -> String {
    let is_in = !world.access.is_empty()
        && headers.get("authorization") == Some(&format!("Bearer {}", world.access));
    if !is_in {
        let at = match world.lie {
            "description of another server" => {
                "https://x.example/.well-known/oauth-protected-resource".to_owned()
            }
            _ => format!("{own}/.well-known/oauth-protected-resource/team/mcp"),
        };
        let challenge = format!(
            "WWW-Authenticate: Bearer resource_metadata=\"{at}\", scope=\"notes:read\"\r\n"
        );
        return http("401 Unauthorized", &challenge, "");
    }
    let body: Value = serde_json::from_str(body).unwrap();
    let result = match body["method"].as_str().unwrap() {
        "server/discover" => {
            json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "serverInfo": {"name": "notes", "version": "1"}})
        }
        "tools/list" => {
            json!({"resultType": "complete", "tools": [{"name": "read_note", "description": "Reads a note.", "inputSchema": {"type": "object"}}]})
        }
        _ => json!({"resultType": "complete", "content": [{"type": "text", "text": "hello"}]}),
    };
    http("200 OK", "", &json!({"jsonrpc": "2.0", "id": body["id"], "result": result}).to_string())
}

fn token(body: &str, world: &mut World) -> String {
    let form = pairs(body);
    let refused = |code: &str| http("400 Bad Request", "", &json!({"error": code}).to_string());
    match form["grant_type"].as_str() {
        "refresh_token" if form["refresh_token"] != world.refresh => {
            return refused("invalid_grant");
        }
        _ => {}
    }
    world.given += 1;
    world.access = format!("access-{}", world.given);
    world.refresh = format!("refresh-{}", world.given);
    let mut given = json!({"access_token": world.access, "refresh_token": world.refresh, "token_type": "Bearer", "expires_in": 3600, "scope": "notes:read"});
    match world.lie {
        "token of another kind" => given["token_type"] = json!("DPoP"),
        "token with a line" => given["access_token"] = json!("a\r\nX: y"),
        "token refused" => return refused("invalid_grant"),
        "token elsewhere" => {
            return http("307 Temporary Redirect", "Location: https://x.example/\r\n", "");
        }
        _ => {}
    }
    http("200 OK", "", &given.to_string())
}

/// A login that runs, with the address of the page that it shows.
struct Login {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
    shown: String,
}

impl Login {
    fn begin(place: &Place, options: &[&str]) -> Self {
        let mut child = place
            .command(&["mcp", "login", "far"])
            .args(options)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut shown = String::new();
        while output.read_line(&mut shown).unwrap() > 0 && !shown.contains("\nhttp") {}
        Self { child, output, shown }
    }

    /// What the page would be asked.
    fn asked(&self) -> BTreeMap<String, String> {
        let page = self
            .shown
            .lines()
            .find(|line| line.starts_with("http"))
            .unwrap_or_else(|| panic!("{}", self.shown));
        pairs(page.split_once('?').unwrap().1)
    }

    /// A browser that comes back.
    fn comes_back(&self, query: &str) -> String {
        let redirect = self.asked()["redirect_uri"].clone();
        let (host, path) = redirect.strip_prefix("http://").unwrap().split_once('/').unwrap();
        browse(host, host, &format!("/{path}?{query}"))
    }

    fn ended(mut self) -> (bool, String) {
        let mut text = self.shown.clone();
        self.output.read_to_string(&mut text).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
        (self.child.wait().unwrap().success(), text)
    }
}

fn browse(address: &str, host: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn place(servers: &Servers) -> Place {
    Place::before(&Setup::default(), Some(&format!("url = \"{}\"", servers.url())))
}

fn logged_in(place: &Place, servers: &Servers) -> String {
    let login = Login::begin(place, &[]);
    let asked = login.asked();
    let issuer = format!("http://{}/auth", servers.address);
    let page = login.comes_back(&format!("code=the-code&state={}&iss={issuer}", asked["state"]));
    assert!(page.contains("200 OK") && page.contains("logged in"), "{page}");
    let (is_done, text) = login.ended();
    assert!(is_done, "{text}");
    text
}

fn called(client: &Mcp<'_>, id: i64) -> Value {
    let call = request(id, "tools/call", json!({"name": "read_note", "arguments": {"id": id}}));
    post(client, &call, &[]).json()
}

#[test]
fn a_login_is_asked_for_as_the_protocol_has_it_and_its_token_goes_to_its_server_alone() {
    let servers = Servers::that("");
    let place = place(&servers);
    let login = Login::begin(&place, &[]);
    let asked = login.asked();
    assert_eq!(asked["response_type"], "code");
    assert_eq!(asked["client_id"], "client-1");
    assert_eq!(asked["resource"], servers.url());
    assert_eq!(asked["scope"], "notes:read");
    assert_eq!(
        (asked["code_challenge_method"].as_str(), asked["code_challenge"].len()),
        ("S256", 43)
    );
    assert!(asked["state"].len() >= 43);
    assert!(asked["redirect_uri"].starts_with("http://127.0.0.1:"), "{asked:?}");
    // Who does not know the state is told so, and waited past; so is a page whose name leads here.
    assert!(login.comes_back("code=x&state=guessed").contains("400"));
    let (host, _) = asked["redirect_uri"].strip_prefix("http://").unwrap().split_once('/').unwrap();
    assert!(
        browse(host, "evil.example", &format!("/callback?code=x&state={}", asked["state"]))
            .contains("404")
    );
    let issuer = format!("http://{}/auth", servers.address);
    login.comes_back(&format!("code=the-code&state={}&iss={issuer}", asked["state"]));
    let (is_done, text) = login.ended();
    assert!(is_done, "{text}");
    let exchanged = servers.seen("/auth/token");
    let form = pairs(&exchanged[0].body);
    assert_eq!(
        (form["code"].as_str(), form["resource"].as_str()),
        ("the-code", servers.url().as_str())
    );
    assert_eq!(form["redirect_uri"], asked["redirect_uri"]);
    let digest = ring_sha256(&form["code_verifier"]);
    assert_eq!(digest, asked["code_challenge"], "the code belongs to whoever asked for it");
    // The token is used, for this server and nobody else, and none of the client's is.
    let mut client = place.client();
    client.path = "/mcp/far";
    assert_eq!(text_of(&called(&client, 1)), "hello");
    let sent: Vec<_> = servers
        .seen("/team/mcp")
        .into_iter()
        .filter_map(|seen| seen.headers.get("authorization").cloned())
        .collect();
    assert!(!sent.is_empty() && sent.iter().all(|it| it == "Bearer access-1"), "{sent:?}");
    // It stands in one file that nobody else reads, and in no record and no output.
    let file = place.state().join("mcp/far/login.json");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(fs::read_to_string(&file).unwrap().contains("access-1"));
    let records = place.gateway.client().get("/v1/records?limit=200", &place.gateway.person).body;
    let (_, listed) = place.ran(&["mcp", "list"]);
    assert!(records.contains("mcp login") && listed.contains("logged in"), "{records} {listed}");
    for text in [&records, &listed, &text] {
        assert!(
            !text.contains("access-1") && !text.contains("refresh-1") && !text.contains("the-code"),
            "{text}"
        );
    }
}

fn text_of(answer: &Value) -> &str {
    assert!(answer["result"].is_object(), "{answer}");
    text(answer)
}

fn ring_sha256(text: &str) -> String {
    use sha2::Digest as _;
    data_encoding::BASE64URL_NOPAD.encode(&sha2::Sha256::digest(text.as_bytes()))
}

#[test]
fn a_token_that_counts_no_more_is_made_anew_once_and_a_login_that_ended_is_said() {
    let servers = Servers::that("");
    let place = place(&servers);
    logged_in(&place, &servers);
    let mut client = place.client();
    client.path = "/mcp/far";
    assert_eq!(text_of(&called(&client, 1)), "hello");
    // The server takes the token no more: another is made by what was given for that, and the call is made once.
    servers.world.lock().unwrap().access = "another".to_owned();
    assert_eq!(text_of(&called(&client, 2)), "hello");
    let refreshed = servers.seen("/auth/token");
    let form = pairs(&refreshed[1].body);
    assert_eq!(
        (form["grant_type"].as_str(), form["refresh_token"].as_str()),
        ("refresh_token", "refresh-1")
    );
    assert_eq!(
        (form["resource"].as_str(), form["client_id"].as_str()),
        (servers.url().as_str(), "client-1")
    );
    let kept = fs::read_to_string(place.state().join("mcp/far/login.json")).unwrap();
    assert!(kept.contains("access-2") && kept.contains("refresh-2"), "{kept}");
    // Nothing makes another one.
    {
        let mut world = servers.world.lock().unwrap();
        world.access = "another".to_owned();
        world.refresh = "another".to_owned();
    }
    let said = called(&client, 3).to_string();
    assert!(said.contains("portcullis mcp login far"), "{said}");
    // Another address behind the same name has no login.
    let (code, text) = place.ran(&["mcp", "logout", "far"]);
    assert!(code == 0 && text.contains("Logged out"), "{text}");
    assert_eq!(servers.seen("/auth/revoke").len(), 2);
    assert!(!place.state().join("mcp/far/login.json").exists());
    let (code, text) = place.ran(&["mcp", "logout", "far"]);
    assert!(code == 0 && text.contains("Nobody was logged in"), "{text}");
    let (code, text) = place.ran(&["mcp", "login", "notes"]);
    assert!(code != 0 && text.contains("nobody logs in"), "{text}");
}

/// What a server or its authorization server lies about, and what is said of it.
const LIES: &[(&str, &str)] = &[
    ("no description", "RFC 9728"),
    ("description elsewhere", "redirect"),
    ("giant description", "longer"),
    ("broken description", "cannot be read"),
    ("twice in the description", "twice"),
    ("description of another server", "another server"),
    ("other resource", "another server"),
    ("open issuer", "not encrypted"),
    ("issuer inside", "metadata service"),
    ("other issuer", "another issuer"),
    ("issuer with a slash", "another issuer"),
    ("no PKCE", "PKCE"),
    ("plain PKCE", "PKCE"),
    ("open token place", "not encrypted"),
    ("page as a program", "is not asked"),
    ("page that says it already", "says already"),
    ("metadata elsewhere", "redirect"),
    ("no client", "client_id"),
];

#[test]
fn nobody_is_sent_to_log_in_by_servers_that_lie() {
    for (lie, why) in LIES {
        let servers = Servers::that(lie);
        let place = place(&servers);
        let (code, text) = place.ran(&["mcp", "login", "far"]);
        assert!(code != 0 && text.contains(why), "{lie}: {text}");
        assert!(!text.contains("Open this page"), "{lie}: {text}");
        assert!(!place.state().join("mcp/far/login.json").exists(), "{lie}");
    }
}

#[test]
fn what_comes_back_otherwise_than_it_should_is_no_login() {
    // What the token's place lies about, what the browser brings, and what is said of it.
    for (lie, query, why) in [
        ("", "code=c&state=STATE&iss=https://bank.example", "another authorization server"),
        ("", "code=c&state=STATE", "does not say of whom"),
        ("", "error=access_denied&state=STATE&iss=ISSUER", "access_denied"),
        ("", "state=STATE&iss=ISSUER", "with a code"),
        ("token of another kind", "code=c&state=STATE&iss=ISSUER", "of a kind"),
        ("token with a line", "code=c&state=STATE&iss=ISSUER", "access_token"),
        ("token refused", "code=c&state=STATE&iss=ISSUER", "invalid_grant"),
        ("token elsewhere", "code=c&state=STATE&iss=ISSUER", "redirect"),
    ] {
        let servers = Servers::that(lie);
        let place = place(&servers);
        let login = Login::begin(&place, &[]);
        let issuer = format!("http://{}/auth", servers.address);
        let query = query.replace("STATE", &login.asked()["state"]).replace("ISSUER", &issuer);
        login.comes_back(&query);
        let (is_done, text) = login.ended();
        assert!(!is_done && text.contains(why), "{lie} {query}: {text}");
        assert!(!place.state().join("mcp/far/login.json").exists(), "{lie}");
        assert_eq!(servers.seen("/auth/token").len(), usize::from(!lie.is_empty()), "{query}");
    }
    // Who only guesses is waited past, and in the end there was nobody.
    let servers = Servers::that("");
    let place = place(&servers);
    let login = Login::begin(&place, &["--patience", "1"]);
    login.comes_back("code=c&state=guessed");
    let (is_done, text) = login.ended();
    assert!(!is_done && text.contains("another login"), "{text}");
    assert!(servers.seen("/auth/token").is_empty());
}
