//! People who log in at their company and decide in a chat: what their roles cover holds there as it does on the page, and what wants a proof is decided there
//! by nobody.

use std::path::Path;

use serde_json::{Value, json};

use super::{House, Provider, Session, account, with};
use crate::chat::slack::{APP, SECRET, Slack, TEAM, TOKEN, User, button};

fn configured(state: &Path, slack: &Slack, more: &str) -> String {
    let (token, secret) = (state.join("slack-token"), state.join("slack-secret"));
    crate::chat::private(&token, TOKEN);
    crate::chat::private(&secret, SECRET);
    format!(
        "{more}[chat]\nup_to = \"high\"\n[chat.slack]\nteam = \"{TEAM}\"\napp = \"{APP}\"\ntoken = \"{}\"\nsigning_secret = \"{}\"\n\
         url = \"http://{}/api\"\n[[chat.receivers]]\nname = \"ops\"\nslack = \"C0OPS\"\n",
        token.display(),
        secret.display(),
        slack.address
    )
}

fn linked(house: &House, session: &Session, user: &User) {
    let code = house.as_person(session, "POST", "/v1/chat/links", &Value::Null);
    assert_eq!(code.status, 201, "{}", code.body);
    let command = code.json()["command"].as_str().unwrap().to_owned();
    let told = user.types(&house.gateway, command.strip_prefix("/portcullis ").unwrap());
    assert!(told.body.contains("From now on you speak for"), "{}", told.body);
}

#[test]
fn roles_hold_in_a_chat_as_on_the_page() {
    let (files, slack) = (tempfile::tempdir().unwrap(), Slack::start());
    let house = with(Provider::start(), &configured(files.path(), &slack, ""), &[]);
    let ada = house.enters(&account("ada", &["leads"]));
    let eve = house.enters(&account("eve", &["on-call"]));
    let [first, second] = [User { id: "U0ADA" }, User { id: "U0EVE" }];
    linked(&house, &ada, &first);
    linked(&house, &eve, &second);
    let asked = house.asked("rm -rf /srv/data");
    let said = slack.hears("chat.postMessage", 1).body;
    let open = button(&said, "Open the request").unwrap();
    let link = format!("https://tools.example/gate/#/inbox/{}", asked["id"].as_str().unwrap());
    assert_eq!(open["url"], link);
    let approve = button(&said, "Approve").unwrap();
    second.presses(&house.gateway, &approve);
    let told = slack.hears("chat.postEphemeral", 1).body["text"].to_string();
    assert!(told.contains("Not done: ") && told.contains(&link), "{told}");
    first.presses(&house.gateway, &approve);
    let anew = slack.hears("chat.update", 1).body;
    // By the name that people know.
    assert!(crate::chat::slack::shown(&anew).starts_with("Approved by Ada Lovelace."), "{anew}");
    let records = house.as_person(&ada, "GET", "/v1/records?kind=answer", &Value::Null).json();
    let preview = &records["records"][0]["preview"];
    assert!(preview.as_str().unwrap().starts_with("as `leads`"), "{records}");
    assert_eq!(
        records["records"][0]["approver"],
        json!(format!("{}#ada", house.provider.issuer()))
    );
}

#[test]
fn what_wants_a_proof_is_approved_on_the_page_however_fresh_a_login_is() {
    let (files, slack) = (tempfile::tempdir().unwrap(), Slack::start());
    let more = configured(files.path(), &slack, "[team.step_up]\nfrom = \"high\"\n");
    let house = with(Provider::start(), &more, &[]);
    let cyn = house.enters_by(&account("cyn", &["security"]), "?anew=1");
    let user = User { id: "U0CYN" };
    linked(&house, &cyn, &user);
    let asked = house.asked("rm -rf /srv/data");
    let said = slack.hears("chat.postMessage", 1).body;
    user.presses(&house.gateway, &button(&said, "Approve").unwrap());
    let told = slack.hears("chat.postEphemeral", 1).body["text"].to_string();
    assert!(told.contains("prove anew who you are"), "{told}");
    // On the page the same login is proof enough; and a no never wants one.
    user.presses(&house.gateway, &button(&said, "Deny").unwrap());
    slack.hears("chat.update", 1);
    assert_eq!(house.says(&cyn, &asked, "approve").status, 409);
    let other = house.asked("rm -rf /srv/other");
    assert_eq!(house.says(&cyn, &other, "approve").status, 200);
}
