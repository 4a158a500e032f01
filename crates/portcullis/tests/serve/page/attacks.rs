//! What others try with the page: through what they have judged, from pages of their own, and with what they stole.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{SocketAddr, TcpListener},
};

use serde_json::{Value, json};

use super::{RISKY, agent, approve, browser::Browser, logged_in, only, told};
use crate::client::Gateway;

const MARKUP: &str = r#"<img src=x onerror="window.hit=1"><svg onload="window.hit=1"></svg><b>bold</b><script>window.hit=1</script>"#;
const HIDDEN: &str = "\u{202e}txt\u{2066}\u{200b}\u{1b}[2J\u{7}\u{9b}31m\u{e0041}";

#[test]
fn what_an_agent_or_a_person_writes_is_text_and_nothing_in_it_is_hidden() {
    let state = tempfile::tempdir().unwrap();
    let Some((gateway, mut browser)) = logged_in(state.path(), &[]) else { return };
    let hostile = format!("{MARKUP}{HIDDEN}");
    let body = json!({
        "tool": "bash", "arguments": { "command": format!("rm -rf /srv/data # {hostile}") },
        "agent": hostile, "session": hostile, "cwd": format!("/srv/{hostile}"), "summary": hostile,
    });
    let asked = gateway.client().post("/v1/judge", &gateway.agents, &body);
    assert_eq!(asked.status, 200, "{}", asked.body);
    let record = asked.json()["approval"]["record"].to_string();
    browser.until("document.querySelector('article')");
    is_inert(&mut browser, "inbox", true);
    let id = asked.json()["approval"]["id"].as_str().unwrap().to_owned();
    let word = json!({ "decision": "deny", "reason": hostile });
    let path = format!("/v1/approvals/{id}/decision");
    assert_eq!(gateway.client().post(&path, &gateway.person, &word).status, 200);
    browser.until("document.querySelector('.decided li')");
    is_inert(&mut browser, "decided", true);
    let session = browser.value(&format!("encodeURIComponent({})", json!(hostile)));
    for (view, shows) in [
        ("history", "table tbody tr".to_owned()),
        (&format!("record/{record}"), ".proof, .related".to_owned()),
        ("sessions", "table tbody tr".to_owned()),
        (&format!("session/{}", session.as_str().unwrap()), "h1, .timeline".to_owned()),
        ("dashboard", ".chart".to_owned()),
    ] {
        browser.value(&format!("location.hash = {}", json!(format!("#/{view}"))));
        browser.until(&format!("document.querySelector({})", json!(shows)));
        is_inert(&mut browser, view, view != "dashboard");
    }
    let made = "try { document.body.innerHTML = '<i></i>'; 'made' } catch (error) { error.name }";
    assert_eq!(browser.value(made), "TypeError", "no text becomes markup, even by mistake");
    let run = "{ const s = document.createElement('script'); try { s.text = 'window.hit = 1'; document.body.append(s); } catch {} window.hit ?? 0 }";
    assert_eq!(browser.value(run), 0);
}

fn is_inert(browser: &mut Browser, view: &str, shows: bool) {
    let found = browser.value(
        r"({
            hit: window.hit ?? 0,
            markup: document.querySelectorAll('body img, body b, body script, svg[onload], [onerror]').length,
            hidden: [...document.body.innerText].filter((c) => /[\p{Cf}\p{Cc}\p{Zl}\p{Zp}]/u.test(c) && !/[\n\t]/.test(c)).length
                + [...document.querySelectorAll('*')].flatMap((e) => [...e.attributes]).filter((a) => /[\p{Cf}\p{Zl}]|\u001b|\u009b/u.test(a.value)).length,
            text: document.body.innerText,
        })",
    );
    assert_eq!(found["hit"], 0, "{view}");
    assert_eq!(found["markup"], 0, "{view}");
    assert_eq!(found["hidden"], 0, "{view}");
    let text = found["text"].as_str().unwrap();
    if shows {
        assert!(text.contains("<img src=x") && text.contains("\\u{202e}"), "{view}: {text}");
    }
}

#[test]
fn no_other_page_decides_frames_or_reads() {
    let state = tempfile::tempdir().unwrap();
    let Some((gateway, mut browser)) = logged_in(state.path(), &[]) else { return };
    let waiting = agent(&gateway, RISKY);
    browser.until("document.querySelector('article')");
    let base = format!("http://{}", gateway.address);
    let decision =
        format!("{base}/v1/approvals/{}/decision", only(&gateway)["id"].as_str().unwrap());
    let other = foreign();
    // Another port is the same site to a cookie; another name is not even that.
    for host in ["127.0.0.1", "localhost"] {
        browser.go(&format!("http://{host}:{}/", other.port()));
        let tried = browser.value(&format!(
            "(async () => {{
                const send = (url, options) => fetch(url, {{ credentials: 'include', ...options }}).then((r) => r.type + r.status, () => 'refused');
                const body = JSON.stringify({{ decision: 'approve' }});
                return {{
                    posted: await send('{decision}', {{ method: 'POST', mode: 'no-cors', headers: {{ 'content-type': 'text/plain' }}, body }}),
                    asked: await send('{decision}', {{ method: 'POST', headers: {{ 'content-type': 'application/json', 'x-portcullis-csrf': 'x' }}, body }}),
                    read: await send('{base}/v1/approvals'),
                    module: await import('{base}/app.js').then(() => 'loaded', () => 'refused'),
                    control: await send(location.href),
                }};
            }})()"
        ));
        assert_eq!(tried["asked"], "refused", "{tried}");
        assert_eq!(tried["read"], "refused", "{tried}");
        assert_eq!(tried["module"], "refused", "{tried}");
        assert_eq!(tried["control"], "basic200", "{tried}");
        assert_eq!(only(&gateway)["status"], "pending", "{tried}");
        browser.value(&format!(
            "new Promise((resolve) => {{
                const form = document.createElement('form');
                form.method = 'post'; form.enctype = 'text/plain'; form.action = '{decision}'; form.target = 'inner';
                const field = document.createElement('input');
                field.name = '{{\"decision\":\"approve\",\"reason\":\"'; field.value = '\"}}';
                const frame = document.createElement('iframe');
                frame.name = 'inner'; frame.onload = () => resolve(0);
                form.append(field); document.body.append(form, frame); form.submit();
                setTimeout(() => resolve(0), 3000);
            }})"
        ));
        assert_eq!(only(&gateway)["status"], "pending");
        assert_eq!(framed(&mut browser, &base), "chrome-error://chromewebdata/");
        let own = format!("http://{host}:{}/own", other.port());
        assert_eq!(framed(&mut browser, &own), own, "what may be framed, is");
    }
    browser.go(&format!("{base}/"));
    approve(&mut browser);
    assert_eq!(waiting.join().unwrap().json()["decision"], "allow", "its own page decides");
}

/// Where a frame ends up that was to show this address.
fn framed(browser: &mut Browser, address: &str) -> Value {
    browser.value(&format!(
        "new Promise((resolve) => {{
            const frame = document.createElement('iframe');
            frame.onload = () => resolve(0); setTimeout(() => resolve(0), 5000);
            document.querySelectorAll('iframe').forEach((one) => one.remove());
            frame.src = '{address}'; document.body.append(frame);
        }})"
    ));
    let tree = browser.ask("Page.getFrameTree", &json!({}));
    let inner = &tree["frameTree"]["childFrames"][0]["frame"]["url"];
    if inner.is_null() { browser.value_in_frame("location.href") } else { inner.clone() }
}

/// Somebody else's server, which serves an empty page for everything.
fn foreign() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(stream) = stream else { return };
            std::thread::spawn(move || {
                let mut reader = BufReader::new(stream);
                let mut line = String::new();
                while reader.read_line(&mut line).is_ok_and(|length| length > 2) {
                    line.clear();
                }
                let page = "<!doctype html><title>other</title><body>";
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n";
                let answer = format!("{head}Content-Length: {}\r\n\r\n{page}", page.len());
                // A browser that went away wants nothing.
                let _ = reader.get_mut().write_all(answer.as_bytes());
            });
        }
    });
    address
}

#[test]
fn an_agents_token_neither_logs_in_nor_approves() {
    let state = tempfile::tempdir().unwrap();
    let Some(mut browser) = Browser::start() else { return };
    let gateway = Gateway::start(state.path());
    let asked = gateway.client().judge(&gateway.agents, RISKY).json();
    browser.go(&format!("http://{}/", gateway.address));
    browser.until("document.activeElement.type === 'password'");
    browser.types(&gateway.agents);
    browser.press("Enter");
    browser.until(
        "document.querySelector('.warning').innerText.includes('nobody logs in with this token')",
    );
    assert_eq!(browser.value("document.getElementById('top').hidden"), true);
    assert_eq!(browser.value("document.cookie"), "");
    let path = format!("/v1/approvals/{}/decision", asked["approval"]["id"].as_str().unwrap());
    let tried = gateway.client().post(&path, &gateway.agents, &json!({ "decision": "approve" }));
    assert_eq!((tried.status, tried.code().as_str()), (403, "out-of-scope"));
    assert_eq!(only(&gateway)["status"], "pending");
}

#[test]
fn a_cookie_alone_decides_nothing_and_another_host_is_refused() {
    let state = tempfile::tempdir().unwrap();
    let gateway = Gateway::start(state.path());
    let asked = gateway.client().judge(&gateway.agents, RISKY).json();
    let login = gateway.client().post("/v1/login", "", &json!({ "token": gateway.person }));
    let set = login.headers.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    assert!(set.contains("httponly") && set.contains("samesite=strict"), "{set}");
    let page = gateway.client().get("/", "");
    for words in
        ["frame-ancestors 'none'", "require-trusted-types-for 'script'", "default-src 'none'"]
    {
        assert!(page.headers.contains(words), "{words}: {}", page.headers);
    }
    assert!(page.headers.contains("x-frame-options: deny"), "{}", page.headers);
    for path in ["/", "/v1/me", "/app.js", "/v1/events"] {
        for host in ["evil.example", "evil.example:4180", "127.0.0.1", "127.0.0.1.evil.example"] {
            let answer = gateway.client().send("GET", path, &gateway.person, &[("Host", host)], "");
            let answer = answer.unwrap();
            assert_eq!(answer.status, 421, "{path} {host}: {}", answer.body);
        }
    }
    let Some(mut browser) = Browser::start() else { return };
    browser.go(&format!("http://{}/", gateway.address));
    browser.until("document.activeElement.type === 'password'");
    browser.types(&gateway.person);
    browser.press("Enter");
    browser.until("document.querySelector('article')");
    assert_eq!(browser.value("document.cookie"), "", "no script reads the cookie");
    let path = format!("/v1/approvals/{}/decision", asked["approval"]["id"].as_str().unwrap());
    let send = |headers: &str| {
        format!(
            "fetch('{path}', {{ method: 'POST', headers: {headers}, body: JSON.stringify({{ decision: 'approve' }}) }})
                .then((answer) => answer.json()).then((shape) => shape.code ?? shape.status)"
        )
    };
    assert_eq!(browser.value(&send("{}")), "no-csrf-token");
    assert_eq!(browser.value(&send("{ 'x-portcullis-csrf': 'guessed' }")), "no-csrf-token");
    assert_eq!(only(&gateway)["status"], "pending");
    approve(&mut browser);
    told(&mut browser, "bash: Approved by");
}
