//! The page of MCP servers: what is held is read, and then accepted.

use serde_json::json;

use super::{browser::Browser, told};
use crate::mcp::{Place, Setup, request};

#[test]
fn what_is_held_is_accepted_once_all_of_it_was_on_the_screen_and_not_before() {
    let Some(mut browser) = Browser::start() else { return };
    let place = Place::of(&Setup { is_new: true, ..Setup::default() });
    // Longer than the window, with what nobody sees at its end.
    let words = format!("{}\u{202e}gnp.exe", "Reads a note.\\n".repeat(400));
    std::fs::write(place.server().join("changed"), words).unwrap();
    place.met().post(&request(2, "tools/list", json!({})));
    browser.go(&format!("http://{}/#/servers", place.gateway.address));
    browser.until("document.activeElement.type === 'password'");
    browser.types(&place.gateway.person);
    browser.press("Enter");
    browser.until("document.getElementById('state')?.innerText === 'Live'");
    browser.value("location.hash = '#/servers'");
    browser.until("document.querySelector('tbody a.warning')");
    browser.value("document.querySelector('tbody a.warning').click() ?? 0");
    browser.until("document.querySelectorAll('article .edit').length > 4");
    let text = browser.value("document.querySelector('main').innerText");
    assert!(text.as_str().unwrap().contains("\\u{202e}gnp.exe"), "it is written out");
    let accept = "[...document.querySelectorAll('main .buttons button')].at(-1).click() ?? 0";
    browser.value("scrollTo(0, document.body.scrollHeight) ?? 0");
    browser.value("new Promise((resolve) => setTimeout(resolve, 200))");
    browser.value(accept);
    told(&mut browser, "Read it first");
    assert_eq!(browser.value("document.querySelectorAll('dialog').length"), 0);
    browser.value("scrollTo(0, 0) ?? 0");
    browser.value(
        "(async () => { for (let at = 0; at < 200; at += 1) { scrollBy(0, innerHeight / 3); await new Promise((resolve) => setTimeout(resolve, 30)); } })()",
    );
    browser.value(accept);
    browser.until("document.querySelector('dialog[open]')");
    browser.value("document.querySelector('dialog .approve').click() ?? 0");
    told(&mut browser, "Accepted: ");
    browser.until("document.querySelector('main').innerText.includes('Nothing of it is held.')");
    let listed = place.met().post(&request(2, "tools/list", json!({}))).json();
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 4, "{listed}");
}
