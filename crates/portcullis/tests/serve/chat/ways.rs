//! Other ways to tell people, which lead to the page: a workflow of Teams, a webhook with the standard's headers, mail.

use data_encoding::BASE64;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;

use super::{HIGH, Slack, asked, gateway, notices, private, until};

fn header(headers: &str, name: &str) -> Option<String> {
    let mut lines = headers.lines();
    lines.find_map(|line| {
        let (own, value) = line.split_once(": ")?;
        own.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
    })
}

#[test]
fn a_webhook_is_signed_as_the_standard_says_and_keeps_its_id() {
    let state = tempfile::tempdir().unwrap();
    let receiver = Slack::start();
    let secret = state.path().join("hook-secret");
    private(&secret, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n");
    let more = format!(
        "[[chat.receivers]]\nname = \"hook\"\nwebhook = \"http://{}/hook\"\nsecret = \"{}\"\n",
        receiver.address,
        secret.display()
    );
    let gateway = gateway(state.path(), receiver.address, &more, &[]);
    receiver.lies(&[(500, "no")]);
    let waiting = asked(&gateway, HIGH);
    let (first, second) = (receiver.hears("/hook", 1), receiver.hears("/hook", 2));
    let id = header(&second.headers, "webhook-id").unwrap();
    assert_eq!(header(&first.headers, "webhook-id").as_ref(), Some(&id));
    let sent = until(|| notices(&gateway, "sent").pop());
    assert_eq!((&sent["id"], &sent["receiver"]), (&json!(id), &json!("hook")));
    let time = header(&second.headers, "webhook-timestamp").unwrap();
    assert!((time.parse::<i64>().unwrap() - super::slack::now()).abs() < 300);
    let key = BASE64.decode(b"MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    mac.update(format!("{id}.{time}.").as_bytes());
    mac.update(second.body.to_string().as_bytes());
    let expected = format!("v1,{}", BASE64.encode(&mac.finalize().into_bytes()));
    assert_eq!(header(&second.headers, "webhook-signature"), Some(expected));
    assert!(header(&second.headers, "x-portcullis-signature").unwrap().starts_with("t="));
    let link = format!("http://{}/#/inbox/{}", gateway.address, waiting["id"].as_str().unwrap());
    assert_eq!((&second.body["link"], &second.body["id"]), (&json!(link), &waiting["id"]));
}

#[test]
fn a_workflow_of_teams_gets_a_card_that_leads_to_the_request() {
    let state = tempfile::tempdir().unwrap();
    let receiver = Slack::start();
    let file = state.path().join("teams-url");
    private(&file, &format!("http://{}/workflows/x?sig=secret-of-the-url\n", receiver.address));
    let more = format!("[[chat.receivers]]\nname = \"teams\"\nteams = \"{}\"\n", file.display());
    let gateway = gateway(state.path(), receiver.address, &more, &[]);
    receiver.lies(&[(400, "no")]);
    asked(&gateway, "rm -rf /srv/first");
    let dead = until(|| notices(&gateway, "dead").pop());
    assert_eq!(dead["trouble"], "it answers 400");
    let waiting = asked(&gateway, "rm -rf /srv/[data](https://evil.example)");
    let said = receiver.hears("sig=secret-of-the-url", 2).body;
    let card = &said["attachments"][0]["content"];
    let text = card["body"][0]["text"].as_str().unwrap();
    assert!(!text.contains("](https"), "{text}");
    let link = format!("http://{}/#/inbox/{}", gateway.address, waiting["id"].as_str().unwrap());
    let open = json!({ "type": "Action.OpenUrl", "title": "Open the request", "url": link });
    assert_eq!(card["actions"], Value::Array(vec![open]));
    // Who knows the address can post there: it stands nowhere else.
    for path in ["/v1/notices", "/v1/records?limit=500", "/v1/policy"] {
        let text = gateway.client().get(path, &gateway.person).body;
        assert!(!text.contains("secret-of-the-url"), "{path}: {text}");
    }
}

#[cfg(unix)]
#[test]
fn mail_holds_a_link_and_nothing_of_an_agents_in_its_head() {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    let state = tempfile::tempdir().unwrap();
    let receiver = Slack::start();
    let (program, out) = (state.path().join("sendmail"), state.path().join("mail"));
    let script = format!(
        "#!/bin/sh\necho \"$@\" > {0}.arguments\nenv > {0}.environment\ncat > {0}.part && mv {0}.part {0}\n",
        out.display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let more = format!(
        "[chat.mail]\nfrom = \"gate@acme.example\"\ncommand = [\"{}\", \"-t\", \"-i\"]\n\
         [[chat.receivers]]\nname = \"mail\"\nmail = [\"ada@acme.example\", \"ben@acme.example\"]\n",
        program.display()
    );
    let gateway = gateway(state.path(), receiver.address, &more, &[]);
    let body = json!({
        "tool": "bash", "agent": "claude\r\nBcc: eve@evil.example", "arguments": { "command": "rm -rf /srv/data\r\n.\r\nQUIT" },
    });
    let judged = gateway.client().post("/v1/judge", &gateway.agents, &body).json();
    let message = until(|| fs::read_to_string(&out).ok());
    let (head, body) = message.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("To: ada@acme.example,\r\n ben@acme.example\r\n"), "{head}");
    assert!(!head.contains("evil") && !head.contains("claude"), "{head}");
    assert!(head.contains("Content-Transfer-Encoding: base64"), "{head}");
    let lines: String = body.split_whitespace().collect();
    let text = String::from_utf8(BASE64.decode(lines.as_bytes()).unwrap()).unwrap();
    let id = judged["approval"]["id"].as_str().unwrap();
    assert!(text.contains(&format!("Decide at http://{}/#/inbox/{id}", gateway.address)), "{text}");
    assert!(text.contains("claude\\r\\nBcc: eve@evil.example asks to use bash"), "{text}");
    assert!(text.contains("    rm -rf /srv/data"), "{text}");
    assert_eq!(fs::read_to_string(out.with_extension("arguments")).unwrap(), "-t -i\n");
    let environment = fs::read_to_string(out.with_extension("environment")).unwrap();
    assert!(!environment.contains("PORTCULLIS"), "{environment}");
    until(|| notices(&gateway, "sent").pop());
    // One that fails is seen.
    fs::write(&program, "#!/bin/sh\nexit 67\n").unwrap();
    asked(&gateway, "rm -rf /srv/other");
    let dead = until(|| notices(&gateway, "dead").pop());
    assert!(dead["trouble"].as_str().unwrap().ends_with("ended with 67"), "{dead}");
}
