//! What leads from a message to the page, in a real browser.

use serde_json::Value;

use super::{EVERYTHING, HIGH, Slack, asked, button, gateway};
use crate::page::browser::Browser;

#[test]
fn the_link_of_a_message_opens_its_request_and_no_other() {
    let Some(mut browser) = Browser::start() else { return };
    let state = tempfile::tempdir().unwrap();
    let slack = Slack::start();
    let gateway = gateway(state.path(), slack.address, EVERYTHING, &[]);
    let meant = asked(&gateway, HIGH);
    let said = slack.hears("chat.postMessage", 1).body;
    let other = asked(&gateway, "rm -rf /srv/other");
    slack.hears("chat.postMessage", 2);
    let link = button(&said, "Open the request").unwrap()["url"].as_str().unwrap().to_owned();
    assert!(
        link.ends_with(meant["id"].as_str().unwrap())
            && !link.contains(other["id"].as_str().unwrap())
    );
    // Somebody who is not logged in logs in, and is where the link led.
    browser.go(&link);
    browser.until("document.activeElement.type === 'password'");
    browser.types(&gateway.person);
    browser.press("Enter");
    browser.until("document.querySelector('article')");
    assert_eq!(browser.value("location.href"), Value::from(link.as_str()));
    let shown = browser.value("document.querySelector('article').innerText");
    let shown = shown.as_str().unwrap();
    assert!(shown.contains("/srv/data") && !shown.contains("/srv/other"), "{shown}");
}
